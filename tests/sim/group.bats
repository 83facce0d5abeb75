#!/usr/bin/env bats
# nbsim on several devices together: parts of a CPU, and two GPUs if there are two. The results of one device, bitwise
# identical repetitions, and checkpoints whose resumed runs are bitwise identical.
bats_require_minimum_version 1.5.0
load ../common/common

# close A B X: the same bodies in both streams, their numbers within X of one another.
close() {
    nbconv --to text --columns id,pos,vel "$1" >a.txt
    nbconv --to text --columns id,pos,vel "$2" >b.txt
    python - "$3" <<'END'
import sys
most = 0.0
first, second = ([line.split() for line in open(name) if line[0] != "#"] for name in ("a.txt", "b.txt"))
assert len(first) == len(second) > 0
for a, b in zip(first, second):
    assert a[0] == b[0]
    most = max([most] + [abs(float(p) - float(q)) for p, q in zip(a[1:], b[1:])])
print("# differ by", most)
assert most <= float(sys.argv[1]), most
END
}

devices() { # the groups that there are
    echo cpu:0-2
    nbbench --device cuda:0-1 -n 1 >/dev/null 2>&1 && echo cuda:0-1
    true
}

@test "every family of integrators: several devices follow one" {
    nbgen plummer -n 700 -o start.nbs
    for device in $(devices); do
        for how in "leapfrog --steps 8" "rk4 --steps 4" "rkf78 --until 0.03 --tolerance 1e-9" "hermite4 --steps 8" \
            "ias15 --until 0.02" "leapfrog --steps 8 --force direct --force external:nfw,mass=1,scale=3"; do
            echo "# $device: $how" >&3
            # shellcheck disable=SC2086
            nbsim -q --precision double --device "${device%%:*}" --integrator $how -o one.nbs -f start.nbs
            # shellcheck disable=SC2086
            nbsim -q --precision double --device "$device" --integrator $how -o many.nbs -f start.nbs
            close one.nbs many.nbs 1e-11
        done
    done
}

@test "the tree: within its tolerance of one device, and the momentum stays" {
    nbgen plummer -n 3000 -o start.nbs
    for device in $(devices); do
        nbsim -q --precision double --device "${device%%:*}" --force tree --dt 0.002 --steps 10 -o one.nbs -f start.nbs
        nbsim -q --precision double --device "$device" --force tree --dt 0.002 --steps 10 --write acc -o many.nbs -f start.nbs
        close one.nbs many.nbs 1e-5
        nbconv --to text --columns mass,acc many.nbs | python -c '
import sys
rows = [[float(w) for w in line.split()] for line in sys.stdin if not line.startswith("#")]
assert all(abs(sum(r[0] * r[k] for r in rows)) < 1e-14 for k in (1, 2, 3))'
    done
}

@test "equal bytes from run to run, and after a run that was cut" {
    nbgen plummer -n 2000 -o start.nbs
    for device in $(devices); do
        for force in direct tree tree:rebuild=4; do
            run="nbsim -q --device $device --force $force --dt 0.002 --until 0.12 --every 0.04 start.nbs"
            $run -o first.nbs -f
            $run -o second.nbs -f
            cmp first.nbs second.nbs
            # Killed behind a checkpoint, and gone on with.
            $run --checkpoint kept --checkpoint-every 0 -o cut.nbs &
            pid=$!
            await $pid test -s kept.0 && { kill -KILL $pid || true; }
            wait $pid || nbsim -q --resume kept
            cmp first.nbs cut.nbs
            rm -f kept.* cut.nbs cut.nbs.part
        done
    done
}

disks() { # models of disks that touch: start.nbs and what they are run by
    nbgen windtunnel -n 3000 -o tunnel.nbs 2>/dev/null
    nbgen windtunnel -n 1500 --sides periodic --restitution 0.9 -o clumps.nbs 2>/dev/null
    nbgen granular -n 700 -o sand.nbs 2>/dev/null
    nbgen windtunnel -n 50 -o few.nbs 2>/dev/null # one part has them all
    echo "tunnel.nbs --until 0.3 --every 0.1
clumps.nbs --until 0.2 --every 0.1 --precision single --force contact-bvh
sand.nbs --until 0.02 --every 0.01 --write acc,pressure
few.nbs --until 1 --every 0.5"
}

@test "disks that touch, walls and inlets: the bytes of one device, the forces on walls too" {
    disks >runs
    for device in $(devices); do
        while read -r start how; do
            # shellcheck disable=SC2086
            nbsim -q --device "${device%%:*}" $how -o one.nbs -f "$start"
            # shellcheck disable=SC2086
            nbsim -q --device "$device" $how -o many.nbs -f "$start"
            cmp one.nbs many.nbs
        done <runs
        nbstat -q --walls many.nbs >/dev/null
    done
}

@test "disks that touch: a run that was cut goes on bit for bit, on one device and on several" {
    nbgen windtunnel -n 3000 -o start.nbs 2>/dev/null
    for device in $(devices); do
        run="nbsim -q --until 1 --every 0.5 start.nbs"
        $run --device "$device" -o whole.nbs -f
        for then in "$device" "${device%%:*}"; do
            $run --device "$device" --checkpoint kept --checkpoint-every 0 -o cut.nbs &
            pid=$!
            await $pid test -s kept.1 && { kill -KILL $pid || true; }
            wait $pid || nbsim -q --resume kept --device "$then"
            cmp whole.nbs cut.nbs
            rm -f kept.* cut.nbs cut.nbs.part
        done
    done
}

@test "disks too deep in a wall: the sentence of one device" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
pos = np.array([[10.0 + k, 3.0 * (k % 7), 0] for k in range(200)])
pos[70] = pos[71] = pos[190] = [3, 0, 0] # in two parts of three
block = "block 1 -2 5 -2 5 2 1 2 1 -2"
write("deep.nbs", frame(np.ones(200), pos, 0 * pos, G=0, contact="20000 0 0.1", wall=block))
P
    for device in $(devices); do
        run -1 --separate-stderr nbsim -q --device "${device%%:*}" --until 0.1 -o x.nbs deep.nbs
        one=$stderr
        run -1 --separate-stderr nbsim -q --device "$device" --until 0.1 -o x.nbs deep.nbs
        [[ $stderr == "nbsim: the centre of disk "*" is inside wall block, deeper than the disk's radius ("* ]]
        [ "${device%%:*}" != cpu ] || [ "$stderr" = "$one" ]
    done
}

@test "textbook methods follow one device" {
    nbgen plummer -n 700 -o start.nbs
    for device in $(devices); do
        for force in pairs-matrix kdtree octree; do
            how="--precision double --force $force --force external:nfw,mass=1,scale=3 --dt 0.002 --steps 5"
            # shellcheck disable=SC2086
            nbsim -q --device "${device%%:*}" $how -o one.nbs -f start.nbs
            # shellcheck disable=SC2086
            nbsim -q --device "$device" $how -o many.nbs -f start.nbs
            close one.nbs many.nbs 1e-13
        done
    done
}

@test "what several devices do not do is said" {
    nbgen plummer -n 100 -o start.nbs
    for device in $(devices); do
        run -2 --separate-stderr nbrender --device "$device" -o x.png start.nbs
    done
    run -2 --separate-stderr nbsim --device cuda:1-0 --steps 1 start.nbs
    [[ $stderr == *":A-B"* ]]
    run -1 --separate-stderr nbsim --device cpu:0-70 --steps 1 start.nbs
    [[ $stderr == *"at most 64"* ]]
}

#!/usr/bin/env bats
# nbsim on several devices together, in unusual cases: fewer bodies than a part holds, bodies without gravity, names of
# missing devices, checkpoints that resume on more devices or on one device.
bats_require_minimum_version 1.5.0
load ../common/common

devices() { # the groups that there are
    echo cpu:0-2
    nbbench --device cuda:0-1 -n 1 >/dev/null 2>&1 && echo cuda:0-1
    true
}

# apart A B COLUMNS: how far numbers of the last frames differ beside the largest
apart() {
    nbconv --to text --frame -1 --columns "$3" "$1" | grep -v '^#' >a.txt
    nbconv --to text --frame -1 --columns "$3" "$2" | grep -v '^#' >b.txt
    paste a.txt b.txt | awk 'function size(x) { return x < 0 ? -x : x }
        { for (k = 1; k <= NF / 2; k++) { d = size($k - $(k + NF / 2)); if (d > most) most = d
              if (size($k) > scale) scale = size($k) } }
        END { if (NR == 0) exit 1; print (scale > 0 ? most / scale : most) }'
}

@test "parts without bodies, with one, and full ones: the field of one device" {
    for n in 1 2 63 64 65 127 129; do
        nbgen plummer -q -n $n --softening 0.05 -o start.nbs -f
        for device in $(devices); do
            for force in direct tree; do
                how="--force $force --precision double --dt 0.01 --steps 3 --write acc,phi"
                # shellcheck disable=SC2086
                nbsim -q --device "${device%%:*}" $how -o one.nbs -f start.nbs
                # shellcheck disable=SC2086
                nbsim -q --device "$device" $how -o many.nbs -f start.nbs
                off=$(apart one.nbs many.nbs pos,vel,acc,phi)
                echo "# $n bodies, $device, $force: $off" >&2
                close "$off" 0 "$([ $force = direct ] && echo 1e-13 || echo 2e-3)"
            done
        done
    done
}

@test "bodies of mass 0 go straight on, and a body beside another is refused as by one device" {
    nbgen plummer -q -n 129 | nbedit --set 'mass = 0' -o empty.nbs
    awk 'BEGIN { print "# mass x y z vx vy vz"; for (i = 0; i < 200; i++) print 0.005, i % 100, 0, 0, 0, 0, 0 }' |
        nbconv --from text -o twice.nbs -
    for device in $(devices); do
        for force in direct tree; do
            nbsim -q --device "$device" --force $force --dt 0.25 --steps 4 -o straight.nbs -f empty.nbs
            nbedit --set 'x = x + vx' --set 'y = y + vy' --set 'z = z + vz' empty.nbs -o there.nbs -f
            close "$(apart there.nbs straight.nbs pos,vel)" 0 1e-6
            run -1 --separate-stderr nbsim -q --device "$device" --force $force --softening 0 --dt 0.1 --steps 1 -o x.nbs twice.nbs
            [ "$stderr" = "nbsim: bodies 0 and 100 are at the same position, where the force without softening is undefined (--softening L)" ]
        done
    done
}

@test "threads of parts do not matter: equal bytes" {
    nbgen plummer -q -n 500 -o start.nbs
    for threads in 1 2 5; do
        nbsim -q --device cpu:0-2 --force tree --threads $threads --dt 0.01 --steps 3 -o $threads.nbs start.nbs
        cmp 1.nbs $threads.nbs
    done
}

# lists of devices that lack some: a line that names one, and how many there are
@test "devices that are not there are named" {
    nbgen plummer -q -n 10 -o start.nbs
    for device in cuda:7-63 cuda:63; do
        run -1 --separate-stderr nbsim -q --device $device --steps 1 -o x.nbs start.nbs
        [ "${#stderr_lines[@]}" = 1 ]
        [[ "$stderr" == "nbsim: device cuda"* ]]
    done
    [ ! -e x.nbs ]
    [ ! -e x.nbs.part ]
    # As many as there are: one CPU.
    nbsim --device cpu:all --steps 1 -o all.nbs start.nbs 2>said
    grep -q '^nbsim: 10 bodies, direct force in double precision on CPU, ' said
    for device in cuda:all: cuda:0-all auto:all cpu:0- cpu:2-1 cuda:0-99999999999; do
        run -2 --separate-stderr nbsim -q --device $device --steps 1 -o x.nbs start.nbs
        [[ "${stderr_lines[0]}" == "nbsim: --device $device: expected auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]" ]]
    done
}

@test "a checkpoint of one device goes on on several, and of several on one, or on another number of them" {
    nbgen plummer -q -n 700 --softening 0.05 -o start.nbs
    pairs=("cpu cpu:0-2" "cpu:0-2 cpu" "cpu:0-2 cpu:0-3")
    devices | grep -q cuda && pairs+=("cuda cuda:0-1" "cuda:0-1 cuda" "cuda:0-1 cpu")
    for pair in "${pairs[@]}"; do
        read -r first second <<<"$pair"
        for how in "leapfrog --force direct" "leapfrog --force tree:rebuild=3" ab4 ias15; do
            # What integrators keep is divided among devices and put together in one way.
            [[ $pair != *:*:* || $how == leapfrog* ]] || continue
            rm -f kept.* run.nbs run.nbs.part
            run="nbsim -q --precision double --integrator $how --dt 0.002 --until 0.08 --every 0.02 start.nbs"
            $run --device "$first" -o whole.nbs -f
            $run --device "$first" -o run.nbs --checkpoint kept --checkpoint-every 0 &
            pid=$!
            await $pid test -s kept.0 && { kill -KILL $pid || true; }
            wait $pid && continue # it was faster
            nbsim -q --resume kept --device "$second" 2>said
            grep -q 'warning: the checkpoint was made with device .*: the last digits may differ' said
            cmp <(nbstat --columns time run.nbs | tail -n +2) <(nbstat --columns time whole.nbs | tail -n +2)
            close "$(apart whole.nbs run.nbs pos,vel)" 0 1e-10
        done
    done
}

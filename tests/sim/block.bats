#!/usr/bin/env bats
# Steps of each body's own (--integrator leapfrog-block): the energy at fewer evaluations than one step for all needs,
# equal bytes, runs that are cut, and what is refused. The kicks and the order: tests/engine/test_step_block.c.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# block OPTIONS...: on the CPU in double
block() {
    nbsim -q --device cpu --precision double --integrator leapfrog-block "$@"
}

# worst FILE: the largest energy error of a log
worst() {
    awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { print most }' "$1"
}

# evaluations OPTIONS...: of the force, as a run says
evaluations() {
    nbsim --device cpu --precision double "$@" -f -o /dev/null 2>&1 | sed -n 's/.*steps, \([0-9]*\) force evaluations.*/\1/p'
}

@test "two disks with heavy centres: two fifths of the evaluations of one step for all, at no larger error" {
    nbgen collision -n 3000 --seed 1 -q -o in.nbs
    each=$(evaluations --integrator leapfrog-block --eta 0.4 --dt 0.05 --until 0.5 --every 0.05 --log each.tsv in.nbs)
    all=$(evaluations --integrator leapfrog --dt 0.005 --until 0.5 --every 0.05 --log all.tsv in.nbs)
    echo "# $each evaluations, error $(worst each.tsv); $all, $(worst all.tsv)" >&3
    [ $((each * 5)) -lt $((all * 2)) ]
    python -c "assert $(worst each.tsv) < min(3e-4, $(worst all.tsv))"
}

@test "without --dt the longest step is that of a body, and outputs are on time" {
    nbgen collision -n 1000 -q -o in.nbs
    run -0 --separate-stderr nbsim --device cpu --integrator leapfrog-block --until 0.3 --every 0.1 -o out.nbs in.nbs
    [[ "$stderr" == *"the longest step of a body"* ]]
    [ "$(nbstat --no-header --potential none out.nbs | awk '{ printf "%.9g ", $3 }')" = "0 0.1 0.2 0.3 " ]
}

@test "equal bytes for any number of threads, from run to run, and when a run is cut" {
    nbgen galaxy -n 3000 -q -o in.nbs
    for force in direct tree; do
        block --force $force --dt 0.2 --until 0.8 --every 0.4 --threads 1 in.nbs -f -o one.nbs
        block --force $force --dt 0.2 --until 0.8 --every 0.4 --threads 3 in.nbs -f -o three.nbs
        cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text three.nbs | grep -v "^# history")
        nbsim -q --device cpu --precision double --integrator leapfrog-block --force $force --dt 0.2 --until 0.8 --every 0.4 \
            --checkpoint ck --checkpoint-every 0 in.nbs -f -o cut.nbs 3>&- &
        pid=$!
        await $pid test -s ck.0 && kill -KILL $pid
        wait $pid || nbsim -q --resume ck --threads 1
        cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text cut.nbs | grep -v "^# history")
    done
}

@test "several devices, and OpenCL in host memory, come where one comes" {
    nbgen collision -n 2000 -q -o in.nbs
    block --dt 0.05 --until 0.1 in.nbs -o one.nbs
    for device in cpu:0-2 opencl; do
        if ! nbsim -q --device $device --steps 0 in.nbs -f -o /dev/null 2>no; then
            echo "# $device: $(head -n 1 no)" >&3
            continue
        fi
        nbsim -q --device $device --precision double --integrator leapfrog-block --dt 0.05 --until 0.1 in.nbs -f -o several.nbs
        paste <(nbconv --to text --frame last --columns pos one.nbs | grep -v '^#') \
            <(nbconv --to text --frame last --columns pos several.nbs | grep -v '^#') |
            awk '{ for (k = 1; k < 4; k++) { d = $k - $(k + 3); if (d < 0) d = -d; if (d > most) most = d } } END { exit most > 1e-12 }'
    done
}

@test "what it cannot do is refused in a line" {
    nbgen plummer -n 1000 -q -o in.nbs
    refused 2 "leapfrog-block: the steps of its bodies follow the softening length" block --softening 0 --until 1 in.nbs
    refused 2 "leapfrog-block: it asks for the force on some of the bodies" block --force naive --until 1 in.nbs
    refused 2 "--eta and --max-rungs are of steps of each body's own" nbsim --eta 0.1 --until 1 in.nbs
    refused 2 "--max-rungs 41: not from 0 to 40" block --max-rungs 41 --until 1 in.nbs
    refused 2 "leapfrog-block does not estimate its error" block --tolerance 1e-9 --until 1 in.nbs
}

#!/usr/bin/env bats
# nbsim --append: adds a stream after those in a file. After an error the file is unchanged.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    nbgen plummer -n 50 -o in.nbs
}

sim() { nbsim --device cpu --dt 0.01 --every 0.1 "$@"; }

@test "a file that is added to three times has the frames of one run, each once, and their bits" {
    sim -q --until 2 in.nbs -o one.nbs
    sim -q --until 0.5 in.nbs -o a.nbs
    sim --until 1 a.nbs -o a.nbs --append 2>said
    grep '^nbsim: a.nbs: leapfrog continues as one run would if that run had the same options' said
    sim -q --until 1.55 --append -o a.nbs a.nbs
    nbstat --check a.nbs
    [ "$(nbstat --info a.nbs | grep -c '^  frame')" -eq 17 ]
    for k in 5 6 9 10 11; do
        nbconv --to text --frame $k one.nbs >want
        nbconv --to text --frame $k a.nbs | cmp - want
    done
    sim -q --until 2 a.nbs -o a.nbs --append
    nbstat --info one.nbs | awk '$1 == "frame" { print $4 }' >want
    nbstat --info a.nbs | awk '$1 == "frame" && $4 != 1.55 { print $4 }' | cmp - want
}

@test "what is not in a frame is said: earlier steps, an order, digits" {
    sim -q --until 0.2 in.nbs -o a.nbs
    for options in '--integrator ab4' '--integrator rk4' '--force tree --rebuild 4' '--force auto --force external:drag,rate=1' \
        '--precision quad'; do
        cp a.nbs b.nbs
        sim $options --until 0.3 b.nbs -o b.nbs --append 2>said
        grep 'does not continue bitwise identical to one run' said
    done
    sim -q --until 0.2 --store f32 in.nbs -o f.nbs
    sim --until 0.3 --append f.nbs -o f.nbs 2>&1 | grep 'f32 columns have fewer digits than the state'
}

@test "from another input all frames are added, also its first" {
    sim -q --until 0.2 in.nbs -o a.nbs
    sim -q --until 0.2 in.nbs -o a.nbs --append
    sim -q --until 0.2 --frame 0 a.nbs -o a.nbs --append
    [ "$(nbstat --info a.nbs | grep -c '^  frame')" -eq 9 ]
    sim -q --steps 0 a.nbs -o a.nbs --append
    [ "$(nbstat --info a.nbs | grep -c '^  frame')" -eq 9 ]
    nbstat --check a.nbs
}

@test "a run that fails cuts the file back" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer itself needs files larger than the limit"
    sim -q --until 0.2 in.nbs -o a.nbs
    cp a.nbs before
    # The write that goes beyond so many kB fails; the file has 16 or more before.
    run -1 --separate-stderr bash -c "ulimit -f 60; nbsim -q --device cpu --dt 0.01 --every 0.01 --until 3 a.nbs -o a.nbs --append"
    [ "$stderr" = "nbsim: a.nbs: cannot be written: File too large" ]
    cmp a.nbs before
    run -1 --separate-stderr nbsim -q --device cpu --until 3 --softening 0 --append -o a.nbs missing.nbs
    cmp a.nbs before
}

grew() { [ "$(stat -c %s a.nbs)" -gt "$(stat -c %s before)" ]; }

@test "a signal ends the added stream whole" {
    sim -q --until 0.2 in.nbs -o a.nbs
    cp a.nbs before
    nbsim -q --device cpu --dt 1e-5 --every 1e-3 --until 1000 a.nbs -o a.nbs --append &
    pid=$!
    await $pid grew
    run -1 --separate-stderr nbsim -q --device cpu --until 3 in.nbs -o a.nbs --append
    [[ "$stderr" == "nbsim: a.nbs: "* ]]
    kill $pid
    wait $pid || [ $? -eq 143 ]
    nbstat --check a.nbs
}

@test "where nothing is left to be added the file stays, however its last frame was chosen" {
    sim -q --until 0.2 in.nbs -o a.nbs
    cp a.nbs before
    sim --until 0.2 a.nbs -o a.nbs --append 2>said
    grep -x 'nbsim: a.nbs: the run would end at the time of the last frame, so nothing is appended' said
    sim -q --frame 2 --until 0.2 a.nbs -o a.nbs --append
    cmp a.nbs before
    sim -q --until 0.3 --frame 2 a.nbs -o a.nbs --append
    sim -q --until 0.4 -o a.nbs --append <a.nbs
    nbstat --info a.nbs | awk '$1 == "frame" { print $4 }' | uniq -d | cmp - /dev/null
    [ "$(nbstat --info a.nbs | grep -c '^  frame')" -eq 5 ]
}

@test "a file that is added to is not replaced meanwhile, nor added to by another, and a second signal cuts it back" {
    nbgen plummer -n 100000 -o a.nbs
    cp a.nbs before
    nbsim -q --device cpu --force external:uniform,gx=1 --dt 1e-3 --every 1e-3 --steps 100000 --no-space-check a.nbs \
        -o a.nbs --append &
    pid=$!
    await $pid grew
    run -1 --separate-stderr nbsim -q -f --device cpu --until 0.1 in.nbs -o a.nbs
    [ "$stderr" = "nbsim: a.nbs: another program is writing it (wait until that program ends, or choose another file)" ]
    run -1 --separate-stderr nbsim -q --device cpu --until 0.1 a.nbs -o a.nbs --append
    [ "$stderr" = "nbsim: a.nbs: another program is writing it (wait until that program ends, or choose another file)" ]
    kill -TERM $pid
    kill -HUP $pid
    run wait $pid
    # Whole with what was written at the first signal, or as before.
    nbstat -q --check a.nbs
    [ ! -e a.nbs.part ]
}

@test "a file that is replaced while it is added to is noticed" {
    sim -q --until 0.2 in.nbs -o a.nbs
    cp a.nbs before
    nbsim -q --device cpu --dt 1e-5 --every 1e-3 --until 1000 a.nbs -o a.nbs --append 2>said &
    pid=$!
    await $pid grew
    cp before other
    mv other a.nbs
    kill $pid
    wait $pid || [ $? -eq 1 ]
    grep -x 'nbsim: a.nbs: another program replaced the file during the run, and the output of this run is lost' said
    cmp a.nbs before
}

@test "what cannot be added to is refused and left alone" {
    sim -q --until 0.2 in.nbs -o a.nbs
    head -c -100 a.nbs >cut.nbs
    cp cut.nbs before
    run -1 --separate-stderr nbsim -q --device cpu --until 1 in.nbs -o cut.nbs --append
    [[ "$stderr" == "nbsim: cut.nbs: "* ]]
    cmp cut.nbs before
    run -1 --separate-stderr nbsim -q --device cpu --until 1 in.nbs -o nothing.nbs --append
    [ ! -e nothing.nbs ]
    run -1 --separate-stderr nbsim -q --device cpu --until 1 in.nbs -o /dev/null --append
    [ "$stderr" = "nbsim: /dev/null: is not a regular file, so nothing can be appended" ]
    mkfifo fifo
    run -1 --separate-stderr timeout 10 nbsim -q --device cpu --until 1 in.nbs -o fifo --append
    run -2 --separate-stderr nbsim -q --device cpu --until 1 in.nbs --append
    run -2 --separate-stderr nbsim -q --device cpu --until 1 in.nbs -o a.nbs --append -f
    run -2 --separate-stderr nbsim -q --device cpu --until 1 in.nbs -o a.nbs --append --checkpoint ck
}

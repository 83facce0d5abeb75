#!/usr/bin/env bats
# Checkpoints: a failed run must not look complete, and checkpoint files must not replace or leave behind other files.
bats_require_minimum_version 1.5.0
load ../common/common

# cut SIGNAL OPTION...: a slow run cut by a signal once it has a checkpoint: in.nbs, ck.0, o.nbs.part
cut() {
    local signal=$1 pid
    shift
    nbgen plummer -n 64 -f -o in.nbs
    nbsim -q --device cpu --dt 1e-4 --until 10000 --every .01 --checkpoint ck --checkpoint-every 0 "$@" in.nbs -o o.nbs &
    pid=$!
    await $pid test -s ck.0
    kill -"$signal" $pid
    wait $pid || [ $? -gt 128 ]
}

@test "a cut FILE is not taken for a finished run, and the checkpoints stay" {
    cut KILL
    mv o.nbs.part o.nbs
    run -1 --separate-stderr nbsim --resume ck
    [[ "${stderr_lines[-1]}" == "nbsim: "*"o.nbs.part does not exist"* ]]
    [ -s ck.0 ]
}

@test "a run that failed with a whole stream is not whole on resume" {
    nbgen pythagorean -o py.nbs
    options="-q --integrator rkdp54 --tolerance 1e-12 --min-dt 1e-4 --until 70 --every .1"
    # shellcheck disable=SC2086
    run -1 nbsim $options --checkpoint ck --checkpoint-every 0 -o P.nbs py.nbs
    nbstat --check P.nbs
    run -1 --separate-stderr nbsim --resume ck
    [[ "${stderr_lines[-1]}" == "nbsim: "*"P.nbs: is complete, but ends at t = 1.8"*" of 70: the run failed or was stopped there"* ]]
    [ -s ck.0 ] || [ -s ck.1 ]
}

@test "the files of a checkpoint are neither the output nor an input" {
    nbgen plummer -n 64 -o in.nbs
    cp in.nbs inp.0
    run -1 --separate-stderr nbsim -q --until .1 --every .05 --checkpoint run -o run.0 -f in.nbs
    [[ "$stderr" == "nbsim: run.0: is the output and "* ]]
    ln -s run.1 link
    run -1 --separate-stderr nbsim -q --until .1 --checkpoint ./run -o link -f in.nbs
    [[ "$stderr" == "nbsim: ./run.1: is the output and "* ]]
    run -1 --separate-stderr nbsim -q -f --until .1 --checkpoint inp -o L2.nbs inp.0
    [[ "$stderr" == "nbsim: inp.0: is the input and "* ]]
    run -1 --separate-stderr nbsim -q -f --until .1 --checkpoint inp -o L2.nbs <inp.0
    [[ "$stderr" == "nbsim: inp.0: is the input and "* ]]
    cmp in.nbs inp.0
    [ "$(echo run* L2* inp.1*)" = "run* L2* inp.1*" ]
    cut TERM
    run -1 --separate-stderr nbsim --resume ck -f -o ck.0
    [[ "${stderr_lines[-1]}" == "nbsim: ck.0: is the output and "* ]]
    run -1 --separate-stderr nbsim --resume ck -f -o o.nbs.part
    [[ "${stderr_lines[-1]}" == "nbsim: "*"/o.nbs.part: contains output written before "* ]]
    [ -s ck.0 ]
    [ -s o.nbs.part ]
}

@test "files of someone else stay, with -f and without" {
    nbgen plummer -n 64 -o in.nbs
    echo precious >notes.1
    run -1 --separate-stderr nbsim -q -f --until .1 --checkpoint notes -o nn.nbs in.nbs
    [ "$stderr" = "nbsim: notes.1: exists already and is not a checkpoint (choose another name)" ]
    [ "$(cat notes.1)" = precious ]
    [ ! -e notes.0 ]
    : >empty.0
    run -1 --separate-stderr nbsim -q --until .1 --checkpoint empty -o nn.nbs in.nbs
    [ "$stderr" = "nbsim: empty.0: exists already (-f replaces it)" ]
    [ -e empty.0 ]
    ln -s notes.1 link.0
    run -1 --separate-stderr nbsim -q -f --until .1 --checkpoint link -o nn.nbs in.nbs
    [[ "$stderr" == "nbsim: link.0: is a link"* ]]
    mkdir ckd.1
    run -1 --separate-stderr nbsim -q -f --until .1 --checkpoint ckd -o nn.nbs in.nbs
    [[ "$stderr" == "nbsim: ckd.1: not a regular file"* ]]
    [ -L link.0 ]
    [ ! -e ckd.0 ]
    [ ! -e link.1 ]
    [ ! -e empty.1 ]
}

@test "a signal while the input is waited for leaves no empty files" {
    mkfifo pipe
    nbsim -q --until .1 --checkpoint ck -o a.nbs <pipe &
    pid=$!
    exec 8>pipe # both ends are open: nbsim has been started
    nbgen plummer -n 64 | head -c 500 >&8
    sleep 0.2
    kill $pid
    wait $pid || [ $? -eq 143 ]
    exec 8>&-
    [ "$(echo ck* a.nbs*)" = "ck* a.nbs*" ]
}

@test "-f keeps the old checkpoints until the new run has its first" {
    cut TERM
    cp o.nbs.part save.part
    run -1 nbsim -q -f --until 1 --checkpoint ck -o o2.nbs typo.nbs
    run -2 nbsim -q -f --until 1 --integrator typo --checkpoint ck -o o2.nbs in.nbs
    nbsim -q --resume ck & # goes on
    pid=$!
    await $pid test -s o.nbs.part
    kill $pid
    wait $pid || [ $? -eq 143 ]
    [ -s ck.0 ] || [ -s ck.1 ]
    # one that comes to its end replaces them
    nbsim -q -f --steps 1 --checkpoint ck -o o2.nbs in.nbs
    [ "$(echo ck.*)" = "ck.*" ]
}

@test "the first checkpoint of a new run is the newest, and the old run's goes" {
    cut TERM
    nbsim -q --device cpu -f --dt 1e-4 --until 50 --every .01 --checkpoint ck --checkpoint-every 1h -o o2.nbs in.nbs &
    pid=$!
    await $pid test -s o2.nbs.part
    kill $pid
    wait $pid || [ $? -eq 143 ]
    nbsim --resume ck 2>said &
    pid=$!
    await $pid grep -q 'resuming from' said
    kill $pid
    wait $pid || [ $? -eq 143 ]
    grep -q 'to t = 50' said
    # Its number is above the old run's, so that it counts also if a kill comes before the old one is removed.
    run ! grep -q 'resuming from checkpoint 1 ' said
}

@test "-o of the run's own FILE goes on in it, -f too" {
    cut TERM
    cp o.nbs.part save.part
    # what has appeared under FILE's name is replaced where -f says so
    echo other >o.nbs
    run -1 --separate-stderr timeout 30 nbsim -q --resume ck
    [[ "$stderr" == *"o.nbs: exists already (-f replaces it)"* ]]
    cmp save.part o.nbs.part
    rm o.nbs
    for option in "" -f; do
        # shellcheck disable=SC2086
        nbsim --resume ck $option -o ./o.nbs 2>said &
        pid=$!
        await $pid grep -q 'in all' said
        kill $pid
        wait $pid || [ $? -eq 143 ]
        cmp -n "$(stat -c %s save.part)" save.part o.nbs.part
    done
    echo other >o.nbs
    nbsim --resume ck -f 2>said &
    pid=$!
    await $pid grep -q 'in all' said
    kill $pid
    wait $pid || [ $? -eq 143 ]
}

@test "an end by a signal says one way on" {
    cut TERM 2>said
    [ ! -s said ]
    nbsim --resume ck 2>said &
    pid=$!
    await $pid grep -q 'in all' said
    kill $pid
    wait $pid || [ $? -eq 143 ]
    grep -q -- '--resume ck continues' said
    run -1 grep -e --salvage said
    # the folder has another name
    here=$PWD
    mkdir moved && mv o.nbs.part ck.? moved
    cd moved
    nbsim --resume ck 2>said &
    pid=$!
    await $pid grep -q 'in all' said
    kill $pid
    wait $pid || [ $? -eq 143 ]
    [ -s o.nbs.part ]
    [ ! -e "$here/o.nbs.part" ]
}

@test "where no checkpoint can be written a signal ends the stream whole" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer itself needs files larger than the limit"
    nbgen plummer -n 3000 -o big.nbs
    # a frame of f32 columns fits many times, a checkpoint does not
    (ulimit -f 240
     exec nbsim --device cpu --force tree --store f32 --dt 1e-3 --until 1000 --checkpoint ck --checkpoint-every 1h -o B.nbs big.nbs) 2>said &
    pid=$!
    await $pid test -s B.nbs.part
    kill $pid
    wait $pid || [ $? -eq 143 ]
    grep -q 'there is no checkpoint yet' said
    grep -q 'ended by signal 15 .*; the stream is complete' said
    run -1 grep -e --resume -e '1 checkpoint,' said
    nbstat --check B.nbs
    [ "$(echo ck.*)" = "ck.*" ]
}

@test "the checkpoint's thread is waited for before the output is freed" {
    nbgen pythagorean -o py.nbs
    for _ in 1 2 3 4 5 6; do
        MALLOC_PERTURB_=165 run -1 --separate-stderr nbsim -q --integrator rkdp54 --tolerance 1e-12 --min-dt 1e-4 \
            --until 70 --every .01 --checkpoint ck --checkpoint-every 0 -f -o P.nbs py.nbs
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == *"the stream ends here" ]]
        nbstat --check P.nbs
    done
}

@test "a named pipe is kept by its absolute path, and the size said is that of the rest" {
    mkfifo pipe
    nbgen plummer -n 64 -o in.nbs
    cat pipe >a.nbs &
    reader=$!
    nbsim -q --device cpu --dt 1e-4 --until 100 --every 10 --checkpoint ck --checkpoint-every 0 in.nbs -o pipe &
    pid=$!
    await $pid test -s ck.0
    kill $pid
    wait $pid || [ $? -eq 143 ]
    wait $reader
    mkdir elsewhere && cd elsewhere
    cat ../pipe >/dev/null &
    nbsim --device cpu --resume ../ck 2>said &
    pid=$!
    await $pid grep -q 'in all' said
    kill $pid
    wait $pid || [ $? -eq 143 ]
    [ "$(echo pipe*)" = "pipe*" ]
    run -1 grep -q '11 frames, about' said
    grep -q 'frames, about' said
}

@test "names that are empty and times that are none are refused" {
    nbgen plummer -n 64 -o in.nbs
    run -2 nbsim --until 1 --checkpoint '' in.nbs
    run -2 nbsim --resume ''
    for time in 5ms m -1 ' 5' infs 1e999; do
        run -2 --separate-stderr nbsim --until 1 --checkpoint c "--checkpoint-every=$time" in.nbs
        [ "${stderr_lines[0]}" = "nbsim: --checkpoint-every $time: expected a time such as 90, 90s, 10m or 1h" ]
    done
}

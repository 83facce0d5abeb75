#!/usr/bin/env bats
# The log of an interrupted and resumed run has the same lines as the log of an uninterrupted run.
bats_require_minimum_version 1.5.0
load ../common/common

run_logged() {
    rm -f l.txt*
    [ ! -p pipe ] || cat pipe >got &
    exec nbsim -q --device cpu --dt 0.00101 --until 1.2 --every 0.02 --checkpoint ck --checkpoint-every 0 "$@" >printed
}

# end_by SIGNAL OPTION...: leaves in.nbs, ck.*, k.nbs.part and what the run printed in `printed`
end_by() {
    local signal=$1
    shift
    cut_off "$signal" ck.0 k.nbs run_logged "$@"
}

# whole LOG: k.nbs and the log are those of an uninterrupted run, except `rate`, which depends on wall time
whole() {
    nbsim -q --device cpu --dt 0.00101 --until 1.2 --every 0.02 --log one.txt in.nbs -f -o one.nbs
    cmp one.nbs k.nbs
    cut -f 1-5,7- one.txt >want
    cut -f 1-5,7- "$1" | diff want -
    [ "$(wc -l <"$1")" -eq 62 ]
    [ "$(echo ck.* "$1".*)" = "ck.* $1.*" ]
}

@test "after kill -9 the log is cut back to the checkpoint and continued, named again or not" {
    end_by KILL --log l.txt
    echo "a line after the checkpoint" >>l.txt.part
    cp l.txt.part save.log
    cp k.nbs.part save.part
    cp ck.0 save.0
    cp ck.1 save.1
    nbsim -q --resume ck
    whole l.txt
    rm l.txt k.nbs
    for k in 0 1; do cp save.$k ck.$k; done
    cp save.part k.nbs.part
    cp save.log l.txt.part
    nbsim -q --resume ck --log ./l.txt
    whole l.txt
}

@test "after a signal the log waits for --resume as FILE.part does; a second cut is no different" {
    end_by TERM --log l.txt
    [ ! -e l.txt ]
    nbsim -q --resume ck --checkpoint-every 0 &
    pid=$!
    await $pid test -s l.txt.part && { kill -KILL $pid || true; }
    wait $pid || nbsim -q --resume ck
    whole l.txt
}

@test "a log that is missing, short or changed is refused in one line, and stays; --log OTHER begins another" {
    end_by TERM --log l.txt
    cp l.txt.part save.log
    cp k.nbs.part save.part
    refuse() {
        run -1 --separate-stderr nbsim -q --resume ck
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == "nbsim: "*"/l.txt.part: $1"*" (--log OTHER begins a log with the lines that follow)" ]]
        cmp save.part k.nbs.part
    }
    rm l.txt.part
    refuse "does not exist, "
    head -c 60 save.log >l.txt.part # the heading and some of the first line, whenever the run was cut
    refuse "has only 60 of the $(wc -c <save.log) bytes "
    [ "$(wc -c <l.txt.part)" -eq 60 ]
    sed '2s/0/1/' save.log >l.txt.part
    refuse "its first lines differ from the log at the checkpoint"
    cp save.log l.txt.part
    echo mine >l.txt
    run -1 --separate-stderr nbsim -q --resume ck
    [[ "$stderr" == "nbsim: "*"/l.txt: exists already (-f replaces it)" ]]
    run -1 --separate-stderr nbsim -q --resume ck --log l.txt.part
    [[ "$stderr" == "nbsim: "*"/l.txt.part: contains lines written before the checkpoint, "* ]]
    cmp save.log l.txt.part
    nbsim -q --resume ck --log rest.txt
    cmp save.log l.txt.part
    mv save.log both.txt && tail -n +2 rest.txt >>both.txt
    rm l.txt l.txt.part
    whole both.txt
}

@test "with -o OTHER the log continues; in a folder with another name it is found" {
    end_by KILL --log l.txt
    cp k.nbs.part save.part
    nbsim -q --resume ck -o rest.nbs
    cmp save.part k.nbs.part
    mv k.nbs.part k.nbs
    nbsim -q --device cpu --dt 0.00101 --until 1.2 --every 0.02 in.nbs -f -o k.nbs
    whole l.txt
    end_by KILL --log l.txt
    mkdir moved
    mv k.nbs.part l.txt.part ck.* in.nbs moved
    cd moved
    nbsim -q --resume ck
    whole l.txt
    [ ! -e ../l.txt.part ]
}

@test "a run cut after its stream and before its log has its name: --resume gives it" {
    end_by KILL --log l.txt
    cp ck.0 save.0
    cp ck.1 save.1
    nbsim -q --resume ck
    for k in 0 1; do cp save.$k ck.$k; done
    mv l.txt l.txt.part
    nbsim -q --resume ck
    whole l.txt
}

@test "a log on stdout or in a named pipe gets the lines that follow" {
    end_by TERM --log -
    nbsim -q --resume ck >rest
    [ "$(head -n 1 rest)" = "$(head -n 1 printed)" ]
    { cat printed && tail -n +2 rest; } >both.txt
    whole both.txt
    mkfifo pipe
    end_by TERM --log pipe
    wait
    cat pipe >rest &
    nbsim -q --resume ck
    wait
    { cat got && tail -n +2 rest; } >both.txt
    whole both.txt
    rm pipe
    end_by KILL
    nbsim -q --resume ck --log - >rest # the stream goes to k.nbs
    [ "$(wc -l <rest)" -gt 1 ]
}

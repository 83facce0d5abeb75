#!/usr/bin/env bats
# Checkpoints: a killed run resumes with the result of an uninterrupted run, and invalid checkpoints are rejected.
bats_require_minimum_version 1.5.0
load ../common/common

# cut SIGNAL FILE OPTION...: leaves in.nbs, ck.0, ck.1 and two.nbs.part
cut() {
    local signal=$1 file=$2
    shift 2
    cut_off "$signal" "$file" two.nbs nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 --checkpoint ck --checkpoint-every 0 "$@"
}

# goes_on OPTION...: kills a run, resumes it, and compares the stream with that of an uninterrupted run
goes_on() {
    cut KILL ck.0 "$@"
    nbsim -q --resume ck
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 "$@" in.nbs -f -o one.nbs
    cmp one.nbs two.nbs
    [ "$(echo ck.* two.nbs.*)" = "ck.* two.nbs.*" ]
}

@test "a killed run goes on bit for bit: splitting, explicit, implicit, multistep, Hermite" {
    goes_on
    goes_on --integrator rk4
    goes_on --integrator gauss6
    goes_on --integrator abm5
    goes_on --integrator hermite4
    goes_on --integrator hermite6
}

@test "adaptive steps go on, with their size and their counts" {
    goes_on --integrator rkdp54 --tolerance 1e-7
    goes_on --integrator bulirsch-stoer --tolerance 1e-9
    goes_on --integrator hermite4 --tolerance 1e-7
    goes_on --integrator hermite6 --tolerance 1e-7
}

@test "single precision, f32 columns, further columns, a tree that keeps its order, drag" {
    goes_on --precision single
    goes_on --store f32 --write acc,phi --integrator ab4
    goes_on --force tree --rebuild 7 --precision mixed
    goes_on --force auto --force external:drag,rate=0.5
}

@test "killed at random moments, again and again: every integrator, any precision, columns and forces" {
    run -0 "$root/tests/faults/kills_resume.py" --kills 35 "$NB_BUILD"
    [[ "$output" == *"over $(nbsim --list-integrators | grep -vc '^#') integrators"*"unnoticed 0, crashed 0, lost 0" ]]
}

@test "a signal makes a checkpoint, and a second run of it a third" {
    cut TERM two.nbs.part --checkpoint-every 1h --integrator ab3
    [ -s ck.1 ]
    [ ! -e ck.0 ]
    nbsim -q --resume ck --checkpoint-every 0 &
    pid=$!
    await $pid test -s ck.0 && { kill -INT $pid || true; } # it may have ended meanwhile
    wait $pid || nbsim --resume ck
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 --integrator ab3 in.nbs -f -o one.nbs
    cmp one.nbs two.nbs
}

@test "a second signal ends a run at once, and it goes on from its checkpoint all the same" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    nbgen plummer -n 300 --seed 5 -o in.nbs
    # Stands still behind its second checkpoint, in its first interval, until both signals are there.
    FAULT_LOG=$PWD/hit FAULT_CALL=ftruncate FAULT_AT=2 FAULT_ERROR=stop LD_PRELOAD=$NB_BUILD/tests/faults/fail.so \
        nbsim -q --device cpu --dt 0.01 --until 40 --every 20 --checkpoint ck --checkpoint-every 0 --log l.txt in.nbs -o two.nbs 3>&- &
    pid=$!
    await $pid test -s hit
    await $pid grep -q '^State:.*stopped' /proc/$pid/status
    kill -HUP $pid && kill -TERM $pid && kill -CONT $pid
    status=0
    wait $pid || status=$?
    [ $status = 129 ] || [ $status = 143 ]
    nbsim -q --resume ck
    nbsim -q --device cpu --dt 0.01 --until 40 --every 20 in.nbs -o one.nbs
    cmp one.nbs two.nbs
    [ "$(wc -l <l.txt)" -eq 4 ]
}

@test "a full disk ends a run, and with more room it goes on" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer itself needs files larger than the limit"
    for bodies in 300 1000 3000 10000; do # until one has a checkpoint by then
        rm -f ck.* two.nbs*
        nbgen plummer -n $bodies --seed 5 -f -o in.nbs
        # Room for six frames, and for the checkpoints.
        run -1 --separate-stderr bash -c "ulimit -f $((6 * $(stat -c %s in.nbs) / 1024));
            nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.05 --checkpoint ck --checkpoint-every 0 in.nbs -o two.nbs"
        [[ "${stderr_lines[0]}" == "nbsim: two.nbs: cannot be written: File too large" ]]
        [ ! -s ck.0 ] || break
    done
    nbsim -q --resume ck
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.05 in.nbs -o one.nbs
    cmp one.nbs two.nbs
}

@test "a run with checkpoints gives the bytes of one without" {
    nbgen plummer -n 200 -o in.nbs
    nbsim -q --device cpu --until 0.3 --every 0.1 in.nbs -o one.nbs
    nbsim -q --device cpu --until 0.3 --every 0.1 in.nbs --checkpoint ck --checkpoint-every 0 -o two.nbs
    cmp one.nbs two.nbs
    [ "$(echo ck.*)" = "ck.*" ]
    run -1 --separate-stderr nbsim --resume ck
    [ "$stderr" = "nbsim: ck.0: no such checkpoint (a checkpoint is removed when its run is complete)" ]
}

@test "a stream that went to a pipe is followed by one of its own, from the frame after the checkpoint on" {
    mkfifo pipe
    for bodies in 200 1000 5000; do # until one is not faster than the signal
        nbgen plummer -n $bodies -f -o in.nbs
        cat pipe >a.nbs &
        nbsim -q --device cpu --dt 0.01 --until 1 --every 0.1 --checkpoint ck --checkpoint-every 0 in.nbs >pipe &
        pid=$!
        await $pid test -s ck.0 && kill -TERM $pid
        wait
        [ ! -e ck.0 ] || break
    done
    nbsim -q --device cpu --dt 0.01 --until 1 --every 0.1 in.nbs -o one.nbs
    nbstat --check a.nbs
    nbsim -q --resume ck >b.nbs
    nbstat --info one.nbs | awk '$1 == "frame" { print $4 }' >want
    nbstat --info a.nbs b.nbs | awk '$1 == "frame" { print $4 }' | cmp - want
    nbconv --to text b.nbs >b
    nbconv --to text one.nbs | cmp - b
}

@test "the newer checkpoint is damaged: the older one serves, and both are named if neither does" {
    cut TERM ck.0 # which leaves both whole
    newer=ck.0 older=ck.1
    [ "$(od -An -tu8 -j32 -N8 ck.0)" -gt "$(od -An -tu8 -j32 -N8 ck.1)" ] || newer=ck.1 older=ck.0
    cp ck.0 save.0 && cp ck.1 save.1 && cp two.nbs.part save.part
    truncate -s -100 $newer
    run -0 --separate-stderr nbsim --resume ck
    [[ "$stderr" == *"nbsim: warning: $newer: truncated; resuming from $older"* ]]
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 in.nbs -o one.nbs
    cmp one.nbs two.nbs
    rm two.nbs
    for k in 0 1; do
        cp save.$k ck.$k
        printf '\xff' | dd of=ck.$k bs=1 seek=2000 conv=notrunc status=none
    done
    cp save.part two.nbs.part
    run -1 --separate-stderr nbsim --resume ck
    [ "$stderr" = "nbsim: ck.0: damaged; ck.1: damaged" ]
    cmp save.part two.nbs.part
    for text in 'nbsim checkpoint 9' 'nbs 1 frame'; do
        for k in 0 1; do
            cp save.$k ck.$k
            printf '%s\n' "$text" | dd of=ck.$k bs=1 conv=notrunc status=none
        done
        run -1 --separate-stderr nbsim --resume ck
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == *"version 9"* || "$stderr" == *"not a checkpoint"* ]]
    done
}

@test "checkpoints that say anything under a right checksum crash nothing" {
    run -0 "$root/tests/faults/hostile_checkpoints.py" --count 25 "$NB_BUILD"
    [[ "$output" == "hostile checkpoints: refused "*", crashed 0, hung 0, badly said 0" ]]
}

@test "a zero byte in the name of the integrator is refused" {
    cut KILL ck.0 --integrator hermite4
    PYTHONPATH="$root/tests/faults" python - ck.0 ck.1 <<'P'
import pathlib, sys
from hostile_checkpoints import seal
for path in map(pathlib.Path, sys.argv[1:]):
    data = path.read_bytes()
    assert b"hermite4" in data
    path.write_bytes(seal(data.replace(b"hermite4", b"hermi\0e4", 1)))
P
    run -1 --separate-stderr nbsim -q --resume ck
    [ "$stderr" = "nbsim: ck: contains a text with a zero byte" ]
}

@test "a resumed run reports its own steps, and writes checkpoints as often as before" {
    cut KILL ck.0
    nbsim --resume ck 2>said
    before=$(sed -n 's/^nbsim: resuming .*, step \([0-9]*\), t between.*/\1/p' said)
    own=$(sed -n 's/^nbsim: \([0-9]*\) steps\{0,1\}, [0-9]* force.*/\1/p' said)
    [ $((before + own)) = 60 ]
    cut KILL ck.0 --until 1e6 --every 1e5
    touch mark
    nbsim -q --resume ck &
    pid=$!
    NB_PATIENCE=30 await $pid test ck.0 -nt mark
    kill -KILL $pid
    wait $pid || [ $? -eq 137 ]
}

@test "a FILE.part that is not the run's, or is gone, is left alone" {
    cut TERM ck.0
    cp two.nbs.part save
    dd if=/dev/urandom of=two.nbs.part bs=1 count=8 conv=notrunc status=none
    run -1 --separate-stderr nbsim --resume ck
    [[ "$stderr" == *"two.nbs.part: frame 0 is not the frame that was written before the checkpoint" ]]
    truncate -s 1000 two.nbs.part
    run -1 --separate-stderr nbsim --resume ck
    [[ "$stderr" == *"two.nbs.part: does not contain the "*" bytes that were written before the checkpoint, so it is not the output of this run, or was shortened since" ]]
    rm two.nbs.part
    run -1 --separate-stderr nbsim --resume ck
    [[ "$stderr" == *"two.nbs.part: does not exist"* ]]
    nbsim -q --resume ck -o rest.nbs
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 in.nbs -o one.nbs
    nbconv --to text rest.nbs >rest
    nbconv --to text one.nbs | cmp - rest
}

@test "a run that was killed after its end is said to be whole" {
    cut TERM ck.0
    cp ck.0 save.0 && cp ck.1 save.1
    nbsim -q --resume ck
    cp two.nbs whole && cp save.0 ck.0 && cp save.1 ck.1
    run -0 --separate-stderr nbsim --resume ck
    [[ "$stderr" == *"two.nbs: is complete already, the run had reached its end" ]]
    cmp two.nbs whole
    [ ! -e ck.0 ]
    [ ! -e ck.1 ]
}

@test "another build of nbsim is named, and goes on" {
    cut TERM ck.0
    mkdir other
    { cat "$NB_BUILD/bin/nbsim" && echo; } >other/nbsim
    chmod +x other/nbsim
    run -0 --separate-stderr other/nbsim -q --resume ck
    [[ "$stderr" == "nbsim: warning: the checkpoint was made with nbsim "*", build "*", this is "*": the last digits may differ"* ]]
    nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.07 in.nbs -o one.nbs
    cmp one.nbs two.nbs # there is no difference but in the file
}

@test "what does not go with checkpoints is refused" {
    cut TERM ck.0
    run -1 --separate-stderr nbsim --until 1 --checkpoint ck in.nbs -o three.nbs
    [ "$stderr" = "nbsim: ck.0: exists already (--resume ck continues from it, -f replaces it)" ]
    run -2 --separate-stderr nbsim --resume ck --until 7
    [[ "${stderr_lines[0]}" == *"--resume and --until: give only one of them" ]]
    run -2 --separate-stderr nbsim --resume ck in.nbs
    [[ "${stderr_lines[0]}" == *"in.nbs" ]]
    run -2 --separate-stderr nbsim --resume ck --frame 3
    run -2 --separate-stderr nbsim --until 1 --checkpoint-every 5m in.nbs
    run -2 --separate-stderr nbsim --until 1 --checkpoint c --checkpoint-every 5x in.nbs
    exec 9<ck.1
    flock 9
    run -1 --separate-stderr nbsim --resume ck
    [ "$stderr" = "nbsim: ck.1: another run is using it" ]
    exec 9<&-
    run -1 --separate-stderr nbsim --until 1 --checkpoint /nonexistent/ck in.nbs
    [[ "$stderr" == "nbsim: /nonexistent/ck.0: cannot be written: No such file or directory" ]]
    nbsim -q --resume ck
}

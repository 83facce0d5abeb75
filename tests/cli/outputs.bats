#!/usr/bin/env bats
# Output files, with the same rules in every tool: no file is lost, and an incomplete file never looks complete.
bats_require_minimum_version 1.5.0
load ../common/common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    nbgen plummer -n 50 --seed 1 | nbsim -q --device cpu --until 0.2 --every 0.1 -o a.nbs
    nbconv --to text a.nbs >a.txt
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR"/a.* .
    mkfifo fifo
}

# A tool that has opened its output and waits for its input, as process $writer; `feed` gives it that.
begin_writer() { # begin_writer OPTIONS...
    nbconv --frame all --to text "$@" -o out.txt fifo 2>writer.err &
    writer=$!
    await $writer test -e out.txt.part
}

feed() { # how it ended is in $ended
    cat a.nbs >fifo
    ended=0
    wait $writer || ended=$?
}

@test "closed descriptors 0, 1, 2: the output is whole or the exit is not 0" {
    nbsim -v --device cpu --until 0.3 --every 0.1 -o o.nbs a.nbs 2>&-
    nbstat -q --check o.nbs
    nbsim -v --device cpu --until 0.3 --every 0.1 -o p.nbs a.nbs 0<&- 1>&- 2>&-
    cmp o.nbs p.nbs
    nbgen kepler -o k.nbs 0<&- 1>&- 2>&-
    nbrender -v -o a.mp4 --size 64x36 a.nbs 0<&- 1>&- 2>&-
    nbrender -v -o a.png --size 64x36 a.nbs 2>&-
    nbstat -v -o a.tsv a.nbs 0<&- 1>&- 2>&-
    nbstat a.nbs | cmp - a.tsv
    nbconv --to text -o b.txt a.nbs 0<&- 1>&- 2>&-
    cmp a.txt b.txt
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 a.mp4 | grep -x 3
    for command in "nbgen kepler" "nbsim --until 0.3 a.nbs" "nbstat a.nbs" "nbconv --to text a.nbs" "nbrender -o - a.nbs"; do
        run -1 --separate-stderr bash -c "$command 0<&- 1>&-"
        [[ "$stderr" == *"stdout: cannot be written: Bad file descriptor" ]]
    done
    for command in "nbsim --until 0.3" nbstat "nbconv --to text" "nbrender -o x.png"; do
        run -1 --separate-stderr bash -c "$command 0<&-"
        [[ "$stderr" == *"stdin: cannot be read: Bad file descriptor" ]] || { echo "$command: $stderr" >&2; return 1; }
    done
}

@test "a second writer of one output is told so, with and without -f, and the first one's is whole" {
    begin_writer
    for f in "" -f; do
        run -1 --separate-stderr nbconv $f --to text -o out.txt a.nbs
        [ "$stderr" = "nbconv: out.txt.part: another program is writing it (wait until that program ends, or choose another file)" ]
    done
    feed
    [ $ended = 0 ]
    nbconv --frame all --to text a.nbs | cmp - out.txt
    [ ! -e out.txt.part ]
}

@test "two films at once with -f: one is made, the other refused" {
    nbrender -qf --size 64x36 -o x.mp4 fifo &
    first=$!
    await $first test -e x.mp4.part
    run -1 --separate-stderr nbrender -qf --size 64x36 -o x.mp4 a.nbs
    [ "$stderr" = "nbrender: x.mp4.part: another program is writing it (wait until that program ends, or choose another file)" ]
    cat a.nbs >fifo
    wait $first
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 x.mp4 | grep -x 3
}

@test "a FILE.part that was left: refused without -f, replaced with it" {
    echo old >out.txt.part
    run -1 --separate-stderr nbconv --to text -o out.txt a.nbs
    [ "$stderr" = "nbconv: out.txt.part: exists already, left by a failed run (-f replaces it)" ]
    nbconv -f --to text -o out.txt a.nbs
    cmp out.txt a.txt
    ln -s a.nbs out.txt.part
    nbconv -f --to text -o out.txt a.nbs
    nbstat -q --check a.nbs # what the link led to is as it was
}

@test "FILE.part that someone else has replaced during the run does not get the name" {
    begin_writer
    mv out.txt.part mine
    echo other >out.txt.part
    feed
    [ $ended = 1 ]
    grep -q "nbconv: out.txt.part: another program replaced the file during the run" writer.err
    [ ! -e out.txt ]
}

@test "without -f a file that appears during the run stays, and FILE.part too" {
    begin_writer
    echo precious >out.txt
    feed
    [ $ended = 1 ]
    [ "$(cat writer.err)" = "nbconv: out.txt: another program created this file during the run; the result is in out.txt.part" ]
    [ "$(cat out.txt)" = precious ]
    nbconv --frame all --to text a.nbs | cmp - out.txt.part
}

@test "-f keeps the mode of what it replaces, and FILE.part is never more open" {
    echo old >out.txt
    chmod 600 out.txt
    (umask 0; begin_writer -f; stat -c %a out.txt.part >mode; feed)
    [ "$(cat mode)" = 600 ]
    [ "$(stat -c %a out.txt)" = 600 ]
    chmod 640 out.txt
    (umask 077; nbconv -f --to text -o out.txt a.nbs)
    [ "$(stat -c %a out.txt)" = 640 ]
    (umask 027; nbconv --to text -o new.txt a.nbs)
    [ "$(stat -c %a new.txt)" = 640 ]
}

@test "links are followed, also through folders and to where nothing is yet" {
    mkdir folder
    ln -s folder/real.txt link.txt
    ln -s link.txt link2.txt
    nbconv --to text -o link2.txt a.nbs
    cmp folder/real.txt a.txt
    echo old >folder/real.txt
    nbconv -f --to text -o link2.txt a.nbs
    cmp folder/real.txt a.txt
    [ -L link2.txt ]
    [ -L link.txt ]
    ln -s loop loop
    run -1 --separate-stderr nbconv --to text -o loop a.nbs
    [ -L loop ]
}

@test "FILE.part as input with -o FILE is refused, whatever its name; one's own whole input may be replaced" {
    cp a.nbs h.nbs.part
    ln h.nbs.part other.nbs
    for input in h.nbs.part ./h.nbs.part other.nbs "- <h.nbs.part"; do
        run -1 --separate-stderr bash -c "nbsim -qf --salvage --device cpu --until 0.3 -o h.nbs $input"
        [ "$stderr" = "nbsim: h.nbs.part: is the input, and -o h.nbs would replace it (choose another -o)" ]
        run -1 --separate-stderr bash -c "nbrender -qf --size 64x36 -o h.nbs.mp4 $input; nbstat -f -o h.nbs $input"
    done
    cmp h.nbs.part a.nbs
    cp a.nbs h.nbs
    rm h.nbs.part
    nbsim -qf --device cpu --until 0.3 --every 0.1 -o h.nbs h.nbs
    nbsim -q --device cpu --until 0.3 --every 0.1 a.nbs | cmp - h.nbs
}

@test "no FILE.part after a signal that comes while the tool waits; the tool ends by it at once" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer delivers no signal while open(2) waits for a FIFO"
    for signal in INT TERM HUP; do
        for command in "nbconv --to text" nbstat "nbconv --from text"; do
            # Background jobs of a script ignore SIGINT; python's do not.
            python - $signal $command -o out.x fifo <<'P'
import os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen(sys.argv[2:])
while not os.path.exists("out.x.part"):
    assert p.poll() is None
    time.sleep(0.01)
p.send_signal(number)
assert p.wait() == -number, p.returncode
assert not os.path.exists("out.x.part") and not os.path.exists("out.x")
P
        done
    done
}

@test "a second signal ends nbsim and nbrender wherever they wait" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer delivers no signal while open(2) waits for a FIFO"
    python - <<'P'
import os, signal, subprocess, time
def wait_for(p, name):
    while not os.path.exists(name):
        assert p.poll() is None
        time.sleep(0.01)
def end(p, *numbers):
    for number in numbers:
        assert p.poll() is None
        p.send_signal(number)
        time.sleep(0.1)     # two at once are one
    assert p.wait() == -numbers[-1], p.returncode
keep = os.open("fifo", os.O_RDWR)       # a silent pipe
p = subprocess.Popen(["nbrender", "-q", "--size", "64x36", "-o", "x.mp4", "fifo"])
wait_for(p, "x.mp4.part")
end(p, signal.SIGTERM, signal.SIGINT)
assert not os.path.exists("x.mp4.part")
bodies = subprocess.run(["nbgen", "plummer", "-n", "2000"], stdout=subprocess.PIPE).stdout
p = subprocess.Popen(["nbsim", "-q", "--device", "cpu", "--steps", "100", "--every", "0.0001", "--dt", "0.0001"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(bodies)
p.stdin.close()
p.stdout.read(1)                        # and then nothing: it fills the pipe and waits
time.sleep(0.5)
end(p, signal.SIGTERM, signal.SIGTERM)
P
}

@test "SIGHUP ends like SIGTERM; under nohup it is ignored" {
    python - <<'P'
import os, signal, subprocess, time
def start(name, ignore):
    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignore else signal.SIG_DFL)
    p = subprocess.Popen(["nbsim", "-q", "--device", "cpu", "--until", "1e6", "--every", "1000", "--dt", "0.001",
                          "-o", name, "a.nbs"], preexec_fn=prepare)
    while not (os.path.exists(name + ".part") and os.path.getsize(name + ".part")):
        assert p.poll() is None
        time.sleep(0.01)
    p.send_signal(signal.SIGHUP)
    return p
p = start("x.nbs", False)
assert p.wait() == 128 + signal.SIGHUP
p = start("y.nbs", True)
time.sleep(0.3)
assert p.poll() is None
p.send_signal(signal.SIGTERM)
assert p.wait() == 128 + signal.SIGTERM
P
    nbstat -q --check x.nbs y.nbs
}

@test "a file over the size limit: one line, exit 1" {
    [ "$NB_SANITIZER" != thread ] || skip "the thread sanitizer itself needs files larger than the limit"
    run -1 --separate-stderr bash -c "ulimit -f 4; nbgen plummer -n 10k -o big.nbs"
    [ "$stderr" = "nbgen: big.nbs: cannot be written: File too large" ]
    [ ! -e big.nbs ]
    [ ! -e big.nbs.part ]
}

@test "names with control characters cannot forge a line" {
    name=$(printf 'x\nnbs: ok, 1 frame\033[2K')
    cp a.nbs "$name"
    run -0 nbstat --check "$name"
    [ "${#lines[@]}" = 1 ]
    [ "$output" = 'x\nnbs: ok, 3 frames, 50 bodies' ] || [ "$output" = 'x\nnbs: ok, 1 frame\x1b[2K: ok, 3 frames, 50 bodies' ]
    run -0 nbstat --info "$name"
    [ "${lines[0]}" = 'x\nnbs: ok, 1 frame\x1b[2K' ]
    run -1 nbstat --check "$name-not"
    [ "$output" = 'nbstat: x\nnbs: ok, 1 frame\x1b[2K-not: cannot be opened: No such file or directory' ]
    run -2 nbsim --until 1 "--$name"
    [ "${#lines[@]}" = 2 ]
}

@test "--no-sync gives the same bytes" {
    nbsim -q --device cpu --no-sync --until 0.3 --every 0.1 -o x.nbs a.nbs
    nbsim -q --device cpu --until 0.3 --every 0.1 -o y.nbs a.nbs
    cmp x.nbs y.nbs
}

@test "symbolic links in a loop are refused before any work, with -f too" {
    for name in loop loop.png loop.mp4; do
        ln -s $name other.$name
        ln -s other.$name $name
    done
    for command in "nbgen kepler -o loop" "nbsim --until 0.3 a.nbs -o loop" "nbsim --until 0.3 a.nbs -o o.nbs --log loop" \
        "nbstat a.nbs -o loop" "nbedit a.nbs -o loop" "nbconv --to text a.nbs -o loop" "nbconv --to tipsy a.nbs -o loop" \
        "nbconv --to gadget a.nbs -o loop" "nbrender -q --size 64x36 a.nbs -o loop.png" "nbrender -q --size 64x36 a.nbs -o loop.mp4"; do
        for f in "" -f; do
            run -1 --separate-stderr $command $f
            [[ "$stderr" == "${command%% *}: loop"*": cannot be written: Too many levels of symbolic links" ]] ||
                { echo "$command: $stderr" >&2; return 1; }
        done
    done
    run ! ls ./*.part o.nbs
    [ -L loop ]
}

@test "who looks at an output as it is made, to see whether anyone has it, does not keep it from being written" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    FAULT_LOG=$PWD/log FAULT_CALL=flock FAULT_AT=1 FAULT_ERROR=11 LD_PRELOAD=$NB_BUILD/tests/faults/fail.so \
        run -0 --separate-stderr nbgen plummer -n 20 -q -o p.nbs
    grep -q hit log
    [ -s p.nbs ]
    [ -z "$stderr" ]
}

@test "a picture that the disk does not take in the end is an error that names it" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    nbgen plummer -n 20 -q -o p.nbs
    FAULT_LOG=$PWD/log FAULT_CALL=fsync FAULT_AT=1 FAULT_ERROR=5 LD_PRELOAD=$NB_BUILD/tests/faults/fail.so \
        run -1 --separate-stderr nbrender -q --size 32x32 -o 'x%d.png' p.nbs
    [ "$stderr" = "nbrender: x0.png: cannot be written: Input/output error" ]
    [ ! -e x0.png ]
}

@test "a signal that comes while an output gets its name ends the tool when it has it" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    FAULT_LOG=$PWD/hit FAULT_CALL=rename FAULT_AT=1 FAULT_ERROR=stop LD_PRELOAD=$NB_BUILD/tests/faults/fail.so \
        nbgen plummer -n 20 -q -f -o named.nbs &
    pid=$! status=0
    await $pid grep -q '^State:.T' /proc/$pid/status
    kill -TERM $pid
    kill -CONT $pid
    wait $pid || status=$?
    [ $status = 143 ]
    [ ! -e named.nbs.part ]
    nbstat --check named.nbs
}

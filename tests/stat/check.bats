#!/usr/bin/env bats
# nbstat --info and --check, damage and bad input.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    make_walk
}

make_streams() {
    cp "$BATS_FILE_TMPDIR"/*.nbs .
}

@test "--info names the components and how many bodies each has, again where that changes; from files and pipes" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
n = 5000
place = np.zeros((n, 3), np.float32)
kind = np.full(n, 2, "u1")
kind[::10] = 5
kind[7] = 200 # a number without a name
moved = kind.copy()
moved[:3] = 1
write("c.nbs", *(frame(np.ones(n, np.float32), place, place, time=t, component=k) for t, k in ((0.0, kind), (1.0, kind), (2.0, moved))))
P
    nbstat --info c.nbs | grep -E "^  (component|frame|from)" > info
    diff info - <<'END'
  component disk 4499
  component hole 500
  component 200 1
  frame 0 time 0 step 0 n 5000
  frame 1 time 1 step 0 n 5000
  from frame 2 on
  component halo 3
  component disk 4497
  component hole 499
  component 200 1
  frame 2 time 2 step 0 n 5000
END
    cat c.nbs | nbstat --info - | grep -E "^  (component|frame|from)" | diff info -
}

@test "--info lists frames, columns, units and provenance, and says what changes" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
two = [np.ones(2), np.zeros((2, 3)), np.zeros((2, 3))]
units = {"units": "galactic", "length_cgs": 3.0856775814913673e21, "mass_cgs": 2e43, "time_cgs": 3.1e16}
head = dict(G=43009.17, softening=0.1, dt=0.25, history="1 - mymodel 7 42 mymodel --spiral", mood="calm", **units)
write("i.nbs", frame(*two, step=5, **head), frame(*two, time=0.3, step=9, **head), frame(*two, time=0.7, **head, age=np.ones(2, "u4")))
P
    nbstat --info i.nbs > info
    for line in 'i.nbs' '  G 43009.17' '  softening 0.1' '  dt 0.25' '  column pos f64 3 -' '  column age u32 1 -' '  from frame 2 on' \
        '  units galactic length_cgs 3.0856775814913673e+21 mass_cgs 2e+43 time_cgs 3.1e+16' \
        '  history 1 - mymodel 7 42 mymodel --spiral' '  other mood calm' '  frame 0 time 0 step 5 n 2' \
        '  frame 1 time 0.3 step 9 n 2' '  frame 2 time 0.7 step 0 n 2'; do
        grep -qxF -- "$line" info || { echo "missing: $line"; cat info; false; }
    done
    [ "$(grep -c 'history' info)" -eq 2 ] # told again only for frame 2
    cat i.nbs | nbstat --info - | diff - <(sed 1s/.*/stdin/ info)
    head -c 2000 i.nbs > cut.nbs
    run -1 --separate-stderr nbstat --info cut.nbs i.nbs
    [[ "$output" == *"frame 0"*"i.nbs"*"frame 2 time 0.7"* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "nbstat: cut.nbs: "* ]]
}

@test "--check says ok, names each bad file, and goes on" {
    make_streams
    head -c 3000 walk.nbs > cut.nbs
    echo hello > text.nbs
    [ "$(nbstat --check at.nbs walk.nbs)" = "at.nbs: ok, 1 frame, 100 bodies
walk.nbs: ok, 4 frames, 100 bodies" ]
    [ "$(cat walk.nbs | nbstat --check)" = "stdin: ok, 4 frames, 100 bodies" ]
    [ -z "$(nbstat -q --check at.nbs)" ]
    run -1 --separate-stderr nbstat --check at.nbs cut.nbs missing.nbs text.nbs walk.nbs
    [ "${#lines[@]}" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 3 ]
    [[ "${stderr_lines[0]}" == "nbstat: cut.nbs: "* ]]
    [[ "${stderr_lines[1]}" == "nbstat: missing.nbs: "* ]]
    [[ "${stderr_lines[2]}" == "nbstat: text.nbs: "* ]]
    run -1 --separate-stderr nbstat -q --check - < cut.nbs
    [[ "$stderr" == "nbstat: stdin: "* ]]
    [ -z "$output" ]
}

@test "--check notices a flipped bit and a cut anywhere, in a file and on a pipe" {
    make_few 1 2
    python - <<'P'
import subprocess
data = open("few.nbs", "rb").read()
def bad(bytes, what):
    open("bad.nbs", "wb").write(bytes)
    for arguments, given in ((["bad.nbs"], b""), ([], bytes)):
        done = subprocess.run(["nbstat", "--check", *arguments], input=given, capture_output=True)
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and not done.stdout, (what, arguments, done)
for at in range(3, len(data), 31):
    bad(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:], ("flip", at))
for at in list(range(0, len(data), 37)) + [len(data) // 64 * 64 - 64 * k for k in range(1, 6)]:
    bad(data[:at], ("cut", at))
P
}

@test "a damaged file: the lines of the whole frames, then one error; no file that looks whole" {
    make_streams
    head -c -100 walk.nbs > cut.nbs
    run -1 --separate-stderr nbstat --json cut.nbs at.nbs
    [ "${#lines[@]}" -eq 5 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "nbstat: cut.nbs: "* ]]
    run -1 --separate-stderr nbstat --json cut.nbs -o out.json
    [ ! -e out.json ]
    [ "$(wc -l < out.json.part)" -eq 4 ]
    run -1 nbstat missing.nbs -o no.tsv
    [ ! -e no.tsv ]
    [ ! -e no.tsv.part ]
    run -0 --separate-stderr nbstat --salvage cut.nbs
    [ "${#lines[@]}" -eq 5 ]
    [[ "$stderr" == "nbstat: warning: "* ]]
}

@test "bodies that physics cannot use: exit 1, one line with file, frame and body" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
x, v = [[0, 0, 0], [1, 0, 0]], np.zeros((2, 3))
good = frame([1, 1], x, v)
write("none.nbs", good, frame(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))))
write("nan.nbs", good, frame([1, 1], [[0, 0, 0], [1, np.nan, 0]], v))
write("inf.nbs", good, frame([1, 1], x, [[0, 0, 0], [np.inf, 0, 0]]))
write("negative.nbs", good, frame([1, -1], x, v))
write("same.nbs", good, frame([1, 1], np.ones((2, 3)), v))
write("phi.nbs", good, frame([1, 1], x, v, phi=np.array([-1, np.inf])))
open("claims.nbs", "wb").write(frame([1, 1], x, v, n=10**18))
open("many.nbs", "wb").write(frame([1, 1], x, v, n=2**64 - 1))
P
    for file in none nan inf negative same phi; do
        run -1 --separate-stderr nbstat $file.nbs
        [ "${#lines[@]}" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ] || { echo "$file: $output $stderr"; false; }
        [[ "$stderr" == "nbstat: $file.nbs: frame 1: "* ]] || { echo "$stderr"; false; }
    done
    for file in claims many; do
        for mode in "" --info --check; do
            # shellcheck disable=SC2086
            run -1 --separate-stderr nbstat $mode - < <(cat $file.nbs)
            [ -z "$output" ]
            [ "${#stderr_lines[@]}" -eq 1 ]
        done
    done
    nbstat --potential none same.nbs > /dev/null # needs no distances
}

@test "bad inputs: exit 1 with one line" {
    mkdir directory
    : > empty.nbs
    echo hello > text.nbs
    for mode in "" --info --check; do
        for file in directory empty.nbs text.nbs missing.nbs; do
            # shellcheck disable=SC2086
            run -1 --separate-stderr nbstat $mode $file
            [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "nbstat: $file: "* ]] || { echo "$mode $file: $stderr"; false; }
        done
        # shellcheck disable=SC2086
        run -1 --separate-stderr nbstat $mode < /dev/null
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == "nbstat: stdin: "* ]]
    done
}

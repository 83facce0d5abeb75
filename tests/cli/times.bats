#!/usr/bin/env bats
# --times in all tools: selects frames by their times, from files, pipes and damaged streams.
bats_require_minimum_version 1.5.0
load ../common/common

# The streams of all tests: frames at the times that are their names, a tenth of a unit of time from each other by the header.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
for times in ("0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6 0.7 0.7999999999999999 0.9 1.0 2.5", "0 -0.1 -0.2 -0.3 0 -0.1",
              "0 0.1 0.2 0.3 0.4 0.5", "0 0.1 0.2 0.1", "0 0.1", "0 0.1 0.2 0.3"):
    write(times + ".nbs", *(frame(np.ones(3), np.arange(9.0).reshape(3, 3) + k, np.ones((3, 3)), time=float(t), every="0.1",
                                  id=np.arange(3, dtype="u8")) for k, t in enumerate(times.split())))
P
}

stream() { cp "$BATS_FILE_TMPDIR/$*.nbs" f.nbs; } # stream TIME...: the one with these times is f.nbs

numbers() { # numbers FILE...: of the frames, the x of the first body; a line for each file
    python -c 'import sys
from nbs_reader import read
for name in sys.argv[1:]:
    print(*(int(f["pos"][0, 0]) for f in read(open(name, "rb"))))' "$@"
}

@test "times, ranges and steps: of files, pipes and with --salvage, in the order of the input" {
    times=(0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6 0.7 0.7999999999999999 0.9 1.0 2.5)
    lists=(0.3 0 2.5 0.1:0.4 0.15:0.45 :0.2 0.8: : 0:1:0.2 0::0.5 0.1,0.9,0.3:0.5 0.3:0.3 0.25:0.35,1 0.9:1:0.1 2.5:2.5:1)
    stream "${times[@]}"
    for list in "${lists[@]}"; do
        nbedit -q --times "$list" f.nbs >"of-file$list.nbs"
        nbedit -q --times "$list" < <(cat f.nbs) >"of-pipe$list.nbs"
        nbedit -q --times "$list" --salvage f.nbs >"salvaged$list.nbs"
    done
    python - "${times[*]}" "${lists[@]}" <<'P'
import sys
from fractions import Fraction as F
from nbs_reader import read
def wanted(list, times): # which of the times are in it, by exact fractions
    taken = set()
    near = lambda t, T: abs(t - T) <= F(1, 10**9) * max(abs(T), F(1, 10))
    for word in list.split(","):
        a, *rest = word.split(":")
        for k, t in enumerate(times):
            if not rest:
                taken |= {k} if near(t, F(a)) else set()
            elif len(rest) == 1:
                low, high = (F(a) if a else min(times), F(rest[0]) if rest[0] else max(times))
                taken |= {k} if low <= t <= high or near(t, low) or near(t, high) else set()
            else:
                low, step, j = F(a), F(rest[1]), 0
                high = F(rest[0]) if rest[0] else max(times)
                while low + j * step <= high * (1 + F(1, 10**9)):
                    taken |= {k} if abs(t - low - j * step) <= F(1, 10**9) * max(abs(low + j * step), step, F(1, 10)) else set()
                    j += 1
    return sorted(taken)
times = [F(float(t)) for t in sys.argv[1].split()]
for list in sys.argv[2:]:
    want = wanted(list, times)
    for kind in "of-file", "of-pipe", "salvaged":
        got = [int(f["pos"][0, 0]) for f in read(open(f"{kind}{list}.nbs", "rb"))]
        assert got == want != [], (kind, list, got, want)
P
}

@test "backward runs and streams one after the other: whatever has the time" {
    stream 0 -0.1 -0.2 -0.3 0 -0.1
    nbedit -q --times -0.2:-0.1 f.nbs -o 1.nbs
    nbedit -q --times=-0.3:0:0.1 f.nbs -o 2.nbs
    nbedit -q --times 0 < <(cat f.nbs) >3.nbs
    cat f.nbs f.nbs >twice.nbs
    nbedit -q --times -0.3 twice.nbs -o 4.nbs
    [ "$(numbers 1.nbs 2.nbs 3.nbs 4.nbs)" = $'1 2 5\n0 1 2 3 4 5\n0 4\n3 3' ]
}

@test "the same frames in every tool" {
    stream 0 0.1 0.2 0.3 0.4 0.5
    nbconv --to text --frame 1,3,4 f.nbs >want
    nbconv --to text --times 0.1,0.3:0.4 f.nbs | cmp - want
    nbconv --to text --times 0.1,0.3:0.4 < <(cat f.nbs) | cmp - want
    nbconv --to text --frame 2 f.nbs | cmp - <(nbconv --to text --times 0.2 f.nbs)
    nbconv --to text --frame 2 f.nbs | cmp - <(nbconv --to text --times 0.2 < <(cat f.nbs))
    nbstat --frame 1,3,4 --potential none f.nbs >want
    nbstat --times 0.1,0.3:0.4 --potential none f.nbs | cmp - want
    nbstat --times 0.1,0.3:0.4 --potential none < <(cat f.nbs) | sed 's/^stdin/f.nbs/' | cmp - want
    [ "$(nbstat --times 0.1 --potential none f.nbs f.nbs | tail -n 2 | cut -f 2 | paste -sd' ')" = "1 1" ]
    for input in f.nbs -; do
        nbsim -q --device cpu --steps 0 --times 0.3 $input <f.nbs | head -n 3 | grep -qx 'time 0.3'
        nbsim -q --device cpu --steps 0 --times 0.3 < <(cat f.nbs) | head -n 3 | grep -qx 'time 0.3'
    done
    mkdir frame times pipe
    nbrender -q --size 32x18 --extent 2 --frame 1,3,4 -o frame/%d.png f.nbs
    nbrender -q --size 32x18 --extent 2 --times 0.1,0.3:0.4 -o times/%d.png f.nbs
    nbrender -q --size 32x18 --extent 2 --times 0.1,0.3:0.4 -o pipe/%d.png < <(cat f.nbs)
    [ "$(ls frame | paste -sd' ')" = "1.png 3.png 4.png" ]
    for kind in times pipe; do
        [ "$(ls $kind)" = "$(ls frame)" ]
    done
    pairs=({frame,times}/1.png {frame,times}/3.png {frame,times}/4.png {frame,pipe}/1.png {frame,pipe}/3.png {frame,pipe}/4.png)
    mkdir frame2 pipe2
    nbgen plummer -n 300 -q | nbsim -q --device cpu --dt 0.01 --until 0.6 --every 0.1 -o p.nbs
    nbrender -q --size 64x36 --interpolate 2 --frame 2:4 -o frame2/%d.png < <(cat p.nbs)
    nbrender -q --size 64x36 --interpolate 2 --times 0.2:0.4 -o pipe2/%d.png < <(cat p.nbs)
    [ "$(ls frame2 | wc -l)$(ls pipe2 | wc -l)" = 55 ]
    for k in $(ls frame2); do pairs+=({frame2,pipe2}/$k); done
    nbrender -q --size 32x18 --extent 2 --frame 3 -o 3.png f.nbs
    nbrender -q --size 32x18 --extent 2 --times 0.3 -o 3t.png f.nbs
    nbrender -q --size 32x18 --extent 2 --times 0.3 -o 3p.png < <(cat f.nbs)
    same_picture "${pairs[@]}" 3.png 3t.png 3.png 3p.png
}

@test "a time that no frame has: one line, exit 1, with the nearest" {
    stream 0 0.1 0.2 0.3 0.4 0.5
    while IFS='|' read -r list message; do
        for tool in "nbconv --to text" nbstat nbedit "nbrender -q --size 32x18 -f -o x-%d.png"; do
            # shellcheck disable=SC2086 # words
            run -1 --separate-stderr $tool --times "$list" f.nbs
            [ "${stderr_lines[-1]}" = "${tool%% *}: f.nbs: --times: $message" ] || { echo "$tool $list: $stderr"; return 1; }
            # shellcheck disable=SC2086 # words
            run -1 --separate-stderr $tool --times "$list" < <(cat f.nbs)
            [[ "${stderr_lines[-1]}" == "${tool%% *}: stdin: --times: $message"* ]] || { echo "$tool $list: $stderr"; return 1; }
        done
    done <<'L'
0.25|no frame has the time 0.25: the nearest is frame 2, at 0.2
0.3000001|no frame has the time 0.3000001: the nearest is frame 3, at 0.3
7|no frame has the time 7: the nearest is frame 5, at 0.5
0:1:0.2|no frame has the time 0.6: the nearest is frame 5, at 0.5
0.3,0.21:0.28|no frame has a time from 0.21 to 0.28: the nearest is frame 2, at 0.2
0:0.5:0.25|no frame has the time 0.25: the nearest is frame 2, at 0.2
0.6:|no frame has a time from 0.6 to inf: the nearest is frame 5, at 0.5
L
    run -1 --separate-stderr nbsim -q --device cpu --steps 0 --times 0.25 f.nbs
    [ "$stderr" = "nbsim: f.nbs: --times: no frame has the time 0.25: the nearest is frame 2, at 0.2" ]
}

@test "one frame where one is wanted" {
    stream 0 0.1 0.2 0.1
    for list in 0:0.1 0,0.2 0::0.1; do
        run -2 --separate-stderr nbsim -q --device cpu --steps 0 --times $list f.nbs
        [ "${stderr_lines[0]}" = "nbsim: --times: expected one frame, T" ]
        run -2 --separate-stderr nbrender -q --size 32x18 -o x.png --times $list f.nbs
        [[ "${stderr_lines[0]}" == "nbrender: --times: one picture shows one frame"* ]]
    done
    run -1 --separate-stderr nbsim -q --device cpu --steps 0 --times 0.1 f.nbs
    [ "$stderr" = "nbsim: f.nbs: several frames have this time (--frame K selects one)" ]
    run -1 --separate-stderr nbsim -q --device cpu --steps 0 --times 0.1 < <(cat f.nbs)
    [ "$stderr" = "nbsim: stdin: several frames have this time (--frame K selects one)" ]
    run --separate-stderr nbrender -q --size 32x18 -o x.png --times 0.1 f.nbs
    [ "$status" = 2 ]
    run --separate-stderr nbrender -q --size 32x18 -o x.png --times 0.1 < <(cat f.nbs)
    [ "$status" = 1 ]
    [[ "$stderr" == *"several frames have this time"* ]]
}

@test "nbgen merge: of both inputs, or of each its own" {
    nbgen plummer -n 20 -q | nbsim -q --device cpu --dt 0.01 --until 0.2 --every 0.1 -o a.nbs
    merge() { nbgen merge -q --pericenter 1 --separation 5 "$@" a.nbs a.nbs | nbconv --to text --columns mass,pos,vel; }
    merge --times 0.1 | cmp - <(merge --frame 1)
    merge --times 0,0.2 | cmp - <(merge --frame 0,2)
    run ! cmp -s <(merge --times 0,0.2) <(merge)
    run -1 --separate-stderr nbgen merge -q --pericenter 1 --separation 5 --times 0.1,7 a.nbs a.nbs
    [ "$stderr" = "nbgen: a.nbs: --times: no frame has the time 7: the nearest is frame 2, at 0.2" ]
    run -2 --separate-stderr nbgen merge -q --pericenter 1 --separation 5 --times 0:1 a.nbs a.nbs
    [ "${stderr_lines[0]}" = "nbgen: --times: expected one frame, T" ]
    run -2 --separate-stderr nbgen merge -q --pericenter 1 --separation 5 --times 0 --frame 1 a.nbs a.nbs
    [ "${stderr_lines[0]}" = "nbgen: --times and --frame: give only one of them" ]
}

@test "no times: exit 2" {
    stream 0 0.1
    for list in x 1, ,1 1,,2 1:2:0 1:2:-1 1:2:3:4 1-2 "1 " 0x10 1e999 nan inf :2:1 ::1; do
        run -2 --separate-stderr nbedit --times "$list" f.nbs
        [[ "${stderr_lines[0]}" == "nbedit: --times $list: expected a list of times T and ranges A:B or A:B:STEP"* ]] || { echo "$list: $stderr"; return 1; }
    done
    run -2 --separate-stderr nbedit --times 3:2 f.nbs
    [ "${stderr_lines[0]}" = "nbedit: --times 3:2: 3:2 goes backwards" ]
    run -2 --separate-stderr nbedit --times 0:1:1e-9 f.nbs
    [ "${stderr_lines[0]}" = "nbedit: --times 0:1:1e-9: selects more than 1000000 times" ]
    for both in "--frame 1 --times 0" "--times 0 --frame 1"; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr nbstat $both f.nbs
        [ "${stderr_lines[0]}" = "nbstat: --times and --frame: give only one of them" ]
    done
}

@test "damage: a file is read at the frames that are wanted; --salvage gives those that are whole" {
    stream 0 0.1 0.2 0.3
    frame=$(grep -abo 'nbs 1 frame' f.nbs | sed -n '2s/:.*//p')
    { head -c $((2 * frame + 400)) f.nbs; printf x; tail -c +$((2 * frame + 402)) f.nbs; } >bad.nbs
    run ! cmp -s f.nbs bad.nbs
    nbedit -q --salvage --times 0.1,0.3 bad.nbs -o good.nbs 2>/dev/null
    [ "$(numbers good.nbs)" = "1 3" ]
    run -1 --separate-stderr nbedit --times 0.2 bad.nbs -o x.nbs
    [[ "$stderr" == "nbedit: bad.nbs: frame 2"* ]]
    run -1 --separate-stderr nbedit --salvage --times 0.2 bad.nbs -o x.nbs
    [[ "${stderr_lines[-1]}" == "nbedit: bad.nbs: --times: no frame has the time 0.2: the nearest is frame "[13]", at 0."[13] ]]
}

@test "a file of one frame" {
    nbgen plummer -q -n 20 -o one.nbs
    nbedit --times 0 --time 0 one.nbs >same.nbs
    nbconv --to text --frame 0 one.nbs | cmp - <(nbconv --to text --times 0 one.nbs)
    nbstat --times 0 one.nbs | cmp - <(nbstat one.nbs)
    nbstat --check same.nbs
}

#!/usr/bin/env bats
# --frame in all tools: numbers, lists and ranges, also counted from the end; from files, pipes, damaged and truncated
# streams.
bats_require_minimum_version 1.5.0
load ../common/common

stream() { # stream N: frames at times 0 to N-1
    printf "from nbs_writer import *
write('f.nbs', *(frame(np.ones(3), np.arange(9.0).reshape(3, 3) + k, np.ones((3, 3)), time=k) for k in range($1)))
" >make.py
    python make.py
}

times() { # those of nbconv's frames
    nbconv --to text "$@" | sed -n 's/^# frame \([0-9]*\) time \(.*\)/\1=\2/p' | paste -sd ' '
}

wanted() { # wanted LIST: what Python's ranges give of 10 frames
    python - "$1" <<'P'
import sys
taken = set()
for word in sys.argv[1].split(","):
    a, b, step = (word.split(":") + ["1"])[:3] if ":" in word else (word, word, "1")
    a, b = (int(k) + (10 if int(k) < 0 else 0) for k in (a, b))
    taken |= set(range(a, b + 1, int(step)))
print(*(f"{k}={k}" for k in sorted(taken)))
P
}

@test "lists and ranges: both ends, ascending, each once; from files and pipes" {
    stream 10
    for list in 2:4 0:9:3 1:8:3 3,1,1,5 5,3:4,4:6 0:-1 4:-1:2 0:9:100 9,0; do
        [ "$(times --frame "$list" f.nbs)" = "$(wanted "$list")" ]
        [ "$(times --frame "$list" < <(cat f.nbs))" = "$(wanted "$list")" ]
        [ "$(times --salvage --frame "$list" f.nbs)" = "$(wanted "$list")" ]
    done
    for list in -3:-1 -10:-1:4 0,-1 2:-2 -1,-2 -2:9; do
        [ "$(times --frame "$list" f.nbs)" = "$(wanted "$list")" ]
    done
    [ "$(times --frame all f.nbs)" = "$(wanted 0:9)" ]
}

@test "one frame from the end, in every tool" {
    stream 10
    nbconv --to text f.nbs | cmp - <(nbconv --to text --frame -1 f.nbs)
    nbconv --to text --frame 7 f.nbs | cmp - <(nbconv --to text --frame -3 f.nbs)
    nbconv --to text --frame 7:7 f.nbs | cmp - <(nbconv --to text --frame -3 f.nbs)
    nbsim -q --device cpu --steps 0 --frame -4 f.nbs | head -n 3 | grep -qx 'time 6'
    nbsim -q --device cpu --steps 0 --frame -1 < <(cat f.nbs) | head -n 3 | grep -qx 'time 9'
    nbrender -q --size 32x18 --frame 8 -o 8.png f.nbs
    nbrender -q --size 32x18 --frame -2 -o -2.png f.nbs
    same_picture 8.png ./-2.png
    [ "$(nbstat --frame -2 f.nbs | cut -f 2,3 | tail -n 1)" = $'8\t8' ]
    run -2 --separate-stderr nbsim -q --device cpu --steps 0 --frame 1,2 f.nbs
    [ "${stderr_lines[0]}" = "nbsim: --frame: expected one frame, K or -1 for the last" ]
    nbsim --help=all | grep -q -- '--frame=K  '
    nbsim --help=all | grep -q -- '--times=T  '
    for tool in nbrender nbstat nbedit nbconv; do # lists there, and nowhere else
        $tool --help=all | grep -q -- '--frame=LIST  '
        $tool --help=all | grep -q -- '--times=LIST  '
    done
}

@test "nbstat: the lines of all frames that are asked for, against the first" {
    stream 10
    nbstat f.nbs >all
    for list in 2:4 0,5 3:-1:3; do
        ks=$(wanted "$list" | tr ' ' '\n' | sed 's/=.*//; s/^/-e /; s/$/p/' | while read -r _ k; do echo "$((${k%p} + 2))p"; done)
        want=$(sed -n "1p; $(echo "$ks" | paste -sd ';')" all)
        [ "$(nbstat --frame "$list" f.nbs)" = "$want" ]
        [ "$(nbstat --frame "$list" < <(cat f.nbs) | cut -f 2-)" = "$(cut -f 2- <<< "$want")" ]
    done
    [ "$(nbstat --frame 1:2 f.nbs f.nbs | wc -l)" = 5 ]
}

@test "nbrender: a picture of each frame that is asked for, as among all" {
    stream 10
    mkdir all some
    nbrender -q --size 32x18 -o all/%02d.png f.nbs
    nbrender -q --size 32x18 --frame 7,1:4:3,-2 -o some/%02d.png f.nbs
    [ "$(ls some | paste -sd ' ')" = "01.png 04.png 07.png 08.png" ]
    same_picture {all,some}/01.png {all,some}/04.png {all,some}/07.png {all,some}/08.png
    rm some/*
    nbrender -q --size 32x18 --frame 2:-1:3 -o some/%02d.png < <(cat f.nbs)
    [ "$(ls some | paste -sd ' ')" = "02.png 05.png 08.png" ]
    run -2 --separate-stderr nbrender -q --frame 1:2 -o x.png f.nbs
    [[ "${stderr_lines[0]}" == "nbrender: --frame: one picture shows one frame"* ]]
}

@test "frames that are not there: one line, exit 1" {
    stream 10
    while IFS='|' read -r list message; do
        for tool in "nbconv --to text" nbstat "nbrender -q --size 32x18 -f -o x-%d.png"; do
            run -1 --separate-stderr $tool --frame "$list" f.nbs
            [ "$stderr" = "${tool%% *}: f.nbs: $message" ] || { echo "$tool $list: $stderr"; return 1; }
        done
    done <<'L'
10|no frame 10: there are 10 (0 to 9)
-11|no frame -11: there are 10 (0 to 9)
0:10|no frame 10: there are 10 (0 to 9)
1,12,3|no frame 12: there are 10 (0 to 9)
8:-5|no frames 8:-5: the stream has 10 (0 to 9)
L
    for tool in "nbconv --to text" nbstat "nbrender -q --size 32x18 -f -o y-%d.png"; do
        for list in 3,10 0:10 12:-1; do
            run -1 --separate-stderr $tool --frame $list < <(cat f.nbs)
            [[ "${stderr_lines[-1]}" == "${tool%% *}: stdin: no "*"frame 1"[02]": the last"*" is 9"* && "${#stderr_lines[@]}" = 1 ]] || { echo "$list: $stderr"; return 1; }
        done
        for list in -2 2:-2 0,-2:-1; do
            run -1 --separate-stderr $tool --frame $list < <(cat f.nbs)
            [[ "$stderr" == "${tool%% *}: stdin: frame -2 counts from the end, which needs a file and no --salvage"* && "${#stderr_lines[@]}" = 1 ]]
        done
    done
}

@test "nbrender: of a frame that is not there, and of a first frame that is bad, the error alone; else what it does, once" {
    stream 3
    draw() { nbrender --device cpu --size 32x18 -f -o x-%d.png "$@"; }
    run -1 --separate-stderr draw --frame 3 f.nbs
    [ "$stderr" = "nbrender: f.nbs: no frame 3: there are 3 (0 to 2)" ]
    run -1 --separate-stderr draw --frame 99 < <(cat f.nbs)
    [ "$stderr" = "nbrender: stdin: no whole frame 99: the last one is 2" ]
    { head -c 300 f.nbs; printf x; tail -c +302 f.nbs; } >bad.nbs # a number of the first frame
    run ! cmp -s f.nbs bad.nbs
    run -1 --separate-stderr draw < <(cat bad.nbs)
    [[ "$stderr" == "nbrender: stdin: frame 0: "* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    for frame in 2 0:2 -1; do
        run -0 --separate-stderr draw --frame=$frame f.nbs
        [ "$(grep -c projection <<< "$stderr")" = 1 ]
        [[ "${stderr_lines[0]}" == "nbrender: 32x18, orthographic projection on CPU"* ]]
        run -0 --separate-stderr draw --frame=$frame < <(cat f.nbs)
        [ "$(grep -c projection <<< "$stderr")" = 1 ]
        [[ "${stderr_lines[0]}" == "nbrender: 32x18, orthographic projection on CPU"* ]]
    done
}

@test "no lists: exit 2" {
    stream 2
    for list in x 1, ,1 1,,2 : 1: :1 1:2:0 1:2:-1 1:2:3:4 1-2 1.5 --1 "1 " +1 99999999999999999999; do
        run -2 --separate-stderr nbstat --frame "$list" f.nbs
        [[ "${stderr_lines[0]}" == "nbstat: --frame $list: expected a list of frame numbers K and ranges A:B or A:B:STEP"* ]]
    done
    for list in 3:2 -1:-2; do
        run -2 --separate-stderr nbstat --frame=$list f.nbs
        [ "${stderr_lines[0]}" = "nbstat: --frame $list: $list goes backwards" ]
    done
}

@test "damage: --salvage gives those of the list that are whole; a cut stream is said to be cut" {
    stream 6
    frame=$(grep -abo 'nbs 1 frame' f.nbs | sed -n '2s/:.*//p')
    { head -c $((2 * frame + 300)) f.nbs; printf x; tail -c +$((2 * frame + 302)) f.nbs; } >bad.nbs
    run ! cmp -s f.nbs bad.nbs
    [ "$(times --salvage --frame 1:4 bad.nbs 2>/dev/null)" = "1=1 3=3 4=4" ]
    [ "$(times --salvage --frame 2,5 < <(cat bad.nbs) 2>/dev/null)" = "5=5" ]
    [ "$(nbstat --salvage --frame 1:3 bad.nbs 2>/dev/null | tail -n +2 | cut -f 2 | paste -sd,)" = 1,3 ]
    mkdir some
    nbrender -q --size 32x18 --salvage --frame 1:4 -o some/%d.png bad.nbs 2>/dev/null
    [ "$(ls some | paste -sd ' ')" = "1.png 3.png 4.png" ]
    for tool in "nbconv --to text" nbstat "nbrender -q --size 32x18 -f -o x-%d.png"; do
        run -1 --separate-stderr $tool --salvage --frame 2:2 bad.nbs
        [[ "${stderr_lines[-1]}" == *"frame 2 is damaged" ]] || { echo "$stderr"; return 1; }
        run -1 --separate-stderr $tool --frame 0:3 bad.nbs
        [[ "${stderr_lines[-1]}" == *": bad.nbs: frame 2"* ]] || { echo "$stderr"; return 1; }
        run -1 --separate-stderr $tool --frame 0:1 < <(head -c $((4 * frame)) f.nbs)
        [[ "${stderr_lines[-1]}" == *": stdin: the stream is not finished: it ends after frame 3"* ]] || { echo "$stderr"; return 1; }
    done
}

#!/usr/bin/env bats
# nbrender's films: frames, size, rate and colours; output files, existing files, and errors of writing and of ffmpeg.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

# ---- films ----

@test "films have the asked frames, size and rate, and say that they are BT.709" {
    frames 7 > f.nbs
    for kind in mp4:h264 mkv:h264 webm:vp9; do
        nbrender -q --size 320x180 --fps 25 -o "film.${kind%:*}" f.nbs
        [ "$(probe "film.${kind%:*}")" = "${kind#*:},320,180,25/1,7" ]
        [ "$(ffprobe -v error -of csv=p=0 -show_entries \
            stream=pix_fmt,color_range,color_space,color_transfer,color_primaries "film.${kind%:*}" | tr -d '\r')" = \
            "yuv420p,tv,bt709,bt709,bt709" ]
    done
    nbrender -q --size 64x48 --fps 29.97 -o film.mp4 -f f.nbs
    [ "$(probe film.mp4)" = "h264,64,48,2997/100,7" ]
    [ -z "$(ls ./*.part 2>/dev/null)" ]
}

@test "a film's colours are those of the picture" {
    printf '1 -1 0 0 0.1 0 0\n1 0 0 0 0 1 0\n1 1 0 0 0 0 2\n' | bodies three.nbs
    view=(-q --size 320x1080 --color-range 0.1,2 --extent 2 --center 0,0,0) # each is a disk of 30 pixels
    nbrender "${view[@]}" -o three.png three.nbs
    for kind in mp4 webm; do
        nbrender "${view[@]}" -o three.$kind three.nbs
        # told apart from BT.601 by more than the tolerance: its red is 27 off
        ffmpeg -v error -i three.$kind -vf scale=in_color_matrix=bt709:in_range=tv -pix_fmt rgb24 -frames:v 1 \
            -f rawvideo three.$kind.rgb
        python - $kind <<'P'
import sys
import numpy as np
from picture import png
p, f = png("three.png").astype(int), np.fromfile(f"three.{sys.argv[1]}.rgb", np.uint8).reshape(1080, 320, 3).astype(int)
for x in 80, 160, 240:
    assert abs(p[540, x] - f[540, x]).max() < 13, (x, p[540, x], f[540, x])
P
    done
}

@test "YUV4MPEG2 goes to stdout and to files alike, and ffmpeg takes it" {
    frames 5 > f.nbs
    nbrender "${small[@]}" -o - f.nbs | ffmpeg -v error -i - out.mp4
    [ "$(probe out.mp4)" = "h264,160,90,30/1,5" ]
    nbrender "${small[@]}" -o f.y4m f.nbs
    nbrender "${small[@]}" f.nbs | cmp - f.y4m
}

# ---- outputs ----

@test "nothing is replaced without -f, devices stay devices, a named pipe is written" {
    frames 2 > f.nbs
    for name in p.png q-%d.png p.mp4 p.y4m; do
        nbrender "${small[@]}" -o "$name" f.nbs
        run -1 --separate-stderr nbrender "${small[@]}" -o "$name" f.nbs
        [[ "$stderr" == *"exists already (-f replaces it)"* ]]
        nbrender "${small[@]}" -f -o "$name" f.nbs
    done
    nbrender "${small[@]}" -o /dev/null f.nbs
    [ -c /dev/null ]
    mkfifo pipe
    nbrender "${small[@]}" -o pipe f.nbs & cat pipe > through.y4m
    wait $!
    cmp through.y4m p.y4m
    mkdir d.png
    run -1 --separate-stderr nbrender "${small[@]}" -o d.png f.nbs
    [[ "$stderr" == *"is a directory"* ]]
    run -1 --separate-stderr nbrender "${small[@]}" -o none/f.mp4 f.nbs
    [[ "$stderr" == *"none/f.mp4: cannot be written"* ]]
}

@test "a full disk is an error: PNG, YUV4MPEG2, films also where only the last bytes do not fit" {
    frames 2 > f.nbs
    run -1 --separate-stderr bash -c "nbrender ${small[*]} -o - f.nbs > /dev/full"
    [[ "$stderr" == "nbrender: stdout: cannot be written: No space left on device" ]]
    run -1 --separate-stderr nbrender "${small[@]}" -o /dev/full f.nbs
    [[ "$stderr" == *"No space left on device"* ]]
    ln -s /dev/full full.png
    run -1 --separate-stderr nbrender "${small[@]}" -o full.png f.nbs
    [[ "$stderr" == *"full.png: cannot be written: No space left on device"* ]]
    [ "${NB_SANITIZER:-}" != thread ] || skip "films: the thread sanitizer itself needs files larger than the limit"
    for kind in mp4 mkv webm gif apng; do
        nbrender "${small[@]}" -o "whole.$kind" f.nbs
        limit_kb=$((($(stat -c %s "whole.$kind") - 1) / 1024))
        # the limit holds for stderr too where that is a file
        run -1 bash -c "set -o pipefail; trap '' XFSZ
            { ulimit -f $limit_kb; nbrender ${small[*]} -o short.$kind f.nbs; } 2>&1 | cat"
        [[ "$output" == *"nbrender: short.$kind: ffmpeg failed (exit status 1)" ||
            "$kind,$output" == [ga]*"nbrender: short.$kind: cannot be written: File too large" ]]
        [ ! -e "short.$kind" ]
        [ ! -e "short.$kind.part" ]
    done
}

@test "a reader that has enough ends nbrender quietly" {
    frames 30 > f.nbs
    run -0 --separate-stderr bash -c "nbrender ${small[*]} -o - f.nbs | head -c 100000 | wc -c; exit \${PIPESTATUS[1]}"
    [ "$output" = 100000 ]
    [ -z "$stderr" ]
    run -0 --separate-stderr bash -c "{ nbrender ${small[*]} -o - f.nbs; echo \$? > status; } | head -c 100 > /dev/null"
    [ -z "$stderr" ]
    [ "$(cat status)" = 141 ]
}

@test "ffmpeg missing, failing or killed: one line, exit 1, no film" {
    frames 3 > f.nbs
    mkdir bin
    ln -s "$(command -v nbrender)" bin/nbrender
    run -1 --separate-stderr env PATH="$PWD/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [ "$stderr" = "nbrender: ffmpeg cannot be started: it is not installed (apt install ffmpeg; FILE.gif, FILE.apng and -o - do not need it)" ]
    mkdir bin/ffmpeg
    run -1 --separate-stderr env PATH="$PWD/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: ffmpeg cannot be started: Permission denied (it writes the film"* ]]
    rmdir bin/ffmpeg
    printf '#!/bin/sh\nexit 3\n' > bin/ffmpeg
    chmod +x bin/ffmpeg
    run -1 --separate-stderr env PATH="$PWD/bin:/usr/bin:/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: f.mp4: ffmpeg failed (exit status 3)" ]]
    printf '#!/bin/sh\ncat > /dev/null\nexit 4\n' > bin/ffmpeg
    run -1 --separate-stderr env PATH="$PWD/bin:/usr/bin:/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: f.mp4: ffmpeg failed (exit status 4)" ]]
    printf '#!/bin/sh\nkill -9 $$\n' > bin/ffmpeg
    run -1 --separate-stderr env PATH="$PWD/bin:/usr/bin:/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: f.mp4: ffmpeg was ended by signal 9" ]]
    [ ! -e f.mp4 ]
    [ ! -e f.mp4.part ]
}

@test "a film that ffmpeg only claims to have written: one line, exit 1, no film" {
    frames 3 > f.nbs
    nbrender "${small[@]}" -o real.mkv f.nbs
    nbrender "${small[@]}" -o real.mp4 f.nbs
    mkdir bin
    # claims KIND SCRIPT: the last argument is the film, file:NAME
    claims() {
        printf '#!/bin/sh\nfor film do :; done\nfilm=${film#file:}\n%s\n' "$2" > bin/ffmpeg
        chmod +x bin/ffmpeg
        run -1 --separate-stderr env PATH="$PWD/bin:$PATH" nbrender "${small[@]}" -o "f.$1" f.nbs
        [[ "$stderr" == "nbrender: f.$1: ffmpeg $3" ]] || { echo "$2: $stderr"; return 1; }
        [ ! -e "f.$1" ]
        [ ! -e "f.$1.part" ]
    }
    claims mp4 'exit 0' "ended before the end of the film"
    claims mp4 'head -c 1000 > /dev/null; cp real.mp4 "$film"' "ended before the end of the film"
    claims mp4 'cat > /dev/null' "reported success, but wrote no film: it is empty"
    claims mp4 'cat > /dev/null; rm "$film"' "reported success, but wrote no film: No such file or directory"
    for kind in mp4 mkv; do
        claims $kind 'cat > "$film"' "reported success, but wrote no film: it is no whole film of its kind"
        claims $kind "cat > /dev/null; head -c -1 real.$kind > \"\$film\"" "reported success, but wrote no film: it is no whole film of its kind"
    done
    # a Matroska stream without sizes, as to a pipe; an mp4 without its index
    claims mkv 'cat > /dev/null; ffmpeg=$(PATH=${PATH#*:} command -v ffmpeg); "$ffmpeg" -v error -i real.mkv -c copy -f matroska - | cat > "$film"' \
        "reported success, but wrote no film: it is no whole film of its kind"
    claims mp4 'cat > /dev/null; sed s/moov/free/ real.mp4 > "$film"' "reported success, but wrote no film: it is no whole film of its kind"
}

@test "no name is an option or a protocol to ffmpeg" {
    frames 2 > f.nbs
    for name in -x.mp4 http:x.mp4 'concat:a|b.mkv' pipe:1.mov '%d.mkv' 'a b:c.webm' file:y.mp4; do
        nbrender "${small[@]}" -o "$name" f.nbs
        [ -s "./$name" ] || { echo "no $name: $(ls)"; return 1; }
    done
}

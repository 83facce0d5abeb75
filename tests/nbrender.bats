#!/usr/bin/env bats
# nbrender as a user runs it: places, colours, films, what it refuses, what signals and broken inputs leave behind.
bats_require_minimum_version 1.5.0
load common

export PYTHONPATH=$BATS_TEST_DIRNAME

# bodies NAME: a stream of one frame from lines `m x y z vx vy vz` on stdin
bodies() {
    { echo '# id m x y z vx vy vz' && awk '{ print NR, $0 }'; } | nbconv --from text -o "$1"
}

# frames N: a stream of N frames, a body that wanders to the right; frame BAD (if given) holds a NaN
frames() {
    python - "$@" <<'P'
import sys
import numpy as np
from nbs_writer import frame, write
bad = int(sys.argv[2]) if len(sys.argv) > 2 else -1
write("/dev/stdout", *(frame([1.0], [[k + 1.0, 0, np.nan if k == bad else 0]], [[1.0, 0, 0]], time=k / 10)
                       for k in range(int(sys.argv[1]))))
P
}

# probe FILE: codec, width, height, rate and number of frames, as ffprobe counts them
probe() {
    ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 \
        -show_entries stream=codec_name,width,height,r_frame_rate,nb_read_frames "$1"
}

small=(--size 160x90 --extent 20 --center 0,0,0 -q)

# ---- pictures ----

@test "three bodies of speed 0.1, 1 and 2 are blue, green and red" {
    printf '1 -1 0 0 0.1 0 0\n1 0 0 0 0 1 0\n1 1 0.25 0 0 0 2\n' | bodies three.nbs
    nbrender -q --color-range 0.1,2 --extent 2 --center 0,0,0 -o three.png three.nbs
    python - <<'P'
from picture import png
p = png("three.png").astype(int)
assert p.shape == (1080, 1920, 3)
for x, y, channel in (480, 540, 2), (960, 540, 1), (1440, 420, 0):
    pixel = p[y, x]
    others = max(pixel[k] for k in range(3) if k != channel)
    assert pixel[channel] > 180 and pixel[channel] > 1.5 * others, (x, y, pixel)
assert (p.max(axis=2) == 0).mean() > 0.99  # the sky is black
P
}

@test "every view and projection puts a body where geometry says" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    python - > cases <<'P'
import math
R, W, H = 10, 400, 200
def show(options, az, el, fov):
    a, e = math.radians(az), math.radians(el)
    x, y, z = 1, 2, 3
    # turn so that the camera's azimuth becomes the x axis, then tip its elevation down onto it
    x, y = x * math.cos(a) + y * math.sin(a), -x * math.sin(a) + y * math.cos(a)
    x, z = x * math.cos(e) + z * math.sin(e), -x * math.sin(e) + z * math.cos(e)
    near = 1 / (1 - x * math.tan(math.radians(fov) / 2) / R) if fov else 1
    print(W / 2 + y * W / 2 / R * near, H / 2 - z * W / 2 / R * near, options)
show("--view x", 0, 0, 0)
show("--view y", -90, 0, 0)
show("--view z", -90, 90, 0)
show("--view 30,40", 30, 40, 0)
show("--view=-120,-25", -120, -25, 0)
show("--view z --fov 60", -90, 90, 60)
show("--view 30,40 --fov 90", 30, 40, 90)
P
    # and the plain ones without any trigonometry: right and up are y z, x z, x y
    [ "$(awk '{ printf "%.6g,%.6g ", $1, $2 }' cases | cut -d' ' -f1-3)" = "240,40 220,40 220,60" ]
    k=0
    while read -r x y options; do
        # shellcheck disable=SC2086
        nbrender -q --size 400x200 --extent 10 --center 0,0,0 $options -o $((k++)).png one.nbs
    done < cases
    python - <<'P'
from picture import png, middle
for k, line in enumerate(open("cases")):
    expected, (x, y) = line.split(), middle(png(f"{k}.png"))
    assert abs(x - float(expected[0])) < 0.1 and abs(y - float(expected[1])) < 0.1, (line, x, y)
assert k == 6
P
}

@test "spin turns the camera about the z axis from frame to frame" {
    echo "1 3 0 0 0 0 0" | bodies one.nbs
    cat one.nbs one.nbs one.nbs > three.nbs
    nbrender -q --size 400x200 --extent 10 --center 0,0,0 --spin 30 -o 'f%d.png' three.nbs
    python - <<'P'
import math
from picture import png, middle
for k in range(3):
    x, y = middle(png(f"f{k}.png"))
    angle = math.radians(30 * k)
    assert abs(x - 200 - 60 * math.cos(angle)) < 0.1 and abs(y - 100 - 60 * math.sin(angle)) < 0.1, (k, x, y)
P
    nbrender -q --size 400x200 --extent 10 --center 0,0,0 --spin 30 --frame 2 -o k.png three.nbs
    same_picture k.png f2.png
}

@test "the first frame chooses a view in which few bodies stay on their whole orbit" {
    # eccentricity 0.9 from pericentre: the orbit is 19 times as large as the first frame
    nbgen kepler -e 0.9 | nbsim -q --device cpu --precision double --softening 0 --dt 0.001 --until 6.3 --every 0.3 -o k.nbs
    nbrender -q --size 320x180 -o 'k%02d.png' k.nbs
    python - <<'P'
import glob
from picture import png, spots
names = sorted(glob.glob("k*.png"))
assert len(names) == 22
largest = 0
for name in names:
    p = png(name)
    edge = p.copy()
    edge[4:-4, 4:-4] = 0
    assert not edge.any(), name
    assert spots(p) == 2 or name in ("k00.png", "k21.png"), name  # at pericentre they may touch
    lit = p.max(axis=2).max(axis=0).nonzero()[0]
    largest = max(largest, lit[-1] - lit[0])
assert largest > 200  # and the orbit fills the picture
P
}

@test "one body far away does not make the rest small, and its light is not lost for being alone" {
    nbgen plummer -n 2000 -o sphere.nbs
    nbconv --to text sphere.nbs | awk '/^#/ { print; next } NR == 5 { $3 = 1e7 } { print }' |
        nbconv --from text -o outlier.nbs
    nbrender -q --size 320x180 -o a.png sphere.nbs
    nbrender -q --size 320x180 --center 0,0,0 -o b.png outlier.nbs
    python - <<'P'
from picture import png
a, b = ((png(f"{k}.png").max(axis=2) > 0).sum() for k in "ab")
assert 0.8 * a < b < 1.2 * a and a > 2000, (a, b)
P
    echo "1 0 0 0 0 0 0" | bodies one.nbs
    nbrender -q -o one.png one.nbs
    python -c 'from picture import *
p = png("one.png"); assert p.max() > 200 and (p.max(axis=2) > 50).sum() > 100'
}

@test "exposure: nothing burnt, black is black, most of the light well visible, hue kept in highlights, more with --exposure" {
    nbgen disk -n 100k --seed 3 -o d.nbs
    nbrender -q --size 640x360 -o d.png d.nbs
    nbrender -q --size 640x360 --exposure 4 -o more.png d.nbs
    nbrender -q --size 640x360 --exposure 1e6 --color-range 1e8,1e9 -o burnt.png d.nbs
    python - <<'P'
import numpy as np
from picture import png
p, more, burnt = (png(f"{k}.png").astype(int) for k in ("d", "more", "burnt"))
m = p.max(axis=2)
assert (m >= 254).sum() < 0.01 * (m > 16).sum() and (m[m > 0] > 60).mean() > 0.4 and (m > 230).any()
assert max(m[y, x] for y in (0, -1) for x in (0, -1)) <= 2 and more.sum() > 1.3 * p.sum()
top = burnt[burnt[:, :, 2] >= 252]  # all of one blue, however bright
assert len(top) > 1000 and np.ptp(top, axis=0).max() <= 12 and (top[:, 0] < top[:, 1]).all() and top.max(axis=0)[1] < 190
# slow, middling and fast stars can all be told apart
colour = p[m > 80]
for k in range(3):
    assert (colour.argmax(axis=1) == k).mean() > 0.02, k
P
}

@test "frames share view, colours and exposure: a body that stays as it is keeps its pixels" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
mass, rng = np.ones(51), np.random.default_rng(1)
clump = np.array([[-1.0, 0.2, 0]] + [[1.0, 0, 0]] * 50)
cloud = np.array([[-1.0, 0.2, 0]] + list(rng.normal(size=(50, 3)) * 30))
slow, fast = (np.array([[0.5, 0, 0]] + [[0, v, 0]] * 50) for v in (0.1, 2.0))
write("one.nbs", frame(mass, clump, slow), frame(mass, cloud, fast))
write("two.nbs", frame(mass, cloud, fast))
P
    nbrender -q --size 320x180 --center 0,0,0 -o 'f%d.png' one.nbs
    nbrender -q --size 320x180 --center 0,0,0 -o two.png two.nbs
    python - <<'P'
from picture import png
a, b, other = png("f0.png"), png("f1.png"), png("two.png")
left = a[:, :120].max(axis=2).nonzero()
region = slice(min(left[0]), max(left[0]) + 1), slice(min(left[1]), max(left[1]) + 1)
assert (a[region] == b[region]).all() and a[region].max() > 50
assert (b != a).any() and (b != other).any()
P
}

@test "equal bytes for any number of threads, from a file and from a pipe" {
    nbgen collision -n 150k -o c.nbs
    nbrender -q --threads 1 -o one.png c.nbs
    nbrender -q --threads 2 -o two.png c.nbs
    nbrender -q --threads 5 -o five.png < c.nbs
    cmp one.png two.png
    cmp one.png five.png
    frames 4 > f.nbs
    nbrender "${small[@]}" --threads 1 -o - f.nbs > 1.y4m
    cat f.nbs | nbrender "${small[@]}" --threads 3 -o - > 3.y4m
    cmp 1.y4m 3.y4m
}

@test "which frame: the last for one picture, --frame K, all with a number in the name" {
    frames 12 > f.nbs
    nbrender "${small[@]}" -o 'all-%03d.png' f.nbs
    [ "$(ls all-*.png | wc -l)" -eq 12 ]
    nbrender "${small[@]}" -o last.png f.nbs
    nbrender "${small[@]}" --frame last -o last2.png f.nbs
    cat f.nbs | nbrender "${small[@]}" -o last3.png
    for k in last last2 last3; do same_picture $k.png all-011.png; done
    nbrender "${small[@]}" --frame 4 -o k.png f.nbs
    cat f.nbs | nbrender "${small[@]}" --frame 4 -o k2.png
    same_picture k.png all-004.png
    same_picture k2.png all-004.png
    nbrender "${small[@]}" --frame 4 -o 'one%%-%d.png' f.nbs
    same_picture 'one%-4.png' all-004.png
    nbrender "${small[@]}" --frame 4 -o one.mp4 f.nbs
    [ "$(probe one.mp4)" = "h264,160,90,30/1,1" ]
    python -c 'from picture import *
for k in range(12): assert abs(middle(png(f"all-{k:03}.png"))[0] - (80 + 4 * (k + 1))) < 0.1'
    for input in "f.nbs" "- < f.nbs" "- < <(cat f.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender ${small[*]} --frame 12 -o no.png $input"
        [[ "$stderr" == *"no"*"frame 12"*"11"* ]]
        [ ! -e no.png ]
        [ ! -e no.png.part ]
    done
}

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
    nbrender -q --size 64x48 --fps 20 -o film.gif f.nbs
    [ "$(probe film.gif)" = "gif,64,48,20/1,7" ]
    nbrender -q --size 64x48 --fps 29.97 -o film.mp4 -f f.nbs
    [ "$(probe film.mp4)" = "h264,64,48,2997/100,7" ]
    [ -z "$(ls ./*.part 2>/dev/null)" ]
}

@test "a film's colours are those of the picture" {
    printf '1 -1 0 0 0.1 0 0\n1 0 0 0 0 1 0\n1 1 0 0 0 0 2\n' | bodies three.nbs
    view=(-q --size 320x1080 --color-range 0.1,2 --extent 2 --center 0,0,0) # each is a disk of 30 pixels
    nbrender "${view[@]}" -o three.png three.nbs
    for kind in mp4 webm gif; do
        nbrender "${view[@]}" -o three.$kind three.nbs
        # told apart from BT.601 by more than the tolerance: its red is 27 off
        ffmpeg -v error -i three.$kind -vf scale=in_color_matrix=bt709:in_range=tv -pix_fmt rgb24 -frames:v 1 \
            -f rawvideo three.$kind.rgb
        [ $kind != gif ] || ffmpeg -v error -y -i three.gif -pix_fmt rgb24 -frames:v 1 -f rawvideo three.gif.rgb
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
    for kind in mp4 mkv webm gif; do
        nbrender "${small[@]}" -o "whole.$kind" f.nbs
        limit_kb=$((($(stat -c %s "whole.$kind") - 1) / 1024))
        # the limit holds for stderr too where that is a file
        run -1 bash -c "set -o pipefail; trap '' XFSZ
            { ulimit -f $limit_kb; nbrender ${small[*]} -o short.$kind f.nbs; } 2>&1 | cat"
        [[ "$output" == *"nbrender: short.$kind: ffmpeg failed (exit status 1)" ]]
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
    [ -z "$stderr" ] && [ "$(cat status)" = 141 ]
}

@test "ffmpeg missing, failing or killed: one line, exit 1, no film" {
    frames 3 > f.nbs
    mkdir bin
    ln -s "$(command -v nbrender)" bin/nbrender
    run -1 --separate-stderr env PATH="$PWD/bin" nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: ffmpeg cannot be started: No such file or directory"* ]]
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
    [ ! -e f.mp4 ] && [ ! -e f.mp4.part ]
}

@test "a film that ffmpeg only claims to have written: one line, exit 1, no film" {
    frames 3 > f.nbs
    nbrender "${small[@]}" -o real.mkv f.nbs
    nbrender "${small[@]}" -o real.mp4 f.nbs
    nbrender "${small[@]}" -o real.gif f.nbs
    mkdir bin
    # claims KIND SCRIPT: the last argument is the film, file:NAME
    claims() {
        printf '#!/bin/sh\nfor film do :; done\nfilm=${film#file:}\n%s\n' "$2" > bin/ffmpeg
        chmod +x bin/ffmpeg
        run -1 --separate-stderr env PATH="$PWD/bin:$PATH" nbrender "${small[@]}" -o "f.$1" f.nbs
        [[ "$stderr" == "nbrender: f.$1: ffmpeg $3" ]] || { echo "$2: $stderr"; return 1; }
        [ ! -e "f.$1" ] && [ ! -e "f.$1.part" ]
    }
    claims mp4 'exit 0' "ended before the film"
    claims mp4 'head -c 1000 > /dev/null; cp real.mp4 "$film"' "ended before the film"
    claims mp4 'cat > /dev/null' "ended well, but wrote no film: it is empty"
    claims mp4 'cat > /dev/null; rm "$film"' "ended well, but wrote no film: No such file or directory"
    for kind in mp4 mkv gif; do
        claims $kind 'cat > "$film"' "ended well, but wrote no film: it is no whole film of its kind"
        claims $kind "cat > /dev/null; head -c -1 real.$kind > \"\$film\"" "ended well, but wrote no film: it is no whole film of its kind"
    done
    # a Matroska stream without sizes, as to a pipe; an mp4 without its index
    claims mkv 'cat > /dev/null; ffmpeg=$(PATH=${PATH#*:} command -v ffmpeg); "$ffmpeg" -v error -i real.mkv -c copy -f matroska - | cat > "$film"' \
        "ended well, but wrote no film: it is no whole film of its kind"
    claims mp4 'cat > /dev/null; sed s/moov/free/ real.mp4 > "$film"' "ended well, but wrote no film: it is no whole film of its kind"
}

@test "no name is an option or a protocol to ffmpeg" {
    frames 2 > f.nbs
    for name in -x.mp4 http:x.mp4 'concat:a|b.mkv' pipe:1.gif '%d.mkv' 'a b:c.webm' file:y.mp4; do
        nbrender "${small[@]}" -o "$name" f.nbs
        [ -s "./$name" ] || { echo "no $name: $(ls)"; return 1; }
    done
}

# ---- inputs ----

@test "a cut or damaged input: FILE.part has the film of the whole frames before, exit 1; nothing where there is none" {
    frames 6 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 6))
    head -c $((4 * frame)) f.nbs > cut.nbs # a little more: the trailer counts as well
    for input in "cut.nbs" "- < <(cat cut.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f -o cut.mp4 $input"
        [[ "$stderr" == *"last whole frame is 3"*"cut.mp4.part ends there, with 4 frames" ]]
        [ "$(wc -l <<< "$stderr")" -eq 1 ]
        [ "$(probe cut.mp4.part)" = "h264,160,90,30/1,4" ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f -o cut.y4m $input"
        [ "$(probe cut.y4m.part)" = "rawvideo,160,90,30/1,4" ]
        [ ! -e cut.mp4 ] && [ ! -e cut.y4m ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f --keep-partial -o named.mp4 $input"
        [[ "$stderr" == *"last whole frame is 3"*"named.mp4 ends there, with 4 frames" ]]
        [ "$(probe named.mp4)" = "h264,160,90,30/1,4" ]
        [ ! -e named.mp4.part ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -o cut.png $input"
        [[ "$stderr" == *"last whole frame is 3"* ]]
        [ ! -e cut.png ]
    done
    nbrender "${small[@]}" --salvage -o saved.mp4 cut.nbs
    [ "$(probe saved.mp4)" = "h264,160,90,30/1,4" ]
    head -c 300 f.nbs > stub.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o stub.mp4 stub.nbs
    [ "$(wc -l <<< "$stderr")" -eq 1 ]
    [ ! -e stub.mp4 ]
    [ ! -e stub.mp4.part ]
    run -1 --separate-stderr bash -c "nbrender ${small[*]} -o stub.mp4 < /dev/null"
    [[ "$stderr" == "nbrender: stdin: "* ]] && [ ! -e stub.mp4 ] && [ ! -e stub.mp4.part ]
}

@test "a frame that is asked for and is damaged, with --salvage: one line that says so, exit 1" {
    frames 3 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 3))
    { head -c 200 f.nbs; printf x; tail -c +202 f.nbs; } > bad.nbs
    for input in bad.nbs "- < <(cat bad.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender ${small[*]} --salvage --frame 0 -o x.png $input"
        [[ "${stderr_lines[-1]}" == "nbrender: "*": frame 0 is damaged" && "${#stderr_lines[@]}" = 2 ]]
        [ ! -e x.png ]
    done
    { head -c $((frame + 200)) f.nbs; printf x; tail -c +$((frame + 202)) f.nbs; } > bad.nbs
    run -1 --separate-stderr nbrender "${small[@]}" --salvage --frame 1 -o x.png bad.nbs
    [[ "${stderr_lines[-1]}" == "nbrender: bad.nbs: frame 1 is damaged" ]]
    [ ! -e x.png ]
    nbrender "${small[@]}" --salvage --frame 2 -o x.png bad.nbs
}

@test "a frame with a NaN ends the film before it" {
    frames 6 4 > f.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: f.nbs: frame 4: body 0: pos is not a finite number; f.mp4.part ends there, with 4 frames" ]]
    [ "$(probe f.mp4.part)" = "h264,160,90,30/1,4" ]
    frames 1 0 > bad.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o bad.mp4 bad.nbs
    [[ "$stderr" == "nbrender: bad.nbs: frame 0: body 0: pos is not a finite number" ]]
    [ ! -e bad.mp4 ] && [ ! -e bad.mp4.part ]
}

@test "places, speeds and masses at the ends of their range are drawn, or refused in one line" {
    printf '1 1e308 0 0 1e308 0 0\n1 -1e308 1e308 1e308 0 0 0\n1 0 0 0 1 0 0\n' | bodies huge.nbs
    printf '1 1e-310 0 0 1e-310 0 0\n1 0 0 0 0 0 0\n' | bodies tiny.nbs
    printf '0 1 0 0 0 0 0\n0 0 1 0 0 0 0\n' | bodies massless.nbs
    printf '1e308 1 0 0 0 0 0\n1e308 0 1 0 0 0 0\n' | bodies heavy.nbs
    printf '1 5 5 5 0 0 0\n1 5 5 5 0 0 0\n' | bodies same.nbs
    for k in huge tiny massless heavy same; do
        for options in "" "--fov 60" "--spin 10" "--extent 1e-300" "--extent 1e300" "--color-range 0,1e300"; do
            # shellcheck disable=SC2086
            run --separate-stderr nbrender -qf --size 64x36 $options -o $k.png $k.nbs
            [ "$status" -eq 0 ] || { [ "$status" -eq 1 ] && [ "$(wc -l <<< "$stderr")" -eq 1 ]; }
        done
    done
    nbrender -qf --size 320x180 -o same.png same.nbs
    python -c 'from picture import *
x, y = middle(png("same.png")); assert abs(x - 160) < 0.1 and abs(y - 90) < 0.1'
}

@test "usage errors: exit 2 and what was wanted" {
    frames 1 > f.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options f.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
16384 --size 16385x100 -o a.png
16384 --size 0x100 -o a.png
WxH --size 1000000x1000000 -o a.png
WxH --size 100 -o a.png
WxH --size 100x100x100 -o a.png
WxH --size -5x5 -o a.png
even_numbers --size 161x90 -o a.mp4
even_numbers --size 160x91 -o -
above_0 --fps 0 -o a.mp4
1000 --fps 1e9 -o a.mp4
above_0 --fps x -o a.mp4
above_0 --extent 0 -o a.png
above_0 --extent -1 -o a.png
above_0 --extent nan -o a.png
170 --fov 180 -o a.png
above_0 --fov 0 -o a.png
AZ,EL --view w -o a.png
X,Y,Z --center 1,2 -o a.png
X,Y,Z --center 1,2,inf -o a.png
A_below_B --color-range 2,1 -o a.png
A,B --color-range 1 -o a.png
above_0 --exposure 0 -o a.png
1e6 --exposure 1e7 -o a.png
.png_.y4m_.mp4 -o a.jpg
.png_.y4m_.mp4 -o a
one_place -o a-%d-%d.png
one_place -o a-%s.png
one_place -o a-%.png
one_place -o a-%99999d.png
one_frame --frame all -o a.png
one_input -o a.png f.nbs
no_such_option --nonsense
L
    run -1 --separate-stderr nbrender -q -o a.png missing.nbs
    [[ "$stderr" == *"missing.nbs: "* ]]
    run -1 --separate-stderr nbrender -q -o a.mp4 .
    echo "not a snapshot" > text
    run -1 --separate-stderr nbrender -q -o a.mp4 text
    [[ "$stderr" == "nbrender: text: not a snapshot"* ]]
    [ -z "$(ls a* 2>/dev/null)" ]
}

# ---- signals ----

@test "SIGINT while reading a pipe: the stream is drawn to its end, the film is whole; exit 130" {
    frames 8 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 8))
    mkfifo pipe
    env --default-signal=INT nbrender "${small[@]}" -o film.mp4 < pipe & renderer=$!
    exec 9> pipe
    head -c $((3 * frame)) f.nbs >&9
    await $renderer test -e film.mp4.part
    sleep 0.5
    kill -INT $renderer
    sleep 0.3
    kill -0 $renderer # it waits for the rest
    tail -c +$((3 * frame + 1)) f.nbs >&9
    exec 9>&-
    status=0
    wait $renderer || status=$?
    [ $status -eq 130 ]
    [ "$(probe film.mp4)" = "h264,160,90,30/1,8" ]
}

@test "a second signal while ffmpeg is stuck ends both at once, and leaves nothing" {
    [ "${NB_SANITIZER:-}" != thread ] || skip "the thread sanitizer holds signals back while it waits for a process"
    frames 1 > f.nbs
    mkdir bin
    printf '#!/bin/sh\necho $$ > ffmpeg.pid\nexec sleep 1000\n' > bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH="$PWD/bin:$PATH" nbrender "${small[@]}" -o stuck.mp4 f.nbs & renderer=$!
    await $renderer test -s ffmpeg.pid
    kill -TERM $renderer
    sleep 0.1
    kill -0 $renderer # it waits for its film
    kill -HUP $renderer
    status=0
    wait $renderer || status=$?
    [ $status -eq 129 ] || [ $status -eq 143 ] # on a busy machine they may come in the other order
    [ ! -e stuck.mp4 ] && [ ! -e stuck.mp4.part ]
    while kill -0 "$(cat ffmpeg.pid)" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$(cat ffmpeg.pid)/status"; do sleep 0.02; done
}

@test "SIGTERM while drawing a file: the film ends at that frame and plays; exit 143" {
    frames 20 > few.nbs
    for k in $(seq 50); do cat few.nbs; done > many.nbs
    nbrender -q --size 1280x720 -o film.mp4 many.nbs & renderer=$!
    await $renderer test -e film.mp4.part
    sleep 0.5
    kill -TERM $renderer
    status=0
    wait $renderer || status=$?
    [ $status -eq 143 ]
    count=$(probe film.mp4)
    count=${count##*,}
    [ "$count" -ge 1 ]
    [ "$count" -lt 1000 ]
    [ ! -e film.mp4.part ]
}

@test "Ctrl-C on nbsim | nbrender leaves a whole stream and a film of all its frames" {
    nbgen plummer -n 300 -o p.nbs
    python - <<'P'
import os, signal, subprocess, time
shell = subprocess.Popen(["bash", "-c", """nbsim -q --device cpu --dt 0.01 --until 10000 --every 0.01 p.nbs |
    tee -i run.nbs | nbrender -q --size 160x90 -o film.mp4"""], start_new_session=True)
while not os.path.exists("run.nbs") or os.path.getsize("run.nbs") < 3e5:
    time.sleep(0.05)
os.killpg(shell.pid, signal.SIGINT)
shell.wait()
for _ in range(200):  # the shell does not wait for its pipeline
    if os.path.exists("film.mp4"):
        break
    time.sleep(0.1)
P
    nbstat --check run.nbs
    [ "$(probe film.mp4)" = "h264,160,90,30/1,$(nbstat --json run.nbs | wc -l)" ]
}

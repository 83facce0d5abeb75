#!/usr/bin/env bats
# nbrender on the command line: positions, colours, exposure, frames, rejected options.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

@test "three bodies of speed 0.1, 1 and 2 are blue, green and red with the map spectrum, blue, pink and yellow without" {
    printf '1 -1 0 0 0.1 0 0\n1 0 0 0 0 1 0\n1 1 0.25 0 0 0 2\n' | bodies three.nbs
    nbrender -q --color-range 0.1,2 --extent 2 --center 0,0,0 --colormap spectrum -o three.png three.nbs
    nbrender -q --color-range 0.1,2 --extent 2 --center 0,0,0 -o dusk.png three.nbs
    python - <<'P'
from picture import png
p = png("three.png").astype(int)
assert p.shape == (1080, 1920, 3)
for x, y, channel in (480, 540, 2), (960, 540, 1), (1440, 420, 0):
    pixel = p[y, x]
    others = max(pixel[k] for k in range(3) if k != channel)
    assert pixel[channel] > 180 and pixel[channel] > 1.5 * others, (x, y, pixel)
assert (p.max(axis=2) == 0).mean() > 0.99  # the sky is black
blue, pink, yellow = (png("dusk.png").astype(int)[y, x] for x, y in ((480, 540), (960, 540), (1440, 420)))
assert blue[2] > 2.5 * max(blue[:2]) and min(pink[0], pink[2]) > 1.2 * pink[1] and min(yellow[:2]) > 1.5 * yellow[2], (blue, pink, yellow)
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
    nbrender -q --size 640x360 --color speed --colormap spectrum -o d.png d.nbs
    nbrender -q --size 640x360 --color speed --colormap spectrum --exposure 4 -o more.png d.nbs
    nbrender -q --size 640x360 --color speed --colormap spectrum --exposure 1e6 --color-range 1e8,1e9 -o burnt.png d.nbs
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
    nbrender -q --size 320x180 --center 0,0,0 --extent 2 -o 'f%d.png' one.nbs
    nbrender -q --size 320x180 --center 0,0,0 --extent 2 -o two.png two.nbs
    python - <<'P'
from picture import png
a, b, other = png("f0.png"), png("f1.png"), png("two.png")
left = a[:, :120].max(axis=2).nonzero()
region = slice(min(left[0]), max(left[0]) + 1), slice(min(left[1]), max(left[1]) + 1)
assert (a[region] == b[region]).all() and a[region].max() > 50
assert (b != a).any() and (b != other).any()
P
}

@test "equal bytes for any number of threads, from a file by its name and as standard input" {
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

@test "from a pipe the exposure is that of the first frame, whatever comes after it; from a file that of all" {
    nbgen plummer -q -n 2000 -o dense.nbs
    nbgen plummer -q -n 2000 --radius 8 -o wide.nbs
    cat dense.nbs dense.nbs wide.nbs >f.nbs
    local options=(-q --size 160x90 --center 0,0,0 --extent 8 --style light)
    nbrender "${options[@]}" -o first.png dense.nbs # a file whose only frame is the first
    nbrender "${options[@]}" -o 'file%d.png' f.nbs
    cat f.nbs | nbrender "${options[@]}" -o 'pipe%d.png'
    cat dense.nbs wide.nbs | nbrender "${options[@]}" -o 'short%d.png'
    same_picture pipe0.png first.png pipe1.png first.png pipe2.png short1.png
    python - <<'P'
from picture import png
for a, b in ("file0", "first"), ("file1", "first"), ("pipe2", "file2"):
    assert (png(a + ".png") != png(b + ".png")).any(), a
P
}

@test "which frame: the last for one picture, --frame K, all with a number in the name" {
    frames 12 > f.nbs
    nbrender "${small[@]}" -o 'all-%03d.png' f.nbs
    [ "$(ls all-*.png | wc -l)" -eq 12 ]
    nbrender "${small[@]}" -o last.png f.nbs
    nbrender "${small[@]}" --frame last -o last2.png f.nbs
    cat f.nbs | nbrender "${small[@]}" -o last3.png
    pairs=(last.png all-011.png last2.png all-011.png last3.png all-011.png)
    nbrender "${small[@]}" --frame 4 -o k.png f.nbs
    cat f.nbs | nbrender "${small[@]}" --frame 4 -o k2.png
    pairs+=(k.png all-004.png k2.png all-004.png)
    nbrender "${small[@]}" --frame 4 -o 'one%%-%d.png' f.nbs
    same_picture "${pairs[@]}" 'one%-4.png' all-004.png
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

@test "usage errors: exit 2 and what was wanted" {
    frames 1 > f.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options f.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
16384 --size 16385x100 -o a.png
16384 --size 0x100 -o a.png
must_be_from_1_to_16384 --size 1000000x1000000 -o a.png
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
.png_.jpg_.webp -o a.tif
.png_.jpg_.webp -o a
one_frame_number -o a-%d-%d.png
one_frame_number -o a-%s.png
one_frame_number -o a-%.png
one_frame_number -o a-%99999d.png
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

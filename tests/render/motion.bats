#!/usr/bin/env bats
# Pictures between frames, motion blur, and averages over several frames.
bats_require_minimum_version 1.5.0
load ../common/common


# The streams of all tests, made once: NAME|TIMES|EXPRESSION has a frame for each of the times (Python), EXPRESSION of t gives a
# list of (x, y, vx, vy) for each body, or with the id in front.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >table <<'L'
five|range(5)|[(t - 2, 0, 1, 0)]
lone|[0]|[(0, 0, 1, 0)]
nine|range(9)|[(t - 4, 0, 1, 0)]
circle|[2 * pi * k / 5 for k in range(6)]|[(8 * cos(t), 8 * sin(t), -8 * sin(t), 8 * cos(t))]
back|[-2 * pi * k / 5 for k in range(6)]|[(8 * cos(t), 8 * sin(t), -8 * sin(t), 8 * cos(t))]
named|[0, 1]|[[(1, -4, 4, 8, 0), (2, 4, 0, -8, 0), (3, -4, -4, 4, 0)], [(4, 4, -8, 4, 0), (2, -4, 0, -8, 0), (1, 4, 4, 8, 0)]][k]
turns|[0, 1, 2, 2, 0, 1]|[(t - 4 + 2 * (k > 2), 0, 1, 0)]
streak|[0, 1]|[(4 * t - 4, 4, 4, 0), (0, -4, 0, 0)]
still|[0, 1, 2]|[(8, 0, 0, 0)]
L
    python - <<'P'
from math import *
import numpy as np
from nbs_writer import frame, write
for line in open("table"):
    name, times, bodies = line.rstrip().split("|")
    out = []
    for k, t in enumerate(eval(times)):
        rows = np.array(eval(bodies), float)
        zeros, p = np.zeros((len(rows), 1)), rows[:, -4:]
        extra = {"id": rows[:, 0].astype(np.uint64)} if rows.shape[1] > 4 else {}
        out.append(frame(np.ones(len(rows)), np.hstack([p[:, :2], zeros]), np.hstack([p[:, 2:], zeros]), time=t, **extra))
    write(name + ".nbs", *out)

# of one speed, and so of one colour
rng = np.random.default_rng(1)
pos, angle = rng.uniform(-1, 1, (2000, 3)) * 5, rng.uniform(0, 6.2832, 2000)
vel = 1.1 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
write("crowd.nbs", *(frame(np.ones(2000), pos + t * vel, vel, time=t) for t in range(3)))

# a body that leaves a periodic box
def at(t):
    x, y = 4.6 + 0.8 * t, -4 - 3 * t
    return frame([1.0], [[(x + 5) % 10 - 5, (y + 5) % 10 - 5, 0.0]], [[0.8, -3.0, 0]], time=t, box="-5 5 -5 5", periodic="xy")
write("box.nbs", at(0), at(1))

# the inlet of a flow
def at(t, x, flow):
    return frame([1.0], [[x + 0.2 * t, 4 * t - 2, 0.0]], [[0.2, 0, 0]], time=t, G=0, contact="1 0 0.1", box="-2 6 -2.5 2.5",
                 periodic="x", **flow)
for name, x, flow in ("inlet", -1.9, dict(flow="1 1 2 1")), ("behind", 0, dict(flow="1 1 2 1")), ("no-flow", -1.9, {}):
    write(name + ".nbs", at(0, x, flow), at(1, x, flow))
P
}

# take NAME [AS]: links the stream of this name into the test's directory
take() { ln "$BATS_FILE_TMPDIR/$1.nbs" "${2:-$1}.nbs"; }

space=(-q --size 400x400 --extent 10 --center 0,0,0) # 20 pixels a length unit
discs=("${space[@]}" --style discs)
spots=("${space[@]}" --style light --smooth fixed --bloom 0)

@test "N frames give (N - 1) K + 1 pictures, numbered; the frames are among them as they are" {
    take five f
    nbrender "${discs[@]}" -o 'f%d.png' f.nbs
    nbrender "${discs[@]}" --interpolate 1 --shutter 0 -o 'one%d.png' f.nbs
    nbrender "${discs[@]}" --interpolate 3 -o 'k%02d.png' f.nbs
    [ "$(ls k*.png | wc -l)" -eq 13 ]
    for k in 0 1 2 3 4; do
        pairs+=({f,one}$k.png f$k.png "$(printf k%02d.png $((3 * k)))")
    done
    python - <<'P'
from picture import png, middle
for k in range(13):
    assert abs(middle(png(f"k{k:02}.png"))[0] - (200 + 20 * (k / 3 - 2))) < 0.1, k
P
    cat f.nbs | nbrender "${discs[@]}" --interpolate 3 -o - > a.y4m
    nbrender "${discs[@]}" --interpolate 3 --threads 1 -o b.y4m f.nbs
    cmp a.y4m b.y4m
    [ "$(grep -ac FRAME a.y4m)" -eq 13 ]
    # one frame has nothing to move to
    nbrender "${spots[@]}" --frame 2 -o still.png f.nbs
    nbrender "${spots[@]}" --interpolate 3 --shutter 1 --frame 2 -o single.png f.nbs
    take lone
    nbrender "${spots[@]}" --interpolate 3 --shutter 1 -o 'lone%d.png' lone.nbs
    [ "$(echo lone*.png)" = lone0.png ]
    same_picture "${pairs[@]}" single.png still.png lone0.png still.png
}

@test "frames of a list: motion goes from one to the next of them" {
    take nine f
    nbrender "${discs[@]}" --interpolate 2 --frame 2:6:2 -o 'k%d.png' f.nbs
    [ "$(ls k*.png | wc -l)" -eq 5 ]
    python - <<'P'
from picture import png, middle
for k in range(5):
    assert abs(middle(png(f"k{k}.png"))[0] - (200 + 20 * (k - 2))) < 0.1, k
P
}

@test "on a circle known at five points, forwards or backwards in time, pictures between are within the cubic's error" {
    take circle f
    take back
    nbrender "${discs[@]}" --interpolate 6 -o 'f%02d.png' f.nbs
    nbrender "${discs[@]}" --interpolate 6 -o 'b%02d.png' back.nbs
    python - <<'P'
import math
from picture import png, middle
h, r = 2 * math.pi / 5, 160  # pixels
bound = r * h**4 / 384
assert bound < 1.1 and r * (1 - math.cos(h / 2)) > 30  # what a straight line would be off
for name, sign in ("f", 1), ("b", -1):
    worst = 0
    for k in range(31):
        angle = sign * 2 * math.pi * k / 30
        x, y = middle(png(f"{name}{k:02}.png"))
        worst = max(worst, math.hypot(x - (200 + 160 * math.cos(angle)), y - (200 - 160 * math.sin(angle))))
    assert bound / 2 < worst < bound + 0.15, (name, worst, bound)
P
}

@test "bodies are matched by id: in another order, some gone, some new" {
    # body 1 goes right along y = 4, 2 left along y = 0; 3 is there in the first frame only, 4 in the second only
    take named f
    nbrender "${discs[@]}" --interpolate 4 -o 'k%d.png' f.nbs
    python - <<'P'
from picture import png, middle
for k in range(5):
    p, s = png(f"k{k}.png"), k / 4
    def at(y):
        top = 200 - 20 * y - 20
        return middle(p[top : top + 40])[0] if p[top : top + 40].any() else None
    assert abs(at(4) - (120 + 160 * s)) < 0.1 and abs(at(0) - (280 - 160 * s)) < 0.1, k
    third, fourth = at(-4), at(-8)
    assert (fourth is None and abs(third - (120 + 80 * s)) < 0.1) if s < 0.5 else \
        (third is None and abs(fourth - (280 - 80 * (1 - s))) < 0.1), (k, third, fourth)
P
}

@test "where time stands still or turns back, the nearer frame is shown, and motion goes on behind it" {
    take turns f
    nbrender "${discs[@]}" --interpolate 2 -o 'k%02d.png' f.nbs
    python - <<'P'
from picture import png, middle
places = [-4, -3.5, -3, -2.5, -2, 0, 0, -2, -2, -1.5, -1]
for k, place in enumerate(places):
    assert abs(middle(png(f"k{k:02}.png"))[0] - (200 + 20 * place)) < 0.1, k
P
}

@test "shutter: a moving body is a streak as long as its way, in the last picture too, one at rest a spot, wherever the camera turns" {
    take streak f
    nbrender "${spots[@]}" --shutter 0.5 -o 'half%d.png' f.nbs
    nbrender "${spots[@]}" --shutter 1 --interpolate 2 -o 'whole%d.png' f.nbs
    nbrender "${spots[@]}" -o 'sharp%d.png' f.nbs
    # a camera that turns blurs what stands still; in the middle of its turn it stands where the streak's middle is
    take still
    nbrender "${spots[@]}" --spin 20 --shutter 1 -o 'spin%d.png' still.nbs
    python - <<'P'
import math
from picture import png, middle
def width(name):
    """Of the light above and below: the range of columns where it is at least half its brightest."""
    p, out = png(f"{name}.png").max(axis=2).astype(int), []
    for half in p[:200], p[200:]:
        column = half.max(axis=0)
        lit = (column >= 0.5 * column.max()).nonzero()[0]
        out.append((lit[0], lit[-1] + 1))
    return out
for name, start, end in ("half0", 120, 160), ("whole0", 120, 160), ("whole1", 160, 200), ("half1", 200, 240), ("whole2", 200, 240):
    (left, right), (low, high) = width(name)
    assert abs(left - start) <= 2 and abs(right - end) <= 2, (name, left, right)
    assert low >= 194 and high <= 206, (name, low, high)
(left, right), _ = width("sharp0")
assert right - left <= 10
# where the spinning camera puts the body
x, y = middle(png("spin0.png"))
turned = 160 * math.sin(math.radians(10)) / math.radians(10)  # the middle of an arc of 20 degrees
angle = math.atan2(y - 200, x - 200)
assert abs(math.degrees(angle) - 10) < 0.5 and abs(math.hypot(x - 200, y - 200) - turned) < 1, (x, y)
P
}

@test "shutter: light is neither lost nor made, with footprints of any size" {
    take crowd p
    for smooth in fixed 20; do
        for shutter in 0 1; do
            nbrender -q --size 160x160 --extent 20 --center 0,0,0 --style light --smooth $smooth --bloom 0 --shutter $shutter \
                -o "$smooth-$shutter-%d.npy" p.nbs
        done
    done
    python - <<'P'
import numpy as np
for smooth in "fixed", "20":
    for k in range(3):
        still, moving = (np.load(f"{smooth}-{shutter}-{k}.npy").astype(float) for shutter in (0, 1))
        assert abs(moving.sum() / still.sum() - 1) < 1e-4 and abs(moving - still).max() > 0.1 * still.max(), (smooth, k)
P
}

@test "an input that breaks off: the pictures up to its last whole frame" {
    nbedit -q --frame 0:3 "$BATS_FILE_TMPDIR/five.nbs" -o f.nbs
    head -c $(($(stat -c %s f.nbs) * 3 / 5)) f.nbs > cut.nbs
    run -1 --separate-stderr nbrender "${discs[@]}" --interpolate 4 -o 'k%d.png' cut.nbs
    [[ "$stderr" == *"last whole frame is 1"*"with 5 frames" ]]
    [ "$(ls k*.png | wc -l)" -eq 5 ]
    nbrender "${discs[@]}" --interpolate 4 --salvage -f -o 'k%d.png' cut.nbs
}

@test "usage errors: exit 2 and what was wanted" {
    take lone f
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options -o a.mp4 f.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
1_to_10000 --interpolate 0
1_to_10000 --interpolate 100000
--interpolate --interpolate 1.5
--interpolate --interpolate -3
0_to_1 --shutter 1.5
--shutter --shutter -0.5
--shutter --shutter nan
L
    [ -z "$(ls a* 2>/dev/null)" ]
}

@test "the line of progress says how many pictures there will be and how long they take, of a file" {
    command -v script > /dev/null || skip "no script, which makes a terminal"
    nbgen plummer -n 300 | nbsim -q --device cpu --until 0.5 --every 0.1 -o p.nbs
    export TERM=xterm
    # $SHELL may be any shell, or unset; a pipe is the same in all of them
    told() { script -qec "${2-} nbrender --size 64x36 -f -o x%d.png $1" /dev/null; }
    [[ "$(told p.nbs)" =~ "picture 1/6, t = 0, "[0-9.e+]+" pictures/s, "[0-9]+:[0-9][0-9]" left" ]]
    [[ "$(told '--interpolate 3 p.nbs')" == *"picture 1/16, "*" left"* ]]
    [[ "$(told '--frame 1,3:4 p.nbs')" == *"picture 0/3, "* ]] # frame 0 sets the scene
    told - 'cat p.nbs |' > pipe # nobody knows
    [[ "$(< pipe)" == *"picture 1, t = 0, "*" pictures/s"* && "$(< pipe)" != *left* ]]
}

@test "a body that leaves a periodic box comes in on its other side, and so does its path" {
    take box f
    nbrender "${discs[@]}" --walls none --interpolate 8 --trails 2 -o 'p%d.png' f.nbs
    nbrender "${discs[@]}" --walls none --interpolate 8 -o 'd%d.png' f.nbs
    python - <<'P'
import numpy as np
from picture import png, middle
for k in range(9):
    t = k / 8
    x, y = (9.6 + 0.8 * t) % 10 - 5, (1 - 3 * t) % 10 - 5
    want = 200 + 20 * x, 200 - 20 * y
    if min(5 - abs(x), 5 - abs(y)) > 0.3: # a disc at the edge of the picture is cut
        assert np.hypot(*np.subtract(middle(png(f"d{k}.png")), want)) < 0.5, (k, middle(png(f"d{k}.png")), want)
# The path: from the lower right over the lower edge to the upper right, and over the right edge to the upper left.
path = png("p8.png").max(2) > 8
rows, columns = np.nonzero(path)
s = np.linspace(0, 1, 400)
x, y = (9.6 + 0.8 * s) % 10 - 5, (1 - 3 * s) % 10 - 5
near = np.hypot(columns[:, None] + 0.5 - (200 + 20 * x), rows[:, None] + 0.5 - (200 - 20 * y)).min(1)
assert len(rows) > 60 and near.max() < 8, (len(rows), near.max())
for k in np.arange(0, 400, 10):
    if min(5 - abs(x[k]), 5 - abs(y[k])) > 0.1:
        assert path[int(200 - 20 * y[k]), int(200 + 20 * x[k])], (x[k], y[k])
P
}

@test "bodies that get new places in the inlet of a flow have no paths there" {
    take inlet
    take behind
    take no-flow
    for name in inlet behind no-flow; do
        nbrender -q --size 160x100 --style discs --frame last --trails 2 -o $name-path.png $name.nbs
        nbrender -q --size 160x100 --style discs --frame last -o $name.png $name.nbs
    done
    python - <<'P'
import numpy as np
from picture import png
for name, has in ("inlet", False), ("behind", True), ("no-flow", True):
    assert (abs(png(f"{name}-path.png").astype(int) - png(f"{name}.png")).max() > 30) == has, name
P
}

@test "average: of the frames of the last T time units, in maps and as light; another stream is another average" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
def gas(t, n=1500):
    x = rng.uniform(-1.2, 1.2, (n, 3))
    return frame(np.full(n, 1 / n), x, np.tile([1.0 + t, 0, 0], (n, 1)), time=t)
one = [gas(0.25 * k) for k in range(16)]
write("gas.nbs", *one)
write("two.nbs", *one[:3], *one[:2])
P
    at=(-q -f --size 64x64 --extent 1 --center 0,0,0 --smooth fixed)
    nbrender "${at[@]}" --map density -o 'one%d.npy' gas.nbs
    nbrender "${at[@]}" --map density --average 0.75 -o 'four%d.npy' gas.nbs
    nbrender "${at[@]}" --map density --average 3.75 --frame last --threads 1 -o all.npy gas.nbs
    nbrender "${at[@]}" --map density --average 0.75 --frame 9 -o nine.npy <gas.nbs
    nbrender "${at[@]}" --map density --average 9 -o 'two%d.npy' two.nbs
    nbrender "${at[@]}" --map speed --average 0.5 --frame 2 -o speed.npy gas.nbs
    nbrender "${at[@]}" --style light --bloom 0 --exposure fixed --frame 0,1 -o 'light%d.npy' gas.nbs
    nbrender "${at[@]}" --style light --bloom 0 --exposure fixed --frame 0,1 --average 0.25 -o 'light-two%d.npy' gas.nbs
    cmp nine.npy four9.npy
    python - <<'P'
import numpy as np
one = np.array([np.load(f"one{k}.npy") for k in range(16)]).astype(float)
four = np.array([np.load(f"four{k}.npy") for k in range(16)]).astype(float)
for k in range(16):
    assert np.allclose(four[k], one[max(k - 3, 0) : k + 1].mean(axis=0), rtol=1e-4, atol=1e-6), k
whole = np.load("all.npy").astype(float)
assert np.allclose(whole, one.mean(axis=0), rtol=1e-4)
def noise(a):  # about the density of the box
    return (a[..., 8:-8, 8:-8] * 5.76 - 1).std()
assert abs(noise(one) / noise(four[3:]) / 2 - 1) < 0.1 and abs(noise(one) / noise(whole) / 4 - 1) < 0.15, (noise(one), noise(four[3:]), noise(whole))
two = [np.load(f"two{k}.npy") for k in range(5)]
assert np.array_equal(two[3], two[0]) and np.array_equal(two[4], two[1])
speed = np.load("speed.npy").astype(float)
mass = one[:3] / one[:3].sum(axis=0)
good = one[:3].sum(axis=0) > 0.01
assert np.allclose(speed[good], (mass * np.array([1, 1.25, 1.5])[:, None, None]).sum(axis=0)[good], rtol=1e-3)
light = [np.load(f"light{k}.npy") for k in (0, 1)]
assert np.allclose(np.load("light-two1.npy").sum(axis=2), (light[0] + light[1]).sum(axis=2) / 2, rtol=1e-3, atol=1e-6)
P
    for wrong in '--interpolate 2' '--shutter 0.5' '--map potential'; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender -q --average 1 $wrong -o x.png gas.nbs
    done
    run -1 --separate-stderr nbrender -q --average 1 --style discs -o x.png gas.nbs
    [[ $stderr == *"light can be averaged"* ]]
    [ ! -e x.png ]
}

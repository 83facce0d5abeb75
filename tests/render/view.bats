#!/usr/bin/env bats
# Position and direction of nbrender's cameras: panes, stereo pairs, cameras that move or follow.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

plain=(-q --smooth fixed) # every body is a spot of three pixels about its place

# ---- panes ----

@test "a quad shows a body from the top, in perspective, from the front and from the side, between thin gaps" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    nbrender "${plain[@]}" --size 402x202 --no-dither --layout quad --extent 10 --center 0,0,0 -o one.png one.nbs
    nbrender "${plain[@]}" --size 403x203 --no-dither --layout quad --extent 10 --center 0,0,0 -o odd.png one.nbs
    nbrender "${plain[@]}" --size 402x202 --no-dither --layout quad --extent 10 --center 0,0,0 --view 20,50 --fov 70 --spin 7 \
        -o turned.png one.nbs
    python - <<'P'
import math
from picture import png, middle
R, x, y, z = 10, 1, 2, 3
def perspective(az, el, fov):
    a, e = math.radians(az), math.radians(el)
    back = math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)
    right = -math.sin(a), math.cos(a), 0
    up = -math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)
    u, v, w = (sum(p * q for p, q in zip(axis, (x, y, z))) for axis in (right, up, back))
    near = 1 / (1 - w * math.tan(math.radians(fov) / 2) / R)
    return u * near, v * near
for name, gap, view in ("one", 2, (-60, 25, 40)), ("odd", 3, (-60, 25, 40)), ("turned", 2, (20, 50, 70)):
    p = png(f"{name}.png")
    far = 200 + gap, 100 + gap
    panes = ((0, 0), (x, y)), ((far[0], 0), perspective(*view)), ((0, far[1]), (x, z)), ((far[0], far[1]), (y, z))
    for (left, top), (u, v) in panes:
        at = middle(p[top : top + 100, left : left + 200])
        assert abs(at[0] - (100 + 100 * u / R)) < 0.1 and abs(at[1] - (50 - 100 * v / R)) < 0.1, (name, left, top, at)
    gaps = p[100 : 100 + gap].reshape(-1, 3), p[:, 200 : 200 + gap].reshape(-1, 3)
    assert all((g == g[0, 0]).all() and 20 < g[0, 0] < 80 for g in gaps)
P
}

@test "panes share extent and exposure: what is in the picture is in every pane, and equally bright" {
    nbgen uniform -n 3000 -o u.nbs # a ball
    nbrender -q --size 402x402 --extent 2 --layout quad -o quad.png u.nbs
    nbrender -q --size 200x200 --extent 2 -o single.png u.nbs
    python - <<'P'
from picture import png
quad, single = png("quad.png").astype(int), png("single.png").astype(int)
panes = [quad[top : top + 200, left : left + 200] for top in (0, 202) for left in (0, 202)]
sums = [p.sum() for p in panes]
assert max(sums) < 1.15 * min(sums), sums  # it looks the same from all sides
assert all((p.max(axis=2)[:6] < 20).all() for p in panes)
assert abs(sums[0] - single.sum()) < 0.1 * single.sum(), (sums, single.sum())
P
}

# ---- stereo ----

@test "stereo: a nearer body is farther right for the left eye (red) than for the right one (cyan), by the eyes' base" {
    printf '1 0 0 4 0 0 0\n' | bodies near.nbs
    printf '1 0 0 -4 0 0 0\n' | bodies far.nbs
    printf '1 3 1 0 0 0 0\n' | bodies plane.nbs
    for k in near far plane; do
        nbrender -q --size 400x200 --extent 10 --center 0,0,0 --fov 60 --stereo anaglyph,0.1 --no-dither -o $k.png $k.nbs
    done
    nbrender -q --size 400x200 --extent 10 --center 0,0,0 --stereo anaglyph -o default.png near.nbs
    nbrender -q --size 400x200 --extent 10 --center 0,0,0 --fov 40 --stereo anaglyph,0.0333333 -o given.png near.nbs
    python - <<'P'
import math
import numpy as np
from picture import png, middle
def eyes(name):
    p = png(f"{name}.png")
    assert (p[:, :, 1] == p[:, :, 2]).all()
    return middle(p[:, :, :1]), middle(p[:, :, 1:])
D = 10 / math.tan(math.radians(30))
for name, z, x, y in ("near", 4, 0, 0), ("far", -4, 0, 0), ("plane", 0, 3, 1):
    left, right = eyes(name)
    parallax = 20 * 0.1 * D * z / (D - z)  # pixels, positive: seen crossed, in front of the screen
    assert abs(left[0] - right[0] - parallax) < 0.1 and abs(left[1] - right[1]) < 0.01, (name, left, right, parallax)
    assert abs((left[0] + right[0]) / 2 - (200 + 20 * x * D / (D - z))) < 0.1 and abs(left[1] - (100 - 20 * y)) < 0.1
assert (png("default.png") == png("given.png")).all()
P
}

@test "stereo: of a quad the perspective is a pair, and the other panes are grey" {
    nbgen plummer -n 2000 -o p.nbs
    at=(-q --extent 3 --center 0,0,0 --no-dither --exposure fixed)
    nbrender "${at[@]}" --layout quad --size 202x202 -o flat.png p.nbs
    nbrender "${at[@]}" --layout quad --size 202x202 --stereo anaglyph,0.1 -o quad.png p.nbs
    nbrender "${at[@]}" --layout quad --size 202x202 --stereo anaglyph,1e-6 -o near.png p.nbs
    python - <<'P'
import numpy as np
from picture import png
flat, quad, near = (png(k + ".png").astype(int) for k in ("flat", "quad", "near"))
top, eyes, front, side = np.s_[:100, :100], np.s_[:100, 102:], np.s_[102:, :100], np.s_[102:, 102:]
for pane in top, front, side:
    assert np.ptp(quad[pane], axis=2).max() == 0 and abs(quad[pane][..., 0] - flat[pane].max(axis=2)).max() < 12
assert np.ptp(quad[eyes], axis=2).max() > 60 and np.ptp(near[eyes], axis=2).max() < 12
assert abs(near[eyes].max(axis=2) - flat[eyes].max(axis=2)).max() < 12
red, cyan = (quad[eyes][..., d].astype(float) for d in (0, 1))
assert abs(red - near[eyes][..., 0]).mean() > 2 and abs(cyan - near[eyes][..., 0]).mean() > 2
P
}

@test "stereo: as bright as without, whatever the colour; black where there is nothing" {
    nbgen plummer -n 3000 -o p.nbs
    nbrender -q --size 200x200 --fov 40 --extent 3 -o flat.png p.nbs
    nbrender -q --size 200x200 --extent 3 --stereo anaglyph,0.0001 -o stereo.png p.nbs
    python - <<'P'
from picture import png
flat, stereo = png("flat.png").astype(int), png("stereo.png").astype(int)
assert abs(flat.max(axis=2) - stereo.max(axis=2)).max() < 12 and stereo.max() > 200
assert abs(stereo[:, :, 0] - stereo[:, :, 1]).max() < 12
P
}

# ---- cameras that move ----

@test "center: of the first frame the centre of mass or the densest place" {
    # half of the mass in a ball about (3, 0, 0), the rest far out to the left
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(2)
ball = rng.normal(size=(3000, 3)) * 0.1 + [3, 0, 0]
wide = rng.uniform(-1, 1, (3000, 3)) * [8, 3, 3] - [4, 0, 0]
pos = np.concatenate([ball, wide])
write("c.nbs", frame(np.ones(6000), pos, 0 * pos))
print(pos.mean(axis=0), file=open("mean", "w"))
P
    for center in densest com; do
        nbrender -q --size 200x200 --extent 10 --center $center --smooth fixed --bloom 0 -o $center.png c.nbs
    done
    nbrender -q --size 200x200 --extent 10 --smooth fixed --bloom 0 -o none.png c.nbs
    python - <<'P'
import numpy as np
from picture import png
def brightest(name):
    p = png(f"{name}.png").max(axis=2).astype(float)
    y, x = np.nonzero(p > 0.8 * p.max())
    return x.mean() + 0.5, y.mean() + 0.5
x, y = brightest("densest")
assert abs(x - 100) < 1 and abs(y - 100) < 1, (x, y)
mean = float(open("mean").read().strip("[]\n").split()[0])
x, y = brightest("com")
assert abs(x - (100 + 10 * (3 - mean))) < 1 and abs(y - 100) < 2, (x, y)
P
    [ "$(nbrender -q --size 200x200 --extent 10 --center com -o - c.nbs | sha1sum)" = \
        "$(nbrender -q --size 200x200 --extent 10 -o - c.nbs | sha1sum)" ]
}

# moving FILE: a swarm of 2000 that moves along a circle, a body with id 7 on another, two of component 3 on a third
moving() {
    python - "$1" <<'P'
import sys
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(3)
swarm = rng.normal(size=(2000, 3)) * 0.2
frames = []
for t in range(4):
    at = lambda r, w: np.array([r * np.cos(w * t), r * np.sin(w * t), t])
    v = lambda r, w: np.array([-r * w * np.sin(w * t), r * w * np.cos(w * t), 1])
    pos = np.concatenate([swarm + at(4, 0.3), [at(7, 0.5)], [at(-5, -0.4) + [0.5, 0, 0], at(-5, -0.4) - [0.5, 0, 0]]])
    vel = np.concatenate([swarm * 0 + v(4, 0.3), [v(7, 0.5)], [v(-5, -0.4)] * 2])
    ids = np.arange(len(pos), dtype=np.uint64) + 100
    ids[2000] = 7
    kinds = np.array([2] * 2000 + [5] + [3] * 2, np.uint8)
    order = rng.permutation(len(pos))
    frames.append(frame(np.ones(len(pos))[order], pos[order], vel[order], time=t, id=ids[order], component=kinds[order]))
write(sys.argv[1], *frames)
P
}

@test "the densest place is found where squares of places are no numbers any more" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
pos = np.concatenate([rng.normal(size=(200, 3)) * 2, rng.normal(size=(200, 3)) * 0.02 + (3, 1, 0)])
for name, unit in ("small", 2.0**-900), ("large", 2.0**900):
    write(f"{name}.nbs", frame(np.ones(400), pos * unit, np.zeros((400, 3))))
    open(name, "w").write(repr(10 * unit))
P
    for name in small large; do
        timeout -s KILL 60 nbrender "${plain[@]}" --size 200x200 --center densest --extent "$(cat $name)" -o $name.png $name.nbs
    done
    python - <<'P'
from picture import png, middle
for name in "small", "large":
    p = png(name + ".png").copy()
    p[p < 200] = 0
    assert all(abs(k - 100) < 1 for k in middle(p)), (name, middle(p))
P
}

@test "follow: the body of an id, those of a condition, the densest place stay in the middle, between frames too" {
    moving m.nbs
    for follow in 7 densest bulge 'component == 3'; do
        nbrender -q --size 400x400 --extent 12 --view 20,35 --style light --smooth fixed --bloom 0 --exposure 20 --follow "$follow" \
            --select all --interpolate 2 -o "$follow-%d.png" m.nbs
    done
    # body 7 is a black hole: without --select it is dark, and followed all the same
    nbrender -q --size 400x400 --extent 12 --view 20,35 --style light --smooth fixed --bloom 0 --exposure 20 --follow 7 \
        --interpolate 2 -o dark-%d.png m.nbs
    # the first frame is needed for where the densest place was before, and nothing else
    nbrender -q --size 200x200 --extent 12 --follow 7 -o 'a%d.png' m.nbs
    nbrender -q --size 200x200 --extent 12 --follow 7 --frame 2 -o b.png m.nbs
    python - <<'P'
from picture import png, middle
for k in range(7):
    seen, dark = (png(f"{name}-{k}.png").astype(int) for name in ("7", "dark"))
    hole = abs(seen - dark)[196:204, 196:204].max(axis=2)
    assert dark[196:204, 196:204].max() < 40 < hole.max(), k
    assert (abs(seen - dark)[:190] <= 1).all()  # what else there is
for follow, reach in ("7", 4), ("densest", 14), ("bulge", 12), ("component == 3", 12):
    for k in range(7):
        p = png(f"{follow}-{k}.png")[200 - reach : 200 + reach, 200 - reach : 200 + reach]
        x, y = middle(p)
        assert p.max() > 40 and abs(x - reach) < (0.7 if reach == 14 else 0.1) and abs(y - reach) < 0.7, (follow, k, x, y)
assert (png("a2.png") == png("b.png")).all() and (png("a1.png") != png("b.png")).any()
P
    run -1 --separate-stderr nbrender -q --follow 5 -o x.png m.nbs
    [[ "$stderr" == "nbrender: --follow: no body of the first frame has the id 5" ]]
    run -1 --separate-stderr nbrender -q --follow gas -o x.png m.nbs
    [[ "$stderr" == "nbrender: --follow: the first frame has no such body" ]]
    run -1 --separate-stderr nbrender -q --follow 'colour > 3' -o x.png m.nbs
    [[ "$stderr" == "nbrender: --follow: "*colour* ]]
}

@test "follow densest: one picture is the film's, also where nuclei have changed places since the first frame" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(3)
ball, faint, zero = rng.normal(size=(600, 3)), 2 * rng.normal(size=(600, 3)), np.zeros((1200, 3))
write("two.nbs", *(frame(np.ones(1200), np.concatenate([0.5 * ball + [x, 2, 0], faint - [x, 2, 0]]), zero, time=x + 6.0)
                   for x in range(-6, 7)))
P
    follow=(-q --size 120x80 --extent 12 --follow densest)
    nbrender "${follow[@]}" -o 'f%02d.png' two.nbs
    nbrender "${follow[@]}" --frame 12 -o k.png two.nbs
    nbrender "${follow[@]}" -o last.png two.nbs
    nbrender "${follow[@]}" -o pipe.png < two.nbs
    nbrender "${follow[@]}" --frame 3,12 -o 'l%02d.png' two.nbs
    python - <<'P'
from picture import png, middle
f = png("f12.png")
assert f[40, 60].max() > 100 and middle(f)[0] < 45 and middle(png("f00.png"))[0] > 75  # the faint one is right, then left
for one in "k", "last", "pipe", "l12":
    assert (png(f"{one}.png") == f).all(), one
P
}

@test "follow com: what moves as a whole does not move in the picture" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(3)
pos = rng.normal(size=(500, 3))
v = np.array([[3.0, 1, 2]] * 500)
write("m.nbs", *(frame(np.ones(500), pos + v * t, v, time=t) for t in range(3)))
P
    nbrender -q --size 200x200 --follow com --interpolate 3 -o 'f%d.png' m.nbs
    python - <<'P'
from picture import png
first = png("f0.png").astype(int)
assert first.max() > 200
for k in range(1, 7):
    assert abs(png(f"f{k}.png").astype(int) - first).max() <= 2, k
P
}

@test "orbit and zoom go over the film of a file: places, and equally bright" {
    echo "1 3 0 0 0 0 0" | bodies one.nbs
    cat one.nbs one.nbs one.nbs one.nbs one.nbs > five.nbs
    look=(-q --size 400x400 --extent 10 --center 0,0,0)
    nbrender "${look[@]}" --orbit 0.5 --zoom 3 -o 'f%d.png' five.nbs
    nbrender "${look[@]}" --orbit 0.5 --zoom 3 --frame 3 -o k.png five.nbs
    python - <<'P'
import math
from picture import png, middle
for k in range(5):
    x, y = middle(png(f"f{k}.png"))
    angle, r = math.radians(45 * k), 60 * 3 ** (k / 4)
    assert abs(x - 200 - r * math.cos(angle)) < 0.1 and abs(y - 200 - r * math.sin(angle)) < 0.1, (k, x, y)
assert (png("k.png") == png("f3.png")).all()
P
    run -1 --separate-stderr bash -c "cat five.nbs | nbrender ${look[*]} --zoom 3 -o x%d.png"
    [[ "$stderr" == "nbrender: --zoom: the number of frames in a pipe is unknown"* ]]
    nbgen uniform -n 4000 -o u.nbs
    cat u.nbs u.nbs > two.nbs
    nbrender -q --size 200x200 --extent 1.5 --zoom 4 -o 'z%d.png' two.nbs
    python - <<'P'
from picture import png
wide, near = (png(f"z{k}.png").astype(int).max(axis=2)[80:120, 80:120].mean() for k in (0, 1))
assert wide > 40 and abs(near / wide - 1) < 0.25, (wide, near)
P
}

@test "camera: keyframes are hit exactly, the way between is smooth, ends are held; a film from a pipe too" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
place, rest = np.array([[0.5, 1, 1.5]]), np.zeros((1, 3))
write("f.nbs", *(frame(np.ones(1), place, rest, time=t / 4) for t in range(-2, 19)))
P
    cat > cam.txt <<'C'
# a comment, and an empty line

0    10 0 0    0 0 0   0 0 1   60
1    0 12 3    0 1 0   0 0 1   50   # the second
2.5  -9 2 1    0 0 1   0 0 1   60
4    1 1 15    0 0 0   0 1 0   70
C
    nbrender -q --size 400x400 --camera cam.txt -o 'f%02d.png' f.nbs
    cat f.nbs | nbrender -q --size 400x400 --camera cam.txt -o 'p%02d.png'
    python - <<'P'
import numpy as np
from picture import png, middle
keys = [list(map(float, line.split("#")[0].split())) for line in open("cam.txt") if line.split("#")[0].strip()]
def land(key):
    position, target, up, fov = np.array(key[1:4]), np.array(key[4:7]), np.array(key[7:10]), key[10]
    sight = (target - position) / np.linalg.norm(target - position)
    right = np.cross(sight, up) / np.linalg.norm(np.cross(sight, up))
    seen = np.array([0.5, 1, 1.5]) - position
    focal = 200 / np.tan(np.radians(fov / 2)) / (seen @ sight)
    return np.array([200 + focal * (seen @ right), 200 - focal * (seen @ np.cross(right, sight))])
at = np.array([middle(png(f"f{k:02}.png")) for k in range(21)])
for key in keys:
    assert abs(at[round(key[0] * 4) + 2] - land(key)).max() < 0.15, (key, at[round(key[0] * 4) + 2], land(key))
assert abs(at[[0, 1]] - at[2]).max() < 0.1 and abs(at[[19, 20]] - at[18]).max() < 0.1  # held
steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
assert steps[2:18].min() > 0.5 and steps.max() < 0.25 * steps.sum()  # it jumps nowhere
assert all((png(f"f{k:02}.png") == png(f"p{k:02}.png")).all() for k in range(21))
P
    # with --follow its places are counted from what is followed
    moving m.nbs
    echo "0 0 0 20 0 0 0 0 1 0 50" > above.txt
    nbrender -q --size 200x200 --style light --smooth fixed --bloom 0 --camera above.txt --select all --follow 7 -o 'm%d.png' m.nbs
    python - <<'P'
from picture import png, middle
for k in range(4):
    x, y = middle(png(f"m{k}.png")[96:104, 96:104])
    assert abs(x - 4) < 0.1 and abs(y - 4) < 0.1, (k, x, y)
P
}

@test "bad camera files: one line with the line's number, exit 1" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    good='0 10 0 0 0 0 0 0 0 1 60'
    bad_camera() { # bad_camera WANTED LINE...: lines of the file
        local wanted=$1
        shift
        printf '%s\n' "$@" > cam.txt
        run -1 --separate-stderr nbrender -q --camera cam.txt -o x.png one.nbs
        [[ "$stderr" == "nbrender: cam.txt"*"$wanted"* ]] && [ "${#stderr_lines[@]}" -eq 1 ] && [ ! -e x.png ] ||
            { echo "$*: $stderr"; return 1; }
    }
    bad_camera ":2: 10 numbers" "$good" '1 10 0 0 0 0 0 0 0 1'
    bad_camera ":1: 12 numbers" "$good 7"
    bad_camera ":3: x1: expected a number" '# x' "$good" 'x1 10 0 0 0 0 0 0 0 1 60'
    bad_camera ":1: nan: expected a number" '0 nan 0 0 0 0 0 0 0 1 60'
    bad_camera ":1: 1e999: expected a number" '0 1e999 0 0 0 0 0 0 0 1 60'
    bad_camera ":2: time 0 is not after" "$good" "$good"
    bad_camera ":3: time 0.5 is not after" "$good" "1${good#0}" "0.5${good#0}"
    bad_camera ":1: fov 180: expected" '0 10 0 0 0 0 0 0 0 1 180'
    bad_camera ":1: camera and target are at the same position" '0 1 2 3 1 2 3 0 0 1 60'
    bad_camera ":1: up is parallel to the line of sight" '0 0 0 5 0 0 0 0 0 1 60'
    bad_camera ":1: up is parallel to the line of sight" '0 0 0 5 0 0 0 0 0 0 60'
    bad_camera ": contains no keyframe" '# nothing' ''
    head -c 3000 /dev/urandom > cam.txt
    run -1 --separate-stderr nbrender -q --camera cam.txt -o x.png one.nbs
    run -1 --separate-stderr nbrender -q --camera none.txt -o x.png one.nbs
    [[ "$stderr" == "nbrender: none.txt: cannot be read: No such file or directory" ]]
    run -1 --separate-stderr nbrender -q --camera . -o x.png one.nbs
    [[ "$stderr" == "nbrender: .: cannot be read: Is a directory" ]]
}

# ---- usage ----

@test "usage errors: exit 2 and what was wanted" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options -o a.png one.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
single_or_quad --layout triple
at_least_16 --layout quad --size 15x100
anaglyph,BASE --stereo sidebyside
anaglyph,BASE --stereo anaglyphic
above_0 --stereo anaglyph,0
distance_of_the_eyes --stereo anaglyph,3
or_com,_or_densest --center median
condition --follow median(
condition --follow -3
--follow_sets_the_centre --follow com --center 1,2,3
--follow_sets_the_centre --follow com --center densest
--camera_sets --camera c.txt --view x
--camera_sets --camera c.txt --zoom 2
--camera_sets --camera c.txt --fov 20
--camera_sets --camera c.txt --extent 3
--camera_sets --camera c.txt --center 1,2,3
--camera_sets --camera c.txt --center densest
above_0 --zoom 0
above_0 --zoom -1
--orbit --orbit nan
L
    [ -z "$(ls a* 2>/dev/null)" ]
}

@test "the extent of a film: of a file the median of what holds 95 % of the bodies, for each of its pictures; of a pipe the first frame's" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(2)
ball = rng.normal(size=(5000, 3)) * 0.5
reach = [np.quantile(np.maximum(abs(ball[:, 0]), abs(ball[:, 1])) * s, 0.95) for s in (1, 2, 4, 8, 9)]
write("g.nbs", *(frame(np.ones(5000), ball * s, ball * 0, time=t) for t, s in enumerate((1, 2, 4, 8, 9))))
open("want", "w").write(f"{reach[2]} {reach[0]}\n")
P
    extent() { # extent INPUT OPTION...: from the header of a linear picture, pixels of a known length
        input=$1
        shift
        nbrender -q -f --device cpu --style light --size 200x200 "$@" -o x.fits "$input"
        python -c "
import sys
cards = open('x.fits', 'rb').read(8640).decode('latin-1')
cards = dict(c.split('=', 1) for c in (cards[i:i + 80] for i in range(0, len(cards), 80)) if '=' in c)
print(abs(float(cards['CDELT1  '].split('/')[0])) * 100)"
    }
    read -r film first <want
    whole=$(extent g.nbs --frame 4)
    close "$whole" "$(awk "BEGIN { print 1.05 * $film }")" "$(awk "BEGIN { print 0.05 * $film }")"
    [ "$(extent g.nbs --frame 0)" = "$whole" ]
    close "$(extent - --frame 0 < <(cat g.nbs))" "$(awk "BEGIN { print 1.45 * $first }")" "$(awk "BEGIN { print 0.1 * $first }")"
}

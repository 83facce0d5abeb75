#!/usr/bin/env bats
# nbrender --map: maps of quantities instead of light, compared with sums and formulas in numpy.
bats_require_minimum_version 1.5.0
load ../common/common

# The streams of all tests.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("force.nbs", frame([2.0], [[0, 0, 0]], [[0, 0, 0]], G=3, softening=0.1, force=["auto", "external:point,mass=4,x=1"]))
write("two.nbs", frame([1.0, 3.0], [[-1, 0, 0], [1, 0, 0]], [[0, 0, 0]] * 2, softening=0.1))
write("one.nbs", frame([1.0], [[0, 0, 0]], [[0, 0, 0]]))

rng = np.random.default_rng(1)
n = 5000
x = rng.uniform(-0.3, 0.3, (n, 3))
write("many.nbs", frame(rng.uniform(0, 1e6, n), x, np.zeros((n, 3))))

n = 40000  # evenly spread: a sunflower
k = np.arange(n) + 0.5
r, a = np.sqrt(k / n), k * np.pi * (3 - 5**0.5)
write("disk.nbs", frame(np.full(n, 7 / n), np.stack([r * np.cos(a), r * np.sin(a), 0 * r], 1), np.zeros((n, 3))))
rng = np.random.default_rng(2)
n = 300000
write("slab.nbs", frame(np.full(n, 1 / n), rng.uniform(-1, 1, (n, 3)) * [2, 2, 0.5], np.zeros((n, 3))))

a = np.arange(8) * np.pi / 4
pos = np.stack([np.cos(a), np.sin(a), 0 * a], 1)
vel = np.stack([-np.sin(a), np.cos(a), 0 * a], 1) * (1 + np.arange(8))[:, None]  # around, each at its own speed
pos, vel = np.vstack([pos, [[0, 0, -1], [0, 0, 1]]]), np.vstack([vel, [[0, 0, 4], [8, 0, 0]]])
write("ring.nbs", frame([1.0] * 8 + [3.0, 1.0], pos, vel, heat=1e6 + np.arange(10.0), tag=np.arange(10, dtype=np.uint32)))

xy = pos[:8]
write("parts.nbs", frame(np.ones(8), xy, xy[:, [1, 0, 2]] * [-1, 1, 1], acc=-2 * xy))

write("slices.nbs", frame([1.0, 2, 4], [[0.5, 0, 1], [-0.5, 0, 0], [0, 0.5, -1]], np.zeros((3, 3))))

one = frame([1.0, 1.0], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0]] * 2, heat=np.array([np.nan, 5.0]))
write("nan.nbs", one, one)

write("signs.nbs", frame(np.ones(3), [[-1, 0, 0], [0, 0, 0], [1, 0, 0]], np.zeros((3, 3)), heat=np.array([-1.0, 0, 3])))

x = np.random.default_rng(1).uniform(-1, 1, (2000, 3))
for name, value in ("nothing", 0), ("four", 4):
    write(name + ".nbs", frame(np.ones(2000), x, 0 * x, heat=np.full(2000, float(value))))
P
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    ln "$BATS_FILE_TMPDIR"/*.nbs .
}

@test "the potential at ten points is the direct sum's within 1e-4, by the sum, by the tree, and seen from aside" {
    nbgen collision -n 3000 --seed 3 -o m.nbs
    cat > points.py <<'P'
import math
import numpy as np
from nbs_reader import read
f = read(open("m.nbs", "rb"))[0]
W, H = 200, 120
def look(name, extent, az, el):
    az, el = math.radians(az), math.radians(el)
    right = np.array([-math.sin(az), math.cos(az), 0])
    back = np.array([math.cos(el) * math.cos(az), math.cos(el) * math.sin(az), math.sin(el)])
    up = np.cross(back, right)
    centre = np.array([0.1, -0.2, 0.3])
    phi = np.load(name)
    assert phi.shape == (H, W) and phi.dtype == np.float32
    # five pixels anywhere, five in which there is a body near the plane
    d = f["pos"] - centre
    x, y = W / 2 + d @ right * W / 2 / extent, H / 2 - d @ up * W / 2 / extent
    inside = np.flatnonzero((x > 0) & (x < W) & (y > 0) & (y < H))
    near = inside[np.argsort(abs(d[inside] @ back))][:5]
    pixels = [(7, 5), (190, 110), (100, 60), (50, 90), (150, 20)] + [(int(x[i]), int(y[i])) for i in near]
    for i, j in pixels:
        p = centre + (i + 0.5 - W / 2) * 2 * extent / W * right + (H / 2 - j - 0.5) * 2 * extent / W * up
        r = np.sqrt(((f["pos"] - p) ** 2).sum(axis=1) + f["softening"] ** 2)
        expected = -f["G"] * (f["mass"] / r).sum()
        assert abs(phi[j, i] / expected - 1) < 1e-4, (name, i, j, phi[j, i], expected)
look("phi.npy", 3, -90, 90)
look("aside.npy", 0.5, 30, 20)
look("tree.npy", 3, -90, 90)
look("fov.npy", 3, -90, 90)
P
    at=(-q -f --device cpu --size 200x120 --center 0.1,-0.2,0.3 --map potential)
    nbrender "${at[@]}" --extent 3 -o phi.npy m.nbs
    nbrender "${at[@]}" --extent 0.5 --view 30,20 -o aside.npy m.nbs
    nbrender "${at[@]}" --extent 3 --force tree -o tree.npy m.nbs
    nbrender "${at[@]}" --extent 3 --fov 50 -o fov.npy m.nbs # the same plane
    python points.py
}

@test "the potential has the header's forces, and --softening and --force go before them" {
    at=(-q -f --device cpu --size 64x64 --extent 2 --center 0,0,0 --map potential)
    nbrender "${at[@]}" -o header.npy force.nbs
    nbrender "${at[@]}" --softening 0.5 --force direct -o given.npy force.nbs
    nbrender "${at[@]}" --map acceleration --force direct -o a.npy force.nbs
    python - <<'P'
import numpy as np
x = np.arange(64) / 16 - 2 + 1 / 32
X, Y = np.meshgrid(x, -x)
r2 = X**2 + Y**2
assert np.allclose(np.load("header.npy"), -6 / np.sqrt(r2 + 0.01) - 12 / np.hypot(X - 1, Y), rtol=5e-5)
assert np.allclose(np.load("given.npy"), -6 / np.sqrt(r2 + 0.25), rtol=5e-5)
assert np.allclose(np.load("a.npy"), 6 * np.sqrt(r2) / (r2 + 0.01) ** 1.5, rtol=5e-5)
P
}

@test "of what --select leaves out the potential is there all the same, a density is not" {
    at=(-q --device cpu --size 64x64 --extent 2 --center 0,0,0)
    nbrender "${at[@]}" --map potential -o all.npy two.nbs
    nbrender "${at[@]}" --map potential --select 'mass < 2' -o one.npy two.nbs
    nbrender "${at[@]}" --map density --select 'mass < 2' -o density.npy two.nbs
    cmp all.npy one.npy
    python - <<'P'
import numpy as np
m = np.load("density.npy") * (4 / 64) ** 2
assert abs(m.sum() - 1) < 1e-5 and m[:, :32].sum() > 0.99
P
}

@test "mass per area times the area of a pixel sums to the mass in the picture, of every size and footprint" {
    k=0
    width=(0 200 97 320 64)
    for options in "--size 200x120" "--size 97x61 --view 20,30" "--size 320x240 --smooth 100" "--smooth fixed --size 64x200"; do
        # shellcheck disable=SC2086
        nbrender -q --map density --extent 3 --center 0,0,0 $options -o $((++k)).npy many.nbs
    done
    python - "${width[@]}" <<'P'
import sys
import numpy as np
from nbs_reader import read
mass = read(open("many.nbs", "rb"))[0]["mass"].sum()
for k in range(1, 5):
    area = (2 * 3 / int(sys.argv[1 + k])) ** 2
    assert abs(np.load(f"{k}.npy").sum(dtype=float) * area / mass - 1) < 1e-5, k
P
}

@test "a slice has the bodies near its plane, in front of the centre by Z, in every view, style and pane" {
    at=(-q --size 64x64 --extent 2 --center 0,0,0)
    nbrender "${at[@]}" --map density --slice 0.9,0.3 -o front.npy slices.nbs
    nbrender "${at[@]}" --map density --slice -0.5,1 -o middle.npy slices.nbs
    nbrender "${at[@]}" --map density --view x --slice 0.5,0.02 -o x.npy slices.nbs
    nbrender "${at[@]}" --map density --fov 40 --slice -1,0.02 -o fov.npy slices.nbs
    nbrender "${at[@]}" --style light --smooth fixed --slice 0,0.2 -o light.npy slices.nbs
    nbrender "${at[@]}" --slice 1,0.2 --no-dither -o discs.png slices.nbs
    nbrender "${at[@]}" --slice 0.5,0.02 --layout quad --no-dither -o quad.png slices.nbs
    python - <<'P'
import numpy as np
from picture import png
area = (4 / 64) ** 2
for name, mass in ("front", 1), ("middle", 6), ("x", 1), ("fov", 4 / (1 + np.tan(np.pi / 9) / 2) ** 2):
    assert abs(np.load(name + ".npy").sum() * area - mass) < 1e-4 * mass, name
light = np.load("light.npy").sum(axis=2)
assert light[:, :32].sum() > 0.99 * light.sum() > 0
discs = png("discs.png").max(axis=2)
assert discs[:, 36:].max() > 100 and discs[:, :36].max() < 10
quad = png("quad.png").max(axis=2)
assert quad[34:, 34:].max() > 100 and max(quad[:30, :30].max(), quad[34:, :30].max()) < 10  # one at x = 0.5, none at such y or z
P
}

@test "footprints of a map are half as many bodies wide as those of light" {
    at=(-q --map density --size 64x36 --extent 1 --center 0,0,0)
    nbrender "${at[@]}" -o chosen.npy many.nbs
    nbrender "${at[@]}" --smooth 7.5 -o given.npy many.nbs
    nbrender "${at[@]}" --smooth 14 -o light.npy many.nbs
    cmp chosen.npy given.npy
    run ! cmp -s chosen.npy light.npy
}

@test "a uniform disk and, in perspective, a uniform slab have their surface density" {
    nbrender -q --map density --size 200x200 --extent 1.25 --center 0,0,0 -o disk.npy disk.nbs
    nbrender -q --map density --size 100x100 --extent 0.5 --fov 40 --center 0,0,0 -o slab.npy slab.nbs
    python - <<'P'
import numpy as np
disk, pixel = np.load("disk.npy").astype(float), 2.5 / 200
y, x = np.mgrid[:200, :200] - 99.5
middle = np.hypot(x, y) * pixel < 0.7
density = disk[middle]
assert abs(density.mean() / (7 / np.pi) - 1) < 2e-3, density.mean()
assert density.std() < 0.1 * density.mean()
assert disk[np.hypot(x, y) * pixel > 1.2].sum() * pixel**2 < 1e-3 * 7
slab = np.load("slab.npy").astype(float)[10:90, 10:90]
assert abs(slab.mean() / (1 / 16) - 1) < 0.02, slab.mean()
P
}

@test "a mean is a body's own value where it is alone, by mass where two are, and nothing where none is" {
    for what in speed vel heat tag; do
        nbrender -q --map $what --smooth fixed --size 400x400 --extent 1.5 --center 0,0,0 -o $what.npy ring.nbs
    done
    python - <<'P'
import numpy as np
speed, vel, heat, tag = (np.load(f"{k}.npy") for k in ("speed", "vel", "heat", "tag"))
for k in range(8):
    i, j = int(200 + np.cos(k * np.pi / 4) / 1.5 * 200), int(200 - np.sin(k * np.pi / 4) / 1.5 * 200)
    assert abs(speed[j, i] - (1 + k)) < 1e-5 and vel[j, i] == speed[j, i], (k, speed[j, i])
    assert abs(heat[j, i] - (1e6 + k)) < 0.1 and abs(tag[j, i] - k) < 1e-5
assert abs(speed[200, 200] - (3 * 4 + 8) / 4) < 1e-5
assert np.isnan(speed[5, 5]) and 0.5 < np.isnan(speed).mean() < 1
P
}

@test "a part of a vector has its sign, by each of its names" {
    for what in vy vel.y ax acc.x; do
        nbrender -q --map $what --smooth fixed --size 100x100 --extent 1.5 --center 0,0,0 -o $what.npy parts.nbs
    done
    cmp vy.npy vel.y.npy
    cmp ax.npy acc.x.npy
    nbrender -q --color vy --size 100x100 --extent 1.5 --center 0,0,0 --smooth fixed --style light -o light.npy parts.nbs
    python - <<'P'
import numpy as np
vy, ax = np.load("vy.npy"), np.load("ax.npy")
for k in range(8):
    i, j = int(50 + np.cos(k * np.pi / 4) / 1.5 * 50), int(50 - np.sin(k * np.pi / 4) / 1.5 * 50)
    assert abs(vy[j, i] - np.cos(k * np.pi / 4)) < 1e-5 and abs(ax[j, i] + 2 * np.cos(k * np.pi / 4)) < 1e-5, (k, vy[j, i], ax[j, i])
light = np.load("light.npy")
assert light[50, 83, 0] > light[50, 83, 2] and light[50, 17, 0] < light[50, 17, 2]  # towards +y, -y
P
    for option in --map --color; do
        run -1 --separate-stderr nbrender -q $option mass.x -o x.png ring.nbs
        [ "$stderr" = "nbrender: $option mass.x: column mass is not a vector" ]
    done
    run -1 --separate-stderr nbrender -q --map ax -o x.png ring.nbs
    [[ $stderr == "nbrender: --map ax: unknown column (nbsim --write adds it); columns: "* ]]
    run -2 --separate-stderr nbrender -q --map vel.w -o x.png ring.nbs
    [ ! -e x.png ]
}

@test "a body without a number is left out, with one warning; a column that is not there is one line" {
    run --separate-stderr nbrender --map heat --size 64x64 --extent 1 --center 0,0,0 -o heat-%d.npy nan.nbs
    [ "$status" = 0 ]
    [ "$(grep -c 'not finite' <<<"$stderr")" = 1 ]
    [[ $stderr == *"--map heat: 1 of 2 bodies have values"* ]]
    python -c 'import numpy as np; assert abs(np.load("heat-1.npy")[32, 32] - 5) < 1e-6'
    run --separate-stderr nbrender -q --map cold -o cold.png nan.nbs
    [ "$status" = 1 ]
    [ "$(wc -l <<<"$stderr")" = 1 ]
    [[ $stderr == *"--map cold"*"heat"* ]]
    [ ! -e cold.png ]
}

@test "contours lie where the potential has round values, and nowhere else; each has a number" {
    at=(-q --map potential --map-bodies 0 --overlay none --size 301x301 --extent 1 --center 0,0,0)
    linear=(--color-scale linear --color-range -4,-1) log=(--color-range -20,-0.6)
    nbrender "${at[@]}" "${linear[@]}" --contours 0 -o without-linear.png one.nbs
    nbrender "${at[@]}" "${linear[@]}" --contours 2 -o linear.png one.nbs
    nbrender "${at[@]}" "${log[@]}" --contours 0 -o without-log.png one.nbs
    nbrender "${at[@]}" "${log[@]}" --contours 4 -o log.png one.nbs
    python - <<'P'
import numpy as np
from picture import png
y, x = np.mgrid[:301, :301] - 150
r, angle = np.hypot(x, y) / 150.5, np.arctan2(y, x)
for kind, levels in ("linear", (2, 3)), ("log", (1, 2, 5, 10)):
    lines = abs(png(kind + ".png").astype(int) - png(f"without-{kind}.png")).max(axis=2)
    beside = abs(x) > 20 # of the numbers
    off = np.min([abs(r - 1 / level) for level in levels], axis=0) * 150.5  # of -1/r
    assert (lines[beside & (off > 1.3)] == 0).all(), kind
    for level in levels:
        ring = (abs(r - 1 / level) * 150.5 < 1.3) & (lines > 0)
        share = np.histogram(angle[ring & beside], 72, (-np.pi, np.pi))[0]
        far = np.histogram(angle[(abs(r - 1 / level) * 150.5 < 1.3) & beside], 72, (-np.pi, np.pi))[0] > 6
        assert (share[far] > 0).all(), (kind, level)  # closed
        if level < 5: # wide enough for its number
            number = (abs(abs(y) - 150.5 / level) < 6) & ~beside
            assert (lines[number] > 100).sum() > 15, (kind, level)
P
}

@test "a picture of a map: deep is bright, thin is black, all panes have one range; few bodies are discs over it" {
    nbgen plummer -n 2000 --seed 1 -o p.nbs
    nbrender -q --map potential --contours 0 --map-bodies 0 --size 160x90 -o phi.png p.nbs
    nbrender -q --map speed --size 160x90 --extent 12 -o speed.png p.nbs
    nbrender -q --map density --layout quad --size 160x160 -o quad.png p.nbs
    nbgen figure8 | nbrender -q --map potential --size 320x180 -o discs.png
    nbgen figure8 | nbrender -q --map potential --map-bodies 0 --size 320x180 -o under.png
    python - <<'P'
import numpy as np
from picture import png
phi = png("phi.png").astype(int).sum(axis=2)
assert phi[45, 80] > 600 and phi[45, 80] > 3 * phi[0, 0] and phi.argmax() // 160 in range(40, 50)
speed = png("speed.png").astype(int).sum(axis=2)
assert speed[0, 0] == 0 and (speed[40:50, 75:85] > 0).all()
quad = png("quad.png").astype(int).sum(axis=2)
corners = quad[:79, :79], quad[:79, 81:], quad[81:, :79], quad[81:, 81:]
assert all(c[35:44, 35:44].mean() > 500 for c in corners)
discs = png("discs.png").astype(int)
blue = discs[:, :, 2] - discs[:, :, 0]
assert blue.max() > 60  # a slow one, over red and yellow
under = png("under.png").astype(int)
assert under.max() > 100 and 0.5 < (discs == under).all(axis=2).mean() < 1
P
}

@test "of one value everywhere the colour bar goes half of it to both sides, of 0 one" {
    look=(-q --map heat --size 400x300 --extent 1 --overlay colorbar --color-scale linear)
    for case in nothing:-1,1 four:2,6; do
        name=${case%:*}
        nbrender "${look[@]}" -o $name-chosen.png $name.nbs
        nbrender "${look[@]}" --color-range "${case#*:}" -o $name-given.png $name.nbs
    done
    same_picture nothing-{chosen,given}.png four-{chosen,given}.png
}

@test "of both signs 0 is neutral and the range symmetric, unless a range or another colour map is given" {
    look=(-q --map heat --size 100x50 --extent 2 --center 0,0,0 --smooth fixed --no-dither --overlay none)
    nbrender "${look[@]}" -o chosen.png signs.nbs
    nbrender "${look[@]}" --color-range -3,3 --colormap coolwarm -o given.png signs.nbs
    nbrender "${look[@]}" --color-range -1,3 -o range.png signs.nbs
    nbrender "${look[@]}" --color-range -1,3 --colormap viridis -o range-viridis.png signs.nbs
    nbrender "${look[@]}" --colormap viridis -o viridis.png signs.nbs
    same_picture chosen.png given.png range.png range-viridis.png viridis.png range.png
    nbrender -q --color heat --size 100x50 --extent 2 --center 0,0,0 --style light --bloom 0 --stars 0 --smooth fixed -o light.npy signs.nbs
    python - <<'P'
import numpy as np
from picture import png
p = png("chosen.png").astype(int)
low, none, high = p[25, 25], p[25, 50], p[25, 75]
assert (none == 0xdd).all() and (high == [0xb4, 4, 0x26]).all(), (none, high)
assert abs(low - [170, 197, 251]).max() < 2, low  # at 1/3: two thirds of the way from 0x8db0fe to 0xb8d0f9
light = np.load("light.npy")[25, 25:76:25]
hue = light / light.max(axis=1, keepdims=True)
assert np.ptp(hue[1]) < 1e-6 and hue[0, 2] == 1 > hue[0, 0] and hue[2, 0] == 1 > hue[2, 2], hue
P
}

@test "text is dark on a pale map, and pale on a dark one" {
    for colour in '0.9 0.9 0.9' '0.1 0.1 0.1'; do
        printf '%s\n' "$colour" "$colour" > one.map
        nbrender -q --map heat --size 400x300 --extent 0.5 --center 0,0,0 --colormap one.map --no-dither --contours 0 -f -o "${colour%% *}.png" four.nbs
    done
    python - <<'P'
from picture import png
pale, dark = (png(k + ".png").max(axis=2)[60:78, 330:394] for k in ("0.9", "0.1"))  # the label
assert (pale < 110).sum() > 15 < (dark > 120).sum(), ((pale < 110).sum(), (dark > 120).sum())
assert (abs(pale[:, 0].astype(int) - 229.5) < 1).all() and (abs(dark[:, 0].astype(int) - 25.5) < 1).all()
P
}

@test "the colour bar has an arrow at an end beyond which there are values, and none where all are within" {
    shot() {
        nbrender -q --map heat --size 400x300 --extent 2 --center 0,0,0 --smooth fixed --no-dither --colormap coolwarm "$@" signs.nbs
    }
    shot --color-range -2,2 -o above.png
    shot --color-range -0.5,4 -o below.png
    shot --color-range -0.5,2.5 -o both.png
    shot --color-range -1,3 -o none.png
    nbrender -q --color heat --size 400x300 --extent 2 --center 0,0,0 --color-scale linear --color-range -2,2 --colormap coolwarm --overlay colorbar --no-dither --style light -o light.png signs.nbs
    python - <<'P'
from picture import png
top, bottom = [180, 4, 38], [59, 76, 192]
def arrows(name):  # the bar is at x 384 to 392 and y 83 to 195
    p = png(name + ".png").astype(int)
    return p[79, 388].max() > 0 and abs(p[79, 388] - top).max() < 3, p[199, 388].max() > 0 and abs(p[199, 388] - bottom).max() < 3
assert arrows("above") == (True, False)
assert arrows("below") == (False, True)
assert arrows("both") == (True, True)
assert arrows("none") == (False, False)
p = png("light.png").astype(int)
assert p[79, 388].max() > 200 and p[199, 388].max() < 3
P
}

@test "what cannot be is one line and exit 2" {
    usage() {
        local why=$1
        shift
        run --separate-stderr nbrender -q -o x.png "$@" nothing.nbs
        [ "$status" = 2 ] && [[ $stderr == *"$why"* ]] || { echo "$* -> $status: $stderr" >&2; return 1; }
    }
    usage "--contours" --contours 3
    usage "--contours 300" --map density --contours 300
    usage "--force, --theta and --softening" --map density --force tree
    usage "--force, --theta and --softening" --softening 1
    usage "--theta 9" --map potential --theta 9
    usage "force" --map potential --force magic
    usage "--force: self-gravity would count twice" --map potential --force tree --force direct
    usage "--map Speed!" --map 'Speed!'
    usage "--map-bodies 2" --map potential --map-bodies 2
    usage "shows no bodies" --map density --trails 1
    usage "--slice 1,0" --slice 1,0
    usage "--point-size" --map density --point-size 3
    usage "uses colours for the eyes" --map density --stereo anaglyph
    for option in '--color speed' '--weight count' '--stars 0.1' '--bloom 0.3' '--exposure 2' '--map-bodies 1'; do
        # shellcheck disable=SC2086
        usage "${option%% *} cannot be used with --map density" --map density $option
    done
    usage "--map-bodies needs" --map-bodies 1
    usage "uses all bodies" --map potential --select 'id < 3' --interpolate 4
    [ ! -e x.png ]
}

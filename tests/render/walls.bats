#!/usr/bin/env bats
# nbrender's pictures of disks in contact: the default view is the box, discs have their true radii, walls are drawn at
# the positions in the header.
bats_require_minimum_version 1.5.0
load ../common/common


setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
def put(name, x, **head):
    x = np.column_stack([np.array(x, float), np.zeros(len(x))])
    write(name, frame(np.ones(len(x)), x, x * 0 + [1, 0, 0], **{**dict(G=0, contact="1 0 0.05", box="-1 7 -2 2"), **head}))
triangle, glass = "wall-a 2 -1 5 -1 3.5 1 2 -1", "glass 0 -1 0 1 6 1 6 -1 0 -1"
put("pair.nbs", [[0, 1], [3, 0], [3.1, 0], [5, -1], [5.11, -1]])
put("solid.nbs", [[0, 0], [3.5, -0.5]], wall=triangle)
put("glass.nbs", [[1, 0], [1.5, 0.5]], wall=glass)
put("thin.nbs", [[0, -1]], wall=["bottom -1 -2 7 -2", "rod 1 0 5 0"])
put("short.nbs", [[0, 0]], wall="a 0 0")
put("none.nbs", [[0, 0], [1, 1]])
sizes = np.array([0.1, 0.04, 0.07, 0.2, np.nan], "f4")
put("sizes.nbs", [[0, 1], [2, 1], [4, 1], [0, -1], [2, -1]], contact="1 0 0.1", radius=sizes)
put("many.nbs", np.random.default_rng(1).uniform([-1, -2], [7, 2], (300, 2)))
P
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    s=$BATS_FILE_TMPDIR
}

look=(-q --size 800x400 --color-range 0,1)

@test "the view is the header's box, whole, in a picture of any shape; --center and --extent say otherwise" {
    nbrender "${look[@]}" -o wide.png "$s/pair.nbs"
    nbrender "${look[@]}" --size 400x400 -o square.png "$s/pair.nbs"
    nbrender "${look[@]}" --size 800x200 -o flat.png "$s/pair.nbs"
    nbrender "${look[@]}" --center 0,1,0 --extent 1 -o near.png "$s/pair.nbs"
    nbrender "${look[@]}" --center com -o com.png "$s/pair.nbs"
    python - <<'P'
from picture import png
def lit(name, x, y):
    p = png(name)
    return p[y, x].max() > 150 and p.shape
# the body at (0, 1): a scale of 100, 50 and 50 pixels a length; of 400 with the body in the middle
assert lit("wide.png", 100, 100) and lit("square.png", 50, 150) and lit("flat.png", 250, 50) and lit("near.png", 400, 200)
assert not lit("square.png", 50, 170) and not lit("flat.png", 230, 50)
# the bodies' middle is (3.242, -0.2); the box reaches 2.2 upwards from there
scale = 200 / 2.2
assert lit("com.png", round(400 - 3.242 * scale), round(200 - 1.2 * scale))
P
}

@test "discs have the radius of the header: of two that touch the picture shows it" {
    nbrender "${look[@]}" --size 1600x800 -o p.png "$s/pair.nbs"
    python - <<'P'
import numpy as np
from picture import png, spots
p = png("p.png").max(axis=2)
assert spots(png("p.png")) == 4 # of five discs, two touch; two are a fifth of a radius apart
alone = p[160:240, 160:240] # (0, 1), radius 10 pixels
area = np.minimum(alone / (0.6 * p.max()), 1).sum()
assert abs((area / np.pi) ** 0.5 - 10) < 0.3, (area / np.pi) ** 0.5
P
}

@test "discs have the radii of the column where there is one; of what is none, the header's" {
    nbrender "${look[@]}" --size 1600x800 -o p.png "$s/sizes.nbs"
    python - <<'P'
import numpy as np
from picture import png
p = png("p.png").max(axis=2)
for x, y, radius in (0, 1, 20), (2, 1, 8), (4, 1, 14), (0, -1, 20), (2, -1, 20): # 200 pixels a length
    alone = p[400 - 200 * y - 60 : 460 - 200 * y, 200 * x + 140 : 200 * x + 260]
    found = (np.minimum(alone / (0.6 * p.max()), 1).sum() / np.pi) ** 0.5
    assert abs(found - radius) < 0.4, (x, y, radius, found)
P
}

@test "many that touch are discs where their radius is seen, and light where it is not" {
    nbrender "${look[@]}" -o discs.png "$s/many.nbs"
    nbrender "${look[@]}" --size 160x80 -o light.png "$s/many.nbs"
    nbrender "${look[@]}" --size 160x80 --style light -o same.png "$s/many.nbs"
    nbrender "${look[@]}" --color density -o counted.png "$s/many.nbs" 2>&1 | tee err
    python - <<'P'
import numpy as np
from picture import png
assert (png("discs.png").max(axis=2) == 0).mean() > 0.8 and (png("light.png").max(axis=2) == 0).mean() < 0.2
assert np.array_equal(png("light.png"), png("same.png")) and (png("counted.png").max(axis=2) > 0).mean() > 0.8
P
}

@test "a solid is filled over what is in it, with its line; --walls lines leaves it open, none leaves it out" {
    for walls in fill lines none; do
        nbrender "${look[@]}" --no-dither --walls $walls -o $walls.png "$s/solid.nbs"
    done
    nbrender "${look[@]}" --no-dither -o usual.png "$s/solid.nbs"
    python - <<'P'
import numpy as np
from picture import png
fill, lines, none = (png(f"{k}.png").astype(int) for k in ("fill", "lines", "none"))
assert np.array_equal(fill, png("usual.png"))
# the triangle in pixels: (300, 300) (600, 300) (450, 100); a disc at (450, 250), another at (100, 200)
solid = fill[220, 450]
assert 30 < solid.max() < 80 and np.ptp(solid) < 8
y, x = np.mgrid[:400, :800] + 0.5
inside = (y < 296) & (y > 100 + abs(x - 450) * 200 / 150 + 6)
outside = (y > 304) | (y < 100 + abs(x - 450) * 200 / 150 - 6)
assert inside.sum() > 20000 and (fill[inside] == solid).all()
away = outside & (np.hypot(x - 100, y - 200) > 8)
assert (fill[away] == 0).all() and (lines[away] == 0).all()
for at in ((300, 350), (300, 550), (200, 525), (200, 375)): # places on the line
    near = np.s_[at[0] - 2 : at[0] + 3, at[1] - 2 : at[1] + 3]
    assert fill[near].max() > 110 and lines[near].max() > 110 and none[near].max() == 0, at
assert lines[220, 450].max() == 0 and lines[250, 450].max() > 150
assert none[250, 450].max() > 150 and (none[inside & (np.hypot(x - 450, y - 250) > 8)] == 0).all()
assert (fill[195:205, 95:105].max() > 150) and np.array_equal(fill[190:210, 90:110], none[190:210, 90:110])
P
}

@test "of a container the outside is filled; edge-on it has none; thin walls are lines" {
    nbrender "${look[@]}" --no-dither -o glass.png "$s/glass.nbs"
    nbrender "${look[@]}" --view y -o edge.png "$s/glass.nbs"
    nbrender "${look[@]}" -o thin.png "$s/thin.nbs"
    python - <<'P'
import numpy as np
from picture import png
glass, edge, thin = (png(f"{k}.png").max(axis=2).astype(int) for k in ("glass", "edge", "thin"))
solid = glass[20, 20]
assert solid > 30 and (glass[:96] == solid).all() and (glass[:, :96] == solid).all() and (glass[304:] == solid).all()
assert (glass[104:296, 300:696] == 0).all() and glass[200, 200] > 150 and glass[150, 250] > 150
assert (edge[:190] == 0).all() and (edge[210:] == 0).all() and edge[198:202, 300].max() > 110
assert (thin[198:202, 205:595].max(axis=0) > 110).all() and (thin[190:210, 610:] == 0).all() and (thin[190:210, :190] == 0).all()
assert (thin[398:].max(axis=0) > 60).all()
P
}

@test "walls are in maps, in every pane, and for both eyes" {
    nbrender "${look[@]}" --map density --overlay none -o map.png "$s/solid.nbs"
    nbrender -q --size 800x400 --color-range 0,1 --layout quad -o quad.png "$s/solid.nbs"
    nbrender -q --size 800x400 --color-range 0,1 --stereo anaglyph -o pair.png "$s/solid.nbs"
    python - <<'P'
import numpy as np
from picture import png
assert np.array_equal(png("map.png")[220, 450] // 10, [5, 5, 5])
quad = png("quad.png").astype(int) # from the top in the first quarter, in which the solid is the only grey area
assert 2000 < (np.all(abs(quad[:198, :398] - 52) < 4, axis=2)).sum() < 20000
pair = png("pair.png").astype(int)
assert (pair[..., 0] > 100).sum() > 300 and (pair[..., 1] > 100).sum() > 300
assert (pair[..., 2] > 100).sum() > 300 and pair[220, 450].max() == 0 # lines alone
P
}

@test "a film follows walls from frame to frame, and linear files hold light alone" {
    cat "$s/solid.nbs" "$s/none.nbs" "$s/solid.nbs" >three.nbs
    nbrender "${look[@]}" -o 'f%d.png' three.nbs
    nbrender "${look[@]}" -o fill.npy "$s/solid.nbs"
    nbrender "${look[@]}" --walls none -o none.npy "$s/solid.nbs"
    python - <<'P'
import numpy as np
from picture import png
assert png("f0.png")[220, 450].max() > 30 and png("f1.png")[220, 450].max() == 0 and png("f2.png")[220, 450].max() > 30
P
    cmp fill.npy none.npy
}

@test "light of bodies that touch has the colour of the mean about each; discs and --smooth fixed have their own" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(7)
n = 40000
x = np.column_stack([rng.uniform([-2, -1], [2, 1], (n, 2)), np.zeros(n)])
odds = np.where(x[:, 0] < 0, 0.05, 0.15) # of a contact at a moment: a mean of 1 and of 3
chance = np.where(rng.uniform(size=n) < odds, 20.0, 0.0)
head = dict(G=0, contact="1 0 0.001", box="-2 2 -1 1")
write("chance.nbs", frame(np.ones(n), x, x * 0, pressure=chance, **head))
write("mean.nbs", frame(np.ones(n), x, x * 0, pressure=20 * odds, **head))
write("free.nbs", frame(np.ones(n), x, x * 0, pressure=chance, G=0, box="-2 2 -1 1"))
write("start.nbs", frame(np.ones(n), x, x * 0, pressure=chance * 0, **head), frame(np.ones(n), x, x * 0, pressure=chance, **head))
write("few.nbs", frame(np.ones(4), x[:4], x[:4] * 0, pressure=np.array([0.0, 1, 2, 4]), **head))
P
    for name in chance mean free; do
        nbrender -q --size 400x200 --color pressure --colormap spectrum --color-range 0,4 -o $name.png $name.nbs
    done
    nbrender -q --size 400x200 --color pressure --colormap spectrum --color-range 0,4 --smooth fixed -o fixed.png chance.nbs
    nbrender -q --size 400x200 --color pressure --colormap spectrum --color-range 0,4 --smooth fixed -o free-fixed.png free.nbs
    nbrender -q --size 400x200 --color pressure --colormap spectrum -o usual.png chance.nbs
    nbrender -q --size 400x200 --color pressure --colormap spectrum --color-range 0,4 -o few.png few.nbs
    cat start.nbs | nbrender -q --size 400x200 --color pressure --colormap spectrum -o 'pipe%d.png'
    same_picture fixed.png free-fixed.png
    python - <<'P'
import numpy as np
from picture import png
parts = np.s_[20:180, 20:150], np.s_[20:180, 250:380]
def colour(name, part):
    p = png(name)[part].reshape(-1, 3) / 255
    return p / p.max(axis=1, keepdims=True)
for part in parts: # in every pixel near what a gas with that mean has; beside it each body with its own is not
    expected = colour("mean.png", part).mean(axis=0)
    off = abs(colour("chance.png", part) - expected)
    own = abs(colour("free.png", part) - expected)
    assert off.max() < 0.4 and off.mean() < 0.06 < own.mean(), (off.max(), off.mean(), own.mean())
for name in "usual.png", "pipe1.png": # a range of their own, blue to red; at once after a start without contacts
    left, right = (colour(name, part).mean(axis=0) for part in parts)
    assert left[2] > 0.9 > 0.7 > right[2] and right[0] > 0.6 > left[0], (name, left, right)
P
}

@test "what is mixed in the inlet of a flow has no part in colours: the picture is that of any pressure there" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(4)
pos = np.stack([r.uniform(-2, 6, 4000), r.uniform(-2.5, 2.5, 4000), np.zeros(4000)], 1)
pressure = 1 + pos[:, 0] / 10
def gas(path, inlet, flow):
    write(path, frame(np.ones(4000), pos, pos * 0, G=0, contact="10 0 0.005", box="-2 6 -2.5 2.5", periodic="x",
                      pressure=np.where(pos[:, 0] < -1.2, inlet, pressure), **flow))
gas("calm.nbs", 0.5, dict(flow="1 1 2 1"))
gas("mixed.nbs", 50.0, dict(flow="1 1 2 1"))
gas("still.nbs", 50.0, {})
P
    for name in calm mixed still; do
        nbrender -q --device cpu --color pressure --style light --size 160x90 -o $name.png $name.nbs
    done
    cmp calm.png mixed.png
    run ! cmp -s mixed.png still.png # without a flow no place is an inlet
    for name in calm mixed still; do # discs have their own colours: from contacts there, that of none
        nbrender -q --device cpu --color pressure --style discs --size 160x90 -o discs-$name.png $name.nbs
    done
    cmp discs-calm.png discs-mixed.png
    run ! cmp -s discs-mixed.png discs-still.png
    for name in calm mixed still; do
        nbrender -q --device cpu --map pressure --size 160x90 -o map-$name.npy $name.nbs
    done
    python - <<'P'
import numpy as np
calm, mixed, still = (np.load(f"map-{name}.npy") for name in ("calm", "mixed", "still"))
assert (np.isnan(calm) == np.isnan(mixed)).all() and (calm == mixed)[~np.isnan(calm)].all()
x = -2 + 8 * (np.arange(160) + 0.5) / 160 # the view is the box, as wide as the picture
middle = calm[45]
assert abs(middle[x > -1] - 1 - x[x > -1] / 10).max() < 0.05
assert np.nanmax(mixed) < 2 and np.nanmax(still[:, x < -1.4]) > 40
P
}

@test "streams without these lines are drawn as ever" {
    nbgen figure8 -q -o eight.nbs
    nbrender -q --size 200x100 -o with.png eight.nbs
    nbrender -q --size 200x100 --walls none -o without.png eight.nbs
    python - <<'P'
import numpy as np
from picture import png
assert np.array_equal(png("with.png"), png("without.png")) and png("with.png").max() > 100
P
}

@test "a wrong line of the header is one line, and exit 1; a wrong style is usage" {
    run -1 --separate-stderr nbrender "${look[@]}" -o x.png "$s/short.nbs"
    [[ "$stderr" == *wall* ]]
    [ "$(wc -l <<<"$stderr")" = 1 ]
    run -2 --separate-stderr nbrender --walls thick -o x.png "$s/solid.nbs"
    [[ "$stderr" == "nbrender: --walls thick: expected fill, lines or none"* ]]
}

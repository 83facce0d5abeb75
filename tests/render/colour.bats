#!/usr/bin/env bats
# Colours and light in nbrender: the quantity that sets a body's colour, the body's luminosity, and the tone mapping.
bats_require_minimum_version 1.5.0
load ../common/common


# A sphere that shrinks to a twentieth, in 12 frames, and flies apart again, in 4: in c.nbs.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
pos = rng.normal(size=(4000, 3))
pos *= (rng.uniform(0, 1, 4000) ** (1 / 3) / np.linalg.norm(pos, axis=1))[:, None]
vel = np.zeros((4000, 3))
write("c.nbs", *(frame(np.ones(4000), pos * s, vel, time=t)
                 for t, s in enumerate([*np.geomspace(1, 0.05, 12), 0.1, 0.3, 0.6, 1])))
P
}

# A test has it in its directory.
collapse() { cp "$BATS_FILE_TMPDIR/c.nbs" .; }

# Five bodies in a row, 40 pixels apart, and what they have: in row.nbs. Two frames, so that a warning could come twice.
look=(-q --size 240x40 --extent 6 --center 0,0,0 --style light --smooth fixed --bloom 0)

row() { # row COLUMN=VALUES...
    python - "$@" <<'P'
import sys
import numpy as np
from nbs_writer import frame, write
columns = {k: eval(v, {"np": np, "nan": np.nan}) for k, v in (one.split("=") for one in sys.argv[1:])}
columns = {k: v if isinstance(v, np.ndarray) else np.array(v, float) for k, v in columns.items()}
mass, vel = columns.pop("mass", np.ones(5)), columns.pop("vel", np.zeros((5, 3)))
pos = [[2 * k - 4, 0, 0] for k in range(5)]
write("row.nbs", *(frame(mass, pos, vel, time=t, **columns) for t in range(2)))
P
    printf '1 0 0\n# half\n\n0 1 0\n' > map
}

# draw OPTIONS...: draws the light of the first frame. What the lines after it want of the picture, `seen' checks.
draw() {
    drawn=$((${drawn:-0} + 1))
    nbrender "${look[@]}" --colormap map --frame 0 "$@" -o drawn$drawn.npy row.nbs
}

places() { echo "$drawn places $1" >> wanted; } # places EXPRESSION: where the bodies are on the map from red to green; nan: blue
lights() { echo "$drawn lights $1" >> wanted; } # lights EXPRESSION: their light, in units of the first that is not 0
order() { echo "$drawn order $1" >> wanted; }   # order EXPRESSION: true of the places f

# Checks all that the test has said of its pictures, with one start of Python.
seen() {
    python - "$drawn" <<'P'
import sys
import numpy as np
pictures, wrong = set(), []
for line in open("wanted"):
    number, what, text = line.rstrip("\n").split(" ", 2)
    p, place, light = np.load(f"drawn{number}.npy").astype(float), np.empty(5), np.empty(5)
    for k in range(5):
        r, g, b = p[:, 20 + 40 * k : 60 + 40 * k].sum(axis=(0, 1))
        light[k] = max(r, g, b)  # of a colour's channels the largest is 1
        place[k] = np.nan if b > 0 or light[k] == 0 else g**0.5 / (r**0.5 + g**0.5)
    wanted = eval(text, {"np": np, "nan": np.nan, "f": place})
    if what == "places":
        right = np.allclose(place, np.array(wanted, float), atol=2e-3, equal_nan=True)
    elif what == "lights":
        wanted = np.array(wanted, float)
        right = np.allclose(light / light[light > 0][0], wanted / wanted[wanted > 0][0], rtol=1e-4)
    else:
        right = bool(wanted)
    pictures.add(int(number))
    if not right:
        wrong.append(f"picture {number}: not {what} {text}: places {place}, lights {light}")
assert pictures == set(range(1, int(sys.argv[1]) + 1)), pictures
assert not wrong, "\n".join(wrong)
P
}

# ---- what colours show ----

@test "every scale places the values of a column where its formula says" {
    row 'heat=[-4,-1,0,2,6]' 'cold=[-1e4,-1e3,-100,-10,-1]' 'warm=[1,10,100,1e3,1e4]'
    draw --color heat --color-range=-4,6
    places '[0, .3, .4, .6, 1]'
    draw --color heat --color-scale linear --color-range=-1,2
    places '[0, 0, 1/3, 1, 1]'
    draw --color heat --color-scale asinh --color-range=-4,6 # soft is 6/50
    places '(np.arcsinh(np.array([-4, -1, 0, 2, 6]) / .12) + np.arcsinh(4 / .12)) / (np.arcsinh(50) + np.arcsinh(4 / .12))'
    draw --color warm --color-scale log --color-range 1,1e4
    places '[0, .25, .5, .75, 1]'
    draw --color cold --color-scale log --color-range=-1e4,-1
    places '[0, .25, .5, .75, 1]'
    draw --color warm --color-scale log # of two frames of five, half a percent at each end is none
    places '[0, .25, .5, .75, 1]'
    run -1 --separate-stderr nbrender "${look[@]}" --color heat --color-scale log -o x.npy row.nbs
    [ "$stderr" = "nbrender: --color-scale log: heat: a logarithmic scale cannot go from -4 to 6, since that includes 0 (use asinh or linear)" ]
    seen
}

@test "by rank: the order alone, ends and middle; equal values have equal colours; vectors by their length" {
    row 'heat=[7,7,1,9,9]' 'field=np.array([[3.,0,0],[0,-2,0],[0,0,1],[4,4,4],[3,4,0]])' 'vel=[[0,1,0],[2,0,0],[0,0,3],[-4,0,0],[0,-5,0]]'
    draw --color field
    order '(np.argsort(f) == [2, 1, 0, 4, 3]).all() and f[2] < 0.1 and abs(f[0] - 0.5) < 0.1 and f[3] > 0.9'
    draw
    order '(np.diff(f) > 0.1).all() and abs(f[2] - 0.5) < 0.1'
    draw --color heat
    order 'f[0] == f[1] and f[3] == f[4] and f[2] < f[0] < f[3]'
    seen
}

@test "components have colours of their own; density goes with the bodies on an area" {
    row 'component=np.array([1,2,3,1,99],np.uint8)'
    nbrender "${look[@]}" --color component --frame 0 -o c.png row.nbs
    nbgen plummer -n 4k -o p.nbs
    printf '1 0 0\n0 1 0\n' > map
    nbrender -q --size 320x180 --color density --colormap map -o d.npy p.nbs
    python - <<'P'
import numpy as np
from picture import png
p = png("c.png")[20, 40::40].astype(int)
for a in range(5):
    for b in range(a):
        assert (abs(p[a] - p[b]).max() < 2) == ((b, a) == (0, 3)), (a, b, p)
assert np.ptp(p[4]) <= 1  # a number that no component has is grey
d = np.load("d.npy").astype(float)
share = d[..., 1] ** 0.5 / (d[..., 0] ** 0.5 + d[..., 1] ** 0.5 + 1e-30)
y, x = np.mgrid[:180, :320]
r = np.hypot(x - 159.5, y - 89.5)
mean = [share[(r >= a) & (r < a + 8)].mean() for a in (0, 16, 40, 72)]
assert mean[0] > 0.8 and mean[-1] < 0.2 and (np.diff(mean) < 0).all(), mean
P
}

@test "auto: by temperature, else by age, else by component, else by speed; a map or a range is for speed" {
    auto() { nbrender -q --size 240x40 --extent 6 --center 0,0,0 --style light --smooth fixed --bloom 0 --frame 0 "$@" row.nbs; }
    heat='temperature=[3000,4000,6500,10000,20000]' age='age=[5,4,3,2,1]' speed='vel=[[5,0,0],[1,0,0],[2,0,0],[3,0,0],[4,0,0]]'
    disk='component=np.array([2,2,2,2,2],np.uint8)' star='component=np.array([4,4,4,4,4],np.uint8)'
    row "$heat" "$age" "$speed" "$disk"
    auto -o heat.npy
    auto --color temperature -o heat2.npy
    auto --color-range 0,5 -o range.npy
    auto --color speed --color-range 0,5 -o range2.npy
    auto --colormap viridis -o map.npy
    auto --color speed --colormap viridis -o map2.npy
    row "$age" "$speed" "$disk"
    auto -o age.npy
    auto --color age -o age2.npy
    row "$speed" "$disk"
    auto -o disk.npy
    row "$speed" "$star"
    auto -o speed.npy
    auto --color speed -o speed2.npy
    python - <<'P'
import numpy as np
p = {k: np.load(f"{k}.npy").astype(float) for k in "heat heat2 range range2 map map2 age age2 disk speed speed2".split()}
for k in "heat", "range", "map", "age", "speed":
    assert np.array_equal(p[k], p[k + "2"]), k
def hues(name):
    c = np.array([p[name][:, 20 + 40 * k : 60 + 40 * k].sum(axis=(0, 1)) for k in range(5)])
    return c / c.max(axis=1, keepdims=True)
h = hues("heat") ** 0.5  # of the display
assert (h[:3, 0] == 1).all() and abs(h[0] - [1, 0.72, 0.43]).max() < 0.02 and h[2].min() > 0.97 and (h[3:, 2] == 1).all(), h
for name in "heat", "age": # from old and red to young and blue
    h = hues(name)
    assert (np.diff(h[:, 2] / h[:, 0]) > 0).all(), (name, h)
h = hues("disk")  # the middle is old, the ends are young
blue = h[:, 2] / h[:, 0]
assert blue[2] < blue[1] < blue[0] and blue[2] < blue[3] < blue[4] and blue[2] < 0.5 and blue[4] > 1, h
assert not np.array_equal(p["disk"], p["speed"])
P
}

@test "auto: stars of a disk keep their colours by their id, wherever they go, for any number of threads" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
n = 5000
pos = np.concatenate([rng.normal(size=(n, 3)) * [1, 1, 0.1] + [x, 0, 0] for x in (-6, 6)])
vel = np.zeros((2 * n, 3))
columns = dict(id=np.arange(2 * n, dtype=np.uint64), component=np.full(2 * n, 2, np.uint8), galaxy=np.repeat(np.arange(2, dtype=np.uint8), n))
r = np.hypot(abs(pos[:, 0]) - 6, pos[:, 1])
moved = np.column_stack([4 * r - 8, np.zeros(2 * n), np.zeros(2 * n)]) # those of a radius in one place
p = rng.permutation(2 * n)
first = frame(np.ones(2 * n), pos, vel, **columns)
write("moved.nbs", first, frame(np.ones(2 * n), moved, vel, time=1.0, **columns))
write("mixed.nbs", first, frame(np.ones(2 * n), moved[p], vel, time=1.0, **{k: v[p] for k, v in columns.items()}))
write("more.nbs", first, frame(np.ones(2 * n), pos, vel, time=1.0, **{**columns, "id": columns["id"] + np.uint64(9 * n)}))
P
    view=(-q --size 480x270 --extent 9 --center 0,0,0 --smooth fixed --bloom 0)
    for name in moved mixed more; do nbrender "${view[@]}" -o "$name%d.npy" $name.nbs; done
    nbrender "${view[@]}" --threads 1 -o 'one%d.npy' mixed.nbs
    nbrender "${view[@]}" --frame 1 -o alone.npy mixed.nbs
    cmp mixed1.npy one1.npy
    cmp mixed1.npy alone.npy
    python - <<'P'
import numpy as np
def blue(name, rows=slice(None)):
    p = np.load(name).astype(float)[rows]
    return p[..., 2].sum(axis=0) / np.maximum(p[..., 0].sum(axis=0), 1e-30)
a, b = blue("moved1.npy"), blue("mixed1.npy")
assert np.allclose(a, b, rtol=1e-3)
line = a[56:200:24] # from the centre of both galaxies outwards
assert (np.diff(line) > 0).all() and line[0] < 0.5 and line[-1] > 1.5, line
first = blue("moved0.npy", slice(130, 140))
for centre in 80, 400:  # each galaxy about its own: old within 3 pixels, young 60 from there
    assert first[centre - 3 : centre + 3].mean() < 0.8 and first[[centre - 60, centre + 60]].min() > 1.5, first[centre - 60 : centre + 61]
assert np.ptp(blue("more1.npy")[60:100]) < 1e-3  # bodies that nobody knew are all of the middle
P
}

@test "auto: the Sun is white, and planets have colours by speed" {
    nbgen solar -o solar.nbs
    nbrender -q --size 400x400 --extent 1.8 --center 0,0,0 --color speed -o slow.png solar.nbs
    nbrender -q --size 400x400 --extent 1.8 --center 0,0,0 -o planets.png solar.nbs
    python - <<'P'
import numpy as np
from picture import png
p = png("planets.png").astype(int)
assert p[200, 200].min() > 240 and np.ptp(p[200, 200]) <= 1 and np.ptp(png("slow.png")[200, 200].astype(int)) > 60
assert ((p.max(axis=2) > 200) & (p.max(axis=2) - p.min(axis=2) > 60)).sum() > 3
P
}

@test "a value that is not a finite number is grey, with one warning for the run; in a position it stays an error" {
    row 'heat=[1,nan,2,np.inf,3]'
    run -0 --separate-stderr nbrender "${look[@]}" --colormap map --color heat --color-range 1,3 -o 'row%d.npy' row.nbs
    [ "$stderr" = "nbrender: warning: --color heat: 2 bodies have values that are not numbers; they are grey" ] || { echo "$stderr"; return 1; }
    draw --color heat --color-range 1,3 2> /dev/null
    places '[0, nan, .5, nan, 1]'
    seen
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
p = np.load("drawn1.npy")[:, 60:100].sum(axis=(0, 1))
assert p[0] > 0 and np.allclose(p, p[0], rtol=1e-5), p
write("bad.nbs", frame(np.ones(1), [[0, 0, np.nan]], [[0, 0, 0]]))
P
    run -1 --separate-stderr nbrender -q -o bad.png bad.nbs
    [[ "$stderr" == "nbrender: bad.nbs: frame 0: body 0: pos is not a finite number" ]]
}

@test "a column that is not there: one line with those that are; a name that cannot be: usage" {
    row 'heat=[1,2,3,4,5]'
    for option in --color --weight; do
        run -1 --separate-stderr nbrender "${look[@]}" $option pressure -o x.png row.nbs
        [ "$stderr" = "nbrender: $option pressure: unknown column (nbsim --write adds it); columns: mass pos vel heat" ]
        run -2 --separate-stderr nbrender "${look[@]}" $option 'Pres sure' -o x.png row.nbs
    done
    # a later frame without it
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
one = [1.0], [[0, 0, 0]], [[0, 0, 0]]
write("later.nbs", frame(*one, heat=np.ones(1)), frame(*one, time=1))
P
    for input in later.nbs "- < <(cat later.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender -q --size 64x36 --style light --color heat -o x%d.png -f $input"
        [[ "$stderr" = "nbrender: "*": frame 1: the bodies no longer have a column heat; x%d.png ends there, with 1 frame" ]]
    done
    while read -r options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options -o x.png row.nbs
        [ "${#stderr_lines[@]}" -eq 2 ] || { echo "$options: $stderr"; return 1; }
    done <<'L'
--color-scale cubic
--color-range 1,1
--color-range 2,1
--color-range 1
--color-range 0,nan
--color-range 0,1 --color-scale rank
--color-range 0,1 --color-scale log
--color-range=-1,1 --color-scale log
--color component --color-range 0,1
--color component --colormap viridis
--color density --smooth fixed
--exposure adapt,0
--exposure adapt,fixed
--exposure adaptive
--exposure 0
L
}

@test "a column that a later frame has not: the frame that is asked for is drawn, and those before" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
pos = np.random.default_rng(1).normal(size=(300, 3))
write("less.nbs", *(frame(np.ones(300), pos, pos, time=float(t), **({"phi": abs(pos[:, 0])} if t < 2 else {})) for t in range(3)))
P
    for what in --color --weight --map; do
        rm -f l?.png
        nbrender -q --size 64x36 --frame 0 $what phi -o one.png -f less.nbs
        run -1 --separate-stderr nbrender -q --size 64x36 --threads 1 $what phi -o 'l%d.png' less.nbs
        [ "$stderr" = "nbrender: less.nbs: frame 2: the bodies no longer have a column phi; l%d.png ends there, with 2 frames" ]
        [ -f l0.png ]
        [ -f l1.png ]
    done
}

@test "colour maps: by name, from files of either range, and files that are none" {
    row 'heat=[0,1,2,3,4]'
    printf '255 0 0\n0 255 0\n' > map
    draw --color heat --color-range 0,4
    places '[0, .25, .5, .75, 1]'
    seen
    for name in viridis inferno magma cividis coolwarm stars spectrum; do
        nbrender "${look[@]}" --colormap $name -o $name.png row.nbs
    done
    printf '1 0\n' > bad1
    printf '1 0 0\n1 x 0\n' > bad2
    printf '1 0 0\n' > bad3
    printf '1 0 0\n0 -1 0\n' > bad4
    printf '1 0 0\n0 nan 0\n' > bad5
    printf '1 0 0\n0 256 0\n' > bad6
    : > bad7
    head -c 100000 /dev/zero > bad8
    for bad in bad1 bad2 bad3 bad4 bad5 bad6 bad7 bad8 missing .; do
        run -1 --separate-stderr nbrender "${look[@]}" --colormap $bad -o x.png row.nbs
        [[ "$stderr" == "nbrender: --colormap $bad: "* && "${#stderr_lines[@]}" -eq 1 ]] || { echo "$bad: $stderr"; return 1; }
    done
}

# ---- light ----

@test "light goes by mass, or as --weight says; no body has more than 100 times the median's" {
    row 'mass=[1,2,4,3,5]' 'heat=[5,1,0,7,2]' 'none=[0,0,0,0,0]' 'heavy=[1,1,1,1,1e6]'
    draw
    lights '[1, 2, 4, 3, 5]'
    draw --weight count
    lights '[1] * 5'
    draw --weight heat
    lights '[5, 1, 0, 7, 2]'
    draw --weight none
    lights '[1] * 5'
    draw --weight heavy
    lights '[1, 1, 1, 1, 100]'
    # single stars: the square root of the luminosity, mass^3.5, of stars a million times as bright too
    row 'mass=[1,2,4,1,1000]' 'temperature=[5e3,6e3,7e3,8e3,9e3]' 'component=np.full(5,4,np.uint8)'
    draw
    lights '[1, 2**1.75, 4**1.75, 1, 1000**1.75]'
    draw --weight mass
    lights '[1, 2, 4, 1, 200]'
    row 'mass=[1,2,4,1,1000]' 'temperature=[5e3,6e3,7e3,8e3,9e3]'
    draw
    lights '[1, 2, 4, 1, 200]'
    row 'mass=[0,0,0,0,0]' 'heat=[5,nan,-1,7,2]'
    draw
    lights '[1] * 5'
    run -0 --separate-stderr nbrender "${look[@]}" --weight heat -o 'row%d.npy' row.nbs
    [ "$stderr" = "nbrender: warning: --weight heat: 2 bodies have values that are not numbers from 0 on; they are not drawn" ] || { echo "$stderr"; return 1; }
    draw --weight heat 2> /dev/null
    lights '[5, 0, 0, 7, 2]'
    seen
}

# ---- exposure ----

@test "a collapse: no frame burns or is too dark to see; adapting, fixed, from files and pipes" {
    collapse
    view=(-q --size 320x180 --extent 2 --center 0,0,0 --smooth 40 --stars 0)
    nbrender "${view[@]}" -o 'file%02d.png' c.nbs
    nbrender "${view[@]}" -o 'pipe%02d.png' < <(cat c.nbs)
    nbrender "${view[@]}" --exposure adapt --fps 1 -o 'adapt%02d.png' c.nbs
    nbrender "${view[@]}" --exposure fixed -o 'first%02d.png' < <(cat c.nbs)
    nbrender "${view[@]}" --exposure fixed,1e6 -o 'burnt%02d.png' c.nbs
    python - <<'P'
from picture import png
def levels(kind):
    return [png(f"{kind}{k:02}.png").max(axis=2).astype(int) for k in range(16)]
def burnt(m):
    return (m >= 250).sum() / (m > 16).sum()
for kind in "file", "pipe", "adapt":
    assert all(burnt(m) < 0.01 for m in levels(kind)), kind
assert max((m >= 250).sum() / (m > 16).sum() for m in levels("burnt")) > 0.2  # what is too bright can be seen here
top = {kind: [m.max() for m in levels(kind)] for kind in ("file", "pipe", "adapt", "first")}
# one exposure for all: the first and the last picture, the same bodies, are shown alike, and darker than the middle
assert abs(top["file"][0] - top["file"][15]) <= 1 and 60 < top["file"][0] < 150 and 225 < top["file"][11] < 250, top
# from a pipe nobody knows what comes: the first, which is as bright everywhere, leaves room above it
assert abs(top["first"][0] - top["first"][15]) <= 1 and 130 < top["first"][0] < 210, top
# adapting, what follows is brighter and what comes after the brightest is darker
assert top["adapt"][0] == top["pipe"][0] == top["first"][0] and top["adapt"][15] < top["adapt"][0] - 5
assert all(m >= top["adapt"][0] - 5 for m in top["adapt"][:12]) and top["adapt"][11] > 225, top["adapt"]
P
}

@test "a picture of one frame of a file is that frame of the film; that of a pipe has an exposure of its own" {
    collapse
    view=(-q --size 160x90 --extent 2 --center 0,0,0)
    nbrender "${view[@]}" -o 'film%d.png' c.nbs
    for k in 0 5 11; do
        nbrender "${view[@]}" --frame $k -o one$k.png c.nbs
        nbrender "${view[@]}" --frame $k -o own$k.png < <(cat c.nbs)
    done
    same_picture {one,film}0.png {one,film}5.png {one,film}11.png
    python - <<'P'
from picture import png
own, film = ([int(png(f"{name}{k}.png").max()) for k in (0, 5, 11)] for name in ("own", "film"))
assert min(own) > 225 and film[0] < 150, (own, film)
P
}

@test "a stream that begins inside the file on stdin has its own exposure, not that of the file's beginning" {
    collapse
    view=(-q --size 160x90 --extent 2 --center 0,0,0)
    nbrender "${view[@]}" -o 'alone%d.png' c.nbs
    { nbgen plummer -q -n 5000; cat c.nbs; } > two.nbs
    before=$(($(stat -c %s two.nbs) - $(stat -c %s c.nbs)))
    {
        head -c "$before" > /dev/null
        nbrender "${view[@]}" -o 'behind%d.png'
    } < two.nbs
    same_picture {alone,behind}0.png {alone,behind}5.png {alone,behind}11.png
}

@test "the range of colours is that of the whole file; from a pipe it adapts, or stays with --exposure fixed" {
    python - <<'P' # a still body beside 300 that get faster
import numpy as np
from nbs_writer import frame, write
pos = np.column_stack([np.linspace(-4, 4, 301), np.zeros(301), np.zeros(301)])
def vel(t):
    return np.column_stack([np.linspace(1, 2, 301) * (1 + t), np.zeros(301), np.zeros(301)])
write("v.nbs", *(frame(np.ones(301), pos, vel(t), time=t) for t in range(8)))
P
    printf '1 0 0\n0 1 0\n' > map
    view=("${look[@]}" --colormap map --color-scale linear)
    nbrender "${view[@]}" -o 'file%d.npy' v.nbs
    nbrender "${view[@]}" --fps 1 -o 'pipe%d.npy' < <(cat v.nbs)
    nbrender "${view[@]}" --exposure fixed -o 'fixed%d.npy' < <(cat v.nbs)
    python - <<'P'
import numpy as np
def places(kind, t): # along the row, without its ends
    p = np.load(f"{kind}{t}.npy").astype(float).sum(axis=0)[60:180]
    return p[:, 1] ** 0.5 / (p[:, 0] ** 0.5 + p[:, 1] ** 0.5)
speed = 1 + (np.arange(60, 180) + 0.5 - 40) / 160
for t in range(8):
    everything = np.sort(np.concatenate([np.linspace(1, 2, 301) * (1 + k) for k in range(8)]))
    low, high = np.quantile(everything, [0.005, 0.995])
    assert abs(places("file", t) - np.clip((speed * (1 + t) - low) / (high - low), 0, 1)).max() < 0.02, t
    first = np.clip((speed * (1 + t) - 1.005) / 0.99, 0, 1)
    assert abs(places("fixed", t) - first).max() < 0.02, t
    if t == 0:
        assert abs(places("pipe", t) - first).max() < 0.02
mean = [places("pipe", t).mean() for t in range(8)]
assert 0.6 < mean[7] < 0.99 and places("fixed", 7).mean() == 1, mean  # it follows, behind
P
}

# bats test_tags=long
@test "a merger: two maxima, black corners, 30 to 85 percent of the picture visible" {
    nbgen collision -n 3k | nbsim -q --precision single --dt 0.003 --until 3 --every 1 -o m.nbs
    nbrender -q --size 640x360 -o m.png m.nbs
    python - <<'P'
import numpy as np
from picture import png, spots
m = png("m.png").max(axis=2).astype(int)
assert max(m[y, x] for y in (0, -1) for x in (0, -1)) <= 4
assert 0.3 <= (m >= 16).mean() <= 0.85, (m >= 16).mean()
assert (m >= 254).sum() < 0.01 * (m > 16).sum()
smooth = m.astype(float)
for axis in (0, 1): # a box of 9 pixels, twice
    for _ in range(2):
        smooth = sum(np.roll(smooth, k, axis) for k in range(-4, 5)) / 9
assert spots((smooth > 0.85 * smooth.max())[..., None]) == 2
P
}

@test "pictures of any size look alike: 1440p in boxes of four is 720p" {
    nbgen plummer -n 20k -o sphere.nbs
    nbgen disk -n 100k --seed 2 -o disk.nbs # with an edge
    for model in sphere disk; do
        nbrender -q --stars 0 --size 1280x720 -o $model-small.png $model.nbs # dithered, or rounding alone makes 5 % of level 9
        nbrender -q --stars 0 --size 2560x1440 -o $model-large.png $model.nbs
    done
    python - <<'P'
from picture import png
def blocks(p, size):
    p = p[: p.shape[0] // size * size].astype(float)
    return p.reshape(p.shape[0] // size, size, p.shape[1] // size, size, 3).mean(axis=(1, 3))
for model in ("sphere", "disk"):
    a, b = blocks(png(f"{model}-small.png"), 16), blocks(png(f"{model}-large.png"), 32)
    lit = a > 8
    assert lit.mean() > 0.1 and (abs(b - a)[lit] / a[lit]).max() < 0.02, (model, (abs(b - a)[lit] / a[lit]).max())
P
}

@test "a column that goes missing on the way breaks the film off: what is before it is kept as FILE.part" {
    nbgen plummer -q -n 300 | nbsim -q --device cpu --every 0.001 --until 0.002 --write phi -o with.nbs
    nbgen plummer -q -n 300 -o without.nbs
    cat with.nbs without.nbs > both.nbs
    for what in --color --map; do
        for input in 'both.nbs' '- < <(cat both.nbs)'; do
            rm -f x.mp4*
            run -1 --separate-stderr bash -c "nbrender -q --size 64x36 $what phi -o x.mp4 $input"
            [[ "$stderr" = *"the bodies no longer have a column phi; x.mp4.part ends there, with 3 frames" ]]
            [ -z "${stderr_lines[1]:-}" ]
            [ ! -e x.mp4 ]
            [ "$(ffprobe -v error -f mp4 -count_frames -show_entries stream=nb_read_frames -of csv=p=0 x.mp4.part)" = 3 ]
        done
    done
}

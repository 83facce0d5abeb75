#!/usr/bin/env bats
# Overlays of nbrender: each is drawn, has the right text, and does not cover the bodies. The tests find an overlay by
# the difference from the same picture without it.
bats_require_minimum_version 1.5.0
load ../common/common


# The streams of all tests, made once: NAME|HEADER;HEADER|TIMES has a body in the middle, with phi, and a frame for each time.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >table <<'L'
one||0
two||0 1
three||0 1 2
late|every 0.1|3.2
kpc|units kpc;length_cgs 3.0856775814913673e21|0
AU|units AU;length_cgs 1.495978707e13|0
twentieths|every 0.05|0 0.05 0.1 0.15
near|every 0.05|7 8 0.1000001
coarse|every 0.1|0 0.1
minus|every 0.05|-0.05
galactic|units galactic;time_cgs 3.0856775814913673e16|0 1
gyr|units other;time_cgs 3.15576e16|0 0.97779
yr|units other;time_cgs 3.15576e7|0 0.97779
code||0 0.97779
L
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
for line in open("table"):
    name, header, times = line.rstrip().split("|")
    extra = dict(words.split(" ", 1) for words in header.split(";") if words)
    write(name + ".nbs", *(frame([1.0], [[0.0, 0, 0]], [[0.0, 0, 0]], time=float(t), phi=np.array([-1.0]), **extra)
                           for t in times.split()))

# -E = 2: errors of 0, 1e-3, -1e-3 and 5e-4, then back to 0, at times that are not equally far apart
m, v = np.array([1.0, 3.0]), np.array([[3.0, 0, 0], [-1.0, 0, 0]])
kinetic = 0.5 * (m * (v ** 2).sum(axis=1)).sum()
def at(time, error):
    phi = np.array([-1.0, (2 * (-2 * (1 - error) - kinetic) + 1) / 3])
    assert abs((kinetic + 0.5 * (m * phi).sum()) / -2 - (1 - error)) < 1e-12
    return frame(m, [[0.0, 0, 0], [0.1, 0, 0]], v, time=time, phi=phi)
write("errors.nbs", *(at(t, e) for t, e in ((0, 0), (1, 1e-3), (2, -1e-3), (3, 5e-4), (5, 0))))

def some(*components):
    n = len(components)
    return frame(np.ones(n), np.arange(3.0 * n).reshape(n, 3) / n, np.zeros((n, 3)), component=np.array(components, np.uint8))
write("of-two.nbs", some(1, 5, 5))
write("of-three.nbs", some(1, 2, 5))
P
}

# take NAME: one.nbs is the stream of this name.
take() { ln -f "$BATS_FILE_TMPDIR/$1.nbs" one.nbs; }

# shot NAME OPTION...: NAME.png of one.nbs; skips the test where there is no text
shot() {
    local name=$1
    shift
    nbrender -q --center 0,0,0 --extent 4 --size 640x360 -f -o "$name.png" "$@" one.nbs 2> err || {
        grep -qE "needs a font|built without" err && skip "$(cat err)"
        cat err
        false
    }
}

# Python with: lit(NAME), which pixels differ from those of none.png, and box(mask), its left, top, right and bottom.
with() {
    { cat <<'P'; cat; } > with.py
import functools
import numpy as np
import picture
png = functools.lru_cache(maxsize=None)(picture.png)
def lit(name, other="none"):
    return (png(name + ".png").astype(int) != png(other + ".png").astype(int)).any(axis=2)
def box(mask):
    y, x = np.nonzero(mask)
    return x.min(), y.min(), x.max() + 1, y.max() + 1
P
    python with.py "$@"
}

@test "each overlay stands in its place, and none overlaps another" {
    take late
    for size in 640x360 1280x720 360x640; do
        shot none-$size --size $size --overlay none
        for overlay in time scale energy colorbar; do shot $overlay-$size --size $size --overlay $overlay; done
        shot title-$size --size $size --overlay title --title 'A title in the middle of the picture'
        shot all-$size --size $size --overlay time,scale,energy,colorbar --title 'A title in the middle of the picture'
    done
    with <<'P'
for size in "640x360", "1280x720", "360x640":
    w, h = map(int, size.split("x"))
    masks = {name: lit(f"{name}-{size}", f"none-{size}") for name in ("time", "scale", "energy", "colorbar", "title", "all")}
    every = masks.pop("all")
    assert every.shape == (h, w)
    places = {name: ((b[0] + b[2]) / 2 / w, (b[1] + b[3]) / 2 / h) for name, b in ((n, box(m)) for n, m in masks.items())}
    assert places["time"][0] < 0.35 and places["time"][1] < 0.1, places
    assert places["scale"][0] < 0.35 and places["scale"][1] > 0.9, places
    assert places["energy"][0] > 0.6 and places["energy"][1] > 0.75, places
    assert places["colorbar"][0] > 0.6 and 0.3 < places["colorbar"][1] < 0.6, places
    assert abs(places["title"][0] - 0.5) < 0.02 and places["title"][1] < 0.1, places
    names = sorted(masks)
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            assert not (masks[a] & masks[b]).any(), (size, a, b)
    # together they are the same; the title gives way to the time
    for name in ("time", "scale", "energy", "colorbar"):
        assert every[masks[name]].all(), (size, name)
    edge = np.ones((h, w), bool)
    edge[2:-2, 2:-2] = False
    assert not (every & edge).any(), size
P
}

@test "the scale bar is as long as it says" {
    take one
    for extent in 4 3.3 0.07 1234; do
        shot none-$extent --extent $extent --overlay none
        shot scale-$extent --extent $extent --overlay scale
    done
    # in the physical unit that fits: the same bar of other units has other text above it
    for units in kpc AU; do
        take $units
        shot $units --overlay scale
    done
    with <<'P'
for extent in "4", "3.3", "0.07", "1234":
    unit = 320 / float(extent)
    mask = lit(f"scale-{extent}", f"none-{extent}")
    left, _, right, bottom = box(mask[350:])
    assert mask[:300].sum() == 0, extent
    length = (right - left) / unit
    power = 10 ** np.floor(np.log10(length * 1.05))
    assert min(abs(length / power - k) for k in (1, 2, 5)) * power * unit < 1.01, (extent, length)
    assert 0.09 <= length * unit / 640 <= 0.26, (extent, length)
assert lit("kpc", "AU").any() and not lit("kpc", "AU")[350:].any()
P
}

@test "the time is that of the frame, in digits that tell frames apart, and stands still" {
    take twentieths
    for k in 0 1 2 3; do shot t$k --overlay time --frame $k; done
    shot none --overlay none
    take near
    shot same --overlay time --frame 2
    take coarse
    shot coarse --overlay time --frame 1
    take minus
    shot minus --overlay time
    with <<'P'
boxes = [box(lit(f"t{k}")) for k in range(4)]
assert all(lit(f"t{k}", f"t{j}").any() for k in range(4) for j in range(k))
assert max(abs(b[0] - boxes[0][0]) for b in boxes) == 0  # the left end
assert max(abs(b[2] - boxes[0][2]) for b in boxes) <= 3  # the last digit's own right end
changed = box(lit("t0", "t1") | lit("t2", "t3"))
assert changed[0] > boxes[0][0] + 0.6 * (boxes[0][2] - boxes[0][0])  # "t = 0." is the same
assert not lit("t2", "same").any()
assert box(lit("coarse"))[2] < boxes[2][2] - 3  # 0.1 is shorter than 0.10
assert box(lit("minus"))[2] > boxes[1][2] + 3
P
}

@test "times of streams with units are told in years" {
    # a unit of 0.9778 Gyr: t = 1 differs from the same without units, and 0.98 Gyr of other units says the same
    take galactic
    shot galactic --overlay time
    take gyr
    shot gyr --overlay time
    take yr
    shot yr --overlay time
    take code
    shot code --overlay time
    with <<'P'
assert not lit("galactic", "gyr").any()
assert lit("yr", "gyr").any() and lit("code", "gyr").any()
assert (box(lit("yr", "gyr"))[0]) > 40  # only the unit differs
P
}

@test "the energy plot shows the error of every frame so far" {
    # -E = 2: errors of 0, 1e-3, -1e-3 and 5e-4, then back to 0, at times that are not equally far apart
    take errors
    for k in 2 4; do
        shot energy-$k --overlay energy --size 1920x1080 --frame $k
    done
    # pictures between frames, whose energy is not kept, add nothing
    shot energy --overlay energy --frame 4
    shot none --overlay none --frame 4
    nbrender -q --center 0,0,0 --extent 4 --size 640x360 --overlay energy --interpolate 3 --shutter 0.5 -o i-%05d.png one.nbs
    # it is that of all bodies, whatever is shown of them
    shot none-some --overlay none --frame 4 --select 'mass > 2'
    shot energy-some --overlay energy --frame 4 --select 'mass > 2'
    with <<'P'
times, errors = [0, 1, 2, 3, 5], [0, 1, -1, 0.5, 0]
for last in 2, 4:
    p = png(f"energy-{last}.png").astype(int)[..., 1]
    p[:, :1100] = 0
    bright = p >= 205  # the curve; numbers are fainter, axes much more so
    axis = [x for x in range(960, 1920) if (p[:, x] > 60).sum() > 100]  # the upright one
    x0, _, x1, _ = box(bright)
    assert axis and 0 <= x0 - axis[0] < 8, (axis, x0)
    column = np.nonzero(p[:, axis[0]] > 60)[0]
    top, bottom = column.min(), column.max() + 1
    middle, high = (top + bottom) / 2, (bottom - top) / 2
    assert high > 50
    found = []
    for x in range(x0 + 4, x1 - 4):
        y = np.nonzero(bright[:, x])[0]
        if len(y):
            found.append(x)
            expected = np.interp((x + 0.5 - x0) / (x1 - x0), np.array(times[: last + 1]) / times[last], errors[: last + 1])
            seen = (middle - (y.min() + y.max() + 1) / 2) / high
            assert abs(seen - expected) < 0.12, (last, x, seen, expected)
    assert len(found) > 0.7 * (x1 - x0), last
assert lit("energy").any() and not lit("energy", "i-00012").any()
assert lit("none", "none-some").any() and (lit("energy") == lit("energy-some", "none-some")).all()
P
}

@test "the energy plot has nbsim's and nbstat's error, moving or not, and names a divisor that is not |E|" {
    nbgen kepler -e 0.5 | nbsim -q --device cpu --softening 0 --dt 0.05 --until 2 --every 0.5 --write phi --log log -o orbit.nbs
    nbedit --boost 3,0,0 orbit.nbs -o moving.nbs
    nbstat -q --columns energy_error --no-header orbit.nbs >errors
    # The same errors of |E| = 1, and of 0.04 where E is 0 and K is 2
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rows = [[float(w) for w in line.split("\t")] for line in open("log").read().splitlines()[1:]]
assert np.allclose([r[3] for r in rows], np.loadtxt("errors"), rtol=0, atol=1e-15) and abs(rows[1][3]) > 1e-4
def made(t, K, E):
    v = K ** 0.5
    return frame([1.0, 1.0], [[0.0, 0, 0], [1.0, 0, 0]], [[0.0, v, 0], [0.0, -v, 0]], time=t, phi=np.array([E - K, E - K]))
write("made.nbs", *(made(r[0], 1.0, -1 + r[3]) for r in rows))
write("zero.nbs", *(made(r[0], 2.0, 0.04 * r[3]) for r in rows))
P
    for name in orbit moving made zero; do
        mv $name.nbs one.nbs
        shot $name --overlay energy --center 1000,0,0 --frame last
    done
    with <<'P'
assert lit("orbit", "zero").any() and not lit("orbit", "moving").any() and not lit("orbit", "made").any()
a, b = (png(name + ".png").astype(int)[..., 1] for name in ("orbit", "zero"))
number = np.s_[-76:-61, -50:]
assert (a[number] == b[number]).all() and (a[number] > 100).any()
assert box(b > 100)[0] < box(a > 100)[0] - 20  # room for the divisor
P
}

@test "the colour bar has the map's colours and ticks where values are" {
    take one
    printf '0 0 1\n1 0 0\n' > map.txt
    map=(--map density --colormap map.txt --size 1280x720)
    for look in linear,0,10 log,1,1000 narrow,3.1,4.9; do
        name=${look%%,*}
        scale=(--color-scale "${name/narrow/log}" --color-range "${look#*,}")
        shot "none-$name" "${map[@]}" "${scale[@]}" --overlay none
        shot "$name" "${map[@]}" "${scale[@]}"
    done
    # the values that --color-range gives are those of the ticks: 0 is at the lower end, and another range has other numbers
    shot other "${map[@]}" --color-scale linear --color-range 0,100
    shot same "${map[@]}" --color-scale linear --color-range 0,10 --overlay colorbar
    with <<'P'
assert lit("linear", "other").any() and not lit("linear", "same").any()
for name, places in (("linear", np.arange(6) / 5), ("log", np.arange(4) / 3),
                     ("narrow", np.log(np.arange(3.5, 4.6, 0.5) / 3.1) / np.log(4.9 / 3.1))):
    p, mask = png(name + ".png").astype(int), lit(name, "none-" + name)
    left, top, right, bottom = box(mask)
    assert left > 1000 and top > 100 and bottom < 600
    column = p[:, right - 8]
    y0 = next(y for y in range(top, bottom) if column[y, 0] > 200 and column[y, 1] == 0)  # below what is written
    y1 = next(y for y in range(y0, 720) if column[y, 1] > 60)  # the grey line about it
    assert abs(y1 - y0 - 0.375 * 720) < 3
    share = (y1 - np.arange(y0, y1) - 0.5) / (y1 - y0)
    assert np.abs(column[y0:y1] - 255 * np.stack([share, 0 * share, 1 - share], 1)).max() <= 2
    # ticks: left of the strip, grey on what is blue below them
    strip = [x for x in range(left, right) if abs(p[(y0 + y1) // 2, x] - column[(y0 + y1) // 2]).max() <= 1][0]
    marks = [y for y in range(y0 - 3, y1 + 3) if p[y, strip - 4].min() > 120]
    found = sorted((y1 - (y + 0.5)) / (y1 - y0) for y in marks)
    assert len(found) == len(places) and np.abs(np.array(found) - places).max() < 0.012, (name, found, places)
P
}

@test "the legend of components names those that there are" {
    take one
    shot time --overlay time
    for name in two three; do
        nbrender -q --color component --overlay none -o "none-$name.png" --size 640x360 "$BATS_FILE_TMPDIR/of-$name.nbs"
        nbrender -q --color component --overlay colorbar -o "$name.png" --size 640x360 "$BATS_FILE_TMPDIR/of-$name.nbs"
    done
    with <<'P'
def squares(name):  # runs of rows in which the rightmost pixels are of one strong colour
    mask, p = lit(name, "none-" + name), png(name + ".png").astype(int)
    x = box(mask)[2] - 5
    strong = mask[:, x] & (np.ptp(p[:, x], axis=1) > 60)
    return int((np.diff(strong.astype(int)) == 1).sum())
assert (squares("two"), squares("three")) == (2, 3)
P
}

@test "energy without a potential is an error in one line" {
    echo "1 1 2 3 0 0 0" | { echo '# id m x y z vx vy vz' && awk '{ print NR, $0 }'; } | nbconv --from text -o one.nbs
    shot time --overlay time
    run --separate-stderr nbrender -q --overlay energy -o no.png one.nbs
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"--overlay energy"*"no column phi"* && "$stderr" != *$'\n'* ]]
    [ ! -e no.png ]
}

@test "the box is a cube of a round side about the centre" {
    take one
    for extent in 4 3.1 550; do
        shot none-$extent --extent $extent --overlay none --view z
        shot box-$extent --extent $extent --overlay box --view z
    done
    for view in 30,20 90,0 200,-60; do
        shot none-$view --view $view --overlay none
        shot box-$view --view $view --overlay box
    done
    with <<'P'
for extent in "4", "3.1", "550":
    unit = 320 / float(extent)
    mask = lit(f"box-{extent}", f"none-{extent}")
    x = [k for k in range(640) if mask[:, k].sum() > 120]
    y = [k for k in range(360) if mask[k].sum() > 120]
    left, right, top, bottom = min(x), max(x), min(y), max(y)
    assert len(x) <= 4 and len(y) <= 4 and abs((right - left) - (bottom - top)) <= 1, extent
    assert abs((left + right + 1) / 2 - 320) <= 1 and abs((top + bottom + 1) / 2 - 180) <= 1, extent
    side = (right - left) / unit
    power = 10 ** np.floor(np.log10(side * 1.01))
    assert min(abs(side / power - k) for k in (1, 1.5, 2, 3, 4, 5, 6, 8)) * power * unit < 1.6, (extent, side)
    assert 0.4 < side * unit / 360 < 0.92, (extent, side)
for view in "30,20", "90,0", "200,-60":
    left, top, right, bottom = box(lit(f"box-{view}", f"none-{view}"))
    assert left > 2 and top > 2 and right < 638 and bottom < 358, view  # all of it is seen
    assert right - left > 120 or bottom - top > 120, view
P
}

@test "numbers of the frame stand below the time, each in a line" {
    take late
    for size in 640x360 200x400; do
        shot none-$size --size $size --overlay none
        shot time-$size --size $size --overlay time
        shot all-$size --size $size --overlay time,dl,n,dp,step
    done
    with <<'P'
import numpy as np
for size in "640x360", "200x400":
    w, h = map(int, size.split("x"))
    time, every = (lit(f"{name}-{size}", f"none-{size}") for name in ("time", "all"))
    assert every[time].all(), size
    dark = ~every.any(axis=1)
    assert (dark[1:] & ~dark[:-1]).sum() == 5, size # lines end
    assert box(every)[0] == box(time)[0] or abs(box(every)[0] - box(time)[0]) < 3, size
    assert box(every)[2] < 0.9 * w and box(every)[3] < 0.4 * h, (size, box(every))
P
}

@test "panes have a scale bar each, and one time" {
    take one
    shot none --layout quad --overlay none
    shot both --layout quad --overlay time,scale
    with <<'P'
mask = lit("both")
half = [mask[:180, :320], mask[:180, 320:], mask[180:, :320], mask[180:, 320:]]
assert all(pane[120:].any() for pane in half)
assert [bool(pane[:60].any()) for pane in half] == [True, False, False, False]
P
}

@test "small pictures leave overlays out" {
    take two
    shot none --overlay none
    for size in 1x1 2x300 64x36 16x16 100x50 300x20; do
        shot small --size $size --overlay time,scale,energy,box --title 'A title'
        shot large --size $size --overlay time,energy --title "$(printf 'W%.0s' {1..500})" --view 10,20 --fov 90
    done
}

@test "any title is drawn or left out, and nothing else happens" {
    take one
    shot none --overlay none
    shot plain --title 'ab'
    shot control --title $'a\x1b[31m\x07\nb'
    shot shown --title 'a[31mb'
    for title in $'\xff\xfe\x80' $'\xe2\x82' '%s%n%d' '🌌 銀河 ☉ Ψ' $'\xf4\x90\x80\x80' '‮reversed' ' ' "$(printf 'é%.0s' {1..5000})"; do
        shot hostile --title "$title"
    done
    with <<'P'
assert lit("plain").any()
assert lit("shown").any() and not lit("shown", "control").any()
left, top, right, bottom = box(lit("hostile"))
assert left > 2 and right < 638 and right - left > 300 and top > 2 and bottom < 60  # cut short
P
}

@test "titles: each from its time to its time, appearing and vanishing in half a second, without one of them always" {
    take three
    shot one --frame 0 --title One
    shot two --frame 1 --title Two
    shot three --frame 2 --title Three
    shot none --frame 0
    shot text --frame 0 --title '1:2: noon'
    nbrender -q --center 0,0,0 --extent 4 --size 640x360 --fps 1 --title :0.5:One --title 0.5:1.5:Other --title 0.5:1.5:Two --title 1.5::Three -o 's%d.png' one.nbs
    nbrender -q --center 0,0,0 --extent 4 --size 640x360 --title=-3:3:One -o 'f%d.png' one.nbs
    for text in ::12:30:noon ::noon; do
        shot "${text##*:}${#text}" --frame 0 --title "$text"
    done
    shot noon --frame 0 --title noon
    shot colons --frame 0 --title 12:30
    # a picture alone, half a second of film and more after its title begins
    nbgen kepler -q | nbsim -q --until 2 --every 0.02 -o k.nbs
    for title in 1:5:One One; do nbrender -q --size 640x360 --frame 100 --title "$title" -o "k${#title}.png" k.nbs; done
    same_picture s0.png one.png s1.png two.png s2.png three.png f0.png one.png noon6.png noon.png k7.png k3.png
    python - <<'P'
from picture import png
one, f2, none, text, colons, clock = (png(f"{name}.png").astype(int).sum() for name in ("one", "f2", "none", "text", "colons", "noon12"))
assert abs((f2 - none) / (one - none) - 0.5) < 0.05, (f2 - none, one - none)
assert text == none and colons > none and clock > colons # from 1 to 2; 12:30 is a text, and so is 12:30:noon behind ::
P
    run -2 --separate-stderr nbrender -q --title 3:1:x -o x.png one.nbs
    [[ "$stderr" == "nbrender: --title 3:1:x: T1 is not after T0"* ]]
    run -2 --separate-stderr nbrender -q --title 3:3:x -o x.png one.nbs
}

@test "what is asked for wrongly is refused" {
    take one
    for list in , time, ,time times 'time scale' none,time time,,scale colourbar; do
        run --separate-stderr nbrender -q --overlay "$list" -o x.png one.nbs
        [ "$status" -eq 2 ]
        [[ "$stderr" == "nbrender: --overlay "* ]]
    done
    run --separate-stderr nbrender -q --overlay title -o x.png one.nbs
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--title TEXT"* ]]
    [ ! -e x.png ]
}

@test "fontconfig's configuration: a device is refused, what is broken is said once, a signal ends the wait" {
    take three
    mv one.nbs three.nbs
    take one
    shot time --overlay time # skips where nbrender has no text
    run -1 --separate-stderr env FONTCONFIG_FILE=/dev/full timeout 20 nbrender -q --overlay time -o no.png one.nbs
    [ "$stderr" = "nbrender: text needs a font, but FONTCONFIG_FILE=/dev/full is not a file" ]
    local fonts
    fonts=$(fc-list : file 2>/dev/null | sed -n '1s/:.*//p')
    printf '<fontconfig><dir>%s</dir><broken' "$(dirname "${fonts:-/usr/share/fonts/x}")" >broken.conf
    run -0 --separate-stderr env FONTCONFIG_FILE="$PWD/broken.conf" nbrender -q --size 64x36 --overlay time,scale --title 'x漢字' -o f%d.png three.nbs
    [ "$stderr" = "nbrender: warning: fontconfig: \"$PWD/broken.conf\", line 1: unclosed token" ]
    echo '<fontconfig><include>/dev/full</include></fontconfig>' >endless.conf
    FONTCONFIG_FILE=$PWD/endless.conf nbrender -q --size 64x36 --overlay time -o no.png one.nbs 2>said 3>&- &
    local waiting=$! status=0
    asks() { # fontconfig, in a process of its own
        [ -n "$(cat "/proc/$waiting/task/$waiting/children" 2>/dev/null)" ] || pgrep -P $waiting
    }
    await $waiting asks >/dev/null
    kill -TERM $waiting
    for _ in {1..500}; do kill -0 $waiting 2>/dev/null || break; sleep 0.02; done
    kill -KILL $waiting 2>/dev/null || true
    wait $waiting || status=$?
    [ "$status" = 143 ] # 128 + SIGTERM
    [ ! -s said ]
    [ ! -e no.png ]
    [ ! -e no.png.part ]
}

@test "without a font there is one clear line" {
    take one
    shot time --overlay time # skips where nbrender has no text
    echo '<fontconfig></fontconfig>' > none.conf
    run --separate-stderr env FONTCONFIG_FILE="$PWD/none.conf" nbrender -q --overlay time -o no.png one.nbs
    [ "$status" -eq 1 ]
    [[ "$stderr" == "nbrender: "*"needs a font"* && "$stderr" != *$'\n'* ]]
    [ ! -e no.png ]
    FONTCONFIG_FILE="$PWD/none.conf" nbrender -q -o yes.png one.nbs # nobody asked for text
    [ -s yes.png ]
}

@test "axes: the picture within a white margin, with ticks at round coordinates and numbers beside them" {
    take kpc
    at=(-q --center 1,0,3 --extent 2 --style light --no-dither --map density -f)
    nbrender "${at[@]}" --view y --size 500x400 --axes -o axes.png one.nbs 2> err || skip "$(cat err)"
    nbrender "${at[@]}" --view y --size 420x347 -o alone.png one.nbs
    nbrender "${at[@]}" --view 30,0 --size 500x400 --axes -o aside.png one.nbs
    with <<'P'
whole, alone, aside = png("axes.png"), png("alone.png"), png("aside.png")
assert whole.shape == (400, 500, 3) and (whole[13 : 13 + 347, 61 : 61 + 420] == alone).all()
dark = whole.max(axis=2) < 128
assert (whole[:10] == 255).all() and (whole[:, 485:][:10] == 255).all()
def runs(line):  # where dark runs begin and end
    edge = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
    return edge.reshape(-1, 2).mean(axis=1)
below = runs(dark[13 + 347 + 3, 61 - 3 : 61 + 420 + 3]) - 3  # x from -1 to 3
assert np.allclose(below, [0, 105, 210, 315, 420], atol=1), below
left = runs(dark[13 - 3 : 13 + 347 + 3, 61 - 4]) - 3  # z from 3 - 1.652 to 3 + 1.652
assert np.allclose(left, [173.5 - 105 * k for k in (1, 0, -1)], atol=1), left
assert dark[365:378, 61 + 210 - 5 : 61 + 210 + 5].any() and dark[380:, 240:320].any()  # a number; x (kpc)
assert dark[150:230, :20].any()  # z (kpc), upwards
turned = np.rot90(dark[100:260, 2:18], -1)  # read from the left
assert turned.any(axis=0).sum() > 2 * turned.any(axis=1).sum()
ticks = runs((aside.max(axis=2) < 128)[13 + 347 + 3, 58:484]) - 3
assert np.allclose(ticks, [0, 105, 210, 315, 420], atol=1), ticks  # from the middle
P
    run -2 --separate-stderr nbrender -q --axes --layout quad -o x.png one.nbs
    run -2 --separate-stderr nbrender -q --axes -o x.npy one.nbs
    run -2 --separate-stderr nbrender -q --axes --size 60x60 -o x.png one.nbs
    [[ $stderr == *"is too small"* ]]
    [ ! -e x.png ]
}

@test "arrows: mean velocities by mass in the cells of a grid, and one of a round speed for reference" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("one.nbs", frame([1.0, 1, 1, 3], [[1, 0.1, 0], [-1, 0, 0], [0, 1, 0], [0.2, 1, 0]], [[0, 2, 9], [1, 0, 0], [4, 0, 0], [0, 0, 0]]))
P
    at=(-q --center 0,0,0 --extent 1.5 --size 300x300 --no-dither --style light --smooth fixed -f)
    nbrender "${at[@]}" -o none.png one.nbs
    nbrender "${at[@]}" --arrows 3 -o arrows.png one.nbs 2> err || skip "$(cat err)"
    with <<'P'
d = lit("arrows")
long = 0.85 * 100 / 1.8  # of speed 1: of the speeds 1, 1 and 2 90 % are below 1.8
def check(x, y, wide, high):
    part = np.zeros_like(d)
    part[y - 50 : y + 50, x - 50 : x + 50] = d[y - 50 : y + 50, x - 50 : x + 50]
    x0, y0, x1, y1 = box(part)
    assert abs((x0 + x1) / 2 - x) < 2 and abs((y0 + y1) / 2 - y) < 2, (x0, y0, x1, y1)
    assert abs(x1 - x0 - wide) < 5 and abs(y1 - y0 - high) < 5, (x0, y0, x1, y1)
check(250, 150, 11, 2 * long)
check(50, 150, long, 11)
check(150, 50, long, 11)  # (1 * 4 + 3 * 0) / 4
up = d[150 - 50 : 150 + 50, 200:300].sum(axis=1)
assert up[:14].max() > 2 * up[-14:].max()  # its head is above
x0, y0, x1, y1 = box(d[270:, :])
assert abs(x1 - x0 - long) < 6 and abs((x0 + x1) / 2 - 150) < 2
assert not d[:40, :100].any() and not d[210:265].any()
P
    run -2 --separate-stderr nbrender -q --arrows 0 -o x.png one.nbs
    run -2 --separate-stderr nbrender -q --arrows 3 -o x.npy one.nbs
    [ ! -e x.png ]
}

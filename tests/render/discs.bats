#!/usr/bin/env bats
# nbrender's pictures of few bodies: discs, their sizes and order, and the paths of the bodies.
bats_require_minimum_version 1.5.0
load ../common/common


look=(-q --size 400x400 --extent 2 --center 0,0,0)

# The streams of all tests.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("s.nbs", frame([8., 1., 0., 0.008], [[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]], [[0, 0, 0]] * 4))
write("nearer.nbs", frame([1., 1.], [[0, 0, -0.5], [0, 0, 0.5]], [[0, 0, 0], [2, 0, 0]]))
write("behind.nbs", frame([1., 1.], [[0, 0, 0], [0.5, 0, 30]], [[0, 0, 0], [2, 0, 0]]))

# a body round the origin at speed 1, a frame every 0.5; ids change places from frame to frame
frames = []
for k in range(13):
    t = 0.5 * k
    pos, vel = [[np.cos(t), np.sin(t), 0], [0, 0, 0]], [[-np.sin(t), np.cos(t), 0], [0, 0, 0]]
    order = [0, 1] if k % 2 else [1, 0]
    frames.append(frame(np.array([1e-9, 1.])[order], np.array(pos)[order], np.array(vel)[order], time=t,
                        id=np.array([3, 2**63], np.uint64)[order]))
write("round.nbs", *frames)

for name, x in ("one", -4.0), ("two", 4.0):
    write(f"{name}.nbs", *(frame(np.ones(1), np.array([[x, y, 0]]), np.zeros((1, 3)), time=y) for y in (0.0, 1.0)))

x = np.array([[-4.0, 0, 0], [0, 0, 0], [4, 0, 0]])
def moment(time, which, **columns):
    return frame(np.ones(len(which)), x[which] + [0, 4 * time - 2, 0], np.zeros((len(which), 3)) + [0, 4, 0], time=time, **columns)
ids = np.array([7, 8, 9], np.uint64)
write("named.nbs", moment(0.0, [0, 1, 2], id=ids), moment(1.0, [2, 0], id=ids[[2, 0]]))
write("nameless.nbs", moment(0.0, [0, 1, 2]), moment(1.0, [2, 0]))

write("labels.nbs", frame([1., 1.], [[-1, 0, 0], [1, 0, 0]], [[0, 0, 0]] * 2, id=np.array([7, 2**63 + 1], np.uint64)))
write("place.nbs", frame([1., 5.], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0]] * 2, id=np.array([111, 222], np.uint64)))
P
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    ln "$BATS_FILE_TMPDIR"/*.nbs .
}

@test "a disc's radius goes with the cube root of the mass, from height/240 to height/54, or as --point-size says" {
    nbrender "${look[@]}" --size 1600x1600 --color-range 0,1 -o s.png s.nbs
    nbrender "${look[@]}" --size 400x400 --color-range 0,1 --point-size 20 -o point.png s.nbs
    python - <<'P'
import numpy as np
from picture import png
point = png("point.png").max(axis=2)
for part, share in (point[200:, :200], 1), (point[200:, 200:], 0.5):
    expected = 10 * (54 / 240 + (1 - 54 / 240) * share)
    radius = (np.minimum(part / (0.6 * point.max()), 1).sum() / np.pi) ** 0.5
    assert abs(radius - expected) < 0.04 * expected + 0.1, (radius, expected)
p = png("s.png").max(axis=2)
for (y, x), share in zip(((1, 0), (1, 1), (0, 0), (0, 1)), (1, 0.5, 0, 0.1)):
    part = p[800 * y : 800 * y + 800, 800 * x : 800 * x + 800]
    # the brightest stands for full cover; a little darker towards the limb counts as whole
    area = np.minimum(part / (0.6 * p.max()), 1).sum()
    expected = 1600 * (1 / 240 + (1 / 54 - 1 / 240) * share)
    assert abs((area / np.pi) ** 0.5 - expected) < 0.03 * expected + 0.1, (share, (area / np.pi) ** 0.5, expected)
P
}

@test "the nearer body covers the farther one, from both sides; one behind the camera is not drawn" {
    nbrender "${look[@]}" --color-range 0,2 -o above.png nearer.nbs
    nbrender "${look[@]}" --color-range 0,2 --view=-90,-90 -o below.png nearer.nbs
    nbrender "${look[@]}" --color-range 0,2 --fov 60 -o behind.png behind.nbs
    python - <<'P'
from picture import png, spots
a, b = png("above.png")[200, 200].astype(int), png("below.png")[200, 200].astype(int)
assert a[0] > 2 * a[2] and b[2] > 2 * b[0], (a, b)
assert spots(png("behind.png")) == 1
P
}

@test "trails are the path of the last T units, matched by id, fading" {
    nbrender "${look[@]}" --trails 2 -o 'r%02d.png' round.nbs
    nbrender "${look[@]}" -o 'bare%02d.png' round.nbs
    python - <<'P'
import numpy as np
from picture import png
p, bare = png("r12.png").max(axis=2).astype(int), png("bare12.png").max(axis=2)
p[bare > 0] = 0
y, x = np.nonzero(p > 3)
r = np.hypot(x + 0.5 - 200, 200 - y - 0.5)
assert abs(r - 100).max() < 2, (r.min(), r.max())  # Hermite curves of half a radian are within 1e-3 of the circle
angle = np.unwrap(np.sort(np.arctan2(200 - y - 0.5, x + 0.5 - 200) % (2 * np.pi)))
age = 6 - angle  # it is at angle 6 now
assert 1.7 < age.max() < 2.02 and age.min() < 0.15, (age.min(), age.max())
assert np.diff(angle).max() < 0.05  # without gaps
level = lambda a: p[np.abs(6 - (np.arctan2(200 - np.mgrid[:400, :400][0] - 0.5, np.mgrid[:400, :400][1] - 199.5) % (2 * np.pi)) - a) < 0.05].max()
assert level(0.3) > 1.5 * level(1) > 2 * level(1.6) > 0, [level(a) for a in (0.3, 1, 1.6)]
first = png("r00.png").max(axis=2)
assert (first == png("bare00.png").max(axis=2)).all()  # nothing is known of what was before
P
}

@test "no trail leads from the end of one stream to the beginning of the next" {
    cat one.nbs two.nbs > both.nbs
    nbrender -q --size 200x40 --extent 10 --center 0,0,0 --trails 3 -o 'b%d.png' both.nbs
    python - <<'P'
from picture import png
for k in range(4):
    p = png(f"b{k}.png")
    assert p[:, 70:130].max() == 0 and p[:, 50:150].max() > 100, k
assert p[19, 140].max() > 20  # the second stream has its own
P
}

@test "trails and motion match bodies alike: without ids, none where a body more or less came" {
    for name in named nameless; do
        nbrender -q --size 100x60 --extent 10 --center 0,0,0 --trails 3 -o $name.png $name.nbs
    done
    python - <<'P'
from picture import png
named, nameless = (png(f"{name}.png")[30].max(axis=1) for name in ("named", "nameless"))
assert named[28:32].max() > 20 and named[68:72].max() > 20 and named[35:65].max() == 0
assert nameless.max() == 0
P
}

@test "one picture has the trails of the film: --frame K, the last frame, a list" {
    nbgen figure8 | nbsim -q --device cpu --until 3 --every 0.25 -o f.nbs
    nbrender "${look[@]}" --trails 1.5 -o 'film%02d.png' f.nbs
    nbrender "${look[@]}" --trails 1.5 --frame 7 -o seven.png f.nbs
    nbrender "${look[@]}" --trails 1.5 -o last.png < f.nbs
    nbrender "${look[@]}" --trails 1.5 --frame 3,7 -o 'list%02d.png' f.nbs
    same_picture film07.png seven.png film12.png last.png film07.png list07.png film03.png list03.png
    run -1 --separate-stderr nbrender "${look[@]}" --trails 1 --frame 13 -o x.png f.nbs
    [ "$stderr" = "nbrender: f.nbs: no frame 13: there are 13 (0 to 12)" ]
}

@test "discs up to 200 bodies, light beyond; --style forces either" {
    nbgen plummer -q -n 200 -o few.nbs
    nbgen plummer -q -n 201 -o many.nbs
    for n in few many; do
        for style in auto light discs; do nbrender "${look[@]}" --style $style -o $n-$style.png $n.nbs; done
    done
    pairs=(few-auto.png few-discs.png many-auto.png many-light.png)
    run ! same_picture few-auto.png few-light.png
    run ! same_picture many-auto.png many-discs.png
    for option in '--smooth 5' '--stars 0.1' '--bloom 0.3' '--dust 0.5' '--exposure 2' '--weight count'; do
        # shellcheck disable=SC2086
        run -0 --separate-stderr nbrender "${look[@]}" $option -o "./${option% *}.png" few.nbs
        [ "$stderr" = "nbrender: warning: ${option% *}: 200 bodies are drawn as discs, where it has no effect (--style light)" ] ||
            { echo "$stderr"; return 1; }
        pairs+=("./${option% *}.png" few-auto.png)
    done
    same_picture "${pairs[@]}"
    run -2 --separate-stderr nbrender --style dots -o x.png few.nbs
    [ "${stderr_lines[0]}" = "nbrender: --style dots: expected auto, light or discs" ]
}

@test "trails of light: the path of the last T units, fading, of the bodies that a condition names" {
    light=("${look[@]}" --style light --smooth fixed --bloom 0 --color mass --weight count)
    nbrender "${light[@]}" --trails 2 -o 'c%02d.png' round.nbs
    nbrender "${light[@]}" --trails 2 --threads 1 --frame 12 -o one.png round.nbs
    nbrender "${light[@]}" --trails '2:id == 3' --frame 12 -o named.png round.nbs
    nbrender "${light[@]}" --trails '2:id != 3' --frame 12 -o other.png round.nbs
    nbrender "${light[@]}" -o 'bare%02d.png' round.nbs
    same_picture one.png c12.png other.png bare12.png c00.png bare00.png
    python - <<'P'
import numpy as np
from picture import png
named, p, bare = (png(f"{name}.png").max(axis=2).astype(int) for name in ("named", "c12", "bare12"))
assert named.sum() > p.sum() # a single path is brighter than each of several
p[bare > 0] = 0
y, x = np.nonzero(p > 6)
r = np.hypot(x + 0.5 - 200, 200 - y - 0.5)
assert abs(r - 100).max() < 6, (r.min(), r.max())
age = 6 - np.unwrap(np.sort(np.arctan2(200 - y - 0.5, x + 0.5 - 200) % (2 * np.pi)))
assert 1.8 < age.max() < 2.04 and age.min() < 0.2 and abs(np.diff(age)).max() < 0.05, (age.min(), age.max())
angle = np.arctan2(200 - np.mgrid[:400, :400][0] - 0.5, np.mgrid[:400, :400][1] - 199.5) % (2 * np.pi)
level = [p[np.abs(6 - angle - a) < 0.05].max() for a in (0.3, 1, 1.6)]
assert level[0] > 1.15 * level[1] > 1.5 * level[2] > 0, level
P
}

@test "trails of light among many bodies are those of some of them; conditions and lengths that are none" {
    nbgen uniform -q -n 3000 | nbsim -q --device cpu --until 0.2 --every 0.2 -o many.nbs
    few=(-q --size 200x200 --extent 2 --smooth fixed --style light --color mass)
    nbrender "${few[@]}" --trails 1 -o some.png many.nbs
    nbrender "${few[@]}" --trails '1:id >= 0' -o all.png many.nbs
    nbrender "${few[@]}" -o none.png many.nbs
    python - <<'P'
from picture import png
some, all, none = (png(f"{name}.png").astype(int) for name in ("some", "all", "none"))
a, b = ((abs(p - none).max(axis=2) > 8).sum() for p in (some, all))
assert 100 < a < 0.8 * b, (a, b)
P
    run -2 --separate-stderr nbrender "${few[@]}" --trails '1:id <' -o x.png many.nbs
    [[ "$stderr" == "nbrender: --trails id <: "* ]]
    run -2 --separate-stderr nbrender "${few[@]}" --trails :hole -o x.png many.nbs
    [[ "$stderr" == "nbrender: --trails"* ]]
    run -1 --separate-stderr nbrender "${few[@]}" --trails '1:colour > 2' -o x.png many.nbs
    [[ "$stderr" == "nbrender: --trails: "*colour* ]]
}

@test "labels of bodies that are light, or paths of too many bodies, are refused with a sentence" {
    nbgen plummer -q -n 201 -o many.nbs
    run -1 --separate-stderr nbrender "${look[@]}" --labels id -o x.png many.nbs
    [ "$stderr" = "nbrender: --labels: 201 bodies are drawn as light, without them (--style discs draws them)" ]
    nbgen plummer -q -n 10001 -o more.nbs
    run -1 --separate-stderr nbrender "${look[@]}" --trails 1 --style discs -o x.png more.nbs
    [[ $stderr = "nbrender: --trails: 10001 bodies, but paths can be drawn for at most 10000"* ]]
    [ ! -e x.png ]
    [ ! -e x.png.part ]
}

@test "labels stand to the right of the discs: ids, values, names by increasing id" {
    look+=(--size 800x400 --extent 3)
    nbrender "${look[@]}" -o bare.png labels.nbs
    nbrender "${look[@]}" --labels id -o id.png labels.nbs 2> err || { grep -q font err && skip "$(cat err)"; cat err && false; }
    nbrender "${look[@]}" --labels mass -o mass.png labels.nbs
    nbrender "${look[@]}" --labels ,Earth -o name.png labels.nbs
    python - <<'P'
import numpy as np
from picture import png
bare = png("bare.png").astype(int)
def new(name):
    "Where a label is: columns left and right of the middle, and rows."
    y, x = np.nonzero(np.abs(png(name).astype(int) - bare).max(axis=2) > 60)
    return [x[x < 400], x[x >= 400], y]
left, right, y = new("id.png")
for x, body in (left, 400 - 800 / 6), (right, 400 + 800 / 6):
    assert body + 5 < x.min() < body + 20
assert np.ptp(right) > 8 * np.ptp(left)       # 20 digits and one
assert abs((y.min() + y.max()) / 2 - 200) < 1.5
left, right, y = new("mass.png")
assert np.ptp(left) == np.ptp(right) < 10     # 1 and 1
left, right, y = new("name.png")
assert len(left) == 0 and len(right) > 20
P
    run -1 --separate-stderr nbrender "${look[@]}" --labels a,b,c -o x.png labels.nbs
    [ "$stderr" = "nbrender: --labels: 3 names for 2 bodies" ]
    run -1 --separate-stderr nbrender "${look[@]}" --labels colour -o x.png labels.nbs
    [ "$stderr" = "nbrender: --labels colour: expected id, a column of the input, or names separated by commas" ]
}

@test "of labels in one place that of the largest disc stays" {
    nbrender "${look[@]}" --labels ,222 -o large.png place.nbs 2> err || { grep -q font err && skip "$(cat err)"; cat err && false; }
    nbrender "${look[@]}" --labels 111,222 -o both.png place.nbs
    nbrender "${look[@]}" --labels 111, -o small.png place.nbs
    same_picture large.png both.png
    run ! same_picture small.png both.png
}

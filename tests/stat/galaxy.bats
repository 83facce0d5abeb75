#!/usr/bin/env bats
# nbstat on the structure of a system: Lagrangian radii, modes, escapers, distances of galaxies. Compared with formulas
# and numpy.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    make_galaxies
}

@test "--lagrange: radii of a Plummer sphere, the half of them the half-mass radius; moved, and of some of it" {
    nbgen plummer -n 20000 --seed 3 --truncation 1000 -o p.nbs
    nbstat -q --lagrange 10,25,50,90 --potential none p.nbs > table
    [ "$(column r50 < table)" = "$(column half_mass_radius < table)" ]
    [ "$(head -n 1 table | cut -f 27-)" = "$(printf 'r10\tr25\tr50\tr90')" ]
    # M(r) = M (1 + a^2 / r^2)^(-3/2), a = 3 pi / 16; a share q has a standard error of sqrt(q (1 - q) / N), times dr/dq
    python - $(for k in 10 25 50 90; do column r$k < table; done) <<'P'
import sys
from math import pi, sqrt
a, N = 3 * pi / 16, 20000
for q, got in zip((0.1, 0.25, 0.5, 0.9), map(float, sys.argv[1:])):
    want = a / sqrt(q ** (-2 / 3) - 1)
    slope = want**3 / (3 * a * a) * q ** (-5 / 3)
    error = 3 * slope * sqrt(q * (1 - q) / N) + 0.005 * want  # and the centre is found to within some 0.01
    assert abs(got - want) < error, (q, got, want, error)
P
    nbstat -q --json --lagrange 33.3,0.1 --columns r0.1,r33.3 p.nbs | grep -qx '{"r0.1": [0-9.e-]*, "r33.3": [0-9.]*}'
    nbstat -q --lagrange 50,100 --about com --select 'r < 0.5' --columns r50,r100,centre,com p.nbs > inner
    [ "$(column cx < inner)" = "$(column comx < inner)" ]
    python - "$(column r50 < inner)" "$(column r100 < inner)" <<'P'
import sys
import numpy as np
from nbs_reader import read
f, = read(open("p.nbs", "rb"))
x = f["pos"][np.sqrt((f["pos"] ** 2).sum(1)) < 0.5]
r = np.sort(np.sqrt(((x - x.mean(0)) ** 2).sum(1)))
for q, got in zip((0.5, 1), map(float, sys.argv[1:])):
    assert abs(got - r[int(np.ceil(q * len(r))) - 1]) < 1e-12
P
}

@test "--modes: rings with known harmonics, turned, tilted and off the origin, from text" {
    python - <<'P'
import numpy as np
n, out = 96, []
phi = 2 * np.pi * np.arange(n) / n
# by the weights of bodies at equal angles: A_k = amplitude / 2, with maxima at the phases
weight = 1 + 0.4 * np.cos(2 * (phi - 0.7)) + 0.2 * np.cos(3 * (phi + 0.3)) + 0.1 * np.cos(4 * (phi - 0.1))
w = np.array([1.0, 2, -2]) / 3
e = np.array([1.0, 0, 0]) - w[0] * w
e /= np.sqrt(e @ e)
f = np.cross(w, e)
for name, (a, b) in dict(flat=([1, 0, 0], [0, 1, 0]), tilted=(e, f)).items():
    a, b = np.array(a), np.array(b)
    with open(name + ".txt", "w") as out:
        for R, m, shift in ((1, weight, 0), (2, weight, 0), (5, 3 * (1 + np.cos(phi)), 1)):  # the outermost is lopsided
            x = 7 + R * (np.cos(phi)[:, None] * a + np.sin(phi)[:, None] * b)
            v = -np.sin(phi)[:, None] * a + np.cos(phi)[:, None] * b + [3, -2, 1]
            for row in zip(m, *x.T, *v.T):
                print(*map(repr, map(float, row)), file=out)
P
    for case in flat:z tilted:1,2,-2 tilted:spin; do
        nbconv -f --from text -o ring.nbs ${case%:*}.txt
        nbstat -q --modes --within 3 --axis ${case#*:} --about com --select "(x - 7)^2 + (y - 7)^2 + (z - 7)^2 < 10" ring.nbs > got
        python - "$case" $(for k in a1 a2 a3 a4 phase2 phase3 phase4; do column $k < got; done) <<'P'
import sys
from math import pi
got = [float(x) for x in sys.argv[2:]]
for have, want in zip(got, (0, 0.2, 0.1, 0.05, 0.7, -0.3, 0.1)):
    assert abs(have - want) < 1e-13, (sys.argv[1], got)
P
    done
    # --within leaves the outer ring out as a selection does; without it, it counts; its axis does not tilt with --axis z
    nbconv -f --from text -o flat.nbs flat.txt
    nbstat -q --modes --columns a1,a2 --within 3 --about com --select "(x - 7)^2 + (y - 7)^2 < 10" flat.nbs > in
    nbstat -q --modes --columns a1,a2 --about com --select "(x - 7)^2 + (y - 7)^2 < 10" flat.nbs | cmp - in
    nbstat -q --modes --columns a1,a2 --about com flat.nbs | run ! cmp -s - in
    nbstat -q --modes --columns a1,a2 --about com --axis x ring.nbs | run ! cmp -s - in
}

@test "--modes: a black hole in the centre has no part, alone it has" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
phi = 0.2 + 2 * np.pi * np.arange(6) / 3 # twice at the corners of a triangle
ring = np.c_[np.cos(phi), np.sin(phi), 0 * phi]
def make(name, pos, mass, component):
    write(name, frame(mass, pos, pos * 0, component=np.array(component, "u1")))
make("disk.nbs", np.r_[[[1e-9, 2e-9, 0]], ring], np.r_[50.0, np.ones(6)], [5] + [2] * 6)
make("holes.nbs", ring, np.ones(6), [5] * 6)
P
    nbgen disk -q -n 600 -o d.nbs # no more noise with its central body than without
    python - <<'P'
import subprocess
def modes(*options):
    text = subprocess.run(["nbstat", "-q", "--modes", "--about", "com", "--columns", "a1,a2,a3,phase3", *options], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [float(word) for word in text.splitlines()[1].split()]
for name in "disk.nbs", "holes.nbs":
    a1, a2, a3, phase = modes(name)
    assert a1 < 1e-8 and a2 < 1e-8 and abs(a3 - 1) < 1e-12 and abs(phase - 0.2) < 1e-8, (name, a1, a2, a3, phase)
assert modes("--select", "hole", "disk.nbs")[:3] == [0, 0, 0] # in the centre of what is selected
P
    for options in "" "--select disk"; do
        # shellcheck disable=SC2086
        nbstat -q --modes --columns a1,a2,a3,a4 $options d.nbs | tail -n 1 | tr '\t' '\n' | awk '$1 > 4 / sqrt(600) { exit 1 }'
    done
}

@test "--modes: the phase of a turning bar is its angle" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
bar = lambda a: np.array([[np.cos(a), np.sin(a), 0], [-np.cos(a), -np.sin(a), 0], [0, 0, 0.5], [0, 0, -0.5]])
write("bar.nbs", *(frame(np.ones(4), bar(0.4 * t), np.zeros((4, 3)), time=t) for t in range(9)))
P
    nbstat -q --modes --columns time,a2,phase2 --about com bar.nbs | tail -n +2 > got
    awk 'function rest(x) { while (x > p) x -= 2 * p; while (x <= -p) x += 2 * p; return x }
        BEGIN { p = atan2(0, -1) / 2 } { d = $3 - rest(0.4 * $1); if (d * d > 1e-28 || ($2 - 0.5) ^ 2 > 1e-30) exit 1; n++ } END { exit n != 9 }' got
}

@test "--escaped: shares of mass and number as numpy counts them, in the frame of all, with external fields" {
    nbstat -q --json --escaped "$BATS_FILE_TMPDIR/galaxies.nbs" > all
    nbstat -q --json --escaped --select 'galaxy == 2 && m > 0' "$BATS_FILE_TMPDIR/galaxies.nbs" > some
    python - <<'P'
import json
import numpy as np
from nbs_reader import read
import os
frames = read(open(os.environ["BATS_FILE_TMPDIR"] + "/galaxies.nbs", "rb"))
for name, chosen in ("all", lambda f: f["mass"] >= 0), ("some", lambda f: (f["galaxy"] == 2) & (f["mass"] > 0)):
    for line, f in zip(open(name), frames):
        line, m, s = json.loads(line), f["mass"], chosen(f)
        d2 = ((f["pos"][:, None] - f["pos"]) ** 2).sum(-1) + 0.05**2
        phi = -1.5 * ((m / np.sqrt(d2)).sum(1) - m / 0.05)
        u = f["vel"] - (m[:, None] * f["vel"]).sum(0) / m.sum()
        e = (u * u).sum(1) / 2 + phi
        assert np.abs(e).min() > 1e-6
        assert abs(line["escaped"] - m[s & (e > 0)].sum() / m[s].sum()) < 1e-13
        assert line["escaped_number"] == (s & (e > 0)).sum() / s.sum()
        assert 0.05 < line["escaped_number"] < 0.95
P
    # phi_external is counted: two bodies at rest apart, and a field with a positive potential on one side
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
x = np.array([[-3.0, 0, 0], [3, 0, 0]])
for name, more in ("held", {}), ("lifted", {"phi_external": np.array([1.0, -1]), "force": ["auto", "external:uniform,x=0.3"]}):
    write(name + ".nbs", frame(np.array([1.0, 3]), x, x * 0, phi=np.array([-0.5, -1 / 6]), **more))
P
    [ "$(nbstat -q --escaped --columns escaped,escaped_number held.nbs | tail -n 1)" = $'0\t0' ]
    [ "$(nbstat -q --escaped --columns escaped,escaped_number lifted.nbs | tail -n 1)" = $'0.25\t0.5' ]
}

@test "--distance: centres and velocities of galaxies, though tails are far away" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r, n = np.random.default_rng(1), 900
x = np.concatenate([0.1 * r.normal(size=(n, 3)) * (1 + 20 * (np.arange(n) % 9 == 0))[:, None] for k in range(3)])
at, moving = np.array([[0, 0, 0], [3, 4, 0], [0, 0, 12.0]]), np.array([[0, 0, 0], [0, 0, 2], [0.0, 6, 2]])
galaxy = np.repeat(np.array([0, 1, 3], "u1"), n)
tail = (np.arange(3 * n) % 10 == 1)[:, None]
v = np.repeat(moving, n, 0) + tail * np.repeat([[50, 0, 0], [-30, 20, 0], [0, 0, 70]], n, 0) # each tail has its own
x += np.repeat(at, n, 0) + tail * [90, 0, 0]
full = frame(np.ones(3 * n), x, v, galaxy=galaxy)
two = frame(np.ones(2 * n), x[: 2 * n], v[: 2 * n], galaxy=galaxy[: 2 * n], time=1)
write("three.nbs", full, two)
write("none.nbs", frame(np.ones(2), np.eye(3)[:2], np.eye(3)[:2]))
write("wide.nbs", frame(np.ones(2), np.eye(3)[:2], np.eye(3)[:2], galaxy=np.array([0, 16], "u1")))
P
    nbstat -q --distance --potential none --columns time,distance_0_1,distance_0_3,distance_1_3,speed_0_1,speed_0_3,speed_1_3 three.nbs | tail -n +2 > got
    python - <<'P'
import numpy as np
first, second = [[float(x) for x in line.split()] for line in open("got")]
for have, want, error in zip(first[1:], (5, 12, 13, 2, 40**0.5, 6), [0.05] * 3 + [1e-9] * 3):
    assert abs(have - want) < error, first
assert second[:2] == [1, first[1]] and second[4] == first[4] and np.isnan(second[2:4] + second[5:]).all()
P
    nbstat -q --distance --json --columns distance_0_1,speed_0_1 --about com three.nbs | head -n 1 > com
    python -c 'import json
d = json.load(open("com"))
assert abs(d["distance_0_1"] - 5) < 0.3 and abs(d["speed_0_1"] - 72**0.5) < 1e-12, d' # a tenth is in tails
    [ "$(nbstat -q --distance --potential none three.nbs | head -n 1 | cut -f 27-)" = "$(printf 'distance_0_1\tspeed_0_1\tdistance_0_3\tspeed_0_3\tdistance_1_3\tspeed_1_3')" ]
    run -1 --separate-stderr nbstat --distance none.nbs
    [ "$stderr" = "nbstat: none.nbs: frame 0: --distance: the bodies have no column galaxy of type u8" ]
    run -1 --separate-stderr nbstat --distance wide.nbs
    [ "$stderr" = "nbstat: wide.nbs: frame 0: --distance: body 1 belongs to galaxy 16, above the maximum of 15" ]
}

@test "--distance: a line where there is one galaxy alone, where one comes later, and where a chosen one is missing" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(2)
x, v = r.normal(size=(40, 3)), r.normal(size=(40, 3))
of = lambda time, *galaxies: frame(np.ones(40), x, v, time=time, galaxy=np.resize(np.array(galaxies, "u1"), 40))
write("one.nbs", of(0, 4), of(1, 4))
write("later.nbs", of(0, 1, 2), of(1, 1, 2, 5), of(2, 1, 2, 5, 9))
write("gone.nbs", of(0, 1, 2), of(1, 2), of(2, 1, 2))
P
    columns() { head -n 1 | cut -f 27-; }
    run --separate-stderr nbstat -q --potential none --distance one.nbs
    [ "$status" = 0 ]
    [ -z "$(columns <<< "$output")" ]
    [ "${#lines[@]}" = 3 ]
    [ "$stderr" = "nbstat: warning: one.nbs: frame 0: all bodies belong to one galaxy, so there are no distances" ]
    run --separate-stderr nbstat -q --potential none --distance --columns distance_0_1 one.nbs
    [ "$output" = $'# distance_0_1\nnan\nnan' ]
    [ "$stderr" = "nbstat: warning: one.nbs: frame 0: all bodies belong to one galaxy, so there are no distances" ]
    for how in "" --json; do
        run --separate-stderr nbstat -q --potential none --distance $how later.nbs
        [ "$status" = 0 ]
        [ "${#stderr_lines[@]}" = 2 ]
        for k in 0 1; do
            [ "${stderr_lines[k]}" = "nbstat: warning: later.nbs: frame $((k + 1)): galaxy $((5 + 4 * k)) is not in the first frame, so its distances have no columns (name them with --columns)" ]
        done
        [[ $output != *e_*_5* ]]
        [[ $output == *distance_1_2* ]]
    done
    nbstat -q --potential none --distance --frame 2 later.nbs > all 2> said # here it is in the first line
    [ ! -s said ]
    [ "$(columns < all | tr '\t' '\n' | wc -l)" = 12 ]
    run --separate-stderr nbstat -q --potential none --distance --columns distance_1_2,distance_1_5,distance_2_9 later.nbs
    [ "$stderr" = "nbstat: warning: later.nbs: frame 0: no distance_1_5: one of the two galaxies has no mass" ]
    [[ ${lines[2]} =~ ^[0-9.]+$'\t'[0-9.]+$'\tnan'$ ]]
    [[ ${lines[3]} != *nan* ]]
    run --separate-stderr nbstat -q --potential none --distance gone.nbs
    [ "$stderr" = "nbstat: warning: gone.nbs: frame 1: all bodies belong to one galaxy, so there are no distances" ]
    [ -z "$(nbstat -q --potential none --distance "$BATS_FILE_TMPDIR/galaxies.nbs" 2>&1 >/dev/null)" ]
}

@test "--select: the half-mass radius of the stars about a centre of 99 %" {
    nbgen disk -n 5000 --seed 6 --central-mass 0.99 -o hole.nbs
    all=$(nbstat --json --columns half_mass_radius hole.nbs)
    [ "$all" = '{"half_mass_radius": 0}' ] || close "$(tr -dc '0-9.e-' <<< "${all#*:}")" 0 1e-4
    nbstat --select disk --columns half_mass_radius,centre hole.nbs > stars
    python - "$(tail -n 1 stars)" <<'P'
import sys
import numpy as np
from nbs_reader import read
f, = read(open("hole.nbs", "rb"))
x = f["pos"][f["component"] == 2]
want = np.sort(np.sqrt((x * x).sum(1)))[len(x) // 2]
got, *centre = map(float, sys.argv[1].split())
assert abs(got / want - 1) < 0.03 and got > 0.1 and np.hypot(*centre[:2]) < 0.1 * want, (got, want, centre)
P
}

@test "equal bytes for any number of threads, of files and pipes" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    for threads in 1 2 5; do
        nbstat -q --device cpu --threads $threads --lagrange 10,50 --modes --escaped --distance g.nbs > $threads
        nbstat -q --device cpu --threads $threads --radial cylindrical --axis spin g.nbs >> $threads
    done
    cmp 1 2 && cmp 1 5
    nbstat -q --device cpu --lagrange 10,50 --modes --escaped --distance --frame last - < <(cat g.nbs) | cut -f 2- | tail -n 1 > last
    [ "$(cat last)" = "$(sed -n 4p 1 | cut -f 2-)" ]
    nbstat -q --device cpu --radial cylindrical --axis spin - < <(cat g.nbs) | cut -f 2- | cmp - <(sed -n '5,$p' 1 | cut -f 2-)
}

@test "--escaped: a lone body has not, however its mass and speed round, with bodies of no mass about it too" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(3)
m, v = 10 ** r.uniform(-5, 5, 200), r.normal(size=(200, 3)) * 7
write("lone.nbs", *(frame(m[k : k + 1], np.ones((1, 3)), v[k : k + 1]) for k in range(200)))
assert (m[:, None] * v / m[:, None] != v).any(1).sum() > 20
x, u = np.eye(3), np.array([[0, 0, 0], [0, 1.0, 0], [1.9, 0, 0]])  # at distances 0, sqrt(2) and sqrt(2): one is bound
write("sun.nbs", *(frame(np.array([m[k], 0, 0]), x, v[k] + u * m[k] ** 0.5) for k in range(100)))
P
    [ "$(nbstat -q --escaped --columns escaped,escaped_number lone.nbs | tail -n +2 | sort | uniq -c | tr -s ' ')" = $' 200 0\t0' ]
    [ "$(nbstat -q --escaped --columns escaped,escaped_number sun.nbs | tail -n +2 | cut -c 1-8 | sort | uniq -c | tr -s ' ')" = $' 100 0\t0.3333' ]
}

@test "systems that have little: one body, no mass, one place, fewer bodies than bins" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("one.nbs", frame([2], [[1, 2, 3]], [[0, 0, 1]]))
write("massless.nbs", frame([0, 0, 0], np.eye(3), np.eye(3)))
write("place.nbs", frame(np.ones(50), np.ones((50, 3)), np.eye(3)[np.arange(50) % 3], softening=0.1))
write("huge.nbs", frame(np.ones(3), np.array([[1e300, 0, 0], [-1e300, 0, 0], [0, 1, 0]]), np.zeros((3, 3))))
P
    nbstat -q --potential none --lagrange 1,50,100 --modes --columns r1,r50,r100,a1,a2 --about com huge.nbs > row
    for file in one massless place; do
        nbstat -q --lagrange 1,50,100 --modes --escaped --within 1 $file.nbs > row
        [ "$(wc -l < row)" = 2 ]
    done
    [ "$(nbstat -q --lagrange 50 --modes --escaped --columns r50,a1,a2,escaped,escaped_number one.nbs | tail -n 1)" = $'0\t0\t0\t0\t0' ]
    [ "$(nbstat -q --lagrange 50 --modes --escaped --columns r50,a1,escaped,escaped_number massless.nbs | tail -n 1)" = $'nan\tnan\tnan\tnan' ]
    [ "$(nbstat -q --radial spherical one.nbs | wc -l)" = 2 ]
    [ "$(nbstat -q --radial spherical --columns n,outer place.nbs | tail -n +2 | sort -u)" = "$(printf '0\t0\n50\t0')" ]
    run -1 --separate-stderr nbstat --radial spherical massless.nbs
    [ "$stderr" = "nbstat: massless.nbs: frame 0: the bodies have no mass, so they have no centre" ]
    run -1 --separate-stderr nbstat --radial spherical --select 'id == 7 && m > 9' "$BATS_FILE_TMPDIR/galaxies.nbs"
    [ "$stderr" = "nbstat: $BATS_FILE_TMPDIR/galaxies.nbs: frame 2: no body is selected" ]
}

#!/usr/bin/env bats
# nbstat on how a system is built: Lagrangian radii, profiles, modes, what escapes, distances of galaxies, columns, the
# line of the largest errors. Against formulas and numpy.
bats_require_minimum_version 1.5.0
load common
export PYTHONPATH=$BATS_TEST_DIRNAME PYTHONDONTWRITEBYTECODE=1

# column NAME: of a table on stdin
column() {
    awk -F'\t' -v name="$1" 'NR == 1 { sub(/^# /, ""); for (k = 1; k <= NF; k++) if ($k == name) c = k; next } { print $c }'
}

# galaxies.nbs: three frames of 3000 bodies of three components and two galaxies, in motion, off the origin
setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r, n = np.random.default_rng(5), 1500
mass, pos, vel = r.random(n) / n, r.normal(size=(n, 3)) * [1, 1, 0.3] + [5, -3, 1], 0.5 * r.normal(size=(n, 3)) + [0, 10, 0]
mass[::50] = 0
galaxy, component = (np.arange(n) % 3 == 0).astype("u1") * 2, r.choice([1, 2, 5], n).astype("u1")
pos[galaxy == 2] += [3, 0, 4]
vel[galaxy == 2] -= [0, 0.5, 0.2]
write("galaxies.nbs", *(frame(mass, pos + k * vel, vel, time=k, G=1.5, softening=0.05, id=np.arange(n, dtype="u8"), galaxy=galaxy, component=component) for k in range(3)))
P
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

@test "--radial: bins of random bodies are those of numpy, by accelerations too" {
    for how in spherical cylindrical; do
        nbstat --json --radial $how --bins 4 --axis 1,2,3 --select 'galaxy == 0' "$BATS_FILE_TMPDIR/galaxies.nbs" > $how
        nbstat --json --radial $how --bins 3 --axis 1,2,3 --range 0.3,2.4 --about com --select 'galaxy == 0' --frame 0,2 "$BATS_FILE_TMPDIR/galaxies.nbs" > range-$how
        nbstat --json --columns centre,half_mass_radius,com --select 'galaxy == 0' "$BATS_FILE_TMPDIR/galaxies.nbs" 2>/dev/null > centres
    done
    python - <<'P'
import json, os
import numpy as np
from nbs_reader import read
frames = read(open(os.environ["BATS_FILE_TMPDIR"] + "/galaxies.nbs", "rb"))
centres = [json.loads(line) for line in open("centres")]
w = np.array([1.0, 2, 3]) / np.sqrt(14)
def accelerations(f):
    dx = f["pos"][None] - f["pos"][:, None]
    return 1.5 * (f["mass"][None, :, None] * dx / ((dx**2).sum(-1) + 0.05**2)[..., None] ** 1.5).sum(1)
pulls = {k: accelerations(frames[k]) for k in (0, 2)}
for how in "spherical", "cylindrical":
    sphere = how == "spherical"
    for name, chosen, expected in (how, [2], 4), ("range-" + how, [0, 2], 6):
        lines = [json.loads(line) for line in open(name)]
        assert len(lines) == expected and lines[0]["frame"] == chosen[0]
        edges = [0.3, 0.6, 1.2, 2.4] if name != how else None
        for line in lines:
            f, at = frames[line["frame"]], centres[line["frame"]]
            s, m = f["galaxy"] == 0, f["mass"]
            acc = pulls[line["frame"]][s]
            m, x, v = m[s], f["pos"][s], f["vel"][s]
            c, mean = np.array(at["com"] if edges else at["centre"]), lambda q, i: (m[i, None] * q[i]).sum(0) / m[i].sum()
            inside = np.sqrt(((x - c) ** 2).sum(1)) <= (np.inf if edges else at["half_mass_radius"])
            d, u = x - c, v - mean(v, inside)
            z = d @ w
            R = d - z[:, None] * w
            length = lambda q: np.sqrt((q * q).sum(1))
            r, out = (length(d), d) if sphere else (length(R), R)
            out = out / r[:, None]
            around = np.cross(w, R) / length(R)[:, None]
            third = np.cross(around, out) if sphere else np.broadcast_to(w, d.shape)  # phi x r = theta
            i = (r > line["inner"]) & (r <= line["outer"])
            if edges:
                k = line["bin"]
                assert abs(line["inner"] - edges[k]) < 1e-15 and abs(line["outer"] - edges[k + 1]) < 1e-15
            else:
                assert i.sum() == 250
            size = 4 / 3 * np.pi * (line["outer"] ** 3 - line["inner"] ** 3) if sphere else np.pi * (line["outer"] ** 2 - line["inner"] ** 2)
            a, b = ("r", "theta") if sphere else ("R", "z")
            want = {"n": i.sum(), "mass": m[i].sum(), "within": m[r <= line["outer"]].sum(), "radius": mean(r[:, None], i)[0],
                    "density" if sphere else "surface_density": m[i].sum() / size}
            sigma2 = []
            for label, e in (a, out), ("phi", around), (b, third):
                q = (u * e).sum(1)[:, None]
                want["v_" + label] = mean(q, i)[0]
                sigma2.append(mean((q - mean(q, i)) ** 2, i)[0])
                want["sigma_" + label] = np.sqrt(sigma2[-1])
            want["beta"] = 1 - (sigma2[1] + sigma2[2]) / 2 / sigma2[0] if sphere else 1 - sigma2[1] / sigma2[0]
            if not sphere:
                want["z"] = mean(z[:, None], i)[0]
                want["height"] = np.sqrt(mean((z[:, None] - want["z"]) ** 2, i)[0])
            want["v_c"] = np.sqrt(mean(-(acc * out).sum(1)[:, None] * r[:, None], i)[0])
            assert set(want) | {"file", "frame", "time", "bin", "inner", "outer"} == set(line)
            for key, value in want.items():
                assert abs(line[key] - value) <= 1e-11 * max(1, abs(value)), (name, line["bin"], key, line[key], value)
P
}

@test "--radial: density and dispersion of a Plummer sphere, rotation and circular speed of a disk" {
    nbgen plummer -n 30000 --seed 4 | nbstat --radial spherical --bins 5 --range 0.2,2 > p
    python - <<'P'
from math import pi, sqrt
lines = [line.rstrip("\n").split("\t") for line in open("p")]
names = lines[0]
a = 3 * pi / 16
M = lambda r: (1 + a * a / r / r) ** -1.5
for line in lines[1:]:
    b = {k: float(v) for k, v in list(zip(names, line))[1:]}
    share = M(b["outer"]) - M(b["inner"])
    noise = 3 * sqrt(share * (1 - share) / 30000) + 0.02 * share  # 20 scale radii hold all but 0.4 % of it; the centre
    assert abs(b["mass"] - share) < noise, b
    sigma = sqrt(1 / (6 * sqrt(b["radius"] ** 2 + a * a)))  # of the bin's middle, to second order in its width
    for k in "sigma_r", "sigma_phi", "sigma_theta":
        assert abs(b[k] / sigma - 1) < 0.02 + 3 / sqrt(2 * b["n"]), (k, b, sigma)
    assert abs(b["beta"]) < 0.03 + 6 / sqrt(b["n"])
    assert abs(b["v_c"] / sqrt(M(b["radius"]) / b["radius"]) - 1) < 0.06
P
    nbgen disk -n 20000 --seed 2 --central-mass 0.9 | nbstat --radial cylindrical --select disk --bins 5 > d
    python - <<'P'
names, *lines = [line.rstrip("\n").split("\t") for line in open("d")]
for line in lines[1:]:
    b = {k: float(v) for k, v in list(zip(names, line))[1:]}
    assert abs(b["v_c"] / (0.9 / b["radius"]) ** 0.5 - 1) < 0.15 and 0.8 < b["v_phi"] / b["v_c"] < 1.01, b
    assert b["height"] < 0.15 and b["n"] in (3999, 4000) and abs(b["z"]) < 0.02
P
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
v = np.repeat(moving, n, 0) + tail * [50, 0, 0]
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
assert abs(d["distance_0_1"] - 5) < 0.3 and abs(d["speed_0_1"] - 2) < 1e-12, d'
    [ "$(nbstat -q --distance --potential none three.nbs | head -n 1 | cut -f 27-)" = "$(printf 'distance_0_1\tspeed_0_1\tdistance_0_3\tspeed_0_3\tdistance_1_3\tspeed_1_3')" ]
    run -1 --separate-stderr nbstat --distance none.nbs
    [ "$stderr" = "nbstat: none.nbs: frame 0: --distance: no column galaxy of type u8 says which bodies are which galaxy's" ]
    run -1 --separate-stderr nbstat --distance wide.nbs
    [ "$stderr" = "nbstat: wide.nbs: frame 0: --distance: body 1 is of galaxy 16, and the last one can be 15" ]
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

@test "--columns: those alone, in that order, as in the whole table; what is not needed is not computed" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    nbstat -q g.nbs > table
    nbstat -q --columns time,lz,energy_error,file,com,n,pz g.nbs > chosen
    [ "$(head -n 1 chosen)" = $'# time\tlz\tenergy_error\tfile\tcomx\tcomy\tcomz\tn\tpz' ]
    for name in time lz energy_error file comx comy comz n pz; do
        [ "$(column $name < chosen)" = "$(column $name < table)" ]
    done
    nbstat -q --json --columns pz,com,frame g.nbs | head -n 1 | grep -qx '{"pz": [-0-9.e]*, "com": \[.*, .*, .*\], "frame": 0}'
    [ -z "$(nbstat -v --columns time,mass,half_mass_radius g.nbs 2>&1 >/dev/null)" ]
    nbstat -v --columns virial g.nbs 2>&1 >/dev/null | grep -q 'by the direct sum'
    [ "$(nbstat --columns virial g.nbs 2>/dev/null)" = "$(cut -f 10 table | sed '1s/^/# /')" ]
    run -2 --separate-stderr nbstat --columns time,r50 g.nbs
    [ "${stderr_lines[0]}" = "nbstat: --columns: there is no column 'r50', only file frame time n mass kinetic potential energy energy_error virial momentum angular_momentum momentum_error angular_momentum_error com com_velocity half_mass_radius external centre" ]
    run -2 --separate-stderr nbstat --columns time, g.nbs
    run -2 --separate-stderr nbstat --modes --distance --columns a2,distance_1_0 g.nbs
    [[ "${stderr_lines[0]}" == *" a1 a2 a3 a4 phase1 phase2 phase3 phase4 distance_0_1 speed_0_1 and so on" ]]
    run -2 --separate-stderr nbstat --radial spherical --columns v_R g.nbs
    [[ "${stderr_lines[0]}" == "nbstat: --columns: there is no column 'v_R', only file frame time bin inner "* ]]
}

@test "the last line: the largest errors and their frames" {
    python - <<'P'
from nbs_writer import frame, write
for name, speeds in ("few", (1, 1.1, 1.3, 1.2)), ("more", (1, 0.5)):
    write(name + ".nbs", *(frame([1, 1], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, v, 0]], time=k) for k, v in enumerate(speeds)))
P
    # E = v^2 / 2 - 1, of 1; P = v, of v; but more.nbs: -0.375 of 1, 0.5 of 0.5
    [ "$(nbstat few.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: energy 0.345 (frame 2), momentum 0.231 (frame 2), angular momentum 0.231 (frame 2)" ]
    [ "$(nbstat --json few.nbs more.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: energy -0.375 (more.nbs, frame 1), momentum 1 (more.nbs, frame 1), angular momentum 1 (more.nbs, frame 1)" ]
    [ "$(nbstat --potential none few.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: momentum 0.231 (frame 2), angular momentum 0.231 (frame 2)" ]
    [ "$(nbstat --select 'x > 0' --frame 1,3 few.nbs 2>&1 >/dev/null)" = "nbstat: largest changes: energy 0.44 (frame 3), momentum 0.167 (frame 3), angular momentum 0.167 (frame 3)" ]
    for options in -q "--columns time" "--frame 0" "--radial spherical"; do
        [ -z "$(nbstat $options few.nbs 2>&1 >/dev/null)" ]
    done
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
    [ "$(nbstat -q --lagrange 50 --modes --escaped --columns r50,a1,a2,escaped,escaped_number one.nbs | tail -n 1)" = $'0\t0\t0\t0\t0' ] ||
        [ "$(nbstat -q --lagrange 50 --modes --escaped --columns r50,a1,a2,escaped,escaped_number one.nbs | tail -n 1)" = $'0\t0\t0\t1\t1' ]
    [ "$(nbstat -q --lagrange 50 --modes --escaped --columns r50,a1,escaped massless.nbs | tail -n 1)" = $'nan\tnan\tnan' ]
    [ "$(nbstat -q --radial spherical one.nbs | wc -l)" = 2 ]
    [ "$(nbstat -q --radial spherical --columns n,outer place.nbs | tail -n +2 | sort -u)" = "$(printf '0\t0\n50\t0')" ]
    run -1 --separate-stderr nbstat --radial spherical massless.nbs
    [ "$stderr" = "nbstat: massless.nbs: frame 0: the bodies have no mass, and so no centre" ]
    run -1 --separate-stderr nbstat --radial spherical --select 'id == 7 && m > 9' "$BATS_FILE_TMPDIR/galaxies.nbs"
    [ "$stderr" = "nbstat: $BATS_FILE_TMPDIR/galaxies.nbs: frame 2: no body is selected" ]
}

@test "usage errors: exit 2, one line and the hint" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    while read -r options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbstat $options g.nbs
        [ -z "$output" ] && [ "${#stderr_lines[@]}" = 2 ] || { echo "$options: $stderr"; false; }
    done <<'L'
--lagrange 0
--lagrange 10,,50
--lagrange 10,50,101
--lagrange 10,nan
--lagrange 50,50
--lagrange x
--lagrange 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33
--within 2
--modes --within 0
--modes --within -1
--modes --axis 0,0,0
--modes --axis 1,2
--modes --axis 1,2,3,4
--modes --axis up
--axis z
--about hole
--radial round
--radial spherical --bins 0
--radial spherical --bins 1001
--radial spherical --range 2,1
--radial spherical --range -1,1
--radial spherical --range 1
--bins 5
--range 0,1
--radial spherical --modes
--radial cylindrical --lagrange 50
--radial spherical --max-de 1
--escaped --potential none
--info --modes
--check --lagrange 50
--info --radial spherical
--check --columns time
L
}

#!/usr/bin/env bats
# nbgen disk and collision: statistics compared with theory, equilibrium of forces and motions, orbits. Streams are read
# with tests/common/nbs_reader.py, which shares no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common
load models

# ---- disks ----

@test "disk: surface density, thickness, central body, spin" {
    nbgen disk -n 50k --central-mass 0.4 -o exponential.nbs
    nbgen disk -n 50k --profile power --slope 1.5 --inner 0.1 --thickness 0.01 --incline 90,0 -o power.nbs
    nbgen disk -n 1k --central-mass 0 --incline 30,90 -o none.nbs
    check exponential.nbs power.nbs none.nbs <<'P'
exponential, power, none = frames
for f in frames:
    assert abs(f["mass"].sum() - 1) < 1e-12 and np.abs(centre(f)).max() < 1e-14
for f, share in ((exponential, 0.4), (power, 0.3)):
    assert f["component"][0] == 5 and (f["component"][1:] == 2).all() and f["mass"][0] == share
    assert np.allclose(f["mass"][1:], (1 - share) / 49999, rtol=1e-15)
assert (none["component"] == 2).all() and np.ptp(none["mass"]) == 0

x = (exponential["pos"] - exponential["pos"][0])[1:]
R, h = np.hypot(x[:, 0], x[:, 1]), 0.25
share = lambda r: 1 - (1 + r / h) * np.exp(-r / h)
assert abs(R.min() - 0.01) < 1e-3 and R.max() <= 1 + 1e-12
assert ks(np.clip((share(R) - share(0.01)) / (share(1) - share(0.01)), 0, 1)) < 1.95
assert ks(np.arctan2(x[:, 1], x[:, 0]) / (2 * pi) + 0.5) < 1.95
outer = R > 0.7
sure((x[outer, 2] ** 2 / (0.03**2 * R[outer] ** 2 / (R[outer] ** 2 + h * h))).mean(), 1, sqrt(2), outer.sum())
assert x[R < 0.05, 2].std() < 0.005  # no knob in the middle

# tilted by 90 degrees around the x axis: the spin points to -y
L = spin(power)
assert L[1] < 0 and abs(L[0]) < 0.01 * -L[1] and abs(L[2]) < 0.01 * -L[1]
x = (power["pos"] - power["pos"][0])[1:]
R = np.hypot(x[:, 0], x[:, 2])
assert ks(np.clip((sqrt(R) - sqrt(0.1)) / (1 - sqrt(0.1)), 0, 1)) < 1.95  # M(<R) ~ R^(2 - slope)
assert x[:, 1].std() < 0.01
L = spin(none)
assert np.allclose(L / norm(L), [0.5, 0, sqrt(0.75)], atol=0.02)
L = spin(exponential)
assert L[2] > 0.999 * norm(L)
P
}

@test "disk: circular speeds from the mass inside, dispersions as asked for" {
    nbgen disk -n 30k --central-mass 0.99 -o cold.nbs
    nbgen disk -n 30k --central-mass 0.99 --softening 0 --dispersion 0.1 -o hot.nbs
    nbgen disk -n 30k --central-mass 0.99 --toomre 30 -o toomre.nbs
    check cold.nbs hot.nbs toomre.nbs <<'P'
def motions(f):
    x, v = (f["pos"] - f["pos"][0])[1:], (f["vel"] - f["vel"][0])[1:]
    R = np.hypot(x[:, 0], x[:, 1])
    return R, (x[:, 0] * v[:, 0] + x[:, 1] * v[:, 1]) / R, (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / R
cold, hot, toomre = frames
assert cold["softening"] == 0.02 and hot["softening"] == 0
for f in frames:
    # within 1 % (a star's own height changes its force by less): the centre's softened pull, the stars' 1 % of the mass
    R, outward, along = motions(f)
    inside = (np.argsort(np.argsort(R)) + 0.5) / len(R)
    circular = sqrt(0.99 * R**2 * (R**2 + f["softening"] ** 2) ** -1.5 + 0.01 * inside / R)
    for lo, hi in ((0.05, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 0.7), (0.7, 1)):
        s = (R > lo) & (R < hi)
        ratio = along[s] / circular[s]
        if f is cold:
            assert abs(np.median(ratio) - 1) < 0.01 and np.quantile(abs(ratio - 1), 0.9) < 0.02, (lo, np.median(ratio))
        if f is hot and lo > 0.15:
            n = s.sum()
            sure((outward[s] / circular[s]).mean(), 0, 0.1, n)
            assert abs((outward[s] / circular[s]).std() / 0.1 - 1) < 5 / sqrt(2 * n) + 0.01
            assert abs(ratio.std() / 0.05 - 1) < 0.05  # half the radial one where mass is central
        if f is toomre and lo > 0.35:
            # kappa is the angular speed around a centre; Q = sigma_R kappa / (3.36 Sigma)
            Q = outward[s] * circular[s] / R[s] / (3.36 * surface(R[s]))
            assert abs(sqrt((Q**2).mean()) / 30 - 1) < 0.05, sqrt((Q**2).mean())
    h = 0.25
    surface = lambda R: 0.01 * np.exp(-R / h) / (2 * pi * h * h) / ((1 + 0.01 / h) * np.exp(-0.01 / h) - (1 + 1 / h) * np.exp(-1 / h))
P
}

@test "disk: forces and motions balance, and stay so over eight time units" {
    for share in 0.99 0.10; do
        nbgen disk -n 4k --central-mass $share -f -o disk.nbs
        check disk.nbs <<'P'
f, = frames
x, m, eps2 = f["pos"], f["mass"], f["softening"] ** 2
pull = 0  # sum m x . F under softened forces: the virial theorem in their terms
for i in range(1, len(m)):
    d = x[:i] - x[i]
    r2 = (d * d).sum(1)
    pull += m[i] * (m[:i] * r2 / (r2 + eps2) ** 1.5).sum()
assert abs(2 * kinetic(f) / pull - 1) < 0.04, 2 * kinetic(f) / pull
P
        nbgen disk -n 500 --central-mass $share | nbsim -q --device cpu --threads 1 --until 8 --every 8 > run.nbs
        nbstat --json run.nbs > run.json
        python - $share <<'P'
import json, sys
share = float(sys.argv[1])
first, last = [json.loads(line) for line in open("run.json")]
assert abs(last["energy_error"]) < 1e-3, last["energy_error"]
change = last["angular_momentum"][2] / first["angular_momentum"][2] - 1
assert abs(change) < 1e-9, change
P
        nbconv --to text --frame 0 run.nbs > first
        nbconv --to text run.nbs > last
        python - $share <<'P'
import sys
import numpy as np
share = float(sys.argv[1])
radii = []
for name in ("first", "last"):
    x = np.loadtxt(name)[:, 2:5]
    radii.append(np.hypot(*(x - x[0])[1:, :2].T))
change = np.median(radii[1]) / np.median(radii[0])
# around a heavy centre nothing happens; a disk on its own makes arms and a bar
assert abs(change - 1) < (0.05 if share > 0.5 else 0.5), change
assert np.quantile(radii[1], 0.9) < (1 if share > 0.5 else 3)
P
    done
}

@test "disk: a softening below the height of the stars, and a word where Q or balance cannot be had" {
    nbgen disk -n 20k -o usual.nbs
    nbgen disk -n 2k --thickness 0.012 -o thin.nbs
    nbgen disk -n 2k --thickness 0 -o flat.nbs
    check usual.nbs thin.nbs flat.nbs <<'P'
for f in frames[:2]:
    z = (f["pos"] - f["pos"][0])[1:, 2]
    assert 0.5 * z.std() < f["softening"] < 0.9 * z.std(), (f["softening"], z.std())
assert frames[2]["softening"] == 0.005
P
    run -0 --separate-stderr nbgen disk -n 2k --central-mass 0.3 -f -o usual.nbs
    [ -z "$stderr" ]
    run -0 --separate-stderr nbgen disk -n 100k --central-mass 0 -o none.nbs
    [[ "$stderr" =~ ^"nbgen: warning: --toomre 1.4: Q is smaller from R = 0.037 to 0."[0-9]+" radii (0."[0-9]+" at 0.037), because" ]]
    told=${stderr#*radii (}
    # Q = sigma_R kappa / (3.36 Sigma) from the stars there: kappa^2 = R dO^2/dR + 4 O^2 of the force that acts on them.
    nbsim -q --device cpu --force tree --steps 0 --write acc none.nbs -o acc.nbs
    check acc.nbs "${told%% *}" <<'P'
f, = frames
x, v, a = f["pos"], f["vel"], f["acc"]
R, h = np.hypot(x[:, 0], x[:, 1]), 0.25
outward = (x[:, 0] * v[:, 0] + x[:, 1] * v[:, 1]) / R
inward = -(x[:, 0] * a[:, 0] + x[:, 1] * a[:, 1]) / R
def omega2(r):
    near = abs(R / r - 1) < 0.1
    return (inward[near] / R[near]).mean()
r = 0.0375
kappa = sqrt((omega2(r * 1.25) - omega2(r / 1.25)) / np.log(1.25**2) + 4 * omega2(r))
share = lambda r: 1 - (1 + r / h) * np.exp(-r / h)
sigma = np.exp(-r / h) / (2 * pi * h * h) / (share(1) - share(0.01))
Q = outward[abs(R / r - 1) < 0.1].std() * kappa / (3.36 * sigma)
assert abs(Q / float(sys.argv[2]) - 1) < 0.15, (Q, sys.argv[2])
P
    run -0 --separate-stderr nbgen disk -n 2k --dispersion 0.9 -o hot.nbs
    [[ "$stderr" == "nbgen: warning: no equilibrium from R = 0."*" to 1 radii: random motions are too strong for the gravity there" ]]
    # stars that are asked to rest on their circles are as asked
    run -0 --separate-stderr nbgen disk -n 500 --toomre 0 -o cold.nbs
    [ -z "$stderr" ]
}

# ---- collision ----

@test "collision: the centres are on the Kepler orbit asked for" {
    nbgen collision -n 4001 -e 1 --pericenter 0.5 -o parabola.nbs
    nbgen collision -n 4k -e 1.5 --pericenter 0.2 --separation 5 --mass-ratio 0.25 -o hyperbola.nbs
    nbgen collision -n 4k -e 0.6 --pericenter 1 --separation 4 --central-mass 0 -o apocentre.nbs
    nbgen collision -n 4k -e 0 --pericenter 2 --separation 2 -o circle.nbs
    check parabola.nbs hyperbola.nbs apocentre.nbs circle.nbs <<'P'
def accelerate(gm, x):
    return -gm * x / norm(x) ** 3
def nearest(gm, x, v):  # integrates inward with Runge-Kutta
    while True:
        h = 2e-3 * norm(x) ** 1.5 / sqrt(gm)
        k1, l1 = v, accelerate(gm, x)
        k2, l2 = v + h / 2 * l1, accelerate(gm, x + h / 2 * k1)
        k3, l3 = v + h / 2 * l2, accelerate(gm, x + h / 2 * k2)
        k4, l4 = v + h * l3, accelerate(gm, x + h * k3)
        y, w = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        if norm(y) > norm(x):
            return x
        x, v = y, w
for f, e, q, separation, ratio, count in ((frames[0], 1, 0.5, 3, 1, 2001), (frames[1], 1.5, 0.2, 5, 0.25, 3200),
                                          (frames[2], 0.6, 1, 4, 1, 2000), (frames[3], 0, 2, 2, 1, 2000)):
    assert np.abs(centre(f)).max() < 1e-14
    m1, m2 = f["mass"][:count].sum(), f["mass"][count:].sum()
    assert abs(m1 - 1) < 1e-12 and abs(m2 - ratio) < 1e-12
    (x1, v1), (x2, v2), gm = centre(f, slice(0, count)), centre(f, slice(count, None)), 1 + ratio
    x, v = x2 - x1, v2 - v1
    assert abs(norm(x) - separation) < 1e-12
    assert abs((v @ v) / 2 - gm / norm(x) - gm * (e - 1) / (2 * q)) < 1e-12
    assert np.allclose(np.cross(x, v), [0, 0, sqrt(gm * q * (1 + e))], atol=1e-12)
    if e == 0.6 or e == 0:
        assert abs(x @ v) < 1e-7  # at apocentre, on a circle
    else:
        assert x @ v < 0  # coming in
        p = nearest(gm, x, v)
        assert abs(norm(p) / q - 1) < 1e-4 and p[0] > 0.98 * q, p
# spins: node and inclination; the second disk has 1/4 of the mass and half the radius
def direction(i, node):
    i, node = np.radians(i), np.radians(node)
    return [np.sin(i) * np.sin(node), -np.sin(i) * np.cos(node), np.cos(i)]
for f, first in ((frames[0], slice(0, 2001)), (frames[1], slice(0, 3200))):
    second = slice(first.stop, None)
    a, b = spin(f, first), spin(f, second)
    assert np.allclose(a / norm(a), direction(20, 0), atol=0.01) and np.allclose(b / norm(b), direction(50, 60), atol=0.01)
edge = lambda f, s: norm((f["pos"][s] - f["pos"][s.start])[1:], axis=1).max()
assert 0.95 < edge(frames[1], slice(0, 3200)) < 1.01 and 0.48 < edge(frames[1], slice(3200, 4000)) < 0.505
# other stars in the other galaxy
f = frames[2]
a, b = norm(f["pos"][:2000] - centre(f, slice(0, 2000))[0], axis=1), norm(f["pos"][2000:] - centre(f, slice(2000, 4000))[0], axis=1)
assert abs(np.corrcoef(a, b)[0, 1]) < 5 / sqrt(2000)
P
}

@test "collision: the orbital energy is said, of points and of the disks as extended as they are" {
    for options in "" "--separation 0.9 --mass-ratio 0.5" "-e 1 --separation 1 --orbit-of extended" \
        "--units galactic --mass 5 --radius 15 --separation 2"; do
        # shellcheck disable=SC2086
        nbgen collision -n 1500 $options -o pair.nbs -f 2>said
        check pair.nbs "$(sed -n 's/.*orbital energy \([^,]*\), for points \([^,]*\), of which kinetic /\1 \2 /p' said)" <<'P'
f, = frames
m, x, v, G = f["mass"], f["pos"], f["vel"], float(f["G"])
of = [f["galaxy"] == k for k in (0, 1)]
M = [m[g].sum() for g in of]
X, V = ([(m[g, None] * a[g]).sum(0) / m[g].sum() for g in of] for a in (x, v))
r2 = sum((x[of[0], None, k] - x[None, of[1], k]) ** 2 for k in range(3))
mutual = -G * (m[of[0], None] * m[of[1]] / np.sqrt(r2 + float(f["softening"]) ** 2)).sum()
kinetic = M[0] * M[1] / sum(M) * ((V[1] - V[0]) ** 2).sum() / 2
points = kinetic - G * M[0] * M[1] / np.sqrt(((X[1] - X[0]) ** 2).sum())
for said, true in zip(map(float, sys.argv[2].split()), (kinetic + mutual, points, kinetic), strict=True):
    assert abs(said - true) <= 5.01e-4 * abs(true) + 1e-12 * kinetic, (said, true)
P
    done
    nbgen collision -q -n 1500 -e 1 --separation 1 --orbit-of extended >/dev/null 2>said && [ ! -s said ]
    nbgen collision -n 1500 -e 1 --separation 1 --orbit-of extended 2>&1 >/dev/null | grep -q "orbital energy 0, "
}

@test "collision: by default the centres come together well before t = 8" {
    nbgen collision -n 1200 -o start.nbs
    nbsim -q --device cpu --precision single --dt 0.004 --until 8 --every 1 start.nbs > run.nbs
    for k in 0 2 7 8; do nbconv --to text --frame $k run.nbs > $k; done
    check start.nbs <<'P'
assert 0.0005 <= frames[0]["dt"] <= 0.01 and 0.01 < frames[0]["softening"] < 0.1
distance = []
for k in (0, 2, 7, 8):
    x = np.loadtxt(str(k))[:, 2:5]
    distance.append(norm(x[600] - x[0]))
assert abs(distance[0] - 3) < 0.1 and distance[1] < 1.3 and distance[2] < 0.6 and distance[3] < 0.4, distance
# two points would meet at t = 2.4 (Kepler's equation): the first passage leaves most of the eight units for the rest
a, e = 0.4 / 0.1, 0.9
E = np.arccos((1 - 3 / a) / e)
assert abs((E - e * np.sin(E)) * sqrt(a**3 / 2) - 2.4) < 0.01
m1 = slice(0, 600), slice(600, 1200)
(x1, v1), (x2, v2) = (centre(frames[0], s) for s in m1)
assert abs(((v2 - v1) @ (v2 - v1)) / 2 - 2 / 3 + 2 / (2 * a)) < 1e-12
P
}

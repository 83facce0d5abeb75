#!/usr/bin/env bats
# nbgen encounter and satellite: orbits and spins compared with the papers, and the results of encounters of galaxies.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gsl
}

# check FILE...: runs the Python of stdin; the frames of each FILE are in `runs`, and state(f) is there: centres of mass
# of the second galaxy from the first, orbit(f) of points there: e, q, separation, radial velocity, axis; spin(f, g) the
# direction of a disk's angular momentum; extended(f, e, q): that the orbit is that of the galaxies as they are.
check() {
    python - "$@" <<P
import sys
import numpy as np
import nbs_reader
from numpy import pi
from numpy.linalg import norm

runs = [nbs_reader.read(open(name, "rb")) for name in sys.argv[1:] if name.endswith(".nbs")]

def mean(f, bodies):
    m = f["mass"][bodies]
    return [(m[:, None] * f[c][bodies]).sum(0) / m.sum() for c in ("pos", "vel")]

def state(f):
    (xa, va), (xb, vb) = (mean(f, f["galaxy"] == g) for g in (0, 1))
    return xb - xa, vb - va

def orbit(f):
    x, v = state(f)
    gm = f["G"] * f["mass"].sum()
    h = np.cross(x, v)
    e = norm(np.cross(v, h) / gm - x / norm(x))
    return e, h @ h / gm / (1 + e), norm(x), x @ v / norm(x), h / norm(h)

def extended(f, e, q):
    "The potential energy is a sum over all pairs, per reduced mass, with the second galaxy elsewhere on the line."
    x, v = state(f)
    a, b = (f["pos"][f["galaxy"] == g] for g in (0, 1))
    ma, mb = (f["mass"][f["galaxy"] == g] for g in (0, 1))
    reduced = ma.sum() * mb.sum() / (ma.sum() + mb.sum())
    def potential(r):
        d = a[:, None] - (b + x * (r / norm(x) - 1))[None]
        return -f["G"] / reduced * (ma[:, None] * mb / np.sqrt((d ** 2).sum(2) + f["softening"] ** 2)).sum()
    energy, h = v @ v / 2 + potential(norm(x)), norm(np.cross(x, v))
    unit = v @ v / 2
    assert abs(energy - potential(q) - h * h / q ** 2 / 2) < 1e-9 * unit, "no turning point at q"
    if e < 1:
        far = q * (1 + e) / (1 - e)
        assert abs(energy - potential(far) - h * h / far ** 2 / 2) < 1e-9 * unit, "none at the other end"
    else:
        assert abs(energy - (e - 1) * f["G"] * f["mass"].sum() / q / 2) < 1e-9 * unit, energy
    return energy

DISK = 2
def disk(f, g):
    return (f["galaxy"] == g) & (f["component"] == DISK)

def spin(f, g):
    bodies = disk(f, g)
    x, v = mean(f, bodies)
    s = np.cross(f["pos"][bodies] - x, f["vel"][bodies] - v).sum(0)
    return s / norm(s)

def near(a, b, degrees):
    angle = np.degrees(np.arccos(np.clip(np.dot(a, b), -1, 1)))
    assert angle < degrees, (a, b, angle)
$(cat)
P
}

# stated PRESET...: eccentricity, pericentre, separation, mass ratio and both spins are those stated
stated() {
    for preset; do
        nbgen encounter -q --preset $preset -n 600 -o $preset.nbs
    done
    check "${@/%/.nbs}" <<'P'
# Toomre & Toomre (1972): i and omega of a galaxy, omega being counted in the orbit from where the other one comes up
# through the disk to the pericentre, where the second is at x > 0 as seen from the first.
def axis(i, omega, other):
    i, node = np.radians(i), np.radians(other - omega)  # the direction in which the other one comes up through the disk
    up = np.array([np.cos(node), np.sin(node), 0])
    ahead = np.array([-np.sin(node), np.cos(node), 0])  # in which it goes on
    return np.cos(i) * np.array([0, 0, 1]) + np.sin(i) * ahead

stated = {  # e, q, separation, mass ratio, spins
    "antennae": (0.96, 2, 27, 1, axis(60, -30, 0), axis(60, -30, 180)),
    "cartwheel": (1, 0.02, 12, 0.4, np.array([1, 0, 0]), None),
    "m51": (0.8, 5, 15, 1 / 3, axis(-70, -15, 0), None),
    "mice": (1, 4.5, 15, 1, axis(15, 325, 0), axis(25, 200, 180)),
    "tidal-tails": (1, 5, 15, 1, axis(0, 0, 0), axis(0, 0, 0)),
    "milkyway-m31": (0.98844, 4.147, 297.7, None, None, None)}
for name, (f,) in zip(sys.argv[1:], runs):
    preset = name.removesuffix(".nbs")
    e, q, separation, ratio, first, second = stated[preset]
    is_e, is_q, r, radial, normal = orbit(f)
    if e == 1:  # of extended galaxies
        extended(f, e, q)
    else:
        assert abs(is_e - e) < 1e-9 and abs(is_q - q) < 1e-9, (is_e, is_q)
    assert abs(r - separation) < 1e-9 and radial < 0, r
    assert abs(np.arctan2(state(f)[0][1], state(f)[0][0]) + np.arccos((q * (1 + e) / r - 1) / e)) < 1e-9  # pericentre on x
    assert normal[2] > 1 - 1e-12
    m = f["mass"]
    for c in ("pos", "vel"):
        assert norm((m[:, None] * f[c]).sum(0)) < 1e-10
    assert ratio is None or abs(m[f["galaxy"] == 1].sum() / m[f["galaxy"] == 0].sum() - ratio) < 1e-12
    for g, wanted in enumerate((first, second)):
        if wanted is not None:
            near(spin(f, g), wanted, 5)
    assert preset != "cartwheel" or disk(f, 1).sum() == 0  # what falls through the Cartwheel is round
P
}

@test "presets: eccentricity, pericentre, separation, mass ratio and both spins are those stated" {
    stated antennae cartwheel
}

# bats test_tags=long
@test "the other presets" {
    stated mice m51 tidal-tails milkyway-m31
}

@test "milkyway-m31: distance, velocity and both spins are those in the sky" {
    nbgen encounter -q --preset milkyway-m31 -n 3000 --units galactic -o pair.nbs
    check pair.nbs <<'P'
f, = runs[0]
x, v = state(f)
radial = x @ v / norm(x)
assert abs(norm(x) - 774) < 1 and abs(radial + 109.3) < 1 and abs(np.sqrt(v @ v - radial ** 2) - 17) < 0.3, (x, v)
# M31 from its place in the sky, its position angle and its inclination; the north-west is nearer, the north-east recedes
ra, dec, pa, i = np.radians([10.6847, 41.2687, 37.7, 77.5])
sight = np.array([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)])
east = np.array([-np.sin(ra), np.cos(ra), 0])
north = np.cross(sight, east)
major = np.cos(pa) * north + np.sin(pa) * east  # the north-eastern end
near_side = np.cos(pa - pi / 2) * north + np.sin(pa - pi / 2) * east  # the north-western, on the sky
s = np.cross(major, np.cos(i) * near_side - np.sin(i) * sight)
s *= np.sign(np.cross(s, major) @ sight)
galactic = np.array([[-0.0548755604, -0.8734370902, -0.4838350155], [0.4941094279, -0.4448296300, 0.7469822445],
                     [-0.8676661490, -0.1980763734, 0.4559837762]])
s = galactic @ s
# van der Marel et al. (2012): place and velocity of M31 in the frame of the Milky Way, which turns clockwise
X, V = np.array([-378.9, 612.7, -283.1]), np.array([66.1, -76.3, 45.1])
def frame(x, v):
    h = np.cross(x, v)
    a, c = x / norm(x), h / norm(h)
    return np.array([a, np.cross(c, a), c])
sky, here = frame(X, V), frame(x, v)
near(here @ spin(f, 0), sky @ np.array([0, 0, -1]), 3)
near(here @ spin(f, 1), sky @ s, 3)
P
}

# bats test_tags=long
@test "options go before the preset, and galaxies are at their places with any seed and unit" {
    changed="--preset mice -n 400 --pericenter 3 -e 1.5 --separation 9 --incline2 180,0 --seed 5 --mass 2 --radius 3"
    nbgen encounter -q $changed --orbit-of points -o a.nbs
    nbgen encounter -q $changed -o extended.nbs
    check a.nbs extended.nbs <<'P'
extended(runs[1][0], 1.5, 9)
f, = runs[0]
e, q, r, radial, normal = orbit(f)
assert abs(e - 1.5) < 1e-9 and abs(q - 9) < 1e-8 and abs(r - 27) < 1e-8 and radial < 0
near(spin(f, 1), [0, 0, -1], 5)
assert set(f["galaxy"]) == {0, 1}
mine, other = (norm(f["pos"][disk(f, g)][:9] - np.median(f["pos"][disk(f, g)], 0), axis=1) for g in (0, 1))
assert abs(mine / other - 1).max() > 0.5  # two galaxies of one kind, and other stars
P
    nbgen encounter -q -n 400 --threads 1 -o one.nbs
    nbgen encounter -q -n 400 --threads 3 | cmp - one.nbs
}

# bats test_tags=long
@test "--quiet-start: halos of mirrored pairs, disks without odd or twofold noise, in both galaxies" {
    nbgen encounter -q --preset tidal-tails -n 1500 --quiet-start -o pair.nbs
    nbgen encounter -q --preset tidal-tails -n 1500 -o noisy.nbs
    nbgen satellite -q -n 1500 --quiet-start -o dwarf.nbs
    check pair.nbs noisy.nbs dwarf.nbs <<'P'
HALO = 1
def centre(f, g, column):
    "Where all pairs of the halo have their middle, and how far from that the worst one is."
    v = f[column][(f["galaxy"] == g) & (f["component"] == HALO)]
    middles = (v[: len(v) // 2 * 2 : 2] + v[1::2][: len(v) // 2]) / 2
    return middles[0], abs(middles - middles[0]).max()
for name, (f,) in zip(("pair", "noisy", "dwarf"), runs):
    for g in (0, 1):
        worst = max(centre(f, g, "pos")[1], centre(f, g, "vel")[1])
        assert (worst < 1e-12) == (name != "noisy"), (name, g, worst)
        stars = f["pos"][disk(f, g)] - centre(f, g, "pos")[0]
        if name != "pair":
            continue
        for m in (1, 2, 3):
            wave = (stars[:, 0] + 1j * stars[:, 1]) / np.hypot(stars[:, 0], stars[:, 1])
            assert abs((wave ** m).sum()) < 6, (g, m)  # a group that is not whole, not sqrt(300)
assert '--quiet-start' in open("pair.nbs", "rb").read(4096).decode("latin1")
P
}

# bats test_tags=long
@test "a disk that turns with the orbit gets a tail, one that turns against it does not" {
    nbgen encounter -q --preset tidal-tails -n 2400 --separation 9 --incline2 180,0 --softening 0.1 |
        nbsim -q --until 16 --every 16 -o run.nbs
    check run.nbs <<'P'
begin, end = runs[0]
far = []
for g in (0, 1):
    bodies = disk(end, g)
    place = np.median(end["pos"][bodies], 0)
    away = place - np.median(end["pos"][disk(end, 1 - g)], 0)
    out = end["pos"][bodies] - place
    was = begin["pos"][bodies] - np.median(begin["pos"][bodies], 0)
    tail = (norm(out, axis=1) > 7) & (out @ away > 0) & (norm(was, axis=1) < 6)
    far.append(tail.sum())
    print(g, "of", bodies.sum(), "on the far side", tail.sum())
assert far[0] > 25 and far[0] > 3 * far[1], far
P
}

# bats test_tags=long
@test "antennae: two tails, one of each galaxy, to both sides" {
    nbgen encounter -q --preset antennae -n 2000 --separation 9 --softening 0.12 |
        nbsim -q --until 20 --every 20 -o run.nbs
    nbstat -q --max-de 5e-4 run.nbs >/dev/null
    check run.nbs <<'P'
begin, end = runs[0]
tails = []
for g in (0, 1):
    bodies = disk(end, g)
    out = end["pos"][bodies] - np.median(end["pos"][bodies], 0)
    was = begin["pos"][bodies] - np.median(begin["pos"][bodies], 0)
    away = np.median(end["pos"][bodies], 0) - np.median(end["pos"][disk(end, 1 - g)], 0)
    far = (norm(out, axis=1) > 7) & (norm(was, axis=1) < 6) & (out @ away > 0)
    print(g, "of", bodies.sum(), "in the tail", far.sum())
    assert far.sum() > 0.04 * bodies.sum()
    tails.append(end["pos"][bodies][far].mean(0))
assert tails[0] @ tails[1] < 0  # the common centre of mass lies between them
P
}

# bats test_tags=long
@test "cartwheel: a ring runs outwards through the disk" {
    nbgen encounter -q --preset cartwheel -n 6000 --separation 7 --softening 0.12 |
        nbsim -q --until 8 --every 1 -o run.nbs
    check run.nbs <<'P'
def ring(f):
    "Where the surface density is highest against what is less inside, and how much; the disk lies across x."
    p = f["pos"][disk(f, 0)][:, 1:]
    edges = np.arange(0.8, 4.5, 0.4)
    density = np.histogram(norm(p - np.median(p, 0), axis=1), edges)[0] / (edges[1:] ** 2 - edges[:-1] ** 2)
    contrast = density[1:] / np.minimum.accumulate(density)[:-1]
    k = contrast.argmax()
    return edges[k + 1] + 0.2, contrast[k]
rings = [ring(f) for f in runs[0]]
print(rings)
assert rings[0][1] < 1.15  # falls outwards everywhere
assert min(contrast for where, contrast in rings[-3:]) > 1.15 and rings[-3][0] < rings[-2][0] < rings[-1][0] and rings[-1][0] >= 1.8
P
}

@test "satellite: its orbit about a host that lies in the xy plane" {
    nbgen satellite -q -n 1000 --mass-ratio 0.1 --pericenter 6 -e 1 --separation 15 --incline 90,30 --share 0.5 \
        --size 0.5 --preset dwarf --orbit-of points -o b.nbs
    nbgen satellite -q -n 1000 -o c.nbs
    for option in mass-ratio=0.1 pericenter=6 eccentricity=1 separation=15 incline=90,30 share=0.5 size=0.5 preset=dwarf orbit-of=points; do
        grep -a '^history ' b.nbs | grep -qwF -- "--$option" || { echo "$option" >&2; false; }
    done
    check b.nbs c.nbs <<'P'
for (f,), (e, q, separation, ratio, share, tilt, node) in zip(runs, [
        (1, 6, 15, 0.1, 0.5, 90, 30), (0.7, 3, 15, 0.02, 0.25, 60, 0)]):
    is_e, is_q, r, radial, normal = orbit(f)
    if f is runs[1][0]:
        extended(f, e, q)
    else:
        assert abs(is_e - e) < 1e-9 and abs(is_q - q) < 1e-9
    assert abs(r - separation) < 1e-9 and radial < 0
    tilt, node = np.radians([tilt, node])
    near(normal, [np.sin(tilt) * np.sin(node), -np.sin(tilt) * np.cos(node), np.cos(tilt)], 1e-4)
    near(spin(f, 0), [0, 0, 1], 4)
    second = f["galaxy"] == 1
    assert abs(f["mass"][second].sum() / f["mass"][~second].sum() - ratio) < 1e-12
    assert second.sum() == share * 1000 and disk(f, 1).sum() == 0
b, = runs[0]
stars = b["pos"][(b["galaxy"] == 1) & (b["component"] == 3)]
median = np.median(norm(stars - np.median(stars, 0), axis=1))
assert 0.8 < median / (0.5 * (1 + np.sqrt(2))) < 1.2, median  # Hernquist (1990): half of the mass within 2.41 a
P
}

@test "what makes no sense is refused in a line" {
    refused 2 "--preset ngc1: expected antennae, cartwheel, m51, mice, tidal-tails or milkyway-m31" nbgen encounter --preset ngc1
    refused 2 "--preset mice: expected milkyway, m31," nbgen satellite --preset mice
    refused 2 "--bodies 199: encounter needs at least 200" nbgen encounter -n 199
    refused 2 "--separation 1: less than --pericenter 2" nbgen encounter --separation 1
    refused 2 "--separation 150: the orbit reaches from 2 to 98" nbgen encounter --separation 150
    refused 2 "--pericenter -1: expected a number above 0" nbgen encounter --pericenter -1
    refused 2 "--orbit-of lines: expected points or extended" nbgen encounter --orbit-of lines
    refused 2 "--orbit-of: no such option" nbgen spheres --orbit-of points
    refused 2 "--mass-ratio 0: expected a number above 0" nbgen satellite --mass-ratio 0
    refused 2 "--share 1: must be above 0 and below 1" nbgen satellite --share 1
    refused 2 "--size 1e-4: must be from 0.001 to 1000" nbgen satellite --size 1e-4
    refused 2 "--share 0.001: of 1000 bodies the dwarf would have 1 and the host 999; each needs at least 100" nbgen \
        satellite -n 1000 --share 0.001
    refused 2 "--share 0.95: of 1000 bodies the dwarf would have 950 and the host 50; each" nbgen satellite -n 1000 --share 0.95
    nbgen satellite -q -n 200 -o /dev/null # 50 of them by default, but nobody asked
    refused 2 "--mass-ratio: no such option" nbgen encounter --mass-ratio 2
}

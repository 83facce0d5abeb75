#!/usr/bin/env bats
# nbgen galaxy: profiles, forces and motions of its components compared with formulas and with sums in numpy
# (tests/gen/galaxy_truth.py), a simulation over one turn, options, and rejected options.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gsl
}

# check FILE...: runs the Python of stdin with galaxy_truth and the last frame of each file in `frames`.
check() {
    python - "$@" <<P
import sys
import nbs_reader
from galaxy_truth import *

frames = [nbs_reader.read(open(name, "rb"))[-1] for name in sys.argv[1:] if name.endswith(".nbs")]
for f in frames:
    f.update({c: f[c].astype(float) for c in ("mass", "pos", "vel", "acc") if c in f})

def near(value, expected, tolerance):
    assert abs(value - expected) <= tolerance, (value, expected, tolerance)

def total(f, c):
    return f["mass"][f["component"] == c].sum()
$(cat)
P
}

@test "galaxy: surface density, heights, bulge and halo by Kolmogorov and Smirnov" {
    # a light hole marks the centre, from which noise in the halo's outskirts moves the whole
    nbgen galaxy -q -n 40k --seed 1 --hole-mass 1e-7 --gas-mass 1 --gas-scale 5 -o g.nbs
    check g.nbs <<'P'
bulge, halo = hernquist(1, 0.5 / 2.6), nfw(1, 19.6 / 2.6, 6)
for f in frames:
    near(abs((f["mass"][:, None] * f["pos"]).sum(0)).max(), 0, 1e-12 * f["mass"].sum())
    c, x = f["component"], f["pos"] - f["pos"][0]
    assert c[0] == HOLE
    r, R = sqrt((x**2).sum(1)), np.hypot(x[:, 0], x[:, 1])
    assert ks(halo.mass(r[c == HALO])) < 1.95
    assert ks(bulge.mass(r[c == BULGE])) < 1.95
    for which, scale, height in (DISK, 1, 0.2), (GAS, 5 / 2.6, 0.05):
        assert ks(disk_share(R[c == which], scale)) < 1.95
        assert ks((1 + np.tanh(x[c == which, 2] / height)) / 2) < 1.95
        assert ks(np.arctan2(x[c == which, 1], x[c == which, 0]) / (2 * pi) + 0.5) < 1.95
P
}

@test "galaxy: the circular speed is 1 at 2.2 scale lengths; each component is in balance with the forces that act, and a quiet start has no modes" {
    nbgen galaxy -q -n 60k --quiet-start | nbsim -q --force tree --theta 0.5 --steps 0 --write acc -o g.nbs
    check g.nbs <<'P'
f, = frames
c, v, a, eps = f["component"], f["vel"], f["acc"], f["softening"]
disk, halo, bulge = total(f, DISK), nfw(total(f, HALO), 19.6 / 2.6, 6), hernquist(total(f, BULGE), 0.5 / 2.6)
near(total(f, BULGE) / disk, 0.923 / 4.57, 1e-9)
near(total(f, HALO) / disk, 105.1 / 4.57, 1e-9)
assert abs(f["mass"][c == HALO].max() / f["mass"][c == DISK].max() / (10 * (320 / 60) ** 0.5) - 1) < 1e-3  # fewer would be 40 %
near(2.2 * disk_pull(2.2, 0, disk)[0] + (halo.mass(2.2) + bulge.mass(2.2)) / 2.2, 1, 2e-3)

x = f["pos"]
R = np.hypot(x[:, 0], x[:, 1])
speed2 = -(a * x)[:, :2].sum(1)
for at in 0.6, 1, 2.2, 4:  # means over rings, of the smooth galaxy and of the bodies
    ring = (c == DISK) & (abs(R / at - 1) < 0.1)
    heights = 0.2 * np.arctanh((np.arange(6) + 0.5) / 6)
    pull = np.mean([disk_pull(at, z, disk, softening=eps)[0] for z in heights])
    pull += np.mean([at * (halo.mass(r) + bulge.mass(r)) / r**3 for r in np.hypot(at, heights)])
    near(speed2[ring].mean() / (pull * at), 1, 0.025)

# sums of v^2 and of -x.a: three standard errors of their ratio, and what it costs to take the disk as round
for which, more, fold in (DISK, 0.005, 6), (HALO, 0.01, 2), (BULGE, 0.03, 2):
    s = c == which
    K, W = (v[s] ** 2).sum(1), -(x[s] * a[s]).sum(1)
    near(K.mean() / W.mean(), 1, 3 * (K - W).std() / W.mean() * sqrt(fold / s.sum()) + more)


def carried(at):  # flux of z v_z outwards through a circle: stars that go out go up
    s = (c == DISK) & (abs(R - at) < 0.1)
    return (x[s, 2] * v[s, 2] * (v * x)[s, :2].sum(1) / R[s]).sum() / 0.2


for low, high in (0.5, 1), (1, 1.5), (1.5, 2.2), (2.2, 3), (3, 4):
    s = (c == DISK) & (R > low) & (R < high)
    K, W = v[s, 2] ** 2, -x[s, 2] * a[s, 2]
    gone = carried(high) - carried(low)
    near((K.sum() - gone) / W.sum(), 1, 3 * (K - W).std() / W.mean() * sqrt(6 / s.sum()) + 0.02)
    out = (v * x)[s, :2].sum(1) / R[s]
    near(out.mean(), 0, 4 * out.std() * sqrt(6 / s.sum()))

# a quiet start has no modes, and rests
x, v = (f[k][f["component"] == DISK] for k in ("pos", "vel"))
n = len(x) // 6 * 6
x, v = x[:n] - x[:n].mean(0), v[:n] - v[:n].mean(0)  # what is left of a group shifts all
angle = np.arctan2(x[:n, 1], x[:n, 0])
for m in 1, 2, 3, 4, 5:
    assert abs(np.exp(1j * m * angle).mean()) < 1e-9
near((x[::2, 2] + x[1::2, 2]).std(), 0, 1e-9)  # every other one mirrored
R = np.hypot(x[:n, 0], x[:n, 1]).reshape(-1, 6)
near(abs(R - R[:, :1]).max(), 0, 1e-9)
assert len(np.unique(R[:, 0])) == n // 6
P
}

@test "galaxy: Toomre's Q is least where and as --toomre says, sigma_R^2 falls as the surface density does" {
    nbgen galaxy -q -n 100k --toomre 1.2 --hole-mass 1e-7 -o g.nbs
    check g.nbs <<'P'
f, = frames
c, x, v = f["component"], f["pos"] - f["pos"][0], f["vel"] - f["vel"][0]
disk, halo, bulge = total(f, DISK), nfw(total(f, HALO), 19.6 / 2.6, 6), hernquist(total(f, BULGE), 0.5 / 2.6)
R = np.hypot(x[:, 0], x[:, 1])
out = (v * x)[:, :2].sum(1) / R

def omega2(at):
    return disk_pull(at, 0, disk)[0] / at + (halo.mass(at) + bulge.mass(at)) / at**3

def sigma(low, high):
    s = (c == DISK) & (R > low) & (R < high)
    return out[s].std(), out[s].std() / sqrt(2 * s.sum())

def Q(at):
    h = 0.05
    kappa2 = 4 * omega2(at) + at * (omega2(at + h) - omega2(at - h)) / (2 * h)
    density = disk / (2 * pi) * np.exp(-at)
    s, error = sigma(0.93 * at, 1.07 * at)
    return s * sqrt(kappa2) / (3.36 * density), error / s

values = [(at, *Q(at)) for at in (1, 1.5, 2, 2.5, 3.2)]
for at, q, error in values:
    assert q > 1.2 * (1 - 3 * error - 0.02), (at, q)
near(values[2][1], 1.2, 1.2 * (3 * values[2][2] + 0.03))
ratio = sigma(2.9, 3.1)[0] / sigma(0.95, 1.05)[0]
near(ratio, np.exp(-1), 0.04)
P
}

# Halo bodies of so few heat the disk to 1.6 times its thickness in a turn: tests/long/galaxy.bats has a million.
# bats test_tags=long
@test "galaxy: half a turn changes little: radii, thickness, circular speeds, and the centre of mass not at all" {
    nbgen galaxy -q -n 10k --quiet-start | nbsim -q --force tree --dt 0.07 --until 7 --every 7 --write acc >run.nbs
    nbstat --max-de 1e-3 run.nbs >table
    python "$root/tests/long/galaxy_check.py" drift run.nbs
}

@test "galaxy: the suggested step keeps the energy also where few bodies pass a small softening length" {
    nbgen galaxy -q -n 500 --seed 2 --softening 0.001 |
        nbsim -q --device cpu --integrator leapfrog --until 0.4 --every 0.1 >run.nbs
    nbstat --max-de 5e-4 run.nbs >table
}

# Heights drawn from R only, without the guiding radius, give 1.14.
# bats test_tags=long
@test "galaxy: the disk does not thicken as its stars mix" {
    nbgen galaxy -q -n 40k --quiet-start --halo-weight 4 | nbsim -q --force tree --theta 0.9 --dt 0.07 --until 2.8 --every 2.8 -o run.nbs
    python - <<'P'
import nbs_reader
from galaxy_truth import *

def height(f):
    x = f["pos"][f["component"] == DISK].astype(float)
    x -= np.median(x, axis=0)
    R = np.hypot(x[:, 0], x[:, 1])
    return x[(R > 0.5) & (R < 4), 2].std()

first, *_, last = nbs_reader.read(open("run.nbs", "rb"))
growth = height(last) / height(first)
print("growth", growth)
assert abs(growth - 1) < 0.06, growth
P
}

@test "galaxy: factors on masses and lengths, galactic units, tilts" {
    nbgen galaxy -q -n 2k -o a.nbs
    nbgen galaxy -q -n 2k --mass 0.6 --radius 2 -o b.nbs
    nbgen galaxy -q -n 2k --units galactic -o kpc.nbs
    nbgen galaxy -q -n 2k --incline 60,90 -o tilted.nbs
    check a.nbs b.nbs kpc.nbs tilted.nbs <<'P'
a, b, kpc, tilted = frames
near(abs(b["mass"] / a["mass"] - 0.6).max(), 0, 1e-12)
near(abs(b["pos"] - 2 * a["pos"]).max(), 0, 1e-10)
near(abs(b["vel"] - sqrt(0.3) * a["vel"]).max(), 0, 1e-10)
near(b["softening"], 2 * a["softening"], 1e-12)
near(b["dt"], 2 / sqrt(0.3) * a["dt"], 1e-12)
near(kpc["mass"][kpc["component"] == DISK].sum(), 4.57, 1e-9)
near(abs(kpc["pos"] - 2.6 * a["pos"]).max(), 0, 1e-9)
near(kpc["G"], 43009.17, 0.01)
speed = sqrt(kpc["G"] * kpc["mass"].sum() / a["mass"].sum() / 2.6)
near(abs(kpc["vel"] - speed * a["vel"]).max(), 0, 1e-9 * speed)
assert 215 < speed < 240  # McMillan's curve near 5.7 kpc
s = tilted["component"] == DISK
spin = np.cross(tilted["pos"][s], tilted["vel"][s]).sum(0)
spin /= sqrt((spin**2).sum())
near(abs(spin - [sqrt(3) / 2, 0, 0.5]).max(), 0, 0.03)
P
}

# bats test_tags=long
@test "galaxy: presets, what is left out, a hole, and what it says of itself" {
    for preset in milkyway m31 dwarf elliptical disk-dominated; do
        run -0 --separate-stderr nbgen galaxy --preset $preset -n 2k -f -o g.nbs
        [[ "$stderr" == *"$preset: mass"*"circular speed"*"softening"*"time step"* ]]
        nbstat g.nbs >/dev/null
    done
    run -0 --separate-stderr nbgen galaxy --gas-mass 1 --gas-toomre 1.7 -n 2k -f -o g.nbs
    [[ "$stderr" == *$'\n'"nbgen: least Q of the disk 1.5 at "*$'\n'"nbgen: least Q of the gas 1.7 at "* ]]
    for gas in "60 --gas-height 5" "0.1 --gas-height 0.02"; do # scale lengths that are not at all alike
        # shellcheck disable=SC2086
        run -0 --separate-stderr nbgen galaxy -q --gas-mass 0.5 --gas-scale $gas -n 2k -f -o g.nbs
        [ -z "$stderr" ]
    done
    refused 2 "--toomre 1.5: 13 % of the stars of the disk would be beyond" nbgen galaxy --halo-mass 0 --bulge-mass 0 --toomre 1.5
    run -0 --separate-stderr nbgen galaxy -q -n 100 --halo-mass 0
    [ "$stderr" = "nbgen: warning: the disk is too hot for equilibrium: 7 % of its stars are beyond 8 scale lengths" ]
    nbgen galaxy -q --preset elliptical --softening 100 -n 3k -f -o g.nbs
    close "$(nbstat -q --columns virial g.nbs | tail -n 1)" 1 0.06 # three standard errors
    run -0 --separate-stderr nbgen galaxy -q --hole-mass 0.01 --halo-profile hernquist --bulge-mass 0 -n 2k -o h.nbs
    [ -z "$stderr" ]
    check h.nbs <<'P'
f, = frames
c = f["component"]
assert list(np.unique(c)) == [HALO, DISK, HOLE], np.unique(c)
assert (c == HOLE).sum() == 1 and c[0] == HOLE
near(f["mass"][0] / total(f, DISK), 0.01 / 4.57, 1e-9)
assert (f["galaxy"] == 0).all()
P
}

@test "galaxy: equal bytes for any number of threads, and streams of their own for its components" {
    nbgen galaxy -q -n 5k --softening 0.05 --hole-mass 1e-7 --threads 1 -o 5k.nbs
    nbgen galaxy -q -n 5k --softening 0.05 --hole-mass 1e-7 --threads 3 -o three.nbs
    cmp 5k.nbs three.nbs
    nbgen galaxy -q -n 4k --softening 0.05 --hole-mass 1e-7 --halo-weight 20 -o 4k.nbs
    nbgen galaxy -q -n 5k --softening 0.05 --hole-mass 1e-7 --seed 2 -o b.nbs
    check 5k.nbs b.nbs 4k.nbs <<'P'
a, b, c = frames
for which in DISK, BULGE:  # with fewer bodies in the halo the others stay where they are
    for column in "pos", "vel":
        p, q = ((f[column] - f[column][0])[f["component"] == which] for f in (a, c))
        n = min(len(p), len(q))
        assert n > 100
        near(abs(p[:n] - q[:n]).max(), 0, 1e-9)
assert abs(a["pos"] - b["pos"]).max() > 1
P
}

@test "galaxy: bad parameters are refused in a line" {
    refused 2 "--disk-mass -1: " nbgen galaxy --disk-mass -1
    refused 2 "--halo-mass nan" nbgen galaxy --halo-mass nan
    refused 2 "--bulge-scale 0: " nbgen galaxy --bulge-scale 0
    refused 2 "--disk-height 0: " nbgen galaxy --disk-height 0
    refused 2 "--toomre 0: " nbgen galaxy --toomre 0
    refused 2 "--halo-truncation 0.5: inside the halo's core" nbgen galaxy --halo-truncation 0.5
    refused 2 "--toomre: the galaxy has no disk" nbgen galaxy --preset elliptical --toomre 1.5
    refused 2 "--bulge-scale: the galaxy has no bulge" nbgen galaxy --preset dwarf --bulge-scale 1
    refused 2 "--gas-toomre: the galaxy has no gas" nbgen galaxy --gas-toomre 1
    refused 2 "--halo-profile: the galaxy has no halo" nbgen galaxy --halo-mass 0 --halo-profile nfw
    refused 2 "--preset andromeda: expected milkyway, m31" nbgen galaxy --preset andromeda
    refused 2 "--halo-profile king: expected nfw or hernquist" nbgen galaxy --halo-profile king
    refused 2 "no mass" nbgen galaxy --disk-mass 0 --bulge-mass 0 --halo-mass 0 --hole-mass 1
    refused 2 "--disk-height, in its scale lengths: 2 is not from 0.005 to 1" nbgen galaxy --disk-height 5.2
    refused 2 "--halo-scale, in scale lengths of the disk" nbgen galaxy --halo-scale 1e9
    refused 2 "--toomre 1e+06: must be from 0.01 to 100" nbgen galaxy --toomre 1e6
    refused 2 "--halo-truncation, in scale lengths of the disk: 7.538e+10 is not from 0 to 10000" nbgen galaxy --halo-truncation 1e10
    refused 2 "--toomre 10: 54 % of the stars of the disk would be beyond 8 scale lengths" nbgen galaxy --toomre 10
    refused 2 "gravity cannot hold the disk: with the default Q of 1.5 and" nbgen galaxy --halo-mass 0 --bulge-mass 0
    [[ "$stderr" == *" 13 % of its stars would be beyond 8 (use "* ]]
    refused 2 "--gas-mass: this preset has no such component: give --gas-scale and --gas-height too" nbgen galaxy --preset elliptical --gas-mass 1
    refused 2 "--gas-mass: this preset has no such component: give --gas-height too" nbgen galaxy --preset elliptical --gas-mass 1 --gas-scale 3
    refused 2 "--disk-mass: this preset has no such component: give --disk-scale too" nbgen galaxy --preset elliptical --disk-mass 1 --disk-height 1
    refused 2 "--halo-weight: 1e+300 is not from 0.001 to 1000" nbgen galaxy --halo-weight 1e300
    refused 2 "--bulge-mass: this preset has no such component: give --bulge-scale too" nbgen galaxy --preset dwarf --bulge-mass 1
    refused 2 "--mass-ratio: no such option" nbgen galaxy --mass-ratio 2
    refused 2 "--bodies 5: galaxy needs at least 100" nbgen galaxy -n 5
}

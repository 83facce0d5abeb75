#!/usr/bin/env bats
# nbgen as a user runs it: statistics of the models against theory, exact few-body states, determinism, refusals.
# Streams are read with tests/nbs_reader.py, which shares no code with the tools.
bats_require_minimum_version 1.5.0
load common
load models

# What the tests made here, without what bats keeps.
files() {
    ls | grep -v '^separate-stderr' | paste -sd' '
}

models="plummer hernquist jaffe dehnen nfw king isothermal uniform disk collision galaxy twin spheres kepler figure8 pythagorean lagrange solar outer-solar windtunnel granular"

# ---- the command line ----

@test "help lists the models and the parameters of each" {
    run -2 --separate-stderr nbgen
    [ -z "$output" ]
    list=$stderr
    run -0 --separate-stderr nbgen --help
    for model in $models; do
        [[ "$list" == *"  $model "* ]]
        [[ "$output" == *"  $model "* ]]
    done
    for model in $models; do
        run -0 --separate-stderr nbgen "$model" --help
        [[ "$output" == "Usage: nbgen $model "* && "$output" == *"--bodies="*"default f64"*"time step: "* ]]
    done
}

@test "sizes far from 1 have energies that are numbers" {
    for size in "--mass 1e119 --radius 1e60" "--mass 1e-119 --radius 1e-60" "--mass 1e90 --radius 1e-70"; do
        nbgen uniform -n 10 $size -f -o sized.nbs
        nbstat sized.nbs | python -c 'import math, sys
values = [float(x) for line in sys.stdin if not line.startswith("#") for x in line.split("\t")[4:10]]
assert values and all(math.isfinite(x) for x in values) and values[1] > 0 > values[2], values'
    done
}

@test "what makes no sense is refused in a line" {
    refused 2 "'plumer' is not a model; there are plummer, hernquist, jaffe" plumer
    refused 2 "-n: the model comes first" -n 10 plummer
    for n in 0 -5 1e30 1.5 ten 3kk nan 99999999999999999999; do
        refused 2 "--bodies $n: not a count" plummer -n "$n"
    done
    for seed in x -1 1.5 18446744073709551616; do
        refused 2 "--seed $seed: not a whole number" plummer --seed "$seed"
    done
    refused 2 "--bodies 4: figure8 has 3 bodies" figure8 -n 4
    refused 2 "--bodies 3: collision needs 4" collision -n 3
    refused 2 "--frobnicate: no such option" plummer --frobnicate
    refused 2 "10: this is no option, and nothing else is wanted" plummer 10
    refused 2 "--store f16: not f32 or f64" plummer --store f16
    refused 2 "units 'parsec' are not known" plummer --units parsec
    refused 2 "--units code: solar is made of real bodies" solar --units code
    refused 2 "outer-solar has units of its own" outer-solar --units gauss
    refused 2 "--eccentricity 1: an ellipse has less" kepler -e 1
    refused 2 "--eccentricity -0.1: not a number from 0" kepler -e -0.1
    refused 2 "--masses 1,2: not three numbers" lagrange --masses 1,2
    refused 2 "--masses 1,2,0: not three numbers" lagrange --masses 1,2,0
    refused 2 "--shape ball: not sphere or cube" uniform --shape ball
    refused 2 "--virial nan: not a number from 0" uniform --virial nan
    refused 2 "--central-mass 1: not from 0 on and below 1" disk --central-mass 1
    refused 2 "--inner 0: not from 0.001 on and below 1" disk --inner 0
    refused 2 "--slope 2: not from 0" disk --slope 2
    refused 2 "--incline 30: not two numbers" disk --incline 30
    refused 2 "--separation 0.1: less than --pericenter" collision --separation 0.1
    refused 2 "--separation 3: the orbit reaches from 0.4 to 1.2" collision -e 0.5
    for value in 1e300 1e121 1e-121 1e-300; do # its square, and that over a length
        refused 2 "--mass $value: out of range, not from 1e-120 to 1e+120" plummer --mass $value
    done
    for option in --radius --softening; do # the cube
        for value in 1e91 1e-91; do
            refused 2 "$option $value: out of range, not from 1e-90 to 1e+90" uniform $option $value
        done
    done
    refused 2 "times or energies are out of range" plummer --mass 1e120 --radius 1e-90
    refused 2 "times or energies are out of range" disk --mass 1e-120 --radius 1e90
    refused 2 "--semi-major 1e100: out of range" kepler --semi-major 1e100
    refused 2 "--mass-ratio 1e60: out of range" kepler --mass-ratio 1e60
    refused 2 "--mass-ratio 1e160: out of range" collision --mass-ratio 1e160
    refused 2 "--side 1e-100: out of range" lagrange --side 1e-100
    refused 2 "--scale 1e300: not from 0.001 to 1000" disk --scale 1e300
    refused 2 "--thickness 1e300: not from 0 to 100" collision --thickness 1e300
    refused 1 "body 1: pos -1.62347918e+39 does not fit f32 (--store f64)" plummer -n 10 --radius 1e39 --store f32 -o far.nbs
    [ -z "$(files)" ]
}

@test "output: an existing file only with -f, devices stay devices, a terminal and a full disk are refused" {
    nbgen kepler -o a.nbs
    cp a.nbs b.nbs
    refused 1 "a.nbs: exists already" plummer -o a.nbs
    cmp a.nbs b.nbs
    nbgen figure8 -f -o a.nbs
    run ! cmp -s a.nbs b.nbs
    nbgen kepler -o /dev/null
    [ -c /dev/null ]
    refused 1 "is a directory" kepler -o .
    refused 1 "cannot be written" kepler -o no/such/folder.nbs
    run -1 --separate-stderr bash -c 'nbgen plummer -n 100k > /dev/full'
    [[ "$stderr" == "nbgen: stdout: cannot be written: No space left on device" ]]
    run -1 --separate-stderr bash -c 'nbgen kepler > /dev/full'
    run -0 --separate-stderr bash -c 'nbgen plummer -n 100k | head -c 1000 | wc -c'
    [ "$output" = 1000 ]
    [ -z "$stderr" ]
    if command -v script >/dev/null; then
        run -2 script -qec 'nbgen kepler' /dev/null
        [[ "$output" == *"stdout is a terminal"* ]]
    fi
    [ "$(files)" = "a.nbs b.nbs" ]
}

# longer_than FILE BYTES
longer_than() {
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]
}

@test "a terminal is told how much is done and how long the rest takes, from 0 to 100 %" {
    script -qec 'nbgen uniform -n 300k --threads 2 -f -o u.nbs' /dev/null >told
    tr '\r' '\n' <told >lines
    grep -q '^nbgen: id, [0-9]* %, [0-9]*:[0-9][0-9] left' lines
    awk '/ %, / { sub(/ %.*/, ""); share = $NF + 0; if (share < before || share > 100) exit 1; before = share }' lines
    script -qec 'nbgen uniform -n 300k -q -f -o u.nbs' /dev/null >told
    [ ! -s told ]
}

@test "a signal in the middle of a file leaves nothing behind" {
    # the first is met while bodies are written, the second, behind ids and components, while the centre of mass is sought
    for bytes in 1 270000000; do
        nbgen uniform -n 30M -q -o big.nbs &
        pid=$!
        await $pid longer_than big.nbs.part $bytes
        kill -TERM $pid
        wait $pid && status=0 || status=$?
        [ $status -eq 143 ]
        [ -z "$(files)" ]
    done
}

@test "the header: units, G, provenance without what cannot change the result" {
    nbgen plummer --seed 18446744073709551615 -n 1k --threads 2 -v -f -o code.nbs
    nbgen uniform -n 1k --virial 0.50 --units galactic --mass 20 --radius 10 -o galactic.nbs
    nbgen solar -o solar.nbs
    nbgen solar --units gauss -o gauss.nbs
    check code.nbs galactic.nbs solar.nbs gauss.nbs <<'P'
code, galactic, solar, gauss = frames
assert code["history"] == ["1 - nbgen 0.1.0 18446744073709551615 nbgen plummer --bodies=1k --seed=18446744073709551615"]
assert galactic["history"][0].endswith(" 1 nbgen uniform --virial=0.50 --bodies=1k --units=galactic --mass=20 --radius=10")
assert solar["history"][0].endswith(" - nbgen solar")
assert code["units"] == "code" and code["G"] == 1 and code["length_cgs"] == code["mass_cgs"] == code["time_cgs"] == 0
assert galactic["units"] == "galactic" and abs(galactic["G"] - 43009.17) < 0.005
assert abs(galactic["time_cgs"] / (1e9 * 365.25 * 86400) - 0.9778) < 1e-5
assert solar["units"] == "solar" and abs(solar["G"] - 39.476926) < 1e-6
assert gauss["units"] == "gauss" and gauss["G"] == 1
for f in frames[1:]:
    assert abs(f["G"] * f["length_cgs"] ** 3 / f["mass_cgs"] / f["time_cgs"] ** 2 / 6.67430e-8 - 1) < 1e-14
# the same bodies in two systems, and a scaled model: mass, radius, and 2K = Q 3/5 G M^2 / R
assert np.allclose(solar["pos"], gauss["pos"], rtol=1e-15)
ratio = solar["time_cgs"] / gauss["time_cgs"]
assert np.allclose(solar["vel"], gauss["vel"] * ratio, rtol=1e-14)
assert abs(galactic["mass"].sum() - 20) < 1e-12
assert 9.5 < norm(galactic["pos"], axis=1).max() < 10.5
assert abs(2 * kinetic(galactic) / (0.5 * 0.6 * galactic["G"] * 20**2 / 10) - 1) < 0.1
for f in frames:
    assert f["dt"] > 0 and f["step"] == "0" and f["time"] == 0
    assert (f["id"] == np.arange(len(f["id"]))).all() and f["id"].dtype == np.uint64
P
}

@test "equal bytes for any number of threads, other bytes for another seed" {
    for model in plummer "uniform --shape cube" disk "collision --mass-ratio 0.3"; do
        for threads in 1 2 5; do
            nbgen $model -n 10007 --threads $threads -f -o $threads.nbs
        done
        cmp 1.nbs 2.nbs
        cmp 1.nbs 5.nbs
        nbgen $model -n 10007 --seed 1 -q -f -o same.nbs
        nbgen $model -n 10007 --seed 2 -q -f -o other.nbs
        check 1.nbs same.nbs other.nbs <<'P'
a, same, other = frames
assert all((a[c] == same[c]).all() for c in ("mass", "pos", "vel", "component"))
assert (a["pos"] != other["pos"]).mean() > 0.99 and (a["vel"] != other["vel"]).mean() > 0.99
P
    done
}

@test "f32 is f64, rounded" {
    nbgen collision -n 5k -o wide.nbs
    nbgen collision -n 5k --store f32 -o narrow.nbs
    check wide.nbs narrow.nbs <<'P'
wide, narrow = frames
for c in ("mass", "pos", "vel"):
    assert narrow[c].dtype == np.float32 and (narrow[c] == wide[c].astype(np.float32)).all()
assert (wide["component"] == narrow["component"]).all()
P
}

@test "memory does not grow with the number of bodies" {
    python - <<'P'
import resource, subprocess
subprocess.run("nbgen uniform -n 1500k -q --threads 2 | cat > /dev/null", shell=True, check=True)
peak_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert peak_kb < 65e3, peak_kb  # the frame has 85 MB
P
}

# ---- spheres ----

@test "plummer: density, distribution function, isotropy, energies, centre of mass" {
    nbgen plummer -n 200k --truncation inf -o p.nbs
    check p.nbs <<'P'
f, = frames
n, a, x, v = 200000, 3 * pi / 16, f["pos"], f["vel"]
r, speed = norm(x, axis=1), norm(v, axis=1)
assert (f["mass"] == 1 / n).all() and (f["component"] == 4).all()
assert np.abs(centre(f)).max() < 1e-14
assert ks((1 + a * a / r**2) ** -1.5) < 1.95  # M(<r) = r^3 / (r^2 + a^2)^1.5, no truncation
for u in (0.01, 0.1, 0.5, 0.9, 0.99):
    sure((r < a / sqrt(u ** (-2 / 3) - 1)).mean(), u, sqrt(u * (1 - u)), n)
assert abs(np.median(r) - 0.768570631) < 5 * 0.5 / sqrt(n) / 0.55  # density of r there: dM/dr = 0.55
# q = v / escape speed has the density q^2 (1 - q^2)^3.5, so q^2 a mean of 1/4 and a variance of 3/112
q = speed / sqrt(2 / sqrt(r * r + a * a))
grid = np.linspace(0, 1, 20001)
share = np.cumsum(grid**2 * (1 - grid**2) ** 3.5)
assert ks(np.interp(q, grid, share / share[-1])) < 1.95
sure((q**2).mean(), 1 / 4, sqrt(3 / 112), n)
# the same at every radius: K = 1/4; local dispersion squared 1 / (6 sqrt(r^2 + a^2)), at the centre 0.282942122
sure(kinetic(f), 0.25, 0.25, n)
inner = r < 0.3 * a
sure((v[inner] ** 2 * 6 * sqrt(r[inner] ** 2 + a * a)[:, None]).mean(), 1, sqrt(2), 3 * inner.sum())
assert np.corrcoef(q, r)[0, 1] < 5 / sqrt(n)
# no direction is preferred, neither in space nor against the radius
for w in (x, v):
    assert ks(w[:, 2] / norm(w, axis=1) / 2 + 0.5) < 1.95
    assert ks(np.arctan2(w[:, 1], w[:, 0]) / (2 * pi) + 0.5) < 1.95
assert ks((x * v).sum(1) / (r * speed) / 2 + 0.5) < 1.95
P
    nbgen plummer -n 4k -o small.nbs
    check small.nbs <<'P'
f, = frames
# <W> = -(n - 1)/n 0.5; its deviation over seeds is about 0.55 / sqrt(n)
assert abs(potential(f) + 0.5) < 5 * 0.55 / sqrt(4000)
assert abs(kinetic(f) + potential(f) + 0.25) < 0.06
P
}

@test "plummer: cut off at the truncation radius, with E = -1/4 and in balance there" {
    for t in 20 50; do
        nbgen plummer -n 100k $([ $t = 20 ] || echo --truncation $t) -f -o p.nbs
        check p.nbs $t <<'P'
f, = frames[:1]
t, n = float(sys.argv[2]), 100000
assert abs(f["mass"].sum() - 1) < 1e-12 and np.abs(centre(f)).max() < 1e-14
# Energies of the cut sphere of mass 1 by quadrature, for a = 1, in balance where the mass beyond weighs nothing:
# the pressure of the whole sphere, mass 1 / share, less none.
R = (np.arange(400000) + 0.5) * t / 400000
share = t**3 / (1 + t * t) ** 1.5
dm = 3 * R * R / (1 + R * R) ** 2.5 / share * t / 400000
K = (dm / sqrt(1 + R * R)).sum() / share / 4
W = -(dm * R * R / (1 + R * R) ** 1.5).sum() / share
a = -4 * (K + W)  # E = -1/4
r, v2 = norm(f["pos"], axis=1), (f["vel"] ** 2).sum(1)
assert r.max() < t * a * 1.03 and r.max() > 0.7 * t * a  # the centre of mass was moved by ~ a/100
assert ks(np.minimum((r / a) ** 3 / (1 + (r / a) ** 2) ** 1.5 / share, 1)) < 1.95
sure(kinetic(f), K / a, 0.26, n)
# The mean of m_j / r_ij over the bodies inside body i is their mass over its radius: W without a sum over pairs.
order = np.sort(r)
sure(-((np.arange(n) + 0.5) / n / order).mean(), W / a, 0.55, n)
assert abs(2 * K / -W - 1) < 3e-4
inner = r < a / 2
sure((v2[inner] * share * sqrt(r[inner] ** 2 + a * a) * 2).mean(), 1, 0.66, inner.sum())
P
    done
    refused 2 "--truncation 0.5: not from 1 on, or inf" plummer --truncation 0.5
}

@test "one body rests at the origin" {
    for model in plummer uniform; do
        nbgen $model -n 1 -f -o one.nbs
        check one.nbs <<'P'
f, = frames
assert f["mass"][0] == 1 and not f["pos"].any() and not f["vel"].any() and f["dt"] > 0
P
    done
}

@test "uniform: sphere and cube are filled evenly, with the virial ratio asked for" {
    nbgen uniform -n 100k -o sphere.nbs
    nbgen uniform -n 100k --shape cube --virial 0.4 -o cube.nbs
    nbgen uniform -n 1k --virial 0 -o cold.nbs
    nbgen uniform -n 3k --shape cube -o small.nbs
    check sphere.nbs cube.nbs cold.nbs small.nbs <<'P'
sphere, cube, cold, small = frames
n = 100000
for f in frames:
    assert np.abs(centre(f)).max() < 1e-14 and abs(f["mass"].sum() - 1) < 1e-12
assert not cold["vel"].any()
# the centre of mass was moved by ~ 1/sqrt(n): leave out what may have passed the edge
x = sphere["pos"][norm(sphere["pos"], axis=1) < 0.99]
r = norm(x, axis=1) / 0.99
assert norm(sphere["pos"], axis=1).max() < 1.01 and ks(r**3) < 1.95
assert ks(x[:, 2] / norm(x, axis=1) / 2 + 0.5) < 1.95
sure((r**2).mean(), 3 / 5, sqrt(3 / 7 - 9 / 25), len(r))
assert np.abs(cube["pos"]).max() < 1.01
for k in range(3):
    inside = cube["pos"][np.abs(cube["pos"][:, k]) < 0.99, k]
    assert ks(inside / 1.98 + 0.5) < 1.95
# What the forces pull together, sum m r.a: without softening 3/5 of the sphere; of the cube 1/4 of the mean of 1/distance
# in the unit cube, by quadrature over its pyramids. Softening by 0.01 takes 0.2 % of it.
t, weight = np.polynomial.legendre.leggauss(24)
t, weight = (t + 1) / 2, weight / 2
a, b, z = np.meshgrid(t, t, t, indexing="ij")
mean = (24 * (1 - z * a) * (1 - z * b) * (1 - z) * z / sqrt(1 + a * a + b * b)
        * weight[:, None, None] * weight[:, None] * weight).sum()
for f, q, w in ((sphere, 1, 3 / 5), (cube, 0.4, mean / 4)):
    sure(2 * kinetic(f) / w / q, 1, 0.44, n)  # v^2 of a ball of velocities has the deviation 0.44 of its mean
    assert ks(f["vel"][:, 1] / norm(f["vel"], axis=1) / 2 + 0.5) < 1.95
assert norm(sphere["vel"], axis=1).max() < sqrt(2)  # nothing leaves
assert abs(2 * kinetic(small) / -potential(small) - 1) < 0.05
P
}

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
    [[ "$stderr" =~ ^"nbgen: warning: --toomre 1.4: Q is less from R = 0.037 to 0."[0-9]+" radii (0."[0-9]+" at 0.037), where stars" ]]
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
    [[ "$stderr" == "nbgen: warning: no balance from R = 0."*" to 1 radii: random motions push outwards more than gravity holds" ]]
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

@test "collision: by default the centres come together well before t = 8" {
    nbgen collision -n 2400 -o start.nbs
    nbsim -q --device cpu --precision single --dt 0.004 --until 8 --every 1 start.nbs > run.nbs
    for k in 0 2 7 8; do nbconv --to text --frame $k run.nbs > $k; done
    check start.nbs <<'P'
assert 0.001 <= frames[0]["dt"] <= 0.01 and 0.01 < frames[0]["softening"] < 0.1
distance = []
for k in (0, 2, 7, 8):
    x = np.loadtxt(str(k))[:, 2:5]
    distance.append(norm(x[1200] - x[0]))
assert abs(distance[0] - 3) < 0.1 and distance[1] < 1.3 and distance[2] < 0.6 and distance[3] < 0.4, distance
# two points would meet at t = 2.4 (Kepler's equation): the first passage leaves most of the eight units for the rest
a, e = 0.4 / 0.1, 0.9
E = np.arccos((1 - 3 / a) / e)
assert abs((E - e * np.sin(E)) * sqrt(a**3 / 2) - 2.4) < 0.01
m1 = slice(0, 1200), slice(1200, 2400)
(x1, v1), (x2, v2) = (centre(frames[0], s) for s in m1)
assert abs(((v2 - v1) @ (v2 - v1)) / 2 - 2 / 3 + 2 / (2 * a)) < 1e-12
P
}

# ---- time steps ----

# errors TIME FACTOR MODEL OPTIONS...: the largest energy error of leapfrog until TIME with FACTOR suggested steps a step
errors() {
    nbgen "${@:3}" -q -f -o model.nbs 2>/dev/null
    dt=$(nbstat --info model.nbs | awk -v f="$2" '$1 == "dt" { print f * $2 }')
    nbsim -q --device cpu --precision double --integrator leapfrog --dt "$dt" --until "$1" \
        --every "$(awk "BEGIN { print $1 / 25 }")" model.nbs -f -o run.nbs
    nbstat --json run.nbs | python -c '
import json, sys
print(max(abs(json.loads(line)["energy_error"]) for line in sys.stdin))'
}

@test "the suggested step holds the energy, whatever the softening and the centre" {
    while read -r line; do
        error=$(errors $line)
        echo "# $line: $error" >&3
        python -c "assert $error < 1e-3"
    done <<'END'
2 1 plummer -n 10
1 1 plummer -n 200 --softening 0.001
2 1 uniform -n 10 --virial 0
1.3 1 uniform -n 300 --virial 0
1.3 1 uniform -n 100 --virial 0 --softening 0.001
2 1 disk -n 300
1 1 disk -n 300 --central-mass 0.99
0.5 1 disk -n 300 --central-mass 0 --softening 0.001
0.5 1 disk -n 200 --softening 0.001
0.5 1 disk -n 200 --thickness 0.001 --softening 0.001 --central-mass 0
1 1 disk -n 200 --profile power --slope 1.5 --inner 0.001
4 1 collision -n 200
3 1 spheres -n 200 --count 4
12 1 kepler -e 0.9
30 1 figure8
60 1 lagrange --masses 98,1,1
2.2 1 pythagorean
END
}

@test "the suggested step is not many times shorter than needed" {
    for model in "disk -n 300 --central-mass 0 --softening 0.001" "disk -n 300 --central-mass 0.99"; do
        python -c "assert $(errors 1 16 $model) > 1e-3"
    done
}

@test "without softening the step follows passages that turn bodies by 90 degrees" {
    nbgen plummer -n 2k --softening 0 -o p.nbs
    nbgen disk -n 2k --central-mass 0 --softening 0 -q -o d.nbs 2>/dev/null
    nbgen disk -n 2k --central-mass 0 --softening 0 --thickness 0 --toomre 0 -q -o flat.nbs 2>/dev/null
    check p.nbs d.nbs flat.nbs <<'P'
m = 1 / 2000
for f, v in (frames[0], 1.84), (frames[1], 1):
    reach = 2 * m / v**2
    assert f["softening"] == 0 and 0.05 * reach / v < f["dt"] < 0.5 * reach / v, (f["dt"], reach / v)
assert 1e-4 < frames[2]["dt"] < 0.01  # neighbours are 0.02 apart, and rest in the frame of each other
P
}

# ---- a few bodies ----

@test "kepler: exactly at pericentre, any mass ratio, any scale" {
    nbgen kepler -e 0.5 -o half.nbs
    nbgen kepler -e 0.9 --mass-ratio 0.001 --semi-major 4 --units solar -o unequal.nbs
    nbgen kepler -o circle.nbs
    check half.nbs unequal.nbs circle.nbs <<'P'
half, unequal, circle = frames
relative = lambda f, c: f[c][1] - f[c][0]
assert (half["mass"] == 0.5).all()
assert (relative(half, "pos") == [0.5, 0, 0]).all() and (relative(half, "vel") == [0, 1.7320508075688772, 0]).all()
assert (relative(circle, "pos") == [1, 0, 0]).all() and (relative(circle, "vel") == [0, 1, 0]).all()
assert abs(kinetic(half) + potential(half) + 0.125) < 1e-16
assert abs(spin(half)[2] - 0.2165063509461097) < 1e-16
G = unequal["G"]
assert abs(unequal["mass"][1] / unequal["mass"][0] - 0.001) < 1e-15 and np.abs(centre(unequal)).max() < 1e-15
assert np.allclose(relative(unequal, "pos"), [0.4, 0, 0], rtol=1e-14)
assert np.allclose(relative(unequal, "vel"), [0, sqrt(G / 4 * 1.9 / 0.1), 0], rtol=1e-14)
P
}

@test "figure8, pythagorean, outer-solar: every number of the reference" {
    for model in figure8 pythagorean outer-solar; do
        nbgen $model -f -o $model.nbs
        check $model.nbs <<P
f, = frames
lines = open("$data/$model.txt").read().split("\n")
state = np.array([[float(word) for word in line.split()] for line in lines[1:] if line])
assert f["G"] == float(lines[0].split()[0])
assert (np.hstack([f["mass"][:, None], f["pos"], f["vel"]]) == state).all() and f["softening"] == 0
P
    done
}

@test "figure8, pythagorean, outer-solar: energy and angular momentum" {
    for model in figure8 pythagorean outer-solar; do nbgen $model -o $model.nbs; done
    check figure8.nbs pythagorean.nbs outer-solar.nbs <<'P'
energies = [kinetic(f) + potential(f) for f in frames]
assert abs(energies[0] + 1.287141997339) < 1e-12
assert abs(energies[1] + 769 / 60) < 1e-14
assert abs(energies[2] + 3.215453183208164e-8) < 1e-22
L = [(f["mass"][:, None] * np.cross(f["pos"], f["vel"])).sum(0) for f in frames]
assert norm(L[0]) < 1e-13 and not L[1].any() and abs(L[2][2] / 5.594749022905049e-5 - 1) < 1e-14
assert frames[2]["time_cgs"] == 86400 and frames[2]["units"] == "au-day"
P
}

@test "lagrange: every force points to the centre of mass and bends its body's circle" {
    nbgen lagrange -o equal.nbs
    nbgen lagrange --masses 1,2,30 --side 2.5 --units gauss -o unequal.nbs
    check equal.nbs unequal.nbs <<'P'
for f, side in zip(frames, (1, 2.5)):
    x, v, m = f["pos"], f["vel"], f["mass"]
    omega2 = m.sum() / side**3
    for i in range(3):
        others = [j for j in range(3) if j != i]
        assert all(abs(norm(x[j] - x[i]) / side - 1) < 1e-15 for j in others)
        force = sum(m[j] * (x[j] - x[i]) / norm(x[j] - x[i]) ** 3 for j in others)
        assert np.allclose(force, -omega2 * x[i], atol=1e-14 * norm(force))
        assert np.allclose(v[i], sqrt(omega2) * np.array([-x[i][1], x[i][0], 0]), atol=1e-15 * side)
    assert np.abs(centre(f)).max() < 1e-15
assert np.allclose(frames[0]["mass"], 1 / 3, rtol=1e-15) and (frames[1]["mass"] == [1, 2, 30]).all()
P
}

@test "solar: planets where and as fast as the ephemeris has them" {
    nbgen solar -o solar.nbs
    check solar.nbs <<'P'
f, = frames
assert np.abs(centre(f)).max() < 1e-15 and f["mass"][0] == 1 and (f["component"] == [4] + 9 * [6]).all()
# JPL Horizons, 2000 January 1.5 TDB: heliocentric, equator of J2000, AU and AU a day. The third is made of the Earth
# and the Moon, 1/81.30057 of it. Then: the largest errors that Standish states for his elements, arc seconds.
earth = np.array([-0.1771350992727098, 0.8874285223255191, 0.3847428990882070, -0.01720762506872895, -0.002898167717572411, -0.001256395052182784])
moon = np.array([-0.1790843809223965, 0.8856456304126460, 0.3842341853815847, -0.01683595459141215, -0.003282865544741707, -0.001430425208901575])
known = np.array([
    [-0.1300936053754522, -0.40059372164232543, -0.20048930201672596, 0.021366395668016163, -0.004926299692875428, -0.004847433077772866],
    [-0.718302296345389, -0.04627424670211335, 0.02464063845542861, 7.981175157753219e-4, -0.018491837481062413, -0.008369735338020125],
    (earth + moon / 81.30057) / (1 + 1 / 81.30057),
    [1.390715921746287, 0.001401217626814569, -0.036960167196011424, 6.71499521033585e-4, 0.013814037515614361, 0.006317900433310847],
    [4.001177161126057, 2.7365787240216024, 1.0755122808242419, -0.004568313526752718, 0.005881462129979568, 0.0026323030159255195],
    [6.406408859532808, 6.174657792651239, 2.274770783705428, -0.00429235187384325, 0.0035283445659715523, 0.0016419315191857945],
    [14.431856614381783, -12.506266259007408, -5.681690059289029, 0.00267810559142015, 0.002462004302669807, 0.0010404094481152937],
    [16.812046968052883, -22.980100505749114, -9.824427653612803, 0.002579274259047737, 0.001668425282316438, 6.188152032295604e-4],
    [-9.87535222992358, -27.978868119163504, -5.753691421762491, 0.0030287508460142658, -0.001127593278936313, -0.001265129364676525],
])
arcsec = np.array([15, 20, 20, 40, 400, 600, 50, 10, 5])
tilt = np.radians(84381.448 / 3600)
ecliptic = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
x, v = f["pos"][1:] - f["pos"][0], f["vel"][1:] - f["vel"][0]
X, V = known[:, :3] @ ecliptic.T, known[:, 3:] @ ecliptic.T * 365.25
angle = norm(np.cross(x, X), axis=1) / (norm(x, axis=1) * norm(X, axis=1))
assert (angle * 180 / pi * 3600 < arcsec + 5).all(), angle * 180 / pi * 3600
assert (abs(norm(x, axis=1) / norm(X, axis=1) - 1) < 4e-3).all()
assert (norm(v - V, axis=1) / norm(V, axis=1) < 1e-2).all() and (norm(v - V, axis=1) / norm(V, axis=1))[:4].max() < 5e-4
# orbits about what is inside them: sidereal periods in years (NASA's fact sheets); the total angular momentum of the
# same ephemeris
inside = [centre(f, slice(0, i)) for i in range(1, 10)]
x_inside, v_inside = (f[c][1:] - [pair[k] for pair in inside] for k, c in enumerate(("pos", "vel")))
gm = f["G"] * np.cumsum(f["mass"])[1:]
a = 1 / (2 / norm(x_inside, axis=1) - (v_inside**2).sum(1) / gm)
periods = [0.2408467, 0.61519726, 1.0000174, 1.8808476, 11.862615, 29.447498, 84.016846, 164.79132, 247.92065]
assert (abs(2 * pi * sqrt(a**3 / gm) / periods - 1) < 1e-3).all(), 2 * pi * sqrt(a**3 / gm) / periods - 1
L = (f["mass"][1:, None] * np.cross(x, v)).sum(0)
assert norm(L - (f["mass"][1:, None] * np.cross(X, V)).sum(0)) < 3e-3 * norm(L)
P
}

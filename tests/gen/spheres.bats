#!/usr/bin/env bats
# Spheres in equilibrium: positions, velocities, masses and pairs compared with theory. numpy computes the theory from
# the densities only.
bats_require_minimum_version 1.5.0
load ../common/common

# sphere MODEL PARAMETER TRUNCATION RADIUS OPTION...: nbgen OPTION... makes that sphere (see nbgen_spheres.py)
sphere() {
    local what=("${@:1:4}") file
    shift 4
    file=$(echo "$*" | tr -d ' -').nbs
    nbgen "$@" -o "$file"
    python "$BATS_TEST_DIRNAME/spheres.py" "${what[@]}" "$file"
}

@test "without GSL a sentence says so where Poisson's equation has to be solved" {
    if nbgen king -n 1 >/dev/null 2>&1; then
        skip "nbgen was built with GSL"
    fi
    for model in king isothermal galaxy encounter satellite; do
        run -1 --separate-stderr nbgen $model
        [[ "$stderr" == nbgen*"$model: this nbgen was built without the GNU Scientific Library"* ]]
    done
}

@test "places and motions are those of the density, isotropic and not" {
    small="-n 20k --softening 1e-4"
    sphere dehnen 1 100 inf hernquist $small
    sphere dehnen 1 inf 0.3 hernquist $small --truncation inf --anisotropy-radius 0.3
    sphere dehnen 2 100 inf jaffe $small --seed 2
    sphere dehnen 0 20 2 dehnen $small --gamma 0 --truncation 20 --anisotropy-radius 2
    sphere dehnen 1.5 100 inf dehnen $small --gamma 1.5
    sphere nfw 0 10 inf nfw $small --radius 10 --seed 3
    sphere nfw 0 40 3 nfw $small --radius 10 --truncation 4 --anisotropy-radius 0.3 # virial radii
    a=0.58904862254808623 # of henon's units
    sphere plummer 0 inf 1 plummer $small --truncation inf --radius 1.6976527263135504 --anisotropy-radius $a
}

# edged T: the scale radius of the Plummer sphere that ends at T of them, with E = W/2 = -1/4
edged() {
    python -c 'import sys
import numpy as np
T = float(sys.argv[1])
r = (np.arange(400000) + 0.5) * T / 400000
dm = r * r * (1 + r * r) ** -2.5 * (1 - (r / T) ** 4) ** 2
mass = np.cumsum(dm) - dm / 2
print(2 * (mass * dm / r).sum() / dm.sum() ** 2)' "$1"
}

@test "plummer: cut short it ends at the cut, has E = -1/4 and is in balance, isotropic and not" {
    for t in 1 2 5; do
        a=$(edged $t)
        nbgen plummer -n 100k --softening 1e-4 --truncation $t -f -o p.nbs
        numbers p.nbs "$t" "$a" <<'P'
f, t, a = frames[0], float(sys.argv[2]), float(sys.argv[3])
x, n = f["pos"], len(f["pos"])
r = np.sqrt((x ** 2).sum(1))
assert abs(f["mass"].sum() - 1) < 1e-12 and abs(x.mean(0)).max() < 1e-14
assert 0.8 * t * a < r.max() < t * a + 0.02  # the centre of mass was moved
# The mean of m_j / r_ij over the bodies inside body i is their mass over its radius: W without a sum over pairs.
W, K = -((np.arange(n) + 0.5) / n / np.sort(r)).mean(), (f["vel"] ** 2).sum() / n / 2
assert abs(W + 0.5) < 0.005 and abs(2 * K / -W - 1) < 0.01, (t, K, W)
P
        nbgen plummer -n 3k --truncation $t --softening 0.1 -f -o soft.nbs
        close "$(nbstat -q --columns virial soft.nbs | tail -n 1)" 1 0.05 # of the softened forces; three standard errors
    done
    a=$(edged 2)
    short="-n 20k --softening 1e-4 --truncation 2 --radius $(awk "BEGIN { print 1 / $a }")"
    sphere edged 2 inf inf plummer $short
    sphere edged 2 inf 1 plummer $short --anisotropy-radius "$a"
}

@test "places and motions are those of King's sphere and of the isothermal one" {
    gsl
    small="-n 20k --softening 1e-4"
    sphere king 6 inf inf king $small
    sphere king 12 inf 50 king $small --w0 12 --anisotropy-radius 50
    sphere king inf 30 inf isothermal $small
}

@test "equal seeds give equal bytes on any number of threads, other seeds others" {
    for model in "hernquist --imf kroupa" "nfw --quiet-start" "hernquist --binaries 0.4 --imf salpeter" "jaffe --anisotropy-radius 1" \
        "plummer --binaries 0.4 --imf kroupa --binary-periods field --units solar --radius 1e5"; do
        nbgen $model -n 5001 --threads 1 -o one.nbs -f
        nbgen $model -n 5001 --threads 3 -o three.nbs -f
        cmp one.nbs three.nbs
        nbgen $model -n 5001 --seed 2 -o two.nbs -f
        run ! cmp -s one.nbs two.nbs
    done
}

@test "what no sphere can be is refused in a line" {
    refused 2 "--anisotropy-radius 0.1: the distribution function would be negative at the binding energy of radius" nbgen hernquist --anisotropy-radius 0.1
    refused 2 "--anisotropy-radius 0.3: the distribution function would be negative" nbgen plummer --anisotropy-radius 0.3
    refused 2 "--anisotropy-radius 0: expected a number above 0" nbgen king --anisotropy-radius 0
    refused 2 "--gamma 3: must be at least 0 and below 3" nbgen dehnen --gamma 3
    refused 2 "--gamma -1: expected a number of 0 or more" nbgen dehnen --gamma -1
    refused 2 "--gamma: no such option" nbgen hernquist --gamma 1
    refused 2 "--w0 0: expected a number above 0" nbgen king --w0 0
    refused 2 "--w0 17: must be from 0.01 to 16" nbgen king --w0 17
    refused 2 "--concentration 0.5: must be from 1 to 1000" nbgen nfw --concentration 0.5
    refused 2 "--truncation 0.5: is inside the core" nbgen hernquist --truncation 0.5
    refused 2 "--truncation 0.05: is inside the core" nbgen nfw --truncation 0.05
    refused 2 "--truncation inf: the mass of this model is infinite" nbgen nfw --truncation inf
    refused 2 "--truncation: no such option" nbgen king --truncation 3
    refused 2 "--truncation nan: expected a number above 0" nbgen isothermal --truncation nan
    refused 2 "--mass -1: expected a number above 0" nbgen jaffe --mass -1
    refused 2 "--radius 0: expected a number above 0" nbgen jaffe --radius 0
    refused 2 "--imf miller: expected kroupa or salpeter" nbgen king --imf miller
    refused 2 "--binaries 1.5: must be from 0 to 1" nbgen king --binaries 1.5
    refused 2 "--quiet-start needs single" nbgen hernquist --quiet-start --binaries 0.1
    refused 2 "--quiet-start needs single" nbgen hernquist --quiet-start --imf kroupa
    [ -z "$(ls | grep -v '^separate-stderr')" ]
}

# numbers FILE...: runs the Python of stdin with numpy as np and the first frame of each file in `frames`
numbers() {
    python <(cat <<P
import sys
import numpy as np
import nbs_reader
frames = [nbs_reader.read(open(name, "rb"))[0] for name in sys.argv[1:] if name.endswith(".nbs")]
def ks(u):
    u, n = np.sort(u), len(u)
    return max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max()) * np.sqrt(n)
$(cat)
P
    ) "$@"
}

@test "masses of stars: Kroupa's and Salpeter's shares, of the whole mass" {
    for imf in kroupa salpeter; do
        nbgen plummer -n 30k --imf $imf -o $imf.nbs
    done
    numbers kroupa.nbs salpeter.nbs <<'P'
# The number of stars below m, from the slopes: its integral on a fine grid.
m = np.exp(np.linspace(np.log(0.08), np.log(100), 200001))
for f, slope in zip(frames, (np.where(m < 0.5, 1.3, 2.3), np.full(len(m), 2.35))):
    number = m ** -slope * np.where((m >= 0.5) & (slope == 2.3), 0.5, 1)
    below = np.concatenate([[0], np.cumsum((number[1:] + number[:-1]) / 2 * np.diff(m))])
    share = f["mass"]
    assert abs(share.sum() - 1) < 1e-12
    scale = 0.08 / share.min()  # 30000 stars: the lightest is within 1e-5 of the bound
    assert ks(np.interp(share * scale, m, below / below[-1])) < 1.95
    # dwarf stars: the Sun, M4, A0 and B0
    kelvin, by_mass = f["temperature"], np.argsort(share)
    assert (np.diff(kelvin[by_mass]) >= 0).all() and kelvin.min() > 2490 and kelvin.max() <= 48000
    for solar, expected in (1, 5770), (0.23, 3210), (2.3, 9700), (17.7, 31400):
        found = np.interp(np.log(solar), np.log((share * scale)[by_mass]), kelvin[by_mass])
        assert abs(found / expected - 1) < 0.02, (solar, found)
    mean = np.interp(np.linspace(0, 1, 10 ** 6), below / below[-1], m).mean()
    assert abs(1 / len(share) / share.min() * 0.08 / mean - 1) < 0.1
    # mass tells nothing of the place
    r = np.sqrt((f["pos"] ** 2).sum(1))
    assert abs(np.corrcoef(np.argsort(np.argsort(share)), np.argsort(np.argsort(r)))[0, 1]) < 4 / np.sqrt(len(r))
P
}

@test "binaries come first, in pairs, with axes and eccentricities as documented" {
    nbgen hernquist -n 13000 --seed 2 --binaries 0.3 --imf kroupa -o h.nbs
    nbgen plummer -n 4001 --seed 2 --binaries 1 -o p.nbs
    numbers h.nbs p.nbs <<'P'
for f, pairs in zip(frames, (3000, 2000)):
    m, x, v = f["mass"], f["pos"], f["vel"]
    assert len(m) in (13000, 4001) and (f["id"] == np.arange(len(m))).all() and float(f["softening"]) == 0
    a, b = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    both, d, w = m[a] + m[b], x[b] - x[a], v[b] - v[a]
    r = np.sqrt((d ** 2).sum(1))
    axis = 1 / (2 / r - (w ** 2).sum(1) / both)
    spin = np.cross(d, w)
    e2 = 1 - (spin ** 2).sum(1) / both / axis
    # distributions, to what cancels in differences of positions
    assert ks(np.clip(np.log(axis / both / 0.2) / np.log(100), 0, 1)) < 1.95
    assert ks(np.clip(e2 / 0.81, 0, 1)) < 1.95
    normal = spin / np.sqrt((spin ** 2).sum(1))[:, None]
    for k in range(3):
        assert ks((normal[:, k] + 1) / 2) < 1.95
    # what follows are single bodies, further apart than pairs are
    rest = np.sqrt(((x[2 * pairs + 1:] - x[2 * pairs:-1]) ** 2).sum(1))
    assert len(rest) < 2 or np.median(rest) > 50 * np.median(r)
P
}

@test "a quiet start: mirrored pairs at rest, and places more even than at random" {
    nbgen hernquist -n 10000 --truncation inf --quiet-start -o h.nbs
    nbgen plummer -n 10001 --truncation inf --quiet-start -o p.nbs
    numbers h.nbs p.nbs <<'P'
for f, share in zip(frames, (lambda r: (r / (1 + r)) ** 2, lambda r: (1 + (3 * np.pi / 16 / r) ** 2) ** -1.5)):
    x, v = (f[c][:10000] - (f[c][0] + f[c][1]) / 2 for c in ("pos", "vel"))
    assert np.abs(x[::2] + x[1::2]).max() < 1e-12 * np.abs(x).max() and np.abs(v[::2] + v[1::2]).max() < 1e-12
    r = np.sqrt((x ** 2).sum(1))
    # of 5000 places; a random sample has 0.87 in the mean, and one of 40000 less than 0.3
    assert ks(share(r[::2])) < 0.15, ks(share(r[::2]))
    for k in range(3):
        assert ks((x[:, k] / r + 1) / 2) < 0.3
    # speeds are those of a sphere in balance: 2K = sum of M(r)/r, to a few standard errors of 5000
    assert abs((v ** 2).sum() / (share(r) / r).sum() - 1) < 0.05
P
}

# keeps TIME MODEL OPTION...: leapfrog with the step of the header keeps the energy to 1e-3 until TIME.
keeps() {
    local time=$1
    shift
    nbgen "$@" | nbsim -q --integrator leapfrog --until "$time" --every "$(awk "BEGIN { print $time / 4 }")" |
        nbstat --max-de 1e-3 > table || { echo "$*: $(tail -1 table)" >&2; return 1; }
    [ "$(grep -c ^stdin table)" -eq 5 ]
}

@test "with the suggested step the energy is kept to 1e-3, also in cusps and of binaries" {
    keeps 5 hernquist -n 200
    keeps 1 hernquist -n 200 --softening 0.005
    keeps 5 hernquist -n 200 --anisotropy-radius 0.25
    keeps 1 jaffe -n 200
    keeps 0.5 dehnen -n 200 --gamma 2.5
    keeps 1 nfw -n 200
    keeps 3 hernquist -n 200 --imf kroupa
    keeps 1 plummer -n 200 --quiet-start
    keeps 0.02 plummer -n 60 --binaries 0.3
}

@test "with the suggested step the energy is kept to 1e-3: king and isothermal" {
    gsl
    keeps 3 king -n 200 --imf kroupa
    keeps 20 isothermal -n 200
}

@test "steep cusps are in balance where softening holds them less" {
    for gamma in 2 2.5 2.95; do
        nbgen dehnen -n 2000 --gamma $gamma --softening 0.02 -o cusp.nbs -f
        close "$(nbstat cusp.nbs | awk -F'\t' '/^#/ { for (k = 1; k <= NF; k++) if ($k == "virial") v = k } /^cusp/ { print $v }')" 1 0.1
    done
}

#!/usr/bin/env bats
# nbgen --binary-periods: periods, eccentricities and mass ratios against the distributions of the papers.
# Kolmogorov-Smirnov: sqrt(n) times the largest difference is below 1.95, p > 0.001.
bats_require_minimum_version 1.5.0
load ../common/common

# A parsec, with room for the widest.
cluster() {
    nbgen plummer -q --imf kroupa --binaries 1 --units solar --radius 206265 "$@"
}

# pairs FILE...: runs the Python of stdin with the pairs of each file in `files`: masses m1 m2, period P in days, e
pairs() {
    python <(cat <<P
import math, sys
from types import SimpleNamespace
import numpy as np
import nbs_reader
DAYS = {"solar": 365.25, "galactic": 3.0856775814913673e16 / 86400, "gauss": 1 / 0.01720209895}  # of the unit of time
def pairs(name):
    f = nbs_reader.read(open(name, "rb"))[0]
    (m1, m2), (x1, x2), (v1, v2) = ((f[c][0::2], f[c][1::2]) for c in ("mass", "pos", "vel"))
    d, w, M = x2 - x1, v2 - v1, float(f["G"]) * (m1 + m2)
    r = np.sqrt((d * d).sum(1))
    a = 1 / (2 / r - (w * w).sum(1) / M)
    e = np.sqrt((1 - r / a) ** 2 + (d * w).sum(1) ** 2 / M / a)
    P = 2 * np.pi * np.sqrt(a**3 / M) * DAYS[f["units"]]
    return SimpleNamespace(m1=m1, m2=m2, a=a, e=e, P=P, dt=float(f["dt"]))
files = [pairs(name) for name in sys.argv[1:]]
def uniform(u, least=0):
    u, n = np.sort(u), len(u)
    assert n > least and u[0] > -1e-4 and u[-1] < 1 + 1e-4, (n, u[0], u[-1])
    d = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max()) * np.sqrt(n)
    assert d < 1.95, (n, d)
bell = np.vectorize(lambda x, mean, sigma: (1 + math.erf((x - mean) / sigma / math.sqrt(2))) / 2)
def between(x, low, high, mean, sigma):
    low, high = bell(low, mean, sigma), bell(high, mean, sigma)
    return (bell(x, mean, sigma) - low) / (high - low)
most = lambda P: 1 - np.maximum(P / 2, 1) ** (-2 / 3)
def duquennoy(p):
    uniform(between(np.log10(p.P), 0, 10, 4.8, 2.3), 3000)
    assert p.e[p.P <= 11].max() < 1e-5 and (p.P <= 11).sum() > 50
    for some in (p.P > 11) & (p.P <= 1000), p.P > 1000:
        P, e = p.P[some], p.e[some]
        uniform(between(e, 0, most(P), 0.31, 0.15) if P.max() < 1e4 else (e / most(P)) ** 2, 500)
def sana(p, least):
    x = np.log10(p.P)
    uniform((x**0.45 - 0.15**0.45) / (3.5**0.45 - 0.15**0.45), least)
    assert p.e[p.P <= 2].max() < 1e-5
    P, e = p.P[p.P > 2.01], p.e[p.P > 2.01]
    uniform((e / np.minimum(0.9, most(P))) ** 0.55, least // 2)
    wide = p.P > 64  # where e may be up to 0.9
    uniform((p.e[wide] / 0.9) ** 0.55)
$(cat)
P
    ) "$@"
}

@test "periods of stars like the Sun: log-normal, circles, a bell and thermal eccentricities" {
    cluster -n 8k --binary-periods duquennoy -o d.nbs
    pairs d.nbs <<'P'
p, = files
duquennoy(p)
year = 365.25
assert abs(p.dt / (0.02 / 2 / np.pi / year) - 1) < 1e-9  # of a circle of a day
assert 0.08 <= min(p.m1.min(), p.m2.min()) and 0.4 < np.mean([p.m1, p.m2]) < 0.7  # solar masses
P
}

@test "periods of massive stars: power laws, and mass ratios from 0.1 on" {
    cluster -n 8k --binary-periods sana -o s.nbs
    pairs s.nbs <<'P'
p, = files
sana(p, 3000)
q, some = p.m2 / p.m1, p.m1 >= 0.8
uniform((q[some] - 0.1) / 0.9, 300)
assert q.max() <= 1 and p.m2.min() >= 0.08 - 1e-12
P
}

@test "field: by the mass of the primary, which comes first" {
    cluster -n 60k --binary-periods field -o f.nbs
    pairs f.nbs <<'P'
p, = files
massive = p.m1 >= 5
assert (p.m1 >= p.m2).all() and massive.sum() > 200
some = lambda mask: SimpleNamespace(**{k: v[mask] for k, v in vars(p).items() if k != "dt"})
duquennoy(some(~massive))
sana(some(massive), 200)
uniform((p.m2[massive] / p.m1[massive] - 0.1) / 0.9)
P
}

@test "periods are those days in any units; equal masses have them too" {
    cluster -n 200 --binary-periods field -o solar.nbs
    nbgen plummer -q --imf kroupa --binaries 1 --units galactic --radius 1e-3 -n 200 --binary-periods field -o galactic.nbs
    nbgen plummer -q --binaries 1 --units galactic --radius 1e-3 --mass 4e-7 -n 4k --binary-periods duquennoy -o equal.nbs
    nbgen plummer -q --binaries 1 --units gauss --radius 1e5 --mass 200 -n 20 --binary-periods field -o heavy.nbs
    pairs solar.nbs galactic.nbs equal.nbs heavy.nbs <<'P'
solar, galactic, equal, heavy = files
assert np.allclose(solar.P, galactic.P, rtol=1e-6) and np.allclose(solar.e, galactic.e, atol=1e-6)
assert np.allclose(solar.m1, 1e10 * galactic.m1, rtol=1e-9)
assert np.ptp(equal.m1) == 0
uniform(between(np.log10(equal.P), 0, 10, 4.8, 2.3))
assert (heavy.m1 == heavy.m2).all() and heavy.P.max() < 3200 # of 10 solar masses each
P
}

@test "periods in days need units with sizes, and room" {
    refused 2 "--binary-periods sana: periods are in days, but code units have no size (give --units galactic, solar or gauss)" nbgen plummer --binaries 0.5 --binary-periods sana
    refused 2 "--mass: not allowed with --imf and --binary-periods field, because the total mass is then the sum of the stars' masses (remove --mass)" nbgen king --binaries 0.5 --imf kroupa --binary-periods field --units solar --mass 100
    refused 2 "--radius 1: less than the semi-major axis of the median binary of --binary-periods duquennoy, 3" nbgen plummer --imf kroupa --binaries 0.5 --binary-periods duquennoy --units solar
    refused 2 "--binary-periods needs --binaries" nbgen plummer --binary-periods flat
    refused 2 "--binary-periods opik: expected flat, duquennoy, sana or field" nbgen plummer --binaries 0.1 --binary-periods opik
    [ -z "$(ls | grep -v '^separate-stderr')" ]
}

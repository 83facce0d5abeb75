#!/usr/bin/env bats
# nbgen plummer and uniform: statistics compared with theory. Streams are read with tests/common/nbs_reader.py, which
# shares no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common
load models

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
    refused 2 "--truncation 0.5: must be at least 1, or inf" nbgen plummer --truncation 0.5
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

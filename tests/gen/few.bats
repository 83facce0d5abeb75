#!/usr/bin/env bats
# nbgen for systems of a few bodies: kepler, figure8, pythagorean, lagrange, solar and outer-solar, compared with
# references. Streams are read with tests/common/nbs_reader.py, which shares no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common
load models

@test "kepler: exactly at pericentre, any mass ratio, any scale" {
    nbgen kepler -e 0.5 -o half.nbs
    nbgen kepler -e 0.9 --mass-ratio 0.001 --semi-major 4 --units solar -o unequal.nbs
    nbgen kepler -o circle.nbs
    nbgen kepler --mass 8 -e 0.5 --semi-major 2 --mass-ratio 3 -o heavy.nbs
    nbgen kepler --mass 2 --units solar -o stars.nbs
    check half.nbs unequal.nbs circle.nbs heavy.nbs stars.nbs <<'P'
half, unequal, circle, heavy, stars = frames
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
# Vis-viva at pericentre: v^2 = G M (1 + e)/(a (1 - e)), and the energy -G m1 m2/(2 a).
assert np.allclose(heavy["mass"], [2, 6], rtol=1e-15) and np.abs(centre(heavy)).max() < 1e-14
assert np.allclose(relative(heavy, "pos"), [1, 0, 0], rtol=1e-14)
assert np.allclose(relative(heavy, "vel"), [0, sqrt(8 / 2 * 1.5 / 0.5), 0], rtol=1e-14)
assert abs(kinetic(heavy) + potential(heavy) + 2 * 6 / 4) < 1e-13
assert np.allclose(stars["mass"], 1, rtol=1e-15)
assert np.allclose(relative(stars, "vel"), [0, sqrt(2 * stars["G"]), 0], rtol=1e-14)
for f in frames: # 0.02 of distance over speed, as nbgen(1) says
    assert abs(float(f["dt"]) / (0.02 * norm(relative(f, "pos")) / norm(relative(f, "vel"))) - 1) < 1e-14
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

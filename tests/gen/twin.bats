#!/usr/bin/env bats
# nbgen twin compared with its recipe, and its evolution with a heavy and with a light central body.
bats_require_minimum_version 1.5.0
load ../common/common
load models

@test "two galaxies: every star where and as fast as the recipe says, the centres too" {
    nbgen twin -n 40001 --central-mass 0.1 -o light.nbs
    nbgen twin -n 40k --central-mass 0.999 --seed 5 -o heavy.nbs
    check light.nbs heavy.nbs <<'P'
for f, share in zip(frames, (0.1, 0.999)):
    assert f["G"] == 1 and abs(f["mass"].sum() - 2000) < 1e-9
    assert (np.sort(f["galaxy"]) == f["galaxy"]).all() and f["galaxy"].dtype == np.uint8
    assert abs((f["galaxy"] == 0).sum() - len(f["mass"]) / 2) < 1
    drawn = []
    for g in 0, 1:
        mine = np.flatnonzero(f["galaxy"] == g)
        hole, stars = mine[0], mine[1:]
        pos, vel = centre(f, mine)
        side = 2 * g - 1
        assert np.abs(pos - [50 * side, 0, 0]).max() < 1e-10 and np.abs(vel - [0, 1.0541 * side, 0]).max() < 1e-12
        assert f["component"][hole] == 5 and (f["component"][stars] == 4).all()
        assert abs(f["mass"][hole] - 1000 * share) < 1e-9
        assert np.allclose(f["mass"][stars], 1000 * (1 - share) / len(stars), rtol=1e-12)
        # A galaxy moves as a whole: its stars about its central body
        x, v, n = f["pos"][stars] - f["pos"][hole], f["vel"][stars] - f["vel"][hole], len(stars)
        before = x / [1, 1, 0.3]
        r, R = norm(x, axis=1), norm(before, axis=1)
        assert R.max() < 50 * (1 + 1e-12) and ks(np.minimum((R / 50) ** 3, 1)) < 1.95
        assert ks(before[:, 2] / R / 2 + 0.5) < 1.95
        assert ks(np.arctan2(before[:, 1], before[:, 0]) / (2 * pi) + 0.5) < 1.95
        inside = 1000 * (share + (1 - share) * (r / 50) ** 3)
        assert np.allclose((v**2).sum(1), inside / r, rtol=1e-9)
        assert np.abs(v[:, 2]).max() < 1e-12 and np.abs((x * v).sum(1) / r / norm(v, axis=1)).max() < 1e-9
        assert (np.cross(x, v)[:, 2] > 0).all()
        drawn.append(before[:19999])
    assert np.corrcoef(drawn[0].ravel(), drawn[1].ravel())[0, 1] < 5 / sqrt(60000)
P
}

@test "one galaxy rests at the origin; mass, radius and units are what scales it" {
    nbgen twin --galaxies 1 -n 1k -o one.nbs
    nbgen twin --galaxies 1 -n 1k --mass 20 --radius 8 --units galactic -o kpc.nbs
    check one.nbs kpc.nbs <<'P'
one, kpc = frames
assert not one["galaxy"].any() and np.abs(centre(one)).max() < 1e-12 and abs(one["mass"][0] - 990) < 1e-10
assert np.allclose(kpc["pos"], one["pos"] * 8 / 50, rtol=1e-12) and np.allclose(kpc["mass"], one["mass"] / 50, rtol=1e-12)
assert np.allclose(kpc["vel"], one["vel"] * sqrt(kpc["G"] * 20 / 8 / (1000 / 50)), rtol=1e-12)
assert abs(kpc["softening"] / one["softening"] * 50 / 8 - 1) < 1e-12
# a turn of the edge, 70.2, follows mass and radius
turns = [2 * pi * sqrt(R**3 / f["G"] / M) for f, R, M in ((one, 50, 1000), (kpc, 8, 20))]
assert abs(turns[0] - 70.2) < 0.06 and abs(kpc["dt"] / one["dt"] - turns[1] / turns[0]) < 1e-12
P
}

@test "--preset study: a central mass of 0.999 and no softening, but what is given beside it" {
    nbgen twin -n 512 --preset study -o study.nbs
    nbgen twin -n 512 --central-mass 0.999 --softening 0 -o words.nbs
    nbgen twin -n 512 --softening 0.5 --preset study --central-mass 0.5 -o mixed.nbs
    nbgen twin -n 512 --preset plain -o plain.nbs
    nbgen twin -n 512 -o usual.nbs
    check study.nbs words.nbs mixed.nbs plain.nbs usual.nbs <<'P'
study, words, mixed, plain, usual = frames
for a, b in (study, words), (plain, usual):
    assert all((a[key] == b[key]).all() for key in ("mass", "pos", "vel"))
    assert (a["softening"], a["dt"]) == (b["softening"], b["dt"])
assert study["softening"] == 0 and abs(study["mass"][0] - 999) < 1e-9
assert mixed["softening"] == 0.5 and abs(mixed["mass"][0] - 500) < 1e-9
assert plain["softening"] == 1 and abs(plain["mass"][0] - 990) < 1e-9
P
    refused 2 "--preset other: expected plain or study" nbgen twin --preset other
}

@test "equal bytes for any number of threads, other stars for another seed" {
    for threads in 1 2 5; do nbgen twin -n 10007 --threads $threads -o $threads.nbs; done
    cmp 1.nbs 2.nbs
    cmp 1.nbs 5.nbs
    nbgen twin -n 10007 --seed 2 -o other.nbs
    nbgen twin -n 10007 --central-mass 0.2 -o share.nbs
    check 1.nbs other.nbs share.nbs <<'P'
a, other, share = frames
assert (a["pos"] != other["pos"]).mean() > 0.99
move = a["pos"] - share["pos"]  # the centre of mass is elsewhere, no star is another
assert np.abs(move[:5000] - move[0]).max() < 1e-10 and np.abs(move[5004:] - move[5004]).max() < 1e-10
P
}

@test "what makes no sense is refused in a line" {
    refused 2 "--galaxies 3: expected 1 or 2" nbgen twin --galaxies 3
    refused 2 "--galaxies 0: expected 1 or 2" nbgen twin --galaxies 0
    refused 2 "--galaxies 1.0: expected 1 or 2" nbgen twin --galaxies 1.0
    for share in 0 -0.1 nan x; do
        refused 2 "--central-mass $share: expected a number above 0" nbgen twin --central-mass "$share"
    done
    for share in 1 99; do
        refused 2 "--central-mass $share: must be above 0 and below 1" nbgen twin --central-mass "$share"
    done
    refused 2 "--bodies 3: two galaxies need at least" nbgen twin -n 3
    refused 2 "--bodies 1: twin needs at least 2" nbgen twin -n 1 --galaxies 1
    refused 2 "--mass 0: expected a number above 0" nbgen twin --mass 0
    for n in 4 5; do nbgen twin -n $n | nbstat >/dev/null; done
    nbgen twin -n 2 --galaxies 1 | nbstat >/dev/null
}

# advance UNTIL ARGUMENT...: nbgen ARGUMENT... and what leapfrog makes of it, in run.nbs, by the header's step
advance() {
    local until=$1
    shift
    nbgen "$@" -q | nbsim -q --device cpu --threads 1 --integrator leapfrog --write phi --until "$until" \
        --every "$(awk -v t="$until" 'BEGIN { print t / 20 }')" -f -o run.nbs
}

# bats test_tags=long
@test "99 % of the mass in the centre: the stars' half-mass radius stays within 5 % for ten turns of the edge" {
    advance 702.5 twin --galaxies 1 --central-mass 0.99 -n 300
    after <<'P' >&3
assert half_mass < 0.05 and energy < 1e-3 and unbound == 0
P
    advance 62.9 disk --central-mass 0.99 -n 300
    after <<'P' >&3
assert half_mass < 0.05 and energy < 1e-3 and unbound == 0
P
}

# bats test_tags=long
@test "10 % of the mass in the centre: a thousand stars break up in three turns, and some leave; 99 % keep them" {
    advance 210.7 twin --galaxies 1 --central-mass 0.1 -n 1001
    after <<'P' >&3
assert energy < 1e-3 and modes > 0.2 and radial > 0.3 and 0.01 < unbound < 0.15
P
    advance 210.7 twin --galaxies 1 --central-mass 0.99 -n 1001
    after <<'P' >&3
assert energy < 1e-3 and modes < 0.15 and radial < 0.1 and unbound == 0
P
}

@test "two galaxies meet: the energy holds for each share of the centres" {
    for share in 0.999 0.99 0.1; do
        advance 210.7 twin --central-mass $share -n 100
        after <<'P' >&3
assert energy < 1e-3
P
    done
}

@test "a quiet start of disks: six stars each about the axis, mirrored in the plane, at radii in equal shares" {
    nbgen disk -n 6001 --quiet-start -o disk.nbs
    nbgen disk -n 6000 --central-mass 0 --quiet-start --toomre 1 -q -o bare.nbs
    nbgen twin -n 6001 --galaxies 1 --quiet-start -o twin.nbs
    nbgen collision -n 3002 --quiet-start --incline1 0,0 --incline2 0,0 -q -o two.nbs
    nbgen disk -n 60k -q -o noisy.nbs
    check disk.nbs bare.nbs twin.nbs two.nbs noisy.nbs <<'P'
disk, bare, twin, two, noisy = frames
def groups(f, stars):
    x, v = f["pos"][stars], f["vel"][stars]
    shift = f["pos"][stars.start - 1], f["vel"][stars.start - 1]  # of the central body
    x, v = (x - shift[0], v - shift[1]) if stars.start else (x, v)
    return (w.reshape(-1, 6, 3) for w in (x, v))
for f, stars in (disk, slice(1, 6001)), (bare, slice(0, 6000)), (twin, slice(1, 6001)), (two, slice(1, 1501)):
    x, v = groups(f, stars)
    R = norm(x[:, :, :2], axis=2)
    assert np.abs(R / R[:, :1] - 1).max() < 1e-9
    turn = np.diff(np.unwrap(np.arctan2(x[:, :, 1], x[:, :, 0])), axis=1)
    assert np.abs(turn - pi / 3).max() < 1e-8
    for w in (x, v):  # the plane's mirror
        assert np.abs(w[:, ::2, 2] - w[:, :1, 2]).max() < 1e-12 and np.abs(w[:, 1::2, 2] + w[:, :1, 2]).max() < 1e-12
    along = (x[:, :, 0] * v[:, :, 1] - x[:, :, 1] * v[:, :, 0]) / R
    assert np.abs(along - along[:, :1]).max() < 1e-9 and (along[:, 0] > 0).mean() > 0.95
    assert np.abs(x.mean((0, 1))).max() < 1e-10 and np.abs(v.mean((0, 1))).max() < 1e-10
    for m in 1, 2, 3, 4, 5:
        assert np.abs(np.exp(1j * m * np.arctan2(x[:, :, 1], x[:, :, 0])).mean()) < 1e-9
# radii of a sixth of the stars are nearer to the profile than those of all can be at random
h, inner = 0.25, 0.01
below = lambda R: -np.expm1(np.log1p(R / h) - R / h)
R = norm(disk["pos"][1:, :2] - disk["pos"][0, :2], axis=1)[::6]
share = (below(R) - below(inner)) / (below(1) - below(inner))
assert ks(share) < 0.05, ks(share)
angles = np.sort(np.arctan2(*(disk["pos"][1::6, k] - disk["pos"][0, k] for k in (1, 0))) / (2 * pi) + 0.5)
assert ks(angles) < 1.95
# velocities are those of any such disk: means and dispersions of a tenth in the middle
def motion(f):
    x, v = f["pos"][1:] - f["pos"][0], f["vel"][1:] - f["vel"][0]
    R = norm(x[:, :2], axis=1)
    s = (R > 0.3) & (R < 0.35)
    out = (x * v)[s, :2].sum(1) / R[s]
    along = (x[s, 0] * v[s, 1] - x[s, 1] * v[s, 0]) / R[s]
    return np.array([along.mean(), along.std(), out.std(), v[s, 2].std(), x[s, 2].std()])
assert np.abs(motion(disk) / motion(noisy) - 1).max() < 0.2
r = norm((twin["pos"][1:] - twin["pos"][0]) / [1, 1, 0.3], axis=1)[::6] / 50
assert ks(r**3) < 0.05
z = ((twin["pos"][1:, 2] - twin["pos"][0, 2]) / 0.3 / 50)[::6] / r
assert ks(np.clip(z / 2 + 0.5, 0, 1)) < 0.3
P
    for threads in 1 3; do nbgen disk -n 5003 --quiet-start --threads $threads -o $threads.nbs; done
    cmp 1.nbs 3.nbs
    nbgen disk -n 5003 --quiet-start --seed 2 -o other.nbs
    run ! cmp -s 1.nbs other.nbs
    for n in 2 3 7; do nbgen disk -n $n --quiet-start -q | nbstat -q >/dev/null; done
}

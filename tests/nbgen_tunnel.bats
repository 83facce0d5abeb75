#!/usr/bin/env bats
# nbgen windtunnel: profiles, places and velocities against formulas and brute force.
bats_require_minimum_version 1.5.0
load common
load models

# scene FILE...: as check, with walls(f), {name: points}, and numbers(f, key) of the header's line.
scene() {
    check "$@" <<P
def numbers(f, key):
    (line,) = f[key]
    return [float(w) for w in line.split()]

def walls(f):
    found = {}
    for line in f.get("wall", []):
        name, *xy = line.split()
        found[name] = np.array([float(w) for w in xy]).reshape(-1, 2)
    return found

def inside(polygon, p):
    "By the crossings of a ray, even and odd."
    odd = np.zeros(len(p), bool)
    for a, b in zip(polygon[:-1], polygon[1:]):
        if a[1] != b[1]:
            odd ^= ((a[1] <= p[:, 1]) != (b[1] <= p[:, 1])) & (
                p[:, 0] < a[0] + (p[:, 1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
    return odd

def distance(line, p):
    least = np.full(len(p), np.inf)
    for a, b in zip(line[:-1], line[1:]):
        t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        least = np.minimum(least, norm(p - a - t[:, None] * (b - a), axis=1))
    return least

def nearest(p, period):
    "Of each point to any other, by all pairs."
    least = np.full(len(p), np.inf)
    for i in range(1, len(p)):
        d = np.abs(p[:i] - p[i])
        for k in range(2):
            if period[k]:
                d[:, k] = np.minimum(d[:, k], period[k] - d[:, k])
        s = np.hypot(d[:, 0], d[:, 1])
        least[i] = min(least[i], s.min())
        least[:i] = np.minimum(least[:i], s)
    return least.min()

def area(polygon):
    x, y = polygon.T
    return (x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2
$(cat)
P
}

@test "the header: lines of the scene, no gravity, no units" {
    nbgen windtunnel -n 1000 --airfoil naca2412 --alpha 8 -o a.nbs
    nbgen windtunnel -n 1000 --box -1,5,-3,2 --density 3 --speed 2 --mach 1.5 --chord 0.5 --sides periodic --airfoil none -o b.nbs
    scene a.nbs b.nbs <<'P'
a, b = frames
assert a["G"] == 0 and a["softening"] == 0 and a["dt"] > 0 and a["units"] == "code" and a["length_cgs"] == 0
assert numbers(a, "box") == [-2, 6, -2.5, 2.5] and numbers(a, "flow") == [1, 1, 2, 1] and a["periodic"] == ["x"]
assert list(walls(a)) == ["body", "bottom", "top"]
assert (walls(a)["bottom"] == [[-2, -2.5], [6, -2.5]]).all() and (walls(a)["top"] == [[-2, 2.5], [6, 2.5]]).all()
assert numbers(b, "box") == [-1, 5, -3, 2] and numbers(b, "flow") == [3, 2, 1.5, 0.5] and b["periodic"] == ["xy"]
assert not walls(b)
for f in frames:
    k, damping, r = numbers(f, "contact")
    rho, speed, mach, chord = numbers(f, "flow")
    x0, x1, y0, y1 = numbers(f, "box")
    room = (x1 - x0) * (y1 - y0) - (area(walls(f)["body"]) if walls(f) else 0)
    m = f["mass"][0]
    assert abs(pi * r * r * 1000 / room - 0.1) < 1e-12, "share of the area"
    assert (f["mass"] == m).all() and abs(m * 1000 / room / rho - 1) < 1e-12, "density"
    assert damping == 0
    # p = (mass density) sigma^2 Z, c^2 = dp/drho at constant entropy, by differences along the adiabat of a gas of
    # two degrees of freedom: d(sigma^2)/sigma^2 = Z dn/n
    Z = lambda F: (1 + F * F / 8) / (1 - F) ** 2
    h, sigma2 = 1e-5, 1.0
    p = lambda x: x * Z(0.1 * x) * sigma2 * (1 + Z(0.1) * (x - 1))
    sound = sqrt((p(1 + h) - p(1 - h)) / (2 * h))
    sigma = speed / mach / sound
    assert abs(f["vel"][:, 0].std() / sigma - 1) < 0.15
    v = speed + 5 * sigma
    assert abs(m * v * v / (k * r * r) - 1) < 1e-6, "at that speed a disk comes to rest at the depth r"
    assert abs(f["dt"] / min(pi * sqrt(m / 2 / k) / 25, 0.1 * r / v) - 1) < 1e-6
    assert (f["pos"][:, 2] == 0).all() and (f["vel"][:, 2] == 0).all() and (f["component"] == 7).all()
    assert (f["id"] == np.arange(1000)).all()
P
}

@test "no two disks touch at the start, none touches a wall or is inside the body, any number of them" {
    k=0
    for options in "-n 4000 --airfoil naca2412 --alpha 8" "-n 3999 --airfoil wedge --alpha -30" "-n 1501 --airfoil cylinder --fraction 0.5" \
        "-n 1 --fraction 0.01" "-n 17 --airfoil plate --alpha 90" "-n 2500 --airfoil naca23012 --sides periodic --alpha 45" "-n 3001 --airfoil none --sides periodic --fraction 0.6"; do
        nbgen windtunnel $options --seed $((++k)) -o $k.nbs
    done
    scene [1-7].nbs <<'P'
for f, n in zip(frames, (4000, 3999, 1501, 1, 17, 2500, 3001)):
    x0, x1, y0, y1 = numbers(f, "box")
    r, p = numbers(f, "contact")[2], f["pos"][:, :2]
    assert len(p) == n and (p[:, 0] >= x0).all() and (p[:, 0] < x1).all() and (p[:, 1] >= y0).all() and (p[:, 1] < y1).all()
    if n > 1:
        gap = nearest(p, (x1 - x0, y1 - y0 if f["periodic"] == ["xy"] else 0))
        assert gap >= 2 * r, (n, gap / r)
    for name, wall in walls(f).items():
        assert distance(wall, p).min() >= r, (n, name)
    if "body" in walls(f):
        assert not inside(walls(f)["body"], p).any()
P
}

@test "density: the same everywhere" {
    nbgen windtunnel -n 200k --airfoil naca2412 --alpha 8 -o a.nbs
    scene a.nbs <<'P'
(f,) = frames
x, y = f["pos"][:, 0], f["pos"][:, 1]
n = f["mass"][0] ** -1
for where, room in ((x < -0.5, 1.5 * 5), (x > 2, 4 * 5), ((abs(x - 0.5) < 1) & (y > 0.5), 2 * 2), ((abs(x - 0.5) < 1) & (y < -0.5), 2 * 2)):
    assert abs(where.sum() / n / room - 1) < 0.01, (where.sum() / n / room)
# beside the body: what its surroundings hold is what they have room for, but for a rim where no centre can be
near = (abs(x - 0.5) < 0.7) & (abs(y) < 0.4)
assert 0.97 < near.sum() / n / (1.4 * 0.8 - area(walls(f)["body"])) < 1
P
}

@test "velocities: Maxwellian about the speed of the flow" {
    nbgen windtunnel -n 100k --speed 3 --mach 2.5 --fraction 0.3 --density 7 -o a.nbs
    check a.nbs <<'P'
from math import erf
(f,) = frames
Z, dZ = (1 + 0.3**2 / 8) / 0.7**2, 0.3 / 4 / 0.7**2 + 2 * (1 + 0.3**2 / 8) / 0.7**3
sigma = 3 / 2.5 / sqrt(Z + 0.3 * dZ + Z * Z)
for k, mean in ((0, 3), (1, 0)):
    v = (f["vel"][:, k] - mean) / sigma
    sure(v.mean(), 0, 1, len(v))
    sure((v**2).mean(), 1, sqrt(2), len(v))
    sure((v**4).mean(), 3, sqrt(96), len(v))
    assert ks([(1 + erf(w / sqrt(2))) / 2 for w in v]) < 1.95
sure((f["vel"][:, 0] * f["vel"][:, 1]).mean(), 0, 3 * sigma, len(v))
assert abs(np.corrcoef(f["vel"][:, 0], f["pos"][:, 0])[0, 1]) < 5 / sqrt(len(v))
P
}

@test "equal bytes for any number of threads; the seed matters" {
    for threads in 1 3; do nbgen windtunnel -n 70001 --airfoil naca4415 --alpha 12 --threads $threads -o $threads.nbs; done
    cmp 1.nbs 3.nbs
    nbgen windtunnel -n 70001 --airfoil naca4415 --alpha 12 --seed 2 -o other.nbs
    run ! cmp -s 1.nbs other.nbs
}

@test "what is no tunnel is refused in a line" {
    refused 2 "--airfoil boeing: neither a file nor naca" windtunnel --airfoil boeing
    refused 2 "--airfoil naca12: it has 4 or 5 digits" windtunnel --airfoil naca12
    refused 2 "--airfoil naca2012: its camber has no place" windtunnel --airfoil naca2012
    refused 2 "--airfoil naca2400: a profile without thickness" windtunnel --airfoil naca2400
    for digits in 26012 21112 23212 03012; do
        refused 2 "--airfoil naca$digits: the mean lines of five digits" windtunnel --airfoil naca$digits
    done
    refused 2 "--alpha 181: not from -180 to 180" windtunnel --alpha 181
    refused 2 "--alpha nan: not a" windtunnel --alpha nan
    refused 2 "--fraction 0.7: more than 0.6" windtunnel --fraction 0.7
    refused 2 "--fraction 0: not a" windtunnel --fraction 0
    refused 2 "--box 1,2,3: not 4 numbers X0,X1,Y0,Y1" windtunnel --box 1,2,3
    refused 2 "--box 1,nan,3,4: not 4 numbers" windtunnel --box 1,nan,3,4
    refused 2 "--box 1,1,0,4: it ends before it begins" windtunnel --box 1,1,0,4
    refused 2 "--sides open: not walls or periodic" windtunnel --sides open
    refused 2 "--points 7: not from 8 to 10000" windtunnel --points 7
    refused 2 "--restitution 1.1: disks do not" windtunnel --restitution 1.1
    refused 2 "--units: no such option" windtunnel --units solar
    refused 2 "--mass: no such option" windtunnel --mass 2
    refused 2 "out of range" windtunnel --density 1e300 --speed 1e200
    # walls that disks cannot be among
    refused 2 "the box is periodic along x and narrower than four disks" windtunnel -n 2 --fraction 0.6 --airfoil none
    refused 2 "wall body: point 0, (7, 0), is outside of the box" windtunnel --chord 7
    refused 2 "walls body and top leave a gap of 0.1" windtunnel -n 100 --airfoil plate --alpha 90 --box -2,6,-1,0.6
    printf '0 0\n1 0\n0.5 0.5\n0.5 -0.5\n0 0\n' >eight.dat
    refused 2 "wall body crosses itself" windtunnel --airfoil eight.dat
}

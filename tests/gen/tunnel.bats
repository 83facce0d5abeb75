#!/usr/bin/env bats
# nbgen windtunnel and granular: profiles, positions, velocities and contacts compared with formulas and brute force.
bats_require_minimum_version 1.5.0
load ../common/common
load models

# scene FILE...: as check, with walls(f), {name: points}, and numbers(f, key) of the header's line.
scene() {
    check "$@" <<P
from disks import effective

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

def room(f):
    x0, x1, y0, y1 = numbers(f, "box")
    return (x1 - x0) * (y1 - y0) - (area(walls(f)["body"]) if "body" in walls(f) else 0)

def filling(f):
    "How many disks fill the tunnel: those after them are the reserve."
    n = numbers(f, "flow")[0] * room(f) / f["mass"][0]
    assert abs(n - round(n)) < 1e-9 * n
    return round(n)
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
    m, n = f["mass"][0], filling(f)
    assert n == 1000 if f is b else 900 < n < 980
    assert abs(pi * r * r * n / room(f) - 0.1) < 1e-12, "share of the area"
    assert (f["mass"] == m).all()
    assert damping == 0
    # p = (mass density) sigma^2 Z, c^2 = dp/drho at constant entropy, by differences along the adiabat of a gas of
    # two degrees of freedom: d(sigma^2)/sigma^2 = Z dn/n; of hard disks of the effective radius
    sigma = (r * sqrt(k / m) - speed) / 5
    F = 0.1 * (effective(r, m, k, sigma) / r) ** 2
    Z = lambda F: (1 + F * F / 8) / (1 - F) ** 2
    h, sigma2 = 1e-5, 1.0
    p = lambda x: x * Z(F * x) * sigma2 * (1 + Z(F) * (x - 1))
    sound = sqrt((p(1 + h) - p(1 - h)) / (2 * h))
    assert abs(speed / sigma / sound / mach - 1) < 1e-5
    assert abs(f["vel"][:, 0].std() / sigma - 1) < 0.15
    v = speed + 5 * sigma
    assert abs(m * v * v / (k * r * r) - 1) < 1e-6, "at that speed a disk comes to rest at the depth r"
    assert abs(f["dt"] / min(pi * sqrt(m / 2 / k) / 25, 0.1 * r / v) - 1) < 1e-6
    assert (f["pos"][:, 2] == 0).all() and (f["vel"][:, 2] == 0).all() and (f["component"] == 7).all()
    assert (f["id"] == np.arange(1000)).all()
P
}

@test "no two disks touch at the start but for the reserve, none touches a wall or is inside the body, any number of them" {
    k=0
    for options in "-n 4000 --airfoil naca2412 --alpha 8" "-n 3999 --airfoil wedge --alpha -30" "-n 1501 --airfoil cylinder --fraction 0.5" \
        "-n 1 --fraction 0.01" "-n 17 --airfoil plate --alpha 90" "-n 2500 --airfoil naca23012 --sides periodic --alpha 45" "-n 3001 --airfoil none --sides periodic --fraction 0.6"; do
        nbgen windtunnel $options --seed $((++k)) -o $k.nbs
    done
    scene [1-7].nbs <<'P'
for f, n in zip(frames, (4000, 3999, 1501, 1, 17, 2500, 3001)):
    x0, x1, y0, y1 = numbers(f, "box")
    r, p = numbers(f, "contact")[2], f["pos"][:, :2]
    p = p[: filling(f)]
    assert len(f["pos"]) == n and (p[:, 0] >= x0).all() and (p[:, 0] < x1).all() and (p[:, 1] >= y0).all() and (p[:, 1] < y1).all()
    if len(p) > 1:
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
x, y = f["pos"][: filling(f), 0], f["pos"][: filling(f), 1]
n = f["mass"][0] ** -1
for where, room in ((x < -0.5, 1.5 * 5), (x > 2, 4 * 5), ((abs(x - 0.5) < 1) & (y > 0.5), 2 * 2), ((abs(x - 0.5) < 1) & (y < -0.5), 2 * 2)):
    assert abs(where.sum() / n / room - 1) < 0.01, (where.sum() / n / room)
# beside the body: what its surroundings hold is what they have room for, but for a rim where no centre can be
near = (abs(x - 0.5) < 0.7) & (abs(y) < 0.4)
assert 0.97 < near.sum() / n / (1.4 * 0.8 - area(walls(f)["body"])) < 1
P
}

@test "the reserve: as much as asked for, everywhere in the inlet's chamber" {
    nbgen windtunnel -n 120k --airfoil plate --alpha 90 --chord 0.4 --reserve 0.2 -o a.nbs
    k=0
    for shape in none "wedge --alpha 180" cylinder "plate --alpha 90"; do
        # shellcheck disable=SC2086
        nbgen windtunnel -n 10k --chord 0.4 --airfoil $shape -o $((++k)).nbs
    done
    scene a.nbs [1-4].nbs <<'P'
f, *shapes = frames
n = filling(f)
assert n == 100000
r, (x, y) = numbers(f, "contact")[2], f["pos"][n:, :2].T
for place in (x + 1.92) / 0.4, (y + 2.5 - r) / (5 - 2 * r):  # from a tenth to six tenths of the fringe, -2 to -1.2
    assert ((place >= 0) & (place < 1)).all() and ks(list(place)) < 1.95
assert abs(np.corrcoef(x, y)[0, 1]) < 5 / sqrt(len(x)) and (f["pos"][:, 2] == 0).all()
# the body's share of the height, twice and by its drag in Newton's flow: 0, sin^2 of a base and two sides, 4/3, 2
height = 0.4 / 5
wedge = 2 * np.tan(pi / 18)
for g, usual in zip(shapes, (0, (2 + 2) * height * wedge, (2 + 4 / 3) * height, (2 + 2) * height)):
    assert abs((10000 - filling(g)) / filling(g) - usual) < 0.01 * usual + 1e-4, (usual, filling(g))
P
    run -2 --separate-stderr nbgen windtunnel --reserve 1.5
    [[ "$stderr" == "nbgen: --reserve 1.5: must be from 0 to 1"* ]]
    run -2 nbgen windtunnel --reserve -0.1
}

@test "velocities: Maxwellian about the speed of the flow" {
    nbgen windtunnel -n 100k --speed 3 --mach 2.5 --fraction 0.3 --density 7 -o a.nbs
    check a.nbs <<'P'
from math import erf
from disks import dispersion
(f,) = frames
sigma = dispersion(2.5, 1, 0.3, 3)
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

# ---- profiles ----

@test "NACA profiles of four and five digits have the ordinates of the reports" {
    for digits in 0012 2412 4415 23012 24112 44021; do nbgen windtunnel -n 1000 --airfoil naca$digits --points 60 --fraction 0.01 -o $digits.nbs; done
    scene 0012.nbs 2412.nbs 4415.nbs 23012.nbs 24112.nbs 44021.nbs <<'P'
def thickness(t, x):
    return t / 0.2 * (0.2969 * x**0.5 - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)

def four(m, p):
    if not m:
        return lambda x: 0 * x
    return lambda x: np.where(x < p, m * (2 * p * x - x**2) / p**2, m * (1 - 2 * p + 2 * p * x - x**2) / (1 - p) ** 2)

def five(lift, m, k1, k2_k1=None):
    k = k1 * lift / 0.3 / 6
    if k2_k1 is None:
        return lambda x: np.where(x < m, k * (x**3 - 3 * m * x**2 + m**2 * (3 - m) * x), k * m**3 * (1 - x))
    rest = lambda x: -k2_k1 * (1 - m) ** 3 * x - m**3 * x + m**3
    return lambda x: np.where(x < m, k * ((x - m) ** 3 + rest(x)), k * (k2_k1 * (x - m) ** 3 + rest(x)))

# table II of report 460 and of report 537, per cent of the chord: station, upper, lower; their trailing edge is open
published = {"0012": [(1.25, 1.894, -1.894), (5, 3.555, -3.555), (10, 4.683, -4.683), (30, 6.002, -6.002), (60, 4.563, -4.563), (90, 1.448, -1.448)],
    "2412": [(1.25, 2.15, -1.65), (5, 4.13, -3.01), (10, 5.63, -3.75), (30, 7.88, -4.12), (60, 6.36, -2.76), (90, 2.08, -0.82)],
    "23012": [(1.25, 2.67, -1.23), (5, 4.91, -2.26), (10, 6.43, -2.92), (30, 7.55, -4.46), (60, 5.47, -3.67), (90, 1.68, -1.23)]}
cases = (("0012", 0.12, four(0, 0)), ("2412", 0.12, four(0.02, 0.4)), ("4415", 0.15, four(0.04, 0.4)),
    ("23012", 0.12, five(0.3, 0.2025, 15.957)), ("24112", 0.12, five(0.3, 0.318, 6.520, 0.0303)), ("44021", 0.21, five(0.6, 0.29, 6.643)))
for f, (name, t, camber) in zip(frames, cases):
    p = walls(f)["body"]
    assert len(p) == 61 and (p[0] == p[-1]).all() and (p[0] == [1, 0]).all() and area(p) > 0
    assert np.abs(p[30]).max() < 1e-12, "the leading edge"
    # each point is half a thickness from the mean line, along its normal by differences
    x = (1 + np.cos(pi * np.arange(31) / 30)) / 2
    h = 1e-7
    slope = (camber(x + h) - camber(x - h)) / (2 * h)
    angle, y = np.arctan(slope), thickness(t, x)
    upper = np.array([x - y * np.sin(angle), camber(x) + y * np.cos(angle)]).T
    lower = np.array([x + y * np.sin(angle), camber(x) - y * np.cos(angle)]).T
    inner = slice(1, 30)
    assert np.abs(p[:31][inner] - upper[inner]).max() < 1e-6, name
    assert np.abs(p[:29:-1][inner] - lower[inner]).max() < 1e-6, name
    for station, above, below in published.get(name, []):
        for side, value in ((p[30::-1], above), (p[30:], below)):
            order = np.argsort(side[:, 0])
            got = 100 * np.interp(sqrt(station / 100), sqrt(side[order, 0].clip(0)), side[order, 1])
            closed = value - np.sign(value) * 100 * 5 * t * 0.0021 * (station / 100) ** 4
            assert abs(got - closed) < 0.03, (name, station, got, value)
P
}

@test "the other bodies, the angle of attack and the chord" {
    nbgen windtunnel -n 1000 --airfoil cylinder --chord 0.8 --points 90 --alpha 20 -o 1.nbs
    nbgen windtunnel -n 1000 --airfoil plate --alpha 90 -o 2.nbs
    nbgen windtunnel -n 1000 --airfoil wedge --chord 2 -o 3.nbs
    nbgen windtunnel -n 1000 --airfoil naca2412 -o 4.nbs
    nbgen windtunnel -n 1000 --airfoil naca2412 --alpha 30 --chord 1.5 -o 5.nbs
    scene [1-5].nbs <<'P'
cylinder, plate, wedge, level, turned = (walls(f)["body"] for f in frames)
assert len(cylinder) == 91 and np.abs(norm(cylinder - [0.4, 0], axis=1) - 0.4).max() < 1e-12
assert np.abs(np.ptp(plate, axis=0) - [0.04, 1]).max() < 1e-12 and np.abs(plate[:-1].mean(0) - [0.5, 0]).max() < 1e-12
assert abs(area(plate) - 0.04) < 1e-12
assert np.abs(np.ptp(wedge, axis=0) - [2, 4 * np.tan(pi / 18)]).max() < 1e-12 and (wedge[0] == [0, 0]).all()
# nose up: the leading edge goes up, the trailing edge down, about the quarter chord
a = pi / 6
turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
assert np.abs(turned - 1.5 * ([0.25, 0] + (level - [0.25, 0]) @ turn.T)).max() < 1e-12
assert turned[100, 1] > 0.1 and turned[0, 1] < -0.5
for f in frames:
    assert area(walls(f)["body"]) > 0
P
}

@test "a profile from a file: once around in either direction, or two sides; scaled, closed" {
    python - <<'P'
from math import cos, pi
upper = [(x, 0.1 * x**0.5 * (1 - x)) for x in [(1 - cos(pi * k / 20)) / 2 for k in range(21)]]
lower = [(x, -0.6 * y) for x, y in upper]
around = upper[::-1] + lower[1:]
write = lambda name, lines: open(name, "w").write("\n".join(lines) + "\n")
text = lambda points, s=1, x0=0: [f"{x0 + s * x:.15g}  {s * y:.15g}" for x, y in points]
write("selig.dat", ["A PROFILE 12"] + text(around))
write("backwards.txt", text(around[::-1]))
write("large.dat", ["# a comment", ""] + text(around, 250, -40))
write("lednicer.dat", ["A PROFILE", " 21.  21.", ""] + text(upper) + [""] + text(lower))
write("open.csv", [line.replace("  ", ", ") for line in text(around[:-1])])
P
    for file in selig.dat backwards.txt large.dat lednicer.dat open.csv; do nbgen windtunnel -n 1000 --airfoil $file -o $file.nbs; done
    cp selig.dat plain
    nbgen windtunnel -n 1000 --airfoil plain -o plain.nbs
    scene selig.dat.nbs backwards.txt.nbs large.dat.nbs lednicer.dat.nbs open.csv.nbs plain.nbs <<'P'
selig, backwards, large, lednicer, unclosed, plain = (walls(f)["body"] for f in frames)
assert len(selig) == 41 and (selig[0] == selig[-1]).all() and (selig[0] == [1, 0]).all() and abs(area(selig) - 0.1 * 1.6 * (2 / 3 - 2 / 5)) < 1e-3
assert (plain == selig).all()
assert np.abs(backwards - selig).max() < 1e-12 and np.abs(large - selig).max() < 1e-12 and np.abs(lednicer - selig).max() < 1e-12
assert (unclosed[-1] == unclosed[0]).all() and np.abs(unclosed[:-1] - selig[:-1]).max() < 1e-12
P
}

@test "a file that is no profile is refused in a line" {
    try() { # try STATUS PATTERN TEXT
        printf "$3" >bad.dat
        refused "$1" "$2" nbgen windtunnel --airfoil bad.dat
    }
    try 1 "bad.dat: an outline needs at least three points, found 0" ''
    try 1 "bad.dat: an outline needs at least three points, found 2" 'name\n0 0\n1 0\n'
    try 1 "bad.dat: an outline needs at least three points, found 2" '0 0\n0 0\n1 0\n0 0\n'
    try 1 "bad.dat: line 2: expected two numbers" '0 0\nnan 1\n1 1\n'
    try 1 "bad.dat: line 2: expected two numbers" '0 0\n1 1e999\n1 1\n'
    try 1 "bad.dat: line 2: expected two numbers" '0 0\n1\n1 1\n'
    try 1 "bad.dat: line 3: expected two numbers" 'name\n0 0\nand more\n'
    try 1 "bad.dat: line 1: expected two numbers" '0 1e12\n1 0\n1 1\n'
    try 1 "bad.dat: all points have the same x, so the profile has no chord" '1 0\n1 1\n1 2\n'
    try 1 "bad.dat: expected the numbers of upper and lower points first, which add up to 3, found 3 and 4" '3 4\n0 0\n1 0\n0 1\n'
    try 1 "bad.dat: expected the numbers of upper and lower points first, which add up to 4, found 2.5 and 2" '2.5 2\n0 0\n1 0\n0 1\n1 1\n'
    try 2 "wall body crosses itself" '0 0\n1 0\n0.5 0.5\n0.5 -0.5\n0 0\n'
    try 2 "wall body crosses itself" '0 0\n1 0\n2 0\n'
    refused 1 "no.dat: cannot be read: No such file" nbgen windtunnel --airfoil no.dat
    refused 1 "./: cannot be read: Is a directory" nbgen windtunnel --airfoil ./
    refused 1 "/dev/zero: line 1 is longer than" nbgen windtunnel --airfoil /dev/zero
    yes '0.5 0.5' | head -n 10001 >bad.dat
    refused 1 "bad.dat: more than 10000 points" nbgen windtunnel --airfoil bad.dat
    head -c 5000 /dev/zero | tr '\0' x >bad.dat
    refused 1 "bad.dat: line 1 is longer than" nbgen windtunnel --airfoil bad.dat
}

@test "what is no tunnel is refused in a line" {
    refused 2 "--airfoil boeing: expected a file or naca" nbgen windtunnel --airfoil boeing
    refused 2 "--airfoil naca12: expected 4 or 5 digits" nbgen windtunnel --airfoil naca12
    refused 2 "--airfoil naca2012: the second digit, the position of the camber," nbgen windtunnel --airfoil naca2012
    refused 2 "--airfoil naca2400: the profile has no thickness" nbgen windtunnel --airfoil naca2400
    for digits in 26012 21112 23212 03012; do
        refused 2 "--airfoil naca$digits: for five digits" nbgen windtunnel --airfoil naca$digits
    done
    refused 2 "--alpha 181: must be from -180 to 180" nbgen windtunnel --alpha 181
    refused 2 "--alpha nan: expected a" nbgen windtunnel --alpha nan
    refused 2 "--fraction 0.7: more than 0.6" nbgen windtunnel --fraction 0.7
    refused 2 "--fraction 0: expected a" nbgen windtunnel --fraction 0
    refused 2 "--box 1,2,3: expected 4 numbers X0,X1,Y0,Y1" nbgen windtunnel --box 1,2,3
    refused 2 "--box 1,nan,3,4: expected 4 numbers" nbgen windtunnel --box 1,nan,3,4
    refused 2 "--box 1,1,0,4: expected X0 < X1 and Y0 < Y1" nbgen windtunnel --box 1,1,0,4
    refused 2 "--sides open: expected walls or periodic" nbgen windtunnel --sides open
    refused 2 "--points 7: must be from 8 to 10000" nbgen windtunnel --points 7
    refused 2 "--restitution 1.1: disks do not" nbgen windtunnel --restitution 1.1
    refused 2 "--units: no such option" nbgen windtunnel --units solar
    refused 2 "--mass: no such option" nbgen windtunnel --mass 2
    refused 2 "makes the stiffness or damping too large or too small" nbgen windtunnel --density 1e300 --speed 1e200
    # walls that disks cannot be among
    refused 2 "the box is periodic along x and only 8 wide; it must be at least " nbgen windtunnel -n 2 --fraction 0.6 --airfoil none
    refused 2 "wall body: point 0, (7, 0), is outside the box" nbgen windtunnel --chord 7
    refused 2 "the body begins at x = 0, inside the inlet, which ends" nbgen windtunnel --box -0.4,6.6,-2,2
    refused 2 "walls body and top leave a gap of 0.1" nbgen windtunnel -n 100 --airfoil plate --alpha 90 --box -2,6,-1,0.6
    printf '0 0\n1 0\n0.5 0.5\n0.5 -0.5\n0 0\n' >eight.dat
    refused 2 "wall body crosses itself" nbgen windtunnel --airfoil eight.dat
}

# ---- granular ----

@test "a body that a supersonic flow does not start past is told of" {
    # Behind a normal shock the gas passes at Mach 1 at most, at constant entropy and total temperature; g = 2. A plate of
    # 1 chord across a tunnel of some height.
    for mach in 1.5 2 4; do
        most=$(python -c "
g, m = 2, $mach
m2 = (((g - 1) * m * m + 2) / (2 * g * m * m - g + 1)) ** 0.5
flow = lambda m: m * (1 + (g - 1) / 2 * m * m) ** (-(g + 1) / 2 / (g - 1)) # of mass, through an area
print(1 - flow(m2) / flow(1))")
        for by in 0.95 1.0001 1.05; do
            run -0 --separate-stderr nbgen windtunnel -q -n 2k --airfoil plate --alpha 90 --mach $mach -f -o w.nbs \
                --box="$(awk -v s="$most" -v by=$by 'BEGIN { h = 0.5 / (s * by); printf "-2,6,%.9g,%.9g", -h, h }')"
            told="$(awk -v s="$most" 'BEGIN { printf "above the %.1f %%", 100 * s }')"
            if [ $by = 1.05 ]; then [[ "$stderr" == "nbgen: warning: the body blocks "*"$told"* ]]; else [ "$stderr" = "" ]; fi
        done
    done
    # a fifth, with a limit that is a fifth when rounded
    run -0 --separate-stderr nbgen windtunnel -q -n 2k --airfoil cylinder --mach 4 -f -o w.nbs
    [[ "$stderr" == "nbgen: warning: the body blocks 20.0 % of the tunnel's height, above the 19.6 % at which "* ]]
    run -0 --separate-stderr nbgen windtunnel -q -n 2k --airfoil plate --alpha 90 --mach 0.9 -f -o w.nbs
    [ "$stderr" = "" ]
}

@test "granular: disks in the upper chamber, none touching; the damping gives the restitution" {
    nbgen granular -n 2001 --size 2 --hole 0.3 --gravity 3 -o 1.nbs
    nbgen granular -n 1500 --fraction 0.7 --restitution 0.9 -o 2.nbs
    nbgen granular -n 700 --fraction 0.2 --restitution 1 -o 3.nbs
    for threads in 1 3; do nbgen granular -n 30k --threads $threads -o same$threads.nbs; done
    cmp same1.nbs same3.nbs
    scene 1.nbs 2.nbs 3.nbs <<'P'
for f, n, size, hole, g, e, share in zip(frames, (2001, 1500, 700), (2, 1, 1), (0.3, 0.15, 0.15), (3, 1, 1), (0.5, 0.9, 1), (0.5, 0.7, 0.2)):
    k, c, r = numbers(f, "contact")
    glass, p, m = walls(f)["glass"], f["pos"][:, :2], f["mass"][0]
    assert f["G"] == 0 and f["force"] == ["auto", f"external:uniform,gy=-{g}"] and "flow" not in f and "periodic" not in f
    assert numbers(f, "box") == [-size / 2, size / 2, -1.5 * size, 1.5 * size]
    room = size**2 + (size + hole) / 2 * size / 2
    assert abs(area(glass) + 2 * room) < 1e-12, "a container, of two chambers"
    assert len(p) == n and (f["vel"] == 0).all() and (f["component"] == 0).all()
    assert abs(n * pi * r * r / room / share - 1) < 1e-12 and abs(m / (pi * r * r) - 1) < 1e-12
    assert nearest(p, (0, 0)) >= 2 * r and distance(glass, p).min() >= r and inside(glass, p).all() and (p[:, 1] > 0).all()
    # two of them head-on, step by step (midpoint rule), until the force law lets go
    gap, v, h = 0.0, -1.0, 1e-4 * sqrt(m / k)
    while gap <= 0:
        push = lambda gap, v: 2 / m * (-k * gap - c * v)
        half = gap + h / 2 * v, v + h / 2 * push(gap, v)
        gap, v = gap + h * half[1], v + h * push(*half)
    assert abs(v - e) < 1e-3, (v, e)
P
}

@test "granular: disks settle, pour through the hole, and end at rest in the lower chamber" {
    nbgen granular -q -n 300 --hole 0.4 | nbsim -q --until 8 --every 1 -o run.nbs
    scene <<'P'
run = nbs_reader.read(open("run.nbs", "rb"))
glass, (k, c, r) = walls(run[0])["glass"], numbers(run[0], "contact")
energy = [(f["mass"] * ((f["vel"] ** 2).sum(1) / 2 + f["pos"][:, 1])).sum() for f in run]
lost = energy[0] - energy[-1]
assert all(b < a + 0.002 * lost for a, b in zip(energy, energy[1:])), "energy is lost in contacts"
below = [(f["pos"][:, 1] < 0).mean() for f in run]
assert below[0] == 0 and 0.05 < below[2] < 0.95 and below[-1] == 1, below
for f in run:
    p = f["pos"][:, :2]
    assert inside(glass, p).all() and distance(glass, p).min() > 0.5 * r and (f["pos"][:, 2] == 0).all()
last = run[-1]
assert norm(last["vel"], axis=1).max() < 0.05
((name, fx, fy),) = [line.split() for line in last["wall_force"]]
weight = last["mass"].sum()
assert name == "glass" and abs(float(fy) / weight + 1) < 0.02 and abs(float(fx)) < 0.02 * weight, (fx, fy, weight)
# as dense as disks lie at random or in a lattice, up to the heights of their tops
top = np.quantile(last["pos"][:, 1], 0.98) + r + 1.5
assert 0.78 < 300 * pi * r * r / top < 0.95
P
}

@test "granular --spread: radii evenly about their mean, masses as their squares, none touching, and nbsim takes them" {
    for threads in 1 3; do nbgen granular -n 4k --spread 0.2 --threads $threads -o same$threads.nbs; done
    cmp same1.nbs same3.nbs
    mv same1.nbs 1.nbs
    nbgen granular -q -n 2k --spread 0.9 --fraction 0.2 --size 3 --store f32 -o 2.nbs
    scene 1.nbs 2.nbs <<'P'
for f, n, size, spread, share, e in zip(frames, (4000, 2000), (1, 3), (0.2, 0.9), (0.5, 0.2), (0.5, 0.5)):
    k, c, largest = numbers(f, "contact")
    r, p, m = f["radius"].astype(float), f["pos"][:, :2].astype(float), f["mass"].astype(float)
    mean = largest / (1 + spread)
    assert f["radius"].dtype == f["pos"].dtype and (r <= largest).all()
    u = np.sort((r / mean - 1 + spread) / (2 * spread)) # Kolmogorov & Smirnov: even, at one in 10^4
    assert abs(u - (np.arange(n) + 0.5) / n).max() < 2.2 / np.sqrt(n) and np.allclose(m, pi * r * r, rtol=3e-6)
    assert abs(np.corrcoef(r, p[:, 0])[0, 1]) < 4 / np.sqrt(n) and abs(np.corrcoef(r, p[:, 1])[0, 1]) < 4 / np.sqrt(n)
    room = size**2 + (size + 0.15 * size) / 2 * size / 2
    assert abs((pi * r * r).sum() / room / share - 1) < 4 * spread / np.sqrt(n) + 1e-6
    for k0 in range(0, n, 250):
        near = np.hypot(p[k0 : k0 + 250, 0, None] - p[:, 0], p[k0 : k0 + 250, 1, None] - p[:, 1]) - r[k0 : k0 + 250, None] - r
        near[np.arange(250), k0 + np.arange(250)] = 9
        assert near.min() >= 0
    glass = walls(f)["glass"]
    assert (distance(glass, p) >= r).all() and inside(glass, p).all()
    # a disk of the mean radius against another: pi r^2, stopped in a wall at its radius by twice the speed of the fall
    assert abs(k / (pi * 4 * 2 * 3 * size) - 1) < 1e-6
    b = c / (pi * mean**2)
    assert abs(np.exp(-b * pi / sqrt(2 * k / (pi * mean**2) - b * b)) - e) < 1e-6
P
    run -0 --separate-stderr nbsim --until 0.1 1.nbs -o run.nbs
    [[ "$stderr" == *"contact-grid force (radii of the column) and external:uniform"* && "$stderr" != *warning* ]]
}

@test "granular: what is no hourglass is refused in a line, a narrow hole told of" {
    refused 2 "--hole 2: as wide as the hourglass (--size 1)" nbgen granular --hole 2
    refused 2 "a hole of width 0.15 is too narrow for disks of radius 0.1431 (use" nbgen granular -n 10
    refused 2 "--fraction 0.71: more than 0.7" nbgen granular --fraction 0.71
    refused 2 "--restitution 0: expected a number above 0" nbgen granular --restitution 0
    refused 2 "--gravity -1: expected a number above 0" nbgen granular --gravity -1
    refused 2 "--spread -0.1: must be from 0 to 0.9" nbgen granular --spread -0.1
    refused 2 "--spread 1: must be from 0 to 0.9" nbgen granular --spread 1
    [ "$(nbgen granular -q -n 500 --spread 0 | nbconv --to text)" = "$(nbgen granular -q -n 500 | nbconv --to text)" ]
    refused 2 "5000 disks of the radius 0.0" nbgen granular --spread 0.5
    run -0 --separate-stderr nbgen granular -n 300 -o g.nbs
    [[ "$stderr" == *"the hole is 2.9 disks wide: they may block it" ]]
}

@test "merge: disks that touch have no orbit" {
    nbgen granular -o g.nbs
    nbgen plummer -n 10 -o p.nbs
    refused 1 "g.nbs: its bodies are colliding disks" nbgen merge p.nbs g.nbs --pericenter 1 --separation 3
}

# ---- headers from elsewhere ----

@test "nbsim: a header whose walls or lines make no sense is one line, exit 1" {
    scene <<'P'
from nbs_writer import frame, write
body = lambda **lines: frame(np.ones(1), np.array([[3.0, 3, 0]]), np.zeros((1, 3)), G=0.0, contact="1 0 0.1", **lines)
square = "0 0 1 0 1 1 0 1 0 0"
write("good.nbs", body(wall=[f"a {square}", "b 5 5 6 6"]))
write("cross.nbs", body(wall=[f"a {square}", "b -1 0.5 2 0.5"]))
write("gap.nbs", body(wall=[f"a {square}", "b 1.1 0 1.1 1"]))
write("box.nbs", body(wall=[f"a {square}"], box="0.5 9 0 9"))
write("twice.nbs", body(box=["0 1 0 1", "0 1 0 1"]))
write("nan.nbs", body(wall=["a 0 0 nan 1"]))
P
    nbsim -q --until 0.1 -o out.nbs good.nbs
    local name said
    while IFS=: read -r name said; do
        run -1 --separate-stderr nbsim -q --until 0.1 -f -o out.nbs $name.nbs
        [[ "${#stderr_lines[@]}" = 1 && "$stderr" == *"$said"* ]] || { echo "$name: $stderr" >&2; return 1; }
    done <<'P'
cross:walls a and b cross
gap:walls a and b leave a gap of 0.1
box:wall a: point 0, (0, 0), is outside the box
twice:the header has two lines 'box'
nan:expected a name and pairs of numbers
P
}

@test "windtunnel says what gas it is: Knudsen and Reynolds number of hard disks" {
    run -0 --separate-stderr nbgen windtunnel -n 5k --fraction 0.2 --mach 1.5 --chord 0.7 --airfoil none -o w.nbs
    python - "$stderr" <<'P'
import re
import sys
from math import pi, sqrt
from disks import dispersion, effective
said = {name: float(x) for name, x in re.findall(r"(radius|effective|Mach|Knudsen number|Reynolds number) ([0-9.e+-]+)", sys.argv[1])}
d, f = 2 * said["radius"], 0.2 # numbers per area f / (pi d^2 / 4), mass 1 per area
number = f / (pi * d * d / 4)
sigma = dispersion(1.5, 1, f)
share = effective(1, 1, (1 + 5 * sigma) ** 2, sigma)
assert abs(said["effective"] / said["radius"] / share - 1) < 0.01
d, f = d * share, f * share**2
chi = (1 - 7 * f / 16) / (1 - f) ** 2
kn = 1 / (2 * sqrt(2) * number * d * chi) / 0.7
re_ = 0.7 / (1.022 / (2 * d) * sqrt(sigma**2 / pi) / number)
assert said["Mach"] == 1.5 and abs(said["Knudsen number"] / kn - 1) < 0.01 and abs(said["Reynolds number"] / re_ - 1) < 0.01, (said, kn, re_)
P
}

# bats test_tags=long
@test "the gas has the pressure of hard disks of the effective radius, and the Mach number that was asked for, within 1 %" {
    for f in 0.1 0.2; do
        run -0 --separate-stderr nbgen windtunnel -n 4k --fraction $f --airfoil none -f -o w.nbs
        python - "$f" "$stderr" <<'P'
import re
import sys
import numpy as np
from disks import lattice
from nbs_reader import read
from nbs_writer import frame, write
# 2000 of its disks at its temperature, in a periodic box
f, n = float(sys.argv[1]), 2000
(w,) = read(open("w.nbs", "rb"))
k, _, r = map(float, w["contact"][0].split())
m = w["mass"][0]
sigma = w["vel"][:, :2].std(0).mean()
side = np.sqrt(n * np.pi * r * r / f)
vel = np.random.default_rng(1).normal(0, 1, (n, 3)) * [1, 1, 0]
vel *= sigma / vel[:, :2].std()
write("gas.nbs", frame(np.full(n, m), lattice(n, side, side), vel, G=0, contact=w["contact"], periodic=["xy"],
                       box=[f"0 {float(side)!r} 0 {float(side)!r}"]))
open("effective", "w").write(re.search(r"effective ([0-9.e+-]+)", sys.argv[2])[1])
open("every", "w").write(repr(float(np.pi * np.sqrt(m / 2 / k)))) # as long as two disks touch
P
        nbsim -q --until "$(awk '{ print 250 * $1 }' every)" --every "$(cat every)" --write pressure,phi gas.nbs -f -o run.nbs
        python - "$f" <<'P'
import sys
from math import pi
from disks import sound
from nbs_reader import read
f, z = float(sys.argv[1]), []
for one in list(read(open("run.nbs", "rb")))[50:]:
    # virial: sum of distance times force over pairs, 2 r - F / k that distance, sum m phi = sum of F^2 / k
    k, _, r = map(float, one["contact"][0].split())
    n, kt2 = len(one["mass"]), (one["mass"] * (one["vel"] ** 2).sum(1)).sum()
    force = (one["pressure"] * 2 * pi * r).sum() / 2
    z.append(1 + (2 * r * force - (one["mass"] * one["phi"]).sum()) / kt2)
z = sum(z) / len(z)
state = lambda f: (1 + f * f / 8) / (1 - f) ** 2
of_hard = state(f * (float(open("effective").read()) / r) ** 2)
low, high = 0, f # the share of hard disks of that pressure
while high - low > 1e-9:
    low, high = ((low + high) / 2, high) if state((low + high) / 2) < z else (low, (low + high) / 2)
(w,) = read(open("w.nbs", "rb"))
mach = 1 / sound(low) / ((r * (k / w["mass"][0]) ** 0.5 - 1) / 5)
print(f"fraction {f}: Z {z:.4f} measured, {of_hard:.4f} by the effective radius, {state(f):.4f} of hard disks; Mach {mach:.4f}")
assert abs(of_hard / z - 1) < 0.01 and abs(mach / 2 - 1) < 0.01
P
    done
}

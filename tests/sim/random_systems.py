"""Small random systems, hard ones, for running nbsim with its default options.

    random_systems.py SEED > system.txt

writes text for `nbconv --from text`, with comments first that say what it is:

    # n kind softening until

2 to 50 bodies, G = 1, total mass near 1. `until` is ten crossing times, sqrt(R^3 / G M) with R the root of the
mean square distance of the bodies from their centre of mass. A seed makes the same system on every machine (the
Mersenne twister, and functions that C libraries round nearly alike)."""
import math
import random
import sys


def pick(rng, values):
    return values[int(rng.random() * len(values))]


def direction(rng):
    z, angle = rng.uniform(-1, 1), rng.uniform(0, 2 * math.pi)
    across = math.sqrt(1 - z * z)
    return [across * math.cos(angle), across * math.sin(angle), z]


def combine(a, x, b, y):
    return [a * p + b * q for p, q in zip(x, y)]


def dot(x, y):
    return sum(p * q for p, q in zip(x, y))


def masses(rng, n):
    decades = pick(rng, [0, 0, 1, 3, 6])
    m = [10 ** rng.uniform(-decades, 0) for _ in range(n)]
    return [each / sum(m) for each in m]


def centred(bodies):
    m = sum(b[0] for b in bodies)
    for k in (1, 2):
        mean = [sum(b[0] * b[k][c] for b in bodies) / m for c in range(3)]
        for b in bodies:
            b[k] = combine(1, b[k], -1, mean)
    return bodies


def potential(bodies, eps):
    return -sum(a[0] * b[0] / math.sqrt(dot(d, d) + eps * eps)
                for i, a in enumerate(bodies) for b in bodies[:i] for d in [combine(1, a[1], -1, b[1])])


def swarm(rng, n, eps):
    """A ball or a Plummer sphere with random velocities, from cold to unbound."""
    bodies = []
    plummer = rng.random() < 0.5
    for m in masses(rng, n):
        u = rng.random()
        r = min(10, 0.6 / math.sqrt(u ** (-2 / 3) - 1)) if plummer else u ** (1 / 3)
        bodies.append([m, [r * c for c in direction(rng)], [rng.gauss(0, 1) for _ in range(3)]])
    centred(bodies)
    kinetic = sum(b[0] * dot(b[2], b[2]) for b in bodies) / 2
    ratio = pick(rng, [0, 0.1, 0.5, 1, 1, 1.5, 3])  # 2 K / |W|
    factor = math.sqrt(ratio * -potential(bodies, eps) / (2 * kinetic))
    for b in bodies:
        b[2] = [factor * c for c in b[2]]
    return bodies


def orbit(rng, mass, a, e):
    """Relative position and velocity on an ellipse of random phase and orientation."""
    phase, u = rng.uniform(0, 2 * math.pi), 0
    u = phase + e * math.sin(phase)
    for _ in range(60):
        u -= (u - e * math.sin(u) - phase) / (1 - e * math.cos(u))
    p = direction(rng)
    q = direction(rng)
    q = combine(1, q, -dot(p, q), p)
    q = [c / math.sqrt(dot(q, q)) for c in q]
    b, rate = math.sqrt(1 - e * e), math.sqrt(mass / a ** 3) / (1 - e * math.cos(u))
    return (combine(a * (math.cos(u) - e), p, a * b * math.sin(u), q),
            combine(-a * math.sin(u) * rate, p, a * b * math.cos(u) * rate, q))


def pair(rng, body, other, a):
    """Two bodies in place of one that has the mass of both."""
    m = body[0]
    x, v = orbit(rng, m, a, math.sqrt(rng.random()) * 0.99)
    share = other / m
    return [[m - other, combine(1, body[1], -share, x), combine(1, body[2], -share, v)],
            [other, combine(1, body[1], 1 - share, x), combine(1, body[2], 1 - share, v)]]


def hierarchy(rng, n, eps):
    """Bodies of a swarm become binaries, these triples and quadruples."""
    bodies = swarm(rng, max(1, n // 2), eps) if n > 3 else [[1, [0, 0, 0], [0, 0, 0]]]
    level = [0] * len(bodies)
    while len(bodies) < n:
        i = int(rng.random() * len(bodies))
        if level[i] > 1:
            continue
        body, above = bodies.pop(i), level.pop(i)
        near = min((math.dist(body[1], b[1]) for b in bodies), default=1)
        share = body[0] * pick(rng, [0.5, rng.random() / 2, 10 ** rng.uniform(-6, -1)])
        bodies += pair(rng, body, share, near * 10 ** rng.uniform(-1.5, -0.5))
        level += [above + 1] * 2
    return bodies


def planets(rng, n, eps):
    """Light bodies about a heavy one, in a plane or not."""
    bodies = [[1, [0, 0, 0], [0, 0, 0]]]
    for _ in range(n - 1):
        x, v = orbit(rng, 1, 10 ** rng.uniform(-1, 0.3), rng.random() * pick(rng, [0.05, 0.9]))
        bodies.append([10 ** rng.uniform(-9, -3), x, v])
    return bodies


def shortest_period(bodies, eps):
    """Of all pairs that are bound to each other."""
    least = math.inf
    for i, a in enumerate(bodies):
        for b in bodies[:i]:
            x, v, m = combine(1, a[1], -1, b[1]), combine(1, a[2], -1, b[2]), a[0] + b[0]
            energy = dot(v, v) / 2 - m / math.sqrt(dot(x, x) + eps * eps)
            if energy < 0:
                least = min(least, 2 * math.pi * m / (-2 * energy) ** 1.5)
    return least


def system(seed):
    rng = random.Random(seed)
    n = round(2 * 25 ** rng.random())
    eps = pick(rng, [0, 0, 10 ** rng.uniform(-4, -1)])
    kind = pick(rng, [swarm, swarm, hierarchy, hierarchy, planets])
    while True:  # a run is to end within a minute: pairs turn some 3000 times at most
        bodies = centred(kind(rng, n, eps))
        radius = math.sqrt(sum(dot(b[1], b[1]) for b in bodies) / n)
        until = 10 * math.sqrt(radius ** 3)
        if until < 3000 * shortest_period(bodies, eps):
            return n, kind.__name__, eps, until, bodies


n, kind, eps, until, bodies = system(int(sys.argv[1]))
print("#", n, kind, repr(eps), repr(until))
print("# m x y z vx vy vz")
for m, x, v in bodies:
    print(*(repr(c) for c in [m] + x + v))

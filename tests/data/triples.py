"""Writes triples.txt: twenty hierarchical triples, G = 1, and where their bodies are after a time.

    python3 triples.py > triples.txt

Runs nbsim, which is to be on the PATH, in quadruple precision at two tolerances, and fails where these do not agree to
1e-11: the second is some hundred times as accurate. A line for each triple: the time, then m x y z vx vy vz of each
body, then x y z of each at that time. The outer axis is 1 and the inner one 0.005 to 0.05, at any inclination; masses are
within a factor of 10 of each other. The eccentricity is up to 0.5 outside and up to 0.9 inside. The time is that of three
outer orbits, or of 400 inner ones where these are shorter. The first body is far from the two others."""
import math
import os
import random
import subprocess
import sys
import tempfile

rng = random.Random(31)


def direction():
    z, angle = rng.uniform(-1, 1), rng.uniform(0, 2 * math.pi)
    across = math.sqrt(1 - z * z)
    return [across * math.cos(angle), across * math.sin(angle), z]


def add(a, x, b, y):
    return [a * p + b * q for p, q in zip(x, y)]


def orbit(mass, a, e):
    """Relative position and velocity on an ellipse of random phase and orientation."""
    phase = rng.uniform(0, 2 * math.pi)
    u = phase
    for _ in range(100):
        u -= (u - e * math.sin(u) - phase) / (1 - e * math.cos(u))
    p, q = direction(), direction()
    q = add(1, q, -sum(s * t for s, t in zip(p, q)), p)
    q = [c / math.hypot(*q) for c in q]
    b, rate = math.sqrt(1 - e * e), math.sqrt(mass / a**3) / (1 - e * math.cos(u))
    return (add(a * (math.cos(u) - e), p, a * b * math.sin(u), q),
            add(-a * rate * math.sin(u), p, a * b * rate * math.cos(u), q))


def triple():
    m = [10 ** rng.uniform(-0.5, 0.5) for _ in range(3)]
    m = [each / sum(m) for each in m]
    pair, a = m[1] + m[2], 10 ** rng.uniform(math.log10(0.005), math.log10(0.05))
    outer, inner = orbit(1, 1, rng.uniform(0, 0.5)), orbit(pair, a, rng.uniform(0, 0.9))
    bodies = [[m[0]], [m[1]], [m[2]]]
    for far, near in zip(outer, inner):
        centre = [m[0] * c for c in far]
        bodies[0] += [-pair * c for c in far]
        bodies[1] += add(1, centre, -m[2] / pair, near)
        bodies[2] += add(1, centre, m[1] / pair, near)
    return min(6 * math.pi, 800 * math.pi * math.sqrt(a**3 / pair)), bodies


def places(time, bodies, tolerance, folder):
    start, end = os.path.join(folder, "start.nbs"), os.path.join(folder, "end.nbs")
    text = "\n".join(" ".join(map(repr, body)) for body in bodies)
    subprocess.run(["nbconv", "-q", "--from", "text", "--softening", "0", "-f", "-o", start],
                   input="# columns mass pos vel\n" + text + "\n", check=True, text=True)
    subprocess.run(["nbsim", "-q", "--device", "cpu", "--threads", "1", "--precision", "quad", "--integrator", "stormer",
                    "--tolerance", tolerance, "--until", repr(time), start, "-f", "-o", end], check=True)
    found = subprocess.run(["nbconv", "--to", "text", "--frame", "-1", "--columns", "pos", end], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    return [[float(c) for c in line.split()] for line in found.splitlines() if line[0] != "#"]


print("# t; m x y z vx vy vz of three bodies; x y z of each at t")
with tempfile.TemporaryDirectory() as folder:
    for k in range(20):
        time, bodies = triple()
        ends = [places(time, bodies, tolerance, folder) for tolerance in ("1e-18", "1e-20")]
        worst = max(math.dist(x, y) for x, y in zip(*ends))
        print(k, time, worst, file=sys.stderr)
        assert worst < 1e-11
        print(*map(repr, [time] + sum(bodies, []) + sum(ends[1], [])), flush=True)

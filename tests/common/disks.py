"""Disks that touch, for tests of runs: streams with the header's lines of scene.h, written by tests/common/nbs_writer.py.

    python disks.py gas N FILE [damping=0] [speed=1] [stiffness_by=1] [least=1]    a gas in a closed box of side 1
    python disks.py flow N FILE [mach=2] [damping=0] [least=1]    a flow past a square, periodic in x and y
    python disks.py calm N FILE    a flow past nothing, which begins with 1.1 of its density, 0.6 of its speed and dispersion
    python disks.py pair FILE damping=C [k=1] [m=1] [m2=1] [speed=0.01]

Several follow one another with the word "and" between them.

With `least` there is a column of radii, from that share of the header's to it.
"""
import math
import sys

import numpy as np
from nbs_writer import frame, write

FRACTION = 0.1  # of the area, that disks take


def lattice(n, width, height):
    "n places in a rectangle, a cell's half away from its edges, in rows."
    columns = math.ceil(math.sqrt(n * width / height))
    rows = math.ceil(n / columns)
    k = np.arange(n)
    return np.stack([(k % columns + 0.5) * width / columns, (k // columns + 0.5) * height / rows, 0 * k], 1)


def bodies(pos, vel, m, least=1.0, **lines):
    n = len(pos)
    columns = {"id": np.arange(n, dtype="u8")}
    if least < 1:
        share = np.random.default_rng(n + 1).uniform(least, 1, n)
        columns["radius"] = (lines["contact"][0][2] * (1 - 1e-6) * share).astype("f4")
    lines = {key: [" ".join(map(str, one)) for one in value] for key, value in lines.items()}
    return frame(np.full(n, m), pos, vel, G=0, **columns, **lines)


def stiffness(m, speed, r):
    "With which disks that meet at twice that speed overlap by a radius."
    return m / 2 * (2 * speed / r) ** 2


def gas(n, file, damping=0.0, speed=1.0, stiffness_by=1.0, least=1.0):
    rng = np.random.default_rng(n)
    r = math.sqrt(FRACTION / n / math.pi)
    vel = rng.normal(0, speed, (n, 3)) * [1, 1, 0]
    k = stiffness_by * stiffness(1 / n, 4 * speed, least * r)
    write(file, bodies(lattice(n, 1, 1), vel, 1 / n, least, contact=[(k, damping, r)], box=[(0, 1, 0, 1)],
                       wall=[("left", 0, 0, 0, 1), ("right", 1, 0, 1, 1), ("low", 0, 0, 1, 0), ("high", 0, 1, 1, 1)]))


def effective(r, m, k, sigma):
    "Radius of hard disks in the place of soft ones: the integral of 1 - exp(-u / kT) over the distance (Barker & Henderson 1967)."
    x = (np.arange(100000) + 0.5) / 100000
    return r * (1 - np.exp(-k * (2 * r * (1 - x)) ** 2 / 2 / (m * sigma**2))).mean()


def sound(f):
    "Speed of sound of hard disks over the dispersion of a velocity's component (Henderson 1975)."
    z = (1 + f * f / 8) / (1 - f) ** 2
    slope = f / (4 * (1 - f) ** 2) + 2 * z / (1 - f)
    return math.sqrt(z + f * slope + z * z)


def dispersion(mach, hardness=0.5, f=FRACTION, speed=1.0):
    "Of a velocity's component, in a flow of that speed, for a stiffness of hardness m ((speed + 5 dispersion) / r)^2."
    sigma = speed / mach / sound(f)
    for _ in range(50):
        sigma = speed / mach / sound(f * effective(1, 1, hardness * (speed + 5 * sigma) ** 2, sigma) ** 2)
    return sigma


def calm(n, file):
    "Density 1 and speed 1 in a box of 8 by 5, and a tenth more disks than that."
    rng = np.random.default_rng(n)
    m, r, sigma = 44 / n, math.sqrt(FRACTION * 44 / n / math.pi), dispersion(2)
    vel = 0.6 * (rng.normal(0, sigma, (n, 3)) * [1, 1, 0] + [1, 0, 0])
    write(file, bodies(lattice(n, 8, 5), vel, m, contact=[(stiffness(m, (1 + 5 * sigma) / 2, r), 0, r)],
                       box=[(0, 8, 0, 5)], periodic=[("xy",)], flow=[(1, 1, 2, 1)]))


def flow(n, file, mach=2.0, damping=0.0, least=1.0):
    "Density 1 and speed 1 in a box of 4 by 2, with a square of side 0.4 whose disks are left out."
    rng = np.random.default_rng(n)
    m, r, sigma = 8 / n, math.sqrt(FRACTION * 8 / n / math.pi), dispersion(mach, 0.5 / least**2)
    pos = lattice(n, 4, 2) - [0, 1, 0]
    pos = pos[~((abs(pos[:, 0] - 2) < 0.2 + 1.5 * r) & (abs(pos[:, 1]) < 0.2 + 1.5 * r))]
    vel = rng.normal(0, sigma, pos.shape) * [1, 1, 0] + [1, 0, 0]
    k = stiffness(m, (1 + 5 * sigma) / 2, least * r)
    square = (1.8, -0.2, 2.2, -0.2, 2.2, 0.2, 1.8, 0.2, 1.8, -0.2)
    write(file, bodies(pos, vel, m, least, contact=[(k, damping, r)], box=[(0, 4, -1, 1)], periodic=[("xy",)],
                       flow=[(1, 1, mach, 0.4)], wall=[("square", *square)]))


def pair(file, damping, k=1.0, m=1.0, m2=1.0, speed=0.01):
    "Head on, and in contact soon."
    pos = np.array([[-1.001, 0, 0], [1.001, 0, 0]])
    vel = np.array([[speed, 0, 0], [-speed, 0, 0]])
    f = frame(np.array([m, m2]), pos, vel, G=0, contact=f"{k} {damping} 1")
    write(file, f)


if __name__ == "__main__":
    for words in " ".join(sys.argv[1:]).split(" and "):
        kind, *words = words.split()
        named = dict(word.split("=") for word in words if "=" in word)
        plain = [int(word) if word.isdigit() else word for word in words if "=" not in word]
        globals()[kind](*plain, **{key: float(value) for key, value in named.items()})

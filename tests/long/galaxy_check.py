"""What a galaxy does in motion. galaxy_check.py drift FILE: from the first frame to the last the half-mass radius of the disk
stays within 5 %, its thickness grows to 1.5 times at most, circular speeds by the column acc stay within 5 %, the centre of
mass is fixed; each bound with three standard errors of the samples. galaxy_check.py modes FILE RADIUS LEAST|MOST BOUND: the
largest amplitude of m = 2 to 4 (m = 2 for MOST) of the disk inside the radius over all frames."""
import sys

import nbs_reader
import numpy as np
from numpy import sqrt

DISK, HALO = 2, 1


def disk(frame):
    """Places in the disk about its middle, that, and the centre of mass of all."""
    x, mass = frame["pos"].astype(float), frame["mass"].astype(float)
    s = frame["component"] == DISK
    centre = np.median(x[s], axis=0)
    return x[s] - centre, centre, (mass[:, None] * x).sum(0) / mass.sum()


def speeds(frame, x, centre):
    """Circular speeds in rings of the disk, by the column acc, and their errors: of the ring's stars, and of the halo's
    bodies inside, which are few and heavy."""
    s, halo = frame["component"] == DISK, frame["component"] == HALO
    R = np.hypot(x[:, 0], x[:, 1])
    speed2 = -(frame["acc"][s].astype(float) * x)[:, :2].sum(1)
    r = sqrt(((frame["pos"][halo].astype(float) - centre) ** 2).sum(1))
    for low, high in ((0.8, 1.2), (1.2, 1.8), (1.8, 2.6), (2.6, 3.5), (3.5, 4.5)):
        ring = speed2[(R > low) & (R < high)]
        at, speed = (low + high) / 2, sqrt(ring.mean())
        few = frame["mass"][halo].max(initial=0) * sqrt((r < at).sum()) / at
        yield speed, sqrt(ring.var() / len(ring) + few**2) / (2 * speed)


def measures(frame):
    x, centre, whole = disk(frame)
    R = np.hypot(x[:, 0], x[:, 1])
    near = (R > 0.5) & (R < 4)
    return {
        "centre": whole,
        "radius": (np.median(R), 1.25 * (np.percentile(R, 60) - np.percentile(R, 40)) * 2 / sqrt(len(R))),
        "height": (np.median(abs(x[near, 2])), np.median(abs(x[near, 2])) * 1.2 / sqrt(near.sum())),
        "rotation": list(speeds(frame, x, centre)),
    }


def bound(name, value, low, high, error):
    print(f"# {name} {value:.4f} (from {low:g} to {high:g}, standard error {error:.4f})")
    return low - 3 * error <= value <= high + 3 * error


def drift(frames):
    first, last = measures(frames[0]), measures(frames[-1])
    good = []
    for name, low, high in ("radius", 0.95, 1.05), ("height", 0, 1.5):
        (a, da), (b, db) = first[name], last[name]
        good.append(bound(name, b / a, low, high, b / a * sqrt((da / a) ** 2 + (db / b) ** 2)))
    for (a, da), (b, db) in zip(first["rotation"], last["rotation"]):
        good.append(bound("rotation", b / a, 0.95, 1.05, sqrt(da**2 + db**2) / a))
    moved = abs(last["centre"] - first["centre"]).max()
    good.append(bound("centre of mass moved", moved, 0, 1e-3, 0))
    return all(good)


def amplitude(frame, m, radius):
    x = disk(frame)[0]
    R, angle = np.hypot(x[:, 0], x[:, 1]), np.arctan2(x[:, 1], x[:, 0])
    inside = R < radius
    return abs(np.exp(1j * m * angle[inside]).mean()), 1 / sqrt(inside.sum())


def modes(frames, radius, which, limit):
    orders = (2, 3, 4) if which == "LEAST" else (2,)
    value, error = max(amplitude(f, m, radius) for f in frames for m in orders)
    return bound("amplitude", value, *((limit, np.inf) if which == "LEAST" else (0, limit)), error)


frames = nbs_reader.read(open(sys.argv[2], "rb"))
if sys.argv[1] == "drift":
    sys.exit(not drift(frames))
sys.exit(not modes(frames, float(sys.argv[3]), sys.argv[4], float(sys.argv[5])))

"""What a wind tunnel's runs measured, with errors from the means of ten blocks of frames.

    windtunnel_check.py polar FILE...      lift over angles: none at 0, next to none at 90, one maximum; angle of it, Mach, Knudsen, Reynolds
    windtunnel_check.py standoff FILE...   distance of the bow shock from the nose, which falls from file to file
    windtunnel_check.py plate FILE...      drag of a plate across the flow, which falls with the Knudsen number
    windtunnel_check.py stream FILE...     the strip between inlet and body beside the header's flow, within 2 %

The first half of each run is left out. Exit 1 with a sentence where it is not so.
"""
import re
import sys
from math import pi, sqrt

import nbs_reader
import numpy as np
from disks import effective, sound

BLOCKS = 10
NEAR = 0.2  # of the chord: half of the width in which the shock ahead of the nose is looked for


class Run:
    def __init__(self, path):
        frames = nbs_reader.read(open(path, "rb"))
        self.frames = frames[len(frames) // 2 + 1 :]
        first = frames[0]
        self.alpha = float(re.search(r"--alpha=(\S+)|$", first["history"][0]).group(1) or 0)
        self.n, self.mass = int(first["n"]), float(first["mass"][0])
        k, _, radius = map(float, first["contact"][0].split())
        self.density, self.speed, self.mach, self.chord = map(float, first["flow"][0].split())
        self.box = [float(word) for word in first["box"][0].split()]
        # As nbgen makes the disks: k = m ((speed + 5 sigma) / r)^2. Of hard disks: those of the effective radius.
        self.sigma = (radius * sqrt(k / self.mass) - self.speed) / 5
        self.radius = effective(radius, self.mass, k, self.sigma)
        self.fraction = self.density / self.mass * pi * self.radius**2
        assert abs(self.speed / self.sigma / sound(self.fraction) / self.mach - 1) < 1e-4

    def coefficients(self):
        "Drag and lift of the body, a row for each block of frames."
        lines = (line.split() for f in self.frames for line in f["wall_force"])
        force = np.array([[float(x), float(y)] for name, x, y in lines if name == "body"])
        assert len(force) == len(self.frames)
        return blocks(force / (self.density * self.speed**2 * self.chord / 2))

    def arrives(self):
        "Density, speed and temperature behind the fringe, beside the flow's, and their errors: in a twentieth of the length."
        x0, x1, y0, y1 = self.box
        low, high, middle, side = x0 + 0.1 * (x1 - x0), x0 + 0.15 * (x1 - x0), (y0 + y1) / 2, 0.45 * (y1 - y0)
        rows = []
        for f in self.frames:
            x, v = f["pos"], f["vel"].astype(float)
            w = v[(x[:, 0] > low) & (x[:, 0] < high) & (abs(x[:, 1] - middle) < side)]
            rows.append((len(w), *w.sum(0)[:2], *(w * w).sum(0)[:2]))
        def measure(sums):
            n, vx, vy, xx, yy = sums
            return np.array([n * self.mass / ((high - low) * 2 * side * self.density), vx / n / self.speed,
                             ((xx + yy) / n - (vx / n) ** 2 - (vy / n) ** 2) / (2 * self.sigma**2)])
        return measure(np.mean(rows, 0)), mean(np.array([measure(part) for part in blocks(np.array(rows))]))[1]

    def reserve(self):
        "Of the inlet's chamber at the end, over what it holds at the flow's density, and the least that was let in."
        x0, x1, y0, y1 = self.box
        density, stock, _ = zip(*(map(float, f["inflow"][0].split()) for f in self.frames))
        return stock[-1] / (0.05 * (x1 - x0) * (y1 - y0) * self.density), min(density) / self.density

    def free_path(self):
        "Of a hard disk in the flow: 1 / (2 sqrt 2 n d chi), chi = (1 - 7 f / 16) / (1 - f)^2 (Henderson 1975)."
        chi = (1 - 7 * self.fraction / 16) / (1 - self.fraction) ** 2
        return self.mass / (2 * sqrt(2) * self.density * 2 * self.radius * chi)

    def reynolds(self):
        "By the viscosity of a dilute gas of hard disks, 1.022 / (2 d) sqrt(m k T / pi) (Gass 1971, J. Chem. Phys. 54, 1898)."
        viscosity = 1.022 / (4 * self.radius) * self.mass * self.sigma / sqrt(pi)
        return self.density * self.speed * self.chord / viscosity


def blocks(rows):
    return np.array([part.mean(0) for part in np.array_split(rows, BLOCKS)])


def mean(values):
    return values.mean(0), values.std(0, ddof=1) / sqrt(len(values))


def check(good, sentence):
    if not good:
        sys.exit(f"windtunnel_check: {sentence}")


def polar(paths):
    rows = []
    for run in sorted(map(Run, paths), key=lambda run: run.alpha):
        (drag, lift), (off_drag, off_lift) = mean(run.coefficients())
        rows.append((run.alpha, lift, off_lift))
        print(f"# {run.alpha:4g} degrees: Cl {lift:.3f} +- {off_lift:.3f}, Cd {drag:.3f} +- {off_drag:.3f}")
    alpha, lift, off = map(np.array, zip(*rows))
    top = lift.argmax()
    print(f"# greatest lift at {alpha[top]:g} degrees; {run.n} disks, Mach {run.mach:g}, Knudsen number "
          f"{run.free_path() / run.chord:.3f}, Reynolds number {run.reynolds():.0f}")
    # Across the flow its round edge and its sharp one are not alike: at 90 degrees lift is small and not 0.
    for end, most in (0, 0), (-1, 0.05 * lift[top]):
        check(abs(lift[end]) < 3 * off[end] + most, f"lift {lift[end]:.3f} at {alpha[end]:g} degrees, +- {off[end]:.3f}")
        check(lift[top] > 5 * off[top] and lift[top] - lift[end] > 5 * (off[top] + off[end]), "no lift between the ends")
    for side in range(top + 1), range(len(lift) - 1, top - 1, -1):
        for i in side:
            lower = [j for j in side if abs(j - top) > abs(i - top)]
            check(all(lift[j] < lift[i] + 3 * np.hypot(off[i], off[j]) for j in lower),
                  f"lift has a second maximum beside {alpha[i]:g} degrees")


def standoff(paths):
    before = None
    for run in map(Run, paths):
        near = NEAR * run.chord
        edges = np.arange(run.box[0] + 0.1 * (run.box[1] - run.box[0]), 0.001, run.chord / 20)
        count = [np.histogram(f["pos"][abs(f["pos"][:, 1]) < near, 0], edges)[0] for f in run.frames]
        density = smooth(blocks(np.array(count)) * run.mass / (2 * near * (edges[1] - edges[0])))
        distance, off = mean(np.array([shock(edges, part) for part in jackknife(density)]))
        off *= len(density) - 1  # of means that leave one block out each
        print(f"# Mach {run.mach:g}: shock {distance:.3f} +- {off:.3f} before the nose, "
              f"density up to {density.mean(0).max() / density.mean(0)[:8].mean():.2f}")
        if before:
            check(distance < before[0] - 3 * np.hypot(off, before[1]),
                  f"the shock does not come nearer: {before[0]:.3f} +- {before[1]:.3f}, {distance:.3f} +- {off:.3f}")
        before = distance, off


def smooth(rows):
    "Each row's running means of five; the ends are left as they are."
    out = rows.astype(float)
    out[:, 2:-2] = sum(rows[:, k : rows.shape[1] - 4 + k] for k in range(5)) / 5
    out[:, -2:] = rows[:, -4:].mean(1)[:, None]
    return out


def jackknife(rows):
    return [np.delete(rows, k, 0).mean(0) for k in range(len(rows))]


def shock(edges, density):
    "Where, on the way from the nose, it has fallen by half of its rise: between the middles of bins."
    middle, low, high = (edges[1:] + edges[:-1]) / 2, density[:8].mean(), density.max()
    half = (low + high) / 2
    k = density.argmax()
    while density[k - 1] > half:
        k -= 1
    return -(middle[k - 1] + (half - density[k - 1]) / (density[k] - density[k - 1]) * (middle[k] - middle[k - 1]))


def plate(paths):
    before, found = None, []
    for run in sorted(map(Run, paths), key=lambda run: -run.free_path()):
        drag, off = (value[0] for value in mean(run.coefficients()))
        print(f"# Knudsen number {run.free_path() / run.chord:.3f}, {run.n} disks: Cd {drag:.3f} +- {off:.3f}")
        check(1.3 < drag < 4.5, f"the plate's drag {drag:.3f} is not between 1.3 and 4.5")
        check(not before or drag < before[0] + 3 * np.hypot(off, before[1]), f"the plate's drag rises to {drag:.3f}")
        before = drag, off
        found.append(before)
    (first, off), (last, off2) = found[0], found[-1]
    check(last < first - 3 * np.hypot(off, off2), f"the plate's drag does not fall: {first:.3f}, {last:.3f}")


def stream(paths):
    for path, run in zip(paths, map(Run, paths)):
        value, off = run.arrives()
        filling, least = run.reserve()
        print(f"# {path}: " + ", ".join(f"{name} {a:.4f} +- {b:.4f}" for name, a, b in
                                        zip(("density", "speed", "temperature"), value, off))
              + f" of the flow's; chamber {filling:.2f}, inflow at least {least:.3f}")
        for name, a, b in zip(("density", "speed", "temperature"), value, off):
            check(abs(a - 1) < 0.02 + 3 * b, f"{path}: {name} before the body is {a:.3f} of the flow's, +- {b:.3f}")


globals()[sys.argv[1]](sys.argv[2:])

"""What a galaxy of `nbgen galaxy` should be, from formulas and sums of its own; shares no code with the tools. Lengths in
scale lengths of the disk, masses as the stream has them."""
import numpy as np
from numpy import pi, sqrt

HOLE, DISK, GAS, BULGE, HALO = 5, 2, 7, 3, 1
CUT = 8  # of the disk, in scale lengths


def ks(u):
    """The largest distance of u from uniform, in units of 1/sqrt(n): above 1.95 once in a thousand."""
    u, n = np.sort(u), len(u)
    return max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max()) * sqrt(n)


def disk_share(R, scale=1):
    x = np.minimum(np.asarray(R) / scale, CUT)
    return (1 - (1 + x) * np.exp(-x)) / (1 - (1 + CUT) * np.exp(-CUT))


class Sphere:
    """A density of the form f(r / scale), by its mass: a table of Simpson's rule in log r."""

    def __init__(self, form, mass, scale):
        log_r = np.linspace(-14, 9, 20001)
        x = np.exp(log_r)
        y = 4 * pi * x**3 * form(x)
        inside = np.concatenate([[0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(log_r))])
        self.r, self.inside = x * scale, inside / inside[-1] * mass

    def mass(self, r):
        return np.interp(r, self.r, self.inside)


def sech(x):
    return 1 / np.cosh(np.minimum(x, 700))


def hernquist(mass, scale, truncation=30):
    return Sphere(lambda x: sech(x / truncation) / (x * (1 + x) ** 3), mass, scale)


def nfw(mass, scale, truncation):
    return Sphere(lambda x: sech(x / truncation) / (x * (1 + x) ** 2), mass, scale)


def disk_pull(R, z, mass, scale=1, height=0.2, softening=0, near=1e-4):
    """Inward and downward pull of the disk at (R, z), by rings of its density; `near` softens an unsoftened sum."""
    eps2 = max(softening, near) ** 2
    a = scale * CUT * 1.5 * ((np.arange(300) + 0.5) / 300) ** 2
    a = np.sort(np.concatenate([a, R + np.sinh(np.linspace(-4, 4, 200)) / np.sinh(4) * min(R, 1)]))
    edges = np.concatenate([[0], (a[1:] + a[:-1]) / 2, [a[-1]]])
    weight = mass * np.diff(1 - (1 + edges / scale) * np.exp(-edges / scale))
    heights = height * np.arctanh((np.arange(16) + 0.5) / 8 - 1)
    t = np.sinh(np.linspace(0, 6, 200)) / np.sinh(6) * pi  # angles, dense where the ring is near
    angle = (t[1:] + t[:-1]) / 2
    share = np.diff(t) / pi
    inward = down = 0
    for h in heights:
        d2 = R * R + a[:, None] ** 2 - 2 * R * a[:, None] * np.cos(angle) + (z - h) ** 2 + eps2
        f = weight[:, None] * share * d2**-1.5 / len(heights)
        inward += (f * (R - a[:, None] * np.cos(angle))).sum()
        down += f.sum() * (z - h)
    return inward, down

"""What spheres in equilibrium have to be, from their densities alone: numpy, without a line of the tools.

nbgen_spheres.py MODEL PARAMETER TRUNCATION RADIUS FILE...: each FILE (.nbs) holds a sphere of that model with a softening
of at most 1e-3; mass and scale radius are 1. Fails where the places of all bodies are not of its density
(Kolmogorov-Smirnov), the radial dispersions in shells not those of Jeans's equation (chi squared), both with p > 0.001,
or the anisotropy is not r^2 / (r^2 + RADIUS^2), or 2K/|W| is not 1 within 1 % and three standard errors. With --steady
TIME in front the bodies move that long in the gravity of the density, and fails where the radii of 10, 50 and 90 % change by
3 % and three standard errors: without the pulls of bodies on one another, which change them too.
"""
import sys

import numpy as np

import nbs_reader

LOG = np.linspace(np.log(1e-8), np.log(1e7), 60001)
R = np.exp(LOG)
STEP = 0.02  # of steady()


def integral(y):
    """From the first point on, over the logarithm: Simpson's rule on cells would gain nothing on 4000 an e-fold."""
    return np.concatenate([[0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(LOG))])


def emden(w0):
    """r and rho/rho(0) of King's sphere, or of the isothermal one: Runge and Kutta's steps in ln r."""
    def rho(w):
        if np.isinf(w0):
            return np.exp(w)
        erf_part = np.sqrt(np.pi) / 2 * ERF(np.sqrt(max(w, 0)))
        return np.exp(w) * erf_part - np.sqrt(max(w, 0)) * (1 + 2 * max(w, 0) / 3) if w > 0 else 0.0

    def slope(x, y):
        r = np.exp(x)
        return np.array([-9 * y[1] / r, r ** 3 * rho(y[0]) / centre])

    centre = rho(w0) if np.isfinite(w0) else 1.0
    x, h = np.log(1e-4), 0.004
    y = np.array([(w0 if np.isfinite(w0) else 0.0) - 1.5e-8, 1e-12 / 3])
    xs, rhos = [x], [1.0]
    while x < np.log(1e5) and (np.isinf(w0) or y[0] > 0):
        a = slope(x, y)
        b = slope(x + h / 2, y + h / 2 * a)
        c = slope(x + h / 2, y + h / 2 * b)
        d = slope(x + h, y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
        x += h
        xs.append(x)
        rhos.append(rho(y[0]) / centre)
    return np.interp(LOG, xs, rhos, 1.0, 0.0 if np.isfinite(w0) else None)


def erf_table():
    x = np.linspace(0, 7, 70001)
    y = 2 / np.sqrt(np.pi) * np.exp(-x * x)
    return x, np.concatenate([[0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])


def ERF(x, table=erf_table()):
    return np.interp(x, *table)


def density(model, parameter, truncation):
    cut = 1 / np.cosh(np.minimum(R / truncation, 700)) if np.isfinite(truncation) else 1
    if model == "plummer":
        return (1 + R * R) ** -2.5 * cut
    if model == "edged":  # Plummer's, that ends at PARAMETER
        return (1 + R * R) ** -2.5 * np.maximum(1 - (R / parameter) ** 4, 0) ** 2
    if model == "dehnen":
        return R ** -parameter * (1 + R) ** (parameter - 4) * cut
    if model == "nfw":
        return 1 / (R * (1 + R) ** 2) * cut
    return emden(parameter) * (cut if np.isinf(parameter) else 1)


def kolmogorov(u):
    """p of that many uniform numbers, by Kolmogorov's series."""
    u, n = np.sort(u), len(u)
    d = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max()) * np.sqrt(n)
    k = np.arange(1, 101)
    return d, (2 * (-1.0) ** (k - 1) * np.exp(-2 * k * k * d * d)).sum()


def gamma_tail(x, k):
    """p of chi squared for an even number k of degrees of freedom."""
    terms = np.cumprod(np.concatenate([[1], x / 2 / np.arange(1, k // 2)]))
    return np.exp(-x / 2) * terms.sum()


def steady(f, mass, time, name):
    """Leapfrog, velocities half a step ahead; the radii of the last frames against the first."""
    pos, vel = (f[c] - np.median(f[c], 0) for c in ("pos", "vel"))
    steps, shares = 10 * int(np.ceil(time / 10 / STEP)), np.array([0.1, 0.5, 0.9])
    h, radii = time / steps, []

    def acceleration():
        r = np.sqrt((pos ** 2).sum(1))
        return -pos * (np.interp(np.log(r), LOG, mass) / r ** 3)[:, None]

    vel += h / 2 * acceleration()
    for k in range(steps + 1):
        if k % (steps // 10) == 0:
            radii.append(np.quantile(np.sqrt((pos ** 2).sum(1)), shares))
        pos += h * vel
        vel += h * acceleration()
    change = np.mean(radii[6:], 0) / np.mean(radii[:1], 0) - 1
    edges = np.interp(np.concatenate([shares - 0.02, shares + 0.02]), mass, LOG).reshape(2, 3)
    error = np.sqrt(shares * (1 - shares) / len(pos)) * (edges[1] - edges[0]) / 0.04
    print("# %s: radii change by %s +- %s %%" % (name, np.round(100 * change, 2), np.round(100 * error, 2)))
    assert (np.abs(change) < 0.03 + 3 * error).all(), (name, change, error)


def main(model, parameter, truncation, radius, *files, time=None):
    parameter, truncation, radius = float(parameter), float(truncation), float(radius)
    rho = density(model, parameter, truncation)
    mass = integral(4 * np.pi * R ** 3 * rho)
    rho, mass = rho / mass[-1], mass / mass[-1]
    # Jeans's equation: rho sigma^2 (1 + r^2 / radius^2) falls by rho M / r^2 of that.
    weight = (1 + (R / radius) ** 2) * rho
    pressed = integral((weight * mass / R)[::-1])[::-1]
    dispersion2 = np.where(weight > 0, pressed / np.maximum(weight, 1e-300), 0)
    for name in files:
        frame = nbs_reader.read(open(name, "rb"))[0]
        check(frame, mass, dispersion2, radius, name)
        if time:
            steady(frame, mass, time, name)


def check(f, mass, dispersion2, radius, name):
    pos, vel, n = f["pos"], f["vel"], len(f["mass"])
    assert float(f["softening"]) <= 1e-3 and abs(f["mass"].sum() - 1) < 1e-12
    # About the middle: the centre of mass, which rests at the origin, follows the outermost bodies.
    pos, vel = pos - np.median(pos, 0), vel - np.median(vel, 0)
    r = np.sqrt((pos ** 2).sum(1))
    radial2 = ((pos * vel).sum(1) / r) ** 2
    across2 = ((vel ** 2).sum(1) - radial2) / 2
    u = np.interp(np.log(r), LOG, mass)
    d, p = kolmogorov(u)
    assert p > 1e-3, (name, "places", d, p)
    order = np.argsort(r)
    shells, chi2 = np.array_split(order, 20), 0
    for s in shells:
        expected = np.interp(np.log(r[s]), LOG, dispersion2)
        chi2 += (radial2[s].mean() - expected.mean()) ** 2 / ((radial2[s] - expected).var() / len(s))
        beta = (r[s] ** 2 / (r[s] ** 2 + radius ** 2)).mean() if np.isfinite(radius) else 0
        error = np.sqrt(((across2[s] - (1 - beta) * radial2[s]).var()) / len(s)) / radial2[s].mean()
        assert abs(1 - across2[s].mean() / radial2[s].mean() - beta) < 0.01 + 4.5 * error, (name, "beta", beta, error)
    p_jeans = gamma_tail(chi2, len(shells))
    assert p_jeans > 1e-3, (name, "dispersions", chi2, p_jeans)
    # 2K/|W| with W from the mass that is inside of each: without the noise of pairs.
    kinetic, inside = (vel ** 2).sum(1), u / r
    ratio = kinetic.mean() / inside.mean()
    error = np.sqrt((kinetic - ratio * inside).var() / n) / inside.mean()
    assert abs(ratio - 1) < 0.01 + 3 * error, (name, "virial ratio", ratio, error)
    print("# %s: KS %.2f (p %.3f), chi2/20 %.2f (p %.3f), 2K/|W| %.4f" % (name, d, p, chi2 / 20, p_jeans, ratio))


if sys.argv[1] == "--steady":
    main(*sys.argv[3:], time=float(sys.argv[2]))
else:
    main(*sys.argv[1:])

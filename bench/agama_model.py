"""The Milky Way of `nbgen galaxy` made by AGAMA (Vasiliev 2019, MNRAS 482, 1525): distribution functions of actions,
quasi-spherical for bulge and halo and quasi-isothermal for the disk, iterated until density and potential agree.

    python3 agama_model.py OURS.txt >THEIRS.txt

OURS.txt is `nbconv --to text` of the stream: masses and counts of the components are taken from it. Lengths are those of
the preset in disk scale lengths, and the random motions follow from the same Q and the same law, sigma_R^2 ~ exp(-R).
The folder with agama.so is the first of PYTHONPATH."""

import os
import sys

import agama
import numpy as np

# AGAMA says on stdout what it does.
report = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

BULGE, HALO, TRUNCATION, HEIGHT, Q = 0.5 / 2.6, 19.6 / 2.6, 6.0, 0.52 / 2.6, 1.5  # nbgen galaxy --preset milkyway
# Hdisk of the quasi-isothermal function, as a share of HEIGHT, with which the layer is as high as sech^2(z / HEIGHT): its
# rms height is 0.154 with 0.575 and 0.192 with 0.68, that of nbgen's disk 0.181. The functions are those of actions in a
# first potential, whose layer is twice as high (AGAMA's is sech^2(z / 2 scaleHeight)); this share makes up for it.
LAYER = 0.65
NUMBERS = {"halo": 1, "disk": 2, "bulge": 3}


def read(path):
    """Mass and number of the bodies of each component."""
    with open(path) as lines:
        names = next(lines).lstrip("# ").split()
        table = np.loadtxt(lines, usecols=(names.index("mass"), names.index("component")))
    return {name: table[table[:, 1] == k, 0] for name, k in NUMBERS.items()}


def nfw(mass):
    """Cut by sech(r / truncation), with that mass in all."""

    def form(r):
        x = r / HALO
        return 1 / (x * (1 + x) ** 2) / np.cosh(np.minimum(x / TRUNCATION, 300))

    r = np.geomspace(1e-6, 1e3, 20001) * HALO
    shells = 4 * np.pi * r**3 * form(r)
    whole = np.sum((shells[1:] + shells[:-1]) / 2 * np.diff(np.log(r)))
    return lambda xyz: mass / whole * form(np.maximum(np.sqrt((xyz**2).sum(axis=1)), 1e-9))


def disk_motions(potential, mass):
    """sigma_R at the centre such that Q, which is least somewhere within 4 scale lengths, is what was asked for."""
    R = np.linspace(0.3, 4, 200)
    points = np.column_stack((R, 0 * R, 0 * R))
    force, slopes = potential.eval(points, acc=True, der=True)
    kappa = np.sqrt(-slopes[:, 0] - 3 * force[:, 0] / R)
    toomre = np.exp(-R / 2) * kappa / (3.36 * mass / (2 * np.pi) * np.exp(-R))
    return Q / toomre.min()


def main(path):
    bodies = read(path)
    mass = {name: m.sum() for name, m in bodies.items()}
    density = {
        "disk": agama.Density(type="Disk", mass=mass["disk"], scaleRadius=1, scaleHeight=-HEIGHT),
        "bulge": agama.Density(type="Dehnen", gamma=1, mass=mass["bulge"], scaleRadius=BULGE),
        "halo": agama.Density(
            type="DensitySphericalHarmonic", density=nfw(mass["halo"]), symmetry="s", rmin=1e-4, rmax=300,
            gridSizeR=80, lmax=0,
        ),
    }  # fmt: skip
    model = agama.SelfConsistentModel(
        RminSph=0.005, RmaxSph=300, sizeRadialSph=50, lmaxAngularSph=6,
        RminCyl=0.05, RmaxCyl=20, sizeRadialCyl=30, zminCyl=0.02, zmaxCyl=8, sizeVerticalCyl=24,
    )  # fmt: skip
    order = ["disk", "bulge", "halo"]
    for name in order:
        model.components.append(agama.Component(density=density[name], disklike=name == "disk"))
    model.iterate()
    functions = {
        "disk": agama.DistributionFunction(
            type="QuasiIsothermal", potential=model.potential, Sigma0=mass["disk"] / (2 * np.pi), Rdisk=1,
            Hdisk=LAYER * HEIGHT,
            sigmar0=disk_motions(model.potential, mass["disk"]), Rsigmar=2,
        )
    }  # fmt: skip
    for name in order[1:]:
        functions[name] = agama.DistributionFunction(
            type="QuasiSpherical", potential=model.potential, density=density[name]
        )
    grid = {
        "disk": {"RminCyl": 0.05, "RmaxCyl": 20, "sizeRadialCyl": 20, "zminCyl": 0.04, "zmaxCyl": 8,
                 "sizeVerticalCyl": 12},
        "bulge": {"rminSph": 0.005, "rmaxSph": 100, "sizeRadialSph": 25, "lmaxAngularSph": 2},
        "halo": {"rminSph": 0.02, "rmaxSph": 300, "sizeRadialSph": 25, "lmaxAngularSph": 2},
    }  # fmt: skip
    for k, name in enumerate(order):
        model.components[k] = agama.Component(df=functions[name], disklike=name == "disk", **grid[name])
    for _ in range(3):
        model.iterate()
    print("# id component m x y z vx vy vz", file=report)
    first = 0
    for name in order:
        n = len(bodies[name])
        state, m = agama.GalaxyModel(potential=model.potential, df=functions[name], af=model.af).sample(n)
        print(f"{name}: mass {m.sum():.5g}, asked for {mass[name]:.5g}, {n} bodies", file=sys.stderr)
        rows = np.column_stack((np.arange(first, first + n), np.full(n, NUMBERS[name]), m, state))
        np.savetxt(report, rows, fmt=["%d", "%d"] + ["%.9g"] * 7)
        first += n


if __name__ == "__main__":
    main(*sys.argv[1:])

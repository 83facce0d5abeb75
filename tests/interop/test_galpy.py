"""Orbits in fields that move against galpy: a bar that turns, a companion on an orbit, a mass that grows."""
import io

import nbs_reader
import numpy as np
import pytest
from conftest import tool

galpy = pytest.importorskip("galpy.potential")
orbits = pytest.importorskip("galpy.orbit")

STARTS = [(1.0, 0.5, 0.1, 0.0, 0.7, 0.1), (-2.0, 1.0, -0.3, 0.2, 0.5, 0.0), (0.2, -0.4, 0.0, 0.6, 0.3, 0.2)]
TIMES = np.linspace(0, 10, 2001)


def ours(folder, *fields):
    """Places at t = 10."""
    text = "# m x y z vx vy vz\n" + "".join(" ".join(map(repr, (0.0, *start))) + "\n" for start in STARTS)
    start = tool("nbconv", "-q", "--from", "text", input=text.encode(), cwd=folder)
    words = [word for field in fields for word in ("--force", "external:" + field)]
    end = tool("nbsim", "-q", "--device", "cpu", "--integrator", "ias15", "--until", 10, *words, input=start, cwd=folder)
    return nbs_reader.read(io.BytesIO(end))[-1]["pos"]


def theirs(potential, start, method="dop853_c"):
    """An orbit of galpy."""
    x, y, z, vx, vy, vz = start
    R, phi = np.hypot(x, y), np.arctan2(y, x)
    orbit = orbits.Orbit([R, (x * vx + y * vy) / R, (x * vy - y * vx) / R, z, vz, phi])
    orbit.integrate(TIMES, potential, method=method)
    return orbit


def off(found, potential, **more):
    """The largest difference at the end."""
    ends = [theirs(potential, start, **more) for start in STARTS]
    want = np.array([[float(o.x(10.0)), float(o.y(10.0)), float(o.z(10.0))] for o in ends])
    worst = abs(want - found).max()
    print("off by", worst)
    return worst


HALO = "logarithmic,speed=1,core=0.7,q=0.9,p=0.85"


def halo():
    """The same in galpy, whose amplitude is the speed squared."""
    return galpy.LogarithmicHaloPotential(amp=1.0, core=0.7, q=0.9, b=0.85)


def test_bar(tmp_path):
    bar = galpy.SoftenedNeedleBarPotential(amp=1.5, a=1.2, b=0.1, c=0.3, pa=np.radians(25), omegab=0.8)
    found = ours(tmp_path, "bar,mass=1.5,a=1.2,b=0.1,c=0.3,omega=0.8,angle=25", HALO)
    assert off(found, bar + halo()) < 1e-8


def test_turning_halo(tmp_path):
    turned = galpy.SolidBodyRotationWrapperPotential(pot=halo(), omega=-0.6, pa=np.radians(40))
    found = ours(tmp_path, HALO + ",omega=-0.6,angle=40")
    assert off(found, turned) < 1e-8


def test_companion(tmp_path):
    companion = theirs(halo(), (4.0, 0.0, 0.5, 0.1, 0.8, 0.0))
    rows = np.stack([TIMES] + [getattr(companion, key)(TIMES) for key in ("x", "y", "z", "vx", "vy", "vz")])
    np.savetxt(tmp_path / "orbit.txt", rows.T, fmt="%.17g")
    moving = galpy.MovingObjectPotential(companion, pot=galpy.PlummerPotential(amp=0.3, b=0.5))
    found = ours(tmp_path, HALO, "plummer,mass=0.3,scale=0.5,center=orbit.txt")
    assert off(found, halo() + moving) < 1e-8


def test_growing_mass(tmp_path):
    times = np.linspace(0, 10, 1001)
    np.savetxt(tmp_path / "mass.txt", np.stack([times, 0.5 * (1 + np.tanh(times - 5))]).T, fmt="%.17g", header="t mass")
    grown = galpy.TimeDependentAmplitudeWrapperPotential(
        pot=galpy.PlummerPotential(amp=1.0, b=0.4), A=lambda t: 0.5 * (1 + np.tanh(t - 5))
    )
    found = ours(tmp_path, HALO, "plummer,scale=0.4,table=mass.txt")
    assert off(found, halo() + grown, method="dop853") < 1e-8

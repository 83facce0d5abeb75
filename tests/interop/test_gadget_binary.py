"""GADGET's binary files: yt and pynbody read ours, number by number to single precision, and nbconv reads what pynbody writes."""
import io
import os
import subprocess
import warnings

import nbs_reader
import numpy as np
import pytest
from conftest import tool


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("binary")
    tool("nbgen", "galaxy", "-q", "-n", 2000, "--units", "galactic", "-o", folder / "g.nbs")
    for form in "gadget1", "gadget2":
        for order in "little", "big":
            tool("nbconv", "-q", "--to", form, "--endian", order, "-o", folder / f"{form}.{order}", folder / "g.nbs")
    return folder, nbs_reader.read(open(folder / "g.nbs", "rb"))[0]


@pytest.mark.parametrize("name", ["gadget1.little", "gadget1.big", "gadget2.little", "gadget2.big"])
def test_pynbody_reads(made, name):
    pynbody = pytest.importorskip("pynbody")
    folder, frame = made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = pynbody.load(str(folder / name))
        order, own = np.argsort(s["iord"]), np.argsort(frame["id"])
        assert len(s) == len(own)
        for key in "pos", "vel", "mass":
            assert (np.asarray(s[key])[order].astype("f4") == frame[key][own].astype("f4")).all(), key


def test_pynbody_writes(tmp_path):
    pynbody = pytest.importorskip("pynbody")
    r, n = np.random.default_rng(3), 100
    s = pynbody.new(dm=50, star=30, gas=20)
    for key in "pos", "vel":
        s[key] = r.normal(size=(n, 3)).astype("f4")
    s["mass"], s["iord"] = (r.random(n) + 1).astype("f4"), np.arange(n) + 7
    s["pos"].units, s["vel"].units, s["mass"].units = "kpc", "km s^-1", "1e10 Msol"
    s.properties.update(time=0.5, boxsize=100 * pynbody.units.kpc, omegaM0=0.0, omegaL0=0.0, h=1.0, a=1.0, z=0.0)
    path = tmp_path / "pynbody.dat"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s.write(fmt=pynbody.snapshot.gadget.GadgetSnap, filename=str(path))
    f, = nbs_reader.read(io.BytesIO(tool("nbconv", "-q", "--from", "gadget2", path)))
    own = np.argsort(f["id"])
    assert (f["id"][own] == np.sort(np.asarray(s["iord"]))).all()
    order = np.argsort(np.asarray(s["iord"]))
    for key in "pos", "vel", "mass":
        assert (f[key][own] == np.asarray(s[key])[order]).all(), key


@pytest.mark.parametrize("name", ["gadget1.little", "gadget2.big"])
def test_yt_reads(made, name):
    yt = pytest.importorskip("yt")
    folder, frame = made
    yt.set_log_level(50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ds = yt.load(str(folder / name), unit_base={"length": (1, "kpc"), "mass": (1e10, "Msun"), "velocity": (1e5, "cm/s")},
                     bounding_box=[[-1e4, 1e4]] * 3)
        ad = ds.all_data()
        for kind, components in (("Halo", (1,)), ("Disk", (2,)), ("Bulge", (3,))):
            rows = np.isin(frame["component"], components)
            order, own = np.argsort(ad[kind, "ParticleIDs"].d), np.argsort(frame["id"][rows])
            assert len(order) == rows.sum()
            pos = ad[kind, "Coordinates"].to("kpc").d[order]
            np.testing.assert_allclose(pos, frame["pos"][rows][own], rtol=2e-7, atol=1e-6)
            assert ad[kind, "Mass"].sum().to("Msun").d == pytest.approx(1e10 * frame["mass"][rows].sum(), rel=1e-3)

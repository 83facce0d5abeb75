"""TIPSY's file as splash and pynbody read it, and what pynbody writes."""
import json
import os
import re
import shutil
import subprocess
import warnings

import nbs_reader
import numpy as np
import pytest
from conftest import tool


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A disk in physical units, later than at the start; its numbers by nbstat and by a reader of the stream."""
    folder = tmp_path_factory.mktemp("tipsy")
    made = tool("nbgen", "disk", "-q", "-n", 3000, "--units", "galactic", "--seed", 4)
    tool("nbsim", "-q", "--device", "cpu", "--steps", 4, "--write", "phi", "-o", folder / "run.nbs", input=made)
    tool("nbconv", "-q", "--to", "tipsy", "-o", folder / "run.std", folder / "run.nbs")
    tool("nbconv", "-q", "--to", "tipsy", "--endian", "little", "-o", folder / "little.std", folder / "run.nbs")
    measures = json.loads(tool("nbstat", "-q", "--json", "--frame", "last", folder / "run.nbs"))
    frame = nbs_reader.read(open(folder / "run.nbs", "rb"))[-1]
    return folder, measures, frame


def splash():
    """Newer than June 2023: those before (Debian 12 has 3.6.0) take the file's floats for doubles."""
    program = os.environ.get("SPLASH") or shutil.which("splash")
    if not program:
        pytest.skip("no splash")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=60).stdout
    version = re.search(r"v(\d+)\.(\d+)", said)
    if not version or (int(version[1]), int(version[2])) < (3, 8):
        pytest.skip(f"splash {version[0] if version else '?'} misreads single precision (mended in 3.8)")
    return program


@pytest.mark.parametrize("name", ["run.std", "little.std"])
def test_splash(run, name):
    folder, measures, frame = run
    program = splash()
    # not -tipsy, which has it guess the format first, in a loop without end where the first bytes look like another's
    subprocess.run([program, "-f", "tipsy", "to", "ascii", name], cwd=folder, check=True, capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=60)
    lines = open(folder / (name + ".ascii")).read().split("\n")
    time = float(lines[[k for k, line in enumerate(lines) if line.startswith("# time:")][0] + 1].split()[1])
    table = np.loadtxt(folder / (name + ".ascii"))
    assert len(table) == measures["n"]
    assert time == pytest.approx(measures["time"], rel=1e-6)
    assert table[:, 3].sum() / frame["G"] == pytest.approx(measures["mass"], rel=1e-6)
    for k in range(3):
        extent = np.ptp(frame["pos"][:, k])
        assert np.ptp(table[:, k]) == pytest.approx(extent, rel=1e-6)
        assert np.abs(table[:, 4 + k].max() / frame["vel"][:, k].max() - 1) < 1e-6


def test_pynbody(run):
    pynbody = pytest.importorskip("pynbody")
    folder, measures, frame = run
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = pynbody.load(str(folder / "run.std"))
        assert len(s) == measures["n"] == len(s.star)
        order = np.argsort(s["iord"])
        assert float(s["mass"].in_units("1e10 Msol").sum()) == pytest.approx(measures["mass"], rel=1e-6)
        pos = np.asarray(s["pos"].in_units("kpc"))[order]
        assert np.abs(pos - frame["pos"]).max() < 1e-6 * np.abs(frame["pos"]).max()
        # pynbody rounds the units of velocity and time to five digits
        vel = np.asarray(s["vel"].in_units("km s**-1"))[order]
        assert np.abs(vel - frame["vel"]).max() < 2e-4 * np.abs(frame["vel"]).max()
        phi = np.asarray(s["phi"].in_units("km**2 s**-2"))[order]
        assert np.abs(phi - frame["phi"]).max() < 4e-4 * np.abs(frame["phi"]).max()
        assert float(s.properties["time"].in_units("Gyr")) == pytest.approx(measures["time"] * 0.97779222, rel=2e-4)
        assert float(s["eps"].in_units("kpc")[0]) == pytest.approx(frame["softening"], rel=1e-6)


def test_pynbody_writes(run):
    pynbody = pytest.importorskip("pynbody")
    folder = run[0]
    f = pynbody.new(dm=5, star=3, gas=2)
    f["pos"], f["mass"], f["eps"], f["phi"] = np.arange(30).reshape(10, 3), np.arange(1, 11), 0.125, -1
    f["vel"] = -np.arange(30).reshape(10, 3)
    f.gas["rho"], f.gas["temp"], f.gas["metals"] = 3, 1e4, 0.25
    f.star["tform"], f.star["metals"] = 2, 0.5
    f.properties["time"] = 2.5
    f.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename=str(folder / "new.std"))
    stream = tool("nbconv", "-q", "--from", "tipsy", folder / "new.std")
    (folder / "new.nbs").write_bytes(stream)
    b, = nbs_reader.read(open(folder / "new.nbs", "rb"))
    assert (b["time"], b["softening"]) == (2.5, 0.125)
    assert list(b["component"]) == [7] * 2 + [1] * 5 + [4] * 3
    order = np.argsort(b["mass"])
    assert (b["mass"][order] == np.arange(1, 11)).all()
    assert (b["pos"][order] == np.arange(30).reshape(10, 3)).all() and (b["vel"] == -b["pos"]).all()
    assert (b["phi"] == -1).all() and list(b["density"]) == [3] * 2 + [0] * 8
    assert list(b["metals"]) == [0.25] * 2 + [0] * 5 + [0.5] * 3
    assert list(b["formation_time"]) == [0] * 7 + [2] * 3

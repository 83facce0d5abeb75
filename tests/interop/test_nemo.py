"""NEMO's structured file as the library UNSIO (package python-unsio) reads and writes it."""
import os
import subprocess
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/common"))
import nbs_reader  # noqa: E402

BIN = os.path.join(ROOT, os.environ.get("NB_BUILD", "build"), "bin")


def tool(name, *words, **more):
    return subprocess.run([os.path.join(BIN, name), *map(str, words)], check=True, capture_output=True, **more).stdout


def test_unsio_reads(tmp_path):
    unsio = pytest.importorskip("unsio.input")
    made = tool("nbgen", "plummer", "-q", "-n", 500, "--seed", 2)
    tool("nbsim", "-q", "--device", "cpu", "--until", 0.125, "--every", 0.0625, "--write", "phi,acc",
         "-o", tmp_path / "run.nbs", input=made)
    tool("nbconv", "-q", "--to", "nemo", "--frame", "all", "-o", tmp_path / "run.nemo", tmp_path / "run.nbs")
    snapshots = unsio.CUNS_IN(str(tmp_path / "run.nemo"), "all", "all", float32=False)
    frames = nbs_reader.read(open(tmp_path / "run.nbs", "rb"))
    assert len(frames) == 3
    for frame in frames:
        assert snapshots.nextFrame()
        assert snapshots.getData("time")[1] == pytest.approx(frame["time"], rel=1e-6)
        for tag, name in dict(pos="pos", vel="vel", mass="mass", pot="phi", acc="acc", id="id").items():
            ok, values = snapshots.getData("all", tag)
            assert ok and (values.reshape(frame[name].shape) == frame[name]).all(), tag
    assert not snapshots.nextFrame()


@pytest.mark.parametrize("single", [True, False])
def test_unsio_writes(tmp_path, single):
    unsio = pytest.importorskip("unsio.output")
    kind, r = "f4" if single else "f8", np.random.default_rng(3)
    out = unsio.CUNS_OUT(str(tmp_path / "made.nemo"), "nemo", float32=single)
    mass, pos, vel, phi = (r.random(n).astype(kind) for n in (40, 120, 120, 40))
    out.setData(1.5, "time")
    for tag, values in dict(mass=mass, pos=pos, vel=vel, pot=phi, id=np.arange(7, 47, dtype="i4")).items():
        out.setData(values, "all", tag)
    out.save()
    out.close()
    tool("nbconv", "-q", "--from", "nemo", "-o", tmp_path / "made.nbs", tmp_path / "made.nemo")
    b, = nbs_reader.read(open(tmp_path / "made.nbs", "rb"))
    assert b["time"] == 1.5 and (b["id"] == np.arange(7, 47)).all()
    assert (b["mass"] == mass).all() and (b["phi"] == phi).all()
    assert (b["pos"] == pos.reshape(-1, 3)).all() and (b["vel"] == vel.reshape(-1, 3)).all()

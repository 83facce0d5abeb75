"""pynbody reads streams: number, masses, extent, time and units are nbstat's, without a warning."""

import warnings

import nbs_reader
import numpy as np
import pytest

import nbstream

pynbody = pytest.importorskip("pynbody")

import nbstream.pynbody  # noqa: E402

CASES = [("galaxy", "galactic", 1500), ("solar", None, None), ("plummer", "code", 200)]


@pytest.fixture(params=CASES, ids=[case[0] for case in CASES])
def stream(request, tools, tmp_path):
    model, units, n = request.param
    options = {key: value for key, value in (("units", units), ("n", n)) if value}
    path = tmp_path / "run.nbs"
    nbstream.gen(model, **options).sim(until=0.02, every=0.01, write="phi,acc").save(path)
    with open(path, "rb") as file:
        return path, nbs_reader.read(file)[1], nbstream.open(path)[1].stat()[0]


@pytest.mark.parametrize("way", ["load", "to_pynbody"])
def test_pynbody(stream, way):
    path, truth, row = stream
    physical = truth["length_cgs"] > 0
    size = [truth[f"{kind}_cgs"] for kind in ("length", "mass", "time")] if physical else [1.0, 1.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        snap = pynbody.load(path, frame=1) if way == "load" else nbstream.open(path)[1].to_pynbody()
        order, own = np.argsort(snap["iord"]), np.argsort(truth["id"])

        def cgs(name, unit):
            return np.asarray(snap[name].in_units(unit) if physical else snap[name])[order]

        assert len(snap) == row.n
        assert cgs("mass", "g").sum() == pytest.approx(row.mass * size[1], rel=1e-12)
        time = snap.properties["time"]
        assert (time.in_units("s") if physical else time) == pytest.approx(row.time * size[2], rel=1e-12)
        np.testing.assert_allclose(cgs("pos", "cm"), truth["pos"][own] * size[0], rtol=1e-12, atol=1e-12 * size[0])
        np.testing.assert_allclose(cgs("vel", "cm s**-1"), truth["vel"][own] * size[0] / size[2], rtol=1e-12)
        np.testing.assert_allclose(cgs("phi", "cm**2 s**-2"), truth["phi"][own] * (size[0] / size[2]) ** 2, rtol=1e-12)
        np.testing.assert_allclose(cgs("acc", "cm s**-2"), truth["acc"][own] * size[0] / size[2] ** 2, rtol=1e-12)
        assert not physical or float(
            snap["eps"].in_units("cm")[0] if "eps" in snap.all_keys() + list(snap) else 0
        ) == pytest.approx(truth["softening"] * size[0])


def test_families_of_a_galaxy(tools, tmp_path):
    path = tmp_path / "run.nbs"
    frame = nbstream.gen("galaxy", n=800, units="galactic").save(path)[0]
    for snap in (pynbody.load(path), frame.to_pynbody()):
        assert len(snap.dm) == frame.select("halo").n and len(snap.star) == frame.select("disk,bulge").n
        assert str(snap["pos"].units) == "kpc" and str(snap["vel"].units) == "km s**-1"
        assert float(snap.star["mass"].sum()) == pytest.approx(frame.select("disk,bulge").mass.sum())
        assert set(snap.dm["component"]) == {1}
        snap.physical_units()
        profile = pynbody.analysis.profile.Profile(snap.star, ndim=2, rmin=1, rmax=10, nbins=8)
        r = np.linalg.norm(frame.select("disk,bulge").pos[:, :2], axis=1)
        assert profile["n"].sum() == ((r >= 1) & (r < 10)).sum()


def test_arrays_come_when_asked_for(tools, tmp_path):
    path = tmp_path / "run.nbs"
    nbstream.gen("galaxy", n=300, units="galactic").save(path)
    snap = pynbody.load(path)
    assert isinstance(snap, nbstream.pynbody.NbsSnap) and list(snap) == []
    assert len(snap.star["vel"]) == len(snap.star) and list(snap) == []
    assert len(snap["vel"]) == 300
    with pytest.raises(KeyError):
        snap["nothing"]


def test_frames_without_components_and_of_every_family(tmp_path):
    path = tmp_path / "run.nbs"
    frame = nbstream.Frame(
        np.arange(4.0), np.eye(4)[:, :3], np.zeros((4, 3)), component=["hole", "gas", "star", "halo"], id=[0, 1, 2, 3]
    )
    nbstream.write(path, [frame, frame.replace(component=None)])
    snap = pynbody.load(path, frame=0)
    assert [
        snap[family]["iord"].tolist()
        for family in (pynbody.family.dm, pynbody.family.star, pynbody.family.gas, pynbody.family.bh)
    ] == [[3], [2], [1], [0]]
    assert len(pynbody.load(path).dm) == 4


@pytest.mark.parametrize("units", ["galactic", "solar"])
def test_from_pynbody(tools, units):
    frame = nbstream.gen("galaxy", n=500, units="galactic").read()[0]
    snap = frame.to_pynbody()
    again = nbstream.Frame.from_pynbody(snap, units=units)
    order, own = np.argsort(again.id), np.argsort(frame.id)
    want = frame.to_units(units) if units != "galactic" else frame
    for name in ("mass", "pos", "vel"):
        np.testing.assert_allclose(again[name][order], want[name][own], rtol=1e-12, atol=1e-12 * abs(want[name]).max())
    assert again.G == pytest.approx(want.G, rel=1e-12) and again.units == want.units
    halo = again.select("halo")
    assert halo.n == frame.select("halo").n and again.select("star").n == frame.select("disk,bulge").n
    assert nbstream.Frame.from_pynbody(snap.star).n == len(snap.star)

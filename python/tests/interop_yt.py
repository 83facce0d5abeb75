"""yt reads streams: number, masses, extent, time and units are nbstat's, without a warning."""

import warnings

import nbs_reader
import numpy as np
import pytest

import nbstream

yt = pytest.importorskip("yt")

import nbstream.yt  # noqa: E402

yt.set_log_level(50)
CASES = [("galaxy", "galactic", 1500), ("plummer", "code", 300), ("solar", None, None)]


@pytest.fixture(params=CASES, ids=[case[0] for case in CASES])
def stream(request, tools, tmp_path):
    """A stream of three frames, and what an independent reader finds in its second."""
    model, units, n = request.param
    options = {key: value for key, value in (("units", units), ("n", n)) if value}
    path = tmp_path / "50%.nbs"  # a name that yt takes for a pattern
    nbstream.gen(model, **options).sim(until=0.02, every=0.01, write="phi").save(path)
    with open(path, "rb") as file:
        return path, nbs_reader.read(file)[1], nbstream.open(path)[1].stat()[0]


@pytest.mark.parametrize("way", ["load", "to_yt"])
def test_yt(stream, way):
    path, truth, row = stream
    size = [truth[f"{kind}_cgs"] or 1.0 for kind in ("length", "mass", "time")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ds = yt.load(str(path), frame=1) if way == "load" else nbstream.open(path)[1].to_yt()
        data = ds.all_data()
        mass, pos, vel = (data["all", f"particle_{name}"] for name in ("mass", "position", "velocity"))
        phi, ids = data["all", "particle_phi"], data["all", "particle_index"]
    assert len(mass) == row.n
    assert float(mass.sum().to("g")) == pytest.approx(row.mass * size[1], rel=1e-12)
    assert float(ds.current_time.to("s")) == pytest.approx(row.time * size[2], rel=1e-12)
    order, own = np.argsort(np.asarray(ids)), np.argsort(truth["id"])
    np.testing.assert_allclose(pos.to("cm").v[order], truth["pos"][own] * size[0], rtol=1e-12, atol=1e-12 * size[0])
    np.testing.assert_allclose(vel.to("cm/s").v[order], truth["vel"][own] * size[0] / size[2], rtol=1e-12)
    np.testing.assert_allclose(phi.to("cm**2/s**2").v[order], truth["phi"][own] * (size[0] / size[2]) ** 2, rtol=1e-12)
    com = (pos.to("cm") * mass[:, None]).sum(axis=0) / mass.sum()
    np.testing.assert_allclose(com.to("cm").v, row.com * size[0], atol=1e-6 * abs(truth["pos"]).max() * size[0])
    left, right = ds.domain_left_edge.to("cm").v, ds.domain_right_edge.to("cm").v
    assert (left < truth["pos"].min(axis=0) * size[0]).all() and (right > truth["pos"].max(axis=0) * size[0]).all()


def test_units_of_a_galaxy(tools, tmp_path):
    path = tmp_path / "x.nbs"
    frame = nbstream.gen("galaxy", n=500, units="galactic").save(path)[0]
    ds = yt.load(str(path))
    assert float(ds.velocity_unit.to("km/s")) == pytest.approx(1, rel=1e-12)
    assert float(ds.length_unit.to("kpc")) == pytest.approx(1, rel=1e-6)
    assert float(ds.mass_unit.to("Msun")) == pytest.approx(1e10, rel=1e-5)  # yt's Sun is 3e-6 heavier
    assert set(ds.particle_types_raw) == {"halo", "disk", "bulge"}
    for name in ds.particle_types_raw:
        assert len(ds.all_data()[name, "particle_mass"]) == frame.select(name).n
    r = np.linalg.norm(frame.pos, axis=1)
    sphere = ds.sphere([0, 0, 0], (5.0, "code_length"))
    assert len(sphere["all", "particle_mass"]) == (r < 5).sum()


def test_many_bodies_in_pieces(tmp_path):
    """Above 64^3 bodies yt reads a frame in pieces, by an index of its own."""
    n = 300000
    random = np.random.default_rng(1)
    pos = random.normal(size=(n, 3)).astype(np.float32)
    path = tmp_path / "x.nbs"
    nbstream.write(
        path, nbstream.Frame(np.ones(n, np.float32), pos, pos, component=random.integers(1, 3, n), id=np.arange(n))
    )
    ds = yt.load(str(path))
    assert len(ds.index.data_files) == 2
    data = ds.all_data()
    assert np.array_equal(np.sort(np.asarray(data["all", "particle_index"])), np.arange(n))
    inside = ds.sphere([0, 0, 0], (1.0, "code_length"))["all", "particle_index"]
    r = np.linalg.norm(pos.astype(float), axis=1)
    assert len(inside) == (r < 1).sum()


def test_a_frame_is_chosen_and_pictures_are_drawn(tools, tmp_path):
    path = tmp_path / "x.nbs"
    nbstream.gen("plummer", n=200).sim(until=0.2, every=0.1).save(path)
    assert [float(yt.load(str(path), frame=k).current_time) for k in (0, 1, -1)] == [0, 0.1, 0.2]
    plot = yt.ParticlePlot(
        yt.load(str(path)), ("all", "particle_position_x"), ("all", "particle_position_y"), ("all", "particle_mass")
    )
    assert plot.save(str(tmp_path / "x.png"))


def test_other_files_are_left_to_others(tmp_path):
    other = tmp_path / "x.txt"
    other.write_text("1 2 3\n")
    assert not nbstream.yt.NbsDataset._is_valid(str(other)) and not nbstream.yt.NbsDataset._is_valid(str(tmp_path))
    path = tmp_path / "empty.nbs"
    nbstream.write(path, nbstream.Frame([], [], []))
    with pytest.raises(ValueError, match="frame 0 has no bodies"):
        yt.load(str(path))


@pytest.mark.parametrize("units", ["galactic", "solar"])
def test_from_yt(tools, units):
    frame = nbstream.gen("galaxy", n=500, units="galactic").read()[0]
    ds = frame.to_yt()
    again = nbstream.Frame.from_yt(ds, units=units)
    order, own = np.argsort(again.id), np.argsort(frame.id)
    want = frame.to_units(units) if units != "galactic" else frame
    for name in ("mass", "pos", "vel"):
        np.testing.assert_allclose(again[name][order], want[name][own], rtol=1e-12, atol=1e-12 * abs(want[name]).max())
    assert np.array_equal(again.component[order], frame.component[own]) and again.units == want.units
    assert again.G == pytest.approx(want.G, rel=1e-12)
    sphere = ds.sphere([0, 0, 0], (30, "kpc"))
    inside = nbstream.Frame.from_yt(sphere)
    assert inside.n == (np.linalg.norm(frame.pos, axis=1) < 30).sum() > 0
    with pytest.raises(ValueError, match="have no size"):
        nbstream.Frame.from_yt(ds, units="code")

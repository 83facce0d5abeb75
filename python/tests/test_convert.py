"""Other packages, where they are installed: pandas and matplotlib here, yt and pynbody in interop_*.py."""

import builtins

import numpy as np
import pytest

import nbstream
from nbstream.convert import check_color


SUN = {"mass": [1], "pos": [[0, 0, 0]], "vel": [[0, 0, 0]]}


def test_pandas(frame):
    pandas = pytest.importorskip("pandas")
    table = frame.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == 5
    assert list(table.columns) == ["mass", "x", "y", "z", "vx", "vy", "vz", "id", "component", "color", "temperature"]
    assert np.array_equal(table[["x", "y", "z"]].to_numpy(), frame.pos)
    assert table["id"].dtype == np.uint64 and table["id"][4] == 2**63 + 4
    assert table.attrs == {"time": 0.1, "G": frame.G, "units": "galactic"}


def test_from_pandas(frame):
    pandas = pytest.importorskip("pandas")
    again = nbstream.Frame.from_pandas(frame.to_pandas())
    for name in ("mass", "pos", "vel", "id", "component"):
        assert np.array_equal(again[name], frame[name]) and again[name].dtype == frame[name].dtype, name
    assert (again.time, again.G, again.units) == (frame.time, frame.G, nbstream.Frame(**{**SUN, "units": "galactic"}).units)
    table = pandas.DataFrame({"x": [1.0, 2.0], "y": 0.0, "z": [0.0, 1.0], "spin_x": 1.0, "spin_y": 2.0, "spin_z": 3.0, "age": [4.0, 5.0]})
    made = nbstream.Frame.from_pandas(table, units="solar", softening=0.5)
    assert np.array_equal(made.mass, [0.5, 0.5]) and not made.vel.any() and made.units.name == "solar"
    assert np.array_equal(made["spin"], [[1, 2, 3]] * 2) and np.array_equal(made["age"], [4, 5]) and made.softening == 0.5
    assert made.G == nbstream.Frame(**{**SUN, "units": "solar"}).G
    assert np.array_equal(nbstream.Frame.from_pandas(table.assign(m=[3.0, 4.0])).mass, [3, 4])
    for units in (nbstream.Units("odd", 1e20, 1e40, 1e15), nbstream.make_units("kpc", "km/s", "Msun")):
        odd = nbstream.Frame(**{**SUN, "units": units, "G": 3.0})
        back = nbstream.Frame.from_pandas(odd.to_pandas())
        assert back.units == units and back.G == 3.0
    assert nbstream.Frame.from_pandas(made.to_pandas(), units=made.units).G == made.G
    with pytest.raises(ValueError, match="column time: a frame has one time"):
        nbstream.Frame.from_pandas(table.assign(time=0.5))
    with pytest.raises(ValueError, match="no columns x, y and z"):
        nbstream.Frame.from_pandas(table[["x", "y"]])


def test_a_table_for_pandas(tools):
    pytest.importorskip("pandas")
    table = nbstream.gen("plummer", n=20).stat()
    data = table.to_pandas()
    assert data["momentum_x"][0] == table.momentum[0, 0] and data["time"][0] == 0
    assert "<table" in table._repr_html_()


def test_plot(frame, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = frame.plot()
    assert axes.get_xlabel() == "x [kpc]" and [t.get_text() for t in axes.get_legend().get_texts()] == [
        "halo",
        "disk",
        "star",
        "gas",
    ]
    drawn = np.concatenate([c.get_offsets() for c in axes.collections])
    assert sorted(map(tuple, np.asarray(drawn))) == sorted(map(tuple, frame.pos[:, :2]))
    other = frame.plot(color="temperature", view="xz", extent=3)
    assert np.allclose(np.diff(other.get_xlim()), 6)
    assert np.array_equal(other.collections[0].get_array(), frame["temperature"])
    frame.plot(color="red")
    with pytest.raises(ValueError, match="color='nothing' is neither auto, speed, a column"):
        frame.plot(color="nothing")
    for made in (nbstream.Frame([], [], []), nbstream.Frame([1], [[0, 0, 0]], [[0, 0, 0]])):
        made.plot().figure.savefig(tmp_path / "x.png")


def test_a_color_that_is_none(frame):
    for color in ("speed", "temperature", "component", "red", (1, 0, 0)):
        check_color(frame, color, lambda c: c in ("red", (1, 0, 0)))
    with pytest.raises(ValueError, match=r"color='nothing' is neither auto, speed, a column \(mass, pos, .*\) nor a"):
        check_color(frame, "nothing", lambda c: False)
    with pytest.raises(ValueError, match="color='component' is neither"):
        check_color(nbstream.Frame([1], [[0, 0, 0]], [[0, 0, 0]]), "component", lambda c: False)


def test_a_missing_package_is_named(frame, monkeypatch):
    real = builtins.__import__
    for name, call in (
        ("yt", frame.to_yt),
        ("pynbody", frame.to_pynbody),
        ("pandas", frame.to_pandas),
        ("matplotlib", frame.plot),
    ):
        import importlib

        def missing(module, *rest, name=name):
            if module.partition(".")[0] == name:
                raise ImportError(f"No module named '{module}'")
            return real(module, *rest)

        monkeypatch.setattr(importlib, "import_module", missing)
        with pytest.raises(ImportError, match=f"this needs the package {name}, .* pip install {name}"):
            call()

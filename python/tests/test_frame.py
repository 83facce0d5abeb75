"""Frames: units against published sizes, changes, selections, sums against numpy."""

import numpy as np
import pytest

import nbstream
from nbstream.units import Dimension, Units, dimension_of, make_units


def two(**options):
    return nbstream.Frame([1, 3], [[0, 0, 0], [4, 0, 0]], [[1, 0, 0], [0, 1, 0]], **options)


def test_systems_are_those_of_the_tools(tools):
    """nbgen writes its own sizes and G into a header."""
    for name in ("code", "galactic", "solar", "gauss"):
        text = tools("nbconv", "--from", "text", "--units", name, stdin=b"1 0 0 0 0 0 0\n")
        import io

        (frame,) = nbstream.frames(io.BytesIO(text))
        units, G = nbstream.SYSTEMS[name]
        assert frame.units == units and frame.G == G


def test_published_sizes():
    assert nbstream.SYSTEMS["galactic"][1] == pytest.approx(43009.17, rel=1e-7)
    assert nbstream.SYSTEMS["solar"][1] == pytest.approx(39.476926, rel=1e-7)
    assert nbstream.SYSTEMS["galactic"][0].time_cgs / (1e9 * 365.25 * 86400) == pytest.approx(0.97779, rel=1e-5)
    assert nbstream.parse_unit("Msun")[0] == pytest.approx(1.98841e33, rel=1e-6)
    assert nbstream.parse_unit("kpc/Gyr") == (pytest.approx(97779.2, rel=1e-6), Dimension(1, 0, -1))


def test_units_of_columns():
    assert dimension_of("L^2/T^2") == (2, 0, -2) and dimension_of("-") == (0, 0, 0)
    assert (
        dimension_of("M/L^3") == (-3, 1, 0)
        and dimension_of("1/T") == (0, 0, -1)
        and dimension_of("ML/T^2") == (1, 1, -2)
    )
    for bad in ("K", "L/", "L^", "m"):
        with pytest.raises(ValueError, match="not a product of powers"):
            dimension_of(bad)


def test_earths_orbit_in_other_units():
    """A body at 1 AU with 2 pi AU/yr goes at 29.785 km/s, and G M / r = v^2 in any units."""
    speed = np.sqrt(nbstream.SYSTEMS["solar"][1])
    orbit = nbstream.Frame(
        [1, 0], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, speed, 0]], units="solar", time=1, phi=[0, -(speed**2)]
    )
    other = orbit.to_units("km", "km/s", "kg")
    assert other.vel[1, 1] == pytest.approx(29.7847, rel=1e-5)
    assert other.pos[1, 0] == pytest.approx(1.495978707e8, rel=1e-15)
    assert other.time == pytest.approx(365.25 * 86400)
    assert other.mass[0] == pytest.approx(1.98841e30, rel=1e-5)
    assert other.G * other.mass[0] / other.pos[1, 0] == pytest.approx(other.vel[1, 1] ** 2, rel=1e-14)
    assert other["phi"][1] == pytest.approx(-(other.vel[1, 1] ** 2), rel=1e-14)
    back = other.to_units("solar")
    np.testing.assert_allclose(back.pos, orbit.pos, rtol=1e-15)
    assert back.units.name == "solar" and back.G == pytest.approx(orbit.G, rel=1e-14)


def test_code_units_have_no_size_before_they_are_given_one():
    with pytest.raises(ValueError, match="no physical sizes"):
        two().to_units("galactic")
    sized = two(softening=0.5).with_units("kpc", "1e10 Msun")
    assert np.array_equal(sized.pos, two().pos) and sized.G == 1
    units = sized.units
    assert 6.67430e-8 * units.mass_cgs * units.time_cgs**2 / units.length_cgs**3 == pytest.approx(1, rel=1e-14)
    galactic = sized.to_units("kpc", "km/s", "1e10 Msun")
    assert galactic.units.name == "galactic" and galactic.G == pytest.approx(43009.17, rel=1e-7)
    assert galactic.vel[0, 0] == pytest.approx(np.sqrt(43009.17), rel=1e-7)
    assert galactic.softening == 0.5
    assert np.array_equal(two().with_units("galactic").to_units("galactic").pos, two().pos)
    velocity = two().with_units("km/s", "1e10 Msun")
    assert velocity.units.length_cgs == pytest.approx(43009.17 * 3.0856775814913673e21, rel=1e-7)


def test_what_units_are_refused():
    for units, text in (
        (("kpc", "pc", "Msun"), "wanted are a length, a mass, and a time or a velocity, each once"),
        (("kpc", "Msun", "furlong"), "unit 'furlong' is not known"),
        (("kpc", "x Msun"), "not a unit with a number before it"),
        (("-1 kpc", "Msun"), "is not above 0"),
        ((), "wanted are"),
    ):
        with pytest.raises(ValueError, match=text):
            two().with_units(*units)
    with pytest.raises(ValueError, match="unknown units 'furlong'|unit 'furlong'|'furlong' are not known"):
        two().with_units("furlong")
    with pytest.raises(ValueError, match="wanted are"):
        make_units("kpc", "Msun")
    disks = two(units="solar", extra=["contact 1 1 1"])
    with pytest.raises(ValueError, match="header's line 'contact'"):
        disks.to_units("galactic")
    with pytest.raises(ValueError, match="forces have parameters"):
        two(units="solar", forces=["external:point,mass=1"]).to_units("galactic")


def test_single_precision_stays():
    frame = nbstream.Frame(np.ones(1, "f4"), np.ones((1, 3), "f4"), np.ones((1, 3), "f4"), units="solar", id=[5])
    other = frame.to_units("galactic")
    assert other.pos.dtype == np.float32 and other.id[0] == 5


def test_changes_drop_what_follows_from_them():
    frame = two(phi=[1, 2], acc=np.zeros((2, 3)), id=[4, 5], color=[0.5, 1])
    moved = frame.replace(pos=frame.pos + 1)
    assert "phi" not in moved and "acc" not in moved and "id" in moved and "color" in moved
    assert "phi" in frame.replace(time=3) and frame.replace(time=3).time == 3
    assert "phi" in frame.replace(vel=frame.vel, phi=[3, 4])
    assert "phi" not in frame.replace(softening=0.5)
    assert "color" not in frame.replace(color=None) and "phi" in frame.replace(color=None)
    with pytest.raises(ValueError, match="column 'mass' cannot be dropped"):
        frame.replace(mass=None)
    with pytest.raises(ValueError, match="column 'mass' has 2 values for 3 bodies"):
        frame.replace(pos=np.zeros((3, 3)))


def test_softening_is_a_value_or_a_column():
    assert two(softening=0.5).softening == 0.5 and "softening" not in two(softening=0.5)
    column = two(softening=[0.25, 0.25])
    assert column.softening == 0.25 and column.header.softening == 0 and "softening" in column
    assert "softening" not in column.replace(softening=0.5) and column.replace(softening=0.5).softening == 0.5


def test_selections():
    frame = two(component=["halo", "star"], id=[7, 9], phi=[1, 2])
    assert frame.component.tolist() == [1, 4]
    assert frame.select("star").id.tolist() == [9] and frame.select("halo,star").n == 2
    assert frame.select(["disk", "halo"]).id.tolist() == [7]
    assert frame.select(frame.mass > 2).id.tolist() == [9]
    assert frame.select(slice(None, None, -1)).id.tolist() == [9, 7]
    assert "phi" not in frame.select([0])  # of the other bodies' gravity
    assert two(component="disk").component.tolist() == [2, 2]
    with pytest.raises(ValueError, match="component 'hat' is not known"):
        frame.select("hat")


def test_sums():
    frame = two()
    assert frame.center_of_mass().tolist() == [3, 0, 0]
    assert frame.mean_velocity().tolist() == [0.25, 0.75, 0]
    assert frame.kinetic_energy() == 2


def test_names():
    frame = two()
    with pytest.raises(KeyError, match="no column 'phi'; there are mass, pos, vel"):
        frame["phi"]
    with pytest.raises(TypeError):
        iter(frame)
    assert repr(frame) == "<Frame: n=2 time=0 units=code columns=mass,pos,vel>"
    assert "mass" in frame and "phi" not in frame
    with pytest.raises(ValueError, match="unknown units 'imperial'; known units: code"):
        two(units="imperial")


def test_units_of_further_columns():
    frame = two(color=[1, 2], heat=[1.0, 2.0], column_units={"heat": "L^2/T^2"}, units="solar")
    assert frame.column_units["heat"] == "L^2/T^2" and frame.column_units["color"] == "-"
    other = frame.to_units("AU", "day", "Msun")
    assert other["heat"][0] == pytest.approx(365.25**-2) and other["color"][0] == 1


def test_astropy():
    u = pytest.importorskip("astropy.units")
    frame = two(units="galactic")
    assert frame.quantity("vel", "km/s")[0, 0].value == pytest.approx(1, rel=1e-14)
    assert frame.quantity("pos").to(u.pc)[1, 0].value == pytest.approx(4000, rel=1e-12)
    assert frame.to_units(u.pc, u.km / u.s, u.Msun).pos[1, 0] == pytest.approx(4000, rel=1e-12)
    assert Units().is_physical is False


def test_stars_that_merge(tools, tmp_path):
    """A stream of fewer and fewer bodies, and its events, in its own and in other units."""
    stars = nbstream.Frame(
        [3, 1, 0.01],
        [[0, 0, 0], [1.2, 0, 0], [0, 9, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 7, 0]],
        id=[7, 5, 3],
        units="solar",
    )
    nbstream.write(tmp_path / "in.nbs", stars)
    merging = "--until 0.2 --every 0.1 --softening 0 --merge-radius 0.01 --escape-radius 9.1 --integrator ias15 -q -o"
    tools("nbsim", str(tmp_path / "in.nbs"), *merging.split(), str(tmp_path / "out.nbs"))
    stream = nbstream.open(tmp_path / "out.nbs")
    assert [frame.n for frame in stream] == [3, 2, 1] and stream[0].events == ()
    (left,), (merged,) = stream[1].events, stream[2].events
    assert left[:2] == ("escape", 1) and left.id == 3 and left.other is None and left.mass == 0.01
    assert merged.kind == "merge" and (merged.id, merged.other, merged.mass, merged.other_mass) == (7, 5, 3, 1)
    assert 0.1 < merged.time < 0.2 and stream[2].mass.tolist() == [4] and stream[2].id.tolist() == [7]
    other = stream[2].to_units("AU", "day", "Msun")
    assert other.events[0].time == pytest.approx(merged.time * 365.25)
    assert other.events[0].energy == pytest.approx(merged.energy / 365.25**2)
    assert [line.partition(" ")[0] for line in other.header.extra] == ["event", "booked"]
    assert other.select([0]).events == other.events and len(other.select([0]).header.extra) == 1
    assert other.replace(pos=[[1, 2, 3]]).header.extra == ()
    nbstream.write(tmp_path / "copy.nbs", stream)
    assert tools("nbstat", "-q", "--events", str(tmp_path / "copy.nbs")).count(b"\n") == 3
    exchange, sum_of_all = two(extra=["event exchange 1 2 3 4 5 6 7 8 9 10 11 12 13", "event exchanges 2 0.5"]).events
    assert (exchange.id, exchange.other, exchange.former, exchange.mass, exchange.energy) == (2, 3, 4, 5, 7)
    assert exchange.pos == (8, 9, 10) and exchange.vel == (11, 12, 13) and sum_of_all[:3] == ("exchanges", 2, 0.5)
    with pytest.raises(ValueError, match="does not have the numbers of an event"):
        two(extra=["event merge 1 2"]).events

"""yt, pynbody and swiftsimio read what nbconv makes of streams: number, masses, extent and time are nbstat's within 1e-6, without
a warning; and what they write nbconv reads."""

import logging
import subprocess
import warnings

import nbs_reader
import numpy as np
import pytest

KPC, SUN, G = 3.0856775814913673e21, 1.3271244e26 / 6.6743e-8, 6.6743e-8
CASES = {  # model, options of nbconv, the stream's units in cgs
    "galactic": ("galaxy -n 2k --units galactic", "", (KPC, 1e10 * SUN, KPC / 1e5)),
    "code": ("plummer -n 1k", "--length-unit 3.5kpc --mass-unit 2e10Msun", (3.5 * KPC, 2e10 * SUN, np.sqrt((3.5 * KPC) ** 3 / (G * 2e10 * SUN)))),
    "solar": ("solar", "", (1.495978707e13, SUN, 365.25 * 86400.0)),
}


def shell(command, where):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=where, check=True, capture_output=True, text=True).stdout


class Case:
    def __init__(self, where, name):
        model, options, (self.length, self.mass, self.time) = CASES[name]
        shell(f"nbgen {model} -q | nbsim -q --device cpu --steps 2 --write acc,phi -o run.nbs", where)
        shell(f"nbconv -q --to gadget {options} -o x.hdf5 run.nbs; nbconv -q --to swift {options} -o swift.hdf5 run.nbs", where)
        self.where, self.name = where, name
        self.frame = nbs_reader.read(open(where / "run.nbs", "rb"))[-1]
        time, n, mass = shell("nbstat -q --columns time,n,mass run.nbs | tail -n 1", where).split()[-3:]
        self.n, self.total_g, self.time_s = int(n), float(mass) * self.mass, float(time) * self.time
        self.extent_cm = abs(self.frame["pos"]).max() * self.length

    def check(self, n, total_g, time_s, extent_cm):
        assert n == self.n and time_s == pytest.approx(self.time_s, rel=1e-6)
        assert total_g == pytest.approx(self.total_g, rel=1e-6) and extent_cm == pytest.approx(self.extent_cm, rel=1e-6)

    def check_columns(self, ids, pos_cm, vel_cm_s, phi_cm2_s2):
        own, order, speed = np.argsort(self.frame["id"]), np.argsort(ids), self.length / self.time
        for have, want, size in (pos_cm, "pos", self.length), (vel_cm_s, "vel", speed), (phi_cm2_s2, "phi", speed**2):
            want = self.frame[want][own] * size
            np.testing.assert_allclose(np.asarray(have)[order], want, rtol=1e-6, atol=1e-9 * abs(want).max())


@pytest.fixture(scope="module", params=list(CASES))
def case(request, tmp_path_factory):
    return Case(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture
def quiet(caplog):
    "No warnings, neither Python's nor in a log."
    caplog.set_level(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]


def yt_columns(data, pos):
    get = lambda name, unit: data["all", f"particle_{name}"].to(unit).v
    speed2 = data["all", "Potential" if ("all", "Potential") in data.ds.field_list else "Potentials"]
    return data["all", "ParticleIDs"].v, pos, get("velocity", "cm/s"), speed2.to("cm**2/s**2").v


def test_yt(case, quiet):
    yt = pytest.importorskip("yt")
    ds = yt.load(str(case.where / "x.hdf5"))
    data = ds.all_data()
    mass, pos = data["all", "particle_mass"], data["all", "particle_position"]
    # yt takes the unit of mass for 1e10 of its own Suns, which are heavier by 3e-6
    case.check(len(mass), float(mass.sum().to("Msun")) * SUN, float(ds.current_time.to("s")), float(abs(pos).max().to("cm")))
    case.check_columns(*yt_columns(data, pos.to("cm").v))
    assert float(ds.current_time.to("code_time")) == pytest.approx(case.time_s / (KPC / 1e5), rel=1e-6)


def test_pynbody(case, quiet):
    pynbody = pytest.importorskip("pynbody")
    for name, shift in ("x.hdf5", 0), ("swift.hdf5", None):
        f = pynbody.load(str(case.where / name))
        f.physical_units()
        pos = f["pos"].in_units("cm")
        if shift is None:
            import h5py
            pos = pos - h5py.File(case.where / name)["Provenance"].attrs["Shift"] * KPC
        seconds = float(f.properties["time"].in_units("s", **f.conversion_context()))
        case.check(len(f), float(f["mass"].in_units("g").sum()), seconds, float(abs(pos).max()))
        case.check_columns(f["iord"], pos, f["vel"].in_units("cm s^-1"), f["phi"].in_units("cm^2 s^-2"))


def test_swiftsimio(case, quiet):
    swiftsimio = pytest.importorskip("swiftsimio")
    h5py = pytest.importorskip("h5py")
    d = swiftsimio.load(str(case.where / "swift.hdf5"))
    shift = h5py.File(case.where / "swift.hdf5")["Provenance"].attrs["Shift"] * KPC
    groups = [getattr(d, name) for name in d.metadata.present_group_names]
    whole = lambda name, unit: np.concatenate([np.asarray(getattr(g, name).to(unit)) for g in groups])
    # swiftsimio too has a Sun of its own, and rounds the units to five digits of these
    mass, pos = whole("masses", "Msun") * SUN, whole("coordinates", "cm") - shift
    case.check(len(mass), mass.sum(), float(d.metadata.time.to("s")), abs(pos).max())
    case.check_columns(whole("particle_ids", "dimensionless"), pos, whole("velocities", "cm/s"), whole("potentials", "cm**2/s**2"))
    assert (d.metadata.boxsize.to("cm").v > pos.max() + shift.max()).all()


def test_yt_and_swift(case):
    """Debian's yt; with the newest numpy yt reads no file of SWIFT: its attributes are arrays of one, as SWIFT's are."""
    yt = pytest.importorskip("yt")
    try:
        ds = yt.load(str(case.where / "swift.hdf5"))
    except TypeError as error:
        pytest.skip(f"yt {yt.__version__} with numpy {np.__version__}: {error}")
    data = ds.all_data()
    h5py = pytest.importorskip("h5py")
    pos = data["all", "particle_position"].to("cm").v - h5py.File(case.where / "swift.hdf5")["Provenance"].attrs["Shift"] * KPC
    case.check(len(pos), float(data["all", "particle_mass"].sum().to("g")), float(ds.current_time.to("s")), abs(pos).max())


# ---- what they write ----


def test_pynbody_writes_an_array(case, tmp_path):
    pynbody = pytest.importorskip("pynbody")
    path = tmp_path / "x.hdf5"
    path.write_bytes((case.where / "x.hdf5").read_bytes())
    f = pynbody.load(str(path))
    f["phi"][:] = np.arange(len(f))
    f["level"] = np.arange(len(f)) * 0.5
    f.write_array("phi", overwrite=True)
    f.write_array("level")
    done = subprocess.run(f"nbconv --from gadget {path} >{tmp_path}/x.nbs", shell=True, capture_output=True, text=True)
    assert done.returncode == 0 and "Potential was changed after nbconv wrote it" in done.stderr, done.stderr
    g, = nbs_reader.read(open(tmp_path / "x.nbs", "rb"))
    assert (g["phi"] == np.arange(len(f))).all() and (g["level"] == np.arange(len(f)) * 0.5).all()
    assert g["mass"].sum() * g["mass_cgs"] == pytest.approx(case.total_g, rel=1e-9)


def test_swiftsimio_writes(tmp_path):
    swiftsimio = pytest.importorskip("swiftsimio")
    unyt = pytest.importorskip("unyt")
    from swiftsimio import cosmo_array

    n, r = 50, np.random.default_rng(1)
    comoving = dict(comoving=True, scale_factor=1.0)
    array = lambda values, unit, power: cosmo_array(values, unit, scale_exponent=power, **comoving)
    w = swiftsimio.Writer(unit_system=swiftsimio.metadata.writer.unit_systems.cosmo_units, boxsize=array([100.0] * 3, unyt.Mpc, 1), dimension=3)
    pos, vel, mass = r.random((n, 3)) * 100, r.normal(size=(n, 3)), r.random(n)
    w.dark_matter.coordinates = array(pos, unyt.Mpc, 1)
    w.dark_matter.velocities = array(vel, unyt.km / unyt.s, 0)
    w.dark_matter.masses = array(mass, 1e10 * unyt.Msun, 0)
    w.dark_matter.particle_ids = np.arange(1, n + 1)
    w.write(str(tmp_path / "w.hdf5"))
    g, = nbs_reader.read(__import__("io").BytesIO(subprocess.run(["nbconv", "-q", "--from", "swift", tmp_path / "w.hdf5"], check=True, capture_output=True).stdout))
    assert len(g["mass"]) == n and (g["component"] == 1).all()
    np.testing.assert_allclose(g["pos"] * g["length_cgs"], pos * 1e3 * KPC, rtol=1e-6)
    np.testing.assert_allclose(g["vel"] * g["length_cgs"] / g["time_cgs"], vel * 1e5, rtol=1e-6)
    np.testing.assert_allclose(g["mass"] * g["mass_cgs"], mass * 1e10 * 1.98841586e33, rtol=1e-6)  # unyt's Sun

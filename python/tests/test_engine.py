"""nbstream.engine: the same bytes as nbsim, arrays without copies, and what must not happen to them."""

import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import nbstream
from nbstream import engine

from conftest import ROOT

if os.environ.get("NB_SANITIZER"):
    pytest.skip("the library of a build with a sanitizer ends a Python that lacks it", allow_module_level=True)
if "NB_BUILD" in os.environ:
    os.environ["NBSTREAM_LIBRARY"] = str((ROOT / os.environ["NB_BUILD"] / "library" / "libnbtools.so").resolve())
try:
    engine.version()
except FileNotFoundError as missing:
    pytest.skip(str(missing), allow_module_level=True)
except OSError as missing:
    pytest.skip(str(missing), allow_module_level=True)


def pair(**options):
    return engine.System(
        mass=[0.75, 0.25], pos=[[-0.25, 0, 0], [0.75, 0, 0]], vel=[[0, -0.25, 0], [0, 0.75, 0]], **options
    )


@pytest.mark.parametrize(
    ("model", "size", "options"),
    [
        ("plummer", 50, {}),
        ("plummer", 50, {"integrator": "leapfrog", "dt": 0.01}),
        ("plummer", 200, {"softening": 0, "integrator": "hermite4-groups"}),
        ("plummer", 1100, {"softening": 0}),
        ("plummer", 4200, {"softening": 0}),
        ("plummer", 3000, {"force": "tree", "theta": 0.6}),
        ("plummer", 300, {"integrator": "leapfrog-block", "eta": 0.1}),
        ("plummer", 100, {"force": ["auto", "external:point,mass=2,eps=1"], "integrator": "leapfrog"}),
        ("plummer", 64, {"precision": "quad", "integrator": "leapfrog", "dt": 0.05}),
        ("plummer", 300, {"precision": "single", "integrator": "leapfrog"}),
        ("collision", 600, {}),
        ("solar", None, {"integrator": "whfast", "dt": 0.02}),
        ("solar", None, {}),
    ],
)
def test_the_bytes_are_those_of_nbsim(model, size, options):
    start = nbstream.gen(model, **({} if size is None else {"n": size, "seed": 3})).read()[0]
    run = start.pipe().sim(until=start.time + 1 / 16, every=1 / 32, store="f64", **options).read()
    with engine.System(start, **options) as system:
        for frame in (run[1], run[2]):
            system.advance(frame.time)
            for name in ("mass", "pos", "vel", "id"):
                assert system[name].tobytes() == frame[name].tobytes(), (frame.time, name)
            assert system.value("step") == frame.step
            assert system.value("softening") == frame.softening
        last = system.frame()
    assert last.history[-1].tool == "libnbtools"
    assert last.header.forces == run[2].header.forces
    assert last.history[0] == start.history[0]
    last.verify()


@pytest.mark.skipif("NBSTREAM_LIBRARY" not in os.environ, reason="no file of the library is named")
def test_a_library_in_the_package_comes_before_the_system_s_and_after_a_named_one(tmp_path):
    named = os.environ["NBSTREAM_LIBRARY"]
    shutil.copytree(ROOT / "python" / "nbstream", tmp_path / "nbstream")
    inside = shutil.copy(named, tmp_path / "nbstream" / "libnbtools.so")
    program = "from nbstream import engine; engine.version(); print(engine._library()._name)"
    for library, loaded in (("", inside), (named, named)):
        environment = dict(os.environ, NBSTREAM_LIBRARY=library)
        told = subprocess.check_output([sys.executable, "-c", program], env=environment, cwd=tmp_path, text=True)
        assert told.strip() == str(loaded)


def test_a_checked_stream_of_it_goes_on_in_the_tools(tools, tmp_path):
    with pair() as system:
        system.advance(1)
        nbstream.write(tmp_path / "one.nbs", system.frame())
    tools.check(tmp_path / "one.nbs")
    tools("nbsim", "-q", "--until", "2", "-o", str(tmp_path / "two.nbs"), str(tmp_path / "one.nbs"))
    assert nbstream.open(tmp_path / "two.nbs")[-1].time == 2


def test_arrays_are_the_library_s_memory():
    with pair() as system:
        x = system.pos
        before = x.copy()
        assert np.shares_memory(x, system.pos)
        system.advance(0.5)
        assert (x == before).all()  # until it is asked for
        again = system.pos
        assert (x == again).all() and (x != before).any()
        system.vel[:] = 0
        x[:] = [[0, 0, 0], [1, 0, 0]]
        system.changed()
        assert abs(system.energies().total + 0.75 * 0.25) < 1e-15
        for _ in range(20):
            system.kick([[0, 0, 1], [0, 0, 1]])
        assert (system.vel == [0, 0, 20]).all()
        with pytest.raises(BufferError):
            system.add([1], [[5, 5, 5]], [[0, 0, 0]])
        with pytest.raises(BufferError):
            system.close()
        del x, again
        system.add([1], [[5, 5, 5]], [[0, 0, 0]])
        assert list(system["id"]) == [0, 1, 2]
        system.remove([1])
        assert list(system["id"]) == [0, 2] and len(system) == 2


def test_an_array_keeps_its_system():
    x = pair().pos
    assert x[1, 0] == 0.75


def test_field_and_energies():
    with pair() as system:
        acc, phi = system.field([[0, 0, 2], [0, 1, 0]])
        r = np.sqrt(np.array([0.25, 0.75]) ** 2 + 4)
        assert abs(phi[0] + (np.array([0.75, 0.25]) / r).sum()) < 1e-15
        assert acc.shape == (2, 3) and acc[0, 2] < 0
        e = system.energies()
        assert abs(e.kinetic - 0.5 * (0.75 * 0.25**2 + 0.25 * 0.75**2)) < 1e-15
        assert abs(e.potential + 0.75 * 0.25) < 1e-15 and e.external == 0 and e.total == e.kinetic + e.potential


def test_systems_in_threads_have_the_bytes_of_one_after_the_other():
    starts = [nbstream.gen("plummer", n=300, seed=seed).read()[0] for seed in (1, 2)]
    found = {}

    def run(key, start):
        with engine.System(start) as system:
            system.advance(0.25)
            found[key] = system["pos"].tobytes()

    threads = [threading.Thread(target=run, args=(("both", k), start)) for k, start in enumerate(starts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, start in enumerate(starts):
        run(("one", k), start)
        assert found["one", k] == found["both", k]


def test_mistakes_are_sentences():
    with pair() as system:
        for call, words in (
            (lambda: system.set(integrator="none"), "none"),
            (lambda: system.set(bogus=1), "bogus"),
            (lambda: system.set(dt=-1), "--dt"),
            (lambda: system.advance(float("nan")), "nan"),
            (lambda: system.remove([9]), "0 of the 1 ids"),
            (lambda: system.value("none"), "none"),
        ):
            with pytest.raises(engine.EngineError, match=words):
                call()
        for call in (
            lambda: system.kick([1, 2, 3]),
            lambda: system.add([1], [[1, 1]], [[0, 0, 0]]),
            lambda: system.add([1], [[1, 1, 1]], [[0, 0, 0]], id=[1, 2]),
            lambda: system.remove([-1]),
            lambda: system.remove([0.5]),
        ):
            with pytest.raises(ValueError):
                call()
        with pytest.raises(KeyError):
            system["none"]
        with pytest.raises(TypeError):
            engine.System(system.frame(), mass=[1])
        system.set(integrator="leapfrog", dt=0.1)
        assert system.using("integrator") == "leapfrog"
        system.set(integrator=None, dt=None)
        assert system.using("integrator") == "ias15"
    with pytest.raises(ValueError, match="closed"):
        system.advance(1)

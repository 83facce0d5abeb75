"""Writing: what the C tools and an independent reader find in it."""

import io
import os
import subprocess
import sys

import nbs_reader
import numpy as np
import pytest
from conftest import DATA

import nbstream


def test_the_tools_accept_it(frame, tmp_path, tools):
    path = tmp_path / "x.nbs"
    nbstream.write(path, [frame, frame.replace(time=0.2), frame.select([0, 2])])
    assert tools.check(path) == f"{path}: ok, 3 frames, 2 to 5 bodies\n"
    text = tools(
        "nbconv", "--to", "text", "--frame", "1", "--columns", "id,component,mass,pos,color,temperature", str(path)
    )
    rows = [line.split() for line in text.decode().splitlines() if not line.startswith("#")]
    assert [int(row[0]) for row in rows] == list(frame.id)
    assert [row[1] for row in rows] == ["1", "2", "2", "4", "7"]
    values = np.array([row[2:6] for row in rows], float)
    assert np.array_equal(values[:, 0], frame.mass) and np.array_equal(values[:, 1:], frame.pos)
    assert np.array_equal(np.array([row[7] for row in rows], np.float32), frame["temperature"])


def test_an_independent_reader_finds_every_value(frame, tmp_path):
    path = tmp_path / "x.nbs"
    nbstream.write(path, frame)
    with open(path, "rb") as file:
        (found,) = nbs_reader.read(file)
    for name in frame.columns:
        assert found[name].dtype == frame[name].dtype and np.array_equal(found[name], frame[name])
    assert (found["time"], found["dt"], found["softening"], found["G"]) == (0.1, 1 / 3, 0.25, frame.G)
    assert (found["units"], found["length_cgs"]) == ("galactic", frame.units.length_cgs)


@pytest.mark.parametrize("name", ["columns", "empty", "quad", "single", "two"])
def test_what_was_read_is_written_byte_for_byte(name, tmp_path):
    original = DATA / f"version1-{name}.nbs"
    out = io.BytesIO()
    nbstream.write(out, list(nbstream.open(original)), history=False)
    frames = list(nbstream.open(original))
    path = tmp_path / "x.nbs"
    path.write_bytes(out.getvalue())
    for a, b in zip(frames, nbstream.open(path, verify=True)):
        assert a.header == b.header and list(a.columns) == list(b.columns) and a.column_units == b.column_units
        for column in a.columns:
            assert a[column].tobytes() == b[column].tobytes()


def test_a_run_of_nbsim_is_written_byte_for_byte(tools, tmp_path):
    original = tools(
        "nbsim", "-q", "--until", "0.3", "--every", "0.1", "--write", "acc,phi", stdin=tools("nbgen", "solar")
    )
    out = io.BytesIO()
    nbstream.write(out, nbstream.frames(io.BytesIO(original)), history=False)
    assert out.getvalue() == original


def test_a_tool_goes_on_from_it(frame, tmp_path, tools):
    path = tmp_path / "x.nbs"
    nbstream.write(path, frame.replace(G=0, time=0))
    tools("nbsim", "-q", "--force", "direct", "--dt", "0.5", "--steps", "2", "-o", str(tmp_path / "y.nbs"), str(path))
    last = nbstream.open(tmp_path / "y.nbs")[-1]
    np.testing.assert_allclose(last.pos, frame.pos + frame.vel, rtol=1e-14)
    assert list(last.id) == list(frame.id) and np.array_equal(last["temperature"], frame["temperature"])
    assert [line.tool for line in last.history] == ["nbstream", "nbsim"]
    assert last.history[1].parents == (1,)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_few_bodies(n, type, tmp_path, tools):
    path = tmp_path / "x.nbs"
    made = nbstream.Frame(np.ones(n, type), np.zeros((n, 3), type), np.zeros((n, 3), type), id=np.arange(n))
    nbstream.write(path, made)
    assert "ok, 1 frame" in tools.check(path)
    (read,) = nbstream.open(path, verify=True)
    assert read.n == n and read.pos.dtype == type and read.pos.shape == (n, 3)


def test_lists_make_a_frame_without_bodies():
    assert nbstream.Frame([], [], []).n == 0


def test_several_blocks_and_strides(tmp_path, tools):
    n = 400000  # pos has 9.2 MiB, three blocks
    random = np.random.default_rng(1)
    wide = random.normal(size=(3, n))
    made = nbstream.Frame(mass=np.ones(2 * n)[::2], pos=wide.T, vel=wide.T[::-1])
    path = tmp_path / "x.nbs"
    nbstream.write(path, made)
    assert "ok" in tools.check(path)
    read = nbstream.open(path, verify=True)[0]
    assert np.array_equal(read.pos, wide.T) and np.array_equal(read.vel, wide.T[::-1])


def test_big_endian_arrays(tmp_path, tools):
    path = tmp_path / "x.nbs"
    nbstream.write(path, nbstream.Frame(np.array([1.5], ">f8"), np.array([[1, 2, 3]], ">f4"), np.zeros((1, 3), ">f8")))
    assert "ok" in tools.check(path)
    assert nbstream.open(path)[0].pos.tolist() == [[1, 2, 3]]


def test_longdouble_keeps_its_digits(tmp_path, tools):
    third = np.ones((2, 3), np.longdouble) / 3
    path = tmp_path / "x.nbs"
    nbstream.write(path, nbstream.Frame([1, 1], third, -third))
    assert "ok" in tools.check(path)
    read = nbstream.open(path)[0]
    # Two doubles have 106 bits: all of x86's longdouble, not all of Arm's; elsewhere it may be a double.
    for error in (read.longdouble("pos") - third, read.longdouble("vel") + third):
        assert abs(error).max() <= 2.0**-106


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"pos": [[0, 0, np.nan], [0, 0, 0]]}, "body 0: pos is not a finite number"),
        ({"mass": [1, -1]}, "body 1: mass -1 is negative"),
        ({"time": float("inf")}, "cannot contain time = inf"),
        ({"history": ["x\ny"]}, "not printable"),
        ({"extra": ["time 7"]}, "cannot be an additional line"),
        ({"extra": ["note caf\u00e9"]}, "cannot be an additional line"),
    ],
)
def test_what_a_stream_cannot_hold(changes, text, tmp_path):
    good = nbstream.Frame([1, 1], np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=text):
        nbstream.write(tmp_path / "x.nbs", good.replace(**changes))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "columns, text",
    [
        ({"id": [-1, 0]}, "column 'id' has values from -1 to 0"),
        ({"id": [0.5, 1]}, "column 'id' cannot be made of float64"),
        ({"component": ["halo", "hat"]}, "component 'hat' is not known"),
        ({"component": [1, 300]}, "which uint8 cannot hold"),
        ({"phi": [[1, 2, 3], [4, 5, 6]]}, r"column 'phi' has the shape \(2, 3\); wanted is \(n,\)"),
        ({"color": [1, 2, 3]}, "column 'color' has 3 values for 2 bodies"),
        ({"color": np.zeros((2, 2))}, r"wanted is \(n,\) or \(n, 3\)"),
        ({"name": ["a", "b"]}, "column 'name' cannot be made of"),
    ],
)
def test_what_a_frame_cannot_be(columns, text):
    with pytest.raises(ValueError, match=text):
        nbstream.Frame([1, 1], np.zeros((2, 3)), np.zeros((2, 3)), **columns)


def test_a_bad_column_name_is_refused(tmp_path):
    made = nbstream.Frame([1], [[0, 0, 0]], [[0, 0, 0]], Temp=[1.0])
    with pytest.raises(ValueError, match="'Temp' is not a column's name"):
        nbstream.write(tmp_path / "x.nbs", made)


def test_nothing_existing_is_overwritten(frame, tmp_path):
    path = tmp_path / "x.nbs"
    nbstream.write(path, frame)
    with pytest.raises(FileExistsError, match=r"x.nbs: exists already \(overwrite=True replaces it\)"):
        nbstream.write(path, frame)
    nbstream.write(path, frame.replace(time=9), overwrite=True)
    assert nbstream.open(path)[0].time == 9
    assert os.listdir(tmp_path) == ["x.nbs"]


def test_mapped_frames_can_replace_their_own_file(frame, tmp_path):
    path = tmp_path / "x.nbs"
    nbstream.write(path, frame)
    nbstream.write(path, [f.replace(time=5) for f in nbstream.open(path)], overwrite=True)
    assert nbstream.open(path, verify=True)[0].time == 5


def test_a_failure_keeps_the_whole_frames(frame, tmp_path, tools):
    path = tmp_path / "x.nbs"
    with pytest.warns(UserWarning, match="keeps the whole frames written so far"):
        with pytest.raises(ZeroDivisionError):
            with nbstream.Writer(path) as out:
                out.write(frame)
                1 / 0
    assert os.listdir(tmp_path) == ["x.nbs.part"]
    with pytest.warns(nbstream.DamageWarning):
        assert len(nbstream.open(tmp_path / "x.nbs.part", salvage=True)) == 1
    with pytest.raises(FileExistsError, match="left by a failed run"):
        nbstream.Writer(path)
    nbstream.write(path, frame, overwrite=True)
    assert os.listdir(tmp_path) == ["x.nbs"]


def test_a_failure_before_the_first_frame_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), nbstream.Writer(tmp_path / "x.nbs"):
        1 / 0
    with pytest.raises(ValueError, match="no frame was written"):
        nbstream.write(tmp_path / "x.nbs", [])
    assert os.listdir(tmp_path) == []


def test_two_writers_of_one_file(frame, tmp_path):
    with nbstream.Writer(tmp_path / "x.nbs") as out:
        out.write(frame)
        with pytest.raises(FileExistsError, match="another program is writing it"):
            nbstream.Writer(tmp_path / "x.nbs", overwrite=True)


def test_a_full_disk_is_an_error(frame):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with pytest.raises(OSError):
        nbstream.write("/dev/full", frame)


def test_a_script_leaves_its_name_in_the_history(tmp_path):
    script = tmp_path / "make.py"
    script.write_text(
        "import nbstream, sys\nnbstream.write('-', nbstream.Frame([1], [[0, 0, 0]], [[0, 0, 0]]), seed=3)\n"
    )
    folder = os.path.dirname(os.path.dirname(nbstream.__file__))
    done = subprocess.run(
        [sys.executable, str(script), "a b", "1"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": folder},
    )
    (read,) = nbstream.frames(io.BytesIO(done.stdout))
    (line,) = read.history
    assert line == f"1 - nbstream {nbstream.__version__} 3 python make.py 'a b' 1"


def test_equal_frames_give_equal_bytes(frame):
    first, second = io.BytesIO(), io.BytesIO()
    nbstream.write(first, frame)
    nbstream.write(second, frame)
    assert first.getvalue() == second.getvalue()


def random_frame(random):
    """Any number of bodies with columns of any type and width, in any memory order."""
    n = int(random.choice([0, 1, 2, 5, 64, 1000]))
    real = random.choice([np.float32, np.float64])
    columns = {"mass": random.random(n).astype(real)}
    columns.update((name, random.normal(size=(3, n)).astype(real).T) for name in ("pos", "vel"))
    if random.random() < 0.5:
        columns["id"] = random.integers(0, 2**64 - 1, n, np.uint64)
        columns["component"] = random.integers(0, 256, n).astype(np.uint8)
    for k in range(random.integers(0, 5)):
        kind = random.choice([np.float32, np.float64, np.uint8, np.uint32, np.uint64])
        bits = random.bytes(3 * n * np.dtype(kind).itemsize)  # NaN, infinities and denormals too
        columns[f"c{k}_{random.integers(10)}"] = np.frombuffer(bits, kind).reshape(n, 3)[:, :: random.choice([1, -1])]
    time, step = float(random.normal() * 10.0 ** random.integers(-300, 300)), int(random.integers(0, 2**63))
    return nbstream.Frame(**columns, time=time, step=step, dt=float(random.random()), G=float(random.random()))


def test_random_frames_come_back_bit_for_bit(tmp_path, tools):
    random = np.random.default_rng(11)
    made = [random_frame(random) for _ in range(40)]
    path = tmp_path / "x.nbs"
    nbstream.write(path, made)
    assert "ok, 40 frames, 0 to 1000 bodies" in tools.check(path)
    with open(path, "rb") as file:
        truth = nbs_reader.read(file)
    for frame, read, other in zip(made, nbstream.open(path, verify=True), truth):
        assert (read.time, read.step, read.dt, read.G) == (frame.time, frame.step, frame.dt, frame.G)
        assert float(other["time"]) == frame.time and int(other["step"]) == frame.step
        for name, array in frame.columns.items():
            assert read[name].dtype == other[name].dtype == array.dtype and read[name].shape == array.shape
            assert read[name].tobytes() == other[name].tobytes() == np.ascontiguousarray(array).tobytes()

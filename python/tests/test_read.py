"""Reading what the C tools write, and the frozen streams, whose numbers are known."""

import io
import os
import subprocess
import threading

import nbs_reader
import numpy as np
import pytest
from conftest import DATA

import nbstream
from nbstream import programs


@pytest.fixture(scope="module")
def run(tools, tmp_path_factory):
    """Eleven frames of a small run."""
    path = tmp_path_factory.mktemp("run") / "run.nbs"
    ic = tools("nbgen", "plummer", "-n", "64", "--seed", "7")
    path.write_bytes(tools("nbsim", "-q", "--until", "1", "--every", "0.1", stdin=ic))
    return path


def test_a_run_is_a_sequence(run):
    frames = nbstream.open(run)
    assert len(frames) == 11
    assert frames[-1].time == 1.0 and frames[10].time == 1.0 and frames[0].step == 0
    assert [f.time for f in frames[2:8:3]] == [frames[2].time, frames[5].time]
    assert isinstance(frames[::-1], nbstream.Stream) and frames[::-1][0].number == 10
    np.testing.assert_allclose(frames.times, np.arange(11) / 10, atol=1e-15)
    assert frames.at(0.33).number == 3
    assert frames[np.int64(3)].time == frames[3].time
    with pytest.raises(TypeError, match=r"chosen by its number, not by 'pos'; run\[-1\]\['pos'\] is a column"):
        frames["pos"]
    with pytest.raises(TypeError, match="run.nbs: a frame is chosen by its number, not by 1.5$"):
        frames[1.5]
    with pytest.raises(IndexError, match=r"no frame 11: there are 11 \(0 to 10\)"):
        frames[11]


def test_columns_are_those_of_an_independent_reader(run):
    with open(run, "rb") as file:
        expected = nbs_reader.read(file)
    for frame, truth in zip(nbstream.open(run, verify=True), expected):
        assert frame.n == len(frame) == int(truth["n"])
        assert (frame.G, frame.softening, frame.dt) == (truth["G"], truth["softening"], truth["dt"])
        assert list(frame.history) == truth["history"]
        for name in frame.columns:
            assert frame[name].dtype == truth[name].dtype
            assert np.array_equal(frame[name], truth[name])


def test_columns_are_mapped_and_cannot_be_written(run):
    frame = nbstream.open(run)[3]
    assert frame.pos.shape == (64, 3) and not frame.pos.flags.writeable
    assert not frame.pos.flags.owndata
    with pytest.raises(ValueError):
        frame.pos[0] = 0
    own = frame.copy()
    own.pos[0] = 0
    assert frame.pos[0].any()


def test_history_has_parts(run):
    first, second = nbstream.open(run)[0].history
    assert (first.id, first.parents, first.tool, first.seed) == (1, (), "nbgen", 7)
    assert first.command == "nbgen plummer --bodies=64 --seed=7"
    assert (second.id, second.parents, second.tool, second.seed) == (2, (1,), "nbsim", None)
    assert nbstream.History("a line of another form").id == 0


def test_the_frozen_streams():
    first, second = nbstream.open(DATA / "version1-columns.nbs", verify=True)
    assert list(first["id"]) == [18446744073709551615, 5, 9223372036854775808]
    assert list(first.component) == [0, 7, 255]
    assert first["color"].dtype == np.uint32 and first["color"].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 4294967295]]
    assert first["header"].tolist() == [1e-300, -1e300, 4.9406564584124654e-324]
    assert first["softening_l"].dtype == np.float32 and first["softening_l"][1] == np.float32(0.2)
    assert first["phi"].tolist() == [-1.5, -2.5, -3.5]
    assert first["pos"][1].tolist() == [1, -0.25, 0.125]
    assert (first.time, first.step, first.G) == (-0.1, 7, 43009.17)
    assert (first.header.origin, first.header.every) == (-0.5, 0.2)
    assert (first.units.name, first.units.length_cgs) == ("galactic", 3.0856775814913673e21)
    assert first.header.forces == ("auto", "external:point,mass=1")
    assert first.header.extra[-1] == "key value with  blanks"
    assert (second.n, second.time, second.component[0]) == (1, 0.1, 3)


def test_no_bodies_and_single_and_quad():
    empty = nbstream.open(DATA / "version1-empty.nbs", verify=True)
    assert [f.n for f in empty] == [0, 2]
    assert empty[0].pos.shape == (0, 3) and empty[0].mass.shape == (0,)
    single = nbstream.open(DATA / "version1-single.nbs", verify=True)
    assert single[0].pos.dtype == np.float32
    quad = nbstream.open(DATA / "version1-quad.nbs", verify=True)[0]
    wide = quad.longdouble("pos")
    assert wide.dtype == np.longdouble
    assert np.array_equal(wide.astype(float), quad.pos)
    if np.finfo(np.longdouble).nmant > 60:
        assert np.array_equal(wide - quad.pos, quad["pos_lo"])


def test_concatenated_streams(run, tmp_path):
    both = tmp_path / "both.nbs"
    both.write_bytes(run.read_bytes() + run.read_bytes() + (DATA / "version1-two.nbs").read_bytes())
    frames = nbstream.open(both, verify=True)
    assert len(frames) == 25
    assert [f.number for f in frames] == list(range(25))
    assert np.array_equal(frames[13].pos, frames[2].pos)
    assert [f.time for f in nbstream.frames(io.BytesIO(both.read_bytes()))] == list(frames.times)


def test_a_pipe(run):
    with subprocess.Popen(["cat", str(run)], stdout=subprocess.PIPE) as cat:
        frames = list(nbstream.frames(cat.stdout))
    assert [f.time for f in frames] == list(nbstream.open(run).times)
    assert np.array_equal(frames[5].vel, nbstream.open(run)[5].vel)
    assert not frames[5].vel.flags.writeable


def test_a_frame_comes_from_a_pipe_as_soon_as_it_is_whole(run):
    data = run.read_bytes()
    second = data.index(b"nbs 1 frame\n", 1)
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb", buffering=0) as sink:
        sink.write(data[:second])
        frames = nbstream.frames(source)
        assert next(frames).time == 0.0  # nothing of the next was written yet: this would wait for ever
        threading.Thread(target=lambda: (sink.write(data[second:]), sink.close())).start()
        assert len(list(frames)) == 10


def test_a_fifo_and_stdin_are_told_from_files(run, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    feeder = threading.Thread(target=lambda: fifo.write_bytes(run.read_bytes()))
    feeder.start()
    assert len(list(nbstream.frames(fifo))) == 11
    feeder.join()
    with pytest.raises(ValueError, match=r"frames\('-'\)"):
        nbstream.open("-")


def test_stdin(run):
    code = "import nbstream; print([round(f.time, 1) for f in nbstream.frames('-')][-1])"
    folder = os.path.dirname(os.path.dirname(nbstream.__file__))
    done = subprocess.run(
        [os.sys.executable, "-c", code],
        stdin=open(run, "rb"),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": folder},
    )
    assert done.stdout == b"1.0\n", done.stderr


def test_programs_are_found(monkeypatch, tmp_path):
    monkeypatch.setenv("NBSTREAM_BIN", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="nbsim is not in NBSTREAM_BIN"):
        programs.find("nbsim")
    with pytest.raises(ValueError, match="'rm' is not one of the programs"):
        programs.find("rm")
    fake = tmp_path / "nbsim"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    assert programs.find("nbsim") == str(fake)

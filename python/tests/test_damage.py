"""Streams that are cut, changed by a bit, or put together of parts: none is taken for a whole one."""

import io
import warnings

import nbs_writer
import numpy as np
import pytest
from conftest import DATA

import nbstream


def small(time):
    n = 3
    return nbs_writer.frame(np.ones(n), np.full((n, 3), time), np.zeros((n, 3)), time=time)


@pytest.fixture
def stream():
    return nbs_writer.stream(small(0.0), small(0.5), small(1.0))


def both_ways(data, tmp_path):
    """The errors of reading all of it, as a file and as a pipe."""
    path = tmp_path / "x.nbs"
    path.write_bytes(data)
    for read in (lambda: nbstream.open(path, verify=True), lambda: list(nbstream.frames(io.BytesIO(data)))):
        with pytest.raises(nbstream.StreamError) as error:
            read()
        yield str(error.value), error.value


def salvaged(data, tmp_path):
    path = tmp_path / "x.nbs"
    path.write_bytes(data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frames = nbstream.open(path, salvage=True)
        numbers = [f.number for f in frames]
        piped = [f.number for f in nbstream.frames(io.BytesIO(data), salvage=True)]
    assert piped == numbers
    assert all(w.category is nbstream.DamageWarning for w in caught)
    assert bool(caught) == bool(frames.damage)
    return numbers


def test_every_cut_is_noticed(stream, tmp_path):
    sizes = {size + k for size in range(0, len(stream), 64) for k in (-1, 0, 1, 37)}
    for size in sorted(sizes & set(range(1, len(stream)))):
        for text, error in both_ways(stream[:size], tmp_path):
            assert isinstance(error, nbstream.DamagedError), (size, text)
            assert "\n" not in text


def test_changed_bytes_are_noticed(stream, tmp_path):
    random = np.random.default_rng(3)
    for at in range(0, len(stream), 7):
        data = bytearray(stream)
        data[at] ^= 1 << random.integers(8)
        for text, _ in both_ways(bytes(data), tmp_path):
            assert "\n" not in text


def test_messages_name_the_last_whole_frame(stream, tmp_path):
    size = len(small(0.0))
    for text, error in both_ways(stream[: 2 * size + 300], tmp_path):
        assert text.endswith("the stream is truncated in frame 2; the last whole frame is 1 (time 0.5)")
        assert error.last_whole == 1
    for text, _ in both_ways(stream[: 2 * size], tmp_path):
        assert text.endswith("ends without its trailer; the last whole frame is 1 (time 0.5)")
    at = stream.index(np.float64(0.5).tobytes())
    data = bytearray(stream)
    data[at] ^= 1
    for text, _ in both_ways(bytes(data), tmp_path):
        assert text.endswith(
            "frame 1: column 'pos' is damaged: the checksum of block 0 is wrong; the last whole frame is 0 (time 0)"
        )


def test_a_damaged_column_is_found_when_it_is_asked_for(stream, tmp_path):
    data = bytearray(stream)
    data[stream.index(np.float64(0.5).tobytes())] ^= 1
    path = tmp_path / "x.nbs"
    path.write_bytes(data)
    frames = nbstream.open(path)
    frames[0].verify()
    assert len(frames) == 3 and frames[1].time == 0.5
    message = "frame 1: column 'pos' is damaged: the checksum of block 0 is wrong"
    with pytest.raises(nbstream.DamagedError, match=message):
        frames[1].verify()
    with pytest.raises(nbstream.DamagedError, match="frame 1"):
        frames.verify()


def test_headers_and_footers_are_always_verified(stream, tmp_path):
    data = bytearray(stream)
    data[len(small(0.0)) + 20] ^= 1
    path = tmp_path / "x.nbs"
    path.write_bytes(data)
    frames = nbstream.open(path)
    with pytest.raises(nbstream.DamagedError, match="frame 1: the header is damaged: its checksum is wrong"):
        frames[1]
    assert frames[2].time == 1.0


def test_exchanged_frames_are_noticed(tmp_path):
    a, b = small(0.0), small(0.5)
    size, whole = len(a), nbs_writer.stream(a, b)
    assert len(b) == size
    exchanged = b + a + whole[2 * size :]
    for text, _ in both_ways(exchanged, tmp_path):
        assert "frame 0 is not the frame that the trailer of the stream lists" in text
    path = tmp_path / "x.nbs"
    with pytest.raises(nbstream.DamagedError, match="frame 0 is not the frame"):
        nbstream.open(path)[0]
    assert salvaged(exchanged, tmp_path) == [0, 1]


def test_salvage_takes_the_whole_frames(stream, tmp_path):
    size = len(small(0.0))
    assert salvaged(stream, tmp_path) == [0, 1, 2]
    assert salvaged(stream[: 2 * size + 100], tmp_path) == [0, 1]
    assert salvaged(stream[: 3 * size], tmp_path) == [0, 1, 2]
    column = bytearray(stream)
    column[stream.index(np.float64(0.5).tobytes())] ^= 1
    assert salvaged(bytes(column), tmp_path) == [0, 2]
    header = bytearray(stream)
    header[size + 20] ^= 1
    assert salvaged(bytes(header), tmp_path) == [0, 2]
    # The first stream is cut within a frame, and another was appended.
    assert salvaged(stream[: size + 300] + stream, tmp_path) == [0, 2, 3, 4]
    assert salvaged(b"rubbish" + stream, tmp_path) == [1, 2, 3]


def test_salvage_agrees_with_nbstat(stream, tmp_path, tools):
    size = len(small(0.0))
    for data in (stream[: 2 * size + 100], stream[: size + 300] + stream, b"rubbish" + stream):
        numbers = salvaged(data, tmp_path)
        table = tools("nbstat", "--salvage", "-q", "--columns", "frame", str(tmp_path / "x.nbs")).decode()
        assert numbers == [int(line) for line in table.split("\n")[1:-1]]


def test_without_a_whole_frame(stream, tmp_path):
    path = tmp_path / "x.nbs"
    path.write_bytes(stream[:500])
    with pytest.raises(nbstream.DamagedError, match="x.nbs: no whole frame"):
        nbstream.open(path, salvage=True)


@pytest.mark.parametrize(
    "data, text",
    [
        (b"", "empty, no snapshot"),
        (b"# x y z\n1 2 3\n" * 10, "not a snapshot stream"),
        (b"nbs 2 frame\n" + bytes(100), "version 2 of the stream's format; this program reads version 1"),
        (b"nbs 1 frame\n" + b"x" * 3000000, "frame 0: the header is larger than 1 MiB"),
    ],
)
def test_what_is_no_stream(data, text, tmp_path):
    path = tmp_path / "x.nbs"
    path.write_bytes(data)
    with pytest.raises(nbstream.StreamError, match=text):
        nbstream.open(path)
    with pytest.raises(nbstream.StreamError, match=text):
        list(nbstream.frames(io.BytesIO(data)))


def test_a_header_that_lies_about_its_size(tmp_path):
    lying = nbs_writer.frame(np.ones(1), np.ones((1, 3)), np.ones((1, 3)), n=2**60)
    for text, _ in both_ways(nbs_writer.stream(lying), tmp_path):
        assert "the stream is truncated in frame 0" in text


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_raises_nothing_else(seed, tmp_path):
    random = np.random.default_rng(seed)
    data = bytearray((DATA / "version1-columns.nbs").read_bytes())
    for _ in range(random.integers(1, 6)):
        at, kind = int(random.integers(len(data))), random.integers(4)
        piece = data[at : at + int(random.integers(1, 300))]
        if kind == 0:
            data[at] = random.integers(256)
        elif kind == 1:
            del data[at : at + len(piece)]
        elif kind == 2:
            data[at:at] = piece
        else:
            other = int(random.integers(len(data)))
            data[other : other + len(piece)] = piece
    if data == (DATA / "version1-columns.nbs").read_bytes():
        return
    for text, _ in both_ways(bytes(data), tmp_path):
        assert "\n" not in text
    try:
        salvaged(bytes(data), tmp_path)
    except nbstream.StreamError:
        pass

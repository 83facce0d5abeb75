"""Hostile streams whose checksums are right: the C reader and the package judge all of them alike."""

import io
import random
import subprocess

import nbs_writer
import pytest

import nbstream
from nbstream import programs

COUNT = 300  # streams; a process each reads them
TYPES = {"f32": 4, "f64": 8, "u8": 1, "u32": 4, "u64": 8}
HEADER = """nbs 1 frame
n 3
time 0.5
step 7
G 1
softening 0.1
dt 0.01
origin 0
every 0.25
units solar
length_cgs 1
mass_cgs 0
time_cgs 2
column mass f64 1 M
column pos f64 3 L
column vel f32 3 L/T
column id u64 1 -
force auto
history 1 - nbgen 0.1.0 1 nbgen plummer
note of nobody""".split("\n")
WORDS = (
    "0 1 3 4 -1 007 3.0 1e0 +3 -0 .5 5. . e5 1e400 -1e-400 1e5000 nan inf 0x1p3 1_0 18446744073709551615 "
    "18446744073709551616 mass pos vel id pos_lo vel_lo component softening Heat heat h_2 f32 f64 u8 u32 u64 f16 2 L - "
    "auto external:point,mass=1 checksum nbs column history force n time G units frame"
).split() + ["", " ", "9" * 5000, "0" * 5000 + "3", "a" * 31, "a" * 32, "~" * 40]
LINES = (
    "force auto auto", "force", "force ", "force  auto", "force auto ", "history", "history ", "column", "column ",
    "", " ", " n 3", "n", "n ", "n 3 ", "n  3", "checksum", "checksum 0123456789abcdef0", "nbs", "nbs 1", "nbs  1 frame",
    "column pos_lo f64 3 L", "column vel_lo f64 3 L/T", "column pos_lo f32 3 L", "column pos_lo f64 1 L",
    "column softening f32 1 L", "column heat f64 1 -", "column heat f64 3 furlong", "column heat f64 1 - ",
    "column heat f64 1", "column  heat f64 1 -", "column heat f64 01 -", "column heat f64 1 - -", "column component u32 1 -",
    "column mass f64 1 M", "contact 1 2 3", "wall a 0 0", "step 8", "every -1", "dt -0", "softening -0.0", "G -1", "key",
    "x" * 40 + " 1", "column " + "a" * 31 + " f64 1 -", "column " + "a" * 32 + " f64 1 -", "column a f64 1 " + "L" * 31,
    "column a f64 1 " + "L" * 32, "units " + "u" * 31, "units " + "u" * 32, "units a b", "time 1", "column 1a f64 1 -",
)  # fmt: skip


def changed_line(rng, line):
    words = line.split(" ")
    k = rng.randrange(len(words))
    what = rng.randrange(5)
    if what == 0:
        words[k] = rng.choice(WORDS)
    elif what == 1:
        words.insert(k, rng.choice(WORDS))
    elif what == 2:
        del words[k]
    elif what == 3:
        words[k] += rng.choice(("", " ", "0", "_", "L", "."))
    else:
        words.append(rng.choice(WORDS))
    return " ".join(words)


def changed(rng, lines, more):
    """The lines, of which the first is a magic one, with one to three changes."""
    lines = list(lines)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        k = rng.randrange(1, max(2, len(lines)))
        what = rng.randrange(6)
        if what < 2:
            lines.insert(k, rng.choice(more))
        elif len(lines) == 1:
            continue
        elif what == 2:
            lines.insert(k, rng.choice(lines[1:]))
        elif what == 3:
            del lines[k]
        else:
            lines[k] = changed_line(rng, lines[k])
    return lines


def sizes(header):
    """Names and sizes of the columns that a header seems to have, for data and a footer that fit it."""
    words = [line.split() for line in header]
    n = next((int(w[1]) for w in words if w[:1] == ["n"] and len(w) > 1 and w[1].isdigit() and len(w[1]) < 6000), 3)
    for w in words:
        if len(w) > 3 and w[0] == "column" and w[2] in TYPES and w[3] in ("1", "3", "01"):
            yield w[1], min(n, 1000) * TYPES[w[2]] * int(w[3])


def make_frame(header, change=None):
    head = nbs_writer.text_block(*header)
    data, foot = b"", ["nbs 1 footer", "header " + nbs_writer.own_checksum(head)]
    for name, size in sizes(header):
        part = nbs_writer.padded(bytes(size))
        foot.append(" ".join([name, nbs_writer.checksum(part)]) if size else name)
        data += part
    return head + data + nbs_writer.text_block(*(change(foot) if change else foot))


def make_stream(frames, change=None, sizes_off=(0, 0)):
    marks, at = [], 0
    for f in frames:
        marks.append(f"frame {at} {nbs_writer.own_checksum(f)}")
        at += len(f)
    lines = ["nbs 1 trailer", f"frames {len(frames)}", *marks]
    trailer = nbs_writer.text_block(*(change(lines) if change else lines))
    close = b"nbs 1 close %017d %016d " % (at + len(trailer) + 64 + sizes_off[0], len(trailer) + sizes_off[1])
    return b"".join(frames) + trailer + close + nbs_writer.checksum(close).encode() + b"\n"


def hostile(seed):
    """A stream of two frames of which one part is changed, its checksums mended; which part."""
    rng = random.Random(seed)
    good = make_frame(HEADER)
    part = rng.choice(("header",) * 7 + ("empty", "footer", "trailer", "close"))
    if part == "header":
        return part, make_stream([good, make_frame(changed(rng, HEADER, LINES))])
    none = [line if line != "n 3" else "n 0" for line in HEADER] if part == "empty" else HEADER
    if part in ("footer", "empty"):
        bad = make_frame(none, lambda foot: changed(rng, foot, ("mass", "mass ", "heat 0123456789abcdef", "")))
        return part, make_stream([good, bad])
    if part == "trailer":
        more = ("frames 2", "frames 02", "frame 0 0123456789abcdef", "frame", "", "frame " + "9" * 5000 + " 0")
        return part, make_stream([good, good], lambda lines: changed(rng, lines, more))
    return part, make_stream([good, good], None, (rng.choice((0, 64, -64)), rng.choice((0, 64, -64))))


def long_header(size):
    """A stream whose header's text block has so many bytes."""
    rest = size - len(nbs_writer.text_block(*HEADER, "note "))
    lines = HEADER + ["note " + "x" * (rest // 2), "note " + "x" * (rest - rest // 2 - 6)]
    assert len(nbs_writer.text_block(*lines)) == size
    return make_stream([make_frame(lines)])


def judge_c(path):
    """What nbstat says of the file, or None if it takes it."""
    done = subprocess.run([programs.find("nbstat"), "--check", path], capture_output=True, check=False)
    assert done.returncode in (0, 1), (path, done)
    return done.stderr.decode() if done.returncode else None


def judge_python(path, data):
    """The messages of the ways to read it: all of it, frame by frame, and as a pipe; None where it is taken."""

    def one_by_one():
        for frame in nbstream.open(path):
            frame.verify()

    for read in (
        lambda: list(nbstream.open(path, verify=True)),
        one_by_one,
        lambda: list(nbstream.frames(io.BytesIO(data))),
    ):
        try:
            read()
            yield None
        except nbstream.StreamError as error:
            yield str(error)


def compare(path, data, what):
    path.write_bytes(data)
    c = judge_c(str(path))
    for k, message in enumerate(judge_python(path, data)):
        assert (message is None) == (c is None), (what, k, c, message)
        if message is not None:
            name = str(path) if k < 2 else "stream"
            assert message.startswith(name + ": ") and "\n" not in message, (what, message)
        if message is not None and ": frame 1: " in c:
            assert "frame 1" in message, (what, k, c, message)
    return c is None


@pytest.mark.usefixtures("tools")
def test_both_readers_judge_hostile_streams_alike(tmp_path):
    path = tmp_path / "x.nbs"
    assert compare(path, make_stream([make_frame(HEADER)] * 2), "as it was made")
    taken = sum(compare(path, hostile(seed)[1], (seed, hostile(seed)[0])) for seed in range(COUNT))
    assert COUNT // 10 < taken < COUNT // 2


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("line", LINES)
def test_both_readers_judge_a_line_of_the_header_alike(tmp_path, line):
    compare(tmp_path / "x.nbs", make_stream([make_frame(HEADER)] + [make_frame(HEADER + [line])]), line)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    ("size", "taken"), [((1 << 20) - 64, True), (1 << 20, True), ((1 << 20) + 64, False), (3 << 20, False)]
)
def test_a_header_has_at_most_1_mib(tmp_path, size, taken):
    path = tmp_path / "x.nbs"
    assert compare(path, long_header(size), size) == taken
    if not taken:
        for message in (judge_c(str(path)), *judge_python(path, path.read_bytes())):
            assert "frame 0: the header is larger than 1 MiB" in message


def test_positions_in_f32_have_low_parts_in_f64(tmp_path, tools):
    path = tmp_path / "x.nbs"
    begin = tools("nbgen", "figure8")
    run = ("nbsim", "-q", "--device", "cpu", "--precision", "quad", "--steps", "3", "--dt", "0.01")
    path.write_bytes(tools(*run, "--store", "f32", stdin=begin))
    narrow = nbstream.open(path)[-1]
    (wide,) = (f for f in nbstream.frames(io.BytesIO(tools(*run, stdin=begin))) if f.step == 3)
    assert narrow.pos.dtype == "f4" and wide.pos.dtype == "f8"
    for name in ("pos", "vel"):
        assert abs(narrow.longdouble(name) - wide.longdouble(name)).max() < 2e-16
        assert abs(narrow[name] - wide[name]).max() > 1e-9

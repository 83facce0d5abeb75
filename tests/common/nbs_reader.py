"""A reader of nbs(5) for the tests, written from the manual page: numpy only, without a line of our C code.

It trusts the checksums of the data, and compares those that bind header, footer and trailer.
"""
import numpy

TYPES = {"f32": "<f4", "f64": "<f8", "u8": "u1", "u32": "<u4", "u64": "<u8"}


KNOWN = "n time dynamical_time origin every step G softening dt units length_cgs mass_cgs time_cgs checksum".split()


def text_block(data, at):
    """The lines of the text block that begins at `at`, and the place behind it."""
    end = data.index(b"\n", data.index(b"\nchecksum ", at) + 1)
    return data[at:end].decode("ascii").split("\n"), -(-(end + 1) // 64) * 64


def header(lines):
    """Header values, lists of what may stand there several times, and the columns' lines."""
    frame, columns = {"history": [], "force": []}, []
    for key, _, value in (line.partition(" ") for line in lines):
        if key == "column":
            columns.append(value.split())
        elif key in KNOWN:
            frame[key] = value
        else:
            frame.setdefault(key, []).append(value)
    return frame, columns


def read(stream):
    """All frames of an open binary file: dictionaries of header values and, by name, columns."""
    data = stream.read()
    frames, marks, at = [], [], 0
    while data.startswith(b"nbs 1 frame\n", at):
        begin = at
        lines, at = text_block(data, at)
        frame, columns = header(lines[1:])
        for key in ("time", "G", "softening", "dt", "length_cgs", "mass_cgs", "time_cgs"):
            frame[key] = float(frame.get(key, 0))
        for name, kind, width, _ in columns: # also one called softening
            shape = (int(frame["n"]), 3) if width == "3" else (int(frame["n"]),)
            count = int(numpy.prod(shape))
            frame[name] = numpy.frombuffer(data, TYPES[kind], count, at).reshape(shape)
            at += -(-count * numpy.dtype(TYPES[kind]).itemsize // 64) * 64
        footer, at = text_block(data, at)
        assert footer[:2] == ["nbs 1 footer", "header " + frame["checksum"]], "no footer of this header"
        marks.append(f"frame {begin} " + footer[-1].split()[1])
        frames.append(frame)
    trailer, at = text_block(data, at)
    assert trailer[:-1] == ["nbs 1 trailer", f"frames {len(frames)}"] + marks, "no trailer of these frames"
    assert at + 64 == len(data) and data.startswith(b"nbs 1 close %017d " % len(data), at), "no close line"
    return frames

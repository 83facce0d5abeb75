"""A reader of nbs(5) for the tests, written from the manual page: numpy only, without a line of our C code."""
import numpy

TYPES = {"f32": "<f4", "f64": "<f8", "u8": "u1", "u32": "<u4", "u64": "<u8"}


def read(stream):
    """All frames of an open binary file: dictionaries of header values and, by name, columns."""
    data = stream.read()
    frames, at = [], 0
    while data.startswith(b"nbs 1 frame\n", at):
        frame, columns = {"history": []}, []
        while True:
            line, at = data[at : data.index(b"\n", at)].decode(), data.index(b"\n", at) + 1
            key, _, value = line.partition(" ")
            if key == "checksum":
                break
            elif key == "column":
                columns.append(value.split())
            elif key == "history":
                frame["history"].append(value)
            else:
                frame[key] = value
        at = -(-at // 64) * 64
        for name, kind, width, _ in columns:
            shape = (int(frame["n"]), 3) if width == "3" else (int(frame["n"]),)
            count = int(numpy.prod(shape))
            frame[name] = numpy.frombuffer(data, TYPES[kind], count, at).reshape(shape)
            at += -(-count * numpy.dtype(TYPES[kind]).itemsize // 64) * 64
        for key in ("time", "G", "softening", "dt", "length_cgs", "mass_cgs", "time_cgs"):
            frame[key] = float(frame.get(key, 0))
        assert data.startswith(b"nbs 1 footer\n", at), "no footer"
        at = -(-(data.index(b"\n", data.index(b"\nchecksum ", at) + 1) + 1) // 64) * 64
        frames.append(frame)
    assert data.startswith(b"nbs 1 trailer\n", at), "no trailer"
    return frames

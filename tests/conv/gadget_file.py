"""GADGET's binary snapshots for the tests, from the user's guide of GADGET-2: without a line of our C code."""
import struct

import numpy as np


def record(data, order, name=None):
    count = struct.pack(order + "I", len(data) % 2**32)
    head = b"" if name is None else record(name.encode().ljust(4) + struct.pack(order + "I", len(data) + 8), order)
    return head + count + data + count


def header(count, mass=(0,) * 6, time=0.0, redshift=0.0, files=1, total=None, box=0.0, matter=0.0, lam=0.0, h=1.0,
           order="<"):
    data = struct.pack(order + "6i6ddd2i6I2idddd", *count, *mass, time, redshift, 0, 0, *(total or count), 0, files,
                       box, matter, lam, h)
    return data.ljust(256, b"\0")


def write(path, count, blocks, named=True, order="<", **head):
    """blocks: pairs of a name and an array, in their order."""
    with open(path, "wb") as f:
        f.write(record(header(count, order=order, **head), order, "HEAD" if named else None))
        for name, values in blocks:
            values = np.asarray(values)
            f.write(record(values.astype(values.dtype.newbyteorder(order)).tobytes(), order, name if named else None))


def read(path):
    """The header's counts, masses, time, and the blocks by name (of format 1 by their order), as bytes."""
    data = open(path, "rb").read()
    order = "<" if struct.unpack("<I", data[:4])[0] in (8, 256) else ">"
    at, found, name = 0, [], None
    while at < len(data):
        size, = struct.unpack_from(order + "I", data, at)
        body = data[at + 4:at + 4 + size]
        assert struct.unpack_from(order + "I", data, at + 4 + size)[0] == size
        at += size + 8
        if size == 8 and name is None and body[:4].isalpha() | (body[:4] in (b"POS ", b"VEL ", b"ID  ", b"POT ")):
            name = body[:4].decode()
            assert struct.unpack(order + "I", body[4:])[0] == struct.unpack_from(order + "I", data, at)[0] + 8
        else:
            found.append((name, body))
            name = None
    head = found[0][1]
    assert len(head) == 256
    return {"order": order, "count": struct.unpack_from(order + "6i", head), "named": found[0][0] == "HEAD",
            "mass": struct.unpack_from(order + "6d", head, 24), "time": struct.unpack_from(order + "d", head, 72)[0],
            "total": struct.unpack_from(order + "6I", head, 96), "files": struct.unpack_from(order + "i", head, 124)[0],
            "blocks": found[1:]}

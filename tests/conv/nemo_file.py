"""NEMO's binary structured file for the tests, written from filestruct(5NEMO): without a line of our C code."""
import struct

import numpy as np

SIZES = {"a": 1, "b": 1, "c": 1, "s": 2, "h": 2, "i": 4, "f": 4, "l": 8, "d": 8}
KINDS = {"s": "i2", "i": "i4", "f": "f4", "l": "i8", "d": "f8", "h": "f2"}


def item(type, tag, value=None, dims=None, order="<"):
    """The bytes of an item; value: a number, an array, or bytes as they are."""
    if value is not None and not isinstance(value, bytes):
        value = np.asarray(value)
        dims = value.shape if dims is None and value.shape else dims
        value = value.astype(order + KINDS[type]).tobytes()
    head = struct.pack(order + "H", 0o5622 if dims else 0o4622) + type.encode() + b"\0"
    if type != ")":
        head += tag.encode() + b"\0"
    if dims:
        head += struct.pack(f"{order}{len(dims) + 1}i", *dims, 0)
    return head + (value or b"")


def text(tag, value, order="<"):
    return item("c", tag, value.encode("latin-1") + b"\0", (len(value) + 1,), order)


def group(tag, *items, order="<"):
    return item("(", tag, order=order) + b"".join(items) + item(")", "", order=order)


def read(data):
    """A list of (tag, value) of bytes; of sets the value is such a list."""
    stack, at = [("", [])], 0
    while at < len(data):
        order = "<" if data[at] == 0o222 else ">"
        magic, = struct.unpack_from(order + "H", data, at)
        assert magic in (0o4622, 0o5622), (at, magic)
        type, at = chr(data[at + 2]), at + 4
        assert data[at - 1] == 0
        if type == ")":
            done = stack.pop()
            stack[-1][1].append(done)
            continue
        end = data.index(b"\0", at)
        tag, at = data[at:end].decode(), end + 1
        if type == "(":
            stack.append((tag, []))
            continue
        dims = []
        while magic == 0o5622:
            dim, = struct.unpack_from(order + "i", data, at)
            at += 4
            if dim == 0:
                break
            dims.append(dim)
        count = int(np.prod(dims)) if dims else 1
        if type == "c":
            value = data[at:at + count].rstrip(b"\0").decode()
        else:
            value = np.frombuffer(data, order + KINDS[type], count, at).reshape(dims)
        at += count * SIZES[type]
        stack[-1][1].append((tag, value))
    assert at == len(data) and len(stack) == 1
    return stack[0][1]


def snapshots(data):
    """Dictionaries of what the snapshots hold, and the history."""
    items = read(data)
    found = []
    for tag, value in items:
        if tag == "SnapShot":
            parts = dict(value)
            found.append({**dict(parts.get("Parameters", ())), **dict(parts.get("Particles", ()))})
    return found, [value for tag, value in items if tag == "History"]

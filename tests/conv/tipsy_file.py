"""TIPSY's binary file for the tests, written from its layout: numpy only, without a line of our C code."""
import numpy as np

NAMES = {
    "gas": "mass x y z vx vy vz rho temp eps metals phi",
    "dark": "mass x y z vx vy vz eps phi",
    "star": "mass x y z vx vy vz metals tform eps phi",
}


def header_type(order, old):
    fields = [("time", order + "f8")] + [(k, order + "i4") for k in "n ndim gas dark star".split()]
    return np.dtype(fields + ([] if old else [("pad", order + "i4")]))


def record_type(family, order):
    return np.dtype([(k, order + "f4") for k in NAMES[family].split()])


def read(path, order=">", old=False):
    """Header, and of each family an array of records; nothing may follow."""
    data = open(path, "rb").read()
    kind = header_type(order, old)
    head = np.frombuffer(data, kind, 1)[0]
    at, families = kind.itemsize, {}
    for family in NAMES:
        kind = record_type(family, order)
        families[family] = np.frombuffer(data, kind, head[family], at)
        at += head[family] * kind.itemsize
    assert at == len(data), (at, len(data))
    assert head["n"] == sum(map(len, families.values())) and head["ndim"] == 3
    return head, families


def write(path, time, order=">", old=False, **families):
    """families: dictionaries of columns; what is not given is 0."""
    head = np.zeros(1, header_type(order, old))
    head["time"], head["ndim"] = time, 3
    parts = []
    for family in NAMES:
        columns = families.get(family, {})
        part = np.zeros(len(columns.get("mass", ())), record_type(family, order))
        for name, values in columns.items():
            part[name] = values
        head[family] = len(part)
        parts.append(part)
    head["n"] = sum(map(len, parts))
    with open(path, "wb") as f:
        f.write(head.tobytes() + b"".join(part.tobytes() for part in parts))

"""Writes snapshot streams after nbs(5) with none of the library's code, so that tests can say what stands in them.

    write("x.nbs", frame(mass, pos, vel, time=0.5, G=2, phi=...), frame(...))
"""
import ctypes
import ctypes.util

import numpy as np

KINDS = {"float32": "f32", "float64": "f64", "uint8": "u8", "uint32": "u32", "uint64": "u64"}
BLOCK = 4 << 20

_xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
_xxhash.XXH3_64bits.restype = ctypes.c_uint64
_xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    return "%016x" % _xxhash.XXH3_64bits(data, len(data))


def padded(data):
    return data + b"\0" * (-len(data) % 64)


def text_block(*lines):
    text = "".join(line + "\n" for line in lines).encode("ascii")
    return padded(text + f"checksum {checksum(text)}\n".encode())


def own_checksum(block):
    "The checksum on the last line of what ends in a text block."
    return block.rstrip(b"\0")[-17:-1].decode()


def frame(mass, pos, vel, time=0.0, G=1.0, n=None, **others):
    """A frame; others are columns (numpy arrays), header values, or lists of them, a line each. A wrong n makes a header
    that lies."""
    columns = {"mass": mass, "pos": pos, "vel": vel}
    columns.update((key, value) for key, value in others.items() if isinstance(value, np.ndarray))
    columns = {key: np.asarray(value, getattr(value, "dtype", float)) for key, value in columns.items()}
    values = {"n": len(columns["mass"]) if n is None else n, "time": repr(float(time)), "G": repr(float(G))}
    values.update((key, value) for key, value in others.items() if key not in columns)
    lines = ((key, value if isinstance(value, list) else [value]) for key, value in values.items())
    header = ["nbs 1 frame"] + [f"{key} {one}" for key, several in lines for one in several]
    footer, data = [], b""
    for key, value in columns.items():
        width = value.shape[1] if value.ndim > 1 else 1
        header.append(f"column {key} {KINDS[str(value.dtype)]} {width} -")
        part = padded(np.ascontiguousarray(value).tobytes())
        footer.append(" ".join([key] + [checksum(part[k : k + BLOCK]) for k in range(0, len(part), BLOCK)]))
        data += part
    header = text_block(*header)
    return header + data + text_block("nbs 1 footer", "header " + own_checksum(header), *footer)


def stream(*frames):
    offsets = np.cumsum([0] + [len(f) for f in frames])
    marks = (f"frame {offset} {own_checksum(f)}" for offset, f in zip(offsets, frames))
    trailer = text_block("nbs 1 trailer", f"frames {len(frames)}", *marks)
    close = b"nbs 1 close %017d %016d " % (offsets[-1] + len(trailer) + 64, len(trailer))
    return b"".join(frames) + trailer + close + checksum(close).encode() + b"\n"


def write(path, *frames):
    with open(path, "wb") as f:
        f.write(stream(*frames))

"""Readers of what nbrender writes, independent of its code: PNG (by the specification, with every CRC) and YUV4MPEG2."""
import struct
import zlib

import numpy as np


def png(path):
    """Pixels of an 8-bit RGB file, [height, width, 3]."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, ended = 8, b"", False
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body), "CRC"
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        packed += body if kind == b"IDAT" else b""
        ended |= kind == b"IEND"
        at += 12 + size
    assert ended, "no end"
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] <= 1).all(), "filters None and Sub only"
    pixels = rows[:, 1:].reshape(height, width, 3)
    return np.where((rows[:, 0] == 1)[:, None, None], np.cumsum(pixels, axis=1, dtype=np.uint8), pixels)


def y4m(path):
    """Header fields, and a list of (Y, Cb, Cr)."""
    data = open(path, "rb").read()
    header, at = data[: data.index(b"\n")].decode().split(" "), data.index(b"\n") + 1
    fields = {f[0] if f[0] != "X" else f: f[1:] for f in header[1:]}
    w, h, frames = int(fields["W"]), int(fields["H"]), []
    while at < len(data):
        assert data[at : at + 6] == b"FRAME\n"
        planes = np.frombuffer(data, np.uint8, w * h * 3 // 2, at + 6)
        y, cb, cr = np.split(planes, [w * h, w * h * 5 // 4])
        frames.append((y.reshape(h, w), cb.reshape(h // 2, w // 2), cr.reshape(h // 2, w // 2)))
        at += 6 + w * h * 3 // 2
    return header[0], fields, frames


def middle(pixels):
    """Where the light is, in pixels from the upper left corner (the middle of the first pixel is 0.5, 0.5)."""
    light = pixels.max(axis=2).astype(float)
    y, x = np.mgrid[: light.shape[0], : light.shape[1]] + 0.5
    return (light * x).sum() / light.sum(), (light * y).sum() / light.sum()


def spots(pixels):
    """Number of separate spots of light."""
    left = pixels.max(axis=2) > 0
    count = 0
    while left.any():
        count += 1
        todo = [tuple(np.argwhere(left)[0])]
        while todo:
            y, x = todo.pop()
            if 0 <= y < left.shape[0] and 0 <= x < left.shape[1] and left[y, x]:
                left[y, x] = False
                todo += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return count

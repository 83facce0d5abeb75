"""Readers of what nbrender writes, independent of its code and by the specifications: PNG, YUV4MPEG2, PFM, FITS."""
import struct
import zlib

import numpy as np


def png_chunks(path):
    """(kind, body) of each, the checksums verified."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body), "CRC"
        chunks.append((kind.decode(), body))
        at += 12 + size
    assert chunks[-1][0] == "IEND", "no end"
    return chunks


def paeth(left, above, corner):
    """The predictor of the filter of that name (PNG Specification, 9.4), for arrays of int."""
    guess = left + above - corner
    a, b, c = abs(guess - left), abs(guess - above), abs(guess - corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))


def unfilter(rows, step):
    """Bytes of rows that begin with the number of their filter; `step` bytes a pixel."""
    height, size = rows.shape[0], rows.shape[1] - 1
    out = np.zeros((height + 1, size), np.uint8)
    for y in range(height):
        kind, row, above = rows[y, 0], rows[y, 1:], out[y]
        if kind == 0:
            out[y + 1] = row
        elif kind == 1:
            out[y + 1] = np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
        elif kind == 2:
            out[y + 1] = row + above
        else:
            pixels, upper = row.reshape(-1, step).astype(int), above.reshape(-1, step).astype(int)
            left = corner = np.zeros(step, int)
            for x in range(len(pixels)):
                left = (pixels[x] + ((left + upper[x]) // 2 if kind == 3 else paeth(left, upper[x], corner))) % 256
                corner = upper[x]
                out[y + 1, x * step : (x + 1) * step] = left
    return out[1:]


def png_pixels(chunks, packed):
    """The pixels that were packed, of a file with these chunks."""
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    assert chunks[0][0] == "IHDR" and (depth, colour) in ((8, 2), (8, 6), (16, 2), (16, 6))
    channels = 3 if colour == 2 else 4
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels * depth // 8)
    data = unfilter(rows, channels * depth // 8)
    return data.reshape(height, width, channels) if depth == 8 else data.view(">u2").reshape(height, width, channels)


def png(path):
    """Pixels of an RGB or RGBA file of 8 or 16 bits, [height, width, 3 or 4], uint8 or uint16."""
    chunks = png_chunks(path)
    return png_pixels(chunks, b"".join(body for kind, body in chunks if kind == "IDAT"))


def apng(path):
    """Pixels of each picture, and how long each is shown in s. All cover the whole file and replace the one before."""
    chunks = png_chunks(path)
    kinds = [kind for kind, _ in chunks]
    count, plays = struct.unpack(">II", dict(chunks)["acTL"])
    assert kinds.count("acTL") == 1 and kinds.index("acTL") < kinds.index("IDAT") and plays == 0
    size, sequence, packed, delays = chunks[0][1][:8], 0, [], []
    for kind, body in chunks:
        if kind in ("fcTL", "fdAT"):
            assert struct.unpack(">I", body[:4])[0] == sequence
            sequence += 1
        if kind == "fcTL":
            assert body[4:12] == size and body[12:20] == bytes(8) and body[24:] == b"\0\0"
            delays.append(np.divide(*struct.unpack(">HH", body[20:24])))
            packed.append(b"")
        if kind in ("IDAT", "fdAT"):
            assert (kind == "IDAT") == (len(packed) == 1)
            packed[-1] += body if kind == "IDAT" else body[4:]
    assert len(packed) == count
    return [png_pixels(chunks, each) for each in packed], delays


def png_text(path):
    """Texts by their keyword."""
    return dict(tuple(part.decode("latin-1") for part in body.split(b"\0", 1))
                for kind, body in png_chunks(path) if kind == "tEXt")


def exif(path):
    """Texts of a JPEG or WebP file by the number of their field."""
    data, at = open(path, "rb").read(), 12
    if data[:2] == b"\xff\xd8":
        assert data[2:4] == b"\xff\xe0" and data[6:11] == b"JFIF\0", "no JFIF"
        at = 4 + struct.unpack(">H", data[4:6])[0]
        assert data[at : at + 2] == b"\xff\xe1" and data[at + 4 : at + 10] == b"Exif\0\0"
        notes = data[at + 10 : at + 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]]
    else:
        assert data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8X" and struct.unpack("<I", data[4:8])[0] == len(data) - 8
        chunks = {}
        while at < len(data):
            kind, size = struct.unpack("<4sI", data[at : at + 8])
            chunks[kind], at = data[at + 8 : at + 8 + size], at + 8 + size + size % 2
        assert at == len(data) and chunks[b"VP8X"][0] & 8
        notes = chunks[b"EXIF"]
    assert notes[:4] == b"II*\0"
    at = struct.unpack("<I", notes[4:8])[0]
    count = struct.unpack("<H", notes[at : at + 2])[0]
    fields = [struct.unpack("<HHII", notes[at + 2 + 12 * k : at + 14 + 12 * k]) for k in range(count)]
    assert notes[at + 2 + 12 * count : at + 6 + 12 * count] == bytes(4) and fields == sorted(fields)
    assert all(kind == 2 and size > 4 and at % 2 == 0 and notes[at + size - 1] == 0 for _, kind, size, at in fields)
    return {tag: notes[at : at + size - 1].decode() for tag, _, size, at in fields}


def pfm(path):
    """Pixels from the top, [height, width, channels]."""
    data = open(path, "rb").read()
    magic, size, scale, rest = data.split(b"\n", 3)
    assert magic in (b"PF", b"Pf") and float(scale) == -1
    width, height = (int(k) for k in size.split())
    channels = 3 if magic == b"PF" else 1
    assert len(rest) == 4 * width * height * channels
    return np.frombuffer(rest, "<f4").reshape(height, width, channels)[::-1]


def fits(path):
    """The cards as a dictionary (texts and numbers; HISTORY: a list), and the array, [channel,] row from below, column."""
    data = open(path, "rb").read()
    assert len(data) % 2880 == 0
    cards, at = {"HISTORY": []}, 0
    while True:
        card = data[at : at + 80].decode("ascii")
        key, at = card[:8].rstrip(), at + 80
        if key == "END":
            break
        if key == "HISTORY":
            cards["HISTORY"].append(card[8:].rstrip())
            continue
        assert card[8:10] == "= " and key not in cards, card
        value = card[10:]
        if value.startswith("'"):
            cards[key] = value[1 : value.index("'", 1)].rstrip()
        else:
            word = value.split("/")[0].strip()
            cards[key] = {"T": True, "F": False}[word] if word in "TF" else float(word)
    assert cards["SIMPLE"] is True and cards["BITPIX"] == -32 and list(cards)[1:4] == ["SIMPLE", "BITPIX", "NAXIS"]
    shape = [int(cards[f"NAXIS{k + 1}"]) for k in range(int(cards["NAXIS"]))][::-1]
    begin = -(-at // 2880) * 2880
    assert not data[at:begin].strip() and len(data) == begin + -(-4 * int(np.prod(shape)) // 2880) * 2880
    return cards, np.frombuffer(data, ">f4", int(np.prod(shape)), begin).reshape(shape)


def exr(path):
    """Attributes as (type, bytes), and channels as arrays [row, column], of a file of scan lines in ZIP blocks."""
    data = open(path, "rb").read()
    assert struct.unpack("<II", data[:8]) == (20000630, 2)
    def text(at):
        end = data.index(b"\0", at)
        return data[at:end].decode(), end + 1
    at, attributes = 8, {}
    while data[at]:
        name, at = text(at)
        kind, at = text(at)
        size = struct.unpack("<I", data[at : at + 4])[0]
        attributes[name], at = (kind, data[at + 4 : at + 4 + size]), at + 4 + size
    at += 1
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"][1])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    assert attributes["displayWindow"] == attributes["dataWindow"] and attributes["compression"] == ("compression", b"\3")
    assert attributes["lineOrder"] == ("lineOrder", b"\0")
    listed, channels = attributes["channels"][1], {}
    while listed[0]:
        name, listed = listed.split(b"\0", 1)
        kind, linear, across, down = struct.unpack("<4I", listed[:16])
        assert (across, down) == (1, 1)
        channels[name.decode()], listed = {1: "<f2", 2: "<f4"}[kind], listed[16:]
    assert list(channels) == sorted(channels) and listed == b"\0"
    offsets = np.frombuffer(data, "<u8", -(-height // 16), at)
    at, out = at + offsets.nbytes, {name: np.zeros((height, width), kind) for name, kind in channels.items()}
    for k, offset in enumerate(offsets):
        y, size = struct.unpack("<II", data[at : at + 8])
        assert offset == at and y == 16 * k
        lines = range(y, min(y + 16, height))
        whole = len(lines) * width * sum(np.dtype(kind).itemsize for kind in channels.values())
        block = np.frombuffer(data, np.uint8, size, at + 8)
        if size < whole:
            block = np.frombuffer(zlib.decompress(block.tobytes()), np.uint8).astype(int)
            block = np.cumsum(np.r_[block[:1], block[1:] - 128]).astype(np.uint8)
            block = np.stack([block[: (whole + 1) // 2], np.r_[block[(whole + 1) // 2 :], [0] * (whole % 2)]], axis=1).astype(np.uint8)
        block, used, at = block.tobytes()[:whole], 0, at + 8 + size
        for line in lines:
            for name, kind in channels.items():
                out[name][line] = np.frombuffer(block, kind, width, used)
                used += width * np.dtype(kind).itemsize
    assert at == len(data)
    return attributes, out


def y4m(path):
    """Header fields, and a list of (Y, Cb, Cr)."""
    data = open(path, "rb").read()
    header, at = data[: data.index(b"\n")].decode().split(" "), data.index(b"\n") + 1
    fields = {f[0] if f[0] != "X" else f: f[1:] for f in header[1:]}
    w, h, frames = int(fields["W"]), int(fields["H"]), []
    kind = "<u2" if fields["C"].endswith("p10") else "u1"
    step = 1 if fields["C"].startswith("444") else 2
    luma, chroma = w * h, (w // step) * (h // step)
    while at < len(data):
        assert data[at : at + 6] == b"FRAME\n"
        planes = np.frombuffer(data, kind, luma + 2 * chroma, at + 6)
        y, cb, cr = np.split(planes, [luma, luma + chroma])
        frames.append((y.reshape(h, w), cb.reshape(h // step, w // step), cr.reshape(h // step, w // step)))
        at += 6 + planes.nbytes
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

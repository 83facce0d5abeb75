"""Frames in a buffer: their offsets and checksums, and the index of streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import layout, xxh3
from .errors import StreamError
from .frame import Frame
from .layout import CLOSE_SIZE, MAGIC_FOOTER, MAGIC_FRAME, MAGIC_TRAILER, Column, Cut, Header, Trouble, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Parsed(NamedTuple):
    """A frame in a buffer, with unread columns."""

    n: int
    columns: List[Column]
    header: Header
    places: List[int]  # offsets of the columns
    sums: List[List[str]]  # block checksums of each column
    checksum: str  # the footer's
    end: int


class Entry(NamedTuple):
    """Position of a complete frame: its number, its first byte, the byte after it, its footer's checksum."""

    number: int
    begin: int
    end: int
    checksum: str


class DataTrouble(Trouble):
    """A column differs from its checksum. The rest of the frame is intact."""

    def __init__(self, text: str, end: int) -> None:
        super().__init__(text)
        self.end = end


class HeaderWhole(Exception):
    """There is damage after an intact header."""

    def __init__(self, trouble: Trouble, data_begin: int) -> None:
        self.trouble, self.data_begin = trouble, data_begin


def _parse_head(buffer: Any, at: int, size: int) -> Tuple[int, List[Column], Header, str, int]:
    end = layout.find_end(buffer, at, size, "header", layout.HEADER_MAX)
    lines, checksum = layout.read_block(buffer[at:end], "header")
    return (*layout.parse_header(lines), checksum, end)


def _parse_foot(
    buffer: Any, at: int, size: int, header: str, columns: List[Column], n: int
) -> Tuple[List[List[str]], str, int]:
    if buffer[at : at + len(MAGIC_FOOTER)] != MAGIC_FOOTER:
        raise Trouble("the footer does not match the header")
    end = layout.find_end(buffer, at, size, "footer")
    lines, checksum = layout.read_block(buffer[at:end], "footer")
    return layout.parse_footer(lines, header, columns, n), checksum, end


def parse_frame(buffer: Any, at: int, size: int) -> Parsed:
    """Returns the frame that begins at ``at``, with verified header and footer and unread columns."""
    n, columns, header, checksum, data = _parse_head(buffer, at, size)
    places, end = [], data
    for c in columns:
        places.append(end)
        end += padded(c.size(n))
    try:
        if end >= size:
            raise Cut("cut")
        sums, footer, end = _parse_foot(buffer, end, size, checksum, columns, n)
    except Trouble as trouble:
        raise HeaderWhole(trouble, data) from None
    return Parsed(n, columns, header, places, sums, footer, end)


def verify_columns(buffer: Any, frame: Parsed) -> None:
    """Compares the columns with their checksums."""
    view = memoryview(buffer)
    try:
        for c, place, sums in zip(frame.columns, frame.places, frame.sums):
            size = c.size(frame.n)
            for k in range(0, len(sums), 64):
                part = view[place + k * xxh3.BLOCK : place + min(padded(size), (k + 64) * xxh3.BLOCK)]
                found = xxh3.block_digests(part)
                part.release()
                if found != sums[k : k + 64]:
                    bad = k + next(j for j in range(len(found)) if found[j] != sums[k + j])
                    raise DataTrouble(f"column '{c.name}' is damaged: the checksum of block {bad} is wrong", frame.end)
            if any(buffer[place + size : place + padded(size)]):
                raise DataTrouble(f"column '{c.name}' has padding that is not zero", frame.end)
    finally:
        view.release()


def arrays_of(buffer: Any, frame: Parsed) -> Dict[str, NDArray[Any]]:
    arrays = {}
    for c, place in zip(frame.columns, frame.places):
        count = frame.n * c.width
        flat = np.frombuffer(buffer, c.dtype, count, place) if count else np.zeros(0, c.dtype)
        flat.flags.writeable = False
        arrays[c.name] = flat.reshape(c.shape(frame.n))
    return arrays


def frame_of(buffer: Any, parsed: Parsed, number: int, verify: Any = None) -> Frame:
    return Frame._make(parsed.header, arrays_of(buffer, parsed), {c.name: c.unit for c in parsed.columns}, verify, number)


# ---- streams ----


def check_magic(name: str, begins: bytes, salvage: bool = False) -> None:
    """Raises an error if the buffer cannot be a stream, truncated or not."""
    first, _, rest = begins.partition(b"\n")
    words = first.split(b" ")
    if (
        rest
        and len(words) == 3
        and words[0] == b"nbs"
        and words[2] == b"frame"
        and words[1].isdigit()
        and words[1] != b"1"
    ):
        raise StreamError(f"{name}: version {int(words[1])} of the stream's format; this program reads version 1")
    magic = (MAGIC_FRAME, MAGIC_TRAILER)
    if not salvage and not any(begins.startswith(m) or m.startswith(begins) for m in magic):
        raise StreamError(f"{name}: not a snapshot stream")


def read_index(buffer: Any, size: int) -> Optional[List[Entry]]:
    """Returns all frames from the trailers in the buffer, found from its end. None if a trailer is unusable."""
    streams, end = [], size
    while end > 0:
        sizes = layout.parse_close(buffer[max(0, end - CLOSE_SIZE) : end])
        if not sizes or not CLOSE_SIZE + layout.ALIGN <= sizes[0] <= end:
            return None
        begin = end - sizes[0]
        frames_end = end - CLOSE_SIZE - sizes[1]
        if frames_end < begin or buffer[frames_end : frames_end + len(MAGIC_TRAILER)] != MAGIC_TRAILER:
            return None
        try:
            marks = layout.parse_trailer(layout.read_block(buffer[frames_end : end - CLOSE_SIZE], "trailer")[0])
        except (Trouble, ValueError):
            return None
        begins = [begin + m.offset for m in marks] + [frames_end]
        if begins[0] != begin or any(b - a < 2 * layout.ALIGN for a, b in zip(begins, begins[1:])):
            return None
        streams.append([(a, b, m.checksum) for a, b, m in zip(begins, begins[1:], marks)])
        end = begin
    places = [place for stream in reversed(streams) for place in stream]
    return [Entry(k, *place) for k, place in enumerate(places)]

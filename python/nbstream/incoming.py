"""Reads streams frame after frame: from pipes, and from files in the same way."""

from __future__ import annotations

import mmap
import os
import stat
import sys
import tempfile
from typing import Any, BinaryIO, Iterator, List, Optional, Tuple, Union

from . import layout, xxh3
from .errors import DamagedError, StreamError
from .frame import Frame
from .layout import CLOSE_SIZE, MAGIC_FOOTER, MAGIC_FRAME, MAGIC_TRAILER, Cut, Mark, Trouble, padded
from .parsed import Parsed, arrays_of, check_magic, verify_columns
from .reader import Path, open_file, stream_of
from .reader import open as open_stream


class Pipe:
    """Frames of a source that is read once, in its order, each as soon as it is complete."""

    def __init__(self, file: Any, verify: bool) -> None:
        self.file, self.verify = file, verify
        self.held = bytearray()  # bytes that were read and are not consumed
        self.taken = self.number = self.begin = 0
        self.marks: List[Mark] = []
        self.last: Optional[Tuple[int, float]] = None

    def fill(self, size: int) -> bool:
        """Reads until ``size`` bytes are held. Returns False if the input ends before."""
        some = getattr(self.file, "read1", None)
        while len(self.held) < size:
            piece = some(1 << 16) if some else self.file.read(size - len(self.held))
            if not piece:
                return False
            self.held += piece
        return True

    def take(self, size: int) -> bytearray:
        """Removes and returns the first ``size`` bytes held."""
        data, self.held = self.held[:size], self.held[size:]
        self.taken += size
        return data

    def read(self, size: int) -> bytearray:
        """Returns ``size`` bytes. Memory grows only with the bytes that arrived."""
        data = self.take(min(size, len(self.held)))
        while len(data) < size:
            piece = self.file.read(min(size - len(data), 16 << 20))
            if not piece:
                raise Cut
            data += piece
            self.taken += len(piece)
        return data

    def block(self, what: str, most: int) -> bytes:
        """Returns the next text block."""
        looked = 0
        while True:
            have = len(self.held)
            if have > most or self.held.find(b"\0", looked) >= 0 or self.held.find(layout.CHECKSUM, looked) >= 0:
                try:
                    return bytes(self.take(layout.find_end(self.held, 0, have, what, most)))
                except Cut:
                    pass
            looked = max(0, have - len(layout.CHECKSUM))
            if not self.fill(have + 1):
                raise Cut

    def frames(self) -> Iterator[Frame]:
        while True:
            self.fill(len(MAGIC_TRAILER))
            if self.held.startswith(MAGIC_FRAME):
                try:
                    frame = self.frame()
                except Cut:
                    raise Cut(f"the stream is truncated in frame {self.number}") from None
                except Trouble as trouble:
                    raise Trouble(f"frame {self.number}: {trouble}") from None
                self.last = (self.number, frame.time)
                self.number += 1
                yield frame
            elif self.held.startswith(MAGIC_TRAILER):
                self.trailer()
            elif not self.held and self.taken == self.begin and self.last:
                return
            elif not self.held and self.last:
                raise Cut("the stream ends without its trailer")
            elif MAGIC_FRAME.startswith(self.held) or MAGIC_TRAILER.startswith(self.held):
                raise Cut(f"the stream is truncated in frame {self.number}")
            else:
                raise Trouble("expected a frame or a trailer")

    def frame(self) -> Frame:
        begin = self.taken - self.begin
        lines, checksum = layout.read_block(self.block("header", layout.HEADER_MAX), "header")
        n, columns, header = layout.parse_header(lines)
        data = [self.read(padded(c.size(n))) for c in columns]
        blocks = sum(-(-len(d) // xxh3.BLOCK) for d in data)
        text = self.block("footer", 4096 + 17 * blocks + 32 * len(columns))
        if not text.startswith(MAGIC_FOOTER):
            raise Trouble("the footer does not match the header")
        lines, footer = layout.read_block(text, "footer")
        sums = layout.parse_footer(lines, checksum, columns, n)
        arrays = {}
        for c, d, s in zip(columns, data, sums):
            parsed = Parsed(n, [c], header, [0], [s], footer, 0)
            if self.verify:
                verify_columns(d, parsed)
            arrays.update(arrays_of(d, parsed))
        self.marks.append(Mark(begin, footer))
        return Frame._make(header, arrays, {c.name: c.unit for c in columns}, None, self.number)

    def trailer(self) -> None:
        begin = self.taken
        try:
            text = self.block("trailer", 1 << 62)
            marks = layout.parse_trailer(layout.read_block(text, "trailer")[0])
            if not self.fill(CLOSE_SIZE):
                raise Cut
        except Cut:
            raise Cut("the stream is truncated in its trailer") from None
        sizes = layout.parse_close(bytes(self.take(CLOSE_SIZE)))
        if sizes != (self.taken - self.begin, self.taken - CLOSE_SIZE - begin):
            raise Trouble("the last line of the stream is damaged")
        if marks != self.marks:
            wrong = next((k for k, (a, b) in enumerate(zip(marks, self.marks)) if a.checksum != b.checksum), None)
            if wrong is None or len(marks) != len(self.marks):
                raise Trouble("the trailer does not match the frames before it")
            number = self.number - len(marks) + wrong
            raise Trouble(f"frame {number} is not the frame that the trailer of the stream lists")
        self.begin, self.marks = self.taken, []


def frames(source: Union[Path, BinaryIO], *, verify: bool = True, salvage: bool = False) -> Iterator[Frame]:
    """Yields the frames of a stream one after the other, from a pipe as they arrive, with one in memory.

    ``source`` is a path, ``-`` for stdin, or anything with ``read``. All checksums are compared unless ``verify`` is
    False. A truncated or damaged stream raises DamagedError: from a pipe after the last complete frame, from a file
    before the first frame, because its end is read first. ``salvage`` reads a pipe to its end first, into a temporary
    file.
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        with open_file(os.fspath(source)) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                yield from _files_frames(os.fspath(source), verify, salvage)
            else:
                yield from _pipe_frames(file, os.fspath(source), verify, salvage)
    elif isinstance(source, (str, os.PathLike)):
        yield from _pipe_frames(sys.stdin.buffer, "stdin", verify, salvage)
    else:
        yield from _pipe_frames(source, str(getattr(source, "name", "stream")), verify, salvage)


def _files_frames(name: str, verify: bool, salvage: bool) -> Iterator[Frame]:
    run = open_stream(name, salvage=salvage)
    for frame in run:
        if verify and not salvage:
            frame.verify()
        yield frame


def _pipe_frames(file: Any, name: str, verify: bool, salvage: bool) -> Iterator[Frame]:
    if salvage:
        yield from _spooled(file, name)
        return
    pipe = Pipe(file, verify)
    if not pipe.fill(1):
        raise StreamError(f"{name}: empty, no snapshot")
    pipe.fill(len(MAGIC_TRAILER))
    check_magic(name, bytes(pipe.held[: layout.ALIGN]))
    try:
        yield from pipe.frames()
    except Trouble as trouble:
        last = (
            f"; the last whole frame is {pipe.last[0]} (time {pipe.last[1]:.10g})" if pipe.last else "; no whole frame"
        )
        raise DamagedError(f"{name}: {trouble}{last}", pipe.last[0] if pipe.last else None) from None


def _spooled(file: Any, name: str) -> Iterator[Frame]:
    with tempfile.TemporaryFile() as copy:
        for piece in iter(lambda: file.read(1 << 20), b""):
            copy.write(piece)
        copy.flush()
        size = copy.tell()
        if size == 0:
            raise StreamError(f"{name}: empty, no snapshot")
        buffer = mmap.mmap(copy.fileno(), size, access=mmap.ACCESS_READ)
    yield from stream_of(name, buffer, size, True, True)

"""Reading streams: files by their index, columns mapped into memory; pipes frame after frame."""

from __future__ import annotations

import mmap
import os
import stat
import sys
import tempfile
import warnings
from typing import (
    IO, TYPE_CHECKING, Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload,
)  # fmt: skip

import numpy as np

from . import layout, xxh3
from .errors import DamagedError, DamageWarning, StreamError
from .frame import Frame
from .layout import CLOSE_SIZE, MAGIC_FOOTER, MAGIC_FRAME, MAGIC_TRAILER, Column, Cut, Header, Mark, Trouble, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .pipeline import Pipeline

Path = Union[str, "os.PathLike[str]"]


class Parsed(NamedTuple):
    """A frame in a buffer, its columns not looked at."""

    n: int
    columns: List[Column]
    header: Header
    places: List[int]  # where the columns begin
    sums: List[List[str]]  # checksums of their blocks
    checksum: str  # the footer's
    end: int


class Entry(NamedTuple):
    """Where a whole frame lies: its number, its first byte, the byte behind it, its footer's checksum."""

    number: int
    begin: int
    end: int
    checksum: str


class DataTrouble(Trouble):
    """A column differs from its checksum; the frame's other parts are whole."""

    def __init__(self, text: str, end: int) -> None:
        super().__init__(text)
        self.end = end


class _HeaderWhole(Exception):
    """Something is wrong behind a header that is whole."""

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
        raise Trouble("the footer does not fit the header")
    end = layout.find_end(buffer, at, size, "footer")
    lines, checksum = layout.read_block(buffer[at:end], "footer")
    return layout.parse_footer(lines, header, columns, n), checksum, end


def parse_frame(buffer: Any, at: int, size: int) -> Parsed:
    """The frame that begins at ``at``: header and footer verified, columns not looked at."""
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
        raise _HeaderWhole(trouble, data) from None
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
                    raise DataTrouble(f"checksum of column '{c.name}' differs, block {bad}", frame.end)
            if any(buffer[place + size : place + padded(size)]):
                raise DataTrouble(f"column '{c.name}' is padded with other bytes than zeros", frame.end)
    finally:
        view.release()


def _arrays(buffer: Any, frame: Parsed) -> Dict[str, NDArray[Any]]:
    arrays = {}
    for c, place in zip(frame.columns, frame.places):
        count = frame.n * c.width
        flat = np.frombuffer(buffer, c.dtype, count, place) if count else np.zeros(0, c.dtype)
        flat.flags.writeable = False
        arrays[c.name] = flat.reshape(c.shape(frame.n))
    return arrays


def _frame(buffer: Any, parsed: Parsed, number: int, verify: Any = None) -> Frame:
    return Frame._make(parsed.header, _arrays(buffer, parsed), {c.name: c.unit for c in parsed.columns}, verify, number)


# ---- the index ----


def _read_index(buffer: Any, size: int) -> Optional[List[Entry]]:
    """All frames by the trailers of the streams in the buffer, found from its end; None where one does not serve."""
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


class _Walk:
    """All frames one after the other, with every checksum, or passing over what is damaged."""

    def __init__(self, buffer: Any, size: int, verify: bool, salvage: bool) -> None:
        self.buffer, self.size, self.verify, self.salvage = buffer, size, verify, salvage
        self.at = self.number = self.begin = 0
        self.marks: List[Mark] = []
        self.entries: List[Entry] = []
        self.damage: List[str] = []
        self.lost = self.done = False

    def run(self) -> List[Entry]:
        while not self.done:
            try:
                self.step()
            except Trouble as trouble:
                if not self.salvage:
                    raise DamagedError(
                        f"{trouble}{self.last()}", self.entries[-1].number if self.entries else None
                    ) from None
                self.damage.append(str(trouble))
                self.resume(trouble)
        if not self.entries:
            raise DamagedError("no whole frame") if self.salvage else StreamError("the stream holds no frame")
        return self.entries

    def last(self) -> str:
        if not self.entries:
            return "; no whole frame"
        entry = self.entries[-1]
        time = parse_frame(self.buffer, entry.begin, entry.end).header.time
        return f"; the last whole frame is {entry.number} (time {time:.10g})"

    def step(self) -> None:
        begins = self.buffer[self.at : self.at + layout.ALIGN]
        self.data: Optional[int] = None
        if begins.startswith(MAGIC_FRAME):
            self.take_frame()
        elif begins.startswith(MAGIC_TRAILER):
            self.take_trailer()
        elif self.at == self.size and self.at == self.begin:
            self.done = True
        elif self.at == self.size:
            raise Cut("the stream ends without its trailer")
        elif MAGIC_FRAME.startswith(begins) or MAGIC_TRAILER.startswith(begins):
            raise Cut(f"the stream is cut in frame {self.number}")
        else:
            raise Trouble("neither a frame nor a trailer follows")

    def take_frame(self) -> None:
        try:
            try:
                frame = parse_frame(self.buffer, self.at, self.size)
            except _HeaderWhole as behind:
                self.data = behind.data_begin
                raise behind.trouble from None
            if self.verify:
                verify_columns(self.buffer, frame)
        except Cut:
            raise Cut(f"the stream is cut in frame {self.number}") from None
        except Trouble as trouble:
            self.data = trouble.end if isinstance(trouble, DataTrouble) else self.data
            raise Trouble(f"frame {self.number}: {trouble}") from None
        self.entries.append(Entry(self.number, self.at, frame.end, frame.checksum))
        self.marks.append(Mark(self.at - self.begin, frame.checksum))
        self.number, self.at = self.number + 1, frame.end

    def take_trailer(self) -> None:
        try:
            end = layout.find_end(self.buffer, self.at, self.size, "trailer")
            if end + CLOSE_SIZE > self.size:
                raise Cut
        except Cut:
            raise Cut("the stream is cut in its trailer") from None
        marks = layout.parse_trailer(layout.read_block(self.buffer[self.at : end], "trailer")[0])
        sizes = layout.parse_close(self.buffer[end : end + CLOSE_SIZE])
        if not sizes or sizes[1] != end - self.at or (not self.lost and sizes[0] != end + CLOSE_SIZE - self.begin):
            raise Trouble("the closing line of the stream is damaged")
        self.compare(marks, end + CLOSE_SIZE - sizes[0])
        self.at = self.begin = end + CLOSE_SIZE
        self.marks, self.lost = [], False

    def compare(self, marks: List[Mark], begin: int) -> None:
        """The trailer's frames must be those that were read; of a salvaged stream, those at the same places."""
        if not self.lost and marks != self.marks:
            places = [m.offset for m in marks] == [m.offset for m in self.marks]
            wrong = next((k for k, (a, b) in enumerate(zip(marks, self.marks)) if a != b), 0)
            number = self.number - len(self.marks) + wrong
            text = f"frame {number} is not the one that the stream's trailer names"
            self.trailer_differs(text if places else "the trailer does not fit the frames before it")
        named = {begin + m.offset: m.checksum for m in marks}
        for entry in self.entries if self.lost else ():
            if entry.begin in named and named[entry.begin] != entry.checksum:
                self.trailer_differs(f"frame {entry.number} is not the one that the stream's trailer names")

    def trailer_differs(self, text: str) -> None:
        if not self.salvage:
            raise Trouble(text)
        self.damage.append(text)

    def resume(self, trouble: Trouble) -> None:
        """Goes on behind damage: where the sizes still hold, else wherever a magic line stands."""
        in_trailer = self.buffer[self.at : self.at + len(MAGIC_TRAILER)] == MAGIC_TRAILER
        self.lost = True
        if not in_trailer and self.at < self.size:
            self.number += 1
        start = self.at + 1 if self.data is None else self.data
        found = [k for k in (self.buffer.find(magic, start) for magic in (MAGIC_FRAME, MAGIC_TRAILER)) if k >= 0]
        if not found:
            self.done = True
        else:
            self.at = min(found)


# ---- files ----


class Stream(Sequence[Frame]):
    """The frames of a file: a sequence that reads nothing before it is asked for it.

    Made by ``nbstream.open``. ``len(run)``, ``run[-1]``, ``run[::10]`` (a stream again), ``for frame in run``.
    """

    def __init__(
        self,
        name: str,
        buffer: Any,
        entries: Sequence[Entry],
        damage: Sequence[str] = (),
        path: Optional[str] = None,
    ) -> None:
        self.name = name
        self.damage = tuple(damage)
        self._path = path  # of the file that has these frames and no others
        self._buffer = buffer
        self._entries = entries
        self._times: Optional[NDArray[np.float64]] = None

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, k: int) -> Frame: ...
    @overload
    def __getitem__(self, k: slice) -> Stream: ...
    def __getitem__(self, k: Union[int, slice]) -> Union[Frame, Stream]:
        if isinstance(k, slice):
            return Stream(self.name, self._buffer, self._entries[k], self.damage)
        if not -len(self) <= k < len(self):
            raise IndexError(f"{self.name}: no frame {k}: there are {len(self)} (0 to {len(self) - 1})")
        entry = self._entries[k]
        parsed = self._parse(entry)
        return _frame(self._buffer, parsed, entry.number, lambda: self._verify(entry))

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def _parse(self, entry: Entry) -> Parsed:
        """Header and footer, which must be those that the index names."""
        try:
            try:
                parsed = parse_frame(self._buffer, entry.begin, entry.end)
            except _HeaderWhole as behind:
                raise behind.trouble from None
        except Cut:
            self._fail(entry, "the sizes in its header are not those of the stream's trailer")
        except Trouble as trouble:
            self._fail(entry, str(trouble))
        if parsed.checksum != entry.checksum or parsed.end != entry.end:
            self._fail(entry, "is not the one that the stream's trailer names")
        return parsed

    def _fail(self, entry: Entry, text: str) -> Any:
        colon = "" if text.startswith("is not") else ":"
        raise DamagedError(f"{self.name}: frame {entry.number}{colon} {text}")

    def _verify(self, entry: Entry) -> None:
        try:
            verify_columns(self._buffer, self._parse(entry))
        except Trouble as trouble:
            self._fail(entry, str(trouble))

    def verify(self) -> None:
        """Compares all columns of its frames with their checksums; DamagedError where one differs."""
        for entry in self._entries:
            self._verify(entry)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of all frames; reads their headers."""
        if self._times is None:
            self._times = np.array([self._parse(entry).header.time for entry in self._entries])
            self._times.flags.writeable = False
        return self._times

    def at(self, time: float) -> Frame:
        """The frame whose time is nearest; of equal ones the first."""
        return self[int(np.argmin(abs(self.times - time)))]

    def pipe(self) -> Pipeline:
        """A pipeline that begins with these frames: ``run.pipe().stat()``."""
        from .pipeline import Pipeline

        return Pipeline.of_file(self._path) if self._path else Pipeline.of_frames(self)

    def __repr__(self) -> str:
        return f"<Stream '{self.name}': {len(self)} frame{'s' * (len(self) != 1)}>"


def open(path: Path, *, verify: bool = False, salvage: bool = False) -> Stream:
    """Opens a file of snapshots; columns are mapped into memory when they are used, so a file may be of any size.

    The index at the end of the file, and header and footer of each frame that is asked for, are always verified. With
    ``verify`` every byte is; ``frame.verify()`` does the same for one frame. A stream that is cut or damaged raises
    DamagedError. With ``salvage`` its whole frames are taken, which keep their numbers, and a DamageWarning says what
    was passed over. For pipes and stdin there is ``nbstream.frames``.
    """
    name = os.fspath(path)
    with _open_file(name) as file:
        size = os.fstat(file.fileno()).st_size
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"{name}: not a file; nbstream.frames('{name}') reads pipes")
        if size == 0:
            raise StreamError(f"{name}: empty, no snapshot")
        buffer = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    return _stream(name, buffer, size, verify, salvage, os.path.abspath(name))


def _open_file(name: str) -> IO[bytes]:
    import builtins

    if name == "-":
        raise ValueError("stdin is read by nbstream.frames('-')")
    return builtins.open(name, "rb")


def _stream(name: str, buffer: Any, size: int, verify: bool, salvage: bool, path: Optional[str] = None) -> Stream:
    _check_magic(name, buffer[: layout.ALIGN], salvage)
    entries, damage = None if verify or salvage else _read_index(buffer, size), []
    if entries is None:
        walk = _Walk(buffer, size, verify or salvage, salvage)
        try:
            entries, damage = walk.run(), walk.damage
        except StreamError as error:
            error.args = (f"{name}: {error}",)
            raise
    if damage:
        more = f", and {len(damage) - 1} more" if len(damage) > 1 else ""
        warnings.warn(f"{name}: passed over: {damage[0]}{more}", DamageWarning, stacklevel=3)
    return Stream(name, buffer, entries, damage, None if damage else path)


def _check_magic(name: str, begins: bytes, salvage: bool = False) -> None:
    """What cannot be a stream, cut or not, is told so."""
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


# ---- pipes ----


class _Pipe:
    """Frames from something that is read once, in the order in which they come, each as soon as it is whole."""

    def __init__(self, file: Any, verify: bool) -> None:
        self.file, self.verify = file, verify
        self.held = bytearray()  # what came and is not taken
        self.taken = self.number = self.begin = 0
        self.marks: List[Mark] = []
        self.last: Optional[Tuple[int, float]] = None

    def fill(self, size: int) -> bool:
        """Whether so many bytes are held; waits for no more than that."""
        some = getattr(self.file, "read1", None)
        while len(self.held) < size:
            piece = some(1 << 16) if some else self.file.read(size - len(self.held))
            if not piece:
                return False
            self.held += piece
        return True

    def take(self, size: int) -> bytearray:
        """Bytes that are held."""
        data, self.held = self.held[:size], self.held[size:]
        self.taken += size
        return data

    def read(self, size: int) -> bytearray:
        """So many bytes, of which no more memory is taken than have come."""
        data = self.take(min(size, len(self.held)))
        while len(data) < size:
            piece = self.file.read(min(size - len(data), 16 << 20))
            if not piece:
                raise Cut
            data += piece
            self.taken += len(piece)
        return data

    def block(self, what: str, most: int) -> bytes:
        """The text block that comes next."""
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
                    raise Cut(f"the stream is cut in frame {self.number}") from None
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
                raise Cut(f"the stream is cut in frame {self.number}")
            else:
                raise Trouble("neither a frame nor a trailer follows")

    def frame(self) -> Frame:
        begin = self.taken - self.begin
        lines, checksum = layout.read_block(self.block("header", layout.HEADER_MAX), "header")
        n, columns, header = layout.parse_header(lines)
        data = [self.read(padded(c.size(n))) for c in columns]
        blocks = sum(-(-len(d) // xxh3.BLOCK) for d in data)
        text = self.block("footer", 4096 + 17 * blocks + 32 * len(columns))
        if not text.startswith(MAGIC_FOOTER):
            raise Trouble("the footer does not fit the header")
        lines, footer = layout.read_block(text, "footer")
        sums = layout.parse_footer(lines, checksum, columns, n)
        arrays = {}
        for c, d, s in zip(columns, data, sums):
            parsed = Parsed(n, [c], header, [0], [s], footer, 0)
            if self.verify:
                verify_columns(d, parsed)
            arrays.update(_arrays(d, parsed))
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
            raise Cut("the stream is cut in its trailer") from None
        sizes = layout.parse_close(bytes(self.take(CLOSE_SIZE)))
        if sizes != (self.taken - self.begin, self.taken - CLOSE_SIZE - begin):
            raise Trouble("the closing line of the stream is damaged")
        if marks != self.marks:
            wrong = next((k for k, (a, b) in enumerate(zip(marks, self.marks)) if a.checksum != b.checksum), None)
            if wrong is None or len(marks) != len(self.marks):
                raise Trouble("the trailer does not fit the frames before it")
            number = self.number - len(marks) + wrong
            raise Trouble(f"frame {number} is not the one that the stream's trailer names")
        self.begin, self.marks = self.taken, []


def frames(source: Union[Path, BinaryIO], *, verify: bool = True, salvage: bool = False) -> Iterator[Frame]:
    """Yields the frames of a stream one after the other, from a pipe as they come, holding one in memory.

    ``source`` is a path, ``-`` for stdin, or anything with ``read``. All checksums are compared unless ``verify`` is
    False. A stream that is cut or damaged raises DamagedError: a pipe after the last whole frame, a file, whose end is
    looked at first, before any. ``salvage`` reads a pipe to its end first, into a temporary file.
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        with _open_file(os.fspath(source)) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                yield from _files_frames(os.fspath(source), verify, salvage)
            else:
                yield from _pipe_frames(file, os.fspath(source), verify, salvage)
    elif isinstance(source, (str, os.PathLike)):
        yield from _pipe_frames(sys.stdin.buffer, "stdin", verify, salvage)
    else:
        yield from _pipe_frames(source, str(getattr(source, "name", "stream")), verify, salvage)


def _files_frames(name: str, verify: bool, salvage: bool) -> Iterator[Frame]:
    run = open(name, salvage=salvage)
    for frame in run:
        if verify and not salvage:
            frame.verify()
        yield frame


def _pipe_frames(file: Any, name: str, verify: bool, salvage: bool) -> Iterator[Frame]:
    if salvage:
        yield from _spooled(file, name)
        return
    pipe = _Pipe(file, verify)
    if not pipe.fill(1):
        raise StreamError(f"{name}: empty, no snapshot")
    pipe.fill(len(MAGIC_TRAILER))
    _check_magic(name, bytes(pipe.held[: layout.ALIGN]))
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
    yield from _stream(name, buffer, size, True, True)

"""Reads files of snapshots by their index, with columns mapped into memory."""

from __future__ import annotations

import mmap
import operator
import os
import stat
import warnings
from typing import IO, TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union, overload

import numpy as np

from . import layout
from .errors import DamagedError, DamageWarning, StreamError
from .frame import Frame
from .layout import Cut, Trouble
from .parsed import Entry, HeaderWhole, Parsed, check_magic, frame_of, parse_frame, read_index, verify_columns
from .walk import Walk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .pipeline import Pipeline

Path = Union[str, "os.PathLike[str]"]


class Stream(Sequence[Frame]):
    """The frames of a file, as a sequence that reads a frame only when you ask for it.

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

    def _repr_html_(self) -> str:
        from .shown import stream_html

        return stream_html(self)

    @overload
    def __getitem__(self, k: int) -> Frame: ...
    @overload
    def __getitem__(self, k: slice) -> Stream: ...
    def __getitem__(self, k: Union[int, slice]) -> Union[Frame, Stream]:
        if isinstance(k, slice):
            return Stream(self.name, self._buffer, self._entries[k], self.damage)
        try:
            k = operator.index(k)
        except TypeError:
            column = f"; run[-1][{k!r}] is a column of the last frame" if isinstance(k, str) else ""
            raise TypeError(f"{self.name}: a frame is chosen by its number, not by {k!r}{column}") from None
        if not -len(self) <= k < len(self):
            raise IndexError(f"{self.name}: no frame {k}: there are {len(self)} (0 to {len(self) - 1})")
        entry = self._entries[k]
        parsed = self._parse(entry)
        return frame_of(self._buffer, parsed, entry.number, lambda: self._verify(entry))

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def _parse(self, entry: Entry) -> Parsed:
        """Reads header and footer, and compares them with the index."""
        try:
            try:
                parsed = parse_frame(self._buffer, entry.begin, entry.end)
            except HeaderWhole as behind:
                raise behind.trouble from None
        except Cut:
            self._fail(entry, "the sizes in its header are not those of the stream's trailer")
        except Trouble as trouble:
            self._fail(entry, str(trouble))
        if parsed.checksum != entry.checksum or parsed.end != entry.end:
            self._fail(entry, "is not the frame that the trailer of the stream lists")
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
        """Compares all columns of its frames with their checksums. Raises DamagedError if one differs."""
        for entry in self._entries:
            self._verify(entry)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of all frames, from their headers."""
        if self._times is None:
            self._times = np.array([self._parse(entry).header.time for entry in self._entries])
            self._times.flags.writeable = False
        return self._times

    def at(self, time: float) -> Frame:
        """Returns the frame with the nearest time, the first of two equally near."""
        return self[int(np.argmin(abs(self.times - time)))]

    def pipe(self) -> Pipeline:
        """Returns a pipeline that begins with these frames: ``run.pipe().stat()``."""
        from .pipeline import Pipeline

        return Pipeline.of_file(self._path) if self._path else Pipeline.of_frames(self)

    def __repr__(self) -> str:
        return f"<Stream '{self.name}': {len(self)} frame{'s' * (len(self) != 1)}>"


def open(path: Path, *, verify: bool = False, salvage: bool = False) -> Stream:
    """Opens a file of snapshots. Columns are mapped into memory when they are used, so a file may have any size.

    The index at the end of the file, and header and footer of each frame that is read, are always verified. ``verify``
    verifies every byte; ``frame.verify()`` does the same for one frame. A truncated or damaged stream raises
    DamagedError. ``salvage`` reads its complete frames, which keep their numbers, and a DamageWarning describes the
    skipped damage. Use ``nbstream.frames`` for pipes and stdin.
    """
    name = os.fspath(path)
    with open_file(name) as file:
        size = os.fstat(file.fileno()).st_size
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"{name}: not a file; nbstream.frames('{name}') reads pipes")
        if size == 0:
            raise StreamError(f"{name}: empty, no snapshot")
        buffer = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    return stream_of(name, buffer, size, verify, salvage, os.path.abspath(name))


def open_file(name: str) -> IO[bytes]:
    import builtins

    if name == "-":
        raise ValueError("stdin is read by nbstream.frames('-')")
    return builtins.open(name, "rb")


def stream_of(name: str, buffer: Any, size: int, verify: bool, salvage: bool, path: Optional[str] = None) -> Stream:
    check_magic(name, buffer[: layout.ALIGN], salvage)
    entries, damage = None if verify or salvage else read_index(buffer, size), []
    if entries is None:
        walk = Walk(buffer, size, verify or salvage, salvage)
        try:
            entries, damage = walk.run(), walk.damage
        except StreamError as error:
            error.args = (f"{name}: {error}",)
            raise
    if damage:
        places = "places" if len(damage) > 2 else "place"
        more = f", and {len(damage) - 1} more damaged {places}" if len(damage) > 1 else ""
        warnings.warn(f"{name}: skipped: {damage[0]}{more}", DamageWarning, stacklevel=3)
    return Stream(name, buffer, entries, damage, None if damage else path)

"""Writes streams that every tool accepts, with checksums, footers, trailer and close line."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
import sys
import warnings
from dataclasses import replace as replaced
from types import TracebackType
from typing import Any, BinaryIO, Iterable, Iterator, List, Optional, Type, Union

import numpy as np

from . import layout, xxh3
from .columns import column_lines
from .frame import Frame
from .layout import Header, History, Mark
from .version import __version__

try:
    import fcntl
except ImportError:  # no locks there
    fcntl = None  # type: ignore[assignment]

Path = Union[str, "os.PathLike[str]"]


def program_command() -> str:
    """Returns the command of this Python program for a history: its name without folders, and its words."""
    import __main__

    name = getattr(__main__, "__file__", None)
    words = ["python"] if name is None else ["python", os.path.basename(name), *sys.argv[1:]]
    return shlex.join(words).encode("ascii", "backslashreplace").decode().replace("\n", "\\n")


def with_history(header: Header, command: str, seed: Optional[int] = None) -> Header:
    """Returns the header with one more line of provenance."""
    last = len(header.history)
    line = f"{last + 1} {last or '-'} nbstream {__version__} {'-' if seed is None else seed} {command}"
    return replaced(header, history=(*header.history, History(line)))


def check_absent(path: str, overwrite: bool) -> None:
    """Raises FileExistsError if the file exists and ``overwrite`` is not set."""
    if os.path.isfile(path) and not overwrite:
        raise FileExistsError(f"{path}: exists already (overwrite=True replaces it)")


def _check_values(frame: Frame) -> None:
    for name in layout.REQUIRED:
        array = frame[name]
        finite = np.isfinite(array)
        if not finite.all():
            raise ValueError(f"body {int(np.argwhere(~finite)[0][0])}: {name} is not a finite number")
    if (frame.mass < 0).any():
        body = int(np.argmax(frame.mass < 0))
        raise ValueError(f"body {body}: mass {frame.mass[body]:g} is negative")


class _Part:
    """FILE.part under a lock. It is renamed to FILE when it is complete. A target that is not a regular file is written
    in place."""

    def __init__(self, path: str, overwrite: bool) -> None:
        self.target, self.overwrite = os.path.realpath(path), overwrite
        self.part: Optional[str] = None
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            self.file: BinaryIO = open(path, "wb", buffering=0)
            return
        check_absent(path, overwrite)
        self.part = self.target + ".part"
        self.remove_left_over()
        fd = os.open(self.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self.file = open(fd, "wb", buffering=0)
        if not self._lock(fd):
            raise FileExistsError(f"{self.part}: another program is writing it")

    @staticmethod
    def _lock(fd: int) -> bool:
        try:
            if fcntl is not None:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # some file systems know no locks
        return True

    def remove_left_over(self) -> None:
        """Removes the FILE.part of a failed run. Raises FileExistsError if a run is writing it."""
        assert self.part is not None
        try:
            fd = os.open(self.part, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            if not self._lock(fd):
                raise FileExistsError(f"{self.part}: another program is writing it")
            if not self.overwrite:
                raise FileExistsError(
                    f"{self.part}: exists already, left by a failed run (overwrite=True replaces it)"
                )
            os.unlink(self.part)
        finally:
            os.close(fd)

    def finish(self, sync: bool) -> None:
        if self.part is None:
            self.file.close()
            return
        if sync:
            os.fsync(self.file.fileno())
        self._give_name(self.part)
        self.file.close()
        if sync:
            with contextlib.suppress(OSError):
                folder = os.open(os.path.dirname(self.target) or ".", os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)

    def _give_name(self, part: str) -> None:
        if self.overwrite:
            os.replace(part, self.target)
            return
        try:
            os.link(part, self.target)  # fails if the name exists by now
        except FileExistsError:
            raise FileExistsError(f"{self.target}: was created by something else; {part} has the result") from None
        except OSError:  # a file system without links
            os.rename(part, self.target)
        else:
            os.unlink(part)

    def abandon(self, keep: bool) -> None:
        self.file.close()
        if self.part is not None and keep:
            text = f"{self.part} keeps the whole frames written so far (salvage=True reads it)"
            warnings.warn(text, stacklevel=4)
        elif self.part is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.part)


class Writer:
    """Writes a stream, frame after frame.

    >>> import nbstream, os, tempfile
    >>> frame = nbstream.Frame(mass=[1], pos=[[0, 0, 0]], vel=[[0, 0, 0]])
    >>> path = os.path.join(tempfile.mkdtemp(), "run.nbs")
    >>> with nbstream.Writer(path) as out:
    ...     for k in range(3):
    ...         out.write(frame.replace(time=k))
    >>> nbstream.open(path).times
    array([0., 1., 2.])

    ``target`` is a path, ``-`` for stdout, or anything with ``write``. A file is written as FILE.part and renamed when
    it is complete and on the disk. An existing file is replaced only if ``overwrite`` is true. Each frame's history
    gets a line for this program: ``command``, by default its name and words, and ``seed``; ``history=False`` adds none.
    If the ``with`` block ends with an exception, there is no file, but FILE.part keeps the complete frames, if any.
    """

    def __init__(
        self,
        target: Union[Path, BinaryIO],
        *,
        overwrite: bool = False,
        command: Optional[str] = None,
        seed: Optional[int] = None,
        history: bool = True,
        sync: bool = True,
    ) -> None:
        self._command = (command or program_command()) if history else None
        self._seed, self._sync = seed, sync
        self._part: Optional[_Part] = None
        self._marks: List[Mark] = []
        self._size = 0
        self._open = True
        if isinstance(target, (str, os.PathLike)) and os.fspath(target) != "-":
            self.name = os.fspath(target)
            self._part = _Part(self.name, overwrite)
            self._file: Any = self._part.file
        else:
            self._file = sys.stdout.buffer if isinstance(target, (str, os.PathLike)) else target
            self.name = str(getattr(self._file, "name", "stream"))
            if getattr(self._file, "isatty", lambda: False)():
                raise ValueError(f"{self.name} is a terminal, to which no snapshots are written")

    @property
    def written(self) -> int:
        """Number of complete frames written so far."""
        return len(self._marks)

    def _put(self, data: Any) -> None:
        view = memoryview(data)
        self._size += len(view)
        while len(view):
            done = self._file.write(view)
            view = view[len(view) if done is None else done :]

    def _put_column(self, array: Any) -> List[str]:
        """Writes a column in blocks, with padding zeros, and returns the checksums of the blocks."""
        data: Any = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1).view(np.uint8)
        view, sums = memoryview(data), []
        whole = len(view) // xxh3.BLOCK * xxh3.BLOCK
        for k in range(0, whole, xxh3.BLOCK):
            block = view[k : k + xxh3.BLOCK]
            sums.append(xxh3.hexdigest(block))
            self._put(block)
        if len(view) > whole:
            rest = bytes(view[whole:]) + bytes(-len(view) % layout.ALIGN)
            sums.append(xxh3.hexdigest(rest))
            self._put(rest)
        return sums

    def write(self, frame: Frame) -> None:
        """Writes a frame. Raises ValueError, and writes nothing, if a stream cannot hold its values."""
        if not self._open:
            raise ValueError(f"{self.name} is closed")
        columns = column_lines(frame)
        _check_values(frame)
        header = with_history(frame.header, self._command, self._seed) if self._command else frame.header
        block, checksum = layout.format_header(frame.n, columns, header)
        begin = self._size
        self._put(block)
        lines = ["nbs 1 footer", "header " + checksum]
        for column in columns:
            lines.append(" ".join([column.name, *self._put_column(frame[column.name])]))
        block, checksum = layout.make_block(lines)
        self._put(block)
        if hasattr(self._file, "flush"):
            self._file.flush()
        self._marks.append(Mark(begin, checksum))

    def close(self) -> None:
        """Writes the trailer, which completes the stream. A file gets its name."""
        if not self._open:
            return
        self._open = False
        if not self._marks:
            self._abandon()
            raise ValueError(f"{self.name}: no frame was written, and a stream has one at least")
        lines = ["nbs 1 trailer", f"frames {len(self._marks)}", *(mark.line for mark in self._marks)]
        trailer = layout.make_block(lines)[0]
        self._put(trailer)
        self._put(layout.make_close(self._size + layout.CLOSE_SIZE, len(trailer)))
        if hasattr(self._file, "flush"):
            self._file.flush()
        if self._part:
            self._part.finish(self._sync)

    def _abandon(self) -> None:
        self._open = False
        if self._part:
            self._part.abandon(bool(self._marks))

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], where: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self.close()
        elif self._open:
            self._abandon()


def write(target: Union[Path, BinaryIO], frames: Union[Frame, Iterable[Frame]], **options: Any) -> None:
    """Writes one frame, or all frames of an iterable, as a stream. Options are those of ``Writer``."""
    several: Iterator[Frame] = iter([frames] if isinstance(frames, Frame) else frames)
    with Writer(target, **options) as out:
        for frame in several:
            out.write(frame)

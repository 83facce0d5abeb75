"""The parts of nbs(5): text blocks, headers, columns. Nothing here reads or writes a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import xxh3
from .units import Units

ALIGN = 64
HEADER_MAX = 1 << 20
COLUMNS_MAX = 64
MAGIC_FRAME = b"nbs 1 frame\n"
MAGIC_FOOTER = b"nbs 1 footer\n"
MAGIC_TRAILER = b"nbs 1 trailer\n"
CHECKSUM = b"\nchecksum "
CHECKSUM_LINE = 26  # bytes of "checksum HEX\n"

TYPES: Mapping[str, str] = {"f32": "<f4", "f64": "<f8", "u8": "u1", "u32": "<u4", "u64": "<u8"}
TYPE_NAMES: Mapping[str, str] = {np.dtype(code).newbyteorder("=").str[1:]: name for name, code in TYPES.items()}
COMPONENTS = ("other", "halo", "disk", "bulge", "star", "hole", "planet", "gas")

_REAL = ("f32", "f64")


class Known(NamedTuple):
    """Properties of a known column in nbs(5). kind is parameter, state, label or derived."""

    types: Tuple[str, ...]
    width: int
    unit: str
    kind: str


KNOWN: Mapping[str, Known] = {
    "mass": Known(_REAL, 1, "M", "parameter"),
    "pos": Known(_REAL, 3, "L", "state"),
    "vel": Known(_REAL, 3, "L/T", "state"),
    "id": Known(("u64",), 1, "-", "label"),
    "component": Known(("u8",), 1, "-", "label"),
    "galaxy": Known(("u8",), 1, "-", "label"),
    "parent_id": Known(("u64",), 1, "-", "label"),
    "softening": Known(_REAL, 1, "L", "parameter"),
    "radius": Known(_REAL, 1, "L", "parameter"),
    "acc": Known(_REAL, 3, "L/T^2", "derived"),
    "jerk": Known(_REAL, 3, "L/T^3", "derived"),
    "phi": Known(_REAL, 1, "L^2/T^2", "derived"),
    "phi_external": Known(_REAL, 1, "L^2/T^2", "derived"),
    "pressure": Known(_REAL, 1, "M/T^2", "derived"),
    "pos_lo": Known(("f64",), 3, "L", "derived"),
    "vel_lo": Known(("f64",), 3, "L/T", "derived"),
}
REQUIRED = ("mass", "pos", "vel")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}\Z")
_WORD = re.compile(r"[!-~]+\Z")
_PRINTABLE = re.compile(r"[ -~]*\Z")
_DIGITS = re.compile(r"[0-9]+\Z")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_HEX = re.compile(r"[0-9a-f]{16}\Z")


class Trouble(Exception):
    """Damage in the bytes. The caller adds the name of the stream and the complete frames."""


class Cut(Trouble):
    """The bytes end too soon."""


def padded(size: int) -> int:
    """Rounds up to the next multiple of 64."""
    return -(-size // ALIGN) * ALIGN


# ---- columns ----


class Column(NamedTuple):
    """A column line of a header."""

    name: str
    type: str
    width: int
    unit: str

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(TYPES[self.type])

    def size(self, n: int) -> int:
        """Number of bytes for n bodies, without padding."""
        return self.dtype.itemsize * self.width * n

    def shape(self, n: int) -> Union[Tuple[int], Tuple[int, int]]:
        return (n,) if self.width == 1 else (n, self.width)

    @property
    def line(self) -> str:
        return f"column {self.name} {self.type} {self.width} {self.unit}"


def check_columns(columns: Sequence[Column]) -> None:
    """Checks names and numbers of columns, and the properties of known columns."""
    names = [c.name for c in columns]
    if len(columns) > COLUMNS_MAX:
        raise Trouble(f"more than {COLUMNS_MAX} columns")
    for c in columns:
        if not _NAME.match(c.name):
            raise Trouble(f"'{c.name[:40]}' is not a column's name")
        if names.count(c.name) > 1:
            raise Trouble(f"column '{c.name}' appears twice")
        if not _WORD.match(c.unit) or len(c.unit) > 31:
            raise Trouble(f"unit '{c.unit[:60]}' of column '{c.name}' is not a single word")
        known = KNOWN.get(c.name)
        if known and (c.type not in known.types or c.width != known.width):
            wanted = f"{' or '.join(known.types)} of width {known.width}"
            raise Trouble(f"column '{c.name}' cannot be {c.type} of width {c.width}, only {wanted}")
    for name in REQUIRED:
        if name not in names:
            raise Trouble(f"column '{name}' is missing ({' or '.join(KNOWN[name].types)} of width {KNOWN[name].width})")


# ---- provenance ----


class History(str):
    """A line of provenance of the header, with its fields."""

    __slots__ = ()

    def _part(self, k: int) -> str:
        words = self.split(" ", 5)
        return words[k] if len(words) == 6 else ""

    @property
    def id(self) -> int:
        """Number of the line, from 1; 0 if the line has another form."""
        return _unsigned(self._part(0)) or 0

    @property
    def parents(self) -> Tuple[int, ...]:
        """The ids of the lines that are inputs of this one."""
        ids = map(_unsigned, self._part(1).split(","))
        return tuple(k for k in ids if k is not None)

    @property
    def tool(self) -> str:
        return self._part(2)

    @property
    def version(self) -> str:
        return self._part(3)

    @property
    def seed(self) -> Optional[int]:
        """The seed of random numbers, or None."""
        return _unsigned(self._part(4))

    @property
    def command(self) -> str:
        """The command, without options that cannot change the result."""
        return self._part(5)


# ---- the header ----


@dataclass(frozen=True)
class Header:
    """The values of a frame's header except n and the columns, in the frame's units."""

    time: float = 0.0
    step: int = 0
    G: float = 1.0
    softening: float = 0.0
    dt: float = 0.0
    origin: float = 0.0
    every: float = 0.0
    units: Units = field(default_factory=Units)
    history: Tuple[History, ...] = ()
    forces: Tuple[str, ...] = ()
    extra: Tuple[str, ...] = ()
    """Lines with unknown keys, and lines of disks that touch. They are passed on unchanged."""
    dt_asked: float = 0.0
    """The requested time step, if dt differs from it; else 0."""
    dynamical_time: float = 0.0
    """Dynamical time of the model; 0 for none."""


_COUNTS, _NUMBERS, _NOT_NEGATIVE = {"n", "step"}, {"time", "G", "origin"}, {"softening", "dt", "dt_asked", "dynamical_time", "every"}
_SIZES = {"length_cgs", "mass_cgs", "time_cgs"}
_KEYS = _COUNTS | _NUMBERS | _NOT_NEGATIVE | _SIZES | {"units"}
_TAKEN = _KEYS | {"column", "history", "force", "checksum", "nbs", ""}


def _unsigned(text: str) -> Optional[int]:
    """Returns digits as a 64-bit number, or None for any other text."""
    digits = text.lstrip("0") or "0"
    value = int(digits) if text and _DIGITS.match(digits) and len(digits) <= 20 else 1 << 64
    return value if value < 1 << 64 else None


def _count(key: str, text: str) -> int:
    value = _unsigned(text)
    if value is None:
        raise Trouble(f"the header contains an invalid line '{key} {text[:60]}'")
    return value


def _number(key: str, text: str, not_negative: bool) -> float:
    value = float(text) if _NUMBER.match(text) else np.nan
    if not np.isfinite(value) or (not_negative and value < 0):
        raise Trouble(f"the header contains an invalid line '{key} {text[:60]}'")
    return value


def _column(text: str) -> Column:
    words = text.split(" ")
    if len(words) != 4:
        raise Trouble("a column line does not have the form 'column NAME TYPE WIDTH UNIT'")
    name, kind, width, unit = words
    if kind not in TYPES:
        raise Trouble(f"column '{name[:40]}' has an unknown type '{kind[:40]}'")
    if width not in ("1", "3"):
        raise Trouble(f"column '{name[:40]}' has width {width[:40]}, not 1 or 3")
    return Column(name, kind, int(width), unit)


def _value(key: str, text: str) -> Union[int, float, str]:
    if key == "units":
        if not _WORD.match(text) or len(text) > 31:
            raise Trouble(f"the header contains an invalid line 'units {text[:60]}'")
        return text
    return _count(key, text) if key in _COUNTS else _number(key, text, key not in _NUMBERS)


def parse_header(lines: Iterable[str]) -> Tuple[int, List[Column], Header]:
    """Returns n, columns and values, from a header's lines between its magic line and its checksum."""
    values: Dict[str, Any] = {}
    columns: List[Column] = []
    several: Dict[str, List[str]] = {"history": [], "force": [], "": []}
    for line in lines:
        key, _, rest = line.partition(" ")
        if key == "column":
            columns.append(_column(rest))
        elif key in ("history", "force"):
            if key == "force" and not _WORD.match(rest):
                raise Trouble(f"the header contains an invalid line 'force {rest[:60]}'")
            several[key].append(rest)
        elif key not in _TAKEN:
            several[""].append(line)
        elif key not in _KEYS:
            raise Trouble("the header contains a line without a key")
        elif key in values:
            raise Trouble(f"the header contains '{key}' twice")
        else:
            values[key] = _value(key, rest)
    for key in ("n", "time", "G"):
        if key not in values:
            raise Trouble(f"the header lacks '{key}'")
    check_columns(columns)
    units = Units(
        values.pop("units", "code"), *(values.pop(key, 0.0) for key in ("length_cgs", "mass_cgs", "time_cgs"))
    )
    history, forces = tuple(map(History, several["history"])), tuple(several["force"])
    return (
        values.pop("n"),
        columns,
        Header(units=units, history=history, forces=forces, extra=tuple(several[""]), **values),
    )


def format_number(value: float) -> str:
    """Returns the shortest text of 15 to 17 digits that reads back as the same double."""
    if 0 <= value < 1e15 and value == int(value) and not np.signbit(value):
        return str(int(value))
    return next((text for d in (15, 16) for text in ["%.*g" % (d, value)] if float(text) == value), "%.17g" % value)


def _numbers(header: Header) -> Iterable[Tuple[str, str]]:
    for key in ("time", "step", "G", "softening", "dt", "dt_asked", "dynamical_time", "origin", "every"):
        value = getattr(header, key)
        if not np.isfinite(value) or (key not in _NUMBERS and value < 0):
            raise ValueError(f"a header cannot contain {key} = {value}")
        if header.every if key in ("origin", "every") else value if key in ("dt_asked", "dynamical_time") else True:
            yield key, str(int(value)) if key == "step" else format_number(float(value))
    yield "units", header.units.name
    for key in ("length_cgs", "mass_cgs", "time_cgs"):
        yield key, format_number(float(getattr(header.units, key)))


def _check_lines(header: Header) -> None:
    if not _WORD.match(header.units.name) or len(header.units.name) > 31:
        raise ValueError(f"units '{header.units.name}' are not a word of at most 31 bytes")
    for line in header.forces:
        if not _WORD.match(line):
            raise ValueError(f"force '{line[:60]}' cannot be written into a header")
    for line in header.history:
        if not _PRINTABLE.match(line):
            raise ValueError(f"history line '{line[:60]}' contains a byte that is not printable ASCII")
    for line in header.extra:
        if not _PRINTABLE.match(line) or line.partition(" ")[0] in _TAKEN:
            raise ValueError(f"'{line[:60]}' cannot be an additional line of a header")


def format_header(n: int, columns: Sequence[Column], header: Header) -> Tuple[bytes, str]:
    """Returns the header as a text block, and its checksum."""
    _check_lines(header)
    lines = ["nbs 1 frame", f"n {n}"]
    lines += [f"{key} {value}" for key, value in _numbers(header)]
    lines += [c.line for c in columns]
    lines += [f"force {line}" for line in header.forces] + [f"history {line}" for line in header.history]
    block, checksum = make_block(lines + list(header.extra))
    if len(block) > HEADER_MAX:
        raise ValueError(f"the header is larger than {HEADER_MAX >> 20} MiB")
    return block, checksum


# ---- text blocks ----


def make_block(lines: Iterable[str]) -> Tuple[bytes, str]:
    """Returns a text block of these lines, and its checksum."""
    text = "".join(line + "\n" for line in lines).encode("ascii")
    checksum = xxh3.hexdigest(text)
    text += f"checksum {checksum}\n".encode("ascii")
    return text + bytes(-len(text) % ALIGN), checksum


def find_end(buffer: Any, at: int, size: int, what: str, most: Optional[int] = None) -> int:
    """Returns the end of the text block at ``at`` in ``size`` bytes, with padding. A block has at most ``most``."""
    looked, window, limit = at, 1024, size if most is None else min(size, at + most)
    while looked < limit:
        stop = min(limit, at + window)
        found = buffer.find(CHECKSUM, looked, stop)
        before = found if found >= 0 else stop
        # The start of another block, or binary data: this block is truncated. Stopping here keeps salvage linear.
        if buffer.find(b"\nnbs 1 ", looked, before) >= 0 or buffer.find(b"\0", looked, before) >= 0:
            raise Trouble(f"the {what} has no checksum line")
        if found >= 0:
            end = at + padded(found + 1 + CHECKSUM_LINE - at)
            if most is not None and end - at > most:
                break
            if end > size:
                raise Cut(f"the {what} is cut")
            return end
        looked, window = max(at, stop - len(CHECKSUM)) if stop < limit else limit, 2 * window
    if most is not None and (limit < size or looked < limit):
        raise Trouble(f"the {what} is larger than " + (f"{most >> 20} MiB" if most == HEADER_MAX else f"{most} bytes"))
    raise Cut(f"the {what} is cut")


def read_block(block: bytes, what: str) -> Tuple[List[str], str]:
    """Returns the lines of a complete text block between its magic line and its checksum line, and the checksum."""
    begin = block.index(CHECKSUM) + 1
    line, rest = block[begin : begin + CHECKSUM_LINE], block[begin + CHECKSUM_LINE :]
    checksum = xxh3.hexdigest(block[:begin])
    if line != f"checksum {checksum}\n".encode("ascii"):
        raise Trouble(f"the {what} is damaged: its checksum is wrong")
    if rest.strip(b"\0"):
        raise Trouble(f"the {what} has padding that is not zero")
    lines = block[: begin - 1].decode("latin-1").split("\n")
    if not all(map(_PRINTABLE.match, lines)):
        raise Trouble(f"the {what} contains a byte that is not printable ASCII")
    return lines[1:], checksum


def parse_footer(lines: Sequence[str], header: str, columns: Sequence[Column], n: int) -> List[List[str]]:
    """Returns the block checksums of each column. ``header`` is the header's checksum."""
    if len(lines) != 1 + len(columns) or lines[0] != "header " + header:
        raise Trouble("the footer does not match the header")
    sums = []
    for column, line in zip(columns, lines[1:]):
        name, *words = line.split(" ")
        blocks = -(-padded(column.size(n)) // xxh3.BLOCK)
        if name != column.name or len(words) != blocks or not all(map(_HEX.match, words)):
            raise Trouble("the footer does not match the header")
        sums.append(words)
    return sums


class Mark(NamedTuple):
    """A frame in a trailer: its offset from the start of the stream, and its footer's checksum."""

    offset: int
    checksum: str

    @property
    def line(self) -> str:
        return f"frame {self.offset} {self.checksum}"


def parse_trailer(lines: Sequence[str]) -> List[Mark]:
    """Returns the frames that a trailer lists."""
    marks = []
    for line in lines[1:]:
        words = line.split(" ")
        offset = _unsigned(words[1]) if len(words) == 3 else None
        if words[0] != "frame" or offset is None or not _HEX.match(words[2]):
            raise Trouble("the trailer does not match the frames before it")
        marks.append(Mark(offset, words[2]))
    key, _, count = lines[0].partition(" ") if lines else ("", "", "")
    if key != "frames" or _unsigned(count) != len(marks):
        raise Trouble("the trailer does not match the frames before it")
    return marks


CLOSE_SIZE = 64
_CLOSE = re.compile(rb"nbs 1 close ([0-9]{17}) ([0-9]{16}) ([0-9a-f]{16})\n\Z")


def make_close(stream_size: int, trailer_size: int) -> bytes:
    """Returns the line that closes a stream."""
    line = b"nbs 1 close %017d %016d " % (stream_size, trailer_size)
    return line + xxh3.hexdigest(line).encode("ascii") + b"\n"


def parse_close(line: bytes) -> Optional[Tuple[int, int]]:
    """Returns the sizes of the stream and of its trailer, or None if it is not a close line."""
    match = _CLOSE.match(line)
    if not match or xxh3.hexdigest(line[:47]).encode("ascii") != match.group(3):
        return None
    return int(match.group(1)), int(match.group(2))

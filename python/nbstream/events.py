"""Events since the previous frame, from a frame's header: stars that merged or left, and binaries that changed."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

Vector = Tuple[float, float, float]

# What follows the kind: t time, i a whole number, m mass, e energy, x length, v speed
_PAIR = "tiimmexxxvvv"
_FORMS = {"merge": _PAIR, "escape": "timexxxvvv", "form": _PAIR, "dissolve": _PAIR, "exchange": "tii" + _PAIR[2:]}
_FORMS.update({kind + "s": "ie" for kind in list(_FORMS)})
_BOOKED = "iimepppjjj"  # p momentum, j angular momentum


class Event(NamedTuple):
    """A star that merged or left, or a binary that changed. If there are too many, ``merges`` and so on are sums over
    ``count`` of them. ``former`` is the star that ``other`` replaced in a binary."""

    kind: str
    count: int  # type: ignore[assignment]
    energy: float
    time: Optional[float] = None
    id: Optional[int] = None
    other: Optional[int] = None
    mass: Optional[float] = None
    other_mass: Optional[float] = None
    pos: Optional[Vector] = None
    vel: Optional[Vector] = None
    former: Optional[int] = None


def _numbers(line: str, words: Sequence[str], form: str) -> List[float]:
    try:
        values = [int(word) if kind == "i" else float(word) for word, kind in zip(words, form)]
    except ValueError:
        values = []
    if len(values) != len(form) or len(words) != len(form):
        raise ValueError(f"the header's line '{line[:60]}' does not have the numbers of an event")
    return values


def parse(line: str) -> Event:
    """Returns the event of a header line ``event ...``."""
    words = line.split(" ")[1:]
    kind = words[0] if words else ""
    if kind not in _FORMS:
        raise ValueError(f"the header's line '{line[:60]}' is not an event")
    v = _numbers(line, words[1:], _FORMS[kind])
    if _FORMS[kind] == "ie":
        return Event(kind, int(v[0]), v[1])
    pos, vel = (v[-6], v[-5], v[-4]), (v[-3], v[-2], v[-1])
    if kind == "escape":
        return Event(kind, 1, v[3], v[0], int(v[1]), None, v[2], None, pos, vel)
    former = int(v.pop(3)) if kind == "exchange" else None
    return Event(kind, 1, v[5], v[0], int(v[1]), int(v[2]), v[3], v[4], pos, vel, former)


def is_line(line: str) -> bool:
    return line.split(" ")[0] == "event"


def without(lines: Sequence[str], *keys: str) -> Tuple[str, ...]:
    """Returns the lines with other keys."""
    return tuple(line for line in lines if line.split(" ")[0] not in keys)


def scaled(line: str, length: float, mass: float, time: float) -> str:
    """Returns the line with its numbers multiplied. Lines with other keys do not change."""
    words, speed = line.split(" "), length / time
    if words[0] not in ("event", "booked"):
        return line
    begin = 2 if words[0] == "event" else 1
    form = _BOOKED if words[0] == "booked" else _FORMS.get(words[1] if len(words) > 1 else "", "")
    factors = {"t": time, "m": mass, "e": mass * speed**2, "x": length, "v": speed, "p": mass * speed}
    factors["j"] = factors["p"] * length
    _numbers(line, words[begin:], form)
    changed = [word if kind == "i" else repr(float(word) * factors[kind]) for word, kind in zip(words[begin:], form)]
    return " ".join(words[:begin] + changed)

"""Shows the progress that programs report as JSON: as a line on a terminal or in a notebook, or as bars of tqdm."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional


_BAR = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}"
DELAY_S = 1.0  # shorter runs show nothing


class Progress(NamedTuple):
    """Progress of a program: the fraction done (0 to 1, or None), and the seconds left."""

    tool: str
    what: str
    fraction: Optional[float]
    left_s: Optional[float]
    time: Optional[float]
    end: bool


def parse_progress(line: str) -> Optional[Progress]:
    """Parses a line of ``--progress=json``. None if it is another line."""
    if not line.startswith("{"):
        return None
    try:
        told: Dict[str, Any] = json.loads(line)
        left, when = told.get("eta_s"), told.get("time")
        return Progress(str(told["tool"]), str(told["what"]), told.get("fraction"), left, when, bool(told["end"]))
    except (ValueError, KeyError, TypeError):
        return None


class Display:
    """Shows nothing. Base of the other displays, which begin when the programs have run for a while."""

    def __init__(self, delay_s: float = DELAY_S) -> None:
        self._from_s = time.monotonic() + delay_s

    def _is_early(self) -> bool:
        return time.monotonic() < self._from_s

    def show(self, progress: Progress) -> None:
        """Receives the progress of one of several programs. Called by one thread for each program."""

    def close(self) -> None:
        """The programs have ended."""


class LineDisplay(Display):
    """One line for all programs, overwritten, and removed at the end."""

    def __init__(self, file: Any, delay_s: float = DELAY_S) -> None:
        super().__init__(delay_s)
        self._file, self._lock, self._width = file, threading.Lock(), 0
        self._last: Dict[str, Progress] = {}

    def _text(self) -> str:
        parts: List[str] = []
        for tool, p in self._last.items():
            percent = f"{100 * p.fraction:.0f} %" if p.fraction is not None else p.what
            left = f", {p.left_s:.0f} s left" if p.left_s and p.left_s >= 1 else ""
            parts.append(f"{tool} {percent}{left}")
        return " | ".join(parts)

    def show(self, progress: Progress) -> None:
        with self._lock:
            self._last[progress.tool] = progress
            if self._is_early():
                return
            text = self._text()
            self._file.write("\r" + text.ljust(self._width))
            self._file.flush()
            self._width = len(text)

    def close(self) -> None:
        with self._lock:
            if self._width:
                self._file.write("\r" + " " * self._width + "\r")
                self._file.flush()
            self._width = 0


class BarDisplay(Display):
    """A bar of tqdm for each program."""

    def __init__(self, bar: Any, delay_s: float = DELAY_S) -> None:
        super().__init__(delay_s)
        self._bar, self._lock = bar, threading.Lock()
        self._bars: Dict[str, Any] = {}

    def show(self, progress: Progress) -> None:
        if progress.fraction is None or self._is_early():
            return
        with self._lock:
            bar = self._bars.get(progress.tool)
            if bar is None:
                bar = self._bars[progress.tool] = self._bar(total=100, desc=progress.tool, leave=False, bar_format=_BAR)
            bar.n = round(100 * progress.fraction)
            bar.refresh()

    def close(self) -> None:
        with self._lock:
            for bar in self._bars.values():
                bar.close()
            self._bars.clear()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and "ZMQ" in type(shell.get_ipython()).__name__)


def display(shown: Optional[bool]) -> Display:
    """Returns the display of progress. With None, only a terminal or a notebook shows progress."""
    notebook = _in_notebook()
    if shown is False or (shown is None and not notebook and not sys.stderr.isatty()):
        return Display()
    try:
        if notebook:
            import ipywidgets  # noqa: F401
            from tqdm.notebook import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        return LineDisplay(sys.stderr)
    return BarDisplay(tqdm)

"""Errors and warnings, in addition to OSError and ValueError."""

from __future__ import annotations

from typing import Optional


class StreamError(ValueError):
    """The input is not a snapshot stream, or has an unknown version."""


class DamagedError(StreamError):
    """The stream is truncated, damaged or recombined.

    ``last_whole`` is the number of the last complete frame before the damage. It is None if there is none, or if the
    frames before were not read.
    """

    def __init__(self, message: str, last_whole: Optional[int] = None) -> None:
        super().__init__(message)
        self.last_whole = last_whole


class DamageWarning(UserWarning):
    """Damage that ``salvage=True`` skipped."""


class ToolError(RuntimeError):
    """A program failed. The message is the program's.

    ``command`` has its words, ``stderr`` all of its messages, ``returncode`` its exit status (3: a requested check
    failed; below 0: ended by that signal).
    """

    def __init__(self, message: str, command: list[str], returncode: int, stderr: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.returncode = returncode
        self.stderr = stderr


class ToolWarning(UserWarning):
    """A warning of a program that succeeded."""

"""What can go wrong, beside OSError and ValueError."""

from __future__ import annotations

from typing import Optional


class StreamError(ValueError):
    """What was read is not a snapshot stream, or not one that this version knows."""


class DamagedError(StreamError):
    """A stream that is cut, damaged, or put together of parts of others.

    ``last_whole`` is the number of the last whole frame before the damage, None where there is none or where the
    frames before were not looked at.
    """

    def __init__(self, message: str, last_whole: Optional[int] = None) -> None:
        super().__init__(message)
        self.last_whole = last_whole


class DamageWarning(UserWarning):
    """What ``salvage=True`` passed over."""


class ToolError(RuntimeError):
    """A program failed; the message is its own line.

    ``command`` is its words, ``returncode`` its exit status (3: a check that was asked for failed; below 0: ended by
    that signal), ``stderr`` all that it said.
    """

    def __init__(self, message: str, command: list[str], returncode: int, stderr: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.returncode = returncode
        self.stderr = stderr


class ToolWarning(UserWarning):
    """What a program that succeeded had to warn of."""

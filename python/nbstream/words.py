"""Commands of pipelines: options from Python keywords, and text in the form of a shell command, without a shell."""

from __future__ import annotations

import os
import shlex
from typing import Any, Iterable, List, Tuple

from .programs import NAMES

_SHORT = ("n", "o", "f", "q", "v")


def _value(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (tuple, range)):
        return ",".join(map(_value, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def option_words(options: Iterable[Tuple[str, Any]]) -> List[str]:
    """Converts keywords to the options of a program.

    ``until=1`` is ``--until=1`` and ``max_de=1e-3`` is ``--max-de=0.001``. True is an option without a value; None and
    False are no option. A tuple is joined by commas, and a list repeats the option. A reserved word of Python ends with
    an underscore (``from_``).

    >>> option_words({"n": 1000, "max_de": 1e-3, "quiet": True, "force": ["auto", "external:nfw,mass=1"]}.items())
    ['-n', '1000', '--max-de=0.001', '--quiet', '--force=auto', '--force=external:nfw,mass=1']
    """
    words: List[str] = []
    for key, value in options:
        name = key.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            if one is None or one is False:
                continue
            if name in _SHORT:
                words += [f"-{name}"] if one is True else [f"-{name}", _value(one)]
            else:
                words.append(f"--{name}" if one is True else f"--{name}={_value(one)}")
    return words


def parse_pipeline(text: str) -> List[List[str]]:
    """Returns the words of each program of a pipeline such as ``nbgen plummer -n 1k | nbsim --until 1``.

    Quotes and backslashes work as in a shell. Variables, patterns, and files by < and > do not.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    stages: List[List[str]] = [[]]
    try:
        for word in lexer:
            if word == "|":
                stages.append([])
            elif word and not word.strip("|&;<>()"):
                raise ValueError(f"'{word}' is of a shell; here programs are joined by | alone (-o FILE writes a file)")
            else:
                stages[-1].append(word)
    except ValueError as error:
        raise ValueError(f"pipeline '{text}': {error}") from None
    for stage in stages:
        if not stage or stage[0] not in NAMES:
            what = f"'{stage[0]}' is" if stage else "there is"
            raise ValueError(f"pipeline '{text}': {what} none of {', '.join(NAMES)}")
    return stages

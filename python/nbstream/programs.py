"""Where the programs nbgen, nbsim, nbstat ... are."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from importlib import metadata
from typing import Dict, Optional

NAMES = ("nbgen", "nbsim", "nbrender", "nbstat", "nbconv", "nbedit", "nbbench")


@functools.lru_cache(maxsize=None)
def folder() -> Optional[str]:
    """The folder of the programs that came with this package, where pip put them (a wheel for Linux has some), or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        installed = metadata.distribution("nbstream")
    except metadata.PackageNotFoundError:
        return None
    if os.path.realpath(str(installed.locate_file("nbstream"))) != os.path.realpath(here):
        return None  # that of another copy
    programs = [os.path.abspath(str(file.locate())) for file in installed.files or [] if file.name == "nbsim"]
    # With --target they are beside the package, and pip's record is wrong.
    for program in programs and programs + [os.path.join(os.path.dirname(here), "bin", "nbsim")]:
        if os.access(program, os.X_OK):
            return os.path.dirname(program)
    return None


def find(name: str) -> str:
    """The path of a program: in the folder NBSTREAM_BIN, else that which came with this package, else on PATH.

    FileNotFoundError where there is none.
    """
    if name not in NAMES:
        raise ValueError(f"'{name}' is not one of the programs; there are {', '.join(NAMES)}")
    given = os.environ.get("NBSTREAM_BIN")
    inside = folder()
    found = (
        shutil.which(name, path=given) if given else (inside and shutil.which(name, path=inside)) or shutil.which(name)
    )
    if not found:
        where = f"in NBSTREAM_BIN={given}" if given else "in this package or on PATH"
        raise FileNotFoundError(f"program {name} is not {where}")
    return found


_progress: Dict[str, bool] = {}


def has_progress(name: str) -> bool:
    """Whether the program found can tell its progress as JSON; older ones cannot."""
    path = find(name)
    if path not in _progress:
        told = subprocess.run([path, "--help"], stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout
        _progress[path] = b"--progress" in told
    return _progress[path]

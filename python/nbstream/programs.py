"""Finds the programs nbgen, nbsim, nbstat ..."""

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
    """Returns the folder in which pip put the programs of this package (a wheel for Linux has them), or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        installed = metadata.distribution("nbstream")
    except metadata.PackageNotFoundError:
        return None
    if os.path.realpath(str(installed.locate_file("nbstream"))) != os.path.realpath(here):
        return None  # the record of another copy
    programs = [os.path.abspath(str(file.locate())) for file in installed.files or [] if file.name == "nbsim"]
    # With --target the programs are next to the package, and pip's record is wrong.
    for program in programs and programs + [os.path.join(os.path.dirname(here), "bin", "nbsim")]:
        if os.access(program, os.X_OK):
            return os.path.dirname(program)
    return None


def find(name: str) -> str:
    """Returns the path of a program: in the folder NBSTREAM_BIN, else the package's, else on PATH.

    Raises FileNotFoundError if there is none.
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
    """Returns whether the program can report its progress as JSON. Older programs cannot."""
    path = find(name)
    if path not in _progress:
        told = subprocess.run([path, "--help"], stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout
        _progress[path] = b"--progress" in told
    return _progress[path]

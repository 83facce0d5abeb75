"""The package of this tree, with the programs of the build that NB_BUILD names."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "common")]
if "NB_BUILD" in os.environ:
    os.environ["NBSTREAM_BIN"] = str((ROOT / os.environ["NB_BUILD"] / "bin").resolve())

import nbstream  # noqa: E402
from nbstream import programs  # noqa: E402

DATA = ROOT / "tests" / "data"


class Tools:
    """The C tools, as a shell would run them."""

    def __call__(self, *words, stdin=b"", fails=False):
        done = subprocess.run([programs.find(words[0]), *words[1:]], input=stdin, capture_output=True, check=False)
        assert fails or done.returncode == 0, done.stderr.decode()
        return done.stderr.decode() if fails else done.stdout

    def check(self, path):
        """What nbstat --check says of a file."""
        return self("nbstat", "--check", str(path)).decode()


@pytest.fixture(scope="session")
def tools():
    try:
        programs.find("nbgen")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return Tools()


@pytest.fixture
def frame():
    """Five bodies with columns of every type."""
    import numpy as np

    n = 5
    return nbstream.Frame(
        mass=np.linspace(1, 2, n),
        pos=np.arange(3.0 * n).reshape(n, 3),
        vel=-np.arange(3.0 * n).reshape(n, 3) / 7,
        time=0.1,
        id=np.arange(n, dtype=np.uint64) + np.uint64(2**63),
        component=["halo", "disk", "disk", "star", "gas"],
        color=np.arange(n, dtype=np.uint32),
        temperature=np.linspace(0, 1, n, dtype=np.float32),
        softening=0.25,
        dt=1 / 3,
        units="galactic",
    )

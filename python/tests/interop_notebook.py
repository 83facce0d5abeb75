"""The notebook in a real kernel; the package's types; what matters only with packages that make check does not ask
for."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

import nbstream
from nbstream import programs


def test_the_notebook_in_a_kernel(tools, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("NBSTREAM_BIN", os.path.dirname(programs.find("nbsim")))
    notebook = nbformat.read(ROOT / "examples" / "python" / "energy.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 3
    assert not [o for o in outputs if o.output_type == "stream" and o.name == "stderr"]


def test_types():
    pytest.importorskip("mypy")
    config = ROOT / "python" / "mypy.ini"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(config),
            "--cache-dir",
            os.devnull,
            os.path.dirname(nbstream.__file__),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["test_convert.py", "test_frame.py", "test_readme.py"])
def test_with_all_packages(name):
    pytest.importorskip("pandas")
    pytest.importorskip("astropy")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(ROOT / "python" / "tests" / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "SKIPPED" not in done.stdout, done.stdout

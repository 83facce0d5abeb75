"""The examples of README.md and of the docstrings are run."""

import doctest
import importlib
import os
import pkgutil

import pytest
from conftest import ROOT

import nbstream

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def test_the_readme(tools, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(
        str(ROOT / "python" / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert failed == 0 and tried > 30


@pytest.mark.parametrize(
    "name", [m.name for m in pkgutil.iter_modules(nbstream.__path__) if m.name not in ("yt", "pynbody", "bin")]
)
def test_docstrings(name):
    module = importlib.import_module(f"nbstream.{name}")
    assert module.__doc__
    if name == "engine" and os.environ.get("NB_SANITIZER"):
        pytest.skip("the library of a build with a sanitizer ends a Python that lacks it")
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


def test_all_that_is_public_is_documented():
    for name in nbstream.__all__:
        thing = getattr(nbstream, name)
        assert name in ("COMPONENTS", "SYSTEMS", "__version__") or thing.__doc__, name

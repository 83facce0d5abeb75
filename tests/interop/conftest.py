import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "common")]
os.environ["PATH"] = str((ROOT / os.environ.get("NB_BUILD", "build") / "bin").resolve()) + os.pathsep + os.environ["PATH"]


def tool(name, *words, **more):
    """What a program prints."""
    return subprocess.run([name, *map(str, words)], check=True, capture_output=True, **more).stdout

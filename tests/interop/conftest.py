import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "common")]
os.environ["PATH"] = str((ROOT / os.environ.get("NB_BUILD", "build") / "bin").resolve()) + os.pathsep + os.environ["PATH"]

#!/usr/bin/env python3
"""Changes checkpoints at random, makes their checksums right again, and resumes them: nothing may crash or hang.

usage: hostile_checkpoints.py [--count N] [--seed S] BUILD

What such a checkpoint says may be believed, and the run goes on until it is told to end; or it is refused with one line
and exit 1. The last line counts what came of each; exit 0 where nothing crashed, hung or said more."""
import argparse
import ctypes
import ctypes.util
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

_xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
_xxhash.XXH3_64bits.restype = ctypes.c_uint64
_xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

RUNS = [["--integrator", "ab4"], ["--integrator", "rkdp54", "--tolerance", "1e-6"], ["--force", "tree", "--rebuild", "5"],
        ["--integrator", "bulirsch-stoer", "--tolerance", "1e-6", "--store", "f32", "--write", "phi"],
        ["--integrator", "gauss6", "--precision", "quad"]]
NUMBERS = [-1, 0, 1, 1 << 62, 1 << 31, 0x7fffffff, 1 << 40, -(1 << 60), 0x7ff8000000000000]
RUNS_S = 0.1  # that one which goes on is left to
LIMIT_S = 60


def change(dice, data):
    data = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(64, min(len(data), 3000) if dice.random() < 0.7 else len(data))
        if dice.random() < 0.5:
            data[at] ^= 1 << dice.randrange(8)
        elif dice.random() < 0.5:
            data[at] = dice.randrange(256)
        else:
            data[at // 16 * 16:at // 16 * 16 + 8] = struct.pack("<q", dice.choice(NUMBERS))
    return seal(data)


def seal(data):
    """The checkpoint with the checksum of its contents."""
    data = bytearray(data)
    covered = bytes(data[32:48] + data[64:])  # number and size, then the contents
    data[48:56] = struct.pack("<Q", _xxhash.XXH3_64bits(covered, len(covered)))
    return bytes(data)


def make_checkpoints(bin, folder, options):
    """The bytes of both files, and of FILE.part, of a run that a signal ended."""
    for path in list(folder.glob("ck.*")) + list(folder.glob("two.nbs*")):
        path.unlink()
    subprocess.run([bin / "nbgen", "plummer", "-n", "4" if "quad" in options else "60", "-f", "-o", "in.nbs"], cwd=folder,
                   check=True)
    process = subprocess.Popen([bin / "nbsim", "-q", "--device", "cpu", "--dt", "0.001", "--until", "100", "--every",
                                "0.01", *options, "--checkpoint", "ck", "--checkpoint-every", "0", "in.nbs", "-o",
                                "two.nbs"], cwd=folder, stderr=subprocess.DEVNULL)
    while process.poll() is None and not all((folder / name).exists() and (folder / name).stat().st_size
                                             for name in ("ck.0", "ck.1")):
        time.sleep(0.01)
    process.terminate()
    process.wait()
    names = [folder / name for name in ("ck.0", "ck.1", "two.nbs.part")]
    return {name: name.read_bytes() for name in names}


def resume(bin, folder):
    """(status, lines of its own on stderr); None: it hung."""
    with open(folder / "said", "w+", errors="replace") as said:
        process = subprocess.Popen([bin / "nbsim", "-q", "--resume", "ck", "--checkpoint-every", "1h"], cwd=folder,
                                   stderr=said, stdout=subprocess.DEVNULL)
        try:
            process.wait(RUNS_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None, []
        said.seek(0)
        lines = [line for line in said.read().splitlines() if not line.startswith("nbsim: warning: ")]
        return process.returncode, [line for line in lines if not line.endswith("(read it with --salvage)")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build")
    arguments = parser.parse_args()
    bin = pathlib.Path(arguments.build, "bin").resolve()
    folder = pathlib.Path(tempfile.mkdtemp())
    count = {"refused": 0, "gone on with": 0, "crashed": 0, "hung": 0, "badly said": 0}
    try:
        for which, options in enumerate(RUNS):
            files = make_checkpoints(bin, folder, options)
            for number in range(arguments.count // len(RUNS)):
                dice = random.Random(f"{arguments.seed} {which} {number}")
                for path in folder.glob("two.nbs*"):
                    path.unlink()
                for path, data in files.items():
                    path.write_bytes(change(dice, data) if path.name.startswith("ck.") else data)
                status, lines = resume(bin, folder)
                if status is None:
                    kind = "hung"
                elif status == 1:
                    kind = "refused" if len(lines) == 1 else "badly said"
                elif status in (0, 3, 143, -signal.SIGTERM):
                    kind = "gone on with"
                else:
                    kind = "crashed"
                count[kind] += 1
                if kind in ("crashed", "hung", "badly said"):
                    print(f"{kind}: seed {arguments.seed}, {' '.join(options)}, number {number}: exit {status}: {lines}")
    finally:
        shutil.rmtree(folder)
    print("hostile checkpoints: " + ", ".join(f"{kind} {times}" for kind, times in count.items()))
    return 1 if count["crashed"] or count["hung"] or count["badly said"] else 0


if __name__ == "__main__":
    sys.exit(main())

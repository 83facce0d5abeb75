#!/usr/bin/env python3
"""Makes calls of one device fail while nbsim runs on several as one, or on one alone (fault.h), and holds each run to
what is promised of a GPU that is lost or full.

usage: lost.py [--device DEVICES] [--sample N] [--seconds S] [--only WORD] [--jobs J] [-v] BUILD

DEVICES is cpu:A-B (the default: cpu:0-2; BUILD/faults/device has the tool), or cuda:A-B or cuda (BUILD/faults/bin has
it: `make faults-cuda'). Each call of each device fails once; or all of them do from then on, as on a GPU that is lost.
No run hangs. One that does not reach its end has exit status 1 and one line, which names the device; FILE.part, or what
went into a pipe, is a whole stream with a trailer, whose frames are those of a run without a fault; and --resume of its
checkpoint, where there is one, on the same devices ends with the bytes of such a run, on another with its frames up to
rounding. --sample N takes about N points of all, --seconds S ends after so long. J runs go at once (jobs_of). The last
line has the result."""
import argparse
import concurrent.futures
import io
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import numpy

from faults import jobs_of, make_folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import nbs_reader  # noqa: E402

LIMIT_S = 60
EIO, ENOMEM = "5", "12"

# As numbers of cudaError_t: 2 memory, 46 devices are not there, 700 an illegal address, 719 a failed launch; "lose"
# runs a kernel that writes to an illegal address on that GPU.
CPU_FAULTS = {"alloc": [(ENOMEM, "once"), (ENOMEM, "on")], "device": [(EIO, "on")]}
CPU_OTHERS = [(EIO, "once")]
CUDA_FAULTS = {"cudaMalloc": [("2", "once"), ("2", "on")], "cuda": [("719", "on"), ("700", "on"), ("lose", "once")],
               "cudaSetDevice": [("46", "on")], "cudaDeviceEnablePeerAccess": [("2", "once"), ("217", "once")]}
CUDA_OTHERS = [("719", "once")]

STEPS = ["--dt", ".01", "--until", ".06", "--every", ".02"]
KEPT = ["--checkpoint", "ck", "--checkpoint-every", "0"]
COMMANDS = {
    "direct": STEPS + KEPT + ["--write", "acc,phi", "-o", "a.nbs"],
    "tree": STEPS + KEPT + ["--force", "tree", "-o", "a.nbs"],
    "ab4": STEPS + KEPT + ["--integrator", "ab4", "--log", "energy.tsv", "-o", "a.nbs"],
    "adaptive": ["--integrator", "rkdp54", "--tolerance", "1e-8", "--until", ".02", "--every", ".01", "-o", "a.nbs"] + KEPT,
    "external": STEPS + ["--force", "auto", "--force", "external:nfw,mass=1,scale=2", "-o", "a.nbs"],
    "hermite": STEPS + ["--integrator", "hermite4", "-o", "a.nbs"],
    "pipe": STEPS + ["--force", "tree"],
    "disks": ["--until", ".03", "--every", ".01", "--write", "pressure", "-o", "a.nbs"] + KEPT,
    "append": STEPS + ["--append", "-o", "old.nbs"],
}


class Run:
    """What a run of nbsim in a folder of its own has left."""
    def __init__(self, status, stdout, stderr, folder):
        self.status, self.stdout = status, stdout
        self.lines = [w for w in stderr.decode(errors="replace").splitlines() if not w.startswith("nbsim: warning: ")]
        self.files = {f.name: f.read_bytes() for f in folder.iterdir()}


def input_of(name):
    return "disks.nbs" if name == "disks" else "in.nbs"


def frames_of(data):
    """The frames of a whole stream; None where it is none."""
    try:
        return nbs_reader.read(io.BytesIO(data)) or None
    except (AssertionError, ValueError, KeyError):
        return None


def difference(some, whole, tolerance=0.0):
    """What makes these not the first of those; None if they are."""
    if len(some) > len(whole):
        return f"{len(some)} frames in place of {len(whole)}"
    for at, (a, b) in enumerate(zip(some, whole)):
        if a["time"] != b["time"] or a.keys() != b.keys():
            return f"frame {at} at {a['time']} with {sorted(a)}, not at {b['time']} with {sorted(b)}"
        for k in b:
            if isinstance(b[k], numpy.ndarray):
                off = numpy.abs(a[k].astype(float) - b[k].astype(float)).max() / (1 + numpy.abs(b[k].astype(float)).max())
                if not off <= tolerance:
                    return f"{k} of frame {at} is off by {off:.2g}"
    return None


def mixed(points):
    """Without order, but that each call and error of each command has its turn before any has its second."""
    random.Random(1).shuffle(points)
    turns = {}

    def turn(point):
        name, _, _, call, _, error, mode = point
        turns[name, call, error, mode] = turns.get((name, call, error, mode), 0) + 1
        return turns[name, call, error, mode]
    return sorted(points, key=turn)


class Campaign:
    def __init__(self, base, build, device, verbose):
        self.base, self.device, self.verbose = base, device, verbose
        self.cuda = device.startswith("cuda")
        self.bin = build / "bin"
        self.failing = build / ("faults/bin" if self.cuda else "faults/device") / "nbsim"
        first, _, last = device.partition(":")[2].partition("-")
        self.parts = range(int(last or first or 0) - int(first or 0) + 1)
        self.other = "cpu" if self.cuda or len(self.parts) > 1 else "cpu:0-1"
        self.count = {"points": 0, "worked around": 0, "resumed": 0, "bad": 0}
        self.lock = threading.Lock()

    def run(self, folder, words, **fault):
        env = dict(os.environ, LC_ALL="C", OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="2", **fault)
        process = subprocess.Popen([self.failing, "-q"] + words, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            stdout, stderr = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            return Run(None, stdout, stderr, folder)
        return Run(process.returncode, stdout, stderr, folder)

    def begin(self, folder, name, **fault):
        if name == "append":
            shutil.copy(self.base / "in.nbs", folder / "old.nbs")
        return self.run(folder, ["--device", self.device] + COMMANDS[name] + [str(self.base / input_of(name))], **fault)

    def name_of(self, part, error):
        """What a message calls it, as a regular expression; a kind of which none answers has no number, and
        the one CPU no name."""
        kind, _, numbers = self.device.partition(":")
        own = f"{kind}:{int(numbers.partition('-')[0] or 0) + part}"
        if len(self.parts) > 1:  # an illegal address makes all GPUs of the process useless
            return rf"(\b{own}|device {kind}{'|' + self.device if error == 'lose' else ''}): "
        return rf"\b({self.device}|{own}): " if self.cuda else ""

    def output_of(self, name, r):
        return r.stdout if name == "pipe" else r.files.get("old.nbs" if name == "append" else "a.nbs")

    def judge(self, name, whole, part, error, r, folder):
        """None when the run is as promised, or why it is not."""
        if r.status is None:
            return f"no end within {LIMIT_S} s"
        if r.status == 0:
            with self.lock:
                self.count["worked around"] += 1
            return None if self.output_of(name, r) == self.output_of(name, whole) else "exit 0 and another output"
        if r.status != 1 or len(r.lines) != 1:
            return f"exit {r.status} and {len(r.lines)} lines"
        if not re.search(self.name_of(part, error), r.lines[0]):
            return "the line does not name the device"
        if "a.nbs" in r.files:
            return "a file with the name of a whole one"
        if name == "append":
            return None if r.files["old.nbs"] == (self.base / "in.nbs").read_bytes() else "what was there is changed"
        left = r.stdout or r.files.get("a.nbs.part")
        if not left:
            return "the line says what there is not" if "keeps the" in r.lines[0] else None
        frames, expected = frames_of(left), frames_of(self.output_of(name, whole))
        if not frames:
            return "what is left is no stream of whole frames with a trailer"
        if off := difference(frames, expected):
            return f"what is left is another stream: {off}"
        kept = any(f.startswith("ck.") and len(r.files[f]) > 0 for f in r.files)
        if kept != ("--resume ck goes on" in r.lines[0]):
            return "the line does not say whether there is a checkpoint"
        return self.resume(folder, whole, expected) if kept else None

    def resume(self, folder, whole, expected):
        copy = pathlib.Path(shutil.copytree(folder, str(folder) + "-other"))
        shutil.move(folder, str(folder) + "-first")
        other = self.run(copy, ["--resume", "ck", "--device", self.other], FAULT_CALL="none")
        shutil.move(str(folder) + "-first", folder)
        shutil.rmtree(copy)
        r = self.run(folder, ["--resume", "ck"], FAULT_CALL="none")
        with self.lock:
            self.count["resumed"] += 1
        if r.status != 0 or r.files.get("a.nbs") != whole.files["a.nbs"]:
            return f"resumed: exit {r.status} {' | '.join(r.lines)}, and not the bytes of one run"
        frames = frames_of(other.files.get("a.nbs", b""))
        if other.status != 0 or not frames or len(frames) != len(expected):
            return f"resumed on {self.other}: exit {other.status} {' | '.join(other.lines)}, or not all frames"
        off = difference(frames, expected, 1e-5)
        return f"resumed on {self.other}: {off}" if off else None

    def point(self, name, whole, part, call, at, error, mode):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        log = folder.with_suffix(".log")
        r = self.begin(folder, name, FAULT_CALL=call, FAULT_AT=str(at), FAULT_MODE=mode, FAULT_ERROR=error,
                       FAULT_PART=str(part), FAULT_LOG=str(log))
        struck = log.exists() and "hit" in log.read_text()
        why = self.judge(name, whole, part, error, r, folder) if struck else None
        log.unlink(missing_ok=True)
        shutil.rmtree(folder)
        with self.lock:
            self.count["points"] += struck
            self.count["bad"] += why is not None
            if why or self.verbose:
                print(f"{name}: {call} {at} {error} {mode} of part {part}: {why or 'fine'}: exit {r.status}: "
                      f"{' | '.join(r.lines)[:400]}", flush=True)

    def points_of(self, name):
        """(command, whole run, part, call, at, error, mode) of all its points, from runs without a fault."""
        for part in self.parts:
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
            log = folder.with_suffix(".log")
            whole = self.begin(folder, name, FAULT_CALL="none", FAULT_AT="0", FAULT_PART=str(part), FAULT_LOG=str(log))
            if whole.status != 0:
                sys.exit(f"{name}: fails without a fault: {whole.status} {whole.lines}")
            for line in log.read_text().splitlines():
                call, count = line.split()
                faults = (CUDA_FAULTS if self.cuda else CPU_FAULTS).get(call, CUDA_OTHERS if self.cuda else CPU_OTHERS)
                for error, mode in faults:
                    for at in range(1, int(count) + 1):
                        yield name, whole, part, call, at, error, mode


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cpu:0-2")
    p.add_argument("--sample", type=int)
    p.add_argument("--seconds", type=float, default=float("inf"))
    p.add_argument("--only")
    p.add_argument("--jobs", type=int)
    p.add_argument("-v", action="store_true")
    p.add_argument("build", type=pathlib.Path)
    o = p.parse_args()
    end = time.monotonic() + o.seconds
    base = make_folder()
    try:
        c = Campaign(base, o.build.resolve(), o.device, o.v)
        subprocess.run([c.bin / "nbgen", "plummer", "-n", "300", "--softening", ".05", "-q", "-o", base / "in.nbs"], check=True)
        probe = c.run(base, ["-q", "--device", o.device, "--steps", "0", "in.nbs", "-o", "/dev/null"])
        if c.cuda and probe.status != 0:
            print("lost: skipped,", re.sub("^nbsim: ", "", " ".join(probe.lines)))
            return
        subprocess.run([c.bin / "nbgen", "windtunnel", "-n", "300", "-q", "-o", base / "disks.nbs"], check=True)
        names = [name for name in COMMANDS if not o.only or o.only in name]
        with concurrent.futures.ThreadPoolExecutor(o.jobs or jobs_of(c.cuda)) as pool:
            points = [point for of in pool.map(lambda k: list(c.points_of(k)), names) for point in of]
            points = mixed(points)
            list(pool.map(lambda point: time.monotonic() > end or c.point(*point), points[:o.sample]))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{o.device}:", ", ".join(f"{name} {n}" for name, n in c.count.items()), f"of {len(points)}")
    sys.exit(1 if c.count["bad"] or not c.count["resumed"] and not o.only else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs pipelines for a while and disturbs them: signals to their members, members stopped and continued, readers that
are slow or leave, a limit of memory.

usage: soak.py [--seconds N] [--seed S] [-v] BUILD

Whoever ends with 0 has written what it writes undisturbed; what has its name although its writer was ended by a signal is
whole all the same; nobody crashes, hangs, or fails without a line. The last line counts what was not so."""
import argparse
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults

LIMIT_S = 120
ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]
SIM = ["nbsim", "-q", "--device", "cpu", "--until", ".5", "--every", ".02"]
RENDER = ["nbrender", "-q", "--device", "cpu", "--size", "160x90"]
PIPELINES = [  # members of each; OUT of a name is the folder
    [["nbgen", "plummer", "-q", "-n", "300"], SIM, ["nbrender", "-q", "--size", "160x90", "-o", "film.gif"]],
    [["nbgen", "plummer", "-q", "-n", "300"], SIM, ["tee", "-i", "run.data"], ["nbstat", "-q", "--device", "cpu", "-o", "energy.tsv"]],
    [["nbgen", "collision", "-q", "-n", "200"], SIM + ["-o", "run.nbs"]],
    [["nbgen", "plummer", "-q", "-n", "20k", "-o", "many.nbs"]],
    [["nbgen", "disk", "-q", "-n", "5k"], ["nbconv", "--to", "text"], ["nbconv", "--from", "text", "-o", "again.nbs"]],
    [["nbgen", "plummer", "-q", "-n", "100"], SIM, RENDER + ["-o", "p-%03d.png"]],
    [["nbgen", "collision", "-q", "-n", "300"], SIM, ["nbedit", "-q", "--center", "com", "--sort", "r", "-o", "sorted.nbs"]],
    [["nbgen", "plummer", "-q", "-n", "100"], SIM, RENDER + ["-o", "-"]],
    [["nbgen", "plummer", "-q", "-n", "2k"], SIM + ["--force", "tree", "--dt", ".02"], ["nbconv", "--to", "text", "--frame", "all"]],
    [["nbgen", "plummer", "-q", "-n", "200"], SIM + ["--checkpoint", "ck", "--checkpoint-every", "0", "-o", "run.nbs"]],
]


class Soak:
    def __init__(self, base, build, seconds, verbose):
        self.base, self.build, self.verbose = base, build, verbose
        self.end_s = time.monotonic() + seconds
        self.env = {"PATH": f"{base / 'in'}:{build / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C", "OMP_NUM_THREADS": "2",
                    "OMP_WAIT_POLICY": "passive"}
        self.count = {"pipelines": 0, "signals": 0, "stops": 0, "limits": 0, "slow readers": 0, "whole": 0, "half": 0,
                      "hung": 0, "crashed": 0, "badly said": 0}
        self.lock = threading.Lock()
        self.wholes = {}

    def add(self, what, why=None):
        with self.lock:
            self.count[what] += 1
            if why or self.verbose:
                print(f"{what}: {why}", flush=True)

    def start(self, members, folder, limits):
        """The processes; the last one's stdout is a pipe of ours."""
        running, stdin = [], subprocess.DEVNULL
        for k, member in enumerate(members):
            limit = limits.get(k)
            p = subprocess.Popen(member, cwd=folder, env=self.env, stdin=stdin, stdout=subprocess.PIPE,
                                 stderr=open(folder / f"said-{k}", "wb"),
                                 preexec_fn=(lambda most=limit: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
                                 if limit else None)
            if stdin != subprocess.DEVNULL:
                stdin.close()
            stdin = p.stdout
            running.append(p)
        return running

    def read(self, pipe, dice, into):
        """Reads the last member's stdout, slowly or quickly, or leaves."""
        slow, leaves = dice.random() < 0.3, dice.random() < 0.1
        if slow:
            self.add("slow readers")
        while piece := os.read(pipe.fileno(), 65536 if not slow else 4096):
            into.append(piece)
            if leaves and len(into) > 3:
                into.clear()
                into.append(None)
                break
            if slow and len(into) < 200:
                time.sleep(0.005)
        pipe.close()

    def disturb(self, running, dice):
        """Sends signals until all have ended. The members that were sent one that ends."""
        told, stopped, begun_s = {}, [], time.monotonic()
        ends = dice.random() < 0.5
        while any(p.poll() is None for p in running):
            time.sleep(dice.random() * 0.05)
            p = dice.choice(running)
            if p.poll() is None and dice.random() < 0.5:
                p.send_signal(signal.SIGSTOP)
                stopped.append(p)
                self.add("stops")
            elif p.poll() is None and ends and dice.random() < 0.3:
                number = dice.choice(ENDING)
                p.send_signal(number)
                told.setdefault(running.index(p), []).append(number)
                self.add("signals")
            if stopped and dice.random() < 0.7:
                stopped.pop(0).send_signal(signal.SIGCONT)
            if time.monotonic() - begun_s > LIMIT_S:
                break
        return told

    def whole(self, number):
        """What the pipeline writes undisturbed: files and stdout."""
        with self.lock:
            if number in self.wholes:
                return self.wholes[number]
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        running = self.start(PIPELINES[number], folder, {})
        out = running[-1].stdout.read()
        assert all(p.wait() == 0 for p in running), [(folder / f"said-{k}").read_text() for k in range(len(running))]
        files = self.files_of(folder)
        shutil.rmtree(folder)
        with self.lock:
            self.wholes[number] = files, out
        return files, out

    def files_of(self, folder):
        return {f.name: f.read_bytes() for f in folder.iterdir() if not f.name.startswith("said-")}

    def one(self, seed):
        dice = random.Random(seed)
        if time.monotonic() > self.end_s:
            return
        number = dice.randrange(len(PIPELINES))
        members = PIPELINES[number]
        files, out = self.whole(number)
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        limits = {k: dice.randrange(20, 400) << 20 for k in range(len(members)) if dice.random() < 0.1}
        for _ in limits:
            self.add("limits")
        running = self.start(members, folder, limits)
        got = []
        reader = threading.Thread(target=self.read, args=(running[-1].stdout, dice, got))
        reader.start()
        told = self.disturb(running, dice)
        statuses = [p.poll() for p in running]
        for p in running:
            if p.poll() is None:
                p.kill()
                p.wait()
        reader.join()
        self.judge(members, statuses, folder, files, out if got != [None] else None, got, told, limits)
        shutil.rmtree(folder)
        self.add("pipelines")

    def judge(self, members, statuses, folder, files, out, got, told, limits):
        what = " | ".join(" ".join(m) for m in members)
        said = [(folder / f"said-{k}").read_text(errors="replace") for k in range(len(members))]
        why = f"{what}: exits {statuses}, told {told}, limits {limits}, said {said}"
        if None in statuses:
            self.add("hung", why)
            return
        for k, status in enumerate(statuses):
            expected = {0, 1, -signal.SIGPIPE} | {-s for s in told.get(k, [])} | {128 + s for s in told.get(k, [])}
            # a limit of memory below what the loader needs is the system's to say
            if status not in expected and not (limits.get(k) and status == 127):
                self.add("crashed", why)
                return
            if status == 1 and members[k][0].startswith("nb") and not said[k].startswith(members[k][0]):
                self.add("badly said", why)
                return
        if all(status == 0 for status in statuses):
            left = self.files_of(folder)
            if left != files or (out is not None and out != b"".join(got)):
                self.add("half", why + f", files {sorted(left)}")
                return
            self.add("whole")
        for name, content in self.files_of(folder).items():
            if name.endswith(".part") or name.startswith("ck.") or name == "run.data" or content == files.get(name):
                continue
            if not self.is_whole(folder / name):
                self.add("half", why + f", file {name}")
                return

    def is_whole(self, path):
        """What a signal has ended early is shorter, but whole."""
        if path.suffix == ".nbs":
            return subprocess.run([str(self.build / "bin/nbstat"), "-q", "--check", str(path)], capture_output=True,
                                  check=False).returncode == 0
        if path.suffix in (".gif", ".tsv"):
            return path.read_bytes().endswith(b";" if path.suffix == ".gif" else b"\n")
        return False


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=3600)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("-v", action="store_true")
    p.add_argument("build", type=pathlib.Path)
    o = p.parse_args()
    build = o.build.resolve()
    base = faults.make_folder()
    try:
        faults.Campaign(base, build, False, False, False)
        faults.make_inputs(base / "in", False)
        soak = Soak(base, build, o.seconds, o.v)
        with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
            for begin in range(0, 10**9, 100):
                if time.monotonic() > soak.end_s:
                    break
                list(pool.map(soak.one, range(o.seed * 10**9 + begin, o.seed * 10**9 + begin + 100)))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print("soak: " + ", ".join(f"{name} {n}" for name, n in soak.count.items()))
    sys.exit(any(soak.count[name] for name in ("half", "hung", "crashed", "badly said")))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills every tool at each of its system calls, lets pairs of them write one output, and closes their descriptors.

usage: kills.py [--pairs N] [--only WORD] [-v] BUILD

What is there afterwards under an output's name is whole or what was there before; a run with checkpoints that was killed
goes on to the bytes of one that was not; of two writers one is refused or both have written, in turn, and the file is
what one of them writes alone; with descriptors closed an output is whole or the exit is not 0. The last line counts
what was not so."""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults

BEFORE = (b"the run ended before its first checkpoint", b"no such checkpoint")
CALLS = ["open", "close", "read", "write", "writev", "pwrite", "fsync", "rename", "renameat2", "link", "unlink",
         "ftruncate", "flock", "pthread_create", "posix_spawnp", "pipe2", "waitpid"]


class Kills:
    def __init__(self, campaign, base, build, verbose):
        self.campaign, self.base, self.build, self.verbose = campaign, base, build, verbose
        self.count = {"kills": 0, "pairs": 0, "closed": 0, "half": 0, "lost": 0, "unnoticed": 0, "badly said": 0}
        self.lock = threading.Lock()

    def note(self, what, bad=None, why=""):
        with self.lock:
            self.count[what] += 1
            if bad:
                self.count[bad] += 1
            if bad or self.verbose:
                print(f"{what} {self.count[what]}: {bad or 'fine'}: {why}", flush=True)

    # ---- killed at a call ----

    def points(self, command):
        whole = self.campaign.run(command)
        for line in whole.log.splitlines():
            call, count = line.split()
            if call in CALLS:
                for at in range(1, min(int(count), 40) + 1):
                    yield command, whole, call, at

    def kill_at(self, command, whole, call, at):
        resumed = []

        def go_on(folder, env):
            if "--checkpoint" in command.argv and not (folder / "a.nbs").exists():
                p = subprocess.run(["nbsim", "-q", "--resume", "ck"], cwd=folder, env=env, capture_output=True,
                                   executable=str(self.build / "bin/nbsim"), check=False)
                resumed.append(p)
        r = self.campaign.run(command, call, at, "once", "kill", after=go_on)
        if "hit" not in r.log:
            return
        why = f"{command.name} at {call} {at}: "
        before = faults.SETUP.get(command.name, {})
        for name, content in r.files.items():
            was = (self.base / "in" / before[name]).read_bytes() if name in before else None
            if name.endswith(".part") or name.startswith("ck.") or content in (whole.files.get(name), was):
                continue
            if "--append" in command.argv and was is not None and content.startswith(was):
                continue  # --append in place: what was there, and the beginning of more, which readers call cut
            self.note("kills", "half", why + name)
            return
        for p in resumed:
            if p.returncode == 0 and r.files.get("a.nbs") != whole.files["a.nbs"]:
                self.note("kills", "unnoticed", why + "resumed to other bytes")
                return
            if p.returncode != 0 and not any(text in p.stderr for text in BEFORE):
                self.note("kills", "lost", why + p.stderr.decode())
                return
        if r.status != -signal.SIGKILL:
            self.note("kills", "badly said", why + f"exit {r.status}")
            return
        self.note("kills")

    # ---- two writers of one output ----

    WRITERS = [["nbgen", "plummer", "-n", "{n}", "-q", "-o", "{out}"],
               ["nbsim", "-q", "--device", "cpu", "--steps", "{k}", "--dt", ".01", "-o", "{out}", "../in/a.nbs"],
               ["nbconv", "--to", "text", "--frame", "{k}", "-o", "{out}", "../in/run.nbs"],
               ["nbstat", "-q", "--device", "cpu", "--frame", "{k}", "-o", "{out}", "../in/run.nbs"],
               ["nbedit", "-q", "--shift", "{k},0,0", "-o", "{out}", "../in/run.nbs"],
               ["nbrender", "-q", "--size", "16x16", "--fps", "2{k}", "-o", "{out}", "../in/run.nbs"]]

    def pair(self, seed):
        dice = random.Random(seed)
        form = dice.choice(self.WRITERS)
        out = {"nbrender": dice.choice(["x.gif", "x.y4m"]), "nbstat": "x.tsv", "nbconv": "x.txt"}.get(form[0], "x.nbs")
        force = dice.choice([["-f"], []])
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        commands = [[w.format(n=50 + 2000 * k, k=k, out=out) for w in form] + force for k in (1, 2)]
        alone = []
        for command in commands:
            subprocess.run(command, cwd=folder, env=self.campaign.env, check=True, capture_output=True)
            alone.append((folder / out).read_bytes())
            (folder / out).unlink()
        running = []
        for command in commands:
            running.append(subprocess.Popen(command, cwd=folder, env=self.campaign.env, stderr=subprocess.PIPE,
                                            stdout=subprocess.DEVNULL))
            time.sleep(dice.choice([0, 0, 0.001, 0.003]))
        said = [p.communicate()[1] for p in running]
        done = [p.returncode for p in running]
        content = (folder / out).read_bytes() if (folder / out).exists() else None
        left = [f.name for f in folder.iterdir() if f.name != out]
        shutil.rmtree(folder)
        why = f"{' '.join(commands[0])}: exits {done}, {said}, left {left}"
        if 0 not in done or content not in [a for a, status in zip(alone, done) if status == 0]:
            self.note("pairs", "half", why)
        elif any(status not in (0, 1) or len(s.splitlines()) != status for status, s in zip(done, said)):
            self.note("pairs", "badly said", why)
        elif left and 1 not in done:
            self.note("pairs", "half", why)
        else:
            self.note("pairs")

    # ---- closed descriptors ----

    def run_closed(self, command, fds):
        """Its exit status, what it wrote to files, to stdout and to stderr."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        for name, source in faults.SETUP.get(command.name, {}).items():
            shutil.copy(self.base / "in" / source, folder / name)
        words = [w for w in command.argv if w != "-q"]  # so that it has something to say
        stdin = command.stdin or "/dev/null"
        closing = "".join(f" {fd}{'<' if fd == 0 else '>'}&-" for fd in fds)
        p = subprocess.run(["bash", "-c", f'"$@" <{stdin} >stdout.data 2>stderr.text{closing}', "-", *words], cwd=folder,
                           env=dict(self.campaign.env, OMP_NUM_THREADS=command.threads), check=False,
                           capture_output=True)
        files = {f.name: f.read_bytes() for f in folder.iterdir()}
        shutil.rmtree(folder)
        return p.returncode, files, files.pop("stdout.data"), files.pop("stderr.text")

    def closed(self, command, fds):
        whole_status, whole_files, whole_out, _ = self.run_closed(command, ())
        status, files, out, said = self.run_closed(command, fds)
        why = f"{command.name} without {fds}: exit {status}: {said.decode(errors='replace')}"
        halves = [n for n, content in files.items() if not n.endswith(".part") and content != whole_files.get(n) and
                  n not in faults.SETUP.get(command.name, {})]
        if whole_status or halves or (status == 0 and (files != whole_files or (1 not in fds and out != whole_out))):
            self.note("closed", "half", why)
        elif status not in (0, 1) or (status == 1 and 2 not in fds and not said.startswith(command.tool.encode())):
            self.note("closed", "badly said", why)
        elif status == 0 and ((0 in fds and command.stdin) or (1 in fds and whole_out)):
            self.note("closed", "unnoticed", why)
        else:
            self.note("closed")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--pairs", type=int, default=300)
    p.add_argument("--only")
    p.add_argument("-v", action="store_true")
    p.add_argument("build", type=pathlib.Path)
    o = p.parse_args()
    build = o.build.resolve()
    base = faults.make_folder()
    try:
        campaign = faults.Campaign(base, build, False, False, False)
        faults.make_inputs(base / "in", False)
        kills = Kills(campaign, base, build, o.v)
        commands = [faults.Command(name, words, base) for name, words in faults.COMMANDS.items()
                    if not o.only or o.only in name]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(kills.kill_at, *point) for command in commands for point in kills.points(command)]
            subsets = [fds for size in (1, 2, 3) for fds in itertools.combinations((0, 1, 2), size)]
            jobs += [pool.submit(kills.closed, command, fds) for command in commands
                     if command.name not in faults.PREPARE for fds in subsets]
            jobs += [pool.submit(kills.pair, seed) for seed in range(o.pairs)]
            for job in jobs:
                job.result()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(", ".join(f"{name} {n}" for name, n in kills.count.items()))
    sys.exit(any(n for name, n in kills.count.items() if name not in ("kills", "pairs", "closed")))


if __name__ == "__main__":
    main()

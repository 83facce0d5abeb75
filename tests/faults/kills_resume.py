#!/usr/bin/env python3
"""Kills runs with checkpoints at random moments, resumes them, and compares their bytes and logs with those of a run left
alone.

usage: kills_resume.py [--kills N] [--seed S] [--device D] [--jobs J] [-v] BUILD

Every integrator in turn, with a precision, columns, forces and step-size control drawn at random. A run is killed by
SIGKILL, again and again, until it has come to its end or has been killed often enough. The last line counts kills by
what came of them: unnoticed, an end with other bytes; crashed, an end by a signal that was not ours or with a message
that is none; lost, a run with a checkpoint that could not be gone on with. Exit 0 where these are 0."""
import argparse
import concurrent.futures
import filecmp
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

LIMIT_S = 300
MOST_KILLS = 12  # of one run
BEFORE = ("the run ended before its first checkpoint", "no such checkpoint")


def integrators(nbsim):
    lines = subprocess.run([nbsim, "--list-integrators"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in lines.splitlines() if not line.startswith("#")]
    return [(row[0], row[5] == "yes") for row in rows]


def draw_options(dice, name, adaptive, device):
    """Options of a run of some tenths of a second, and how many bodies it has."""
    options = ["--integrator", name, "--device", device, "--dt", "0.01", "--every", "0.05", "--max-de", "1e9"]
    bodies, until = 300, 0.6
    precisions = ["single", "mixed", "double"] + (["quad"] if device == "cpu" else [])
    if name.startswith("whfast"):  # on the CPU, in double, without softening, by the direct sum
        return bodies, options[:2] + options[4:] + ["--softening", "0", "--until", "3"]
    hermite = name.startswith("hermite") or name == "ahmad-cohen"  # with a jerk: no tree, no external field
    if name in ("hermite4-block", "hermite4-groups", "ahmad-cohen"):
        precisions = ["double"]
    if name == "ahmad-cohen":
        options[options.index("--device") + 1] = "cpu"
    if name == "p3t":  # by the tree
        precisions = ["mixed", "double"]
    if name in ("hermite4-groups", "p3t"):  # of point masses
        options += ["--softening", "0"]
    precision = dice.choice(precisions)
    options += ["--precision", precision]
    if precision == "quad":
        bodies, until = 4, 0.3
    elif not hermite and dice.random() < 0.4:
        options += ["--force", "tree", "--rebuild", dice.choice(["1", "3"])]
    elif name not in ("stormer", "p3t") and not hermite and dice.random() < 0.3:
        options += ["--force", "auto", "--force", "external:drag,rate=0.3"]
    if adaptive and dice.random() < 0.5:
        options += ["--tolerance", "1e-4"]
    if dice.random() < 0.4:
        options += ["--store", "f32"]
    if dice.random() < 0.3:
        options += ["--write", "acc,phi"]
    if device == "cuda":
        until *= 10  # steps are that much shorter than starting
    return bodies, options + ["--until", str(until)]


def log_lines(path):
    """Without the sixth field, the rate, which is of the clock."""
    if not path.exists():
        return None
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [row[:5] + row[6:] for row in rows]


class Campaign:
    def __init__(self, arguments):
        self.bin = pathlib.Path(arguments.build, "bin").resolve()
        self.nbsim = str(self.bin / "nbsim")
        self.device = arguments.device
        self.verbose = arguments.v
        self.left = arguments.kills
        self.kills = self.runs = self.resumes = self.restarts = 0
        self.bad = {"unnoticed": 0, "crashed": 0, "lost": 0}
        self.lock = threading.Lock()

    def report(self, kind, command, what):
        with self.lock:
            self.bad[kind] += 1
            print(f"{kind}: {' '.join(command)}: {what}", flush=True)

    def begin(self, command, folder, until_it_steps):
        """Starts the command, and waits until it says that it is about to take steps, or ends."""
        process = subprocess.Popen(command, cwd=folder, stderr=open(folder / "said", "w"), stdout=subprocess.DEVNULL)
        while until_it_steps and process.poll() is None and " in all" not in (folder / "said").read_text(errors="replace"):
            time.sleep(0.001)
        return process

    def kill_once(self, dice, command, folder, steps_s):
        """Runs the command for a moment, mostly drawn from the time in which steps are taken. None: it was killed; else
        its status and what it said."""
        process = self.begin(command, folder, dice.random() < 0.8)
        try:
            process.wait(dice.choice([0.3, 1, 1.2]) * dice.random() * steps_s)
        except subprocess.TimeoutExpired:
            process.kill()
        status = process.wait(LIMIT_S)
        return None if status == -signal.SIGKILL else (status, (folder / "said").read_text(errors="replace"))

    def take_kill(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def run_one(self, seed, name, adaptive):
        dice = random.Random(seed)
        bodies, options = draw_options(dice, name, adaptive, self.device)
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            subprocess.run([str(self.bin / "nbgen"), "plummer", "-n", str(bodies), "-o", "in.nbs"], cwd=folder, check=True)
            alone = self.begin([self.nbsim, *options, "--log", "one.tsv", "in.nbs", "-o", "one.nbs"], folder, True)
            begin_s = time.monotonic()
            if alone.wait(LIMIT_S) != 0:
                self.report("crashed", options, (folder / "said").read_text(errors="replace"))
                return
            self.kill_and_resume(dice, options, folder, time.monotonic() - begin_s)
        finally:
            shutil.rmtree(folder)

    def kill_and_resume(self, dice, options, folder, steps_s):
        first = [self.nbsim, *options, "--checkpoint", "ck", "--checkpoint-every", "0", "--log", "two.tsv", "in.nbs",
                 "-o", "two.nbs"]
        resume = [self.nbsim, "--resume", "ck"]
        command, had_checkpoint, killed = first, False, 0
        while True:
            if killed < MOST_KILLS and self.take_kill():
                ended = self.kill_once(dice, command, folder, steps_s)
                with self.lock:
                    self.kills += ended is None
                    self.left += ended is not None
                killed += ended is None
            else:
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S)
                ended = done.returncode, done.stderr
            if self.verbose:
                print(command[1:3], "killed" if ended is None else ended, flush=True)
            if ended is None:
                command = resume
                continue
            status, said = ended
            had_checkpoint = had_checkpoint or "resuming from checkpoint" in said
            if status == 0 and (folder / "two.nbs").exists():
                break
            if status == 1 and any(text in said for text in BEFORE) and command is resume:
                if (folder / "two.nbs").exists():
                    break  # killed between the end of its work and its own
                if had_checkpoint:
                    self.report("lost", options, said)
                    return
                for path in list(folder.glob("ck.*")) + list(folder.glob("two.*")):
                    path.unlink()
                with self.lock:
                    self.restarts += 1
                command = first
                continue
            self.report("lost" if status == 1 else "crashed", options, f"exit {status}: {said}")
            return
        if not filecmp.cmp(folder / "one.nbs", folder / "two.nbs", shallow=False):
            self.report("unnoticed", options, "other bytes")
        if log_lines(folder / "one.tsv") != log_lines(folder / "two.tsv"):
            self.report("unnoticed", options, "other lines in the log")
        with self.lock:
            self.runs += 1
            self.resumes += killed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    parser.add_argument("build")
    arguments = parser.parse_args()
    campaign = Campaign(arguments)
    schemes = integrators(campaign.nbsim)
    number = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while campaign.left > 0:
            round_of = [pool.submit(campaign.run_one, arguments.seed * 1000003 + number + k, *scheme)
                        for k, scheme in enumerate(schemes)]
            number += len(schemes)
            for job in round_of:
                job.result()
    bad = ", ".join(f"{kind} {count}" for kind, count in campaign.bad.items())
    print(f"kills {campaign.kills} of {campaign.runs} runs over {len(schemes)} integrators "
          f"({campaign.restarts} before a first checkpoint): {bad}")
    return 1 if any(campaign.bad.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

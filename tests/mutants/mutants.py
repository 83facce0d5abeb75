#!/usr/bin/env python3
"""Changes the code at one place at a time and expects that a test fails (mutation testing).

usage: mutants.py [--jobs N] [--only WORD] [-v] [BUILD]

list.txt next to this script has the changes. draw.py drew them, and assign.py found their tests. Each change is made in
a copy of the tree and of BUILD, both in BUILD/../mutants, which is removed in the end. The tree itself is not modified.
First all tests of the list must pass without a change. Then each change is compiled and its tests run until one of them
fails. A test that takes longer than 120 s fails. Changes that no test notices are printed. --only takes the changes of
files whose path has WORD, -v prints the test that notices each change. Without BUILD, only checks that each change
applies to the sources once, and that its tests exist.

Exit status: 1 if fewer than 95 % are noticed; 2 if a change does not apply to the code any more or does not compile, or
if a test does not exist or fails without a change."""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIST = pathlib.Path(__file__).resolve().parent / "list.txt"
LIMIT_S = 120
LIMIT_FILE = 4 << 30
WANTED = 0.95
PROGRAMS = [f"bin/nb{name}" for name in ("gen", "sim", "render", "stat", "conv", "edit", "bench")]


class Mistake(Exception):
    """The list does not fit the code or the tests."""


# ---- the list ----


class Mutant:
    """One change: lines of a file, one of which is replaced; the tests that notice it, or why none can."""
    def __init__(self, file, context, old, new, tests=(), equivalent=None):
        self.file, self.context, self.old, self.new = file, list(context), old, new
        self.tests, self.equivalent = list(tests), equivalent

    def text(self):
        lines = [self.file] + [" " + line for line in self.context] + ["-" + self.old, "+" + self.new]
        lines += ["test: " + test for test in self.tests]
        lines += ["equivalent: " + self.equivalent] if self.equivalent else []
        return "\n".join(lines) + "\n"

    def name(self):
        return f"{self.file}\n    - {self.old.strip()}\n    + {self.new.strip()}"

    def apply(self, text):
        """The file's text with the change."""
        lines, sought = text.split("\n"), self.context + [self.old]
        found = [k for k in range(len(lines)) if lines[k:k + len(sought)] == sought]
        if len(found) != 1:
            raise Mistake(f"the lines are there {len(found)} times")
        lines[found[0] + len(self.context)] = self.new
        return "\n".join(lines)


def read_list():
    head, mutants = [], []
    for block in LIST.read_text().split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        if not lines or lines[0].startswith("#"):
            head += lines
            continue
        parts = {" ": [], "-": [], "+": [], "test: ": [], "equivalent: ": []}
        for line in lines[1:]:
            key = next((key for key in parts if line.startswith(key)), None)
            if key is None:
                raise Mistake(f"list.txt: {line}")
            parts[key].append(line[len(key):])
        old, new = parts["-"], parts["+"]
        if len(old) != 1 or len(new) != 1 or (parts["test: "] and parts["equivalent: "]):
            raise Mistake(f"list.txt: {lines[0]}: not one line that is replaced by one, with tests or a reason")
        mutants.append(Mutant(lines[0], parts[" "], old[0], new[0], parts["test: "],
                              " ".join(parts["equivalent: "]) or None))
    return head, mutants


def write_list(head, mutants):
    LIST.write_text("\n".join(head) + "\n\n" + "\n".join(m.text() for m in mutants))


# ---- processes ----


class Session:
    """A process with a session of its own, which ends with all that it started."""
    running, stopped = set(), threading.Event()

    def __init__(self, command, **options):
        if self.stopped.is_set():
            raise Mistake("stopped")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
                                        **options)
        self.running.add(self)

    def end(self):
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = path.read_text(errors="replace").rsplit(")", 1)[1].split()
                if int(words[3]) == self.process.pid:
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except (OSError, IndexError):
                pass # it has ended

    def __enter__(self):
        return self.process

    def __exit__(self, *what):
        self.end()
        self.running.discard(self)
        self.process.stdout.close()
        self.process.wait()

    @classmethod
    def stop(cls):
        cls.stopped.set()
        for session in list(cls.running):
            session.end()


# ---- copies of the tree ----


def sources():
    found = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE).stdout.decode().split("\0")
    return [name for name in found if name and (ROOT / name).exists()]


class Tree:
    """A copy of the sources and of what was built from them. `whole` has the same and is never modified."""
    def __init__(self, folder, build, whole=None):
        self.folder, self.build, self.whole = folder, folder / build, whole
        for name in sources():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
        self.build.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", str(whole.build if whole else ROOT / build), str(self.build)], check=True)
        self.relative = build

    def make(self, *targets):
        """Returns what make says if it fails."""
        with Session(["make", "CUDA=0", "-j1", "--no-print-directory", f"BUILD={self.relative}",
                      *(f"{self.relative}/{name}" for name in targets)],
                     cwd=self.folder, stderr=subprocess.STDOUT) as process:
            said = process.stdout.read().decode(errors="replace")
            return said if process.wait() else None

    def restore(self, file, since):
        """Takes back a change and what was built since then, with the times of all files."""
        if file:
            shutil.copy2(self.whole.folder / file, self.folder / file)
        for at, folders, names in os.walk(self.build):
            for name in names:
                path = pathlib.Path(at) / name
                if path.lstat().st_mtime_ns < since:
                    continue
                original = self.whole.build / path.relative_to(self.build)
                if original.exists():
                    shutil.copy2(original, path, follow_symlinks=False)
                else:
                    path.unlink()


class Change:
    """with Change(tree, mutant): the tree has it, and afterwards has not."""
    def __init__(self, tree, mutant):
        self.tree, self.mutant = tree, mutant

    def __enter__(self):
        path = self.tree.folder / self.mutant.file
        text = self.mutant.apply(path.read_text())
        self.since = time.time_ns()
        path.write_text(text)
        now = time.time_ns() + 10_000_000 # newer than all that is built, for any clock of files
        os.utime(path, ns=(now, now))

    def __exit__(self, *what):
        self.tree.restore(self.mutant.file, self.since - 1_000_000_000)


# ---- tests ----


def split_test(test):
    """A test, in tests/, is `engine/test_tree`, or `sim/nbsim.bats` or `sim/nbsim.bats: name of a test`."""
    file, _, name = test.partition(": ")
    return file, name


def targets_of(test):
    file, _ = split_test(test)
    if not file.endswith(".bats"):
        return [f"tests/{file}"]
    text = (ROOT / "tests" / file).read_text()
    more = ["tests/faults/fail.so", "faults/device/nbsim", "mpi/bin/nbsim"]
    return PROGRAMS + [m for m in more if m in text]


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_FILE, LIMIT_FILE))


def command_of(test):
    file, name = split_test(test)
    if not file.endswith(".bats"):
        return None
    pattern = "^" + re.sub(r"([][\\.*+?(){}^$|])", r"\\\1", name) + "$"
    return ["bats", "--tap", *(["-f", pattern] if name else []), f"tests/{file}"]


def run(tree, test, ignored=()):
    """Runs a test up to its first failure, in the environment of run.sh. Returns None if it passes, else the name of what
    failed. Pairs (test, name) in `ignored` may fail."""
    temporary = tree.folder / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    bats = command_of(test)
    environment = dict(os.environ, NB_BUILD=str(tree.build), TMPDIR=str(temporary), OMP_WAIT_POLICY="passive",
                       OMP_NUM_THREADS="2", CMOCKA_MESSAGE_OUTPUT="TAP", POCL_CACHE_DIR=str(tree.build / "pocl"))
    session = Session(bats or [str(tree.build / "tests" / test)], cwd=tree.folder, env=environment,
                      stderr=subprocess.DEVNULL, preexec_fn=limit_files)
    late = threading.Event()
    timer = threading.Timer(LIMIT_S if ": " in test or not bats else 5 * LIMIT_S, lambda: (late.set(), session.end()))
    timer.daemon = True
    timer.start()
    failed, passed = None, 0
    with session as process:
        for line in process.stdout:
            words = line.decode(errors="replace").rstrip("\n")
            passed += bool(re.match(r"ok \d+ (?!.*# skip)", words))
            found = re.match(r"not ok \d+ (.*)", words) if bats else None
            if found and (test, found[1]) not in ignored:
                failed = found[1]
                break
        else:
            status = process.wait()
            if late.is_set():
                failed = "time limit"
            elif status and not bats:
                failed = "exit status"
    timer.cancel()
    if bats and failed is None and (not passed or (status and not ignored)):
        raise Mistake(f"{test}: no such test, or it was skipped")
    shutil.rmtree(temporary, ignore_errors=True)
    return failed


def check(tree, mutant):
    """Returns the first test that notices the mutant, or None."""
    with Change(tree, mutant):
        for test in mutant.tests:
            said = tree.make(*targets_of(test))
            if said:
                raise Mistake("does not compile:\n" + said)
            if run(tree, test) is not None:
                return test
    return None


# ---- all of them ----


class Trees:
    """Copies of the tree, one for each job and one that stays as it is, in a folder that is removed in the end."""
    def __init__(self, build, jobs):
        self.build, self.jobs, self.trees = build.resolve(), jobs, queue.Queue()
        self.folder = self.build.parent / "mutants"

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            relative = self.build.relative_to(ROOT)
            whole = Tree(self.folder / "whole", relative)
            said = whole.make(*PROGRAMS) # again, of no commit: the copy is no clone
            if said:
                raise Mistake(said)
            for k in range(self.jobs):
                self.trees.put(Tree(self.folder / str(k), relative, whole))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *what):
        shutil.rmtree(self.folder, ignore_errors=True)

    def each(self, call, things):
        """call(tree, thing) of all things, as many at once as there are trees: yields thing and result, or a Mistake."""
        def one(thing):
            tree = self.trees.get()
            try:
                return call(tree, thing)
            except Mistake as mistake:
                return mistake
            finally:
                self.trees.put(tree)
        with concurrent.futures.ThreadPoolExecutor(self.trees.qsize()) as pool:
            try:
                futures = {pool.submit(one, thing): thing for thing in things}
                for future in concurrent.futures.as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:
                Session.stop()
                pool.shutdown(cancel_futures=True)
                raise


def exists(test):
    file, name = split_test(test)
    path = ROOT / "tests" / (file if file.endswith(".bats") else file + ".c")
    return path.exists() and (not name or f'\n@test "{name}" {{\n' in path.read_text())


def misfits(mutants):
    """Changes that do not apply, and tests that do not exist."""
    for m in mutants:
        try:
            m.apply((ROOT / m.file).read_text())
        except (OSError, Mistake) as why:
            yield f"{m.name()}\n    {why}"
        yield from (f"{m.name()}\n    {test}: no such test" for test in m.tests if not exists(test))


def baseline(trees, mutants):
    """Tests that fail without any change."""
    tests = sorted({test for m in mutants for test in m.tests})
    bad = []
    for test, failed in trees.each(run, tests):
        if failed is not None:
            bad.append(f"{test}: {failed if isinstance(failed, Mistake) else 'fails without a change'}")
    return bad


def complain(bad):
    for line in bad:
        print("mutants: " + line, file=sys.stderr)
    return 2 if bad else 0


def check_all(trees, mutants, verbose):
    bad = baseline(trees, mutants)
    live = [m for m in mutants if not m.equivalent]
    survivors = []
    for mutant, noticed in trees.each(check, live if not bad else []):
        if isinstance(noticed, Mistake):
            bad.append(f"{mutant.name()}\n    {noticed}")
        elif noticed is None:
            survivors.append(mutant)
        if verbose:
            print(f"{mutant.name()}\n    {noticed or 'SURVIVED'}", flush=True)
    for mutant in survivors:
        print(f"survived: {mutant.name()}")
    if bad:
        return complain(bad)
    noticed = len(live) - len(survivors)
    print(f"mutants: {noticed} of {len(live)} changes are noticed, {100 * noticed / max(len(live), 1):.1f} %; "
          f"{len(mutants) - len(live)} more change nothing")
    return 0 if noticed >= WANTED * len(live) else 1


def end_by_signals():
    """Lets SIGINT, SIGTERM and SIGHUP remove what is there and end all tests."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    o = parser.parse_args()
    end_by_signals()
    mutants = [m for m in read_list()[1] if o.only in m.file]
    status = complain(list(misfits(mutants)))
    if status or not o.build:
        return status
    begin = time.monotonic()
    with Trees(o.build, o.jobs) as trees:
        status = check_all(trees, mutants, o.verbose)
    print(f"mutants: {(time.monotonic() - begin) / 60:.0f} min")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as why:
        print(f"mutants: {why}", file=sys.stderr)
        sys.exit(2)

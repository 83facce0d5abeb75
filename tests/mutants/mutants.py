#!/usr/bin/env python3
"""Changes the code at one place at a time and expects that a test fails (mutation testing).

usage: mutants.py [--jobs N] [--only WORD] [--assign] [-v] BUILD

list.txt next to this script has the changes. draw.py has drawn them. Each change is made in a copy of the tree and of
BUILD, both in BUILD/../mutants, which is removed in the end. The tree itself is not modified. First all tests of the
list pass without a change. Then each change is compiled and its tests run until one of them fails. A test that takes
longer than 120 s fails. Changes that no test notices are printed. Exit status 1: fewer than 95 % are noticed.
2: a change does not apply to the code any more, does not compile, or a test fails without it.

--assign looks for tests of the changes that have none, in the programs and files that match the path of the source, and
writes the first one that notices the change into list.txt. If none does, it writes the tests that were tried."""
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
        before = "".join(line + "\n" for line in self.context)
        found = ("\n" + text).count("\n" + before + self.old + "\n")
        if found != 1:
            raise Mistake(f"the lines are there {found} times")
        return ("\n" + text).replace("\n" + before + self.old + "\n", "\n" + before + self.new + "\n")[1:]


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
        subprocess.run(["cp", "-a", str(ROOT / build), str(self.build)], check=True)
        self.relative = build

    def make(self, *targets):
        """Returns what make says if it fails."""
        done = subprocess.run(["make", "CUDA=0", "-j1", "--no-print-directory", f"BUILD={self.relative}",
                               *(f"{self.relative}/{name}" for name in targets)],
                              cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode(errors="replace") if done.returncode else None

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
    """A test is `test_tree`, or `nbsim.bats' or `nbsim.bats: name of a test'."""
    file, _, name = test.partition(": ")
    return file, name


def targets_of(test):
    file, _ = split_test(test)
    if not file.endswith(".bats"):
        return [f"tests/{file}"]
    text = (ROOT / "tests" / file).read_text()
    more = ["tests/faults/fail.so", "faults/device/nbsim", "mpi/bin/nbsim"]
    return [f"bin/nb{name}" for name in ("gen", "sim", "render", "stat", "conv", "edit")] + [m for m in more if m in text]


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_FILE, LIMIT_FILE))


def command_of(test):
    file, name = split_test(test)
    if not file.endswith(".bats"):
        return None
    pattern = "^" + re.sub(r"([][\\.*+?(){}^$|])", r"\\\1", name) + "$"
    return ["bats", "--tap", *(["-f", pattern] if name else []), f"tests/{file}"]


def end(session):
    """Kills all processes of a session."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text(errors="replace").rsplit(")", 1)[1].split()
            if int(words[3]) == session:
                os.kill(int(path.parent.name), signal.SIGKILL)
        except (OSError, IndexError):
            pass # it has ended


def run(tree, test):
    """Runs a test up to its first failure. Returns None if it passes, else the name of what failed."""
    temporary = tree.folder / "tmp"
    temporary.mkdir()
    bats = command_of(test)
    environment = dict(os.environ, NB_BUILD=str(tree.build), TMPDIR=str(temporary), OMP_WAIT_POLICY="passive",
                       CMOCKA_MESSAGE_OUTPUT="TAP", POCL_CACHE_DIR=str(tree.build / "pocl"))
    process = subprocess.Popen(bats or [str(tree.build / "tests" / test)], cwd=tree.folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=limit_files)
    late = threading.Event()
    timer = threading.Timer(LIMIT_S if ": " in test or not bats else 5 * LIMIT_S, lambda: (late.set(), end(process.pid)))
    timer.start()
    failed, passed = None, 0
    for line in process.stdout:
        words = line.decode(errors="replace").rstrip("\n")
        passed += bool(re.match(r"ok \d+ (?!.*# skip)", words))
        found = re.match(r"not ok \d+ (.*)", words) if bats else None
        if found:
            failed = found[1]
            break
    else:
        status = process.wait()
        if late.is_set():
            failed = "time limit"
        elif status and not bats:
            failed = "exit status"
        elif status or (bats and not passed):
            raise Mistake(f"{test}: no such test, or it was skipped")
    timer.cancel()
    end(process.pid)
    process.stdout.close()
    process.wait()
    shutil.rmtree(temporary, ignore_errors=True)
    return failed


# ---- which tests ----

# Folders of the library, and what shows what they do; tools have the tests that bear their name.
SHOWN_BY = [
    ("lib/light", "light|tone", "nbrender nbrender_light nbrender_colour nbrender_device"),
    ("lib/measure", "measure|centre|half_mass|modes|profile|structure|sum", "nbstat nbstat_galaxy nbstat_check nbstat_radial"),
    ("lib/scene", "scene|contact", "nbgen_tunnel nbstat_walls nbsim_contact nbrender_walls"),
    ("lib/select", "select", "select nbedit nbstat_columns"),
    ("lib/simd", "columns|elementary|rng|tree|light|select", "nbgen nbgen_plummer nbrender"),
    ("lib/snap", "snap", "stream frames magic nbsim_append nbsim_space outputs"),
    ("lib/step", "step|whfast", "nbsim_integrators nbsim nbsim_whfast nbsim_grid nbsim_auto"),
    ("lib/force/contact", "contact", "nbsim_contact nbsim_radius"),
    ("lib/force/external", "external|force", "external nbsim"),
    ("lib/force/direct", "direct|force|jerk|half", "nbsim truth"),
    ("lib/force/tree", "tree|domains|force", "tree nbsim"),
    ("lib/force/methods", "methods|tree|kdtree|octree|force", "method_study nbsim"),
    ("lib/force", "force|group|ranks|methods|loads", "nbsim external nbsim_group nbsim_auto nbsim_mpi"),
    ("lib/device/ranks", "ranks|group", "nbsim_mpi nbsim_group"),
    ("lib/device/group", "group|combine", "nbsim_group nbsim_group_cases bench_groups"),
    ("lib/device", "combine|group|step|force|domains|ranks", "nbsim nbsim_group nbsim_checkpoint nbsim_opencl"),
    ("lib", "columns|units|rng|scene|memory|error|step_pack|snap|select", "columns times nbgen nbedit nbstat memory nonblocking"),
    ("tools/nb", "render|orbits|layer|sphere", ""),
    ("tools", "render", "options messages progress version completion outputs times frames select threads store terminal magic nbsim"),
]


def stem(file):
    return re.sub(r"(_simd)?\.[ch]$", "", file.rsplit("/", 1)[1])


def programs_for(tree, file):
    """Unit tests that were compiled from the file or from its header, then others of its folder's."""
    near, far = [], []
    pattern = next((p for folder, p, _ in SHOWN_BY if file.startswith(folder)), "x")
    header = re.escape(re.sub(r"(_simd)?\.c$", ".h", file))
    for path in sorted((tree.build / "tests").glob("test_*.d")):
        text = path.read_text()
        if re.search(rf"(^|\s)({re.escape(file)}|{header})(\s|$)", text, re.M):
            near.append(path.stem)
        elif re.match(f"test_({pattern})", path.stem) and file.startswith("lib/"):
            far.append(path.stem)
    linked = re.findall(r"tests/(test_\w+): (.*(?:\\\n.*)*)", (tree.folder / "mk/tests.mk").read_text())
    near += [test for test, objects in linked if re.search(rf"\b{stem(file)}\b", objects) and test not in near]
    return near, far


def guess(tree, file, seconds):
    """Tests that may notice a change of the file, the likeliest and cheapest first."""
    near, far = programs_for(tree, file)
    named = next(names.split() for folder, _, names in SHOWN_BY if file.startswith(folder))
    tool = re.match(r"tools/(nb\w+)/", file)
    score = {}
    words = set(re.split(r"[/_.]", file)) - {"lib", "tools", "c", "h", "cpu", tool[1] if tool else ""}
    for path in (tree.folder / "tests").glob("*.bats"):
        of_tool = bool(tool and re.match(rf"{tool[1]}(_|$)", path.stem))
        if not (of_tool or path.stem in named):
            continue
        text = path.read_text()
        score[path.name] = 3 * len(words & set(path.stem.split("_"))) + of_tool + (path.stem in named)
        score[path.name] += min(len(re.findall(rf"\b{stem(file).split('_')[-1]}\b", text)), 20) / 5
    files = sorted(score, key=lambda name: (-score[name], seconds.get(name, 20)))[:9]
    cheap = lambda tests: sorted(tests, key=lambda test: seconds.get(test, 5))
    quick = [test for test in cheap(far) if seconds.get(test, 5) < 10][:12]
    return cheap(near) + quick + files


def look(tree, mutant, seconds):
    """Finds a test that notices the mutant, and gives it to the mutant, or all that were tried."""
    tried = guess(tree, mutant.file, seconds)
    with Change(tree, mutant):
        for test in tried:
            said = tree.make(*targets_of(test))
            if said:
                raise Mistake("does not compile:\n" + said)
            failed = run(tree, test)
            if failed is None:
                continue
            bats = command_of(test) and failed != "time limit"
            mutant.tests = [f"{test}: {failed}" if bats else test]
            return True
    mutant.tests = tried
    return False


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
        self.folder = build.parent / "mutants"
        shutil.rmtree(self.folder, ignore_errors=True)
        relative = build.resolve().relative_to(ROOT)
        whole = Tree(self.folder / "whole", relative)
        self.trees = queue.Queue()
        for k in range(jobs):
            self.trees.put(Tree(self.folder / str(k), relative, whole))
        self.whole = whole

    def __enter__(self):
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
            futures = {pool.submit(one, thing): thing for thing in things}
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()


def read_seconds():
    """Times of tests for --assign, if a file of lines `test seconds' is named."""
    name = os.environ.get("NB_TEST_SECONDS")
    lines = pathlib.Path(name).read_text().splitlines() if name else []
    return {line.split()[0]: float(line.split()[1]) for line in lines}


def assign(trees, head, mutants, verbose):
    seconds = read_seconds()
    todo = [m for m in mutants if not m.tests and not m.equivalent]
    for count, (mutant, noticed) in enumerate(trees.each(lambda tree, m: look(tree, m, seconds), todo), 1):
        print(f"{count}/{len(todo)} {mutant.name()}\n    {noticed if noticed not in (True, False) else mutant.tests if noticed else 'SURVIVED'}",
              flush=True)
        write_list(head, mutants)
    return 0


def baseline(trees, mutants):
    """Tests that fail without any change."""
    tests = sorted({test for m in mutants for test in m.tests})
    bad = []
    for test, failed in trees.each(run, tests):
        if failed is not None:
            bad.append(f"{test}: {failed if isinstance(failed, Mistake) else 'fails without a change'}")
    return bad


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
    for line in bad:
        print("mutants: " + line, file=sys.stderr)
    for mutant in survivors:
        print(f"survived: {mutant.name()}")
    if bad:
        return 2
    noticed = len(live) - len(survivors)
    print(f"mutants: {noticed} of {len(live)} changes are noticed, {100 * noticed / max(len(live), 1):.1f} %; "
          f"{len(mutants) - len(live)} more change nothing")
    return 0 if noticed >= WANTED * len(live) else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--assign", action="store_true")
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    o = parser.parse_args()
    head, mutants = read_list()
    begin = time.monotonic()
    with Trees(o.build, o.jobs) as trees:
        if o.assign:
            return assign(trees, head, mutants, o.verbose)
        status = check_all(trees, [m for m in mutants if o.only in m.file], o.verbose)
    print(f"mutants: {(time.monotonic() - begin) / 60:.0f} min")
    return status


if __name__ == "__main__":
    sys.exit(main())

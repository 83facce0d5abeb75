#!/usr/bin/env python3
"""Looks for the tests that notice the changes in list.txt, which draw.py drew.

usage: assign.py [--jobs N] [--only WORD] BUILD

A change without tests is tried with the programs and files that match the path of its source. A change with several
tests is tried with these. The first test that notices the change is written into list.txt. If none does, all that were
tried are written, and a test is missing, or the change makes no difference: then `equivalent: REASON` takes their
place."""
import argparse
import os
import pathlib
import re
import sys

from mutants import Change, Mistake, Trees, command_of, end_by_signals, read_list, run, split_test, targets_of, write_list

FAR, FILES = 8, 6 # how many are tried

# Folders of the library, and the tests that show what they do. The tests of a tool have a folder of its name.
SHOWN_BY = [
    ("lib/light", "light|tone", "render/nbrender render/light render/colour render/device"),
    ("lib/measure", "measure|centre|half_mass|modes|profile|structure|sum",
     "stat/nbstat stat/galaxy stat/check stat/radial"),
    ("lib/prepare", "force_choose|prepare", "sim/auto sim/nbsim sim/integrators"),
    ("libnbtools", "nbtools", "library/library"),
    ("lib/scene", "scene|contact", "gen/tunnel stat/walls sim/contact render/walls"),
    ("lib/select", "select", "edit/select edit/nbedit stat/columns"),
    ("lib/simd", "columns|elementary|rng|tree|light|select", "gen/nbgen gen/plummer render/nbrender"),
    ("lib/snap", "snap", "stream/stream stream/frames stream/magic sim/append sim/space cli/outputs"),
    ("lib/step", "step|whfast", "sim/integrators sim/nbsim sim/whfast sim/grid sim/auto"),
    ("lib/force/contact", "contact", "sim/contact sim/radius"),
    ("lib/force/pn", "pn", "sim/pn"),
    ("lib/force/external", "external|force", "sim/external sim/nbsim"),
    ("lib/force/direct", "direct|force|jerk|half", "sim/nbsim sim/truth"),
    ("lib/force/tree", "tree|domains|force", "sim/tree sim/nbsim"),
    ("lib/reference/contact_bvh", "contact", "sim/contact sim/radius"),
    ("lib/reference/methods", "methods|tree|kdtree|octree|force", "examples/method_study sim/nbsim"),
    ("lib/reference/opencl", "combine|step|force", "sim/opencl"),
    ("lib/force", "force|group|ranks|methods|loads", "sim/nbsim sim/external sim/group sim/auto sim/mpi"),
    ("lib/device/ranks", "ranks|group", "sim/mpi sim/group"),
    ("lib/device/group", "group|combine", "sim/group sim/group_cases examples/bench_groups"),
    ("lib/device", "combine|group|step|force|domains|ranks", "sim/nbsim sim/group sim/checkpoint sim/opencl"),
    ("lib/base", "columns|units|rng|scene|memory|error|step_pack|snap|select",
     "cli/columns cli/times gen/nbgen edit/nbedit stat/nbstat cli/memory cli/nonblocking"),
    ("tools/nb", "render|orbits|layer|sphere", ""),
    ("tools/common", "render|words",
     "cli/options cli/messages cli/progress project/version cli/completion cli/outputs cli/times stream/frames edit/select "
     "cli/threads stream/store stream/magic sim/nbsim"),
]


def stem(file):
    return re.sub(r"(_simd)?\.[ch]$", "", file.rsplit("/", 1)[1])


def programs_for(tree, file):
    """Unit tests that were compiled from the file or from its header, then others of its folder's."""
    near, far = [], []
    pattern = next((p for folder, p, _ in SHOWN_BY if file.startswith(folder)), "x")
    header = re.escape(re.sub(r"(_simd)?\.c$", ".h", file))
    for path in sorted((tree.build / "tests").glob("*/test_*.d")):
        text = path.read_text()
        if re.search(rf"(^|\s)({re.escape(file)}|{header})(\s|$)", text, re.M):
            near.append(f"{path.parent.name}/{path.stem}")
        elif re.match(f"test_({pattern})", path.stem) and file.startswith("lib/"):
            far.append(f"{path.parent.name}/{path.stem}")
    linked = re.findall(r"tests/(\w+/test_\w+): (.*(?:\\\n.*)*)", (tree.folder / "mk/tests.mk").read_text())
    near += [test for test, objects in linked if re.search(rf"\b{stem(file)}\b", objects) and test not in near]
    return near, far


def guess(tree, file):
    """Tests that may notice a change of the file: unit tests of the file, others of its folder, the likeliest of bats."""
    near, far = programs_for(tree, file)
    named = next(names.split() for folder, _, names in SHOWN_BY if file.startswith(folder))
    tool = re.match(r"tools/(nb\w+)/", file)
    score = {}
    words = set(re.split(r"[/_.]", file)) - {"lib", "tools", "c", "h", "cpu", tool[1] if tool else ""}
    for path in (tree.folder / "tests").glob("*/*.bats"):
        test = f"{path.parent.name}/{path.stem}"
        of_tool = bool(tool and tool[1] == "nb" + path.parent.name)
        if not (of_tool or test in named):
            continue
        text = path.read_text()
        score[test + ".bats"] = 3 * len(words & set(path.stem.split("_"))) + of_tool + (test in named)
        score[test + ".bats"] += min(len(re.findall(rf"\b{stem(file).split('_')[-1]}\b", text)), 20) / 5
    return near + far[:FAR] + sorted(score, key=lambda name: (-score[name], name))[:FILES]


class Finder:
    """Looks for tests that notice changes."""
    def __init__(self):
        self.sound, self.broken = set(), set() # tests that pass and fail without a change, by file and name

    def is_sound(self, tree, test, name):
        if (test, name) not in self.sound | self.broken:
            alone = f"{split_test(test)[0]}: {name}" if command_of(test) else test
            (self.broken if run(tree, alone) is not None else self.sound).add((test, name))
        return (test, name) in self.sound

    def try_one(self, tree, mutant, test):
        """Returns the first test of a file or program that notices the change."""
        while True:
            with Change(tree, mutant):
                said = tree.make(*targets_of(test))
                if said:
                    raise Mistake("does not compile:\n" + said)
                failed = run(tree, test, self.broken)
            if failed is None:
                return None
            if failed == "time limit" or self.is_sound(tree, test, failed):
                return f"{split_test(test)[0]}: {failed}" if command_of(test) and failed != "time limit" else test
            if not command_of(test):
                return None

    def look(self, tree, mutant):
        """Gives the mutant a test that notices it, or all that were tried."""
        tried, found = mutant.tests or guess(tree, mutant.file), None
        for test in tried:
            found = self.try_one(tree, mutant, test)
            if found:
                break
        mutant.tests = [found] if found else tried
        return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("build", type=pathlib.Path)
    o = parser.parse_args()
    end_by_signals()
    head, mutants = read_list()
    todo = [m for m in mutants if len(m.tests) != 1 and not m.equivalent and o.only in m.file]
    finder = Finder()
    with Trees(o.build, o.jobs) as trees:
        for mutant, found in trees.each(finder.look, todo):
            print(f"{mutant.name()}\n    {found or 'no test notices it'}", flush=True)
            write_list(head, mutants)
    return 0


if __name__ == "__main__":
    sys.exit(main())

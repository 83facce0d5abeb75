#!/usr/bin/env python3
"""Draws changes of single lines from the sources at random: how list.txt was made.

usage: draw.py [--jobs N] [--seed S] COUNT BUILD

A line of code is drawn from all those of lib, libnbtools and tools, each with the same chance, and one change from
those that its text allows: an operator is replaced by its opposite (+ and -, * and /, < and <=, == and !=, && and ||),
a number is changed, a condition is negated, a returned value is replaced, a statement is removed (but not free(), whose
absence `make asan' notices). If there is none, if the line is not compiled here, or if the change does not compile, the
next one is drawn. No test is looked at. Sources of GPUs (CUDA, OpenCL) and MPI do not take part, since tests of these
need hardware that is often missing.

The drawn changes are written to list.txt without tests; those whose machine code is that of the source are marked.
assign.py finds the tests."""
import argparse
import hashlib
import pathlib
import random
import re
import subprocess
import sys

from mutants import LIST, ROOT, Change, Mistake, Mutant, Trees, end_by_signals, write_list

HEAD = ["# Changes of the code, one a block, for mutants.py: the file, lines before the place (as many as make it unique), the",
        "# line and its replacement, and the tests that notice the change, or why none can. draw.py drew them, seed {}."]
LEFT_OUT = re.compile(r"/(cuda|opencl|tensor)/|transport_mpi|_cuda|_opencl|cuda_|tools/completion/")
SWAPS = {" + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += ", " * ": " / ", " / ": " * ", " *= ": " /= ",
         " /= ": " *= ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
         " && ": " || ", " || ": " && ", "++": "--", "--": "++"}


def masked(text):
    """The text with blanks in place of comments, strings and letters in quotes, line by line the same length."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def code_lines():
    """(file, index of the line, its code) of all lines that have code."""
    found = []
    for path in sorted(p for folder in ("lib", "libnbtools", "tools") for p in (ROOT / folder).rglob("*.[ch]")):
        file = str(path.relative_to(ROOT))
        if LEFT_OUT.search(file):
            continue
        for k, code in enumerate(masked(path.read_text()).split("\n")):
            if re.search(r"\w", code) and not re.match(r"\s*#\s*(include|if|el|endif|error|pragma)", code):
                found.append((file, k, code))
    return found


def numbers(code):
    """Places of numbers, and what they become: the next one of a digit, else twice as large."""
    for found in re.finditer(r"(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?)(f?)(?![\w.])", code):
        if re.fullmatch(r"\d+", found[1]):
            value = int(found[1])
            yield found.span(1), str(value + 1 if value < 10 else 2 * value)
        else:
            yield found.span(1), repr(2 * float(found[1]) if float(found[1]) else 1.0)


def closing(code, begin):
    depth = 0
    for k in range(begin, len(code)):
        depth += (code[k] == "(") - (code[k] == ")")
        if depth == 0:
            return k
    return None


def changes(line, code):
    """All changes of a line, by kind: each has the new line."""
    kinds = {}
    add = lambda kind, begin, end, new: kinds.setdefault(kind, []).append(line[:begin] + new + line[end:])
    for old, new in SWAPS.items():
        for found in re.finditer(re.escape(old), code):
            if old not in ("++", "--") or re.match(r"\w|\]|\)", code[found.start() - 1:found.start()] + "x"):
                add("operator", found.start(), found.end(), new)
    for span, new in numbers(code):
        add("number", *span, new)
    for found in re.finditer(r"\b(if|while) \(", code):
        end = closing(code, found.end() - 1)
        if end:
            add("condition", found.end(), end, "!(" + line[found.end():end] + ")")
    found = re.match(r"\s*return ([^;]+);\s*$", code)
    if found:
        old = line[slice(*found.span(1))].strip()
        new = {"0": "1", "true": "false", "false": "true", "NULL": "(void *)1"}.get(old, "0")
        add("value", *found.span(1), new)
    found = re.match(r"\s*((?:[\w.\->\[\]*+() ,&]+? [-+*/|&^]?= |[a-z]\w*\()[^;{}]*;)\s*$", code)
    if found and not re.match(r"(return|else|for|if|while|do|case|default|typedef|const|static|struct|enum|unsigned|void|"
                              r"u?int\w*|double|float|bool|char|size_t|nb_quad|free|__builtin_prefetch)\b", found[1]):
        add("statement", *found.span(1), ";")
    return kinds


def context_of(lines, at):
    """As few lines before this one as make it unique."""
    text = "\n" + "\n".join(lines)
    for count in range(0, at + 1):
        if text.count("\n" + "\n".join(lines[at - count:at + 1]) + "\n") == 1:
            return lines[at - count:at]
    raise Mistake("not unique")


def object_of(tree, file):
    """The objects of a source, for a header one of those that include it."""
    base = file[:-2]
    if file.endswith("_simd.c"):
        found = sorted((tree.build / base).parent.glob(pathlib.Path(base).name + ".*.o"))
        return [str(p.relative_to(tree.build)) for p in found]
    if file.endswith(".c"):
        return [base + ".o"]
    users = [p for folder in ("lib", "tools") for p in (tree.build / folder).rglob("*.d") if file in p.read_text().split()]
    users.sort(key=lambda p: p.with_suffix(".o").stat().st_size)
    return [str(p.with_suffix(".o").relative_to(tree.build)) for p in users[:1]]


def code_of(tree, objects):
    """A number for the machine code and the data of objects."""
    digest = hashlib.sha256()
    for name in objects:
        bare = tree.folder / "bare.o"
        subprocess.run(["objcopy", "--strip-debug", str(tree.build / name), str(bare)], check=True)
        digest.update(bare.read_bytes())
    return digest.hexdigest()


def compiles(tree, mutant):
    """None: it does not compile, or the line is not compiled here. Else whether the machine code is another one."""
    objects = object_of(tree, mutant.file)
    if not objects:
        return None
    before = code_of(tree, objects)
    with Change(tree, mutant):
        if tree.make(*objects):
            return None
        if code_of(tree, objects) != before:
            return True
    with Change(tree, Mutant(mutant.file, mutant.context, mutant.old, "@@@")):
        if not tree.make(*objects):
            return None
    return False if mutant.file.endswith(".c") else True


def candidates(seed):
    """Changes in the order in which they are drawn, no line twice."""
    lines = code_lines()
    draw = random.Random(seed)
    draw.shuffle(lines)
    for file, k, code in lines:
        text = (ROOT / file).read_text().split("\n")
        kinds = changes(text[k], code)
        kind = draw.choice(sorted(kinds)) if kinds else None
        if kind:
            yield Mutant(file, context_of(text, k), text[k], draw.choice(kinds[kind]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("count", type=int)
    parser.add_argument("build", type=pathlib.Path)
    o = parser.parse_args()
    end_by_signals()
    if LIST.exists():
        sys.exit("draw.py: there is a list.txt already")
    drawn, source = [], candidates(o.seed)
    with Trees(o.build, o.jobs) as trees:
        while len(drawn) < o.count:
            some = [next(source) for _ in range(min(20, o.count - len(drawn)))]
            found = dict(trees.each(compiles, some))
            for mutant in some:
                if found[mutant] is None or isinstance(found[mutant], Mistake):
                    continue
                mutant.equivalent = None if found[mutant] else "it is compiled to the same machine code"
                drawn.append(mutant)
            print(len(drawn), flush=True)
    drawn.sort(key=lambda m: m.file)
    write_list([line.format(o.seed) for line in HEAD], drawn)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Lists the messages of the programs and the library that no test names.

messages.py [--most N]: prints each such message with its file and line, then the counts. --most fails if more than N
messages have no test. A test names a message if it contains three words of it in a row, with at least 12 characters, or
all words between two conversions if these are fewer. This is an estimate: other messages may have the same words. Left
out: messages without words of their own ("%s: %s"), and "no memory", which `make faults` provokes.
"""
import re
import subprocess
import sys

CALL = re.compile(r"\b(?:nb_fail|die|die_usage|say|warn|lines_fail|hdf_fail|complain|edit_say|refuse)\s*\(\s*"
                  r'(?:[^";{}]*?,\s*)?((?:"(?:\\.|[^"\\\n])*"|PRI\w+|\s)+)')
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
CONVERSION = re.compile(r"%(?:[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])?")


def tracked(*patterns):
    return subprocess.check_output(["git", "ls-files", *patterns], text=True).split()


def messages():
    """(file, line, parts) of each message."""
    for name in tracked("lib/*.[ch]", "lib/*.cu", "lib/*.cuh", "tools/*.[ch]", "libnbtools/*.[ch]"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for found in CALL.finditer(text):
            whole = "".join(LITERAL.findall(found[1])).replace('\\"', '"').replace("%%", "\0").replace("\\n", "\n")
            parts = [part.replace("\0", "%").strip() for part in CONVERSION.split(whole)]
            parts = [part for part in parts if sum(map(str.isalpha, part)) >= 4]
            if parts and not whole.startswith("no memory"):
                yield name, text.count("\n", 0, found.start()) + 1, whole.replace("\0", "%%"), parts


def pieces(parts):
    """What a test has to contain one of."""
    found = []
    for part in parts:
        words = list(re.finditer(r"\S+", part))
        for first, last in zip(words, words[2:]):
            if last.end() - first.start() >= 12:
                found.append(part[first.start():last.end()])
    return found or [max(parts, key=len)]


def main(args):
    tests = ""
    for name in tracked("tests/*.bats", "tests/*.c", "tests/*.h", "tests/*.bash", "tests/*.py", "python/tests/*.py"):
        with open(name, encoding="utf-8") as file:
            tests += file.read().replace('\\"', '"')
    count, missing = 0, 0
    for name, line, whole, parts in messages():
        count += 1
        if not any(piece in tests for piece in pieces(parts)):
            missing += 1
            print(f"{name}:{line}: {whole}")
    print(f"{count} messages, of which no test names {missing}")
    return len(args) == 2 and missing > int(args[1])


sys.exit(main(sys.argv[1:]))

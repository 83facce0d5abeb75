#!/usr/bin/python3
"""Measures how long the sentences of manual pages are.

sentences.py [--bound] [--show N] PAGE...: prints for each page the number of sentences, the median and the 95th
percentile of words in a sentence. Tables, examples, headings, tags of options and lists of names do not count.
--bound fails if a page is above 16 words in the median or 30 at the 95th percentile; --show prints the N longest.
"""
import re
import sys

SKIPPED_SECTIONS = {"NAME", "SYNOPSIS", "SEE ALSO"}
BREAKS = {"PP", "P", "LP", "RS", "RE", "br", "sp", "ne"}
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|et al|vs|cf|Mon|Not|Astron|Soc|Phys|Comput|Math|Eqs?|Figs?)\.$")


def plain(text):
    """The words of a line of roff without fonts and escapes."""
    text = re.sub(r"\\f(?:\(..|\[[^]]*\]|.)", "", text)
    text = text.replace("\\(aq", "'").replace("\\(dq", '"')
    return re.sub(r"\\\((..)|\\[&/,|^%]|\\(.)", lambda m: m[2] or ("x" if m[1] else ""), text)


def arguments(text):
    return [a[1:-1] if a[:1] == '"' else a for a in re.findall(r'"[^"]*"|\S+', text)]


def paragraphs(lines):
    """The running text of a page, a string a paragraph."""
    text, until, skipped, tag = [], None, False, False
    for line in lines:
        line = line.rstrip("\n")
        request = re.match(r"[.'] *([A-Za-z]+) *(.*)", line)
        name, rest = (request[1], request[2]) if request else (None, line)
        if until:
            until = None if name == until else until
            continue
        if line.startswith(('.\\"', "'\\\"")) or not line.strip("."):
            continue
        if name in ("TS", "EX", "nf"):
            until = {"TS": "TE", "EX": "EE", "nf": "fi"}[name]
        elif name in ("SH", "SS", "TH"):
            skipped = plain(rest).strip('"') in SKIPPED_SECTIONS if name == "SH" else skipped
            yield " ".join(text)
            text = []
        elif name in ("TP", "TQ"):
            tag = True
            yield " ".join(text)
            text = []
        elif name in BREAKS or name == "IP":
            yield " ".join(text)
            text = []
        elif tag:
            tag = False
        elif skipped or name in ("nh", "hy", "ad", "in", "ta"):
            pass
        elif name in ("B", "I", "R", "SM"):
            text.append(plain(" ".join(arguments(rest))))
        elif name in ("BR", "RB", "IR", "RI", "BI", "IB"):
            text.append(plain("".join(arguments(rest))))
        elif not name:
            text.append(plain(line))
    yield " ".join(text)


def sentences(lines):
    for paragraph in paragraphs(lines):
        begin = 0
        for end in re.finditer(r"[.!?:][)\"']*(?= +[\"'(]*[A-Z0-9\-_]| *$)|[.!?][)\"']*(?= +nb[a-z]+ )", paragraph):
            if paragraph[end.start()] == ":" and end.end() < len(paragraph):
                continue
            if ABBREVIATION.search(paragraph[begin:end.start() + 1]) and end.end() < len(paragraph):
                continue
            yield paragraph[begin:end.end()].strip()
            begin = end.end()
        if paragraph[begin:].strip():
            yield paragraph[begin:].strip()


def words(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def main(args):
    bound, show = False, 0
    while args and args[0].startswith("--"):
        option = args.pop(0)
        bound = bound or option == "--bound"
        show = int(args.pop(0)) if option == "--show" else show
    status = 0
    for page in args:
        with open(page, encoding="utf-8") as file:
            found = [(words(s), s) for s in sentences(file)]
        lengths = sorted(n for n, _ in found if n)
        if not lengths:
            sys.exit(f"{page}: no sentences")
        median, high = lengths[len(lengths) // 2], lengths[min(len(lengths) - 1, len(lengths) * 95 // 100)]
        long = median > 16 or high > 30
        print(f"{page.rsplit('/', 1)[-1]}\t{len(lengths)}\tmedian {median}\t95th percentile {high}{'  too long' if long else ''}")
        for n, sentence in sorted(found, reverse=True)[:show]:
            print(f"    {n}: {sentence}")
        status |= bound and long
    return status


sys.exit(main(sys.argv[1:]))

"""Runs the boxes of a tutorial as its reader does: tutorial.py TUTORIAL.md [N], in an empty folder.

Boxes of `sh` are run in order by one shell, `python NAME` is saved as NAME, and each line of `text` must be among what the
box of sh before it printed, in this order. Words must be equal, numbers as close as the box says: `text within 5% or 0.1`
means 5 % of the shown number or 0.1, whichever is more. With N, the variable N of the first box has this value; then
numbers may be any, except in boxes of `text any N, ...`.
"""

import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?", re.IGNORECASE)


def boxes(text):
    """Yields (kind, rest of the line that opens the box, contents)."""
    for kind, rest, body in re.findall(r"^```(\w+) *([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        assert kind in ("sh", "python", "text"), f"a box of {kind}: only sh, python and text are known"
        yield kind, rest, body


def shell_script(all_boxes, n):
    """Returns the script of all boxes. What the k-th prints is written to box-k.out."""
    lines = ["set -euo pipefail", "exec 3>&2", "trap '[ $? = 0 ] || cat box-$box.sh box-$box.out >&3' EXIT"]
    for k, (kind, rest, body) in enumerate(all_boxes):
        if kind == "python":
            pathlib.Path(rest).write_text(body)
        elif kind == "sh":
            if n and k == 0:
                body, count = re.subn(r"^N=\d+$", f"N={n}", body, flags=re.MULTILINE)
                assert count == 1, "the first box does not set N"
            pathlib.Path(f"box-{k}.sh").write_text(body)
            lines.append(f"box={k}; . ./box-{k}.sh > box-{k}.out 2>&1")
    return "\n".join(lines) + "\n"


def tolerance(rest, n):
    """Returns the share and the absolute difference that a box allows; None if its numbers may be any."""
    if n and "any N" not in rest:
        return None
    found = re.fullmatch(r"(?:any N)?(?:, )?(?:within ([\d.]+)%(?: or ([\d.e-]+))?)?", rest)
    assert found, f"not understood: text {rest}"
    return float(found[1] or 0) / 100, float(found[2] or 0)


def matches(shown, printed, allowed):
    """Returns whether a printed line has the words of the shown one, and numbers that are close to its numbers."""
    if NUMBER.sub("0", shown).split() != NUMBER.sub("0", printed).split():
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(printed)))
    return allowed is None or all(abs(a - b) <= max(allowed[0] * abs(a), allowed[1], 1e-12) for a, b in pairs)


def compare(shown, printed, allowed):
    """Fails unless the shown lines are among the printed ones, in this order."""
    lines = iter(printed.splitlines())
    for line in shown.splitlines():
        assert any(matches(line, other, allowed) for other in lines), f"shown, but not printed: {line}\nprinted:\n{printed}"


def main(tutorial, n=None):
    all_boxes = list(boxes(pathlib.Path(tutorial).read_text()))
    pathlib.Path("all.sh").write_text(shell_script(all_boxes, n))
    if subprocess.run(["bash", "all.sh"], check=False).returncode:
        sys.exit(f"{tutorial}: the box above failed")
    last = None
    for k, (kind, rest, body) in enumerate(all_boxes):
        if kind == "sh":
            last = k
        elif kind == "text":
            compare(body, pathlib.Path(f"box-{last}.out").read_text(), tolerance(rest, n))


if __name__ == "__main__":
    main(*sys.argv[1:])

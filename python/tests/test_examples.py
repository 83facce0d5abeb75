"""The notebook of examples/python: its cells are executed, and its numbers held to the theory."""

import json

import pytest
from conftest import ROOT

NOTEBOOK = ROOT / "examples" / "python" / "energy.ipynb"


def cells():
    return [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def execute(figures):
    """All code cells; without matplotlib those that draw are left out."""
    names = {}
    for cell in cells():
        source = "".join(cell["source"])
        if not figures:
            source = "\n".join(line for line in source.split("\n") if "plt" not in line or "subplots" in line)
        if figures or not ("subplots" in source or ".plot(" in source):
            exec(compile(source, cell["id"], "exec"), names)
        elif ".read()" in source:
            exec(compile(source.split("\n")[0], cell["id"], "exec"), names)
    return names


def test_slopes_and_growth_are_those_of_theory(tools):
    try:
        import matplotlib

        matplotlib.use("Agg")
        figures = True
    except ImportError:
        figures = False
    names = execute(figures)
    for name, order in {"leapfrog": 2, "rk4": 4, "yoshida4": 4, "hermite4": 4, "yoshida6": 6}.items():
        assert names["slopes"][name] == pytest.approx(order, abs=0.15), name
    growth = names["growth"]
    assert growth["leapfrog"] < 1.1 and growth["yoshida4"] < 1.1  # bounded
    assert 5 < growth["midpoint"] < 20 and 5 < growth["rk4"] < 20  # with time: 100 orbits over 10


def test_the_stored_outputs_are_of_these_cells():
    text = "".join("".join(o.get("text", "")) for cell in cells() for o in cell["outputs"])
    stored = dict(
        (words[0], float(words[2]))
        for words in map(str.split, text.split("\n"))
        if len(words) == 3 and words[1].isdigit()
    )
    assert stored["leapfrog"] == pytest.approx(2, abs=0.1) and stored["yoshida6"] == pytest.approx(6, abs=0.15)
    assert sum("image/png" in o.get("data", {}) for cell in cells() for o in cell["outputs"]) == 3
    assert all(cell["execution_count"] == k + 1 for k, cell in enumerate(cells()))
    assert not any(o["output_type"] == "error" for cell in cells() for o in cell["outputs"])

"""Tables that nbstat prints, as numpy arrays with named columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List

import numpy as np

from .convert import wanted

if TYPE_CHECKING:
    import pandas

    _Records = np.recarray[Any, np.dtype[Any]]
else:
    _Records = np.recarray


class Table(_Records):
    """A numpy record array: ``table.time``, ``table["energy"]``, ``table[-1]``. A vector is one field."""

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas DataFrame. Vectors become NAME_x, NAME_y, NAME_z."""
        columns: Dict[str, Any] = {}
        for name in self.dtype.names or ():
            values = np.asarray(self[name])
            if values.ndim == 1:
                columns[name] = values
            else:
                axes = "xyz" if values.shape[1] == 3 else range(values.shape[1])
                columns.update((f"{name}_{axis}", values[:, k]) for k, axis in enumerate(axes))
        frame: pandas.DataFrame = wanted("pandas").DataFrame(columns)
        return frame

    def _repr_html_(self) -> str:
        try:
            return str(self.to_pandas().to_html())
        except ImportError:
            return f"<pre>{self!r}</pre>"


def _column(values: List[Any]) -> Any:
    """Returns the values of one key: integers, numbers with NaN for null, or texts."""
    kinds = {type(v) for v in values if v is not None}
    if kinds == {int} and None not in values:
        return np.array(values, np.int64)
    if kinds <= {int, float}:
        return np.array([np.nan if v is None else v for v in values], np.float64)
    if kinds == {list}:
        width = max(len(v) for v in values if v is not None)
        return np.array([[np.nan if x is None else x for x in (v or [None] * width)] for v in values], np.float64)
    return np.array([str(v) for v in values])


def parse_json_lines(text: str) -> Table:
    """Parses a table of objects, one on each line, with the same keys."""
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    names = list(rows[0]) if rows else []
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    # Integers in every row are converted only for keys that are known to count.
    for name, array in columns.items():
        if array.dtype == np.int64 and name not in ("frame", "n", "step", "bin"):
            columns[name] = array.astype(np.float64)
    dtype = [(name, a.dtype, a.shape[1:]) for name, a in columns.items()]
    table: Table = Table(len(rows), dtype)
    for name, array in columns.items():
        table[name] = array
    return table

"""Converts array-like values to columns, in the types of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np

from . import layout
from .layout import COMPONENTS, KNOWN, Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .frame import Frame

    Array = NDArray[Any]


def component_numbers(values: Any) -> Any:
    """Converts names of components to their numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "US":
        return array
    known = {name: k for k, name in enumerate(COMPONENTS)}
    for name in np.unique(array):
        if str(name) not in known:
            raise ValueError(f"component '{name}' is not known; there are {', '.join(COMPONENTS)}")
    return np.vectorize(lambda name: known[str(name)], otypes=[np.uint8])(array)


def _to_type(name: str, array: Array) -> Array:
    """Returns the array in a type of a stream, with unchanged values. longdouble is rounded to f64."""
    known, wanted = KNOWN.get(name), None
    if known and len(known.types) == 1:
        wanted = np.dtype(layout.TYPES[known.types[0]])
    elif array.dtype.kind == "f":
        wanted = np.dtype(np.float32 if array.dtype.itemsize <= 4 else np.float64)
    elif known and array.dtype.kind in "iub":
        wanted = np.dtype(np.float64)
    elif array.dtype.kind in "iub":
        wanted = np.dtype({1: np.uint8, 2: np.uint32, 4: np.uint32}.get(array.dtype.itemsize, np.uint64))
    if wanted is None or array.dtype.kind not in "iufb" or (wanted.kind == "u" and array.dtype.kind == "f"):
        raise ValueError(f"column '{name}' cannot be made of {array.dtype}")
    if wanted.kind == "u" and array.size:
        low, high = array.min(), array.max()
        if low < 0 or int(high) > np.iinfo(wanted).max:
            raise ValueError(f"column '{name}' has values from {low} to {high}, which {wanted} cannot hold")
    return array.astype(wanted, copy=False)


def column_array(name: str, values: Any, n: Optional[int]) -> Array:
    array = component_numbers(values) if name == "component" else np.asarray(values)
    width = KNOWN[name].width if name in KNOWN else 1
    if array.ndim == 0 and n is not None and width == 1:
        array = np.full(n, array)
    elif array.size == 0 and array.ndim == 1 and width == 3:
        array = array.reshape(0, 3)
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] not in (1, 3)):
        raise ValueError(f"column '{name}' has the shape {array.shape}; wanted is (n,) or (n, 3)")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if (array.ndim == 2) != (width == 3) and name in KNOWN:
        raise ValueError(f"column '{name}' has the shape {array.shape}; wanted is {'(n, 3)' if width == 3 else '(n,)'}")
    if n is not None and len(array) != n:
        raise ValueError(f"column '{name}' has {len(array)} values for {n} bodies")
    return _to_type(name, array)


def low_parts(columns: Dict[str, Any]) -> Dict[str, Any]:
    """Splits positions and velocities in longdouble into two f64 columns, as nbs(5) stores quadruple results."""
    for name in ("pos", "vel"):
        array = columns.get(name)
        if isinstance(array, np.ndarray) and array.dtype == np.longdouble and array.dtype.itemsize > 8:
            high = array.astype(np.float64)
            columns.update({name: high, name + "_lo": (array - high).astype(np.float64)})
    return columns


def column_lines(frame: Frame) -> List[Column]:
    """Returns the checked columns of a frame, in the form of its header."""
    lines = []
    for name, array in frame.columns.items():
        kind = layout.TYPE_NAMES.get(array.dtype.str[1:])
        if kind is None:
            raise ValueError(f"column '{name}' is {array.dtype}, which a stream cannot hold")
        lines.append(Column(name, kind, 1 if array.ndim == 1 else array.shape[1], frame.column_units[name]))
    try:
        layout.check_columns(lines)
    except layout.Trouble as trouble:
        raise ValueError(str(trouble)) from None
    return lines

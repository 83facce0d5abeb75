"""Converts frames for pandas, yt, pynbody and matplotlib. Each package is imported when it is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from .layout import COMPONENTS
from .units import LENGTH, MASS, SYSTEMS, TIME, VELOCITY, Dimension, dimension_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from .frame import Frame

FAMILIES = {
    "halo": "dm",
    "other": "dm",
    "disk": "star",
    "bulge": "star",
    "star": "star",
    "planet": "star",
    "gas": "gas",
    "hole": "bh",
}
"""pynbody's family of each component; components without a name, and frames without components, are dm."""


def wanted(module: str, package: Optional[str] = None) -> Any:
    """Imports an optional package. The error names the package if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = package or module.partition(".")[0]
        raise ImportError(f"this needs the package {name}, which cannot be imported: pip install {name}") from error


def component_name(number: int) -> str:
    """Returns the name of a component, or ``component9`` if it has no name."""
    return COMPONENTS[number] if number < len(COMPONENTS) else f"component{number}"


# ---- pandas ----


def _flat_names(name: str, width: int) -> Tuple[str, ...]:
    if width == 1:
        return (name,)
    prefix = {"pos": "", "vel": "v", "acc": "a"}.get(name, name + "_")
    return tuple(prefix + axis for axis in "xyz")


def to_pandas(frame: Frame) -> pandas.DataFrame:
    """Returns a DataFrame with a row for each body. Units, time and G are in its ``attrs``."""
    table: Dict[str, NDArray[Any]] = {}
    for name, array in frame.columns.items():
        flat = array.reshape(len(array), -1)
        names = _flat_names(name, 1 if array.ndim == 1 else 3)
        table.update((one, flat[:, k]) for k, one in enumerate(names))
    data: pandas.DataFrame = wanted("pandas").DataFrame(table)
    data.attrs.update(time=frame.time, G=frame.G, units=frame.units.name)
    if SYSTEMS.get(frame.units.name, (None, 0.0))[0] != frame.units:
        data.attrs["units"] = frame.units
    return data


# ---- yt ----

_YT_NAMES = {"mass": "particle_mass", "id": "particle_index", "pos": "particle_position", "vel": "particle_velocity"}


def yt_name(name: str) -> str:
    """Returns yt's name of a column: ``particle_mass``, ``particle_phi`` ..."""
    return _YT_NAMES.get(name, "particle_" + name)


def yt_unit(unit: str) -> str:
    """Returns a column's unit in yt's notation.

    >>> yt_unit("L^2/T^2")
    'code_length**2*code_time**-2'
    """
    d = dimension_of(unit)
    names = (("code_length", d.length), ("code_mass", d.mass), ("code_time", d.time))
    return "*".join(f"{name}**{power}" if power != 1 else name for name, power in names if power)


def bounding_cube(pos: NDArray[Any]) -> NDArray[np.float64]:
    """Returns a cube a little larger than all bodies, of shape (3, 2)."""
    low, high = (pos.min(axis=0), pos.max(axis=0)) if len(pos) else (np.zeros(3), np.zeros(3))
    middle, half = (low + high) / 2, (high - low).max() / 2
    half = 1.001 * half if half > 0 else max(1.0, abs(middle).max())
    cube: NDArray[np.float64] = np.stack([middle - half, middle + half], axis=1).astype(np.float64)
    return cube


def yt_groups(frame: Frame) -> Dict[str, Any]:
    """Returns the mask of each particle type: a component, or ``io`` for all bodies."""
    if "component" not in frame or frame.n == 0:
        return {"io": slice(None)}
    return {component_name(int(k)): frame.component == k for k in np.unique(frame.component)}


def _yt_data(frame: Frame) -> Dict[Tuple[str, str], Any]:
    data: Dict[Tuple[str, str], Any] = {}
    for group, which in yt_groups(frame).items():
        for name, array in frame.columns.items():
            values = array[which].astype(np.float64 if array.dtype.kind == "f" else np.int64)
            if values.ndim == 1:
                data[group, yt_name(name)] = (values, yt_unit(frame.column_units[name]))
            for k in range(3 if values.ndim == 2 else 0):
                data[group, f"{yt_name(name)}_{'xyz'[k]}"] = (values[:, k].copy(), yt_unit(frame.column_units[name]))
    return data


def to_yt(frame: Frame, **options: Any) -> Any:
    """Returns a dataset of yt. Particle types are the components, or ``io``. ``nbody`` has all bodies.

    Columns become ``particle_mass``, ``particle_position``, ``particle_velocity``, ``particle_index``, others
    ``particle_NAME``. The domain is a cube around all bodies and not periodic. Units without a physical size become
    1 cm, 1 g and 1 s.
    """
    yt = wanted("yt")
    units = frame.units
    sizes = (units.length_cgs, units.mass_cgs, units.time_cgs) if units.is_physical else (1.0, 1.0, 1.0)
    arguments: Dict[str, Any] = {
        "length_unit": (sizes[0], "cm"), "mass_unit": (sizes[1], "g"), "time_unit": (sizes[2], "s"),
        "velocity_unit": (sizes[0] / sizes[2], "cm/s"), "bbox": bounding_cube(frame.pos), "sim_time": frame.time,
        "periodicity": (False, False, False),
    }  # fmt: skip
    return yt.load_particles(_yt_data(frame), **{**arguments, **options})


# ---- pynbody ----

_PYNBODY_NAMES = {"id": "iord", "softening": "eps"}
_PYNBODY_UNITS = {LENGTH: "kpc", MASS: "Msol", TIME: "Gyr", VELOCITY: "km s**-1", Dimension(2, 0, -2): "km**2 s**-2"}


def families(frame: Frame) -> Dict[str, NDArray[np.intp]]:
    """Returns the indices of the bodies of each of pynbody's families."""
    if "component" not in frame:
        return {"dm": np.arange(frame.n)}
    names = np.array([FAMILIES.get(component_name(k), "dm") for k in range(256)])[frame.component]
    return {name: np.flatnonzero(names == name) for name in ("dm", "star", "gas", "bh") if (names == name).any()} or {
        "dm": np.arange(0)
    }


def pynbody_name(name: str) -> str:
    """Returns pynbody's name of a column: id is iord, softening is eps."""
    return _PYNBODY_NAMES.get(name, name)


def pynbody_unit(frame: Frame, dimension: Dimension) -> Any:
    """Returns pynbody's unit of a dimension, in kpc, Msol, s ... Units without a physical size have none."""
    units = wanted("pynbody").units
    if not frame.units.is_physical or dimension == Dimension():
        return units.NoUnit()
    powers = " ".join(f"{name}**{power}" for name, power in zip(("cm", "g", "s"), dimension) if power)
    own = units.Unit(f"{frame.units.size_cgs(dimension)!r} {powers}")
    if dimension not in _PYNBODY_UNITS:
        return own
    named = units.Unit(_PYNBODY_UNITS[dimension])
    ratio = own.ratio(named)
    return named if abs(ratio - 1) < 1e-12 else units.Unit(f"{ratio!r} {_PYNBODY_UNITS[dimension]}")


def pynbody_array(frame: Frame, name: str, order: NDArray[np.intp]) -> Any:
    """Returns a column with its unit; without a name, the header's softening length for all bodies."""
    array = frame[name] if name else np.full(frame.n, frame.softening)
    values = np.ascontiguousarray(array[order])
    if values.dtype == np.uint64 and (values <= np.iinfo(np.int64).max).all():
        values = values.astype(np.int64)
    unit = pynbody_unit(frame, dimension_of(frame.column_units[name] if name else "L"))
    return wanted("pynbody").array.SimArray(values, unit)


def to_pynbody(frame: Frame) -> Any:
    """Returns a snapshot of pynbody. Bodies are ordered by family, and ``iord`` has the ids."""
    pynbody = wanted("pynbody")
    groups = families(frame)
    snap = pynbody.new(**{name: len(indices) for name, indices in groups.items()}, order=",".join(groups))
    order = np.concatenate(list(groups.values()))
    for name in frame.columns:
        snap[pynbody_name(name)] = pynbody_array(frame, name, order)
    if "softening" not in frame and frame.softening > 0:
        snap["eps"] = pynbody_array(frame, "", order)
    snap.properties.update(pynbody_properties(frame))
    return snap


def pynbody_properties(frame: Frame) -> Dict[str, Any]:
    """Returns the time with its unit, and the properties that pynbody requires of every snapshot."""
    unit = pynbody_unit(frame, TIME)
    time = frame.time * unit if frame.units.is_physical else frame.time
    return {"time": time, "a": 1.0, "z": 0.0}


# ---- matplotlib ----

_COMPONENT_COLORS = ("0.5", "tab:gray", "tab:blue", "tab:orange", "tab:cyan", "black", "tab:green", "tab:red")
_LENGTH_NAMES = {"galactic": "kpc", "solar": "AU", "gauss": "AU"}


def plot(
    frame: Frame,
    axes: Optional[Axes] = None,
    *,
    view: str = "xy",
    color: str = "auto",
    extent: Optional[float] = None,
    size: Union[float, None] = None,
    **options: Any,
) -> Axes:
    """Draws the bodies as points, seen along an axis; returns matplotlib's axes.

    ``view`` is two of x, y, z. ``color`` is ``component``, ``speed``, any column, or a colour; ``auto`` is the
    component if there are several, otherwise the speed. ``extent`` is half the width shown (default: 99 % of the bodies
    are inside). Further options go to ``scatter``.
    """
    pyplot = wanted("matplotlib.pyplot", "matplotlib")
    if axes is None:
        axes = pyplot.subplots(figsize=(6, 6), layout="constrained")[1]
    assert axes is not None
    x, y = (frame.pos[:, "xyz".index(axis)] for axis in view)
    size = float(np.clip(4e4 / max(frame.n, 1), 0.3, 40)) if size is None else size
    several = "component" in frame and len(np.unique(frame.component)) > 1
    if color == "auto":
        color = "component" if several else "speed"
    check_color(frame, color, wanted("matplotlib.colors", "matplotlib").is_color_like)
    style = {"s": size, "linewidths": 0, **options}
    if color == "component":
        for k in np.unique(frame.component):
            which = frame.component == k
            axes.scatter(x[which], y[which], c=_COMPONENT_COLORS[k % 8], label=component_name(int(k)), **style)
        axes.legend(markerscale=np.sqrt(30 / size), loc="upper right")
    else:
        _plot_values(axes, frame, x, y, color, style)
    _plot_frame(axes, frame, view, extent)
    return axes


def check_color(frame: Frame, color: Any, is_color: Callable[[Any], bool]) -> None:
    """Raises ValueError unless ``color`` is a column, the speed, or a colour of matplotlib (tested by ``is_color``)."""
    if isinstance(color, str) and (color == "speed" or color in frame):
        return
    if not is_color(color):
        columns = ", ".join(frame.columns)
        raise ValueError(f"color={color!r} is neither auto, speed, a column ({columns}) nor a colour")


def _plot_values(axes: Axes, frame: Frame, x: Any, y: Any, color: str, style: Dict[str, Any]) -> None:
    if color != "speed" and color not in frame:
        axes.scatter(x, y, c=color, **style)
        return
    values = frame.vel if color == "speed" else frame[color]
    values = np.linalg.norm(values, axis=1) if values.ndim == 2 else values
    drawn = axes.scatter(x, y, c=values, **style)
    assert axes.figure is not None
    axes.figure.colorbar(drawn, ax=axes, label=color, shrink=0.8)


def _plot_frame(axes: Axes, frame: Frame, view: str, extent: Optional[float]) -> None:
    columns = ["xyz".index(axis) for axis in view]
    flat = frame.pos[:, columns].astype(np.float64)
    middle = np.median(flat, axis=0) if frame.n else np.zeros(2)
    half = extent or (float(np.quantile(abs(flat - middle).max(axis=1), 0.99)) * 1.05 if frame.n else 1.0) or 1.0
    unit = _LENGTH_NAMES.get(frame.units.name)
    axes.set(
        aspect="equal", xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half),
        xlabel=f"{view[0]} [{unit}]" if unit else view[0], ylabel=f"{view[1]} [{unit}]" if unit else view[1],
        title=f"t = {frame.time:.6g}",
    )  # fmt: skip

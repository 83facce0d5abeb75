"""Makes frames from the data of other packages: pandas, yt, pynbody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Tuple

import numpy as np

from .layout import COMPONENTS
from .units import G_CGS, SYSTEMS, Units, system

if TYPE_CHECKING:
    import pandas

    from .frame import Frame

_PREFIXES = {"pos": "", "vel": "v", "acc": "a"}


def _vector_names(columns: Iterable[str]) -> Dict[str, List[str]]:
    """Returns the vectors among columns, with the three columns of each."""
    names = set(columns)
    known = {name: [prefix + axis for axis in "xyz"] for name, prefix in _PREFIXES.items()}
    other = {name[:-2]: [name[:-1] + axis for axis in "xyz"] for name in names if name.endswith("_x")}
    return {name: parts for name, parts in {**other, **known}.items() if names.issuperset(parts)}


def from_pandas(table: pandas.DataFrame, **options: Any) -> Frame:
    """A frame of a DataFrame with a row for each body: see ``Frame.from_pandas``."""
    from .frame import Frame

    table = table.rename(columns=str)
    vectors = _vector_names(table.columns)
    if "pos" not in vectors:
        raise ValueError("the table has no columns x, y and z")
    columns: Dict[str, Any] = {name: np.column_stack([table[part] for part in parts]) for name, parts in vectors.items()}
    used = {part for parts in vectors.values() for part in parts}
    for name in table.columns:
        if name in _HEADER:
            raise ValueError(f"column {name}: a frame has one {name} for all bodies; give the column another name")
        if name not in used:
            columns["mass" if name == "m" and "mass" not in table.columns else name] = table[name].to_numpy()
    columns.setdefault("mass", np.full(len(table), 1 / max(len(table), 1)))
    columns.setdefault("vel", np.zeros((len(table), 3)))
    header: Dict[str, Any] = {str(key): table.attrs[key] for key in ("time", "G", "units") if key in table.attrs}
    if "units" in options and _named(options["units"]) != _named(header.get("units")):
        header.pop("G", None)  # it was in the others
    if "G" not in {**header, **options} and isinstance(options.get("units"), Units) and options["units"].is_physical:
        header["G"] = _system(options["units"])[2]
    return Frame(**{**header, **columns, **options})


_HEADER = ("time", "step", "G", "dt", "origin", "every", "units", "history", "forces", "extra", "column_units")


def _named(units: Any) -> Any:
    """Returns the system of units of a name. Other values are returned unchanged."""
    return SYSTEMS[units][0] if isinstance(units, str) and units in SYSTEMS else units


def _system(units: Any) -> Tuple[Dict[str, float], float, float]:
    """Returns the sizes in cgs of mass, pos, vel and time in these physical units, and G."""
    found, G = system(units) if isinstance(units, str) else (units, 0.0)
    if not found.is_physical:
        raise ValueError(f"units '{found.name}' have no size: name some that have, such as galactic or solar")
    speed = found.length_cgs / found.time_cgs
    own_G = G_CGS * found.mass_cgs / found.length_cgs / speed**2
    return {"mass": found.mass_cgs, "pos": found.length_cgs, "vel": speed}, found.time_cgs, G or own_G


# ---- yt ----

_YT_FIELDS = {"mass": "particle_mass", "pos": "particle_position", "vel": "particle_velocity"}
_YT_COMPONENTS = {name: number for number, name in enumerate(COMPONENTS)}
_YT_COMPONENTS.update({"PartType0": 7, "PartType1": 1, "PartType2": 2, "PartType3": 3, "PartType4": 4, "PartType5": 5})
_YT_COMPONENTS.update({"Gas": 7, "Halo": 1, "Disk": 2, "Bulge": 3, "Stars": 4, "Bndry": 5, "DarkMatter": 1})
"""Components of yt's particle types: of our own streams, and of GADGET's, TIPSY's and their kin."""


def from_yt(data: Any, units: Any = "galactic", **options: Any) -> Frame:
    """A frame of the particles of a dataset or an object of yt: see ``Frame.from_yt``."""
    from .frame import Frame

    ds = getattr(data, "ds", data)
    region = data.all_data() if data is ds else data
    sizes, time_cgs, G = _system(units)
    parts: Dict[str, List[Any]] = {}
    for kind in ds.particle_types_raw:
        if (kind, "particle_position") not in ds.derived_field_list:
            continue
        for name, field in _YT_FIELDS.items():
            parts.setdefault(name, []).append(np.asarray(region[kind, field].in_cgs()) / sizes[name])
        if (kind, "particle_index") in ds.derived_field_list:
            parts.setdefault("id", []).append(np.asarray(region[kind, "particle_index"]).astype(np.uint64))
        number = np.uint8(_YT_COMPONENTS.get(kind, 0))
        parts.setdefault("component", []).append(np.full(len(parts["mass"][-1]), number))
    if not parts:
        raise ValueError("the dataset has no particles")
    if len(parts.get("id", [])) < len(parts["mass"]):
        parts.pop("id", None)
    columns = {name: np.concatenate(values) for name, values in parts.items()}
    time = float(ds.current_time.in_cgs()) / time_cgs
    return Frame(**{"time": time, "units": units, "G": G, **columns, **options})


# ---- pynbody ----

_FAMILIES = {"dm": "halo", "star": "star", "gas": "gas", "bh": "hole"}


def from_pynbody(snap: Any, units: Any = "galactic", **options: Any) -> Frame:
    """A frame of a snapshot of pynbody, or of a part of one: see ``Frame.from_pynbody``."""
    from .frame import Frame

    sizes, time_cgs, G = _system(units)
    columns: Dict[str, Any] = {
        name: np.asarray(snap[name].in_units(unit)) / sizes[name]
        for name, unit in (("mass", "g"), ("pos", "cm"), ("vel", "cm s**-1"))
    }
    component = np.zeros(len(snap), dtype=np.uint8)
    for family in snap.families():
        component[snap._get_family_slice(family)] = COMPONENTS.index(_FAMILIES.get(family.name, "other"))
    columns["component"] = component
    if "iord" in snap.loadable_keys() or "iord" in snap.keys():
        columns["id"] = np.asarray(snap["iord"]).astype(np.uint64)
    time = snap.properties.get("time", 0.0)
    seconds = float(time.in_units("s")) if hasattr(time, "in_units") else 0.0
    return Frame(**{"time": seconds / time_cgs, "units": units, "G": G, **columns, **options})

"""One frame: the state of n bodies at one time, as numpy columns, and its header."""

from __future__ import annotations

from dataclasses import replace as replaced
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import events, layout
from .columns import column_array, component_numbers, low_parts
from .layout import KNOWN, Header, History
from .units import GRAVITY, LENGTH, MASS, TIME, Dimension, UnitLike, Units, dimension_of, make_units, system

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from .pipeline import Pipeline
    from .table import Table

    Array = NDArray[Any]

_HEADER = ("time", "step", "G", "dt", "origin", "every")


class Frame:
    """The state of n bodies at one time.

    >>> import nbstream
    >>> frame = nbstream.Frame(mass=[1, 1], pos=[[-1, 0, 0], [1, 0, 0]], vel=[[0, -0.5, 0], [0, 0.5, 0]])
    >>> len(frame), frame.time, float(frame["mass"].sum())
    (2, 0.0, 2.0)

    Columns are numpy arrays, of shape (n,) or (n, 3): ``frame["mass"]``, or ``frame.mass``, ``pos``, ``vel``, ``id``
    and ``component`` for short. Columns of a frame that was read are read-only. ``units`` is the name of a system, or
    ``Units``. If G is not given, it follows from the name. ``softening`` is one length, or an array with a length for
    each body. ``component`` also takes names, or one name for all bodies. Further columns may have any name.
    ``column_units`` has their units as powers of M, L and T.
    """

    _source: Optional[Callable[[], None]]
    _number: Optional[int]

    def __init__(
        self,
        mass: ArrayLike,
        pos: ArrayLike,
        vel: ArrayLike,
        *,
        time: float = 0.0,
        step: int = 0,
        G: Optional[float] = None,
        softening: Union[float, ArrayLike] = 0.0,
        dt: float = 0.0,
        origin: float = 0.0,
        every: float = 0.0,
        units: Union[str, Units] = "code",
        history: Iterable[str] = (),
        forces: Iterable[str] = (),
        extra: Iterable[str] = (),
        column_units: Optional[Mapping[str, str]] = None,
        **columns: ArrayLike,
    ) -> None:
        of_name, its_G = system(units) if isinstance(units, str) else (units, 1.0)
        values: Dict[str, Any] = {"mass": mass, "pos": pos, "vel": vel, **columns}
        length: Any = 0.0 if np.ndim(softening) else softening
        if np.ndim(softening):
            values["softening"] = softening
        pos_n = len(np.asarray(pos))
        arrays = {name: column_array(name, array, pos_n) for name, array in low_parts(values).items()}
        header = Header(
            float(time), int(step), float(its_G if G is None else G), float(length), float(dt), float(origin),
            float(every), of_name, tuple(map(History, history)), tuple(forces), tuple(extra),
        )  # fmt: skip
        self._set(header, arrays, dict(column_units or {}))

    def _set(self, header: Header, arrays: Dict[str, Array], units: Mapping[str, str]) -> None:
        self.header = header
        self._arrays = arrays
        self._units = {name: units.get(name, KNOWN[name].unit if name in KNOWN else "-") for name in arrays}
        self._source = None
        self._number = None

    @classmethod
    def _make(
        cls,
        header: Header,
        arrays: Dict[str, Array],
        units: Mapping[str, str],
        source: Optional[Callable[[], None]] = None,
        number: Optional[int] = None,
    ) -> Frame:
        frame = cls.__new__(cls)
        frame._set(header, arrays, units)
        frame._source, frame._number = source, number
        return frame

    # ---- contents ----

    def __len__(self) -> int:
        """The number of bodies."""
        return len(self._arrays["mass"])

    @property
    def n(self) -> int:
        """The number of bodies."""
        return len(self)

    @property
    def number(self) -> Optional[int]:
        """Number of the frame in its stream, from 0."""
        return self._number

    @property
    def columns(self) -> Mapping[str, Array]:
        """All columns by name, in the order of the frame."""
        return MappingProxyType(self._arrays)

    @property
    def column_units(self) -> Mapping[str, str]:
        """Powers of M, L and T of each column, ``-`` for none."""
        return MappingProxyType(self._units)

    def __getitem__(self, name: str) -> Array:
        if name not in self._arrays:
            raise KeyError(f"no column '{name}'; there are {', '.join(self._arrays)}")
        return self._arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    __iter__ = None  # it has bodies and columns: say which, as in `for name in frame.columns`

    @property
    def mass(self) -> Array:
        """Masses, (n,)."""
        return self["mass"]

    @property
    def pos(self) -> Array:
        """Positions, (n, 3)."""
        return self["pos"]

    @property
    def vel(self) -> Array:
        """Velocities at the same time, (n, 3)."""
        return self["vel"]

    @property
    def id(self) -> Array:
        """Permanent number of each body, (n,)."""
        return self["id"]

    @property
    def component(self) -> Array:
        """Numbers of the components, (n,). ``nbstream.COMPONENTS`` has their names."""
        return self["component"]

    @property
    def time(self) -> float:
        """Time of the frame."""
        return self.header.time

    @property
    def step(self) -> int:
        """Number of time steps since the start of the simulation."""
        return self.header.step

    @property
    def G(self) -> float:
        """Gravitational constant in the frame's units."""
        return self.header.G

    @property
    def softening(self) -> float:
        """Plummer softening length suggested or used, of all bodies."""
        lengths = self._arrays.get("softening")
        return self.header.softening if lengths is None or len(lengths) == 0 else float(lengths[0])

    @property
    def dt(self) -> float:
        """Size of the time step suggested or used, 0 for none."""
        return self.header.dt

    @property
    def units(self) -> Units:
        """The system of units."""
        return self.header.units

    @property
    def history(self) -> Tuple[History, ...]:
        """The programs that the frame passed through, oldest first."""
        return self.header.history

    @property
    def events(self) -> Tuple[events.Event, ...]:
        """Stars that merged or left since the previous frame (``nbsim --merge-radius``)."""
        return tuple(map(events.parse, filter(events.is_line, self.header.extra)))

    def longdouble(self, name: str) -> Array:
        """Returns a column as numpy.longdouble, with the further digits of ``pos_lo`` and ``vel_lo``."""
        wide: Array = self[name].astype(np.longdouble)
        return wide + self[name + "_lo"] if name + "_lo" in self else wide

    def quantity(self, name: str, unit: Optional[str] = None) -> Any:
        """Returns a column as an astropy Quantity, in the column's unit or the given one. Needs astropy and physical
        units."""
        from .convert import wanted

        self[name]  # KeyError where there is none
        astropy = wanted("astropy.units", "astropy")
        d = dimension_of(self._units[name])
        cgs = astropy.cm**d.length * astropy.g**d.mass * astropy.s**d.time
        value = astropy.Quantity(self[name], astropy.Unit(self.units.size_cgs(d) * cgs), dtype=None)
        return value if unit is None else value.to(unit)

    def __repr__(self) -> str:
        which = "" if self._number is None else f" {self._number}"
        return f"<Frame{which}: n={self.n} time={self.time:g} units={self.units.name} columns={','.join(self._arrays)}>"

    def verify(self) -> None:
        """Compares all columns with their checksums; DamagedError if one differs. Frames made here have none."""
        if self._source:
            self._source()

    # ---- derived frames ----

    def replace(self, *, column_units: Optional[Mapping[str, str]] = None, **changes: Any) -> Frame:
        """Returns a frame with other columns or header values. None drops a column.

        If masses, positions, velocities or parameters change, columns that depend on them (acc, phi ...) are dropped,
        unless they are given too.
        """
        arrays: Dict[str, Any] = dict(self._arrays)
        header = self.header
        names = [key for key in changes if key not in Header.__dataclass_fields__]
        softening = changes.get("softening", 0.0)
        if softening is None or np.ndim(softening):
            names.append("softening")
        elif "softening" in changes:
            arrays.pop("softening", None)
        own = {key: self._header_value(key, changes[key]) for key in changes if key not in names}
        if any(KNOWN[name].kind in ("state", "parameter") for name in [*names, *own] if name in KNOWN):
            arrays = {name: a for name, a in arrays.items() if name not in KNOWN or KNOWN[name].kind != "derived"}
            header = replaced(header, extra=events.without(header.extra, "event", "booked"))
        given = low_parts({name: changes[name] for name in names})
        n = len(np.asarray(given["pos"])) if given.get("pos") is not None else self.n
        for name, values in given.items():
            arrays.pop(name, None) if values is None else arrays.update({name: column_array(name, values, n)})
        for name, array in arrays.items():
            if len(array) != n:
                raise ValueError(f"column '{name}' has {len(array)} values for {n} bodies")
        for name in layout.REQUIRED:
            if name not in arrays:
                raise ValueError(f"column '{name}' cannot be dropped")
        return Frame._make(replaced(header, **own), arrays, {**self._units, **(column_units or {})})

    @staticmethod
    def _header_value(key: str, value: Any) -> Any:
        if key == "units":
            return value if isinstance(value, Units) else system(value)[0]
        if key == "history":
            return tuple(map(History, value))
        return tuple(value) if key in ("forces", "extra") else int(value) if key == "step" else float(value)

    def select(self, which: Union[str, Sequence[str], slice, Array]) -> Frame:
        """Returns a frame of some bodies, by a mask, indices, a slice, or names of components."""
        if isinstance(which, str) or (isinstance(which, (list, tuple)) and which and isinstance(which[0], str)):
            names = which.split(",") if isinstance(which, str) else list(which)
            chosen: Any = np.isin(self.component, component_numbers(names))
        else:
            chosen = which
        derived = [name for name in self._arrays if name in KNOWN and KNOWN[name].kind == "derived"]
        kept = {
            name: array[chosen] for name, array in self._arrays.items() if name not in derived or name.endswith("_lo")
        }
        header = replaced(self.header, extra=events.without(self.header.extra, "booked"))
        return Frame._make(header, kept, self._units)

    def copy(self) -> Frame:
        """Returns a copy with its own arrays, which are writable and need no file."""
        return Frame._make(self.header, {name: array.copy() for name, array in self._arrays.items()}, self._units)

    # ---- units ----

    def with_units(self, *units: UnitLike, name: Optional[str] = None) -> Frame:
        """Gives the units a physical size, and keeps the numbers: ``frame.with_units("kpc", "1e10 Msun")``.

        Two of length, mass, and time or velocity are enough: the third follows from G. A name of a system sets all.
        """
        system_of = self._system(units, name, self.G)
        return Frame._make(
            replaced(self.header, units=system_of), dict(self._arrays), self._units, self._source, self._number
        )

    @staticmethod
    def _system(units: Tuple[UnitLike, ...], name: Optional[str], G: Optional[float]) -> Units:
        if len(units) == 1 and isinstance(units[0], str) and units[0] not in ("", "code"):
            return system(units[0])[0]
        return make_units(*units, name=name, G=G if len(units) == 2 else None)

    def to_units(self, *units: UnitLike, name: Optional[str] = None) -> Frame:
        """Returns the frame in other units: ``to_units("galactic")`` or ``to_units("kpc", "km/s", "1e10 Msun")``.

        Real columns and the header's values are multiplied. Columns with unit ``-`` do not change.
        """
        to, own = self._system(units, name, None), self.units
        special = [line.partition(" ")[0] for line in self.header.extra]
        for key in ("contact", "wall", "box", "flow", "wall_force", "inflow"):
            if key in special:
                raise ValueError(f"the header's line '{key}' has units of its own, which are not converted")
        if any("=" in force for force in self.header.forces):
            raise ValueError("the header's forces have parameters, whose units are not converted")
        arrays = {name: self._scaled(name, own, to) for name in self._arrays}
        h = self.header
        time, length, mass = own.factor(TIME, to), own.factor(LENGTH, to), own.factor(MASS, to)
        header = replaced(
            h, time=h.time * time, dt=h.dt * time, dt_asked=h.dt_asked * time, dynamical_time=h.dynamical_time * time,
            origin=h.origin * time, every=h.every * time, softening=h.softening * length, G=h.G * own.factor(GRAVITY, to), units=to,
            extra=tuple(events.scaled(line, length, mass, time) for line in h.extra),
        )  # fmt: skip
        return Frame._make(header, arrays, self._units)

    def _scaled(self, name: str, own: Units, to: Units) -> Array:
        array, dimension = self._arrays[name], dimension_of(self._units[name])
        if dimension == Dimension():
            return array
        if array.dtype.kind != "f":
            raise ValueError(f"column '{name}' is {array.dtype} in {self._units[name]}, which cannot be converted")
        if name + "_lo" in self._arrays or name.endswith("_lo"):
            raise ValueError(f"column '{name}' is in double-double, which a change of units would round")
        scaled: Array = array * array.dtype.type(own.factor(dimension, to))
        return scaled

    # ---- quick analysis ----

    def center_of_mass(self) -> Array:
        """The centre of mass, (3,), in double."""
        return self._mean("pos")

    def mean_velocity(self) -> Array:
        """The velocity of the centre of mass, (3,), in double."""
        return self._mean("vel")

    def _mean(self, name: str) -> Array:
        mass = self.mass.astype(np.float64)
        mean: Array = mass @ self[name].astype(np.float64) / mass.sum()
        return mean

    def kinetic_energy(self) -> float:
        """Sum of m v^2 / 2, in double."""
        vel = self.vel.astype(np.float64)
        return float(0.5 * np.einsum("i,ij,ij", self.mass.astype(np.float64), vel, vel))

    def stat(self, **options: Any) -> Table:
        """Returns nbstat's measurements, such as energies and radii: a table of one row."""
        return self.pipe().stat(**options)

    def pipe(self) -> Pipeline:
        """Returns a pipeline that begins with this frame: ``frame.pipe().sim(until=1).save("run.nbs")``."""
        from .pipeline import Pipeline

        return Pipeline.of_frames([self])

    # ---- for other packages ----

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas DataFrame. A row is a body. Vectors become x y z, vx vy vz, or NAME_x NAME_y NAME_z."""
        from .convert import to_pandas

        return to_pandas(self)

    def to_yt(self, **options: Any) -> Any:
        """Returns a dataset of yt with the frame's units, time and extent. Options go to ``yt.load_particles``."""
        from .convert import to_yt

        return to_yt(self, **options)

    def to_pynbody(self) -> Any:
        """Returns a snapshot of pynbody in the frame's units. Components become its families dm, star, gas and bh."""
        from .convert import to_pynbody

        return to_pynbody(self)

    def _repr_html_(self) -> str:
        from .shown import frame_html

        return frame_html(self)

    @classmethod
    def from_pandas(cls, table: pandas.DataFrame, **options: Any) -> Frame:
        """Returns a frame of a DataFrame with a row for each body.

        Columns x y z are positions, vx vy vz velocities (default 0), mass or m masses (default 1/n each). Other columns
        keep their names. Time, G and units come from its ``attrs``, where ``to_pandas`` puts them, or from arguments,
        as do the other values of ``Frame``: ``Frame.from_pandas(table, units="solar", softening=0.01)``.
        """
        from .taken import from_pandas

        return from_pandas(table, **options)

    @classmethod
    def from_yt(cls, data: Any, units: Union[str, Units] = "galactic", **options: Any) -> Frame:
        """Returns a frame of all particles of a dataset of yt, or of an object of it such as a sphere.

        It reads mass, position, velocity, ids and time in these units. Particle types become components.
        """
        from .taken import from_yt

        return from_yt(data, units, **options)

    @classmethod
    def from_pynbody(cls, snap: Any, units: Union[str, Units] = "galactic", **options: Any) -> Frame:
        """Returns a frame of a snapshot of pynbody, or of a part of a snapshot.

        It reads mass, position, velocity, ids and time in these units. Families become components.
        """
        from .taken import from_pynbody

        return from_pynbody(snap, units, **options)

    def plot(self, axes: Optional[Axes] = None, **options: Any) -> Axes:
        """Draws the bodies with matplotlib, coloured by component, speed or any column: see
        ``nbstream.convert.plot``."""
        from .convert import plot

        return plot(self, axes, **options)

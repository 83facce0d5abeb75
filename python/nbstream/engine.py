"""Advances systems in this process by libnbtools (nbtools(3)), with arrays without copies and without pipes.

>>> from nbstream import engine
>>> with engine.System(mass=[0.75, 0.25], pos=[[-0.125, 0, 0], [0.375, 0, 0]],
...                    vel=[[0, -0.4330127018922193, 0], [0, 1.299038105676658, 0]]) as pair:
...     pair.advance(6.283185307179586)
...     print(abs(pair.pos[1] - [0.375, 0, 0]).max() < 1e-9, pair.using("integrator"))
True ias15
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import tempfile
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional, Tuple, Type, Union

import numpy as np

from .errors import StreamError
from .frame import Frame
from .reader import open as open_stream
from .writer import write

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_TYPES = (np.float32, np.float64, np.uint8, np.uint32, np.uint64)  # enum nbt_type

_POINTER, _TEXT, _COUNT, _REAL, _INT = (
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_double, ctypes.c_int,
)  # fmt: skip
_CALLS = {
    "nbt_version": (_TEXT, ()),
    "nbt_error": (_TEXT, ()),
    "nbt_frame_new": (_POINTER, (_COUNT,)),
    "nbt_frame_free": (None, (_POINTER,)),
    "nbt_frame_bodies": (_COUNT, (_POINTER,)),
    "nbt_column_get": (_POINTER, (_POINTER, _TEXT, ctypes.POINTER(_INT), ctypes.POINTER(_INT))),
    "nbt_column_set": (_INT, (_POINTER, _TEXT, _INT, _INT, _POINTER)),
    "nbt_value_get": (_INT, (_POINTER, _TEXT, ctypes.POINTER(_REAL))),
    "nbt_stream_open": (_POINTER, (_TEXT, ctypes.c_int64)),
    "nbt_stream_create": (_POINTER, (_TEXT,)),
    "nbt_stream_read": (_INT, (_POINTER, _POINTER)),
    "nbt_stream_write": (_INT, (_POINTER, _POINTER)),
    "nbt_stream_close": (_INT, (_POINTER,)),
    "nbt_system_of": (_POINTER, (_POINTER,)),
    "nbt_system_close": (None, (_POINTER,)),
    "nbt_option_set": (_INT, (_POINTER, _TEXT, _TEXT)),
    "nbt_option_get": (_TEXT, (_POINTER, _TEXT)),
    "nbt_system_frame": (_POINTER, (_POINTER,)),
    "nbt_changed": (_INT, (_POINTER,)),
    "nbt_advance": (_INT, (_POINTER, _REAL)),
    "nbt_kick": (_INT, (_POINTER, _POINTER)),
    "nbt_field": (_INT, (_POINTER, _COUNT, _POINTER, _POINTER, _POINTER)),
    "nbt_energies": (_INT, (_POINTER, ctypes.POINTER(_REAL * 3))),
    "nbt_add": (_INT, (_POINTER, _COUNT, _POINTER, _POINTER, _POINTER, _POINTER)),
    "nbt_remove": (_INT, (_POINTER, _COUNT, _POINTER)),
}


class EngineError(StreamError):
    """A call of the library failed. The message is the library's."""


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    """Returns the library: the file NBSTREAM_LIBRARY, else the package's (in a wheel for Linux), else the system's."""
    given = os.environ.get("NBSTREAM_LIBRARY")
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libnbtools.so")
    if not given and os.path.exists(inside):
        given = inside
    try:
        library = ctypes.CDLL(given or ctypes.util.find_library("nbtools") or "libnbtools.so.0")
    except OSError as error:
        raise FileNotFoundError(
            f"libnbtools cannot be loaded ({error}); `make install` installs it, NBSTREAM_LIBRARY names its file"
        ) from None
    for name, (result, arguments) in _CALLS.items():
        call = getattr(library, name)
        call.restype, call.argtypes = result, arguments
    return library


def version() -> str:
    """The version of the library."""
    return str(_library().nbt_version().decode())


def _fail() -> Any:
    raise EngineError(_library().nbt_error().decode("utf-8", "replace"))


def _check(status: int) -> int:
    return int(_fail()) if status < 0 else status


def _some(pointer: Any) -> Any:
    return pointer or _fail()


def _array(values: ArrayLike, shape: Tuple[int, ...]) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"an array of shape {array.shape} where {shape} is needed")
    return array


def _ids(values: ArrayLike) -> NDArray[np.uint64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and (array.dtype.kind not in "iu" or array.min() < 0)):
        raise ValueError("ids are a list of whole numbers from 0 on")
    return np.ascontiguousarray(array, dtype=np.uint64)


class _View:
    """Base object of an array in a system's memory. It keeps the system alive, and the system knows of it."""

    def __init__(self, system: System, address: int, shape: Tuple[int, ...], dtype: Any) -> None:
        self.system = system
        self.__array_interface__ = {
            "version": 3, "data": (address, False), "shape": shape, "typestr": np.dtype(dtype).str,
        }  # fmt: skip


class Energies(NamedTuple):
    """Energies of a system: kinetic, potential of the self-gravity, and potential in external fields."""

    kinetic: float
    potential: float
    external: float

    @property
    def total(self) -> float:
        """Their sum."""
        return sum(self)


class System:
    """A system of bodies that can be advanced, from a ``Frame`` or from arrays as ``Frame`` takes them.

    Options are those of nbsim, with ``_`` for ``-``: ``System(frame, integrator="leapfrog", dt=0.01)``. Use a list for
    an option that may come more than once (``force``). ``mass``, ``pos`` and ``vel`` are arrays in the library's
    memory. After ``advance``, read the properties again to see the new state. Call ``changed()`` after writing into an
    array. While such arrays exist, bodies cannot be added or removed and the system cannot be closed (BufferError).
    """

    def __init__(self, frame: Optional[Frame] = None, **arguments: Any) -> None:
        self._pointer: Any = None
        self._views: weakref.WeakSet[_View] = weakref.WeakSet()
        options = {k: v for k, v in arguments.items() if k in _OPTIONS and (frame is not None or k not in _OF_FRAME)}
        columns = {k: v for k, v in arguments.items() if k not in options}
        if frame is not None and columns:
            raise TypeError(f"a frame has its own {next(iter(columns))}; Frame.replace changes it")
        self._pointer = self._make(Frame(**columns) if frame is None else frame)
        self.set(**options)

    @staticmethod
    def _make(frame: Frame) -> Any:
        library = _library()
        inside = _some(library.nbt_frame_new(0))
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "frame.nbs")
                write(path, frame)
                stream = _some(library.nbt_stream_open(os.fsencode(path), 0))
                try:
                    _check(library.nbt_stream_read(stream, inside))
                finally:
                    library.nbt_stream_close(stream)
            return _some(library.nbt_system_of(inside))
        finally:
            library.nbt_frame_free(inside)

    # ---- state ----

    def _call(self, name: str, *arguments: Any) -> Any:
        if not self._pointer:
            raise ValueError("the system is closed")
        return getattr(_library(), name)(self._pointer, *arguments)

    def _frame(self) -> Any:
        return _some(self._call("nbt_system_frame"))

    def __len__(self) -> int:
        return int(_library().nbt_frame_bodies(self._frame()))

    def value(self, name: str) -> float:
        """A number of the header: time, step, G, softening, dt."""
        value = _REAL()
        _check(_library().nbt_value_get(self._frame(), name.encode(), ctypes.byref(value)))
        return value.value

    @property
    def time(self) -> float:
        """Time of the bodies."""
        return self.value("time")

    def _view(self, name: str) -> NDArray[Any]:
        kind, width, frame = _INT(), _INT(), self._frame()
        address = _some(_library().nbt_column_get(frame, name.encode(), ctypes.byref(kind), ctypes.byref(width)))
        n = len(self)
        view = _View(self, address, (n,) if width.value == 1 else (n, width.value), _TYPES[kind.value])
        self._views.add(view)
        return np.asarray(view)

    @property
    def mass(self) -> Floats:
        """Masses, of shape (n,), in the library's memory."""
        return self._view("mass")

    @property
    def pos(self) -> Floats:
        """Positions, of shape (n, 3), in the library's memory."""
        return self._view("pos")

    @property
    def vel(self) -> Floats:
        """Velocities, of shape (n, 3), in the library's memory."""
        return self._view("vel")

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A copy of any column: ``system["id"]``."""
        try:
            return self._view(name).copy()
        except EngineError:
            raise KeyError(name) from None

    def frame(self) -> Frame:
        """A copy of the system as a Frame, with all columns and the header."""
        library, frame = _library(), self._frame()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "frame.nbs")
            stream = _some(library.nbt_stream_create(os.fsencode(path)))
            written = library.nbt_stream_write(stream, frame)
            _check(library.nbt_stream_close(stream) or written)
            return open_stream(path)[0].copy()

    # ---- changes ----

    def set(self, **options: Union[None, str, float, Iterable[Union[str, float]]]) -> None:
        """Sets options of nbsim, such as ``integrator="leapfrog"``. None restores the default."""
        for name, value in options.items():
            values = [value] if value is None or isinstance(value, (str, float, int)) else list(value)
            if not isinstance(value, (str, float, int)):
                self._set(name, None)
            for each in values:
                self._set(name, each)

    def _set(self, name: str, value: Any) -> None:
        text = None if value is None else value.encode() if isinstance(value, str) else repr(value).encode()
        _check(self._call("nbt_option_set", name.replace("_", "-").encode(), text))

    def using(self, option: str) -> str:
        """Returns the "device", "force", "integrator" or "precision" in use."""
        return str(_some(self._call("nbt_option_get", option.encode())).decode())

    def advance(self, time: float) -> None:
        """Advances to a time, before or after the current time."""
        _check(self._call("nbt_advance", time))

    def kick(self, dv: ArrayLike) -> None:
        """Adds velocities, of shape (n, 3)."""
        array = _array(dv, (len(self), 3))  # named, so that it lives as long as the call
        _check(self._call("nbt_kick", array.ctypes.data))

    def changed(self) -> None:
        """Tells the library that values were written into mass, pos or vel."""
        _check(self._call("nbt_changed"))

    def field(self, points: ArrayLike) -> Tuple[Floats, Floats]:
        """Returns acceleration and potential at points, of shape (m, 3). The points are not bodies."""
        at = _array(points, (len(np.asarray(points)), 3))
        acc, phi = np.empty_like(at), np.empty(len(at))
        _check(self._call("nbt_field", len(at), at.ctypes.data, acc.ctypes.data, phi.ctypes.data))
        return acc, phi

    def energies(self) -> Energies:
        """Returns the kinetic and potential energies."""
        values = (_REAL * 3)()
        _check(self._call("nbt_energies", ctypes.byref(values)))
        return Energies(*values)

    def add(self, mass: ArrayLike, pos: ArrayLike, vel: ArrayLike, id: Optional[ArrayLike] = None) -> None:
        """Adds bodies after the existing ones. Default ids are above all existing ids."""
        m = _array(mass, (len(np.asarray(mass)),))
        x, v = _array(pos, (len(m), 3)), _array(vel, (len(m), 3))
        ids = None if id is None else _ids(id)
        if ids is not None and len(ids) != len(m):
            raise ValueError(f"{len(ids)} ids of {len(m)} bodies")
        self._free_of_views()
        data = None if ids is None else ids.ctypes.data
        _check(self._call("nbt_add", len(m), m.ctypes.data, x.ctypes.data, v.ctypes.data, data))

    def remove(self, id: ArrayLike) -> None:
        """Removes the bodies with these ids (the column "id")."""
        ids = _ids(id)
        self._free_of_views()
        _check(self._call("nbt_remove", len(ids), ids.ctypes.data))

    # ---- closing ----

    def _free_of_views(self) -> None:
        if len(self._views) > 0:
            raise BufferError("arrays of the system are in use (del them, or copy them where they are made)")

    def close(self) -> None:
        """Frees the system."""
        if self._pointer:
            self._free_of_views()
            _library().nbt_system_close(self._pointer)
            self._pointer = None

    def __enter__(self) -> System:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _library().nbt_system_close(self._pointer)


_OPTIONS = {
    "device", "force", "theta", "rebuild", "pn", "softening", "precision", "integrator", "dt", "tolerance", "min_dt",
    "max_dt", "eta", "max_rungs", "neighbours",
}  # fmt: skip
_OF_FRAME = {"softening", "dt"}  # of a Frame that is made here: its header has them

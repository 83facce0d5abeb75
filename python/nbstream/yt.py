"""Streams in yt: after ``import nbstream.yt``, ``yt.load("run.nbs", frame=-1)`` reads a frame of one.

If the package is installed with pip, yt finds this module without an import. Particle types are the components
(``disk``, ``halo`` ...), or ``io`` without components. Fields are named as in ``frame.to_yt()``. Data are read when
they are used. Units without a physical size become 1 cm, 1 g and 1 s.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np
from yt.data_objects.static_output import ParticleDataset, ParticleFile
from yt.fields.field_info_container import FieldInfoContainer
from yt.geometry.particle_geometry_handler import ParticleIndex
from yt.utilities.io_handler import BaseIOHandler

from .convert import bounding_cube, component_name, yt_name, yt_unit
from .layout import MAGIC_FRAME
from .reader import open as open_stream

try:
    from yt.utilities.io_handler import BaseParticleIOHandler
except ImportError:  # yt before 4.2
    BaseParticleIOHandler = BaseIOHandler


class NbsFieldInfo(FieldInfoContainer):  # type: ignore[misc]
    """Fields and units of a frame's columns."""

    def __init__(self, ds: Any, field_list: Any, slice_info: Any = None) -> None:
        units = ds.frame.column_units
        self.known_other_fields = ()
        self.known_particle_fields: Any = tuple(
            (yt_name(name), (yt_unit(units[name]), [], None)) for name in ds.frame.columns
        )
        super().__init__(ds, field_list, slice_info)


class NbsFile(ParticleFile):  # type: ignore[misc]
    """Some of the bodies, [start, end) in the order of the frame."""

    def __init__(self, ds: Any, io: Any, filename: str, file_id: int, range: Any = None) -> None:
        super().__init__(ds, io, filename, file_id, range)
        self.start, self.end = (min(k, ds.frame.n) for k in range or (0, ds.frame.n))


class NbsDataset(ParticleDataset):  # type: ignore[misc]
    """A frame of a stream."""

    _index_class = ParticleIndex
    _file_class = NbsFile
    _field_info_class = NbsFieldInfo
    _particle_mass_name = "particle_mass"
    _particle_coordinates_name = "particle_position"
    _particle_velocity_name = "particle_velocity"

    def __init__(
        self,
        filename: str,
        dataset_type: str = "nbs",
        frame: int = -1,
        units_override: Any = None,
        unit_system: str = "cgs",
        index_order: Any = None,
        index_filename: Optional[str] = None,
        default_species_fields: Any = None,
    ) -> None:
        self.frame = open_stream(filename)[frame]
        if self.frame.n == 0:
            raise ValueError(f"{filename}: frame {self.frame.number} has no bodies")
        # yt keeps its index of large datasets next to the file: one for each frame.
        super().__init__(
            filename, dataset_type, units_override, unit_system, index_order,
            index_filename or f"{filename}.{self.frame.number}.ewah", default_species_fields,
        )  # fmt: skip

    def _parse_parameter_file(self) -> None:
        frame = self.frame
        self.dimensionality, self.refine_by, self.file_count = 3, 2, 1
        self.filename_template = self.parameter_filename.replace("%", "%%")
        self.parameters.update(
            frame=frame.number, step=frame.step, G=frame.G, softening=frame.softening, units=frame.units.name,
            history=frame.history,
        )  # fmt: skip
        self.domain_left_edge, self.domain_right_edge = bounding_cube(frame.pos).T
        self.domain_dimensions = np.ones(3, "int32")
        self._periodicity = (False, False, False)
        self.current_time = frame.time
        self.cosmological_simulation = 0
        self.current_redshift = self.omega_lambda = self.omega_matter = self.hubble_constant = 0.0
        self.groups: Dict[str, Optional[int]] = {"io": None}
        if "component" in frame:
            self.groups = {component_name(int(k)): int(k) for k in np.unique(frame.component)}
        self.particle_types = self.particle_types_raw = tuple(self.groups)

    def _set_code_unit_attributes(self) -> None:
        units, known = self.frame.units, self.frame.units.is_physical
        self.length_unit = self.quan(units.length_cgs if known else 1.0, "cm")
        self.mass_unit = self.quan(units.mass_cgs if known else 1.0, "g")
        self.time_unit = self.quan(units.time_cgs if known else 1.0, "s")
        self.velocity_unit = self.length_unit / self.time_unit

    @classmethod
    def _is_valid(cls, filename: str, *arguments: Any, **options: Any) -> bool:
        try:
            with open(filename, "rb") as file:
                return file.read(len(MAGIC_FRAME)) == MAGIC_FRAME
        except OSError:
            return False


class NbsIOHandler(BaseParticleIOHandler):  # type: ignore[misc]
    """Reads columns of some bodies."""

    _dataset_type = "nbs"

    def __init__(self, ds: Any) -> None:
        super().__init__(ds)
        self._frame, self._groups = ds.frame, ds.groups
        self._names = {yt_name(name): name for name in ds.frame.columns}
        self._vector_fields = {field: 3 for field, name in self._names.items() if ds.frame[name].ndim == 2}

    def _bodies(self, data_file: Any, ptype: str) -> Any:
        """Returns the mask of the file's bodies of one type."""
        number = self._groups[ptype]
        own = self._frame.component[data_file.start : data_file.end] if number is not None else None
        return slice(None) if own is None else own == number

    def _values(self, data_file: Any, ptype: str, field: str) -> Any:
        array = self._frame[self._names[field]][data_file.start : data_file.end]
        return array[self._bodies(data_file, ptype)].astype(np.float64)

    def _count_particles(self, data_file: Any) -> Dict[str, int]:
        start, end = data_file.start or 0, data_file.end
        end = self._frame.n if end is None else min(end, self._frame.n)
        if None in self._groups.values():
            return {"io": max(0, end - start)}
        counts = np.bincount(self._frame.component[start:end], minlength=256)
        return {name: int(counts[number]) for name, number in self._groups.items()}

    def _identify_fields(self, data_file: Any) -> Tuple[List[Tuple[str, str]], Dict[Any, Any]]:
        return [(ptype, field) for ptype in self._groups for field in self._names], {}

    def _yield_coordinates(self, data_file: Any, needed_ptype: Optional[str] = None) -> Iterator[Tuple[str, Any]]:
        for ptype in self._groups:
            if needed_ptype in (None, ptype):
                yield ptype, self._values(data_file, ptype, "particle_position")

    def _read_particle_coords(self, chunks: Any, ptf: Any) -> Iterator[Tuple[str, Any, float]]:
        for data_file in self._sorted_chunk_iterator(chunks):
            for ptype in sorted(ptf):
                pos = self._values(data_file, ptype, "particle_position")
                yield ptype, tuple(pos.T.copy()), 0.0

    def _read_particle_data_file(self, data_file: Any, ptf: Any, selector: Any = None) -> Dict[Tuple[str, str], Any]:
        data = {}
        for ptype, fields in sorted(ptf.items()):
            pos = self._values(data_file, ptype, "particle_position")
            mask = selector.select_points(*pos.T.copy(), 0.0) if selector else slice(None)
            for field in fields if mask is not None else ():
                data[ptype, field] = self._values(data_file, ptype, field)[mask]
        return data

    def _sorted_chunk_iterator(self, chunks: Any) -> Iterator[Any]:
        files = {f for chunk in chunks for obj in chunk.objs for f in obj.data_files}
        yield from sorted(files, key=lambda f: (f.filename, f.start))

"""Streams in pynbody: after ``import nbstream.pynbody``, ``pynbody.load("run.nbs", frame=-1)`` reads a frame of one.

Columns are read when they are used. Families and names of arrays are those of ``frame.to_pynbody()``: id is
``iord``, softening is ``eps``, bodies are ordered by family.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional

import numpy as np
from pynbody import family
from pynbody.snapshot import SimSnap

from .convert import families, pynbody_array, pynbody_name, pynbody_properties
from .layout import MAGIC_FRAME
from .reader import open as open_stream


class NbsSnap(SimSnap):  # type: ignore[misc]
    """A frame of a stream."""

    def __init__(self, filename: Any, frame: int = -1) -> None:
        super().__init__()
        self._filename = os.fspath(filename)
        self.frame = open_stream(self._filename)[frame]
        groups = families(self.frame)
        self._order = np.concatenate(list(groups.values()))
        begin = 0
        for name, indices in groups.items():
            self._family_slice[family.get_family(name)] = slice(begin, begin + len(indices))
            begin += len(indices)
        self._num_particles = begin
        self._columns = {pynbody_name(name): name for name in self.frame.columns}
        if self.frame.softening > 0:
            self._columns.setdefault("eps", "")  # of all bodies, from the header
        self.properties.update(pynbody_properties(self.frame))
        self._decorate()

    def loadable_keys(self, fam: Optional[Any] = None) -> List[str]:
        """Names of the arrays, the same for all families."""
        return list(self._columns)

    def _load_array(self, array_name: str, fam: Optional[Any] = None) -> None:
        if array_name not in self._columns:
            raise OSError(f"no array '{array_name}' in the file")
        order = self._order if fam is None else self._order[self._family_slice[fam]]
        values = pynbody_array(self.frame, self._columns[array_name], order)
        (self if fam is None else self[fam])[array_name] = values

    @classmethod
    def _can_load(cls, f: Any) -> bool:
        try:
            with open(f, "rb") as file:
                return file.read(len(MAGIC_FRAME)) == MAGIC_FRAME
        except OSError:
            return False

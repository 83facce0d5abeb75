"""Snapshots of N-body runs in Python: the stream of nbtools (nbs(5)), and its programs.

>>> import nbstream
>>> frame = nbstream.Frame(mass=[1, 2], pos=[[0, 0, 0], [1, 0, 0]], vel=[[0, 0, 0], [0, 1, 0]], units="solar")
>>> frame.units.name, round(frame.G, 6)
('solar', 39.476926)

``open`` and ``frames`` read streams, ``write`` and ``Writer`` write them. README.md next to the package has
examples.
"""

from .errors import DamagedError, DamageWarning, StreamError, ToolError, ToolWarning
from .events import Event
from .frame import Frame
from .incoming import frames
from .layout import COMPONENTS, Header, History
from . import programs
from .pipeline import Pipeline, gen, pipe, run, stat
from .reader import Stream, open
from .shown import Picture
from .table import Table
from .units import SYSTEMS, Units, make_units, parse_unit
from .version import __version__
from .writer import Writer, write

__all__ = [
    "COMPONENTS",
    "SYSTEMS",
    "DamageWarning",
    "DamagedError",
    "Event",
    "Frame",
    "Header",
    "History",
    "Picture",
    "Pipeline",
    "Stream",
    "StreamError",
    "Table",
    "ToolError",
    "ToolWarning",
    "Units",
    "Writer",
    "__version__",
    "frames",
    "gen",
    "make_units",
    "open",
    "parse_unit",
    "pipe",
    "programs",
    "run",
    "stat",
    "write",
]

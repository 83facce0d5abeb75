"""The version, that of the programs."""

__version__ = "0.1.0"

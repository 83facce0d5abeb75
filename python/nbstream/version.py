"""The version, equal to the version of the programs."""

__version__ = "0.1.0"

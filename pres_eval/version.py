"""The number of this version, which the build reads."""

__version__ = "4.0.0"

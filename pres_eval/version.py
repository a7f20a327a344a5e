"""The number of this version, which the build reads."""

__version__ = "5.0.0"

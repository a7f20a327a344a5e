"""The number of this version, which the build reads."""

__version__ = "3.0.0"

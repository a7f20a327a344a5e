"""The number of this version, which the build reads."""

__version__ = "2.21.0"

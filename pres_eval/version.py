"""The number of this version, which the build reads."""

__version__ = "4.1.0"

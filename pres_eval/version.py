"""Which version this is: the build reads it here."""

__version__ = "2.10.1"

"""Files whose columns --columns names, or whose grades are words that --grades explains.

The options hold for all files that a command reads: `using` sets them, and `source_at` gives each file its
naming, which goes with the file to threads, processes and clusters.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from pres_eval.reading.file import File
from pres_eval.reading.headings import NO_NAMING, Naming

_CURRENT: ContextVar[Naming] = ContextVar("naming", default=NO_NAMING)
"""The naming of the block of `using` that runs now."""


_NOTHING_NAMED = contextlib.nullcontext()


def using(naming: Naming) -> contextlib.AbstractContextManager[None]:
    """Return a context manager inside which files and tables are read with these columns and grades.

    If nothing is named, all calls share one that does nothing: small calls would notice a new one each time.
    """
    if naming is NO_NAMING:
        return _NOTHING_NAMED
    return _set_current(naming)


@contextlib.contextmanager
def _set_current(naming: Naming) -> Iterator[None]:
    """Let `current_naming` return these columns and grades inside the block."""
    token = _CURRENT.set(naming)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_naming() -> Naming:
    """Return the columns and grades that the options name for all files."""
    return _CURRENT.get()


def named(file: File) -> File:
    """Give the file the columns and grades that the options name, and return it."""
    file.naming = current_naming()
    return file

"""Files whose columns --columns names, or whose grades are words that --grades explains.

The options hold for all files that a command reads: `using` sets them, and `source_at` gives each file its
naming, which goes with the file to threads, processes and clusters.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from pres_eval.reading.headings import NO_NAMING, Naming
from pres_eval.reading.source import Source
from pres_eval.reading.streams import OpenFile

_CURRENT: ContextVar[Naming] = ContextVar("naming", default=NO_NAMING)


@contextlib.contextmanager
def using(naming: Naming) -> Iterator[None]:
    """Read files and tables with these columns and grades inside the block."""
    token = _CURRENT.set(naming)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_naming() -> Naming:
    """Return the columns and grades that the options name."""
    return _CURRENT.get()


class NamedSource(Source):
    """A file with the columns and grades that the options name."""

    def __init__(self, source: Source, naming: Naming) -> None:
        super().__init__(source.path, source.name)
        self.may_be_compressed = source.may_be_compressed
        self.naming = naming
        self._source = source

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedSource, (self._source, self.naming)

    def size(self) -> int | None:
        """Return bytes of the file on disk, None for a pipe."""
        return self._source.size()

    def for_jumps(self) -> Any:
        """Return a path or an open file, for a reader that jumps about in the file."""
        return self._source.for_jumps()

    def _open(self) -> OpenFile:
        self._source.watch(self._progress)
        return self._source._open()


def named(source: Source) -> Source:
    """Return the file with the columns and grades that the options name, if they name any."""
    naming = current_naming()
    return source if naming == NO_NAMING else NamedSource(source, naming)


def naming_of_source(source: Source) -> Naming:
    """Return the columns and grades that the options name for a file."""
    return source.naming if isinstance(source, NamedSource) else NO_NAMING

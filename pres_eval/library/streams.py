"""Open files as sources: the formats of the command, read from an object with `read`."""

from __future__ import annotations

import io
from functools import cached_property
from typing import Any, cast

from pres_eval.errors import InputError
from pres_eval.reading import streams
from pres_eval.reading.source import Source


class FileObject(Source):
    """An open file, binary or text; it is read to its end when it is first used, and not closed."""

    def __init__(self, stream: Any, name: str) -> None:
        super().__init__(name)
        self._stream = stream

    def size(self) -> int | None:
        """Return bytes, as far as they are known before reading."""
        return len(self._bytes)

    @cached_property
    def _bytes(self) -> bytes:
        """Return all of it, read once; raise InputError for an object that reads something else."""
        data = self._stream.read()
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogateescape")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InputError(
                self.name,
                None,
                f"an open file that reads {type(data).__name__}",
                "one that reads bytes or text",
            )
        return bytes(data)

    def _open(self) -> streams.OpenFile:
        return streams.OpenFile(cast(streams.RawStream, io.BytesIO(self._bytes)), self._progress)


def name_of(stream: Any, otherwise: str) -> str:
    """Return the name of an open file."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else otherwise

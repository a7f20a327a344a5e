"""The text of compressed files: gzip, bzip2, xz, and zstd where a package for it is there.

A file may hold several streams one after the other, as `cat a.xz b.xz` makes them; the text is that of all.
Whatever is not a whole stream is an error: damage behind the first stream is never taken for the end.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from pres_eval.errors import DamagedError, extra_module, plural

READ_AT_ONCE = 1 << 18
"""Compressed bytes that are read at a time."""

XZ_MEMORY = 512 << 20
"""The most memory that an xz file may ask for; `xz -9` asks for 65 MB."""

ZSTANDARD_AT_ONCE = 1 << 10
"""Compressed bytes per call of the zstandard package, which returns all of their text at once.

Four bytes may encode a block of 128 KiB, so that 1,024 bytes become 32 MiB at most.
"""


class Readable(Protocol):
    """Source of the compressed bytes."""

    def read(self, size: int, /) -> bytes:
        """Return some bytes, at most `size`; none at the end."""


class Decompressor(Protocol):
    """The decompressor of one stream, as the standard library's are for bzip2 and xz."""

    @property
    def eof(self) -> bool:
        """Return whether the stream has ended, and all of its text was returned."""

    @property
    def needs_input(self) -> bool:
        """Return whether it has returned the text of all bytes that it was given."""

    @property
    def unused_data(self) -> bytes:
        """Return the bytes after the end of the stream."""

    def decompress(self, data: bytes, most: int, /) -> bytes:
        """Return up to `most` bytes of text of these compressed bytes and those left from earlier calls."""


@dataclass(frozen=True)
class Compression:
    """A compressed format.

    name     as messages call it
    stream   makes the decompressor of one stream
    errors   the exceptions that a decompressor raises for damaged data
    padding  NULs may follow a stream, in a number that is a multiple of this; 0: none may
    """

    name: str
    stream: Callable[[], Decompressor]
    errors: tuple[type[Exception], ...]
    padding: int = 0


class Decompressed:
    """Stream of the text of a compressed file, which has one stream of compressed data or several."""

    def __init__(self, compressed: Readable, format: Compression) -> None:
        self._compressed = compressed
        self._format = format
        self._stream = format.stream()

    def readinto(self, view: memoryview) -> int:
        """Read as io's readinto does; raise DamagedError where the file is not whole."""
        while True:
            if self._stream.eof:
                data = self._next_stream()
                if not data:
                    return 0
                self._stream = self._format.stream()
            elif self._stream.needs_input:
                data = self._compressed.read(READ_AT_ONCE)
                if not data:
                    raise DamagedError(f"{self._format.name}: the data is cut off")
            else:
                data = b""
            try:
                text = self._stream.decompress(data, len(view))
            except self._format.errors as error:
                raise DamagedError(f"{self._format.name}: {error}") from None
            if text:
                view[: len(text)] = text
                return len(text)

    def _next_stream(self) -> bytes:
        """Return the first bytes of the next stream, behind the padding; none at the end of the file."""
        data = self._stream.unused_data or self._compressed.read(READ_AT_ONCE)
        if not self._format.padding:
            return data
        num_nuls = 0
        while data:
            behind_nuls = data.lstrip(b"\0")
            num_nuls += len(data) - len(behind_nuls)
            data = behind_nuls
            if data:
                break
            data = self._compressed.read(READ_AT_ONCE)
        if num_nuls % self._format.padding:
            raise DamagedError(f"{self._format.name}: {plural(num_nuls, 'NUL')} behind a stream")
        return data


class _Gzip:
    """zlib's decompressor of a gzip stream, as a Decompressor."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)
        self.needs_input = True
        self.eof = False
        self.unused_data = b""

    def decompress(self, data: bytes, most: int) -> bytes:
        """Return up to `most` bytes of text of these compressed bytes and those left from earlier calls."""
        member = self._member
        text = member.decompress(data or member.unconsumed_tail, most)
        # If it returned as much as was asked for, zlib may have more text although it took all bytes.
        self.needs_input = not member.unconsumed_tail and len(text) < most
        self.eof = member.eof
        self.unused_data = member.unused_data
        return text


class _Zstandard:
    """The zstandard package's decompressor of a frame, as a Decompressor: it limits the text of a call."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._data = self._text = memoryview(b"")
        """Compressed bytes that the frame was not given yet, and text that was not returned yet."""
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        """Return whether the frame has ended, and all of its text was returned."""
        return self._frame.eof and not self._text

    @property
    def needs_input(self) -> bool:
        """Return whether it has returned the text of all bytes that it was given."""
        return not (self._data or self._text or self._frame.eof)

    def decompress(self, data: bytes, most: int) -> bytes:
        """Return up to `most` bytes of text of these compressed bytes and those left from earlier calls."""
        if data:
            self._data = memoryview(data)
        while self._data and not self._text and not self._frame.eof:
            piece, self._data = self._data[:ZSTANDARD_AT_ONCE], self._data[ZSTANDARD_AT_ONCE:]
            self._text = memoryview(self._frame.decompress(piece))
            if self._frame.eof:
                self.unused_data = self._frame.unused_data + bytes(self._data)
        text, self._text = self._text[:most], self._text[most:]
        return bytes(text)


_FORMATS = {
    "gzip": Compression("gzip", _Gzip, (zlib.error,), padding=1),
    "bzip2": Compression("bzip2", bz2.BZ2Decompressor, (OSError, ValueError)),
    "xz": Compression(
        "xz", partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, XZ_MEMORY), (lzma.LZMAError,), padding=4
    ),
}


def compression_named(kind: str, name: str) -> Compression:
    """Return the compressed format with one of the names in `streams.MAGIC`.

    name  of the file, for messages
    Raises MissingExtraError for zstd if no package is there that reads it.
    """
    if kind in _FORMATS:
        return _FORMATS[kind]
    try:
        from compression import zstd  # Python 3.14 and later

        return Compression("zstd", zstd.ZstdDecompressor, (zstd.ZstdError,))
    except ImportError:
        pass
    zstandard = extra_module("zstandard", f"{name}: reading zstd", "zstd")
    new = zstandard.ZstdDecompressor().decompressobj
    return Compression("zstd", lambda: _Zstandard(new()), (zstandard.ZstdError,))

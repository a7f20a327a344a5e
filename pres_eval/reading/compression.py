"""Compressed files, told by their first bytes: gzip, bzip2, xz, and zstd where a package for it is there."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from typing import Any, BinaryIO, cast

from pres_eval.errors import DamagedError, MissingExtraError

GZIP = 31
"""zlib's wbits for a gzip header and the largest window."""

READ_AT_ONCE = 1 << 18
"""Compressed bytes per call."""


def decompressed(stream: io.BufferedReader, name: str) -> BinaryIO:
    """What a stream holds whose first bytes are those of a compressed file.

    Reading raises DamagedError where the file is not whole.
    """
    magic = stream.peek(6)
    if magic.startswith(b"\x1f\x8b"):
        inner = cast(BinaryIO, _Gzip(stream))
    elif magic.startswith(b"BZh"):
        inner = cast(BinaryIO, bz2.BZ2File(stream))
    elif magic.startswith(b"\xfd7zXZ\x00"):
        inner = cast(BinaryIO, lzma.LZMAFile(stream))  # noqa: SIM115 - closed with the stream
    else:
        inner = cast(BinaryIO, io.BufferedReader(_Zstandard(stream, name), 1 << 18))
    return cast(BinaryIO, _Named(inner))


class _Named:
    """A stream whose errors about damaged files are all DamagedError, whatever the format."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readinto(self, view: memoryview) -> int:
        """Read as io's readinto does."""
        try:
            return self._stream.readinto(view) or 0  # type: ignore[attr-defined]
        except (EOFError, lzma.LZMAError, zlib.error) as error:
            raise DamagedError(str(error)) from None


class _Gzip:
    """The text of a gzip file of one member or several.

    The standard library's reads 8 KiB at a time, and takes half as long again beside threads that parse.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._member = zlib.decompressobj(wbits=GZIP)

    def readinto(self, view: memoryview) -> int:
        """Read as io's readinto does."""
        while True:
            if self._member.eof:
                # Padding with NULs behind a member is allowed, as on tapes.
                data = self._member.unused_data.lstrip(b"\0") or self._stream.read(READ_AT_ONCE).lstrip(b"\0")
                if not data:
                    return 0
                self._member = zlib.decompressobj(wbits=GZIP)
            else:
                data = self._member.unconsumed_tail or self._stream.read(READ_AT_ONCE)
                if not data:
                    raise EOFError("gzip file ended before its end was reached")
            text = self._member.decompress(data, len(view))
            if text:
                view[: len(text)] = text
                return len(text)


class _Zstandard(io.RawIOBase):
    """The text of a zstd file of one frame or several.  zstandard's own reader misses a lost end."""

    def __init__(self, stream: io.BufferedReader, name: str) -> None:
        self._stream = stream
        self._new, self._error = _zstandard(name)
        self._frame = self._new()
        self._begun = False
        self._text = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, view: memoryview) -> int:  # type: ignore[override]
        while not self._text:
            data = self._frame.unused_data if self._frame.eof else b""
            data = data or self._stream.read1(1 << 17)
            if not data:
                if self._begun and not self._frame.eof:
                    raise EOFError("zstd file ended before its end was reached")
                return 0
            if self._frame.eof:
                self._frame = self._new()
            self._begun = True
            try:
                self._text = memoryview(self._frame.decompress(data))
            except self._error as error:
                raise DamagedError(str(error)) from None
        count = min(len(view), len(self._text))
        view[:count] = self._text[:count]
        self._text = self._text[count:]
        return count


def _zstandard(name: str) -> tuple[Any, type[Exception]]:
    """What makes a decompressor of one frame, and the error it raises."""
    try:
        from compression import zstd  # Python 3.14 and later

        return zstd.ZstdDecompressor, zstd.ZstdError
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError(f"{name}: reading zstd", "zstandard", "zstd") from None
    return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError

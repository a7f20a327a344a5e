"""A path, `-` or a pipe, compressed or not, as chunks of whole lines."""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import PADDING
from pres_eval.errors import DamagedError, InputError
from pres_eval.reading.memory import keep_freed_memory

CHUNK = 1 << 20
"""Bytes read at a time: the arrays made of it stay in the processor's cache."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

MAGIC = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
"""What compressed files begin with."""

Progress = Callable[[int], None]
"""Is told how many more bytes of the file were read."""

CutPlace = Callable[[bytearray, int, int], int]
"""Where to cut the text buffer[start:stop]: the index behind the last line of the chunk, at most stop."""


def behind_last_line(buffer: bytearray, start: int, stop: int) -> int:
    """Cut behind the last newline."""
    return buffer.rfind(b"\n", start, stop) + 1


@dataclass
class Chunk:
    """Whole lines: `buffer[start:stop]`, the last byte a newline, with PADDING spare bytes on either side."""

    buffer: bytearray
    start: int
    stop: int

    def array(self) -> NDArray[np.uint8]:
        """The buffer as bytes; the text is [start:stop] of it."""
        return np.frombuffer(self.buffer, np.uint8)


class Source:
    """A file that can be read several times, even when it is a pipe (what was read of it is kept on disk)."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self._progress: Progress | None = None
        self._pipe: _Pipe | None = None
        self._first_byte: int | None = None
        self._free: list[bytearray] = []

    def chunks(self, size: int = CHUNK, cut_place: CutPlace = behind_last_line) -> Iterator[Chunk]:
        """The file from its start, in chunks of whole lines of about `size` bytes."""
        try:
            stream, close = self._open()
        except OSError as error:
            raise InputError(self.name, None, f"cannot be read ({_reason(error)})") from None
        try:
            yield from self._split(self._decompressed(stream), size, cut_place)
        except (OSError, DamagedError) as error:
            raise InputError(self.name, None, f"cannot be read ({_reason(error)})") from None
        finally:
            close()

    def _decompressed(self, stream: io.BufferedReader) -> BinaryIO:
        if not stream.peek(6).startswith(MAGIC):
            return cast(BinaryIO, stream)
        from pres_eval.reading.compression import decompressed  # takes a while to import

        return decompressed(stream, self.name)

    def watch(self, progress: Progress) -> None:
        """Tell somebody how many bytes of the file on disk are read, whenever some were."""
        self._progress = progress

    def give_back(self, chunk: Chunk) -> None:
        """Let the next chunk use this one's memory."""
        self._free.append(chunk.buffer)

    def size(self) -> int | None:
        """Bytes of the file on disk, None for a pipe."""
        try:
            status = os.fstat(sys.stdin.fileno()) if self.path == "-" else os.stat(self.path)  # noqa: PTH116
        except (OSError, ValueError):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def _open(self) -> tuple[io.BufferedReader, Callable[[], None]]:
        raw: _Readable
        close = _nothing
        if self._pipe is not None:
            self._pipe.rewind()
            raw = self._pipe
        elif self.path == "-":
            raw = cast(_Readable, sys.stdin.buffer)
            if self.size() is not None:
                # Whoever started us may have read some lines of it.
                place = sys.stdin.buffer.tell() if self._first_byte is None else self._first_byte
                self._first_byte = sys.stdin.buffer.seek(place)
        else:
            try:
                # Closed by whoever iterates over the chunks, or with the source if it is a pipe.
                file = open(self.path, "rb", buffering=0)  # noqa: PTH123, SIM115 - pathlib takes 3 ms to import
            except OSError as error:
                raise InputError(self.name, None, _reason(error), "a file that can be read") from None
            raw, close = cast(_Readable, file), file.close
        if self._pipe is None and self.size() is None:
            raw = self._pipe = _Pipe(raw)
            weakref.finalize(self, close)
            close = _nothing
        return io.BufferedReader(_Tap(raw, self._progress), CHUNK // 4), close

    def _split(self, stream: BinaryIO, size: int, cut_place: CutPlace) -> Iterator[Chunk]:
        carried: bytes | memoryview = b""
        first, at_end = True, False
        size = max(size, len(BYTE_ORDER_MARK))
        while not at_end:
            buffer = self._buffer(PADDING + len(carried) + size + PADDING)
            stop = PADDING + len(carried)
            buffer[PADDING:stop] = carried
            count = _fill(stream, buffer, stop, len(buffer) - PADDING)
            at_end = stop + count < len(buffer) - PADDING
            start, stop = PADDING, stop + count
            if first:
                if buffer.startswith(BYTE_ORDER_MARK, start, stop):
                    start += len(BYTE_ORDER_MARK)
                if start == stop:
                    raise InputError(self.name, None, "the file is empty", "lines of text")
                first = False
            if at_end and stop > start and buffer[stop - 1] != ord("\n"):
                buffer[stop] = ord("\n")
                stop += 1
            cut = stop if at_end else cut_place(buffer, start, stop)
            carried = bytes(memoryview(buffer)[max(cut, start) : stop])
            if cut > start:
                yield Chunk(buffer, start, cut)
                if not at_end:
                    keep_freed_memory()

    def _buffer(self, size: int) -> bytearray:
        """A buffer of at least this size; one that was given back if there is one."""
        while self._free:
            buffer = self._free.pop()
            if len(buffer) >= size:
                return buffer
        return bytearray(size + size // 8)


class _Readable(Protocol):
    """What a stream has to offer here."""

    def readinto(self, view: memoryview, /) -> int | None:
        """Read some bytes into the view, and give their number; 0 at the end."""


class _Pipe:
    """A stream that can be read again from its start, because what was read of it is kept on disk."""

    def __init__(self, raw: _Readable) -> None:
        self._raw = raw
        self._copy: BinaryIO | None = _temporary_file()
        self._again = False
        weakref.finalize(self, self._copy.close)

    def rewind(self) -> None:
        """Start again: first what was read before, then the rest of the stream."""
        if self._copy is None:
            raise OSError(
                "its lines are in no order, and there was no room on disk to keep it for a second look"
            )
        self._copy.seek(0)
        self._again = True

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if self._again and self._copy is not None:
            count = self._copy.readinto(view)  # type: ignore[attr-defined]
            if count:
                return int(count)
            self._again = False
        count = self._raw.readinto(view) or 0
        try:
            if self._copy is not None:
                self._copy.write(view[:count])
        except OSError:  # no room: the copy is wanted only if topics don't stand together
            self._copy = None
        return count


class _Tap(io.RawIOBase):
    """Passes a stream on, and tells how much was read."""

    def __init__(self, raw: _Readable, progress: Progress | None) -> None:
        self._raw = raw
        self._progress = progress

    def readable(self) -> bool:
        return True

    def readinto(self, view: memoryview) -> int:  # type: ignore[override]
        count = self._raw.readinto(view) or 0
        if self._progress is not None:
            self._progress(count)
        return count


def _fill(stream: BinaryIO, buffer: bytearray, start: int, stop: int) -> int:
    """Read until the place is full or the stream ends (pipes give a little at a time)."""
    filled = start
    with memoryview(buffer) as view:
        while filled < stop:
            count = stream.readinto(view[filled:stop])  # type: ignore[attr-defined]
            if not count:
                break
            filled += count
    return filled - start


def _temporary_file() -> BinaryIO:
    import tempfile

    return cast(BinaryIO, tempfile.TemporaryFile())


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a directory"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


def _nothing() -> None:
    """What there is to close when the stream is not ours."""

"""A path, `-` or a pipe, compressed or not, as chunks of whole lines."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import weakref
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, cast

import numpy as np

from pres_eval.arrays import PADDING, Bytes
from pres_eval.errors import DamagedError, EmptyFileError, InputError
from pres_eval.reading.memory import keep_freed_memory
from pres_eval.reading.streams import (
    LONGEST_LINE,
    OpenFile,
    Pipe,
    Progress,
    RawStream,
    Version,
    compression_of,
    fill,
    in_the_end,
    long_line,
    readable,
    reason,
    version_of,
)
from pres_eval.records import dataclass

CHUNK = 1 << 21
"""Bytes read at a time.

The smaller, the better do the arrays made of it fit into the processor's cache; the larger, the less often do
threads wait for Python's lock, which only the long calls of numpy go without.  For two threads this is best.
"""

HEAD = 1 << 16
"""Bytes by which formats are recognised."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

CutPlace = Callable[[bytearray, int, int], int]
"""Function that finds the cut of the text buffer[start:stop]: the index behind its last line."""


def behind_last_line(buffer: bytearray, start: int, stop: int) -> int:
    """Cut behind the last newline."""
    return buffer.rfind(b"\n", start, stop) + 1


@dataclass(frozen=True, eq=False)
class Chunk:
    """Whole lines: `buffer[start:stop]`, the last byte a newline, with PADDING spare bytes on either side."""

    buffer: bytearray
    start: int
    stop: int

    def array(self) -> Bytes:
        """Return (n,) the buffer as bytes; the text is [start:stop] of it."""
        return np.frombuffer(self.buffer, np.uint8)

    def text(self) -> bytes:
        """Return the lines, copied."""
        return bytes(memoryview(self.buffer)[self.start : self.stop])


NO_CHUNK = Chunk(bytearray(), 0, 0)
"""Instead of one whose text nobody needs any more."""


class Source:
    """A file that can be read several times, even a pipe (whose bytes are kept on disk once read)."""

    may_be_compressed = True

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path = path
        self.name = name or ("<stdin>" if path == "-" else path)
        self.final_newline = True
        """Whether the last line was found to end in a newline, once the file was read."""
        self.has_mark = False
        """Whether it begins with a byte order mark, once its beginning was read."""
        self._mark = BYTE_ORDER_MARK
        self._progress: Progress | None = None
        self._pipe: Pipe | None = None
        self._first_byte: int | None = None
        self._version: Version | None = None
        self._free: list[bytearray] = []

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process opens the file for itself, from another folder.
        path = self.path if self.path == "-" else os.path.abspath(self.path)  # noqa: PTH100
        return type(self), (path, self.name)

    def chunks(
        self, size: int = CHUNK, cut_place: CutPlace = behind_last_line
    ) -> Generator[Chunk, None, None]:
        """Yield the file from its start, in chunks of whole lines of about `size` bytes.

        Raises InputError for a file that can't be read or is empty, whose compressed data is damaged, that
        changes while it is read or between two readings, or with a line longer than LONGEST_LINE.
        """
        with self._read() as (file, stream):
            if stream is file and file.size:  # memory that a small file does not fill takes time
                size = min(size, file.size + 1)
            yield from self._split(stream, size, cut_place)

    @contextlib.contextmanager
    def _read(self) -> Iterator[tuple[OpenFile, RawStream]]:
        """Open the file, and yield it with its text, decompressed.

        Raises InputError, also of the block, for what cannot be read, and if the file changes meanwhile.
        """
        try:
            with contextlib.closing(self._open()) as file, in_the_end(lambda: self.agree(file.version())):
                kind = compression_of(file) if self.may_be_compressed else None
                if kind is None:
                    yield file, file
                else:
                    from pres_eval.reading.compression import Decompressed, compression_named  # takes a while

                    yield file, Decompressed(file, compression_named(kind, self.name))
        except (OSError, DamagedError) as error:
            raise self.unreadable(error) from None

    def starts_with(self, magic: bytes) -> bool:
        """Return whether the file begins with some bytes as it is stored; of a pipe nothing is read."""
        if self.path == "-" or self.size() is None:
            return False
        try:
            with self.unwatched(), contextlib.closing(self._open()) as file:
                return file.peek(len(magic)) == magic
        except (OSError, InputError):
            return False  # whoever reads it says why not

    def head(self, most: int | None = HEAD) -> bytes:
        """Return the first bytes of the file, decompressed: at least a number of them, or all for None."""
        text = bytearray()
        buffer = bytearray(HEAD)
        with self._read() as (_, stream):
            while most is None or len(text) < most:
                count = fill(stream, buffer, 0, len(buffer))
                text += memoryview(buffer)[:count]
                if count < len(buffer):
                    break
        return bytes(text)

    def unreadable(self, error: Exception) -> InputError:
        """Return the error of a file that the system, or a decompressor, cannot read."""
        return InputError(self.name, None, f"cannot be read ({reason(error)})")

    def watch(self, progress: Progress | None) -> None:
        """Set who gets the number of bytes of the file on disk after each read; None: nobody.

        Copies of this process that read the file report nothing.
        """
        watching = os.getpid()

        def report(count: int) -> None:
            if progress is not None and os.getpid() == watching:
                progress(count)

        self._progress = report

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Report no reads inside the block, as they are repeated."""
        progress, self._progress = self._progress, None
        try:
            yield
        finally:
            self._progress = progress

    def advance(self, count: int) -> None:
        """Report the number of bytes read to whoever watches."""
        if self._progress is not None:
            self._progress(count)

    def give_back(self, chunk: Chunk) -> None:
        """Let the next chunk use this one's memory."""
        self._free.append(chunk.buffer)

    def free_buffers(self) -> None:
        """Give up the memory of chunks that were given back: the file has been read."""
        self._free.clear()

    def size(self) -> int | None:
        """Return bytes of the file on disk, None for a pipe."""
        try:
            status = os.fstat(sys.stdin.fileno()) if self.path == "-" else os.stat(self.path)  # noqa: PTH116
        except (OSError, ValueError, AttributeError):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def for_jumps(self) -> Any:
        """Return a path or an open file, for a reader that jumps about in the file."""
        if self.path != "-" and self.size() is not None:
            with contextlib.closing(self._open()) as file:
                if compression_of(file) is None:
                    return self.path
        return io.BytesIO(self.head(None))

    def _open(self) -> OpenFile:
        """Return the file, opened anew, or the pipe from its beginning; raise InputError."""
        if self._pipe is not None:
            self._pipe.rewind()
            return OpenFile(self._pipe, self._progress)
        if self.path == "-":
            return self._open_stdin()
        with readable(self.name):
            # Closed by whoever iterates over the chunks, or with the source if it is a pipe.
            file: Any = open(self.path, "rb", buffering=0)  # noqa: PTH123, SIM115 - pathlib takes 3 ms to import
        number = file.fileno()
        now = partial(version_of, number)
        if version := now():
            return self._checked(OpenFile(file, self._progress, file.close, now, int(version[0]), number))
        weakref.finalize(self, file.close)
        self._pipe = Pipe(file)
        return self._checked(OpenFile(self._pipe, self._progress))

    def _open_stdin(self) -> OpenFile:
        """Return standard input, from where it was when this process began."""
        if sys.stdin is None:
            raise InputError(self.name, None, "standard input is closed", "a file or a pipe")
        raw = cast(RawStream, sys.stdin.buffer)
        size = self.size()
        if size is None:
            self._pipe = Pipe(raw)
            return OpenFile(self._pipe, self._progress)
        # Whoever started us may have read some lines of it.
        place = sys.stdin.buffer.tell() if self._first_byte is None else self._first_byte
        self._first_byte = sys.stdin.buffer.seek(place)
        version = partial(version_of, sys.stdin.fileno())
        return self._checked(OpenFile(raw, self._progress, version=version, size=size - place))

    def agree(self, version: Version | None) -> None:
        """Take no other version of the file than this one from now on.

        Raises InputError if another one was read or expected before: what was read then may be half of the
        old file and half of the new one.
        """
        if self._version is not None and (version or ())[: len(self._version)] != self._version:
            raise self.changed()
        self._version = version

    def check_unchanged(self) -> None:
        """Raise InputError if the file is not the one that was read or expected; a pipe is what it is."""
        if self._pipe is None:
            self._open().close()

    def changed(self) -> InputError:
        """Return the error for two readings of the file that do not agree."""
        return InputError(
            self.name, None, "the file changed while it was read", "one that nobody writes to meanwhile"
        )

    def _checked(self, file: OpenFile) -> OpenFile:
        """Return a file that was just opened; raise InputError if it is not the one opened before."""
        try:
            self.agree(file.version())
        except InputError:
            file.close()
            raise
        return file

    def _split(self, stream: RawStream, size: int, cut_place: CutPlace) -> Iterator[Chunk]:
        """Yield chunks of about `size` bytes that end where `cut_place` cuts, the last with a newline."""
        keep_freed_memory()
        carried: bytes | memoryview = b""
        place = 0
        first, at_end = True, False
        size = max(size, len(BYTE_ORDER_MARK))
        while not at_end:
            buffer = self._buffer(PADDING + len(carried) + size + PADDING)
            stop = PADDING + len(carried)
            buffer[PADDING:stop] = carried
            count = fill(stream, buffer, stop, len(buffer) - PADDING)
            at_end = stop + count < len(buffer) - PADDING
            start, stop = PADDING, stop + count
            if first:
                if self._mark and buffer.startswith(self._mark, start, stop):
                    self.has_mark = True
                    start += len(self._mark)
                    place += len(self._mark)
                if start == stop:
                    raise EmptyFileError(self.name, None, "the file is empty", "lines of text")
                first = False
            if at_end and stop > start and buffer[stop - 1] != ord("\n"):
                self.final_newline = False
                buffer[stop] = ord("\n")
                stop += 1
            endless = long_line(buffer, start, stop)
            if endless is not None:
                if endless > start:
                    yield Chunk(buffer, start, endless)
                line = self._line_at(place + endless - start)
                found = f"a line of more than {LONGEST_LINE:,} bytes"
                raise InputError(self.name, line, found, "lines of text")
            cut = stop if at_end else cut_place(buffer, start, stop)
            carried = bytes(memoryview(buffer)[max(cut, start) : stop])
            place += max(cut, start) - start
            if cut > start:
                yield Chunk(buffer, start, cut)

    def _line_at(self, place: int) -> int | None:
        """Return the line that begins at this place in the text, None if it can't be read a second time."""
        line = 1
        buffer = bytearray(CHUNK)
        with contextlib.suppress(InputError), self._read() as (_, stream):
            while place > 0:
                count = fill(stream, buffer, 0, min(CHUNK, place))
                line += buffer.count(b"\n", 0, count)
                place = place - count if count else 0
            return line
        return None

    def _buffer(self, size: int) -> bytearray:
        """Return a buffer of at least this size; one that was given back if there is one."""
        while self._free:
            buffer = self._free.pop()
            if len(buffer) >= size:
                return buffer
        return bytearray(size + size // 8)

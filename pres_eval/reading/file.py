"""The one kind of file: a path, `-`, a pipe or an address, compressed or not, as chunks of whole lines."""

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
from pres_eval.engines.memory import keep_freed_memory
from pres_eval.engines.threads import in_order
from pres_eval.errors import DamagedError, EmptyFileError, InputError, readable, reason
from pres_eval.reading.cuts import LARGEST_TOPIC, Cut, behind_last_line
from pres_eval.reading.headings import NO_NAMING, Naming
from pres_eval.reading.streams import (
    LONGEST_LINE,
    LONGEST_MAGIC,
    OpenFile,
    Pieces,
    Pipe,
    Progress,
    RawStream,
    ReadAt,
    Version,
    compression_of,
    fill,
    in_the_end,
    long_line,
    version_of,
)
from pres_eval.records import dataclass

CHUNK = 1 << 21
"""Bytes read at a time.

The smaller, the better do the arrays made of it fit into the processor's cache; the larger, the less often do
threads wait for Python's lock, which only the long calls of numpy go without.  For two threads this is best.
"""

HEAD = 1 << 16
"""Bytes at the beginning of a file by which its format is recognised."""

CUT_WINDOW = 1 << 16
"""Bytes before a position that are read first to find where a line or a topic begins."""

REMOTE_REQUESTS = 16
"""Requests to a store that are made at a time."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Bytes that some programs write before UTF-8 text; they are no part of it."""

BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"
"""Linux' file with a text that is another one each time the machine starts."""

SHARED_VERSION_PARTS = 2
"""Parts of a version, size and time, that are the same on all machines that share a file or have copies of
it.

Numbers of devices and files hold on one machine alone, and each copy has its own change time.
"""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Whole lines of a file: buffer[start:stop], whose last byte is a newline.

    The buffer has PADDING spare bytes on either side of them.
    """

    buffer: bytearray
    start: int
    stop: int

    def array(self) -> Bytes:
        """Return all bytes of the buffer (n,), without a copy; the lines are [start:stop] of them."""
        return np.frombuffer(self.buffer, np.uint8)

    def text(self) -> bytes:
        """Return a copy of the lines."""
        return bytes(memoryview(self.buffer)[self.start : self.stop])


NO_CHUNK = Chunk(bytearray(), 0, 0)
"""Takes the place of a chunk whose text is no longer needed."""


def machine() -> str:
    """Return the name of this machine or container; on Linux with the text of BOOT_ID_FILE behind it."""
    name = ""
    if hasattr(os, "uname"):
        name = os.uname().nodename
    with contextlib.suppress(OSError), open(BOOT_ID_FILE, encoding="ascii") as file:  # noqa: PTH123
        name += file.read()
    return name


class File:
    """A file that can be read several times, even a pipe (whose bytes are kept on disk once read).

    path       a path, `-` for standard input, or an address of a store
    name       as messages call it; None: the path
    version    its state when it was opened first, None before that and for a pipe: another one is an error
    is_remote  whether fsspec opens it
    pieces     function that yields its text piece by piece; None: the file at the path has it
    """

    def __init__(
        self,
        path: str,
        name: str | None = None,
        version: Version | None = None,
        *,
        is_remote: bool = False,
        pieces: Callable[[], Iterator[bytes]] | None = None,
    ) -> None:
        self.path = path
        self.name = name or ("<stdin>" if path == "-" else path)
        self.version = version
        self.is_remote = is_remote
        self.naming = NO_NAMING
        """The columns and grades that the options name for it."""
        self.final_newline = True
        """Whether the last line was found to end in a newline, once the file was read."""
        self.has_mark = False
        """Whether it begins with a byte order mark, once its beginning was read."""
        self._pieces = pieces
        self._progress: Progress | None = None
        """Gets the number of bytes after each read; None: nobody does."""
        self._pipe: Pipe | None = None
        """The pipe that the file is; None if it is none, or was not opened yet."""
        self._open_descriptor: int | None = None
        """The system's number of the open file inside `kept_open`; None outside."""
        self._stdin_start: int | None = None
        """The position of standard input, if it is a file, when it was opened first; None before that."""
        self._free_buffers: list[bytearray] = []
        """Memory of chunks that were given back."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process may run in another folder.
        path = self.path
        is_path = not self.is_remote and self._pieces is None and path != "-"
        if is_path:
            path = os.path.abspath(path)  # noqa: PTH100
        arguments = path, self.name, self.version, machine(), self.is_remote, self._pieces, self.naming
        return _file_from, arguments

    # What is known of it

    def size(self) -> int | None:
        """Return the number of bytes of the file as it is stored; None for a pipe, or if it is not there."""
        if self.is_remote and self.version is not None:
            return int(self.version[0])
        try:
            status = os.fstat(sys.stdin.fileno()) if self.path == "-" else os.stat(self.path)  # noqa: PTH116
        except (OSError, ValueError, AttributeError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_size

    def starts_with(self, magic: bytes) -> bool:
        """Return whether the file begins with some bytes as it is stored; False for a pipe."""
        if self.path == "-" or self.size() is None:
            return False
        try:
            with contextlib.closing(self._open_checked(0, len(magic))) as opened:
                return opened.read(len(magic)) == magic
        except (OSError, InputError):
            return False  # reading it will raise the error

    def compression(self) -> str | None:
        """Return how the file is compressed, None if it is not; it must be no pipe.  Raises InputError."""
        try:
            with contextlib.closing(self._open_checked(0, LONGEST_MAGIC)) as opened:
                return compression_of(opened)
        except OSError as error:
            raise self.read_error(error) from None

    def head(self, least: int | None = HEAD) -> bytes:
        """Return the first bytes of the file, decompressed.

        least  at least so many are returned if the file has them; None: all
        """
        text = bytearray()
        buffer = bytearray(HEAD)
        with self._text() as (_, stream):
            while least is None or len(text) < least:
                count = fill(stream, buffer, 0, len(buffer))
                text += memoryview(buffer)[:count]
                if count < len(buffer):
                    break
        return bytes(text)

    def for_jumps(self) -> Any:
        """Return a path or an open file, for a reader that jumps to and fro in it.

        A file in a store is opened there; compressed files and pipes are read into memory.
        """
        if self.is_remote:
            from pres_eval.reading.storage import system_of

            self.check_unchanged()
            system, path = system_of(self.path)
            return system.open(path, "rb")
        if self.path != "-" and self.size() is not None:
            with contextlib.closing(self._open_checked()) as opened:
                if compression_of(opened) is None:
                    return self.path
        return io.BytesIO(self.head(None))

    # Its text

    def splits(self, cut: Cut, size: int) -> list[tuple[int, int | None]]:
        """Return ranges of about `size` bytes that end where `cut` cuts, as arguments of `chunks`.

        A compressed file is one range; a pipe has none.
        Raises InputError for a file that cannot be read, and what `cut` raises.
        """
        if self.compression() is not None:
            return [(0, None)]
        num_bytes = self.size() or 0
        nominal_ends = range(size, num_bytes, size)
        if self.is_remote:
            ends = list(in_order(partial(self.cut_at, cut=cut), nominal_ends, REMOTE_REQUESTS))
        else:
            ends = [self.cut_at(position, cut) for position in nominal_ends]
        ranges: list[tuple[int, int | None]] = []
        start = 0
        for stop in (*ends, num_bytes):
            if stop > start:  # a topic may be larger than `size`, and in no order it may come again
                ranges.append((start, stop))
                start = stop
        return ranges

    def cut_at(self, position: int, cut: Cut) -> int:
        """Return where `cut` cuts the text before a position of a plain file: a line or a topic begins there.

        CUT_WINDOW bytes before the position are read, and then four times as many, again and again, until
        they have a whole line or topic.
        """
        window, largest_window = CUT_WINDOW, LARGEST_TOPIC + LONGEST_LINE
        while True:
            start = max(position - window, 0)
            text = self._bytes(start, position)
            first_line = 0
            if start:
                first_line = text.find(b"\n") + 1  # 0: all of it is one line
            cut_position = cut(text, first_line, len(text))
            has_whole_lines = first_line > 0 and cut_position > first_line
            if not start or has_whole_lines:
                return start + cut_position
            has_long_line = window > LONGEST_LINE and not first_line
            if window == largest_window or has_long_line:
                return position  # reading what is before will raise the error of a line that is too long
            window = min(4 * window, largest_window)

    def chunks(
        self,
        start: int = 0,
        stop: int | None = None,
        cut: Cut = behind_last_line,
        size: int = CHUNK,
    ) -> Generator[Chunk, None, None]:
        """Yield the text in chunks of whole lines of about `size` bytes that end where `cut` cuts.

        start, stop  one of the `splits`; None: the file is read to its end, and may be compressed
        Raises InputError for a file that can't be read or is empty, whose compressed data is damaged, that
        changes while it is read or between two readings, or with a line longer than LONGEST_LINE; and what
        `cut` raises.
        """
        with self._text(start, stop) as (opened, stream):
            if stream is opened:  # memory that a small file does not fill takes time
                available = opened.left
                if available is None:
                    available = opened.size or size
                size = min(size, available + 1)  # one more, so that the first read meets the end
            yield from self._chunks_of(stream, start, size, cut)

    def give_back(self, chunk: Chunk) -> None:
        """Let the next chunk use this one's memory."""
        self._free_buffers.append(chunk.buffer)

    def free_buffers(self) -> None:
        """Give up the memory of chunks that were given back: the file has been read."""
        self._free_buffers.clear()

    # Progress of reading, and changes of the file

    def watch(self, progress: Progress | None) -> None:
        """Call `progress` after each read with the number of bytes that were read, which may be compressed.

        It is not called for ranges, nor for what copies of this process read.  None: nothing is called.
        """
        process = os.getpid()

        def report(count: int) -> None:
            if progress is not None and os.getpid() == process:
                progress(count)

        self._progress = report

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Call no `progress` inside the block, in which bytes are read again."""
        progress, self._progress = self._progress, None
        try:
            yield
        finally:
            self._progress = progress

    def advance(self, count: int) -> None:
        """Call `progress` with this number of bytes, which were read elsewhere."""
        if self._progress is not None:
            self._progress(count)

    @contextlib.contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the file open inside the block, so that copies of this process read it even if it was renamed.

        Raises InputError for a pipe or a device, which copies cannot read, and if the file has changed.
        """
        if self.is_remote:
            yield
            return
        with contextlib.closing(self._open_checked()) as opened:
            if opened.version() is None:
                expected = "a file that every worker can open"
                raise InputError(self.name, None, "a pipe or a device", expected)
            self._open_descriptor = opened.descriptor
            try:
                yield
            finally:
                self._open_descriptor = None

    def check_unchanged(self) -> None:
        """Raise InputError if the file is no longer the one that was opened first; a pipe never changes."""
        if self._pipe is None:
            self._open_checked().close()

    def change_error(self) -> InputError:
        """Return the error for two readings of the file that do not agree."""
        return InputError(
            self.name, None, "the file changed while it was read", "one that nobody writes to meanwhile"
        )

    def read_error(self, error: Exception) -> InputError:
        """Return the error of a file that the system, or a decompressor, cannot read."""
        return InputError(self.name, None, f"cannot be read ({reason(error)})")

    def _check_version(self, version: Version | None) -> None:
        """Keep the version of the file that was opened or read; raise InputError for another one than so far.

        What was read may be half of the old file and half of the new one.  If only the first parts of the
        version so far are known, these are compared.
        """
        if self.version is not None:
            same_parts = (version or ())[: len(self.version)]
            if same_parts != self.version:
                raise self.change_error()
        self.version = version

    # How it is opened

    def _open_checked(self, start: int = 0, stop: int | None = None) -> OpenFile:
        """Return the file opened anew, or the pipe from its beginning: all of it, or a range of its bytes.

        Raises InputError if it can't be opened or is not the one that was opened before.
        """
        opened = self._open_unchecked(start, stop)
        if stop is not None:
            opened.left = stop - start
        elif not start:
            opened.progress = self._progress
        try:
            self._check_version(opened.version())
        except InputError:
            opened.close()
            raise
        return opened

    def _open_unchecked(self, start: int, stop: int | None) -> OpenFile:
        """Return the file opened at `start`; pipes, standard input and pieces at their beginning.

        stop  the end of the range that is read; None: the end of the file
        """
        if self._pieces is not None:
            return OpenFile(Pieces(self._pieces()))
        if self._pipe is not None:
            self._pipe.rewind()
            return OpenFile(self._pipe)
        if self._open_descriptor is not None:
            number = self._open_descriptor
            return OpenFile(ReadAt(number, start), partial(version_of, number), descriptor=number)
        if self.is_remote:
            return self._open_remote(start, stop)
        if self.path == "-":
            return self._open_stdin()
        return self._open_path(start)

    def _open_remote(self, start: int, stop: int | None) -> OpenFile:
        """Return the bytes start ... stop-1 of the file at an address; None: up to its end."""
        from pres_eval.reading.storage import remote_blocks, remote_version

        num_bytes = self.size() or 0
        if stop is None or stop > num_bytes:
            stop = num_bytes
        blocks = remote_blocks(self.path, num_bytes, start, stop)
        return OpenFile(Pieces(blocks), partial(remote_version, self.path))

    def _open_path(self, start: int) -> OpenFile:
        """Return the file at a path, from `start` on, or a pipe from its beginning."""
        with readable(self.name):
            # OpenFile.close closes it; a pipe is closed together with this object.
            raw: Any = open(self.path, "rb", buffering=0)  # noqa: PTH123, SIM115 - pathlib takes 3 ms to import
        number = raw.fileno()
        version = version_of(number)
        if version is None:
            weakref.finalize(self, raw.close)
            self._pipe = Pipe(raw)
            return OpenFile(self._pipe)
        raw.seek(start)
        return OpenFile(
            raw, partial(version_of, number), raw.close, descriptor=number, size=int(version[0]) - start
        )

    def _open_stdin(self) -> OpenFile:
        """Return standard input from the position that it had when it was opened first."""
        if sys.stdin is None:
            raise InputError(self.name, None, "standard input is closed", "a file or a pipe")
        raw = cast(RawStream, sys.stdin.buffer)
        size = self.size()
        if size is None:
            self._pipe = Pipe(raw)
            return OpenFile(self._pipe)
        # The program that started this one may have read some lines of it.
        start = self._stdin_start
        if start is None:
            start = sys.stdin.buffer.tell()
        self._stdin_start = sys.stdin.buffer.seek(start)
        return OpenFile(raw, partial(version_of, sys.stdin.fileno()), size=size - start)

    @contextlib.contextmanager
    def _text(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[OpenFile, RawStream]]:
        """Open the file, or a range of it; yield it, and the stream of its text.

        The text is decompressed if the whole file is read; otherwise both are the same.
        Raises InputError for what cannot be read, also inside the block, and if the file changes meanwhile.
        """
        may_be_compressed = stop is None and self._pieces is None
        try:
            with (
                contextlib.closing(self._open_checked(start, stop)) as opened,
                in_the_end(lambda: self._check_version(opened.version())),
            ):
                opened.expect_all()
                kind = compression_of(opened) if may_be_compressed else None
                if kind is None:
                    yield opened, opened
                else:
                    from pres_eval.reading.compression import Decompressed, compression_named  # takes a while

                    yield opened, Decompressed(opened, compression_named(kind, self.name))
        except (OSError, DamagedError) as error:
            raise self.read_error(error) from None

    # How its text is cut

    def _bytes(self, start: int, stop: int) -> bytes:
        """Return a range of the bytes of a plain file.  Raises InputError."""
        try:
            with contextlib.closing(self._open_unchecked(start, stop)) as opened:
                return opened.read(stop - start)
        except OSError as error:
            self.check_unchanged()
            raise self.read_error(error) from None

    def _chunks_of(self, stream: RawStream, position: int, size: int, cut: Cut) -> Iterator[Chunk]:
        """Yield chunks of about `size` bytes that end where `cut` cuts, the last with a newline.

        position  where the stream begins in the text of the file
        """
        keep_freed_memory()
        rest: bytes = b""  # of the last chunk, behind where it was cut
        is_first, at_end = True, False
        size = max(size, len(BYTE_ORDER_MARK))
        while not at_end:
            buffer = self._buffer(PADDING + len(rest) + size + PADDING)
            start, stop = PADDING, PADDING + len(rest)
            buffer[start:stop] = rest
            room = len(buffer) - PADDING - stop
            count = fill(stream, buffer, stop, stop + room)
            at_end = count < room
            stop += count
            if is_first:
                if position == 0 and buffer.startswith(BYTE_ORDER_MARK, start, stop):
                    self.has_mark = True
                    start += len(BYTE_ORDER_MARK)
                    position += len(BYTE_ORDER_MARK)
                if start == stop:
                    raise EmptyFileError.without_bytes(self.name)
                is_first = False
            if at_end and stop > start and buffer[stop - 1] != ord("\n"):
                self.final_newline = False
                buffer[stop] = ord("\n")
                stop += 1
            long_start = long_line(buffer, start, stop)
            if long_start is not None:
                if long_start > start:
                    yield Chunk(buffer, start, long_start)
                raise self._too_long(position + long_start - start)
            end = stop if at_end else cut(buffer, start, stop)
            rest = bytes(memoryview(buffer)[end:stop])
            position += end - start
            if end > start:
                yield Chunk(buffer, start, end)

    def _too_long(self, position: int) -> InputError:
        """Return the error of the line at this position in the text, which is too long."""
        problem = f"a line of more than {LONGEST_LINE:,} bytes"
        return InputError(self.name, self._line_at(position), problem, "lines of text")

    def _line_at(self, position: int) -> int | None:
        """Return the number of the line at this position in the text; None if that can't be read again."""
        line = 1
        buffer = bytearray(CHUNK)
        num_left = position
        with contextlib.suppress(InputError), self.unwatched(), self._text() as (_, stream):
            while num_left > 0:
                count = fill(stream, buffer, 0, min(CHUNK, num_left))
                line += buffer.count(b"\n", 0, count)
                num_left -= count
                if not count:
                    break
            return line
        return None

    def _buffer(self, size: int) -> bytearray:
        """Return a buffer of at least this size, if possible one that was given back."""
        with contextlib.suppress(IndexError):  # other threads may take them meanwhile
            while True:
                buffer = self._free_buffers.pop()
                if len(buffer) >= size:  # smaller ones are dropped: a file needs larger ones now
                    return buffer
        return bytearray(size + size // 8)  # the next one may be a little larger


def _file_from(
    path: str,
    name: str,
    version: Version | None,
    planned_on: str,
    is_remote: bool,
    pieces: Callable[[], Iterator[bytes]] | None,
    naming: Naming,
) -> File:
    """Return the file that another process, perhaps on another machine, has sent to this one.

    planned_on  the `machine` of that process
    The other arguments are those of File.
    """
    if version is not None and planned_on != machine():
        version = version[:SHARED_VERSION_PARTS]
    file = File(path, name, version, is_remote=is_remote, pieces=pieces)
    file.naming = naming
    return file

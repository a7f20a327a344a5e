"""Sources of bytes: files, which may change, and pipes, which are kept to be read again."""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol, cast

Version = tuple[int | str, ...]
"""State of a file: its length, when it was written to, when anything of it changed, and its device and
number.

The change time reveals a write that set the other time back.  A version may have only the first of these
parts: less is known of the file then.
"""

Progress = Callable[[int], None]
"""Function that gets the number of further bytes of the file that were read."""


class RawStream(Protocol):
    """Stream of bytes of which only `readinto` is needed."""

    def readinto(self, view: memoryview, /) -> int | None:
        """Read some bytes into the view; return their number, 0 at the end, None if there are none yet."""


def read_some(raw: RawStream, view: memoryview) -> int:
    """Read some bytes into the view, and return their number; 0 at the end only.

    If the stream has none yet and does not wait for them, this waits.
    """
    while (count := raw.readinto(view)) is None:
        import select

        select.select([cast(BinaryIO, raw)], [], [])
    return count


def version_of(descriptor: int) -> Version | None:
    """Return the version of an open file, None for a pipe or a device."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino


class OpenFile:
    """An open file that can show its first bytes, and reports how much of it was read.

    version     returns the present version of the file, None for a pipe
    close       closes it, if it was opened for this object
    descriptor  the system's number for it, None if it has none
    size        bytes that must come before its end, 0 where that is not known
    left        bytes that are still to be read of a range; None: the whole file is read
    progress    gets the number of bytes after each read; None: nobody does
    """

    def __init__(
        self,
        raw: RawStream,
        version: Callable[[], Version | None] = lambda: None,
        close: Callable[[], None] = lambda: None,
        descriptor: int | None = None,
        size: int = 0,
    ) -> None:
        self._raw = raw
        self._head = b""
        self.version = version
        self.close = close
        self.descriptor = descriptor
        self.size = self._missing = size
        self.left: int | None = None
        self.progress: Progress | None = None

    def expect_all(self) -> None:
        """Let reading raise OSError if the file ends before the range that is read does."""
        if self.left is not None:
            self._missing = self.left

    def peek(self, count: int) -> bytes:
        """Return the next bytes, fewer only if the file has fewer; the next read returns them again."""
        head = self.read(count)
        self._head = head + self._head
        return head

    def readinto(self, view: memoryview) -> int:
        """Read some bytes into the view, return their number; raise OSError if the file ends too early."""
        if self._head:
            count = min(len(view), len(self._head))
            view[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        if self.left is not None:
            view = view[: self.left]
            if not view:
                return 0
        count = read_some(self._raw, view)
        if self.left is not None:
            self.left -= count
        self._missing -= count
        if not count and self._missing > 0:
            noun = "byte" if self._missing == 1 else "bytes"
            raise OSError(f"it ends {self._missing:,} {noun} too early")
        if self.progress is not None:
            self.progress(count)
        return count

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes; fewer at the end only."""
        buffer = bytearray(size)
        return bytes(memoryview(buffer)[: fill(self, buffer, 0, size)])


def fill(stream: RawStream, buffer: bytearray, start: int, stop: int) -> int:
    """Read into buffer[start:stop] until it is full or the stream ends; return the number of bytes.

    One call of `readinto` may give fewer bytes than a pipe has in the end.
    """
    filled = start
    with memoryview(buffer) as view:
        while filled < stop:
            count = stream.readinto(view[filled:stop])
            if not count:
                break
            filled += count
    return filled - start


class Pieces:
    """Stream of bytes that come in pieces, one after the other."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        count = min(len(view), len(self._piece))
        view[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count


class ReadAt:
    """Stream of an open file from a position on, whatever copies of this process read of it meanwhile."""

    def __init__(self, descriptor: int, position: int) -> None:
        self._descriptor = descriptor
        self._position = position

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if hasattr(os, "preadv"):
            count = os.preadv(self._descriptor, [view], self._position)
        else:  # Windows, where no copy of this process reads it
            os.lseek(self._descriptor, self._position, os.SEEK_SET)
            data = os.read(self._descriptor, len(view))
            count = len(data)
            view[:count] = data
        self._position += count
        return count


class Pipe:
    """Stream that can be read again from its start, because its bytes are kept on disk once read."""

    def __init__(self, raw: RawStream) -> None:
        self._raw = raw
        self._reads_copy = False
        """Whether the next bytes come from the copy, and not from the pipe."""
        self._copy: BinaryIO | None = None
        """The bytes so far; None if the disk has no room for them."""
        import tempfile

        # A file without a name, which is gone with the process however that ends.
        with contextlib.suppress(OSError):  # no room
            self._copy = cast(BinaryIO, tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
            weakref.finalize(self, self._copy.close)

    def rewind(self) -> None:
        """Start again: the next reads return the bytes read before, then the rest of the stream."""
        if self._copy is None:
            raise OSError(
                "its topics are not together, and the disk has no room for a copy; sort it by topic"
            )
        self._copy.seek(0)
        self._reads_copy = True

    def readinto(self, view: memoryview, /) -> int:
        """Read as io's readinto does."""
        if self._reads_copy and self._copy is not None:
            count = self._copy.readinto(view)  # type: ignore[attr-defined]
            if count:
                return int(count)
            self._reads_copy = False
        count = read_some(self._raw, view)
        try:
            unwritten = view[:count]
            while self._copy is not None and unwritten:
                unwritten = unwritten[self._copy.write(unwritten) :]
        except OSError:  # no room: the copy is needed only if topics are not together
            self._copy = None
        return count


@contextlib.contextmanager
def in_the_end(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` at the end of the block, also after an error, which what `check` raises may explain."""
    try:
        yield
    except Exception:
        check()
        raise
    check()


MAGIC = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": (b"BZh",),
    "xz": (b"\xfd7zXZ\x00",),
    # A frame, or one that is to be skipped and comes before it.
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + number]) + b"\x2a\x4d\x18" for number in range(16))),
}
"""First bytes of compressed files, by how they are compressed."""

LONGEST_MAGIC = max(len(magic) for magics in MAGIC.values() for magic in magics)
"""Bytes that are enough to tell how a file is compressed."""

LONGEST_LINE = 1 << 20
"""Bytes that a line may have: in a longer one the file is no text, or has no end, as a device."""


def compression_of(file: OpenFile) -> str | None:
    """Return how a file is compressed, by its first bytes; None if it is not."""
    head = file.peek(LONGEST_MAGIC)
    return next((kind for kind, magics in MAGIC.items() if head.startswith(magics)), None)


def long_line(buffer: bytearray, start: int, stop: int) -> int | None:
    """Return where the first line of buffer[start:stop] longer than LONGEST_LINE begins, None if none is."""
    while stop - start > LONGEST_LINE:
        # The line at `start` has to end by then; all lines up to the last newline before that are short.
        behind_newline = buffer.rfind(b"\n", start, start + LONGEST_LINE + 1) + 1
        if not behind_newline:
            return start
        start = behind_newline
    return None

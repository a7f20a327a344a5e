"""A file in memory, in which one process leaves results and another one maps them: arrays are copied once."""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import struct
from typing import Any

ALIGNED = 64
"""Arrays begin at multiples of this, as numpy's own do."""

LEAST_MAPPED, MOST_MAPPED = 1 << 20, 64
"""Bytes of a result that is not copied, and how many of these there may be."""

SMALL = 1 << 16
"""Bytes of an array that is copied in any case."""

_PLACE = struct.Struct("<3q")
PLACE_BYTES = _PLACE.size
_CLOSE_ON_EXEC = 1


class _Result(mmap.mmap):
    """The part of a file that holds a result; its memory is given back with the last array that is there."""

    num_there = 0
    """Results that are mapped in this process; Python opens a file for each."""

    _process = 0

    def noted(self) -> _Result:
        """The same, counted."""
        _Result.num_there += 1
        self._process = os.getpid()
        return self

    def __del__(self) -> None:
        if self._process == os.getpid():  # a copy of this process must not take away what this one still has
            _Result.num_there -= 1
            with contextlib.suppress(OSError):  # where the system cannot, it takes all back with the file
                self.madvise(mmap.MADV_REMOVE)


class MemoryFile:
    """A file without a name; the system gives it memory as it is written to."""

    def __init__(self) -> None:
        """Raises OSError if the system grants none."""
        self.number = _memory_file()
        self._stop = 0

    def write(self, value: Any) -> bytes:
        """Add a value at the end.  Gives its place (PLACE_BYTES): where it and its text begin, and stop."""
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(value, 5, buffer_callback=buffers.append)
        start = self._next(mmap.ALLOCATIONGRANULARITY)
        begins = []
        for buffer in buffers:
            begins.append(self._next(ALIGNED) - start)
            self._add(buffer.raw())
        spans = [(begin, begin + buffer.raw().nbytes) for begin, buffer in zip(begins, buffers, strict=True)]
        text_start = self._stop
        self._add(memoryview(pickle.dumps((spans, text), 5)))
        return _PLACE.pack(start, text_start, self._stop)

    def read(self, place: bytes) -> Any:
        """The value that another process wrote there, once: its memory goes, its arrays may be changed.

        Large arrays are not copied, as long as there are few of them.  Raises OSError if there is no room.
        """
        start, text_start, stop = _PLACE.unpack(place)
        result = _Result(self.number, stop - start, offset=start).noted()
        is_mapped = len(result) >= LEAST_MAPPED and _Result.num_there <= MOST_MAPPED
        return _loaded(memoryview(result if is_mapped else bytearray(result)), text_start - start)

    def look_at(self, place: bytes) -> Any:
        """A copy of the value that another process wrote there, for one of several that want it."""
        start, text_start, stop = _PLACE.unpack(place)
        with mmap.mmap(self.number, stop - start, offset=start, access=mmap.ACCESS_READ) as result:
            return _loaded(memoryview(bytearray(result)), text_start - start)

    def put(self, values: memoryview, place: int) -> None:
        """Write bytes to a place; who calls this keeps to places without values."""
        while values:
            count = os.pwrite(self.number, values, place)
            place += count
            values = values[count:]

    def mapped(self, size: int) -> memoryview:
        """Its first bytes, which may be changed; their memory is given back with the last array there."""
        return memoryview(_Result(self.number, size).noted())

    def _next(self, multiple: int) -> int:
        """Go on at a multiple of that."""
        self._stop += -self._stop % multiple
        return self._stop

    def _add(self, rest: memoryview) -> None:
        self.put(rest, self._stop)
        self._stop += len(rest)

    def close(self) -> None:
        """No more values are wanted."""
        os.close(self.number)


def _loaded(view: memoryview, text_start: int) -> Any:
    """The value whose arrays and text, which begins there, are in memory."""
    spans, text = pickle.loads(view[text_start:])
    # A small array that is kept should not keep the large ones beside it.
    parts = (view[begin:end] for begin, end in spans)
    return pickle.loads(text, buffers=[part if len(part) >= SMALL else bytearray(part) for part in parts])


def _memory_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("pres-eval")
    # Pythons that are made for old systems lack it on new ones, too.
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    number = -1
    if hasattr(library, "memfd_create"):
        number = library.memfd_create(b"pres-eval", _CLOSE_ON_EXEC)
    if number < 0:
        raise OSError(ctypes.get_errno(), "no files in memory")
    return number

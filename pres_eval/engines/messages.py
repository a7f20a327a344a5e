"""Messages between processes: pickled texts on pipes, with large arrays beside them that are copied once."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import struct
import sys
from collections.abc import Iterable
from typing import Any

_LENGTH = struct.Struct("<q")

_SET_PIPE_SIZE, _PIPE_SIZE = 1031, 1 << 20
"""F_SETPIPE_SZ of Linux's fcntl, and the most that it grants anybody: fewer changes between processes."""

LONGEST_WAIT_MS = 500
"""Milliseconds of a wait, after which Python handles a signal that came just before it began."""


def widen(pipe: int) -> None:
    """Let a pipe hold more bytes, where the system can do that."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.fcntl(pipe, _SET_PIPE_SIZE, _PIPE_SIZE)


def wait_for_messages(pipes: Iterable[int]) -> list[int]:
    """Return the pipes that have a message or have ended, as soon as there is one."""
    poll = select.poll()
    for pipe in pipes:
        poll.register(pipe, select.POLLIN)
    while not (ready := poll.poll(LONGEST_WAIT_MS)):
        pass
    return [pipe for pipe, _ in ready]


def send(pipe: int, message: Any) -> None:
    """Write a message.  Raises OSError if nobody reads it."""
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(message, 5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    lengths = [len(views), len(text), *(view.nbytes for view in views)]
    _write(pipe, memoryview(b"".join(map(_LENGTH.pack, lengths)) + text))
    for view in views:
        _write(pipe, view)


def receive(pipe: int) -> Any:
    """Read a message; raise EOFError if there is none."""
    num_buffers, length = _read_lengths(pipe, 2)
    lengths = _read_lengths(pipe, num_buffers)
    text = _read(pipe, length)
    return pickle.loads(text, buffers=[_read(pipe, size) for size in lengths])


def _write(pipe: int, data: memoryview) -> None:
    """Write all of the data."""
    rest = data.cast("B")
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _read_lengths(pipe: int, count: int) -> list[int]:
    """Read this number of lengths."""
    data = _read(pipe, _LENGTH.size * count)
    return [length for (length,) in _LENGTH.iter_unpack(data)]


def _read(pipe: int, size: int) -> bytearray:
    """Read this number of bytes.  Raises EOFError if fewer come."""
    buffer = bytearray(size)
    with memoryview(buffer) as view:
        filled = 0
        while filled < size:
            count = os.readv(pipe, [view[filled:]])
            if not count:
                raise EOFError
            filled += count
    return buffer

"""A process that does the work that another one sends it; processes.py starts it."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
from collections.abc import Sequence
from typing import Any

from pres_eval.reading.memory import allow_keeping_memory

_LENGTH = struct.Struct("<q")
_SET_PIPE_SIZE, _PIPE_SIZE = 1031, 1 << 20
"""F_SETPIPE_SZ of Linux's fcntl, and the most that it grants anybody: fewer changes between processes."""


class Channel:
    """Two ends of pipes, one to receive messages from, one to send them to."""

    def __init__(self, back: int, to: int) -> None:
        self.back = back
        self.ends = back, to
        self._to = to
        if sys.platform == "linux":
            with contextlib.suppress(ImportError, OSError):
                import fcntl

                fcntl.fcntl(back, _SET_PIPE_SIZE, _PIPE_SIZE)

    def send(self, message: Any) -> None:
        """Write a message.  Raises OSError if nobody reads it."""
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(message, 5, buffer_callback=buffers.append)
        self.send_text(text, [buffer.raw() for buffer in buffers])

    def send_text(self, text: bytes, buffers: Sequence[memoryview] = ()) -> None:
        """Write a message that was pickled."""
        lengths = [len(buffers), len(text), *(buffer.nbytes for buffer in buffers)]
        self._write(b"".join(map(_LENGTH.pack, lengths)) + text)
        for buffer in buffers:
            self._write(buffer)

    def receive(self) -> Any:
        """Read a message; raise EOFError if there is none."""
        number, length = self._read_lengths(2)
        lengths = self._read_lengths(number)
        text = self._read(length)
        return pickle.loads(text, buffers=[self._read(each) for each in lengths])

    def close(self) -> None:
        """Close both ends."""
        for end in self.ends:
            os.close(end)

    def _read_lengths(self, number: int) -> list[int]:
        return [length for (length,) in _LENGTH.iter_unpack(self._read(_LENGTH.size * number))]

    def _read(self, size: int) -> bytearray:
        buffer = bytearray(size)
        with memoryview(buffer) as view:
            done = 0
            while done < size:
                count = os.readv(self.back, [view[done:]])
                if not count:
                    raise EOFError
                done += count
        return buffer

    def _write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data).cast("B") if not isinstance(data, memoryview) else data
        while rest:
            rest = rest[os.write(self._to, rest) :]


STDIN, STDOUT, STDERR = 0, 1, 2


def serve(channel: Channel, values: dict[int, Any]) -> None:
    """Do work until no more comes; `values` are the shared ones that are known already."""
    while True:
        try:
            gone, new, numbers, text = channel.receive()
        except EOFError:
            return
        for number in gone:
            values.pop(number, None)
        try:
            while new:
                number, value = new.popitem()
                values[number] = pickle.loads(value)
            work, item = pickle.loads(text)
            answer = True, work(item, *(values[number] for number in numbers))
        except Exception as error:
            answer = False, error
        try:
            channel.send(answer)
        except OSError:  # whoever gave the work is gone
            return


def main() -> None:
    """Take work from standard input; whatever is printed meanwhile goes to stderr."""
    allow_keeping_memory()
    back = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    serve(Channel(STDIN, back), {})

"""Worker processes: their start, the channel to them, and the work that they do for another process."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
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
        return pickle.loads(self._read(length), buffers=[self._read(each) for each in lengths])

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


BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from pres_eval.engines.worker import main; main()"
"""Program of a worker: it imports nothing but `sys`, a part of Python itself, before its path is set."""


def started() -> tuple[int, Channel]:
    """Start a worker anew; return its number and the channel to it.  Raises OSError."""
    import subprocess  # a worker itself does without

    process = subprocess.Popen(
        _worker_command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C goes to whoever gives the work.
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    channel = Channel(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))
    process.stdin.close()
    process.stdout.close()
    process.returncode = 0  # whoever ends the worker waits for it
    return process.pid, channel


def _worker_command() -> list[str]:
    """Return the command of a worker: it imports from where this process does, never from the current folder.

    Python itself puts that folder in front (`-m`, `-c`, a terminal): files beside the data would be executed.
    Only an absolute path in PYTHONPATH may name it.  The folder of this package comes last if it is left out.
    """
    here = ""
    with contextlib.suppress(OSError):  # the folder is gone
        here = str(Path.cwd())
    named = map(os.path.normpath, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    outside = {".", *{here}.difference(named)}
    path = [each for each in sys.path if os.path.normpath(each) not in outside]
    home = str(Path(__file__).parents[2])
    # What shuts a file out of this process (-I, -E, -s) shuts it out of the worker.
    shut = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    flags = [flag for flag, is_set in shut.items() if is_set]
    return [sys.executable, *flags, "-c", BEGIN, *path, *([] if home in path else [home])]


CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which Linux has the memory limit of a container."""


def memory_of_machine() -> int:
    """Return bytes of memory that processes of this machine may have together."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        found = sys.maxsize
    for path in CONTAINER_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            found = min(found, int(Path(path).read_text(encoding="ascii")))
    return found


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

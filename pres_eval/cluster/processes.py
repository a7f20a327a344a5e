"""Workers on this machine: processes of their own, which one process gives work to.

A worker that dies is replaced, and its work is given to another one.  Workers end with the process that
started them, however that ends: what they read from it is at its end then.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
from collections.abc import Generator, Iterable
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

from pres_eval.cluster.engines import Result, Shared, Work, WorkersLostError, check_room
from pres_eval.workers import in_order

ATTEMPTS = 3
"""How often a piece of work is begun before those that die of it are taken to be too many."""

AHEAD = 2
"""Pieces of work for each worker that may wait for an earlier one."""

BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from pres_eval.cluster.worker import main; main()"
"""What a worker is told to do: before its path is set it imports `sys` alone, which is in Python itself."""

CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux tells how much memory a container has, if it has less than the machine."""


class Processes:
    """Some processes on this machine."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._values: dict[int, bytes] = {}
        self._numbers = count()
        self._crew: list[_Worker] = []
        self._idle: queue.SimpleQueue[_Worker | None] = queue.SimpleQueue()
        for _ in range(workers):
            self._idle.put(None)

    @property
    def workers(self) -> int:
        """How many there are."""
        return self._workers

    @property
    def numbers(self) -> list[int]:
        """The numbers that the system gives to those that were started."""
        return [worker.number for worker in self._crew]

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value, for workers that need it; raises WorkersLostError if it is too large for them."""
        text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        check_room(what, len(text), memory_of_machine() // self._workers)
        number = next(self._numbers)
        self._values[number] = text
        return _Number(number, self._values)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """work(item, *what was shared) for each item, in order."""
        numbers = tuple(each.number for each in shared if isinstance(each, _Number))

        def do(item: Any) -> Result:
            return cast(Result, self._do(pickle.dumps((work, item)), numbers))

        yield from in_order(do, items, AHEAD * self._workers)

    def _do(self, work: bytes, numbers: tuple[int, ...]) -> Any:
        for _ in range(ATTEMPTS):
            worker = self._idle.get() or self._started()
            try:
                good, result = worker.do(work, numbers, self._values)
            except (EOFError, OSError):
                self._crew.remove(worker)
                worker.end()
                self._idle.put(None)
                continue
            self._idle.put(worker)
            if not good:
                raise result
            return result
        raise WorkersLostError(
            f"{ATTEMPTS} worker processes died of the same piece of work (did memory run out?)"
        )

    def _started(self) -> _Worker:
        worker = _Worker()
        self._crew.append(worker)
        return worker

    def close(self) -> None:
        """End the workers, whatever they do."""
        for worker in self._crew:
            worker.end()
        self._crew.clear()


class _Number(Shared):
    def __init__(self, number: int, values: dict[int, bytes]) -> None:
        self.number = number
        self._values = values

    def release(self) -> None:
        """Forget the value."""
        self._values.pop(self.number, None)


class _Worker:
    """One process, as whoever gives it work sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            worker_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C goes to whoever gives the work.
            start_new_session=True,
        )
        self._has: set[int] = set()

    @property
    def number(self) -> int:
        """The number that the system gives it."""
        return self._process.pid

    def do(self, work: bytes, numbers: tuple[int, ...], values: dict[int, bytes]) -> tuple[bool, Any]:
        """Give it work, and wait: whether it went well, and the result or the exception."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        gone = self._has - values.keys()
        new = {number: values[number] for number in numbers if number not in self._has}
        self._has = (self._has - gone) | new.keys()
        send(cast(BinaryIO, to), (gone, new, numbers, work))
        good, result = receive(cast(BinaryIO, back))
        return good, result

    def end(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        self._process.wait()


def worker_command() -> list[str]:
    """What starts a worker, which imports from where this process does, but not from the current folder.

    Python itself puts that folder in front (`-m`, `-c`, a terminal): files beside the data would be executed.
    Only an absolute path in PYTHONPATH may name it.  The folder of this package comes last if it is left out.
    """
    here = ""
    with contextlib.suppress(OSError):  # the folder is gone
        here = os.getcwd()  # noqa: PTH109 - compared with texts
    named = map(os.path.normpath, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    outside = {".", *{here}.difference(named)}
    path = [each for each in sys.path if os.path.normpath(each) not in outside]
    home = str(Path(__file__).parents[2])
    return [sys.executable, "-c", BEGIN, *path, *([] if home in path else [home])]


def memory_of_machine() -> int:
    """Bytes of memory that processes of this machine may have together."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        found = sys.maxsize
    for path in CONTAINER_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            found = min(found, int(Path(path).read_text(encoding="ascii")))
    return found


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message."""
    text = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(len(text).to_bytes(8, "little"))
    stream.write(text)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message; raises EOFError if there is none."""
    length = stream.read(8)
    text = stream.read(int.from_bytes(length, "little"))
    if len(length) < 8 or len(text) < int.from_bytes(length, "little"):
        raise EOFError
    return pickle.loads(text)

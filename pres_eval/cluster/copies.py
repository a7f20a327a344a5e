"""Workers that are copies of this process: they have what it has read, and leave results in shared memory.

A copy starts in some milliseconds, and does not wait for Python's lock as a thread does.  Whoever copies a
process has to know what else goes on in it, so only the command does so, and only on Linux, where memory is
copied as it is written to.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from typing import Any, NoReturn

from pres_eval.cluster.engines import Result, Shared, Value, Work, WorkersLostError
from pres_eval.cluster.memory import PLACE_BYTES, MemoryFile
from pres_eval.records import dataclass
from pres_eval.workers import ending_signals

MOST = 8
"""Copies, each of which takes about 25 MB, or 35 MB where lines of a run are in no order."""

MOST_ITEMS = 2048
"""Pieces of work of one pass: their numbers wait in a pipe, which has room for a page whoever asks for it."""

NUMBER_BYTES = 2
MOST_WAITED = 500
"""Milliseconds after which it is looked whether a signal came just before the system began to wait."""

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""
_FORK_WARNING = ".*multi-threaded, use of fork"


def can_copy() -> bool:
    """Whether processes can be copied here, and are known to end only when they are waited for."""
    return sys.platform == "linux" and signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN


class Copies:
    """So many copies of this process, which live for one pass."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value; copies have it too."""
        return Value(value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """work(item, *what was shared) for each item, in order.

        Raises WorkersLostError if a copy cannot be made, ends early or cannot do its work.
        """
        every = list(items)
        assert len(every) <= MOST_ITEMS, "whoever makes the items sees to it"
        values = [each.value for each in shared if isinstance(each, Value)]

        def do(number: int) -> Result:
            return work(every[number], *values)

        try:
            with contextlib.closing(_Crew(do, len(every))) as crew:
                for _ in range(min(self.workers, len(every))):
                    crew.add()
                yield from crew.results()
        except OSError as error:
            raise WorkersLostError(f"a copy of the process is gone ({error})") from None


@dataclass(frozen=True)
class _Copy:
    """A process, and the file in which it leaves results."""

    process: int
    results: MemoryFile


class _Crew:
    """Copies that take the numbers of work from one pipe, and tell through one each where results are."""

    def __init__(self, do: Callable[[int], Any], num_items: int) -> None:
        self._do = do
        self._num_items = num_items
        self._parent = os.getpid()
        self._copies: dict[int, _Copy] = {}  # by the end of its pipe that is read
        self._work, to = os.pipe()
        try:
            os.write(to, b"".join(number.to_bytes(NUMBER_BYTES, "little") for number in range(num_items)))
        finally:
            os.close(to)

    def add(self) -> None:
        """Make one more copy."""
        results = MemoryFile()
        try:
            back, told = os.pipe()
        except OSError:
            results.close()
            raise
        try:
            with warnings.catch_warnings():
                # The threads that Python warns of have done their work, or are none of Python's.
                warnings.filterwarnings("ignore", _FORK_WARNING, DeprecationWarning)
                process = os.fork()
        except OSError:
            os.close(back)
            os.close(told)
            results.close()
            raise
        if process == 0:
            self._work_in_copy(back, told, results)
        os.close(told)
        self._copies[back] = _Copy(process, results)

    def _work_in_copy(self, back: int, told: int, results: MemoryFile) -> NoReturn:
        """What the copy does: it never returns, so that nothing of the program happens twice."""
        code = 1
        try:
            for number in ending_signals():  # it has nothing to clean up
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, signal.SIG_DFL)
            _end_with(self._parent)
            for other in (back, *self._copies):
                os.close(other)
            while number_text := os.read(self._work, NUMBER_BYTES):
                place = results.write(self._do(int.from_bytes(number_text, "little")))
                os.write(told, number_text + place)
            code = 0
        finally:
            os._exit(code)

    def results(self) -> Generator[Any, None, None]:
        """The results in order; raises OSError if one does not come."""
        waiting: dict[int, Any] = {}
        poll = select.poll()
        for back in self._copies:
            poll.register(back, select.POLLIN)
        for number in range(self._num_items):
            while number not in waiting:
                for back, _ in poll.poll(MOST_WAITED):
                    # A pipe takes so little as a whole or not at all.
                    told = os.read(back, NUMBER_BYTES + PLACE_BYTES)
                    if told:
                        item = int.from_bytes(told[:NUMBER_BYTES], "little")
                        waiting[item] = self._copies[back].results.read(told[NUMBER_BYTES:])
                    else:
                        poll.unregister(back)
                        self._check(back)
            yield waiting.pop(number)

    def _check(self, back: int) -> None:
        """A copy has ended: raise OSError if it had not done its work."""
        copy = self._copies.pop(back)
        os.close(back)
        copy.results.close()
        _, status = os.waitpid(copy.process, 0)
        if status != 0 or not self._copies:
            raise OSError(f"status {status}")

    def close(self) -> None:
        """End all copies, whatever they do."""
        for back, copy in self._copies.items():
            os.close(back)
            copy.results.close()
            os.kill(copy.process, signal.SIGKILL)
        for copy in self._copies.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(copy.process, 0)
        self._copies.clear()
        os.close(self._work)


def _end_with(parent: int) -> None:
    """Let the system end this copy when the process that made it ends."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)

"""Processes of this machine: copies of this one where that is safe, else processes that are started anew.

A copy starts in some milliseconds and has what this process has read; whoever copies a process has to know
what else goes on in it, so only the command does so, and only on Linux, where memory is copied as it is
written to.  A worker that dies is replaced, and its work is given to another one.  Workers end with the
process that started them, however that ends.

By hand, because multiprocessing and concurrent.futures take 20 ms to import, copy large arrays once more, and
import from the current folder what they start.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import warnings
from collections import deque
from collections.abc import Generator, Iterable
from itertools import count
from typing import Any, NoReturn

from pres_eval.engines.engine import (
    Here,
    Result,
    Shared,
    Work,
    WorkersLostError,
    check_room,
    fall_back,
    split_size,
)
from pres_eval.engines.worker import Channel, memory_of_machine, serve, started
from pres_eval.records import dataclass
from pres_eval.workers import ending_signals

MOST = 16
"""Copies, each of which takes about 25 MB, or 35 MB where lines of a run are in no order.

Sixteen read 2.5 GB in 0.68 of the time of eight (on 16 processors); nobody has tried more.
"""

ATTEMPTS = 3
"""Number of workers that may die of one piece of work before that is an error."""

AHEAD, WAITING = 2, 4
"""Pieces of work for each worker that it may have, and that may wait for an earlier one."""

SMALL = 1 << 15
"""Bytes of a message that fit into a pipe while nobody reads it."""

SPLIT = 8 << 20
"""Bytes that a copy works on at a time: little enough that all of them end at about the same time."""

MOST_WAITED = 500
"""Milliseconds after which it is looked whether a signal came just before the system began to wait."""

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""
_FORK_WARNING = ".*multi-threaded, use of fork"


def can_copy() -> bool:
    """Return whether processes can be forked here, and end only when they are waited for."""
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return False
    return signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN


@dataclass(frozen=True, eq=False)
class _Work:
    """A piece of work: its number, its message, and how often it was begun."""

    number: int
    message: Any
    attempts: int = 0


class _Worker:
    """A process, and the channel on which it is given work."""

    def __init__(self, process: int, channel: Channel, has: Iterable[int] = ()) -> None:
        self.process = process
        self.channel = channel
        self.has = set(has)
        self.tasks: deque[_Work] = deque()

    def end(self) -> None:
        """End it, whatever it does."""
        with contextlib.suppress(OSError):
            os.kill(self.process, signal.SIGKILL)
        self.channel.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.process, 0)


class Processes:
    """Some processes on this machine; `copied`: whether they are copies of this one."""

    def __init__(self, workers: int, copied: bool = False) -> None:
        self.workers = workers
        # A single piece of work needs no copy: threads of this process do it, as they do a compressed file.
        self.threads = workers if copied else 1
        self._copied = copied
        self._values: dict[int, Any] = {}
        self._numbers = count()
        self._crew: list[_Worker] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def numbers(self) -> list[int]:
        """The numbers that the system gives to those that were started."""
        return [worker.process for worker in self._crew]

    def split_size(self, total: int) -> int:
        """Return how many bytes of files with `total` bytes are one piece of work."""
        return SPLIT if self._copied else split_size(total, self.workers)

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value for the workers.  Raises WorkersLostError if it is too large for them."""
        number = next(self._numbers)
        if self._copied:
            self.close()  # new copies have it
            self._values[number] = value
        else:
            text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
            check_room(what, len(text), memory_of_machine() // self.workers)
            self._values[number] = text
        return _Number(number, self._values, value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order."""
        numbers = tuple(each.number for each in shared if isinstance(each, _Number))
        every = list(items)
        if self._copied and len(every) == 1:
            yield from Here(self.workers).map(work, every, *shared)
            return
        try:
            self._start(min(self.workers, len(every)))
        except OSError as error:
            if not self._copied:
                raise WorkersLostError(f"a process cannot be started ({error})") from None
            fall_back(f"{len(self._crew) or 'no'} copies of the process ({error})")
            if not self._crew:
                yield from Here(self.workers).map(work, every, *shared)
                return
        tasks = deque(_Work(number, (work, item, numbers)) for number, item in enumerate(every))
        done: dict[int, tuple[bool, Any]] = {}
        try:
            for wanted in range(len(every)):
                self._give(tasks, WAITING * self.workers - len(done))
                while wanted not in done:
                    self._take(tasks, done)
                    self._give(tasks, WAITING * self.workers - len(done))
                good, result = done.pop(wanted)
                if not good:
                    raise result
                yield result
        finally:
            for worker in [each for each in self._crew if each.tasks]:
                self._crew.remove(worker)
                worker.end()

    def _start(self, number: int) -> None:
        """Start workers up to this number.  Raises OSError."""
        while len(self._crew) < number:
            self._crew.append(self._copy() if self._copied else _Worker(*started()))

    def _give(self, tasks: deque[_Work], most: int) -> None:
        """Give the next tasks to the workers with the fewest, as long as `most` are under way at all."""
        most -= sum(len(worker.tasks) for worker in self._crew)
        while tasks and most > 0:
            worker = min(self._crew, key=lambda each: len(each.tasks))
            work, item, numbers = tasks[0].message
            gone = worker.has - self._values.keys()
            new = {number: self._values[number] for number in numbers if number not in worker.has}
            # What cannot be loaded there is an answer, too.
            text = pickle.dumps((work, item), pickle.HIGHEST_PROTOCOL)
            message = pickle.dumps((gone, new, numbers, text), pickle.HIGHEST_PROTOCOL)
            if len(worker.tasks) >= (AHEAD if len(message) <= SMALL else 1):
                return
            worker.has = (worker.has - gone) | new.keys()
            worker.tasks.append(tasks.popleft())
            most -= 1
            with contextlib.suppress(OSError):  # that it is gone is seen where its answer is read
                worker.channel.send_text(message)

    def _take(self, tasks: deque[_Work], done: dict[int, tuple[bool, Any]]) -> None:
        """Take the answers of workers, as soon as there is one."""
        by_number = {worker.channel.back: worker for worker in self._crew}
        poll = select.poll()
        for number in by_number:
            poll.register(number, select.POLLIN)
        while not (ready := poll.poll(MOST_WAITED)):
            pass
        for worker in [by_number[number] for number, _ in ready]:
            try:
                answer = worker.channel.receive()
            except (EOFError, OSError):
                self._begin_again(worker, tasks)
            else:
                done[worker.tasks.popleft().number] = answer

    def _begin_again(self, worker: _Worker, tasks: deque[_Work]) -> None:
        """Replace a worker that died, and give its tasks to others."""
        first, *others = worker.tasks or [_Work(-1, None)]
        self._crew.remove(worker)
        worker.end()
        if first.attempts + 1 >= ATTEMPTS:
            raise WorkersLostError(
                f"{ATTEMPTS} worker processes died of the same piece of work (did memory run out?)"
            )
        tasks.extendleft(reversed([_Work(first.number, first.message, first.attempts + 1), *others]))
        if tasks[0].number < 0:
            tasks.popleft()
        try:
            self._start(len(self._crew) + 1)
        except OSError as error:
            raise WorkersLostError(f"a worker process died and cannot be replaced ({error})") from None

    def close(self) -> None:
        """End the workers, whatever they do."""
        while self._crew:
            self._crew.pop().end()

    def _copy(self) -> _Worker:
        """Copy this process.  Raises OSError if the system grants none."""
        with contextlib.ExitStack() as stack:
            given, to = _pipe(stack)
            back, answers = _pipe(stack)
            parent = os.getpid()
            with warnings.catch_warnings():
                # The threads that Python warns of have done their work, or are none of Python's.
                warnings.filterwarnings("ignore", _FORK_WARNING, DeprecationWarning)
                process = os.fork()
            if process == 0:
                self._work_in_copy(parent, given, answers, [to, back])
            stack.pop_all()
        os.close(given)
        os.close(answers)
        return _Worker(process, Channel(back, to), self._values)

    def _work_in_copy(self, parent: int, given: int, answers: int, others: list[int]) -> NoReturn:
        """Do the work of a copy: it never returns, so that no part of the program runs twice."""
        code = 1
        try:
            for number in ending_signals():  # it has nothing to clean up
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, signal.SIG_DFL)
            import ctypes  # takes a while

            # The system ends this copy when the process that made it ends.
            ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            for each in (*others, *(end for worker in self._crew for end in worker.channel.ends)):
                os.close(each)
            serve(Channel(given, answers), dict(self._values))
            code = 0
        finally:
            os._exit(code)


class _Number(Shared):
    """A value that workers know by its number."""

    def __init__(self, number: int, values: dict[int, Any], value: Any) -> None:
        super().__init__(value)
        self.number = number
        self._values = values

    def close(self) -> None:
        """Let the workers forget it."""
        self._values.pop(self.number, None)


def _pipe(stack: contextlib.ExitStack) -> tuple[int, int]:
    """Return the ends of a pipe, which are closed with the stack."""
    ends = os.pipe()
    for end in ends:
        stack.callback(os.close, end)
    return ends

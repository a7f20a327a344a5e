"""Copies of this process share work: they have all that it has read, so only numbers and results are sent.

A copy starts in some milliseconds.  Whoever copies a process has to know what else goes on in it, so only the
command does so, and only on Linux, where memory is copied as it is written to.  Copies end with the process
that made them, however that ends.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn

from pres_eval.engines.engine import (
    ATTEMPTS,
    ITEMS_UNDER_WAY,
    PIECES_PER_WORKER,
    WORKERS_DIED,
    Result,
    Shared,
    Work,
    WorkersLostError,
    outcome_of,
    report_slower_way,
    result_in,
    with_shared,
)
from pres_eval.engines.machine import ending_signals, memory_of_machine, num_processors
from pres_eval.engines.messages import receive, send, wait_for_messages, widen
from pres_eval.engines.threads import in_order

MOST_COPIES = 16
"""Copies, each of which takes about 25 MB, or 35 MB where lines of a run are in no order.

Sixteen read 2.5 GB in 0.68 of the time of eight (on 16 processors); more were not measured.
"""

SPLIT_BYTES = 8 << 20
"""Bytes that a copy works on at a time: so few that all copies end at about the same time."""

LEAST_SECONDS = 0.1
"""Seconds of work that are worth making copies, which takes some hundredths."""

MESSAGE_SECONDS = 0.01
"""Seconds of work that are worth a message."""

_ITEM_NUMBER = struct.Struct("<q")

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""
_FORK_WARNING = ".*multi-threaded, use of fork"


def can_copy() -> bool:
    """Return whether processes can be forked here, and end only when they are waited for."""
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return False
    return signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN


class Copies:
    """Copies of this process, made anew for each `map`."""

    def __init__(self, workers: int) -> None:
        self.workers = self.threads = workers

    def split_size(self, total: int) -> int:
        """Return how many bytes of files with `total` bytes are one piece of work."""
        return SPLIT_BYTES

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value: copies have it."""
        return Shared(value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order."""
        work_on = with_shared(work, shared)
        all_items = list(items)
        if len(all_items) == 1:
            # It needs no copy: it uses the threads of this process, as for a compressed file.
            yield work_on(all_items[0])
            return
        yield from spread(work_on, all_items, self.workers)


def spread(work: Callable[[Any], Result], items: Sequence[Any], jobs: int) -> Iterator[Result]:
    """Yield work(item) for each item, in order, from up to `jobs` copies of this process.

    An item of which a copy dies (memory may run out) is given to another one.  Threads of this process go on
    alone if the system grants no copy.
    Raises what the work raises, and WorkersLostError where ATTEMPTS copies have died of one item.
    """
    crew = _Crew(work, items, jobs)
    try:
        for number in range(len(items)):
            answer = crew.answer(number)
            if answer is None:
                yield from in_order(work, items[number:], jobs, ahead=0)
                return
            yield result_in(answer)
    finally:
        crew.end()


class _Crew:
    """Copies that work on some items, and the answers that came from them.

    All copies read the numbers of items from the same pipe, each when it is ready for another one.  When a
    copy dies nobody knows which number it had read.  No more are written then, the other copies end when the
    pipe is empty, and new copies work on the items without an answer.
    """

    def __init__(self, work: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> None:
        self._work = work
        self._items = items
        self._jobs = jobs
        self._answers: dict[int, tuple[bool, Any]] = {}
        """The answers (see `outcome_of`) that nobody took yet, by the numbers of their items."""
        self._deaths: Counter[int] = Counter()
        """How often a copy died while an item had no answer, by the item's number."""
        self._processes: dict[int, int] = {}
        """The copies, by the pipes on which their answers come."""
        self._numbers: list[int] = []
        """The ends of the pipe of numbers: to read, to write."""
        self._unwritten: Iterator[int] = iter(())
        self._unanswered: set[int] = set()
        """The numbers that were written and have no answer."""

    def answer(self, number: int) -> tuple[bool, Any] | None:
        """Return the answer for an item, once it has come; None if the system grants no copy."""
        while number not in self._answers:
            if not self._processes and not self._begin(number):
                return None
            self._receive()
        self._write_numbers(1)
        return self._answers.pop(number)

    def end(self) -> None:
        """End all copies, whatever they do."""
        self._close_numbers()
        for pipe, process in self._processes.items():
            os.kill(process, signal.SIGKILL)
            os.close(pipe)
            os.waitpid(process, 0)
        self._processes.clear()

    def _begin(self, first: int) -> bool:
        """Make copies for the items from `first` on that have no answer; return whether there are copies.

        Raises WorkersLostError if ATTEMPTS copies died of an item.
        """
        self._deaths.update(self._unanswered)
        self._unanswered.clear()
        if self._deaths and max(self._deaths.values()) >= ATTEMPTS:
            raise WorkersLostError(WORKERS_DIED)
        self._close_numbers()
        left = [number for number in range(first, len(self._items)) if number not in self._answers]
        self._unwritten = iter(left)
        try:
            self._numbers = list(os.pipe())
            while len(self._processes) < min(self._jobs, len(left)):
                self._copy()
        except OSError as error:
            report_slower_way(f"{len(self._processes) or 'no'} copies of the process ({error})")
        if not self._processes:
            return False
        self._write_numbers(ITEMS_UNDER_WAY * self._jobs)
        return True

    def _write_numbers(self, count: int) -> None:
        """Give the copies further numbers."""
        for number in islice(self._unwritten, count):
            self._unanswered.add(number)
            os.write(self._numbers[1], _ITEM_NUMBER.pack(number))

    def _close_numbers(self) -> None:
        """Write no more numbers: a copy ends when it has read the last one."""
        self._unwritten = iter(())
        while self._numbers:
            os.close(self._numbers.pop())

    def _receive(self) -> None:
        """Wait for the answers of copies, and keep them; forget the copies that have ended."""
        for pipe in wait_for_messages(self._processes):
            try:
                number, answer = receive(pipe)
            except (EOFError, OSError):
                self._close_numbers()
                os.close(pipe)
                os.waitpid(self._processes.pop(pipe), 0)
            else:
                self._unanswered.discard(number)
                self._answers[number] = answer

    def _copy(self) -> None:
        """Copy this process.  Raises OSError if the system grants none."""
        pipe, answers = os.pipe()
        parent = os.getpid()
        try:
            with warnings.catch_warnings():
                # The threads that Python warns of have done their work, or are none of Python's.
                warnings.filterwarnings("ignore", _FORK_WARNING, DeprecationWarning)
                process = os.fork()
        except OSError:
            os.close(pipe)
            os.close(answers)
            raise
        self._processes[pipe] = process
        if process == 0:
            self._work_in_copy(parent, answers)
        os.close(answers)
        widen(pipe)

    def _work_in_copy(self, parent: int, answers: int) -> NoReturn:
        """Do the work of a copy: it never returns, so that no part of the program runs twice."""
        code = 1
        try:
            for ending in ending_signals():  # it has nothing to clean up
                if signal.getsignal(ending) != signal.SIG_IGN:
                    signal.signal(ending, signal.SIG_DFL)
            import ctypes  # takes a while

            # The system ends this copy when the process that made it ends.
            ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(code)
            numbers, numbers_end = self._numbers
            for pipe in (numbers_end, *self._processes):
                os.close(pipe)
            while data := os.read(numbers, _ITEM_NUMBER.size):
                (number,) = _ITEM_NUMBER.unpack(data)
                send(answers, (number, outcome_of(self._work, self._items[number])))
            code = 0
        finally:
            os._exit(code)


def by_copies(work: Callable[[int], Result], count: int, jobs: int | None) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), the first from this process, the others from up to `jobs` copies.

    How long the first one takes shows whether copies are worth it, and how many steps are one message.  A
    step may depend on its number alone, not on what other steps leave behind.  `jobs`: None is one a
    processor.
    """
    if not count:
        return
    began = time.perf_counter()
    first = work(0)
    seconds = time.perf_counter() - began
    yield first
    left = range(1, count)
    copies = 1
    if seconds * len(left) > LEAST_SECONDS:
        copies = min(jobs or num_processors(), len(left), MOST_COPIES, _copies_in_memory())
    if copies < 2:
        yield from map(work, left)
        return
    worth_a_message = int(MESSAGE_SECONDS / seconds) + 1
    equal_share = -(-len(left) // (PIECES_PER_WORKER * copies))
    num_steps = min(worth_a_message, equal_share)
    messages = [left[start : start + num_steps] for start in range(0, len(left), num_steps)]
    for results in spread(lambda numbers: [work(number) for number in numbers], messages, copies):
        yield from results


def _copies_in_memory() -> int:
    """Return how many copies there may be, if each of them comes to need as much memory as this process."""
    if not can_copy():
        return 1
    from resource import RUSAGE_SELF, getrusage

    return memory_of_machine() // (getrusage(RUSAGE_SELF).ru_maxrss << 10) - 1

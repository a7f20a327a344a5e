"""Loops, and a few threads that carry them out, whose results are taken in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar

from pres_eval.engines.machine import num_processors

Given = TypeVar("Given")
Result = TypeVar("Result")


class Loop(Protocol):
    """Carries out the steps of work: `in_turn`, `by_threads`, or what has copies of the process."""

    def __call__(self, work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1), in order; no step depends on what another leaves behind."""


def in_turn(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), one after the other."""
    return map(work, range(count))


def by_threads(jobs: int | None) -> Loop:
    """Return a loop by that number of threads; None: one for each processor."""
    return lambda work, count: in_order(work, range(count), jobs)


UNTHREADED = 1
"""Pieces of work that are done at once: a file of one chunk needs no threads."""


class _Task:
    """A piece of work, and its result."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: Exception | None = None
        self._done = threading.Event()

    def run(self) -> None:
        """Do it."""
        try:
            self._result = self._work()
        except Exception as error:
            self._error = error
        finally:
            del self._work
            self._done.set()

    def result(self) -> Any:
        """Return the result of the work, once it is done; raise its exception."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result


class _Threads:
    """Up to `jobs` threads, made when there is work; what the system does not grant is done without."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._num_threads = 0
        self._waiting: deque[_Task] = deque()
        self._there_is_work = threading.Semaphore(0)

    def start(self, work: Callable[[], Any]) -> _Task:
        """Let a thread do the work, one more until there are enough; do it now if there is none."""
        task = _Task(work)
        if self._num_threads < self._jobs:
            try:
                # Nobody waits for it when the process ends.
                threading.Thread(target=self._work, daemon=True).start()
            except (RuntimeError, MemoryError):
                self._jobs = max(self._num_threads, 1)
            else:
                self._num_threads += 1
        if self._num_threads:
            self._waiting.append(task)
            self._there_is_work.release()
        else:
            task.run()
        return task

    def end(self) -> None:
        """Let the threads end with the pieces they are at: nobody waits for one that reads a pipe."""
        self._waiting.clear()
        for _ in range(self._num_threads):
            self._there_is_work.release()

    def _work(self) -> None:
        while True:
            self._there_is_work.acquire()
            try:
                task = self._waiting.popleft()
            except IndexError:  # the end: nothing is wanted any more
                return
            task.run()
            del task


def in_order(
    function: Callable[[Given], Result],
    arguments: Iterable[Given],
    jobs: int | None,
    unthreaded: int = 0,
    ahead: int = 1,
) -> Iterator[Result]:
    """Yield the function's results, in order, from `jobs` threads, but the first few from this one.

    jobs   None: one for each processor
    ahead  further calls that wait for a thread
    """
    jobs = jobs or num_processors()
    if jobs == 1:
        # Nothing waits, so nothing is needed that could: it costs as much as a small batch.
        yield from map(function, arguments)
        return
    iterator = iter(arguments)
    yield from map(function, islice(iterator, unthreaded))
    failure = None
    waiting: deque[_Task] = deque()
    threads = _Threads(jobs)
    try:
        while True:
            try:
                argument = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                failure = error  # what was given before comes first, and may raise an error of its own
                break
            waiting.append(threads.start(partial(function, argument)))
            if len(waiting) >= jobs + ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if failure is not None:
            raise failure
    finally:
        threads.end()

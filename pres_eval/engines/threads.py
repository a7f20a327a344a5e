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
    """Function that carries out the steps of work: `in_turn`, by threads, or by copies of this process."""

    def __call__(self, work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1), in order; no step depends on what another leaves behind."""


def in_turn(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), one after the other."""
    return map(work, range(count))


def by_threads(jobs: int | None) -> Loop:
    """Return a loop by that number of threads; None: one for each processor."""
    return lambda work, count: in_order(work, range(count), jobs)


UNTHREADED = 1
"""`unthreaded` of `in_order` for the chunks of a file, or the blocks of a run: one needs no threads."""


class _Task:
    """A piece of work that a thread does while another one waits for its result."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = threading.Event()

    def run(self) -> None:
        """Do the work; whatever exception it raises, `result` raises."""
        try:
            self._result = self._work()
        except BaseException as error:  # SystemExit, too, is raised where the result is taken
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
    """Up to `jobs` threads, made when there is work, or as many as the system grants."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._num_threads = 0
        self._waiting: deque[_Task] = deque()
        self._there_is_work = threading.Semaphore(0)

    def start(self, work: Callable[[], Any]) -> _Task:
        """Let a thread do the work, a new one until there are `jobs`; do it now if the system grants none."""
        task = _Task(work)
        if self._num_threads < self._jobs:
            try:
                # Nobody waits for it when the process ends.
                threading.Thread(target=self._do_tasks, daemon=True).start()
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
        """Let each thread end after its present piece of work; do not wait for it, as it may read a pipe."""
        self._waiting.clear()
        for _ in range(self._num_threads):
            self._there_is_work.release()

    def _do_tasks(self) -> None:
        """Do one waiting task after the other, until `end`: each thread runs this."""
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
    """Yield the function's results, in order, from threads.

    jobs        how many threads; None: one for each processor
    unthreaded  how many of the first calls this thread makes
    ahead       how many calls, beyond one a thread, may wait or be done before their results are taken
    """
    jobs = jobs or num_processors()
    if jobs == 1:
        # One thread needs no queue, whose making takes as long as a small batch.
        yield from map(function, arguments)
        return
    iterator = iter(arguments)
    yield from map(function, islice(iterator, unthreaded))
    failure = None
    waiting: deque[_Task] = deque()
    threads: _Threads | None = None
    try:
        while True:
            try:
                argument = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                failure = error  # the results before it come first, and may raise an error of their own
                break
            if threads is None:
                threads = _Threads(jobs)
            waiting.append(threads.start(partial(function, argument)))
            if len(waiting) >= jobs + ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if failure is not None:
            raise failure
    finally:
        if threads is not None:
            threads.end()

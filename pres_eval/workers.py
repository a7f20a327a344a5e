"""A few threads whose results are taken in order, none for a single job; processors; ending signals."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

Work = Callable[[], Any]
"""Function that returns the result of work that was started, or raises its exception."""


UNTHREADED = 1
"""Pieces of work that are done at once: a file of one chunk needs no threads."""


class Workers:
    """Starts work in `jobs` threads, but the first few pieces at once.

    Threads that the system does not grant are done without.  When the block is left by an exception nobody
    waits for the threads, which may themselves be waiting for a pipe: they end with the piece they are at.
    """

    def __init__(self, jobs: int, unthreaded: int) -> None:
        self._jobs = jobs
        self._unthreaded = unthreaded
        self._num_threads = 0
        self._waiting: deque[_Task] = deque()
        self._there_is_work = threading.Semaphore(0)
        self.started = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._waiting.clear()
        for _ in range(self._num_threads):
            self._there_is_work.release()

    def start(self, function: Callable[..., Any], *arguments: object) -> Work:
        """Do the work now or in a thread."""
        self.started += 1
        task = _Task(function, arguments)
        if self._jobs == 1 or self.started <= self._unthreaded or not self._have_thread():
            task.run()
        else:
            self._waiting.append(task)
            self._there_is_work.release()
        return task.result

    def _have_thread(self) -> bool:
        """Return whether there is a thread to work; one more is made until there are enough."""
        if self._num_threads < self._jobs:
            try:
                # Nobody waits for it when the process ends.
                threading.Thread(target=self._work, daemon=True).start()
            except (RuntimeError, MemoryError):
                self._jobs = max(self._num_threads, 1)
            else:
                self._num_threads += 1
        return self._num_threads > 0

    def _work(self) -> None:
        while True:
            self._there_is_work.acquire()
            try:
                task = self._waiting.popleft()
            except IndexError:  # the end: nothing is wanted any more
                return
            task.run()
            del task


class _Task:
    """A piece of work, and its result."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        self._function = function
        self._arguments = arguments
        self._result: Any = None
        self._error: Exception | None = None
        self._done = threading.Event()

    def run(self) -> None:
        """Do it."""
        try:
            self._result = self._function(*self._arguments)
        except Exception as error:
            self._error = error
        finally:
            del self._function, self._arguments
            self._done.set()

    def result(self) -> Any:
        """Return the result of the work, once it is done; raise its exception."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result


def in_order(
    function: Callable[[Given], Result],
    given: Iterable[Given],
    jobs: int,
    unthreaded: int = 0,
    ahead: int = 1,
) -> Iterator[Result]:
    """Yield the function's results, in order, from `jobs` threads; `ahead` further calls wait."""
    if jobs == 1:
        # Nothing waits, so nothing is needed that could: it costs as much as a small batch.
        yield from map(function, given)
        return
    waiting: deque[Work] = deque()
    with Workers(jobs, unthreaded) as workers:
        failure = None
        iterator = iter(given)
        while True:
            try:
                argument = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                failure = error  # what was given before comes first, and may raise an error of its own
                break
            waiting.append(workers.start(function, argument))
            if len(waiting) >= jobs + ahead:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()
        if failure is not None:
            raise failure


SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGQUIT")
"""Signals that ask a process to end."""


def ending_signals() -> list[int]:
    """Return the numbers of these signals, as far as this system has them."""
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def num_processors() -> int:
    """Return the number of processors that this process may use."""
    # The system need not have this call, and may refuse it (seccomp).
    with contextlib.suppress(AttributeError, OSError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

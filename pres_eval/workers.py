"""A few threads for work whose results are taken in order; none at all for a single job."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

Work = Callable[[], Any]
"""Called, gives the result of work that was started, or raises what it raised."""


UNTHREADED = 4
"""Pieces of work that are done at once: starting threads would take longer."""


class Workers:
    """Starts work in `jobs` threads, but the first few pieces at once."""

    def __init__(self, jobs: int, unthreaded: int) -> None:
        self._jobs = jobs
        self._unthreaded = unthreaded
        self._pool: Any = None
        self.started = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self, function: Callable[..., Any], *arguments: object) -> Work:
        """Do the work now or in a thread."""
        self.started += 1
        if self._jobs == 1 or self.started <= self._unthreaded:
            try:
                result = function(*arguments)
            except Exception as error:
                return _raiser(error)
            return lambda: result
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # takes a while to import

            self._pool = ThreadPoolExecutor(self._jobs)
        return self._pool.submit(function, *arguments).result  # type: ignore[no-any-return]


def in_order(
    function: Callable[[Given], Result], given: Iterable[Given], jobs: int, unthreaded: int = 0
) -> Iterator[Result]:
    """The function's results, in order; `jobs` threads work at most as many calls ahead."""
    waiting: deque[Work] = deque()
    with Workers(jobs, unthreaded) as workers:
        for argument in given:
            waiting.append(workers.start(function, argument))
            if len(waiting) > jobs:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()


def num_processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _raiser(error: Exception) -> Work:
    def work() -> Any:
        raise error

    return work

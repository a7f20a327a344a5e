"""Long loops of the command: copies of this process share their steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from pres_eval.engines.engine import PER_WORKER, Result
from pres_eval.engines.processes import MOST, Processes, can_copy
from pres_eval.engines.worker import memory_of_machine
from pres_eval.workers import num_processors

WORTH = 0.1
"""Seconds of work that are worth making copies, which takes some hundredths."""

AT_ONCE = 0.01
"""Seconds of work that are worth a message."""


def by_copies(work: Callable[[int], Result], count: int, jobs: int | None) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), the first from this process, the others from up to `jobs` copies.

    How long the first one takes tells whether copies are worth it, and how many steps are one message.  A
    step may depend on its number alone, not on what other steps leave behind.  `jobs`: None is one a
    processor.
    """
    if not count:
        return
    began = time.perf_counter()
    first = work(0)
    took = time.perf_counter() - began
    yield first
    left = range(1, count)
    copies = _most_copies(jobs, len(left)) if took * len(left) > WORTH else 1
    if copies < 2:
        yield from map(work, left)
        return
    size = min(int(AT_ONCE / took) + 1, -(-len(left) // (PER_WORKER * copies)))
    some = [left[start : start + size] for start in range(0, len(left), size)]
    with Processes(copies, copied=True) as engine:
        for results in engine.map(_done, some, engine.share(work, "the work")):
            yield from results


def _done(numbers: range, work: Callable[[int], Result]) -> list[Result]:
    """Return the results of some steps."""
    return [work(number) for number in numbers]


def _most_copies(jobs: int | None, count: int) -> int:
    """Return how many copies there may be, if each of them comes to need as much memory as this process."""
    if not can_copy():
        return 1
    from resource import RUSAGE_SELF, getrusage

    room = memory_of_machine() // (getrusage(RUSAGE_SELF).ru_maxrss << 10) - 1
    return min(jobs or num_processors(), count, MOST, room)

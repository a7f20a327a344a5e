"""Engines carry work to whoever does it: this process, processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

from pres_eval.engines.machine import num_processors
from pres_eval.engines.threads import in_order
from pres_eval.errors import PresEvalError

Result = TypeVar("Result")

Work = Callable[..., Result]
"""A function of this package of one item, and of what was shared."""

ATTEMPTS = 3
"""Number of workers that have died of one item when that becomes an error."""

WORKERS_DIED = f"{ATTEMPTS} worker processes died of the same piece of work (did memory run out?)"

ITEMS_UNDER_WAY = 4
"""Items for each worker that may be under way, or have a result that waits for an earlier one."""

MEMORY_PER_SHARED_BYTE = 6
"""Bytes of a worker's memory for each byte that is sent to all workers, before work begins."""

LEAST_SPLIT = 16 << 20
"""Least bytes of a piece of work: with less, a worker on another machine would cost more than it does."""

MOST_SPLIT = 256 << 20
"""Most bytes of a piece of work, so that it fits the memory of a worker."""

PIECES_PER_WORKER = 4
"""Pieces of work for each worker, so that none of them waits long for the last one."""

LOCAL = "local:"
"""Beginning of the name of a cluster that is processes of this machine."""


class WorkersLostError(PresEvalError):
    """The workers are gone, or have no memory for the work."""


def check_room(what: str, size: int, limit: int | None) -> None:
    """Raise WorkersLostError if a shared value does not fit the memory of a worker.

    what   its name in messages
    size   its bytes
    limit  bytes of memory that each worker may use; None: no limit is known
    """
    needed = MEMORY_PER_SHARED_BYTE * size
    if limit is not None and needed > limit:
        raise WorkersLostError(
            f"{what}: {size:,} bytes are too large for workers with {limit:,} bytes of memory,"
            f" expected at least {needed:,}; give workers more memory, take fewer of them on each"
            " machine, or split the judgements by topic and evaluate the parts"
        )


def split_size(total: int, workers: int) -> int:
    """Return how many bytes each piece of work should have, if all files together have `total` bytes."""
    num_pieces = PIECES_PER_WORKER * max(workers, 1)
    return min(max(total // num_pieces, LEAST_SPLIT), MOST_SPLIT)


def report_slower_way(why: str) -> None:
    """Report that work takes a slower way, if PRES_EVAL_FALLBACK is set: `fail` makes it an error.

    With any other value, such as `say`, it is printed.
    """
    reaction = os.environ.get("PRES_EVAL_FALLBACK")
    if reaction == "fail":
        raise WorkersLostError(f"fell back unasked: {why}")
    if reaction:
        os.write(2, f"pres-eval: slower: {why}\n".encode())


def outcome_of(work: Work[Any], *arguments: Any) -> tuple[bool, Any]:
    """Return True and the result of a piece of work, or False and its error: the answer of a worker."""
    try:
        return True, work(*arguments)
    except Exception as error:
        return False, error


def result_in(answer: tuple[bool, Any]) -> Any:
    """Return the result in the answer of a worker; raise the error in it."""
    is_result, result = answer
    if not is_result:
        raise result
    return result


class Shared:
    """Value that all workers have until it is closed."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def close(self) -> None:
        """Let the workers forget it."""


class Engine(Protocol):
    """Carries work to workers."""

    @property
    def workers(self) -> int:
        """Return the number of pieces of work that run at a time."""

    @property
    def threads(self) -> int:
        """Return the number of threads that one piece of work may use, if it is the only one."""

    def split_size(self, total: int) -> int | None:
        """Return how many bytes of files with `total` bytes are one piece of work; None: whole files are."""

    def share(self, value: Any, what: str) -> Shared:
        """Send a value to all workers; `what` is what messages call it."""

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield work(item, *what was shared) for each item, in order.

        Work that is no longer needed is dropped.  Raises what the work raises, and WorkersLostError.
        """


def with_shared(work: Work[Result], shared: Iterable[Shared]) -> Callable[[Any], Result]:
    """Return the function of an item that also gives the shared values to the work, in this process."""
    values = [part.value for part in shared]
    return lambda item: work(item, *values)


class ThisProcess:
    """No workers: this process does everything, by some threads."""

    def __init__(self, jobs: int | None = None) -> None:
        self.workers = self.threads = jobs or num_processors()

    def split_size(self, total: int) -> None:
        """Return None: files are read whole."""

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value."""
        return Shared(value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """Yield the results; several items are worked on at the same time, by a thread each."""
        all_items = list(items)
        jobs = min(self.workers, len(all_items) or 1)
        # No more items than threads at a time: each may be as large as a run.
        yield from in_order(with_shared(work, shared), all_items, jobs, ahead=0)

"""What carries work to workers; the plans know nothing else of where they run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

from pres_eval.errors import PresEvalError
from pres_eval.workers import in_order

Result = TypeVar("Result")

Work = Callable[..., Result]
"""A function of this package of one item, and of what was shared."""


ROOM = 6
"""What is sent to all workers takes so much memory there, for each byte of it, before work begins."""


class WorkersLostError(PresEvalError):
    """Whoever carries the work is gone, or has no room for it."""


def check_room(what: str, size: int, limit: int | None) -> None:
    """Raise WorkersLostError if so many bytes are too many for workers with so much memory (None: any)."""
    if limit is not None and ROOM * size > limit:
        raise WorkersLostError(
            f"{what}: {size:,} bytes are too large for workers with {limit:,} bytes of memory,"
            f" expected at least {ROOM * size:,}; give workers more memory, take fewer of them on each"
            " machine, or split the judgements by topic and evaluate the parts"
        )


class Shared:
    """Something that was sent to all workers, once."""

    def release(self) -> None:
        """It is not wanted any more."""


class Engine(Protocol):
    """Carries work to workers."""

    @property
    def workers(self) -> int:
        """How many pieces of work are done at a time."""

    def share(self, value: Any, what: str) -> Shared:
        """Send a value to all workers; `what` is what messages call it."""

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """work(item, *what was shared) for each item, in order; what is not wanted any more is given up."""


class Value(Shared):
    """A value that needs not be sent."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Here:
    """No workers: everything is done in this process, by some threads (one: when it is wanted)."""

    def __init__(self, jobs: int = 1) -> None:
        self.workers = jobs

    def share(self, value: Any, what: str) -> Shared:
        """Keep a value."""
        return Value(value)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        """One after the other."""
        values = [each.value for each in shared if isinstance(each, Value)]

        def do(item: Any) -> Result:
            return work(item, *values)

        yield from in_order(do, items, self.workers, ahead=0)

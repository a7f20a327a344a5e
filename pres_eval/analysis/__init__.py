"""Experiments on evaluations: comparing runs, agreement of measures, sweeps, robustness, single topics."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from pres_eval.workers import in_order, num_processors

Result = TypeVar("Result")


class Loop(Protocol):
    """Carries out the steps of long work: `in_turn`, or what shows a bar and has copies of the process."""

    def __call__(self, work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1), in order; no step depends on what another leaves behind."""


def in_turn(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), one after the other."""
    return map(work, range(count))


def by_threads(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield work(0) to work(count - 1), from a thread for each processor."""
    return in_order(work, range(count), num_processors())

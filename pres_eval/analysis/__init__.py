"""Experiments on evaluations: comparing runs, agreement of measures, sweeps, robustness, single topics."""

from collections.abc import Callable, Iterable

Loop = Callable[[Iterable[int]], Iterable[int]]
"""Wrapper of the loop of long work: `iter`, or a function that shows a progress bar."""

"""Experiments on evaluations: comparing runs, agreement of measures, sweeps, robustness, single topics."""

from collections.abc import Callable, Iterable

Loop = Callable[[Iterable[int]], Iterable[int]]
"""What wraps the loop of long work: `iter`, or what shows a progress bar."""

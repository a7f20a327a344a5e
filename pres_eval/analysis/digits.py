"""Equality of numbers that were summed in different orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from pres_eval.arrays import FloatArray, IntArray

DECIMALS = 12
"""Scores and differences are rounded to this many decimals before they are compared: 0.3 - 0.1 and 0.2 are
the same difference, though not the same double, and two runs that find the same share of relevant documents
have the same mean, though the topics were added up in another order."""


def rounded(values: FloatArray) -> FloatArray:
    """Return the values (n,) for comparisons: rounded to 12 decimals, or 12 digits of the largest."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=1.0))
    return np.round(values, DECIMALS - math.ceil(math.log10(largest)))


def quantiles_of_known(values: FloatArray, shares: Sequence[float]) -> list[float]:
    """Return the quantiles of the values (n,) that are numbers; nan where none is."""
    known = values[~np.isnan(values)]
    found: list[float] = np.quantile(known, shares).tolist() if len(known) else [math.nan] * len(shares)
    return found


def least_enough(enough: Callable[[float], bool], high: float, halvings: int = 50) -> float:
    """Return the least number above 0 that is enough, as near as halvings come; `high` is a first guess."""
    low = 0.0
    while not enough(high):
        high *= 2
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def wins_ties_losses(differences: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return (P,) topics where the difference is above, at, and below zero."""
    differences = np.round(differences, DECIMALS)
    return (differences > 0).sum(axis=1), (differences == 0).sum(axis=1), (differences < 0).sum(axis=1)


def mean_and_deviation(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means (P,) and sample deviations (P,) (divisor T - 1) of rows (P, T); 0 for equal numbers."""
    size = differences.shape[1]
    mean = np.add.accumulate(differences, axis=1)[:, -1] / size
    squares = np.add.accumulate((differences - mean[:, None]) ** 2, axis=1)[:, -1]
    deviation = np.sqrt(squares / (size - 1)) if size > 1 else np.full(len(mean), math.nan)
    deviation[(np.round(differences, DECIMALS) == np.round(differences[:, :1], DECIMALS)).all(axis=1)] = 0.0
    return mean, deviation

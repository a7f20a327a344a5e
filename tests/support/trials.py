"""How long simulations are: a tenth in the suite, which sees gross errors; all of it by hand."""

from __future__ import annotations

import math
import os

ALL = os.environ.get("PRES_EVAL_EXAMPLES") == "all"
FEWEST_TRIALS = 20


def trials(number: int) -> int:
    """Return how many of so many trials are made now."""
    return number if ALL else max(FEWEST_TRIALS, number // 10)


def at_most(rate: float, number: int) -> float:
    """Return the share of so many trials that a rate seldom exceeds: two standard deviations above it."""
    return rate + 2 * math.sqrt(rate * (1 - rate) / number)

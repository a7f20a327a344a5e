"""When two numbers that were added up on different ways are the same number."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays.types import FloatArray

DECIMALS = 12
"""Scores and differences are rounded to this many decimals before they are compared: 0.3 - 0.1 and 0.2 are
the same difference, though not the same double, and two runs that find the same share of relevant documents
have the same mean, though the topics were added up in another order."""


def rounded(values: FloatArray) -> FloatArray:
    """(n,) the values as they are compared: rounded to 12 decimals, or 12 digits of the largest beyond 1."""
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=1.0))
    return np.round(values, DECIMALS - math.ceil(math.log10(largest)))

"""Hypotheses that a comparison of two runs can test: that they differ, that one is better, that they are
equivalent.
"""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.significance import PairedTest
from pres_eval.arrays.types import BoolArray, FloatArray, IntArray

ALTERNATIVES = ("two-sided", "greater", "less", "equivalent", "non-inferior")
"""What is to be shown, by the names that options use; the first is the default."""

WITH_MARGIN = ("equivalent", "non-inferior")


def p_values(
    test: PairedTest, differences: FloatArray, alternative: str, margin: float, samples: int, seed: int
) -> FloatArray:
    """P-values of (P, T) differences, run less other: (P,).

    two-sided     the runs differ
    greater, less the run is better, is worse than the other
    non-inferior  the run is worse by less than the margin: `greater` of differences + margin
    equivalent    they differ by less than the margin in either direction: the larger p-value of two one-sided
                  tests, differences + margin above 0 and differences - margin below 0
    Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987, doi:10.1007/BF01068419.
    """
    if alternative == "two-sided":
        return test.two_sided(differences, samples, seed)
    if alternative == "greater":
        return test.greater(differences, samples, seed)
    if alternative == "less":
        return test.greater(-differences, samples, seed)
    above = test.greater(differences + margin, samples, seed)
    if alternative == "non-inferior":
        return above
    return np.maximum(above, test.greater(margin - differences, samples, seed))


def directions(signs: IntArray, alternative: str) -> IntArray:
    """(P,) 1 where what was shown speaks for the run, -1 where against it: (P,) signs of what was tested in.

    For `equivalent` 0: neither is better; for `non-inferior` 1.
    """
    if alternative == "equivalent":
        return np.zeros_like(signs)
    return np.ones_like(signs) if alternative == "non-inferior" else signs


def ends_outside(alpha: FloatArray, alternative: str) -> FloatArray:
    """(P,) how much lies outside of the two-sided intervals whose ends go with tests at levels alpha (P,)."""
    return alpha if alternative == "two-sided" else np.minimum(2 * alpha, 1 - 1e-9)


def shown_by(lower: FloatArray, upper: FloatArray, alternative: str, margin: float) -> BoolArray:
    """(P,) whether intervals (P,) show what the alternative says, by themselves."""
    above, below = lower > -margin, upper < margin
    if alternative == "two-sided":
        return above | below
    return above & below if alternative == "equivalent" else below if alternative == "less" else above


def open_ends(lower: FloatArray, upper: FloatArray, alternative: str) -> tuple[FloatArray, FloatArray]:
    """The intervals (P,) that go with the alternative: one-sided ones have an end at infinity."""
    if alternative in ("greater", "non-inferior"):
        return lower, np.full(len(upper), math.inf)
    if alternative == "less":
        return np.full(len(lower), -math.inf), upper
    return lower, upper

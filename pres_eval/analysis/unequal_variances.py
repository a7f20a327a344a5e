"""A warning of joint tests: they take one variance for all pairs of runs, and may find what is not there.

Tukey's test, its randomised form and Dunnett's divide all differences by the same error.  Where runs are
unequally alike, as variants of one system beside other systems, a pair that varies more than others is then
called different too often: with 14 runs whose scores vary by 0.02 from topic to topic and three that vary
by 0.15, a third of tables without any difference had a significant one.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.paired import PairedScores
from pres_eval.arrays import FloatArray
from pres_eval.records import dataclass

UNEQUAL_FROM = 2.0
"""A pair's variance, as a multiple of the mean of all pairs', from which on the warning comes: tests of level
0.05 then find a difference that is not there in 0.07 to 0.15 of tables."""

BY_CHANCE = 0.01
"""How often the largest variance may be as far from the mean if all are the same."""


@dataclass(frozen=True)
class UnequalPair:
    """The pair of runs whose difference varies most under a measure, as a multiple of the mean of pairs."""

    measure: str
    run: str
    other: str
    ratio: float


def unequal_pairs(scores: PairedScores, test: str, baseline: int = 0) -> list[UnequalPair]:
    """Return the pair that varies most under each measure where that is too much, the worst first.

    test      a joint test
    baseline  place of the run whose pairs alone a test against a baseline has
    """
    topics = len(scores.topics)
    if topics < 2 or len(scores.runs) < 3:
        return []
    first, second = np.triu_indices(len(scores.runs), 1)
    tested = np.ones(len(first), np.bool_)
    if JOINT_TESTS[test].against_baseline:
        tested = (first == baseline) | (second == baseline)
    limit = max(UNEQUAL_FROM, _largest_by_chance(topics - 1, int(np.count_nonzero(tested))))
    unequal = []
    for number, measure in enumerate(scores.measures):
        variances = _variances_of_pairs(scores.values[number])
        mean = float(variances.mean())
        if mean < 1e-20:
            continue
        pair = int(np.where(tested, variances, -1.0).argmax())
        ratio = float(variances[pair]) / mean
        if ratio > limit:
            unequal.append(UnequalPair(measure, scores.runs[first[pair]], scores.runs[second[pair]], ratio))
    return sorted(unequal, key=lambda pair: -pair.ratio)


def _variances_of_pairs(values: FloatArray) -> FloatArray:
    """Return the variances (P,) of the differences of all pairs of runs, by scores (R, T)."""
    first, second = np.triu_indices(len(values), 1)
    covariances = np.atleast_2d(np.cov(values))
    spread = np.diag(covariances)
    return np.asarray(spread[first] + spread[second] - 2 * covariances[first, second])


def _largest_by_chance(freedom: int, pairs: int) -> float:
    """Return the multiple of the mean that the largest of equal variances exceeds with BY_CHANCE.

    Formula:  (1 - 2 / 9ν + z √(2 / 9ν))³ at 1 - BY_CHANCE / pairs, a quantile of χ² / ν
    Source: Wilson & Hilferty, PNAS 1931, doi:10.1073/pnas.17.12.684.
    """
    z = NormalDist().inv_cdf(1 - BY_CHANCE / pairs)
    return float((1 - 2 / (9 * freedom) + z * math.sqrt(2 / (9 * freedom))) ** 3)


def unequal_variances_warning(
    scores: PairedScores, test: str, alpha: float = 0.05, baseline: int = 0
) -> str | None:
    """Return the warning of a joint test on runs that are unequally alike; None for other tests and runs."""
    if test not in JOINT_TESTS:
        return None
    unequal = unequal_pairs(scores, test, baseline)
    if not unequal:
        return None
    worst = unequal[0]
    others = f" (and under {len(unequal) - 1} more of the measures)" if len(unequal) > 1 else ""
    return (
        f"unequal variances: the difference of {worst.run} and {worst.other} in {worst.measure} varies"
        f" {worst.ratio:.1f} times as much as pairs of runs do on average{others}; from {UNEQUAL_FROM:g} on,"
        f" {test} finds differences that are not there in more than {100 * alpha:g} % of tables: --test t"
        " with --correction holm does not"
    )

"""A warning of joint tests: they assume one variance for all pairs of runs, and may find false differences.

Tukey's test, its randomised form and Dunnett's divide all differences by the same error.  If some runs are
more alike than others, such as variants of one system among other systems, a pair that varies more than the
others is found to differ too often.  With 14 runs whose scores vary by 0.02 from topic to topic and three
that vary by 0.15, a third of simulated tables without any true difference had a significant one.
"""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import RandomStream
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.records import dataclass

HARMFUL_RATIO = 1.3
"""A pair's variance, as a multiple of the mean of all pairs, from which on there is a warning.

From here on a joint test of level 0.05 finds a false difference in 0.055 to 0.065 of tables, and from 1.5 on
in 0.065 to 0.09.
"""

FALSE_ALARMS = 0.05
"""Share of tables of runs that vary equally in which the warning may come, over all measures together."""

ROUNDING = 1e-12
"""Mean variance of differences, as a share of that of scores, up to which it is only rounding errors."""

LEAST_EXCHANGES = 199
"""Least number of random exchanges of scores: with 199, p can be 0.005."""

_SCORES_AT_ONCE = 1_000_000
"""Exchanged scores in one array: this bounds the memory."""


@dataclass(frozen=True)
class UnequalPair:
    """The pair of runs whose difference varies most under a measure.

    ratio  its variance as a multiple of the mean variance of all pairs
    """

    measure: str
    run: str
    other: str
    ratio: float


def unequal_pairs(scores: PairedScores, test: str, baseline: int = 0) -> list[UnequalPair]:
    """Return the pair that varies most under each measure whose runs vary unequally, the worst first.

    test      name of a joint test
    baseline  index of the run that a test against a baseline compares with; other tests have all pairs
    """
    if len(scores.topics) < 2 or len(scores.runs) < 3:
        return []
    first, second = np.triu_indices(len(scores.runs), 1)
    tested = np.ones(len(first), np.bool_)
    if JOINT_TESTS[test].against_baseline:
        tested = (first == baseline) | (second == baseline)
    level = FALSE_ALARMS / len(scores.measures)
    unequal = []
    for measure, values in zip(scores.measures, scores.values, strict=True):
        pair, ratio = _widest_pair(values, first, second, tested)
        if ratio >= HARMFUL_RATIO and vary_unequally(values, level):
            unequal.append(UnequalPair(measure, scores.runs[first[pair]], scores.runs[second[pair]], ratio))
    return sorted(unequal, key=lambda pair: -pair.ratio)


def _widest_pair(
    values: FloatArray, first: IntArray, second: IntArray, tested: BoolArray
) -> tuple[int, float]:
    """Return the index of the tested pair that varies most, and its variance over the mean of all pairs.

    values         (R, T) scores
    first, second  (P,) the runs of each pair
    tested         (P,) whether the pair is tested
    """
    covariances = np.cov(values)
    variance_of_run = np.diag(covariances)
    variances = variance_of_run[first] + variance_of_run[second] - 2 * covariances[first, second]
    mean = float(variances.mean())
    pair = int(np.where(tested, variances, -1.0).argmax())
    if mean <= ROUNDING * float(variance_of_run.mean()):
        # Each pair of runs has the same difference on all topics: only rounding errors vary.
        return pair, 1.0
    return pair, float(variances[pair]) / mean


def vary_unequally(values: FloatArray, level: float) -> bool:
    """Return whether runs with scores (R, T) vary more unequally than chance explains, at this level.

    It is a permutation test of `inequality`.  The mean of the topic and the median of the run are taken from
    each score; if runs vary equally, the runs could exchange the rest among each other within a topic.
    Deviations from medians keep the test's level for scores with long tails; variances would not.
    Source: Brown & Forsythe, JASA 1974, doi:10.1080/01621459.1974.10482955.
    """
    runs, topics = values.shape
    residuals = values - values.mean(axis=0)
    residuals = residuals - np.median(residuals, axis=1, keepdims=True)
    # The small number: sums in another order count as equal.
    observed = float(inequality(residuals[np.newaxis])[0]) * (1 - 1e-9)
    exchanges = max(LEAST_EXCHANGES, math.ceil(2 / level) - 1)
    # With more exchanges that are as unequal, p would be above the level.
    most_as_unequal = math.floor(level * (exchanges + 1) + 1e-9) - 1
    at_once = max(1, _SCORES_AT_ONCE // values.size)
    stream = RandomStream(0)
    as_unequal = 0
    for start in range(0, exchanges, at_once):
        count = min(at_once, exchanges - start)
        orders = stream.orders(count * topics, runs).reshape(count, topics, runs)
        exchanged = np.take_along_axis(residuals.T[np.newaxis], orders, axis=2)
        as_unequal += int(np.count_nonzero(inequality(exchanged.transpose(0, 2, 1)) >= observed))
        if as_unequal > most_as_unequal:
            return False
    return True


def inequality(residuals: FloatArray) -> FloatArray:
    """Return how unequally runs vary in each of S tables (S,).

    residuals  (S, R, T) scores less the means of topics
    Formula:  Σ a² / (Σ a)² over runs, a the sum over topics of a run's absolute deviations from its median;
      1 / R if all runs vary equally
    """
    deviations = np.abs(residuals - np.median(residuals, axis=2, keepdims=True)).sum(axis=2)
    total = np.maximum(deviations.sum(axis=1), 1e-300)
    return np.asarray((deviations**2).sum(axis=1) / total**2, np.float64)


def unequal_variances_warning(
    scores: PairedScores, test: str, alpha: float = 0.05, baseline: int = 0
) -> str | None:
    """Return the warning of a joint test if runs vary unequally; None for other tests and other runs."""
    if test not in JOINT_TESTS:
        return None
    unequal = unequal_pairs(scores, test, baseline)
    if not unequal:
        return None
    worst = unequal[0]
    others = f" (and under {len(unequal) - 1} more of the measures)" if len(unequal) > 1 else ""
    return (
        f"unequal variances: the difference of {worst.run} and {worst.other} in {worst.measure} varies"
        f" {worst.ratio:.1f} times as much as pairs of runs do on average{others}; {test} takes the same"
        " variance for all pairs, and then finds differences that are not there in more than"
        f" {100 * alpha:g} % of tables; t with Holm's correction takes each pair's (compare --test t)"
    )

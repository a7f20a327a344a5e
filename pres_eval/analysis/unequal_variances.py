"""A warning of joint tests: they take one variance for all pairs of runs, and may find what is not there.

Tukey's test, its randomised form and Dunnett's divide all differences by the same error.  Where runs are
unequally alike, as variants of one system beside other systems, a pair that varies more than others is then
called different too often: with 14 runs whose scores vary by 0.02 from topic to topic and three that vary
by 0.15, a third of tables without any difference had a significant one.
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
"""A pair's variance, as a multiple of the mean of all pairs', from which on a joint test of level 0.05 loses
it: it finds a difference that is not there in 0.055 to 0.065 of tables, and from 1.5 on in 0.065 to 0.09."""

FALSE_ALARMS = 0.05
"""In how many tables of runs that vary equally the warning may come, over all measures together."""

ROUNDING = 1e-12
"""Mean variance of differences, as a share of that of scores, up to which it comes from rounding alone."""

EXCHANGES_AT_LEAST = 199
"""Random exchanges of scores at least, so that p can be 0.005."""

_SCORES_AT_ONCE = 1_000_000
"""Exchanged scores in one array: this bounds the memory."""


@dataclass(frozen=True)
class UnequalPair:
    """The pair of runs whose difference varies most under a measure, as a multiple of the mean of pairs."""

    measure: str
    run: str
    other: str
    ratio: float


def unequal_pairs(scores: PairedScores, test: str, baseline: int = 0) -> list[UnequalPair]:
    """Return the pair that varies most under each measure whose runs vary unequally, the worst first.

    test      a joint test
    baseline  index of the run whose pairs alone a test against a baseline has
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
    """Return which of the pairs (P,) that are tested varies most, and its variance by the mean of all pairs.

    values         (R, T) scores
    first, second  (P,) the runs of each pair
    """
    covariances = np.cov(values)
    variance_of_run = np.diag(covariances)
    variances = variance_of_run[first] + variance_of_run[second] - 2 * covariances[first, second]
    mean = float(variances.mean())
    pair = int(np.where(tested, variances, -1.0).argmax())
    if mean <= ROUNDING * float(variance_of_run.mean()):
        return pair, 1.0  # runs that differ by the same on all topics: what is left are rounding errors
    return pair, float(variances[pair]) / mean


def vary_unequally(values: FloatArray, level: float) -> bool:
    """Return whether runs with scores (R, T) vary more unequally than chance explains, at this level.

    Permutes `inequality`: if runs vary equally, they may exchange what is left of a topic's scores without
    the mean of the topic and the median of the run.  Deviations from medians keep the level of scores with
    long tails, which variances would not.
    Source: Brown & Forsythe, JASA 1974, doi:10.1080/01621459.1974.10482955.
    """
    runs, topics = values.shape
    residuals = values - values.mean(axis=0)
    residuals = residuals - np.median(residuals, axis=1, keepdims=True)
    observed = float(inequality(residuals[np.newaxis])[0]) * (1 - 1e-9)
    exchanges = max(EXCHANGES_AT_LEAST, math.ceil(2 / level) - 1)
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
    """Return how unequally runs vary (S,), by S tables (S, R, T) of what topics and runs leave of scores.

    Formula:  Σ a² / (Σ a)², a the sum over topics of a run's deviations from its median; 1 / R if all are
      the same
    """
    deviations = np.abs(residuals - np.median(residuals, axis=2, keepdims=True)).sum(axis=2)
    total = np.maximum(deviations.sum(axis=1), 1e-300)
    return np.asarray((deviations**2).sum(axis=1) / total**2, np.float64)


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
        f" {worst.ratio:.1f} times as much as pairs of runs do on average{others}; {test} takes the same"
        " variance for all pairs, and then finds differences that are not there in more than"
        f" {100 * alpha:g} % of tables; t with Holm's correction takes each pair's (compare --test t)"
    )

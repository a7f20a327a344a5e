"""Tests of all the runs at once: Tukey's, its randomised form, Dunnett's, and the chances that they need.

They use the table of runs by topics as a whole, so that their p-values need no correction for the number
of runs: the chance of any false finding stays below alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pres_eval.analysis.reproducible import RandomStream, least_enough
from pres_eval.arrays import FloatArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import MissingExtraError

_DEVIATION_NODES = 48
"""Nodes of the quadrature over the standard deviation: enough for 10 decimals with up to 100 means."""

_SHARED_NODES = 320
"""Nodes of the quadrature over the shared normal deviate: enough for 10 decimals with up to 100 means."""

_LARGEST_DEVIATE = 8.5
"""Largest normal deviate of the quadrature: larger ones have a probability below 1e-16."""

_WIDEST = 2 * _LARGEST_DEVIATE
"""Largest range of normal deviates, except with a probability below 1e-15."""

_TERMS = 256
"""Terms of the polynomial that gives the probability of a range: enough for 12 decimals."""

_NOISE = 1e-15
"""Coefficients of the polynomial up to this size are rounding: its last ones are left out."""

_STATISTICS_AT_ONCE = 512
"""Statistics whose probabilities are computed in one array: this bounds the memory."""

_DEALT_AT_ONCE = 1_000_000
"""Scores of one measure that a thread deals at a time."""

_SHARE_LEFT_OUT = 1e-17
"""The share of the distribution of a standard deviation that is left out at either end."""

_LEAST_RESIDUAL = 1e-13
"""Residuals below this are rounding errors of scores up to 1, and count as 0."""

_LEAST_DIFFERENCE = 1e-12
"""Differences of means up to this count as 0."""


def studentized_range(q: FloatArray, groups: int, freedom: float) -> FloatArray:
    """Return P(Q > q) (P,) for q (P,), Q the studentised range of `groups` means.

    freedom  degrees of freedom of the standard deviation
    """
    return _outside(q, freedom, _range_chances(groups))


def against_one(t: FloatArray, comparisons: int, freedom: float) -> FloatArray:
    """Return P(max |T_i| > t) (P,) for t (P,), T_i the t values of runs compared with the same run.

    comparisons  how many T_i there are
    freedom      degrees of freedom of the standard deviation
    """
    return _outside(t, freedom, _shared_chances(comparisons))


@lru_cache(maxsize=64)
def _range_chances(groups: int) -> FloatArray:
    """Return coefficients (terms,) of P(range of k normal deviates is below w), a polynomial of the width w.

    groups  k
    Formula:  k ∫ φ(z) (Φ(z) - Φ(z - w))^(k - 1) dz: one deviate z is the largest, the others are less than w
      below it
    """
    return _polynomial(lambda ndtr, width, z: groups * (ndtr(z) - ndtr(z - width)) ** (groups - 1))


@lru_cache(maxsize=64)
def _shared_chances(comparisons: int) -> FloatArray:
    """Return the coefficients (terms,) of P(all |z_i - z| / √2 are below w), a polynomial of the width w.

    comparisons  k, how many z_i there are; z and the z_i are independent normal deviates
    Formula:  ∫ φ(z) (Φ(z + √2 w) - Φ(z - √2 w))^k dz
    """
    root = math.sqrt(2)
    return _polynomial(
        lambda ndtr, width, z: (ndtr(z + root * width) - ndtr(z - root * width)) ** comparisons
    )


def _polynomial(inside: Callable[[Any, FloatArray, FloatArray], FloatArray]) -> FloatArray:
    """Return the Chebyshev coefficients (terms,) of ∫ φ(z) inside(Φ, width, z) dz as a function of the width.

    inside  the probability that all deviates are within the width, if the shared one is z
    φ and Φ are the density and the distribution of a normal deviate.  Widths 0 … _WIDEST become -1 … 1.
    """
    nodes, weights = _gauss(_SHARED_NODES)
    z = _LARGEST_DEVIATE * nodes
    z_weights = weights * _LARGEST_DEVIATE * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    # The cosines of k (2 j + 1) π / (2 terms).  Whole turns are taken off in whole numbers, which is exact.
    turns = np.arange(_TERMS)[:, None] * np.arange(1, 2 * _TERMS, 2) % (4 * _TERMS)
    cosines = np.cos(turns * (math.pi / (2 * _TERMS)))
    widths = (cosines[1] + 1) / 2 * _WIDEST
    chances = inside(special_functions().ndtr, widths[:, None], z) @ z_weights
    coefficients = cosines @ chances * (2 / _TERMS)
    coefficients[0] /= 2
    last = np.flatnonzero(np.abs(coefficients) > _NOISE)[-1]
    return np.asarray(coefficients[: last + 1], np.float64)


def _outside(values: FloatArray, freedom: float, polynomial: FloatArray) -> FloatArray:
    """Return the probabilities (P,) of exceeding values (P,): 1 - ∫ f(s) H(s value) ds.

    f  density of the standard deviation s with `freedom` degrees of freedom, if the true one is 1
    H  probability that deviates are within a width, whose Chebyshev coefficients are `polynomial`
    """
    special = special_functions()
    half = freedom / 2
    lowest = math.sqrt(special.gammaincinv(half, _SHARE_LEFT_OUT) / half)
    highest = math.sqrt(special.gammainccinv(half, _SHARE_LEFT_OUT) / half)
    nodes, weights = _gauss(_DEVIATION_NODES)
    s = lowest + (nodes + 1) / 2 * (highest - lowest)
    logarithm = math.log(2) + half * math.log(half) - math.lgamma(half) + (freedom - 1) * np.log(s)
    s_weights = weights * (highest - lowest) / 2 * np.exp(logarithm - half * s * s)
    chances = np.empty(len(values))
    for start in range(0, len(values), _STATISTICS_AT_ONCE):
        width = np.minimum(values[start : start + _STATISTICS_AT_ONCE, None] * s, _WIDEST)
        chances_of_widths = np.polynomial.chebyshev.chebval(2 / _WIDEST * width - 1, polynomial)
        chances[start : start + _STATISTICS_AT_ONCE] = chances_of_widths @ s_weights
    chances = np.clip(1 - chances, 0.0, 1.0)
    chances[values == 0], chances[np.isinf(values)] = 1.0, 0.0
    return np.where(np.isnan(values), math.nan, chances)


@lru_cache
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return (nodes,) abscissae and (nodes,) weights of Gauss and Legendre's quadrature from -1 to 1."""
    abscissae, weights = np.polynomial.legendre.leggauss(nodes)
    return abscissae, weights


def special_functions(feature: str = "this test") -> Any:
    """Return scipy's special functions; raise MissingExtraError if it is not there."""
    try:
        from scipy import special
    except ImportError as problem:
        raise MissingExtraError(feature, "scipy", "stats") from problem
    return special


Outside = Callable[[FloatArray, int, float], FloatArray]
"""Function that returns the probabilities (P,) of exceeding values (P,), by the number of means or
comparisons and the degrees of freedom."""


@dataclass(frozen=True)
class Draws:
    """Settings of a joint test: number and seed of random draws, the level of intervals, the loop of draws.

    alpha  the chance that any of the intervals misses
    loop   carries out the loop over the draws
    """

    samples: int = 10_000
    seed: int = 0
    alpha: float = 0.05
    loop: Loop = in_turn


@dataclass(frozen=True, eq=False)
class Joint:
    """Result of a test of P differences of means.

    p_values    (P,)
    half_width  half the width of the intervals of all differences; nan for a test of each pair by itself
    """

    p_values: FloatArray
    half_width: float = math.nan


def residual_variance(values: FloatArray) -> float:
    """Return the variance of scores (R, T) that neither the run nor the topic explains.

    Formula:  Σ (x_rt - x̄_r - x̄_t + x̄)² / ((R - 1) (T - 1)), x̄_r a run's mean, x̄_t a topic's: the residual
      mean square of the two-way analysis of variance without interaction.  nan for one run or one topic.
    Source: Fisher 1925; Sakai, Information Retrieval Journal 2016, doi:10.1007/s10791-015-9273-z (2.3).
    """
    runs, topics = values.shape
    if runs < 2 or topics < 2:
        return math.nan
    of_run = values.mean(axis=1, keepdims=True)
    of_topic = values.mean(axis=0, keepdims=True)
    residuals = values - of_run - of_topic + values.mean()
    residuals[np.abs(residuals) < _LEAST_RESIDUAL] = 0.0
    return float((residuals**2).sum() / ((runs - 1) * (topics - 1)))


def tukey(values: FloatArray, differences: Sequence[FloatArray], settings: Draws) -> list[Joint]:
    """Return Tukey's HSD test of each measure, after a two-way analysis of variance.

    values       (M, R, T) scores
    differences  for each measure those of means (P,) to test

    Formula:  q = |d| / √(V / T), V the residual variance; p = P(Q > q), Q the studentised range of R means
      with (R - 1) (T - 1) degrees of freedom; nan for one topic
    Source: Tukey, The Problem of Multiple Comparisons, 1953; Carterette, ACM TOIS 2012,
      doi:10.1145/2094072.2094076.  Needs scipy.
    """
    results = []
    for scores, tested in zip(values, differences, strict=True):
        variance = residual_variance(scores)
        results.append(_by_variance(scores, tested, settings, variance, studentized_range, len(scores)))
    return results


def dunnett(values: FloatArray, differences: Sequence[FloatArray], settings: Draws) -> list[Joint]:
    """Return Dunnett's test of runs against a baseline, for each measure.

    values       (M, R, T) scores
    differences  for each measure those of means (R - 1,) from the baseline's

    Formula:  t = |d| / √(2 V / T), V the residual variance; p = P(max |T_i| > t) over the R - 1 comparisons,
      whose T_i have (R - 1) (T - 1) degrees of freedom and correlate with 1/2, since all share the baseline;
      nan for one topic
    Source: Dunnett, JASA 1955, doi:10.1080/01621459.1955.10501294.  Needs scipy.
    """
    results = []
    for scores, tested in zip(values, differences, strict=True):
        variance = 2 * residual_variance(scores)
        results.append(_by_variance(scores, tested, settings, variance, against_one, len(scores) - 1))
    return results


def _by_variance(
    values: FloatArray,
    differences: FloatArray,
    settings: Draws,
    variance: float,
    outside: Outside,
    number: int,
) -> Joint:
    """Return p-values and intervals of differences (P,) of means over the topics of values (R, T).

    variance  of a score; with the number of topics it gives the unit of the statistic
    outside   gives the p-value of a statistic, for `number` means or comparisons
    """
    runs, topics = values.shape
    if topics < 2:
        return Joint(np.full(len(differences), math.nan), math.nan)
    unit = math.sqrt(variance / topics)
    freedom = (runs - 1) * (topics - 1)
    distances = np.abs(differences)
    if unit > 0:
        statistics = distances / unit
    else:
        # Without residual variance the statistic is unknown, except for differences of 0: it is 0.
        is_unknown = (distances > _LEAST_DIFFERENCE) | math.isnan(unit)
        statistics = np.where(is_unknown, math.nan, 0.0)
    p_values = outside(statistics, number, freedom)
    return Joint(p_values, unit * _critical(outside, number, freedom, settings.alpha))


def randomised_tukey(values: FloatArray, differences: Sequence[FloatArray], settings: Draws) -> list[Joint]:
    """Return the randomised Tukey HSD test of each measure, with the same random deals for all.

    values       (M, R, T) scores
    differences  for each measure those of means (P,) to test

    If all runs were the same system, each topic's scores could as well have been dealt to the runs in any
    other way.  p is the share of random deals in which the best and the worst mean are at least as far apart
    as the two means tested; the observed deal counts as one more.
    Source: Carterette, ACM TOIS 2012, doi:10.1145/2094072.2094076.
    """
    samples = settings.samples
    ranges = np.sort(dealt_ranges(values, samples, settings.seed, settings.loop))
    # Rounding errors of sums in another order.
    margins = 1e-12 * np.abs(values).max(axis=(1, 2), initial=1e-300)
    # The index of the range that a share of alpha of all deals exceeds.
    critical = min(samples - 1, math.ceil((1 - settings.alpha) * (samples + 1)) - 1)
    results = []
    for ranges_of_measure, tested, margin in zip(ranges, differences, margins, strict=True):
        narrower = np.searchsorted(ranges_of_measure, np.abs(tested) - margin)
        p_values = (1 + samples - narrower) / (samples + 1)
        results.append(Joint(p_values=p_values, half_width=float(ranges_of_measure[critical])))
    return results


def dealt_ranges(values: FloatArray, samples: int, seed: int, loop: Loop = in_turn) -> FloatArray:
    """Return ranges (M, samples): the best mean less the worst, if each topic's scores are dealt at random.

    values  (M, R, T); a deal of a topic's scores to the runs is the same for all measures
    loop    carries out the loop over deals
    """
    measures, runs, topics = values.shape
    of_topics = np.ascontiguousarray(values.transpose(2, 1, 0))
    at_once = max(1, _DEALT_AT_ONCE // (runs * topics))

    def ranges(number: int) -> FloatArray:
        """Return the ranges (M, S) of the S deals from number * at_once on."""
        start = number * at_once
        stream = RandomStream(seed)
        stream.skip(start * topics * runs)
        orders = stream.orders(min(at_once, samples - start) * topics, runs).reshape(-1, topics, runs)
        totals = np.zeros((len(orders), runs, measures))
        # One topic after the other: the same bits on every platform.
        for topic, scores in enumerate(of_topics):
            totals += scores.take(orders[:, topic], axis=0, mode="clip")  # skips the check of each index
        return np.asarray((totals.max(axis=1) - totals.min(axis=1)).T / topics, np.float64)

    times = -(-samples // at_once)
    return np.concatenate(list(loop(ranges, times)), axis=1)


@lru_cache(maxsize=256)
def _critical(outside: Outside, number: int, freedom: float, alpha: float) -> float:
    """Return the value that is exceeded with probability alpha."""

    def is_beyond(value: float) -> bool:
        """Return whether the value is exceeded with probability alpha or less; nan ends the search."""
        chance = float(outside(np.array([value]), number, freedom)[0])
        return math.isnan(chance) or chance <= alpha

    return least_enough(is_beyond, high=1.0, halvings=60)


@dataclass(frozen=True)
class JointTest:
    """A test of all runs at once.

    run              values (M, R, T), for each measure differences of means (P,), draws -> M results
    against_baseline whether it only compares the other runs with one
    least            runs, topics, samples -> the lowest p-value that can come out
    """

    run: Callable[[FloatArray, Sequence[FloatArray], Draws], list[Joint]]
    against_baseline: bool
    least: Callable[[int, int, int], float]


def _least_of_variance(runs: int, topics: int, samples: int) -> float:
    """Return the least p-value of an analysis of variance, 0: any can come out; nan for one topic."""
    return 0.0 if topics > 1 else math.nan


def _least_of_deals(runs: int, topics: int, samples: int) -> float:
    """Return the least p-value of randomised Tukey: the share of the most extreme deals, or of one deal.

    In these deals one run has the best score of every topic, and another one the worst.
    """
    ordered_pairs = max(runs * (runs - 1), 1)
    share_of_extremes = float(ordered_pairs) ** (1 - topics)
    return max(share_of_extremes, 1 / (samples + 1))


JOINT_TESTS: dict[str, JointTest] = {
    "tukey": JointTest(tukey, False, _least_of_variance),
    "randomised-tukey": JointTest(randomised_tukey, False, _least_of_deals),
    "dunnett": JointTest(dunnett, True, _least_of_variance),
}
"""The tests of all runs at once by the names that options use."""

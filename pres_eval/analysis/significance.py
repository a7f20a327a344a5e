"""Paired tests over topics, for many pairs of runs at once, and the hypotheses that they can test.

Every test takes differences, one row for each comparison and one column for each topic, and gives one p-value
a row: two-sided, or one-sided (`greater`), small where the differences lie above zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pres_eval.analysis.distributions import t_above, t_two_sided, wilcoxon
from pres_eval.analysis.reproducible import DECIMALS, RandomStream, mean_and_deviation, wins_ties_losses
from pres_eval.arrays import BoolArray, FloatArray, IntArray

ALTERNATIVES = ("two-sided", "greater", "less", "equivalent", "non-inferior")
"""Alternative hypotheses, by the names that options use; the first is the default."""

WITH_MARGIN = ("equivalent", "non-inferior")
"""The alternatives that need a margin: the largest difference that does not matter."""


def p_values(
    test: PairedTest,
    differences: FloatArray,
    alternative: str,
    margin: float | FloatArray,
    samples: int,
    seed: int,
) -> FloatArray:
    """Return p-values (P,) for an alternative hypothesis about differences (P, T), run minus other.

    differences  above 0 where the run is better
    alternative  two-sided: the runs differ
                 greater, less: the run is better, is worse than the other
                 non-inferior: the run is worse by less than the margin (differences + margin lie above 0)
                 equivalent: they differ by less than the margin; p is the larger one of two one-sided tests,
                 that differences + margin lie above 0 and that differences - margin lie below 0
    margin       a number, or for differences with weights that number times the weights (T,); 0 for the
                 first three
    Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987, doi:10.1007/BF01068419.
    """
    if alternative == "two-sided":
        return test.run(differences, samples, seed)
    if alternative == "less":
        return test.run(-differences, samples, seed, greater=True)
    # The margin of `greater` is 0.
    above = test.run(differences + margin, samples, seed, greater=True)
    if alternative != "equivalent":
        return above
    return np.maximum(above, test.run(margin - differences, samples, seed, greater=True))


def directions(signs: IntArray, alternative: str) -> IntArray:
    """Return (P,) 1 where the result favours the run, -1 where it favours the other, 0 for neither.

    signs  (P,) of the differences that were tested, see `estimates.favoured`
    For `equivalent` all are 0: neither is better.  For `non-inferior` all are 1.
    """
    if alternative == "equivalent":
        return np.zeros_like(signs)
    if alternative == "non-inferior":
        return np.ones_like(signs)
    return signs


LARGEST_SHARE_OUTSIDE = 1 - 1e-9
"""Largest share outside of an interval: with a share of 1 it would have no width."""


def ends_outside(alpha: FloatArray, alternative: str) -> FloatArray:
    """Return the shares (P,) outside of two-sided intervals that match tests at levels alpha (P,).

    A one-sided test at alpha matches one end of the interval that leaves out alpha at each end.
    """
    if alternative == "two-sided":
        return alpha
    return np.minimum(2 * alpha, LARGEST_SHARE_OUTSIDE)


def shown_by(lower: FloatArray, upper: FloatArray, alternative: str, margin: float) -> BoolArray:
    """Return (P,) whether each interval alone shows the alternative.

    The margin is 0 for alternatives without one.  Intervals of one-sided alternatives have an end at infinity
    (see `open_ends`), which shows nothing.
    """
    above, below = lower > -margin, upper < margin
    if alternative == "equivalent":
        return above & below
    return above | below


def open_ends(lower: FloatArray, upper: FloatArray, alternative: str) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends (P,) of intervals for the alternative: one-sided ones end at infinity."""
    if alternative in ("greater", "non-inferior"):
        return lower, np.full(len(upper), math.inf)
    if alternative == "less":
        return np.full(len(lower), -math.inf), upper
    return lower, upper


MOST_ENUMERATED_TOPICS = 16
"""Topics that differ, up to which the randomisation test goes through all 2**n sign changes (65,536)."""

FEWEST_EQUAL_DIFFERENCES = 5
"""Least number of topics with the same difference that has a p-value: fewer are often equal by chance."""

NEED_VARIANCE = ("t", "bootstrap")
"""The paired tests that test the signs instead where all differences are the same."""

_SAMPLES_AT_ONCE = 1000
"""Random samples computed in one array: this bounds the memory."""

_ROUNDING = 1e-12
"""Relative difference below which two statistics count as equal: it comes from the order of additions."""

_NO_VARIANCE = 1e-24
"""Variance of a draw up to which its differences count as equal."""


def paired_t(differences: FloatArray, samples: int = 0, seed: int = 0, greater: bool = False) -> FloatArray:
    """Return p-values (P,) of the paired t-test of differences (P, T); samples and seed are not used.

    nan for one topic.  Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    size = differences.shape[1]
    if size < 2:
        return np.full(len(differences), math.nan)
    mean, deviation = mean_and_deviation(differences)
    return t_of_means(mean, deviation / math.sqrt(size), size, greater)


def t_of_means(
    mean: FloatArray, error: FloatArray, topics: int, greater: bool = False, freedom: float | None = None
) -> FloatArray:
    """Return p-values (P,) of t-tests that mean differences (P,) over topics are zero.

    error    (P,) standard errors of the means; 0: all differences are the same
    freedom  degrees of freedom; None: one less than the topics

    1 (one-sided 1/2) where all differences are zero; the value of `_without_variance` where all are the same
    other number.
    """
    t = np.copysign(math.inf, mean)
    varied = error > 0
    t[varied] = mean[varied] / error[varied]
    if freedom is None:
        freedom = topics - 1
    p_values = t_above(t, freedom) if greater else t_two_sided(t, freedom)
    if not varied.all():
        p_values[~varied] = _without_variance(mean[~varied], topics, greater)
        p_values[~varied & (np.round(mean, DECIMALS) == 0)] = 0.5 if greater else 1.0
    return p_values


def _without_variance(mean: FloatArray, topics: int, greater: bool) -> FloatArray:
    """Return p-values (P,) where all topics have the same difference (P,), not 0, so that t is infinite.

    nan below FEWEST_EQUAL_DIFFERENCES topics, which may be equal by chance; else the chance that all signs
    agree, as in `randomisation`.
    """
    if topics < FEWEST_EQUAL_DIFFERENCES:
        return np.full(len(mean), math.nan)
    all_alike = 2.0**-topics
    if greater:
        return np.where(mean > 0, all_alike, 1.0)
    return np.full(len(mean), 2 * all_alike)


def sign(differences: FloatArray, samples: int = 0, seed: int = 0, greater: bool = False) -> FloatArray:
    """Return p-values (P,) of the sign test of differences (P, T); samples and seed are not used.

    Formula:  min(1, 2 P(X <= min(wins, losses))), X binomial over the topics that differ, with probability
      1/2; one-sided P(X <= losses)
    1 if all differences are zero.
    Source: Conover, Practical Nonparametric Statistics, 3rd edition 1999, 3.4.
    """
    above, _, below = wins_ties_losses(differences)
    fewer = below if greater else np.minimum(above, below)
    topics = above + below
    chances = np.empty(len(topics))
    for row, (successes, trials) in enumerate(zip(fewer.tolist(), topics.tolist(), strict=True)):
        chances[row] = _at_most(successes, trials)
    if greater:
        return np.minimum(1.0, chances)
    return np.minimum(1.0, 2 * chances)


@lru_cache(maxsize=4096)
def _at_most(successes: int, trials: int) -> float:
    """Return the probability of `successes` heads or fewer in `trials` throws of a fair coin."""
    sequences = sum(math.comb(trials, heads) for heads in range(successes + 1))
    return float(sequences / 2**trials)


def randomisation(
    differences: FloatArray, samples: int = 10_000, seed: int = 0, greater: bool = False
) -> FloatArray:
    """Return p-values (P,) of the paired randomisation test on the mean of differences (P, T).

    If the two runs were the same system, each topic's difference could as well have the other sign: p is the
    share of sign changes that give a mean difference at least as far from 0, or as high (one-sided).  All
    2**n of them are tried for up to 16 topics that differ; otherwise `samples` random ones (PCG64), the
    observed signs counting as one more, so that p is at least 1 / (samples + 1).  Every row meets the same
    sign changes.
    Source: Fisher 1935; Smucker, Allan & Carterette, CIKM 2007, doi:10.1145/1321440.1321528.
    """
    distance = np.positive if greater else np.abs
    p_values = np.ones(len(differences))
    differs = np.round(differences, DECIMALS) != 0
    num_differing = differs.sum(axis=1)
    for row in np.flatnonzero((num_differing > 0) & (num_differing <= MOST_ENUMERATED_TOPICS)):
        p_values[row] = _p_of_all_signs(differences[row][differs[row]], distance)
    sampled_rows = np.flatnonzero(num_differing > MOST_ENUMERATED_TOPICS)
    if len(sampled_rows):
        sampled = differences[sampled_rows]
        threshold = _least_distance(sampled, distance)
        stream = RandomStream(seed)
        num_as_far = np.zeros(len(sampled_rows), np.int64)
        for start in range(0, samples, _SAMPLES_AT_ONCE):
            flips = stream.signs(min(_SAMPLES_AT_ONCE, samples - start), differences.shape[1])
            # The order of additions is free: the margin in `_least_distance` is wider than the rounding.
            sums = np.where(flips, 1.0, -1.0) @ sampled.T
            num_as_far += (distance(sums) >= threshold).sum(axis=0)
        p_values[sampled_rows] = (1 + num_as_far) / (samples + 1)
    return p_values


def _p_of_all_signs(differences: FloatArray, distance: Callable[[FloatArray], FloatArray]) -> float:
    """Return the share of the 2**n sign changes of differences (n,) with a sum at least as far out as theirs.

    distance  how far out sums are: from 0 (np.abs), or how high (np.positive)
    """
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate((sums + difference, sums - difference))
    threshold = _least_distance(differences[None, :], distance)
    return float(np.count_nonzero(distance(sums) >= threshold) / len(sums))


def _least_distance(differences: FloatArray, distance: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the distance (P,) of the sums of differences (P, T), less a margin for rounding."""
    total = np.add.accumulate(differences, axis=1)[:, -1]
    margin = _ROUNDING * np.add.accumulate(np.abs(differences), axis=1)[:, -1]
    return np.asarray(distance(total) - margin, np.float64)


def bootstrap(
    differences: FloatArray, samples: int = 10_000, seed: int = 0, greater: bool = False
) -> FloatArray:
    """Return p-values (P,) of the paired bootstrap test of differences (P, T).

    Topics are drawn with replacement from the differences less their mean; p is the share of draws with a t
    statistic at least as far from 0 (one-sided: as high) as that of the differences, which count as one draw
    more.  A draw of equal differences has an infinite t, also if their mean is 0.  p is 1 where all
    differences are zero, that of `_without_variance` where all are the same other number, nan for one topic.
    Source: Sakai, SIGIR 2006, doi:10.1145/1148170.1148261, after Efron & Tibshirani, An Introduction to the
      Bootstrap, 1993, 16.4.
    """
    distance = np.positive if greater else np.abs
    rows, size = differences.shape
    if size < 2:
        return np.full(rows, math.nan)
    mean, deviation = mean_and_deviation(differences)
    p_values = np.maximum(_without_variance(mean, size, greater), 1 / (samples + 1))
    p_values[np.round(mean, DECIMALS) == 0] = 1.0
    varied = np.flatnonzero(deviation > 0)
    if not len(varied):
        return p_values
    shifted = differences[varied] - mean[varied, None]
    threshold = distance(mean[varied] / deviation[varied])
    threshold -= _ROUNDING * np.maximum(np.abs(threshold), 1.0)
    stream = RandomStream(seed)
    num_as_far = np.zeros(len(varied), np.int64)
    for start in range(0, samples, _SAMPLES_AT_ONCE):
        times = stream.times_drawn(min(_SAMPLES_AT_ONCE, samples - start), size)
        means = times @ shifted.T / size
        variance = np.maximum(times @ (shifted**2).T / size - means**2, 0.0) * (size / (size - 1))
        # The small number makes t of a mean of 0, or just below it by rounding, plus infinity.
        t_without_variance = np.copysign(math.inf, means + _ROUNDING)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(variance > _NO_VARIANCE, means / np.sqrt(variance), t_without_variance)
        num_as_far += (distance(t) >= threshold).sum(axis=0)
    p_values[varied] = (1 + num_as_far) / (samples + 1)
    return p_values


@dataclass(frozen=True)
class PairedTest:
    """A test of pairs of runs.

    run     differences (P, T), samples, seed -> two-sided p-values (P,), with `greater` one-sided ones
    least   topics, samples -> the lowest two-sided p-value that can come out
    ranks   whether it uses ranks or signs of differences, so that it may contradict the means
    """

    run: Callable[..., FloatArray]
    least: Callable[[int, int], float]
    ranks: bool = False


def _least_of_signs(topics: int, samples: int) -> float:
    """Return the chance that all signs are the same: 2 of the 2**topics choices of signs."""
    return min(1.0, 2.0 ** (1 - topics))


def _least_of_draws(topics: int, samples: int) -> float:
    """Return the share of the observed differences, which count as one draw more."""
    return 1 / (samples + 1)


def _least_of_bootstrap(topics: int, samples: int) -> float:
    """Return the least p-value of the bootstrap: the expected share of draws of the same topic all over.

    Their t is infinite, so they always count.  Fewer than expected may be drawn: hence three quarters.
    """
    if topics < 2:
        return math.nan
    share_of_one_topic = 0.75 * float(topics) ** (1 - topics)
    return max(share_of_one_topic, _least_of_draws(topics, samples))


def _least_of_randomisation(topics: int, samples: int) -> float:
    """Return the least p-value of `randomisation`: of all signs while they are enumerated, else of draws."""
    if topics <= MOST_ENUMERATED_TOPICS:
        return _least_of_signs(topics, samples)
    return _least_of_draws(topics, samples)


PAIRED_TESTS: dict[str, PairedTest] = {
    "t": PairedTest(paired_t, lambda topics, samples: 0.0 if topics > 1 else math.nan),
    "randomisation": PairedTest(randomisation, _least_of_randomisation),
    "bootstrap": PairedTest(bootstrap, _least_of_bootstrap),
    "wilcoxon": PairedTest(wilcoxon, _least_of_signs, ranks=True),
    "sign": PairedTest(sign, _least_of_signs, ranks=True),
}
"""The tests by the names that options use; the first is the default."""

"""Estimates over topics beside a p-value: confidence intervals of means, and effect sizes of differences."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.distributions import rank_sums, t_quantiles
from pres_eval.analysis.paired import means_of
from pres_eval.analysis.reproducible import (
    DECIMALS,
    RandomStream,
    mean_and_deviation,
    rounded,
    wins_ties_losses,
)
from pres_eval.arrays import FloatArray, IntArray, divide

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends (K,) of K intervals."""

INTERVALS = ("t", "bca", "percentile")
"""The kinds of intervals by the names that options use; the first is the default."""

_ROWS_AT_ONCE = 256
"""Rows of which the bootstrap means are in memory at the same time."""

_DRAWS_AT_ONCE = 500
"""Draws of topics in one array: this bounds the memory."""

Outside = float | FloatArray
"""The probability that an interval misses: the same for all K rows, or (K,) one for each."""


def intervals(
    values: FloatArray, outside: Outside, kind: str = "t", samples: int = 10_000, seed: int = 0
) -> Ends:
    """Return lower and upper ends (K,) of intervals for the means of values (K, T) over topics.

    kind  one of INTERVALS
    nan for one topic, which does not show how much topics vary.
    """
    if values.shape[1] < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    if kind == "t":
        return t_intervals(values, outside)
    outside = np.broadcast_to(outside, len(values))
    lower, upper = np.empty(len(values)), np.empty(len(values))
    for start in range(0, len(values), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        means = bootstrap_means(values[rows], samples, seed)
        if kind == "bca":
            ends = bca_intervals(values[rows], means, outside[rows])
        else:
            ends = percentile_intervals(means, outside[rows])
        lower[rows], upper[rows] = ends
    return lower, upper


def t_intervals(values: FloatArray, outside: Outside) -> Ends:
    """Return Student's t intervals of the means of values (K, T): lower and upper ends (K,).

    Formula:  x̄ ± t s / √T, t the quantile with T - 1 degrees of freedom, s the sample standard deviation
    Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    topics = values.shape[1]
    mean, deviation = mean_and_deviation(values)
    quantiles = t_quantiles(np.broadcast_to(outside, len(values)), topics - 1)
    half_width = quantiles * deviation / math.sqrt(topics)
    return mean - half_width, mean + half_width


def bootstrap_means(values: FloatArray, samples: int = 10_000, seed: int = 0) -> FloatArray:
    """Return the means (samples, K) of values (K, T) over topics drawn with replacement.

    The draws (PCG64) are the same for every row, so rows stay paired: the difference of two columns is the
    bootstrap of the mean difference.
    """
    rows, size = values.shape
    means = np.empty((samples, rows))
    stream = RandomStream(seed)
    for start in range(0, samples, _DRAWS_AT_ONCE):
        times = stream.times_drawn(min(_DRAWS_AT_ONCE, samples - start), size)
        totals = np.zeros((len(times), rows))
        # One topic after the other: the same bits on every platform, which a matrix product does not promise.
        for times_of_topic, values_of_topic in zip(times.T, values.T, strict=True):
            totals += times_of_topic[:, None] * values_of_topic
        means[start : start + len(times)] = totals / size
    return means


def percentile_intervals(means: FloatArray, outside: Outside = 0.05) -> Ends:
    """Return the interpolated percentiles of bootstrap means (samples, K) as ends (K,) of intervals.

    They are too narrow for few topics: with 10 to 20 topics they cover 88 to 91 % instead of 95 %.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    chances = np.broadcast_to(outside, means.shape[1]).tolist()
    lower, upper = np.empty(means.shape[1]), np.empty(means.shape[1])
    for row, chance in enumerate(chances):
        lower[row], upper[row] = np.quantile(means[:, row], (chance / 2, 1 - chance / 2))
    return lower, upper


def bca_intervals(values: FloatArray, means: FloatArray, outside: Outside = 0.05) -> Ends:
    """Return bias-corrected and accelerated bootstrap intervals of means of values (K, T).

    means    (samples, K) of bootstrap draws, see `bootstrap_means`
    outside  the probability that an interval misses
    Formula:  the ends are the percentiles Φ(z0 + (z0 + z) / (1 - a (z0 + z))) of the bootstrap means, at
      z = Φ⁻¹(outside / 2) and at its opposite
      z0 = Φ⁻¹(share of bootstrap means below the mean, ties half)      the bias
      a = Σ e³ / (6 (Σ e²)^1.5), e = x - x̄                              the acceleration
      Φ  the distribution of a normal deviate
    Rows of equal values have an interval without width.
    Source: Efron, JASA 1987, doi:10.1080/01621459.1987.10478410.
    """
    normal = NormalDist()
    chances = np.broadcast_to(outside, len(values)).tolist()
    mean, deviation = mean_and_deviation(values)
    errors = values - mean[:, None]
    squares, cubes = (errors**2).sum(axis=1), (errors**3).sum(axis=1)
    lower, upper = mean.copy(), mean.copy()
    for row in np.flatnonzero(deviation > 0).tolist():
        means_of_draws = means[:, row]
        # Means within this of each other are equal but for rounding.
        margin = 1e-12 * float(np.abs(values[row]).max())
        draws = len(means_of_draws)
        below = np.count_nonzero(means_of_draws < mean[row] - margin)
        ties = np.count_nonzero(np.abs(means_of_draws - mean[row]) <= margin)
        # The normal quantiles of 0 and 1 are infinite: the share stays half a draw away from both.
        share = np.clip((below + ties / 2) / draws, 0.5 / draws, 1 - 0.5 / draws)
        bias = normal.inv_cdf(float(share))
        acceleration = cubes[row] / (6 * squares[row] ** 1.5)
        percentiles = []
        for chance in (chances[row] / 2, 1 - chances[row] / 2):
            z = bias + normal.inv_cdf(chance)
            percentiles.append(normal.cdf(bias + z / (1 - acceleration * z)))
        lower[row], upper[row] = np.quantile(means_of_draws, percentiles)
    return lower, upper


def standardised(differences: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return d_z (P,) of differences (P, T): the mean in standard deviations of the differences.

    weights  (T,), 1 on average, with which the differences are multiplied already; None: all are 1.  With
             weights w of differences d the mean is Σ w d / T and the variance Σ w (d - mean)² / (T - 1)

    0 where all differences are zero, infinite where all are the same other number, nan for one topic.  It is
    not comparable with Cohen's d of two independent groups, for which 0.2, 0.5 and 0.8 are called small,
    medium and large: d_z is larger, the more the two runs do well on the same topics.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, 2.3.5.
    """
    topics = differences.shape[1]
    mean, deviation = mean_and_deviation(differences)
    if topics < 2:
        return np.full(len(mean), math.nan)
    if weights is not None and (weights != weights[0]).any():
        unweighted = differences / weights
        squares = np.add.accumulate(weights * (unweighted - mean[:, None]) ** 2, axis=1)[:, -1]
        deviation = np.sqrt(squares / (topics - 1))
        comparable = np.round(unweighted, DECIMALS)
        all_equal = (comparable == comparable[:, :1]).all(axis=1)
        deviation[all_equal] = 0.0
    # Kept where the deviation is 0: 0 or infinity.
    sizes = np.where(np.round(mean, DECIMALS) == 0, 0.0, np.copysign(math.inf, mean))
    np.divide(mean, deviation, out=sizes, where=deviation > 0)
    return sizes


def hedges_g(
    differences: FloatArray, confidence: float = 0.95, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Hedges' g (P,) of differences (P, T), and the lower and upper ends (P,) of its interval.

    weights  (T,), as for `standardised`; the interval then has (Σ w)² / Σ w² in place of T (Kish)

    Formula:  g = J(T - 1) d_z, J(m) = Γ(m / 2) / (√(m / 2) Γ((m - 1) / 2)), which takes the bias out of d_z;
      interval g ± z √(1 / T + g² / (2 T)), z the normal quantile
    Infinite or nan where d_z is, nan for two topics or fewer.
    Source: Hedges, Journal of Educational Statistics 1981, doi:10.3102/10769986006002107; Hedges & Olkin,
      Statistical Methods for Meta-Analysis, 1985, 5.E.
    """
    topics = differences.shape[1]
    if topics < 3:
        return (np.full(len(differences), math.nan),) * 3
    m = topics - 1
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    g = correction * standardised(differences, weights)
    effective_topics = topics if weights is None else weights.sum() ** 2 / (weights**2).sum()
    quantile = NormalDist().inv_cdf((1 + confidence) / 2)
    half_width = quantile * np.sqrt((1 + g * g / 2) / effective_topics)
    half_width[np.isinf(g)] = 0.0  # both ends are infinite, and no nan
    return g, g - half_width, g + half_width


def rank_biserial(differences: FloatArray) -> FloatArray:
    """Return the matched-pairs rank-biserial correlation (P,) of differences (P, T).

    It is the effect size that goes with the Wilcoxon test.
    Formula:  r = (W+ - W-) / (W+ + W-), the rank sums of the positive and of the negative differences
    Range: -1 (every topic that differs got worse) to 1; 0 where no topic differs.
    Source: Kerby, Comprehensive Psychology 2014, doi:10.2466/11.IT.3.1.
    """
    positive, negative = rank_sums(differences)
    return divide(positive - negative, positive + negative)


def favoured(differences: FloatArray, test: str) -> IntArray:
    """Return the direction (P,) in which differences (P, T) point by a test: 1, -1, or 0 for neither.

    test  its statistic decides: the rank sums for "wilcoxon", the wins for "sign", else the mean
    """
    if test == "wilcoxon":
        compared = rank_biserial(differences)
    elif test == "sign":
        wins, _, losses = wins_ties_losses(differences)
        compared = np.asarray(wins - losses, np.float64)
    else:
        compared = rounded(means_of(differences))
    return np.sign(compared).astype(np.int64)

"""Confidence intervals of means over topics."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from pres_eval.analysis import student
from pres_eval.analysis.digits import mean_and_deviation
from pres_eval.analysis.randomness import RandomStream
from pres_eval.arrays import FloatArray

Ends = tuple[FloatArray, FloatArray]

INTERVALS = ("t", "bca", "percentile")
"""The kinds of intervals by the names that options use; the first is the default."""

_AT_ONCE = 256
"""Rows of which the bootstrap means are in memory at the same time."""


Outside = float | FloatArray
"""The chance that an interval misses: one, or (K,) one for each of K rows."""


def intervals(
    values: FloatArray, outside: Outside, kind: str = "t", samples: int = 10_000, seed: int = 0
) -> Ends:
    """Return lower and upper ends (K,) for means of K rows of topics, which miss with probability `outside`.

    nan for one topic, of which nobody knows how far others would be from it.
    """
    if values.shape[1] < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    if kind == "t":
        return t_intervals(values, outside)
    outside = np.broadcast_to(outside, len(values))
    lower, upper = np.empty(len(values)), np.empty(len(values))
    for start in range(0, len(values), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        means = bootstrap_means(values[rows], samples, seed)
        if kind == "bca":
            lower[rows], upper[rows] = bca_intervals(values[rows], means, outside[rows])
        else:
            lower[rows], upper[rows] = percentile_intervals(means, outside[rows])
    return lower, upper


def t_intervals(values: FloatArray, outside: Outside) -> Ends:
    """Return Student's t intervals of the means of (K, T) values: (K,) lower and upper ends.

    Formula:  x̄ ± t s / √T, t the quantile with T - 1 degrees of freedom, s the sample standard deviation
    Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    topics = values.shape[1]
    mean, deviation = mean_and_deviation(values)
    quantiles = student.quantiles(np.broadcast_to(outside, len(values)), topics - 1)
    spread = quantiles * deviation / math.sqrt(topics)
    return mean - spread, mean + spread


def bootstrap_means(values: FloatArray, samples: int = 10_000, seed: int = 0) -> FloatArray:
    """Return the means (samples, K) of K rows over topics drawn with replacement, from (K, T) values.

    The draws (PCG64) are the same for every row, so rows stay paired: the difference of two columns is the
    bootstrap of the mean difference.
    """
    rows, size = values.shape
    means = np.empty((samples, rows))
    stream = RandomStream(seed)
    for start in range(0, samples, 500):
        times = stream.times_drawn(min(500, samples - start), size)
        totals = np.zeros((len(times), rows))
        # One topic after the other: the same bits on every platform, which a matrix product does not promise.
        for often, topic in zip(times.T, values.T, strict=True):
            totals += often[:, None] * topic
        means[start : start + len(times)] = totals / size
    return means


def percentile_intervals(means: FloatArray, outside: Outside = 0.05) -> Ends:
    """Return percentiles of bootstrap means, interpolated: (samples, K) in, (K,) lower and upper ends out.

    Too narrow for few topics: 88 to 91 % where 95 % are wanted, with 10 to 20 of them.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    chances = np.broadcast_to(outside, means.shape[1]).tolist()
    ends = [
        np.quantile(own, (chance / 2, 1 - chance / 2)) for own, chance in zip(means.T, chances, strict=True)
    ]
    lower, upper = np.array(ends).reshape(-1, 2).T
    return lower, upper


def bca_intervals(values: FloatArray, means: FloatArray, outside: Outside = 0.05) -> Ends:
    """Return bias-corrected and accelerated bootstrap intervals: (K, T) values, their (samples, K) means
    in.

    Formula: the percentiles Φ(z0 + (z0 + z) / (1 - a (z0 + z))) at z = Φ⁻¹(outside / 2) and its opposite;
      z0 = Φ⁻¹(share of bootstrap means below the mean, ties half), a = Σ e³ / (6 (Σ e²)^1.5), e = x - x̄
    Rows of equal values have an interval of no width.
    Source: Efron, JASA 1987, doi:10.1080/01621459.1987.10478410.
    """
    normal, chances = NormalDist(), np.broadcast_to(outside, len(values)).tolist()
    mean, deviation = mean_and_deviation(values)
    errors = values - mean[:, None]
    squares, cubes = (errors**2).sum(axis=1), (errors**3).sum(axis=1)
    lower, upper = mean.copy(), mean.copy()
    for row in np.flatnonzero(deviation > 0).tolist():
        own, margin = means[:, row], 1e-12 * float(np.abs(values[row]).max())
        below = np.count_nonzero(own < mean[row] - margin)
        ties = np.count_nonzero(np.abs(own - mean[row]) <= margin)
        # Never exactly 0 or 1, whose normal quantiles are infinite.
        share = min(max((below + ties / 2) / len(own), 0.5 / len(own)), 1 - 0.5 / len(own))
        bias = normal.inv_cdf(share)
        acceleration = cubes[row] / (6 * squares[row] ** 1.5)
        ends = []
        for z in (normal.inv_cdf(chances[row] / 2), normal.inv_cdf(1 - chances[row] / 2)):
            shifted = bias + (bias + z) / (1 - acceleration * (bias + z))
            ends.append(normal.cdf(shifted))
        lower[row], upper[row] = np.quantile(own, ends)
    return lower, upper

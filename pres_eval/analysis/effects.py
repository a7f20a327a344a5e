"""How large a difference is, and how sure a mean: effect sizes and bootstrap confidence intervals."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.randomness import Stream
from pres_eval.analysis.significance import DECIMALS, mean_and_deviation, signed_ranks
from pres_eval.arrays.types import FloatArray, IntArray


def cohens_d(differences: FloatArray) -> FloatArray:
    """Cohen's d for paired values (d_z): mean difference in standard deviations of the differences.

    (P, T) differences in, (P,) out.  0 where all are zero, infinite where all are the same other number, nan
    for one topic.  About 0.2 is called small, 0.5 medium, 0.8 large.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, 2.3.5.
    """
    mean, deviation = mean_and_deviation(differences)
    if differences.shape[1] < 2:
        return np.full(len(mean), math.nan)
    sizes = np.where(mean == 0, 0.0, np.copysign(math.inf, mean))
    np.divide(mean, deviation, out=sizes, where=deviation > 0)
    return sizes


def rank_biserial(differences: FloatArray) -> FloatArray:
    """Matched-pairs rank-biserial correlation, the effect size that goes with the Wilcoxon test.

    Formula:  r = (W+ - W-) / (W+ + W-), the rank sums of the positive and of the negative differences
    Range: -1 (every topic that differs got worse) to 1; 0 where no topic differs.  (P, T) in, (P,) out.
    Source: Kerby, Comprehensive Psychology 2014, doi:10.2466/11.IT.3.1.
    """
    ranks = signed_ranks(differences)
    total = ranks.positive + ranks.negative
    sizes = np.zeros(len(total))
    np.divide(ranks.positive - ranks.negative, total, out=sizes, where=total > 0)
    return sizes


def wins_ties_losses(differences: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """(P,) topics where the difference is above, at, and below zero."""
    rounded = np.round(differences, DECIMALS)
    return (rounded > 0).sum(axis=1), (rounded == 0).sum(axis=1), (rounded < 0).sum(axis=1)


def bootstrap_means(values: FloatArray, samples: int = 10_000, seed: int = 0) -> FloatArray:
    """Means of each row over topics drawn with replacement: (K, T) values in, (samples, K) means out.

    The draws (PCG64) are the same for every row, so rows stay paired: the difference of two columns is the
    bootstrap of the mean difference.
    """
    rows, size = values.shape
    means = np.empty((samples, rows))
    stream = Stream(seed)
    for start in range(0, samples, 500):
        draws = stream.indices(min(500, samples - start), size, size)
        totals = np.zeros((len(draws), rows))
        # One topic after the other: the same bits on every platform, which a matrix product does not promise.
        for times, topic in zip(_times_drawn(draws, size).T, values.T, strict=True):
            totals += times[:, None] * topic
        means[start : start + len(draws)] = totals / size
    return means


def percentile_intervals(means: FloatArray, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Confidence intervals from bootstrap means: (samples, K) in, (K,) lower and upper ends out.

    The ends are percentiles of the means, interpolated.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13 (percentile interval).
    """
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(means, (tail, 1 - tail), axis=0)
    return lower, upper


def _times_drawn(draws: IntArray, size: int) -> FloatArray:
    """(samples, T) how often each topic was drawn."""
    flat = (np.arange(len(draws))[:, None] * size + draws).ravel()
    return np.bincount(flat, minlength=len(draws) * size).reshape(len(draws), size).astype(float)

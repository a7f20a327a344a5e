"""Tests and intervals of means in which topics have weights: those of a ratio of two sums.

A weighted mean is m = Σ w x / Σ w.  If all values x are the same, the mean is certain, although weights times
values vary.  So its error is computed from w (x - m), not from w x.

Worked example: values 0.5, 0.5, 0.5 with weights 1, 2, 6 have the mean 0.5 and an error of 0.  Values 0.2,
0.5, 0.8 with these weights have the mean 0.667, most of which comes from the third topic: the mean is as
uncertain as that of (1 + 2 + 6)² / (1 + 4 + 36) = 2.0 topics.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pres_eval.analysis.distributions import t_quantiles
from pres_eval.analysis.estimates import Ends, Outside, intervals
from pres_eval.analysis.paired import means_of
from pres_eval.analysis.reproducible import DECIMALS
from pres_eval.analysis.significance import PAIRED_TESTS, PairedTest, t_of_means
from pres_eval.arrays import FloatArray

FEW_TOPICS = 10
"""Effective topics below which weights get a warning: for few degrees of freedom t intervals are wide."""

ALMOST_ALL_TOPICS = 0.9
"""Share of effective topics among all from which on there is no warning: the weights hardly matter then."""


def effective_topics(weights: FloatArray) -> float:
    """Return how many topics of equal weight would give as precise a mean as topics with weights (T,).

    Formula:  (Σ w)² / Σ w²
    Source: Kish, Survey Sampling, 1965, 11.7.
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def weigh_the_same(weights: FloatArray | None) -> bool:
    """Return whether there are no weights (T,), or all are equal."""
    return weights is None or bool((weights == weights[0]).all())


def few_topics_warning(weights: FloatArray) -> str | None:
    """Return the warning that a few topics have most of the weights (T,); None if not."""
    if len(weights) < 2:
        return None
    effective = effective_topics(weights)
    if effective >= FEW_TOPICS or effective > ALMOST_ALL_TOPICS * len(weights):
        return None
    return (
        f"--weights: a few topics weigh most: {len(weights)} topics tell as much as {effective:.1f} of"
        f" equal weight (Kish), and {FEW_TOPICS} or more are expected; intervals are wide, and hold about"
        " as well as those of so few topics"
    )


def linearised(weighted: FloatArray, weights: FloatArray) -> FloatArray:
    """Return rows (K, T) with the means of weighted values w x (K, T), but the deviations w (x - mean).

    An unweighted test or interval of these rows is one of the weighted means.

    weights  (T,), 1 on average
    """
    # The mean of w - 1 is 0, so the mean m stays; w x - (w - 1) m - m = w (x - m).
    return np.asarray(weighted - (weights - 1) * means_of(weighted)[:, None])


def mean_and_error(weighted: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means (K,) of weighted values (K, T), and their standard errors by the jackknife.

    weights  (T,)
    Formula:  √((T - 1) / T Σ (w (x - m) / (Σ w - w))²), the terms are by how much the mean m changes without
      a topic; s / √T if all weights are the same; 0 if all values are the same
    Source: Cochran, Sampling Techniques, 3rd edition, 1977, 6.17.
    """
    topics = weighted.shape[1]
    means = means_of(weighted)
    residuals = weighted - weights * means[:, None]
    changes = residuals / (weights.sum() - weights)
    # One topic after the other: the same bits on every platform.
    squares = np.add.accumulate(changes**2, axis=1)[:, -1]
    errors = np.sqrt((topics - 1) / topics * squares)
    values = np.round(weighted / weights, DECIMALS)
    errors[(values == values[:, :1]).all(axis=1)] = 0.0
    return means, errors


def weighted_t(
    differences: FloatArray,
    samples: int = 0,
    seed: int = 0,
    greater: bool = False,
    *,
    weights: FloatArray,
) -> FloatArray:
    """Return p-values (P,) of the t-test of weighted differences (P, T); nan for one topic.

    The degrees of freedom are `effective_topics` less 1.  samples and seed are not used.
    """
    if differences.shape[1] < 2:
        return np.full(len(differences), math.nan)
    means, errors = mean_and_error(differences, weights)
    freedom = max(effective_topics(weights) - 1, 1.0)
    return t_of_means(means, errors, differences.shape[1], greater, freedom)


def with_weights(test: str, weights: FloatArray | None) -> PairedTest:
    """Return the paired test of this name, for differences that were multiplied with weights.

    weights  (T,); None: the differences were not multiplied
    Tests of signs and ranks, and the randomisation test, take the weighted differences as they are.
    """
    plain = PAIRED_TESTS[test]
    if weights is None or weigh_the_same(weights) or test not in ("t", "bootstrap"):
        return plain

    def t(differences: FloatArray, samples: int, seed: int, greater: bool = False) -> FloatArray:
        """Return p-values (P,) of the weighted t-test."""
        return weighted_t(differences, samples, seed, greater, weights=weights)

    def bootstrap(differences: FloatArray, samples: int, seed: int, greater: bool = False) -> FloatArray:
        """Return p-values (P,) of the bootstrap test of linearised differences."""
        return plain.run(linearised(differences, weights), samples, seed, greater)

    if test == "t":
        return replace(plain, run=t)
    return replace(plain, run=bootstrap)


def weighted_intervals(
    values: FloatArray,
    weights: FloatArray | None,
    outside: Outside,
    kind: str = "t",
    samples: int = 10_000,
    seed: int = 0,
    *,
    between_0_and_1: bool = False,
) -> Ends:
    """Return ends (K,) of intervals of the means of values (K, T) that were multiplied with weights (T,).

    weights          None: the values were not multiplied; the ends are those of `intervals`
    outside, kind    probability that an interval misses, and one of INTERVALS
    between_0_and_1  whether unweighted values lie in 0 … 1: then t intervals are computed from the logit
    """
    if weights is None or weigh_the_same(weights) or values.shape[1] < 2:
        return intervals(values, outside, kind, samples, seed)
    if kind != "t":
        return intervals(linearised(values, weights), outside, kind, samples, seed)
    means, errors = mean_and_error(values, weights)
    freedom = max(effective_topics(weights) - 1, 1.0)
    half_widths = t_quantiles(np.broadcast_to(outside, len(values)), freedom) * errors
    if between_0_and_1:
        return logit_intervals(means, half_widths)
    return means - half_widths, means + half_widths


def logit_intervals(means: FloatArray, half_widths: FloatArray) -> Ends:
    """Return ends (K,) of intervals of means (K,) from 0 to 1, by the half widths (K,) of their t intervals.

    If a few topics have most of the weight and most scores are near 0, t intervals lie too low: they cover
    0.85 to 0.90 instead of 0.95, these 0.91 to 0.96.  The intervals of means of 0 and 1 have no width.

    Formula:  1 / (1 + exp(-(ln(m / (1 - m)) ± h / (m (1 - m))))), m the mean, h the half width
    Source: Korn & Graubard, Survey Methodology 24, 1998 (logit intervals of proportions from surveys).

    Worked example: a mean of 0.1 ± 0.08 has the interval 0.044 … 0.213 instead of 0.02 … 0.18.
    """
    lower, upper = means.copy(), means.copy()
    for row in np.flatnonzero((means > 0) & (means < 1)).tolist():
        mean = float(means[row])
        logit = math.log(mean / (1 - mean))
        half_width = float(half_widths[row]) / (mean * (1 - mean))
        lower[row] = _inverse_logit(logit - half_width)
        upper[row] = _inverse_logit(logit + half_width)
    return lower, upper


def _inverse_logit(logit: float) -> float:
    """Return 1 / (1 + exp(-logit)); beyond ±700, where exp could overflow, the value at ±700."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, logit))))

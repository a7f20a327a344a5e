"""Is a difference of two runs another one in another group of topics?  Permutations of Welch's statistic.

Groups may spread unequally, and be unequally large.  Means alone would then come out far apart by chance: of
40 topics and 10 others that spread three times as much, 27 % of tables had p < 0.05 without any interaction.
So each group's mean is weighed by its own variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.distributions import f_above
from pres_eval.analysis.reproducible import DECIMALS, RandomStream
from pres_eval.arrays import FloatArray, IntArray

DEALS_AT_ONCE = 1000

ENOUGH_FREEDOM = 30
"""Second degrees of freedom from which on Welch's F needs no deals: it errs in 0.04 to 0.06 of tables without
interaction, of lognormal differences that spread unequally in up to 0.10, and deals err as often.  Of 10 and
40 topics, the ten spreading less, deals would lose 3 to 5 points of power."""

TOLERANCE = 1e-9
"""Deals whose statistics differ by less, relative to their size, are equally far from no interaction: they
are the same numbers, added up in another order.  [.1] * 4 + [.7] and [.1] * 5 have p = 1."""


@dataclass(frozen=True, eq=False)
class _Deal:
    """Topics dealt to groups, in the order of these.

    values   (S, T) differences less their common mean, times weights, in S deals
    weights  (S, T) of the topics
    sizes    (G,) how many topics each group has
    """

    values: FloatArray
    weights: FloatArray
    sizes: IntArray

    def sums(self, numbers: FloatArray) -> FloatArray:
        """Return the sums (S, G) over each group of numbers (S, T)."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.asarray(np.add.reduceat(numbers, starts, axis=-1))


def p_of_groups(
    differences: FloatArray, group: IntArray, samples: int, seed: int, weights: FloatArray | None = None
) -> float:
    """Return the p-value of differences (T,) being alike in all groups (T,), which are numbered from 0.

    weights  (T,) of the topics, at least 0, which the differences are multiplied with; None: all are 1

    That of Welch's F, if its degrees of freedom are ENOUGH_FREEDOM.  Otherwise the larger one of two
    p-values: that of F, and the share of `samples` random deals of the topics to groups of these sizes in
    which F is at least as large (the deal that is there counts too).  Alone, the first one errs where few
    values are far from normal, the second one where a group has five topics.  Deals of a group of one topic
    have the sum of squares between groups instead: it has no variance of its own.  1 where all differences
    are the same.
    Source: Welch, Biometrika 1951, doi:10.1093/biomet/38.3-4.330; its permutation: Chung & Romano, Annals of
      Statistics 2013, doi:10.1214/13-AOS1090.
    """
    weight_of_topic = np.ones(len(differences)) if weights is None else weights
    weighing = weight_of_topic > 0
    alike = differences[weighing] / weight_of_topic[weighing]
    if not np.round(alike - alike[0], DECIMALS).any():
        return 1.0
    mean = float(differences.sum()) / float(weight_of_topic.sum())
    sizes = np.bincount(group)
    order = np.argsort(group, kind="stable")
    values, weights_in_order = (differences - mean * weight_of_topic)[order], weight_of_topic[order]
    observed = _Deal(values[None, :], weights_in_order[None, :], sizes)
    every_group_varies = bool((np.bincount(group, weights=weighing) > 1).all())
    if every_group_varies and welch_freedom(observed) >= ENOUGH_FREEDOM:
        return p_of_welch(observed)
    statistic = welch_f if every_group_varies else between_groups
    reached = float(statistic(observed)[0]) * (1 - TOLERANCE)
    stream, as_far = RandomStream(seed), 0
    for start in range(0, samples, DEALS_AT_ONCE):
        rows = stream.orders(min(DEALS_AT_ONCE, samples - start), len(differences))
        deals = _Deal(values[rows], weights_in_order[rows], sizes)
        as_far += int((statistic(deals) >= reached).sum())
    by_deals = (1 + as_far) / (samples + 1)
    return max(by_deals, p_of_welch(observed)) if every_group_varies else by_deals


def between_groups(deal: _Deal) -> FloatArray:
    """Return the sum (S,) over groups of n (mean of the group - mean)², n the weights added up.

    Source: the permutation test of a one-way analysis of variance; Anderson, Canadian Journal of Fisheries
      and Aquatic Sciences 58, 2001, doi:10.1139/f01-004.
    """
    sums, weight = deal.sums(deal.values), deal.sums(deal.weights)
    # A group that was dealt nothing but weights of 0 has sums of 0.
    return np.asarray((sums**2 / np.where(weight > 0, weight, 1)).sum(axis=-1), np.float64)


def welch_f(deal: _Deal) -> FloatArray:
    """Return Welch's F (S,), which weighs means by 1 / V, V the variance of a mean.

    Formula:  F = Σ (m - m̄)² / V / (G - 1) / (1 + 2 (G - 2) / (G² - 1) Λ), m̄ the mean of m weighed by 1 / V,
      Λ = Σ (1 - h)² / (n - 1), h a group's share of Σ 1 / V
      V = n / (n - 1) Σ (y - w m)² / (Σ w)², of the ratio m = Σ y / Σ w; s² / n if all weights are 1
    """
    groups = len(deal.sizes)
    means, inverse_variances = _means(deal)
    total = inverse_variances.sum(axis=-1, keepdims=True)
    middle = (means * inverse_variances).sum(axis=-1, keepdims=True) / total
    between = (inverse_variances * (means - middle) ** 2).sum(axis=-1) / (groups - 1)
    return np.asarray(between / (1 + 2 * (groups - 2) / (groups**2 - 1) * _imbalance(deal)))


def welch_freedom(deal: _Deal) -> float:
    """Return the second degrees of freedom of Welch's F of the first deal: (G² - 1) / 3Λ."""
    groups = len(deal.sizes)
    return (groups**2 - 1) / (3 * float(_imbalance(deal)[0]))


def p_of_welch(deal: _Deal) -> float:
    """Return the chance of an F at least as large as the first deal's, with G - 1 and `welch_freedom`."""
    return f_above(float(welch_f(deal)[0]), len(deal.sizes) - 1, welch_freedom(deal))


def _means(deal: _Deal) -> tuple[FloatArray, FloatArray]:
    """Return the means (S, G) of groups, and 1 / V of each; a group whose topics all weigh 0 has 0."""
    weight = deal.sums(deal.weights)
    topics = deal.sums((deal.weights > 0).astype(np.float64))
    some_weight = np.where(weight > 0, weight, 1.0)
    means = deal.sums(deal.values) / some_weight
    squares = (
        deal.sums(deal.values**2)
        - 2 * means * deal.sums(deal.values * deal.weights)
        + means**2 * deal.sums(deal.weights**2)
    )
    variance_of_topic = squares / np.maximum(topics - 1, 1)
    variance_of_all = (deal.values**2).mean(axis=-1, keepdims=True)
    # Of one topic nothing is known but what all topics together have; equal values are not quite certain.
    variance_of_topic = np.where(topics > 1, variance_of_topic, variance_of_all)
    variance_of_topic = np.maximum(variance_of_topic, TOLERANCE * variance_of_all)
    return means, weight**2 / (np.maximum(topics, 1) * variance_of_topic)


def _imbalance(deal: _Deal) -> FloatArray:
    """Return Λ (S,) of `welch_f`."""
    _, inverse_variances = _means(deal)
    shares = inverse_variances / inverse_variances.sum(axis=-1, keepdims=True)
    topics = deal.sums((deal.weights > 0).astype(np.float64))
    return np.asarray(((1 - shares) ** 2 / np.maximum(topics - 1, 1)).sum(axis=-1))

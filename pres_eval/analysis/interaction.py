"""Test of interaction: does the difference of two runs depend on the group of topics?

The test permutes topics between groups and compares Welch's F.  It weighs each group's mean by the mean's
own variance, because groups may differ in spread and in size.  A test of plain means would find groups apart
by chance: with 40 topics and 10 others that spread three times as much, 27 % of simulated experiments had
p < 0.05 without any interaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.distributions import f_above
from pres_eval.analysis.reproducible import DECIMALS, RandomStream
from pres_eval.arrays import FloatArray, IntArray

PERMUTATIONS_AT_ONCE = 1000
"""Permutations computed in one array: this bounds the memory."""

ENOUGH_DEGREES_OF_FREEDOM = 30
"""Second degrees of freedom of Welch's F from which on the test needs no permutations.

F then rejects in 0.04 to 0.06 of simulated experiments without interaction, and in up to 0.10 if the
differences are lognormal and spread unequally.  Permutations reject as often.  With 10 and 40 topics, the
ten spreading less, permutations would lose 3 to 5 points of power.
"""

TOLERANCE = 1e-9
"""Relative difference up to which two statistics count as equal: sums of the same numbers in another order.

Worked example: groups [.1, .1, .1, .1, .7] and [.1, .1, .1, .1, .1] have p = 1, since in every permutation
one group has the .7.
"""

LEAST_SHARE_OF_VARIANCE = 1e-9
"""Least variance in a group, as a share of that of all topics: equal values would have an infinite weight."""


@dataclass(frozen=True, eq=False)
class _Permutations:
    """S permutations of T topics over G groups: the first topics belong to group 0, the next to group 1, ….

    The observed order is a record of its own, with S = 1.

    values   (S, T) differences of the topics, less their common mean, times the topics' weights
    weights  (S, T) weights of the topics
    sizes    (G,) number of topics in each group
    """

    values: FloatArray
    weights: FloatArray
    sizes: IntArray

    def sums(self, numbers: FloatArray) -> FloatArray:
        """Return the sums (S, G) over each group of numbers (S, T)."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.asarray(np.add.reduceat(numbers, starts, axis=-1))


def p_of_interaction(
    differences: FloatArray, group: IntArray, samples: int, seed: int, weights: FloatArray | None = None
) -> float:
    """Return the p-value of the hypothesis that the mean difference is the same in all groups of topics.

    differences  (T,) of the topics, each multiplied by the topic's weight
    group        (T,) number of each topic's group, from 0
    samples      number of random permutations
    weights      (T,) of the topics, at least 0; None: all are 1

    The p-value is, by the first line that applies:
    - 1 if all differences are equal.
    - That of permutations of the sum of squares between groups, if a group has fewer than two topics of
      positive weight: such a group has no variance of its own.
    - That of Welch's F, if it has ENOUGH_DEGREES_OF_FREEDOM.
    - The larger one of the p-values of F and of its permutations: F alone rejects too often where few values
      are far from normal, permutations alone where a group has five topics.
    Source: Welch, Biometrika 1951, doi:10.1093/biomet/38.3-4.330; its permutation: Chung & Romano, Annals of
      Statistics 2013, doi:10.1214/13-AOS1090.
    """
    topic_weights = np.ones(len(differences)) if weights is None else weights
    has_weight = topic_weights > 0
    unweighted = differences[has_weight] / topic_weights[has_weight]
    if not np.round(unweighted - unweighted[0], DECIMALS).any():
        return 1.0
    mean = float(differences.sum()) / float(topic_weights.sum())
    by_group = np.argsort(group, kind="stable")
    observed = _Permutations(
        values=(differences - mean * topic_weights)[by_group][None, :],
        weights=topic_weights[by_group][None, :],
        sizes=np.bincount(group),
    )
    every_group_varies = bool((np.bincount(group, weights=has_weight) > 1).all())
    if not every_group_varies:
        return _p_of_permutations(observed, _between_groups, samples, seed)
    if _welch_freedom(observed) >= ENOUGH_DEGREES_OF_FREEDOM:
        return _p_of_welch(observed)
    return max(_p_of_permutations(observed, _welch_f, samples, seed), _p_of_welch(observed))


def _p_of_permutations(
    observed: _Permutations, statistic: Callable[[_Permutations], FloatArray], samples: int, seed: int
) -> float:
    """Return the share of random permutations whose statistic (S,) is at least the observed one.

    The observed order counts as one more permutation, so the p-value is never 0.
    """
    threshold = float(statistic(observed)[0]) * (1 - TOLERANCE)
    values, weights = observed.values[0], observed.weights[0]
    stream = RandomStream(seed)
    num_at_least = 0
    for start in range(0, samples, PERMUTATIONS_AT_ONCE):
        orders = stream.orders(min(PERMUTATIONS_AT_ONCE, samples - start), len(values))
        permutations = _Permutations(values[orders], weights[orders], observed.sizes)
        num_at_least += int((statistic(permutations) >= threshold).sum())
    return (1 + num_at_least) / (samples + 1)


def _between_groups(permutations: _Permutations) -> FloatArray:
    """Return the sum (S,) over groups of w (mean of the group - mean of all)², w the group's sum of weights.

    Values are less the mean of all, so a group with the sum y of values adds w (y / w)² = y² / w.

    Source: the permutation test of a one-way analysis of variance; Anderson, Canadian Journal of Fisheries
      and Aquatic Sciences 58, 2001, doi:10.1139/f01-004.
    """
    sums = permutations.sums(permutations.values)
    weight = permutations.sums(permutations.weights)
    # A group whose topics all weigh 0 in a permutation has a sum of 0, and adds 0.
    squares = sums**2 / np.where(weight > 0, weight, 1)
    return np.asarray(squares.sum(axis=-1), np.float64)


def _welch_f(permutations: _Permutations) -> FloatArray:
    """Return Welch's F (S,), which weighs the mean m of each of G groups by 1 / V, V its variance.

    Formula, with sums over the groups in B and Λ, over the n topics of a group in m and V:
      F = B / D
      B = Σ ((m - m̄)² / V) / (G - 1)                  m̄: mean of the m, weighed by 1 / V
      D = 1 + 2 (G - 2) / (G² - 1) · Λ
      Λ = Σ ((1 - h)² / (n - 1))                      h: the group's share of the sum of all 1 / V
      m = Σ y / Σ w                                   mean of the group; y values, w weights of its topics
      V = n / (n - 1) · Σ (y - w m)² / (Σ w)²         variance of m; s² / n if all weights are 1
    """
    groups = len(permutations.sizes)
    means, precisions = _means_and_precisions(permutations)
    total = precisions.sum(axis=-1, keepdims=True)
    grand_mean = (means * precisions).sum(axis=-1, keepdims=True) / total
    between = (precisions * (means - grand_mean) ** 2).sum(axis=-1) / (groups - 1)
    divisor = 1 + 2 * (groups - 2) / (groups**2 - 1) * _variance_uncertainty(permutations)
    return np.asarray(between / divisor)


def _welch_freedom(observed: _Permutations) -> float:
    """Return the second degrees of freedom of Welch's F of the observed order: (G² - 1) / (3 Λ)."""
    groups = len(observed.sizes)
    return (groups**2 - 1) / (3 * float(_variance_uncertainty(observed)[0]))


def _p_of_welch(observed: _Permutations) -> float:
    """Return the probability of an F at least as large as that of the observed order, without interaction.

    Its degrees of freedom are G - 1 and `_welch_freedom`.
    """
    statistic = float(_welch_f(observed)[0])
    return f_above(statistic, len(observed.sizes) - 1, _welch_freedom(observed))


def _means_and_precisions(permutations: _Permutations) -> tuple[FloatArray, FloatArray]:
    """Return the mean m of each group (S, G), and 1 / V, V its variance (S, G).

    A group whose topics all weigh 0 has 0 for both.
    """
    weight = permutations.sums(permutations.weights)
    num_topics = permutations.sums((permutations.weights > 0).astype(np.float64))
    means = permutations.sums(permutations.values) / np.where(weight > 0, weight, 1.0)
    # Σ (y - w m)², multiplied out: the sums over groups need no array of m by topic.
    squares = (
        permutations.sums(permutations.values**2)
        - 2 * means * permutations.sums(permutations.values * permutations.weights)
        + means**2 * permutations.sums(permutations.weights**2)
    )
    variance_in_group = squares / np.maximum(num_topics - 1, 1)
    # Values are less their mean; a rough variance is enough here.
    variance_of_all = (permutations.values**2).mean(axis=-1, keepdims=True)
    # One topic shows no variance: the group gets that of all topics.
    variance_in_group = np.where(num_topics > 1, variance_in_group, variance_of_all)
    variance_in_group = np.maximum(variance_in_group, LEAST_SHARE_OF_VARIANCE * variance_of_all)
    return means, weight**2 / (np.maximum(num_topics, 1) * variance_in_group)


def _variance_uncertainty(permutations: _Permutations) -> FloatArray:
    """Return Λ (S,) of `_welch_f`: how uncertain the groups' variances are; it lowers F and its freedom."""
    _, precisions = _means_and_precisions(permutations)
    shares = precisions / precisions.sum(axis=-1, keepdims=True)
    num_topics = permutations.sums((permutations.weights > 0).astype(np.float64))
    return np.asarray(((1 - shares) ** 2 / np.maximum(num_topics - 1, 1)).sum(axis=-1))

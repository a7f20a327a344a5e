"""Distributions of test statistics, without scipy: Student's t, F, and sums of signed ranks (Wilcoxon)."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.reproducible import DECIMALS
from pres_eval.arrays import FloatArray, IntArray, elementwise

_TINY = 1e-300
"""Replaces 0 in the continued fraction, which divides by its terms (Lentz's method)."""

_PRECISION = 1e-16
"""About half the distance from 1 to the next double."""

_MOST_TERMS = 10_000
"""Terms of the continued fraction at most."""


def t_two_sided(t: FloatArray, freedom: float) -> FloatArray:
    """Return the probabilities (P,) of a t at least as far from 0 as the values (P,); 0 for infinite t.

    Formula:  I_x(ν / 2, 1 / 2), x = ν / (ν + t²), I the regularised incomplete beta function, ν the degrees
      of freedom
    Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    t = np.asarray(t, np.float64)
    chances = np.ones(t.shape)
    chances[np.isinf(t)] = 0.0
    chances[np.isnan(t)] = math.nan
    regular = np.isfinite(t) & (t != 0)
    square = t[regular] ** 2
    rest = square / (freedom + square)
    chances[regular] = _incomplete_beta(freedom / (freedom + square), rest, freedom / 2, 0.5)
    return chances


def t_above(t: FloatArray, freedom: float) -> FloatArray:
    """Return the probabilities (P,) of a t at least as large as the values (P,)."""
    half = t_two_sided(t, freedom) / 2
    return np.where(np.asarray(t) > 0, half, 1 - half)


def f_above(f: float, between: float, within: float) -> float:
    """Return the probability of an F at least as large.

    between, within  ν₁ and ν₂, the degrees of freedom between and within groups
    Formula:  I_x(ν₂ / 2, ν₁ / 2), x = ν₂ / (ν₂ + ν₁ F), I the regularised incomplete beta function
    """
    if not f > 0:
        return 1.0
    whole = within + between * f
    x, rest = np.array([within / whole]), np.array([between * f / whole])
    return float(_incomplete_beta(x, rest, within / 2, between / 2)[0])


def _incomplete_beta(x: FloatArray, rest: FloatArray, a: float, b: float) -> FloatArray:
    """Return I_x(a, b) (n,), the regularised incomplete beta function.

    rest  (n,) 1 - x, computed by the caller without the loss of digits that a subtraction near 1 has
    """
    # The continued fraction converges for small x.  For the others I_x(a, b) = 1 - I_(1 - x)(b, a).
    is_large = x > (a + 1) / (a + b + 2)
    values = np.empty(len(x))
    values[~is_large] = _small_incomplete_beta(x[~is_large], rest[~is_large], a, b)
    values[is_large] = 1 - _small_incomplete_beta(rest[is_large], x[is_large], b, a)
    return values


def _small_incomplete_beta(x: FloatArray, rest: FloatArray, a: float, b: float) -> FloatArray:
    """Return I_x(a, b) (n,) for small x: x^a (1 - x)^b / (a B(a, b)) times the continued fraction.

    rest  (n,) 1 - x
    """
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    logarithm = constant + a * elementwise(math.log, x) + b * elementwise(math.log, rest)
    front = elementwise(math.exp, logarithm) / a
    return np.asarray(front * _continued_fraction(x, a, b), np.float64)


def _continued_fraction(x: FloatArray, a: float, b: float) -> FloatArray:
    """Return the continued fraction (n,) of the incomplete beta function, by Lentz's method.

    Each element takes as many steps as it needs, so its bits do not depend on the others.
    """
    numerator, denominator = np.ones(len(x)), 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = denominator.copy()
    rows = np.arange(len(x))  # elements that are not precise yet
    for term in range(1, _MOST_TERMS):
        if not len(rows):
            break
        open_x, top, bottom = x[rows], numerator[rows], denominator[rows]
        even = term * (b - term) * open_x / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * open_x / ((a + 2 * term) * (a + 2 * term + 1))
        for part in (even, odd):
            bottom = 1 / _away_from_zero(1 + part * bottom)
            top = _away_from_zero(1 + part / top)
            value[rows] *= bottom * top
        numerator[rows], denominator[rows] = top, bottom
        rows = rows[np.abs(bottom * top - 1) > 4 * _PRECISION]
    return value


def _away_from_zero(values: FloatArray) -> FloatArray:
    """Return the values (n,), with _TINY in place of those that are nearer to 0."""
    return np.where(np.abs(values) < _TINY, _TINY, values)


@lru_cache(maxsize=1024)
def t_quantile(outside: float, freedom: float) -> float:
    """Return the t that is exceeded, in either direction, with probability `outside` (above 0, below 1).

    1.96 for 0.05 and many degrees of freedom, 12.7 for one.
    """
    return float(t_quantiles(np.array([outside]), freedom)[0])


def t_quantiles(outside: FloatArray, freedom: float) -> FloatArray:
    """Return the `t_quantile` (P,) of each of the probabilities (P,), by Newton's method."""
    chances, where = np.unique(outside, return_inverse=True)
    # The normal quantile is below the t quantile, and the probability falls ever more slowly: so the steps
    # approach the quantile from below, until one goes back, by the rounding of the probability.
    t = np.maximum(-elementwise(NormalDist().inv_cdf, chances / 2), 1e-8)
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    rows = np.arange(len(t))  # elements that are not precise yet
    for _ in range(200):  # 56 are enough for a probability of 1e-16 and one degree of freedom
        open_t = t[rows]
        logarithm = constant - (freedom + 1) / 2 * elementwise(math.log1p, open_t * open_t / freedom)
        step = (t_two_sided(open_t, freedom) - chances[rows]) / (2 * elementwise(math.exp, logarithm))
        t[rows] += step
        rows = rows[step > 1e-14 * t[rows]]
        if not len(rows):
            break
    return t[where]


EXACT_WITHOUT_TIES = 50
"""Topics up to which Wilcoxon's p-values are exact if no differences tie and none is 0, as in scipy."""

EXACT_WITH_TIES = 13
"""Topics up to which Wilcoxon's p-values are exact in any case, as in scipy."""


def rank_sums(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the ranks of the positive (P,) and of the negative differences (P,).

    Differences (P, T) are ranked by their size in their row; zeros are left out.
    """
    differences = np.round(differences, DECIMALS)
    doubled, _ = _doubled_ranks(np.abs(differences))
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    negative = np.where(differences < 0, doubled, 0).sum(axis=1)
    return positive / 2, negative / 2


def wilcoxon(differences: FloatArray, samples: int = 0, seed: int = 0, greater: bool = False) -> FloatArray:
    """Return p-values (P,) of the Wilcoxon signed-rank test of differences (P, T).

    samples and seed are not used.
    Zeros are taken out (Wilcoxon's own way), tied differences share their average rank.  The p-value is
    exact for up to 50 topics if no differences tie and none is zero, and for up to 13 topics in any case.
    Otherwise it is the normal approximation with the correction for ties and without one for continuity.
    scipy.stats.wilcoxon has done the same since 1.13.  1 if all differences are zero.
    Source: Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968.
    """
    differences = np.round(differences, DECIMALS)
    size = differences.shape[1]
    doubled, tie_terms = _doubled_ranks(np.abs(differences))
    # Twice the rank sum that is low if runs differ: of negative differences, or two-sided the lower of both.
    sums = np.where(differences < 0, doubled, 0).sum(axis=1)
    if not greater:
        sums = np.minimum(sums, np.where(differences > 0, doubled, 0).sum(axis=1))
    nonzero = (differences != 0).sum(axis=1)
    # Rows without a difference keep these: the p-value is 1, two-sided twice 0.5.
    one_sided = np.full(len(differences), 1.0 if greater else 0.5)
    no_ties_or_zeros = (tie_terms == 0) & (nonzero == size) & (0 < size <= EXACT_WITHOUT_TIES)
    if no_ties_or_zeros.any():
        doubled_ranks = tuple(range(2, 2 * size + 1, 2))
        one_sided[no_ties_or_zeros] = _rank_sum_chances(doubled_ranks)[sums[no_ties_or_zeros]]
    rows = np.flatnonzero(~no_ties_or_zeros & (nonzero > 0))
    if size <= EXACT_WITH_TIES:
        for row in rows.tolist():
            ranks = tuple(sorted(doubled[row][differences[row] != 0].tolist()))
            one_sided[row] = _rank_sum_chances(ranks)[sums[row]]
    elif len(rows):
        n = nonzero[rows]
        variance = (n * (n + 1) * (2 * n + 1) - tie_terms[rows] / 2) / 24
        z = (n * (n + 1) / 4 - sums[rows] / 2) / np.sqrt(variance) / math.sqrt(2)
        # math.erfc: the last bits of scipy's erfc are others.
        one_sided[rows] = elementwise(math.erfc, z) / 2
    if greater:
        return one_sided
    return np.asarray(np.minimum(1.0, 2 * one_sided), np.float64)


def _doubled_ranks(magnitudes: FloatArray) -> tuple[IntArray, IntArray]:
    """Return twice the average rank (P, T) of each value in its row, and terms of ties (P,).

    magnitudes  (P, T) values from 0 on; those of 0 are not ranked, and get 0
    A term of ties is Σ t³ - t over the groups of t equal values of a row.
    """
    rows, size = magnitudes.shape
    order = np.argsort(magnitudes, axis=1, kind="stable")
    ordered = np.take_along_axis(magnitudes, order, axis=1)
    starts_group = np.ones((rows, size), bool)
    starts_group[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.flatnonzero(starts_group)
    length = np.diff(np.append(first, rows * size))
    row_of = first // size
    zeros = (magnitudes == 0).sum(axis=1)
    # A group of t values with the ranks a+1 ... a+t among nonzero values: twice the average is 2a + t + 1.
    twice = 2 * (first - row_of * size - zeros[row_of]) + length + 1
    is_zero = ordered.ravel()[first] == 0
    twice[is_zero] = 0
    doubled = np.empty((rows, size), np.int64)
    np.put_along_axis(doubled, order, np.repeat(twice, length).reshape(rows, size), axis=1)
    ties = np.zeros(rows, np.int64)
    np.add.at(ties, row_of, np.where(is_zero, 0, length**3 - length))
    return doubled, ties


@lru_cache(maxsize=256)
def _rank_sum_chances(doubled_ranks: tuple[int, ...]) -> FloatArray:
    """Return the probabilities (S+1,) of doubled rank sums of at most 0, 1, ..., S.

    doubled_ranks  n ranks times 2, with the sum S; each of the 2**n choices of those that count is as likely
    """
    # How many choices have each sum.
    counts = np.zeros(sum(doubled_ranks) + 1, np.int64)
    counts[0] = 1
    for rank in doubled_ranks:
        counts[rank:] += counts[: len(counts) - rank].copy()
    # Exact: no sum of counts is above 2**50.
    return np.add.accumulate(counts) / 2.0 ** len(doubled_ranks)

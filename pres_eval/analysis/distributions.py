"""Student's t, and the sums of signed ranks: distributions in the core, so that tests need no library."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.reproducible import DECIMALS
from pres_eval.arrays import FloatArray, IntArray, elementwise

_TINY = 1e-300
_PRECISION = 1e-16
_MOST_TERMS = 10_000


def t_two_sided(t: FloatArray, freedom: float) -> FloatArray:
    """Return the chance of a t at least as far from 0: (P,) values in, (P,) out; 0 for infinite t.

    Formula:  I_x(ν / 2, 1 / 2) with x = ν / (ν + t²), the regularised incomplete beta function.
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
    """Return the chance of a t at least as large: (P,) values in, (P,) out."""
    half = t_two_sided(t, freedom) / 2
    return np.where(np.asarray(t) > 0, half, 1 - half)


def f_above(f: float, between: float, within: float) -> float:
    """Return the chance of an F at least as large, with degrees of freedom between and within groups.

    Formula:  I_x(ν₂ / 2, ν₁ / 2) with x = ν₂ / (ν₂ + ν₁ F), the regularised incomplete beta function.
    """
    if not f > 0:
        return 1.0
    whole = within + between * f
    x, rest = np.array([within / whole]), np.array([between * f / whole])
    return float(_incomplete_beta(x, rest, within / 2, between / 2)[0])


def _incomplete_beta(x: FloatArray, rest: FloatArray, a: float, b: float) -> FloatArray:
    """Return I_x(a, b) where `rest` is 1 - x, given apart so that no digits are lost near 1."""
    # The fraction converges for small x; I_x(a, b) = 1 - I_(1 - x)(b, a) for the others.
    turned = x > (a + 1) / (a + b + 2)
    values = np.empty(len(x))
    values[~turned] = _small_incomplete_beta(x[~turned], rest[~turned], a, b)
    values[turned] = 1 - _small_incomplete_beta(rest[turned], x[turned], b, a)
    return values


def _small_incomplete_beta(x: FloatArray, rest: FloatArray, a: float, b: float) -> FloatArray:
    """Return I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times the continued fraction, for small x."""
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    logarithm = constant + a * elementwise(math.log, x) + b * elementwise(math.log, rest)
    front = elementwise(math.exp, logarithm) / a
    return np.asarray(front * _continued_fraction(x, a, b), np.float64)


def _continued_fraction(x: FloatArray, a: float, b: float) -> FloatArray:
    """Return (n,) the continued fraction of the incomplete beta function, by Lentz's method.

    Each element takes as many steps as it needs, so its bits do not depend on the others.
    """
    numerator, denominator = np.ones(len(x)), 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = denominator.copy()
    rows = np.arange(len(x))
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
    """Return (n,) the values, those next to 0 replaced by the smallest that counts."""
    return np.where(np.abs(values) < _TINY, _TINY, values)


@lru_cache(maxsize=1024)
def t_quantile(outside: float, freedom: float) -> float:
    """Return the t beyond which, to both sides, lies a chance of `outside` (0 to 1, the ends left out).

    1.96 for 0.05 and many degrees of freedom, 12.7 for one.
    """
    return float(t_quantiles(np.array([outside]), freedom)[0])


def t_quantiles(outside: FloatArray, freedom: float) -> FloatArray:
    """Return (P,) the `t_quantile` of each of the chances (P,)."""
    chances, where = np.unique(outside, return_inverse=True)
    # The normal quantile is never above it, and the chance falls ever more slowly: Newton's steps stay below.
    t = np.maximum(-elementwise(NormalDist().inv_cdf, chances / 2), 1e-8)
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    rows = np.arange(len(t))
    for _ in range(200):
        open_t = t[rows]
        logarithm = constant - (freedom + 1) / 2 * elementwise(math.log1p, open_t * open_t / freedom)
        step = (t_two_sided(open_t, freedom) - chances[rows]) / (2 * elementwise(math.exp, logarithm))
        t[rows] += step
        rows = rows[np.abs(step) > 1e-14 * t[rows]]
        if not len(rows):
            break
    return t[where]


EXACT_WITHOUT_TIES = 50
EXACT_WITH_TIES = 13


def rank_sums(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (P,) sums of the ranks of the positive and of the negative differences, zeros left out."""
    differences = np.round(differences, DECIMALS)
    doubled, _ = _doubled_ranks(np.abs(differences))
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    return positive / 2, np.where(differences < 0, doubled, 0).sum(axis=1) / 2


def wilcoxon(differences: FloatArray, samples: int = 0, seed: int = 0, greater: bool = False) -> FloatArray:
    """Return P-values of the Wilcoxon signed-rank test, which draws nothing: (P, T) differences in, (P,) out.

    Zeros are taken out (Wilcoxon's own way), tied differences share their average rank.  The p-value is
    exact for up to 50 topics if nothing ties and nothing is zero, and for up to 13 in any case; otherwise it
    is the normal approximation with the correction for ties and without one for continuity: what
    scipy.stats.wilcoxon does since 1.13.  1 if all differences are zero.
    Source: Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968.
    """
    differences = np.round(differences, DECIMALS)
    size = differences.shape[1]
    doubled, tie_terms = _doubled_ranks(np.abs(differences))
    # Twice the sum of the ranks that should be low: of those below zero, or of the fewer.
    sums = np.where(differences < 0, doubled, 0).sum(axis=1)
    if not greater:
        sums = np.minimum(sums, np.where(differences > 0, doubled, 0).sum(axis=1))
    nonzero = (differences != 0).sum(axis=1)
    # Without differences the p-value is 1, of two sides twice 0.5.
    one_sided = np.full(len(differences), 1.0 if greater else 0.5)
    plain = (tie_terms == 0) & (nonzero == size) & (0 < size <= EXACT_WITHOUT_TIES)
    if plain.any():
        one_sided[plain] = _rank_sum_chances(tuple(range(2, 2 * size + 1, 2)))[sums[plain]]
    rows = np.flatnonzero(~plain & (nonzero > 0))
    if size <= EXACT_WITH_TIES:
        for row in rows.tolist():
            ranks = tuple(sorted(doubled[row][differences[row] != 0].tolist()))
            one_sided[row] = _rank_sum_chances(ranks)[sums[row]]
    elif len(rows):
        n = nonzero[rows]
        variance = (n * (n + 1) * (2 * n + 1) - tie_terms[rows] / 2) / 24
        z = (n * (n + 1) / 4 - sums[rows] / 2) / np.sqrt(variance) / math.sqrt(2)
        # math.erfc, as scipy's has other last bits.
        one_sided[rows] = elementwise(math.erfc, z) / 2
    return one_sided if greater else np.minimum(1.0, 2 * one_sided)


def _doubled_ranks(magnitudes: FloatArray) -> tuple[IntArray, IntArray]:
    """Return twice the average rank of values > 0 (P, T) in their rows, else 0; Σ t³ - t over ties (P,)."""
    rows, size = magnitudes.shape
    order = np.argsort(magnitudes, axis=1, kind="stable")
    ordered = np.take_along_axis(magnitudes, order, axis=1)
    starts = np.ones((rows, size), bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.flatnonzero(starts)
    length = np.diff(np.append(first, rows * size))
    row_of = first // size
    zeros = (magnitudes == 0).sum(axis=1)
    # A group at places a+1 ... a+t among the nonzero ones: twice the average is 2a + t + 1.
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
    """Return the chances (S+1,) of a doubled rank sum of at most 0 ... S, over 2**n choices of signs."""
    counts = np.zeros(sum(doubled_ranks) + 1, np.int64)
    counts[0] = 1
    for rank in doubled_ranks:
        counts[rank:] += counts[: len(counts) - rank].copy()
    # Exact: no sum of counts is above 2**50.
    return np.add.accumulate(counts) / 2.0 ** len(doubled_ranks)

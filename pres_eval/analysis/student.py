"""Student's t distribution, in the core: the default test and the default intervals need nothing but it."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pres_eval.arrays import FloatArray, elementwise

_TINY = 1e-300
_PRECISION = 1e-16
_MOST_TERMS = 10_000


def two_sided(t: FloatArray, freedom: float) -> FloatArray:
    """Return the chance of a t at least as far from 0: (P,) values in, (P,) out; 0 for infinite t.

    Formula:  I_x(ν / 2, 1 / 2) with x = ν / (ν + t²), the regularised incomplete beta function.
    Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    t = np.asarray(t, np.float64)
    chances = np.ones(t.shape)
    chances[np.isinf(t)] = 0.0
    chances[np.isnan(t)] = math.nan
    some = np.isfinite(t) & (t != 0)
    square = t[some] ** 2
    rest = square / (freedom + square)
    chances[some] = _incomplete_beta(freedom / (freedom + square), rest, freedom / 2, 0.5)
    return chances


def above(t: FloatArray, freedom: float) -> FloatArray:
    """Return the chance of a t at least as large: (P,) values in, (P,) out."""
    half = two_sided(t, freedom) / 2
    return np.where(np.asarray(t) > 0, half, 1 - half)


def _incomplete_beta(x: FloatArray, rest: FloatArray, a: float, b: float) -> FloatArray:
    """Return I_x(a, b) where `rest` is 1 - x, given apart so that no digits are lost near 1."""
    turned = x > (a + 1) / (a + b + 2)
    values = np.empty(len(x))
    for rows, one, other, first, second in (
        (~turned, x, rest, a, b),
        (turned, rest, x, b, a),
    ):
        here, there = one[rows], other[rows]
        constant = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
        logarithm = constant + first * elementwise(math.log, here) + second * elementwise(math.log, there)
        front = elementwise(math.exp, logarithm) / first
        values[rows] = front * _continued_fraction(here, first, second)
    values[turned] = 1 - values[turned]
    return values


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
        own, top, bottom = x[rows], numerator[rows], denominator[rows]
        even = term * (b - term) * own / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * own / ((a + 2 * term) * (a + 2 * term + 1))
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
def quantile(outside: float, freedom: float) -> float:
    """Return the t beyond which, to both sides, lies a chance of `outside` (0 to 1, the ends left out).

    1.96 for 0.05 and many degrees of freedom, 12.7 for one.
    """
    return float(quantiles(np.array([outside]), freedom)[0])


def quantiles(outside: FloatArray, freedom: float) -> FloatArray:
    """Return (P,) the `quantile` of each of the chances (P,)."""
    chances, where = np.unique(outside, return_inverse=True)
    # The normal quantile is never above it, and the chance falls ever more slowly: Newton's steps stay below.
    t = np.maximum(-elementwise(NormalDist().inv_cdf, chances / 2), 1e-8)
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    rows = np.arange(len(t))
    for _ in range(200):
        own = t[rows]
        logarithm = constant - (freedom + 1) / 2 * elementwise(math.log1p, own * own / freedom)
        step = (two_sided(own, freedom) - chances[rows]) / (2 * elementwise(math.exp, logarithm))
        t[rows] += step
        rows = rows[np.abs(step) > 1e-14 * t[rows]]
        if not len(rows):
            break
    return t[where]

"""Chances of the largest of many differences of means: the studentised range, and t with a shared mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from pres_eval.arrays.types import FloatArray
from pres_eval.errors import MissingExtraError

_NODES = 48
_PLACES = 320
"""Nodes of the quadrature over the standard deviation, and over the shared normal deviate: for up to 100
means the chances are right to 10 decimals, which more nodes would not change."""

_WIDEST = 17.0
_TERMS = 256
_NOISE = 1e-15
"""How wide a range of normal deviates can be, but for a chance below 1e-15; of how many terms the polynomial
is that gives the chance of any narrower one to 12 decimals, and how small the last of them may be."""

_AT_ONCE = 512

_FEWEST_DRAWN = 1e-17
"""The share of the distribution of a standard deviation that is left out at either end."""


def studentized_range(q: FloatArray, groups: int, freedom: float) -> FloatArray:
    """P(Q > q) of the studentised range of so many means: (P,) in, (P,) out."""
    return _outside(q, freedom, _range_chances(groups))


def against_one(t: FloatArray, comparisons: int, freedom: float) -> FloatArray:
    """P(max |T_i| > t) of so many t that share one mean: (P,) in, (P,) out."""
    return _outside(t, freedom, _shared_chances(comparisons))


@lru_cache(maxsize=64)
def _range_chances(groups: int) -> FloatArray:
    """(terms,) the polynomial of the chance that the range of so many normal deviates is below a width."""
    ndtr: Callable[[FloatArray], FloatArray] = special_functions().ndtr

    def inside(width: FloatArray, z: FloatArray) -> FloatArray:
        return groups * (ndtr(z) - ndtr(z - width)) ** (groups - 1)

    return _polynomial(inside)


@lru_cache(maxsize=64)
def _shared_chances(comparisons: int) -> FloatArray:
    """(terms,) that of the chance that so many differences from one deviate, over √2, are below a width."""
    ndtr: Callable[[FloatArray], FloatArray] = special_functions().ndtr

    def inside(width: FloatArray, z: FloatArray) -> FloatArray:
        return (ndtr(z + math.sqrt(2) * width) - ndtr(z - math.sqrt(2) * width)) ** comparisons

    return _polynomial(inside)


def _polynomial(inside: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
    """Chebyshev coefficients of ∫ φ(z) inside(width, z) dz for widths from 0 to the widest, as -1 to 1."""
    nodes, weights = _gauss(_PLACES)
    z = 8.5 * nodes
    z_weights = weights * 8.5 * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    # Cosines of k (2 j + 1) π / (2 terms), brought below a whole turn in whole numbers.
    turns = np.arange(_TERMS)[:, None] * np.arange(1, 2 * _TERMS, 2) % (4 * _TERMS)
    cosines = np.cos(turns * (math.pi / (2 * _TERMS)))
    widths = (cosines[1] + 1) / 2 * _WIDEST
    found = cosines @ (inside(widths[:, None], z) @ z_weights) * (2 / _TERMS)
    found[0] /= 2
    last = np.flatnonzero(np.abs(found) > _NOISE)[-1]
    return np.asarray(found[: last + 1], np.float64)


def _outside(values: FloatArray, freedom: float, polynomial: FloatArray) -> FloatArray:
    """(P,) 1 - ∫ f(s) H(s value) ds, f of the deviation of `freedom` degrees, H the chance of a width."""
    special = special_functions()
    half = freedom / 2
    lowest = math.sqrt(special.gammaincinv(half, _FEWEST_DRAWN) / half)
    highest = math.sqrt(special.gammainccinv(half, _FEWEST_DRAWN) / half)
    nodes, weights = _gauss(_NODES)
    s = lowest + (nodes + 1) / 2 * (highest - lowest)
    logarithm = math.log(2) + half * math.log(half) - math.lgamma(half) + (freedom - 1) * np.log(s)
    s_weights = weights * (highest - lowest) / 2 * np.exp(logarithm - half * s * s)
    chances = np.empty(len(values))
    for start in range(0, len(values), _AT_ONCE):
        width = np.minimum(values[start : start + _AT_ONCE, None] * s, _WIDEST)
        found = np.polynomial.chebyshev.chebval(2 / _WIDEST * width - 1, polynomial)
        chances[start : start + _AT_ONCE] = found @ s_weights
    chances = np.clip(1 - chances, 0.0, 1.0)
    chances[values == 0], chances[np.isinf(values)] = 1.0, 0.0
    return np.where(np.isnan(values), math.nan, chances)


@lru_cache
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    """(nodes,) places and (nodes,) weights of Gauss and Legendre's quadrature from -1 to 1."""
    places, weights = np.polynomial.legendre.leggauss(nodes)
    return places, weights


def special_functions(feature: str = "this test") -> Any:
    """Scipy's special functions; raises MissingExtraError if it is not there."""
    try:
        from scipy import special
    except ImportError as problem:
        raise MissingExtraError(feature, "scipy", "stats") from problem
    return special

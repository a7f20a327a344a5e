"""Rank-biased overlap of two lists of scores over the same things."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.correlation import above_and_tied
from pres_eval.arrays.types import FloatArray, IntArray

PERSISTENCE = 0.9
"""The chance of going on to the next place: with 0.9 the first ten places carry 86 % of the weight."""

TIES = ("w", "a", "b")
"""How ties count: as the same place, as an order that is not known, or as that corrected for what is lost."""


def rbo(x: FloatArray, y: FloatArray, persistence: float = PERSISTENCE, ties: str = "w") -> float:
    """Rank-biased overlap of the orders (R,) of R things, highest score first: the top counts most.

    Formula:  RBO = (1 - p) / p Σ_{d=1..R} A_d p^d + A_R p^R, p the persistence
      A_d, the agreement of the two lists down to place d, is
      w: 2 |S_d ∩ L_d| / (|S_d| + |L_d|), S_d the things with fewer than d others strictly above them
      a: Σ s_d l_d / d, s_d the chance that a thing is among the first d when ties are broken at random
      b: Σ s_d l_d / √(Σ s_d² Σ l_d²)
    Range: 0 to 1, 1 for equal orders (under a: of equal orders without ties); nan for no things.  Both lists
      have all things, so A_R is 1 and nothing is left to extrapolate.
    Source: Webber, Moffat & Zobel, ACM TOIS 2010, doi:10.1145/1852102.1852106; ties: Corsi & Urbano, SIGIR
      2024, doi:10.1145/3626772.3657700.
    """
    size = len(x)
    if not size:
        return math.nan
    agreement = agreements(x, y, ties)
    weights = persistence ** np.arange(size)
    total = math.fsum((agreement * weights).tolist()) * (1 - persistence)
    return min(1.0, total + float(agreement[-1]) * persistence**size)


def opposite_rbo(size: int) -> float:
    """The least that `rbo` of so many things can be: that of opposite orders without ties."""
    rising = np.arange(size, dtype=np.float64)
    return rbo(rising, -rising)


def agreements(x: FloatArray, y: FloatArray, ties: str = "w") -> FloatArray:
    """(R,) A_d of `rbo`, how far the two lists agree down to place d: 1, 2, ... R."""
    depth = np.arange(1, len(x) + 1)
    first, second = _shares(x, depth, ties), _shares(y, depth, ties)
    shared = (first * second).sum(axis=1)
    if ties == "w":
        return np.asarray(2 * shared / (first.sum(axis=1) + second.sum(axis=1)), np.float64)
    if ties == "a":
        return np.asarray(shared / depth, np.float64)
    return np.asarray(shared / np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1)), np.float64)


def _shares(scores: FloatArray, depth: IntArray, ties: str) -> FloatArray:
    """(depths, things) how far a thing belongs to the first d: 0 or 1, between for ties broken at random."""
    above, group = above_and_tied(scores)
    if ties == "w":
        return np.asarray(depth[:, None] > above, np.float64)
    return np.asarray(np.clip((depth[:, None] - above) / group, 0.0, 1.0), np.float64)

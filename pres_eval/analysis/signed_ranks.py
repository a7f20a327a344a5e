"""The Wilcoxon signed-rank test over topics, for many pairs of runs at once."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from pres_eval.analysis.digits import DECIMALS
from pres_eval.arrays import FloatArray, IntArray

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
    found = np.full(len(differences), 1.0 if greater else 0.5)
    plain = (tie_terms == 0) & (nonzero == size) & (0 < size <= EXACT_WITHOUT_TIES)
    if plain.any():
        found[plain] = _rank_sum_chances(tuple(range(2, 2 * size + 1, 2)))[sums[plain]]
    rows = np.flatnonzero(~plain & (nonzero > 0))
    if size <= EXACT_WITH_TIES:
        for row in rows.tolist():
            ranks = tuple(sorted(doubled[row][differences[row] != 0].tolist()))
            found[row] = _rank_sum_chances(ranks)[sums[row]]
    elif len(rows):
        n = nonzero[rows]
        variance = (n * (n + 1) * (2 * n + 1) - tie_terms[rows] / 2) / 24
        z = (n * (n + 1) / 4 - sums[rows] / 2) / np.sqrt(variance) / math.sqrt(2)
        # math.erfc, as scipy's has other last bits.
        found[rows] = np.array([math.erfc(one) for one in z.tolist()], np.float64) / 2
    return found if greater else np.minimum(1.0, 2 * found)


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

"""The Wilcoxon signed-rank test over topics, for many pairs of runs at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pres_eval.analysis.digits import DECIMALS
from pres_eval.arrays.types import FloatArray, IntArray

EXACT_WITHOUT_TIES = 50
EXACT_WITH_TIES = 13


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Sums of ranks of the positive and of the negative differences, and the p-values: (P,) each.

    p_value  that the two differ, in either direction
    greater  that the first is better
    """

    positive: FloatArray
    negative: FloatArray
    p_value: FloatArray
    greater: FloatArray


def wilcoxon(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the Wilcoxon signed-rank test: (P, T) differences in, (P,) out."""
    return signed_ranks(differences).p_value


def wilcoxon_greater(differences: FloatArray) -> FloatArray:
    """One-sided p-values of the same test, small where the differences lie above zero."""
    return signed_ranks(differences).greater


def rank_sums(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(P,) sums of the ranks of the positive and of the negative differences, zeros left out."""
    differences = np.round(differences, DECIMALS)
    doubled, _ = _doubled_ranks(np.abs(differences))
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    return positive / 2, np.where(differences < 0, doubled, 0).sum(axis=1) / 2


def signed_ranks(differences: FloatArray) -> SignedRanks:
    """Wilcoxon signed-rank test of each row of differences (P, T).

    Zeros are taken out (Wilcoxon's own way), tied differences share their average rank.  The p-value is
    exact for up to 50 topics if nothing ties and nothing is zero, and for up to 13 in any case; otherwise it
    is the normal approximation with the correction for ties and without one for continuity: what
    scipy.stats.wilcoxon does since 1.13.  1 if all differences are zero.
    Source: Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968.
    """
    differences = np.round(differences, DECIMALS)
    size = differences.shape[1]
    doubled, tie_terms = _doubled_ranks(np.abs(differences))
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    negative = np.where(differences < 0, doubled, 0).sum(axis=1)
    nonzero = (differences != 0).sum(axis=1)
    p_values, greater = np.ones(len(differences)), np.ones(len(differences))
    for row in np.flatnonzero(nonzero):
        n, tied = int(nonzero[row]), int(tie_terms[row])
        against = int(negative[row])
        least = int(min(positive[row], against))
        if not tied and n == size <= EXACT_WITHOUT_TIES:
            ranks = tuple(range(2, 2 * n + 1, 2))
            p_values[row] = min(1.0, 2 * _exact_p(ranks, least))
            greater[row] = _exact_p(ranks, against)
        elif size <= EXACT_WITH_TIES:
            ranks = tuple(sorted(doubled[row][differences[row] != 0].tolist()))
            p_values[row] = min(1.0, 2 * _exact_p(ranks, least))
            greater[row] = _exact_p(ranks, against)
        else:
            p_values[row] = 2 * _normal_p(n, tied, least)
            greater[row] = _normal_p(n, tied, against)
    return SignedRanks(positive / 2, negative / 2, p_values, greater)


def _doubled_ranks(magnitudes: FloatArray) -> tuple[IntArray, IntArray]:
    """Twice the average rank of each value > 0 in its row (0 for zeros), and Σ t³ - t over the row's ties."""
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
def _rank_sum_counts(doubled_ranks: tuple[int, ...]) -> tuple[int, ...]:
    """In how many of the 2**n ways of giving signs the doubled rank sum is 0, 1, 2, ..."""
    counts = np.zeros(sum(doubled_ranks) + 1, np.int64)
    counts[0] = 1
    for rank in doubled_ranks:
        counts[rank:] += counts[: len(counts) - rank].copy()
    return tuple(counts.tolist())


def _exact_p(doubled_ranks: tuple[int, ...], doubled_sum: int) -> float:
    """The chance of a doubled rank sum as low as this."""
    counts = _rank_sum_counts(doubled_ranks)
    return float(sum(counts[: doubled_sum + 1]) / 2 ** len(doubled_ranks))


def _normal_p(n: int, tie_term: int, doubled_sum: int) -> float:
    """The same, approximately."""
    mean = n * (n + 1) / 4
    variance = (n * (n + 1) * (2 * n + 1) - tie_term / 2) / 24
    return math.erfc((mean - doubled_sum / 2) / math.sqrt(variance) / math.sqrt(2)) / 2

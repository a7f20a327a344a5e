"""Paired tests over topics, for many pairs of runs at once, and corrections for having made many.

Every test takes differences, one row for each comparison and one column for each topic, and gives one
two-sided p-value a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pres_eval.analysis.randomness import Stream
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.errors import MissingExtraError

DECIMALS = 12
"""Differences are rounded to this many decimals before they are ranked or compared with zero: 0.3 - 0.1 and
0.2 are the same difference, though not the same double."""

EXACT_WITHOUT_TIES = 50
EXACT_WITH_TIES = 13
ENUMERATED = 16
"""Up to this many topics that differ, the randomisation test goes through all 2**n sign changes."""


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Sums of ranks of the positive and of the negative differences, and the p-values: (P,) each."""

    positive: FloatArray
    negative: FloatArray
    p_value: FloatArray


def wilcoxon(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the Wilcoxon signed-rank test: (P, T) differences in, (P,) out."""
    return signed_ranks(differences).p_value


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
    p_values = np.ones(len(differences))
    for row in np.flatnonzero(nonzero):
        n, tied = int(nonzero[row]), int(tie_terms[row])
        least = int(min(positive[row], negative[row]))
        if not tied and n == size <= EXACT_WITHOUT_TIES:
            p_values[row] = _exact_p(tuple(range(2, 2 * n + 1, 2)), least)
        elif size <= EXACT_WITH_TIES:
            p_values[row] = _exact_p(tuple(sorted(doubled[row][differences[row] != 0].tolist())), least)
        else:
            p_values[row] = _normal_p(n, tied, least)
    return SignedRanks(positive / 2, negative / 2, p_values)


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


def _exact_p(doubled_ranks: tuple[int, ...], least: int) -> float:
    counts = _rank_sum_counts(doubled_ranks)
    return float(min(1.0, 2 * sum(counts[: least + 1]) / 2 ** len(doubled_ranks)))


def _normal_p(n: int, tie_term: int, least: int) -> float:
    mean = n * (n + 1) / 4
    variance = (n * (n + 1) * (2 * n + 1) - tie_term / 2) / 24
    return math.erfc((mean - least / 2) / math.sqrt(variance) / math.sqrt(2))


def paired_t(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t-test: (P, T) differences in, (P,) out.

    1 where all differences are zero, 0 where they all are the same other number; nan for one topic.
    Source: Student, Biometrika 1908, doi:10.1093/biomet/6.1.1.
    """
    try:
        from scipy.special import stdtr
    except ImportError as problem:
        raise MissingExtraError("the t-test", "scipy", "stats") from problem
    size = differences.shape[1]
    if size < 2:
        return np.full(len(differences), math.nan)
    mean, deviation = mean_and_deviation(differences)
    p_values = np.where(mean == 0, 1.0, 0.0)
    varied = deviation > 0
    t = mean[varied] / (deviation[varied] / math.sqrt(size))
    p_values[varied] = 2 * stdtr(size - 1, -np.abs(t))
    return p_values


def mean_and_deviation(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sample standard deviation (divisor T - 1) of each row; the deviation of equal numbers is 0."""
    size = differences.shape[1]
    mean = np.add.accumulate(differences, axis=1)[:, -1] / size
    squares = np.add.accumulate((differences - mean[:, None]) ** 2, axis=1)[:, -1]
    deviation = np.sqrt(squares / (size - 1)) if size > 1 else np.full(len(mean), math.nan)
    deviation[(np.round(differences, DECIMALS) == np.round(differences[:, :1], DECIMALS)).all(axis=1)] = 0.0
    return mean, deviation


def randomisation(differences: FloatArray, samples: int = 10_000, seed: int = 0) -> FloatArray:
    """Two-sided p-values of the paired randomisation test on the mean difference: (P, T) in, (P,) out.

    If the two runs were the same system, each topic's difference could as well have the other sign: p is the
    share of sign changes that give a mean difference at least as far from 0.  All 2**n of them are gone
    through for up to 16 topics that differ; otherwise `samples` random ones (PCG64), the given signs counting
    as one more, so that p is at least 1 / (samples + 1).  Every row meets the same sign changes.
    Source: Fisher 1935; Smucker, Allan & Carterette, CIKM 2007, doi:10.1145/1321440.1321528.
    """
    p_values = np.ones(len(differences))
    nonzero = (np.round(differences, DECIMALS) != 0).sum(axis=1)
    for row in np.flatnonzero((nonzero > 0) & (nonzero <= ENUMERATED)):
        kept = differences[row][np.round(differences[row], DECIMALS) != 0]
        p_values[row] = _enumerated_p(kept)
    many = np.flatnonzero(nonzero > ENUMERATED)
    if len(many):
        p_values[many] = _sampled_p(differences[many], samples, seed)
    return p_values


def _enumerated_p(values: FloatArray) -> float:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return float(np.count_nonzero(np.abs(sums) >= _as_far(values[None, :])) / len(sums))


def _sampled_p(differences: FloatArray, samples: int, seed: int) -> FloatArray:
    stream, reached = Stream(seed), _as_far(differences)
    as_far = np.zeros(len(differences), np.int64)
    for start in range(0, samples, 1000):
        signs = np.where(stream.signs(min(1000, samples - start), differences.shape[1]), 1.0, -1.0)
        # In whatever order this adds: the margin in `_as_far` is wider than the rounding.
        as_far += (np.abs(signs @ differences.T) >= reached).sum(axis=0)
    return (1 + as_far) / (samples + 1)


def _as_far(differences: FloatArray) -> FloatArray:
    """How far a row's sum is from 0, less a margin for rounding."""
    total = np.add.accumulate(differences, axis=1)[:, -1]
    margin = 1e-12 * np.add.accumulate(np.abs(differences), axis=1)[:, -1]
    far: FloatArray = np.abs(total) - margin
    return far


TESTS: dict[str, Callable[[FloatArray, int, int], FloatArray]] = {
    "wilcoxon": lambda differences, samples, seed: wilcoxon(differences),
    "t": lambda differences, samples, seed: paired_t(differences),
    "randomisation": randomisation,
}
"""The tests by the names that options use: differences, samples, seed -> p-values."""

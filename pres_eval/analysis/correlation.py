"""Rank correlation, and rank-biased overlap, of two lists of scores (R,) of the same R things, such as runs.

A list is the order of the things, highest score first.  Scores that are equal at 12 digits tie.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pres_eval.analysis.reproducible import rounded
from pres_eval.arrays import FloatArray, IntArray


def kendall_tau_a(x: FloatArray, y: FloatArray) -> float:
    """Return Kendall's τ-a of scores (R,) and (R,): pairs in the same minus in opposite order.

    Formula:  τ_a = (C - D) / (R (R - 1) / 2), C pairs in the same order (concordant), D in opposite order
      (discordant), as a share of all pairs; those that tie in x or y count as neither
    Range: -1 to 1; with ties neither end can be reached.  nan for fewer than two things.
    Source: Kendall, Biometrika 1938, doi:10.1093/biomet/30.1-2.81.  The coefficient that Magdy & Jones
      (SIGIR 2010) print as Kendall's τ.
    """
    size = len(x)
    if size < 2:
        return math.nan
    # The sum has each pair twice.
    return int(_orders(x, y).sum()) / (size * (size - 1))


def tau_a_ceiling(x: FloatArray, y: FloatArray) -> float:
    """Return the highest τ-a that scores (R,) and (R,) with these ties can have: 1 without ties, else less.

    It is the τ-a of both lists in ascending order.  nan for fewer than two things.
    Source: Nešlehová, Journal of Multivariate Analysis 2007, doi:10.1016/j.jmva.2005.11.007.
    """
    return kendall_tau_a(np.sort(x), np.sort(y))


def kendall_tau_b(x: FloatArray, y: FloatArray) -> float:
    """Return Kendall's τ-b of scores (R,) and (R,): τ corrected for ties.

    Formula:  τ_b = (C - D) / √((P - T_x) (P - T_y)), C and D as for τ-a, P all pairs, T_x and T_y those that
      tie in x and in y
    Range: -1 to 1; nan if all of x or all of y is one value.
    Source: Kendall, Biometrika 1945, doi:10.1093/biomet/33.3.239.
    """
    pairs_x, pairs_y = (int(np.abs(_signs(scores)).sum()) for scores in (x, y))
    return _cosine(int(_orders(x, y).sum()), pairs_x, pairs_y)


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Return Spearman's ρ of scores (R,) and (R,): the correlation of ranks; ties share their average rank.

    Range: -1 to 1; nan if all of x or all of y is one value.
    Source: Spearman, American Journal of Psychology 1904, doi:10.2307/1412159.  The coefficient that the
      earlier workshop paper on PRES prints.
    """
    # Twice the ranks are whole numbers, so that the sums are exact.
    rank_x, rank_y = ((2 * average_ranks(scores)).astype(np.int64) for scores in (x, y))
    deviation_x, deviation_y = (ranks - (len(x) + 1) for ranks in (rank_x, rank_y))
    squares_x, squares_y = int((deviation_x**2).sum()), int((deviation_y**2).sum())
    return _cosine(int((deviation_x * deviation_y).sum()), squares_x, squares_y)


def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """Return τ_AP: how well an estimated order (R,) keeps the true one (R,); the top counts most.

    Formula:  τ_AP = 2 / (R - 1) Σ_{i=2..R} C(i) / (i - 1)  -  1
      i    position in the estimated order, 1 for the highest score
      C(i) how many of the i - 1 things above the i-th are above it in the true order too
    For ties, in either list, the value is the mean over all orders that break them.
    Range: -1 to 1; nan for fewer than two things.  Not symmetric.
    Source: Yilmaz, Aslam & Robertson, SIGIR 2008, doi:10.1145/1390334.1390435; ties (τ_AP,a): Urbano &
      Marrero, ICTIR 2017, doi:10.1145/3121050.3121106.
    """
    size = len(truth)
    if size < 2:
        return math.nan
    # For each thing 2 C(i) - (i - 1): with each thing above it, an order kept counts 1, a reversed one -1,
    # and a tie in the truth 0.
    is_above = _signs(estimate) < 0
    kept_less_reversed = np.where(is_above, _orders(truth, estimate), 0).sum(axis=1)
    above, tied = above_and_tied(estimate)
    total = 0.0
    for balance, num_above, group in zip(
        kept_less_reversed.tolist(), above.tolist(), tied.tolist(), strict=True
    ):
        if num_above:
            # Broken at random, a tie puts the thing at each position of its group with the same chance, and
            # half of the orders within the group are kept: they add 0.
            inverse_positions = math.fsum(1 / before for before in range(num_above, num_above + group))
            total += balance * inverse_positions / group
    return total / (size - 1)


def tau_ap_b(x: FloatArray, y: FloatArray) -> float:
    """Return τ_AP,b of scores (R,) and (R,), neither of them the true order, corrected for ties.

    Formula: the mean of τ_AP of x given y and of y given x.  Each is over the things with others strictly
      above them, and compares them with those others only.  Without ties it is the symmetric τ_AP.
    Range: -1 to 1; nan if all of x or all of y is one value.
    Source: Urbano & Marrero, ICTIR 2017, doi:10.1145/3121050.3121106.
    """
    return (_tau_ap_b_given(x, y) + _tau_ap_b_given(y, x)) / 2


def _tau_ap_b_given(truth: FloatArray, estimate: FloatArray) -> float:
    """Return τ_AP of scores (R,) given true ones (R,), over the things with others strictly above them."""
    is_above = _signs(estimate) < 0
    is_kept = _orders(truth, estimate) > 0
    concordant = (is_above & is_kept).sum(axis=1)
    above, _ = above_and_tied(estimate)
    below_top = above > 0
    if not below_top.any():
        return math.nan
    shares = (concordant[below_top] / above[below_top]).tolist()
    return 2 * math.fsum(shares) / len(shares) - 1


def _cosine(product: int, square_x: int, square_y: int) -> float:
    """Return product / √(square_x square_y), cut to -1 … 1; nan if a square is 0."""
    if not square_x or not square_y:
        return math.nan
    return max(-1.0, min(1.0, product / math.sqrt(square_x * square_y)))


COEFFICIENTS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "tau_a": kendall_tau_a,
    "tau_b": kendall_tau_b,
    "spearman": spearman,
    "tau_ap": tau_ap,
    "tau_ap_b": tau_ap_b,
}
"""The coefficients by the names that options and tables use.

For tau_ap the first argument is the true order; for the others the order of arguments does not matter.
"""


def average_ranks(scores: FloatArray) -> FloatArray:
    """Return ranks (R,), 1 for the lowest score; equal scores share the average of their ranks."""
    below, same = above_and_tied(-scores)
    return np.asarray(below + (same + 1) / 2, np.float64)


def positions(scores: FloatArray) -> IntArray:
    """Return positions (R,), 1 for the highest score; equal scores share the first of their positions."""
    return 1 + above_and_tied(scores)[0]


def _signs(scores: FloatArray) -> IntArray:
    """Return (R, R) 1 where the row's score is higher than the column's, -1 where lower, 0 where equal."""
    scores = rounded(scores)
    return (scores[:, None] > scores).astype(np.int64) - (scores[:, None] < scores)


def _orders(x: FloatArray, y: FloatArray) -> IntArray:
    """Return (R, R) 1 where two things are in the same order in both lists, -1 in opposite, 0 where tied."""
    return _signs(x) * _signs(y)


def above_and_tied(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Return how many things score strictly higher than each (R,), and how many the same (R,), itself too."""
    scores = rounded(scores)
    return (scores > scores[:, None]).sum(axis=1), (scores == scores[:, None]).sum(axis=1)


PERSISTENCE = 0.9
"""The probability of going on to the next position: with 0.9 the first ten carry 86 % of the weight."""


def rbo(x: FloatArray, y: FloatArray, persistence: float = PERSISTENCE, ties: str = "w") -> float:
    """Return the rank-biased overlap of the orders of scores (R,) and (R,): the top counts most.

    ties  "w": things that tie share one position; "a": their order is unknown, and all orders are equally
          likely; "b": as "a", corrected so that equal orders have 1
    Formula:  RBO = (1 - p) / p Σ_{d=1..R} A_d p^d + A_R p^R, p the persistence
      A_d  agreement of the two lists down to position d:
        w: 2 |S_d ∩ L_d| / (|S_d| + |L_d|), S_d and L_d the things of each list with fewer than d others
           strictly above them
        a: Σ s_d l_d / d, s_d and l_d the probabilities that a thing is among the first d of each list
        b: Σ s_d l_d / √(Σ s_d² Σ l_d²)
    Range: 0 to 1, 1 for equal orders (under a: of equal orders without ties); nan for no things.  Both lists
      have all things, so that A_R is 1 and nothing has to be extrapolated.
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
    """Return the least value of `rbo` for lists of this length: that of opposite orders without ties."""
    rising = np.arange(size, dtype=np.float64)
    return rbo(rising, -rising)


def agreements(x: FloatArray, y: FloatArray, ties: str = "w") -> FloatArray:
    """Return the agreements A_d (R,) of `rbo`, for depths d = 1, 2, ..., R."""
    depth = np.arange(1, len(x) + 1)
    first, second = _shares(x, depth, ties), _shares(y, depth, ties)
    shared = (first * second).sum(axis=1)
    if ties == "w":
        return np.asarray(2 * shared / (first.sum(axis=1) + second.sum(axis=1)), np.float64)
    if ties == "a":
        return np.asarray(shared / depth, np.float64)
    squares = (first**2).sum(axis=1) * (second**2).sum(axis=1)
    return np.asarray(shared / np.sqrt(squares), np.float64)


def _shares(scores: FloatArray, depth: IntArray, ties: str) -> FloatArray:
    """Return for each depth and thing (R, R) the probability that the thing is among the first d.

    depth  (R,) the depths d
    ties   under "w" a thing is or is not (1 or 0), under "a" and "b" ties are broken at random
    """
    above, group = above_and_tied(scores)
    if ties == "w":
        return np.asarray(depth[:, None] > above, np.float64)
    return np.asarray(np.clip((depth[:, None] - above) / group, 0.0, 1.0), np.float64)

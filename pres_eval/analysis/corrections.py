"""Many comparisons: p-values corrected for their number, shares of alpha, letters of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from pres_eval.analysis.reproducible import rounded
from pres_eval.arrays import BoolArray, FloatArray, IntArray


def holm(p_values: FloatArray) -> FloatArray:
    """Return Holm's step-down correction of p-values (m,): the chance of any false finding stays below alpha.

    Formula:  p'_(i) = max over j <= i of min(1, (m - j + 1) p_(j)), p_(1) <= ... <= p_(m)
    Source: Holm, Scandinavian Journal of Statistics 1979, https://www.jstor.org/stable/4615733.
    """
    order = np.argsort(p_values, kind="stable").astype(np.int64)
    factors = np.arange(len(p_values), 0, -1)
    return _put_back(order, np.maximum.accumulate(p_values[order] * factors))


def bonferroni(p_values: FloatArray) -> FloatArray:
    """Return Bonferroni's correction of p-values (m,): each times their number, 1 at most."""
    return np.minimum(1.0, p_values * len(p_values))


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Return Benjamini and Hochberg's correction of p-values (m,).

    The expected share of false ones among the findings stays below alpha.
    Formula:  p'_(i) = min over j >= i of min(1, p_(j) m / j), p_(1) <= ... <= p_(m)
    Source: Benjamini & Hochberg, JRSS B 1995, doi:10.1111/j.2517-6161.1995.tb02031.x.
    """
    size = len(p_values)
    order = np.argsort(p_values, kind="stable").astype(np.int64)
    scaled = p_values[order] / (np.arange(1, size + 1) / size)
    return _put_back(order, np.fmin.accumulate(scaled[::-1])[::-1])


def step_shares(p_values: FloatArray, alpha: float) -> FloatArray:
    """Return the shares (m,) of alpha at which Holm's correction tests the p-values (m,).

    A finding is a corrected p-value below alpha.

    With k findings the share of the i-th lowest p-value is 1 / (m - i + 1) if it is one of them, else
    1 / (m - k).  An interval that misses with this share of alpha contains 0 exactly if there is no finding.
    Each interval covers 1 - alpha or more by itself.  Together they do not: intervals that fit Holm's
    findings and cover together would end at 0 and infinity.
    Source: Holm 1979; Strassburger & Bretz, Statistics in Medicine 2008, doi:10.1002/sim.3338.
    """
    size = len(p_values)
    findings = int(np.count_nonzero(holm(p_values) < alpha))
    comparisons_left = size - np.minimum(np.arange(size), findings)
    shares = np.empty(size)
    shares[np.argsort(p_values, kind="stable")] = 1 / comparisons_left
    return shares


def single_shares(p_values: FloatArray, alpha: float) -> FloatArray:
    """Return the shares of alpha (m,) under Bonferroni's correction: 1 / m."""
    return np.full(len(p_values), 1 / max(1, len(p_values)))


def discovery_shares(p_values: FloatArray, alpha: float) -> FloatArray:
    """Return the shares of alpha (m,) under Benjamini and Hochberg's correction: k / m for k findings.

    Of the intervals of the findings, a share of alpha misses on average.
    Source: Benjamini & Yekutieli, JASA 2005, doi:10.1198/016214504000001907.
    """
    findings = int(np.count_nonzero(benjamini_hochberg(p_values) < alpha))
    return max(1, findings) * single_shares(p_values, alpha)


def _put_back(order: IntArray, ordered: FloatArray) -> FloatArray:
    """Return corrected p-values (m,), 1 at most, in the order before sorting.

    order    (m,) the indices that sorted them
    ordered  (m,) corrected p-values after sorting
    """
    corrected = np.empty(len(ordered))
    corrected[order] = np.minimum(1.0, ordered)
    return corrected


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": np.copy,
}
"""The corrections by the names that options use."""

SHARES: dict[str, Callable[[FloatArray, float], FloatArray]] = {
    "holm": step_shares,
    "bonferroni": single_shares,
    "bh": discovery_shares,
    "none": lambda p_values, alpha: np.ones(len(p_values)),
}
"""Functions of p-values (m,) and alpha: the shares (m,) of alpha with which intervals may miss.

By the name of the correction that these intervals agree with.
"""


CORRECT_OVER_ALL = "(--correct-over measures: over all together)"
"""Hint for notes: the option that corrects over all measures.  Tables for papers leave it out."""

SHARED = "no significant difference was found between runs that share a letter"
"""Meaning of the letters, for tables and the page."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letters_of_pairs(gains: FloatArray, first: IntArray, second: IntArray, differ: ArrayLike) -> list[str]:
    """Return the letters of runs with gains (R,) by pairs of them.

    first, second  (P,) indices of the runs of each pair
    differ         (P,) whether the difference is significant
    """
    table = np.zeros((len(gains), len(gains)), np.bool_)
    table[first, second] = differ
    table[second, first] = differ
    return letters(rounded(gains), table)


def letters(means: FloatArray, differ: BoolArray) -> list[str]:
    """Return R texts, the letters of each run, from (R,) means and (R, R) whether pairs differ significantly.

    Letters name groups of runs of which no two differ significantly, each as large as it can be; `a` is the
    group of the best.  A group gets no letter if each of its pairs shares another letter.  More than 52
    groups get numbers: `<53>`.
    Source: Piepho, Journal of Computational and Graphical Statistics 2004, doi:10.1198/1061860043515.
    """
    count = len(means)
    # For each run a number whose bit i is 1 if run i does not differ from it.
    alike = []
    for run in range(count):
        others = [other for other in range(count) if other != run and not differ[run, other]]
        alike.append(sum(1 << other for other in others))
    order = sorted(range(count), key=lambda run: -float(means[run]))
    position_of = {run: position for position, run in enumerate(order)}
    groups = []
    for clique in _cliques(0, (1 << count) - 1, 0, alike):
        groups.append(sorted(_members(clique), key=position_of.__getitem__))
    groups.sort(key=lambda members: [position_of[run] for run in members])
    texts = [""] * count
    for number, members in enumerate(_without_redundant(groups, count)):
        letter = _ALPHABET[number] if number < len(_ALPHABET) else f"<{number + 1}>"
        for run in members:
            texts[run] += letter
    return texts


def _cliques(chosen: int, open_runs: int, done: int, alike: list[int]) -> Iterator[int]:
    """Yield the largest sets of runs of which no two differ, as bits of a number: bit i stands for run i.

    chosen     runs of the set so far
    open_runs  runs that differ from no chosen one, and may be added
    done       runs that differ from no chosen one, whose sets were all yielded
    alike      for each run the runs from which it does not differ
    Source: Bron & Kerbosch, CACM 1973, doi:10.1145/362342.362367, with a pivot.
    """
    if not open_runs and not done:
        yield chosen
        return
    pivot = max(_members(open_runs | done), key=lambda run: (open_runs & alike[run]).bit_count())
    for run in _members(open_runs & ~alike[pivot]):
        bit = 1 << run
        yield from _cliques(chosen | bit, open_runs & alike[run], done & alike[run], alike)
        open_runs, done = open_runs & ~bit, done | bit


def _members(group: int) -> Iterator[int]:
    """Yield the runs of a set, ascending: the numbers of the bits that are 1."""
    while group:
        lowest = group & -group
        yield lowest.bit_length() - 1
        group ^= lowest


def _without_redundant(groups: list[list[int]], runs: int) -> Iterator[list[int]]:
    """Yield the groups of runs, except those whose pairs are all in other groups too."""
    # (R, R) in how many of the groups each pair is.
    times = np.zeros((runs, runs), np.int64)
    for group in groups:
        times[np.ix_(group, group)] += 1
    for group in groups:
        pairs = np.ix_(group, group)
        if (times[pairs] > 1).all():
            times[pairs] -= 1
        else:
            yield group

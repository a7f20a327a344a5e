"""Runs that could not be told apart, as letters: two runs share one just if no difference was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from pres_eval.analysis.digits import rounded
from pres_eval.arrays.types import BoolArray, FloatArray, IntArray

SHARED = "runs that share a letter could not be told apart"
"""What letters mean."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letters_of_pairs(gains: FloatArray, first: IntArray, second: IntArray, differ: ArrayLike) -> list[str]:
    """Return the letters of runs with gains (R,); differ: (P,) which of the pairs (P,) are significant."""
    table = np.zeros((len(gains), len(gains)), np.bool_)
    table[first, second] = table[second, first] = differ
    return letters(rounded(gains), table)


def letters(means: FloatArray, differ: BoolArray) -> list[str]:
    """The letters of each run: (R,) means and (R, R) which pairs differ significantly in, R texts out.

    Letters name the largest groups of runs of which no two differ, `a` for the group of the best; groups
    that say nothing new are left out.  More than 52 groups get numbers: `<53>`.
    Source: Piepho, Journal of Computational and Graphical Statistics 2004, doi:10.1198/1061860043515.
    """
    count = len(means)
    alike = [
        sum(1 << other for other in range(count) if other != run and not differ[run, other])
        for run in range(count)
    ]
    order = sorted(range(count), key=lambda run: -float(means[run]))
    place = {run: number for number, run in enumerate(order)}
    groups = sorted(
        (sorted(_members(group), key=place.__getitem__) for group in _cliques(0, (1 << count) - 1, 0, alike)),
        key=lambda members: [place[run] for run in members],
    )
    texts = [""] * count
    for number, members in enumerate(_needed(groups)):
        letter = _ALPHABET[number] if number < len(_ALPHABET) else f"<{number + 1}>"
        for run in members:
            texts[run] += letter
    return texts


def _cliques(chosen: int, open_runs: int, done: int, alike: list[int]) -> Iterator[int]:
    """The largest sets of runs that are all alike, as bits: Bron and Kerbosch's way, with a pivot."""
    if not open_runs and not done:
        yield chosen
        return
    pivot = max(_members(open_runs | done), key=lambda run: (open_runs & alike[run]).bit_count())
    for run in _members(open_runs & ~alike[pivot]):
        bit = 1 << run
        yield from _cliques(chosen | bit, open_runs & alike[run], done & alike[run], alike)
        open_runs, done = open_runs & ~bit, done | bit


def _members(group: int) -> list[int]:
    members = []
    while group:
        lowest = group & -group
        members.append(lowest.bit_length() - 1)
        group ^= lowest
    return members


def _needed(groups: list[list[int]]) -> list[list[int]]:
    """The groups without those whose pairs are all in others as well."""
    if not groups:
        return []
    size = 1 + max(max(group) for group in groups)
    times = np.zeros((size, size), np.int64)
    for group in groups:
        times[np.ix_(group, group)] += 1
    needed = []
    for group in groups:
        pairs = np.ix_(group, group)
        if (times[pairs] > 1).all():
            times[pairs] -= 1
        else:
            needed.append(group)
    return needed

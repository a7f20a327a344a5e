"""Agreement of measures about runs: on the order of all of them, and on each pair."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pres_eval.analysis.correlation import (
    kendall_tau_a,
    kendall_tau_b,
    opposite_rbo,
    positions,
    rbo,
    spearman,
    tau_a_ceiling,
    tau_ap,
    tau_ap_b,
)
from pres_eval.analysis.estimates import favoured
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays import FloatArray, IntArray

VERDICT_TEST = "wilcoxon"
"""The test of the verdicts where none is named: that of the papers on PRES, so that their counts come out."""


CORRELATIONS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "tau_a": kendall_tau_a,
    "ceiling": tau_a_ceiling,
    "tau_b": kendall_tau_b,
    "spearman": spearman,
    "tau_ap": tau_ap,
    "tau_ap_back": lambda x, y: tau_ap(y, x),
    "tau_ap_b": tau_ap_b,
    "rbo": rbo,
    "rbo_floor": lambda x, y: opposite_rbo(len(x)),
}
"""Correlations of the orders in which two measures put the runs, from their scores (R,) and (R,).

ceiling       the highest τ-a that the ties let be reached
tau_ap        with the first measure's order as the true one; tau_ap_back: with the second's
tau_ap_b      τ_AP as agreement, neither order being the true one
rbo           rank-biased overlap, ties as equality (RBO^w), extrapolated, persistence 0.9
rbo_floor     that of opposite orders of as many runs without ties, its least value; its highest is 1
"""


def correlations(measures: Sequence[str], scores: FloatArray) -> list[dict[str, Any]]:
    """Return for every pair of measures their labels and the CORRELATIONS: (M, R) scores of runs in."""
    rows = []
    for first, second in itertools.combinations(range(len(measures)), 2):
        row: dict[str, Any] = {"first": measures[first], "second": measures[second]}
        for name, correlation in CORRELATIONS.items():
            row[name] = correlation(scores[first], scores[second])
        rows.append(row)
    return rows


def positions_by_measure(scores: FloatArray) -> IntArray:
    """Return the (M, R) positions of runs under each measure, 1 for the best; equal scores share one."""
    return np.array([positions(row) for row in scores], np.int64).reshape(scores.shape)


def verdicts(
    gains: FloatArray, alpha: float = 0.05, test: str = VERDICT_TEST, samples: int = 10_000, seed: int = 0
) -> IntArray:
    """Return each measure's verdict (M, R (R - 1) / 2) on each pair of runs, from gains (M, R, T).

    1: the first run is better, -1: the second is, 0: no significant difference.  Pairs come in the order 0-1,
    0-2, ..., 1-2, ...

    test           one of PAIRED_TESTS, over the topics; Magdy & Jones (SIGIR 2010) use `wilcoxon`
    alpha          its level, not corrected for the number of pairs
    samples, seed  of tests that draw random samples
    """
    first, second = np.triu_indices(gains.shape[1], 1)
    verdict = np.zeros((len(gains), len(first)), np.int64)
    for measure, gains_of_runs in enumerate(gains):
        differences = gains_of_runs[first] - gains_of_runs[second]
        significant = PAIRED_TESTS[test].run(differences, samples, seed) < alpha
        verdict[measure, significant] = favoured(differences[significant], test)
    return verdict


def verdict_patterns(measures: Sequence[str], verdicts_of_pairs: IntArray) -> dict[str, int]:
    """Count the pairs of runs by the measures that have the same verdict (figure 7 of Magdy & Jones).

    verdicts_of_pairs  (M, P), see `verdicts`

    Keys are patterns such as `map = recall ≠ PRES`, values numbers of pairs.  For up to three measures all
    patterns are listed, for more those that occur; those with fewest groups come first.
    """
    pairs_of_pattern = Counter(
        tuple(_groups(verdicts_of_pair)) for verdicts_of_pair in verdicts_of_pairs.T.tolist()
    )
    if len(measures) <= 3:
        # Up to three measures have at most three different verdicts: these labels make every pattern.
        for labels in itertools.product(range(3), repeat=len(measures)):
            pairs_of_pattern.setdefault(tuple(_groups(labels)), 0)

    def few_groups_first(groups: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
        """Return the key for sorting patterns: fewest groups, then most pairs, then measures in order."""
        return len(groups), -pairs_of_pattern[groups], groups

    pairs_of_name = {}
    for groups in sorted(pairs_of_pattern, key=few_groups_first):
        names = [" = ".join(measures[measure] for measure in group) for group in groups]
        pairs_of_name[" ≠ ".join(names)] = pairs_of_pattern[groups]
    return pairs_of_name


def _groups(verdicts_of_measures: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the measures (indices) that have the same verdict on a pair, the largest group first."""
    measures_of_verdict: dict[int, list[int]] = {}
    for measure, verdict in enumerate(verdicts_of_measures):
        measures_of_verdict.setdefault(verdict, []).append(measure)
    groups = [tuple(measures) for measures in measures_of_verdict.values()]
    return sorted(groups, key=lambda group: (-len(group), group))


def disagreements(runs: Sequence[str], verdicts_of_pairs: IntArray) -> list[tuple[str, str, list[int], bool]]:
    """Return the pairs of runs on which (M, P) verdicts differ, contradictions first.

    For each: the two runs, the verdict of each measure, and whether one of these calls the first run better
    and another the second.
    """
    differing = []
    pairs = itertools.combinations(runs, 2)
    for (run, other), column in zip(pairs, verdicts_of_pairs.T.tolist(), strict=True):
        if len(set(column)) > 1:
            contradict = min(column) < 0 < max(column)
            differing.append((run, other, column, contradict))
    return sorted(differing, key=lambda row: not row[-1])


def dissents(measures: Sequence[str], verdicts_of_pairs: IntArray) -> Iterator[tuple[str, int, int, float]]:
    """Yield for each measure how often it differs from all the others where they agree: (M, P) verdicts in.

    For each: the measure, the pairs on which all the others have the same verdict, those of these on which
    its own verdict differs, and their share, nan if there are no such pairs.
    """
    for row, measure in enumerate(measures):
        others = np.delete(verdicts_of_pairs, row, axis=0)
        others_agree = (others == others[:1]).all(axis=0)
        pairs = int(np.count_nonzero(others_agree))
        alone = int(np.count_nonzero(others_agree & (verdicts_of_pairs[row] != others[0])))
        share = np.nan
        if pairs:
            share = alone / pairs
        yield measure, pairs, alone, share

"""The same runs under the judgements of two judges: changes of their order and scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.agreement import verdicts
from pres_eval.analysis.correlation import kendall_tau_a, kendall_tau_b, positions, rbo, tau_ap
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import rounded
from pres_eval.analysis.significance import PAIRED_TESTS


def order_changes(
    first: PairedScores, second: PairedScores, *, test: str = "t", alpha: float = 0.05, seed: int = 0
) -> Iterator[dict[str, str | float]]:
    """Yield one row a measure: the runs under the first judge's judgements, and under the second's.

    Pairs are tested one by one over topics, without a correction.

    tau_ap          with the first judge's order as the true one
    pairs, swapped  of runs, and those that the second judge puts the other way round
    lost, gained    pairs that differ significantly under the first judge alone, under the second alone
    reversed        pairs that differ significantly under both, but the other way round
    contradicted    swapped pairs that differ significantly, and as their means do, under the first judge
    """
    run, other = np.triu_indices(len(first.runs), 1)
    # By a test of ranks or wins the better run may have the lower mean.
    first_verdicts = verdicts(first.gain_values(), alpha, test, seed=seed)
    second_verdicts = verdicts(second.gain_values(), alpha, test, seed=seed)
    for number, measure in enumerate(first.measures):
        x, y = first.gains()[number], second.gains()[number]
        difference = x[run] - x[other]
        swapped = rounded(difference) * rounded(y[run] - y[other]) < 0
        before, after = first_verdicts[number], second_verdicts[number]
        yield {
            "measure": measure,
            "tau_a": kendall_tau_a(x, y),
            "tau_b": kendall_tau_b(x, y),
            "tau_ap": tau_ap(x, y),
            "rbo": rbo(x, y),
            "pairs": len(run),
            "swapped": int(np.count_nonzero(swapped)),
            "contradicted": int(np.count_nonzero(swapped & (before * difference > 0))),
            "lost": int(np.count_nonzero((before != 0) & (after == 0))),
            "gained": int(np.count_nonzero((before == 0) & (after != 0))),
            "reversed": int(np.count_nonzero(before * after < 0)),
        }


@dataclass(frozen=True)
class SwappedPair:
    """Two runs that the judges put in opposite orders: differences run less other, and their p-values."""

    measure: str
    run: str
    other: str
    first: float
    second: float
    p_first: float
    p_second: float


def swapped_pairs(
    first: PairedScores, second: PairedScores, *, test: str = "t", seed: int = 0
) -> Iterator[SwappedPair]:
    """Yield the pairs in opposite orders, under each measure those first that mattered to both judges."""
    run, other = np.triu_indices(len(first.runs), 1)
    run_test = PAIRED_TESTS[test].run
    for number, measure in enumerate(first.measures):
        by_first = rounded(first.means[number, run] - first.means[number, other])
        by_second = rounded(second.means[number, run] - second.means[number, other])
        swapped = np.flatnonzero(by_first * by_second < 0)
        upper, lower = run[swapped], other[swapped]
        p_first = run_test(first.values[number, upper] - first.values[number, lower], 10_000, seed)
        p_second = run_test(second.values[number, upper] - second.values[number, lower], 10_000, seed)
        pairs = []
        for row, pair in enumerate(swapped.tolist()):
            pairs.append(
                SwappedPair(
                    measure=measure,
                    run=first.runs[run[pair]],
                    other=first.runs[other[pair]],
                    first=float(by_first[pair]),
                    second=float(by_second[pair]),
                    p_first=float(p_first[row]),
                    p_second=float(p_second[row]),
                )
            )
        yield from sorted(pairs, key=lambda pair: max(pair.p_first, pair.p_second))


@dataclass(frozen=True)
class RunChange:
    """A run under both judges: means, positions, and its gain beyond that of the other runs on average."""

    measure: str
    run: str
    first: float
    second: float
    change: float
    beyond_others: float
    position_first: int
    position_second: int


def run_changes(first: PairedScores, second: PairedScores) -> Iterator[RunChange]:
    """Yield every run under every measure, under each measure the one that gained most on the others first.

    Where less is better, the run gained whose value fell.
    """
    for number, measure in enumerate(first.measures):
        sign = first.sign(number)
        by_first, by_second = first.means[number], second.means[number]
        change = by_second - by_first
        change_of_others = np.full(len(change), np.nan)
        if len(change) > 1:
            change_of_others = (float(change.sum()) - change) / (len(change) - 1)
        before, after = positions(sign * by_first), positions(sign * by_second)
        changes = []
        for row, run in enumerate(first.runs):
            changes.append(
                RunChange(
                    measure=measure,
                    run=run,
                    first=float(by_first[row]),
                    second=float(by_second[row]),
                    change=float(change[row]),
                    beyond_others=float(change[row] - change_of_others[row]),
                    position_first=int(before[row]),
                    position_second=int(after[row]),
                )
            )
        yield from sorted(changes, key=lambda row: -row.beyond_others, reverse=sign < 0)


def topic_changes(
    first: PairedScores, second: PairedScores
) -> Iterator[tuple[str, bytes, float, float, float]]:
    """Yield every topic under every measure, under each measure the one that gained most first.

    For each: the measure, the topic, its values by the first and by the second judge, averaged over the runs,
    and their difference.  Where less is better, the topic gained whose value fell.
    """
    for number, measure in enumerate(first.measures):
        by_first = first.values[number].mean(axis=0).tolist()
        by_second = second.values[number].mean(axis=0).tolist()
        changes = []
        for topic, before, after in zip(first.topics, by_first, by_second, strict=True):
            changes.append((measure, topic, before, after, after - before))
        yield from sorted(changes, key=lambda row: -row[-1], reverse=first.sign(number) < 0)

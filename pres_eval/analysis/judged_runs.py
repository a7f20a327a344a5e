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
    a, b = np.triu_indices(len(first.runs), 1)
    # By a test of ranks or wins the better run may have the lower mean.
    both = [verdicts(scores.gain_values(), alpha, test, seed=seed) for scores in (first, second)]
    for number, measure in enumerate(first.measures):
        x, y = first.gains()[number], second.gains()[number]
        swapped = rounded(x[a] - x[b]) * rounded(y[a] - y[b]) < 0
        before, after = (said[number] for said in both)
        yield {
            "measure": measure,
            "tau_a": kendall_tau_a(x, y),
            "tau_b": kendall_tau_b(x, y),
            "tau_ap": tau_ap(x, y),
            "rbo": rbo(x, y),
            "pairs": len(a),
            "swapped": int(np.count_nonzero(swapped)),
            "contradicted": int(np.count_nonzero(swapped & (before * (x[a] - x[b]) > 0))),
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
    a, b = np.triu_indices(len(first.runs), 1)
    for number, measure in enumerate(first.measures):
        x, y = first.means[number], second.means[number]
        there, here = rounded(x[a] - x[b]), rounded(y[a] - y[b])
        swapped = np.flatnonzero(there * here < 0)
        p_first, p_second = (
            PAIRED_TESTS[test].run(values[a[swapped]] - values[b[swapped]], 10_000, seed)
            for values in (first.values[number], second.values[number])
        )
        found = [
            SwappedPair(
                measure=measure,
                run=first.runs[a[pair]],
                other=first.runs[b[pair]],
                first=float(there[pair]),
                second=float(here[pair]),
                p_first=float(p_first[row]),
                p_second=float(p_second[row]),
            )
            for row, pair in enumerate(swapped.tolist())
        ]
        yield from sorted(found, key=lambda one: max(one.p_first, one.p_second))


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
        x, y, sign = first.means[number], second.means[number], first.sign(number)
        change = y - x
        others = (float(change.sum()) - change) / (len(change) - 1) if len(change) > 1 else change * np.nan
        before, after = positions(sign * x), positions(sign * y)
        found = [
            RunChange(
                measure=measure,
                run=run,
                first=float(x[place]),
                second=float(y[place]),
                change=float(change[place]),
                beyond_others=float(change[place] - others[place]),
                position_first=int(before[place]),
                position_second=int(after[place]),
            )
            for place, run in enumerate(first.runs)
        ]
        yield from sorted(found, key=lambda one: -one.beyond_others, reverse=sign < 0)


def topic_changes(
    first: PairedScores, second: PairedScores
) -> Iterator[tuple[str, bytes, float, float, float]]:
    """Yield every topic under every measure, under each measure the one that gained most first.

    For each: the measure, the topic, its values by the first and by the second judge, averaged over the runs,
    and their difference.  Where less is better, the topic gained whose value fell.
    """
    for number, measure in enumerate(first.measures):
        x, y = first.values[number].mean(axis=0).tolist(), second.values[number].mean(axis=0).tolist()
        found = [
            (measure, topic, before, after, after - before)
            for topic, before, after in zip(first.topics, x, y, strict=True)
        ]
        yield from sorted(found, key=lambda row: -row[-1], reverse=first.sign(number) < 0)

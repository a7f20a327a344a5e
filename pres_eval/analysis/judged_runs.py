"""The same runs under the judgements of two judges: changes of their order and scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pres_eval.analysis.agreement import verdicts
from pres_eval.analysis.correlation import kendall_tau_a, kendall_tau_b, positions, rbo, tau_ap
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import rounded
from pres_eval.analysis.significance import PAIRED_TESTS

TEST_SAMPLES = 10_000
"""Number of random samples, for tests that draw samples."""


def order_changes(
    first: PairedScores, second: PairedScores, *, test: str = "t", alpha: float = 0.05, seed: int = 0
) -> Iterator[dict[str, str | float]]:
    """Yield one row a measure: how the order of the runs changes from the first judge to the second.

    first, second   scores of the same runs by the judgements of each judge
    test            a name of PAIRED_TESTS; pairs are tested one by one over topics, without a correction
    alpha           the level of significance
    seed            for tests that draw random samples

    Keys of a row:
    tau_a, tau_b, rbo  correlations of the two orders
    tau_ap          the one that weighs the top more, with the first judge's order as the true one
    pairs           number of pairs of runs
    swapped         pairs whose means the second judge puts in the opposite order
    lost, gained    pairs that differ significantly under the first judge alone, under the second alone
    reversed        pairs that differ significantly under both, in opposite directions
    contradicted    swapped pairs that differ significantly under the first judge, in the direction of their
                    means by that judge
    """
    run_rows, other_rows = np.triu_indices(len(first.runs), 1)
    # (M, P) 1 where the first run of a pair is significantly better, -1 where it is worse, else 0.
    first_verdicts = verdicts(first.gain_values(), alpha, test, seed=seed)
    second_verdicts = verdicts(second.gain_values(), alpha, test, seed=seed)
    first_gains, second_gains = first.gains(), second.gains()
    for number, measure in enumerate(first.measures):
        first_means, second_means = first_gains[number], second_gains[number]
        first_difference = first_means[run_rows] - first_means[other_rows]
        second_difference = second_means[run_rows] - second_means[other_rows]
        swapped = rounded(first_difference) * rounded(second_difference) < 0
        first_verdict, second_verdict = first_verdicts[number], second_verdicts[number]
        # By a test of ranks or wins the better run may have the lower mean.
        contradicted = swapped & (first_verdict * first_difference > 0)
        yield {
            "measure": measure,
            "tau_a": kendall_tau_a(first_means, second_means),
            "tau_b": kendall_tau_b(first_means, second_means),
            "tau_ap": tau_ap(first_means, second_means),
            "rbo": rbo(first_means, second_means),
            "pairs": len(run_rows),
            "swapped": int(np.count_nonzero(swapped)),
            "contradicted": int(np.count_nonzero(contradicted)),
            "lost": int(np.count_nonzero((first_verdict != 0) & (second_verdict == 0))),
            "gained": int(np.count_nonzero((first_verdict == 0) & (second_verdict != 0))),
            "reversed": int(np.count_nonzero(first_verdict * second_verdict < 0)),
        }


@dataclass(frozen=True)
class SwappedPair:
    """Two runs that the judges put in opposite orders.

    first, second       mean of `run` minus mean of `other`, under the first judge and under the second
    p_first, p_second   p-values of these differences
    """

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
    """Yield the pairs of runs in opposite orders, by measure.

    Under each measure, pairs ascend by the larger one of their two p-values: first come those whose
    difference is clear under both judges.
    """
    run_rows, other_rows = np.triu_indices(len(first.runs), 1)
    run_test = PAIRED_TESTS[test].run
    for number, measure in enumerate(first.measures):
        first_difference = rounded(first.means[number, run_rows] - first.means[number, other_rows])
        second_difference = rounded(second.means[number, run_rows] - second.means[number, other_rows])
        is_swapped = first_difference * second_difference < 0
        swapped = np.flatnonzero(is_swapped)
        runs, others = run_rows[swapped], other_rows[swapped]
        p_first = run_test(first.values[number, runs] - first.values[number, others], TEST_SAMPLES, seed)
        p_second = run_test(second.values[number, runs] - second.values[number, others], TEST_SAMPLES, seed)
        pairs = []
        for row, pair in enumerate(swapped.tolist()):
            pairs.append(
                SwappedPair(
                    measure=measure,
                    run=first.runs[runs[row]],
                    other=first.runs[others[row]],
                    first=float(first_difference[pair]),
                    second=float(second_difference[pair]),
                    p_first=float(p_first[row]),
                    p_second=float(p_second[row]),
                )
            )
        yield from sorted(pairs, key=lambda pair: max(pair.p_first, pair.p_second))


@dataclass(frozen=True)
class RunChange:
    """A run under both judges.

    first, second   its mean under the first judge and under the second
    change          second minus first
    beyond_others   its change minus the average change of the other runs; nan if there is no other run
    position_first, position_second
                    its position among the runs, 1 for the best
    """

    measure: str
    run: str
    first: float
    second: float
    change: float
    beyond_others: float
    position_first: int
    position_second: int


def run_changes(first: PairedScores, second: PairedScores) -> Iterator[RunChange]:
    """Yield every run under every measure; within a measure, runs that gained most on the others come first.

    If less is better, a run gains when its value falls.
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
        less_is_better = sign < 0
        yield from sorted(changes, key=lambda change: -change.beyond_others, reverse=less_is_better)


class TopicChange(NamedTuple):
    """A topic under both judges.

    first, second   its value under the first judge and under the second, averaged over the runs
    change          second minus first
    """

    measure: str
    topic: bytes
    first: float
    second: float
    change: float


def topic_changes(first: PairedScores, second: PairedScores) -> Iterator[TopicChange]:
    """Yield every topic under every measure; within a measure, topics that gained most come first.

    If less is better, a topic gains when its value falls.
    """
    for number, measure in enumerate(first.measures):
        by_first = first.values[number].mean(axis=0).tolist()
        by_second = second.values[number].mean(axis=0).tolist()
        changes = []
        for topic, before, after in zip(first.topics, by_first, by_second, strict=True):
            changes.append(TopicChange(measure, topic, before, after, after - before))
        less_is_better = first.sign(number) < 0
        yield from sorted(changes, key=lambda change: -change.change, reverse=less_is_better)

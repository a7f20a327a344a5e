"""Replication of an experiment: whether the effect of an advanced run over a baseline is found again."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

from pres_eval.analysis.overlap import SharedDocuments, rank_biased_overlap
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.ranked_lists import RankedLists
from pres_eval.arrays import FloatArray
from pres_eval.records import dataclass

UNION_DEPTH = 1000
"""Ranks down to which Kendall's τ of the union compares lists, as in repro_eval."""

NO_EFFECT = 1e-12
"""Largest difference of means, or mean, that counts as 0: rounding errors can be that large."""


@dataclass(frozen=True)
class Replication:
    """An experiment and its replication under a measure.

    baseline, advanced, improvement  means of the original runs, and the mean of their differences
    new_baseline, new_advanced, new_improvement  the same of the replicated runs
    effect_ratio  new improvement / improvement
    delta_relative_improvement  improvement / baseline - new improvement / new baseline
    rmse_baseline, rmse_advanced  root mean square errors of the topics' values; nan if the topics differ
    """

    measure: str
    baseline: float
    advanced: float
    improvement: float
    new_baseline: float
    new_advanced: float
    new_improvement: float
    effect_ratio: float
    delta_relative_improvement: float
    rmse_baseline: float
    rmse_advanced: float


def replications(original: PairedScores, new: PairedScores) -> list[Replication]:
    """Return how well an experiment was replicated, measure by measure.

    original, new  scores of a baseline and an advanced run, in this order, under the same measures: values
                   (measures, 2, topics)
    Formula, Δ(t) the advanced run's value minus the baseline's for topic t, B the baseline's mean, M(t) the
    values of a run, and with ' those of the replication:
      effect ratio  ER = mean of Δ' / mean of Δ
      delta relative improvement  ΔRI = (mean of Δ) / B - (mean of Δ') / B'
      RMSE = √(1/T Σ_t (M(t) - M'(t))²)
    Range: an ER of 1 and a ΔRI of 0 mean that the effect was replicated perfectly; ER 0: no effect, below 0:
      the opposite effect.  nan if the original effect, or a baseline, is 0.
    Source: Breuer, Ferro, Fuhr, Maistro, Sakai, Schaer & Soboroff, "How to measure the reproducibility of
      system-oriented IR experiments", SIGIR 2020, doi:10.1145/3397271.3401036.
    """
    same_topics = original.topics == new.topics
    rows = []
    for number, measure in enumerate(original.measures):
        values, new_values = original.values[number], new.values[number]
        baseline, advanced = _mean(values[0]), _mean(values[1])
        new_baseline, new_advanced = _mean(new_values[0]), _mean(new_values[1])
        improvement = _mean(values[1] - values[0])
        new_improvement = _mean(new_values[1] - new_values[0])
        relative_improvement = _divided(advanced - baseline, baseline)
        new_relative_improvement = _divided(new_advanced - new_baseline, new_baseline)
        rmse_baseline, rmse_advanced = math.nan, math.nan
        if same_topics:
            rmse_baseline = root_mean_square_error(values[0], new_values[0])
            rmse_advanced = root_mean_square_error(values[1], new_values[1])
        rows.append(
            Replication(
                measure=measure,
                baseline=baseline,
                advanced=advanced,
                improvement=improvement,
                new_baseline=new_baseline,
                new_advanced=new_advanced,
                new_improvement=new_improvement,
                effect_ratio=_divided(new_improvement, improvement),
                delta_relative_improvement=relative_improvement - new_relative_improvement,
                rmse_baseline=rmse_baseline,
                rmse_advanced=rmse_advanced,
            )
        )
    return rows


def root_mean_square_error(first: FloatArray, second: FloatArray) -> float:
    """Return the root mean square error of values (T,) and (T,)."""
    return math.sqrt(_mean((first - second) ** 2))


def _mean(values: FloatArray) -> float:
    """Return the mean of values (T,)."""
    return math.fsum(values.tolist()) / len(values)


def _divided(number: float, by: float) -> float:
    """Return number / by; nan if the divisor is 0 or a rounding error."""
    if abs(by) <= NO_EFFECT:
        return math.nan
    return number / by


@dataclass(frozen=True)
class ListSimilarity:
    """Similarity of the ranked lists of a run and of its replication, for a topic.

    tau_union           Kendall's τ of positions in the union of both lists, see `tau_union`
    tau_union_by_docno  the same with the union in the order of the ids, as repro_eval has it
    rbo                 rank-biased overlap, extrapolated
    """

    run: str
    topic: bytes
    tau_union: float
    tau_union_by_docno: float
    rbo: float


def list_similarities(
    run: str, original: RankedLists, new: RankedLists, persistence: float
) -> list[ListSimilarity]:
    """Return how similar the lists of a run and of its replication are, for the topics that both have.

    run          its name
    persistence  of rank-biased overlap
    """
    numbers = new.number_of_topic()
    rows = []
    for number, topic in enumerate(original.topics):
        if topic not in numbers:
            continue
        first, second = original.of_topic(number), new.of_topic(numbers[topic])
        shared = SharedDocuments.of_lists(first, second)
        rows.append(
            ListSimilarity(
                run=run,
                topic=topic,
                tau_union=tau_union(first, second),
                tau_union_by_docno=tau_union_by_docno(first, second),
                rbo=rank_biased_overlap(shared, persistence).extrapolated,
            )
        )
    return rows


def tau_union(first: Sequence[bytes], second: Sequence[bytes], depth: int = UNION_DEPTH) -> float:
    """Return Kendall's τ between two lists, each document replaced by its position in their union.

    Both lists are cut at `depth`, and at the end of the shorter one.  Their union is the first list, followed
    by the other documents of the second list in its order.  Each document is replaced by its position in the
    union; τ compares the two lists of positions, the i-th with the i-th.
    Formula:  τ = 1 - 4 D / (n (n - 1)), D the pairs in opposite orders, n the length of the lists
    Range: -1 to 1; nan for fewer than two documents.
    Notes: lists that share no document have 1, since their positions ascend in both: consider rbo too.
    Source: Breuer et al., SIGIR 2020, doi:10.1145/3397271.3401036.
    """
    first, second = _cut(first, second, depth), _cut(second, first, depth)
    union = dict.fromkeys([*first, *second])
    return _tau_of_positions(first, second, list(union))


def tau_union_by_docno(first: Sequence[bytes], second: Sequence[bytes], depth: int = UNION_DEPTH) -> float:
    """Return `tau_union` with the union in the order of the ids, as repro_eval 0.5 has it.

    Notes: the value changes if documents are renamed.
    """
    first, second = _cut(first, second, depth), _cut(second, first, depth)
    return _tau_of_positions(first, second, sorted({*first, *second}))


def _cut(documents: Sequence[bytes], other: Sequence[bytes], depth: int) -> Sequence[bytes]:
    """Return the first documents of a list: down to `depth`, and at most as many as the other list has."""
    return documents[: min(depth, len(other))]


def _tau_of_positions(first: Sequence[bytes], second: Sequence[bytes], union: Sequence[bytes]) -> float:
    """Return Kendall's τ of two lists of the same length, documents replaced by positions in their union.

    Worked example: lists a b c and b a d, union a b c d: positions 0 1 2 and 1 0 3.  Of the three pairs only
    that of the first two is in opposite orders, so that τ = 1 - 4 · 1 / (3 · 2) = 1/3.
    """
    position_of = {docno: position for position, docno in enumerate(union)}
    pairs = sorted(
        (position_of[of_first], position_of[of_second])
        for of_first, of_second in zip(first, second, strict=True)
    )
    size = len(pairs)
    if size < 2:
        return math.nan
    discordant = 0
    earlier_positions: list[int] = []
    for _, position in pairs:
        num_below = bisect.bisect(earlier_positions, position)
        discordant += len(earlier_positions) - num_below
        earlier_positions.insert(num_below, position)
    return 1 - 4 * discordant / (size * (size - 1))

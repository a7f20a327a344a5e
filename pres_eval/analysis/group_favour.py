"""Does a judge favour a group of runs, more than a fair judge with the same error rates would by chance?

A strict judge takes more from good runs than from poor ones, a lenient judge gives more to some than to
others.  So a group of runs gains or loses compared with the others although the judge does not know the runs.
A fair judge is simulated: among a topic's documents with the same grade by the first judge, the grades of the
second judge are exchanged at random.

Worked example: of four documents relevant to the first judge the second one keeps two.  The fair judge keeps
two as well, any two of the four.  If the group of runs found just the two that were kept, it gains by the
second judge; by the fair one it finds one of two on average.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.corrections import holm
from pres_eval.analysis.judging import Assessments
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import RandomStream
from pres_eval.analysis.significance import paired_t
from pres_eval.arrays import BoolArray, FloatArray
from pres_eval.reading.judgements.relevance import QrelsJudgements

FAIR_JUDGES = 50
"""Fair judges over whose gains the mean is taken: it adds 1/50 (2 %) to the variance of a difference."""


@dataclass(frozen=True)
class Favour:
    """Test of one judge's favour for a group of runs.

    runs             number of runs in the group
    change           mean of the group's runs by the second judge less that by the first
    others           the same of the other runs
    difference       change less others
    expected         the difference that a fair judge with the same error rates would make
    p_value          of a two-sided t-test over topics that the difference is the expected one
    corrected        p_value after Holm's correction for all groups and measures

    Without other runs, all from `others` on is nan.
    """

    measure: str
    group: str
    runs: int
    change: float
    others: float
    difference: float
    expected: float
    p_value: float
    corrected: float = np.nan


def favours(
    first: PairedScores, second: PairedScores, fair: FloatArray, groups: Mapping[str, Sequence[int]]
) -> list[Favour]:
    """Return for each measure and group of runs the test whether it gained as much as by a fair judge.

    first, second  scores of the same R runs by the two judges, by M measures on T topics
    fair           (M, R, T) the gains by a fair judge, see `expected_gains`
    groups         indices of each group's runs, by its name
    A gain is a value that rises, also of a measure of which less is better.
    """
    rows = []
    for number, measure in enumerate(first.measures):
        gains = second.values[number] - first.values[number]
        for group, members in groups.items():
            inside = np.isin(np.arange(len(first.runs)), members)
            rows.append(favour_of(measure, group, gains, inside, ~inside, fair[number]))
    return with_corrected(rows)


def favour_of(
    measure: str,
    group: str,
    gains: FloatArray,
    inside: BoolArray,
    outside: BoolArray,
    fair_gains: FloatArray | None = None,
) -> Favour:
    """Return the test whether a group of runs gained as much as others; its p-value is not corrected yet.

    gains            (R, T) change of each run's value from the first judge to the second
    inside, outside  (R,) whether a run belongs to the group, or to those that it is compared with
    fair_gains       (R, T) gains by a fair judge; None: they are 0
    """
    if fair_gains is None:
        fair_gains = np.zeros_like(gains)
    change = gains[inside].mean(axis=0)
    if outside.any():
        others = gains[outside].mean(axis=0)
        expected = fair_gains[inside].mean(axis=0) - fair_gains[outside].mean(axis=0)
        p_value = float(paired_t((change - others - expected)[None, :])[0])
    else:
        others = expected = np.full(change.shape, np.nan)
        p_value = np.nan
    return Favour(
        measure=measure,
        group=group,
        runs=int(np.count_nonzero(inside)),
        change=float(change.mean()),
        others=float(others.mean()),
        difference=float((change - others).mean()),
        expected=float(expected.mean()),
        p_value=p_value,
    )


def with_corrected(rows: Sequence[Favour]) -> list[Favour]:
    """Return the tests with Holm's correction of their p-values, for all of them together."""
    p_values = np.array([row.p_value for row in rows], np.float64)
    corrected = holm(p_values).tolist()
    return [replace(row, corrected=p_value) for row, p_value in zip(rows, corrected, strict=True)]


def expected_gains(
    assessments: Assessments,
    first: PairedScores,
    score: Callable[[QrelsJudgements], PairedScores],
    seed: int = 0,
) -> FloatArray:
    """Return the gains by fair judges with the second judge's error rates, on average.

    assessments  the grades of two judges
    first        the scores by the first judge
    score        computes the scores by other judgements of the same documents
    Returns (M, R, T) for M measures, R runs and T topics.

    Grades are exchanged only within a topic and a grade of the first judge.  So if the second judge is fair,
    its gains are as likely as those of each simulated one.
    Source: Good, Permutation Tests, 2000 (stratified permutations).
    """
    stream = RandomStream(seed)
    total = np.zeros_like(first.values)
    for _ in range(FAIR_JUDGES):
        total += score(_fair_judge(assessments, stream).qrels(1)).values
    return np.asarray(total / FAIR_JUDGES - first.values)


def _fair_judge(assessments: Assessments, stream: RandomStream) -> Assessments:
    """Return the judgements with the second judge's grades exchanged at random among like documents.

    Documents are alike if they belong to one topic and have the same grade by the first judge.  Documents
    that only one of the two judged keep their grades.
    """
    both = np.flatnonzero(assessments.judged.all(axis=0))
    first_grades, topics = assessments.grades[0, both], assessments.pool.topic_of[both]
    in_random_order = stream.orders(1, len(both))[0]
    # Both sort like documents together: one in the order of the pool, the other in a random one.
    rows = np.lexsort((first_grades, topics))
    partners = in_random_order[np.lexsort((first_grades[in_random_order], topics[in_random_order]))]
    grades = assessments.grades.copy()
    grades[1, both[rows]] = assessments.grades[1, both[partners]]
    return replace(assessments, grades=grades)

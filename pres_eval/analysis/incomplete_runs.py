"""The best run, if some runs lack topics.

A mean over fewer topics cannot be compared with means over all of them, so the best run is one that has all
topics.  If a run that lacks topics is better than it on the topics that both have, no run is called best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.reproducible import rounded
from pres_eval.errors import plural
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import Summing


@dataclass(frozen=True)
class Overtaking:
    """A run that lacks topics, and on those that it has is better than the best run that has all of them.

    run, best   indices of the two runs
    lacks       number of topics that the run lacks
    topics      number of topics that both have
    value, best_value  values of the two runs over these topics
    """

    run: int
    best: int
    lacks: int
    topics: int
    value: float
    best_value: float


def all_topics(evaluations: Sequence[ScoredRun]) -> tuple[bytes, ...]:
    """Return the topics of any run, in byte order."""
    return tuple(sorted({topic for evaluation in evaluations for topic in evaluation.topics}))


def incomplete_runs(evaluations: Sequence[ScoredRun]) -> list[int]:
    """Return the indices of runs that lack a topic of another run; none with -c, which counts these as 0."""
    count = len(all_topics(evaluations))
    return [run for run, evaluation in enumerate(evaluations) if evaluation.totals.num_topics < count]


def best_complete_runs(evaluations: Sequence[ScoredRun], label: str) -> list[int]:
    """Return the indices of the best runs among those with all topics: several if they tie at 12 digits.

    label  of the measure
    Empty if every run lacks topics, or if no run with all topics has a number.
    """
    incomplete = set(incomplete_runs(evaluations))
    complete = [run for run in range(len(evaluations)) if run not in incomplete]
    gains = rounded(np.array([_gain(evaluations[run], label) for run in complete], np.float64))
    best = np.fmax.reduce(gains, initial=-np.inf)
    return [run for run, gain in zip(complete, gains.tolist(), strict=True) if gain == best]


def overtaking_runs(
    evaluations: Sequence[ScoredRun], label: str, weights: Weights | None = None
) -> list[Overtaking]:
    """Return the runs that lack topics and are better than the best complete run, largest gains first.

    label    of the measure
    weights  of the topics, with which the values of the evaluations were averaged
    """
    best_runs = best_complete_runs(evaluations, label)
    num_topics = len(all_topics(evaluations))
    # By the best run and the topics: runs of one group often lack the same topics.
    best_values: dict[tuple[int, tuple[bytes, ...]], float] = {}
    overtaking: dict[int, Overtaking] = {}
    for run in incomplete_runs(evaluations):
        evaluation = evaluations[run]
        sign, value = _sign(evaluation, label), _value(evaluation, label)
        for best in best_runs:
            key = best, evaluation.topics
            if key not in best_values:
                best_values[key] = _value_over(evaluations[best], label, evaluation.topics, weights)
            gain = float(rounded(np.array([sign * (value - best_values[key])]))[0])
            if gain > 0 and run not in overtaking:
                overtaking[run] = Overtaking(
                    run=run,
                    best=best,
                    lacks=num_topics - len(evaluation.topics),
                    topics=len(evaluation.topics),
                    value=value,
                    best_value=best_values[key],
                )
    return sorted(overtaking.values(), key=lambda row: -abs(row.value - row.best_value))


def leading_runs(evaluations: Sequence[ScoredRun], label: str, weights: Weights | None = None) -> list[int]:
    """Return the indices of the best runs by a measure; empty if a run that lacks topics may be better."""
    if overtaking_runs(evaluations, label, weights):
        return []
    return best_complete_runs(evaluations, label)


def why_none_is_best(
    evaluations: Sequence[ScoredRun],
    names: Sequence[str],
    label: str,
    weights: Weights | None = None,
    digits: int = 4,
) -> str | None:
    """Return a text that says why no run is called best by a measure; None if a run is.

    digits  decimals of the values in the text
    """
    overtaking = overtaking_runs(evaluations, label, weights)
    if not overtaking:
        if best_complete_runs(evaluations, label):
            return None
        if incomplete_runs(evaluations):
            return "every run lacks topics that another has"
        return f"no run has a number for {label}"
    first = overtaking[0]
    words = (
        f"{names[first.run]} lacks {first.lacks} of {plural(first.lacks + first.topics)} and is better on the"
        f" other {first.topics} ({first.value:.{digits}f} against {first.best_value:.{digits}f} of"
        f" {names[first.best]})"
    )
    others = len(overtaking) - 1
    if others:
        verb = "lacks topics and is" if others == 1 else "lack topics and are"
        words += f"; {others} more {verb} better on the others"
    return words


def _sign(evaluation: ScoredRun, label: str) -> int:
    """Return -1 if a lower value of the column is better, else 1."""
    column = evaluation.columns[evaluation.labels.index(label)]
    return -1 if column.measure.less_is_better else 1


def _value(evaluation: ScoredRun, label: str) -> float:
    """Return the value of a column over all topics of the run; nan if it has none."""
    value = evaluation.summary[evaluation.labels.index(label)]
    return value if isinstance(value, float) else np.nan


def _gain(evaluation: ScoredRun, label: str) -> float:
    """Return the value of a column over all topics of the run as a gain: more is better."""
    return _sign(evaluation, label) * _value(evaluation, label)


def _value_over(evaluation: ScoredRun, label: str, topics: Sequence[bytes], weights: Weights | None) -> float:
    """Return the value of a column over some of the topics of the run."""
    column = evaluation.with_columns([evaluation.labels.index(label)])
    summing = Summing(column.columns, weights)
    summing.add(column.over(frozenset(topics)))
    (value,) = summing.summary(summing.adapted_totals(column.totals), "")
    return value if isinstance(value, float) else np.nan

"""Headline of a report: the runs by the measure that its first sentence and its first picture show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.incomplete_runs import incomplete_runs
from pres_eval.analysis.paired import gains_of, pair_columns
from pres_eval.arrays import FloatArray
from pres_eval.measures.names import View
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import LARGEST_LONG
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import ScoredRun


@dataclass(frozen=True, eq=False)
class Headline:
    """Means of the headline's measure, of the runs that have all topics.

    label       of the column
    cutoff      the rank down to which the measure looks at documents; None: it has none
    num_topics  how many topics the means are over
    runs        numbers of the runs, the best first
    means, lower, upper  (len(runs),) in the order of `runs`: means and the ends of their intervals, nan where
                there is no interval
    """

    label: str
    cutoff: int | None
    num_topics: int
    runs: tuple[int, ...]
    means: FloatArray
    lower: FloatArray
    upper: FloatArray


def cutoff_of(column: SelectedColumn) -> int | None:
    """Return the rank at which the measure of a column cuts the ranking; None if it does not."""
    if not isinstance(column.measure.parameters, Cutoffs) or not column.arguments:
        return None
    cutoff = column.arguments[0]
    if not isinstance(cutoff, int) or cutoff == LARGEST_LONG:  # of dcg_cut_all
        return None
    return cutoff


def headline_label(main: SelectedColumn) -> str:
    """Return the label of the measure in the first sentence of a report with this main measure.

    Readers outside the field do not know PRES: for it, they see recall at the same rank.
    """
    cutoff = cutoff_of(main)
    if main.measure.name == "PRES" and main.view == View() and cutoff is not None:
        return f"recall_{cutoff}"
    return main.label


def headline_of(
    evaluations: Sequence[ScoredRun],
    names: Sequence[str],
    column: SelectedColumn,
    settings: CompareSettings,
    every_topic: Sequence[bytes] | None,
    weights: Weights | None,
) -> Headline | None:
    """Return the means of a column with their intervals; None if no run has all topics, or there is no topic.

    evaluations, names  of the runs
    settings     their level is that of the intervals
    every_topic  the topics of the judgements, if those that a run lacks count as 0; None or empty: each run's
                 own
    weights      of topics; None: all count the same
    """
    runs = list(range(len(evaluations)))
    if not every_topic:
        incomplete = incomplete_runs(evaluations)
        runs = [run for run in runs if run not in incomplete]
    if not runs:
        return None
    has_topics = bool(every_topic) or bool(evaluations[runs[0]].topics)
    if not has_topics:
        return None
    scores = pair_columns(
        [evaluations[run] for run in runs],
        [names[run] for run in runs],
        [column.label],
        every_topic,
        weights,
    )
    lower, upper = settings.intervals_of_means(scores, measure=0)
    # Means, or their negatives where less is better.
    gains = gains_of(scores.measures, scores.means, scores.falling)[0]
    order = np.argsort(-gains, kind="stable")  # the best first
    return Headline(
        label=column.label,
        cutoff=cutoff_of(column),
        num_topics=len(scores.topics),
        runs=tuple(runs[rank] for rank in order.tolist()),
        means=scores.means[0][order],
        lower=lower[order],
        upper=upper[order],
    )

"""Which of a report's runs and measures can be compared, and over which topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.analysis import Loop
from pres_eval.analysis.compare_settings import Settings
from pres_eval.analysis.every_pair import PairTable, every_pair
from pres_eval.analysis.paired import pair_topics
from pres_eval.measures.base import Format, mean
from pres_eval.scoring import Evaluation


def pairs_of(
    evaluations: Sequence[Evaluation],
    names: Sequence[str],
    labels: Sequence[str],
    settings: Settings,
    every_topic: Sequence[bytes] | None = None,
    each: Loop = iter,
) -> PairTable | None:
    """The runs against each other under those measures that are means over topics, and numbers on each.

    The topics are those of all the runs, or `every_topic`; None where there is no topic, or no such measure.
    """
    usable = [label for label in labels if all(_is_mean(evaluation, label) for evaluation in evaluations)]
    common = set(evaluations[0].topics).intersection(*(evaluation.topics for evaluation in evaluations))
    if not usable or not (common or every_topic):
        return None
    chosen = [each.with_columns([each.labels.index(label) for label in usable]) for each in evaluations]
    scores = pair_topics(chosen, names, every_topic)
    return every_pair(scores, settings, each)


def _is_mean(evaluation: Evaluation, label: str) -> bool:
    """Whether a column is a mean over topics, and a number on every topic."""
    column = next(column for column in evaluation.columns if column.label == label)
    if column.measure.summary is not mean or column.measure.format is not Format.FLOAT:
        return False
    return bool(np.isfinite(evaluation.by_label(label)).all())

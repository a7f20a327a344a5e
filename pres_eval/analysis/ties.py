"""Influence of the order of documents with equal scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pres_eval.errors import NoCommonTopicError
from pres_eval.measures.base import Format, Trait
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.options import BEST_ORDER, BY_DOCNO, WORST_ORDER, Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance
from pres_eval.scoring import evaluate

FEW_TIED = 0.01
"""Share of the relevant documents retrieved: if at most this share is tied, no range is computed."""

LEAST_RANGE = 0.01
"""Narrowest range that gets a warning, of a measure from 0 to 1."""


@dataclass(frozen=True)
class TieRange:
    """Range of a measure over all topics, from the worst to the best order of equal scores.

    label            of the column
    least, greatest  with the relevant documents of each tie last, and first
    num_tied         number of relevant documents retrieved with the same score as another document
    """

    label: str
    least: float
    greatest: float
    num_tied: int

    @property
    def is_wide(self) -> bool:
        """Return whether the range is wide enough for a warning."""
        return self.greatest - self.least >= LEAST_RANGE

    def __str__(self) -> str:
        """Return the range in words: `map is 0.2000 to 0.3000`."""
        return f"{self.label} is {self.least:.4f} to {self.greatest:.4f}"


def main_column(selection: Selection) -> SelectedColumn | None:
    """Return the first column that measures the quality of a ranking from 0 to 1, None if there is none."""
    for column in selection:
        measure = column.measure
        is_quality = measure.format is Format.FLOAT and measure.tells_quality and measure.best_by_grade
        if is_quality and Trait.BOUNDED in measure.traits and Trait.SET not in measure.traits:
            return column
    return None


def warning_of_ties(
    relevance: Relevance, ranking: Ranking, options: Options, selection: Selection
) -> str | None:
    """Return the warning about equal scores of a run, whose order could change the main column; else None."""
    column = main_column(selection)
    if column is None:
        return None
    tied_range = tie_range(relevance, ranking, options, column)
    if tied_range is None or not tied_range.is_wide:
        return None
    return f"{ranking.name}: equal scores: {tied_range} by how they are ordered (--ties)"


def tie_range(
    relevance: Relevance, ranking: Ranking, options: Options, column: SelectedColumn
) -> TieRange | None:
    """Return the range of a column over the orders of equal scores.

    None if --ties sets an order other than that by docno, if the judgements are no qrels, if at most FEW_TIED
    of the relevant documents retrieved share a score, or if the run has no topic of the judgements.
    """
    if options.ties != BY_DOCNO or not isinstance(relevance, QrelsJudgements):
        return None
    if not len(ranking.ties.document):
        return None
    is_relevant = relevance.grade[ranking.document] >= options.relevance_level
    num_tied = int(np.count_nonzero(is_relevant[ranking.ties.document]))
    if num_tied <= FEW_TIED * np.count_nonzero(is_relevant):
        return None
    try:
        worst = evaluate(relevance, ranking, (column,), replace(options, ties=WORST_ORDER))
        best = evaluate(relevance, ranking, (column,), replace(options, ties=BEST_ORDER))
    except NoCommonTopicError:
        return None
    least, greatest = worst.summary[0], best.summary[0]
    assert isinstance(least, float) and isinstance(greatest, float), "the main column has a mean"
    return TieRange(
        label=column.label,
        least=min(least, greatest),
        greatest=max(least, greatest),
        num_tied=num_tied,
    )

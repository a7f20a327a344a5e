"""Columns of the evaluation report: what is computed for it, and the measures of its leaderboard."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.errors import UsageError
from pres_eval.measures import interpolation
from pres_eval.measures.base import Format
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.measures.selection import SelectedColumn, Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.report.headline import cutoff_of

RECALL_LEVEL_TEXTS = tuple(f"{level:.2f}" for level in interpolation.RECALL_LEVELS)
"""Recall levels of TREC's table as labels have them: 0.00 to 1.00."""

NMAX_GRID = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Ranks at which PRES, recall and the ROC curve are computed, besides the Nmax that were asked for."""


def ranks_of_curves(nmax: Sequence[int]) -> tuple[int, ...]:
    """Return the ranks at which PRES and recall are computed, ascending: NMAX_GRID and the Nmax asked for."""
    return tuple(sorted({*NMAX_GRID, *nmax}))


def depths_of(options: Options, nmax: Sequence[int], measures: Sequence[str]) -> tuple[int, ...]:
    """Return the Nmax of a report: those of --nmax, or else the cutoffs of the first measure of -m.

    nmax: DEFAULT_NMAX stands for no --nmax, and is returned if there are no cutoffs, either
    """
    if not measures or tuple(nmax) != DEFAULT_NMAX:
        return tuple(nmax)
    columns = select(measures[:1], options, nmax, relevance=RelevanceInfo.QRELS)
    cutoffs: set[int] = set()
    for column in columns:
        cutoff = cutoff_of(column)
        # A name such as "official" stands for several measures: the first counts.
        if column.measure.name == columns[0].measure.name and cutoff is not None:
            cutoffs.add(cutoff)
    return tuple(sorted(cutoffs) or nmax)


def report_selection(
    options: Options, nmax: Sequence[int] = DEFAULT_NMAX, measures: Sequence[str] = ()
) -> Selection:
    """Return the columns that a report needs: those of its tables and curves, and those asked for with -m."""
    cutoffs = set(ranks_of_curves(depths_of(options, nmax, measures)))
    for column in asked_columns(options, nmax, measures):
        cutoff = cutoff_of(column)
        if column.measure.name == "PRES" and cutoff is not None:
            cutoffs.add(cutoff)
    ranks = ",".join(map(str, sorted(cutoffs)))
    # As -m takes them.
    texts = ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
    texts.append(f"iprec_at_recall.{','.join(RECALL_LEVEL_TEXTS)}")
    texts.append(f"P.{','.join(map(str, DOCUMENT_CUTOFFS))}")
    texts.append(f"recall.{ranks}")
    texts.append(f"PRES.{ranks}")
    texts += measures
    return select(texts, options, nmax, relevance=RelevanceInfo.QRELS)


def asked_columns(options: Options, nmax: Sequence[int], measures: Sequence[str]) -> list[SelectedColumn]:
    """Return the columns of the measures asked for, in the order in which they were asked for."""
    columns: list[SelectedColumn] = []
    for text in measures:
        columns += select([text], options, nmax, relevance=RelevanceInfo.QRELS)
    return columns


def leaderboard_labels(
    selection: Selection, options: Options, nmax: Sequence[int], measures: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the labels of the leaderboard: of the measures asked for that have a number over all topics.

    If none was asked for: PRES at each Nmax, average precision, recall at the first Nmax, and four more.
    Raises UsageError if none of the measures asked for has a number over all topics.
    """
    if not measures:
        pres = [f"PRES_{cutoff}" for cutoff in nmax]
        return (*pres, "map", f"recall_{nmax[0]}", "gm_map", "Rprec", "bpref", "P_10")
    # A measure may have another label in the selection than the user gave it: it is found by what it is.
    labels: dict[tuple[object, ...], str] = {}
    for column in selection:
        measure = column.measure
        if measure.summary is not None and measure.format in (Format.FLOAT, Format.COUNT):
            labels[_identity(column)] = column.label
    board: dict[str, None] = {}
    for column in asked_columns(options, nmax, measures):
        label = labels.get(_identity(column))
        if label is not None:
            board[label] = None
    if not board:
        raise UsageError(
            "none of the measures asked for (-m) is an average over topics, expected at least one"
        )
    return tuple(board)


def _identity(column: SelectedColumn) -> tuple[object, ...]:
    """Return what two columns with the same values have in common: measure, parameters, relevance level."""
    return column.measure.name, column.arguments, column.view.level


MOST_COMPARED_BY = 2
"""Measures by which runs are compared topic by topic: of each there is a picture for each run."""


def compared_labels(
    selection: Selection, board: Sequence[str], nmax: Sequence[int], measures: Sequence[str]
) -> tuple[str, ...]:
    """Return the labels by which runs are compared topic by topic: the first MOST_COMPARED_BY asked for.

    They are averages of values of topics.  If none was asked for: average precision, and PRES at the largest
    Nmax.
    """
    labels: list[str] = []
    if measures:
        columns = {column.label: column for column in selection}
        for label in board:
            measure = columns[label].measure
            if measure.per_topic and measure.format is Format.FLOAT:
                labels.append(label)
    if not labels:
        return "map", f"PRES_{max(nmax)}"
    return tuple(labels[:MOST_COMPARED_BY])

"""Limits of the judgements: shallower pools, pools without a run, unjudged documents, bounds, ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

import numpy as np

from pres_eval.analysis.correlation import positions
from pres_eval.analysis.other_judgements import OtherJudgements
from pres_eval.analysis.paired import evaluations_of
from pres_eval.analysis.robustness import (
    Plan,
    Reduced,
    Robustness,
    reduced,
    robustness,
    scores_under,
    without,
)
from pres_eval.analysis.sweep import signs, summaries
from pres_eval.analysis.ties import TieRange, main_column, tie_range
from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.measures.selection import SelectedColumn, Selection, select, with_bounds
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import Scoring


def found_by(qrels: QrelsJudgements, rankings: Sequence[Ranked], depth: int) -> BoolArray:
    """Return (R, D) whether each run has a document of the pool among the first `depth` of its topic."""
    has_document = np.zeros((len(rankings), len(qrels.grade)), np.bool_)
    for run, ranking in enumerate(rankings):
        has_document[run, ranking.document[ranking.rank <= depth]] = True
    return has_document


def pool_depths(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    *,
    depths: Sequence[int],
    coefficient: str = "tau_a",
    removed: str = "unjudged",
    loop: Loop = in_turn,
) -> Reduced:
    """Rank the runs again with the judgements of shallower pools, once for each of the depths (in ranks).

    At depth d the judgements stay whose documents a run has among its first d; all others go.  So the runs
    should be those that were pooled.
    coefficient  how rankings are compared: a name of COEFFICIENTS
    removed      what becomes of judgements that go: a name of robustness.REMOVED
    Source: Zobel, SIGIR 1998, doi:10.1145/290941.291014.
    """

    def keep(number: int) -> BoolArray:
        """Return (D,) whether each document is in the pool of the depth with this number."""
        return np.asarray(found_by(qrels, rankings, depths[number]).any(axis=0), np.bool_)

    return reduced(qrels, rankings, selection, options, keep, len(depths), coefficient, removed, loop)


@dataclass(frozen=True)
class LeftOut:
    """A run scored as if it, or its group, had not been pooled.

    unique           number of judged documents that only the group brought into the pool
    unique_relevant  number of relevant ones among these
    score, without   the run's score under all judgements, and without those of unique documents
    position, position_without  the run's position among all runs by these scores, 1 for the best
    """

    group: str
    run: str
    measure: str
    unique: int
    unique_relevant: int
    score: float
    without: float
    position: int
    position_without: int


def leave_out(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    names: Sequence[str],
    selection: Selection,
    options: Options,
    *,
    groups: Mapping[str, Sequence[int]],
    depth: int = 100,
    removed: str = "unjudged",
    loop: Loop = in_turn,
) -> Iterator[LeftOut]:
    """Yield each run of each group as if the group had not been pooled, under each measure.

    groups   the indices of each group's runs, by its name
    depth    rank down to which runs were pooled
    removed  what becomes of judgements that go: a name of robustness.REMOVED
    loop     carries out the loop over the groups
    A judgement goes if a run of the group, and no other run, has its document among the first `depth`.  All
    runs are scored with the other judgements.  Judgements of documents that no run has so early stay.
    Source: Zobel, SIGIR 1998, doi:10.1145/290941.291014; Voorhees, CLEF 2001,
      doi:10.1007/3-540-45691-0_34.
    """
    has_document = found_by(qrels, rankings, depth)
    full_scores = scores_under(qrels, rankings, selection, options)
    full_positions = _positions(full_scores, selection)
    groups_in_turn = list(groups.items())
    judged, relevant = qrels.grade >= 0, qrels.grade >= options.relevance_level

    def without_group(number: int) -> list[LeftOut]:
        """Return the runs of the group with this number, scored as if it had not been pooled."""
        group, runs = groups_in_turn[number]
        in_group = np.isin(np.arange(len(rankings)), runs)
        unique = has_document[in_group].any(axis=0) & ~has_document[~in_group].any(axis=0)
        qrels_without = without(qrels, np.asarray(~unique, np.bool_), removed)
        scores = scores_under(qrels_without, rankings, selection, options)
        positions_without = _positions(scores, selection)
        num_unique = int(np.count_nonzero(unique & judged))
        num_unique_relevant = int(np.count_nonzero(unique & relevant))
        rows = []
        for run, (measure, column) in product(runs, enumerate(selection)):
            rows.append(
                LeftOut(
                    group=group,
                    run=names[run],
                    measure=column.label,
                    unique=num_unique,
                    unique_relevant=num_unique_relevant,
                    score=float(full_scores[measure, run]),
                    without=float(scores[measure, run]),
                    position=int(full_positions[measure][run]),
                    position_without=int(positions_without[measure][run]),
                )
            )
        return rows

    return chain.from_iterable(loop(without_group, len(groups_in_turn)))


def _positions(scores: FloatArray, selection: Selection) -> list[IntArray]:
    """Return the positions (R,) of runs under each measure, 1 for the best, by their scores (M, R)."""
    return [positions(gains) for gains in signs(selection) * scores]


def holes(qrels: QrelsJudgements, ranking: Ranked, depth: int) -> list[tuple[bytes, int, int]]:
    """Return each topic of a run with its number of documents by rank `depth`, and of unjudged ones."""
    topic_of = np.repeat(np.arange(len(ranking.topic)), np.diff(ranking.offsets))
    is_judged = (ranking.rank <= depth) & (qrels.grade[ranking.document] >= 0)
    num_judged = np.bincount(topic_of[is_judged], minlength=len(ranking.topic))
    num_documents = np.minimum(ranking.num_ret, depth)
    num_unjudged = num_documents - num_judged
    topics = qrels.pool.topics.take(ranking.topic)
    return list(zip(topics, num_documents.tolist(), num_unjudged.tolist(), strict=True))


JUDGED_RANKS = (10, 100)
"""Ranks down to which the share of judged documents is reported."""

ORDER_PLAN = Plan(fractions=(0.5,), samples=5)
"""Test of the order of runs: half of each topic's relevant documents, five times."""


@dataclass(frozen=True, eq=False)
class Trust:
    """Limits of the judgements for R runs.

    judged  for each rank k of JUDGED_RANKS (R,) the mean share of the first k documents that were judged
    bounds  for each label (2, R) the least and the greatest value that judgements of unjudged documents could
            give; empty with -J and -l 0
    ties    for each run the range of the main column over orders of equal scores; None with weights,
            without a main column, and where `tie_range` returns None
    order   how the order of the runs changes with fewer relevant documents; None for a single run
    other_judgements  whether other judgements could put another run first; None if that was not tried, as in
                      what `trust_of` returns
    """

    judged: dict[int, FloatArray]
    bounds: dict[str, FloatArray]
    ties: tuple[TieRange | None, ...]
    order: Robustness | None
    other_judgements: OtherJudgements | None = None


def trust_of(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    loop: Loop = in_turn,
    weights: Weights | None = None,
) -> Trust:
    """Return the uncertainty of runs' values that comes from missing judgements and equal scores.

    selection  the measures whose bounds and order of runs are reported
    loop       carries out the loops over runs and f-qrels
    weights    of topics: judged shares and bounds are means with these, ties are not reported, and the order
               does not use them; None: all weigh the same
    """
    shares_judged = select([f"judged.{rank}" for rank in JUDGED_RANKS], options)
    measures = tuple(replace(column, by_name=False) for column in selection)
    bounded = tuple(column for column in measures if _can_have_bounds(column, options))
    columns = (*shares_judged, *(column for column in measures if column not in bounded))
    if bounded:
        columns += with_bounds(bounded, options)[0]
    scoring = Scoring(relevance=qrels, selection=columns, options=options, weights=weights)
    values = summaries(evaluations_of(scoring, rankings, loop))
    bounds = {}
    # A column is followed by its bounds, if it has any: the least value, then the greatest.
    for row in range(len(columns) - 2):
        if columns[row] in bounded and columns[row + 1].view.bound is not None:
            bounds[columns[row].label] = values[row + 1 : row + 3]
    main = main_column(selection) if weights is None else None
    ties: tuple[TieRange | None, ...] = (None,) * len(rankings)
    if main is not None:
        ties = tuple(loop(lambda run: tie_range(qrels, rankings[run], options, main), len(rankings)))
    order = None
    if len(rankings) > 1:
        order = robustness(qrels, rankings, measures, options, ORDER_PLAN, loop)
    return Trust(
        judged=dict(zip(JUDGED_RANKS, values, strict=False)),  # the first rows are the judged shares
        bounds=bounds,
        ties=ties,
        order=order,
    )


def _can_have_bounds(column: SelectedColumn, options: Options) -> bool:
    """Return whether unjudged documents leave a column's value open: not with -J, at level 0, in a bound."""
    if options.judged_only or column.view.judged_only or column.view.bound is not None:
        return False
    level = options.relevance_level if column.view.level is None else column.view.level
    return level > 0

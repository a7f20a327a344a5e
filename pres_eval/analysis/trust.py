"""Limits of the judgements: share judged in each run, bounds, ties, changes of the order of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pres_eval.analysis import Loop
from pres_eval.analysis.robustness import Plan, Robustness, robustness
from pres_eval.analysis.sweep import summaries
from pres_eval.analysis.ties import TieRange, main_column, tie_range
from pres_eval.arrays.types import FloatArray
from pres_eval.measures.selection import Selection, select, with_bounds
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import Scoring

JUDGED_RANKS = (10, 100)

THINNED = Plan(fractions=(0.5,), samples=5)
"""What the order of runs is tried under: half of each topic's relevant documents, five times."""


@dataclass(frozen=True, eq=False)
class Trust:
    """Limits of the judgements for R runs.

    judged  by rank k (R,) the mean share of the first k documents that were judged
    bounds  by label (2, R) the least and the greatest value, for what was not judged; none with -J
    ties    what the main column comes to by how equal scores are ordered, None where that hardly matters
    order   how the order of the runs changes with fewer relevant documents; None for a single run
    """

    judged: dict[int, FloatArray]
    bounds: dict[str, FloatArray]
    ties: tuple[TieRange | None, ...]
    order: Robustness | None


def trust_of(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
    each: Loop = iter,
    weights: Weights | None = None,
) -> Trust:
    """Return what the judgements leave open of the runs; `selection` are the measures with bounds and order.

    `each` wraps the loop over the f-qrels.  With weights of topics shares and bounds are means with these,
    and nothing is said of ties; the order is without.
    """
    shares = select([f"judged.{rank}" for rank in JUDGED_RANKS], options)
    own = tuple(replace(column, by_name=False) for column in selection)
    columns = (*shares, *(own if options.judged_only else with_bounds(own, options)[0]))
    scoring = Scoring(relevance=qrels, selection=columns, options=options, weights=weights)
    values = summaries([scoring.evaluation(ranking, scoring.blocks(ranking)) for ranking in rankings])
    # A column is followed by its bounds, if it has any: the least value, then the greatest.
    least = [place for place, column in enumerate(columns) if column.bound is not None][::2]
    main = main_column(selection) if weights is None else None
    return Trust(
        judged=dict(zip(JUDGED_RANKS, values, strict=False)),
        bounds={columns[place - 1].label: values[place : place + 2] for place in least},
        ties=tuple(
            None if main is None else tie_range(qrels, ranking, options, main) for ranking in rankings
        ),
        order=robustness(qrels, rankings, own, options, THINNED, each) if len(rankings) > 1 else None,
    )

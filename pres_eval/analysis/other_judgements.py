"""Could another run be the best if unjudged documents were relevant?

Bounds of each run by itself do not answer this: a document that two runs retrieved is relevant for both or
for neither.  So for each rival of the best run the grades are tried that favour the rival most.  An unjudged
document gets the highest grade if the rival has it at a better rank than the best run (down to the cutoff of
the measure), or has it alone; all other unjudged documents get 0.

For a measure that adds the same for each relevant document, whatever else is relevant (P, num_rel_ret), no
other grades are better for the rival: the result is a proof.  For other measures other grades may be better,
since the number of relevant documents changes too: the result shows what can happen.  Topics without any
judgement do not count here, although they would count if documents of theirs were judged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.paired import evaluations_of
from pres_eval.analysis.ranked_lists import RankedLists, read_ranked_lists
from pres_eval.analysis.reproducible import rounded
from pres_eval.analysis.sweep import summaries
from pres_eval.arrays import AnyInts, BoolArray, Ids, IntArray
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds.judgements import depth_of
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import LARGEST_LONG, Options
from pres_eval.ranking.ranking import Ranking, on_topics
from pres_eval.ranking.runs import read_run
from pres_eval.reading.judgements.pool import build_pool
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.reading.run_files import RunFiles
from pres_eval.reading.topic_files import Weights
from pres_eval.scoring import Scoring

ADDING_MEASURES = ("P", "num_rel_ret")
"""Measures that add the same for each relevant document, whatever else is relevant."""

MOST_RETRIEVED = 2_000_000
"""Most documents of all runs together, down to the cutoff: more would take longer than the report."""


@dataclass(frozen=True)
class OtherJudgements:
    """Whether rivals could be the best run: each rival tried with the grades that favour it most.

    label            of the measure
    rivals           number of other runs that were tried
    better           number of rivals that would then be better than the best run
    nearest          index of the rival that would then be furthest above the best run, or least below it
    depth            the cutoff of the measure or of -M, below which documents stay unjudged; None: no cutoff
    documents        number of unjudged documents that get the highest grade for the nearest rival
    value_of_best    value of the best run under the grades that favour the nearest rival
    value_of_rival   value of the nearest rival under the same grades
    is_proof         whether no other grades can favour a rival more
    """

    label: str
    rivals: int
    better: int
    nearest: int
    depth: int | None
    documents: int
    value_of_best: float
    value_of_rival: float
    is_proof: bool


def try_other_judgements(
    qrels: QrelsJudgements,
    runs: Sequence[RunFiles],
    rankings: Sequence[Ranking],
    best: int,
    rivals: Sequence[int],
    column: SelectedColumn,
    options: Options,
    weights: Weights | None = None,
) -> OtherJudgements | None:
    """Try, for each rival, the grades of unjudged documents that favour it most; return what they show.

    runs      files of all runs, which are read again for documents that nobody judged
    rankings  the rankings of all runs, with the topics that count
    best, rivals  indices of runs with the same topics
    column    the column that decides which run is best

    None if there is no rival, if less is better, for -J, for a relevance level of 0, for equal scores in
    another order than trec_eval's, if topics without a relevant document count in another way than
    trec_eval's (other judgements can make them count), for documents with scores of their own, for more than
    MOST_RETRIEVED documents, and if all documents are judged.
    Raises PresEvalError for files that cannot be read twice.
    """
    # P(rel=2) has a level of its own.
    level = options.relevance_level if column.view.level is None else column.view.level
    if not rivals or not _can_be_tried(qrels, column, options, level):
        return None
    depth = depth_of(column.measure, column.arguments)
    if options.max_retrieved is not None:
        depth = min(depth, options.max_retrieved)
    # The best run has index 0 in what follows, the rivals have 1 and more.
    compared = [best, *rivals]
    num_retrieved = sum(int(np.minimum(rankings[run].num_ret, depth).sum()) for run in compared)
    if num_retrieved > MOST_RETRIEVED:
        return None
    lists = [read_ranked_lists(runs[run], options, qrels.rewriting) for run in compared]
    extended = with_unjudged(qrels, lists, depth)
    all_are_judged = (extended.grade >= 0).all()
    if all_are_judged:
        return None
    reread = [on_topics(read_run(runs[run], extended, options), rankings[run].topic) for run in compared]
    ranks = [_ranks_in_pool(ranking, len(extended.grade), depth) for ranking in reread]
    highest = _highest_grades(extended, column.measure, level)
    values_by_rival = []
    num_favouring = []
    for rival in range(1, len(compared)):
        is_favouring = (extended.grade < 0) & (ranks[rival] < ranks[0])
        num_favouring.append(int(np.count_nonzero(is_favouring)))
        favouring = _all_judged(extended, is_favouring, highest)
        scoring = Scoring(relevance=favouring, selection=(column,), options=options, weights=weights)
        values_by_rival.append(summaries(evaluations_of(scoring, [reread[0], reread[rival]]))[0])
    # (rivals, 2) the values of the best run and of the rival.
    values = np.array(values_by_rival)
    with np.errstate(invalid="ignore"):  # an infinite value less another is no number
        leads = rounded(values[:, 1] - values[:, 0])
    nearest = int(leads.argmax())
    return OtherJudgements(
        label=column.label,
        rivals=len(rivals),
        better=int(np.count_nonzero(leads > 0)),
        nearest=rivals[nearest],
        depth=None if depth == LARGEST_LONG else depth,
        documents=num_favouring[nearest],
        value_of_best=float(values[nearest, 0]),
        value_of_rival=float(values[nearest, 1]),
        is_proof=column.measure.name in ADDING_MEASURES,
    )


def _can_be_tried(qrels: QrelsJudgements, column: SelectedColumn, options: Options, level: float) -> bool:
    """Return whether other grades are defined for these judgements, this column and these options."""
    if column.measure.less_is_better or column.view.judged_only or options.judged_only or level <= 0:
        return False
    # The defaults of Options are those of trec_eval.
    if options.ties != Options.ties or options.empty != Options.empty:
        return False
    return qrels.document_scores is None and qrels.kept is None


def _all_judged(qrels: QrelsJudgements, is_highest: BoolArray, highest: AnyInts) -> QrelsJudgements:
    """Return the judgements with a grade for each unjudged document (D,) of the pool: the highest, or 0.

    is_highest  (D,) whether an unjudged document gets the highest grade (D,) of its topic
    """
    grades = np.where(is_highest, highest, qrels.grade)
    # Judged as 0, not left without a judgement: bpref and infAP tell these apart.
    grades[(qrels.grade < 0) & ~is_highest] = 0
    return replace(qrels, grade=grades)


def with_unjudged(qrels: QrelsJudgements, lists: Sequence[RankedLists], depth: int) -> QrelsJudgements:
    """Return the judgements with the first `depth` documents of all lists added to their pool, not judged."""
    topics = list(qrels.pool.topics)
    numbers_in_lists = [ranked.number_of_topic() for ranked in lists]
    documents: list[bytes] = []
    grades: list[int] = []
    lengths = []
    for number, topic in enumerate(topics):
        start, stop = int(qrels.pool.offsets[number]), int(qrels.pool.offsets[number + 1])
        judged = list(qrels.pool.documents[start:stop])
        # A dict keeps its keys in order, which a set does not.
        unjudged: dict[bytes, None] = {}
        for ranked, numbers in zip(lists, numbers_in_lists, strict=True):
            if topic in numbers:
                unjudged.update(dict.fromkeys(ranked.of_topic(numbers[topic])[:depth]))
        for document in judged:
            unjudged.pop(document, None)
        documents += [*judged, *unjudged]
        grades += [*qrels.grade[start:stop].tolist(), *[-1] * len(unjudged)]
        lengths.append(len(judged) + len(unjudged))
    pooled = build_pool(Ids.from_texts(topics), np.array(lengths), Ids.from_texts(documents))
    # Grades with decimals stay doubles, whole ones stay integers.
    return replace(qrels, pool=pooled.pool, grade=np.array(grades, np.result_type(qrels.grade, np.int64)))


def _ranks_in_pool(ranking: Ranking, num_documents: int, depth: int) -> IntArray:
    """Return the rank (D,) of each document of the pool; LARGEST_LONG if it is beyond `depth` or missing."""
    ranks = np.full(num_documents, LARGEST_LONG)
    is_above = ranking.rank <= depth
    ranks[ranking.document[is_above]] = ranking.rank[is_above]
    return ranks


def _highest_grades(qrels: QrelsJudgements, measure: Measure, level: float) -> AnyInts:
    """Return (D,) for each document of the pool the highest grade of its topic, which is relevant at least.

    level  the least grade of a relevant document, for measures that have one
    """
    highest = np.ones(len(qrels.pool.topics), qrels.grade.dtype)
    if measure.uses_level:
        highest[:] = max(1, math.ceil(level))
    topic_of = qrels.pool.topic_of
    np.maximum.at(highest, topic_of, qrels.grade)
    return np.asarray(highest[topic_of])

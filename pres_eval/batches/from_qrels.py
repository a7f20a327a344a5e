"""A ranking and judgements become the batch that measures see: -M, -J, -l, -c and -D happen here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import partial

import numpy as np

from pres_eval.arrays import BoolArray, Grades, IntArray, blocks, consecutive, lengths_at
from pres_eval.batches.batch import UNJUDGED, Batch, frozen
from pres_eval.batches.places import TieGroups, heads_of_ties
from pres_eval.errors import InputError, quoted
from pres_eval.options import BEST, EXPECTED, WORST, Options
from pres_eval.ranking.ranked import NO_TIES, Ranked, only
from pres_eval.reading.pool import Pool, Remembered
from pres_eval.reading.relevance import QrelsJudgements
from pres_eval.records import dataclass

FEW_TIED = 0.01
"""Share of the relevant documents retrieved that have to be in ties before their order is looked at."""


def scored_topics(pool: Pool, ranked: Ranked, options: Options) -> tuple[IntArray, IntArray]:
    """Return the pool topics to score (T,), and their places in the ranking (T,), -1 for missing ones."""
    topics: IntArray = ranked.topic
    place: IntArray = np.arange(len(topics))
    if options.complete and options.version.scores_missing_topics:
        topics = np.arange(len(pool.topics))
        place = np.full(len(topics), -1)
        place[ranked.topic] = np.arange(len(ranked.topic))
    if options.only_topic is not None:
        chosen = np.array([pool.topics[topic] == options.only_topic for topic in topics.tolist()], np.bool_)
        topics, place = topics[chosen], place[chosen]
    return topics, place


def form_batches(
    qrels: QrelsJudgements, ranked: Ranked, options: Options, size: int
) -> list[Callable[[], Batch]]:
    """Return functions that form batches of the topics to score, at most `size` topics each.

    Raises InputError if a topic that is scored has a document judged twice.
    """
    topics, place = scored_topics(qrels.pool, ranked, options)
    if len(qrels.duplicates.topic):
        _check_duplicates(qrels, topics)
    lengths = np.zeros(len(topics), np.int64)
    lengths[place >= 0] = lengths_at(ranked.offsets, place[place >= 0])
    ends = np.concatenate(([0], np.cumsum(lengths)))
    starts = [(start, last) for first, last in blocks(ends) for start in range(first, last, size)]
    some = [slice(start, min(start + size, last)) for start, last in starts]
    return [partial(_form, qrels, ranked, options, topics[rows], place[rows]) for rows in some]


def _form(
    qrels: QrelsJudgements, ranked: Ranked, options: Options, topics: IntArray, place: IntArray
) -> Batch:
    """Return the batch of some pool topics (T,), which are at `place` (T,) of the ranking."""
    averaged = options.ties == EXPECTED
    # When ties stay together, -J has to make them smaller: the batch does that.
    found = kept_documents(
        qrels, take_topics(ranked, place), replace(options, judged_only=False) if averaged else options
    )
    grade = wide(qrels.grade[found.document])
    grade[grade < 0] = UNJUDGED
    size = len(topics) + qrels.pool.num_documents_of(topics)
    judged = qrels.topics_seen.get(topics.tobytes(), size, partial(judged_topics, qrels, topics))
    batch = Batch(
        topics=judged.topics,
        num_ret=found.num_ret,
        offsets=found.offsets,
        rank=found.rank.astype(np.int64),
        grade=grade,
        levels=judged.levels,
        level_counts=judged.level_counts,
        level_offsets=judged.level_offsets,
        missing=place < 0,
        relevance_level=options.relevance_level,
        num_docs_in_coll=options.num_docs_in_coll if qrels.sizes is None else qrels.sizes[topics],
        nmax=None if qrels.nmax is None else qrels.nmax[topics],
        version=options.version,
        ties=tie_groups(found) if averaged else None,
        document_scores=None if qrels.document_scores is None else qrels.document_scores[found.document],
        judged=judged,
    )
    return frozen(batch.judged_alone() if averaged and options.judged_only else batch)


def take_topics(ranked: Ranked, place: IntArray) -> Ranked:
    """Return the topics at `place` (T,); those at -1, which the run lacks, have one document."""
    if len(place) == len(ranked.topic) and (place == np.arange(len(place))).all():
        return ranked
    # trec_eval: a topic that the run lacks is scored as one document that nobody judged.
    there = np.flatnonzero(place >= 0)
    num_ret: IntArray = np.ones(len(place), np.int64)
    starts, lengths = np.zeros(len(place), np.int64), np.zeros(len(place), np.int64)
    num_ret[there] = ranked.num_ret[place[there]]
    starts[there], lengths[there] = ranked.offsets[place[there]], lengths_at(ranked.offsets, place[there])
    rows, offsets = consecutive(starts, lengths)
    return Ranked(
        topic=place,
        num_ret=num_ret,
        offsets=offsets,
        rank=ranked.rank[rows],
        document=ranked.document[rows],
        ties=ranked.ties.of(rows),
    )


def down_to(ranked: Ranked, most: int, *, whole_ties: bool = False) -> Ranked:
    """Return S ranked topics after -M: their first `most` documents.

    `whole_ties`: all documents of a tie that begins among these are kept, as in some order each is seen.
    """
    rank = tie_groups(ranked).first if whole_ties else ranked.rank
    return only(replace(ranked, num_ret=np.minimum(ranked.num_ret, most)), np.flatnonzero(rank <= most))


def kept_documents(qrels: QrelsJudgements, ranked: Ranked, options: Options) -> Ranked:
    """Return S ranked topics after -M and -J, and judgements that are used in part."""
    if options.ties in (BEST, WORST) and len(ranked.ties.document):
        if qrels.kept is not None:
            ranked = only(ranked, np.flatnonzero(qrels.kept[ranked.document]))
        ranked = by_grade(ranked, qrels.grade[ranked.document], worst=options.ties == WORST)
    if options.max_retrieved is not None:
        ranked = down_to(ranked, options.max_retrieved, whole_ties=options.ties == EXPECTED)
    if options.judged_only:
        chosen: BoolArray = qrels.grade[ranked.document] >= 0
        if qrels.kept is not None:
            chosen &= qrels.kept[ranked.document]
        ranked = only(ranked, np.flatnonzero(chosen))
        num_ret = np.diff(ranked.offsets)
        rank = np.arange(1, len(ranked.rank) + 1) - np.repeat(ranked.offsets[:-1], num_ret)
        ranked = replace(ranked, num_ret=num_ret, rank=rank)
    elif qrels.kept is not None:
        ranked = only(ranked, np.flatnonzero(qrels.kept[ranked.document]))
    return ranked


def relevant_and_tied(qrels: QrelsJudgements, ranked: Ranked, level: int | float) -> tuple[int, int]:
    """Count the relevant documents retrieved, and those of them that share their score."""
    relevant = qrels.grade[ranked.document] >= level
    return int(np.count_nonzero(relevant)), int(np.count_nonzero(relevant[ranked.ties.document]))


def ties_matter(relevant: int, tied: int) -> bool:
    """Return whether enough of the relevant documents retrieved are in ties to compute their order."""
    return tied > FEW_TIED * relevant


def tie_groups(ranked: Ranked) -> TieGroups:
    """Return the group of equal scores of each of the D documents."""
    first, size = ranked.rank.astype(np.int64), np.ones(len(ranked.rank), np.int64)
    first[ranked.ties.document] = ranked.ties.first
    size[ranked.ties.document] = ranked.ties.size
    return TieGroups(first, size)


def by_grade(ranked: Ranked, grade: Grades, *, worst: bool) -> Ranked:
    """Return the same topics with the documents of each tie sorted by their grades (D,), descending.

    In the pool without judgement is worth less than any grade, what nobody knows of least of all.  `worst`:
    the other way round.
    """
    ties = tie_groups(ranked)
    value = np.where(grade < 0, UNJUDGED, grade).astype(np.float64)
    topic_of = np.repeat(np.arange(len(ranked.topic)), np.diff(ranked.offsets))
    order = np.lexsort((value if worst else -value, ties.first, topic_of))
    first = ties.first[order]
    begins = heads_of_ties(first, topic_of)
    length = np.diff(np.append(begins, len(order)))
    place = np.arange(len(order)) - np.repeat(begins, length)
    unknown = ties.size[order] - np.repeat(length, length)
    rank = first + place + unknown if worst else first + place
    return replace(ranked, rank=rank, document=ranked.document[order], ties=NO_TIES)


def _check_duplicates(qrels: QrelsJudgements, topics: IntArray) -> None:
    """Raise InputError if one of the topics (T,) has a document that was judged twice."""
    twice = qrels.duplicates
    # trec_eval: only topics that are scored are looked at.
    rows = np.flatnonzero(np.isin(twice.topic, topics))
    if len(rows):
        row = int(rows[np.argmin(twice.second_line[rows])])
        document = quoted(qrels.pool.documents[int(twice.document[row])])
        topic = quoted(qrels.pool.topics[int(twice.topic[row])])
        raise InputError(
            qrels.name,
            int(twice.second_line[row]),
            f"a second judgement of document {document} for topic {topic}"
            f" (first in line {int(twice.first_line[row])})",
            "one judgement per document and topic",
            # That command takes whole grades alone.
            ""
            if qrels.grade.dtype.kind == "f"
            else "pres-eval merge FILE > NEW makes one judgement of several",
        )


MOST_RESULTS = 64
"""Things that are kept of the same topics."""


@dataclass(frozen=True, eq=False)
class JudgedTopics:
    """T topics with their judgements.

    topics  T ids
    levels, level_counts, level_offsets  as in a Batch
    made    results that depend on these alone
    """

    topics: tuple[bytes, ...]
    levels: Grades
    level_counts: IntArray
    level_offsets: IntArray
    made: Remembered = field(default_factory=partial(Remembered, MOST_RESULTS))


def judged_topics(qrels: QrelsJudgements, topics: IntArray) -> JudgedTopics:
    """Return topics of the pool (T,) with their judgements."""
    rows, offsets = consecutive(qrels.pool.offsets[topics], lengths_at(qrels.pool.offsets, topics))
    topic_of, grade = np.repeat(np.arange(len(topics)), np.diff(offsets)), wide(qrels.grade[rows])
    if qrels.kept is not None:
        kept = np.flatnonzero(qrels.kept[rows])
        topic_of, grade = topic_of[kept], grade[kept]
    levels, counts, offsets = count_levels(topic_of, grade, len(topics))
    ids = tuple(qrels.pool.topics.take(topics))
    return JudgedTopics(topics=ids, levels=levels, level_counts=counts, level_offsets=offsets)


def wide(grade: Grades) -> Grades:
    """Return (n,) the grades as doubles if they are decimal numbers, else as 64-bit whole numbers."""
    return grade if grade.dtype == np.float64 else grade.astype(np.int64)


def count_levels(topic_of: IntArray, grade: Grades, num_topics: int) -> tuple[Grades, IntArray, IntArray]:
    """Return the judgements of each grade >= 0 in T topics: levels, level_counts, level_offsets of a Batch.

    topic_of, grade  (R,) of each judgement
    """
    is_counted: BoolArray = grade >= 0
    if not is_counted.all():
        counted = np.flatnonzero(is_counted)
        grade, topic_of = grade[counted], topic_of[counted]
    whole = grade.dtype == np.int64
    width = int(grade.max(initial=0)) + 1
    if whole and width * num_topics <= 4 * len(grade) + 1024:
        # Grades are small as a rule: a table of topics by grades is filled faster than anything is sorted.
        table = np.bincount(topic_of * width + grade, minlength=width * num_topics)
        pairs: IntArray = np.flatnonzero(table)
        distinct: Grades = np.arange(width)
        counts = table[pairs]
    else:
        distinct, which = np.unique(grade, return_inverse=True)
        width = max(len(distinct), 1)
        pairs, counts = np.unique(topic_of * width + which, return_counts=True)
    level_offsets = np.searchsorted(pairs // width, np.arange(num_topics + 1))
    return distinct[pairs % width], counts.astype(np.int64), level_offsets

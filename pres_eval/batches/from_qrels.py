"""A ranking and judgements become the batch that measures see: -M, -J, -l, -c and -D happen here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pres_eval.arrays.ragged import blocks, consecutive, lengths_at
from pres_eval.arrays.types import BoolArray, Grades, IntArray
from pres_eval.batches.batch import UNJUDGED, Batch, frozen
from pres_eval.errors import InputError, quoted
from pres_eval.options import Options
from pres_eval.ranking.order import Ranked
from pres_eval.reading.pool import Pool
from pres_eval.reading.qrels import Qrels


def scored_topics(pool: Pool, ranked: Ranked, options: Options) -> tuple[IntArray, IntArray]:
    """The pool topics to score, and where each is in the ranking (-1: the run does not have it)."""
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


def form_batches(qrels: Qrels, ranked: Ranked, options: Options, size: int) -> Iterator[Batch]:
    """The topics to score with their judged documents, at most `size` topics at a time.

    Raises InputError if a topic that is scored has a document judged twice.
    """
    topics, place = scored_topics(qrels.pool, ranked, options)
    _check_duplicates(qrels, topics)
    lengths = np.zeros(len(topics), np.int64)
    lengths[place >= 0] = lengths_at(ranked.offsets, place[place >= 0])
    ends = np.concatenate(([0], np.cumsum(lengths)))
    for first, last in blocks(ends):
        for start in range(first, last, size):
            stop = min(start + size, last)
            yield _form(qrels, ranked, options, topics[start:stop], place[start:stop])


def _form(qrels: Qrels, ranked: Ranked, options: Options, topics: IntArray, place: IntArray) -> Batch:
    missing = place < 0
    there = place[~missing]
    starts, lengths = np.zeros(len(topics), np.int64), np.zeros(len(topics), np.int64)
    starts[~missing], lengths[~missing] = ranked.offsets[there], lengths_at(ranked.offsets, there)
    num_ret: IntArray = np.ones(len(topics), np.int64)
    num_ret[~missing] = ranked.num_ret[there]
    rows, offsets = consecutive(starts, lengths)
    rank, document = ranked.rank[rows].astype(np.int64), ranked.document[rows]
    grade = _wide(qrels.grade[document])
    grade[grade < 0] = UNJUDGED
    if options.max_retrieved is not None or qrels.kept is not None or options.judged_only:
        topic_of = np.repeat(np.arange(len(topics)), lengths)
        chosen = np.ones(len(rank), np.bool_)
        if options.max_retrieved is not None:
            chosen &= rank <= options.max_retrieved
            num_ret = np.minimum(num_ret, options.max_retrieved)
        if qrels.kept is not None:
            chosen &= qrels.kept[document]
        if options.judged_only:
            chosen &= grade >= 0
        kept = np.flatnonzero(chosen)
        rank, grade, topic_of = rank[kept], grade[kept], topic_of[kept]
        offsets = np.searchsorted(kept, offsets)
        counts = np.diff(offsets)
        if options.judged_only:
            rank = np.arange(1, len(rank) + 1) - offsets[:-1][topic_of]
            num_ret = counts
    levels, level_counts, level_offsets = _levels(qrels, topics)
    return frozen(
        Batch(
            topics=_ids(qrels.pool, topics),
            num_ret=num_ret,
            offsets=offsets,
            rank=rank,
            grade=grade,
            levels=levels,
            level_counts=level_counts,
            level_offsets=level_offsets,
            missing=missing,
            relevance_level=options.relevance_level,
            num_docs_in_coll=options.num_docs_in_coll,
            version=options.version,
        )
    )


def _wide(grade: Grades) -> Grades:
    """The grades as doubles if they are decimal numbers, else as 64-bit whole numbers."""
    return grade if grade.dtype == np.float64 else grade.astype(np.int64)


def _ids(pool: Pool, topics: IntArray) -> tuple[bytes, ...]:
    return tuple(pool.topics.take(topics))


def _check_duplicates(qrels: Qrels, topics: IntArray) -> None:
    twice = qrels.duplicates
    if not len(twice.topic):
        return
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
        )


def _levels(qrels: Qrels, topics: IntArray) -> tuple[Grades, IntArray, IntArray]:
    """For each topic its grades >= 0 in ascending order, and how many documents have each."""
    pool = qrels.pool
    rows, offsets = consecutive(pool.offsets[topics], lengths_at(pool.offsets, topics))
    grade = _wide(qrels.grade[rows])
    topic_of: IntArray = np.repeat(np.arange(len(topics)), np.diff(offsets))
    is_counted: BoolArray = grade >= 0
    if qrels.kept is not None:
        is_counted &= qrels.kept[rows]
    if not is_counted.all():
        counted = np.flatnonzero(is_counted)
        grade, topic_of = grade[counted], topic_of[counted]
    whole = grade.dtype == np.int64
    width = int(grade.max(initial=0)) + 1
    if whole and width * len(topics) <= 4 * len(qrels.grade) + 1024:
        # Grades are small as a rule: a table of topics by grades is filled faster than anything is sorted.
        table = np.bincount(topic_of * width + grade, minlength=width * len(topics))
        pairs: IntArray = np.flatnonzero(table)
        distinct: Grades = np.arange(width)
        counts = table[pairs]
    else:
        distinct, which = np.unique(grade, return_inverse=True)
        width = max(len(distinct), 1)
        pairs, counts = np.unique(topic_of * width + which, return_counts=True)
    level_offsets = np.searchsorted(pairs // width, np.arange(len(topics) + 1))
    return distinct[pairs % width], counts.astype(np.int64), level_offsets

"""Topics as batches have them: which are scored, the places and ties of their documents, their judgements."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial

import numpy as np

from pres_eval.arrays import (
    AnyArray,
    BoolArray,
    FloatArray,
    Grades,
    IntArray,
    accumulate,
    lengths_at,
    rows_or_slice,
)
from pres_eval.options import Options
from pres_eval.ranking.ranked import NO_TIES, Ranked, only
from pres_eval.reading.judgements.pool import Pool, Remembered
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.records import dataclass

UNJUDGED = -2
"""Grade of a document that is in the pool but was not judged (any negative relevance in the qrels)."""

MOST_RESULTS = 64
"""Results that are remembered of the same topics."""


def scored_topics(pool: Pool, ranked: Ranked, options: Options) -> tuple[IntArray, IntArray]:
    """Return the pool's topics to score (T,), and where each is in the ranking (T,), -1 if it is missing."""
    topics: IntArray = ranked.topic
    run_rows: IntArray = np.arange(len(topics))
    if options.complete and options.version.scores_missing_topics:
        topics = np.arange(len(pool.topics))
        run_rows = np.full(len(topics), -1)
        run_rows[ranked.topic] = np.arange(len(ranked.topic))
    if options.only_topic is not None:
        chosen = np.array([pool.topics[topic] == options.only_topic for topic in topics.tolist()], np.bool_)
        topics = topics[chosen]
        run_rows = run_rows[chosen]
    return topics, run_rows


def rows_of(values: AnyArray | None, rows: IntArray | slice) -> AnyArray | None:
    """Return some rows (n,) of optional values, None where there are none."""
    return None if values is None else values[rows]


def take_topics(ranked: Ranked, run_rows: IntArray) -> Ranked:
    """Return the topics at `run_rows` (T,); those at -1, which the run lacks, have one document."""
    if len(run_rows) == len(ranked.topic) and (run_rows == np.arange(len(run_rows))).all():
        return ranked
    # trec_eval: a topic that the run lacks is scored as one document that nobody judged.
    in_run = np.flatnonzero(run_rows >= 0)
    rows_in_run = run_rows[in_run]
    num_ret: IntArray = np.ones(len(run_rows), np.int64)
    num_ret[in_run] = ranked.num_ret[rows_in_run]
    starts = np.zeros(len(run_rows), np.int64)
    lengths = np.zeros(len(run_rows), np.int64)
    starts[in_run] = ranked.offsets[rows_in_run]
    lengths[in_run] = lengths_at(ranked.offsets, rows_in_run)
    rows, offsets = rows_or_slice(starts, lengths)
    return Ranked(
        topic=run_rows,
        num_ret=num_ret,
        offsets=offsets,
        rank=ranked.rank[rows],
        document=ranked.document[rows],
        ties=ranked.ties.among(rows),
    )


def cut_to_depth(ranked: Ranked, most: int, *, whole_ties: bool = False) -> Ranked:
    """Return S ranked topics after -M: their first `most` documents.

    `whole_ties`: all documents of a tie that begins among these are kept, as in some order each is seen.
    """
    rank = tie_groups(ranked).first if whole_ties else ranked.rank
    return only(replace(ranked, num_ret=np.minimum(ranked.num_ret, most)), np.flatnonzero(rank <= most))


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """Some documents of T topics, to be counted and added up down to many ranks.

    rows     (R,) which of the batch's documents they are, ascending
    offsets  (T+1,) where each topic's begin
    keys     (R,) topic * width + rank, ascending
    width    more than any rank
    """

    rows: IntArray
    offsets: IntArray
    keys: IntArray
    width: int

    def values_of(self, values: AnyArray) -> AnyArray:
        """Return those of the batch's values (D,) that are of these documents: (R,)."""
        return values if len(self.rows) == len(values) else values[self.rows]

    def within(self, rank: int | IntArray) -> IntArray:
        """Count the documents of each topic down to a rank.

        One rank for all or one a topic (T,) gives (T,); several for all (C, 1) give (C, T).
        """
        below = np.arange(len(self.offsets) - 1) * self.width
        last_keys = below + np.minimum(rank, self.width - 1)
        ends = np.searchsorted(self.keys, last_keys, "right")
        return ends - self.offsets[:-1]

    def running(self, values: FloatArray) -> FloatArray:
        """Return running sums (R+1,) of the documents' values, in order in each topic; then a 0, for `at`."""
        return np.concatenate((accumulate(np.add, values, self.offsets), [0.0]))

    def at(self, running: FloatArray, count: IntArray) -> FloatArray:
        """Return running sums over the first `count` documents of each topic, (T,) or (C, T).

        running  (R+1,) as `running` returns them
        """
        # Of no documents the sum is the 0 at the end.
        last_row = self.offsets[:-1] + count - 1
        return running.take(np.where(count > 0, last_row, -1))


def heads_of_ties(first: IntArray, topic_of: IntArray) -> IntArray:
    """Return the documents (G,) that begin ties, of n in rank order.

    first, topic_of  (n,) the rank at which the tie of each begins, and its topic
    """
    is_other_tie = np.diff(first, prepend=-1) != 0
    is_other_topic = np.diff(topic_of, prepend=-1) != 0
    return np.flatnonzero(is_other_tie | is_other_topic)


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The group of equal scores of each of D documents: of one document where there is no tie.

    first  (D,) the rank at which the group begins
    size   (D,) documents in it, judged or not
    """

    first: IntArray
    size: IntArray

    def take(self, rows: slice) -> TieGroups:
        """Return the groups of some of the documents, of which none was split."""
        return TieGroups(self.first[rows], self.size[rows])

    def among(self, rows: IntArray, offsets: IntArray) -> TieGroups:
        """Return the groups with only these documents (K,); topics begin at offsets (T+1,) in them."""
        topic_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        begins = heads_of_ties(self.first[rows], topic_of)
        size = np.diff(np.append(begins, len(rows)))
        first_rank = begins - offsets[topic_of[begins]] + 1
        return TieGroups(np.repeat(first_rank, size), np.repeat(size, size))


def tie_groups(ranked: Ranked) -> TieGroups:
    """Return the group of equal scores of each of the D documents."""
    first = ranked.rank.astype(np.int64)
    size = np.ones(len(ranked.rank), np.int64)
    first[ranked.ties.document] = ranked.ties.first
    size[ranked.ties.document] = ranked.ties.size
    return TieGroups(first, size)


def by_grade(ranked: Ranked, grade: Grades, *, worst: bool) -> Ranked:
    """Return the same topics with the documents of each tie sorted by their grades (D,), descending.

    Documents in the pool without judgement come after all grades, and those that are not in the pool last.
    `worst`: the other way round.
    """
    ties = ranked.ties
    rows = ranked.ties.document
    grade_in_tie = np.where(grade[rows] < 0, UNJUDGED, grade[rows]).astype(np.float64)
    topic_of = np.repeat(np.arange(len(ranked.topic)), np.diff(ranked.offsets))[rows]
    order = np.lexsort((grade_in_tie if worst else -grade_in_tie, ties.first, topic_of))
    # Ties keep their places, only the documents in them move.
    begins = heads_of_ties(ties.first, topic_of)
    num_known = np.diff(np.append(begins, len(rows)))  # documents of the pool in each tie
    number_in_tie = np.arange(len(rows)) - np.repeat(begins, num_known)
    rank = ranked.rank.astype(np.int64)
    rank[rows] = ties.first + number_in_tie
    if worst:  # documents that are not in the pool come first in their tie
        num_unknown = ties.size - np.repeat(num_known, num_known)
        rank[rows] += num_unknown
    document = ranked.document.copy()
    document[rows] = document[rows[order]]
    return replace(ranked, rank=rank, document=document, ties=NO_TIES)


@dataclass(frozen=True, eq=False)
class JudgedTopics:
    """T topics with their judgements.

    topics  T ids
    levels, level_counts, level_offsets  as in a Batch
    results  values of measures that need the judgements alone
    """

    topics: tuple[bytes, ...]
    levels: Grades
    level_counts: IntArray
    level_offsets: IntArray
    results: Remembered = field(default_factory=partial(Remembered, MOST_RESULTS))


def judged_topics(qrels: QrelsJudgements, topics: IntArray) -> JudgedTopics:
    """Return topics of the pool (T,) with their judgements."""
    rows, offsets = rows_or_slice(qrels.pool.offsets[topics], lengths_at(qrels.pool.offsets, topics))
    topic_of = np.repeat(np.arange(len(topics)), np.diff(offsets))
    grade = wide(qrels.grade[rows])
    if qrels.kept is not None:
        used = np.flatnonzero(qrels.kept[rows])
        topic_of = topic_of[used]
        grade = grade[used]
    levels, counts, offsets = count_levels(topic_of, grade, len(topics))
    ids = tuple(qrels.pool.topics.take(topics))
    return JudgedTopics(topics=ids, levels=levels, level_counts=counts, level_offsets=offsets)


def wide(grade: Grades) -> Grades:
    """Return (n,) the grades as doubles if they are decimal numbers, else as 64-bit whole numbers."""
    return grade if grade.dtype == np.float64 else grade.astype(np.int64)


def count_levels(topic_of: IntArray, grade: Grades, num_topics: int) -> tuple[Grades, IntArray, IntArray]:
    """Return the judgements of each grade >= 0 in T topics: levels, level_counts, level_offsets of a Batch.

    topic_of, grade  (R,) of each judgement
    Of topics 0, 0, 0, 1 and grades 2, 0, 2, 1 the levels are 0, 2, 1, their counts 1, 2, 1, offsets 0, 2, 3.
    """
    is_counted: BoolArray = grade >= 0
    if not is_counted.all():
        counted = np.flatnonzero(is_counted)
        grade = grade[counted]
        topic_of = topic_of[counted]
    # A topic and a grade are one number, topic * width + index of the grade, which ascends with both.
    is_whole = grade.dtype == np.int64
    width = int(grade.max(initial=0)) + 1
    if is_whole and width * num_topics <= 4 * len(grade) + 1024:
        # Grades are small as a rule: a table of topics by grades is filled faster than anything is sorted.
        table = np.bincount(topic_of * width + grade, minlength=width * num_topics)
        keys: IntArray = np.flatnonzero(table)
        distinct_grades: Grades = np.arange(width)
        counts = table[keys]
    else:
        distinct_grades, grade_index = np.unique(grade, return_inverse=True)
        width = max(len(distinct_grades), 1)
        keys, counts = np.unique(topic_of * width + grade_index, return_counts=True)
    level_offsets = np.searchsorted(keys // width, np.arange(num_topics + 1))
    return distinct_grades[keys % width], counts.astype(np.int64), level_offsets

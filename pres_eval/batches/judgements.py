"""Facts of a batch's topics that need no run, kept for the next run with the same topics.

Whoever trains or compares evaluates many runs against the same judgements, and nearly always they have the
same topics: grades are counted and best rankings made once for all of them.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial

import numpy as np

from pres_eval.arrays.ragged import consecutive, lengths_at
from pres_eval.arrays.remembered import Remembered
from pres_eval.arrays.types import BoolArray, Grades, IntArray
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.records import dataclass

MOST_RESULTS = 64
"""Things that are kept of the same topics."""


@dataclass(frozen=True, eq=False)
class JudgedTopics:
    """T topics with what is judged of them.

    topics  T ids
    levels, level_counts, level_offsets  as in a Batch
    made    what was made of these alone
    """

    topics: tuple[bytes, ...]
    levels: Grades
    level_counts: IntArray
    level_offsets: IntArray
    made: Remembered = field(default_factory=partial(Remembered, MOST_RESULTS))


def judged_topics(qrels: QrelsJudgements, topics: IntArray) -> JudgedTopics:
    """Topics of the pool (T,) with what is judged of them."""
    size = len(topics) + int(np.append(0, lengths_at(qrels.pool.offsets, topics)).cumsum()[-1])
    return qrels.topics_seen.get(topics.tobytes(), size, partial(_judged_topics, qrels, topics))


def _judged_topics(qrels: QrelsJudgements, topics: IntArray) -> JudgedTopics:
    """The same of topics (T,) that were not seen before."""
    rows, offsets = consecutive(qrels.pool.offsets[topics], lengths_at(qrels.pool.offsets, topics))
    topic_of, grade = np.repeat(np.arange(len(topics)), np.diff(offsets)), wide(qrels.grade[rows])
    if qrels.kept is not None:
        kept = np.flatnonzero(qrels.kept[rows])
        topic_of, grade = topic_of[kept], grade[kept]
    levels, counts, offsets = count_levels(topic_of, grade, len(topics))
    ids = tuple(qrels.pool.topics.take(topics))
    return JudgedTopics(topics=ids, levels=levels, level_counts=counts, level_offsets=offsets)


def wide(grade: Grades) -> Grades:
    """(n,) the grades as doubles if they are decimal numbers, else as 64-bit whole numbers."""
    return grade if grade.dtype == np.float64 else grade.astype(np.int64)


def count_levels(topic_of: IntArray, grade: Grades, num_topics: int) -> tuple[Grades, IntArray, IntArray]:
    """The judgements of each grade >= 0 in each of T topics: levels, level_counts, level_offsets of a Batch.

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

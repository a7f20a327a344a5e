"""The ranker: rows of any origin become ranks."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from pres_eval.arrays import (
    BLOCK_ROWS,
    AnyInts,
    IntArray,
    TopicNumbers,
    blocks,
    changed,
    has_equal,
    rows_of_stretches,
    rows_or_slice,
    stable_order,
)
from pres_eval.engines.threads import in_order
from pres_eval.options import ERROR_OF_DUPLICATES, Options
from pres_eval.ranking.parts import Rows, joined_topics
from pres_eval.ranking.ranked import Ranked, Scores
from pres_eval.ranking.whole_topics import rank_topics
from pres_eval.reading.blocks import Block, Documents, MatchingDocuments
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.records import dataclass

LARGEST_INT32 = 2**31 - 1
"""Rows that numbers of 32 bits can count."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranker:
    """Ranker of rows whose topics are known; its state never changes, so that any thread may call it.

    pool        the judged documents
    single_precision
                whether scores are kept in 32 bits
    ascending   whether equal scores go by docno ascending, not descending
    most        documents that are retrieved for a topic at most (-M); None: all
    duplicates  which row counts of a document that a topic has twice: a value of --duplicates, or KEEP_RANKS
    """

    pool: Pool
    single_precision: bool
    ascending: bool
    most: int | None = None
    duplicates: str = ERROR_OF_DUPLICATES

    @classmethod
    def for_judgements(cls, judged: Relevance, options: Options, duplicates: str | None = None) -> Ranker:
        """Return the ranker for judgements and options; `duplicates`: a rule instead of the options'."""
        if duplicates is None:
            duplicates = options.duplicates
        return cls(
            pool=judged.pool,
            single_precision=options.version.single_precision_scores,
            ascending=judged.ties_ascending,
            most=options.max_retrieved,
            duplicates=duplicates,
        )

    def ranked(self, block: Block, topic: AnyInts, jobs: int = 1, checks: bool = True) -> Ranked:
        """Return the ranks of a block that has all rows of its topics, in whatever order.

        topic   (G,) the topic of each group as an index of the pool's, -1 for one that is left out
        jobs    how many threads rank
        checks  whether documents that nobody judged are errors, too, if they come twice
        Raises DuplicateRowError.
        """
        topic_rows = _by_topic(topic, block.lengths)
        return self._ranked(topic_rows, self.cast(block.numbers), block.documents, jobs, checks)

    def ranked_rows(self, rows: Rows, jobs: int, checks: bool = True) -> Ranked:
        """Return the ranks of rows that were kept, in whatever order.  Raises DuplicateRowError."""
        is_head = changed(rows.topic)
        if 2 * np.count_nonzero(is_head) > len(rows.topic):  # few rows are beside others of their topic
            topic_rows = _rows_by_topic(rows.topic)
        else:
            heads = np.flatnonzero(is_head)
            topic_rows = _by_topic(rows.topic[heads], np.diff(heads, append=len(rows.topic)))
        return self._ranked(topic_rows, self.cast(rows.scores), rows.documents, jobs, checks)

    def _ranked(
        self, topic_rows: _TopicRows, scores: Scores, documents: Documents, jobs: int, checks: bool
    ) -> Ranked:
        """Return the ranks of topics, some at a time; scores and documents (N,) are those of all rows."""
        offsets = np.concatenate(([0], np.cumsum(topic_rows.lengths)))

        def rank_some(span: tuple[int, int]) -> Ranked:
            """Return the ranks of the topics from one number to another."""
            first, last = span
            topic = topic_rows.topic[first:last]
            begin, end = int(offsets[first]), int(offsets[last])
            rows = topic_rows.between(begin, end)
            if isinstance(documents, MatchingDocuments):
                documents_of_topics: Documents = documents.select(rows)
            else:
                documents_of_topics = documents.take(rows)
            return rank_topics(
                self.pool,
                topic,
                offsets[first : last + 1] - begin,
                scores[rows],
                documents_of_topics,
                self.most,
                ascending=self.ascending,
                duplicates=self.duplicates,
                checks=checks,
            )

        parts = in_order(rank_some, blocks(offsets), jobs)
        return joined_topics(list(parts))

    def cast(self, scores: Any) -> Scores:
        """Return the scores (N,) as trec_eval keeps them: in single precision, or as they are."""
        if not self.single_precision:
            return cast(Scores, scores)
        with np.errstate(over="ignore"):
            # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
            return cast(Scores, scores.astype(np.float32, copy=False))


@dataclass(frozen=True, eq=False)
class _TopicRows:
    """The rows of S topics, each of which is there once.

    topic    (S,) indices of the pool's topics
    lengths  (S,) how many rows each has
    rows     (N,) the rows of the first topic, then those of the next; a slice where they follow each other
    """

    topic: IntArray
    lengths: IntArray
    rows: AnyInts | slice

    def between(self, begin: int, end: int) -> IntArray | slice:
        """Return rows[begin:end] (n,)."""
        if isinstance(self.rows, slice):
            first = self.rows.start
            return slice(first + begin, first + end)
        return self.rows[begin:end].astype(np.int64, copy=False)


def _by_topic(topic: AnyInts, lengths: IntArray) -> _TopicRows:
    """Return the rows of judged topics, of which groups of rows (G,) are known that follow each other.

    topic, lengths  (G,) the topic of each group, -1 for one that is not judged, and how many rows it has
    """
    starts = np.cumsum(lengths) - lengths
    if (topic < 0).any():
        judged = np.flatnonzero(topic >= 0)
        topic, lengths, starts = topic[judged], lengths[judged], starts[judged]
    if not has_equal(topic):
        rows, _ = rows_or_slice(starts, lengths)
        return _TopicRows(topic.astype(np.int64, copy=False), lengths, rows)
    num_groups = np.bincount(topic)  # by topic
    order = stable_order(topic, len(num_groups))
    rows_by_topic, offsets = rows_of_stretches(starts[order], lengths[order])
    topics = np.flatnonzero(num_groups)
    ends = offsets[np.cumsum(num_groups[topics])]
    return _TopicRows(topics, np.diff(ends, prepend=0), rows_by_topic)


def _rows_by_topic(topic: TopicNumbers) -> _TopicRows:
    """Return the rows of topics that are in no order; topic (N,) of each row.

    Some rows at a time take their places behind those of the same topic, so that a row needs four bytes:
    of topics 5, 3, 5, 3, 3 the rows are 1, 3, 4 and 0, 2.
    """
    num_rows = np.zeros(int(topic.max()) + 1, np.int64)  # by topic
    for begin in range(0, len(topic), BLOCK_ROWS):
        num_rows += np.bincount(topic[begin : begin + BLOCK_ROWS], minlength=len(num_rows))
    next_place = np.cumsum(num_rows) - num_rows  # of the topic's next row among all
    row_type = np.int32 if len(topic) < LARGEST_INT32 else np.int64
    rows: AnyInts = np.empty(len(topic), row_type)
    for begin in range(0, len(topic), BLOCK_ROWS):
        part = topic[begin : begin + BLOCK_ROWS]
        order = stable_order(part, len(num_rows))
        heads = np.flatnonzero(changed(part[order]))
        lengths = np.diff(heads, append=len(part))
        topics = part[order[heads]]
        row_places = np.repeat(next_place[topics] - heads, lengths) + np.arange(len(part))
        rows[row_places] = begin + order
        next_place[topics] += lengths
    topics_with_rows = np.flatnonzero(num_rows)
    return _TopicRows(topics_with_rows, num_rows[topics_with_rows], rows)

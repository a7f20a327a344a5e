"""The ranker: rows of any origin become ranks."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from pres_eval.arrays import (
    NO_IDS,
    AnyInts,
    IntArray,
    blocks,
    changed,
    consecutive,
    has_equal,
    ragged,
    stable_order,
)
from pres_eval.engines.threads import in_order
from pres_eval.options import ERROR, Options
from pres_eval.ranking.parts import Rows, joined_topics
from pres_eval.ranking.ranked import Ranked, Scores
from pres_eval.ranking.whole_topics import rank_topics
from pres_eval.reading.blocks import Block
from pres_eval.reading.pool import Pool
from pres_eval.reading.relevance import Relevance
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranker:
    """Ranker of rows whose topics are known; its state never changes, so that any thread may call it.

    pool        the judged documents
    single      whether scores are kept in 32 bits
    ascending   whether equal scores go by docno ascending, not descending
    most        -M
    duplicates  which row counts of a document that a topic has twice
    """

    pool: Pool
    single: bool
    ascending: bool
    most: int | None = None
    duplicates: str = ERROR

    @classmethod
    def of(cls, judged: Relevance, options: Options, duplicates: str | None = None) -> Ranker:
        """Return the ranker for judgements and options; `duplicates`: a rule instead of the options'."""
        return cls(
            pool=judged.pool,
            single=options.version.single_precision_scores,
            ascending=judged.ties_ascending,
            most=options.max_retrieved,
            duplicates=options.duplicates if duplicates is None else duplicates,
        )

    def ranked(self, block: Block, topic: AnyInts, jobs: int = 1, checks: bool = True) -> Ranked:
        """Rank the rows of a block that has all rows of its topics, in whatever order.

        topic   (G,) the topic of each group as an index of the pool's, -1 for one that is left out
        checks  whether documents that nobody judged are errors, too, if they come twice
        Raises DuplicateRowError.
        """
        topics, lengths, rows = _by_topic(topic, block.lengths)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        scores = self.cast(block.numbers)

        def rank_some(span: tuple[int, int]) -> Ranked:
            """Return the ranks of the topics from one number to another."""
            first, last = span
            begin, end = int(offsets[first]), int(offsets[last])
            chosen = (
                slice(begin + rows.start, end + rows.start) if isinstance(rows, slice) else rows[begin:end]
            )
            return rank_topics(
                self.pool,
                topics[first:last],
                offsets[first : last + 1] - offsets[first],
                scores[chosen],
                block.documents.take(chosen),
                self.most,
                ascending=self.ascending,
                duplicates=self.duplicates,
                checks=checks,
            )

        return joined_topics(list(in_order(rank_some, blocks(offsets), jobs)))

    def ranked_rows(self, rows: Rows, jobs: int, checks: bool = True) -> Ranked:
        """Rank rows that were kept, in whatever order they came.  Raises DuplicateRowError."""
        first = np.flatnonzero(changed(rows.topic))
        if 2 * len(first) > len(rows.topic):  # in no order: each row is a group
            topic, lengths = rows.topic, np.broadcast_to(np.int64(1), len(rows.topic))
        else:
            topic, lengths = rows.topic[first], np.diff(first, append=len(rows.topic))
        block = Block(topics=NO_IDS, lengths=lengths, documents=rows.documents, numbers=rows.scores)
        return self.ranked(block, topic, jobs, checks)

    def cast(self, scores: Any) -> Scores:
        """Return the scores (N,) as trec_eval keeps them: in single precision, or as they are."""
        if not self.single:
            return cast(Scores, scores)
        with np.errstate(over="ignore"):
            # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
            return cast(Scores, scores.astype(np.float32))


def _by_topic(topic: AnyInts, lengths: IntArray) -> tuple[IntArray, IntArray, IntArray | slice]:
    """Return the judged topics of groups (G,), each once (S,), how many rows they have (S,), and which."""
    judged = np.flatnonzero(topic >= 0)
    starts = judged if (lengths == 1).all() else (np.cumsum(lengths) - lengths)[judged]
    if len(judged) < len(topic):
        topic, lengths = topic[judged], lengths[judged]
    if not has_equal(topic):
        return topic.astype(np.int64, copy=False), lengths, consecutive(starts, lengths)[0]
    counts = np.bincount(topic)
    order = stable_order(topic, len(counts))
    topics = np.flatnonzero(counts)
    counts = counts[topics]
    if starts is judged:  # rows in no order: each is a group
        return topics, counts, order if judged[-1] == len(judged) - 1 else judged[order]
    rows, offsets = ragged(starts[order], lengths[order])
    return topics, np.diff(offsets[np.cumsum(counts)], prepend=0), rows

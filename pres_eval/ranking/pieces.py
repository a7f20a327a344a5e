"""A chunk of a run, and what is kept of it: ranks where its topics are whole, else rows or their keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays.ordering import changes, has_equal
from pres_eval.arrays.types import IntArray, Words
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.ranking.counted import Counted, tied_rows
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.finder import Finder
from pres_eval.ranking.opening import DOCNO, TOPIC, Opening, opening_of
from pres_eval.ranking.order import rank_topics
from pres_eval.ranking.ranked import Ranked, Scores, in_precision
from pres_eval.ranking.scattered import Rows
from pres_eval.reading.cutting import Cut, ScatteredError
from pres_eval.reading.lines import RUN, parse_lines
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import Chunk
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class Piece:
    """What is kept of one chunk."""

    chunk: Chunk
    ends_whole: bool
    facts: Facts
    opening: Opening | None
    topics: IntArray
    unjudged: WordIds = NO_IDS
    ranked: Ranked | None = None
    rows: Rows | None = None
    counted: Counted | None = None

    @property
    def num_lines(self) -> int:
        """Lines of the chunk."""
        return self.facts.num_lines


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads chunks of one run; has no state, so that any thread may call it.

    pool, ascending  the judged documents; equal scores go by docno ascending, not descending
    single           scores are kept in 32 bits
    most             -M
    only             the one topic that is wanted, None for all
    duplicates       which row counts of a document that is there twice
    finder           finds judged documents; None where rows are kept
    ties             the place keys of the ties of which rows are kept; None for all rows
    """

    pool: Pool
    single: bool
    most: int | None
    ascending: bool
    duplicates: str
    finder: Finder | None = None
    ties: Words | None = None
    only: int | None = None

    def piece(self, cut: Cut) -> Piece:
        """Parse a chunk; rank its topics if all of them are whole, otherwise keep their rows."""
        lines = parse_lines(cut.chunk, RUN).checked()
        piece = Piece(
            chunk=cut.chunk,
            ends_whole=cut.ends_whole,
            facts=Facts.of(lines),
            opening=opening_of(lines) if cut.first else None,
            topics=np.zeros(0, np.int64),
        )
        if not len(lines):
            return piece
        topic_ids = lines.column(TOPIC)
        first = changes(topic_ids)
        # Where lines are in no order, few neighbours have the same topic.
        alone = len(first) == len(topic_ids) or (self.finder is not None and 2 * len(first) > len(topic_ids))
        segments = topic_ids if alone else topic_ids.take(first)
        topics = self.pool.find_topics(segments)
        lengths = np.diff(np.arange(len(lines) + 1) if alone else np.append(first, len(lines)))
        ids, kept = lines.column(DOCNO), in_precision(lines.numbers, self.single)
        del lines, topic_ids  # what is large and not needed any more makes room
        unjudged = segments.take(np.flatnonzero(topics < 0))
        if self.only is not None:
            # trec_eval: the other topics are not looked at, so that no document there is one too many.
            topics = np.where(topics == self.only, topics, -1)
        if (topics < 0).any():
            # numpy takes rows by their numbers much faster than by a mask.
            chosen = np.flatnonzero(topics >= 0)
            rows = chosen if alone else np.flatnonzero(np.repeat(topics >= 0, lengths))
            ids, kept = ids.take(rows), kept[rows]
            topics, lengths = topics[chosen], lengths[chosen]
        piece = replace(piece, unjudged=WordIds.of(unjudged) if len(unjudged) else NO_IDS, topics=topics)
        if cut.whole_topics:
            words = WordIds.of(ids)
            del ids
            return replace(piece, ranked=self._ranked(topics, lengths, kept, words))
        topic = topics.astype(np.int32)
        topic = topic if alone else np.repeat(topic, lengths)
        if self.finder is not None:
            counted = Counted.of(self.finder, topic, kept, ids, look_for_ties=cut.first)
            return replace(piece, counted=counted)
        if self.ties is not None:
            return replace(piece, rows=tied_rows(self.ties, len(self.pool.topics), topic, kept, ids))
        return replace(piece, rows=Rows(topic, kept, WordIds.of(ids)))

    def _ranked(self, topics: IntArray, lengths: IntArray, scores: Scores, ids: WordIds) -> Ranked:
        """Rank the whole topics (S,) of a chunk, of which each has so many rows (S,)."""
        if has_equal(topics):
            raise ScatteredError
        return rank_topics(
            self.pool,
            topics,
            np.concatenate(([0], np.cumsum(lengths))),
            scores,
            ids,
            self.most,
            ascending=self.ascending,
            duplicates=self.duplicates,
        )

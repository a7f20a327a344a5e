"""The ranker: rows of any origin become ranks, or parts kept until they can be ranked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pres_eval.arrays import (
    NO_IDS,
    AnyInts,
    Ids,
    IntArray,
    TopicNumbers,
    blocks,
    changed,
    consecutive,
    has_equal,
    ragged,
    stable_order,
)
from pres_eval.engines.threads import in_order
from pres_eval.options import BEST_SCORE, ERROR, Options
from pres_eval.ranking.parts import Facts, RankedPart, Rows, RowsPart, joined_topics
from pres_eval.ranking.ranked import Ranked, Scores
from pres_eval.ranking.whole_topics import KEEP_RANKS, rank_topics
from pres_eval.reading.blocks import Block
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import Chunk
from pres_eval.reading.lines import DOCNO, RUN, TOPIC, Lines, parse_lines
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from pres_eval.reading.relevance import Relevance
    from pres_eval.reading.rewriting import Rewriting


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranker:
    """Ranker of a run; its state never changes, so that any thread may call it.

    pool, ascending  the judged documents; equal scores go by docno ascending, not descending
    single           scores are kept in 32 bits
    most             -M
    only             the one topic that is wanted, None for all
    duplicates       which row counts of a document that a topic has twice
    checks           whether documents that nobody judged are errors if they come twice in rows in any order
    rewriting        the mapping of documents before they are ranked
    once             whether a document that a topic has twice before it is mapped is an error
    """

    pool: Pool
    single: bool
    ascending: bool
    most: int | None = None
    only: int | None = None
    duplicates: str = ERROR
    checks: bool = True
    rewriting: Rewriting | None = None
    once: bool = False

    @classmethod
    def of(cls, judged: Relevance, options: Options, checks: bool = True) -> Ranker:
        """Return the ranker for judgements and options."""
        only = options.only_topic
        duplicates, rewriting = options.duplicates, judged.rewriting
        if rewriting is not None and rewriting.mapping is not None:
            # What was mapped comes again and again: the document's first place counts.
            duplicates = BEST_SCORE if duplicates == ERROR else duplicates
            duplicates = duplicates if rewriting.dense else KEEP_RANKS
            checks = True
        return cls(
            pool=judged.pool,
            single=options.version.single_precision_scores,
            ascending=judged.ties_ascending,
            most=options.max_retrieved,
            only=None if only is None else int(judged.pool.find_topics(Ids.from_texts([only]))[0]),
            duplicates=duplicates,
            rewriting=rewriting,
            checks=checks,
            once=duplicates != options.duplicates == ERROR,
        )

    def ranked_part(self, piece: Chunk | Block) -> RankedPart:
        """Return the ranks of a chunk or a block whose topics are whole, each in one place.

        Raises LineError for a malformed line, DuplicateRowError, ScatteredError for a topic that comes twice.
        """
        rewritten = self._rewritten(piece, each_row_alone=False)
        block = rewritten.block
        topic = self.pool.find_topics(block.topics)
        unjudged = block.topics.take(np.flatnonzero(topic < 0))
        topic = self._wanted(topic)
        if has_equal(topic[topic >= 0]):
            raise ScatteredError
        if self.once and rewritten.as_written is not None:
            self.unmapped().ranked(rewritten.as_written, topic)
        return RankedPart(facts=rewritten.facts, unjudged=unjudged, ranked=self.ranked(block, topic))

    def rows_part(self, piece: Chunk | Block) -> RowsPart:
        """Return the rows of judged topics of a chunk or a block.  Raises LineError for a malformed line."""
        rewritten = self._rewritten(piece, each_row_alone=True)
        block = rewritten.block
        topic = self.pool.find_topics(block.topics)
        unjudged = block.topics.take(np.flatnonzero(topic < 0))
        rows, topic_of = _judged_rows(self._wanted(topic), block.lengths)
        kept_rows = Rows(topic_of, self.cast(block.numbers)[rows], block.documents.take(rows))
        return RowsPart(facts=rewritten.facts, unjudged=unjudged, rows=kept_rows)

    def _rewritten(self, piece: Chunk | Block, *, each_row_alone: bool) -> _Rewritten:
        """Return the rows of a chunk or a block, as they are mapped, without excluded ones.

        each_row_alone  whether each row may be a group of its own
        """
        if isinstance(piece, Block):
            block, facts = piece, Facts(num_rows=len(piece.numbers))
        else:
            lines = parse_lines(piece, RUN).checked()
            block, facts = _block_of_lines(lines, each_row_alone), Facts.of(lines)
        if self.rewriting is None or not len(block.numbers):
            return _Rewritten(block, facts)
        block, written, num_mapped, num_excluded = self.rewriting.of_run(block)
        facts = replace(facts, num_mapped=num_mapped, num_excluded=num_excluded)
        return _Rewritten(block, facts, replace(block, documents=written))

    def _wanted(self, topic: IntArray) -> IntArray:
        """Return topics (G,) with -1 for those that -D leaves out."""
        if self.only is None:
            return topic
        # trec_eval: the other topics are not looked at, so that no document there is one too many.
        return np.where(topic == self.only, topic, -1)

    def ranked_block(self, block: Block, jobs: int = 1) -> RankedPart:
        """Return the ranks of a run that is a single block, its topics in any order.

        Raises DuplicateRowError.
        """
        rewritten = self._rewritten(block, each_row_alone=False)
        topic = self.pool.find_topics(rewritten.block.topics)
        unjudged = rewritten.block.topics.take(np.flatnonzero(topic < 0))
        topic = self._wanted(topic)
        if self.once and rewritten.as_written is not None:
            self.unmapped().ranked(rewritten.as_written, topic, jobs)
        ranked = self.ranked(rewritten.block, topic, jobs)
        return RankedPart(facts=rewritten.facts, unjudged=unjudged, ranked=ranked)

    def unmapped(self) -> Ranker:
        """Return the ranker of the same documents as they are before they are mapped, each once a topic."""
        return replace(self, rewriting=None, duplicates=ERROR, once=False)

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


@dataclass(frozen=True, eq=False)
class _Rewritten:
    """Rows with the facts of their lines.

    as_written  the same rows with their documents before these were mapped; None where nothing is mapped
    """

    block: Block
    facts: Facts
    as_written: Block | None = None


@dataclass(frozen=True, eq=False)
class _DocumentsOfLines:
    """The documents of lines, of which only those that are taken are read."""

    lines: Lines

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        starts, ends = self.lines.fields.column(DOCNO)
        return Ids.from_buffer(self.lines.chunk.array(), starts[rows], ends[rows])


def _block_of_lines(lines: Lines, each_row_alone: bool) -> Block:
    """Return the rows of lines; where lines are in no order, each row may be a group of its own."""
    ids = lines.column(TOPIC) if len(lines) else NO_IDS
    first = ids.heads()
    # Few neighbours have the same topic then.
    is_alone = len(first) == len(ids) or (each_row_alone and 2 * len(first) > len(ids))
    return Block(
        topics=ids if is_alone else ids.take(first),
        lengths=np.ones(len(ids), np.int64) if is_alone else np.diff(first, append=len(ids)),
        documents=_DocumentsOfLines(lines) if len(lines) else NO_IDS,
        numbers=lines.numbers,
    )


def _judged_rows(topic: IntArray, lengths: IntArray) -> tuple[IntArray | slice, TopicNumbers]:
    """Return the rows of judged topics (N,), and the topic of each (N,); groups (G,), -1: not judged."""
    of_rows = topic.astype(np.int32)
    if len(topic) != int(lengths.sum()):
        of_rows = np.repeat(of_rows, lengths)
    if not (topic < 0).any():
        return slice(0, len(of_rows)), of_rows
    # numpy takes rows by their numbers much faster than by a mask.
    rows: IntArray = np.flatnonzero(of_rows >= 0)
    return rows, of_rows[rows]


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

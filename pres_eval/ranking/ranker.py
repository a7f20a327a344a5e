"""The ranker: rows of any origin become ranks, or parts kept until they can be ranked."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pres_eval.arrays import (
    EVERY_PROCESS,
    NO_IDS,
    AnyInts,
    Ids,
    IntArray,
    TopicNumbers,
    Words,
    blocks,
    changed,
    consecutive,
    has_equal,
    ragged,
    stable_order,
)
from pres_eval.engines.threads import in_order
from pres_eval.options import BEST_SCORE, ERROR, Options
from pres_eval.ranking.any_order import Finder, KeyedRows, rows_of_ties
from pres_eval.ranking.parts import Facts, Part, Rows, joined_topics
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

ROWS = "rows"


@dataclass(frozen=True)
class Kept:
    """Kept parts of rows: the "ranks" of whole topics, "keys" (two numbers a row), or the "rows".

    ties    the place keys of the ties of which rows are kept; None for all rows
    by_topic  whether each topic has to come once, as for ranks of a part of a run
    """

    what: str
    ties: Words | None = None
    by_topic: bool = False


RANKS, KEYS, EVERY_ROW = Kept("ranks", by_topic=True), Kept("keys"), Kept(ROWS)
IN_ANY_ORDER = Kept("ranks")
"""Ranks of a run that is a single block."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranker:
    """Ranker of a run; its state never changes, so that any thread may call it.

    pool, ascending  the judged documents; equal scores go by docno ascending, not descending
    single           scores are kept in 32 bits
    most             -M
    only             the one topic that is wanted, None for all
    duplicates       which row counts of a document that a topic has twice
    seed             of the keys of rows, the same in every process
    checks           whether rows in any order are checked for documents that nobody judged and come twice
    rewriting        the mapping of documents before they are ranked
    once             whether a document that a topic has twice before it is mapped is an error
    """

    pool: Pool
    single: bool
    ascending: bool
    most: int | None = None
    only: int | None = None
    duplicates: str = ERROR
    seed: int = EVERY_PROCESS
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
            seed=EVERY_PROCESS + int.from_bytes(os.urandom(8), "little"),
            checks=checks,
            once=duplicates != options.duplicates == ERROR,
        )

    def __getstate__(self) -> dict[str, Any]:
        # Another process makes its own finder.
        return {name: value for name, value in vars(self).items() if name != "finder"}

    @cached_property
    def finder(self) -> Finder:
        """Return the finder of judged documents among rows in any order."""
        return Finder(self.pool, self.seed)

    def part(
        self,
        piece: Chunk | Block,
        kept: Kept = RANKS,
        *,
        is_first: bool = True,
        jobs: int = 1,
    ) -> Part:
        """Return the kept part of a chunk or a block; `is_first`: the run begins with it.

        Raises LineError for a malformed line, DuplicateRowError, IdsWantedError.
        """
        if isinstance(piece, Block):
            block, part = piece, Part(facts=Facts(num_rows=len(piece.numbers)))
        else:
            lines = parse_lines(piece, RUN).checked()
            part = Part(facts=Facts.of(lines), chunk=piece)
            if not len(lines):
                return part
            block = _block_of_lines(lines, kept)
        as_written = None
        if self.rewriting is not None:
            block, written, num_mapped, num_excluded = self.rewriting.of_run(block)
            facts = replace(part.facts, num_mapped=num_mapped, num_excluded=num_excluded)
            part = replace(part, facts=facts)
            as_written = replace(block, documents=written) if self.once else None
        return self._of_block(block, as_written, part, kept, is_first, jobs)

    def _of_block(
        self, block: Block, as_written: Block | None, part: Part, kept: Kept, is_first: bool, jobs: int
    ) -> Part:
        """Return the part with the kept rows of a block.

        as_written  the block before it was mapped, of which no topic may have a document twice; None: it may
        """
        topic = self.pool.find_topics(block.topics)
        unjudged = block.topics.take(np.flatnonzero(topic < 0))
        if self.only is not None:
            # trec_eval: the other topics are not looked at, so that no document there is one too many.
            topic = np.where(topic == self.only, topic, -1)
        part = replace(part, unjudged=unjudged if len(unjudged) else NO_IDS)
        if kept.what == RANKS.what:
            judged = topic[topic >= 0]
            if kept.by_topic and has_equal(judged):
                raise ScatteredError
            if as_written is not None:
                self.unmapped().ranked(as_written, topic, jobs)
            ranked = self.ranked(block, topic, jobs)
            return replace(part, topics=judged, ranked=ranked)
        rows, topic_of = _judged_rows(topic, block.lengths)
        scores = self.cast(block.numbers)[rows]
        if kept.what != ROWS:
            ids = block.documents.take(rows)
            keyed = KeyedRows.of(
                self.finder, topic_of, scores, ids, look_for_ties=is_first, checks=self.checks
            )
            return replace(part, keyed=(keyed,))
        if kept.ties is not None:
            tied, topic_of = rows_of_ties(kept.ties, len(self.pool.topics), topic_of, scores)
            rows = np.arange(rows.start, rows.stop)[tied] if isinstance(rows, slice) else rows[tied]
            scores = scores[tied]
        return replace(part, rows=Rows(topic_of, scores, block.documents.take(rows)))

    def unmapped(self) -> Ranker:
        """Return the ranker of the same documents as they are before they are mapped, each once a topic."""
        return replace(self, rewriting=None, duplicates=ERROR, once=False)

    def ranked(self, block: Block, topic: AnyInts, jobs: int = 1, meaning: IntArray | None = None) -> Ranked:
        """Rank the rows of a block that has all rows of its topics, in whatever order.

        topic    (G,) the topic of each group as an index of the pool's, -1 for one that is left out
        meaning  (S,) the meaning of numbers of topics, if not themselves
        Raises DuplicateRowError.
        """
        topics, lengths, rows = _by_topic(topic, block.lengths)
        topics = topics if meaning is None else meaning[topics]
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
            )

        return joined_topics(list(in_order(rank_some, blocks(offsets), jobs)))

    def ranked_rows(self, rows: Rows, jobs: int, meaning: IntArray | None = None) -> Ranked:
        """Rank rows that were kept, in whatever order they came, as `ranked` does; meaning (S,)."""
        first = np.flatnonzero(changed(rows.topic))
        if 2 * len(first) > len(rows.topic):  # in no order: each row is a group
            topic, lengths = rows.topic, np.broadcast_to(np.int64(1), len(rows.topic))
        else:
            topic, lengths = rows.topic[first], np.diff(first, append=len(rows.topic))
        block = Block(topics=NO_TOPICS, lengths=lengths, documents=rows.ids, numbers=rows.scores)
        return self.ranked(block, topic, jobs, meaning)

    def cast(self, scores: Any) -> Scores:
        """Return the scores (N,) as trec_eval keeps them: in single precision, or as they are."""
        if not self.single:
            return cast(Scores, scores)
        with np.errstate(over="ignore"):
            # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
            return cast(Scores, scores.astype(np.float32))


NO_TOPICS = Ids.from_texts([])


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


def _block_of_lines(lines: Lines, kept: Kept) -> Block:
    """Return the rows of lines, of which there is at least one."""
    ids = lines.column(TOPIC)
    first = ids.heads()
    # Where lines are in no order, few neighbours have the same topic, and each row is a group.
    alone = len(first) == len(ids) or (not kept.by_topic and 2 * len(first) > len(ids))
    return Block(
        topics=ids if alone else ids.take(first),
        lengths=np.ones(len(ids), np.int64) if alone else np.diff(first, append=len(ids)),
        documents=_DocumentsOfLines(lines),
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

"""Topics together: each split ranks the topics that it has whole, one pass over the file."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.ordering import has_equal
from pres_eval.arrays.types import IntArray
from pres_eval.cluster.scanning import Block, Scan, Tally, Wanted, cut_loose
from pres_eval.cluster.splits import Split
from pres_eval.ranking.order import DuplicateRowError, rank_topics
from pres_eval.ranking.ranked import Ranked, Topics
from pres_eval.ranking.scattered import Collected, Rows
from pres_eval.reading.cutting import ScatteredError
from pres_eval.records import dataclass

MOST_TORN = 1 << 18
"""Rows of a torn topic that a split sends back; larger topics are counted instead."""


@dataclass(frozen=True, eq=False)
class RankedSplit:
    """What a split makes of topics that are together.

    head        rows of the first topic, None if it has no judgements
    head_whole  whether it ends in this split
    inner       the topics that are whole, ranked
    tail        rows of the last topic, if that is another one; None if it has no judgements
    again       the first document that an inner topic has twice, after which nothing was ranked
    scattered   whether topics have to be counted instead
    """

    tally: Tally
    head: Rows | None
    head_whole: bool
    inner: Ranked
    tail: Rows | None
    again: tuple[bytes, bytes] | None
    scattered: bool


def map_ranked(split: Split, wanted: Wanted) -> RankedSplit:
    """Rank the topics of a split that it has whole."""
    scan = Scan(split, wanted, between_topics=True)
    topics = _OpenTopic(wanted)
    again, scattered = None, False
    try:
        for block in scan.blocks():
            topics.add(block)
    except DuplicateRowError as error:
        again = error.topic, error.document
    except ScatteredError:
        scattered = True
    if again is not None or scattered:
        topics.forget()
    head, tail = topics.head, topics.open_rows() if topics.has_ended else None
    if not topics.has_ended:
        head = topics.open_rows()
    torn = sum(len(rows.scores) for rows in (head, tail) if rows is not None)
    if torn > MOST_TORN:
        head, tail, scattered = None, None, True
    return RankedSplit(scan.tally, head, topics.has_ended, topics.ranked.ranked(), tail, again, scattered)


class _Seen:
    """The topics that came so far."""

    def __init__(self, num_topics: int) -> None:
        self._seen = np.zeros(num_topics, np.bool_)

    def add(self, topics: IntArray) -> None:
        """Take the next topics; raises ScatteredError if one comes again."""
        if self._seen[topics].any() or has_equal(topics):
            raise ScatteredError
        self._seen[topics] = True


class _OpenTopic:
    """Ranks topics as they end; the first one is kept as `head`, the last one stays open."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._open: Collected | None = None
        self._open_topic = -1
        self._started = False
        self._seen = _Seen(len(wanted.pool.topics))
        self.has_ended = False
        """Whether a topic has ended."""
        self.head: Rows | None = None
        self.ranked = Topics()

    def add(self, block: Block) -> None:
        """Take the next rows.

        Raises ScatteredError if a topic comes again, DuplicateRowError if a document of a whole one does.
        """
        first, last = 0, len(block.topic)
        ends = np.concatenate(([0], np.cumsum(block.lengths)))
        first_topic = int(block.topic[0]) if last and block.segment[0] == 0 else -1
        if not self._started:
            self._started = True
            self._open, self._open_topic = Collected(self._wanted.single), first_topic
            self._seen.add(block.topic[: int(first_topic >= 0)])
        goes_on = self._open is not None and first_topic == self._open_topic
        if self._open is not None:
            if goes_on and first_topic >= 0:
                self._open.add(_rows(block, ends, 0, 1))
                first = 1
            if not goes_on or block.num_segments > 1 or block.ends_whole:
                self._end()
        self._seen.add(block.topic[first:])
        if self._open is None and not block.ends_whole:
            self._open, self._open_topic = Collected(self._wanted.single), -1
            if last > first and block.segment[-1] == block.num_segments - 1:
                last -= 1
                self._open_topic = int(block.topic[last])
                self._open.add(_rows(block, ends, last, last + 1))
        if last > first:
            self._rank(block, ends, first, last)

    def _end(self) -> None:
        """The open topic has ended."""
        rows = self.open_rows()
        self._open = None
        if not self.has_ended:
            self.head, self.has_ended = rows, True
        elif rows is not None:
            self.ranked.add(rank_rows(self._wanted, rows))

    def open_rows(self) -> Rows | None:
        """The rows of the open topic so far."""
        if self._open is None or not len(self._open):
            return None
        return self._open.rows()

    def _rank(self, block: Block, ends: IntArray, first: int, last: int) -> None:
        wanted = self._wanted
        chosen = slice(int(ends[first]), int(ends[last]))
        self.ranked.add(
            rank_topics(
                wanted.pool,
                block.topic[first:last],
                ends[first : last + 1] - ends[first],
                block.scores[chosen],
                cut_loose(block.ids[chosen]),
                wanted.most,
                ascending=wanted.ascending,
                duplicates=wanted.duplicates,
            )
        )

    def forget(self) -> None:
        """What comes of it is not wanted."""
        self._open, self.head, self.ranked = None, None, Topics()


def _rows(block: Block, ends: IntArray, first: int, last: int) -> Rows:
    chosen = slice(int(ends[first]), int(ends[last]))
    topic = np.repeat(block.topic[first:last].astype(np.int32), block.lengths[first:last])
    ids = block.ids[chosen]
    return Rows(topic, block.scores[chosen], cut_loose(ids))


def rank_rows(wanted: Wanted, rows: Rows) -> Ranked:
    """Rank the rows of one topic.  Raises DuplicateRowError if it has a document twice."""
    return rank_topics(
        wanted.pool,
        rows.topic[:1].astype(np.int64),
        np.array([0, len(rows.topic)]),
        rows.scores,
        rows.ids,
        wanted.most,
        ascending=wanted.ascending,
        duplicates=wanted.duplicates,
    )


class Merging:
    """Puts the splits together, in the order of the file."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._seen = _Seen(len(wanted.pool.topics))
        self._waiting = Collected(wanted.single)
        self._ranked = Topics()

    def add(self, part: RankedSplit) -> None:
        """Take the next split.

        Raises ScatteredError if a topic comes again, DuplicateRowError for the first document that does.
        """
        if not part.tally.facts.num_rows:
            return
        head_topic = -1 if part.head is None else int(part.head.topic[0])
        if not len(self._waiting) or self._waiting.last_topic() != head_topic:
            self._end()
            self._seen.add(np.array([head_topic] if head_topic >= 0 else [], np.int64))
        if part.head is not None:
            self._waiting.add(part.head)
        if part.head_whole:
            self._end()
        if part.again is not None:
            raise DuplicateRowError(*part.again)
        if part.scattered:
            raise ScatteredError
        self._seen.add(part.inner.topic)
        self._ranked.add(part.inner)
        if part.tail is not None:
            self._seen.add(part.tail.topic[:1].astype(np.int64))
            self._waiting.add(part.tail)

    def _end(self) -> None:
        if len(self._waiting):
            rows, self._waiting = self._waiting.rows(), Collected(self._wanted.single)
            self._ranked.add(rank_rows(self._wanted, rows))

    def ranked(self) -> Ranked:
        """All topics."""
        self._end()
        return self._ranked.ranked()

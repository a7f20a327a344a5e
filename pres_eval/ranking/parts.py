"""Parts of a ranking: what is kept of a chunk, of a split or of a file; and the one way to merge them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import Growing, GrowingIds
from pres_eval.arrays.ordering import has_equal
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.ranking.any_order import KeyedRows
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.opening import NOTHING_LOOKED_AT, LookedAt, Opening
from pres_eval.ranking.ranked import Ranked, Scores, joined_topics
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import ScatteredError
from pres_eval.reading.lines import LineError
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import NO_CHUNK, Chunk, Source
from pres_eval.records import dataclass

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Rows:
    """N documents of judged topics: topics (N,) as indices of the pool's, scores (N,) and ids (N,)."""

    topic: NDArray[np.int32]
    scores: Scores
    ids: WordIds


class Collected:
    """Rows that are kept, in the order of the file."""

    def __init__(self) -> None:
        self._columns: tuple[Growing, Growing, GrowingIds] | None = None

    def add(self, rows: Rows) -> None:
        """Keep some more."""
        if self._columns is None:
            self._columns = Growing(np.int32), Growing(rows.scores.dtype), GrowingIds()
        topic, scores, ids = self._columns
        topic.append(rows.topic)
        scores.append(rows.scores)
        ids.append(rows.ids)

    def rows(self) -> Rows | None:
        """Return all of them, None if there are none."""
        if self._columns is None:
            return None
        topic, scores, ids = self._columns
        return Rows(topic.values(), scores.values(), ids.ids())


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """Kept parts of some rows: ranks where topics are whole, else the rows or their keys.

    facts, opening  of its lines; the opening is that of the first part of a run
    looked_at       rows whose ids are looked at, should they match nothing
    topics          (S,) the judged topics in the order of the file, if these are whole
    unjudged, more  topics without judgements, and whether there are further ones
    chunk           whose memory may be used again
    """

    facts: Facts
    opening: Opening | None = None
    looked_at: LookedAt = NOTHING_LOOKED_AT
    topics: IntArray = field(default_factory=lambda: _NONE)
    unjudged: WordIds = NO_IDS
    more: bool = False
    ranked: Ranked | None = None
    rows: Rows | None = None
    keyed: tuple[KeyedRows, ...] = ()
    chunk: Chunk = NO_CHUNK

    @property
    def num_lines(self) -> int:
        """Return the lines of the part."""
        return self.facts.num_lines


class Merging:
    """Merges parts in the order of the file."""

    def __init__(self, pool: Pool, most_unjudged: int | None = None) -> None:
        self.facts = Facts()
        self._opening: Opening | None = None
        self._looked_at: list[LookedAt] = []
        self._seen = np.zeros(len(pool.topics), np.bool_)
        self._topics: list[IntArray] = [_NONE]
        self._unjudged = UnjudgedTopics(most_unjudged)
        self._ranked: list[Ranked] = []
        self._rows = Collected()
        self._keyed: list[KeyedRows] = []

    def add(self, part: Part) -> None:
        """Take the next part.  Raises ScatteredError if one of its topics came before."""
        if self._seen[part.topics].any() or has_equal(part.topics):
            raise ScatteredError
        self._seen[part.topics] = True
        self._topics.append(part.topics)
        self.facts = self.facts.then(part.facts)
        self._opening = self._opening or part.opening
        self._looked_at.append(part.looked_at)
        if len(part.unjudged):
            self._unjudged.add(part.unjudged)
        self._unjudged.more |= part.more
        if part.ranked is not None:
            self._ranked.append(part.ranked)
        if part.rows is not None:
            self._rows.add(part.rows)
        self._keyed += part.keyed

    def add_chunks(self, source: Source, parts: Iterable[Part]) -> None:
        """Take the parts that the chunks of a source become; a LineError then counts all lines so far."""
        try:
            for part in parts:
                self.add(part)
                source.give_back(part.chunk)
        except LineError as error:
            raise LineError(self.facts.num_lines + error.line, error.found, error.expected) from None
        source.free_buffers()
        newline = source.final_newline and self.facts.final_newline
        self.facts = replace(self.facts, final_newline=newline)

    def part(self) -> Part:
        """Return all parts as one."""
        return Part(
            facts=self.facts,
            opening=self._opening,
            looked_at=LookedAt.joined(self._looked_at),
            topics=np.concatenate(self._topics),
            unjudged=self._unjudged.ids(),
            more=self._unjudged.more,
            ranked=joined_topics(self._ranked) if self._ranked else None,
            rows=self._rows.rows(),
            keyed=tuple(self._keyed),
        )

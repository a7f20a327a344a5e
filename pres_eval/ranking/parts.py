"""Parts of a ranking: the kept rows of a chunk, of a split or of a file; and the one way to merge them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from pres_eval.arrays import NO_IDS, GrowingColumns, Ids, IdTable, TopicNumbers, gathered
from pres_eval.ranking.ranked import NO_TIES, NOTHING, Ranked, Scores, Ties, inverse
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import Chunk, File
from pres_eval.reading.lines import TAG_COLUMN, LineError, Lines
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

MOST = 100_000
"""Topics without judgements that are kept; of further ones it is known that there are some."""

MOST_BYTES = 64 << 20
"""Room for their ids."""


class UnjudgedTopics:
    """Topics without judgements, MOST of them in the order of the file, so that memory does not grow."""

    def __init__(self) -> None:
        self._parts = [NO_IDS]
        self._share = 0.0
        self.more = False
        """Whether there are more than are kept."""

    def add(self, topics: Ids) -> None:
        """Add topics, also such as came before."""
        if self.more:
            return
        self._parts.append(topics)
        self._share += _share(topics)
        if self._share > 2:
            self.ids()

    def ids(self) -> Ids:
        """Return those that are kept, each once."""
        if not self._share:
            return NO_IDS
        topics = each_once(Ids.concatenate(self._parts))
        self.more |= _share(topics) > 1
        topics = topics.take(slice(0, MOST))
        self._parts, self._share = [topics], _share(topics)
        return topics


def each_once(ids: Ids) -> Ids:
    """Return the distinct ids in the order in which they first came."""
    is_new = np.ones(len(ids), np.bool_)
    is_new[IdTable(ids).repeats] = False
    return ids.take(np.flatnonzero(is_new))


def _share(ids: Ids) -> float:
    """Return how much of what is kept some ids are, by their number or by their room."""
    return max(len(ids) / MOST, ids.nbytes / MOST_BYTES)


@dataclass(frozen=True)
class Facts:
    """Facts of some lines.

    num_lines, num_rows  lines, and those of them that are documents
    tag, tag_before      of the last row, and of the one before it
    longer_line          the first line with more than six columns, from 1
    final_newline        whether the last line ends in one
    num_mapped, num_excluded  rows whose document became another one, and rows that were left out
    """

    num_lines: int = 0
    num_rows: int = 0
    tag: bytes = b""
    tag_before: bytes = b""
    longer_line: int | None = None
    final_newline: bool = True
    num_mapped: int = 0
    num_excluded: int = 0

    @classmethod
    def from_lines(cls, lines: Lines) -> Facts:
        """Return the facts of a chunk."""
        num_rows, longer = len(lines), lines.fields.longer
        return cls(
            num_lines=lines.fields.num_lines,
            num_rows=num_rows,
            tag=lines.text(num_rows - 1, TAG_COLUMN) if num_rows else b"",
            tag_before=lines.text(num_rows - 2, TAG_COLUMN) if num_rows > 1 else b"",
            longer_line=None if longer is None else int(longer.lines[0]) + 1,
        )

    def then(self, later: Facts) -> Facts:
        """Return the facts of these lines and those that follow."""
        longer = self.longer_line
        if longer is None and later.longer_line is not None:
            longer = self.num_lines + later.longer_line
        tag, tag_before = self.tag, self.tag_before
        if later.num_rows:
            tag, tag_before = later.tag, later.tag_before or self.tag
        return Facts(
            num_lines=self.num_lines + later.num_lines,
            num_rows=self.num_rows + later.num_rows,
            tag=tag,
            tag_before=tag_before,
            longer_line=longer,
            final_newline=later.final_newline if later.num_lines else self.final_newline,
            num_mapped=self.num_mapped + later.num_mapped,
            num_excluded=self.num_excluded + later.num_excluded,
        )


_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Rows:
    """N documents of judged topics: topics (N,) as indices of the pool's, scores (N,) and ids (N,)."""

    topic: TopicNumbers
    scores: Scores
    documents: Ids

    @classmethod
    def none(cls, single: bool) -> Rows:
        """Return no rows; `single`: their scores would have 32 bits."""
        scores: Scores = np.zeros(0, np.float32) if single else np.zeros(0)
        return cls(np.zeros(0, np.int32), scores, NO_IDS)


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """What parts of a run have in common: facts of their lines, and topics without judgements.

    more_unjudged  whether there are further ones than those that are kept
    """

    facts: Facts
    unjudged: Ids = NO_IDS
    more_unjudged: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedPart(Part):
    """Part of a run whose topics are whole, ranked."""

    ranked: Ranked = NOTHING


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsPart(Part):
    """Part of a run whose topics go on elsewhere: its rows, to be ranked when all are there."""

    rows: Rows


AnyPart = TypeVar("AnyPart", RankedPart, RowsPart)


class Merging(ABC, Generic[AnyPart]):
    """Merges parts in the order of the file."""

    def __init__(self) -> None:
        self.facts = Facts()
        self._unjudged = UnjudgedTopics()

    def add(self, part: AnyPart) -> None:
        """Take the next part."""
        self._keep(part)
        self.facts = self.facts.then(part.facts)
        if len(part.unjudged):
            self._unjudged.add(part.unjudged)
        self._unjudged.more |= part.more_unjudged

    def add_chunks(self, source: File, parts: Iterable[tuple[Chunk, AnyPart]]) -> None:
        """Take the parts that the chunks of a source become; a LineError then counts all lines so far."""
        try:
            for chunk, part in parts:
                self.add(part)
                source.give_back(chunk)
        except LineError as error:
            raise LineError(self.facts.num_lines + error.line, error.found, error.expected) from None
        source.free_buffers()
        newline = source.final_newline and self.facts.final_newline
        self.facts = replace(self.facts, final_newline=newline)

    @abstractmethod
    def _keep(self, part: AnyPart) -> None:
        """Keep what only parts of this kind have."""

    @abstractmethod
    def part(self) -> AnyPart:
        """Return all parts as one."""


class MergingRanks(Merging[RankedPart]):
    """Merges parts that are ranked, none of whose topics is in two of them."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._is_ranked = np.zeros(len(pool.topics), np.bool_)
        self._ranked: list[Ranked] = []

    def _keep(self, part: RankedPart) -> None:
        """Keep the ranks.  Raises ScatteredError if one of the topics came before."""
        if self._is_ranked[part.ranked.topic].any():
            raise ScatteredError
        self._is_ranked[part.ranked.topic] = True
        self._ranked.append(part.ranked)

    def part(self) -> RankedPart:
        """Return all parts as one."""
        return RankedPart(
            facts=self.facts,
            unjudged=self._unjudged.ids(),
            more_unjudged=self._unjudged.more,
            ranked=joined_topics(self._ranked),
        )


class MergingRows(Merging[RowsPart]):
    """Merges parts that are rows."""

    def __init__(self) -> None:
        super().__init__()
        self._columns = GrowingColumns()

    def _keep(self, part: RowsPart) -> None:
        self._columns.append(part.rows.topic, part.rows.scores, part.rows.documents)

    def part(self) -> RowsPart:
        """Return all parts as one."""
        rows = Rows(*self._columns.values()) if len(self._columns) else Rows.none(single=False)
        return RowsPart(
            facts=self.facts,
            unjudged=self._unjudged.ids(),
            more_unjudged=self._unjudged.more,
            rows=rows,
        )


def joined_topics(parts: Sequence[Ranked]) -> Ranked:
    """Return the topics of all parts in the pool's order; none may be in two parts."""
    parts = parts or [NOTHING]
    if len(parts) == 1 and not (parts[0].topic[1:] < parts[0].topic[:-1]).any():
        return parts[0]
    topic = np.concatenate([part.topic for part in parts])
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    before = np.concatenate(([0], np.cumsum(lengths)))
    ranked = Ranked(
        topic=topic,
        num_ret=np.concatenate([part.num_ret for part in parts]),
        offsets=before,
        rank=_NONE,
        document=_NONE,
        ties=_joined_ties(parts) if any(len(part.ties.document) for part in parts) else NO_TIES,
        num_dropped=sum(part.num_dropped for part in parts),
    )
    ranks, documents = [part.rank for part in parts], [part.document for part in parts]
    if not (topic[1:] < topic[:-1]).any():
        return replace(ranked, rank=np.concatenate(ranks), document=np.concatenate(documents))
    order = np.argsort(topic, kind="stable")
    starts, lengths = before[:-1][order], lengths[order]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    ties = ranked.ties
    if len(ties.document):
        topic_of_tie = np.searchsorted(before, ties.document, side="right") - 1
        moved = ties.document - before[topic_of_tie] + offsets[inverse(order)[topic_of_tie]]
        ties = Ties.at(moved, ties.first, ties.size)
    return replace(
        ranked,
        topic=topic[order],
        num_ret=ranked.num_ret[order],
        offsets=offsets,
        rank=gathered(ranks, starts, lengths),
        document=gathered(documents, starts, lengths),
        ties=ties,
    )


def _joined_ties(parts: Sequence[Ranked]) -> Ties:
    """Return the ties of all parts, of which one has some at least."""
    begins = np.cumsum([0, *(len(part.rank) for part in parts)])
    columns = [
        (part.ties.document + begin, part.ties.first, part.ties.size)
        for part, begin in zip(parts, begins.tolist(), strict=False)
        if len(part.ties.document)
    ]
    document, first, size = zip(*columns, strict=True)
    return Ties(np.concatenate(document), np.concatenate(first), np.concatenate(size))

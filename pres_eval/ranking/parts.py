"""Parts of a ranking: what is kept of a chunk, of a split or of a file; and the one way to merge them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from pres_eval.arrays import (
    NO_IDS,
    AnyInts,
    GrowingColumns,
    Ids,
    IdTable,
    IntArray,
    TopicNumbers,
    rows_or_slice,
)
from pres_eval.ranking.ranked import NO_TIES, NO_TOPICS, Ranked, Scores, Ties, inverse
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import Chunk, File
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.lines import TAG_COLUMN, LineError, Lines
from pres_eval.records import dataclass

MOST_UNJUDGED_TOPICS = 100_000
"""Topics without judgements that are kept; of further ones it is known that there are some."""

UNJUDGED_TOPICS_BYTES = 64 << 20
"""Memory for their ids."""


class UnjudgedTopics:
    """Topics without judgements: the first MOST_UNJUDGED_TOPICS of a file, so that memory does not grow."""

    def __init__(self) -> None:
        self._parts = [NO_IDS]
        self._fill = 0.0
        """How full the parts are, as `_fill_of` has it: up to 2, as topics may come again and again."""
        self.more = False
        """Whether there are more than are kept."""

    def add(self, topics: Ids) -> None:
        """Add topics, also such as came before."""
        if self.more:
            return
        self._parts.append(topics)
        self._fill += _fill_of(topics)
        if self._fill > 2:
            self.ids()

    def ids(self) -> Ids:
        """Return the kept topics, each once, in the order of the file; from now on only these are kept."""
        if not self._fill:
            return NO_IDS
        topics = each_once(Ids.concatenate(self._parts))
        self.more |= _fill_of(topics) > 1
        topics = topics.take(slice(0, MOST_UNJUDGED_TOPICS))
        self._parts = [topics]
        self._fill = _fill_of(topics)
        return topics


def each_once(ids: Ids) -> Ids:
    """Return the distinct ids in the order in which they first came."""
    is_new = np.ones(len(ids), np.bool_)
    is_new[IdTable(ids).repeats] = False
    return ids.take(np.flatnonzero(is_new))


def _fill_of(ids: Ids) -> float:
    """Return the share of the most topics, or bytes, that these ids are; 1.0 is as many as are kept."""
    return max(len(ids) / MOST_UNJUDGED_TOPICS, ids.nbytes / UNJUDGED_TOPICS_BYTES)


@dataclass(frozen=True)
class Facts:
    """Facts of some lines of a run.

    num_lines, num_rows  lines, and those of them that are documents
    tag, tag_before      of the last row, and of the one before it; b"" if there is none
    longer_line          the number, from 1, of the first line with more than six columns; None if none has
    final_newline        whether the last line ends in a newline
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
        """Return the facts of the lines of a chunk."""
        num_rows = len(lines)
        tag = tag_before = b""
        if num_rows:
            tag = lines.text(num_rows - 1, TAG_COLUMN)
        if num_rows > 1:
            tag_before = lines.text(num_rows - 2, TAG_COLUMN)
        longer_line = None
        if lines.fields.longer is not None:
            longer_line = int(lines.fields.longer.lines[0]) + 1
        return cls(
            num_lines=lines.fields.num_lines,
            num_rows=num_rows,
            tag=tag,
            tag_before=tag_before,
            longer_line=longer_line,
        )

    def then(self, later: Facts) -> Facts:
        """Return the facts of these lines and those that follow."""
        longer_line = self.longer_line
        if longer_line is None and later.longer_line is not None:
            longer_line = self.num_lines + later.longer_line
        tag, tag_before = self.tag, self.tag_before
        if later.num_rows:
            tag, tag_before = later.tag, later.tag_before or self.tag
        final_newline = self.final_newline
        if later.num_lines:
            final_newline = later.final_newline
        return Facts(
            num_lines=self.num_lines + later.num_lines,
            num_rows=self.num_rows + later.num_rows,
            tag=tag,
            tag_before=tag_before,
            longer_line=longer_line,
            final_newline=final_newline,
            num_mapped=self.num_mapped + later.num_mapped,
            num_excluded=self.num_excluded + later.num_excluded,
        )


@dataclass(frozen=True, eq=False)
class Rows:
    """N rows of judged topics: topics (N,) as indices of the pool's, scores (N,), ids of documents (N,)."""

    topic: TopicNumbers
    scores: Scores
    documents: Ids


NO_ROWS_OF_RUN = Rows(topic=np.zeros(0, np.int32), scores=np.zeros(0), documents=NO_IDS)


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """Part of a run.

    facts          facts of its lines
    unjudged       its topics without judgements, in the order of the file
    more_unjudged  whether it has further such topics
    """

    facts: Facts
    unjudged: Ids = NO_IDS
    more_unjudged: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedPart(Part):
    """Part of a run that has all rows of its topics: their ranks."""

    ranked: Ranked = NO_TOPICS


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsPart(Part):
    """Part of a run whose topics go on in other parts: its rows, to be ranked when all are there."""

    rows: Rows


AnyPart = TypeVar("AnyPart", RankedPart, RowsPart)


class Merging(ABC, Generic[AnyPart]):
    """Merges parts of a run, which come in the order of the file."""

    def __init__(self) -> None:
        self.facts = Facts()
        """Facts of all parts so far."""
        self._unjudged = UnjudgedTopics()

    def add(self, part: AnyPart) -> None:
        """Add the next part."""
        self._keep(part)
        self.facts = self.facts.then(part.facts)
        if len(part.unjudged):
            self._unjudged.add(part.unjudged)
        self._unjudged.more |= part.more_unjudged

    def add_chunks(self, source: File, parts: Iterable[tuple[Chunk, AnyPart]]) -> None:
        """Add the parts that all chunks of a file become, and give their memory back.

        parts  the chunks, each with its part; a LineError of one counts the lines of that chunk
        Raises LineError that counts the lines of all parts.
        """
        try:
            for chunk, part in parts:
                self.add(part)
                source.give_back(chunk)
        except LineError as error:
            line = self.facts.num_lines + error.line
            raise LineError(line, error.found, error.expected) from None
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
    """Merges parts that are ranked; each topic must be in one part."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._is_ranked = np.zeros(len(pool.topics), np.bool_)
        self._ranked: list[Ranked] = []

    def _keep(self, part: RankedPart) -> None:
        """Keep the ranks.  Raises ScatteredError if one of the topics came before."""
        topics = part.ranked.topic
        if self._is_ranked[topics].any():
            raise ScatteredError
        self._is_ranked[topics] = True
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
        rows = part.rows
        self._columns.append(rows.topic, rows.scores, rows.documents)

    def part(self) -> RowsPart:
        """Return all parts as one."""
        rows = NO_ROWS_OF_RUN
        if len(self._columns):
            topic, scores, documents = self._columns.release()
            rows = Rows(topic, scores, documents)
        return RowsPart(
            facts=self.facts,
            unjudged=self._unjudged.ids(),
            more_unjudged=self._unjudged.more,
            rows=rows,
        )


def joined_topics(parts: Sequence[Ranked]) -> Ranked:
    """Return the topics of all parts in the pool's order; none may be in two parts."""
    if not parts:
        return NO_TOPICS
    if len(parts) == 1 and _are_ascending(parts[0].topic):
        return parts[0]
    topic = np.concatenate([part.topic for part in parts])
    num_judged = np.concatenate([np.diff(part.offsets) for part in parts])
    order = np.argsort(topic, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(num_judged[order])))
    begin_of_topic = offsets[inverse(order)]  # of the topics in the order of the parts
    # The columns are filled part by part: when all documents are judged, they are as long as the run.
    rank = np.empty(offsets[-1], _widest_type([part.rank for part in parts]))
    document = np.empty(offsets[-1], _widest_type([part.document for part in parts]))
    ties_of_parts: list[Ties] = []
    first_topic = 0
    for part in parts:
        topics_of_part = slice(first_topic, first_topic + len(part.topic))
        rows, _ = rows_or_slice(begin_of_topic[topics_of_part], num_judged[topics_of_part])
        rank[rows] = part.rank
        document[rows] = part.document
        if len(part.ties.document):
            if isinstance(rows, slice):
                ties_of_parts.append(replace(part.ties, document=part.ties.document + rows.start))
            else:
                ties_of_parts.append(replace(part.ties, document=rows[part.ties.document]))
        first_topic += len(part.topic)
    ties = NO_TIES
    if ties_of_parts:
        ties = _joined_ties(ties_of_parts)
    return Ranked(
        topic=topic[order],
        num_ret=np.concatenate([part.num_ret for part in parts])[order],
        offsets=offsets,
        rank=rank,
        document=document,
        ties=ties,
        num_dropped=sum(part.num_dropped for part in parts),
    )


def _widest_type(columns: Sequence[AnyInts]) -> np.dtype[Any]:
    """Return the type of the column (n,) whose whole numbers have the most bytes."""
    return max((column.dtype for column in columns), key=lambda dtype: dtype.itemsize)


def _are_ascending(topic: IntArray) -> bool:
    """Return whether topics (S,) are in the pool's order."""
    return not (topic[1:] < topic[:-1]).any()


def _joined_ties(parts: Sequence[Ties]) -> Ties:
    """Return the ties of all parts (one or more), whose documents are counted through all parts."""
    return Ties.sorted_by_document(
        document=np.concatenate([part.document for part in parts]),
        first=np.concatenate([part.first for part in parts]),
        size=np.concatenate([part.size for part in parts]),
    )

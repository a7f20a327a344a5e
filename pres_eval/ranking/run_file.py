"""A run file becomes a Ranking: chunk by chunk while topics stand together, else collected first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import NO_IDS, Ids, WordIds, changes, distinct, has_equal
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.errors import InputError, quoted
from pres_eval.ranking.order import DuplicateRowError, Ranked, Scores, Topics, rank_topics
from pres_eval.ranking.scattered import Collected, Rows
from pres_eval.reading.cutting import TopicCutter
from pres_eval.reading.numbers import read_numbers
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import Chunk, Source, behind_last_line
from pres_eval.reading.tables import in_file
from pres_eval.reading.tokens import Fields, LineError, parsed, split_fields
from pres_eval.workers import UNTHREADED, in_order, num_processors

LAYOUT = "topic Q0 docno rank score tag"
COLUMNS = 6
TOPIC, DOCNO, SCORE, TAG = 0, 2, 4, 5


@dataclass(frozen=True, eq=False)
class Ranking(Ranked):
    """A whole run, as far as it was judged.

    name, tag        of the file; of its last line
    num_lines        lines that are documents
    unjudged_ids     topics without judgements, as often as they came
    longer_line      the first line with more than six columns
    """

    name: str
    tag: str
    num_lines: int
    unjudged_ids: WordIds
    longer_line: int | None

    @cached_property
    def unjudged(self) -> Ids:
        """The topics without judgements, in byte order."""
        return distinct(self.unjudged_ids.take(slice(None)))[0]


@dataclass(frozen=True)
class Cut:
    """A chunk; whether all of its topics are whole, and whether its last one is."""

    chunk: Chunk
    whole_topics: bool
    ends_whole: bool


@dataclass(frozen=True, eq=False)
class Piece:
    """What is kept of one chunk."""

    chunk: Chunk
    ends_whole: bool
    num_lines: int
    num_rows: int
    tag: bytes
    longer_line: int | None
    unjudged: WordIds
    topics: IntArray
    ranked: Ranked | None
    rows: Rows | None


class _ScatteredError(Exception):
    """A topic came again after it was thought to be complete."""


@dataclass(frozen=True)
class _Reader:
    """Reads chunks of one run; has no state, so that any thread may call it."""

    pool: Pool
    single: bool
    most: int | None
    ascending: bool

    def piece(self, cut: Cut) -> Piece:
        """Parse a chunk; rank its topics if all of them are whole, otherwise keep their rows."""
        chunk = cut.chunk
        fields, scores = parsed(_parse, chunk)
        buffer = chunk.array()
        if not len(fields):
            nothing = np.zeros(0, np.int64)
            return Piece(chunk, cut.ends_whole, fields.num_lines, 0, b"", None, NO_IDS, nothing, None, None)
        starts, ends = fields.column(TOPIC)
        topic_ids = Ids(buffer, starts, ends - starts)
        first = changes(topic_ids)
        segments = topic_ids.take(first)
        topics = self.pool.find_topics(segments)
        lengths = np.diff(np.concatenate((first, [len(fields)])))
        starts, ends = fields.column(DOCNO)
        ids, kept = Ids(buffer, starts, ends - starts), self._cast(scores)
        unjudged = segments.take(topics < 0)
        if len(unjudged):
            rows = np.repeat(topics >= 0, lengths)
            ids, kept = ids.take(rows), kept[rows]
            topics, lengths = topics[topics >= 0], lengths[topics >= 0]
        ranked = rows_kept = None
        if cut.whole_topics:
            if has_equal(topics):
                raise _ScatteredError
            ranked = rank_topics(
                self.pool,
                topics,
                np.concatenate(([0], np.cumsum(lengths))),
                kept,
                WordIds.of(ids),
                self.most,
                ascending=self.ascending,
            )
        else:
            topic = np.repeat(topics.astype(np.int32), lengths)
            rows_kept = Rows(topic, kept, WordIds.of(ids))
        start, end = fields.cell(len(fields) - 1, TAG)
        return Piece(
            chunk,
            cut.ends_whole,
            fields.num_lines,
            len(fields),
            bytes(chunk.buffer[start:end]),
            None if fields.longer is None else fields.line_of(fields.longer),
            WordIds.of(unjudged) if len(unjudged) else NO_IDS,
            topics,
            ranked,
            rows_kept,
        )

    def _cast(self, scores: NDArray[Any]) -> Scores:
        if not self.single:
            return scores
        with np.errstate(over="ignore"):
            # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
            return scores.astype(np.float32)


def _parse(chunk: Chunk) -> tuple[Fields, FloatArray]:
    """The columns of a chunk, and its scores."""
    fields = split_fields(chunk, COLUMNS, LAYOUT, more=True)
    if not len(fields):
        return fields, np.zeros(0)
    starts, ends = fields.column(SCORE)
    scores, wrong = read_numbers(chunk.array(), starts, ends)
    if wrong is not None:
        score = quoted(bytes(chunk.buffer[starts[wrong] : ends[wrong]]))
        raise LineError(fields.line_of(wrong), f"score {score}", "a number")
    return fields, scores


def read_run(
    source: Source,
    pool: Pool,
    compat: str = "9.0.8",
    most: int | None = None,
    jobs: int | None = None,
    *,
    ascending: bool = False,
) -> Ranking:
    """Read a run and rank its documents; what nobody judged is dropped on the way.

    `most` is -M: a document that stands twice is an error only if both stand among the first `most`.
    `jobs` threads parse (None: as many as there are processors to use); the result does not depend on it.
    `ascending`: equal scores go by docno ascending, as preferences want it, not descending.
    Raises InputError for a malformed line or a document that a topic has twice.
    """
    jobs = jobs or num_processors()
    reader = _Reader(pool, compat == "9.0.8", most, ascending)
    try:
        with contextlib.suppress(_ScatteredError):
            return _Streaming(source, reader, jobs).read()
        return _Collecting(source, reader, jobs).read()
    except DuplicateRowError as error:
        _raise_duplicate(source, error)


class _Pass:
    """One pass over a run, whatever is done with the pieces."""

    def __init__(self, source: Source, reader: _Reader, jobs: int) -> None:
        self.source = source
        self.jobs = jobs
        self.reader = reader
        self.num_lines = 0
        self.num_rows = 0
        self.tag = b""
        self.longer_line: int | None = None
        self.unjudged = [NO_IDS]
        self.ranked = Topics()

    def pieces(self, whole_topics: bool) -> Iterator[Piece]:
        """The pieces in file order."""
        try:
            for piece in in_order(self.reader.piece, self._cut(whole_topics), self.jobs, UNTHREADED):
                self._count(piece)
                yield piece
                self.source.give_back(piece.chunk)
        except LineError as error:
            raise in_file(error, self.source.name, self.num_lines) from None

    def _cut(self, whole_topics: bool) -> Iterator[Cut]:
        cutter = TopicCutter()
        before_whole = whole_topics
        for chunk in self.source.chunks(cut_place=cutter if whole_topics else behind_last_line):
            ends_whole = cutter.whole and whole_topics
            yield Cut(chunk, ends_whole and before_whole, ends_whole)
            before_whole = ends_whole
            cutter.whole = True  # the last chunk is not cut

    def _count(self, piece: Piece) -> None:
        if piece.longer_line is not None and self.longer_line is None:
            self.longer_line = self.num_lines + piece.longer_line + 1
        self.num_lines += piece.num_lines
        self.num_rows += piece.num_rows
        self.tag = piece.tag if piece.num_rows else self.tag
        if len(piece.unjudged):
            self.unjudged.append(piece.unjudged)

    def ranking(self) -> Ranking:
        """The result, with what was counted on the way."""
        if not self.num_rows:
            raise InputError(
                self.source.name, None, "no lines but blank ones and comments", f"lines of {LAYOUT}"
            )
        ranked = self.ranked.ranked()
        return Ranking(
            ranked.topic,
            ranked.num_ret,
            ranked.offsets,
            ranked.rank,
            ranked.document,
            self.source.name,
            self.tag.decode("utf-8", "surrogateescape"),
            self.num_rows,
            WordIds.concatenate(self.unjudged),
            self.longer_line,
        )

    def rank_collected(self, rows: Collected) -> None:
        """Rank documents that were kept."""
        reader = self.reader
        rows.rank(reader.pool, self.ranked, self.jobs, reader.most, ascending=reader.ascending)


class _Streaming(_Pass):
    """Ranks each topic as soon as it is complete."""

    def read(self) -> Ranking:
        """Read the run; raises _ScatteredError if a topic comes again."""
        seen = np.zeros(len(self.reader.pool.topics), np.bool_)
        waiting = Collected(self.reader.single)
        for piece in self.pieces(whole_topics=True):
            topics = piece.topics
            if len(waiting) and len(topics) and topics[0] == waiting.last_topic():
                topics = topics[1:]
            if seen[topics].any() or has_equal(topics):
                raise _ScatteredError
            seen[topics] = True
            if piece.ranked is not None:
                self.ranked.add(piece.ranked)
            if piece.rows is not None:
                waiting.add(piece.rows)
            if len(waiting) and piece.ends_whole:
                self.rank_collected(waiting)
                waiting = Collected(self.reader.single)
        if len(waiting):
            self.rank_collected(waiting)
        return self.ranking()


class _Collecting(_Pass):
    """Keeps all documents of judged topics first, and ranks them when all are there."""

    def read(self) -> Ranking:
        """Read the run, in whatever order its lines stand."""
        rows = Collected(self.reader.single)
        for piece in self.pieces(whole_topics=False):
            if piece.rows is not None:
                rows.add(piece.rows)
        if len(rows):
            self.rank_collected(rows)
        return self.ranking()


def _raise_duplicate(source: Source, error: DuplicateRowError) -> NoReturn:
    """Find the two lines, and say so."""
    lines = []
    number = 0
    for chunk in source.chunks():
        for line in bytes(chunk.buffer[chunk.start : chunk.stop]).split(b"\n")[:-1]:
            number += 1
            fields = line.split(None, 3)
            if len(fields) > DOCNO and fields[TOPIC] == error.topic and fields[DOCNO] == error.document:
                lines.append(number)
    raise InputError(
        source.name,
        lines[1],
        f"document {quoted(error.document)} of topic {quoted(error.topic)} again (first in line {lines[0]})",
        "each document once per topic",
    )

"""A run file becomes a Ranking: chunk by chunk while topics are whole, else collected first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.matching import repeated
from pres_eval.arrays.ordering import changes, distinct, has_equal, stable_order
from pres_eval.arrays.types import IntArray, Words
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.errors import InputError, quoted
from pres_eval.options import Options
from pres_eval.ranking.counted import Counted, Counting, Finder, IdsWantedError, tied_rows
from pres_eval.ranking.opening import DOCNO, TOPIC, Opening, opening_of
from pres_eval.ranking.order import DuplicateRowError, Ranked, Scores, Topics, rank_topics, topic_keys
from pres_eval.ranking.scattered import Collected, Rows
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import Cut, ScatteredError, cuts, in_two_passes
from pres_eval.reading.lines import RUN, Lines, in_parts, no_lines, parse_lines
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import Chunk, Source
from pres_eval.records import dataclass
from pres_eval.workers import num_processors

TAG = 5


@dataclass(frozen=True, eq=False)
class Ranking(Ranked):
    """A whole run, as far as it was judged.

    name, tag        of the file; of its last line
    num_lines        lines that are documents
    unjudged_ids     topics without judgements, the first unjudged.MOST of them
    longer_line      the first line with more than six columns
    more_unjudged    whether there are further ones
    form             what the file was recognised as, None for a trec run
    opening          the first document, and whether ranks run against scores
    tag_before       tag of the line before the last, if that was cut off in the middle of its own
    single, ascending
                     how scores were kept and ties went; an evaluation has to want the same
    """

    name: str
    tag: str
    num_lines: int
    unjudged_ids: WordIds
    longer_line: int | None
    single: bool
    ascending: bool
    more_unjudged: bool = False
    opening: Opening | None = None
    tag_before: str | None = None
    form: str | None = None

    @cached_property
    def unjudged(self) -> Ids:
        """The topics without judgements, in byte order."""
        return distinct(self.unjudged_ids.take(slice(None)))[0]


@dataclass(frozen=True, eq=False)
class Piece:
    """What is kept of one chunk."""

    chunk: Chunk
    ends_whole: bool
    num_lines: int
    num_rows: int
    tag: bytes
    tag_before: bytes
    opening: Opening | None
    longer_line: int | None
    topics: IntArray
    unjudged: WordIds = NO_IDS
    ranked: Ranked | None = None
    rows: Rows | None = None
    counted: Counted | None = None


class Judged(Protocol):
    """Judgements of any kind, as far as ranking goes: the documents that were judged, and how ties go."""

    @property
    def pool(self) -> Pool:
        """The documents that were judged."""

    @property
    def ties_ascending(self) -> bool:
        """Whether equal scores go by docno ascending, as for preferences."""


def only_topic(pool: Pool, topic: bytes | None) -> int | None:
    """The pool's number of the only topic that is wanted, -1 if the pool lacks it; None if all are wanted."""
    return None if topic is None else int(pool.find_topics(Ids.of([topic]))[0])


@dataclass(frozen=True, kw_only=True)
class _Reader:
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
        piece = _facts(cut, lines)
        if not len(lines):
            return piece
        topic_ids = lines.column(TOPIC)
        first = changes(topic_ids)
        # Where lines are in no order, few neighbours have the same topic.
        alone = len(first) == len(topic_ids) or (self.finder is not None and 2 * len(first) > len(topic_ids))
        segments = topic_ids if alone else topic_ids.take(first)
        topics = self.pool.find_topics(segments)
        lengths = np.diff(np.arange(len(lines) + 1) if alone else np.append(first, len(lines)))
        ids, kept = lines.column(DOCNO), self._cast(lines.numbers)
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
        ranked = rows_kept = counted = None
        if cut.whole_topics:
            if has_equal(topics):
                raise ScatteredError
            offsets = np.concatenate(([0], np.cumsum(lengths)))
            words = WordIds.of(ids)
            del ids
            ranked = rank_topics(
                self.pool,
                topics,
                offsets,
                kept,
                words,
                self.most,
                ascending=self.ascending,
                duplicates=self.duplicates,
            )
        else:
            topic = topics.astype(np.int32)
            topic = topic if alone else np.repeat(topic, lengths)
            if self.finder is not None:
                counted = self.finder.count(topic, kept, ids)
            elif self.ties is not None:
                rows_kept = tied_rows(self.ties, len(self.pool.topics), topic, kept, ids)
            else:
                rows_kept = Rows(topic, kept, WordIds.of(ids))
        return replace(
            piece,
            unjudged=WordIds.of(unjudged) if len(unjudged) else NO_IDS,
            topics=topics,
            ranked=ranked,
            rows=rows_kept,
            counted=counted,
        )

    def _cast(self, scores: NDArray[Any]) -> Scores:
        if not self.single:
            return scores
        with np.errstate(over="ignore"):
            # trec_eval: 9.0.8 keeps scores in 32 bits, so that near ones tie.
            return scores.astype(np.float32)


def _facts(cut: Cut, lines: Lines) -> Piece:
    """What is known of a chunk's lines without a look at their topics."""
    num_rows, longer = len(lines), lines.fields.longer
    return Piece(
        chunk=cut.chunk,
        ends_whole=cut.ends_whole,
        num_lines=lines.num_lines,
        num_rows=num_rows,
        tag=lines.text(num_rows - 1, TAG) if num_rows else b"",
        tag_before=lines.text(num_rows - 2, TAG) if num_rows > 1 else b"",
        opening=opening_of(lines) if cut.first and num_rows else None,
        longer_line=None if longer is None else int(longer.lines[0]),
        topics=np.zeros(0, np.int64),
    )


def read_run(
    source: Source, judged: Judged, options: Options | None = None, jobs: int | None = None
) -> Ranking:
    """Read a run and rank its documents; what nobody judged is dropped on the way.

    The judgements and options say how scores are kept, how ties go, and down to which rank (-M) a document
    that is there twice is an error.
    `jobs` threads parse (None: as many as there are processors to use); the result does not depend on it.
    Raises InputError for a malformed line or a document that a topic has twice.
    """
    jobs = jobs or num_processors()
    options = options or Options()
    reader = _Reader(
        pool=judged.pool,
        single=options.version.single_precision_scores,
        most=options.max_retrieved,
        ascending=judged.ties_ascending,
        duplicates=options.duplicates,
        only=only_topic(judged.pool, options.only_topic),
    )

    def read(given: Iterator[Cut], whole_topics: bool) -> Ranking:
        if whole_topics:
            return _Streaming(source, given, reader, jobs).read()
        with contextlib.suppress(IdsWantedError):
            return _Counting(source, given, replace(reader, finder=Finder(judged.pool)), jobs).read()
        return _Collecting(source, cuts(source, False), reader, jobs).read()

    try:
        return in_two_passes(source, read)
    except DuplicateRowError:
        if options.max_retrieved is not None:
            # Rows that came later may have moved these behind the last one that -M leaves.
            with contextlib.suppress(DuplicateRowError):
                return _Collecting(source, cuts(source, False), reader, jobs).read()
        raise _first_duplicate(source, reader, jobs) from None


class _Pass:
    """One pass over a run, whatever is done with the pieces."""

    def __init__(self, source: Source, chunks: Iterator[Cut], reader: _Reader, jobs: int) -> None:
        self.source = source
        self.chunks = chunks
        self.jobs = jobs
        self.reader = reader
        self.num_rows = 0
        self.tag, self.tag_before = b"", b""
        self.opening: Opening | None = None
        self.longer_line: int | None = None
        self.unjudged = UnjudgedTopics()
        self.ranked = Topics()

    def pieces(self) -> Iterator[Piece]:
        """The pieces in file order."""
        for lines_before, piece in in_parts(
            self.source, self.reader.piece, self.chunks, self.jobs, RUN.names
        ):
            if piece.longer_line is not None and self.longer_line is None:
                self.longer_line = lines_before + piece.longer_line + 1
            self._count(piece)
            yield piece

    def _count(self, piece: Piece) -> None:
        self.num_rows += piece.num_rows
        if piece.num_rows:
            self.tag, self.tag_before = piece.tag, piece.tag_before or self.tag
        self.opening = self.opening or piece.opening
        if len(piece.unjudged):
            self.unjudged.add(piece.unjudged)

    def ranking(self) -> Ranking:
        """The result, with what was counted on the way."""
        if not self.num_rows:
            raise no_lines(self.source, RUN)
        return Ranking(
            **vars(self.ranked.ranked()),
            name=self.source.name,
            tag=self.tag.decode("utf-8", "surrogateescape"),
            num_lines=self.num_rows,
            unjudged_ids=self.unjudged.ids(),
            longer_line=self.longer_line,
            more_unjudged=self.unjudged.more,
            opening=self.opening,
            tag_before=self._tag_before(),
            single=self.reader.single,
            ascending=self.reader.ascending,
        )

    def _tag_before(self) -> str | None:
        """The tag of the line before the last one if this was cut off in the middle of it."""
        cut_off = self.tag != self.tag_before and self.tag_before.startswith(self.tag)
        if self.source.final_newline or not cut_off:
            return None
        return self.tag_before.decode("utf-8", "surrogateescape")

    def rank_collected(self, rows: Collected) -> None:
        """Rank documents that were kept."""
        reader = self.reader
        rows.rank(
            reader.pool,
            self.ranked,
            self.jobs,
            reader.most,
            ascending=reader.ascending,
            duplicates=reader.duplicates,
        )


class _Streaming(_Pass):
    """Ranks each topic as soon as it is complete."""

    def read(self) -> Ranking:
        """Read the run; raises ScatteredError if a topic comes again."""
        seen = np.zeros(len(self.reader.pool.topics), np.bool_)
        waiting = Collected(self.reader.single)
        for piece in self.pieces():
            topics = piece.topics
            if len(waiting) and len(topics) and topics[0] == waiting.last_topic():
                topics = topics[1:]
            if seen[topics].any() or has_equal(topics):
                raise ScatteredError
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


class _Counting(_Pass):
    """Keeps two numbers of each document of a judged topic, in whatever order the lines are."""

    def read(self) -> Ranking:
        """Read the run; raises IdsWantedError if that is not enough."""
        counting = Counting(self.reader.pool, self.reader.single)
        for piece in self.pieces():
            if piece.counted is not None:
                counting.add(piece.counted)
        if self.num_rows:
            self.ranked.add(counting.rank(self.jobs, self._rank_tied))
        return self.ranking()

    def _rank_tied(self, ties: Words) -> Ranked:
        """Read the run again, for the documents of some ties."""
        reader = replace(self.reader, finder=None, ties=ties)
        rows = Collected(reader.single)
        for piece in _Pass(self.source, cuts(self.source, False), reader, self.jobs).pieces():
            if piece.rows is not None:
                rows.add(piece.rows)
        bounds = np.searchsorted(topic_keys(len(reader.pool.topics), reader.single), ties, side="right")
        ranked = Topics()
        rows.rank(
            reader.pool,
            ranked,
            self.jobs,
            None,
            ascending=reader.ascending,
            topics=bounds.astype(np.int64) - 1,
        )
        return ranked.ranked()


class _Collecting(_Pass):
    """Keeps all documents of judged topics first, and ranks them when all are there."""

    def read(self) -> Ranking:
        """Read the run, in whatever order its lines come."""
        rows = Collected(self.reader.single)
        for piece in self.pieces():
            if piece.rows is not None:
                rows.add(piece.rows)
        if len(rows):
            self.rank_collected(rows)
        return self.ranking()


def _first_duplicate(source: Source, reader: _Reader, jobs: int) -> InputError:
    """The error of a run in which topics have documents twice: of the first line that is one too many.

    The whole run is read for it, and a malformed line anywhere raises its own error, so that what is named
    does not depend on where the run was cut into chunks.
    """
    again: dict[tuple[bytes, bytes], list[int]] = {
        (error.topic, error.document): [] for error in _duplicates(source, reader, jobs)
    }
    topics = {topic for topic, _ in again}
    number = 0
    for chunk in source.chunks():
        lines = parse_lines(chunk, RUN)
        ids, documents = lines.column(TOPIC), lines.column(DOCNO)
        heads = changes(ids)
        for start, stop in zip(heads.tolist(), [*heads.tolist()[1:], len(lines)], strict=True):
            if (topic := ids[start]) not in topics:
                continue
            for row, document in enumerate(documents[start:stop], start):
                if (topic, document) in again:
                    again[topic, document].append(number + int(lines.line_of(np.array([row]))[0]) + 1)
        number += lines.num_lines
        source.give_back(chunk)
    if not again or min(map(len, again.values())) < 2:  # read once more, the file has other lines
        return source.changed()
    (topic, document), places = min(again.items(), key=lambda item: item[1][1])
    return InputError(
        source.name,
        places[1],
        f"document {quoted(document)} of topic {quoted(topic)} again (first in line {places[0]})",
        "each document once per topic",
    )


def _duplicates(source: Source, reader: _Reader, jobs: int) -> Iterator[DuplicateRowError]:
    """The first document that is there twice of each topic that has one."""
    pieces = _Pass(source, cuts(source, False), reader, jobs).pieces()
    parts = [piece.rows for piece in pieces if piece.rows is not None]
    topic = np.concatenate([part.topic for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    ids = WordIds.concatenate([part.ids for part in parts])
    order = stable_order(topic, len(reader.pool.topics))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(topic))))
    again, _ = repeated(offsets, ids.pick(order))
    for number in np.unique(topic[order[again]]).tolist():
        rows = order[int(offsets[number]) : int(offsets[number + 1])]
        chosen, ends = np.array([number]), np.array([0, len(rows)])
        picked = ids.pick(rows)
        try:
            rank_topics(
                reader.pool, chosen, ends, scores[rows], picked, reader.most, ascending=reader.ascending
            )
        except DuplicateRowError as error:
            yield error

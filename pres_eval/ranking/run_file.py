"""A run file becomes a Ranking: chunk by chunk while topics are whole, else collected first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.ordering import distinct, has_equal
from pres_eval.arrays.types import Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.options import Options
from pres_eval.ranking.counted import Counting, IdsWantedError
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.finder import Finder
from pres_eval.ranking.keys import topic_keys
from pres_eval.ranking.opening import Opening
from pres_eval.ranking.order import DuplicateRowError
from pres_eval.ranking.pieces import Piece, Reader
from pres_eval.ranking.ranked import Ranked, Topics
from pres_eval.ranking.scattered import Collected
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import ScatteredError, cuts
from pres_eval.reading.lines import RUN, in_parts, no_lines
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import Source
from pres_eval.records import dataclass
from pres_eval.workers import num_processors


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

    @property
    def has_judged(self) -> bool:
        """Whether a judged document was retrieved."""
        return bool(len(self.rank))

    @cached_property
    def unjudged(self) -> Ids:
        """The topics without judgements, in byte order."""
        return distinct(self.unjudged_ids.take(slice(None)))[0]


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


Pieces = Callable[[Reader], Iterator[Piece]]
"""What a reader keeps of a run, piece by piece in the order of the file, however it is cut."""


def reader_for(judged: Judged, options: Options) -> Reader:
    """What judgements and options say of how a run is read."""
    return Reader(
        pool=judged.pool,
        single=options.version.single_precision_scores,
        most=options.max_retrieved,
        ascending=judged.ties_ascending,
        duplicates=options.duplicates,
        only=only_topic(judged.pool, options.only_topic),
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
    reader = reader_for(judged, options)

    def pieces(reader: Reader, whole_topics: bool = False) -> Iterator[Piece]:
        parts = in_parts(source, reader.piece, cuts(source, whole_topics), jobs, RUN.names)
        return (piece for _, piece in parts)

    try:
        with contextlib.suppress(ScatteredError):
            return _Streaming(source, reader, pieces(reader, whole_topics=True), jobs).read()
        return rank_in_no_order(source, reader, pieces, jobs)
    except DuplicateRowError:
        if options.max_retrieved is not None:
            # Rows that came later may have moved these behind the last one that -M leaves.
            with contextlib.suppress(DuplicateRowError):
                return _Collecting(source, reader, pieces(reader), jobs).read()
        from pres_eval.ranking.duplicates import first_duplicate  # seldom needed

        raise first_duplicate(source, reader, _Pass(source, reader, pieces(reader), jobs).pieces()) from None


def rank_in_no_order(source: Source, reader: Reader, pieces: Pieces, jobs: int) -> Ranking:
    """The ranking of a run with lines in any order, which `pieces` reads; `jobs` threads put it together.

    Documents are kept only where they come twice, or many scores tie.  Raises DuplicateRowError.
    """
    counting = replace(reader, finder=Finder(reader.pool))
    with contextlib.suppress(IdsWantedError):
        return _Counting(source, counting, pieces(counting), jobs).read(pieces)
    return _Collecting(source, reader, pieces(reader), jobs).read()


class _Pass:
    """One pass over a run, whatever is done with the pieces."""

    def __init__(self, source: Source, reader: Reader, pieces: Iterator[Piece], jobs: int) -> None:
        self.source = source
        self.reader = reader
        self.jobs = jobs
        self._pieces = pieces
        self.facts = Facts()
        self.opening: Opening | None = None
        self.unjudged = UnjudgedTopics()
        self.ranked = Topics()

    def pieces(self) -> Iterator[Piece]:
        """The pieces in file order."""
        for piece in self._pieces:
            self.facts = self.facts.then(piece.facts)
            self.opening = self.opening or piece.opening
            if len(piece.unjudged):
                self.unjudged.add(piece.unjudged)
            yield piece

    def ranking(self) -> Ranking:
        """The result, with what was counted on the way."""
        if not self.facts.num_rows:
            raise no_lines(self.source, RUN)
        newline = self.source.final_newline and self.facts.final_newline
        facts = replace(self.facts, final_newline=newline)
        return Ranking(
            **vars(self.ranked.ranked()),
            **facts.of_ranking(),
            name=self.source.name,
            unjudged_ids=self.unjudged.ids(),
            more_unjudged=self.unjudged.more,
            opening=self.opening,
            single=self.reader.single,
            ascending=self.reader.ascending,
        )

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

    def read(self, pieces: Pieces) -> Ranking:
        """Read the run, with `pieces` again where scores tie; raises IdsWantedError if that is not enough."""
        counting = Counting(self.reader.pool, self.reader.single)
        for piece in self.pieces():
            if piece.counted is not None:
                counting.add(piece.counted)
        if self.facts.num_rows:
            self.ranked.add(counting.rank(self.jobs, lambda ties: self._rank_tied(ties, pieces)))
        return self.ranking()

    def _rank_tied(self, ties: Words, pieces: Pieces) -> Ranked:
        """Read the run again, for the documents of some ties, whose keys are ascending (E,)."""
        reader = replace(self.reader, finder=None, ties=ties)
        rows = Collected(reader.single)
        for piece in pieces(reader):
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

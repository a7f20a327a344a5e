"""The rows of a split, block by block, of any form; and what is counted on the way."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.ordering import changes
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.cluster.splits import Split, text_of
from pres_eval.cluster.storage import source_of
from pres_eval.errors import EmptyFileError, InputError
from pres_eval.options import ERROR, Options
from pres_eval.ranking.columns import RunColumns, Texts, check_scores
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.finder import Finder
from pres_eval.ranking.opening import DOCNO, TOPIC
from pres_eval.ranking.ranked import Scores, in_precision
from pres_eval.ranking.run_file import Judged, only_topic
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import TopicCutter
from pres_eval.reading.lines import RUN, LineError, Lines, parse_lines
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import behind_last_line
from pres_eval.records import dataclass

CHUNK = 1 << 20
"""Bytes read at a time: fewer than in reading.source, as no other thread waits for Python's lock."""

LEAST_CHUNK = 1 << 12
"""Bytes that are read of a small split at a time, behind its own."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """What every worker has to know: the judged documents, and how a run is ranked.

    single, ascending  scores are kept in 32 bits; equal ones go by docno ascending
    most               -M
    only               the one topic that is wanted, None for all
    duplicates         which row counts of a document that is there twice
    """

    pool: Pool
    single: bool
    ascending: bool
    most: int | None = None
    only: int | None = None
    duplicates: str = ERROR

    @classmethod
    def of(cls, judged: Judged, options: Options) -> Wanted:
        """What judgements and options say."""
        return cls(
            pool=judged.pool,
            single=options.version.single_precision_scores,
            ascending=judged.ties_ascending,
            most=options.max_retrieved,
            only=only_topic(judged.pool, options.only_topic),
            duplicates=options.duplicates,
        )

    @property
    def ties_ascending(self) -> bool:
        """As `Judged` calls it."""
        return self.ascending

    def __reduce__(self) -> tuple[type[Wanted], tuple[Any, ...]]:
        # What a worker hands to another one is what was sent to it, without what it made of that.
        return Wanted, (self.pool, self.single, self.ascending, self.most, self.only, self.duplicates)

    @cached_property
    def finder(self) -> Finder:
        """Finds judged documents; made once in each process."""
        return Finder(self.pool)

    def cast(self, scores: FloatArray) -> Scores:
        """The scores as they are kept."""
        return in_precision(scores, self.single)


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file, found in one of its splits.

    line       in the split, from 1; None for the file
    of_lines   whether the fault is one of a line's columns, about which the file's beginning may tell more
    """

    line: int | None
    found: str
    expected: str | None
    of_lines: bool = False


@dataclasses.dataclass
class Tally:
    """What is known of a split besides its ranks.

    facts           of its lines, or rows of Parquet
    unjudged, more  topics without judgements, and whether there are further ones
    fault           the first fault, after which nothing was read
    nan             the first score that is not a number (of a Parquet file)
    """

    facts: Facts = field(default_factory=Facts)
    unjudged: WordIds = field(default_factory=lambda: NO_IDS)
    more: bool = False
    fault: Fault | None = None
    nan: Fault | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """N rows of a split that belong to judged topics, in order.

    num_segments  stretches of rows with the same topic, also without judgements
    segment       (S,) which of them have judgements
    topic         (S,) their topics, as indices of the pool's
    lengths       (S,) and their rows
    scores, ids   (N,)
    ends_whole    whether another topic is known to follow
    lines, rows   the lines that the rows are in, if they are of a text; which of these or of a table's they
                  are (N,), None for all
    before        lines, or rows, of the split that came before
    """

    num_segments: int
    segment: IntArray
    topic: IntArray
    lengths: IntArray
    scores: Scores
    ids: Ids | WordIds
    ends_whole: bool
    lines: Lines | None
    rows: IntArray | None
    before: int

    def place_of(self, rows: IntArray) -> IntArray:
        """(n,) where some of the rows (n,) are in the split: lines from 1, rows of a table from 0."""
        chosen = rows if self.rows is None else self.rows[rows]
        return self.before + (chosen if self.lines is None else self.lines.line_of(chosen) + 1)

    def topic_of(self) -> IntArray:
        """(N,) the topic of each row."""
        return np.repeat(self.topic, self.lengths)


class Scan:
    """Reads a split, and tells what was in it; stops at a fault."""

    def __init__(self, split: Split, wanted: Wanted, between_topics: bool) -> None:
        self.tally = Tally()
        self._split = split
        self._wanted = wanted
        self._between_topics = between_topics
        self._unjudged = UnjudgedTopics(split.unjudged)

    def blocks(self) -> Iterator[Block]:
        """The rows of judged topics; none after a fault."""
        try:
            yield from self._rows_of_table() if self._split.parquet else self._lines()
        except EmptyFileError:
            pass
        except LineError as error:
            line = self.tally.facts.num_lines + error.line + 1
            self.tally.fault = Fault(line, error.found, error.expected, of_lines=True)
        except InputError as error:
            self.tally.fault = Fault(error.line, error.found, error.expected)
        self.tally.unjudged, self.tally.more = self._unjudged.ids(), self._unjudged.more

    def _lines(self) -> Iterator[Block]:
        split = self._split
        source = text_of(split)
        cutter = TopicCutter()
        cutter.whole = False
        cut_place = cutter if self._between_topics else behind_last_line
        size = CHUNK if split.compressed else min(split.stop - split.start + LEAST_CHUNK, CHUNK)
        for chunk in source.chunks(size, cut_place):
            ends_whole, cutter.whole = cutter.whole, False  # the last chunk is not cut
            lines, before = parse_lines(chunk, RUN).checked(), self.tally.facts.num_lines
            self.tally.facts = self.tally.facts.then(Facts.of(lines))
            if len(lines):
                yield self._block_of_lines(lines, before, ends_whole)
            source.give_back(chunk)
        self.tally.facts = replace(self.tally.facts, final_newline=source.final_newline)

    def _block_of_lines(self, lines: Lines, before: int, ends_whole: bool) -> Block:
        topics = lines.column(TOPIC)
        first = changes(topics)
        return self._block(
            topics.take(first),
            np.diff(first, append=len(lines)),
            lines.numbers,
            lines.column(DOCNO),
            ends_whole,
            before,
            lines,
        )

    def _rows_of_table(self) -> Iterator[Block]:
        from pres_eval.reading.formats.parquet import opened, row_groups

        source = source_of(self._split.file)
        tally = self.tally
        with opened(source) as file:
            for part in row_groups(source, file, range(self._split.start, self._split.stop), False):
                scores = part.numbers.astype(np.float64)
                topics = part.topics.take(slice(None))
                before = tally.facts.num_rows
                tally.facts = tally.facts.then(Facts(num_rows=len(scores)))
                if tally.nan is None:
                    columns = RunColumns(
                        source.name, topics, part.lengths, Texts(part.documents.take(slice(None))), scores
                    )
                    try:
                        check_scores(columns)
                    except InputError as error:
                        tally.nan = Fault(None, error.found, error.expected)
                if tally.nan is None:
                    yield self._block(topics, part.lengths, scores, part.documents, False, before)

    def _block(
        self,
        topics: Ids,
        lengths: IntArray,
        scores: FloatArray,
        ids: Ids | WordIds,
        ends_whole: bool,
        before: int,
        lines: Lines | None = None,
    ) -> Block:
        wanted = self._wanted
        topic = wanted.pool.find_topics(topics)
        unjudged = topics.take(topic < 0)
        if len(unjudged):
            self._unjudged.add(WordIds.of(unjudged))
        if wanted.only is not None:
            # trec_eval: the other topics are not looked at, so that no document there is one too many.
            topic = np.where(topic == wanted.only, topic, -1)
        segment = np.flatnonzero(topic >= 0)
        scores_kept, rows = wanted.cast(scores), None
        if len(segment) < len(topic):
            rows = np.flatnonzero(np.repeat(topic >= 0, lengths))
            ids, scores_kept = ids.take(rows), scores_kept[rows]
        return Block(
            num_segments=len(topic),
            segment=segment,
            topic=topic[segment],
            lengths=lengths[segment],
            scores=scores_kept,
            ids=ids,
            ends_whole=ends_whole,
            lines=lines,
            rows=rows,
            before=before,
        )


def cut_loose(ids: Ids | WordIds) -> WordIds:
    """The ids without the buffer that they are in."""
    return ids if isinstance(ids, WordIds) else WordIds.of(ids)

"""A whole run or qrels file as arrays, faulty rows left out: what the checks look at.

Topics get numbers in the order in which they appear.  A document of a topic is a 64-bit key: the sum of two
hashes, the same in every file; a loose key is the same for ids that differ in case or leading zeros alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import Ids, changes, equal
from pres_eval.arrays.matching import KeyTable
from pres_eval.arrays.types import BoolArray, Bytes, FloatArray, IntArray, Words
from pres_eval.checking.findings import Example, FileReport
from pres_eval.checking.likeness import loose_hashes
from pres_eval.checking.lines import Lines, split_all, tell_lines
from pres_eval.errors import InputError, quoted
from pres_eval.reading.cutting import TopicCutter
from pres_eval.reading.numbers import read_number, read_numbers, read_whole_numbers
from pres_eval.reading.source import Chunk, Source
from pres_eval.workers import UNTHREADED, in_order

AnyArray = NDArray[Any]

RUN_LAYOUT = "6 (topic Q0 docno rank score tag)"
QRELS_LAYOUT = "4 (topic iteration docno relevance)"
NO_NUMBER = np.iinfo(np.int32).min
"""Stands for a rank or a grade that is no whole number (of 32 bits)."""

_LARGEST = np.iinfo(np.int32).max
_TOPIC_SEED, _DOCNO_SEED = 1, 2
_MANY = 64
"""Changes of an id in a chunk above which equal ids are looked for with hashes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Ids of rows, as the distinct ones and which of them each stretch of rows has."""

    ids: list[bytes]
    which: IntArray
    starts: IntArray


@dataclass(frozen=True, eq=False)
class Rows:
    """The R good rows of a chunk or of a file.

    topic       (R,) index of each row's topic
    numbers     (R,) scores of a run, relevance of a qrels file (whole numbers)
    ranks       (R,) the rank column of a run, empty for qrels
    keys        (R,) topic and document as one number
    loose_keys  (R,) the same without case and leading zeros; only of qrels
    """

    topic: AnyArray
    numbers: AnyArray
    ranks: AnyArray
    keys: Words
    loose_keys: Words

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class Part:
    """One chunk: its good rows, with topics numbered as in `topics`, and what else was found in it.

    lines    of each row in the chunk, counted from 0; None where row i is line i
    lengths  rows of each topic
    near, near_to
             lines that look like a judged document, and the rows of the qrels that these are
    """

    chunk: Chunk
    report: FileReport
    num_lines: int
    lines: IntArray | None
    topics: Segments
    lengths: IntArray
    tags: Segments | None
    rows: Rows | None
    found: int = 0
    near: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    near_to: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def line_of(self, rows: IntArray) -> IntArray:
        """The lines of rows in the chunk, counted from 1."""
        return (rows if self.lines is None else self.lines[rows]) + 1


@dataclass(frozen=True, eq=False)
class Judged:
    """The keys of the documents of a qrels file, for the join with a run."""

    keys: KeyTable
    loose_keys: KeyTable

    @classmethod
    def of(cls, qrels: Columns) -> Judged:
        """The keys of a qrels file."""
        assert qrels.rows is not None
        return cls(KeyTable(qrels.rows.keys), KeyTable(qrels.rows.loose_keys))

    def join(self, keys: Words, loose_keys: Words) -> tuple[int, IntArray, IntArray]:
        """How many rows are judged; the rows that are nearly a judged document, and its row in the qrels."""
        rest = np.flatnonzero(self.keys.find(keys) < 0)
        near_to = self.loose_keys.find(loose_keys[rest])
        near = np.flatnonzero(near_to >= 0)
        return len(keys) - len(rest), rest[near], near_to[near]


@dataclass(frozen=True, eq=False)
class Columns:
    """A whole file.

    topics    their ids, in the order in which they appear
    lengths   rows of each topic
    segments  the topic of each stretch of rows, in the order of the file
    tags      of a run, with how often each stands and its first line
    found     how many rows of a run are judged
    near, near_to
              lines of a run that look like a judged document, and the rows of the qrels that these are
    rows      all rows, if they were kept
    """

    topics: list[bytes]
    lengths: IntArray
    segments: IntArray
    tags: dict[bytes, tuple[int, int]]
    num_lines: int
    found: int
    near: IntArray
    near_to: IntArray
    rows: Rows | None
    _first_rows: IntArray
    _first_lines: IntArray
    _lines: Sequence[IntArray | None]

    def line_of(self, rows: IntArray) -> IntArray:
        """The lines of rows in the file, counted from 1."""
        part = np.searchsorted(self._first_rows, rows, side="right") - 1
        lines = rows - self._first_rows[part]
        for number in np.unique(part).tolist():
            explicit = self._lines[number]
            if explicit is not None:
                chosen = part == number
                lines[chosen] = explicit[lines[chosen]]
        return lines + self._first_lines[part] + 1

    def __len__(self) -> int:
        return int(self._first_rows[-1])


class ScatteredError(Exception):
    """The rows of a topic don't stand together, or not in one chunk."""


Parse = Callable[[Chunk, int], Part]
"""Makes a part of a chunk; keeps so many examples of each kind."""


def read_columns(source: Source, report: FileReport, parse: Parse, jobs: int) -> Columns:
    """Read a whole file and keep its rows; what the parts tell goes into the report.

    Raises InputError if the file can't be read to its end.
    """
    gathered = _Gathered(report, whole_topics=False)
    for part in _parts(source, source.chunks(), parse, report.most, jobs):
        gathered.add(part)
    return gathered.columns()


def read_topics(source: Source, report: FileReport, parse: Parse, jobs: int) -> Columns:
    """The same for a run whose topics stand together, chunk by chunk: `parse` sees whole topics.

    Raises ScatteredError if a topic does not stand in one chunk as a whole.
    """
    cutter = TopicCutter()
    gathered = _Gathered(report, whole_topics=True)
    for part in _parts(source, _whole_topics(source, cutter), parse, report.most, jobs):
        gathered.add(part)
    return gathered.columns()


def _whole_topics(source: Source, cutter: TopicCutter) -> Iterator[Chunk]:
    for chunk in source.chunks(cut_place=cutter):
        if not cutter.whole:
            raise ScatteredError
        yield chunk


def _parts(source: Source, chunks: Iterable[Chunk], parse: Parse, most: int, jobs: int) -> Iterator[Part]:
    for part in in_order(lambda chunk: parse(chunk, most), chunks, jobs, UNTHREADED):
        source.give_back(part.chunk)
        yield part


class _Gathered:
    """The parts of a file, in their order."""

    def __init__(self, report: FileReport, whole_topics: bool) -> None:
        self.report = report
        self.whole_topics = whole_topics
        self.numbers: dict[bytes, int] = {}
        self.lengths: list[tuple[IntArray, IntArray]] = [(_NO_ROWS, _NO_ROWS)]
        self.segments: list[IntArray] = [_NO_ROWS]
        self.tags: dict[bytes, tuple[int, int]] = {}
        self.rows: list[Rows] = []
        self.lines: list[IntArray | None] = []
        self.found = 0
        self.near: list[IntArray] = [_NO_ROWS]
        self.near_to: list[IntArray] = [_NO_ROWS]
        self.first_rows, self.first_lines = [0], [0]

    def add(self, part: Part) -> None:
        """Take the next part."""
        before = self.first_lines[-1]
        self.report.merge(part.report, before)
        known = len(self.numbers)
        ids = part.topics.ids
        numbers = np.array([self.numbers.setdefault(topic, len(self.numbers)) for topic in ids], np.int64)
        if self.whole_topics and len(self.numbers) < known + len(part.topics.which):
            raise ScatteredError
        self.lengths.append((numbers, part.lengths))
        self.segments.append(numbers[part.topics.which])
        size = int(part.lengths.sum())
        if part.tags is not None:
            self._add_tags(part.tags, part, before, size)
        if part.rows is not None:
            self.rows.append(replace(part.rows, topic=numbers.astype(np.int32)[part.rows.topic]))
        self.lines.append(part.lines)
        self.found += part.found
        self.near.append(part.near + before)
        self.near_to.append(part.near_to)
        self.first_rows.append(self.first_rows[-1] + size)
        self.first_lines.append(before + part.num_lines)

    def _add_tags(self, tags: Segments, part: Part, before: int, size: int) -> None:
        lengths = np.diff(np.append(tags.starts, size))
        for number, tag in enumerate(tags.ids):
            mine = tags.which == number
            line = before + int(part.line_of(tags.starts[mine][:1])[0])
            count, first = self.tags.get(tag, (0, line))
            self.tags[tag] = (count + int(lengths[mine].sum()), first)

    def columns(self) -> Columns:
        """The whole file."""
        segments = np.concatenate(self.segments)
        lengths = np.zeros(len(self.numbers), np.int64)
        which, counts = (np.concatenate(parts) for parts in zip(*self.lengths, strict=True))
        np.add.at(lengths, which, counts)
        return Columns(
            topics=list(self.numbers),
            lengths=lengths,
            segments=segments[changed(segments)],
            tags=self.tags,
            num_lines=self.first_lines[-1],
            found=self.found,
            near=np.concatenate(self.near),
            near_to=np.concatenate(self.near_to),
            rows=Rows(**{name: _joined(self.rows, name) for name in _ROWS}) if self.rows else None,
            _first_rows=np.array(self.first_rows),
            _first_lines=np.array(self.first_lines),
            _lines=self.lines,
        )


_ROWS = ("topic", "numbers", "ranks", "keys", "loose_keys")


def _joined(rows: list[Rows], name: str) -> AnyArray:
    return np.concatenate([getattr(part, name) for part in rows])


def changed(values: AnyArray) -> BoolArray:
    """Where a value stands that differs from the one before; the first does."""
    return np.concatenate((np.ones(min(len(values), 1), np.bool_), values[1:] != values[:-1]))


_NO_ROWS = np.zeros(0, np.int64)
_NO_KEYS = np.zeros(0, np.uint64)


def parse_run(judged: Judged | None, chunk: Chunk, most: int) -> Part:
    """A chunk of a run, joined with the judgements if there are any."""
    report = FileReport("", "run", most)
    lines = split_all(chunk, 6, keep_longer=True)
    tell_lines(report, chunk, lines, RUN_LAYOUT, "extra-columns")
    buffer = chunk.array()
    good, scores = _scores(report, buffer, lines)
    report.counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    numbers = lines.line_of(np.arange(len(lines)) if good is None else good)
    ranks = _whole(report, lines.column(buffer, 3, good), numbers, "rank")
    part, rows = _part(chunk, report, lines, good, scores)
    tags = segments_of(lines.column(buffer, 5, good))
    part = replace(part, tags=tags, rows=replace(rows, ranks=ranks, loose_keys=_NO_KEYS))
    if judged is None:
        return part
    found, near, near_to = judged.join(rows.keys, rows.loose_keys)
    return replace(part, found=found, near=part.line_of(near), near_to=near_to)


def parse_qrels(chunk: Chunk, most: int) -> Part:
    """A chunk of a qrels file."""
    report = FileReport("", "qrels", most)
    lines = split_all(chunk, 4, keep_longer=False)
    tell_lines(report, chunk, lines, QRELS_LAYOUT, "too-many-columns")
    column = lines.column(chunk.array(), 3)
    grades = _whole(report, column, lines.line_of(np.arange(len(lines))), "relevance")
    good = None if (grades != NO_NUMBER).all() else np.flatnonzero(grades != NO_NUMBER)
    return _part(chunk, report, lines, good, grades if good is None else grades[good])[0]


def _part(
    chunk: Chunk, report: FileReport, lines: Lines, good: IntArray | None, numbers: AnyArray
) -> tuple[Part, Rows]:
    buffer = chunk.array()
    topics, documents = lines.column(buffer, 0, good), lines.column(buffer, 2, good)
    segments = segments_of(topics)
    stretches = np.diff(np.append(segments.starts, len(topics)))
    hashes = np.repeat(topics.take(segments.starts).hashes(_TOPIC_SEED), stretches)
    rows = Rows(
        topic=np.repeat(segments.which, stretches),
        numbers=numbers,
        ranks=np.zeros(0, np.int32),
        keys=documents.hashes(_DOCNO_SEED) + hashes,
        loose_keys=loose_hashes(documents) + hashes,
    )
    lengths = np.zeros(len(segments.ids), np.int64)
    np.add.at(lengths, segments.which, stretches)
    explicit = lines.lines if good is None else lines.line_of(good)
    return Part(chunk, report, lines.num_lines, explicit, segments, lengths, None, rows), rows


def segments_of(ids: Ids) -> Segments:
    """The distinct ids in the order in which they appear, and where each stretch of rows begins."""
    starts = changes(ids)
    heads = ids.take(starts)
    if len(starts) > _MANY:
        _, first, which = np.unique(heads.hashes(_TOPIC_SEED), return_index=True, return_inverse=True)
        if equal(heads, heads.take(first[which])).all():
            order = np.argsort(first)
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            return Segments(list(heads.take(first[order])), place[which], starts)
    numbers: dict[bytes, int] = {}
    which = np.array([numbers.setdefault(i, len(numbers)) for i in heads], np.int64)
    return Segments(list(numbers), which, starts)


def _scores(report: FileReport, buffer: Bytes, lines: Lines) -> tuple[IntArray | None, FloatArray]:
    """The rows with a score that is one (None: all), and their scores."""
    ids = lines.column(buffer, 4)
    numbers = lines.line_of(np.arange(len(lines)))
    scores, wrong = read_numbers(buffer, ids.starts, ids.starts + ids.lengths)
    good = None
    if wrong is not None:
        values = [read_number(token) for token in ids]
        good = np.array([row for row, value in enumerate(values) if value is not None], np.int64)
        bad = [row for row, value in enumerate(values) if value is None]
        for kind, is_nan in (("score-nan", True), ("score-no-number", False)):
            rows = np.array(
                [row for row in bad if (_NAN.fullmatch(ids[row]) is not None) is is_nan], np.int64
            )
            report.add(kind, len(rows), "", _examples("score", ids, rows, numbers))
        scores = np.array([value for value in values if value is not None], np.float64)
    infinite = np.flatnonzero(np.isinf(scores))
    rows = infinite if good is None else good[infinite]
    report.add("score-infinite", len(rows), "", _examples("score", ids, rows, numbers))
    return good, scores


_NAN = re.compile(rb"[+-]?nan(\([^)]*\))?", re.IGNORECASE)


def _whole(report: FileReport, ids: Ids, lines: IntArray, what: str) -> AnyArray:
    """Whole numbers; NO_NUMBER for what is none, which is told."""
    if not len(ids):
        return np.zeros(0, np.int32)
    values, wrong = read_whole_numbers(ids.buffer, ids.starts, ids.starts + ids.lengths)
    if wrong is None and (np.abs(values) <= _LARGEST).all():
        return values.astype(np.int32)
    texts = list(ids)
    values = np.array([int(i) if _fits(i) else NO_NUMBER for i in texts], np.int32)
    kind = "rank-no-number" if what == "rank" else "relevance-no-integer"
    rows = np.flatnonzero(values == NO_NUMBER)
    report.add(kind, len(rows), "", _examples(what, ids, rows, lines))
    return values


def _fits(token: bytes) -> bool:
    return re.fullmatch(rb"[+-]?\d+", token) is not None and abs(int(token)) <= _LARGEST


def _examples(what: str, ids: Ids, rows: IntArray, lines: IntArray) -> Iterator[Example]:
    for row in rows.tolist():
        yield Example(int(lines[row]) + 1, f"{what} {quoted(ids[row])}")


def unreadable(error: InputError) -> tuple[str, Example]:
    """An error that ended the reading, as a finding: its kind and an example."""
    kind = "no-documents" if "empty" in error.found or "no lines" in error.found else "unreadable"
    return kind, Example(error.line, error.found)

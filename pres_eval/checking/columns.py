"""A whole run or qrels file as arrays, faulty rows left out: what the checks look at.

Topics get numbers in the order in which they appear.  A document of a topic is a 64-bit key: the sum of two
hashes, the same in every file; another key is the same for ids that differ in case or leading zeros alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pres_eval.batch import FloatArray, IntArray
from pres_eval.checking.findings import Example, FileReport
from pres_eval.checking.likeness import loose_hashes
from pres_eval.checking.lines import Lines, split_all, tell_lines
from pres_eval.errors import InputError, quoted
from pres_eval.reading.keys import Ids, Words, changes, equal
from pres_eval.reading.numbers import read_number, read_numbers, read_whole_numbers
from pres_eval.reading.source import Chunk, Source
from pres_eval.reading.tokens import Bytes
from pres_eval.workers import Work, Workers

RUN_LAYOUT = "6 (topic Q0 docno rank score tag)"
QRELS_LAYOUT = "4 (topic iteration docno relevance)"
NO_RANK = np.iinfo(np.int64).min
"""Stands for a rank that is no whole number."""

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
class Part:
    """One chunk: R good rows and what else was found in it."""

    chunk: Chunk
    report: FileReport
    num_lines: int
    lines: IntArray | None
    topics: Segments
    numbers: FloatArray | IntArray
    ranks: IntArray | None
    tags: Segments | None
    keys: Words
    loose_keys: Words


@dataclass(eq=False)
class Columns:
    """All R good rows of a file.

    topics      their ids, in the order in which they appear
    topic       (R,) index of each row's topic
    numbers     (R,) scores of a run, relevance of a qrels file (whole numbers)
    ranks       (R,) the rank column of a run
    keys, loose_keys
                (R,) topic and document as one number; the same without case and leading zeros
    tags        of a run, with how often each stands and its first line
    """

    topics: list[bytes]
    topic: IntArray
    numbers: FloatArray | IntArray
    ranks: IntArray | None
    keys: Words
    loose_keys: Words
    tags: dict[bytes, tuple[int, int]]
    num_lines: int
    segments: IntArray
    _first_rows: IntArray
    _first_lines: IntArray
    _lines: Sequence[IntArray | None] = field(default_factory=list)

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
        return len(self.topic)


Parse = Callable[[Chunk, int], Part]


def read_columns(source: Source, report: FileReport, parse: Parse, jobs: int) -> Columns:
    """Read a whole file; everything that the lines alone tell goes into the report.

    Raises InputError if the file can't be read to its end.
    """
    gathered = _Gathered(report)
    waiting: list[Work] = []
    with Workers(jobs) as workers:
        for chunk in source.chunks():
            waiting.append(workers.start(parse, chunk, report.most))
            while len(waiting) > jobs:
                gathered.add(waiting.pop(0)(), source)
        for work in waiting:
            gathered.add(work(), source)
    return gathered.columns()


class _Gathered:
    """The parts of a file, in their order."""

    def __init__(self, report: FileReport) -> None:
        self.report = report
        self.parts: list[Part] = []
        self.numbers: dict[bytes, int] = {}
        self.topic: list[IntArray] = []
        self.segments: list[IntArray] = []
        self.tags: dict[bytes, tuple[int, int]] = {}
        self.first_rows, self.first_lines = [0], [0]

    def add(self, part: Part, source: Source) -> None:
        before = self.first_lines[-1]
        self.report.merge(part.report, before)
        size = len(part.keys)
        numbers = np.array([self.numbers.setdefault(i, len(self.numbers)) for i in part.topics.ids], np.int64)
        segments = numbers[part.topics.which]
        self.segments.append(segments)
        self.topic.append(np.repeat(segments, np.diff(np.append(part.topics.starts, size))).astype(np.int32))
        if part.tags is not None:
            self._add_tags(part.tags, part.lines, before, size)
        self.first_rows.append(self.first_rows[-1] + size)
        self.first_lines.append(before + part.num_lines)
        source.give_back(part.chunk)
        self.parts.append(part)

    def _add_tags(self, tags: Segments, lines: IntArray | None, before: int, size: int) -> None:
        lengths = np.diff(np.append(tags.starts, size))
        for number, tag in enumerate(tags.ids):
            mine = tags.which == number
            row = int(tags.starts[mine][0])
            count, line = self.tags.get(tag, (0, before + 1 + (row if lines is None else int(lines[row]))))
            self.tags[tag] = (count + int(lengths[mine].sum()), line)

    def columns(self) -> Columns:
        parts = self.parts
        segments = np.concatenate([*self.segments, _NO_ROWS])
        ranks = [part.ranks for part in parts if part.ranks is not None]
        return Columns(
            list(self.numbers),
            np.concatenate([*self.topic, _NO_ROWS.astype(np.int32)]),
            np.concatenate([part.numbers for part in parts]),
            np.concatenate(ranks) if ranks else None,
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.loose_keys for part in parts]),
            self.tags,
            self.first_lines[-1],
            segments[np.concatenate(([True], segments[1:] != segments[:-1]))] if len(segments) else segments,
            np.array(self.first_rows[:-1]),
            np.array(self.first_lines[:-1]),
            [part.lines for part in parts],
        )


_NO_ROWS = np.zeros(0, np.int64)


def parse_run(chunk: Chunk, most: int) -> Part:
    """A chunk of a run."""
    report = FileReport("", "run", most)
    lines = split_all(chunk, 6, keep_longer=True)
    tell_lines(report, chunk, lines, RUN_LAYOUT, "extra-columns")
    buffer = chunk.array()
    good, scores = _scores(report, buffer, lines)
    numbers = lines.line_of(np.arange(len(lines)) if good is None else good)
    ranks = _whole(report, lines.column(buffer, 3, good), numbers, "rank")
    tags = segments_of(lines.column(buffer, 5, good))
    return _part(chunk, lines, good, report=report, numbers=scores, ranks=ranks, tags=tags)


def parse_qrels(chunk: Chunk, most: int) -> Part:
    """A chunk of a qrels file."""
    report = FileReport("", "qrels", most)
    lines = split_all(chunk, 4, keep_longer=False)
    tell_lines(report, chunk, lines, QRELS_LAYOUT, "too-many-columns")
    column = lines.column(chunk.array(), 3)
    grades = _whole(report, column, lines.line_of(np.arange(len(lines))), "relevance")
    good = None if (grades != NO_RANK).all() else np.flatnonzero(grades != NO_RANK)
    return _part(chunk, lines, good, report=report, numbers=grades if good is None else grades[good])


def _part(
    chunk: Chunk,
    lines: Lines,
    good: IntArray | None,
    *,
    report: FileReport,
    numbers: FloatArray | IntArray,
    ranks: IntArray | None = None,
    tags: Segments | None = None,
) -> Part:
    buffer = chunk.array()
    topics, documents = lines.column(buffer, 0, good), lines.column(buffer, 2, good)
    segments = segments_of(topics)
    lengths = np.diff(np.append(segments.starts, len(topics)))
    hashes = np.repeat(topics.take(segments.starts).hashes(_TOPIC_SEED), lengths)
    return Part(
        chunk=chunk,
        report=report,
        num_lines=lines.num_lines,
        lines=lines.lines if good is None else lines.line_of(good),
        topics=segments,
        numbers=numbers,
        ranks=ranks,
        tags=tags,
        keys=documents.hashes(_DOCNO_SEED) + hashes,
        loose_keys=loose_hashes(documents) + hashes,
    )


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


def _whole(report: FileReport, ids: Ids, lines: IntArray, what: str) -> IntArray:
    """Whole numbers; NO_RANK for what is none, which is told."""
    if not len(ids):
        return _NO_ROWS
    values, wrong = read_whole_numbers(ids.buffer, ids.starts, ids.starts + ids.lengths)
    if wrong is None:
        return values
    texts = list(ids)
    values = np.array([int(i) if _fits(i) else NO_RANK for i in texts], np.int64)
    kind = "rank-no-number" if what == "rank" else "relevance-no-integer"
    rows = np.flatnonzero(values == NO_RANK)
    report.add(kind, len(rows), "", _examples(what, ids, rows, lines))
    return values


def _fits(token: bytes) -> bool:
    return re.fullmatch(rb"[+-]?\d+", token) is not None and abs(int(token)) < 2**63


def _examples(what: str, ids: Ids, rows: IntArray, lines: IntArray) -> Iterator[Example]:
    for row in rows.tolist():
        yield Example(int(lines[row]) + 1, f"{what} {quoted(ids[row])}")


def unreadable(error: InputError) -> tuple[str, Example]:
    """An error that ended the reading, as a finding: its kind and an example."""
    kind = "no-documents" if "empty" in error.found or "no lines" in error.found else "unreadable"
    return kind, Example(error.line, error.found)

"""Relevance judgements: topic, iteration, docno, relevance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pres_eval.arrays.growing import Growing, GrowingIds, narrow
from pres_eval.arrays.ids import NO_IDS, Ids, WordIds, changes, distinct
from pres_eval.arrays.types import AnyInts, BoolArray, IntArray
from pres_eval.errors import InputError, quoted
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.pool import Pool, build_pool
from pres_eval.reading.source import Chunk, Source
from pres_eval.reading.tables import in_file
from pres_eval.reading.tokens import LineError, parsed, split_fields
from pres_eval.workers import UNTHREADED, in_order, num_processors

LAYOUT = "topic iteration docno relevance"
MANY_GROUPS = 1024
"""Groups of rows in a chunk above which topics are taken to come again and again."""


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Lines that judge a document again: its topic, the document, the relevance, and both lines."""

    topic: IntArray
    document: IntArray
    grade: AnyInts
    first_line: IntArray
    second_line: IntArray


_NONE = np.zeros(0, np.int64)
NO_DUPLICATES = Duplicates(*(_NONE,) * 5)


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgements of a file.

    pool        the judged documents
    grade       (D,) relevance of each, in as few bytes as they need; negative: in the pool but not judged
    kept        (D,) which judgements count (for experiments with incomplete ones), None for all
    duplicates  judgements of a document that already had one; they do not count
    """

    name: str
    pool: Pool
    grade: AnyInts
    duplicates: Duplicates
    kept: BoolArray | None = None

    def keeping(self, kept: BoolArray) -> Qrels:
        """The same judgements with some taken out: those documents become unjudged."""
        return replace(self, kept=kept)

    def num_positive(self) -> int:
        """Judgements with a relevance above 0."""
        positive = self.grade > 0
        if self.kept is not None:
            return int(np.count_nonzero(positive & self.kept))
        # trec_eval: a document judged twice counts twice, as long as its topic is not scored.
        return int(np.count_nonzero(positive) + np.count_nonzero(self.duplicates.grade > 0))


def read_qrels(source: Source, jobs: int | None = None) -> Qrels:
    """Read a qrels file whole.

    `jobs` threads parse (None: as many as there are processors to use); the result does not depend on it.
    Raises InputError for a line that has not four columns or whose relevance is no integer.
    """
    judgements = _Judgements()
    try:
        for part in in_order(_read_part, source.chunks(), jobs or num_processors(), UNTHREADED):
            judgements.add(part)
            source.give_back(part.chunk)
    except LineError as error:
        raise in_file(error, source.name, judgements.num_lines) from None
    if not len(judgements):
        raise InputError(source.name, None, "no lines but blank ones and comments", f"lines of {LAYOUT}")
    return judgements.qrels(source.name)


@dataclass(frozen=True, eq=False)
class _Part:
    """The judgements of a chunk.

    topics             their ids, each at least once
    groups, num_rows   the topic of each group of rows that follow each other, and how many these are
    documents, grades  of each row
    lines              line of each row in the chunk, counted from 0; None where row i is line i
    """

    chunk: Chunk
    num_lines: int
    topics: WordIds
    groups: IntArray
    num_rows: IntArray
    documents: WordIds
    grades: AnyInts
    lines: IntArray | None


def _read_part(chunk: Chunk) -> _Part:
    return parsed(_parse, chunk)


def _parse(chunk: Chunk) -> _Part:
    fields = split_fields(chunk, 4, LAYOUT)
    buffer = chunk.array()
    if not len(fields):
        return _Part(chunk, fields.num_lines, NO_IDS, _NONE, _NONE, NO_IDS, _NONE.astype(np.int8), _NONE)
    grades, wrong = read_whole_numbers(buffer, *fields.column(3))
    if wrong is not None:
        start, end = fields.cell(wrong, 3)
        found = quoted(bytes(chunk.buffer[start:end]))
        raise LineError(fields.line_of(wrong), f"relevance {found}", "an integer")
    starts, ends = fields.column(0)
    topics = Ids(buffer, starts, ends - starts)
    first = changes(topics)
    heads = topics.take(first)
    topics, groups = distinct(heads) if len(first) > MANY_GROUPS else (heads, np.arange(len(first)))
    starts, ends = fields.column(2)
    return _Part(
        chunk,
        fields.num_lines,
        WordIds.of(topics),
        groups,
        np.diff(first, append=len(fields)),
        WordIds.of(Ids(buffer, starts, ends - starts)),
        narrow(grades),
        fields.lines,
    )


class _Judgements:
    """The judgements read so far."""

    def __init__(self) -> None:
        self.num_lines = 0
        self._topics, self._documents = GrowingIds(), GrowingIds()
        self._groups, self._num_rows, self._grades = Growing(np.int8), Growing(np.int8), Growing(np.int8)
        self._lines: list[tuple[int, int, IntArray | None]] = []

    def __len__(self) -> int:
        return len(self._grades)

    def add(self, part: _Part) -> None:
        """Add the judgements of the next chunk."""
        self._lines.append((self.num_lines, len(part.grades), part.lines))
        self.num_lines += part.num_lines
        self._groups.append(narrow(part.groups + len(self._topics)))
        self._topics.append(part.topics)
        self._num_rows.append(narrow(part.num_rows))
        self._documents.append(part.documents)
        self._grades.append(part.grades)

    def qrels(self, name: str) -> Qrels:
        """All of them, by topic."""
        pooled = build_pool(
            self._topics.ids().take(slice(None)),
            self._groups.values(),
            self._num_rows.values().astype(np.int64),
            self._documents.ids(),
        )
        grades = self._grades.values()
        if pooled.rows is None:
            return Qrels(name, pooled.pool, grades, NO_DUPLICATES)
        if not len(pooled.again):
            return Qrels(name, pooled.pool, grades[pooled.rows], NO_DUPLICATES)
        lines = np.concatenate(
            [
                before + 1 + (np.arange(count) if lines is None else lines)
                for before, count, lines in self._lines
            ]
        )
        document = pooled.document
        duplicates = Duplicates(
            pooled.pool.topic_of[document],
            document,
            grades[pooled.again],
            lines[pooled.rows[document]],
            lines[pooled.again],
        )
        return Qrels(name, pooled.pool, grades[pooled.rows], duplicates)

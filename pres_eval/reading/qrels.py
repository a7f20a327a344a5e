"""Relevance judgements: topic, iteration, docno, relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pres_eval.batch import BoolArray, IntArray
from pres_eval.errors import InputError, quoted
from pres_eval.reading.keys import Ids, changes
from pres_eval.reading.memory import keep_freed_memory
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.pool import Pool, build_grouped_pool
from pres_eval.reading.source import PADDING, Chunk, Source
from pres_eval.reading.tables import table_chunks
from pres_eval.reading.tokens import Fields

LAYOUT = "topic iteration docno relevance"


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Lines that judge a document again: its topic, the document, the relevance, and both lines."""

    topic: IntArray
    document: IntArray
    grade: IntArray
    first_line: IntArray
    second_line: IntArray


NO_DUPLICATES = Duplicates(*(np.zeros(0, np.int64),) * 5)


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgements of a file.

    pool        the judged documents
    grade       (D,) relevance of each; negative means in the pool but not judged
    kept        (D,) which judgements count (for experiments with incomplete ones), None for all
    duplicates  judgements of a document that already had one; they do not count
    """

    name: str
    pool: Pool
    grade: IntArray
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


def read_qrels(source: Source) -> Qrels:
    """Read a qrels file whole.

    Raises InputError for a line that has not four columns or whose relevance is no integer.
    """
    text = bytearray(PADDING)
    parts: list[_Part] = []
    for chunk, fields, lines_before in table_chunks(source, 4, LAYOUT):
        if parts:
            keep_freed_memory()
        if len(fields):
            parts.append(_read_part(source.name, chunk, fields, lines_before, len(text) - chunk.start))
        text += memoryview(chunk.buffer)[chunk.start : chunk.stop]
        source.give_back(chunk)
    text += bytes(PADDING)
    if not parts:
        raise InputError(source.name, None, "no lines but blank ones and comments", f"lines of {LAYOUT}")
    return _assemble(source.name, np.frombuffer(text, np.uint8), parts)


@dataclass(frozen=True, eq=False)
class _Part:
    """The judgements of a chunk; places in the text of the whole file.

    topics, topic_rows  one topic for each group of rows that follow each other, and how many these are
    starts, lengths     of the documents' ids
    lines               line of the first row, or of all rows where not every line is a judgement
    """

    topic_starts: IntArray
    topic_lengths: IntArray
    topic_rows: IntArray
    starts: IntArray
    lengths: NDArray[np.int32]
    grades: IntArray
    lines: int | IntArray


def _read_part(name: str, chunk: Chunk, fields: Fields, lines_before: int, moved: int) -> _Part:
    buffer = chunk.array()
    grades, wrong = read_whole_numbers(buffer, *fields.column(3))
    if wrong is not None:
        start, end = fields.cell(wrong, 3)
        raise InputError(
            name,
            lines_before + fields.line_of(wrong) + 1,
            f"relevance {quoted(bytes(chunk.buffer[start:end]))}",
            "an integer",
        )
    starts, ends = fields.column(0)
    topics = Ids(buffer, starts, ends - starts)
    first = changes(topics)
    documents, document_ends = fields.column(2)
    return _Part(
        topics.starts[first] + moved,
        topics.lengths[first],
        np.diff(first, append=len(fields)),
        documents + moved,
        (document_ends - documents).astype(np.int32),
        grades,
        lines_before + 1 if fields.lines is None else fields.lines + (lines_before + 1),
    )


def _assemble(name: str, buffer: NDArray[np.uint8], parts: Sequence[_Part]) -> Qrels:
    topics = Ids(
        buffer,
        np.concatenate([part.topic_starts for part in parts]),
        np.concatenate([part.topic_lengths for part in parts]),
    )
    topic_rows = np.concatenate([part.topic_rows for part in parts])
    documents = Ids(
        buffer,
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.lengths for part in parts]).astype(np.int64),
    )
    grades = np.concatenate([part.grades for part in parts])
    pool, document_of = build_grouped_pool(topics, topic_rows, documents)
    rows = np.empty(len(pool.documents), np.int64)
    rows[document_of[::-1]] = np.arange(len(grades))[::-1]  # the first row of each document is written last
    if len(rows) == len(grades):
        return Qrels(name, pool, grades[rows], NO_DUPLICATES)
    again = np.flatnonzero(rows[document_of] != np.arange(len(grades)))
    lines = np.concatenate(
        [
            part.lines + np.arange(len(part.starts)) if isinstance(part.lines, int) else part.lines
            for part in parts
        ]
    )
    document = document_of[again]
    duplicates = Duplicates(
        pool.topic_of[document], document, grades[again], lines[rows[document]], lines[again]
    )
    return Qrels(name, pool, grades[rows], duplicates)

"""Relevance judgements: topic, iteration, docno, relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.batch import BoolArray, IntArray
from pres_eval.errors import InputError, quoted
from pres_eval.reading.keys import Ids
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.pool import Pool, build_pool
from pres_eval.reading.source import PADDING, Source
from pres_eval.reading.tables import table_chunks

LAYOUT = "topic iteration docno relevance"


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Lines that judge a document again: its topic, the document, and both lines."""

    topic: IntArray
    document: IntArray
    first_line: IntArray
    second_line: IntArray


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
        return int(np.count_nonzero(positive if self.kept is None else positive & self.kept))


def read_qrels(source: Source) -> Qrels:
    """Read a qrels file whole.

    Raises InputError for a line that has not four columns or whose relevance is no integer.
    """
    texts: list[bytes] = [bytes(PADDING)]
    size = PADDING
    places: list[tuple[IntArray, ...]] = []
    for chunk, fields, lines_before in table_chunks(source, 4, LAYOUT):
        buffer = chunk.array()
        grades, wrong = read_whole_numbers(buffer, *fields.column(3))
        if wrong is not None:
            start, end = (int(place[wrong]) for place in fields.column(3))
            raise InputError(
                source.name,
                lines_before + fields.line_of(wrong) + 1,
                f"relevance {quoted(bytes(chunk.buffer[start:end]))}",
                "an integer",
            )
        moved = size - chunk.start
        topics, topic_ends = fields.column(0)
        documents, document_ends = fields.column(2)
        lines = np.arange(len(fields)) if fields.lines is None else fields.lines
        places.append(
            (
                topics + moved,
                topic_ends - topics,
                documents + moved,
                document_ends - documents,
                grades,
                lines + lines_before + 1,
            )
        )
        texts.append(bytes(memoryview(chunk.buffer)[chunk.start : chunk.stop]))
        size += chunk.stop - chunk.start
        source.give_back(chunk)
    texts.append(bytes(PADDING))
    return _assemble(source.name, np.frombuffer(b"".join(texts), np.uint8), places)


def _assemble(name: str, buffer: np.ndarray, places: Sequence[tuple[IntArray, ...]]) -> Qrels:
    topics, topic_lengths, documents, document_lengths, grades, lines = (
        np.concatenate(part) for part in zip(*places, strict=True)
    )
    if not len(grades):
        raise InputError(name, None, "no lines but blank ones and comments", f"lines of {LAYOUT}")
    topic_ids = Ids(buffer, topics, topic_lengths)
    pool, document_of = build_pool(topic_ids, Ids(buffer, documents, document_lengths))
    rows = np.full(len(pool.documents), len(grades))
    np.minimum.at(rows, document_of, np.arange(len(grades)))
    again = np.flatnonzero(rows[document_of] != np.arange(len(grades)))
    duplicates = Duplicates(
        pool.topic_of[document_of[again]], document_of[again], lines[rows[document_of[again]]], lines[again]
    )
    return Qrels(name, pool, grades[rows], duplicates)

"""The errors of runs in which a topic has a document twice: which document, and in which lines or rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.arrays.matching import repeated
from pres_eval.arrays.ordering import changes, stable_order
from pres_eval.errors import EmptyFileError, InputError, quoted
from pres_eval.ranking.opening import DOCNO, TOPIC
from pres_eval.ranking.order import DuplicateRowError, rank_topics
from pres_eval.ranking.parts import Rows
from pres_eval.ranking.ranker import Ranker
from pres_eval.reading.blocks import Block, FileFormat, check_scores, joined
from pres_eval.reading.lines import RUN, Lines, parse_lines
from pres_eval.reading.run_files import RunFiles

KEEP_ONE = "the evaluator can keep one: --duplicates best or --duplicates first"
"""What helps."""

Place = tuple[str, int]
"""A file, and a line or a row of it, from 1."""


def first_duplicate(run: RunFiles, rows: Rows | None, ranker: Ranker) -> InputError:
    """Return the error of a run in which topics have documents twice: of the first line that is one too many.

    `rows` are all of the run, so that what is named does not depend on where the run was cut.
    """
    found = [] if rows is None else list(_duplicates(ranker, rows))
    again: dict[tuple[bytes, bytes], list[tuple[int, Place]]] = {
        (error.topic, error.document): [] for error in found
    }
    topics = {topic for topic, _ in again}
    for topic, document, number, place in _lines_of(run, topics):
        if (topic, document) in again:
            again[topic, document].append((number, place))
    if not again or min(map(len, again.values())) < 2:  # read once more, the file has other lines
        return run.sources[0].changed()
    (topic, document), places = min(again.items(), key=lambda item: item[1][1])
    (_, (first_file, first)), (_, (file, second)) = places[:2]
    where = f"first in line {first}" + (f" of {first_file}" if first_file != file else "")
    return _error(file, second, topic, document, where)


def _error(file: str, line: int | None, topic: bytes, document: bytes, where: str) -> InputError:
    found = f"document {quoted(document)} of topic {quoted(topic)} again ({where})"
    return InputError(file, line, found, "each document once per topic", KEEP_ONE)


def _lines_of(run: RunFiles, topics: set[bytes]) -> Iterator[tuple[bytes, bytes, int, Place]]:
    """Yield topic, document, line of the run and place of the lines of some topics."""
    before = 0
    for source in run.sources:
        number = 0
        with contextlib.suppress(EmptyFileError):
            for chunk in source.chunks():
                lines = parse_lines(chunk, RUN)
                for topic, document, line in _documents_of(lines, topics):
                    yield topic, document, before + number + line, (source.name, number + line)
                number += lines.fields.num_lines
                source.give_back(chunk)
        before += number


def _documents_of(lines: Lines, topics: set[bytes]) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield topic, document and line of the chunk, from 1, of the rows of some topics."""
    ids, documents = lines.column(TOPIC), lines.column(DOCNO)
    heads = changes(ids).tolist()
    for start, stop in zip(heads, [*heads[1:], len(lines)], strict=False):
        if (topic := ids[start]) in topics:
            places = (lines.line_of(np.arange(start, stop)) + 1).tolist()
            for document, line in zip(documents[start:stop], places, strict=True):
                yield topic, document, line


def _duplicates(ranker: Ranker, rows: Rows) -> Iterator[DuplicateRowError]:
    """Yield the first document that is there twice of each topic that has one."""
    order = stable_order(rows.topic, len(ranker.pool.topics))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows.topic))))
    again, _ = repeated(offsets, rows.ids.pick(order))
    for number in np.unique(rows.topic[order[again]]).tolist():
        own = order[int(offsets[number]) : int(offsets[number + 1])]
        chosen, ends = np.array([number]), np.array([0, len(own)])
        try:
            rank_topics(
                ranker.pool, chosen, ends, rows.scores[own], rows.ids.pick(own), ranker.most,
                ascending=ranker.ascending,
            )  # fmt: skip
        except DuplicateRowError as error:
            yield error


def first_duplicate_row(run: RunFiles, form: FileFormat, ranker: Ranker) -> InputError:
    """Return the error of a run of another format than trec_eval's, whose rows are counted."""
    blocks = [joined(source.name, form.read(source, False)) for source in run.sources]
    block = joined(run.name, blocks)
    try:
        check_scores(run.name, block)
        ranker.ranked(block, ranker.pool.find_topics(block.topics))
    except InputError as error:
        return error
    except DuplicateRowError as error:
        sizes = [(source.name, len(part.numbers)) for source, part in zip(run.sources, blocks, strict=True)]
        return row_error(run.name, block, error, sizes)
    return run.sources[0].changed()


def row_error(
    name: str, block: Block, error: DuplicateRowError, files: Sequence[tuple[str, int]] = ()
) -> InputError:
    """Return the error of a document that a topic has in two rows of a block.

    `files` are the names of the files that the rows are from, and how many are from each.
    """
    rows = (row for row in _rows_of(block, error.topic) if _document(block, row) == error.document)
    (first_file, first), (file, second) = (_place(name, row, files) for row in (next(rows), next(rows)))
    where = f"rows {first} and {second}"
    if first_file != file:
        where = f"row {first} of {first_file} and row {second}"
    return _error(file, None, error.topic, error.document, where)


def _document(block: Block, row: int) -> bytes:
    return block.documents.pick(slice(row, row + 1))[0]


def _place(name: str, row: int, files: Sequence[tuple[str, int]]) -> Place:
    """Return the file of a row, and which one of the file it is, from 1."""
    for file, count in files:
        if row < count:
            return file, row + 1
        row -= count
    return name, row + 1


def _rows_of(block: Block, topic: bytes) -> Iterator[int]:
    """Yield the rows of a topic."""
    start = 0
    for text, length in zip(block.topics, block.lengths.tolist(), strict=True):
        if text == topic:
            yield from range(start, start + length)
        start += length

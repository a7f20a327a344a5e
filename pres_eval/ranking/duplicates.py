"""The errors of runs in which a topic has a document twice: which document, and in which lines or rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from pres_eval.arrays import repeated, stable_order
from pres_eval.errors import EmptyFileError, InputError, quoted
from pres_eval.ranking.parts import Rows
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.whole_topics import DuplicateRowError
from pres_eval.reading.blocks import Block, FileFormat, check_scores, joined
from pres_eval.reading.file import File
from pres_eval.reading.formats.delimited import read_columns
from pres_eval.reading.headings import Role
from pres_eval.reading.lines import DOCNO_COLUMN, RUN
from pres_eval.reading.run_files import RunFiles

KEEP_ONE = "the evaluator can keep one: --duplicates best or --duplicates first"
"""Advice at the end of the message."""

Pair = tuple[bytes, bytes]
"""A topic and a document."""


def first_duplicate(run: RunFiles, form: FileFormat | None, ranker: RunRanker) -> InputError:
    """Return the error of a run in which topics have documents twice, for the first row that repeats one.

    form  the format of the files, None for trec_eval's

    All rows are compared together, so that the error does not depend on where the run was cut into parts.
    """
    blocks_of_files = [list(_blocks(source, form)) for source in run.sources]
    block = joined(run.name, chain.from_iterable(blocks_of_files))
    try:
        check_scores(run.name, block)
    except InputError as wrong_score:
        return wrong_score
    rows = ranker.rows_part(block).rows
    pairs = list(_duplicates(ranker.ranker, rows))
    files: list[tuple[str, int]] = []
    for source, blocks in zip(run.sources, blocks_of_files, strict=True):
        num_rows = sum(len(part.numbers) for part in blocks)
        files.append((source.name, num_rows))
    error = duplicate_error(run.name, block, pairs, files, by_line=form is None)
    # Without a duplicate now, the file has changed since it was read first.
    return error or run.sources[0].change_error()


def _blocks(source: File, form: FileFormat | None) -> Iterator[Block]:
    """Yield the rows of a file, those of a run in trec_eval's format (None) with their lines."""
    if form is not None:
        yield from form.read(source, Role.RUN)
        return
    with contextlib.suppress(EmptyFileError):
        yield from read_columns(source, RUN, header=False, document=DOCNO_COLUMN)


def _duplicates(ranker: Ranker, rows: Rows) -> Iterator[Pair]:
    """Yield, for each topic that has a document twice, the topic and the first such document."""
    if not len(rows.topic):
        return
    order = stable_order(rows.topic, len(ranker.pool.topics))
    num_rows = np.bincount(rows.topic)  # by topic
    offsets = np.concatenate(([0], np.cumsum(num_rows)))
    repeats, _ = repeated(offsets, rows.documents.take(order))
    for topic in np.unique(rows.topic[order[repeats]]).tolist():
        members = order[int(offsets[topic]) : int(offsets[topic + 1])]
        rows_of_topic = Rows(rows.topic[members], rows.scores[members], rows.documents.take(members))
        # Ranking the topic once more finds which of its documents comes twice.
        try:
            ranker.ranked_rows(rows_of_topic, jobs=1)
        except DuplicateRowError as error:
            yield error.args


def duplicate_error(
    name: str,
    block: Block,
    pairs: Sequence[Pair],
    files: Sequence[tuple[str, int]] = (),
    by_line: bool = False,
) -> InputError | None:
    """Return the error of the pair whose second row comes first in a block; None if a pair has only one row.

    pairs    a topic and its document that is there twice, for each such topic
    files    the files that the rows are from: the name of each, and how many rows are from it
    by_line  whether the error names lines of the files, not rows
    """
    rows_of_pair = _rows_of_pairs(block, pairs)
    if not rows_of_pair or min(map(len, rows_of_pair.values())) < 2:
        return None
    topic, document = min(rows_of_pair, key=lambda pair: rows_of_pair[pair][1])
    first_row, second_row, *_ = rows_of_pair[topic, document]
    first_file, first_number = _file_and_row(name, first_row, files)
    second_file, second_number = _file_and_row(name, second_row, files)
    line: int | None = None
    if by_line and block.lines is not None:
        line = int(block.lines[second_row])
        rows = f"first in line {block.lines[first_row]}"
        if first_file != second_file:
            rows += f" of {first_file}"
    elif first_file != second_file:
        rows = f"row {first_number} of {first_file} and row {second_number}"
    else:
        rows = f"rows {first_number} and {second_number}"
    again = f"document {quoted(document)} of topic {quoted(topic)} again ({rows})"
    return InputError(second_file, line, again, "each document once per topic", KEEP_ONE)


def _rows_of_pairs(block: Block, pairs: Sequence[Pair]) -> dict[Pair, list[int]]:
    """Return the rows of the block that each pair has, ascending."""
    rows_of_pair: dict[Pair, list[int]] = {pair: [] for pair in pairs}
    topics = {topic for topic, _ in pairs}
    stop = 0
    for topic, length in zip(block.topics, block.lengths.tolist(), strict=True):
        start, stop = stop, stop + length
        if topic not in topics:
            continue
        for row, document in enumerate(block.documents.take(slice(start, stop)), start):
            if (topic, document) in rows_of_pair:
                rows_of_pair[topic, document].append(row)
    return rows_of_pair


def _file_and_row(name: str, row: int, files: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """Return the name of the file that has a row of the block, and the row's number in the file, from 1."""
    for file, count in files:
        if row < count:
            return file, row + 1
        row -= count
    return name, row + 1

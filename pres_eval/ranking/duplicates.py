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
from pres_eval.reading.lines import DOCNO_COLUMN, RUN
from pres_eval.reading.run_files import RunFiles

KEEP_ONE = "the evaluator can keep one: --duplicates best or --duplicates first"
"""Advice at the end of the message."""

Pair = tuple[bytes, bytes]
"""A topic and a document."""


def first_duplicate(run: RunFiles, form: FileFormat | None, ranker: RunRanker) -> InputError:
    """Return the error of a run in which topics have documents twice: of the first row that is one too many.

    `form` is None for a trec run.  All rows are looked at together, so that what is named does not depend on
    where the run was cut.
    """
    blocks = [list(_blocks(source, form)) for source in run.sources]
    block = joined(run.name, chain.from_iterable(blocks))
    try:
        check_scores(run.name, block)
    except InputError as error:
        return error
    rows = ranker.rows_part(block).rows
    pairs = list(_duplicates(ranker.ranker, rows))
    counts = [sum(len(part.numbers) for part in parts) for parts in blocks]
    files = list(zip([source.name for source in run.sources], counts, strict=True))
    # Read once more, the file may have other lines.
    return duplicate_error(run.name, block, pairs, files, form is None) or run.sources[0].changed()


def _blocks(source: File, form: FileFormat | None) -> Iterator[Block]:
    """Yield the rows of a file, those of a trec run with their lines."""
    if form is not None:
        yield from form.read(source, False)
        return
    with contextlib.suppress(EmptyFileError):
        yield from read_columns(source, RUN, header=False, document=DOCNO_COLUMN)


def _duplicates(ranker: Ranker, rows: Rows) -> Iterator[Pair]:
    """Yield the first document that is there twice of each topic that has one."""
    if not len(rows.topic):
        return
    order = stable_order(rows.topic, len(ranker.pool.topics))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows.topic))))
    again, _ = repeated(offsets, rows.documents.take(order))
    for number in np.unique(rows.topic[order[again]]).tolist():
        members = order[int(offsets[number]) : int(offsets[number + 1])]
        try:
            ranker.ranked_rows(
                Rows(rows.topic[members], rows.scores[members], rows.documents.take(members)), 1
            )
        except DuplicateRowError as error:
            yield error.args


def duplicate_error(
    name: str,
    block: Block,
    pairs: Sequence[Pair],
    files: Sequence[tuple[str, int]] = (),
    by_line: bool = False,
) -> InputError | None:
    """Return the error of the documents that topics have in two rows of a block; None if they have not.

    files    names of the files that the rows are from, and how many are from each
    by_line  whether lines of the files are reported, not rows
    """
    rows_of_pair: dict[Pair, list[int]] = {pair: [] for pair in pairs}
    topics = {topic for topic, _ in pairs}
    stop = 0
    for topic, length in zip(block.topics, block.lengths.tolist(), strict=True):
        start, stop = stop, stop + length
        if topic in topics:
            for row, document in enumerate(block.documents.take(slice(start, stop)), start):
                if (topic, document) in rows_of_pair:
                    rows_of_pair[topic, document].append(row)
    if not rows_of_pair or min(map(len, rows_of_pair.values())) < 2:
        return None
    (topic, document), (first_row, second_row, *_) = min(rows_of_pair.items(), key=lambda item: item[1][1])
    (first_file, first), (file, second) = (_file_and_row(name, row, files) for row in (first_row, second_row))
    where, line = f"rows {first} and {second}", None
    if by_line and block.lines is not None:
        line = int(block.lines[second_row])
        where = f"first in line {block.lines[first_row]}" + (
            f" of {first_file}" if first_file != file else ""
        )
    elif first_file != file:
        where = f"row {first} of {first_file} and row {second}"
    again = f"document {quoted(document)} of topic {quoted(topic)} again ({where})"
    return InputError(file, line, again, "each document once per topic", KEEP_ONE)


def _file_and_row(name: str, row: int, files: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """Return the file of a row, and which one of the file it is, from 1."""
    for file, count in files:
        if row < count:
            return file, row + 1
        row -= count
    return name, row + 1

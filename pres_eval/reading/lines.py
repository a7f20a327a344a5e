"""The lines of a file in columns, one of them a number: one reader for the evaluator and the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from pres_eval.arrays import NO_IDS, PADDING, AnyArray, Ids, IntArray
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.errors import EmptyFileError, InputError, quoted
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import Chunk, File
from pres_eval.reading.numbers import read_numbers, read_whole_numbers
from pres_eval.reading.tokens import Faults, Fields, split_fields
from pres_eval.records import dataclass

_NO_NUMBERS = np.zeros(0)
"""The numbers of lines whose columns are all words."""

NAN = rb"(?i)[+-]?nan(\([^)]*\))?"
"""Pattern of a text that C reads as "not a number"."""


@dataclass(frozen=True)
class Layout:
    """The columns of a format.

    names   the names of the columns, with blanks between
    number  which column holds a number, from 0; None if all are words
    whole   whether the number must be an integer
    more    whether a line may have further columns
    """

    names: str
    number: int | None = None
    whole: bool = False
    more: bool = False

    @property
    def width(self) -> int:
        """Count the columns."""
        return len(self.names.split())


RUN = Layout("topic Q0 docno rank score tag", number=4, more=True)
TOPIC_COLUMN, DOCNO_COLUMN, RANK_COLUMN, SCORE_COLUMN, TAG_COLUMN = 0, 2, 3, 4, 5
"""Columns of a run."""

QRELS = Layout("topic iteration docno relevance", number=3, whole=True)


class LineError(Exception):
    """A fault in a line of a chunk, whose number in the file is not known yet.

    line      the number of the line in the chunk, from 0
    found     what it has
    expected  what it should have
    """

    def __init__(self, line: int, found: str, expected: str) -> None:
        super().__init__(line, found, expected)
        self.line = line
        self.found = found
        self.expected = expected

    def in_file(self, source: File, before: int, names: str) -> InputError:
        """Return the same as an error of the file, with advice.

        before  how many lines of the file are before the chunk
        names   names of the columns that the file should have
        """
        from pres_eval.reading.mistakes.advice import with_advice

        failure = InputError(source.name, before + self.line + 1, self.found, self.expected)
        return with_advice(failure, source, names)


@dataclass(frozen=True, eq=False)
class Lines:
    """The R good lines of a chunk, or of a whole file, and all faults of the others.

    fields   where the columns of the good lines are, and the faults
    numbers  (R,) the column of numbers; (0,) if there is none
    """

    chunk: Chunk
    fields: Fields
    numbers: AnyArray

    def column(self, column: int) -> Ids:
        """Return one column (R,) as ids; columns are counted from 0."""
        return Ids.from_buffer(self.chunk.array(), *self.fields.column(column))

    def text(self, row: int, column: int) -> bytes:
        """Return one field, which must not be in the first column."""
        start, end = self.fields.cell(row, column)
        return bytes(self.chunk.buffer[start:end])

    def line_of(self, rows: IntArray) -> IntArray:
        """Return (n,) the lines of rows (n,) in the chunk, counted from 0."""
        return rows if self.fields.lines is None else self.fields.lines[rows]

    def checked(self) -> Lines:
        """Return these lines; raise LineError if there is a fault, for the first line that has one."""
        if not self.fields.faults:
            return self
        faults = min(self.fields.faults, key=lambda faults: int(faults.lines[0]))
        first_line = int(faults.lines[0])
        raise LineError(first_line, faults.content(0), faults.expected)

    def __len__(self) -> int:
        return len(self.fields.edges)  # which have a row for each line


def parse_lines(chunk: Chunk, layout: Layout) -> Lines:
    """Return the good lines of a chunk, and the faults of all others."""
    width = layout.width
    fields = split_fields(chunk, width, f"{width} ({layout.names})", layout.more)
    if layout.number is None or not len(fields.edges):
        return Lines(chunk, fields, _NO_NUMBERS)
    numbers: AnyArray
    if layout.whole:
        numbers, wrong = read_whole_numbers(chunk.array(), *fields.column(layout.number))
    else:
        numbers, wrong = read_numbers(chunk.array(), *fields.column(layout.number))
    lines = Lines(chunk, fields, numbers)
    if not wrong:
        return lines
    return _without_wrong(lines, layout, layout.number, wrong)


def _without_wrong(lines: Lines, layout: Layout, column: int, wrong: list[int]) -> Lines:
    """Return the lines without some rows, which become faults.

    column  the column of numbers
    wrong   the rows that have no number there, ascending
    """
    name = layout.names.split()[column]
    usual_kind, expected = f"{name}-no-number", "a number"
    if layout.whole:
        usual_kind, expected = f"{name}-no-integer", "an integer"
    rows_by_kind: dict[str, list[int]] = {}
    for row in wrong:
        kind = usual_kind
        if not layout.whole and re.fullmatch(NAN, lines.text(row, column)):
            kind = f"{name}-nan"
        rows_by_kind.setdefault(kind, []).append(row)
    faults = list(lines.fields.faults)
    for kind, rows in rows_by_kind.items():
        content = partial(_content_of_row, lines, column, name, rows)
        faults.append(Faults(kind, lines.line_of(np.array(rows)), content, expected))
    good_rows = np.delete(np.arange(len(lines)), wrong)
    fields = replace(lines.fields.take(good_rows), faults=tuple(faults))
    return replace(lines, fields=fields, numbers=lines.numbers[good_rows])


def _content_of_row(lines: Lines, column: int, name: str, rows: Sequence[int], index: int) -> str:
    """Return the name of a column, and its content in the index-th of some rows."""
    return f"{name} {quoted(lines.text(rows[index], column))}"


@dataclass(frozen=True, eq=False)
class DocumentsOfLines:
    """The document ids of lines of a run, as a column that reads only those that are taken."""

    lines: Lines

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        starts, ends = self.lines.fields.column(DOCNO_COLUMN)
        return Ids.from_buffer(self.lines.chunk.array(), starts[rows], ends[rows])


def block_of_lines(lines: Lines, *, each_row_alone: bool = False) -> Block:
    """Return the rows of lines of a run in groups: neighbours with the same topic are a group.

    each_row_alone  whether each row becomes a group where groups would have fewer than two rows on average,
                    as in lines in no order
    """
    if not len(lines):
        return Block(topics=NO_IDS, lengths=np.zeros(0, np.int64), documents=NO_IDS, numbers=lines.numbers)
    topics = lines.column(TOPIC_COLUMN)
    first_rows = topics.heads()  # of groups
    documents = DocumentsOfLines(lines)
    has_only_single_rows = len(first_rows) == len(topics)
    is_in_no_order = 2 * len(first_rows) > len(topics)
    if has_only_single_rows or (each_row_alone and is_in_no_order):
        lengths = np.ones(len(topics), np.int64)
        return Block(topics=topics, lengths=lengths, documents=documents, numbers=lines.numbers)
    lengths = np.diff(first_rows, append=len(topics))
    return Block(topics=topics.take(first_rows), lengths=lengths, documents=documents, numbers=lines.numbers)


Result = TypeVar("Result")


def results_of_chunks(
    source: File,
    layout: Layout,
    work: Callable[[Lines], Result],
    chunks: Generator[Chunk, None, None],
    jobs: int | None,
    names: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield the result of `work` for the lines of each chunk, in order, with the number of lines before it.

    jobs   how many threads parse and work; None: one for each processor
    names  names of the columns for advice; None: those of the layout
    A LineError of a chunk becomes the InputError of the file.
    """

    def parse(chunk: Chunk) -> tuple[Chunk, int, Result]:
        """Return the chunk, to be given back, how many lines it has, and the result of the work."""
        lines = parse_lines(chunk, layout)
        return chunk, lines.fields.num_lines, work(lines)

    before = 0
    try:
        # An error keeps the generators alive that it came through: the file is closed before it is raised.
        with closing(chunks):
            # The next chunk is read while threads work, so that none of them waits for it: a seventh faster.
            for chunk, num_lines, result in in_order(parse, chunks, jobs, UNTHREADED):
                yield before, result
                before += num_lines
                source.give_back(chunk)
        source.free_buffers()
    except LineError as error:
        raise error.in_file(source, before, layout.names if names is None else names) from None


def no_lines_error(source: File, layout: Layout) -> EmptyFileError:
    """Return the error of a file that has only blank lines and comments."""
    problem = "no lines but blank ones and comments"
    return EmptyFileError(source.name, None, problem, f"lines of {layout.names}")


def read_table(source: File, layout: Layout) -> Lines:
    """Read a whole file of lines with these columns; comments (#) and blank lines are left out.

    Raises InputError for the first line with another number of columns, or with a number that is none.
    """
    padding = bytes(PADDING)
    texts = [chunk.text() for chunk in source.chunks()]
    text = bytearray().join([padding, *texts, padding])
    whole_file = Chunk(text, PADDING, len(text) - PADDING)
    try:
        lines = parse_lines(whole_file, layout).checked()
    except LineError as error:
        raise error.in_file(source, 0, layout.names) from None
    if not len(lines):
        raise no_lines_error(source, layout)
    return lines

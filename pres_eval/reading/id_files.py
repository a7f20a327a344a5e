"""Files of pairs of ids, of any length: mappings of documents, documents that a topic must not have."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import GrowingColumns, Ids, IntArray
from pres_eval.errors import InputError, plural
from pres_eval.reading.file import BYTE_ORDER_MARK, File
from pres_eval.reading.formats.csv_rows import separator_of_lines
from pres_eval.reading.headings import DOCNO, KNOWN_HEADINGS, plain
from pres_eval.reading.lines import Layout, Lines, results_of_chunks
from pres_eval.reading.topic_files import TOPIC_HEADINGS, encoded, read_cells

DOCUMENT_HEADINGS = ("docno", "doc_id", "docid", "document", "doc", "chunk", "chunk_id", "passage", "pid")
"""Names of the column of documents in a header."""

FAMILY_HEADINGS = ("family", "family_id", "docdb_family_id", "inpadoc_family_id", "simple_family", "parent")
"""Names of the column of ids that documents are mapped to."""

IdPairs = tuple[Ids, Ids, IntArray]
"""Two columns of ids (N,), and the line of each row (N,), from 1."""


def read_pairs(source: File, columns: str, also: str | None = None) -> IdPairs:
    """Read a file of two columns, separated by blanks, tabs, commas or semicolons, with or without a header.

    The separator is the one that gives all lines of the beginning the same number of columns.  Between
    blanks, commas and quotation marks are part of the ids.

    columns  names of the two columns, apart by a blank: their number is that of the columns
    also     names of four columns that may be there instead: the first and the third of them are read; None,
             and in a table with an index: there are two columns
    Raises InputError for a file that cannot be read, for other lines, and if there are none.
    """
    separator = separator_of_lines(source.head(), least=2)
    if separator in (None, "\t") and not _has_index(source):
        first, second, lines = _between_blanks(source, columns, also)
    else:
        first, second, lines = _between_signs(source, columns, also)
    rows = slice(0, None)
    if len(lines) and is_heading(first[0]) and is_heading(second[0]):
        rows = slice(1, None)
    if not len(lines[rows]):
        raise InputError(source.name, None, "no lines", f"lines of {columns}")
    return first.take(rows), second.take(rows), lines[rows]


def is_heading(cell: bytes) -> bool:
    """Return whether a cell of the first row is the heading of a column of ids."""
    known = (
        *TOPIC_HEADINGS,
        *DOCUMENT_HEADINGS,
        *FAMILY_HEADINGS,
        *KNOWN_HEADINGS[DOCNO],
        "relevance",
        "group",
    )
    return plain(cell.decode("utf-8", "replace")) in map(plain, known)


def _has_index(source: File) -> bool:
    """Return whether the first heading of a table is empty, as pandas writes the index of a frame."""
    return source.head().removeprefix(BYTE_ORDER_MARK).startswith((b"\t", b",", b";"))


def _between_blanks(source: File, columns: str, also: str | None) -> IdPairs:
    """Return the pairs of a file whose columns blanks or tabs separate.

    The arguments are those of `read_pairs`.
    """
    lines_of_head = (
        line for line in source.head().splitlines() if line.strip() and not line.startswith(b"#")
    )
    num_columns = len(next(lines_of_head, b"").split())
    names = columns
    if also and num_columns == len(also.split()):
        names = also
    pairs = GrowingColumns()
    # No advice is given on lines of four columns as if they were judgements.
    chunks = results_of_chunks(
        source, Layout(names), _pairs_of_chunk, source.chunks(), jobs=None, names=columns
    )
    for lines_before, (first, second, lines) in chunks:
        pairs.append(first, second, lines + lines_before)
    if not len(pairs):
        raise InputError(source.name, None, "no lines", f"lines of {columns}")
    all_first, all_second, all_lines = pairs.release()
    return all_first, all_second, all_lines


def _between_signs(source: File, columns: str, also: str | None) -> IdPairs:
    """Return the pairs of a file whose columns commas or semicolons separate, or that has an index.

    The arguments are those of `read_pairs`.
    """
    rows, _ = read_cells(source.path, columns)
    first_line, first_row = rows[0]
    width = len(first_row)
    has_index = not first_row[0]
    if has_index:
        first, second, expected_width, expected = 1, 2, 3, f"an index, {columns}"
        body = rows[1:]
    else:
        first, second, expected_width, expected = 0, 1, 2, columns
        if also and width == len(also.split()):
            second, expected_width, expected = 2, width, also
        body = rows
    for line, row in rows:
        if len(row) != expected_width:
            raise InputError(source.name, line, plural(len(row), "column"), f"{expected_width} ({expected})")
        is_heading_of_index = has_index and line == first_line
        if not is_heading_of_index and not (row[first] and row[second]):
            raise InputError(source.name, line, "an empty cell", f"an id in each ({expected})")
    first_ids = Ids.from_texts([encoded(row[first]) for _, row in body])
    second_ids = Ids.from_texts([encoded(row[second]) for _, row in body])
    return first_ids, second_ids, np.array([line for line, _ in body], np.int64)


def _pairs_of_chunk(lines: Lines) -> IdPairs:
    """Return the pairs of a chunk, whose lines are counted from 1; raise LineError for a fault.

    Of two columns both are read, of four the first and the third.
    """
    last_column = lines.checked().fields.columns - 1
    first, second = lines.column(0), lines.column(min(last_column, 2))  # column 1 of two, 2 of four
    return first, second, lines.line_of(np.arange(len(lines))) + 1

"""Files of pairs of ids, of any length: mappings of documents, documents that a topic must not have."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import GrowingColumns, Ids, IntArray
from pres_eval.errors import InputError
from pres_eval.reading.lines import Layout, Lines, in_parts
from pres_eval.reading.source import Chunk, Source
from pres_eval.reading.topic_files import HEADINGS, encoded, read_cells

DOCUMENT_HEADINGS = ("docno", "doc_id", "docid", "document", "doc", "chunk", "chunk_id", "passage", "pid")
"""Names of the column of documents in a header."""


IdPairs = tuple[Ids, Ids, IntArray]
"""Two columns of ids (N,), and the line of each row (N,), from 1."""


def read_pairs(source: Source, columns: str, also: str | None = None) -> IdPairs:
    """Read a file of two columns, separated by blanks, tabs or commas, with or without a header.

    columns  their description, for messages
    also     four columns that may be there instead, of which the first and the third count
    Raises InputError for a file that cannot be read, for other lines, and if there are none.
    """
    head = (line for line in source.head().splitlines() if line.strip() and not line.startswith(b"#"))
    first = next(head, b"")
    separators = b"," if b"," in first else b";" if b";" in first else b""
    if first.lstrip(b'\xef\xbb\xbf"').startswith(separators or b"\0"):
        return _without_index(source.path, columns)
    separators += b'"' * (separators != b"" or b'"' in first)
    fields = first.translate(bytes.maketrans(separators, b" " * len(separators))).split()
    names = also if also and len(fields) == len(also.split()) else columns
    chunks = (_with_blanks(chunk, separators) for chunk in source.chunks())
    pairs = GrowingColumns()
    for before, part in in_parts(source, Layout(names), _pairs, chunks, jobs=None):
        pairs.append(*part[:2], part[2] + before)
    if not len(pairs):
        raise InputError(source.name, None, "no lines", f"lines of {columns}")
    first_ids, second_ids, lines = pairs.values()
    heading = first_ids[0].decode("utf-8", "replace").casefold()
    rows = slice(heading in HEADINGS or heading in DOCUMENT_HEADINGS, None)
    return first_ids.take(rows), second_ids.take(rows), lines[rows]


def _without_index(path: str, columns: str) -> IdPairs:
    """Read a file whose first column has no name in the header, as pandas writes the index of a frame."""
    rows, _ = read_cells(path, columns)
    for line, row in rows:
        if len(row) != 3:
            raise InputError(path, line, f"{len(row)} columns", f"3 (an index, {columns})")
    first, second = (Ids.from_texts([encoded(row[place]) for _, row in rows[1:]]) for place in (1, 2))
    return first, second, np.array([line for line, _ in rows[1:]], np.int64)


def _with_blanks(chunk: Chunk, separators: bytes) -> Chunk:
    """Return a chunk with blanks instead of separators."""
    text = chunk.array()[chunk.start : chunk.stop]
    for separator in separators:
        text[text == separator] = ord(" ")
    return chunk


def _pairs(lines: Lines) -> IdPairs:
    """Return the pairs of a chunk, whose lines are counted from 1; raise LineError."""
    last = lines.checked().fields.columns - 1
    first, second = (lines.column(number) for number in (0, min(last, 2)))
    return first, second, lines.line_of(np.arange(len(lines))) + 1

"""Columns of text: runs of MS MARCO (topic, docno, rank), files of BEIR, and CSV and TSV with a header."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.errors import InputError, number_of, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.formats.names import DOCUMENT, GRADE, RANK, SCORE, TOPIC, pick, plain
from pres_eval.reading.lines import Layout, LineError, parse_lines
from pres_eval.reading.source import Chunk, Source

MSMARCO = Layout("topic docno rank", number=2, whole=True)
BEIR_RUN = Layout("query-id corpus-id score", number=2)
BEIR_QRELS = Layout("query-id corpus-id score", number=2, whole=True)


def read_msmarco(source: Source, grades: bool) -> Iterator[Block]:
    """Yield a run of MS MARCO, of which the rank is the order; there are no judgements in this format."""
    assert not grades
    for part in read_columns(source, MSMARCO, header=False):
        yield Block(
            topics=part.topics,
            lengths=part.lengths,
            documents=part.documents,
            numbers=-part.numbers.astype(np.float64),
            lines=part.lines,
        )


def read_beir(source: Source, grades: bool) -> Iterator[Block]:
    """Return a run or judgements as BEIR writes them."""
    return read_columns(source, BEIR_QRELS if grades else BEIR_RUN, header=True)


def is_header(line: bytes) -> bool:
    """Return whether a line is BEIR's header, or names the columns as other tools do."""
    words = [word.strip(b'"').lower().decode("utf-8", "replace") for word in line.split()]
    known = (TOPIC, DOCUMENT, GRADE)
    return len(words) == 3 and all(word in names for word, names in zip(words, known, strict=True))


def read_columns(source: Source, layout: Layout, header: bool, document: int = 1) -> Iterator[Block]:
    """Read a file of columns: the topic first, the docno in column `document` from 0, and the number."""
    before = 0
    for number, chunk in enumerate(source.chunks()):
        body = chunk
        if header and number == 0:
            start = chunk.buffer.find(b"\n", chunk.start) + 1
            if is_header(bytes(chunk.buffer[chunk.start : start])):
                body, before = Chunk(chunk.buffer, start, chunk.stop), 1
        if body.start < body.stop:
            lines = parse_lines(body, layout)
            try:
                lines.checked()
            except LineError as error:
                line = before + error.line + 1
                hint = f", or the header {BEIR_RUN.names}" if header and line == 1 else ""
                raise InputError(source.name, line, error.found, f"{error.expected}{hint}") from None
            numbers = lines.line_of(np.arange(len(lines))) + before + 1
            if len(lines):
                yield Block.of_rows(lines.column(0), lines.column(document), lines.numbers, numbers)
            before += lines.fields.num_lines
        source.give_back(chunk)


# How spreadsheets show long numbers, whose last digits are then lost.
ROUNDED = re.compile(rb"\d[.,]\d+E\+\d+")


# The first line of some exports, for Excel alone.
SEPARATOR_LINE = re.compile(rb'"?sep=[;,\t]"?\s*?\n', re.IGNORECASE)


def separator_of(header: bytes) -> str | None:
    """Return the separator of a header line, None if it has none."""
    return next((one for one in "\t;," if one.encode() in header), None)


def columns_of(header: Sequence[str], grades: bool) -> tuple[int, int, int, bool] | None:
    """Return the places of topic, document and number, and whether it is a rank; None if one is missing."""
    names, ranks = [*map(plain, header)], [*map(plain, RANK)]
    topic, document = pick(names, map(plain, TOPIC)), pick(names, map(plain, DOCUMENT))
    number = pick(names, map(plain, GRADE) if grades else [*SCORE, *ranks])
    if topic is None or document is None or number is None:
        return None
    return names.index(topic), names.index(document), names.index(number), not grades and number in ranks


def header_of(line: bytes) -> list[str]:
    """Return the names in a header line, none if it is no line of CSV."""
    import csv  # takes a while to import, and most files are no CSV

    text = line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")
    try:
        return next(csv.reader([text], delimiter=separator_of(line) or ","), [])
    except csv.Error:  # a carriage return inside the line, a field of more than 131,072 characters
        return []


def read_csv(source: Source, grades: bool) -> Iterator[Block]:
    """Read a run or judgements with named columns, separated by commas, semicolons or tabs.

    Raises InputError for missing columns, for rows of another length, and for ids with blanks.
    """
    return blocks_of_rows(source.name, _rows(source, grades), grades)


def _rows(source: Source, grades: bool) -> Iterator[Row]:
    """Yield the rows of a file."""
    import csv

    lines = _lines(source)
    first = next(lines, "").encode("utf-8", "surrogateescape")
    before = 1
    if SEPARATOR_LINE.fullmatch(first):
        first, before = next(lines, "").encode("utf-8", "surrogateescape"), 2
    separator, header = separator_of(first) or ",", header_of(first)
    places = columns_of(header, grades)
    if places is None:
        from pres_eval.reading.advice import with_advice

        expected = "a header with query_id, doc_id and " + ("relevance" if grades else "score")
        error = InputError(source.name, before, f"the columns {quoted(', '.join(header))}", expected)
        raise with_advice(error, source, "") if b"\0" in first else error
    *columns, by_rank = places
    reader = csv.reader(lines, delimiter=separator)
    try:
        for cells in reader:
            if not any(cells):
                continue
            line = reader.line_num + before
            if len(cells) != len(header):
                expected = f"{len(header)}, as in the header"
                raise InputError(source.name, line, f"{len(cells)} columns", expected)
            topic, document, text = (cells[place] for place in columns)
            number = _number(source, line, text.strip(), grades, separator)
            ids = _id(source, line, topic, "topic"), _id(source, line, document, "docno")
            yield *ids, -number if by_rank else number, line
    except csv.Error as error:
        found = f"no CSV ({error})"
        raise InputError(source.name, reader.line_num + before, found, "rows of columns") from None


def _lines(source: Source) -> Iterator[str]:
    """Yield the lines of a file with their ends."""
    for chunk in source.chunks():
        for line in chunk.text().splitlines(keepends=True):
            yield line.decode("utf-8", "surrogateescape")
        source.give_back(chunk)


def _number(source: Source, line: int, text: str, grades: bool, separator: str) -> int | float:
    """Return a number, with a decimal comma if commas separate nothing; a grade is whole."""
    what, expected = ("relevance", "an integer") if grades else ("score", "a number")
    number = number_of(text.replace(",", ".") if separator != "," else text)
    if math.isnan(number) or (grades and (not number.is_integer() or abs(number) >= 2**53)):
        raise InputError(source.name, line, f"{what} {quoted(text)}", expected)
    return int(number) if grades else number


def _id(source: Source, line: int, text: str, what: str) -> bytes:
    """Return an id; raise InputError for an empty or rounded one, and for a document with blanks."""
    word = text.encode("utf-8", "surrogateescape").strip()  # of bytes: other blanks than ASCII's are letters
    blanks = what == "docno" and len(word.split()) > 1
    if not word or blanks or b"\0" in word:
        expected = "one without blanks" if blanks else "an id"
        raise InputError(source.name, line, f"{what} {quoted(word)}", expected)
    if ROUNDED.fullmatch(word):
        advice = "a spreadsheet has rounded it: import this column as text, and save again"
        raise InputError(source.name, line, f"{what} {quoted(word)}", "all digits", advice)
    return word

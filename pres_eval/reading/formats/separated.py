"""CSV and TSV with named columns, and text whose columns --columns names by their numbers."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pres_eval.errors import InputError, ReadingNote, did_you_mean, number_of, plural, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.csv_rows import cells_of, separated_rows, separator_of_lines
from pres_eval.reading.file import File
from pres_eval.reading.headings import (
    DOCNO,
    DOCNOS,
    GAINS,
    GAINS_ADVICE,
    GRADE,
    RANK,
    RELEVANT_DOCNOS,
    SCORE,
    TOPIC,
    Naming,
)
from pres_eval.reading.lines import QRELS
from pres_eval.reading.table_faults import ObservedTable, may_be_numbers, warn_of_unnamed_number
from pres_eval.records import dataclass

ROUNDED = re.compile(rb"\d[.,]\d+E\+\d+")
"""How spreadsheets show long numbers, whose last digits are then lost."""

SEPARATOR_LINE = re.compile(rb'"?sep=[;,\t]"?\s*?\n', re.IGNORECASE)
"""The first line of some exports, for Excel alone."""

SEPARATORS = "\t;,"
"""Separators of columns; a header that has several is separated by the first of these."""


@dataclass(frozen=True)
class Columns:
    """Places of the columns of a file, from 0.

    number   of the score, rank or grade; None: the documents of a topic are in ranked order, and relevant
    by_rank  whether the number is a rank
    several  whether a cell has several documents in ranked order
    rank     of a rank beside the score; None if there is none
    """

    topic: int
    document: int
    number: int | None
    by_rank: bool = False
    several: bool = False
    rank: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """Return the places of topic, document and number, if there is one."""
        return (self.topic, self.document) + (() if self.number is None else (self.number,))

    @property
    def last(self) -> int:
        """Return the last place."""
        return max(self.places)


class InOrder:
    """Numbers of documents that have none: their order is their rank, and as judgements they are relevant."""

    def __init__(self, grades: int) -> None:
        self._grades = grades
        self._documents: Counter[object] = Counter()

    def number(self, topic: object) -> int:
        """Return 1 for judgements; for runs -1 for a topic's first document, -2 for the next."""
        self._documents[topic] += 1
        return 1 if self._grades else -self._documents[topic]


def separator_of(header: bytes) -> str | None:
    """Return the separator of a header line, None if it has none."""
    return next((separator for separator in SEPARATORS if separator.encode() in header), None)


def columns_of(header: Sequence[str], grades: int, naming: Naming) -> Columns | None:
    """Return the columns of a header; None if it lacks the topic, the document, or the number."""
    topic, document = naming.column(TOPIC, header), naming.column(DOCNO, header)
    documents = naming.column(RELEVANT_DOCNOS if grades else DOCNOS, header)
    several = documents is not None and (document is None or naming.named_column(DOCNOS, header) is not None)
    if several:
        document = documents
    number, by_rank = naming.column(GRADE, header), False
    if not grades:
        number = naming.column(SCORE, header)
        if number is None or (RANK in naming.columns and SCORE not in naming.columns):
            number, by_rank = naming.column(RANK, header), True
    if number == document:  # named as the document, though its heading is one of numbers
        number = None
    if topic is None or document is None or (number is None and not (several or is_named(naming))):
        return None
    place = None if number is None else header.index(number)
    rank = None if grades or by_rank else naming.column(RANK, header)
    return Columns(
        topic=header.index(topic),
        document=header.index(document),
        number=place,
        by_rank=by_rank,
        several=several,
        rank=None if rank is None else header.index(rank),
    )


def is_named(naming: Naming) -> bool:
    """Return whether the options name topics and documents, so that a file needs no numbers."""
    return TOPIC in naming.columns and (DOCNO in naming.columns or DOCNOS in naming.columns)


def header_of(line: bytes) -> list[str]:
    """Return the names in a header line, none if it is no line of CSV."""
    import csv  # takes a while to import, and most files are no CSV

    text = line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")
    try:
        return next(csv.reader([text], delimiter=separator_of(line) or ","), [])
    except csv.Error:  # a carriage return inside the line, a field of more than 131,072 characters
        return []


def read_csv(source: File, grades: int) -> Iterator[Block]:
    """Read a run or judgements with named columns, separated by commas, semicolons or tabs.

    Raises InputError for missing columns, for rows of another length, and for ids that are none.
    """
    return blocks_of_rows(source.name, _rows_by_heading(source, grades), grades)


def _rows_by_heading(source: File, grades: int) -> Iterator[Row]:
    """Yield the rows of a file with a header."""
    lines = _lines(source)
    first, before = next(lines, "").encode("utf-8", "surrogateescape"), 1
    if SEPARATOR_LINE.fullmatch(first):
        first, before = next(lines, "").encode("utf-8", "surrogateescape"), 2
    separator, header = separator_of(first) or ",", header_of(first)
    columns = columns_of(header, grades, source.naming.for_role(grades))
    if columns is None:
        raise _missing_columns(source, before, header, grades, first)
    if columns.number is None and not columns.several:
        _warn_of_unnamed_number(source, columns, grades, separator, header)
    rows = separated_rows(source.name, lines, "rows of columns", separator, before=before)
    cells = CellReader(
        source=source,
        columns=columns,
        grades=grades,
        separator=separator,
        width=len(header),
        like=", as in the header",
        headings=tuple(header),
    )
    yield from cells.rows(rows)


def _warn_of_unnamed_number(
    source: File, columns: Columns, grades: int, separator: str | None, header: Sequence[str] = ()
) -> None:
    """Warn of other columns that may have the grades or scores, none of which an option names.

    header  names of the columns; none if they have numbers
    """
    lines = source.head().decode("utf-8-sig", "surrogateescape").split("\n")[:-1]
    rows = [cells_of(line.rstrip("\r"), separator) for line in lines if line.strip()]
    rows = [row for row in rows if len(row) > columns.last and row != list(header)]
    width = min(map(len, rows), default=0)
    candidates = [
        header[place] if header else str(place + 1)
        for place in range(width)
        if place not in columns.places
        and may_be_numbers([row[place] for row in rows[0 if header else 1 :] or rows], grades)
    ]
    warn_of_unnamed_number(source.name, candidates, grades, "HEADING" if header else "NUMBER")


def read_by_number(source: File, grades: int) -> Iterator[Block]:
    """Read a run or judgements whose columns --columns names by their numbers.

    Raises InputError for a file with fewer columns, for rows of another length, and for ids that are none.
    """
    return blocks_of_rows(source.name, _rows_by_number(source, grades), grades)


def _rows_by_number(source: File, grades: int) -> Iterator[Row]:
    """Yield the rows of a file without a header, or whose header has no number in the column of numbers."""
    naming = source.naming.for_role(grades)
    columns = numbered_columns(naming, grades)
    separator = separator_of_lines(source.head(), columns.last + 1)
    if columns.number is None and not columns.several:
        _warn_of_unnamed_number(source, columns, grades, separator)
    rows: Iterator[tuple[int, list[str]]]
    if separator is None:
        rows = ((line, text.split()) for line, text in enumerate(_lines(source), 1))
    else:
        rows = separated_rows(source.name, _lines(source), "rows of columns", separator)
    rows = (row for row in rows if any(row[1]) and not row[1][0].startswith("#"))
    first = next(rows, None)
    if first is None:
        raise InputError(source.name, None, "no lines", "rows of columns")
    width = len(first[1])
    if width <= columns.last:
        found = plural(width, "column")
        raise InputError(source.name, first[0], found, f"{columns.last + 1} or more (--columns)")
    is_header = columns.number is not None and math.isnan(
        naming.grade(first[1][columns.number].replace(",", "."))
    )
    if not is_header:
        rows = chain([first], rows)
    cells = CellReader(
        source=source,
        columns=columns,
        grades=grades,
        separator=separator or "",
        width=width,
        like=", as in the first line",
    )
    yield from cells.rows(rows)


def read_words(source: File, grades: int) -> Iterator[Block]:
    """Read qrels whose grades may be words that --grades explains."""
    rows = (
        (line, text.split())
        for line, text in enumerate(_lines(source), 1)
        if text.strip() and not text.startswith("#")
    )
    columns = Columns(topic=0, document=2, number=3)
    cells = CellReader(source, columns, grades, separator=" ", width=4, like=f" ({QRELS.names})")
    return blocks_of_rows(source.name, cells.rows(rows), grades)


def numbered_columns(naming: Naming, grades: int) -> Columns:
    """Return the columns that --columns names by their numbers."""
    places = {kind: int(number) - 1 for kind, number in naming.columns.items()}
    several = DOCNOS in places
    by_rank = not grades and SCORE not in places and RANK in places
    number = places.get(GRADE) if grades else places.get(RANK if by_rank else SCORE)
    return Columns(places[TOPIC], places[DOCNOS if several else DOCNO], number, by_rank, several)


def _missing_columns(source: File, line: int, header: Sequence[str], grades: int, first: bytes) -> InputError:
    """Return the error of a header without the columns of a run or of judgements."""
    number = "relevance" if grades else "score"
    expected = f"a header with query_id, doc_id and {number}"
    error = InputError(source.name, line, f"the columns {quoted(', '.join(header))}", expected)
    from pres_eval.reading.advice import naming_advice, with_advice

    if b"\0" in first:
        return with_advice(error, source, "")
    for kind, heading in source.naming.for_role(grades).columns.items():
        if heading not in header:
            advice = did_you_mean(heading, header, "the heading is written as in the file")
            return InputError(source.name, line, f"no column {quoted(heading)} ({kind})", expected, advice)
    return InputError(error.path, line, error.found, expected, naming_advice(source, grades))


@dataclass(frozen=True)
class CellReader:
    """Reader of rows of cells as rows of a run or judgements.

    separator  of the cells; decimal commas are read where no comma separates
    width      cells of each row, and `like` says why so many
    headings   names of the columns; none if they have numbers
    """

    source: File
    columns: Columns
    grades: int
    separator: str
    width: int
    like: str
    headings: tuple[str, ...] = ()

    def rows(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[Row]:
        """Yield the rows; leave out those with neither document nor number, as a topic without a rating."""
        columns, in_order = self.columns, InOrder(self.grades)
        docno = self.headings[columns.document] if self.headings else ""
        naming = self.source.naming.for_role(self.grades)
        is_chosen = naming.named_column(DOCNO, self.headings) is not None
        table = ObservedTable(self.source.name, () if is_chosen else self.headings, docno)
        rival = None if table.rival is None else self.headings.index(table.rival)
        topics_alone: list[str] = []
        for line, cells in rows:
            if not any(cells):
                continue
            if len(cells) != self.width:
                expected = f"{self.width}{self.like}"
                raise InputError(self.source.name, line, f"{len(cells)} columns", expected)
            text = "" if columns.number is None else cells[columns.number].strip()
            document_cell = cells[columns.document]
            if columns.number is not None and not (document_cell.strip() or text):
                topics_alone.append(cells[columns.topic])
                continue
            topic = id_of_cell(self.source, line, cells[columns.topic], "topic")
            has_number = columns.number is not None and (self.grades or not columns.several)
            number = self._number(line, text) if has_number else 0
            if rival is not None:
                table.see_docnos(document_cell, cells[rival])
            if columns.rank is not None:
                table.see_rank(topic.decode("utf-8", "replace"), cells[columns.rank], number)
            if columns.several:
                table.see_list(topic.decode("utf-8", "replace"))
            if self.grades and naming.is_combined(text):
                table.see_combined_grade(text)
            for id_text in ids_in_cell(document_cell) if columns.several else [document_cell]:
                document = id_of_cell(self.source, line, id_text, DOCNO)
                yield topic, document, number if has_number else in_order.number(topic), line
        table.warn()
        if topics_alone:
            left_out = f"{plural(len(topics_alone), 'row')} without document and number left out"
            text = f"{self.source.name}: {left_out}, such as that of topic {quoted(topics_alone[0])}"
            warnings.warn(text, ReadingNote, stacklevel=2)

    def _number(self, line: int, text: str) -> int | float:
        """Return a score, the negative of a rank, or a grade, which is whole unless gains are read."""
        naming = self.source.naming
        is_decimal = self.separator != "," and not naming.is_combined(text)
        number_text = text.replace(",", ".") if is_decimal else text
        if self.grades:
            grade = naming.grade(number_text)
            return checked_grade(grade, f"relevance {quoted(text)}", self.source.name, line, self.grades)
        score = number_of(number_text)
        if math.isnan(score):
            raise InputError(self.source.name, line, f"score {quoted(text)}", "a number")
        return -score if self.columns.by_rank else score


def ids_in_cell(cell: str) -> list[str]:
    """Return the ids in a cell: separated by semicolons, bars, line ends or commas, or a list of Python.

    The first of these that the cell has separates; without one of them blanks do.
    """
    text = cell.strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        text = text[1:-1]
        return [word.strip().strip("'\"") for word in text.split(",") if word.strip()]
    separator = next((sign for sign in ";|\n," if sign in text), None)
    return [word.strip() for word in text.split(separator) if word.strip()]


def _lines(source: File) -> Iterator[str]:
    """Yield the lines of a file with their ends."""
    for chunk in source.chunks():
        for line in chunk.text().splitlines(keepends=True):
            yield line.decode("utf-8", "surrogateescape")
        source.give_back(chunk)


def checked_grade(grade: float, found: str, name: str, line: int | None, grades: int) -> int | float:
    """Return a grade as a whole number, or as a decimal one if gains are read.

    Raises InputError for what is no finite number, or not whole where grades are expected.
    """
    largest = 2**53 if isinstance(grade, float) else 2**63  # doubles above have no ones
    if math.isnan(grade) or abs(grade) >= largest:
        raise InputError(name, line, found, "an integer" if grades != GAINS else "a finite number")
    if grade == int(grade):
        return int(grade)
    if grades != GAINS:
        raise InputError(name, line, found, "an integer", GAINS_ADVICE)
    return grade


def id_of_cell(source: File, line: int, text: str, what: str) -> bytes:
    """Return an id without the blanks around it; raise InputError for an empty or rounded one."""
    word = text.encode("utf-8", "surrogateescape").strip()  # of bytes: other blanks than ASCII's are letters
    if not word or b"\0" in word:
        raise InputError(source.name, line, f"{what} {quoted(word)}", "an id")
    if ROUNDED.fullmatch(word):
        advice = "a spreadsheet has rounded it: import this column as text, and save again"
        raise InputError(source.name, line, f"{what} {quoted(word)}", "all digits", advice)
    return word

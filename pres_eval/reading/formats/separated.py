"""CSV and TSV with named columns, and text whose columns --columns names by their numbers."""

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from pres_eval.errors import EmptyFileError, InputError, ReadingNote, did_you_mean, number_of, plural, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.file import BYTE_ORDER_MARK, File
from pres_eval.reading.formats.csv_rows import cells_of, separated_rows, separator_of_lines
from pres_eval.reading.formats.table_columns import (
    ID_OF_ONE_TOPIC,
    Columns,
    columns_of,
    note_of_one_topic,
    numbered_columns,
)
from pres_eval.reading.formats.table_heads import TableHead, head_of_table
from pres_eval.reading.headings import (
    DOCNO,
    DOCNOS,
    GAINS_ADVICE,
    KNOWN_HEADINGS,
    RELEVANT_DOCNOS,
    TOPIC,
    Naming,
    Role,
    pick,
)
from pres_eval.reading.lines import QRELS
from pres_eval.reading.mistakes.table_faults import (
    ObservedTable,
    may_be_numbers,
    warn_of_other_number,
    warn_of_unnamed_number,
)
from pres_eval.records import dataclass

RULE_OF_TABLE = re.compile(r"[-+\s]+|\(\d+ rows?\)")
"""Lines of a table between bars, as psql prints it, that are no rows."""

WORDS_ADVICE = "--grades WORD=NUMBER,... reads words as grades"
"""Advice for a grade that is no number."""

ROUNDED = re.compile(rb"\d[.,]\d+E\+\d+")
"""A long number as spreadsheets show it, such as 1.23E+15: its last digits are lost."""


class NumbersByOrder:
    """Numbers for documents without any: a run has them in ranked order, judgements are all relevant."""

    def __init__(self, role: Role) -> None:
        self._has_grades = role.has_grades
        self._documents: Counter[object] = Counter()

    def number(self, topic: object) -> int:
        """Return 1 for judgements; for runs -1 for a topic's first document, -2 for the next."""
        if self._has_grades:
            return 1
        self._documents[topic] += 1
        return -self._documents[topic]


def read_csv(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of a run or of judgements with named columns, separated by commas, semicolons or tabs.

    Raises InputError for missing columns, for rows of another length, and for an empty or rounded id.
    """
    return blocks_of_rows(source.name, _rows_by_heading(source, role), role)


def _rows_by_heading(source: File, role: Role) -> Iterator[Row]:
    """Yield the rows of a file with a header."""
    naming = source.naming.for_role(role)
    head = head_of_table(source.head(), naming)
    if head is None:
        raise _missing_columns(source, head, role)
    columns = columns_of(head.names, role, naming)
    if columns is None:
        raise _missing_columns(source, head, role)
    if columns.topic is None:
        note_of_one_topic(source.name)
    # One line before the headings is expected: sep=; of Excel.
    if head.before > 1:
        text = f"{plural(head.before, 'line')} before the headings left out"
        warnings.warn(f"{source.name}: {text}", ReadingNote, stacklevel=2)
    if columns.number is None and not columns.has_lists:
        _warn_of_unnamed_numbers(source, columns, role, head.separator, head.names)
    if columns.number is not None:
        warn_of_other_number(source.name, naming, head.names, head.names[columns.number], role)
    lines = islice(_lines(source), head.before + 1, None)
    rows = separated_rows(
        source.name, lines, "rows of columns", head.separator, quote=head.quote, before=head.before + 1
    )
    if head.separator == "|":
        rows = ((line, cells) for line, cells in rows if not RULE_OF_TABLE.fullmatch("".join(cells)))
    elif head.separator == " ":
        rows = _without_row_names(rows, len(head.names))
    cells = CellReader(
        source=source,
        columns=columns,
        role=role,
        separator=head.separator,
        width=len(head.names),
        like=", as in the header",
        headings=head.names,
    )
    yield from cells.rows(rows)


def _without_row_names(rows: Iterator[tuple[int, list[str]]], width: int) -> Iterator[tuple[int, list[str]]]:
    """Return rows without the names that R's write.table puts before them, for which it has no heading.

    width  how many headings there are
    """
    first_row = next(rows, None)
    if first_row is None:
        return rows
    all_rows = chain([first_row], rows)
    _, first_cells = first_row
    if len(first_cells) != width + 1:
        return all_rows
    return ((line, cells[1:]) for line, cells in all_rows)


def _warn_of_unnamed_numbers(
    source: File, columns: Columns, role: Role, separator: str | None, headings: Sequence[str] = ()
) -> None:
    """Warn of columns that are not read although they may have grades or scores, as the first rows show.

    This is for files in which no column of numbers is known or named.

    columns    those that are read
    separator  of the columns; None: blanks
    headings   of the columns; none if options name them by their numbers
    """
    lines = source.head().decode("utf-8-sig", "surrogateescape").split("\n")[:-1]
    if not headings:
        lines = [line for line in lines if not line.startswith("#")]
    rows = [cells_of(line.rstrip("\r"), separator) for line in lines if line.strip()]
    rows = [row for row in rows if len(row) > columns.last and row != list(headings)]
    if headings and separator == " ":
        numbered_rows = _without_row_names(enumerate(rows), len(headings))
        rows = [row for _, row in numbered_rows]
    width = min(map(len, rows), default=0)
    if headings:
        names, option = list(headings), "HEADING"
        body = rows
    else:
        names, option = [str(number + 1) for number in range(width)], "NUMBER"
        body = rows[1:] or rows  # the first row may be a heading all the same
    candidates = []
    # Rows with more cells than there are headings are an error when they are read.
    for column, name in enumerate(names[:width]):
        if column not in columns.used and may_be_numbers([row[column] for row in body], role):
            candidates.append(name)
    warn_of_unnamed_number(source.name, source.naming.for_role(role), candidates, role, option)


def read_by_number(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of a run or of judgements whose columns --columns names by their numbers.

    Raises InputError for a file with fewer columns, for rows of another length, and for an empty or rounded
    id.
    """
    return blocks_of_rows(source.name, _rows_by_number(source, role), role)


def _rows_by_number(source: File, role: Role) -> Iterator[Row]:
    """Yield the rows of a file without its header, if it has one."""
    naming = source.naming.for_role(role)
    columns = numbered_columns(naming, role)
    if columns.topic is None:
        note_of_one_topic(source.name)
    separator = separator_of_lines(source.head(), columns.last + 1)
    if columns.number is None and not columns.has_lists:
        _warn_of_unnamed_numbers(source, columns, role, separator)
    rows: Iterator[tuple[int, list[str]]]
    if separator is None:
        rows = ((line, text.split()) for line, text in enumerate(_lines(source), 1))
    else:
        rows = separated_rows(source.name, _lines(source), "rows of columns", separator)
    rows = ((line, cells) for line, cells in rows if any(cells) and not cells[0].startswith("#"))
    first_row = next(rows, None)
    if first_row is None:
        raise InputError(source.name, None, "no lines", "rows of columns")
    first_line, first_cells = first_row
    width = len(first_cells)
    if width <= columns.last:
        expected = f"{columns.last + 1} or more (--columns)"
        raise InputError(source.name, first_line, plural(width, "column"), expected)
    if not _is_header(first_cells, columns, naming, role):
        rows = chain([first_row], rows)
    cells = CellReader(
        source=source,
        columns=columns,
        role=role,
        separator=separator or "",
        width=width,
        like=", as in the first line",
    )
    yield from cells.rows(rows)


def _is_header(cells: Sequence[str], columns: Columns, naming: Naming, role: Role) -> bool:
    """Return whether the first row of a file whose columns options number is a header.

    It is one if its cell for the number is no number; without numbers, if its cells for ids are known
    headings.
    """
    if columns.number is not None:
        return math.isnan(naming.grade(cells[columns.number].replace(",", ".")))
    ids = [(DOCNO, columns.document)]
    if columns.has_lists:
        ids = [(RELEVANT_DOCNOS if role.has_grades else DOCNOS, columns.document)]
    if columns.topic is not None:
        ids.append((TOPIC, columns.topic))
    return all(pick([cells[column]], KNOWN_HEADINGS[kind]) is not None for kind, column in ids)


def read_words(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of qrels whose grades may be words that --grades explains."""
    from pres_eval.reading.mistakes.advice import with_advice

    rows = (
        (line, text.split())
        for line, text in enumerate(_lines(source), 1)
        if text.strip() and not text.startswith("#")
    )
    columns = Columns(topic=0, document=2, number=3)
    cells = CellReader(source, columns, role, separator=" ", width=4, like=f" ({QRELS.names})")
    try:
        yield from blocks_of_rows(source.name, cells.rows(rows), role)
    except InputError as error:
        # A grade that is no number explains itself; of a wrong number of columns the whole file tells more.
        # Only the message of an error says which of the two it is.
        if "column" not in error.found:
            raise
        raise with_advice(error, source, QRELS.names) from None


def _missing_columns(source: File, head: TableHead | None, role: Role) -> InputError:
    """Return the error of a header without the columns of a run or of judgements."""
    from pres_eval.reading.mistakes.advice import naming_advice, with_advice

    if head is None:
        first_bytes = source.head().removeprefix(BYTE_ORDER_MARK)
        if not first_bytes:
            return EmptyFileError.without_bytes(source.name)
        first_line = first_bytes.partition(b"\n")[0].decode("utf-8", "replace")
        head = TableHead(names=(first_line,), separator=",", quote='"', before=0)
    line = head.before + 1
    expected = "a header with query_id, doc_id and score"
    if role.has_grades:
        expected = "a header with query_id, doc_id and relevance"
    error = InputError(source.name, line, f"the columns {quoted(', '.join(head.names))}", expected)
    if any("\0" in name for name in head.names):
        return with_advice(error, source, "")  # it is a binary file
    for kind, heading in source.naming.for_role(role).columns.items():
        if heading not in head.names:
            advice = did_you_mean(heading, head.names, "the heading is written as in the file")
            return InputError(source.name, line, f"no column {quoted(heading)} ({kind})", expected, advice)
    return InputError(error.path, line, error.found, expected, naming_advice(source, role))


@dataclass(frozen=True)
class CellReader:
    """Reader that makes rows of a run, or of judgements, of the cells of a table.

    source     the file, as messages name it, and what its options say of words and headings
    columns    those that are read
    role       what the file is read as
    separator  of the cells; decimal commas are read where no comma separates
    width      how many cells each row should have
    like       why so many, for messages: ", as in the header"
    headings   of the columns; none if they have numbers
    """

    source: File
    columns: Columns
    role: Role
    separator: str
    width: int
    like: str
    headings: tuple[str, ...] = ()

    def rows(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[Row]:
        """Yield the documents of rows, each with its line; warn of what all rows show.

        rows  the line and the cells of each
        Rows with neither document nor number are left out, such as the only row of a topic without ratings.
        """
        columns, by_order = self.columns, NumbersByOrder(self.role)
        # The number beside a list of retrieved documents is not the score of all of them.
        has_number = columns.number is not None and (self.role.has_grades or not columns.has_lists)
        observer = self._new_observer()
        has_words = self.role.has_grades and bool(self.source.naming.grades)
        has_rank = columns.rank is not None
        is_observed = observer.rival is not None or has_rank or columns.has_lists or has_words
        # In a table without numbers a cell of one document may be meant as a list.
        may_be_lists = columns.number is None and not columns.has_lists
        topics_alone: list[str] = []
        for line, cells in rows:
            if not any(cells):
                continue
            if len(cells) != self.width:
                expected = f"{self.width}{self.like}"
                raise InputError(self.source.name, line, plural(len(cells), "column"), expected)
            topic_cell = ID_OF_ONE_TOPIC.decode()
            if columns.topic is not None:
                topic_cell = cells[columns.topic]
            if columns.number is not None:
                is_alone = not cells[columns.document].strip() and not cells[columns.number].strip()
                if is_alone:
                    topics_alone.append(topic_cell)
                    continue
            topic = id_of_cell(self.source, line, topic_cell, "topic")
            number: int | float = 0
            if columns.number is not None and has_number:  # which implies the former, but not for mypy
                number = self._number(line, cells[columns.number].strip())
            if is_observed:
                self._show_row(observer, topic, cells, number)
            document_cell = cells[columns.document]
            if may_be_lists and (";" in document_cell or "|" in document_cell):
                observer.see_joined_ids(document_cell.strip())
            for document in self._documents(line, document_cell):
                if not has_number:
                    number = by_order.number(topic)
                yield topic, document, number, line
        observer.warn()
        if topics_alone:
            left_out = f"{plural(len(topics_alone), 'row')} without document and number left out"
            text = f"{self.source.name}: {left_out}, such as that of topic {quoted(topics_alone[0])}"
            warnings.warn(text, ReadingNote, stacklevel=2)

    def _new_observer(self) -> ObservedTable:
        """Return the observer that collects what looks wrong in the rows, to warn of it at the end.

        It looks for a second column of document ids, its `rival`, unless the options name the column of
        documents or the columns have no headings.
        """
        if not self.headings:
            return ObservedTable(self.source.name, (), "")
        docno = self.headings[self.columns.document]
        naming = self.source.naming.for_role(self.role)
        if naming.named_column(DOCNO, self.headings) is not None:
            return ObservedTable(self.source.name, (), docno)
        return ObservedTable(self.source.name, self.headings, docno)

    def _show_row(
        self, observer: ObservedTable, topic: bytes, cells: Sequence[str], number: int | float
    ) -> None:
        """Show a row to the observer of the table."""
        columns = self.columns
        if observer.rival is not None:
            observer.see_docnos(cells[columns.document], cells[self.headings.index(observer.rival)])
        if columns.rank is not None:
            rank = cells[columns.rank]
            if self.separator != ",":
                rank = rank.replace(",", ".")
            observer.see_rank(topic.decode("utf-8", "replace"), rank, number)
        if columns.has_lists:
            observer.see_list(topic.decode("utf-8", "replace"))
        if self.role.has_grades and columns.number is not None:
            grade = cells[columns.number]
            if self.source.naming.is_combined(grade):
                observer.see_combined_grade(grade.strip())

    def _documents(self, line: int, cell: str) -> Iterator[bytes]:
        """Yield the ids of the documents in a cell."""
        texts = [cell]
        if self.columns.has_lists:
            texts = ids_in_cell(cell)
        for text in texts:
            yield id_of_cell(self.source, line, text, DOCNO)

    def _number(self, line: int, text: str) -> int | float:
        """Return a score, the negative of a rank, or a grade, which is whole unless it may have decimals.

        Raises InputError for a text that is no such number.
        """
        naming = self.source.naming
        number_text = text
        # In `1,2` of --grades, several grades in a cell, the comma is no decimal one.
        is_combined = self.role.has_grades and naming.is_combined(text)
        if self.separator != "," and not is_combined:
            number_text = text.replace(",", ".")
        if self.role.has_grades:
            grade = naming.grade(number_text)
            if math.isnan(grade) and text.strip()[:1].isalpha():
                advice = f"--grades {shlex.quote(f'{text}=GRADE,...')} reads words as grades"
                expected = expected_grade(self.role)
                raise InputError(self.source.name, line, f"relevance {quoted(text)}", expected, advice)
            return checked_grade(grade, f"relevance {quoted(text)}", self.source.name, line, self.role)
        score = number_of(number_text)
        if math.isnan(score):
            raise InputError(self.source.name, line, f"score {quoted(text)}", "a number")
        if self.columns.by_rank:
            return -score
        return score


def ids_in_cell(cell: str) -> list[str]:
    """Return the ids in a cell: separated by semicolons, bars, line ends or commas, or a list of Python.

    Of several of these in a cell the first in this order separates: `a,b;c` are a,b and c.  Without any of
    them blanks separate.
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


def expected_grade(role: Role) -> str:
    """Return what messages expect of a grade."""
    if role.has_gains:
        return "a finite number"
    return "an integer"


def checked_grade(grade: int | float, text: str, name: str, line: int | None, role: Role) -> int | float:
    """Return a grade as a whole number, or as it is if it has decimals or is large, and is read as a gain.

    grade       nan for a text that is no number
    text        what messages call it: "relevance '1.5'"
    name, line  where it is
    Raises InputError for a grade that is no finite number.  Where no gains are read, also for one that is not
    whole, for a double from 2^53 on, and for a whole number from 2^63 on.
    """
    end_of_whole = 2**63  # of the 64 bits that a whole number has
    if isinstance(grade, float):
        end_of_whole = 2**53  # from there on doubles are not exact to a whole number
    expected = expected_grade(role)
    if not math.isfinite(number_of(grade)):
        raise InputError(name, line, text, expected)
    if role.has_gains and abs(grade) >= end_of_whole:
        return float(grade)
    if abs(grade) >= end_of_whole:
        raise InputError(name, line, text, expected)
    if grade == int(grade):
        return int(grade)
    if not role.has_gains:
        raise InputError(name, line, text, expected, GAINS_ADVICE)
    return grade


def id_of_cell(source: File, line: int, text: str, what: str) -> bytes:
    """Return an id without the blanks around it; raise InputError for an empty or rounded one, and for NULs.

    what  what messages call it: topic or docno
    """
    word = text.encode("utf-8", "surrogateescape").strip()  # of bytes: other blanks than ASCII's are letters
    if not word or b"\0" in word:
        raise InputError(source.name, line, f"{what} {quoted(word)}", "an id")
    if ROUNDED.fullmatch(word):
        advice = "a spreadsheet has rounded it: import this column as text, and save again"
        raise InputError(source.name, line, f"{what} {quoted(word)}", "all digits", advice)
    return word

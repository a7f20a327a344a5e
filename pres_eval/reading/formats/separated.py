"""CSV and TSV with named columns, and text whose columns --columns names by their numbers."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from pres_eval.errors import InputError, ReadingNote, did_you_mean, number_of, plural, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.file import File
from pres_eval.reading.formats.csv_rows import cells_of, separated_rows, separator_of_lines
from pres_eval.reading.formats.table_columns import (
    ID_OF_ONE_TOPIC,
    Columns,
    columns_of,
    note_of_one_topic,
    numbered_columns,
)
from pres_eval.reading.formats.table_heads import TableHead, head_of_table
from pres_eval.reading.headings import DOCNO, GAINS_ADVICE, Role
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

ROUNDED = re.compile(rb"\d[.,]\d+E\+\d+")
"""How spreadsheets show long numbers, whose last digits are then lost."""


class NumbersByOrder:
    """Numbers for documents listed without any: the order is the rank; as judgements all are relevant."""

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
    """Read a run or judgements with named columns, separated by commas, semicolons or tabs.

    Raises InputError for missing columns, for rows of another length, and for ids that are none.
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
    if head.before > 1:
        text = f"{plural(head.before, 'line')} before the headings left out"
        warnings.warn(f"{source.name}: {text}", ReadingNote, stacklevel=2)
    if columns.number is None and not columns.has_lists:
        _look_for_unnamed_number(source, columns, role, head.separator, head.names)
    if columns.number is not None:
        warn_of_other_number(source.name, naming, head.names, head.names[columns.number], role)
    lines = islice(_lines(source), head.before + 1, None)
    rows = separated_rows(
        source.name, lines, "rows of columns", head.separator, quote=head.quote, before=head.before + 1
    )
    if head.separator == "|":
        rows = (row for row in rows if not RULE_OF_TABLE.fullmatch("".join(row[1])))
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
    """Return rows without the names that R's write.table puts before them, for which it has no heading."""
    first = next(rows, None)
    if first is None:
        return rows
    all_rows = chain([first], rows)
    if len(first[1]) != width + 1:
        return all_rows
    return ((line, cells[1:]) for line, cells in all_rows)


def _look_for_unnamed_number(
    source: File, columns: Columns, role: Role, separator: str | None, header: Sequence[str] = ()
) -> None:
    """Warn of other columns that may have the grades or scores, none of which an option names.

    header  names of the columns; none if they have numbers
    """
    lines = source.head().decode("utf-8-sig", "surrogateescape").split("\n")[:-1]
    rows = [cells_of(line.rstrip("\r"), separator) for line in lines if line.strip()]
    rows = [row for row in rows if len(row) > columns.last and row != list(header)]
    width = min(map(len, rows), default=0)
    if header:
        names, option, body = list(header), "HEADING", rows
    else:  # the first row may be a heading all the same
        names, option, body = [str(number + 1) for number in range(width)], "NUMBER", rows[1:] or rows
    candidates = []
    for column in range(width):
        if column not in columns.used and may_be_numbers([row[column] for row in body], role):
            candidates.append(names[column])
    warn_of_unnamed_number(source.name, candidates, role, option)


def read_by_number(source: File, role: Role) -> Iterator[Block]:
    """Read a run or judgements whose columns --columns names by their numbers.

    Raises InputError for a file with fewer columns, for rows of another length, and for ids that are none.
    """
    return blocks_of_rows(source.name, _rows_by_number(source, role), role)


def _rows_by_number(source: File, role: Role) -> Iterator[Row]:
    """Yield the rows of a file without a header, or whose header has no number in the column of numbers."""
    naming = source.naming.for_role(role)
    columns = numbered_columns(naming, role)
    if columns.topic is None:
        note_of_one_topic(source.name)
    separator = separator_of_lines(source.head(), columns.last + 1)
    if columns.number is None and not columns.has_lists:
        _look_for_unnamed_number(source, columns, role, separator)
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
        expected = f"{columns.last + 1} or more (--columns)"
        raise InputError(source.name, first[0], plural(width, "column"), expected)
    is_header = columns.number is not None and math.isnan(
        naming.grade(first[1][columns.number].replace(",", "."))
    )
    if not is_header:
        rows = chain([first], rows)
    cells = CellReader(
        source=source,
        columns=columns,
        role=role,
        separator=separator or "",
        width=width,
        like=", as in the first line",
    )
    yield from cells.rows(rows)


def read_words(source: File, role: Role) -> Iterator[Block]:
    """Read qrels whose grades may be words that --grades explains."""
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
        # Only of a wrong number of columns, not of a grade that is none, a look at the whole file says more.
        if "column" not in error.found:
            raise
        raise with_advice(error, source, QRELS.names) from None


def _missing_columns(source: File, head: TableHead | None, role: Role) -> InputError:
    """Return the error of a header without the columns of a run or of judgements."""
    from pres_eval.reading.mistakes.advice import naming_advice, with_advice

    if head is None:
        first_line = source.head().partition(b"\n")[0].decode("utf-8", "replace")
        head = TableHead(names=(first_line,), separator=",", quote='"', before=0)
    line = head.before + 1
    expected = "a header with query_id, doc_id and score"
    if role.has_grades:
        expected = "a header with query_id, doc_id and relevance"
    error = InputError(source.name, line, f"the columns {quoted(', '.join(head.names))}", expected)
    if any("\0" in name for name in head.names):
        return with_advice(error, source, "")
    for kind, heading in source.naming.for_role(role).columns.items():
        if heading not in head.names:
            advice = did_you_mean(heading, head.names, "the heading is written as in the file")
            return InputError(source.name, line, f"no column {quoted(heading)} ({kind})", expected, advice)
    return InputError(error.path, line, error.found, expected, naming_advice(source, role))


@dataclass(frozen=True)
class CellReader:
    """Reader of rows of cells as rows of a run or judgements.

    separator  of the cells; decimal commas are read where no comma separates
    width      cells of each row, and `like` says why so many
    headings   names of the columns; none if they have numbers
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

        Rows with neither document nor number, as a topic without a rating has one, are left out.
        """
        columns, by_order = self.columns, NumbersByOrder(self.role)
        has_number = columns.number is not None and (self.role.has_grades or not columns.has_lists)
        table = self._new_observer()
        has_words = self.role.has_grades and bool(self.source.naming.grades)
        has_rank = columns.rank is not None
        # The rival is a second column of ids of documents.
        is_observed = table.rival is not None or has_rank or columns.has_lists or has_words
        # Lists of ids stand in tables without grades and scores.
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
            if columns.number is not None and has_number:
                number = self._number(line, cells[columns.number].strip())
            if is_observed:
                self._show(table, topic, cells, number)
            if may_be_lists and (";" in cells[columns.document] or "|" in cells[columns.document]):
                table.see_joined_ids(cells[columns.document].strip())
            for document in self._documents(line, cells[columns.document]):
                if not has_number:
                    number = by_order.number(topic)
                yield topic, document, number, line
        table.warn()
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

    def _show(self, table: ObservedTable, topic: bytes, cells: Sequence[str], number: int | float) -> None:
        """Show a row to what observes the table."""
        columns = self.columns
        if table.rival is not None:
            table.see_docnos(cells[columns.document], cells[self.headings.index(table.rival)])
        if columns.rank is not None:
            rank = cells[columns.rank]
            if self.separator != ",":
                rank = rank.replace(",", ".")
            table.see_rank(topic.decode("utf-8", "replace"), rank, number)
        if columns.has_lists:
            table.see_list(topic.decode("utf-8", "replace"))
        if self.role.has_grades and columns.number is not None:
            grade = cells[columns.number]
            if self.source.naming.is_combined(grade):
                table.see_combined_grade(grade.strip())

    def _documents(self, line: int, cell: str) -> Iterator[bytes]:
        """Yield the ids of the documents in a cell."""
        texts = [cell]
        if self.columns.has_lists:
            texts = ids_in_cell(cell)
        for text in texts:
            yield id_of_cell(self.source, line, text, DOCNO)

    def _number(self, line: int, text: str) -> int | float:
        """Return a score, the negative of a rank, or a grade, which is whole unless gains are read."""
        naming = self.source.naming
        number_text = text
        is_combined = self.role.has_grades and naming.is_combined(text)
        if self.separator != "," and not is_combined:
            number_text = text.replace(",", ".")
        if self.role.has_grades:
            grade = naming.grade(number_text)
            if math.isnan(grade) and text.strip()[:1].isalpha():
                advice = f"--grades {text}=GRADE,... reads words as grades"
                raise InputError(self.source.name, line, f"relevance {quoted(text)}", "an integer", advice)
            return checked_grade(grade, f"relevance {quoted(text)}", self.source.name, line, self.role)
        score = number_of(number_text)
        if math.isnan(score):
            raise InputError(self.source.name, line, f"score {quoted(text)}", "a number")
        if self.columns.by_rank:
            return -score
        return score


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


def checked_grade(grade: int | float, text: str, name: str, line: int | None, role: Role) -> int | float:
    """Return a grade as a whole number, or as a decimal one if gains are read.

    text  the grade as messages call it
    Raises InputError for a grade that is no finite number, or not whole where gains are not read.
    """
    largest = 2**63
    if isinstance(grade, float):
        largest = 2**53  # larger doubles are not exact to a whole number
    expected = "an integer"
    if role.has_gains:
        expected = "a finite number"
    if math.isnan(grade) or abs(grade) >= largest:
        raise InputError(name, line, text, expected)
    if grade == int(grade):
        return int(grade)
    if not role.has_gains:
        raise InputError(name, line, text, expected, GAINS_ADVICE)
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

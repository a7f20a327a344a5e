"""Records in JSON: objects with the columns of a run or of judgements, and tables in JSON made of these."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pres_eval.errors import InputError, ReadingNote, did_you_mean, number_of, quoted
from pres_eval.reading.file import File
from pres_eval.reading.formats.engines import Entry
from pres_eval.reading.formats.separated import ids_in_cell
from pres_eval.reading.formats.table_columns import ID_OF_ONE_TOPIC, has_one_topic, note_of_one_topic
from pres_eval.reading.headings import (
    DOCNO,
    DOCNOS,
    GRADE,
    NAME_THEM,
    NO_NAMING,
    RANK,
    RELEVANT_DOCNOS,
    SCORE,
    TOPIC,
    Naming,
    Role,
    pick,
)
from pres_eval.reading.mistakes.table_faults import (
    ObservedTable,
    may_be_numbers,
    warn_of_other_number,
    warn_of_unnamed_number,
)
from pres_eval.records import dataclass

IN_ORDER = object()
"""Takes the place of a number: a run has a topic's documents in ranked order, judgements are all relevant."""

IDS_OF_OBJECTS = ("docno", "doc_id", "_id", "id", "document_id", "pid")
"""Names of the field of an object in a list of documents that has its id; the first that is there counts."""

ReadOther = Callable[[Any, "int | None"], Iterator[Entry]]
"""Function that yields the entries of a value that is no record, given the value and its line."""

RecordAndLine = tuple[Any, "int | None"]
"""A record and its line; None where records have no lines of their own."""


@dataclass(frozen=True)
class RecordColumns:
    """Names of the fields of a record.

    topic     None: the record's number is its topic if it has a list of documents, else ID_OF_ONE_TOPIC is
    document  the document, or the list of documents, which may be objects with their ids and scores
    number    None: documents of a run are in ranked order, those of judgements all relevant
    by_rank   whether the number is a rank
    rank      the rank beside the score; None if there is none
    """

    topic: str | None
    document: str
    number: str | None
    by_rank: bool = False
    rank: str | None = None


def record_columns(record: Mapping[str, Any], role: Role, naming: Naming) -> RecordColumns | None:
    """Return the names of the fields of a record that are read; None if it is no record of this role."""
    headings = list(record)
    topic, docno = naming.column(TOPIC, headings), naming.column(DOCNO, headings)
    kind_of_lists, kind_of_number = DOCNOS, SCORE
    if role.has_grades:
        kind_of_lists, kind_of_number = RELEVANT_DOCNOS, GRADE
    docnos = naming.column(kind_of_lists, headings)
    if docnos is not None and (docno is None or naming.named_column(DOCNOS, headings) is not None):
        return RecordColumns(topic, docnos, None)
    if docno is None or (topic is None and not has_one_topic(naming)):
        return None
    number = naming.column(kind_of_number, headings)
    rank = None
    if not role.has_grades:
        rank = naming.column(RANK, headings)
    rank_is_named = RANK in naming.columns and SCORE not in naming.columns
    if rank is not None and (number is None or rank_is_named):
        return RecordColumns(topic, docno, rank, by_rank=True)
    if number is None and DOCNO not in naming.columns:
        return None
    if rank == number:  # a field named rank that an option names as the scores
        rank = None
    return RecordColumns(topic, docno, number, rank=rank)


def is_record(data: Any, role: Role, naming: Naming) -> bool:
    """Return whether data are a record of this role: of a run, or of judgements."""
    return isinstance(data, Mapping) and record_columns(data, role, naming) is not None


def records_of_table(data: Any, role: Role, naming: Naming) -> Iterator[Any] | None:
    """Return the records of a table in JSON as pandas writes it, or None for other JSON.

    orient="columns"  {heading: {index: cell}}, or {heading: [cells]}
    orient="index"    {index: {heading: cell}}
    orient="split"    {"columns": [headings], "data": [[cells]]}
    orient="table"    {"data": [{heading: cell}]}, with other fields
    """
    if not isinstance(data, Mapping):
        return None
    return _of_columns(data, role, naming) or _of_split(data, role, naming) or _of_lists(data, role, naming)


def _of_columns(data: Mapping[str, Any], role: Role, naming: Naming) -> Iterator[Any] | None:
    """Return the records of columns, {heading: {index: cell}} or {heading: [cells]}; None for others."""
    columns = record_columns(data, role, naming)
    if columns is None:
        return None
    fields = (columns.topic, columns.document, columns.number, columns.rank)
    names = [name for name in fields if name is not None]
    if len(names) < 2:
        return None
    types_of_columns = {type(data[name]) for name in names}
    if types_of_columns not in ({dict}, {list}):
        return None
    if types_of_columns == {list}:
        rows = zip(*(data[name] for name in names), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)
    return ({name: data[name][row] for name in names} for row in data[names[0]])


def _of_split(data: Mapping[str, Any], role: Role, naming: Naming) -> Iterator[Any] | None:
    """Return the records of {"columns": [headings], "data": [[cells]]}; None for others."""
    headings, rows = data.get("columns"), data.get("data")
    if not isinstance(headings, list) or not isinstance(rows, list):
        return None
    if not is_record(dict.fromkeys(map(str, headings)), role, naming):
        return None
    return (dict(zip(map(str, headings), row, strict=True)) for row in rows)


def _of_lists(data: Mapping[str, Any], role: Role, naming: Naming) -> Iterator[Any] | None:
    """Return the records of a list among the values, or the values if all of them are records; else None."""
    values = list(data.values())
    for value in values:
        if isinstance(value, list) and value and is_record(value[0], role, naming):
            return iter(value)
    if not values:
        return None
    for value in values:
        has_objects = isinstance(value, Mapping) and any(isinstance(cell, Mapping) for cell in value.values())
        if has_objects or not is_record(value, role, naming):
            return None
    return iter(values)


def record_entries(
    source: File, records: Iterable[RecordAndLine], role: Role, read_other: ReadOther
) -> Iterator[Entry]:
    """Yield the documents of records; of values that are no records, those that `read_other` yields.

    Warns of what the records show, and gives a note if their numbers are their topics.
    """
    reader = RecordReader(source, role)
    for number, (record, line) in enumerate(records, 1):
        columns = None
        if isinstance(record, Mapping):
            columns = record_columns(record, role, reader.naming)
        if columns is None:
            check_named_columns(source, record, reader.naming, line)
            check_is_no_record(source, record, line, role)
            yield from read_other(record, line)
        else:
            yield from reader.entries(record, columns, number, line)
    reader.warn()


class RecordReader:
    """Reader of records, all of which it shows to an observer that looks for faults of the table."""

    def __init__(self, source: File, role: Role) -> None:
        self.naming = source.naming.for_role(role)
        self._source, self._role = source, role
        self._observer: ObservedTable | None = None
        """None before the first record, which it is made of."""
        self._heading_of_lists = ""
        """The name of the field of lists of documents, if records have one and no topic."""
        self._has_one_topic = False
        """Whether records have neither a topic nor a list."""
        self._have_numbers: bool | None = None
        """Whether records of single documents have numbers; None before the first of these."""

    def entries(
        self, record: Mapping[str, Any], columns: RecordColumns, number: int, line: int | None
    ) -> Iterator[Entry]:
        """Yield the documents of a record.

        number  of the record, from 1: the topic of a list of documents without one
        line    of the record; None if records have no lines
        """
        if self._observer is None:
            self._begin(record, columns)
        assert self._observer is not None
        document = record[columns.document]
        if isinstance(document, str) and columns.number is None and DOCNOS in self.naming.columns:
            document = ids_in_cell(document)
        is_list = isinstance(document, list)
        if columns.topic is not None:
            topic: Any = record[columns.topic]
        elif is_list:
            self._heading_of_lists = columns.document
            topic = str(number)
        else:
            self._has_one_topic = True
            topic = ID_OF_ONE_TOPIC.decode()
        if is_list:
            self._observer.see_list(topic)
            yield from _entries_of_list(topic, document, line)
            return
        self._check_number(columns, line)
        if columns.number is None:
            yield topic, document, IN_ORDER, line
            return
        value = record[columns.number]
        self._show(self._observer, record, columns, topic)
        if columns.by_rank and isinstance(value, (int, float)):
            value = -value
        yield topic, document, value, line

    def _check_number(self, columns: RecordColumns, line: int | None) -> None:
        """Raise InputError if one record has a number, and another one has none."""
        has_number = columns.number is not None
        if self._have_numbers is None:
            self._have_numbers = has_number
        if has_number != self._have_numbers:
            noun = "grade" if self._role.has_grades else "score or rank"
            problem = f"a record without a {noun} among others"
            if has_number:
                problem = f"a record with a {noun} among others without"
            raise InputError(self._source.name, line, problem, f"a {noun} in each record, or in none")

    def _show(
        self, observer: ObservedTable, record: Mapping[str, Any], columns: RecordColumns, topic: Any
    ) -> None:
        """Show a record that has a number to the observer."""
        assert columns.number is not None
        value = record[columns.number]
        if columns.rank is not None and columns.rank in record and isinstance(value, (int, float)):
            observer.see_rank(topic, record[columns.rank], value)
        if observer.rival is not None and observer.rival in record:
            observer.see_docnos(record[columns.document], record[observer.rival])
        if self._role.has_grades and isinstance(value, str) and self.naming.is_combined(value):
            observer.see_combined_grade(value)

    def _begin(self, record: Mapping[str, Any], columns: RecordColumns) -> None:
        """Make the observer of the first record; warn of its fields that may be its grade or score."""
        headings = list(record)
        compared_headings = headings
        if self.naming.named_column(DOCNO, headings) is not None:
            compared_headings = []
        self._observer = ObservedTable(self._source.name, compared_headings, columns.document)
        if columns.number is None and not isinstance(record[columns.document], list):
            used = (columns.topic, columns.document)
            fields = [name for name in headings if name not in used]
            candidates = [name for name in fields if may_be_numbers([record[name]], self._role)]
            warn_of_unnamed_number(self._source.name, self.naming, candidates, self._role, "HEADING")
        if columns.number is not None:
            warn_of_other_number(self._source.name, self.naming, headings, columns.number, self._role)

    def warn(self) -> None:
        """Give the warnings and notes about all records."""
        if self._observer is not None:
            self._observer.warn()
        if self._has_one_topic:
            note_of_one_topic(self._source.name)
        if self._heading_of_lists:
            text = (
                f"records have {self._heading_of_lists} and no topic: their numbers, from 1, are the topics"
            )
            warnings.warn(f"{self._source.name}: {text}", ReadingNote, stacklevel=2)


def _entries_of_list(topic: Any, documents: list[Any], line: int | None) -> Iterator[Entry]:
    """Yield the documents of a list: ids, or objects with an id and perhaps a score, in ranked order.

    If one of them has no score, those of the others do not count.
    """
    scores = [_score_of(document) for document in documents]
    are_scored = bool(scores) and not any(math.isnan(score) for score in scores)
    for document, score in zip(documents, scores, strict=True):
        docno, number = document, IN_ORDER
        if isinstance(document, Mapping):
            docno = document.get(pick(document, IDS_OF_OBJECTS))
        if are_scored:
            number = score
        yield topic, docno, number, line


def _score_of(document: Any) -> float:
    """Return the score of an object in a list of documents; nan if it has none."""
    if not isinstance(document, Mapping):
        return math.nan
    return number_of(document.get("score"))


def check_named_columns(source: File, record: Any, naming: Naming, line: int | None) -> None:
    """Raise InputError for a record without one of the columns that the options name."""
    headings: list[str] = []
    if isinstance(record, Mapping):
        headings = list(record)
    for kind, heading in naming.columns.items():
        if heading not in headings:
            advice = did_you_mean(heading, headings, "the heading is written as in the file")
            expected = "a record with the columns of --columns"
            raise InputError(source.name, line, f"no column {quoted(heading)} ({kind})", expected, advice)


def check_is_no_record(source: File, record: Any, line: int | None, role: Role) -> None:
    """Raise InputError for a record that has a topic or a document, but not all columns."""
    if not isinstance(record, Mapping) or any(
        isinstance(value, (Mapping, list)) for value in record.values()
    ):
        return
    if any(NO_NAMING.column(kind, list(record)) is not None for kind in (TOPIC, DOCNO)):
        problem = f"a record with {', '.join(map(quoted, record))}"
        expected = "one with query_id, doc_id and score"
        if role.has_grades:
            expected = "one with query_id, doc_id and relevance"
        raise InputError(source.name, line, problem, expected, NAME_THEM)

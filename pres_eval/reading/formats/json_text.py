"""JSON: {topic: {docno: number}} or {topic: [docnos]}, and records, in a list or one a line."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pres_eval.errors import InputError, ReadingNote, did_you_mean, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.file import File
from pres_eval.reading.formats.engines import Entry, engine_rows
from pres_eval.reading.formats.separated import InOrder, checked_grade, ids_in_cell
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
)

SHAPE = '{"topic": {"docno": number, ...}, ...}'

IN_ORDER = object()
"""In place of a number: the document's place in its topic is its rank; as a judgement it is relevant."""


class _RepeatedKeyError(ValueError):
    """A key that an object has twice."""


def read_json(source: File, grades: int) -> Iterator[Block]:
    """Return one object for the whole file; or one a line, where the first line was too long to recognise."""
    text = source.head(None)
    if _is_lines(text):
        return read_json_lines(source, grades)
    data = _parsed(source, text, None)
    entries = engine_rows(source, data, grades) or _frame_entries(source, data, grades)
    if entries is None and isinstance(data, Sequence):
        entries = _record_entries(source, ((record, None) for record in data), grades)
    if entries is None:
        entries = _nested_entries(source, data, None)
    return blocks_of_rows(source.name, _rows(source, whole_entries(source, entries), grades), grades)


def _is_lines(text: bytes) -> bool:
    """Return whether the first line is a whole object and another one follows."""
    first, _, rest = text.partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        json.loads(first.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return False
    return True


def read_json_lines(source: File, grades: int) -> Iterator[Block]:
    """Return one object a line: {topic: {docno: number}}, {topic: [docnos]}, or a record."""
    records = (
        (_parsed(source, line, number), number)
        for number, line in enumerate(source.head(None).split(b"\n"), 1)
        if line.strip()
    )
    return blocks_of_rows(
        source.name, _rows(source, _record_entries(source, records, grades), grades), grades
    )


def _parsed(source: File, text: bytes, line: int | None) -> Any:
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=_object)
    except _RepeatedKeyError as error:
        raise InputError(source.name, line, f"the key {quoted(str(error))} twice", "each key once") from None
    except (ValueError, RecursionError) as error:
        raise InputError(source.name, line, f"no JSON ({error})", f"JSON like {SHAPE}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return members


def _nested_entries(source: File, data: Any, line: int | None) -> Iterator[Entry]:
    """Yield the documents of {topic: {docno: number}} and of {topic: [docnos]}."""
    if not isinstance(data, Mapping):
        raise InputError(source.name, line, f"JSON that is a {type(data).__name__}", f"JSON like {SHAPE}")
    for topic, documents in data.items():
        if isinstance(documents, Mapping):
            for document, number in documents.items():
                yield topic, document, number, line
        elif isinstance(documents, list):
            for document in documents:
                if isinstance(document, (Mapping, list)):
                    found = f"{type(document).__name__} in the list of topic {quoted(topic)}"
                    raise InputError(source.name, line, found, "docnos in ranked order")
                yield topic, document, IN_ORDER, line
        else:
            found = f"{type(documents).__name__} for topic {quoted(topic)}"
            raise InputError(source.name, line, found, f"JSON like {SHAPE}")


def _frame_entries(source: File, data: Any, grades: int) -> Iterator[Entry] | None:
    """Return the entries of columns, by index as pandas writes a frame or as lists; None for other JSON."""
    if not isinstance(data, Mapping):
        return None
    columns = _record_columns(data, grades, source.naming)
    names = [name for name in columns or () if name is not None]
    kinds = {type(data[name]) for name in names}
    if len(names) < 2 or kinds not in ({dict}, {list}):
        return None
    if kinds == {list}:
        rows = zip(*(data[name] for name in names), strict=True)
        records = (dict(zip(names, row, strict=True)) for row in rows)
    else:
        records = ({name: data[name][row] for name in names} for row in data[names[0]])
    return _record_entries(source, ((record, None) for record in records), grades)


RecordColumns = tuple["str | None", str, "str | None"]
"""Names of the topic, the document or documents, and the number of a record."""


def _record_columns(record: Mapping[str, Any], grades: int, naming: Naming) -> RecordColumns | None:
    """Return the names of a record's topic, document or documents, and number; None if it is no record."""
    topic = naming.column(TOPIC, list(record))
    docno, docnos = (
        naming.column(kind, list(record)) for kind in (DOCNO, RELEVANT_DOCNOS if grades else DOCNOS)
    )
    if docnos is not None and (docno is None or DOCNOS in naming.columns):
        return topic, docnos, None
    number = naming.column(GRADE if grades else SCORE, list(record))
    if number is None and not grades:
        number = naming.column(RANK, list(record))
    if topic is None or docno is None or (number is None and DOCNO not in naming.columns):
        return None
    return topic, docno, number


def is_record(data: Any, grades: int, naming: Naming) -> bool:
    """Return whether data are a record of a run or of judgements."""
    return isinstance(data, Mapping) and _record_columns(data, grades, naming) is not None


def _record_entries(source: File, records: Iterable[tuple[Any, int | None]], grades: int) -> Iterator[Entry]:
    """Yield the documents of records, and of objects {topic: documents}; note topics that are numbers."""
    naming, numbered = source.naming, ""
    for number, (record, line) in enumerate(records, 1):
        columns = _record_columns(record, grades, naming) if isinstance(record, Mapping) else None
        if columns is None:
            check_named_columns(source, record, naming, line)
            check_is_no_record(source, record, line, grades)
            yield from _nested_entries(source, record, line)
            continue
        topic_name, document_name, number_name = columns
        topic = record[topic_name] if topic_name is not None else str(number)
        if topic_name is None:
            numbered = document_name
        documents = record[document_name]
        if number_name is not None:
            value = record[number_name]
            by_rank = not grades and number_name == naming.column(RANK, list(record))
            yield topic, documents, -value if by_rank and isinstance(value, (int, float)) else value, line
            continue
        if isinstance(documents, str) and DOCNOS in naming.columns:
            documents = ids_in_cell(documents)
        for document in documents if isinstance(documents, list) else [documents]:
            yield topic, document, IN_ORDER, line
    if numbered:
        text = f"{source.name}: records have {numbered} and no topic: their numbers, from 1, are the topics"
        warnings.warn(text, ReadingNote, stacklevel=2)


def check_named_columns(source: File, record: Any, naming: Naming, line: int | None) -> None:
    """Raise InputError for a record without one of the columns that the options name."""
    headings = list(record) if isinstance(record, Mapping) else []
    for kind, heading in naming.columns.items():
        if heading not in headings:
            advice = did_you_mean(heading, headings, "the heading is written as in the file")
            expected = "a record with the columns of --columns"
            raise InputError(source.name, line, f"no column {quoted(heading)} ({kind})", expected, advice)


def check_is_no_record(source: File, record: Any, line: int | None, grades: int) -> None:
    """Raise InputError for a record that has a topic or a document, but not all columns."""
    if not isinstance(record, Mapping) or any(
        isinstance(value, (Mapping, list)) for value in record.values()
    ):
        return
    if any(NO_NAMING.column(kind, list(record)) is not None for kind in (TOPIC, DOCNO)):
        found = f"a record with {', '.join(map(quoted, record))}"
        expected = f"one with query_id, doc_id and {'relevance' if grades else 'score'}"
        raise InputError(source.name, line, found, expected, NAME_THEM)


def whole_entries(source: File, entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield the entries; raise InputError for a hit or a rating that lacks something."""
    try:
        yield from entries
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        found = f"a hit or a rating that is not whole ({error})"
        raise InputError(source.name, None, found, "_id and _score, or _id and rating") from None


def _rows(source: File, entries: Iterable[Entry], grades: int) -> Iterator[Row]:
    """Yield entries as rows; raise InputError for a number of the wrong kind, and for ids that are none."""
    naming, in_order = source.naming, InOrder(grades)
    for topic, document, number, line in entries:
        topic_id, document_id = (
            _id(source, line, value, what) for value, what in ((topic, "topic"), (document, DOCNO))
        )
        if b"\0" in topic_id + document_id:
            raise InputError(source.name, line, f"a NUL in an id of topic {quoted(topic_id)}", "text")
        if number is IN_ORDER:
            yield topic_id, document_id, in_order.number(topic_id), line
            continue
        where = f"of document {quoted(document_id)} for topic {quoted(topic_id)}"
        if grades:
            grade = _grade(number, naming)
            found = f"relevance {quoted(json.dumps(number))} {where}"
            yield topic_id, document_id, checked_grade(grade, found, source.name, line, grades), line
            continue
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            found = f"score {quoted(json.dumps(number))} {where}"
            raise InputError(source.name, line, found, "a number")
        yield topic_id, document_id, _double(number), line


def _grade(number: Any, naming: Naming) -> int | float:
    """Return a grade, nan for what is none; words are those of --grades."""
    if isinstance(number, str):
        return naming.grades.get(number.strip().casefold(), math.nan)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return math.nan
    return number


def _id(source: File, line: int | None, value: Any, what: str) -> bytes:
    """Return an id as it is in text files; raise InputError for null and the like."""
    if value is None or isinstance(value, (bool, Mapping, list)):
        raise InputError(source.name, line, f"{what} {quoted(json.dumps(value))}", "an id")
    return str(value).encode("utf-8", "surrogatepass")


def _double(number: int | float) -> float:
    """Return a number as the same digits in a trec run are read."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf

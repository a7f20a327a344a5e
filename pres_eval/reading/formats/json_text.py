"""JSON: {topic: {docno: number}} or {topic: [docnos]}, and records, in a list or one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from pres_eval.errors import InputError, number_of, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.file import File
from pres_eval.reading.formats.engines import Entry, engine_rows
from pres_eval.reading.formats.json_records import IN_ORDER, RecordAndLine, record_entries, records_of_table
from pres_eval.reading.formats.separated import NumbersByOrder, checked_grade
from pres_eval.reading.headings import DOCNO, Naming, Role

SHAPE = '{"topic": {"docno": number, ...}, ...}'
SHAPE_OF_LISTS = '{"topic": ["docno", ...], ...}'
"""The two nested shapes of JSON, as messages show them."""


class _RepeatedKeyError(ValueError):
    """A key that an object has twice."""


def read_json(source: File, role: Role) -> Iterator[Block]:
    """Return the rows of a file that is one value in JSON.

    The file may have a value in each line, if the first line was too long to recognise that.
    """
    text = source.head(None)
    if _is_lines(text):
        return read_json_lines(source, role)
    data = _parsed(source, text, None)
    entries = engine_rows(source, data, role)
    if entries is None:
        entries = _table_entries(source, data, role)
    if entries is None:
        entries = _nested_entries(source, data, None)
    return blocks_of_rows(source.name, _rows(source, whole_entries(source, entries), role), role)


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


def read_json_lines(source: File, role: Role) -> Iterator[Block]:
    """Return the rows of objects, one a line: {topic: {docno: number}}, {topic: [docnos]}, or a record."""
    entries = record_entries(source, _parsed_lines(source), role, partial(_nested_entries, source))
    return blocks_of_rows(source.name, _rows(source, entries, role), role)


def _parsed_lines(source: File) -> Iterator[RecordAndLine]:
    """Yield the value in each line that is not blank, and the line, from 1."""
    for number, line in enumerate(source.head(None).split(b"\n"), 1):
        if line.strip():
            yield _parsed(source, line, number), number


def _table_entries(source: File, data: Any, role: Role) -> Iterator[Entry] | None:
    """Return the entries of records, in a list or in a table as pandas writes it; None for other JSON."""
    if isinstance(data, list):
        records = iter(data)
    else:
        records_or_none = records_of_table(data, role, source.naming.for_role(role))
        if records_or_none is None:
            return None
        records = _whole_records(source, records_or_none)
    numbered = ((record, None) for record in records)
    return record_entries(source, numbered, role, partial(_nested_entries, source))


def _whole_records(source: File, records: Iterator[Any]) -> Iterator[Any]:
    """Yield the records of a table; raise InputError if a row lacks a cell."""
    try:
        yield from records
    except (KeyError, TypeError, ValueError):
        problem = "a table whose rows or columns differ in length"
        raise InputError(source.name, None, problem, "a cell in each row for each column") from None


def _parsed(source: File, text: bytes, line: int | None) -> Any:
    """Return the value in JSON of a text; raise InputError for other text, and for a key twice."""
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=_object)
    except _RepeatedKeyError as error:
        raise InputError(source.name, line, f"the key {quoted(str(error))} twice", "each key once") from None
    except (ValueError, RecursionError) as error:
        raise InputError(source.name, line, f"no JSON ({error})", f"JSON like {SHAPE}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values; raise _RepeatedKeyError for a key twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for number, key in enumerate(keys) if key in keys[:number]))
    return members


def _nested_entries(source: File, data: Any, line: int | None) -> Iterator[Entry]:
    """Yield the documents of {topic: {docno: number}} and of {topic: [docnos]}, in this line of the file."""
    if not isinstance(data, Mapping):
        raise InputError(source.name, line, f"JSON of type {type(data).__name__}", f"JSON like {SHAPE}")
    for topic, documents in data.items():
        if isinstance(documents, Mapping):
            for document, number in documents.items():
                yield topic, document, number, line
        elif isinstance(documents, list):
            for document in documents:
                if isinstance(document, (Mapping, list)):
                    problem = f"{type(document).__name__} in the list of topic {quoted(topic)}"
                    raise InputError(source.name, line, problem, "docnos in ranked order")
                yield topic, document, IN_ORDER, line
        else:
            problem = f"{type(documents).__name__} for topic {quoted(topic)}"
            raise InputError(source.name, line, problem, f"JSON like {SHAPE}")


def whole_entries(source: File, entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield the entries; raise InputError for a hit or a rating that lacks something."""
    try:
        yield from entries
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        problem = f"a hit or a rating that is not whole ({error})"
        raise InputError(source.name, None, problem, "_id and _score, or _id and rating") from None


def _rows(source: File, entries: Iterable[Entry], role: Role) -> Iterator[Row]:
    """Yield entries as rows; raise InputError for a number of the wrong kind, and for ids that are none."""
    naming, by_order = source.naming.for_role(role), NumbersByOrder(role)
    for topic, document, number, line in entries:
        topic_id = _id(source, line, topic, "topic")
        document_id = _id(source, line, document, DOCNO)
        if b"\0" in topic_id + document_id:
            raise InputError(source.name, line, f"a NUL in an id of topic {quoted(topic_id)}", "text")
        if number is IN_ORDER:
            yield topic_id, document_id, by_order.number(topic_id), line
            continue
        where = f"of document {quoted(document_id)} for topic {quoted(topic_id)}"
        if role.has_grades:
            grade = _grade(number, naming)
            problem = f"relevance {quoted(json.dumps(number))} {where}"
            yield topic_id, document_id, checked_grade(grade, problem, source.name, line, role), line
            continue
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            problem = f"score {quoted(json.dumps(number))} {where}"
            raise InputError(source.name, line, problem, "a number")
        yield topic_id, document_id, _double(number), line


def _grade(number: Any, naming: Naming) -> int | float:
    """Return the grade that a value in JSON is, nan for one that is none; a text is a word of --grades."""
    if isinstance(number, str):
        is_number_in_quotes = not math.isnan(number_of(number))
        if is_number_in_quotes:
            return math.nan
        return naming.grade(number)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return math.nan
    return number


def _id(source: File, line: int | None, value: Any, what: str) -> bytes:
    """Return an id as it is in text files; raise InputError for null, a truth value, an object or a list.

    what  what messages call it: topic or docno
    """
    if value is None or value == "" or isinstance(value, (bool, Mapping, list)):
        raise InputError(source.name, line, f"{what} {quoted(json.dumps(value))}", "an id")
    return str(value).encode("utf-8", "surrogatepass")


def _double(number: int | float) -> float:
    """Return a number as a double; one that is too large is infinite, as in a trec run."""
    try:
        return float(number)
    except OverflowError:
        if number < 0:
            return -math.inf
        return math.inf

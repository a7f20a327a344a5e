"""JSON as pytrec_eval's dictionaries are written, {topic: {docno: number}}, whole or line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.errors import InputError, quoted
from pres_eval.reading.blocks import Block
from pres_eval.reading.formats.engine_json import engine_rows, whole_rows
from pres_eval.reading.formats.names import DOCUMENT, GRADE, SCORE, TOPIC, pick
from pres_eval.reading.source import Source

AT_ONCE = 1 << 16
"""Rows of a part."""

SHAPE = '{"topic": {"docno": number, ...}, ...}'


class _RepeatedKeyError(ValueError):
    """A key that an object has twice."""


def read_json(source: Source, grades: bool) -> Iterator[Block]:
    """One object for the whole file; or one a line, where the first line was too long to tell."""
    text = source.head(None)
    if _is_lines(text):
        return read_json_lines(source, grades)
    data = _parsed(source, text, None)
    rows = engine_rows(source, data, grades)
    if rows is not None:
        return _parts(source, ((*row, None) for row in whole_rows(source, rows)), grades)
    return _parts(source, _entries(source, data, None), grades)


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


def read_json_lines(source: Source, grades: bool) -> Iterator[Block]:
    """One object a line: {topic: {docno: number}}, or a record with columns by name."""

    def entries() -> Iterator[_Entry]:
        for number, line in enumerate(source.head(None).split(b"\n"), 1):
            if line.strip():
                yield from _entries(source, _parsed(source, line, number), number, grades)

    return _parts(source, entries(), grades)


_Entry = tuple[str, str, object, "int | None"]
"""Topic, document, number, line."""


def _parsed(source: Source, text: bytes, line: int | None) -> Any:
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=_object)
    except _RepeatedKeyError as error:
        raise InputError(source.name, line, f"the key {quoted(str(error))} twice", "each key once") from None
    except (ValueError, RecursionError) as error:
        raise InputError(source.name, line, f"no JSON ({error})", f"JSON like {SHAPE}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        raise _RepeatedKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return made


def _entries(source: Source, data: Any, line: int | None, grades: bool = False) -> Iterator[_Entry]:
    """Yield topic, document, number and line of JSON: nested, or a record for each row."""
    if not isinstance(data, Mapping):
        raise InputError(source.name, line, f"JSON that is a {type(data).__name__}", f"JSON like {SHAPE}")
    if line is not None and not any(isinstance(documents, Mapping) for documents in data.values()):
        columns = [pick(data, names) for names in (TOPIC, DOCUMENT, GRADE if grades else SCORE)]
        if None not in columns:
            topic, document, number = (data[str(column)] for column in columns)
            yield str(topic), str(document), number, line
            return
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            found = f"{type(documents).__name__} for topic {quoted(topic)}"
            raise InputError(source.name, line, found, f"JSON like {SHAPE}")
        for document, number in documents.items():
            yield topic, document, number, line


def _parts(source: Source, entries: Iterator[_Entry], grades: bool) -> Iterator[Block]:
    rows: list[_Entry] = []
    for entry in entries:
        rows.append(entry)
        if len(rows) == AT_ONCE:
            yield _part(source, rows, grades)
            rows = []
    if rows:
        yield _part(source, rows, grades)


def _part(source: Source, rows: list[_Entry], grades: bool) -> Block:
    """Return rows as a block; raises InputError for a number of the wrong kind, and for NUL in ids."""
    for topic, document, number, line in rows:
        right = isinstance(number, int) if grades else isinstance(number, (int, float))
        if not right or isinstance(number, bool) or (grades and abs(int(str(number))) >= 2**63):
            what, expected = ("relevance", "an integer") if grades else ("score", "a number")
            where = f"of document {quoted(document)} for topic {quoted(topic)}"
            raise InputError(source.name, line, f"{what} {quoted(json.dumps(number))} {where}", expected)
        if "\0" in topic or "\0" in document:
            raise InputError(source.name, line, f"a NUL in an id of topic {quoted(topic)}", "text")
    numbers = np.array([row[2] for row in rows], np.int64) if grades else _floats(rows)
    lines = None if rows[0][3] is None else np.array([row[3] for row in rows])
    return Block.of_rows(
        Ids.of([_bytes(row[0]) for row in rows]), Ids.of([_bytes(row[1]) for row in rows]), numbers, lines
    )


def _floats(rows: list[_Entry]) -> np.typing.NDArray[np.float64]:
    """(n,) the numbers of entries."""

    def value(number: Any) -> float:
        try:
            return float(number)
        except OverflowError:  # as the same digits in a trec run
            return float("inf") if number > 0 else float("-inf")

    return np.array([value(row[2]) for row in rows], np.float64)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""JSON as pytrec_eval's dictionaries are written, {topic: {docno: number}}, whole or line by line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pres_eval.errors import InputError, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows
from pres_eval.reading.formats.names import DOCUMENT, GRADE, SCORE, TOPIC, pick
from pres_eval.reading.source import Source

SHAPE = '{"topic": {"docno": number, ...}, ...}'


class _RepeatedKeyError(ValueError):
    """A key that an object has twice."""


def read_json(source: Source, grades: bool) -> Iterator[Block]:
    """Return one object for the whole file; or one a line, where the first line was too long to recognise."""
    text = source.head(None)
    if _is_lines(text):
        return read_json_lines(source, grades)
    data = _parsed(source, text, None)
    rows = engine_rows(source, data, grades) or frame_rows(data, grades) or _entries(source, data, None)
    return blocks_of_rows(source.name, _rows(source, whole_rows(source, rows), None, grades), grades)


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
    """Return one object a line: {topic: {docno: number}}, or a record with columns by name."""

    def rows() -> Iterator[Row]:
        for number, line in enumerate(source.head(None).split(b"\n"), 1):
            if line.strip():
                entries = _entries(source, _parsed(source, line, number), number, grades)
                yield from _rows(source, entries, number, grades)

    return blocks_of_rows(source.name, rows(), grades)


_Entry = tuple[str, str, Any]
"""Topic, document, number."""


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
    """Yield topic, document and number of JSON: nested, or in a line of its own a record for each row."""
    if not isinstance(data, Mapping):
        raise InputError(source.name, line, f"JSON that is a {type(data).__name__}", f"JSON like {SHAPE}")
    if line is not None and not any(isinstance(documents, Mapping) for documents in data.values()):
        columns = [pick(data, names) for names in (TOPIC, DOCUMENT, GRADE if grades else SCORE)]
        if None not in columns:
            topic, document, number = (data[str(column)] for column in columns)
            yield str(topic), str(document), number
            return
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            found = f"{type(documents).__name__} for topic {quoted(topic)}"
            raise InputError(source.name, line, found, f"JSON like {SHAPE}")
        for document, number in documents.items():
            yield topic, document, number


def _rows(source: Source, entries: Iterator[_Entry], line: int | None, grades: bool) -> Iterator[Row]:
    """Yield entries as rows; raise InputError for a number of the wrong kind, and for NUL in ids."""
    for topic, document, number in entries:
        right = isinstance(number, int) if grades else isinstance(number, (int, float))
        if not right or isinstance(number, bool) or (grades and abs(int(str(number))) >= 2**63):
            what, expected = ("relevance", "an integer") if grades else ("score", "a number")
            where = f"of document {quoted(document)} for topic {quoted(topic)}"
            raise InputError(source.name, line, f"{what} {quoted(json.dumps(number))} {where}", expected)
        if "\0" in topic or "\0" in document:
            raise InputError(source.name, line, f"a NUL in an id of topic {quoted(topic)}", "text")
        yield _bytes(topic), _bytes(document), number if grades else _double(number), line


def _double(number: Any) -> float:
    """Return a number as the same digits in a trec run are read."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


BEGINNING_OF_ENGINE = re.compile(rb'"(?:responses|hits|details|requests|ratings|metric_score|took)"\s*:')


def engine_rows(source: Source, data: Any, grades: bool) -> Iterator[_Entry] | None:
    """Return the rows of such data, None if it is other JSON.

    `_msearch` does not return the names of queries, so topics are numbered from 1 as in the request.
    """
    if isinstance(data, Mapping):
        if grades and isinstance(data.get("requests"), list):
            return _ratings(source, data["requests"])
        if not grades and isinstance(data.get("responses"), list):
            return _responses(source, data["responses"])
        if not grades and isinstance(data.get("details"), Mapping) and "metric_score" in data:
            return _details(data["details"])
        if not grades and isinstance(data.get("hits"), Mapping) and "took" in data:
            return _responses(source, [data])
        if not grades and (parts := _predictions(data)):
            return _one_part(source, parts)
    return None


def frame_rows(data: Any, grades: bool) -> Iterator[_Entry] | None:
    """Return the rows of columns by index, as pandas writes a frame; None if it is other JSON."""
    if not isinstance(data, Mapping):
        return None
    names = [pick(data, names) or "" for names in (TOPIC, DOCUMENT, GRADE if grades else SCORE)]
    if not all(isinstance(data.get(name), Mapping) for name in names):
        return None
    topics, documents, numbers = (data[name] for name in names)
    return ((str(topic), str(documents[row]), numbers[row]) for row, topic in topics.items())


def whole_rows(source: Source, rows: Iterator[_Entry]) -> Iterator[_Entry]:
    """Yield the rows; raise InputError for a hit or a rating that lacks something."""
    try:
        yield from rows
    except (KeyError, TypeError, AttributeError) as error:
        found = f"a hit or a rating that is not whole ({error})"
        raise InputError(source.name, None, found, "_id and _score, or _id and rating") from None


def _responses(source: Source, responses: Sequence[Any]) -> Iterator[_Entry]:
    for number, response in enumerate(responses, 1):
        if not isinstance(response, Mapping) or not isinstance(response.get("hits"), Mapping):
            found = f"no hits in response {number}"
            if isinstance(response, Mapping) and "error" in response:
                found += ", but an error"
            raise InputError(source.name, None, found, "hits: was the request right?")
        yield from _hits(str(number), response["hits"].get("hits", []))


def _hits(topic: str, hits: Sequence[Any]) -> Iterator[_Entry]:
    """Yield hits with their scores; where all are null, as with `sort`, their order counts."""
    unscored = all(hit.get("_score") is None for hit in hits)
    for rank, hit in enumerate(hits, 1):
        yield topic, str(hit["_id"]), -rank if unscored else hit.get("_score")


def _details(details: Mapping[str, Any]) -> Iterator[_Entry]:
    for topic, one in details.items():
        yield from _hits(topic, [hit["hit"] for hit in one.get("hits", [])])


def _ratings(source: Source, requests: Sequence[Any]) -> Iterator[_Entry]:
    for number, request in enumerate(requests, 1):
        if "id" not in request:
            raise InputError(source.name, None, f"no id in request {number}", "one for each request")
        for rating in request.get("ratings", []):
            yield str(request["id"]), str(rating["_id"]), rating["rating"]


def _predictions(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return MTEB's {subset: {split: {topic: {docno: score}}}} as predictions by `subset.split`."""
    return {
        f"{subset}.{split}": topics
        for subset, splits in data.items()
        if isinstance(splits, Mapping) and subset != "mteb_model_meta"
        for split, topics in splits.items()
        if isinstance(topics, Mapping) and all(isinstance(each, Mapping) for each in topics.values())
    }


def _one_part(source: Source, parts: Mapping[str, Mapping[str, Any]]) -> Iterator[_Entry]:
    if len(parts) > 1:
        name = next(iter(parts))
        found = f"predictions of {', '.join(map(quoted, parts))}"
        advice = f"take one out: jq .{name} FILE > NEW".replace("FILE", source.name)
        raise InputError(source.name, None, found, "those of one subset and split", advice)
    for topics in parts.values():
        yield from _entries(source, topics, None)

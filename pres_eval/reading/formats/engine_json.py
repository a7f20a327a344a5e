"""JSON of search engines and benchmarks: Elasticsearch's and OpenSearch's responses, MTEB's predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pres_eval.errors import InputError, quoted
from pres_eval.reading.source import Source

# Topic, document, number.
Row = tuple[str, str, object]

_BEGINNING = re.compile(rb'"(?:responses|hits|details|requests|ratings|metric_score|took)"\s*:')


def is_of_engine(head: bytes) -> bool:
    """Return whether a file of JSON begins as an engine's does."""
    return _BEGINNING.search(head) is not None


def engine_rows(source: Source, data: Any, grades: bool) -> Iterator[Row] | None:
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


def whole_rows(source: Source, rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows; raises InputError for a hit or a rating that lacks something."""
    try:
        yield from rows
    except (KeyError, TypeError, AttributeError) as error:
        found = f"a hit or a rating that is not whole ({error})"
        raise InputError(source.name, None, found, "_id and _score, or _id and rating") from None


def _responses(source: Source, responses: Sequence[Any]) -> Iterator[Row]:
    for number, response in enumerate(responses, 1):
        if not isinstance(response, Mapping) or not isinstance(response.get("hits"), Mapping):
            found = f"no hits in response {number}"
            if isinstance(response, Mapping) and "error" in response:
                found += ", but an error"
            raise InputError(source.name, None, found, "hits: was the request right?")
        yield from _hits(str(number), response["hits"].get("hits", []))


def _hits(topic: str, hits: Sequence[Any]) -> Iterator[Row]:
    """Yield hits with their scores; where all are null, as with `sort`, their order counts."""
    unscored = all(hit.get("_score") is None for hit in hits)
    for rank, hit in enumerate(hits, 1):
        yield topic, str(hit["_id"]), -rank if unscored else hit.get("_score")


def _details(details: Mapping[str, Any]) -> Iterator[Row]:
    for topic, one in details.items():
        yield from _hits(topic, [hit["hit"] for hit in one.get("hits", [])])


def _ratings(source: Source, requests: Sequence[Any]) -> Iterator[Row]:
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


def _one_part(source: Source, parts: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    if len(parts) > 1:
        name = next(iter(parts))
        found = f"predictions of {', '.join(map(quoted, parts))}"
        advice = f"take one out: jq .{name} FILE > NEW".replace("FILE", source.name)
        raise InputError(source.name, None, found, "those of one subset and split", advice)
    for topics in parts.values():
        for topic, documents in topics.items():
            for document, number in documents.items():
                yield topic, document, number

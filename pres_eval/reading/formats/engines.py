"""JSON of search engines and evaluation tools: responses, ratings, judgement lists, predictions, datasets."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pres_eval.errors import InputError, number_of, quoted
from pres_eval.reading.file import File
from pres_eval.reading.headings import Role

BEGINNING_OF_EXPORT = re.compile(
    rb'"(?:responses|hits|details|requests|ratings|judgmentRatings|metric_score|took|relevant_docs'
    rb'|responseHeader)"\s*:|^\s*\{\s*(?:"root"\s*:\s*\{|"ids"\s*:\s*\[\s*\[)'
)
"""A key at the beginning of such JSON; `root` and `ids`, which other JSON may have, only as its first key."""

Entry = tuple[Any, Any, Any, "int | None"]
"""Topic, document, number and line of a row of JSON; the line is None where rows have none, as here."""


def engine_rows(source: File, data: Any, role: Role) -> Iterator[Entry] | None:
    """Return the rows of JSON that a search engine or an evaluation tool wrote, None if it is other JSON."""
    if not isinstance(data, Mapping):
        return None
    if role.has_grades:
        return _judged_entries(source, data)
    return _run_entries(source, data)


def _judged_entries(source: File, data: Mapping[str, Any]) -> Iterator[Entry] | None:
    """Return the entries of ratings, None if it is other JSON."""
    if isinstance(data.get("requests"), list):
        return _of_ranking_requests(source, data["requests"])
    if isinstance(data.get("relevant_docs"), Mapping) and isinstance(data.get("queries"), Mapping):
        return _of_llama_index(data["relevant_docs"])
    rated_queries = _opensearch_queries(data)
    if rated_queries is None:
        return None
    return _of_opensearch_queries(rated_queries)


def _run_entries(source: File, data: Mapping[str, Any]) -> Iterator[Entry] | None:
    """Return the entries of responses and predictions, None if it is other JSON."""
    if isinstance(data.get("responses"), list):
        return _responses(source, data["responses"])
    if isinstance(data.get("details"), Mapping) and "metric_score" in data:
        return _of_ranking_details(data["details"])
    if isinstance(data.get("hits"), Mapping) and "took" in data:
        return _responses(source, [data])
    entries = _of_other_engine(data)
    if entries is not None:
        return entries
    predictions = _mteb_predictions(data)
    if not predictions:
        return None
    return _of_mteb(source, predictions)


def _of_other_engine(data: Mapping[str, Any]) -> Iterator[Entry] | None:
    """Return the entries of a response of Solr, Vespa or Chroma, None if it is other JSON."""
    if isinstance(data.get("response"), Mapping) and isinstance(data["response"].get("docs"), list):
        return _of_solr(data["response"]["docs"])
    if isinstance(data.get("root"), Mapping) and "children" in data["root"]:
        return _of_vespa(data["root"]["children"])
    if isinstance(data.get("ids"), list) and all(isinstance(docnos, list) for docnos in data["ids"]):
        return _of_chroma(data["ids"])
    return None


def _responses(source: File, responses: Sequence[Any]) -> Iterator[Entry]:
    """Yield the hits of Elasticsearch's or OpenSearch's responses.

    The topics are the numbers of the responses from 1, as in the request: `_msearch` returns no names.
    """
    for number, response in enumerate(responses, 1):
        if not isinstance(response, Mapping) or not isinstance(response.get("hits"), Mapping):
            problem = f"no hits in response {number}"
            if isinstance(response, Mapping) and "error" in response:
                problem += ", but an error"
            raise InputError(source.name, None, problem, "hits: was the request right?")
        yield from _hits(str(number), response["hits"].get("hits", []))


def _hits(topic: str, hits: Sequence[Any]) -> Iterator[Entry]:
    """Yield hits with their scores; where all are null, as with `sort`, their order counts.

    A null among scores is a fault, and stays, so that it is reported as a score that is no number.
    """
    unscored = all(hit.get("_score") is None for hit in hits)
    for rank, hit in enumerate(hits, 1):
        score = hit.get("_score")
        if unscored:
            score = -rank
        yield topic, str(hit["_id"]), score, None


def _of_solr(documents: Sequence[Any]) -> Iterator[Entry]:
    """Yield the documents of a response of Solr; without scores (`fl=id,score`) their order counts."""
    unscored = any("score" not in document for document in documents)
    for rank, document in enumerate(documents, 1):
        score = document.get("score")
        if unscored:
            score = -rank
        yield "1", str(document["id"]), score, None


def _of_vespa(hits: Sequence[Any]) -> Iterator[Entry]:
    """Yield the hits of a response of Vespa; of `id:namespace:type::docno` the docno is the id."""
    for hit in hits:
        yield "1", str(hit["id"]).rpartition("::")[2], hit["relevance"], None


def _of_chroma(lists: Sequence[Any]) -> Iterator[Entry]:
    """Yield the documents that Chroma returns for each query, the nearest first."""
    for number, docnos in enumerate(lists, 1):
        for rank, docno in enumerate(docnos, 1):
            yield str(number), str(docno), -rank, None


def _of_ranking_details(details: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the hits in the details of Elasticsearch's ranking evaluation, by topic."""
    for topic, detail in details.items():
        yield from _hits(topic, [hit["hit"] for hit in detail.get("hits", [])])


def _of_ranking_requests(source: File, requests: Sequence[Any]) -> Iterator[Entry]:
    """Yield the ratings in the requests of Elasticsearch's ranking evaluation."""
    for number, request in enumerate(requests, 1):
        if "id" not in request:
            raise InputError(source.name, None, f"no id in request {number}", "one for each request")
        for rating in request.get("ratings", []):
            yield str(request["id"]), str(rating["_id"]), rating["rating"], None


def _of_llama_index(documents: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the documents of a dataset of LlamaIndex: {"queries": …, "relevant_docs": {topic: [docnos]}}."""
    for topic, docnos in documents.items():
        for docno in docnos:
            yield topic, docno, 1, None


def _opensearch_queries(data: Mapping[str, Any]) -> list[Any] | None:
    """Return the rated queries of OpenSearch's judgement lists, imported or searched; None for others."""
    if isinstance(data.get("judgmentRatings"), list):
        return list(data["judgmentRatings"])
    hits = data.get("hits")
    if not isinstance(hits, Mapping) or not isinstance(hits.get("hits"), list):
        return None
    has_lists = False
    rated_queries: list[Any] = []
    for hit in hits["hits"]:
        source = None
        if isinstance(hit, Mapping):
            source = hit.get("_source")
        if source and "judgmentRatings" in source:
            has_lists = True
            rated_queries += source["judgmentRatings"]
    if not has_lists:
        return None
    return rated_queries


def _of_opensearch_queries(queries: Sequence[Any]) -> Iterator[Entry]:
    """Yield the ratings of OpenSearch's judgement lists; text that is a number becomes one."""
    for query in queries:
        for rating in query["ratings"]:
            grade = number_of(rating["rating"])
            if math.isnan(grade):
                grade = rating["rating"]
            yield query["query"], rating["docId"], grade, None


def _mteb_predictions(data: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the predictions {topic: {docno: score}} of MTEB by subset and split; {} for other JSON.

    Its file is {subset: {split: predictions}}, with one more key for facts about the model.
    """
    predictions: dict[tuple[str, str], Mapping[str, Any]] = {}
    for subset, splits in data.items():
        if not isinstance(splits, Mapping) or subset == "mteb_model_meta":
            continue
        for split, topics in splits.items():
            if isinstance(topics, Mapping) and all(isinstance(scores, Mapping) for scores in topics.values()):
                predictions[subset, split] = topics
    return predictions


def _of_mteb(source: File, predictions: Mapping[tuple[str, str], Mapping[str, Any]]) -> Iterator[Entry]:
    """Yield the entries of the only predictions; raise InputError if there are those of several splits."""
    if len(predictions) > 1:
        from pres_eval.reading.mistakes.advice import repaired_name

        subset, split = next(iter(predictions))
        problem = f"predictions of {', '.join(quoted('.'.join(names)) for names in predictions)}"
        path = shlex.quote(f".[{json.dumps(subset)}][{json.dumps(split)}]")
        advice = f"take one out: jq {path} {shlex.quote(source.name)} > {repaired_name(source.name)}"
        raise InputError(source.name, None, problem, "those of one subset and split", advice)
    for topics in predictions.values():
        for topic, documents in topics.items():
            for document, score in documents.items():
                yield topic, document, score, None

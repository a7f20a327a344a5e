"""Judgements of datasets of the package ir_datasets, as a file of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pres_eval.errors import InputError, did_you_mean, extra_module, quoted

DATASET = "irds:"
"""Beginning of the address of a dataset's judgements: irds:ID."""


def qrels_text(address: str) -> Iterator[bytes]:
    """Return the text of the judgements of `irds:ID`: lines of topic, iteration or subtopic, docno,
    relevance.

    ir_datasets fetches them when they are first read, if it has not yet.  Raises InputError if there is no
    such dataset, it has no judgements, or they cannot be fetched.
    """
    dataset = _dataset(address)
    if not dataset.has_qrels():
        beginning = f"{address.removeprefix(DATASET)}/"
        parts = [name for name in _ids() if name.startswith(beginning) and _dataset(name).has_qrels()]
        advice = ""
        if parts:
            advice = f"parts of it have: {', '.join(parts[:5])}"
        raise InputError(address, None, "a dataset without judgements", "one that has some", advice)
    lines = []
    try:
        for row in dataset.qrels_iter():
            iteration = getattr(row, "subtopic_id", getattr(row, "iteration", "")) or "0"
            words = (row.query_id, str(iteration), row.doc_id, str(row.relevance))
            lines.append(" ".join(words))
            if len(lines[-1].split()) != len(words):
                raise InputError(address, None, f"ids {quoted(lines[-1])}", "ids without blanks")
    except InputError:
        raise
    except Exception as error:  # whatever a download or a reader of files raises
        url = _url_of(error)
        problem, advice = "cannot be read", str(error)
        if url is not None:
            problem = f"ir_datasets cannot fetch {url}"
            advice = "with a network, ir_datasets fetches it once and keeps it; or name a file"
        raise InputError(address, None, f"{problem} ({type(error).__name__})", None, advice) from None
    whole_text = "".join(f"{line}\n" for line in lines)
    return iter([whole_text.encode()])  # one piece, as `File` takes pieces of text


def _url_of(error: Exception) -> str | None:
    """Return the address that could not be fetched, of the request or the message; None if in neither."""
    url: str | None = getattr(getattr(error, "request", None), "url", None)
    if url:
        return url
    url_in_message = re.search(r"https?://[^\s'\"<>]+", str(error))
    if url_in_message is None:
        return None
    return url_in_message[0]


def _dataset(address: str) -> Any:
    """Return the dataset of an address, with the prefix or without.

    Raises InputError for an unknown one, MissingExtraError without ir_datasets.
    """
    ir_datasets = extra_module("ir_datasets", f"{address}: reading it", "datasets")
    name = address.removeprefix(DATASET)
    try:
        return ir_datasets.load(name)
    except KeyError:
        hint = did_you_mean(name, _ids(), "ir_datasets list prints all")
        raise InputError(address, None, "no such dataset", "an id of ir_datasets", hint) from None


def _ids() -> list[str]:
    """Return the ids of all datasets."""
    import ir_datasets

    return list(map(str, ir_datasets.registry))

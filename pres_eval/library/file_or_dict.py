"""What programs give as a file or a dict: groups, weights, numbers of topics; mapped, excluded documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.library.arguments import is_path
from pres_eval.library.ids import encode, ids_of
from pres_eval.reading.pool import build_pool
from pres_eval.reading.rewriting import Excluded, FileMapping
from pres_eval.reading.topic_files import (
    Groups,
    Weights,
    check_groups,
    check_name,
    check_weight,
    check_weights,
    read_groups,
    read_weights,
)


def topic_files(
    groups: Any, weights: Any, judged: Sequence[bytes], warn: Callable[[str], None]
) -> tuple[Groups | None, Weights | None]:
    """Return the groups and the weights of topics, None where there are none; warn of topics without group.

    Raises UsageError for other values than paths and dicts, InputError for files and values that are wrong,
    for groups of none of the topics, and where a topic of the judgements has no weight.
    """
    found = None if groups is None else _groups(groups)
    if found is not None and (text := check_groups(found, judged)):
        warn(text)
    return found, None if weights is None else check_weights(_weights(weights), judged)


def _groups(data: Any) -> Groups:
    """Return groups of topics from a file, or a dict of topic and group or groups; raise UsageError."""
    if is_path(data):
        return read_groups(str(data))
    topics: dict[str, set[bytes]] = {}
    for topic, own in _dict("groups", data).items():
        for name in own if isinstance(own, Collection) and not isinstance(own, str) else (own,):
            if not isinstance(name, str):
                raise UsageError(f"groups: found {name!r}, expected the name of a group, or a list of names")
            check_name("groups", None, name)
            topics.setdefault(name, set()).add(encode(topic, "topic"))
    return Groups("groups", {name: frozenset(own) for name, own in topics.items()})


def topic_numbers(data: Any) -> Weights | None:
    """Return the numbers of topics, from a file or a dict; None if there are none."""
    return None if data is None else _weights(data, "number")


def _weights(data: Any, what: str = "weight") -> Weights:
    """Return weights, or other numbers of topics, from a file or a dict; `what` names one of them."""
    if is_path(data):
        return read_weights(str(data), what)
    weights: dict[bytes, float] = {}
    for topic, weight in _dict(f"{what}s", data).items():
        topic_id = encode(topic, "topic")
        if topic_id in weights:
            found = f"topic {quoted(topic_id)} both as a number and as a text"
            raise InputError(f"{what}s", None, found, "each topic once")
        weights[topic_id] = check_weight(f"{what}s", None, weight, what)
    return Weights(f"{what}s", weights)


def _dict(name: str, data: Any, expected: str = "expected a path, or a dict by topic") -> Mapping[Any, Any]:
    """Return a dict; raise UsageError for anything else."""
    if not isinstance(data, Mapping):
        raise UsageError(f"{name}: found {type(data).__name__}, {expected}")
    return data


def mapping_of(data: Any) -> Any:
    """Return a mapping from a dict; a text is a pattern or a path, and read later."""
    if data is None or is_path(data):
        return data and os.fspath(data)
    pairs = _dict("map_docs", data, "expected a pattern, a path, or a dict")
    first, second = (ids_of(list(column), "map_docs") for column in (pairs.keys(), pairs.values()))
    return FileMapping("map_docs", first, second, np.arange(len(first)))


def excluded_of(data: Any) -> Any:
    """Return excluded documents from a dict of topics; a text is a path or "self", and read later."""
    if data is None or is_path(data):
        return data and os.fspath(data)
    lists = []
    for topic, own in _dict("exclude", data, "expected a path, a dict by topic, or 'self'").items():
        if not isinstance(own, str | Collection):
            raise UsageError(f"exclude: found {own!r} for topic {topic!r}, expected documents")
        lists.append([own] if isinstance(own, str) else list(own))
    documents = ids_of([document for own in lists for document in own], "exclude")
    lengths = np.array([len(own) for own in lists], np.int64)
    return Excluded(build_pool(ids_of(list(data), "exclude"), lengths, documents).pool)

"""Arguments that are a file or a dict: groups, weights, numbers of topics; mapped, excluded documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.library.arguments import is_path
from pres_eval.library.ids import encode, ids_of
from pres_eval.reading.judgements.pool import build_pool
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


def read_groups_and_weights(
    groups: Any, weights: Any, judged: Sequence[bytes], warn: Callable[[str], None]
) -> tuple[Groups | None, Weights | None]:
    """Return the groups and the weights of topics, None for an argument that is None.

    judged  the topics of the judgements
    warn    called with a warning of topics that are in no group
    Raises UsageError for other values than paths and dicts, InputError for files and values that are wrong,
    for groups of none of the topics, and where a topic of the judgements has no weight.
    """
    topic_groups = topic_weights = None
    if groups is not None:
        topic_groups = _groups(groups)
        warning = check_groups(topic_groups, judged)
        if warning:
            warn(warning)
    if weights is not None:
        topic_weights = check_weights(_weights(weights), judged)
    return topic_groups, topic_weights


def _groups(data: Any) -> Groups:
    """Return groups of topics from a file, or a dict of topic and group or groups; raise UsageError."""
    if is_path(data):
        return read_groups(str(data))
    topics: dict[str, set[bytes]] = {}
    for topic, value in _dict("groups", data).items():
        is_list = isinstance(value, Collection) and not isinstance(value, str | bytes)
        names = value if is_list else (value,)
        for name in names:
            if not isinstance(name, str):
                raise UsageError(f"groups: found {name!r}, expected the name of a group, or a list of names")
            check_name("groups", None, name)
            topics.setdefault(name, set()).add(encode(topic, "topic"))
    return Groups("groups", {name: frozenset(members) for name, members in topics.items()})


def topic_numbers(data: Any, name: str) -> Weights | None:
    """Return the number of each topic, from a file or a dict; None for None.

    name  of the argument, for messages about a dict
    """
    if data is None:
        return None
    return _weights(data, name, "number")


def _weights(data: Any, name: str = "weights", what: str = "weight") -> Weights:
    """Return the weight, or another number, of each topic, from a file or a dict.

    name  of the argument, for messages about a dict
    what  the word for one of these numbers in messages, by which `check_weight` decides what they may be
    """
    if is_path(data):
        return read_weights(str(data), what)
    weights: dict[bytes, float] = {}
    for topic, weight in _dict(name, data).items():
        topic_id = encode(topic, "topic")
        if topic_id in weights:
            twice = f"topic {quoted(topic_id)} both as a number and as a text"
            raise InputError(name, None, twice, "each topic once")
        weights[topic_id] = check_weight(name, None, weight, what)
    return Weights(name, weights)


def _dict(name: str, data: Any, expected: str = "expected a path, or a dict by topic") -> Mapping[Any, Any]:
    """Return a dict; raise UsageError for anything else."""
    if not isinstance(data, Mapping):
        raise UsageError(f"{name}: found {type(data).__name__}, {expected}")
    return data


def mapping_of(data: Any) -> Any:
    """Return the mapping of a dict; a pattern or path, which is read later, as text; or None."""
    if data is None:
        return None
    if is_path(data):
        return os.fspath(data)
    pairs = _dict("map_docs", data, "expected a pattern, a path, or a dict")
    documents = ids_of(list(pairs.keys()), "map_docs")
    targets = ids_of(list(pairs.values()), "map_docs")
    return FileMapping("map_docs", documents, targets, np.arange(len(documents)))


def excluded_of(data: Any) -> Any:
    """Return the excluded documents of a dict; a path or "self", which is read later, as text; or None."""
    if data is None:
        return None
    if is_path(data):
        return os.fspath(data)
    documents_of_topics: list[list[Any]] = []
    for topic, documents in _dict("exclude", data, "expected a path, a dict by topic, or 'self'").items():
        if not isinstance(documents, str | Collection):
            raise UsageError(f"exclude: found {documents!r} for topic {topic!r}, expected documents")
        is_one = isinstance(documents, str | bytes)
        documents_of_topics.append([documents] if is_one else list(documents))
    excluded = ids_of(list(chain.from_iterable(documents_of_topics)), "exclude")
    lengths = np.array([len(documents) for documents in documents_of_topics], np.int64)
    return Excluded(build_pool(ids_of(list(data), "exclude"), lengths, excluded).pool)

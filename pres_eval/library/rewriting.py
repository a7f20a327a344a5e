"""Mappings of documents and excluded documents, as a program has them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from pres_eval.arrays import WordIds
from pres_eval.errors import UsageError
from pres_eval.library.ids import ids_of
from pres_eval.library.judgements import is_path
from pres_eval.reading.pool import build_pool
from pres_eval.reading.rewriting import Excluded, FileMapping


def mapping_of(data: Any) -> Any:
    """Return a mapping from a dict; a text is a pattern or a path, and read later."""
    if data is None or is_path(data):
        return data and os.fspath(data)
    if not isinstance(data, Mapping):
        raise UsageError(f"map_docs: found {type(data).__name__}, expected a pattern, a path, or a dict")
    first, second = (ids_of(list(column), "map_docs") for column in (data.keys(), data.values()))
    return FileMapping("map_docs", WordIds.of(first), WordIds.of(second), np.arange(len(first)))


def excluded_of(data: Any) -> Any:
    """Return excluded documents from a dict of topics; a text is a path or "self", and read later."""
    if data is None or is_path(data):
        return data and os.fspath(data)
    if not isinstance(data, Mapping):
        raise UsageError(f"exclude: found {type(data).__name__}, expected a path, a dict by topic, or 'self'")
    lists = []
    for topic, own in data.items():
        if not isinstance(own, str | Collection):
            raise UsageError(f"exclude: found {own!r} for topic {topic!r}, expected documents")
        lists.append([own] if isinstance(own, str) else list(own))
    documents = ids_of([document for own in lists for document in own], "exclude")
    lengths = np.array([len(own) for own in lists], np.int64)
    topics = ids_of(list(data), "exclude")
    return Excluded(build_pool(topics, lengths, WordIds.of(documents)).pool)

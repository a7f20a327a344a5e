"""The names that columns have in other tools, in files and in tables."""

from __future__ import annotations

import re
from collections.abc import Iterable

TOPIC = ("query_id", "qid", "query-id", "topic", "q_id", "topic_id", "query text", "query")
DOCUMENT = ("doc_id", "docno", "corpus-id", "docid", "document_id", "doc id", "document")
SCORE = ("score",)
RANK = ("rank", "position", "doc position")
GRADE = ("relevance", "label", "grade", "score", "rel", "rating")

OF_TABLES = {
    "topic": ("query_id", "qid", "topic", "q_id", "query-id", "query", "topic_id"),
    "document": ("doc_id", "docno", "docid", "document", "corpus-id", "did", "document_id"),
    "score": ("score", "sim", "similarity"),
    "grade": ("relevance", "label", "grade", "rel", "score"),
}
"""Those of tables that programs make, the first that is there counts: ir_measures, PyTerrier, ranx, BEIR."""


def pick(columns: Iterable[str], names: Iterable[str]) -> str | None:
    """Return the first of some names that is a column."""
    there = set(columns)
    return next((name for name in names if name in there), None)


def plain(name: str) -> str:
    """Return a name as it is compared: `Query ID`, `query-id` and `QueryId` are all query_id."""
    return re.sub(r"[\s_-]+", "", name.casefold())

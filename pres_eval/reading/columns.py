"""Columns of judgements of any origin (frames, dicts, JSON, Parquet) become Qrels, as a file's do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ids import Ids
from pres_eval.arrays.ordering import changes
from pres_eval.arrays.types import AnyInts, IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.reading.pool import build_pool
from pres_eval.reading.qrels import Qrels, pooled_qrels


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """N judgements in G groups of rows that follow each other and have the same topic.

    name       what messages call them: a path, or "qrels"
    topics     (G,) the topic of each group; a topic may have several groups
    lengths    (G,) how many rows each group has
    documents  (N,) ids
    grades     (N,) numbers, doubles if they are not whole; negative: in the pool but not judged
    lines      (N,) the line of each row in its file, from 1; None: the rows are numbered from 1
    """

    name: str
    topics: Ids
    lengths: IntArray
    documents: WordIds
    grades: AnyInts
    lines: IntArray | None = None


def group_topics(ids: Ids) -> tuple[Ids, IntArray]:
    """The groups of a column with the topic of every row: their topics, and (G,) how many rows each has."""
    first = changes(ids)
    return ids.take(first), np.diff(first, append=len(ids))


def qrels_of_columns(columns: QrelsColumns) -> Qrels:
    """The judgements of some columns.  Raises InputError if there are none.

    A document that is judged twice is an error only when its topic is scored, as in a file.
    """
    if not len(columns.documents):
        raise InputError(columns.name, None, "no judgements", "at least one")
    groups = np.arange(len(columns.topics))
    pooled = build_pool(columns.topics, groups, columns.lengths, columns.documents)
    gains = columns.grades.dtype == np.float64
    grades = columns.grades if gains else narrow(columns.grades.astype(np.int64))
    lines = columns.lines
    return pooled_qrels(
        columns.name, pooled, grades, lambda: np.arange(1, len(grades) + 1) if lines is None else lines
    )

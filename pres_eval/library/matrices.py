"""Runs as (topics, k) arrays of ids and scores, as vector search gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.decimals import decimal_ids
from pres_eval.arrays.ids import Ids
from pres_eval.arrays.ordering import has_equal
from pres_eval.arrays.ragged import BLOCK
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.library.idcolumns import IdColumn, Numbers, Objects
from pres_eval.library.lookup import JudgedNumbers, Lookup
from pres_eval.library.texts import ids_of
from pres_eval.options import Options
from pres_eval.ranking.columns import RunColumns, cast_scores, rank_columns, ranking_of
from pres_eval.ranking.counting import Found, rank_found
from pres_eval.ranking.ranked import Ranked, Topics
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance

NONE = -1
"""What a matrix of numbers has where a topic has no more documents."""

_TABLE_BITS = 20


def as_array(values: Any) -> NDArray[Any]:
    """An array of numpy from anything with `__array__` or `__dlpack__`, or nested sequences."""
    if not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def rank_matrix(
    topics: Any,
    ids: Any,
    scores: Any,
    relevance: Relevance,
    lookup: Lookup,
    options: Options,
    *,
    name: str,
    tag: str,
) -> Ranking:
    """Rank T topics with up to k documents each: `ids` (T, k), -1 (or None) where there is none.

    Raises InputError for shapes that do not fit, and for what is wrong with any run.
    """
    matrix, values = as_array(ids), as_array(scores)
    names = ids_of(list(topics.tolist() if hasattr(topics, "tolist") else topics), name)
    if matrix.ndim != 2 or matrix.shape != values.shape or len(names) != len(matrix):
        found = f"{len(names)} topics, ids of shape {matrix.shape}, scores of shape {values.shape}"
        raise InputError(name, None, found, "T topics, ids and scores of shape (T, k)")
    if values.dtype.kind not in "biuf":
        raise InputError(name, None, f"scores of type {values.dtype}", "numbers")
    if matrix.dtype.kind not in "iu":
        there = np.array(
            [[text is not None and text != NONE for text in row] for row in matrix.tolist()], bool
        )
        objects = Objects(matrix[there].tolist(), name)
        return rank_columns(_columns(names, there, objects, values, name, tag), relevance, options)

    def rank_as_any_run() -> Ranking:
        there = matrix != NONE
        documents = Numbers(matrix[there].astype(np.int64), name)
        return rank_columns(_columns(names, there, documents, values, name, tag), relevance, options)

    place = relevance.pool.find_topics(names)
    if has_equal(place[place >= 0]):
        return rank_as_any_run()
    collected = Topics()
    rows = max(BLOCK // max(matrix.shape[1], 1), 1)
    num_rows = 0
    for start in range(0, len(matrix), rows):
        chosen = slice(start, start + rows)
        block = _Block(place[chosen], matrix[chosen].astype(np.int64, copy=False), values[chosen])
        num_rows += block.check(name)
        if block.repeats():
            # The one way that finds out which, and whether -M allows it.
            return rank_as_any_run()
        for ranked in block.rank(relevance, lookup.numbers, options):
            collected.add(ranked)
    if not num_rows:
        raise InputError(name, None, "no retrieved documents", "at least one")
    unjudged = (place < 0) & (matrix != NONE).any(axis=1)
    return ranking_of(collected.ranked(), relevance, options, name, tag, num_rows, names.take(unjudged))


def _columns(
    names: Ids, there: NDArray[np.bool_], documents: IdColumn, values: NDArray[Any], name: str, tag: str
) -> RunColumns:
    """The documents that are `there` (T, k), with their scores, of the topics that have any."""
    lengths = np.count_nonzero(there, axis=1)
    kept = np.flatnonzero(lengths)
    return RunColumns(
        name=name,
        topics=names.take(kept),
        lengths=lengths[kept],
        documents=documents,
        scores=values[there].astype(np.float64),
        tag=tag,
    )


class _Block:
    """Some topics of a matrix of numbers, none of them twice."""

    def __init__(self, place: IntArray, ids: IntArray, scores: NDArray[Any]) -> None:
        self._there = ids != NONE
        lengths = np.count_nonzero(self._there, axis=1)
        self._all = ids[self._there]
        self._all_scores: FloatArray = scores[self._there].astype(np.float64)
        judged = (place >= 0) & (lengths > 0)
        self._place, self._lengths = place[judged], lengths[judged]
        self._matrix = ids[judged]
        chosen = np.repeat(judged, lengths)
        everything = bool(judged.all())
        self._ids = self._all if everything else self._all[chosen]
        self._scores = self._all_scores if everything else self._all_scores[chosen]

    def check(self, name: str) -> int:
        """How many documents there are; raises InputError for a score or an id that is none."""
        if (self._all < 0).any():
            number = int(self._all[self._all < 0][0])
            raise InputError(name, None, f"document {number}", f"ids of at least 0, or {NONE} for none")
        wrong = np.isnan(self._all_scores)
        if wrong.any():
            number = int(self._all[wrong][0])
            raise InputError(name, None, f"score nan of document '{number}'", "a number")
        return len(self._all)

    def repeats(self) -> bool:
        """Whether a topic has a document twice."""
        in_order = np.sort(self._matrix, axis=1)
        return bool(((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] != NONE)).any())

    def rank(self, relevance: Relevance, judged: JudgedNumbers, options: Options) -> Iterator[Ranked]:
        """Rank the topics that have judgements."""
        scores = cast_scores(self._scores, options)
        offsets = np.concatenate(([0], np.cumsum(self._lengths)))
        rows = np.flatnonzero(_maybe(judged.distinct)[self._ids & ((1 << _TABLE_BITS) - 1)])
        number = np.searchsorted(judged.distinct, self._ids[rows])
        number = np.minimum(number, max(len(judged.distinct) - 1, 0))
        same = judged.distinct[number] == self._ids[rows] if len(judged.distinct) else np.zeros(0, bool)
        rows, number = rows[same], number[same]
        segment = np.searchsorted(offsets, rows, side="right") - 1
        key = self._place[segment] * max(len(judged.distinct), 1) + number
        where = np.minimum(np.searchsorted(judged.key, key), max(len(judged.key) - 1, 0))
        hit = judged.key[where] == key if len(judged.key) else np.zeros(0, bool)
        found = Found(
            topic=self._place,
            offsets=offsets,
            scores=scores,
            segment=segment[hit],
            score=scores[rows[hit]],
            document=judged.document[where[hit]],
            row=rows[hit],
        )
        return rank_found(relevance.pool, found, self._ids_at, ascending=relevance.ties_ascending)

    def _ids_at(self, rows: IntArray) -> WordIds:
        return decimal_ids(self._ids[rows])


def _maybe(distinct: IntArray) -> NDArray[np.bool_]:
    """For the lowest bits of a number whether one of these has them."""
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[distinct & ((1 << _TABLE_BITS) - 1)] = True
    return table

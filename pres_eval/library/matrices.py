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
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.library.idcolumns import IdColumn, Numbers, Objects
from pres_eval.library.lookup import LOWEST_BITS, JudgedNumbers, Lookup
from pres_eval.library.texts import ids_of
from pres_eval.options import Options
from pres_eval.ranking.columns import RunColumns, cast_scores, rank_columns, ranking_of
from pres_eval.ranking.counting import Found, rank_found
from pres_eval.ranking.ranked import Ranked, Topics
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance

NONE = -1
"""What a matrix of numbers has where a topic has no more documents."""


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
    documents: IdColumn
    if matrix.dtype.kind in "iu":
        ranking = _rank_numbers(names, matrix, values, relevance, lookup, options, name, tag)
        if ranking is not None:
            return ranking
        there = matrix != NONE
        documents = Numbers(matrix[there].astype(np.int64), name)
    else:
        every = matrix.tolist()
        there = np.array([[text is not None and text != NONE for text in row] for row in every], bool)
        documents = Objects(matrix[there].tolist(), name)
    return rank_columns(_columns(names, there, documents, values, name, tag), relevance, options)


def _rank_numbers(
    names: Ids,
    matrix: IntArray,
    values: NDArray[Any],
    relevance: Relevance,
    lookup: Lookup,
    options: Options,
    name: str,
    tag: str,
) -> Ranking | None:
    """Rank documents (T, k) that are numbers, by their scores (T, k).

    None if a topic or a document comes twice: the one way for any run finds out which, and whether -M allows
    it.
    """
    place = relevance.pool.find_topics(names)
    if has_equal(place[place >= 0]):
        return None
    collected = Topics()
    rows = max(BLOCK // max(matrix.shape[1], 1), 1)
    num_rows = 0
    unknown: list[IntArray] = []
    for start in range(0, len(matrix), rows):
        chosen = slice(start, start + rows)
        block = _Block(place[chosen], matrix[chosen].astype(np.int64, copy=False), values[chosen])
        num_rows += block.check(name)
        unknown.append(start + block.unjudged)
        if block.repeats():
            return None
        for ranked in block.rank(relevance, lookup.numbers, options):
            collected.add(ranked)
    if not num_rows:
        raise InputError(name, None, "no retrieved documents", "at least one")
    unjudged = names.take(np.concatenate(unknown))
    return ranking_of(collected.ranked(), relevance, options, name, tag, num_rows, unjudged)


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
        there = ids != NONE
        lengths = np.count_nonzero(there, axis=1)
        self._all, self._all_scores = _flat(ids, there), _flat(scores, there)
        judged = np.flatnonzero((place >= 0) & (lengths > 0))
        self.unjudged = np.flatnonzero((place < 0) & (lengths > 0))
        if len(judged) < len(place):
            ids, scores, there = ids[judged], scores[judged], there[judged]
        self._place, self._lengths = place[judged], lengths[judged]
        self._matrix = ids
        self._ids, self._scores = _flat(ids, there), _flat(scores, there)

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
        scores = self._scores
        if scores.dtype != np.float32:  # of 32 bits they are whole already
            scores = cast_scores(scores.astype(np.float64, copy=False), options)
        offsets = np.concatenate(([0], np.cumsum(self._lengths)))
        rows = np.flatnonzero(judged.maybe[self._ids & LOWEST_BITS])
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


def _flat(matrix: NDArray[Any], there: NDArray[np.bool_]) -> NDArray[Any]:
    """(N,) the values of a matrix (T, k) that are there, row after row; not copied if all are."""
    return matrix.reshape(-1) if there.all() else matrix[there]

"""Runs as (topics, k) arrays of ids and scores, as vector search gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import BLOCK, Ids, IntArray, has_equal, match
from pres_eval.errors import InputError
from pres_eval.library.idcolumns import Numbers, ids_of_array, signed
from pres_eval.library.ids import JudgedNumbers, Lookup, ids_of
from pres_eval.options import Options
from pres_eval.ranking.order import Sortable, rank_judged
from pres_eval.ranking.parts import Facts, RankedPart, joined_topics
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking, rank_block, ranking_of
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.reading.blocks import Block, check_tag
from pres_eval.reading.relevance import Relevance

NONE = -1
"""Number in a matrix where a topic has no more documents."""


def as_array(values: Any) -> NDArray[Any]:
    """Return an array of numpy from anything with `__array__` or `__dlpack__`, or nested sequences.

    Tensors of torch come to the host first, if they are on a GPU, and without their gradients; bfloat16,
    which numpy does not have, becomes 32-bit.
    """
    if not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
        return np.from_dlpack(values)
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float() if "bfloat16" in str(getattr(values, "dtype", "")) else values
    return np.asarray(values)


def _even(values: Any, what: str, name: str) -> NDArray[Any]:
    """Return an array; raise InputError for rows of different lengths."""
    try:
        return as_array(values)
    except ValueError:
        lengths = sorted({len(row) for row in values})
        found = f"{what} in rows of {lengths[0]} to {lengths[-1]} documents"
        raise InputError(
            name,
            None,
            found,
            "T rows of k documents each",
            "fill the shorter rows with the id -1 and any score",
        ) from None


class TopDocuments:
    """Documents of T topics in rows (T, k), as rows of topic, document and score."""

    def __init__(self, topics: Any, ids: Any, scores: Any) -> None:
        self._given = topics, ids, scores

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        topics, ids, scores = (as_array(given).tolist() for given in self._given)
        for topic, documents, own in zip(topics, ids, scores, strict=True):
            for document, score in zip(documents, own, strict=True):
                if document is not None and document != NONE:
                    yield topic, document, score

    def __len__(self) -> int:
        return int(as_array(self._given[1]).size)


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

    Raises InputError for shapes that do not fit, and for faults of any run.
    """
    check_tag(name, tag)
    names, matrix, values = _checked(topics, ids, scores, name)
    ranker = Ranker.of(relevance, options)
    are_numbers = matrix.dtype.kind in "iu"
    if are_numbers and relevance.rewriting is None:
        ranking = _rank_numbers(names, matrix, values, ranker, lookup.numbers, name, tag)
        if ranking is not None:
            return ranking
    if are_numbers:
        there = matrix != NONE
    else:
        there = np.array([[text not in (None, NONE) for text in row] for row in matrix.tolist()], bool)
    lengths = np.count_nonzero(there, axis=1)
    kept = np.flatnonzero(lengths)
    block = Block(
        topics=names.take(kept),
        lengths=lengths[kept],
        documents=ids_of_array(matrix[there], name),
        numbers=values[there].astype(np.float64),
    )
    return rank_block(name, block, RunRanker.of(relevance, options), tag)


def _checked(topics: Any, ids: Any, scores: Any, name: str) -> tuple[Ids, NDArray[Any], NDArray[Any]]:
    """Return (T,) topics, (T, k) ids and (T, k) scores as arrays; raise InputError for what is none."""
    for each, what in ((ids, "ids"), (scores, "scores")):
        if isinstance(each, np.ma.MaskedArray) and np.ma.getmaskarray(each).any():
            raise InputError(
                name,
                None,
                f"{what} of which some are masked",
                "numbers or texts",
                "ids.filled(-1) leaves them out",
            )
    matrix, values = (_even(each, what, name) for each, what in ((ids, "ids"), (scores, "scores")))
    names = ids_of(list(topics.tolist() if hasattr(topics, "tolist") else topics), name)
    if matrix.ndim != 2 or matrix.shape != values.shape or len(names) != len(matrix):
        raise InputError(
            name,
            None,
            f"{len(names)} topics, ids of shape {matrix.shape}, scores of shape {values.shape}",
            "T topics, ids and scores of shape (T, k)",
        )
    if values.dtype.kind not in "biuf":
        raise InputError(name, None, f"scores of type {values.dtype}", "numbers")
    return names, signed(matrix) if matrix.dtype.kind in "iu" else matrix, values


def _rank_numbers(
    names: Ids,
    matrix: IntArray,
    values: NDArray[Any],
    ranker: Ranker,
    judged: JudgedNumbers,
    name: str,
    tag: str,
) -> Ranking | None:
    """Rank documents (T, k) that are numbers, by their scores (T, k).

    None if a topic or a document comes twice: the one way for any run finds out which, and whether -M allows
    it.
    """
    place = ranker.pool.find_topics(names)
    if has_equal(place[place >= 0]):
        return None
    parts: list[Ranked] = []
    unknown: list[IntArray] = []
    num_rows = 0
    rows = max(BLOCK // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), rows):
        chosen = slice(start, start + rows)
        own, ids = place[chosen], matrix[chosen].astype(np.int64, copy=False)
        there = ids != NONE
        num_rows += _check(_flat(ids, there), _flat(values[chosen], there), name)
        unknown.append(start + np.flatnonzero((own < 0) & there.any(axis=1)))
        ranked = _ranked(own, ids, values[chosen], there & (own >= 0)[:, np.newaxis], ranker, judged)
        if ranked is None:
            return None
        parts.append(ranked)
    if not num_rows:
        raise InputError(name, None, "no retrieved documents", "at least one")
    part = RankedPart(
        facts=Facts(num_rows=num_rows),
        unjudged=names.take(np.concatenate(unknown)),
        ranked=joined_topics(parts),
    )
    return ranking_of(part, ranker, name, tag)


def _check(ids: IntArray, scores: NDArray[Any], name: str) -> int:
    """Count documents (n,) with their scores; raise InputError for a score or an id that is none."""
    if (ids < 0).any():
        number = int(ids[ids < 0][0])
        raise InputError(name, None, f"document {number}", f"ids of at least 0, or {NONE} for none")
    wrong = np.isnan(scores)
    if wrong.any():
        number = int(ids[wrong][0])
        raise InputError(name, None, f"score nan of document '{number}'", "a number")
    return len(ids)


def _ranked(
    place: IntArray,
    ids: IntArray,
    scores: NDArray[Any],
    known: NDArray[np.bool_],
    ranker: Ranker,
    judged: JudgedNumbers,
) -> Ranked | None:
    """Rank topics (T,), none of them twice, with ids and scores (T, k); None if one has a document twice.

    known  (T, k) which of these are there, of topics with judgements
    """
    lengths = np.count_nonzero(known, axis=1)
    place, lengths = place[lengths > 0], lengths[lengths > 0]
    numbers, scores = _flat(ids, known), _flat(scores, known)
    if scores.dtype != np.float32:  # of 32 bits they are whole already
        scores = ranker.cast(scores.astype(np.float64, copy=False))
    counts, wanted, document = judged.of(place)
    # A number is a word, as the beginning of an id is.
    found = match(lengths, Ids([numbers.view(np.uint64)]), counts, wanted)
    if len(found.repeats):
        return None
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = Sortable(offsets, scores, Numbers(numbers, ""), ranker.ascending)
    return rank_judged(rows, place, found.rows, document[found.partners])


def _flat(matrix: NDArray[Any], there: NDArray[np.bool_]) -> NDArray[Any]:
    """Return (N,) the values of a matrix (T, k) that are there, row after row; not copied if all are."""
    return matrix.reshape(-1) if there.all() else matrix[there]

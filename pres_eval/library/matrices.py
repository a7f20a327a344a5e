"""Runs as (topics, k) arrays of ids and scores, as vector search gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import BLOCK_ROWS, Ids, IntArray, has_equal, match
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

NO_DOCUMENT = -1
"""Id in a matrix where a topic has no more documents."""


def as_array(values: Any) -> NDArray[Any]:
    """Return an array of numpy from anything with `__array__` or `__dlpack__`, or nested sequences.

    Tensors of torch come to the host first, if they are on a GPU, and without their gradients; bfloat16,
    which numpy does not have, becomes 32-bit.
    """
    if not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
        return np.from_dlpack(values)
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(getattr(values, "dtype", "")):
            values = values.float()
    return np.asarray(values)


def _rows_of_one_length(values: Any, what: str, name: str) -> NDArray[Any]:
    """Return an array (T, k) of ids or scores (`what`); raise InputError for rows of different lengths."""
    try:
        return as_array(values)
    except ValueError:
        lengths = sorted({len(row) for row in values})
        raise InputError(
            name,
            None,
            f"{what} in rows of {lengths[0]} to {lengths[-1]} documents",
            "T rows of k documents each",
            "fill the shorter rows with the id -1 and any score",
        ) from None


class TopDocuments:
    """Documents of T topics in rows (T, k), as rows of topic, document and score."""

    def __init__(self, topics: Any, ids: Any, scores: Any) -> None:
        self._topics = topics
        self._ids = ids
        self._scores = scores

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        topics = as_array(self._topics).tolist()
        ids = as_array(self._ids).tolist()
        scores = as_array(self._scores).tolist()
        for topic, documents, scores_of_topic in zip(topics, ids, scores, strict=True):
            for document, score in zip(documents, scores_of_topic, strict=True):
                if document is not None and document != NO_DOCUMENT:
                    yield topic, document, score

    def __len__(self) -> int:
        return int(as_array(self._ids).size)


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
    topic_ids, matrix, values = _checked(topics, ids, scores, name)
    ranker = Ranker.for_judgements(relevance, options)
    are_numbers = matrix.dtype.kind in "iu"
    if are_numbers and relevance.rewriting is None:
        ranking = _rank_numbers(topic_ids, matrix, values, ranker, lookup.numbers, name, tag)
        if ranking is not None:
            return ranking
    if are_numbers:
        is_document = matrix != NO_DOCUMENT
    else:
        is_document = np.array(
            [[text not in (None, NO_DOCUMENT) for text in row] for row in matrix.tolist()], bool
        )
    lengths = np.count_nonzero(is_document, axis=1)
    with_documents = np.flatnonzero(lengths)
    block = Block(
        topics=topic_ids.take(with_documents),
        lengths=lengths[with_documents],
        documents=ids_of_array(matrix[is_document], name),
        numbers=values[is_document].astype(np.float64),
    )
    return rank_block(name, block, RunRanker.for_judgements(relevance, options), tag)


def _checked(topics: Any, ids: Any, scores: Any, name: str) -> tuple[Ids, NDArray[Any], NDArray[Any]]:
    """Return (T,) topics, (T, k) ids and (T, k) scores as arrays; raise InputError for anything else."""
    for array, what in ((ids, "ids"), (scores, "scores")):
        if isinstance(array, np.ma.MaskedArray) and np.ma.getmaskarray(array).any():
            raise InputError(
                name,
                None,
                f"{what} of which some are masked",
                "numbers or texts",
                "ids.filled(-1) leaves them out",
            )
    matrix = _rows_of_one_length(ids, "ids", name)
    values = _rows_of_one_length(scores, "scores", name)
    if hasattr(topics, "tolist"):
        topics = topics.tolist()
    topic_ids = ids_of(list(topics), name)
    if matrix.ndim != 2 or matrix.shape != values.shape or len(topic_ids) != len(matrix):
        raise InputError(
            name,
            None,
            f"{len(topic_ids)} topics, ids of shape {matrix.shape}, scores of shape {values.shape}",
            "T topics, ids and scores of shape (T, k)",
        )
    if values.dtype.kind not in "biuf":
        raise InputError(name, None, f"scores of type {values.dtype}", "numbers")
    if matrix.dtype.kind in "iu":
        matrix = signed(matrix)
    return topic_ids, matrix, values


def _rank_numbers(
    topic_ids: Ids,
    matrix: IntArray,
    values: NDArray[Any],
    ranker: Ranker,
    judged: JudgedNumbers,
    name: str,
    tag: str,
) -> Ranking | None:
    """Return the ranking of documents (T, k) whose ids are numbers, by their scores (T, k).

    None if a topic or a document comes twice: `rank_block`, which ranks any run, then reports which.
    """
    topic = ranker.pool.find_topics(topic_ids)
    if has_equal(topic[topic >= 0]):
        return None
    parts: list[Ranked] = []
    unjudged: list[IntArray] = []
    num_rows = 0
    rows = max(BLOCK_ROWS // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), rows):
        chosen = slice(start, start + rows)
        topics = topic[chosen]
        ids = matrix[chosen].astype(np.int64, copy=False)
        is_document = ids != NO_DOCUMENT
        num_rows += _check_and_count(_flat(ids, is_document), _flat(values[chosen], is_document), name)
        unjudged.append(start + np.flatnonzero((topics < 0) & is_document.any(axis=1)))
        is_ranked = is_document & (topics >= 0)[:, np.newaxis]
        ranked = _ranked(topics, ids, values[chosen], is_ranked, ranker, judged)
        if ranked is None:
            return None
        parts.append(ranked)
    if not num_rows:
        raise InputError(name, None, "no retrieved documents", "at least one")
    part = RankedPart(
        facts=Facts(num_rows=num_rows),
        unjudged=topic_ids.take(np.concatenate(unjudged)),
        ranked=joined_topics(parts),
    )
    return ranking_of(part, ranker, name, tag)


def _check_and_count(ids: IntArray, scores: NDArray[Any], name: str) -> int:
    """Return the number of documents (n,); raise InputError for a negative id, or a score of nan."""
    if (ids < 0).any():
        document = int(ids[ids < 0][0])
        raise InputError(name, None, f"document {document}", f"ids of at least 0, or {NO_DOCUMENT} for none")
    is_nan = np.isnan(scores)
    if is_nan.any():
        document = int(ids[is_nan][0])
        raise InputError(name, None, f"score nan of document '{document}'", "a number")
    return len(ids)


def _ranked(
    topic: IntArray,
    ids: IntArray,
    scores: NDArray[Any],
    is_ranked: NDArray[np.bool_],
    ranker: Ranker,
    judged: JudgedNumbers,
) -> Ranked | None:
    """Return the ranked judged documents of topics (T,); None if a topic has a document twice.

    topic        (T,) indices in the pool, each once; below 0 for topics without judgements
    ids, scores  (T, k) of their documents
    is_ranked    (T, k) which of these are documents, of topics with judgements
    """
    lengths = np.count_nonzero(is_ranked, axis=1)
    topic = topic[lengths > 0]
    lengths = lengths[lengths > 0]
    numbers = _flat(ids, is_ranked)
    scores = _flat(scores, is_ranked)
    if scores.dtype != np.float32:  # scores of 32 bits are as trec_eval keeps them
        scores = ranker.cast(scores.astype(np.float64, copy=False))
    counts, judged_ids, document = judged.of_topics(topic)
    # A number of 64 bits is a word, as eight bytes of an id are: numbers match as ids do.
    matches = match(lengths, Ids([numbers.view(np.uint64)]), counts, judged_ids)
    if len(matches.repeats):
        return None
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = Sortable(offsets, scores, Numbers(numbers, ""), ranker.ascending)
    return rank_judged(rows, topic, matches.rows, document[matches.partners])


def _flat(matrix: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[Any]:
    """Return (N,) the chosen values of a matrix (T, k), row after row; not copied if all are chosen."""
    return matrix.reshape(-1) if chosen.all() else matrix[chosen]

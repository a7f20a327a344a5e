"""Runs as (topics, k) arrays of ids and scores, as vector search gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import BoolArray, Ids, IntArray
from pres_eval.errors import InputError, plural
from pres_eval.library.idcolumns import NumberDocuments, Numbers, ids_of_array, signed
from pres_eval.library.ids import Lookup, ids_of
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking, rank_block
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.reading.blocks import Block, Documents, check_tag
from pres_eval.reading.judgements.relevance import Relevance

NO_DOCUMENT = -1
"""Id in a matrix where a topic has no more documents."""

_NO_DOCUMENTS = (None, NO_DOCUMENT, str(NO_DOCUMENT))
"""Such ids among texts: of texts and -1 numpy makes texts."""


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
    """Rows of topic, document and score from matrices (T, k), without the fillers of shorter rows."""

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
                if document not in _NO_DOCUMENTS:
                    yield topic, document, score

    def __len__(self) -> int:
        """Return T k, the most rows that there may be."""
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

    lookup  finds judged documents whose ids are whole numbers
    Raises InputError for shapes that do not fit, and for faults of any run.
    """
    check_tag(name, tag)
    topic_ids, matrix, values = _checked(topics, ids, scores, name)
    is_document = _documents_in(matrix)
    documents: Documents = ids_of_array(_flat(matrix, is_document), name)
    numbers = _flat(values, is_document)
    if isinstance(documents, Numbers) and relevance.rewriting is None:
        _check_numbers(documents.values, numbers, name)
        documents = NumberDocuments(documents.values, lookup.numbers)
    if numbers.dtype != np.float32:  # scores of 32 bits are as trec_eval keeps them
        numbers = numbers.astype(np.float64, copy=False)
    if is_document is None:
        lengths = np.full(len(matrix), matrix.shape[1])
    else:
        lengths = np.count_nonzero(is_document, axis=1)
    with_documents = np.flatnonzero(lengths)
    block = Block(
        topics=topic_ids.take(with_documents),
        lengths=lengths[with_documents],
        documents=documents,
        numbers=numbers,
    )
    return rank_block(name, block, RunRanker.for_judgements(relevance, options), tag)


def _documents_in(matrix: NDArray[Any]) -> BoolArray | None:
    """Return (T, k) where a matrix of ids has documents; None if all are numbers from 0 up."""
    if matrix.dtype.kind in "iu":
        if matrix.min(initial=0) >= 0:
            return None
        is_document: BoolArray = matrix != NO_DOCUMENT
        return is_document
    return np.array([[text not in _NO_DOCUMENTS for text in row] for row in matrix.tolist()], bool)


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
    fits = matrix.ndim == 2 and matrix.shape == values.shape and len(matrix) == len(topic_ids)
    if not fits:
        raise InputError(
            name,
            None,
            f"{plural(len(topic_ids))}, ids of shape {matrix.shape}, scores of shape {values.shape}",
            "T topics, ids and scores of shape (T, k)",
        )
    if values.dtype.kind not in "biuf":
        raise InputError(name, None, f"scores of type {values.dtype}", "numbers")
    if matrix.dtype.kind in "iu":
        matrix = signed(matrix)
    return topic_ids, matrix, values


def _check_numbers(ids: IntArray, scores: NDArray[Any], name: str) -> None:
    """Raise InputError for a negative id (N,) of a document, or a score (N,) of nan."""
    if (ids < 0).any():
        document = int(ids[ids < 0][0])
        raise InputError(name, None, f"document {document}", f"ids of at least 0, or {NO_DOCUMENT} for none")
    is_nan = np.isnan(scores)
    if is_nan.any():
        document = int(ids[is_nan][0])
        raise InputError(name, None, f"score nan of document '{document}'", "a number")


def _flat(matrix: NDArray[Any], chosen: BoolArray | None) -> NDArray[Any]:
    """Return (N,) the chosen values of a matrix (T, k), row after row; None: all, without a copy."""
    if chosen is None:
        return matrix.reshape(-1)
    return matrix[chosen]

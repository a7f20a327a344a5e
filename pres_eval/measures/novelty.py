"""Novelty: the gain that documents add to those ranked before them, and the ranking that adds most.

A pair (P) is a document and a subtopic that it is relevant to (`batches.from_subtopics.Hits`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, changed, divide, log2
from pres_eval.batches.from_subtopics import Hits, SubtopicBatch
from pres_eval.errors import MeasureError
from pres_eval.measures.rbp import Powers

HIGHEST_CUTOFF = 1 << 20
"""The highest cutoff, as the gain of the best thinkable ranking is added up rank by rank in an array."""

Discount = Callable[[IntArray], FloatArray]
"""Ranks (n,) -> the weights (n,) of the gains at these ranks."""


def logarithmic(rank: IntArray) -> FloatArray:
    """Return (n,) 1 / log2(r + 1) at ranks r (n,)."""
    return 1.0 / log2(rank + 1)


def reciprocal(rank: IntArray) -> FloatArray:
    """Return (n,) 1 / r at ranks r (n,)."""
    return 1.0 / rank


def geometric(beta: float) -> Discount:
    """Return the discount β^(r - 1) of ranks r."""

    def discount(rank: IntArray) -> FloatArray:
        """Return (n,) β^(r - 1) at ranks r (n,)."""
        powers = Powers(beta, int(rank.max(initial=1)))
        return powers[rank - 1]

    return discount


def share_of_thinkable(batch: SubtopicBatch, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return (T,) Σ gain(r) d(r) / Σ S (1 - α)^(r-1) d(r) for r = 1 … cutoff, d being the discount.

    The divisor is the novelty of a ranking whose documents are relevant to all S subtopics.
    """
    if cutoff > HIGHEST_CUTOFF:
        raise MeasureError(
            f"found cutoff {cutoff}, expected at most {HIGHEST_CUTOFF} for measures of diversity"
        )
    gained = novelty(batch.hits, cutoff, alpha, discount)
    r = np.arange(1, cutoff + 1)
    gain_of_subtopic = Powers(1.0 - alpha, cutoff)[r - 1]
    most = np.add.accumulate(gain_of_subtopic * discount(r))[-1]
    return divide(gained, most * batch.num_subtopics)


def share_of_best(batch: SubtopicBatch, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return (T,) the novelty of the ranking as a share of that of the greedy (nearly the best) ranking."""
    gained = novelty(batch.hits, cutoff, alpha, discount)
    best = _greedy_ranking(batch, alpha, cutoff)
    return divide(gained, novelty(best, cutoff, alpha, discount))


def novelty(hits: Hits, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return (T,) Σ gain(r) d(r) over the documents at ranks r down to the cutoff, d being the discount.

    gain(r)  Σ (1 - α)^c over the subtopics of the document, c being the documents before it that are relevant
             to the same one
    """
    num_topics = len(hits.offsets) - 1
    gain_of_pair = Powers(1.0 - alpha, len(hits.topic_of))[seen_before(hits)]
    is_new_document = changed(hits.topic_of, hits.position)
    document_of_pair = np.cumsum(is_new_document) - 1
    gain = np.bincount(document_of_pair, weights=gain_of_pair).astype(np.float64, copy=False)
    rank = hits.position[is_new_document]
    topic_of = hits.topic_of[is_new_document]
    within = np.flatnonzero(rank <= cutoff)
    discounted = gain[within] * discount(rank[within])
    return np.bincount(topic_of[within], discounted, num_topics).astype(np.float64, copy=False)


def seen_before(hits: Hits) -> IntArray:
    """Return (P,) c: how many documents before the pair's are relevant to the same subtopic."""
    order = np.lexsort((hits.position, hits.subtopic, hits.topic_of))
    first_of_subtopic = np.flatnonzero(changed(hits.topic_of[order], hits.subtopic[order]))
    num_of_subtopic = np.diff(first_of_subtopic, append=len(order))
    seen = np.empty(len(order), np.int64)
    seen[order] = np.arange(len(order)) - np.repeat(first_of_subtopic, num_of_subtopic)
    return seen


def _greedy_ranking(batch: SubtopicBatch, alpha: float, most: int) -> Hits:
    """Return the greedy ranking down to rank `most`: each rank takes the judged document that adds most."""
    judged = batch.judged
    ranks_of_topics: list[IntArray] = []
    for topic in range(len(batch)):
        pairs = slice(judged.offsets[topic], judged.offsets[topic + 1])
        ranks_of_topics.append(_greedy(judged.position[pairs], judged.subtopic[pairs], alpha, most))
    rank = np.concatenate([*ranks_of_topics, np.zeros(0, np.int64)])
    chosen = np.flatnonzero(rank)
    topic_of = judged.topic_of[chosen]
    order = np.lexsort((judged.subtopic[chosen], rank[chosen], topic_of))
    offsets = np.searchsorted(topic_of, np.arange(len(batch) + 1))
    return Hits(offsets, rank[chosen][order], judged.subtopic[chosen][order], judged.grade[chosen][order])


def _greedy(docno_place: IntArray, subtopic: IntArray, alpha: float, most: int) -> IntArray:
    """Return (P,) the greedy ranks of the documents of a topic's pairs (P,); 0 for those after rank `most`.

    docno_place  (P,) the document of each pair, as its position in the order of docnos
    subtopic     (P,) the subtopic that it is relevant to
    Each rank takes the document with the highest gain; of several, the one with the last docno.
    """
    docno_places, document_of_pair = np.unique(docno_place, return_inverse=True)
    num_subtopics = int(subtopic.max(initial=-1)) + 1
    covers = np.zeros((num_subtopics, len(docno_places)), np.bool_)
    covers[subtopic, document_of_pair] = True
    worth_of_subtopic = np.ones(num_subtopics)  # (1 - α)^c
    rank = np.zeros(len(docno_places), np.int64)
    for next_rank in range(1, min(len(docno_places), most) + 1):
        gain = np.zeros(len(docno_places))
        for covering, worth in zip(covers, worth_of_subtopic.tolist(), strict=True):
            gain += np.where(covering, worth, 0.0)
        gain[rank > 0] = -1.0  # those that already have a rank
        best_document = len(gain) - 1 - int(np.argmax(gain[::-1]))  # the last of several
        rank[best_document] = next_rank
        worth_of_subtopic[covers[:, best_document]] *= 1.0 - alpha
    return rank[document_of_pair]

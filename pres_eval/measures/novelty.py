"""Novelty: the gain that documents add to those ranked before them, and the ranking that adds most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, changed, divide, log2
from pres_eval.batches.from_subtopics import Hits, SubtopicBatch
from pres_eval.errors import MeasureError
from pres_eval.measures.rbp import Powers

HIGHEST_CUTOFF = 1 << 20
"""The highest cutoff: what could be had at best is added up rank by rank."""

Discount = Callable[[IntArray], FloatArray]
"""Ranks -> the weights of the gain there."""


def logarithmic(rank: IntArray) -> FloatArray:
    """Return (n,) 1 / log2(rank + 1)."""
    return 1.0 / log2(rank + 1)


def reciprocal(rank: IntArray) -> FloatArray:
    """Return (n,) 1 / rank."""
    return 1.0 / rank


def geometric(beta: float) -> Discount:
    """Return β^(rank - 1)."""
    return lambda rank: Powers(beta, int(rank.max(initial=1)))[rank - 1]


def share_of_thinkable(batch: SubtopicBatch, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return novelty (T,) as a share of that of a ranking whose documents are relevant to all subtopics."""
    if cutoff > HIGHEST_CUTOFF:
        raise MeasureError(
            f"found cutoff {cutoff}, expected at most {HIGHEST_CUTOFF} for measures of diversity"
        )
    gained = novelty(batch.hits, cutoff, alpha, discount)
    ranks = np.arange(1, cutoff + 1)
    most = np.add.accumulate(Powers(1.0 - alpha, cutoff)[ranks - 1] * discount(ranks))[-1]
    return divide(gained, most * batch.num_subtopics)


def share_of_best(batch: SubtopicBatch, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return (T,) novelty as a share of that of the best ranking."""
    gained = novelty(batch.hits, cutoff, alpha, discount)
    return divide(gained, novelty(_best(batch, alpha, cutoff), cutoff, alpha, discount))


def novelty(hits: Hits, cutoff: int, alpha: float, discount: Discount) -> FloatArray:
    """Return (T,) the documents' gains down to the cutoff, each discounted by its rank."""
    topic_of = hits.topic_of
    gains = Powers(1.0 - alpha, len(topic_of))[seen_before(hits)]
    first = changed(topic_of, hits.position)
    documents = np.cumsum(first) - 1
    gain = np.bincount(documents, weights=gains).astype(np.float64, copy=False)
    rank = hits.position[first]
    topic_of = topic_of[first]
    within = np.flatnonzero(rank <= cutoff)
    weighted = gain[within] * discount(rank[within])
    return np.bincount(topic_of[within], weighted, len(hits.offsets) - 1).astype(np.float64, copy=False)


def seen_before(hits: Hits) -> IntArray:
    """Return (P,) documents before each pair's that are relevant to the same subtopic."""
    order = np.lexsort((hits.position, hits.subtopic, hits.topic_of))
    first = np.flatnonzero(changed(hits.topic_of[order], hits.subtopic[order]))
    seen = np.empty(len(order), np.int64)
    seen[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return seen


def _best(batch: SubtopicBatch, alpha: float, most: int) -> Hits:
    """Return the judged documents in greedy order: each rank takes the most novel, or its last docno."""
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
    """Return (P,) the ranks of the documents in the best ranking of a topic, 0 below rank `most`."""
    different, document = np.unique(docno_place, return_inverse=True)
    covers = np.zeros((int(subtopic.max(initial=-1)) + 1, len(different)), np.bool_)
    covers[subtopic, document] = True
    worth = np.ones(len(covers))
    rank = np.zeros(len(different), np.int64)
    for number in range(1, min(len(different), most) + 1):
        gain = np.zeros(len(different))
        for covered, value in zip(covers, worth.tolist(), strict=True):
            gain += np.where(covered, value, 0.0)
        gain[rank > 0] = -1.0
        # The last of the best: docnos ascend.
        chosen = len(gain) - 1 - int(np.argmax(gain[::-1]))
        rank[chosen] = number
        worth[covers[:, chosen]] *= 1.0 - alpha
    return rank[document]

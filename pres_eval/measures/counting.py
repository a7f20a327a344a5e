"""Counts and gains of documents down to a rank, exact or expected in ties.

Of a batch that knows its ties they are means over all orders of these.  A measure whose formula only uses
such numbers, in a linear way (or with their variance), then returns its own expected value: its trait is
OWN_EXPECTED, and it needs no function in `measures.expected`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, log2
from pres_eval.batches.batch import Batch
from pres_eval.options import LARGEST_LONG

Numbers = IntArray | FloatArray
"""Counts of documents, or expected counts, which need not be whole."""

AtRank = Callable[[FloatArray, IntArray], FloatArray]
"""Gains (N,) and their ranks (N,) -> (N,) what the gains are worth at these ranks."""


def relevant_within(batch: Batch, rank: int | IntArray | None = None) -> Numbers:
    """Return how many relevant documents each topic has down to a rank (None: in its whole ranking).

    One rank for all topics, or (T,) one for each, gives (T,); C ranks for all (C, 1) give (C, T), but not in
    ties.
    """
    if batch.ties is not None:
        return documents_within(batch, batch.is_rel, rank)
    return batch.num_rel_ret if rank is None else batch.relevant_places.within(rank)


def variance_of_relevant(batch: Batch) -> FloatArray:
    """Return (T,) the variance of the number of relevant documents retrieved, over the orders of ties.

    It is 0 unless -M ends the ranking inside a tie; the mean of the squared number needs it.
    """
    if batch.ties is None:
        return np.zeros(len(batch))
    from pres_eval.measures.expected.ranks import variance_of_relevant_retrieved

    return variance_of_relevant_retrieved(batch)


def documents_within(batch: Batch, chosen: BoolArray, rank: int | IntArray | None = None) -> Numbers:
    """Return (T,) how many of the chosen documents (D,) each topic has down to a rank (None: in all).

    rank  one for all topics; in ties also (T,) one for each
    """
    if batch.ties is not None:
        from pres_eval.measures.expected.tied_ranks import share_seen

        cutoff = LARGEST_LONG if rank is None else rank
        return batch.sum_by_topic(share_seen(batch, cutoff), chosen)
    if rank is not None:
        chosen = chosen & (batch.rank <= rank)
    return batch.count_by_topic(chosen)


def gained(batch: Batch, gains: FloatArray, at_rank: AtRank, rank: int = LARGEST_LONG) -> FloatArray:
    """Return (T,) the sum of what the gains (D,) are worth at the documents' ranks, down to a rank.

    at_rank  what gains are worth at ranks
    rank     one for all topics; C ranks for all (C, 1) give (C, T), but not in ties
    """
    if batch.ties is not None:
        from pres_eval.measures.expected.tied_ranks import gained_in_ties

        return gained_in_ties(batch, gains, at_rank, rank)
    if np.ndim(rank):
        judged = batch.judged_down_to(int(np.max(rank)))
        worth = at_rank(judged.values_of(gains), judged.values_of(batch.rank))
        return judged.at(judged.running(worth), judged.within(rank))
    rows = np.flatnonzero((gains != 0) & (batch.rank <= rank))
    worth = at_rank(gains[rows], batch.rank[rows])
    sums = np.bincount(batch.topic_of[rows], worth, len(batch))
    return sums.astype(np.float64, copy=False)


def discounted(gain: FloatArray, rank: IntArray) -> FloatArray:
    """Return (N,) gain / log2(rank + 1) for gains (N,) at ranks (N,): the discount of DCG."""
    return np.asarray(gain / log2(rank + 1), np.float64)


def sum_of_ranks(batch: Batch, rank: int = LARGEST_LONG) -> FloatArray:
    """Return (T,) the sum of the ranks of the relevant documents down to a rank."""

    def rank_as_worth(gain: FloatArray, at: IntArray) -> FloatArray:
        """Return the ranks (N,) of documents, whose gains (N,) are 1."""
        return gain * at

    return gained(batch, batch.is_rel.astype(float), rank_as_worth, rank)

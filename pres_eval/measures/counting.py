"""Counts and gains of documents down to a rank: formulas that use nothing else of the order also take ties.

Of a batch that knows its ties these are the numbers that are expected of all their orders.  A measure whose
formula, of these and of their variance, is its expected value (`Trait.OWN_EXPECTED`) needs no function for
it: most such formulas are linear in them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, log2
from pres_eval.batches.batch import Batch
from pres_eval.options import LARGEST_LONG

Numbers = IntArray | FloatArray
"""Counts of documents, or those that are expected in ties, which need not be whole."""

AtRank = Callable[[FloatArray, IntArray], FloatArray]
"""A function of gains (N,) and ranks (N,) that returns what the gains are worth there."""


def relevant_within(batch: Batch, rank: int | IntArray | None = None) -> Numbers:
    """Return how many relevant documents each topic has down to a rank, without one in all of its ranking.

    One rank for all or one a topic (T,) gives (T,); several for all (C, 1) give (C, T), but not in ties.
    """
    if batch.ties is not None:
        return documents_within(batch, batch.is_rel, rank)
    return batch.num_rel_ret if rank is None else batch.relevant_places.within(rank)


def variance_of_relevant(batch: Batch) -> FloatArray:
    """Return (T,) the variance of how many relevant documents are retrieved, for the mean of its square.

    It is 0 but where -M ends the ranking inside a tie.
    """
    if batch.ties is None:
        return np.zeros(len(batch))
    from pres_eval.measures.expected.ranks import variance_of_relevant_retrieved

    return variance_of_relevant_retrieved(batch)


def documents_within(batch: Batch, chosen: BoolArray, rank: int | IntArray | None = None) -> Numbers:
    """Return how many of the chosen documents (D,) each topic (T,) has down to a rank."""
    if batch.ties is not None:
        from pres_eval.measures.expected.tied_ranks import share_seen

        last_rank = LARGEST_LONG if rank is None else rank
        return batch.sum_by_topic(share_seen(batch, last_rank), chosen)
    if rank is not None:
        chosen = chosen & (batch.rank <= rank)
    return batch.count_by_topic(chosen)


def gained(batch: Batch, gains: FloatArray, at_rank: AtRank, rank: int = LARGEST_LONG) -> FloatArray:
    """Return what the gains (D,) are worth where the documents are, added up down to a rank: (T,).

    Several ranks for all (C, 1) give (C, T), but not in ties.
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
    """Return gains (N,) over the logarithms of their ranks (N,)."""
    return np.asarray(gain / log2(rank + 1), np.float64)


def sum_of_ranks(batch: Batch, rank: int = LARGEST_LONG) -> FloatArray:
    """Return the ranks of the relevant documents down to a rank, added up: (T,)."""

    def rank_of_gain(gain: FloatArray, at: IntArray) -> FloatArray:
        """Return the ranks (N,) where the gain is 1."""
        return gain * at

    return gained(batch, batch.is_rel.astype(float), rank_of_gain, rank)

"""Ranks that the documents of a tie share, and the expected value at each of them.

The ranking of a topic ends at `num_ret`.  With -M that may be inside a tie; a document of it then has a rank
behind the end in some of the orders.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, blocks, rows_of_stretches
from pres_eval.batches.batch import Batch
from pres_eval.batches.topics import TieGroups, heads_of_ties
from pres_eval.measures.counting import AtRank
from pres_eval.options import LARGEST_LONG
from pres_eval.records import dataclass

WHOLE = LARGEST_LONG
"""The cutoff of measures of the whole ranking."""


def ties_of(batch: Batch) -> TieGroups:
    """Return the ties of the documents; a document alone is a tie of one."""
    assert batch.ties is not None, "expected values are only asked of batches that know their ties"
    return batch.ties


def last_rank(batch: Batch, cutoff: int | IntArray = WHOLE) -> IntArray:
    """Return (T,) the last rank that counts: the cutoff, or the end of a shorter ranking.

    cutoff  one for all topics, or (T,) one for each
    """
    return np.asarray(np.minimum(cutoff, batch.num_ret), np.int64)


def share_seen(batch: Batch, cutoff: int | IntArray = WHOLE) -> FloatArray:
    """Return (D,) the probability that each document is at one of the ranks that count.

    It is s/m: s of the m ranks of its tie count.  `cutoff`: one for all topics, or (T,) one for each.
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)[batch.topic_of]
    num_seen = np.clip(last - ties.first + 1, 0, ties.size)
    return np.asarray(num_seen / ties.size, np.float64)


def gained_in_ties(batch: Batch, gains: FloatArray, at_rank: AtRank, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) what the gains (D,) are worth together: each on average over the ranks of its tie.

    at_rank  gains (N,), ranks (N,) -> (N,) what the gains are worth at these ranks; in proportion to the gain
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    is_reached = (gains != 0) & (ties.first <= last[batch.topic_of])
    worth = np.zeros(len(batch.rank))
    alone = np.flatnonzero(is_reached & (ties.size == 1))
    worth[alone] = at_rank(gains[alone], batch.rank[alone])
    in_ties = np.flatnonzero(is_reached & (ties.size > 1))
    for ranks in ranks_of(batch, in_ties, last):
        worth_of_gain_1 = at_rank(np.ones(len(ranks.rank)), ranks.rank)
        mean_worth = ranks.average(worth_of_gain_1)
        worth[ranks.documents] = gains[ranks.documents] * mean_worth[ranks.tie_of_document]
    return batch.sum_by_topic(worth)


@dataclass(frozen=True, eq=False)
class RanksOfTies:
    """The ranks of E ties, and documents in them; a tie is named by its number from 0 to E - 1.

    rank, tie_of_rank  (N,) every rank of every tie, down to the last that counts, and the number of its tie
    offsets            (E+1,) where the ranks of each tie begin among the N
    size               (E,) documents in each tie
    documents          (K,) the documents that were asked for, as rows of the batch
    tie_of_document    (K,) the number of the tie of each
    The docstring of `ranks` has an example.
    """

    rank: IntArray
    tie_of_rank: IntArray
    offsets: IntArray
    size: IntArray
    documents: IntArray
    tie_of_document: IntArray

    def of_ties(self, values: IntArray) -> IntArray:
        """Return (E,) the value of each tie, from values (D,) that all documents of a tie share."""
        values_of_ties = np.zeros(len(self.size), values.dtype)
        values_of_ties[self.tie_of_document] = values[self.documents]
        return values_of_ties

    def at_ranks(self, values: IntArray) -> IntArray:
        """Return (N,) the value of each rank's tie, from values (D,) that all documents of a tie share."""
        return self.of_ties(values)[self.tie_of_rank]

    def average(self, values: FloatArray) -> FloatArray:
        """Return (E,) the mean of values (N,) over the m ranks of a tie; ranks that do not count add 0."""
        sums = np.bincount(self.tie_of_rank, weights=values, minlength=len(self.size))
        return np.asarray(sums / self.size, np.float64)


def ranks_of(batch: Batch, documents: IntArray, last: IntArray) -> Iterator[RanksOfTies]:
    """Yield the ranks of the ties that some documents are in, a block of whole ties at a time.

    documents  (K,) rows of the batch, ascending
    last       (T,) the last rank that counts in each topic; each of the ties begins at or before it
    """
    if not len(documents):
        return
    ties = ties_of(batch)
    first = ties.first[documents]
    topic_of = batch.topic_of[documents]
    heads = heads_of_ties(first, topic_of)
    # The number of the tie of each document: it rises at each head.
    tie_of_document = np.cumsum(np.bincount(heads, minlength=len(documents))) - 1
    first_of_tie = first[heads]
    size = ties.size[documents[heads]]
    num_ranks = np.minimum(size, last[topic_of[heads]] - first_of_tie + 1)
    for start, stop in blocks(np.concatenate(([0], np.cumsum(num_ranks)))):
        rank, offsets = rows_of_stretches(first_of_tie[start:stop], num_ranks[start:stop])
        in_block = slice(*np.searchsorted(tie_of_document, (start, stop)).tolist())
        yield RanksOfTies(
            rank=rank,
            tie_of_rank=np.repeat(np.arange(stop - start), np.diff(offsets)),
            offsets=offsets,
            size=size[start:stop],
            documents=documents[in_block],
            tie_of_document=tie_of_document[in_block] - start,
        )


def counted_in_ties(batch: Batch, chosen: BoolArray) -> tuple[IntArray, IntArray]:
    """Return for each document (D,) how many chosen ones (D,) are in its tie, and in all ties before it."""
    width = int(batch.num_ret.max(initial=0)) + 2
    tie_keys = batch.topic_of * width + ties_of(batch).first  # topic and tie are one number, which ascends
    running = np.concatenate(([0], np.cumsum(chosen)))
    tie_begins = np.searchsorted(tie_keys, tie_keys, "left")
    tie_ends = np.searchsorted(tie_keys, tie_keys, "right")
    topic_begins = batch.offsets[:-1][batch.topic_of]
    in_tie: IntArray = running[tie_ends] - running[tie_begins]
    before_tie: IntArray = running[tie_begins] - running[topic_begins]
    return in_tie, before_tie

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
    """Return the ties of the documents."""
    assert batch.ties is not None, "expected values are of batches that know what ties"
    return batch.ties


def last_rank(batch: Batch, cutoff: int | IntArray = WHOLE) -> IntArray:
    """Return (T,) the last rank that counts: the cutoff, or the end of the ranking."""
    return np.asarray(np.minimum(cutoff, batch.num_ret), np.int64)


def share_seen(batch: Batch, cutoff: int | IntArray = WHOLE) -> FloatArray:
    """Return (D,) s/m: the probability that each document is among the first ranks; one cutoff, or (T,)."""
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)[batch.topic_of]
    num_seen = np.clip(last - ties.first + 1, 0, ties.size)
    return np.asarray(num_seen / ties.size, np.float64)


def gained_in_ties(batch: Batch, gains: FloatArray, at_rank: AtRank, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) what the gains (D,) of the documents are worth, on average over the ranks they may have."""
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    reached = (gains != 0) & (ties.first <= last[batch.topic_of])
    worth = np.zeros(len(batch.rank))
    alone = np.flatnonzero(reached & (ties.size == 1))
    worth[alone] = at_rank(gains[alone], batch.rank[alone])
    in_ties = np.flatnonzero(reached & (ties.size > 1))
    for ranks in ranks_of(batch, in_ties, last):
        # What a gain of 1 is worth at each rank of a tie, on average: so much has each document of the tie.
        worth_of_1 = at_rank(np.ones(len(ranks.rank)), ranks.rank)
        mean = ranks.average(worth_of_1)
        worth[ranks.documents] = gains[ranks.documents] * mean[ranks.of_document]
    return batch.sum_by_topic(worth)


@dataclass(frozen=True, eq=False)
class RanksOfTies:
    """The ranks of E ties, and the documents in them.

    rank, number            (N,) every rank that counts of every tie, and the number of its tie
    size                    (E,) documents in each tie
    documents, of_document  (K,) those of the batch that are in them, and the number of the tie of each
    """

    rank: IntArray
    number: IntArray
    size: IntArray
    documents: IntArray
    of_document: IntArray

    def of_ties(self, values: IntArray) -> IntArray:
        """Return (E,) what is the same for all documents of a tie, from values (D,) of all documents."""
        values_of_ties = np.zeros(len(self.size), values.dtype)
        values_of_ties[self.of_document] = values[self.documents]
        return values_of_ties

    def average(self, values: FloatArray) -> FloatArray:
        """Return (E,) the mean of values (N,) over the ranks of a tie; those behind the last count as 0."""
        sums = np.bincount(self.number, weights=values, minlength=len(self.size))
        return np.asarray(sums / self.size, np.float64)


def ranks_of(batch: Batch, documents: IntArray, last: IntArray) -> Iterator[RanksOfTies]:
    """Yield the ties of some documents (K,) down to the last rank (T,) of each topic, in blocks of ranks."""
    if not len(documents):
        return
    ties = ties_of(batch)
    first = ties.first[documents]
    topic_of = batch.topic_of[documents]
    heads = heads_of_ties(first, topic_of)
    # The number of the tie of each document.
    tie_of = np.cumsum(np.bincount(heads, minlength=len(documents))) - 1
    begin = first[heads]
    size = ties.size[documents[heads]]
    num_ranks = np.minimum(size, last[topic_of[heads]] - begin + 1)
    for start, stop in blocks(np.concatenate(([0], np.cumsum(num_ranks)))):
        rank, offsets = rows_of_stretches(begin[start:stop], num_ranks[start:stop])
        inside = slice(*np.searchsorted(tie_of, (start, stop)).tolist())
        yield RanksOfTies(
            rank=rank,
            number=np.repeat(np.arange(stop - start), np.diff(offsets)),
            size=size[start:stop],
            documents=documents[inside],
            of_document=tie_of[inside] - start,
        )


def counted_in_ties(batch: Batch, chosen: BoolArray) -> tuple[IntArray, IntArray]:
    """Return (D,) how many of the chosen documents are in each document's tie, and in all ties before it."""
    width = int(batch.num_ret.max(initial=0)) + 2
    tie_keys = batch.topic_of * width + ties_of(batch).first  # topic and tie are one number, which ascends
    running = np.concatenate(([0], np.cumsum(chosen)))
    tie_begins = np.searchsorted(tie_keys, tie_keys, "left")
    tie_ends = np.searchsorted(tie_keys, tie_keys, "right")
    topic_begins = batch.offsets[:-1][batch.topic_of]
    inside: IntArray = running[tie_ends] - running[tie_begins]
    before: IntArray = running[tie_begins] - running[topic_begins]
    return inside, before

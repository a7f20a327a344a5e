"""Ties that a cutoff or the end of the ranking cuts: s of m documents are seen, R of the m are relevant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.places import counted_in_ties, last_rank, ties_of
from pres_eval.records import dataclass


@dataclass(frozen=True)
class CutTie:
    """The tie of one topic that is cut.

    topic             its index in the batch
    first, size       the rank at which the tie begins, and its documents
    seen              documents of it that are among the ranks that count, fewer than all
    relevant, before  relevant documents in the tie, and in all ties before it
    """

    topic: int
    first: int
    size: int
    seen: int
    relevant: int
    before: int


def is_cut(batch: Batch, last: IntArray) -> BoolArray:
    """Return (D,) whether the document is in a tie that the last rank (T,) of its topic cuts."""
    ties = ties_of(batch)
    end = last[batch.topic_of]
    return np.asarray((ties.first <= end) & (ties.first + ties.size - 1 > end), np.bool_)


def cut_ties(batch: Batch, cutoff: int | IntArray) -> Iterator[CutTie]:
    """Yield those with relevant documents, one a topic at the most; a cutoff for all or (T,) for each."""
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    rows = np.flatnonzero(batch.is_rel & is_cut(batch, last))
    if not len(rows):
        return
    inside, before = counted_in_ties(batch, batch.is_rel)
    topics, heads = np.unique(batch.topic_of[rows], return_index=True)
    for topic, row in zip(topics.tolist(), rows[heads].tolist(), strict=True):
        yield CutTie(
            topic=topic,
            first=int(ties.first[row]),
            size=int(ties.size[row]),
            seen=int(last[topic] - ties.first[row]) + 1,
            relevant=int(inside[row]),
            before=int(before[row]),
        )


def relevant_in_whole_ties(batch: Batch, cutoff: int | IntArray) -> BoolArray:
    """Return (D,) the relevant documents that are among the first ranks whatever the order."""
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    return batch.is_rel & (ties.first + ties.size - 1 <= last[batch.topic_of])


def chances(seen: int, size: int, relevant: int) -> tuple[IntArray, FloatArray]:
    """Return the possible numbers (n,) of R relevant documents of m among s of them; probabilities (n,).

    The hypergeometric distribution, from the ratios of neighbours outwards from the most probable number: no
    factorial has to be known.
    """
    least = max(0, seen - (size - relevant))
    most = min(seen, relevant)
    number = np.arange(least, most + 1)
    k = number.astype(float)
    rises = (relevant - k[:-1]) * (seen - k[:-1]) / (k[1:] * (size - relevant - seen + k[1:]))
    peak = int(np.searchsorted(-rises, -1.0, "right"))
    weight = np.ones(len(k))
    weight[peak + 1 :] = np.multiply.accumulate(rises[peak:])
    weight[:peak] = np.multiply.accumulate(1.0 / rises[:peak][::-1])[::-1]
    return number, weight / np.add.accumulate(weight)[-1]


def average_in_cut_ties(
    batch: Batch,
    cutoff: int | IntArray,
    values: FloatArray,
    of_tie: Callable[[CutTie, IntArray], FloatArray],
) -> FloatArray:
    """Return values (T,) of topics, where a tie is cut the mean over its relevant documents seen.

    of_tie  a tie, and how many (n,) these may be -> the values (n,) with so many
    """
    for tie in cut_ties(batch, cutoff):
        number, chance = chances(tie.seen, tie.size, tie.relevant)
        values[tie.topic] = np.add.accumulate(chance * of_tie(tie, number))[-1]
    return values


def chance_of_at_least(least: IntArray, seen: int, size: int, relevant: int) -> FloatArray:
    """Return (N,) the probabilities that `least` (N,) or more of R documents among m are among s of these."""
    number, chance = chances(seen, size, relevant)
    tail = np.concatenate((np.add.accumulate(chance[::-1])[::-1], [0.0]))
    tail[0] = 1.0
    return np.asarray(tail[np.clip(least - number[0], 0, len(number))], np.float64)

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

    topic             index of the topic in the batch
    first, size       f and m: the rank at which the tie begins, and how many documents it has
    seen              s: documents of it that are among the ranks that count, fewer than all
    relevant, before  R: relevant documents in the tie; and those in all ties before it
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
    last_rank_of_topic = last[batch.topic_of]
    last_rank_of_tie = ties.first + ties.size - 1
    is_begun = ties.first <= last_rank_of_topic
    return np.asarray(is_begun & (last_rank_of_tie > last_rank_of_topic), np.bool_)


def cut_ties(batch: Batch, cutoff: int | IntArray) -> Iterator[CutTie]:
    """Yield the ties with relevant documents that a cutoff cuts, one a topic at the most.

    cutoff  one for all topics, or (T,) for each
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    rows = np.flatnonzero(batch.is_rel & is_cut(batch, last))
    if not len(rows):
        return
    inside, before = counted_in_ties(batch, batch.is_rel)
    topics, first_of_topic = np.unique(batch.topic_of[rows], return_index=True)
    for topic, row in zip(topics.tolist(), rows[first_of_topic].tolist(), strict=True):
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
    """Return how many (n,) of R relevant documents among m may be among s of these, and probabilities (n,).

    By the hypergeometric distribution, P(k + 1) / P(k) = (R - k) (s - k) / ((k + 1) (m - R - s + k + 1)).  It
    is computed from the most probable number outwards, so that no factorial is needed.
    seen, size, relevant  s, m, R
    """
    least = max(0, seen - (size - relevant))
    most = min(seen, relevant)
    number = np.arange(least, most + 1)
    k = number[:-1].astype(float)
    next_k = number[1:].astype(float)
    ratio = (relevant - k) * (seen - k) / (next_k * (size - relevant - seen + next_k))
    # Ratios fall: the peak is where they go below 1.
    peak = int(np.searchsorted(-ratio, -1.0, "right"))
    # In proportion to the probabilities, 1 at the peak.
    weight = np.ones(len(number))
    weight[peak + 1 :] = np.multiply.accumulate(ratio[peak:])
    weight[:peak] = np.multiply.accumulate(1.0 / ratio[:peak][::-1])[::-1]
    return number, weight / np.add.accumulate(weight)[-1]


def average_in_cut_ties(
    batch: Batch,
    cutoff: int | IntArray,
    values: FloatArray,
    of_tie: Callable[[CutTie, IntArray], FloatArray],
) -> FloatArray:
    """Replace the values (T,) of topics with a cut tie by their means, and return all values.

    The mean is over the numbers of relevant documents of the tie that may be seen.
    of_tie  a tie and such numbers (n,) -> the values (n,) that the topic has with them
    """
    for tie in cut_ties(batch, cutoff):
        number, chance = chances(tie.seen, tie.size, tie.relevant)
        values[tie.topic] = np.add.accumulate(chance * of_tie(tie, number))[-1]
    return values


def chance_of_at_least(least: IntArray, seen: int, size: int, relevant: int) -> FloatArray:
    """Return (N,) the probabilities that `least` (N,) or more of R documents among m are among s of these.

    seen, size, relevant  s, m, R
    """
    number, chance = chances(seen, size, relevant)
    # The probability of each number or more, which begins with 1 and ends with 0.
    chance_from = np.concatenate((np.add.accumulate(chance[::-1])[::-1], [0.0]))
    chance_from[0] = 1.0
    index = np.clip(least - number[0], 0, len(number))
    return np.asarray(chance_from[index], np.float64)

"""Ties that a cutoff or the end of the ranking cuts: s of m documents are seen, R of the m are relevant.

Which ones are seen depends on the order of the tie, and how many relevant ones is distributed
hypergeometrically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.tied_ranks import counted_in_ties, last_rank, ties_of
from pres_eval.records import dataclass


@dataclass(frozen=True)
class CutTie:
    """The tie of one topic that is cut.

    topic            index of the topic in the batch
    first, size      f and m: the rank at which the tie begins, and how many documents it has
    seen             s: how many of its documents are seen, at least one and fewer than m
    relevant         R: relevant documents in the tie
    relevant_before  relevant documents in all ties before it
    """

    topic: int
    first: int
    size: int
    seen: int
    relevant: int
    relevant_before: int


def is_cut(batch: Batch, last: IntArray) -> BoolArray:
    """Return (D,) whether the document is in a tie that the last rank (T,) of its topic cuts."""
    ties = ties_of(batch)
    last_rank_of_topic = last[batch.topic_of]
    last_rank_of_tie = ties.first + ties.size - 1
    is_begun = ties.first <= last_rank_of_topic
    return np.asarray(is_begun & (last_rank_of_tie > last_rank_of_topic), np.bool_)


def cut_ties(batch: Batch, cutoff: int | IntArray) -> Iterator[CutTie]:
    """Yield the ties with relevant documents that a cutoff or the end of a ranking cuts: one a topic at most.

    cutoff  one for all topics, or (T,) one for each
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    rows = np.flatnonzero(batch.is_rel & is_cut(batch, last))
    if not len(rows):
        return
    rel_in_tie, rel_before_tie = counted_in_ties(batch, batch.is_rel)
    topics, first_of_topic = np.unique(batch.topic_of[rows], return_index=True)
    for topic, row in zip(topics.tolist(), rows[first_of_topic].tolist(), strict=True):
        yield CutTie(
            topic=topic,
            first=int(ties.first[row]),
            size=int(ties.size[row]),
            seen=int(last[topic] - ties.first[row]) + 1,
            relevant=int(rel_in_tie[row]),
            relevant_before=int(rel_before_tie[row]),
        )


def relevant_in_whole_ties(batch: Batch, cutoff: int | IntArray) -> BoolArray:
    """Return (D,) which relevant documents are seen in any order: no rank of their tie is behind the cutoff.

    cutoff  one for all topics, or (T,) one for each
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    return batch.is_rel & (ties.first + ties.size - 1 <= last[batch.topic_of])


def chances(seen: int, size: int, relevant: int) -> tuple[IntArray, FloatArray]:
    """Return the numbers (n,) of relevant documents that may be seen, and the probability (n,) of each.

    seen, size, relevant  s documents are seen of m, of which R are relevant
    The distribution is hypergeometric, and computed from the most probable number outwards, so that no
    factorial is needed:

        P(k + 1) / P(k) = (R - k) (s - k) / ((k + 1) (m - R - s + k + 1))
    """
    least = max(0, seen - (size - relevant))
    most = min(seen, relevant)
    number = np.arange(least, most + 1)
    k = number[:-1].astype(float)
    next_k = number[1:].astype(float)
    ratio = (relevant - k) * (seen - k) / (next_k * (size - relevant - seen + next_k))
    # Ratios fall: P is highest at the first k whose ratio is below 1.
    peak = int(np.searchsorted(-ratio, -1.0, "right"))
    # P(k) / P(peak): products of ratios to the right of the peak, of their inverses to the left.
    weight = np.ones(len(number))
    weight[peak + 1 :] = np.multiply.accumulate(ratio[peak:])
    weight[:peak] = np.multiply.accumulate(1.0 / ratio[:peak][::-1])[::-1]
    return number, weight / np.add.accumulate(weight)[-1]


def average_in_cut_ties(
    batch: Batch,
    cutoff: int | IntArray,
    values: FloatArray,
    values_with: Callable[[CutTie, IntArray], FloatArray],
) -> FloatArray:
    """Replace the values (T,) of topics with a cut tie by expected values, in place, and return all values.

    The mean is over the numbers of relevant documents of the tie that may be seen.
    values_with  a tie and such numbers (n,) -> the values (n,) that the topic has with each of them
    """
    for tie in cut_ties(batch, cutoff):
        number, chance = chances(tie.seen, tie.size, tie.relevant)
        values[tie.topic] = np.add.accumulate(chance * values_with(tie, number))[-1]
    return values


def chance_of_at_least(least: IntArray, seen: int, size: int, relevant: int) -> FloatArray:
    """Return (N,) the probabilities that `least` (N,) or more relevant documents are seen.

    seen, size, relevant  as in `chances`
    """
    number, chance = chances(seen, size, relevant)
    # The probability of each number or more: it begins with 1, and is 0 above the greatest number.
    chance_from = np.concatenate((np.add.accumulate(chance[::-1])[::-1], [0.0]))
    chance_from[0] = 1.0
    index = np.clip(least - number[0], 0, len(number))
    return np.asarray(chance_from[index], np.float64)

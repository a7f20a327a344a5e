"""Expected values of the measures of technology-assisted review."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.cut import (
    CutTie,
    average_in_cut_ties,
    chance_of_at_least,
    cut_ties,
    relevant_in_whole_ties,
)
from pres_eval.measures.expected.places import WHOLE, counted_in_ties, last_rank, ties_of
from pres_eval.measures.reading_cost import weighted_cost
from pres_eval.measures.screening import documents_to_read


def rank_in_ties(batch: Batch, number: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability (T,) that the `number`-th relevant document is retrieved, and its expected rank.

    The j-th of R documents in a tie of m is expected at its rank j (m + 1) / (R + 1).  It is among the first
    s if j or more are; the mean of its rank, counted as 0 where it is not among them, is the same times the
    probability that of R + 1 documents in a tie of m + 1 the first s + 1 hold j + 1 or more.
    """
    chance = np.zeros(len(batch))
    rank = np.zeros(len(batch))
    # The document is in a tie that is retrieved as a whole.
    ties = ties_of(batch)
    last_retrieved = last_rank(batch)[batch.topic_of]
    in_tie, before_tie = counted_in_ties(batch, batch.is_rel)
    wanted_number = number[batch.topic_of]
    tie_has_it = batch.is_rel & (before_tie < wanted_number) & (wanted_number <= before_tie + in_tie)
    tie_is_whole = ties.first + ties.size - 1 <= last_retrieved
    rows = np.flatnonzero(tie_has_it & tie_is_whole)
    topic, first_of_topic = np.unique(batch.topic_of[rows], return_index=True)
    row = rows[first_of_topic]
    j_of_topic = number[topic] - before_tie[row]
    rank_in_tie = j_of_topic * (ties.size[row] + 1) / (in_tie[row] + 1)
    chance[topic] = 1.0
    rank[topic] = ties.first[row] - 1 + rank_in_tie
    # Or in one of which only the first documents are.
    for tie in cut_ties(batch, WHOLE):
        j = int(number[tie.topic]) - tie.before
        if not 0 < j <= tie.relevant:
            continue
        (holds_j,) = chance_of_at_least(np.array([j]), tie.seen, tie.size, tie.relevant)
        (holds_next,) = chance_of_at_least(np.array([j + 1]), tie.seen + 1, tie.size + 1, tie.relevant + 1)
        if holds_j > 0:
            rank_in_cut_tie = j * (tie.size + 1) / (tie.relevant + 1) * holds_next / holds_j
            chance[tie.topic] = holds_j
            rank[tie.topic] = tie.first - 1 + rank_in_cut_tie
    return chance, rank


def last_relevant(batch: Batch) -> FloatArray:
    """Return (T,) expected last_rel: the last of k among s documents of a tie is at k (s + 1)/(k + 1)."""
    relevant_before_cut = batch.num_rel_ret.copy()
    for tie in cut_ties(batch, WHOLE):
        relevant_before_cut[tie.topic] = tie.before
    _, rank = rank_in_ties(batch, relevant_before_cut)

    def of_tie(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the rank if `number` (n,) relevant documents of the tie are retrieved."""
        last = tie.first - 1 + number * (tie.seen + 1) / (number + 1)
        return np.where(number > 0, last, rank[tie.topic])

    return average_in_cut_ties(batch, WHOLE, rank, of_tie)


def normalized_last_relevant(batch: Batch) -> FloatArray:
    """Return (T,) expected norm_last_rel."""
    return divide(last_relevant(batch), documents_to_read(batch))


def average_time_to_discovery(batch: Batch) -> FloatArray:
    """Return (T,) expected atd: each relevant document is in the middle of its tie's part that counts."""
    ties = ties_of(batch)
    whole = relevant_in_whole_ties(batch, WHOLE)
    num_found = batch.count_by_topic(whole)
    ranks = batch.sum_by_topic(ties.first + (ties.size - 1) / 2, whole)

    def of_tie(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the mean rank if `number` (n,) relevant documents of the tie are retrieved."""
        middle = tie.first - 1 + (tie.seen + 1) / 2
        sum_of_ranks = ranks[tie.topic] + number * middle
        return divide(sum_of_ranks, num_found[tie.topic] + number)

    return average_in_cut_ties(batch, WHOLE, divide(ranks, num_found), of_tie)


def total_cost_weighted(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Return (T,) the expected cost: the mean over the possible numbers of relevant documents missed.

    The cost of the expected number would not do, because the cost is not linear in that number.
    """
    missed = batch.num_rel - batch.count_by_topic(relevant_in_whole_ties(batch, WHOLE))

    def of_tie(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the cost if `number` (n,) relevant documents of the tie are retrieved."""
        topic = batch.take(tie.topic, tie.topic + 1)
        costs_of_numbers = [
            weighted_cost(topic, costs, missed[tie.topic] - np.array([k])) for k in number.tolist()
        ]
        return np.concatenate(costs_of_numbers)

    return average_in_cut_ties(batch, WHOLE, weighted_cost(batch, costs, missed), of_tie)

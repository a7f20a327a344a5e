"""Expected values of the measures of technology-assisted review.

A tie has m documents, of which R are relevant; the first s of them, in an order by chance, are retrieved.
The cutoff WHOLE means the whole ranking: there is none.
"""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.cut_ties import (
    CutTie,
    average_in_cut_ties,
    chance_of_at_least,
    cut_ties,
    relevant_in_whole_ties,
)
from pres_eval.measures.expected.tied_ranks import WHOLE, counted_in_ties, last_rank, ties_of
from pres_eval.measures.reading_cost import weighted_cost
from pres_eval.measures.screening import documents_to_read


def rank_in_ties(batch: Batch, number: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the chance (T,) that the `number`-th relevant document is retrieved, and its mean rank (T,).

    number  (T,) counted from 1
    If it is the j-th relevant one of its tie, it is expected at rank j (m + 1)/(R + 1) of the tie.  Where the
    tie is cut, it is retrieved if the first s hold j or more relevant ones, and the mean over the orders in
    which it is retrieved is

        j (m + 1)/(R + 1) P(of m + 1 with R + 1 relevant the first s + 1 hold j + 1 or more)
                        / P(of m with R relevant the first s hold j or more)

    Both numbers are 0 where it cannot be retrieved.
    """
    chance = np.zeros(len(batch))
    rank = np.zeros(len(batch))
    # First case: the document is in a tie that is retrieved as a whole.
    ties = ties_of(batch)
    last_retrieved = last_rank(batch)[batch.topic_of]
    rel_in_tie, rel_before_tie = counted_in_ties(batch, batch.is_rel)
    j_of_row = number[batch.topic_of] - rel_before_tie
    tie_has_it = batch.is_rel & (j_of_row > 0) & (j_of_row <= rel_in_tie)
    tie_is_whole = ties.first + ties.size - 1 <= last_retrieved
    rows = np.flatnonzero(tie_has_it & tie_is_whole)
    topic, first_of_topic = np.unique(batch.topic_of[rows], return_index=True)
    row = rows[first_of_topic]
    rank_in_tie = j_of_row[row] * (ties.size[row] + 1) / (rel_in_tie[row] + 1)
    chance[topic] = 1.0
    rank[topic] = ties.first[row] - 1 + rank_in_tie
    # Second case: it is in a tie that is cut.
    for tie in cut_ties(batch, WHOLE):
        j = int(number[tie.topic]) - tie.relevant_before
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
    """Return (T,) expected last_rel.

    If k relevant documents are among the s documents seen of a tie, the last of them is expected at rank
    k (s + 1)/(k + 1) of the tie.
    """
    relevant_before_cut = batch.num_rel_ret.copy()
    for tie in cut_ties(batch, WHOLE):
        relevant_before_cut[tie.topic] = tie.relevant_before
    _, rank = rank_in_ties(batch, relevant_before_cut)

    def rank_with(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the rank if `number` (n,) relevant documents of the cut tie are retrieved."""
        last = tie.first - 1 + number * (tie.seen + 1) / (number + 1)
        return np.where(number > 0, last, rank[tie.topic])

    return average_in_cut_ties(batch, WHOLE, rank, rank_with)


def normalized_last_relevant(batch: Batch) -> FloatArray:
    """Return (T,) expected norm_last_rel."""
    return divide(last_relevant(batch), documents_to_read(batch))


def average_time_to_discovery(batch: Batch) -> FloatArray:
    """Return (T,) expected atd: each relevant document counts with the middle of its tie's seen ranks."""
    ties = ties_of(batch)
    is_certain = relevant_in_whole_ties(batch, WHOLE)
    num_certain = batch.count_by_topic(is_certain)
    sum_of_certain = batch.sum_by_topic(ties.first + (ties.size - 1) / 2, is_certain)

    def mean_rank_with(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the mean rank if `number` (n,) relevant documents of the cut tie are retrieved."""
        middle = tie.first - 1 + (tie.seen + 1) / 2
        sum_of_ranks = sum_of_certain[tie.topic] + number * middle
        return divide(sum_of_ranks, num_certain[tie.topic] + number)

    return average_in_cut_ties(batch, WHOLE, divide(sum_of_certain, num_certain), mean_rank_with)


def total_cost_weighted(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Return (T,) expected total_cost_weighted: the mean over the numbers of relevant documents missed.

    costs  a and b of the measure: of a document retrieved, and of one that is read later
    The cost of the mean number would be another value, because the cost is not linear in that number.
    """
    missed_at_most = batch.num_rel - batch.count_by_topic(relevant_in_whole_ties(batch, WHOLE))

    def cost_with(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the cost if `number` (n,) relevant documents of the cut tie are retrieved."""
        topic = batch.take(tie.topic, tie.topic + 1)
        costs_of_numbers = [
            weighted_cost(topic, costs, missed_at_most[tie.topic] - np.array([k])) for k in number.tolist()
        ]
        return np.concatenate(costs_of_numbers)

    return average_in_cut_ties(batch, WHOLE, weighted_cost(batch, costs, missed_at_most), cost_with)

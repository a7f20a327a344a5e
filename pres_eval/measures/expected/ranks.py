"""Expected values of measures of the ranks of relevant documents."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, accumulate, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.cut import (
    CutTie,
    average_in_cut_ties,
    chance_of_at_least,
    cut_ties,
    is_cut,
    relevant_in_whole_ties,
)
from pres_eval.measures.expected.places import (
    WHOLE,
    counted_in_ties,
    last_rank,
    ranks_of,
    ties_of,
)


def average_precision(batch: Batch, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) expected map and map_cut.

    At a rank of a tie with R relevant documents a document is relevant with probability R/m, and then those
    at the ranks of the tie before it are with (R - 1)/(m - 1).
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    inside, before = counted_in_ties(batch, batch.is_rel)
    reached = batch.is_rel & (ties.first <= last[batch.topic_of])
    mean = np.zeros(len(batch.rank))
    alone = np.flatnonzero(reached & (ties.size == 1))
    mean[alone] = (before[alone] + 1) / batch.rank[alone]
    in_ties = np.flatnonzero(reached & (ties.size > 1))
    for ranks in ranks_of(batch, in_ties, last):
        chance_of_others = ((ranks.of_ties(inside) - 1) / (ranks.size - 1))[ranks.number]  # (R - 1)/(m - 1)
        num_ahead_in_tie = ranks.rank - ranks.of_ties(ties.first)[ranks.number]
        num_before_tie = ranks.of_ties(before)[ranks.number]
        num_relevant = num_before_tie + 1 + num_ahead_in_tie * chance_of_others
        mean[ranks.documents] = ranks.average(num_relevant / ranks.rank)[ranks.of_document]
    return divide(batch.sum_by_topic(mean, batch.is_rel), batch.num_rel)


def reciprocal_rank(batch: Batch, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) Σ P(first relevant document at r) / r.

    Of R relevant documents in a tie of m the first is at the i-th rank of it with probability
    R/(m - i + 1) Π (1 - R/(m - j + 1)) over j = 1 … i - 1.
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    inside, before = counted_in_ties(batch, batch.is_rel)
    score = np.zeros(len(batch))
    is_reached = ties.first <= last[batch.topic_of]
    in_first_tie = np.flatnonzero(batch.is_rel & (before == 0) & is_reached)
    for ranks in ranks_of(batch, in_first_tie, last):
        num_ahead_in_tie = ranks.rank - ranks.of_ties(ties.first)[ranks.number]
        num_left = ranks.size[ranks.number] - num_ahead_in_tie  # m - i + 1
        chance = np.minimum(ranks.of_ties(inside)[ranks.number] / num_left, 1.0)
        # Of each rank of a tie, the chance that no relevant document is at an earlier one of it.
        offsets = np.searchsorted(ranks.number, np.arange(len(ranks.size) + 1))
        none_before = np.ones(len(chance))
        none_before[1:] = accumulate(np.multiply, 1.0 - chance, offsets)[:-1]
        none_before[offsets[:-1]] = 1.0
        score_of_tie = np.bincount(ranks.number, weights=none_before * chance / ranks.rank)
        score[ranks.of_ties(batch.topic_of)] += score_of_tie
    return score


def variance_in_ties(batch: Batch) -> FloatArray:
    """Return (T,) the variance of the number of relevant documents retrieved, 0 where no tie is cut.

    That of the hypergeometric distribution: s R/m (1 - R/m) (m - s)/(m - 1).
    """
    variance = np.zeros(len(batch))
    for tie in cut_ties(batch, WHOLE):
        share = tie.relevant / tie.size
        share_unseen = (tie.size - tie.seen) / (tie.size - 1)
        variance[tie.topic] = tie.seen * share * (1.0 - share) * share_unseen
    return variance


def success(batch: Batch, cutoff: int) -> FloatArray:
    """Return (T,) the probability of a relevant document down to the cutoff.

    In a tie that is cut it is 1 - Π (m - i - R) / (m - i) for i = 0 … s - 1, if there is none before it.
    """
    num_certain = batch.count_by_topic(relevant_in_whole_ties(batch, cutoff))
    score = (num_certain > 0).astype(float)
    for tie in cut_ties(batch, cutoff):
        if not tie.before:
            num_left = tie.size - np.arange(tie.seen)
            chance_of_other = np.maximum(num_left - tie.relevant, 0) / num_left
            chance_of_none = np.multiply.accumulate(chance_of_other)[-1]
            score[tie.topic] = 1.0 - chance_of_none
    return score


def pairs_found(batch: Batch, cutoff: int) -> tuple[FloatArray, FloatArray]:
    """Return (T,) expected number k of relevant documents down to the cutoff, and of k (k + 1)."""
    num_certain = batch.count_by_topic(relevant_in_whole_ties(batch, cutoff)).astype(float)
    k = num_certain.copy()
    k_and_square = num_certain * (num_certain + 1)
    for tie in cut_ties(batch, cutoff):
        # Of the number x of relevant documents seen in the tie, the means of x and of x (x - 1): factorial
        # moments of the hypergeometric distribution.  Two documents at least are in a tie.
        mean = tie.seen * tie.relevant / tie.size
        mean_of_pairs = mean * (tie.seen - 1) * (tie.relevant - 1) / (tie.size - 1)
        b = tie.before
        k[tie.topic] = b + mean
        # (b + x) (b + x + 1) = b (b + 1) + (2 b + 2) x + x (x - 1)
        k_and_square[tie.topic] = b * (b + 1) + (2 * b + 2) * mean + mean_of_pairs
    return k, k_and_square


def preferred_in_ties(batch: Batch) -> FloatArray:
    """Return (R,) expected share of judged nonrelevant documents that do not come before each relevant one.

    Of the b others in its tie that were judged not relevant each number from 0 to b is as likely to come
    before it; with x of them before it the document is among the first s of the tie if x + 1 of all b + 1
    are.
    """
    ties = ties_of(batch)
    last = last_rank(batch)
    others, before = counted_in_ties(batch, batch.is_nonrel)
    n = batch.num_rel[batch.topic_of]
    most_before = np.minimum(batch.num_nonrel[batch.topic_of], n)  # min(N, n) of bpref
    # Σ min(before + x, n) for x = 0 … others: below n they rise by one, then they stay.
    num_rising = np.clip(n - before, 0, others + 1)
    sum_of_rising = num_rising * before + num_rising * (num_rising - 1) // 2
    sums = sum_of_rising + (others + 1 - num_rising) * n
    preferred: FloatArray = 1.0 - divide(sums / (others + 1), most_before)
    # In a tie that is cut, all relevant documents of it have the same value: one a topic.
    cut = np.flatnonzero(is_cut(batch, last) & batch.is_rel)
    topics, first_of_topic, topic_of_cut = np.unique(
        batch.topic_of[cut], return_index=True, return_inverse=True
    )
    values = np.empty(len(topics))
    for number, row in enumerate(cut[first_of_topic].tolist()):
        x = np.arange(int(others[row]) + 1)
        num_seen = int(last[topics[number]] - ties.first[row]) + 1
        chance_seen = chance_of_at_least(x + 1, num_seen, int(ties.size[row]), len(x))
        nonrel_before = np.minimum(before[row] + x, n[row])
        share = 1.0 - divide(nonrel_before, np.full(len(x), most_before[row]))
        values[number] = np.add.accumulate(chance_seen * share)[-1] / len(x)
    preferred[cut] = values[topic_of_cut]
    return preferred[batch.relevant_rows]


def accuracy(batch: Batch, cutoff: int | None) -> FloatArray:
    """Return (T,) expected share of pairs in the right order: in a tie, half of its pairs are."""
    last = last_rank(batch, WHOLE if cutoff is None else cutoff)
    ties = ties_of(batch)
    inside, before = counted_in_ties(batch, batch.is_rel)
    is_whole = relevant_in_whole_ties(batch, last)
    # Documents that are not relevant before each relevant one, half of those in its tie among them.
    others_before = ties.first - 1 - before + (ties.size - inside) / 2
    relevant = batch.count_by_topic(is_whole).astype(float)
    wrong_pairs = batch.sum_by_topic(others_before, is_whole)
    num_pairs = (last - relevant) * relevant
    score = np.where(relevant > 0, 1.0 - divide(wrong_pairs, num_pairs), 0.0)

    def of_tie(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the share of pairs in the right order if `number` (n,) relevant ones are seen."""
        all_relevant = relevant[tie.topic] + number
        others_before_each = tie.first - 1 - tie.before + (tie.seen - number) / 2
        all_wrong_pairs = wrong_pairs[tie.topic] + number * others_before_each
        all_pairs = (last[tie.topic] - all_relevant) * all_relevant
        return np.where(all_relevant > 0, 1.0 - divide(all_wrong_pairs, all_pairs), 0.0)

    return average_in_cut_ties(batch, last, score, of_tie)

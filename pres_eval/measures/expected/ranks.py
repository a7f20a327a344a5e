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
    for ranks in ranks_of(batch, np.flatnonzero(reached & (ties.size > 1)), last):
        others = ((ranks.of_ties(inside) - 1) / (ranks.size - 1))[ranks.number]
        ahead = ranks.rank - ranks.of_ties(ties.first)[ranks.number]
        precision = ranks.of_ties(before)[ranks.number] + 1 + ahead * others
        mean[ranks.documents] = ranks.average(precision / ranks.rank)[ranks.of_document]
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
    leading = np.flatnonzero(batch.is_rel & (before == 0) & (ties.first <= last[batch.topic_of]))
    for ranks in ranks_of(batch, leading, last):
        left = ranks.size[ranks.number] - (ranks.rank - ranks.of_ties(ties.first)[ranks.number])
        here = np.minimum(ranks.of_ties(inside)[ranks.number] / left, 1.0)
        offsets = np.searchsorted(ranks.number, np.arange(len(ranks.size) + 1))
        none_before = np.ones(len(here))
        none_before[1:] = accumulate(np.multiply, 1.0 - here, offsets)[:-1]
        none_before[offsets[:-1]] = 1.0
        share_of_tie = np.bincount(ranks.number, weights=none_before * here / ranks.rank)
        score[ranks.of_ties(batch.topic_of)] += share_of_tie
    return score


def variance_in_ties(batch: Batch) -> FloatArray:
    """Return (T,) the variance of the number of relevant documents retrieved, 0 where no tie is cut."""
    variance = np.zeros(len(batch))
    for tie in cut_ties(batch, WHOLE):
        share = tie.relevant / tie.size
        unseen = (tie.size - tie.seen) / (tie.size - 1)
        variance[tie.topic] = tie.seen * share * (1.0 - share) * unseen
    return variance


def success(batch: Batch, cutoff: int) -> FloatArray:
    """Return (T,) probability of a relevant document down to the cutoff."""
    score = (batch.count_by_topic(relevant_in_whole_ties(batch, cutoff)) > 0).astype(float)
    for tie in cut_ties(batch, cutoff):
        if not tie.before:
            left = tie.size - np.arange(tie.seen)
            none = np.multiply.accumulate(np.maximum(left - tie.relevant, 0) / left)[-1]
            score[tie.topic] = 1.0 - none
    return score


def pairs_found(batch: Batch, cutoff: int) -> tuple[FloatArray, FloatArray]:
    """Return (T,) expected number k of relevant documents down to the cutoff, and of k (k + 1)."""
    known = batch.count_by_topic(relevant_in_whole_ties(batch, cutoff)).astype(float)
    number = known.copy()
    square = known * (known + 1)
    for tie in cut_ties(batch, cutoff):
        mean = tie.seen * tie.relevant / tie.size
        # The factorial moment of the hypergeometric distribution; two documents at least are in a tie.
        twice = mean * (tie.seen - 1) * (tie.relevant - 1) / (tie.size - 1)
        number[tie.topic] = tie.before + mean
        square[tie.topic] = tie.before * (tie.before + 1) + (2 * tie.before + 2) * mean + twice
    return number, square


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
    # Σ min(before + x, n) for x = 0 … others: below n they rise by one, then they stay.
    rising = np.clip(n - before, 0, others + 1)
    sums = rising * before + rising * (rising - 1) // 2 + (others + 1 - rising) * n
    most = np.minimum(batch.num_nonrel[batch.topic_of], n)
    preferred: FloatArray = 1.0 - divide(sums / (others + 1), most)
    cut = np.flatnonzero(is_cut(batch, last) & batch.is_rel)
    topics, heads, value_of_row = np.unique(batch.topic_of[cut], return_index=True, return_inverse=True)
    values = np.empty(len(topics))
    for cut_number, row in enumerate(cut[heads].tolist()):
        count = np.arange(int(others[row]) + 1)
        seen = int(last[topics[cut_number]] - ties.first[row]) + 1
        chance = chance_of_at_least(count + 1, seen, int(ties.size[row]), len(count))
        share = 1.0 - divide(np.minimum(before[row] + count, n[row]), np.full(len(count), most[row]))
        values[cut_number] = np.add.accumulate(chance * share)[-1] / len(count)
    preferred[cut] = values[value_of_row]
    return preferred[batch.relevant_rows]


def accuracy(batch: Batch, cutoff: int | None) -> FloatArray:
    """Return (T,) expected share of pairs in the right order: in a tie, half of its pairs are."""
    last = last_rank(batch, WHOLE if cutoff is None else cutoff)
    ties = ties_of(batch)
    inside, before = counted_in_ties(batch, batch.is_rel)
    whole = relevant_in_whole_ties(batch, last)
    others_before = ties.first - 1 - before + (ties.size - inside) / 2
    relevant = batch.count_by_topic(whole).astype(float)
    wrong = batch.sum_by_topic(others_before, whole)
    score = np.where(relevant > 0, 1.0 - divide(wrong, (last - relevant) * relevant), 0.0)

    def of_tie(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the share of pairs in the right order if so many of the tie are seen (n,)."""
        all_relevant = relevant[tie.topic] + number
        more = number * (tie.first - 1 - tie.before + (tie.seen - number) / 2)
        right = 1.0 - divide(wrong[tie.topic] + more, (last[tie.topic] - all_relevant) * all_relevant)
        return np.where(all_relevant > 0, right, 0.0)

    return average_in_cut_ties(batch, last, score, of_tie)

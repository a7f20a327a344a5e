"""Expected values of measures of the ranks of relevant documents.

They are means over all orders of the documents of each tie (of equal scores).  Letters, of a tie:

    m  documents in it, judged or not      f  its first rank      R  relevant documents in it
    s  how many of its ranks count: fewer than m if a cutoff or the end of the ranking cuts it

`ranks_of` yields the ranks of ties as arrays.  A topic has A at rank 1, a tie of B, C, D at 2 to 4, and a
tie of E, F at 5 and 6; all were judged (rows 0 to 5), B, C and E are relevant, and rank 5 is the last that
counts.  For the rows 1, 2, 4 of these three there is one block, whose ties have the numbers 0 and 1:

    rank             2 3 4 5    and  tie_of_rank  0 0 0 1      offsets  0 3 4
    size             3 2        m of each tie
    documents        1 2 4      and  tie_of_document  0 0 1

Of an array with the same value for all documents of a tie, `of_ties` returns the value of each tie (2 here),
and `at_ranks` that of the tie at each rank (4 here).
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
    is_cut,
    relevant_in_whole_ties,
)
from pres_eval.measures.expected.tied_ranks import (
    WHOLE,
    counted_in_ties,
    last_rank,
    ranks_of,
    ties_of,
)
from pres_eval.measures.rbp import chance_to_stop


def average_precision(batch: Batch, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) expected map and map_cut.

    A relevant document of a tie is at each of its m ranks with probability 1/m.  If it is at rank r, each of
    the r - f ranks of the tie before it has one of the other relevant documents with probability
    (R - 1)/(m - 1).  So precision there is expected to be

        (relevant documents before the tie + 1 + (r - f) (R - 1)/(m - 1)) / r
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    rel_in_tie, rel_before_tie = counted_in_ties(batch, batch.is_rel)
    is_reached = batch.is_rel & (ties.first <= last[batch.topic_of])
    mean_precision = np.zeros(len(batch.rank))
    alone = np.flatnonzero(is_reached & (ties.size == 1))
    mean_precision[alone] = (rel_before_tie[alone] + 1) / batch.rank[alone]
    in_ties = np.flatnonzero(is_reached & (ties.size > 1))
    for ranks in ranks_of(batch, in_ties, last):
        others = ranks.at_ranks(ties.size) - 1  # m - 1
        chance_of_others = (ranks.at_ranks(rel_in_tie) - 1) / others  # (R - 1)/(m - 1)
        num_ahead_in_tie = ranks.rank - ranks.at_ranks(ties.first)  # r - f
        num_relevant = ranks.at_ranks(rel_before_tie) + 1 + num_ahead_in_tie * chance_of_others
        precision_of_tie = ranks.average(num_relevant / ranks.rank)
        mean_precision[ranks.documents] = precision_of_tie[ranks.tie_of_document]
    return divide(batch.sum_by_topic(mean_precision, batch.is_rel), batch.num_rel)


def reciprocal_rank(batch: Batch, cutoff: int = WHOLE) -> FloatArray:
    """Return (T,) expected recip_rank and recip_rank_cut: Σ P(the first relevant document is at rank r) / r.

    It is in the first tie that has a relevant document.  If none of the first i documents of the tie is
    relevant, the next one is with probability R/(m - i); so the first is at rank r = f + i with probability

        R/(m - i) Π (1 - R/(m - j))      for j = 0 … i - 1
    """
    ties = ties_of(batch)
    last = last_rank(batch, cutoff)
    rel_in_tie, rel_before_tie = counted_in_ties(batch, batch.is_rel)
    score = np.zeros(len(batch))
    is_reached = ties.first <= last[batch.topic_of]
    in_first_tie = np.flatnonzero(batch.is_rel & (rel_before_tie == 0) & is_reached)
    for ranks in ranks_of(batch, in_first_tie, last):
        i = ranks.rank - ranks.at_ranks(ties.first)
        num_left = ranks.at_ranks(ties.size) - i  # m - i
        chance = np.minimum(ranks.at_ranks(rel_in_tie) / num_left, 1.0)  # R/(m - i)
        # The chance that the first one is there: that of a reader who stops at it.
        score_of_rank = chance_to_stop(chance, ranks.offsets) / ranks.rank
        score_of_tie = np.bincount(ranks.tie_of_rank, weights=score_of_rank)
        score[ranks.of_ties(batch.topic_of)] += score_of_tie
    return score


def variance_of_relevant_retrieved(batch: Batch) -> FloatArray:
    """Return (T,) the variance of the number of relevant documents retrieved, 0 where no tie is cut.

    Where one is cut it is that of the hypergeometric distribution: s R/m (1 - R/m) (m - s)/(m - 1).
    """
    variance = np.zeros(len(batch))
    for tie in cut_ties(batch, WHOLE):
        share_relevant = tie.relevant / tie.size
        share_unseen = (tie.size - tie.seen) / (tie.size - 1)
        variance[tie.topic] = tie.seen * share_relevant * (1.0 - share_relevant) * share_unseen
    return variance


def success(batch: Batch, cutoff: int) -> FloatArray:
    """Return (T,) the probability of a relevant document down to the cutoff.

    Where the cutoff cuts a tie and no relevant document is before it, that is

        1 - Π (m - i - R)/(m - i)      for i = 0 … s - 1
    """
    num_certain = batch.count_by_topic(relevant_in_whole_ties(batch, cutoff))
    score = (num_certain > 0).astype(float)
    for tie in cut_ties(batch, cutoff):
        if tie.relevant_before == 0:
            num_left = tie.size - np.arange(tie.seen)
            chance_of_other = np.maximum(num_left - tie.relevant, 0) / num_left
            chance_of_none = np.multiply.accumulate(chance_of_other)[-1]
            score[tie.topic] = 1.0 - chance_of_none
    return score


def moments_of_found(batch: Batch, cutoff: int) -> tuple[FloatArray, FloatArray]:
    """Return (T,) the means of k and of k (k + 1), for PRES: k relevant documents are found by the cutoff.

    Where the cutoff cuts a tie, k is b + x: b relevant documents before the tie, and x of the R in it.  The
    hypergeometric distribution of x has the means

        of x          s R/m
        of x (x - 1)  s R/m (s - 1) (R - 1)/(m - 1)
    """
    num_certain = batch.count_by_topic(relevant_in_whole_ties(batch, cutoff)).astype(float)
    mean_of_k = num_certain.copy()
    mean_of_product = num_certain * (num_certain + 1)  # of k (k + 1)
    for tie in cut_ties(batch, cutoff):
        mean_of_x = tie.seen * tie.relevant / tie.size
        # m > 1: a cut tie has two documents or more.
        mean_of_pairs = mean_of_x * (tie.seen - 1) * (tie.relevant - 1) / (tie.size - 1)
        b = tie.relevant_before
        mean_of_k[tie.topic] = b + mean_of_x
        # (b + x) (b + x + 1) = b (b + 1) + (2 b + 2) x + x (x - 1)
        mean_of_product[tie.topic] = b * (b + 1) + (2 * b + 2) * mean_of_x + mean_of_pairs
    return mean_of_k, mean_of_product


def bpref_terms(batch: Batch) -> FloatArray:
    """Return the expected term of each relevant document in bpref, one for each of `batch.relevant_rows`.

    The term is 1 - min(b + x, n) / min(N, n), and 0 for a document that is not retrieved:

        n, N  relevant documents in the qrels, and those judged not relevant
        b     judged nonrelevant documents in all ties before the document's
        x     those of its own tie that come before it: of y in the tie each number 0 … y is as likely

    So the mean is over x.  Beside one nonrelevant document (y = 1, b = 0, n = N = 1) a relevant one has the
    terms 1 and 0, on average 1/2.  Where the ranking cuts the tie, each term is taken times the probability
    that the document is then retrieved: that of the tie's y + 1 documents considered, itself among them, the
    first s of the tie hold x + 1 or more.
    """
    ties = ties_of(batch)
    last = last_rank(batch)
    y, b = counted_in_ties(batch, batch.is_nonrel)
    n = batch.num_rel[batch.topic_of]
    most_before = np.minimum(batch.num_nonrel[batch.topic_of], n)  # min(N, n)
    # Σ min(b + x, n) over x = 0 … y: while below n they rise by one, then they stay.
    num_rising = np.clip(n - b, 0, y + 1)
    sum_of_rising = num_rising * b + num_rising * (num_rising - 1) // 2
    sums = sum_of_rising + (y + 1 - num_rising) * n
    terms: FloatArray = 1.0 - divide(sums / (y + 1), most_before)
    # All relevant documents of a cut tie have the same term, and a topic has one cut tie at most.
    cut = np.flatnonzero(is_cut(batch, last) & batch.is_rel)
    topics, first_of_topic, index_of_topic = np.unique(
        batch.topic_of[cut], return_index=True, return_inverse=True
    )
    term_of_topic = np.empty(len(topics))
    for index, row in enumerate(cut[first_of_topic].tolist()):
        x = np.arange(int(y[row]) + 1)
        num_seen = int(last[topics[index]] - ties.first[row]) + 1
        chance_retrieved = chance_of_at_least(x + 1, num_seen, int(ties.size[row]), len(x))
        nonrel_before = np.minimum(b[row] + x, n[row])
        term_of_x = 1.0 - divide(nonrel_before, np.full(len(x), most_before[row]))
        # `accumulate` adds in order, as all sums of doubles here.
        term_of_topic[index] = np.add.accumulate(chance_retrieved * term_of_x)[-1] / len(x)
    terms[cut] = term_of_topic[index_of_topic]
    return terms[batch.relevant_rows]


def accuracy(batch: Batch, cutoff: int | None) -> FloatArray:
    """Return (T,) expected accuracy: the share of pairs in the right order.

    A pair is a relevant document and one that is not, both down to the cutoff.  Half of the pairs inside a
    tie are expected to be in the right order.
    """
    last = last_rank(batch, WHOLE if cutoff is None else cutoff)
    ties = ties_of(batch)
    rel_in_tie, rel_before_tie = counted_in_ties(batch, batch.is_rel)
    is_certain = relevant_in_whole_ties(batch, last)
    # Documents that are not relevant before each relevant one, half of those in its tie among them.
    others_before = ties.first - 1 - rel_before_tie + (ties.size - rel_in_tie) / 2
    num_certain = batch.count_by_topic(is_certain).astype(float)
    wrong_pairs = batch.sum_by_topic(others_before, is_certain)
    num_pairs = (last - num_certain) * num_certain
    score = np.where(num_certain > 0, 1.0 - divide(wrong_pairs, num_pairs), 0.0)

    def score_with(tie: CutTie, number: IntArray) -> FloatArray:
        """Return (n,) the topic's score if `number` (n,) relevant documents of its cut tie are seen."""
        num_relevant = num_certain[tie.topic] + number
        others_before_each = tie.first - 1 - tie.relevant_before + (tie.seen - number) / 2
        all_wrong_pairs = wrong_pairs[tie.topic] + number * others_before_each
        all_pairs = (last[tie.topic] - num_relevant) * num_relevant
        return np.where(num_relevant > 0, 1.0 - divide(all_wrong_pairs, all_pairs), 0.0)

    return average_in_cut_ties(batch, last, score, score_with)

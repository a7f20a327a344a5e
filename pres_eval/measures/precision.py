"""Precision and recall at ranks, and measures made of them.

Functions named plain_… compute the same for one topic without numpy, which is faster for few documents.
Functions of measures with `takes_many` take a cutoff, or an array (C, 1) of them to return (C, T).
"""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import Numbers, relevant_within
from pres_eval.measures.parameters import BetaCutoffs, Cutoffs, Fractions

DOCUMENT_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""The ranks of trec_eval's "document level averages"."""

MULTIPLES = Fractions((0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), example="0.5,1.0")
"""The multiples of R, the number of relevant documents, at which precision is taken."""

GREATEST_EXACT_CUTOFF = 2.0**53
"""Cutoff at which higher ones are cut off: no ranking is as long, and it fits into 64 bits."""


def precision(batch: Batch, cutoff: int) -> FloatArray:
    """Share of relevant documents among the first k (precision at k).

    Formula:  P_k = rel(k) / k
      rel(k)  relevant documents down to rank k
    Range: 0 to 1; 0 if nothing is relevant.
    Notes: a ranking shorter than k counts as if documents that are not relevant followed: k stays the divisor
      (-M k -m set_P divides by what was retrieved).  With few relevant documents 1 is out of reach, so the
      mean over topics is less informative than that of Rprec or map.
    Source: trec_eval; van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7.
      ir_measures' P@k.
    """
    return divide(relevant_within(batch, cutoff), np.array(cutoff))


def recall(batch: Batch, cutoff: int) -> FloatArray:
    """Share of the topic's relevant documents among the first k (recall at k).

    Formula:  recall_k = rel(k) / n
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
    Range: 0 to 1; 0 if n is 0.
    Notes: ignores the order of the documents above rank k; PRES does not.
    Source: trec_eval; van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7.
      ir_measures' R@k.
    """
    return divide(relevant_within(batch, cutoff), batch.num_rel)


def r_precision(batch: Batch) -> FloatArray:
    """Precision at rank n, n being the number of relevant documents of the topic (R-precision).

    Formula:  Rprec = rel(n) / n
      rel(n)  relevant documents down to rank n      n  relevant documents in the qrels
    Range: 0 to 1, and 1 is always in reach; 0 if n is 0.  At rank n precision and recall are the same.
    Source: trec_eval, after TREC 1; Buckley & Voorhees, "Evaluating evaluation measure stability",
      SIGIR 2000, doi:10.1145/345508.345543.  ir_measures' Rprec.
    """
    return divide(relevant_within(batch, batch.num_rel), batch.num_rel)


def r_precision_at_multiples(batch: Batch, multiple: float) -> FloatArray:
    """Precision at multiples of n, the number of relevant documents of the topic.

    Formula:  Rprec_mult_x = rel(c) / c      with c = x n + 0.9, rounded down
      rel(c)  relevant documents down to rank c      n  relevant documents in the qrels
    Range: 0 to 1; 0 where c is below 1.
    Notes: a ranking shorter than c counts as if documents that are not relevant followed.  A run that wins at
      small multiples and loses at large ones favours precision over recall.
    Source: trec_eval.
    """
    cutoff = np.trunc(multiple * batch.num_rel + 0.9)  # below 0 for a multiple below 0
    whole_cutoff = np.clip(cutoff, 0.0, GREATEST_EXACT_CUTOFF).astype(np.int64)
    return divide(relevant_within(batch, whole_cutoff), np.maximum(cutoff, 0.0))


def relative_precision(batch: Batch, cutoff: int) -> FloatArray:
    """Precision at k as a share of the highest that could be had there.

    Formula:  relative_P_k = rel(k) / min(k, n)
      rel(k)  relevant documents down to rank k      n  relevant documents in the qrels
    Range: 0 to 1; 0 if n is 0.  It is precision as long as k is at most n, and recall after.
    Source: trec_eval.
    """
    return divide(relevant_within(batch, cutoff), np.minimum(batch.num_rel, cutoff))


def success(batch: Batch, cutoff: int) -> FloatArray:
    """1 if a relevant document is among the first k, else 0 (success at k).

    Formula:  success_k = 1 if there is a relevant document down to rank k, else 0
    Range: 0 or 1; the mean is the share of topics with an answer in the first k.
    Source: trec_eval, after Stephen Tomlinson.  ir_measures' Success@k.
    """
    return (relevant_within(batch, cutoff) > 0).astype(float)


def hits(batch: Batch, cutoff: int) -> Numbers:
    """Number of relevant documents among the first k (hits at k).

    Formula:  hits_k = rel(k)
      rel(k)  relevant documents down to rank k
    Range: from 0 to k.
    Notes: the mean over topics is the number of relevant documents that a reader of k documents sees.
    Source: ranx's hits@k.  trec_eval: none; its num_rel_ret is it for the whole ranking.
    """
    return relevant_within(batch, cutoff)


def reciprocal_rank(batch: Batch) -> FloatArray:
    """One divided by the rank of the first relevant document (its mean over topics is MRR).

    Formula:  recip_rank = 1 / r_1
      r_1  rank of the first relevant document retrieved
    Range: 0 to 1; 0 if no relevant document was retrieved.
    Notes: looks through the whole ranking; recip_rank_cut stops at a rank, as MS MARCO's MRR@10 does.
    Source: trec_eval; Kantor & Voorhees, "The TREC-5 Confusion Track: Comparing Retrieval Methods for Scanned
      Text", Information Retrieval 2, 2000, doi:10.1023/A:1009902609570.  ir_measures' RR.
    """
    return divide(np.array(1.0), rank_of_relevant(batch, 1))


def rank_of_relevant(batch: Batch, number: int | IntArray) -> IntArray:
    """Return (T,) the rank of the `number`-th relevant document of each topic, 0 if it is not retrieved.

    number  counted from 1: one for all topics, or (T,) one for each
    """
    number = np.broadcast_to(number, len(batch))
    ranks = np.zeros(len(batch), np.int64)
    topics = np.flatnonzero((number > 0) & (number <= batch.num_rel_ret))
    # Index of the document among the relevant ones of all topics.
    index = batch.relevant_places.offsets[topics] + number[topics] - 1
    ranks[topics] = batch.rank[batch.relevant_rows[index]]
    return ranks


def reciprocal_rank_cut(batch: Batch, cutoff: int) -> FloatArray:
    """One divided by the rank of the first relevant document among the first k (MRR@k).

    Formula:  recip_rank_cut_k = 1 / r_1 if r_1 ≤ k, else 0
      r_1  rank of the first relevant document retrieved
    Range: 0 to 1; 0 if there is no relevant document down to rank k.
    Notes: ir_measures' RR@k orders ties by docno ascending; here they go as everywhere, descending.
    Source: as recip_rank; with a cutoff the measure of the MS MARCO ranking tasks (k = 10 for passages, 100
      for documents).  trec_eval: none.  ir_measures' RR@k.
    """
    first = rank_of_relevant(batch, 1)
    return divide(np.array(1.0), np.where(first <= cutoff, first, 0))


def f_measure(beta: float, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return (T,) the weighted harmonic mean of precision (T,) and recall (T,), 0 if both are 0.

    beta  how many times more recall counts than precision
    """
    weight = beta * beta
    return divide((1.0 + weight) * precision * recall, weight * precision + recall)


def f_cut(batch: Batch, beta: float, cutoff: int) -> FloatArray:
    """Weighted harmonic mean of precision and recall at rank k (F measure with β).

    Formula:  F_cut_β_k = (1 + β²) P R / (β² P + R)
      P, R  precision and recall at rank k      β  how many times more recall counts than precision
    Range: 0 to 1; 0 if no relevant document is found down to rank k.
    Parameters: -m F_cut.β,k,k… with β first; -m F_cut.2 takes the usual cutoffs.  Without any, β is 1.
    Notes: set_F is over everything retrieved, and its parameter is β², not β.
    Source: van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7.  trec_eval: none.
    """
    return f_measure(beta, precision(batch, cutoff), recall(batch, cutoff))


def plain_precision(topic: RankedTopic, cutoff: int) -> float:
    """Return P of one topic."""
    return topic.relevant_within(cutoff) / cutoff


def plain_recall(topic: RankedTopic, cutoff: int) -> float:
    """Return recall of one topic."""
    relevant = topic.judged.num_rel
    return topic.relevant_within(cutoff) / relevant if relevant else 0.0


def plain_r_precision(topic: RankedTopic) -> float:
    """Return Rprec of one topic."""
    return plain_recall(topic, topic.judged.num_rel)


def plain_r_precision_at_multiples(topic: RankedTopic, multiple: float) -> float:
    """Return Rprec_mult of one topic."""
    cutoff = float(math.trunc(multiple * topic.judged.num_rel + 0.9))
    if cutoff <= 0.0:
        return 0.0
    return topic.relevant_within(int(min(cutoff, GREATEST_EXACT_CUTOFF))) / cutoff


def plain_relative_precision(topic: RankedTopic, cutoff: int) -> float:
    """Return relative_P of one topic."""
    most = min(topic.judged.num_rel, cutoff)
    return topic.relevant_within(cutoff) / most if most else 0.0


def plain_success(topic: RankedTopic, cutoff: int) -> float:
    """Return success of one topic."""
    return float(topic.relevant_within(cutoff) > 0)


def plain_hits(topic: RankedTopic, cutoff: int) -> float:
    """Return hits of one topic."""
    return float(topic.relevant_within(cutoff))


def plain_reciprocal_rank(topic: RankedTopic) -> float:
    """Return recip_rank of one topic."""
    ranks_of_relevant = topic.relevant
    return 1.0 / ranks_of_relevant[0] if ranks_of_relevant else 0.0


def plain_reciprocal_rank_cut(topic: RankedTopic, cutoff: int) -> float:
    """Return recip_rank_cut of one topic."""
    return plain_reciprocal_rank(topic) if topic.relevant_within(cutoff) else 0.0


# Traits that several of the measures share.
_AT_RANKS = frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL})
_OWN_EXPECTED = _AT_RANKS | {Trait.OWN_EXPECTED}
_RISING = _AT_RANKS | {Trait.RISES}

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "P",
        precision,
        Cutoffs(DOCUMENT_CUTOFFS),
        takes_many=True,
        traits=_RISING | _OWN_EXPECTED,
        plain=plain_precision,
    ),
    Measure(
        "recall",
        recall,
        Cutoffs(DOCUMENT_CUTOFFS),
        takes_many=True,
        traits=_RISING | _OWN_EXPECTED,
        plain=plain_recall,
    ),
    Measure(
        "Rprec",
        r_precision,
        traits=_OWN_EXPECTED,
        plain=plain_r_precision,
    ),
    Measure(
        "Rprec_mult",
        r_precision_at_multiples,
        MULTIPLES,
        traits=_OWN_EXPECTED | {Trait.MOVES_UP},
        plain=plain_r_precision_at_multiples,
    ),
    Measure(
        "relative_P",
        relative_precision,
        Cutoffs(DOCUMENT_CUTOFFS),
        takes_many=True,
        traits=_RISING | _OWN_EXPECTED,
        plain=plain_relative_precision,
    ),
    Measure(
        "success",
        success,
        Cutoffs((1, 5, 10)),
        takes_many=True,
        traits=_RISING,
        plain=plain_success,
    ),
    Measure(
        "hits",
        hits,
        Cutoffs((1, 5, 10)),
        ours=True,
        takes_many=True,
        traits=frozenset({Trait.IGNORES_TAIL, Trait.RISES, Trait.OWN_EXPECTED}),
        plain=plain_hits,
    ),
    Measure(
        "recip_rank",
        reciprocal_rank,
        traits=_RISING,
        plain=plain_reciprocal_rank,
    ),
    Measure(
        "recip_rank_cut",
        reciprocal_rank_cut,
        Cutoffs((10, 100)),
        ours=True,
        traits=_RISING,
        plain=plain_reciprocal_rank_cut,
    ),
    Measure(
        "F_cut",
        f_cut,
        BetaCutoffs((1.0,), DOCUMENT_CUTOFFS, example="2,10,100"),
        ours=True,
        traits=_RISING | _OWN_EXPECTED,
    ),
)

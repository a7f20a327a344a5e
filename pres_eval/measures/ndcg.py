"""Discounted cumulative gain, and its normalisation."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, accumulate, divide
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import discounted, gained
from pres_eval.measures.gain import (
    GradeGains,
    KeyNumbers,
    best_ranking,
    document_gains,
    grade_gains,
    highest_grades,
    score_with_gains,
)
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs, Pairs
from pres_eval.measures.precision import DOCUMENT_CUTOFFS


def _dcg(batch: Batch, gains: GradeGains) -> FloatArray:
    """Return (T,) DCG: the discounted gains of the retrieved documents, added up."""
    return gained(batch, document_gains(batch, gains), discounted)


def best_dcg(batch: Batch, gains: GradeGains) -> FloatArray:
    """Return (T,) ideal DCG, computed once for all runs on these judgements."""
    return batch.of_judgements(_compute_best_dcg, gains)


def _compute_best_dcg(batch: Batch, gains: GradeGains) -> FloatArray:
    """Return (T,) ideal DCG: the discounted gains of the best ranking, added up."""
    best = best_ranking(batch, gains)
    return best.sum_by_topic(discounted(best.gain, best.rank))


def ndcg(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Gain of the whole ranking, discounted by rank, as a share of the best possible (nDCG).

    Formula:  ndcg = DCG / ideal DCG,      DCG = Σ gain(r) / log2(1 + r)
      gain(r)    of the document at rank r: its grade, 0 if it was not judged
      ideal DCG  that of all positive gains of the qrels in descending order, however many were retrieved
    Range: 0 to 1; 0 if no gain is positive.  With negative gains it can be below 0.
    Parameters: other gains for grades, as in -m ndcg.1=3.5,2=9; they may be 0 or negative, and those with
      fractions should differ by 1 or more (trec_eval sorts them by the whole part of differences).
    Notes: the discount is log2(1 + rank) from rank 1 on, not the paper's base b; -l has no effect.  For gains
      of 2^grade - 1 see ndcg_exp_cut.
    Source: Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002,
      doi:10.1145/582415.582418.  ir_measures' nDCG.
    """
    return score_with_gains(batch, grade_gains(pairs, batch.version), _normalised_dcg)


def _normalised_dcg(batch: Batch, gains: GradeGains) -> FloatArray:
    """Return (T,) the discounted gain as a share of that of the best ranking."""
    return divide(_dcg(batch, gains), best_dcg(batch, gains))


def dcg(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Gain of the whole ranking, discounted by rank (DCG).

    Formula:  dcg = Σ gain(r) / log2(1 + r)
      gain(r)  of the document at rank r: its grade, 0 if it was not judged
    Range: from 0 up; 0 if nothing with a gain was retrieved.  With negative gains it can be below 0.
    Parameters: other gains for grades, as in -m dcg.1=3.5,2=9.
    Source: as ndcg; trec_eval 10.0.
    """
    # trec_eval 9.0.8 lacks this measure: keys of gains are read as 10.0 reads them, which is the default.
    return score_with_gains(batch, grade_gains(pairs), _dcg)


def ideal_dcg(batch: Batch, pairs: KeyNumbers) -> FloatArray:
    """Discounted gain of the best ranking that the topic could have (ideal DCG).

    Formula:  ideal_dcg = Σ gain(r) / log2(1 + r)      over the positive gains of the qrels, descending
    Range: from 0 up; 0 if no gain is positive.  It does not depend on the run.
    Parameters: other gains for grades, as in -m ideal_dcg.1=3.5,2=9.
    Source: as ndcg; trec_eval 10.0.
    """
    return best_dcg(batch, grade_gains(pairs))  # of 10.0, like dcg


def ndcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    """Gain of the first k documents, discounted by rank, as a share of the best possible there (nDCG@k).

    Formula:  ndcg_cut_k = DCG_k / ideal DCG_k,      DCG_k = Σ gain(r) / log2(1 + r)      for r = 1 … k
      gain(r)      of the document at rank r: its grade, 0 if it was not judged
      ideal DCG_k  that of the k highest grades of the qrels
    Range: 0 to 1; 0 if no grade is above 0.
    Notes: -l has no effect.  For gains of 2^grade - 1, as learning to rank has them, see ndcg_exp_cut.
    Source: as ndcg; trec_eval.  ir_measures' nDCG@k.
    """
    # Of C columns at once, `cutoff` is an array (C, 1) and the result (C, T).
    begins, lengths, running_ideal = batch.of_judgements(_running_best_dcg, int(np.max(cutoff)))
    ideal = running_ideal[begins + np.minimum(lengths, cutoff)]
    return divide(gained(batch, document_gains(batch), discounted, cutoff), ideal)


def _running_best_dcg(batch: Batch, last_rank: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return ideal DCG of each topic at each rank from 0 to `last_rank`, or to the end of its best ranking.

    As three arrays: where each topic begins in the third (T,), the length of its best ranking (T,), and the
    values of topic after topic at ranks 0, 1, 2 ….
    """
    best = best_ranking(batch, most=last_rank)
    sums = accumulate(np.add, discounted(best.gain, best.rank), best.offsets)
    begins = best.offsets[:-1]
    # Each topic gets one more sum in front, that of rank 0.
    sums_from_0 = np.insert(sums, begins, 0.0)
    return begins + np.arange(len(begins)), best.length, sums_from_0


def ndcg_exp_cut(batch: Batch, cutoff: int) -> FloatArray:
    """Normalised discounted gain of the first k documents with gains of 2^grade - 1.

    Formula:  ndcg_exp_cut_k = DCG_k / ideal DCG_k,   DCG_k = Σ (2^g(r) - 1) / log2(1 + r)   for r = 1 … k
      g(r)         grade of the document at rank r, 0 if it was not judged
      ideal DCG_k  that of the k highest grades of the qrels
    Range: 0 to 1; 0 if no grade is above 0.
    Notes: a document of grade 3 is worth seven of grade 1 where ndcg_cut has three; gdeval's NDCG is this.
      Gains are taken relative to 2^(highest grade of the topic), so no grade is too high.
    Source: Burges et al., "Learning to rank using gradient descent", ICML 2005, doi:10.1145/1102351.1102363;
      Manning, Raghavan & Schütze, "Introduction to Information Retrieval", section 8.4,
      doi:10.1017/CBO9780511809071.  trec_eval: none.  ir_measures' nDCG(dcg='exp-log2')@k.
    """
    highest = highest_grades(batch)
    best = best_ranking(batch, most=cutoff)
    gains = _exponential_gain(batch.grade, highest[batch.topic_of])
    ideal_gains = _exponential_gain(best.gain.astype(np.int64), highest[best.topic_of])
    ideal = best.sum_by_topic(discounted(ideal_gains, best.rank))
    return divide(gained(batch, gains, discounted, cutoff), ideal)


LEAST_EXPONENT = -2000
"""Lower exponents are raised to this one, as ldexp takes 32 bits: from -1075 on, 2.0 to their power is 0."""


def _exponential_gain(grade: IntArray, highest: IntArray) -> FloatArray:
    """Return (n,) (2^grade - 1) / 2^highest of grades (n,) and the highest of their topics (n,).

    The division keeps gains of high grades finite, and changes no digit of them.
    """
    exponent = np.maximum(grade, 0) - highest
    power = np.ldexp(1.0, np.maximum(exponent, LEAST_EXPONENT).astype(np.int32))  # ldexp takes 32 bits
    scaled_1 = np.ldexp(1.0, np.maximum(-highest, LEAST_EXPONENT).astype(np.int32))
    return np.asarray(power - scaled_1, np.float64)


# The `plain` functions compute the same bits for one topic without arrays: faster for few documents.


def plain_ndcg(topic: RankedTopic, pairs: KeyNumbers) -> float:
    """Return ndcg of one topic, with grades as gains; columns with `pairs` do not come here."""
    best = topic.judged.ideal[-1]  # ideal DCG at ranks 0, 1, 2 ... to the end of the best ranking
    return topic.dcg(topic.num_ret) / best if best else 0.0


def plain_ndcg_cut(topic: RankedTopic, cutoff: int) -> float:
    """Return ndcg_cut of one topic."""
    ideal = topic.judged.ideal
    best = ideal[min(cutoff, len(ideal) - 1)]
    return topic.dcg(cutoff) / best if best else 0.0


_NORMALIZED = frozenset({Trait.BOUNDED, Trait.GRADED, Trait.IGNORES_TAIL, Trait.OWN_EXPECTED})
_CUMULATED = frozenset({Trait.GRADED, Trait.IGNORES_TAIL, Trait.RISES})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "ndcg",
        ndcg,
        Pairs(),
        uses_level=False,
        traits=_NORMALIZED,
        plain=plain_ndcg,
    ),
    Measure("dcg", dcg, Pairs(), uses_level=False, traits=_CUMULATED | {Trait.OWN_EXPECTED}),
    Measure(
        "ideal_dcg",
        ideal_dcg,
        Pairs(),
        uses_level=False,
        traits=_CUMULATED | {Trait.SET, Trait.IGNORES_UNJUDGED},
    ),
    Measure(
        "ndcg_cut",
        ndcg_cut,
        Cutoffs(DOCUMENT_CUTOFFS, fraction_off=True),  # trec_eval: its own tests ask for ndcg_cut.10,20,23.4
        uses_level=False,
        takes_many=True,
        traits=_NORMALIZED,
        plain=plain_ndcg_cut,
    ),
    Measure(
        "ndcg_exp_cut",
        ndcg_exp_cut,
        Cutoffs(PAGE_CUTOFFS, or_all=True),
        ours=True,
        uses_level=False,
        whole_grades=True,
        traits=_NORMALIZED,
    ),
)

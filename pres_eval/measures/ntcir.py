"""Measures of NTCIR: Q-measure, cumulated gain, expected reciprocal rank normalised, and utility.

A document's gain is its grade; a document is relevant here if it has a gain, whatever -l says.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, accumulate, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import gained
from pres_eval.measures.gain import BestRanking, best_ranking, document_gains, highest_grades
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs
from pres_eval.measures.rbp import Powers, chance_to_stop
from pres_eval.measures.settings import GREATEST_BELOW_1, MAX_REL, MeasureSettings, Setting
from pres_eval.options import LARGEST_LONG
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class GainedDocuments:
    """N documents of T topics with their gains, in rank order within a topic.

    offsets   (T+1,) where each topic's documents begin
    topic_of  (N,) index of each document's topic
    rank      (N,) from 1; ranks whose documents have no gain may be left out
    gain      (N,) of each document
    """

    offsets: IntArray
    topic_of: IntArray
    rank: IntArray
    gain: FloatArray

    def sum_by_topic(self, values: FloatArray, chosen: IntArray) -> FloatArray:
        """Add up values (N,) of the chosen documents (C,) in each topic, one after the other: (T,) out."""
        sums = np.bincount(self.topic_of[chosen], values[chosen], len(self.offsets) - 1)
        return sums.astype(np.float64, copy=False)


def blended_ratios(documents: GainedDocuments, best: BestRanking, beta: float) -> FloatArray:
    """Return (N,) the blended ratio at each document's rank r: (rel(r) + β cg(r)) / (r + β ideal cg(r)).

    rel(r)       documents with a gain down to rank r
    cg(r)        their gains added up
    ideal cg(r)  the r highest gains of the topic added up
    """
    has_gain = (documents.gain > 0).astype(float)
    rel = accumulate(np.add, has_gain, documents.offsets)
    cg = accumulate(np.add, documents.gain, documents.offsets)
    running_best = accumulate(np.add, best.gain, best.offsets)
    ideal_cg = best.up_to(documents.topic_of, documents.rank, running_best)
    return divide(rel + beta * cg, documents.rank + beta * ideal_cg)


def mean_blended_ratio(documents: GainedDocuments, best: BestRanking, beta: float, cutoff: int) -> FloatArray:
    """Return (T,) 1/min(n, k) Σ of the blended ratios at the relevant documents down to the cutoff k.

    n  relevant documents of the topic: those with a gain
    """
    ratios = blended_ratios(documents, best, beta)
    relevant = np.flatnonzero((documents.gain > 0) & (documents.rank <= cutoff))
    return divide(documents.sum_by_topic(ratios, relevant), np.minimum(best.length, cutoff))


def _retrieved(batch: Batch) -> GainedDocuments:
    """Return the judged documents that were retrieved, with their gains."""
    return GainedDocuments(batch.offsets, batch.topic_of, batch.rank, document_gains(batch))


def q_measure(batch: Batch, beta: float) -> FloatArray:
    """Precision blended with the share of the gain there is, at each relevant document (Q-measure).

    Formula:  q_measure = 1/n Σ (rel(r) + β cg(r)) / (r + β ideal cg(r))      over the relevant documents
      n            documents with a grade above 0 in the qrels, which are the relevant ones
      r            rank of a relevant document that was retrieved
      rel(r)       relevant documents down to rank r
      cg(r)        their grades added up
      ideal cg(r)  the r highest grades of the qrels added up
      β            how much gains count beside precision, 1 unless given
    Range: 0 to 1; 0 if n is 0 or nothing relevant was retrieved.
    Parameter: -m q_measure.beta=0.5; with 0 it is map.
    Notes: -l has no effect.  Gains of NTCIREVAL (-g 1:2:3) are the grades here.
    Source: Sakai, "On the reliability of information retrieval metrics based on graded relevance",
      Information Processing & Management 43(2), 2007, doi:10.1016/j.ipm.2006.07.020; NTCIREVAL.
      trec_eval: none.
    """
    return mean_blended_ratio(_retrieved(batch), best_ranking(batch), beta, LARGEST_LONG)


def q_measure_cut(batch: Batch, cutoff: int, beta: float) -> FloatArray:
    """Precision blended with the share of the gain there is, at the relevant documents of the first k (Q@k).

    Formula:  q_measure_cut_k = 1/min(n, k) Σ (rel(r) + β cg(r)) / (r + β ideal cg(r))
      n            documents with a grade above 0 in the qrels, which are the relevant ones
      r            rank of a relevant document, down to rank k
      rel(r)       relevant documents down to rank r
      cg(r)        their grades added up
      ideal cg(r)  the r highest grades of the qrels added up
      β            how much gains count beside precision, 1 unless given
    Range: 0 to 1; 0 if nothing relevant is found down to rank k.
    Parameters: -m q_measure_cut.10,20,beta=0.5.
    Notes: -l has no effect.  The divisor is the smaller of n and k, so that 1 is in reach; that of map_cut is
      n.
    Source: as q_measure.
    """
    return mean_blended_ratio(_retrieved(batch), best_ranking(batch), beta, cutoff)


def normalized_cumulated_gain(batch: Batch, cutoff: int) -> FloatArray:
    """Gain of the first k documents as a share of the highest possible there (nCG@k).

    Formula:  ncg_k = Σ gain(r) / Σ ideal gain(r)      for r = 1 … k
      gain(r)        of the document at rank r: its grade, 0 if it was not judged
      ideal gain(r)  the r-th highest grade of the qrels
    Range: 0 to 1; 0 if no grade is above 0.
    Notes: -l has no effect.  It ignores the order within the first k; ndcg_cut discounts by rank.
    Source: Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002,
      doi:10.1145/582415.582418; NTCIREVAL's nCG.  trec_eval: none.
    """
    best = best_ranking(batch, most=cutoff)
    gain_down_to_k = gained(batch, document_gains(batch), lambda gain, rank: gain, cutoff)
    return divide(gain_down_to_k, best.sum_by_topic(best.gain))


def _satisfaction(gain: FloatArray, highest: FloatArray) -> FloatArray:
    """Return (n,) R = gain / (highest + 1): the probability that a document with this gain satisfies.

    highest  (n,) the highest gain of the scale; greater gains count as this one
    """
    return divide(np.minimum(gain, highest), highest + 1.0)


def _highest_of_scale(batch: Batch, max_rel: float | None) -> FloatArray:
    """Return (T,) the highest grade of the scale: `max_rel`, or that of the topic if it is None."""
    if max_rel is not None:
        return np.full(len(batch), max_rel)
    return np.maximum(highest_grades(batch), 0).astype(float)


def normalized_err(batch: Batch, cutoff: int, max_rel: float | None) -> FloatArray:
    """Expected reciprocal rank of the first k documents as a share of the highest possible there (nERR@k).

    Formula:  nerr_k = ERR_k / ideal ERR_k,      ERR_k = Σ 1/r R_r Π (1 - R_i)      for r = 1 … k, the
              product over the ranks i before r
      R            probability that a document satisfies: grade / (max_rel + 1); 0 if it was not judged
      max_rel      the highest grade of the scale, that of the topic unless given
      ideal ERR_k  that of the grades of the qrels in descending order
    Range: 0 to 1; 0 if no grade is above 0.
    Parameters: -m nerr.10,20,max_rel=3.
    Notes: -l has no effect.  err has R = (2^grade - 1) / 2^max_rel, and is no share of the best.
    Source: Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009,
      doi:10.1145/1645953.1646033; Sakai & Song, "Evaluating diversified search results using per-intent
      graded relevance", SIGIR 2011, doi:10.1145/2009916.2010055; NTCIREVAL.  trec_eval: none.
    """
    highest = _highest_of_scale(batch, max_rel)
    satisfied = _satisfaction(document_gains(batch), highest[batch.topic_of])
    stops = chance_to_stop(satisfied, batch.offsets)
    err = batch.sum_by_topic(stops / batch.rank, batch.rank <= cutoff)
    best = best_ranking(batch, most=cutoff)
    ideal_satisfied = _satisfaction(best.gain, highest[best.topic_of])
    ideal_stops = chance_to_stop(ideal_satisfied, best.offsets)
    ideal_err = best.sum_by_topic(ideal_stops / best.rank)
    return divide(err, ideal_err)


def o_measure(batch: Batch, beta: float) -> FloatArray:
    """Blended ratio at the first relevant document, for a reader who needs one alone (O-measure).

    Formula:  o_measure = (1 + β g) / (r + β ideal cg(r))
      r            rank of the first document with a grade above 0      g  its grade
      ideal cg(r)  the r highest grades of the qrels added up
      β            how much gains count beside precision, 1 unless given
    Range: 0 to 1; 0 if nothing with a grade above 0 was retrieved.
    Parameter: -m o_measure.beta=0.5; with 0 it is recip_rank.
    Notes: -l has no effect.
    Source: Sakai, "On the properties of evaluation metrics for finding one highly relevant document", IPSJ
      Transactions on Databases 48(SIG9), 2007, after "Give me just one highly relevant document: P-measure",
      SIGIR 2006, doi:10.1145/1148170.1148322; NTCIREVAL.  trec_eval: none.
    """
    documents = _retrieved(batch)
    ratios = blended_ratios(documents, best_ranking(batch), beta)
    relevant = np.flatnonzero(documents.gain > 0)
    topics, first_of_topic = np.unique(documents.topic_of[relevant], return_index=True)
    scores = np.zeros(len(batch))
    scores[topics] = ratios[relevant[first_of_topic]]
    return scores


def intentwise_rank_biased_utility(
    batch: Batch, cutoff: int, phi: float, max_rel: float | None
) -> FloatArray:
    """Utility of the first k documents for a reader who tires, and stops when satisfied (iRBU@k).

    Formula:  irbu_k = Σ φ^r R_r Π (1 - R_i)      for r = 1 … k, the product over the ranks i before r
      R        probability that a document satisfies: grade / (max_rel + 1); 0 if it was not judged
      max_rel  the highest grade of the scale, that of the topic unless given
      φ        what is left of the utility after each rank, 0.99 unless given
    Range: 0 to φ; 0 if nothing with a grade above 0 is found down to rank k.
    Parameters: -m irbu.10,20,phi=0.95,max_rel=3.
    Notes: -l has no effect.  nerr has 1/r in the place of φ^r, and is a share of the best.
    Source: Sakai & Zeng, "Retrieval evaluation measures that agree with users' SERP preferences", TOIS 39(2),
      2021, doi:10.1145/3431813, after Amigó, Spina & Carrillo-de-Albornoz, "An axiomatic analysis of
      diversity evaluation metrics: introducing the Rank-Biased Utility metric", SIGIR 2018,
      doi:10.1145/3209978.3210024; NTCIREVAL.  trec_eval: none.
    """
    highest = _highest_of_scale(batch, max_rel)
    satisfied = _satisfaction(document_gains(batch), highest[batch.topic_of])
    powers_of_phi = Powers(phi, int(batch.num_ret.max(initial=0)) + 1)
    utility = chance_to_stop(satisfied, batch.offsets) * powers_of_phi[batch.rank]
    return batch.sum_by_topic(utility, batch.rank <= cutoff)


BETA = Setting(
    name="beta", default=1.0, expected="how much gains count beside precision, at least 0", least=0.0
)
_PHI = Setting(
    name="phi",
    default=0.99,
    expected="the share of the utility left after each rank, above 0 and below 1",
    most=GREATEST_BELOW_1,
)

_GRADED = frozenset({Trait.BOUNDED, Trait.GRADED, Trait.IGNORES_TAIL})
_ntcir = partial(Measure, ours=True, uses_level=False)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _ntcir("q_measure", q_measure, MeasureSettings((BETA,), example="beta=0.5"), traits=_GRADED),
    _ntcir(
        "q_measure_cut",
        q_measure_cut,
        MeasureSettings((BETA,), PAGE_CUTOFFS, "10,20,beta=0.5"),
        traits=_GRADED,
    ),
    _ntcir(
        "ncg",
        normalized_cumulated_gain,
        Cutoffs(PAGE_CUTOFFS, "10,20"),
        traits=_GRADED | {Trait.OWN_EXPECTED},
    ),
    _ntcir(
        "nerr",
        normalized_err,
        MeasureSettings((MAX_REL,), PAGE_CUTOFFS, "10,20,max_rel=3"),
        traits=_GRADED,
    ),
    _ntcir("o_measure", o_measure, MeasureSettings((BETA,), example="beta=0.5"), traits=_GRADED),
    _ntcir(
        "irbu",
        intentwise_rank_biased_utility,
        MeasureSettings((_PHI, MAX_REL), PAGE_CUTOFFS, "10,20,phi=0.95,max_rel=3"),
        traits=_GRADED | {Trait.RISES, Trait.OF_TOPIC_SCALE},
    ),
)

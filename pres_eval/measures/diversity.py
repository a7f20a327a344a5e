"""Novelty and diversity: measures of a ranking that should cover the subtopics of its topic (`-R subtopics`).

A document is worth what it adds: each subtopic that it is relevant to counts (1 - α)^c, c being the documents
before it that were relevant to the same subtopic.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, changed, divide
from pres_eval.batches.from_subtopics import SubtopicBatch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.novelty import (
    geometric,
    logarithmic,
    novelty,
    reciprocal,
    seen_before,
    share_of_best,
    share_of_thinkable,
)
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs, Multiples
from pres_eval.measures.settings import GREATEST_BELOW_1, MeasureSettings, Setting
from pres_eval.options import LARGEST_LONG, RelevanceInfo


def alpha_dcg(batch: SubtopicBatch, cutoff: int, alpha: float) -> FloatArray:
    """Novelty of the first k documents, discounted by rank, as a share of the highest thinkable (α-DCG).

    Formula:  alpha_DCG_k = Σ gain(r) / log2(1 + r) / Σ S (1 - α)^(r-1) / log2(1 + r)      for r = 1 … k
      gain(r)  Σ (1 - α)^c over the subtopics that the document at rank r is relevant to, c being the
               documents before it that are relevant to the same one
      α        how little a subtopic is worth that was there before, 0.5 unless given
      S        subtopics of the topic with a relevant document
    Range: 0 to 1; 0 if S is 0.
    Parameters: -m alpha_DCG.10,20,alpha=0.5.
    Notes: -l sets what is relevant.  ndeval does not divide at rank 1, and goes to rank 20 at the most.
    Source: Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR 2008,
      doi:10.1145/1390334.1390446; ndeval 4.5.  trec_eval: none.  ir_measures' alpha_DCG@k.
    """
    return share_of_thinkable(batch, cutoff, alpha, logarithmic)


def alpha_ndcg(batch: SubtopicBatch, cutoff: int, alpha: float) -> FloatArray:
    """Novelty of the first k documents, discounted by rank, as a share of the best possible there (α-nDCG).

    Formula:  alpha_nDCG_k = DCG_k / ideal DCG_k,      DCG_k = Σ gain(r) / log2(1 + r)      for r = 1 … k
      gain(r)      Σ (1 - α)^c over the subtopics that the document at rank r is relevant to, c being the
                   documents before it that are relevant to the same one
      α            how little a subtopic is worth that was there before, 0.5 unless given
      ideal DCG_k  that of a ranking which at each rank takes the judged document that adds most
    Range: 0 to 1 or a little above; 0 if nothing is relevant.
    Parameters: -m alpha_nDCG.10,20,alpha=0.5.
    Notes: -l sets what is relevant.  To take the best document at each rank need not give the best ranking,
      but nearly does.  ndeval goes to rank 20 at the most.
    Source: as alpha_DCG.  ir_measures' alpha_nDCG@k.
    """
    return share_of_best(batch, cutoff, alpha, logarithmic)


def err_ia(batch: SubtopicBatch, cutoff: int, alpha: float) -> FloatArray:
    """Expected reciprocal rank, averaged over subtopics, as a share of the highest thinkable (ERR-IA).

    Formula:  ERR_IA_k = Σ gain(r) / r / Σ S (1 - α)^(r-1) / r      for r = 1 … k
      gain(r)  Σ (1 - α)^c over the subtopics that the document at rank r is relevant to, c being the
               documents before it that are relevant to the same one
      α        probability that a relevant document satisfies, 0.5 unless given
      S        subtopics of the topic with a relevant document
    Range: 0 to 1; 0 if S is 0.
    Parameters: -m ERR_IA.10,20,alpha=0.5.
    Notes: -l sets what is relevant.  ndeval does not divide at rank 1, and goes to rank 20 at the most.
    Source: Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009,
      doi:10.1145/1645953.1646033; ndeval 4.5.  trec_eval: none.  ir_measures' ERR_IA@k.
    """
    return share_of_thinkable(batch, cutoff, alpha, reciprocal)


def nerr_ia(batch: SubtopicBatch, cutoff: int, alpha: float) -> FloatArray:
    """Expected reciprocal rank, averaged over subtopics, as a share of the best possible (nERR-IA).

    Formula:  nERR_IA_k = Σ gain(r) / r / Σ ideal gain(r) / r      for r = 1 … k
      gain(r)        as in ERR_IA, with the same α
      ideal gain(r)  that of a ranking which at each rank takes the judged document that adds most
    Range: 0 to 1 or a little above; 0 if nothing is relevant.
    Parameters: -m nERR_IA.10,20,alpha=0.5.
    Notes: -l sets what is relevant.  ndeval goes to rank 20 at the most.
    Source: as ERR_IA.  ir_measures' nERR_IA@k.
    """
    return share_of_best(batch, cutoff, alpha, reciprocal)


def nrbp(batch: SubtopicBatch, alpha: float, beta: float) -> FloatArray:
    """Novelty collected by a reader who goes on with probability β (novelty- and rank-biased precision).

    Formula:  NRBP = (1 - (1 - α) β) / S Σ gain(r) β^(r-1)
      gain(r)  Σ (1 - α)^c over the subtopics that the document at rank r is relevant to, c being the
               documents before it that are relevant to the same one
      α        how little a subtopic is worth that was there before, 0.5 unless given
      β        probability to go on to the next document, 0.5 unless given
      S        subtopics of the topic with a relevant document
    Range: 0 to 1; 0 if S is 0.
    Parameters: -m NRBP.alpha=0.5,beta=0.8.
    Notes: -l sets what is relevant.
    Source: Clarke, Kolla & Vechtomova, "An effectiveness measure for ambiguous and underspecified queries",
      ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; ndeval 4.5.  trec_eval: none.  ir_measures' NRBP.
    """
    gained = novelty(batch.hits, LARGEST_LONG, alpha, geometric(beta))
    scale = np.array(1.0 - (1.0 - alpha) * beta)
    return gained * divide(scale, batch.num_subtopics)


def nnrbp(batch: SubtopicBatch, alpha: float, beta: float) -> FloatArray:
    """Novelty- and rank-biased precision as a share of that of the best ranking.

    Formula:  nNRBP = Σ gain(r) β^(r-1) / Σ ideal gain(r) β^(r-1)
      gain(r)        as in NRBP, with the same α and β
      ideal gain(r)  that of a ranking which at each rank takes the judged document that adds most
    Range: 0 to 1 or a little above; 0 if nothing is relevant.
    Parameters: -m nNRBP.alpha=0.5,beta=0.8.
    Notes: -l sets what is relevant.
    Source: as NRBP.  ir_measures' nNRBP.
    """
    return share_of_best(batch, LARGEST_LONG, alpha, geometric(beta))


def ap_ia(batch: SubtopicBatch) -> FloatArray:
    """Average precision, averaged over the subtopics that have a relevant document (MAP-IA).

    Formula:  AP_IA = 1/S Σ_s AP_s,   AP_s = 1/n_s Σ i / r_i
      S    subtopics of the topic with a relevant document      n_s  documents relevant to subtopic s
      r_i  rank of the i-th of them; those not retrieved add 0
    Range: 0 to 1; 0 if S is 0.
    Notes: -l sets what is relevant.
    Source: Agrawal, Gollapudi, Halverson & Ieong, "Diversifying search results", WSDM 2009,
      doi:10.1145/1498759.1498766; ndeval 4.5.  trec_eval: none.  ir_measures' AP_IA.
    """
    hits = batch.hits
    i = seen_before(hits) + 1
    precision = i / hits.position
    subtopic_of = batch.offsets[hits.topic_of] + hits.subtopic
    sums = np.bincount(subtopic_of, precision, len(batch.num_rel))
    return _mean_over_subtopics(batch, divide(sums, batch.num_rel))


def p_ia(batch: SubtopicBatch, cutoff: int) -> FloatArray:
    """Precision at k, averaged over the subtopics that have a relevant document (P-IA).

    Formula:  P_IA_k = 1/S Σ_s h_s / k
      S    subtopics of the topic with a relevant document
      h_s  documents down to rank k that are relevant to subtopic s
    Range: 0 to 1; 0 if S is 0.
    Notes: -l sets what is relevant.  A ranking shorter than k counts as if irrelevant documents followed.
    Source: as AP_IA.  ir_measures' P_IA@k.
    """
    topic_of_hits = batch.hits.topic_of[batch.hits.position <= cutoff]
    counts = np.bincount(topic_of_hits, minlength=len(batch))
    count_if_all_relevant = (batch.num_subtopics * float(cutoff)).astype(np.float64)
    return divide(counts, count_if_all_relevant)


def facet_recall(batch: SubtopicBatch, multiple: int, more: int) -> FloatArray:
    """Recall of each subtopic at rank aR + b, averaged over the subtopics (facet recall).

    Formula:  facet_recall_aR+b = 1/S Σ_s rel_s(a R + b) / n_s
      R         documents relevant to at least one subtopic      S  subtopics with a relevant document
      rel_s(k)  documents down to rank k that are relevant to subtopic s      n_s  all of these
    Range: 0 to 1; 0 if S is 0.
    Parameters: a and b, as in -m facet_recall.1R+0,2R+100; 4R is 4R+0.
    Notes: -l sets what is relevant.
    Source: Roegiest, Cormack, Clarke & Grossman, "TREC 2015 Total Recall Track Overview", TREC 2015;
      total_recall_eval.py of that track.  trec_eval: none.
    """
    hits = batch.hits
    judged = batch.judged
    is_first_of_document = changed(judged.topic_of, judged.position)
    num_relevant = np.bincount(judged.topic_of[is_first_of_document], minlength=len(batch))
    last_rank = num_relevant * multiple + more
    is_within = hits.position <= last_rank[hits.topic_of]
    subtopic_of = batch.offsets[hits.topic_of] + hits.subtopic
    counts = np.bincount(subtopic_of[is_within], minlength=len(batch.num_rel))
    return _mean_over_subtopics(batch, divide(counts, batch.num_rel))


def _mean_over_subtopics(batch: SubtopicBatch, values: FloatArray) -> FloatArray:
    """Return (T,) mean of the values (S,) of each topic's subtopics that have a relevant document."""
    # Subtopics without a relevant document add nothing: their values are 0.
    sums = np.bincount(batch.topic_of_group, values, len(batch))
    return divide(sums, batch.num_subtopics)


def subtopic_recall(batch: SubtopicBatch, cutoff: int) -> FloatArray:
    """Share of the subtopics that the first k documents cover (subtopic recall).

    Formula:  StRecall_k = s / S
      s  subtopics to which a document down to rank k is relevant
      S  subtopics of the topic with a relevant document
    Range: 0 to 1; 0 if S is 0.
    Notes: -l sets what is relevant.
    Source: Zhai, Cohen & Lafferty, "Beyond independent relevance: methods and evaluation metrics for subtopic
      retrieval", SIGIR 2003, doi:10.1145/860435.860440; ndeval 4.5.  trec_eval: none.  ir_measures'
      StRecall@k.
    """
    is_first_of_subtopic = seen_before(batch.hits) == 0
    covers_subtopic = is_first_of_subtopic & (batch.hits.position <= cutoff)
    num_covered = np.bincount(batch.hits.topic_of[covers_subtopic], minlength=len(batch))
    return divide(num_covered, batch.num_subtopics)


_ALPHA = Setting(
    name="alpha",
    default=0.5,
    expected="the penalty for a repeated subtopic, 0 to 1",
    least=0.0,
    most=1.0,
)
_BETA = Setting(
    name="beta",
    default=0.5,
    expected="the reader's patience, at least 0 and below 1",
    least=0.0,
    most=GREATEST_BELOW_1,
)
_AT_RANKS = MeasureSettings((_ALPHA,), PAGE_CUTOFFS, "10,20,alpha=0.5")
_PATIENT = MeasureSettings((_ALPHA, _BETA), example="alpha=0.5,beta=0.8")
_of_subtopics = partial(
    Measure,
    relevance=RelevanceInfo.SUBTOPICS,
    ours=True,
    traits=frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL}),
)
# A greedy ranking is not quite the best one, so these can be a little above 1.
_share_of_best_possible = partial(_of_subtopics, traits=frozenset({Trait.IGNORES_TAIL}))

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _of_subtopics("alpha_DCG", alpha_dcg, _AT_RANKS),
    _share_of_best_possible("alpha_nDCG", alpha_ndcg, _AT_RANKS),
    _of_subtopics("ERR_IA", err_ia, _AT_RANKS),
    _share_of_best_possible("nERR_IA", nerr_ia, _AT_RANKS),
    _of_subtopics("NRBP", nrbp, _PATIENT),
    _share_of_best_possible("nNRBP", nnrbp, _PATIENT),
    _of_subtopics("AP_IA", ap_ia),
    _of_subtopics("P_IA", p_ia, Cutoffs(PAGE_CUTOFFS)),
    _of_subtopics("StRecall", subtopic_recall, Cutoffs(PAGE_CUTOFFS)),
    _of_subtopics("facet_recall", facet_recall, Multiples()),
)

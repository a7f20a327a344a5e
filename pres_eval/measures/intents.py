"""Measures of intents with grades: a document gains for all intents of its topic (`-R subtopics`).

The subtopics of a topic that have a relevant document are its intents, each as probable as the others.  The
global gain of a document is the mean of its grades over the intents, 0 for one that it is not relevant to.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, changed, divide
from pres_eval.batches.from_subtopics import Hits, SubtopicBatch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import discounted
from pres_eval.measures.diversity import subtopic_recall
from pres_eval.measures.gain import BestRanking
from pres_eval.measures.ntcir import BETA, GainedDocuments, mean_blended_ratio
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs
from pres_eval.measures.settings import MeasureSettings, Setting
from pres_eval.options import RelevanceInfo


def with_global_gains(batch: SubtopicBatch, hits: Hits) -> GainedDocuments:
    """Return the documents of these pairs, in order of position, with their global gains: Σ g_i / S.

    hits  pairs of a document and an intent, with the grade g_i
    """
    is_new_document = changed(hits.topic_of, hits.position)
    document_of_pair = np.cumsum(is_new_document) - 1
    topic_of = hits.topic_of[is_new_document]
    sum_of_grades = np.bincount(document_of_pair, weights=hits.grade).astype(np.float64, copy=False)
    return GainedDocuments(
        offsets=np.searchsorted(topic_of, np.arange(len(batch) + 1)),
        topic_of=topic_of,
        rank=hits.position[is_new_document],
        gain=divide(sum_of_grades, batch.num_subtopics[topic_of]),
    )


def best_of_intents(batch: SubtopicBatch) -> BestRanking:
    """Return the best ranking: the judged documents of each topic, by descending global gains."""
    judged = with_global_gains(batch, batch.judged)
    positive = np.flatnonzero(judged.gain > 0)
    topic_of = judged.topic_of[positive]
    gain = judged.gain[positive]
    order = np.lexsort((-gain, topic_of))
    offsets = np.searchsorted(topic_of, np.arange(len(batch) + 1))
    return BestRanking(topic_of=topic_of[order], offsets=offsets, gain=gain[order])


def d_ndcg(batch: SubtopicBatch, cutoff: int) -> FloatArray:
    """Gain of the first k documents over all intents, discounted, as a share of the best possible (D-nDCG@k).

    Formula:  D_nDCG_k = DCG_k / ideal DCG_k,      DCG_k = Σ gain(r) / log2(1 + r)      for r = 1 … k
      gain(r)      of the document at rank r: Σ g_i / S, its grades for the intents added up
      S            intents: subtopics of the topic with a relevant document
      ideal DCG_k  that of the k highest gains of the judged documents
    Range: 0 to 1; 0 if nothing is relevant.
    Notes: -l sets what is relevant; a grade below it is no gain.  Intents are equally probable.
    Source: Sakai & Song, "Evaluating diversified search results using per-intent graded relevance", SIGIR
      2011, doi:10.1145/2009916.2010055; NTCIREVAL's D-measures.  trec_eval: none.
    """
    retrieved = with_global_gains(batch, batch.hits)
    best = best_of_intents(batch)
    within = np.flatnonzero(retrieved.rank <= cutoff)
    dcg = retrieved.sum_by_topic(discounted(retrieved.gain, retrieved.rank), within)
    best_gain = np.where(best.rank <= cutoff, best.gain, 0.0)
    ideal_dcg = best.sum_by_topic(discounted(best_gain, best.rank))
    return divide(dcg, ideal_dcg)


def d_q(batch: SubtopicBatch, cutoff: int, beta: float) -> FloatArray:
    """Precision blended with the share of the gain over all intents, of the first k documents (D-Q@k).

    Formula:  D_Q_k = 1/min(n, k) Σ (rel(r) + β cg(r)) / (r + β ideal cg(r))
      r            rank of a document with a gain, down to rank k
      gain         of a document: Σ g_i / S, its grades for the intents added up
      S            intents: subtopics of the topic with a relevant document
      n, rel(r)    judged documents with a gain, and those retrieved down to rank r
      cg(r)        gains down to rank r added up      ideal cg(r)  the r highest gains added up
      β            how much gains count beside precision, 1 unless given
    Range: 0 to 1; 0 if nothing is relevant.
    Parameters: -m D_Q.10,20,beta=0.5.
    Notes: -l sets what is relevant; a grade below it is no gain.  Intents are equally probable.
    Source: as D_nDCG.
    """
    retrieved = with_global_gains(batch, batch.hits)
    return mean_blended_ratio(retrieved, best_of_intents(batch), beta, cutoff)


def d_sharp_ndcg(batch: SubtopicBatch, cutoff: int, gamma: float) -> FloatArray:
    """Mean of the share of intents found and of the gain over all intents (D♯-nDCG@k).

    Formula:  Dsharp_nDCG_k = γ StRecall_k + (1 - γ) D_nDCG_k
      γ  weight of the share of intents that the first k documents cover (I-rec), 0.5 unless given
    Range: 0 to 1; 0 if nothing is relevant.
    Parameters: -m Dsharp_nDCG.10,20,gamma=0.3.
    Notes: -l sets what is relevant.
    Source: as D_nDCG.
    """
    intent_recall = subtopic_recall(batch, cutoff)
    return gamma * intent_recall + (1.0 - gamma) * d_ndcg(batch, cutoff)


def d_sharp_q(batch: SubtopicBatch, cutoff: int, gamma: float, beta: float) -> FloatArray:
    """Mean of the share of intents found and of Q-measure over all intents (D♯-Q@k).

    Formula:  Dsharp_Q_k = γ StRecall_k + (1 - γ) D_Q_k
      γ  weight of the share of intents that the first k documents cover (I-rec), 0.5 unless given
      β  how much gains count beside precision in D_Q, 1 unless given
    Range: 0 to 1; 0 if nothing is relevant.
    Parameters: -m Dsharp_Q.10,20,gamma=0.3,beta=0.5.
    Notes: -l sets what is relevant.
    Source: as D_nDCG.
    """
    intent_recall = subtopic_recall(batch, cutoff)
    return gamma * intent_recall + (1.0 - gamma) * d_q(batch, cutoff, beta)


_GAMMA = Setting(
    name="gamma",
    default=0.5,
    expected="the weight of the share of intents found, 0 to 1",
    least=0.0,
    most=1.0,
)
_of_intents = partial(
    Measure,
    relevance=RelevanceInfo.SUBTOPICS,
    ours=True,
    traits=frozenset({Trait.BOUNDED, Trait.GRADED, Trait.IGNORES_TAIL}),
)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _of_intents("D_nDCG", d_ndcg, Cutoffs(PAGE_CUTOFFS, "10,20")),
    _of_intents("D_Q", d_q, MeasureSettings((BETA,), PAGE_CUTOFFS, "10,20,beta=0.5")),
    _of_intents("Dsharp_nDCG", d_sharp_ndcg, MeasureSettings((_GAMMA,), PAGE_CUTOFFS, "10,20,gamma=0.3")),
    _of_intents(
        "Dsharp_Q", d_sharp_q, MeasureSettings((_GAMMA, BETA), PAGE_CUTOFFS, "10,20,gamma=0.3,beta=0.5")
    ),
)

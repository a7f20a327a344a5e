"""Estimates from a sample: measures of judgements that were drawn, by stratum or with a known probability.

The drawn documents represent the others of their stratum.  Documents outside of all strata count
as not relevant, as those outside of a pool do.

Axes of arrays: T topics, S strata, R documents of strata, D of these that were retrieved, which
`batch.retrieved` (D,) has by topic and rank.  In formulas R is the number of relevant documents, inferred.

`SampledBatch` explains its fields.  Most often used here:
  times (R,)             how often each document was drawn: once or never, but for a resampled batch
  worth (R,)             1/π, how many documents each one represents; 0 if it was not drawn
  drawn, relevant (S,)   documents of each stratum that were drawn, and the relevant ones of these
  begins (D,)            where in `retrieved` the topic of each document begins
  before(values) (D,)    sums of the values of the topic's documents at higher places
  max_retrieved          the last rank that counts (-M), None for all
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, divide, elementwise
from pres_eval.batches.from_samples import SampledBatch
from pres_eval.measures.base import Measure, Trait, total
from pres_eval.measures.gain import KeyNumbers, grade_gains
from pres_eval.measures.parameters import Cutoffs, Pairs
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.options import LARGEST_LONG, RelevanceInfo

ADDED_TO_RELEVANT = 0.00001
"""ε: what sample_eval.pl adds to the number of relevant documents drawn, so that no share is 0/0."""

ADDED_TO_DRAWN = 0.00003
"""3ε: what it adds to the number of documents drawn."""

WHOLE_NUMBER_TOLERANCE = 1e-9
"""How near an inferred number of documents is to a whole number that it is taken for."""


def inferred_ap(batch: SampledBatch) -> FloatArray:
    """Average precision, inferred from judgements that were drawn within strata (xinfAP).

    Formula:  xinfAP = Σ_s R_s/R · 1/r_s Σ_i P(i)      over strata s, and their relevant documents drawn i
      R_s   r_s N_s / n_s: relevant documents of the stratum, estimated; R their sum
      N_s, n_s, r_s  documents of the stratum; those drawn; those drawn and relevant
      P(i)  1/k + d/k Σ_s d_s/d (r_s' + ε)/(n_s' + 3ε): precision at rank k of document i, from the d
            documents of strata above it (d_s of stratum s, n_s' of them drawn, r_s' relevant); ε is 0.00001
    Range: 0 to about 1, with -M to R/M; 0 if no relevant document was drawn.
    Notes: -R strata.  With -M 1000, where R is above 1000, it is multiplied by R/1000: NIST's sample_eval.pl
      does so with its maxResultSize of 1000.  If all documents were drawn, it is map but for ε.
      sample_eval.pl ranks by scores in double precision, as --compat 10.0 does.
    Source: Yilmaz, Kanoulas & Aslam, "A simple and efficient sampling method for estimating AP and NDCG",
      SIGIR 2008, doi:10.1145/1390334.1390437; sample_eval.pl, there infAP.  trec_eval: none.
    """
    is_rel = batch.is_rel[batch.retrieved]
    rows = batch.retrieved[is_rel]
    precision = _expected_precision(batch)[is_rel]
    # (S,) R_s, and (T,) R.
    inferred = inferred_by_stratum(batch)
    all_inferred = batch.over_strata(inferred)
    sum_of_precisions = batch.by_stratum(precision * batch.times[rows], rows)
    mean_precision = divide(sum_of_precisions, batch.relevant)
    share = divide(inferred, all_inferred[batch.topic_of_group])
    values = batch.over_strata(share * mean_precision)
    if batch.max_retrieved:
        values = np.where(
            all_inferred > batch.max_retrieved, values * all_inferred / batch.max_retrieved, values
        )
    return values


def inferred_by_stratum(batch: SampledBatch) -> FloatArray:
    """Return (S,) r_s N_s / n_s: the relevant documents of each stratum, inferred from those drawn."""
    return divide(batch.relevant * batch.num_documents, batch.drawn)


def _expected_precision(batch: SampledBatch) -> FloatArray:
    """Return (D,) P of xinfAP: the precision at each document retrieved, should it be relevant.

        P = 1/k + d/k Σ_s d_s/d (r_s' + ε)/(n_s' + 3ε)

    k           its rank
    d           documents of strata above it
    d_s         those of stratum s; of these n_s' were drawn, and r_s' of them are relevant
    """
    retrieved = batch.retrieved
    times = batch.times[retrieved]
    times_relevant = times * batch.is_rel[retrieved]
    # The number of each document's stratum within its topic, from 0.
    stratum_of = batch.group_of[retrieved] - batch.offsets[batch.topic_of[retrieved]]
    d = np.arange(len(retrieved)) - batch.begins
    share_relevant = np.zeros(len(retrieved))
    for stratum in range(int(stratum_of.max(initial=-1)) + 1):
        in_stratum = stratum_of == stratum
        share_of_stratum = divide(batch.before(in_stratum.astype(float)), d)  # d_s/d
        relevant = batch.before(times_relevant * in_stratum) + ADDED_TO_RELEVANT  # r_s' + ε
        drawn = batch.before(times * in_stratum) + ADDED_TO_DRAWN  # n_s' + 3ε
        share_relevant += share_of_stratum * relevant / drawn
    k = batch.rank[retrieved]
    return 1 / k + d / k * share_relevant


def inferred_ndcg(batch: SampledBatch, pairs: KeyNumbers) -> FloatArray:
    """Gain of the ranking, discounted by rank, as a share of the best possible, both inferred (infNDCG).

    Formula:  infNDCG = DCG / ideal DCG,      DCG = d Σ_s d_s/d · 1/n_s' Σ_i g_i / log2(1 + k_i)
      i, g_i, k_i   documents of stratum s that were drawn, have a gain and are retrieved: gain and rank
      d_s, d, n_s'  documents of stratum s, and of all strata, that are retrieved; those of s that were drawn
      ideal DCG     of g_1 repeated R_1 times, g_2 R_2 times …, the highest gain first; R_g = Σ_s r_gs N_s/n_s
      r_gs          documents of stratum s that were drawn and have the gain g
    Range: 0 to about 1; 0 if no gain is positive.
    Parameters: other gains for grades, as in -m infNDCG.1=3.5,2=9.
    Notes: -R strata; -l has no effect.  Its ideal ranking has whole documents alone: of 2.7 inferred it takes
      2, so that the value is too high of a sample, and --intervals gives none.  -M 1000 also ends the ideal
      ranking there (but, as in sample_eval.pl, each lower grade still adds one document).
    Source: as xinfAP.  trec_eval: none.
    """
    is_drawn = batch.times > 0
    # (R,), 0 for documents that were not drawn.
    gain = np.where(is_drawn, np.maximum(batch.grade, 0), 0).astype(float)
    for grade, value in grade_gains(pairs):
        gain[(batch.grade == grade) & is_drawn] = max(value, 0.0)
    rows = batch.retrieved[gain[batch.retrieved] > 0]
    discounted = gain[rows] / _log2((batch.rank[rows] + 1).astype(np.float64))
    # (S,) each: Σ_i g_i / log2(1 + k_i), d_s, n_s'; (T,): d.
    sum_discounted = batch.by_stratum(batch.times[rows] * discounted, rows)
    num_retrieved = batch.by_stratum(np.ones(len(batch.retrieved)), batch.retrieved)
    num_drawn = batch.by_stratum(batch.times[batch.retrieved], batch.retrieved)
    all_retrieved = batch.over_strata(num_retrieved)
    share_of_stratum = divide(num_retrieved, all_retrieved[batch.topic_of_group])
    dcg = all_retrieved * batch.over_strata(divide(share_of_stratum * sum_discounted, num_drawn))
    return divide(dcg, _ideal_dcg(batch, gain))


def _log2(values: FloatArray) -> FloatArray:
    """Return (n,) logarithms as sample_eval.pl computes them: log(value) / log(2)."""
    return elementwise(math.log, values) / math.log(2)


def _ideal_dcg(batch: SampledBatch, gain: FloatArray) -> FloatArray:
    """Return (T,) ideal DCG of infNDCG: that of all documents that are inferred to have a gain.

    gain  (R,) of the documents, 0 for those that were not drawn
    """
    ideal_dcg = np.zeros(len(batch))
    num_placed = np.zeros(len(batch))
    for value in np.unique(gain[gain > 0])[::-1].tolist():
        rows = np.flatnonzero(gain == value)
        num_drawn = batch.by_stratum(batch.times[rows], rows)
        num_inferred = batch.over_strata(divide(num_drawn * batch.num_documents, batch.drawn))
        for topic in np.flatnonzero(num_inferred).tolist():
            ranks = _ranks(num_placed[topic], num_inferred[topic], batch.max_retrieved or LARGEST_LONG)
            terms = np.append(ideal_dcg[topic], value / _log2(ranks + 1))
            ideal_dcg[topic] = np.add.accumulate(terms)[-1]  # one after the other, as the script does
        num_placed += num_inferred
        # 2 + 8/3 + 4/3 are 6 documents, also if doubles add up to a little less.
        nearest = np.rint(num_placed)
        is_whole = np.abs(num_placed - nearest) < WHOLE_NUMBER_TOLERANCE
        num_placed = np.where(is_whole, nearest, num_placed)
    return ideal_dcg


def _ranks(num_placed: float, num_documents: float, cutoff: int) -> FloatArray:
    """Return the ranks (n,) of documents behind `num_placed` others, down to the first not above a cutoff.

    Neither number need be whole: 2.5 documents behind 1.5 have the ranks 2.5 and 3.5.
    """
    # sample_eval.pl: the first document counts even below the cutoff, and ranks are counted up one by one.
    # As many steps as there may be ranks, or more.
    num_steps = max(min(int(num_documents) + 2, cutoff + 1), 1)
    steps = np.ones(num_steps)
    steps[0] += num_placed
    ranks = np.add.accumulate(steps)
    last_rank = num_placed + num_documents + WHOLE_NUMBER_TOLERANCE
    ranks = ranks[ranks <= last_rank]
    num_above_cutoff = int(np.count_nonzero(ranks < cutoff))
    return ranks[: num_above_cutoff + 1]


def inferred_precision(batch: SampledBatch, cutoff: int) -> FloatArray:
    """Share of relevant documents among the first k, inferred from judgements drawn within strata.

    Formula:  iP_k = 1/k Σ_s d_s (r_s + ε) / (n_s + 3ε)      over strata s, with ε = 0.00001
      d_s, n_s, r_s  documents of the stratum down to rank k; those drawn; those drawn and relevant
    Range: 0 to about 1; a ranking that is shorter counts as filled up with nonrelevant documents.
    Parameters: the cutoffs, as in -m iP.5,10.
    Notes: -R strata.
    Source: as xinfAP; sample_eval.pl.  trec_eval: none.
    """
    return inferred_within(batch, cutoff) / cutoff


def inferred_recall(batch: SampledBatch, cutoff: int) -> FloatArray:
    """Share of the relevant documents that the first k have, both inferred.

    Formula:  irecall_k = Σ_s d_s (r_s + ε) / (n_s + 3ε) / Σ_s R_s      as in iP and xinfAP
    Range: 0 to 1, or above where the ranking has those documents of a stratum that were drawn; 0 if no
      relevant document was drawn.
    Parameters: the cutoffs, as in -m irecall.100,1000.
    Notes: -R strata.
    Source: as xinfAP.  trec_eval: none.
    """
    return divide(inferred_within(batch, cutoff), num_rel_inferred(batch))


def inferred_within(batch: SampledBatch, cutoff: int = LARGEST_LONG) -> FloatArray:
    """Return (T,) Σ_s d_s (r_s + ε) / (n_s + 3ε): the relevant documents inferred down to a rank."""
    rows = batch.retrieved[batch.rank[batch.retrieved] <= cutoff]
    d = batch.by_stratum(np.ones(len(rows)), rows)
    r = batch.by_stratum(batch.times[rows] * batch.is_rel[rows], rows)
    n = batch.by_stratum(batch.times[rows], rows)
    inferred = d * (r + ADDED_TO_RELEVANT) / (n + ADDED_TO_DRAWN)
    return batch.over_strata(inferred)


def num_rel_inferred(batch: SampledBatch) -> FloatArray:
    """Relevant documents, inferred from those that were drawn within strata.

    Formula:  inum_rel = Σ_s r_s N_s / n_s      over strata s
      N_s, n_s, r_s  documents of the stratum; those drawn; those drawn and relevant
    Range: 0 to the number of documents in strata.
    Notes: -R strata.  The value over all topics is a sum.  Topics that the run lacks add nothing, with -c
      too; sample_eval.pl adds up all topics of the judgements.
    Source: as xinfAP; sample_eval.pl.  trec_eval: none.
    """
    return batch.over_strata(inferred_by_stratum(batch))


def num_rel_ret_inferred(batch: SampledBatch) -> FloatArray:
    """Relevant documents retrieved, inferred from those of their strata that were drawn.

    Formula:  inum_rel_ret = Σ_s d_s (r_s + ε) / (n_s + 3ε)      over strata s, with ε = 0.00001
      d_s, n_s, r_s  documents of the stratum retrieved; those drawn; those drawn and relevant
    Range: 0 to the number of documents retrieved.
    Notes: -R strata.  The value over all topics is a sum.
    Source: as xinfAP; sample_eval.pl.  trec_eval: none.
    """
    return inferred_within(batch)


def stat_ap(batch: SampledBatch) -> FloatArray:
    """Average precision, estimated from documents that were drawn with known probabilities (statAP).

    Formula:  statAP = 1/R Σ_i 1/π_i · 1/k_i (1 + Σ_(k_j < k_i) 1/π_j),      R = Σ 1/π
      i, j  relevant documents drawn that are retrieved, k their ranks; R is over all relevant ones drawn
      π     probability of being drawn; of strata n_s/N_s, the share of the stratum that was
    Range: 0 or more; an estimate can be above 1.  0 if no relevant document was drawn.
    Notes: -R prels or -R strata.  In prels π is 1 for documents of methods 0 and 2, which an algorithm chose.
      The document itself counts once in the precision at its rank, where it is for sure.
    Source: Aslam & Pavlu, "A practical sampling strategy for efficient retrieval evaluation", Northeastern
      University, 2007; Carterette et al., "Evaluation over thousands of queries", SIGIR 2008,
      doi:10.1145/1390334.1390445.  trec_eval: none.
    """
    # (D,) 1/π of relevant documents drawn, 0 for others.
    inverse_probability = (batch.worth * batch.is_rel)[batch.retrieved]
    k = batch.rank[batch.retrieved]
    precision = (batch.before(inverse_probability) + 1) / k
    topic_of = batch.topic_of[batch.retrieved]
    sums = np.bincount(topic_of, inverse_probability * precision, len(batch))
    return divide(sums, stat_num_rel(batch))


def stat_num_rel(batch: SampledBatch) -> FloatArray:
    """Relevant documents, estimated from those that were drawn with known probabilities.

    Formula:  stat_num_rel = Σ 1/π      over the relevant documents drawn
      π  probability of being drawn; of strata n_s/N_s, the share of the stratum that was
    Range: 0 or more.
    Notes: -R prels or -R strata.  The value over all topics is a sum.  Topics that the run lacks add nothing,
      with -c too.
    Source: as statAP (Horvitz & Thompson, 1952, doi:10.1080/01621459.1952.10483446).  trec_eval: none.
    """
    rows = batch.relevant_rows
    return batch.over_strata(batch.by_stratum(batch.worth[rows], rows))


_of_strata = partial(
    Measure, relevance=RelevanceInfo.STRATA, ours=True, traits=frozenset({Trait.IGNORES_TAIL})
)
# Measures of -R prels take -R strata too.
_of_strata_or_prels = partial(_of_strata, relevance=RelevanceInfo.PRELS)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _of_strata("xinfAP", inferred_ap),
    _of_strata(
        "infNDCG",
        inferred_ndcg,
        Pairs(),
        uses_level=False,
        traits=frozenset({Trait.IGNORES_TAIL, Trait.TOO_HIGH_OF_SAMPLES}),
    ),
    _of_strata("iP", inferred_precision, Cutoffs(DOCUMENT_CUTOFFS)),
    _of_strata("irecall", inferred_recall, Cutoffs(DOCUMENT_CUTOFFS)),
    _of_strata("inum_rel_ret", num_rel_ret_inferred, summary=total, tells_quality=False),
    _of_strata("inum_rel", num_rel_inferred, summary=total, tells_quality=False),
    _of_strata_or_prels("statAP", stat_ap),
    _of_strata_or_prels("stat_num_rel", stat_num_rel, summary=total, tells_quality=False),
)

"""Models of readers (the C/W/L framework): what a document gives a reader who may stop after each.

A model has the probability C(i) that the reader goes on from rank i to rank i + 1.  The weight W(i) of a
rank is the share of all documents read that are at this rank, so a score is the gain for each document
read.  As in cwl_eval, a reader sees 1,000 documents at the most, and what follows the end of a ranking
is worth nothing.  rbp_cut and rbp_graded_cut alone go on to any rank.

`gain_per_document_read` lowers cutoffs above 1,000, and lets no reader go on from the last rank.  Doubles are
added one after the other (np.add.accumulate), and powers are Python's (elementwise): both as C computes them.
Axes: T topics, D documents, K ranks; in formulas T is the gain that a reader wants.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, accumulate, elementwise, log2
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.continuing import READERS_DEPTH, gain_per_document_read, insq_continues, scaled_gains
from pres_eval.measures.counting import discounted, gained
from pres_eval.measures.parameters import PAGE_CUTOFFS
from pres_eval.measures.settings import MAX_REL, MIN_REL, WANTED_GAIN, MeasureSettings, persistence

GAIN_TOLERANCE = 1e-9
"""How far rounding may leave a sum of gains below T, the wanted gain, as 6 × 1/3 below 2.

If T is above 1, it is a share of T.
"""


def scaled_dcg(batch: Batch, cutoff: int, min_rel: float, max_rel: float | None) -> FloatArray:
    """Discounted gain of the first k documents as a share of that of k perfect ones (SDCG@k).

    Formula:  sdcg_k = Σ gain(r) / log2(1 + r) / Σ 1 / log2(1 + r)      for r = 1 … k
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
    Range: 0 to 1; 0 if nothing with a gain is found down to rank k.
    Parameters: -m sdcg.10,20,max_rel=3.  max_rel is the grade that is worth 1, if not given the highest of
      the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: nDCG divides by what could be had from the topic's judgements, this by what any topic could give.
      k above 1000 is 1000, as in cwl_eval.
    Source: Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002,
      doi:10.1145/582415.582418; Moffat, Bailey, Scholer & Thomas, "Incorporating user expectations and
      behavior into the measurement of search effectiveness", TOIS 35(3), 2017, doi:10.1145/3052768; cwl_eval.
      trec_eval: none.  ir_measures' SDCG(max_rel=…)@k.
    """
    depth = min(cutoff, READERS_DEPTH)
    most = np.add.accumulate(1.0 / log2(np.arange(2, depth + 2)))[-1]
    dcg = gained(batch, scaled_gains(batch, min_rel, max_rel), discounted, depth)
    return np.asarray(dcg / most, np.float64)


def bejeweled_player(
    batch: Batch, cutoff: int, gain_wanted: float, min_rel: float, max_rel: float | None
) -> FloatArray:
    """Gain for each document of a reader who stops with enough gain, or after k documents (BPM@k).

    Formula:  bpm_k = 1/e Σ gain(r)      for r = 1 … e
      e        first rank at which the gain adds up to T, k at the most
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
    Range: 0 to 1; 0 if nothing with a gain is found down to rank k.
    Parameters: -m bpm.10,20,T=2,max_rel=3.  T is 1 unless given.  max_rel is the grade that is worth 1, if
      not given the highest of the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: the static model, in which neither T nor k changes on the way.  k above 1000 is 1000, as in
      cwl_eval.  Gains add up to T if they come within 10⁻⁹ of it: 6 × 1/3 is 2, which in cwl_eval it is not,
      whose reader then goes on to rank k.
    Source: Zhang et al., "Evaluating web search with a bejeweled player model", SIGIR 2017,
      doi:10.1145/3077136.3080841; cwl_eval.  trec_eval: none.  ir_measures' BPM(T=…,max_rel=…)@k.
    """
    k = min(cutoff, READERS_DEPTH)
    gains = np.where(batch.rank <= k, scaled_gains(batch, min_rel, max_rel), 0.0)
    running_gain = accumulate(np.add, gains, batch.offsets)
    enough = gain_wanted - GAIN_TOLERANCE * max(1.0, abs(gain_wanted))
    rows = np.flatnonzero((running_gain >= enough) & (batch.rank <= k))
    e = np.full(len(batch), k)
    np.minimum.at(e, batch.topic_of[rows], batch.rank[rows])
    sums = batch.sum_by_topic(gains, batch.rank <= e[batch.topic_of])
    return np.asarray(sums / e, np.float64)


def insq(batch: Batch, gain_wanted: float, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader who looks for T relevant ones and gets more patient (INSQ).

    Formula:  insq = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),
              C(r) = ((r + 2T - 1) / (r + 2T))²
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      W(r)     share of the documents looked at that are at rank r, over the first 1000 ranks
    Range: 0 to 1; 0 if nothing with a gain was retrieved.
    Parameters: -m insq.T=3,max_rel=3.  T is 1 unless given.  max_rel is the grade that is worth 1, if not
      given the highest of the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: what is found does not change how far the reader goes; it does in inst.
    Source: Moffat, Scholer & Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012,
      doi:10.1145/2407085.2407092; cwl_eval.  trec_eval: none.  ir_measures' INSQ(T=…,max_rel=…).
    """
    # C(1) ... C(r-1), which is W(r) but for its divisor, the sum of all.
    chance_to_reach = np.ones(READERS_DEPTH)
    continues = insq_continues(np.arange(1.0, READERS_DEPTH), gain_wanted)
    chance_to_reach[1:] = np.multiply.accumulate(continues)
    gains = scaled_gains(batch, min_rel, max_rel)
    collected = gained(batch, gains, lambda gain, rank: gain * chance_to_reach[rank - 1], READERS_DEPTH)
    num_read = np.add.accumulate(chance_to_reach)[-1]
    return np.asarray(collected / num_read, np.float64)


def inst(batch: Batch, gain_wanted: float, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader who looks for T relevant ones and stops sooner as they come (INST).

    Formula:  inst = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),
              C(r) = ((r + T + T(r) - 1) / (r + T + T(r)))²,   T(r) = T - gain down to rank r
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      W(r)     share of the documents looked at that are at rank r, over the first 1000 ranks
    Range: 0 to 1; 0 if nothing with a gain was retrieved.
    Parameters: -m inst.T=3,max_rel=3.  T is 1 unless given.  max_rel is the grade that is worth 1, if not
      given the highest of the topic; min_rel the grade that is worth 0, which it is by default.
    Source: Moffat, Bailey, Scholer & Thomas, "INST: An adaptive metric for information retrieval evaluation",
      ADCS 2015, doi:10.1145/2838931.2838938; cwl_eval.  trec_eval: none.  ir_measures' INST(T=…,max_rel=…).
    """

    def continues(rank: FloatArray, gain: FloatArray) -> FloatArray:
        """Return C(r) (T, K) after ranks (K,) with gains (T, K)."""
        still_wanted = gain_wanted - np.add.accumulate(gain, axis=1)  # T(r)
        patience = rank + gain_wanted + still_wanted
        step = (patience - 1.0) / patience
        return step * step

    return gain_per_document_read(batch, READERS_DEPTH, min_rel, max_rel, continues)


def nearly_err_truncated(batch: Batch, cutoff: int, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader whom a document satisfies with its gain, down to rank k (NERR8@k).

    Formula:  nerr8_k = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),
              C(r) = 1 - gain(r), 0 at rank k
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      W(r)     share of the documents looked at that are at rank r
    Range: 0 to 1; 0 if nothing with a gain is found down to rank k.
    Parameters: -m nerr8.10,20,max_rel=3.  max_rel is the grade that is worth 1, if not given the highest of
      the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: equation 8 of the paper, the nearest to ERR that is a C/W/L measure.  k above 1000 is 1000.
    Source: Azzopardi, Mackenzie & Moffat, "ERR is not C/W/L: Exploring the relationship between expected
      reciprocal rank and other metrics", ICTIR 2021, doi:10.1145/3471158.3472239; cwl_eval.  trec_eval: none.
      ir_measures' NERR8(max_rel=…)@k.
    """
    return gain_per_document_read(batch, cutoff, min_rel, max_rel, lambda rank, gain: 1.0 - gain)


def nearly_err_discounted(batch: Batch, cutoff: int, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader who is satisfied or tires, down to rank k (NERR9@k).

    Formula:  nerr9_k = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),
              C(r) = r / (r + 1) (1 - gain(r)), 0 at rank k
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      W(r)     share of the documents looked at that are at rank r
    Range: 0 to 1; 0 if nothing with a gain is found down to rank k.
    Parameters: as nerr8.
    Notes: equation 9 of the paper.  k above 1000 is 1000.
    Source: as nerr8.  ir_measures' NERR9(max_rel=…)@k.
    """

    def continues(rank: FloatArray, gain: FloatArray) -> FloatArray:
        """Return C(r) (T, K) after ranks (K,) with gains (T, K)."""
        return rank / (rank + 1.0) * (1.0 - gain)

    return gain_per_document_read(batch, cutoff, min_rel, max_rel, continues)


def nearly_err_persistent(batch: Batch, p: float, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader who is satisfied or leaves with probability 1 - p (NERR10).

    Formula:  nerr10 = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),   C(r) = p (1 - gain(r))
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      p        persistence, 0.9 unless given
      W(r)     share of the documents looked at that are at rank r, over the first 1000 ranks
    Range: 0 to 1; 0 if nothing with a gain was retrieved.
    Parameters: -m nerr10.p=0.8,max_rel=3.  max_rel is the grade that is worth 1, if not given the highest of
      the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: equation 10 of the paper: RBP's reader who can be satisfied.
    Source: as nerr8.  ir_measures' NERR10(p=…,max_rel=…).
    """
    return gain_per_document_read(batch, READERS_DEPTH, min_rel, max_rel, lambda rank, gain: p * (1.0 - gain))


def nearly_err_wanting(batch: Batch, gain_wanted: float, min_rel: float, max_rel: float | None) -> FloatArray:
    """Gain for each document of a reader who is satisfied, or looks for T relevant ones (NERR11).

    Formula:  nerr11 = Σ W(r) gain(r),   W(r) in proportion to C(1) … C(r-1),
              C(r) = ((r + 2T - 1) / (r + 2T))² (1 - gain(r))
      gain(r)  (grade - min_rel) / (max_rel - min_rel) of the document at rank r, from 0 to 1; 0 if it was not
               judged
      W(r)     share of the documents looked at that are at rank r, over the first 1000 ranks
    Range: 0 to 1; 0 if nothing with a gain was retrieved.
    Parameters: -m nerr11.T=3,max_rel=3.  T is 1 unless given.  max_rel is the grade that is worth 1, if not
      given the highest of the topic; min_rel the grade that is worth 0, which it is by default.
    Notes: equation 11 of the paper: INSQ's reader who can be satisfied.
    Source: as nerr8.  ir_measures' NERR11(T=…,max_rel=…).
    """

    def continues(rank: FloatArray, gain: FloatArray) -> FloatArray:
        """Return C(r) (T, K) after ranks (K,) with gains (T, K)."""
        return insq_continues(rank, gain_wanted) * (1.0 - gain)

    return gain_per_document_read(batch, READERS_DEPTH, min_rel, max_rel, continues)


def rbp_cut(batch: Batch, cutoff: int, p: float) -> FloatArray:
    """Rank-biased precision of the first k documents, relevant or not (RBP@k).

    Formula:  rbp_cut_k = (1 - p) Σ p^(r-1)      over the ranks r of the relevant documents down to rank k
      p  persistence, 0.8 unless given
    Range: 0 to 1 - p^k; 0 if nothing relevant is found down to rank k.
    Parameters: -m rbp_cut.10,20,p=0.9.
    Notes: -l sets what is relevant.  rbp is of the whole ranking, and counts grades.
    Source: Moffat & Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1),
      2008, doi:10.1145/1416950.1416952.  trec_eval: none.  ir_measures' RBP(p=…,rel=…)@k.
    """
    return _persistent(batch, batch.is_rel.astype(float), cutoff, p)


def graded_rbp_cut(batch: Batch, cutoff: int, p: float) -> FloatArray:
    """Rank-biased precision of the first k documents, by their grades (RBP@k).

    Formula:  rbp_graded_cut_k = (1 - p) Σ gain(r) p^(r-1)      for r = 1 … k
      gain(r)  of the document at rank r, 0 to 1: its grade over the highest grade of the topic
      p        persistence, 0.8 unless given
    Range: 0 to 1 - p^k; 0 if nothing with a grade above 0 is found down to rank k.
    Parameters: -m rbp_graded_cut.10,20,p=0.9.
    Notes: -l has no effect; rbp_cut counts relevant or not.
    Source: as rbp_cut.  ir_measures' RBP(p=…)@k.
    """
    return _persistent(batch, scaled_gains(batch, 0.0, None), cutoff, p)


def _persistent(batch: Batch, gains: FloatArray, cutoff: int, p: float) -> FloatArray:
    """Return (T,) (1 - p) Σ gain(r) p^(r-1) for r = 1 … cutoff, with the gains (D,) of the documents."""

    def discounted_by_p(gain: FloatArray, rank: IntArray) -> FloatArray:
        """Return gains (N,) times p^(r-1) at their ranks r (N,)."""
        return gain * elementwise(lambda r: p ** (r - 1.0), rank.astype(float))

    return (1.0 - p) * gained(batch, gains, discounted_by_p, cutoff)


# Parameters that several of the measures share: _WANTING is of readers who look for T, the wanted gain.
_GRADES = (MIN_REL, MAX_REL)
_AT_RANKS = MeasureSettings(_GRADES, PAGE_CUTOFFS, "10,20,max_rel=3")
_WANTING = MeasureSettings((WANTED_GAIN, *_GRADES), example="T=2,max_rel=3")
_PERSISTENT = MeasureSettings((persistence(0.8),), PAGE_CUTOFFS, "10,20,p=0.9")

# Traits of measures of the first documents, and of those among them that use grades.
_OF_FIRST_DOCUMENTS = frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL, Trait.RISES, Trait.OWN_EXPECTED})
_OF_FIRST_GRADES = _OF_FIRST_DOCUMENTS | {Trait.GRADED, Trait.OF_TOPIC_SCALE}
_graded_measure = partial(Measure, ours=True, uses_level=False)
# Measures of a reader who may stop because of what was found.
_stopping_measure = partial(
    _graded_measure,
    traits=frozenset({Trait.BOUNDED, Trait.GRADED, Trait.IGNORES_TAIL}),
)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure("rbp_cut", rbp_cut, _PERSISTENT, ours=True, traits=_OF_FIRST_DOCUMENTS),
    _graded_measure("rbp_graded_cut", graded_rbp_cut, _PERSISTENT, traits=_OF_FIRST_GRADES),
    _graded_measure("sdcg", scaled_dcg, _AT_RANKS, traits=_OF_FIRST_GRADES),
    _stopping_measure(
        "bpm",
        bejeweled_player,
        MeasureSettings((WANTED_GAIN, *_GRADES), PAGE_CUTOFFS, "10,20,T=2,max_rel=3"),
        best_by_grade=False,
    ),
    # RISES would promise bounds for unjudged documents, which it does not have (`bounds.WITHOUT_BOUNDS`).
    _graded_measure("insq", insq, _WANTING, traits=_OF_FIRST_GRADES - {Trait.RISES}),
    _stopping_measure("inst", inst, _WANTING),
    _stopping_measure("nerr8", nearly_err_truncated, _AT_RANKS),
    _stopping_measure("nerr9", nearly_err_discounted, _AT_RANKS),
    _stopping_measure(
        "nerr10",
        nearly_err_persistent,
        MeasureSettings((persistence(0.9), *_GRADES), example="p=0.8,max_rel=3"),
    ),
    _stopping_measure("nerr11", nearly_err_wanting, _WANTING),
)

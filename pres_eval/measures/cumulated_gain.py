"""Discounted gain of the first documents, as it is or with gains of 2^grade - 1."""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, Grades
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.counting import discounted, gained
from pres_eval.measures.gain import document_gains
from pres_eval.measures.ndcg import ndcg_cut
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs
from pres_eval.measures.settings import GainCutoffs

FIRST_INFINITE_EXPONENT = 1024
"""2.0 to the power of this is infinite; higher exponents need not fit into the 32 bits that ldexp takes."""


def dcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    """Gain of the first k documents, discounted by rank (DCG@k).

    Formula:  dcg_cut_k = Σ gain(r) / log2(1 + r)      for r = 1 … k
      gain(r)  of the document at rank r: its grade, 0 if it was not judged
    Range: from 0 up; 0 if nothing with a gain is found down to rank k.
    Notes: -l has no effect.  ndcg_cut is it as a share of the best possible; dcg that of the whole ranking.
    Source: Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002,
      doi:10.1145/582415.582418.  trec_eval: none.  ranx's dcg@k.
    """
    return gained(batch, document_gains(batch), discounted, cutoff)


def dcg_exp_cut(batch: Batch, cutoff: int) -> FloatArray:
    """Gain of the first k documents, discounted by rank, with gains of 2^grade - 1.

    Formula:  dcg_exp_cut_k = Σ (2^g(r) - 1) / log2(1 + r)      for r = 1 … k
      g(r)  grade of the document at rank r, 0 if it was not judged
    Range: from 0 up; 0 if nothing with a grade above 0 is found down to rank k; inf for grades above 1023.
    Notes: -l has no effect.  ndcg_exp_cut is it as a share of the best possible.
    Source: Burges et al., "Learning to rank using gradient descent", ICML 2005, doi:10.1145/1102351.1102363.
      trec_eval: none.  ranx's dcg_burges@k.
    """
    return gained(batch, exponential(batch.grade), discounted, cutoff)


def exponential(grades: Grades) -> FloatArray:
    """Return (n,) gains of 2^grade - 1 for grades (n,); grades below 0 count as 0."""
    exponents = np.clip(grades, 0, FIRST_INFINITE_EXPONENT).astype(np.int32)
    with np.errstate(over="ignore"):
        gains: FloatArray = np.ldexp(1.0, exponents) - 1.0
    return gains


def ndcg_gain_cut(batch: Batch, cutoff: int, gains: tuple[tuple[int, float], ...]) -> FloatArray:
    """Gain of the first k documents with gains that you choose, as a share of the best possible (nDCG@k).

    Formula:  ndcg_gain_cut_k = DCG_k / ideal DCG_k,      DCG_k = Σ gain(r) / log2(1 + r)      for r = 1 … k
      gain(r)      of the document at rank r: what its grade is given, else the grade; 0 if it was not judged
      ideal DCG_k  that of the k highest gains of the qrels
    Range: 0 to 1; 0 if no gain is above 0.
    Parameters: ranks and gains, as in -m ndcg_gain_cut.10,20,1=1,2=3,3=7.
    Notes: -l has no effect.  Gains may have fractions; one below 0 counts as 0.  ndcg takes gains for the
      whole ranking, and sorts them as trec_eval does.
    Source: as dcg_cut.  trec_eval: none.  ir_measures' nDCG(gains={…})@k.
    """
    return ndcg_cut(batch.with_gains(gains), cutoff)


_CUMULATED = frozenset({Trait.GRADED, Trait.IGNORES_TAIL, Trait.OWN_EXPECTED})
_RISING = _CUMULATED | {Trait.RISES}

_own_gain_measure = partial(Measure, ours=True, uses_level=False)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _own_gain_measure("dcg_cut", dcg_cut, Cutoffs(PAGE_CUTOFFS, or_all=True), traits=_RISING),
    _own_gain_measure(
        "dcg_exp_cut",
        dcg_exp_cut,
        Cutoffs(PAGE_CUTOFFS, or_all=True),
        whole_grades=True,
        traits=_RISING,
    ),
    _own_gain_measure(
        "ndcg_gain_cut",
        ndcg_gain_cut,
        GainCutoffs((), PAGE_CUTOFFS, "10,1=1,2=3"),
        whole_grades=True,
        traits=_CUMULATED | {Trait.BOUNDED},
    ),
)

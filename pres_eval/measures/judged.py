"""Shares of a ranking that were judged."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure, Trait, WhenMissing
from pres_eval.measures.counting import documents_within
from pres_eval.measures.parameters import PAGE_CUTOFFS, Cutoffs


def unjudged(batch: Batch, cutoff: int) -> FloatArray:
    """Share of documents among the first k that nobody judged.

    Formula:  unj_k = u / k
      u  documents down to rank k that are not in the qrels, or there with a negative relevance
    Range: 0 to 1.
    Notes: a ranking shorter than k counts as if judged documents followed.  A high value means that the
      judgements cover little of the run, so its scores may be too low.
    Source: trec_eval 10.0.
    """
    num_seen = np.minimum(batch.num_ret, cutoff)
    num_judged = documents_within(batch, batch.grade >= 0, cutoff)
    return (num_seen - num_judged) / cutoff


def judged(batch: Batch, cutoff: int) -> FloatArray:
    """Share of documents among the first k that were judged.

    Formula:  judged_k = j / min(k, ret)
      j  documents down to rank k with a relevance of 0 or above in the qrels      ret  documents retrieved
    Range: 0 to 1; 0 if nothing was retrieved.
    Notes: a ranking shorter than k is taken as long as it is, so it is not 1 - unj_k there.  ir_measures'
      Judged orders ties by docno ascending; without a cutoff it uses the whole ranking: judged.all.
    Source: MacAvaney, Macdonald & Ounis, "Streamlining Evaluation with ir-measures", ECIR 2022,
      doi:10.1007/978-3-030-99739-7_38, whose Judged@k it is, but for negative relevance, which counts as
      judged there.  trec_eval: none.
    """
    num_judged = documents_within(batch, batch.grade >= 0, cutoff)
    return divide(num_judged, np.minimum(batch.num_ret, cutoff))


# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "unj",
        unjudged,
        Cutoffs(PAGE_CUTOFFS),
        uses_level=False,
        less_is_better=True,
        when_missing=WhenMissing.ZERO,
        traits=frozenset({Trait.BOUNDED, Trait.OWN_EXPECTED}),
    ),
    Measure(
        "judged",
        judged,
        Cutoffs((10, 100, 1000), or_all=True),
        ours=True,
        uses_level=False,
        traits=frozenset({Trait.BOUNDED, Trait.OWN_EXPECTED}),
    ),
)

"""Averages over several users' judgements of the same topic, its judgement groups (`-R qrels_jg`)."""

from __future__ import annotations

from functools import partial

from pres_eval.arrays import FloatArray
from pres_eval.batches.from_groups import GroupedBatch
from pres_eval.measures.average_precision import average_precision
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.precision import (
    DOCUMENT_CUTOFFS,
    MULTIPLES,
    precision,
    r_precision_at_multiples,
)
from pres_eval.options import RelevanceInfo


def map_avgjg(batch: GroupedBatch) -> FloatArray:
    """Average precision, averaged over the judgement groups of the topic.

    Formula:  map_avgjg = 1 / G · Σ_g AP_g,   AP_g = 1 / R_g · Σ_i i / r_i
      G     judgement groups (users) of the topic
      R_g   relevant documents according to group g
      r_i   rank of the i-th of them; those not retrieved add 0
    Range: 0 to 1; a group without relevant documents adds 0 and is counted in G.
    Notes: with one group it is map.  With -J each group takes out the documents that it did not judge.
    Source: trec_eval (map_avgjg), by Chris Buckley, 2008.
    """
    return batch.average(average_precision(batch.groups))


def precision_avgjg(batch: GroupedBatch, cutoff: int) -> FloatArray:
    """Precision at a rank, averaged over the judgement groups of the topic.

    Formula:  P_avgjg_c = 1 / G · Σ_g h_g / c
      G     judgement groups (users) of the topic
      h_g   documents up to rank c that group g judged relevant
      c     the cutoff; a ranking that is shorter counts as filled up with nonrelevant documents
    Range: 0 to 1.
    Notes: with one group it is P.  With -J each group takes out the documents that it did not judge.
    Source: trec_eval (P_avgjg), by Chris Buckley, 2008.
    """
    return batch.average(precision(batch.groups, cutoff))


def r_precision_mult_avgjg(batch: GroupedBatch, multiple: float) -> FloatArray:
    """Precision at a multiple of R, averaged over the judgement groups of the topic.

    Formula:  Rprec_mult_avgjg_m = 1 / G · Σ_g h_g / c_g,   c_g = ⌊m R_g + 0.9⌋
      G     judgement groups (users) of the topic
      R_g   relevant documents according to group g
      h_g   those of them up to rank c_g
    Range: 0 to 1; a group with c_g = 0 adds 0 and is counted in G.
    Notes: precision at small multiples of R favours precision-oriented runs, at large ones recall-oriented
      runs, at comparable points of topics of any size.  With one group it is Rprec_mult.
    Source: trec_eval (Rprec_mult_avgjg), by Chris Buckley, 2008.
    """
    return batch.average(r_precision_at_multiples(batch.groups, multiple))


_of_groups = partial(
    Measure, relevance=RelevanceInfo.QRELS_JG, traits=frozenset({Trait.BOUNDED, Trait.IGNORES_TAIL})
)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _of_groups("map_avgjg", map_avgjg),
    _of_groups("P_avgjg", precision_avgjg, Cutoffs(DOCUMENT_CUTOFFS)),
    _of_groups("Rprec_mult_avgjg", r_precision_mult_avgjg, MULTIPLES),
)

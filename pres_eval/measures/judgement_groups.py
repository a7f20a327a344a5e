"""Averages over several users' judgements of the same topic, its judgement groups (`-R qrels_jg`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays.exact import divide
from pres_eval.arrays.types import FloatArray
from pres_eval.measures.base import Cutoffs, Fractions, Measure, Trait, traits
from pres_eval.options import RelevanceInfo

if TYPE_CHECKING:  # takes a while to import, and most evaluations have no judgement groups
    from pres_eval.batches.from_groups import GroupedBatch


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
    groups = batch.groups
    precision = groups.rel_so_far / groups.rank
    return batch.average(divide(groups.sum_by_topic(precision, groups.is_rel), groups.num_rel))


def precision_avgjg(batch: GroupedBatch, cutoff: int) -> FloatArray:
    """Precision at a rank, averaged over the judgement groups of the topic.

    Formula:  P_avgjg_c = 1 / G · Σ_g h_g / c
      G     judgement groups (users) of the topic
      h_g   documents up to rank c that group g says are relevant
      c     the cutoff; a ranking that is shorter counts as filled up with nonrelevant documents
    Range: 0 to 1.
    Notes: with one group it is P.  With -J each group takes out the documents that it did not judge.
    Source: trec_eval (P_avgjg), by Chris Buckley, 2008.
    """
    groups = batch.groups
    found = groups.count_by_topic(groups.is_rel & (groups.rank <= cutoff))
    return batch.average(found / cutoff)


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
    groups = batch.groups
    cutoff = (multiple * groups.num_rel + 0.9).astype(np.int64)
    found = groups.count_by_topic(groups.is_rel & (groups.rank <= cutoff[groups.topic_of]))
    return batch.average(divide(found, cutoff))


_TRAITS = traits(Trait.BOUNDED, Trait.IGNORES_TAIL)
_JG = RelevanceInfo.QRELS_JG

JUDGEMENT_GROUP_MEASURES: tuple[Measure, ...] = (
    Measure("map_avgjg", map_avgjg, relevance=_JG, traits=_TRAITS),
    Measure(
        "P_avgjg",
        precision_avgjg,
        Cutoffs((5, 10, 15, 20, 30, 100, 200, 500, 1000)),
        relevance=_JG,
        traits=_TRAITS,
    ),
    Measure(
        "Rprec_mult_avgjg",
        r_precision_mult_avgjg,
        Fractions((0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), example="0.5,2"),
        relevance=_JG,
        traits=_TRAITS,
    ),
)

"""Interpolated precision at recall levels, the recall-precision curve, and its average."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.parameters import Coefficients, Fractions

RECALL_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The recall levels of trec_eval's recall-precision graph."""


def _documents_needed(batch: Batch, level: float) -> FloatArray:
    """Return (T,) c: how many relevant documents have to be found to reach a recall level.

    level  one for all topics; several (C, 1) give (C, T)
    """
    exact = level * batch.num_rel.astype(np.float64)
    # trec_eval: 9.0.8 adds 0.9 and cuts; 10.0 rounds halves away from zero.
    if batch.version.recall_levels_reach_up:
        return np.asarray(np.trunc(exact + 0.9), np.float64)
    whole: FloatArray = np.trunc(exact)
    is_half_or_more = np.abs(exact - whole) >= 0.5
    one_or_none = np.where(is_half_or_more, 1.0, 0.0)
    return whole + np.copysign(one_or_none, exact)


def _highest_precision_from(batch: Batch, num_needed: FloatArray) -> FloatArray:
    """Return the highest precision at any rank where `num_needed` relevant documents are found.

    num_needed  (T,), or (C, T) for several levels; precision has the same shape, and is 0 where fewer are
                retrieved
    """
    num_found = batch.num_rel_ret
    begins = batch.relevant_places.offsets[:-1]
    is_reached = (num_needed <= num_found) & (num_found > 0)
    # If none is needed, the first relevant document counts: precision is 0 before it.
    number = np.maximum(np.where(is_reached, num_needed, 1.0), 1.0).astype(np.int64)
    row = begins + number - 1
    precision = np.zeros(num_needed.shape)
    precision[is_reached] = batch.highest_precision[row[is_reached]]
    # trec_eval: nothing relevant of nothing retrieved is 0/0 (-nan on x86), where no document is needed.
    return np.where((batch.num_ret == 0) & (num_needed <= 0), -np.nan, precision)


def interpolated_precision(batch: Batch, level: float) -> FloatArray:
    """Highest precision at any rank where recall has reached the level (interpolated precision).

    Formula:  iprec_at_recall_x = max of rel(r) / r over the ranks r with rel(r) ≥ c
      rel(r)  relevant documents down to rank r      n  relevant documents in the qrels
      c       relevant documents needed: x n + 0.9 rounded down (--compat 9.0.8), or x n
              rounded (--compat 10.0)
    Range: 0 to 1; 0 if fewer than c are found; nan (0/0) at level 0 if nothing was retrieved.
    Notes: these are the points of the recall-precision graph.  The definition in the TREC proceedings needs a
      recall of x or more, that is x n rounded up.  9.0.8 asks for the same but where x n + 0.9 in doubles
      falls just short of a whole number: 2 documents instead of 3 for n = 3 at 0.7.  10.0 asks for fewer
      wherever it rounds down: 1 instead of 2 for n = 4 at 0.3.
    Source: "Common Evaluation Measures", appendix of the TREC proceedings.  ir_measures' IPrec@x.
    """
    return _highest_precision_from(batch, _documents_needed(batch, level))


def eleven_point_average(batch: Batch, levels: tuple[float, ...]) -> FloatArray:
    """Mean of the interpolated precision at recall 0.0, 0.1, …, 1.0.

    Formula:  11pt_avg = 1/L Σ iprec_at_recall_x      over the L levels x
    Range: 0 to 1; 0 if nothing relevant was retrieved; nan (0/0) if nothing was retrieved at all.
    Parameters: other recall levels, ascending, as in -m 11pt_avg.0.25,0.5,0.75 (the name stays).
    Notes: the usual single number before map took its place; for comparison with old results.
    Source: van Rijsbergen, "Information Retrieval", 2nd ed., Butterworths 1979, chapter 7; trec_eval.
    """
    # trec_eval: one pass from the end of the ranking to its begin meets the levels, the last one first.  A
    # level that needs more documents than are left (levels should ascend), or none, is not met before the
    # pass ends: it and all levels still to come get the highest precision of the whole ranking.
    num_found = batch.num_rel_ret
    sums = np.zeros(len(batch))
    num_left = num_found.astype(float)  # relevant documents where the pass has arrived
    has_met_level = np.zeros(len(batch), bool)
    is_at_begin = np.zeros(len(batch), bool)
    for level in reversed(levels):
        num_needed = _documents_needed(batch, level)
        has_met_level |= num_needed <= num_found
        is_at_begin |= has_met_level & ((num_needed > num_left) | (num_needed <= 0))
        num_left = np.where(has_met_level & ~is_at_begin, num_needed, num_left)
        precision = _highest_precision_from(batch, np.where(is_at_begin, 0.0, num_needed))
        sums += np.where(has_met_level, precision, 0.0)
    return sums / len(levels)


def plain_interpolated_precision(topic: RankedTopic, level: float) -> float:
    """Return iprec_at_recall of one topic, of which something was retrieved, as 9.0.8 has it."""
    num_needed = max(math.trunc(level * float(topic.judged.num_rel) + 0.9), 1)
    highest = 0.0
    for number, rank in enumerate(topic.relevant[num_needed - 1 :], num_needed):
        highest = max(highest, number / rank)
    return highest


_INTERPOLATED = frozenset({Trait.BOUNDED, Trait.MAY_BE_NAN, Trait.IGNORES_TAIL, Trait.MOVES_UP})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    Measure(
        "iprec_at_recall",
        interpolated_precision,
        Fractions(RECALL_LEVELS),
        takes_many=True,
        traits=_INTERPOLATED,
        plain=plain_interpolated_precision,
    ),
    Measure(
        "11pt_avg",
        eleven_point_average,
        Coefficients(RECALL_LEVELS, example="0.25,0.5,0.75"),
        traits=_INTERPOLATED,
    ),
)

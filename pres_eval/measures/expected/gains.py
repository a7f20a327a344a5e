"""Expected values of measures that add up gains, each weighted by its rank."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.exact import divide, elementwise, log2
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.measures.continuing import DEPTH, insq_weights, scaled_gains
from pres_eval.measures.cumulated_gain import exponential
from pres_eval.measures.document_scores import scores_of
from pres_eval.measures.expected.places import Expected, gained
from pres_eval.measures.expected.ranks import expected_preference
from pres_eval.measures.gain import GradeGains, Pairs, document_gains, grade_gains
from pres_eval.measures.ndcg import best_dcg, best_dcg_cut, best_relative_dcg, relative_gains
from pres_eval.measures.rbp import Powers, gains_to_one, persistence_of
from pres_eval.options import V10, Version


def _discounted(gain: FloatArray, rank: IntArray) -> FloatArray:
    """(n,) gains over the logarithms of their ranks."""
    return np.asarray(gain / log2(rank + 1), np.float64)


def _named_gains(pairs: Pairs, version: Version) -> GradeGains:
    """The gains that parameters name; those of documents that nobody judged are of no document here."""
    named = grade_gains(pairs, version)
    if any(grade == -1 for grade, _ in named):
        raise MeasureError("found a gain for unjudged documents (-1=…), expected none with --ties expected")
    return named


def _ndcg(batch: Batch, pairs: Pairs) -> FloatArray:
    """(T,) expected ndcg."""
    named = _named_gains(pairs, batch.version)
    return divide(gained(batch, document_gains(batch, named), _discounted), best_dcg(batch, named))


def _dcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    """(T,) expected dcg_cut."""
    return gained(batch, document_gains(batch), _discounted, cutoff)


def _ndcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    """(T,) expected ndcg_cut."""
    return divide(_dcg_cut(batch, cutoff), best_dcg_cut(batch, cutoff))


def _ndcg_exp_cut(batch: Batch, cutoff: int) -> FloatArray:
    """(T,) expected ndcg_exp_cut."""
    collected = gained(batch, relative_gains(batch), _discounted, cutoff)
    return divide(collected, best_relative_dcg(batch, cutoff))


def _scaled_dcg(batch: Batch, cutoff: int, min_rel: float, max_rel: float | None) -> FloatArray:
    """(T,) expected sdcg."""
    depth = min(cutoff, DEPTH)
    collected = gained(batch, scaled_gains(batch, min_rel, max_rel), _discounted, depth)
    return np.asarray(collected / np.add.accumulate(1.0 / log2(np.arange(2, depth + 2)))[-1], np.float64)


def _insq(batch: Batch, wanted: float, min_rel: float, max_rel: float | None) -> FloatArray:
    """(T,) expected insq."""
    weights = insq_weights(wanted)
    collected = gained(
        batch, scaled_gains(batch, min_rel, max_rel), lambda gain, rank: gain * weights[rank - 1], DEPTH
    )
    return np.asarray(collected / np.add.accumulate(weights)[-1], np.float64)


def _persistent(batch: Batch, gains: FloatArray, p: float) -> FloatArray:
    """(T,) expected rank-biased sum of gains (D,), all of the ranking."""
    power = Powers(p, int(batch.num_ret.max(initial=0)))
    return (1.0 - p) * gained(batch, gains, lambda gain, rank: gain * power[rank - 1])


def _first_persistent(batch: Batch, gains: FloatArray, cutoff: int, p: float) -> FloatArray:
    """(T,) expected rank-biased sum of gains (D,) down to a cutoff, with powers as rbp_cut has them."""

    def worth(gain: FloatArray, rank: IntArray) -> FloatArray:
        return gain * elementwise(lambda at: p ** (at - 1.0), rank.astype(float))

    return (1.0 - p) * gained(batch, gains, worth, cutoff)


def _understandability_rbp(batch: Batch, p: float, factor: float) -> FloatArray:
    """(T,) expected urbp."""
    return _persistent(batch, np.where(batch.is_rel, scores_of(batch, "urbp", factor), 0.0), p)


def _graded_understandability_rbp(batch: Batch, p: float, factor: float) -> FloatArray:
    """(T,) expected urbp_graded."""
    worth = np.maximum(batch.grade, 0) * scores_of(batch, "urbp_graded", factor)
    return _persistent(batch, np.where(batch.is_rel, worth, 0.0), p)


def _understandability_bpref(batch: Batch, factor: float) -> FloatArray:
    """(T,) expected ubpref."""
    weighted = expected_preference(batch) * scores_of(batch, "ubpref", factor)
    return divide(batch.sum_by_topic(weighted, batch.is_rel), batch.num_rel)


OF_GAINS: dict[str, Expected] = {
    "dcg": lambda batch, pairs: gained(batch, document_gains(batch, _named_gains(pairs, V10)), _discounted),
    "ndcg": _ndcg,
    "dcg_cut": _dcg_cut,
    "dcg_exp_cut": lambda batch, cutoff: gained(batch, exponential(batch.grade), _discounted, cutoff),
    "ndcg_cut": _ndcg_cut,
    "ndcg_exp_cut": _ndcg_exp_cut,
    "ndcg_gain_cut": lambda batch, cutoff, gains: _ndcg_cut(batch.with_gains(gains), cutoff),
    "rbp": lambda batch, pairs: _persistent(
        batch, gains_to_one(batch, _named_gains(pairs, V10)), persistence_of(pairs)
    ),
    "rbp_binary": lambda batch, pairs: _persistent(batch, batch.is_rel.astype(float), persistence_of(pairs)),
    "rbp_cut": lambda batch, cutoff, p: _first_persistent(batch, batch.is_rel.astype(float), cutoff, p),
    "rbp_graded_cut": lambda batch, cutoff, p: _first_persistent(
        batch, scaled_gains(batch, 0.0, None), cutoff, p
    ),
    "sdcg": _scaled_dcg,
    "insq": _insq,
    "urbp": _understandability_rbp,
    "urbp_graded": _graded_understandability_rbp,
    "ubpref": _understandability_bpref,
}
"""Expected values by the name of the measure."""

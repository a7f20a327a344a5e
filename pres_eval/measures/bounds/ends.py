"""Bounds of measures that only rise, or only fall, with each grade: all 0, and all of the highest grade."""

from __future__ import annotations

from typing import Any

import numpy as np

from pres_eval.batches.batch import Batch
from pres_eval.measures.base import Measure
from pres_eval.measures.bounds import judgements
from pres_eval.measures.bounds.judgements import Bounds, Rule, depth_of, filled, highest_of, without_gains
from pres_eval.measures.gain import blocks_of_ranks


def _at_the_ends(batch: Batch, measure: Measure, arguments: tuple[Any, ...]) -> Bounds:
    """(T,) and (T,): the bounds of a measure that only rises, or only falls, with each grade."""
    depth = depth_of(measure, arguments)
    least, greatest = [], []
    for block in blocks_of_ranks(batch, judgements.MOST_DOCUMENTS):
        highest = highest_of(block, measure)
        ends = [
            np.asarray(measure.score(filled(block, depth, grades), *arguments), np.float64)
            for grades in (np.zeros_like(highest), highest)
        ]
        least.append(np.minimum(*ends))
        greatest.append(np.maximum(*ends))
    return np.concatenate(least), np.concatenate(greatest)


_RISING = """
    num_rel num_rel_ret num_nonrel_judged_ret set_P set_recall set_relative_P set_map set_F utility
    recip_rank recip_rank_cut P recall relative_P success hits F_cut err dcg_cut dcg_exp_cut rbp_cut
    rbp_graded_cut sdcg loss_r loss_e loss_er total_cost total_cost_uniform total_cost_weighted
"""

OF_RISING: dict[str, Rule] = {
    **dict.fromkeys(_RISING.split(), _at_the_ends),
    **dict.fromkeys(("rbp", "rbp_binary", "dcg", "ideal_dcg"), without_gains(_at_the_ends)),
}
"""Rules by the name of the measure."""

"""Expected values of measures of everything retrieved: the order of ties decides what -M leaves of them."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.exact import divide
from pres_eval.arrays.types import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.cut import chances, cut_ties, relevant_in_whole_ties
from pres_eval.measures.expected.places import WHOLE, Expected, relevant_seen, share_seen
from pres_eval.measures.reading_cost import cost_of_missing, loss_of_effort, uniform_cost, weighted_cost
from pres_eval.measures.sets import f_of_set, worth_of_set


def _variance(batch: Batch) -> FloatArray:
    """(T,) of the number of relevant documents retrieved."""
    variance = np.zeros(len(batch))
    for tie in cut_ties(batch, WHOLE):
        share = tie.relevant / tie.size
        unseen = (tie.size - tie.seen) / (tie.size - 1)
        variance[tie.topic] = tie.seen * share * (1.0 - share) * unseen
    return variance


def _set_average_precision(batch: Batch) -> FloatArray:
    """(T,) expected set_map, of the square of what is found."""
    found = relevant_seen(batch)
    squared = found * found + _variance(batch)
    return divide(squared, batch.num_ret.astype(float) * batch.num_rel.astype(float))


def _total_cost_weighted(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """(T,) the mean over how many relevant documents are missing, which the cost is not linear in."""
    missed = batch.num_rel - batch.count_by_topic(relevant_in_whole_ties(batch, WHOLE))
    score = weighted_cost(batch, costs, missed)
    for tie in cut_ties(batch, WHOLE):
        number, chance = chances(tie.seen, tie.size, tie.relevant)
        topic = batch.take(tie.topic, tie.topic + 1)
        each = [weighted_cost(topic, costs, missed[tie.topic] - np.array([k])) for k in number.tolist()]
        score[tie.topic] = np.add.accumulate(chance * np.concatenate(each))[-1]
    return score


def _loss_of_recall(batch: Batch) -> FloatArray:
    """(T,) expected loss_r, of the square of what is missed."""
    missed = 1.0 - divide(relevant_seen(batch), batch.num_rel)
    n = batch.num_rel.astype(float)
    return missed * missed + divide(_variance(batch), n * n)


OF_SETS: dict[str, Expected] = {
    "num_rel_ret": relevant_seen,
    "num_nonrel_judged_ret": lambda batch: batch.sum_by_topic(share_seen(batch), batch.is_nonrel),
    "set_P": lambda batch: divide(relevant_seen(batch), batch.num_ret),
    "set_recall": lambda batch: divide(relevant_seen(batch), batch.num_rel),
    "set_relative_P": lambda batch: divide(relevant_seen(batch), np.minimum(batch.num_ret, batch.num_rel)),
    "set_map": _set_average_precision,
    "set_F": lambda batch, weights: f_of_set(batch, weights, relevant_seen(batch)),
    "utility": lambda batch, worth: worth_of_set(batch, worth, relevant_seen(batch)),
    "total_cost_uniform": lambda batch, costs: uniform_cost(batch, costs, relevant_seen(batch)),
    "total_cost_weighted": _total_cost_weighted,
    "total_cost": lambda batch, costs: cost_of_missing(batch, costs, relevant_seen(batch)),
    "loss_r": _loss_of_recall,
    "loss_er": lambda batch: _loss_of_recall(batch) + loss_of_effort(batch),
}
"""Expected values by the name of the measure."""

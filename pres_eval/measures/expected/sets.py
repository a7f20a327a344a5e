"""Expected values of measures of everything retrieved: the order of ties decides what -M leaves of them."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, divide
from pres_eval.batches.batch import Batch
from pres_eval.measures.expected.cut import chances, cut_ties, relevant_in_whole_ties
from pres_eval.measures.expected.places import WHOLE
from pres_eval.measures.found import relevant_within
from pres_eval.measures.reading_cost import loss_of_effort, weighted_cost


def _variance(batch: Batch) -> FloatArray:
    """Return (T,) of the number of relevant documents retrieved."""
    variance = np.zeros(len(batch))
    for tie in cut_ties(batch, WHOLE):
        share = tie.relevant / tie.size
        unseen = (tie.size - tie.seen) / (tie.size - 1)
        variance[tie.topic] = tie.seen * share * (1.0 - share) * unseen
    return variance


def set_average_precision(batch: Batch) -> FloatArray:
    """Return (T,) expected set_map, of the square of what is found."""
    found = relevant_within(batch)
    squared = found * found + _variance(batch)
    return divide(squared, batch.num_ret.astype(float) * batch.num_rel.astype(float))


def total_cost_weighted(batch: Batch, costs: tuple[float, ...]) -> FloatArray:
    """Return (T,) the mean over how many relevant documents are missing, which the cost is not linear in."""
    missed = batch.num_rel - batch.count_by_topic(relevant_in_whole_ties(batch, WHOLE))
    score = weighted_cost(batch, costs, missed)
    for tie in cut_ties(batch, WHOLE):
        number, chance = chances(tie.seen, tie.size, tie.relevant)
        topic = batch.take(tie.topic, tie.topic + 1)
        each = [weighted_cost(topic, costs, missed[tie.topic] - np.array([k])) for k in number.tolist()]
        score[tie.topic] = np.add.accumulate(chance * np.concatenate(each))[-1]
    return score


def loss_of_recall(batch: Batch) -> FloatArray:
    """Return (T,) expected loss_r, of the square of what is missed."""
    missed = 1.0 - divide(relevant_within(batch), batch.num_rel)
    n = batch.num_rel.astype(float)
    return missed * missed + divide(_variance(batch), n * n)


def loss(batch: Batch) -> FloatArray:
    """Return (T,) expected loss_er."""
    return loss_of_recall(batch) + loss_of_effort(batch)

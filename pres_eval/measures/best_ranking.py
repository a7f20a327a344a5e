"""The best ranking that a topic could have, as far as its documents have a gain."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.measures.gain import GradeGains, gain_tables
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class BestRanking:
    """The documents of positive gain in the order that is best, topic after topic."""

    topic_of: IntArray
    offsets: IntArray
    gain: FloatArray

    @property
    def rank(self) -> IntArray:
        """(N,) from 1 in each topic."""
        return np.arange(1, len(self.gain) + 1) - self.offsets[self.topic_of]

    @property
    def length(self) -> IntArray:
        """(T,) documents of positive gain."""
        return np.diff(self.offsets)

    def up_to(self, topic_of: IntArray, rank: IntArray, running: FloatArray) -> FloatArray:
        """Return running values (N,) of topics at ranks, or at the ranking's end if earlier; 0 at rank 0."""
        last = np.minimum(rank, self.length[topic_of])
        place = np.where(last > 0, self.offsets[topic_of] + last - 1, -1)
        return np.asarray(np.concatenate((running, [0.0]))[place], np.float64)

    def sum_by_topic(self, values: FloatArray) -> FloatArray:
        """Add up the documents' values in each topic, one after the other: (N,) in, (T,) out."""
        return np.bincount(self.topic_of, values, len(self.offsets) - 1).astype(np.float64, copy=False)


def best_ranking(batch: Batch, named: GradeGains = (), most: int | None = None) -> BestRanking:
    """Return the best rankings of the batch's topics, down to rank `most`."""
    topic_of = batch.level_topic_of
    gain: FloatArray = batch.levels.astype(np.float64)
    if named:
        gain, order = np.zeros(len(topic_of)), np.zeros(len(topic_of))
        for topics, table in gain_tables(batch, named):
            chosen = topics[topic_of]
            order[chosen] = table.of(batch.levels[chosen], table.order)
            if table.last > 0:
                gain[chosen] = table.of(batch.levels[chosen], table.ideal_gain)
        descending = np.lexsort((-order, topic_of))
    else:
        descending = (batch.level_offsets[:-1] + batch.level_offsets[1:] - 1)[topic_of] - np.arange(len(gain))
    gain, count = gain[descending], batch.level_counts[descending]
    # trec_eval: the best ranking ends at the first gain that is not positive, whatever would follow.
    ended = np.concatenate(([0], np.cumsum(gain <= 0)))
    count = np.where(ended[1:] == ended[batch.level_offsets[:-1]][topic_of], count, 0)
    if most is not None:
        before = np.concatenate(([0], np.cumsum(count)))
        count = np.clip(most - (before[:-1] - before[batch.level_offsets[:-1]][topic_of]), 0, count)
    lengths = np.zeros(len(batch), np.int64)
    np.add.at(lengths, topic_of, count)
    return BestRanking(
        topic_of=np.repeat(topic_of, count),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        gain=np.repeat(gain, count),
    )

"""From topics in plain Python to a batch, for measures that have no plain function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.batches.batch import Batch, frozen
from pres_eval.batches.plain import RankedTopic
from pres_eval.batches.topics import UNJUDGED


def batch_of_topics(topics: Sequence[RankedTopic]) -> Batch:
    """Return the batch of one or more topics (T,), which were all judged at the same relevance level."""
    grade = _joined([topic.grades for topic in topics])
    grade[grade < 0] = UNJUDGED
    levels: list[int] = []
    level_counts: list[int] = []
    level_offsets = [0]
    offsets = [0]
    for topic in topics:
        offsets.append(offsets[-1] + len(topic.ranks))
        counts = Counter(topic.judged.grades.values())
        for level in sorted(counts):
            if level >= 0:
                levels.append(level)
                level_counts.append(counts[level])
        level_offsets.append(len(levels))
    return frozen(
        Batch(
            topics=tuple([topic.judged.topic for topic in topics]),
            num_ret=np.array([topic.num_ret for topic in topics], np.int64),
            offsets=np.array(offsets, np.int64),
            rank=_joined([topic.ranks for topic in topics]),
            grade=grade,
            levels=np.array(levels, np.int64),
            level_counts=np.array(level_counts, np.int64),
            level_offsets=np.array(level_offsets, np.int64),
            missing=np.zeros(len(topics), np.bool_),
            relevance_level=topics[0].judged.relevance_level,
        )
    )


def _joined(numbers_of_topics: Sequence[list[int]]) -> IntArray:
    """Return the numbers of all topics (n,), topic after topic."""
    return np.array(list(chain.from_iterable(numbers_of_topics)), np.int64)

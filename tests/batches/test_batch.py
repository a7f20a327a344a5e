"""The batch seen another way: without what nobody judged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import batch_of, topic_lists, with_ranking
from support.oracle import Topic

from pres_eval.batches.batch import Batch


@settings(deadline=None, max_examples=100)
@given(topics=topic_lists())
def test_judged_documents_alone(topics: list[Topic]) -> None:
    """As if the others had not been retrieved, which is what -J does."""
    found = batch_of(topics).judged_alone()
    wanted = batch_of(
        [with_ranking(topic, [grade for grade in topic.ranking if grade >= 0]) for topic in topics]
    )
    for name in Batch.__dataclass_fields__:
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


@settings(deadline=None, max_examples=50)
@given(topics=topic_lists(), size=st.integers(1, 4))
def test_some_topics_at_a_time(topics: list[Topic], size: int) -> None:
    """Each block is the batch of its own topics."""
    blocks = list(batch_of(topics).blocks(size))
    assert len(blocks) == -(-len(topics) // size)
    for number, found in enumerate(blocks):
        wanted = batch_of(topics[number * size : (number + 1) * size])
        for name in set(Batch.__dataclass_fields__) - {"topics", "num_docs_in_coll"}:
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
        assert np.all(found.num_docs_in_coll == wanted.num_docs_in_coll)


@settings(deadline=None, max_examples=100)
@given(
    topics=topic_lists(), gains=st.dictionaries(st.integers(0, 4), st.sampled_from([0, 0.5, 1, 2, 30, -1]))
)
def test_other_gains(topics: list[Topic], gains: dict[int, float]) -> None:
    batch = batch_of(topics)
    found = batch.with_gains(tuple(gains.items()))
    for number, topic in enumerate(topics):
        worth = sorted(gains.get(grade, grade) for grade in topic.qrels if grade >= 0)
        levels = slice(found.level_offsets[number], found.level_offsets[number + 1])
        assert np.repeat(found.levels[levels], found.level_counts[levels]).tolist() == [
            value for value in worth if value >= 0
        ]
    changed = [gains.get(grade, grade) for grade in batch.grade.tolist()]
    assert found.grade.tolist() == [value if value >= 0 else -2 for value in changed]
    assert found.rank is batch.rank


def test_what_judgements_give_cannot_be_changed() -> None:
    """Other measures use it, too."""
    batch = batch_of([Topic(ranking=(1,), qrels=(1, 0))])
    with pytest.raises(ValueError, match="read-only"):
        batch.num_rel[0] = 5

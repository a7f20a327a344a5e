"""The batch seen another way: without what nobody judged."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import batch_of, topic_lists, with_ranking
from support.commands import Command
from support.oracle import Topic

import pres_eval as pe
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


def test_best_rankings_of_other_cutoffs_and_gains_are_not_mixed_up(command: Command, tmp_path: Path) -> None:
    """Best rankings are remembered by cutoff and by gains: each column is divided by its own."""
    discount = [1 / math.log2(rank + 1) for rank in range(1, 5)]

    def best(gain: float) -> float:
        """The best ranking's DCG: grade 2 has this gain, grade 1 the gain 1, of which there are three."""
        return gain * discount[0] + sum(discount[1:])

    # The run has grade 1 at rank 1 and grade 2 at rank 3.
    expected = {
        "ndcg_cut.2": discount[0] / (2 * discount[0] + discount[1]),
        "ndcg_cut.4": (discount[0] + 2 * discount[2]) / best(2),
        "ndcg.1=1,2=5": (discount[0] + 5 * discount[2]) / best(5),
        "ndcg.1=1,2=9": (discount[0] + 9 * discount[2]) / best(9),
        "ndcg": (discount[0] + 2 * discount[2]) / best(2),
    }
    judged, scores = {"a": 2, "b": 1, "c": 1, "d": 1}, {"b": 9, "x": 8, "a": 7, "y": 6}
    for names in itertools.permutations(expected):
        ranking = pe.Qrels({"1": judged}).rank({"1": scores})
        values = [value for name in names for value in ranking.evaluate(name).summary.values()]
        assert values == pytest.approx([expected[name] for name in names])

    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"1 0 {document} {grade}\n" for document, grade in judged.items()))
    run.write_text("".join(f"1 Q0 {document} 0 {score} t\n" for document, score in scores.items()))
    options = ("-m", "ndcg.1=1,2=9", "-m", "ndcg_cut.4,2", "-m", "ndcg.1=1,2=5")
    printed = [line.split()[2] for line in command.ok(*options, qrels, run).out.splitlines()]
    in_print_order = ("ndcg.1=1,2=9", "ndcg.1=1,2=5", "ndcg_cut.2", "ndcg_cut.4")
    assert printed == [f"{expected[name]:.4f}" for name in in_print_order]

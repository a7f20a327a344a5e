"""What each measure declares to be true of it is held on every input, and nothing true is left undeclared."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import batch_of, columns_of, same_bits, topic_lists, with_ranking
from support.oracle import POOLED, UNKNOWN, Topic

from pres_eval.batches.batch import Batch
from pres_eval.measures import MEASURES
from pres_eval.measures.base import Format, Measure, Trait
from pres_eval.options import RelevanceInfo

pytestmark = pytest.mark.slow

QRELS_MEASURES = [m for m in MEASURES if m.relevance in (RelevanceInfo.QRELS, RelevanceInfo.ANY)]
BY_NAME = [pytest.param(measure, id=measure.name) for measure in QRELS_MEASURES]


EXAMPLES = 40
"""Examples of each property, whose topics are drawn once for all measures: that takes longer than they do."""


def having(trait: Trait, yes: bool = True) -> list[Measure]:
    return [measure for measure in QRELS_MEASURES if (trait in measure.traits) is yes]


def declared(trait: Trait, yes: bool = True) -> list[Any]:
    return [pytest.param(measure, id=measure.name) for measure in having(trait, yes)]


NEEDS_COLLECTION = {"Rnorm"}


def values(measure: Measure, topics: Sequence[Topic]) -> list[list[Any]]:
    """A list for each default column."""
    return values_in_collection(measure, of_unknown_size(measure, topics))


def of_unknown_size(measure: Measure, topics: Sequence[Topic]) -> Sequence[Topic]:
    """The topics, of a collection whose size is not known if that matters and is not needed."""
    if Trait.OF_COLLECTION in measure.traits and measure.name not in NEEDS_COLLECTION:
        return [replace(topic, collection=0) for topic in topics]
    return topics


def values_in_collection(measure: Measure, topics: Sequence[Topic]) -> list[list[Any]]:
    batch = batch_of(topics)
    return [list(measure.score(batch, *arguments)) for _, arguments in columns_of(measure)]


def same(ours: list[list[Any]], theirs: list[list[Any]]) -> bool:
    return all(
        len(one) == len(other) and all(map(same_bits_of_any, one, other))
        for one, other in zip(ours, theirs, strict=True)
    )


def same_bits_of_any(one: Any, other: Any) -> bool:
    return one == other if isinstance(one, str) else same_bits(float(one), float(other))


def fit_for(measure: Measure, topics: Sequence[Topic]) -> list[Topic]:
    """The topics, with grades that the measure takes."""
    if measure.name != "err":
        return list(topics)
    return [
        replace(
            topic,
            ranking=tuple(min(grade, 4) for grade in topic.ranking),
            qrels=tuple(min(grade, 4) for grade in topic.qrels),
        )
        for topic in topics
    ]


def shuffled(topic: Topic, chance: random.Random) -> Topic:
    ranking = list(topic.ranking)
    chance.shuffle(ranking)
    return with_ranking(topic, ranking)


def with_tail(topic: Topic, chance: random.Random) -> Topic:
    return with_ranking(topic, [*topic.ranking, *[UNKNOWN] * chance.randint(1, 60)])


def with_others_between(topic: Topic, chance: random.Random) -> Topic:
    judged = [grade for grade in topic.ranking if grade not in (UNKNOWN, POOLED)]
    for _ in range(chance.randint(0, 30)):
        judged.insert(chance.randint(0, len(judged)), UNKNOWN)
    return with_ranking(topic, judged)


def with_two_grades(topic: Topic, chance: random.Random) -> Topic:
    """The topic with all relevant documents at the level, and all others that were judged at 0."""

    def flat(grade: int) -> int:
        return grade if grade < 0 else topic.level if grade >= topic.level else 0

    return replace(
        topic, ranking=tuple(map(flat, topic.ranking)), qrels=tuple(flat(grade) for grade in topic.qrels)
    )


Change = Callable[[Topic, random.Random], Topic]

UNCHANGED_BY: dict[Trait, Change] = {
    Trait.SET: shuffled,
    Trait.IGNORES_TAIL: with_tail,
    Trait.IGNORES_UNJUDGED: with_others_between,
}


@functools.cache
def example_topics(highest: int, count: int = 150) -> list[Topic]:
    """A fixed sample of ordinary topics, to find an input on which something shows."""
    chance = random.Random(20100719)
    topics = []
    for _ in range(count):
        ranking = [
            chance.choice([UNKNOWN, POOLED, 0, 0, 1, 1, 2, highest]) for _ in range(chance.randint(1, 30))
        ]
        missed = [chance.choice([0, 1, 1, 2]) for _ in range(chance.randint(0, 4))]
        judged = [grade for grade in ranking if grade != UNKNOWN]
        topics.append(Topic(tuple(ranking), tuple(judged + missed), chance.choice([1, 1, 2]), collection=999))
    return [topic for topic in topics if topic.level == 1]


@pytest.mark.parametrize("trait", UNCHANGED_BY)
@settings(deadline=None, max_examples=EXAMPLES)
@given(drawn=topic_lists(), seed=st.integers(0, 9999))
def test_measure_does_not_change(trait: Trait, drawn: list[Topic], seed: int) -> None:
    for measure in having(trait):
        topics = fit_for(measure, drawn)
        if Trait.MAY_BE_NAN in measure.traits:
            topics = [topic for topic in topics if topic.ranking]
        chance = random.Random(seed)
        changed = [UNCHANGED_BY[trait](topic, chance) for topic in topics]
        assert same(values(measure, topics), values(measure, changed)), measure.name


@pytest.mark.parametrize(
    ("measure", "trait"),
    [
        pytest.param(m, t, id=f"{m.name}-{t.name}")
        for m in QRELS_MEASURES
        for t in UNCHANGED_BY
        if t not in m.traits
    ],
)
def test_measure_that_does_not_say_so_does_change(measure: Measure, trait: Trait) -> None:
    topics = example_topics(4)
    chance = random.Random(7)
    changed = [UNCHANGED_BY[trait](topic, chance) for topic in topics]
    assert not same(values(measure, topics), values(measure, changed))


@settings(deadline=None, max_examples=EXAMPLES)
@given(drawn=topic_lists())
def test_measure_that_is_not_graded_sees_relevant_or_not(drawn: list[Topic]) -> None:
    for measure in having(Trait.GRADED, yes=False):
        topics = fit_for(measure, drawn)
        flat = [with_two_grades(topic, random.Random(0)) for topic in topics]
        assert same(values(measure, topics), values(measure, flat)), measure.name


@pytest.mark.parametrize("measure", declared(Trait.GRADED))
def test_graded_measure_sees_grades(measure: Measure) -> None:
    topics = example_topics(4)
    flat = [with_two_grades(topic, random.Random(0)) for topic in topics]
    assert not same(values(measure, topics), values(measure, flat))


@pytest.mark.parametrize("measure", BY_NAME)
def test_only_measures_that_say_so_depend_on_the_size_of_the_collection(measure: Measure) -> None:
    topics = example_topics(4)
    found = [
        values_in_collection(measure, [replace(topic, collection=size) for topic in topics])
        for size in (999, 500)
    ]
    assert same(*found) is (Trait.OF_COLLECTION not in measure.traits)


@settings(deadline=None, max_examples=EXAMPLES)
@given(drawn=topic_lists())
def test_bounded_measure_lies_between_0_and_1(drawn: list[Topic]) -> None:
    for measure in having(Trait.BOUNDED):
        for column in values(measure, fit_for(measure, drawn)):
            for value in column:
                nan_allowed = Trait.MAY_BE_NAN in measure.traits and np.isnan(value)
                # Sums over the ranks may round to a little above 1, by half a unit in the last place a rank.
                assert nan_allowed or 0.0 <= value <= 1.0 + 1e-12, measure.name


@pytest.mark.parametrize("measure", declared(Trait.BOUNDED, yes=False))
def test_measure_that_is_not_bounded_leaves_0_to_1(measure: Measure) -> None:
    found = values(measure, example_topics(4))
    assert measure.format is Format.TEXT or any(not 0 <= value <= 1 for column in found for value in column)


@settings(deadline=None, max_examples=EXAMPLES)
@given(drawn=topic_lists())
def test_measure_is_a_number(drawn: list[Topic]) -> None:
    for measure in having(Trait.MAY_BE_NAN, yes=False):
        if measure.format is not Format.TEXT:
            for column in values(measure, fit_for(measure, drawn)):
                assert np.all(np.isfinite(column)), measure.name


@pytest.mark.parametrize("measure", declared(Trait.MAY_BE_NAN))
def test_measure_that_may_be_nan_is_for_some_topic(measure: Measure) -> None:
    topics = [Topic((), (1,), level=1), Topic((), (), level=1), Topic((0,), (0, 0), level=0)]
    assert any(np.isnan(column).any() for topic in topics for column in values(measure, [topic]))


@settings(deadline=None, max_examples=EXAMPLES)
@given(drawn=topic_lists(), size=st.integers(1, 4))
def test_topic_alone_in_a_batch_and_in_blocks_scores_the_same(drawn: list[Topic], size: int) -> None:
    for measure in QRELS_MEASURES:
        topics = fit_for(measure, drawn)
        together = values(measure, topics)
        alone = [values(measure, [topic]) for topic in topics]
        for number, (_, arguments) in enumerate(columns_of(measure)):
            assert same([together[number]], [[scored[number][0] for scored in alone]]), measure.name
            blocks = batch_of(of_unknown_size(measure, topics)).blocks(size)
            in_blocks = [value for block in blocks for value in measure.score(block, *arguments)]
            assert same([together[number]], [in_blocks]), measure.name


@pytest.mark.parametrize("measure", BY_NAME)
def test_batch_is_left_as_it_was(measure: Measure) -> None:
    topics = example_topics(4, 20)
    batch, again = batch_of(topics), batch_of(topics)
    for _, arguments in columns_of(measure):
        measure.score(batch, *arguments)
    for name in Batch.__dataclass_fields__:
        assert np.array_equal(getattr(batch, name), getattr(again, name))

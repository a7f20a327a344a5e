"""Bounds for what nobody judged against all judgements there could be, one after the other."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import ALL_TWINS, EXAMPLE_PARAMETERS, batch_of, columns_of
from support.oracle import POOLED, UNKNOWN, Topic

from pres_eval.batches.topics import TieGroups
from pres_eval.errors import MeasureError
from pres_eval.measures import MEASURES, measure_of
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.bounds import BoundsOf, reason_without_bounds, rule_of
from pres_eval.measures.bounds import judgements as judged_anew
from pres_eval.measures.parameters import BetaCutoffs, Cutoffs, OptionalCutoffs
from pres_eval.options import RelevanceInfo

BY_NAME = [
    pytest.param(measure.name, id=measure.name)
    for measure in MEASURES
    if measure.relevance is RelevanceInfo.QRELS and rule_of(measure) is not None
]
GRADES = st.sampled_from([0, 1, 1, 2, 3, POOLED, UNKNOWN, UNKNOWN, UNKNOWN])


@st.composite
def half_judged(draw: st.DrawFn) -> Topic:
    """A topic of a few documents, at most five of them without a grade."""
    ranking: list[int] = []
    for grade in draw(st.lists(GRADES, max_size=9)):
        full = sum(each < 0 for each in ranking) == 5
        ranking.append(0 if full and grade < 0 else grade)
    missed = draw(st.lists(st.integers(0, 3), max_size=3))
    qrels = [grade for grade in ranking if grade != UNKNOWN] + missed
    return Topic(tuple(ranking), tuple(qrels), draw(st.sampled_from([1, 1, 2])), "9.0.8", 40)


def depth_of(measure: Measure, arguments: tuple[Any, ...]) -> float:
    """Down to which rank documents count."""
    kind = measure.parameters
    if isinstance(kind, Cutoffs | OptionalCutoffs) or measure.name in ("rbp_cut", "sdcg", "err"):
        return float("inf") if arguments[0] is None else float(arguments[0])
    return float(arguments[1]) if isinstance(kind, BetaCutoffs) else float("inf")


def judgements(topic: Topic, depth: float, highest: int) -> list[Topic]:
    """The topic with every grade that its unjudged documents could have."""
    free = [place for place, grade in enumerate(topic.ranking) if grade < 0 and place < depth]
    found = []
    for grades in product(range(highest + 1), repeat=len(free)):
        ranking = list(topic.ranking)
        qrels = list(topic.qrels)
        for place, grade in zip(free, grades, strict=True):
            if ranking[place] == POOLED:
                qrels.remove(POOLED)
            ranking[place] = grade
            qrels.append(grade)
        found.append(replace(topic, ranking=tuple(ranking), qrels=tuple(qrels)))
    return found


def parameter_texts(name: str) -> list[str | None]:
    """Those that have bounds: without gains for grades."""
    if name in ("rbp", "rbp_binary"):
        return [None, "p=0.4"]
    return [None, *(() if name in ("ndcg", "dcg", "ideal_dcg") else EXAMPLE_PARAMETERS.get(name, ()))]


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_bounds_are_the_least_and_the_greatest_of_all(name: str, data: st.DataObject) -> None:
    measure = measure_of(name)
    topics = [data.draw(half_judged()) for _ in range(2)]
    topics = [replace(topic, level=topics[0].level) for topic in topics]
    text = data.draw(st.sampled_from(parameter_texts(name)))
    scale = data.draw(st.sampled_from([None, None, 1, 2, 3]))
    for label, arguments in columns_of(measure, text):
        if reason_without_bounds(measure, arguments, scale):
            assert Trait.OF_TOPIC_SCALE in measure.traits
            continue
        if scale is not None and scale < max([topics[0].level, *topics[0].qrels, *topics[1].qrels]):
            with pytest.raises(MeasureError, match="expected at least"):
                BoundsOf(measure, arguments, scale)(batch_of(topics))
            continue
        with np.errstate(all="ignore"):
            least, greatest = BoundsOf(measure, arguments, scale)(batch_of(topics))
        for row, topic in enumerate(topics):
            highest = max(scale or 1, *topic.qrels, topic.level if measure.uses_level else 1)
            # A relevant document of any grade is as good as one of the least.
            grades = topic.level if measure.uses_level else highest
            depth = depth_of(measure, arguments) if scale is None else math.inf
            every = judgements(topic, depth, grades)
            values = [ALL_TWINS[name](each, *arguments) for each in every]
            if any(map(math.isnan, values)):  # set_F.-1 is not defined for some, and nothing is least then
                continue
            assert least[row] == pytest.approx(min(values), abs=1e-12, nan_ok=True), (label, topic)
            assert greatest[row] == pytest.approx(max(values), abs=1e-12, nan_ok=True), (label, topic)


def test_long_topics_are_tried_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [Topic((UNKNOWN, 1, UNKNOWN, 0, UNKNOWN), (1, 0, 2, 2)), Topic((), ()), Topic((1, 0), (1, 0))]
    batch = batch_of(topics)
    columns = [(name, arguments) for name in ("bpref", "map", "P", "ndcg") for _, arguments in
               columns_of(measure_of(name))]  # fmt: skip
    wanted = [BoundsOf(measure_of(name), arguments)(batch) for name, arguments in columns]
    monkeypatch.setattr(judged_anew, "MOST_DOCUMENTS", 3)
    for (name, arguments), both in zip(columns, wanted, strict=True):
        found = BoundsOf(measure_of(name), arguments)(batch)
        assert [part.tolist() for part in found] == [part.tolist() for part in both]


def test_residual_of_rank_biased_precision() -> None:
    """The greatest value is that of rbp and its residual without what would follow the end of the ranking."""
    batch = batch_of([Topic((UNKNOWN, 1, UNKNOWN, 0, UNKNOWN), (1, 0, 2, 2))])
    arguments = ((("p", 0.8),),)
    least, greatest = BoundsOf(measure_of("rbp"), arguments)(batch)
    value, residual = (
        np.asarray(measure_of(name).score(batch, *arguments), float) for name in ("rbp", "rbp_resid")
    )
    assert least[0] == value[0]
    assert greatest[0] == pytest.approx(value[0] + residual[0] - 0.8**5, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "arguments", "change", "message"),
    [
        ("map", (), {"relevance_level": 0}, "at -l 0 everything judged is relevant"),
        (
            "map",
            (),
            {"ties": TieGroups(np.array([1]), np.array([1]))},
            "expected --ties docno, best or worst",
        ),
        ("ndcg", ((("1", 3.0),),), {}, "ndcg: has no bounds with gains for grades"),
        ("rbp", ((("p", 1.5),),), {}, "rbp: has bounds for p from 0 to 1 alone"),
    ],
)
def test_bounds_that_are_not_defined(
    name: str, arguments: tuple[Any, ...], change: dict[str, Any], message: str
) -> None:
    batch = replace(batch_of([Topic((1,), (1,))]), **change)
    with pytest.raises(MeasureError, match=message):
        BoundsOf(measure_of(name), arguments)(batch)

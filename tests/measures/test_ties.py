"""Expected values over ties against the mean over all orders; best and worst orders against all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import ALL_TWINS, EXAMPLE_PARAMETERS, batch_of, columns_of, same_bits, topic_lists
from support.oracle import POOLED, UNKNOWN, Topic

from pres_eval.batches.batch import Batch
from pres_eval.batches.topics import TieGroups
from pres_eval.errors import MeasureError
from pres_eval.measures import MEASURES, measure_of
from pres_eval.measures.base import Format, Trait
from pres_eval.measures.expected import depends_on_order, expected_of
from pres_eval.measures.expected.cut_ties import chances
from pres_eval.options import RelevanceInfo

BY_NAME = [pytest.param(one.name, id=one.name) for one in MEASURES if depends_on_order(one)]
GRADES = st.sampled_from([0, 0, 1, 1, 2, 3, POOLED, UNKNOWN, UNKNOWN])


@st.composite
def tied_topics(draw: st.DrawFn) -> tuple[Topic, tuple[int, ...]]:
    """A topic of a few documents, and the sizes of its ties in rank order."""
    sizes = tuple(draw(st.lists(st.sampled_from([1, 1, 2, 3, 4]), max_size=4)))
    while math.prod(map(math.factorial, sizes)) > 600:
        sizes = sizes[:-1]
    ranking = tuple(draw(GRADES) for _ in range(sum(sizes)))
    missed = draw(st.lists(st.integers(0, 3), max_size=3))
    qrels = tuple(grade for grade in ranking if grade != UNKNOWN) + tuple(missed)
    return Topic(ranking, qrels, draw(st.sampled_from([1, 1, 2])), "9.0.8", 40), sizes


def orders(ranking: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All rankings that the ties allow, each as often as documents make it."""
    begins = np.cumsum([0, *sizes]).tolist()
    groups = [ranking[begin : begin + size] for begin, size in zip(begins, sizes, strict=False)]
    for chosen in product(*(permutations(group) for group in groups)):
        yield tuple(grade for group in chosen for grade in group)


def tied(batch: Batch, sizes: list[tuple[int, ...]], most: int | None = None) -> Batch:
    """The batch with its ties, of which -M leaves what begins among the first `most` documents."""
    first, size = [], []
    for topic, own in enumerate(sizes):
        starts = np.repeat(np.cumsum([0, *own])[:-1] + 1, own)
        lengths = np.repeat(own, own).astype(np.int64)
        ranks = batch.rank[batch.offsets[topic] : batch.offsets[topic + 1]] - 1
        first.append(starts[ranks])
        size.append(lengths[ranks])
    none = [np.zeros(0, np.int64)]
    groups = TieGroups(np.concatenate(none + first).astype(np.int64), np.concatenate(none + size))
    if most is None:
        return replace(batch, ties=groups)
    rows = np.flatnonzero(groups.first <= most)
    return replace(
        batch,
        num_ret=np.minimum(batch.num_ret, most),
        offsets=np.searchsorted(rows, batch.offsets),
        rank=batch.rank[rows],
        grade=batch.grade[rows],
        ties=TieGroups(groups.first[rows], groups.size[rows]),
        document_scores=None if batch.document_scores is None else batch.document_scores[rows],
    )


def parameter_texts(name: str) -> list[str | None]:
    """Those that have an expected value; gains of 1e10 and -1e10 leave no digits to compare."""
    texts = EXAMPLE_PARAMETERS.get(name, ())
    return [None, *(text for text in texts if "-1=" not in text and "1e10" not in text)]


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_expected_value_is_the_mean_over_all_orders(name: str, data: st.DataObject) -> None:
    topics = [data.draw(tied_topics()) for _ in range(2)]
    topics = [(replace(topic, level=topics[0][0].level), sizes) for topic, sizes in topics]
    text = data.draw(st.sampled_from(parameter_texts(name)))
    most = data.draw(st.none() | st.integers(0, 8))
    batch = tied(batch_of([topic for topic, _ in topics]), [sizes for _, sizes in topics], most)
    for label, arguments in columns_of(measure_of(name), text):
        found = expected_of(measure_of(name))(batch, *arguments)
        for (topic, sizes), value in zip(topics, found, strict=True):
            values = [
                ALL_TWINS[name](replace(topic, ranking=ranking[:most]), *arguments)
                for ranking in orders(topic.ranking, sizes)
            ]
            mean = float(sum(map(Fraction, values)) / len(values)) if np.isfinite(values).all() else math.nan
            assert value == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True), (label, most)


CUT = [
    (Topic((1, 1, 0, 2, UNKNOWN, 1, 0), (1, 1, 0, 2, 1, 0, 1, 0), 1, "9.0.8", 40), (1, 4, 2)),
    (Topic((0, 1, UNKNOWN, 1), (0, 1, 1), 1, "9.0.8", 0), (4,)),
    (Topic((1, 1), (1, 1), 1, "9.0.8", 0), (2,)),
]


@pytest.mark.parametrize(
    "name", ["wss", "last_rel", "atd", "accuracy", "bpref", "set_map", "total_cost_weighted"]
)
@pytest.mark.parametrize(("topic", "sizes"), CUT)
def test_every_place_where_the_ranking_may_end(name: str, topic: Topic, sizes: tuple[int, ...]) -> None:
    for most in range(len(topic.ranking) + 1):
        batch = tied(batch_of([topic]), [sizes], most)
        for label, arguments in columns_of(measure_of(name), "30,50,80,100" if name == "wss" else None):
            values = [
                ALL_TWINS[name](replace(topic, ranking=ranking[:most]), *arguments)
                for ranking in orders(topic.ranking, sizes)
            ]
            (found,) = expected_of(measure_of(name))(batch, *arguments)
            assert found == pytest.approx(sum(values) / len(values), abs=1e-13), (label, most)


@pytest.mark.parametrize("name", BY_NAME)
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_without_ties_the_expected_value_is_the_value(name: str, data: st.DataObject) -> None:
    topics = data.draw(topic_lists(st.sampled_from([0, 1, 2, 3, POOLED])))
    text = data.draw(st.sampled_from(parameter_texts(name)))
    batch = batch_of(topics)
    alone = replace(batch, ties=TieGroups(batch.rank, np.ones_like(batch.rank)))
    for label, arguments in columns_of(measure_of(name), text):
        with np.errstate(all="ignore"):
            found = list(expected_of(measure_of(name))(alone, *arguments))
            wanted = list(measure_of(name).score(batch, *arguments))
        assert all(map(same_bits, map(float, found), map(float, wanted))), (label, found, wanted)


@pytest.mark.parametrize("grade", [0, 1])
def test_judged_documents_of_a_cut_tie_cannot_be_left_alone(grade: int) -> None:
    """How many of them are left by -J depends on their order, whether they are relevant or not."""
    batch = tied(batch_of([Topic((grade, grade), (grade, grade, 1))]), [(2,)], 1)
    with pytest.raises(MeasureError, match="-M cuts through equal scores of topic"):
        batch.judged_alone()


def test_nothing_found_is_exactly_0_at_any_cutoff() -> None:
    batch = tied(batch_of([Topic((UNKNOWN, UNKNOWN), (1,) * n) for n in (1, 10, 20)]), [(2,)] * 3)
    for nmax in (100, 2**53 + 1, 2**63 - 1):
        assert list(expected_of(measure_of("PRES"))(batch, nmax)) == [0.0] * 3


def test_chances_in_ties_of_any_size() -> None:
    """Compared with whole numbers where these can be computed; beyond, no number gets too large."""
    for seen, size, relevant in ((3, 10, 4), (9, 10, 9), (30, 70, 50), (1, 1, 1)):
        number, chance = chances(seen, size, relevant)
        exact = [
            Fraction(math.comb(relevant, k) * math.comb(size - relevant, seen - k), math.comb(size, seen))
            for k in number.tolist()
        ]
        assert sum(exact) == 1
        assert chance.tolist() == pytest.approx([float(value) for value in exact], rel=1e-12)
    number, chance = chances(500_000, 1_000_000, 500_000)
    assert np.isfinite(chance).all()
    assert float(np.dot(number, chance)) == pytest.approx(250_000)
    assert int(number[np.argmax(chance)]) == 250_000


def test_a_constant_scorer_has_no_reciprocal_rank_of_one() -> None:
    """One relevant document among 1,000 of one score: the mean of 1/r over all ranks."""
    topic = Topic((1,) + (UNKNOWN,) * 999, (1,))
    batch = tied(batch_of([topic]), [(1000,)])
    wanted = sum(1 / rank for rank in range(1, 1001)) / 1000
    assert expected_of(measure_of("recip_rank"))(batch)[0] == pytest.approx(wanted, rel=1e-12)


def test_what_does_not_depend_on_the_order_is_as_it_is() -> None:
    for measure in MEASURES:
        if not depends_on_order(measure) and Trait.SET in measure.traits:
            assert expected_of(measure) is measure.score


def test_measures_without_a_closed_form_say_so() -> None:
    lacking = {
        measure.name
        for measure in MEASURES
        if measure.relevance in (RelevanceInfo.QRELS, RelevanceInfo.ANY)
        and not depends_on_order(measure)
        and Trait.SET not in measure.traits
        and measure.format is not Format.TAG
    }
    assert {"iprec_at_recall", "err", "infAP", "gm_map", "relstring", "inst", "rbp_resid"} <= lacking
    for name in lacking:
        with pytest.raises(MeasureError, match=f"{name}: has no expected value in closed form"):
            expected_of(measure_of(name))
    with pytest.raises(MeasureError, match="-1="):
        empty: Any = tied(batch_of([Topic((1,), (1,))]), [(1,)])
        expected_of(measure_of("ndcg"))(empty, (("-1", 2.0),))

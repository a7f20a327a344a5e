"""Recall and its kin from samples: every interval beside a plain loop, and the examples of papers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.trials import ALL

from pres_eval.analysis.review_intervals import METHODS, QUANTITIES, ReviewSettings, least_share
from pres_eval.analysis.validation import Estimate, Validation, estimates_of_parts, estimates_of_topics
from pres_eval.analysis.yields import SampledPart


def part(
    found: bool, size: int, sampled: int, relevant: int, stratum: str = "all", topic: bytes = b"1"
) -> SampledPart:
    return SampledPart(topic, stratum, found, size, sampled, relevant)


def by_name(
    parts: list[SampledPart], method: str = "beta-binomial", confidence: float = 0.95
) -> dict[str, Estimate]:
    return {
        each.quantity: each for each in estimates_of_parts(b"1", parts, ReviewSettings(method, confidence))
    }


LOSEY = [part(True, 8_000, 8_000, 8_000, "found"), part(False, 92_000, 1_534, 5, "not found")]
"""Losey's first example of ei-Recall: 8,000 documents found, 5 of 1,534 others relevant."""


def test_loseys_example() -> None:
    found = by_name(LOSEY, "ei-recall")
    assert found["relevant missed"].low == pytest.approx(97.44, abs=0.01)
    assert found["relevant missed"].high == pytest.approx(698.28, abs=0.01)
    assert (found["recall"].low, found["recall"].high) == pytest.approx((0.9197, 0.9880), abs=5e-5)


def test_points_are_those_of_the_strata() -> None:
    parts = [
        part(True, 100, 20, 15, "a"),
        part(False, 900, 90, 3, "a"),
        part(True, 50, 50, 10, "b"),
        part(False, 2000, 100, 1, "b"),
    ]
    found = {name: each.estimate for name, each in by_name(parts).items()}
    inside, missed = 100 * 15 / 20 + 10, 900 * 3 / 90 + 2000 / 100
    assert found == pytest.approx(
        {
            "recall": inside / (inside + missed),
            "precision": inside / 150,
            "F1": 2 * inside / (150 + inside + missed),
            "prevalence": (inside + missed) / 3050,
            "elusion": missed / 2900,
            "relevant": inside + missed,
            "relevant found": inside,
            "relevant missed": missed,
        }
    )


def posterior_chances(own: SampledPart) -> dict[int, float]:
    left, a, b = own.size - own.sampled, own.relevant + 0.5, own.sampled - own.relevant + 0.5
    logs = [
        math.log(math.comb(left, k)) + math.lgamma(k + a) + math.lgamma(left - k + b) for k in range(left + 1)
    ]
    weights = [math.exp(log - max(logs)) for log in logs]
    return {own.relevant + k: weight / sum(weights) for k, weight in enumerate(weights)}


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ((20, 8, 6), (60, 15, 2)),
        ((12, 12, 7), (40, 10, 0)),
        ((10, 3, 0), (30, 30, 4)),
        ((9, 9, 0), (8, 3, 0)),
    ],
)
def test_beta_binomial_is_the_posterior_of_every_pair(
    inside: tuple[int, int, int], outside: tuple[int, int, int]
) -> None:
    parts = [part(True, *inside), part(False, *outside)]
    chances: dict[float, float] = {}
    for (a, p), (b, q) in itertools.product(
        posterior_chances(parts[0]).items(), posterior_chances(parts[1]).items()
    ):
        if a + b:
            chances[a / (a + b)] = chances.get(a / (a + b), 0.0) + p * q
    every, recall = math.fsum(chances.values()), by_name(parts)["recall"]
    # The interval reaches to the limits, which are exact and not of the posterior.
    assert recall.low <= recall.at_least and recall.high >= recall.at_most
    for value, limit, wanted in (
        (recall.low, recall.at_least, 0.0225),
        (recall.high, recall.at_most, 0.9775),
    ):
        if value != limit:
            below = math.fsum(p for share, p in chances.items() if share < value - 1e-9) / every
            upto = math.fsum(p for share, p in chances.items() if share <= value + 1e-9) / every
            assert below - 0.004 <= wanted <= upto + 0.004


def hypergeometric(part: SampledPart) -> Iterator[tuple[int, float]]:
    """Yield each number of relevant documents in a sample of a part, and its chance."""
    irrelevant, orders = part.size - part.relevant, math.comb(part.size, part.sampled)
    for drawn in range(max(0, part.sampled - irrelevant), min(part.relevant, part.sampled) + 1):
        ways = math.comb(part.relevant, drawn) * math.comb(irrelevant, part.sampled - drawn)
        yield drawn, ways / orders


@pytest.mark.parametrize(
    ("sizes", "steps"),
    [
        (((True, 30, 30), (False, 200, 20)), (30, 4)),
        (((True, 40, 12), (False, 200, 20)), (8, 40)),
        (((True, 60, 60), (False, 120, 10), (False, 40, 8)), (60, 24, 13)),
        (((True, 30, 5), (True, 20, 1), (False, 60, 6)), (10, 10, 20)),
    ],
)
def test_no_truth_makes_limits_wrong_in_more_than_six_percent(
    sizes: tuple[tuple[bool, int, int], ...], steps: tuple[int, ...]
) -> None:
    """Limits of 95 % were wrong in up to 13 % of reviews of one part; every sample, with its chance."""
    limits: dict[tuple[int, ...], dict[str, Estimate]] = {}
    choices = [range(0, size + 1, step) for (_, size, _), step in zip(sizes, steps, strict=True)]
    for relevant in itertools.product(*choices):
        truth = [part(*of_part, number) for of_part, number in zip(sizes, relevant, strict=True)]
        inside = sum(number for (found, _, _), number in zip(sizes, relevant, strict=True) if found)
        values = {"relevant": float(sum(relevant)), "relevant missed": float(sum(relevant) - inside)}
        if values["relevant"]:
            values["recall"] = inside / values["relevant"]
        wrong = dict.fromkeys(itertools.product(values, ("at_least", "at_most")), 0.0)
        for sample in itertools.product(*map(hypergeometric, truth)):
            drawn = tuple(number for number, _ in sample)
            if drawn not in limits:
                parts = [part(*of_part, number) for of_part, number in zip(sizes, drawn, strict=True)]
                every = estimates_of_parts(b"1", parts, ReviewSettings(draws=4000))
                limits[drawn] = {one.quantity: one for one in every}
            for name, value in values.items():
                estimate, chance = limits[drawn][name], math.prod(chance for _, chance in sample)
                wrong[name, "at_least"] += chance * (estimate.at_least > value + 1e-9)
                wrong[name, "at_most"] += chance * (estimate.at_most < value - 1e-9)
        assert max(wrong.values()) <= 0.06, (relevant, wrong)


def sampled_topic(chance: np.random.Generator, size: int, relevant: int, sampled: int) -> list[SampledPart]:
    """A sample of a topic whose review found 40 documents and nine tenths of the relevant ones."""
    first = max(int(chance.hypergeometric(40, size - 40, sampled)), 1)
    inside = relevant * 9 // 10
    hits = int(chance.hypergeometric(inside, 40 - inside, first))
    more = int(chance.hypergeometric(relevant - inside, size - 40 - relevant + inside, sampled - first))
    return [part(True, 40, first, hits), part(False, size - 40, sampled - first, more)]


def test_intervals_of_twenty_topics_hold_the_truth() -> None:
    """2.9.0 to 2.11.0: half a relevant document more in each topic; 5 of 200 intervals held the recall."""
    chance = np.random.default_rng(11)
    held = np.zeros(3)
    number = 200 if ALL else 100
    few_draws = ReviewSettings(draws=10_000)
    for _ in range(number):
        parts = [own for _ in range(20) for own in sampled_topic(chance, 2000, 20, 200)]
        found = {each.quantity: each for each in estimates_of_parts(b"1", parts, few_draws)}
        held += [
            found[name].low <= truth <= found[name].high
            for name, truth in (("recall", 0.9), ("relevant", 400), ("relevant missed", 40))
        ]
    assert (held >= 0.915 * number).all(), held


def test_the_estimate_of_ten_strata_is_within_its_interval() -> None:
    """2.9.0 to 2.11.0: "Of an estimated 400 (438 to 716) relevant documents"."""
    parts = [
        part(True, 300, 300, 300),
        *(part(False, 1000, 60, x, f"{x}") for x in (0, 1, 0, 2, 0, 0, 1, 0, 0, 2)),
    ]
    for each in by_name(parts).values():
        assert each.low <= each.estimate <= each.high


def test_seeds_move_recall_little_and_nothing_else() -> None:
    parts = [part(True, 852, 63, 39), part(False, 19_148, 1_437, 7)]
    first, second = (
        {each.quantity: each for each in estimates_of_parts(b"1", parts, ReviewSettings(seed=seed))}
        for seed in (0, 1)
    )
    assert first["recall"].low == pytest.approx(second["recall"].low, abs=0.001)
    for name in ("precision", "elusion", "relevant found", "relevant missed"):
        assert first[name] == second[name]


@given(st.tuples(*[st.floats(0, 1000)] * 3).map(sorted), st.tuples(*[st.floats(0, 1000)] * 3).map(sorted))
@settings(max_examples=300)
def test_shares_of_two_intervals_solve_their_equation(some: list[float], rest: list[float]) -> None:
    low, value, high = some
    least = least_share((value, low, high), (rest[1], rest[0], rest[2]))
    assert 0 <= least <= 1
    assert least <= value / (value + rest[1]) + 1e-9 if value + rest[1] else least == 0
    if least > 1e-6 and 1 - least > 1e-6:
        # Where the interval of (1 - r) a - r b begins at 0.
        error = math.hypot((1 - least) * (value - low), least * (rest[2] - rest[1]))
        assert (1 - least) * value - least * rest[1] == pytest.approx(error, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("method", ["beta-binomial", *METHODS])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_intervals_are_in_order_and_in_range(method: str, data: st.DataObject) -> None:
    parts = []
    for found in (True, False):
        size = data.draw(st.integers(1, 500))
        sampled = data.draw(st.integers(1, size))
        parts.append(part(found, size, sampled, data.draw(st.integers(0, sampled))))
    for name, each in by_name(parts, method).items():
        top = 1000 if name.startswith("relevant") else 1
        ends = (each.low, each.at_least, each.at_most, each.high)
        assert list(ends) == pytest.approx(sorted(ends), abs=1e-9, nan_ok=True)
        assert math.isnan(each.low) or -1e-9 <= each.low <= each.high + 1e-9 <= top + 2e-9
        if method != "beta-binomial" and not math.isnan(each.estimate):
            assert each.low - 1e-9 <= each.estimate <= each.high + 1e-9


@pytest.mark.parametrize("method", ["beta-binomial", *METHODS])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_intervals_hold_nothing_that_the_judged_documents_exclude(method: str, data: st.DataObject) -> None:
    parts = []
    for stratum in "abc"[: data.draw(st.integers(1, 3))]:
        for found in (True, False):
            sampled = data.draw(st.integers(1, 12))
            size = sampled + data.draw(st.integers(0, 40))
            parts.append(part(found, size, sampled, data.draw(st.integers(0, sampled)), stratum))
    sides = [[each for each in parts if each.found == found] for found in (True, False)]
    least = [sum(each.relevant for each in side) for side in sides]
    open_ = [sum(each.size - each.sampled for each in side) for side in sides]
    corners = itertools.product(*((low, low + more) for low, more in zip(least, open_, strict=True)))
    some, rest = (np.array(side, float) for side in zip(*corners, strict=True))
    sizes = sum(each.size for each in sides[0]), sum(each.size for each in sides[1])
    for name, each in by_name(parts, method).items():
        possible = QUANTITIES[name](some, rest, sizes)
        ends = [each.low, each.at_least, each.at_most, each.high]
        for end in ends if not np.isnan(possible).any() else []:
            assert possible.min() - 1e-9 <= end <= possible.max() + 1e-9


@pytest.mark.parametrize("method", ["beta-binomial", *METHODS])
def test_everything_judged_is_certain(method: str) -> None:
    found = by_name([part(True, 40, 40, 30), part(False, 60, 60, 10)], method)
    for each in found.values():
        ends = [each.low, each.high, each.at_least, each.at_most]
        assert ends == pytest.approx([each.estimate] * 4)
    assert found["recall"].estimate == 0.75
    parts = [part(True, 40, 40, 30), part(False, 60, 60, 10)]
    asked = ReviewSettings(method, target=0.75)
    assert Validation(asked, parts, []).shows(found["recall"])


@pytest.mark.parametrize("method", ["beta-binomial", *METHODS])
def test_what_cannot_be_said_is_nan(method: str) -> None:
    nothing_found = by_name([part(False, 60, 30, 3)], method)
    assert math.isnan(nothing_found["precision"].estimate)
    assert math.isnan(nothing_found["precision"].low)
    assert (nothing_found["recall"].estimate, nothing_found["recall"].high) == (0, 0)
    nothing_relevant = by_name([part(True, 20, 20, 0), part(False, 60, 60, 0)], method)
    assert math.isnan(nothing_relevant["recall"].estimate)
    assert not nothing_relevant["recall"].at_least > 0
    all_found = by_name([part(True, 20, 20, 5)], method)
    assert math.isnan(all_found["elusion"].high)
    assert all_found["recall"].low == 1


def test_topics_and_all_of_them() -> None:
    parts = [
        part(True, 20, 20, 5, topic=b"1"),
        part(False, 60, 30, 1, topic=b"1"),
        part(True, 20, 20, 5, topic=b"2"),
        part(False, 60, 30, 4, topic=b"2"),
    ]
    found = estimates_of_topics(parts, ReviewSettings())
    assert [each.topic for each in found] == [topic for topic in (b"1", b"2", b"all") for _ in QUANTITIES]
    relevant = [each.estimate for each in found if each.quantity == "relevant"]
    assert relevant[2] == sum(relevant[:2])
    assert found[: len(QUANTITIES)] == estimates_of_parts(b"1", parts[:2], ReviewSettings())


def test_targets_and_stopping() -> None:
    parts = [part(True, 852, 63, 39), part(False, 19_148, 1_437, 7)]
    found = Validation(ReviewSettings(target=0.7), parts, estimates_of_topics(parts, ReviewSettings()))
    recall = found.of("recall")[0]
    assert found.shows(recall)
    assert not Validation(ReviewSettings(target=0.8), parts, found.estimates).shows(recall)
    assert list(found.stopping(0.7)) == [(b"1", 46, 38, 39, True)]
    assert list(found.stopping(0.8)) == [(b"1", 46, 42, 39, False)]
    two = [*parts, part(False, 10, 5, 0, "other")]
    assert not list(Validation(ReviewSettings(), two, found.estimates).stopping(0.7))

"""Judgements and run given in each other's place: said, if the numbers show it, and never of good data."""

from __future__ import annotations

import random
import warnings

import pytest

import pres_eval as pe

SWAPPED = {
    "ties": ({"1": {"a": 990, "b": 870, "c": 870}}, {"1": {"a": 1, "b": 0, "c": 1}}),
    "few documents": ({"1": {"a": 30, "b": 20, "c": 10}}, {"1": {"a": 2, "b": 0}}),
    "small scores": ({"1": {"a": 9, "b": 9, "c": 7, "d": 7, "e": 5}}, {"1": {"a": 1, "b": 0, "e": 1}}),
}


def rows_of(data: dict[str, dict[str, int]]) -> list[tuple[str, str, int]]:
    return [(topic, one, value) for topic, found in data.items() for one, value in found.items()]


@pytest.mark.parametrize("name", SWAPPED)
def test_scores_in_the_place_of_grades_are_named(name: str) -> None:
    judged, run = SWAPPED[name]
    with pytest.warns(UserWarning, match="swapped"):
        pe.evaluate(judged, run, "map")


@pytest.mark.parametrize("name", SWAPPED)
def test_scores_in_the_place_of_grades_are_named_in_rows(name: str) -> None:
    """2.13.0 looked at dicts alone."""
    judged, run = SWAPPED[name]
    with pytest.warns(UserWarning, match="swapped"):
        pe.evaluate(rows_of(judged), rows_of(run), "map")


@pytest.mark.parametrize("seed", range(60))
def test_good_data_are_not_called_swapped(seed: int) -> None:
    """Grades 0 to 4, scores that are whole numbers, few or many, from 0, 1 or below."""
    draw = random.Random(seed)
    most, lowest = draw.choice((4, 9, 100, 10_000)), draw.choice((-100, 0, 1))
    ids = [f"d{number}" for number in range(draw.choice((3, 10, 50)))]
    judged = {str(topic): {one: draw.randint(0, draw.choice((1, 4))) for one in ids} for topic in range(5)}
    run = {topic: {one: draw.randint(lowest, most) for one in ids} for topic in judged}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pe.evaluate(judged, run, "map")
        pe.evaluate(rows_of(judged), rows_of(run), "map")
    assert not [one for one in said if "swapped" in str(one.message)]


@pytest.mark.parametrize(("number", "is_named"), [(5, False), (6, True)])
def test_six_different_grades_look_like_scores(number: int, is_named: bool) -> None:
    """All different, and few scores: from six documents on that is no coincidence."""
    ids = [f"d{place}" for place in range(number)]
    judged = {"1": {name: place for place, name in enumerate(ids)}}
    run = {"1": {name: place % 2 for place, name in enumerate(ids)}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pe.evaluate(judged, run, "map")
    messages = [str(warning.message) for warning in caught]
    assert any("the judgements are all different" in message for message in messages) == is_named

"""Runs evaluated one after the other against the same judgements: nothing of one shows in the next."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pres_eval as pe
from pres_eval.batches import plain
from pres_eval.measures import ndcg

TOPICS, DOCUMENTS = [f"t{number}" for number in range(4)], [f"d{number}" for number in range(6)]
GRADES = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1),
    min_size=1,
)
RUNS = st.fixed_dictionaries(
    {"t0": st.just({"d0": 1.0, "x": 0.5})},
    optional={
        topic: st.dictionaries(st.sampled_from([*DOCUMENTS, "x", "y"]), st.integers(0, 4), min_size=1)
        for topic in TOPICS[1:]
    },
)
MEASURES = [
    "all_trec",
    "ndcg.1=5,2=3",
    "ndcg_cut.1",
    "ndcg_exp_cut",
    "PRES.2,5",
    "map(rel=2)",
    "P(judged_only=True)@2",
]
CALLS = st.lists(
    st.tuples(RUNS, st.integers(1, 3), st.booleans(), st.sampled_from(["9.0.8", "10.0"])),
    min_size=2,
    max_size=4,
)


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@settings(deadline=None, max_examples=25)
@given(grades=GRADES, calls=CALLS)
def test_the_same_as_with_judgements_of_its_own(grades: dict[str, dict[str, int]], calls: list[Any]) -> None:
    grades = {"t0": {"d0": 1, "d1": 2}} | grades
    judged = pe.Qrels(grades)
    for run, level, complete, compat in calls:
        found, alone = (
            qrels.rank(run, compat=compat).evaluate(MEASURES, level=level, complete=complete, ties="best")
            for qrels in (judged, pe.Qrels(grades))
        )
        assert found.to_trec(per_topic=True) == alone.to_trec(per_topic=True)


@pytest.mark.filterwarnings("ignore:run. 1 of 2 topics")
def test_best_rankings_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MOST_PLAIN_TOPICS", 0)  # plain functions keep theirs elsewhere
    judged = pe.Qrels({"1": {"a": 1}, "2": {"b": 1, "c": 2}})
    runs = [
        judged.rank({"1": {"a": 1.0}, "2": {other: 2.0, "b": 1.0}}).evaluate(["ndcg_cut.5"]) for other in "xc"
    ]
    with mock.patch.object(ndcg, "best_ranking", side_effect=AssertionError):
        again = judged.rank({"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}}).evaluate(["ndcg_cut.5"])
        assert again.to_trec() == runs[1].to_trec() != runs[0].to_trec()
        with pytest.raises(AssertionError):
            judged.rank({"1": {"a": 1.0}}).evaluate(["ndcg_cut.5"])

"""Topics as they come and shards: the bits of an evaluation of the whole run, in any order of parts."""

from __future__ import annotations

import io
import json
import pickle
import random
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from support.trials import ALL

import pres_eval as pe

RNG = random.Random(3)
DOCUMENTS = [f"d{number}" for number in range(20)]
QRELS = {f"q{t}": {d: RNG.choice((0, 0, 1, 2)) for d in RNG.sample(DOCUMENTS, 9)} for t in range(40)}
OTHER_GRADES = {topic: {d: 2 - grade for d, grade in grades.items()} for topic, grades in QRELS.items()}
RUN = {f"q{t}": {d: RNG.random() for d in RNG.sample(DOCUMENTS, 12)} for t in range(3, 43)}
GROUPS = {topic: f"g{number % 7}" for number, topic in enumerate(QRELS)}
WEIGHTS = {topic: 0.25 * (1 + number % 5) for number, topic in enumerate(QRELS)}
MEASURES = ["all_trec", "PRES", "gm_map", "ndcg_exp_cut"]


def shards(count: int, seed: int) -> list[dict[str, dict[str, float]]]:
    topics = random.Random(seed).sample(sorted(RUN), len(RUN))
    return [{topic: RUN[topic] for topic in topics[place::count]} for place in range(count)]


def same(one: pe.Evaluation, other: pe.Evaluation) -> None:
    assert one.topics == other.topics
    assert repr(one.summary) == repr(other.summary)
    for label in one.measures:
        assert one.per_topic(label).tobytes() == other.per_topic(label).tobytes() or label == "relstring"
    assert one.groups == other.groups and one.to_trec(True) == other.to_trec(True)
    ours, theirs = json.loads(one.to_json()), json.loads(other.to_json())
    assert ours["runs"] == theirs["runs"]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"complete": True},
    {"level": 2},
    {"judged_only": True},
    {"groups": GROUPS, "weights": WEIGHTS},
    {"groups": GROUPS, "weights": WEIGHTS, "complete": True},
    {"level": 2, "complete": True, "empty": "one"},
    {"level": 2, "complete": True, "empty": "zero", "groups": GROUPS, "weights": WEIGHTS},
    {"level": 2, "empty": "one"},
]


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (count, options)
        for row, options in enumerate(OPTIONS)
        for column, count in enumerate((1, 2, 7, 12))
        if ALL or (row + column) % 2 == 0
    ],
)
def test_merge_and_accumulator(count: int, options: dict[str, Any]) -> None:
    qrels = pe.Qrels(QRELS)
    whole = qrels.rank(RUN).evaluate(MEASURES, **options)
    parts = [part for part in shards(count, count) if QRELS.keys() & part.keys()]
    first, *others = [qrels.rank(part).evaluate(MEASURES, **options) for part in parts]
    same(first.merge(*others), whole)
    accumulator = qrels.accumulator(MEASURES, **options)
    for number, part in enumerate(parts):
        accumulator.update(part)
        if number % 10 == 0:
            accumulator = pickle.loads(pickle.dumps(accumulator))
    same(accumulator.evaluation(), whole)
    assert accumulator.compute() == whole.to_floats()
    halves = [qrels.accumulator(MEASURES, **options) for _ in range(3)]
    for number, part in enumerate(parts):
        halves[number % 2].update(part)
    halves[2].merge_state(halves[:2])
    same(halves[2].evaluation(), whole)
    accumulator.reset()
    with pytest.raises(pe.PresEvalError, match="found no topics, expected an update before"):
        accumulator.compute()


@pytest.mark.parametrize("level", [1, 2])
def test_topics_without_relevant_documents_are_left_out_of_parts(level: int) -> None:
    qrels = pe.Qrels(QRELS | {"empty": {"d1": 0}})
    run = {"empty": {"d1": 1.0}} | {topic: RUN[topic] for topic in sorted(RUN.keys() & QRELS.keys())}
    whole = pe.evaluate(qrels, run, MEASURES, level=level, complete=True, empty="skip")
    accumulator = qrels.accumulator(MEASURES, level=level, complete=True, empty="skip")
    for part in (list(run)[::2], list(run)[1::2]):
        accumulator.update({topic: run[topic] for topic in part})
    same(accumulator.evaluation(), whole)
    ranked = qrels.of_topics("skip", level).rank(run)
    same(ranked.evaluate(MEASURES, level=level, complete=True, empty="skip"), whole)


def test_a_ranked_run_cannot_leave_topics_out() -> None:
    ranked = pe.Qrels({"1": {"a": 1}, "2": {"b": 0}}).rank({"1": {"a": 1.0}, "2": {"b": 1.0}})
    with pytest.raises(pe.PresEvalError, match=r"expected judgements without them: Qrels.of_topics\('skip'"):
        ranked.evaluate("map", empty="skip")
    with pytest.raises(pe.PresEvalError, match="1 of 2 topics without a relevant document, such as '2'"):
        ranked.evaluate("map", empty="error")


def test_running_averages_do_not_warn_of_topics_that_may_come() -> None:
    accumulator = pe.Qrels(QRELS).accumulator("map")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        accumulator.update({"q5": RUN["q5"]})
    with pytest.warns(match="1 topic has no judgements"):
        accumulator.update({"q6": RUN["q6"], "q99": {"a": 1.0}})
    values = [pe.evaluate({t: QRELS[t]}, {t: RUN[t]}, "map")["map"] for t in ("q5", "q6")]
    assert accumulator.compute() == {"map": np.add(*values) / 2}


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: pe.evaluate(QRELS, RUN, "map"), "found topic 'q10' twice"),
        (lambda: pe.evaluate(QRELS, RUN, "PRES"), r"found other measures \(PRES_"),
        (lambda: pe.evaluate(QRELS, RUN, "map", level=2), "found other options"),
        (lambda: pe.evaluate({"q3": {"a": 1}}, RUN, "map"), "found judgements of other topics"),
        (lambda: pe.evaluate(OTHER_GRADES, RUN, "map"), "found other judgements of the same topics"),
        (lambda: pe.evaluate(QRELS, RUN, "map", weights=WEIGHTS), "found other groups or weights of topics"),
    ],
)
def test_what_cannot_be_merged(other: Any, message: str) -> None:
    with pytest.raises(pe.PresEvalError, match=message):
        pe.evaluate(QRELS, RUN, "map").merge(other())


def _backwards() -> Any:
    return {topic: dict(reversed(QRELS[topic].items())) for topic in reversed(QRELS)}


def _scattered_lines() -> Any:
    lines = pe.Qrels(QRELS).to_trec().splitlines(keepends=True)
    return io.BytesIO(b"".join(random.Random(1).sample(lines, len(lines))))


def _floats() -> Any:
    return [(topic, d, float(grade)) for topic in QRELS for d, grade in QRELS[topic].items()]


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@pytest.mark.parametrize("same_judgements", [lambda: QRELS, _backwards, _scattered_lines, _floats])
def test_parts_by_the_same_judgements_in_other_forms(same_judgements: Any) -> None:
    """Each part may be of another process, and read its judgements from another source."""
    first_run, second_run = shards(2, 1)
    first, second = pe.evaluate(QRELS, first_run, "map"), pe.evaluate(same_judgements(), second_run, "map")
    whole = pe.evaluate(QRELS, RUN, "map")
    same(first.merge(second), whole)
    same(pickle.loads(pickle.dumps(second)).merge(first), whole)


JUDGED = pe.Qrels({"1": {"a": 1}, "2": {"b": 1}})


def test_parts_that_add_nothing() -> None:
    """A shard without judged topics does not stop a job; the whole run would leave its topics out."""
    found = JUDGED.accumulator("map")
    found.update({})
    with pytest.warns(match="update: found no topic with judgements"):
        found.update({"zz": {"d": 1.0}})
    with pytest.raises(pe.PresEvalError, match="found no topics, expected an update before"):
        found.compute()
    found.update({"1": {"a": 1.0}})
    assert found.compute() == {"map": 1.0}


def calls_of_an_update(accumulator: Any, topic: str) -> int:
    """Return how many functions, those in C too, an update of one topic calls."""
    count = 0

    def count_calls(frame: Any, event: str, function: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        accumulator.update({topic: {"a": 2.0, "b": 1.0}})
    finally:
        sys.setprofile(None)
    return count


def test_an_update_costs_what_its_topics_cost() -> None:
    topics = [f"t{number:04}" for number in range(60)]
    accumulator = pe.Qrels({topic: {"a": 1} for topic in topics}).accumulator(["map", "num_q"])
    calls = {number: calls_of_an_update(accumulator, topic) for number, topic in enumerate(topics)}
    assert abs(calls[59] - calls[5]) <= 5
    assert accumulator.compute() == {"map": 1.0, "num_q": 60.0}


def test_threads_lose_no_topic() -> None:
    topics = [f"t{number:03}" for number in range(120)]
    accumulator = pe.Qrels({topic: {"a": 1} for topic in topics}).accumulator("num_q")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda topic: accumulator.update({topic: {"b": 2.0, "a": 1.0}}), topics))
    finally:
        sys.setswitchinterval(interval)
    assert accumulator.compute() == {"num_q": 120.0}


def test_samplers_that_repeat_to_fill_a_batch() -> None:
    """A topic that comes again, from another process too, or a document of a topic: the first counts."""
    rows = [("1", "x", 3.0), ("1", "a", 2.0), ("1", "a", 4.0)]
    again = {"1": {"a": 9.0}}
    strict = JUDGED.accumulator(["map", "num_ret"])
    with pytest.raises(pe.PresEvalError, match="document 'a'"):
        strict.update(rows)
    first, second = (JUDGED.accumulator(["map", "num_ret"], duplicates="first") for _ in range(2))
    with pytest.warns(match="1 line was dropped"):
        first.update(rows)
    with pytest.warns(match=r"update: 1 topic added before: the first of each counts \(duplicates='first'\)"):
        first.update(again)
    second.update(again)
    second.update({"2": {"b": 1.0}})
    with pytest.warns(match="merge_state: 1 topic added before"):
        pickle.loads(pickle.dumps(first)).merge_state(second)
    with pytest.warns(match="merge_state: 1 topic added before"):
        first.merge_state(second)
    assert first.compute() == {"map": 0.75, "num_ret": 3.0}
    with pytest.raises(pe.PresEvalError, match=r"duplicates='best': expected 'error' or 'first'"):
        JUDGED.accumulator("map", duplicates="best")  # type: ignore[arg-type]


def test_a_topic_twice_changes_nothing() -> None:
    accumulator = JUDGED.accumulator("map")
    accumulator.update({"1": {"a": 1.0}})
    with pytest.raises(pe.PresEvalError, match=r"^update: found topic '1' twice, expected each topic once$"):
        accumulator.update({"1": {"a": 1.0}, "2": {"b": 1.0}})
    with pytest.raises(pe.PresEvalError, match=r"^merge_state: found topic '1' twice"):
        accumulator.merge_state(accumulator)
    accumulator.update({"2": {"x": 2.0, "b": 1.0}})
    assert accumulator.compute() == {"map": 0.75}


def test_one_or_several_others() -> None:
    """As torchmetrics calls it, and with a list."""
    first, second = JUDGED.accumulator("map"), JUDGED.accumulator("map")
    first.update({"1": {"a": 1.0}})
    second.update({"2": {"x": 2.0, "b": 1.0}})
    first.merge_state(second)
    assert first.compute() == {"map": 0.75}
    with pytest.raises(pe.PresEvalError, match="merge_state: found a int, expected accumulators"):
        first.merge_state([5])  # type: ignore[list-item]
    whole = JUDGED.rank({"1": {"a": 1.0}, "2": {"x": 2.0, "b": 1.0}}).evaluate("map")
    parts = [JUDGED.rank({topic: run}) for topic, run in (("1", {"a": 1.0}), ("2", {"x": 2.0, "b": 1.0}))]
    for part in parts:
        part.is_part = True
    one, other = (part.evaluate("map") for part in parts)
    assert one.merge([other]).to_trec(True) == one.merge(other).to_trec(True) == whole.to_trec(True)


def test_an_accumulator_of_other_judgements_changes_nothing() -> None:
    """It is refused at once, and what was there can still be computed."""
    other = pe.Qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}).accumulator("map")
    other.update({"2": {"b": 1.0}})
    accumulator = JUDGED.accumulator("map")
    accumulator.update({"1": {"x": 2.0, "a": 1.0}})
    with pytest.raises(pe.PresEvalError, match="found judgements of other topics"):
        accumulator.merge_state(other)
    assert accumulator.compute() == {"map": 0.5}

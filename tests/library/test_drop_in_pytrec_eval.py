"""pres_eval.pytrec_eval: the names, keys and values of pytrec_eval, to the last bit."""

from __future__ import annotations

import math
import pickle
import random
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import pytrec_eval as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from support.trials import ALL

import pres_eval as pe
from pres_eval import pytrec_eval as ours

DOCUMENTS = st.sampled_from([f"d{number}" for number in range(12)] + ["é", "EP1", "a long id of some words"])
TOPICS = st.sampled_from(["1", "10", "2", "q", "ü"])
SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2, 3, 16777216.0, 16777217.0]), st.floats(allow_nan=False)
)
JUDGED = st.dictionaries(DOCUMENTS, st.integers(-2, 4), min_size=1).filter(lambda of: max(of.values()) >= 0)
"""Where all judgements of a topic are negative, pytrec_eval ends the process."""
QRELS = st.dictionaries(TOPICS, JUDGED, min_size=1)
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, SCORES, min_size=1), min_size=1)
MEASURES = st.sets(
    st.sampled_from(
        [
            *("all_trec", "official", "set", "map", "ndcg", "P_5", "P.3,7", "ndcg_cut", "ndcg_cut.1,2"),
            *("ndcg_cut_20", "recall.5", "success_1", "iprec_at_recall_0.10", "Rprec_mult.0.5", "bpref"),
            *("gm_map", "relstring", "num_q", "set_F.0.5", "recip_rank", "infAP", "11pt_avg", "utility"),
        ]
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=150)
@given(QRELS, RUNS, MEASURES, st.integers(1, 3), st.booleans())
def test_like_pytrec_eval(
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    measures: set[str],
    level: int,
    judged_only: bool,
) -> None:
    arguments: dict[str, Any] = {"relevance_level": level, "judged_docs_only_flag": judged_only}
    expected = theirs.RelevanceEvaluator(qrels, measures, **arguments).evaluate(run)
    evaluator = ours.RelevanceEvaluator(qrels, measures, **arguments)
    found = evaluator.evaluate(run)
    for values in [*expected.values(), *found.values()]:
        values.pop("runid", None)  # theirs was never written
    assert repr(dict_of(found)) == repr(dict_of(expected))
    assert list(found) == [topic for topic in run if topic in qrels]
    assert repr(evaluator.evaluate(run)) == repr(pickle.loads(pickle.dumps(evaluator)).evaluate(run))


def dict_of(results: Any) -> dict[str, dict[str, str]]:
    """The values as they are to the last bit; nan is nan whatever its sign."""
    return {
        topic: {key: repr(value) for key, value in sorted(values.items())}
        for topic, values in sorted(results.items())
    }


def many(seed: int, judged: float) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(seed)
    ids = [f"doc{number}" for number in range(3000)]
    qrels, run = {}, {}
    for topic in map(str, range(20)):
        run[topic] = {document: rng.choice([rng.random(), 0.5]) for document in rng.sample(ids, 1000)}
        qrels[topic] = {document: rng.randint(0, 2) for document in ids if rng.random() < judged}
    return qrels, run


@pytest.mark.parametrize("judged", [0.01, 0.5])
def test_like_pytrec_eval_on_long_rankings(judged: float) -> None:
    qrels, run = many(1, judged)
    measures = theirs.supported_measures - {"runid"}
    assert dict_of(ours.RelevanceEvaluator(qrels, measures).evaluate(run)) == dict_of(
        theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
    )


def test_names() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert len(ours.supported_measures) == 34
    nicknames = {name: set(measures) for name, measures in ours.supported_nicknames.items()}
    assert nicknames == {name: set(measures) for name, measures in theirs.supported_nicknames.items()}
    assert set(theirs.__all__) <= set(ours.__all__)


QREL = {"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d2": 2.0}}


def test_an_empty_ranking_is_a_row_of_zeros() -> None:
    """pytrec_eval gives that for one measure, and ends the process for all of them."""
    row = ours.RelevanceEvaluator(QREL, {"all_trec"}).evaluate({"q2": {}, "q1": {}})["q1"]
    assert row.pop("num_q") == row.pop("num_rel") == 1.0
    assert row.pop("gm_map") == row.pop("gm_bpref") == math.log(0.00001)
    assert set(row.values()) == {0.0}
    # What gm_map gives there depends on what pytrec_eval has computed before.
    for measure in ("map", "bpref", "num_q", "ndcg"):
        expected = theirs.RelevanceEvaluator(QREL, {measure}).evaluate({"q1": {}})
        assert ours.RelevanceEvaluator(QREL, {measure}).evaluate({"q1": {}}) == expected


def test_what_pytrec_eval_has_not() -> None:
    run: dict[str, Any] = {"q1": {"d1": np.float32(1.0), "d2": np.int64(2)}, "q2": OrderedDict(d2=1.0)}
    assert ours.RelevanceEvaluator(QREL, ["map", "PRES.100"]).evaluate(run)["q1"] == {
        "map": 1.0,
        "PRES_100": 1.0,
    }
    assert ours.RelevanceEvaluator(QREL, ["ndcg.1=2"]).evaluate(RUN)["q2"] == {"ndcg": 1.0}
    numbers: Any = {1: {7: 1}}
    values: Any = ours.RelevanceEvaluator(numbers, ["map"]).evaluate(numbers)
    assert values == {1: {"map": 1.0}}


@pytest.mark.parametrize("measures", [["nothing"], ["P_x"], ["P."], ["prefs"], ["ndcg_cut.0"]])
def test_unknown_measures(measures: list[str]) -> None:
    with pytest.raises(ValueError):
        ours.RelevanceEvaluator(QREL, measures)


@pytest.mark.parametrize(
    "run", [[1], {"q1": [1]}, {"q1": {"d1": "x"}}, {"q1": {"d1": None}}, {"q1": {"d1": float("nan")}}]
)
def test_faulty_runs(run: Any) -> None:
    with pytest.raises(TypeError):
        ours.RelevanceEvaluator(QREL, {"map"}).evaluate(run)


@pytest.mark.parametrize(
    ("qrels", "level"), [([1], 1), ({"1": {"a": 1.5}}, 1), ({"1": {"a": "x"}}, 1), (QREL, 0)]
)
def test_faulty_judgements(qrels: Any, level: int) -> None:
    with pytest.raises(TypeError):
        ours.RelevanceEvaluator(qrels, {"map"}, relevance_level=level)


def test_no_topic_in_common() -> None:
    evaluator = ours.RelevanceEvaluator(QREL, {"map"})
    assert evaluator.evaluate({"q9": {"d1": 1.0}}) == {}
    assert evaluator.evaluate({}) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(RUN) == {}
    assert ours.RelevanceEvaluator({"q1": {}}, {"map"}).evaluate(RUN) == {}
    assert ours.RelevanceEvaluator({"q1": {"d1": -2}}, {"map"}).evaluate(RUN) == {"q1": {"map": 0.0}}
    assert ours.RelevanceEvaluator(QREL, set()).evaluate(RUN) == {"q1": {}, "q2": {}}


def test_lines_are_parsed() -> None:
    lines = ["1 Q0 a 1 2.5 t\n", "1 Q0 b 2 1 t\n", "2\tQ0\ta 1 1e-3 t"]
    assert ours.parse_run(lines) == theirs.parse_run(lines)
    judged = ["1 0 a 1\n", "1 0 b -1", "2 0 a 0"]
    assert ours.parse_qrel(judged) == theirs.parse_qrel(judged)
    for parse, line in ((ours.parse_run, lines[0]), (ours.parse_qrel, judged[0])):
        with pytest.raises(AssertionError):
            parse([line, line])
        with pytest.raises(ValueError, match="line 1: 1 columns"):
            parse(["1"])


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "P_5"])
def test_aggregates(measure: str) -> None:
    values = [0.1, 0.2, 0.7, -3.5]
    assert ours.compute_aggregated_measure(measure, values) == theirs.compute_aggregated_measure(
        measure, values
    )


def test_what_is_refused() -> None:
    qrels = {"q1": {"a": 1, "b": 2}}
    for module in (theirs, ours):
        for level in (1.5, 2.0, "1"):
            with pytest.raises(TypeError):
                module.RelevanceEvaluator(qrels, {"map"}, relevance_level=level)
        for documents in ({"a": "1.0"}, {"a": None}, None, ["a"]):
            with pytest.raises(TypeError):
                module.RelevanceEvaluator(qrels, {"map"}).evaluate({"q1": documents})
            with pytest.raises(TypeError):
                module.RelevanceEvaluator(qrels, {"infAP"}).evaluate({"q1": documents})
        assert module.RelevanceEvaluator(qrels, {"map"}).evaluate({}) == {}
        assert module.RelevanceEvaluator({}, {"map"}).evaluate({"q1": {"a": 1.0}}) == {}


def test_supported_nicknames() -> None:
    assert ours.supported_nicknames == theirs.supported_nicknames


@pytest.mark.parametrize("measures", [{"num_rel", "map"}, {"num_rel", "map", "infAP"}])
@pytest.mark.parametrize("level", [1, 2])
def test_a_topic_without_documents(measures: set[str], level: int) -> None:
    """Theirs counts its relevant documents once the process has evaluated any."""
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1, "d": 1, "e": 2, "f": 0}}
    evaluators = [module.RelevanceEvaluator(qrels, measures, level) for module in (theirs, ours)]
    runs: list[dict[str, dict[str, float]]] = [
        {"q1": {"a": 1.0}, "q2": {}},
        {"q2": {}},
        {"q2": {}, "q1": {}, "q3": {}},
    ]
    for run in runs:
        expected, found = (evaluator.evaluate(run) for evaluator in evaluators)
        assert found == expected


OURS: list[dict[str, Any]] = [
    {"map_docs": r"^(.*)#\d+$"},
    {"map_docs": r"^(.*)#\d+$", "map_ranks": "kept"},
    {"map_docs": {"d1#0": "d1", "d2#0": "d1"}, "exclude": "self"},
    {"exclude": {"q1": ["d1"], "q2": ["d3"]}, "exclude_from": "run"},
    {"empty": "zero"},
    {"empty": "skip"},
    {"empty": "one"},
    {"ties": "expected"},
    {"ties": "best", "max_retrieved": 3},
    {"compat": "10.0", "max_retrieved": 2},
]


@pytest.mark.parametrize("chosen", OURS)
@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_what_pytrec_eval_has_not_is_what_evaluate_gives(chosen: dict[str, Any]) -> None:
    rng = random.Random(str(chosen))
    documents = [f"d{number}{end}" for number in range(6) for end in ("", "#0", "#1")] + ["q1"]
    for _ in range(20 if ALL else 8):
        qrels = {
            f"q{topic}": {d: rng.choice([0, 0, 1, 2]) * (topic != 3) for d in rng.sample(documents, 7)}
            for topic in range(4)
        }
        run = {f"q{topic}": {d: round(rng.random(), 1) for d in rng.sample(documents, 9)}
               for topic in range(1, 5)}  # fmt: skip
        evaluator = ours.RelevanceEvaluator(qrels, {"map", "P.2,5", "recip_rank"}, pres_eval=chosen)
        expected = pe.evaluate(qrels, run, ["map", "P.2,5", "recip_rank"], **chosen).to_dict()
        assert evaluator.evaluate(run) == expected
        assert pickle.loads(pickle.dumps(evaluator)).evaluate(run) == expected


def test_topics_for_which_nothing_was_retrieved_are_worth_one_if_nothing_is_right() -> None:
    evaluator = ours.RelevanceEvaluator({"q1": {"a": 0}, "q2": {"a": 1}}, {"map"}, pres_eval={"empty": "one"})
    found = evaluator.evaluate({"q1": {}, "q2": {"a": 1.0}})
    assert found == {"q1": {"map": 1.0}, "q2": {"map": 1.0}}
    assert evaluator.evaluate({"q1": {}}) == {"q1": {"map": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"levels": 2}, TypeError, "pres_eval: found 'levels', expected some of map_docs, map_ranks"),
        ({"map_ranks": "kept"}, pe.PresEvalError, "map_ranks='kept': expected map_docs too"),
        ({"ties": "random"}, pe.PresEvalError, "ties='random': expected one of docno"),
        ({"map_docs": "nothing"}, pe.PresEvalError, "^map_docs nothing: no such file, and no pattern"),
    ],
)
def test_arguments_that_make_no_sense(arguments: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        ours.RelevanceEvaluator({"q1": {"a": 1}}, {"map"}, pres_eval=arguments)


def test_the_first_of_several_unsupported_measures_is_named() -> None:
    """It was any of them, another one in each process."""
    names = {f"nothing{number}" for number in range(9)}
    with pytest.raises(ValueError, match="unsupported measure nothing0"):
        ours.RelevanceEvaluator({"1": {"a": 1}}, names)

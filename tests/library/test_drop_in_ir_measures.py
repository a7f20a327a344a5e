"""pres_eval.ir_measures: what ir_measures' own provider gives for trec_eval's measures, and PRES besides."""

from __future__ import annotations

import importlib
import math
import random
from typing import Any

import ir_measures
import pytest
from support.tables import frame, rows_of

import pres_eval as pe
import pres_eval.ir_measures as ours

OLD = ir_measures.pytrec_eval
MEASURES = [
    *("P@5", "P(rel=2)@10", "P(judged_only=True)@5", "RR", "RR(rel=2)", "Rprec", "AP", "AP(rel=2)", "AP@10"),
    *("AP(judged_only=True)", "nDCG", "nDCG@10", "nDCG(gains={1:2,2:5})@10", "nDCG(judged_only=True)@5"),
    *("R@5", "R(rel=2)@20", "Bpref", "Bpref(rel=2)", "NumRet", "NumRet(rel=1)", "NumQ", "NumRel", "SetAP"),
    *("SetF", "SetF(beta=2.0)", "SetP", "SetP(relative=True)", "SetR", "Success@1", "Success(rel=2)@5"),
    *("IPrec@0.1", "IPrec@1.0", "infAP", "infAP(rel=2)"),
]


def data(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(seed)
    ids = [f"d{number}" for number in range(60)]
    topics = [str(topic) for topic in range(12)]
    qrels = {topic: {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(ids, 20)} for topic in topics[:10]}
    run = {topic: {d: rng.choice([rng.random(), 0.5]) for d in rng.sample(ids, 40)} for topic in topics[2:]}
    return qrels, run


def by_pair(metrics: Any) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}


def as_rows(data: Any, kind: Any) -> list[Any]:
    return [kind(*row) for row in rows_of(data)]


def as_frame(data: Any, value: str) -> Any:
    return frame("pandas", data, ("query_id", "doc_id", value))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dicts", "tuples", "frames"])
@pytest.mark.parametrize("seed", range(3))
def test_like_the_provider_of_pytrec_eval(seed: int, kind: str) -> None:
    qrels, run = data(seed)
    measures = [ir_measures.parse_measure(text) for text in MEASURES]
    expected = OLD.calc(measures, qrels, run)
    given: tuple[Any, Any] = (qrels, run)
    if kind == "tuples":
        given = (as_rows(qrels, ir_measures.Qrel), as_rows(run, ir_measures.ScoredDoc))
    elif kind == "frames":
        given = (as_frame(qrels, "relevance"), as_frame(run, "score"))
    found = ours.PROVIDER.calc(measures, *given)
    assert list(by_pair(found.per_query).items()) == list(by_pair(expected.per_query).items())
    assert by_pair(ours.PROVIDER.iter_calc(measures, *given)) == by_pair(expected.per_query)
    for aggregated in (found.aggregated, ours.PROVIDER.calc_aggregate(measures, *given)):
        assert aggregated == pytest.approx(expected.aggregated, rel=1e-14)


@pytest.mark.parametrize("kind", ["dicts", "tuples", "frames", "generators"])
@pytest.mark.parametrize("seed", range(4))
def test_topics_come_and_are_added_up_in_the_order_of_the_run(seed: int, kind: str) -> None:
    """2.9.0: in byte order, so that means differed in the last digit."""
    rng = random.Random(seed)
    topics = [str(topic) for topic in rng.sample(range(1, 200), 40)]
    ids = [f"d{number}" for number in range(30)]
    run = {topic: {d: rng.random() for d in rng.sample(ids, 15)} for topic in topics}
    qrels = {topic: {d: rng.choice([0, 1, 2]) for d in ids} for topic in sorted([*topics, "x", "0"])}
    measures = [ir_measures.parse_measure(text) for text in ("AP", "nDCG@10", "RR", "P@5", "Rprec", "Bpref")]

    def given() -> Any:
        if kind == "generators":
            return iter(as_rows(run, ir_measures.ScoredDoc))
        if kind == "tuples":
            return as_rows(run, ir_measures.ScoredDoc)
        return run if kind == "dicts" else as_frame(run, "score")

    assert ours.PROVIDER.calc_aggregate(measures, qrels, given()) == OLD.calc_aggregate(
        measures, qrels, given()
    )
    found, expected = (list(each.iter_calc(measures, qrels, given())) for each in (ours.PROVIDER, OLD))
    assert list(by_pair(found).items()) == list(by_pair(expected).items())


def test_a_measure_asked_for_twice_has_one_value_of_a_topic() -> None:
    """Topics that the run lacks had it twice."""
    qrels, run = data(1)
    measures = [ir_measures.nDCG @ 10, ir_measures.AP, ir_measures.nDCG @ 10]
    expected = list(OLD.iter_calc(measures, qrels, run))
    assert [*ours.PROVIDER.iter_calc(measures, qrels, run)] == expected
    assert len(expected) == 2 * len(qrels)


def test_levels_of_recall_have_two_digits() -> None:
    """Of 20 relevant documents 4 come first, which is a recall of 0.2, and the fifth comes tenth."""
    qrels = {"1": {f"r{number}": 1 for number in range(20)}}
    retrieved = ["r0", "r1", "r2", "r3", "a", "b", "c", "d", "e", "r4"]
    run = {"1": {document: -float(rank) for rank, document in enumerate(retrieved)}}
    levels = {ir_measures.IPrec @ 0.2: 1.0, ir_measures.IPrec @ 0.25: 0.5, ir_measures.IPrec @ 0.26: 0.0}
    assert ours.PROVIDER.calc_aggregate(list(levels), qrels, run) == levels


@pytest.mark.filterwarnings("ignore:.*equal scores:pres_eval.errors.PresEvalWarning")
def test_our_measures() -> None:
    """The values are those of `evaluate`, averaged over all topics of the judgements."""
    qrels, run = data(7)
    texts = {"PRES@10": "PRES.10", "PRES_est@5": "PRES_est.5", "Fprime(beta=4.0)@10": "Fprime.4,10"}
    measures = {ir_measures.parse_measure(text): name for text, name in texts.items()}
    found = ir_measures.calc_aggregate(list(measures), qrels, run)
    complete = pe.Qrels(qrels).rank(run)
    with pytest.warns(match="have no judgements"):
        expected = complete.evaluate(list(texts.values()), complete=True)
    assert {measures[measure]: value for measure, value in found.items()} == {
        name: expected[name] for name in texts.values()
    }
    [(measure, value)] = ir_measures.calc_aggregate([ours.Rnorm(docs=1000, rel=2) @ 20], qrels, run).items()
    assert str(measure) == "Rnorm(docs=1000,rel=2)@20" or str(measure) == "Rnorm(rel=2,docs=1000)@20"
    with pytest.warns(match="have no judgements"):
        rnorm = complete.evaluate("Rnorm.20", level=2, num_docs=1000, complete=True)
    assert value == rnorm["Rnorm_20"]


def test_ours_goes_first_where_it_computes_the_same() -> None:
    providers = ir_measures.DefaultPipeline.providers
    assert providers[0] is ours.PROVIDER
    for text in (*MEASURES, "PRES@100", "Rnorm(docs=5)"):
        assert ours.PROVIDER.supports(ir_measures.parse_measure(text)), text
    for text in ("RR@10", "Judged@10", "ERR@20", "RBP", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:0.5})@5"):
        assert not ours.PROVIDER.supports(ir_measures.parse_measure(text)), text
    qrels, run = data(1)
    mixed = [ir_measures.parse_measure(text) for text in ("RR@10", "AP", "PRES@100", "Judged@10")]
    assert set(ir_measures.calc_aggregate(mixed, qrels, run)) == set(mixed)


READERS = [
    *(
        "BPM(T=1.0,max_rel=2)@10",
        "BPM(T=2.5,min_rel=1,max_rel=3)@5",
        "SDCG(max_rel=2)@10",
        "INST(T=2.0,max_rel=2)",
    ),
    *("INSQ(T=2.0,max_rel=2)", "NERR8(max_rel=2)@10", "NERR9(max_rel=2)@10", "NERR10(p=0.8,max_rel=2)"),
    *(
        "NERR11(T=1.5,max_rel=2)",
        "Compat(p=0.9)",
        "Compat(p=0.9,normalize=False)",
        "RBP(p=0.7,rel=1)",
        "Accuracy",
    ),
    *("Accuracy(rel=2)@5", "Judged", "Judged@10", "ERR@10", "RR(rel=2)@10", "nDCG(dcg='exp-log2')@10"),
]
DIVERSITY = [
    *(
        "alpha_DCG@10",
        "alpha_nDCG(alpha=0.3,rel=2)@10",
        "ERR_IA@10",
        "nERR_IA@10",
        "NRBP(alpha=0.25,beta=0.8)",
    ),
    *("nNRBP", "AP_IA", "P_IA(rel=2)@10", "StRecall@10"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "package"), [(READERS, "cwl"), (DIVERSITY, "pyndeval")], ids=["readers", "diversity"]
)
def test_families_are_computed_where_their_packages_are_not_there(texts: list[str], package: str) -> None:
    """The last providers give what those give that come before them if they are installed."""
    pytest.importorskip(package)
    behind = ir_measures.DefaultPipeline.providers[-2:]
    others = [one for one in ir_measures.DefaultPipeline.providers[1:-2] if one.is_available()]
    generator = random.Random(5)
    documents = [f"d{number}" for number in range(60)]
    run = {
        str(topic): {d: generator.random() for d in generator.sample(documents, 40)} for topic in range(1, 5)
    }
    qrels = [
        ir_measures.Qrel(topic, document, generator.choice([0, 0, 1, 2]), str(subtopic))
        for topic in run
        for subtopic in range(1, 4 if texts is DIVERSITY else 2)
        for document in generator.sample(documents, 30)
    ]
    compared = 0
    for text in texts:
        measure = ir_measures.parse_measure(text)
        (mine,) = [one for one in behind if one.supports(measure)]
        found = by_pair(mine.iter_calc([measure], qrels, run))
        for theirs in [one for one in others if one.supports(measure)][:1]:
            expected = by_pair(theirs.iter_calc([measure], qrels, run))
            # ir_measures' Accuracy leaves out topics without relevant documents at the top.
            there = {pair: found[pair] for pair in expected}
            assert there == pytest.approx(expected, rel=1e-9, abs=1e-5 if theirs.NAME == "gdeval" else 1e-12)
            compared += len(expected)
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] >= 0
    assert compared >= 4 * 9


def test_what_no_other_provider_computes() -> None:
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    wanted = {"RBP(p=0.5)@2": 0.5 * 0.5, "RBP(p=0.5,rel=1)@3": 0.5 * (0.5 + 0.25), "RBP(p=0.5,rel=2)@3": 0.25}
    for text, value in wanted.items():
        measure = ir_measures.parse_measure(text)
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == value
    diversity = ir_measures.DefaultPipeline.providers[-1]
    measure = ir_measures.parse_measure("StRecall@5")
    assert math.isnan(diversity.calc_aggregate([measure], [], run)[measure])


def test_a_measure_with_and_without_cutoff() -> None:
    """Both in one call were a TypeError."""
    accuracy = [ir_measures.Accuracy @ 2, ir_measures.Accuracy]
    provider = ir_measures.providers.registry["pres_eval_readers"]
    rnorm = [ours.Rnorm(docs=1000) @ 20, ours.Rnorm(docs=1000)]
    for measures, its in ((accuracy, provider), (rnorm, ours.PROVIDER)):
        both = its.calc_aggregate(measures, *data(1))
        assert both == {one: its.calc_aggregate([one], *data(1))[one] for one in measures}


def test_a_second_import_changes_nothing() -> None:
    before = list(ir_measures.DefaultPipeline.providers)
    again = importlib.reload(ours)
    assert [type(p).__name__ for p in ir_measures.DefaultPipeline.providers] == [
        type(p).__name__ for p in before
    ]
    assert again.PROVIDER.supports(ir_measures.parse_measure("PRES@100"))


@pytest.mark.parametrize(("qrels", "run"), [({}, {"1": {"a": 1.0}}), ({"1": {"a": 1}}, {}), ([], [])])
def test_nothing_to_evaluate(qrels: Any, run: Any) -> None:
    measures = [ir_measures.AP, ir_measures.NumQ]
    expected = OLD.calc(measures, qrels, run)
    found = ours.PROVIDER.calc(measures, qrels, run)
    assert repr(found.aggregated) == repr(expected.aggregated)
    assert by_pair(found.per_query) == by_pair(expected.per_query)


def test_a_document_given_twice_is_an_error() -> None:
    rows = [ir_measures.ScoredDoc("1", "a", 1.0), ir_measures.ScoredDoc("1", "a", 2.0)]
    with pytest.raises(pe.PresEvalError, match="again"):
        ir_measures.calc_aggregate([ir_measures.AP], {"1": {"a": 1}}, rows)


def test_ids_that_no_file_could_have_are_told() -> None:
    """Judgements with subtopics are read as a file is: no id can have blanks."""
    diversity = ir_measures.DefaultPipeline.providers[-1]
    measure = ir_measures.parse_measure("StRecall@5")
    with pytest.raises(pe.PresEvalError, match="qrels: id 'a b', expected one without blanks"):
        diversity.calc_aggregate([measure], [ir_measures.Qrel("1", "a b", 1, "1")], {"1": {"a b": 1.0}})


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"q1": {"a": 1}, "q2": {}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}),
        ({"q1": {"a": 1}, "q2": {}}, {"q1": {"a": 1.0}}),
        ({"q1": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}),
        ({"q1": {"a": 1}, "q2": {"b": -1}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}),
        ({"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}, {"q1": {"a": 1.0}, "q2": {}}),
        ({"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}, {"q1": {"a": 1.0}}),
        ({"q2": {}}, {"q2": {"a": 1.0}}),
        ({}, {"q2": {"a": 1.0}}),
    ],
)
@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_topics_without_judgements_or_documents(qrels: Any, run: Any) -> None:
    """The averages of the provider pytrec_eval itself, whatever a topic lacks."""
    names = ("AP", "nDCG@10", "NumQ", "NumRel", "P@5", "RR", "IPrec@0.0", "NumRet", "SetP")
    measures = [ir_measures.parse_measure(name) for name in names]
    theirs = ir_measures.providers.registry["pytrec_eval"]
    found = ours.PROVIDER.calc_aggregate(measures, qrels, run)
    expected = theirs.calc_aggregate(measures, qrels, run)
    assert {str(m): repr(v) for m, v in found.items()} == {str(m): repr(v) for m, v in expected.items()}


def test_judgements_that_are_rewritten_rewrite_runs() -> None:
    """What ir_measures has no arguments for goes by the judgements."""
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}, "3": {"d": 1}}
    run = {"1": {"a#0": 3.0, "a#1": 2.0, "x": 1.5, "b#0": 1.0}, "2": {"y#0": 2.0, "c#3": 1.0}, "3": {}}
    rewritten = pe.Qrels(qrels).rewritten(map_docs=r"^(.*)#\d+$", exclude={"1": ["x"]})
    by_hand = {"1": {"a": 3.0, "b": 1.0}, "2": {"y": 2.0, "c": 1.0}, "3": {}}
    chosen = [ir_measures.AP, ir_measures.nDCG @ 5, ir_measures.P @ 2]
    provider = ours.PresEvalProvider()
    found = provider.evaluator(chosen, rewritten)
    wanted = provider.evaluator(chosen, qrels)
    assert found.calc_aggregate(run) == wanted.calc_aggregate(by_hand)
    each = {(one.query_id, one.measure): one.value for one in found.iter_calc(run)}
    assert each == {(one.query_id, one.measure): one.value for one in wanted.iter_calc(by_hand)}


def test_gains_that_are_grades_of_others() -> None:
    """Each document gets the gain of its own grade, not that of its gain."""
    measure = ir_measures.nDCG(cutoff=5, gains={0: 1, 1: 0})
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 2.0}}
    for provider in (ours.PROVIDER, OLD):
        assert provider.calc_aggregate([measure], qrels, run) == {measure: 1.0}

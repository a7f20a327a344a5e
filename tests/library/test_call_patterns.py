"""Calls as public programs make them: the drop-ins give the values of pytrec_eval and ir_measures.

Each function is a way of calling that was found in published code, written anew.
"""

from __future__ import annotations

import io
import json
import statistics
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from ir_measures import AP, MRR, RR, NumRet, P, Qrel, R, ScoredDoc, SetF, SetR, Success, nDCG

import pres_eval.ir_measures as our_provider
from pres_eval import pytrec_eval as ours

QRELS = {
    "q1": {"d1": 1, "d2": 0, "d3": 2},
    "q2": {"d2": 1, "d9": 3},
    "q3": {"d7": 0, "d8": 0},
    "q4": {"d4": 2, "d5": 1, "d6": 1},
}
RUN = {
    "q1": {"d3": 9.5, "d2": 9.5, "x1": 8.0, "d1": 1.25},
    "q2": {"d9": 0.3, "x2": 0.7, "d2": 0.1},
    "q3": {"d7": 1.0, "x1": 2.0},
    "q9": {"d1": 1.0},
}
QRELS_TEXT = "".join(
    f"{topic} 0 {docno} {grade}\n" for topic, grades in QRELS.items() for docno, grade in grades.items()
)
RUN_TEXT = "".join(
    f"{topic} Q0 {docno} {rank} {score} tag\n"
    for topic, scores in RUN.items()
    for rank, (docno, score) in enumerate(scores.items(), 1)
)


def names_with_underscores(tool: Any) -> Any:
    measures = {"recip_rank"} | {
        f"{name}_{cutoff}" for name in ("ndcg_cut", "recall") for cutoff in (1, 5, 10, 100)
    }
    by_topic = tool.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    return {
        name: sum(values[name] for values in by_topic.values()) / len(by_topic) for name in sorted(measures)
    }


def four_lists_of_cutoffs(tool: Any) -> Any:
    cutoffs = [1, 3, 5, 10, 100, 1000]
    texts = {f"{name}.{','.join(map(str, cutoffs))}" for name in ("map_cut", "ndcg_cut", "recall", "P")}
    scores = tool.RelevanceEvaluator(QRELS, texts).evaluate(RUN)
    found: dict[str, float] = defaultdict(float)
    for topic in scores:
        for cutoff in cutoffs:
            for name in ("ndcg_cut", "map_cut", "recall", "P"):
                found[f"{name}@{cutoff}"] += scores[topic][f"{name}_{cutoff}"]
    return {name: round(total / len(scores), 5) for name, total in found.items()}


def a_topic_at_a_time(tool: Any) -> Any:
    evaluator = tool.RelevanceEvaluator(QRELS, {"ndcg_cut_10"})
    return [
        100 * evaluator.evaluate({topic: RUN[topic]})[topic]["ndcg_cut_10"] for topic in RUN if topic in QRELS
    ]


def all_supported_measures(tool: Any) -> Any:
    results = tool.RelevanceEvaluator(QRELS, tool.supported_measures).evaluate(RUN)
    *_, (_, of_last) = sorted(results.items())
    names = sorted(name for name in of_last if name != "runid")
    return {
        name: tool.compute_aggregated_measure(name, [values[name] for values in results.values()])
        for name in names
        if not isinstance(of_last[name], str)
    }


def two_levels_of_relevance(tool: Any) -> Any:
    graded = tool.RelevanceEvaluator(QRELS, {"ndcg_cut"}, relevance_level=1)
    binary = tool.RelevanceEvaluator(QRELS, {"map_cut", "P", "bpref"}, relevance_level=2)
    results = {topic: dict(values) for topic, values in graded.evaluate(RUN).items()}
    for topic, values in binary.evaluate(RUN).items():
        results.setdefault(topic, {}).update(values)
    return results


def keys_of_a_dict_as_measures(tool: Any) -> Any:
    renamed = {"P_5": "p@5", "ndcg_cut_20": "ndcg@20", "map": "map"}
    by_topic = tool.RelevanceEvaluator(QRELS, renamed.keys(), relevance_level=2).evaluate(RUN)
    return {ours: {topic: by_topic[topic][name] for topic in by_topic} for name, ours in renamed.items()}


def files_opened(tool: Any) -> Any:
    qrels, run = tool.parse_qrel(io.StringIO(QRELS_TEXT)), tool.parse_run(io.StringIO(RUN_TEXT).readlines())
    return qrels, run, tool.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run)


def results_as_json(tool: Any) -> Any:
    return json.dumps(tool.RelevanceEvaluator(QRELS, {"map", "ndcg"}).evaluate(RUN), indent=1, sort_keys=True)


def means_without_zeros(tool: Any) -> Any:
    measures = ["map", "P_5", "ndcg"]
    results = tool.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    above = {name: [values[name] for values in results.values() if values[name] != 0] for name in measures}
    return [tool.compute_aggregated_measure(name, above[name]) for name in measures]


def negative_ranks_for_scores(tool: Any) -> Any:
    run = {
        str(topic): {str(document): -rank for rank, document in enumerate(found, 1)}
        for topic, found in ((1, (7, 3, 9)),)
    }
    qrels = {"1": {"3": 1, "9": 1, "12": 1}}
    return tool.RelevanceEvaluator(qrels, {"map_cut", "ndcg_cut", "recip_rank", "recall"}).evaluate(run)


def other_kinds_of_dict(tool: Any) -> Any:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    run: dict[str, dict[str, float]] = defaultdict(OrderedDict)
    for topic, grades in QRELS.items():
        qrels[topic].update(grades)
    for topic, scores in RUN.items():
        run[topic].update(sorted(scores.items(), key=lambda item: -item[1]))
    return tool.RelevanceEvaluator(qrels, {"recip_rank", "P_20"}).evaluate(run)


def sets_found_and_an_average_added(tool: Any) -> Any:
    run = {topic: dict.fromkeys(scores, 1) for topic, scores in RUN.items()}
    measures = {"set_F", "set_P", "set_recall"}
    results = tool.RelevanceEvaluator(QRELS, measures).evaluate(run)
    results["average"] = {
        name: float(tool.compute_aggregated_measure(name, [values[name] for values in results.values()]))
        for name in measures
    }
    return results


def values_that_may_lack(tool: Any) -> Any:
    run = {**RUN, "q4": {}}
    results = tool.RelevanceEvaluator(QRELS, {"recall_10", "map_cut_10"}).evaluate(run)
    return {
        name: np.mean([values.get(name, 0) for values in results.values()]) for name in ("recall_10", "P_3")
    }


def scores_of_numpy(tool: Any) -> Any:
    rows = np.array([[0.25, 0.5, 0.125], [3.0, 1.0, 2.0]])
    run = {
        f"q{row + 1}": {f"d{column + 1}": value for column, value in enumerate(values)}
        for row, values in enumerate(rows)
    }
    return tool.RelevanceEvaluator(QRELS, {"ndcg_cut_3", "map"}).evaluate(run)


def a_frame_of_results(tool: Any) -> Any:
    results = tool.RelevanceEvaluator(QRELS, {"map", "recip_rank", "num_rel_ret"}).evaluate(RUN)
    frame = pd.DataFrame.from_dict(results, orient="index").sort_index(axis=1)
    return frame.mean().to_dict(), frame.index.tolist(), frame.columns.tolist()


def the_best_parameter(tool: Any) -> Any:
    evaluator, best = tool.RelevanceEvaluator(QRELS, {"map"}), (0.0, -1.0)
    for weight in (0.0, 0.5, 1.0):
        run = {
            topic: {d: score * weight + len(d) for d, score in scores.items()}
            for topic, scores in RUN.items()
        }
        values = [values["map"] for values in evaluator.evaluate(run).values()]
        best = max(best, (tool.compute_aggregated_measure("map", values), weight))
    return best


def paired_topics_of_two_runs(tool: Any) -> Any:
    evaluator = tool.RelevanceEvaluator(QRELS, {"ndcg_cut_10"})
    first, second = evaluator.evaluate(RUN), evaluator.evaluate({topic: RUN[topic] for topic in ("q1", "q2")})
    return sorted(
        (topic, first[topic]["ndcg_cut_10"] - second[topic]["ndcg_cut_10"])
        for topic in set(first) & set(second)
    )


def cut_runs_anew(tool: Any) -> Any:
    found = {}
    for measure in ("recip_rank", "ndcg_cut_20", "P_20"):
        for depth in (1, 2, 5):
            run = {
                topic: dict(sorted(scores.items(), key=lambda item: -item[1])[:depth])
                for topic, scores in RUN.items()
            }
            results = tool.RelevanceEvaluator(QRELS, {measure}).evaluate(run)
            found[measure, depth] = statistics.mean(values[measure] for values in results.values())
    return found


PYTREC_EVAL: list[Callable[[Any], Any]] = [
    names_with_underscores,
    four_lists_of_cutoffs,
    a_topic_at_a_time,
    all_supported_measures,
    two_levels_of_relevance,
    keys_of_a_dict_as_measures,
    files_opened,
    results_as_json,
    means_without_zeros,
    negative_ranks_for_scores,
    other_kinds_of_dict,
    sets_found_and_an_average_added,
    values_that_may_lack,
    scores_of_numpy,
    a_frame_of_results,
    the_best_parameter,
    paired_topics_of_two_runs,
    cut_runs_anew,
]


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("call", PYTREC_EVAL, ids=lambda call: call.__name__)
def test_calls_of_pytrec_eval(call: Callable[[Any], Any]) -> None:
    assert repr(plain(call(ours))) == repr(plain(call(pytrec_eval)))


def plain(value: Any) -> Any:
    """The value with topics and measures in one order; pytrec_eval keeps none of measures."""
    if isinstance(value, dict):
        return [(str(key), plain(value[key])) for key in sorted(value, key=str)]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return float(value) if isinstance(value, float) else value


def recall_and_all_found(tool: Any) -> Any:
    result = tool.calc_aggregate([R @ 5, R @ 10, nDCG @ 25], QRELS, RUN)
    whole = [
        int(
            next(
                iter(
                    tool.calc_aggregate([R @ 25], {topic: QRELS[topic]}, {topic: RUN.get(topic, {})}).values()
                )
            )
            == 1
        )
        for topic in QRELS
    ]
    return {**{str(measure): value for measure, value in result.items()}, "all": sum(whole) / len(whole)}


def frames_of_both(tool: Any) -> Any:
    qrels, run = frames()
    found = tool.iter_calc([nDCG @ 10, P(rel=2) @ 3, AP(rel=2), RR(rel=2), R(rel=2) @ 1000], qrels, run)
    rows = [{"query_id": m.query_id, "measure": str(m.measure), "value": float(m.value)} for m in found]
    pivot = pd.DataFrame(rows).pivot(index="query_id", columns="measure", values="value")
    return {name: pivot[name].to_dict() for name in pivot.columns}


def files_of_both(tool: Any) -> Any:
    qrels, run = ir_measures.read_trec_qrels(QRELS_TEXT), ir_measures.read_trec_run(RUN_TEXT)
    return tool.calc_aggregate([R(rel=2) @ 1000, AP(rel=2), MRR(rel=2), nDCG @ 1000, nDCG @ 3], qrels, run)


def names_parsed(tool: Any) -> Any:
    measures = [ir_measures.parse_measure(name) for name in ("nDCG@10", "AP", "R@100", "P(rel=2)@5", "Bpref")]
    by_topic: dict[str, dict[str, float]] = defaultdict(dict)
    for metric in tool.iter_calc(measures, QRELS, RUN):
        by_topic[metric.query_id][str(metric.measure)] = metric.value
    return tool.calc_aggregate(measures, QRELS, RUN), by_topic


def lists_of_tuples(tool: Any) -> Any:
    qrels = [Qrel(query_id=topic, doc_id=d, relevance=g) for topic in QRELS for d, g in QRELS[topic].items()]
    run = [ScoredDoc(topic, d, 1000 - rank) for topic in RUN for rank, d in enumerate(RUN[topic])]
    found = tool.calc_aggregate([nDCG @ 10, R @ 10, R @ 20, RR, AP], qrels, run)
    return {str(measure): round(float(value), 3) for measure, value in found.items()}


def both_at_once(tool: Any) -> Any:
    aggregated, by_topic = tool.calc([Success @ 5, R @ 5, RR, nDCG @ 10], QRELS, RUN)
    return aggregated, {(metric.query_id, str(metric.measure)): metric.value for metric in by_topic}


def judgements_read_once(tool: Any) -> Any:
    evaluator = tool.evaluator([AP @ 100, P @ 10, R @ 100, nDCG @ 100], QRELS)
    some = {topic: RUN[topic] for topic in ("q1", "q9")}
    return [evaluator.calc_aggregate(run) for run in (RUN, some, RUN)]


def sets_alone(tool: Any) -> Any:
    run = {topic: dict.fromkeys(scores, 1) for topic, scores in RUN.items()}
    return {
        (one.query_id, str(one.measure)): one.value for one in tool.iter_calc([AP, SetF, SetR], QRELS, run)
    }


def looked_up_by_measure(tool: Any) -> Any:
    found = tool.calc_aggregate([R @ 10, R @ 100, nDCG @ 10, NumRet], QRELS, RUN)
    return found[R @ 10], found[R @ 100], found[nDCG @ 10], found[NumRet]


def generators(tool: Any) -> Any:
    qrels = (Qrel(topic, d, g) for topic, grades in QRELS.items() for d, g in grades.items())
    run = (ScoredDoc(topic, d, s) for topic, scores in RUN.items() for d, s in scores.items())
    return pd.DataFrame(tool.iter_calc([AP], qrels, run)).astype({"measure": str}).to_dict("list")


def frames() -> tuple[Any, Any]:
    qrels = [(topic, d, g) for topic, grades in QRELS.items() for d, g in grades.items()]
    run = [(topic, d, s) for topic, scores in RUN.items() for d, s in scores.items()]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )


IR_MEASURES: list[Callable[[Any], Any]] = [
    recall_and_all_found,
    frames_of_both,
    files_of_both,
    names_parsed,
    lists_of_tuples,
    both_at_once,
    judgements_read_once,
    sets_alone,
    looked_up_by_measure,
    generators,
]


@pytest.mark.parametrize("call", IR_MEASURES, ids=lambda call: call.__name__)
def test_calls_of_ir_measures(call: Callable[[Any], Any]) -> None:
    """Through the provider that it takes once pres_eval.ir_measures is imported, and pytrec_eval's."""
    assert our_provider.PROVIDER in ir_measures.DefaultPipeline.providers
    found, expected = plain(call(our_provider.PROVIDER)), plain(call(ir_measures.pytrec_eval))
    assert found == expected

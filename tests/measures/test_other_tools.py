"""Measures against the tools that define them: published figures, their own test values, random cases."""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from conftest import ROOT
from support.batches import batch_of
from support.oracle import UNKNOWN, Topic
from support.peers import by_topic, evaluated, made

from pres_eval.measures import measure_of
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.relevance import read_qrels
from pres_eval.scoring import ScoredRun, evaluate

pytestmark = pytest.mark.slow

TAR = ROOT.parent / "shared" / "realdata" / "cleftar2019_int"

TAR_RUNS = {
    "Sheffield_Chi_Squared": "Intervention_sheffield-Chi_Squared",
    "Sheffield_Log_likelihood": "Intervention_sheffield-Log_likelihood",
    "Sheffield_Odds_Ratio": "Intervention_sheffield-Odds_Ratio",
    "Sheffield_baseline": "Intervention_sheffield-baseline",
    "UvA_abs-hh-ratio": "abs-hh-ratio-ilps@uva",
    "UvA_abs-th-ratio": "abs-th-ratio-ilps@uva",
}
"""Runs of CLEF TAR 2019, and what tar_eval's published output for them is called."""

WHOLE_RANKING = {
    **{"num_shown": "num_ret", "rels_found": "num_rel_ret", "num_rels": "num_rel", "ap": "map"},
    **{name: name for name in ("last_rel", "norm_last_rel", "wss_95", "wss_100", "norm_area")},
    **{f"recall@{percent}.0%": f"recall_at_percent_{percent}" for percent in range(1, 101)},
}
AT_THRESHOLD = {"recall_threshold": "set_recall", "r": "set_recall"} | {
    name: name for name in ("total_cost", "loss_e", "loss_r", "loss_er")
}
"""tar_eval's names and ours; its threshold is where a run said that the reader should stop, our -M."""


def run_in_file_order(name: str, thresholds: dict[str, int]) -> Iterator[str]:
    """The lines of a run down to each topic's threshold, with scores that keep them in order."""
    seen: Counter[str] = Counter()
    with gzip.open(TAR / "runs" / f"{name}.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            topic, _, docno, *_ = line.split()
            seen[topic] += 1
            if seen[topic] <= thresholds.get(topic, 10**9):
                yield f"{topic} Q0 {docno} 0 {-seen[topic]} t\n"


def tar_evaluation(name: str, texts: list[str], thresholds: dict[str, int], folder: Path) -> ScoredRun:
    path = folder / "run"
    path.write_text("".join(run_in_file_order(name, thresholds)), encoding="utf-8")
    qrels = read_qrels(File(str(TAR / "qrels.gz")))
    return evaluate(qrels, read_run(File(str(path)), qrels), select(texts), Options())


@pytest.mark.skipif(not TAR.is_dir(), reason="no ../shared beside the checkout")
@pytest.mark.parametrize("name", TAR_RUNS)
def test_published_figures_of_clef_tar(name: str, tmp_path: Path) -> None:
    """tar_eval's figures for each topic, published with the runs; it follows the order of the file."""
    output = (TAR / "expected" / f"{TAR_RUNS[name]}.out").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in output.splitlines() if line.count("\t") == 2]
    published = {(topic, key): float(value) for topic, key, value in rows if topic != "ALL"}
    thresholds = {topic: int(value) for (topic, key), value in published.items() if key == "threshold"}
    every = [*["num_ret", "num_rel_ret", "num_rel", "map", "wss", "last_rel", "norm_last_rel", "norm_area"]]
    every.append("recall_at_percent." + ",".join(map(str, range(1, 101))))
    at_threshold = [*set(AT_THRESHOLD.values()), "num_rel", "num_rel_ret"]
    compared = 0
    for texts, names, most in ((every, WHOLE_RANKING, {}), (at_threshold, AT_THRESHOLD, thresholds)):
        ours = tar_evaluation(name, texts, most, tmp_path)
        columns = {label: by_topic(ours, label) for label in names.values()}
        for (topic, key), value in published.items():
            if key in names:
                found = columns[names[key]][topic]
                if key == "total_cost":
                    # What is below the threshold and relevant is missed twice by tar_eval.
                    missed = by_topic(ours, "num_rel")[topic] - by_topic(ours, "num_rel_ret")[topic]
                    found += 20 * missed
                # Numbers above 1 are printed without decimals, but for costs.
                assert value in (round(found, 3), round(found)), (topic, key, found)
                compared += 1
    assert compared == 20 * 115


READERS = {
    "BPM(T={T},max_rel={top})@{k}": "bpm.{k},T={T},max_rel={top}",
    "BPM(T={T},min_rel=1,max_rel={top})@{k}": "bpm.{k},T={T},min_rel=1,max_rel={top}",
    "SDCG(max_rel={top})@{k}": "sdcg.{k},max_rel={top}",
    "INSQ(T={T},max_rel={top})": "insq.T={T},max_rel={top}",
    "INST(T={T},max_rel={top})": "inst.T={T},max_rel={top}",
    "INST(T={T},min_rel=1,max_rel={top})": "inst.T={T},min_rel=1,max_rel={top}",
    "NERR8(max_rel={top})@{k}": "nerr8.{k},max_rel={top}",
    "NERR9(max_rel={top})@{k}": "nerr9.{k},max_rel={top}",
    "NERR10(p={p},max_rel={top})": "nerr10.p={p},max_rel={top}",
    "NERR11(T={T},max_rel={top})": "nerr11.T={T},max_rel={top}",
}
VARIANTS = [
    *({"T": 1.0, "p": 0.9, "k": 10, "top": 3}, {"T": 2.5, "p": 0.5, "k": 3, "top": 2}),
    *({"T": 0.5, "p": 0.99, "k": 100, "top": 4}, {"T": 6.0, "p": 0.8, "k": 1, "top": 2}),
]


@pytest.mark.parametrize("theirs", READERS)
def test_models_of_readers_are_those_of_cwl_eval(theirs: str, tmp_path: Path) -> None:
    pytest.importorskip("cwl")
    for seed in range(3):
        qrels, run = made(seed)
        for variant in VARIANTS:
            measure = ir_measures.parse_measure(theirs.format(**variant))
            text = READERS[theirs].format(**variant)
            expected = {
                metric.query_id: metric.value
                for metric in ir_measures.cwl_eval.iter_calc([measure], qrels, run)
            }
            ours = evaluated(qrels, run, [text], tmp_path)
            assert by_topic(ours, ours.columns[0].label) == pytest.approx(expected, rel=1e-12, abs=1e-15)


CWL_TEST = {
    "bpm.20,max_rel=1": (1.0, 1.0, 0.1667),
    "bpm.10,T=2,max_rel=1": (0.6667, 1.0, 0.2857),
    "insq.max_rel=1": (0.5872, 0.6629, 0.0880),
    "insq.T=2,max_rel=1": (0.4513, 0.5068, 0.1292),
    "inst.max_rel=1": (0.7934, 0.9226, 0.0888),
    "inst.T=2,max_rel=1": (0.5994, 0.6924, 0.1397),
    "sdcg.10,max_rel=1": (0.5645, 0.6531, 0.2848),
    "nerr8.10,max_rel=1": (1.0, 1.0, 0.1667),
    "nerr9.10,max_rel=1": (1.0, 1.0, 0.0680),
    "nerr10.p=0.8,max_rel=1": (1.0, 1.0, 0.0888),
    "nerr11.T=2,max_rel=1": (1.0, 1.0, 0.0691),
}
"""cwl_eval's values that ir_measures tests with, for three topics whose first ten documents are these."""

CWL_TOPICS = [
    Topic((1, 0, 1, 1, -1, -1, 1, 0, 1, 0), (1, 0, 1, 1, 1, 0, 1, 0)),
    Topic((1, 1, -1, -1, 1, 0, 1, 1, 1, 0), (1, 1, 1, 0, 1, 1, 1, 0)),
    Topic((-1, -1, -1, 0, 0, 1, 1, 1, 0, 1), (0, 0, 1, 1, 1, 0, 1)),
]


@pytest.mark.parametrize("text", CWL_TEST)
def test_values_that_ir_measures_tests_cwl_eval_with(text: str) -> None:
    (column,) = select([text])
    found = column.measure.score(batch_of(CWL_TOPICS), *column.arguments)
    assert [round(float(value), 4) for value in found] == list(CWL_TEST[text])


@pytest.mark.parametrize(
    ("theirs", "text"),
    [
        ("Compat(p=0.95)", "compat"),
        ("Compat(p=0.8)", "compat.p=0.8"),
        ("Compat(p=0.9,normalize=False)", "compat.p=0.9,normalize=0"),
        ("Accuracy", "accuracy"),
        ("Accuracy@5", "accuracy.5"),
    ],
)
def test_measures_of_ir_measures_own(theirs: str, text: str, tmp_path: Path) -> None:
    measure = ir_measures.parse_measure(theirs)
    compared = 0
    for seed in range(8):
        qrels, run = made(seed)
        ours = evaluated(qrels, run, [text], tmp_path)
        found = by_topic(ours, ours.columns[0].label)
        expected = {
            metric.query_id: metric.value
            for topic in run
            for metric in values_of(measure, {topic: qrels[topic]}, {topic: run[topic]})
        }
        assert {topic: found[topic] for topic in expected} == pytest.approx(expected, rel=1e-12)
        compared += len(expected)
    assert compared > 30


def values_of(measure: ir_measures.Measure, qrels: object, run: object) -> list[ir_measures.Metric]:
    """The values of the topics; none where it divides by zero, because only relevant ones are there."""
    try:
        return list(ir_measures.iter_calc([measure], qrels, run))
    except ZeroDivisionError:
        return []


def test_values_that_ranx_tests_with() -> None:
    ranked = [Topic(grades, (5, 4, 3, 2)) for grades in ((-1, 5, -1, 4, 3), (2, 3, 5, 4, -1), (-1,) * 5)]
    assert UNKNOWN == -1

    def discounted(*grades: float) -> float:
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(grades, 1))

    for name, wanted in {
        "dcg_cut": [discounted(0, 5, 0, 4, 3), discounted(2, 3, 5, 4), 0],
        "dcg_exp_cut": [discounted(0, 31, 0, 15, 7), discounted(3, 7, 31, 15), 0],
    }.items():
        found = measure_of(name).score(batch_of(ranked), 10)
        assert list(found) == pytest.approx(wanted, rel=1e-14)
    flat = [Topic((1, -1, -1, 1, 1, -1), (1, 1, 1, 1)), Topic((1, -1, 1, -1, -1, -1), (1, 1, 1))]
    assert list(measure_of("hits").score(batch_of(flat), 5)) == [3, 2]


U = UNKNOWN
OF_RANX: list[tuple[str, tuple[Any, ...], Topic, float]] = [
    ("bpref", (), Topic((0, 1, U, 0), (1, 1, 0, 0)), 1 / 2 * (1 - 1 / 2)),
    ("bpref", (), Topic((0, 1, U, U, 1, 0), (1, 1, 0, 0)), 1 / 2 * (2 - 2 / 2)),
    ("bpref", (), Topic((0, 1, U, U, 1, 0, 1, 0), (1, 1, 1, 0, 0, 0)), 1 / 3 * (3 - 4 / 3)),
    ("bpref", (), Topic((0, 1, 0, 1, 1, 0, 0), (1, 1, 1, 1, 0, 0, 0, 0)), 1 / 4 * (3 - 5 / 4)),
    ("set_F", ((1.0,),), Topic((0, 1, U, 0), (1, 1, 0, 0)), 1 / 3),
    ("set_F", ((1.0,),), Topic((0, 1, U, U, 1, 0), (1, 1, 0, 0)), 1 / 2),
    ("set_F", ((1.0,),), Topic((0, 1, U, U, 1, 0, 1, 0), (1, 1, 1, 0, 0, 0)), 6 / 11),
    ("set_F", ((1.0,),), Topic((0, U, U, U), (1, 1, 1, 1, 0)), 0.0),
    *(
        (
            "rbp_binary",
            ((("p", p),),),
            Topic(tuple(int(r in (1, 2, 6, 11, 17)) for r in range(1, 21)), (1,) * 5),
            v,
        )
        for p, v in ((0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881))
    ),
    ("success", (5,), Topic((U, U, U, U, U, U), (1, 1, 1)), 0.0),
    ("success", (5,), Topic((1, 1, 1, U, U, U), (1, 1, 1)), 1.0),
    ("P", (5,), Topic((1, U, U, 1, 1, U), (1, 1, 1, 1)), 3 / 5),
    ("map_cut", (6,), Topic((1, U, U, 1, 1, U), (1, 1, 1, 1)), 0.525),
    ("recip_rank_cut", (5,), Topic((U, 1, U, U, U), (1,)), 0.5),
    ("recip_rank_cut", (5,), Topic((U, U, U, U), (1,)), 0.0),
    ("Rprec", (), Topic((1, U, 1, 1, U, U, U), (1, 1, 1)), 2 / 3),
]
"""Rankings that ranx tests with, what is judged, and the value there."""


@pytest.mark.parametrize(("name", "arguments", "topic", "value"), OF_RANX)
def test_rankings_that_ranx_tests_with(
    name: str, arguments: tuple[Any, ...], topic: Topic, value: float
) -> None:
    (found,) = measure_of(name).score(batch_of([topic]), *arguments)
    assert found == pytest.approx(value, abs=5e-5 if name == "rbp_binary" else 1e-15)


@pytest.mark.parametrize("gains", [{1: 1, 2: 3, 3: 7}, {0: 1, 1: 0, 2: 5}, {1: 10}])
@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_gains_of_ones_own(gains: dict[int, int], cutoff: int, tmp_path: Path) -> None:
    """ir_measures gives the judgements other grades and has pytrec_eval score them."""
    text = f"ndcg_gain_cut.{cutoff}," + ",".join(f"{grade}={gain}" for grade, gain in gains.items())
    for seed in range(4):
        qrels, run = made(seed)
        measure = ir_measures.nDCG(gains=gains) @ cutoff
        expected = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        ours = evaluated(qrels, run, [text], tmp_path)
        assert by_topic(ours, ours.columns[0].label) == pytest.approx(expected, rel=1e-12, abs=1e-15)

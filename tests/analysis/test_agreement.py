"""Agreement of measures: correlations, positions, verdicts on pairs; and the command."""

from __future__ import annotations

import itertools
import math
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from support.commands import FIXTURES, NAMES, QRELS, RUNS, Command, summaries

from pres_eval.analysis.agreement import (
    correlations,
    dissents,
    positions_by_measure,
    verdict_patterns,
    verdicts,
)
from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.score_tables import read_score_table
from pres_eval.errors import InputError
from pres_eval.measures.names import falling_labels
from pres_eval.report.agreement import verdicts_table


def test_correlations_of_all_pairs() -> None:
    scores = np.random.default_rng(1).random((3, 12))
    rows = correlations(("a", "b", "c"), scores)
    assert [(row["first"], row["second"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert rows[1]["tau_b"] == pytest.approx(stats.kendalltau(scores[0], scores[2]).statistic, abs=1e-14)
    assert rows[1]["tau_ap_b"] == pytest.approx((rows[1]["tau_ap"] + rows[1]["tau_ap_back"]) / 2, abs=1e-14)
    assert rows[1]["tau_ap"] != rows[1]["tau_ap_back"]


def test_positions() -> None:
    scores = np.array([[0.5, 0.9, 0.5, 0.1], [0.1, 0.2, 0.3, 0.4]])
    assert positions_by_measure(scores).tolist() == [[2, 1, 2, 4], [4, 3, 2, 1]]


def test_verdicts_are_scipys() -> None:
    rng = np.random.default_rng(7)
    values = np.clip(rng.normal(0.4, 0.2, (2, 5, 40)) + np.linspace(0, 0.3, 5)[None, :, None], 0, 1).round(2)
    said = verdicts(values)
    assert set(said.ravel().tolist()) == {0, -1}, "later runs are better, neighbours hard to tell apart"
    for measure in range(2):
        for pair, (a, b) in enumerate(itertools.combinations(range(5), 2)):
            differences = (values[measure, a] - values[measure, b]).round(12)
            expected = 0
            if stats.wilcoxon(differences).pvalue < 0.05:
                ranks = stats.rankdata(np.abs(differences[differences != 0]))
                balance = ranks @ np.sign(differences[differences != 0])
                expected = 1 if balance > 0 else -1
            assert said[measure, pair] == expected


@pytest.mark.parametrize("test", ["t", "randomisation", "sign"])
def test_verdicts_of_another_test(test: str) -> None:
    values = np.random.default_rng(6).beta(1, 3, (1, 5, 25)) + np.linspace(0, 0.3, 5)[None, :, None]
    scores = PairedScores(
        tuple("abcde"), ("m",), tuple(b"%02d" % i for i in range(25)), values, values.mean(axis=2), 25
    )
    made = compare(scores, None, CompareSettings(test=test, correction="none"))
    expected = [one.direction if one.significant else 0 for one in made.comparisons]
    assert verdicts(values, test=test).tolist() == [expected]
    assert 0 < sum(map(bool, expected)) < len(expected)


def test_verdict_on_equal_runs_is_none() -> None:
    values = np.random.default_rng(1).random((1, 1, 30)).repeat(2, axis=1)
    assert verdicts(values).tolist() == [[0]]


SAID = np.array([[1, 1, 0, -1, 1, 0], [1, 1, 1, -1, -1, 0], [1, 0, 1, -1, 0, 1]])


def test_patterns_count_every_pair_once() -> None:
    patterns = verdict_patterns(("map", "recall", "PRES"), SAID)
    assert list(patterns.items()) == [
        ("map = recall = PRES", 2),
        ("map = recall ≠ PRES", 2),
        ("recall = PRES ≠ map", 1),
        ("map = PRES ≠ recall", 0),
        ("map ≠ recall ≠ PRES", 1),
    ]
    rows = verdicts_table(patterns, SAID.shape[1], "t", 0.05).rows
    assert [share for _, _, share in rows] == [2 / 6, 2 / 6, 1 / 6, 0.0, 1 / 6]


def test_dissent_is_relative_to_the_pairs_on_which_the_others_agree() -> None:
    rows = {row[0]: row[1:3] for row in dissents(("map", "recall", "PRES"), SAID)}
    assert rows == {"map": (3, 1), "recall": (2, 0), "PRES": (4, 2)}
    assert math.isnan(next(dissents(("a", "b", "c"), np.array([[1], [0], [-1]])))[-1])


def test_patterns_of_many_measures_list_those_that_occur() -> None:
    said = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    patterns = verdict_patterns(("a", "b", "c", "d"), said)
    assert list(patterns.items()) == [("a = b ≠ c = d", 1), ("a = b = c ≠ d", 1)]


def test_read_scores() -> None:
    found = read_score_table("s.csv", '\ufeffrun,MAP,"PRES"\n\nx,0.1,0.2\n"y, z",1e-1,.3\n')
    runs, measures, scores = found.runs, found.measures, found.means
    assert (runs, measures, scores.tolist()) == (("x", "y, z"), ("MAP", "PRES"), [[0.1, 0.1], [0.2, 0.3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.csv: no heading, expected run,MEASURE,MEASURE,..."),
        ("run\nx\n", "s.csv:1: no heading, expected run,MEASURE,MEASURE,..."),
        ("run,a,b\nx,1\n", "s.csv:2: 2 columns, expected 3 as in the heading"),
        ("run,a\nx,1\ny,nan\n", "s.csv:3: 'nan', expected a number from -1e+15 to 1e+15"),
        ("run,a\nx,abc\n", "s.csv:2: 'abc', expected a number from -1e+15 to 1e+15"),
    ],
)
def test_read_scores_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_score_table("s.csv", text)
    assert str(caught.value) == message


def test_command_is_the_functions_on_the_evaluators_numbers(call: Command) -> None:
    measures = ("-m", "map", "-m", "recall.1000", "-m", "PRES.1000")
    found = call.ok("agreement", QRELS, *RUNS, "--format", "json").json
    assert found["settings"]["topics"] == int(summaries(call, RUNS[0], "-m", "num_q")["num_q"])
    assert found["settings"]["seed"] == 0
    scores = {(row["run"], row["measure"]): f"{row['score']:.4f}" for row in found["positions"]}
    for name, run in zip(NAMES, RUNS, strict=True):
        for label, value in summaries(call, run, *measures).items():
            assert scores[name, label] == value
    exact = {(row["measure"], row["run"]): row["score"] for row in found["positions"]}
    labels = ["map", "recall_1000", "PRES_1000"]
    means = np.array([[exact[label, name] for name in NAMES] for label in labels])
    assert found["correlations"] == correlations(labels, means)
    assert sum(row["pairs"] for row in found["verdicts"]) == 3
    assert len(found["verdicts"]) == 5
    assert [row["measure"] for row in found["dissents"]] == labels


def test_scores_of_table4_from_the_command_line(call: Command) -> None:
    table4 = FIXTURES / "published" / "table4.csv"
    text = call.ok("agreement", "--scores", table4).out
    lines = {tuple(line.split()[:2]): line.split()[2:6] for line in text.splitlines()[4:7]}
    assert lines["MAP", "recall"] == ["0.5550", "0.9823", "0.5609", "0.7085"]
    assert lines["recall", "PRES"] == ["0.8741", "0.9938", "0.8776", "0.9704"]
    assert lines["MAP", "PRES"] == ["0.6587", "0.9814", "0.6655", "0.8123"]
    assert "Verdicts" not in text
    rows = call.ok("agreement", "--scores", table4, "--format", "csv", "--table", "positions").rows
    assert [row["position"] for row in rows if row["run"] == "R18"] == ["40", "3", "11"]


def test_scores_that_can_be_read_back(call: Command, tmp_path: Path) -> None:
    rows = call.ok("agreement", QRELS, *RUNS, "--format", "csv", "--table", "positions").rows
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    lines = [",".join(["run", *measures])]
    for name in NAMES:
        scores = {row["measure"]: row["score"] for row in rows if row["run"] == name}
        lines.append(",".join([name, *(scores[measure] for measure in measures)]))
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    first = call.ok("agreement", QRELS, *RUNS, "--format", "csv").out
    assert call.ok("agreement", "--scores", file, "--format", "csv").out == first


def test_less_is_better_turns_orders_and_verdicts_round(call: Command, tmp_path: Path) -> None:
    """last_rel, the rank of the last relevant document, is best where it is lowest."""
    measures = ("-m", "PRES.100", "-m", "last_rel")
    called = call("agreement", QRELS, *RUNS, *measures, "--test", "t", "--format", "json")
    assert called.code == 0 and "last_rel: better for a run that retrieves less" in called.err
    scores: dict[str, dict[str, float]] = {label: {} for label in ("PRES_100", "last_rel")}
    places: dict[str, list[str]] = {}
    for row in sorted(called.json["positions"], key=lambda row: row["position"]):
        scores[row["measure"]][row["run"]] = row["score"]
        places.setdefault(row["measure"], []).append(row["run"])
    assert places["last_rel"] == sorted(NAMES, key=lambda name: scores["last_rel"][name])
    assert places["PRES_100"] == sorted(NAMES, key=lambda name: -scores["PRES_100"][name])
    gains = np.array([[scores[label][name] for name in NAMES] for label in scores]) * [[1], [-1]]
    assert called.json["correlations"] == correlations(tuple(scores), gains)
    text = call.ok("agreement", QRELS, *RUNS, *measures, "--quiet").out
    assert "less is better: last_rel\n" in text
    table = tmp_path / "scores.csv"
    table.write_text(call.ok("-q", "--quiet", "--format", "csv", *measures, QRELS, *RUNS).out)
    again = call.ok("agreement", "--scores", table, "--test", "t", "--format", "json").json
    for part in ("correlations", "verdicts", "dissents"):
        assert again[part] == called.json[part]
    compared = call.ok("compare", "--scores", table, "--format", "json").json
    assert {row["run"] for row in compared["means"] if row["best"] and row["measure"] == "last_rel"} == {
        places["last_rel"][0]
    }


def test_verdicts_of_a_measure_that_falls() -> None:
    topics = tuple(b"%02d" % i for i in range(30))
    values = np.random.default_rng(2).beta(1, 3, (1, 4, 30)) + np.linspace(0, 0.4, 4)[None, :, None]
    scores = PairedScores(tuple("abcd"), ("m",), topics, values, values.mean(axis=2), 30)
    turned = replace(scores, falling=frozenset({"m"}))
    assert verdicts(turned.gain_values()).tolist() == (-verdicts(scores.gain_values())).tolist()
    assert turned.gains().tolist() == (-scores.means).tolist()
    assert verdicts(scores.values).any()


def test_columns_of_a_file_are_known_for_measures_and_never_imported() -> None:
    labels = ("last_rel", "loss_er", "map", "P_10", "of my own", "this:Zen", "last_rel(rel=2)", "")
    assert falling_labels(labels) == {"last_rel", "loss_er", "last_rel(rel=2)"}
    assert "this" not in sys.modules
    found = read_score_table("s.csv", "run,last_rel,map\nx,3,0.5\ny,2,0.25\n")
    assert not found.topics
    assert found.gains().tolist() == [[-3, -2], [0.5, 0.25]]
    assert found.means.tolist() == [[3, 2], [0.5, 0.25]]


@pytest.mark.slow
def test_plot_has_positions_and_verdicts(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    call.ok("agreement", QRELS, *RUNS, "--plot", picture)
    text = picture.read_text()
    for name in NAMES:
        assert text.count(f"{name}<") == 2, "on both sides of the lines"
    assert "pairs of runs (of 3)" in text
    call.ok("agreement", "--scores", FIXTURES / "published" / "table4.csv", "--plot", picture)
    assert "pairs of runs" not in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, RUNS[0]), "expected QRELS and at least two runs, or --scores FILE"),
        ((QRELS, *RUNS, "--scores", "x"), "--scores FILE replaces QRELS RUN RUN"),
        ((QRELS, *RUNS, "-m", "map"), "only map: expected at least two measures"),
    ],
)
def test_wrong_arguments(call: Command, arguments: tuple[str, ...], message: str) -> None:
    called = call("agreement", *arguments)
    assert (called.code, called.out) == (1, "")
    assert message in called.err


def test_coefficients_have_no_intervals(call: Command) -> None:
    """Intervals over topics held the truth in 0 to 85 %: more topics only make orders less noisy."""
    called = call("agreement", "--intervals", "100", QRELS, *RUNS)
    assert called.code == 1 and "--intervals" in called.err
    assert "--intervals" not in call.ok("agreement", "--help").out


def test_verdicts_are_drawn_by_the_seed(call: Command, tmp_path: Path) -> None:
    """Between pairs of runs that are nearly significant the draws decide."""
    rng = random.Random(1)
    rows = []
    for run in range(14):
        for topic in range(20):
            first, second = (rng.random() * most + run * 0.012 for most in (0.3, 0.4))
            rows.append(f"r{run},{topic},{first:.4f},{second:.4f}\n")
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,map,P_5\n" + "".join(rows))
    paired = read_score_table(str(scores), scores.read_text())
    expected = {}
    for seed in (0, 3):
        judged = verdicts(paired.gain_values(), 0.05, "randomisation", seed=seed)
        expected[seed] = verdict_patterns(paired.measures, judged)
    assert expected[0] != expected[3]
    options = ("--test", "randomisation", "--seed", "3", "--table", "verdicts", "--format", "csv")
    shown = call("agreement", "--scores", scores, *options).rows
    assert {row["pattern"]: int(row["pairs"]) for row in shown} == expected[3]

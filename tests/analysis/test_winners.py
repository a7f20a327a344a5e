"""The best run of each topic, and the topics that each run wins."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import NAMES, QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.analysis.paired import ORDERS, PairedScores, topic_winners, wins_of_runs
from pres_eval.errors import UsageError
from pres_eval.library.arguments import TopicOrder


def scores_of(values: list[list[float]], falling: bool = False) -> PairedScores:
    """One measure; a row of values for each run."""
    runs = tuple(f"r{number}" for number in range(len(values)))
    topics = tuple(b"%d" % number for number in range(len(values[0])))
    table = np.array([values], np.float64)
    below = frozenset(["m"]) if falling else frozenset()
    return PairedScores(runs, ("m",), topics, table, table.mean(axis=2), len(topics), falling=below)


TABLES = st.integers(1, 4).flatmap(
    lambda topics: st.lists(
        st.lists(st.integers(0, 3).map(float), min_size=topics, max_size=topics), min_size=1, max_size=4
    )
)


@given(TABLES, st.booleans())
def test_winners_are_those_of_plain_loops(values: list[list[float]], falling: bool) -> None:
    scores = scores_of(values, falling)
    found = {one.topic: one for one in topic_winners(scores)}
    alone, shared = [0] * len(values), [0] * len(values)
    for topic in range(len(values[0])):
        own = [run[topic] for run in values]
        ordered = sorted(set(own), reverse=not falling)
        best = [number for number, value in enumerate(own) if value == ordered[0]]
        for number in best if len(set(own)) > 1 else []:  # nobody wins where all are equal, or alone
            (alone if len(best) == 1 else shared)[number] += 1
        one = found[str(topic)]
        assert one.best == ", ".join(f"r{number}" for number in best)
        second = [number for number, value in enumerate(own) if [value] == ordered[1:2]]
        assert one.second == ", ".join(f"r{number}" for number in second)
        assert (one.value, one.second_value) == (ordered[0], ordered[:2][-1])
        assert one.difference == ordered[0] - ordered[:2][-1]
    assert [each[0] for each in wins_of_runs(scores)] == list(zip(alone, shared, strict=True))
    gaps = [abs(one.difference) for one in topic_winners(scores)]
    assert gaps == sorted(gaps, reverse=True)


@pytest.fixture
def call(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capsysbinary)


def test_the_command_prints_them(call: Command) -> None:
    asked = ("compare", QRELS, *RUNS, "-m", "map", "--per-topic")
    rows = call.ok(*asked, "--table", "per_topic", "--format", "csv").rows
    assert [rows[0][name] for name in ("topic", "best", "second")] == ["PAC-1009", "keyword", "broad"]
    assert len(rows) == 12
    wins = call.ok(*asked, "--table", "wins", "--format", "csv").rows
    assert {row["run"]: (row["alone"], row["shared"]) for row in wins} == {
        "keyword": ("8", "0"),
        "broad": ("2", "0"),
        "semantic": ("2", "0"),
    }
    found = call.ok(*asked, "--format", "json").json
    assert (len(found["per_topic"]), len(found["wins"])) == (12, 3)
    assert "Best runs of 12 topics" in call.ok(*asked).out


def test_weights_do_not_change_values_of_topics(call: Command, tmp_path: object) -> None:
    weights = f"{tmp_path}/weights"
    with open(weights, "w") as file:  # noqa: PTH123
        file.writelines(f"PAC-10{number:02d} {number}\n" for number in range(1, 13))
    asked = ("compare", QRELS, *RUNS, "-m", "map", "--per-topic", "--table", "per_topic", "--format", "csv")
    assert call(*asked, "--weights", weights).out == call.ok(*asked).out


@pytest.mark.parametrize(
    ("order", "begins"), [("difference", "PAC-1009"), ("topic", "PAC-1001"), ("best", "broad")]
)
def test_sorted_as_wanted_here_and_in_python(order: TopicOrder, begins: str, call: Command) -> None:
    asked = ("compare", QRELS, *RUNS, "-m", "map", "-m", "P.10", "--table", "per_topic")
    rows = call.ok(*asked, "--sort-topics", order, "--format", "csv").rows
    compared = pe.compare([pe.evaluate(QRELS, run, ["map", "P.10"]) for run in RUNS], names=NAMES)
    found = compared.per_topic(order)
    assert [(row["measure"], row["topic"], row["best"], float(row["difference"])) for row in rows] == [
        (one.measure, one.topic, one.best, one.difference) for one in found
    ]
    assert begins in (found[0].topic, found[0].best)
    own = [one for one in found if one.measure == "map"]
    keys = [
        (one.best if order == "best" else "", one.topic if order == "topic" else -one.difference)
        for one in own
    ]
    assert keys == sorted(keys)
    assert sorted(map(repr, found)) == sorted(map(repr, compared.per_topic()))
    assert call.ok(*asked, "--sort-topics", "difference").out == call.ok(*asked, "--per-topic").out
    assert {run: wins["map"] for run, wins in compared.wins.items()} == {
        "keyword": (8, 0),
        "broad": (2, 0),
        "semantic": (2, 0),
    }


def test_an_order_that_does_not_exist() -> None:
    compared = pe.compare([pe.evaluate(QRELS, run, ["map"]) for run in RUNS])
    with pytest.raises(UsageError, match="sort='size': expected one of difference, topic, best"):
        compared.per_topic("size")  # type: ignore[arg-type]
    assert ORDERS == ("difference", "topic", "best")


def test_the_page_has_winners_of_topics_that_all_runs_have(call: Command, tmp_path: Path) -> None:
    """The rows of compare's tables, a topic that a run lacks left out."""
    short = tmp_path / "keyword"
    lines = Path(RUNS[1]).read_text().splitlines(keepends=True)
    short.write_text("".join(line for line in lines if not line.startswith("PAC-1009 ")))
    asked = [QRELS, RUNS[0], str(short), RUNS[2]]
    page = tmp_path / "page.html"
    call.ok("report", "--quiet", *asked, "--output", page)
    shown = page.read_text(encoding="utf-8")
    cells = [re.sub("<[^>]+>", "|", row) for row in re.findall("<tr>.*?</tr>", shown.replace("\n", ""))]
    rows = {re.sub(r"\|[\s|]*", " ", row).strip() for row in cells}
    compared = ("compare", "--quiet", *asked, "-m", "map", "--per-topic", "--format", "csv", "--table")
    for one in call.ok(*compared, "per_topic").rows:
        numbers = (f"{float(one[name]):.4f}" for name in ("difference", "value", "second_value"))
        assert " ".join((one["topic"], one["best"], one["second"], *numbers)) in rows
    for one in call.ok(*compared, "wins").rows:
        assert f"{one['run']} {one['alone']} {one['shared']}" in rows
    assert "Wins over 11 topics that all runs have; none where all runs are equal" in shown

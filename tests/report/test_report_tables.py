"""What the report draws, as JSON and CSV; medians from outside."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.cli.commands import command_of
from pres_eval.errors import NoCommonTopicError, UsageError
from pres_eval.report.graphs import graphs_of
from pres_eval.report.report_numbers import (
    against_median,
    as_text,
    largest_differences,
    median_labels,
    medians_of,
    topic_measures,
)
from pres_eval.report.report_tables import as_tables
from pres_eval.report.trec_report import Report

ARGUMENTS = [PATENT_QRELS, *PATENT_RUNS, "--samples", "200", "-N", "50000"]


@pytest.fixture(scope="module")
def patents() -> Report:
    return report_of(PATENT_QRELS, PATENT_RUNS, num_docs_in_coll=50_000)


def output_of(*more: str) -> str:
    result = CliRunner().invoke(command_of("report"), [*ARGUMENTS, *more])
    assert result.exit_code == 0, result.exception
    return result.output


def test_json_holds_all_that_is_drawn(patents: Report) -> None:
    data = json.loads(output_of("--format", "json"))
    assert data["command"] == "report" and data["settings"]["samples"] == 200
    assert {table.name for table in as_tables(patents)} == set(data) - {"producer", "command", "settings"}
    for row in data["leaderboard"]:
        run = patents.names.index(row["run"])
        assert row["topics"] == 12 and row["num_rel"] == 153
        assert all(row[label] == patents.summary(run, label) for label in patents.board)
    assert len(data["topics"]) == 36
    for row in data["topics"]:
        run, place = patents.names.index(row["run"]), patents.topics.index(row["topic"].encode())
        assert all(row[label] == patents.per_topic(run, label)[place] for label in topic_measures(patents))
        for label in ("map", "PRES_1000"):
            medians = medians_of(patents, label)
            assert medians is not None and row[f"{label} median"] == medians[place]
            assert row[f"{label} minus median"] == against_median(patents, run, label)[place]
    points = [
        [graph.name, name, x, y]
        for graph in graphs_of(patents)
        for name, curve in zip(patents.names, graph.curves, strict=True)
        for x, y, _ in curve
    ]
    assert [[row["graph"], row["run"], row["x"], row["y"]] for row in data["curves"]] == points
    found = [(topic.topic.decode(), topic.difference) for topic in largest_differences(patents, "map")]
    drawn = [row for row in data["differences"] if row["measure"] == "map"]
    assert [(row["topic"], row["difference"]) for row in drawn] == found
    assert len(data["documents"]) == 153 and {row["grade"] for row in data["documents"]} == {1, 2}


def test_comparisons_are_those_of_compare() -> None:
    mine = json.loads(output_of("--format", "json", "-m", "map", "-m", "Rprec"))
    arguments = [PATENT_QRELS, *PATENT_RUNS, "-m", "map", "-m", "Rprec", "--all-pairs", "--format", "json"]
    theirs = json.loads(CliRunner().invoke(command_of("compare"), [*arguments, "--samples", "200"]).output)
    kept = ("measure", "run", "other", "difference", "wins", "ties", "losses", "p_value", "corrected")
    expected = [{key: row[key] for key in kept} | {"topics": 12} for row in theirs["comparisons"]]
    assert mine["comparisons"] == expected
    for row, other in zip(
        mine["intervals"], sorted(theirs["means"], key=lambda r: r["measure"] != "map"), strict=True
    ):
        assert all(row[key] == other[key] for key in row)

    def by_run(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
        return sorted((row["run"], row["measure"], row["letters"]) for row in rows)

    assert by_run(mine["groups"]) == by_run(theirs["groups"])


def test_csv_is_one_table(patents: Report) -> None:
    rows = list(csv.reader(io.StringIO(output_of("--format", "csv"))))
    assert rows[0][:4] == ["run", "tag", "file", "topics"] and len(rows) == 4
    rows = list(csv.reader(io.StringIO(output_of("--format", "csv", "--table", "documents"))))
    assert (
        rows[0] == ["topic", "docno", "grade", *(f"rank {name}" for name in patents.names)]
        and len(rows) == 154
    )


def test_the_leaderboard_is_of_the_measures_asked_for() -> None:
    measures = ("ndcg_cut.10", "P.5", "num_q", "runid", "AP(rel=2)", "iprec_at_recall.0.33")
    report = report_of(PATENT_QRELS, PATENT_RUNS, measures=measures)
    assert report.board == ("ndcg_cut_10", "P_5", "num_q", "map(rel=2)", "iprec_at_recall_0.33")
    assert report.compared.pairs is not None
    assert report.compared.pairs.measures == ("ndcg_cut_10", "P_5", "map(rel=2)", "iprec_at_recall_0.33")
    # Parameters of one's own do not take those away that TREC's tables need.
    assert as_text(report) == as_text(report_of(PATENT_QRELS, PATENT_RUNS))


def test_medians_from_outside(tmp_path: Path) -> None:
    (tmp_path / "medians").write_text("topic best median worst\n1 1 0.75 0\n3 1 0.25 0\n")
    qrels = judgements("1", 1) + judgements("2", 1)
    run = ranking("1", (1,), 2, "a") + ranking("2", (2,), 2, "a")
    report = report_of_texts(tmp_path, qrels, run, medians=str(tmp_path / "medians"))
    assert median_labels(report) == ("map",)
    assert against_median(report, 0).tolist()[:1] == [0.25]
    (table,) = [table for table in as_tables(report) if table.name == "topics"]
    assert [row[-2:] for row in table.rows] == [[0.75, 0.25], [None, None]]


def test_medians_of_other_measures(tmp_path: Path) -> None:
    (tmp_path / "medians").write_text("topic utility map\nPAC-1001 1 0.5\n")
    arguments = [*ARGUMENTS, "--medians", str(tmp_path / "medians")]
    result = CliRunner().invoke(command_of("report"), arguments)
    assert "medians of utility are left out" in result.output and result.exit_code == 0
    (tmp_path / "medians").write_text("topic utility\nPAC-1001 1\n")
    result = CliRunner().invoke(command_of("report"), arguments)
    assert isinstance(result.exception, UsageError) and "expected those of a measure" in str(result.exception)
    (tmp_path / "medians").write_text("topic median\n")
    result = CliRunner().invoke(command_of("report"), arguments)
    assert "medians of no topic, expected those of a measure" in str(result.exception)
    (tmp_path / "medians").write_text("topic _median\nPAC-1001 1\n")
    result = CliRunner().invoke(command_of("report"), arguments)
    assert "medians of _median, expected those of a measure" in str(result.exception)
    (tmp_path / "medians").write_text("map 301 0.5\n")
    result = CliRunner().invoke(command_of("report"), arguments)
    assert isinstance(result.exception, NoCommonTopicError)


def test_runs_that_share_no_topic_have_no_p_value(tmp_path: Path) -> None:
    qrels = judgements("1", 1) + judgements("2", 1)
    report = report_of_texts(tmp_path, qrels, ranking("1", (1,), 2, "a"), ranking("2", (2,), 2, "b"))
    assert report.compared.pairs is not None and report.topics_differ()
    assert report.compared.pairs.topics.tolist() == [0] and np.isnan(report.compared.pairs.p_values).all()
    complete = report_of_texts(
        tmp_path, qrels, ranking("1", (1,), 2, "a"), ranking("2", (2,), 2, "b"), complete=True
    )
    assert complete.compared.pairs is not None and complete.compared.pairs.topics.tolist() == [2]

"""What reports say where there is little to say: no numbers, no topic in common, many measures."""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.commands import QRELS, RUNS, Command
from support.made_evaluations import evaluation
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.explain import explain_topic
from pres_eval.analysis.paired import PairedScores
from pres_eval.cli.commands import command_of
from pres_eval.report import explained_tables, paper, run_plots
from pres_eval.report.compared_tables import compared_tables
from pres_eval.report.layout import Look, Table, render
from pres_eval.report.page.board import failed_runs
from pres_eval.report.page.packed import smallest
from pres_eval.report.report_tables import as_tables
from pres_eval.report.text import effect_size, interval, number, signed

pytestmark = pytest.mark.slow

INF, NAN = math.inf, math.nan


def test_differences_without_numbers() -> None:
    assert [signed(value) for value in (0.5, -0.25, INF, -INF, NAN)] == [
        "+0.5000",
        "-0.2500",
        "+inf",
        "-inf",
        "-",
    ]
    assert [effect_size(value) for value in (0.5, INF, -INF, NAN)] == ["+0.50", "-", "-", "-"]
    assert [number(value, 2) for value in (0.5, NAN)] == ["0.50", "-"]
    ends = [(0.25, 0.5), (0.25, INF), (-INF, 0.5), (NAN, 0.5), (0.25, NAN)]
    assert [interval(*pair, digits=2) for pair in ends] == ["0.25 .. 0.50", ">= 0.25", "<= 0.50", "-", "-"]
    assert interval(-0.25, 0.5, digits=1, sign=True) == "-0.2 .. +0.5"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "<i2"),
        ([32767], "<i2"),
        ([-32767], "<i2"),
        ([-32768], "<i4"),
        ([2**31 - 1], "<i4"),
        ([2**31], "<f8"),
    ],
)
def test_numbers_of_the_page_take_as_few_bytes_as_hold_them(values: list[int], kind: str) -> None:
    packed = smallest(np.array(values, np.int64))
    assert packed.dtype == np.dtype(kind) and packed.tolist() == values


def relevant_ranks_of(most: int | None, judged_only: bool) -> dict[tuple[str, str], list[int]]:
    """(topic, relevant document): its rank in each run, 0 if it is not there; the plain way."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in Path(PATENT_QRELS).read_text().splitlines():
        topic, _, docno, grade = line.split()
        grades[topic][docno] = int(grade)
    found: dict[tuple[str, str], list[int]] = {
        (topic, docno): [] for topic, own in grades.items() for docno, grade in own.items() if grade > 0
    }
    for path in PATENT_RUNS:
        rows: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in Path(path).read_text().splitlines():
            topic, _, docno, _, score, _ = line.split()
            rows[topic].append((float(np.float32(score)), docno))
        for topic, own in grades.items():
            ranked = [docno for _, docno in sorted(rows[topic], reverse=True)][:most]
            if judged_only:
                ranked = [docno for docno in ranked if own.get(docno, -1) >= 0]
            place = {docno: rank for rank, docno in enumerate(ranked, 1)}
            for docno in own:
                if own[docno] > 0:
                    found[topic, docno].append(place.get(docno, 0))
    return found


@pytest.mark.parametrize(("most", "judged_only"), [(None, False), (7, False), (None, True), (12, True)])
def test_ranks_of_relevant_documents(most: int | None, judged_only: bool) -> None:
    """What the page lays open, after -M and -J."""
    report = report_of(PATENT_QRELS, PATENT_RUNS, max_retrieved=most, judged_only=judged_only)
    documents, expected = report.documents, relevant_ranks_of(most, judged_only)
    topic_of = np.repeat(np.arange(len(report.topics)), np.diff(documents.offsets)).tolist()
    keys = [
        (report.topics[topic].decode(), docno.decode())
        for topic, docno in zip(topic_of, documents.docnos, strict=True)
    ]
    assert dict(zip(keys, documents.ranks.T.tolist(), strict=True)) == expected


# Runs without a topic in common, and a run alone


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(judgements("1", 3) + judgements("2", 2))
    (tmp_path / "one").write_text(ranking("1", [1, 4], 9, "one"))
    (tmp_path / "two").write_text(ranking("2", [2], 5, "two"))
    return tmp_path


@pytest.mark.parametrize("name", ["out.html", "out.pdf", "json", "csv"])
def test_reports_of_runs_without_a_common_topic(name: str, apart: Path) -> None:
    arguments = [str(apart / file) for file in ("qrels", "one", "two")]
    wanted = ["-o", str(apart / name)] if "." in name else ["--format", name]
    result = CliRunner().invoke(command_of("report"), [*arguments, "--quiet", *wanted])
    assert result.exit_code == 0, result.exception
    if name == "out.html":
        text = (apart / name).read_text()
        assert text.count("1 of 2 topics") == 2 and "over the topics that both have" in text
    elif name == "out.pdf":
        assert (apart / name).read_bytes().startswith(b"%PDF")
    elif name == "json":
        compared = json.loads(result.output)["comparisons"]
        assert {(one["topics"], one["difference"], one["corrected"]) for one in compared} == {(0, None, None)}
    else:
        assert [line.partition(",")[0] for line in result.output.splitlines()] == ["run", "one", "two"]


def test_means_without_a_common_topic_are_over_the_runs_own(apart: Path) -> None:
    arguments = [str(apart / file) for file in ("qrels", "one", "two")]
    picture = ["--picture", "leaderboard", "-o", str(apart / "out.svg")]
    result = CliRunner().invoke(command_of("report"), [*arguments, "--quiet", *picture])
    assert result.exit_code == 0 and "means over 1 topic," in (apart / "out.svg").read_text()


def test_labels_that_a_report_lacks(tmp_path: Path) -> None:
    report = report_of_texts(tmp_path, judgements("1", 3), ranking("1", [1, 4], 9, "one"))
    with pytest.raises(ValueError, match="nothing"):
        report.summary(0, "nothing")
    with pytest.raises(KeyError, match="nothing"):
        report.evaluations[0].by_label("nothing")
    assert {table.name for table in as_tables(report)} >= {"leaderboard", "topics"}


# Tables


def scores_of(measures: int, runs: int, topics: int = 8) -> PairedScores:
    values = np.random.default_rng(5).random((measures, runs, topics))
    return PairedScores(
        runs=tuple(f"run{number}" for number in range(runs)),
        measures=tuple(f"m{number}" for number in range(measures)),
        topics=tuple(b"%d" % topic for topic in range(topics)),
        values=values,
        means=values.sum(axis=2) / topics,
        num_all_topics=topics,
        left_out=("gm_map",),
    )


def test_many_measures_turn_the_table() -> None:
    scores = scores_of(measures=12, runs=2)
    tables = compared_tables(compare(scores, 0, CompareSettings()), "8 topics")
    assert [table.name for table in tables] == ["means", "intervals", "comparisons"]
    shown = tables[0].shown
    assert shown is not None and shown.headings == ("measure", "run0", "run1")
    assert [row[0] for row in shown.rows] == list(scores.measures)
    assert "left out, no averages over topics: gm_map" in tables[0].notes


def test_one_run_alone_is_compared_with_nothing() -> None:
    tables = compared_tables(compare(scores_of(measures=1, runs=1), 0, CompareSettings()), "8 topics")
    assert [table.name for table in tables] == ["means", "intervals"]


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_tests_of_all_runs_at_once_need_no_correction(test: str) -> None:
    found = compare(scores_of(measures=2, runs=3), None, CompareSettings(test=test, samples=200))
    tables = {table.name: table for table in compared_tables(found, "8 topics")}
    title = "No significant difference was found between runs that share a letter"
    assert tables["groups"].title == f"{title} ({test} within each measure, p ≥ 0.05)"
    assert f"interval: 95 % for all comparisons together, of {test}" in tables["comparisons"].notes


def test_an_evaluation_without_values_of_topics(call: Command) -> None:
    """num_q is of all topics only: -q prints nothing of a topic."""
    lines = call.ok("-q", "--format", "jsonl", "-m", "num_q", QRELS, RUNS[0]).out.splitlines()
    assert len(lines) == 13
    assert [list(json.loads(line)["values"]) for line in lines] == [[]] * 12 + [["num_q"]]


@pytest.mark.parametrize("options", [["-n"], ["-n", "-q"], []])
def test_measures_of_all_topics_in_a_table_by_topic(options: list[str], call: Command) -> None:
    arguments = ["-m", "num_q", "-m", "map", *options, "--format", "csv", QRELS, *RUNS]
    found = call(*arguments)
    assert found.code == 0
    topics = {row.get("topic", "all") for row in found.rows}
    assert ("all" in topics) == ("-n" not in options)


# Pictures


def test_dots_of_means_alone() -> None:
    means = np.array([[0.1, 0.3, 0.2]])
    figure = run_plots.score_dots(("a", "b", "c"), ("map",), means)
    (axes,) = figure.axes
    assert axes.get_title() == "Mean scores" and not figure.legends
    assert [np.asarray(dot.get_ydata()).tolist() for dot in axes.lines] == [[0.3], [0.2], [0.1]]
    assert axes.get_ylim()[0] == 0


def test_dots_without_known_ends() -> None:
    """One topic has no interval; baselines that differ from measure to measure have no common name."""
    means, nothing = np.array([[0.1, 0.3], [0.5, 0.2]]), np.full((2, 2), NAN)
    figure = run_plots.score_dots(("a", "b"), ("map", "P_5"), means, (nothing, nothing), baselines=(1, 0))
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert texts == [
        "baseline (best of each)",
        "differs significantly from it",
        "no significant difference found",
    ]
    rings = [dot.get_markerfacecolor() == "white" for dot in figure.axes[0].lines if dot.get_marker() == "o"]
    assert rings[0], "nothing is known to differ"


def test_panels_that_are_left_empty_go() -> None:
    said = np.zeros((3, 2, 2), np.int64)
    means = np.array([[0.1, 0.3], [0.5, 0.2], [0.5, 0.2]])
    assert len(run_plots.difference_maps(("a", "b"), ("x", "y", "z"), means, said).axes) == 3
    one = np.ones(1, np.int64)
    topics = [
        explain_topic(b"%d" % number, 3, 1, docnos=(b"a",), grades=one, ranks=one) for number in range(4)
    ]
    assert len(explained_tables.explained_figure([topics]).axes) == 4


def test_a_folder_that_is_gone_keeps_no_picture_from_being_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError("gone")

    before = Path.cwd()
    monkeypatch.setenv("MPLBACKEND", "x")
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        paper.check_matplotlib("a test")
    assert Path.cwd() == before and os.environ["MPLBACKEND"] == "x"


def test_tables_that_do_not_exist_are_named() -> None:
    tables = [Table("means", "Means", ("run",), [("a",)], ())]
    from pres_eval.errors import UsageError

    with pytest.raises(UsageError, match="--table nothing: no such table, expected one of means"):
        render(tables, Look(chosen="nothing"))


def test_evaluations_made_by_hand_have_their_columns() -> None:
    """The maker that these tests share gives what it is told."""
    made = evaluation("t", (b"1", b"2"), path="p")
    assert made.tag == "t" and made.topics == (b"1", b"2")


def test_runs_that_cannot_be_evaluated_are_named_on_the_page(tmp_path: Path) -> None:
    report = report_of(PATENT_QRELS, [*PATENT_RUNS[:2], str(tmp_path / "<b>")], keep_going=True)
    (failure,) = report.inputs.failures
    name = escape(failure.message.replace(failure.path, Path(failure.path).name))
    assert f"<li>{name}</li>" in failed_runs(report)
    assert "<b>" not in failed_runs(report)
    assert failed_runs(replace(report, inputs=replace(report.inputs, failures=()))) == ""


@pytest.mark.parametrize("measure", ["num_q", "num_rel_ret", "gm_map"])
def test_a_page_of_counts_alone(command: Command, tmp_path: Path, measure: str) -> None:
    """The distribution over topics is that of a count; a page took the first measure from 0 to 1."""
    page = tmp_path / "page.html"
    command.ok("report", "--quiet", QRELS, RUNS[0], "-m", measure, "-o", page)
    assert 'id="distributions"' in page.read_text()


@pytest.mark.parametrize("to", ["page.html", "picture.svg"])
def test_a_page_needs_a_measure(command: Command, tmp_path: Path, to: str) -> None:
    found = command("report", QRELS, *RUNS, "-m", "runid", "-o", tmp_path / to)
    assert found.err.endswith("(-m) is an average over topics, expected at least one\n")

"""The TREC report: its tables are the evaluator's numbers, its comparisons those of slow twins."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import EventCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.cli.commands import command_of
from pres_eval.errors import MissingExtraError, UsageError
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.report.graphs import roc_curve
from pres_eval.report.report_columns import RECALL_LEVEL_TEXTS, ranks_of_curves
from pres_eval.report.report_numbers import (
    against_median,
    as_text,
    document_level_averages,
    largest_differences,
    median,
    pres_and_recall,
    recall_level_averages,
    summary_statistics,
)
from pres_eval.report.trec import evaluation_lines
from pres_eval.report.trec_pictures import Subject, draw_intervals, draw_median, draw_pair, draw_topic
from pres_eval.report.trec_plots import PICTURES, as_picture, draw_curves
from pres_eval.report.trec_report import Report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def patents() -> Report:
    return report_of(PATENT_QRELS, PATENT_RUNS, num_docs_in_coll=50_000)


def printed(report: Report, run: int) -> dict[str, str]:
    """What the evaluator prints: label -> value over all topics."""
    lines = evaluation_lines(report.evaluations[run], per_topic=False, summary=True).decode().splitlines()
    return {label.strip(): value.strip() for label, _, value in (line.split("\t") for line in lines)}


@pytest.mark.parametrize("run", range(len(PATENT_RUNS)))
def test_the_tables_hold_what_the_evaluator_prints(patents: Report, run: int) -> None:
    values = printed(patents, run)
    assert [value for _, value in summary_statistics(patents, run)[2:]] == [
        values[label] for label in ("num_q", "num_ret", "num_rel", "num_rel_ret")
    ]
    *levels, average = recall_level_averages(patents, run)
    assert dict(levels) == {level: values[f"iprec_at_recall_{level}"] for level in RECALL_LEVEL_TEXTS}
    assert average == ("Average precision", values["map"])
    *ranks, exact = document_level_averages(patents, run)
    assert dict(ranks) == {f"At {rank} docs": values[f"P_{rank}"] for rank in DOCUMENT_CUTOFFS}
    assert exact == ("R-precision", values["Rprec"])
    for cutoff, pres, recall in pres_and_recall(patents, run):
        assert (pres, recall) == (values[f"PRES_{cutoff}"], values[f"recall_{cutoff}"])


def test_the_example_of_the_trec_proceedings(tmp_path: Path) -> None:
    """20 documents, relevant at 1, 2, 4 and 15."""
    report = report_of_texts(tmp_path, judgements("1", 4), ranking("1", (1, 2, 4, 15), 20, "trec"))
    values = dict(recall_level_averages(report, 0))
    assert [values[level] for level in ("0.00", "0.50", "0.60", "0.70", "0.80", "1.00")] == [
        "1.0000", "1.0000", "0.7500", "0.7500", "0.2667", "0.2667",
    ]  # fmt: skip
    text = as_text(report)
    for line in (
        "  Run tag             trec",
        "    Rel_ret                 4",
        "    0.60        0.7500",
        "  At     5 docs    0.6000",
        "  Exact             0.7500",
    ):
        assert line in text.splitlines()


def test_text_of_several_runs(patents: Report) -> None:
    text = as_text(patents)
    assert [text.count(title) for title in ("Summary Statistics", "Recall Level Precision Averages")] == [
        3,
        3,
    ]
    assert text.count("Document Level Averages") == 3 and max(map(len, text.splitlines())) < 100


MATRICES = st.integers(1, 5).flatmap(
    lambda runs: st.lists(
        st.lists(st.one_of(st.just(math.nan), st.floats(0, 1)), min_size=runs, max_size=runs),
        min_size=1,
        max_size=6,
    )
)


@settings(deadline=None)
@given(MATRICES)
def test_median_against_the_standard_library(topics: list[list[float]]) -> None:
    found = median(np.array(topics).T)
    for value, values in zip(found.tolist(), topics, strict=True):
        known = [v for v in values if not math.isnan(v)]
        assert value == statistics.median(known) if known else math.isnan(value)


def test_differences_and_the_median_where_runs_lack_topics(tmp_path: Path) -> None:
    qrels = judgements("1", 1) + judgements("2", 1) + judgements("3", 1)
    a = ranking("1", (1,), 2, "a") + ranking("2", (2,), 2, "a")
    b = ranking("1", (2,), 2, "b") + ranking("2", (1,), 2, "b") + ranking("3", (1,), 2, "b")
    c = ranking("1", (), 2, "c") + ranking("2", (1,), 2, "c")
    report = report_of_texts(tmp_path, qrels, a, b, c)
    assert report.names == ("a", "b", "c") and report.topics == (b"1", b"2", b"3")
    assert against_median(report, 0)[:2].tolist() == [0.5, -0.5] and math.isnan(against_median(report, 0)[2])
    assert against_median(report, 1).tolist() == [0.0, 0.0, 0.0]
    differences = largest_differences(report, "map")
    assert [(each.topic, each.best_run, each.worst_run, each.difference) for each in differences] == [
        (b"1", "a", "c", 1.0),
        (b"2", "b", "a", 0.5),
    ]
    assert largest_differences(report, "map", most=1) == differences[:1]


def test_a_single_run_has_no_differences(tmp_path: Path) -> None:
    report = report_of_texts(tmp_path, judgements("1", 1), ranking("1", (1,), 2, "a"))
    assert largest_differences(report, "map") == [] and against_median(report, 0).tolist() == [0.0]


def test_roc_counts_what_is_not_relevant(tmp_path: Path) -> None:
    """Two topics of 2 relevant in 12 documents: at rank 2, 1 of 2 and 0 of 2 found, 1 and 2 others."""
    qrels = judgements("1", 2) + judgements("2", 2)
    run = ranking("1", (2, 5), 6, "a") + ranking("2", (3,), 4, "a")
    report = report_of_texts(tmp_path, qrels, run, num_docs_in_coll=12)
    points = {words.partition(",")[0]: [x, y] for x, y, words in roc_curve(report, 0)}
    assert points["rank 0"] == [0.0, 0.0]
    assert points["rank 2"] == pytest.approx([(1 / 10 + 2 / 10) / 2, 0.25])
    assert points["rank 5"] == pytest.approx([(3 / 10 + 3 / 10) / 2, 0.75])
    assert points["rank 1000"] == points["all retrieved"] == pytest.approx([(4 / 10 + 3 / 10) / 2, 0.75])
    fallouts = [x for x, _, _ in roc_curve(report, 0)]
    assert fallouts == sorted(fallouts)


def test_roc_counts_whole_documents(tmp_path: Path) -> None:
    """At some ranks recall times the number of relevant ones is just below a whole number: 0.58 * 50."""
    count, found = next((n, k) for n in range(2, 200) for k in range(1, n) if (k / n) * n < k)
    run = ranking("1", tuple(range(1, found + 1)), found, "a")
    report = report_of_texts(tmp_path, judgements("1", count), run, num_docs_in_coll=1000)
    points = list(roc_curve(report, 0))
    # All that was retrieved is relevant: nothing else was, at any rank.
    assert [x for x, _, _ in points] == [0.0] * (len(report.curve_ranks) + 2)
    assert points[-2][1] == pytest.approx(found / count)


def test_complete_averages_over_all_topics(tmp_path: Path) -> None:
    qrels = judgements("1", 1) + judgements("2", 1)
    report = report_of_texts(tmp_path, qrels, ranking("1", (1,), 2, "a"), complete=True, num_docs_in_coll=9)
    assert dict(recall_level_averages(report, 0))["Average precision"] == "0.5000"
    assert list(roc_curve(report, 0))[-1][1] == 0.5


def test_grid_holds_what_was_asked_for() -> None:
    ranks = ranks_of_curves((70, 3))
    assert set(ranks) > {70, 3, 1, 1000} and list(ranks) == sorted(ranks)


def test_the_pictures_draw_the_numbers(patents: Report) -> None:
    figure = draw_curves(patents, histogram=True)
    precision, pres, recall, roc, bars = figure.axes
    for run in range(3):
        drawn = [np.asarray(axes.get_lines()[run].get_ydata()).tolist() for axes in (precision, pres, recall)]
        assert drawn[0] == [patents.summary(run, f"iprec_at_recall_{level}") for level in RECALL_LEVEL_TEXTS]
        assert drawn[1] == [patents.summary(run, f"PRES_{cutoff}") for cutoff in patents.curve_ranks]
        assert drawn[2] == [patents.summary(run, f"recall_{cutoff}") for cutoff in patents.curve_ranks]
        fallout = np.asarray(roc.get_lines()[run].get_xdata()).tolist()
        assert fallout == [x for x, _, _ in roc_curve(patents, run)]
    for axes in (precision, pres, recall, roc, bars):
        assert axes.get_xlabel() and axes.get_ylabel() and axes.get_title()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(patents.names)
    for label in ("map", "PRES_1000"):
        patches = draw_median(patents, Subject((1,), 0, label)).axes[0].patches
        heights = [patch.get_height() for patch in patches if isinstance(patch, Rectangle)]
        assert heights == sorted(against_median(patents, 1, label).tolist(), reverse=True)


def test_bars_above_the_median_are_blue_and_those_below_orange(patents: Report) -> None:
    bars = [
        patch
        for patch in draw_median(patents, Subject((1,), 0, "map")).axes[0].patches
        if isinstance(patch, Rectangle)
    ]
    kinds = {
        math.copysign(1, bar.get_height()): to_hex(bar.get_facecolor()) for bar in bars if bar.get_height()
    }
    assert kinds == {1.0: "#0072b2", -1.0: "#d55e00"}


PICTURE_NAMES = sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURE_NAMES)
def test_each_picture_by_its_name(patents: Report, name: str) -> None:
    drawn = as_picture(patents, "x.svg", name)
    assert drawn.startswith(b"<?xml") and len(drawn) > 5000
    if name == PICTURE_NAMES[0]:
        assert drawn == as_picture(patents, "x.svg", name)


def test_pictures_are_of_what_was_asked_for(patents: Report) -> None:
    subject = Subject(runs=(2, 0), topic=4, label="map")
    scatter, bars = draw_pair(patents, subject).axes
    points = np.concatenate([np.asarray(group.get_offsets()) for group in scatter.collections])
    expected = [patents.per_topic(0, "map"), patents.per_topic(2, "map")]
    assert sorted(points.tolist()) == sorted(np.stack(expected, axis=1).tolist())
    heights = [patch.get_height() for patch in bars.patches if isinstance(patch, Rectangle)]
    differences = patents.per_topic(2, "map") - patents.per_topic(0, "map")
    assert heights == sorted(differences.tolist(), reverse=True)
    pairs = patents.compared.pairs
    assert pairs is not None
    means = draw_intervals(patents, subject).axes[0].get_lines()[0].get_xdata()
    assert np.asarray(means).tolist() == sorted(pairs.means[pairs.measures.index("map")].tolist())
    (axes,) = draw_topic(patents, subject).axes
    start, stop = patents.documents.offsets[4:6]
    found = [len(rows.get_positions()) for rows in axes.collections if isinstance(rows, EventCollection)]
    assert sorted(found) == sorted((patents.documents.ranks[:, start:stop] > 0).sum(axis=1).tolist())


def test_the_command_draws_one_picture(tmp_path: Path) -> None:
    arguments = [PATENT_QRELS, *PATENT_RUNS, "--samples", "50", "-o", str(tmp_path / "p.svg")]
    for more in (
        ["pair", "--of-run", "semantic", "--of-run", "broad"],
        ["explain", "--of-topic", "PAC-1004"],
    ):
        result = CliRunner().invoke(command_of("report"), [*arguments, "--picture", *more])
        assert result.exit_code == 0, result.exception
        text = (tmp_path / "p.svg").read_text()
        assert all(word in text for word in more[2::2])
    for more, words in (
        (["pair", "--of-run", "semantik"], "no such run; did you mean semantic?"),
        (["topic", "--of-topic", "PAC-104"], "no such topic; did you mean PAC-100"),
        (["ROC"], "needs -N"),
    ):
        result = CliRunner().invoke(command_of("report"), [*arguments, "--picture", *more])
        assert isinstance(result.exception, UsageError) and words in str(result.exception)


def test_a_measure_of_the_whole_ranking_has_no_cutoff(tmp_path: Path) -> None:
    """Readers then stop at the usual Nmax, and not at the largest number of 64 bits."""
    run = ranking("1", [1, 3], 5, "t")
    report = report_of_texts(tmp_path, judgements("1", 3), run, measures=("dcg_cut.all",))
    assert (report.depth, report.curve_ranks[-1]) == (1000, 1000)


def test_a_picture_of_two_runs_needs_two(tmp_path: Path) -> None:
    report = report_of_texts(tmp_path, judgements("1", 1), ranking("1", (1,), 2, "a"))
    with pytest.raises(UsageError, match="this picture needs 2 runs"):
        as_picture(report, "x.svg", "pair")
    with pytest.raises(UsageError, match="expected several runs, or --medians"):
        as_picture(report, "x.svg", "median")


@pytest.mark.parametrize(("ending", "magic"), [(".pdf", b"%PDF"), (".png", b"\x89PNG")])
def test_pictures_are_what_they_are_called(ending: str, magic: bytes) -> None:
    two = report_of(PATENT_QRELS, PATENT_RUNS[:2])
    picture = as_picture(two, f"x{ending}")
    assert picture.startswith(magic)
    if ending == ".pdf":
        # Title, intervals, curves, distributions, pair, topic, its PRES, relevant documents, topics; runs.
        assert picture.count(b"/Type /Page ") == 9 + 2


def test_names_with_dollars_are_no_formulas(tmp_path: Path) -> None:
    run = ranking("$\\frac$", (1,), 2, "$^$")
    report = report_of_texts(tmp_path, judgements("$\\frac$", 1), run, run.replace("$^$", "_b"))
    assert as_picture(report, "x.png").startswith(b"\x89PNG")


def test_without_the_collection_size_there_is_no_roc(tmp_path: Path) -> None:
    report = report_of_texts(tmp_path, judgements("1", 1), ranking("1", (1,), 2, "a"))
    assert len(draw_curves(report).axes) == 3


def test_an_unknown_ending_is_a_usage_error(patents: Report, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.pdf, \.png, \.svg"):
        as_picture(patents, "report.docx")
    result = CliRunner().invoke(
        command_of("report"), [PATENT_QRELS, *PATENT_RUNS, "-o", str(tmp_path / "r.docx")]
    )
    assert isinstance(result.exception, UsageError) and "r.docx" in str(result.exception)


def test_a_missing_matplotlib_names_the_extra(patents: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"\.\[plot\]"):
        as_picture(patents, "x.png")


def test_the_command_writes_what_was_asked_for(tmp_path: Path) -> None:
    page, picture = tmp_path / "r.html", tmp_path / "r.svg"
    arguments = [PATENT_QRELS, *PATENT_RUNS, "--nmax", "50"]
    result = CliRunner().invoke(command_of("report"), [*arguments, "-o", str(page), "-o", str(picture)])
    assert result.exit_code == 0 and result.output == ""
    assert "PRES_50" in page.read_text() and picture.read_bytes().startswith(b"<?xml")
    text = CliRunner().invoke(command_of("report"), arguments).output
    assert text == CliRunner().invoke(command_of("report"), [*arguments, "--text"]).output
    assert text == as_text(report_of(PATENT_QRELS, PATENT_RUNS, nmax=(50,)))

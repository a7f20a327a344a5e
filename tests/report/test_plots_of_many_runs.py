"""Pictures of many runs in a paper: what is highlighted, how wide they are, what tells marks apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Command
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of_texts

from pres_eval.analysis.figures import Roc
from pres_eval.report import drawing, figure_plots, judges_plots, paper, plots
from pres_eval.report.trec_report import Report
from pres_eval.report.trec_run_plots import default_subject, draw_one_graph
from pres_eval.report.trec_topic_plots import draw_pair

MANY = [f"run-{number:02d}-of-a-group" for number in range(17)]


def test_the_five_best_of_many_have_colours() -> None:
    values = np.arange(2 * 3 * 17.0).reshape(2, 3, 17)
    values[0] = values[0, :, ::-1]
    figure: Any = plots.curves(MANY, ("map", "PRES"), (1, 2, 3), values, xlabel="rank")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*MANY[:5], "12 other runs"]
    grey = [line.get_color() == drawing.OTHERS["color"] for line in figure.axes[0].lines]
    assert grey == [False] * 5 + [True] * 12
    assert [line.get_ydata().tolist() for line in figure.axes[1].lines] == values[1].T.tolist()
    few: Any = plots.curves(MANY[:8], ("map",), (1, 2, 3), values[:1, :, :8], xlabel="rank")
    assert [text.get_text() for text in few.legends[0].get_texts()] == MANY[:8]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    topics = ["1", "2", "3", "4"]
    runs = [
        "".join(ranking(topic, (1 + run % 5 + at, 9 + run), 30, f"r{run}") for at, topic in enumerate(topics))
        for run in range(10)
    ]
    qrels = "".join(judgements(topic, 2) for topic in topics)
    return report_of_texts(tmp_path_factory.mktemp("many"), qrels, *runs, names="tag")


def test_the_graphs_of_the_report_highlight_its_best_runs(report: Report) -> None:
    figure: Any = draw_one_graph("recall")(report, default_subject(report))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    best = sorted(report.best_first(report.main)[:5])
    assert names == [*(report.names[run] for run in best), "5 other runs"]


def test_better_and_worse_topics_of_a_pair_differ_in_shape(report: Report) -> None:
    scatter: Any = draw_pair(report, default_subject(report)).axes[0]
    shapes = {tuple(map(tuple, group.get_paths()[0].vertices.round(3))) for group in scatter.collections}
    assert len(shapes) == 3
    label = default_subject(report).label
    drawn = [point for group in scatter.collections for point in group.get_offsets().tolist()]
    values = zip(report.per_topic(1, label).tolist(), report.per_topic(0, label).tolist(), strict=True)
    assert sorted(map(tuple, drawn)) == sorted(values)
    assert scatter.get_xlim()[0] == scatter.get_ylim()[0] == 0, "PRES is never negative"
    assert scatter.get_xlim() == scatter.get_ylim()


def test_judges_of_many_runs_fit_a_page() -> None:
    orders = {f"measure-{number}": np.array([range(1, 18), range(17, 0, -1)]) for number in range(5)}
    figure: Any = judges_plots.judges_figure(("one", "two"), (0, 1), np.array([[5, 1], [2, 9]]), MANY, orders)
    assert figure.get_size_inches()[0] <= judges_plots.WIDEST
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[1:] == [f"Position of each run: measure-{number}" for number in range(5)]


def test_the_roc_of_a_large_collection_is_not_at_the_left_edge() -> None:
    fallout, recall = np.array([0, 0.0001, 0.001, 1.0]), np.array([0, 0.5, 0.8, 1.0])
    curve = Roc(fallout=fallout, recall=recall, area=0.9)
    axes: Any = figure_plots.roc_curves("Topic 1", ["one"], [curve]).axes[0]
    assert 0.001 < axes.get_xlim()[1] < 0.0013
    assert "up to a fallout of 0.0012" in axes.figure._suptitle.get_text()


def test_many_curves_of_a_topic_are_no_smaller_than_a_third_of_a_page(tmp_path: Path) -> None:
    curves = [Roc(fallout=np.array([0, 0.5, 1.0]), recall=np.array([0, 0.9, 1.0]), area=0.9)] * 17
    figure: Any = figure_plots.roc_curves("Topic 1", MANY, curves)
    assert len(figure.axes) == 17 and figure.get_size_inches()[0] <= 8
    columns = {round(axes.get_position().x0, 2) for axes in figure.axes}
    assert len(columns) == 3


def test_lines_and_dots_are_in_the_legend() -> None:
    figure: Any = figure_plots.relevant_per_topic(list("abc"), [9, 3, 1])
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["mean: 4.3"]
    many: Any = figure_plots.relevant_per_topic([str(topic) for topic in range(100)], [1] * 100)
    assert many.axes[0].get_xlabel() == "topic, by relevant documents (one in 3 named)"


@pytest.mark.parametrize(("given", "millimetres"), [("84mm", 84), ("174", 174)])
def test_pictures_are_as_wide_as_a_column(
    command: Command, tmp_path: Path, given: str, millimetres: int
) -> None:
    options: list[str | Path] = ["-o", tmp_path / "p.png", "--picture", "leaderboard", "--width", given]
    command.ok("report", PATENT_QRELS, *PATENT_RUNS, *options)
    wide = int.from_bytes((tmp_path / "p.png").read_bytes()[16:20], "big")
    assert abs(wide - millimetres / 25.4 * 150) <= 1


def test_letters_have_seven_points_and_titles_can_be_left_out(report: Report) -> None:
    figure = draw_pair(report, default_subject(report))
    titles = [axes.get_title() for axes in figure.axes]
    paper.fit(figure, 174, untitled=False)
    assert [axes.get_title() for axes in figure.axes] == titles and all(titles)
    texts: list[Any] = figure.findobj(lambda each: hasattr(each, "get_fontsize"))
    assert min(text.get_fontsize() for text in texts) >= 7
    paper.fit(figure, None, untitled=True)
    assert [axes.get_title() for axes in figure.axes] == ["", ""]


def test_what_is_too_narrow_is_refused(command: Command, tmp_path: Path) -> None:
    options: list[str | Path] = ["--plot", tmp_path / "p.svg", "--width", "40mm"]
    called = command("judges", PATENT_QRELS, PATENT_QRELS, *PATENT_RUNS, *options)
    assert (called.code, not (tmp_path / "p.svg").exists()) == (1, True)
    assert "--width 40: too narrow for this picture, try 174mm" in called.err


def test_holes_have_a_picture(command: Command, tmp_path: Path) -> None:
    command.ok("holes", PATENT_QRELS, *PATENT_RUNS, "--plot", tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text()
    assert "Share of documents that nobody judged" in text and "unjudged of the first 10" in text
    assert all(f">{name}<" in text for name in ("broad", "keyword", "semantic"))

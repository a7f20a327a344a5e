"""Pictures of many runs in a paper: what is highlighted, how wide they are, what tells marks apart."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text
from support.commands import Command
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of_texts

from pres_eval.analysis.explain import Roc, precision_recall
from pres_eval.analysis.sweep import Sweep
from pres_eval.errors import UsageError
from pres_eval.report import (
    agreement,
    drawing,
    figures,
    judgement_plots,
    paper,
    power,
    run_plots,
    sweep_tables,
)
from pres_eval.report.trec_pictures import (
    default_subject,
    draw_distributions,
    draw_one_graph,
    draw_pair,
    draw_topic,
)
from pres_eval.report.trec_plots import draw_curves
from pres_eval.report.trec_report import Report

MANY = [f"run-{number:02d}-of-a-group" for number in range(17)]


def test_the_five_best_of_many_have_colours() -> None:
    values = np.arange(2 * 3 * 17.0).reshape(2, 3, 17)
    values[0] = values[0, :, ::-1]
    figure: Any = sweep_tables.sweep_figure(Sweep(tuple(MANY), ("map", "PRES"), (1, 2, 3), values))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*MANY[:5], "12 other runs"]
    assert len({line.get_color() for line in figure.axes[0].lines}) == 6
    grey = [line.get_color() == drawing.OTHERS["color"] for line in figure.axes[0].lines]
    assert grey == [False] * 5 + [True] * 12
    assert [line.get_ydata().tolist() for line in figure.axes[1].lines] == values[1].T.tolist()
    few: Any = sweep_tables.sweep_figure(Sweep(tuple(MANY[:8]), ("map",), (1, 2, 3), values[:1, :, :8]))
    assert not few.legends and {text.get_text() for text in few.axes[0].texts} == set(MANY[:8])


def test_names_beside_curves_are_apart_and_in_the_order_of_the_ends() -> None:
    ends = np.array([0.5, 0.5, 0.51, 0.9, 1.0, 1.0])
    values = np.stack([ends / 2, ends])[None]
    figure: Any = sweep_tables.sweep_figure(Sweep(tuple(MANY[:6]), ("recall",), (1, 2), values))
    heights = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert sorted(heights, key=heights.__getitem__) == MANY[:6]
    figure.draw_without_rendering()
    boxes = sorted((Text.get_window_extent(text) for text in figure.axes[0].texts), key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 + 1 for lower, upper in itertools.pairwise(boxes))


def test_runs_are_highlighted_by_name(command: Command, tmp_path: Path) -> None:
    arguments: list[str | Path] = ["sweep", PATENT_QRELS, *PATENT_RUNS, "-m", "recall", "--plot"]
    plot = tmp_path / "p.svg"
    command.ok(*arguments, plot, "--highlight", "semantic")
    text = plot.read_text()
    assert ">semantic<" in text and ">2 other runs<" in text and ">broad<" not in text
    called = command(*arguments, tmp_path / "n.svg", "--highlight", "semantics")
    assert called.code == 1 and "--highlight semantics: no such run; did you mean semantic?" in called.err
    called = command("holes", PATENT_QRELS, *PATENT_RUNS, "--plot", plot, "--highlight", "semantic")
    assert called.code == 1 and "--highlight semantic: this picture has no curves of runs" in called.err
    picture = ("--picture", "PRES", "--highlight", "broad", "-o", plot)
    command.ok("report", PATENT_QRELS, *PATENT_RUNS, *picture)
    assert ">broad<" in plot.read_text() and ">2 other runs<" in plot.read_text()


def test_a_style_file_is_on_top_of_ours(command: Command, tmp_path: Path) -> None:
    style, plots_of = tmp_path / "paper.mplstyle", ["holes", PATENT_QRELS, *PATENT_RUNS, "--plot"]
    style.write_text("font.family: serif\naxes.titlesize: 17\n")
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    command.ok(*plots_of, first)
    command.ok(*plots_of, second, "--plot-style", style)
    assert "17px" not in first.read_text() and "17px" in second.read_text()
    assert "serif" in second.read_text()
    command.ok(*plots_of, second, "--plot-style", "grayscale")
    for wrong, words in (
        (tmp_path / "nowhere", "expected a file of matplotlib's settings"),
        ("https://example.org/a.mplstyle", "found no setting"),
        (PATENT_QRELS, "found no setting"),
    ):
        called = command(*plots_of, second, "--plot-style", wrong)
        assert called.code == 1 and f"--plot-style {wrong}: " in called.err and words in called.err
    called = command("report", *plots_of[1:4], "-o", second, "--plot-style", "no-style")
    assert called.code == 1 and "--plot-style no-style: " in called.err


def drawn_for(own: paper.Paper, make: Callable[[], Any]) -> Any:
    """Return the figure as it is on the paper, laid out but not written to a file."""
    drawn: list[Any] = []

    def keep() -> Any:
        drawn.append(make())
        drawn[0].savefig = lambda *_, **__: None  # two further drawings, which take half of the time
        return drawn[0]

    paper.picture(keep, "x.svg", own)
    return drawn[0]


@pytest.mark.parametrize(
    ("count", "width", "drawn"),
    [(3, 84, slice(2, 5, 2)), (50, 84, slice(None))],
)
def test_nothing_is_cut_in_a_column(count: int, width: int, drawn: slice) -> None:
    """2.10: legends and names went beyond 84 mm, and panels side by side were a few millimetres wide.

    Every figure has most runs in one column; few runs are named beside their curves, not in a legend.
    """
    runs, measures = (
        [f"run-{number:02d}-of-a-group" for number in range(count)],
        ("map", "recall_100", "PRES_100"),
    )
    means = np.random.default_rng(1).random((3, count))
    said = np.zeros((3, count, count), np.int64)
    curves = [Roc(fallout=np.array([0, 0.5, 1.0]), recall=np.array([0, 0.9, 1.0]), area=0.9)] * count
    positions = np.array([means[0].argsort().argsort() + 1] * 3)
    taus = {"map": np.ones((3, 2)), "PRES": np.full((3, 2), 0.85)}
    makers: tuple[Callable[[], Any], ...] = (
        lambda: run_plots.score_dots(runs, measures, means, (means, means), baselines=(0, 0, 0)),
        lambda: run_plots.difference_maps(runs, measures, means, said),
        lambda: sweep_tables.sweep_figure(
            Sweep(tuple(runs), measures, (1, 2), np.stack([means, means], axis=1))
        ),
        lambda: judgement_plots.robustness_figure(
            (0.2, 0.6), {"cutoff 10": taus, "cutoff 100": taus}, "Kendall τ-a"
        ),
        lambda: figures.roc_curves("Topic 1", runs, curves),
        lambda: figures.normalised_recall_curves(np.array([10, 1000]), runs, means[:2].T),
        lambda: agreement.agreement_figure(runs, measures, positions, ["map = PRES_100"], [3]),
    )
    for make in makers[drawn]:
        figure = drawn_for(paper.Paper(width), make)
        wide = figure.get_size_inches()[0]
        around = figure.get_tightbbox()
        assert round(wide * 25.4) == width and around.x0 >= -0.08 and around.x1 <= wide + 0.08, (make, around)
        panels = [axes.get_window_extent().width / figure.dpi for axes in figure.axes]
        assert min(panels) >= 0.8, "inches"


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
    figure: Any = draw_one_graph("recall", report, default_subject(report))
    names = {text.get_text() for text in figure.axes[0].texts}
    best = report.best_first(report.main)[:5]
    assert names == {*(report.names[run] for run in best), "5 other runs"}


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
    assert not any(group.get_clip_on() for group in scatter.collections), "2.14: points at 0 and 1 were cut"


def no_names_overlap(figure: Any) -> bool:
    """Return whether the names beside lines, and those below them, are apart from each other."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [Text.get_window_extent(text) for text in axes.texts]
        labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
        boxes += [Text.get_window_extent(text) for text in labels if text.get_text()]
        for one, other in itertools.combinations(boxes, 2):
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            if across > 1 and min(one.y1, other.y1) - max(one.y0, other.y0) > 0.25 * one.height:
                return False
    return True


def fits_a_page(figure: Any) -> bool:
    least = min(text.get_fontsize() for text in figure.findobj(lambda each: hasattr(each, "get_fontsize")))
    return bool(figure.get_size_inches()[1] * 25.4 <= 240.01 and least >= 7)


@pytest.mark.parametrize(("count", "width"), [(2, 84), (17, 84), (17, 174), (50, 84), (50, None)])
def test_judges_of_many_runs_fit_a_page(count: int, width: float | None) -> None:
    """2.14: five measures of 17 runs were 521 mm high at 84 mm, of 50 runs 1,834 mm at 174 mm."""
    runs, warnings = [f"run-{number:02d}-of-a-group" for number in range(count)], list[str]()
    orders = {
        f"measure-{number}": np.array([range(1, count + 1), range(count, 0, -1)]) for number in range(5)
    }
    counts = np.array([[5, 1], [2, 9]])
    figure = drawn_for(
        paper.Paper(width),
        lambda: judgement_plots.judges_figure(
            ("a.txt", "b.txt"), (0, 1), counts, runs, orders, warnings.append
        ),
    )
    drawn = [axes.get_title() for axes in figure.axes][1:]
    assert drawn == [f"Position of each run: {name}" for name in list(orders)[: len(drawn)]]
    if width is None:
        assert len(drawn) == 5 and figure.get_size_inches()[0] <= judgement_plots.WIDEST_INCHES
        return
    assert fits_a_page(figure) and no_names_overlap(figure) and drawn
    assert len(drawn) >= {17: 2, 50: 1}.get(count, 3) and (count == 50 or width == 84 or len(drawn) == 5)
    assert [f"room for {len(drawn)} of 5 measures (measure-0" in line for line in warnings] == [True] * (
        len(drawn) < 5
    )


@pytest.mark.parametrize(("count", "width"), [(2, 84), (17, 174), (50, 84)])
def test_agreement_of_many_runs_and_verdicts_fits_a_page(count: int, width: float) -> None:
    """2.14: 50 runs by five measures were 319 mm high, and verdicts of three lines covered each other."""
    runs, measures = [f"run-{n:02d}-of-a-group" for n in range(count)], ["map", "PRES_100", "recall_100",
                                                                        "ndcg_cut_10", "P_10"]  # fmt: skip
    patterns = [f"map = PRES_100 = recall_100 = ndcg_cut_10 ≠ P_{number}" for number in range(13)]
    positions, pairs = np.tile(np.arange(1, count + 1), (5, 1)), list(range(26, 0, -2))
    figure = drawn_for(
        paper.Paper(width), lambda: agreement.agreement_figure(runs, measures, positions, patterns, pairs)
    )
    assert fits_a_page(figure) and no_names_overlap(figure)
    bars = [bar.get_width() for bar in figure.axes[1].patches]
    assert sum(bars) == sum(pairs)
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert (names[-1] == f"{14 - len(bars)} other patterns") == (len(bars) < 13)


def test_what_is_much_higher_than_a_page_is_refused(command: Command, tmp_path: Path) -> None:
    options: list[str | Path] = ["--all-pairs", "--plot", tmp_path / "p.svg", "--width", "84mm"]
    measures = itertools.chain.from_iterable(("-m", f"P.{cutoff}") for cutoff in range(1, 9))
    called = command("compare", PATENT_QRELS, *PATENT_RUNS, *measures, *options)
    assert called.code == 1 and not (tmp_path / "p.svg").exists()
    assert "mm high, and a page has 240; draw fewer measures or topics" in called.err


def test_the_roc_of_a_large_collection_is_not_at_the_left_edge() -> None:
    fallout, recall = np.array([0, 0.0001, 0.001, 1.0]), np.array([0, 0.5, 0.8, 1.0])
    curve = Roc(fallout=fallout, recall=recall, area=0.9)
    axes: Any = figures.roc_curves("Topic 1", ["one"], [curve]).axes[0]
    assert 0.001 < axes.get_xlim()[1] < 0.0013
    assert "up to a fallout of 0.0012" in axes.figure._suptitle.get_text()


def test_many_curves_of_a_topic_share_a_plot_in_which_the_best_have_colours() -> None:
    """2.14: each of 17 had a tiny plot, 424 mm of them at 84 mm."""
    rates = np.linspace(0.5, 0.9, 17)
    curves = [Roc(fallout=np.array([0, 0.5, 1.0]), recall=np.array([0, x, 1.0]), area=x) for x in rates]
    figure: Any = figures.roc_curves("Topic 1", MANY, curves)
    (axes,), (legend,) = figure.axes, figure.legends
    named = [text.get_text() for text in legend.get_texts()]
    assert named == [f"{name}: AUC {x:.4f}" for name, x in list(zip(MANY, rates, strict=True))[12:]] + [
        "12 other runs"
    ]
    assert [line.get_color() == drawing.OTHERS["color"] for line in axes.lines[1:]] == [True] * 12 + [
        False
    ] * 5


def test_small_fallouts_do_not_touch() -> None:
    """2.14: 0.00000 0.00025 0.00050 without a gap at 84 mm."""
    curve = Roc(fallout=np.array([0, 0.0005, 0.001, 1.0]), recall=np.array([0, 0.5, 0.9, 1.0]), area=0.9)
    figure = drawn_for(paper.Paper(84), lambda: figures.roc_curves("Topic 1", ["one"], [curve]))
    assert no_names_overlap(figure)
    assert "10^{−3}" in figure.axes[0].xaxis.get_offset_text().get_text()


def test_precision_and_recall_can_be_told_without_colour() -> None:
    """2.14: the saw-teeth of all runs were full lines, their interpolations dashed ones."""
    curve = precision_recall([1, 4], 3, 10)
    for count in (3, 17):
        names = [f"r{number}" for number in range(count)]
        figure: Any = figures.precision_recall_curves("t", names, [curve] * count)
        shown = [f"r{number}: 0.3333" for number in range(min(count, 5))]
        texts = [text.get_text() for text in figure.legends[0].get_texts()]
        assert texts[: len(shown)] == shown, "break-even is said, as marks may coincide"
        looks = {(line.get_marker(), str(line._dash_pattern)) for line in figure.legends[0].get_lines()}
        assert len(looks) == len(texts)
        thick = [
            line for line in figure.axes[0].lines if line.get_linewidth() == 1.4 and len(line.get_xdata())
        ]
        dashes = {str(line._dash_pattern) for line in thick if line.get_color() != drawing.OTHERS["color"]}
        assert len(thick) == count and len(dashes) == len(shown)


def test_a_name_far_below_others_stays_at_its_line() -> None:
    """2.14: the names of lines that end together at the top pushed all others down, below the axis."""
    values = np.array([[0.0, *[1.0] * 6]] * 2)[None]
    figure: Any = sweep_tables.sweep_figure(Sweep(tuple(MANY[:7]), ("recall",), (1, 2), values))
    heights = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert -0.01 <= heights[MANY[0]] <= 0.01 and max(heights.values()) <= 1


def test_a_median_can_be_seen_without_colour(report: Report) -> None:
    axes: Any = draw_distributions(report, default_subject(report)).axes[0]
    tone = [0.3, 0.59, 0.11, 0]
    box = float(np.dot(axes.patches[0].get_facecolor(), tone))
    assert all(abs(float(np.dot(group.get_colors()[0], tone)) - box) > 0.4 for group in axes.collections)


def test_lines_and_dots_are_in_the_legend() -> None:
    figure: Any = figures.relevant_per_topic(list("abc"), [9, 3, 1])
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["mean: 4.3"]
    many: Any = figures.relevant_per_topic([str(topic) for topic in range(100)], [1] * 100)
    assert many.axes[0].get_xlabel() == "topic, by relevant documents (one in 2 named)"


def test_the_report_in_a_column_has_its_graphs_below_each_other(report: Report) -> None:
    figure = drawn_for(paper.Paper(84), lambda: draw_curves(report, histogram=True))
    assert len({round(axes.get_position().x0, 1) for axes in figure.axes}) == 1 and len(figure.axes) == 4
    wide = drawn_for(paper.Paper(174), lambda: draw_curves(report, histogram=True))
    assert len({round(axes.get_position().x0, 1) for axes in wide.axes}) == 2


def test_names_of_panels_stay_without_titles() -> None:
    said = np.zeros((2, 17, 17), np.int64)
    figure = drawn_for(
        paper.Paper(untitled=True),
        lambda: run_plots.difference_maps(MANY, ["map", "P_10"], np.zeros((2, 17)), said),
    )
    assert [axes.get_title("left") for axes in figure.axes] == ["map", "P_10"]


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
    called = command("agreement", PATENT_QRELS, *PATENT_RUNS, *options)
    assert (called.code, not (tmp_path / "p.svg").exists()) == (1, True)
    assert "--width 40: too narrow for this picture, try 84mm" in called.err


@pytest.mark.parametrize(
    ("width", "advice"),
    [(40, "try 84mm"), (84, "try 174mm"), (174, "draw fewer runs, measures or topics"), (400, "draw fewer")],
)
def test_what_is_too_narrow_on_a_page_has_to_be_less(width: float, advice: str) -> None:
    def with_a_long_name() -> Figure:
        figure = Figure(layout="constrained", figsize=(4, 2))
        figure.subplots().set_yticks([0], ["m" * 999])
        return figure

    with pytest.raises(UsageError, match=f"--width {width}: too narrow for this picture, {advice}"):
        paper.picture(with_a_long_name, "p.svg", paper.Paper(width=width))


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_maps_have_no_blank_above_or_between(width: float) -> None:
    runs, measures, said = [f"r{run}" for run in range(40)], ["map", "P_10", "bpref"], np.ones((3, 40, 40))
    picture = paper.picture(
        lambda: run_plots.difference_maps(runs, measures, np.zeros((3, 40)), said),
        "maps.png",
        paper.Paper(width),
    )
    dark = (np.asarray(imread(io.BytesIO(picture)))[:, :, :3].min(axis=2) < 0.8).any(axis=1)
    blank = np.diff(np.flatnonzero(np.concatenate([[True], dark, [True]]))).max()
    assert blank / 150 * 25.4 < 12


def test_positions_of_fifty_runs_fit_a_page() -> None:
    runs, positions = [f"r{run}" for run in range(50)], np.tile(np.arange(1, 51), (2, 1))
    figure: Any = agreement.agreement_figure(runs, ("map", "P_10"), positions, ["map = P_10"] * 4, [9] * 4)
    paper.fit(figure, 174, untitled=False)
    assert figure.get_size_inches()[1] * 25.4 < 240.1


def test_ranks_of_a_topic_begin_at_one_and_have_ticks(tmp_path: Path) -> None:
    texts = judgements("1", 3), ranking("1", (79, 82, 84), 90, "a"), ranking("1", (80,), 90, "b")
    report = report_of_texts(tmp_path, *texts)
    (axes,) = draw_topic(report, default_subject(report)).axes
    low, high = axes.get_xlim()
    assert low < 1 and 84 < high < 100 and axes.get_title().endswith("its 3 relevant documents")


def test_holes_have_a_picture(command: Command, tmp_path: Path) -> None:
    command.ok("holes", PATENT_QRELS, *PATENT_RUNS, "--plot", tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text()
    assert "Share of documents that nobody judged" in text and "unjudged of the first 10" in text
    assert all(f">{name}<" in text for name in ("broad", "keyword", "semantic"))


def test_marks_of_swap_rates_at_0_are_whole_and_the_axis_has_no_negative_tick() -> None:
    for rates in ([], [0.4, 0.0]):
        swaps = {"map": ([0.01 * place for place in range(len(rates))], rates)}
        figure: Any = power.power_figure({"map": np.zeros(3)}, swaps, alpha=0.05, topics=5)
        figure.draw_without_rendering()
        for axes in figure.axes:
            low, high = axes.get_ylim()
            assert -0.03 * high < low < 0
            assert min(tick for tick in axes.get_yticks() if low <= tick <= high) >= 0

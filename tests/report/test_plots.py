"""Pictures: the drawn data are the given data, labels are there, and files come out the same each time."""

from __future__ import annotations

import itertools
import sys
import warnings
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from numpy.typing import NDArray

from pres_eval.analysis.explain import cumulated, explain_topic
from pres_eval.analysis.sweep import Sweep
from pres_eval.errors import MissingExtraError, UsageError
from pres_eval.report import (
    agreement,
    drawing,
    explained_tables,
    judgement_plots,
    paper,
    power,
    run_plots,
    sweep_tables,
)

RUNS = ("bm25", "_tag$x$", "a_very_long_tag_that_would_push_everything_aside")
MEASURES = ("map", "PRES_100")
MEANS = np.array([[0.1, 0.3, 0.2], [0.5, 0.25, 0.75]])


def drawn(figure: object) -> Any:
    """The figure, without types: matplotlib's leave open what its lines and patches hold."""
    return figure


def texts(figure: Any) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


SIGNIFICANCE = ("differs significantly from it", "no significant difference found")


def test_score_dots() -> None:
    lower, upper = MEANS - 0.05, MEANS + 0.1
    significant = np.array([[False, True, False], [False, False, False]])
    figure = drawn(
        run_plots.score_dots(
            RUNS, MEASURES, MEANS, (lower, upper), baselines=(0, 0), significant=significant, topics=7
        )
    )
    order = [2, 0, 1]
    for row, axes in enumerate(figure.axes):
        dots = [line for line in axes.lines if len(line.get_xdata()) == 1]
        assert [float(dot.get_ydata()[0]) for dot in dots] == MEANS[row, order].tolist()
        looks = [(dot.get_marker(), dot.get_markerfacecolor() != "white") for dot in dots]
        assert looks == [("s" if run == 0 else "o", run == 0 or bool(significant[row, run])) for run in order]
        assert axes.get_ylabel() == MEASURES[row]
        segments = axes.collections[0].get_segments()
        ends = [[lower[row, run], upper[row, run]] for run in order]
        assert np.allclose([[low[1], high[1]] for low, high in segments], ends)
        assert [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [MEANS[row, 0]]
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert labels == ["a_very_lon…ing_aside", "bm25", r" _tag\$x\$"]
    assert figure.axes[0].get_title() == "Mean scores over 7 topics"
    assert texts(figure) == ["95 % interval", "baseline bm25", *SIGNIFICANCE]


def test_dots_of_each_measure_have_its_own_baseline() -> None:
    figure = drawn(run_plots.score_dots(RUNS, MEASURES, MEANS, baselines=(1, 2)))
    for axes, mean in zip(figure.axes, (MEANS[0, 1], MEANS[1, 2]), strict=True):
        assert [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [mean]
        dots = [line for line in axes.lines if len(line.get_xdata()) == 1]
        assert [float(dot.get_ydata()[0]) for dot in dots if dot.get_marker() == "s"] == [mean]


def test_difference_maps() -> None:
    said = np.zeros((2, 3, 3), np.int64)
    said[0, 1, 0], said[0, 0, 1] = 1, -1
    figure = drawn(run_plots.difference_maps(RUNS, MEASURES, MEANS, said))
    cells = np.asarray(figure.axes[0].images[0].get_array())
    order = [1, 2, 0]
    assert cells.tolist() == said[0][np.ix_(order, order)].tolist(), "the best run at the top"
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [r" _tag\$x\$", "a_very_lon…ing_aside", "bm25"]
    assert texts(figure) == ["row better than column", "no significant difference", "row worse"]


def test_rank_changes() -> None:
    positions = np.array([[1, 2, 2], [3, 1, 2]])
    axes = drawn(agreement.rank_changes(RUNS, MEASURES, positions)).axes[0]
    lines = [line.get_ydata().tolist() for line in axes.lines]
    assert [line for line in lines if line != [2, 3]] == positions.T.tolist()
    assert lines.count([2, 3]) == 1, "a bracket holds together the names that tie for 2"
    assert [list(line.get_xdata()) for line in axes.lines].count([0, 1]) == 3
    names = [(text.get_text(), text.xy[1]) for text in axes.texts]
    assert ("1  bm25", 1) in names
    assert ("3  bm25", 3) in names
    assert len({(text.xy[0], text.xy[1]) for text in axes.texts}) == 6, "tied runs do not cover each other"
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the best run is on top"


def test_verdict_bars_and_agreement() -> None:
    patterns, pairs = ["map = PRES_100", "map ≠ PRES_100"], [3, 1]
    positions = np.array([[1, 2, 2], [3, 1, 2]])
    figure = drawn(agreement.agreement_figure(RUNS, MEASURES, positions, patterns, pairs))
    _, axes = figure.axes
    assert [bar.get_width() for bar in axes.containers[0]] == pairs
    assert [text.get_text() for text in axes.texts] == ["3 (75.0%)", "1 (25.0%)"]
    assert [label.get_text() for label in axes.get_yticklabels()] == patterns
    assert len(agreement.agreement_figure(RUNS, MEASURES, positions, None, None).axes) == 1


def test_curves() -> None:
    values = np.random.default_rng(0).random((4, 5, 3))
    figure = drawn(sweep_tables.sweep_figure(Sweep(RUNS, ("a", "b", "c", "d"), (10, 20, 30, 40, 50), values)))
    assert len(figure.axes) == 4
    for panel, axes in enumerate(figure.axes):
        assert [line.get_ydata().tolist() for line in axes.lines] == values[panel].T.tolist()
        assert all(list(line.get_xdata()) == [10, 20, 30, 40, 50] for line in axes.lines)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("Nmax (rank)", f"mean {'abcd'[panel]}")
    assert texts(figure) == drawing.picture_names(RUNS)


def test_robustness() -> None:
    taus = np.array([[0.5, 0.7], [0.9, 0.8], [0.95, 0.95]])
    nothing = np.full((3, 2), np.nan)
    panels = {"cutoff 10": {"recall": taus, "PRES": taus / 2, "P": nothing}, "cutoff 100": {"recall": taus}}
    figure = drawn(judgement_plots.robustness_figure((0.2, 0.6), panels, "Kendall τ-a"))
    lowest = {line.get_label(): line for line in figure.axes[0].lines}
    assert list(lowest["recall"].get_xdata()) == [20, 60, 100]
    assert list(lowest["recall"].get_ydata()) == [0.5, 0.8, 0.95], "what was computed, not 1"
    assert list(lowest["PRES"].get_ydata()) == [0.25, 0.4, 0.475]
    dots = figure.axes[1].lines[1]
    assert (list(dots.get_xdata()), list(dots.get_ydata())) == ([20, 20, 60, 60], [0.5, 0.7, 0.9, 0.8])
    assert texts(figure) == ["recall (lowest)", "PRES (lowest)", "P (nan: all tie)", "each sample"]
    assert figure.axes[0].get_ylabel() == "Kendall τ-a with the full ranking"
    assert "%" in figure.axes[0].get_xlabel()


def test_a_measure_looks_the_same_in_all_panels_and_unlike_the_others() -> None:
    taus = np.full((3, 2), 0.5)
    panels = {"no cutoff": {"map": taus}, "cutoff 10": {"P": taus}, "cutoff 100": {"PRES": taus, "P": taus}}
    figure = drawn(judgement_plots.robustness_figure((0.2, 0.6), panels, "Kendall τ-a"))
    looks = {
        (line.get_label(), line.get_color(), line.get_marker())
        for axes in figure.axes
        for line in axes.lines
        if line.get_label() in ("map", "P", "PRES")
    }
    assert len(looks) == 3 == len({look[1:] for look in looks})


@pytest.mark.slow
def test_long_names_of_measures_do_not_cover_each_other() -> None:
    measures = ("map(rel=2,judged_only=True)", "recall_at_percent_20(rel=2)", "iprec_at_recall_0.10(rel=2)")
    positions = np.array([[1, 2, 3], [3, 1, 2], [2, 1, 3]])
    patterns = [" = ".join(measures), " ≠ ".join(measures)]
    below = drawn(agreement.agreement_figure(RUNS, measures, positions, patterns, [2, 1]))
    bars = drawn(run_plots.score_dots(RUNS, measures, np.ones((3, 3)) / 2))
    for labels in (below.axes[0].get_xticklabels(), [axes.yaxis.label for axes in bars.axes]):
        boxes = [label.get_window_extent() for label in labels]
        assert len(boxes) == 3
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    for label, pattern in zip(below.axes[1].get_yticklabels(), patterns, strict=True):
        assert label.get_text().replace("\n", " ") == pattern, "whole, in lines"


def test_cumulated_curves() -> None:
    steps = [cumulated(ranks, 12) for ranks in ((1, 2), (2, 5), (11, 12))]
    ones, found = np.ones(2, np.int64), np.array([2, 5])
    topic = explain_topic(b"t", 10, 5, docnos=(b"a", b"b"), grades=ones, ranks=found)
    figure = drawn(explained_tables.explained_figure([[topic, topic]]))
    assert len(figure.axes) == 2
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    for name, (ranks, counts) in zip(("best case", "run", "worst case"), steps, strict=True):
        assert (list(lines[name].get_xdata()), list(lines[name].get_ydata())) == (ranks, counts)
    assert list(lines["Nmax"].get_xdata()) == [10, 10]
    areas = {patch.get_label(): area(patch.get_xy()) for patch in figure.axes[0].patches}
    assert areas == {"A1: lost": (2 - 1) + (5 - 2), "A2: kept": (11 - 2) + (12 - 5)}


def area(corners: NDArray[Any]) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)


def test_every_line_can_be_told_without_colour() -> None:
    styles = drawing.line_styles(45)
    assert len({(style["marker"], str(style["linestyle"])) for style in styles}) == 45
    assert len({(s["color"], s["marker"], str(s["linestyle"])) for s in drawing.line_styles(315)}) == 315


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_picture_is_the_same_each_time(ending: str) -> None:
    def made() -> bytes:
        figure = agreement.agreement_figure(RUNS, MEASURES, np.array([[1, 2, 2], [3, 1, 2]]), ["a = b"], [1])
        return paper.picture(lambda: figure, f"x.{ending}")

    first = made()
    assert first == made()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending.lower()])
    assert mpl.rcParams["axes.grid"] is False, "settings of the caller stay as they were"


def test_strange_names_are_drawn_as_they_are() -> None:
    names = ("$\\frac{", "名前", "_x", "a\\$b$c")
    values = np.ones((1, 2, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = paper.picture(
            lambda: sweep_tables.sweep_figure(Sweep(names, ("$m$",), (1, 2), values)), "x.svg"
        )
    for name in names:
        assert f">{name}<".encode() in made or f"> {name}<".encode() in made


def test_levels_that_are_not_low_are_said() -> None:
    swaps = {"map": ([0.0], [0.1])}
    figure = drawn(power.power_figure({"map": np.ones(3)}, swaps, alpha=0.05, topics=5))
    assert "no pair of runs below 0.2" in [text.get_text() for text in figure.axes[0].texts]
    figure = drawn(power.power_figure({"map": np.linspace(0, 1, 101)}, swaps, alpha=0.05, topics=5))
    assert figure.axes[0].get_xlim()[0] == 80, "pairs above 0.2 are not drawn"
    assert figure.axes[1].get_xlim()[0] == pytest.approx(-0.001), "a single bin at 0 has no others before it"
    figure = drawn(power.power_figure({"map": np.ones(3)}, {"map": ([], [])}, alpha=0.05, topics=5))
    assert "no bin of 20 comparisons" in [text.get_text() for text in figure.axes[1].texts]


def test_pairs_are_counted_in_whole_numbers() -> None:
    positions = np.array([[1, 2, 2], [3, 1, 2]])
    figure = drawn(agreement.agreement_figure(RUNS, MEASURES, positions, ["a = b", "a ≠ b"], [2, 1]))
    ticks = figure.axes[1].get_xticks()
    assert all(float(tick).is_integer() for tick in ticks)


def test_dots_are_in_the_order_of_the_last_measure() -> None:
    for falling, order in ((False, np.argsort(-MEANS[-1])), (True, np.argsort(MEANS[-1]))):
        axes = drawn(run_plots.score_dots(RUNS, MEASURES, MEANS, last_is_falling=falling)).axes[-1]
        assert [float(dot.get_ydata()[0]) for dot in axes.lines] == MEANS[-1][order].tolist()


def test_one_topic_has_no_intervals_in_the_picture() -> None:
    nothing = np.full(MEANS.shape, np.nan)
    figure = drawn(run_plots.score_dots(RUNS, MEASURES, MEANS, (nothing, nothing), topics=1))
    assert figure.axes[0].get_title() == "Mean scores over 1 topic: no intervals, which need two"


def test_path_and_extra_are_checked_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    paper.check_picture_path("a/b.svg")
    with pytest.raises(UsageError, match=r"--plot x.jpg: expected a name that ends with .pdf, .png, .svg"):
        paper.check_picture_path("x.jpg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[plot\]'"):
        paper.check_picture_path("x.png")

"""The report's pictures of runs: graphs, means with their intervals, distributions over topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.letters import SHARED
from pres_eval.errors import UsageError
from pres_eval.report.drawing import COLOURS, name_ends, one_plot, plain, plain_names, run_styles
from pres_eval.report.graphs import Graph, graphs_of
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.report_topics import hardest_topics, quartiles, relevant_counts
from pres_eval.report.trec_report import Report


@dataclass(frozen=True)
class Subject:
    """Subject of a picture that does not show everything: indices of runs and of a topic, a measure."""

    runs: tuple[int, ...]
    topic: int
    label: str


def default_subject(report: Report) -> Subject:
    """The first two runs, the hardest topic, the first measure of the leaderboard that topics have."""
    label = next(label for label in (*report.board, "map") if report.column(label).measure.per_topic)
    hardest = hardest_topics(report, label)[0].place
    return Subject(runs=tuple(range(min(2, len(report.names)))), topic=hardest, label=label)


def draw_graph(axes: Axes, graph: Graph, report: Report) -> None:
    """The curves of the runs."""
    looks = run_styles(report.names, report.best_first(report.main))
    for points, look in zip(graph.curves, looks, strict=True):
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], linewidth=1.2, **look)
    if graph.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set(title=graph.title, xlabel=graph.x, ylabel=graph.y, ylim=(0, 1))


def draw_one_graph(name: str) -> Callable[[Report, Subject], Figure]:
    """Return the function that draws the graph of that name alone."""

    def draw(report: Report, subject: Subject) -> Figure:
        graph = next((graph for graph in graphs_of(report) if graph.name == name), None)
        if graph is None:
            raise UsageError(f"--picture {name}: needs -N, the number of documents in the collection")
        with one_plot(7.5, 4.6) as (figure, axes):
            draw_graph(axes, graph, report)
            name_ends(figure, axes, axes.get_lines(), report.names)
        return figure

    return draw


def rows_plot(count: int) -> AbstractContextManager[tuple[Figure, Axes]]:
    """A figure of one plot with room for so many rows, each of a run."""
    return one_plot(8.0, 1.2 + 0.24 * count)


def draw_intervals(report: Report, subject: Subject) -> Figure:
    """The means of a measure with their intervals, the best run on top."""
    pairs = report.pairs
    if pairs is None or subject.label not in pairs.measures:
        raise UsageError(f"--picture leaderboard: {subject.label} is not an average that can be compared")
    row = pairs.measures.index(subject.label)
    order = np.array(report.all_topics_first(np.argsort(-pairs.gains(row), kind="stable").tolist())[::-1])
    means, places = pairs.means[row][order], np.arange(len(order))
    spread = np.maximum(0.0, [means - pairs.lower[row][order], pairs.upper[row][order] - means])
    with rows_plot(len(order)) as (figure, axes):
        axes.errorbar(means, places, xerr=spread, fmt="o", color=COLOURS[0], elinewidth=1.4, capsize=2)
        label_rows(axes, report, order.tolist(), f"mean {subject.label}")
        confidence = f"{100 * (1 - pairs.settings.alpha):g} %"
        share = ""
        if len(order) > 1:
            letters = axes.secondary_yaxis("right")
            letters.set_yticks(places, [pairs.letters[row][run] for run in order.tolist()])
            letters.tick_params(length=0)
            letters.spines["right"].set_visible(False)
            share = f"\n{SHARED}, all pairs compared"
        over = f"means over {pairs.over}, {confidence} intervals (uncorrected)"
        axes.set_title(f"{plain(subject.label)}: {over}{share}")
    return figure


def draw_distributions(report: Report, subject: Subject) -> Figure:
    """A measure over topics, a box for each run, the best mean on top."""
    matrix = report.matrix(subject.label)
    order = report.best_first(subject.label)[::-1]
    with rows_plot(len(order)) as (figure, axes):
        for place, run in enumerate(order):
            low, first, middle, third, high = quartiles(matrix[run])
            if math.isnan(middle):
                continue
            axes.hlines(place, low, high, colors="black", linewidth=0.9)
            axes.barh(place, third - first, left=first, height=0.6, color="#56B4E9", edgecolor="black")
            axes.vlines(middle, place - 0.3, place + 0.3, colors=COLOURS[1], linewidth=2)
        label_rows(axes, report, order, subject.label)
        axes.set_title(f"{plain(subject.label)} over topics: least, quartiles, most")
    return figure


def label_rows(axes: Axes, report: Report, order: Sequence[int], label: str) -> None:
    """Name the runs of the rows, from below, and what is along the axis."""
    names = plain_names(report.names)
    axes.set_yticks(range(len(order)), [names[run] for run in order])
    axes.set(ylim=(-0.6, len(order) - 0.4), xlabel=plain(label))
    axes.grid(visible=False, axis="y")


def draw_relevant(report: Report, subject: Subject) -> Figure:
    """Draw how many topics have how many relevant documents."""
    columns = relevant_counts(report)
    with rows_plot(10) as (figure, axes):
        bars = axes.bar([name for name, _ in columns], [count for _, count in columns], color=COLOURS[0])
        axes.bar_label(bars)
        axes.set(xlabel="relevant documents", ylabel="topics", title="Relevant documents of the topics")
    return figure

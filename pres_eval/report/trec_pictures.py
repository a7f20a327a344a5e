"""The report's pictures: of runs, of their topics, of one topic.

The functions that take a subject are those of --picture; each uses the parts of the subject that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.corrections import SHARED
from pres_eval.analysis.explain import explain_topic
from pres_eval.arrays import FloatArray
from pres_eval.errors import UsageError, plural
from pres_eval.report.drawing import (
    COLOURS,
    add_legend,
    name_bars,
    name_ends,
    one_plot,
    panels,
    picture_names,
    picture_text,
    run_styles,
    shorten_numbers,
)
from pres_eval.report.explained_tables import draw_areas
from pres_eval.report.graphs import Graph, graphs_of
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.report_numbers import (
    above_at_below,
    against_median,
    five_numbers,
    hardest_topics,
    median_labels,
    median_words,
    relevant_counts,
)
from pres_eval.report.text import percentage, text_of
from pres_eval.report.trec_report import Report


@dataclass(frozen=True)
class Subject:
    """Subject of a picture that shows some runs, one topic, or one measure.

    runs   their numbers: one, or two for a pair
    topic  its number
    label  of a measure
    """

    runs: tuple[int, ...]
    topic: int
    label: str


def default_subject(report: Report) -> Subject:
    """Return the first two runs, the hardest topic, the first measure of the leaderboard that topics have.

    That is "map" if the leaderboard has no such measure.
    """
    label = "map"
    for board_label in report.board:
        if report.column(board_label).measure.per_topic:
            label = board_label
            break
    return Subject(
        runs=tuple(range(min(2, len(report.names)))),
        topic=hardest_topics(report, label)[0],
        label=label,
    )


def draw_graph(axes: Axes, graph: Graph, report: Report) -> None:
    """Draw the curves of the runs; of many runs the best by the main measure have colours."""
    looks = run_styles(report.names, report.best_first(report.main))
    for points, look in zip(graph.curves, looks, strict=True):
        x_values = [x for x, _, _ in points]
        y_values = [y for _, y, _ in points]
        axes.plot(x_values, y_values, linewidth=1.2, **look)
    if graph.x.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        shorten_numbers(axes)
    axes.set(title=graph.title, xlabel=graph.x.label, ylabel=graph.y.label, ylim=(0, 1))


def draw_one_graph(name: str, report: Report, subject: Subject) -> Figure:
    """Draw the graph of that name alone."""
    graphs = {graph.name: graph for graph in graphs_of(report)}
    graph = graphs.get(name)
    if graph is None:  # all but ROC are always there
        raise UsageError(f"--picture {name}: needs -N, the number of documents in the collection")
    with one_plot(7.5, 4.6) as (figure, axes):
        draw_graph(axes, graph, report)
        name_ends(figure, axes, axes.get_lines(), report.names)
    return figure


ROWS_OF_COLUMNS, ROWS_OF_AREAS = 10, 14
"""Heights of pictures that have no rows, in rows: columns, and PRES as areas."""


def rows_plot(count: int) -> AbstractContextManager[tuple[Figure, Axes]]:
    """Give a figure of one plot that is high enough for a number of rows, such as one for each run."""
    return one_plot(8.0, 1.2 + 0.24 * count)


def draw_intervals(report: Report, subject: Subject) -> Figure:
    """Draw the means of a measure with their intervals, the best run on top."""
    pairs = report.compared.pairs
    if pairs is None or subject.label not in pairs.measures:
        raise UsageError(f"--picture leaderboard: {subject.label} is no average over topics, expected one")
    measure = pairs.measures.index(subject.label)
    best_first = np.argsort(-pairs.gains[measure], kind="stable").tolist()
    order = report.all_topics_first(best_first)[::-1]  # from below
    heights = np.arange(len(order))
    means = pairs.means[measure][order]
    to_lower, to_upper = means - pairs.lower[measure][order], pairs.upper[measure][order] - means
    spread = np.maximum(0.0, [to_lower, to_upper])
    with rows_plot(len(order)) as (figure, axes):
        axes.errorbar(means, heights, xerr=spread, fmt="o", color=COLOURS[0], elinewidth=1.4, capsize=2)
        intervals = f"{percentage(1 - pairs.settings.alpha)} intervals (uncorrected)"
        title = f"{picture_text(subject.label)}: means over {pairs.over}, {intervals}"
        if len(order) > 1 and pairs.baseline is None:
            letters = axes.secondary_yaxis("right")
            letters.set_yticks(heights, [pairs.letters[measure][run] for run in order])
            letters.tick_params(length=0)
            letters.spines["right"].set_visible(False)
            title += f"\n{SHARED}, all pairs compared"
        label_rows(axes, report, order, f"mean {subject.label}", title)
    return figure


def draw_distributions(report: Report, subject: Subject) -> Figure:
    """Draw the distribution of a measure over topics: a box for each run, the best mean on top."""
    order = report.best_first(subject.label)[::-1]
    with rows_plot(len(order)) as (figure, axes):
        for height, run in enumerate(order):  # from below
            low, first, middle, third, high = five_numbers(report.per_topic(run, subject.label))
            if np.isnan(middle):
                continue
            axes.hlines(height, low, high, colors="black", linewidth=0.9)
            axes.barh(height, third - first, left=first, height=0.6, color="#56B4E9", edgecolor="black")
            axes.vlines(middle, height - 0.3, height + 0.3, colors="black", linewidth=2.4)
        title = f"{picture_text(subject.label)} over topics: least, quartiles, most"
        label_rows(axes, report, order, subject.label, title)
    return figure


def label_rows(axes: Axes, report: Report, order: Sequence[int], label: str, title: str) -> None:
    """Name the rows by runs (`order`: from below), the x axis by a label, and the picture by a title."""
    names = picture_names(report.names)
    axes.grid(visible=False, axis="y")
    axes.set(
        yticks=range(len(order)),
        yticklabels=[names[run] for run in order],
        ylim=(-0.6, len(order) - 0.4),
        xlabel=picture_text(label),
        title=title,
    )


def draw_relevant(report: Report, subject: Subject) -> Figure:
    """Draw how many topics have how many relevant documents."""
    columns = relevant_counts(report)
    with rows_plot(ROWS_OF_COLUMNS) as (figure, axes):
        bars = axes.bar([name for name, _ in columns], [count for _, count in columns], color=COLOURS[0])
        axes.bar_label(bars)
        axes.set(xlabel="relevant documents", ylabel="topics", title="Relevant documents of the topics")
    return figure


def draw_median(report: Report, subject: Subject) -> Figure:
    """Draw a run's values minus the median, from the largest difference to the smallest.

    If the subject's measure has no medians, another that has them is drawn.
    """
    labels = median_labels(report)
    if not labels:
        raise UsageError("--picture median: expected several runs, or --medians FILE")
    label = subject.label if subject.label in labels else labels[0]
    with one_plot(9.5, 4.2) as (figure, axes):
        draw_bars(axes, report, subject.runs[0], label)
    return figure


def draw_bars(axes: Axes, report: Report, run: int, label: str) -> None:
    """Draw a run's values minus the median as bars, largest first, for topics that have both."""
    values = against_median(report, run, label)
    num_known = int(np.count_nonzero(~np.isnan(values)))
    order = np.argsort(-values, kind="stable")[:num_known]  # nan goes last
    _draw_differences(axes, values[order], [text_of(report.topics[topic]) for topic in order])
    above, at, below = above_at_below(values)
    name = picture_names(report.names)[run]
    axes.set(
        ylabel=f"{picture_text(report.heading(label))} minus median",
        title=f"{name}: above {median_words(report, label)} on {above}, at it on {at},"
        f" below it on {plural(below)}",
    )


MANY_BARS = 300
"""With more bars than this there is no room between them."""

NAMED_WIDTH = 5.0
"""Inches for the names of topics: a plot of differences beside that of a pair has no more."""


def _draw_differences(axes: Axes, values: FloatArray, topics: Sequence[str]) -> None:
    """Draw differences (n,) as bars, named by their n topics; of many topics as one shape."""
    columns = np.arange(len(values))
    if len(values) <= MANY_BARS:
        axes.bar(columns, values, width=0.8, color=bar_colours(values))
    else:
        # One shape instead of a rectangle for each topic: those above 0, and those below.
        edges = np.arange(len(values) + 1) - 0.5
        axes.stairs(np.maximum(values, 0.0), edges, fill=True, color=COLOURS[0])
        axes.stairs(np.minimum(values, 0.0), edges, fill=True, color=COLOURS[1])
    axes.axhline(0, color="black", linewidth=0.8)
    names = [picture_text(topic, longest=14) for topic in topics]
    named = name_bars(axes, names, width=NAMED_WIDTH)
    axes.grid(visible=False, axis="x")
    axes.set(xlabel=f"Topic{named}", xlim=(-1, len(values)))


def bar_colours(values: FloatArray) -> list[str]:
    """Return blue above 0, orange below: as on the page."""
    return [COLOURS[0] if value > 0 else COLOURS[1] for value in values.tolist()]


def draw_pair(report: Report, subject: Subject) -> Figure:
    """Draw two runs topic against topic, and beside that their differences, largest first."""
    if len(subject.runs) < 2:
        raise UsageError("--picture pair: this picture needs 2 runs, and the report has one")
    first_run, second_run = subject.runs[:2]
    all_names = picture_names(report.names)
    first_name, second_name = all_names[first_run], all_names[second_run]
    values_of_first = report.per_topic(first_run, subject.label)
    values_of_second = report.per_topic(second_run, subject.label)
    common = np.flatnonzero(np.isfinite(values_of_first) & np.isfinite(values_of_second))
    first, second = values_of_first[common], values_of_second[common]
    differences = first - second
    order = np.argsort(-differences, kind="stable")
    with panels(2, most_columns=2, plot_inches=(5.25, 4.6)) as (figure, (scatter, bars)):
        _draw_topics(scatter, first, second)
        scatter.set(
            xlabel=second_name, ylabel=first_name, title=f"{picture_text(subject.label)} of each topic"
        )
        ordered_topics = [text_of(report.topics[topic]) for topic in common[order]]
        _draw_differences(bars, differences[order], ordered_topics)
        bars.set_title(f"{first_name} minus {second_name}")
    return figure


def _draw_topics(axes: Axes, first: FloatArray, second: FloatArray) -> None:
    """Draw topics (n,) by their values in two runs, the second along the x axis, and the diagonal.

    A marker points up where the first run is higher, down where the second is; equal topics are dots.
    """
    differences = first - second
    for marker, topics in (("^", differences > 0), ("v", differences < 0), ("o", differences == 0)):
        axes.scatter(
            second[topics],
            first[topics],
            s=18,
            marker=marker,
            color=bar_colours(differences[topics]),
            clip_on=False,  # points at 0 and 1 are whole
            zorder=3,
        )
    values = np.concatenate((first, second, [0.0, 0.1]))
    limits = float(values.min()), 1.03 * float(values.max())
    axes.axline((0, 0), slope=1, color="black", linewidth=0.8)
    axes.set(xlim=limits, ylim=limits)


def draw_topic(report: Report, subject: Subject) -> Figure:
    """Draw the ranks of a topic's relevant documents in each run, the highest value of the measure on top."""
    documents = report.documents
    start, stop = documents.offsets[subject.topic : subject.topic + 2].tolist()
    order = np.argsort(np.nan_to_num(report.matrix(subject.label)[:, subject.topic]), kind="stable")
    with rows_plot(len(order)) as (figure, axes):
        # A rank of 0 is that of a document which the run did not retrieve.
        ranks = [ranks_of_run[ranks_of_run > 0] for ranks_of_run in documents.ranks[order, start:stop]]
        axes.eventplot(ranks, linelengths=0.6, colors=COLOURS[0])
        topic = picture_text(text_of(report.topics[subject.topic]))
        title = f"{topic}: ranks of its {plural(stop - start, 'relevant document')}"
        label_rows(axes, report, order.tolist(), "rank", title)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        # From rank 1 over at least a decade: between 79 and 84 there is no tick that can be read.
        axes.set_xlim(0.9, max(11.0, 1.1 * int(documents.ranks[:, start:stop].max(initial=0))))
    return figure


def draw_explained(report: Report, subject: Subject) -> Figure:
    """Draw PRES at the first Nmax of a run on a topic as areas."""
    documents, run, nmax = report.documents, subject.runs[0], report.nmax[0]
    start, stop = documents.offsets[subject.topic : subject.topic + 2].tolist()
    explanation = explain_topic(
        report.topics[subject.topic],
        nmax,
        num_ret=0,  # what was retrieved is not drawn
        docnos=documents.docnos[start:stop],
        grades=documents.grades[start:stop],
        ranks=documents.ranks[run, start:stop],
    )
    title = f"{report.names[run]}, {text_of(explanation.topic)}: PRES_{nmax} = {explanation.score:.4f}"
    with rows_plot(ROWS_OF_AREAS) as (figure, axes):
        draw_areas(axes, explanation, title)
        add_legend(figure, *axes.get_legend_handles_labels(), 3)
    return figure

"""The papers' figures: their numbers as tables, and their pictures.

An `Explanation` is of one topic of a run.  Its `documents` are the topic's relevant ones, each with the
`rank` that the run gives it, None if it has none, and the `counted` rank, which PRES counts in place of a
rank behind Nmax or none.  Its `ranks` are those of the relevant documents retrieved, its `score` is PRES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from pres_eval.analysis.explain import (
    Explanation,
    PrecisionRecall,
    Roc,
    normalised_recall,
    precision_recall,
    pres_of_average_rank,
    pres_of_one,
    roc,
)
from pres_eval.arrays import AnyArray
from pres_eval.errors import UsageError, plural
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.report.cells import Value
from pres_eval.report.drawing import (
    add_legend,
    line_styles,
    name_bars,
    name_ends,
    named_lines,
    one_plot,
    picture_names,
    run_styles,
    shorten_numbers,
)
from pres_eval.report.layout import Table
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.text import text_of

Drawn = tuple[Table, Callable[[], Figure]]
"""A table of numbers, and the function that draws them as a picture.

The functions that return it have names that end in _figure; those below them draw.
"""


def relevant_figure(qrels: QrelsJudgements, level: float) -> Drawn:
    """Return the table and the picture of each topic's number of relevant documents, most first."""
    topics = [text_of(topic) for topic in qrels.pool.topics]
    topic_of_relevant = qrels.pool.topic_of[qrels.grade >= level]  # a topic's number for each judgement
    num_relevant = np.bincount(topic_of_relevant, minlength=len(topics))
    order = np.argsort(-num_relevant, kind="stable")
    ordered_topics = [topics[topic] for topic in order.tolist()]
    ordered_counts = num_relevant[order].tolist()
    table = Table(
        name="figure",
        title=f"Relevant documents of {plural(len(topics))}",
        headings=("topic", "relevant"),
        rows=list(zip(ordered_topics, ordered_counts, strict=True)),
    )
    return table, lambda: relevant_per_topic(ordered_topics, ordered_counts)


def precision_recall_figure(
    topic: str, names: Sequence[str], explanations: Sequence[Explanation], num_docs: int
) -> Drawn:
    """Return the table and the picture of precision and recall of runs on a topic, at each relevant document.

    names, explanations: of the runs.  `num_docs` is not used: the functions for one topic are called alike.
    """
    curves: list[PrecisionRecall] = []
    rows: list[tuple[Value, ...]] = []
    for name, explanation in zip(names, explanations, strict=True):
        curve = precision_recall(explanation.ranks, len(explanation.documents), explanation.num_ret)
        curves.append(curve)
        ranks = sorted(explanation.ranks)
        recalls, interpolated = curve.levels.tolist(), curve.interpolated.tolist()
        # The saw-tooth has two points for each relevant document: at the document, and before the next one.
        precisions = curve.precision[::2].tolist()
        for rank, recall, precision, highest in zip(ranks, recalls, precisions, interpolated, strict=True):
            rows.append((name, rank, recall, precision, highest, curve.break_even))
    table = Table(
        name="figure",
        title=f"Precision and recall of topic {topic}, at each relevant document",
        headings=("run", "rank", "recall", "precision", "interpolated", "break_even"),
        rows=rows,
        notes=("break_even: precision at rank n of n relevant documents, where it equals recall",),
    )
    return table, lambda: precision_recall_curves(f"Topic {topic}", names, curves)


def roc_figure(topic: str, names: Sequence[str], explanations: Sequence[Explanation], num_docs: int) -> Drawn:
    """Return the table of areas under the runs' ROC curves on a topic, and the picture of the curves.

    names, explanations: of the runs; num_docs: documents in the collection

    Raises UsageError for a collection with fewer documents than a run retrieved and the relevant others.
    """
    needed = max((_num_known(explanation) for explanation in explanations), default=0)
    if num_docs < needed:
        raise UsageError(
            f"-N {num_docs}: expected at least {needed}, as many as topic {topic} has documents that were"
            " retrieved or are relevant"
        )
    curves: list[Roc] = []
    rows: list[tuple[Value, ...]] = []
    for name, explanation in zip(names, explanations, strict=True):
        num_relevant = len(explanation.documents)
        curve = roc(explanation.ranks, num_relevant, explanation.num_ret, num_docs)
        curves.append(curve)
        rows.append((name, num_relevant, len(explanation.ranks), curve.area))
    table = Table(
        name="figure",
        title=f"Area under the ROC curve (AUC) of topic {topic}, {num_docs} documents",
        headings=("run", "relevant", "found", "AUC"),
        rows=rows,
        notes=("what was not retrieved follows in an unknown order",),
    )
    return table, lambda: roc_curves(f"Topic {topic}", names, curves)


def _num_known(explanation: Explanation) -> int:
    """Return the number of a topic's documents that were retrieved or are relevant."""
    num_not_retrieved = len(explanation.documents) - len(explanation.ranks)
    return explanation.num_ret + num_not_retrieved


def rnorm_figure(
    topic: str, names: Sequence[str], explanations: Sequence[Explanation], num_docs: int
) -> Drawn:
    """Return the table and the picture of the normalised recall of runs on a topic, by collection size.

    The sizes go from the smallest one that the runs and the judgements allow to 1000 times that; `num_docs`
    is not used: the functions for one topic are called alike.
    """
    # A collection has the documents retrieved and the other relevant ones, and one that is not relevant.
    smallest = 2
    for explanation in explanations:
        smallest = max(smallest, _num_known(explanation), len(explanation.documents) + 1)
    # Ten steps for each factor of ten.
    sizes = np.unique(np.round(np.geomspace(smallest, 1000 * smallest, 31)))
    values = np.empty((len(names), len(sizes)))
    rows: list[tuple[Value, ...]] = []
    for run, (name, explanation) in enumerate(zip(names, explanations, strict=True)):
        values[run] = normalised_recall(explanation.ranks, len(explanation.documents), sizes)
        for size, value in zip(sizes.tolist(), values[run].tolist(), strict=True):
            rows.append((name, int(size), value))
    table = Table(
        name="figure",
        title=f"Normalised recall of topic {topic} in collections of N documents",
        headings=("run", "N", "Rnorm"),
        rows=rows,
    )
    return table, lambda: normalised_recall_curves(sizes, names, values)


def pres_rank_figure(nmax: int, names: Sequence[str], explanations: Sequence[Sequence[Explanation]]) -> Drawn:
    """Return the table and the picture of PRES, recall and the average rank of found documents, by topic.

    nmax: the rank at which the reader stops
    explanations: of each run, those of its topics; topics without a found document are left out
    """
    rows: list[tuple[str, bytes, float, float, float]] = []
    num_relevant: list[int] = []
    for name, explanations_of_run in zip(names, explanations, strict=True):
        for explanation in explanations_of_run:
            documents = explanation.documents
            num_relevant.append(len(documents))
            ranks = [document.counted for document in documents if document.is_found]  # by rank Nmax
            if ranks:
                average_rank = sum(ranks) / len(ranks)
                recall = len(ranks) / len(documents)
                rows.append((name, explanation.topic, average_rank, recall, explanation.score))
    averages, recalls, scores = np.array([row[2:] for row in rows]).reshape(-1, 3).T
    # The relevant documents of the topic that the picture's lines are drawn for: the median, Nmax at most.
    typical = 1
    if num_relevant:
        median = int(np.median(num_relevant))
        typical = max(1, min(median, nmax))
    table = Table(
        name="figure",
        title=f"PRES at {nmax} and the average rank of the relevant documents found",
        headings=("run", "topic", "average_rank", "recall", "PRES"),
        rows=rows,
        left=2,
    )
    return table, lambda: pres_against_rank(nmax, typical, averages, scores, recalls)


def pres_mrr_figure(nmax: int, names: Sequence[str], explanations: Sequence[Sequence[Explanation]]) -> Drawn:
    """Return the table and the picture of PRES and reciprocal rank on topics with one relevant document.

    nmax: the rank at which the reader stops
    explanations: of each run, those of its topics
    """
    rows: list[tuple[Value, ...]] = []
    ranks: list[int] = []
    for name, explanations_of_run in zip(names, explanations, strict=True):
        for explanation in explanations_of_run:
            if len(explanation.documents) != 1:
                continue
            (document,) = explanation.documents
            ranks += explanation.ranks
            reciprocal_rank = max((1 / rank for rank in explanation.ranks), default=0.0)
            rows.append((name, explanation.topic, document.rank, explanation.score, reciprocal_rank))
    notes = []
    if not rows:
        notes.append("no topic has one relevant document: the picture shows the curves alone")
    table = Table(
        name="figure",
        title=f"Topics with one relevant document: PRES at {nmax} and reciprocal rank",
        headings=("run", "topic", "rank", "PRES", "reciprocal_rank"),
        rows=rows,
        notes=notes,
        left=2,
    )
    return table, lambda: pres_against_mrr(nmax, np.array(ranks, np.int64), len(names))


Curve = TypeVar("Curve", PrecisionRecall, Roc)

RECALLS = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Recalls for which PRES against average rank is drawn."""

MOST_BARS_WITH_GAPS = 60
"""With more bars than this there is no gap between them."""

LONGEST_TOPIC = 14
"""Characters of the longest name of a topic below a bar; longer ones are cut."""

MOST_SAW_TEETH = 4
"""Runs whose saw-teeth share a plot; of more, they would hide each other."""


def relevant_per_topic(topics: Sequence[str], relevant: Sequence[int]) -> Figure:
    """Draw the relevant documents of each topic, most first (figure 2 of Magdy & Jones, CLEF 2010)."""
    bar_width = 0.8
    if len(topics) > MOST_BARS_WITH_GAPS:
        bar_width = 1.0
    width_of_figure = 8.0  # inches
    with one_plot(width_of_figure, 3.6) as (figure, axes):
        axes.bar(range(len(topics)), list(relevant), color="#0072B2", width=bar_width)
        note_on_names = name_bars(axes, picture_names(topics, LONGEST_TOPIC), width_of_figure)
        axes.grid(visible=False, axis="x")
        mean = sum(relevant) / max(len(relevant), 1)
        axes.axhline(mean, color="#D55E00", linestyle="--", linewidth=1, label=f"mean: {mean:.1f}")
        axes.legend(loc="upper right")
        axes.set(
            title=f"{sum(relevant)} relevant documents of {plural(len(topics))}, {mean:.1f} on average",
            xlabel=f"topic, by relevant documents{note_on_names}",
            ylabel="relevant documents",
            xlim=(-0.8, len(topics) - 0.2),
        )
    return figure


def precision_recall_curves(title: str, names: Sequence[str], curves: Sequence[PrecisionRecall]) -> Figure:
    """Draw interpolated precision against recall of runs on a topic, with a mark at break-even.

    Of up to MOST_SAW_TEETH runs the saw-tooth is drawn as well: precision and recall at each relevant
    document, and before the next one.
    """
    has_saw_teeth = len(names) <= MOST_SAW_TEETH

    def draw(axes: Axes, curve: PrecisionRecall, look: dict[str, Any]) -> Any:
        """Draw a curve, and return its line for the legend."""
        if has_saw_teeth:
            axes.plot(curve.recall, curve.precision, color=look["color"], linewidth=0.6)
        at_recall_0 = curve.interpolated[:1] if len(curve.levels) else [0.0]
        levels = np.concatenate(([0.0], curve.levels))
        interpolated = np.concatenate((at_recall_0, curve.interpolated))
        axes.step(levels, interpolated, where="pre", linewidth=1.4, **(look | {"marker": ""}))
        axes.plot(
            [curve.break_even],
            [curve.break_even],
            markersize=6,
            color=look["color"],
            marker=look["marker"],
            clip_on=False,
        )
        return axes.plot([], [], linewidth=1.4, **look)[0]  # a line and a mark, for the legend alone

    saw_tooth = "saw-tooth (thin), " if has_saw_teeth else ""
    return _plot_of_curves(
        f"{title}: {saw_tooth}interpolated precision, break-even (mark and number)",
        axis_names=("recall", "precision"),
        names=names,
        curves=curves,
        numbers=[(": ", curve.break_even) for curve in curves],
        draw=draw,
    )


def roc_curves(title: str, names: Sequence[str], curves: Sequence[Roc]) -> Figure:
    """Draw recall against fallout of each run on a topic, with its area."""

    def draw(axes: Axes, curve: Roc, look: dict[str, Any]) -> Any:
        """Draw a curve, and return its line for the legend."""
        points_per_mark = max(1, len(curve.recall) // 8)
        return axes.plot(curve.fallout, curve.recall, linewidth=1.2, markevery=points_per_mark, **look)[0]

    # Few of a collection's documents are ever retrieved: an axis up to 1 would be empty but for its left end.
    last_fallout = 0.0  # behind it no curve rises
    for curve in curves:
        still_rising = curve.recall < curve.recall.max()
        last_fallout = max(last_fallout, float(curve.fallout[still_rising].max(initial=0)))
    reach = 1.0
    if last_fallout > 0:
        reach = min(1.0, 1.2 * last_fallout)
    return _plot_of_curves(
        f"{title}: ROC up to a fallout of {reach:.3g}",
        axis_names=("fallout", "recall"),
        names=names,
        curves=curves,
        numbers=[(": AUC ", curve.area) for curve in curves],
        draw=draw,
        reach=reach,
    )


def _plot_of_curves(
    title: str,
    *,
    axis_names: tuple[str, str],
    names: Sequence[str],
    curves: Sequence[Curve],
    numbers: Sequence[tuple[str, float]],
    draw: Callable[[Axes, Curve, dict[str, Any]], Any],
    reach: float = 1.0,
) -> Figure:
    """Draw curves of runs on axes from 0 to 1; of many runs, the best have colours.

    axis_names  of the horizontal and the vertical axis
    numbers     a word and a number of each run, which the legend shows behind its name; higher is better
    draw        axes, curve, look (colour, line style, marker) -> the line for the legend
    reach       end of the horizontal axis
    """
    best_first = np.argsort([-number for _, number in numbers], kind="stable").tolist()
    with one_plot(6.4, 5.0) as (figure, axes):
        axes.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, linestyle=":")
        looks = run_styles(names, best_first)
        lines = [draw(axes, curve, look) for curve, look in zip(curves, looks, strict=True)]
        axes.set(xlim=(-0.01 * reach, 1.02 * reach), ylim=(-0.01, 1.04))
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1])
        shorten_numbers(axes)
        figure.suptitle(title, fontsize=10)
        labels = []
        for name, (word, number) in zip(picture_names(names), numbers, strict=True):
            labels.append(f"{name}{word}{number:.4f}")
        add_legend(figure, *named_lines(lines, names, labels), columns=1)
    return figure


def normalised_recall_curves(sizes: AnyArray, names: Sequence[str], values: AnyArray) -> Figure:
    """Draw Rnorm of runs against the number of documents in the collection; the title says what it shows.

    sizes: (n,) numbers of documents; values: (runs, n)

    Figure 2 of Magdy & Jones, SIGIR 2010, is such a picture.
    """
    best_first = np.argsort(-values[:, -1], kind="stable").tolist()
    with one_plot(6.4, 4.4) as (figure, axes):
        points_per_mark = max(1, len(sizes) // 10)
        lines = []
        for values_of_run, look in zip(values, run_styles(names, best_first), strict=True):
            lines += axes.plot(sizes, values_of_run, linewidth=1.2, markevery=points_per_mark, **look)
        axes.set(
            title="Normalised recall comes near to recall as the collection grows",
            xlabel="documents in the collection (N)",
            ylabel="normalised recall",
            xscale="log",
            ylim=(0, 1.02),
        )
        name_ends(figure, axes, lines, names)
    return figure


def pres_against_rank(
    nmax: int, relevant: int, averages: AnyArray, scores: AnyArray, recalls: AnyArray
) -> Figure:
    """Draw PRES against the average rank of found documents: lines for RECALLS, a dot for each topic.

    relevant: relevant documents of the topic that the lines are drawn for
    averages, scores, recalls: (n,) average rank, PRES and recall of the topics of runs

    Figure 4a of Magdy & Jones, SIGIR 2010, is such a picture.
    """
    with one_plot(6.8, 4.6) as (figure, axes):
        lines = []
        for recall, look in zip(RECALLS, line_styles(len(RECALLS)), strict=True):
            num_found = recall * relevant
            # From the first ranks, 1 to num_found, to the last ones, which end at Nmax.
            average_ranks = np.linspace((num_found + 1) / 2, nmax - (num_found - 1) / 2, 50)
            lines += axes.plot(
                average_ranks,
                pres_of_average_rank(average_ranks, recall, relevant, nmax),
                linewidth=1.2,
                color=look["color"],
                linestyle=look["linestyle"],
            )
        shades: dict[str, Any] = {"cmap": "viridis_r", "vmin": 0, "vmax": 1}
        dots = axes.scatter(
            averages, scores, s=14, c=recalls, edgecolor="#222222", linewidth=0.3, clip_on=False, **shades
        )
        figure.colorbar(dots, ax=axes).set_label("recall of the topic")
        axes.set(
            title=f"PRES against average rank (lines: {plural(relevant, 'relevant document')})",
            xlabel="average rank of the relevant documents found",
            ylabel=f"PRES at {nmax}",
            xlim=(0, nmax),
            ylim=(0, 1.02),
        )
        add_legend(figure, lines, [f"recall {recall:.0%}" for recall in RECALLS], columns=3)
    return figure


def pres_against_mrr(nmax: int, ranks: AnyArray, num_runs: int) -> Figure:
    """Draw PRES and reciprocal rank against the rank of the only relevant document, with topics as marks.

    ranks: (n,) of the topics' relevant documents, of all runs

    Figure 4b of Magdy & Jones, SIGIR 2010, is such a picture.
    """
    with one_plot(6.4, 4.2) as (figure, axes):
        all_ranks = np.arange(1, nmax + 1)
        axes.plot(
            all_ranks,
            pres_of_one(all_ranks, nmax),
            color="#0072B2",
            linewidth=1.4,
            label=f"PRES at {nmax}",
        )
        axes.plot(
            all_ranks,
            1 / all_ranks,
            color="#D55E00",
            linewidth=1.4,
            linestyle=(0, (5, 2)),
            label="reciprocal rank",
        )
        in_reach = ranks[ranks <= nmax]
        marks_only: dict[str, Any] = {"linestyle": "none", "markersize": 4, "clip_on": False}
        axes.plot(in_reach, pres_of_one(in_reach, nmax), color="#0072B2", marker="o", **marks_only)
        axes.plot(in_reach, 1 / in_reach, color="#D55E00", marker="s", **marks_only)
        marks = "no topic here has just one in reach"
        if len(in_reach) and num_runs > 1:
            marks = f"{plural(len(in_reach), 'mark')} for topics of {num_runs} runs"
        elif len(in_reach) == 1:
            marks = "1 topic as a mark"
        elif len(in_reach):
            marks = f"{len(in_reach)} topics as marks"
        axes.set(
            title=f"One relevant document: PRES and reciprocal rank ({marks})",
            xlabel="rank of the only relevant document",
            ylabel="score",
            xlim=(0, nmax * 1.01),
            ylim=(0, 1.02),
        )
        axes.legend(loc="upper right")
    return figure

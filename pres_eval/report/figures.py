"""The papers' figures: their numbers as tables, and their pictures."""

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
from pres_eval.errors import plural
from pres_eval.reading.relevance import QrelsJudgements
from pres_eval.report.drawing import (
    add_legend,
    line_styles,
    name_bars,
    name_ends,
    named_lines,
    one_plot,
    plain_names,
    run_styles,
    short_numbers,
)
from pres_eval.report.layout import Table
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.text import text_of

Drawn = tuple[Table, Callable[[], Figure]]
"""A table, and the function that draws its picture."""


def relevant_figure(qrels: QrelsJudgements, level: float) -> Drawn:
    """Return each topic's number of relevant documents, most first."""
    names = [text_of(topic) for topic in qrels.pool.topics]
    counts = np.bincount(qrels.pool.topic_of[qrels.grade >= level], minlength=len(names)).tolist()
    rows = sorted(zip(names, counts, strict=True), key=lambda row: -row[1])
    table = Table("figure", f"Relevant documents of {plural(len(rows))}", ("topic", "relevant"), rows)
    return table, lambda: relevant_per_topic(*zip(*rows, strict=True))


def precision_recall_figure(
    topic: str, names: Sequence[str], found: Sequence[Explanation], num_docs: int
) -> Drawn:
    """Return precision and recall of runs on a topic, at each relevant document."""
    curves = [precision_recall(one.ranks, len(one.documents), one.num_ret) for one in found]
    table = Table(
        "figure",
        f"Precision and recall of topic {topic}, at each relevant document",
        ("run", "rank", "recall", "precision", "interpolated", "break_even"),
        [
            (name, rank, recall, precision, best, curve.break_even)
            for name, one, curve in zip(names, found, curves, strict=True)
            for rank, recall, precision, best in zip(
                sorted(one.ranks),
                curve.levels.tolist(),
                curve.precision[::2].tolist(),
                curve.interpolated.tolist(),
                strict=True,
            )
        ],
        ("break_even: precision at rank n of n relevant documents, where it equals recall",),
    )
    return table, lambda: precision_recall_curves(f"Topic {topic}", names, curves)


def roc_figure(topic: str, names: Sequence[str], found: Sequence[Explanation], num_docs: int) -> Drawn:
    """Return the area under each run's curve on a topic, in a collection of this size."""
    curves = [roc(one.ranks, len(one.documents), one.num_ret, num_docs) for one in found]
    table = Table(
        "figure",
        f"Area under the ROC curve (AUC) of topic {topic}, {num_docs} documents",
        ("run", "relevant", "found", "AUC"),
        [
            (name, len(one.documents), len(one.ranks), curve.area)
            for name, one, curve in zip(names, found, curves, strict=True)
        ],
        ("what was not retrieved follows in an unknown order",),
    )
    return table, lambda: roc_curves(f"Topic {topic}", names, curves)


def rnorm_figure(topic: str, names: Sequence[str], found: Sequence[Explanation], num_docs: int) -> Drawn:
    """Return the normalised recall of R runs on a topic, in collections of S sizes: values (R, S)."""
    least = max(2, *(max(one.num_ret, len(one.documents) + 1) for one in found))
    sizes = np.unique(np.round(np.geomspace(least, 1000 * least, 31)))
    values = np.array([normalised_recall(one.ranks, len(one.documents), sizes) for one in found])
    table = Table(
        "figure",
        f"Normalised recall of topic {topic} in collections of N documents",
        ("run", "N", "Rnorm"),
        [
            (name, int(size), value)
            for name, row in zip(names, values.tolist(), strict=True)
            for size, value in zip(sizes.tolist(), row, strict=True)
        ],
    )
    return table, lambda: normalised_recall_curves(sizes, names, values)


def pres_rank_figure(nmax: int, names: Sequence[str], found: Sequence[Sequence[Explanation]]) -> Drawn:
    """Return PRES, recall and the average rank of the documents found, by run and topic."""
    rows: list[tuple[str, bytes, float, float, float]] = []
    relevant = [len(one.documents) for topics in found for one in topics]
    for name, topics in zip(names, found, strict=True):
        for one in topics:
            ranks = [document.counted for document in one.documents if document.found]
            if ranks:
                average = sum(ranks) / len(ranks)
                rows.append((name, one.topic, average, len(ranks) / len(one.documents), one.score))
    averages, recalls, scores = np.array([row[2:] for row in rows]).reshape(-1, 3).T
    typical = max(1, min(int(np.median(relevant)) if relevant else 1, nmax))
    table = Table(
        "figure",
        f"PRES at {nmax} and the average rank of the relevant documents found",
        ("run", "topic", "average_rank", "recall", "PRES"),
        rows,
        left=2,
    )
    return table, lambda: pres_against_rank(nmax, typical, averages, scores, recalls)


def pres_mrr_figure(nmax: int, names: Sequence[str], found: Sequence[Sequence[Explanation]]) -> Drawn:
    """Return PRES and reciprocal rank of each run on topics with one relevant document."""
    alone = [
        (name, one)
        for name, topics in zip(names, found, strict=True)
        for one in topics
        if len(one.documents) == 1
    ]
    ranks = np.array([rank for _, one in alone for rank in one.ranks], np.int64)
    table = Table(
        "figure",
        f"Topics with one relevant document: PRES at {nmax} and reciprocal rank",
        ("run", "topic", "rank", "PRES", "reciprocal_rank"),
        [
            (name, one.topic, one.documents[0].rank, one.score, max([0.0, *(1 / r for r in one.ranks)]))
            for name, one in alone
        ],
        () if alone else ("no topic has one relevant document: the picture shows the curves alone",),
        left=2,
    )
    return table, lambda: pres_against_mrr(nmax, ranks)


Curve = TypeVar("Curve", PrecisionRecall, Roc)

RECALLS = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Recalls for which PRES against average rank is drawn."""


def relevant_per_topic(topics: Sequence[str], relevant: Sequence[int]) -> Figure:
    """Draw the relevant documents of each topic, most first (figure 2 of Magdy & Jones, CLEF 2010)."""
    with one_plot(8.0, 3.6) as (figure, axes):
        axes.bar(range(len(topics)), list(relevant), color="#0072B2", width=1.0 if len(topics) > 60 else 0.8)
        named = name_bars(axes, plain_names(topics, 14), 8.0)
        axes.grid(visible=False, axis="x")
        mean = sum(relevant) / max(len(relevant), 1)
        axes.axhline(mean, color="#D55E00", linestyle="--", linewidth=1, label=f"mean: {mean:.1f}")
        axes.legend(loc="upper right")
        axes.set(
            title=f"{sum(relevant)} relevant documents of {plural(len(topics))}, {mean:.1f} on average",
            xlabel=f"topic, by relevant documents{named}",
            ylabel="relevant documents",
            xlim=(-0.8, len(topics) - 0.2),
        )
    return figure


def precision_recall_curves(title: str, names: Sequence[str], curves: Sequence[PrecisionRecall]) -> Figure:
    """Draw interpolated precision of runs on a topic, a mark at break-even, the saw-tooth of few runs."""
    few = len(names) <= MOST_TOGETHER

    def draw(axes: Axes, curve: PrecisionRecall, look: dict[str, Any]) -> Any:
        if few:
            axes.plot(curve.recall, curve.precision, color=look["color"], linewidth=0.6)
        first = curve.interpolated[:1] if len(curve.levels) else [0.0]
        levels, highest = np.concatenate(([0.0], curve.levels)), np.concatenate((first, curve.interpolated))
        axes.step(levels, highest, where="pre", linewidth=1.4, **(look | {"marker": ""}))
        even: dict[str, Any] = {"color": look["color"], "marker": look["marker"], "clip_on": False}
        axes.plot([curve.break_even], [curve.break_even], markersize=6, **even)
        return axes.plot([], [], linewidth=1.4, **look)[0]

    saw = "saw-tooth (thin), " if few else ""
    return _together(
        f"{title}: {saw}interpolated precision, break-even (mark and number)",
        ("recall", "precision"),
        names,
        curves,
        [(": ", curve.break_even) for curve in curves],
        draw,
    )


def roc_curves(title: str, names: Sequence[str], curves: Sequence[Roc]) -> Figure:
    """Draw recall against fallout of each run on a topic, with its area."""

    def draw(axes: Axes, curve: Roc, look: dict[str, Any]) -> Any:
        every = max(1, len(curve.recall) // 8)
        return axes.plot(curve.fallout, curve.recall, linewidth=1.2, markevery=every, **look)[0]

    # Few of a collection's documents are ever retrieved: an axis up to 1 would be empty but for its left end.
    last = max(float(curve.fallout[curve.recall < curve.recall.max()].max(initial=0)) for curve in curves)
    reach = min(1.0, 1.2 * last) or 1.0
    return _together(
        f"{title}: ROC up to a fallout of {reach:.3g}",
        ("fallout", "recall"),
        names,
        curves,
        [(": AUC ", curve.area) for curve in curves],
        draw,
        reach,
    )


MOST_TOGETHER = 4
"""Runs whose saw-teeth share a plot; of more, they would hide each other."""


def _together(
    title: str,
    axis_names: tuple[str, str],
    names: Sequence[str],
    curves: Sequence[Curve],
    numbers: Sequence[tuple[str, float]],
    draw: Callable[[Axes, Curve, dict[str, Any]], Any],
    reach: float = 1.0,
) -> Figure:
    """Draw curves of runs from 0 to 1, and in the legend a number of each; of many the best have colours."""
    best = np.argsort([-number for _, number in numbers], kind="stable").tolist()
    with one_plot(6.4, 5.0) as (figure, axes):
        axes.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, linestyle=":")
        looks = run_styles(names, best)
        lines = [draw(axes, curve, look) for curve, look in zip(curves, looks, strict=True)]
        axes.set(xlim=(-0.01 * reach, 1.02 * reach), ylim=(-0.01, 1.04))
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1])
        short_numbers(axes)
        figure.suptitle(title, fontsize=10)
        named = zip(plain_names(names), numbers, strict=True)
        labels = [f"{name}{word}{number:.4f}" for name, (word, number) in named]
        add_legend(figure, *named_lines(lines, names, labels), 1)
    return figure


def normalised_recall_curves(sizes: AnyArray, names: Sequence[str], values: AnyArray) -> Figure:
    """Draw Rnorm against the number of documents in the collection (figure 2): (R, N) values."""
    best = np.argsort(-values[:, -1], kind="stable").tolist()
    with one_plot(6.4, 4.4) as (figure, axes):
        every = max(1, len(sizes) // 10)
        lines = [
            axes.plot(sizes, row, linewidth=1.2, markevery=every, **look)[0]
            for row, look in zip(values, run_styles(names, best), strict=True)
        ]
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
    """Draw PRES against the average rank of found documents, for several recalls (figure 4a); dots: topics.

    The lines are those of a topic with `relevant` relevant documents; dots: average rank, PRES and recall.
    """
    with one_plot(6.8, 4.6) as (figure, axes):
        lines = []
        for recall, look in zip(RECALLS, line_styles(len(RECALLS)), strict=True):
            found = max(recall * relevant, 1e-9)
            x = np.linspace((found + 1) / 2, nmax - (found - 1) / 2, 50)
            lines += axes.plot(
                x,
                pres_of_average_rank(x, recall, relevant, nmax),
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
            title=f"PRES against average rank (lines: {relevant} relevant documents)",
            xlabel="average rank of the relevant documents found",
            ylabel=f"PRES at {nmax}",
            xlim=(0, nmax),
            ylim=(0, 1.02),
        )
        add_legend(figure, lines, [f"recall {recall:.0%}" for recall in RECALLS], 3)
    return figure


def pres_against_mrr(nmax: int, ranks: AnyArray) -> Figure:
    """Draw PRES and reciprocal rank of topics with one relevant document, by its rank (figure 4b)."""
    with one_plot(6.4, 4.2) as (figure, axes):
        x = np.arange(1, nmax + 1)
        axes.plot(x, pres_of_one(x, nmax), color="#0072B2", linewidth=1.4, label=f"PRES at {nmax}")
        axes.plot(x, 1 / x, color="#D55E00", linewidth=1.4, linestyle=(0, (5, 2)), label="reciprocal rank")
        inside = ranks[ranks <= nmax]
        own: dict[str, Any] = {"linestyle": "none", "markersize": 4, "clip_on": False}
        axes.plot(inside, pres_of_one(inside, nmax), color="#0072B2", marker="o", **own)
        axes.plot(inside, 1 / inside, color="#D55E00", marker="s", **own)
        marks = f"{len(inside)} topics as marks" if len(inside) else "no topic here has just one in reach"
        axes.set(
            title=f"One relevant document: PRES and reciprocal rank ({marks})",
            xlabel="rank of the only relevant document",
            ylabel="score",
            xlim=(0, nmax * 1.01),
            ylim=(0, 1.02),
        )
        axes.legend(loc="upper right")
    return figure

"""The tables and the picture of topics whose PRES is explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from pres_eval.analysis.explain import Explanation, Relevant, cumulated, text_plot
from pres_eval.arrays import add_in_order
from pres_eval.errors import plural
from pres_eval.report.drawing import add_legend, panels, plain, whole_numbers
from pres_eval.report.layout import Shown, Table, Value
from pres_eval.report.paper import Axes, Figure
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun


def explained_tables(
    explanations: Sequence[Explanation],
    evaluation: ScoredRun,
    run: str,
    topics: Mapping[str, int],
    most: int | None = None,
    lines: int | None = None,
) -> list[Table]:
    """Return each topic with its relevant documents, and the averages of the run over its topics.

    People see the topics as they are given, or, if they see only `most` of them or those that fit into a
    number of lines, the worst first.
    """
    labels = evaluation.labels
    by_topic = zip(*(evaluation.by_label(label).tolist() for label in labels), strict=True)
    scores = dict(zip(evaluation.topics, by_topic, strict=True))
    values = [scores.get(one.topic, (0.0,) * len(labels)) for one in explanations]
    people = [(one.score, _people(one, labels, own)) for one, own in zip(explanations, values, strict=True)]
    return [
        Table(
            "topics",
            "",
            ("topic", "num_rel", "found", "num_ret", "sum_of_ranks", "A1", "A2", *labels),
            [
                (
                    *(one.topic, len(one.documents), one.found, one.num_ret),
                    *(one.sum_of_ranks, one.area_lost, one.area_kept, *own),
                )
                for one, own in zip(explanations, values, strict=True)
            ],
            people=False,
        ),
        _documents(explanations),
        *_first(people, most, lines),
        _averages(f"Averages of {run}", "over", ((*item, evaluation) for item in topics.items()), labels),
    ]


def _documents(explanations: Sequence[Explanation]) -> Table:
    """Return the relevant documents of each topic, for programs."""
    return Table(
        "documents",
        "",
        ("topic", "i", "docno", "grade", "rank", "r_i", "lost", "found"),
        [
            (one.topic, d.place, d.docno, d.grade, d.rank, d.counted, d.lost, d.found)
            for one in explanations
            for d in one.documents
        ],
        people=False,
        left=1,
    )


def _first(people: Sequence[tuple[float, Table]], most: int | None, lines: int | None) -> list[Table]:
    """Return the topics that people see: those with the lowest key first, as many as are wanted or fit."""
    if most is None and lines is None:
        return [table for _, table in people]
    ordered = [table for _, table in sorted(people, key=lambda pair: pair[0])]
    heights = accumulate(
        6 + len(table.notes) + (len(table.shown.rows) if table.shown else 0) for table in ordered
    )
    fitting = len(ordered) if lines is None else max(1, sum(height <= lines for height in heights))
    shown = ordered[: min(most or fitting, fitting)]
    if len(shown) < len(ordered):
        rest = plural(len(ordered) - len(shown), "more topic")
        note = f"{rest}: name those to show, or --max 0 for all"
        shown[-1] = replace(shown[-1], notes=[*shown[-1].notes, "", note])
    return shown


def side_by_side_tables(
    pairs: Sequence[tuple[Explanation, ...]],
    evaluations: Sequence[ScoredRun],
    names: Sequence[str],
    most: int | None = None,
    lines: int | None = None,
) -> list[Table]:
    """Return topics of two runs side by side; people see those first on which the runs differ most."""
    joined = [(first, second, _of_both(first, second)) for first, second in pairs]
    people = [
        (-abs(first.score - second.score), _side_by_side(first, second, both, names))
        for first, second, both in joined
    ]
    counts = [max(len(each.topics), 1) for each in evaluations]
    return [
        Table(
            "topics",
            "",
            ("topic", "num_rel", "found_1", "found_2", "PRES_1", "PRES_2"),
            [
                (first.topic, len(first.documents), first.found, second.found, first.score, second.score)
                for first, second in pairs
            ],
            people=False,
        ),
        Table(
            "documents",
            "",
            ("topic", "docno", "grade", "rank_1", "rank_2", "r_1", "r_2"),
            [
                (first.topic, a.docno, a.grade, a.rank, b.rank, a.counted, b.counted)
                for first, _, both in joined
                for a, b in both
            ],
            people=False,
            left=2,
        ),
        *_first(people, most, lines),
        _averages("Averages", "run", zip(names, counts, evaluations, strict=True), evaluations[0].labels),
    ]


def _of_both(first: Explanation, second: Explanation) -> list[tuple[Relevant, Relevant]]:
    """Return the relevant documents of a topic, each as both runs have it."""
    others = {document.docno: document for document in second.documents}
    return [(document, others[document.docno]) for document in first.documents]


def _side_by_side(
    first: Explanation,
    second: Explanation,
    both: Sequence[tuple[Relevant, Relevant]],
    names: Sequence[str],
) -> Table:
    """Return one topic of two runs: each relevant document with its rank in both."""
    rows: list[tuple[Value, ...]] = [
        (
            a.docno,
            a.grade,
            *(("" if each.found else "* ") + _rank(each) for each in (a, b)),
            f"{b.counted - a.counted:+d}",
        )
        for a, b in both
    ]
    scores = "   ".join(f"{name} {one.score:.4f}" for name, one in zip(names, (first, second), strict=True))
    n = len(first.documents)
    notes = [
        f"found by rank {first.nmax}: {first.found} and {second.found} of {n}",
        f"* not by rank {first.nmax}   later: ranks by which {names[1]} has it later (worst case included)",
    ]
    return _of_topic(
        first, f"PRES_{first.nmax}: {scores}", Shown(("document", "grade", *names, "later"), rows), notes
    )


def _rank(document: Relevant) -> str:
    return "-" if document.rank is None else str(document.rank)


def _people(one: Explanation, labels: Sequence[str], values: Sequence[float]) -> Table:
    """Return one topic for people: the documents above, the areas as text below."""
    lines = [
        (
            document.place,
            document.docno,
            document.grade,
            _rank(document),
            ("" if document.found else "* ") + str(document.counted),
            document.lost,
        )
        for document in one.documents
    ]
    total, n = len(one.documents) * one.nmax, len(one.documents)
    scores = "   ".join(f"{label} {value:.4f}" for label, value in zip(labels, values, strict=True))
    notes = [f"{one.found} of {n} relevant documents by rank {one.nmax}; {one.num_ret} retrieved"]
    if n:
        notes += [
            f"Σ r_i = {one.sum_of_ranks}   A1 = {one.area_lost}   A2 = {one.area_kept}"
            f"   PRES = A2 / (A1 + A2) = {one.area_kept} / {total} = {one.score:.4f}",
            *(["* rank of the worst case: not found by rank " + str(one.nmax)] if one.found < n else []),
            "",
            *text_plot(one),
        ]
    return _of_topic(
        one, scores, Shown(("i", "document", "grade", "rank", "r_i", "r_i - i"), lines, left=2), notes
    )


def _of_topic(one: Explanation, scores: str, shown: Shown, notes: Sequence[str]) -> Table:
    """Return a table of one topic, for people alone."""
    topic = text_of(one.topic)
    return Table(
        name=f"topic {topic}",
        title=f"Topic {topic}   {scores}",
        notes=notes,
        shown=shown,
        programs=False,
    )


def _averages(
    title: str, heading: str, rows: Iterable[tuple[str, int, ScoredRun]], labels: Sequence[str]
) -> Table:
    """Return the averages of evaluations over a number of topics, each with its name."""
    return Table(
        "averages",
        title,
        (heading, "topics", *labels),
        [
            (name, count, *(add_in_order(evaluation.by_label(label)) / count for label in labels))
            for name, count, evaluation in rows
        ],
    )


def explained_figure(explained: Iterable[Iterable[Explanation]]) -> Figure:
    """Draw PRES of each topic of each run as areas (figures 1 and 3 of Magdy & Jones)."""
    topics = [one for each in explained for one in each]
    with panels(len(topics), 3, (4.8 if len(topics) == 1 else 3.6, 2.9), (0.0, 0.6)) as (figure, grid):
        for one, axes in zip(topics, grid, strict=True):
            scores = f"PRES_{one.nmax} = {one.score:.4f}, n = {len(one.documents)}"
            draw_areas(axes, one, f"{text_of(one.topic)}: {scores}")
        add_legend(figure, *grid[0].get_legend_handles_labels(), 3 if len(topics) > 1 else 2)
    return figure


def draw_areas(axes: Axes, one: Explanation, title: str) -> None:
    """Draw the relevant documents of a topic cumulated by rank, in the best case, the run, the worst case."""
    count = len(one.documents)
    last = one.nmax + max(count, 1)
    best_x, best_y = cumulated(range(1, count + 1), last)
    run_x, run_y = cumulated([document.counted for document in one.documents], last)
    worst_x, worst_y = cumulated(range(one.nmax + 1, one.nmax + count + 1), last)
    axes.fill(
        [*best_x, *reversed(run_x)],
        [*best_y, *reversed(run_y)],
        facecolor="#f0f0f0",
        edgecolor="#888888",
        linewidth=0,
        hatch="..",
        label="A1: lost",
    )
    axes.fill(
        [*run_x, *reversed(worst_x)],
        [*run_y, *reversed(worst_y)],
        facecolor="#56B4E9",
        alpha=0.55,
        label="A2: kept",
    )
    axes.plot(best_x, best_y, color="#009E73", linestyle=(0, (5, 2)), linewidth=1.4, label="best case")
    axes.plot(run_x, run_y, color="#000000", linewidth=1.8, label="run")
    axes.plot(worst_x, worst_y, color="#D55E00", linestyle=(0, (1, 1.2)), linewidth=1.6, label="worst case")
    axes.axvline(one.nmax, color="#444444", linestyle=(0, (5, 1.5, 1, 1.5)), linewidth=0.9, label="Nmax")
    axes.set(
        title=plain(title, 48),
        xlabel="rank",
        ylabel="relevant documents so far",
        xlim=(0, run_x[-1] * 1.02),
        ylim=(0, max(1, run_y[-1]) * 1.04),
    )
    whole_numbers(axes.yaxis)

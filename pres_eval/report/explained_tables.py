"""The tables and the picture of topics whose PRES is explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pres_eval.analysis.explain import Explanation, Relevant, cumulated, text_plot
from pres_eval.arrays import add_in_order
from pres_eval.errors import plural
from pres_eval.options import level_lines
from pres_eval.report.cells import Value
from pres_eval.report.drawing import add_legend, panels, picture_text, tick_whole_numbers
from pres_eval.report.layout import Readers, Table
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
    relevance_level: float = 1,
) -> list[Table]:
    """Return each topic with its relevant documents, and the averages of the run over its topics.

    run     name of the run
    topics  numbers of topics that the averages are over, by names such as "topics of the run"
    most    topics that people see at most; None or 0: any number
    lines   lines that the topics may take; None: any number.  If both are None, people see all topics in the
            order of `explanations`, else the topics with the lowest PRES first
    relevance_level  the least grade of a relevant document, which a note says where it is not 1
    """
    labels = evaluation.labels
    columns = [evaluation.by_label(label).tolist() for label in labels]
    scores = dict(zip(evaluation.topics, zip(*columns, strict=True), strict=True))
    no_scores = (0.0,) * len(labels)  # of a topic that the run lacks
    rows: list[tuple[Value, ...]] = []
    for_people: list[tuple[float, Table]] = []
    level_note = level_lines(relevance_level)
    for explanation in explanations:
        values = scores.get(explanation.topic, no_scores)
        counts = (len(explanation.documents), explanation.num_found, explanation.num_ret)
        # A1 and A2 of the picture: ranks lost against the best case, ranks gained over the worst.
        areas = (explanation.sum_of_ranks, explanation.area_lost, explanation.area_kept)
        rows.append((explanation.topic, *counts, *areas, *values))
        table = _topic_table(explanation, labels, values)
        for_people.append((explanation.score, replace(table, notes=[*table.notes, *level_note])))
    averages = [(name, num_topics, evaluation) for name, num_topics in topics.items()]
    return [
        Table(
            name="topics",
            headings=("topic", "num_rel", "found", "num_ret", "sum_of_ranks", "A1", "A2", *labels),
            rows=rows,
            readers=Readers.PROGRAMS,
        ),
        _documents(explanations),
        *_topics_for_people(for_people, most, lines),
        _averages(f"Averages of {run}", "over", averages, labels),
    ]


def _documents(explanations: Sequence[Explanation]) -> Table:
    """Return the relevant documents of each topic, for programs."""
    rows: list[tuple[Value, ...]] = []
    for explanation in explanations:
        for document in explanation.documents:
            ranks = (document.rank, document.counted, document.lost, document.is_found)
            rows.append((explanation.topic, document.position, document.docno, document.grade, *ranks))
    return Table(
        name="documents",
        headings=("topic", "i", "docno", "grade", "rank", "r_i", "lost", "found"),
        rows=rows,
        readers=Readers.PROGRAMS,
        left=1,
    )


LINES_AROUND_TOPIC = 6
"""Lines of a topic besides its documents, notes and drawing: title, headings, blank lines."""


def _topics_for_people(
    topics: Sequence[tuple[float, Table]], most: int | None, lines: int | None
) -> list[Table]:
    """Return the tables of topics that people see: those with the lowest number first, as many as fit.

    topics  a number to sort by, and the table of a topic
    most    topics at most; None or 0: any number
    lines   lines that the tables may take, though the first is always shown; None: any number

    If both are None: all tables in their order.
    """
    if most is None and lines is None:
        return [table for _, table in topics]
    ordered = [table for _, table in sorted(topics, key=lambda topic: topic[0])]
    shown: list[Table] = []
    num_lines = 0
    for table in ordered:
        num_lines += LINES_AROUND_TOPIC + len(table.notes) + len(table.drawing)
        if table.drawing:
            num_lines += 1  # the blank line above it
        num_lines += len(table.rows)
        screen_is_full = lines is not None and bool(shown) and num_lines > lines
        has_most = bool(most) and len(shown) == most
        if screen_is_full or has_most:
            break
        shown.append(table)
    if len(shown) < len(ordered):
        rest = plural(len(ordered) - len(shown), "more topic")
        shown[-1] = replace(shown[-1], rest=f"{rest}: name those to show, or --max 0 for all")
    return shown


def side_by_side_tables(
    pairs: Sequence[tuple[Explanation, ...]],
    evaluations: Sequence[ScoredRun],
    names: Sequence[str],
    most: int | None = None,
    lines: int | None = None,
    relevance_level: float = 1,
) -> list[Table]:
    """Return topics of two runs side by side, and the averages of both runs.

    pairs        of each topic, how PRES of the first and of the second run come about
    evaluations, names  of the two runs
    most, lines  topics that people see at most (None or 0: any number), and lines that these may take (None:
                 any number); if one is set, those on which the runs differ most come first
    relevance_level  the least grade of a relevant document, which a note says where it is not 1
    """
    topics: list[tuple[Value, ...]] = []
    documents: list[tuple[Value, ...]] = []
    for_people: list[tuple[float, Table]] = []
    for first, second in pairs:
        num_relevant = len(first.documents)
        topics.append(
            (first.topic, num_relevant, first.num_found, second.num_found, first.score, second.score)
        )
        relevant = _relevant_of_both(first, second)
        for of_first, of_second in relevant:
            ranks = (of_first.rank, of_second.rank, of_first.counted, of_second.counted)
            documents.append((first.topic, of_first.docno, of_first.grade, *ranks))
        largest_difference_first = -abs(first.score - second.score)
        table = _side_by_side(first, second, relevant, names)
        for_people.append(
            (largest_difference_first, replace(table, notes=[*table.notes, *level_lines(relevance_level)]))
        )
    num_topics = [max(len(evaluation.topics), 1) for evaluation in evaluations]
    averages = zip(names, num_topics, evaluations, strict=True)
    return [
        Table(
            name="topics",
            headings=("topic", "num_rel", "found_1", "found_2", "PRES_1", "PRES_2"),
            rows=topics,
            readers=Readers.PROGRAMS,
        ),
        Table(
            name="documents",
            headings=("topic", "docno", "grade", "rank_1", "rank_2", "r_1", "r_2"),
            rows=documents,
            readers=Readers.PROGRAMS,
            left=2,
        ),
        *_topics_for_people(for_people, most, lines),
        _averages("Averages", "run", averages, evaluations[0].labels),
    ]


def _relevant_of_both(first: Explanation, second: Explanation) -> list[tuple[Relevant, Relevant]]:
    """Return the relevant documents of a topic, each with its rank in the first and in the second run."""
    others = {document.docno: document for document in second.documents}
    return [(document, others[document.docno]) for document in first.documents]


def _side_by_side(
    first: Explanation,
    second: Explanation,
    documents: Sequence[tuple[Relevant, Relevant]],
    names: Sequence[str],
) -> Table:
    """Return one topic of two runs for people: each relevant document with its rank in both.

    documents: the relevant documents in the first and in the second run; names: of the runs
    """
    rows: list[tuple[Value, ...]] = []
    for of_first, of_second in documents:
        ranks = []
        for document in (of_first, of_second):
            rank = _rank(document)
            ranks.append(rank if document.is_found else f"* {rank}")
        later = f"{of_second.counted - of_first.counted:+d}"
        rows.append((of_first.docno, of_first.grade, *ranks, later))
    nmax, num_relevant = first.nmax, len(first.documents)
    topic = text_of(first.topic)
    scores = f"{names[0]} {first.score:.4f}   {names[1]} {second.score:.4f}"
    notes = (
        f"found by rank {nmax}: {first.num_found} and {second.num_found} of {num_relevant}",
        f"* not by rank {nmax}   later: ranks by which {names[1]} has it later (worst case included)",
    )
    return Table(
        name=f"topic {topic}",
        title=f"Topic {topic}   PRES_{nmax}: {scores}",
        headed=True,
        notes=notes,
        headings=("document", "grade", *names, "later"),
        rows=rows,
        readers=Readers.PEOPLE,
    )


def _rank(document: Relevant) -> str:
    """Return the rank of a document as text; `-` if the run does not have it."""
    return "-" if document.rank is None else str(document.rank)


def _topic_table(explanation: Explanation, labels: Sequence[str], values: Sequence[float]) -> Table:
    """Return one topic for people: a row for each relevant document, and PRES as areas drawn in letters.

    labels, values: of the measures in the title
    """
    nmax, num_relevant = explanation.nmax, len(explanation.documents)
    rows: list[tuple[Value, ...]] = []
    for document in explanation.documents:
        counted = str(document.counted) if document.is_found else f"* {document.counted}"
        ids = (document.position, document.docno, document.grade)
        rows.append((*ids, _rank(document), counted, document.lost))
    notes = [
        f"{explanation.num_found} of {num_relevant} relevant documents by rank {nmax};"
        f" {explanation.num_ret} retrieved"
    ]
    if num_relevant:
        area = explanation.area_kept
        notes.append(
            f"Σ r_i = {explanation.sum_of_ranks}   A1 = {explanation.area_lost}   A2 = {area}"
            f"   PRES = A2 / (A1 + A2) = {area} / {num_relevant * nmax} = {explanation.score:.4f}"
        )
    if explanation.num_found < num_relevant:
        notes.append(f"* rank of the worst case: not found by rank {nmax}")
    topic = text_of(explanation.topic)
    scores = "   ".join(f"{label} {value:.4f}" for label, value in zip(labels, values, strict=True))
    return Table(
        name=f"topic {topic}",
        title=f"Topic {topic}   {scores}",
        headed=True,
        notes=notes,
        drawing=text_plot(explanation),
        headings=("i", "document", "grade", "rank", "r_i", "r_i - i"),
        rows=rows,
        left=2,
        readers=Readers.PEOPLE,
    )


def _averages(
    title: str, heading: str, evaluations: Iterable[tuple[str, int, ScoredRun]], labels: Sequence[str]
) -> Table:
    """Return the averages of evaluations, a row for each.

    heading: that of the first column, which has the names
    evaluations: name, number of topics that the averages are over, and evaluation
    """
    rows: list[tuple[Value, ...]] = []
    for name, num_topics, evaluation in evaluations:
        means = [add_in_order(evaluation.by_label(label)) / num_topics for label in labels]
        rows.append((name, num_topics, *means))
    return Table(name="averages", title=title, headings=(heading, "topics", *labels), rows=rows)


def explained_figure(explained: Iterable[Iterable[Explanation]]) -> Figure:
    """Draw PRES of each topic of each run as areas (figures 1 and 3 of Magdy & Jones, SIGIR 2010).

    explained: for each run its topics
    """
    topics = [explanation for explanations in explained for explanation in explanations]
    if len(topics) == 1:
        width, legend_columns = 4.8, 2
    else:
        width, legend_columns = 3.6, 3
    with panels(len(topics), most_columns=3, plot_inches=(width, 2.9), margin_inches=(0.0, 0.6)) as (
        figure,
        grid,
    ):
        for explanation, axes in zip(topics, grid, strict=True):
            score = f"PRES_{explanation.nmax} = {explanation.score:.4f}"
            title = f"{text_of(explanation.topic)}: {score}, n = {len(explanation.documents)}"
            draw_areas(axes, explanation, title)
        handles, labels = grid[0].get_legend_handles_labels()
        add_legend(figure, handles, labels, legend_columns)
    return figure


def draw_areas(axes: Axes, explanation: Explanation, title: str) -> None:
    """Draw how many relevant documents of a topic are found by each rank: by the run, at best, at worst.

    A1, between the best case and the run, is what the run lost; A2, between the run and the worst case, is
    what it kept: PRES = A2 / (A1 + A2).
    """
    nmax, num_relevant = explanation.nmax, len(explanation.documents)
    last = nmax + max(num_relevant, 1)
    # Corners of three stairs: ranks, and how many relevant documents there are so far.
    best_x, best_y = cumulated(range(1, num_relevant + 1), last)
    run_x, run_y = cumulated([document.counted for document in explanation.documents], last)
    worst_x, worst_y = cumulated(range(nmax + 1, nmax + num_relevant + 1), last)
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
    axes.axvline(nmax, color="#444444", linestyle=(0, (5, 1.5, 1, 1.5)), linewidth=0.9, label="Nmax")
    axes.set(
        title=picture_text(title, 48),
        xlabel="rank",
        ylabel="relevant documents so far",
        xlim=(0, run_x[-1] * 1.02),
        ylim=(0, max(1, run_y[-1]) * 1.04),
    )
    tick_whole_numbers(axes.yaxis)

"""pres-eval explain: PRES of single topics laid open."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import click

from pres_eval.analysis.cutoffs import select_at
from pres_eval.analysis.explain import Explanation, cumulated, explain_topics, text_plot
from pres_eval.analysis.sweep import DEFAULT_MEASURES
from pres_eval.arrays.exact import add_in_order
from pres_eval.cli.analysing import Loaded, analysis_options, draw, prepare_for_qrels, read, show
from pres_eval.errors import UsageError
from pres_eval.report.layout import Shown, Table, Value
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation

MOST_PICTURES = 12


@click.command()
@click.argument("qrels")
@click.argument("run")
@click.argument("topics", nargs=-1, metavar="[TOPIC ...]")
@click.option(
    "--nmax", type=click.IntRange(min=1), default=100, show_default=True, metavar="RANK",
    help="The rank at which the reader stops.",
)  # fmt: skip
@analysis_options
def command(qrels: str, run: str, topics: tuple[str, ...], **values: Any) -> None:
    """PRES of single topics laid open: every relevant document, its rank, and the areas A1 and A2.

    \b
    Example:
      pres-eval explain fixtures/patents/qrels.txt fixtures/patents/run_broad.txt --nmax 100

    Without TOPIC all topics of the run (with -c: of the qrels).  A relevant document beyond rank Nmax counts
    with a rank of the worst case.  In the plot a line is a document: dots are ranks lost against the best
    case (A1), # are ranks gained over the worst case (A2), and PRES = A2 / (A1 + A2).  MAP, recall and PRES
    are averaged over the run's topics and over all topics of the qrels.

    Tables for --table: topics, documents, averages.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    options = prepare_for_qrels(values)
    nmax = values["nmax"]
    loaded = read(qrels, [run], options, values)
    evaluation = loaded.evaluations(select_at(DEFAULT_MEASURES, [nmax], options.compat))[0]
    chosen = _topics(loaded, topics)
    if values["plot"] and len(chosen) > MOST_PICTURES:
        raise UsageError(
            f"--plot: {len(chosen)} topics, expected {MOST_PICTURES} at most: name those to draw"
        )
    explanations = explain_topics(loaded.qrels(), loaded.rankings[0], options, nmax, chosen)
    tables = _tables(explanations, evaluation, loaded)
    show(tables, "explain", {**loaded.settings, "nmax": nmax}, values)
    if values["plot"]:
        from pres_eval.report.plots import cumulated_curves

        draw(cumulated_curves([_curves(one) for one in explanations]), values["plot"])


def _topics(loaded: Loaded, wanted: Sequence[str]) -> list[int]:
    """The chosen topics as indices of the pool's."""
    known = {topic: number for number, topic in enumerate(loaded.relevance.pool.topics)}
    if not wanted:
        return [*known.values()] if loaded.options.complete else loaded.rankings[0].topic.tolist()
    chosen = []
    for text in dict.fromkeys(wanted):
        topic = text.encode("utf-8", "surrogateescape")
        if topic not in known:
            near = difflib.get_close_matches(text, [text_of(each) for each in known], 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"topic {text} is not in the qrels{hint}")
        chosen.append(known[topic])
    return chosen


def _tables(explanations: Sequence[Explanation], evaluation: Evaluation, loaded: Loaded) -> list[Table]:
    labels = [column.label for column in evaluation.columns]
    scores = dict(
        zip(
            evaluation.topics,
            zip(*(evaluation.by_label(each).tolist() for each in labels), strict=True),
            strict=True,
        )
    )
    rows: list[tuple[Value, ...]] = []
    documents: list[tuple[Value, ...]] = []
    people = []
    for one in explanations:
        topic = text_of(one.topic)
        values = scores.get(one.topic, (0.0,) * len(labels))
        rows.append(
            (
                topic,
                len(one.documents),
                one.found,
                one.num_ret,
                one.sum_of_ranks,
                one.area_lost,
                one.area_kept,
                *values,
            )
        )
        documents += [
            (topic, d.place, text_of(d.docno), d.grade, d.rank, d.counted, d.lost, d.found)
            for d in one.documents
        ]
        people.append(_people(one, labels, values))
    headings = ("topic", "num_rel", "found", "num_ret", "sum_of_ranks", "A1", "A2", *labels)
    by_document = ("topic", "i", "docno", "grade", "rank", "r_i", "lost", "found")
    return [
        Table("topics", "", headings, rows, people=False),
        Table("documents", "", by_document, documents, people=False, left=1),
        *people,
        _averages(evaluation, labels, loaded),
    ]


def _people(one: Explanation, labels: Sequence[str], values: Sequence[float]) -> Table:
    """One topic for people: the documents above, the areas as text below."""
    lines = [
        (
            str(document.place),
            text_of(document.docno),
            str(document.grade),
            "-" if document.rank is None else str(document.rank),
            ("" if document.found else "* ") + str(document.counted),
            str(document.lost),
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
    shown = Shown(("i", "document", "grade", "rank", "r_i", "r_i - i"), lines, left=2)
    title = f"Topic {text_of(one.topic)}   {scores}"
    return Table(f"topic {text_of(one.topic)}", title, (), (), notes, shown, programs=False)


def _averages(evaluation: Evaluation, labels: Sequence[str], loaded: Loaded) -> Table:
    sums = [add_in_order(evaluation.by_label(label)) for label in labels]
    run_topics, all_topics = len(loaded.rankings[0].topic), len(loaded.relevance.pool.topics)
    rows: list[tuple[Value, ...]] = [
        (over, topics, *(total / topics for total in sums))
        for over, topics in (("topics of the run", run_topics), ("topics of the qrels", all_topics))
    ]
    return Table("averages", f"Averages of {loaded.names[0]}", ("over", "topics", *labels), rows)


def _curves(one: Explanation) -> dict[str, Any]:
    n = len(one.documents)
    last = one.nmax + max(n, 1)
    return {
        "title": f"{text_of(one.topic)}: PRES_{one.nmax} = {one.score:.4f}, n = {n}",
        "nmax": one.nmax,
        "best": cumulated(range(1, n + 1), last),
        "run": cumulated([document.counted for document in one.documents], last),
        "worst": cumulated(range(one.nmax + 1, one.nmax + n + 1), last),
    }

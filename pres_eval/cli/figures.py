"""pres-eval figures: the figures of the papers on PRES, of one's own runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from pres_eval.analysis.explain import Explanation, explain_topics
from pres_eval.analysis.figures import normalised_recall, precision_recall, roc
from pres_eval.cli.analysing import (
    AnalysisOptions,
    Loaded,
    analysis_options,
    draw,
    qrels_and_runs,
    read,
    show,
)
from pres_eval.cli.shared import exit_if_failed
from pres_eval.errors import UsageError
from pres_eval.report.layout import Table, Value
from pres_eval.report.text import text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn = tuple[Table, "Figure | None"]


@dataclass(frozen=True, kw_only=True)
class FiguresOptions(AnalysisOptions):
    """What the command line said."""

    kind: str
    qrels: str
    runs: tuple[str, ...]
    topic: str | None
    cutoff: int


KINDS = ("relevant", "precision-recall", "roc", "rnorm", "pres-rank", "pres-mrr")
"""The figures by name."""


@click.command()
@click.argument("kind", type=click.Choice(KINDS), metavar="|".join(KINDS))
@qrels_and_runs()
@click.option(
    "--topic", metavar="TOPIC", help="The topic of precision-recall, roc and rnorm (default: the first)."
)
@click.option(
    "--nmax", "cutoff", type=click.IntRange(min=1), default=100, show_default=True, metavar="RANK",
    help="The rank at which the reader stops.",
)  # fmt: skip
@analysis_options
def command(**values: Any) -> None:
    """The figures of the papers on PRES and of the textbook, of your own runs.

    \b
    Examples:
      pres-eval figures relevant qrels.txt run.txt
      pres-eval figures precision-recall qrels.txt run_*.txt

    relevant: relevant documents of each topic.  precision-recall: the saw-tooth curve of a topic, its
    interpolation, the break-even point.  roc: recall against fallout to (1, 1) with the area (AUC), with -N.
    rnorm: normalised recall against the size of the collection.  pres-rank: PRES against the average rank of
    what was found, for several recalls.  pres-mrr: PRES and reciprocal rank of topics with one relevant
    document. The numbers are printed; --plot FILE draws them.

    Table for --table: figure.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    _figures(FiguresOptions(**values))


def _figures(said: FiguresOptions) -> None:
    said.check_for_qrels()
    if said.kind == "roc" and not said.num_docs_in_coll:
        raise UsageError("roc needs the number of documents in the collection: -N NUM")
    loaded = read(said, said.qrels, said.runs)
    makers = {
        "relevant": _relevant,
        "precision-recall": _precision_recall,
        "roc": _roc,
        "rnorm": _rnorm,
        "pres-rank": _pres_rank,
        "pres-mrr": _pres_mrr,
    }
    table, figure = makers[said.kind](said, loaded)
    settings = {**loaded.settings, "kind": said.kind, "nmax": said.cutoff}
    show([table], "figures", settings, said, loaded.failures)
    if figure is not None:
        draw(lambda: figure, said)
    exit_if_failed(loaded.failures)


def _explained(said: FiguresOptions, loaded: Loaded, topics: Sequence[int] | None) -> list[list[Explanation]]:
    """For each run its topics, in full."""
    return [
        explain_topics(
            loaded.qrels(),
            ranking,
            loaded.options,
            said.cutoff,
            ranking.topic.tolist() if topics is None else topics,
        )
        for ranking in loaded.rankings
    ]


def _one_topic(said: FiguresOptions, loaded: Loaded) -> tuple[str, list[Explanation]]:
    topics = [text_of(topic) for topic in loaded.relevance.pool.topics]
    name = topics[0] if said.topic is None else said.topic
    if name not in topics:
        raise UsageError(f"--topic {name}: not in the qrels, expected one such as {', '.join(topics[:3])}")
    return name, [found[0] for found in _explained(said, loaded, [topics.index(name)])]


def _ranks(explanation: Explanation) -> list[int]:
    return [document.rank for document in explanation.documents if document.rank is not None]


def _relevant(said: FiguresOptions, loaded: Loaded) -> Drawn:
    qrels = loaded.qrels()
    is_rel = qrels.grade >= loaded.options.relevance_level
    counts = np.bincount(qrels.pool.topic_of[is_rel], minlength=len(qrels.pool.topics)).tolist()
    names = [text_of(topic) for topic in qrels.pool.topics]
    rows = sorted(zip(names, counts, strict=True), key=lambda row: -row[1])
    table = Table(
        name="figure",
        title=f"Relevant documents of {len(rows)} topics",
        headings=("topic", "relevant"),
        rows=rows,
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import relevant_per_topic

    return table, relevant_per_topic([name for name, _ in rows], [count for _, count in rows])


def _precision_recall(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    curves = [precision_recall(_ranks(one), len(one.documents), one.num_ret) for one in found]
    rows: list[tuple[Value, ...]] = [
        (name, rank, recall, peak, float(top), curve.break_even)
        for name, one, curve in zip(loaded.names, found, curves, strict=True)
        for rank, recall, peak, top in zip(
            sorted(_ranks(one)),
            curve.levels.tolist(),
            curve.precision[::2].tolist(),
            curve.interpolated.tolist(),
            strict=True,
        )
    ]
    table = Table(
        name="figure",
        title=f"Precision and recall of topic {topic}, at each relevant document",
        headings=("run", "rank", "recall", "precision", "interpolated", "break_even"),
        rows=rows,
        notes=("break_even: precision at rank n of n relevant documents, where it equals recall",),
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import precision_recall_curves

    return table, precision_recall_curves(f"Topic {topic}", loaded.names, curves)


def _roc(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    curves = [roc(_ranks(one), len(one.documents), one.num_ret, said.num_docs_in_coll) for one in found]
    rows = [
        (name, len(one.documents), len(_ranks(one)), curve.area)
        for name, one, curve in zip(loaded.names, found, curves, strict=True)
    ]
    table = Table(
        name="figure",
        title=f"Area under the ROC curve (AUC) of topic {topic}, {said.num_docs_in_coll} documents",
        headings=("run", "relevant", "found", "AUC"),
        rows=rows,
        notes=("what was not retrieved comes behind in an order that nobody knows",),
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import roc_curves

    return table, roc_curves(f"Topic {topic}", loaded.names, curves)


def _rnorm(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    least = max(2, *(max(one.num_ret, len(one.documents) + 1) for one in found))
    sizes = np.unique(np.round(np.geomspace(least, 1000 * least, 31)))
    values = np.array([normalised_recall(_ranks(one), len(one.documents), sizes) for one in found])
    rows = [
        (name, int(size), value)
        for name, row in zip(loaded.names, values.tolist(), strict=True)
        for size, value in zip(sizes.tolist(), row, strict=True)
    ]
    table = Table(
        name="figure",
        title=f"Normalised recall of topic {topic} in collections of N documents",
        headings=("run", "N", "Rnorm"),
        rows=rows,
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import normalised_recall_curves

    return table, normalised_recall_curves(sizes, loaded.names, values)


def _pres_rank(said: FiguresOptions, loaded: Loaded) -> Drawn:
    rows: list[tuple[str, str, float, float, float]] = []
    relevant = []
    for name, found in zip(loaded.names, _explained(said, loaded, None), strict=True):
        for one in found:
            ranks = [document.counted for document in one.documents if document.found]
            relevant.append(len(one.documents))
            if ranks:
                average = sum(ranks) / len(ranks)
                rows.append((name, text_of(one.topic), average, len(ranks) / len(one.documents), one.score))
    table = Table(
        name="figure",
        title=f"PRES at {said.cutoff} and the average rank of the relevant documents found",
        headings=("run", "topic", "average_rank", "recall", "PRES"),
        rows=rows,
        left=2,
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import pres_against_rank

    columns = np.array([row[2:] for row in rows]).reshape(-1, 3)
    typical = max(1, min(int(np.median(relevant)) if relevant else 1, said.cutoff))
    return table, pres_against_rank(said.cutoff, typical, columns[:, 0], columns[:, 2], columns[:, 1])


def _pres_mrr(said: FiguresOptions, loaded: Loaded) -> Drawn:
    rows: list[tuple[Value, ...]] = []
    ranks = []
    for name, found in zip(loaded.names, _explained(said, loaded, None), strict=True):
        for one in found:
            if len(one.documents) == 1:
                rank = one.documents[0].rank
                ranks += [] if rank is None else [rank]
                rows.append((name, text_of(one.topic), rank, one.score, 1 / rank if rank else 0.0))
    notes = () if rows else ("no topic has one relevant document: the picture shows the curves alone",)
    table = Table(
        name="figure",
        title=f"Topics with one relevant document: PRES at {said.cutoff} and reciprocal rank",
        headings=("run", "topic", "rank", "PRES", "reciprocal_rank"),
        rows=rows,
        notes=notes,
        left=2,
    )
    if not said.plot:
        return table, None
    from pres_eval.report.figure_plots import pres_against_mrr

    return table, pres_against_mrr(said.cutoff, np.array(ranks, np.int64))

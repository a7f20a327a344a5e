"""pres-eval figures: the figures of the papers on PRES, of one's own runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click
import numpy as np

from pres_eval.analysis.explain import Explanation, explain_topics
from pres_eval.analysis.figures import normalised_recall, precision_recall, roc
from pres_eval.cli.analysing import RunsOptions, put_out
from pres_eval.cli.loading import Loaded, read
from pres_eval.cli.said import argument, command_with, option
from pres_eval.cli.values import WholeRange
from pres_eval.errors import NoCommonTopicError, UsageError
from pres_eval.ranking.warnings import no_common_topic
from pres_eval.report import figures
from pres_eval.report.layout import Table
from pres_eval.report.paper import Figure
from pres_eval.report.text import text_of

Drawn = tuple[Table, Callable[[], Figure]]
"""A table, and the function that draws its picture."""


def _explained(said: FiguresOptions, loaded: Loaded, topics: Sequence[int] | None) -> list[list[Explanation]]:
    """Return for each run its topics, in full."""
    return [
        list(
            explain_topics(
                loaded.qrels(),
                ranking,
                loaded.options,
                said.cutoff,
                ranking.topic.tolist() if topics is None else topics,
            )
        )
        for ranking in loaded.rankings
    ]


def _one_topic(said: FiguresOptions, loaded: Loaded) -> tuple[str, list[Explanation]]:
    topics = [text_of(topic) for topic in loaded.relevance.pool.topics]
    name = topics[0] if said.topic is None else said.topic
    if name not in topics:
        raise UsageError(f"--topic {name}: not in the qrels, expected one such as {', '.join(topics[:3])}")
    return name, [found[0] for found in _explained(said, loaded, [topics.index(name)])]


def _relevant(said: FiguresOptions, loaded: Loaded) -> Drawn:
    qrels = loaded.qrels()
    is_rel = qrels.grade >= loaded.options.relevance_level
    counts = np.bincount(qrels.pool.topic_of[is_rel], minlength=len(qrels.pool.topics)).tolist()
    names = [text_of(topic) for topic in qrels.pool.topics]
    rows = sorted(zip(names, counts, strict=True), key=lambda row: -row[1])
    return figures.relevant_table(rows), lambda: figures.relevant_per_topic(*zip(*rows, strict=True))


def _precision_recall(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    curves = [precision_recall(one.ranks, len(one.documents), one.num_ret) for one in found]
    table = figures.precision_recall_table(topic, loaded.names, found, curves)
    return table, lambda: figures.precision_recall_curves(f"Topic {topic}", loaded.names, curves)


def _roc(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    curves = [roc(one.ranks, len(one.documents), one.num_ret, said.num_docs_in_coll) for one in found]
    table = figures.roc_table(topic, said.num_docs_in_coll, loaded.names, found, curves)
    return table, lambda: figures.roc_curves(f"Topic {topic}", loaded.names, curves)


def _rnorm(said: FiguresOptions, loaded: Loaded) -> Drawn:
    topic, found = _one_topic(said, loaded)
    least = max(2, *(max(one.num_ret, len(one.documents) + 1) for one in found))
    sizes = np.unique(np.round(np.geomspace(least, 1000 * least, 31)))
    values = np.array([normalised_recall(one.ranks, len(one.documents), sizes) for one in found])
    table = figures.rnorm_table(topic, loaded.names, sizes, values)
    return table, lambda: figures.normalised_recall_curves(sizes, loaded.names, values)


def _pres_rank(said: FiguresOptions, loaded: Loaded) -> Drawn:
    """Return PRES, recall and the mean rank of the documents found, by run and topic."""
    rows: list[tuple[str, bytes, float, float, float]] = []
    relevant = []
    for name, found in zip(loaded.names, _explained(said, loaded, None), strict=True):
        for one in found:
            ranks = [document.counted for document in one.documents if document.found]
            relevant.append(len(one.documents))
            if ranks:
                average = sum(ranks) / len(ranks)
                rows.append((name, one.topic, average, len(ranks) / len(one.documents), one.score))
    averages, recalls, scores = np.array([row[2:] for row in rows]).reshape(-1, 3).T
    typical = max(1, min(int(np.median(relevant)) if relevant else 1, said.cutoff))
    table = figures.pres_rank_table(said.cutoff, rows)
    return table, lambda: figures.pres_against_rank(said.cutoff, typical, averages, scores, recalls)


def _pres_mrr(said: FiguresOptions, loaded: Loaded) -> Drawn:
    found = [[one for one in topics if len(one.documents) == 1] for topics in _explained(said, loaded, None)]
    ranks = np.array([rank for topics in found for one in topics for rank in one.ranks], np.int64)
    table = figures.pres_mrr_table(said.cutoff, loaded.names, found)
    return table, lambda: figures.pres_against_mrr(said.cutoff, ranks)


KINDS: dict[str, Callable[[FiguresOptions, Loaded], Drawn]] = {
    "relevant": _relevant,
    "precision-recall": _precision_recall,
    "roc": _roc,
    "rnorm": _rnorm,
    "pres-rank": _pres_rank,
    "pres-mrr": _pres_mrr,
}
"""The functions that make the figures, by name."""


class FiguresOptions(RunsOptions):
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

    kind: str = argument(type=click.Choice(tuple(KINDS)), metavar="KIND")
    topic: str | None = option(
        "--topic", metavar="TOPIC", help="Topic of precision-recall, roc and rnorm (default: the first)."
    )
    cutoff: int = option(
        "--nmax", type=WholeRange(min=1), default=100, show_default=True, metavar="RANK",
        help="The rank at which the reader stops.",
    )  # fmt: skip


@command_with(FiguresOptions)
def command(said: FiguresOptions) -> None:
    """Print the table of a figure, and draw it."""
    if said.kind == "roc" and not said.num_docs_in_coll:
        raise UsageError("roc needs the number of documents in the collection: -N NUM")
    loaded = read(said, said.qrels, said.runs)
    for ranking in loaded.rankings:
        if not len(ranking.topic):
            raise NoCommonTopicError(no_common_topic(loaded.relevance, ranking, loaded.options))
    table, drawn = KINDS[said.kind](said, loaded)
    settings = {**loaded.settings, "kind": said.kind, "nmax": said.cutoff}

    put_out([table], "figures", settings, said, loaded.failures, drawn)

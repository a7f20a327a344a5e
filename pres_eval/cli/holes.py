"""pres-eval holes: unjudged documents among the first of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from pres_eval.analysis.pooling import Key, first_documents, judged_keys
from pres_eval.analysis.pools import holes
from pres_eval.cli.analysing import AnalysisOptions, Loaded, analysis_options, qrels_and_runs, read, show
from pres_eval.cli.shared import exit_if_failed
from pres_eval.errors import UsageError
from pres_eval.report.layout import Shown, Table
from pres_eval.report.text import text_of

MOST_SHOWN = 20
"""Topics that people see; programs get all."""


@dataclass(frozen=True, kw_only=True)
class HolesOptions(AnalysisOptions):
    """What the command line said."""

    qrels: str
    runs: tuple[str, ...]
    depth: int
    documents: bool


@click.command()
@qrels_and_runs()
@click.option(
    "--depth", type=click.IntRange(min=1), default=10, show_default=True, metavar="RANK",
    help="How many of the first documents of a topic are looked at.",
)  # fmt: skip
@click.option("--documents", is_flag=True, help="List the documents as well; reads the runs once more.")
@analysis_options
def command(**values: Any) -> None:
    """Unjudged documents among the first of each run, by topic: where a score rests on what nobody looked at.

    \b
    Example:
      pres-eval holes qrels.txt run_*.txt --depth 20

    A document with a negative grade counts as unjudged.  Tables for --table: runs, topics, documents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    _holes(HolesOptions(**values))


def _holes(said: HolesOptions) -> None:
    said.check_for_qrels()
    if said.plot:
        raise UsageError("--plot: holes has no picture, expected none")
    loaded = read(said, said.qrels, said.runs)
    tables = _tables(loaded, said.depth)
    if said.documents:
        tables.append(_documents(said, loaded))
    show(tables, "holes", {**loaded.settings, "depth": said.depth}, said, loaded.failures)
    exit_if_failed(loaded.failures)


def _tables(loaded: Loaded, depth: int) -> list[Table]:
    qrels = loaded.qrels()
    topics = [text_of(topic) for topic in qrels.pool.topics]
    runs, rows = [], []
    for name, ranking in zip(loaded.names, loaded.rankings, strict=True):
        found = holes(qrels, ranking, depth)
        looked_at, unjudged = int(found.looked_at.sum()), int(found.unjudged.sum())
        share = unjudged / looked_at if looked_at else 0.0
        runs.append((name, len(found.topic), looked_at, unjudged, share))
        rows += [
            (name, topics[topic], of, number)
            for topic, of, number in zip(
                found.topic.tolist(), found.looked_at.tolist(), found.unjudged.tolist(), strict=True
            )
        ]
    worst = sorted(rows, key=lambda row: -row[3])[:MOST_SHOWN]
    return [
        Table(
            name="runs",
            title=f"Unjudged documents among the first {depth}",
            headings=("run", "topics", "looked_at", "unjudged", "share"),
            rows=runs,
        ),
        Table(
            name="topics",
            title="Topics with the most of them",
            headings=("run", "topic", "looked_at", "unjudged"),
            rows=rows,
            notes=[f"{len(rows) - MOST_SHOWN} more: --table topics --format csv"]
            if len(rows) > MOST_SHOWN
            else (),
            shown=Shown(
                ("run", "topic", "looked_at", "unjudged"),
                [(name, topic, str(of), str(number)) for name, topic, of, number in worst],
                left=2,
            ),
        ),
    ]


def _documents(said: HolesOptions, loaded: Loaded) -> Table:
    qrels = loaded.qrels()
    judged: set[Key] = set(judged_keys(qrels.pool, (qrels.grade >= 0).tolist()))
    topics = set(qrels.pool.topics)
    rows = [
        (loaded.names[run], text_of(topic), text_of(document), rank)
        for run in loaded.each("listing documents")(range(len(loaded.names)))
        for (topic, document), rank in sorted(
            first_documents(loaded.paths[run], said.compat, said.depth).items(),
            key=lambda item: (item[0][0], item[1]),
        )
        if topic in topics and (topic, document) not in judged
    ]
    return Table(
        name="documents",
        title="The unjudged documents",
        headings=("run", "topic", "docno", "rank"),
        rows=rows,
        left=3,
    )

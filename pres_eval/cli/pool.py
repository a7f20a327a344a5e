"""pres-eval pool: the documents to judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from pres_eval.analysis.pooling import (
    ORDERS,
    Key,
    first_documents,
    judged_keys,
    limited,
    pool_documents,
    skeleton,
)
from pres_eval.cli.analysing import FORMAT, TABLE
from pres_eval.cli.output import write_output
from pres_eval.cli.reader import Reader, exit_if_failed
from pres_eval.cli.shared import KEEP_GOING, QUIET, terminal_width
from pres_eval.cli.streams import say
from pres_eval.errors import PresEvalError, RunFailure
from pres_eval.options import COMPAT_VERSIONS
from pres_eval.report.layout import Look, render
from pres_eval.report.pool_tables import pools_table, to_judge_table
from pres_eval.report.text import text_of


@dataclass(frozen=True, kw_only=True)
class PoolOptions:
    """What the command line said."""

    runs: tuple[str, ...]
    depth: int
    judged: str | None
    order: str
    persistence: float
    per_topic: int | None
    write_qrels: str | None
    compat: str
    keep_going: bool
    quiet: bool
    output_format: str
    table: str | None


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN ...]")
@click.option(
    "--depth", type=click.IntRange(min=1), default=100, show_default=True, metavar="RANK",
    help="The first documents of each topic of every run are pooled.",
)  # fmt: skip
@click.option("--judged", metavar="QRELS", help="Leave out what is judged there.")
@click.option(
    "--order", type=click.Choice(tuple(ORDERS)), default="contribution", show_default=True,
    help="Which documents come first.",
)  # fmt: skip
@click.option(
    "--persistence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.8,
    show_default=True, help="Of the reader, for --order contribution.",
)  # fmt: skip
@click.option(
    "--per-topic",
    type=click.IntRange(min=1),
    metavar="NUM",
    help="Only the first NUM documents of each topic.",
)
@click.option(
    "--write-qrels", metavar="FILE", help="Also write the documents as qrels in which nothing is judged (-1)."
)
@click.option(
    "--compat", type=click.Choice(COMPAT_VERSIONS), default=COMPAT_VERSIONS[0], show_default=True,
    help="The trec_eval whose order of equal scores is wanted.",
)  # fmt: skip
@KEEP_GOING
@QUIET
@FORMAT
@TABLE
def command(**values: Any) -> None:
    """The documents to judge: the first of every run, less those that are judged, with how many runs found
    each.

    \b
    Examples:
      pres-eval pool run_*.txt --depth 10
      pres-eval pool run_*.txt --judged qrels.txt --per-topic 5

    contribution: those on which most of the runs' rank-biased precision hangs (Moffat, Webber & Zobel 2007);
    runs: those that most runs found; rank: those that some run has first; docno: as assessors should see
    them, in an order that says nothing.

    Tables for --table: documents, topics.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    said = PoolOptions(**values)
    runs, failures = list[dict[Key, int]](), list[RunFailure]()
    for path in said.runs:
        try:
            runs.append(first_documents(path, said.compat, said.depth))
        except PresEvalError as error:
            failures.append(RunFailure(path, str(error)))
            if not said.keep_going or len(failures) == len(said.runs):
                raise
            say(f"pres-eval: {error}")
    judged: set[Key] = set()
    if said.judged:
        qrels = Reader("qrels", said.quiet).qrels(said.judged)
        judged = set(judged_keys(qrels.pool, np.asarray(qrels.grade >= 0).tolist()))
    chosen = limited(pool_documents(runs, judged, said.persistence, said.order), said.per_topic)
    settings: dict[str, object] = {
        "runs": [text_of(run) for run in said.runs],
        "depth": said.depth,
        "judged": None if said.judged is None else text_of(said.judged),
        "order": said.order,
        "persistence": said.persistence,
        "per_topic": said.per_topic,
    }
    write_output(
        None,
        render(
            [to_judge_table(chosen, len(runs)), pools_table(set().union(*runs), judged, chosen)],
            Look(
                form=said.output_format,
                chosen=said.table,
                width=terminal_width(None),
                failures=tuple(failures),
            ),
            "pool",
            settings,
        ),
    )
    if said.write_qrels:
        write_output(said.write_qrels, skeleton(chosen))
    exit_if_failed(failures)

"""pres-eval holes: unjudged documents among the first of each run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.analysis.pooling import FirstDocuments, first_documents, grade_of_judged
from pres_eval.analysis.pools import holes
from pres_eval.cli.analysing import RunsOptions, print_tables
from pres_eval.cli.command_options import WholeRange, command_with, option
from pres_eval.cli.loading import Loaded, load
from pres_eval.cli.reader import unchanged
from pres_eval.errors import UsageError
from pres_eval.reading.run_files import text_at
from pres_eval.report.layout import Table
from pres_eval.report.paper import Figure
from pres_eval.report.robustness_tables import holes_tables, unjudged_table
from pres_eval.report.run_plots import score_dots


class HolesOptions(RunsOptions):
    """Unjudged documents among the first of each run, by topic: where scores may be too low.

    \b
    Example:
      pres-eval holes qrels.txt run_*.txt --depth 20

    A document with a negative grade counts as unjudged.  Tables for --table: runs, topics, documents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    depth: int = option(
        "--depth", type=WholeRange(min=1), default=10, show_default=True, metavar="RANK",
        help="Number of documents to count for each topic, from rank 1 on.",
    )  # fmt: skip
    documents: bool = option(
        "--documents", is_flag=True, help="Also list the documents; this reads the runs again."
    )


@command_with(HolesOptions)
def command(options: HolesOptions) -> None:
    """Count, and list, unjudged documents."""
    if options.judged_only:
        raise UsageError("-J removes unjudged documents, which this command counts: expected no -J")
    depth = options.depth
    if options.max_retrieved is not None:
        depth = min(depth, options.max_retrieved)
    with unchanged(options.runs if options.documents else (), [options.qrels]):
        loaded = load(options, options.qrels, options.runs)
        holes_of_runs = [holes(loaded.qrels(), ranking, depth) for ranking in loaded.rankings]
        tables = holes_tables(loaded.names, holes_of_runs, depth)
        if options.documents:
            tables.append(_documents_table(options, loaded, holes_of_runs, depth))
    table_of_runs = tables[0]
    shares = np.array([[row[-1] for row in table_of_runs.rows]], np.float64)  # the last column, (1, R)

    def figure() -> Figure:
        """Return the picture of the shares of unjudged documents."""
        return score_dots(
            loaded.names,
            [f"unjudged of the first {depth}"],
            shares,
            last_is_falling=True,
            title="Share of documents that nobody judged",
        )

    print_tables(tables, "holes", {**loaded.settings, "depth": depth}, options, loaded.failures, figure)


def _documents_table(
    options: HolesOptions,
    loaded: Loaded,
    holes_of_runs: Sequence[Sequence[tuple[bytes, int, int]]],
    depth: int,
) -> Table:
    """Return the table of the unjudged documents down to rank `depth`, after reading the runs again.

    holes_of_runs  for each topic of each run: the topic, how many documents it has down to this rank, how
                   many of these nobody judged
    """
    qrels = loaded.qrels()
    judged = set(grade_of_judged(qrels.pool, qrels.grade.tolist()))
    rewriting = options.rewriting()

    def read_again(run: int) -> FirstDocuments:
        """Return the first documents of a run."""
        source = text_at(loaded.paths[run])
        return first_documents(source, options.compat, depth, rewriting, options.duplicates)

    loop = loaded.loop("listing documents", loaded.paths)
    documents_of_runs = loop(read_again, len(loaded.paths))
    topics: set[bytes] = set()
    for holes_of_run in holes_of_runs:
        topics.update(topic for topic, _, _ in holes_of_run)
    return unjudged_table(loaded.names, documents_of_runs, topics, judged)

"""pres-eval holes: unjudged documents among the first of each run."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.pooling import first_documents, judged_keys
from pres_eval.analysis.pools import holes
from pres_eval.cli.analysing import RunsOptions, put_out
from pres_eval.cli.command_options import WholeRange, command_with, option
from pres_eval.cli.loading import read
from pres_eval.cli.reader import unchanged
from pres_eval.errors import UsageError
from pres_eval.reading.run_files import text_at
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
    depth = options.depth if options.max_retrieved is None else min(options.depth, options.max_retrieved)
    with unchanged(options.runs if options.documents else (), [options.qrels]):
        loaded = read(options, options.qrels, options.runs)
        qrels = loaded.qrels()
        holes_of_runs = [holes(qrels, ranking, depth) for ranking in loaded.rankings]
        tables = holes_tables(loaded.names, holes_of_runs, depth)
        if options.documents:
            judged = set(judged_keys(qrels.pool, qrels.grade.tolist()))
            rewriting = options.rewriting()
            loop = loaded.loop("listing documents", loaded.paths)
            first_documents_of_runs = loop(
                lambda run: first_documents(text_at(loaded.paths[run]), options.compat, depth, rewriting),
                len(loaded.paths),
            )
            topics = {topic for holes_of_run in holes_of_runs for topic, _, _ in holes_of_run}
            tables.append(unjudged_table(loaded.names, first_documents_of_runs, topics, judged))
    shares = np.array([[row[-1] for row in tables[0].rows]], np.float64)
    put_out(
        tables,
        "holes",
        {**loaded.settings, "depth": depth},
        options,
        loaded.failures,
        lambda: score_dots(
            loaded.names,
            [f"unjudged of the first {depth}"],
            shares,
            less_is_better=True,
            title="Share of documents that nobody judged",
        ),
    )

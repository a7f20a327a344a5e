"""pres-eval sweep: measures against Nmax."""

from __future__ import annotations

import click

from pres_eval.analysis.sweep import SWEPT_MEASURES, sweep, sweep_selection
from pres_eval.cli.analysing import RunsOptions, measures_option, print_tables
from pres_eval.cli.command_options import command_with, option, read_rank
from pres_eval.cli.loading import load
from pres_eval.cli.shared import TieOptions
from pres_eval.errors import quoted
from pres_eval.report.sweep_tables import sweep_figure, sweep_tables

MOST_CUTOFFS = 1000
"""Largest number of ranks in FIRST:LAST:STEP: more are most likely mistyped."""


def read_ranks(context: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    """Return the ranks of `10:100:10` (first, last, step) or `10,20,50`: ascending, each once."""
    wrong = click.BadParameter(f"found {quoted(text)}, expected ranks above 0 such as 10:100:10 or 10,20,50")
    parts = text.replace(":", ",").split(",")
    ranks = [read_rank(part) for part in parts]
    valid_ranks = [rank for rank in ranks if rank is not None]
    if len(valid_ranks) < len(ranks):
        raise wrong
    if ":" not in text:
        return tuple(sorted(set(valid_ranks)))
    if "," in text or len(valid_ranks) not in (2, 3):
        raise wrong
    first, last = valid_ranks[:2]
    if last < first:
        raise wrong
    step = 1
    if len(valid_ranks) == 3:
        step = valid_ranks[2]
    count = (last - first) // step + 1
    if count > MOST_CUTOFFS:
        raise click.BadParameter(f"{count} ranks, expected {MOST_CUTOFFS} at most")
    return tuple(range(first, last + 1, step))


class SweepOptions(TieOptions, RunsOptions):
    """Measures against Nmax, the rank at which the reader stops: MAP, recall and PRES unless -m names others.

    \b
    Example:
      pres-eval sweep qrels.txt run_*.txt --nmax 10:100:10

    Table for --table: sweep.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    measures: tuple[str, ...] = measures_option(
        SWEPT_MEASURES, "A measure with cutoffs; can be given more than once", "NAME"
    )
    nmax: tuple[int, ...] = option(
        "--nmax", callback=read_ranks, default="10:100:10", show_default=True, metavar="FIRST:LAST:STEP",
        help="Ranks at which the reader stops; also a list, 10,20,50.",
    )  # fmt: skip


@command_with(SweepOptions)
def command(options: SweepOptions) -> None:
    """Evaluate at each Nmax, and print the means."""
    selection = sweep_selection(
        options.measures or SWEPT_MEASURES, options.nmax, options.evaluation_options()
    )
    loaded = load(options, options.qrels, options.runs)
    result = sweep(loaded.names, loaded.evaluations(loaded.scoring(selection)), options.nmax)
    print_tables(
        sweep_tables(result, loaded.topics.text),
        "sweep",
        {**loaded.settings, "nmax": list(options.nmax)},
        options,
        loaded.failures,
        lambda: sweep_figure(result),
    )

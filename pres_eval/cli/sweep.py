"""pres-eval sweep: measures against Nmax."""

from __future__ import annotations

from typing import Any

import click

from pres_eval.analysis.sweep import DEFAULT_MEASURES, Sweep, sweep, sweep_selection
from pres_eval.cli.analysing import analysis_options, draw, prepare_for_qrels, read, show
from pres_eval.report.layout import Shown, Table

MOST = 1000
"""Cutoffs in one sweep: more are a slip of the keyboard."""


def read_ranks(context: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    """Ranks from `10:100:10` (first, last, step) or `10,20,50`: ascending, each once."""
    wrong = click.BadParameter(f"found {text!r}, expected ranks above 0 such as 10:100:10 or 10,20,50")
    parts = [part.strip() for part in text.replace(":", ",").split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise wrong
    numbers = [int(part) for part in parts]
    if ":" not in text:
        return tuple(sorted(set(numbers)))
    if "," in text or len(numbers) not in (2, 3) or numbers[1] < numbers[0]:
        raise wrong
    ranks = range(numbers[0], numbers[1] + 1, *numbers[2:])
    if len(ranks) > MOST:
        raise click.BadParameter(f"{len(ranks)} ranks, expected {MOST} at most")
    return tuple(ranks)


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN ...]")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME",
    help=f"A measure with cutoffs; can be given more than once (default: {', '.join(DEFAULT_MEASURES)}).",
)  # fmt: skip
@click.option(
    "--nmax", callback=read_ranks, default="10:100:10", show_default=True, metavar="FIRST:LAST:STEP",
    help="The ranks at which the reader stops; also a list, 10,20,50.",
)  # fmt: skip
@analysis_options
def command(qrels: str, runs: tuple[str, ...], **values: Any) -> None:
    """Measures against Nmax, the rank at which the reader stops: MAP, recall and PRES unless -m names others.

    \b
    Example:
      pres-eval sweep fixtures/patents/qrels.txt fixtures/patents/run_*.txt --nmax 10:100:10

    Table for --table: sweep.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    options = prepare_for_qrels(values)
    cutoffs = values["nmax"]
    selection = sweep_selection(values["measures"] or DEFAULT_MEASURES, cutoffs, options.compat)
    loaded = read(qrels, runs, options, values)
    loaded.warn_of_different_topics()
    result = sweep(loaded.names, loaded.evaluations(selection), cutoffs)
    show(_tables(result), "sweep", {**loaded.settings, "nmax": list(cutoffs)}, values)
    if values["plot"]:
        from pres_eval.report.plots import curves

        draw(
            curves(result.runs, result.measures, result.cutoffs, result.means, xlabel="Nmax (rank)"),
            values["plot"],
        )


def _tables(result: Sweep) -> list[Table]:
    rows = [
        (measure, cutoff, run, float(result.means[m, n, r]))
        for m, measure in enumerate(result.measures)
        for n, cutoff in enumerate(result.cutoffs)
        for r, run in enumerate(result.runs)
    ]
    tables = [Table("sweep", "", ("measure", "nmax", "run", "mean"), rows, people=False)]
    for m, measure in enumerate(result.measures):
        lines = [
            [run, *(f"{value:.4f}" for value in result.means[m, :, r].tolist())]
            for r, run in enumerate(result.runs)
        ]
        shown = Shown(("run", *map(str, result.cutoffs)), lines)
        tables.append(Table(measure, f"{measure} at Nmax", (), (), shown=shown, programs=False))
    return tables

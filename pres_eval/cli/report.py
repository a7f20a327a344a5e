"""pres-eval report QRELS RUN ...: the TREC evaluation report."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import click

from pres_eval.cli.output import write_output
from pres_eval.cli.shared import NMAX, NumberOptions, load, number_options
from pres_eval.errors import UsageError
from pres_eval.report.records import file_record
from pres_eval.report.trec_report import Report, as_text, make_report, report_selection
from pres_eval.scoring import evaluate

PAGES = (".html", ".htm")


@dataclass(frozen=True, kw_only=True)
class ReportOptions(NumberOptions):
    """What the command line said."""

    qrels: str
    runs: tuple[str, ...]
    outputs: tuple[str, ...]
    text_wanted: bool
    nmax: tuple[int, ...]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN ...]")
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Where to write it: FILE.html, .pdf, .png or .svg; can be given more than once.",
)  # fmt: skip
@click.option("--text", "text_wanted", is_flag=True, help="Print the tables, as TREC does (also without -o).")
@NMAX
@number_options
def command(**values: Any) -> None:
    """Write the evaluation report that TREC makes of a run, with PRES beside.

    \b
    Examples:
      pres-eval report fixtures/patents/qrels.txt fixtures/patents/run_broad.txt
      pres-eval report fixtures/patents/qrels.txt fixtures/patents/run_*.txt -o report.html

    For each run: Summary Statistics, Recall Level Precision Averages, Document Level Averages, PRES and
    recall at several Nmax.  FILE.html is one page that needs nothing else: these tables, the recall-precision
    graph, PRES and recall against Nmax, each topic's average precision against the median of the runs, a
    table of topics to sort and filter, the topics on which runs differ most, with -N also the ROC curve.
    FILE.pdf, .png and .svg hold the graphs (extra: plot); a PDF has a histogram of each run, a picture that
    of the first.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    said = ReportOptions(**values)
    for path in said.outputs:
        _check_ending(path)
    report = _report(said)
    for path in said.outputs:
        write_output(path, _written(report, path))
    if said.text_wanted or not said.outputs:
        sys.stdout.write(as_text(report))


def _check_ending(path: str) -> None:
    """Stop before the work if the file's ending is none of ours, or if matplotlib is not there."""
    ending = PurePath(path).suffix.lower()
    if ending in PAGES:
        return
    from pres_eval.report.plots import PICTURE_FORMATS, check_matplotlib

    if ending not in PICTURE_FORMATS:
        raise UsageError(f"-o {path}: expected a name that ends with {', '.join((*PAGES, *PICTURE_FORMATS))}")
    check_matplotlib("drawing the report")


def _report(said: ReportOptions) -> Report:
    if said.relevance_format != "qrels":
        raise UsageError(f"-R {said.relevance_format}: the report needs -R qrels")
    options = said.numbers()
    selection = report_selection(options, said.nmax)
    relevance, rankings = load(said.qrels, said.runs, options, said.reader())
    evaluations = [evaluate(relevance, ranking, selection, options) for ranking in rankings]
    files = [file_record(run) for run in said.runs]
    return make_report(evaluations, options, said.nmax, file_record(said.qrels), files)


def _written(report: Report, path: str) -> str | bytes:
    if PurePath(path).suffix.lower() in PAGES:
        from pres_eval.report.html import as_html

        return as_html(report)
    from pres_eval.report.trec_plots import as_picture

    return as_picture(report, path)

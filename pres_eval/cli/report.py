"""pres-eval report QRELS RUN ...: the TREC evaluation report."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import Any

import click

from pres_eval.cli.output import write_output
from pres_eval.cli.shared import NMAX, Reader, load, make_options, number_options
from pres_eval.errors import UsageError
from pres_eval.report.records import file_record
from pres_eval.report.trec_report import Report, as_text, make_report, report_selection
from pres_eval.scoring import evaluate

PAGES = (".html", ".htm")


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
def command(qrels: str, runs: tuple[str, ...], **values: Any) -> None:
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
    outputs, text_wanted = values.pop("outputs"), values.pop("text_wanted")
    for path in outputs:
        _check_ending(path)
    report = _report(qrels, runs, values)
    for path in outputs:
        write_output(path, _written(report, path))
    if text_wanted or not outputs:
        sys.stdout.write(as_text(report))


def _check_ending(path: str) -> None:
    """Stop before the work if the file's ending is none of ours, or if matplotlib is not there."""
    ending = PurePath(path).suffix.lower()
    if ending in PAGES:
        return
    from pres_eval.report.trec_plots import PICTURES, check_matplotlib

    if ending not in PICTURES:
        raise UsageError(f"-o {path}: expected a name that ends with {', '.join((*PAGES, *PICTURES))}")
    check_matplotlib()


def _report(qrels: str, runs: tuple[str, ...], values: dict[str, Any]) -> Report:
    form, nmax = values.pop("form"), values.pop("nmax")
    if form != "qrels":
        raise UsageError(f"-R {form}: the report needs -R qrels")
    reader = Reader(form, values.pop("quiet"), values.pop("jobs"))
    options = make_options(values)
    selection = report_selection(options, nmax)
    relevance, rankings = load(qrels, runs, options, reader)
    evaluations = [evaluate(relevance, ranking, selection, options) for ranking in rankings]
    return make_report(evaluations, options, nmax, file_record(qrels), [file_record(run) for run in runs])


def _written(report: Report, path: str) -> str | bytes:
    if PurePath(path).suffix.lower() in PAGES:
        from pres_eval.report.html import as_html

        return as_html(report)
    from pres_eval.report.trec_plots import as_picture

    return as_picture(report, path)

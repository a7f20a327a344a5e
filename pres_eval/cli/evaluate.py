"""pres-eval [OPTIONS] QRELS RUN [RUN ...]: the evaluator."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

import click

from pres_eval import __version__
from pres_eval.cli.shared import JOBS, MEASURES, NMAX, NUMBER_OPTIONS, QUIET, RELEVANCE_FORMAT, Reader, check_paths, make_options
from pres_eval.errors import UsageError
from pres_eval.evaluate import Selection, Summing, form, score_blocks
from pres_eval.options import Options
from pres_eval.reading.relevance import FORMATS, Relevance
from pres_eval.reading.source import Source
from pres_eval.reading.zscores import ZScores, read_zscores
from pres_eval.report.trec import summary_lines, topic_lines
from pres_eval.running import Ranking
from pres_eval.selection import select

USAGE = "Usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h explains)"


@click.command(add_help_option=False)
@click.argument("files", nargs=-1, metavar="QRELS RUN [RUN ...]")
@click.option("-h", "--help", "help_wanted", is_flag=True, help="Explain everything; with -m X also X.")
@click.option("-v", "--version", "version_wanted", is_flag=True, help="Print the version.")
@click.option("-q", "--query_eval_wanted", "per_topic", is_flag=True, help="Also print each topic's values.")
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Don't print the values over all topics.")
@click.option("-Z", "--Zscore", "zscore_file", metavar="FILE", help="Print Z-scores: FILE has the means.")
@click.option("-D", "--Debug_level", "debug", metavar="NUM[.TOPIC]", help="Evaluate TOPIC alone.")
@click.option("-T", "--Results_format", "results_format", default="trec_results", show_default=True)
@click.option("-o", "--Output_old_results_format", "old_format", is_flag=True, help="Accepted, has no effect.")
@MEASURES
@NMAX
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], **values: Any) -> None:
    """Evaluate runs against judgements."""
    if values["help_wanted"]:
        from pres_eval.cli.help import help_text

        sys.stdout.write(help_text(context.command, values["measures"], values["compat"]))
        return
    if values["version_wanted"]:
        print(f"pres-eval {__version__} (trec_eval 9.0.8 and 10.0)")
        return
    if len(files) < 2:
        raise UsageError(USAGE)
    _evaluate(files[0], files[1:], values)


for _option in [*NUMBER_OPTIONS, RELEVANCE_FORMAT, QUIET, JOBS]:
    command = _option(command)


def _evaluate(qrels: str, runs: tuple[str, ...], values: dict[str, Any]) -> None:
    if values["results_format"] != "trec_results":
        raise UsageError(f"-T {values['results_format']}: no such format, expected trec_results")
    options = make_options(values, _only_topic(values["debug"]))
    reader = Reader(values["form"], values["quiet"], values["jobs"])
    check_paths(qrels, runs)
    if reader.form not in FORMATS:
        raise UsageError(f"-R {reader.form}: no such format, expected one of {', '.join(FORMATS)}")
    selection = select(values["measures"], options.compat, values["nmax"], FORMATS[reader.form][1])
    relevance = reader.relevance(qrels)
    zscores = read_zscores(Source(values["zscore_file"])) if values["zscore_file"] else None
    stream = sys.stdout.buffer
    for run in runs:
        ranking = reader.run(run, relevance, options)
        _print_trec(stream, relevance, ranking, selection, options, zscores, values)
        stream.flush()


def _only_topic(debug: str | None) -> bytes | None:
    """The topic of -D n.topic; the level itself has no effect."""
    level, dot, topic = (debug or "0").partition(".")
    if not level.lstrip("-").isdecimal():
        raise UsageError(f"-D {debug}: expected a number, or number.topic")
    return topic.encode("utf-8", "surrogateescape") if dot else None


def _print_trec(
    stream: BinaryIO,
    relevance: Relevance,
    ranking: Ranking,
    selection: Selection,
    options: Options,
    zscores: ZScores | None,
    values: dict[str, Any],
) -> None:
    """Print trec_eval's lines as they are computed."""
    summing = Summing(selection)
    for block in score_blocks(form(relevance, ranking, options), selection, zscores):
        summing.add(block)
        if values["per_topic"]:
            stream.write(topic_lines(block, selection, zscores is not None).encode("utf-8", "surrogateescape"))
    if not values["no_summary"]:
        summary = summing.summary(summing.totals(relevance, options.complete), ranking.tag)
        stream.write(summary_lines(summary, selection, zscores is not None).encode("utf-8", "surrogateescape"))

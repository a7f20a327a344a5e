"""pres-eval [OPTIONS] QRELS RUN [RUN ...]: the evaluator."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from pres_eval import __version__
from pres_eval.cli.gating import GATE_OPTIONS, GateOptions, pass_gates
from pres_eval.cli.output import output_file
from pres_eval.cli.shared import (
    JOBS,
    MEASURES,
    NMAX,
    NUMBER_OPTIONS,
    QUIET,
    RELEVANCE_FORMAT,
    NumberOptions,
    check_paths,
    warn,
)
from pres_eval.cli.streams import reader_has_left
from pres_eval.errors import UsageError
from pres_eval.measures.pres import RNORM
from pres_eval.measures.selection import Selection, select
from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance, relevance_info
from pres_eval.reading.source import Source
from pres_eval.report.trec import evaluation_lines, summary_lines, topic_lines
from pres_eval.scoring import Evaluation, Summing, evaluate, form, score_blocks

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores

USAGE = "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h explains everything)"
OUTPUT_FORMATS = ("trec", "table", "csv", "tsv", "json", "jsonl", "latex", "markdown")


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(NumberOptions, GateOptions):
    """What the command line said."""

    files: tuple[str, ...]
    help_wanted: bool
    version_wanted: bool
    per_topic: bool
    no_summary: bool
    zscore_file: str | None
    debug: str | None
    results_format: str
    old_format: bool
    measures: tuple[str, ...]
    nmax: tuple[int, ...]
    output_format: str
    style: str
    digits: int
    output: str | None

    @property
    def qrels(self) -> str:
        """The judgements."""
        return self.files[0]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.files[1:]


@click.command(add_help_option=False)
@click.argument("files", nargs=-1, metavar="QRELS RUN [RUN ...]")
@click.option("-h", "--help", "help_wanted", is_flag=True, help="Explain everything; with -m X also X.")
@click.option("-v", "--version", "version_wanted", is_flag=True, help="Print the version.")
@click.option("-q", "--query_eval_wanted", "per_topic", is_flag=True, help="Also print each topic's values.")
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Don't print the values over all topics.")
@click.option("-Z", "--Zscore", "zscore_file", metavar="FILE", help="Print Z-scores: FILE has the means.")
@click.option("-D", "--Debug_level", "debug", metavar="NUM[.TOPIC]", help="Evaluate TOPIC alone.")
@click.option(
    "-T",
    "--Results_format",
    "results_format",
    default="trec_results",
    metavar="FORMAT",
    help="Format of the runs: trec_results, the only one.",
)
@click.option("-o", "--Output_old_results_format", "old_format", is_flag=True, help="Has no effect.")
@MEASURES
@NMAX
@click.option(
    "--format",
    "output_format",
    type=click.Choice(OUTPUT_FORMATS),
    default="trec",
    show_default=True,
    help="How results are printed.",
)
@click.option("--style", default="simple", show_default=True, help="Table style, as tabulate names them.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits in tables.")
@click.option("--output", metavar="FILE", help="Write results to FILE, whole or not at all.")
@click.pass_context
def command(context: click.Context, /, **values: Any) -> None:
    """Evaluate runs against judgements."""
    said = EvaluateOptions(**values)
    if said.help_wanted:
        from pres_eval.cli.help import help_text

        sys.stdout.write(help_text(context.command, said.measures, said.compat, said.relevance_format))
    elif said.version_wanted:
        print(f"pres-eval {__version__} (prints what trec_eval 9.0.8 and 10.0 print)")
    elif len(said.files) < 2:
        raise UsageError(USAGE)
    else:
        _evaluate(said)


for _option in (*NUMBER_OPTIONS, RELEVANCE_FORMAT, *GATE_OPTIONS, QUIET, JOBS):
    command = _option(command)


@dataclass(frozen=True, kw_only=True)
class _Job:
    """What is evaluated, and how it is printed."""

    relevance: Relevance
    selection: Selection
    options: Options
    zscores: ZScores | None
    per_topic: bool
    summary: bool
    jobs: int


def _evaluate(said: EvaluateOptions) -> None:
    if said.results_format != "trec_results":
        raise UsageError(f"-T {said.results_format}: no such format, expected trec_results")
    check_paths(said.qrels, said.runs)
    options = said.numbers(_only_topic(said.debug))
    selection = select(said.measures, options.compat, said.nmax, relevance_info(said.relevance_format))
    if not options.num_docs_in_coll:
        selection = _without_rnorm(selection, said.measures, said.quiet)
    said.check_gates()
    reader = said.reader()
    job = _Job(
        relevance=reader.relevance(said.qrels),
        selection=selection,
        options=options,
        zscores=_read_zscores(said.zscore_file),
        per_topic=said.per_topic,
        summary=not said.no_summary,
        jobs=reader.jobs_for(len(said.runs)),
    )
    rankings = reader.runs(said.runs, job.relevance, options)
    with output_file(said.output) as stream:
        if said.output_format == "trec" and not said.gated:
            for ranking in rankings:
                _stream_lines(stream, job, ranking)
                stream.flush()
                if reader_has_left():
                    break
            return
        evaluations = _print_whole(stream, job, rankings, said)
    if said.gated:
        pass_gates(said, evaluations, _lines(evaluations, job))


def _without_rnorm(selection: Selection, texts: tuple[str, ...], quiet: bool) -> Selection:
    """Leave out Rnorm where only a nickname asks for it and the size of the collection is not known."""
    kept = tuple(column for column in selection if column.measure is not RNORM)
    if len(kept) == len(selection) or any(text.startswith("Rnorm") for text in texts):
        return selection
    if not quiet:
        warn("Rnorm is left out: it needs the number of documents in the collection (-N)")
    return kept


def _read_zscores(path: str | None) -> ZScores | None:
    if path is None:
        return None
    from pres_eval.reading.zscores import read_zscores

    return read_zscores(Source(path))


def _only_topic(debug: str | None) -> bytes | None:
    """The topic of -D n.topic; the level itself has no effect."""
    level, dot, topic = (debug or "0").partition(".")
    if not level.lstrip("-").isdecimal():
        raise UsageError(f"-D {debug}: expected a number, or number.topic")
    return topic.encode("utf-8", "surrogateescape") if dot else None


def _stream_lines(stream: BinaryIO, job: _Job, ranking: Ranking) -> None:
    """Print trec_eval's lines as they are computed."""
    summing = Summing(job.selection)
    zscores = job.zscores is not None
    batches = form(job.relevance, ranking, job.options)
    for block in score_blocks(batches, job.selection, job.zscores, job.jobs):
        summing.add(block)
        if job.per_topic:
            stream.write(topic_lines(block, job.selection, zscores))
            if reader_has_left():
                return
    if job.summary:
        summary = summing.summary(summing.totals(job.relevance, job.options.complete), ranking.tag)
        stream.write(summary_lines(summary, job.selection, zscores))


def _print_whole(
    stream: BinaryIO, job: _Job, rankings: Iterable[Ranking], said: EvaluateOptions
) -> list[Evaluation]:
    """Print all runs in one of the other formats, and give their evaluations."""
    found = []
    evaluations = []
    for ranking in rankings:
        found.append(ranking)
        evaluations.append(
            evaluate(job.relevance, ranking, job.selection, job.options, job.zscores, job.jobs)
        )
    if said.output_format == "trec":
        stream.write(_lines(evaluations, job))
    else:
        from pres_eval.cli.formats import as_text

        text = as_text(evaluations, found, job.relevance, job.options, said)
        stream.write(text.encode("utf-8", "backslashreplace"))
    return evaluations


def _lines(evaluations: list[Evaluation], job: _Job) -> bytes:
    zscores = job.zscores is not None
    return b"".join(
        evaluation_lines(evaluation, job.per_topic, job.summary, zscores) for evaluation in evaluations
    )

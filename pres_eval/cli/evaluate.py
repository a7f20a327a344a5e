"""pres-eval [OPTIONS] QRELS RUN [RUN ...]: the evaluator."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, BinaryIO

import click
from click.core import ParameterSource

from pres_eval.cli.command_options import command_with
from pres_eval.cli.gating import pass_gates, report_failures
from pres_eval.cli.job import EvaluateOptions, Job
from pres_eval.cli.output import exit_if_failed
from pres_eval.cli.printing import named_lines, print_results
from pres_eval.cli.reader import relevance_at, runs_at, topic_files
from pres_eval.cli.shared import TABLES
from pres_eval.cli.streams import check_paths, collected_warnings
from pres_eval.errors import MeasureError, PresEvalError, RunFailure, UsageError, plural
from pres_eval.measures.base import geometric_mean
from pres_eval.measures.selection import DEFAULT_MEASURES, Selection, leave_out, select, with_ties_and_bounds
from pres_eval.options import Options
from pres_eval.ranking.ranking import OWN
from pres_eval.reading.file import File
from pres_eval.reading.run_files import check_format
from pres_eval.scoring import warning_of_infinite_gains
from pres_eval.version import __version__

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores
    from pres_eval.report.records import Record
    from pres_eval.scoring import ScoredRun

BUDGET = "PRES_budget"
USAGE_LINE = (
    "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h shows the most used, --help-all all)"
)


@command_with(EvaluateOptions)
def command(options: EvaluateOptions) -> None:
    """Show the help or the version, or evaluate."""
    context = click.get_current_context()
    if options.help_wanted or options.help_all:
        from pres_eval.cli.help import first_screen, help_text

        text = help_text if options.help_all else first_screen
        named = context.get_parameter_source("relevance_format") is ParameterSource.COMMANDLINE
        form = options.relevance_format if named or options.help_all else ""
        click.echo(text(context.command, options.measures, options.compat, form), nl=False)
    elif options.version_wanted:
        print(f"pres-eval {__version__} (prints what trec_eval 9.0.8 and 10.0 print)")
    elif not options.runs:
        raise UsageError(USAGE_LINE + _taken_file(context))
    else:
        with collected_warnings() as warnings:
            try:
                _evaluate(options, warnings)
            except PresEvalError as error:
                if options.gated:
                    report_failures(options, [RunFailure(options.file_of(error), str(error))], warnings)
                    error.is_reported = True
                raise


def _taken_file(context: click.Context) -> str:
    """Return a hint at an option that took the first file as its value; nothing if none did."""
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.metavar == "FILE" and isinstance(value, str) and os.path.exists(value):  # noqa: PTH110
            return f"; {option.opts[-1]} takes a FILE: here it took {value}"
    return ""


def _evaluate(options: EvaluateOptions, warnings: Sequence[str]) -> None:
    """Evaluate the runs, print the results, and apply the gates.

    warnings  list that receives all warnings which are printed
    """
    options = _with_patterns(options)
    check_format(options.results_format)
    check_paths(options.qrels, options.runs)
    _check_measures_among_files(options)
    options.topic_rule(OWN)
    numbers = options.numbers(None if options.debug is None else _only_topic(options.debug))
    selection = _selection(options, numbers)
    options.check_effects()
    relevance = relevance_at(options, options.qrels)
    options.warn(warning_of_infinite_gains(selection, relevance))
    groups, weights = None, None
    if options.groups is not None or options.weights is not None:
        groups, weights = topic_files(options, options.groups, options.weights, relevance.pool.topics)
    job = Job(
        command_options=options,
        relevance=relevance,
        groups=groups,
        weights=weights,
        selection=selection,
        options=numbers,
        zscores=None if options.zscore_file is None else _read_zscores(options.zscore_file),
        failures=[] if options.keep_going else None,
        facts=[],
    )
    replaced: contextlib.AbstractContextManager[BinaryIO | None] = contextlib.nullcontext()
    if options.replaced_option is not None:
        from pres_eval.cli.baselines import replaced_if_passed

        replaced = replaced_if_passed(options)
    with replaced as held:
        evaluations = print_results(job, held)
        if options.output_format not in TABLES and not options.quiet:
            options.warn(job.warning())
        if job.zscores is not None:
            options.warn(job.zscores.warning)
        if options.gated and evaluations:
            pass_gates(
                options,
                _record(evaluations, job),
                named_lines(evaluations, job),
                lambda path: _record(map(job.evaluated, runs_at(options, [path], relevance, numbers)), job),
                job.failures or (),
                warnings,
            )
        elif options.gated and job.failures:
            runs = plural(len(job.failures), "run")
            options.warn(f"gates were not checked, as {runs} could not be evaluated")
            report_failures(options, job.failures, warnings)
        exit_if_failed(job.failures)


def _with_patterns(options: EvaluateOptions) -> EvaluateOptions:
    """Return the same with the files that patterns name, which no shell has looked for."""
    paths = (options.qrels, *options.runs)
    if options.cluster is None and not any("://" in path for path in paths):
        return options
    from pres_eval.reading.storage import expand

    judged, *runs = [expand(path) for path in paths]
    if len(judged) > 1:
        raise UsageError(f"{options.qrels}: names {len(judged)} files, expected the one with the judgements")
    return options.replace(
        qrels=judged[0], runs=tuple(path for paths_of_pattern in runs for path in paths_of_pattern)
    )


def _record(evaluations: Iterable[ScoredRun], job: Job) -> Record:
    """Return the evaluations as gates compare them."""
    from pres_eval.report.records import FileRecord, RunRecord, file_record

    options, judged = job.command_options, set(job.relevance.pool.topics)
    runs = (
        RunRecord(
            evaluation=evaluation,
            file=FileRecord(evaluation.path, None),
            missing=tuple(judged.difference(evaluation.topics)),
        )
        for evaluation in evaluations
    )
    return job.record(
        runs, file_record(options.qrels) if options.against else FileRecord(options.qrels, None)
    )


def _check_measures_among_files(options: EvaluateOptions) -> None:
    """Raises UsageError if a run is no file but a measure: `qrels run P@10`."""
    missing = [path for path in options.runs if path != "-" and not os.path.exists(path)]  # noqa: PTH110
    for path in missing:
        try:
            columns = select((path,), options.numbers(), options.nmax, options.relevance_info)
        except MeasureError:
            continue
        if columns:
            raise UsageError(f"{path}: no such file, but a measure: type  -m {path}")


def _selection(options: EvaluateOptions, numbers: Options) -> Selection:
    """Return the columns asked for; warn of and leave out those of nicknames that cannot be computed."""
    texts = options.measures or ((*DEFAULT_MEASURES, BUDGET) if options.nmax_file else ())
    selection = select(texts, numbers, options.nmax, options.relevance_info)
    if options.nmax_file and BUDGET not in {column.measure.name for column in selection}:
        raise UsageError(f"--nmax-file {options.nmax_file}: no measure takes it, expected -m {BUDGET} too")
    if not numbers.num_docs_in_coll and options.size_file is None:
        reason = "{} is left out: it needs the number of documents in the collection (-N)"
        selection = leave_out(selection, lambda measure: measure.needs_collection_size, options.warn, reason)
    if options.weights is not None:
        geometric = [column.label for column in selection if column.measure.summary is geometric_mean]
        if geometric:
            options.warn(f"--weights does not change {', '.join(geometric)}: geometric means have none")
    return with_ties_and_bounds(
        selection, numbers, options.bounds and (options.bounds_of or True), options.warn
    )


def _read_zscores(path: str) -> ZScores:
    """Return the means and standard deviations of -Z."""
    from pres_eval.reading.zscores import read_zscores

    return read_zscores(File(path))


def _only_topic(debug: str) -> bytes | None:
    """Return the topic of -D n.topic; the level itself has no effect."""
    level, dot, topic = debug.partition(".")
    if not level.lstrip("-").isdecimal():
        raise UsageError(f"-D {debug}: expected a number, or number.topic")
    return topic.encode("utf-8", "surrogateescape") if dot else None

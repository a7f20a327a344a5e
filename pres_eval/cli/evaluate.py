"""pres-eval [OPTIONS] QRELS RUN [RUN ...]: the evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pres_eval import __version__
from pres_eval.cli.command_options import command_with
from pres_eval.cli.gating import pass_gates, report_failures
from pres_eval.cli.job import EvaluateOptions, Job
from pres_eval.cli.output import exit_if_failed, output_file
from pres_eval.cli.printing import named_lines, print_results
from pres_eval.cli.reader import relevance_at, runs_at, topic_files
from pres_eval.cli.shared import TABLES
from pres_eval.cli.streams import collected_warnings
from pres_eval.errors import MeasureError, PresEvalError, RunFailure, UsageError, plural
from pres_eval.measures.base import geometric_mean
from pres_eval.measures.selection import DEFAULT_MEASURES, Selection, leave_out, select, with_ties_and_bounds
from pres_eval.options import Options
from pres_eval.ranking.ranking import OWN
from pres_eval.reading.file import File
from pres_eval.reading.run_files import check_format
from pres_eval.scoring import warning_of_infinite_gains

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores
    from pres_eval.report.records import Record
    from pres_eval.scoring import ScoredRun

BUDGET_MEASURE = "PRES_budget"
"""The measure that takes the Nmax of each topic from --nmax-file."""

USAGE_LINE = (
    "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h shows the most used, --help-all all)"
)


@command_with(EvaluateOptions)
def command(options: EvaluateOptions) -> None:
    """Show the help or the version, or evaluate."""
    context = click.get_current_context()
    if options.help_wanted or options.help_all:
        _show_help(context, options)
    elif options.version_wanted:
        print(f"pres-eval {__version__} (prints what trec_eval 9.0.8 and 10.0 print)")
    elif not options.runs:
        raise UsageError(USAGE_LINE + _hint_at_file_taken_by_option(context))
    elif options.has_gates:
        _evaluate_and_report(options)
    else:
        _evaluate(options, ())


def _show_help(context: click.Context, options: EvaluateOptions) -> None:
    """Print the short help, or with --help-all the whole; with the texts of measures that -m names."""
    from pres_eval.cli.help import first_screen, help_text

    if options.help_all:
        text = help_text(context.command, options.measures, options.compat, options.relevance_format)
    else:
        explained_format = ""
        if context.get_parameter_source("relevance_format") is ParameterSource.COMMANDLINE:
            explained_format = options.relevance_format
        text = first_screen(context.command, options.measures, options.compat, explained_format)
    click.echo(text, nl=False)


def _evaluate_and_report(options: EvaluateOptions) -> None:
    """Evaluate with gates; an error that stops the evaluation is reported in their files as well."""
    with collected_warnings() as warnings:
        try:
            _evaluate(options, warnings)
        except PresEvalError as error:
            report_failures(options, [RunFailure(options.file_of(error), str(error))], warnings)
            error.is_reported = True
            raise


def _hint_at_file_taken_by_option(context: click.Context) -> str:
    """Return a hint at an option that took one of the files as its value; empty if none did."""
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.metavar == "FILE" and isinstance(value, str) and os.path.exists(value):  # noqa: PTH110
            return f"; {option.opts[-1]} takes a FILE: here it took {value}"
    return ""


def _evaluate(options: EvaluateOptions, warnings: Sequence[str]) -> None:
    """Evaluate the runs, print the results, and apply the gates.

    warnings  list to which `collected_warnings` adds all that are printed, for the reports of the gates
    """
    if options.cluster is not None or any("://" in path for path in (options.qrels, *options.runs)):
        options = _with_files_of_patterns(options)
    check_format(options.results_format)
    missing_runs = [run for run in options.runs if run != "-" and not os.path.exists(run)]  # noqa: PTH110
    if missing_runs:
        _check_runs_are_not_measures(options, missing_runs)
    if options.topics is not None:
        options.topic_rule(OWN)  # raises UsageError for a rule that makes no sense here
    only_topic = None if options.debug is None else _only_topic(options.debug)
    evaluation_options = options.evaluation_options(only_topic)
    selection = _selection(options, evaluation_options)
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
        options=evaluation_options,
        zscores=None if options.zscore_file is None else _read_zscores(options.zscore_file),
        failures=[] if options.keep_going else None,  # None: the first failure ends the evaluation
        read_runs=[],
    )
    if options.has_gates and options.option_of_replaced_file is not None:
        from pres_eval.cli.baselines import replaced_if_passed

        with replaced_if_passed(options) as stream:
            _warn_and_apply_gates(job, print_results(job, stream), warnings)
    else:
        with output_file(options.output) as stream:
            evaluations = print_results(job, stream)
        _warn_and_apply_gates(job, evaluations, warnings)


def _warn_and_apply_gates(job: Job, evaluations: Sequence[ScoredRun], warnings: Sequence[str]) -> None:
    """Print the warnings about all runs together, then apply the gates; call this after the results.

    Raises click's Exit if a gate failed or a run could not be evaluated.
    """
    options = job.command_options
    if len(options.runs) > 1 and options.output_format not in TABLES and not options.quiet:
        options.warn(job.warning_about_runs())
    if job.zscores is not None:
        options.warn(job.zscores.warning)
    if options.has_gates:
        _apply_gates(job, evaluations, warnings)
    exit_if_failed(job.failures)


def _apply_gates(job: Job, evaluations: Sequence[ScoredRun], warnings: Sequence[str]) -> None:
    """Print the findings of the gates; raise click's Exit if a gate failed."""
    options = job.command_options
    if evaluations:

        def evaluate_run(path: str) -> Record:
            """Return the evaluation of an earlier run."""
            rankings = runs_at(options, [path], job.relevance, job.options)
            return _record_for_gates(map(job.evaluate, rankings), job)

        pass_gates(
            options,
            now=_record_for_gates(evaluations, job),
            printed=named_lines(evaluations, job),
            evaluate_run=evaluate_run,
            failures=job.failures or (),
            warnings=warnings,
        )
    elif job.failures:
        runs = plural(len(job.failures), "run")
        options.warn(f"gates were not checked, as {runs} could not be evaluated")
        report_failures(options, job.failures, warnings)


def _with_files_of_patterns(options: EvaluateOptions) -> EvaluateOptions:
    """Return the options with the files that patterns of remote paths name, which no shell expands."""
    from pres_eval.reading.storage import expand

    qrels = expand(options.qrels)
    if len(qrels) > 1:
        raise UsageError(f"{options.qrels}: names {len(qrels)} files, expected the one with the judgements")
    runs: list[str] = []
    for pattern in options.runs:
        runs.extend(expand(pattern))
    return options.replace(qrels=qrels[0], runs=tuple(runs))


def _record_for_gates(evaluations: Iterable[ScoredRun], job: Job) -> Record:
    """Return the evaluations as gates compare them; these do not use hashes of the runs' files."""
    from pres_eval.report.records import FileRecord, RunRecord, file_record

    qrels = FileRecord(job.command_options.qrels, None)
    if job.command_options.against:
        qrels = file_record(job.command_options.qrels)
    judged = set(job.relevance.pool.topics)
    runs = []
    for evaluation in evaluations:
        missing = tuple(judged.difference(evaluation.topics))
        file = FileRecord(evaluation.path, None)
        runs.append(RunRecord(evaluation=evaluation, file=file, missing=missing))
    return job.record(runs, qrels)


def _check_runs_are_not_measures(options: EvaluateOptions, missing_runs: Sequence[str]) -> None:
    """Raise UsageError if a run that is no file has the name of a measure: `qrels run P@10`."""
    for name in missing_runs:
        try:
            columns = select((name,), options.evaluation_options(), options.nmax, options.relevance_info)
        except MeasureError:
            continue
        if columns:
            raise UsageError(f"{name}: no such file, but a measure: type  -m {name}")


def _selection(options: EvaluateOptions, evaluation_options: Options) -> Selection:
    """Return the columns that -m asks for, with those of --ties and --bounds.

    Columns of nicknames that cannot be computed are left out, with a warning.
    """
    names = options.measures
    if not names and options.nmax_file:
        names = (*DEFAULT_MEASURES, BUDGET_MEASURE)
    selection = select(names, evaluation_options, options.nmax, options.relevance_info)
    if options.nmax_file and BUDGET_MEASURE not in {column.measure.name for column in selection}:
        raise UsageError(
            f"--nmax-file {options.nmax_file}: no measure takes it, expected -m {BUDGET_MEASURE} too"
        )
    if not evaluation_options.num_docs_in_coll and options.size_file is None:
        reason = "{} is left out: it needs the number of documents in the collection (-N)"
        selection = leave_out(selection, lambda measure: measure.needs_collection_size, options.warn, reason)
    if options.weights is not None:
        geometric = [column.label for column in selection if column.measure.summary is geometric_mean]
        if geometric:
            options.warn(f"--weights does not change {', '.join(geometric)}: geometric means have none")
    bounds: bool | str = options.bounds
    if options.bounds and options.bounds_of:
        bounds = options.bounds_of  # such as all,max_rel=3
    return with_ties_and_bounds(selection, evaluation_options, bounds, options.warn)


def _read_zscores(path: str) -> ZScores:
    """Return the means and standard deviations in the file of -Z."""
    from pres_eval.reading.zscores import read_zscores

    return read_zscores(File(path))


def _only_topic(debug: str) -> bytes | None:
    """Return the topic of `-D 3.401`, None for `-D 3`; the level itself has no effect."""
    level, dot, topic = debug.partition(".")
    if not level.lstrip("-").isdecimal():
        raise UsageError(f"-D {debug}: expected a number, or number.topic")
    if not dot:
        return None
    return topic.encode("utf-8", "surrogateescape")

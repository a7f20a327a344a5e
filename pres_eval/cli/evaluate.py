"""pres-eval [OPTIONS] QRELS RUN [RUN ...]: the evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pres_eval.cli.baselines import replaced_if_passed
from pres_eval.cli.gating import pass_gates, report_failures
from pres_eval.cli.job import EvaluateOptions, Job
from pres_eval.cli.output import exit_if_failed
from pres_eval.cli.printing import named_lines, print_results
from pres_eval.cli.reader import relevance_at, runs_at, topic_files
from pres_eval.cli.said import command_with
from pres_eval.cli.shared import TABLES
from pres_eval.cli.streams import check_paths, collected_warnings
from pres_eval.errors import MeasureError, PresEvalError, RunFailure, UsageError, plural
from pres_eval.measures.base import geometric_mean
from pres_eval.measures.selection import DEFAULT_MEASURES, Selection, as_asked, leave_out, select
from pres_eval.options import Options
from pres_eval.ranking.ranking import OWN
from pres_eval.reading.run_files import check_format
from pres_eval.reading.source import Source
from pres_eval.scoring import warning_of_infinite_gains
from pres_eval.version import __version__

if TYPE_CHECKING:
    from pres_eval.reading.zscores import ZScores
    from pres_eval.report.records import Record
    from pres_eval.scoring import ScoredRun

BUDGET = "PRES_budget"
USAGE = "usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]   (pres-eval -h explains everything)"


@command_with(EvaluateOptions)
def command(said: EvaluateOptions) -> None:
    """Show the help or the version, or evaluate."""
    context = click.get_current_context()
    if said.help_wanted or said.help_all:
        from pres_eval.cli.help import first_screen, help_text

        text = help_text if said.help_all else first_screen
        named = context.get_parameter_source("relevance_format") is ParameterSource.COMMANDLINE
        form = said.relevance_format if named or said.help_all else ""
        click.echo(text(context.command, said.measures, said.compat, form), nl=False)
    elif said.version_wanted:
        print(f"pres-eval {__version__} (prints what trec_eval 9.0.8 and 10.0 print)")
    elif not said.runs:
        raise UsageError(USAGE + _taken_file(context))
    else:
        with collected_warnings() as warnings:
            try:
                _evaluate(said, warnings)
            except PresEvalError as error:
                if said.gated:
                    report_failures(said, [RunFailure(said.file_of(error), str(error))], warnings)
                    error.is_reported = True
                raise


def _taken_file(context: click.Context) -> str:
    """Return a hint at an option that took the first file as its value; nothing if none did."""
    for taken in context.command.params:
        value = context.params.get(taken.name or "")
        if taken.metavar == "FILE" and isinstance(value, str) and os.path.exists(value):  # noqa: PTH110
            return f"; {taken.opts[-1]} takes a FILE: here it took {value}"
    return ""


def _evaluate(said: EvaluateOptions, warnings: Sequence[str]) -> None:
    """Evaluate the runs, print the results, and apply the gates.

    warnings  list that receives all warnings which are printed
    """
    said = _with_patterns(said)
    check_format(said.results_format)
    check_paths(said.qrels, said.runs)
    _check_measures_among_files(said)
    said.topic_rule(OWN)
    options = said.numbers(_only_topic(said.debug))
    selection = _selection(said, options)
    said.check_effects()
    relevance = relevance_at(said, said.qrels)
    said.warn(warning_of_infinite_gains(selection, relevance))
    groups, weights = topic_files(said, said.groups, said.weights, relevance.pool.topics)
    job = Job(
        said=said,
        relevance=relevance,
        groups=groups,
        weights=weights,
        selection=selection,
        options=options,
        zscores=_read_zscores(said.zscore_file),
        failures=[] if said.keep_going else None,
        facts=[],
    )
    with replaced_if_passed(said) as held:
        evaluations = print_results(job, held)
        if said.output_format not in TABLES and not said.quiet:
            said.warn(job.warning())
        if job.zscores is not None:
            said.warn(job.zscores.warning)
        if said.gated and evaluations:
            pass_gates(
                said,
                _record(evaluations, job),
                named_lines(evaluations, job),
                lambda path: _record(map(job.evaluated, runs_at(said, [path], relevance, options)), job),
                job.failures or (),
                warnings,
            )
        elif said.gated and job.failures:
            runs = plural(len(job.failures), "run")
            said.warn(f"gates were not checked, as {runs} could not be evaluated")
            report_failures(said, job.failures, warnings)
        exit_if_failed(job.failures)


def _with_patterns(said: EvaluateOptions) -> EvaluateOptions:
    """Return the same with the files that patterns name, which no shell has looked for."""
    paths = (said.qrels, *said.runs)
    if said.cluster is None and not any("://" in path for path in paths):
        return said
    from pres_eval.reading.storage import expand

    judged, *runs = [expand(path) for path in paths]
    if len(judged) > 1:
        raise UsageError(f"{said.qrels}: names {len(judged)} files, expected the one with the judgements")
    return said.but(qrels=judged[0], runs=tuple(path for own in runs for path in own))


def _record(evaluations: Iterable[ScoredRun], job: Job) -> Record:
    """Return the evaluations as gates compare them."""
    from pres_eval.report.records import FileRecord, RunRecord, file_record

    said, judged = job.said, set(job.relevance.pool.topics)
    runs = (
        RunRecord(
            evaluation=each, file=FileRecord(each.path, None), missing=tuple(judged.difference(each.topics))
        )
        for each in evaluations
    )
    return job.record(runs, file_record(said.qrels) if said.against else FileRecord(said.qrels, None))


def _check_measures_among_files(said: EvaluateOptions) -> None:
    """Raises UsageError if a run is no file but a measure: `qrels run P@10`."""
    missing = [path for path in said.runs if path != "-" and not os.path.exists(path)]  # noqa: PTH110
    for path in missing:
        try:
            columns = select((path,), said.numbers(), said.nmax, said.relevance_info)
        except MeasureError:
            continue
        if columns:
            raise UsageError(f"{path}: no such file, but a measure: type  -m {path}")


def _selection(said: EvaluateOptions, options: Options) -> Selection:
    """Return the columns asked for; warn of and leave out those of nicknames that cannot be computed."""
    texts = said.measures or ((*DEFAULT_MEASURES, BUDGET) if said.nmax_file else ())
    selection = select(texts, options, said.nmax, said.relevance_info)
    if said.nmax_file and BUDGET not in {column.measure.name for column in selection}:
        raise UsageError(f"--nmax-file {said.nmax_file}: no measure takes it, expected -m {BUDGET} too")
    if not options.num_docs_in_coll and said.size_file is None:
        reason = "{} is left out: it needs the number of documents in the collection (-N)"
        selection = leave_out(selection, lambda measure: measure.needs_collection_size, said.warn, reason)
    if said.weights is not None:
        geometric = [column.label for column in selection if column.measure.summary is geometric_mean]
        if geometric:
            said.warn(f"--weights does not change {', '.join(geometric)}: geometric means have none")
    return as_asked(selection, options, said.bounds and (said.bounds_of or True), said.warn)


def _read_zscores(path: str | None) -> ZScores | None:
    if path is None:
        return None
    from pres_eval.reading.zscores import read_zscores

    return read_zscores(Source(path))


def _only_topic(debug: str | None) -> bytes | None:
    """Return the topic of -D n.topic; the level itself has no effect."""
    level, dot, topic = (debug or "0").partition(".")
    if not level.lstrip("-").isdecimal():
        raise UsageError(f"-D {debug}: expected a number, or number.topic")
    return topic.encode("utf-8", "surrogateescape") if dot else None

"""Output of the evaluator: trec_eval's lines as they are computed, or all runs as a whole in any format."""

from __future__ import annotations

import contextlib
import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from pres_eval.arrays import absent
from pres_eval.checking.warnings import check_common_topics
from pres_eval.cli.job import Job
from pres_eval.cli.output import output_file
from pres_eval.cli.reader import path_of
from pres_eval.cli.shared import terminal_width
from pres_eval.cli.streams import reader_has_left, say
from pres_eval.errors import NoCommonTopicError, RunFailure
from pres_eval.measures.selection import BOUNDS_NOTE, BOUNDS_OF_ALL, read_scale, select
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.changed_judgements import no_answers
from pres_eval.reading.file import File
from pres_eval.report import OUTPUT_FORMATS
from pres_eval.report.groups import with_group_columns
from pres_eval.report.text import run_names, text_of
from pres_eval.report.trec import SUMMARY_TOPIC_TEXT, evaluation_lines, summary_lines, topic_lines
from pres_eval.scoring import ScoredRun
from pres_eval.summing import CountedJudgements, Summing

if TYPE_CHECKING:
    from pres_eval.report.records import Record
    from pres_eval.report.table import RunLayout


def print_results(job: Job, held: BinaryIO | None = None) -> list[ScoredRun]:
    """Print the runs, and give their evaluations if these are wanted for gates.

    held  the stream for results that may not be written yet
    A run without a topic in common with the judgements is added to the job's failures, or raises.
    """
    with output_file(job.command_options.output) if held is None else contextlib.nullcontext(held) as stream:
        if job.command_options.writes_parquet:
            return _write_parquet(stream, job)
        if job.command_options.output_format == "trec":
            return _stream(stream, job)
        rankings = []
        evaluations = []
        for ranking in job.rankings():
            with _going_on(ranking, job):
                evaluations.append(job.evaluated(ranking))
                rankings.append(ranking)
        stream.write(_as_text(evaluations, rankings, job).encode("utf-8", "backslashreplace"))
    return evaluations


@contextlib.contextmanager
def _going_on(ranking: Ranking, job: Job) -> Iterator[None]:
    """Go on after a run that has nothing to be evaluated, if failures are collected."""
    try:
        yield
    except NoCommonTopicError as error:
        if job.failures is None:
            raise
        job.failures.append(RunFailure(ranking.name, str(error)))
        say(f"pres-eval: {error}")


def _write_parquet(stream: BinaryIO, job: Job) -> list[ScoredRun]:
    """Write the values of all topics of all runs as one table."""
    from pres_eval.report.converted import parquet_table

    evaluations = []
    times: Counter[str] = Counter()
    with parquet_table(stream, job.selection) as write:
        for name, ranking in _named(job):
            times[name] += 1
            with _going_on(ranking, job):
                evaluation = job.evaluated(ranking)
                write(f"{name} ({times[name]})" if times[name] > 1 else name, evaluation)
                if job.command_options.gated:
                    evaluations.append(evaluation)
    return evaluations


def _stream(stream: BinaryIO, job: Job) -> list[ScoredRun]:
    """Print trec_eval's lines as they are computed; each of several runs begins with its name."""
    evaluations = []
    # trec_eval takes one run, which needs no name.
    is_alone = len(job.command_options.runs) == 1
    for name, ranking in ((None, run) for run in job.rankings()) if is_alone else _named(job):
        first = b"" if name is None else _name_line(name)
        with _going_on(ranking, job):
            if (
                job.command_options.gated
                or job.command_options.intervals
                or job.command_options.signature
                or job.groups is not None
            ):
                evaluations.append(job.evaluated(ranking))
                stream.write(first + _trec_lines(evaluations[-1], job))
            else:
                _stream_lines(stream, ranking, job, first)
        stream.flush()
        if reader_has_left():
            return evaluations
    if job.command_options.signature:
        for line in _signatures(evaluations, job):
            stream.write(f"{line}\n".encode("utf-8", "surrogateescape"))
    return evaluations


def _signatures(evaluations: Sequence[ScoredRun], job: Job) -> list[str]:
    """Return the lines that --signature asks for."""
    if not job.command_options.signature:
        return []
    from pres_eval.report.records import FileRecord, signature_text
    from pres_eval.report.signature import signature_lines

    record = job.record((), FileRecord(job.command_options.qrels, None))
    names = run_names(
        [(evaluation.tag, evaluation.path) for evaluation in evaluations], job.command_options.names
    )
    return signature_lines(names, [signature_text(evaluation, record) for evaluation in evaluations])


def _named(job: Job) -> Iterator[tuple[str, Ranking]]:
    """Yield the runs with their names: those of files, which are known before reading, or the tags."""
    names: dict[str, list[str]] = {}
    if job.command_options.names != "tag":
        for path, name in zip(job.command_options.runs, _file_names(job), strict=True):
            names.setdefault(File(path).name, []).append(name)
    for ranking in job.rankings():
        waiting = names.get(ranking.name)
        yield waiting.pop(0) if waiting else text_of(ranking.tag), ranking


def _file_names(job: Job) -> list[str]:
    """Return the names of the runs by their files, as they are printed."""
    return run_names(
        [("", run) for run in job.command_options.runs],
        "path" if job.command_options.names == "path" else "file",
    )


def _name_line(name: str) -> bytes:
    """Return the line that names one of several runs."""
    return f"{'run':<22}\t{SUMMARY_TOPIC_TEXT}\t{name}\n".encode("utf-8", "surrogateescape")


def _stream_lines(stream: BinaryIO, ranking: Ranking, job: Job, first: bytes) -> None:
    """Print trec_eval's lines of one run as they are computed, after the one that names it."""
    check_common_topics(job.relevance, ranking, job.options)
    summing = Summing(job.selection, job.weights)
    zscores = job.zscores is not None
    for block in job.blocks(ranking, job.loop):
        if not summing.num_scored:
            stream.write(first)
        summing.add(block)
        if job.command_options.per_topic:
            stream.write(topic_lines(block, job.selection, zscores))
            if reader_has_left():
                return
    if not job.command_options.no_summary:
        totals = summing.totals(CountedJudgements(job.relevance), job.options.complete)
        summary = summing.summary(totals, ranking.tag)
        stream.write(summary_lines(summary, job.selection, zscores))


def _as_text(evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job) -> str:
    """Return the evaluations in the format that --format names."""
    form = job.command_options.output_format
    prefix = "" if job.zscores is None else "Z"
    # As trec_eval prints the labels of Z-scores.
    evaluations = [
        replace(
            evaluation,
            columns=tuple(replace(column, label=f"{prefix}{column.label}") for column in evaluation.columns),
        )
        for evaluation in evaluations
    ]
    if form == "json":
        from pres_eval.report.records import to_json

        return to_json(_record(evaluations, rankings, job))
    module, _, name = OUTPUT_FORMATS[form].partition(".")
    write: Callable[[Sequence[ScoredRun], RunLayout], str] = getattr(
        importlib.import_module(f"pres_eval.report.{module}"), name
    )
    layout = _layout(job, prefix)
    layout = replace(layout, notes=(*layout.notes, *_signatures(evaluations, job)))
    if job.command_options.sort is not None:
        from pres_eval.report.table import sort_note

        note = sort_note(evaluations, job.groups, job.weights, layout)
        layout = replace(layout, notes=(*layout.notes, note) if note else layout.notes)
    shown = [with_group_columns(evaluation, job.groups) for evaluation in evaluations]
    return write(shown, layout)


def _layout(job: Job, prefix: str) -> RunLayout:
    """Return the layout of a table, whose labels have a prefix."""
    from pres_eval.report.table import RunLayout

    options = job.command_options
    # In the order in which -m asks for them.
    columns = (
        column
        for text in options.measures
        for column in select((text,), job.options, options.nmax, options.relevance_info)
    )
    bounds = BOUNDS_OF_ALL.format(scale=read_scale(options.bounds_of)) if options.bounds_of else BOUNDS_NOTE
    notes = (
        job.warning(),
        bounds if options.bounds else None,
        None if options.weights is None else f"means with the weights of topics in {options.weights}",
    )
    return RunLayout(
        form=options.output_format,
        per_topic=options.per_topic,
        summary=not options.no_summary,
        digits=RunLayout.digits if options.digits is None else options.digits,
        style=options.style or RunLayout.style,
        naming=options.names,
        order=tuple(dict.fromkeys(f"{prefix}{column.label}" for column in columns)),
        sort=options.sort,
        transpose=options.transpose,
        width=terminal_width(options.output),
        notes=tuple(note for note in notes if note),
        failures=tuple(job.failures or ()),
        fit=options.fit,
    )


def _record(evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job) -> Record:
    """Return all that JSON keeps of evaluations."""
    from pres_eval.report.records import RunRecord, file_record

    topics = job.relevance.pool.topics
    runs = (
        RunRecord(
            evaluation=evaluation,
            file=file_record(path_of(ranking)),
            skipped=tuple(ranking.unjudged),
            dropped=ranking.num_dropped,
            mapped=None if job.command_options.map_docs is None else ranking.facts.num_mapped,
            excluded=None if job.command_options.exclude is None else ranking.facts.num_excluded,
            no_answers=no_answers(job.relevance, job.options, ranking.topic[ranking.num_ret > 0]),
            missing=tuple(topics.take(absent(ranking.topic, len(topics)))),
        )
        for evaluation, ranking in zip(evaluations, rankings, strict=True)
    )
    return job.record(runs, file_record(job.command_options.qrels))


def named_lines(evaluations: Sequence[ScoredRun], job: Job) -> bytes:
    """Yield trec_eval's lines of all runs, each after the line with its name."""
    if job.command_options.names == "tag":
        names = [text_of(evaluation.tag) for evaluation in evaluations]
    else:
        failed = {failure.path for failure in job.failures or ()}
        files = zip(job.command_options.runs, _file_names(job), strict=True)
        names = [name for path, name in files if File(path).name not in failed]
    # Whoever reads may have left before all runs were evaluated.
    return b"".join(
        _name_line(name) + _trec_lines(evaluation, job)
        for name, evaluation in zip(names, evaluations, strict=False)
    )


def _trec_lines(evaluation: ScoredRun, job: Job) -> bytes:
    """Return trec_eval's lines of a whole evaluation."""
    options, shown = job.command_options, with_group_columns(evaluation, job.groups)
    return evaluation_lines(shown, options.per_topic, not options.no_summary, job.zscores is not None)

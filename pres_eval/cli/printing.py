"""Output of the evaluator: trec_eval's lines as they are computed, or all runs as a whole in any format."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from pres_eval.arrays import absent
from pres_eval.checking.warnings import check_common_topics
from pres_eval.cli.job import Job
from pres_eval.cli.reader import path_of
from pres_eval.cli.shared import terminal_width
from pres_eval.cli.streams import reader_has_left, say
from pres_eval.errors import NoCommonTopicError, RunFailure
from pres_eval.measures.selection import BOUNDS_NOTE, BOUNDS_OF_ALL, read_scale, select
from pres_eval.options import SUMMARY_TOPIC
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.file import File
from pres_eval.reading.judgements.changed_judgements import count_empty_topics
from pres_eval.report import OUTPUT_FORMATS
from pres_eval.report.groups import with_group_columns
from pres_eval.report.text import run_names, text_of
from pres_eval.report.trec import evaluation_lines, summary_lines, topic_lines
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import CountedJudgements, Summing

if TYPE_CHECKING:
    from pres_eval.report.records import Record
    from pres_eval.report.table import RunLayout


def print_results(job: Job, stream: BinaryIO) -> list[ScoredRun]:
    """Write the results of the runs to the stream, and return the evaluations if there are gates.

    Without gates, only some of the evaluations may be returned, or none.  A run without a topic in common
    with the judgements is added to the job's failures; if it has no list of these, NoCommonTopicError is
    raised.
    """
    if job.command_options.writes_parquet:
        return _write_parquet(stream, job)
    if job.command_options.output_format == "trec":
        return _write_lines(stream, job)
    rankings = []
    evaluations = []
    for ranking in job.rankings():
        with _collected_failure(ranking, job):
            evaluations.append(job.evaluate(ranking))
            rankings.append(ranking)
    stream.write(_as_text(evaluations, rankings, job).encode("utf-8", "backslashreplace"))
    return evaluations


@contextlib.contextmanager
def _collected_failure(ranking: Ranking, job: Job) -> Iterator[None]:
    """Add a NoCommonTopicError of the block to the job's failures and print it; raise it if there is no list.

    Without --keep-going the job has no list of failures.
    """
    try:
        yield
    except NoCommonTopicError as error:
        if job.failures is None:
            raise
        job.failures.append(RunFailure(ranking.name, str(error)))
        say(f"pres-eval: {error}")


def _write_parquet(stream: BinaryIO, job: Job) -> list[ScoredRun]:
    """Write the values of all topics of all runs as one table; return the evaluations if there are gates."""
    from pres_eval.report.converted import parquet_table

    evaluations = []
    unique_names: set[str] = set()
    with parquet_table(stream, job.selection) as write:
        for name, ranking in _named_runs(job):
            unique_name, number = name, 1
            while unique_name in unique_names:
                number += 1
                unique_name = f"{name} ({number})"
            unique_names.add(unique_name)
            with _collected_failure(ranking, job):
                evaluation = job.evaluate(ranking)
                write(unique_name, evaluation)
                if job.command_options.has_gates:
                    evaluations.append(evaluation)
    return evaluations


def _write_lines(stream: BinaryIO, job: Job) -> list[ScoredRun]:
    """Write trec_eval's lines as they are computed; each of several runs begins with its name.

    Returns the evaluations if gates or options need these, each computed before its lines are written; else
    an empty list.
    """
    options = job.command_options
    needs_whole_runs = bool(
        options.has_gates or options.intervals or options.signature or job.groups is not None
    )
    evaluations = []
    named_runs: Iterable[tuple[str | None, Ranking]]
    if len(options.runs) == 1:  # trec_eval takes one run, which needs no name
        named_runs = ((None, ranking) for ranking in job.rankings())
    else:
        named_runs = _named_runs(job)
    for name, ranking in named_runs:
        name_line = b"" if name is None else _name_line(name)
        with _collected_failure(ranking, job):
            if needs_whole_runs:
                evaluation = job.evaluate(ranking)
                evaluations.append(evaluation)
                stream.write(name_line + _trec_lines(evaluation, job))
            else:
                _write_lines_of_run(stream, ranking, job, name_line)
        stream.flush()
        if reader_has_left():
            return evaluations
    if options.signature:
        for line in _signatures(evaluations, job):
            stream.write(f"{line}\n".encode("utf-8", "surrogateescape"))
    return evaluations


def _signatures(evaluations: Sequence[ScoredRun], job: Job) -> list[str]:
    """Return the lines of --signature: one if all numbers were made alike, else one for each run."""
    from pres_eval.report.records import FileRecord, signature_text
    from pres_eval.report.signature import signature_lines

    # Of this record, signatures have the settings alone.
    record = job.record((), FileRecord(job.command_options.qrels, None))
    names = job.command_options.names_of_runs(
        [(evaluation.tag, evaluation.path) for evaluation in evaluations]
    )
    return signature_lines(names, [signature_text(evaluation, record) for evaluation in evaluations])


def _named_runs(job: Job) -> Iterator[tuple[str, Ranking]]:
    """Yield the runs with their names: those of files, which are known before reading, or the tags."""
    names_of_file: dict[str, list[str]] = {}  # several names if the command line has a file twice
    if job.command_options.names != "tag":
        for path, name in zip(job.command_options.runs, _file_names(job), strict=True):
            names_of_file.setdefault(File(path).name, []).append(name)
    for ranking in job.rankings():
        names = names_of_file.get(ranking.name)
        if names:
            yield names.pop(0), ranking
        else:
            yield text_of(ranking.tag), ranking


def _file_names(job: Job) -> list[str]:
    """Return the names of the runs by their files, or by their whole paths with --names path."""
    naming = "path" if job.command_options.names == "path" else "file"
    tags_and_paths = [("", path) for path in job.command_options.runs]  # tags have no effect here
    return run_names(tags_and_paths, naming)


def _name_line(name: str) -> bytes:
    """Return the line that names one of several runs."""
    return f"{'run':<22}\t{SUMMARY_TOPIC}\t{name}\n".encode("utf-8", "surrogateescape")


def _write_lines_of_run(stream: BinaryIO, ranking: Ranking, job: Job, name_line: bytes) -> None:
    """Write trec_eval's lines of one run as they are computed, after `name_line`; empty: no such line."""
    check_common_topics(job.relevance, ranking, job.options)
    summing = Summing(job.selection, job.weights)
    has_zscores = job.zscores is not None
    for block in job.blocks(ranking, job.loop):
        is_first_block = not summing.num_scored
        if is_first_block:
            stream.write(name_line)
        summing.add(block)
        if job.command_options.per_topic:
            stream.write(topic_lines(block, job.selection, has_zscores))
            if reader_has_left():
                return
    if not job.command_options.no_summary:
        totals = summing.totals(CountedJudgements(job.relevance), job.options.complete)
        summary = summing.summary(totals, ranking.tag)
        stream.write(summary_lines(summary, job.selection, has_zscores))


def _as_text(evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job) -> str:
    """Return the evaluations in the format that --format names, but for trec_eval's lines."""
    options = job.command_options
    label_prefix = ""
    if job.zscores is not None:
        label_prefix = "Z"  # as trec_eval prints the labels of Z-scores
        evaluations = [_with_label_prefix(evaluation, label_prefix) for evaluation in evaluations]
    if options.output_format == "json":
        from pres_eval.report.records import to_json

        return to_json(_record_for_json(evaluations, rankings, job))
    module, _, name = OUTPUT_FORMATS[options.output_format].partition(".")  # table.as_table
    writer = getattr(importlib.import_module(f"pres_eval.report.{module}"), name)
    write: Callable[[Sequence[ScoredRun], RunLayout], str] = writer
    layout = _layout(job, label_prefix)
    notes = list(layout.notes)
    if options.signature:
        notes += _signatures(evaluations, job)
    if options.sort is not None:
        from pres_eval.report.table import sort_note

        note = sort_note(evaluations, job.groups, job.weights, layout)
        if note:
            notes.append(note)
    shown = []
    for evaluation in evaluations:
        # A table that is sorted by a column over a group looks at the topics of the group.
        shown.append(replace(with_group_columns(evaluation, job.groups), groups=evaluation.groups))
    text = write(shown, replace(layout, notes=tuple(notes)))
    if options.output_format == "table" and layout.style == "html" and options.output not in (None, "-"):
        from pres_eval.report.table_page import page_of_tables

        return page_of_tables(text, "pres-eval")
    return text


def _with_label_prefix(evaluation: ScoredRun, prefix: str) -> ScoredRun:
    """Return an evaluation whose columns have labels with a prefix."""
    columns = [replace(column, label=f"{prefix}{column.label}") for column in evaluation.columns]
    return replace(evaluation, columns=tuple(columns))


def _layout(job: Job, label_prefix: str) -> RunLayout:
    """Return the layout of a table of runs, by the command's options.

    label_prefix  beginning of the labels of all columns
    """
    from pres_eval.report.table import RunLayout

    options = job.command_options
    labels: list[str] = []  # in the order in which -m asks for them
    for name in options.measures:
        for column in select((name,), job.options, options.nmax, options.relevance_info):
            labels.append(f"{label_prefix}{column.label}")
    return RunLayout(
        form=options.output_format,
        per_topic=options.per_topic,
        summary=not options.no_summary,
        digits=RunLayout.digits if options.digits is None else options.digits,
        style=options.style or RunLayout.style,
        naming=options.names,
        order=tuple(dict.fromkeys(labels)),
        sort=options.sort,
        transpose=options.transpose,
        width=terminal_width(options.output),
        notes=tuple(_notes(job)),
        failures=tuple(job.failures or ()),
        fit=options.fit,
    )


def _notes(job: Job) -> Iterator[str]:
    """Yield the notes below a table: about the runs together, bounds, weights."""
    options = job.command_options
    if len(options.runs) > 1:
        warning = job.warning_about_runs()
        if warning is not None:
            yield warning
    if options.bounds_of:
        yield BOUNDS_OF_ALL.format(scale=read_scale(options.bounds_of))
    elif options.bounds:
        yield BOUNDS_NOTE
    if options.weights is not None:
        yield f"means with the weights of topics in {text_of(options.weights)}"


def _record_for_json(evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job) -> Record:
    """Return all that JSON has of the evaluations, with facts about rankings and files: see RunRecord."""
    from pres_eval.report.records import RunRecord, file_record

    options, topics = job.command_options, job.relevance.pool.topics
    runs = []
    for evaluation, ranking in zip(evaluations, rankings, strict=True):
        run = RunRecord(
            evaluation=evaluation,
            file=file_record(path_of(ranking)),
            skipped=tuple(ranking.unjudged),
            dropped=ranking.num_dropped,
            mapped=None if options.map_docs is None else ranking.facts.num_mapped,
            excluded=None if options.exclude is None else ranking.facts.num_excluded,
            no_answers=count_empty_topics(job.relevance, job.options, ranking.topic[ranking.num_ret > 0]),
            missing=tuple(topics.take(absent(ranking.topic, len(topics)))),
        )
        runs.append(run)
    return job.record(runs, file_record(options.qrels))


def named_lines(evaluations: Sequence[ScoredRun], job: Job) -> bytes:
    """Return trec_eval's lines of all runs, each after the line with its name."""
    if job.command_options.names == "tag":
        names = [text_of(evaluation.tag) for evaluation in evaluations]
    else:
        failed = {failure.path for failure in job.failures or ()}
        files = zip(job.command_options.runs, _file_names(job), strict=True)
        names = [name for path, name in files if File(path).name not in failed]
    lines = b""
    # If the reader of stdout left before all runs were evaluated, there are more names.
    for name, evaluation in zip(names, evaluations, strict=False):
        lines += _name_line(name) + _trec_lines(evaluation, job)
    return lines


def _trec_lines(evaluation: ScoredRun, job: Job) -> bytes:
    """Return trec_eval's lines of an evaluation, with those of groups."""
    options = job.command_options
    with_groups = with_group_columns(evaluation, job.groups)
    has_zscores = job.zscores is not None
    return evaluation_lines(with_groups, options.per_topic, not options.no_summary, has_zscores)

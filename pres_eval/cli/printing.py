"""How the evaluator puts out the runs: trec_eval's lines as they are computed, or all runs as a whole."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from pres_eval.cli.asked import EvaluateOptions, Job
from pres_eval.cli.output import output_file
from pres_eval.cli.streams import reader_has_left, say
from pres_eval.cli.topics import Runs
from pres_eval.errors import NoCommonTopicError, RunFailure
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.source import Source
from pres_eval.report.names import run_names
from pres_eval.report.text import text_of
from pres_eval.report.trec import ALL, evaluation_lines, summary_lines, topic_lines
from pres_eval.scoring import Evaluation, Summing, evaluate, scored


def print_results(
    rankings: Runs, said: EvaluateOptions, job: Job, failures: list[RunFailure] | None
) -> list[Evaluation]:
    """Print the runs, and give their evaluations if these are wanted for gates.

    A run without a topic in common with the judgements is added to `failures`, or raises if that is None.
    """
    with output_file(said.output) as stream:
        if said.writes_parquet:
            return _write_parquet(stream, job, rankings, said, failures)
        if said.output_format == "trec":
            return _stream(stream, job, rankings, said, failures)
        found = []
        evaluations = []
        for ranking in rankings:
            with _going_on(failures, ranking):
                evaluations.append(_evaluated(ranking, job))
                found.append(ranking)
        from pres_eval.cli.formats import as_text

        warning = rankings.warning()
        text = as_text(evaluations, found, job, said, failures or (), () if warning is None else (warning,))
        stream.write(text.encode("utf-8", "backslashreplace"))
    return evaluations


def _evaluated(ranking: Ranking, job: Job) -> Evaluation:
    return evaluate(job.relevance, ranking, job.selection, job.options, job.zscores, job.jobs)


@contextlib.contextmanager
def _going_on(failures: list[RunFailure] | None, ranking: Ranking) -> Iterator[None]:
    """Go on after a run that has nothing to be evaluated, if failures are collected."""
    try:
        yield
    except NoCommonTopicError as error:
        if failures is None:
            raise
        failures.append(RunFailure(ranking.name, str(error)))
        say(f"pres-eval: {error}")


def _write_parquet(
    stream: BinaryIO,
    job: Job,
    rankings: Iterable[Ranking],
    said: EvaluateOptions,
    failures: list[RunFailure] | None,
) -> list[Evaluation]:
    """Write the values of all topics of all runs as one table."""
    from pres_eval.report.arrow_table import parquet_table

    evaluations = []
    with parquet_table(stream, job.selection) as table:
        for name, ranking in _named(rankings, said):
            with _going_on(failures, ranking):
                evaluation = _evaluated(ranking, job)
                table.add(name, evaluation)
                if said.gated:
                    evaluations.append(evaluation)
    return evaluations


def _stream(
    stream: BinaryIO,
    job: Job,
    rankings: Iterable[Ranking],
    said: EvaluateOptions,
    failures: list[RunFailure] | None,
) -> list[Evaluation]:
    """Print trec_eval's lines as they are computed; each of several runs begins with its name."""
    evaluations = []
    for name, ranking in _named(rankings, said):
        with _going_on(failures, ranking):
            if said.gated:
                evaluations.append(_evaluated(ranking, job))
                stream.write(_name_line(name, said) + trec_lines(evaluations[-1:], job))
            else:
                _stream_lines(stream, job, ranking, _name_line(name, said))
        stream.flush()
        if reader_has_left():
            break
    return evaluations


def _named(rankings: Iterable[Ranking], said: EvaluateOptions) -> Iterator[tuple[str, Ranking]]:
    """The runs with their names: those of the files, which are known before all are read, or the tags."""
    names: dict[str, list[str]] = {}
    if said.names != "tag":
        naming = "path" if said.names == "path" else "file"
        for path, name in zip(said.runs, run_names([("", run) for run in said.runs], naming), strict=True):
            names.setdefault(Source(path).name, []).append(name)
    for ranking in rankings:
        waiting = names.get(ranking.name)
        yield waiting.pop(0) if waiting else text_of(ranking.tag), ranking


def _name_line(name: str, said: EvaluateOptions) -> bytes:
    """The line that names one of several runs; trec_eval takes one run, which needs none."""
    if len(said.runs) == 1:
        return b""
    return f"{'run':<22}\t{ALL}\t{name}\n".encode("utf-8", "surrogateescape")


def _stream_lines(stream: BinaryIO, job: Job, ranking: Ranking, name: bytes) -> None:
    """Print trec_eval's lines of one run as they are computed, after the line with its name."""
    summing = Summing(job.selection)
    zscores = job.zscores is not None
    for block in scored(job.relevance, ranking, job.selection, job.options, job.zscores, job.jobs):
        if not summing.num_scored:
            stream.write(name)
        summing.add(block)
        if job.per_topic:
            stream.write(topic_lines(block, job.selection, zscores))
            if reader_has_left():
                return
    if job.summary:
        summary = summing.summary(summing.totals(job.relevance, job.options.complete), ranking.tag)
        stream.write(summary_lines(summary, job.selection, zscores))


def trec_lines(evaluations: Sequence[Evaluation], job: Job) -> bytes:
    """trec_eval's lines of whole evaluations."""
    zscores = job.zscores is not None
    return b"".join(
        evaluation_lines(evaluation, job.per_topic, job.summary, zscores) for evaluation in evaluations
    )

"""Output of the evaluator: trec_eval's lines as they are computed, or all runs as a whole."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from pres_eval.cli.asked import EvaluateOptions, Job
from pres_eval.cli.output import output_file
from pres_eval.cli.streams import reader_has_left, say
from pres_eval.cli.topics import ChosenRuns
from pres_eval.errors import NoCommonTopicError, RunFailure
from pres_eval.measures.asked import BOUNDS_NOTE, BOUNDS_OF_ALL
from pres_eval.measures.views import read_scale
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.source import Source
from pres_eval.report.groups import with_group_columns
from pres_eval.report.text import run_names, text_of
from pres_eval.report.trec import ALL, evaluation_lines, summary_lines, topic_lines
from pres_eval.scoring import ScoredRun
from pres_eval.summing import Summing


def print_results(runs: ChosenRuns, job: Job) -> list[ScoredRun]:
    """Print the runs, and give their evaluations if these are wanted for gates.

    A run without a topic in common with the judgements is added to the job's failures, or raises.
    """
    with output_file(job.said.output) as stream:
        if job.said.writes_parquet:
            return _write_parquet(stream, runs, job)
        if job.said.output_format == "trec":
            return _stream(stream, runs, job)
        found = []
        evaluations = []
        for ranking in runs:
            with _going_on(ranking, job):
                evaluations.append(job.evaluated(ranking))
                found.append(ranking)
        from pres_eval.cli.formats import as_text

        reach, weights = job.said.bounds_of, job.said.weights
        bounds = BOUNDS_OF_ALL.format(scale=read_scale(reach)) if reach else BOUNDS_NOTE
        notes = [
            runs.warning(),
            bounds if job.said.bounds else None,
            None if weights is None else f"means with the weights of topics in {weights}",
        ]
        stream.write(as_text(evaluations, found, job, notes).encode("utf-8", "backslashreplace"))
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


def _write_parquet(stream: BinaryIO, runs: ChosenRuns, job: Job) -> list[ScoredRun]:
    """Write the values of all topics of all runs as one table."""
    from pres_eval.report.converted import parquet_table

    evaluations = []
    times: Counter[str] = Counter()
    with parquet_table(stream, job.selection) as write:
        for name, ranking in _named(runs, job.said):
            times[name] += 1
            with _going_on(ranking, job):
                evaluation = job.evaluated(ranking)
                write(f"{name} ({times[name]})" if times[name] > 1 else name, evaluation)
                if job.said.gated:
                    evaluations.append(evaluation)
    return evaluations


def _stream(stream: BinaryIO, runs: ChosenRuns, job: Job) -> list[ScoredRun]:
    """Print trec_eval's lines as they are computed; each of several runs begins with its name."""
    evaluations = []
    for name, ranking in _named(runs, job.said):
        # trec_eval takes one run, which needs no name.
        first = _name_line(name) if len(job.said.runs) > 1 else b""
        with _going_on(ranking, job):
            if job.said.gated or job.said.intervals or job.groups is not None:
                evaluations.append(job.evaluated(ranking))
                stream.write(first + trec_lines(evaluations[-1], job))
            else:
                _stream_lines(stream, ranking, job, first)
        stream.flush()
        if reader_has_left():
            break
    return evaluations


def _named(runs: ChosenRuns, said: EvaluateOptions) -> Iterator[tuple[str, Ranking]]:
    """Yield the runs with their names: those of files, which are known before reading, or the tags."""
    names: dict[str, list[str]] = {}
    if said.names != "tag":
        naming = "path" if said.names == "path" else "file"
        for path, name in zip(said.runs, run_names([("", run) for run in said.runs], naming), strict=True):
            names.setdefault(Source(path).name, []).append(name)
    for ranking in runs:
        waiting = names.get(ranking.name)
        yield waiting.pop(0) if waiting else text_of(ranking.tag), ranking


def _name_line(name: str) -> bytes:
    """Return the line that names one of several runs."""
    return f"{'run':<22}\t{ALL}\t{name}\n".encode("utf-8", "surrogateescape")


def _stream_lines(stream: BinaryIO, ranking: Ranking, job: Job, first: bytes) -> None:
    """Print trec_eval's lines of one run as they are computed, after the one that names it."""
    summing = Summing(job.selection, job.weights)
    zscores = job.zscores is not None
    for block in job.blocks(ranking, job.each):
        if not summing.num_scored:
            stream.write(first)
        summing.add(block)
        if job.said.per_topic:
            stream.write(topic_lines(block, job.selection, zscores))
            if reader_has_left():
                return
    if not job.said.no_summary:
        summary = summing.summary(summing.totals(job.relevance, job.options.complete), ranking.tag)
        stream.write(summary_lines(summary, job.selection, zscores))


def named_lines(evaluations: Sequence[ScoredRun], job: Job) -> bytes:
    """Yield trec_eval's lines of all runs, each after the line with its name."""
    paths, tags = [("", each.path) for each in evaluations], [text_of(each.tag) for each in evaluations]
    names = tags if job.said.names == "tag" else run_names(paths, job.said.names)
    return b"".join(
        _name_line(name) + trec_lines(each, job) for name, each in zip(names, evaluations, strict=True)
    )


def trec_lines(evaluation: ScoredRun, job: Job) -> bytes:
    """Return trec_eval's lines of a whole evaluation."""
    said, shown = job.said, with_group_columns(evaluation, job.groups)
    return evaluation_lines(shown, said.per_topic, not said.no_summary, job.zscores is not None)

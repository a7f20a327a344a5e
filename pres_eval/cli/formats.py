"""The evaluator's formats besides trec_eval's lines."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from pres_eval.arrays import absent
from pres_eval.cli.job import Job
from pres_eval.cli.reader import path_of
from pres_eval.cli.shared import terminal_width
from pres_eval.measures.selection import select
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.changed_judgements import no_answers
from pres_eval.report import OUTPUT_FORMATS, records
from pres_eval.report.groups import with_group_columns
from pres_eval.report.shown_runs import RunLayout
from pres_eval.scoring import ScoredRun


def as_text(
    evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job, notes: Sequence[str | None]
) -> str:
    """Return the evaluations in the format that --format names; `notes` come below tables for people."""
    form = job.said.output_format
    prefix = "" if job.zscores is None else "Z"
    # As trec_eval prints the labels of Z-scores.
    evaluations = [
        replace(each, columns=tuple(replace(one, label=f"{prefix}{one.label}") for one in each.columns))
        for each in evaluations
    ]
    if form == "json":
        return records.to_json(_record(evaluations, rankings, job))
    module, _, name = OUTPUT_FORMATS[form].partition(".")
    write: Callable[[Sequence[ScoredRun], RunLayout], str] = getattr(
        importlib.import_module(f"pres_eval.report.{module}"), name
    )
    shown = [with_group_columns(evaluation, job.groups) for evaluation in evaluations]
    return write(shown, _layout(job, prefix, notes))


def _layout(job: Job, prefix: str, notes: Sequence[str | None]) -> RunLayout:
    """Return the layout of a table, whose labels have a prefix."""
    said = job.said
    # In the order in which -m asks for them.
    columns = (
        column
        for text in said.measures
        for column in select((text,), job.options, said.nmax, said.relevance_info)
    )
    return RunLayout(
        form=said.output_format,
        per_topic=said.per_topic,
        summary=not said.no_summary,
        digits=RunLayout.digits if said.digits is None else said.digits,
        style=said.style or RunLayout.style,
        naming=said.names,
        order=tuple(dict.fromkeys(f"{prefix}{column.label}" for column in columns)),
        sort=said.sort,
        transpose=said.transpose,
        width=terminal_width(said.output),
        notes=tuple(note for note in notes if note),
        failures=tuple(job.failures or ()),
        fit=said.fit,
    )


def _record(evaluations: Sequence[ScoredRun], rankings: Sequence[Ranking], job: Job) -> records.Record:
    """Return all that JSON keeps of evaluations."""
    topics = job.relevance.pool.topics
    runs = (
        records.RunRecord(
            evaluation=evaluation,
            file=records.file_record(path_of(ranking)),
            skipped=tuple(ranking.unjudged),
            dropped=ranking.num_dropped,
            mapped=None if job.said.map_docs is None else ranking.num_mapped,
            excluded=None if job.said.exclude is None else ranking.num_excluded,
            no_answers=no_answers(job.relevance, job.options, ranking.topic[ranking.num_ret > 0]),
            missing=tuple(topics.take(absent(ranking.topic, len(topics)))),
        )
        for evaluation, ranking in zip(evaluations, rankings, strict=True)
    )
    return job.record(runs, records.file_record(job.said.qrels))

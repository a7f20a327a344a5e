"""The evaluator's formats besides trec_eval's lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance
from pres_eval.report import records, table
from pres_eval.scoring import Evaluation

if TYPE_CHECKING:
    from pres_eval.cli.evaluate import EvaluateOptions


def as_text(
    evaluations: Sequence[Evaluation],
    rankings: Sequence[Ranking],
    relevance: Relevance,
    options: Options,
    said: EvaluateOptions,
) -> str:
    """The evaluations in the format that --format names."""
    layout = table.Layout(
        per_topic=said.per_topic,
        summary=not said.no_summary,
        digits=said.digits,
        style=said.style,
    )
    if said.zscore_file is not None:
        evaluations = [_as_zscores(evaluation) for evaluation in evaluations]
    if said.output_format == "json":
        return records.to_json(_record(evaluations, rankings, relevance, options, said))
    if said.output_format == "jsonl":
        return records.to_jsonl(evaluations, layout.per_topic, layout.summary)
    writers = {
        "table": table.as_table,
        "csv": table.as_csv,
        "tsv": table.as_tsv,
        "latex": table.as_latex,
        "markdown": table.as_markdown,
    }
    return writers[said.output_format](evaluations, layout)


def _as_zscores(evaluation: Evaluation) -> Evaluation:
    """The evaluation with a Z before its labels, as trec_eval prints them."""
    columns = tuple(replace(column, label=f"Z{column.label}") for column in evaluation.columns)
    return replace(evaluation, columns=columns)


def _record(
    evaluations: Sequence[Evaluation],
    rankings: Sequence[Ranking],
    relevance: Relevance,
    options: Options,
    said: EvaluateOptions,
) -> records.Record:
    topics = relevance.pool.topics
    return records.Record(
        options=options,
        qrels=records.file_record(said.qrels),
        runs=tuple(
            records.RunRecord(
                evaluation=evaluation,
                file=records.file_record(run),
                skipped=tuple(ranking.unjudged),
                missing=tuple(topics.take(np.setdiff1d(np.arange(len(topics)), ranking.topic))),
            )
            for evaluation, ranking, run in zip(evaluations, rankings, said.runs, strict=True)
        ),
        relevance_format=said.relevance_format,
    )

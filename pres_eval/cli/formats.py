"""The evaluator's formats besides trec_eval's lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance
from pres_eval.report import records, table
from pres_eval.scoring import Evaluation


def as_text(
    evaluations: Sequence[Evaluation],
    rankings: Sequence[Ranking],
    relevance: Relevance,
    options: Options,
    values: dict[str, Any],
    paths: tuple[str, tuple[str, ...]],
) -> str:
    """The evaluations in the format that --format names."""
    layout = table.Layout(
        per_topic=values["per_topic"],
        summary=not values["no_summary"],
        digits=values["digits"],
        style=values["style"],
    )
    if values["zscore_file"] is not None:
        evaluations = [_as_zscores(evaluation) for evaluation in evaluations]
    chosen = values["output_format"]
    if chosen == "json":
        return records.to_json(_record(evaluations, rankings, relevance, options, values["form"], paths))
    if chosen == "jsonl":
        return records.to_jsonl(evaluations, layout.per_topic, layout.summary)
    writers = {
        "table": table.as_table,
        "csv": table.as_csv,
        "tsv": table.as_tsv,
        "latex": table.as_latex,
        "markdown": table.as_markdown,
    }
    return writers[chosen](evaluations, layout)


def _as_zscores(evaluation: Evaluation) -> Evaluation:
    """The evaluation with a Z before its labels, as trec_eval prints them."""
    columns = tuple(replace(column, label=f"Z{column.label}") for column in evaluation.columns)
    return replace(evaluation, columns=columns)


def _record(
    evaluations: Sequence[Evaluation],
    rankings: Sequence[Ranking],
    relevance: Relevance,
    options: Options,
    form: str,
    paths: tuple[str, tuple[str, ...]],
) -> records.Record:
    qrels, runs = paths
    topics = relevance.pool.topics
    return records.Record(
        options,
        records.file_record(qrels),
        tuple(
            records.RunRecord(
                evaluation,
                records.file_record(run),
                tuple(ranking.unjudged),
                tuple(topics.take(np.setdiff1d(np.arange(len(topics)), ranking.topic))),
            )
            for evaluation, ranking, run in zip(evaluations, rankings, runs, strict=True)
        ),
        form,
    )

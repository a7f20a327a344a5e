"""All that the report draws as tables of plain values, for JSON and CSV."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.every_pair import PairTable
from pres_eval.analysis.pools import Trust
from pres_eval.measures.base import Format
from pres_eval.options import recorded
from pres_eval.reading.topic_files import Groups
from pres_eval.report.cells import Value
from pres_eval.report.compared_topics import by_group_tables
from pres_eval.report.graphs import graphs_of
from pres_eval.report.groups import over_groups
from pres_eval.report.layout import Table
from pres_eval.report.report_numbers import (
    against_median,
    largest_differences,
    median_labels,
    medians_of,
    topic_measures,
)
from pres_eval.report.text import text_of, whole
from pres_eval.report.trec_report import Report


def as_tables(report: Report) -> list[Table]:
    """Return the tables of the report, for JSON; CSV has the first of them, the leaderboard."""
    pairs = report.compared.pairs
    tables = [_leaderboard(report), _topics(report)]
    if pairs is not None:
        tables.append(_intervals(report, pairs))
        if pairs.baseline is None:
            tables.append(_groups(report, pairs))
        tables.append(_comparisons(report, pairs))
    if report.trust is not None:
        tables.append(_judgements(report, report.trust))
    if report.inputs.groups is not None:
        tables.append(_group_means(report, report.inputs.groups))
    if report.compared.by_group is not None and pairs is not None:
        tables.extend(by_group_tables(report.compared.by_group, pairs.settings))
    tables += [_curves(report), _differences(report), _documents(report)]
    return tables


def settings_of(report: Report) -> dict[str, object]:
    """Return how the numbers were made, for JSON: files, options, settings of the comparisons."""
    settings: dict[str, object] = {
        "title": report.texts.title,
        "description": report.texts.description,
        "qrels": text_of(report.inputs.qrels.path),
        "runs": [text_of(file.path) for file in report.inputs.files],
        "nmax": list(report.nmax),
        "medians": sorted(report.inputs.medians),
    }
    if report.inputs.groups is not None:
        settings["groups"] = text_of(report.inputs.groups.path)
    if report.inputs.weights is not None:
        settings["weights"] = text_of(report.inputs.weights.path)
    settings |= recorded(report.options)
    if report.compared.pairs is not None:
        settings |= report.compared.pairs.settings.recorded()
    baseline = report.compared.asked_baseline
    settings["baseline"] = None if baseline is None else report.names[baseline]
    return settings


def _number(value: float | str | None, kind: Format = Format.FLOAT) -> Value:
    """Return a number as it is, a count whole; None for nan, where a run lacks the topic, and for texts."""
    if not isinstance(value, float) or math.isnan(value):
        return None
    return whole(value, kind)


def _leaderboard(report: Report) -> Table:
    """Return the table of averages, the runs in the order in which they were given.

    Its column "lacks" has the topics of other runs that a run does not have, "best" whether it is called best
    by the main measure.
    """
    kinds = {label: report.column(label).measure.format for label in report.board_and_counts}
    leaders = report.leaders(report.main)
    counts = report.topic_counts()
    rows: list[list[Value]] = []
    for run, (name, evaluation) in enumerate(zip(report.names, report.evaluations, strict=True)):
        path = report.inputs.files[run].path
        num_lacking = len(report.topics) - len(evaluation.topics)
        row: list[Value] = [name, text_of(evaluation.tag), text_of(path), counts[run]]
        row += [num_lacking, run in leaders]
        row += [_number(report.summary(run, label), kind) for label, kind in kinds.items()]
        rows.append(row)
    return Table("leaderboard", headings=["run", "tag", "file", "topics", "lacks", "best", *kinds], rows=rows)


def _topics(report: Report) -> Table:
    """Return the table of values by run and topic, with medians where they are known."""
    labels = topic_measures(report)
    headings = ["run", "topic", *labels]
    medians = {}
    for label in median_labels(report):
        median = medians_of(report, label)
        if median is not None:
            medians[label] = median
            headings += [f"{label} median", f"{label} minus median"]
    rows: list[list[Value]] = []
    for run, name in enumerate(report.names):
        columns = []
        for label in labels:
            kind = report.column(label).measure.format
            columns.append([_number(value, kind) for value in report.per_topic(run, label).tolist()])
        for label, median in medians.items():
            columns.append([_number(value) for value in median.tolist()])
            columns.append([_number(value) for value in against_median(report, run, label).tolist()])
        for topic, *values in zip(report.topics, *columns, strict=True):
            rows.append([name, topic, *values])
    return Table(name="topics", headings=headings, rows=rows)


def _intervals(report: Report, pairs: PairTable) -> Table:
    """Return the means of the runs with their intervals."""
    rows: list[list[Value]] = []
    means, lower, upper = pairs.means.tolist(), pairs.lower.tolist(), pairs.upper.tolist()
    for measure, label in enumerate(pairs.measures):
        for run, name in enumerate(report.names):
            rows.append([name, label, means[measure][run], lower[measure][run], upper[measure][run]])
    return Table(name="intervals", headings=["run", "measure", "mean", "lower", "upper"], rows=rows)


def _groups(report: Report, pairs: PairTable) -> Table:
    """Return the letters of the runs: between runs that share one no significant difference was found."""
    rows = []
    for label, letters in zip(pairs.measures, pairs.letters, strict=True):
        for name, letters_of_run in zip(report.names, letters, strict=True):
            rows.append([name, label, letters_of_run])
    return Table(name="groups", headings=["run", "measure", "letters"], rows=rows)


COMPARISON_HEADINGS = (
    "measure",
    "run",
    "other",
    "difference",
    "wins",
    "ties",
    "losses",
    "p_value",
    "corrected",
    "topics",
)
"""Columns of the table of comparisons; `topics` are how many both runs have."""


def _comparisons(report: Report, pairs: PairTable) -> Table:
    """Return each pair once, over the topics that both runs have."""
    rows: list[list[Value]] = []
    for measure, label in enumerate(pairs.measures):
        # (P,) numbers of the pairs.
        means_of_first, means_of_second = pairs.pair_means[:, measure]
        differences = (means_of_first - means_of_second).tolist()
        wins, losses = pairs.wins[measure].tolist(), pairs.losses[measure].tolist()
        p_values, corrected = pairs.p_values[measure].tolist(), pairs.corrected[measure].tolist()
        for pair, num_topics in enumerate(pairs.topics.tolist()):
            ties = num_topics - wins[pair] - losses[pair]
            row: list[Value] = [label, report.names[pairs.first[pair]], report.names[pairs.second[pair]]]
            row += [differences[pair], wins[pair], ties, losses[pair]]
            row += [p_values[pair], corrected[pair], num_topics]
            rows.append(row)
    return Table(name="comparisons", headings=COMPARISON_HEADINGS, rows=rows)


def _judgements(report: Report, trust: Trust) -> Table:
    """Return for each run shares judged, bounds by unjudged documents and by ties, and unique documents."""
    headings = ["run"]
    headings += [f"judged_{rank}" for rank in trust.judged]
    for label in trust.bounds:
        headings += [f"{label} least", f"{label} greatest"]
    headings += ["ties least", "ties greatest", "unique_relevant"]
    rows: list[list[Value]] = []
    for run, name in enumerate(report.names):
        row: list[Value] = [name]
        row += [float(shares[run]) for shares in trust.judged.values()]
        for least, greatest in trust.bounds.values():
            row += [float(least[run]), float(greatest[run])]
        ties = trust.ties[run]
        row += [None, None] if ties is None else [ties.least, ties.greatest]
        row.append(report.unique_relevant[run])
        rows.append(row)
    return Table(name="judgements", headings=headings, rows=rows)


def _group_means(report: Report, groups: Groups) -> Table:
    """Return the means of the leaderboard's measures over each group, their mean and the worst of them."""
    kinds = {label: report.column(label).measure.format for label in report.board}
    rows: list[list[Value]] = []
    for run, evaluation in zip(report.names, report.evaluations, strict=True):
        for name, values in over_groups(evaluation, list(groups.topics)).items():
            topics = len(evaluation.groups[name].topics) if name in evaluation.groups else None
            means = dict(zip(evaluation.labels, values, strict=True))
            for label, kind in kinds.items():
                rows.append([run, label, name, topics, _number(means[label], kind)])
    return Table(name="means_by_group", headings=["run", "measure", "group", "topics", "value"], rows=rows)


def _curves(report: Report) -> Table:
    """Return the table of the points of all graphs, by run."""
    rows: list[list[Value]] = []
    for graph in graphs_of(report):
        for name, points in zip(report.names, graph.curves, strict=True):
            for x, y, _ in points:
                rows.append([graph.name, name, x, y])
    return Table(name="curves", headings=["graph", "run", "x", "y"], rows=rows)


def _differences(report: Report) -> Table:
    """Return the table of topics on which runs differ most."""
    rows: list[tuple[Value, ...]] = []
    for label in report.compared.topic_measures:
        for topic in largest_differences(report, label):
            values = (topic.best, topic.worst, topic.difference)
            rows.append((label, topic.topic, topic.best_run, topic.worst_run, *values))
    headings = ["measure", "topic", "best_run", "worst_run", "best", "worst", "difference"]
    return Table(name="differences", headings=headings, rows=rows)


def _documents(report: Report) -> Table:
    """Return every relevant document with its rank in each run, None where the run does not have it."""
    documents = report.documents
    topics = np.repeat(np.array(report.topics, object), np.diff(documents.offsets)).tolist()
    ranks = []
    for ranks_of_run in documents.ranks.tolist():
        # Rank 0 is that of a document which the run did not retrieve.
        ranks.append([rank if rank > 0 else None for rank in ranks_of_run])
    headings = ["topic", "docno", "grade"]
    headings += [f"rank {name}" for name in report.names]
    return Table(
        name="documents",
        headings=headings,
        rows=list(zip(topics, documents.docnos, documents.grades.tolist(), *ranks, strict=True)),
    )

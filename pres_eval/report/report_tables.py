"""All that the report draws as tables of plain values, for JSON and CSV."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np

from pres_eval.analysis.every_pair import PairTable
from pres_eval.analysis.pools import Trust
from pres_eval.measures.base import Format
from pres_eval.reading.topic_files import Groups
from pres_eval.report.compared_topics import by_group_tables
from pres_eval.report.graphs import graphs_of
from pres_eval.report.groups import over_groups
from pres_eval.report.layout import Table, Value
from pres_eval.report.report_numbers import (
    against_median,
    largest_differences,
    median_labels,
    medians_of,
    topic_measures,
)
from pres_eval.report.text import text_of
from pres_eval.report.trec_report import Report


def as_tables(report: Report) -> list[Table]:
    """Leaderboard, topics with medians, intervals, groups, comparisons, judgements, curves and more."""
    tables = [_leaderboard(report), _topics(report)]
    if report.pairs is not None:
        tables += [
            _intervals(report, report.pairs),
            _groups(report, report.pairs),
            _comparisons(report, report.pairs),
        ]
    if report.trust is not None:
        tables.append(_judgements(report, report.trust))
    if report.groups is not None:
        tables.append(_group_means(report, report.groups))
    if report.by_group is not None and report.pairs is not None:
        tables += by_group_tables(report.by_group, report.pairs.settings)
    return [*tables, _curves(report), _differences(report), _documents(report)]


def settings_of(report: Report) -> dict[str, object]:
    """Return how the numbers were made."""
    settings: dict[str, object] = {
        "title": report.title,
        "description": report.description,
        "qrels": text_of(report.qrels.path),
        "runs": [text_of(file.path) for file in report.files],
        "nmax": list(report.nmax),
        "medians": sorted(report.medians),
    }
    for name, file in (("groups", report.groups), ("weights", report.weights)):
        if file is not None:
            settings[name] = text_of(file.path)
    options = asdict(report.options)
    settings |= {name: value for name, value in options.items() if name != "only_topic"}
    return settings | (report.pairs.settings.recorded() if report.pairs is not None else {})


def _number(value: float, kind: Format = Format.FLOAT) -> Value:
    """A value as it is; a count whole; None where a run does not have the topic."""
    if math.isnan(value):
        return None
    return int(value) if kind is Format.COUNT and value.is_integer() else value


def _leaderboard(report: Report) -> Table:
    labels = report.board_and_counts
    rows: list[list[Value]] = []
    for run, name in enumerate(report.names):
        values = [
            _number(report.summary(run, label), report.column(label).measure.format) for label in labels
        ]
        tag, file = text_of(report.evaluations[run].tag), text_of(report.files[run].path)
        rows.append([name, tag, file, report.topic_counts()[run], *values])
    return Table(name="leaderboard", headings=["run", "tag", "file", "topics", *labels], rows=rows)


def _topics(report: Report) -> Table:
    """Return the table of values by run and topic, with medians where they are known."""
    labels = topic_measures(report)
    medians = [
        (label, found) for label in median_labels(report) if (found := medians_of(report, label)) is not None
    ]
    kinds = [report.column(label).measure.format for label in labels]
    rows: list[list[Value]] = []
    for run, name in enumerate(report.names):
        values = [report.per_topic(run, label).tolist() for label in labels]
        against = [against_median(report, run, label).tolist() for label, _ in medians]
        for place, topic in enumerate(report.topics):
            row = [_number(each[place], kind) for each, kind in zip(values, kinds, strict=True)]
            for (_, found), differences in zip(medians, against, strict=True):
                row += [_number(float(found[place])), _number(differences[place])]
            rows.append([name, topic, *row])
    extra = [text for label, _ in medians for text in (f"{label} median", f"{label} minus median")]
    return Table(name="topics", headings=["run", "topic", *labels, *extra], rows=rows)


def _intervals(report: Report, pairs: PairTable) -> Table:
    return Table(
        name="intervals",
        headings=["run", "measure", "mean", "lower", "upper"],
        rows=[
            [name, label, *(float(values[row, run]) for values in (pairs.means, pairs.lower, pairs.upper))]
            for row, label in enumerate(pairs.measures)
            for run, name in enumerate(report.names)
        ],
    )


def _groups(report: Report, pairs: PairTable) -> Table:
    """The letters of the runs: no significant difference was found where they share one."""
    return Table(
        name="groups",
        headings=["run", "measure", "letters"],
        rows=[
            [name, label, letters[run]]
            for label, letters in zip(pairs.measures, pairs.letters, strict=True)
            for run, name in enumerate(report.names)
        ],
    )


def _comparisons(report: Report, pairs: PairTable) -> Table:
    """Each pair once, over the topics that both runs have."""
    rows: list[list[Value]] = []
    for row, label in enumerate(pairs.measures):
        for place, (first, second) in enumerate(
            zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        ):
            wins, losses = int(pairs.wins[row, place]), int(pairs.losses[row, place])
            one, other = pairs.pair_means[:, row, place].tolist()
            topics = int(pairs.topics[place])
            rows.append(
                [
                    *(label, report.names[first], report.names[second], _number(one - other)),
                    *(wins, topics - wins - losses, losses),
                    *(float(pairs.p_values[row, place]), float(pairs.corrected[row, place]), topics),
                ]
            )
    headings = ["measure", "run", "other", "difference", "wins", "ties", "losses", "p_value"]
    headings += ["corrected", "topics"]
    return Table(name="comparisons", headings=headings, rows=rows)


def _judgements(report: Report, trust: Trust) -> Table:
    """Return what the judgements leave open, run by run."""
    bounds = [f"{label} {end}" for label in trust.bounds for end in ("least", "greatest")]
    numbers = np.array([*trust.judged.values(), *(row for rows in trust.bounds.values() for row in rows)])
    rows: list[list[Value]] = [
        [name, *numbers[:, run].tolist(), *((ties.least, ties.greatest) if ties else (None, None)), alone]
        for run, (name, ties, alone) in enumerate(
            zip(report.names, trust.ties, report.unique_relevant, strict=True)
        )
    ]
    headings = ["run", *(f"judged_{rank}" for rank in trust.judged), *bounds, "ties least", "ties greatest"]
    return Table(name="judgements", headings=[*headings, "unique_relevant"], rows=rows)


def _group_means(report: Report, groups: Groups) -> Table:
    """Return the means of the leaderboard's measures over each group, their mean and the worst of them."""
    rows: list[list[Value]] = []
    for run, evaluation in enumerate(report.evaluations):
        for name, values in over_groups(evaluation, list(groups.topics)).items():
            topics = len(evaluation.groups[name].topics) if name in evaluation.groups else None
            for label in report.board:
                value = values[evaluation.labels.index(label)]
                kind = report.column(label).measure.format
                number = _number(value, kind) if isinstance(value, float) else None
                rows.append([report.names[run], label, name, topics, number])
    return Table(name="means_by_group", headings=["run", "measure", "group", "topics", "value"], rows=rows)


def _curves(report: Report) -> Table:
    """Return the table of the points of all graphs, by run."""
    return Table(
        name="curves",
        headings=["graph", "run", "x", "y"],
        rows=[
            [graph.name, name, x, y]
            for graph in graphs_of(report)
            for name, points in zip(report.names, graph.curves, strict=True)
            for x, y, _ in points
        ],
    )


def _differences(report: Report) -> Table:
    """Return the table of topics on which runs differ most."""
    rows: list[list[Value]] = [
        [
            label,
            found.topic,
            report.names[found.best],
            report.names[found.worst],
            found.best_value,
            found.worst_value,
            found.size,
        ]
        for label in report.told_by_topic
        for found in largest_differences(report, label)
    ]
    return Table(
        name="differences",
        headings=["measure", "topic", "best_run", "worst_run", "best", "worst", "difference"],
        rows=rows,
    )


def _documents(report: Report) -> Table:
    """Every relevant document with its rank in each run, None where the run does not have it."""
    documents = report.documents
    rows: list[list[Value]] = []
    for place, topic in enumerate(report.topics):
        for number in range(int(documents.offsets[place]), int(documents.offsets[place + 1])):
            ranks: list[Value] = [int(rank) or None for rank in documents.ranks[:, number]]
            rows.append([topic, documents.docnos[number], int(documents.grades[number]), *ranks])
    return Table(
        name="documents",
        headings=["topic", "docno", "grade", *(f"rank {name}" for name in report.names)],
        rows=rows,
    )

"""All that the report draws as tables of plain values, for JSON and CSV."""

from __future__ import annotations

import math

import numpy as np

from pres_eval.analysis.every_pair import PairTable
from pres_eval.analysis.pools import Trust
from pres_eval.measures.base import Format
from pres_eval.options import recorded
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
from pres_eval.report.text import text_of, whole
from pres_eval.report.trec_report import Report


def as_tables(report: Report) -> list[Table]:
    """Return the leaderboard, topics with medians, intervals, groups, comparisons, curves and more."""
    pairs, by_group = report.pairs, report.by_group
    return [
        _leaderboard(report),
        _topics(report),
        *(
            []
            if pairs is None
            else [
                _intervals(report, pairs),
                *([_groups(report, pairs)] if pairs.baseline is None else []),
                _comparisons(report, pairs),
            ]
        ),
        *([] if report.trust is None else [_judgements(report, report.trust)]),
        *([] if report.groups is None else [_group_means(report, report.groups)]),
        *([] if by_group is None or pairs is None else by_group_tables(by_group, pairs.settings)),
        _curves(report),
        _differences(report),
        _documents(report),
    ]


def settings_of(report: Report) -> dict[str, object]:
    """Return how the numbers were made."""
    files = {"groups": report.groups, "weights": report.weights}
    return {
        "title": report.title,
        "description": report.description,
        "qrels": text_of(report.qrels.path),
        "runs": [text_of(file.path) for file in report.files],
        "nmax": list(report.nmax),
        "medians": sorted(report.medians),
        **{name: text_of(file.path) for name, file in files.items() if file is not None},
        **recorded(report.options),
        **({} if report.pairs is None else report.pairs.settings.recorded()),
        "baseline": None if report.compared_with is None else report.names[report.compared_with],
    }


def _number(value: float | str | None, kind: Format = Format.FLOAT) -> Value:
    """Return a value as it is; a count whole; None where there is no number, as a run lacks the topic."""
    return whole(value, kind) if isinstance(value, float) and not math.isnan(value) else None


def _leaderboard(report: Report) -> Table:
    """Return the table of averages, the runs in the order in which they were given.

    lacks  topics of other runs that a run does not have; best: whether it is called best by the first measure
    """
    kinds = {label: report.column(label).measure.format for label in report.board_and_counts}
    leaders = report.leaders(report.main)
    counts = report.topic_counts()
    rows: list[list[Value]] = []
    for run, (name, evaluation) in enumerate(zip(report.names, report.evaluations, strict=True)):
        row: list[Value] = [name, text_of(evaluation.tag), text_of(report.files[run].path), counts[run]]
        row += [len(report.topics) - len(evaluation.topics), run in leaders]
        row += [_number(report.summary(run, label), kind) for label, kind in kinds.items()]
        rows.append(row)
    return Table("leaderboard", headings=["run", "tag", "file", "topics", "lacks", "best", *kinds], rows=rows)


def _topics(report: Report) -> Table:
    """Return the table of values by run and topic, with medians where they are known."""
    labels = topic_measures(report)
    medians = {
        label: found for label in median_labels(report) if (found := medians_of(report, label)) is not None
    }
    rows: list[list[Value]] = []
    for run, name in enumerate(report.names):
        columns = [
            *((report.per_topic(run, label), report.column(label).measure.format) for label in labels),
            *(
                (values, Format.FLOAT)
                for label, found in medians.items()
                for values in (found, against_median(report, run, label))
            ),
        ]
        cells = [[_number(value, kind) for value in values.tolist()] for values, kind in columns]
        rows += [[name, topic, *row] for topic, *row in zip(report.topics, *cells, strict=True)]
    extra = [text for label in medians for text in (f"{label} median", f"{label} minus median")]
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
    """Return the letters of the runs: between runs that share one no significant difference was found."""
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
    """Return each pair once, over the topics that both runs have."""
    runs = list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    ties = pairs.topics - pairs.wins - pairs.losses
    numbers = {
        "difference": pairs.pair_means[0] - pairs.pair_means[1],
        "wins": pairs.wins,
        "ties": ties,
        "losses": pairs.losses,
        "p_value": pairs.p_values,
        "corrected": pairs.corrected,
        "topics": np.broadcast_to(pairs.topics, ties.shape),
    }
    return Table(
        name="comparisons",
        headings=["measure", "run", "other", *numbers],
        rows=[
            [label, report.names[first], report.names[second], *row]
            for place, label in enumerate(pairs.measures)
            for (first, second), *row in zip(
                runs, *(each[place].tolist() for each in numbers.values()), strict=True
            )
        ],
    )


def _judgements(report: Report, trust: Trust) -> Table:
    """Return the uncertainty from missing judgements, run by run."""
    numbers = np.array([*trust.judged.values(), *(row for rows in trust.bounds.values() for row in rows)])
    return Table(
        name="judgements",
        headings=[
            "run",
            *(f"judged_{rank}" for rank in trust.judged),
            *(f"{label} {end}" for label in trust.bounds for end in ("least", "greatest")),
            *("ties least", "ties greatest", "unique_relevant"),
        ],
        rows=[
            [name, *numbers[:, run].tolist(), *((ties.least, ties.greatest) if ties else (None, None)), alone]
            for run, (name, ties, alone) in enumerate(
                zip(report.names, trust.ties, report.unique_relevant, strict=True)
            )
        ],
    )


def _group_means(report: Report, groups: Groups) -> Table:
    """Return the means of the leaderboard's measures over each group, their mean and the worst of them."""
    kinds = {label: report.column(label).measure.format for label in report.board}
    rows: list[list[Value]] = []
    for run, evaluation in zip(report.names, report.evaluations, strict=True):
        for name, values in over_groups(evaluation, list(groups.topics)).items():
            topics = len(evaluation.groups[name].topics) if name in evaluation.groups else None
            means = dict(zip(evaluation.labels, values, strict=True))
            rows += [[run, label, name, topics, _number(means[label], kind)] for label, kind in kinds.items()]
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
    return Table(
        name="differences",
        headings=["measure", "topic", "best_run", "worst_run", "best", "worst", "difference"],
        rows=[
            (label, *found) for label in report.told_by_topic for found in largest_differences(report, label)
        ],
    )


def _documents(report: Report) -> Table:
    """Return every relevant document with its rank in each run, None where the run does not have it."""
    documents = report.documents
    topics = np.repeat(np.array(report.topics, object), np.diff(documents.offsets)).tolist()
    ranks = [[rank or None for rank in own] for own in documents.ranks.tolist()]
    return Table(
        name="documents",
        headings=["topic", "docno", "grade", *(f"rank {name}" for name in report.names)],
        rows=list(zip(topics, documents.docnos, documents.grades.tolist(), *ranks, strict=True)),
    )

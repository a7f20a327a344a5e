"""The tables of pools, of holes in judgements, and of rankings under incomplete judgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from pres_eval.analysis.pooling import FirstDocuments, Key, ToJudge
from pres_eval.analysis.pools import LeftOut
from pres_eval.analysis.robustness import Reduced, Robustness
from pres_eval.arrays import AnyArray, BoolArray, IntArray
from pres_eval.errors import plural
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.measures.settings import UnitedCutoffs
from pres_eval.report.cells import Score, Value
from pres_eval.report.layout import Column, Readers, Table, columns_table, records_table
from pres_eval.report.paper import Figure
from pres_eval.report.text import moved, percentage

SHOWN_TOPICS = 20
"""Topics with holes that people see; programs get all."""


def to_judge_table(chosen: ToJudge, num_runs: int, stratum: IntArray | None = None) -> Table:
    """Return the table of documents to judge.

    num_runs: runs that they are from; stratum: (n,) numbers of the strata that they were drawn from, if any
    """
    headings = ["topic", "docno", "runs", "best_rank", "contribution"]
    columns = [chosen.runs.tolist(), chosen.rank.tolist(), chosen.gain.tolist()]
    if stratum is not None:
        headings.append("stratum")
        columns.append(stratum.tolist())
    rows = []
    for (topic, docno), *numbers in zip(chosen.pairs(), *columns, strict=True):
        rows.append((topic, docno, *numbers))
    return Table(
        name="documents",
        title=f"{plural(len(chosen), 'document')} to judge, from {plural(num_runs, 'run')}",
        headings=headings,
        rows=rows,
        notes=("runs: how many have it among their first; best_rank: in any of them",),
        left=2,
    )


def pools_table(pooled: ToJudge, judged: BoolArray, chosen: ToJudge) -> Table:
    """Return how many documents of each topic are pooled, judged, and to be judged.

    judged: (n,) whether a pooled document is; chosen: those to be judged
    """
    num_topics = len(pooled.topics)
    num_pooled = np.bincount(pooled.topic_of, minlength=num_topics).tolist()
    num_judged = np.bincount(pooled.topic_of[judged], minlength=num_topics).tolist()
    num_to_judge = np.bincount(chosen.topic_of, minlength=num_topics).tolist()
    return Table(
        name="topics",
        title="Pools of the topics",
        headings=("topic", "pooled", "judged", "to_judge"),
        rows=list(zip(pooled.topics, num_pooled, num_judged, num_to_judge, strict=True)),
    )


def holes_tables(
    names: Sequence[str], holes_of_runs: Sequence[Sequence[tuple[bytes, int, int]]], depth: int
) -> list[Table]:
    """Return how many of each run's first `depth` documents nobody judged (holes), in all and by topic.

    holes_of_runs  for each run: of each topic its id, how many documents were looked at, and how many of
                   these nobody judged
    """
    runs: list[tuple[Value, ...]] = []
    topics: list[tuple[str, bytes, int, int]] = []
    for name, holes in zip(names, holes_of_runs, strict=True):
        looked_at = sum(num_documents for _, num_documents, _ in holes)
        unjudged = sum(num_unjudged for _, _, num_unjudged in holes)
        share = unjudged / looked_at if looked_at else 0.0
        runs.append((name, len(holes), looked_at, unjudged, share))
        topics += [(name, *hole) for hole in holes]
    worst = sorted(topics, key=_most_unjudged_first)[:SHOWN_TOPICS]
    notes = []
    if len(topics) > len(worst):
        notes.append(f"{len(topics) - len(worst)} more: --table topics --format csv")
    return [
        Table(
            name="runs",
            title=f"Unjudged documents among the first {depth}",
            headings=("run", "topics", "looked_at", "unjudged", "share"),
            rows=runs,
        ),
        Table(
            name="topics",
            title="Topics with the most of them",
            headings=("run", "topic", "looked_at", "unjudged"),
            rows=topics,
            notes=notes,
            shown=Table(headings=("run", "topic", "looked_at", "unjudged"), rows=worst, left=2),
        ),
    ]


def _most_unjudged_first(row: tuple[str, bytes, int, int]) -> int:
    """Return what rows of topics are sorted by for people."""
    *_, num_unjudged = row
    return -num_unjudged


def unjudged_table(
    names: Sequence[str],
    firsts: Iterable[FirstDocuments],
    topics: Collection[bytes],
    judged: Collection[Key],
) -> Table:
    """Return those of each run's first documents that nobody judged, with their ranks.

    names, firsts: of the runs; topics: those that count; judged: pairs of topic and docno
    """
    rows: list[tuple[Value, ...]] = []
    for name, first in zip(names, firsts, strict=True):
        unjudged = []
        for (topic, docno), rank in zip(first.pairs(), first.rank.tolist(), strict=True):
            if topic in topics and (topic, docno) not in judged:
                unjudged.append((topic, rank, docno))
        for topic, rank, docno in sorted(unjudged):
            rows.append((name, topic, docno, rank))
    return Table(
        name="documents",
        title="The unjudged documents",
        headings=("run", "topic", "docno", "rank"),
        rows=rows,
        left=3,
    )


COEFFICIENT_NAMES = {
    "tau_a": "Kendall τ-a",
    "tau_b": "Kendall τ-b",
    "spearman": "Spearman ρ",
    "tau_ap": "τ_AP",
    "tau_ap_b": "τ_AP,b",
}
"""Names of the rank correlations in titles, by those of --coefficient."""

RUNS_FOR_COEFFICIENTS = 5
"""Runs below which a correlation has few possible values: tau_a of four has none between 0.67 and 1."""


def robustness_tables(result: Robustness, num_runs: int, topics: str) -> list[Table]:
    """Return the correlations with the full ranking: for people averages and lowest; samples; fractions.

    topics: the topics that count, in words
    """
    coefficient = COEFFICIENT_NAMES[result.plan.coefficient]
    about = f"{num_runs} runs, {result.num_rel} relevant documents, seed {result.plan.seed}, over {topics}"
    averages = _by_fraction(
        "averages", f"{coefficient} with the full ranking, average of the samples", result, result.averages
    )
    lowest = _by_fraction("lowest", f"{coefficient}, lowest of the samples", result, result.lowest)
    return [
        averages,
        replace(lowest, notes=list(_notes(result))),
        _samples(result, f"{coefficient} of each sample ({about})"),
        _fractions(result),
    ]


def _samples(result: Robustness, title: str) -> Table:
    """Return the correlation with the full ranking of each sample, by measure."""
    plan, labels = result.plan, result.labels
    # Of each sample: fraction, number, relevant and judged documents that are left.
    keys: list[tuple[float, int, int, int]] = []
    for row, fraction in enumerate(plan.fractions):
        for sample in range(plan.samples):
            num_relevant, num_judged = result.kept[row, sample], result.judged[row, sample]
            keys.append((fraction, sample + 1, int(num_relevant), int(num_judged)))
    correlations = result.correlations.reshape(len(keys), len(labels)).tolist()
    shown_rows: list[tuple[Value, ...]] = []
    for (fraction, sample, num_relevant, _), values in zip(keys, correlations, strict=True):
        shown_rows.append((percentage(fraction), sample, num_relevant, *values))
    return Table(
        name="samples",
        title=title,
        headings=("fraction", "sample", "kept", "judged", "measure", plan.coefficient),
        rows=long_rows(keys, labels, correlations),
        shown=Table(headings=("relevant", "sample", "kept", *labels), rows=shown_rows),
    )


def _fractions(result: Robustness) -> Table:
    """Return the average and the lowest correlation at each fraction by each measure, for programs."""
    rows: list[tuple[Value, ...]] = []
    averages, lowest = result.averages.tolist(), result.lowest.tolist()
    for row, fraction in enumerate(result.plan.fractions):
        for column, label in enumerate(result.labels):
            rows.append((fraction, label, averages[row][column], lowest[row][column]))
    return Table(
        name="fractions",
        headings=("fraction", "measure", "average", "lowest"),
        rows=rows,
        readers=Readers.PROGRAMS,
    )


def long_rows(
    keys: Sequence[Sequence[Value]], labels: Sequence[str], values: Sequence[Sequence[Value]]
) -> list[tuple[Value, ...]]:
    """Return a row for each value, for programs: the key of its row, the label of its column, the value.

    >>> long_rows([("a", 1)], ["map", "P_10"], [[0.3, 0.5]])
    [('a', 1, 'map', 0.3), ('a', 1, 'P_10', 0.5)]
    """
    rows: list[tuple[Value, ...]] = []
    for key, values_of_key in zip(keys, values, strict=True):
        for label, value in zip(labels, values_of_key, strict=True):
            rows.append((*key, label, value))
    return rows


def warning_of_few_runs(result: Robustness) -> str:
    """Return the warning that coefficients of so few runs are uncertain; empty if there are enough."""
    runs = result.full.shape[1]
    if runs >= RUNS_FOR_COEFFICIENTS:
        return ""
    pairs = runs * (runs - 1) // 2
    return (
        f"{runs} runs have {plural(pairs, 'pair')}: each that swaps changes tau_a by {2 / pairs:.2f}, so the"
        f" coefficients say little; expected {RUNS_FOR_COEFFICIENTS} runs or more"
    )


def _notes(result: Robustness) -> Iterator[str]:
    """Yield the notes: what becomes of removed judgements; few runs; ties that keep a coefficient below 1."""
    plan = result.plan
    which = {"relevant": "relevant judgements", "all": "judgements of all grades"}[plan.thin]
    becomes = {
        "pooled": "become -1, in the pool but not judged",
        "unjudged": "vanish",
        "nonrelevant": "become 0",
    }[plan.removed]
    yield f"100 %: nothing taken out; {which} that are taken out {becomes}"
    warning = warning_of_few_runs(result)
    if warning:
        yield f"warning: {warning}"
    below_one = []
    for label, coefficient in zip(result.labels, result.unchanged.tolist(), strict=True):
        reaches_one = coefficient >= 1  # not if it is nan, as all runs tie
        if not reaches_one:
            below_one.append(label)
    if below_one and plan.coefficient == "tau_a":
        yield (
            f"{', '.join(below_one)}: runs tie, so that tau_a can't reach 1; --coefficient tau_b allows for"
            " ties"
        )
    if plan.removed == "unjudged" and "infAP" in result.labels:
        yield "infAP counts documents in the pool that were not judged: it needs --removed pooled"


def _by_fraction(name: str, title: str, result: Robustness, values: AnyArray) -> Table:
    """Return a table for people of coefficients (fractions, measures): a row for each fraction, and 100 %."""
    by_fraction = dict(zip(result.plan.fractions, values.tolist(), strict=True))
    # The ranking with itself, unless all judgements are one of the fractions that were asked for.
    by_fraction.setdefault(1.0, result.unchanged.tolist())
    rows = [[percentage(fraction), *coefficients] for fraction, coefficients in by_fraction.items()]
    return Table(
        name=name, title=title, headings=("relevant", *result.labels), rows=rows, readers=Readers.PEOPLE
    )


def depths_table(result: Reduced, depths: Sequence[int], coefficient: str) -> Table:
    """Return how the rankings of runs under pools of several depths correlate with the full one.

    coefficient: one of --coefficient
    """
    keys = list(zip(depths, result.judged.tolist(), result.kept.tolist(), strict=True))
    correlations = result.correlations.tolist()
    shown_rows: list[tuple[Value, ...]] = []
    for key, values in zip(keys, correlations, strict=True):
        shown_rows.append((*key, *values))
    shown_rows.append(("all", None, None, *result.unchanged.tolist()))
    return Table(
        name="depths",
        title=f"{COEFFICIENT_NAMES[coefficient]} with the full ranking, from pools of less depth",
        headings=("depth", "judged", "relevant", "measure", coefficient),
        rows=long_rows(keys, result.labels, correlations),
        notes=("at depth d judgements stay whose document some of the runs has among its first d",),
        shown=Table(headings=("depth", "judged", "relevant", *result.labels), rows=shown_rows),
    )


def left_out_table(rows: list[LeftOut], depth: int) -> Table:
    """Return the table of runs scored as if their group had not been pooled; depth: of the pool."""
    columns: list[Column[LeftOut]] = [
        Column("group", lambda row: row.group),
        Column("run", lambda row: row.run),
        Column("measure", lambda row: row.measure),
        Column("unique", lambda row: row.unique),
        Column("relevant", lambda row: row.unique_relevant),
        Column("score", lambda row: row.score),
        Column("without", lambda row: row.without),
        Column("change", lambda row: Score(row.without - row.score, signed=True)),
        Column("position", lambda row: moved(row.position, row.position_without)),
    ]
    return records_table(
        "left_out",
        f"Runs without the judgements that only their group brought into a pool of depth {depth}",
        rows,
        LeftOut,
        ("unique: judged documents that no other group has so early; position: among all runs",),
        columns_table(columns, rows, left=3),
    )


def _title_and_name(column: SelectedColumn) -> tuple[str, str]:
    """Return the title of the panel that a column is drawn in, and its name there.

    `P_10` is `P` in the panel `cutoff 10`; columns without a cutoff keep their label, in `no cutoff`.
    """
    has_cutoffs = isinstance(column.measure.parameters, Cutoffs | UnitedCutoffs)
    if not has_cutoffs or not column.arguments:
        return "no cutoff", column.label
    cutoff, measure = column.arguments[0], column.measure.name
    # A label may go on behind the cutoff: `P_10(rel=2)`.
    ending = column.label.removeprefix(f"{measure}_{cutoff}")
    return f"cutoff {cutoff}", measure + ending


def robustness_figure(result: Robustness, selection: Selection) -> Figure:
    """Return the picture of the correlations at each fraction, a panel for each cutoff."""
    from pres_eval.report import judgement_plots  # only pictures need it and what it imports

    plan = result.plan
    # By title and name of a line: (F + 1, S) correlations, the last row with nothing taken out.
    panels: dict[str, dict[str, AnyArray]] = {}
    for number, column in enumerate(selection):
        title, name = _title_and_name(column)
        correlations = result.correlations[:, :, number]
        unchanged = np.full((1, correlations.shape[1]), result.unchanged[number])
        panels.setdefault(title, {})[name] = np.concatenate((correlations, unchanged))
    coefficient = COEFFICIENT_NAMES[plan.coefficient]
    return judgement_plots.robustness_figure(plan.fractions, panels, coefficient)

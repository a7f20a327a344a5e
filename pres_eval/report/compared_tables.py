"""The tables of a comparison of runs: means with their intervals, and the comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.compare import ComparedRuns, Comparison
from pres_eval.analysis.paired import PairedScores
from pres_eval.report.layout import Interval, Note, PValue, Score, Shown, ShownCell, Table, records_table
from pres_eval.report.text import percentage

MANY = 8
"""More measures than this go downwards in the tables."""


def compared_tables(result: ComparedRuns, topics: str) -> list[Table]:
    """The means, their bootstrap intervals, and each comparison with its test; `topics` says over which."""
    tables = [_means(result, topics), _intervals(result)]
    if result.comparisons:
        tables.append(_comparisons(result))
    return tables


def _means(result: ComparedRuns, topics: str) -> Table:
    scores = result.scores
    marks = {(one.measure, one.run): one for one in result.comparisons if result.baseline is not None}
    rows, cells = [], []
    for run, name in enumerate(scores.runs):
        line = []
        for measure, label in enumerate(scores.measures):
            best = bool(result.best[measure, run])
            rows.append(
                (
                    name,
                    label,
                    float(scores.means[measure, run]),
                    float(result.lower[measure, run]),
                    float(result.upper[measure, run]),
                    best,
                )
            )
            mark = _mark(marks.get((label, name)), result.settings.test)
            line.append(Score(float(scores.means[measure, run]), best=best, mark=mark))
        cells.append(line)
    return Table(
        "means",
        f"Means over {topics}",
        ("run", "measure", "mean", "lower", "upper", "best"),
        rows,
        _notes(result),
        _grid(scores, cells),
    )


def _mark(comparison: Comparison | None, test: str) -> str:
    if comparison is None or not comparison.significant:
        return ""
    # The direction that the test spoke of: the Wilcoxon test looks at ranks, the others at means.
    direction = comparison.rank_biserial if test == "wilcoxon" else comparison.difference
    return "+" if direction > 0 else "-"


def _notes(result: ComparedRuns) -> list[str | Note]:
    notes: list[str | Note] = [Note("best of the measure", mark="*", bold=True)]
    if result.baseline is not None and result.comparisons:
        settings = result.settings
        notes.append(
            Note(
                f"significantly better, worse than {result.scores.runs[result.baseline]} ({settings.test},"
                f" correction {settings.correction}, p < {settings.alpha:g})",
                mark="+ -",
            )
        )
    if result.scores.left_out:
        notes.append(f"left out, no averages over topics: {', '.join(result.scores.left_out)}")
    return notes


def _intervals(result: ComparedRuns) -> Table:
    scores = result.scores
    cells = [
        [Interval(low, high) for low, high in zip(lower, upper, strict=True)]
        for lower, upper in zip(result.lower.T.tolist(), result.upper.T.tolist(), strict=True)
    ]
    title = f"{percentage(1 - result.settings.alpha)} bootstrap intervals of the means"
    return Table("intervals", title, (), (), shown=_grid(scores, cells), programs=False)


def _grid(scores: PairedScores, cells: Sequence[Sequence[ShownCell]]) -> Shown:
    """Runs × measures; the other way round if the measures are many."""
    if len(scores.measures) > max(MANY, len(scores.runs)):
        by_measure = zip(*cells, strict=True)
        lines = [[label, *row] for label, row in zip(scores.measures, by_measure, strict=True)]
        return Shown(("measure", *scores.runs), lines)
    return Shown(
        ("run", *scores.measures), [[name, *row] for name, row in zip(scores.runs, cells, strict=True)]
    )


def _comparisons(result: ComparedRuns) -> Table:
    settings = result.settings
    lines: list[list[ShownCell]] = [
        [
            one.measure,
            one.run,
            one.other,
            Score(one.difference, signed=True),
            Interval(one.lower, one.upper, signed=True),
            f"{one.wins}/{one.ties}/{one.losses}",
            PValue(one.p_value),
            PValue(one.corrected, one.significant),
            f"{one.cohens_d:+.2f}",
            f"{one.rank_biserial:+.2f}",
        ]
        for one in result.comparisons
    ]
    headings = (
        "measure",
        "run",
        "against",
        "difference",
        "interval",
        "+/=/-",
        "p",
        f"p ({settings.correction})",
        "d",
        "r",
    )
    return records_table(
        "comparisons",
        f"Comparisons ({settings.test}, {len(result.scores.topics)} topics)",
        result.comparisons,
        Comparison,
        (
            Note(f"significant: p ({settings.correction}) < {settings.alpha:g}", mark="*"),
            "+/=/-: topics on which the run is better, as good, worse; d: Cohen's d; r: rank-biserial",
        ),
        Shown(headings, lines, left=3),
    )

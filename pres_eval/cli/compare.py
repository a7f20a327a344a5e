"""pres-eval compare: runs × measures, with significance tests."""

from __future__ import annotations

from typing import Any

import click

from pres_eval.analysis.compare import ComparedRuns, Comparison, Settings, compare
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.analysis.significance import TESTS
from pres_eval.cli.analysing import (
    ALPHA,
    SEED,
    Loaded,
    analysis_options,
    draw,
    p_text,
    percentage,
    prepare,
    read,
    show,
)
from pres_eval.cli.shared import MEASURES, NMAX
from pres_eval.errors import UsageError
from pres_eval.measures.selection import select
from pres_eval.report.layout import Shown, Table, records_table

MANY = 8
"""More measures than this go downwards in the tables."""


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN ...]")
@MEASURES
@NMAX
@click.option(
    "--baseline", metavar="RUN", help="Compare with this run, a tag or a file (default: the first)."
)
@click.option("--all-pairs", is_flag=True, help="Compare every run with every other.")
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="wilcoxon",
    show_default=True,
    help="Paired test over topics.",
)
@click.option(
    "--correction", type=click.Choice(tuple(CORRECTIONS)), default="holm", show_default=True,
    help="For many comparisons, over those of one measure.",
)  # fmt: skip
@ALPHA
@click.option(
    "--samples", type=click.IntRange(min=1), default=10_000, show_default=True,
    help="Draws of the bootstrap and sign changes of the randomisation test.",
)  # fmt: skip
@SEED
@analysis_options
def command(qrels: str, runs: tuple[str, ...], **values: Any) -> None:
    """Compare runs: means with confidence intervals, paired tests, effect sizes, wins and losses.

    \b
    Example:
      pres-eval compare fixtures/patents/qrels.txt fixtures/patents/run_*.txt -m map -m PRES.100

    Topics are those that every run has; with -c all of the qrels, where a topic that a run lacks counts as
    0. Without -m: map, recall and PRES at --nmax.  The best of a measure is marked *; with a baseline, + and
    - mark runs that are significantly better and worse than it.

    Tests are two-sided.  wilcoxon: signed ranks, zeros taken out, exact for few topics.  t: paired t-test
    (extra: stats).  randomisation: all sign changes for up to 16 topics that differ, otherwise --samples
    random ones.  Intervals: percentiles of the bootstrap over topics.  Effect sizes: Cohen's d for pairs,
    and the matched-pairs rank-biserial correlation.

    Tables for --table: means, comparisons.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    options, relevance_info = prepare(values)
    measures = values["measures"] or ("map", "recall." + ",".join(map(str, values["nmax"])), "PRES")
    selection = select(measures, options.compat, values["nmax"], relevance_info)
    loaded = read(qrels, runs, options, values)
    baseline = None if values["all_pairs"] else _baseline(values["baseline"], runs, loaded)
    every_topic = tuple(loaded.relevance.pool.topics) if options.complete else None
    scores = pair_topics(loaded.evaluations(selection), loaded.names, every_topic)
    settings = Settings(
        values["test"], values["correction"], values["alpha"], values["samples"], values["seed"]
    )
    result = compare(scores, baseline, settings, loaded.each("comparing"))
    said = {**loaded.settings, **vars(settings), "topics": len(scores.topics)}
    said["baseline"] = None if baseline is None else loaded.names[baseline]
    show(_tables(result), "compare", said, values)
    if values["plot"]:
        draw(_figure(result), values["plot"])


def _baseline(wanted: str | None, runs: tuple[str, ...], loaded: Loaded) -> int:
    if wanted is None:
        return 0
    for names in (loaded.names, [ranking.tag for ranking in loaded.rankings], list(runs)):
        if wanted in names:
            return names.index(wanted)
    raise UsageError(f"--baseline {wanted}: no such run, expected one of {', '.join(loaded.names)}")


def _tables(result: ComparedRuns) -> list[Table]:
    tables = [_means(result), _intervals(result)]
    if result.comparisons:
        tables.append(_comparisons(result))
    return tables


def _means(result: ComparedRuns) -> Table:
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
            mark = ("*" if best else "") + _mark(marks.get((label, name)), result.settings.test)
            line.append(f"{mark} {scores.means[measure, run]:.4f}")
        cells.append(line)
    return Table(
        "means",
        f"Means over {_topics(result)}",
        ("run", "measure", "mean", "lower", "upper", "best"),
        rows,
        _notes(result),
        _grid(scores, cells),
    )


def _topics(result: ComparedRuns) -> str:
    used, in_all = len(result.scores.topics), result.scores.all_topics
    return (
        f"{used} topics"
        if used == in_all
        else f"{used} topics that every run has, of {in_all} that some run has"
    )


def _mark(comparison: Comparison | None, test: str) -> str:
    if comparison is None or not comparison.significant:
        return ""
    # The direction that the test spoke of: the Wilcoxon test looks at ranks, the others at means.
    direction = comparison.rank_biserial if test == "wilcoxon" else comparison.difference
    return "+" if direction > 0 else "-"


def _notes(result: ComparedRuns) -> list[str]:
    notes = ["* best of the measure"]
    if result.baseline is not None and result.comparisons:
        settings = result.settings
        notes.append(
            f"+ - significantly better, worse than {result.scores.runs[result.baseline]} ({settings.test},"
            f" correction {settings.correction}, p < {settings.alpha:g})"
        )
    if result.scores.left_out:
        notes.append(f"left out, no averages over topics: {', '.join(result.scores.left_out)}")
    return notes


def _intervals(result: ComparedRuns) -> Table:
    scores = result.scores
    cells = [
        [f"{low:.4f} .. {high:.4f}" for low, high in zip(lower, upper, strict=True)]
        for lower, upper in zip(result.lower.T.tolist(), result.upper.T.tolist(), strict=True)
    ]
    title = f"{percentage(1 - result.settings.alpha)} bootstrap intervals of the means"
    return Table("intervals", title, (), (), shown=_grid(scores, cells), programs=False)


def _grid(scores: PairedScores, cells: list[list[str]]) -> Shown:
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
    lines = [
        [
            one.measure,
            one.run,
            one.other,
            f"{one.difference:+.4f}",
            f"{one.lower:+.4f} .. {one.upper:+.4f}",
            f"{one.wins}/{one.ties}/{one.losses}",
            p_text(one.p_value),
            ("* " if one.significant else "") + p_text(one.corrected),
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
            f"* significant: p ({settings.correction}) < {settings.alpha:g}",
            "+/=/-: topics on which the run is better, as good, worse; d: Cohen's d; r: rank-biserial",
        ),
        Shown(headings, lines, left=3),
    )


def _figure(result: ComparedRuns) -> Any:
    import numpy as np

    from pres_eval.report.run_plots import score_bars

    scores = result.scores
    significant = np.zeros(scores.means.shape, bool)
    for one in result.comparisons:
        if result.baseline is not None:
            significant[scores.measures.index(one.measure), scores.runs.index(one.run)] = one.significant
    return score_bars(
        scores.runs,
        scores.measures,
        scores.means,
        (result.lower, result.upper),
        confidence=1 - result.settings.alpha,
        baseline=result.baseline,
        significant=significant,
        topics=len(scores.topics),
    )

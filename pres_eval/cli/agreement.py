"""pres-eval agreement: whether measures agree about runs."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from pres_eval.analysis.agreement import (
    Correlation,
    Dissent,
    Pattern,
    correlations,
    dissents,
    rank_changes,
    read_scores,
    verdict_patterns,
    verdicts,
)
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.cli.analysing import ALPHA, analysis_options, draw, prepare, read, show
from pres_eval.cli.shared import MEASURES
from pres_eval.errors import MeasureError, UsageError
from pres_eval.measures.selection import select
from pres_eval.report.layout import Shown, Table, records_table
from pres_eval.report.text import text_of

DEFAULT_MEASURES = ("map", "recall.1000", "PRES.1000")


@click.command()
@click.argument("files", nargs=-1, metavar="QRELS RUN RUN [RUN ...]")
@MEASURES
@click.option(
    "--scores", metavar="FILE",
    help="CSV of scores (run,MEASURE,MEASURE,...) instead of QRELS RUN RUN: correlations and positions only.",
)  # fmt: skip
@ALPHA
@analysis_options
def command(files: tuple[str, ...], **values: Any) -> None:
    """Whether measures agree about runs: rank correlations, positions, verdicts on pairs.

    \b
    Examples:
      pres-eval agreement fixtures/patents/qrels.txt fixtures/patents/run_*.txt
      pres-eval agreement --scores fixtures/published/table4.csv

    Without -m: map, recall.1000 and PRES.1000.  Correlations between the orders of the runs: Kendall's tau_a
    (what the papers on PRES print) and tau_b, Spearman's rho, and tau_ap, which weighs the top most (each
    measure in turn as the true order, and tau_ap_b with neither).  Positions: the rank of every run under
    each measure.  Verdicts: for every pair of runs each measure says which is better, or that they can't be
    told apart, by a Wilcoxon signed-rank test over topics at --alpha, uncorrected; patterns say which
    measures say the same, dissents how often one stands alone against the others where these agree.

    Tables for --table: correlations, positions, verdicts, dissents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    options, relevance_info = prepare(values)
    if values["scores"]:
        if files:
            raise UsageError("--scores FILE stands instead of QRELS RUN RUN, not beside them")
        settings: dict[str, object] = {"scores": text_of(values["scores"])}
        _show(*_from_file(values["scores"]), None, settings, values)
        return
    if len(files) < 3:
        raise UsageError("expected QRELS and at least two runs, or --scores FILE")
    selection = select(values["measures"] or DEFAULT_MEASURES, options.compat, relevance=relevance_info)
    loaded = read(files[0], files[1:], options, values)
    every_topic = tuple(loaded.relevance.pool.topics) if options.complete else None
    scores = pair_topics(loaded.evaluations(selection), loaded.names, every_topic)
    settings = {**loaded.settings, "alpha": values["alpha"], "topics": len(scores.topics)}
    _show(scores.runs, scores.measures, scores.means, scores, settings, values)


def _from_file(path: str) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    from pres_eval.reading.source import Source

    text = b"".join(bytes(chunk.buffer[chunk.start : chunk.stop]) for chunk in Source(path).chunks())
    return read_scores(path, text.decode("utf-8", "backslashreplace"))


def _show(
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    means: FloatArray,
    scores: PairedScores | None,
    settings: dict[str, object],
    values: dict[str, Any],
) -> None:
    if len(measures) < 2:
        raise MeasureError(f"only {', '.join(measures)}: expected at least two measures to compare")
    positions = rank_changes(means)
    tables = [_correlations(measures, means, scores), _positions(runs, measures, means, positions)]
    patterns = None
    if scores is not None:
        said = verdicts(scores.values, values["alpha"])
        patterns = verdict_patterns(measures, said)
        tables += [_verdicts(patterns, said.shape[1], values["alpha"]), _dissents(measures, said)]
    show(tables, "agreement", settings, values)
    if values["plot"]:
        from pres_eval.report.run_plots import agreement

        texts = None if patterns is None else [pattern.text for pattern in patterns]
        counts = None if patterns is None else [pattern.pairs for pattern in patterns]
        draw(agreement(runs, measures, positions, texts, counts), values["plot"])


def _correlations(measures: tuple[str, ...], means: FloatArray, scores: PairedScores | None) -> Table:
    over = "" if scores is None else f" over {len(scores.topics)} topics"
    return records_table(
        "correlations",
        f"Correlations of the orders of {means.shape[1]} runs{over}",
        correlations(measures, means),
        Correlation,
        ("tau_ap: the first measure's order is the true one; tau_ap_back: the second's; tau_ap_b: neither",),
    )


def _positions(
    runs: tuple[str, ...], measures: tuple[str, ...], means: FloatArray, positions: IntArray
) -> Table:
    order = np.lexsort((np.arange(len(runs)), positions[0]))
    rows, lines = [], []
    for run in order.tolist():
        line = [runs[run]]
        for measure, label in enumerate(measures):
            place = int(positions[measure, run])
            rows.append((runs[run], label, float(means[measure, run]), place))
            change = int(positions[0, run]) - place
            moved = f" ({change:+d})" if measure else ""
            line.append(f"{place}{moved if change else ' ' * len(moved)}")
        lines.append(line)
    return Table(
        "positions",
        f"Positions of the runs, and how far each moves up (+) or down (-) from {measures[0]}",
        ("run", "measure", "score", "position"),
        rows,
        shown=Shown(("run", *measures), lines),
    )


def _verdicts(patterns: list[Pattern], pairs: int, alpha: float) -> Table:
    return Table(
        "verdicts",
        f"Verdicts on {pairs} pairs of runs (Wilcoxon, p < {alpha:g})",
        ("pattern", "pairs", "share"),
        [(pattern.text, pattern.pairs, pattern.share) for pattern in patterns],
        ("= says the same, ≠ something else: first better, second better, or can't tell",),
        Shown(
            ("measures", "pairs", "share"),
            [(pattern.text, str(pattern.pairs), f"{pattern.share:.1%}") for pattern in patterns],
        ),
    )


def _dissents(measures: tuple[str, ...], said: IntArray) -> Table:
    rows = dissents(measures, said)
    return records_table(
        "dissents",
        "Each measure alone against the others where these agree",
        rows,
        Dissent,
        (),
        Shown(
            ("measure", "pairs on which the others agree", "it says something else", "share"),
            [
                (row.measure, str(row.pairs), str(row.alone), f"{row.share:.1%}" if row.pairs else "-")
                for row in rows
            ],
        ),
    )

"""pres-eval agreement: whether measures agree about runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from pres_eval.analysis.agreement import rank_changes, read_scores, verdict_patterns, verdicts
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.arrays.types import FloatArray
from pres_eval.cli.analysing import ALPHA, AnalysisOptions, analysis_options, draw, read, show
from pres_eval.cli.shared import MEASURES
from pres_eval.errors import MeasureError, UsageError
from pres_eval.measures.selection import select
from pres_eval.report.agreement_tables import (
    correlations_table,
    dissents_table,
    positions_table,
    verdicts_table,
)
from pres_eval.report.text import text_of

DEFAULT_MEASURES = ("map", "recall.1000", "PRES.1000")


@dataclass(frozen=True, kw_only=True)
class AgreementOptions(AnalysisOptions):
    """What the command line said."""

    files: tuple[str, ...]
    measures: tuple[str, ...]
    scores: str | None
    alpha: float


@click.command()
@click.argument("files", nargs=-1, metavar="QRELS RUN RUN [RUN ...]")
@MEASURES
@click.option(
    "--scores", metavar="FILE",
    help="CSV of scores (run,MEASURE,MEASURE,...) instead of QRELS RUN RUN: correlations and positions only.",
)  # fmt: skip
@ALPHA
@analysis_options
def command(**values: Any) -> None:
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
    measures say the same, dissents how often one contradicts the others where these agree.

    Tables for --table: correlations, positions, verdicts, dissents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    _agreement(AgreementOptions(**values))


def _agreement(said: AgreementOptions) -> None:
    relevance_info = said.check()
    if said.scores:
        if said.files:
            raise UsageError("--scores FILE replaces QRELS RUN RUN: expected one of them")
        settings: dict[str, object] = {"scores": text_of(said.scores)}
        _show(*_from_file(said.scores), None, settings, said)
        return
    if len(said.files) < 3:
        raise UsageError("expected QRELS and at least two runs, or --scores FILE")
    said.check_paired()
    selection = select(said.measures or DEFAULT_MEASURES, said.numbers(), relevance=relevance_info)
    loaded = read(said, said.files[0], said.files[1:])
    every_topic = tuple(loaded.relevance.pool.topics) if said.complete else None
    scores = pair_topics(loaded.evaluations(selection), loaded.names, every_topic)
    settings = {**loaded.settings, "alpha": said.alpha, "topics": len(scores.topics)}
    _show(scores.runs, scores.measures, scores.means, scores, settings, said)


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
    said: AgreementOptions,
) -> None:
    if len(measures) < 2:
        raise MeasureError(f"only {', '.join(measures)}: expected at least two measures to compare")
    positions = rank_changes(means)
    tables = [correlations_table(measures, means, scores), positions_table(runs, measures, means, positions)]
    patterns = None
    if scores is not None:
        judged = verdicts(scores.values, said.alpha)
        patterns = verdict_patterns(measures, judged)
        tables += [verdicts_table(patterns, judged.shape[1], said.alpha), dissents_table(measures, judged)]
    show(tables, "agreement", settings, said)
    if said.plot:
        from pres_eval.report.run_plots import agreement

        texts = None if patterns is None else [pattern.text for pattern in patterns]
        counts = None if patterns is None else [pattern.pairs for pattern in patterns]
        draw(agreement(runs, measures, positions, texts, counts), said.plot)

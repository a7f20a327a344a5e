"""pres-eval compare: runs × measures, with significance tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from pres_eval.analysis.compare import ComparedRuns, Settings, compare
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.paired import pair_topics
from pres_eval.analysis.significance import TESTS
from pres_eval.cli.analysing import (
    ALPHA,
    SEED,
    AnalysisOptions,
    Loaded,
    analysis_options,
    draw,
    qrels_and_runs,
    read,
    show,
)
from pres_eval.cli.shared import MEASURES, NMAX
from pres_eval.errors import UsageError
from pres_eval.measures.selection import select
from pres_eval.report.compared_tables import compared_tables


@dataclass(frozen=True, kw_only=True)
class CompareOptions(AnalysisOptions):
    """What the command line said."""

    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    nmax: tuple[int, ...]
    baseline: str | None
    all_pairs: bool
    test: str
    correction: str
    alpha: float
    samples: int
    seed: int


@click.command()
@qrels_and_runs()
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
    "--samples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True,
    help="Draws of the bootstrap and sign changes of the randomisation test.",
)  # fmt: skip
@SEED
@analysis_options
def command(**values: Any) -> None:
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
    _compare(CompareOptions(**values))


def _compare(said: CompareOptions) -> None:
    said.check_paired()
    relevance_info = said.check()
    measures = said.measures or ("map", "recall." + ",".join(map(str, said.nmax)), "PRES")
    selection = select(measures, said.numbers(), said.nmax, relevance_info)
    loaded = read(said, said.qrels, said.runs)
    baseline = None if said.all_pairs else _baseline(said, loaded)
    every_topic = tuple(loaded.relevance.pool.topics) if said.complete else None
    scores = pair_topics(loaded.evaluations(selection), loaded.names, every_topic)
    settings = Settings(
        test=said.test,
        correction=said.correction,
        alpha=said.alpha,
        samples=said.samples,
        seed=said.seed,
    )
    result = compare(scores, baseline, settings, loaded.each("comparing"))
    shown = {**loaded.settings, **vars(settings), "topics": len(scores.topics)}
    shown["baseline"] = None if baseline is None else loaded.names[baseline]
    show(compared_tables(result, loaded.topics.text), "compare", shown, said)
    if said.plot:
        draw(_figure(result), said.plot)


def _baseline(said: CompareOptions, loaded: Loaded) -> int:
    wanted = said.baseline
    if wanted is None:
        return 0
    for names in (loaded.names, [ranking.tag for ranking in loaded.rankings], list(said.runs)):
        if wanted in names:
            return names.index(wanted)
    raise UsageError(f"--baseline {wanted}: no such run, expected one of {', '.join(loaded.names)}")


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

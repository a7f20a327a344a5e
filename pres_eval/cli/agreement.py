"""pres-eval agreement: whether measures agree about runs."""

from __future__ import annotations

from dataclasses import replace

from pres_eval.analysis.agreement import (
    VERDICT_TEST,
    disagreements,
    positions_by_measure,
    verdict_patterns,
    verdicts,
)
from pres_eval.analysis.compare_settings import CompareSettings, reach_warning
from pres_eval.analysis.paired import with_measure_order
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.cli.analysing import ALPHA, SEED, PairedOptions, print_tables
from pres_eval.cli.command_options import argument, command_with, option
from pres_eval.cli.loading import Paired, read_paired
from pres_eval.cli.shared import TieOptions
from pres_eval.errors import MeasureError
from pres_eval.measures.selection import select
from pres_eval.options import DEFAULT_NMAX
from pres_eval.report.agreement import (
    agreement_figure,
    correlations_table,
    disagreements_table,
    dissents_table,
    positions_table,
    verdicts_table,
)
from pres_eval.report.paper import Figure

AGREEMENT_MEASURES = ("map", "recall.1000", "PRES.1000")
"""Measures that are compared without -m."""


class AgreementOptions(TieOptions, PairedOptions):
    """Compare measures: rank correlations, positions of runs, verdicts on pairs of runs.

    \b
    Examples:
      pres-eval agreement qrels.txt run_*.txt
      pres-eval agreement --scores scores.csv

    Without -m: map, recall.1000 and PRES.1000; tables and picture keep the order of -m.  Correlations between
    the orders of the runs: Kendall's tau_a (as in the papers on PRES), the highest that ties let it
    reach, tau_b, Spearman's rho, tau_ap, which weighs the top most (each measure in turn as the true order,
    and tau_ap_b with neither), and rank-biased overlap (persistence 0.9).  Positions: the rank of every run
    under each measure, the lowest value first where less is better (last_rel, loss_er).  Verdicts: for every
    pair of runs, the better run under each measure, or no significant difference, by --test over topics at
    --alpha, uncorrected (the papers use wilcoxon); patterns count the measures with the same verdict,
    disagreements list the pairs on which verdicts differ, dissents count how often one measure is alone
    against the others where these agree.

    --scores also takes means without topics, run,MEASURE,MEASURE,...: correlations and positions only.

    Tables for --table: correlations, positions, verdicts, disagreements, dissents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    files: tuple[str, ...] = argument(nargs=-1, metavar="QRELS RUN RUN [RUN ...]")
    nmax: tuple[int, ...] = DEFAULT_NMAX
    test: str = option(
        "--test", choices=PAIRED_TESTS, default=VERDICT_TEST, show_default=True,
        help="Paired test over topics, for the verdicts.",
    )  # fmt: skip
    alpha: float = ALPHA
    seed: int = SEED


@command_with(AgreementOptions)
def command(options: AgreementOptions) -> None:
    """Read scores or runs, and print how measures agree."""
    # with_ties=False: no warning about runs whose values the order of ties could change.
    paired = read_paired(options, least_runs=2, default_measures=AGREEMENT_MEASURES, with_ties=False)
    if not options.scores:
        labels: list[str] = []  # in the order of -m
        for name in options.measures or AGREEMENT_MEASURES:
            columns = select([name], options.evaluation_options(), relevance=options.relevance_info)
            labels.extend(column.label for column in columns)
        paired = replace(
            paired,
            scores=with_measure_order(paired.scores, labels),
            settings={**paired.settings, "topics": len(paired.scores.topics)},
        )
    _show(paired, options)


def _show(paired: Paired, options: AgreementOptions) -> None:
    """Print the tables that compare the measures, and draw the picture of --plot.

    Verdicts on pairs of runs need values of topics; a file of means has none.
    """
    scores = paired.scores
    runs, measures, gains = scores.runs, scores.measures, scores.gains()
    if len(measures) < 2:
        raise MeasureError(f"only {', '.join(measures)}: expected at least two measures to compare")
    positions = positions_by_measure(gains)
    scores_of_topics = scores if scores.topics else None  # a file of means has none
    tables = [
        correlations_table(measures, gains, scores_of_topics),
        positions_table(runs, measures, scores.means, positions, scores.falling),
    ]
    patterns: dict[str, int] = {}
    if scores_of_topics is not None:
        one_by_one = CompareSettings(test=options.test, alpha=options.alpha, correction="none")
        options.warn(reach_warning(one_by_one, scores_of_topics))
        # (M, P): of each measure, on each pair of runs.
        verdicts_of_pairs = verdicts(
            scores_of_topics.gain_values(), options.alpha, options.test, seed=options.seed
        )
        _, num_pairs = verdicts_of_pairs.shape
        patterns = verdict_patterns(measures, verdicts_of_pairs)
        tables += [
            verdicts_table(patterns, num_pairs, options.test, options.alpha),
            disagreements_table(measures, disagreements(runs, verdicts_of_pairs)),
            dissents_table(measures, verdicts_of_pairs),
        ]

    def figure() -> Figure:
        """Return the picture of positions, and of verdicts if there are any."""
        num_pairs_of_pattern = list(patterns.values()) or None
        return agreement_figure(runs, measures, positions, list(patterns) or None, num_pairs_of_pattern)

    settings = {**paired.settings, "test": options.test, "alpha": options.alpha, "seed": options.seed}
    print_tables(tables, "agreement", settings, options, paired.failures, figure)

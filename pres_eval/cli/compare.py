"""pres-eval compare: runs × measures, with significance tests."""

from __future__ import annotations

from pres_eval.analysis.by_group import full_comparison
from pres_eval.analysis.compare import BEST_RUN
from pres_eval.analysis.compare_settings import FAMILIES, TESTS, ComparedRuns, CompareSettings, check_settings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.estimates import INTERVALS
from pres_eval.analysis.paired import ORDERS, topics_with_weights
from pres_eval.analysis.significance import ALTERNATIVES
from pres_eval.cli.analysing import ALPHA, DRAWS, SEED, PairedOptions, print_tables
from pres_eval.cli.command_options import FiniteRange, command_with, option
from pres_eval.cli.loading import Paired, chosen_run, read_paired
from pres_eval.cli.reader import topic_files
from pres_eval.cli.shared import GROUPS, WEIGHTS, TieOptions
from pres_eval.errors import UsageError
from pres_eval.report.compared_tables import compared_tables
from pres_eval.report.compared_topics import by_group_tables, winner_tables
from pres_eval.report.run_plots import compared_figure
from pres_eval.report.text import text_of

MEANS_ARE_NOT_TESTED = "no column topic; tests need scores of topics: run,topic,MEASURE,..."
"""What a message reports about scores that are means."""


class CompareOptions(TieOptions, PairedOptions):
    """Compare runs: means with confidence intervals, paired tests, effect sizes, wins and losses.

    \b
    Examples:
      pres-eval compare qrels.txt run_*.txt -m map -m PRES.100
      pres-eval compare qrels.txt run_*.txt --all-pairs --test tukey

    Topics are those that every run has; with -c all of the qrels, where a topic that a run lacks counts as
    0. Without -m: map, recall and PRES at --nmax.  The best of a measure is marked ^; with a baseline, + and
    - mark runs that are significantly better and worse than it.  With --all-pairs, runs share a
    letter if no significant difference was found between them.  * marks p-values below --alpha.

    The default, --test t, compares means, as the table shows them.  randomisation tries all sign changes for
    up to 16 topics that differ, and --samples random ones for more.  bootstrap draws the t statistic (Sakai
    2006).  wilcoxon and sign use signed ranks or signs of the differences, not means; the papers on PRES use
    wilcoxon.  Three tests compare all runs at once: tukey (HSD after a two-way analysis of variance; extra:
    stats), randomised-tukey (Carterette 2012), and dunnett (with a baseline; extra: stats).

    Which test is best is disputed.  Smucker et al. (CIKM 2007) advise randomisation, and against wilcoxon and
    sign; Urbano et al. find bootstrap, t and wilcoxon better than it (SIGIR 2013), and later t (SIGIR 2019);
    Parapar et al. (SAC 2021) advise wilcoxon, Otero et al. (ECIR 2025) wilcoxon with --correction bh.

    Effect sizes: d_z, the mean difference in standard deviations of the differences; Hedges' g, the same
    without its bias; the matched-pairs rank-biserial correlation.  The 95 % intervals of g, in JSON and CSV,
    hold less often for few topics and a large g: in 93 % for 10 topics and 2, in 87 % for 5 topics and 3.
    --scores takes a CSV file run,topic,MEASURE instead of QRELS and runs.

    --groups compares in each group of topics too, corrected for all groups, and tests whether differences
    depend on the group.  With --weights differences are weighed as the means are.

    Tables for --table: means, comparisons; with --all-pairs groups, and letters: means with the letters of
    the groups, for a paper; with --groups by_group, interaction; with --per-topic per_topic, wins.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    baseline: str | None = option(
        "--baseline", metavar="RUN",
        help="Compare with this run, a tag or a file (default: the first); best: with the best of each"
        " measure, corrected for all pairs of runs.",
    )  # fmt: skip
    all_pairs: bool = option("--all-pairs", is_flag=True, help="Compare every run with every other.")
    test: str = option(
        "--test", choices=TESTS, default=TESTS[0], show_default=True, metavar="TEST",
        help=f"Paired test over topics, or of all runs at once: {', '.join(TESTS)}.",
    )  # fmt: skip
    alternative: str = option(
        "--alternative", choices=ALTERNATIVES, default=ALTERNATIVES[0], show_default=True,
        help="Hypothesis to show: the runs differ, the run is better, worse, as good, not worse by --margin.",
    )  # fmt: skip
    margin: float | None = option(
        "--margin", type=FiniteRange(min=0, min_open=True), metavar="DIFFERENCE",
        help="Difference of means that is too small to matter, for equivalent and non-inferior.",
    )  # fmt: skip
    correction: str = option(
        "--correction", choices=CORRECTIONS, default="holm", show_default=True,
        help="Correction for many comparisons; tukey, randomised-tukey and dunnett need none.",
    )  # fmt: skip
    correct_over: str = option(
        "--correct-over", choices=FAMILIES, default=FAMILIES[0], show_default=True,
        help="Correct for the comparisons of one measure, or for those of all measures together.",
    )  # fmt: skip
    interval: str = option(
        "--interval", choices=INTERVALS, default=INTERVALS[0], show_default=True,
        help="Confidence intervals: Student's t, or the bootstrap over topics.",
    )  # fmt: skip
    single_intervals: bool = option(
        "--single-intervals", is_flag=True,
        help="Make each interval of differences for one comparison, without the correction.",
    )  # fmt: skip
    alpha: float = ALPHA
    samples: int = option(
        "--samples", type=DRAWS, default=10_000, show_default=True,
        help="Draws of the bootstrap, sign changes of randomisation, deals of randomised-tukey.",
    )  # fmt: skip
    seed: int = SEED
    per_topic: bool = option(
        "--per-topic",
        is_flag=True,
        help="Add the best and the second run of each topic, and the wins of each run.",
    )
    sort_topics: str | None = option(
        "--sort-topics", choices=ORDERS,
        help="Order of --per-topic, which this option implies: largest differences first (default), by"
        " topic, by"
        " the best run.",
    )  # fmt: skip
    groups: str | None = GROUPS
    weights: str | None = WEIGHTS

    def settings(self) -> CompareSettings:
        """Return the settings of the comparison; raise UsageError for options that exclude each other."""
        if self.all_pairs and self.baseline is not None:
            raise UsageError("--all-pairs and --baseline: expected one of them")
        settings = CompareSettings(
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            alternative=self.alternative,
            margin=0.0 if self.margin is None else self.margin,
            interval=self.interval,
            over=self.correct_over,
            simultaneous=not self.single_intervals,
        )
        check_settings(settings, self.all_pairs)
        return settings


@command_with(CompareOptions)
def command(options: CompareOptions) -> None:
    """Read scores or runs, compare them, and print the tables."""
    settings = options.settings()
    paired = read_paired(options, least_runs=1, error_of_means=MEANS_ARE_NOT_TESTED)
    groups, weights = None, None
    if options.groups is not None or options.weights is not None:
        groups, weights = topic_files(options, options.groups, options.weights, paired.scores.topics)
    baseline = _baseline(options, paired)
    comparison = full_comparison(
        paired.scores, baseline, settings, groups, weights, loop=paired.loop("comparing"), warn=options.warn
    )
    result = comparison.compared
    tables = compared_tables(result, topics_with_weights(paired.topics, result.scores))
    if comparison.by_group is not None:
        tables += by_group_tables(comparison.by_group, settings)
    if options.per_topic or options.sort_topics:
        unweighted_scores = comparison.plain
        tables += winner_tables(unweighted_scores, options.sort_topics or ORDERS[0])
    recorded = _recorded(options, paired, settings, result)
    print_tables(tables, "compare", recorded, options, paired.failures, lambda: compared_figure(result))


def _recorded(
    options: CompareOptions, paired: Paired, settings: CompareSettings, result: ComparedRuns
) -> dict[str, object]:
    """Return how the numbers were made, for JSON."""
    baseline: str | None
    if result.baselines is None:  # all pairs of runs were compared
        baseline = None
    elif result.baseline is None:  # not the same for all measures
        baseline = BEST_RUN
    else:
        baseline = result.scores.runs[result.baseline]
    recorded: dict[str, object] = {
        **paired.settings,
        **settings.recorded(),
        "topics": len(result.scores.topics),
        "baseline": baseline,
    }
    if options.groups is not None:
        recorded["groups"] = text_of(options.groups)
    if options.weights is not None:
        recorded["weights"] = text_of(options.weights)
    return recorded


def _baseline(options: CompareOptions, paired: Paired) -> int | str | None:
    """Return the baseline: the index of a run, BEST_RUN for the best of each measure, None for all pairs.

    --baseline best means the best of each measure, unless a run has this name.  Raises UsageError for a name
    that no run has.
    """
    if options.all_pairs:
        return None
    if options.baseline is None:
        return 0
    is_name_of_run = any(BEST_RUN in names for names in paired.known_names)
    if options.baseline == BEST_RUN and not is_name_of_run:
        return BEST_RUN
    return chosen_run("--baseline", options.baseline, paired.known_names, BEST_RUN)

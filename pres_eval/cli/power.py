"""pres-eval power: how many topics a difference needs, and how sure measures are."""

from __future__ import annotations

import time

from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.power import (
    DISCRIMINATION_TESTS,
    Discrimination,
    SizePlan,
    Swaps,
    discriminative_power,
    stability,
    topic_set_sizes,
)
from pres_eval.analysis.unequal_variances import unequal_variances_warning
from pres_eval.cli.analysing import ALPHA, DRAWS, SEED, PairedOptions, print_tables
from pres_eval.cli.command_options import CutoffList, FiniteRange, WholeRange, argument, command_with, option
from pres_eval.cli.loading import MEANS_ARE_REFUSED, read_paired
from pres_eval.engines.threads import Loop
from pres_eval.errors import UsageError, plural
from pres_eval.report.paper import Figure
from pres_eval.report.power import (
    FEWEST_IN_BIN,
    discrimination_tables,
    power_figure,
    sizes_table,
    stability_tables,
)

MOST_DIFFERENCES = 50_000_000
"""Largest number of differences of runs: those of 10,000 runs, 400 MB in each of a few arrays."""

DRAWS_PER_TIMED_DRAW = 50
"""Number of draws of which one is timed first, to estimate how long all take."""


class PowerOptions(PairedOptions):
    """Compute how many topics a difference needs, and how sure measures are with your topics (extra: stats).

    \b
    Example:
      pres-eval power qrels.txt run_*.txt --delta 0.1

    Topics needed, after Sakai's topic set size design: from the variance of these runs, for a t-test, for an
    analysis of variance, for an interval of a given width.  By default the t-test is one uncorrected test of
    an average pair; --share plans for more of the pairs, --comparisons for a correction.

    Discriminative power (Sakai 2006, 2012): how many pairs of these runs differ significantly under a
    measure, and which difference that takes.  Stability (Buckley & Voorhees 2000) and swaps (Voorhees &
    Buckley 2002): how often other topics reverse the order of two runs.

    Tables for --table: sizes, discrimination, levels, stability, swaps.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    files: tuple[str, ...] = argument(nargs=-1, metavar="QRELS RUN RUN [RUN ...]")
    delta: float = option(
        "--delta", type=FiniteRange(0, min_open=True), default=0.05, show_default=True,
        metavar="DIFFERENCE", help="Difference of means to find.",
    )  # fmt: skip
    alpha: float = ALPHA
    power: float = option(
        "--power", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True,
        help="Probability of finding it.",
    )  # fmt: skip
    share: float | None = option(
        "--share", type=FiniteRange(0, 1, min_open=True), metavar="FRACTION",
        help="Share of the pairs of runs that have this power (default: plan for an average pair).",
    )  # fmt: skip
    comparisons: int = option(
        "--comparisons", type=WholeRange(min=1), default=1, show_default=True, metavar="NUM",
        help="Comparisons of two runs that p-values are corrected for: of 10 runs 9 with a baseline, or 45.",
    )  # fmt: skip
    num_runs: int = option(
        "--runs", type=WholeRange(min=2), default=10, show_default=True, metavar="NUM",
        help="Runs of the planned experiment, for the analysis of variance.",
    )  # fmt: skip
    test: str = option(
        "--test", choices=DISCRIMINATION_TESTS, default=DISCRIMINATION_TESTS[0], show_default=True,
        help="Test for the achieved significance levels.",
    )  # fmt: skip
    samples: int = option(
        "--samples", type=DRAWS, default=10_000, show_default=True,
        help="Deals of randomised-tukey, draws of the bootstrap.",
    )  # fmt: skip
    sizes: tuple[int, ...] = option(
        "--sizes", once=True, type=CutoffList("numbers of topics above 0 such as 25,50"), default=(),
        metavar="NUMBERS",
        help="Sizes of the sets of topics (default: a fifth, two fifths, half of the topics).",
    )  # fmt: skip
    trials: int = option(
        "--trials", type=WholeRange(1, 1_000_000), default=200, show_default=True,
        help="Random sets of topics of each size.",
    )  # fmt: skip
    seed: int = SEED


@command_with(PowerOptions)
def command(options: PowerOptions) -> None:
    """Print how many topics are needed, and which differences these runs can show."""
    paired = read_paired(options, least_runs=2, error_of_means=MEANS_ARE_REFUSED)
    scores = paired.scores
    if len(scores.runs) < 2 or len(scores.topics) < 4:
        size = f"{plural(len(scores.runs), 'run')} over {plural(len(scores.topics), 'topic')}"
        raise UsageError(f"{size}: expected two runs and four topics at least")
    _check_work(options, scores, paired.loop("estimating the time"))
    plan = SizePlan(
        delta=options.delta,
        alpha=options.alpha,
        power=options.power,
        runs=options.num_runs,
        comparisons=options.comparisons,
        share=options.share,
    )
    sizes = topic_set_sizes(scores, plan)
    discriminations = discriminative_power(
        scores,
        test=options.test,
        alpha=options.alpha,
        samples=options.samples,
        seed=options.seed,
        loop=paired.loop("testing pairs"),
    )
    options.warn(unequal_variances_warning(scores, options.test, options.alpha))
    set_sizes = _sizes(options, len(scores.topics))
    stabilities, swaps = stability(
        scores,
        set_sizes,
        trials=options.trials,
        seed=options.seed,
        loop=paired.loop("drawing topics"),
    )
    tables = [
        sizes_table(sizes, plan, len(scores.topics)),
        *discrimination_tables(discriminations, options.test, options.alpha),
        *stability_tables(stabilities, swaps, options.trials),
    ]
    settings = dict(paired.settings)
    for name in ("delta", "alpha", "power", "share", "comparisons", "test", "samples", "trials", "seed"):
        settings[name] = getattr(options, name)
    settings["planned_runs"] = options.num_runs  # "runs" are the files
    settings["sizes"] = set_sizes
    settings["topics"] = len(scores.topics)

    def figure() -> Figure:
        """Return the picture of achieved significance levels and swap rates."""
        return _figure(discriminations, swaps, options.alpha)

    print_tables(tables, "power", settings, options, paired.failures, figure)


def _check_work(options: PowerOptions, scores: PairedScores, loop: Loop) -> None:
    """Print a note before work that takes minutes; raise UsageError for more pairs than fit into memory."""
    _, num_runs, num_topics = scores.values.shape
    num_pairs = num_runs * (num_runs - 1) // 2
    # randomised-tukey keeps a difference of means for each pair, other tests the differences on all topics.
    num_differences, over = num_pairs, ""
    if options.test != "randomised-tukey":
        num_differences *= num_topics
        over = f" over {num_topics:,} topics (--test {options.test})"
    if num_differences > MOST_DIFFERENCES:
        raise UsageError(
            f"{num_runs:,} runs: {num_pairs:,} pairs{over}, expected at most {MOST_DIFFERENCES:,}; leave some"
            " runs out"
        )
    if options.quiet:
        return
    minutes = _minutes(options, scores, loop)
    if minutes > 1:
        options.note(
            f"{num_runs:,} runs over {num_topics:,} topics take minutes, about {minutes:,.0f};"
            " fewer --samples and --trials take less"
        )


def _minutes(options: PowerOptions, scores: PairedScores, loop: Loop) -> float:
    """Return how many minutes all draws take, estimated from the time of some of them."""
    draws_per_timed_draw = min(DRAWS_PER_TIMED_DRAW, options.samples, options.trials)  # one is timed at least
    start = time.monotonic()
    if options.test != "t":  # t draws nothing
        discriminative_power(
            scores,
            test=options.test,
            samples=options.samples // draws_per_timed_draw,
            seed=options.seed,
            loop=loop,
        )
    sizes = _sizes(options, len(scores.topics))
    stability(scores, sizes, trials=options.trials // draws_per_timed_draw, seed=options.seed, loop=loop)
    seconds = time.monotonic() - start
    return seconds * draws_per_timed_draw / 60


def _sizes(options: PowerOptions, num_topics: int) -> list[int]:
    """Return the sizes of the sets of topics: those of --sizes, or a fifth, two fifths and half of all.

    Raises UsageError for more than half, as stability compares with a second set of the same size.
    """
    if not options.sizes:
        return sorted({max(1, num_topics // 5), max(1, 2 * num_topics // 5), num_topics // 2})
    if options.sizes[-1] > num_topics // 2:
        raise UsageError(f"--sizes {options.sizes[-1]}: more than half of the {num_topics} topics")
    return list(options.sizes)


def _figure(discriminations: list[Discrimination], swaps: list[Swaps], alpha: float) -> Figure:
    """Return the picture of achieved significance levels, and of swap rates in the largest sets of topics.

    swaps  at least one
    """
    largest = max(swap.topics for swap in swaps)
    levels = {}
    curves = {}  # by measure: differences of means, and the rate at which other topics reversed them
    for discrimination in discriminations:
        measure = discrimination.measure
        levels[measure] = discrimination.levels
        swaps_of_measure = [
            swap
            for swap in swaps
            if swap.measure == measure and swap.topics == largest and swap.pairs >= FEWEST_IN_BIN
        ]
        curves[measure] = (
            [swap.lower for swap in swaps_of_measure],
            [swap.rate for swap in swaps_of_measure],
        )
    return power_figure(levels, curves, alpha=alpha, topics=largest)

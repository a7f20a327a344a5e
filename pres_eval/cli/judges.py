"""pres-eval judges: do conclusions survive another judge?"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from pres_eval.analysis.compare_settings import CompareSettings, reach_warning
from pres_eval.analysis.group_favour import expected_gains, favours
from pres_eval.analysis.judged_runs import order_changes, run_changes, swapped_pairs, topic_changes
from pres_eval.analysis.judging import Assessments, GradeTable, agreement, by_topic, grade_table, side_by_side
from pres_eval.analysis.paired import PairedScores, pair_runs
from pres_eval.analysis.prediction_powered import TwoJudges, favoured_groups, turned_round
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays import FloatArray
from pres_eval.cli.analysing import ALPHA, RUN_GROUPS, SEED, AnalysisOptions, groups_of_runs, print_tables
from pres_eval.cli.command_options import argument, command_with, option
from pres_eval.cli.loading import read_runs, select_or_default
from pres_eval.cli.reader import qrels_at, unchanged
from pres_eval.cli.shared import MEASURES, NMAX
from pres_eval.errors import InputError, RunFailure, UsageError, plural
from pres_eval.options import recorded
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.reading.mistakes.shapes import SWAPPED
from pres_eval.report.corrected_tables import corrected_tables
from pres_eval.report.judges_tables import (
    agreement_table,
    grades_table,
    groups_table,
    joined_over_judges,
    orders_table,
    runs_table,
    swaps_table,
    topic_changes_table,
    topics_table,
)
from pres_eval.report.layout import Table
from pres_eval.report.paper import Figure
from pres_eval.report.text import p_text, text_of

FEW_TOPICS = 10
"""Least number of topics judged by people and by the machine without a warning about intervals."""

_MOST_PAIRS = 3
"""Largest number of pairs of runs in opposite orders that warnings name; further ones are counted."""


class JudgesOptions(AnalysisOptions):
    """Two judges of the same topics: how far they agree, and whether the runs come out alike.

    \b
    Example:
      pres-eval judges qrels.txt qrels.txt run_*.txt

    Judgements may come from several assessors, from a crowd, from a language model; the first QRELS are those
    that the others are compared with.  Documents that both judged: grades against grades, raw agreement,
    Cohen's kappa (plain, weighted by the distance of the grades), Krippendorff's alpha; for each topic as
    well. Topics that not all judges have are left out.

    With runs: the order of the runs under each judge, the pairs that swap and which of these were
    significant, the topics and runs that gain and lose most, and with --group whether a family of runs is
    favoured.  A document that a judge did not judge counts as unjudged.

    With --correct: prediction-powered means and differences over all topics of the second judge, with
    intervals; a warning if its errors favour some runs; the gain from more topics, and which to judge.

    Tables for --table: agreement, grades, topics; with runs orders, swaps, runs, topic_changes, groups; with
    --correct corrected, corrected_differences, more_topics, to_judge.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    COMPARES_TOPICS = NEEDS_QRELS_FORMAT = True

    first: str = argument(metavar="QRELS")
    second: str = argument(metavar="QRELS")
    runs: tuple[str, ...] = argument(nargs=-1, metavar="[RUN ...]")
    judges: tuple[str, ...] = option(
        "--judge", multiple=True, metavar="QRELS",
        help="One more judge, compared with the first; several allowed.",
    )  # fmt: skip
    measures: tuple[str, ...] = MEASURES
    nmax: tuple[int, ...] = NMAX
    groups: tuple[tuple[str, str], ...] = RUN_GROUPS
    test: str = option(
        "--test", choices=PAIRED_TESTS, default="t", show_default=True,
        help="Paired test of the differences over topics.",
    )  # fmt: skip
    alpha: float = ALPHA
    correct: bool = option(
        "--correct", is_flag=True,
        help="The first QRELS are people's, of some topics drawn by chance, the second a machine's of all:"
        " means"
        " and differences of runs by the machine, corrected by people.",
    )  # fmt: skip
    seed: int = SEED


@command_with(JudgesOptions)
def command(options: JudgesOptions) -> None:
    """Print the agreement of judges, and its effect on runs."""
    paths = [options.first, options.second, *options.judges]
    settings = _settings(options, paths)
    read_twice = [*paths, *options.runs] if options.correct else []
    with unchanged(read_twice):
        judged = side_by_side([qrels_at(options, path) for path in paths])
        corrected: list[Table] = []
        failures: tuple[RunFailure, ...] = ()
        if options.correct:
            corrected, failures = _tables_corrected_by_people(options)
    pairs = [judged.beside_first(judge) for judge in range(1, len(paths))]
    tables = [_agreement_tables(options, pair) for pair in pairs]
    scores: list[PairedScores] = []
    if not options.runs:
        _check_no_options_of_runs(options)
    elif not options.correct:
        scores, failures = _add_tables_of_runs(options, judged, pairs, tables)

    def figure() -> Figure:
        """Return the picture of the first two judges."""
        return _figure(pairs[0], scores[:2], options.warn)

    shown = [*corrected, *joined_over_judges(tables, judged)]
    print_tables(shown, "judges", settings, options, failures, figure)


def _check_no_options_of_runs(options: JudgesOptions) -> None:
    """Raise UsageError for options about runs; a call without runs calls this."""
    if options.groups:
        raise UsageError("--group: no runs, expected QRELS QRELS RUN ...")
    if options.measures and options.protocol is None:
        raise UsageError("-m: no runs, expected QRELS QRELS RUN ...")


def _add_tables_of_runs(
    options: JudgesOptions,
    judged: Assessments,
    pairs: Sequence[Assessments],
    tables: Sequence[list[Table]],
) -> tuple[list[PairedScores], tuple[RunFailure, ...]]:
    """Add the tables about the runs to those of each pair of judges.

    Returns the scores of the runs by each judge, and the runs that cannot be read.

    judged  all judges
    pairs   the first judge beside each other one
    tables  for each pair the tables so far, to which this function adds
    """
    score, failures = _scorer(options, judged)
    scores = [score(judged.qrels(judge)) for judge in range(len(judged.names))]
    by_first = scores[0]
    if len(by_first.runs) > 1:
        one_by_one = CompareSettings(test=options.test, alpha=options.alpha, correction="none")
        options.warn(reach_warning(one_by_one, by_first))
    for tables_of_pair, pair, by_other in zip(tables, pairs, scores[1:], strict=True):
        tables_of_pair.extend(_tables_of_runs(options, by_first, by_other))
        if options.groups:
            groups = groups_of_runs(options.groups, by_first.runs)
            fair_gains = expected_gains(pair, by_first, score, options.seed)
            favour_of_groups = favours(by_first, by_other, fair_gains, groups)
            tables_of_pair.append(groups_table(favour_of_groups, by_first.falling))
    return scores, failures


def _settings(options: JudgesOptions, paths: Sequence[str]) -> dict[str, object]:
    """Return how the numbers were made, for JSON.

    paths  the files of the judges
    """
    settings: dict[str, object] = {
        "judges": [text_of(path) for path in paths],
        **recorded(options.evaluation_options()),
        **options.rewrites,
    }
    if not options.runs:
        return settings
    settings["runs"] = [text_of(run) for run in options.runs]
    if options.correct:
        settings |= {"alpha": options.alpha, "seed": options.seed}
    else:
        settings |= {"test": options.test, "alpha": options.alpha}
    if options.groups:
        settings["seed"] = options.seed
    return settings


def _agreement_tables(options: JudgesOptions, pair: Assessments) -> list[Table]:
    """Return the tables of the agreement of two judges: figures, grades against grades, topics."""
    grades, level = _grades(pair), options.relevance_level
    return [
        agreement_table(pair, agreement(pair, level), grades, level),
        grades_table(pair, grades),
        topics_table(by_topic(pair, level)),
    ]


def _grades(pair: Assessments) -> GradeTable:
    """Return for each pair of grades how many of the documents that both judged have it."""
    judged_by_both = pair.judged.all(axis=0)
    first_grades, second_grades = pair.grades
    return grade_table(first_grades[judged_by_both], second_grades[judged_by_both])


def _tables_corrected_by_people(options: JudgesOptions) -> tuple[list[Table], tuple[RunFailure, ...]]:
    """Return the tables of the runs by the machine's judgements, corrected by people's; and runs not read.

    Raises UsageError for options that --correct excludes.
    """
    if not options.runs or options.judges or options.plot or options.test != "t":
        raise UsageError("--correct: expected QRELS QRELS RUN ..., without --judge and --plot, and --test t")
    evaluation_options = options.evaluation_options()
    selection = select_or_default(options, options.measures, options.nmax)
    scores = []
    failures: tuple[RunFailure, ...] = ()
    for path in (options.first, options.second):
        qrels = qrels_at(options.replace(quiet=True), path)  # warnings about it were printed before
        # That people judged fewer topics is what --correct is for: no warning of it.
        options_of_judge = options.replace(quiet=options.quiet or path == options.first)
        rankings, names, failures = read_runs(options_of_judge, options.runs, qrels, evaluation_options)
        scores.append(pair_runs(qrels, rankings, names, selection, evaluation_options))
    by_people, by_machine = scores
    judges = TwoJudges.from_scores(by_people, by_machine)
    num_common = len(judges.people.topics)
    if num_common < FEW_TOPICS:
        options.warn(
            f"{plural(num_common)} with judgements of both, expected {FEW_TOPICS} or more: intervals over so"
            " few topics are unreliable"
        )
    if len(by_people.topics) > len(by_machine.topics):
        options.warn(
            f"{options.first} has more topics than {options.second}: the first file is that of people"
        )
    if len(judges.people.runs) > 1:
        _warn_of_favours(options, judges)
    _warn_of_opposite_orders(options, judges)
    return corrected_tables(judges, options.alpha, options.seed), failures


def _warn_of_favours(options: JudgesOptions, judges: TwoJudges) -> None:
    """Warn of runs, or groups of them, that the machine's errors favour."""
    groups = groups_of_runs(options.groups, judges.people.runs, required=bool(options.groups))
    for favour in favoured_groups(judges, groups, options.alpha):
        options.warn(
            f"{favour.measure}: the errors of {options.second} favour {favour.group},"
            f" by {favour.difference:.4f} more than the runs that are worse"
            f" (p by Holm: {p_text(favour.corrected)})"
        )


def _warn_of_opposite_orders(options: JudgesOptions, judges: TwoJudges) -> None:
    """Warn of pairs of runs that people and the machine put in opposite orders, each significantly."""
    pairs = list(turned_round(judges, options.alpha))
    for measure, run, other, by_people, by_machine in pairs[:_MOST_PAIRS]:
        options.warn(
            f"{measure}: {options.second} puts {other} before {run}, by {by_machine:.4f};"
            f" people put it {by_people:.4f} behind (both significant, t and Holm)"
        )
    if len(pairs) > _MOST_PAIRS:
        further = plural(len(pairs) - _MOST_PAIRS, "more pair of runs is", "more pairs of runs are")
        options.warn(f"{further} in opposite orders")


Scorer = Callable[[QrelsJudgements], PairedScores]
"""Function that scores the runs by some judgements."""


def _scorer(options: JudgesOptions, judged: Assessments) -> tuple[Scorer, tuple[RunFailure, ...]]:
    """Return a function that scores the runs by judgements of the topics of `judged`; and runs not read."""
    evaluation_options = options.evaluation_options()
    selection = select_or_default(options, options.measures, options.nmax)
    try:
        rankings, names, failures = read_runs(options, options.runs, judged.qrels(0), evaluation_options)
    except InputError as error:
        if SWAPPED not in error.advice:
            raise
        # A run that looks like judgements: here it is more likely a third judge than a swapped file.
        advice = f"this looks like judgements: name a third judge with --judge {shlex.quote(error.path)}"
        raise InputError(error.path, error.line, error.found, error.expected, advice) from None

    def score(qrels: QrelsJudgements) -> PairedScores:
        """Return the scores of the runs by these judgements."""
        return pair_runs(qrels, rankings, names, selection, evaluation_options)

    return score, failures


def _tables_of_runs(options: JudgesOptions, first: PairedScores, second: PairedScores) -> Iterator[Table]:
    """Yield the tables of what changes from the first judge to the second: orders, pairs, values of runs."""
    if len(first.runs) > 1:
        orders = list(order_changes(first, second, test=options.test, alpha=options.alpha))
        yield orders_table(orders, options.alpha, options.test, len(first.runs))
        yield swaps_table(list(swapped_pairs(first, second, test=options.test)))
    yield runs_table(list(run_changes(first, second)), first.falling)
    yield topic_changes_table(list(topic_changes(first, second)), len(first.measures))


def _figure(judged: Assessments, scores: Sequence[PairedScores], warn: Callable[[str], None]) -> Figure:
    """Return the picture of the grades of two judges, and of the positions of the runs by each.

    judged  the two judges
    scores  of the runs by each of the two judges; empty without runs
    """
    import numpy as np

    from pres_eval.analysis.correlation import positions
    from pres_eval.report.judgement_plots import judges_figure

    names = [text_of(name) for name in judged.names[:2]]
    table = _grades(judged)
    runs: Sequence[str] = ()
    positions_by_judge: dict[str, FloatArray] = {}  # (2, R) of each measure
    if scores:
        runs = scores[0].runs
        for index, measure in enumerate(scores[0].measures):
            positions_by_judge[measure] = np.array([positions(judge.gains()[index]) for judge in scores])
    return judges_figure(names, table.grades, table.counts, runs, positions_by_judge, warn)

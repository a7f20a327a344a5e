"""All gates of an evaluation at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pres_eval.cli.gates.against import (
    Change,
    EarlierEvaluation,
    changes,
    warnings_of_changes,
    warnings_of_tests,
    with_tests,
)
from pres_eval.cli.gates.counterparts import over_groups
from pres_eval.cli.gates.findings import GateFinding, run_name
from pres_eval.cli.gates.matching import doubtful_pairs, match_runs, unmatched
from pres_eval.cli.gates.mismatches import mismatches, not_comparable
from pres_eval.cli.gates.thresholds import Threshold, threshold_findings
from pres_eval.cli.gates.tolerances import check_tolerance
from pres_eval.report.groups import with_group_columns
from pres_eval.report.records import Record
from pres_eval.scoring import ScoredRun


def check_gates(
    now: Record,
    thresholds: Sequence[Threshold] = (),
    earlier: EarlierEvaluation | None = None,
    line_findings: Iterable[GateFinding] = (),
    topics_chosen: bool = False,
) -> tuple[list[GateFinding], list[Change]]:
    """Return all findings of the gates, and how each measure changed since the earlier evaluation.

    Findings that two evaluations cannot be compared come first.

    now            the evaluation whose gates these are
    thresholds     those of --fail-under and --fail-over
    earlier        the evaluation of --against, None without it
    line_findings  the findings of --expect, which come last
    topics_chosen  whether the user has chosen what becomes of judged topics that a run lacks

    Raises UsageError if a threshold or a tolerance names a column that was not computed, or makes no sense
    for it, and InputError for an earlier value that is no number.
    """
    runs = [replace(run, evaluation=with_group_columns(run.evaluation, now.groups)) for run in now.runs]
    findings: list[GateFinding] = []
    compared: list[Change] = []
    if earlier is not None:
        findings, compared = _against(now, earlier, [run.evaluation for run in runs])
    for threshold in thresholds:
        findings += threshold_findings(runs, threshold, now.groups, topics_chosen)
    findings += [change.finding() for change in compared]
    findings += line_findings
    return findings, compared


def _against(
    now: Record, earlier: EarlierEvaluation, evaluations: Sequence[ScoredRun]
) -> tuple[list[GateFinding], list[Change]]:
    """Return what keeps runs now and earlier from being compared, and the change of each measure.

    evaluations  those of `now`, with the columns of groups, which tolerances can name
    """
    tolerance = check_tolerance(earlier.tolerance, evaluations)
    matching = match_runs(now.runs, earlier.record.runs, earlier.match, now.weights)
    compared: list[Change] = []
    for runs in matching.counterparts:
        for counterparts in (runs, *over_groups(runs, now.groups)):
            compared += changes(counterparts, earlier, tolerance)
    findings = [
        *mismatches(now, earlier.record, earlier.path, earlier.allow_changed_judgements),
        *unmatched(
            [run_name(run.evaluation) for run in matching.new],
            [run_name(run.evaluation) for run in matching.gone],
            earlier.path,
            allowed=earlier.allow_unmatched,
            any_matched=bool(matching.counterparts),
        ),
        *doubtful_pairs(matching, earlier.path, earlier.match),
    ]
    for runs in matching.counterparts:
        findings += not_comparable(runs)
    findings += warnings_of_changes(compared)
    if earlier.confirmation is not None:
        compared = with_tests(compared, earlier.confirmation)
        findings += warnings_of_tests(compared)
    return findings, compared

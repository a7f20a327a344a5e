"""All gates of an evaluation at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pres_eval.gates.against import Change, Earlier, changes, check_tolerance, confirmed, named, powerless
from pres_eval.gates.counterparts import in_groups, match_runs, mismatches, not_comparable, unmatched
from pres_eval.gates.findings import GateFinding, run_name
from pres_eval.gates.thresholds import Threshold, reached
from pres_eval.report.groups import with_group_columns
from pres_eval.report.records import Record
from pres_eval.scoring import ScoredRun


def check_gates(
    now: Record,
    thresholds: Sequence[Threshold] = (),
    earlier: Earlier | None = None,
    unexpected: Iterable[GateFinding] = (),
    topics_chosen: bool = False,
) -> tuple[list[GateFinding], list[Change]]:
    """Return everything that the gates find, and how each measure changed since the earlier evaluation.

    What makes two evaluations other numbers comes first, `unexpected`, the findings of --expect, last.
    topics_chosen: whether the user has decided what becomes of judged topics that a run lacks.

    Raises UsageError if a threshold or a tolerance names a column that was not computed, or makes no sense
    for it.
    """
    runs = [replace(run, evaluation=with_group_columns(run.evaluation, now.groups)) for run in now.runs]
    evaluations = [run.evaluation for run in runs]
    against, compared = ([], []) if earlier is None else _against(now, earlier, evaluations)
    findings = [
        *against,
        *(
            finding
            for threshold in thresholds
            for finding in reached(runs, threshold, now.groups, topics_chosen)
        ),
        *(change.finding() for change in compared),
        *unexpected,
    ]
    return findings, compared


def _against(
    now: Record, earlier: Earlier, evaluations: Sequence[ScoredRun]
) -> tuple[list[GateFinding], list[Change]]:
    """Return the findings against the earlier evaluation, and the change of each measure since."""
    tolerance = check_tolerance(earlier.tolerance, evaluations)
    matched, new, gone = match_runs(now.runs, earlier.record.runs, earlier.match, now.weights)
    every = [part for runs in matched for part in (runs, *in_groups(runs, now.groups))]
    compared = [change for runs in every for change in changes(runs, earlier, tolerance)]
    findings = [
        *mismatches(now, earlier.record, earlier.path),
        *unmatched(
            [run_name(run.evaluation) for run in new],
            [run_name(run.evaluation) for run in gone],
            earlier.path,
            allowed=earlier.allow_unmatched,
            any_matched=bool(matched),
        ),
        *(finding for runs in matched for finding in not_comparable(runs)),
        *named(
            [one for one in compared if one.column.measure.rewards_giving_up and one.before != one.now],
            "{}: better for a run that retrieves less; compare runs of one depth (-M), or look at -m num_ret"
            " too",
        ),
        *named(
            [one for one in compared if one.cannot_fail],
            "--tolerance allows a fall as large as the earlier value, or over half of what a measure can be:"
            " {}",
        ),
    ]
    if earlier.confirmation is not None:
        compared = confirmed(compared, earlier.confirmation)
        findings += [
            *powerless(compared),
            *named(
                [one for one in compared if one.tested is None],
                "--if-significant does not test {}, as it is no finite mean over topics: any fall that is"
                " not allowed fails",
            ),
        ]
    return findings, compared

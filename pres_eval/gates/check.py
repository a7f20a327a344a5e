"""All gates of an evaluation at once."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.gates.against import GATE, Change, Earlier, changes, mismatches, not_comparable, unmatched
from pres_eval.gates.counterparts import match_runs
from pres_eval.gates.expected import Expected, unexpected
from pres_eval.gates.findings import Finding
from pres_eval.gates.thresholds import Threshold, below
from pres_eval.gates.tolerance import check_tolerance
from pres_eval.report.records import Record
from pres_eval.report.text import text_of


def check_gates(
    now: Record,
    thresholds: Sequence[Threshold] = (),
    earlier: Earlier | None = None,
    expected: Expected | None = None,
) -> tuple[list[Finding], list[Change]]:
    """Everything that the gates find, and how each measure changed since the earlier evaluation.

    What makes two evaluations other numbers comes first.  Raises UsageError if a threshold or a tolerance
    names a column that was not computed or allows any value.
    """
    evaluations = [run.evaluation for run in now.runs]
    findings = [] if earlier is None else list(mismatches(now, earlier))
    compared: list[Change] = []
    if earlier is not None:
        tolerance = check_tolerance(earlier.tolerance, evaluations)
        matched, new, gone = match_runs(now.runs, earlier.record.runs, earlier.match)
        findings += unmatched(new, gone, earlier)
        if not matched:
            message = f"{text_of(earlier.path)}: no run has a counterpart in it"
            findings.append(Finding(gate=GATE, message=message, path=earlier.path))
        for runs in matched:
            findings += not_comparable(runs)
            compared += changes(runs, earlier, tolerance)
    findings += [finding for threshold in thresholds for finding in below(evaluations, threshold)]
    findings += [change.finding() for change in compared if change.worse]
    if expected is not None:
        findings += unexpected(expected)
    return findings, compared

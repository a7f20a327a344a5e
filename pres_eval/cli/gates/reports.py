"""--junit and --summary: findings of gates as JUnit XML and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pres_eval.cli.gates.against import Change
from pres_eval.cli.gates.findings import GateFinding, Verdict, lines_of, run_name, six_digits
from pres_eval.errors import RunFailure, one_line, plural
from pres_eval.measures.base import Format
from pres_eval.report.grid import MARKDOWN, Grid, escaped, written
from pres_eval.report.markup import Html, element
from pres_eval.report.text import signed

MARKDOWN_START = "### pres-eval: gates "
"""First words of a Markdown summary; the verdict follows."""

JUNIT_START = '<testsuite name="pres-eval"'
"""Beginning of a JUnit report, after its XML declaration."""

BYTES_LOOKED_AT = 200
"""Bytes at the beginning of a file that are searched for the beginning of a report of ours."""

LEAST_OF_SIX_DIGITS = 5e-7
"""Smallest change that six digits after the point show."""

ERROR_RESULT = "error"
"""Gate of findings about wrong options or files, because of which no gate could be checked."""


def error_findings(failures: Sequence[RunFailure]) -> list[GateFinding]:
    """Return for each failure a finding with the gate ERROR_RESULT."""
    return [
        GateFinding(gate=ERROR_RESULT, message=failure.message, path=failure.path) for failure in failures
    ]


def is_report(path: str) -> bool:
    """Return whether a report may be written to a path: to a report of ours, an empty or a new file."""
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(BYTES_LOOKED_AT)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return not start or start.startswith(MARKDOWN_START.encode()) or JUNIT_START.encode() in start


def as_junit(findings: Sequence[GateFinding], warnings: Sequence[str] = ()) -> str:
    """Return JUnit XML with one test for each condition that was checked and for each other failure.

    Its output has the warnings of the evaluation, then the findings that are no tests.
    """
    tests = [finding for finding in findings if finding.fails or finding.checked]
    messages = [f"{Verdict.WARNING.value}{warning}" for warning in warnings]
    for finding in findings:
        is_remark = finding.verdict in (Verdict.WARNING, Verdict.NOTE)
        if is_remark and not finding.checked:
            messages.append(finding.text)
    num_failed = sum(finding.fails for finding in tests)  # errors among them
    num_errors = sum(finding.gate == ERROR_RESULT for finding in tests)
    suite = element(
        "testsuite",
        *map(_test_case, tests),
        element("system-out", *(f"{one_line(message)}\n" for message in messages)),
        name="pres-eval",
        tests=len(tests),
        failures=num_failed - num_errors,
        errors=num_errors,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{suite}\n'


def _test_case(finding: GateFinding) -> Html:
    """Return one finding as a test; a gate that could not be checked is an error, not a failure."""
    message = one_line(finding.message)
    if finding.gate == ERROR_RESULT:
        outcome = element("error", message, message=message)
    elif finding.fails:
        outcome = element("failure", message, message=message)
    else:
        outcome = element("system-out", message)
    attributes = {"classname": f"pres-eval {finding.gate}", "name": one_line(finding.checked or message)}
    if finding.path:
        attributes["file"] = one_line(finding.path)
    return element("testcase", outcome, **attributes)


def as_markdown(
    findings: Sequence[GateFinding], compared: Sequence[Change], warnings: Sequence[str] = ()
) -> str:
    """Return in Markdown whether the gates were passed, each measure then and now, findings and warnings.

    warnings  of the evaluation
    """
    num_failed = sum(finding.fails for finding in findings)
    verdict = "passed"
    if num_failed:
        verdict = f"failed: {plural(num_failed, 'finding')}"
    parts = [f"{MARKDOWN_START}{verdict}\n"]
    rows = [_row(change) for change in compared if change.topic is None]
    if rows:
        header = ("run", "measure", "earlier", "now", "change", "")
        parts.append(written(Grid(header, tuple(rows), left=2), MARKDOWN))
    lines = list(lines_of(findings))
    for warning in warnings:
        lines.append(f"{Verdict.WARNING.value}{warning}")
    if lines:
        parts.append("".join(f"- {escaped(line, MARKDOWN)}\n" for line in lines))
    return "\n".join(parts) + "\n"


def _row(change: Change) -> tuple[str, ...]:
    """Return the cells of a row in Markdown: run, measure, earlier, now, difference, whether worse."""
    kind = change.column.measure.format
    difference = change.now - change.before
    is_whole = kind is Format.COUNT and float(difference).is_integer()
    difference_text = signed(difference, digits=0 if is_whole else 6)
    if 0 < abs(difference) < LEAST_OF_SIX_DIGITS:
        difference_text = f"{difference:+.6g}"
    return (
        escaped(run_name(change.run), MARKDOWN),
        escaped(change.column.label, MARKDOWN),
        six_digits(change.before, kind, other=change.now),
        six_digits(change.now, kind, other=change.before),
        difference_text,
        "worse" if change.is_worse else "",
    )

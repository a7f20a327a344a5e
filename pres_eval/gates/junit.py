"""The gates as JUnit XML, which GitLab, Jenkins and GitHub show as tests."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.errors import one_line
from pres_eval.gates.findings import GateFinding
from pres_eval.report.markup import Html, element


def as_junit(findings: Sequence[GateFinding]) -> str:
    """Return a test for every check and for every failure; other messages are output."""
    tests = [finding for finding in findings if finding.fails or finding.checked]
    said = [
        f"{each.verdict.value}{each.message}" for each in findings if each.verdict.value and not each.checked
    ]
    suite = element(
        "testsuite",
        *map(_test, tests),
        element("system-out", *(f"{one_line(line)}\n" for line in said)),
        name="pres-eval",
        tests=len(tests),
        failures=sum(finding.fails for finding in findings),
        errors=0,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{suite}\n'


def _test(finding: GateFinding) -> Html:
    """Return one test."""
    message = one_line(finding.message)
    return element(
        "testcase",
        element("failure", message, message=message) if finding.fails else element("system-out", message),
        classname=f"pres-eval {finding.gate}",
        name=one_line(finding.checked or finding.message),
        file=one_line(finding.path),
    )

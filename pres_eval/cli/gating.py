"""The evaluator's gates for CI: --fail-under, --against, --expect."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import click

from pres_eval.errors import InputError, UsageError
from pres_eval.scoring import Evaluation

GATE_OPTIONS = [
    click.option(
        "--fail-under", "fail_under", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value over all topics is below this.",
    ),
    click.option(
        "--against", metavar="FILE", help="Exit with 3 if a value is below that of FILE (--format json).",
    ),
    click.option(
        "--tolerance", type=click.FloatRange(min=0), default=0.0, metavar="VALUE",
        help="How far below --against lets values fall.",
    ),
    click.option(
        "--expect", metavar="FILE", help="Exit with 3 if the lines of FILE (trec_eval's) differ from ours.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Gates:
    """What was asked for."""

    fail_under: tuple[str, ...]
    against: str | None
    tolerance: float
    expect: str | None

    def check(self, evaluations: list[Evaluation], printed: bytes) -> None:
        """Say what the gates find on stderr; raises click's Exit with code 3 if they find anything."""
        from pres_eval import gates
        from pres_eval.measures import MEASURES
        from pres_eval.report.records import from_json

        earlier = None
        if self.against is not None:
            record = from_json(_bytes(self.against), self.against, MEASURES)
            before = tuple(run.evaluation for run in record.runs)
            earlier = gates.Earlier(self.against, before, self.tolerance)
        expected = None
        if self.expect is not None:
            expected = gates.Expected(self.expect, _bytes(self.expect), printed)
        thresholds = [gates.read_threshold(text) for text in self.fail_under]
        findings = gates.check_gates(evaluations, thresholds, earlier, expected)
        for finding in findings:
            print(f"pres-eval: {finding.message}", file=sys.stderr)
            if os.environ.get("GITHUB_ACTIONS"):
                print(finding.annotation(), file=sys.stderr)
        if findings:
            raise click.exceptions.Exit(gates.EXIT_CODE)


def gates_of(values: dict[str, Any]) -> Gates | None:
    """The gates asked for, None if there are none; raises UsageError for a malformed threshold."""
    gates = Gates(values["fail_under"], values["against"], values["tolerance"], values["expect"])
    if gates.tolerance and gates.against is None:
        raise UsageError("--tolerance goes with --against FILE")
    if not (gates.fail_under or gates.against or gates.expect):
        return None
    from pres_eval.gates import read_threshold

    for text in gates.fail_under:
        read_threshold(text)
    return gates


def _bytes(path: str) -> bytes:
    from pathlib import Path  # takes a while to import

    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            path, None, (error.strerror or str(error)).lower(), "a file that can be read"
        ) from None

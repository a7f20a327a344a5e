"""The evaluator's gates for CI: --fail-under, --against, --expect."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import click

from pres_eval.cli.shared import FiniteRange
from pres_eval.cli.streams import say
from pres_eval.errors import InputError, UsageError
from pres_eval.scoring import Evaluation

LARGEST = 1 << 30
"""Bytes of a file that a gate compares with: what has no end is told from an evaluation by it."""

GATE_OPTIONS = [
    click.option(
        "--fail-under", "fail_under", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value over all topics is below this.",
    ),
    click.option(
        "--against", metavar="FILE", help="Exit with 3 if a value is below that of FILE (--format json).",
    ),
    click.option(
        "--tolerance", type=FiniteRange(min=0), default=0.0, metavar="VALUE",
        help="How far below --against lets values fall.",
    ),
    click.option(
        "--expect", metavar="FILE", help="Exit with 3 if the lines of FILE (trec_eval's) differ from ours.",
    ),
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What the command line said to GATE_OPTIONS."""

    fail_under: tuple[str, ...]
    against: str | None
    tolerance: float
    expect: str | None

    @property
    def gated(self) -> bool:
        """Whether there is any gate."""
        return bool(self.fail_under or self.against or self.expect)

    def check_gates(self) -> None:
        """Raises UsageError for gates that make no sense, before anything is read."""
        if self.tolerance and self.against is None:
            raise UsageError("--tolerance goes with --against FILE")
        if self.fail_under:
            from pres_eval.gates import read_threshold

            for text in self.fail_under:
                read_threshold(text)


def pass_gates(said: GateOptions, evaluations: Sequence[Evaluation], printed: bytes) -> None:
    """Say what the gates find on stderr; raises click's Exit with code 3 if they find anything."""
    from pres_eval import gates
    from pres_eval.measures import MEASURES
    from pres_eval.report.records import from_json

    earlier = None
    if said.against is not None:
        record = from_json(_bytes(said.against), said.against, MEASURES)
        before = tuple(run.evaluation for run in record.runs)
        earlier = gates.Earlier(said.against, before, said.tolerance)
    expected = None
    if said.expect is not None:
        expected = gates.Expected(said.expect, _bytes(said.expect), printed)
    thresholds = [gates.read_threshold(text) for text in said.fail_under]
    findings = gates.check_gates(evaluations, thresholds, earlier, expected)
    for finding in findings:
        say(f"pres-eval: {finding.message}")
        if os.environ.get("GITHUB_ACTIONS"):
            say(finding.annotation())
    if findings:
        raise click.exceptions.Exit(gates.EXIT_CODE)


def _bytes(path: str) -> bytes:
    """The whole of a file that a gate compares with."""
    readable = "a file that can be read"
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - pathlib takes a while to import
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(path, None, (error.strerror or str(error)).lower(), readable) from None
    if len(data) > LARGEST:
        raise InputError(path, None, f"more than {LARGEST:,} bytes", readable)
    return data

"""The evaluator's gates for CI: --fail-under, --against, --expect."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from pres_eval.cli.reader import warn
from pres_eval.cli.streams import say
from pres_eval.errors import InputError, UsageError
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from pres_eval.gates.against import Earlier
    from pres_eval.report.records import Record

LARGEST = 1 << 30
"""Bytes of a file that a gate compares with: what has no end is told from an evaluation by it."""

GATE_OPTIONS = [
    click.option(
        "--fail-under", "fail_under", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value over all topics is below this.",
    ),
    click.option(
        "--against", metavar="FILE",
        help="Exit with 3 if a value over all topics is worse than that of FILE (--format json).",
    ),
    click.option("--against-topics", is_flag=True, help="Compare single topics with --against FILE as well."),
    click.option(
        "--tolerance", metavar="VALUE",
        help="How far --against lets values fall: by 0.01, by 1% of what they were, or by measure:"
        " map=0.005,PRES_100=1%.",
    ),
    click.option(
        "--match", metavar="HOW",
        help="Match the runs with those of --against by tag, file or order (default: tag, else file).",
    ),
    click.option(
        "--allow-unmatched", is_flag=True,
        help="With --against: runs that are new, or not evaluated any more, are named, but do not fail.",
    ),
    click.option(
        "--if-significant", is_flag=True,
        help="With --against: only if a test over topics confirms that the run got worse (p < 0.05).",
    ),
    click.option(
        "--test", metavar="NAME",
        help="Of --if-significant: t (the default), randomisation, bootstrap, wilcoxon or sign.",
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
    against_topics: bool
    tolerance: str | None
    match: str | None
    allow_unmatched: bool
    if_significant: bool
    test: str | None
    expect: str | None

    @property
    def gated(self) -> bool:
        """Whether there is any gate."""
        return bool(self.fail_under or self.against or self.expect)

    def check_gates(self) -> None:
        """Raises UsageError for gates that make no sense, before anything is read."""
        if not self.against:
            for option, given in (
                ("--tolerance", self.tolerance is not None),
                ("--against-topics", self.against_topics),
                ("--match", self.match is not None),
                ("--allow-unmatched", self.allow_unmatched),
                ("--if-significant", self.if_significant),
            ):
                if given:
                    raise UsageError(f"{option} goes with --against FILE")
        if self.test is not None:
            from pres_eval.gates.against import TESTS

            if not self.if_significant:
                raise UsageError("--test goes with --if-significant")
            if self.test not in TESTS:
                raise UsageError(f"--test {self.test}: expected one of {', '.join(TESTS)}")
        if self.match is not None:
            from pres_eval.gates.counterparts import MATCHES

            if self.match not in MATCHES:
                raise UsageError(f"--match {self.match}: expected one of {', '.join(MATCHES)}")
        if self.tolerance is not None:
            from pres_eval.gates.tolerance import read_tolerance

            read_tolerance(self.tolerance)
        if self.fail_under:
            from pres_eval.gates.thresholds import read_threshold

            for text in self.fail_under:
                read_threshold(text)


def pass_gates(said: GateOptions, now: Record, printed: bytes) -> None:
    """Say what the gates find on stderr; raises click's Exit with code 3 if they were not passed."""
    from pres_eval.gates import findings as found
    from pres_eval.gates.check import check_gates
    from pres_eval.gates.expected import Expected
    from pres_eval.gates.thresholds import read_threshold

    expected = None
    if said.expect is not None:
        expected = Expected(said.expect, _bytes(said.expect), printed)
    thresholds = [read_threshold(text) for text in said.fail_under]
    findings, compared = check_gates(now, thresholds, _earlier(said), expected)
    for line in found.lines_of(findings):
        say(f"pres-eval: {line}")
    if os.environ.get("GITHUB_ACTIONS"):
        from pres_eval.gates.summary import as_markdown

        for annotation in found.annotations_of(findings):
            say(annotation)
        _add_to_summary(as_markdown(findings, compared))
    if any(finding.fails for finding in findings):
        raise click.exceptions.Exit(found.EXIT_CODE)


def _earlier(said: GateOptions) -> Earlier | None:
    if said.against is None:
        return None
    from pres_eval.gates.against import TESTS, Earlier
    from pres_eval.gates.tolerance import Tolerance, read_tolerance
    from pres_eval.measures import MEASURES
    from pres_eval.report.read_records import from_json

    return Earlier(
        path=said.against,
        record=from_json(_bytes(said.against), said.against, MEASURES),
        tolerance=Tolerance() if said.tolerance is None else read_tolerance(said.tolerance),
        topics=said.against_topics,
        match=said.match or "auto",
        allow_unmatched=said.allow_unmatched,
        if_significant=said.if_significant,
        test=said.test or TESTS[0],
    )


def _add_to_summary(text: str) -> None:
    """Add to the page that GitHub shows of a job."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as stream:  # noqa: PTH123 - pathlib takes a while to import
            stream.write(text)
    except OSError as error:
        warn(f"{path}: the summary of the job cannot be written: {error.strerror or error}")


def _bytes(path: str) -> bytes:
    """The whole of a file that a gate compares with."""
    readable = "a readable file"
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - pathlib takes a while to import
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(path, None, (error.strerror or str(error)).lower(), readable) from None
    if len(data) > LARGEST:
        raise InputError(path, None, f"more than {LARGEST:,} bytes", readable)
    return data

"""The evaluator's gates for CI: --fail-under, --fail-over, --against, --expect."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from pres_eval.cli.output import write_output
from pres_eval.cli.said import Said, option
from pres_eval.cli.streams import say, warn
from pres_eval.errors import InputError, RunFailure, refuse
from pres_eval.reading.source import BYTE_ORDER_MARK, CHUNK, Source
from pres_eval.reading.topic_files import decoded, encoded

if TYPE_CHECKING:
    from pres_eval.gates.against import Change, Earlier
    from pres_eval.gates.findings import GateFinding
    from pres_eval.gates.thresholds import Threshold
    from pres_eval.report.records import Record

LARGEST = 1 << 30
"""Largest size in bytes of a file that a gate compares with, so that an endless file is refused."""


class GateOptions(Said, place=7):
    """Options of the gates."""

    fail_under: tuple[str, ...] = option(
        "--fail-under", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value over all topics is below this.",
    )  # fmt: skip
    fail_over: tuple[str, ...] = option(
        "--fail-over", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value is above this, for measures of which less is better.",
    )  # fmt: skip
    against: str | None = option(
        "--against", metavar="FILE",
        help="Exit with 3 if a value is worse than that of FILE, --format json or an earlier run.",
    )  # fmt: skip
    against_topics: bool = option(
        "--against-topics", is_flag=True, help="Compare single topics with --against FILE as well."
    )
    tolerance: str | None = option(
        "--tolerance", metavar="VALUE",
        help="Largest fall that --against allows: 0.01, 1% of the earlier value, or by measure:"
        " map=0.005,PRES_100=1%.",
    )  # fmt: skip
    match: str | None = option(
        "--match", metavar="HOW",
        help="Match the runs with those of --against by tag, file or order (default: tag, else file).",
    )  # fmt: skip
    allow_unmatched: bool = option(
        "--allow-unmatched", is_flag=True,
        help="With --against and --expect: name runs that are new or gone, but do not fail.",
    )  # fmt: skip
    if_significant: bool = option(
        "--if-significant", is_flag=True,
        help="With --against: fail only if a test over topics shows that the run is worse (p < 0.05).",
    )  # fmt: skip
    two_sided: bool = option(
        "--two-sided", is_flag=True,
        help="For --if-significant: a two-sided test, not the one-sided test for a worse run.",
    )  # fmt: skip
    correction: str | None = option(
        "--correction", metavar="NAME",
        help="For --if-significant, over all measures and runs: holm (the default), bonferroni, bh or none.",
    )  # fmt: skip
    test: str | None = option(
        "--test", metavar="NAME",
        help="For --if-significant: t (the default), randomisation, bootstrap, wilcoxon or sign.",
    )  # fmt: skip
    expect: str | None = option(
        "--expect", metavar="FILE", help="Exit with 3 if the lines of FILE (trec_eval's) differ from ours.",
    )  # fmt: skip
    junit: str | None = option(
        "--junit", metavar="FILE", help="Write the findings of the gates to FILE, as JUnit XML."
    )
    summary: str | None = option(
        "--summary", metavar="FILE", help="Write the findings of the gates to FILE, as Markdown."
    )

    @property
    def gated(self) -> bool:
        """Return whether there is any gate."""
        return bool(self.fail_under or self.fail_over or self.against or self.expect)

    def thresholds(self) -> list[Threshold]:
        """Return the limits of values; raise UsageError for one that is none."""
        from pres_eval.gates.thresholds import OVER, UNDER, read_threshold

        limits = ((UNDER, self.fail_under), (OVER, self.fail_over))
        return [read_threshold(text, name) for name, texts in limits for text in texts]

    def check_gates(self) -> None:
        """Stop at gates that make no sense, before anything is read; raises UsageError."""
        for needed, there, options in (
            (
                "--against FILE",
                self.against,
                ("tolerance", "against_topics", "match", "if_significant"),
            ),
            ("--against FILE or --expect FILE", self.against or self.expect, ("allow_unmatched",)),
            ("--if-significant", self.if_significant, ("test", "two_sided", "correction")),
            ("a gate, such as --against FILE", self.gated, ("junit", "summary")),
        ):
            given = [field for field in options if getattr(self, field) not in (None, False)]
            refuse(*((not there, f"--{field.replace('_', '-')} goes with {needed}") for field in given))
        for name, path in (("--against", self.against), ("--expect", self.expect)):
            if path not in (None, "-") and not os.path.exists(path):  # noqa: PTH110
                raise InputError(str(path), None, f"no such file ({name})", "a readable file")
        if self.gated:
            self.earlier_settings()
            self.thresholds()

    def earlier_settings(self) -> dict[str, Any]:
        """Return the fields of Earlier that options set; raise UsageError for values that are none."""
        from pres_eval.analysis.compare_settings import CompareSettings
        from pres_eval.analysis.corrections import CORRECTIONS
        from pres_eval.analysis.significance import PAIRED_TESTS
        from pres_eval.gates.against import read_tolerance
        from pres_eval.gates.counterparts import MATCHES

        choices = (
            ("--match", self.match, MATCHES),
            ("--test", self.test, PAIRED_TESTS),
            ("--correction", self.correction, CORRECTIONS),
        )
        refuse(
            *(
                (value not in (None, *known), f"{name} {value}: expected one of {', '.join(known)}")
                for name, value, known in choices
            )
        )
        confirmation = CompareSettings(
            test=self.test or CompareSettings.test,
            correction=self.correction or CompareSettings.correction,
            alternative="two-sided" if self.two_sided else "less",
        )
        return {
            "tolerance": read_tolerance("0" if self.tolerance is None else self.tolerance),
            "topics": self.against_topics,
            "confirmation": confirmation if self.if_significant else None,
            "match": self.match or next(iter(MATCHES)),
            "allow_unmatched": self.allow_unmatched,
        }


def pass_gates(
    said: GateOptions,
    now: Record,
    printed: bytes,
    evaluated: Callable[[str], Record],
) -> None:
    """Print the findings of the gates on stderr; raises click's Exit with code 3 if they were not passed.

    printed    trec_eval's lines of all runs, each after its name
    evaluated  gives the evaluation of an earlier run that --against names
    """
    from pres_eval.gates import findings as found
    from pres_eval.gates.check import check_gates
    from pres_eval.gates.expected import unexpected

    lines: Iterable[found.GateFinding] = ()
    if said.expect is not None:
        expected = encoded(decoded(_bytes(Source(said.expect), by_line=True)))
        lines = unexpected(said.expect, expected, printed, said.allow_unmatched)
    findings, compared = check_gates(now, said.thresholds(), _earlier(said, evaluated), lines)
    for line in found.lines_of(findings):
        say(f"pres-eval: {line}")
    _write_reports(said, findings, compared)
    if os.environ.get("GITHUB_ACTIONS"):
        for annotation in found.annotations_of(findings):
            say(annotation)
        # The page that GitHub shows of a job.
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            try:
                with open(summary, "a", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123
                    stream.write(found.as_markdown(findings, compared))
            except OSError as error:
                warn(f"{summary}: the summary of the job cannot be written: {error.strerror or error}")
    if any(finding.fails for finding in findings):
        raise click.exceptions.Exit(found.EXIT_CODE)


def report_failures(said: GateOptions, failures: Sequence[RunFailure]) -> None:
    """Write the error that stopped the evaluation to the reports of the gates, which cannot check it."""
    if said.gated:
        from pres_eval.gates.findings import GateFinding

        found = [GateFinding(gate="error", message=each.message, path=each.path) for each in failures]
        _write_reports(said, found)


def _write_reports(
    said: GateOptions, findings: Sequence[GateFinding], compared: Sequence[Change] = ()
) -> None:
    """Write the files of --junit and --summary."""
    from pres_eval.gates.findings import as_junit, as_markdown

    if said.junit is not None:
        write_output(said.junit, as_junit(findings))
    if said.summary is not None:
        write_output(said.summary, as_markdown(findings, compared))


def _earlier(said: GateOptions, evaluated: Callable[[str], Record]) -> Earlier | None:
    """Return the baseline of --against, None without it: JSON, or a run that is evaluated now."""
    if said.against is None:
        return None
    from pres_eval.gates.against import Earlier
    from pres_eval.measures import MEASURES
    from pres_eval.report.read_records import from_json

    source = Source(said.against)
    if source.head(4).removeprefix(BYTE_ORDER_MARK)[:1] == b"{":
        record = from_json(_bytes(source), said.against, MEASURES)
    elif said.against != "-" and source.size() is not None:
        record = evaluated(said.against)
    else:
        import tempfile
        from dataclasses import replace

        with tempfile.TemporaryDirectory() as folder:
            # A pipe and standard input are read once.
            copy = os.path.join(folder, "run")  # noqa: PTH118
            with open(copy, "wb") as stream:  # noqa: PTH123
                stream.write(_bytes(source))
            record = evaluated(copy)
        runs = [replace(run, evaluation=replace(run.evaluation, path=said.against)) for run in record.runs]
        record = replace(record, runs=tuple(runs))
    return Earlier(path=said.against, record=record, **said.earlier_settings())


def _bytes(source: Source, by_line: bool = False) -> bytes:
    """Return the whole of a file that a gate compares with; `by_line`: whose lines have a largest length."""
    chunks = itertools.islice(source.chunks(), LARGEST // CHUNK + 1) if by_line else ()
    data = b"".join(chunk.text() for chunk in chunks) if by_line else source.head(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(source.name, None, f"more than {LARGEST:,} bytes", "a readable file")
    return data

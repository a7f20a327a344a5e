"""The evaluator's gates for CI: --fail-under, --fail-over, --against, --expect."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from pres_eval.cli.command_options import CommandOptions, FileUse, Need, option
from pres_eval.cli.output import exit_if_failed, write_output
from pres_eval.cli.overwriting import same_file
from pres_eval.cli.streams import say, warn
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError, plural
from pres_eval.reading.file import File

if TYPE_CHECKING:
    from pres_eval.cli.job import EvaluateOptions
    from pres_eval.gates.against import Change
    from pres_eval.gates.findings import GateFinding
    from pres_eval.gates.thresholds import Threshold
    from pres_eval.report.records import Record

BASELINE = Need(("against",), "--against FILE")
COMPARED = Need(("against", "expect"), "--against FILE or --expect FILE")
TEST = Need(("if_significant",), "--if-significant")
ANY_GATE = Need(("fail_under", "fail_over", "against", "expect"), "a gate, such as --against FILE")


class GateOptions(CommandOptions, position=7):
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
        "--against", metavar="FILE", file_use=FileUse.BASELINE,
        help="Exit with 3 if a value is worse than that of FILE, --format json or an earlier run.",
    )  # fmt: skip
    against_topics: bool = option(
        "--against-topics", need=BASELINE, is_flag=True,
        help="Compare single topics with --against FILE as well.",
    )  # fmt: skip
    tolerance: str | None = option(
        "--tolerance", need=BASELINE, metavar="VALUE",
        help="Largest fall that --against allows: 0.01, 1% of the earlier value, or by measure:"
        " map=0.005,PRES_100=1%.",
    )  # fmt: skip
    match: str | None = option(
        "--match", need=BASELINE, metavar="HOW",
        help="Match the runs with those of --against by tag, file or order (default: tag, else file).",
    )  # fmt: skip
    allow_unmatched: bool = option(
        "--allow-unmatched", need=COMPARED, is_flag=True,
        help="With --against and --expect: name runs that are new or gone, and printed lines that the file of"
        " --expect lacks, but do not fail.",
    )  # fmt: skip
    allow_changed_judgements: bool = option(
        "--allow-changed-judgements", need=BASELINE, is_flag=True,
        help="With --against: name judgements that changed since FILE was made, but do not fail.",
    )  # fmt: skip
    if_significant: bool = option(
        "--if-significant", need=BASELINE, is_flag=True,
        help="With --against: fail only if a test over topics shows that the run is worse (p < 0.05).",
    )  # fmt: skip
    two_sided: bool = option(
        "--two-sided", need=TEST, is_flag=True,
        help="For --if-significant: a two-sided test, not the one-sided test for a worse run.",
    )  # fmt: skip
    correction: str | None = option(
        "--correction", need=TEST, metavar="NAME",
        help="For --if-significant, over all measures and runs: holm (the default), bonferroni, bh or none.",
    )  # fmt: skip
    test: str | None = option(
        "--test", need=TEST, metavar="NAME",
        help="For --if-significant: t (the default), randomisation, bootstrap, wilcoxon or sign.",
    )  # fmt: skip
    expect: str | None = option(
        "--expect", metavar="FILE", file_use=FileUse.BASELINE,
        help="Exit with 3 if the lines of FILE (trec_eval's) differ from ours.",
    )  # fmt: skip
    junit: str | None = option(
        "--junit", need=ANY_GATE, metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the findings of the gates to FILE, as JUnit XML.",
    )  # fmt: skip
    summary: str | None = option(
        "--summary", need=ANY_GATE, metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the findings of the gates to FILE, as Markdown.",
    )  # fmt: skip

    output: str | None = None
    output_format: str

    @property
    def gated(self) -> bool:
        """Return whether there is any gate."""
        return bool(self.fail_under or self.fail_over or self.against or self.expect)

    @property
    def replaced_option(self) -> str | None:
        """Return the option whose FILE the results replace, None if they replace none."""
        if self.output in (None, "-"):
            return None
        for name, path in (("--against", self.against), ("--expect", self.expect)):
            if path is not None and same_file(str(self.output), path):
                return name
        return None

    def file_of(self, error: PresEvalError) -> str:
        """Return the file of the command line that an error is about, empty for none."""
        if isinstance(error, InputError):
            return error.path
        paths = [file.path for file in self.named_files(FileUse.READ, FileUse.BASELINE)]
        return next((path for path in paths if str(error).startswith(f"{path}: ")), "")

    def thresholds(self) -> list[Threshold]:
        """Return the limits of values; raise UsageError for one that is none."""
        from pres_eval.gates.thresholds import OVER, UNDER, read_threshold

        limits = ((UNDER, self.fail_under), (OVER, self.fail_over))
        return [read_threshold(text, name) for name, texts in limits for text in texts]

    def check_gates(self) -> None:
        """Stop at gates that make no sense, before anything is read.

        Raises UsageError, and InputError for a file that does not exist.
        """
        self.check_needs()
        for name, path in (("--against", self.against), ("--expect", self.expect)):
            if path not in (None, "-") and not os.path.exists(path):  # noqa: PTH110
                raise InputError(str(path), None, f"no such file ({name})", "a readable file")
        # A baseline in another format would not be one for the next call.
        replaced = self.replaced_option
        needed = {None: self.output_format, "--against": "json", "--expect": "trec"}[replaced]
        if self.output_format != needed:
            raise UsageError(
                f"--output {self.output} is the FILE of {replaced}: expected --format {needed}, or another"
                " --output"
            )
        if self.gated:
            self.earlier_settings()
            self.thresholds()

    def earlier_settings(self) -> dict[str, Any]:
        """Return the fields of Earlier that options set; raise UsageError for values that are none."""
        from pres_eval.analysis.compare_settings import CompareSettings
        from pres_eval.analysis.corrections import CORRECTIONS
        from pres_eval.analysis.significance import PAIRED_TESTS
        from pres_eval.gates.matching import MATCHES
        from pres_eval.gates.tolerances import read_tolerance

        for name, value, choices in (
            ("--match", self.match, MATCHES),
            ("--test", self.test, PAIRED_TESTS),
            ("--correction", self.correction, CORRECTIONS),
        ):
            if value is not None and value not in choices:
                raise UsageError(f"{name} {value}: expected one of {', '.join(choices)}")
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
            "allow_changed_judgements": self.allow_changed_judgements,
        }


def pass_gates(
    options: EvaluateOptions,
    now: Record,
    printed: bytes,
    evaluated: Callable[[str], Record],
    failures: Sequence[RunFailure],
    warnings: Sequence[str],
) -> None:
    """Print the findings of the gates on stderr; raises click's Exit with code 3 if they were not passed.

    printed    trec_eval's lines of all runs, each after its name
    evaluated  returns the evaluation of an earlier run that --against names
    failures   runs that could not be evaluated, which fail besides, with exit code 2
    warnings   that were printed so far, for the reports
    """
    from pres_eval.gates import findings as texts
    from pres_eval.gates.against import Earlier
    from pres_eval.gates.check import check_gates
    from pres_eval.gates.expected import unexpected
    from pres_eval.gates.reports import as_markdown, error_findings

    earlier = None
    if options.against is not None:
        from pres_eval.cli.baselines import read_baseline

        record = read_baseline(options, options.against, evaluated)
        check_groups(options, options.against, now, record)
        earlier = Earlier(path=options.against, record=record, **options.earlier_settings())
    unexpected_lines: Iterable[GateFinding] = ()
    if options.expect is not None:
        from pres_eval.cli.baselines import whole
        from pres_eval.reading.topic_files import decoded, encoded

        expected = encoded(decoded(whole(File(options.expect), by_line=True)))
        unexpected_lines = unexpected(options.expect, expected, printed, options.allow_unmatched)
    findings, compared = check_gates(
        now,
        options.thresholds(),
        earlier,
        unexpected_lines,
        topics_chosen=options.complete or options.topics is not None or now.options.only_topic is not None,
    )
    for line in texts.lines_of(findings):
        say(f"pres-eval: {line}")
    if failures:
        options.warn(f"gates fail, as {plural(len(failures), 'run')} could not be evaluated")
        findings = [*error_findings(failures), *findings]
    _write_reports(options, findings, compared, warnings)
    if os.environ.get("GITHUB_ACTIONS"):
        for annotation in texts.annotations_of(findings):
            say(annotation)
        _add_to_job_summary(as_markdown(findings, compared, warnings))
    exit_if_failed(failures)
    if any(finding.fails for finding in findings):
        raise click.exceptions.Exit(texts.EXIT_CODE)


def check_groups(options: EvaluateOptions, path: str, now: Record, earlier: Record) -> None:
    """Raise UsageError, with commands to paste, if the baseline has groups that this call does not check."""
    from pres_eval.gates.mismatches import unchecked_groups

    unchecked = unchecked_groups(now, earlier)
    if not unchecked:
        return
    from pres_eval.cli.retyping import command_text, typed_options

    groups = earlier.files["groups"].path
    with_groups = [*typed_options({"groups"}), "--groups", groups]
    gates = {name for name, _ in GateOptions.fields()}
    without_groups = [*typed_options({*gates, "groups", "output", "output_format"}), "--output", path]
    if not path.lower().endswith(".json"):
        without_groups += ["--format", "json"]
    earlier_files = [earlier.qrels.path, *(run.file.path for run in earlier.runs)]
    raise UsageError(
        f"{path} was made with --groups {groups}, and this call does not check {', '.join(unchecked)};"
        f" check them with  {command_text(with_groups, [options.qrels, *options.runs])}  or make the baseline"
        f" without groups:  {command_text(without_groups, earlier_files)}"
    )


def _add_to_job_summary(text: str) -> None:
    """Append to the page that GitHub shows of a job, if there is one; warn if it cannot be written."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123
            stream.write(text)
    except OSError as error:
        warn(f"{path}: the summary of the job cannot be written: {error.strerror or error}")


def report_failures(options: GateOptions, failures: Sequence[RunFailure], warnings: Sequence[str]) -> None:
    """Write the error that stopped the evaluation to the reports of the gates, which cannot check it."""
    from pres_eval.gates.reports import error_findings

    _write_reports(options, error_findings(failures), (), warnings)


def _write_reports(
    options: GateOptions,
    findings: Sequence[GateFinding],
    compared: Sequence[Change],
    warnings: Sequence[str],
) -> None:
    """Write the files of --junit and --summary."""
    from pres_eval.gates.reports import as_junit, as_markdown

    if options.junit is not None:
        write_output(options.junit, as_junit(findings, warnings))
    if options.summary is not None:
        write_output(options.summary, as_markdown(findings, compared, warnings))


def report_usage_error(arguments: Sequence[str], message: str) -> None:
    """Write an error of the command line to the reports that it names, unless they are other files.

    The options are wrong, so that nothing keeps --junit from naming an input: a file that is not a report of
    ours stays.
    """
    from pres_eval.gates.reports import as_junit, as_markdown, error_findings, is_report

    findings = error_findings([RunFailure("", message)])
    texts = {"--junit": as_junit(findings), "--summary": as_markdown(findings, ())}
    for word, next_word in itertools.zip_longest(arguments, arguments[1:], fillvalue=""):
        option, equals, value = word.partition("=")
        path = value if equals else next_word
        if option in texts and path and is_report(path):
            with contextlib.suppress(PresEvalError):
                write_output(path, texts[option])

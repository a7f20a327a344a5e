"""The evaluator's gates for CI: --fail-under, --fail-over, --against, --expect."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from pres_eval.cli.command_options import CommandOptions, FileUse, Need, option
from pres_eval.cli.output import exit_if_failed, write_output
from pres_eval.cli.overwriting import same_file
from pres_eval.cli.streams import say, warn
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError, plural
from pres_eval.reading.file import File

if TYPE_CHECKING:
    from pres_eval.cli.gates.against import Change
    from pres_eval.cli.gates.findings import GateFinding
    from pres_eval.cli.gates.thresholds import Threshold
    from pres_eval.cli.job import EvaluateOptions
    from pres_eval.report.records import Record

NEEDS_BASELINE = Need(("against",), "--against FILE")
NEEDS_FILE = Need(("against", "expect"), "--against FILE or --expect FILE")
NEEDS_TEST = Need(("if_significant",), "--if-significant")
NEEDS_GATE = Need(("fail_under", "fail_over", "against", "expect"), "a gate, such as --against FILE")


class GateOptions(CommandOptions, position=7):
    """Options of the gates; for what they write and compare, the evaluator has --output and --format."""

    fail_under: tuple[str, ...] = option(
        "--fail-under", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value over all topics is below this.",
    )  # fmt: skip
    fail_over: tuple[str, ...] = option(
        "--fail-over", multiple=True, metavar="NAME=VALUE",
        help="Exit with 3 if the value is above this, for measures of which less is better.",
    )  # fmt: skip
    against: str | None = option(
        "--against", once=True, metavar="FILE", file_use=FileUse.BASELINE,
        help="Exit with 3 if a value is worse than that of FILE, --format json or an earlier run.",
    )  # fmt: skip
    against_topics: bool = option(
        "--against-topics", need=NEEDS_BASELINE, is_flag=True,
        help="Compare single topics with --against FILE as well.",
    )  # fmt: skip
    tolerance: str | None = option(
        "--tolerance", once=True, need=NEEDS_BASELINE, metavar="VALUE",
        help="Largest fall that --against allows: 0.01, 1% of the earlier value, or by measure:"
        " map=0.005,PRES_100=1%.",
    )  # fmt: skip
    match: str | None = option(
        "--match", need=NEEDS_BASELINE, metavar="HOW",
        help="Match the runs with those of --against by tag, file or order (default: tag, else file).",
    )  # fmt: skip
    allow_unmatched: bool = option(
        "--allow-unmatched", need=NEEDS_FILE, is_flag=True,
        help="With --against and --expect: name runs that are new or gone, and printed lines that the file of"
        " --expect lacks, but do not fail.",
    )  # fmt: skip
    allow_changed_judgements: bool = option(
        "--allow-changed-judgements", need=NEEDS_BASELINE, is_flag=True,
        help="With --against: name judgements that changed since FILE was made, but do not fail.",
    )  # fmt: skip
    if_significant: bool = option(
        "--if-significant", need=NEEDS_BASELINE, is_flag=True,
        help="With --against: fail only if a test over topics shows that the run is worse (p < 0.05).",
    )  # fmt: skip
    two_sided: bool = option(
        "--two-sided", need=NEEDS_TEST, is_flag=True,
        help="For --if-significant: a two-sided test, not the one-sided test for a worse run.",
    )  # fmt: skip
    correction: str | None = option(
        "--correction", need=NEEDS_TEST, metavar="NAME",
        help="For --if-significant, over all measures and runs: holm (the default), bonferroni, bh or none.",
    )  # fmt: skip
    test: str | None = option(
        "--test", need=NEEDS_TEST, metavar="NAME",
        help="For --if-significant: t (the default), randomisation, bootstrap, wilcoxon or sign.",
    )  # fmt: skip
    expect: str | None = option(
        "--expect", once=True, metavar="FILE", file_use=FileUse.BASELINE,
        help="Exit with 3 if the lines of FILE (trec_eval's) differ from ours.",
    )  # fmt: skip
    junit: str | None = option(
        "--junit", need=NEEDS_GATE, metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the findings of the gates to FILE, as JUnit XML.",
    )  # fmt: skip
    summary: str | None = option(
        "--summary", need=NEEDS_GATE, metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the findings of the gates to FILE, as Markdown.",
    )  # fmt: skip

    # Options that the evaluator declares.
    output: str | None = None
    output_format: str

    @property
    def has_gates(self) -> bool:
        """Return whether there is any gate."""
        return bool(self.fail_under or self.fail_over or self.against or self.expect)

    @property
    def option_of_replaced_file(self) -> str | None:
        """Return --against or --expect if --output would replace its FILE, None if it replaces neither."""
        if self.output is None or self.output == "-":
            return None
        for name, path in (("--against", self.against), ("--expect", self.expect)):
            if path is not None and same_file(self.output, path):
                return name
        return None

    def file_of(self, error: PresEvalError) -> str:
        """Return the file of the command line that an error is about, empty for none.

        An InputError has it in a field; the text of others begins with it.
        """
        if isinstance(error, InputError):
            return error.path
        for file in self.named_files(FileUse.READ, FileUse.BASELINE):
            if str(error).startswith(f"{file.path}: "):
                return file.path
        return ""

    def thresholds(self) -> list[Threshold]:
        """Return the limits of --fail-under and --fail-over; raise UsageError for a text that is no limit."""
        from pres_eval.cli.gates.thresholds import OVER, UNDER, read_threshold

        lower_limits = [read_threshold(text, UNDER) for text in self.fail_under]
        return lower_limits + [read_threshold(text, OVER) for text in self.fail_over]

    def check_options_of_gates(self) -> None:
        """Raise UsageError for gates that make no sense, before anything is read.

        Raises InputError for a file that does not exist.
        """
        self.check_needs()
        for name, path in (("--against", self.against), ("--expect", self.expect)):
            if path not in (None, "-") and not os.path.exists(path):  # noqa: PTH110
                raise InputError(str(path), None, f"no such file ({name})", "a readable file")
        replaced = self.option_of_replaced_file
        if replaced is not None:
            # Of another format, the new file could not be read by the next call.
            needed = {"--against": "json", "--expect": "trec"}[replaced]
            if self.output_format != needed:
                raise UsageError(
                    f"--output {self.output} is the FILE of {replaced}: expected --format {needed}, or"
                    " another --output"
                )
        # These raise UsageError for values that cannot be read.
        self.earlier_settings()
        self.thresholds()

    def earlier_settings(self) -> dict[str, Any]:
        """Return the fields of EarlierEvaluation that options set, all but path and record.

        Raises UsageError for invalid values.
        """
        from pres_eval.analysis.compare_settings import CompareSettings
        from pres_eval.analysis.corrections import CORRECTIONS
        from pres_eval.analysis.significance import PAIRED_TESTS
        from pres_eval.cli.gates.matching import AUTO, MATCHES
        from pres_eval.cli.gates.tolerances import Tolerance, read_tolerance

        for name, value, choices in (
            ("--match", self.match, MATCHES),
            ("--test", self.test, PAIRED_TESTS),
            ("--correction", self.correction, CORRECTIONS),
        ):
            if value is not None and value not in choices:
                raise UsageError(f"{name} {value}: expected one of {', '.join(choices)}")
        confirmation = None
        if self.if_significant:
            confirmation = CompareSettings(
                test=self.test or CompareSettings.test,
                correction=self.correction or CompareSettings.correction,
                alternative="two-sided" if self.two_sided else "less",
            )
        return {
            "tolerance": Tolerance() if self.tolerance is None else read_tolerance(self.tolerance),
            "topics": self.against_topics,
            "confirmation": confirmation,
            "match": self.match or AUTO,
            "allow_unmatched": self.allow_unmatched,
            "allow_changed_judgements": self.allow_changed_judgements,
        }


GATE_FIELDS = tuple(name for name, _ in GateOptions.fields())
"""Names of the fields of GateOptions that are options."""

FIELDS_OF_TABLES = ("output_format", "style", "fit", "digits", "sort", "transpose")
"""Fields of --format, and of options that need a certain format."""


def pass_gates(
    options: EvaluateOptions,
    now: Record,
    printed: bytes,
    evaluate_run: Callable[[str], Record],
    failures: Sequence[RunFailure],
    warnings: Sequence[str],
) -> None:
    """Print the findings of the gates on stderr; raise click's Exit with code 3 if a gate failed.

    now           the evaluation whose gates these are
    printed       trec_eval's lines of all runs, each run after a line with its name
    evaluate_run  returns the evaluation of the run at a path: of --against, if it names no JSON
    failures      runs that could not be evaluated: if there are any, click's Exit has code 2
    warnings      printed so far, for the reports
    """
    from pres_eval.cli.gates import findings as gate_texts
    from pres_eval.cli.gates.against import EarlierEvaluation
    from pres_eval.cli.gates.check import check_gates
    from pres_eval.cli.gates.reports import as_markdown, error_findings

    earlier = None
    if options.against is not None:
        from pres_eval.cli.baselines import read_baseline

        record = read_baseline(options, options.against, evaluate_run)
        check_groups(options, options.against, now, record)
        earlier = EarlierEvaluation(path=options.against, record=record, **options.earlier_settings())
    line_findings: Iterable[GateFinding] = ()
    if options.expect is not None:
        line_findings = _findings_of_expect(options, options.expect, printed)
    findings, compared = check_gates(
        now,
        options.thresholds(),
        earlier,
        line_findings,
        # -c, too, chooses what becomes of judged topics that a run lacks.
        topics_chosen=options.complete or options.topics is not None or now.options.only_topic is not None,
    )
    for line in gate_texts.lines_of(findings):
        say(f"pres-eval: {line}")
    if failures:
        options.warn(f"gates fail, as {plural(len(failures), 'run')} could not be evaluated")
        findings = [*error_findings(failures), *findings]
    _write_reports(options, findings, compared, warnings)
    if os.environ.get("GITHUB_ACTIONS"):
        for annotation in gate_texts.annotations_of(findings):
            say(annotation)
        _add_to_job_summary(as_markdown(findings, compared, warnings))
    exit_if_failed(failures)
    if any(finding.fails for finding in findings):
        raise click.exceptions.Exit(gate_texts.EXIT_CODE)


def _findings_of_expect(options: EvaluateOptions, path: str, printed: bytes) -> Iterator[GateFinding]:
    """Yield the findings of --expect about the lines of its file at `path`, and the lines that it lacks."""
    from pres_eval.cli.baselines import read_whole
    from pres_eval.cli.gates.expected import line_findings
    from pres_eval.reading.topic_files import decoded, encoded

    # In UTF-8, as our lines are, also if a shell of Windows wrote the file in UTF-16.
    file_text = encoded(decoded(read_whole(File(path), by_line=True)))
    yield from line_findings(path, file_text, printed, options.allow_unmatched)


def check_groups(options: EvaluateOptions, path: str, now: Record, earlier: Record) -> None:
    """Raise UsageError if the baseline has groups that this call does not check.

    The message has two commands to paste: this call with the groups, and one that makes the baseline at
    `path` again without them.
    """
    from pres_eval.cli.gates.mismatches import unchecked_groups

    unchecked = unchecked_groups(now, earlier)
    if not unchecked:
        return
    from pres_eval.cli.retyping import command_text, typed_options

    groups = earlier.files["groups"].path
    with_groups = [*typed_options(left_out={"groups"}), "--groups", groups]
    fields_of_this_call = {*GATE_FIELDS, *FIELDS_OF_TABLES, "groups", "output"}
    without_groups = [*typed_options(left_out=fields_of_this_call), "--output", path]
    if not path.lower().endswith(".json"):
        without_groups += ["--format", "json"]
    earlier_files = [earlier.qrels.path, *(run.file.path for run in earlier.runs)]
    raise UsageError(
        f"{path} was made with --groups {groups}, and this call does not check {', '.join(unchecked)};"
        f" check them with  {command_text(with_groups, [options.qrels, *options.runs])}  or make the baseline"
        f" without groups:  {command_text(without_groups, earlier_files)}"
    )


def _add_to_job_summary(text: str) -> None:
    """Append Markdown to the page that GitHub shows of a job, if there is one; warn if that fails."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123
            stream.write(text)
    except OSError as error:
        warn(f"{path}: the summary of the job cannot be written: {error.strerror or error}")


def report_failures(options: GateOptions, failures: Sequence[RunFailure], warnings: Sequence[str]) -> None:
    """Write to the reports of the gates the errors because of which no gate was checked."""
    from pres_eval.cli.gates.reports import error_findings

    _write_reports(options, error_findings(failures), (), warnings)


def _write_reports(
    options: GateOptions,
    findings: Sequence[GateFinding],
    compared: Sequence[Change],
    warnings: Sequence[str],
) -> None:
    """Write the files of --junit and --summary."""
    from pres_eval.cli.gates.reports import as_junit, as_markdown

    if options.junit is not None:
        write_output(options.junit, as_junit(findings, warnings))
    if options.summary is not None:
        write_output(options.summary, as_markdown(findings, compared, warnings))


def report_usage_error(arguments: Sequence[str], message: str) -> None:
    """Write an error of the command line to the reports that it names, unless they are other files.

    The options could not be read, so nobody has checked that --junit names no input: a file that is not a
    report of ours stays as it is.

    arguments  words of the command line
    """
    from pres_eval.cli.gates.reports import as_junit, as_markdown, error_findings, is_report

    findings = error_findings([RunFailure("", message)])
    report_texts = {"--junit": as_junit(findings), "--summary": as_markdown(findings, ())}
    for index, word in enumerate(arguments):
        option_name, equals, path = word.partition("=")
        if not equals and index + 1 < len(arguments):
            path = arguments[index + 1]
        if option_name in report_texts and path and is_report(path):
            with contextlib.suppress(PresEvalError):
                write_output(path, report_texts[option_name])

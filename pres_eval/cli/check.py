"""pres-eval check QRELS RUN ...: everything wrong or suspicious in the files."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Iterator
from typing import Any

import click

from pres_eval.checking.check import EXIT_ERRORS, check_files, failed
from pres_eval.checking.findings import KINDS, Example, FileReport, Severity
from pres_eval.checking.known_ids import KnownIds, read_ids
from pres_eval.checking.run import CheckOptions
from pres_eval.checking.text import as_json, as_text
from pres_eval.cli.command_options import (
    CommandOptions,
    CutoffList,
    FileUse,
    WholeRange,
    argument,
    command_with,
    option,
)
from pres_eval.cli.output import set_format, write_output
from pres_eval.cli.progress import reading_bar
from pres_eval.cli.shared import COLUMNS, GRADE_WORDS, RESULTS_FORMAT, NumberOptions
from pres_eval.cli.streams import is_watched, warn
from pres_eval.engines.machine import num_processors
from pres_eval.errors import (
    InputError,
    MissingExtraError,
    ReadingNote,
    ReadingWarning,
    SwallowedLinesNote,
    UsageError,
)
from pres_eval.reading.file import File
from pres_eval.reading.formats.csv_rows import cells_of, separator_of_lines
from pres_eval.reading.formats.parquet import has_grades_alone
from pres_eval.reading.formats.recognising import has_whole_numbers, recognised
from pres_eval.reading.headings import DOCNO, TOPIC, Role
from pres_eval.reading.judgements.relevance import relevance_info
from pres_eval.reading.lines import QRELS
from pres_eval.reading.mistakes.advice import advice
from pres_eval.reading.rewriting import read_mapping
from pres_eval.reading.run_files import PARQUET, RunFiles, check_format, source_at, text_at


def _check_ignored(
    context: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the kinds of findings to leave out; raise UsageError for a kind of error."""
    for name in names:
        if KINDS[name].severity is Severity.ERROR:
            raise UsageError(
                f"--ignore {name}: errors cannot be left out, as the evaluator stops at them;"
                " expected a kind of warnings or notes"
            )
    return names


WHOLE_NUMBER = re.compile(r"-?\d+")
"""Text of a grade of judgements."""

MOST_DETAILED_FILES = 10
"""Largest number of files of which all findings are shown by default; of more, one line each."""


class CheckCommandOptions(CommandOptions):
    """Find everything wrong or suspicious in judgements and runs: all of it, not only the first fault.

    \b
    Examples:
      pres-eval check qrels.txt run_*.txt
      pres-eval check run.txt

    An error would stop the evaluator: malformed lines, scores that are not numbers, documents that
    a topic has twice, no topic in common.  A warning can make numbers other than meant: ranks that disagree
    with the scores, scores that are all equal, or equal where the order could change map by 0.01, scores that
    tie in 32 bits alone, where trec_eval 9.0.8 and 10.0 differ,
    topics that only one side has, ids that look like another notation of one on the other side, several tags,
    a byte order mark.  A note is worth knowing and changes no number by itself.  Each file ends in a verdict.

    Files in other formats than trec_eval's (MS MARCO, BEIR, JSON, JSON Lines, Parquet) are recognised, or
    named with -T and -R; in these, and in judgements with -R prefs and the like, only the first malformed row
    is reported.

    A single file is checked alone: as judgements if it has four columns, or grades and no scores, or, in JSON
    and BEIR's format, whole numbers; as a run with --no-qrels.

    Exit codes: 0 no errors; 1 errors, with --strict also warnings (or a usage error).
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    files: tuple[str, ...] = argument(nargs=-1, required=True, metavar="[QRELS] RUN [RUN ...]")
    without_qrels: bool = option(
        "--no-qrels", is_flag=True, help="All files are runs: there are no judgements."
    )
    topic_ids: str | None = option(
        "--topics", metavar="FILE", help="Topics of the collection (first column): report all others."
    )
    document_ids: str | None = option(
        "--documents", metavar="FILE", help="Documents of the collection (first column): report all others."
    )
    results_format: str = RESULTS_FORMAT
    relevance_format: str = NumberOptions.relevance_format
    relevance_level: float = NumberOptions.relevance_level
    nmax: tuple[int, ...] | None = option(
        "--nmax", type=CutoffList(), metavar="RANKS",
        help="Warn of topics of a run that do not reach these ranks.",
    )  # fmt: skip
    most: int = option(
        "--max", type=WholeRange(min=0), default=5, show_default=True, metavar="NUM",
        help="Examples of each kind in each file.",
    )  # fmt: skip
    columns: tuple[str, ...] = COLUMNS
    grades: tuple[str, ...] = GRADE_WORDS
    map_docs: str | None = NumberOptions.map_docs
    at_most: int | None = option(
        "--at-most", type=WholeRange(min=1), metavar="NUM",
        help="Warn of topics of a run with more documents, such as 1000 in a track.",
    )  # fmt: skip
    brief: bool | None = option(
        "--brief/--details", default=None,
        help="One line for each file (verdict, documents, kinds of findings), or all that was found"
        " (default for"
        " up to 10 files).",
    )  # fmt: skip
    kinds: tuple[str, ...] = option(
        "--kind", choices=KINDS, multiple=True, metavar="KIND",
        help="Show only findings of this kind; several allowed. All findings count for verdict and exit"
        " code.",
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        "--ignore", choices=KINDS, multiple=True, metavar="KIND", callback=_check_ignored,
        help="Leave out warnings or notes of this kind, such as ties; several allowed. Errors stay.",
    )  # fmt: skip
    output_format: str = option(
        "--format", choices=("text", "json"), default="text", show_default=True,
        help="Text for people, JSON for programs.",
    )  # fmt: skip
    strict: bool = option("--strict", is_flag=True, help="Also exit with 1 for warnings.")
    output: str | None = option(
        "-o", "--output", metavar="FILE", callback=set_format, file_use=FileUse.WRITTEN,
        help="Write the findings to FILE, whole or not at all; FILE.json sets --format json.",
    )  # fmt: skip
    jobs: int | None = NumberOptions.jobs


@command_with(CheckCommandOptions)
def command(options: CheckCommandOptions) -> None:
    """Check the files, and write the findings; exit 1 for errors."""
    check_format(options.results_format)
    relevance_info(options.relevance_format)
    options_of_checks, known_ids = _options_of_checks(options), _known_ids(options)
    sources = [_source(path) for path in options.files]
    qrels, runs = None, sources
    if not options.without_qrels and (len(sources) > 1 or looks_like_judgements(sources[0], options)):
        qrels, runs = sources[0], sources[1:]
    bar: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if is_watched():
        bar = reading_bar([RunFiles(source.name, (source,)) for source in sources])
    with _collected_reading_warnings() as texts, bar:
        reports = check_files(qrels, runs, options_of_checks, known_ids)
    for text in texts:
        _add_reading_warning(reports, text)
    if qrels is None and not options.without_qrels:
        _add_advice_for_judgements(reports[0], sources[0])
    for report in reports:
        report.findings = {
            name: finding for name, finding in report.findings.items() if name not in options.ignore
        }
        report.shown = options.kinds or report.shown
    if options.output_format == "json":
        text_of_reports = as_json(reports)
    else:
        brief = len(reports) > MOST_DETAILED_FILES if options.brief is None else options.brief
        text_of_reports = as_text(reports, brief)
    write_output(options.output, text_of_reports)
    if failed(reports, options.strict):
        raise click.exceptions.Exit(EXIT_ERRORS)


def _options_of_checks(options: CheckCommandOptions) -> CheckOptions:
    """Return the options of the checks, as the library takes them: formats, limits, mapping, threads."""
    return CheckOptions(
        relevance_level=options.relevance_level,
        relevance_form=options.relevance_format,
        run_form=options.results_format,
        depths=options.nmax or (),
        at_most=options.at_most,
        most=options.most,
        mapping=None if options.map_docs is None else read_mapping(options.map_docs),
        jobs=options.jobs or num_processors(),
    )


def _known_ids(options: CheckCommandOptions) -> KnownIds:
    """Return the ids of the collection in the files of --topics and --documents."""
    topics, documents = None, None
    if options.topic_ids is not None:
        topics = read_ids(options.topic_ids, TOPIC)
    if options.document_ids is not None:
        documents = read_ids(options.document_ids, DOCNO)
    return KnownIds(topics=topics, documents=documents)


@contextlib.contextmanager
def _collected_reading_warnings() -> Iterator[list[str]]:
    """Collect the warnings of readers inside the block: yield the list that receives each text once.

    Notes of readers are printed as in other commands, but those of swallowed lines are collected, too: a
    quotation mark may be missing there.
    """
    texts: list[str] = []
    show_others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:
        """Collect a warning in place of Python's showwarning."""
        is_collected = issubclass(category, ReadingWarning)
        if issubclass(category, ReadingNote):
            is_collected = issubclass(category, SwallowedLinesNote)
        if not is_collected:
            show_others(message, category, *location, **more)
        elif str(message) not in texts:
            texts.append(str(message))

    warnings.showwarning = show
    try:
        yield texts
    finally:
        warnings.showwarning = show_others


def _add_reading_warning(reports: list[FileReport], text: str) -> None:
    """Add a reader's warning to the report of the file whose path it begins with; if none, print it."""
    for report in reports:
        match = re.match(rf"{re.escape(report.path)}(?::(\d+))?: (.*)", text, re.DOTALL)
        if match is None:
            continue
        line, message = match.groups()
        examples = []
        if line is not None:
            examples.append(Example(int(line), message))
            message = ""
        earlier = report.findings.get("read-with-warning")
        if earlier is not None and earlier.message and message:
            message = f"{earlier.message}; {message}"
        report.add("read-with-warning", 1, message, examples)
        return
    warn(text)


def looks_like_judgements(source: File, options: CheckCommandOptions) -> bool:
    """Return whether a file that is checked alone has judgements; False if it cannot be read.

    It has, if -R names a format for them, or else by its first lines: four columns, or a format with grades,
    or, in a format of both runs and judgements, whole numbers.
    """
    if options.relevance_format != "qrels":
        return True
    with contextlib.suppress(InputError, MissingExtraError):
        run_format, judged_format = recognised(source, Role.RUN), recognised(source, Role.QRELS)
        if run_format is None and judged_format is None:
            return _is_table_of_judgements(source)
        if run_format is None:
            return True
        if run_format.name == PARQUET:
            return has_grades_alone(source)
        is_of_both = run_format == judged_format and run_format.name in ("json", "beir")
        return is_of_both and has_whole_numbers(source)
    return False


def _is_table_of_judgements(source: File) -> bool:
    """Return whether a file in no recognised format has the four columns of judgements.

    Between blanks the first line decides; between other separators, iterations and grades have to look so.
    """
    num_columns = len(QRELS.names.split())
    lines = [line for line in source.head().split(b"\n") if line.strip() and not line.startswith(b"#")]
    if lines and len(lines[0].split()) == num_columns:
        return True
    return _are_separated_judgements(_first_rows(source, num_columns))


def _first_rows(source: File, least_columns: int) -> list[list[str]]:
    """Return the cells of the first lines, cut at the separator that gives all the same number of columns.

    least_columns  what this number must be at least; if no separator gives so many, lines are cut at blanks
    """
    head = source.head()
    whole_lines = head[: head.rfind(b"\n") + 1] or head
    separator = separator_of_lines(whole_lines, least_columns)
    texts = whole_lines.decode("utf-8-sig", "surrogateescape").splitlines()
    return [cells_of(text, separator) for text in texts if text.strip() and not text.startswith("#")]


def _are_separated_judgements(rows: list[list[str]]) -> bool:
    """Return whether rows are topic, iteration, docno and a whole grade, with the same iteration in all."""
    if {len(row) for row in rows} != {len(QRELS.names.split())}:
        return False
    iterations = set()
    for _, iteration, _, grade in rows:
        if WHOLE_NUMBER.fullmatch(grade) is None:
            return False
        iterations.add(iteration)
    return len(iterations) == 1


def _add_advice_for_judgements(report: FileReport, source: File) -> None:
    """Add advice to the report of a file checked as a run, if its three columns may be topic, docno, grade.

    That is so if it has a finding about its format, or one document for each topic: read as topic, docno,
    rank, all its ranks are then 1.
    """
    finding = report.findings.get("another-format")
    is_in_another_format = "format" in report.facts
    has_one_document_a_topic = report.facts.get("documents_per_topic") == [1, 1]  # least and most
    if finding is None and not (is_in_another_format and has_one_document_a_topic):
        return
    with contextlib.suppress(InputError):
        rows = _first_rows(source, 3)
        if not all(len(row) == 3 and WHOLE_NUMBER.fullmatch(row[2]) for row in rows):
            return
        text = advice(source, QRELS.names)
        if not text:
            return
        if finding is None:
            report.add("another-format", 1, f"all ranks are 1; if these are judgements: {text}")
        else:
            finding.message += f"; if these are judgements: {text}"


def _source(path: str) -> File:
    """Return the file at a path or an address, or the part files of a folder."""
    if "://" not in path and not os.path.isdir(path):  # noqa: PTH112
        return source_at(path)
    try:
        return text_at(path)
    except InputError:
        return File(path)  # the check of this file then reports the fault as a finding

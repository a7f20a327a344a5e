"""pres-eval convert: runs and judgements in another format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pres_eval.arrays import Ids
from pres_eval.cli.command_options import CommandOptions, FileUse, argument, command_with, option
from pres_eval.cli.output import output_file
from pres_eval.cli.shared import COLUMNS, GRADE_WORDS, RESULTS_FORMAT
from pres_eval.cli.streams import warn, writing_results
from pres_eval.errors import InputError, UsageError, plural, quoted
from pres_eval.library.converting import blocks_of_file, has_sortable_lines
from pres_eval.reading.blocks import Block, FileFormat
from pres_eval.reading.file import BYTE_ORDER_MARK, File
from pres_eval.reading.formats.parquet import has_grades_alone
from pres_eval.reading.formats.recognising import has_whole_numbers, recognised
from pres_eval.reading.headings import GRADE, QRELS_PREFIX, RANK, RUN_PREFIX, SCORE, Role
from pres_eval.reading.lines import QRELS
from pres_eval.reading.naming import current_naming
from pres_eval.reading.run_files import PARQUET, TABLE_FORMATS, TREC, check_format, source_at
from pres_eval.reading.topic_files import TOPIC_HEADINGS
from pres_eval.report.converted import OF_RUNS, TARGETS, write_blocks

JUDGED = ("qrels", *TABLE_FORMATS)
"""Formats of judgements that can be converted."""

DEFAULT_TAG = "run"
"""Last column of trec_results without --tag."""


class ConvertOptions(CommandOptions):
    """Write a run or judgements in another format, for a spreadsheet, an engine or another tool.

    \b
    Examples:
      pres-eval convert run.txt --to csv
      pres-eval convert qrels.txt --to beir
      pres-eval convert run.txt --columns topic=1,docno=3,score=5 --to csv

    FILE is recognised as in an evaluation.  Without -R and -T it has judgements if --columns names a grade,
    if it has four columns, or named columns with grades and no scores.  JSON and BEIR's files can be both:
    name judgements with -R, runs with -T.  Ids and numbers stay as they are (msmarco has ranks in place of
    scores); the iterations, ranks and tags of FILE are not kept.  Ids that the format cannot hold are errors.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    file: str = argument()
    target: str = option(
        "--to", choices=TARGETS, required=True,
        help="Format to write, one of those of -T and -R.",
    )  # fmt: skip
    results_format: str = RESULTS_FORMAT
    relevance_format: str | None = option(
        "-R", "--Rel_info_format", metavar="FORMAT",
        help=f"FILE has judgements, in this format: {', '.join(JUDGED)}.",
    )  # fmt: skip
    columns: tuple[str, ...] = COLUMNS
    grades: tuple[str, ...] = GRADE_WORDS
    topics_from: str | None = option(
        "--topics-from", metavar="FILE",
        help="Names of the topics 1, 2, ... of _msearch responses: the first word of each line.",
    )  # fmt: skip
    tag: str | None = option("--tag", metavar="NAME", help="Last column of trec_results (default: run).")
    output: str | None = option(
        "-o", "--output", metavar="FILE", file_use=FileUse.WRITTEN, help="Write to FILE, whole or not at all."
    )


@command_with(ConvertOptions)
def command(options: ConvertOptions) -> None:
    """Write the rows of the file in the format of --to."""
    check_format(options.results_format)
    form = options.relevance_format
    if options.tag is not None and options.target != "trec_results":
        raise UsageError(f"--tag goes with --to trec_results, found --to {options.target}: leave it out")
    if form not in (None, *JUDGED):
        raise UsageError(f"-R {form}: cannot be converted, expected one of {', '.join(JUDGED)}")
    source = source_at(options.file)
    has_grades = _has_grades(source, options)
    if has_grades and options.target in OF_RUNS:
        raise UsageError(f"--to {options.target}: {options.file} has judgements, expected --to qrels")
    if not has_grades and options.target == "qrels":
        raise UsageError(f"--to {options.target}: {options.file} has a run, expected --to trec_results")
    source_format = form or options.results_format
    is_sortable = has_sortable_lines(source, source_format, grades=has_grades)
    blocks = blocks_of_file(source, source_format, grades=has_grades)
    if options.topics_from is not None:
        blocks = _with_topics_of(blocks, options.topics_from)
    with output_file(options.output) as stream, writing_results():
        tag = DEFAULT_TAG if options.tag is None else options.tag
        write_blocks(stream, blocks, options.target, has_grades, source.name, tag, is_sortable)


def _has_grades(source: File, options: ConvertOptions) -> bool:
    """Return whether a file has judgements, not a run: by the options, or else by its beginning.

    Raises UsageError for a file that may be a run or judgements.
    """
    by_options = _has_grades_by_options(options)
    if by_options is not None:
        return by_options
    run_format = recognised(source, Role.RUN)
    if run_format is None:
        return _begins_as_judgements(source)
    if run_format.name == PARQUET and has_grades_alone(source):
        return True
    if options.target in ("qrels", *OF_RUNS):
        return options.target == "qrels"
    form = _value_of_option(run_format)
    if form in ("json", "jsonl", "beir") and _can_be_judgements(source, form):
        raise UsageError(
            f"{options.file} can be a run or judgements: name a run with -T {form}, judgements with -R {form}"
        )
    return False


def _has_grades_by_options(options: ConvertOptions) -> bool | None:
    """Return whether -R, -T, --columns and --grades mean judgements, not a run; None if they mean neither."""
    if options.relevance_format is not None:
        return True
    if options.results_format != TREC:
        return False
    columns = current_naming().columns
    names_grades = GRADE in columns or any(kind.startswith(QRELS_PREFIX) for kind in columns)
    if names_grades or options.grades:
        return True
    names_scores = SCORE in columns or RANK in columns or any(kind.startswith(RUN_PREFIX) for kind in columns)
    return False if names_scores else None


def _value_of_option(file_format: FileFormat) -> str:
    """Return the value of -T or -R for a format, which is the first word of its name."""
    return file_format.name.partition(" ")[0]


def _begins_as_judgements(source: File) -> bool:
    """Return whether a file in no recognised format of runs has judgements: by format, or four columns."""
    if recognised(source, Role.QRELS) is not None:
        return True
    for line in source.head().split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            return len(line.split()) == len(QRELS.names.split())
    return False


def _can_be_judgements(source: File, form: str) -> bool:
    """Return whether a file in a format of runs is as well one of judgements in it: its numbers are whole.

    form  the value of -T that means the format
    """
    judged_format = recognised(source, Role.QRELS)
    if judged_format is None or _value_of_option(judged_format) != form:
        return False
    return has_whole_numbers(source)


def _with_topics_of(blocks: Iterator[Block], path: str) -> Iterator[Block]:
    """Yield the blocks with the names of topics in the file at `path`, in place of their numbers from 1.

    The first name is that of topic 1, and so on.  Warns of names behind the last topic with documents; raises
    InputError for a topic that is not the number of a name.
    """
    names = _topics_of(path)
    last_number = 0
    for block in blocks:
        for topic in block.topics:
            if not topic.isdigit() or not 1 <= int(topic) <= len(names):
                raise InputError(
                    path,
                    None,
                    f"{plural(len(names), 'line')}, and topic {quoted(topic)}",
                    "a line for each topic, numbered from 1",
                )
            last_number = max(last_number, int(topic))
        yield replace(block, topics=Ids.from_texts([names[int(topic) - 1] for topic in block.topics]))
    if last_number < len(names):
        warn(
            f"{path}: {len(names)} topics, but the last one with documents is number {last_number}"
            f" ({quoted(names[last_number - 1])}): check that each topic got its own documents"
        )


def _topics_of(path: str) -> list[bytes]:
    """Return the names of topics in a file: the first column of each line, without a heading.

    If the first line has a heading, columns are cut at its separator: tabs, commas or semicolons.  Else they
    are cut at blanks, or at commas if the first word of every line has one.
    """
    text = File(path).head(None).removeprefix(BYTE_ORDER_MARK)
    lines = [line.strip() for line in text.split(b"\n") if line.strip()]
    for separator in (b"\t", b",", b";"):
        if lines and _is_heading(_first_cell(lines[0], separator)):
            return [_first_cell(line, separator) for line in lines[1:]]
    first_words = [line.split()[0] for line in lines]
    if first_words and _is_heading(first_words[0]):
        return first_words[1:]
    if all(b"," in word for word in first_words):
        return [_first_cell(word, b",") for word in first_words]
    return first_words


def _first_cell(line: bytes, separator: bytes) -> bytes:
    """Return what is before the first separator, without quotation marks."""
    return line.split(separator)[0].strip(b'"')


def _is_heading(cell: bytes) -> bool:
    """Return whether a cell is a heading of a column of topics."""
    return cell.lower().decode("latin-1") in TOPIC_HEADINGS

"""pres-eval merge: the judgements of several assessors as one file."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np

from pres_eval.analysis.judging import (
    JOINING_RULES,
    Assessments,
    disagreements,
    judges_of_repeats,
    merged_grades,
    side_by_side,
)
from pres_eval.arrays import AnyInts
from pres_eval.cli.command_options import CommandOptions, FileUse, argument, command_with, option
from pres_eval.cli.output import output_file, write_output
from pres_eval.cli.shared import COLUMNS, GRADE_WORDS, NumberOptions
from pres_eval.cli.streams import note, writing_results
from pres_eval.errors import InputError, UsageError, plural
from pres_eval.library.converting import ENDINGS
from pres_eval.reading.blocks import Block
from pres_eval.reading.judgements.relevance import QrelsJudgements, as_qrels, read_relevance
from pres_eval.reading.mistakes.shapes import SWAPPED
from pres_eval.reading.run_files import source_at
from pres_eval.report.converted import write_blocks
from pres_eval.report.grid import guarded
from pres_eval.report.text import text_of


class MergeOptions(CommandOptions):
    """Merge the judgements of several assessors: every topic and document that any of the files has.

    \b
    Example:
      pres-eval merge --quiet --rule highest qrels.txt qrels.txt

    In a single file, the second judgement of a document is that of a second assessor, and so on.  Assessors
    who did not judge a document have no vote on it, nor has a negative grade, which means "in the pool, not
    judged".  --rule mean may give decimals: evaluate these with -R qrels_float.  pres-eval judges shows
    how far assessors agree.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    first: str = argument(metavar="QRELS")
    others: tuple[str, ...] = argument(nargs=-1, metavar="[QRELS ...]")
    rule: str = option(
        "--rule", choices=JOINING_RULES, default=JOINING_RULES[0], show_default=True,
        help="Grade of a document with several: the most frequent (if several are, the earliest file's),"
        " the first file's, the highest, or the mean.",
    )  # fmt: skip
    disagreements_file: str | None = option(
        "--disagreements", metavar="FILE", file_use=FileUse.WRITTEN,
        help="List the documents with different grades in FILE (TSV): topic, docno, the grade in each file,"
        " the"
        " merged grade.",
    )  # fmt: skip
    output: str | None = option(
        "-o", "--output", metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the judgements to FILE, whole or not at all; FILE.csv, .tsv (BEIR's), .json, .jsonl and"
        " .parquet set the format.",
    )  # fmt: skip
    columns: tuple[str, ...] = COLUMNS
    grades: tuple[str, ...] = GRADE_WORDS
    quiet: bool = NumberOptions.quiet


@command_with(MergeOptions)
def command(options: MergeOptions) -> None:
    """Merge the files, and write the judgements."""
    judges = [_judgements_at(path) for path in (options.first, *options.others)]
    if not options.others:
        judges = judges_of_repeats(judges[0])
    if len(judges) == 1:
        raise UsageError(f"{options.first}: no document has several judgements, expected more files")
    judged = side_by_side(judges, every_topic=True)
    grades = merged_grades(judged, options.rule)
    differing = disagreements(judged)
    block = Block(
        topics=judged.pool.topics,
        lengths=np.diff(judged.pool.offsets),
        documents=judged.pool.documents,
        numbers=grades,
    )
    if options.disagreements_file is not None:
        write_output(options.disagreements_file, _disagreement_lines(judged, grades, differing.tolist()))
    with output_file(options.output) as stream, writing_results():
        form = ENDINGS.get(PurePath(options.output or "").suffix.lower(), "qrels")
        write_blocks(stream, [block], form, grades=True, name=options.first, tag="")
    if not options.quiet:
        note(_summary(judged, len(differing), is_listed=options.disagreements_file is not None))


def _judgements_at(path: str) -> QrelsJudgements:
    """Return the judgements of an assessor; raise InputError for a file without judgements."""
    try:
        return as_qrels(read_relevance(source_at(path)), "merge")
    except InputError as error:
        if SWAPPED not in error.advice:
            raise
        advice = "this looks like a run: merge takes judgements alone"
        raise InputError(error.path, error.line, error.found, error.expected, advice) from None


def _summary(judged: Assessments, num_differing: int, is_listed: bool) -> str:
    """Return in words what was merged: documents, topics, how many have different grades.

    num_differing  documents with different grades
    is_listed      whether --disagreements lists these
    """
    num_documents = len(judged.pool.documents)
    num_several = int(np.count_nonzero(judged.judged.sum(axis=0) > 1))
    documents = "document" if num_documents == 1 else "documents"
    text = (
        f"{num_documents:,} {documents} of {plural(len(judged.pool.topics))};"
        f" {num_several:,} judged more than once, {num_differing:,} of these with different grades"
    )
    if num_differing and not is_listed:
        text += " (--disagreements FILE lists them)"
    return text


def _disagreement_lines(judged: Assessments, merged: AnyInts, documents: list[int]) -> str:
    """Return a heading, and a line for each document: its grade in each file, or -, and the merged grade.

    merged     (D,) merged grades of all documents
    documents  indices of those with different grades
    """
    names = [guarded(text_of(name)) for name in judged.names]
    lines = ["\t".join(["topic", "docno", *names, "merged"])]
    for document in documents:
        topic = judged.pool.topics[int(judged.pool.topic_of[document])]
        cells = [guarded(text_of(topic)), guarded(text_of(judged.pool.documents[document]))]
        is_in_files, grades = judged.listed[:, document].tolist(), judged.grades[:, document].tolist()
        for is_in_file, grade in zip(is_in_files, grades, strict=True):
            cells.append(str(grade) if is_in_file else "-")
        cells.append(f"{merged[document]:.12g}")
        lines.append("\t".join(cells))
    return "".join(f"{line}\n" for line in lines)

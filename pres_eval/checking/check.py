"""All checks of a qrels file and any number of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from pres_eval.checking.blocks import NO_RANK, CheckedRows
from pres_eval.checking.findings import Example, FileReport, Severity
from pres_eval.checking.known_ids import KnownIds, check_ids
from pres_eval.checking.run import CheckedPart, CheckOptions, RunChecker, segments_of
from pres_eval.checking.whole_files import (
    CheckedRun,
    check_pair,
    check_qrels,
    compare_tags,
    report_judgements,
)
from pres_eval.engines.threads import in_order
from pres_eval.errors import EmptyFileError, InputError, MissingExtraError
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.blocks import Block, joined
from pres_eval.reading.file import File
from pres_eval.reading.formats.recognising import FORMATS, judgements_format, recognised
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.pool import NO_POOL
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance, qrels_in, read_relevance
from pres_eval.reading.lines import QRELS, RUN, Layout
from pres_eval.reading.mistakes.advice import advice
from pres_eval.reading.rewriting import Rewriting

Checked = TypeVar("Checked")

MOST_THREADS = 4
"""Threads that check runs; more would wait for Python's lock.

100 runs take 1.05 s with four, 1.21 s with eight, 1.67 s with sixteen.
"""

NOTHING_KNOWN = KnownIds()
"""Stands for a collection whose topics and documents are not known."""

EXIT_ERRORS = 1
"""Exit code if a file has errors."""

MALFORMED = frozenset(
    (
        "too-few-columns",
        "too-many-columns",
        "nul-byte",
        "score-nan",
        "score-no-number",
        "relevance-no-integer",
    )
)
"""Kinds of errors that are faults of single lines."""


def check_files(
    qrels: File | None, runs: Sequence[File], options: CheckOptions, known: KnownIds = NOTHING_KNOWN
) -> list[FileReport]:
    """Return everything that is wrong or suspicious: a report for the qrels, then one for each run.

    A file that can't be read is a finding like others; the rest is checked all the same.

    qrels  None if there are no judgements
    known  the topics and documents of the collection
    """
    reports: list[FileReport] = []
    judgements = None
    if qrels is not None:
        reports.append(FileReport(qrels.name, "qrels", options.most))
        judgements = _read_and_reported(
            qrels, reports[0], QRELS, partial(_check_judgements, qrels, reports[0], options)
        )
        if judgements is not None:
            check_ids(reports[0], qrels, options.relevance_form, known)
    if judgements is not None and options.mapping is not None:
        judgements = Rewriting(mapping=options.mapping).of_judgements(judgements)
    pool = NO_POOL
    if judgements is not None:
        pool = judgements.pool
    num_threads = min(options.jobs, MOST_THREADS)
    runs_at_once = max(min(num_threads, len(runs)), 1)
    options = replace(options, jobs=max(num_threads // runs_at_once, 1))  # threads that share a run
    checker = RunChecker(pool, options)

    def check(source: File) -> FileReport:
        """Return the report of a run."""
        report = FileReport(source.name, "run", options.most)
        run = _read_and_reported(
            source, report, RUN, partial(_check_run, source, report, checker, options.run_form)
        )
        if run is not None:
            check_ids(report, source, options.run_form, known)
        if run is not None and judgements is not None:
            check_pair(report, run, judgements)
            if not reports[0].num_kinds(Severity.ERROR):
                _report_order_of_ties(report, source, judgements, options)
        return report

    run_reports = list(in_order(check, runs, runs_at_once))
    compare_tags(run_reports)
    return [*reports, *run_reports]


def _check_judgements(source: File, report: FileReport, options: CheckOptions) -> Relevance:
    """Return the judgements after checking them; read them in the format of -R, or of their beginning."""
    level, form = options.relevance_level, options.relevance_form
    is_decimal = form == "qrels_float"
    file_format = FORMATS.get(form)
    if file_format is None and (is_decimal or form == "qrels"):
        file_format = judgements_format(source)
    if file_format is None and form == "qrels":
        return check_qrels(source, report, level, options.jobs)
    # A fault of a single row ends the reading of these, as it does when the file is evaluated.
    relevance: Relevance
    if file_format is None:
        relevance = read_relevance(source, form)
        report.facts["format"] = form
        report.facts["judged_documents"] = len(relevance.pool.documents)
        report.facts["topics"] = len(relevance.pool.topics)
    else:
        relevance = qrels_in(source, file_format, is_decimal)
        report.facts["format"] = file_format.meaning or file_format.name
    if isinstance(relevance, QrelsJudgements):
        report_judgements(report, relevance, level)
    if file_format is not None and not file_format.numbered:
        _remove_lines(report)
    return relevance


def _check_run(source: File, report: FileReport, checker: RunChecker, form: str) -> CheckedRun:
    """Return the facts of a run after checking it; read it in the format `form` of -T, or of its beginning.

    Raises InputError for the first faulty row of a format that is not one of lines.
    """
    file_format = FORMATS.get(form) or recognised(source, Role.RUN)
    if file_format is None:
        return checker.check(source, report)
    rows = joined(source.name, file_format.read(source, Role.RUN))
    # No line comes before the part, which is the whole run.
    run = checker.check_parts(report, [(0, _part_of(rows, report, by_rank=file_format.by_rank))])
    checker.report_whole_run(report, run)
    report.add("score-infinite", int(np.count_nonzero(np.isinf(rows.numbers))))
    report.facts |= {"format": file_format.meaning}
    if not file_format.numbered:
        _remove_lines(report)
    return run


def _part_of(rows: Block, report: FileReport, *, by_rank: bool) -> CheckedPart:
    """Return all rows of a run in another format than trec_eval's as one part, whose topics are not checked.

    report   of the file
    by_rank  whether the format has ranks, which the scores are made of, and no scores
    """
    documents = rows.document_ids()
    scores = rows.numbers.astype(np.float64)
    counts = Counter({("lines", "rows"): len(scores)})
    lines = np.arange(1, len(scores) + 1)
    if rows.lines is not None:
        lines = rows.lines
        counts["lines", "all"] = int(lines[-1])
    if by_rank:
        ranks = (-scores).astype(np.int64)
    else:
        ranks = np.full(len(documents), NO_RANK)
        counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    # The block has one row for each topic: these segments become as long as their topics have documents.
    row_offsets = np.concatenate(([0], np.cumsum(rows.lengths)))
    topics = segments_of(rows.topics)
    topics_of_rows = replace(topics, starts=row_offsets[topics.starts], num_rows=len(documents))
    return CheckedPart(
        report=FileReport(report.path, report.role, report.most, counts=counts),
        topics=topics_of_rows,
        tags={},
        rows=CheckedRows(ids=documents, scores=scores, ranks=ranks, line=lines),
    )


def _report_order_of_ties(
    report: FileReport, source: File, judgements: Relevance, options: CheckOptions
) -> None:
    """Report how much the order of equal scores could change map, for a run with ties and without errors."""
    finding = report.findings.get("ties") or report.findings.get("float32-ties")
    if finding is None or report.num_kinds(Severity.ERROR) or not Path(source.name).is_file():
        return
    from pres_eval.analysis.ties import tie_range

    numbers = Options(relevance_level=options.relevance_level)
    ranking = read_run(source, judgements, numbers, options.jobs, options.run_form)
    tied_map = tie_range(judgements, ranking, numbers, select(["map"])[0])
    if tied_map is not None:
        finding.message += f"; {tied_map} by how they are ordered"
        finding.details["map"] = [tied_map.least, tied_map.greatest]
        if tied_map.is_wide:
            report.add("order-of-ties", tied_map.num_tied, f"{tied_map} by how they are ordered")


def _read_and_reported(
    source: File, report: FileReport, layout: Layout, check: Callable[[], Checked]
) -> Checked | None:
    """Return the result of `check`, which reads the file; if it cannot, report the reason and return None.

    layout  of the lines that the file should have, for advice
    """
    checked = None
    try:
        checked = check()
    except EmptyFileError as error:
        if report.findings.keys().isdisjoint(MALFORMED):  # else lines with faults were reported
            report.add("no-documents", 1, "", [Example(None, error.found)])
    except InputError as error:
        report.add("unreadable", 1, "", [_example_of(error)])
    except MissingExtraError as error:
        report.add("unreadable", 1, "", [Example(None, str(error))])
    if report.findings.keys() & MALFORMED:
        _advise(source, report, layout)
    if "format" not in report.facts:  # the file has lines of trec_eval's formats
        if source.has_mark:
            report.add("byte-order-mark", 1, "", [Example(1, "EF BB BF before the first id")])
        if checked is not None and not source.final_newline:
            report.add("no-final-newline", 1)
    return checked


def _example_of(error: InputError) -> Example:
    """Return an error of a file as an example: what was found, expected and advised, with the line."""
    text = error.found
    if error.expected:
        text += f", expected {error.expected}"
    if error.advice:
        text += f"; {error.advice}"
    return Example(error.line, text)


def _advise(source: File, report: FileReport, layout: Layout) -> None:
    """Report the format that a file with malformed lines may be in."""
    faulty = report.findings.get("relevance-no-integer")
    first_fault = ""
    if faulty is not None and faulty.examples:
        first_fault = faulty.examples[0].text
    text = advice(source, layout.names, first_fault)
    if text:
        report.add("another-format", 1, text)


def failed(reports: Sequence[FileReport], strict: bool = False) -> bool:
    """Return whether a file has errors; with `strict` also whether one has warnings."""
    verdicts = {report.verdict() for report in reports}
    return Severity.ERROR in verdicts or (strict and Severity.WARNING in verdicts)


def _remove_lines(report: FileReport) -> None:
    """Leave the numbers of lines out of all examples: in a file without lines they number rows."""
    for finding in report.findings.values():
        finding.examples = [replace(example, line=None, other_line=None) for example in finding.examples]

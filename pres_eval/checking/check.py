"""All checks of a qrels file and any number of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from pres_eval.checking.blocks import NO_NUMBER, CheckedRows
from pres_eval.checking.findings import Example, FileReport, Severity
from pres_eval.checking.known_ids import KnownIds, check_ids
from pres_eval.checking.run import CheckedPart, CheckOptions, RunChecker, segments_of
from pres_eval.checking.whole_files import CheckedRun, check_pair, check_qrels, compare_tags, tell_judgements
from pres_eval.engines.threads import in_order
from pres_eval.errors import EmptyFileError, InputError, MissingExtraError
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.advice import advice
from pres_eval.reading.blocks import joined
from pres_eval.reading.file import File
from pres_eval.reading.formats.recognising import FORMATS, judgements_format, recognised
from pres_eval.reading.headings import SCORES
from pres_eval.reading.lines import QRELS, RUN, Layout
from pres_eval.reading.pool import NO_POOL
from pres_eval.reading.relevance import QrelsJudgements, Relevance, qrels_in, read_relevance
from pres_eval.reading.rewriting import Rewriting

Checked = TypeVar("Checked")

MOST_THREADS = 4
"""More wait for Python's lock: 100 runs take 1.05 s with four, 1.21 s with eight, 1.67 s with sixteen."""

NOTHING_KNOWN = KnownIds()

EXIT_ERRORS = 1
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
"""Errors of lines."""


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
        judgements = _checked(qrels, reports[0], QRELS, partial(_judgements, qrels, reports[0], options))
        if judgements is not None:
            check_ids(reports[0], qrels, options.relevance_form, known)
    if judgements is not None and options.mapping is not None:
        judgements = Rewriting(mapping=options.mapping).of_judgements(judgements)
    pool = NO_POOL
    if judgements is not None:
        pool = judgements.pool
    threads = min(options.jobs, MOST_THREADS)
    together = max(min(threads, len(runs)), 1)
    options = replace(options, jobs=max(threads // together, 1))
    checker = RunChecker(pool, options)

    def check(source: File) -> FileReport:
        """Return the report of a run."""
        report = FileReport(source.name, "run", options.most)
        run = _checked(source, report, RUN, partial(_run, source, report, checker, options.run_form))
        if run is not None:
            check_ids(report, source, options.run_form, known)
        if run is not None and judgements is not None:
            check_pair(report, run, judgements)
            if not reports[0].count(Severity.ERROR):
                _weigh_ties(report, source, judgements, options)
        return report

    run_reports = list(in_order(check, runs, together))
    compare_tags(run_reports)
    return [*reports, *run_reports]


def _judgements(source: File, report: FileReport, options: CheckOptions) -> Relevance:
    """Return the judgements in the format that was named, or that they turn out to be in."""
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
        report.facts["format"] = file_format.meaning
    if isinstance(relevance, QrelsJudgements):
        tell_judgements(report, relevance, level)
    if file_format is not None and not file_format.numbered:
        _without_lines(report)
    return relevance


def _run(source: File, report: FileReport, checker: RunChecker, form: str) -> CheckedRun:
    """Return the run, checked, in the format that was named, or that it turns out to be in.

    Raises InputError for the first faulty row of a format that is not one of lines.
    """
    file_format = FORMATS.get(form) or recognised(source, grades=False)
    if file_format is None:
        return checker.check(source, report)
    part = joined(source.name, file_format.read(source, SCORES))
    documents = part.documents.take(slice(None))
    offsets = np.concatenate(([0], np.cumsum(part.lengths)))
    groups = segments_of(part.topics)
    topics = replace(groups, starts=offsets[groups.starts], size=len(documents))
    scores = part.numbers.astype(np.float64)
    counts = Counter({("lines", "rows"): len(scores)})
    lines = part.lines
    if lines is None:
        lines = np.arange(1, len(scores) + 1)
    else:
        counts["lines", "all"] = int(lines[-1])
    if file_format.by_rank:
        ranks = (-scores).astype(np.int64)
    else:
        ranks = np.full(len(documents), NO_NUMBER)
        counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    part_report = FileReport(report.path, report.role, report.most, counts=counts)
    rows = CheckedRows(ids=documents, scores=scores, ranks=ranks, line=lines)
    whole = CheckedPart(report=part_report, topics=topics, tags={}, rows=rows)
    run = checker.check_parts(report, [(0, whole)])
    checker.tell(report, run)
    report.add("score-infinite", int(np.count_nonzero(np.isinf(scores))))
    report.facts |= {"format": file_format.meaning}
    if not file_format.numbered:
        _without_lines(report)
    return run


def _weigh_ties(report: FileReport, source: File, judgements: Relevance, options: CheckOptions) -> None:
    """Report how much the order of equal scores could change map, for a run that can be evaluated."""
    finding = report.findings.get("ties") or report.findings.get("float32-ties")
    if finding is None or report.count(Severity.ERROR) or not Path(source.name).is_file():
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


def _checked(
    source: File, report: FileReport, layout: Layout, check: Callable[[], Checked]
) -> Checked | None:
    """Read and check a file; on failure report it and return None."""
    checked = None
    try:
        checked = check()
    except EmptyFileError as error:
        if report.findings.keys().isdisjoint(MALFORMED):  # else there are lines, whose faults are told
            report.add("no-documents", 1, "", [Example(None, error.found)])
    except InputError as error:
        report.add("unreadable", 1, "", [Example(error.line, error.found)])
    except MissingExtraError as error:
        report.add("unreadable", 1, "", [Example(None, str(error))])
    if report.findings.keys() & MALFORMED:
        faulty = report.findings.get("relevance-no-integer")
        first_fault = ""
        if faulty is not None and faulty.examples:
            first_fault = faulty.examples[0].text
        text = advice(source, layout.names, first_fault)
        report.add("another-format", int(text != ""), text)
    if source.has_mark and "format" not in report.facts:
        report.add("byte-order-mark", 1, "", [Example(1, "EF BB BF before the first id")])
    if checked is not None and "format" not in report.facts:
        report.add("no-final-newline", not source.final_newline)
    return checked


def failed(reports: Sequence[FileReport], strict: bool = False) -> bool:
    """Return whether there was any error; any warning too if that is wanted."""
    return any(report.verdict() is Severity.ERROR or (strict and report.verdict()) for report in reports)


def _without_lines(report: FileReport) -> None:
    """Take the numbers of rows from the examples of a file that has no lines."""
    for finding in report.findings.values():
        finding.examples = [replace(example, line=None, other=None) for example in finding.examples]

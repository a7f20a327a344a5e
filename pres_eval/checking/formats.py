"""Checks of files in other formats than trec_eval's: those of topics, documents, order and grades.

A fault of a single row ends the reading, as it does when the file is evaluated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays.types import AnyInts
from pres_eval.checking.blocks import NO_NUMBER, CheckedRows
from pres_eval.checking.findings import FileReport
from pres_eval.checking.judgements import tell_judgements
from pres_eval.checking.run import RunChecker
from pres_eval.checking.run_parts import CheckedPart, segments_of
from pres_eval.checking.whole_run import CheckedRun
from pres_eval.reading.blocks import FileFormat, joined
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.relevance import Relevance, qrels_in, read_relevance
from pres_eval.reading.source import Source


def check_relevance(source: Source, report: FileReport, form: str, level: float) -> Relevance:
    """Read judgements in a format of trec_eval's that is not qrels, or ours with decimals.

    Raises InputError for the first fault.
    """
    relevance = read_relevance(source, form)
    report.facts |= {
        "format": form,
        "judged_documents": len(relevance.pool.documents),
        "topics": len(relevance.pool.topics),
    }
    if isinstance(relevance, QrelsJudgements):
        tell_judgements(report, relevance, level)
    return relevance


def check_qrels_in(source: Source, report: FileReport, form: FileFormat, level: float) -> QrelsJudgements:
    """Read judgements in this format and check them.  Raises InputError for the first faulty row."""
    qrels = qrels_in(source, form)
    report.facts |= {"format": form.meaning}
    tell_judgements(report, qrels, level)
    if not form.numbered:
        _without_lines(report)
    return qrels


def check_run_in(source: Source, report: FileReport, form: FileFormat, checker: RunChecker) -> CheckedRun:
    """Read a run in this format and check it.  Raises InputError for the first faulty row."""
    part = joined(source.name, form.read(source, False))
    documents = part.documents.pick(slice(None))
    offsets = np.concatenate(([0], np.cumsum(part.lengths)))
    groups = segments_of(part.topics)
    topics = replace(groups, starts=offsets[groups.starts], size=len(documents))
    ranks: AnyInts = np.full(len(documents), NO_NUMBER)
    scores = part.numbers.astype(np.float64)
    if form.by_rank:
        ranks = (-scores).astype(np.int64)
    found = FileReport(report.path, report.role, report.most)
    found.counts.update(
        {
            ("lines", "all"): 0 if part.lines is None else int(part.lines[-1]),
            ("lines", "rows"): len(scores),
            ("lines", "blank"): 0,
            ("lines", "tabs"): 0,
            ("lines", "extra_blanks"): 0,
            ("scores", "negative"): 0 if form.by_rank else int(np.count_nonzero(scores < 0)),
        }
    )
    rows = CheckedRows(
        ids=documents,
        scores=scores,
        ranks=ranks,
        line=np.arange(1, len(scores) + 1) if part.lines is None else part.lines,
    )
    whole = CheckedPart(report=found, topics=topics, tags={}, rows=rows)
    run = checker.check_rows(report, whole)
    report.add("score-infinite", int(np.count_nonzero(np.isinf(scores))))
    report.facts |= {"format": form.meaning}
    if not form.numbered:
        _without_lines(report)
    return run


def _without_lines(report: FileReport) -> None:
    """Take the numbers of rows from the examples of a file that has no lines."""
    for finding in report.findings.values():
        finding.examples = [replace(example, line=None, other=None) for example in finding.examples]

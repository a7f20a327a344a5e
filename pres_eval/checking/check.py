"""All checks of a qrels file and any number of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pres_eval.checking.findings import Example, FileReport, Level
from pres_eval.checking.judgements import check_pair, check_qrels, same_tags
from pres_eval.checking.likeness import Judged
from pres_eval.checking.run import RunChecker
from pres_eval.errors import EmptyFileError, InputError, MissingExtraError
from pres_eval.reading.advice import advice
from pres_eval.reading.lines import QRELS, RUN, Layout
from pres_eval.reading.source import Source

Checked = TypeVar("Checked")

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


@dataclass(frozen=True)
class CheckOptions:
    """What the checks compare with.

    relevance_level  least grade of a relevant document (-l)
    asked            cutoffs that every topic should reach (--nmax)
    most             examples of each kind in each file (--max)
    jobs             threads
    """

    relevance_level: int = 1
    asked: tuple[int, ...] = ()
    most: int = 5
    jobs: int = 1


def check_files(qrels: Source, runs: Sequence[Source], options: CheckOptions) -> list[FileReport]:
    """Everything that is wrong or suspicious: a report for the qrels, then one for each run.

    A file that can't be read is a finding like others; the rest is checked all the same.
    """
    qrels_report = FileReport(qrels.name, "qrels", options.most)
    read = partial(check_qrels, qrels, qrels_report, options.relevance_level, options.jobs)
    judgements = _checked(qrels, qrels_report, QRELS, read)
    checker = RunChecker(Judged.of(judgements), options.asked, options.jobs)
    reports = [qrels_report]
    for source in runs:
        report = FileReport(source.name, "run", options.most)
        reports.append(report)
        run = _checked(source, report, RUN, partial(checker.check, source, report))
        if run is not None and judgements is not None:
            check_pair(report, run, judgements)
    same_tags(reports)
    return reports


def _checked(
    source: Source, report: FileReport, layout: Layout, check: Callable[[], Checked]
) -> Checked | None:
    """Read and check a file; None if that is not possible, which is told."""
    checked = None
    try:
        checked = check()
    except EmptyFileError as error:
        report.add("no-documents", 1, "", [Example(None, error.found)])
    except InputError as error:
        report.add("unreadable", 1, "", [Example(error.line, error.found)])
    except MissingExtraError as error:
        report.add("unreadable", 1, "", [Example(None, str(error))])
    if report.findings.keys() & MALFORMED and (said := advice(source, layout.names)):
        report.add("another-format", 1, said)
    if checked is not None:
        report.add("no-final-newline", not source.final_newline)
    return checked


def failed(reports: Sequence[FileReport], strict: bool = False) -> bool:
    """Whether there was any error; any warning too if that is wanted."""
    return any(report.verdict() is Level.ERROR or (strict and report.verdict()) for report in reports)

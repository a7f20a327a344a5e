"""All checks of a qrels file and any number of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pres_eval.checking.columns import (
    Columns,
    Judged,
    parse_qrels,
    read_columns,
    unreadable,
)
from pres_eval.checking.findings import Example, FileReport, Level
from pres_eval.checking.judgements import check_pair, check_qrels, same_tags
from pres_eval.checking.run import RunChecker
from pres_eval.errors import InputError, MissingExtraError
from pres_eval.reading.source import Source

EXIT_ERRORS = 1


@dataclass(frozen=True)
class CheckOptions:
    """What the checks compare with.

    relevance_level  least grade of a relevant document (-l)
    asked            cutoffs that every topic should reach (--nmax)
    default          those of the default measures, when none were asked for
    most             examples of each kind in each file (--max)
    jobs             threads
    """

    relevance_level: int = 1
    asked: tuple[int, ...] = ()
    default: tuple[int, ...] = ()
    most: int = 5
    jobs: int = 1


def check_files(qrels: Source, runs: Sequence[Source], options: CheckOptions) -> list[FileReport]:
    """Everything that is wrong or suspicious: a report for the qrels, then one for each run.

    A file that can't be read is a finding like others; the rest is checked all the same.
    """
    qrels_report = FileReport(qrels.name, "qrels", options.most)
    judged = _read(qrels, qrels_report, lambda: read_columns(qrels, qrels_report, parse_qrels, options.jobs))
    if judged is not None:
        check_qrels(qrels_report, judged, qrels, options.relevance_level)
    keys = None if judged is None else Judged.of(judged)
    checker = RunChecker(keys, options.asked, options.default, options.jobs)
    reports = [qrels_report]
    for source in runs:
        report = FileReport(source.name, "run", options.most)
        reports.append(report)
        columns = _read(source, report, partial(checker.read, source, report))
        if columns is None:
            continue
        checker.check(report, columns, source)
        if judged is not None:
            check_pair(report, columns, source, judged, qrels)
    same_tags(reports)
    return reports


def _read(source: Source, report: FileReport, read: Callable[[], Columns]) -> Columns | None:
    """Read a file; None if that is not possible, which is told."""
    try:
        columns = read()
    except InputError as error:
        kind, example = unreadable(error)
        report.add(kind, 1, "", [example])
        return None
    except MissingExtraError as error:
        report.add("unreadable", 1, "", [Example(None, str(error))])
        return None
    _check_end(report, source)
    if not len(columns):
        report.add("no-documents", 1)
        return None
    return columns


_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


def _check_end(report: FileReport, source: Source) -> None:
    """Whether the last line has a newline; not known for pipes and compressed files."""
    if source.path == "-" or not source.size():
        return
    with open(source.path, "rb") as file:  # noqa: PTH123
        if file.read(6).startswith(_COMPRESSED):
            return
        file.seek(-1, 2)
        report.add("no-final-newline", file.read(1) != b"\n")


def failed(reports: Sequence[FileReport]) -> bool:
    """Whether there was any error."""
    return any(report.count(Level.ERROR) for report in reports)

"""Checks of a qrels file, and of a run against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pres_eval.arrays.types import IntArray
from pres_eval.checking.columns import Columns, Rows
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.checking.likeness import alike, loose
from pres_eval.checking.lines import texts_at
from pres_eval.checking.run import DOCNO, check_duplicates, check_order_of_topics, list_of
from pres_eval.errors import quoted
from pres_eval.reading.source import Source


def check_qrels(report: FileReport, columns: Columns, source: Source, level: int) -> None:
    """All checks that a qrels file alone allows; `level` is -l."""
    rows = columns.rows
    if rows is None:
        return
    grades, counts = np.unique(rows.numbers, return_counts=True)
    report.facts |= {
        "tabs": report.counts["bytes", "tabs"] > 0,
        "extra_blanks": report.counts["bytes", "uneven"] > 0,
        "lines": columns.num_lines,
        "judgements": len(columns),
        "topics": len(columns.topics),
        "grades": {str(grade): int(count) for grade, count in zip(grades, counts, strict=True)},
    }
    check_order_of_topics(report, columns)
    keys = np.sort(rows.keys)
    if (keys[1:] == keys[:-1]).any():
        check_duplicates(report, columns, source, 4)
    _check_grades(report, columns.topics, rows, level)


def _check_grades(report: FileReport, topics: Sequence[bytes], rows: Rows, level: int) -> None:
    grade = rows.numbers
    size = len(topics)
    relevant = np.bincount(rows.topic[grade >= level], minlength=size)
    without = np.flatnonzero(relevant == 0)
    names = (Example(None, f"topic {quoted(topics[t])}") for t in without.tolist())
    report.add("topic-without-relevant", len(without), f"at -l {level}", names)
    report.add("negative-relevance", int(np.count_nonzero(grade < 0)))
    judged = np.bincount(rows.topic[grade >= 0], minlength=size)
    only = np.flatnonzero(judged == 0)
    report.add(
        "topic-only-negative",
        len(only),
        "",
        (Example(None, f"topic {quoted(topics[t])}") for t in only.tolist()),
    )
    if level == 1:
        high = int(np.count_nonzero(grade > 1))
        report.add(
            "grades-above-level",
            high,
            f"{plural(high, 'judgement')} above 1, highest {int(grade.max(initial=0))}",
        )


def check_pair(
    report: FileReport, run: Columns, source: Source, qrels: Columns, qrels_source: Source
) -> None:
    """What a run's ids say beside those of the qrels."""
    in_run, judged = set(run.topics), set(qrels.topics)
    common = len(in_run & judged)
    report.facts["topics_in_common"] = common
    unjudged = [topic for topic in run.topics if topic not in judged]
    missing = [topic for topic in qrels.topics if topic not in in_run]
    if not common and in_run and judged:
        message = f"the qrels have {list_of(qrels.topics, 3)}, the run has {list_of(run.topics, 3)}"
        report.add("no-common-topic", 1, message)
    _add_topics(report, "topic-without-judgements", unjudged, len(in_run))
    _add_topics(report, "topic-not-in-run", missing, len(judged))
    pairs = alike(unjudged, qrels.topics)
    texts = (Example(None, f"{quoted(one)} of the run, {quoted(other)} of the qrels") for one, other in pairs)
    report.add("other-notation-of-topic", len(pairs), "", texts)
    if common:
        _check_documents(report, run, source, qrels, qrels_source)


def _add_topics(report: FileReport, kind: str, topics: list[bytes], of: int) -> None:
    examples = (Example(None, f"topic {quoted(topic)}") for topic in topics)
    report.add(kind, len(topics), f"{len(topics)} of {plural(of, 'topic')}", examples)


def _check_documents(
    report: FileReport, run: Columns, source: Source, qrels: Columns, qrels_source: Source
) -> None:
    report.facts["judged_documents_retrieved"] = run.found
    report.add("no-judged-document", run.found == 0)
    if not len(run.near):
        return
    judged = qrels.line_of(run.near_to)
    pairs = _texts(source, run.near, 6), _texts(qrels_source, judged, 4)
    # Hashes may be equal by chance, ids that look alike are not.
    real = [
        n for n, (one, two) in enumerate(zip(*pairs, strict=True)) if one != two and loose(one) == loose(two)
    ]
    texts = (
        Example(int(run.near[n]), f"{quoted(pairs[0][n])} of the run, {quoted(pairs[1][n])} of the qrels")
        for n in real
    )
    report.add("other-notation-of-docno", len(real), "", texts)


def _texts(source: Source, lines: IntArray, width: int) -> list[bytes]:
    """The docnos in lines of a file, in any order."""
    distinct, which = np.unique(lines, return_inverse=True)
    texts = texts_at(source, width, DOCNO, distinct - 1)
    ids: list[bytes] = [] if texts is None else list(texts.take(slice(None)))
    return [ids[place] for place in which.tolist()]


def same_tags(reports: Iterable[FileReport]) -> None:
    """Tell each run whose tag another one has as well."""
    by_tag: dict[str, list[FileReport]] = {}
    for report in reports:
        for tag in report.facts.get("tags", ()):
            by_tag.setdefault(tag, []).append(report)
    for tag, sharing in by_tag.items():
        for report in sharing:
            others = [other.path for other in sharing if other is not report]
            report.add("same-tag", len(others), f"{quoted(tag)} also in {', '.join(others[:3])}")

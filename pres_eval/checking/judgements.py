"""Checks of a qrels file, and of a run against it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pres_eval.batch import IntArray
from pres_eval.checking.columns import Columns
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.checking.likeness import alike, loose
from pres_eval.checking.lines import texts_at
from pres_eval.checking.run import DOCNO, check_duplicates, check_order_of_topics, list_of
from pres_eval.errors import quoted
from pres_eval.reading.keys import Words
from pres_eval.reading.source import Source


def check_qrels(report: FileReport, columns: Columns, source: Source, level: int) -> None:
    """All checks that a qrels file alone allows; `level` is -l."""
    grades, counts = np.unique(columns.numbers.astype(np.int64), return_counts=True)
    report.facts |= {
        "lines": columns.num_lines,
        "judgements": len(columns),
        "topics": len(columns.topics),
        "grades": {str(grade): int(count) for grade, count in zip(grades, counts, strict=True)},
    }
    check_order_of_topics(report, columns)
    check_duplicates(report, columns, source, 4)
    _check_grades(report, columns, level)


def _check_grades(report: FileReport, columns: Columns, level: int) -> None:
    grade = columns.numbers
    size = len(columns.topics)
    relevant = np.bincount(columns.topic[grade >= level], minlength=size)
    without = np.flatnonzero(relevant == 0)
    names = (Example(None, f"topic {quoted(columns.topics[t])}") for t in without.tolist())
    report.add("topic-without-relevant", len(without), f"at -l {level}", names)
    report.add("negative-relevance", int(np.count_nonzero(grade < 0)))
    judged = np.bincount(columns.topic[grade >= 0], minlength=size)
    only = np.flatnonzero(judged == 0)
    report.add(
        "topic-only-negative",
        len(only),
        "",
        (Example(None, f"topic {quoted(columns.topics[t])}") for t in only.tolist()),
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
    keys = np.sort(qrels.keys)
    found = _places_in(run.keys, keys)
    report.facts["judged_documents_retrieved"] = len(found)
    if not len(found):
        report.add("no-judged-document", 1)
    order = np.argsort(qrels.loose_keys, kind="stable")
    loose_keys = qrels.loose_keys[order]
    near = _places_in(run.loose_keys, loose_keys)
    near = np.setdiff1d(near, found, assume_unique=True)
    if not len(near):
        return
    other = order[np.searchsorted(loose_keys, run.loose_keys[near])]
    pairs = _texts(run, source, near, 6), _texts(qrels, qrels_source, other, 4)
    # Hashes may be equal by chance, ids that look alike are not.
    real = [
        n for n, (one, two) in enumerate(zip(*pairs, strict=True)) if one != two and loose(one) == loose(two)
    ]
    lines = run.line_of(near)
    texts = (
        Example(int(lines[n]), f"{quoted(pairs[0][n])} of the run, {quoted(pairs[1][n])} of the qrels")
        for n in real
    )
    report.add("other-notation-of-docno", len(real), "", texts)


def _places_in(keys: Words, wanted: Words) -> IntArray:
    """The places of keys that are among the wanted ones, which ascend."""
    if not len(wanted):
        return np.zeros(0, np.int64)
    bits = np.uint64(64 - min(max(len(wanted).bit_length() + 5, 12), 24))
    marks = np.zeros(1 << int(64 - bits), np.bool_)
    marks[wanted >> bits] = True
    places = np.flatnonzero(marks[keys >> bits])
    at = np.minimum(np.searchsorted(wanted, keys[places]), len(wanted) - 1)
    found: IntArray = places[wanted[at] == keys[places]]
    return found


def _texts(columns: Columns, source: Source, rows: IntArray, width: int) -> list[bytes]:
    """The docnos of rows, in any order."""
    distinct, which = np.unique(rows, return_inverse=True)
    texts = texts_at(source, width, DOCNO, columns.line_of(distinct) - 1)
    ids: list[bytes] = [] if texts is None else list(texts.ids(slice(None)))
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

"""Checks of whole files: a run (tags, lengths, ties), a qrels file, and a run against it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.checking.findings import Example, FileReport, facts_of_lines, tell_lines, tell_respelling
from pres_eval.checking.respelling import respelled_topics
from pres_eval.errors import EmptyFileError, InputError, plural, quoted
from pres_eval.reading.file import File
from pres_eval.reading.lines import QRELS, Layout, Lines, no_lines
from pres_eval.reading.relevance import (
    QRELS_FLOAT,
    QrelsJudgements,
    Relevance,
    read_qrels,
    read_relevance,
)


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """A whole run: its topics in the order of the file with their numbers of rows, and the tags.

    tags          how many rows each has, and its first line
    num_segments  in how many places of the file each topic is
    """

    topics: list[bytes]
    lengths: IntArray
    num_segments: IntArray
    tags: dict[bytes, tuple[int, int]]


def sum_up_ties(report: FileReport, kind: str) -> None:
    """Report the tied documents, their topics, and the cutoffs between them."""
    finding = report.findings[kind]
    counts = {what: count for (counted_kind, what), count in report.counts.items() if counted_kind == kind}
    at_cutoffs = {what: count for what, count in counts.items() if what.isdigit() and count}
    documents = counts["documents"]
    finding.details = {"topics": finding.count, "documents": documents, "at_cutoffs": at_cutoffs}
    finding.message = f"{plural(documents, 'document')} in {plural(finding.count)}"
    if at_cutoffs:
        torn = (f"{cutoff} in {plural(count)}" for cutoff, count in at_cutoffs.items())
        finding.message += "; across cutoff " + ", ".join(torn)


def check_tags(report: FileReport, run: CheckedRun, cut_off: bool) -> None:
    """Report several tags, and a last one that was cut off."""
    for tag, (count, line) in run.tags.items():
        longer = [other for other in run.tags if other != tag and other.startswith(tag)]
        if cut_off and longer and count == 1 and line == report.counts["lines", "all"]:
            text = f"tag {quoted(tag)}, but {quoted(longer[0])} before"
            report.add("cut-off", 1, "", [Example(line, text)])
    if len(run.tags) > 1:
        names = (
            Example(line, f"tag {quoted(tag)} ({plural(count, 'line')})")
            for tag, (count, line) in run.tags.items()
        )
        report.add("several-tags", len(run.tags), "the last one counts", names)


def check_length(
    report: FileReport, run: CheckedRun, cutoffs: Sequence[int], at_most: int | None = None
) -> None:
    """Report topics that are too short for the cutoffs, or have more documents than allowed."""
    if at_most is not None:
        long = np.flatnonzero(run.lengths > at_most)
        report.add("more-than-at-most", len(long), f"at most {at_most:,}", _lengths(run, long))
    short = {cutoff: int(np.count_nonzero(run.lengths < cutoff)) for cutoff in sorted(cutoffs)}
    short = {cutoff: count for cutoff, count in short.items() if count}
    if not short:
        return
    message = ", ".join(f"{plural(count)} below {cutoff}" for cutoff, count in short.items())
    shortest = np.flatnonzero(run.lengths < max(short))
    below = {str(cutoff): count for cutoff, count in short.items()}
    report.add("shorter-than-cutoff", len(shortest), message, _lengths(run, shortest), topics_below=below)


def _lengths(run: CheckedRun, topics: IntArray) -> Iterator[Example]:
    for topic in topics:
        documents = plural(int(run.lengths[topic]), "document")
        yield Example(None, f"topic {quoted(run.topics[topic])} has {documents}")


def check_qrels(source: File, report: FileReport, level: float, jobs: int) -> QrelsJudgements:
    """Read a qrels file with all checks that it alone allows; `level` is -l.

    Raises InputError if the file can't be read to its end.
    """
    qrels = _qrels_with_faults(source, report, jobs, QRELS)
    if "relevance-no-integer" in report.findings or qrels is None:
        whole = _with_decimals(source, jobs)
        if whole is not None:
            report.findings.clear()
            report.counts.clear()
            _qrels_with_faults(source, report, jobs, QRELS_FLOAT)
            qrels = whole
    if qrels is None:
        raise no_lines(source, QRELS)
    report.facts |= facts_of_lines(report)
    tell_judgements(report, qrels, level)
    return qrels


def _with_decimals(source: File, jobs: int) -> QrelsJudgements | None:
    """Return judgements whose grades are whole but have decimals, such as 1.0; None if they are not so."""
    try:
        qrels = read_relevance(source, "qrels", jobs)
    except InputError:
        return None
    assert isinstance(qrels, QrelsJudgements), "the format is that of qrels"
    return qrels


def _qrels_with_faults(source: File, report: FileReport, jobs: int, layout: Layout) -> QrelsJudgements | None:
    """Return judgements, after all faults of their lines were reported; None if no line is good."""
    last_iteration = b""

    def tell(before: int, lines: Lines) -> None:
        nonlocal last_iteration
        part = FileReport("", "qrels", report.most)
        tell_lines(part, lines)
        if len(lines):
            iterations = lines.column(1)
            goes_on = iterations[0] == last_iteration
            part.counts["lines", "iterations"] = len(iterations.heads()) - goes_on
            last_iteration = iterations[len(iterations) - 1]
        report.merge(part, before)

    try:
        return read_qrels(source, jobs, tell, layout)
    except EmptyFileError:
        if report.counts["lines", "all"] == 0 or not report.findings:
            raise
        return None


def tell_judgements(report: FileReport, qrels: QrelsJudgements, level: float) -> None:
    """Report the facts and faults of judgements that have been read."""
    grades, counts = np.unique(qrels.every_grade(), return_counts=True)
    report.facts |= {
        "judgements": int(counts.sum()),
        "topics": len(qrels.pool.topics),
        "grades": {str(grade): int(count) for grade, count in zip(grades, counts, strict=True)},
    }
    _tell_duplicates(report, qrels)
    grade, topic, topics = qrels.grade, qrels.pool.topic_of, qrels.pool.topics
    without = _topics_without(topic[grade >= level], topics)
    report.add("topic-without-relevant", len(without), f"at -l {level}", without)
    negative = grades < 0
    message = ", ".join(f"{grade}: {n}" for grade, n in zip(grades[negative], counts[negative], strict=True))
    report.add("negative-relevance", int(counts[negative].sum()), message)
    only = _topics_without(topic[grade >= 0], topics)
    report.add("topic-only-negative", len(only), "", only)


def _tell_duplicates(report: FileReport, qrels: QrelsJudgements) -> None:
    """Report judgements of a document that a topic has twice."""
    twice = qrels.duplicates

    def examples() -> Iterator[Example]:
        for row in range(len(twice.topic)):
            topic, document = qrels.pool.topics[int(twice.topic[row])], int(twice.document[row])
            text = f"topic {quoted(topic)}, document {quoted(qrels.pool.documents[document])} again"
            yield Example(int(twice.second_line[row]), text, "first in line", int(twice.first_line[row]))

    message = ""
    if report.counts["lines", "iterations"] > len(qrels.pool.topics):
        message = (
            "if these are the diversity judgements of a Web track (topic subtopic docno relevance), ndeval"
            " reads them; -R qrels_jg takes the second column for judgement groups"
        )
    elif len(np.unique(twice.topic)) > 1 and twice.second_line.min() > twice.first_line.max():
        line = int(twice.second_line.min())
        message = (
            f"from line {line} on, or shortly before, this looks like a second file: were several files of"
            " judgements put together? pres-eval merge FILE > NEW makes one judgement of several"
        )
    report.add("duplicate", len(twice.topic), message, examples())


def _topics_without(topic: IntArray, topics: Sequence[bytes]) -> list[Example]:
    """Return the topics that no row has."""
    without = np.flatnonzero(np.bincount(topic, minlength=len(topics)) == 0)
    return [Example(None, f"topic {quoted(topics[number])}") for number in without.tolist()]


def check_pair(report: FileReport, run: CheckedRun, qrels: Relevance) -> None:
    """Compare the ids of a run with those of the qrels."""
    topics = list(qrels.pool.topics)
    in_run, judged = set(run.topics), set(topics)
    common = len(in_run & judged)
    report.facts["topics_in_common"] = common
    unjudged = [topic for topic in run.topics if topic not in judged]
    missing = [topic for topic in topics if topic not in in_run]
    if not common:
        report.add("no-common-topic", 1, f"the qrels have {_some(topics)}, the run has {_some(run.topics)}")
    _add_topics(report, "topic-without-judgements", unjudged, len(in_run))
    _add_topics(report, "topic-not-in-run", missing, len(judged))
    tell_respelling(report, "other-notation-of-topic", respelled_topics(unjudged, topics), lambda _: None)
    if common:
        num_judged = report.counts["documents", "judged"]
        report.facts["judged_documents_retrieved"] = num_judged
        report.add("no-judged-document", num_judged == 0)


def _add_topics(report: FileReport, kind: str, topics: list[bytes], num_topics: int) -> None:
    examples = (Example(None, f"topic {quoted(topic)}") for topic in topics)
    report.add(kind, len(topics), f"{len(topics)} of {plural(num_topics)}", examples)


def _some(ids: Sequence[bytes], most: int = 3) -> str:
    """Return the first few ids, for a message."""
    text = ", ".join(quoted(some_id) for some_id in ids[:most])
    if len(ids) > most:
        text += " ..."
    return text


def compare_tags(reports: Sequence[FileReport]) -> None:
    """Report each run whose tag another run has, or whose tag is the name of another file."""
    by_tag: dict[str, list[FileReport]] = {}
    for report in reports:
        for tag in report.facts.get("tags", ()):
            by_tag.setdefault(tag, []).append(report)
    for tag, sharing in by_tag.items():
        word = re.compile(rf"(?<![^\W_]){re.escape(tag)}(?![^\W_])", re.IGNORECASE)
        namesakes = [report.path for report in reports if word.search(os.path.basename(report.path))]  # noqa: PTH119
        sharers = [report.path for report in sharing]
        # Of files with the tag, only one that is called so: a copy of `run` may well be named run_2.
        named = [
            path
            for path in namesakes
            if path not in sharers or os.path.basename(path).split(".")[0] == tag  # noqa: PTH119
        ]
        for report in sharing:
            others = [other.path for other in sharing if other is not report]
            report.add("same-tag", len(others), f"{quoted(tag)} also in {', '.join(others[:3])}")
            if named and report.path not in namesakes:
                report.add("tag-of-another-file", 1, f"{quoted(tag)}, as in {', '.join(named[:3])}")

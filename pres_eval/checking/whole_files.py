"""Checks of whole files: a run (tags, lengths, ties), a qrels file, and a run against it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.checking.findings import Example, FileReport, facts_of_lines, report_lines, report_respelling
from pres_eval.checking.respelling import respelled_topics
from pres_eval.checking.warnings import EXCHANGED_COLUMNS, GRADE_TEXT, MOST_GRADES
from pres_eval.errors import EmptyFileError, InputError, plural, quoted
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import (
    QRELS_FLOAT,
    QrelsJudgements,
    Relevance,
    read_qrels,
    read_relevance,
)
from pres_eval.reading.lines import QRELS, Layout, Lines, no_lines_error


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """Facts of a whole run.

    topics        (T,) in the order of the file
    lengths       (T,) number of rows of each topic
    num_segments  (T,) in how many places of the file each topic is; 1: its rows stand together
    tags          for each tag how many rows have it, and the line of the first, from 1
    """

    topics: list[bytes]
    lengths: IntArray
    num_segments: IntArray
    tags: dict[bytes, tuple[int, int]]


def sum_up_ties(report: FileReport, kind: str) -> None:
    """Add to the finding of ties how many documents are tied, and across which cutoffs ties go.

    kind  ties or float32-ties, whose counts are those of "documents" and of each cutoff, such as "100"
    """
    finding = report.findings[kind]
    num_documents = report.counts[kind, "documents"]
    topics_at_cutoff = {}  # number of topics in which a tie goes across each cutoff
    for (counted_kind, what), count in report.counts.items():
        is_cutoff = counted_kind == kind and what.isdigit()
        if is_cutoff and count:
            topics_at_cutoff[what] = count
    finding.details = {"topics": finding.count, "documents": num_documents, "at_cutoffs": topics_at_cutoff}
    finding.message = f"{plural(num_documents, 'document')} in {plural(finding.count)}"
    if topics_at_cutoff:
        cutoffs = [f"{cutoff} in {plural(count)}" for cutoff, count in topics_at_cutoff.items()]
        finding.message += f"; across cutoff {', '.join(cutoffs)}"


def sum_up_notations(report: FileReport) -> None:
    """Let the message about documents in other notations name the changes of all parts, not of the last.

    The first advice that a part has is given.
    """
    kind = "other-notation-of-docno"
    if kind not in report.findings:
        return
    changes = [what for counted_kind, what in report.counts if counted_kind == kind]
    advice = [text for counted_kind, text in report.counts if counted_kind == f"advice on {kind}" and text]
    report.findings[kind].message = f"they match {', others '.join(changes)}{''.join(advice[:1])}"


def check_tags(report: FileReport, run: CheckedRun, cut_off: bool) -> None:
    """Report several tags, and a last one that was cut off.

    cut_off  whether the file ends without a newline
    """
    for tag, (num_rows, line) in run.tags.items():
        is_of_last_line = num_rows == 1 and line == report.counts["lines", "all"]
        longer = [other for other in run.tags if other != tag and other.startswith(tag)]
        if cut_off and longer and is_of_last_line:
            text = f"tag {quoted(tag)}, but {quoted(longer[0])} before"
            report.add("cut-off", 1, "", [Example(line, text)])
    if len(run.tags) > 1:
        examples = []
        for tag, (num_rows, line) in run.tags.items():
            examples.append(Example(line, f"tag {quoted(tag)} ({plural(num_rows, 'line')})"))
        report.add("several-tags", len(run.tags), "the last one counts", examples)


def check_length(
    report: FileReport, run: CheckedRun, cutoffs: Sequence[int], at_most: int | None = None
) -> None:
    """Report topics with fewer documents than the cutoffs, or more than `at_most`."""
    if at_most is not None:
        long = np.flatnonzero(run.lengths > at_most)
        report.add("more-than-at-most", len(long), f"at most {at_most:,}", _length_examples(run, long))
    topics_below = {}  # number of topics that are shorter than each cutoff
    for cutoff in sorted(cutoffs):
        count = int(np.count_nonzero(run.lengths < cutoff))
        if count:
            topics_below[cutoff] = count
    if not topics_below:
        return
    message = ", ".join(f"{plural(count)} below {cutoff}" for cutoff, count in topics_below.items())
    short = np.flatnonzero(run.lengths < max(topics_below))
    details = {str(cutoff): count for cutoff, count in topics_below.items()}
    report.add("shorter-than-cutoff", len(short), message, _length_examples(run, short), topics_below=details)


def _length_examples(run: CheckedRun, topics: IntArray) -> Iterator[Example]:
    """Yield how many documents topics (n,) have, as examples."""
    for topic in topics:
        documents = plural(int(run.lengths[topic]), "document")
        yield Example(None, f"topic {quoted(run.topics[topic])} has {documents}")


def check_qrels(source: File, report: FileReport, level: float, jobs: int) -> QrelsJudgements:
    """Return the judgements of a qrels file, and report what is wrong or suspicious in it.

    level  the least grade of a relevant document (-l)
    Raises InputError if the file can't be read to its end.
    """
    qrels = _qrels_with_faults(source, report, jobs, QRELS)
    if "relevance-no-integer" in report.findings or qrels is None:
        qrels_with_decimals = _with_decimals(source, jobs)
        if qrels_with_decimals is not None:
            # Grades such as 1.0 are no faults if all can be read: the lines are checked anew, with decimals.
            report.findings.clear()
            report.counts.clear()
            _qrels_with_faults(source, report, jobs, QRELS_FLOAT)
            qrels = qrels_with_decimals
    if qrels is None:
        raise no_lines_error(source, QRELS)
    report.facts |= facts_of_lines(report)
    report_judgements(report, qrels, level)
    finding = report.findings.get("topic-without-relevant")
    if finding is not None and not qrels.every_grade().any() and _iterations_may_be_grades(source):
        command = f"pres-eval convert {shlex.quote(source.path)} --columns topic=1,docno=3,grade=2 --to qrels"
        finding.message += (
            "; all grades are 0, and the second column has several whole numbers: are iteration and"
            f" relevance exchanged? {command} > NEW reads them so"
        )
    return qrels


def _iterations_may_be_grades(source: File) -> bool:
    """Return whether the second column of judgements has a few different grades in the first lines."""
    head = b""
    with contextlib.suppress(InputError):  # such as standard input, which is read only once
        head = source.head()
    rows = [line.split() for line in head.split(b"\n") if not line.lstrip().startswith(b"#")]
    iterations = {row[1] for row in rows if len(row) == len(QRELS.names.split())}
    return 1 < len(iterations) <= MOST_GRADES and all(map(GRADE_TEXT.fullmatch, iterations))


def _with_decimals(source: File, jobs: int) -> QrelsJudgements | None:
    """Return the judgements if the evaluator reads them, as it does grades such as 1.0; None otherwise."""
    try:
        qrels = read_relevance(source, "qrels", jobs)
    except InputError:
        return None
    assert isinstance(qrels, QrelsJudgements), "the format is that of qrels"
    return qrels


def _qrels_with_faults(source: File, report: FileReport, jobs: int, layout: Layout) -> QrelsJudgements | None:
    """Return judgements, and report all faults of their lines; return None if no line is good.

    Count stretches too: consecutive lines with the same text in the second column.
    """
    last_iteration = b""

    def report_chunk(before: int, lines: Lines) -> None:
        """Report the faults of a chunk that `before` lines precede, and count its stretches."""
        nonlocal last_iteration
        part = FileReport("", "qrels", report.most)
        report_lines(part, lines)
        if len(lines):
            iterations = lines.column(1)
            num_stretches = len(iterations.heads())
            if iterations[0] == last_iteration:
                num_stretches -= 1  # the first one began in the chunk before
            part.counts["lines", "iteration_stretches"] = num_stretches
            last_iteration = iterations[len(iterations) - 1]
        report.merge(part, before)

    try:
        return read_qrels(source, jobs, report_chunk, layout)
    except EmptyFileError:
        if report.counts["lines", "all"] == 0 or not report.findings:
            raise
        return None


def report_judgements(report: FileReport, qrels: QrelsJudgements, level: float) -> None:
    """Report the facts and faults of judgements that have been read.

    level  the least grade of a relevant document (-l)
    """
    grades, counts = np.unique(qrels.every_grade(), return_counts=True)
    count_of_grade = dict(zip(grades.tolist(), counts.tolist(), strict=True))
    topics, topic_of = qrels.pool.topics, qrels.pool.topic_of
    report.facts |= {
        "judgements": sum(count_of_grade.values()),
        "topics": len(topics),
        "grades": {str(grade): count for grade, count in count_of_grade.items()},
    }
    _report_duplicates(report, qrels)
    without_relevant = _topics_without(topic_of[qrels.grade >= level], topics)
    report.add("topic-without-relevant", len(without_relevant), f"at -l {level}", without_relevant)
    negative = {grade: count for grade, count in count_of_grade.items() if grade < 0}
    message = ", ".join(f"{grade}: {count}" for grade, count in negative.items())
    report.add("negative-relevance", sum(negative.values()), message)
    only_negative = _topics_without(topic_of[qrels.grade >= 0], topics)
    report.add("topic-only-negative", len(only_negative), "", only_negative)


def _report_duplicates(report: FileReport, qrels: QrelsJudgements) -> None:
    """Report judgements of a document that a topic has twice, and a reason where the file shows one."""
    twice = qrels.duplicates

    def examples() -> Iterator[Example]:
        """Yield an example for each second judgement."""
        for row in range(len(twice.topic)):
            topic, document = qrels.pool.topics[int(twice.topic[row])], int(twice.document[row])
            text = f"topic {quoted(topic)}, document {quoted(qrels.pool.documents[document])} again"
            yield Example(int(twice.second_line[row]), text, "first in line", int(twice.first_line[row]))

    message = ""
    # The iteration of usual judgements changes at most with the topic, a subtopic changes within topics.
    if report.counts["lines", "iteration_stretches"] > len(qrels.pool.topics):
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


def _topics_without(topic_of: IntArray, topics: Sequence[bytes]) -> list[Example]:
    """Return as examples the topics that have none of some judgements.

    topic_of  (n,) index in `topics` of the topic of each of these judgements
    """
    num_judgements = np.bincount(topic_of, minlength=len(topics))
    without = np.flatnonzero(num_judgements == 0)
    return [Example(None, f"topic {quoted(topics[index])}") for index in without.tolist()]


def check_pair(report: FileReport, run: CheckedRun, qrels: Relevance) -> None:
    """Report topics and documents that only the run or only the judgements have."""
    topics = list(qrels.pool.topics)
    topics_of_run, judged_topics = set(run.topics), set(topics)
    num_common = len(topics_of_run & judged_topics)
    report.facts["topics_in_common"] = num_common
    unjudged = [topic for topic in run.topics if topic not in judged_topics]
    missing = [topic for topic in topics if topic not in topics_of_run]
    if not num_common:
        message = f"the qrels have {_first_ids(topics)}, the run has {_first_ids(run.topics)}"
        if any(document in topics_of_run for document in qrels.pool.documents):
            message += f"; topics of {report.path} are documents of {qrels.name}: {EXCHANGED_COLUMNS}"
        report.add("no-common-topic", 1, message)
    _add_topics(report, "topic-without-judgements", unjudged, len(topics_of_run))
    _add_topics(report, "topic-not-in-run", missing, len(judged_topics))
    report_respelling(report, "other-notation-of-topic", respelled_topics(unjudged, topics))
    if num_common:
        num_judged = report.counts["documents", "judged"]
        report.facts["judged_documents_retrieved"] = num_judged
        if num_judged == 0:
            report.add("no-judged-document", 1)


def _add_topics(report: FileReport, kind: str, topics: list[bytes], num_topics: int) -> None:
    """Report topics, out of `num_topics` of the same file, as a kind of finding."""
    examples = (Example(None, f"topic {quoted(topic)}") for topic in topics)
    report.add(kind, len(topics), f"{len(topics)} of {plural(num_topics)}", examples)


def _first_ids(ids: Sequence[bytes], most: int = 3) -> str:
    """Return the first few ids, for a message."""
    text = ", ".join(quoted(first_id) for first_id in ids[:most])
    if len(ids) > most:
        text += " ..."
    return text


def compare_tags(reports: Sequence[FileReport]) -> None:
    """Report each run whose tag another run has, or whose tag is in the name of another file only."""
    by_tag: dict[str, list[FileReport]] = {}
    for report in reports:
        for tag in report.facts.get("tags", ()):
            by_tag.setdefault(tag, []).append(report)
    paths = [report.path for report in reports]
    for tag, reports_of_tag in by_tag.items():
        paths_of_tag = [report.path for report in reports_of_tag]
        paths_with_name = _paths_named(tag, paths)
        namesakes = []
        for path in paths_with_name:
            # A file run_2 with the tag run is probably a copy of run: it is no reason to warn.
            is_copy = path in paths_of_tag and _stem(path) != tag
            if not is_copy:
                namesakes.append(path)
        for report in reports_of_tag:
            others = [other.path for other in reports_of_tag if other is not report]
            _add_tag(report, "same-tag", len(others), f"{quoted(tag)} also in {_first_paths(others)}")
            if namesakes and report.path not in paths_with_name:
                message = f"{quoted(tag)}, as in {_first_paths(namesakes)}"
                _add_tag(report, "tag-of-another-file", 1, message)


def _first_paths(paths: Sequence[str], most: int = 3) -> str:
    """Return the first few paths, for a message."""
    text = ", ".join(paths[:most])
    if len(paths) > most:
        text += " ..."
    return text


def _add_tag(report: FileReport, kind: str, count: int, message: str) -> None:
    """Add findings about a tag, whose message follows those about other tags of the file."""
    finding = report.findings.get(kind)
    if finding is not None:
        message = f"{finding.message}; {message}"
    report.add(kind, count, message)


def _paths_named(tag: str, paths: Sequence[str]) -> list[str]:
    """Return the paths of files whose names have the tag as a word: no letter or digit before or after it."""
    letter_or_digit = r"[^\W_]"
    word = re.compile(rf"(?<!{letter_or_digit}){re.escape(tag)}(?!{letter_or_digit})", re.IGNORECASE)
    return [path for path in paths if word.search(os.path.basename(path))]  # noqa: PTH119


def _stem(path: str) -> str:
    """Return the name of a file before its first dot."""
    return os.path.basename(path).split(".")[0]  # noqa: PTH119

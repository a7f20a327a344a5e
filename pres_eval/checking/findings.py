"""Findings of `pres-eval check`, gathered by kind."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.checking.notations import Id, Respelling
from pres_eval.errors import quoted_apart
from pres_eval.reading.file import Chunk
from pres_eval.reading.lines import Lines
from pres_eval.reading.tokens import NEWLINE


class Severity(enum.Enum):
    """Severity of a finding.

    ERROR    stops the evaluator
    WARNING  can make its numbers other than meant
    NOTE     is worth knowing and changes no number by itself
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Kind:
    """One kind of finding: its name, its severity, and its meaning in one line."""

    name: str
    severity: Severity
    meaning: str


_MEANINGS_BY_SEVERITY = {
    Severity.ERROR: {
        "unreadable": "the file can't be read",
        "no-documents": "the file has no line that counts",
        "too-few-columns": "lines with too few columns",
        "too-many-columns": "lines with too many columns",
        "nul-byte": "lines with a NUL byte, which no text has",
        "score-nan": "scores that are nan have no place in a ranking",
        "score-no-number": "scores that are not numbers",
        "relevance-no-integer": "relevance that is not an integer",
        "duplicate": "documents that a topic has twice",
        "no-common-topic": "no topic is in both files",
    },
    Severity.WARNING: {
        "another-format": "the file looks like another format",
        "read-with-warning": "the reader of this format warns of something in the file",
        "extra-columns": "lines with more than six columns: does a docno hold a blank?",
        "byte-order-mark": "starts with a byte order mark: other tools take it for part of an id",
        "not-utf-8": "lines that are not UTF-8",
        "score-infinite": "scores that are infinite",
        "cut-off": "the file ends in the middle of a line: it was cut off",
        "several-tags": "one run should have one tag",
        "rank-disagrees": "the ranks and the scores give different orders; pres-eval uses the scores",
        "float32-ties": (
            "scores that differ, but are equal in 32 bits: 9.0.8 and 10.0 rank these documents differently"
        ),
        "all-scores-equal": "all scores are equal: the docnos alone decide on the order, not the system",
        "order-of-ties": "equal scores whose order could change map by 0.01 or more",
        "topic-without-judgements": "topics of the run that the qrels lack are left out",
        "topic-not-in-run": "topics of the qrels that the run lacks are left out of the averages without -c",
        "topic-without-relevant": (
            "topics without relevant documents score 0 by most measures, whatever the run does"
        ),
        "other-notation-of-topic": "topics that look like another notation of one on the other side",
        "other-notation-of-docno": "documents that look like another notation of a judged one",
        "unknown-topic": "topics that the file of --topics lacks",
        "unknown-document": "documents that the file of --documents lacks",
        "no-judged-document": "no document of the run is judged: is it the same collection?",
        "shorter-than-cutoff": "topics with fewer documents than a cutoff that was asked for",
        "more-than-at-most": "topics with more documents than --at-most allows",
        "rank-is-score": "scores that count the rows of a topic, as ranks do: are rank and score exchanged?",
        "tag-of-another-file": "the tag is the name of another file: were files mixed up?",
    },
    Severity.NOTE: {
        "ties": "equal scores: the docno decides, in descending order",
        "negative-relevance": (
            "trec_eval takes any negative relevance for in the pool, but not judged: bpref and -J leave"
            " these documents out, infAP counts them as pooled, judged as unjudged; in the Web"
            " tracks -2 is junk that was judged: make it 0 if it should count as not relevant"
        ),
        "topic-only-negative": "topics with no judgement but negative ones: trec_eval stops there",
        "rank-no-number": "ranks that are not whole numbers (the column is not used)",
        "comments": "lines that start with # (left out; 9.0.8 would stop)",
        "no-final-newline": "the last line has no newline: was the file cut off?",
        "same-tag": "runs with the same tag are hard to tell apart in tables",
    },
}

KINDS = {
    name: Kind(name, severity, meaning)
    for severity, meanings in _MEANINGS_BY_SEVERITY.items()
    for name, meaning in meanings.items()
}
"""The kinds of findings by their names, errors first."""


@dataclass(frozen=True)
class Example:
    """One place of a finding.

    line        its line in the file, from 1; None if it has none
    text        what was found there
    relation    of another line to it, such as "first in line"
    other_line  this other line; None if there is none
    """

    line: int | None
    text: str
    relation: str = ""
    other_line: int | None = None

    def moved(self, num_lines: int) -> Example:
        """Return the example with `num_lines` added to its lines."""
        moved = self
        if self.line is not None:
            moved = replace(moved, line=self.line + num_lines)
        if self.other_line is not None:
            moved = replace(moved, other_line=self.other_line + num_lines)
        return moved

    def __str__(self) -> str:
        """Return the text, with the other line in brackets."""
        if self.other_line is None:
            return self.text
        return f"{self.text} ({self.relation} {self.other_line})"


@dataclass
class Finding:
    """All findings of one kind in one file.

    count     how many lines, topics, documents or files have it, depending on the kind
    message   more about them in words, empty for nothing
    examples  some of them
    details   more about them for JSON
    """

    kind: Kind
    count: int = 0
    message: str = ""
    examples: list[Example] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)


@dataclass
class FileReport:
    """Findings in one file, or in a part of it.

    role      "qrels" or "run"
    most      most examples of each kind
    facts     what the file has that is no fault, by name: lines, topics, grades, ...
    findings  by the names of their kinds
    counts    numbers for facts and messages, which `merge` adds up: counts["lines", "blank"] are the blank
              lines, counts["ties", "100"] the topics in which a tie goes across rank 100
    shown     names of the kinds that are printed; the verdict regards the others too
    """

    path: str
    role: str
    most: int
    facts: dict[str, Any] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shown: Collection[str] = tuple(KINDS)

    def add(
        self, name: str, count: int, message: str = "", examples: Iterable[Example] = (), **details: Any
    ) -> None:
        """Add a number of findings of a kind; nothing happens if the count is 0.

        The last message that is not empty is kept, and the first examples.
        """
        if not count:
            return
        finding = self.findings.setdefault(name, Finding(KINDS[name]))
        finding.count += int(count)
        finding.message = message or finding.message
        finding.examples += islice(examples, self.most - len(finding.examples))
        finding.details.update(details)

    def merge(self, part: FileReport, before: int) -> None:
        """Add the findings of a part of the file that `before` lines precede.

        Parts have no facts, and findings without details: only the whole file has these.
        """
        self.counts.update(part.counts)
        for name, finding in part.findings.items():
            examples = (example.moved(before) for example in finding.examples)
            self.add(name, finding.count, finding.message, examples)

    def in_order(self) -> list[Finding]:
        """Return the findings that are shown, as KINDS lists them: errors, warnings, notes."""
        names = [name for name in KINDS if name in self.findings and name in self.shown]
        return [self.findings[name] for name in names]

    def verdict(self) -> Severity | None:
        """Return the severity of the worst finding, shown or not; None if there are at most notes."""
        for level in (Severity.ERROR, Severity.WARNING):
            if self.num_kinds(level):
                return level
        return None

    def num_kinds(self, severity: Severity) -> int:
        """Count the kinds of findings of this severity."""
        return sum(finding.kind.severity is severity for finding in self.findings.values())


def report_lines(report: FileReport, lines: Lines) -> None:
    """Report faults and oddities in the lines of a chunk, and count the lines.

    Examples have the line in the chunk, from 1: `FileReport.merge` moves them.
    """
    chunk, fields = lines.chunk, lines.fields
    all_faults = list(fields.faults)
    if fields.longer is not None:
        all_faults.append(fields.longer)
    for faults in all_faults:
        examples = (Example(line + 1, faults.content(i)) for i, line in enumerate(faults.lines.tolist()))
        report.add(faults.kind, len(faults.lines), f"expected {faults.expected}", examples)
    not_utf8 = _lines_not_utf8(chunk.text())
    examples = (Example(line + 1, "not UTF-8") for line in not_utf8.tolist())
    report.add("not-utf-8", len(not_utf8), "", examples)
    report.add("comments", fields.comments)
    num_crlf = 0
    if chunk.buffer.find(b"\r", chunk.start, chunk.stop) >= 0:  # much faster than to count
        num_crlf = chunk.buffer.count(b"\r\n", chunk.start, chunk.stop)
    has_tabs = chunk.buffer.find(b"\t", chunk.start, chunk.stop) >= 0
    report.counts["lines", "all"] += fields.num_lines
    report.counts["lines", "rows"] += len(lines)
    report.counts["lines", "blank"] += fields.blank
    report.counts["lines", "crlf"] += num_crlf
    # Of tabs and of further blanks between columns, the chunks that have some are counted.
    if has_tabs:
        report.counts["lines", "tabs"] += 1
    if not fields.separators and _has_extra_blanks(chunk):
        report.counts["lines", "extra_blanks"] += 1


_EXTRA_BLANKS = tuple(
    pair.encode()
    for blank in " \t"
    for pair in (f"\n{blank}", f"{blank} ", f"{blank}\t", f"{blank}\r", f"{blank}\n")
)
"""A blank or tab where a line begins or ends, or beside another one."""


def _has_extra_blanks(chunk: Chunk) -> bool:
    """Return whether a line begins or ends with a blank or tab, or has two of them side by side."""
    begins_with_blank = chunk.buffer[chunk.start] in b" \t"
    return begins_with_blank or any(
        chunk.buffer.find(pair, chunk.start, chunk.stop) >= 0 for pair in _EXTRA_BLANKS
    )


def _lines_not_utf8(text: bytes) -> IntArray:
    """Return the indices of the lines that are no UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        # As code points, bytes that are no UTF-8 are U+DC80 to U+DCFF.
        as_code_points = text.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass")
        code_points = np.frombuffer(as_code_points, "<u4")
        wrong = np.flatnonzero((code_points >= 0xDC80) & (code_points <= 0xDCFF))
        line_ends = np.flatnonzero(code_points == NEWLINE)
        return np.unique(np.searchsorted(line_ends, wrong))
    return np.zeros(0, np.int64)


def facts_of_lines(report: FileReport) -> dict[str, int | bool]:
    """Return facts about the lines of a file: how many there are, blank ones, ends by CR LF, tabs, blanks."""
    counts = report.counts
    return {
        "lines": counts["lines", "all"],
        "blank_lines": counts["lines", "blank"],
        "crlf_lines": counts["lines", "crlf"],
        "tabs": counts["lines", "tabs"] > 0,
        "extra_blanks": counts["lines", "extra_blanks"] > 0,
    }


def report_respelling(
    report: FileReport,
    kind: str,
    respelling: Respelling | None,
    line_of: Callable[[Id], int] | None = None,
) -> None:
    """Report the ids that would match if they were written alike; nothing if `respelling` is None.

    line_of  returns the line of an id, which is a pair of its topic's number and its text; None if lines are
             not known

    The message is such as "they match without case, others without leading zeros; see --map-docs patent".
    """
    if respelling is None:
        return
    changes: list[str] = []
    pairs: list[tuple[Id, bytes]] = []
    for change in respelling.all_changes():
        changes.append(change.without)
        report.counts[kind, change.without] += change.count
        pairs += change.pairs
    report.counts[f"advice on {kind}", respelling.advice] += 1
    # Ids that lost one number and ids that lost two are two changes with the same words.
    message = f"they match {', others '.join(dict.fromkeys(changes))}{respelling.advice}"
    examples = []
    for id_of_run, judged in pairs[: report.most]:
        _, text_of_run = id_of_run
        in_run, in_qrels = quoted_apart(text_of_run, judged)
        line = None
        if line_of is not None:
            line = line_of(id_of_run)
        examples.append(Example(line, f"{in_run} of the run, {in_qrels} of the qrels"))
    report.add(kind, len(pairs), message, examples)

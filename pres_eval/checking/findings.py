"""What the checker can find, and how findings of one kind are gathered.

An error is what the evaluator stops at.  A warning is what can make its numbers other than meant.  A note is
worth knowing and changes nothing by itself.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any


class Level(enum.Enum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Kind:
    """One kind of finding: its name, how bad it is, and what it means in one line."""

    name: str
    level: Level
    meaning: str


_ERROR, _WARNING, _NOTE = Level.ERROR, Level.WARNING, Level.NOTE
KINDS = {
    kind.name: kind
    for kind in (
        Kind("unreadable", _ERROR, "the file can't be read"),
        Kind("no-documents", _ERROR, "the file has no line that counts"),
        Kind("too-few-columns", _ERROR, "lines with too few columns"),
        Kind("too-many-columns", _ERROR, "lines with too many columns"),
        Kind("nul-byte", _ERROR, "lines with a NUL byte, which no text has"),
        Kind("score-nan", _ERROR, "scores that are nan have no place in a ranking"),
        Kind("score-no-number", _ERROR, "scores that are not numbers"),
        Kind("relevance-no-integer", _ERROR, "relevance that is not an integer"),
        Kind("duplicate", _ERROR, "documents that a topic has twice"),
        Kind("no-common-topic", _ERROR, "no topic is in both files"),
        Kind("another-format", _WARNING, "the file looks like something else"),
        Kind("extra-columns", _WARNING, "lines with more than six columns: does a docno hold a blank?"),
        Kind(
            "byte-order-mark",
            _WARNING,
            "starts with a byte order mark: other tools take it for part of an id",
        ),
        Kind("not-utf-8", _WARNING, "lines that are not UTF-8"),
        Kind("score-infinite", _WARNING, "scores that are infinite"),
        Kind("cut-off", _WARNING, "the file ends in the middle of a line: it was cut off"),
        Kind("several-tags", _WARNING, "one run should have one tag"),
        Kind("rank-disagrees", _WARNING, "the rank column says another order than the scores, which count"),
        Kind("ties", _WARNING, "equal scores: the docno decides, in descending order"),
        Kind(
            "float32-ties",
            _WARNING,
            "scores that differ, but are equal in 32 bits: 9.0.8 and 10.0 rank these documents differently",
        ),
        Kind("topic-without-judgements", _WARNING, "topics of the run that the qrels lack are left out"),
        Kind(
            "topic-not-in-run",
            _WARNING,
            "topics of the qrels that the run lacks are left out of the averages without -c",
        ),
        Kind(
            "topic-without-relevant",
            _WARNING,
            "topics without relevant documents score 0 whatever the run does",
        ),
        Kind(
            "other-notation-of-topic",
            _WARNING,
            "topics that look like another notation of one on the other side",
        ),
        Kind(
            "other-notation-of-docno", _WARNING, "documents that look like another notation of a judged one"
        ),
        Kind("no-judged-document", _WARNING, "no document of the run is judged: is it the same collection?"),
        Kind("shorter-than-cutoff", _WARNING, "topics with fewer documents than a cutoff that was asked for"),
        Kind(
            "negative-relevance",
            _NOTE,
            "trec_eval takes any negative relevance for in the pool, but not judged: bpref and -J leave these"
            " documents out, infAP counts them as pooled, judged counts them as judged; in the Web tracks -2"
            " is junk that was judged: make it 0 if it should count as not relevant",
        ),
        Kind(
            "topic-only-negative", _NOTE, "topics with no judgement but negative ones: trec_eval stops there"
        ),
        Kind("rank-no-number", _NOTE, "ranks that are not whole numbers (the column is not used)"),
        Kind("comments", _NOTE, "lines that start with # (left out; 9.0.8 would stop)"),
        Kind("no-final-newline", _NOTE, "the last line has no newline: was the file cut off?"),
        Kind("same-tag", _NOTE, "runs with the same tag are hard to tell apart in tables"),
    )
}


@dataclass(frozen=True)
class Example:
    """One place where something was found: the line of the file, if it has one, and what is there.

    other  another line that belongs to it, and `word` what it is
    """

    line: int | None
    text: str
    word: str = ""
    other: int | None = None

    def moved(self, lines: int) -> Example:
        """The same, so many lines further down."""
        line, other = (None if number is None else number + lines for number in (self.line, self.other))
        return replace(self, line=line, other=other)

    def __str__(self) -> str:
        return self.text if self.other is None else f"{self.text} ({self.word} {self.other})"


@dataclass
class Finding:
    """All of one kind in one file: how many, a line for people, more for machines, some examples."""

    kind: Kind
    count: int = 0
    message: str = ""
    examples: list[Example] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)


@dataclass
class FileReport:
    """What was found in one file.

    role   "qrels" or "run"
    facts  counts that are no fault: lines, topics, grades, ...
    most   examples that are kept of each kind
    counts of parts of the file, by kind and what is counted: added up by `merge`
    """

    path: str
    role: str
    most: int
    facts: dict[str, Any] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(
        self, name: str, count: int, message: str = "", examples: Iterable[Example] = (), **details: Any
    ) -> None:
        """Count something that was found; nothing happens if the count is 0."""
        if not count:
            return
        finding = self.findings.setdefault(name, Finding(KINDS[name]))
        finding.count += int(count)
        finding.message = message or finding.message
        for example in examples:
            if len(finding.examples) >= self.most:
                break
            finding.examples.append(example)
        finding.details.update(details)

    def merge(self, part: FileReport, before: int) -> None:
        """Add what was found in a part of the file that `before` lines precede."""
        self.counts.update(part.counts)
        for name, finding in part.findings.items():
            self.add(name, finding.count, finding.message, (one.moved(before) for one in finding.examples))

    def in_order(self) -> list[Finding]:
        """The findings as KINDS lists them: errors, warnings, notes."""
        return [self.findings[name] for name in KINDS if name in self.findings]

    def verdict(self) -> Level | None:
        """The worst that was found, None if there are at most notes."""
        return next((level for level in (Level.ERROR, Level.WARNING) if self.count(level)), None)

    def count(self, level: Level) -> int:
        """How many kinds of this level were found."""
        return sum(finding.kind.level is level for finding in self.findings.values())


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 topic`, `3 topics`."""
    return f"{count} {one if count == 1 else many or one + 's'}"

"""Findings of gates: what they checked and what fails, and the texts that report it."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.measures.base import Format
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun

EXIT_CODE = 3
"""Exit code of a command whose gates were not all passed."""

LISTED_FAILURES = 10
"""Largest number of failures of a gate that are reported one by one: more would hide the other gates."""

LISTED_NAMES = 5
"""Largest number of names in one message."""


class Verdict(enum.Enum):
    """Meaning of a finding.

    The value is how its line for people begins: nothing before a failure, None if it gets no line at all.
    """

    FAILED = ""
    WARNING = "warning: "
    NOTE = "note: "
    PASSED = None

    @classmethod
    def from_check(cls, passed: bool) -> Verdict:
        """Return PASSED or FAILED, by whether a condition holds."""
        return cls.PASSED if passed else cls.FAILED

    @classmethod
    def from_difference(cls, allowed: bool) -> Verdict:
        """Return NOTE for a difference that an option allows, else FAILED."""
        return cls.NOTE if allowed else cls.FAILED


@dataclass(frozen=True, kw_only=True)
class GateFinding:
    """One thing that a gate found or checked; without a verdict it is a failure.

    gate     the option: --fail-under, --fail-over, --against or --expect; ERROR_RESULT for an error because
             of which no gate could be checked
    message  the whole line for people: wanted, got, run
    path     the file to which an annotation belongs, empty for none
    line     the line in this file, None for none
    measure  the label of the column, None if it is about none
    size     what the findings of a gate are sorted by: the largest are reported first
    verdict  whether the gate fails, or what else the finding is
    checked  the condition in words, for a finding about a condition: such a finding exists also if the
             condition holds, as PASSED; empty for other findings
    """

    gate: str
    message: str
    path: str
    line: int | None = None
    measure: str | None = None
    size: float = math.inf
    verdict: Verdict = Verdict.FAILED
    checked: str = ""

    @property
    def fails(self) -> bool:
        """Return whether the gate fails because of this finding."""
        return self.verdict is Verdict.FAILED

    @property
    def text(self) -> str:
        """Return the line for people, which a finding that is PASSED does not have."""
        assert self.verdict is not Verdict.PASSED
        return f"{self.verdict.value}{self.message}"

    def annotation(self, more: int = 0) -> str:
        """Return the finding as a workflow command of GitHub Actions.

        more  number of similar findings that it stands for besides itself
        """
        kind = {Verdict.FAILED: "error", Verdict.WARNING: "warning"}.get(self.verdict, "notice")
        properties = []
        if self.path:
            properties.append(f"file={_escaped_property(self.path)}")
        if self.line is not None:
            properties.append(f"line={self.line}")
        properties.append(f"title={_escaped_property('pres-eval ' + self.gate)}")
        message = self.message
        if more:
            message += f" (and {more} more)"
        return f"::{kind} {','.join(properties)}::{_escaped_data(message)}"


def _escaped_data(text: str) -> str:
    """Return text escaped for the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    """Return text escaped for a property of a workflow command."""
    return _escaped_data(text).replace(":", "%3A").replace(",", "%2C")


def lines_of(findings: Sequence[GateFinding]) -> Iterator[str]:
    """Yield the findings for people, gate by gate, the largest first.

    Conditions that hold get no line.  Failures of a gate beyond LISTED_FAILURES are only counted.
    """
    for gate in dict.fromkeys(finding.gate for finding in findings):
        of_gate = [finding for finding in findings if finding.gate == gate]
        num_failures = 0
        for finding in sorted(of_gate, key=lambda finding: finding.size, reverse=True):
            if finding.verdict is Verdict.PASSED:
                continue
            if finding.fails:
                num_failures += 1
            if not finding.fails or num_failures <= LISTED_FAILURES:
                yield finding.text
        if num_failures > LISTED_FAILURES:
            yield f"{gate}: {num_failures - LISTED_FAILURES} more like these"


def annotations_of(findings: Sequence[GateFinding]) -> Iterator[str]:
    """Yield annotations for GitHub: for each gate, file and measure its gravest finding.

    Failures come before warnings, and these before notes; of several the largest.  A condition that was
    checked and holds gets none.
    """
    gravity = {Verdict.FAILED: 2, Verdict.WARNING: 1, Verdict.NOTE: 0}
    groups: dict[tuple[str, str, str | None], list[GateFinding]] = {}  # by gate, path, measure
    for finding in findings:
        if finding.fails or not finding.checked:
            groups.setdefault((finding.gate, finding.path, finding.measure), []).append(finding)
    for group in groups.values():
        gravest = max(group, key=lambda finding: (gravity[finding.verdict], finding.size))
        yield gravest.annotation(more=len(group) - 1)


def run_name(evaluation: ScoredRun) -> str:
    """Return the run as messages name it: its tag, and its path in brackets."""
    return f"{text_of(evaluation.tag)} ({text_of(evaluation.path)})"


def listed(names: Sequence[str]) -> str:
    """Return up to LISTED_NAMES names with commas between them, and how many more there are."""
    text = ", ".join(names[:LISTED_NAMES])
    num_more = len(names) - LISTED_NAMES
    if num_more > 0:
        text += f" and {num_more} more"
    return text


def six_digits(value: float, kind: Format = Format.FLOAT, other: float | None = None) -> str:
    """Return a number for a message: with six digits after the point, or as a count if it is whole.

    kind   of the measure: counts may be whole
    other  a number that the reader compares with this one.  If the two differ, but would look the same, this
           one gets all its digits.
    """
    if kind is Format.COUNT and value.is_integer():
        return str(int(value))
    text = f"{value:.6f}"
    if other is None or not math.isfinite(other):
        return text
    looks_equal = text == f"{other:.6f}"
    if looks_equal and value != other:
        return repr(value)
    return text

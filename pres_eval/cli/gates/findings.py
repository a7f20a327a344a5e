"""Findings of gates: one for each thing that is not as wanted, and the texts in which they are reported."""

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
"""Largest number of failures of a gate that are reported one by one."""

LISTED_NAMES = 5
"""Largest number of names in one message."""


class Verdict(enum.Enum):
    """Meaning of a finding; the value is how a line of it begins, None where there is no line."""

    FAILED = ""
    WARNING = "warning: "
    NOTE = "note: "
    PASSED = None

    @classmethod
    def from_check(cls, passed: bool) -> Verdict:
        """Return the verdict about a condition."""
        return cls.PASSED if passed else cls.FAILED

    @classmethod
    def from_difference(cls, allowed: bool) -> Verdict:
        """Return the verdict about a difference that an option may allow."""
        return cls.NOTE if allowed else cls.FAILED


@dataclass(frozen=True, kw_only=True)
class GateFinding:
    """One thing that a gate found or checked.

    gate     the option: --fail-under, --fail-over, --against or --expect; error if one stopped them
    message  the whole line for people: wanted, got, run
    path     the file to which an annotation belongs, empty for none
    line     the line in this file, None for none
    measure  the label of the column, None if it is about none
    size     what the findings of a gate are sorted by: the largest are reported first
    verdict  its meaning
    checked  the condition that was checked; empty for a finding that is reported only if it fails
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
        """Return whether the gate fails for it."""
        return self.verdict is Verdict.FAILED

    @property
    def text(self) -> str:
        """Return the line for people."""
        return f"{self.verdict.value}{self.message}"

    def annotation(self, more: int = 0) -> str:
        """Return the finding, and the number of others like it, as a workflow command of GitHub Actions."""
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

    Of more than LISTED_FAILURES failures of a gate, the others are only counted.
    """
    for gate in dict.fromkeys(finding.gate for finding in findings):
        of_gate = [finding for finding in findings if finding.gate == gate]
        failures = 0
        for finding in sorted(of_gate, key=lambda finding: finding.size, reverse=True):
            failures += finding.fails
            is_left_out = finding.fails and failures > LISTED_FAILURES
            if finding.verdict is not Verdict.PASSED and not is_left_out:
                yield finding.text
        if failures > LISTED_FAILURES:
            yield f"{gate}: {failures - LISTED_FAILURES} more like these"


def annotations_of(findings: Sequence[GateFinding]) -> Iterator[str]:
    """Yield annotations for GitHub: for each gate, file and measure its largest finding.

    A condition that was checked and holds gets none.
    """
    groups: dict[tuple[str, str, str | None], list[GateFinding]] = {}
    for finding in findings:
        if finding.fails or not finding.checked:
            groups.setdefault((finding.gate, finding.path, finding.measure), []).append(finding)
    for group in groups.values():
        largest = max(group, key=lambda finding: finding.size)
        yield largest.annotation(len(group) - 1)


def run_name(evaluation: ScoredRun) -> str:
    """Return the run as messages name it."""
    return f"{text_of(evaluation.tag)} ({text_of(evaluation.path)})"


def listed(names: Sequence[str]) -> str:
    """Return up to five names with commas between them, and how many more there are."""
    text = ", ".join(names[:LISTED_NAMES])
    num_more = len(names) - LISTED_NAMES
    if num_more > 0:
        text += f" and {num_more} more"
    return text


def six_digits(value: float, kind: Format = Format.FLOAT, other: float | None = None) -> str:
    """Return a number for a message with six digits after the point.

    It has all its digits if it differs from `other`, which the message also has, but would look the same.
    """
    if kind is Format.COUNT and value.is_integer():
        return str(int(value))
    text = f"{value:.6f}"
    if other is not None and math.isfinite(other) and value != other and text == f"{other:.6f}":
        return repr(value)
    return text

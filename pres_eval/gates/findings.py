"""Findings of gates: one for each thing that is not as wanted, and the texts in which they are reported."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pres_eval.errors import one_line, plural
from pres_eval.measures.base import Format
from pres_eval.report.grid import MARKDOWN, Grid, escaped, written
from pres_eval.report.markup import Html, element
from pres_eval.report.text import signed, text_of
from pres_eval.scoring import ScoredRun

if TYPE_CHECKING:
    from pres_eval.gates.against import Change

EXIT_CODE = 3
"""Of a command whose gates were not all passed."""

MOST = 10
"""Largest number of findings of a gate that are reported one by one."""


LISTED_NAMES = 5
"""Largest number of names in one message."""


class Verdict(enum.Enum):
    """Meaning of a finding; the value is how a line of it begins, None where there is no line."""

    FAILED = ""
    WARNING = "warning: "
    NOTE = "note: "
    PASSED = None


@dataclass(frozen=True, kw_only=True)
class GateFinding:
    """One thing that a gate found or checked.

    gate     the option: --fail-under, --fail-over, --against or --expect; error if one stopped them
    message  the whole line for people: wanted, got, run
    path     the file to which an annotation belongs, and the line in it if there is one
    measure  the label of the column, if it is about one
    size     its size among the findings of its gate: the largest are reported first
    verdict  its meaning
    checked  the condition, if it may also hold; other findings are unexpected
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

    def annotation(self, more: int = 0) -> str:
        """Return the finding, and the number of others like it, as a workflow command of GitHub Actions."""
        place = f"file={_property(self.path)}" + (f",line={self.line}" if self.line is not None else "")
        kind = {Verdict.FAILED: "error", Verdict.WARNING: "warning"}.get(self.verdict, "notice")
        message = self.message + (f" (and {more} more)" if more else "")
        return f"::{kind} {place},title={_property('pres-eval ' + self.gate)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def lines_of(findings: Sequence[GateFinding]) -> Iterator[str]:
    """Yield the findings for people: of each gate the largest failures and how many more, and all notes."""
    for gate in dict.fromkeys(finding.gate for finding in findings):
        own = sorted((each for each in findings if each.gate == gate), key=lambda each: -each.size)
        more = -MOST
        for each in own:
            more += each.fails
            if each.verdict is not Verdict.PASSED and not (each.fails and more > 0):
                yield f"{each.verdict.value}{each.message}"
        if more > 0:
            yield f"{gate}: {more} more like these"


def annotations_of(findings: Sequence[GateFinding]) -> Iterator[str]:
    """Yield the findings for GitHub: one annotation for each gate, file and measure, that of the largest.

    What was checked and passed is none.
    """
    groups: dict[tuple[str, str, str | None], list[GateFinding]] = {}
    for finding in findings:
        if finding.fails or not finding.checked:
            groups.setdefault((finding.gate, finding.path, finding.measure), []).append(finding)
    for group in groups.values():
        largest = max(group, key=lambda each: each.size)
        yield largest.annotation(len(group) - 1)


def run_name(evaluation: ScoredRun) -> str:
    """Return the run as messages name it."""
    return f"{text_of(evaluation.tag)} ({text_of(evaluation.path)})"


def listed(names: Sequence[str]) -> str:
    """Return up to five names with commas between them, and how many more there are."""
    more = len(names) - LISTED_NAMES
    text = ", ".join(names[:LISTED_NAMES])
    return f"{text} and {more} more" if more > 0 else text


def six_digits(value: float, kind: Format = Format.FLOAT, other: float | None = None) -> str:
    """Return a number for a message: six digits after the point, or all if it would equal the other."""
    if kind is Format.COUNT and value.is_integer():
        return str(int(value))
    text = f"{value:.6f}"
    same = other is not None and math.isfinite(other) and text == f"{other:.6f}" and value != other
    return repr(value) if same else text


def as_junit(findings: Sequence[GateFinding], warnings: Sequence[str] = ()) -> str:
    """Return a test for every check and for every failure; other messages are output, after the warnings."""
    tests = [finding for finding in findings if finding.fails or finding.checked]
    messages = [f"{Verdict.WARNING.value}{warning}" for warning in warnings]
    for finding in findings:
        if finding.verdict.value and not finding.checked:
            messages.append(f"{finding.verdict.value}{finding.message}")
    suite = element(
        "testsuite",
        *map(_test, tests),
        element("system-out", *(f"{one_line(line)}\n" for line in messages)),
        name="pres-eval",
        tests=len(tests),
        failures=sum(finding.fails for finding in findings),
        errors=0,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{suite}\n'


def _test(finding: GateFinding) -> Html:
    """Return one test."""
    message = one_line(finding.message)
    return element(
        "testcase",
        element("failure", message, message=message) if finding.fails else element("system-out", message),
        classname=f"pres-eval {finding.gate}",
        name=one_line(finding.checked or finding.message),
        file=one_line(finding.path),
    )


def as_markdown(
    findings: Sequence[GateFinding], compared: Sequence[Change], warnings: Sequence[str] = ()
) -> str:
    """Return in Markdown whether the gates were passed, each measure then and now, findings and warnings.

    warnings  of the evaluation
    """
    failed = [finding for finding in findings if finding.fails]
    verdict = f"failed: {plural(len(failed), 'finding')}" if failed else "passed"
    rows = tuple(_row(change) for change in compared if change.topic is None)
    table = written(Grid(("run", "measure", "earlier", "now", "change", ""), rows, left=2), MARKDOWN)
    lines = [*lines_of(findings), *(f"{Verdict.WARNING.value}{warning}" for warning in warnings)]
    parts = [f"### pres-eval: gates {verdict}\n"]
    if rows:
        parts.append(table)
    if lines:
        parts.append("".join(f"- {escaped(line, MARKDOWN)}\n" for line in lines))
    return "\n".join(parts) + "\n"


def _row(change: Change) -> tuple[str, ...]:
    """Return the row of a measure that changed, for a summary in Markdown."""
    kind = change.column.measure.format
    difference = change.now - change.before
    return (
        escaped(run_name(change.run), MARKDOWN),
        escaped(change.column.label, MARKDOWN),
        six_digits(change.before, kind),
        six_digits(change.now, kind),
        signed(difference, 0 if kind is Format.COUNT and float(difference).is_integer() else 6),
        "worse" if change.worse else "",
    )

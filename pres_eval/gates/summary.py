"""The gates as a page of Markdown, for the summary of a job."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.errors import plural
from pres_eval.gates.against import Change
from pres_eval.gates.findings import GateFinding, lines_of, run_name, six_digits
from pres_eval.measures.base import Format
from pres_eval.report.grid import MARKDOWN, Grid, escaped, written
from pres_eval.report.text import signed


def as_markdown(findings: Sequence[GateFinding], compared: Sequence[Change]) -> str:
    """Return in Markdown whether the gates were passed, each measure then and now, and the findings."""
    failed = [finding for finding in findings if finding.fails]
    verdict = f"failed: {plural(len(failed), 'finding')}" if failed else "passed"
    rows = tuple(_row(change) for change in compared if change.topic is None)
    table = written(Grid(("run", "measure", "earlier", "now", "change", ""), rows, left=2), MARKDOWN)
    lines = "".join(f"- {escaped(line, MARKDOWN)}\n" for line in lines_of(findings))
    parts = [f"### pres-eval: gates {verdict}\n", *([table] if rows else []), *([lines] if findings else [])]
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

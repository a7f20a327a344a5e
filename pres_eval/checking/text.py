"""Findings as text for people and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pres_eval import __version__
from pres_eval.checking.findings import KINDS, FileReport, Finding, Severity
from pres_eval.errors import plural
from pres_eval.report.text import printable_json, printable_lines, text_of

LAYOUT_VERSION = 2
"""Version of the JSON's fields; it rises when one changes its meaning or goes away."""


def as_text(reports: Sequence[FileReport], brief: bool = False) -> str:
    """Return the findings as text: file by file with examples, then the kinds with their counts.

    brief  one line for each file instead
    """
    if brief:
        parts = ["\n".join(map(_brief_line, reports))]
    else:
        parts = ["\n".join(_full_lines(report)) for report in reports]
    parts.append(_summary(reports))
    text = "\n\n".join(parts) + "\n"
    # Examples of a finding may be whatever is in a file.
    return printable_lines(text)


def _brief_line(report: FileReport) -> str:
    """Return the line of --brief: verdict, file, facts, the kinds of findings with their counts."""
    verdict = "good"
    severity = report.verdict()
    if severity is not None:
        verdict = severity.value
    line = f"{verdict:<7}  {text_of(report.path)}: {_facts(report)}"
    kinds = [f"{finding.kind.name} {finding.count}" for finding in report.in_order()]
    if kinds:
        line += f"; {', '.join(kinds)}"
    return line


def _full_lines(report: FileReport) -> Iterator[str]:
    """Yield the lines for people of a file: its facts, findings with examples, and verdict."""
    yield f"{text_of(report.path)}: {_facts(report)}"
    for finding in report.in_order():
        kind = finding.kind
        line = f"  {kind.severity.value} {kind.name} ({finding.count}): {kind.meaning}"
        if finding.message:
            line += f": {finding.message}"
        yield line
        for example in finding.examples:
            if example.line is None:
                yield f"    {example}"
            else:
                yield f"    {text_of(report.path)}:{example.line}: {example}"
        num_left = finding.count - len(finding.examples)
        if num_left > 0 and finding.examples:
            yield f"    ... and {num_left} more"
    yield f"  verdict: {_verdict(report)}"


def _verdict(report: FileReport) -> str:
    """Return the verdict about a file in words."""
    warnings = plural(report.num_kinds(Severity.WARNING), "kind of warning", "kinds of warning")
    if report.verdict() is Severity.ERROR:
        errors = plural(report.num_kinds(Severity.ERROR), "kind of error", "kinds of error")
        return f"evaluation stops at this file: {errors}"
    if report.verdict() is None:
        return "good"
    return f"can be evaluated, but check {warnings}"


def _facts(report: FileReport) -> str:
    """Return the content of a file: documents or judgements, topics, tags, grades."""
    facts = report.facts
    parts: list[str] = []
    if "judgements" in facts:  # lines of qrels
        grades = ", ".join(f"{grade}: {count}" for grade, count in facts["grades"].items())
        parts = [
            plural(facts["judgements"], "judgement"),
            plural(facts["topics"]),
            f"grades {grades}",
        ]
    elif "documents" in facts:  # a run
        least, most = facts["documents_per_topic"]
        lengths = f"{least} to {most} each"
        if least == most:
            lengths = f"{least} each"
        tags = ", ".join(list(facts["tags"])[:3])
        if len(facts["tags"]) > 3:
            tags += " ..."
        parts = [
            f"run {tags}".rstrip(),
            plural(facts["documents"], "document"),
            plural(facts["topics"]),
            lengths,
        ]
    elif "judged_documents" in facts:  # judgements of another format
        parts = [plural(facts["judged_documents"], "document"), plural(facts["topics"])]
    if "format" in facts:
        parts.append(f"read as {facts['format']}")
    parts += [text for name, text in _ODDITIES.items() if facts.get(name)]
    if not parts:
        return report.role
    return ", ".join(parts)


_ODDITIES = {
    "tabs": "tabs",
    "extra_blanks": "extra blanks",
    "crlf_lines": "CR LF",
    "blank_lines": "blank lines",
    "negative_scores": "negative scores",
    "topics_with_ranks_from_0": "ranks from 0",
    "topics_unsorted": "not sorted by score",
    "topics_apart": "lines of topics scattered",
}
"""Facts that change nothing, as the line of a file names them."""


def _summary(reports: Sequence[FileReport]) -> str:
    """Return the table of the kinds of findings over all files, errors first, and a line with totals."""
    by_kind: dict[str, list[Finding]] = {}
    all_kinds: set[str] = set()  # those that are not shown too, so that the totals agree with the exit code
    for report in reports:
        all_kinds.update(report.findings)
        for finding in report.in_order():
            by_kind.setdefault(finding.kind.name, []).append(finding)
    rows = []
    for severity in Severity:
        for name, findings in by_kind.items():
            if findings[0].kind.severity is severity:
                count = str(sum(finding.count for finding in findings))
                rows.append((severity.value, name, count, plural(len(findings), "file")))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = []
    for severity_name, kind, count, files in rows:
        columns = f"{severity_name:<{widths[0]}}  {kind:<{widths[1]}}  {count:>{widths[2]}}"
        lines.append(f"{columns}  in {files}")
    verdict = "nothing wrong or suspicious"
    if all_kinds:
        severities = [KINDS[name].severity for name in all_kinds]
        totals = []
        for severity in Severity:
            name = severity.value
            totals.append(plural(severities.count(severity), f"kind of {name}", f"kinds of {name}"))
        verdict = ", ".join(totals)
    return "\n".join([*lines, f"{plural(len(reports), 'file')}: {verdict}"])


def as_json(reports: Sequence[FileReport]) -> str:
    """Return the findings as JSON; its "errors", "warnings" and "notes" sum the kinds in each file."""
    data: dict[str, Any] = {"kind": "pres-eval check", "layout": LAYOUT_VERSION, "version": __version__}
    for severity in Severity:
        data[f"{severity.value}s"] = sum(report.num_kinds(severity) for report in reports)
    data["files"] = [_file_record(report) for report in reports]
    return printable_json(json.dumps(data, indent=2, allow_nan=False)) + "\n"


def _file_record(report: FileReport) -> dict[str, Any]:
    """Return a file and its findings as JSON has them."""
    verdict = "good"
    severity = report.verdict()
    if severity is not None:
        verdict = f"{severity.value}s"  # "errors" in JSON, whose fields scripts know; "error" in --brief
    return {
        "path": text_of(report.path),
        "role": report.role,
        "verdict": verdict,
        "facts": report.facts,
        "findings": [_finding_record(finding) for finding in report.in_order()],
    }


def _finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON has it."""
    return {
        "kind": finding.kind.name,
        "level": finding.kind.severity.value,
        "meaning": finding.kind.meaning,
        "count": finding.count,
        "message": finding.message,
        "details": finding.details,
        "examples": [{"line": example.line, "text": str(example)} for example in finding.examples],
    }

"""Findings from the bytes and the malformed lines of a chunk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays.types import IntArray
from pres_eval.checking.findings import Example, FileReport
from pres_eval.errors import quoted
from pres_eval.ranking.notations import Id, Respelling
from pres_eval.reading.lines import Lines
from pres_eval.reading.tokens import NEWLINE, Faults


def tell_lines(report: FileReport, lines: Lines) -> None:
    """Count what is wrong or odd in the lines of a chunk.

    Examples have the line in the chunk, from 1: `FileReport.merge` moves them.
    """
    chunk, fields = lines.chunk, lines.fields
    for faults in lines.faults:
        _tell(report, faults)
    if fields.longer is not None:
        _tell(report, fields.longer)
    bad = _lines_not_utf8(chunk.text())
    report.add("not-utf-8", len(bad), "", (Example(line + 1, "not UTF-8") for line in bad.tolist()))
    report.add("comments", fields.comments)
    report.counts["lines", "all"] = lines.num_lines
    report.counts["lines", "rows"] = len(lines)
    report.counts["lines", "blank"] = fields.blank
    if chunk.buffer.find(b"\r", chunk.start, chunk.stop) >= 0:  # much faster than to count
        report.counts["lines", "crlf"] = chunk.buffer.count(b"\r\n", chunk.start, chunk.stop)
    report.counts["lines", "tabs"] = int(chunk.buffer.find(b"\t", chunk.start, chunk.stop) >= 0)
    report.counts["lines", "extra_blanks"] = not fields.separators


def _tell(report: FileReport, faults: Faults) -> None:
    examples = (Example(line + 1, faults.found(i)) for i, line in enumerate(faults.lines.tolist()))
    report.add(faults.kind, len(faults.lines), f"expected {faults.expected}", examples)


def _lines_not_utf8(text: bytes) -> IntArray:
    """Return the indices of the lines that are no UTF-8."""
    if text.isascii():
        return np.zeros(0, np.int64)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        characters = np.frombuffer(
            text.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass"), "<u4"
        )
        wrong = np.flatnonzero((characters >= 0xDC80) & (characters <= 0xDCFF))
        return np.unique(np.searchsorted(np.flatnonzero(characters == NEWLINE), wrong))
    return np.zeros(0, np.int64)


def facts_of_lines(report: FileReport) -> dict[str, int | bool]:
    """Return the form of the lines, for the facts of a file."""
    counts = {what: count for (of, what), count in report.counts.items() if of == "lines"}
    return {
        "lines": counts["all"],
        "blank_lines": counts["blank"],
        "crlf_lines": counts.get("crlf", 0),
        "tabs": counts["tabs"] > 0,
        "extra_blanks": counts["extra_blanks"] > 0,
    }


def tell_respelling(
    report: FileReport, kind: str, found: Respelling | None, line_of: Callable[[Id], int | None]
) -> None:
    """Tell the ids that match nothing and would if they were written alike, and in which line each is."""
    if found is None:
        return
    every = list(found.every())
    message = f"they match {', others '.join(one.without for one in every)}{found.advice}"
    pairs = [pair for one in every for pair in one.pairs]
    texts = (
        Example(line_of(ours), f"{quoted(ours[1])} of the run, {quoted(judged)} of the qrels")
        for ours, judged in pairs
    )
    report.add(kind, len(pairs), message, texts)

"""Findings of a run that only its end shows: tags, lengths, ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import IntArray
from pres_eval.checking.findings import Example, FileReport, facts_of_lines
from pres_eval.errors import quoted
from pres_eval.report.text import text_of


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """A whole run: its topics in the order of the file with their numbers of rows, and the tags.

    tags    how many rows each has, and its first line
    places  in how many places each topic is
    """

    topics: list[bytes]
    lengths: IntArray
    places: IntArray
    tags: dict[bytes, tuple[int, int]]


def add_facts(report: FileReport, run: CheckedRun) -> None:
    """Add the counts that are no faults."""
    report.facts |= facts_of_lines(report) | {
        "tags": {text_of(tag): count for tag, (count, _) in run.tags.items()},
        "documents": report.counts["lines", "rows"],
        "negative_scores": report.counts["scores", "negative"],
        "topics": len(run.topics),
        "topics_in_order": run.topics == sorted(run.topics),
        "topics_apart": int(np.count_nonzero(run.places > 1)),
        "topics_unsorted": report.counts["topics", "unsorted"],
        "topics_with_ranks_from_0": report.counts["topics", "ranks_from_0"],
        "float32_ties": report.counts["float32-ties", "scores"],
        "documents_per_topic": [int(run.lengths.min()), int(run.lengths.max())],
    }


def sum_up_ties(report: FileReport, kind: str) -> None:
    """Say how many documents are tied, in how many topics, and which cutoffs tear them apart."""
    finding = report.findings[kind]
    counts = {what: count for (of, what), count in report.counts.items() if of == kind}
    at_cutoffs = {what: count for what, count in counts.items() if what.isdigit() and count}
    documents = counts["documents"]
    finding.details = {"topics": finding.count, "documents": documents, "at_cutoffs": at_cutoffs}
    finding.message = f"{plural(documents, 'document')} in {plural(finding.count)}"
    if at_cutoffs:
        torn = (f"{cutoff} in {plural(count)}" for cutoff, count in at_cutoffs.items())
        finding.message += "; across cutoff " + ", ".join(torn)


def check_tags(report: FileReport, run: CheckedRun, cut_off: bool) -> None:
    """Tell several tags, and a last one that was cut off."""
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
    """Tell topics that are too short for the cutoffs asked for, or have more documents than allowed."""
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

"""Checks of a whole run: topics, tags, duplicates, length, and what the checks of its blocks say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.arrays.ids import equal
from pres_eval.checking.blocks import Block, block_of, blocks, check_block
from pres_eval.checking.columns import (
    Columns,
    Judged,
    Part,
    ScatteredError,
    changed,
    parse_run,
    read_columns,
    read_topics,
)
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.checking.lines import some, texts_at
from pres_eval.errors import quoted
from pres_eval.reading.source import Chunk, Source
from pres_eval.report.text import text_of
from pres_eval.workers import UNTHREADED, in_order

DOCNO = 2
CUTOFFS_THAT_MATTER = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""The cutoffs of the official measures; those of PRES come on top."""


@dataclass(frozen=True)
class RunChecker:
    """Reads runs and checks them.

    judged   the documents of the qrels, None if these could not be read
    asked, default
             cutoffs that a run should reach: asked for, or of the default measures
    jobs     threads
    """

    judged: Judged | None
    asked: tuple[int, ...]
    default: tuple[int, ...]
    jobs: int

    def read(self, source: Source, report: FileReport) -> Columns:
        """Read a run; its lines, and the rows of each topic, are checked on the way.

        Raises InputError if the file can't be read to its end.
        """
        part = FileReport(report.path, report.role, report.most)
        try:
            columns = read_topics(source, part, self._parse_and_check, self.jobs)
        except ScatteredError:
            part = FileReport(report.path, report.role, report.most)
            columns = read_columns(source, part, self._parse, self.jobs)
            self._check_rows(part, columns)
        report.merge(part, 0)
        return columns

    def _parse(self, chunk: Chunk, most: int) -> Part:
        return parse_run(self.judged, chunk, most)

    def _parse_and_check(self, chunk: Chunk, most: int) -> Part:
        part = self._parse(chunk, most)
        part.report.merge(check_block(block_of(part), self._cutoffs, most), 0)
        return replace(part, rows=None)

    @property
    def _cutoffs(self) -> list[int]:
        return sorted({*CUTOFFS_THAT_MATTER, *self.asked, *self.default})

    def _check_rows(self, report: FileReport, columns: Columns) -> None:
        """Look at the rows some topics at a time."""
        if columns.rows is None:
            return
        cutoffs = self._cutoffs

        def check(block: Block) -> FileReport:
            return check_block(block, cutoffs, report.most)

        for found in in_order(check, blocks(columns, columns.rows), self.jobs, UNTHREADED):
            report.merge(found, 0)

    def check(self, report: FileReport, columns: Columns, source: Source) -> None:
        """The checks that need the whole run; the report is that of `read`."""
        _add_facts(report, columns)
        check_order_of_topics(report, columns)
        _check_tags(report, columns)
        for kind in ("ties", "float32-ties"):
            if kind in report.findings:
                _sum_up_ties(report, kind)
        if report.counts["duplicate", "keys"]:
            if columns.rows is None:
                columns = read_columns(source, FileReport("", "run", 0), self._parse, self.jobs)
            check_duplicates(report, columns, source, 6)
        for kind, wanted in (
            ("shorter-than-cutoff", self.asked),
            ("shorter-than-default-cutoff", self.default),
        ):
            _check_length(report, columns, kind, wanted)


def _add_facts(report: FileReport, columns: Columns) -> None:
    report.facts |= {
        "tabs": report.counts["bytes", "tabs"] > 0,
        "extra_blanks": report.counts["bytes", "uneven"] > 0,
        "tags": {text_of(tag): count for tag, (count, _) in columns.tags.items()},
        "lines": columns.num_lines,
        "documents": len(columns),
        "negative_scores": report.counts["scores", "negative"],
        "topics": len(columns.topics),
        "documents_per_topic": [int(columns.lengths.min()), int(columns.lengths.max())],
    }


def _sum_up_ties(report: FileReport, kind: str) -> None:
    finding = report.findings[kind]
    counts = {what: count for (of, what), count in report.counts.items() if of == kind}
    at_cutoffs = {what: count for what, count in counts.items() if what.isdigit() and count}
    finding.details = {
        "topics": finding.count,
        **{what: count for what, count in counts.items() if not what.isdigit()},
        "at_cutoffs": at_cutoffs,
    }
    number = plural(counts["documents"], "document") if kind == "ties" else plural(counts["scores"], "score")
    finding.message = f"{number} in {plural(finding.count, 'topic')}"
    if at_cutoffs:
        torn = (f"{cutoff} in {plural(count, 'topic')}" for cutoff, count in at_cutoffs.items())
        finding.message += "; across cutoff " + ", ".join(torn)


def check_order_of_topics(report: FileReport, columns: Columns) -> None:
    """Whether topics stand together and in byte order."""
    counts = np.bincount(columns.segments, minlength=len(columns.topics))
    apart = np.flatnonzero(counts > 1)
    names = (
        Example(None, f"topic {quoted(columns.topics[t])} stands in {counts[t]} places")
        for t in apart.tolist()
    )
    report.add("topics-apart", len(apart), "", names)
    if columns.topics != sorted(columns.topics):
        report.add("topics-unordered", 1)


def _check_tags(report: FileReport, columns: Columns) -> None:
    if len(columns.tags) > 1:
        names = (
            Example(line, f"tag {quoted(tag)} ({plural(count, 'line')})")
            for tag, (count, line) in columns.tags.items()
        )
        report.add("several-tags", len(columns.tags), "the last one counts", names)


def check_duplicates(report: FileReport, columns: Columns, source: Source, width: int) -> None:
    """Documents that a topic has twice, when keys are; `width` is the number of columns in the file."""
    if columns.rows is None:
        return
    topic = columns.rows.topic
    order = np.argsort(columns.rows.keys, kind="stable")
    new = changed(columns.rows.keys[order])
    first = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    again, first = order[~new], first[~new]
    in_file = np.argsort(again)
    again, first = again[in_file], first[in_file]
    wanted = np.unique(np.concatenate((again, first)))
    lines = columns.line_of(wanted)
    texts = texts_at(source, width, DOCNO, lines - 1)
    if texts is None:
        return
    ids = texts.take(slice(None))
    place, first_place = np.searchsorted(wanted, again), np.searchsorted(wanted, first)
    same = equal(ids.take(place), ids.take(first_place)) & (topic[again] == topic[first])
    count = int(np.count_nonzero(same))

    def examples() -> Iterator[Example]:
        for number in np.flatnonzero(same).tolist():
            name = quoted(columns.topics[topic[again[number]]])
            where = f"first in line {lines[first_place[number]]}"
            yield Example(
                int(lines[place[number]]),
                f"topic {name}, document {quoted(ids[int(place[number])])} again ({where})",
            )

    report.add("duplicate", count, "", examples(), topics=len(np.unique(topic[again[same]])))


def _check_length(report: FileReport, columns: Columns, kind: str, cutoffs: Sequence[int]) -> None:
    lengths = columns.lengths
    short = {cutoff: int(np.count_nonzero(lengths < cutoff)) for cutoff in sorted(cutoffs)}
    short = {cutoff: count for cutoff, count in short.items() if count}
    if not short:
        return
    message = ", ".join(f"{plural(count, 'topic')} below {cutoff}" for cutoff, count in short.items())
    shortest = np.flatnonzero(lengths < max(short))
    names = (
        Example(None, f"topic {quoted(columns.topics[topic])} has {plural(int(lengths[topic]), 'document')}")
        for topic in shortest
    )
    report.add(kind, len(shortest), message, names, topics_below={str(k): n for k, n in short.items()})


def list_of(ids: Sequence[bytes], most: int = 5) -> str:
    """Some ids for a message."""
    return some((quoted(i) for i in ids), most)

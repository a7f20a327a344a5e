"""Checks of a whole run: topics, tags, length, and what the checks of its blocks say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pres_eval.arrays import ragged
from pres_eval.arrays.ordering import changed, stable_order
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.checking.blocks import CheckedBlock, CheckedRows, check_block
from pres_eval.checking.findings import FileReport
from pres_eval.checking.run_parts import (
    CheckedPart,
    check_columns,
    segments_of,
    tags_of,
)
from pres_eval.checking.telling import tell_lines
from pres_eval.checking.whole_run import CheckedRun, add_facts, check_length, check_tags, sum_up_ties
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.ranking.opening import DOCNO, TOPIC
from pres_eval.reading.cutting import ScatteredError
from pres_eval.reading.lines import RUN, Lines, in_parts, no_lines
from pres_eval.reading.pool import Pool
from pres_eval.reading.source import Source
from pres_eval.reading.splits import text_chunks
from pres_eval.workers import UNTHREADED, in_order


@dataclass(frozen=True)
class RunChecker:
    """Reads runs and checks them.

    pool    the documents of the qrels, none if these could not be read
    asked   cutoffs that a run should reach
    most    examples of each kind
    jobs    threads
    at_most documents that a topic may have, None for any number
    """

    pool: Pool
    asked: tuple[int, ...]
    most: int
    jobs: int
    at_most: int | None = None

    def check(self, source: Source, report: FileReport) -> CheckedRun:
        """Read a run and check everything but its topics against those of the qrels.

        Raises InputError if the file can't be read to its end.
        """
        try:
            run, found = self._read(source, report, whole_topics=True)
        except ScatteredError:
            run, found = self._read(source, report, whole_topics=False)
        report.merge(found, 0)
        if not len(run.topics):
            raise no_lines(source, RUN)
        self._tell(report, run)
        check_tags(report, run, cut_off=not source.final_newline)
        return run

    def _read(self, source: Source, report: FileReport, whole_topics: bool) -> tuple[CheckedRun, FileReport]:
        """Read a run and check its topics as they come, or when all rows are there.

        Raises ScatteredError if a topic comes again that was checked already.
        """
        found = FileReport(report.path, report.role, report.most)
        gathered = _Gathered(found, whole_topics)
        chunks = text_chunks(source, whole_topics)
        for before, part in in_parts(source, RUN, partial(self._part, whole_topics), chunks, self.jobs):
            gathered.add(before, part)
        if gathered.rows:
            for part_report in in_order(self._check_block, gathered.blocks(), self.jobs, UNTHREADED):
                found.merge(part_report, 0)
        return gathered.run(), found

    def check_rows(self, report: FileReport, part: CheckedPart) -> CheckedRun:
        """Check the rows of a whole run that has been read."""
        gathered = _Gathered(report, whole_topics=False)
        gathered.add(0, part)
        for block in gathered.blocks():
            report.merge(self._check_block(block), 0)
        run = gathered.run()
        self._tell(report, run)
        return run

    def _tell(self, report: FileReport, run: CheckedRun) -> None:
        """The facts of a whole run, and what can be said only at its end."""
        add_facts(report, run)
        for kind in ("ties", "float32-ties"):
            if kind in report.findings:
                sum_up_ties(report, kind)
        check_length(report, run, self.asked, self.at_most)

    def _part(self, whole_topics: bool, lines: Lines) -> CheckedPart:
        """Return a checked chunk; raises ScatteredError if its topics should be whole and are not."""
        report = FileReport("", "run", self.most)
        tell_lines(report, lines)
        ranks = check_columns(report, lines)
        topics = segments_of(lines.column(TOPIC))
        rows = CheckedRows(
            ids=WordIds.of(lines.column(DOCNO)),
            scores=lines.numbers,
            ranks=ranks,
            line=lines.line_of(np.arange(len(lines))) + 1,
        )
        if whole_topics:
            if len(topics.ids) < len(topics.which):
                raise ScatteredError
            block = CheckedBlock(topics.ids, np.append(topics.starts, len(lines)), rows)
            check_block(report, block, self._cutoffs, self.pool)
        return CheckedPart(
            report=report,
            topics=topics,
            tags=tags_of(lines),
            rows=None if whole_topics else rows,
        )

    def _check_block(self, block: CheckedBlock) -> FileReport:
        report = FileReport("", "run", self.most)
        check_block(report, block, self._cutoffs, self.pool)
        return report

    @property
    def _cutoffs(self) -> list[int]:
        """The cutoffs at which ties are counted."""
        return sorted({*DOCUMENT_CUTOFFS, *self.asked})


class _Gathered:
    """The parts of a file, in their order."""

    def __init__(self, report: FileReport, whole_topics: bool) -> None:
        self.report = report
        self.whole_topics = whole_topics
        self.numbers: dict[bytes, int] = {}
        self.tags: dict[bytes, tuple[int, int]] = {}
        self.rows: list[CheckedRows] = []
        self._topics: list[IntArray] = []
        self._lengths: list[tuple[IntArray, IntArray]] = [(_NONE, _NONE)]
        self._segments: list[IntArray] = [_NONE]

    def add(self, before: int, part: CheckedPart) -> None:
        """Take the next part; `before` lines precede it."""
        self.report.merge(part.report, before)
        known = len(self.numbers)
        ids = part.topics.ids
        numbers = np.array([self.numbers.setdefault(topic, len(self.numbers)) for topic in ids], np.int64)
        if self.whole_topics and len(self.numbers) < known + len(ids):
            raise ScatteredError
        self._lengths.append((numbers, part.topics.counts()))
        self._segments.append(numbers[part.topics.which])
        for tag, (count, line) in part.tags.items():
            sooner, first = self.tags.get(tag, (0, before + line))
            self.tags[tag] = (sooner + count, first)
        if part.rows is not None:
            self.rows.append(replace(part.rows, line=part.rows.line + before))
            self._topics.append(numbers[part.topics.of_rows()])

    def _topic_lengths(self) -> IntArray:
        lengths = np.zeros(len(self.numbers), np.int64)
        which, counts = (np.concatenate(parts) for parts in zip(*self._lengths, strict=True))
        np.add.at(lengths, which, counts)
        return lengths

    def blocks(self) -> Iterator[CheckedBlock]:
        """The rows that were kept, some topics at a time."""
        topics, rows = list(self.numbers), CheckedRows.joined(self.rows)
        order = stable_order(np.concatenate(self._topics), len(topics))
        offsets = np.concatenate(([0], np.cumsum(self._topic_lengths())))
        for first, last in ragged.blocks(offsets):
            chosen = order[int(offsets[first]) : int(offsets[last])]
            yield CheckedBlock(
                topics[first:last], offsets[first : last + 1] - offsets[first], rows.take(chosen)
            )

    def run(self) -> CheckedRun:
        """Return the facts of the whole file."""
        segments = np.concatenate(self._segments)
        places = np.bincount(segments[changed(segments)], minlength=len(self.numbers))
        return CheckedRun(list(self.numbers), self._topic_lengths(), places, self.tags)


_NONE = np.zeros(0, np.int64)

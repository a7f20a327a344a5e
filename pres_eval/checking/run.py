"""Checks of a whole run: topics, tags, length, and the findings in its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from pres_eval.arrays import (
    AnyInts,
    GrowingColumns,
    Ids,
    IdTable,
    IntArray,
    blocks,
    changed,
    narrow,
    stable_order,
)
from pres_eval.checking.blocks import NO_NUMBER, CheckedBlock, CheckedRows
from pres_eval.checking.findings import Example, FileReport, facts_of_lines, tell_lines
from pres_eval.checking.second_look import exchanged, exchanged_whole
from pres_eval.checking.whole_files import CheckedRun, check_length, check_tags, sum_up_ties
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.errors import quoted
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import File
from pres_eval.reading.lines import (
    DOCNO_COLUMN,
    RANK_COLUMN,
    RUN,
    SCORE_COLUMN,
    TAG_COLUMN,
    TOPIC_COLUMN,
    Lines,
    in_parts,
    no_lines,
)
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.pool import Pool
from pres_eval.reading.rewriting import Mapping
from pres_eval.reading.run_files import TREC
from pres_eval.reading.splits import text_chunks
from pres_eval.report.text import text_of


@dataclass(frozen=True, eq=False)
class Segments:
    """A column of ids of `size` rows: the distinct ones, and which of them the rows from `starts` on have."""

    ids: list[bytes]
    which: IntArray
    starts: IntArray
    size: int

    @property
    def lengths(self) -> IntArray:
        """The numbers of rows from each start on."""
        return np.diff(self.starts, append=self.size)

    def of_rows(self) -> IntArray:
        """Return (size,) which of the ids each row has."""
        return np.repeat(self.which, self.lengths)

    def counts(self) -> IntArray:
        """Count the rows of each id."""
        return np.bincount(self.which, self.lengths, len(self.ids)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CheckedPart:
    """One chunk of a run, and its findings; its rows if its topics were not checked."""

    report: FileReport
    topics: Segments
    tags: dict[bytes, tuple[int, int]]
    rows: CheckedRows | None


def check_columns(report: FileReport, lines: Lines) -> AnyInts:
    """Return the ranks; report those that are no numbers, and odd scores."""
    scores = lines.numbers
    report.counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    infinite = np.flatnonzero(np.isinf(scores))
    examples = (
        Example(int(line) + 1, f"score {quoted(lines.text(row, SCORE_COLUMN))}")
        for row, line in zip(infinite.tolist(), lines.line_of(infinite), strict=True)
    )
    report.add("score-infinite", len(infinite), "", examples)
    if not len(lines):
        return np.zeros(0, np.int64)
    ranks, wrong = read_whole_numbers(lines.chunk.array(), *lines.fields.column(RANK_COLUMN))
    if not wrong:
        rank = exchanged_whole(lines, ranks)
        if rank is not None:
            first_line = int(lines.line_of(np.zeros(1, np.int64))[0]) + 1
            report.add("rank-is-score", len(lines), "", [Example(first_line, f"rank {quoted(rank)}")])
        return narrow(ranks)
    examples = (
        Example(int(line) + 1, f"rank {quoted(lines.text(row, RANK_COLUMN))}")
        for row, line in zip(wrong, lines.line_of(np.array(wrong)), strict=True)
    )
    kind = "rank-no-number"
    if exchanged(lines, wrong[0]) is not None:
        kind = "rank-is-score"
    report.add(kind, len(wrong), "", examples)
    ranks[wrong] = NO_NUMBER
    return ranks


def segments_of(ids: Ids) -> Segments:
    """Return the distinct ids in the order in which they appear, and where each segment of rows begins."""
    starts = ids.heads()
    heads = ids.take(starts)
    first_rows = IdTable(heads).first_rows()
    is_new = first_rows == np.arange(len(heads))
    numbers = np.cumsum(is_new) - 1
    return Segments(list(heads.take(np.flatnonzero(is_new))), numbers[first_rows], starts, len(ids))


@dataclass(frozen=True)
class CheckOptions:
    """Limits that the checks compare with.

    relevance_level  least grade of a relevant document (-l)
    relevance_form   format of the judgements (-R)
    run_form         format of the runs (-T)
    asked            cutoffs that every topic should reach (--nmax)
    at_most          documents that a topic of a run may have, None for any number (--at-most)
    most             examples of each kind in each file (--max)
    mapping          the mapping of documents (--map-docs), None for none
    jobs             threads
    """

    relevance_level: float = 1
    relevance_form: str = "qrels"
    run_form: str = TREC
    asked: tuple[int, ...] = ()
    at_most: int | None = None
    most: int = 5
    mapping: Mapping | None = None
    jobs: int = 1


@dataclass(frozen=True)
class RunChecker:
    """Reads runs and checks them.

    pool  the documents of the qrels, none if these could not be read
    """

    pool: Pool
    options: CheckOptions

    def check(self, source: File, report: FileReport) -> CheckedRun:
        """Read a run and check everything but its topics against those of the qrels.

        Raises InputError if the file can't be read to its end.
        """
        try:
            run, run_report = self._read(source, report, whole_topics=True)
        except ScatteredError:
            run, run_report = self._read(source, report, whole_topics=False)
        report.merge(run_report, 0)
        if not len(run.topics):
            raise no_lines(source, RUN)
        self.tell(report, run)
        check_tags(report, run, cut_off=not source.final_newline)
        return run

    def _read(self, source: File, report: FileReport, whole_topics: bool) -> tuple[CheckedRun, FileReport]:
        """Read a run and check its topics as they come, or when all rows are there.

        Raises ScatteredError if a topic comes again that was checked already.
        """
        run_report = FileReport(report.path, report.role, report.most)
        check_part = partial(self._part, whole_topics)
        parts = in_parts(source, RUN, check_part, text_chunks(source, whole_topics), self.options.jobs)
        return self.check_parts(run_report, parts), run_report

    def check_parts(self, report: FileReport, parts: Iterable[tuple[int, CheckedPart]]) -> CheckedRun:
        """Gather the parts of a run, each with the number of lines before it, and check the kept topics."""
        gathered = _Gathered(report)
        for before, part in parts:
            gathered.add(before, part)
        for block in in_order(self._checked, gathered.blocks(), self.options.jobs, UNTHREADED):
            report.merge(block.report, 0)
        return gathered.run()

    def _checked(self, block: CheckedBlock) -> CheckedBlock:
        block.check(sorted({*DOCUMENT_CUTOFFS, *self.options.asked}), self.pool, self.options.mapping)
        return block

    def tell(self, report: FileReport, run: CheckedRun) -> None:
        """Report the facts of a whole run, and findings that only its end shows."""
        report.facts |= facts_of_lines(report) | {
            "tags": {text_of(tag): count for tag, (count, _) in run.tags.items()},
            "documents": report.counts["lines", "rows"],
            "negative_scores": report.counts["scores", "negative"],
            "topics": len(run.topics),
            "topics_in_order": run.topics == sorted(run.topics),
            "topics_apart": int(np.count_nonzero(run.num_segments > 1)),
            "topics_unsorted": report.counts["topics", "unsorted"],
            "topics_with_ranks_from_0": report.counts["topics", "ranks_from_0"],
            "float32_ties": report.counts["float32-ties", "scores"],
            "documents_per_topic": [int(run.lengths.min()), int(run.lengths.max())],
        }
        if "ties" in report.findings and not report.counts["ties", "none"]:
            report.add("all-scores-equal", len(run.topics), "in each topic")
        for kind in ("ties", "float32-ties"):
            if kind in report.findings:
                sum_up_ties(report, kind)
        check_length(report, run, self.options.asked, self.options.at_most)

    def _part(self, whole_topics: bool, lines: Lines) -> CheckedPart:
        """Return a checked chunk; raise ScatteredError if its topics should be whole and are not."""
        report = FileReport("", "run", self.options.most)
        tell_lines(report, lines)
        ranks = check_columns(report, lines)
        topics, tags = segments_of(lines.column(TOPIC_COLUMN)), segments_of(lines.column(TAG_COLUMN))
        first = tags.starts[np.unique(tags.which, return_index=True)[1]]
        counts_and_lines = zip(tags.counts().tolist(), (lines.line_of(first) + 1).tolist(), strict=True)
        rows = CheckedRows(
            ids=lines.column(DOCNO_COLUMN),
            scores=lines.numbers,
            ranks=ranks,
            line=lines.line_of(np.arange(len(lines))) + 1,
        )
        kept_rows: CheckedRows | None = rows
        if whole_topics:
            if len(topics.ids) < len(topics.which):
                raise ScatteredError
            self._checked(CheckedBlock(topics.ids, np.append(topics.starts, len(lines)), rows, report))
            kept_rows = None
        return CheckedPart(
            report=report,
            topics=topics,
            tags=dict(zip(tags.ids, counts_and_lines, strict=True)),
            rows=kept_rows,
        )


class _Gathered:
    """The parts of a file, in their order."""

    def __init__(self, report: FileReport) -> None:
        self.report = report
        self.numbers: dict[bytes, int] = {}
        self.tags: dict[bytes, tuple[int, int]] = {}
        self._rows = GrowingColumns()
        self._segments: list[tuple[IntArray, IntArray]] = [(_NONE, _NONE)]

    def add(self, before: int, part: CheckedPart) -> None:
        """Take the next part; `before` lines precede it."""
        self.report.merge(part.report, before)
        known = len(self.numbers)
        ids = part.topics.ids
        numbers = np.array([self.numbers.setdefault(topic, len(self.numbers)) for topic in ids], np.int64)
        if part.rows is None and len(self.numbers) < known + len(ids):
            raise ScatteredError
        self._segments.append((numbers[part.topics.which], part.topics.lengths))
        for tag, (count, line) in part.tags.items():
            sooner, first = self.tags.get(tag, (0, before + line))
            self.tags[tag] = (sooner + count, first)
        if part.rows is not None:
            rows = part.rows
            topic = numbers[part.topics.of_rows()]
            self._rows.append(topic, rows.ids, rows.scores, rows.ranks, rows.line + before)

    def _topic_lengths(self) -> IntArray:
        which, lengths = (np.concatenate(parts) for parts in zip(*self._segments, strict=True))
        return np.bincount(which, lengths, len(self.numbers)).astype(np.int64)

    def blocks(self) -> Iterator[CheckedBlock]:
        """Yield the rows that were kept, some topics at a time."""
        if not len(self._rows):
            return
        topic, *columns = self._rows.values()
        topics, rows = list(self.numbers), CheckedRows(*columns)
        order = stable_order(topic, len(topics))
        offsets = np.concatenate(([0], np.cumsum(self._topic_lengths())))
        for first, last in blocks(offsets):
            chosen = order[int(offsets[first]) : int(offsets[last])]
            report = FileReport("", "run", self.report.most)
            block_offsets = offsets[first : last + 1] - offsets[first]
            yield CheckedBlock(topics[first:last], block_offsets, rows.take(chosen), report)

    def run(self) -> CheckedRun:
        """Return the facts of the whole file."""
        segments = np.concatenate([which for which, _ in self._segments])
        num_segments = np.bincount(segments[changed(segments)], minlength=len(self.numbers))
        return CheckedRun(
            topics=list(self.numbers),
            lengths=self._topic_lengths(),
            num_segments=num_segments,
            tags=self.tags,
        )


_NONE = np.zeros(0, np.int64)

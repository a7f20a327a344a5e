"""Checks of a whole run: topics, tags, length, and the findings in its blocks.

To check a topic is to compare its rows with each other and with the judged documents: ranks, ties, repeats.
"""

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
    changed,
    narrow,
    stable_order,
)
from pres_eval.arrays import blocks as blocks_of_offsets
from pres_eval.checking.blocks import NO_RANK, CheckedBlock, CheckedRows
from pres_eval.checking.findings import Example, FileReport, facts_of_lines, report_lines
from pres_eval.checking.second_look import (
    exchanged_decimal,
    exchanged_unsorted,
    exchanged_whole,
)
from pres_eval.checking.whole_files import CheckedRun, check_length, check_tags, sum_up_notations, sum_up_ties
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.errors import quoted
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import File
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.lines import (
    DOCNO_COLUMN,
    RANK_COLUMN,
    RUN,
    SCORE_COLUMN,
    TAG_COLUMN,
    TOPIC_COLUMN,
    Lines,
    no_lines_error,
    results_of_chunks,
)
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.rewriting import IdMapping
from pres_eval.reading.run_files import TREC
from pres_eval.reading.splits import text_chunks
from pres_eval.report.text import text_of


@dataclass(frozen=True, eq=False)
class Segments:
    """A column of ids as segments, which are neighbouring rows with the same id.

    The column a a b a has the ids a and b, and the segments a a, b and a: id_of_segment is 0 1 0, starts is
    0 2 3, num_rows is 4.

    ids            (I,) the distinct ids, in the order in which they appear
    id_of_segment  (S,) index of each segment's id
    starts         (S,) first row of each segment
    num_rows       rows of the column
    """

    ids: list[bytes]
    id_of_segment: IntArray
    starts: IntArray
    num_rows: int

    @property
    def lengths(self) -> IntArray:
        """The numbers of rows (S,) of the segments."""
        return np.diff(self.starts, append=self.num_rows)

    def id_of_row(self) -> IntArray:
        """Return the index (num_rows,) of each row's id."""
        return np.repeat(self.id_of_segment, self.lengths)

    def rows_of_ids(self) -> IntArray:
        """Return how many rows (I,) each id has."""
        num_rows = np.bincount(self.id_of_segment, weights=self.lengths, minlength=len(self.ids))
        return num_rows.astype(np.int64)


@dataclass(frozen=True, eq=False)
class CheckedPart:
    """A chunk of a run after its checks.

    report  its findings so far
    topics  the topics of its rows
    tags    for each tag how many rows have it, and the line of the first, from 1
    rows    the rows if their topics are still to be checked, None if they were
    """

    report: FileReport
    topics: Segments
    tags: dict[bytes, tuple[int, int]]
    rows: CheckedRows | None


def check_columns(report: FileReport, lines: Lines) -> AnyInts:
    """Return the ranks of lines, NO_RANK where they are no whole numbers, and report faults of two columns.

    The faults are ranks that are no whole numbers, ranks that seem exchanged with scores, infinite scores.
    Negative scores are counted, as a fact.
    """
    scores = lines.numbers
    report.counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    infinite = np.flatnonzero(np.isinf(scores))
    infinite_scores = _cells(lines, infinite, "score", SCORE_COLUMN)
    report.add("score-infinite", len(infinite), examples=infinite_scores)
    if not len(lines):
        return np.zeros(0, np.int64)
    starts, ends = lines.fields.column(RANK_COLUMN)
    ranks, wrong_rows = read_whole_numbers(lines.chunk.array(), starts, ends)
    if not wrong_rows:
        row = exchanged_whole(lines, ranks)
        if row is None:
            row = exchanged_unsorted(lines)
        if row is not None:
            example = _cells(lines, np.array([row]), "rank", RANK_COLUMN)
            report.add("rank-is-score", len(lines), examples=example)
        return narrow(ranks)
    kind = "rank-no-number"
    if exchanged_decimal(lines, wrong_rows[0]) or exchanged_unsorted(lines) is not None:
        kind = "rank-is-score"
    examples = _cells(lines, np.array(wrong_rows), "rank", RANK_COLUMN)
    report.add(kind, len(wrong_rows), examples=examples)
    ranks[wrong_rows] = NO_RANK
    return ranks


def _cells(lines: Lines, rows: IntArray, name: str, column: int) -> Iterator[Example]:
    """Yield the text of a column in some rows (n,) as examples, with the name of the column."""
    for row, line in zip(rows.tolist(), lines.line_of(rows).tolist(), strict=True):
        yield Example(line + 1, f"{name} {quoted(lines.text(row, column))}")


def segments_of(ids: Ids) -> Segments:
    """Return the segments of a column of ids."""
    starts = ids.heads()
    ids_of_starts = ids.take(starts)
    # For each segment the first one with the same id; those that are their own first bring new ids.
    first_segment = IdTable(ids_of_starts).first_rows()
    is_new = first_segment == np.arange(len(ids_of_starts))
    index_of_new = np.cumsum(is_new) - 1
    distinct = list(ids_of_starts.take(np.flatnonzero(is_new)))
    return Segments(distinct, index_of_new[first_segment], starts, len(ids))


@dataclass(frozen=True)
class CheckOptions:
    """Limits that the checks compare with.

    relevance_level  least grade of a relevant document (-l)
    relevance_form   format of the judgements (-R)
    run_form         format of the runs (-T)
    depths           ranks that every topic of a run should reach (--nmax)
    at_most          documents that a topic of a run may have, None for any number (--at-most)
    most             most examples of each kind in each file (--max)
    mapping          the mapping of documents (--map-docs), None for none
    jobs             threads
    """

    relevance_level: float = 1
    relevance_form: str = "qrels"
    run_form: str = TREC
    depths: tuple[int, ...] = ()
    at_most: int | None = None
    most: int = 5
    mapping: IdMapping | None = None
    jobs: int = 1


@dataclass(frozen=True)
class RunChecker:
    """Reader of runs that checks them, alone and against the judged documents.

    pool  the documents of the qrels, NO_POOL if there are none or they could not be read
    """

    pool: Pool
    options: CheckOptions

    def check(self, source: File, report: FileReport) -> CheckedRun:
        """Read a run and check everything but whether its topics are those of the qrels.

        Raises InputError if the file can't be read to its end.
        """
        try:
            run, run_report = self._read(source, report, whole_topics=True)
        except ScatteredError:  # the rows of a topic do not stand together: all rows are read first
            run, run_report = self._read(source, report, whole_topics=False)
        report.merge(run_report, 0)
        if not len(run.topics):
            raise no_lines_error(source, RUN)
        self.report_whole_run(report, run)
        check_tags(report, run, cut_off=not source.final_newline)
        return run

    def _read(self, source: File, report: FileReport, whole_topics: bool) -> tuple[CheckedRun, FileReport]:
        """Return the facts of a run and the report of its rows, whose topics are checked.

        whole_topics  whether each chunk has whole topics, which are checked chunk by chunk; otherwise all are
                      checked at the end

        Raises ScatteredError if chunks should have whole topics, and a topic is in two of them.
        """
        # A report of its own: of an attempt that fails nothing must stay.
        run_report = FileReport(report.path, report.role, report.most)
        check_part = partial(self._part, whole_topics)
        parts = results_of_chunks(
            source, RUN, check_part, text_chunks(source, whole_topics), self.options.jobs
        )
        return self.check_parts(run_report, parts), run_report

    def check_parts(self, report: FileReport, parts: Iterable[tuple[int, CheckedPart]]) -> CheckedRun:
        """Return the facts of a run from its parts, and check the topics that were not checked yet.

        parts  the parts in their order, each with the number of lines before it
        """
        gathered = _Gathered(report)
        for before, part in parts:
            gathered.add(before, part)
        for block in in_order(self._checked, gathered.blocks(), self.options.jobs, UNTHREADED):
            report.merge(block.report, 0)
        return gathered.run()

    def _checked(self, block: CheckedBlock) -> CheckedBlock:
        """Return the block after its checks."""
        cutoffs = sorted({*DOCUMENT_CUTOFFS, *self.options.depths})
        block.check(cutoffs, self.pool, self.options.mapping)
        return block

    def report_whole_run(self, report: FileReport, run: CheckedRun) -> None:
        """Report the facts of a whole run, and findings that only its end shows."""
        counts = report.counts
        report.facts |= facts_of_lines(report)
        report.facts |= {
            "tags": {text_of(tag): num_rows for tag, (num_rows, _) in run.tags.items()},
            "documents": counts["lines", "rows"],
            "negative_scores": counts["scores", "negative"],
            "topics": len(run.topics),
            "topics_in_order": run.topics == sorted(run.topics),
            "topics_apart": int(np.count_nonzero(run.num_segments > 1)),
            "topics_unsorted": counts["topics", "unsorted"],
            "topics_with_ranks_from_0": counts["topics", "ranks_from_0"],
            "float32_ties": counts["float32-ties", "scores"],
            "documents_per_topic": [int(run.lengths.min()), int(run.lengths.max())],
        }
        # `none` counts neighbouring rows of a topic whose scores differ.
        if "ties" in report.findings and not counts["ties", "none"]:
            report.add("all-scores-equal", len(run.topics), message="in each topic")
        for kind in ("ties", "float32-ties"):
            if kind in report.findings:
                sum_up_ties(report, kind)
        sum_up_notations(report)
        check_length(report, run, self.options.depths, self.options.at_most)

    def _part(self, whole_topics: bool, lines: Lines) -> CheckedPart:
        """Return a chunk of lines, with its topics checked if these are whole in it.

        Raises ScatteredError if its topics should be whole and are not together.
        """
        report = FileReport("", "run", self.options.most)
        report_lines(report, lines)
        rows = CheckedRows(
            ids=lines.column(DOCNO_COLUMN),
            scores=lines.numbers,
            ranks=check_columns(report, lines),
            line=lines.line_of(np.arange(len(lines))) + 1,
        )
        topics = segments_of(lines.column(TOPIC_COLUMN))
        if not whole_topics:
            return CheckedPart(report=report, topics=topics, tags=_tags(lines), rows=rows)
        if len(topics.ids) < len(topics.id_of_segment):
            raise ScatteredError
        self._checked(CheckedBlock(topics.ids, np.append(topics.starts, len(lines)), rows, report))
        return CheckedPart(report=report, topics=topics, tags=_tags(lines), rows=None)


def _tags(lines: Lines) -> dict[bytes, tuple[int, int]]:
    """Return for each tag how many lines have it, and the first of them, from 1."""
    tags = segments_of(lines.column(TAG_COLUMN))
    _, first_segments = np.unique(tags.id_of_segment, return_index=True)
    first_lines = lines.line_of(tags.starts[first_segments]) + 1
    rows_and_lines = zip(tags.rows_of_ids().tolist(), first_lines.tolist(), strict=True)
    return dict(zip(tags.ids, rows_and_lines, strict=True))


class _Gathered:
    """Topics and tags of the parts of a file, and those of its rows that are to be checked at the end."""

    def __init__(self, report: FileReport) -> None:
        """Begin without parts; `report` receives their findings."""
        self.report = report
        self._number_of_topic: dict[bytes, int] = {}
        """The topics, numbered in the order in which they appear."""
        self._tags: dict[bytes, tuple[int, int]] = {}
        """For each tag how many rows have it, and the line of the first, from 1."""
        self._rows = GrowingColumns()
        """Topic number, document, score, rank and line of the rows that are to be checked."""
        # Topics and lengths of the segments of each part; the empty ones are for a run without parts.
        self._segments: list[tuple[IntArray, IntArray]] = [(_NO_INTEGERS, _NO_INTEGERS)]

    def add(self, before: int, part: CheckedPart) -> None:
        """Take the next part; `before` lines precede it.

        Raises ScatteredError if a topic comes again whose rows were checked.
        """
        self.report.merge(part.report, before)
        num_known = len(self._number_of_topic)
        topic_numbers = []
        for topic in part.topics.ids:
            topic_numbers.append(self._number_of_topic.setdefault(topic, len(self._number_of_topic)))
        num_new = len(self._number_of_topic) - num_known
        if part.rows is None and num_new < len(part.topics.ids):
            raise ScatteredError
        numbers = np.array(topic_numbers, np.int64)
        self._segments.append((numbers[part.topics.id_of_segment], part.topics.lengths))
        for tag, (num_rows, line) in part.tags.items():
            rows_before, first_line = self._tags.get(tag, (0, before + line))
            self._tags[tag] = (rows_before + num_rows, first_line)
        if part.rows is not None:
            rows = part.rows
            topic_of_row = numbers[part.topics.id_of_row()]
            self._rows.append(topic_of_row, rows.ids, rows.scores, rows.ranks, rows.line + before)

    def _topic_of_segment(self) -> IntArray:
        """Return the numbers of the topics of all segments (S,)."""
        return np.concatenate([topics for topics, _ in self._segments])

    def _topic_lengths(self) -> IntArray:
        """Return the number of rows of each topic (T,)."""
        lengths = np.concatenate([lengths for _, lengths in self._segments])
        num_rows = np.bincount(self._topic_of_segment(), lengths, len(self._number_of_topic))
        return num_rows.astype(np.int64)

    def blocks(self) -> Iterator[CheckedBlock]:
        """Yield the rows that are to be checked, some topics at a time."""
        if not len(self._rows):
            return
        topic, *columns = self._rows.release()
        topics = list(self._number_of_topic)
        rows = CheckedRows(*columns)
        order = stable_order(topic, len(topics))
        offsets = np.concatenate(([0], np.cumsum(self._topic_lengths())))
        for first, last in blocks_of_offsets(offsets):
            rows_of_block = order[int(offsets[first]) : int(offsets[last])]
            report = FileReport("", "run", self.report.most)
            block_offsets = offsets[first : last + 1] - offsets[first]
            yield CheckedBlock(topics[first:last], block_offsets, rows.take(rows_of_block), report)

    def run(self) -> CheckedRun:
        """Return the facts of the whole file."""
        topic_of_segment = self._topic_of_segment()
        # Segments of one topic that meet at the end of a part are one.
        apart = topic_of_segment[changed(topic_of_segment)]
        return CheckedRun(
            topics=list(self._number_of_topic),
            lengths=self._topic_lengths(),
            num_segments=np.bincount(apart, minlength=len(self._number_of_topic)),
            tags=self._tags,
        )


_NO_INTEGERS = np.zeros(0, np.int64)

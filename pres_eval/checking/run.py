"""Checks of a whole run: topics, tags, length, and what the checks of its blocks say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pres_eval.arrays import ragged
from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ids import Ids, equal
from pres_eval.arrays.ordering import changes, stable_order
from pres_eval.arrays.types import AnyInts, FloatArray, IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.checking.blocks import NO_NUMBER, Block, changed, check_block
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.checking.likeness import Judged
from pres_eval.checking.telling import facts_of_lines, tell_lines
from pres_eval.errors import quoted
from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.ranking.opening import DOCNO, RANK, TOPIC
from pres_eval.ranking.run_file import TAG
from pres_eval.reading.cutting import Cut, ScatteredError, in_two_passes
from pres_eval.reading.lines import RUN, Lines, in_parts, no_lines, parse_lines, read_whole_number
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.source import Chunk, Source
from pres_eval.report.text import text_of
from pres_eval.workers import UNTHREADED, in_order

SCORE = 4
_MANY = 64
"""Changes of an id in a chunk above which equal ids are looked for with hashes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """A column of ids: the distinct ones, and which of them the rows from each of `starts` on have."""

    ids: list[bytes]
    which: IntArray
    starts: IntArray

    def lengths(self, size: int) -> IntArray:
        """How many rows each segment has, of `size` rows."""
        return np.diff(np.append(self.starts, size))


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a run whose topics are scattered; `line` counts from 1."""

    topic: IntArray
    ids: WordIds
    scores: FloatArray
    ranks: AnyInts
    line: IntArray


@dataclass(frozen=True, eq=False)
class Part:
    """One chunk of a run, and what was found in it; its rows if its topics were not checked."""

    chunk: Chunk
    num_lines: int
    report: FileReport
    topics: Segments
    lengths: IntArray
    tags: dict[bytes, tuple[int, int]]
    rows: Rows | None


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


@dataclass(frozen=True)
class RunChecker:
    """Reads runs and checks them.

    judged  the documents of the qrels, None if these could not be read
    asked   cutoffs that a run should reach
    jobs    threads
    """

    judged: Judged | None
    asked: tuple[int, ...]
    jobs: int

    def check(self, source: Source, report: FileReport) -> CheckedRun:
        """Read a run and check everything but its topics against those of the qrels.

        Raises InputError if the file can't be read to its end.
        """
        cutoffs = sorted({*DOCUMENT_CUTOFFS, *self.asked})

        def read(cuts: Iterator[Cut], whole_topics: bool) -> tuple[CheckedRun, FileReport]:
            found = FileReport(report.path, report.role, report.most)
            gathered = _Gathered(found, whole_topics)
            work = partial(self._part, cutoffs, report.most, whole_topics)
            for before, part in in_parts(source, work, cuts, self.jobs):
                gathered.add(before, part)
            if gathered.rows:
                check = partial(self._check_block, cutoffs, report.most)
                for part_report in in_order(check, gathered.blocks(), self.jobs, UNTHREADED):
                    found.merge(part_report, 0)
            return gathered.run(), found

        run, found = in_two_passes(source, read)
        report.merge(found, 0)
        if not len(run.topics):
            raise no_lines(source, RUN)
        self._tell(report, run)
        _check_tags(report, run, cut_off=not source.final_newline)
        return run

    def check_rows(self, report: FileReport, part: Part) -> CheckedRun:
        """Check the rows of a whole run that has been read."""
        gathered = _Gathered(report, whole_topics=False)
        gathered.add(0, part)
        cutoffs = sorted({*DOCUMENT_CUTOFFS, *self.asked})
        for block in gathered.blocks():
            report.merge(self._check_block(cutoffs, report.most, block), 0)
        run = gathered.run()
        self._tell(report, run)
        return run

    def _tell(self, report: FileReport, run: CheckedRun) -> None:
        """The facts of a whole run, and what can be said only at its end."""
        _add_facts(report, run)
        for kind in ("ties", "float32-ties"):
            if kind in report.findings:
                _sum_up_ties(report, kind)
        _check_length(report, run, self.asked)

    def _part(self, cutoffs: Sequence[int], most: int, whole_topics: bool, cut: Cut) -> Part:
        if whole_topics and not cut.whole_topics:
            raise ScatteredError
        report = FileReport("", "run", most)
        lines = parse_lines(cut.chunk, RUN)
        tell_lines(report, lines)
        ranks = _check_columns(report, lines)
        topics = segments_of(lines.column(TOPIC))
        lengths = np.zeros(len(topics.ids), np.int64)
        np.add.at(lengths, topics.which, topics.lengths(len(lines)))
        ids = WordIds.of(lines.column(DOCNO))
        rows = None
        if whole_topics:
            if len(topics.ids) < len(topics.which):
                raise ScatteredError
            offsets = np.append(topics.starts, len(lines))
            line_of = partial(_line_of, lines)
            block = Block(
                topics=topics.ids,
                offsets=offsets,
                ids=ids,
                scores=lines.numbers,
                ranks=ranks,
                line_of=line_of,
            )
            check_block(report, block, cutoffs, self.judged)
        else:
            topic = np.repeat(topics.which, topics.lengths(len(lines)))
            line = _line_of(lines, np.arange(len(lines)))
            rows = Rows(topic=topic, ids=ids, scores=lines.numbers, ranks=ranks, line=line)
        return Part(
            chunk=cut.chunk,
            num_lines=lines.num_lines,
            report=report,
            topics=topics,
            lengths=lengths,
            tags=_tags(lines),
            rows=rows,
        )

    def _check_block(self, cutoffs: Sequence[int], most: int, block: Block) -> FileReport:
        report = FileReport("", "run", most)
        check_block(report, block, cutoffs, self.judged)
        return report


def _line_of(lines: Lines, rows: IntArray) -> IntArray:
    return lines.line_of(rows) + 1


def _check_columns(report: FileReport, lines: Lines) -> AnyInts:
    """The ranks; tells those that are no numbers, and odd scores."""
    scores = lines.numbers
    report.counts["scores", "negative"] = int(np.count_nonzero(scores < 0))
    infinite = np.flatnonzero(np.isinf(scores))
    examples = (
        Example(int(line) + 1, f"score {quoted(lines.text(row, SCORE))}")
        for row, line in zip(infinite.tolist(), lines.line_of(infinite), strict=True)
    )
    report.add("score-infinite", len(infinite), "", examples)
    if not len(lines):
        return np.zeros(0, np.int64)
    ranks, wrong = read_whole_numbers(lines.chunk.array(), *lines.fields.column(RANK))
    if wrong is None:
        return narrow(ranks)
    texts = list(lines.column(RANK))
    found = [read_whole_number(text) for text in texts]
    bad = np.array([row for row, rank in enumerate(found) if rank is None])
    examples = (
        Example(int(line) + 1, f"rank {quoted(texts[row])}")
        for row, line in zip(bad.tolist(), lines.line_of(bad), strict=True)
    )
    report.add("rank-no-number", len(bad), "", examples)
    return np.array([NO_NUMBER if rank is None else rank for rank in found], np.int64)


def segments_of(ids: Ids) -> Segments:
    """The distinct ids in the order in which they appear, and where each segment of rows begins."""
    starts = changes(ids)
    heads = ids.take(starts)
    if len(starts) > _MANY:
        _, first, which = np.unique(heads.hashes(), return_index=True, return_inverse=True)
        if equal(heads, heads.take(first[which])).all():
            order = np.argsort(first)
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            return Segments(list(heads.take(first[order])), place[which], starts)
    numbers: dict[bytes, int] = {}
    which = np.array([numbers.setdefault(i, len(numbers)) for i in heads], np.int64)
    return Segments(list(numbers), which, starts)


def _tags(lines: Lines) -> dict[bytes, tuple[int, int]]:
    """The tags of a chunk: how many rows each has, and its first line."""
    segments = segments_of(lines.column(TAG))
    counts = np.zeros(len(segments.ids), np.int64)
    np.add.at(counts, segments.which, segments.lengths(len(lines)))
    first = segments.starts[np.unique(segments.which, return_index=True)[1]]
    places = zip(counts.tolist(), _line_of(lines, first).tolist(), strict=True)
    return dict(zip(segments.ids, places, strict=True))


class _Gathered:
    """The parts of a file, in their order."""

    def __init__(self, report: FileReport, whole_topics: bool) -> None:
        self.report = report
        self.whole_topics = whole_topics
        self.numbers: dict[bytes, int] = {}
        self.tags: dict[bytes, tuple[int, int]] = {}
        self.rows: list[Rows] = []
        self._lengths: list[tuple[IntArray, IntArray]] = [(_NONE, _NONE)]
        self._segments: list[IntArray] = [_NONE]

    def add(self, before: int, part: Part) -> None:
        """Take the next part; `before` lines precede it."""
        self.report.merge(part.report, before)
        known = len(self.numbers)
        ids = part.topics.ids
        numbers = np.array([self.numbers.setdefault(topic, len(self.numbers)) for topic in ids], np.int64)
        if self.whole_topics and len(self.numbers) < known + len(ids):
            raise ScatteredError
        self._lengths.append((numbers, part.lengths))
        self._segments.append(numbers[part.topics.which])
        for tag, (count, line) in part.tags.items():
            sooner, first = self.tags.get(tag, (0, before + line))
            self.tags[tag] = (sooner + count, first)
        if part.rows is not None:
            rows = replace(part.rows, topic=numbers[part.rows.topic], line=part.rows.line + before)
            self.rows.append(rows)

    def _topic_lengths(self) -> IntArray:
        lengths = np.zeros(len(self.numbers), np.int64)
        which, counts = (np.concatenate(parts) for parts in zip(*self._lengths, strict=True))
        np.add.at(lengths, which, counts)
        return lengths

    def blocks(self) -> Iterator[Block]:
        """The rows that were kept, some topics at a time."""
        topic = np.concatenate([rows.topic for rows in self.rows])
        ids = WordIds.concatenate([rows.ids for rows in self.rows])
        scores = np.concatenate([rows.scores for rows in self.rows])
        ranks = np.concatenate([rows.ranks for rows in self.rows])
        line = np.concatenate([rows.line for rows in self.rows])
        topics = list(self.numbers)
        order = stable_order(topic, len(topics))
        offsets = np.concatenate(([0], np.cumsum(self._topic_lengths())))
        for first, last in ragged.blocks(offsets):
            chosen = order[int(offsets[first]) : int(offsets[last])]
            yield Block(
                topics=topics[first:last],
                offsets=offsets[first : last + 1] - offsets[first],
                ids=ids.pick(chosen),
                scores=scores[chosen],
                ranks=ranks[chosen],
                line_of=line[chosen].__getitem__,
            )

    def run(self) -> CheckedRun:
        """What is known of the whole file."""
        segments = np.concatenate(self._segments)
        places = np.bincount(segments[changed(segments)], minlength=len(self.numbers))
        return CheckedRun(list(self.numbers), self._topic_lengths(), places, self.tags)


_NONE = np.zeros(0, np.int64)


def _add_facts(report: FileReport, run: CheckedRun) -> None:
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


def _sum_up_ties(report: FileReport, kind: str) -> None:
    finding = report.findings[kind]
    counts = {what: count for (of, what), count in report.counts.items() if of == kind}
    at_cutoffs = {what: count for what, count in counts.items() if what.isdigit() and count}
    documents = counts["documents"]
    finding.details = {"topics": finding.count, "documents": documents, "at_cutoffs": at_cutoffs}
    finding.message = f"{plural(documents, 'document')} in {plural(finding.count, 'topic')}"
    if at_cutoffs:
        torn = (f"{cutoff} in {plural(count, 'topic')}" for cutoff, count in at_cutoffs.items())
        finding.message += "; across cutoff " + ", ".join(torn)


def _check_tags(report: FileReport, run: CheckedRun, cut_off: bool) -> None:
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


def _check_length(report: FileReport, run: CheckedRun, cutoffs: Sequence[int]) -> None:
    short = {cutoff: int(np.count_nonzero(run.lengths < cutoff)) for cutoff in sorted(cutoffs)}
    short = {cutoff: count for cutoff, count in short.items() if count}
    if not short:
        return
    message = ", ".join(f"{plural(count, 'topic')} below {cutoff}" for cutoff, count in short.items())
    shortest = np.flatnonzero(run.lengths < max(short))
    names = (
        Example(None, f"topic {quoted(run.topics[topic])} has {plural(int(run.lengths[topic]), 'document')}")
        for topic in shortest
    )
    below = {str(cutoff): count for cutoff, count in short.items()}
    report.add("shorter-than-cutoff", len(shortest), message, names, topics_below=below)

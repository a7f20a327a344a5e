"""One chunk of a run, and what its lines say by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ids import Ids, equal
from pres_eval.arrays.ordering import changes
from pres_eval.arrays.types import AnyInts, IntArray
from pres_eval.checking.blocks import NO_NUMBER, CheckedRows
from pres_eval.checking.findings import Example, FileReport
from pres_eval.errors import quoted
from pres_eval.ranking.facts import TAG
from pres_eval.ranking.opening import RANK
from pres_eval.reading.lines import Lines
from pres_eval.reading.numbers import read_whole_number, read_whole_numbers

SCORE = 4

_MANY = 64
"""Changes of an id in a chunk above which equal ids are looked for with hashes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """A column of ids of `size` rows: the distinct ones, and which of them the rows from `starts` on have."""

    ids: list[bytes]
    which: IntArray
    starts: IntArray
    size: int

    def of_rows(self) -> IntArray:
        """(size,) which of the ids each row has."""
        return np.repeat(self.which, self._lengths())

    def counts(self) -> IntArray:
        """Count the rows of each id."""
        return np.bincount(self.which, self._lengths(), len(self.ids)).astype(np.int64)

    def _lengths(self) -> IntArray:
        return np.diff(self.starts, append=self.size)


@dataclass(frozen=True, eq=False)
class CheckedPart:
    """One chunk of a run, and what was found in it; its rows if its topics were not checked."""

    report: FileReport
    topics: Segments
    tags: dict[bytes, tuple[int, int]]
    rows: CheckedRows | None


def check_columns(report: FileReport, lines: Lines) -> AnyInts:
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
            return Segments(list(heads.take(first[order])), place[which], starts, len(ids))
    numbers: dict[bytes, int] = {}
    which = np.array([numbers.setdefault(i, len(numbers)) for i in heads], np.int64)
    return Segments(list(numbers), which, starts, len(ids))


def tags_of(lines: Lines) -> dict[bytes, tuple[int, int]]:
    """The tags of a chunk: how many rows each has, and its first line."""
    segments = segments_of(lines.column(TAG))
    first = segments.starts[np.unique(segments.which, return_index=True)[1]]
    places = zip(segments.counts().tolist(), (lines.line_of(first) + 1).tolist(), strict=True)
    return dict(zip(segments.ids, places, strict=True))

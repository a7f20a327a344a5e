"""Checks of some whole topics of a run: order, ranks against scores, ties.

A run is looked at some topics at a time, for the cache, and for threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pres_eval.arrays import ragged
from pres_eval.arrays.ids import stable_order
from pres_eval.arrays.matching import match_keys
from pres_eval.arrays.types import BoolArray, FloatArray, IntArray, Words
from pres_eval.checking.columns import NO_NUMBER, AnyArray, Columns, Part, Rows, changed
from pres_eval.checking.findings import Example, FileReport
from pres_eval.errors import quoted

_NO_KEYS = np.zeros(0, np.uint64)

LineOf = Callable[[IntArray], IntArray]


@dataclass(frozen=True, eq=False)
class Block:
    """Some topics of a run, their rows topic after topic, in the order of the file inside of each.

    topics   the ids of all topics
    offsets  where each topic's rows begin
    topic_of, scores, ranks, keys
             of each row; the topic as an index of `topics`
    lines    the lines of rows
    """

    topics: Sequence[bytes]
    offsets: IntArray
    topic_of: AnyArray
    scores: FloatArray
    ranks: AnyArray
    keys: Words
    lines: LineOf

    def name(self, place: int) -> str:
        """The topic that a row is of, for a message."""
        return quoted(self.topics[int(self.topic_of[place])])

    def line(self, place: int) -> int:
        """The line of a row."""
        return int(self.lines(np.array([place]))[0])

    def first_of_topics(self, places: IntArray) -> IntArray:
        """Of ascending places the first in each topic."""
        return places[changed(self.topic_of[places])]

    def in_topics(self, places: IntArray) -> IntArray:
        """All places of the topics to which these places belong."""
        chosen = np.zeros(len(self.topics), np.bool_)
        chosen[self.topic_of[places]] = True
        return np.flatnonzero(chosen[self.topic_of])


def blocks(columns: Columns, rows: Rows) -> Iterator[Block]:
    """A run in blocks of whole topics."""
    offsets = np.concatenate(([0], np.cumsum(columns.lengths)))
    together = len(columns.segments) == len(columns.topics)
    order = np.arange(len(rows)) if together else stable_order(rows.topic, len(columns.topics))
    for first, last in ragged.blocks(offsets):
        chosen = order[int(offsets[first]) : int(offsets[last])]
        lines = partial(_lines_of_chosen, columns, chosen)
        yield Block(
            columns.topics,
            offsets[first : last + 1] - offsets[first],
            rows.topic[chosen],
            rows.numbers[chosen],
            rows.ranks[chosen],
            rows.keys[chosen],
            lines,
        )


def _lines_of_chosen(columns: Columns, chosen: IntArray, places: IntArray) -> IntArray:
    return columns.line_of(chosen[places])


def block_of(part: Part) -> Block:
    """A chunk that holds whole topics, each in one place."""
    assert part.rows is not None
    rows = part.rows
    offsets = np.concatenate(([0], np.cumsum(part.lengths)))
    return Block(part.topics.ids, offsets, rows.topic, rows.numbers, rows.ranks, rows.keys, part.line_of)


def check_block(block: Block, cutoffs: Sequence[int], most: int) -> FileReport:
    """All checks of some topics; ties are counted by what of them there is."""
    report = FileReport("", "run", most)
    same_topic = block.topic_of[1:] == block.topic_of[:-1]
    rises = (block.scores[1:] > block.scores[:-1]) & same_topic
    _check_order(report, block, rises)
    _check_ranks(report, block, np.flatnonzero(rises | ((block.ranks[1:] <= block.ranks[:-1]) & same_topic)))
    _check_ties(report, block, _descending(block, rises), same_topic, cutoffs)
    repeats, _, _ = match_keys(block.keys, _NO_KEYS)
    report.counts["duplicate", "keys"] = len(repeats)
    return report


def _check_order(report: FileReport, block: Block, rises: BoolArray) -> None:
    places = block.first_of_topics(np.flatnonzero(rises))

    def examples() -> Iterator[Example]:
        for place in places.tolist():
            scores = f"score {block.scores[place + 1]!s} after {block.scores[place]!s}"
            yield Example(block.line(place + 1), f"topic {block.name(place)}: {scores}")

    report.add("unsorted", len(places), "", examples())


def _check_ranks(report: FileReport, block: Block, suspects: IntArray) -> None:
    """Whether a document with a larger rank has a larger score, in the topics of the suspects."""
    report.add("ranks-from-0", len(block.first_of_topics(np.flatnonzero(block.ranks == 0))))
    places = block.in_topics(suspects)
    places = places[block.ranks[places] != NO_NUMBER]
    if not len(places):
        return
    places = places[np.lexsort((block.scores[places], block.ranks[places], block.topic_of[places]))]
    topic, rank, score = block.topic_of[places], block.ranks[places], block.scores[places]
    # Rows with the same rank stand from the least score to the largest: they don't say which is first.
    new = changed(topic)
    new[1:] |= rank[1:] != rank[:-1]
    least = np.flatnonzero(new)
    largest = np.append(least[1:], len(places)) - 1
    wrong = (topic[least[1:]] == topic[least[:-1]]) & (score[largest[1:]] > score[least[:-1]])
    first = np.flatnonzero(wrong)
    first = first[changed(topic[least[first]])]

    def examples() -> Iterator[Example]:
        for number in first.tolist():
            before, after = int(least[number]), int(largest[number + 1])
            one = f"rank {rank[after]} has score {score[after]!s}"
            other = f"rank {rank[before]} has {score[before]!s} (line {block.line(int(places[before]))})"
            place = int(places[after])
            yield Example(block.line(place), f"topic {block.name(place)}: {one}, {other}")

    report.add("rank-disagrees", len(first), "", examples())


def _descending(block: Block, rises: BoolArray) -> FloatArray:
    """The scores, sorted in the topics in which they are not."""
    places = block.in_topics(np.flatnonzero(rises))
    if not len(places):
        return block.scores
    order = np.lexsort((-block.scores[places], block.topic_of[places]))
    scores = block.scores.copy()
    scores[places] = scores[places[order]]
    return scores


def _check_ties(
    report: FileReport, block: Block, scores: FloatArray, same_topic: BoolArray, cutoffs: Sequence[int]
) -> None:
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    equal_single = (single[1:] == single[:-1]) & same_topic
    if not equal_single.any():
        return
    equal_scores = (scores[1:] == scores[:-1]) & same_topic
    _tell_ties(report, block, "ties", scores, equal_scores, cutoffs=cutoffs)
    only_single = equal_single & ~equal_scores
    if only_single.any():
        # Different scores that are one number in 32 bits: those at either side of such a boundary.
        equal, only = np.flatnonzero(equal_single), np.flatnonzero(only_single)
        group = np.cumsum(np.diff(equal, prepend=-1) != 1)[np.searchsorted(equal, only)]
        report.counts["float32-ties", "scores"] = len(only) + int(np.count_nonzero(changed(group)))
        _tell_ties(report, block, "float32-ties", scores, only_single, cutoffs=cutoffs)


def _tell_ties(
    report: FileReport,
    block: Block,
    kind: str,
    scores: FloatArray,
    equal_next: BoolArray,
    *,
    cutoffs: Sequence[int],
) -> None:
    tied = np.concatenate((equal_next, [False])) | np.concatenate(([False], equal_next))
    report.counts[kind, "documents"] = int(np.count_nonzero(tied))
    for cutoff in cutoffs:
        ends = block.offsets[:-1][np.diff(block.offsets) > cutoff] + cutoff - 1
        report.counts[kind, str(cutoff)] = int(np.count_nonzero(equal_next[ends]))
    places = block.first_of_topics(np.flatnonzero(equal_next))

    def examples() -> Iterator[Example]:
        starts = block.offsets[np.searchsorted(block.offsets, places, side="right") - 1]
        for place, start in zip(places.tolist(), starts.tolist(), strict=True):
            pair = f"{scores[place]!s}" if kind == "ties" else f"{scores[place]!s} and {scores[place + 1]!s}"
            ranks = f"ranks {place - start + 1} and {place - start + 2}"
            yield Example(None, f"topic {block.name(place)}: score {pair} at {ranks}")

    report.add(kind, len(places), "", examples())

"""Checks that a run alone allows: duplicates, ties, ranks against scores, order, length, tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.batch import BoolArray, FloatArray, IntArray
from pres_eval.checking.columns import NO_RANK, Columns
from pres_eval.checking.findings import Example, FileReport, plural
from pres_eval.checking.lines import some, texts_at
from pres_eval.errors import quoted
from pres_eval.reading.keys import equal
from pres_eval.reading.source import Source
from pres_eval.report.text import text_of

DOCNO = 2
CUTOFFS_THAT_MATTER = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""The cutoffs of the official measures; those of PRES come on top."""


@dataclass(frozen=True, eq=False)
class Topics:
    """The rows of a run by topic, in the order of the file inside of each.

    rows      (R,) the rows, topic after topic; None if they stand so
    offsets   (T+1,) where each topic's rows begin
    scores, ranks, topic_of
              (R,) in that order
    """

    columns: Columns
    rows: IntArray | None
    offsets: IntArray
    scores: FloatArray
    topic_of: IntArray

    @property
    def lengths(self) -> IntArray:
        """(T,) rows of each topic."""
        return np.diff(self.offsets)

    def name(self, topic: int) -> str:
        """A topic's id for a message."""
        return quoted(self.columns.topics[topic])

    def line(self, place: int) -> int:
        """The line of the row that stands at a place of this order."""
        row = place if self.rows is None else int(self.rows[place])
        return int(self.columns.line_of(np.array([row]))[0])

    def count(self, inside: BoolArray) -> tuple[int, IntArray]:
        """How many topics have a True at a pair of neighbours, and the first such pair of each."""
        places = np.flatnonzero(inside)
        topics, first = np.unique(self.topic_of[places], return_index=True)
        return len(topics), places[first]


def by_topic(columns: Columns) -> Topics:
    """The rows of a run, gathered by topic."""
    lengths = np.bincount(columns.topic, minlength=len(columns.topics))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    scores = columns.numbers.astype(np.float64, copy=False)
    if len(columns.segments) == len(columns.topics):
        return Topics(columns, None, offsets, scores, columns.topic)
    rows = np.argsort(columns.topic, kind="stable")
    return Topics(columns, rows, offsets, scores[rows], columns.topic[rows])


def check_run(
    report: FileReport, columns: Columns, source: Source, asked: Sequence[int], default: Sequence[int]
) -> None:
    """All checks of a run; `asked` and `default` are cutoffs that it should reach."""
    topics = by_topic(columns)
    lengths = topics.lengths
    report.facts |= {
        "tags": {text_of(tag): count for tag, (count, _) in columns.tags.items()},
        "lines": columns.num_lines,
        "documents": len(columns),
        "negative_scores": int(np.count_nonzero(topics.scores < 0)),
        "topics": len(columns.topics),
        "documents_per_topic": [int(lengths.min()), int(lengths.max())] if len(lengths) else [0, 0],
    }
    check_order_of_topics(report, columns)
    _check_tags(report, columns)
    check_duplicates(report, columns, source, 6)
    same_topic = topics.topic_of[1:] == topics.topic_of[:-1]
    rises = (topics.scores[1:] > topics.scores[:-1]) & same_topic
    count, places = topics.count(rises)
    report.add("unsorted", count, "", (_pair(topics, place) for place in places.tolist()))
    _check_ranks(report, topics, rises, same_topic)
    _check_ties(report, topics, rises, same_topic, sorted({*CUTOFFS_THAT_MATTER, *asked, *default}))
    for kind, cutoffs in (("shorter-than-cutoff", asked), ("shorter-than-default-cutoff", default)):
        _check_length(report, topics, kind, cutoffs)


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
    """Documents that a topic has twice; `width` is the number of columns in the file."""
    keys = np.sort(columns.keys)
    if not (keys[1:] == keys[:-1]).any():
        return
    order = np.argsort(columns.keys, kind="stable")
    new = np.concatenate(([True], columns.keys[order][1:] != columns.keys[order][:-1]))
    first = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    again, first = order[~new], first[~new]
    in_file = np.argsort(again)
    again, first = again[in_file], first[in_file]
    wanted = np.unique(np.concatenate((again, first)))
    lines = columns.line_of(wanted)
    texts = texts_at(source, width, DOCNO, lines - 1)
    if texts is None:
        return
    ids = texts.ids(slice(None))
    place, first_place = np.searchsorted(wanted, again), np.searchsorted(wanted, first)
    same = equal(ids.take(place), ids.take(first_place)) & (columns.topic[again] == columns.topic[first])
    count = int(np.count_nonzero(same))

    def examples() -> Iterator[Example]:
        for number in np.flatnonzero(same).tolist():
            topic = quoted(columns.topics[columns.topic[again[number]]])
            where = f"first in line {lines[first_place[number]]}"
            yield Example(
                int(lines[place[number]]),
                f"topic {topic}, document {quoted(ids[int(place[number])])} again ({where})",
            )

    report.add("duplicate", count, "", examples(), topics=len(np.unique(columns.topic[again[same]])))


def _pair(topics: Topics, place: int) -> Example:
    name = topics.name(int(topics.topic_of[place]))
    scores = f"score {topics.scores[place + 1]!s} after {topics.scores[place]!s}"
    return Example(topics.line(place + 1), f"topic {name}: {scores}")


def _check_ranks(report: FileReport, topics: Topics, rises: BoolArray, same_topic: BoolArray) -> None:
    """Whether a document with a larger rank has a larger score."""
    ranks = topics.columns.ranks
    if ranks is None or not len(ranks):
        return
    ranks = ranks if topics.rows is None else ranks[topics.rows]
    zero = np.unique(topics.topic_of[ranks == 0])
    report.add("ranks-from-0", len(zero), plural(len(zero), "topic"))
    suspects = rises | ((ranks[1:] <= ranks[:-1]) & same_topic)
    chosen = np.zeros(len(topics.lengths), np.bool_)
    chosen[topics.topic_of[:-1][suspects]] = True
    places = np.flatnonzero(chosen[topics.topic_of] & (ranks != NO_RANK))
    if not len(places):
        return
    places = places[np.lexsort((topics.scores[places], ranks[places], topics.topic_of[places]))]
    topic, rank, score = topics.topic_of[places], ranks[places], topics.scores[places]
    # Rows with the same rank stand from the least score to the largest: they don't say which is first.
    edges = np.flatnonzero((topic[1:] != topic[:-1]) | (rank[1:] != rank[:-1]))
    least, largest = np.concatenate(([0], edges + 1)), np.concatenate((edges, [len(places) - 1]))
    wrong = np.flatnonzero((topic[least[1:]] == topic[least[:-1]]) & (score[largest[1:]] > score[least[:-1]]))
    wrong_topics, first = np.unique(topic[least[wrong]], return_index=True)

    def examples() -> Iterator[Example]:
        for number in wrong[first].tolist():
            before, after = int(least[number]), int(largest[number + 1])
            one = f"rank {rank[after]} has score {score[after]!s}"
            other = f"rank {rank[before]} has {score[before]!s} (line {topics.line(int(places[before]))})"
            name = topics.name(int(topic[before]))
            yield Example(topics.line(int(places[after])), f"topic {name}: {one}, {other}")

    report.add("rank-disagrees", len(wrong_topics), plural(len(wrong_topics), "topic"), examples())


def _check_ties(
    report: FileReport, topics: Topics, rises: BoolArray, same_topic: BoolArray, cutoffs: Sequence[int]
) -> None:
    scores = _descending(topics, rises)
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    equal_scores = (scores[1:] == scores[:-1]) & same_topic
    equal_single = (single[1:] == single[:-1]) & same_topic
    _tell_ties(report, topics, "ties", equal_next=equal_scores, values=scores, cutoffs=cutoffs)
    only_single = equal_single & ~equal_scores
    if only_single.any():
        # Different scores that are one number in 32 bits: those at either side of such a boundary.
        groups = len(np.unique(np.cumsum(~equal_single)[only_single]))
        count = int(np.count_nonzero(only_single)) + groups
        _tell_ties(
            report,
            topics,
            "float32-ties",
            equal_next=only_single,
            values=scores,
            cutoffs=cutoffs,
            scores=count,
        )


def _descending(topics: Topics, rises: BoolArray) -> FloatArray:
    """The scores, sorted in the topics in which they are not."""
    if not rises.any():
        return topics.scores
    chosen = np.zeros(len(topics.lengths), np.bool_)
    chosen[topics.topic_of[:-1][rises]] = True
    places = np.flatnonzero(chosen[topics.topic_of])
    order = np.lexsort((-topics.scores[places], topics.topic_of[places]))
    scores = topics.scores.copy()
    scores[places] = scores[places[order]]
    return scores


def _tell_ties(
    report: FileReport,
    topics: Topics,
    kind: str,
    *,
    equal_next: BoolArray,
    values: FloatArray,
    cutoffs: Sequence[int],
    **details: int,
) -> None:
    count, places = topics.count(equal_next)
    if not count:
        return
    tied = np.concatenate((equal_next, [False])) | np.concatenate(([False], equal_next))
    documents = int(np.count_nonzero(tied))
    at_cutoffs = {}
    for cutoff in cutoffs:
        ends = topics.offsets[:-1][topics.lengths > cutoff] + cutoff - 1
        if len(ends) and (torn := int(np.count_nonzero(equal_next[ends]))):
            at_cutoffs[str(cutoff)] = torn
    number = details.get("scores", documents)
    message = f"{plural(number, 'score' if 'scores' in details else 'document')} in {plural(count, 'topic')}"
    if at_cutoffs:
        message += "; across cutoff " + ", ".join(
            f"{k} in {plural(n, 'topic')}" for k, n in at_cutoffs.items()
        )

    def examples() -> Iterator[Example]:
        for place in places.tolist():
            topic = int(topics.topic_of[place])
            rank = place - int(topics.offsets[topic]) + 1
            pair = f"{values[place]!s}" if kind == "ties" else f"{values[place]!s} and {values[place + 1]!s}"
            yield Example(None, f"topic {topics.name(topic)}: score {pair} at ranks {rank} and {rank + 1}")

    report.add(
        kind, count, message, examples(), topics=count, documents=documents, at_cutoffs=at_cutoffs, **details
    )


def _check_length(report: FileReport, topics: Topics, kind: str, cutoffs: Sequence[int]) -> None:
    lengths = topics.lengths
    short = {cutoff: int(np.count_nonzero(lengths < cutoff)) for cutoff in sorted(cutoffs)}
    short = {cutoff: count for cutoff, count in short.items() if count}
    if not short:
        return
    message = ", ".join(f"{plural(count, 'topic')} below {cutoff}" for cutoff, count in short.items())
    shortest = np.flatnonzero(lengths < max(short))
    names = (
        Example(None, f"topic {topics.name(t)} has {plural(int(lengths[t]), 'document')}")
        for t in shortest.tolist()
    )
    report.add(kind, len(shortest), message, names, topics_below={str(k): n for k, n in short.items()})


def list_of(ids: Sequence[bytes], most: int = 5) -> str:
    """Some ids for a message."""
    return some((quoted(i) for i in ids), most)

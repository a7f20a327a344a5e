"""The order of a ranking: score descending, ties by docno descending; the only place with the tie rule.

For preferences alone, ties go by docno ascending: trec_eval's form_prefs_counts.c compares the other way
round than its form_res_rels.c.
Only the ranks of judged documents are wanted.  When the scores of a topic descend as they stand in the file,
as they nearly always do, a document's rank is its place.  Otherwise the topic's scores are sorted, and docnos
are compared only in groups of equal scores that hold a judged document.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import Growing, narrow
from pres_eval.arrays.ids import WordIds, byte_order
from pres_eval.arrays.matching import match
from pres_eval.arrays.ragged import blocks, ragged
from pres_eval.arrays.types import AnyInts, IntArray
from pres_eval.reading.pool import Pool

Segments = NDArray[np.int32]
Scores = NDArray[np.float64] | NDArray[np.float32]


FEW = 8
"""Wanted places in a group of equal scores up to which each is compared with all others there."""


class DuplicateRowError(Exception):
    """A document that a topic has twice."""

    def __init__(self, topic: bytes, document: bytes) -> None:
        super().__init__(topic, document)
        self.topic = topic
        self.document = document


@dataclass(frozen=True, eq=False)
class Ranked:
    """S topics of a run, of which only the D judged documents are kept.

    topic           (S,) indices of the pool's topics
    num_ret         (S,) documents retrieved
    offsets         (S+1,) where each topic's documents begin
    rank, document  (D,) ranks from 1, in rank order; indices of the pool's documents; both in as few bytes
                    as the largest needs
    """

    topic: IntArray
    num_ret: IntArray
    offsets: IntArray
    rank: AnyInts
    document: AnyInts


def rank_topics(
    pool: Pool,
    topic: IntArray,
    offsets: IntArray,
    scores: Scores,
    ids: WordIds,
    most: int | None = None,
    *,
    ascending: bool = False,
) -> Ranked:
    """Rank S whole topics: rows offsets[i] ... offsets[i+1]-1 are those of pool topic topic[i].

    `ascending`: equal scores go by docno ascending, not descending.
    Raises DuplicateRowError if a topic has a document twice; trec_eval: not when -M cuts all but one off.
    """
    lengths = np.diff(offsets)
    segment = np.broadcast_to(np.int32(0), len(scores))  # takes no memory
    if len(topic) > 1:
        segment = np.repeat(np.arange(len(topic), dtype=np.int32), lengths)
    num_judged, judged = pool.documents_of(topic)
    found = match(lengths, ids, num_judged, pool.documents.pick(judged))
    for copies in _copies(found.repeats, found.first):
        which = int(segment[copies[0]])
        others = slice(int(offsets[which]), int(offsets[which + 1]))
        if most is None or _second_rank(copies, others, scores, ids, ascending) <= most:
            raise DuplicateRowError(pool.topics[int(topic[which])], ids[copies[0]])
    rows = found.rows
    document = found.wanted + judged.start if isinstance(judged, slice) else judged[found.wanted]
    segment_of = segment[rows]
    places = _places(segment, offsets, scores, ids, rows, ascending)
    if places is not rows:
        order = np.argsort(places, kind="stable")  # topics keep their places; fast where most are in order
        places, document = places[order], document[order]
    rank = places - offsets[segment_of] + 1
    counts = np.bincount(segment_of, minlength=len(topic))
    return Ranked(topic, lengths, np.concatenate(([0], np.cumsum(counts))), narrow(rank), narrow(document))


def _places(
    segment: Segments, offsets: IntArray, scores: Scores, ids: WordIds, judged: IntArray, ascending: bool
) -> IntArray:
    """Where the judged rows stand when all rows are sorted; the same array if that is where they are."""
    rising = np.flatnonzero(scores[1:] > scores[:-1])
    rising = rising[segment[rising] == segment[rising + 1]]
    if not len(rising):
        return _untied(segment, scores, ids, None, judged, ascending)
    unsorted, has_judged = np.zeros(len(offsets) - 1, np.bool_), np.zeros(len(offsets) - 1, np.bool_)
    unsorted[segment[rising]] = True
    has_judged[segment[judged]] = True
    members = np.flatnonzero((unsorted & has_judged)[segment])
    moved = unsorted[segment[judged]]
    places = judged.copy()
    places[~moved] = _untied(segment, scores, ids, None, judged[~moved], ascending)
    order = np.lexsort((-scores[members], segment[members]))
    place = np.empty(len(members), np.int64)
    place[order] = np.arange(len(members))
    in_order = members[order]
    wanted = place[np.searchsorted(members, judged[moved])]
    found = _untied(segment[members], scores[in_order], ids, in_order, wanted, ascending)
    places[moved] = members[found]
    return places


def _untied(
    segment: Segments,
    scores: Scores,
    ids: WordIds,
    rows: IntArray | None,
    wanted: IntArray,
    ascending: bool,
) -> IntArray:
    """Where the wanted ones of sorted places come to stand when equal scores go by docno.

    `rows`: the row of the ids at each place, None if these are the same.
    """
    equal = np.flatnonzero(scores[1:] == scores[:-1])
    equal = equal[segment[equal] == segment[equal + 1]]
    if not len(equal):
        return wanted
    has_equal = np.zeros(len(scores), np.bool_)
    has_equal[equal] = has_equal[equal + 1] = True
    tied = np.flatnonzero(has_equal[wanted])
    if not len(tied):
        return wanted
    breaks = np.flatnonzero(np.diff(equal) != 1)
    starts = equal[np.concatenate(([0], breaks + 1))]
    sizes = equal[np.concatenate((breaks, [len(equal) - 1]))] + 2 - starts
    group = np.searchsorted(starts, wanted[tied], side="right") - 1
    moved = wanted.copy()
    if sizes[group].sum() <= FEW * len(scores) and not len(ids.long_rows):
        moved[tied] = _counted(starts[group], sizes[group], ids, rows, wanted[tied], ascending)
    else:
        moved[tied] = _sorted(starts, sizes, group, ids, rows, wanted[tied], ascending)
    return moved


def _counted(
    starts: IntArray, sizes: IntArray, ids: WordIds, rows: IntArray | None, tied: IntArray, ascending: bool
) -> IntArray:
    """New places in groups of equal scores: as many others stand before as have such a docno."""
    before = np.empty(len(tied), np.int64)
    for first, last in blocks(np.concatenate(([0], np.cumsum(sizes)))):
        places, begins = ragged(starts[first:last], sizes[first:last])
        own = np.repeat(tied[first:last], sizes[first:last])
        after, same = ids.compare(*((places, own) if rows is None else (rows[places], rows[own])))
        # A document that stands twice (see -M) has two places.
        comes_before = (~(after | same) if ascending else after) | (same & (places < own))
        before[first:last] = np.add.reduceat(comes_before, begins[:-1], dtype=np.int64)
    return starts + before


def _sorted(
    starts: IntArray,
    sizes: IntArray,
    group: IntArray,
    ids: WordIds,
    rows: IntArray | None,
    tied: IntArray,
    ascending: bool,
) -> IntArray:
    """New places in groups of equal scores, of which all docnos are sorted."""
    has_tied = np.zeros(len(starts), np.bool_)
    has_tied[group] = True
    groups = np.flatnonzero(has_tied)
    places, begins = ragged(starts[groups], sizes[groups])
    number = np.repeat(np.arange(len(groups)), sizes[groups])
    texts = ids.take(places if rows is None else rows[places])
    # Turned round, the numbers of the groups rise again while docnos descend.
    by_docno = byte_order(texts, number) if ascending else byte_order(texts, len(groups) - number)[::-1]
    new: IntArray = np.empty_like(places)
    new[by_docno] = places
    own = np.cumsum(has_tied)[group] - 1
    found: IntArray = new[begins[own] + tied - starts[group]]
    return found


def _copies(repeats: IntArray, first: IntArray) -> list[list[int]]:
    """The rows of each document that stands more than once, by the place of the second."""
    copies: dict[int, list[int]] = {}
    for row, before in zip(repeats.tolist(), first.tolist(), strict=True):
        copies.setdefault(before, [before]).append(row)
    return list(copies.values())


def _second_rank(copies: list[int], others: slice, scores: Scores, ids: WordIds, ascending: bool) -> int:
    """The rank of the second best row of a document, in its topic's rows."""
    best, second = sorted((float(scores[row]) for row in copies), reverse=True)[:2]
    document = ids[copies[0]]
    rank = 1 + int(np.count_nonzero(scores[others] > second)) + (best == second)
    for row in (np.flatnonzero(scores[others] == second) + others.start).tolist():
        rank += ids[row] < document if ascending else ids[row] > document
    return rank


class Topics:
    """Collects what was ranked."""

    def __init__(self) -> None:
        self._topic, self._num_ret, self._counts = Growing(np.int64), Growing(np.int64), Growing(np.int64)
        self._rank, self._document = Growing(np.int8), Growing(np.int8)

    def add(self, part: Ranked) -> None:
        """Keep some more topics; none may stand in two parts."""
        self._topic.append(part.topic)
        self._num_ret.append(part.num_ret)
        self._counts.append(np.diff(part.offsets))
        self._rank.append(part.rank)
        self._document.append(part.document)

    def ranked(self) -> Ranked:
        """All topics, in the pool's order."""
        topic, num_ret, lengths = self._topic.values(), self._num_ret.values(), self._counts.values()
        rank, document = self._rank.values(), self._document.values()
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        if (topic[1:] < topic[:-1]).any():
            order = np.argsort(topic, kind="stable")
            rows, offsets = ragged(offsets[:-1][order], lengths[order])
            topic, num_ret, rank, document = topic[order], num_ret[order], rank[rows], document[rows]
        return Ranked(topic, num_ret, offsets, rank, document)

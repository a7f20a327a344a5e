"""Ranks of documents that were found already, by counting higher scores: ids are looked at in ties alone.

A dict or an array of numbers finds its judged documents faster than by the text of every id.  What is left
is to know how many scores are higher; the scores of a topic are sorted, and each judged one is looked up.
Groups of equal scores that hold a judged document go to `rank_topics`, which has the tie rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ragged import blocks
from pres_eval.arrays.types import FloatArray, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.ranking.order import rank_topics
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties
from pres_eval.reading.pool import Pool

MANY = 4
"""Where one row in MANY is judged, sorting them all is faster than looking each up among sorted keys."""

_SIGN = np.uint32(1 << 31)
_SEGMENT = np.uint64(32)


@dataclass(frozen=True, eq=False)
class Found:
    """S topics of a run with N rows, in which D judged documents were found; no topic has a document twice.

    topic             (S,) indices of the pool's topics
    offsets           (S+1,) where each topic's rows begin
    scores            (N,) none of them nan
    segment           (D,) which of the S topics each judged document belongs to, ascending
    score             (D,) its score, which is that of its row
    document          (D,) its index in the pool
    row               (D,) its row, ascending; None where that is not known
    """

    topic: IntArray
    offsets: IntArray
    scores: Scores
    segment: IntArray
    score: Scores
    document: IntArray
    row: IntArray | None = None


def rank_found(
    pool: Pool, found: Found, ids_at: Callable[[IntArray], WordIds], *, ascending: bool = False
) -> Iterator[Ranked]:
    """Rank the judged documents, some topics at a time.

    `ids_at` gives the ids of rows (n,), and is asked only where scores tie.
    """
    for first, last in blocks(found.offsets):
        yield _rank_block(pool, found, first, last, ids_at, ascending)


def _rank_block(
    pool: Pool, found: Found, first: int, last: int, ids_at: Callable[[IntArray], WordIds], ascending: bool
) -> Ranked:
    """The ranks of topics first ... last-1 of what was found, of which the judged ones stay (D,)."""
    offsets = found.offsets[first : last + 1]
    begin = int(offsets[0])
    offsets = offsets - begin
    judged = slice(*found.segment.searchsorted((first, last)).tolist())
    block = Found(
        topic=found.topic[first:last],
        offsets=offsets,
        scores=found.scores[begin : begin + int(offsets[-1])],
        segment=found.segment[judged] - first,
        score=found.score[judged],
        document=found.document[judged],
        row=None if found.row is None else found.row[judged] - begin,
    )
    place, ties = _places_in_order(block), NO_TIES
    if place is None:
        block, place, ties = _count(pool, block, lambda rows: ids_at(rows + begin), ascending)
    elif (place[1:] < place[:-1]).any():
        order = np.argsort(place)
        block, place = _only(block, order), place[order]
    return Ranked(
        topic=block.topic,
        num_ret=offsets[1:] - offsets[:-1],
        offsets=block.segment.searchsorted(np.arange(last - first + 1)),
        rank=narrow(place - offsets[block.segment] + 1),
        document=narrow(block.document),
        ties=ties,
    )


def _places_in_order(found: Found) -> IntArray | None:
    """(D,) the place of each judged document if the scores of each topic descend, so that a row is a place.

    None if they don't, or if one of these documents shares its score with a neighbour.
    """
    scores, offsets = found.scores, found.offsets
    falls = scores[1:] < scores[:-1]
    begins = offsets[1:-1]
    falls[begins[(begins > 0) & (begins < len(scores))] - 1] = True
    others = np.flatnonzero(~falls)
    if (scores[others + 1] > scores[others]).any():
        return None
    row = _search(found) if found.row is None else found.row
    if len(others):
        above, below = row[row > offsets[found.segment]], row[row + 1 < offsets[found.segment + 1]]
        if (scores[above] == scores[above - 1]).any() or (scores[below] == scores[below + 1]).any():
            return None
    return row


def _search(found: Found) -> IntArray:
    """(D,) the first row that has the score of each judged document, in topics whose scores descend.

    All are looked for at once, halving the rows of the topic that are left: faster than to make keys of all.
    """
    first, last = found.offsets[found.segment], found.offsets[found.segment + 1] - 1
    for _ in range(int((last - first).max(initial=0)).bit_length()):
        middle = (first + last) >> 1
        higher = found.scores[middle] > found.score
        first = np.where(higher, middle + 1, first)
        last = np.where(higher, last, middle)
    return first


def _count(
    pool: Pool, found: Found, ids_at: Callable[[IntArray], WordIds], ascending: bool
) -> tuple[Found, IntArray, Ties]:
    """The judged documents in rank order, the place (D,) of each from the first row on, and the ties."""
    keys, wanted = _keys(found)
    if found.row is not None and MANY * len(found.row) >= len(keys):
        order, place, ordered = _sort(found.row, keys)
    else:
        order = np.argsort(wanted, kind="stable")
        ordered = keys if (keys[1:] >= keys[:-1]).all() else np.sort(keys)
        place = ordered.searchsorted(wanted[order])
    found, wanted = _only(found, order), wanted[order]
    # Where the next key is the same, other documents have the score too.
    tied = ordered[np.minimum(place + 1, len(ordered) - 1)] == wanted
    rows = np.flatnonzero(tied & (place + 1 < len(ordered)))
    if not len(rows):
        return found, place, NO_TIES
    size = ordered.searchsorted(wanted[rows], side="right") - place[rows]
    ties = Ties(rows, place[rows] - found.offsets[found.segment[rows]] + 1, size)
    # Group after group, as the keys are, and in rank order inside of each.
    document, place = found.document.copy(), place.copy()
    document[rows], ranks = _break_ties(pool, found.topic, keys, wanted[rows], ids_at, ascending)
    place[rows] += ranks - 1
    return replace(found, document=document), place, ties


def _sort(row: IntArray, keys: Words) -> tuple[IntArray, IntArray, Words]:
    """The judged documents by key: which they are (D,), where equal keys begin (D,), and all keys (N,)."""
    by_key = np.argsort(keys)
    number = np.full(len(keys), -1)
    number[row] = np.arange(len(row))
    number, ordered = number[by_key], keys[by_key]
    place = np.flatnonzero(number >= 0)
    order = number[place]
    same = ordered[1:] == ordered[:-1]
    if same.any():
        begins = np.arange(len(keys))
        begins[1:][same] = 0
        place = np.maximum.accumulate(begins)[place]
    return order, place, ordered


def _only(found: Found, order: IntArray) -> Found:
    """The same with its judged documents in another order (D,)."""
    return replace(
        found,
        segment=found.segment[order],
        score=found.score[order],
        document=found.document[order],
        row=None if found.row is None else found.row[order],
    )


def _break_ties(
    pool: Pool,
    topic: IntArray,
    keys: Words,
    tied: Words,
    ids_at: Callable[[IntArray], WordIds],
    ascending: bool,
) -> tuple[IntArray, IntArray]:
    """(E,) the judged documents of groups of equal keys, group by group, and (E,) their ranks in it."""
    groups = np.sort(tied)
    groups = groups[np.concatenate(([True], groups[1:] != groups[:-1]))]
    where = np.minimum(np.searchsorted(groups, keys), len(groups) - 1)
    rows = np.flatnonzero(groups[where] == keys)
    rows = rows[np.argsort(where[rows], kind="stable")]
    sizes = np.bincount(where[rows], minlength=len(groups))
    ranked = rank_topics(
        pool,
        topic[(groups >> _SEGMENT).astype(np.int64)],
        np.concatenate(([0], np.cumsum(sizes))),
        np.zeros(len(rows)),
        ids_at(rows),
        ascending=ascending,
    )
    return ranked.document.astype(np.int64), ranked.rank.astype(np.int64)


def _keys(found: Found) -> tuple[Words, Words]:
    """(N,) keys of all rows and (D,) of the judged: a smaller key is an earlier topic or a higher score."""
    if found.scores.dtype == np.float32:
        rows, judged = (
            _descending(scores.astype(np.float32, copy=False)) for scores in (found.scores, found.score)
        )
    else:
        distinct = np.unique(found.scores.astype(np.float64, copy=False))
        rows, judged = _places(distinct, found.scores), _places(distinct, found.score)
    upper = np.arange(len(found.topic), dtype=np.uint64) << _SEGMENT
    return np.repeat(upper, found.offsets[1:] - found.offsets[:-1]) | rows, upper[found.segment] | judged


def _descending(scores: NDArray[np.float32]) -> Words:
    """(n,) whole numbers below 2**32 that are the smaller the higher the score."""
    # Bits of positive floats ascend with them, those of negative ones descend; 0.0 + -0.0 is 0.0.
    bits = (scores + np.float32(0.0)).view(np.uint32)
    return np.where(bits & _SIGN, bits, ~bits & ~_SIGN).astype(np.uint64)


def _places(distinct: FloatArray, scores: Scores) -> Words:
    """(N,) the place of each score among the (U,) distinct ones, which ascend: 0 is the highest."""
    return (len(distinct) - 1 - np.searchsorted(distinct, scores)).astype(np.uint64)

"""Ranks of documents that were found already, by counting higher scores: ids are looked at in ties alone.

A dict or an array of numbers finds its judged documents faster than by the text of every id.  What is left
is to know how many scores are higher; the scores of a topic are sorted, and each judged one is looked up.
Groups of equal scores that hold a judged document go to `rank_topics`, which has the tie rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ragged import blocks
from pres_eval.arrays.types import FloatArray, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.ranking.order import rank_topics
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties, inverse
from pres_eval.reading.pool import Pool

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
    lengths = np.diff(offsets)
    judged = slice(*np.searchsorted(found.segment, (first, last)).tolist())
    segment, document = found.segment[judged] - first, found.document[judged]
    keys, wanted = _keys(
        np.repeat(np.arange(last - first), lengths),
        found.scores[begin : begin + int(offsets[-1])],
        segment,
        found.score[judged],
    )
    rises = keys[1:] > keys[:-1]
    if found.row is not None and rises.all():
        place, tied = found.row[judged] - begin, np.zeros(len(wanted), np.bool_)
    else:
        ordered = keys if (rises | (keys[1:] == keys[:-1])).all() else np.sort(keys)
        place = np.searchsorted(ordered, wanted)
        # Where the next key is the same, other documents have the score too.
        tied = ordered[np.minimum(place + 1, len(ordered) - 1)] == wanted
        tied &= place + 1 < len(ordered)
    ties = NO_TIES
    if tied.any():
        rows = np.flatnonzero(tied)
        size = np.searchsorted(ordered, wanted[rows], side="right") - place[rows]
        ties = Ties(rows, place[rows] - offsets[segment[rows]] + 1, size)
        again, ranks = _break_ties(
            pool, found.topic[first:last], keys, wanted[rows], begin, ids_at, ascending
        )
        # Ranks in the group are those of its documents in rank order: both sides sorted by group.
        order = rows[np.argsort(wanted[rows], kind="stable")]
        document, place = document.copy(), place.copy()
        document[order] = again
        place[order] += ranks - 1
    order = np.argsort(place, kind="stable")
    ties = ties.moved(inverse(order)) if len(ties.document) else ties
    place, document, segment = place[order], document[order], segment[order]
    counts = np.bincount(segment, minlength=last - first)
    return Ranked(
        topic=found.topic[first:last],
        num_ret=lengths,
        offsets=np.concatenate(([0], np.cumsum(counts))),
        rank=narrow(place - offsets[segment] + 1),
        document=narrow(document),
        ties=ties,
    )


def _break_ties(
    pool: Pool,
    topic: IntArray,
    keys: Words,
    tied: Words,
    begin: int,
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
        ids_at(rows + begin),
        ascending=ascending,
    )
    return ranked.document.astype(np.int64), ranked.rank.astype(np.int64)


def _keys(segments: IntArray, scores: Scores, segment: IntArray, score: Scores) -> tuple[Words, Words]:
    """(N,) keys of all rows and (D,) of the judged: a smaller key is an earlier topic or a higher score."""
    if scores.dtype == np.float32:
        rows, judged = (
            _descending(scores.astype(np.float32, copy=False)),
            _descending(score.astype(np.float32, copy=False)),
        )
    else:
        distinct = np.unique(scores.astype(np.float64, copy=False))
        rows, judged = _places(distinct, scores), _places(distinct, score)
    upper = segments.astype(np.uint64) << _SEGMENT
    return upper | rows, (segment.astype(np.uint64) << _SEGMENT) | judged


def _descending(scores: NDArray[np.float32]) -> Words:
    """(n,) whole numbers below 2**32 that are the smaller the higher the score."""
    # Bits of positive floats ascend with them, those of negative ones descend; 0.0 + -0.0 is 0.0.
    bits = (scores + np.float32(0.0)).view(np.uint32)
    return np.where(bits & _SIGN, bits, ~bits & ~_SIGN).astype(np.uint64)


def _places(distinct: FloatArray, scores: Scores) -> Words:
    """(N,) the place of each score among the (U,) distinct ones, which ascend: 0 is the highest."""
    return (len(distinct) - 1 - np.searchsorted(distinct, scores)).astype(np.uint64)

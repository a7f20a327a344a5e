"""The order of a ranking: score descending, ties by docno descending; the only place with the tie rule.

For preferences alone, ties go by docno ascending: trec_eval's form_prefs_counts.c compares the other way
round than its form_res_rels.c.
Only the ranks of judged documents are wanted.  When the scores of a topic descend as they stand in the file,
as they nearly always do, a document's rank is its place.  Otherwise the topic's scores are sorted, and docnos
are compared only in groups of equal scores that hold a judged document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pres_eval.batch import BoolArray, IntArray
from pres_eval.reading.keys import Ids, PickedIds, Words, byte_order
from pres_eval.reading.pool import Pool

AnyIds = Ids | PickedIds
Segments = NDArray[np.int32]
Scores = NDArray[np.float64] | NDArray[np.float32]


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
    rank, document  (D,) ranks from 1, in rank order; indices of the pool's documents
    """

    topic: IntArray
    num_ret: IntArray
    offsets: IntArray
    rank: IntArray
    document: IntArray


def rank_topics(
    pool: Pool,
    topic: IntArray,
    offsets: IntArray,
    scores: Scores,
    hashes: Words,
    ids: AnyIds,
    most: int | None = None,
    *,
    ascending: bool = False,
) -> Ranked:
    """Rank S whole topics: rows offsets[i] ... offsets[i+1]-1 are those of pool topic topic[i].

    `hashes` are those of the ids with the pool's seed, and are overwritten.
    `ascending`: equal scores go by docno ascending, not descending.
    Raises DuplicateRowError if a topic has a document twice; trec_eval: not when -M cuts all but one off.
    """
    lengths = np.diff(offsets)
    segment = np.repeat(np.arange(len(topic), dtype=np.int32), lengths)
    keys = pool.make_keys(topic, lengths, hashes)
    for copies in _same_documents(keys, ids):
        which = int(segment[copies[0]])
        others = slice(int(offsets[which]), int(offsets[which + 1]))
        if most is None or _second_rank(copies, others, scores, ids, ascending) <= most:
            raise DuplicateRowError(pool.topics[int(topic[which])], ids[copies[0]])
    rows, document = pool.find_documents(keys, ids)
    rank = rows - offsets[segment[rows]] + 1
    shaken = _shaken_topics(segment, scores, rows)
    if shaken.any():
        moved = shaken[segment[rows]]
        members = np.flatnonzero(shaken[segment])
        rank[moved] = _sorted_ranks(members, segment, offsets, scores, ids, rows[moved], ascending)
        order = np.lexsort((rank, segment[rows]))
        rows, rank, document = rows[order], rank[order], document[order]
    counts = np.bincount(segment[rows], minlength=len(topic))
    return Ranked(topic, lengths, np.concatenate(([0], np.cumsum(counts))), rank, document)


def _shaken_topics(segment: Segments, scores: Scores, judged: IntArray) -> BoolArray:
    """The topics with judged rows of which one has another rank than its place.

    That needs a score that rises, or one equal to a judged row's beside it.
    """
    shaken = np.zeros(int(segment[-1]) + 1 if len(segment) else 0, np.bool_)
    rows = np.flatnonzero(scores[1:] > scores[:-1])
    rows = rows[segment[rows] == segment[rows + 1]]
    has_judged = shaken.copy()
    has_judged[segment[judged]] = True
    shaken[segment[rows]] = has_judged[segment[rows]]
    for neighbour in (judged - 1, judged + 1):
        inside = np.clip(neighbour, 0, len(scores) - 1)
        tied = (scores[inside] == scores[judged]) & (inside != judged) & (segment[inside] == segment[judged])
        shaken[segment[judged[tied]]] = True
    return shaken


def _sorted_ranks(
    members: IntArray,
    segment: Segments,
    offsets: IntArray,
    scores: Scores,
    ids: AnyIds,
    wanted: IntArray,
    ascending: bool,
) -> IntArray:
    """The ranks of the wanted rows; `members` are all rows of their topics."""
    order = _by_score(members, segment, scores)
    in_order = scores[order]
    new = np.concatenate(([True], in_order[1:] != in_order[:-1]))
    new[1:] |= segment[order[1:]] != segment[order[:-1]]
    place = np.empty(len(segment), np.int64)
    starts_here = np.flatnonzero(new)
    place[order] = np.arange(len(order))
    group = np.cumsum(new) - 1
    sizes = np.diff(np.concatenate((starts_here, [len(order)])))
    tied_groups = np.zeros(len(sizes), np.bool_)
    tied_groups[group[place[wanted]]] = True
    tied = np.flatnonzero((tied_groups & (sizes > 1))[group])
    if len(tied):
        if ascending:
            by_docno = byte_order(ids.take(order[tied]), group[tied])
        else:
            # The group's number rises while the order of its ids is turned round.
            by_docno = byte_order(ids.take(order[tied]), group[-1] - group[tied])[::-1]
        place[order[tied[by_docno]]] = tied
    first = np.empty(len(offsets), np.int64)
    first[segment[order[::-1]]] = np.arange(len(order))[::-1]
    return place[wanted] - first[segment[wanted]] + 1


def _by_score(members: IntArray, segment: Segments, scores: Scores) -> IntArray:
    """The rows by topic and descending score; equal scores in any order."""
    chosen, of = scores[members], segment[members]
    rising = chosen[1:] > chosen[:-1]
    rising &= of[1:] == of[:-1]
    if not rising.any():
        return members
    return members[np.lexsort((-chosen, of))]


def _same_documents(keys: Words, ids: AnyIds) -> Sequence[list[int]]:
    """The rows of each document that a topic has more than once, by the place of the second."""
    suspects = _equal_keys(keys)
    if not len(suspects):
        return ()
    suspects = suspects[np.lexsort((suspects, keys[suspects]))]
    found: list[list[int]] = []
    for start, stop in _runs(keys[suspects]):
        by_text: dict[bytes, list[int]] = {}
        for row in suspects[start:stop].tolist():
            by_text.setdefault(ids[row], []).append(row)
        found += [rows for rows in by_text.values() if len(rows) > 1]
    return sorted(found, key=lambda rows: rows[1])


def _second_rank(copies: list[int], others: slice, scores: Scores, ids: AnyIds, ascending: bool) -> int:
    """The rank of the second best row of a document, in its topic's rows."""
    best, second = sorted((float(scores[row]) for row in copies), reverse=True)[:2]
    document = ids[copies[0]]
    rank = 1 + int(np.count_nonzero(scores[others] > second)) + (best == second)
    for row in (np.flatnonzero(scores[others] == second) + others.start).tolist():
        rank += ids[row] < document if ascending else ids[row] > document
    return rank


def _runs(values: Words) -> Sequence[tuple[int, int]]:
    starts = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1, [len(values)]))
    return list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))


MANY = 1 << 20


def _equal_keys(keys: Words) -> IntArray:
    """The rows whose key another row has too, found without sorting all of them unless they are very many.

    Every row writes its number into a slot that its key chooses; who finds another's number there looks
    whether it is that of an equal key, and the few that lost their slot are sorted.
    """
    if len(keys) > MANY:  # the slots would not stay in the cache
        in_order = np.sort(keys)
        twice = in_order[1:][in_order[1:] == in_order[:-1]]
        return np.flatnonzero(np.isin(keys, twice)) if len(twice) else np.zeros(0, np.int64)
    bits = max(len(keys).bit_length() + 2, 8)
    slot = ((keys * np.uint64(0xD1B54A32D192ED03)) >> np.uint64(64 - bits)).view(np.int64)
    owner = np.empty(1 << bits, np.int32 if len(keys) < 2**31 else np.int64)
    number = np.arange(len(keys), dtype=owner.dtype)
    owner[slot] = number
    winner = owner[slot]
    lost = np.flatnonzero(winner != number)
    same = keys[winner[lost]] == keys[lost]
    order = lost[np.argsort(keys[lost], kind="stable")]
    beside = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    if not len(beside) and not same.any():
        return np.zeros(0, np.int64)
    return np.unique(np.concatenate((lost[same], winner[lost[same]], order[beside], order[beside + 1])))


def concatenate(parts: Sequence[Ranked]) -> Ranked:
    """All topics of the parts, in the pool's order; no topic may stand in two."""
    topic = np.concatenate([part.topic for part in parts])
    num_ret = np.concatenate([part.num_ret for part in parts])
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    rank = np.concatenate([part.rank for part in parts])
    document = np.concatenate([part.document for part in parts])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    if (topic[1:] < topic[:-1]).any():
        order = np.argsort(topic, kind="stable")
        rows, offsets = ragged(offsets[:-1][order], lengths[order])
        topic, num_ret, rank, document = topic[order], num_ret[order], rank[rows], document[rows]
    return Ranked(topic, num_ret, offsets, rank, document)


def ragged(starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """The indices starts[i] ... starts[i]+lengths[i]-1 for every i, in a row, and where each begins there."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths), offsets

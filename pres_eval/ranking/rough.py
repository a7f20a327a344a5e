"""The few ids of two sides that may be the same, written otherwise: found by rough hashes among many.

Rough hashes do not see what notations differ in.  `check` and the evaluator search in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from pres_eval.arrays import (
    DIGITS,
    LOWER,
    AnyInts,
    BoolArray,
    Ids,
    IntArray,
    KeyTable,
    WordIds,
    Words,
    blocks,
    bytes_among,
    ending_in,
    present,
    ragged,
    stripped,
)
from pres_eval.ranking.notations import (
    MOST,
    NAMES_OF_CHUNKS,
    PUNCTUATION_BYTES,
    SEPARATORS,
    SHORT_NAME,
    Id,
    Respelling,
    find_respelling,
)
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

PLACES = 128
"""Bytes of an id whose place counts in rough hashes; those of longer ones are added up."""
_ODD, _FACTOR = (np.array(odd, np.uint64) for odd in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93))
_WORTH = np.cumprod(np.full(256, _FACTOR))[LOWER]
_WORTH[list(PUNCTUATION_BYTES + b"0")] = 0
_AT_PLACE = np.cumprod(np.full(PLACES, _ODD))


def rough_hashes(ids: Ids) -> Words:
    """Return (n,) hashes that are the same for ids that differ in case, zeros and punctuation alone.

    Each byte that counts adds its own number times one for its place among those that count.
    """
    hashes = np.zeros(len(ids), np.uint64)
    for start, stop in blocks(np.concatenate(([0], np.cumsum(ids.lengths)))):
        some = ids[start:stop]
        bytes_of, offsets = ragged(some.starts, some.lengths)
        worth = _WORTH[ids.buffer[bytes_of]]
        before = np.cumsum(worth > 0)
        first = np.concatenate(([0], before))[offsets[:-1]]
        place = np.minimum(before - np.repeat(first, some.lengths), PLACES - 1)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(worth * _AT_PLACE[place])))
        hashes[start:stop] = sums[offsets[1:]] - sums[offsets[:-1]]
    return hashes


def without_chunk(ids: Ids) -> Ids:
    """Return the ids without the numbers of chunks at their ends; those without one are empty."""
    number = stripped(ids, ids.lengths, DIGITS)
    separators = bytes_among(SEPARATORS)
    before = stripped(ids, number, separators)
    lengths = np.where(before < number, before, 0)
    last = LOWER[ids.buffer[ids.starts + np.maximum(before - 1, 0)]]
    for name in (*NAMES_OF_CHUNKS, SHORT_NAME):
        if not (last == name[-1]).any():
            continue  # as nearly always: a small call has no time for more
        rows = ending_in(ids, before, name, LOWER)
        front = before[rows] - len(name)
        left = stripped(ids.take(rows), front, separators)
        lengths[rows] = np.where(left < front, left, lengths[rows]) if name == SHORT_NAME else left
    lengths[number == ids.lengths] = 0
    return Ids(ids.buffer, ids.starts, lengths)


def _of_topics(topic: IntArray) -> Words:
    """Return hashes (n,) of topics (n,), to combine with those of documents."""
    return topic.astype(np.uint64) * _FACTOR


@dataclass(frozen=True, eq=False)
class _Written:
    """Documents of topics, by hashes that are the same in all notations.

    ids, topic  (n,) the documents, and the topics that they are of
    alike       (n,) rough hashes of both
    whole       (2, n) the same of the document that a chunk is of, by one number and by two; 0 for none
    """

    ids: Ids
    topic: IntArray
    alike: Words
    whole: Words

    @classmethod
    def of(cls, ids: Ids, topic: IntArray) -> _Written:
        """Hash documents (n,) of topics (n,)."""
        alike = rough_hashes(ids) + _of_topics(topic)
        levels, rows, chunks = np.zeros((2, len(ids)), np.uint64), np.arange(len(ids)), ids
        for level in levels:
            chunks = without_chunk(chunks)
            left = np.flatnonzero(chunks.lengths)
            if not len(left):
                break
            rows, chunks = rows[left], chunks.take(left)
            level[rows] = rough_hashes(chunks) + _of_topics(topic[rows])
        return cls(ids, topic, alike, levels)

    def take(self, rows: IntArray) -> _Written:
        """Return some rows (m,) of them."""
        return _Written(self.ids.take(rows), self.topic[rows], self.alike[rows], self.whole[:, rows])

    def pairs(self, rows: BoolArray) -> list[Id]:
        """Return topics and documents of some rows (n,), each once."""
        return list(dict.fromkeys(zip(self.topic[rows].tolist(), self.ids.take(rows), strict=True)))


def _judged(pool: Pool, topics: IntArray) -> tuple[_Written, KeyTable]:
    """Return the judged documents of topics (n,), and the table in which they are found as they are."""
    counts, chosen = pool.documents_of(topics)
    ids, of_topic = pool.documents.take(chosen), np.repeat(topics, counts)
    return _Written.of(ids, of_topic), KeyTable(ids.hashes() + _of_topics(of_topic))


def respelled_documents(
    pool: Pool, topic_of: IntArray, ids: WordIds, retrieved: AnyInts
) -> Respelling | None:
    """Return the changes that would make rows of a run match.

    topic_of, ids  (n,) topics of the rows as indices of the pool's, -1 for others; their documents
    retrieved      (m,) documents of the pool that the run has
    """
    topics = present(topic_of[topic_of >= 0], len(pool.topics))
    size = pool.num_documents_of(topics)
    judged, table = pool.remembered.get(topics.tobytes(), size, partial(_judged, pool, topics))
    there = np.zeros(len(pool.documents), np.bool_)
    there[retrieved] = True
    wanted = np.flatnonzero(~there[pool.documents_of(topics)[1]])
    if not len(wanted):
        return None
    known = table.find(ids.hashes() + _of_topics(topic_of)) >= 0
    rows = np.flatnonzero((topic_of >= 0) & ~known)
    return _respelled(_Written.of(ids.take(rows), topic_of[rows]), judged.take(wanted))


def respelled_topics(ours: Sequence[bytes], judged: Sequence[bytes]) -> Respelling | None:
    """Return the changes that would make topics of a run match that the judgements lack."""
    if not len(ours) or not len(judged):
        return None
    if not all(one.isascii() for both in (ours, judged) for one in both):  # rough hashes know ASCII alone
        return find_respelling([(0, one) for one in ours[:MOST]], [(0, one) for one in judged[:MOST]])
    sides = (_Written.of(Ids.of(one), np.zeros(len(one), np.int64)) for one in (ours, judged))
    return _respelled(*sides)


def _respelled(ours: _Written, judged: _Written) -> Respelling | None:
    """Return the change that would make some of our documents match."""
    some, others = np.zeros(len(ours.ids), np.bool_), np.zeros(len(judged.ids), np.bool_)
    for mine, theirs in (
        (ours.alike, judged.alike),
        *((level, judged.alike) for level in ours.whole),
        *((ours.alike, level) for level in judged.whole),
    ):
        if not (mine.any() and theirs.any()):
            continue
        alike = KeyTable(theirs[theirs != 0]).find(mine) >= 0
        if alike.any():
            some |= alike
            others |= KeyTable(mine[alike]).find(theirs) >= 0
    return find_respelling(ours.pairs(some), judged.pairs(others)) if some.any() else None

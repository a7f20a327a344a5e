"""The few ids of two sides that may be the same, written otherwise: found by rough hashes among many.

Rough hashes do not see what notations differ in.  `check` and the evaluator search in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, partial

import numpy as np

from pres_eval.arrays import (
    DIGITS,
    LOWER,
    WORD,
    AnyArray,
    AnyInts,
    BoolArray,
    Ids,
    IntArray,
    KeyTable,
    WordIds,
    Words,
    are_short_numbers,
    bytes_among,
    ending_in,
    lengths_at,
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

_ODD, _FACTOR = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93))
_LONGEST = 256
"""Bytes of ids that are hashed together; longer ones are hashed one by one."""

FIRST_OF_OTHERS = 128
"""The least byte that is none of ASCII's."""

_LEVELS = 2
"""Numbers of chunks that are left out of ids, one after the other."""


@cache
def _pairs() -> AnyArray:
    """Return (65536,) the sum of each two bytes and the factor of all bytes behind them, as a complex number.

    Each byte that counts adds its own number, times an odd one for every byte before it that counts.  A
    complex number is the type that fetches both at once.
    """
    worth = np.cumprod(np.full(256, _FACTOR), dtype=np.uint64)[LOWER]
    worth[list(PUNCTUATION_BYTES + b"\0" + b"0")] = 0
    step: Words = np.where(worth > 0, _ODD, np.uint64(1))
    # The first byte is the lower one: it is the column of these tables.
    both = np.stack((worth + step * worth[:, np.newaxis], step * step[:, np.newaxis]), axis=-1)
    return both.view(np.complex128).ravel()


def rough_hashes(ids: Ids) -> Words:
    """Return (n,) hashes that are the same for ids that differ in case, zeros and punctuation alone."""
    hashes, pairs = np.zeros(len(ids), np.uint64), _pairs()
    for number in reversed(range(min(ids.width(), _LONGEST // WORD))):
        rows = np.flatnonzero(ids.lengths > WORD * number) if number else slice(None)
        words = ids.take(rows).word(number).astype("<u8", copy=False)
        some = hashes[rows]
        for pair in words.view("<u2").reshape(-1, WORD // 2).T[::-1]:
            both = pairs.take(pair, mode="clip").view(np.uint64)
            some *= both[1::2]
            some += both[::2]
        hashes[rows] = some
    for row in np.flatnonzero(ids.lengths > _LONGEST).tolist():
        # A byte and NUL, which does not count, are a pair.
        both = pairs[np.frombuffer(ids[row] + b"\0", np.uint8)].view(np.uint64)
        factors = np.multiply.accumulate(both[1::2])
        hashes[row] = (both[2::2] * factors[:-1]).sum(initial=both[0])
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


def _notations(ids: Ids, topic: IntArray) -> Words:
    """Return (3, n) hashes of documents (n,) and their topics (n,) that are the same in all notations.

    The first is of the document, the others are of that which it is a chunk of, by one number and by two; 0
    for none.
    """
    hashes = np.zeros((1 + _LEVELS, len(ids)), np.uint64)
    hashes[0] = rough_hashes(ids) + _of_topics(topic)
    rows = np.flatnonzero(~are_short_numbers(ids))  # numbers, which many ids are, are no chunks
    ids = ids.take(rows)
    for level in hashes[1:]:
        if not len(rows):
            break
        ids = without_chunk(ids)
        left = np.flatnonzero(ids.lengths)
        rows, ids = rows[left], ids.take(left)
        level[rows] = rough_hashes(ids) + _of_topics(topic[rows])
    return hashes


@dataclass(frozen=True, eq=False)
class _Written:
    """Documents of topics, by hashes that are the same in all notations.

    ids     (N,) ids
    rows    (n,) which of them
    topic   (n,) the topic of each
    hashes  (3, n) of `_notations`
    """

    ids: Ids | WordIds
    rows: IntArray
    topic: IntArray
    hashes: Words

    @classmethod
    def of(cls, ids: Ids, topic: IntArray) -> _Written:
        """Hash documents (n,) of topics (n,)."""
        return cls(ids, np.arange(len(ids)), topic, _notations(ids, topic))

    @cached_property
    def tables(self) -> list[KeyTable]:
        """Return a table of each (n,) of the hashes."""
        return [KeyTable(level[level != 0]) for level in self.hashes]

    @cached_property
    def as_written(self) -> KeyTable:
        """Return the table of the documents as they are."""
        ids = self.ids.take(self.rows) if isinstance(self.ids, Ids) else self.ids.pick(self.rows)
        return KeyTable(ids.hashes() + _of_topics(self.topic))

    def pairs(self, chosen: BoolArray) -> list[Id]:
        """Return topics and documents of some rows (n,), each once."""
        ids = self.ids.take(self.rows[chosen])
        return list(dict.fromkeys(zip(self.topic[chosen].tolist(), ids, strict=True)))


class _Judged:
    """The judged documents of a pool; those of a topic are hashed when rows of it are looked at."""

    def __init__(self, documents: WordIds) -> None:
        self._documents = documents
        self._is_hashed = np.zeros(len(documents), np.bool_)
        self._hashes = np.zeros((1 + _LEVELS, len(documents)), np.uint64)
        self._last: _Written | None = None

    def of(self, rows: IntArray, topic: IntArray) -> _Written:
        """Return some documents (n,) with their topics (n,)."""
        last = self._last
        if last is not None and np.array_equal(rows, last.rows):
            return last
        new = np.flatnonzero(~self._is_hashed[rows])
        if len(new):
            self._hashes[:, rows[new]] = _notations(self._documents.take(rows[new]), topic[new])
            self._is_hashed[rows] = True
        written = _Written(self._documents, rows, topic, self._hashes[:, rows])
        self._last = written
        return written


def respelled_documents(
    pool: Pool, topic_of: IntArray, ids: WordIds, retrieved: AnyInts, matched: IntArray | None = None
) -> Respelling | None:
    """Return the changes that would make rows of a run match.

    topic_of, ids  (n,) topics of the rows as indices of the pool's, -1 for others; their documents
    retrieved      (m,) documents of the pool that the run has
    matched        rows (k,) that match as they are; None: they are looked for
    """
    topics = present(topic_of[topic_of >= 0], len(pool.topics))
    counts = lengths_at(pool.offsets, topics)
    judged_rows = ragged(pool.offsets[topics], counts)[0]
    is_wanted = np.ones(len(pool.documents), np.bool_)
    is_wanted[retrieved] = False
    is_wanted = is_wanted[judged_rows]
    if not is_wanted.any():
        return None
    # Kept for the next run, if there are not too many.
    hashed = pool.remembered.get("notations", len(pool.documents), partial(_Judged, pool.documents))
    judged = hashed.of(judged_rows, np.repeat(topics, counts))
    left = topic_of >= 0
    if matched is None:
        left &= judged.as_written.find(ids.hashes() + _of_topics(topic_of)) < 0
    else:
        left[matched] = False
    rows = np.flatnonzero(left)
    ours = _Written.of(ids.take(rows), topic_of[rows])
    respelling = _respelled(ours, judged, is_wanted)
    return _respelled_letters(ours, judged, is_wanted) if respelling is None else respelling


def _respelled_letters(ours: _Written, judged: _Written, is_wanted: BoolArray) -> Respelling | None:
    """Return the change that would make documents with other letters than ASCII match wanted ones (n,).

    Rough hashes know ASCII alone: a letter with an accent can be one character or two.
    """
    run_ids = ours.ids.take(ours.rows)
    if not (run_ids.buffer >= FIRST_OF_OTHERS).any():
        return None
    some = [one for one in ours.pairs(np.ones(len(ours.rows), np.bool_))[:MOST] if not one[1].isascii()]
    if not some:
        return None
    wanted = judged.pairs(is_wanted)[:MOST]
    return find_respelling(some, [one for one in wanted if not one[1].isascii()])


def respelled_topics(ours: Sequence[bytes], judged: Sequence[bytes]) -> Respelling | None:
    """Return the changes that would make topics of a run match that the judgements lack."""
    if not len(ours) or not len(judged):
        return None
    if not all(one.isascii() for both in (ours, judged) for one in both):  # rough hashes know ASCII alone
        return find_respelling([(0, one) for one in ours[:MOST]], [(0, one) for one in judged[:MOST]])
    run, qrels = (_Written.of(Ids.of(one), np.zeros(len(one), np.int64)) for one in (ours, judged))
    return _respelled(run, qrels, np.ones(len(judged), np.bool_))


def _respelled(ours: _Written, judged: _Written, is_wanted: BoolArray) -> Respelling | None:
    """Return the change that would make some of our documents match wanted ones (n,) of the judged."""
    some, others = np.zeros(len(ours.rows), np.bool_), np.zeros(len(judged.rows), np.bool_)
    for mine, level in (
        *((mine, 0) for mine in ours.hashes),
        *((ours.hashes[0], level) for level in range(1, 1 + _LEVELS)),
    ):
        if not (mine.any() and len(judged.tables[level].keys)):
            continue
        alike = judged.tables[level].find(mine) >= 0
        if alike.any():
            theirs = judged.hashes[level]
            there = is_wanted & (KeyTable(mine[alike]).find(theirs) >= 0)
            some |= KeyTable(theirs[there]).find(mine) >= 0
            others |= there
    return find_respelling(ours.pairs(some), judged.pairs(others)) if some.any() else None

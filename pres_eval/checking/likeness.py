"""Ids that look like another notation of each other: `01` and `1`, `EP1` and `ep1`, blanks, quotes, a BOM."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.matching import KeyTable, match
from pres_eval.arrays.ragged import ragged
from pres_eval.arrays.types import IntArray, Words
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.ranking.notations import PUNCTUATION_BYTES, Respelling, documents_rewritten
from pres_eval.ranking.opening import ROWS
from pres_eval.ranking.ranked import lone_rows
from pres_eval.reading.pool import Pool
from pres_eval.reading.relevance import Relevance

_LEADING_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_IGNORED = re.compile("[\\s\"'`\u200b-\u200f\u2060\ufeff]")
LOOKED_AT = 128
"""Bytes of an id that are looked at; what is longer than that is written alike or not."""
LOOKED_AT_CLOSELY = 1000
"""Documents of a block of which it is made sure that they are alike; their hashes say so of the others."""
_ODD = np.array(0x9E3779B97F4A7C15, np.uint64)
_FACTOR = np.array(0xD6E8FEB86659FD93, np.uint64)
_WORTH = np.cumprod(np.full(256, _FACTOR))[list(bytes(range(256)).lower())]
_WORTH[list(PUNCTUATION_BYTES + b"0")] = 0
_AT_PLACE = np.cumprod(np.full(LOOKED_AT, _ODD))


def loose(identifier: bytes) -> str:
    """An id without what tells notations apart: case, zeros before a number, blanks, quotes, marks."""
    if identifier.isdigit():
        return identifier.lstrip(b"0").decode() or "0"
    text = unicodedata.normalize("NFKC", identifier.decode("utf-8", "backslashreplace"))
    return _LEADING_ZEROS.sub("", _IGNORED.sub("", text).casefold())


def alike(some: Iterable[bytes], others: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """The pairs of ids that are alike and not the same, one for each of `some` that has any."""
    by_look: dict[str, bytes] = {}
    for other in others:
        by_look.setdefault(loose(other), other)
    pairs = ((one, by_look.get(loose(one))) for one in some)
    return [(one, other) for one, other in pairs if other is not None and other != one]


def loose_hashes(ids: Ids) -> Words:
    """Hashes that are the same for ids that differ in ASCII case and leading zeros alone."""
    starts, lengths = ids.starts, ids.lengths
    for _ in range(LOOKED_AT):
        zero = (ids.buffer[starts] == ord("0")) & (lengths > 1)
        if not zero.any():
            break
        starts, lengths = starts + zero, lengths - zero
    lengths = np.minimum(lengths, LOOKED_AT)
    stripped = Ids(ids.buffer, starts, lengths)
    mixed = np.zeros(len(ids), np.uint64)
    multiplier = _ODD
    for number in range(stripped.width()):
        # What an id does not have adds nothing: the hash must not depend on the longest one beside it.
        rows = np.flatnonzero(lengths > WORD * number)
        mixed[rows] += _lower(stripped.take(rows).word(number)) * multiplier
        multiplier = np.multiply(multiplier, _FACTOR)
    mixed ^= mixed >> np.uint64(32)
    mixed *= _ODD
    return mixed ^ (mixed >> np.uint64(29))


def rough_hashes(ids: Ids) -> Words:
    """(n,) hashes that are the same for ids that differ in case, zeros and punctuation alone.

    Each byte that counts adds its own number times one for its place among those that count.
    """
    bytes_of, offsets = ragged(ids.starts, ids.lengths)
    worth = _WORTH[ids.buffer[bytes_of]]
    before = np.cumsum(worth > 0)
    first = np.concatenate(([0], before))[offsets[:-1]]
    place = np.minimum(before - np.repeat(first, ids.lengths), len(_AT_PLACE) - 1)
    return np.add.reduceat(worth * _AT_PLACE[place], offsets[:-1]) if len(ids) else np.zeros(0, np.uint64)


def _lower(word: Words) -> Words:
    """The eight letters of each word in lower case, all at once."""
    seven_bits = word & np.uint64(0x7F7F7F7F7F7F7F7F)
    above_z = seven_bits + np.uint64(0x2525252525252525)
    from_a = seven_bits + np.uint64(0x3F3F3F3F3F3F3F3F)
    upper = (above_z ^ from_a) & ~word & np.uint64(0x8080808080808080)
    return word | (upper >> np.uint64(2))


@dataclass(frozen=True, eq=False)
class Joined:
    """What documents of a run are: repeated, judged, nearly judged.

    repeats, first  rows whose document came before in the topic, and the row where it came first
    num_judged      how many rows are judged
    num_near, near  how many are not, but look like a judged document; some of them with that document
    rewriting       what would make documents of the first rows match that are not judged
    """

    repeats: IntArray
    first: IntArray
    num_judged: int
    num_near: int
    near: list[tuple[int, bytes]]
    rewriting: Respelling | None = None


@dataclass(frozen=True)
class JudgedIds:
    """The documents of a qrels file, for the join with a run."""

    pool: Pool

    @classmethod
    def of(cls, qrels: Relevance | None) -> JudgedIds | None:
        """The documents of a qrels file, ready for any thread."""
        if qrels is None:
            return None
        judged = cls(qrels.pool)
        assert judged._alike is not None and judged._rough is not None
        return judged

    @cached_property
    def _alike(self) -> KeyTable:
        """Of the hashes of documents that are the same for ids that look alike."""
        return KeyTable(loose_hashes(self.pool.documents.take(slice(None))) + _of_topics(self.pool.topic_of))

    @cached_property
    def _rough(self) -> KeyTable:
        """Of the hashes of documents that are the same without case, zeros and punctuation."""
        return KeyTable(rough_hashes(self.pool.documents.take(slice(None))) + _of_topics(self.pool.topic_of))

    @staticmethod
    def nothing(lengths: IntArray, ids: WordIds) -> Joined:
        """The same without judgements."""
        found = match(lengths, ids, np.zeros_like(lengths), NO_IDS)
        return Joined(repeats=found.repeats, first=found.first, num_judged=0, num_near=0, near=[])

    def join(self, topics: Sequence[bytes], lengths: IntArray, ids: WordIds) -> Joined:
        """Look for the documents of some topics; the first lengths[0] ids are of topics[0], and so on."""
        topic = self.pool.find_topics(Ids.of(topics))
        counts = np.zeros(len(topic), np.int64)
        counts[topic >= 0], judged = self.pool.documents_of(topic[topic >= 0])
        found = match(lengths, ids, counts, self.pool.documents.pick(judged))
        rest = np.repeat(topic >= 0, lengths)
        rest[found.rows] = False
        rows = np.flatnonzero(rest)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        of_topic = np.bincount(np.searchsorted(offsets, found.rows, side="right") - 1, minlength=len(topic))
        others = ids.take(rows)
        own = _of_topics(np.repeat(topic, lengths)[rows])
        rough = rows[self._rough.find(rough_hashes(others) + own) >= 0]
        lone = lone_rows(offsets, of_topic)[1]
        some = np.unique(np.concatenate((np.arange(min(ROWS, len(ids))), lone, rough[:ROWS])))
        retrieved = judged.start + found.wanted if isinstance(judged, slice) else judged[found.wanted]
        rewritten = documents_rewritten(
            self.pool, np.repeat(topic, lengths)[some], ids.pick(some), retrieved, len(self.pool.documents)
        )
        keys = loose_hashes(others) + own
        document = self._alike.find(keys)
        rows, document = rows[document >= 0], document[document >= 0]
        near = []
        for row, other in zip(rows[:LOOKED_AT_CLOSELY].tolist(), document.tolist(), strict=False):
            one, two = ids[row], self.pool.documents[other]
            if loose(one) == loose(two):
                near.append((row, two))
        num_near = len(near) + len(rows[LOOKED_AT_CLOSELY:])
        return Joined(
            repeats=found.repeats,
            first=found.first,
            num_judged=len(found.rows),
            num_near=num_near,
            near=near,
            rewriting=rewritten and rewritten[0],
        )


def _of_topics(topic: IntArray) -> Words:
    """What tells the documents of topics apart."""
    return topic.astype(np.uint64) * _FACTOR

"""Ids that match nothing, and would if they were written alike: which rewriting would do, for which ids.

`check` and the evaluator search in the same way.  Hashes that do not see what notations differ in (the rough
ones) leave a few ids out of many; these are compared themselves.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
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
from pres_eval.errors import quoted
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

MOST = 1 << 14
"""Topics of each side that are compared."""

Id = tuple[int, bytes]
"""A document with the number of its topic; topics themselves all have the same number."""

Rule = Callable[[bytes], bytes]

PUNCTUATION_BYTES = string.punctuation.encode()
_MARKS = bytes(set(range(256)) - set(PUNCTUATION_BYTES))
_INVISIBLE = re.compile("[\\s\u200b-\u200f\u2060\ufeff]")
_SEPARATORS = b"#:%|@_.-"
_NAMES_OF_CHUNKS = (b"chunk", b"passage", b"part", b"seg")
_SHORT_NAME = b"p"
"""A name of a chunk behind a separator alone: d1-p3, but not EP1."""
_CHUNK = re.compile(
    rb"(?i)([%b]+|[%b]*(%b)[%b]*|[%b]+%b[%b]*)[0-9]+\Z"
    % (
        *(_SEPARATORS, _SEPARATORS, b"|".join(_NAMES_OF_CHUNKS)),
        *(_SEPARATORS, _SEPARATORS, _SHORT_NAME, _SEPARATORS),
    )
)

CASE, ZERO, LEADING, PUNCTUATION = "case", "'.0' at the end", "leading zeros", "punctuation"
LETTERS = "blanks, invisible characters and other forms of letters"
CHUNKS = "the number of a chunk at the end"


def _plain(one: bytes) -> bytes:
    """Return an id in the letters that everybody types, without invisible ones."""
    if one.isascii():
        return one.translate(None, string.whitespace.encode())
    text = unicodedata.normalize("NFKC", one.decode("utf-8", "surrogateescape"))
    return _INVISIBLE.sub("", text).encode("utf-8", "surrogateescape")


def _lower(one: bytes) -> bytes:
    if one.isascii():
        return one.lower()
    return one.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")


RULES: dict[str, Rule] = {
    LETTERS: _plain,
    CASE: _lower,
    ZERO: lambda one: re.sub(rb"\.0+\Z", b"", one),
    LEADING: lambda one: re.sub(rb"(?<![0-9.])0+(?=[0-9])", b"", one),
    PUNCTUATION: lambda one: one.translate(None, PUNCTUATION_BYTES),
}
"""Differences between notations, in the order in which they are removed from the ids of both sides."""

_TRIED = ((LETTERS, CASE, ZERO, LEADING), (LETTERS, CASE, ZERO, PUNCTUATION), tuple(RULES))
"""The rules together: without punctuation zeros may no longer lead."""

PLACES = 128
"""Bytes of an id whose place counts in rough hashes; those of longer ones are added up."""
_ODD, _FACTOR = (np.array(odd, np.uint64) for odd in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93))
_WORTH = np.cumprod(np.full(256, _FACTOR))[LOWER]
_WORTH[list(PUNCTUATION_BYTES + b"0")] = 0
_AT_PLACE = np.cumprod(np.full(PLACES, _ODD))


@dataclass(frozen=True)
class Respelling:
    """Respelling of ids that match nothing, with which they would match.

    names  the parts to leave out of the ids
    pairs  the ids of the run that would match then, each with the id of the judgements
    rest   the change that would make others match, which are written in another way
    """

    names: tuple[str, ...]
    pairs: tuple[tuple[Id, bytes], ...]
    rest: Respelling | None = None

    @property
    def count(self) -> int:
        """Count the ids that would match."""
        return len(self.pairs)

    @property
    def text(self) -> str:
        """Return the parts to leave out, and an id of each side."""
        (_, ours), judged = self.pairs[0]
        rest = "" if self.rest is None else f", {self.rest.count:,} more {self.rest.text}"
        both = f"the run has {quoted(ours)}, the qrels have {quoted(judged)}"
        return f"{self.without} ({both}{self.advice})" + rest

    @property
    def advice(self) -> str:
        """Return the option that helps, after a semicolon, with a pattern where there is one."""
        if CHUNKS not in self.names:
            return ""
        (_, ours), judged = self.pairs[0]
        if not ours.startswith(judged):
            return "; see --map-docs"
        end = re.sub(rb"([][.|(){}+*?^$\\])", rb"\\\1", ours[len(judged) :])
        end = re.sub(rb"[0-9]+", rb"\\d+", end)
        return f"; see --map-docs '^(.*){end.decode()}$'"

    @property
    def without(self) -> str:
        """Return the parts to leave out."""
        return f"without {' and '.join(self.names)}"

    def every(self) -> Iterator[Respelling]:
        """Yield this one, and those of the rest."""
        yield self
        if self.rest is not None:
            yield from self.rest.every()


def find_respelling(ours: Sequence[Id], judged: Sequence[Id]) -> Respelling | None:
    """Return the rewriting with which most ids of a run match judged ones, None if none match.

    All ids of the run are such that match nothing as they are.
    """
    best: tuple[bool, list[tuple[bytes, Id]], dict[Id, bytes], tuple[str, ...]] | None = None
    found: list[tuple[Id, bytes]] = []
    for cut, cut_judged in _CUTS:
        some = [(cut(one[1]), one) for one in ours]
        wanted = {(topic, cut_judged(one)): one for topic, one in judged}
        for rules in _TRIED:
            if len(found) < len(ours) and len(pairs := _pairs(some, wanted, rules)) > len(found):
                best, found = (cut is not cut_judged, some, wanted, rules), pairs
    if best is None:
        return None
    of_chunks, some, wanted, rules = best
    less = {rule: tuple(other for other in rules if other != rule) for rule in rules}
    needed = [rule for rule in rules if len(_pairs(some, wanted, less[rule])) < len(found)]
    matched = {one for one, _ in found}
    return Respelling(
        names=(*needed, *[CHUNKS] * of_chunks),
        pairs=tuple(found),
        rest=find_respelling([one for one in ours if one not in matched], judged),
    )


def whole(chunk: bytes) -> bytes:
    """Return the id without the number of a chunk at its end: d1#0, d1_chunk_0, d1-p0; else nothing."""
    found = _CHUNK.search(chunk, max(len(chunk) - 24, 0)) if chunk[-1:].isdigit() else None
    return chunk[: found.start()] if found else b""


def _whole_of_two(chunk: bytes) -> bytes:
    """Return the id without two numbers, such as the first and last word of a chunk: d1_0_512."""
    return whole(whole(chunk))


_CUTS: tuple[tuple[Rule, Rule], ...] = (
    (bytes, bytes),
    (whole, bytes),
    (bytes, whole),
    (_whole_of_two, bytes),
    (bytes, _whole_of_two),
)
"""Parts that are cut off our ids and judged ones, the shortest first."""


def _pairs(
    ours: Sequence[tuple[bytes, Id]], judged: dict[Id, bytes], rules: tuple[str, ...]
) -> list[tuple[Id, bytes]]:
    """Return each of our ids that is a judged one after these rules, with that one."""

    def written(one: bytes) -> bytes:
        for rule in rules:
            one = RULES[rule](one)
        return one

    by_key: dict[tuple[int, bytes | None], bytes] = {
        (topic, written(seen)): one for (topic, seen), one in judged.items()
    }
    pairs = ((one, by_key.get((one[0], written(seen) or None))) for seen, one in ours)
    return [(one, other) for one, other in pairs if other is not None and _may_be(one[1], other, rules)]


def _may_be(one: bytes, other: bytes, rules: tuple[str, ...]) -> bool:
    """Return whether the punctuation differs, if it is left out: 31_1 and 3_11 have the same notation."""
    return PUNCTUATION not in rules or one.translate(None, _MARKS) != other.translate(None, _MARKS)


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
    separators = bytes_among(_SEPARATORS)
    before = stripped(ids, number, separators)
    lengths = np.where(before < number, before, 0)
    last = LOWER[ids.buffer[ids.starts + np.maximum(before - 1, 0)]]
    for name in (*_NAMES_OF_CHUNKS, _SHORT_NAME):
        if not (last == name[-1]).any():
            continue  # as nearly always: a small call has no time for more
        rows = ending_in(ids, before, name, LOWER)
        front = before[rows] - len(name)
        left = stripped(ids.take(rows), front, separators)
        lengths[rows] = np.where(left < front, left, lengths[rows]) if name == _SHORT_NAME else left
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

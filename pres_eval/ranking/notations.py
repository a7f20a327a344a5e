"""Ids that match nothing, and would if they were written alike: which rewriting would do, for how many."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from itertools import compress

import numpy as np

from pres_eval.arrays.ragged import lengths_at
from pres_eval.arrays.types import AnyInts, IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import quoted
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

MOST = 2048
"""Judged documents that a run's opening is compared with, those of its first topics; and topics."""

Id = tuple[int, bytes]
"""A document with the number of its topic; topics themselves all have the same number."""

Rule = Callable[[bytes], bytes]

PUNCTUATION_BYTES = string.punctuation.encode()
_MARKS = bytes(set(range(256)) - set(PUNCTUATION_BYTES))
_CHUNK = re.compile(rb"(?i)([#:%|@_.-]+|[#:%|@_.-]*(chunk|passage|part|seg)[#:%|@_.-]*)[0-9]+\Z")

CASE, ZERO, LEADING, PUNCTUATION = "case", "'.0' at the end", "leading zeros", "punctuation"
CHUNKS = "the number of a chunk at the end"
RULES: dict[str, Rule] = {
    CASE: bytes.lower,
    ZERO: lambda one: re.sub(rb"\.0+\Z", b"", one),
    LEADING: lambda one: re.sub(rb"(?<![0-9.])0+(?=[0-9])", b"", one),
    PUNCTUATION: lambda one: one.translate(None, PUNCTUATION_BYTES),
}
"""What notations differ in, in the order in which it is taken out of the ids of both sides."""

_TRIED = ((CASE, ZERO, LEADING), (CASE, ZERO, PUNCTUATION), tuple(RULES))
"""The rules together: without punctuation zeros may no longer lead."""


@dataclass(frozen=True)
class Respelling:
    """What would make ids match that match nothing.

    names        what has to be left out of the ids
    count        ids of the run that would match then
    ours, judged one of them, and the id of the judgements that it would match
    rest         what would make others match, which are written in another way
    """

    names: tuple[str, ...]
    count: int
    ours: bytes
    judged: bytes
    rest: Respelling | None = None

    @property
    def text(self) -> str:
        """What to leave out, and an id of each side."""
        names = " and ".join(self.names)
        advice = "; see --map-docs" if CHUNKS in self.names else ""
        rest = "" if self.rest is None else f", {self.rest.count:,} more {self.rest.text}"
        return (
            f"without {names} (the run has {quoted(self.ours)}, the qrels have {quoted(self.judged)}{advice})"
            + rest
        )


def find_rewriting(ours: Sequence[Id], judged: Sequence[Id]) -> Respelling | None:
    """Return the rewriting with which ids of a run match judged ones, None if there is none.

    All ids are such that match nothing as they are.
    """
    for cut, cut_judged in ((_as_it_is, _as_it_is), (_whole, _as_it_is), (_as_it_is, _whole)):
        keys, others = _rough(ours, cut), _rough(judged, cut_judged)
        both = set(keys).intersection(others) - {b""}
        if not both:  # as nearly always
            continue
        some = [(topic, cut(one), one) for (topic, one), key in zip(ours, keys, strict=False) if key in both]
        wanted = {
            (topic, cut_judged(one)): one
            for (topic, one), key in zip(judged, others, strict=False)
            if key in both
        }
        for rules in _TRIED:
            found = _pairs(some, wanted, rules)
            if found:
                needed = [
                    rule for rule in rules if len(_pairs(some, wanted, _less(rules, rule))) < len(found)
                ]
                names = (*needed, CHUNKS) if _whole in (cut, cut_judged) else tuple(needed)
                matched = {one for one, _ in found}
                return Respelling(
                    names=names,
                    count=len(found),
                    ours=found[0][0],
                    judged=found[0][1],
                    rest=find_rewriting([one for one in ours if one[1] not in matched], judged),
                )
    return None


def _as_it_is(identifier: bytes) -> bytes:
    return identifier


def _whole(chunk: bytes) -> bytes:
    """Return the id without the number of a chunk at its end: d1#0, d1_chunk_0; nothing if it has none."""
    found = _CHUNK.search(chunk, max(len(chunk) - 24, 0)) if chunk[-1:].isdigit() else None
    return chunk[: found.start()] if found else b""


def _rough(ids: Sequence[Id], cut: Rule) -> list[bytes]:
    """Return the ids without all that rules may take out of them; all at once, as that is fast."""
    lines = b"\n".join(cut(one) for _, one in ids)
    return lines.lower().translate(None, PUNCTUATION_BYTES + b"0").split(b"\n")


def _less(rules: tuple[str, ...], left: str) -> tuple[str, ...]:
    return tuple(rule for rule in rules if rule != left)


def _pairs(
    ours: Sequence[tuple[int, bytes, bytes]], judged: dict[Id, bytes], rules: tuple[str, ...]
) -> list[tuple[bytes, bytes]]:
    """Return each of our ids that is a judged one after these rules, with that one."""

    def written(one: bytes) -> bytes:
        for rule in rules:
            one = RULES[rule](one)
        return one

    by_key = {(topic, written(seen)): one for (topic, seen), one in judged.items()}
    pairs = ((one, by_key.get((topic, written(seen)))) for topic, seen, one in ours)
    return [(one, other) for one, other in pairs if other is not None and _may_be(one, other, rules)]


def _may_be(one: bytes, other: bytes, rules: tuple[str, ...]) -> bool:
    """Return whether the punctuation differs, if it is left out: 31_1 and 3_11 have the same notation."""
    return PUNCTUATION not in rules or one.translate(None, _MARKS) != other.translate(None, _MARKS)


def documents_rewritten(
    pool: Pool, topic_of: IntArray, ids: WordIds, retrieved: AnyInts, most: int = MOST
) -> tuple[Respelling, int] | None:
    """Return what would make rows of a run match, and how many rows were looked at.

    topic_of, ids  (n,) topics of the rows as indices of the pool's, -1 for others; their documents
    retrieved      (m,) documents of the pool that the run has
    most           judged documents after which no further topic is looked at
    """
    topics = np.unique(topic_of[topic_of >= 0])
    topics = topics[: 1 + int(np.searchsorted(np.cumsum(lengths_at(pool.offsets, topics)), most))]
    rows = np.flatnonzero(np.isin(topic_of, topics))
    counts, judged = pool.documents_of(topics)
    every = np.arange(judged.start, judged.stop) if isinstance(judged, slice) else judged
    wanted = list(zip(np.repeat(topics, counts).tolist(), pool.documents.take(judged), strict=True))
    ours = set(zip(topic_of[rows].tolist(), ids.take(rows), strict=True)).difference(wanted)
    lacking = ~np.isin(every, retrieved)
    found = find_rewriting(sorted(ours), list(compress(wanted, lacking.tolist())))
    return None if found is None else (found, len(rows))


def topics_rewritten(ranking: Ranking, pool: Pool) -> Respelling | None:
    """Return what would make topics match, of which a run has some that the judgements lack."""
    lacking = np.setdiff1d(np.arange(len(pool.topics)), ranking.topic)[:MOST]
    ours = dict.fromkeys(ranking.unjudged_ids.take(slice(MOST)))
    return find_rewriting([(0, one) for one in ours], [(0, one) for one in pool.topics.take(lacking)])

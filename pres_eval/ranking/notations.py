"""Ids that match nothing, and would if they were written alike: which rewriting would do, and for how many."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from itertools import compress

import numpy as np

from pres_eval.arrays.ragged import lengths_at
from pres_eval.arrays.types import IntArray
from pres_eval.errors import quoted
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

MOST = 2048
"""Judged documents that a run's opening is compared with, those of its first topics; and topics."""

Id = tuple[int, bytes]
"""A document with the number of its topic; topics themselves all have the same number."""

Rule = Callable[[bytes], bytes]
"""What is done to ids, one a line."""

PUNCTUATION = "punctuation"
_PUNCTUATION = string.punctuation.encode()
_NO_PUNCTUATION = bytes(set(range(256)) - set(_PUNCTUATION))


def _without(pattern: bytes) -> Rule:
    """Return the rule that takes out what fits the pattern."""
    return lambda lines: re.sub(pattern, b"", lines, flags=re.MULTILINE)


RULES: dict[str, Rule] = {
    "case": bytes.lower,
    "'.0' at the end": _without(rb"\.0+$"),
    "leading zeros": _without(rb"(?<![0-9.])0+(?=[0-9])"),
    PUNCTUATION: lambda lines: lines.translate(None, _PUNCTUATION),
}
"""What notations differ in, in the order in which it is taken out of the ids of both sides."""

_TRIED = tuple([name for name in RULES if name != left] for left in (PUNCTUATION, "leading zeros", ""))
"""The rules together: with punctuation zeros may no longer lead."""

_SEPARATORS = b"#:%|@_.-"
_WORDS = (b"chunk", b"passage", b"part", b"seg")
CHUNKS = "the number of a chunk at the end"


@dataclass(frozen=True)
class Rewriting:
    """What would make ids match that match nothing.

    names        what has to be left out of the ids
    count        ids of the run that would match then
    ours, judged one of them, and the id of the judgements that it would match
    """

    names: tuple[str, ...]
    count: int
    ours: bytes
    judged: bytes

    @property
    def text(self) -> str:
        """What to leave out, and an id of each side."""
        names = " and ".join(self.names)
        return f"without {names} (the run has {quoted(self.ours)}, the qrels have {quoted(self.judged)})"


def find_rewriting(ours: Sequence[Id], judged: Sequence[Id]) -> Rewriting | None:
    """Return the rewriting with which ids of a run match judged ones, None if there is none.

    All ids are such that match nothing as they are.
    """
    for chunks in ((False, False), (True, False), (False, True)):
        if found := _matching(*_candidates(ours, judged, chunks), chunks):
            return found
    return None


def _candidates(
    ours: Sequence[Id], judged: Sequence[Id], chunks: tuple[bool, bool]
) -> tuple[list[Id], list[Id]]:
    """Return the ids that may be alike: all that a rule may take out is taken out, which is fast."""
    keys, others = _rough(ours, chunks[0]), _rough(judged, chunks[1])
    both = set(keys).intersection(others) - {b""}
    return tuple(
        [one for one, key in zip(ids, found, strict=False) if key in both] if both else []
        for ids, found in ((ours, keys), (judged, others))
    )


def _rough(ids: Sequence[Id], chunk: bool) -> list[bytes]:
    """Return the ids without all that rules may take out of them."""
    lines = b"\n".join(_whole(one) if chunk else one for _, one in ids)
    return lines.lower().translate(None, _PUNCTUATION + b"0").split(b"\n")


def _matching(ours: Sequence[Id], judged: Sequence[Id], chunks: tuple[bool, bool]) -> Rewriting | None:
    """Return the fewest rules with which most ids match."""
    for tried in _TRIED if ours else ():
        names = tried
        found = _pairs(ours, judged, names, chunks)
        if not found:
            continue
        for name in tried:
            fewer = [other for other in names if other != name]
            pairs = _pairs(ours, judged, fewer, chunks)
            if len(pairs) == len(found):
                names, found = fewer, pairs
        one, other = found[0]
        shown = (*names, CHUNKS) if any(chunks) else tuple(names)
        return Rewriting(names=shown, count=len(found), ours=one, judged=other)
    return None


def _pairs(
    ours: Sequence[Id], judged: Sequence[Id], names: Sequence[str], chunks: tuple[bool, bool]
) -> list[tuple[bytes, bytes]]:
    """Return each of our ids that is a judged one after these rules, with that one."""
    by_key = {
        key: one[1] for key, one in zip(_keys(judged, names, chunks[1]), judged, strict=False) if key[1]
    }
    keys = zip(_keys(ours, names, chunks[0]), ours, strict=False)
    pairs = [(one, by_key[key]) for key, (_, one) in keys if key in by_key]
    if PUNCTUATION in names:
        # 31_1 and 3_11 are different ids of the same notation.
        return [(one, other) for one, other in pairs if _marks(one) != _marks(other)]
    return pairs


def _marks(identifier: bytes) -> bytes:
    """Return the punctuation of an id."""
    return identifier.translate(None, _NO_PUNCTUATION)


def _keys(ids: Sequence[Id], names: Sequence[str], chunk: bool) -> list[Id]:
    """Return the ids after these rules; all are done at once, which takes a tenth of the time."""
    lines = b"\n".join(_whole(one) if chunk else one for _, one in ids)
    for name in names:
        lines = RULES[name](lines)
    return list(zip((topic for topic, _ in ids), lines.split(b"\n"), strict=False))


def _whole(chunk: bytes) -> bytes:
    """Return the id without the number of a chunk at its end: d1#0, d1_chunk_0; nothing if it has none."""
    before = chunk.rstrip(b"0123456789")
    if len(before) == len(chunk):
        return b""
    whole = before.rstrip(_SEPARATORS)
    if whole.endswith(_WORDS):
        return whole[: -len(next(filter(whole.endswith, _WORDS)))].rstrip(_SEPARATORS)
    return whole if len(whole) < len(before) else b""


def documents_rewritten(ranking: Ranking, pool: Pool) -> tuple[Rewriting, int] | None:
    """Return what would make documents at the opening of a run match, and how many rows were looked at."""
    if ranking.opening is None:
        return None
    opened = ranking.opening
    topic_of = pool.find_topics(opened.topics.take(slice(None)))
    topics = np.unique(topic_of[topic_of >= 0])
    topics = topics[: 1 + int(np.searchsorted(np.cumsum(lengths_at(pool.offsets, topics)), MOST))]
    counts, judged = pool.documents_of(topics)
    every = np.arange(judged.start, judged.stop) if isinstance(judged, slice) else judged
    left = ~np.isin(every, _retrieved(ranking, topics))
    rows = np.flatnonzero(np.isin(topic_of, topics))
    if not left.any() or not len(rows):
        return None
    ids, names = list(pool.documents.take(every)), list(opened.documents.take(rows))
    wanted = list(zip(np.repeat(topics, counts).tolist(), ids, strict=True))
    ours = set(zip(topic_of[rows].tolist(), names, strict=True)).difference(wanted)
    found = find_rewriting(sorted(ours), list(compress(wanted, left.tolist())))
    return None if found is None else (found, len(rows))


def _retrieved(ranking: Ranking, topics: IntArray) -> IntArray:
    """Return the judged documents (n,) of some topics that a run retrieved."""
    place = np.searchsorted(ranking.topic, topics)
    there = place[ranking.topic.take(place, mode="clip") == topics] if len(ranking.topic) else place[:0]
    spans = [ranking.document[ranking.offsets[one] : ranking.offsets[one + 1]] for one in there.tolist()]
    return np.concatenate([np.zeros(0, np.int64), *spans])


def topics_rewritten(ranking: Ranking, pool: Pool) -> Rewriting | None:
    """Return what would make topics match, of which a run has some that the judgements lack."""
    if not len(ranking.unjudged_ids):
        return None
    lacking = np.setdiff1d(np.arange(len(pool.topics)), ranking.topic)[:MOST]
    ours = [(0, one) for one in ranking.unjudged_ids.take(slice(MOST))]
    return find_rewriting(list(dict.fromkeys(ours)), [(0, one) for one in pool.topics.take(lacking)])

"""Runs whose lines are in no order: two numbers are kept of each row.

One of them is its place: its topic, and its score.  The judged documents are found
while the file is read; a search among these numbers, sorted some at a time, finds their places.  The
other is a hash of topic and document: if it comes twice, a document may have come twice.  Ids are read
again only for that, and for documents tied with a judged one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from pres_eval.arrays import (
    AnyInts,
    Ids,
    IntArray,
    Table,
    TopicNumbers,
    Words,
    blocks,
    changed,
    has_equal,
    narrow,
    odd_numbers,
)
from pres_eval.engines.threads import in_order
from pres_eval.ranking.order import place_keys
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

_SIEVE_BITS = 4
"""As many bits more than numbers of judged documents have: one row in 16 that was not judged passes."""


class Finder:
    """Finds the judged documents; has no state that changes, so that any thread may call it.

    Hashes depend on `seed` alone: from arrays.ids.EVERY_PROCESS on they are the same in every process.
    """

    def __init__(self, pool: Pool, seed: int) -> None:
        self.pool = pool
        self._topic_factor = np.uint64(odd_numbers(seed, 1)[0])
        topic_of = pool.topic_of
        for self._seed in range(seed + 1, seed + len(pool.documents) + 2):
            self._table = Table(self.keys(topic_of, pool.documents))
            if not len(self._table.repeats()[0]):
                break
        bits = len(pool.documents).bit_length() + _SIEVE_BITS
        self._shift = np.uint64(64 - bits)
        self._sieve = np.zeros(1 << bits, np.bool_)
        self._sieve[self._table.keys >> self._shift] = True

    def keys(self, topic: AnyInts, ids: Ids) -> Words:
        """Return (N,) hashes of topics, as indices of the pool's, and documents."""
        hashes = ids.hashes(self._seed)
        hashes += topic.astype(np.uint64) * self._topic_factor
        return hashes

    def find(self, topic: AnyInts, ids: Ids, keys: Words | None = None) -> tuple[IntArray, IntArray]:
        """Return the rows (F,) of N that are judged documents, ascending, and their places in the pool (F,).

        `keys` (N,) are made if they are not given.
        """
        keys = self.keys(topic, ids) if keys is None else keys
        rows = np.flatnonzero(self._sieve[(keys >> self._shift).view(np.int64)])
        document = self._table.find(keys[rows])
        rows, document = rows[document >= 0], document[document >= 0]
        same = ids.take(rows).equal(np.arange(len(rows)), self.pool.documents, document)
        offsets, own = self.pool.offsets, topic[rows]
        same &= (offsets[own] <= document) & (document < offsets[own + 1])
        return rows[same], document[same]


_SHARE_BITS = 8
_SHARES = 1 << _SHARE_BITS
"""Shares of the documents' keys: each is small enough for a table of it to stay in the cache."""
_SHARES_AT_ONCE = 16

LEAST_SORTED = 1 << 17
"""Place keys that are sorted together, or as many as are looked up among them: sorting many takes long, and
so does looking up in many small parts."""


class IdsWantedError(Exception):
    """Documents came twice, or many scores are tied: ids have to be kept."""


@dataclass(frozen=True, eq=False)
class KeyedRows:
    """Kept parts of N rows of judged topics, J of them judged documents.

    place_keys         (N,) ascend from topic to topic, and with descending scores in a topic; in any order
    document_keys      (N,) hashes of topics and documents, share by share
    shares             (_SHARES+1,) where those of each share begin
    document, own_key  (J,) judged documents, as indices of the pool's, and the place key of each
    """

    place_keys: Words
    document_keys: Words
    shares: IntArray
    document: AnyInts
    own_key: Words

    @staticmethod
    def of(
        finder: Finder,
        topic: AnyInts,
        scores: Scores,
        ids: Ids,
        *,
        look_for_ties: bool = False,
        checks: bool = True,
    ) -> KeyedRows:
        """Return the kept parts of rows: topics (N,) as indices of the pool's, scores and ids (N,).

        `checks`: whether keys of documents are kept.  Raises IdsWantedError if scores tie, where that is
        looked for: then those of other rows also do.
        """
        keys = finder.keys(topic, ids)
        places = place_keys(topic, scores, len(finder.pool.topics))
        if look_for_ties and has_equal(places):
            raise IdsWantedError
        rows, document = finder.find(topic, ids, keys)
        keys = keys if checks else keys[:0]
        # numpy sorts numbers of eight bits by digits, much faster than whole keys.
        share = (keys >> np.uint64(64 - _SHARE_BITS)).astype(np.uint8)
        return KeyedRows(
            place_keys=places,
            document_keys=keys[np.argsort(share, kind="stable")],
            shares=np.concatenate(([0], np.cumsum(np.bincount(share, minlength=_SHARES)))),
            document=narrow(document),
            own_key=places[rows],
        )

    @staticmethod
    def joined(parts: Sequence[KeyedRows]) -> KeyedRows:
        """Return all of them; the place keys ascend."""
        counts = np.sum([np.diff(part.shares) for part in parts], axis=0)
        return KeyedRows(
            place_keys=_sorted([part.place_keys for part in parts]),
            document_keys=np.concatenate([part.share(i) for i in range(_SHARES) for part in parts]),
            shares=np.concatenate(([0], np.cumsum(counts))),
            document=np.concatenate([part.document for part in parts]),
            own_key=np.concatenate([part.own_key for part in parts]),
        )

    def share(self, number: int) -> Words:
        """Return (n,) the document keys of a share."""
        return self.document_keys[self.shares[number] : self.shares[number + 1]]


def rank_in_any_order(
    parts: Sequence[KeyedRows],
    topics: Words,
    jobs: int,
    rank_tied: Callable[[Words], Ranked],
) -> Ranked:
    """Rank the judged documents of a run, of whose rows these parts are kept.

    topics  (T,) the least key that a place in each topic can have
    `rank_tied` is given the keys of ties (E,), ascending, and ranks each like a topic of its own.
    Raises IdsWantedError if a document may have come twice.
    """
    shares = range(0, _SHARES, _SHARES_AT_ONCE)
    if any(in_order(partial(_repeat_in_shares, parts), shares, jobs)):
        raise IdsWantedError
    document = np.concatenate([part.document for part in parts])
    if has_equal(document):
        raise IdsWantedError
    own_key = np.concatenate([part.own_key for part in parts])
    order = np.argsort(own_key)
    document, own_key = document[order], own_key[order]
    place, equal, begins = _look_up(parts, own_key, topics, jobs)
    num_ret = np.diff(begins)
    tied = np.flatnonzero(equal > 1)
    found = _settled(tied, own_key, place, document, rank_tied) if len(tied) else NO_TIES
    topic = np.flatnonzero(num_ret)
    offsets = np.append(np.searchsorted(place, begins[topic]), len(place))
    before = np.repeat(begins[topic], np.diff(offsets))
    if len(found.document):
        found = Ties(found.document, found.first - before[found.document] + 1, found.size)
    return Ranked(
        topic=topic,
        num_ret=num_ret[topic],
        offsets=offsets,
        rank=narrow(place - before + 1),
        document=narrow(document),
        ties=found,
    )


def _repeat_in_shares(parts: Sequence[KeyedRows], first: int) -> bool:
    """Return whether a document key occurs twice, looking at one share at a time."""
    return any(
        len(Table(np.concatenate([part.share(number) for part in parts])).repeats()[0])
        for number in range(first, first + _SHARES_AT_ONCE)
    )


def _look_up(
    parts: Sequence[KeyedRows], own_key: Words, topics: Words, jobs: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return (J,) how many rows have smaller keys than each of (J,), ascending; (J,) how many the same;
    and (T+1,) where topics begin if all rows are sorted.
    """

    def of_some(some: list[Words]) -> tuple[IntArray, IntArray, IntArray]:
        every = _sorted(some)
        place = np.searchsorted(every, own_key)
        begins = np.append(np.searchsorted(every, topics), len(every))
        return place, np.searchsorted(every, own_key, side="right") - place, begins

    place, equal = np.zeros(len(own_key), np.int64), np.zeros(len(own_key), np.int64)
    begins = np.zeros(len(topics) + 1, np.int64)
    keys = [part.place_keys for part in parts]
    offsets = np.cumsum([0, *map(len, keys)])
    groups = blocks(offsets, max(LEAST_SORTED, len(own_key), len(topics)))
    for found in in_order(of_some, (keys[first:last] for first, last in groups), jobs):
        for total, some in zip((place, equal, begins), found, strict=True):
            np.add(total, some, out=total)
    return place, equal, begins


def _settled(
    tied: IntArray,
    own_key: Words,
    place: IntArray,
    document: AnyInts,
    rank_tied: Callable[[Words], Ranked],
) -> Ties:
    """Give documents whose keys others have too, `tied` (E,) of (D,), their places.

    Return the ties among these, their first places instead of ranks.
    """
    ties = own_key[tied]
    ranked = rank_tied(ties[changed(ties)])
    by_document = np.argsort(ranked.document)
    where = by_document[np.searchsorted(ranked.document[by_document], document[tied])]
    assert (ranked.document[where] == document[tied]).all()
    places = place[tied] + ranked.rank[where].astype(np.int64) - 1
    order = np.argsort(places)  # those of a tie are neighbours
    place[tied], document[tied] = places[order], document[tied[order]]
    # Scores of equal keys may differ in bits that the keys lost: the ties are those of the ranked ones.
    own = ranked.ties.document
    by_document = tied[np.argsort(document[tied])]
    index = by_document[np.searchsorted(document[by_document], ranked.document[own])]
    first = place[index] - ranked.rank[own].astype(np.int64) + ranked.ties.first
    return Ties.at(index, first, ranked.ties.size)


def rows_of_ties(
    ties: Words, num_topics: int, topic: AnyInts, scores: Scores
) -> tuple[IntArray, TopicNumbers]:
    """Return which of N rows belong to ties (E,), and (n,) the number of the tie of each."""
    keys = place_keys(topic, scores, num_topics)
    tie = np.minimum(np.searchsorted(ties, keys), len(ties) - 1)
    rows = np.flatnonzero(ties[tie] == keys)
    return rows, tie[rows].astype(np.int32)


def _sorted(parts: Sequence[Words]) -> Words:
    """Return (N,) all keys of some parts, ascending; of a single part that is so already, itself."""
    if len(parts) == 1 and not (parts[0][1:] < parts[0][:-1]).any():
        return parts[0]
    keys: Words = np.concatenate(parts)
    keys.sort()
    return keys

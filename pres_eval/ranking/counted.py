"""Runs whose lines are in no order: of a row no more is kept than two numbers.

One of them says where it belongs: its topic, and behind how high a score.  Sorted, these numbers give the
places of the judged documents, which are found while the file is read.  The other is a hash of topic and
document: if it comes twice, a document may have come twice.  Ids are looked at again only for that, and for
documents tied with a judged one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pres_eval.arrays.growing import Growing, narrow
from pres_eval.arrays.ids import Ids, random_odd_number
from pres_eval.arrays.matching import KeyTable
from pres_eval.arrays.types import AnyInts, BoolArray, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.ranking.keys import place_keys, topic_keys
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties
from pres_eval.ranking.scattered import Rows
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass
from pres_eval.workers import in_order

_TOPIC_FACTOR = random_odd_number()
_SIEVE_BITS = 4
"""As many bits more than numbers of judged documents have: one row in 16 that was not judged passes."""


class IdsWantedError(Exception):
    """Documents came twice, or many scores are tied: ids have to be kept."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What is kept of N rows of judged topics, J of them judged documents.

    place_keys         (N,) ascend from topic to topic, and with descending scores in a topic
    document_keys      (N,) hashes of topics and documents
    document, own_key  (J,) judged documents, as indices of the pool's, and the place key of each
    """

    place_keys: Words
    document_keys: Words
    document: IntArray
    own_key: Words


class Finder:
    """Finds the judged documents among rows; has no state that changes, so that any thread may call it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        topic_of = pool.topic_of
        for seed in range(len(pool.documents) + 1):
            self._seed = seed
            self._table = KeyTable(_document_keys(topic_of, pool.documents.hashes(seed)))
            if not len(self._table.repeats()[0]):
                break
        bits = len(pool.documents).bit_length() + _SIEVE_BITS
        self._shift = np.uint64(64 - bits)
        self._sieve = np.zeros(1 << bits, np.bool_)
        self._sieve[self._table.keys >> self._shift] = True

    def __reduce__(self) -> tuple[type[Finder], tuple[Pool]]:
        # Hashes are those of one process: another one makes its own table.
        return Finder, (self._pool,)

    def count(self, topic: AnyInts, scores: Scores, ids: Ids) -> Counted:
        """What is kept of rows: topics (N,) as indices of the pool's, scores and ids (N,)."""
        keys = _document_keys(topic, ids.hashes(self._seed))
        places = place_keys(topic, scores, len(self._pool.topics))
        rows, document = self._found(keys, topic, ids)
        return Counted(place_keys=places, document_keys=keys, document=document, own_key=places[rows])

    def find(self, topic: AnyInts, ids: Ids | WordIds) -> tuple[IntArray, IntArray]:
        """(F,) which of N rows are judged documents, ascending, and (F,) which of the pool's these are."""
        return self._found(_document_keys(topic, ids.hashes(self._seed)), topic, ids)

    def _found(self, keys: Words, topic: AnyInts, ids: Ids | WordIds) -> tuple[IntArray, IntArray]:
        """(F,) the rows of (N,) that are judged documents, and (F,) their places in the pool."""
        rows = np.flatnonzero(self._sieve[(keys >> self._shift).view(np.int64)])
        document = self._table.find(keys[rows])
        rows, document = rows[document >= 0], document[document >= 0]
        same = WordIds.of(ids.take(rows)).equal(np.arange(len(rows)), self._pool.documents, document)
        same &= self._is_of(document, topic[rows])
        return rows[same], document[same]

    def _is_of(self, document: IntArray, topic: AnyInts) -> BoolArray:
        """(n,) whether documents of the pool are of these topics (n,)."""
        offsets = self._pool.offsets
        inside: BoolArray = (offsets[topic] <= document) & (document < offsets[topic + 1])
        return inside


def _document_keys(topic: AnyInts, hashes: Words) -> Words:
    """(N,) hashes of topics and documents, in the place of those of the documents."""
    hashes += topic.astype(np.uint64) * _TOPIC_FACTOR
    return hashes


class Counting:
    """Collects what is kept of rows, and ranks the judged documents in the end."""

    def __init__(self, pool: Pool, single: bool) -> None:
        self._pool = pool
        self._single = single
        self._place_keys, self._document_keys = Growing(np.uint64), Growing(np.uint64)
        self._document, self._own_key = Growing(np.int64), Growing(np.uint64)

    def add(self, rows: Counted) -> None:
        """Take some more rows.

        Raises IdsWantedError if scores of the first ones are tied: then those of others are, too.
        """
        if not len(self._place_keys) and _has_equal_neighbours(np.sort(rows.place_keys)):
            raise IdsWantedError
        self._place_keys.append(rows.place_keys)
        self._document_keys.append(rows.document_keys)
        self._document.append(rows.document)
        self._own_key.append(rows.own_key)

    def rank(self, jobs: int, rank_tied: Callable[[Words], Ranked]) -> Ranked:
        """Rank the judged documents.

        `rank_tied` is given the keys of ties (E,), ascending, and ranks each like a topic of its own.
        Raises IdsWantedError if a document may have come twice.
        """
        keys, document_keys = self._place_keys.values(), self._document_keys.values()
        for values in in_order(_in_place_sorted, (keys, document_keys), jobs):
            if values is document_keys and _has_equal_neighbours(values):
                raise IdsWantedError
        self._document_keys = Growing(np.uint64)
        document, own_key = self._document.values(), self._own_key.values()
        order = np.argsort(own_key)
        document, own_key = document[order], own_key[order]
        place = np.searchsorted(keys, own_key)
        tied = np.flatnonzero(keys[np.minimum(place + 1, len(keys) - 1)] == own_key)
        tied = tied[place[tied] + 1 < len(keys)]
        begins = np.searchsorted(keys, topic_keys(len(self._pool.topics), self._single))
        num_ret = np.diff(np.append(begins, len(keys)))
        found = NO_TIES
        if len(tied):
            self._place_keys = Growing(np.uint64)
            ties = own_key[tied]
            ranked = rank_tied(ties[np.concatenate(([True], ties[1:] != ties[:-1]))])
            by_document = np.argsort(ranked.document)
            where = by_document[np.searchsorted(ranked.document[by_document], document[tied])]
            assert (ranked.document[where] == document[tied]).all()
            place[tied] += ranked.rank[where].astype(np.int64) - 1
            order = np.argsort(place)
            place, document = place[order], document[order]
            found = _ties(ranked, place, document)
        topic = np.flatnonzero(num_ret)
        bounds = np.searchsorted(place, begins[topic])
        offsets = np.append(bounds, len(place))
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


def _ties(ranked: Ranked, place: IntArray, document: IntArray) -> Ties:
    """The ties among documents at these places (D,), their first places instead of ranks.

    `ranked`: those whose keys are equal; their scores may differ in bits that the keys lost.
    """
    own = ranked.ties.document
    by_document = np.argsort(document)
    index = by_document[np.searchsorted(document[by_document], ranked.document[own])]
    first = place[index] - ranked.rank[own].astype(np.int64) + ranked.ties.first
    return Ties.at(index, first, ranked.ties.size)


def tied_rows(ties: Words, num_topics: int, topic: AnyInts, scores: Scores, ids: Ids) -> Rows:
    """The rows, of N, that belong to ties (E,), each with the number of its tie instead of its topic."""
    keys = place_keys(topic, scores, num_topics)
    tie = np.minimum(np.searchsorted(ties, keys), len(ties) - 1)
    rows = np.flatnonzero(ties[tie] == keys)
    return Rows(tie[rows].astype(np.int32), scores[rows], WordIds.of(ids.take(rows)))


def _in_place_sorted(values: Words) -> Words:
    """The values (n,), sorted where they are."""
    values.sort()
    return values


def _has_equal_neighbours(in_order: Words) -> bool:
    """Whether two neighbours in sorted values (n,) are equal."""
    return bool((in_order[1:] == in_order[:-1]).any())

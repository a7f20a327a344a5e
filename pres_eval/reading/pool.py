"""The documents that somebody judged, by topic: what a run is joined with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.batch import BoolArray, IntArray
from pres_eval.reading.keys import Ids, PickedIds, Words, byte_order, changes, distinct, equal, has_equal

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Pool:
    """T topics in byte order, and the D documents that somebody judged for them.

    Documents stand in the order of their keys, which is that of their topics; inside of a topic it is fixed,
    but means nothing (`byte_order` gives the order of their ids).  A key is the topic's index in its upper
    bits and a hash of the document's id below: no two documents of the pool have the same, so a document of a
    run can be one document of the pool at most, and comparing the two settles whether it is.

    topics      T ids
    documents   D ids
    offsets     (T+1,) where each topic's documents begin
    keys        (D,) ascending
    seed        of the hash of documents' ids
    """

    topics: Ids
    documents: Ids
    offsets: IntArray
    keys: Words
    seed: int
    topic_seed: int
    topic_hashes: Words
    topic_by_hash: IntArray
    filter: BoolArray
    """Marks the upper bits of all keys' spread: drops most unjudged documents with one look."""

    @property
    def topic_of(self) -> IntArray:
        """(D,) index of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def find_topics(self, ids: Ids) -> IntArray:
        """The index of each topic, -1 for those that the pool does not have."""
        hashes = ids.hashes(self.topic_seed)
        place = np.minimum(np.searchsorted(self.topic_hashes, hashes), len(self.topic_hashes) - 1)
        index = self.topic_by_hash[place]
        rows = np.flatnonzero(self.topic_hashes[place] == hashes)
        found = np.full(len(ids), -1, np.int64)
        rows = rows[equal(ids.take(rows), self.topics.take(index[rows]))]
        found[rows] = index[rows]
        return found

    def find_documents(self, keys: Words, ids: Ids | PickedIds) -> tuple[IntArray, IntArray]:
        """The rows that are documents of the pool, ascending, and which ones they are."""
        rows = np.flatnonzero(self.filter[_spread(keys, self.filter)])
        place = np.minimum(np.searchsorted(self.keys, keys[rows]), len(self.keys) - 1)
        same = self.keys[place] == keys[rows]
        rows, place = rows[same], place[same]
        same = equal(ids.take(rows), self.documents.take(place))
        return rows[same], place[same]

    def make_keys(self, topics: IntArray, lengths: IntArray, hashes: Words) -> Words:
        """The keys of documents: the first lengths[0] of them belong to topic topics[0], and so on.

        `hashes` are those of the documents' ids with this pool's seed; they are overwritten.
        """
        return _keys(topics, lengths, hashes, len(self.topics))

    def byte_order(self) -> IntArray:
        """The permutation that sorts the documents by topic and id."""
        return byte_order(self.documents, self.topic_of)


def _keys(topics: IntArray, lengths: IntArray, hashes: Words, num_topics: int) -> Words:
    hashes >>= np.uint64(_topic_bits(num_topics))
    hashes |= np.repeat(_first_keys(num_topics)[topics], lengths)
    return hashes


def _first_keys(num_topics: int) -> Words:
    """The least key that a document of each topic can have."""
    return np.arange(num_topics, dtype=np.uint64) << np.uint64(64 - _topic_bits(num_topics))


def _topic_bits(num_topics: int) -> int:
    return max((num_topics - 1).bit_length(), 1)


def _spread(keys: Words, marks: BoolArray) -> IntArray:
    return ((keys * _SPREAD) >> np.uint64(64 - (len(marks) - 1).bit_length())).view(np.int64)


def build_pool(topic_ids: Ids, document_ids: Ids) -> tuple[Pool, IntArray]:
    """The pool of (topic, document) rows, and the index of each row's document in it."""
    first = changes(topic_ids)
    return build_grouped_pool(topic_ids.take(first), np.diff(first, append=len(topic_ids)), document_ids)


def build_grouped_pool(topic_ids: Ids, lengths: IntArray, document_ids: Ids) -> tuple[Pool, IntArray]:
    """The same for rows in groups: the first lengths[0] documents belong to topic topic_ids[0], and so on."""
    topics, topic_of_group = distinct(topic_ids)
    seed = -1
    while True:
        seed += 1
        keys = _keys(topic_of_group, lengths, document_ids.hashes(seed), len(topics))
        order = np.argsort(keys)
        keys = keys[order]
        new = np.concatenate(([True], keys[1:] != keys[:-1]))
        if new.all():
            break
        first = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
        if equal(document_ids.take(first[~new]), document_ids.take(order[~new])).all():
            break
    document_of_row = np.empty(len(order), np.int64)
    document_of_row[order] = np.cumsum(new) - 1
    keys = keys[new]
    topic_seed, hashes = _distinct_hashes(topics)
    by_hash = np.argsort(hashes, kind="stable")
    pool = Pool(
        topics,
        document_ids.take(order[new]),
        np.append(np.searchsorted(keys, _first_keys(len(topics))), len(keys)),
        keys,
        seed,
        topic_seed,
        hashes[by_hash],
        by_hash,
        _filter(keys),
    )
    return pool, document_of_row


def _distinct_hashes(ids: Ids) -> tuple[int, Words]:
    """Hashes of distinct ids of which no two are the same, and the seed that gives them."""
    seed = 0
    while True:
        hashes = ids.hashes(seed)
        if not has_equal(hashes):
            return seed, hashes
        seed += 1


def _filter(keys: Words) -> BoolArray:
    marks = np.zeros(1 << min(max(len(keys).bit_length() + 5, 12), 24), np.bool_)
    marks[_spread(keys, marks)] = True
    return marks

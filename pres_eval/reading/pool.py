"""The judged documents, by topic, which a run is joined with, and results that are kept for the next run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from pres_eval.arrays import (
    NO_IDS,
    AnyArray,
    AnyInts,
    Ids,
    IdTable,
    IntArray,
    Matches,
    Stretches,
    consecutive,
    lengths_at,
    match,
    repeated,
    stable_order,
)
from pres_eval.records import dataclass

Value = TypeVar("Value")

MOST_REMEMBERED = 1 << 18
"""Documents of which something is remembered."""


class Remembered:
    """Values that are made when they are first used; a copy, or another process, begins without any.

    `most` is how much is kept: when that is reached, all is made anew.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, tuple[Any]] = {}
        self._size = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._most,)

    def get(self, key: Hashable, size: int, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not there; one that is larger than `most` is not kept."""
        # Threads may make a value twice, which are the same.
        remembered = self._values.get(key)
        if remembered is not None:
            return cast(Value, remembered[0])
        value = make()
        if size > self._most:
            return value
        if self._size + size > self._most:
            self._values, self._size = {}, 0
        self._values[key] = (value,)
        self._size += size
        return value


@dataclass(frozen=True, eq=False)
class Pool:
    """T topics in byte order, and the D documents that somebody judged for them.

    Documents are in the order of topics; inside of a topic they are in that of the file, which means nothing
    (`byte_order` gives the order of their ids).

    topics       T ids
    documents    D ids
    offsets      (T+1,) where each topic's documents begin
    topic_table  in which the topics are found
    """

    topics: Ids
    documents: Ids
    offsets: IntArray
    topic_table: IdTable
    remembered: Remembered = field(init=False, default_factory=partial(Remembered, MOST_REMEMBERED))
    """Results of other modules for these documents, kept for the next run."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Hashes are those of one process: another one makes its own table.
        return pool_of, (self.topics, self.documents, self.offsets)

    @property
    def topic_of(self) -> IntArray:
        """(D,) index of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def find_topics(self, ids: Ids) -> IntArray:
        """Return (n,) the index of each topic, -1 for those that the pool does not have."""
        return self.topic_table.find(ids)

    def documents_of(self, topics: IntArray) -> tuple[IntArray, IntArray | slice]:
        """Return the numbers (S,) of documents of some topics, and the documents (n,), topic after topic."""
        counts = lengths_at(self.offsets, topics)
        return counts, consecutive(self.offsets[topics], counts)[0]

    def join(self, topics: IntArray, lengths: IntArray, documents: Ids) -> Matches:
        """Find the documents of topics (S,) among some, of which the first lengths[0] are of the first topic.

        Topics are indices, -1 for one that the pool does not have; `partners` are documents of the pool.
        """
        num_judged = np.zeros(len(topics), np.int64)
        is_known = topics >= 0
        num_judged[is_known], judged = self.documents_of(topics[is_known])
        matches = match(lengths, documents, num_judged, self.documents.take(judged))
        if isinstance(judged, slice):
            return replace(matches, partners=matches.partners + judged.start)
        return replace(matches, partners=judged[matches.partners])

    def num_documents_of(self, topics: IntArray) -> int:
        """Count the documents of some topics (n,) together."""
        return int(lengths_at(self.offsets, topics).sum())

    def byte_order(self) -> IntArray:
        """Return (D,) the permutation that sorts the documents by topic and id."""
        return self.documents.byte_order(self.topic_of)


@dataclass(frozen=True, eq=False)
class Pooled:
    """A pool, and the rows that its documents were made of.

    rows      (D,) the first row of each document, or the stretches in which they follow each other; None if
              all rows are documents, in the same order
    again     (n,) the rows that repeat a document, ascending
    document  (n,) which document each of these repeats
    """

    pool: Pool
    rows: IntArray | Stretches | None
    again: IntArray
    document: IntArray

    def of_documents(self, values: AnyArray) -> AnyArray:
        """Return (D,) the values that rows (N,) have, of the first row of each document."""
        if self.rows is None:
            return values
        if isinstance(self.rows, Stretches):
            return self.rows.values_in(values)
        return values[self.rows]

    def document_of_row(self) -> IntArray:
        """Return (N,) the index of each row's document."""
        size = len(self.pool.documents)
        index = np.empty(size + len(self.again), np.int64)
        index[self.of_documents(np.arange(len(index)))] = np.arange(size)
        index[self.again] = self.document
        return index


def build_pool(
    topic_ids: Ids, lengths: IntArray, documents: Ids, groups: AnyInts | None = None, jobs: int | None = 1
) -> Pooled:
    """Return the pool of rows of topics: topic_ids[0] has the first lengths[0] rows.

    With `groups` (G,) the lengths (G,) are of groups of rows: topic topic_ids[groups[0]] has the first ones.
    """
    topics, index = topic_ids.distinct()
    topic_of_group = index if groups is None else index[groups]
    rows: IntArray | Stretches | None = None
    if (topic_of_group[1:] < topic_of_group[:-1]).any():
        order = stable_order(topic_of_group, len(topics))
        rows = order  # each row is a group
        if len(order) < len(documents):
            rows = Stretches((np.cumsum(lengths) - lengths)[order], lengths[order])
        documents = documents.take(rows)
        topic_of_group, lengths = topic_of_group[order], lengths[order]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    offsets = ends[np.searchsorted(topic_of_group, np.arange(len(topics) + 1))]
    repeats, first = repeated(offsets, documents, jobs)
    if not len(repeats):
        return Pooled(pool_of(topics, documents, offsets), rows, repeats, first)
    return _without_repeats(topics, documents, offsets, rows, repeats, first)


def _without_repeats(
    topics: Ids,
    documents: Ids,
    offsets: IntArray,
    rows: IntArray | Stretches | None,
    repeats: IntArray,
    first: IntArray,
) -> Pooled:
    """Return the pool of documents (N,) of which some repeat others of their topic.

    offsets  (T+1,) where each topic's documents begin
    rows     the row of each document in the file; None: in the same order
    repeats  (n,) the documents that repeat another, ascending
    first    (n,) the documents that these repeat
    Of documents a, b, a, c of one topic the third repeats the first: a, b, c are left, as 0, 1 and 2.
    """
    is_new = np.ones(len(documents), np.bool_)
    is_new[repeats] = False
    num_new_before = np.concatenate(([0], np.cumsum(is_new)))
    if rows is None:
        rows = np.arange(len(documents))
    row_of = rows.rows() if isinstance(rows, Stretches) else rows
    again = row_of[repeats]
    in_file = np.argsort(again)
    pool = pool_of(topics, documents.take(np.flatnonzero(is_new)), num_new_before[offsets])
    return Pooled(pool, row_of[is_new], again[in_file], num_new_before[first][in_file])


def pool_of(topics: Ids, documents: Ids, offsets: IntArray) -> Pool:
    """Return the pool with these topics and documents, which are in its order already; offsets (T+1,)."""
    return Pool(topics=topics, documents=documents, offsets=offsets, topic_table=IdTable(topics))


NO_POOL = pool_of(Ids.from_texts([]), NO_IDS, np.zeros(1, np.int64))

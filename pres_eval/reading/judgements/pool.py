"""The pool: the judged documents, by topic, which runs are joined with; and results kept for the next run."""

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
    lengths_at,
    match,
    repeated,
    rows_or_slice,
    stable_order,
)
from pres_eval.records import dataclass

Value = TypeVar("Value")

MOST_REMEMBERED = 1 << 18
"""Documents of which something is remembered."""


class Remembered:
    """Cache of values that are computed when they are first used; a pickled copy begins empty.

    `most` limits the sum of the values' sizes, which callers count in documents or topics: a value that would
    exceed it empties the cache first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, tuple[Any]] = {}
        self._size = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._most,)

    def get(self, key: Hashable, size: int, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not there; one of a size above `most` is not kept."""
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
    """T topics in byte order, and the D documents that somebody judged for them, each once for a topic.

    Documents are in the order of topics; inside of a topic they are in that of the file, which means nothing
    (`byte_order` gives the order of their ids).

    topics       T ids
    documents    D ids
    offsets      (T+1,) where each topic's documents begin among the D
    topic_table  in which topics are found
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
        """Return (n,) the index of each of these topics, -1 for those that the pool does not have."""
        return self.topic_table.find(ids)

    def documents_of(self, topics: IntArray) -> tuple[IntArray, IntArray | slice]:
        """Return the documents of some topics (S,): how many each has (S,), and their indices (n,)."""
        counts = lengths_at(self.offsets, topics)
        documents, _ = rows_or_slice(self.offsets[topics], counts)
        return counts, documents

    def join(self, topics: IntArray, lengths: IntArray, documents: Ids) -> Matches:
        """Return which documents (N,) of S topics are judged, and which come again in their topic.

        topics   (S,) indices, -1 for one that the pool does not have
        lengths  (S,) how many of the documents each has
        The `partners` of the matches are documents of the pool.
        """
        is_known = topics >= 0
        num_judged = np.zeros(len(topics), np.int64)
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
    """A pool, and the N rows of judgements that it was made of.

    rows      (D,) the first row of each document, or the stretches of these rows; None if row i is document i
    again     (n,) the rows that repeat a document, ascending
    document  (n,) which document each of these repeats
    """

    pool: Pool
    rows: IntArray | Stretches | None
    again: IntArray
    document: IntArray

    def of_documents(self, values: AnyArray) -> AnyArray:
        """Return (D,) the values of the documents, of values (N,) of the rows: those of their first rows."""
        if self.rows is None:
            return values
        if isinstance(self.rows, Stretches):
            return self.rows.values_in(values)
        return values[self.rows]

    def document_of_row(self) -> IntArray:
        """Return (N,) the index of each row's document."""
        num_documents = len(self.pool.documents)
        num_rows = num_documents + len(self.again)
        index = np.empty(num_rows, np.int64)
        first_rows = self.of_documents(np.arange(num_rows))
        index[first_rows] = np.arange(num_documents)
        index[self.again] = self.document
        return index


def build_pool(
    topic_ids: Ids, lengths: IntArray, documents: Ids, groups: AnyInts | None = None, jobs: int | None = 1
) -> Pooled:
    """Return the pool of N rows of judgements, which are in G groups, each of rows of one topic.

    topic_ids  G ids, one for each group; or any ids, if `groups` tells which of them each group has
    lengths    (G,) how many rows each group has
    documents  N ids
    groups     (G,) the index of each group's id among topic_ids; None: the i-th group has the i-th
    jobs       how many threads look for documents that come again; None: one a processor
    """
    topics, index = topic_ids.distinct()
    topic_of_group = index if groups is None else index[groups]
    rows: IntArray | Stretches | None = None
    if (topic_of_group[1:] < topic_of_group[:-1]).any():
        order = stable_order(topic_of_group, len(topics))
        rows = order  # where each row is a group
        if len(order) < len(documents):
            starts = np.cumsum(lengths) - lengths
            rows = Stretches(starts[order], lengths[order])
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
    if rows is None:
        rows = np.arange(len(documents))
    elif isinstance(rows, Stretches):
        rows = rows.rows()
    is_new = np.ones(len(documents), np.bool_)
    is_new[repeats] = False
    new_number = np.concatenate(([0], np.cumsum(is_new)))  # how many new documents come before each one
    pool = pool_of(topics, documents.take(np.flatnonzero(is_new)), new_number[offsets])
    again = rows[repeats]
    order_in_file = np.argsort(again)
    repeated_documents = new_number[first]
    return Pooled(pool, rows[is_new], again[order_in_file], repeated_documents[order_in_file])


def pool_of(topics: Ids, documents: Ids, offsets: IntArray) -> Pool:
    """Return the pool with these topics and documents, which are in its order already; offsets (T+1,)."""
    return Pool(topics=topics, documents=documents, offsets=offsets, topic_table=IdTable(topics))


NO_POOL = pool_of(Ids.from_texts([]), NO_IDS, np.zeros(1, np.int64))

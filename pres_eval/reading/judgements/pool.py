"""The pool: the judged documents of each topic, which runs are joined with; results kept for further runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field, replace
from functools import cached_property, partial
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
    lengths_at,
    match,
    repeated,
    rows_of_stretches,
    rows_or_slice,
    stable_order,
)
from pres_eval.records import dataclass

Value = TypeVar("Value")

MOST_REMEMBERED = 1 << 18
"""Documents of which results are kept, so that memory stays small."""


class Remembered:
    """Cache of values that are computed when they are first used; a pickled copy begins empty.

    Values have sizes, which callers count in documents or topics.  A value with which their sum would be
    above `most` empties the cache first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, tuple[Any]] = {}
        """By key a tuple of the value alone, as the value may be None."""
        self._size = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._most,)

    def get(self, key: Hashable, size: int, make: Callable[[], Value]) -> Value:
        """Return the value of a key; `make` computes it if it is not there.

        size  of the value; one above `most` is not kept
        """
        # Two threads may make the value of a key: both are the same.
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
    """T topics in byte order, and the D documents that were judged for them, each once for a topic.

    Documents are in the order of topics; inside of a topic they are in the order of the file (`byte_order`
    gives that of their ids).

    topics     T ids
    documents  D ids
    offsets    (T+1,) where each topic's documents begin among the D
    """

    topics: Ids
    documents: Ids
    offsets: IntArray
    remembered: Remembered = field(init=False, default_factory=partial(Remembered, MOST_REMEMBERED))
    """Results of other modules for these documents, kept for further runs."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Each process has its own hashes, and so its own table.
        return Pool, (self.topics, self.documents, self.offsets)

    @cached_property
    def _topic_table(self) -> IdTable:
        """The table that finds topics by their ids; dicts, whose topics are texts, do without it."""
        return IdTable(self.topics)

    @property
    def topic_of(self) -> IntArray:
        """Return (D,) the index of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def find_topics(self, ids: Ids) -> IntArray:
        """Return (n,) the index of each of these topics, -1 for those that the pool does not have."""
        return self._topic_table.find(ids)

    def documents_of(self, topics: IntArray) -> tuple[IntArray, IntArray | slice]:
        """Return (S,) how many documents some topics (S,) have, and (n,) the indices of all of these."""
        counts = lengths_at(self.offsets, topics)
        documents, _ = rows_or_slice(self.offsets[topics], counts)
        return counts, documents

    def join(self, topics: IntArray, lengths: IntArray, documents: Ids) -> Matches:
        """Return which documents (N,) of S topics are judged, and which come again in their topic.

        topics   (S,) indices, -1 for one that the pool does not have
        lengths  (S,) how many of the documents each has
        The `partners` of the matches are indices of the pool's documents.
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

    rows      (D,) the first row of each document; None if row i is document i
    again     (n,) the rows that repeat a document of their topic, ascending
    document  (n,) the index of the document that each of these repeats
    """

    pool: Pool
    rows: IntArray | None
    again: IntArray
    document: IntArray

    def of_documents(self, values: AnyArray) -> AnyArray:
        """Return (D,) the value of each document: of values (N,) of the rows, that of its first row."""
        if self.rows is None:
            return values
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

    topic_ids  ids of topics, of which each group has one
    lengths    (G,) how many rows each group has
    documents  N ids
    groups     (G,) the index of each group's id among topic_ids; None: the i-th group has the i-th
    jobs       how many threads look for documents that come again; None: one for each processor
    """
    topics, index = topic_ids.distinct()
    topic_of_group = index if groups is None else index[groups]
    rows: IntArray | None = None
    are_in_order = not (topic_of_group[1:] < topic_of_group[:-1]).any()
    if not are_in_order:
        order = stable_order(topic_of_group, len(topics))
        rows = order
        each_row_is_a_group = len(order) == len(documents)
        if not each_row_is_a_group:
            starts = np.cumsum(lengths) - lengths
            rows, _ = rows_of_stretches(starts[order], lengths[order])
        documents = documents.take(rows)
        topic_of_group, lengths = topic_of_group[order], lengths[order]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    offsets = ends[np.searchsorted(topic_of_group, np.arange(len(topics) + 1))]
    repeats, first = repeated(offsets, documents, jobs)
    if not len(repeats):
        return Pooled(Pool(topics=topics, documents=documents, offsets=offsets), rows, repeats, first)
    return _without_repeats(topics, documents, offsets, rows, repeats, first)


def _without_repeats(
    topics: Ids,
    documents: Ids,
    offsets: IntArray,
    rows: IntArray | None,
    repeats: IntArray,
    first: IntArray,
) -> Pooled:
    """Return the pool of N documents of T topics, of which some repeat others of their topic.

    offsets  (T+1,) where each topic's documents begin
    rows     (N,) the row of each document in the file; None: document i is in row i
    repeats  (n,) the indices of documents that repeat another, ascending
    first    (n,) the indices of the documents that these repeat
    Of documents a, b, a, c of one topic the third repeats the first: a, b, c are left, as 0, 1 and 2.
    """
    if rows is None:
        rows = np.arange(len(documents))
    is_new = np.ones(len(documents), np.bool_)
    is_new[repeats] = False
    # How many new documents come before each one: of a new one, that is its index in the pool.
    num_new_before = np.concatenate(([0], np.cumsum(is_new)))
    new_documents = documents.take(np.flatnonzero(is_new))
    pool = Pool(topics=topics, documents=new_documents, offsets=num_new_before[offsets])
    again = rows[repeats]
    order_in_file = np.argsort(again)
    repeated_documents = num_new_before[first]
    return Pooled(pool, rows[is_new], again[order_in_file], repeated_documents[order_in_file])


NO_POOL = Pool(topics=NO_IDS, documents=NO_IDS, offsets=np.zeros(1, np.int64))
"""The pool without topics."""

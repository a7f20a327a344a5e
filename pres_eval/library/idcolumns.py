"""Columns of ids as they come from outside: objects, whole numbers, codes of a dictionary, Arrow's text."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import BLOCK_ROWS, BoolArray, Ids, IntArray, Matches, decimal_ids, match
from pres_eval.library.ids import JudgedNumbers, Lookup, ids_of
from pres_eval.reading.blocks import Block, Documents, MatchingDocuments


class IdColumn(Documents, Protocol):
    """A column of ids: rows can be taken, and equal neighbours are groups."""

    def groups(self) -> tuple[Ids, IntArray]:
        """Return the id of each group of equal neighbours, and its number of rows.

        Of the column a a b a they are a, b, a and 2, 1, 1.
        """
        ...


def _groups(size: int, differs: BoolArray) -> tuple[IntArray, IntArray]:
    """Return (n,) where groups of equal neighbours begin, and (n,) their lengths, of N rows.

    differs  (N-1,) whether each row but the first differs from the one before
    """
    first_group = np.zeros(min(size, 1), np.int64)  # at row 0, if there are rows
    first = np.concatenate((first_group, np.flatnonzero(differs) + 1))
    return first, np.diff(first, append=size)


@dataclass(frozen=True, eq=False)
class Objects:
    """Ids that are Python's str, bytes or whole numbers.

    name  of the data, for messages
    """

    values: Sequence[Any]
    name: str

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        if isinstance(rows, slice):
            return ids_of(self.values[rows], self.name)
        return ids_of([self.values[row] for row in rows.tolist()], self.name)

    def groups(self) -> tuple[Ids, IntArray]:
        """Return the id of each group of equal neighbours, and its number of rows."""
        values = self.values
        # Each is compared with the one before by a loop in C.
        compared = map(operator.ne, islice(values, 1, None), values)
        first, lengths = _groups(len(values), np.fromiter(compared, np.bool_, max(len(values) - 1, 0)))
        return ids_of([values[row] for row in first.tolist()], self.name), lengths


@dataclass(frozen=True, eq=False)
class Numbers:
    """Ids that are whole numbers (N,).

    name  of the data, for messages
    """

    values: IntArray
    name: str

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        values = self.values[rows]
        if (values < 0).any():
            return ids_of(values.tolist(), self.name)
        return decimal_ids(values)

    def groups(self) -> tuple[Ids, IntArray]:
        """Return the id of each group of equal neighbours, and its number of rows."""
        first, lengths = _groups(len(self), self.values[1:] != self.values[:-1])
        return ids_of(self.values[first].tolist(), self.name), lengths


@dataclass(frozen=True, eq=False)
class NumberDocuments(MatchingDocuments):
    """Documents (N,) whose ids are whole numbers from 0 up, compared with judged ones as numbers.

    judged  the judged documents whose ids are such numbers
    """

    numbers: IntArray
    judged: JudgedNumbers

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        return decimal_ids(self.numbers[rows])

    def select(self, rows: IntArray | slice) -> NumberDocuments:
        """Return the documents in these rows (n,)."""
        return replace(self, numbers=self.numbers[rows])

    def join(self, topics: IntArray, lengths: IntArray) -> Matches:
        """Return which documents (N,) are judged, and which a topic has twice.

        topics, lengths  (S,) indices of the topics in the pool, and how many documents each has
        """
        counts, judged_ids, judged_documents = self.judged.of_topics(topics)
        # A number of 64 bits is a word, as eight bytes of an id are: numbers match as ids do.
        ids = Ids([self.numbers.view(np.uint64)])
        matches = match(lengths, ids, counts, judged_ids)
        return replace(matches, partners=judged_documents[matches.partners])


def with_numbers(block: Block, lookup: Lookup) -> Block:
    """Return a block of a run whose documents are compared as numbers, if all are whole ones from 0 up."""
    documents = block.documents
    if not isinstance(documents, Numbers) or (documents.values < 0).any():
        return block
    return replace(block, documents=NumberDocuments(documents.values, lookup.numbers))


def signed(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers of any shape as int64; as Python's own numbers if one is too large for that."""
    is_unsigned = values.dtype.kind == "u"
    if is_unsigned and (values > np.uint64(np.iinfo(np.int64).max)).any():
        return values.astype(object)
    return values.astype(np.int64, copy=False)


def ids_of_array(values: NDArray[Any], name: str) -> IdColumn:
    """Return an array (N,) as ids: whole numbers as they are, others as Python's objects."""
    if values.dtype.kind in "iu":
        values = signed(values)
    if values.dtype == np.int64:
        return Numbers(values, name)
    return Objects(values.tolist(), name)


@dataclass(frozen=True, eq=False)
class Codes:
    """Ids that a dictionary encodes, as columns of categories are.

    codes    (N,) index in `entries` of each row's id
    entries  the ids of the dictionary
    """

    codes: IntArray
    entries: Ids

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        return self.entries.take(self.codes[rows])

    def groups(self) -> tuple[Ids, IntArray]:
        """Return the id of each group of equal neighbours, and its number of rows."""
        first, lengths = _groups(len(self), self.codes[1:] != self.codes[:-1])
        return self.entries.take(self.codes[first]), lengths


@dataclass(frozen=True, eq=False)
class Spans:
    """N ids of which each begins where the one before ends, in a buffer with 8 bytes behind the last.

    offsets  (N+1,) where each begins, and where the last ends; whole numbers of any width
    """

    buffer: NDArray[np.uint8]
    offsets: NDArray[Any]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice, /) -> Ids:
        start, stop, _ = rows.indices(len(self))
        offsets = self.offsets[start : stop + 1].astype(np.int64)
        return Ids.from_buffer(self.buffer, offsets[:-1], offsets[1:])


@dataclass(frozen=True, eq=False)
class TextParts:
    """Ids in several buffers, one after the other; nothing is copied before rows are taken."""

    parts: Sequence[Spans]

    def __len__(self) -> int:
        return int(self._ends[-1])

    @cached_property
    def _ends(self) -> IntArray:
        """(P+1,) where each of the P parts begins, and the end of the last."""
        return np.cumsum([0, *map(len, self.parts)])

    @cached_property
    def _all(self) -> Ids:
        """All ids in one buffer."""
        return self.take(slice(0, len(self)))

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        if not isinstance(rows, slice):
            return self._all.take(rows)
        start, stop, _ = rows.indices(len(self))
        pieces = []
        for part, part_end in zip(self.parts, self._ends[1:].tolist(), strict=True):
            part_start = part_end - len(part)
            first, last = max(start, part_start), min(stop, part_end)
            if first < last:
                pieces.append(part[first - part_start : last - part_start])
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            return Ids.from_texts([])
        return Ids.concatenate(pieces)

    def groups(self) -> tuple[Ids, IntArray]:
        """Return the id of each group of equal neighbours, and its number of rows."""
        # Some rows at a time, so that their words stay in the processor's cache.
        texts: list[bytes] = []
        lengths = [np.zeros(0, np.int64)]
        for part in self.parts:
            for start in range(0, len(part), BLOCK_ROWS):
                ids_of_block, lengths_of_block = part[start : start + BLOCK_ROWS].stretches()
                texts += ids_of_block
                lengths.append(lengths_of_block)
        ids = Ids.from_texts(texts)
        # The last group of a block and the first of the next are one group if their ids are equal.
        first = ids.heads()
        starts = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))  # of each text, and the end
        return ids.take(first), np.diff(starts[first], append=starts[-1])

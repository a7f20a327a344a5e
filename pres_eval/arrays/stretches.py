"""Rows that belong together: the order that brings them together, stretches of them, and blocks of these.

A stretch has the rows of one topic, as a rule; a block is some stretches that are worked on together.

By offsets (S+1,), the i-th stretch is offsets[i] ... offsets[i+1]-1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.arrays.ids import EVERYWHERE, Ids, equal
from pres_eval.arrays.types import AnyArray, AnyInts, BoolArray, IntArray
from pres_eval.records import dataclass

BLOCK = 1 << 17
"""Rows that are processed together, so that intermediate values stay in the cache."""

LONG = 100
"""Rows of a stretch, on average, from which on it is copied as a whole faster than row by row."""

_WORDS_SORTED = 64
"""Words by which ids are sorted in arrays; the few that agree in all of these are sorted one by one."""


def byte_order(ids: Ids, group: IntArray | None = None) -> IntArray:
    """Return the permutation (N,) that sorts the ids as strcmp does, within groups (N,) if given."""
    if group is None:
        order, alike = np.arange(len(ids)), np.ones(max(len(ids) - 1, 0), np.bool_)
    else:
        order = np.argsort(group, kind="stable")
        alike = group[order[1:]] == group[order[:-1]]
    for number in range(min(ids.width(), _WORDS_SORTED)):
        places, rivals = _runs(alike)
        if not len(places):
            return order
        rows = order[places]
        words = ids.take(rows).word(number).byteswap()  # as big-endian numbers words compare like their text
        same_run = rivals[1:] == rivals[:-1]
        differs = words[1:] != words[:-1]
        if not (same_run & differs).any():
            continue
        by_word = np.argsort(words, kind="stable") if rivals[-1] == 0 else np.lexsort((words, rivals))
        order[places] = rows[by_word]
        # Runs keep their places, so that `rivals` holds for the sorted words too.
        words = words[by_word]
        alike[places[1:][same_run] - 1] = (words[1:] == words[:-1])[same_run]
    return _sort_the_rest(ids, order, alike) if ids.width() > _WORDS_SORTED else order


def _runs(alike: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the places in series of equal neighbours, and the number of each place's series.

    alike (N-1,): whether place i + 1 is like place i.
    """
    inside = np.zeros(len(alike) + 1, np.bool_)
    inside[:-1] = alike
    inside[1:] |= alike
    places = np.flatnonzero(inside)
    begins = np.ones(len(places), np.bool_)
    begins[1:] = ~alike[places[1:] - 1]
    return places, np.cumsum(begins) - 1


def _sort_the_rest(ids: Ids, order: IntArray, alike: BoolArray) -> IntArray:
    """Return (N,) the order once Python has sorted the ids that are still alike."""
    places, rivals = _runs(alike)
    rows = order[places]
    texts, runs = list(ids.take(rows)), rivals.tolist()
    by_text = sorted(range(len(texts)), key=lambda row: (runs[row], texts[row]))
    order[places] = rows[np.array(by_text, np.int64)]
    return order


def changes(ids: Ids) -> IntArray:
    """Return (n,) the rows whose text differs from that of the row before; row 0 is one."""
    if not len(ids):
        return np.zeros(0, np.int64)
    differs = ids.lengths[1:] != ids.lengths[:-1]
    width = ids.width()
    for number in range(min(width, EVERYWHERE)):
        word = ids.word(number)
        differs |= word[1:] != word[:-1]
    if width > EVERYWHERE:
        alike = np.flatnonzero(~differs)
        differs[alike] = ~equal(ids.take(alike), ids.take(alike + 1))
    return np.concatenate(([0], np.flatnonzero(differs) + 1))


def stretches_of(ids: Ids) -> tuple[Ids, IntArray]:
    """Return the id of each stretch of equal neighbours, and (n,) how many these are."""
    first = changes(ids)
    return ids.take(first), np.diff(first, append=len(ids))


def changed(values: AnyArray, *others: AnyArray) -> BoolArray:
    """Return (n,) whether any of these columns (n,) differs from the row before; the first row does."""
    differs = np.concatenate((np.ones(min(len(values), 1), np.bool_), values[1:] != values[:-1]))
    for each in others:
        differs[1:] |= each[1:] != each[:-1]
    return differs


def distinct(ids: Ids) -> tuple[Ids, IntArray]:
    """Return the distinct ids in byte order, and (N,) the index of each id in them."""
    order = byte_order(ids)
    in_order = ids.take(order)
    new = np.zeros(len(ids), np.bool_)
    new[changes(in_order)] = True
    index = np.empty(len(ids), np.int64)
    index[order] = np.cumsum(new) - 1
    return in_order.take(new), index


def stable_order(numbers: AnyInts, limit: int) -> IntArray:
    """Return (n,) the permutation that sorts numbers from 0 to limit - 1; equal ones keep their order."""
    # numpy sorts numbers of 16 bits by digits, in linear time.
    return np.argsort(numbers.astype(np.uint16) if limit <= 2**16 else numbers, kind="stable")


def has_equal(numbers: AnyArray) -> bool:
    """Return whether one of the numbers (n,) occurs twice."""
    # np.unique would do, but to make sure that its argument has no mask it imports numpy.ma: 15 ms.
    in_order = np.sort(numbers)
    return bool((in_order[1:] == in_order[:-1]).any())


def present(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the different ones of numbers from 0 to limit - 1, ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit))


def absent(numbers: AnyArray, limit: int) -> IntArray:
    """Return (m,) the numbers from 0 to limit - 1 that are not among these, ascending."""
    return np.flatnonzero(np.bincount(numbers, minlength=limit) == 0)


def lengths_at(offsets: IntArray, chosen: IntArray) -> IntArray:
    """Return (n,) the lengths of the chosen ones (n,) of S stretches with offsets (S+1,)."""
    return offsets[chosen + 1] - offsets[chosen]


def ragged(starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return indices starts[i] ... starts[i]+lengths[i]-1 (n,) for every i, and their beginnings (S+1,)."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = np.repeat(starts - offsets[:-1], lengths)
    for begin in range(0, len(rows), BLOCK):  # a second array as long would be memory never used before
        part = rows[begin : begin + BLOCK]
        part += np.arange(begin, begin + len(part))
    return rows, offsets


def gathered(arrays: Sequence[AnyArray], starts: IntArray, lengths: IntArray) -> AnyArray:
    """Return (N,) the values starts[i] ... starts[i]+lengths[i]-1 for every i, in a row.

    Values are counted through all arrays; none of the stretches may be in two of them.
    """
    if 0 < LONG * len(starts) <= lengths.sum():
        begins = np.cumsum([0, *map(len, arrays[:-1])])
        which = np.searchsorted(begins, starts, side="right") - 1
        first = starts - begins[which]
        places = zip(which.tolist(), first.tolist(), (first + lengths).tolist(), strict=True)
        return np.concatenate([arrays[number][begin:end] for number, begin, end in places])
    values: AnyArray = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    return values[ragged(starts, lengths)[0]]


@dataclass(frozen=True, eq=False)
class Stretches:
    """Some stretches in the order in which they are wanted: where each begins (S,), and its length (S,)."""

    starts: IntArray
    lengths: IntArray

    def rows(self) -> IntArray:
        """Return (N,) the rows of all stretches."""
        return ragged(self.starts, self.lengths)[0]

    def of(self, values: AnyArray) -> AnyArray:
        """Return (N,) the values of these rows."""
        return gathered([values], self.starts, self.lengths)


def consecutive(starts: IntArray, lengths: IntArray) -> tuple[IntArray | slice, IntArray]:
    """Return the same of S stretches (S,); a slice where each stretch begins at the end of the one before."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    if len(starts) and (starts - offsets[:-1] == starts[0]).all():
        return slice(int(starts[0]), int(starts[0] + offsets[-1])), offsets
    return ragged(starts, lengths)


def blocks(offsets: IntArray, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield ranges of stretches (S+1,) with up to `size` (BLOCK) rows together, or one with more."""
    start = 0
    while start < len(offsets) - 1:
        stop = int(np.searchsorted(offsets, offsets[start] + (size or BLOCK), side="right")) - 1
        stop = max(stop, start + 1)
        yield start, stop
        start = stop

"""Preferences as matrices: judgement groups that are partial orders, and preferences pair by pair.

A group with several subgroups orders some pairs of documents, and is closed under
transitivity.  Several groups of a topic may order the same pair; the sums over pairs add one quotient
after the other, in the order of the positions of the two documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import BoolArray, FloatArray, IntArray, add_in_order
from pres_eval.batches.preference_counts import Counts, Pairs, balanced_counts

CELLS = 1 << 20
"""Cells of a documents × documents matrix that are worked on in one step."""


class ConflictError(Exception):
    """Two documents of which each is preferred to the other: its arguments are their positions."""


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """One judgement group with m documents.

    position  (m,) positions of the documents, ascending
    level     (m,) level of each document in the last subgroup that has it
    better    (m, m) whether the document of the row is preferred to that of the column
    """

    position: IntArray
    level: FloatArray
    better: BoolArray

    def count(self, num_judged_ret: int) -> Counts:
        """Return the counts (1,) of the group.

        num_judged_ret  judged documents of the topic that were retrieved: they have the first positions
        """
        num_ret = int(np.searchsorted(self.position, num_judged_ret))
        is_rel = self.level > 0
        is_nonrel = self.level == 0
        rel = _number(is_rel)
        judgements = rel, _number(is_rel[:num_ret]), _number(is_nonrel), _number(is_nonrel[:num_ret])
        # As many nonrelevant documents as there are relevant ones stay, the first of them.
        is_surplus = is_nonrel & (np.cumsum(is_nonrel) > rel)
        stays = ~is_surplus
        num_ret_staying = int(np.count_nonzero(stays[:num_ret]))
        ful_ret, poss_ret, ful_imp, poss_imp, poss_none = _areas(
            self.better[stays][:, stays], num_ret_staying
        )
        cut = ful_ret + ful_imp, poss_ret + poss_imp + poss_none
        return balanced_counts(_areas(self.better, num_ret), judgements, cut, (ful_ret, poss_ret))

    def preferred(self, rows: slice, columns: slice) -> NDArray[np.uint16]:
        """Return (rows, columns) how often the document of the row is preferred to that of the column."""
        return self.better[rows, columns].astype(np.uint16)


def _number(chosen: BoolArray) -> IntArray:
    """Return (1,) how many are chosen, of (n, m) or (n,)."""
    return np.array([np.count_nonzero(chosen)])


def _areas(better: BoolArray, num_ret: int) -> Pairs:
    """Return the numbers of preferences (1,) in a matrix (n, n); its first `num_ret` were retrieved."""
    both_retrieved = better[:num_ret, :num_ret]
    none_retrieved = better[num_ret:, num_ret:]
    ful_ret = _number(np.triu(both_retrieved))  # the better document has the smaller position
    ful_imp = _number(better[:num_ret, num_ret:])
    poss_imp = ful_imp + _number(better[num_ret:, :num_ret])
    return ful_ret, _number(both_retrieved), ful_imp, poss_imp, _number(none_retrieved)


def partial_order(position: IntArray, subgroup: IntArray, level: FloatArray) -> PartialOrder:
    """Return the order that judgements (n,) establish, which are sorted by subgroup and level (descending).

    It is closed: who prefers a to b and b to c prefers a to c.
    Raises ConflictError for two documents that are each preferred to the other, or for a document that is
    relevant in one subgroup and not in the next (then both positions are the same).
    """
    positions, document = np.unique(position, return_inverse=True)
    last_level = _last_levels(document, level, positions)
    # Eight documents a byte, so that a row is closed in few steps (Warshall's algorithm).
    closed = np.packbits(_directly_better(document, subgroup, level, len(positions)), axis=1)
    for middle in range(len(positions)):
        byte, bit = middle >> 3, 128 >> (middle & 7)
        is_better_than_middle = closed[:, byte] & bit != 0
        closed[is_better_than_middle] |= closed[middle]
    better = np.unpackbits(closed, axis=1, count=len(positions)).astype(bool)
    np.fill_diagonal(better, False)
    conflicts = np.argwhere(better & better.T)
    if len(conflicts):
        raise ConflictError(*(int(positions[i]) for i in conflicts[0]))
    return PartialOrder(positions, last_level, better)


def _last_levels(document: IntArray, level: FloatArray, positions: IntArray) -> FloatArray:
    """Return the level (D,) of each document's last judgement, if none changes relevance."""
    order = np.argsort(document, kind="stable")
    same = np.diff(document[order]) == 0
    earlier = level[order][:-1]
    later = level[order][1:]
    # trec_eval: a negative level between a positive one and 0 hides the contradiction.
    turns = same & (((earlier > 0) & (later == 0)) | ((earlier == 0) & (later > 0)))
    if turns.any():
        position = int(positions[document[order][np.flatnonzero(turns)[0]]])
        raise ConflictError(position, position)
    last: FloatArray = level[order][np.append(~same, True)]
    return last


def _directly_better(document: IntArray, subgroup: IntArray, level: FloatArray, size: int) -> BoolArray:
    """Return (size, size) which documents are better than those on the next lower level of a subgroup.

    document, subgroup, level  (n,) of judgements, sorted by subgroup and level (descending); documents are
                               numbers below `size`
    """
    better = np.zeros((size, size), bool)
    # A class is the judgements of one level of a subgroup.
    differs = (subgroup[1:] != subgroup[:-1]) | (level[1:] != level[:-1])
    begins_class = np.append(True, differs)
    class_of = np.cumsum(begins_class) - 1
    starts = np.append(np.flatnonzero(begins_class), len(document))
    sizes = np.diff(starts)
    # Of each class, where the next one of its subgroup begins, and its size; 0 if it is the last.
    next_is_of_subgroup = subgroup[starts[1:-1]] == subgroup[starts[:-2]]
    next_size = np.append(np.where(next_is_of_subgroup, sizes[1:], 0), 0)
    next_start = np.append(starts[1:-1], 0)
    num_worse = next_size[class_of]
    # Some judgements at a time, whose pairs are about CELLS.
    step = (np.cumsum(num_worse) - num_worse) // CELLS
    for rows in np.split(np.arange(len(document)), np.flatnonzero(np.diff(step)) + 1):
        counts = num_worse[rows]
        first_pair = np.cumsum(counts) - counts
        index_in_class = np.arange(first_pair[-1] + counts[-1]) - np.repeat(first_pair, counts)
        worse_judgement = np.repeat(next_start[class_of[rows]], counts) + index_in_class
        better[np.repeat(document[rows], counts), document[worse_judgement]] = True
    return better


@dataclass(frozen=True, eq=False)
class PairwiseClasses:
    """A judgement group of m documents in classes, without subgroups, whose preferences count pair by pair.

    position    (m,) positions of the documents, ascending
    rank_class  (m,) class of each document, 0 is the best
    times       (m,) how often the group judges it
    """

    position: IntArray
    rank_class: IntArray
    times: IntArray

    def preferred(self, rows: slice, columns: slice) -> NDArray[np.uint16]:
        """Return (rows, columns) how often the document of the row is preferred to that of the column."""
        better = self.rank_class[rows, None] < self.rank_class[columns]
        return np.where(better, self.times[rows, None] * self.times[columns], 0).astype(np.uint16)


Pairwise = PartialOrder | PairwiseClasses
"""A judgement group that counts how often each of its documents is preferred to each other one."""


@dataclass(frozen=True, eq=False)
class PairSums:
    """Pairs of documents with a preference, and sums of the fulfilled share of each: T values or one.

    sum_ret, pairs_ret  pairs of two retrieved documents
    sum_imp, pairs_imp  with the pairs of which one was retrieved added
    pairs               with all other pairs added
    """

    sum_ret: FloatArray
    pairs_ret: IntArray
    sum_imp: FloatArray
    pairs_imp: IntArray
    pairs: IntArray


def sum_pairs(
    groups: Sequence[Pairwise], num_judged: int, num_ret: int
) -> tuple[float, int, float, int, int]:
    """Return the PairSums of one topic, whose first `num_ret` of `num_judged` positions were retrieved."""
    retrieved = slice(0, num_ret)
    others = slice(num_ret, num_judged)
    sum_ret, pairs_ret = _add_shares(groups, retrieved, retrieved, 0.0)
    sum_imp, pairs_of_one = _add_shares(groups, retrieved, others, sum_ret)
    _, pairs_of_none = _add_shares(groups, others, others, 0.0)
    pairs_imp = pairs_ret + pairs_of_one
    return sum_ret, pairs_ret, sum_imp, pairs_imp, pairs_imp + pairs_of_none


def _add_shares(groups: Sequence[Pairwise], rows: slice, columns: slice, start: float) -> tuple[float, int]:
    """Add to `start` the fulfilled share of each pair of row < column, row by row; and count the pairs."""
    num_pairs = 0
    for row_block in _blocks(rows, columns.stop - columns.start):
        # C(a, b) and C(a, b) + C(b, a) of prefs_pair, for documents a of the rows and b of the columns.
        fulfilled = _preferred(groups, row_block, columns)
        all_of_pair = fulfilled.astype(np.int32) + _preferred(groups, columns, row_block).T
        row_positions = np.arange(row_block.start, row_block.stop)[:, None]
        is_before = row_positions < np.arange(columns.start, columns.stop)
        pairs = np.flatnonzero((all_of_pair > 0) & is_before)
        num_pairs += len(pairs)
        shares = fulfilled.reshape(-1)[pairs] / all_of_pair.reshape(-1)[pairs]
        start = add_in_order(shares, start)
    return start, num_pairs


def _blocks(rows: slice, num_columns: int) -> Iterator[slice]:
    """Return the rows in parts of at most CELLS cells."""
    size = max(1, CELLS // max(num_columns, 1))
    for first in range(rows.start, rows.stop, size):
        yield slice(first, min(first + size, rows.stop))


def _preferred(groups: Sequence[Pairwise], rows: slice, columns: slice) -> NDArray[np.uint16]:
    """Return (rows, columns) how often all groups prefer the document of the row to that of the column."""
    # trec_eval: preferences of a pair are counted in 16 bits.
    total = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint16)
    for group in groups:
        # A group judges some of the documents: it adds to their rows and columns of the matrix.
        rows_of_group = slice(*np.searchsorted(group.position, (rows.start, rows.stop)).tolist())
        columns_of_group = slice(*np.searchsorted(group.position, (columns.start, columns.stop)).tolist())
        row_numbers = group.position[rows_of_group] - rows.start
        column_numbers = group.position[columns_of_group] - columns.start
        total[np.ix_(row_numbers, column_numbers)] += group.preferred(rows_of_group, columns_of_group)
    return total

"""Counts of fulfilled preferences, for judgement groups that order their documents in classes.

A document's position is its number among the judged documents of its topic: those retrieved come first, in
rank order, then the others.  A preference for the document at position i over the one at position j is
fulfilled if i < j and i was retrieved.  A judgement group with one subgroup orders its documents in classes
of equal level, so its preferences can be counted without being listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """The preferences and documents of G judgement groups, (G,) each: one field for each count of trec_eval.

    ful_ret, poss_ret  preferences between two retrieved documents: fulfilled, and all
    ful_imp, poss_imp  the same where just one of the two was retrieved
    poss_none          preferences between documents that were not retrieved
    rel, rel_ret       judgements with a level above 0, and those of retrieved documents
    nonrel, nonrel_ret the same for the other judgements (of a partial order: those with level 0)
    ful_balanced, poss_balanced
                       preferences fulfilled, and all, with as many nonrelevant documents as relevant ones
    ful_balanced_ret, poss_balanced_ret
                       the same between retrieved documents
    """

    ful_ret: IntArray
    poss_ret: IntArray
    ful_imp: IntArray
    poss_imp: IntArray
    poss_none: IntArray
    rel: IntArray
    rel_ret: IntArray
    nonrel: IntArray
    nonrel_ret: IntArray
    ful_balanced: IntArray
    poss_balanced: IntArray
    ful_balanced_ret: IntArray
    poss_balanced_ret: IntArray

    @property
    def ful(self) -> IntArray:
        """(G,) preferences fulfilled, with one or both documents retrieved."""
        return self.ful_ret + self.ful_imp

    @property
    def poss(self) -> IntArray:
        """(G,) all preferences."""
        return self.poss_ret + self.poss_imp + self.poss_none


Counts = tuple[IntArray, ...]
"""(G,) each: the fields of GroupCounts."""


@dataclass(frozen=True, eq=False)
class Classes:
    """G judgement groups as classes of equally good documents: R judgements sorted by group, class, position.

    offsets   (G+1,) where each group's judgements begin
    rank_class  (R,) class of each judgement, 0 is the best of the group
    position  (R,) of its document
    retrieved (R,) whether the document was retrieved
    """

    offsets: IntArray
    rank_class: IntArray
    position: IntArray
    retrieved: BoolArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def group(self) -> IntArray:
        """(R,) group of each judgement."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def only(self, chosen: BoolArray) -> Classes:
        """Return the same groups with the chosen judgements (N,) alone."""
        offsets = np.concatenate(([0], np.cumsum(chosen)))[self.offsets]
        return Classes(offsets, self.rank_class[chosen], self.position[chosen], self.retrieved[chosen])

    def by_group(self, values: IntArray | BoolArray) -> IntArray:
        """Add up whole numbers by group: (R,) in, (G,) out."""
        return segment_sums(values, self.offsets)


def segment_sums(values: IntArray | BoolArray, offsets: IntArray) -> IntArray:
    """Return (S,) sums of whole numbers (n,) between one offset (S+1,) and the next."""
    return np.diff(np.concatenate(([0], np.cumsum(values, dtype=np.int64)))[offsets])


def in_right_order(classes: Classes) -> IntArray:
    """Return (G,) the pairs of each group in which the document of the better class has the smaller position.

    Works bit by bit: two classes differ first at one bit, counted from the highest, so each pair is found
    once, among the documents whose classes agree above that bit.
    """
    group = classes.group
    rank_class = classes.rank_class[np.lexsort((classes.position, group))]
    pairs = np.zeros(len(classes), np.int64)
    for bit in range(int(rank_class.max(initial=0)).bit_length()):
        above = rank_class >> (bit + 1)
        order = np.lexsort((above, group))
        better = (rank_class[order] >> bit) & 1 == 0
        above = above[order]
        starts = np.flatnonzero(np.diff(above, prepend=-1) | np.diff(group, prepend=-1))
        running = np.concatenate(([0], np.cumsum(better)))
        before = running[:-1] - np.repeat(running[starts], np.diff(starts, append=len(above)))
        pairs += classes.by_group(np.where(better, 0, before))
    return pairs


Pairs = tuple[IntArray, IntArray, IntArray, IntArray, IntArray]
"""(G,) each: ful_ret, poss_ret, ful_imp, poss_imp, poss_none, the preferences of each group."""


def count_pairs(classes: Classes) -> Pairs:
    """Return the preferences of each group."""
    group = classes.group
    retrieved = classes.retrieved
    starts = np.flatnonzero(np.diff(classes.rank_class, prepend=-1) | np.diff(group, prepend=-1))
    bounds = np.append(starts, len(group))
    ret = segment_sums(retrieved, bounds)
    others = segment_sums(~retrieved, bounds)
    of_group = np.searchsorted(starts, classes.offsets)
    num_ret = classes.by_group(retrieved)
    num_others = classes.by_group(~retrieved)
    running = np.concatenate(([0], np.cumsum(others)))
    worse_others = np.repeat(running[of_group[1:]], np.diff(of_group)) - running[1:]
    ful_ret = in_right_order(classes.only(retrieved))
    ful_imp = segment_sums(ret * worse_others, of_group)
    # Of all pairs, those within a class are no preferences.
    poss_ret = (num_ret**2 - segment_sums(ret**2, of_group)) // 2
    poss_imp = num_ret * num_others - segment_sums(ret * others, of_group)
    poss_none = (num_others**2 - segment_sums(others**2, of_group)) // 2
    return ful_ret, poss_ret, ful_imp, poss_imp, poss_none


def count_classes(classes: Classes, is_rel: BoolArray) -> Counts:
    """Return the counts of groups with one subgroup; `is_rel` (R,): judged with a level above 0."""
    retrieved = classes.retrieved
    rel = classes.by_group(is_rel)
    nonrel = classes.by_group(~is_rel)
    rel_ret = classes.by_group(is_rel & retrieved)
    nonrel_ret = classes.by_group(~is_rel & retrieved)
    cut = _cut_nonrelevant(classes, rel, rel_ret)
    return balanced_counts(count_pairs(classes), (rel, rel_ret, nonrel, nonrel_ret), *cut)


Totals = tuple[IntArray, IntArray]
"""(G,) preferences fulfilled, and all."""


def balanced_counts(
    pairs: Pairs, judgements: tuple[IntArray, IntArray, IntArray, IntArray], cut: Totals, cut_ret: Totals
) -> Counts:
    """Return the counts of groups (G,), of which the balanced ones are still missing.

    judgements    rel, rel_ret, nonrel, nonrel_ret
    cut, cut_ret  preferences, and those of retrieved documents, with as few nonrelevant ones as relevant ones
    """
    ful_ret, poss_ret, ful_imp, poss_imp, poss_none = pairs
    rel, rel_ret, nonrel, nonrel_ret = judgements
    surplus = rel - nonrel
    ful_filled = ful_ret + ful_imp + rel_ret * surplus
    poss_filled = poss_ret + poss_imp + poss_none + rel * surplus
    ful_balanced = np.where(surplus >= 0, ful_filled, cut[0])
    poss_balanced = np.where(surplus >= 0, poss_filled, cut[1])
    surplus_ret = rel_ret - nonrel_ret
    ful_filled_ret = ful_ret + rel_ret * surplus_ret
    # trec_eval: the sum of the retrieved preferences has `rel`, not `rel_ret`.
    poss_filled_ret = poss_ret + rel * surplus_ret
    ful_balanced_ret = np.where(surplus_ret >= 0, ful_filled_ret, cut_ret[0])
    poss_balanced_ret = np.where(surplus_ret >= 0, poss_filled_ret, cut_ret[1])
    balanced = (ful_balanced, poss_balanced, ful_balanced_ret, poss_balanced_ret)
    return (*pairs, *judgements, *balanced)


def _cut_nonrelevant(classes: Classes, rel: IntArray, rel_ret: IntArray) -> tuple[Totals, Totals]:
    """Return preferences (ful, poss), of all and of retrieved documents; the last class is cut to `rel`.

    The preferences between the other classes count as they are.
    """
    group = classes.group
    retrieved = classes.retrieved
    last_class = np.zeros(len(classes), np.int64)
    np.maximum.at(last_class, group, classes.rank_class)
    is_last = classes.rank_class == last_class[group]
    ful_ret, poss_ret, ful_imp, poss_imp, poss_none = count_pairs(classes.only(~is_last))

    width = int(classes.position.max(initial=0)) + 1
    keys_of_groups = group * width
    keys = keys_of_groups + classes.position
    ret_keys = np.sort(keys[retrieved])
    # Documents of the group that were retrieved before each one.
    before = np.searchsorted(ret_keys, keys) - np.searchsorted(ret_keys, keys_of_groups)
    first_of_last = np.concatenate(([0], np.cumsum(is_last)))
    index_in_last = first_of_last[:-1] - first_of_last[classes.offsets[:-1]][group]
    # trec_eval: each document left in the last class is compared with all documents of the group, those of
    # its own class (and itself) too.  Where negative levels leave the last class shorter than `rel`,
    # trec_eval reads past its end in memory; here it stays short.
    is_left = is_last & (index_in_last < rel[group])
    is_left_ret = is_last & retrieved & (index_in_last < rel_ret[group])
    ful = ful_ret + ful_imp + classes.by_group(np.where(is_left, before, 0))
    compared = classes.by_group(is_left) * np.diff(classes.offsets)
    poss = poss_ret + poss_imp + poss_none + compared
    ful_of_ret = ful_ret + classes.by_group(np.where(is_left_ret, before, 0))
    compared_ret = classes.by_group(is_left_ret) * classes.by_group(retrieved)
    return (ful, poss), (ful_of_ret, poss_ret + compared_ret)

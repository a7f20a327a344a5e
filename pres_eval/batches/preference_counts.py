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
    """The preferences and documents of G judgement groups, (G,) each.

    There are thirteen fields because trec_eval's struct has these counts, under these names.

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

    offsets     (G+1,) where each group's judgements begin
    rank_class  (R,) class of each judgement, 0 is the best of the group
    position    (R,) of its document
    retrieved   (R,) whether the document was retrieved
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
        """Return the same groups with the chosen judgements alone, of all (R,)."""
        num_before = np.concatenate(([0], np.cumsum(chosen)))
        offsets = num_before[self.offsets]
        return Classes(offsets, self.rank_class[chosen], self.position[chosen], self.retrieved[chosen])

    def by_group(self, values: IntArray | BoolArray) -> IntArray:
        """Add up whole numbers by group: (R,) in, (G,) out."""
        return segment_sums(values, self.offsets)


def segment_sums(values: IntArray | BoolArray, offsets: IntArray) -> IntArray:
    """Return (S,) sums of whole numbers (n,) between one offset (S+1,) and the next."""
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return np.diff(running[offsets])


def in_right_order(classes: Classes) -> IntArray:
    """Return (G,) the pairs of each group in which the document of the better class has the smaller position.

    Works bit by bit: two classes differ first at one bit, counted from the highest, so each pair is found
    once, among the documents whose classes agree above that bit.  Of classes 2 and 3, 10 and 11 in bits, the
    pair is found at the last bit, among the documents with a 1 before it.
    """
    group = classes.group
    by_position = np.lexsort((classes.position, group))
    rank_class = classes.rank_class[by_position]
    pairs = np.zeros(len(classes), np.int64)
    for bit in range(int(rank_class.max(initial=0)).bit_length()):
        higher_bits = rank_class >> (bit + 1)
        order = np.lexsort((higher_bits, group))
        higher_bits = higher_bits[order]
        is_better = (rank_class[order] >> bit) & 1 == 0
        # Sections are documents of a group whose classes agree above the bit.
        starts = np.flatnonzero(np.diff(higher_bits, prepend=-1) | np.diff(group, prepend=-1))
        sizes = np.diff(starts, append=len(order))
        running = np.concatenate(([0], np.cumsum(is_better)))
        num_better_before = running[:-1] - np.repeat(running[starts], sizes)
        pairs += classes.by_group(np.where(is_better, 0, num_better_before))
    return pairs


Pairs = tuple[IntArray, IntArray, IntArray, IntArray, IntArray]
"""(G,) each: ful_ret, poss_ret, ful_imp, poss_imp, poss_none, the preferences of each group."""


def count_pairs(classes: Classes) -> Pairs:
    """Return the preferences of each group, of its C classes: all pairs but those within a class."""
    group = classes.group
    retrieved = classes.retrieved
    class_starts = np.flatnonzero(np.diff(classes.rank_class, prepend=-1) | np.diff(group, prepend=-1))
    class_bounds = np.append(class_starts, len(group))
    # (G+1,) where each group's classes begin.
    group_bounds = np.searchsorted(class_starts, classes.offsets)
    # (C,) documents of each class that were retrieved, and the others; (G,) of each group.
    class_ret = segment_sums(retrieved, class_bounds)
    class_others = segment_sums(~retrieved, class_bounds)
    group_ret = classes.by_group(retrieved)
    group_others = classes.by_group(~retrieved)
    # (C,) documents of worse classes of the group that were not retrieved.
    running = np.concatenate(([0], np.cumsum(class_others)))
    all_of_group = np.repeat(running[group_bounds[1:]], np.diff(group_bounds))
    worse_others = all_of_group - running[1:]
    ful_ret = in_right_order(classes.only(retrieved))
    ful_imp = segment_sums(class_ret * worse_others, group_bounds)
    poss_ret = (group_ret**2 - segment_sums(class_ret**2, group_bounds)) // 2
    poss_imp = group_ret * group_others - segment_sums(class_ret * class_others, group_bounds)
    poss_none = (group_others**2 - segment_sums(class_others**2, group_bounds)) // 2
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
    """Return the counts of groups (G,), the balanced ones among them.

    pairs         the preferences
    judgements    rel, rel_ret, nonrel, nonrel_ret
    cut, cut_ret  preferences, and those of retrieved documents, where surplus nonrelevant documents are left
                  out; they count for groups with more nonrelevant documents than relevant ones
    """
    ful_ret, poss_ret, ful_imp, poss_imp, poss_none = pairs
    rel, rel_ret, nonrel, nonrel_ret = judgements
    # Groups with fewer nonrelevant documents are filled up with others, over which each relevant one is
    # preferred, and which nobody retrieved.
    num_added = rel - nonrel
    ful_filled = ful_ret + ful_imp + rel_ret * num_added
    poss_filled = poss_ret + poss_imp + poss_none + rel * num_added
    ful_balanced = np.where(num_added >= 0, ful_filled, cut[0])
    poss_balanced = np.where(num_added >= 0, poss_filled, cut[1])
    num_added_ret = rel_ret - nonrel_ret
    ful_filled_ret = ful_ret + rel_ret * num_added_ret
    # trec_eval: the sum of the retrieved preferences has `rel`, not `rel_ret`.
    poss_filled_ret = poss_ret + rel * num_added_ret
    ful_balanced_ret = np.where(num_added_ret >= 0, ful_filled_ret, cut_ret[0])
    poss_balanced_ret = np.where(num_added_ret >= 0, poss_filled_ret, cut_ret[1])
    balanced = (ful_balanced, poss_balanced, ful_balanced_ret, poss_balanced_ret)
    return (*pairs, *judgements, *balanced)


def _cut_nonrelevant(classes: Classes, rel: IntArray, rel_ret: IntArray) -> tuple[Totals, Totals]:
    """Return the totals of all documents, and of retrieved ones, with the last class cut to `rel` documents.

    rel, rel_ret  (G,) relevant documents of each group, and those retrieved, to which the retrieved are cut

    The last class is taken for the nonrelevant documents: usually one class has level 0, and it is the last.
    A document that stays in it counts as compared with each document of the group, and the comparisons with
    retrieved documents before it as fulfilled.  Preferences between the other classes count as they are.
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
    # (R,) documents of the group that were retrieved before each one, and places in the last class.
    before = np.searchsorted(ret_keys, keys) - np.searchsorted(ret_keys, keys_of_groups)
    num_last_before = np.concatenate(([0], np.cumsum(is_last)))
    index_in_last = num_last_before[:-1] - num_last_before[classes.offsets[:-1]][group]
    # trec_eval: each document that stays in the last class is compared with all documents of the group, those
    # of its own class (and itself) too.  Where negative levels leave the last class shorter than `rel`,
    # trec_eval reads past its end in memory; here it stays short.
    stays = is_last & (index_in_last < rel[group])
    stays_ret = is_last & retrieved & (index_in_last < rel_ret[group])
    ful = ful_ret + ful_imp + classes.by_group(np.where(stays, before, 0))
    compared = classes.by_group(stays) * np.diff(classes.offsets)
    poss = poss_ret + poss_imp + poss_none + compared
    ful_of_ret = ful_ret + classes.by_group(np.where(stays_ret, before, 0))
    compared_ret = classes.by_group(stays_ret) * classes.by_group(retrieved)
    return (ful, poss), (ful_of_ret, poss_ret + compared_ret)

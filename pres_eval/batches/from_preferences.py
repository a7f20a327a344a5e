"""The preference batch: preferences of judgement groups, and the run's ranks of the documents."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, rows_of_stretches
from pres_eval.batches.from_groups import JudgementsOfTopics, scored_groups
from pres_eval.batches.preference_counts import Classes, GroupCounts, count_classes, segment_sums
from pres_eval.batches.preference_orders import (
    ConflictError,
    PairSums,
    Pairwise,
    PairwiseClasses,
    PartialOrder,
    partial_order,
    sum_pairs,
)
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.judged_groups import Preferences


@dataclass(frozen=True, eq=False)
class PreferenceBatch(JudgementsOfTopics):
    """T topics with G judgement groups and R judgements, and where a run put the judged documents.

    num_judged      (T,) documents judged by any group
    num_judged_ret  (T,) how many of them were retrieved, after -M
    subgroup, level, position
                    (R,) of each judgement, sorted by group, subgroup, level (descending) and position: the
                    number of the document among those judged for the topic; those retrieved come first, in
                    rank order
    row, group      (R,), (G,) where judgements and groups are in `source`
    """

    num_judged: IntArray
    num_judged_ret: IntArray
    subgroup: IntArray
    level: FloatArray
    position: IntArray
    row: IntArray
    group: IntArray
    source: Preferences

    def with_grade(self, relevance_level: float) -> PreferenceBatch:
        """Return this batch: a relevance level makes no difference to preferences."""
        return self

    @cached_property
    def has_subgroups(self) -> BoolArray:
        """(G,) whether the group has several subgroups, and so is a partial order."""
        differ: BoolArray = self.subgroup[self.row_offsets[:-1]] != self.subgroup[self.row_offsets[1:] - 1]
        return differ

    @cached_property
    def rank_class(self) -> IntArray:
        """(R,) class of each judgement in its group, from 0 for the best, as if there were no subgroups."""
        # Classes are numbered through all groups first: a new one begins where the level changes.
        class_number = np.concatenate(([0], np.cumsum(self.level[1:] != self.level[:-1])))
        first_of_group: IntArray = class_number[self.row_offsets[:-1]][self.group_of]
        return class_number - first_of_group

    @cached_property
    def counts(self) -> GroupCounts:
        """The preferences and documents of each group; InputError if a group contradicts itself."""
        num_fields = len(fields(GroupCounts))
        counts = np.zeros((num_fields, len(self.group)), np.int64)  # a row for each field
        plain_groups = np.flatnonzero(~self.has_subgroups)
        is_counted = self._is_counted
        sizes = segment_sums(is_counted, self.row_offsets)[plain_groups]
        num_ret_of_group = self.num_judged_ret[self.topic_of_group]
        retrieved = self.position < num_ret_of_group[self.group_of]
        classes = Classes(
            offsets=np.concatenate(([0], np.cumsum(sizes))),
            rank_class=self.rank_class[is_counted],
            position=self.position[is_counted],
            retrieved=retrieved[is_counted],
        )
        counts[:, plain_groups] = count_classes(classes, self.level[is_counted] > 0)
        for group, order in self._orders.items():
            counts[:, [group]] = order.count(int(num_ret_of_group[group]))
        return GroupCounts(*counts)

    @cached_property
    def _is_counted(self) -> BoolArray:
        """(R,) whether a judgement counts in classes.

        It does if its group has no subgroups, except in the last class of a group whose highest level is -3.

        Raises InputError if such a group gives a document two levels.
        """
        # trec_eval: -3 means "no level yet", so a group whose highest level it is has one class less.
        lacks_last_class = self.level[self.row_offsets[:-1]] == -3
        last_class = self.rank_class[self.row_offsets[1:] - 1]
        is_in_last_class = self.rank_class == last_class[self.group_of]
        left_out: BoolArray = lacks_last_class[self.group_of] & is_in_last_class
        left_out |= self.has_subgroups[self.group_of]
        order = np.lexsort((self.rank_class, self.position, self.group_of))
        order = order[~left_out[order]]
        has_other_class = np.diff(self.rank_class[order]) != 0
        two_levels = np.flatnonzero(self._is_same_document(order) & has_other_class)
        if len(two_levels):
            first = int(two_levels[0])
            raise self.source.two_levels_error(*self.row[order[first : first + 2]].tolist())
        return ~left_out

    def _is_same_document(self, order: IntArray) -> BoolArray:
        """Return (n-1,) whether the next of these judgements (n,) is of the same group and document."""
        is_same_group = np.diff(self.group_of[order]) == 0
        is_same_position = np.diff(self.position[order]) == 0
        return np.asarray(is_same_group & is_same_position, np.bool_)

    @cached_property
    def _orders(self) -> dict[int, PartialOrder]:
        """The partial order of each group with subgroups; InputError if a group contradicts itself."""
        orders = {}
        for group in np.flatnonzero(self.has_subgroups).tolist():
            rows = slice(self.row_offsets[group], self.row_offsets[group + 1])
            try:
                orders[group] = partial_order(self.position[rows], self.subgroup[rows], self.level[rows])
            except ConflictError as conflict:
                positions = self.position[rows].tolist()
                row_of_first, row_of_second = [
                    int(self.row[rows][positions.index(position)]) for position in conflict.args
                ]
                raise self.source.conflict_error(row_of_first, row_of_second) from None
        return orders

    @cached_property
    def pairs(self) -> PairSums:
        """The pairs of documents of each topic, and the sums of the fulfilled share of each pair."""
        counts = self.counts
        first_group = self.offsets[:-1]
        # With a single group each share is 1 or 0, so the sums are counts; the loop replaces the others.
        sums = PairSums(
            sum_ret=counts.ful_ret[first_group].astype(float),
            pairs_ret=counts.poss_ret[first_group],
            sum_imp=counts.ful[first_group].astype(float),
            pairs_imp=counts.poss_ret[first_group] + counts.poss_imp[first_group],
            pairs=counts.poss[first_group],
        )
        has_single_group = (np.diff(self.offsets) == 1) & ~self._repeats[first_group]
        for topic in np.flatnonzero(~has_single_group).tolist():
            groups = range(self.offsets[topic], self.offsets[topic + 1])
            num_judged = int(self.num_judged[topic])
            num_ret = int(self.num_judged_ret[topic])
            sums_of_topic = sum_pairs([self._pairwise(group) for group in groups], num_judged, num_ret)
            for values, value in zip(vars(sums).values(), sums_of_topic, strict=True):
                values[topic] = value
        return sums

    @cached_property
    def _repeats(self) -> BoolArray:
        """(G,) whether a group without subgroups judges a document more than once."""
        order = np.lexsort((self.position, self.group_of))
        repeated = order[:-1][self._is_same_document(order)]
        has_repeats = np.zeros(len(self.group), bool)
        has_repeats[self.group_of[repeated]] = True
        return has_repeats & ~self.has_subgroups

    def _pairwise(self, group: int) -> Pairwise:
        """Return a judgement group as preferences, pair by pair."""
        if group in self._orders:
            return self._orders[group]
        rows = np.arange(self.row_offsets[group], self.row_offsets[group + 1])
        rows = rows[self._is_counted[rows]]
        rows = rows[np.argsort(self.position[rows], kind="stable")]
        first = np.flatnonzero(np.diff(self.position[rows], prepend=-1))
        return PairwiseClasses(
            position=self.position[rows[first]],
            rank_class=self.rank_class[rows[first]],
            times=np.diff(first, append=len(rows)),
        )


def form_preference_batch(
    preferences: Preferences, ranking: Ranked, options: Options, topics: IntArray, run_rows: IntArray
) -> PreferenceBatch:
    """Return the batch, with the position of each judged document after -M.

    -J and -l make no difference to preferences.  The ranking must break ties by docno in ascending order.
    topics, run_rows  (T,) as for scored_groups
    """
    scored = scored_groups(preferences, ranking, options, topics, run_rows)
    # The judged documents of the topics, in each by docno.
    starts = preferences.pool.offsets
    rows, offsets = rows_of_stretches(starts[scored.topic], np.diff(starts)[scored.topic])
    document = preferences.by_docno[rows]
    topic_of = np.repeat(np.arange(len(scored.topics)), np.diff(offsets))
    rank = scored.rank[document]
    # Within a topic the retrieved documents come first, in rank order, then the others by docno.
    by_position = document[np.lexsort((rank, rank == 0, topic_of))]
    position_of = np.zeros(len(scored.rank), np.int64)
    position_of[by_position] = np.arange(len(document)) - offsets[topic_of]
    level = preferences.level[scored.row]
    if options.version.single_precision_scores:
        # trec_eval: levels are C floats in 9.0.8, so close ones are the same.
        with np.errstate(over="ignore", under="ignore"):
            level = level.astype(np.float32).astype(np.float64)
    subgroup = preferences.subgroup[scored.row]
    position = position_of[preferences.document[scored.row]]
    order = np.lexsort((position, -level, subgroup, scored.group_of))
    return PreferenceBatch(
        topics=scored.topics,
        missing=scored.missing,
        num_judged=np.diff(offsets),
        num_judged_ret=segment_sums(rank > 0, offsets),
        offsets=scored.offsets,
        row_offsets=scored.row_offsets,
        subgroup=subgroup[order],
        level=level[order],
        position=position[order],
        row=scored.row[order],
        group=scored.group,
        source=preferences,
    )

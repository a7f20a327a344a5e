"""Checks of some whole topics of a run: order, ranks against scores, ties, documents that come twice.

A run is checked some topics at a time, so that arrays fit into the processor's cache, and by several threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pres_eval.arrays import AnyInts, BoolArray, FloatArray, Ids, IntArray, TopicNumbers, changed, present
from pres_eval.checking.findings import Example, FileReport, report_respelling
from pres_eval.checking.notations import Id
from pres_eval.checking.second_look import MOST_ROWS_COMPARED, Sampler
from pres_eval.errors import quoted
from pres_eval.ranking.order import in_docno_order
from pres_eval.reading.blocks import Block
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.rewriting import IdMapping

NO_RANK = np.iinfo(np.int64).min
"""Stands for the rank of a line whose rank is no whole number."""


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """N rows of a run: documents, scores, ranks, and lines from 1; each (N,)."""

    ids: Ids
    scores: FloatArray
    ranks: AnyInts
    line: IntArray

    def take(self, rows: IntArray) -> CheckedRows:
        """Return the rows with these indices (n,)."""
        return CheckedRows(
            ids=self.ids.take(rows), scores=self.scores[rows], ranks=self.ranks[rows], line=self.line[rows]
        )


@dataclass(frozen=True, eq=False)
class CheckedBlock:
    """Some topics of a run; their rows stand topic after topic, in each in the order of the file.

    topics   (S,) ids
    offsets  (S+1,) where each topic's rows begin
    report   the report that gets the findings
    """

    topics: Sequence[bytes]
    offsets: IntArray
    rows: CheckedRows
    report: FileReport

    @cached_property
    def topic_of(self) -> TopicNumbers:
        """(N,) index of each row's topic."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.offsets))

    def check(self, cutoffs: Sequence[int], pool: Pool, mapping: IdMapping | None) -> None:
        """Check the topics: ranks against scores, ties, documents; add the findings to the report.

        cutoffs  ranks across which ties are counted
        pool     the judged documents
        mapping  of the run's documents before they are compared with the pool, None for none
        """
        rows = self.rows
        same_topic = self.topic_of[1:] == self.topic_of[:-1]
        rises = (rows.scores[1:] > rows.scores[:-1]) & same_topic
        self.report.counts["topics", "unsorted"] = len(self._first_of_topics(np.flatnonzero(rises)))
        same_or_lower_rank = (rows.ranks[1:] <= rows.ranks[:-1]) & same_topic
        # In topics whose ranks rise and whose scores do not, no rank contradicts a score.
        self._check_ranks(np.flatnonzero(rises | same_or_lower_rank))
        self._check_ties(rises, same_topic, cutoffs)
        self._check_documents(pool, mapping)

    def _check_documents(self, pool: Pool, mapping: IdMapping | None) -> None:
        """Report documents that come twice, count judged ones, and report ids in another notation."""
        topic = pool.find_topics(Ids.from_texts(self.topics))  # (S,) indices in the pool, -1: not judged
        ids, lengths = self.rows.ids, np.diff(self.offsets)
        matches = pool.join(topic, lengths, ids)
        self._report_duplicates(matches.repeats, matches.first)
        if mapping is not None:
            ids, _ = mapping(ids)
            matches = pool.join(topic, lengths, ids)
        judged_documents = present(matches.partners, len(pool.documents))
        self.report.counts["documents", "judged"] = len(judged_documents)
        is_judged = topic >= 0
        num_matched = np.bincount(pool.topic_of[judged_documents], minlength=len(pool.topics))
        # With matched documents: a run may have a judged document in two notations.
        sampler = Sampler(
            pool,
            topic[is_judged],
            lengths[is_judged],
            num_matched[topic[is_judged]],
            judged_documents,
            with_matched=True,
            sampled_rows=MOST_ROWS_COMPARED,
        )
        sampler.add_block(
            Block(
                topics=Ids.from_texts(self.topics), lengths=lengths, documents=ids, numbers=self.rows.scores
            )
        )

        def line_of(key: Id) -> int:
            """Return the line of a document of a topic of the pool."""
            topic_in_pool, document = key
            index = int(np.flatnonzero(topic == topic_in_pool)[0])
            first, last = self.offsets[index : index + 2].tolist()
            row = first + list(ids[first:last]).index(document)
            return int(self.rows.line[row])

        report_respelling(self.report, "other-notation-of-docno", sampler.respelling(), line_of)

    def _topic_text(self, row: int) -> str:
        """Return the topic of a row, for a message."""
        return quoted(self.topics[int(self.topic_of[row])])

    def _first_of_topics(self, rows: IntArray) -> IntArray:
        """Return those of ascending rows (n,) that are the first of their topic."""
        return rows[changed(self.topic_of[rows])]

    def _in_topics(self, rows: IntArray) -> IntArray:
        """Return all rows of the topics to which these rows (n,) belong, ascending."""
        is_chosen = np.zeros(len(self.topics), np.bool_)
        is_chosen[self.topic_of[rows]] = True
        return np.flatnonzero(is_chosen[self.topic_of])

    def _report_duplicates(self, repeats: IntArray, first: IntArray) -> None:
        """Report rows (n,) whose documents come again, each with the row (n,) that had it first."""
        ids, line = self.rows.ids, self.rows.line

        def examples() -> Iterator[Example]:
            """Yield an example for each row."""
            for row, first_row in zip(repeats.tolist(), first.tolist(), strict=True):
                text = f"topic {self._topic_text(row)}, document {quoted(ids[row])} again"
                yield Example(int(line[row]), text, "first in line", int(line[first_row]))

        self.report.add("duplicate", len(repeats), "", examples())

    def _check_ranks(self, suspects: IntArray) -> None:
        """Report topics in which a document has a larger rank than another, and a larger score too.

        suspects  rows in whose topics ranks or scores are not in order
        """
        rows = self.rows
        self._count_ranks_from_0()
        row_numbers = self._in_topics(suspects)
        row_numbers = row_numbers[rows.ranks[row_numbers] != NO_RANK]
        if not len(row_numbers):
            return
        # By topic, rank, and score.
        keys = rows.scores[row_numbers], rows.ranks[row_numbers], self.topic_of[row_numbers]
        row_numbers = row_numbers[np.lexsort(keys)]
        suspected = rows.take(row_numbers)
        topic, rank, score = self.topic_of[row_numbers], suspected.ranks, suspected.scores
        # Rows with the same rank are a group, from the least score to the largest: they don't say which is
        # first.  A group is wrong if the next one has a larger score than its least.
        least = np.flatnonzero(changed(topic, rank))
        largest = np.append(least[1:], len(row_numbers)) - 1
        next_is_larger = score[largest[1:]] > score[least[:-1]]
        wrong = np.flatnonzero((topic[least[1:]] == topic[least[:-1]]) & next_is_larger)
        first_of_topics = wrong[changed(topic[least[wrong]])]

        def examples() -> Iterator[Example]:
            """Yield an example for each topic."""
            for group in first_of_topics.tolist():
                before, after = int(least[group]), int(largest[group + 1])
                topic_name = self._topic_text(row_numbers[after])
                higher = f"rank {rank[after]} has score {score[after]!s}"
                text = f"topic {topic_name}: {higher}, rank {rank[before]} has {score[before]!s}"
                yield Example(int(suspected.line[after]), text, "line", int(suspected.line[before]))

        self.report.add("rank-disagrees", len(first_of_topics), "", examples())

    def _count_ranks_from_0(self) -> None:
        """Count the topics that have a rank 0 and larger ones."""
        ranks = self.rows.ranks
        zeros = self._first_of_topics(np.flatnonzero(ranks == 0))
        has_larger_ranks = np.zeros(len(self.topics), np.bool_)
        has_larger_ranks[self.topic_of[ranks > 0]] = True
        num_topics = int(np.count_nonzero(has_larger_ranks[self.topic_of[zeros]]))
        self.report.counts["topics", "ranks_from_0"] = num_topics

    def _check_ties(self, rises: BoolArray, same_topic: BoolArray, cutoffs: Sequence[int]) -> None:
        """Report documents with equal scores, and those that are equal in 32 bits only.

        rises       (N - 1,) whether the next row of the topic has a larger score
        same_topic  (N - 1,) whether the next row is of the same topic
        cutoffs     ranks across which ties are counted
        """
        order: IntArray | None = None  # rows by topic and descending score; None: they are in this order
        unsorted = self._in_topics(np.flatnonzero(rises))
        if len(unsorted):
            order = np.arange(len(self.topic_of))
            order[unsorted] = unsorted[np.lexsort((-self.rows.scores[unsorted], self.topic_of[unsorted]))]
        scores = self.rows.scores
        if order is not None:
            scores = scores[order]
        with np.errstate(over="ignore"):
            scores32 = scores.astype(np.float32)
        equal32 = (scores32[1:] == scores32[:-1]) & same_topic
        equal64 = (scores[1:] == scores[:-1]) & same_topic
        # If none differ in the whole run, each of its topics has one score.
        self.report.counts["ties", "none"] = int(np.count_nonzero(same_topic & ~equal64))
        if not equal32.any():
            return
        self._report_ties("ties", scores, equal64, cutoffs)
        only32 = equal32 & ~equal64
        if not only32.any():
            return
        self.report.counts["float32-ties", "scores"] = _num_scores_equal_in_32(equal32, only32)
        differs = self._ranked_differently(order, scores, equal32, only32)
        self._report_ties("float32-ties", scores, only32 & differs, cutoffs)

    def _ranked_differently(
        self, order: IntArray | None, scores: FloatArray, equal32: BoolArray, only32: BoolArray
    ) -> BoolArray:
        """Return which neighbours (N - 1,) are in groups that 9.0.8 and 10.0 rank differently.

        order    rows by topic and descending score; None: they are in this order
        scores   (N,) in that order
        equal32  (N - 1,) whether a score equals the next one in 32 bits: such rows are a group
        only32   (N - 1,) whether they are equal in 32 bits alone
        """
        group = np.concatenate(([0], np.cumsum(~equal32)))
        is_chosen = np.zeros(int(group[-1]) + 1, np.bool_)
        is_chosen[group[:-1][only32]] = True
        positions = np.flatnonzero(is_chosen[group])
        rows = positions if order is None else order[positions]
        ids = self.rows.ids.take(rows)
        # trec_eval: 9.0.8 goes by docno, descending, 10.0 by score and then docno.
        _, index_of_id = ids.distinct()
        number = in_docno_order(index_of_id, len(ids))
        order_of_9 = np.lexsort((number, group[positions]))
        order_of_10 = np.lexsort((number, -scores[positions], group[positions]))
        is_chosen[:] = False
        is_chosen[group[positions[order_of_9 != order_of_10]]] = True
        return np.asarray(is_chosen[group[:-1]], np.bool_)

    def _report_ties(
        self, kind: str, scores: FloatArray, equal_next: BoolArray, cutoffs: Sequence[int]
    ) -> None:
        """Report how many documents are in ties, how many ties go across a cutoff, and some examples.

        kind        of finding: ties or float32-ties
        scores      (N,) by topic, descending
        equal_next  (N - 1,) whether a row is in a tie with the next one
        """
        report, offsets = self.report, self.offsets
        tied = np.concatenate((equal_next, [False])) | np.concatenate(([False], equal_next))
        report.counts[kind, "documents"] = int(np.count_nonzero(tied))
        for cutoff in cutoffs:
            is_longer = np.diff(offsets) > cutoff
            last_within = offsets[:-1][is_longer] + cutoff - 1
            report.counts[kind, str(cutoff)] = int(np.count_nonzero(equal_next[last_within]))
        positions = self._first_of_topics(np.flatnonzero(equal_next))

        def examples() -> Iterator[Example]:
            """Yield an example for each topic."""
            starts = offsets[np.searchsorted(offsets, positions, side="right") - 1]
            for position, start in zip(positions.tolist(), starts.tolist(), strict=True):
                values = str(scores[position])
                if kind != "ties":
                    values += f" and {scores[position + 1]!s}"
                ranks = f"ranks {position - start + 1} and {position - start + 2}"
                yield Example(None, f"topic {self._topic_text(position)}: score {values} at {ranks}")

        report.add(kind, len(positions), "", examples())


def _num_scores_equal_in_32(equal32: BoolArray, only32: BoolArray) -> int:
    """Count the different scores that are equal to another one in 32 bits.

    equal32  (N - 1,) whether a score equals the next one in 32 bits
    only32   (N - 1,) whether it does so in 32 bits alone

    A group of scores that are equal in 32 bits has one more than it has boundaries between different ones:
    3.1 3.1 3.2 3.3, if all are equal in 32 bits, are three scores with two boundaries.
    """
    equal, boundaries = np.flatnonzero(equal32), np.flatnonzero(only32)
    group_of_equal = np.cumsum(np.diff(equal, prepend=-1) != 1)
    group_of_boundary = group_of_equal[np.searchsorted(equal, boundaries)]
    num_groups = int(np.count_nonzero(changed(group_of_boundary)))
    return len(boundaries) + num_groups

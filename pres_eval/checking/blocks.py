"""Checks of some whole topics of a run: order, ranks against scores, ties, documents that come twice.

A run is looked at some topics at a time, for the cache, and for threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pres_eval.arrays import AnyInts, BoolArray, FloatArray, Ids, IntArray, TopicNumbers, changed, present
from pres_eval.checking.findings import Example, FileReport, tell_respelling
from pres_eval.checking.notations import Id
from pres_eval.checking.second_look import ALL_ROWS, Sampler
from pres_eval.errors import quoted
from pres_eval.ranking.order import in_docno_order
from pres_eval.reading.blocks import Block
from pres_eval.reading.pool import Pool
from pres_eval.reading.rewriting import Mapping

NO_NUMBER = np.iinfo(np.int64).min
"""The rank of a line whose rank is no whole number."""


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """N rows of a run: documents, scores, ranks, and lines from 1."""

    ids: Ids
    scores: FloatArray
    ranks: AnyInts
    line: IntArray

    def take(self, rows: IntArray) -> CheckedRows:
        """Return some of them (n,)."""
        return CheckedRows(self.ids.take(rows), self.scores[rows], self.ranks[rows], self.line[rows])


@dataclass(frozen=True, eq=False)
class CheckedBlock:
    """Some topics of a run, their rows topic after topic, in the order of the file inside of each.

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

    def check(self, cutoffs: Sequence[int], pool: Pool, mapping: Mapping | None) -> None:
        """Do all checks of the topics, whose documents are compared with the pool as they are mapped."""
        rows = self.rows
        same_topic = self.topic_of[1:] == self.topic_of[:-1]
        rises = (rows.scores[1:] > rows.scores[:-1]) & same_topic
        self.report.counts["topics", "unsorted"] = len(self._first_of_topics(np.flatnonzero(rises)))
        self._check_ranks(np.flatnonzero(rises | ((rows.ranks[1:] <= rows.ranks[:-1]) & same_topic)))
        self._check_ties(rises, same_topic, cutoffs)
        topic = pool.find_topics(Ids.from_texts(self.topics))
        ids, lengths = rows.ids, np.diff(self.offsets)
        matches = pool.join(topic, lengths, ids)
        self._tell_duplicates(matches.repeats, matches.first)
        if mapping is not None:
            ids = mapping(ids)[0]
            matches = pool.join(topic, lengths, ids)
        judged_documents = present(matches.partners, len(pool.documents))
        self.report.counts["documents", "judged"] = len(judged_documents)
        is_judged = topic >= 0
        num_matched = np.bincount(pool.topic_of[judged_documents], minlength=len(pool.topics))
        sampler = Sampler(
            pool,
            topic[is_judged],
            lengths[is_judged],
            num_matched[topic[is_judged]],
            judged_documents,
            again=True,
            sampled_rows=ALL_ROWS,
        )
        sampler.add_block(
            Block(topics=Ids.from_texts(self.topics), lengths=lengths, documents=ids, numbers=rows.scores)
        )

        def line_of(key: Id) -> int:
            """Return the line of a document of a topic of the pool."""
            group = int(np.flatnonzero(topic == key[0])[0])
            first, last = self.offsets[group : group + 2].tolist()
            return int(rows.line[first + list(ids[first:last]).index(key[1])])

        tell_respelling(self.report, "other-notation-of-docno", sampler.respelling(), line_of)

    def _name(self, row: int) -> str:
        return quoted(self.topics[int(self.topic_of[row])])

    def _first_of_topics(self, rows: IntArray) -> IntArray:
        """Return of ascending rows the first in each topic."""
        return rows[changed(self.topic_of[rows])]

    def _in_topics(self, rows: IntArray) -> IntArray:
        """Return all rows of the topics to which these rows belong."""
        chosen = np.zeros(len(self.topics), np.bool_)
        chosen[self.topic_of[rows]] = True
        return np.flatnonzero(chosen[self.topic_of])

    def _tell_duplicates(self, again: IntArray, first: IntArray) -> None:
        """Report rows whose documents come again, each with the row that had it first."""
        ids, line = self.rows.ids, self.rows.line
        examples = (
            Example(
                int(line[row]),
                f"topic {self._name(row)}, document {quoted(ids[row])} again",
                "first in line",
                int(line[before]),
            )
            for row, before in zip(again.tolist(), first.tolist(), strict=True)
        )
        self.report.add("duplicate", len(again), "", examples)

    def _check_ranks(self, suspects: IntArray) -> None:
        """Report documents whose rank and score are both larger than a neighbour's, in suspect topics."""
        rows = self.rows
        from_0 = self._first_of_topics(np.flatnonzero(rows.ranks == 0))
        has_more = np.zeros(len(self.topics), np.bool_)
        has_more[self.topic_of[rows.ranks > 0]] = True
        self.report.counts["topics", "ranks_from_0"] = int(np.count_nonzero(has_more[self.topic_of[from_0]]))
        row_numbers = self._in_topics(suspects)
        row_numbers = row_numbers[rows.ranks[row_numbers] != NO_NUMBER]
        if not len(row_numbers):
            return
        keys = rows.scores[row_numbers], rows.ranks[row_numbers], self.topic_of[row_numbers]
        row_numbers = row_numbers[np.lexsort(keys)]
        suspected = rows.take(row_numbers)
        topic, rank, score = self.topic_of[row_numbers], suspected.ranks, suspected.scores
        # Rows with the same rank come from the least score to the largest: they don't say which is first.
        least = np.flatnonzero(changed(topic, rank))
        largest = np.append(least[1:], len(row_numbers)) - 1
        wrong = (topic[least[1:]] == topic[least[:-1]]) & (score[largest[1:]] > score[least[:-1]])
        first = np.flatnonzero(wrong)
        first = first[changed(topic[least[first]])]

        def examples() -> Iterator[Example]:
            for number in first.tolist():
                before, after = int(least[number]), int(largest[number + 1])
                topic_name = self._name(row_numbers[after])
                higher = f"rank {rank[after]} has score {score[after]!s}"
                text = f"topic {topic_name}: {higher}, rank {rank[before]} has {score[before]!s}"
                yield Example(int(suspected.line[after]), text, "line", int(suspected.line[before]))

        self.report.add("rank-disagrees", len(first), "", examples())

    def _check_ties(self, rises: BoolArray, same_topic: BoolArray, cutoffs: Sequence[int]) -> None:
        """Report documents with equal scores, and those that are equal in 32 bits only."""
        order: IntArray | None = None  # of rows by topic and descending score; None: theirs
        unsorted = self._in_topics(np.flatnonzero(rises))
        if len(unsorted):
            order = np.arange(len(self.topic_of))
            order[unsorted] = unsorted[np.lexsort((-self.rows.scores[unsorted], self.topic_of[unsorted]))]
        scores = self.rows.scores
        if order is not None:
            scores = scores[order]
        with np.errstate(over="ignore"):
            single = scores.astype(np.float32)
        equal_single = (single[1:] == single[:-1]) & same_topic
        equal_scores = (scores[1:] == scores[:-1]) & same_topic
        self.report.counts["ties", "none"] = int(np.count_nonzero(same_topic & ~equal_scores))
        if not equal_single.any():
            return
        self._tell_ties("ties", scores, equal_scores, cutoffs)
        only_single = equal_single & ~equal_scores
        if not only_single.any():
            return
        # Scores are one number in 32 bits: those on either side of such a boundary.
        equal, only = np.flatnonzero(equal_single), np.flatnonzero(only_single)
        group = np.cumsum(np.diff(equal, prepend=-1) != 1)[np.searchsorted(equal, only)]
        self.report.counts["float32-ties", "scores"] = len(only) + int(np.count_nonzero(changed(group)))
        differs = self._ranked_differently(order, scores, equal_single, only_single)
        self._tell_ties("float32-ties", scores, only_single & differs, cutoffs)

    def _ranked_differently(
        self, order: IntArray | None, scores: FloatArray, equal: BoolArray, only: BoolArray
    ) -> BoolArray:
        """Return which neighbours are in groups whose order by docno differs from that by score first."""
        group = np.concatenate(([0], np.cumsum(~equal)))
        chosen = np.zeros(int(group[-1]) + 1, np.bool_)
        chosen[group[:-1][only]] = True
        positions = np.flatnonzero(chosen[group])
        rows = positions if order is None else order[positions]
        ids = self.rows.ids.take(rows)
        # trec_eval: 9.0.8 goes by docno, descending, 10.0 by score and then docno.
        number = in_docno_order(ids.distinct()[1], len(ids))
        in_9 = np.lexsort((number, group[positions]))
        in_10 = np.lexsort((number, -scores[positions], group[positions]))
        chosen[:] = False
        chosen[group[positions[in_9 != in_10]]] = True
        return np.asarray(chosen[group[:-1]], np.bool_)

    def _tell_ties(
        self, kind: str, scores: FloatArray, equal_next: BoolArray, cutoffs: Sequence[int]
    ) -> None:
        """Report how many documents are in ties, how many ties go across a cutoff, and some examples."""
        report, offsets = self.report, self.offsets
        tied = np.concatenate((equal_next, [False])) | np.concatenate(([False], equal_next))
        report.counts[kind, "documents"] = int(np.count_nonzero(tied))
        for cutoff in cutoffs:
            ends = offsets[:-1][np.diff(offsets) > cutoff] + cutoff - 1
            report.counts[kind, str(cutoff)] = int(np.count_nonzero(equal_next[ends]))
        positions = self._first_of_topics(np.flatnonzero(equal_next))

        def examples() -> Iterator[Example]:
            starts = offsets[np.searchsorted(offsets, positions, side="right") - 1]
            for position, start in zip(positions.tolist(), starts.tolist(), strict=True):
                values = str(scores[position])
                if kind != "ties":
                    values += f" and {scores[position + 1]!s}"
                ranks = f"ranks {position - start + 1} and {position - start + 2}"
                yield Example(None, f"topic {self._name(position)}: score {values} at {ranks}")

        report.add(kind, len(positions), "", examples())

"""Many topics at once, as frozen arrays of their documents in the qrels, and the sums over them.

Only documents that the qrels list are kept: what is not in `rank` was not judged, so before rank r there are
`r - 1 - (documents kept before it)` others.  Sums of floats add one double after the other, in rank order and
in topic order, as C does: that is what makes the printed digits agree.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, Grades, IntArray, accumulate, read_only
from pres_eval.batches.topics import UNJUDGED, JudgedTopics, RankedDocuments, TieGroups, rows_of
from pres_eval.errors import MeasureError, quoted
from pres_eval.options import V9, Version
from pres_eval.records import dataclass

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Batch:
    """T topics with the D documents in their qrels that a run retrieved for them, of which R are relevant.

    Nearly all of these were judged; qrels may also list some with a negative grade, which nobody judged.  The
    fields are many and flat because measures, those of users too, read them by name.

    topics          T ids, in byte order
    num_ret         (T,) documents retrieved, after -M and -J
    offsets         (T+1,) where each topic's documents begin in `rank` and `grade`
    rank, grade     (D,) of these documents, in rank order within a topic; ranks from 1; grade UNJUDGED (-2)
                    for those with a negative grade.  Grades and levels are doubles with -R qrels_float, and
                    whole numbers otherwise
    levels, level_counts, level_offsets
                    (L,), (L,), (T+1,) for each topic the grades >= 0 in its qrels, ascending, and how many
                    documents have each
    missing         (T,) topics that the run does not have (only with -c under 10.0, which scores them as one
                    retrieved document that nobody judged)
    relevance_level least grade of a relevant document (-l)
    num_docs_in_coll  documents in the collection (-N), 0 if not known; or (T,) for each topic
    version         the trec_eval whose quirks are kept
    ties            the groups of equal scores that the documents are in, if expected values are wanted; a
                    group in which -M ends the ranking is then there as a whole, with ranks above num_ret
    document_scores (D,) a score that each document has of its own (--document-scores), None if there are none
    max_rel         the highest grade that bounds assume of a document that nobody judged; a topic's highest
                    grade if that is above it
    judged          the source of the levels, and results made of these for earlier runs; None if not known
    nmax            (T,) how far each topic is read (--nmax-file), None if not known
    """

    topics: tuple[bytes, ...]
    num_ret: IntArray
    offsets: IntArray
    rank: IntArray
    grade: Grades
    levels: Grades
    level_counts: IntArray
    level_offsets: IntArray
    missing: BoolArray
    relevance_level: float = 1
    num_docs_in_coll: int | IntArray = 0
    version: Version = V9
    ties: TieGroups | None = None
    document_scores: FloatArray | None = None
    max_rel: int = 1
    judged: JudgedTopics | None = None
    nmax: IntArray | None = None

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def topic_of(self) -> IntArray:
        """(D,) index of each document's topic."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def level_topic_of(self) -> IntArray:
        """(L,) index of the topic of each entry of `levels`."""
        return np.repeat(np.arange(len(self)), np.diff(self.level_offsets))

    @cached_property
    def is_rel(self) -> BoolArray:
        """(D,) whether the document is relevant."""
        return self.grade >= self.relevance_level

    @cached_property
    def is_nonrel(self) -> BoolArray:
        """(D,) whether the document was judged and is not relevant."""
        return (self.grade >= 0) & ~self.is_rel

    @cached_property
    def rel_so_far(self) -> IntArray:
        """(D,) relevant documents of the topic up to and including this one."""
        return self.running_count(self.is_rel)

    @cached_property
    def nonrel_so_far(self) -> IntArray:
        """(D,) documents judged not relevant up to and including this one."""
        return self.running_count(self.is_nonrel)

    @cached_property
    def num_rel(self) -> IntArray:
        """(T,) relevant documents in the qrels."""
        return read_only(self.count_judged(self.levels >= self.relevance_level))

    @cached_property
    def num_nonrel(self) -> IntArray:
        """(T,) documents in the qrels that were judged and are not relevant."""
        return self.count_judged(self.levels < self.relevance_level)

    @cached_property
    def num_rel_ret(self) -> IntArray:
        """(T,) relevant documents retrieved."""
        return np.diff(self.relevant_places.offsets)

    @cached_property
    def relevant_rows(self) -> IntArray:
        """(R,) which of the documents are relevant."""
        return np.flatnonzero(self.is_rel)

    @cached_property
    def relevant_topic_of(self) -> IntArray:
        """(R,) index of the topic of each relevant document retrieved."""
        return np.repeat(np.arange(len(self)), self.num_rel_ret)

    @cached_property
    def judged_places(self) -> RankedDocuments:
        """All D documents, those with a negative grade too."""
        return self.judged_down_to(int(self.rank.max(initial=0)))

    def judged_down_to(self, rank: int) -> RankedDocuments:
        """Return those of the D documents that are retrieved down to a rank."""
        return self._places(np.flatnonzero(self.rank <= rank))

    @cached_property
    def relevant_places(self) -> RankedDocuments:
        """The relevant documents retrieved."""
        return self._places(self.relevant_rows)

    def _places(self, rows: IntArray) -> RankedDocuments:
        """Return those of the D documents that have these rows (n,).

        Their keys, topic * width + rank, ascend over all topics, so that they can be searched.
        """
        offsets = np.searchsorted(rows, self.offsets)
        rank = self.rank if len(rows) == len(self.rank) else self.rank[rows]
        width = int(rank.max(initial=0)) + 1
        first_keys = np.arange(len(self)) * width
        keys = np.repeat(first_keys, np.diff(offsets)) + rank
        return RankedDocuments(rows=rows, offsets=offsets, keys=keys, width=width)

    @cached_property
    def relevant_precision(self) -> FloatArray:
        """(R,) i / r_i: precision at the i-th relevant document retrieved of each topic, at rank r_i."""
        i = np.arange(1, len(self.relevant_rows) + 1)
        i -= np.repeat(self.relevant_places.offsets[:-1], self.num_rel_ret)
        precision: FloatArray = i / self.rank[self.relevant_rows]
        return precision

    @cached_property
    def running_precision(self) -> FloatArray:
        """(R+1,) sums of the precision at a topic's relevant documents, up to and including each of them.

        They begin anew with each topic.  The last entry is 0: `relevant_places.at` takes it for topics of
        which it is to add up no document.
        """
        return self.relevant_places.running(self.relevant_precision)

    @cached_property
    def running_ranks(self) -> IntArray:
        """(R+1,) sums of the ranks of the relevant documents before each of them, over all topics, from 0."""
        return np.concatenate(([0], np.cumsum(self.rank[self.relevant_rows])))

    @cached_property
    def highest_precision(self) -> FloatArray:
        """(R,) the highest precision at or after each relevant document retrieved."""
        # The running maximum of the ranking read backwards.
        begins = self.relevant_places.offsets
        begins_backwards = int(begins[-1]) - begins[::-1]
        highest_backwards = accumulate(np.maximum, self.relevant_precision[::-1], begins_backwards)
        return highest_backwards[::-1]

    def derived(self, function: Callable[[Batch], Value]) -> Value:
        """Return a function's result for the batch, computed once: a measure's cutoffs share it."""
        results: dict[Callable[[Batch], Any], Any] = vars(self).setdefault("derived_values", {})
        if function not in results:
            results[function] = function(self)
        return cast(Value, results[function])

    def of_judgements(self, function: Callable[..., Value], *arguments: Hashable) -> Value:
        """Return a function's result for the batch; judgements that are known keep it for the next run.

        The function must use only the levels, the relevance level and its arguments.
        """

        def compute() -> Value:
            """Return the result, read-only, so that no measure can change what the next run sees."""
            return read_only(function(self, *arguments))

        judged = self.judged
        # Some topics alone, and gains in place of grades, have other levels than those of the judgements.
        if judged is None or judged.levels is not self.levels or judged.level_counts is not self.level_counts:
            return compute()
        return judged.results.get((function, self.relevance_level, *arguments), size=1, make=compute)

    def count_judged(self, chosen: BoolArray) -> IntArray:
        """Return (T,) judgements at the levels that are chosen, of all L."""
        counts = np.zeros(len(self), np.int64)
        np.add.at(counts, self.level_topic_of[chosen], self.level_counts[chosen])
        return counts

    def running_count(self, chosen: BoolArray) -> IntArray:
        """Count the chosen documents of a topic up to and including each one: (D,) in, (D,) out."""
        running = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(chosen, out=running[1:])
        before: IntArray = np.repeat(running[self.offsets[:-1]], np.diff(self.offsets))
        return running[1:] - before

    def count_by_topic(self, chosen: BoolArray) -> IntArray:
        """Count the chosen documents of each topic: (D,) in, (T,) out."""
        # Masks are slow in numpy; the places at which they are true are not.
        return np.diff(np.searchsorted(np.flatnonzero(chosen), self.offsets))

    def sum_by_topic(self, values: FloatArray, chosen: BoolArray | None = None) -> FloatArray:
        """Add up the documents' values in each topic, one after the other: (D,) in, (T,) out."""
        topic_of = self.topic_of
        if chosen is not None:
            rows = np.flatnonzero(chosen)
            topic_of = topic_of[rows]
            values = values[rows]
        return np.bincount(topic_of, weights=values, minlength=len(self)).astype(np.float64, copy=False)

    def sum_of_relevant(self, values: FloatArray) -> FloatArray:
        """Add up values of the relevant documents retrieved in each topic, in order: (R,) in, (T,) out."""
        sums = np.bincount(self.relevant_topic_of, weights=values, minlength=len(self))
        return sums.astype(np.float64, copy=False)

    def with_grade(self, relevance_level: float) -> Batch:
        """Return the same batch with another least grade of relevant documents."""
        return replace(self, relevance_level=relevance_level)

    def judged_alone(self) -> Batch:
        """Return the same batch with all documents that nobody judged taken out of the rankings, as by -J.

        Raises MeasureError if a ranking ends inside a tie: its orders leave other numbers of documents.
        """
        if self.ties is not None:
            self._check_no_tie_is_cut(self.ties)
        judged = np.flatnonzero(self.grade >= 0)
        offsets = np.searchsorted(judged, self.offsets)
        lengths = np.diff(offsets)
        rank = np.arange(1, len(judged) + 1) - np.repeat(offsets[:-1], lengths)
        return replace(
            self,
            num_ret=lengths,
            offsets=offsets,
            rank=rank,
            grade=self.grade[judged],
            ties=None if self.ties is None else self.ties.among(judged, offsets),
            document_scores=rows_of(self.document_scores, judged),
        )

    def _check_no_tie_is_cut(self, ties: TieGroups) -> None:
        """Raise MeasureError if a ranking ends inside a tie with judged documents."""
        last_of_tie = ties.first + ties.size - 1
        is_cut = last_of_tie > self.num_ret[self.topic_of]
        cut = np.flatnonzero(is_cut & (self.grade >= 0))
        if len(cut):
            topic = quoted(self.topics[int(self.topic_of[cut[0]])])
            raise MeasureError(
                f"--ties expected: -M cuts through equal scores of topic {topic}, so their order decides"
                " how many judged documents are left; expected no -J, or --ties best and --ties worst"
            )

    def with_gains(self, gains: Sequence[tuple[int, float]]) -> Batch:
        """Return the same batch with gains in place of some grades; below 0 a document is not judged.

        gains  grades, each with the gain that takes its place
        The relevance level stays as it is: it is now compared with gains.
        """
        grade = self.grade.astype(np.float64)
        levels = self.levels.astype(np.float64)
        for old, new in gains:
            grade[self.grade == old] = new if new >= 0 else UNJUDGED
            levels[self.levels == old] = new
        # Levels ascend in each topic, and none is below 0.
        judged = np.flatnonzero(levels >= 0)
        order = judged[np.lexsort((levels[judged], self.level_topic_of[judged]))]
        return replace(
            self,
            grade=grade,
            levels=levels[order],
            level_counts=self.level_counts[order],
            level_offsets=np.searchsorted(judged, self.level_offsets),
        )

    def blocks(self, size: int) -> Iterator[Batch]:
        """Yield the same topics, at most `size` at a time."""
        for start in range(0, len(self), size):
            yield self.take(start, min(start + size, len(self)))

    def take(self, start: int, stop: int) -> Batch:
        """Return the topics start ... stop-1."""
        documents = slice(self.offsets[start], self.offsets[stop])
        levels = slice(self.level_offsets[start], self.level_offsets[stop])
        return replace(
            self,
            topics=self.topics[start:stop],
            num_ret=self.num_ret[start:stop],
            offsets=self.offsets[start : stop + 1] - self.offsets[start],
            rank=self.rank[documents],
            grade=self.grade[documents],
            levels=self.levels[levels],
            level_counts=self.level_counts[levels],
            level_offsets=self.level_offsets[start : stop + 1] - self.level_offsets[start],
            missing=self.missing[start:stop],
            ties=None if self.ties is None else self.ties.take(documents),
            document_scores=rows_of(self.document_scores, documents),
            nmax=rows_of(self.nmax, slice(start, stop)),
            num_docs_in_coll=np.broadcast_to(self.num_docs_in_coll, len(self))[start:stop],
        )


def frozen(batch: Batch) -> Batch:
    """Return the batch with its arrays made read-only, so that no measure can change them for the next."""
    read_only(tuple(value for value in vars(batch).values() if isinstance(value, np.ndarray)))
    return batch

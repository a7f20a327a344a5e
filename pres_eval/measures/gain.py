"""Gains: the worth of each grade, and the best ranking by them (of "ideal DCG").

By default a document's gain is its grade, and that of everything not judged is 0.  Parameters (`1=3.5,2=9`)
"name" grades and give them other gains; then the order of the grades in the best ranking is that of
trec_eval's sort, which only compares the whole parts of differences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, Grades, IntArray, blocks, nearest_integer
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.options import V10, Version
from pres_eval.records import dataclass

KeyNumbers = tuple[tuple[str, float], ...]
"""Parameters as they are written, `1=3.5`: the text before the sign, and the number."""

GradeGains = tuple[tuple[int, float], ...]
"""Grades with the gains that parameters give them."""

MOST_GRADES_SORTED = 1 << 20
"""Grades from 0 on that all take part in the sort, as in trec_eval, at most: with more it takes minutes."""

MOST_RANKS = 1 << 20
"""Retrieved documents of a batch that has a row for every rank, whose arrays then take 8 MB each."""


def grade_gains(pairs: KeyNumbers, version: Version = V10) -> GradeGains:
    """Return the grades that parameters name, with their gains."""
    gains: list[tuple[int, float]] = []
    for key, gain in pairs:
        # trec_eval: 9.0.8 reads any other key's leading digits (none: 0), 10.0 leaves it out.
        if not version.gain_keys_need_not_be_grades and not re.fullmatch(r"[+-]?[0-9]+", key):
            continue
        digits = re.match(r"\s*([+-]?[0-9]+)", key)
        grade = 0 if digits is None else nearest_integer(digits[1])
        gains.append((grade, gain))
    return tuple(gains)


@dataclass(frozen=True, eq=False)
class GainTable:
    """The gains of G grades, for the topics whose highest grade is the same.

    grades      (G,) ascending
    gain        (G,) of a retrieved document of that grade
    ideal_gain  (G,) of a document of that grade in the best ranking
    order       (G,) position of the grade in the best ranking, counted from its end
    last        the gain sorted last, with which the best ranking would begin if every grade had a document
    lowest, highest  of all gains
    """

    grades: IntArray
    gain: FloatArray
    ideal_gain: FloatArray
    order: IntArray
    last: float
    lowest: float
    highest: float

    def values_of(self, grades: IntArray, column: FloatArray | IntArray) -> FloatArray:
        """Return (n,) the values of a column (G,) for grades (n,); 0 for grades that the table lacks."""
        last_row = len(self.grades) - 1
        row = np.minimum(np.searchsorted(self.grades, grades), last_row)
        is_known = self.grades[row] == grades
        return np.where(is_known, column[row], 0.0)


def _compare_gains(gain: float, other_gain: float) -> int:
    """Return the result of trec_eval's comparison: above 0 if the first gain belongs behind the other."""
    # trec_eval: the difference is cut to a 32-bit int, and one that does not fit becomes the least int.
    difference = gain - other_gain
    fits = -(2.0**31) - 1 < difference < 2.0**31
    return int(difference) if fits else -1


def _merge_sort(gains: list[float], first_sorted: int) -> list[int]:
    """Return the indices of the gains in the order in which glibc's qsort leaves them.

    first_sorted  index from which on the gains ascend, so that a sort leaves them as they are
    """

    def sort(begin: int, end: int) -> list[int]:
        """Return the indices from `begin` to `end` in the order in which C's merge sort leaves them."""
        if begin >= first_sorted or end - begin <= 1:
            return list(range(begin, end))
        middle = begin + (end - begin) // 2
        left = sort(begin, middle)
        right = sort(middle, end)
        merged = []
        i = 0
        j = 0
        while i < len(left) and j < len(right):
            if _compare_gains(gains[left[i]], gains[right[j]]) <= 0:
                merged.append(left[i])
                i += 1
            else:
                merged.append(right[j])
                j += 1
        return merged + left[i:] + right[j:]

    return sort(0, len(gains))


def adds_exactly(named: GradeGains) -> bool:
    """Return whether all sums of these gains are exact in doubles, and trec_eval's sort is a plain one.

    Both hold for whole gains below 2^30.
    """
    return all(gain.is_integer() and abs(gain) < 2.0**30 for _, gain in named)


def _grades_by_default(named: GradeGains, highest_grade: int, present: IntArray) -> list[int]:
    """Return the grades that no parameter names, whose gain is the grade: ascending, as far as they matter.

    present  (P,) the grades of the judgements
    """
    named_grades = {grade for grade, _ in named}
    if not adds_exactly(named) and highest_grade < MOST_GRADES_SORTED:
        grades = set(range(highest_grade + 1))
    else:
        # Only grades of the judgements matter, and the highest default gain.
        highest_default = highest_grade
        while highest_default in named_grades:
            highest_default -= 1
        grades = {*present.tolist(), highest_default}
    return sorted(grade for grade in grades - named_grades if grade >= 0)


def _gain_table(named: GradeGains, highest_grade: int, present: IntArray) -> GainTable:
    """Return the gains of the grades that parameters name, and of the grades of the judgements.

    highest_grade  the highest of each of the topics
    present        (P,) the grades of their judgements
    """
    defaults = _grades_by_default(named, highest_grade, present)
    grades = [grade for grade, _ in named] + defaults
    gains = [gain for _, gain in named] + [float(grade) for grade in defaults]
    order = _merge_sort(gains, first_sorted=len(named))
    # trec_eval: of a grade named twice, a document takes the gain that sorts first, the best ranking the one
    # that was given first.  Both tables are of grades and indices in `gains`.
    index_for_document: dict[int, int] = {}
    for index in order:
        index_for_document.setdefault(grades[index], index)
    index_for_ideal: dict[int, int] = {}
    for index, grade in enumerate(grades):
        index_for_ideal.setdefault(grade, index)
    position_of_index = {index: position for position, index in enumerate(order)}
    ascending = sorted(index_for_document)
    gain_of_document = [gains[index_for_document[grade]] for grade in ascending]
    ideal_indices = [index_for_ideal[grade] for grade in ascending]
    return GainTable(
        grades=np.array(ascending, np.int64),
        gain=np.array(gain_of_document),
        ideal_gain=np.array([gains[index] for index in ideal_indices]),
        order=np.array([position_of_index[index] for index in ideal_indices], np.int64),
        last=gains[order[-1]],
        lowest=min(gains),
        highest=max(gains),
    )


def gain_tables(batch: Batch, named: GradeGains) -> Iterator[tuple[BoolArray, GainTable]]:
    """Yield groups of topics with the same highest grade, each as a mask (T,), with their gains.

    Topics without judgements are in a group only if gains are named.
    Raises MeasureError if gains are named for grades and the batch has decimal numbers as grades.
    """
    if named and batch.grade.dtype == np.float64:
        pairs = ",".join(f"{grade}={gain:g}" for grade, gain in named)
        raise MeasureError(
            f"found gains for grades ({pairs}), expected none: with -R qrels_float grades are gains"
        )
    highest = highest_grades(batch)
    for grade in np.unique(highest).tolist():
        topics = highest == grade
        present = np.unique(batch.levels[topics[batch.level_topic_of]])
        if named or grade >= 0:
            yield topics, _gain_table(named, grade, present)


def highest_grades(batch: Batch) -> Grades:
    """Return (T,) the highest grade in each topic's qrels, -1 if there is none."""
    highest = np.full(len(batch), -1, batch.levels.dtype)
    judged = np.diff(batch.level_offsets) > 0
    highest[judged] = batch.levels[batch.level_offsets[1:][judged] - 1]
    return highest


def document_gains(batch: Batch, named: GradeGains = ()) -> FloatArray:
    """Return (D,) the gain of each of the batch's documents."""
    if not named:
        return np.maximum(batch.grade, 0).astype(float)
    gains = np.zeros(len(batch.grade))
    for topics, table in gain_tables(batch, named):
        chosen = topics[batch.topic_of]
        gains[chosen] = table.values_of(batch.grade[chosen], table.gain)
    return gains


Formula = Callable[[Batch, GradeGains], FloatArray]
"""A batch and the gains that parameters name -> the values (T,) of a measure."""


def score_with_gains(batch: Batch, named: GradeGains, formula: Formula) -> FloatArray:
    """Return the formula's values (T,), of a batch with every retrieved document if grade -1 has a gain."""
    # trec_eval: a gain for grade -1 goes to every document that is not in the qrels.
    names_unjudged = any(grade == -1 for grade, _ in named)
    if not names_unjudged:
        return formula(batch, named)
    if batch.ties is not None:
        raise MeasureError("found a gain for unjudged documents (-1=…), expected none with --ties expected")
    values_of_blocks = [formula(every_rank(block), named) for block in blocks_of_ranks(batch)]
    return np.concatenate(values_of_blocks)


def blocks_of_ranks(batch: Batch, most: int | None = None) -> Iterator[Batch]:
    """Yield the topics in parts of at most `most` retrieved documents, or of one topic that has more.

    most  None: MOST_RANKS
    A batch without topics is one part.
    """
    if not len(batch):
        yield batch
    retrieved = np.concatenate(([0], np.cumsum(batch.num_ret)))
    for start, stop in blocks(retrieved, MOST_RANKS if most is None else most):
        yield batch.take(start, stop)


def every_rank(batch: Batch) -> Batch:
    """Return the batch with a row for every rank: unjudged documents are added with grade -1."""
    offsets = np.concatenate(([0], np.cumsum(batch.num_ret)))
    rank = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], batch.num_ret)
    grade = np.full(len(rank), -1)
    grade[offsets[batch.topic_of] + batch.rank - 1] = batch.grade
    return replace(batch, offsets=offsets, rank=rank, grade=grade)


@dataclass(frozen=True, eq=False)
class BestRanking:
    """The N judged documents with positive gains of T topics, topic after topic, the greatest gains first.

    topic_of  (N,) index of each document's topic
    offsets   (T+1,) where each topic's documents begin
    gain      (N,) of each document
    """

    topic_of: IntArray
    offsets: IntArray
    gain: FloatArray

    @property
    def rank(self) -> IntArray:
        """(N,) rank of each document, from 1 in each topic."""
        return np.arange(1, len(self.gain) + 1) - self.offsets[self.topic_of]

    @property
    def length(self) -> IntArray:
        """(T,) documents of positive gain."""
        return np.diff(self.offsets)

    def up_to(self, topic_of: IntArray, rank: IntArray, running: FloatArray) -> FloatArray:
        """Return (n,) the running sum at each of these ranks of these topics.

        topic_of, rank  (n,) behind the end of a best ranking the sum is that of all of it; at rank 0 it is 0
        running         (N,) running sums of the documents' values, which begin anew in each topic
        """
        last = np.minimum(rank, self.length[topic_of])
        row = np.where(last > 0, self.offsets[topic_of] + last - 1, -1)  # -1: the 0 that is appended
        with_zero = np.concatenate((running, [0.0]))
        return np.asarray(with_zero[row], np.float64)

    def sum_by_topic(self, values: FloatArray) -> FloatArray:
        """Add up the documents' values in each topic, one after the other: (N,) in, (T,) out."""
        num_topics = len(self.offsets) - 1
        return np.bincount(self.topic_of, values, num_topics).astype(np.float64, copy=False)


def best_ranking(batch: Batch, named: GradeGains = (), most: int | None = None) -> BestRanking:
    """Return the best rankings of the batch's topics, down to rank `most` (None: whole).

    A topic with two documents of grade 2 and one of grade 1 has the gains 2, 2, 1.
    """
    topic_of = batch.level_topic_of
    gain, descending = _level_gains(batch, named)
    gain = gain[descending]
    count = batch.level_counts[descending]
    # (L,) where the levels of its topic begin, for each level.
    first_level = batch.level_offsets[:-1][topic_of]
    # trec_eval: the best ranking ends at the first gain that is not positive, whatever would follow.
    num_not_positive = np.concatenate(([0], np.cumsum(gain <= 0)))
    is_before_end = num_not_positive[1:] == num_not_positive[first_level]
    count = np.where(is_before_end, count, 0)
    if most is not None:
        running_count = np.concatenate(([0], np.cumsum(count)))
        num_before = running_count[:-1] - running_count[first_level]
        count = np.clip(most - num_before, 0, count)
    lengths = np.zeros(len(batch), np.int64)
    np.add.at(lengths, topic_of, count)
    return BestRanking(
        topic_of=np.repeat(topic_of, count),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        gain=np.repeat(gain, count),
    )


def _level_gains(batch: Batch, named: GradeGains) -> tuple[FloatArray, IntArray]:
    """Return the gains (L,) of the batch's levels, and the permutation (L,) that puts them in the best order.

    Levels are the distinct grades of each topic; the best order is within each topic.
    """
    topic_of = batch.level_topic_of
    if not named:
        # Levels ascend in each topic: the best order is from the last one to the first.
        sum_of_ends = batch.level_offsets[:-1] + batch.level_offsets[1:] - 1
        return batch.levels.astype(np.float64), sum_of_ends[topic_of] - np.arange(len(topic_of))
    gain = np.zeros(len(topic_of))
    order = np.zeros(len(topic_of))
    for topics, table in gain_tables(batch, named):
        chosen = topics[topic_of]
        order[chosen] = table.values_of(batch.levels[chosen], table.order)
        if table.last > 0:
            gain[chosen] = table.values_of(batch.levels[chosen], table.ideal_gain)
    return gain, np.lexsort((-order, topic_of))

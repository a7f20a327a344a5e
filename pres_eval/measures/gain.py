"""Gains: the worth of each grade, and the best ranking by them.

By default a document's gain is its grade, and that of everything not judged is 0.  Parameters (`1=3.5,2=9`)
give grades other gains; then the order of the grades in the best ranking is that of trec_eval's
sort, which compares the whole parts of differences only.
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
GradeGains = tuple[tuple[int, float], ...]

MOST_GRADES_SORTED = 1 << 20
"""Up to here every grade from 0 takes part in trec_eval's sort (which would need minutes with more)."""

MOST_RANKS = 1 << 20
"""Ranks looked at together where every rank of a ranking counts."""


def grade_gains(pairs: KeyNumbers, version: Version = V10) -> GradeGains:
    """Return the grades that parameters name, with their gains."""
    # trec_eval: 9.0.8 reads any other key's leading digits (none: 0), 10.0 leaves it out.
    if not version.gain_keys_need_not_be_grades:
        pairs = tuple(pair for pair in pairs if re.fullmatch(r"[+-]?[0-9]+", pair[0]))
    digits = [(re.match(r"\s*([+-]?[0-9]+)", key), gain) for key, gain in pairs]
    return tuple((nearest_integer(match[1]) if match else 0, gain) for match, gain in digits)


@dataclass(frozen=True, eq=False)
class GainTable:
    """The gains of the topics whose highest grade is the same.

    grades     ascending
    gain       of a retrieved document of that grade
    ideal_gain of a document of that grade in the best ranking
    order      place of the grade in the best ranking, counted from its end
    last       gain that the best ranking begins with, were there a document of every grade
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
        """Return (n,) the column's values for these grades (n,); 0 for grades that the table lacks."""
        row = np.minimum(np.searchsorted(self.grades, grades), len(self.grades) - 1)
        return np.where(self.grades[row] == grades, column[row], 0.0)


def _difference_sign(gain: float, other_gain: float) -> int:
    # trec_eval: the comparison's difference is cut to a 32-bit int; what does not fit becomes the least one.
    difference = gain - other_gain
    if not -(2.0**31) - 1 < difference < 2.0**31:
        return -1
    return int(difference)


def _merge_sort(gains: list[float], first_sorted: int) -> list[int]:
    """Return the order in which glibc's qsort leaves the gains; from `first_sorted` on they ascend."""

    def sort(begin: int, end: int) -> list[int]:
        """Return the places from `begin` to `end` in the order in which C's merge sort leaves them."""
        if begin >= first_sorted or end - begin <= 1:
            return list(range(begin, end))
        middle = begin + (end - begin) // 2
        left = sort(begin, middle)
        right = sort(middle, end)
        merged = []
        i = 0
        j = 0
        while i < len(left) and j < len(right):
            if _difference_sign(gains[left[i]], gains[right[j]]) <= 0:
                merged.append(left[i])
                i += 1
            else:
                merged.append(right[j])
                j += 1
        return merged + left[i:] + right[j:]

    return sort(0, len(gains))


def adds_exactly(named: GradeGains) -> bool:
    """Return whether sums and differences of these gains are exact in doubles, in trec_eval's order."""
    return all(gain.is_integer() and abs(gain) < 2.0**30 for _, gain in named)


def _grades_by_default(named: GradeGains, highest_grade: int, present: IntArray) -> list[int]:
    """Return the grades that keep their own value as gain, as far as they matter; (n,) those there are."""
    names = {grade for grade, _ in named}
    if not adds_exactly(named) and highest_grade < MOST_GRADES_SORTED:
        grades = set(range(highest_grade + 1))
    else:
        # Then only what is there matters, and the highest gain of all.
        highest_kept = highest_grade
        while highest_kept in names:
            highest_kept -= 1
        grades = {*present.tolist(), highest_kept}
    return sorted(grade for grade in grades - names if grade >= 0)


def _gain_table(named: GradeGains, highest_grade: int, present: IntArray) -> GainTable:
    """Return the gains of the grades named, and of those that occur: `present` (P,)."""
    defaults = _grades_by_default(named, highest_grade, present)
    grades = [grade for grade, _ in named] + defaults
    gains = [gain for _, gain in named] + [float(grade) for grade in defaults]
    order = _merge_sort(gains, len(named))
    # trec_eval: of a grade named twice, a document takes the gain that sorts first, the best ranking the one
    # that was given first.
    place_of = {index: number for number, index in enumerate(order)}
    document = {grades[index]: index for index in reversed(order)}
    ideal = {grades[index]: index for index in reversed(range(len(grades)))}
    ascending = sorted(document)
    gain_of_document = [gains[document[grade]] for grade in ascending]
    ideal_gain = [gains[ideal[grade]] for grade in ascending]
    place_in_ideal = [place_of[ideal[grade]] for grade in ascending]
    return GainTable(
        grades=np.array(ascending, np.int64),
        gain=np.array(gain_of_document),
        ideal_gain=np.array(ideal_gain),
        order=np.array(place_in_ideal, np.int64),
        last=gains[order[-1]],
        lowest=min(gains),
        highest=max(gains),
    )


def gain_tables(batch: Batch, named: GradeGains) -> Iterator[tuple[BoolArray, GainTable]]:
    """Yield the gains for each group of topics: a mask (T,) and their table.

    Raises MeasureError if grades are named and those of the batch are decimal numbers.
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
    """Return (D,) the gain of each retrieved document."""
    if not named:
        return np.maximum(batch.grade, 0).astype(float)
    gains = np.zeros(len(batch.grade))
    for topics, table in gain_tables(batch, named):
        chosen = topics[batch.topic_of]
        gains[chosen] = table.values_of(batch.grade[chosen], table.gain)
    return gains


Formula = Callable[[Batch, GradeGains], FloatArray]


def score_with_gains(batch: Batch, named: GradeGains, formula: Formula) -> FloatArray:
    """Return the formula's values (T,); gains given to unjudged documents are filled in."""
    # trec_eval: a gain for grade -1 goes to every document that is not in the qrels.
    if all(grade != -1 for grade, _ in named):
        return formula(batch, named)
    if batch.ties is not None:
        raise MeasureError("found a gain for unjudged documents (-1=…), expected none with --ties expected")
    return np.concatenate([formula(every_rank(block), named) for block in blocks_of_ranks(batch)])


def blocks_of_ranks(batch: Batch, most: int | None = None) -> Iterator[Batch]:
    """Return parts of at most `most` (MOST_RANKS) retrieved documents, or of one topic; at least one part."""
    if not len(batch):
        yield batch
    retrieved = np.concatenate(([0], np.cumsum(batch.num_ret)))
    for start, stop in blocks(retrieved, MOST_RANKS if most is None else most):
        yield batch.take(start, stop)


def every_rank(batch: Batch) -> Batch:
    """Return the batch with unjudged documents put in, at grade -1."""
    offsets = np.concatenate(([0], np.cumsum(batch.num_ret)))
    rank = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], batch.num_ret)
    grade = np.full(len(rank), -1)
    grade[offsets[batch.topic_of] + batch.rank - 1] = batch.grade
    return replace(batch, offsets=offsets, rank=rank, grade=grade)


@dataclass(frozen=True, eq=False)
class BestRanking:
    """The documents of positive gain in the order that is best, topic after topic."""

    topic_of: IntArray
    offsets: IntArray
    gain: FloatArray

    @property
    def rank(self) -> IntArray:
        """(N,) from 1 in each topic."""
        return np.arange(1, len(self.gain) + 1) - self.offsets[self.topic_of]

    @property
    def length(self) -> IntArray:
        """(T,) documents of positive gain."""
        return np.diff(self.offsets)

    def up_to(self, topic_of: IntArray, rank: IntArray, running: FloatArray) -> FloatArray:
        """Return running values (N,) of topics at ranks, or at the ranking's end if earlier; 0 at rank 0."""
        last = np.minimum(rank, self.length[topic_of])
        row = np.where(last > 0, self.offsets[topic_of] + last - 1, -1)
        return np.asarray(np.concatenate((running, [0.0]))[row], np.float64)

    def sum_by_topic(self, values: FloatArray) -> FloatArray:
        """Add up the documents' values in each topic, one after the other: (N,) in, (T,) out."""
        return np.bincount(self.topic_of, values, len(self.offsets) - 1).astype(np.float64, copy=False)


def best_ranking(batch: Batch, named: GradeGains = (), most: int | None = None) -> BestRanking:
    """Return the best rankings of the batch's topics, down to rank `most`."""
    topic_of = batch.level_topic_of
    gain: FloatArray = batch.levels.astype(np.float64)
    if named:
        gain = np.zeros(len(topic_of))
        order = np.zeros(len(topic_of))
        for topics, table in gain_tables(batch, named):
            chosen = topics[topic_of]
            order[chosen] = table.values_of(batch.levels[chosen], table.order)
            if table.last > 0:
                gain[chosen] = table.values_of(batch.levels[chosen], table.ideal_gain)
        descending = np.lexsort((-order, topic_of))
    else:
        descending = (batch.level_offsets[:-1] + batch.level_offsets[1:] - 1)[topic_of] - np.arange(len(gain))
    gain = gain[descending]
    count = batch.level_counts[descending]
    # trec_eval: the best ranking ends at the first gain that is not positive, whatever would follow.
    ended = np.concatenate(([0], np.cumsum(gain <= 0)))
    count = np.where(ended[1:] == ended[batch.level_offsets[:-1]][topic_of], count, 0)
    if most is not None:
        before = np.concatenate(([0], np.cumsum(count)))
        count = np.clip(most - (before[:-1] - before[batch.level_offsets[:-1]][topic_of]), 0, count)
    lengths = np.zeros(len(batch), np.int64)
    np.add.at(lengths, topic_of, count)
    return BestRanking(
        topic_of=np.repeat(topic_of, count),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        gain=np.repeat(gain, count),
    )

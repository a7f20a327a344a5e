"""One grade for each document from the judgements of several assessors."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.judging import Assessments
from pres_eval.arrays.types import AnyInts, BoolArray, IntArray

MAJORITY, FIRST, HIGHEST, MEAN = "majority", "first", "highest", "mean"
RULES = (MAJORITY, FIRST, HIGHEST, MEAN)


def merged_grades(judged: Assessments, rule: str = MAJORITY) -> AnyInts:
    """Return one grade for each document (D,) from those of J judges.

    `majority`: the most frequent grade; of equally frequent ones the one that comes first among the judges.
    `first`: the grade of the first judge who judged the document.  `highest`: the highest grade.  `mean`: the
    mean of the grades, which may be no whole number.  A negative grade says that the document was not judged;
    it counts only where nobody judged.
    """
    counts = _counting(judged)
    grades = judged.grades
    if rule == MEAN:
        return np.asarray((grades * counts).sum(axis=0) / counts.sum(axis=0), np.float64)
    if rule == HIGHEST:
        highest: IntArray = np.where(counts, grades, grades.min()).max(axis=0)
        return highest
    votes = counts.astype(np.int64)
    if rule == MAJORITY:
        votes = np.array([(counts & (grades == own)).sum(axis=0) for own in grades]) * counts
    chosen: IntArray = grades[votes.argmax(axis=0), np.arange(grades.shape[1])]
    return chosen


def _counting(judged: Assessments) -> BoolArray:
    """(J, D) which grades count: all that are judgements; where a document has none, the negative ones."""
    return np.where(judged.judged.any(axis=0), judged.judged, judged.there)


def disagreements(judged: Assessments) -> IntArray:
    """Return the documents (n,) to which two judges or more gave different grades."""
    grades, there = judged.grades, judged.judged
    lowest = np.where(there, grades, np.iinfo(np.int64).max).min(axis=0)
    highest = np.where(there, grades, -1).max(axis=0)
    return np.flatnonzero(lowest < highest)

"""One grade for each document from those that several assessors gave."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.judging import Assessments
from pres_eval.arrays.types import AnyInts, BoolArray, FloatArray

RULES = ("majority", "first", "highest", "mean")


def merged_grades(judged: Assessments, rule: str) -> AnyInts | FloatArray:
    """(D,) the grade of each document by all who judged it, -1 where nobody did.

    "majority" is what most of them gave, and the highest of several such grades; "first" that of the first
    judge who gave one; "highest"; "mean", which may be no whole number.
    """
    grades, there = judged.grades, judged.judged
    judges = there.sum(axis=0)
    if rule == "first":
        found = grades[np.argmax(there, axis=0), np.arange(len(judges))]
    elif rule == "mean":
        found = np.where(there, grades, 0).sum(axis=0) / np.maximum(judges, 1)
    else:
        found = np.where(there, grades, -1).max(axis=0)
    if rule == "majority" and there.any():
        given = np.unique(grades[there])[::-1]
        found = given[np.argmax([((grades == one) & there).sum(axis=0) for one in given], axis=0)]
    return np.where(judges > 0, found, -1)


def disputed(judged: Assessments) -> BoolArray:
    """(D,) whether two judges gave a document different grades."""
    highest = np.where(judged.judged, judged.grades, -1).max(axis=0)
    different: BoolArray = (judged.judged & (judged.grades != highest)).any(axis=0)
    return different

"""Signs that judgements and a run were swapped, in the values of their first topics."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np

from pres_eval.library.arguments import is_dict

_MANY_GRADES = 6
"""Judgements of a topic from which on they look like scores if all differ: scales have fewer grades."""

_GRADES = range(-2, 5)
"""Grades of the tracks of TREC, and of most other judgements."""

_WHOLE = (int, np.integer)
_BOOLEAN = (bool, np.bool_)


class FirstValues:
    """Values of the first topic of a run or of judgements.

    values  grades or scores, or other objects in their place
    kinds   their types
    """

    __slots__ = ("kinds", "values")

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.kinds = set(map(type, values))

    def all_are(self, *kinds: type) -> bool:
        """Return whether there are values, all of these types."""
        return bool(self.values) and all(issubclass(kind, kinds) for kind in self.kinds)


def first_values(data: Any) -> FirstValues | None:
    """Return the values of the first topic of a dict of dicts, or of a list of rows; None for other data."""
    if is_dict(data):
        documents = next(iter(data.values()), None)
        if documents is None or not is_dict(documents):
            return None
        return FirstValues(list(documents.values()))
    if not isinstance(data, list):
        return None

    def is_of_first_topic(row: Any) -> bool:
        """Return whether an object is a row of topic, document and value, with the first row's topic."""
        return isinstance(row, (tuple, list)) and len(row) == 3 and row[0] == data[0][0]

    # Of a document that comes again the last value counts.
    by_document = {str(document): value for _, document, value in takewhile(is_of_first_topic, data)}
    return FirstValues(list(by_document.values()))


def is_runs_by_name(data: Any) -> bool:
    """Return whether the documents of the first topic have dicts as values: these are runs by name."""
    if not is_dict(data):
        return False
    documents: Any = next(iter(data.values()), {})
    return is_dict(documents) and len(documents) > 0 and all(map(is_dict, documents.values()))


def look_swapped(judged: FirstValues, run: FirstValues | None) -> str:
    """Return the reason why judgements look like scores and a run like grades, by the first topic of both.

    Return "" if they don't: whole numbers from -2 to 4 can be both.
    """
    if run is None or run.kinds == {float}:  # as nearly always
        return ""
    if judged.all_are(float) and run.all_are(*_WHOLE):
        return "the judgements are numbers with decimals, the scores of the run are whole"
    if run.all_are(*_BOOLEAN) and not judged.all_are(*_BOOLEAN):
        return "the scores of the run are True and False"
    if judged.all_are(*_WHOLE) and run.all_are(*_WHOLE):
        grades, scores = judged.values, run.values
        grades_look_like_scores = len(grades) >= _MANY_GRADES and len(set(grades)) == len(grades)
        if grades_look_like_scores and 2 * len(set(scores)) <= len(scores):
            return "the judgements are all different, the scores of the run are few different whole numbers"
        beyond = [grade for grade in grades if grade not in _GRADES]
        if beyond and all(score in _GRADES for score in scores):
            grades_shown = f"the judgements have grades such as {beyond[0]}"
            return f"{grades_shown}, the scores of the run are whole and at most {_GRADES[-1]}"
    return ""

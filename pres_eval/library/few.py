"""The short way for few documents: plain Python from a dict of dicts to the values of each topic.

It returns None for input that it does not know, which then takes the long way: the bits are the same.

`set(map(type, values)) <= {dict}` tells whether all values are dicts themselves, by a loop in C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from pres_eval.batches.plain import JudgedTopic, RankedTopic
from pres_eval.library.arguments import python_words
from pres_eval.measures.selection import SelectedColumn, Selection
from pres_eval.ranking.order import MOST_FEW_ROWS, few_in_order
from pres_eval.scoring import values_of_topics
from pres_eval.scoring.summing import Values

MOST_JUDGED = 20_000
"""Judgements up to which the short way keeps its own copy."""

LARGEST_GRADE = 1 << 31
"""Grades whose absolute value is below this go the short way: doubles hold them exactly."""

NUM_REL = "num_rel"
"""The only measure whose value differs between topics for which nothing was retrieved."""


def plain_judgements(judged: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]] | None:
    """Return a copy of judgements, None if they are many or need the long way."""
    if not set(map(type, judged.values())) <= {dict} or sum(map(len, judged.values())) > MOST_JUDGED:
        return None
    ids = [*judged, *chain.from_iterable(judged.values())]
    if not set(map(type, ids)) <= {str} or "\0" in "".join(ids):
        return None
    grades = [grade for documents in judged.values() for grade in documents.values()]
    if not set(map(type, grades)) <= {int}:
        return None
    if min(grades, default=0) <= -LARGEST_GRADE or max(grades, default=0) >= LARGEST_GRADE:
        return None
    return {topic: dict(documents) for topic, documents in judged.items()}


class FewDocuments:
    """Evaluator of runs with few documents.

    grades           returns the grades of a topic by document; None for a topic without judgements
    relevance_level  least grade of a relevant document
    keys             the key of each column in the values of a topic
    selection        the columns
    nothing          the values by key of a topic for which nothing was retrieved, but for num_rel
    """

    def __init__(
        self,
        grades: Callable[[str], Mapping[str, int] | None],
        relevance_level: int,
        keys: Sequence[str],
        selection: Selection,
        nothing: dict[str, float],
    ) -> None:
        self._grades = grades
        self._relevance_level = relevance_level
        self._nothing = nothing
        self._judged: dict[str, JudgedTopic] = {}
        self._keys = keys
        self._plain_columns: list[tuple[str, Callable[..., float], tuple[Any, ...]]] = []
        self._other_keys: list[str] = []
        other_columns: list[SelectedColumn] = []
        for key, column in zip(keys, selection, strict=True):
            if column.plain is None:
                self._other_keys.append(key)
                other_columns.append(column)
            else:
                self._plain_columns.append((key, column.plain, column.arguments))
        self._other_columns = tuple(other_columns)

    def values(self, run: Mapping[Any, Any]) -> dict[str, dict[str, float]] | None:
        """Return the values of judged topics by key, in the run's order; None if the long way is needed."""
        values: dict[str, dict[str, float]] = {}
        known, columns = self._judged, self._plain_columns
        num_judged = 0  # judged documents that the run retrieved
        topics_of_others: dict[str, RankedTopic] = {}  # topics with values of other than plain columns
        rankings = run.values()
        if not set(map(type, rankings)) <= {dict} or sum(map(len, rankings)) > MOST_FEW_ROWS:
            return None
        for topic, documents in run.items():
            if type(topic) is not str or not set(map(type, documents)) <= {str}:
                return None
            judged = known.get(topic) or self._judge(topic)
            if not documents:
                if judged is not None:
                    values[topic] = self._values_of_nothing(judged)
                continue
            if judged is None and not topic.isprintable():
                return None  # the long way refuses a NUL, for example
            in_order = few_in_order(documents)
            if in_order is None:
                return None
            if judged is not None:
                ranked = RankedTopic(in_order.documents, len(documents), judged)
                values[topic] = {key: function(ranked, *arguments) for key, function, arguments in columns}
                num_judged += len(ranked.ranks)
                if self._other_keys:
                    topics_of_others[topic] = ranked
        # A precaution: if no document is judged, ids with odd characters go the long way.
        if not num_judged and not "".join(chain.from_iterable(rankings)).isprintable():
            return None
        if topics_of_others:
            self._add_others(values, topics_of_others)
        return values

    @python_words
    def _add_others(self, values: dict[str, dict[str, float]], topics: Mapping[str, RankedTopic]) -> None:
        """Add the values of columns without a plain function to those of topics, in the order of keys."""
        columns = values_of_topics(list(topics.values()), self._other_columns)
        rows = zip(*map(numbers_of, columns), strict=True)
        for topic, row in zip(topics, rows, strict=True):
            by_key = {**values[topic], **dict(zip(self._other_keys, row, strict=True))}
            values[topic] = {key: by_key[key] for key in self._keys}

    def _values_of_nothing(self, judged: JudgedTopic) -> dict[str, float]:
        """Return the values of a topic for which nothing was retrieved."""
        values = dict(self._nothing)
        if NUM_REL in values:
            values[NUM_REL] = float(judged.num_rel)
        return values

    def _judge(self, topic: str) -> JudgedTopic | None:
        """Return the judgements of a topic, None if it has none, and remember them for the next run."""
        grades = self._grades(topic)
        if grades is None:  # not remembered: runs may have any number of such topics
            return None
        name = topic.encode("utf-8", "backslashreplace")  # for messages
        judged = self._judged[topic] = JudgedTopic(grades, self._relevance_level, name)
        return judged


def numbers_of(values: Values) -> list[float]:
    """Return the values of a column as Python's numbers; 0 in the place of each text."""
    if isinstance(values, list):
        return [0.0] * len(values)
    numbers: list[float] = values.tolist()
    return numbers

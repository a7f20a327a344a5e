"""The numbers of one run, as users want them: by name, by topic, as a table, as text."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray, Ids, IntArray, absent
from pres_eval.errors import MeasureError, extra_module, plural
from pres_eval.library.ids import texts_of
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn, select
from pres_eval.options import Options
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.records import dataclass
from pres_eval.scoring import ScoredRun

Value = float | int | str | None
"""A number, a count, a text (runid, relstring); None where a measure has no value over all topics."""

MOST_LABELS_NAMED = 12
"""Labels that the message about an unknown measure lists: enough to see how they are written."""

MOST_VALUES_IN_REPR = 4
"""Values that the one line of `repr` shows."""


class Digest:
    """SHA-256 of judgements, computed when `text` is first called, or when the digest is pickled."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance: Relevance | None = relevance
        self._text: str | None = None

    def text(self) -> str | None:
        """Return the digest as hexadecimal digits.

        Judgements that are no qrels are hashed from their file; None if that is gone.
        """
        relevance = self._relevance  # another thread may have the text, and set it to None
        if relevance is not None:
            from pres_eval.reading.judgements.digests import judgements_digest

            self._text = judgements_digest(relevance, relevance.name)
            self._relevance = None
        return self._text

    def differs_from(self, other: Digest) -> bool:
        """Return whether two digests are of other judgements; False if one of both is not known."""
        if self is other or self._has_rows_of(other):
            return False
        texts = (self.text(), other.text())
        return None not in texts and texts[0] != texts[1]

    def _has_rows_of(self, other: Digest) -> bool:
        """Return whether both are of qrels with the same rows in the same order: much faster than to hash."""
        first, second = self._relevance, other._relevance
        if not isinstance(first, QrelsJudgements) or not isinstance(second, QrelsJudgements):
            return False
        if not np.array_equal(first.pool.offsets, second.pool.offsets):
            return False
        rows = np.arange(len(first.grade))
        has_same_documents = first.pool.documents.equal(rows, second.pool.documents, rows).all()
        return bool(has_same_documents) and np.array_equal(first.grade, second.grade)

    def __getstate__(self) -> dict[str, Any]:
        return {"_relevance": None, "_text": self.text()}


@dataclass(frozen=True, eq=False)
class Origin:
    """The judgements and the run of an evaluation.

    qrels                      the name of the judgements
    form                       their format, as -R names it
    topics                     (T,) their topics, in byte order
    ranked                     (n,) indices in `topics` of those that the run has
    unjudged                   the topics of the run that the judgements lack
    qrels_is_file, run_is_file whether the names of judgements and run are paths
    dropped                    rows of the run left out because their topic has the document twice
    digest                     the digest of the judgements
    """

    qrels: str
    form: str
    topics: Ids
    ranked: IntArray
    unjudged: Ids
    qrels_is_file: bool
    run_is_file: bool
    digest: Digest
    dropped: int = 0

    def missing(self) -> tuple[bytes, ...]:
        """Return the judged topics that the run lacks."""
        return tuple(self.topics.take(absent(self.ranked, len(self.topics))))


class Evaluation:
    """The numbers of a run under some measures: over all topics, and for each topic.

    >>> import pres_eval as pe
    >>> e = pe.evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0}, "2": {"a": 3.0, "b": 1.0}}, "map")
    >>> e["map"], e.summary, e.measures
    (0.75, {'map': 0.75}, ['map'])
    >>> e.topics, e.per_topic("map")
    (['1', '2'], array([1. , 0.5]))
    >>> e.to_dict()
    {'1': {'map': 1.0}, '2': {'map': 0.5}}

    In a notebook it shows as a table; `print` gives trec_eval's lines.
    """

    def __init__(
        self,
        scores: ScoredRun,
        options: Options,
        origin: Origin,
        groups: Groups | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.scores = scores
        """The values of all columns, over all topics and for each topic, as arrays."""
        self.options = options
        self.origin = origin
        self.groups_and_weights = groups, weights
        """The groups and the weights of topics, None where there are none."""

    @property
    def name(self) -> str:
        """Return the name of the run in messages: the path, or "run"."""
        return self.scores.path

    @property
    def tag(self) -> str:
        """The tag of the run."""
        return self.scores.tag

    @property
    def measures(self) -> list[str]:
        """The labels of all columns, in print order."""
        return self.scores.labels

    @property
    def topics(self) -> list[str]:
        """The topics that were scored, in byte order."""
        return texts_of(self.scores.topics)

    @property
    def summary(self) -> dict[str, Value]:
        """Label and value over all topics, of the measures that have one."""
        return {
            column.label: _plain(value, column)
            for column, value in zip(self.scores.columns, self.scores.summary, strict=True)
            if value is not None
        }

    @property
    def groups(self) -> dict[str, dict[str, Value]]:
        """Label and value over each group of topics, their mean ("macro") and the worst of them ("worst").

        >>> import pres_eval as pe
        >>> qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0}, "2": {"a": 3.0, "b": 1.0}}
        >>> pe.evaluate(qrels, run, "map", groups={"1": "head", "2": "tail"}).groups
        {'head': {'map': 1.0}, 'tail': {'map': 0.5}, 'macro': {'map': 0.75}, 'worst': {'map': 0.5}}
        """
        from pres_eval.report.groups import over_groups

        groups, _ = self.groups_and_weights
        if groups is None or not groups.topics:
            return {}
        values_of_group = over_groups(self.scores, list(groups.topics))
        return {
            name: {
                column.label: _plain(value, column)
                for column, value in zip(self.scores.columns, values, strict=True)
                if value is not None
            }
            for name, values in values_of_group.items()
        }

    def __getitem__(self, measure: str) -> Any:
        """Return the value over all topics of a measure, by its label (`PRES_100`) or as it was asked for."""
        column = self.place(measure)
        return _plain(self.scores.summary[column], self.scores.columns[column])

    def keys(self) -> Iterable[str]:
        """Return the labels of the measures with a value over all topics: `dict(e)` is `e.summary`."""
        return self.summary.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, measure: object) -> bool:
        """Return whether the measure was evaluated; if its value is None, `keys` lacks it."""
        if not isinstance(measure, str):
            return False
        try:
            self.place(measure)
        except MeasureError:
            return False
        return True

    def __len__(self) -> int:
        """Return the number of topics; iteration gives labels of measures instead."""
        return len(self.scores.topics)

    def per_topic(self, measure: str) -> FloatArray:
        """Return the values of a measure (T,), in the order of `topics`."""
        values = self.scores.values[self.place(measure)]
        if isinstance(values, list):
            return np.array(values, object)
        return np.array(values, np.float64)

    def place(self, measure: str) -> int:
        """Return the index of the column of a measure, named by its label (`PRES_100`) or as for `evaluate`.

        Raises MeasureError for a measure that was not evaluated, and for a name of several columns.
        """
        labels = self.scores.labels
        if not isinstance(measure, str):
            raise MeasureError(
                f"found {measure!r}, expected the name of a measure: {', '.join(labels[:MOST_LABELS_NAMED])}"
            )
        label = measure
        if measure not in labels:
            with suppress(MeasureError):
                columns = select([measure], self.options)
                if len(columns) == 1:
                    label = columns[0].label
        if label not in labels:
            known = ", ".join(labels[:MOST_LABELS_NAMED])
            if len(labels) > MOST_LABELS_NAMED:
                known += ", …"
            raise MeasureError(f"{measure}: not among the measures that were evaluated ({known})")
        return labels.index(label)

    def merge(self, *others: Evaluation | Iterable[Evaluation]) -> Evaluation:
        """Return one evaluation of the topics of this and the others, which are shards of one run.

        Its numbers are bit for bit those of an evaluation of the whole run.  The others come one by one, or
        in a list.

        Raises UsageError for other measures, options or judgements, and for a topic that is in two of them.
        """
        from pres_eval.library.streaming import evaluations_of, merged

        return merged([self, *chain.from_iterable(map(evaluations_of, others))])

    def to_dict(self) -> dict[str, dict[str, Value]]:
        """Return for each topic a dict of label and value, of the measures that are printed per topic."""
        columns = {
            column.label: _plain_column(values, column) for column, values in self._printed_per_topic()
        }
        if not columns:
            return {topic: {} for topic in self.topics}
        rows = zip(*columns.values(), strict=True)
        return {
            topic: dict(zip(columns, row, strict=True)) for topic, row in zip(self.topics, rows, strict=True)
        }

    def to_floats(self) -> dict[str, float]:
        """Return label and value over all topics of the numeric measures, for loggers and callbacks."""
        return {
            label: float(value) for label, value in self.summary.items() if isinstance(value, int | float)
        }

    def to_json(self) -> str:
        """Return all values in full and how they were made, as `--format json` writes them."""
        from pres_eval.report.records import (
            FileRecord,
            JudgementsRecord,
            Record,
            RunRecord,
            file_record,
            to_json,
        )

        origin, (groups, weights) = self.origin, self.groups_and_weights
        run_file = FileRecord(self.name, None)
        qrels_file = FileRecord(origin.qrels, None)
        if origin.run_is_file:
            run_file = file_record(self.name)
        if origin.qrels_is_file:
            qrels_file = file_record(origin.qrels)
        run = RunRecord(self.scores, run_file, tuple(origin.unjudged), origin.missing(), origin.dropped)
        record = Record(
            options=self.options,
            qrels=qrels_file,
            runs=(run,),
            relevance_format=origin.form,
            groups=groups,
            weights=weights,
            judgements=JudgementsRecord(origin.digest.text()),
        )
        return to_json(record)

    def to_trec(self, per_topic: bool = False, summary: bool = True) -> bytes:
        """Return trec_eval's lines, byte for byte; with `per_topic` those of each topic first (-q).

        summary  whether there are lines over all topics
        """
        from pres_eval.report.groups import with_group_columns
        from pres_eval.report.trec import evaluation_lines

        groups, _ = self.groups_and_weights
        return evaluation_lines(with_group_columns(self.scores, groups), per_topic, summary)

    def to_pandas(self) -> Any:
        """Return a pandas frame: one row for each topic, one column for each measure."""
        index = pandas_module().Index(self.topics, name="topic", dtype=object)
        return pandas_module().DataFrame(self._columns(), index=index)

    def to_arrow(self) -> Any:
        """Return an Arrow table: the topic, and one column for each measure."""
        pyarrow = extra_module("pyarrow", "to_arrow", "arrow")
        return pyarrow.table({"topic": self.topics, **self._columns()})

    def _printed_per_topic(self) -> Iterator[tuple[SelectedColumn, Any]]:
        """Yield the columns that are printed per topic, with their values."""
        for column, values in zip(self.scores.columns, self.scores.values, strict=True):
            if column.measure.per_topic:
                yield column, values

    def _columns(self) -> dict[str, Any]:
        """Return the values (T,) of each column that is printed per topic, by label."""
        return {column.label: values for column, values in self._printed_per_topic()}

    def __str__(self) -> str:
        return self.to_trec().decode("utf-8", "surrogateescape").removesuffix("\n")

    def __repr__(self) -> str:
        first_values = list(self.summary.items())[:MOST_VALUES_IN_REPR]
        values = [f"{label}={_shown(value)}" for label, value in first_values]
        if len(self.measures) > MOST_VALUES_IN_REPR:
            values.append(f"… ({len(self.measures)} measures)")
        return f"<Evaluation {self.name}: {plural(len(self))}: {', '.join(values)}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(label)}</td>"
            f"<td style='text-align:right'>{html.escape(_shown(value))}</td></tr>"
            for label, value in self.summary.items()
        )
        title = html.escape(f"{self.name}: {plural(len(self))}")
        return f"<table><caption>{title}</caption><tr><th>measure</th><th>all</th></tr>{rows}</table>"


def pandas_module() -> Any:
    """Return the module pandas; raise MissingExtraError if it is not there."""
    return extra_module("pandas", "to_pandas", "pandas")


def _plain(value: Any, column: SelectedColumn) -> Any:
    """Return a value as Python's number: a whole one for counts; texts and None as they are."""
    if value is None or isinstance(value, str):
        return value
    if column.measure.format is Format.COUNT and math.isfinite(value):
        return int(value)
    return float(value)


def _plain_column(values: Any, column: SelectedColumn) -> list[Value]:
    """Return the values (T,) of a column as Python's numbers, or its texts."""
    if isinstance(values, list):
        return list(values)
    if column.measure.format is not Format.COUNT:
        return list(values.tolist())
    return [_plain(value, column) for value in values.tolist()]


def _shown(value: Value) -> str:
    """Return a value for a short display: with four decimals, but whole numbers above 1 without."""
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) > 1:
        return f"{value:.0f}"
    return f"{value:.4f}"

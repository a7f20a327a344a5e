"""Evaluations read back from the JSON that --format json wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pres_eval.errors import InputError, UsageError
from pres_eval.measures.base import Format, Measure, Totals
from pres_eval.measures.names import View
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.report.records import KIND, LAYOUT, FileRecord, JudgementsRecord, Record, RunRecord
from pres_eval.report.text import bytes_of
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import Values


def from_json(text: str | bytes, path: str, measures: Iterable[Measure]) -> Record:
    """Return the record that `to_json` wrote as this text; raise InputError for other text.

    path: of the file, for messages; measures: all that are known
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, getattr(error, "lineno", None), "this is no JSON", _EXPECTED) from error
    if not isinstance(data, dict) or data.get("kind") != KIND or data.get("layout") != LAYOUT:
        raise InputError(path, None, "this JSON is not an evaluation", _EXPECTED)
    by_name = {measure.name: measure for measure in measures}
    try:
        signature = data["signature"]
        options = dict(signature["options"])
        relevance_format = options.pop("relevance_format")
        if options["only_topic"] is not None:
            options["only_topic"] = bytes_of(options["only_topic"])
        runs = []
        group_names: dict[str, None] = {}
        for run in data["runs"]:
            runs.append(_read_run(run, by_name))
            group_names.update(dict.fromkeys(run.get("groups", {})))
        return Record(
            options=Options(compat=signature["compat"], **options),
            qrels=_read_file(signature["qrels"]),
            runs=tuple(runs),
            relevance_format=relevance_format,
            version=signature["version"],
            files={name: _read_file(file) for name, file in signature.get("files", {}).items()},
            rules=dict(signature.get("rules", {})),
            judgements=JudgementsRecord(signature["qrels"].get("judgements")),
            group_names=tuple(group_names),
        )
    except _ALTERED as error:
        raise InputError(path, None, f"the JSON is incomplete or altered ({error})", _EXPECTED) from error


_ALTERED = (KeyError, TypeError, ValueError, OverflowError, RecursionError, AttributeError, UsageError)
"""Errors that reading raises for JSON that somebody has changed; UsageError is that of an option."""

_EXPECTED = f"an evaluation that --format json wrote (layout {LAYOUT})"


def _read_file(data: Mapping[str, Any]) -> FileRecord:
    """Return a file of JSON as a record."""
    return FileRecord(_string(bytes_of(data["path"])), data["sha256"])


def _string(data: bytes) -> str:
    """Return bytes of a path, a tag or a text as Python has them: a byte that is no UTF-8 as a surrogate."""
    return data.decode("utf-8", "surrogateescape")


def _read_run(data: Mapping[str, Any], by_name: Mapping[str, Measure]) -> RunRecord:
    """Return a run of JSON as a record."""
    columns = tuple(_read_column(column, by_name) for column in data["columns"])
    rows = [topic["values"] for topic in data["topics"]]
    file = _read_file(data["file"])
    evaluation = ScoredRun(
        path=file.path,
        tag=_string(bytes_of(data["run"])),
        topics=tuple(bytes_of(topic["topic"]) for topic in data["topics"]),
        columns=columns,
        values=tuple(_read_values(column, rows) for column in columns),
        summary=tuple(_read_value(column, data["summary"][column.label]) for column in columns),
        totals=Totals(**data["totals"]),
    )
    return RunRecord(
        evaluation=evaluation,
        file=file,
        skipped=tuple(bytes_of(topic) for topic in data["skipped"]),
        missing=tuple(bytes_of(topic) for topic in data["missing"]),
        dropped=data.get("dropped", 0),
    )


def _read_column(data: Mapping[str, Any], by_name: Mapping[str, Measure]) -> SelectedColumn:
    """Return a column of JSON; raise ValueError for a measure that is not known."""
    name = data["measure"]
    measure = by_name.get(name)
    if measure is None:
        raise ValueError(f"measure {name} is not known here")
    return SelectedColumn(
        label=data["label"],
        measure=measure,
        arguments=_tuples(data["arguments"]),
        view=View(
            level=data["relevance_level"],
            judged_only=data.get("judged_only", False),
            bound=data.get("bound"),
            scale=data.get("scale"),
        ),
    )


def _tuples(value: Any) -> Any:
    """Return arguments of a measure as they were before JSON made lists of their tuples."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


_TEXTS = (Format.TEXT, Format.TAG)
"""Formats of columns whose values may be texts; those of others are numbers."""


def _read_values(column: SelectedColumn, rows: Sequence[Mapping[str, Any]]) -> Values:
    """Return the values (T,) of a column; rows: for each topic its values by label."""
    values = [row[column.label] for row in rows]
    if column.measure.format in _TEXTS and all(isinstance(value, str) for value in values):
        return [_string(bytes_of(value)) for value in values]
    return np.array([float(value) for value in values], np.float64)


def _read_value(column: SelectedColumn, value: Any) -> float | str | None:
    """Return the value of a column over all topics; a text such as "nan" of a number is the number."""
    if isinstance(value, str) and column.measure.format in _TEXTS:
        return _string(bytes_of(value))
    return None if value is None else float(value)

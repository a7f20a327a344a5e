"""Evaluations as JSON that can be read back: all values in full, and how they were made.

A number that JSON does not have is written as the text "nan", "-nan", "inf" or "-inf".  Ids are text as
`report.text.text_of` writes them.  The layout is that of `evaluation.schema.json` in this package.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pres_eval import __version__
from pres_eval.errors import RunFailure
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import AS_TREC_EVAL, Options
from pres_eval.reading.topic_files import MACRO_MEAN, WORST_GROUP, Groups, Weights
from pres_eval.report.descriptions import header_of
from pres_eval.report.groups import over_groups, worst_group
from pres_eval.report.signature import signature_line
from pres_eval.report.text import exact, text_of, whole
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import Values

if TYPE_CHECKING:
    from pres_eval.report.table import RunLayout

KIND = "pres-eval evaluation"
"""Value of the key "kind", by which a file of this layout is recognised."""

LAYOUT = 1
"""Version of the layout: readers refuse others."""

_dumps = json.JSONEncoder(allow_nan=False).encode
"""Writer of JSON in one line."""


@dataclass(frozen=True)
class FileRecord:
    """A file as it was read: path, SHA-256 of its bytes (None for stdin and pipes), and header."""

    path: str
    sha256: str | None
    header: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunRecord:
    """One evaluated run.

    evaluation  its numbers; `evaluation.topics` are the topics used
    file        the run file
    skipped     topics of the run that the qrels don't have
    missing     topics of the qrels that the run doesn't have
    dropped     lines left out because their document is there twice
    mapped, excluded  lines whose document became another one, and lines left out; None without such options
    no_answers  topics without a relevant document, and for how many of them nothing was retrieved; None
                unless --empty gives them a value; not read back
    """

    evaluation: ScoredRun
    file: FileRecord
    skipped: tuple[bytes, ...] = ()
    missing: tuple[bytes, ...] = ()
    dropped: int = 0
    mapped: int | None = None
    excluded: int | None = None
    no_answers: tuple[int, int] | None = None


@dataclass(frozen=True)
class JudgementsRecord:
    """The judgements of an evaluation as they were used, whatever the format of their file.

    digest  SHA-256 of the judgements; None where it was not made
    counts  how many were read and how many are left, if documents were mapped or excluded; None if not
    """

    digest: str | None = None
    counts: tuple[int, int] | None = None


@dataclass(frozen=True)
class Record:
    """Evaluations over one qrels file with their signature: how the numbers were made.

    options   of the evaluations
    qrels, runs  the file of the judgements, and the evaluated runs
    relevance_format  format of the judgements (-R)
    version   of pres-eval that made the numbers
    failures  runs that could not be evaluated (--keep-going); they are written, but not read back
    files     other files that numbers depend on, by the option that names them, without its dashes
    groups, weights  of topics, None where there are none; they are not read back
    group_names  of groups that were read back, as JSON has them
    rules     the protocol, and options that say how `files` are used: values by the option, without dashes
    judgements  digest and counts of the judgements
    """

    options: Options
    qrels: FileRecord
    runs: tuple[RunRecord, ...]
    relevance_format: str = "qrels"
    version: str = __version__
    failures: tuple[RunFailure, ...] = ()
    files: dict[str, FileRecord] = field(default_factory=dict)
    groups: Groups | None = None
    group_names: tuple[str, ...] = ()
    weights: Weights | None = None
    rules: dict[str, str] = field(default_factory=dict)
    judgements: JudgementsRecord = JudgementsRecord()


def file_record(path: str) -> FileRecord:
    """Return the record of a file: its path, the SHA-256 of its stored bytes, and its header.

    Of stdin and pipes, which cannot be read twice, the path alone.
    """
    if path == "-" or not Path(path).is_file():
        return FileRecord(path, None)
    digest = hashlib.sha256()
    with Path(path).open("rb", buffering=0) as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return FileRecord(path, digest.hexdigest(), header_of(path))


def to_json(record: Record) -> str:
    """Return the record as JSON, one topic a line."""
    head = json.dumps({"kind": KIND, "layout": LAYOUT, "signature": _signature(record)}, indent=2)
    open_head = head.removesuffix("\n}")  # further keys follow
    runs = ",\n".join(_run_text(run, record) for run in record.runs)
    failures = ""
    if record.failures:
        lines = []
        for failure in record.failures:
            fields = {"file": text_of(failure.path), "message": text_of(failure.message)}
            lines.append(f"    {_dumps(fields)}")
        failed = ",\n".join(lines)
        failures = f',\n  "failures": [\n{failed}\n  ]'
    return f'{open_head},\n  "runs": [\n{runs}\n  ]{failures}\n}}\n'


def as_jsonl(evaluations: Sequence[ScoredRun], layout: RunLayout) -> str:
    """Return one JSON object a line: file, run, topic and values; the topic of values over all is null.

    A run that could not be evaluated is a line with its file and the error.
    """
    lines = []
    for evaluation in evaluations:
        start: dict[str, Any] = {"file": text_of(evaluation.path), "run": text_of(evaluation.tag)}
        if layout.per_topic:
            lines += [start | topic for topic in _topics(evaluation, all_columns=False)]
        if layout.summary:
            lines.append(start | {"topic": None, "values": _summary_values(evaluation)})
    for failure in layout.failures:
        lines.append({"file": text_of(failure.path), "error": text_of(failure.message)})
    return "".join(f"{_dumps(line)}\n" for line in lines)


def _signature(record: Record) -> dict[str, Any]:
    """Return the key "signature" of JSON: the version, options and files that the numbers depend on."""
    options = asdict(record.options)
    compat = options.pop("compat")
    if options["only_topic"] is not None:
        options["only_topic"] = text_of(options["only_topic"])
    if options["empty"] == AS_TREC_EVAL:
        del options["empty"]
    qrels = _file(record.qrels)
    if record.judgements.digest is not None:
        qrels["judgements"] = record.judgements.digest
    signature: dict[str, Any] = {
        "version": record.version,
        "compat": compat,
        "options": options | {"relevance_format": record.relevance_format},
        "qrels": qrels,
    }
    if record.files:
        signature["files"] = {name: _file(file) for name, file in record.files.items()}
    if record.rules:
        signature["rules"] = record.rules
    if record.judgements.counts is not None:
        num_read, num_left = record.judgements.counts
        signature["judgements"] = {"read": num_read, "left": num_left}
    return signature


def _file(file: FileRecord) -> dict[str, Any]:
    """Return a file as JSON has it: path and SHA-256."""
    return {"path": text_of(file.path), "sha256": file.sha256}


def _groups(evaluation: ScoredRun, groups: Groups | None) -> dict[str, Any]:
    """Return the keys of JSON for groups: values over each by its name, their mean, and the worst of them.

    Empty if there are no groups.
    """
    if groups is None:
        return {}
    by_group: dict[str, dict[str, Any]] = {}
    for name in groups.topics:
        scores = evaluation.groups.get(name)
        if scores is None:
            by_group[text_of(name)] = {"topics": 0, "summary": None}
        else:
            summary = _summary_values(scores)
            by_group[text_of(name)] = {"topics": scores.totals.num_topics, "summary": summary}
    names = list(groups.topics)
    values = over_groups(evaluation, names)
    macro, worst = {}, {}
    for column, label in enumerate(evaluation.labels):
        mean, worst_value = values[MACRO_MEAN][column], values[WORST_GROUP][column]
        if mean is not None:
            macro[label] = mean
        if worst_value is not None:
            group = text_of(worst_group(evaluation, names, column) or "")
            worst[label] = {"group": group, "value": worst_value}
    return {"groups": by_group, MACRO_MEAN: macro, WORST_GROUP: worst}


def _column(column: SelectedColumn) -> dict[str, Any]:
    """Return a column as JSON has it."""
    view = column.view
    fields: dict[str, Any] = {
        "label": column.label,
        "measure": column.measure.name,
        "arguments": column.arguments,
        "relevance_level": view.level,
        "judged_only": view.judged_only,
        "bound": view.bound,
    }
    if view.bound is not None:
        # Which unjudged documents the bound is over: those down to the cutoff, or all that were retrieved.
        fields["reach"] = "cutoff" if view.scale is None else "all"
    if view.scale is not None:
        fields["scale"] = view.scale
    return fields


def signature_text(evaluation: ScoredRun, record: Record) -> str:
    """Return the line that says how the numbers of a run were made, as --signature prints it."""
    others = {} if record.relevance_format == "qrels" else {"format": record.relevance_format}
    others |= {name: text_of(Path(file.path).name) for name, file in record.files.items()}
    # A protocol sets other options, which the line has.
    others |= {name: rule for name, rule in record.rules.items() if name != "protocol"}
    return signature_line(evaluation, record.options, others)


def _run_text(run: RunRecord, record: Record) -> str:
    """Return a run as JSON text."""
    evaluation = run.evaluation
    fields: dict[str, Any] = {
        "file": _file(run.file),
        "run": text_of(evaluation.tag),
        "signature": signature_text(evaluation, record),
    }
    if run.file.header:
        fields["header"] = run.file.header
    fields["skipped"] = [text_of(topic) for topic in run.skipped]
    fields["missing"] = [text_of(topic) for topic in run.missing]
    fields["dropped"] = run.dropped
    if run.mapped is not None:
        fields["mapped"] = run.mapped
    if run.excluded is not None:
        fields["excluded"] = run.excluded
    if run.no_answers is not None:
        fields["no_answers"] = _no_answers(*run.no_answers)
    totals = asdict(evaluation.totals)
    fields["totals"] = {key: value for key, value in totals.items() if value is not None}
    fields["columns"] = [_column(column) for column in evaluation.columns]
    fields["summary"] = _summary_values(evaluation)
    fields |= _groups(evaluation, record.groups)
    topics = ",\n".join(f"        {_dumps(topic)}" for topic in _topics(evaluation))
    # A field a line; of the topics, the largest part, a topic a line.
    lines = [f"      {_dumps(key)}: {_dumps(value)}" for key, value in fields.items()]
    lines.append(f'      "topics": [\n{topics}\n      ]')
    return "    {\n" + ",\n".join(lines) + "\n    }"


def _no_answers(topics: int, nothing_retrieved: int) -> dict[str, float]:
    """Return counts of topics without a relevant document, and of those for which nothing was retrieved."""
    return {"topics": topics, "nothing_retrieved": nothing_retrieved, "rate": nothing_retrieved / topics}


def _number(value: float, kind: Format) -> float | int | str:
    """Return a value as JSON has it: a count whole, what is not finite as a text."""
    return whole(value, kind) if math.isfinite(value) else exact(value)


def _summary_values(evaluation: ScoredRun) -> dict[str, float | int | str | None]:
    """Return the values over all topics by label; None where a column has none."""
    values: dict[str, float | int | str | None] = {}
    for column, value in zip(evaluation.columns, evaluation.summary, strict=True):
        if value is None:
            values[column.label] = None
        elif isinstance(value, str):
            values[column.label] = text_of(value)
        else:
            values[column.label] = _number(float(value), column.measure.format)
    return values


def _topics(evaluation: ScoredRun, all_columns: bool = True) -> Iterator[dict[str, Any]]:
    """Yield each topic with its values by label.

    all_columns: whether those are there, too, that -q does not print
    """
    columns = {}
    for column, values in zip(evaluation.columns, evaluation.values, strict=True):
        if all_columns or column.measure.per_topic:
            columns[column.label] = _column_numbers(values, column.measure.format)
    # Without columns, each topic still has a row, which is empty.
    rows = zip(*columns.values(), strict=True) if columns else repeat(())
    for topic, row in zip(evaluation.topics, rows, strict=False):
        yield {"topic": text_of(topic), "values": dict(zip(columns, row, strict=True))}


def _column_numbers(values: Values, kind: Format) -> Sequence[float | int | str]:
    """Return the values of topics (T,) of a column as JSON has them."""
    if isinstance(values, list):
        return [text_of(value) for value in values]
    if kind is not Format.COUNT and np.isfinite(values).all():
        return [float(value) for value in values.tolist()]
    return [_number(value, kind) for value in values.tolist()]

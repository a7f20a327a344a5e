"""From `-m` texts to the columns of the output, in print order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pres_eval.errors import MeasureError, did_you_mean
from pres_eval.measures import MEASURE_BY_NAME, MEASURES, NICKNAMES
from pres_eval.measures.base import Measure
from pres_eval.measures.ir_measures_names import translate
from pres_eval.measures.own import load_measure, own_measures
from pres_eval.options import DEFAULT_NMAX, RelevanceInfo


@dataclass(frozen=True)
class SelectedColumn:
    """One column of the output: a measure with its arguments filled in."""

    label: str
    measure: Measure
    arguments: tuple[object, ...]
    relevance_level: int | None = None
    """The level at which this column alone is seen (None: that of -l)."""


Selection = tuple[SelectedColumn, ...]
"""The columns asked for, in print order."""

LEAVE_IDEAL_GAIN = ("dcg", "ideal_dcg", "ndcg")

NMAX_MEASURES = ("PRES", "PRES_est")
"""Measures whose default cutoffs are the --nmax of the command line."""


def select(
    texts: Sequence[str],
    compat: str = "9.0.8",
    nmax: Sequence[int] = DEFAULT_NMAX,
    relevance: RelevanceInfo = RelevanceInfo.QRELS,
) -> Selection:
    """The columns that `-m` texts ask for (none: the official measures and PRES).

    A text is `name`, `name.parameters`, a nickname, or a measure in ir_measures' notation (`nDCG@10`).
    Columns come in print order whatever the order of the texts; parameters of the same measure are united.
    Raises MeasureError that names everything that is wrong with the texts, with the nearest names.
    """
    wanted, problems = _read_texts(texts or ("official", "PRES"), compat)
    columns: list[SelectedColumn] = []
    for measure in (*MEASURES, *own_measures()):
        for level, given in wanted.get(measure.name, {}).items():
            defaults = [",".join(map(str, nmax))] if measure.name in NMAX_MEASURES else []
            try:
                chosen = measure.parameters.columns(measure.name, given or defaults)
            except MeasureError as error:
                problems.append(str(error))
                continue
            columns.extend(SelectedColumn(label, measure, arguments, level) for label, arguments in chosen)
    _check_relevance(
        {column.measure.name: column.measure for column in columns}.values(), relevance, problems
    )
    if problems:
        raise MeasureError("; ".join(problems))
    if compat == "10.0":
        columns = [_after(before, column) for before, column in zip([None, *columns], columns, strict=False)]
    return tuple(_with_own_labels(columns))


def _after(before: SelectedColumn | None, column: SelectedColumn) -> SelectedColumn:
    """A column, told what is computed right before it where that matters."""
    # trec_eval: 10.0's rbp never sets its highest gain; these three leave the ideal gain of the topic there.
    if column.measure.name == "rbp" and before is not None and before.measure.name in LEAVE_IDEAL_GAIN:
        return replace(column, arguments=(*column.arguments, before.arguments[0]))
    return column


def _with_own_labels(columns: Sequence[SelectedColumn]) -> Iterable[SelectedColumn]:
    """The columns, with the relevance level in the label where two would be called the same."""
    labels = Counter(column.label for column in columns)
    for column in columns:
        if labels[column.label] > 1 and column.relevance_level is not None:
            yield replace(column, label=f"{column.label}(rel={column.relevance_level})")
        else:
            yield column


Wanted = dict[str, dict[int | None, list[str]]]
"""For each measure's name and relevance level (None: that of -l) the parameter texts."""


def read_measure_texts(texts: Iterable[str], compat: str) -> Wanted:
    """The measures that the texts name, each with the parameter texts given for it.

    Raises MeasureError that names all texts which name none.
    """
    wanted, problems = _read_texts(texts, compat)
    if problems:
        raise MeasureError("; ".join(problems))
    return wanted


def _read_texts(texts: Iterable[str], compat: str) -> tuple[Wanted, list[str]]:
    """The measures that the texts name, and what is wrong with the other texts."""
    wanted: Wanted = {}
    problems: list[str] = []
    for text in texts:
        try:
            for name, level, parameter in _names(text, compat):
                parameters = wanted.setdefault(name, {}).setdefault(level, [])
                if parameter is not None:
                    parameters.append(parameter)
        except MeasureError as error:
            problems.append(str(error))
    return wanted, problems


def _names(text: str, compat: str) -> list[tuple[str, int | None, str | None]]:
    """The measures of one text, each with its relevance level and parameter text."""
    if ":" in text:
        return [(load_measure(text).name, None, None)]
    name, dot, parameter = text.partition(".")
    nicknames = NICKNAMES[compat]
    if name in nicknames:
        return [(member, None, None) for member in nicknames[name]]
    if name in MEASURE_BY_NAME or any(measure.name == name for measure in own_measures()):
        if dot and not parameter:
            raise MeasureError(f"-m {text}: nothing after the dot, expected parameters of {name}")
        return [(name, None, parameter if dot else None)]
    translated = translate(text)
    if translated is None:
        raise MeasureError(_unknown(text, compat))
    return [(name, translated.relevance_level, p) for name, _, p in _names(translated.text, compat)]


def _unknown(text: str, compat: str) -> str:
    name = re.split(r"[.(@]", text)[0]
    known = [*NICKNAMES[compat], *MEASURE_BY_NAME]
    hint = did_you_mean(name, known, "`pres-eval measures` lists them all")
    return f"-m {text}: no such measure; {hint}"


def _check_relevance(measures: Iterable[Measure], relevance: RelevanceInfo, problems: list[str]) -> None:
    needed: dict[RelevanceInfo, list[str]] = {}
    for measure in measures:
        if measure.relevance not in (relevance, RelevanceInfo.ANY):
            needed.setdefault(measure.relevance, []).append(measure.name)
    for info, names in needed.items():
        some = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        problems.append(f"{some}: needs {info.value}, but the judgements are read with {relevance.value}")

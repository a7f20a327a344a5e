"""From `-m` texts to the columns of the output, in print order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pres_eval.errors import MeasureError
from pres_eval.measures import HOME
from pres_eval.measures.base import Measure
from pres_eval.measures.names import Wanted, read_text
from pres_eval.measures.own import own_measures
from pres_eval.options import DEFAULT_NMAX, V9, Options, RelevanceInfo, Version
from pres_eval.records import dataclass

DEFAULT_MEASURES = ("official", "PRES")


@dataclass(frozen=True, kw_only=True)
class SelectedColumn:
    """One column of the output: a measure with its arguments filled in.

    relevance_level  the level at which this column alone is seen (None: that of -l); the label says so
    by_name          whether the measure was named itself, and not by a nickname for several
    """

    label: str
    measure: Measure
    arguments: tuple[object, ...]
    relevance_level: int | None = None
    by_name: bool = True


Selection = tuple[SelectedColumn, ...]
"""The columns asked for, in print order."""


def select(
    texts: Sequence[str],
    options: Options | None = None,
    nmax: Sequence[int] = DEFAULT_NMAX,
    relevance: RelevanceInfo = RelevanceInfo.QRELS,
) -> Selection:
    """The columns that `-m` texts ask for (none: the official measures and PRES).

    Columns come in print order whatever the order of the texts; parameters of the same measure are united.
    Raises MeasureError that names everything that is wrong with the texts, with the nearest names.
    """
    wanted, problems = _read_texts(texts or DEFAULT_MEASURES, (options or Options()).version)
    columns: list[SelectedColumn] = []
    for measure in _in_print_order(wanted):
        for level, asked in _by_level(measure, wanted).items():
            try:
                columns += _columns(measure, level, asked, nmax)
            except MeasureError as error:
                problems.append(str(error))
    _check_relevance(
        {column.measure.name: column.measure for column in columns}.values(), relevance, problems
    )
    if problems:
        raise MeasureError("; ".join(problems))
    return tuple(columns)


def _in_print_order(wanted: Sequence[Wanted]) -> list[Measure]:
    """The measures that are wanted, each once."""
    measures = {one.measure.name: one.measure for one in wanted}
    place = {name: number for number, name in enumerate((*HOME, *(own.name for own in own_measures())))}
    return sorted(measures.values(), key=lambda measure: place[measure.name])


def _by_level(measure: Measure, wanted: Sequence[Wanted]) -> dict[int | None, list[Wanted]]:
    """What is wanted of one measure, by relevance level."""
    levels: dict[int | None, list[Wanted]] = {}
    for one in wanted:
        if one.measure is measure:
            levels.setdefault(one.relevance_level, []).append(one)
    return levels


def _columns(
    measure: Measure, level: int | None, asked: Sequence[Wanted], nmax: Sequence[int]
) -> list[SelectedColumn]:
    texts = [one.parameters for one in asked if one.parameters is not None]
    by_name = any(one.by_name for one in asked)
    ending = "" if level is None else f"(rel={level})"
    return [
        SelectedColumn(
            label=label + ending,
            measure=measure,
            arguments=arguments,
            relevance_level=level,
            by_name=by_name,
        )
        for label, arguments in measure.parameters.columns(measure.name, texts, nmax)
    ]


def labels_of(text: str, version: Version = V9, nmax: Sequence[int] = DEFAULT_NMAX) -> tuple[str, ...]:
    """The labels of the columns that a text names: `P@10` -> P_10.

    Raises MeasureError for a name that does not exist.
    """
    asked = list(read_text(text, version))
    return tuple(
        column.label
        for measure in _in_print_order(asked)
        for level, wanted in _by_level(measure, asked).items()
        for column in _columns(measure, level, wanted, nmax)
    )


def named_measures(texts: Iterable[str], version: Version) -> tuple[Measure, ...]:
    """The measures that the texts name, each once.  Raises MeasureError that names all faulty texts."""
    wanted, problems = _read_texts(texts, version)
    if problems:
        raise MeasureError("; ".join(problems))
    return tuple({one.measure.name: one.measure for one in wanted}.values())


def _read_texts(texts: Iterable[str], version: Version) -> tuple[list[Wanted], list[str]]:
    """The measures that the texts name, and what is wrong with the other texts."""
    wanted: list[Wanted] = []
    problems: list[str] = []
    for text in texts:
        try:
            wanted += read_text(text, version)
        except MeasureError as error:
            problems.append(str(error))
    return wanted, problems


def _can_be_had(measure: Measure, relevance: RelevanceInfo) -> bool:
    if relevance is RelevanceInfo.QRELS_FLOAT and not measure.whole_grades:
        relevance = RelevanceInfo.QRELS
    return measure.relevance in (relevance, RelevanceInfo.ANY)


def _check_relevance(measures: Iterable[Measure], relevance: RelevanceInfo, problems: list[str]) -> None:
    needed: dict[RelevanceInfo, list[str]] = {}
    for measure in measures:
        if not _can_be_had(measure, relevance):
            needed.setdefault(measure.relevance, []).append(measure.name)
    for info, names in needed.items():
        some = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        if relevance is RelevanceInfo.QRELS_FLOAT and info is RelevanceInfo.QRELS:
            problems.append(f"{some}: needs whole grades, but these may have decimals ({relevance.value})")
        else:
            problems.append(f"{some}: needs {info.value}, but the judgements are read with {relevance.value}")

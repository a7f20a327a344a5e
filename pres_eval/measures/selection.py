"""From `-m` texts to the columns of the output, in print order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from pres_eval.errors import MeasureError, decimal_comma
from pres_eval.measures import HOME, measure_names
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.names import NamedMeasure, View, read_text
from pres_eval.measures.parameters import NoParameters
from pres_eval.options import BEST, DEFAULT_NMAX, DOCNO, V9, WORST, Options, RelevanceInfo, Version
from pres_eval.records import dataclass

DEFAULT_MEASURES = ("official", "PRES")
OF_SAMPLES = {
    RelevanceInfo.STRATA: ("sampled",),
    RelevanceInfo.PRELS: ("runid", "num_q", "statAP", "stat_num_rel"),
}
"""Default measures for judgements that were drawn."""


@dataclass(frozen=True, kw_only=True)
class SelectedColumn:
    """One column of the output: a measure with its arguments filled in.

    view     settings of this column alone; the label has them
    by_name  whether the measure was named itself, and not by a nickname for several
    """

    label: str
    measure: Measure
    arguments: tuple[object, ...]
    view: View = View()
    by_name: bool = True

    @property
    def plain(self) -> Callable[..., float] | None:
        """The plain function of the measure; None if there is none for this view or these parameters."""
        # Gains and weights, which come as tuples, are the array function's matter.
        with_weights = any(isinstance(one, tuple) and one for one in self.arguments)
        return self.measure.plain if self.view == View() and not with_weights else None


Selection = tuple[SelectedColumn, ...]
"""The columns asked for, in print order."""


def select(
    texts: Sequence[str],
    options: Options | None = None,
    nmax: Sequence[int] = DEFAULT_NMAX,
    relevance: RelevanceInfo = RelevanceInfo.QRELS,
) -> Selection:
    """Return the columns that `-m` texts ask for (none: the official measures and PRES).

    Columns come in print order whatever the order of the texts; parameters of the same measure are united.
    Raises MeasureError that names everything that is wrong with the texts, with the nearest names.
    """
    options = options or Options()
    wanted, problems = _read_texts(texts or OF_SAMPLES.get(relevance, DEFAULT_MEASURES), options.version)
    columns: list[SelectedColumn] = []
    for measure, view, asked in _in_print_order(wanted):
        by_name = any(one.by_name for one in asked)
        if not by_name and (relevance, measure.relevance) == (RelevanceInfo.PRELS, RelevanceInfo.STRATA):
            continue  # the nickname "sampled" also has measures that prels do not have
        try:
            if by_name and options.ties != DOCNO:
                check_ties(measure, options)
            if view.bound is not None:
                check_unjudged(options.judged_only)
            columns += _columns(measure, view, asked, nmax)
        except MeasureError as error:
            given = " ".join(one.parameters or "" for one in asked)
            asked_already = "decimal comma" in str(error)
            problems.append(str(error) + ("" if asked_already else decimal_comma(f"{measure.name}.{given}")))
    used = {column.measure.name: column.measure for column in columns}
    others = [one for one in used.values() if one.relevance not in (relevance, RelevanceInfo.ANY)]
    if others:
        problems += _of_other_judgements(others, relevance)
    if problems:
        raise MeasureError("; ".join(problems))
    return tuple(columns)


def check_unjudged(judged_only: bool) -> None:
    """Raise MeasureError for bounds of rankings without unjudged documents."""
    if judged_only:
        raise MeasureError("bounds: with -J no document is unjudged, expected bounds or -J, not both")


def check_ties(measure: Measure, options: Options) -> None:
    """Raise MeasureError for --ties best or worst of a measure for which another order may be best."""
    if options.ties in (BEST, WORST) and not measure.best_by_grade:
        raise MeasureError(
            f"{measure.name}: --ties {options.ties} orders a tie by grade, which need not be the"
            f" {options.ties} order for this measure, expected another measure, or --ties {DOCNO}"
        )


def _in_print_order(wanted: Sequence[NamedMeasure]) -> Iterator[tuple[Measure, View, list[NamedMeasure]]]:
    """Return the texts that ask for each measure, by the view of its columns."""
    measures = {one.measure.name: one.measure for one in wanted}  # of one's own the last of a name
    groups: dict[tuple[str, View], list[NamedMeasure]] = {}
    for one in wanted:
        if measures[one.measure.name] is one.measure:
            groups.setdefault((one.measure.name, one.view), []).append(one)
    place = {name: number for number, name in enumerate(measure_names())}
    for name, view in sorted(groups, key=lambda group: place[group[0]]):
        yield measures[name], view, groups[name, view]


def _columns(
    measure: Measure, view: View, asked: Sequence[NamedMeasure], nmax: Sequence[int]
) -> list[SelectedColumn]:
    """Return the columns of a measure seen in one way, with the parameters of all texts together."""
    texts = [one.parameters for one in asked if one.parameters is not None]
    by_name = any(one.by_name for one in asked)
    return [
        SelectedColumn(
            label=label + view.ending,
            measure=measure,
            arguments=arguments,
            view=view,
            by_name=by_name,
        )
        for label, arguments in measure.parameters.columns(measure.name, texts, nmax)
    ]


def without_effect(texts: Sequence[str]) -> Iterator[str]:
    """Yield a warning for each text with parameters that its measure ignores, as trec_eval does: map.10."""
    for text in texts:
        with suppress(MeasureError):
            for one in read_text(text, V9) if "." in text else ():
                name = one.measure.name
                if one.parameters and isinstance(one.measure.parameters, NoParameters):
                    cut = f"{name}_cut"
                    wanted = cut in HOME and one.parameters.isdecimal()
                    hint = f"; did you mean {cut}.{one.parameters}?" if wanted else ""
                    yield f"-m {name}.{one.parameters}: {name} takes no parameters and ignores these{hint}"


def labels_of(text: str, version: Version = V9, nmax: Sequence[int] = DEFAULT_NMAX) -> tuple[str, ...]:
    """Return the labels of the columns that a text names: `P@10` -> P_10.

    Raises MeasureError for a name that does not exist.
    """
    asked = list(read_text(text, version))
    return tuple(
        column.label
        for measure, view, wanted in _in_print_order(asked)
        for column in _columns(measure, view, wanted, nmax)
    )


def falling_labels(labels: Iterable[str]) -> frozenset[str]:
    """Return the labels of measures of which less is better; unknown names are not among them."""
    return _labels_of(labels, lambda measure: measure.less_is_better)


def bounded_labels(labels: Iterable[str]) -> frozenset[str]:
    """Return those of the labels that name measures from 0 to 1."""
    return _labels_of(labels, lambda measure: Trait.BOUNDED in measure.traits)


def _labels_of(labels: Iterable[str], holds: Callable[[Measure], bool]) -> frozenset[str]:
    """Return those of the labels that name measures of which something holds."""
    found = set()
    for label in labels:
        if ":" in label:  # a column of somebody's file must not name a module that is then run
            continue
        with suppress(MeasureError):
            named = list(read_text(label, V9))
            if named and all(holds(one.measure) for one in named):
                found.add(label)
    return frozenset(found)


def named_measures(texts: Iterable[str], version: Version) -> tuple[Measure, ...]:
    """Return the measures that the texts name, each once.  Raises MeasureError with all faulty texts."""
    wanted, problems = _read_texts(texts, version)
    if problems:
        raise MeasureError("; ".join(problems))
    return tuple({one.measure.name: one.measure for one in wanted}.values())


def _read_texts(texts: Iterable[str], version: Version) -> tuple[list[NamedMeasure], list[str]]:
    """Return the measures that the texts name, and the faults of the other texts."""
    wanted: list[NamedMeasure] = []
    problems: list[str] = []
    for text in texts:
        try:
            wanted += read_text(text, version)
        except MeasureError as error:
            problems.append(f"{error}{decimal_comma(text)}")
    return wanted, problems


def _of_other_judgements(measures: Iterable[Measure], relevance: RelevanceInfo) -> Iterator[str]:
    """Yield which measures need other judgements than there are; `measures`: those of another format."""
    needed: dict[RelevanceInfo, list[str]] = {}
    for measure in measures:
        takes_gains = measure.relevance is RelevanceInfo.QRELS and not measure.whole_grades
        if relevance is RelevanceInfo.QRELS_FLOAT and takes_gains:
            continue
        if relevance is RelevanceInfo.STRATA and measure.relevance is RelevanceInfo.PRELS:
            continue
        needed.setdefault(measure.relevance, []).append(measure.name)
    for info, names in needed.items():
        some = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        if relevance is RelevanceInfo.QRELS_FLOAT and info is RelevanceInfo.QRELS:
            yield f"{some}: needs whole grades, but these may have decimals ({relevance.value})"
        else:
            yield f"{some}: needs {info.value}, but the judgements are read with {relevance.value}"

"""From `-m` texts to the columns of the output, in print order, as --ties and --bounds have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from pres_eval.errors import MeasureError, UsageError, decimal_comma
from pres_eval.measures import HOME, measure_names
from pres_eval.measures.base import Format, Measure
from pres_eval.measures.names import BOUNDS, NamedMeasure, View, read_text, with_cutoffs
from pres_eval.measures.parameters import NoParameters
from pres_eval.options import (
    BEST_ORDER,
    BY_DOCNO,
    DEFAULT_NMAX,
    EXPECTED_VALUES,
    V9,
    WORST_ORDER,
    Options,
    RelevanceInfo,
    Version,
)
from pres_eval.records import dataclass

DEFAULT_MEASURES = ("official", "PRES")
"""The texts of -m if none is given."""

MEASURES_NAMED_AT_MOST = 4
"""Measures that a message names; it counts the others."""

DEFAULT_MEASURES_OF_SAMPLES = {
    RelevanceInfo.STRATA: ("sampled",),
    RelevanceInfo.PRELS: ("runid", "num_q", "statAP", "stat_num_rel"),
}
"""The texts of -m for judgements of a sample if none is given, by their format."""


USUAL_VIEW = View()
"""The view of a column without settings of its own."""


@dataclass(frozen=True, kw_only=True)
class SelectedColumn:
    """One column of the output: a measure and the arguments of its function.

    view     settings for this column alone; the label contains them
    by_name  whether the measure's own name was given, not a nickname for several measures
    """

    label: str
    measure: Measure
    arguments: tuple[object, ...]
    view: View = USUAL_VIEW
    by_name: bool = True

    @property
    def plain(self) -> Callable[..., float] | None:
        """The function of the measure for one topic in plain Python; None if this column has none."""
        is_usual_view = self.view is USUAL_VIEW or self.view == USUAL_VIEW  # `is` takes less time
        if not is_usual_view:
            return None
        for argument in self.arguments:
            # Gains and weights are tuples, and plain functions do not take them; an empty tuple is none.
            if isinstance(argument, tuple) and argument:
                return None
        return self.measure.plain


Selection = tuple[SelectedColumn, ...]
"""The columns asked for, in print order."""


MOST_COLUMNS = 100_000
"""Most columns of an evaluation, and most values of a list argument: each needs memory for all topics."""


def select(
    texts: Sequence[str],
    options: Options | None = None,
    nmax: Sequence[int] = DEFAULT_NMAX,
    relevance: RelevanceInfo = RelevanceInfo.QRELS,
) -> Selection:
    """Return the columns that `-m` texts ask for (none: the official measures and PRES).

    Columns come in print order whatever the order of the texts; parameters of the same measure are united.
    nmax       cutoffs of measures whose reader stops at Nmax, where the texts name none (--nmax)
    relevance  the format of the judgements
    Raises MeasureError that names everything that is wrong with the texts, with the nearest names.
    """
    options = options or Options()
    default_measures = DEFAULT_MEASURES_OF_SAMPLES.get(relevance, DEFAULT_MEASURES)
    named, problems = _read_texts(texts or default_measures, options.version)
    columns: list[SelectedColumn] = []
    for asked in _in_print_order(named):
        # The nickname "sampled" also has measures that -R prels is not enough for: they are left out.
        needs_strata = asked.measure.relevance is RelevanceInfo.STRATA
        if needs_strata and relevance is RelevanceInfo.PRELS and not asked.by_name:
            continue
        try:
            _check_options(asked, options)
            columns += _columns_of(asked, nmax)
        except MeasureError as error:
            problems.append(_with_guess(str(error), asked))
    if any(column.measure.relevance is not relevance for column in columns):
        problems += _unfit_judgements(columns, relevance)
    if problems:
        raise MeasureError("; ".join(problems))
    if len(columns) > MOST_COLUMNS:
        raise MeasureError(f"-m: found {len(columns):,} columns, expected at most {MOST_COLUMNS:,}")
    return tuple(columns)


def _with_guess(problem: str, asked: NamedMeasure) -> str:
    """Return the text of an error about a named measure, followed by what the user may have meant."""
    name = asked.measure.name
    if "decimal comma" not in problem:
        problem += decimal_comma(f"{name}.{' '.join(asked.parameters)}")
    meant = with_cutoffs(f"{name}.{','.join(asked.parameters)}")
    if meant is not None and meant.partition(".")[0] != name:
        problem += f"; did you mean {meant}?"
    return problem


def _check_options(asked: NamedMeasure, options: Options) -> None:
    """Raise MeasureError if a measure or the bounds of its view cannot be computed with the options."""
    if asked.by_name and options.ties in (BEST_ORDER, WORST_ORDER):
        _check_ties(asked.measure, options.ties)
    if asked.view.bound is not None:
        _check_unjudged(options.judged_only)


def _check_unjudged(judged_only: bool) -> None:
    """Raise MeasureError for bounds of rankings without unjudged documents."""
    if judged_only:
        raise MeasureError("bounds: with -J no document is unjudged, expected bounds or -J, not both")


def _check_ties(measure: Measure, ties: str) -> None:
    """Raise MeasureError if the order by grade (--ties best or worst) may not be the measure's best order."""
    if not measure.best_by_grade:
        raise MeasureError(
            f"{measure.name}: --ties {ties} orders a tie by grade, which need not be the"
            f" {ties} order for this measure, expected another measure, or --ties {BY_DOCNO}"
        )


def _in_print_order(named: Sequence[NamedMeasure]) -> Iterator[NamedMeasure]:
    """Yield each measure once for each view, with the parameters of all texts together, in print order."""
    print_order = {name: number for number, name in enumerate(measure_names())}
    # If a user added several measures of the same name, the last one counts.
    measures = {asked.measure.name: asked.measure for asked in named}
    groups: dict[tuple[str, View], list[NamedMeasure]] = {}
    for asked in sorted(named, key=lambda asked: print_order[asked.measure.name]):
        if measures[asked.measure.name] is asked.measure:
            groups.setdefault((asked.measure.name, asked.view), []).append(asked)
    for (name, view), group in groups.items():
        parameters = tuple([text for asked in group for text in asked.parameters])
        by_name = any(asked.by_name for asked in group)
        yield NamedMeasure(measures[name], parameters, view, by_name)


def _columns_of(asked: NamedMeasure, nmax: Sequence[int]) -> list[SelectedColumn]:
    """Return the columns of a named measure, one for each set of arguments."""
    measure = asked.measure
    columns: list[SelectedColumn] = []
    for label, arguments in measure.parameters.columns(measure.name, asked.parameters, nmax):
        columns.append(
            SelectedColumn(
                label=label + asked.view.ending,
                measure=measure,
                arguments=arguments,
                view=asked.view,
                by_name=asked.by_name,
            )
        )
    return columns


def warnings_of_ignored_parameters(texts: Sequence[str]) -> Iterator[str]:
    """Yield a warning for each text with parameters that its measure ignores, as trec_eval does: map.10."""
    for text in texts:
        if "." not in text:
            continue
        with suppress(MeasureError):
            for asked in read_text(text, V9):
                name = asked.measure.name
                parameters = "".join(asked.parameters)
                if not parameters or not isinstance(asked.measure.parameters, NoParameters):
                    continue
                warning = f"-m {name}.{parameters}: {name} takes no parameters and ignores these"
                with_cutoff = f"{name}_cut"
                if with_cutoff in HOME and parameters.isdecimal():
                    warning += f"; did you mean {with_cutoff}.{parameters}?"
                yield warning


def labels_of(text: str, version: Version = V9) -> tuple[str, ...]:
    """Return the labels of the columns that a text names: `P@10` -> P_10.

    Raises MeasureError for a name that does not exist.
    """
    named = _in_print_order(list(read_text(text, version)))
    return tuple(column.label for asked in named for column in _columns_of(asked, DEFAULT_NMAX))


def named_measures(texts: Iterable[str], version: Version) -> tuple[Measure, ...]:
    """Return the measures that the texts name, each once.  Raises MeasureError with all faulty texts."""
    named, problems = _read_texts(texts, version)
    if problems:
        raise MeasureError("; ".join(problems))
    return tuple({asked.measure.name: asked.measure for asked in named}.values())


def _read_texts(texts: Iterable[str], version: Version) -> tuple[list[NamedMeasure], list[str]]:
    """Return the measures that the texts name, and the faults of the other texts."""
    named: list[NamedMeasure] = []
    problems: list[str] = []
    for text in texts:
        try:
            named += read_text(text, version)
        except MeasureError as error:
            problems.append(f"{error}{decimal_comma(text)}")
    return named, problems


ONLY_PRELS = "-R prels"
"""The format of judgements whose measures take those of -R strata too."""


def _unfit_judgements(columns: Iterable[SelectedColumn], relevance: RelevanceInfo) -> Iterator[str]:
    """Yield, for each other format that measures of these columns need, the message about these measures.

    relevance  the format of the judgements
    """
    names_by_need: dict[RelevanceInfo, list[str]] = {}
    for measure in {column.measure.name: column.measure for column in columns}.values():
        if not _is_computed_from(measure, relevance):
            names_by_need.setdefault(measure.relevance, []).append(measure.name)
    for needed, names in names_by_need.items():
        examples = ", ".join(names[:MEASURES_NAMED_AT_MOST])
        if len(names) > MEASURES_NAMED_AT_MOST:
            examples += f" and {len(names) - MEASURES_NAMED_AT_MOST} more"
        if relevance is RelevanceInfo.QRELS_FLOAT and needed is RelevanceInfo.QRELS:
            yield f"{examples}: needs whole grades, but these may have decimals ({relevance.value})"
        else:
            read_with = ONLY_PRELS if relevance is RelevanceInfo.PRELS else relevance.value
            yield f"{examples}: needs {needed.value}, but the judgements are read with {read_with}"


def _is_computed_from(measure: Measure, relevance: RelevanceInfo) -> bool:
    """Return whether a measure can be computed from judgements of this format."""
    if measure.relevance in (relevance, RelevanceInfo.ANY):
        return True
    if relevance is RelevanceInfo.QRELS_FLOAT:
        return measure.relevance is RelevanceInfo.QRELS and not measure.whole_grades
    return relevance is RelevanceInfo.STRATA and measure.relevance is RelevanceInfo.PRELS


BOUNDS_NOTE = (
    "least, greatest: of each run alone, if the unjudged documents that it retrieved down to a measure's"
    " cutoff were judged, with grades up to the topic's highest or the level; documents further down or of"
    " other runs, or higher grades, can move a value out of these"
)
"""Note on the judgements that bounds allow for."""

BOUNDS_OF_ALL = (
    "least, greatest: of each run alone, if all unjudged documents that it retrieved were judged, with grades"
    " up to {scale}; relevant documents that it did not retrieve can still lower a value"
)
"""The same note where all retrieved documents count."""


def with_bounds(
    selection: Selection, options: Options, scale: int | None = None
) -> tuple[Selection, tuple[str, ...]]:
    """Return each column followed by its bounds, and the names of measures that have none.

    scale  see `View`
    Raises MeasureError for a measure without bounds that was named itself, not by a nickname, and for -J.
    """
    from pres_eval.measures.bounds import check_bounds, reason_without_bounds

    _check_unjudged(options.judged_only or any(column.view.judged_only for column in selection))

    with_their_bounds: list[SelectedColumn] = []
    without_bounds: list[str] = []
    for column in selection:
        with_their_bounds.append(column)
        if column.view.bound is not None or not column.measure.tells_quality:
            continue
        if column.by_name:
            check_bounds(column.measure, column.arguments, scale)
        elif reason_without_bounds(column.measure, column.arguments, scale):
            without_bounds.append(column.measure.name)
            continue
        label = column.label.removesuffix(column.view.ending)
        for bound in BOUNDS:
            view = column.view._replace(bound=bound, scale=scale)
            with_their_bounds.append(replace(column, label=label + view.ending, view=view))
    return tuple(dict.fromkeys(with_their_bounds)), tuple(dict.fromkeys(without_bounds))


def leave_out(
    selection: Selection, lacking: Callable[[Measure], bool], warn: Callable[[str], None], reason: str
) -> Selection:
    """Return the columns but for those that a nickname selected and that cannot be computed; warn of these.

    lacking  whether the columns of a measure cannot be computed
    reason   the warning, with {} for the names of the measures
    """
    left_out = [column for column in selection if not column.by_name and lacking(column.measure)]
    if left_out:
        warn(reason.format(", ".join(dict.fromkeys(column.measure.name for column in left_out))))
    return tuple(column for column in selection if column not in left_out)


def _for_ties(selection: Selection, options: Options, warn: Callable[[str], None]) -> Selection:
    """Return the columns that can be computed under --ties; warn of others that a nickname selected.

    Raises MeasureError for a measure that was named itself and cannot be computed.
    """
    from pres_eval.measures.expected import depends_on_order, has_expected_value

    if options.ties != EXPECTED_VALUES:
        for column in selection:
            if column.by_name:
                _check_ties(column.measure, options.ties)
        reason = "left out, as their best order of a tie need not be that of the grades: {}"
        return leave_out(selection, lambda measure: not measure.best_by_grade, warn, reason)
    reason = "left out, as they have no expected value in closed form when scores tie: {}"
    selection = leave_out(selection, lambda measure: not has_expected_value(measure), warn, reason)
    if options.max_retrieved is None:
        return selection
    # Counts of what -M leaves are expected values too, and need not be whole.
    columns: list[SelectedColumn] = []
    for column in selection:
        measure = column.measure
        if measure.format is Format.COUNT and depends_on_order(measure):
            columns.append(replace(column, measure=replace(measure, format=Format.FLOAT)))
        else:
            columns.append(column)
    return tuple(columns)


def with_ties_and_bounds(
    selection: Selection, options: Options, bounds: bool | str, warn: Callable[[str], None]
) -> Selection:
    """Return the columns that --ties and --bounds ask for; warn of measures of a nickname that lack them.

    bounds  whether bounds follow each column; "all,max_rel=3": bounds if all documents retrieved were judged,
            with grades up to 3
    Raises MeasureError for a measure that was named itself and lacks them, UsageError for another text.
    """
    if options.ties != BY_DOCNO:
        selection = _for_ties(selection, options, warn)
    if bounds:
        scale = read_scale(bounds) if isinstance(bounds, str) else None
        selection, without_bounds = with_bounds(selection, options, scale)
        if without_bounds:
            warn(f"{', '.join(without_bounds)}: no bounds, as they are not defined")
    return selection


def read_scale(text: str) -> int:
    """Return the highest grade of `all,max_rel=3`.  Raises UsageError for anything else."""
    match = re.fullmatch(r"all,max_rel=([1-9][0-9]{0,8})", text)
    if match is None:
        raise UsageError(
            f"bounds {text}: expected all,max_rel=GRADE with the scale's highest grade (1: relevant or not)"
        )
    return int(match[1])

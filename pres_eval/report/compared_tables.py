"""The tables of a comparison of runs: means with their intervals, groups of letters, the comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pres_eval.analysis.compare_settings import ComparedRuns, CompareSettings, Comparison
from pres_eval.analysis.corrections import CORRECT_OVER_ALL, SHARED
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.reproducible import rounded
from pres_eval.analysis.significance import (
    FEWEST_EQUAL_DIFFERENCES,
    NEED_VARIANCE,
    PAIRED_TESTS,
    WITH_MARGIN,
)
from pres_eval.errors import plural
from pres_eval.report.cells import BEST_MARK, Cell, Interval, Note, PValue, Score, Value
from pres_eval.report.layout import Column, Readers, Table, columns_table, records_table
from pres_eval.report.paper_notes import paper_note, paper_note_without_test
from pres_eval.report.text import cut_note, effect_size, falling_notes, left_out_notes, percentage

MEASURES_ACROSS = 8
"""More measures than this, and than there are runs, are rows of the tables, not columns."""

MOST_COMPARISONS_SHOWN = 30
"""More comparisons than this, with all pairs, are shown to people as letters alone."""

INTERVAL_NAMES = {"t": "t", "bca": "BCa bootstrap", "percentile": "percentile bootstrap"}
"""Names of kinds of intervals in words, by those of --interval."""


def compared_tables(result: ComparedRuns, topics: str) -> list[Table]:
    """Return the tables of means, of their intervals and of comparisons.

    If all pairs of runs were compared (`result.baselines` is None), also those of letters, alone and with the
    means; runs that share a letter are a group without significant differences.

    topics  the topics that means are over, in words
    """
    note = partial(paper_note, result)  # the screen shows none
    tables = [
        replace(_means(result, topics), paper_note=note),
        replace(_intervals(result), paper_note=partial(paper_note_without_test, result)),
    ]
    if result.comparisons and result.baselines is None:
        tables.append(replace(_groups(result), paper_note=partial(_paper_note_of_letters, result)))
        tables.append(replace(_means_with_letters(result, topics), paper_note=note))
    if result.comparisons:
        tables.append(replace(_comparisons(result), paper_note=note))
    return tables


def _paper_note_of_letters(result: ComparedRuns) -> str:
    """Return the note that explains the letters: in a paper the title is a comment, and nothing else does."""
    return f"{SHARED}; {paper_note(result)}"


def _means(result: ComparedRuns, topics: str) -> Table:
    """Return the table of means, with marks of the best and of significant differences from the baseline."""
    scores = result.scores
    marks = _marks(result)
    means, is_best = scores.means.tolist(), result.best.tolist()
    lower, upper = result.lower.tolist(), result.upper.tolist()
    rows: list[tuple[Value, ...]] = []
    cells: dict[str, list[Cell]] = {}
    for run, name in enumerate(scores.runs):
        cells[name] = []
        for measure, label in enumerate(scores.measures):
            mean, best = means[measure][run], is_best[measure][run]
            rows.append((name, label, mean, lower[measure][run], upper[measure][run], best))
            cells[name].append(Score(mean, best=best, mark=marks.get((label, name), "")))
    return Table(
        name="means",
        title=f"Means over {topics}",
        headings=("run", "measure", "mean", "lower", "upper", "best"),
        rows=rows,
        notes=list(_notes_of_means(result)),
        shown=_runs_by_measures(scores.measures, cells),
    )


def _marks(result: ComparedRuns) -> dict[tuple[str, str], str]:
    """Return the marks of significant differences from the baseline by label and run; empty for all pairs."""
    if result.baselines is None:
        return {}
    better = ">=" if result.settings.alternative == "non-inferior" else "+"
    # A test on ranks may speak for a run whose mean is lower: the mark is that of the test.
    signs = {1: better, 0: "=", -1: "-"}
    marks = {}
    for comparison in result.comparisons:
        if comparison.significant:
            marks[comparison.measure, comparison.run] = signs[comparison.direction]
    return marks


def _test_in_brief(result: ComparedRuns, sign: str = "<") -> str:
    """Return the test, its correction and its level: `t, correction holm over all measures, p < 0.05`.

    sign  how p-values of the differences in question compare with alpha
    """
    settings = result.settings
    words = settings.test
    if settings.test not in JOINT_TESTS:
        words += f", correction {settings.correction}"
    if settings.over == "measures":
        words += " over all measures"
    elif settings.corrects_within(len(result.scores.measures)):
        words += " within each measure"
    return f"{words}, p {sign} {settings.alpha:g}"


MARKS = {
    "two-sided": ("+ -", "significantly better, worse than"),
    "greater": ("+", "significantly better than"),
    "less": ("-", "significantly worse than"),
    "equivalent": ("=", "equivalent, within {margin:g}, to"),
    "non-inferior": (">=", "not worse, by {margin:g} or more, than"),
}
"""The marks of significant differences and their meaning, by the alternative of the test."""


def _notes_of_means(result: ComparedRuns) -> Iterator[str | Note]:
    """Yield the notes below the means: marks, test, measures where less is better, and left-out columns."""
    yield Note("best of the measure (means that agree to 12 digits are equal)", mark=BEST_MARK)
    settings, baseline = result.settings, result.baseline
    if result.baselines is not None and result.comparisons:
        against = "the best of the measure" if baseline is None else result.scores.runs[baseline]
        mark, words = MARKS[settings.alternative]
        yield Note(f"{words.format(margin=settings.margin)} {against} ({_test_in_brief(result)})", mark=mark)
    if result.unseen and settings.test not in JOINT_TESTS and settings.correction != "none":
        yield "p-values are corrected for all pairs of runs, as the baseline was chosen by the same topics"
    yield from falling_notes(result.scores.measures, result.scores.falling)
    num_contradictions = result.contradictions()
    if num_contradictions:
        yield (
            f"{settings.test} compares ranks or signs of the differences of topics, not their mean: in"
            f" {plural(num_contradictions, 'significant comparison')} it favours the run with the worse mean"
            " (--test t compares means)"
        )
    yield from left_out_notes(result.scores.left_out)


def _intervals(result: ComparedRuns) -> Table:
    """Return the table of intervals of means, which people alone see: programs find the ends in the means."""
    scores = result.scores
    cells: dict[str, list[Cell]] = {}
    for name, lower, upper in zip(scores.runs, result.lower.T.tolist(), result.upper.T.tolist(), strict=True):
        cells[name] = list(map(Interval, lower, upper))
    kind = INTERVAL_NAMES[result.settings.interval]
    return Table(
        name="intervals",
        title=f"{percentage(1 - result.settings.alpha)} {kind} intervals of the means",
        notes=_notes_of_intervals(result),
        shown=_runs_by_measures(scores.measures, cells),
        readers=Readers.PEOPLE,
    )


def _notes_of_intervals(result: ComparedRuns) -> list[str]:
    """Return the notes about the intervals of the means."""
    if len(result.scores.topics) < 2:
        return ["- no interval: it needs two topics"]
    notes = []
    if any(math.isnan(end) for end in result.lower.flat):
        notes.append("-: no interval, as all topics have the same value")
    of_logit = result.settings.logit_measures(result.scores)  # labels
    range_note = ""
    # Bootstrap intervals and those of the logit lie within the range anyway.
    if result.settings.interval == "t":
        range_note = cut_note(result.scores.measures, result.scores.bounded.difference(of_logit))
    notes.append(f"each for one mean, not corrected for their number{range_note}")
    if of_logit:
        notes.append(
            f"{', '.join(of_logit)}: t intervals of the logit; if a few topics have most of the weight,"
            " Student's are too low for skewed scores"
        )
    return notes


def _best_first(scores: PairedScores) -> list[int]:
    """Return the numbers of the runs, the best by the first measure first, equal ones in their order.

    Means that differ by a rounding error alone are equal.
    """
    gains = rounded(scores.gains()[0])
    order: list[int] = (-gains).argsort(kind="stable").tolist()
    return order


def _groups(result: ComparedRuns) -> Table:
    """Return the letters of each run by each measure, the best run by the first measure on top."""
    scores = result.scores
    letters = {label: result.letters(measure) for measure, label in enumerate(scores.measures)}
    rows: list[tuple[Value, ...]] = []
    cells: dict[str, list[Cell]] = {}
    for run in _best_first(scores):
        name = scores.runs[run]
        cells[name] = []
        for label, letters_of_runs in letters.items():
            rows.append((name, label, letters_of_runs[run]))
            cells[name].append(letters_of_runs[run])
    notes = ["a: with the best"]
    if result.settings.corrects_within(len(scores.measures)):
        notes.append(f"corrected within each measure {CORRECT_OVER_ALL}")
    alike = []
    if len(scores.runs) > 1:
        alike = [label for label, letters_of_runs in letters.items() if set(letters_of_runs) == {"a"}]
    if alike:
        notes.append(
            f"{', '.join(alike)}: all runs share a: over {plural(len(scores.topics))} no difference was"
            " found, which does not mean that there is none"
        )
    return Table(
        name="groups",
        title=f"{SHARED.capitalize()} ({_test_in_brief(result, '≥')})",
        headings=("run", "measure", "letters"),
        rows=rows,
        notes=notes,
        shown=_runs_by_measures(scores.measures, cells),
    )


def _means_with_letters(result: ComparedRuns, topics: str) -> Table:
    """Return means and letters in one table for --table letters, the best run by the first measure on top."""
    scores = result.scores
    letters = {label: result.letters(measure) for measure, label in enumerate(scores.measures)}
    rows: list[tuple[Value, ...]] = []
    cells: dict[str, list[Cell]] = {}
    for run in _best_first(scores):
        name = scores.runs[run]
        cells[name] = []
        for measure, label in enumerate(scores.measures):
            mean, letters_of_run = float(scores.means[measure, run]), letters[label][run]
            rows.append((name, label, mean, letters_of_run))
            best = bool(result.best[measure, run])
            cells[name].append(Score(mean, best=best, mark=letters_of_run))
    notes: list[str | Note] = [
        Note("best of the measure (means that agree to 12 digits are equal)", mark=BEST_MARK),
        f"{SHARED} ({_test_in_brief(result, '≥')})",
    ]
    notes += falling_notes(scores.measures, scores.falling)
    return Table(
        name="letters",
        title=f"Means over {topics}, with letters of the groups",
        headings=("run", "measure", "mean", "letters"),
        rows=rows,
        notes=notes,
        shown=_runs_by_measures(scores.measures, cells),
        readers=Readers.NOBODY,
    )


def _runs_by_measures(measures: Sequence[str], cells: Mapping[str, Sequence[Cell]]) -> Table:
    """Return a table for people: a row for each run, a column for each measure, or if these are many turned.

    cells  by the name of the run: a cell for each measure
    """
    rows: list[list[Cell]] = []
    if len(measures) <= max(MEASURES_ACROSS, len(cells)):
        for name, cells_of_run in cells.items():
            rows.append([name, *cells_of_run])
        return Table(headings=("run", *measures), rows=rows)
    for label, *cells_of_measure in zip(measures, *cells.values(), strict=True):
        rows.append([label, *cells_of_measure])
    return Table(headings=("measure", *cells), rows=rows)


def _comparisons(result: ComparedRuns) -> Table:
    """Return the table of comparisons, with tests and effect sizes.

    People do not see it if all pairs are more than MOST_COMPARISONS_SHOWN: they have the letters.
    """
    settings = result.settings
    corrected = "corrected" if settings.test in JOINT_TESTS else settings.correction
    margin = f" within {settings.margin:g}" if settings.margin else ""
    readers = Readers.ALL
    is_all_pairs = result.baselines is None
    if is_all_pairs and len(result.comparisons) > MOST_COMPARISONS_SHOWN:
        readers = Readers.PROGRAMS
    return records_table(
        "comparisons",
        f"Comparisons ({settings.test}, {settings.alternative}{margin}, {plural(len(result.scores.topics))})",
        result.comparisons,
        Comparison,
        _comparison_notes(result, corrected),
        columns_table(_comparison_columns(corrected), result.comparisons, left=3),
        readers=readers,
    )


def _comparison_columns(corrected: str) -> list[Column[Comparison]]:
    """Return the columns of the table of comparisons; `corrected`: the name of the correction."""
    return [
        Column("measure", lambda pair: pair.measure),
        Column("run", lambda pair: pair.run),
        Column("against", lambda pair: pair.other),
        Column("difference", lambda pair: Score(pair.difference, signed=True)),
        Column("interval", _interval_cell),
        Column("+/=/-", lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}"),
        Column("p", lambda pair: PValue(pair.p_value)),
        Column(f"p ({corrected})", lambda pair: PValue(pair.corrected, pair.significant)),
        Column("d_z", lambda pair: effect_size(pair.d_z)),
        Column("g", lambda pair: effect_size(pair.hedges_g)),
        Column("r", lambda pair: effect_size(pair.rank_biserial)),
    ]


def _interval_cell(pair: Comparison) -> Interval:
    """Return the interval of a difference, marked where it and the test disagree on significance."""
    mark = "" if pair.agrees else "!"
    return Interval(pair.lower, pair.upper, signed=True, mark=mark)


def _comparison_notes(result: ComparedRuns, corrected: str) -> list[str | Note]:
    """Return the notes below the comparisons; corrected: the name of the correction in the heading of p."""
    within = result.settings.within_note(len(result.scores.measures))
    notes: list[str | Note] = [
        Note(f"significant: p ({corrected}) < {result.settings.alpha:g}{within}", mark="*"),
        _note_on_intervals(result.settings),
        "+/=/-: topics on which the run is better, as good, worse",
        "d_z: mean difference in standard deviations of the differences; g: Hedges' g, d_z without its bias;"
        " r: rank-biserial; -: none, as one topic or equal differences have no deviation",
    ]
    if not all(pair.agrees for pair in result.comparisons):
        notes.append(Note("the interval and the test disagree on whether there is a difference", mark="!"))
    notes.extend(_note_on_missing_p_values(result))
    notes.extend(_note_on_missing_intervals(result))
    return notes


def _note_on_missing_p_values(result: ComparedRuns) -> Iterator[str]:
    """Yield why some comparisons have no p-value; nothing where all have one, or there is one topic alone."""
    count = sum(math.isnan(pair.p_value) for pair in result.comparisons)
    topics = len(result.scores.topics)
    if not count or topics < 2:
        return
    reason, instead = "without variance", "randomisation"
    if result.settings.test in JOINT_TESTS:
        instead = "randomised-tukey"
    elif topics < FEWEST_EQUAL_DIFFERENCES:
        reason = f"fewer than {FEWEST_EQUAL_DIFFERENCES} topics"
    yield (
        f"p -: all {plural(topics)} have the same difference in {count} of"
        f" {plural(len(result.comparisons), 'comparison')}, which is no evidence ({reason});"
        f" --test {instead} needs no variance"
    )


def _note_on_missing_intervals(result: ComparedRuns) -> Iterator[str]:
    """Yield the note about comparisons that have a p-value but no interval, as differences do not vary."""
    if result.settings.test in JOINT_TESTS:
        return
    has_margin = result.settings.alternative in WITH_MARGIN
    count = 0
    for pair in result.comparisons:
        # d_z is infinite if all topics have the same difference, other than 0; a margin tests 0 as well.
        is_tested_without_variance = math.isinf(pair.d_z) or (has_margin and math.isnan(pair.lower))
        if is_tested_without_variance and not math.isnan(pair.p_value):
            count += 1
    if not count:
        return
    instead = ""
    if result.settings.test in NEED_VARIANCE:
        instead = "p is there that of --test randomisation, and "
    yield (
        f"all {plural(len(result.scores.topics))} have the same difference in {count} of"
        f" {plural(len(result.comparisons), 'comparison')}: {instead}there is no interval, which"
        " needs variance"
    )


def _note_on_intervals(settings: CompareSettings) -> str:
    """Return the note on the coverage and the width of the intervals of differences."""
    level = percentage(1 - settings.alpha)
    if settings.test in JOINT_TESTS:
        return f"interval: {level} for all comparisons together, of {settings.test}"
    widths = {
        "none": f"{level} each",
        "bonferroni": f"{level} for all comparisons together",
        "holm": f"as wide as Holm's step asks for each comparison, at least {level} each",
        "bh": f"as wide as the correction asks for ({percentage(settings.alpha)} of those of findings miss)",
    }
    width = f"{level} each, not corrected"
    if settings.simultaneous:  # intervals are as wide as the correction asks for
        width = widths[settings.correction]
    note = f"interval: {INTERVAL_NAMES[settings.interval]}, of the mean difference, {width}"
    if PAIRED_TESTS[settings.test].ranks:
        note += "; the test compares ranks"
    return note

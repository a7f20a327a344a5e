"""The tables of a comparison of runs: means with their intervals, groups of letters, the comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from pres_eval.analysis.compare_settings import ComparedRuns, CompareSettings, Comparison
from pres_eval.analysis.corrections import SHARED
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.reproducible import rounded
from pres_eval.analysis.significance import FEWEST, NEED_VARIANCE, PAIRED_TESTS
from pres_eval.errors import plural
from pres_eval.report.layout import (
    BEST,
    Interval,
    Note,
    PValue,
    Score,
    Shown,
    ShownCell,
    Table,
    records_table,
)
from pres_eval.report.text import cut_note, effect_size, falling_notes, left_out_notes, percentage

MANY = 8
"""More measures than this go downwards in the tables."""

MOST_ROWS = 30
"""More comparisons than this, with all pairs, are shown to people as letters alone."""

INTERVAL_NAMES = {"t": "t", "bca": "BCa bootstrap", "percentile": "percentile bootstrap"}


def compared_tables(result: ComparedRuns, topics: str) -> list[Table]:
    """Return tables of means, intervals, with all pairs the groups, and comparisons; `topics`: their rule."""
    return [
        _means(result, topics),
        _intervals(result),
        *([_groups(result)] if result.comparisons and result.baselines is None else []),
        *([_comparisons(result)] if result.comparisons else []),
    ]


def _means(result: ComparedRuns, topics: str) -> Table:
    """Return the table of means, with marks of the best and of significant differences."""
    scores = result.scores
    # A test on ranks may speak for a run whose mean is lower: the mark is that of the test.
    signs = {1: ">=" if result.settings.alternative == "non-inferior" else "+", 0: "=", -1: "-"}
    marks = {
        (one.measure, one.run): signs[one.direction]
        for one in result.comparisons
        if result.baselines is not None and one.significant
    }
    arrays = (scores.means, result.lower, result.upper, result.best)
    rows = [
        (name, label, mean, lower, upper, best)
        for run, name in enumerate(scores.runs)
        for label, mean, lower, upper, best in zip(
            scores.measures, *(array[:, run].tolist() for array in arrays), strict=True
        )
    ]
    cells: dict[str, list[ShownCell]] = {name: [] for name in scores.runs}
    for name, label, mean, _, _, best in rows:
        cells[name].append(Score(mean, best=best, mark=marks.get((label, name), "")))
    return Table(
        name="means",
        title=f"Means over {topics}",
        headings=("run", "measure", "mean", "lower", "upper", "best"),
        rows=rows,
        notes=list(_notes(result)),
        shown=_grid(scores.measures, cells),
    )


def _how(result: ComparedRuns, sign: str = "<") -> str:
    """Return the test and the correction in words, and on which side of alpha p is."""
    settings = result.settings
    over = ""
    if settings.over == "measures":
        over = " over all measures"
    elif settings.corrects_within(len(result.scores.measures)):
        over = " within each measure"
    if settings.test in JOINT_TESTS:
        return f"{settings.test}{over}, p {sign} {settings.alpha:g}"
    return f"{settings.test}, correction {settings.correction}{over}, p {sign} {settings.alpha:g}"


def _notes(result: ComparedRuns) -> Iterator[str | Note]:
    """Yield the notes below the means: signs, test, and left-out topics."""
    yield Note("best of the measure (means that agree to 12 digits are equal)", mark=BEST)
    settings, baselines = result.settings, result.baselines
    if baselines is not None and result.comparisons:
        one = result.baseline
        against = "the best of the measure" if one is None else result.scores.runs[one]
        mark, words = {
            "two-sided": ("+ -", "significantly better, worse than"),
            "greater": ("+", "significantly better than"),
            "less": ("-", "significantly worse than"),
            "equivalent": ("=", f"equivalent, within {settings.margin:g}, to"),
            "non-inferior": (">=", f"not worse, by {settings.margin:g} or more, than"),
        }[settings.alternative]
        yield Note(f"{words} {against} ({_how(result)})", mark=mark)
    if result.unseen and settings.test not in JOINT_TESTS and settings.correction != "none":
        yield "p-values are corrected for all pairs of runs, as the baseline was chosen by the same topics"
    yield from falling_notes(result.scores.measures, result.scores.falling)
    if result.contradictions():
        yield (
            f"{settings.test} compares ranks or signs of the differences of topics, not their mean: in"
            f" {result.contradictions()} significant comparisons it favours the run with the worse mean"
            " (--test t compares means)"
        )
    yield from left_out_notes(result.scores.left_out)


def _intervals(result: ComparedRuns) -> Table:
    """Return the table of intervals of means."""
    scores = result.scores
    ends = zip(scores.runs, result.lower.T.tolist(), result.upper.T.tolist(), strict=True)
    cells = {name: list(map(Interval, lower, upper)) for name, lower, upper in ends}
    kind = INTERVAL_NAMES[result.settings.interval]
    return Table(
        name="intervals",
        title=f"{percentage(1 - result.settings.alpha)} {kind} intervals of the means",
        notes=_mean_notes(result),
        shown=_grid(scores.measures, cells),
        programs=False,
    )


def _mean_notes(result: ComparedRuns) -> list[str]:
    """Return the notes about the intervals of the means."""
    if len(result.scores.topics) < 2:
        return ["- no interval: it needs two topics"]
    # Bootstrap intervals lie within the range anyway.
    bounded = result.scores.bounded if result.settings.interval == "t" else ()
    cut = cut_note(result.scores.measures, bounded)
    alike = ["-: no interval, as all topics have the same value"] * any(map(math.isnan, result.lower.flat))
    return [*alike, f"each for one mean, not corrected for their number{cut}"]


def _groups(result: ComparedRuns) -> Table:
    """Return, for all pairs: the letters of each run, the best by the first measure on top."""
    scores = result.scores
    letters = [result.letters(measure) for measure in range(len(scores.measures))]
    order = (-rounded(scores.gains()[0])).argsort(kind="stable")
    rows = [
        (scores.runs[run], label, letters[measure][run])
        for run in order
        for measure, label in enumerate(scores.measures)
    ]
    alike = [
        label
        for label, own in zip(scores.measures, letters, strict=True)
        if set(own) == {"a"} and len(own) > 1
    ]
    topics = plural(len(scores.topics))
    words = f"all runs share a: over {topics} no difference was found, which does not mean that there is none"
    return Table(
        name="groups",
        title=f"{SHARED.capitalize()} ({_how(result, '≥')})",
        headings=("run", "measure", "letters"),
        rows=rows,
        notes=["a: with the best", *([f"{', '.join(alike)}: {words}"] if alike else [])],
        shown=_grid(scores.measures, {scores.runs[run]: [own[run] for own in letters] for run in order}),
    )


def _grid(measures: Sequence[str], cells: Mapping[str, Sequence[ShownCell]]) -> Shown:
    """Return runs, by name, × measures; the other way round if the measures are many."""
    if len(measures) > max(MANY, len(cells)):
        by_measure = zip(*cells.values(), strict=True)
        return Shown(
            ("measure", *cells), [[label, *row] for label, row in zip(measures, by_measure, strict=True)]
        )
    return Shown(("run", *measures), [[name, *row] for name, row in cells.items()])


def _comparisons(result: ComparedRuns) -> Table:
    """Return the table of comparisons, with tests and effect sizes."""
    settings = result.settings
    corrected = "corrected" if settings.test in JOINT_TESTS else settings.correction
    margin = f" within {settings.margin:g}" if settings.margin else ""
    return records_table(
        "comparisons",
        f"Comparisons ({settings.test}, {settings.alternative}{margin}, {plural(len(result.scores.topics))})",
        result.comparisons,
        Comparison,
        _comparison_notes(result, corrected),
        Shown(
            (
                *("measure", "run", "against", "difference", "interval", "+/=/-"),
                *("p", f"p ({corrected})", "d_z", "g", "r"),
            ),
            [
                [
                    one.measure,
                    one.run,
                    one.other,
                    Score(one.difference, signed=True),
                    Interval(one.lower, one.upper, signed=True, mark="" if one.agrees else "!"),
                    f"{one.wins}/{one.ties}/{one.losses}",
                    PValue(one.p_value),
                    PValue(one.corrected, one.significant),
                    effect_size(one.d_z),
                    effect_size(one.hedges_g),
                    effect_size(one.rank_biserial),
                ]
                for one in result.comparisons
            ],
            left=3,
        ),
        people=result.baselines is not None or len(result.comparisons) <= MOST_ROWS,
    )


def _comparison_notes(result: ComparedRuns, corrected: str) -> tuple[str | Note, ...]:
    """Return the notes below the comparisons."""
    within = result.settings.within_note(len(result.scores.measures))
    disagree = Note("the interval and the test disagree on whether there is a difference", mark="!")
    return (
        Note(f"significant: p ({corrected}) < {result.settings.alpha:g}{within}", mark="*"),
        _interval_note(result.settings),
        "+/=/-: topics on which the run is better, as good, worse",
        "d_z: mean difference in standard deviations of the differences; g: Hedges' g, d_z without its bias;"
        " r: rank-biserial; -: none, as one topic or equal differences have no deviation",
        *([] if all(one.agrees for one in result.comparisons) else [disagree]),
        *_without_p(result),
        *_without_width(result),
    )


def _without_p(result: ComparedRuns) -> Iterator[str]:
    """Yield the reason why comparisons have no p-value, where there are several topics."""
    count = sum(math.isnan(one.p_value) for one in result.comparisons)
    topics = len(result.scores.topics)
    if count and topics > 1:
        joint = result.settings.test in JOINT_TESTS
        few = f"fewer than {FEWEST} topics" if topics < FEWEST and not joint else "without variance"
        yield (
            f"p -: all {plural(topics)} have the same difference in {count} of"
            f" {plural(len(result.comparisons), 'comparison')}, which is no evidence ({few});"
            f" --test {'randomised-tukey' if joint else 'randomisation'} needs no variance"
        )


def _without_width(result: ComparedRuns) -> Iterator[str]:
    """Yield the note about comparisons that have no variance."""
    count = sum(
        one.difference != 0 and math.isnan(one.d_z) and not math.isnan(one.p_value)
        for one in result.comparisons
    )
    if count and result.settings.test not in JOINT_TESTS:
        instead = "p is there that of --test randomisation, and " * (result.settings.test in NEED_VARIANCE)
        yield (
            f"all {plural(len(result.scores.topics))} have the same difference in {count} of"
            f" {plural(len(result.comparisons), 'comparison')}: {instead}there is no interval, which"
            " needs variance"
        )


def _interval_note(settings: CompareSettings) -> str:
    """Return the note on the coverage and the width of the intervals of differences."""
    level = percentage(1 - settings.alpha)
    if settings.test in JOINT_TESTS:
        return f"interval: {level} for all comparisons together, of {settings.test}"
    kind = INTERVAL_NAMES[settings.interval]
    together = {
        "none": f"{level} each",
        "bonferroni": f"{level} for all comparisons together",
        "holm": f"as wide as Holm's step asks for each comparison, at least {level} each",
        "bh": f"as wide as the correction asks for ({percentage(settings.alpha)} of those of findings miss)",
    }[settings.correction]
    said = together if settings.simultaneous else f"{level} each, not corrected"
    return f"interval: {kind}, of the mean difference, {said}" + (
        "; the test compares ranks" if PAIRED_TESTS[settings.test].ranks else ""
    )

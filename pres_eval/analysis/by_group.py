"""Runs compared over all topics and in groups of them; is a difference another one in another group?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.compare import best_places, compare
from pres_eval.analysis.compare_settings import ComparedRuns, CompareSettings, Comparison, reach_warning
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.interaction import p_of_groups
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.paired import PairedScores, weighted
from pres_eval.analysis.unequal_variances import unequal_variances_warning
from pres_eval.analysis.weighting import few_topics_warning
from pres_eval.arrays import FloatArray, IntArray
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import UsageError
from pres_eval.reading.topic_files import Groups, Weights


@dataclass(frozen=True)
class GroupComparison:
    """One run against another under one measure, over the topics of one group; run minus other.

    corrected  p-value corrected for all groups and comparisons of the measure (or of all measures)
    direction  1 where the test speaks for the run, -1 for the other, 0 for neither
    """

    measure: str
    group: str
    topics: int
    run: str
    other: str
    mean: float
    other_mean: float
    difference: float
    p_value: float
    corrected: float
    significant: bool
    direction: int


@dataclass(frozen=True)
class Interaction:
    """Interaction: is the difference of two runs under one measure another one in another group of topics?

    least, greatest  the groups in which the difference, run minus other, is least and greatest
    """

    measure: str
    run: str
    other: str
    least: str
    greatest: str
    p_value: float
    corrected: float
    significant: bool


@dataclass(frozen=True)
class ByGroup:
    """The comparisons in groups; and interactions, unless some topic is in several groups."""

    comparisons: tuple[GroupComparison, ...]
    interactions: tuple[Interaction, ...]
    overlap: bool


@dataclass(frozen=True, eq=False)
class FullComparison:
    """Runs compared over all topics, and in groups of them.

    plain     the scores of topics as they are, without weights
    compared  the comparisons over all topics, whose scores have the weights
    by_group  the comparisons in groups of topics and the interactions; None without groups
    """

    plain: PairedScores
    compared: ComparedRuns
    by_group: ByGroup | None


def full_comparison(
    plain: PairedScores,
    baseline: int | str | None,
    settings: CompareSettings,
    groups: Groups | None = None,
    weights: Weights | None = None,
    each: Loop = in_turn,
    warn: Callable[[str | None], None] | None = None,
) -> FullComparison:
    """Compare runs over all topics, and in groups of these if there are some.

    baseline  the place of a run; BEST: the best of each measure; None: all pairs
    each      carries out the loops over the measures and over draws
    warn      takes warnings before the long work: nothing can be significant, runs are unequally alike
    """
    scores = weighted(plain, weights)
    place = best_places(scores.gains()) if isinstance(baseline, str) else baseline
    if warn is not None:
        runs = len(scores.runs)
        comparisons = runs - 1 if isinstance(place, int) else runs * (runs - 1) // 2
        comparisons *= len(scores.measures) if settings.over == "measures" else 1
        warn(reach_warning(settings, scores, comparisons))
        warn(few_topics_warning(scores))
        one_baseline = place if isinstance(place, int) else 0
        warn(unequal_variances_warning(scores, settings.test, settings.alpha, one_baseline))
    compared = compare(scores, place, settings, each)
    in_groups = None if groups is None else compare_by_group(scores, groups.topics, place, settings)
    return FullComparison(plain, compared, in_groups)


def compare_by_group(
    scores: PairedScores,
    groups: Mapping[str, frozenset[bytes]],
    baseline: int | Sequence[int] | None,
    settings: CompareSettings,
) -> ByGroup:
    """Compare runs as `compare` does, in each group of topics that has some.

    Raises UsageError for tests of all runs at once, and for a group whose topics all weigh 0.
    """
    if settings.test in JOINT_TESTS:
        raise UsageError(f"--groups goes with tests of two runs, not with --test {settings.test}")
    row_of = {topic: row for row, topic in enumerate(scores.topics)}
    in_groups = {
        name: np.array(sorted(row_of[topic] for topic in own if topic in row_of), np.int64)
        for name, own in groups.items()
    }
    members = {name: rows for name, rows in in_groups.items() if len(rows)}
    for name, own in groups.items():
        if name not in members and own & scores.weightless:
            raise UsageError(f"--groups: the topics of group {name} all weigh 0, expected one above 0")
    one_by_one = replace(settings, correction="none")
    found = [
        (name, len(rows), one)
        for name, rows in members.items()
        for one in compare(scores.on(rows), baseline, one_by_one).comparisons
    ]
    p_values = np.array([one.p_value for _, _, one in found], np.float64)
    corrected = _corrected(p_values, [one.measure for _, _, one in found], settings)
    comparisons = tuple(
        _of_group(*one, value, settings) for one, value in zip(found, corrected.tolist(), strict=True)
    )
    grouped = np.concatenate([np.zeros(0, np.int64), *members.values()])
    overlap = len(np.unique(grouped)) < len(grouped)
    between = () if overlap or len(members) < 2 else _interactions(scores, members, comparisons, settings)
    return ByGroup(comparisons, tuple(between), overlap)


def _of_group(
    name: str, topics: int, one: Comparison, corrected: float, settings: CompareSettings
) -> GroupComparison:
    """Return a comparison over the topics of a group, with its corrected p-value."""
    return GroupComparison(
        measure=one.measure,
        group=name,
        topics=topics,
        run=one.run,
        other=one.other,
        mean=one.mean,
        other_mean=one.other_mean,
        difference=one.difference,
        p_value=one.p_value,
        corrected=corrected,
        significant=corrected < settings.alpha,
        direction=one.direction if corrected < settings.alpha else 0,
    )


def _corrected(p_values: FloatArray, measures: Sequence[str], settings: CompareSettings) -> FloatArray:
    """Return p-values (n,) corrected in the family of each: its measure, or all; nan is no comparison."""
    corrected = np.full(len(p_values), np.nan)
    families = [settings.over == "measures" or measure for measure in measures]
    for family in dict.fromkeys(families):
        own = np.array([each == family for each in families]) & ~np.isnan(p_values)
        corrected[own] = CORRECTIONS[settings.correction](p_values[own])
    return corrected


def _interactions(
    scores: PairedScores,
    members: Mapping[str, IntArray],
    comparisons: Sequence[GroupComparison],
    settings: CompareSettings,
) -> Iterator[Interaction]:
    """Yield whether differences depend on the group, whose topics are (n,), for each pair compared."""
    rows = np.concatenate(list(members.values()))
    group = np.repeat(np.arange(len(members)), [len(topics) for topics in members.values()])
    weights = np.ones(len(rows)) if scores.weights is None else scores.weights[rows]
    names = list(members)
    tests = []
    for measure, run, other in dict.fromkeys((row.measure, row.run, row.other) for row in comparisons):
        values = scores.values[scores.measures.index(measure)][:, rows]
        differences = values[scores.runs.index(run)] - values[scores.runs.index(other)]
        means = np.bincount(group, weights=differences) / np.bincount(group, weights=weights)
        p_value = p_of_groups(differences, group, settings.samples, settings.seed, weights)
        least, greatest = names[int(means.argmin())], names[int(means.argmax())]
        tests.append((measure, run, other, least, greatest, p_value))
    measures = [measure for measure, *_ in tests]
    corrected = _corrected(np.array([p_value for *_, p_value in tests]), measures, settings)
    for (measure, run, other, least, greatest, p_value), corrected_p in zip(
        tests, corrected.tolist(), strict=True
    ):
        yield Interaction(
            measure=measure,
            run=run,
            other=other,
            least=least,
            greatest=greatest,
            p_value=p_value,
            corrected=corrected_p,
            significant=corrected_p < settings.alpha,
        )

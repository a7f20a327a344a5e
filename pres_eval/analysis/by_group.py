"""Runs compared over all topics and in groups of topics; does their difference depend on the group?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.compare import best_run_of_measures, compare
from pres_eval.analysis.compare_settings import (
    ComparedRuns,
    CompareSettings,
    Comparison,
    check_settings,
    reach_warning,
)
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.interaction import p_of_interaction
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
    """One run against another under one measure, over the topics of a group; differences are run minus other.

    topics     number of topics in the group
    corrected  p-value corrected for all groups and comparisons of the measure (or of all measures)
    direction  1 if the difference is significant and favours the run, -1 if it favours the other, else 0
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
    """Test of interaction: does the difference of two runs under one measure depend on the group of topics?

    least, greatest  the groups in which the difference, run minus other, is least and greatest
    corrected        p_value corrected for all pairs of runs of the measure (or of all measures)
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
    """The comparisons in groups of topics, and the tests of interaction.

    interactions  empty if a topic is in several groups, or if there is only one group
    overlap       whether a topic is in several groups
    """

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
    loop: Loop = in_turn,
    warn: Callable[[str], None] | None = None,
) -> FullComparison:
    """Compare runs over all topics, and in groups of topics if there are groups.

    plain     scores of the topics, without weights
    baseline  the index of a run; BEST_RUN: the best of each measure; None: all pairs
    loop      carries out the loops over the measures and over random draws
    warn      takes the warnings, before the long work
    Raises UsageError for settings, a baseline and groups that do not go together, before any warning.
    """
    scores = plain
    if weights is not None:
        scores = weighted(plain, weights)
    baselines = best_run_of_measures(scores.gains()) if isinstance(baseline, str) else baseline
    check_settings(settings, all_pairs=not isinstance(baselines, int))
    if groups is not None:
        _check_no_joint_test(settings)
    if warn is not None:
        for warning in comparison_warnings(scores, baselines, settings):
            warn(warning)
    compared = compare(scores, baselines, settings, loop)
    in_groups = None
    if groups is not None:
        in_groups = compare_by_group(scores, groups.topics, baselines, settings)
    return FullComparison(plain, compared, in_groups)


def comparison_warnings(
    scores: PairedScores, baseline: int | Sequence[int] | None, settings: CompareSettings
) -> list[str]:
    """Return the warnings of a comparison that apply.

    They are: nothing can be significant; a few topics have most of the weight; differences of runs have too
    unequal variances for a joint test.
    """
    runs = len(scores.runs)
    comparisons = runs - 1 if isinstance(baseline, int) else runs * (runs - 1) // 2
    if settings.over == "measures":
        comparisons *= len(scores.measures)
    warnings = [reach_warning(settings, scores, comparisons)]
    if scores.weights is not None:
        warnings.append(few_topics_warning(scores.weights))
    run = baseline if isinstance(baseline, int) else 0
    warnings.append(unequal_variances_warning(scores, settings.test, settings.alpha, run))
    return [text for text in warnings if text is not None]


def compare_by_group(
    scores: PairedScores,
    groups: Mapping[str, frozenset[bytes]],
    baseline: int | Sequence[int] | None,
    settings: CompareSettings,
) -> ByGroup:
    """Compare runs as `compare` does in each group that has topics of these scores, and test interactions.

    groups  the topics of each group, by its name
    Raises UsageError for tests of all runs at once, and for a group whose topics all weigh 0.
    """
    _check_no_joint_test(settings)
    rows_of_groups = _rows_of_groups(scores, groups)
    uncorrected_settings = replace(settings, correction="none")
    uncorrected: list[tuple[str, Comparison]] = []
    for group, rows in rows_of_groups.items():
        compared = compare(scores.on_topics(rows), baseline, uncorrected_settings)
        uncorrected += [(group, comparison) for comparison in compared.comparisons]
    p_values = np.array([comparison.p_value for _, comparison in uncorrected], np.float64)
    measures = [comparison.measure for _, comparison in uncorrected]
    corrected = _corrected(p_values, measures, settings).tolist()
    comparisons = []
    for (group, comparison), p_value in zip(uncorrected, corrected, strict=True):
        topics = len(rows_of_groups[group])
        comparisons.append(_of_group(group, topics, comparison, p_value, settings))
    grouped_rows = np.concatenate([np.zeros(0, np.int64), *rows_of_groups.values()])
    overlap = len(np.unique(grouped_rows)) < len(grouped_rows)
    interactions: tuple[Interaction, ...] = ()
    if not overlap and len(rows_of_groups) > 1:
        interactions = tuple(_interactions(scores, rows_of_groups, comparisons, settings))
    return ByGroup(tuple(comparisons), interactions, overlap)


def _check_no_joint_test(settings: CompareSettings) -> None:
    """Raise UsageError for a test of all runs at once, which groups of topics cannot have."""
    if settings.test in JOINT_TESTS:
        raise UsageError(f"--groups goes with tests of two runs, not with --test {settings.test}")


def _rows_of_groups(scores: PairedScores, groups: Mapping[str, frozenset[bytes]]) -> dict[str, IntArray]:
    """Return the indices (n,) of each group's topics in the scores; groups without a topic are left out.

    Raises UsageError for a group whose topics all weigh 0.
    """
    row_of_topic = {topic: row for row, topic in enumerate(scores.topics)}
    rows_of_groups = {}
    for group, topics in groups.items():
        rows = sorted(row_of_topic[topic] for topic in topics if topic in row_of_topic)
        if rows:
            rows_of_groups[group] = np.array(rows, np.int64)
        elif topics & scores.weightless:
            raise UsageError(f"--groups: the topics of group {group} all weigh 0, expected one above 0")
    return rows_of_groups


def _of_group(
    group: str, topics: int, comparison: Comparison, corrected: float, settings: CompareSettings
) -> GroupComparison:
    """Return a comparison over the topics of a group, with its corrected p-value."""
    significant = corrected < settings.alpha
    direction = 0
    if significant:
        direction = comparison.direction
    return GroupComparison(
        measure=comparison.measure,
        group=group,
        topics=topics,
        run=comparison.run,
        other=comparison.other,
        mean=comparison.mean,
        other_mean=comparison.other_mean,
        difference=comparison.difference,
        p_value=comparison.p_value,
        corrected=corrected,
        significant=significant,
        direction=direction,
    )


def _corrected(p_values: FloatArray, measures: Sequence[str], settings: CompareSettings) -> FloatArray:
    """Return corrected p-values (n,): for each measure by itself, or for all measures together.

    p_values  (n,); nan stays nan and does not count as a comparison
    measures  n labels
    """
    corrected = np.full(len(p_values), np.nan)
    families = list(measures)
    if settings.over == "measures":
        families = ["all measures"] * len(measures)
    for family in dict.fromkeys(families):
        members = np.array([name == family for name in families]) & ~np.isnan(p_values)
        corrected[members] = CORRECTIONS[settings.correction](p_values[members])
    return corrected


def _interactions(
    scores: PairedScores,
    rows_of_groups: Mapping[str, IntArray],
    comparisons: Sequence[GroupComparison],
    settings: CompareSettings,
) -> Iterator[Interaction]:
    """Yield for each measure and pair of runs compared the test whether the difference depends on the group.

    rows_of_groups  indices (n,) of each group's topics
    """
    rows = np.concatenate(list(rows_of_groups.values()))
    sizes = [len(rows_of_group) for rows_of_group in rows_of_groups.values()]
    group = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.ones(len(rows)) if scores.weights is None else scores.weights[rows]
    names = list(rows_of_groups)
    interactions = []
    for measure, run, other in dict.fromkeys((row.measure, row.run, row.other) for row in comparisons):
        values = scores.values[scores.measures.index(measure)][:, rows]
        differences = values[scores.runs.index(run)] - values[scores.runs.index(other)]
        means = np.bincount(group, weights=differences) / np.bincount(group, weights=weights)
        interactions.append(
            Interaction(
                measure=measure,
                run=run,
                other=other,
                least=names[int(means.argmin())],
                greatest=names[int(means.argmax())],
                p_value=p_of_interaction(differences, group, settings.samples, settings.seed, weights),
                corrected=np.nan,  # this and the next follow when all p-values are known
                significant=False,
            )
        )
    p_values = np.array([interaction.p_value for interaction in interactions], np.float64)
    measures = [interaction.measure for interaction in interactions]
    corrected = _corrected(p_values, measures, settings).tolist()
    for interaction, p_value in zip(interactions, corrected, strict=True):
        yield replace(interaction, corrected=p_value, significant=p_value < settings.alpha)

"""--if-significant: does a test over the topics confirm that a value got worse?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings, least_p
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.reproducible import DECIMALS, mean_and_deviation
from pres_eval.analysis.significance import NEED_VARIANCE, PairedTest, ends_outside
from pres_eval.analysis.weighting import linearised, weighted_intervals, with_weights
from pres_eval.arrays import FloatArray
from pres_eval.errors import plural
from pres_eval.report.text import equal_or_less, p_text, signed

LEVEL = np.array([CompareSettings.alpha])
"""The significance level of the gate's test, in an array (1,), as functions for many tests take levels."""


class TopicValues(NamedTuple):
    """Values of a measure on T topics, for a test.

    before, now     (T,) values earlier and now, multiplied by the weights if there are any
    less_is_better  whether less of the measure is better
    weights         (T,) of the topics, 1 on average; None: all weigh the same
    """

    before: FloatArray
    now: FloatArray
    less_is_better: bool = False
    weights: FloatArray | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeTest:
    """Result of the test whether the values of one measure and run changed.

    settings     of the test.  The alternative "less" is one-sided: the run is worse, less good than before.
    all_alike    whether all topics changed by the same, so that there is no variance
    topics       number of topics
    p_value      before the correction; nan if the test gives none, as over one topic
    corrected    the p-value corrected for all comparisons, 1 if there is none
    comparisons  number of comparisons that it is corrected for, 0 if the value changed on no topic
    interval     ends of the t interval of the mean change, nan if there is none
    """

    settings: CompareSettings
    all_alike: bool
    topics: int
    p_value: float
    corrected: float
    comparisons: int
    interval: tuple[float, float]

    @property
    def is_significant(self) -> bool:
        """Return whether the run is significantly worse; in a two-sided test: worse or better."""
        return self.corrected < CompareSettings.alpha

    @property
    def why_powerless(self) -> str:
        """Return why no change on so many topics could be significant, in words; empty if one could."""
        test, topics = self.settings.test, plural(self.topics)
        if self.all_alike and math.isnan(self.p_value):
            return f"{test} gives no p to the same change on all of {topics}"
        least = least_p(self.settings, self.topics, max(self.comparisons, 1))
        if least < CompareSettings.alpha:
            return ""
        if math.isnan(least):
            return f"over {topics} {test} gives no p"
        return f"over {topics} {test} gives p {equal_or_less(least)} at least"

    def __str__(self) -> str:
        """Return the test in words: topics, sides, p-value, correction, interval."""
        topics = plural(self.topics)
        if not self.comparisons:
            return f"{topics}, none differs"
        text = f"{self.settings.test} over {topics}"
        if self.all_alike and self.settings.test in NEED_VARIANCE:
            text += ", which all changed by the same"
            if not math.isnan(self.p_value):
                text += " (p of signs)"
        sides = "one-sided (worse)" if self.settings.alternative == "less" else "two-sided"
        text += f", {sides}: p {equal_or_less(self.p_value)}"
        if self.comparisons > 1 and self.settings.correction != "none":
            correction = f"{self.settings.correction} over {self.comparisons} comparisons"
            text += f", {p_text(self.corrected)} by {correction}"
        return text + self._interval_text()

    def _interval_text(self) -> str:
        """Return the interval in words; empty if there is none."""
        if math.isnan(self.interval[0]):
            return ", no interval without variance" if self.all_alike else ""
        low, high = (signed(end) for end in self.interval)
        share_outside = float(ends_outside(LEVEL, self.settings.alternative)[0])
        percent = 100 * (1 - share_outside)
        return f", {percent:.0f} % t interval of the mean change {low} .. {high}"


def confirm(compared: Sequence[TopicValues], settings: CompareSettings) -> list[ChangeTest]:
    """Return the test's result for each of `compared`, the values of a measure and run, corrected for all.

    Values that changed on no topic cannot be significant, and do not count as comparisons.  (This choice does
    not favour either run: to exchange them changes nothing.)
    """
    results = [_uncorrected(values, settings) for values in compared]
    indices = []  # of the results that count as comparisons
    for index, result in enumerate(results):
        changed_on_some_topic = result.comparisons > 0
        if changed_on_some_topic and not math.isnan(result.p_value):
            indices.append(index)
    p_values = np.array([results[index].p_value for index in indices], np.float64)
    corrected_p_values = CORRECTIONS[settings.correction](p_values).tolist()
    for index, corrected in zip(indices, corrected_p_values, strict=True):
        results[index] = replace(results[index], corrected=corrected, comparisons=len(indices))
    return results


def _uncorrected(values: TopicValues, settings: CompareSettings) -> ChangeTest:
    """Return the test's result for the values of one measure and run, not corrected for others yet."""
    changes = (values.now - values.before)[np.newaxis]  # (1, T)
    test = with_weights(settings.test, values.weights)
    improvements = -changes if values.less_is_better else changes
    p_of_worse = _p_of_greater(-improvements, test)
    p_value = p_of_worse
    if settings.alternative != "less":  # two-sided
        p_of_better = _p_of_greater(improvements, test)
        p_value = float(np.minimum(1, 2 * np.minimum(p_of_worse, p_of_better)))
    all_alike = _are_alike(changes, values.weights)
    interval = (math.nan, math.nan)
    if not all_alike:
        outside = ends_outside(LEVEL, settings.alternative)
        lower, upper = weighted_intervals(changes, values.weights, outside)
        interval = (float(lower[0]), float(upper[0]))
    differs_on_some_topic = bool(np.round(changes, DECIMALS).any())
    num_comparisons = 1 if differs_on_some_topic else 0
    return ChangeTest(
        settings=settings,
        all_alike=all_alike,
        topics=len(values.now),
        p_value=p_value,
        corrected=1.0,
        comparisons=num_comparisons,
        interval=interval,
    )


def _are_alike(changes: FloatArray, weights: FloatArray | None) -> bool:
    """Return whether the changes (1, T) of several topics have no variance; False for a single topic.

    weights  (T,) that the changes are multiplied by.  Then the linearised changes decide, whose variance is
             that of the weighted mean.
    """
    deviating = changes if weights is None else linearised(changes, weights)
    _, deviations = mean_and_deviation(deviating)
    return changes.shape[1] > 1 and bool(deviations[0] == 0)


def _p_of_greater(changes: FloatArray, test: PairedTest) -> float:
    """Return the one-sided p-value of changes (1, T), for the alternative that their mean is above 0."""
    return float(test.run(changes, CompareSettings.samples, CompareSettings.seed, greater=True)[0])

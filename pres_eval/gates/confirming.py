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
"""The level of the gate's test."""


class TopicValues(NamedTuple):
    """Values (T,) of a measure on topics, earlier and now, and whether less of it is better.

    weights  (T,) of the topics, which the values are multiplied with; None: they are not
    """

    before: FloatArray
    now: FloatArray
    less_is_better: bool = False
    weights: FloatArray | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeTest:
    """Result of the test of one value.

    settings     the test, one-sided unless the alternative is two-sided
    all_alike    whether all topics changed by the same, so that there is no variance
    topics       number of topics
    p_value      of the value alone, nan where there is none, over one topic
    corrected    the p-value corrected for all comparisons, 1 where there is none
    comparisons  number of comparisons, 0 where no topic differs
    interval     ends of the t interval of the mean change, nan where there is none
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
        """Return whether the value got worse, or changed in a two-sided test, beyond chance."""
        return self.corrected < CompareSettings.alpha

    @property
    def powerless(self) -> str:
        """Return why no values on these topics, or none so similar, can be significant; empty if some can."""
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
        inside = 100 * (1 - float(ends_outside(LEVEL, self.settings.alternative)[0]))
        return f", {inside:.0f} % t interval of the mean change {low} .. {high}"


def confirm(compared: Sequence[TopicValues], settings: CompareSettings) -> list[ChangeTest]:
    """Return the test's result for the values of each measure and run, corrected for all of them.

    Values that are the same on all topics cannot be significant, and are not corrected for: which ones they
    are does not depend on which of the two runs is which.
    """
    results = [_uncorrected(values, settings) for values in compared]
    possible = [
        index for index, result in enumerate(results) if result.comparisons and not math.isnan(result.p_value)
    ]
    p_values = np.array([results[index].p_value for index in possible], np.float64)
    corrected_p_values = CORRECTIONS[settings.correction](p_values).tolist()
    for index, corrected in zip(possible, corrected_p_values, strict=True):
        results[index] = replace(results[index], corrected=corrected, comparisons=len(possible))
    return results


def _uncorrected(values: TopicValues, settings: CompareSettings) -> ChangeTest:
    """Return the test's result for the values of one measure and run, as if there were no others."""
    changes = (values.now - values.before)[np.newaxis]
    deviating = changes if values.weights is None else linearised(changes, values.weights)
    all_alike = len(values.now) > 1 and mean_and_deviation(deviating)[1][0] == 0
    improvements = -changes if values.less_is_better else changes
    test = with_weights(settings.test, values.weights)
    p_of_worse = _p_of_greater(-improvements, test)
    if settings.alternative == "less":
        p_value = p_of_worse
    else:
        p_of_better = _p_of_greater(improvements, test)
        p_value = float(np.minimum(1, 2 * np.minimum(p_of_worse, p_of_better)))
    interval = (math.nan, math.nan)
    if not all_alike:
        outside = ends_outside(LEVEL, settings.alternative)
        lower, upper = weighted_intervals(changes, values.weights, outside)
        interval = (float(lower[0]), float(upper[0]))
    return ChangeTest(
        settings=settings,
        all_alike=all_alike,
        topics=len(values.now),
        p_value=p_value,
        corrected=1.0,
        comparisons=int(np.round(changes, DECIMALS).any()),
        interval=interval,
    )


def _p_of_greater(changes: FloatArray, test: PairedTest) -> float:
    """Return the one-sided p-value of changes (1, T) for a mean above 0."""
    return float(test.run(changes, CompareSettings.samples, CompareSettings.seed, greater=True)[0])

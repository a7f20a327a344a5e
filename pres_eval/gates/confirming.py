"""--if-significant: does a test over the topics confirm that a value got worse?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings, least_p
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.estimates import intervals
from pres_eval.analysis.reproducible import DECIMALS, mean_and_deviation
from pres_eval.analysis.significance import NEED_VARIANCE, PAIRED_TESTS, ends_outside
from pres_eval.arrays import FloatArray
from pres_eval.errors import plural
from pres_eval.report.text import equal_or_less, p_text, signed

LEVEL = np.array([CompareSettings.alpha])
"""The level of the gate's test."""


@dataclass(frozen=True, kw_only=True)
class Tested:
    """Result of the test of one value.

    how          the test, one-sided unless the alternative is two-sided
    alike        whether all topics changed by the same, so that there is no variance
    topics       number of topics
    p_value      of the value alone, nan where there is none, over one topic
    corrected    the p-value corrected for all comparisons, 1 where there is none
    comparisons  number of comparisons, 0 where no topic differs
    interval     ends of the t interval of the mean change, nan where there is none
    """

    how: CompareSettings
    alike: bool
    topics: int
    p_value: float
    corrected: float
    comparisons: int
    interval: tuple[float, float]

    @property
    def powerless(self) -> str:
        """Return why no values on these topics, or none so similar, can be significant; empty if some can."""
        if self.alike and math.isnan(self.p_value):
            return f"{self.how.test} gives no p to the same change on all of {plural(self.topics)}"
        least = least_p(self.how, self.topics, max(self.comparisons, 1))
        if least < CompareSettings.alpha:
            return ""
        p_value = "no p" if math.isnan(least) else f"p {equal_or_less(least)} at least"
        return f"over {plural(self.topics)} {self.how.test} gives {p_value}"

    def __str__(self) -> str:
        """Return the test in words: topics, sides, p-value, correction, interval."""
        topics = plural(self.topics)
        if not self.comparisons:
            return f"{topics}, none differs"
        test = f"{self.how.test} over {topics}"
        if self.alike and self.how.test in NEED_VARIANCE:
            test += ", which all changed by the same" + ("" if math.isnan(self.p_value) else " (p of signs)")
        is_corrected = self.comparisons > 1 and self.how.correction != "none"
        by = f", {p_text(self.corrected)} by {self.how.correction} over {self.comparisons} comparisons"
        sides = "one-sided (worse)" if self.how.alternative == "less" else "two-sided"
        return f"{test}, {sides}: p {equal_or_less(self.p_value)}{by * is_corrected}{self._interval()}"

    def _interval(self) -> str:
        """Return the interval in words; empty if there is none."""
        if math.isnan(self.interval[0]):
            return ", no interval without variance" if self.alike else ""
        low, high = (signed(end) for end in self.interval)
        inside = 100 * (1 - float(ends_outside(LEVEL, self.how.alternative)[0]))
        return f", {inside:.0f} % t interval of the mean change {low} .. {high}"


def confirm(every: Sequence[tuple[FloatArray, FloatArray, int]], how: CompareSettings) -> list[Tested]:
    """Return the test's result for values (T,) earlier and now, with the sign by which more is better.

    Values that are the same on all topics cannot be significant, and are not corrected for: which ones they
    are does not depend on which of the two runs is which.
    """
    found = [_alone(before, now, sign, how) for before, now, sign in every]
    possible = [
        place for place, each in enumerate(found) if each.comparisons and not math.isnan(each.p_value)
    ]
    p_values = np.array([found[place].p_value for place in possible], np.float64)
    for place, corrected in zip(possible, CORRECTIONS[how.correction](p_values).tolist(), strict=True):
        found[place] = replace(found[place], corrected=corrected, comparisons=len(possible))
    return found


def _alone(before: FloatArray, now: FloatArray, sign: int, how: CompareSettings) -> Tested:
    """Return the test's result for values (T,) without any others."""
    changes = (now - before)[np.newaxis]
    alike = len(now) > 1 and mean_and_deviation(changes)[1][0] == 0
    worse, better = (
        float(
            PAIRED_TESTS[how.test].run(signed, CompareSettings.samples, CompareSettings.seed, greater=True)[0]
        )
        for signed in (-sign * changes, sign * changes)
    )
    lower, upper = intervals(changes, ends_outside(LEVEL, how.alternative))
    return Tested(
        how=how,
        alike=alike,
        topics=len(now),
        p_value=worse if how.alternative == "less" else float(np.minimum(1, 2 * np.minimum(worse, better))),
        corrected=1.0,
        comparisons=int(np.round(changes, DECIMALS).any()),
        interval=(math.nan, math.nan) if alike else (float(lower[0]), float(upper[0])),
    )

"""--against: is each run as good as in an earlier evaluation?

A fall is a change for the worse: of measures of which less is better, a rise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.arrays import FloatArray
from pres_eval.cli.gates.confirming import ChangeTest, TopicValues, confirm
from pres_eval.cli.gates.counterparts import AGAINST, Counterparts
from pres_eval.cli.gates.findings import GateFinding, Verdict, run_name, six_digits
from pres_eval.cli.gates.tolerances import Allowance, Tolerance
from pres_eval.errors import InputError, plural
from pres_eval.measures.base import Format, Trait
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.records import Record
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun

LARGEST_RELATIVE_CHANGE = 1e8
"""Largest relative change by which findings are sorted: larger ones, and those to nan, count as this."""

SUMMARY_SIZE = 1e9
"""Added to the size of findings about values over all topics: so all of them come before single topics."""

WIDE_ALLOWANCE = 0.5
"""Largest fall that may be allowed without a warning, of a measure between 0 and 1: half of its range."""


@dataclass(frozen=True, kw_only=True)
class EarlierEvaluation:
    """`--against FILE` and its options.

    path            of the file
    record          its content
    tolerance       how far values may fall
    topics          whether single topics are compared as well (--against-topics)
    confirmation    settings of the test that has to confirm a fall (--if-significant), None without a test
    match           how runs are matched, a name of MATCHES
    allow_unmatched           whether runs that only one of the evaluations has are no failure
    allow_changed_judgements  whether other judgements than those of the file are no failure
    """

    path: str
    record: Record
    tolerance: Tolerance = field(default_factory=Tolerance)
    topics: bool = False
    confirmation: CompareSettings | None = None
    match: str = "auto"
    allow_unmatched: bool = False
    allow_changed_judgements: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """One value of a run, earlier and now.

    run      the run now
    column   the measure
    where    over which topics, or of which topic, in words
    before   the value earlier
    now      the value now
    allowed  how far it may fall
    topic    the topic, None for a value over topics
    values   the values of the topics earlier and now, for a test; None if no test can be about the value
    tested   the result of the test, None if there was none
    """

    run: ScoredRun
    column: SelectedColumn
    where: str
    before: float
    now: float
    allowed: Allowance
    topic: bytes | None = None
    values: TopicValues | None = None
    tested: ChangeTest | None = None

    @property
    def is_worse(self) -> bool:
        """Return whether it got worse by more than is allowed, and significantly, if there was a test."""
        if not _is_worse(self.before, self.now, self.allowed, self.column.measure.less_is_better):
            return False
        return self.tested is None or self.tested.is_significant

    @property
    def may_hide_any_fall(self) -> bool:
        """Return whether the value may fall to 0, or by more than half of the measure's range.

        Where less is better only the latter is asked, as such values rise.
        """
        if not math.isfinite(self.before):
            return False
        measure = self.column.measure
        largest_fall = float(self.allowed.largest_fall(self.before))
        may_fall_to_0 = self.before > 0 and largest_fall >= self.before
        if may_fall_to_0 and not measure.less_is_better:
            return True
        return Trait.BOUNDED in measure.traits and largest_fall > WIDE_ALLOWANCE

    def finding(self) -> GateFinding:
        """Return the gate's finding: a failure if the value is worse.

        The result of a test is reported also if the value passes, as a note.
        """
        value = f"{self.column.label}, {self.where}"
        message = f"{value}: {self._movement_text()}, {self.allowed} allowed"
        if self.tested is not None:
            message += f"; {self.tested}"
        if self.is_worse:
            verdict = Verdict.FAILED
        elif self.tested is not None:
            verdict = Verdict.NOTE
        else:
            verdict = Verdict.PASSED
        return GateFinding(
            gate=AGAINST,
            message=f"{message}, run {run_name(self.run)}",
            path=self.run.path,
            measure=self.column.label,
            size=self._size(),
            verdict=verdict,
            checked=f"{value}, run {run_name(self.run)}",
        )

    def _movement_text(self) -> str:
        """Return from where to where the value moved, in words."""
        # The format of a measure is that of its value over all topics, such as a count for a sum.
        kind = self.column.measure.format if self.topic is None else Format.FLOAT
        before = six_digits(self.before, kind, other=self.now)
        if self.now == self.before:
            return f"stayed at {before}"
        if math.isnan(self.now):
            return f"is nan, was {before}"
        verb = "rose" if self.now > self.before else "fell"
        now = six_digits(self.now, kind, other=self.before)
        change = six_digits(float(abs(_difference(self.before, self.now))), kind, other=0.0)
        return f"{verb} from {before} to {now}, by {change}"

    def _size(self) -> float:
        """Return what findings are sorted by: values over all topics first, then by the relative change.

        From 0 the change itself counts.
        """
        change = abs(self.now - self.before)
        if self.before != 0:
            change /= abs(self.before)
        if math.isnan(change) or change > LARGEST_RELATIVE_CHANGE:
            change = LARGEST_RELATIVE_CHANGE
        if self.topic is None:
            return change + SUMMARY_SIZE
        return change


def changes(runs: Counterparts, earlier: EarlierEvaluation, tolerance: Tolerance) -> Iterator[Change]:
    """Yield the change of each measure over the topics of both runs.

    With earlier.topics the changes of single topics that got worse follow that of the measure.  Measures that
    only one of the evaluations has, and those that tell nothing of quality, such as num_ret, are left out.

    runs       a run now and its counterpart earlier
    tolerance  earlier.tolerance with the measures that its names mean, as `check_tolerance` returns it
    Raises InputError for an earlier value that is nan, with which nothing can be compared.
    """
    if not runs.topics:
        return
    new, old = runs.now.evaluation, runs.before.evaluation
    new_index_of_label = {column.label: index for index, column in enumerate(new.columns)}
    where = "all" if runs.same_topics else f"{plural(len(runs.topics))} in both"
    for old_index, column in enumerate(old.columns):
        new_index = new_index_of_label.get(column.label)
        if new_index is None or not column.measure.tells_quality:
            continue
        old_values, new_values = runs.values(old, old_index), runs.values(new, new_index)
        change = Change(
            run=new,
            column=column,
            where=where,
            before=runs.summary(old, old_index),
            now=runs.summary(new, new_index),
            allowed=tolerance.allowance(column.label),
            values=_testable_values(runs, column, old_values, new_values),
        )
        _check_earlier_value(change, earlier, old)
        yield change
        if earlier.topics and column.measure.per_topic:
            yield from _worse_topics(runs, change, earlier, old_values, new_values)


def _testable_values(
    runs: Counterparts, column: SelectedColumn, before: FloatArray, now: FloatArray
) -> TopicValues | None:
    """Return the values for a test over topics; None if topics have no values, or these are not all finite.

    before, now  (T,) values of the column on the topics of `runs`; those of weight 0 do not count
    """
    weighted_before, weighted_now = runs.weighted(before), runs.weighted(now)
    if not column.measure.per_topic or not np.isfinite([weighted_before, weighted_now]).all():
        return None
    return TopicValues(
        before=weighted_before,
        now=weighted_now,
        less_is_better=column.measure.less_is_better,
        weights=runs.weights_for_tests(),
    )


def _worse_topics(
    runs: Counterparts, change: Change, earlier: EarlierEvaluation, before: FloatArray, now: FloatArray
) -> Iterator[Change]:
    """Yield the change on each topic on which a measure got worse by more than is allowed over all topics.

    change       of the measure over all topics
    before, now  (T,) its values on the topics
    """
    less_is_better = change.column.measure.less_is_better
    for topic, value_before, value_now in zip(runs.topics, before.tolist(), now.tolist(), strict=True):
        of_topic = replace(
            change,
            where=f"topic {text_of(topic)}",
            before=value_before,
            now=value_now,
            topic=topic,
            values=None,
        )
        _check_earlier_value(of_topic, earlier, runs.before.evaluation)
        if _is_worse(value_before, value_now, change.allowed, less_is_better):
            yield of_topic


def _check_earlier_value(change: Change, earlier: EarlierEvaluation, run: ScoredRun) -> None:
    """Raise InputError for an earlier value that is nan; `run` is the run earlier."""
    if math.isnan(change.before):
        raise InputError(
            earlier.path,
            None,
            f"{change.column.label}, {change.where}, of run {run_name(run)} is no number",
            "values that can be compared",
            "make the baseline again, or leave the measure out",
        )


def with_tests(changed: Sequence[Change], settings: CompareSettings) -> list[Change]:
    """Return the changes in the same order, with the test's result for each that has values for a test."""
    values_of_topics = [change.values for change in changed if change.values is not None]
    results = iter(confirm(values_of_topics, settings))
    with_results = []
    for change in changed:
        if change.values is None:
            with_results.append(change)
        else:
            with_results.append(replace(change, tested=next(results)))
    return with_results


def warnings_of_changes(changed: Sequence[Change]) -> Iterator[GateFinding]:
    """Yield warnings of measures that are better for a shorter run, and of tolerances that hide any fall."""
    better_for_less = []
    hiding_any_fall = []
    for change in changed:
        if change.column.measure.rewards_giving_up and change.before != change.now:
            better_for_less.append(change)
        if change.may_hide_any_fall:
            hiding_any_fall.append(change)
    yield from _warnings_by_run(
        better_for_less,
        after=": better for a run that retrieves less; compare runs of one depth (-M), or look at -m num_ret"
        " too",
    )
    yield from _warnings_by_run(
        hiding_any_fall,
        "--tolerance allows a fall as large as the earlier value, or over half of what a measure can be: ",
    )


def warnings_of_tests(changed: Sequence[Change]) -> Iterator[GateFinding]:
    """Yield warnings of values that no test could find worse, by reason, and of those without a test."""
    by_reason: dict[str, list[Change]] = {}
    for change in changed:
        if change.tested is not None and change.tested.why_powerless:
            by_reason.setdefault(change.tested.why_powerless, []).append(change)
    for reason, powerless in by_reason.items():
        yield from _warnings_by_run(powerless, "--if-significant cannot fail by ", f": {reason}")
    yield from _warnings_by_run(
        [change for change in changed if change.tested is None],
        "--if-significant does not test ",
        ", as it is no finite mean over topics: any fall that is not allowed fails",
    )


def _warnings_by_run(changed: Sequence[Change], before: str = "", after: str = "") -> Iterator[GateFinding]:
    """Yield one warning for each run that has some of the changes over topics; single topics do not count.

    before, after  the text of the warning before and after the labels of the run's changed measures
    """
    changes_of_run: dict[str, list[Change]] = {}  # by name: a run over a group of topics is the same run
    for change in changed:
        if change.topic is None:
            changes_of_run.setdefault(run_name(change.run), []).append(change)
    for name, of_run in changes_of_run.items():
        labels = dict.fromkeys(change.column.label for change in of_run)
        yield GateFinding(
            gate=AGAINST,
            message=f"{before}{', '.join(labels)}{after}, run {name}",
            path=of_run[0].run.path,
            verdict=Verdict.WARNING,
        )


def _is_worse(before: float, now: float, allowed: Allowance, less_is_better: bool) -> bool:
    """Return whether a value got worse by more than is allowed, or became nan."""
    if math.isnan(now):
        return True
    if math.isinf(before) or math.isinf(now):  # no allowance reaches that far
        return now > before if less_is_better else now < before
    fall = -_difference(before, now)
    if less_is_better:
        fall = -fall
    return fall > allowed.largest_fall(before)


def _difference(before: float, now: float) -> Decimal:
    """Return how far a value rose, by the shortest decimals of the doubles: 0.5 - 0.499 is 0.001 then."""
    return Decimal(repr(now)) - Decimal(repr(before))

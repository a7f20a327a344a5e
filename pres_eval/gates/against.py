"""--against: is each run as good as it was in an earlier evaluation?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.arrays import FloatArray
from pres_eval.errors import plural
from pres_eval.gates.confirming import Tested, confirm
from pres_eval.gates.counterparts import GATE, Counterparts
from pres_eval.gates.findings import GateFinding, Verdict, run_name, six_digits
from pres_eval.gates.tolerance import Allowance, Tolerance
from pres_eval.measures.base import Format, Trait
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.records import Record
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """`--against FILE` and its options.

    path            the file
    record          its content
    tolerance       how far values may fall
    topics          whether single topics are compared as well (--against-topics)
    confirmation    how falls are confirmed if only those count that are (--if-significant)
    match           how runs are matched, a name of MATCHES
    allow_unmatched whether runs that only one of the evaluations has are no failure
    """

    path: str
    record: Record
    tolerance: Tolerance = field(default_factory=Tolerance)
    topics: bool = False
    confirmation: CompareSettings | None = None
    match: str = "auto"
    allow_unmatched: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """One value then and now.

    where    over which topics, or the topic
    allowed  how far it may fall
    topic    the topic, None for a value over topics
    values   (T,) earlier and now on the topics, of a value that a test may be asked about
    tested   the result of the test, None where there was none
    """

    run: ScoredRun
    column: SelectedColumn
    where: str
    before: float
    now: float
    allowed: Allowance
    topic: bytes | None = None
    values: tuple[FloatArray, FloatArray] | None = None
    tested: Tested | None = None

    @property
    def worse(self) -> bool:
        """Return whether it got worse by more than is allowed, and significantly, if a test is wanted."""
        beyond = is_worse(self.before, self.now, self.allowed, self.column.measure.less_is_better)
        return beyond and (self.tested is None or self.tested.corrected < CompareSettings.alpha)

    @property
    def cannot_fail(self) -> bool:
        """Return whether the allowance is the whole earlier value, or half of the measure's range."""
        allowed = float(self.allowed.of(self.before)) if math.isfinite(self.before) else 0.0
        falls = allowed >= self.before > 0 and not self.column.measure.less_is_better
        return falls or (Trait.BOUNDED in self.column.measure.traits and allowed > 0.5)

    def finding(self) -> GateFinding:
        """Return the gate's finding about it."""
        kind = self.column.measure.format if self.topic is None else Format.FLOAT
        old, new = six_digits(self.before, kind, self.now), six_digits(self.now, kind, self.before)
        change = abs(self.now - self.before)
        verb = "rose" if self.now > self.before else "fell"
        by = f"{verb} from {old} to {new}, by {six_digits(change, kind, 0.0)}"
        moved = f"stayed at {old}" if change == 0 else by
        test = "" if self.tested is None else f"; {self.tested}"
        size = change / abs(self.before) if self.before else change
        checked = f"{self.column.label}, {self.where}"
        told = Verdict.PASSED if self.tested is None else Verdict.NOTE
        return GateFinding(
            gate=GATE,
            message=f"{checked}: {moved}, {self.allowed} allowed{test}, run {run_name(self.run)}",
            path=self.run.path,
            measure=self.column.label,
            # The values over all topics come before those of single ones.
            size=(1e9 if self.topic is None else 0.0) + (1e8 if math.isnan(size) else min(size, 1e8)),
            verdict=Verdict.FAILED if self.worse else told,
            checked=f"{checked}, run {run_name(self.run)}",
        )


def changes(runs: Counterparts, earlier: Earlier, tolerance: Tolerance) -> Iterator[Change]:
    """Yield every measure then and now, over the topics of both, and each topic that got worse if wanted."""
    new, old = runs.now.evaluation, runs.before.evaluation
    places = {column.label: place for place, column in enumerate(new.columns)}
    for old_place, column in enumerate(old.columns):
        if not (runs.topics and column.measure.tells_quality and column.label in places):
            continue
        place, of_topics = places[column.label], column.measure.per_topic
        before, after = runs.values(old, old_place), runs.values(new, place)
        testable = of_topics and np.isfinite([before, after]).all()
        change = Change(
            run=new,
            column=column,
            where="all" if runs.same_topics else f"{plural(len(runs.topics))} in both",
            before=runs.summary(old, old_place),
            now=runs.summary(new, place),
            allowed=tolerance.of(column.label),
            values=(runs.tested(before), runs.tested(after)) if testable else None,
        )
        yield change
        if earlier.topics and of_topics:
            for topic, first, second in zip(runs.topics, before.tolist(), after.tolist(), strict=True):
                if is_worse(first, second, change.allowed, column.measure.less_is_better):
                    yield replace(
                        change,
                        where=f"topic {text_of(topic)}",
                        before=first,
                        now=second,
                        topic=topic,
                        values=None,
                    )


def confirmed(changed: Sequence[Change], how: CompareSettings) -> list[Change]:
    """Return the changes, with the results of the test for those that it applies to."""
    values = [
        (*change.values, -1 if change.column.measure.less_is_better else 1)
        for change in changed
        if change.values is not None
    ]
    said = iter(confirm(values, how))
    return [change if change.values is None else replace(change, tested=next(said)) for change in changed]


def powerless(changed: Sequence[Change]) -> Iterator[GateFinding]:
    """Yield a warning for each run and each reason for which no fall could be significant."""
    reasons = dict.fromkeys(change.tested.powerless for change in changed if change.tested is not None)
    for reason in filter(None, reasons):
        of_reason = [each for each in changed if each.tested is not None and each.tested.powerless == reason]
        yield from named(of_reason, f"--if-significant cannot fail by {{}}: {reason}")


def named(changed: Sequence[Change], said: str) -> Iterator[GateFinding]:
    """Yield a warning for each run that has such values over topics; {} in the text is their list."""
    for run in dict.fromkeys(change.run for change in changed):
        labels = [one.column.label for one in changed if one.run is run and one.topic is None]
        if labels:
            yield GateFinding(
                gate=GATE,
                message=f"{said.format(', '.join(labels))}, run {run_name(run)}",
                path=run.path,
                verdict=Verdict.WARNING,
            )


def is_worse(before: float, now: float, allowed: Allowance, less_is_better: bool) -> bool:
    """Return whether a value got worse by more than is allowed, or became nan."""
    if math.isnan(now) or math.isnan(before):
        return math.isnan(now) and not math.isnan(before)
    if math.isinf(before) or math.isinf(now):
        return now > before if less_is_better else now < before
    # 0.5 - 0.499 is more than 0.001 in doubles: what was printed is compared, in decimals.
    fall = Decimal(repr(before)) - Decimal(repr(now))
    return (-fall if less_is_better else fall) > allowed.of(before)

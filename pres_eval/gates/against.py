"""--against and --tolerance: is each run as good as in an earlier evaluation, and how far may values fall?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.arrays import FloatArray
from pres_eval.errors import UsageError, decimal_comma, plural
from pres_eval.gates.confirming import Tested, confirm
from pres_eval.gates.counterparts import GATE, Counterparts
from pres_eval.gates.findings import GateFinding, Verdict, run_name, six_digits
from pres_eval.measures.base import Format, Trait
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.groups import known_label, split_label
from pres_eval.report.records import Record
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun


@dataclass(frozen=True)
class Allowance:
    """Allowance for one value: it may fall by `0.01`, or by `1%` of the earlier value.

    number    of an absolute allowance the number itself, of a relative one the share, 0.01
    relative  whether it is a share of the earlier value
    """

    number: Decimal = Decimal(0)
    relative: bool = False

    def __str__(self) -> str:
        return f"{(self.number * 100).normalize():f}%" if self.relative else f"{self.number:f}"

    def of(self, before: float) -> Decimal:
        """Return how far a value may fall that was `before`, a finite number."""
        return abs(Decimal(repr(before))) * self.number if self.relative else self.number


@dataclass(frozen=True)
class Tolerance:
    """`--tolerance`: how far values may fall, for all measures and for some of them."""

    usual: Allowance = Allowance()
    by_label: dict[str, Allowance] = field(default_factory=dict)

    def of(self, label: str) -> Allowance:
        """Return how far the column may fall."""
        return self.by_label.get(label, self.by_label.get(split_label(label)[0], self.usual))


_NUMBER = r"\s*(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?\s*(%?)\s*"

_COMMA = r",(?![^(\[]*[)\]])"
"""A comma between two tolerances: one in brackets is part of a label, such as map(bound=least,max_rel=3)."""

_NAMED_COMMA = r"([^,=]*)=\s*\d+,\d+%?(,|$)"
"""A whole number of a measure and one of all measures behind it, as nobody means it: map=0,01."""


def read_tolerance(text: str) -> Tolerance:
    """Return the tolerance of `0.01`, `1%`, `map=0.005,PRES_100=1%`, or both: `0.01,map=1%`.

    Commas in the brackets of a label, those of settings or of a group, are part of it.

    Raises UsageError for anything else, and for two numbers of the same measure or of all measures, which
    are most likely one number with a decimal comma.
    """
    found: dict[str, Allowance] = {}
    comma = re.search(_NAMED_COMMA, text)
    for part in re.split(_COMMA, text):
        label, equals, number = (piece.strip() for piece in part.rpartition("="))
        match = re.fullmatch(_NUMBER, number, re.ASCII)
        if match is None or (equals and not label):
            raise UsageError(
                f"--tolerance {text}: found {part!r}, expected a number of at least 0, a percentage,"
                f" or NAME=NUMBER{decimal_comma(text)}"
            )
        if comma or label in found:
            twice = (comma[1].strip() if comma else label) or "all measures"
            raise UsageError(
                f"--tolerance {text}: found two numbers for {twice}, expected one{decimal_comma(text)}"
            )
        value = Decimal(match[1] + (match[2] or ""))
        found[label] = Allowance(value / 100, relative=True) if match[3] else Allowance(value)
    return Tolerance(found.pop("", Allowance()), found)


def check_tolerance(tolerance: Tolerance, evaluations: Sequence[ScoredRun]) -> Tolerance:
    """Return the tolerance with the labels of columns.

    Raises UsageError for a column that is not there, and for a tolerance that lets any value of a column
    pass.
    """
    columns = {column.label: column for run in evaluations for column in run.columns}
    known = {
        known_label("--tolerance", name, list(columns)): value for name, value in tolerance.by_label.items()
    }
    checked = Tolerance(tolerance.usual, known)
    for label, column in columns.items():
        allowed = checked.of(label)
        measure = column.measure
        bounded = Trait.BOUNDED in measure.traits and not (allowed.relative and measure.less_is_better)
        if measure.tells_quality and bounded and allowed.number >= 1:
            name = f"{label}=" if label in known else ""
            advice = "below 100%" if allowed.relative else f"below 1, or a percentage: {name}{allowed}%"
            raise UsageError(
                f"--tolerance {name}{allowed}: {label} lies between 0 and 1, so this allows any value;"
                f" expected a tolerance {advice}"
            )
    return checked


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
        beyond = _is_worse(self.before, self.now, self.allowed, self.column.measure.less_is_better)
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
                if _is_worse(first, second, change.allowed, column.measure.less_is_better):
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


def _is_worse(before: float, now: float, allowed: Allowance, less_is_better: bool) -> bool:
    """Return whether a value got worse by more than is allowed, or became nan."""
    if math.isnan(now) or math.isnan(before):
        return math.isnan(now) and not math.isnan(before)
    if math.isinf(before) or math.isinf(now):
        return now > before if less_is_better else now < before
    # 0.5 - 0.499 is more than 0.001 in doubles: what was printed is compared, in decimals.
    fall = Decimal(repr(before)) - Decimal(repr(now))
    return (-fall if less_is_better else fall) > allowed.of(before)

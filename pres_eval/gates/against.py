"""--against: is each run as good as it was in an earlier evaluation?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal

import numpy as np

from pres_eval.analysis.compare_settings import Settings
from pres_eval.analysis.effects import favoured
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import FloatArray
from pres_eval.gates.counterparts import Counterparts
from pres_eval.gates.findings import Finding, run_name, six_digits
from pres_eval.gates.tolerance import Allowance, Tolerance
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.report.records import Record, RunRecord
from pres_eval.report.text import p_text, text_of
from pres_eval.scoring import Evaluation

GATE = "--against"
TESTS = tuple(PAIRED_TESTS)
"""The tests of --if-significant, those of `compare` for two runs; the first is the default of both."""

LETTERS = {
    "compat": "--compat",
    "relevance_level": "-l",
    "max_retrieved": "-M",
    "judged_only": "-J",
    "complete": "-c",
    "num_docs_in_coll": "-N",
    "only_topic": "-D",
    "ties": "--ties",
    "duplicates": "--duplicates",
}
"""The option that sets each field of Options."""


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """`--against FILE` and what goes with it.

    path            the file
    record          what it holds
    tolerance       how far values may fall
    topics          whether single topics are compared as well (--against-topics)
    if_significant  whether a fall counts only if a test over the topics confirms it
    test            that test, a name of TESTS
    match           how runs are matched, a name of MATCHES
    allow_unmatched whether runs that only one of the evaluations has are no failure
    """

    path: str
    record: Record
    tolerance: Tolerance = field(default_factory=Tolerance)
    topics: bool = False
    if_significant: bool = False
    test: str = TESTS[0]
    match: str = "auto"
    allow_unmatched: bool = False


@dataclass(frozen=True, kw_only=True)
class Change:
    """One value then and now.

    topic    the topic, None for a value over topics
    where    the same in words: over which topics
    allowed  how far it may fall
    worse    whether it got worse by more than the tolerance, and by a test where that was asked for
    p_value  of the test, None where there was none
    """

    run: Evaluation
    column: SelectedColumn
    where: str
    before: float
    now: float
    allowed: Allowance
    worse: bool
    topic: bytes | None = None
    p_value: float | None = None

    def finding(self) -> Finding:
        """The change as what the gate found."""
        kind = self.column.measure.format if self.topic is None else Format.FLOAT
        old, new = six_digits(self.before, kind, self.now), six_digits(self.now, kind, self.before)
        verb = "rose" if self.now > self.before else "fell"
        allowed = f", {self.allowed} allowed" if self.allowed.number else ""
        test = "" if self.p_value is None else f", p {_equal_or_less(self.p_value)}"
        change = abs(self.now - self.before)
        size = change / abs(self.before) if self.before else change
        return Finding(
            gate=GATE,
            message=f"{self.column.label}, {self.where}: {verb} from {old} to {new}{allowed}{test},"
            f" run {run_name(self.run)}",
            path=self.run.path,
            measure=self.column.label,
            # The values over all topics come before those of single ones.
            size=(1e9 if self.topic is None else 0.0) + (1e8 if math.isnan(size) else min(size, 1e8)),
        )


def _equal_or_less(p_value: float) -> str:
    text = p_text(p_value)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def mismatches(now: Record, earlier: Earlier) -> Iterator[Finding]:
    """What makes the numbers of the two evaluations other numbers: options, formats, judgements."""
    path = now.runs[0].evaluation.path if now.runs else earlier.path
    differing = [*_options_that_differ(now.options, earlier.record.options)]
    if now.relevance_format != earlier.record.relevance_format:
        differing.append(f"-R {earlier.record.relevance_format} (now {now.relevance_format})")
    if differing:
        yield Finding(
            gate=GATE,
            message=f"{text_of(earlier.path)} was made with other options: {', '.join(differing)};"
            " its values cannot be compared",
            path=path,
        )
    old, new = earlier.record.qrels, now.qrels
    if old.sha256 and new.sha256 and old.sha256 != new.sha256:
        yield Finding(
            gate=GATE,
            message=f"{text_of(earlier.path)} was made with other judgements: {text_of(old.path)} is not the"
            f" file that {text_of(new.path)} is (SHA-256)",
            path=path,
            fails=False,
        )


def _options_that_differ(now: Options, earlier: Options) -> Iterator[str]:
    new = asdict(now)
    for name, old in asdict(earlier).items():
        if old != new[name]:
            yield f"{LETTERS[name]} {_value(old)} (now {_value(new[name])})"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else text_of(value) if isinstance(value, bytes) else str(value)


def unmatched(new: Sequence[RunRecord], gone: Sequence[RunRecord], earlier: Earlier) -> Iterator[Finding]:
    """Yield a finding for each run that is in one of the two evaluations alone."""
    name, advice = (
        text_of(earlier.path),
        "" if earlier.allow_unmatched else " (--allow-unmatched lets this pass)",
    )
    for runs, where in ((new, f"not in {name}"), (gone, f"not evaluated now, but in {name}")):
        for run in runs:
            yield Finding(
                gate=GATE,
                message=f"run {run_name(run.evaluation)}: {where}{advice}",
                path=run.evaluation.path if runs is new else earlier.path,
                fails=not earlier.allow_unmatched,
            )


def not_comparable(runs: Counterparts) -> Iterator[Finding]:
    """Yield what the two runs do not share: topics and measures."""
    new, old = runs.now.evaluation, runs.before.evaluation
    for topics, what, fails in (
        (runs.gone, "earlier, not now", True), (runs.added, "now, not earlier", False),
    ):  # fmt: skip
        if topics:
            such = f"(such as {text_of(topics[0])}), run {run_name(new)}"
            yield Finding(
                gate=GATE,
                message=f"{plural(len(topics))} evaluated {what} {such}",
                path=new.path,
                fails=fails,
            )
    if not runs.topics:
        yield Finding(gate=GATE, message=f"no topic in both evaluations, run {run_name(new)}", path=new.path)
    labels = new.labels
    lost = [
        column.label for column in old.columns if column.measure.tells_quality and column.label not in labels
    ]
    if lost:
        yield Finding(
            gate=GATE,
            message=f"{', '.join(lost)}: computed earlier, not now (-m), run {run_name(new)}",
            path=new.path,
        )


def changes(runs: Counterparts, earlier: Earlier, tolerance: Tolerance) -> Iterator[Change]:
    """Yield every measure then and now, over the topics of both, and each topic that got worse if wanted."""
    new, old = runs.now.evaluation, runs.before.evaluation
    places = {column.label: place for place, column in enumerate(new.columns)}
    for old_place, column in enumerate(old.columns):
        if not (runs.topics and column.measure.tells_quality and column.label in places):
            continue
        place, allowed = places[column.label], tolerance.of(column.label)
        less_is_better = column.measure.less_is_better
        before, after = runs.values(old, old_place), runs.values(new, place)
        first, second = runs.summary(old, old_place), runs.summary(new, place)
        worse = is_worse(first, second, allowed, less_is_better)
        p_value = None
        if worse and earlier.if_significant and column.measure.per_topic and not math.isnan(second):
            p_value = _chance_of_a_fall(before, after, earlier.test, less_is_better)
            worse = p_value < Settings.alpha
        where = "all" if runs.same_topics else f"{plural(len(runs.topics))} in both"
        yield Change(
            run=new, column=column, where=where, before=first, now=second, allowed=allowed, worse=worse,
            p_value=p_value,
        )  # fmt: skip
        if earlier.topics and column.measure.per_topic:
            for topic, first, second in zip(runs.topics, before.tolist(), after.tolist(), strict=True):
                if is_worse(first, second, allowed, less_is_better):
                    yield Change(
                        run=new, column=column, where=f"topic {text_of(topic)}", topic=topic, before=first,
                        now=second, allowed=allowed, worse=True,
                    )  # fmt: skip


def _chance_of_a_fall(before: FloatArray, after: FloatArray, test: str, less_is_better: bool) -> float:
    """The p-value of `compare` for two runs over the topics; 1 if the test favours what is there now.

    A test on ranks or signs may contradict the means: then it confirms nothing.
    """
    rise = (before - after if less_is_better else after - before)[np.newaxis]
    if favoured(rise, test)[0] > 0:
        return 1.0
    return float(PAIRED_TESTS[test].two_sided(rise, Settings.samples, Settings.seed)[0])


def is_worse(before: float, now: float, allowed: Allowance, less_is_better: bool) -> bool:
    """Whether a value got worse by more than is allowed, or became nan."""
    if math.isnan(now) or math.isnan(before):
        return math.isnan(now) and not math.isnan(before)
    if math.isinf(before) or math.isinf(now):
        return now > before if less_is_better else now < before
    # 0.5 - 0.499 is more than 0.001 in doubles: what was printed is compared, in decimals.
    fall = Decimal(repr(before)) - Decimal(repr(now))
    return (-fall if less_is_better else fall) > allowed.of(before)

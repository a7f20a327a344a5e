"""--against: is each run as good as it was in an earlier evaluation?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal

import numpy as np

from pres_eval.analysis.compare_settings import Settings
from pres_eval.analysis.effects import favoured
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import FloatArray
from pres_eval.errors import UsageError
from pres_eval.gates.findings import Finding, run_name, six_digits
from pres_eval.gates.tolerance import Tolerance
from pres_eval.measures.base import Format
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.report.records import Record
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
    """

    path: str
    record: Record
    tolerance: Tolerance = field(default_factory=Tolerance)
    topics: bool = False
    if_significant: bool = False
    test: str = TESTS[0]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One value then and now.

    topic    the topic, None for the value over all of them
    worse    whether it got worse by more than the tolerance, and by a test where that was asked for
    p_value  of the test, None where there was none
    """

    run: Evaluation
    column: SelectedColumn
    topic: bytes | None
    before: float
    now: float
    tolerance: float
    worse: bool
    p_value: float | None = None

    def finding(self) -> Finding:
        """The change as what the gate found."""
        kind = self.column.measure.format if self.topic is None else Format.FLOAT
        old, new = six_digits(self.before, kind, self.now), six_digits(self.now, kind, self.before)
        verb = "rose" if self.now > self.before else "fell"
        where = "all" if self.topic is None else f"topic {text_of(self.topic)}"
        allowed = f", {self.tolerance!r} allowed" if self.tolerance else ""
        test = "" if self.p_value is None else f", p {_equal_or_less(self.p_value)}"
        change = abs(self.now - self.before)
        size = change / abs(self.before) if self.before else change
        return Finding(
            gate=GATE,
            message=f"{self.column.label}, {where}: {verb} from {old} to {new}{allowed}{test},"
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


def counterparts(
    evaluations: Sequence[Evaluation], earlier: Earlier
) -> Iterator[tuple[Evaluation, Evaluation]]:
    """Each run with its earlier evaluation: the same tag, else the same file, else the only one.

    Raises UsageError for a run that has none.
    """
    before = [run.evaluation for run in earlier.record.runs]
    old_tags, new_tags = Counter(old.tag for old in before), Counter(new.tag for new in evaluations)
    by_tag = {old.tag: old for old in before if old_tags[old.tag] == 1 == new_tags[old.tag]}
    by_path = {old.path: old for old in before}
    for new in evaluations:
        old = by_tag.get(new.tag) or by_path.get(new.path)
        if old is None and len(evaluations) == len(before) == 1:
            old = before[0]
        if old is None:
            tags = ", ".join(text_of(old.tag) for old in before)
            raise UsageError(f"{GATE} {earlier.path}: no run {run_name(new)} in it, there are {tags}")
        yield new, old


def not_comparable(new: Evaluation, old: Evaluation, earlier: Earlier) -> Iterator[Finding]:
    """Topics and measures of the earlier evaluation that are not there now."""
    gone = sorted(set(old.topics) - set(new.topics))
    added = sorted(set(new.topics) - set(old.topics))
    for topics, what, fails in ((gone, "earlier, not now", True), (added, "now, not earlier", False)):
        if topics:
            such = f"(such as {text_of(topics[0])}), run {run_name(new)}"
            yield Finding(
                gate=GATE,
                message=f"{plural(len(topics))} evaluated {what} {such}",
                path=new.path,
                fails=fails,
            )
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


def changes(new: Evaluation, old: Evaluation, earlier: Earlier, tolerance: Tolerance) -> Iterator[Change]:
    """Every measure then and now; with --against-topics also each topic that got worse."""
    places = {topic: place for place, topic in enumerate(new.topics)}
    topics = [topic for topic in old.topics if topic in places]
    common = np.array([topic in places for topic in old.topics], np.bool_)
    now = np.array([places[topic] for topic in topics], np.int64)
    labels = {column.label: place for place, column in enumerate(new.columns)}
    for column, old_values, old_summary in zip(old.columns, old.values, old.summary, strict=True):
        if not column.measure.tells_quality or column.label not in labels:
            continue
        place, allowed = labels[column.label], tolerance.of(column.label)
        less_is_better = column.measure.less_is_better
        before, after = np.asarray(old_values)[common], np.asarray(new.values[place])[now]
        first, second = _as_float(old_summary), _as_float(new.summary[place])
        worse = bool(list(_worse(np.array([first]), np.array([second]), allowed, less_is_better)))
        p_value = None
        if worse and earlier.if_significant and column.measure.per_topic and not math.isnan(second):
            p_value = _chance_of_a_fall(before, after, earlier.test, less_is_better)
            worse = p_value < Settings.alpha
        yield Change(
            run=new, column=column, topic=None, before=first, now=second, tolerance=allowed, worse=worse,
            p_value=p_value,
        )  # fmt: skip
        if earlier.topics and column.measure.per_topic:
            for row in _worse(before, after, allowed, less_is_better):
                yield Change(
                    run=new, column=column, topic=topics[row], before=float(before[row]),
                    now=float(after[row]), tolerance=allowed, worse=True,
                )  # fmt: skip


def _chance_of_a_fall(before: FloatArray, after: FloatArray, test: str, less_is_better: bool) -> float:
    """The p-value of `compare` for two runs over the topics; 1 if the test favours what is there now.

    A test on ranks or signs may contradict the means: then it confirms nothing.
    """
    rise = (before - after if less_is_better else after - before)[np.newaxis]
    if favoured(rise, test)[0] > 0:
        return 1.0
    return float(PAIRED_TESTS[test].two_sided(rise, Settings.samples, Settings.seed)[0])


def _as_float(value: float | str | None) -> float:
    return math.nan if value is None or isinstance(value, str) else value


def _worse(before: FloatArray, after: FloatArray, tolerance: float, less_is_better: bool) -> Iterator[int]:
    """Places where the value got worse by more than the tolerance, or became nan."""
    with np.errstate(invalid="ignore"):
        fall = after - before if less_is_better else before - after
        suspects = (fall > tolerance * (1 - 1e-9)) | (np.isnan(after) & ~np.isnan(before))
    for place in np.flatnonzero(suspects).tolist():
        old, new = float(before[place]), float(after[place])
        # 0.5 - 0.499 is more than 0.001 in doubles: what was printed is compared, in decimals.
        finite = math.isfinite(old) and math.isfinite(new)
        if not finite or abs(Decimal(repr(old)) - Decimal(repr(new))) > Decimal(repr(tolerance)):
            yield place

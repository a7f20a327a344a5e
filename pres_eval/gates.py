"""Gates for CI: is the evaluation good enough, as good as the last one, and what trec_eval printed?

A gate gives findings, one for each thing that is not as wanted; no finding means that the gate is passed.
A value that is nan never passes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from pres_eval.errors import UsageError, quoted
from pres_eval.report.table import known_label
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation

EXIT_CODE = 3
"""Of a command whose gates were not all passed."""


@dataclass(frozen=True)
class Finding:
    """One thing that a gate found.

    gate     the option: --fail-under, --against or --expect
    message  the whole line for people: wanted, got, run
    path     the file to which an annotation belongs, and the line in it if there is one
    """

    gate: str
    message: str
    path: str
    line: int | None = None

    def annotation(self) -> str:
        """The finding as a workflow command of GitHub Actions."""
        place = f"file={_property(self.path)}" + (f",line={self.line}" if self.line is not None else "")
        return f"::error {place},title={_property('pres-eval ' + self.gate)}::{_data(self.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


@dataclass(frozen=True)
class Threshold:
    """`--fail-under label=value`: the summary of a column must be at least the value."""

    label: str
    value: float
    text: str


def read_threshold(text: str) -> Threshold:
    """A threshold from `PRES_100=0.40`.  Raises UsageError for anything else."""
    label, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not equals or not label.strip() or math.isnan(value):
        raise UsageError(f"--fail-under {text}: found {text!r}, expected NAME=VALUE, as PRES_100=0.40")
    return Threshold(label.strip(), value, number.strip())


@dataclass(frozen=True)
class Earlier:
    """`--against FILE --tolerance VALUE`: no value may have fallen by more than the tolerance."""

    path: str
    evaluations: tuple[Evaluation, ...]
    tolerance: float = 0.0


@dataclass(frozen=True)
class Expected:
    """`--expect FILE`: the lines of trec_eval that must be among ours; `printed` are ours."""

    path: str
    lines: bytes
    printed: bytes


def check_gates(
    evaluations: Sequence[Evaluation],
    thresholds: Sequence[Threshold] = (),
    earlier: Earlier | None = None,
    expected: Expected | None = None,
) -> list[Finding]:
    """Everything that the gates find, in the order of the arguments.

    Raises UsageError if a threshold names a column that was not computed, or if a run has no counterpart in
    the earlier evaluation.
    """
    findings = [finding for threshold in thresholds for finding in _below(evaluations, threshold)]
    if earlier is not None:
        for new, old in _counterparts(evaluations, earlier):
            findings += _fallen(new, old, earlier)
    if expected is not None:
        findings += _unexpected(expected)
    return findings


def _below(evaluations: Sequence[Evaluation], threshold: Threshold) -> Iterator[Finding]:
    for evaluation in evaluations:
        summary = {c.label: v for c, v in zip(evaluation.columns, evaluation.summary, strict=True)}
        label = known_label(
            "--fail-under", threshold.label, [name for name, v in summary.items() if isinstance(v, float)]
        )
        got = summary[label]
        if not (isinstance(got, float) and got >= threshold.value):
            message = f"{label}: wanted at least {threshold.text}, got {got!r}, run {_run(evaluation)}"
            yield Finding("--fail-under", message, evaluation.path)


def _run(evaluation: Evaluation) -> str:
    return f"{text_of(evaluation.tag)} ({text_of(evaluation.path)})"


def _counterparts(
    evaluations: Sequence[Evaluation], earlier: Earlier
) -> Iterator[tuple[Evaluation, Evaluation]]:
    """Each run with its earlier evaluation: the same tag, else the same file, else the only one."""
    old_tags = Counter(old.tag for old in earlier.evaluations)
    new_tags = Counter(new.tag for new in evaluations)
    by_tag = {old.tag: old for old in earlier.evaluations if old_tags[old.tag] == 1 == new_tags[old.tag]}
    by_path = {old.path: old for old in earlier.evaluations}
    for new in evaluations:
        old = by_tag.get(new.tag) or by_path.get(new.path)
        if old is None and len(evaluations) == len(earlier.evaluations) == 1:
            old = earlier.evaluations[0]
        if old is None:
            tags = ", ".join(text_of(old.tag) for old in earlier.evaluations)
            raise UsageError(f"--against {earlier.path}: no run {_run(new)} in it, there are {tags}")
        yield new, old


def _fallen(new: Evaluation, old: Evaluation, earlier: Earlier) -> Iterator[Finding]:
    places = {topic: place for place, topic in enumerate(new.topics)}
    gone = [topic for topic in old.topics if topic not in places]
    for topic in gone:
        yield _finding(earlier, new, f"topic {text_of(topic)}: evaluated earlier, not now")
    common = np.array([topic in places for topic in old.topics], np.bool_)
    now = np.array([places[topic] for topic in old.topics if topic in places], np.int64)
    labels = {column.label: place for place, column in enumerate(new.columns)}
    for column, old_values, old_summary in zip(old.columns, old.values, old.summary, strict=True):
        if not column.measure.tells_quality:
            continue
        if column.label not in labels:
            yield _finding(earlier, new, f"{column.label}: computed earlier, not now (-m)")
            continue
        less_is_better = column.measure.less_is_better
        place = labels[column.label]
        overall = _as_float(old_summary), _as_float(new.summary[place])
        for _ in _worse(np.array(overall[:1]), np.array(overall[1:]), earlier.tolerance, less_is_better):
            yield _fall(earlier, new, f"{column.label}, all", overall)
        if column.measure.per_topic:
            before, after = np.asarray(old_values)[common], np.asarray(new.values[place])[now]
            for row in _worse(before, after, earlier.tolerance, less_is_better):
                what = f"{column.label}, topic {text_of(new.topics[now[row]])}"
                yield _fall(earlier, new, what, (float(before[row]), float(after[row])))


def _as_float(value: float | str | None) -> float:
    return math.nan if value is None or isinstance(value, str) else value


def _worse(
    before: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    after: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    tolerance: float,
    less_is_better: bool,
) -> Iterator[int]:
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


def _fall(earlier: Earlier, run: Evaluation, what: str, values: tuple[float, float]) -> Finding:
    old, new = values
    verb = "rose" if new > old else "fell"
    wanted = f"by at most {earlier.tolerance!r}" if earlier.tolerance else "not at all"
    return _finding(earlier, run, f"{what}: {verb} from {old!r} to {new!r}, wanted {wanted}")


def _finding(earlier: Earlier, run: Evaluation, what: str) -> Finding:
    return Finding("--against", f"{what}, run {_run(run)}", run.path)


Key = tuple[bytes, bytes, int]


def _keyed(text: bytes) -> Iterator[tuple[Key, bytes, int]]:
    """The lines of trec_eval output: ((measure, topic, which one of several), value, line number)."""
    seen: Counter[tuple[bytes, bytes]] = Counter()
    for number, line in enumerate(text.split(b"\n"), 1):
        fields = [field.strip() for field in line.split(b"\t", 2)]
        if fields == [b""]:
            continue
        measure, topic, value = [*fields, b"", b""][:3]
        seen[measure, topic] += 1
        yield (measure, topic, seen[measure, topic]), value, number


def _unexpected(expected: Expected) -> Iterator[Finding]:
    """Lines that we don't print, or with another value; lines of ours that the file lacks are no fault."""
    printed = {key: value for key, value, _ in _keyed(expected.printed)}
    for key, value, number in _keyed(expected.lines):
        got = printed.get(key)
        if got == value:
            continue
        what = f"{text_of(key[0])}, {text_of(key[1])}"
        found = f"got {quoted(got)}" if got is not None else "no such line here"
        message = f"{text_of(expected.path)}:{number}: {what}: wanted {quoted(value)}, {found}"
        yield Finding("--expect", message, expected.path, number)

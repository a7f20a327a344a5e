"""Counterparts: the earlier run to compare with, the common topics, and differences of the evaluations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.errors import plural
from pres_eval.gates.findings import GateFinding, Verdict, run_name
from pres_eval.measures.base import mean
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.report.groups import group_label
from pres_eval.report.records import FileRecord, Record, RunRecord
from pres_eval.report.text import file_name, plain_text, text_of
from pres_eval.scoring import ScoredRun

GATE = "--against"

_KEYS: dict[str, Callable[[RunRecord], str]] = {
    "tag": lambda run: run.evaluation.tag,
    "path": lambda run: run.evaluation.path,
    "file": lambda run: file_name(run.evaluation.path),
}

MATCHES: dict[str, tuple[str, ...]] = {
    "auto": ("tag", "path", "file"),
    "tag": ("tag",),
    "file": ("path", "file"),
    "order": (),
}
"""Values of --match, each with the keys that are compared, in order; the first is the default."""


@dataclass(frozen=True, eq=False)
class Counterparts:
    """A run now and the same run earlier, and the topics over which they are compared.

    weights   of topics, None if all weigh the same
    of_group  whether these are topics of a group, over which the runs have no averages yet
    """

    now: RunRecord
    before: RunRecord
    weights: Weights | None = None
    of_group: bool = False

    @cached_property
    def topics(self) -> tuple[bytes, ...]:
        """The topics that both are averaged over, in byte order, without those that the run has only now."""
        both = _averaged_over(self.now) & _averaged_over(self.before)
        return tuple(sorted(both.difference(self.added)))

    @property
    def gone(self) -> list[bytes]:
        """The topics that were evaluated earlier and are not now."""
        return sorted(set(self.before.evaluation.topics) - set(self.now.evaluation.topics))

    @cached_property
    def added(self) -> list[bytes]:
        """The topics with documents of the present run that had none earlier, or were not averaged over."""
        answered = set(self.before.missing).intersection(self.now.evaluation.topics)
        return sorted((_averaged_over(self.now) - _averaged_over(self.before)) | answered)

    @cached_property
    def same_topics(self) -> bool:
        """Return whether both are averaged over the same topics."""
        return not self.added and _averaged_over(self.now) == _averaged_over(self.before)

    def values(self, evaluation: ScoredRun, place: int) -> FloatArray:
        """Return the values (T,) of a column on the topics of both; 0 for a topic that the run lacks."""
        values = np.append(np.asarray(evaluation.values[place], np.float64), 0.0)
        if evaluation.topics == self.topics:
            return values[:-1]
        rows = {topic: row for row, topic in enumerate(evaluation.topics)}
        return np.asarray(values[[rows.get(topic, -1) for topic in self.topics]], np.float64)

    def summary(self, evaluation: ScoredRun, place: int) -> float:
        """Return the value of a column over the topics of both, nan if it has none."""
        summary, value = evaluation.columns[place].measure.summary, evaluation.summary[place]
        if value is None or isinstance(value, str) or summary is None:
            return float("nan")
        if self.same_topics and not self.of_group:
            return value
        scored = len(set(self.topics) & set(evaluation.topics))
        values, total = self.values(evaluation, place), None
        if self.weights is not None:
            weights = self._weights()
            values, total = values * weights if summary is mean else values, float(weights.sum())
        totals = replace(evaluation.totals, num_scored=scored, num_topics=len(self.topics), weight=total)
        return summary(float(np.add.accumulate(values)[-1]), totals)

    def tested(self, values: FloatArray) -> FloatArray:
        """Return values (T,) such that their mean is the one with weights, if there are some."""
        if self.weights is None:
            return values
        weights = self._weights()
        # Topics of weight 0 count neither in means nor in tests.
        values, weights = values[weights > 0], weights[weights > 0]
        return np.asarray(values * (weights * len(weights) / weights.sum()), np.float64)

    def _weights(self) -> FloatArray:
        assert self.weights is not None
        return np.array([self.weights.of.get(topic, 0.0) for topic in self.topics], np.float64)


def in_groups(runs: Counterparts, groups: Groups | None) -> Iterator[Counterparts]:
    """Yield the two runs over the topics of each group, with its name in the labels."""
    for name, topics in ({} if groups is None else groups.topics).items():
        now, before = (_of_group(run, name, topics) for run in (runs.now, runs.before))
        yield replace(runs, now=now, before=before, of_group=True)


def _of_group(run: RunRecord, name: str, topics: frozenset[bytes]) -> RunRecord:
    """Return a run over some topics; its averages over these are made when they are compared."""
    whole = run.evaluation
    block = whole.over(topics)
    evaluation = replace(
        whole,
        topics=block.topics,
        values=block.values,
        columns=tuple(replace(one, label=group_label(one.label, name)) for one in whole.columns),
        groups={},
    )
    return replace(
        run, evaluation=evaluation, missing=tuple(topic for topic in run.missing if topic in topics)
    )


def _averaged_over(run: RunRecord) -> set[bytes]:
    """Return the topics that the averages are over: with -c also those that the run lacks."""
    return {*run.evaluation.topics, *(run.missing if run.evaluation.totals.complete else ())}


def match_runs(
    now: Sequence[RunRecord], before: Sequence[RunRecord], match: str, weights: Weights | None = None
) -> tuple[list[Counterparts], list[RunRecord], list[RunRecord]]:
    """Return the runs with their counterparts, the runs that are new, and those that are gone.

    A key decides where it is that of one run now and of one run earlier.  With "auto" a single run is the
    counterpart of a single run, whatever they are called.
    """
    in_order = match == "order" or (match == "auto" and len(now) == len(before) == 1)
    pairs = [*zip(now, before, strict=False)] if in_order else []
    for key in map(_KEYS.__getitem__, MATCHES[match]):
        later, earlier = (_by_key(left, key) for left in _unpaired(now, before, pairs))
        pairs += [(run, earlier[name]) for name, run in later.items() if name in earlier]
    return [Counterparts(*pair, weights) for pair in pairs], *_unpaired(now, before, pairs)


def _unpaired(
    now: Sequence[RunRecord], before: Sequence[RunRecord], pairs: Sequence[tuple[RunRecord, RunRecord]]
) -> tuple[list[RunRecord], list[RunRecord]]:
    """Return the runs now and earlier that have no counterpart so far."""
    return (
        [run for run in now if all(run is not one for one, _ in pairs)],
        [run for run in before if all(run is not other for _, other in pairs)],
    )


def _by_key(runs: Sequence[RunRecord], key: Callable[[RunRecord], str]) -> dict[str, RunRecord]:
    """Return the runs by a key, without those that share theirs with another run."""
    times = Counter(map(key, runs))
    return {key(run): run for run in runs if times[key(run)] == 1}


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
    "empty": "--empty",
}
"""The option that sets each field of Options."""


def mismatches(now: Record, earlier: Record, path: str) -> Iterator[GateFinding]:
    """Yield the differences that change the numbers of two evaluations: options, formats, judgements."""
    place = now.runs[0].evaluation.path if now.runs else path
    new, form = asdict(now.options), earlier.relevance_format
    files = {**dict.fromkeys(now.files), **earlier.files}
    differing = [
        *(
            f"{LETTERS[name]} {_value(old)} (now {_value(new[name])})"
            for name, old in asdict(earlier.options).items()
            if old != new[name]
        ),
        *([f"-R {form} (now {now.relevance_format})"] if now.relevance_format != form else []),
        *(
            f"--{name} {file.path if file else 'none'}"
            for name, file in sorted(files.items())
            if name != "groups" and _content(now.files.get(name)) != _content(file)
        ),
        *(
            f"--{name} {rule}"
            for name, rule in sorted(earlier.rules.items())
            if name != "protocol" and now.rules.get(name, rule) != rule
        ),
    ]
    if differing:
        yield GateFinding(
            gate=GATE,
            message=f"{text_of(path)} was made with other options: {', '.join(differing)};"
            " its values cannot be compared",
            path=place,
        )
    old, qrels = earlier.qrels, now.qrels
    if old.sha256 and qrels.sha256 and old.sha256 != qrels.sha256:
        yield GateFinding(
            gate=GATE,
            message=f"{text_of(path)} was made with other judgements: {text_of(old.path)} is not the"
            f" file that {text_of(qrels.path)} is (SHA-256); --against with the old run evaluates"
            " that under these",
            path=place,
            verdict=Verdict.NOTE,
        )


def _content(file: FileRecord | None) -> str | None:
    """Return the SHA-256 of a file; for a pattern, which is no file, its text."""
    return None if file is None else file.sha256 or file.path


def _value(value: str | bytes | float | None) -> str:
    return "none" if value is None else plain_text(value, yes="on", no="off")


def unmatched(
    new: Sequence[str], gone: Sequence[str], path: str, *, allowed: bool, any_matched: bool, gate: str = GATE
) -> Iterator[GateFinding]:
    """Yield a finding for each run that is in one of the two evaluations alone, and if all of them are."""
    name, advice = text_of(path), "" if allowed else " (--allow-unmatched lets this pass)"
    for runs, where in ((new, f"not in {name}"), (gone, f"not evaluated now, but in {name}")):
        for run in runs:
            yield GateFinding(
                gate=gate,
                message=f"run {run}: {where}{advice}",
                path=path,
                verdict=Verdict.NOTE if allowed else Verdict.FAILED,
            )
    if not any_matched:
        yield GateFinding(gate=gate, message=f"{name}: no run has a counterpart in it", path=path)


def not_comparable(runs: Counterparts) -> Iterator[GateFinding]:
    """Yield the topics and measures that only one of two runs has."""
    new, old = runs.now.evaluation, runs.before.evaluation
    for topics, what, verdict in (
        (runs.gone, "earlier, not now", Verdict.FAILED), (runs.added, "now, not earlier", Verdict.NOTE),
    ):  # fmt: skip
        if topics:
            such = f"(such as {text_of(topics[0])}), run {run_name(new)}"
            yield GateFinding(
                gate=GATE,
                message=f"{plural(len(topics))} evaluated {what} {such}",
                path=new.path,
                verdict=verdict,
            )
    if not runs.topics:
        yield GateFinding(
            gate=GATE, message=f"no topic in both evaluations, run {run_name(new)}", path=new.path
        )
    for there, other, what, verdict in (
        (old, new, "computed earlier, not now (-m)", Verdict.FAILED),
        (new, old, "computed now, not earlier", Verdict.NOTE),
    ):
        alone = [
            column.label
            for column in there.columns
            if column.measure.tells_quality and column.label not in other.labels
        ]
        if alone:
            yield GateFinding(
                gate=GATE,
                message=f"{', '.join(alone)}: {what}, run {run_name(new)}",
                path=new.path,
                verdict=verdict,
            )

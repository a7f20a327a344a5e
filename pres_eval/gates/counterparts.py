"""Which earlier run a run is compared with, and over which topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pres_eval.arrays.types import FloatArray
from pres_eval.report.names import file_name
from pres_eval.report.records import RunRecord
from pres_eval.scoring import Evaluation

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
"""What --match takes, with the keys that are compared, one after the other; the first is the default."""


@dataclass(frozen=True, eq=False)
class Counterparts:
    """A run now and the same run earlier, and the topics over which they are compared."""

    now: RunRecord
    before: RunRecord

    @cached_property
    def topics(self) -> tuple[bytes, ...]:
        """The topics that both are averaged over, in byte order."""
        return tuple(sorted(_averaged_over(self.now) & _averaged_over(self.before)))

    @property
    def gone(self) -> list[bytes]:
        """The topics that were evaluated earlier and are not now."""
        return sorted(set(self.before.evaluation.topics) - set(self.now.evaluation.topics))

    @property
    def added(self) -> list[bytes]:
        """The topics that the run is averaged over now and was not earlier."""
        return sorted(_averaged_over(self.now) - _averaged_over(self.before))

    @property
    def same_topics(self) -> bool:
        """Whether both are averaged over the same topics."""
        return _averaged_over(self.now) == _averaged_over(self.before)

    def values(self, evaluation: Evaluation, place: int) -> FloatArray:
        """Return the values (T,) of a column on the topics of both; 0 for a topic that the run lacks."""
        values = np.append(np.asarray(evaluation.values[place], np.float64), 0.0)
        rows = {topic: row for row, topic in enumerate(evaluation.topics)}
        return np.asarray(values[[rows.get(topic, -1) for topic in self.topics]], np.float64)

    def summary(self, evaluation: Evaluation, place: int) -> float:
        """Return the value of a column over the topics of both, nan if it has none."""
        summary, value = evaluation.columns[place].measure.summary, evaluation.summary[place]
        if value is None or isinstance(value, str) or summary is None:
            return float("nan")
        if self.same_topics:
            return value
        scored = len(set(self.topics) & set(evaluation.topics))
        totals = replace(evaluation.totals, num_scored=scored, num_topics=len(self.topics))
        return summary(float(np.add.accumulate(self.values(evaluation, place))[-1]), totals)


def _averaged_over(run: RunRecord) -> set[bytes]:
    """Return the topics that the averages are over: with -c also those that the run lacks."""
    missing = run.missing if run.evaluation.totals.complete else ()
    return {*run.evaluation.topics, *missing}


def match_runs(
    now: Sequence[RunRecord], before: Sequence[RunRecord], match: str
) -> tuple[list[Counterparts], list[RunRecord], list[RunRecord]]:
    """Return the runs with their counterparts, the runs that are new, and those that are gone.

    A key decides where it is that of one run now and of one run earlier.  With "auto" a single run is the
    counterpart of a single run, whatever they are called.
    """
    new, gone = list(now), list(before)
    pairs = [*zip(now, before, strict=False)] if match == "order" else []
    if match == "auto" and len(now) == len(before) == 1:
        pairs = [(now[0], before[0])]
    for key in map(_KEYS.__getitem__, MATCHES[match]):
        earlier = _by_key([run for run in before if all(run is not pair[1] for pair in pairs)], key)
        later = _by_key([run for run in now if all(run is not pair[0] for pair in pairs)], key)
        pairs += [(run, earlier[name]) for name, run in later.items() if name in earlier]
    for run, counterpart in pairs:
        new.remove(run)
        gone.remove(counterpart)
    return [Counterparts(*pair) for pair in pairs], new, gone


def _by_key(runs: Sequence[RunRecord], key: Callable[[RunRecord], str]) -> dict[str, RunRecord]:
    """Return the runs by a key, without those that share theirs with another run."""
    times = Counter(map(key, runs))
    return {key(run): run for run in runs if times[key(run)] == 1}

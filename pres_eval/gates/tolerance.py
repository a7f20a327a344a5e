"""--tolerance: how far values may fall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from pres_eval.errors import UsageError
from pres_eval.report.shown_runs import known_label
from pres_eval.scoring import Evaluation


@dataclass(frozen=True)
class Tolerance:
    """`--tolerance`: how far values may fall, for all measures and for some of them."""

    usual: float = 0.0
    by_label: dict[str, float] = field(default_factory=dict)

    def of(self, label: str) -> float:
        """How far the column may fall."""
        return self.by_label.get(label, self.usual)


def read_tolerance(text: str) -> Tolerance:
    """A tolerance from `0.01`, `map=0.005,PRES_100=0.01`, or both: `0.01,map=0.005`."""
    usual, by_label = 0.0, {}
    for part in text.split(","):
        label, equals, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0) or (equals and not label.strip()):
            raise UsageError(
                f"--tolerance {text}: found {part!r}, expected a number of at least 0, or NAME=NUMBER"
            )
        if equals:
            by_label[label.strip()] = value
        else:
            usual = value
    return Tolerance(usual, by_label)


def check_tolerance(tolerance: Tolerance, evaluations: Sequence[Evaluation]) -> Tolerance:
    """The tolerance with the labels of columns; raises UsageError for one that is not there."""
    labels = evaluations[0].labels if evaluations else []
    known = {known_label("--tolerance", name, labels): value for name, value in tolerance.by_label.items()}
    return Tolerance(tolerance.usual, known)

"""--tolerance: how far values may fall."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from pres_eval.errors import UsageError, decimal_comma
from pres_eval.measures.base import Trait
from pres_eval.measures.selection import SelectedColumn
from pres_eval.report.groups import known_label, split_label
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

    def allows_all(self, column: SelectedColumn) -> bool:
        """Return whether no value of the column can fall further than this."""
        measure = column.measure
        bounded = Trait.BOUNDED in measure.traits and not (self.relative and measure.less_is_better)
        return bounded and self.number >= 1


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
        if column.measure.tells_quality and allowed.allows_all(column):
            name = f"{label}=" if label in known else ""
            advice = "below 100%" if allowed.relative else f"below 1, or a percentage: {name}{allowed}%"
            raise UsageError(
                f"--tolerance {name}{allowed}: {label} lies between 0 and 1, so this allows any value;"
                f" expected a tolerance {advice}"
            )
    return checked

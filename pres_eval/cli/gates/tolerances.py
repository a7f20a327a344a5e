"""--tolerance: how far may a value fall?"""

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
    """How far one value may get worse: by `0.01`, or by `1%` of the earlier value.

    number    of an absolute allowance the number itself, of a relative one the share, 0.01
    relative  whether it is a share of the earlier value
    """

    number: Decimal = Decimal(0)
    relative: bool = False

    def __str__(self) -> str:
        """Return it as it is typed."""
        if self.relative:
            return f"{(self.number * 100).normalize():f}%"
        return f"{self.number:f}"

    def largest_fall(self, before: float) -> Decimal:
        """Return how far a value may fall, or rise if less is better; `before`: the earlier value, finite."""
        if self.relative:
            return abs(Decimal(repr(before))) * self.number
        return self.number


@dataclass(frozen=True)
class Tolerance:
    """`--tolerance`: how far values may get worse.

    by_label  of columns that are named, by their labels
    default   of all other columns
    """

    default: Allowance = Allowance()
    by_label: dict[str, Allowance] = field(default_factory=dict)

    def allowance(self, label: str) -> Allowance:
        """Return how far a column may fall.

        A column over a group that the tolerance does not name may fall as far as the one over all topics.
        """
        if label in self.by_label:
            return self.by_label[label]
        label_over_all_topics, _ = split_label(label)
        return self.by_label.get(label_over_all_topics, self.default)


_NUMBER = r"\s*(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)\s*(?P<percent>%?)\s*"
"""A number of at least 0, or a percentage."""

_COMMA = r",(?![^(\[]*[)\]])"
"""A comma between two tolerances: one in brackets is part of a label, such as map(bound=least,max_rel=3)."""

_DECIMAL_COMMA_OF_LABEL = r"(?P<label>[^,=]*)=\s*\d+,\d+%?(,|$)"
"""A label with two whole numbers, map=0,01: a decimal comma, not 0 for map and 1 for all other measures."""


def read_tolerance(text: str) -> Tolerance:
    """Return the tolerance of `0.01`, `1%`, `map=0.005,PRES_100=1%`, or both: `0.01,map=1%`.

    Commas in the brackets of a label, those of settings or of a group, are part of it.

    Raises UsageError for anything else, and for two numbers of the same measure or of all measures, which
    are most likely one number with a decimal comma.
    """
    allowances: dict[str, Allowance] = {}
    decimal_comma_of_label = re.search(_DECIMAL_COMMA_OF_LABEL, text)
    for part in re.split(_COMMA, text):
        label, equals, number = (piece.strip() for piece in part.rpartition("="))
        match = re.fullmatch(_NUMBER, number, re.ASCII)
        if match is None or (equals and not label):
            raise UsageError(
                f"--tolerance {text}: found {part!r}, expected a number of at least 0, a percentage,"
                f" or NAME=NUMBER{decimal_comma(text)}"
            )
        if decimal_comma_of_label is not None:
            raise _two_numbers(text, decimal_comma_of_label["label"].strip())
        if label in allowances:
            raise _two_numbers(text, label)
        value = Decimal(match["number"])
        if match["percent"]:
            allowances[label] = Allowance(value / 100, relative=True)
        else:
            allowances[label] = Allowance(value)
    # A number without a label is that of all other columns.
    default = allowances.pop("", Allowance())
    return Tolerance(default, allowances)


def _two_numbers(text: str, label: str) -> UsageError:
    """Return the error for two numbers of one label; the empty one is that of all measures."""
    return UsageError(
        f"--tolerance {text}: found two numbers for {label or 'all measures'}, expected one"
        f"{decimal_comma(text)}"
    )


def check_tolerance(tolerance: Tolerance, evaluations: Sequence[ScoredRun]) -> Tolerance:
    """Return the tolerance with the names of columns as their labels: PRES_100 for PRES.100.

    Raises UsageError for a label that no column has, and for a tolerance that any value of a column passes.
    """
    columns = {column.label: column for run in evaluations for column in run.columns}
    labels = list(columns)
    by_label = {
        known_label("--tolerance", name, labels): allowance for name, allowance in tolerance.by_label.items()
    }
    checked = Tolerance(tolerance.default, by_label)
    for label, column in columns.items():
        allowance = checked.allowance(label)
        if _allows_all(allowance, column):
            name = ""
            if label in by_label:
                name = f"{label}="
            expected = "below 100%"
            if not allowance.relative:
                expected = f"below 1, or a percentage: {name}{allowance}%"
            raise UsageError(
                f"--tolerance {name}{allowance}: {label} lies between 0 and 1, so this allows any value;"
                f" expected a tolerance {expected}"
            )
    return checked


def _allows_all(allowance: Allowance, column: SelectedColumn) -> bool:
    """Return whether a measure between 0 and 1 may get as bad as it can: for an allowance of 1 or 100 %."""
    measure = column.measure
    if not measure.tells_quality or Trait.BOUNDED not in measure.traits:
        return False
    # Where less is better, 100 % of a small earlier value still is a limit.
    if allowance.relative and measure.less_is_better:
        return False
    return allowance.number >= 1

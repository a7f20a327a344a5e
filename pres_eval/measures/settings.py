"""Kinds of measure parameters with names or in percent: `wss.95`, `insq.T=2`, `sdcg.10,20,max_rel=3`.

They are named tuples: every start of the program makes their classes, and those of dataclasses take longer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pres_eval.errors import MeasureError, decimal_comma
from pres_eval.measures.parameters import (
    WHOLE_RANKING,
    Column,
    decimal_number,
    split_parameters,
    whole_number,
)
from pres_eval.options import LARGEST_LONG


class Percents(NamedTuple):
    """Shares in percent, above 0 and up to 100: one column for each, `name_95`, ascending."""

    defaults: tuple[float, ...]
    example: str = "95,100"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return one column a share; those given several times count once."""
        for text in texts:
            first, _, second = text.partition(",")
            # 95,5 is 95.5; two shares can be given the other way round.
            if re.fullmatch("[1-9][0-9],[0-9]%?", text):
                raise MeasureError(
                    f"-m {name}.{text}: found {second} behind {first}, expected a percentage, or"
                    f" {name}.{second},{first} for both{decimal_comma(text)}"
                )
        shares = {self._read(name, part) for part in split_parameters(texts)} or set(self.defaults)
        columns: list[Column] = []
        for share in sorted(shares):
            sign = "%" if share < 1 else ""
            columns.append((f"{name}_{share:g}{sign}", (share,)))
        return columns

    def _read(self, name: str, text: str) -> float:
        """Return a percentage; raise MeasureError for a share that may have been meant as one."""
        number = text.removesuffix("%")
        share = decimal_number(name, number)
        if not 0 < share <= 100:
            raise MeasureError(f"-m {name}.…: found {text!r}, expected a percentage above 0 and up to 100")
        if share < 1 and number == text:
            raise MeasureError(
                f"-m {name}.…: found {text!r}, expected a percentage;"
                f" did you mean {name}.{100 * share:g} or {name}.{text}%?"
            )
        return share


# The doubles next to 0 and to 1, for ranges without these ends; and one that no parameter needs to be above.
LEAST_ABOVE_0 = 5e-324
GREATEST_BELOW_1 = 1 - 2.0**-53
GREATEST_NUMBER = 1e300


class Setting(NamedTuple):
    """A named number among the parameters of a measure: `T=2`.

    default      None: the measure decides
    expected     the end of the error's message for a number out of range
    least, most  the range, with its ends
    whole        whether it must be a whole number
    """

    name: str
    default: float | None
    expected: str
    least: float = LEAST_ABOVE_0
    most: float = GREATEST_NUMBER
    whole: bool = False

    def read(self, measure: str, text: str) -> float:
        """Return the number of parameter text; raise MeasureError if it may not be that."""
        value = decimal_number(measure, text)
        if not self.least <= value <= self.most or (self.whole and not value.is_integer()):
            raise MeasureError(f"-m {measure}.…: found {self.name}={text}, expected {self.expected}")
        return value


MIN_REL = Setting(
    name="min_rel", default=0.0, expected="the grade that is worth nothing, at least 0", least=0.0
)
MAX_REL = Setting(name="max_rel", default=None, expected="the grade that is worth 1, above 0")
WANTED_GAIN = Setting(name="T", default=1.0, expected="the gain that the reader is looking for, above 0")
"""Gain that a reader is looking for, in fully relevant documents."""


def persistence(default: float) -> Setting:
    """Return the setting p: the probability that a reader continues to the next document."""
    return Setting(
        name="p",
        default=default,
        expected="the reader's persistence, above 0 and below 1",
        most=GREATEST_BELOW_1,
    )


class MeasureSettings(NamedTuple):
    """Named numbers that all go into one value, and ranks to cut the ranking at for those that have a cutoff.

    One column `name`, `name_key=number,…`, or for each cutoff `name_rank`, `name_rank_key=number,…`.  The
    score function is called with the cutoff, if it takes one, and the settings in the order that they are
    declared.
    """

    settings: tuple[Setting, ...]
    cutoffs: tuple[int, ...] = ()
    example: str = "p=0.8"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return the columns of each parameter list that was given, cutoffs ascending, each once."""
        columns: list[Column] = []
        for text in dict.fromkeys(texts) or [""]:
            parts = [part.strip() for part in text.split(",")] if text else []
            settings = [part for part in parts if "=" in part]
            # alpha=0,5 is no rank behind a setting.
            if any("=" in part and following.isdecimal() for part, following in pairwise(parts)):
                raise MeasureError(f"-m {name}.{text}: found a rank behind a setting, expected ranks first")
            ranks = sorted({whole_number(name, part, 1) for part in parts if "=" not in part})
            if ranks and not self.cutoffs:
                expected = ", ".join(f"{setting.name}=number" for setting in self.settings)
                raise MeasureError(f"-m {name}.{text}: takes no cutoff, expected {expected}")
            values = self.values(name, text, settings)
            ending = "_" + ",".join(settings) if settings else ""
            if not self.cutoffs:
                columns.append((name + ending, values))
            for rank in ranks or self.cutoffs:
                columns.append((f"{name}_{rank}{ending}", (rank, *values)))
        return list(dict.fromkeys(columns))

    def values(self, name: str, text: str, parts: Sequence[str]) -> tuple[Any, ...]:
        """Return the numbers of a parameter list (`key=number`) in the order of the settings."""
        setting_by_name = {setting.name: setting for setting in self.settings}
        values = {setting.name: setting.default for setting in self.settings}
        for part in parts:
            key, _, number = part.partition("=")
            if key not in setting_by_name:
                raise MeasureError(
                    f"-m {name}.{text}: found setting {key!r}, expected {' or '.join(setting_by_name)}"
                )
            values[key] = setting_by_name[key].read(name, number)
        low = values.get("min_rel")
        high = values.get("max_rel")
        if low is not None and high is not None and not low < high:
            raise MeasureError(f"-m {name}.{text}: expected min_rel below max_rel")
        return tuple(values.values())


class UnitedCutoffs(MeasureSettings):
    """Ranks at which the ranking is cut, or `all` of it, and named numbers; several texts are united.

    One column for each rank and each list of settings: `name_rank`, `name_all`, `name_rank_key=number,…`.
    """

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return the columns, each once, for each list of settings with cutoffs ascending."""
        ranks_by_settings: dict[tuple[str, ...], set[int]] = {}
        for text in texts or ("",):
            parts = [part.strip() for part in text.split(",")] if text else []
            settings = tuple(part for part in parts if "=" in part)
            if any("=" in before and "=" not in after for before, after in pairwise(parts)):
                raise MeasureError(f"-m {name}.{text}: found a rank behind a setting, expected ranks first")
            ranks = ranks_by_settings.setdefault(settings, set())
            ranks.update(self._rank(name, part) for part in parts[: len(parts) - len(settings)])
        columns: list[Column] = []
        for settings, ranks in ranks_by_settings.items():
            values = self.values(name, ",".join(settings), settings)
            ending = "_" + ",".join(settings) if settings else ""
            for rank in sorted(ranks or self.cutoffs):
                label = WHOLE_RANKING if rank == LARGEST_LONG else rank
                columns.append((f"{name}_{label}{ending}", (rank, *values)))
        return columns

    def _rank(self, name: str, text: str) -> int:
        """Return the rank that a parameter names; raise MeasureError for anything else."""
        return LARGEST_LONG if text == WHOLE_RANKING else whole_number(name, text, 1)


class GainCutoffs(MeasureSettings):
    """Ranks at which the ranking is cut, and gains for grades: one column a rank, `name_rank_1=3`.

    The score function is called with the rank and the gains, as pairs of grade and gain.
    """

    def values(self, name: str, text: str, parts: Sequence[str]) -> tuple[Any, ...]:
        """Return the gains of a parameter list (`grade=gain`), all as one argument."""
        gains = tuple(self._gain(name, text, part) for part in parts)
        if len(dict(gains)) < len(gains):
            raise MeasureError(f"-m {name}.{text}: a grade with two gains, expected each grade once")
        return (gains,)

    def _gain(self, name: str, text: str, part: str) -> tuple[int, float]:
        """Return the grade and the gain of one part of a text; raise MeasureError for anything else."""
        grade, _, gain = part.partition("=")
        if not grade.isdecimal():
            raise MeasureError(f"-m {name}.{text}: found {part!r}, expected grade=gain")
        return whole_number(name, grade, 0), decimal_number(name, gain)

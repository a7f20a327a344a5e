"""Kinds of measure parameters with names or in percent: `wss.95`, `insq.T=2`, `sdcg.10,20,max_rel=3`.

Their `columns` have the arguments of `parameters.Parameters.columns`; none of them uses `nmax`.
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
    """Shares in percent, above 0 and up to 100: one column for each, `name_95`, ascending.

    One below 1 is written with its sign, 0.5%, in parameters and labels: 0.95 may have been meant as 95.
    """

    defaults: tuple[float, ...]
    example: str = "95,100"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return one column a share; those given several times count once."""
        for text in texts:
            first, _, second = text.partition(",")
            # 95,5 may be a decimal comma (95.5), so it is refused; 5,95 can only be two shares.
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
        """Return the percentage of one parameter; raise MeasureError for 0.95, which may mean 95%."""
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


LEAST_ABOVE_0 = 5e-324
"""The double next to 0, for ranges that exclude 0."""

GREATEST_BELOW_1 = 1 - 2.0**-53
"""The double next to 1, for ranges that exclude 1."""

GREATEST_NUMBER = 1e300
"""Limit of settings that have no other limit; the largest double is 1.8e308."""


class Setting(NamedTuple):
    """A named number among the parameters of a measure: `T=2`.

    name         the text before the equals sign
    default      the number if it is not given; None: the measure's function decides
    expected     the end of the message about a number out of range
    least, most  the range, both ends included
    whole        whether it must be a whole number
    """

    name: str
    default: float | None
    expected: str
    least: float = LEAST_ABOVE_0
    most: float = GREATEST_NUMBER
    whole: bool = False

    def read(self, measure: str, text: str) -> float:
        """Return the number of parameter text; raise MeasureError if it is out of range or not whole."""
        value = decimal_number(measure, text)
        in_range = self.least <= value <= self.most
        is_fraction = not value.is_integer()
        if not in_range or (self.whole and is_fraction):
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
    """Named numbers that all go into one value, for measures with or without cutoffs: `10,20,T=2`.

    settings  the named numbers
    cutoffs   the cutoffs if none is given; empty: the measure takes no cutoff
    Columns are `name` or `name_key=number,…`, with cutoffs `name_rank` or `name_rank_key=number,…` for each.
    The score function is called with the cutoff, if it takes one, and the settings as they are declared.
    """

    settings: tuple[Setting, ...]
    cutoffs: tuple[int, ...] = ()
    example: str = "p=0.8"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return the columns of each parameter list that was given, cutoffs ascending, each once."""
        columns: list[Column] = []
        for text in dict.fromkeys(texts) or [""]:  # without any, one list with nothing in it
            parts = [part.strip() for part in text.split(",")] if text else []
            settings = [part for part in parts if "=" in part]
            # alpha=0,5 is a mistyped alpha=0.5, not a setting and a rank.
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
        """Return the numbers of the settings, in the order in which they are declared.

        name, text  the measure and the whole parameter list, for messages
        parts       the parts of it that are settings: `key=number`
        """
        setting_by_name = {setting.name: setting for setting in self.settings}
        values = {setting.name: setting.default for setting in self.settings}
        for part in parts:
            key, _, number = part.partition("=")
            if key not in setting_by_name:
                raise MeasureError(
                    f"-m {name}.{text}: found setting {key!r}, expected {' or '.join(setting_by_name)}"
                )
            values[key] = setting_by_name[key].read(name, number)
        min_rel = values.get("min_rel")
        max_rel = values.get("max_rel")
        if min_rel is not None and max_rel is not None and min_rel >= max_rel:
            raise MeasureError(f"-m {name}.{text}: expected min_rel below max_rel")
        return tuple(values.values())


class UnitedCutoffs(MeasureSettings):
    """Cutoffs and named numbers, where `all` is a cutoff, too, and -m with equal settings are one list.

    err.20 and err.5,10 together are err_5, err_10 and err_20, as with Cutoffs.
    """

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = ()) -> list[Column]:
        """Return the columns of each list of settings, cutoffs ascending, each once."""
        ranks_by_settings: dict[tuple[str, ...], set[int]] = {}
        for text in texts or ("",):
            parts = [part.strip() for part in text.split(",")] if text else []
            settings = tuple(part for part in parts if "=" in part)
            if any("=" in part and "=" not in following for part, following in pairwise(parts)):
                raise MeasureError(f"-m {name}.{text}: found a rank behind a setting, expected ranks first")
            ranks = ranks_by_settings.setdefault(settings, set())
            ranks.update(self._rank(name, part) for part in parts if "=" not in part)
        columns: list[Column] = []
        for settings, ranks in ranks_by_settings.items():
            values = self.values(name, ",".join(settings), settings)
            ending = "_" + ",".join(settings) if settings else ""
            for rank in sorted(ranks or self.cutoffs):
                label = WHOLE_RANKING if rank == LARGEST_LONG else rank
                columns.append((f"{name}_{label}{ending}", (rank, *values)))
        return columns

    def _rank(self, name: str, text: str) -> int:
        """Return the rank that a parameter names, LARGEST_LONG for `all`; raise MeasureError for others."""
        return LARGEST_LONG if text == WHOLE_RANKING else whole_number(name, text, 1)


class GainCutoffs(MeasureSettings):
    """Ranks at which the ranking is cut, and gains for grades, `10,1=3`: one column a rank, `name_10_1=3`.

    The score function is called with the rank and the gains, as pairs of grade and gain.
    """

    def values(self, name: str, text: str, parts: Sequence[str]) -> tuple[Any, ...]:
        """Return the gains of the parts (`grade=gain`), all as one argument.

        name, text  the measure and the whole parameter list, for messages
        """
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

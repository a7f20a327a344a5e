"""The kinds of values that options take."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import click

from pres_eval.arrays import LARGEST, nearest_integer
from pres_eval.errors import is_plain, quoted

if TYPE_CHECKING:
    _ParameterType = click.ParamType[tuple[int, ...]]
else:
    _ParameterType = click.ParamType  # takes no type parameters before click 8.2


def read_rank(text: str) -> int | None:
    """Return a rank above 0 that fits into 64 bits, None for any other text."""
    digits = text.strip()
    rank = nearest_integer(digits) if digits.isdecimal() and digits.isascii() else 0
    return rank if 0 < rank < LARGEST else None


class CutoffList(_ParameterType):
    """Whole numbers above 0, separated by commas."""

    name = "ranks"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers, ascending, each once."""
        if isinstance(value, tuple):
            return value
        ranks = {read_rank(part) for part in str(value).split(",")}
        if None in ranks:
            self.fail(f"found {quoted(str(value))}, expected ranks above 0 such as 100,1000", param, ctx)
        return tuple(sorted(rank for rank in ranks if rank is not None))


def described(kind: click.IntRange | click.FloatRange) -> str:
    """Return the numbers of a range in words."""
    what = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    if None not in (kind.min, kind.max) and not (kind.min_open or kind.max_open):
        return f"{what} from {kind.min:,} to {kind.max:,}"
    limits = []
    if kind.min is not None:
        limits.append(f"above {kind.min:,}" if kind.min_open else f"of at least {kind.min:,}")
    if kind.max is not None:
        limits.append(f"below {kind.max:,}" if kind.max_open else f"of at most {kind.max:,}")
    return " ".join((what, " and ".join(limits)))


class WholeRange(click.IntRange):
    """A whole number in a range, written in the digits 0 to 9."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if not is_plain(str(value)):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A number in a range, but not nan, which compares with no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if not is_plain(str(value)):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Millimetres(FiniteRange):
    """A length in millimetres: 84mm or 84."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return super().convert(str(value).removesuffix("mm"), param, ctx)


class LevelType(FiniteRange):
    """A number of at least 0: an int if it is whole."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        text = str(value).strip()
        if text.lstrip("+-").isdecimal():
            return WholeRange(min=0).convert(value, param, ctx)
        number = super().convert(value, param, ctx)
        if re.fullmatch(r"[+-]?[0-9]*\.?[0-9]*", text) is None:
            # trec_eval: C's atoi reads the digits before an exponent, which nobody means.
            expected = "expected a whole number, or a decimal one with -R qrels_float"
            self.fail(f"found {quoted(text)}, {expected}", param, ctx)
        return number

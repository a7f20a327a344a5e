"""The kinds of parameters that measures take.

A parameter kind reads the texts after the dot of each `-m name.text`, and returns columns: each column has a
label and the arguments with which the score function is called.  So `P.5,10` is two columns, `("P_5", (5,))`
and `("P_10", (10,))`, and P's function is called as `precision(batch, 5)`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from pres_eval.arrays import nearest_integer
from pres_eval.errors import MeasureError, decimal_comma, quoted
from pres_eval.options import DEFAULT_NMAX, LARGEST_LONG
from pres_eval.records import dataclass

Arguments = tuple[Any, ...]
"""The arguments of a score function that follow the batch: (5,) of P_5."""

Column = tuple[str, Arguments]
"""The label of a column, and the arguments of the score function that fill it."""


PAGE_CUTOFFS = (5, 10, 20)
"""The ranks, where none is named, of measures of the first pages of results."""

WHOLE_RANKING = "all"
"""The cutoff that stands for no cutoff, in parameters and labels."""


class Parameters(Protocol):
    """A kind of measure parameters: reads their text and returns the columns that they ask for."""

    @property
    def example(self) -> str:
        """A parameter text to show to users, empty if there are no parameters."""

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return the columns that a measure's parameter texts ask for.

        name   the measure, for labels and messages
        texts  the parameters of each `-m name.text`; none: the defaults
        nmax   the default cutoffs (--nmax) of Cutoffs(None), for measures whose reader stops at Nmax; the
               other kinds do not use it
        """


@dataclass(frozen=True)
class NoParameters:
    """No parameters: one column, named like the measure."""

    example: str = ""

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column; trec_eval: parameters are accepted and have no effect."""
        return [(name, ())]


def whole_number(name: str, text: str, least: int, before: str = "", fraction_off: bool = False) -> int:
    """Return the whole number of a parameter text; raise MeasureError for another one, or one below `least`.

    name          the measure, for the message
    before        the parameters before it, for the text that the message suggests
    fraction_off  whether 23.4 is 23
    """
    # The usual text, without the pattern: digits of a number below 10^17.
    if text.isdecimal() and text.isascii() and len(text) < 18 and int(text) >= least:
        return int(text)
    match = re.fullmatch(r"\s*([+-]?[0-9]+)(\.[0-9]+)?\s*", text)
    if not match or (match[2] and not fraction_off) or nearest_integer(match[1]) < least:
        raise MeasureError(
            f"-m {name}.…: found {quoted(text)}, expected a whole number of at least {least}"
            + _guess_at_cutoff(f"{name}.{before}", text)
        )
    return nearest_integer(match[1])  # of a number beyond 64 bits, the largest that fits


_LIKELY_CUTOFFS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"([0-9]{1,3})[_'.]([0-9]{3})", r"\1\2"),  # 1'000
    (r"([0-9]+)[kK]", r"\g<1>000"),  # 1k
    (r"([1-9][0-9]*)\.[0-9]*", r"\1"),  # 10.0
    (r"([0-9]+)[-:;/ ]+([0-9]+)", r"\1,\2"),  # 5;10
    (r"[0-9]+(\.[0-9]+)?[eE]\+?[0-9]{1,2}", lambda match: f"{float(match[0]):.0f}"),  # 1e3
)
"""Patterns of cutoffs as people write them, and the text of -m that each most likely means."""


def _guess_at_cutoff(before: str, text: str) -> str:
    """Return the end of the message about a cutoff that is no whole number: what the user may have meant.

    before  what precedes the cutoff in the text that the message suggests
    """
    for pattern, likely_cutoff in _LIKELY_CUTOFFS:
        if re.fullmatch(pattern, text):
            return f"; did you mean {before}{re.sub(pattern, likely_cutoff, text)}?"
    is_share = text.endswith("%") or re.fullmatch(r"0?\.[0-9]+", text)  # 5%, 0.05
    return "; shares are for recall_at_percent and wss" if is_share else ""


# Numbers as C's atof reads them.
_DECIMAL = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"

_HEXADECIMAL = r"\s*[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?\s*"


def decimal_number(name: str, text: str) -> float:
    """Return the decimal number of a parameter text; raise MeasureError if it is none, or not finite.

    name  the measure, for the message
    """
    # trec_eval: atof takes hexadecimal ones too.
    number = math.nan
    with suppress(OverflowError):
        if re.fullmatch(_HEXADECIMAL, text):
            number = float.fromhex(text)
        elif re.fullmatch(_DECIMAL, text):
            number = float(text)
    if not math.isfinite(number):
        raise MeasureError(f"-m {name}.…: found {quoted(text)}, expected a number")
    return number


def split_parameters(texts: Sequence[str]) -> list[str]:
    """Return the comma-separated parameters of all `-m name.…` of one measure."""
    return [part for text in texts for part in text.split(",")]


def check_comma(name: str, text: str) -> None:
    """Raise MeasureError for 0,5 among the parameters, which may be a decimal comma; 0,1 is a list of shares.

    To list 0 before another number, it is written with a decimal point: 0.0,5.
    Worked examples: 0,5 and 1,0,25 and 0,10 are refused; 0,0 and 0,1 and 0,1,5 and 10,5 and 0,0.5 are lists.
    """
    # A 0 alone, then a whole number alone that is neither 0 nor 1.
    match = re.search(r"(?:^|,)0,((?![01](?:,|$))[0-9]+)(?=,|$)", text)
    if match:
        raise MeasureError(
            f"-m {name}.{text}: found 0 before {match[1]}, expected a number, or 0.0,{match[1]}"
        )


@dataclass(frozen=True)
class Cutoffs:
    """Ranks at which the ranking is cut: one column for each, `name_rank`, ascending.

    defaults      the ranks if none is named; None: those of --nmax
    or_all        whether `all` can be named, for the whole ranking
    fraction_off  whether 23.4 is 23 at the end of a list of two or more, as in trec_eval
    """

    defaults: tuple[int, ...] | None
    example: str = "5,10"
    or_all: bool = False
    fraction_off: bool = False

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column a cutoff; those given several times count once."""
        parts = split_parameters(texts)
        if not parts:
            cutoffs = set(nmax if self.defaults is None else self.defaults)
            return [(f"{name}_{cutoff}", (cutoff,)) for cutoff in sorted(cutoffs)]
        with_all = self.or_all and WHOLE_RANKING in parts
        cutoffs = set()
        for number, part in enumerate(parts, 1):
            if with_all and part == WHOLE_RANKING:
                continue
            ends_list = len(parts) > 1 and number == len(parts)
            cutoffs.add(whole_number(name, part, 1, fraction_off=self.fraction_off and ends_list))
        columns: list[Column] = [(f"{name}_{cutoff}", (cutoff,)) for cutoff in sorted(cutoffs)]
        if with_all:
            columns.append((f"{name}_{WHOLE_RANKING}", (LARGEST_LONG,)))
        return columns


@dataclass(frozen=True)
class Fractions:
    """Decimal cutoffs (recall levels, multiples of R): one column for each, `name_0.10`, ascending."""

    defaults: tuple[float, ...]
    example: str = "0.1,0.5"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column a level; those given several times count once.

        trec_eval: levels with the same two decimals are columns of the same label.
        """
        for text in texts:
            check_comma(name, text)
        levels = {decimal_number(name, part) for part in split_parameters(texts)} or set(self.defaults)
        # trec_eval: the label has room for eight characters of the number.
        return [(f"{name}_{f'{level:3.2f}'[:8]}", (level,)) for level in sorted(levels)]


@dataclass(frozen=True)
class Coefficients:
    """Numbers that all go into one value: one column for each list, `name_1.0,0.5`, or `name` without any.

    defaults  the numbers if none is given
    count     how many a list must have; None: any number of them
    """

    defaults: tuple[float, ...]
    count: int | None = None
    example: str = "1.0"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column for each parameter list that was given."""
        columns = []
        for text in dict.fromkeys(texts):
            numbers = tuple(decimal_number(name, part) for part in text.split(","))
            if self.count is not None and len(numbers) != self.count:
                raise MeasureError(
                    f"-m {name}.{text}: {len(numbers)} numbers, expected {self.count}"
                    + (decimal_comma(text) if self.count == 1 else "")
                )
            if self.count is None:
                check_comma(name, text)
            columns.append((f"{name}_{text}", (numbers,)))
        return columns or [(name, (self.defaults,))]


@dataclass(frozen=True)
class BetaCutoffs:
    """A weight β, then ranks at which the ranking is cut: `2,10,100`; a column for each rank, `name_2_10`."""

    default_betas: tuple[float, ...]
    default_cutoffs: tuple[int, ...]
    example: str = "2,10,100"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column for each β and cutoff, ascending; those given several times count once.

        Two β with the same six digits are two columns of the same label.
        """
        chosen: set[tuple[float, int]] = set()
        if not texts:
            chosen.update(itertools.product(self.default_betas, self.default_cutoffs))
        for text in texts:
            first, *rest = text.split(",")
            beta = decimal_number(name, first)
            if rest and first == "0":
                raise MeasureError(
                    f"-m {name}.{text}: found a β of 0; is this a decimal comma?"
                    f" write {name}.0.{','.join(rest)}, or {name}.0.{text} for a β of 0"
                )
            if beta < 0:
                raise MeasureError(f"-m {name}.{text}: found {first!r}, expected β, a number of at least 0")
            cutoffs = [whole_number(name, part, 1, f"{first},") for part in rest]
            chosen.update((beta, cutoff) for cutoff in cutoffs or self.default_cutoffs)
        return [(f"{name}_{beta:g}_{cutoff}", (beta, cutoff)) for beta, cutoff in sorted(chosen)]


@dataclass(frozen=True)
class Multiples:
    """Ranks a R + b that grow with the number R of relevant documents: one column for each, `name_2R+100`.

    default_a, default_b  without parameters, there is a column for each a with each b
    """

    example: str = "1R+0,2R+100"
    default_a: tuple[int, ...] = (1, 2, 4)
    default_b: tuple[int, ...] = (0, 100, 1000)

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column for each a and b; those given several times count once."""
        chosen = {self._read(name, part) for part in split_parameters(texts)}
        if not chosen:
            chosen = set(itertools.product(self.default_a, self.default_b))
        return [(f"{name}_{a}R+{b}", (a, b)) for a, b in sorted(chosen)]

    def _read(self, name: str, text: str) -> tuple[int, int]:
        """Return a and b of the text `aR+b` or `aR`; raise MeasureError for any other."""
        match = re.fullmatch(r"([0-9]{1,9})R(?:\+([0-9]{1,9}))?", text)
        if match is None:
            raise MeasureError(f"-m {name}.…: found {quoted(text)}, expected aR+b, as in {name}.2R+100")
        return int(match[1]), int(match[2] or 0)


@dataclass(frozen=True)
class OptionalCutoffs:
    """The whole ranking, or ranks at which it is cut: one column `name`, or `name_rank` for each rank.

    The argument of the score function is None for the whole ranking.
    """

    example: str = "100,1000"

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column a cutoff, or that of the whole ranking if none was given."""
        if not texts:
            return [(name, (None,))]
        return Cutoffs(()).columns(name, texts, nmax)


@dataclass(frozen=True)
class Pairs:
    """Pairs `key=number` that all go into one value: one column for each list, `name_1=3.5,2=9.0`, or `name`.

    keys            the keys that are allowed; None: any, as in trec_eval
    is_persistence  whether the number is a persistence, p=0.8: a message guesses it from other texts
    """

    example: str = "1=3.5,2=9.0"
    keys: tuple[str, ...] | None = None
    is_persistence: bool = False

    def columns(self, name: str, texts: Sequence[str], nmax: Sequence[int] = DEFAULT_NMAX) -> list[Column]:
        """Return one column for each list of pairs that was given."""
        columns: list[Column] = []
        for text in dict.fromkeys(texts):
            pairs = tuple([self._read(name, text, part) for part in text.split(",")])
            columns.append((f"{name}_{text}", (pairs,)))
        return columns or [(name, ((),))]

    def _read(self, name: str, text: str, part: str) -> tuple[str, float]:
        """Return the key and the number of one part of a text; raise MeasureError for anything else."""
        key, equals, value = part.partition("=")
        if not key or not equals or "=" in value:
            expected = "key=number"
            if self.is_persistence and part.isdecimal():  # 8, or the end of 0,8
                digits = text.removeprefix("0,") if text.startswith("0,") else part
                expected = f"p=number: did you mean {name}.p=0.{digits}?"
            raise MeasureError(f"-m {name}.{text}: found {part!r}, expected {expected}")
        if self.keys is not None and key not in self.keys:
            raise MeasureError(f"-m {name}.{text}: found {key}=, expected {'=, '.join(self.keys)}=")
        return key, decimal_number(name, value)

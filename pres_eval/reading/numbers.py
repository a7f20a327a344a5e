"""Decimal text to numbers, exactly: the double nearest to the decimal, as strtod gives it.

Nearly all scores are [-]digits[.digits], perhaps with an exponent of two digits: these are read many at a
time.  A mantissa below 2^53 times or over 10^k, k ≤ 22, is exact, because both are; others are multiplied
with a power of ten in twice the precision, which settles the last bit but where the product lies almost
half-way between two doubles.  Those, and whatever looks otherwise, are read one by one by Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np

from pres_eval.arrays import (
    LARGEST,
    WORD,
    AnyArray,
    BoolArray,
    Bytes,
    FloatArray,
    IntArray,
    Words,
    all_digits,
    load_pairs,
    load_words,
    nearest_integer,
)

EXPONENT_LENGTH = 4  # e-05
MOST_DIGITS = 3 * WORD
LARGEST_TOP_WORD = 1000
"""Largest number of the digits before the last 16, so that the whole fits into 64 bits."""
EXACT_POWER = 22
"""10^22 is the largest power of ten that is a double."""
SCALED_POWER = 270
"""Powers of ten up to which products in twice the precision neither overflow nor lose digits."""

_ZEROS = np.uint64(0x3030303030303030)
# The last `count` bytes of a word: its highest ones.
_LAST = np.array([((1 << (8 * count)) - 1) << (64 - 8 * count) for count in range(WORD + 1)], np.uint64)
_TENS = np.array([10**power for power in range(20)], np.uint64)
_EXACT = np.array([float(10**power) for power in range(EXACT_POWER + 1)])

# Patterns are compiled where they are first used: most files need none of them.
# No digit can be taken by two parts of one: a token of 80,000 digits and an x is told at once.
_NUMBER = rb"(?i)[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?"
_HEXADECIMAL = rb"(?i)[+-]?0x([0-9a-f]+(\.[0-9a-f]*)?|\.[0-9a-f]+)(p[+-]?\d+)?"


def read_number(token: bytes) -> float | None:
    """Return one number, None if the token is none; hexadecimal floats and ±inf are numbers, nan is not."""
    if re.fullmatch(_NUMBER, token):
        return float(token)
    if re.fullmatch(_HEXADECIMAL, token):
        try:
            return float.fromhex(token.decode())
        except OverflowError:
            return float("-inf") if token.startswith(b"-") else float("inf")
    return None


def read_whole_number(token: bytes) -> int | None:
    """Return an integer of 64 bits, None if the token is none."""
    value = nearest_integer(token, 2**64) if re.fullmatch(rb"[+-]?\d+", token) else 2**64
    return value if abs(value) <= LARGEST else None


def read_numbers(buffer: Bytes, starts: IntArray, ends: IntArray) -> tuple[FloatArray, list[int]]:
    """Return the numbers buffer[starts[i]:ends[i]] (n,), and the rows that have none.

    The places ascend; the buffer can be read 24 bytes before the first and eight behind the last.
    """
    if not len(starts):
        return np.zeros(0), []
    short = _read_short(buffer, starts, ends)
    if short is not None:
        return short, []
    negative = buffer[starts] == ord("-")
    begin = starts + negative
    stop, exponent, regular = _cut_exponents(buffer, starts, ends)
    whole_stop, decimals = _find_dots(buffer, begin, stop)
    whole, whole_good = _digits(buffer, whole_stop, whole_stop - begin)
    part, part_good = _digits(buffer, stop, decimals)
    tens = _TENS[np.minimum(decimals, len(_TENS) - 1)]
    regular &= whole_good & part_good & (stop - begin > (whole_stop != stop))
    regular &= (whole == 0) | ((np.asarray(decimals) < 19) & (whole.astype(float) * tens < 9e18))
    values, settled = _scale(whole * tens + part, exponent - decimals)
    regular &= settled
    np.negative(values, out=values, where=negative)
    return values, _read_singly(values, ~regular, read_number, buffer, starts, ends)


def _read_singly(
    values: AnyArray,
    wanted: BoolArray,
    read: Callable[[bytes], float | None],
    buffer: Bytes,
    starts: IntArray,
    ends: IntArray,
) -> list[int]:
    """Fill in those of the values (n,) that are wanted (n,), and return the rows that have none."""
    wrong = []
    for row in np.flatnonzero(wanted).tolist():
        number = read(buffer[starts[row] : ends[row]].tobytes())
        if number is None:
            wrong.append(row)
        else:
            values[row] = number
    return wrong


def _read_short(buffer: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """Return numbers (n,) of up to eight digits, all with as many after the dot; None for other forms."""
    first = buffer[starts[0] : ends[0]].tobytes()
    decimals = len(first) - 1 - first.find(b".") if b"." in first else 0
    if not first.startswith(b"-"):
        # Where the first has no sign the others mostly have none: their digits tell without a look at it.
        values = _read_digits(buffer, ends, ends - starts, decimals)
        if values is not None:
            return values
    negative = buffer[starts] == ord("-")
    values = _read_digits(buffer, ends, ends - starts - negative, decimals)
    return None if values is None else np.negative(values, out=values, where=negative)


def _read_digits(buffer: Bytes, ends: IntArray, count: IntArray, decimals: int) -> FloatArray | None:
    """Return numbers in the `count` (N,) bytes before their ends, without a sign; None for other forms."""
    count -= decimals > 0
    if count.min() <= decimals - (decimals > 0) or count.max() > WORD or decimals >= WORD:
        return None
    last = ends - 1
    low, high = load_pairs(buffer, (last >> 3) - 1)
    shift = (last << 3).view(np.uint64) & np.uint64(56)
    np.subtract(np.uint64(56), shift, out=shift)
    digits = high << shift  # the last eight bytes of each number, in the order of the text
    digits |= low >> (np.uint64(64) - shift)
    if decimals:
        # Close the gap of the dot: what comes before it moves up by a byte.
        before = low << shift
        dot = np.uint64(8 * (WORD - 1 - decimals))
        if (((digits >> dot) & np.uint64(255)) != ord(".")).any():
            return None
        whole = digits << np.uint64(8)
        whole |= before >> np.uint64(56)
        digits &= _LAST[decimals]
        digits |= whole & ~_LAST[decimals]
    mask = ~np.uint64(0) << ((np.int64(WORD) - count).view(np.uint64) << np.uint64(3))
    digits &= mask
    digits |= _ZEROS & ~mask
    if not all_digits(digits).all():
        return None
    values = _eight_digits(digits).astype(np.float64)
    if decimals:
        values /= _EXACT[decimals]
    return values


def _cut_exponents(
    buffer: Bytes, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray | int, BoolArray]:
    """Return ends of mantissas (n,), two-digit exponents behind (n,), and where there is no other (n,)."""
    regular = np.ones(len(starts), np.bool_)
    letter = buffer[ends - EXPONENT_LENGTH]
    has = ((letter | 32) == ord("e")) & (ends - starts > EXPONENT_LENGTH)
    if not has.any():
        return ends, 0, regular
    sign = buffer[ends - 3]
    tens, ones = buffer[ends - 2] - ord("0"), buffer[ends - 1] - ord("0")
    regular = ~has | (((sign == ord("-")) | (sign == ord("+"))) & (tens < 10) & (ones < 10))
    exponent = 10 * tens.astype(np.int64) + ones
    exponent[sign == ord("-")] *= -1
    exponent[~has] = 0
    return ends - EXPONENT_LENGTH * has, exponent, regular


def _find_dots(buffer: Bytes, begin: IntArray, stop: IntArray) -> tuple[IntArray, IntArray | int]:
    """Return (n,) where the whole part of each number ends, and (n,) how many digits follow the dot."""
    first = buffer[begin[0] : stop[0]].tobytes()
    decimals = len(first) - 1 - first.find(b".") if b"." in first else 0
    if b"." in first and (buffer[stop - decimals - 1] == ord(".")).all():
        return stop - decimals - 1, decimals
    low = int(begin[0])
    dots = np.flatnonzero(buffer[low : int(stop[-1])] == ord(".")) + low
    dot = np.append(dots, stop[-1])[np.searchsorted(dots, begin)]
    whole_stop = np.minimum(dot, stop)
    return whole_stop, np.maximum(stop - whole_stop - 1, 0)


def _digits(buffer: Bytes, stop: IntArray, count: IntArray | int) -> tuple[Words, BoolArray]:
    """Return the integers (n,) of the `count` digits before `stop`, and (n,) whether they fit."""
    most = int(np.max(count))
    total = np.zeros(len(stop), np.uint64)
    good = np.asarray((count >= np.int64(0)) & (count <= np.int64(MOST_DIGITS)))
    good = np.broadcast_to(good, total.shape).copy()
    for number in range(min(-(-most // WORD), MOST_DIGITS // WORD)):
        mask = _LAST[np.clip(count - WORD * np.int64(number), 0, WORD)]
        word = load_words(buffer, stop - WORD * (number + 1))
        word &= mask
        word |= _ZEROS & ~mask
        good &= all_digits(word)
        value = _eight_digits(word)
        if number == MOST_DIGITS // WORD - 1:
            good &= value < np.uint64(LARGEST_TOP_WORD)
        total += value * _TENS[WORD * number]
    return total, good


def _eight_digits(word: Words) -> Words:
    """Return the numbers (n,) of eight digits: pairs, then fours, then all, each step in all lanes."""
    word = (word & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(2561) >> np.uint64(8)
    word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    return (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)


def _scale(mantissa: Words, power: IntArray | int) -> tuple[FloatArray, BoolArray]:
    """Return (n,) mantissa × 10^power as the nearest double, and (n,) where that is certain."""
    values = mantissa.astype(np.float64)
    exact = (mantissa < np.uint64(2**53)) & (np.abs(power) <= EXACT_POWER)
    if isinstance(power, int) and power <= 0 and exact.all():
        return values / _EXACT[-power], exact
    powers = np.broadcast_to(np.asarray(power, np.int64), values.shape)
    factors = _EXACT[np.minimum(np.abs(powers), EXACT_POWER)]
    settled = exact | (mantissa == 0)
    values = np.where(powers < 0, values / factors, values * factors)
    # A mantissa just below 2^64 would round up to it, which no integer holds.
    rows = np.flatnonzero(~settled & (np.abs(powers) <= SCALED_POWER) & (mantissa < np.uint64(2**63)))
    if len(rows):
        values[rows], settled[rows] = _scale_precisely(mantissa[rows], powers[rows])
    return values, settled


def _scale_precisely(mantissa: Words, powers: IntArray) -> tuple[FloatArray, BoolArray]:
    """Return the same (n,) in twice the precision: every number is an unevaluated sum of two doubles."""
    high = mantissa.astype(np.float64)
    low = (mantissa - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    chosen, which = np.unique(powers, return_inverse=True)
    table = np.array([_power_of_ten(power) for power in chosen.tolist()])[which]
    factor, factor_low = table[:, 0], table[:, 1]
    product = high * factor
    rest = _product_error(high, factor, product) + (high * factor_low + low * factor)
    values = product + rest
    half_unit = np.spacing(values) / 2
    error = np.abs(rest - (values - product))
    # The sum is off by less than 2^-90 of itself: its rounding is certain unless it lies that near to the
    # middle of two doubles.  Below a power of two doubles are closer together, so these are not settled here.
    certain = (np.abs(error - half_unit) > half_unit * 2.0**-30) & (np.frexp(values)[0] != 0.5)
    return values, certain


def _product_error(a: FloatArray, b: FloatArray, product: FloatArray) -> FloatArray:
    """Return the rounding errors (n,) of a × b, exactly (Dekker 1971, doi:10.1007/BF01397083)."""
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return doubles (n,) as the sums of two (n,) with half the digits each."""
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    return high, a - high


@cache
def _power_of_ten(power: int) -> tuple[float, float]:
    """Return 10^power as the sum of two doubles."""
    from fractions import Fraction

    exact = Fraction(10) ** power
    high = float(exact)
    return high, float(exact - Fraction(high))


def read_whole_numbers(buffer: Bytes, starts: IntArray, ends: IntArray) -> tuple[IntArray, list[int]]:
    """Return the integers buffer[starts[i]:ends[i]] (n,), and the rows that have none."""
    first = buffer[starts]
    if (ends - starts == 1).all() and (first - ord("0") < 10).all():  # as nearly all grades are
        return (first - ord("0")).astype(np.int64), []
    signed = (first == ord("-")) | (first == ord("+"))
    begin = starts + signed
    values, good = _digits(buffer, ends, ends - begin)
    good &= (ends > begin) & (values < np.uint64(2**63))
    numbers = values.astype(np.int64)
    np.negative(numbers, out=numbers, where=first == ord("-"))
    if good.all():
        return numbers, []
    return numbers, _read_singly(numbers, ~good, read_whole_number, buffer, starts, ends)

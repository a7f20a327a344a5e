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
    LARGEST_WHOLE_NUMBER,
    AnyArray,
    BoolArray,
    Bytes,
    FloatArray,
    IntArray,
    Words,
    nearest_integer,
)
from pres_eval.reading.digits import EXACT_POWER, EXACT_TENS, TENS, read_digits, read_short_numbers

EXPONENT_LENGTH = 4
"""Bytes of an exponent of two digits with its letter and sign, such as e-05."""

SPLITTER = 2.0**27 + 1
"""Dekker's factor that splits the 53 bits of a double into halves."""

SCALED_POWER = 270
"""Powers of ten, from -270 to 270, whose products in twice the precision neither overflow nor lose digits."""

MOST_DECIMALS = 18
"""Digits behind the dot up to which all digits of a number together may be a whole number of 64 bits."""

LARGEST_MANTISSA = 9e18
"""Mantissas below this, computed as doubles, are certainly below 2^63."""

# Patterns are compiled where they are first used: most files need none of them.
# No digit matches two parts of a pattern: that 80,000 digits and an x are no number is seen at once.
_NUMBER = rb"(?i)[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?"
_HEXADECIMAL = rb"(?i)[+-]?0x([0-9a-f]+(\.[0-9a-f]*)?|\.[0-9a-f]+)(p[+-]?\d+)?"


def read_number(token: bytes) -> float | None:
    """Return a token as a number, None if it is none; hexadecimal floats and ±inf are numbers, nan is not."""
    if re.fullmatch(_NUMBER, token):
        return float(token)
    if re.fullmatch(_HEXADECIMAL, token):
        try:
            return float.fromhex(token.decode())
        except OverflowError:
            return float("-inf") if token.startswith(b"-") else float("inf")
    return None


def read_whole_number(token: bytes) -> int | None:
    """Return a token as an integer of 64 bits, None if it is none."""
    if not re.fullmatch(rb"[+-]?\d+", token):
        return None
    value = nearest_integer(token, 2**64)
    if abs(value) > LARGEST_WHOLE_NUMBER:
        return None
    return value


def read_numbers(buffer: Bytes, starts: IntArray, ends: IntArray) -> tuple[FloatArray, list[int]]:
    """Return the numbers buffer[starts[i]:ends[i]] (n,), and the rows with text that is no number.

    The starts (n,) and ends (n,) ascend; the buffer has 24 bytes before the first number, and eight behind
    the last.  Numbers of the regular form [-]digits[.digits][e±dd] are read together, the others one by one.
    """
    if not len(starts):
        return np.zeros(0), []
    numbers = _read_short(buffer, starts, ends)
    if numbers is not None:
        return numbers, []
    is_negative = buffer[starts] == ord("-")
    begins = starts + is_negative
    stops, exponents, is_regular = _cut_exponents(buffer, starts, ends)
    dots, num_decimals = _find_dots(buffer, begins, stops)
    wholes, wholes_are_digits = read_digits(buffer, dots, dots - begins)
    decimals, decimals_are_digits = read_digits(buffer, stops, num_decimals)
    has_dot = dots != stops
    num_digits = stops - begins - has_dot
    is_regular &= wholes_are_digits & decimals_are_digits & (num_digits > 0)
    # All digits together, without the dot, have to be a number of 64 bits.
    tens = TENS[np.minimum(num_decimals, len(TENS) - 1)]
    has_few_decimals = np.asarray(num_decimals) <= MOST_DECIMALS
    fits_in_a_word = has_few_decimals & (wholes.astype(float) * tens < LARGEST_MANTISSA)
    is_regular &= (wholes == 0) | fits_in_a_word
    mantissa = wholes * tens + decimals
    numbers, is_certain = _scale(mantissa, exponents - num_decimals)
    is_regular &= is_certain
    np.negative(numbers, out=numbers, where=is_negative)
    return numbers, _read_singly(numbers, ~is_regular, read_number, buffer, starts, ends)


def _read_singly(
    values: AnyArray,
    is_unread: BoolArray,
    read: Callable[[bytes], float | None],
    buffer: Bytes,
    starts: IntArray,
    ends: IntArray,
) -> list[int]:
    """Read into values (n,) the numbers that are not read yet, one by one; return the rows that have none.

    is_unread  (n,) which ones these are
    read       function that returns the number of a token, None if it is none
    """
    wrong = []
    for row in np.flatnonzero(is_unread).tolist():
        number = read(buffer[starts[row] : ends[row]].tobytes())
        if number is None:
            wrong.append(row)
        else:
            values[row] = number
    return wrong


def _read_short(buffer: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """Return numbers (n,) of up to eight digits, all with as many after the dot; None if one is different."""
    first = buffer[starts[0] : ends[0]].tobytes()
    num_decimals = _num_decimals(first)
    if not first.startswith(b"-"):
        # If the first has no sign the others mostly have none; a sign is no digit: the result is None then.
        numbers = read_short_numbers(buffer, ends, ends - starts, num_decimals)
        if numbers is not None:
            return numbers
    is_negative = buffer[starts] == ord("-")
    numbers = read_short_numbers(buffer, ends, ends - starts - is_negative, num_decimals)
    if numbers is None:
        return None
    return np.negative(numbers, out=numbers, where=is_negative)


def _num_decimals(number: bytes) -> int:
    """Return how many bytes follow the dot of a number: 1 of b"-12.5", 0 without a dot."""
    return len(number.partition(b".")[2])


def _cut_exponents(
    buffer: Bytes, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray | int, BoolArray]:
    """Return where mantissas end (n,), exponents of two digits (n,), and whether they are well-formed (n,).

    Of b"1.5e-07" the mantissa ends behind the 5, and the exponent is -7.  b"15" has no exponent: its mantissa
    is all of it, and 0 the exponent.  Nor has b"1.5e7" one of two digits: it is read by itself.
    """
    letter = buffer[ends - EXPONENT_LENGTH]
    has_exponent = ((letter | 32) == ord("e")) & (ends - starts > EXPONENT_LENGTH)
    if not has_exponent.any():
        return ends, 0, np.ones(len(starts), np.bool_)
    sign = buffer[ends - 3]
    tens = buffer[ends - 2] - ord("0")
    units = buffer[ends - 1] - ord("0")
    is_negative = sign == ord("-")
    is_well_formed = (is_negative | (sign == ord("+"))) & (tens < 10) & (units < 10)
    exponents = 10 * tens.astype(np.int64) + units
    exponents[is_negative] *= -1
    exponents[~has_exponent] = 0
    return ends - EXPONENT_LENGTH * has_exponent, exponents, ~has_exponent | is_well_formed


def _find_dots(buffer: Bytes, begins: IntArray, stops: IntArray) -> tuple[IntArray, IntArray | int]:
    """Return (n,) where the whole part of each number ends, and (n,) how many digits follow the dot.

    The whole part of b"12.5" ends before the dot, with one digit behind it; that of b"125" ends with it.
    """
    num_decimals = _num_decimals(buffer[begins[0] : stops[0]].tobytes())
    if num_decimals and (buffer[stops - num_decimals - 1] == ord(".")).all():  # all have as many as the first
        return stops - num_decimals - 1, num_decimals
    low = int(begins[0])
    dots = np.flatnonzero(buffer[low : int(stops[-1])] == ord(".")) + low
    next_dot = np.append(dots, stops[-1])[np.searchsorted(dots, begins)]
    whole_stops = np.minimum(next_dot, stops)
    return whole_stops, np.maximum(stops - whole_stops - 1, 0)


def _scale(mantissa: Words, power: IntArray | int) -> tuple[FloatArray, BoolArray]:
    """Return (n,) mantissa × 10^power as the nearest double, and (n,) whether that is certain.

    125 and -1 are 12.5.  Both 125 and 10 are doubles, so that the quotient is rounded only once.
    """
    values = mantissa.astype(np.float64)
    is_exact = (mantissa < np.uint64(2**53)) & (np.abs(power) <= EXACT_POWER)
    if isinstance(power, int) and power <= 0 and is_exact.all():
        return values / EXACT_TENS[-power], is_exact
    powers = np.broadcast_to(np.asarray(power, np.int64), values.shape)
    sizes = np.abs(powers)
    factors = EXACT_TENS[np.minimum(sizes, EXACT_POWER)]
    is_certain = is_exact | (mantissa == 0)
    values = np.where(powers < 0, values / factors, values * factors)
    # A mantissa just below 2^64 would round up to it, which no integer holds.
    can_be_scaled = (sizes <= SCALED_POWER) & (mantissa < np.uint64(2**63))
    rows = np.flatnonzero(~is_certain & can_be_scaled)
    if len(rows):
        values[rows], is_certain[rows] = _scale_precisely(mantissa[rows], powers[rows])
    return values, is_certain


def _scale_precisely(mantissa: Words, powers: IntArray) -> tuple[FloatArray, BoolArray]:
    """Return (n,) mantissa × 10^power as the nearest double, and (n,) whether that is certain.

    It is computed in twice the precision: each number is the sum of two doubles, the nearest one and the
    rest, which is `low` and `factor_low` here.
    """
    high = mantissa.astype(np.float64)
    low = (mantissa - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    distinct_powers, index_of_power = np.unique(powers, return_inverse=True)
    powers_of_ten = np.array([_power_of_ten(power) for power in distinct_powers.tolist()])
    factor, factor_low = powers_of_ten[index_of_power].T
    product = high * factor
    rest = _product_error(high, factor, product) + (high * factor_low + low * factor)
    values = product + rest
    rounding_error = np.abs(rest - (values - product))
    half_unit = np.spacing(values) / 2  # from a double to the middle between it and the next one
    # The sum is off by less than 2^-90 of itself: its rounding is certain unless it lies that near to the
    # middle of two doubles.  Below a power of two doubles are closer together, so these are not settled here.
    is_far_from_middle = np.abs(rounding_error - half_unit) > half_unit * 2.0**-30
    is_power_of_two = np.frexp(values)[0] == 0.5
    return values, is_far_from_middle & ~is_power_of_two


def _product_error(a: FloatArray, b: FloatArray, product: FloatArray) -> FloatArray:
    """Return (n,) the exact a × b less its rounded product (Dekker 1971, doi:10.1007/BF01397083)."""
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two doubles with half the bits each whose sums are these doubles (n,) (Dekker 1971)."""
    shifted = a * SPLITTER
    high = shifted - (shifted - a)
    return high, a - high


@cache
def _power_of_ten(power: int) -> tuple[float, float]:
    """Return the two doubles whose sum is nearest to 10^power: the nearest one, and the rest."""
    from fractions import Fraction

    exact = Fraction(10) ** power
    high = float(exact)
    return high, float(exact - Fraction(high))


def read_whole_numbers(buffer: Bytes, starts: IntArray, ends: IntArray) -> tuple[IntArray, list[int]]:
    """Return the integers buffer[starts[i]:ends[i]] (n,), and the rows with text that is no integer."""
    first_bytes = buffer[starts]
    digits = first_bytes - ord("0")
    if (ends - starts == 1).all() and (digits < 10).all():  # as nearly all grades are
        return digits.astype(np.int64), []
    is_negative = first_bytes == ord("-")
    begins = starts + (is_negative | (first_bytes == ord("+")))
    values, is_regular = read_digits(buffer, ends, ends - begins)
    is_regular &= (ends > begins) & (values < np.uint64(2**63))
    numbers = values.astype(np.int64)
    np.negative(numbers, out=numbers, where=is_negative)
    if is_regular.all():
        return numbers, []
    return numbers, _read_singly(numbers, ~is_regular, read_whole_number, buffer, starts, ends)


def are_whole(values: FloatArray) -> BoolArray:
    """Return (n,) which doubles are whole numbers that 64 bits hold."""
    is_whole: BoolArray = np.trunc(values) == values
    return is_whole & (np.abs(values) < float(LARGEST_WHOLE_NUMBER))

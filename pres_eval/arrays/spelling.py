"""Decimal numbers as ids, and whether words are digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.types import BoolArray, IntArray, Words

LARGEST_WHOLE_NUMBER = 2**63 - 1
"""Largest signed number of 64 bits."""

LONGEST_NUMBER = 100
"""Digits from which on a number is above any limit here; Python's int() refuses more than 4,300."""


def nearest_integer(text: str | bytes, largest: int = LARGEST_WHOLE_NUMBER) -> int:
    """Return the integer of a sign and digits, or the nearest one in -largest - 1 ... largest, as C does."""
    if isinstance(text, bytes):
        text = text.decode()
    text = text.strip()
    digits = text.removeprefix("-").removeprefix("+").lstrip("0")
    number = largest + 1
    if len(digits) < LONGEST_NUMBER:
        number = int(digits or "0")
    if text.startswith("-"):
        return max(-largest - 1, -number)
    return min(number, largest)


def all_digits(words: Words) -> BoolArray:
    """Return (n,) whether all eight bytes of each word (n,) are digits.

    b"0" to b"9" are 0x30 to 0x39: their upper half is 3, also after 6 was added; that of b":", 0x3a, becomes
    4.
    """
    upper_halves = np.uint64(0xF0F0F0F0F0F0F0F0)
    after_adding_6 = (words + np.uint64(0x0606060606060606)) & upper_halves
    both_halves = (words & upper_halves) | (after_adding_6 >> np.uint64(4))
    are_digits: BoolArray = both_halves == np.uint64(0x3333333333333333)
    return are_digits


_POWERS_OF_TEN = np.array([10**exponent for exponent in range(1, 19)], np.int64)
"""10 to 10^18: a number has a digit more for each that is not above it."""

_ZEROS = np.uint64(0x3030303030303030)
"""Eight digits 0 as a word."""


def decimal_ids(numbers: IntArray) -> Ids:
    """Return the decimal digits of whole numbers (n,) >= 0 as ids: 7 becomes `7`."""
    num_digits = np.searchsorted(_POWERS_OF_TEN, numbers, side="right") + 1
    if int(num_digits.max(initial=0)) <= WORD:
        zero_bits = ((WORD - num_digits) << 3).astype(np.uint64)
        return Ids([_eight_digits(numbers) >> zero_bits])
    upper, low = np.divmod(numbers, 10**8)
    high, middle = np.divmod(upper, 10**8)
    words = [_eight_digits(high), _eight_digits(middle), _eight_digits(low)]
    return _without_zeros(words, num_digits)


def _without_zeros(words: Sequence[Words], num_digits: IntArray) -> Ids:
    """Return the last digits (n,) of three words (n,) each, as many as a number has.

    Of 123,456,789 the words are b"00000000", b"00000001" and b"23456789".  15 zeros are left out: a whole
    word, and seven bytes of each word behind, so that the columns are b"12345678" and b"9".
    """
    zero_words, zero_bytes = np.divmod(3 * WORD - num_digits, WORD)  # in front of each number
    zero_bits = (zero_bytes << 3).astype(np.uint64)
    nothing = np.zeros(len(num_digits), np.uint64)
    padded = [*words, nothing, nothing, nothing]
    num_columns = -(-int(num_digits.max()) // WORD)  # rounded up
    columns = []
    for number in range(num_columns):
        # Each id begins in one of the three words from here on, and goes on in the next one.
        low = np.choose(zero_words, padded[number : number + 3])
        high = np.choose(zero_words, padded[number + 1 : number + 4])
        # numpy shifts everything out where the shift is 64.
        columns.append((low >> zero_bits) | (high << (np.uint64(64) - zero_bits)))
    return Ids(columns)


def _eight_digits(numbers: IntArray) -> Words:
    """Return numbers (n,) below 10**8 as words of eight digits (n,), the first in the lowest byte.

    12,345,678 becomes two numbers of four digits in the halves of a word, 1234 and 5678; these become four of
    two digits, 12, 34, 56 and 78, in its quarters; and these become digits.  All parts of a word are divided
    at once: x // 100 is x * 10486 >> 20 for x below 10,000, and x // 10 is x * 103 >> 10 for x below 100.
    """
    upper, lower = np.divmod(numbers.astype(np.uint64), np.uint64(10_000))
    fours = upper | (lower << np.uint64(32))
    hundreds = ((fours * np.uint64(10486)) >> np.uint64(20)) & np.uint64(0x0000007F0000007F)
    rest_of_fours = fours - hundreds * np.uint64(100)
    twos = hundreds | (rest_of_fours << np.uint64(16))
    tens = ((twos * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    units = twos - tens * np.uint64(10)
    digits: Words = tens | (units << np.uint64(8))
    return digits + _ZEROS

"""Decimal numbers as ids, and whether words are digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.types import BoolArray, IntArray, Words

LARGEST_WHOLE_NUMBER = 2**63 - 1
"""Largest number of 64 bits."""


def nearest_integer(text: str | bytes, largest: int = LARGEST_WHOLE_NUMBER) -> int:
    """Return the integer of a sign and digits, or the nearest in -largest - 1 ... largest, as C does.

    Python's int() refuses more than 4,300 digits.
    """
    if isinstance(text, bytes):
        text = text.decode()
    text = text.strip()
    digits = text.removeprefix("-").removeprefix("+").lstrip("0")
    number = largest + 1
    if len(digits) < 100:
        number = int(digits or "0")
    if text.startswith("-"):
        return max(-largest - 1, -number)
    return min(number, largest)


def all_digits(words: Words) -> BoolArray:
    """Return (n,) whether all eight bytes are 0-9: their upper half is 3, also after 6 was added."""
    upper = np.uint64(0xF0F0F0F0F0F0F0F0)
    raised = ((words + np.uint64(0x0606060606060606)) & upper) >> np.uint64(4)
    good: BoolArray = ((words & upper) | raised) == np.uint64(0x3333333333333333)
    return good


_POWERS = np.array([10**exponent for exponent in range(1, 19)], np.int64)
_ZEROS = np.uint64(0x3030303030303030)


def decimal_ids(numbers: IntArray) -> Ids:
    """Return the decimal digits of whole numbers (n,) >= 0 as ids: 7 becomes `7`."""
    num_digits = np.searchsorted(_POWERS, numbers, side="right") + 1
    if not len(numbers) or int(num_digits.max()) <= WORD:
        return Ids([_eight_digits(numbers) >> ((WORD - num_digits) << 3).astype(np.uint64)])
    upper, low = np.divmod(numbers, 10**8)
    high, middle = np.divmod(upper, 10**8)
    return _without_zeros([_eight_digits(high), _eight_digits(middle), _eight_digits(low)], num_digits)


def _without_zeros(words: Sequence[Words], num_digits: IntArray) -> Ids:
    """Return the last digits (n,) of three words (n,) each, as many as a number has.

    Of 123,456,789 the words are b"00000000", b"00000001" and b"23456789".  15 zeros are left out: a whole
    word, and seven bytes of each word behind, so that the columns are b"12345678" and b"9".
    """
    num_zeros = 3 * WORD - num_digits
    zero_words, zero_bits = num_zeros // WORD, (num_zeros % WORD << 3).astype(np.uint64)
    nothing = np.zeros(len(num_digits), np.uint64)
    padded = [*words, nothing, nothing, nothing]
    columns = []
    for number in range(-(-int(num_digits.max()) // WORD)):
        low = np.choose(zero_words, padded[number : number + 3])
        high = np.choose(zero_words, padded[number + 1 : number + 4])
        # numpy shifts everything out where the shift is 64.
        columns.append((low >> zero_bits) | (high << (np.uint64(64) - zero_bits)))
    return Ids(columns)


def _eight_digits(numbers: IntArray) -> Words:
    """Return numbers (n,) below 10**8 as eight digits each (n,), the first in the lowest byte."""
    # Halves, quarters and eighths of the word at once: the quotients by multiplication and shift.
    upper, lower = np.divmod(numbers.astype(np.uint64), np.uint64(10_000))
    fours = upper | (lower << np.uint64(32))
    hundreds = ((fours * np.uint64(10486)) >> np.uint64(20)) & np.uint64(0x0000007F0000007F)
    twos = hundreds | ((fours - hundreds * np.uint64(100)) << np.uint64(16))
    tens = ((twos * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    word: Words = (tens | ((twos - tens * np.uint64(10)) << np.uint64(8))) + _ZEROS
    return word

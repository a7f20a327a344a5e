"""Decimal numbers as ids, and whether words are digits."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.types import BoolArray, IntArray, Words

LARGEST = 2**63 - 1
"""Largest number of 64 bits."""


def nearest_integer(text: str | bytes, largest: int = LARGEST) -> int:
    """Return the integer of a sign and digits, or the nearest in -largest - 1 ... largest, as C does.

    Python's int() refuses more than 4,300 digits.
    """
    digits = (text.decode() if isinstance(text, bytes) else text).strip()
    negative = digits.startswith("-")
    digits = digits[digits.startswith(("-", "+")) :].lstrip("0") or "0"
    number = int(digits) if len(digits) < 100 else largest + 1
    return max(-largest - 1, -number) if negative else min(number, largest)


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
    digits = np.searchsorted(_POWERS, numbers, side="right") + 1
    if not len(numbers) or int(digits.max()) <= WORD:
        return Ids([_eight_digits(numbers) >> ((WORD - digits) << 3).astype(np.uint64)])
    # 24 digits as three words, moved to the left until the first digit is not a leading zero.
    upper, low = np.divmod(numbers, 10**8)
    words = [_eight_digits(part) for part in (*np.divmod(upper, 10**8), low)]
    lost = 3 * WORD - digits
    whole, bits = lost // WORD, (lost % WORD << 3).astype(np.uint64)
    columns = [np.zeros(len(numbers), np.uint64) for _ in range(2 if int(digits.max()) <= 2 * WORD else 3)]
    padded = [*words, *(np.zeros(len(numbers), np.uint64),) * 3]
    for number, column in enumerate(columns):
        low = np.choose(whole, padded[number : number + 3])
        high = np.choose(whole, padded[number + 1 : number + 4])
        # numpy shifts everything out where the shift is 64.
        np.bitwise_or(low >> bits, high << (np.uint64(64) - bits), out=column)
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

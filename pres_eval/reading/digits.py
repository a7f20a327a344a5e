"""Digits of many numbers at a time: eight bytes of text are one word, whose first byte is the lowest."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays import (
    WORD,
    BoolArray,
    Bytes,
    FloatArray,
    IntArray,
    Words,
    all_digits,
    load_words,
)

MOST_DIGITS = 3 * WORD
"""Digits of a number that `read_digits` reads, in three words."""

LARGEST_TOP_WORD = 1000
"""Largest number of the digits before the last 16, so that the whole fits into 64 bits."""

EXACT_POWER = 22
"""10^22 is the largest power of ten that is a double."""

EXACT_TENS = np.array([float(10**power) for power in range(EXACT_POWER + 1)])
"""Powers of ten that are doubles: 10^k at index k."""

TENS = np.array([10**power for power in range(20)], np.uint64)
"""Powers of ten that are whole numbers of 64 bits: 10^k at index k."""

_ZEROS = np.uint64(0x3030303030303030)
"""Eight digits 0 as a word."""

_LAST_BYTES = np.array([((1 << (8 * count)) - 1) << (64 - 8 * count) for count in range(WORD + 1)], np.uint64)
"""The i-th mask keeps the last i bytes of a word, which are its highest ones."""


def read_short_numbers(
    buffer: Bytes, ends: IntArray, lengths: IntArray, num_decimals: int
) -> FloatArray | None:
    """Return unsigned numbers (n,) of up to eight digits; None if one of them has another form.

    ends, lengths  (n,) where each number ends in the buffer, and how many bytes it has
    num_decimals   digits behind the dot of every number; 0: none has a dot

    Of b"12.5" in b"Q0 d1 12.5" the last eight bytes are b" d1 12.5".  Without the dot these are b"0 d1 125",
    and of these the last three count: b"00000125" is 125, and 125 / 10 is 12.5.
    """
    num_digits = lengths
    if num_decimals:
        num_digits = lengths - 1  # the dot is none
    # A number has a digit, and all its decimals (.5 has no digit before the dot); a word holds the dot too.
    least_digits = max(num_decimals, 1)
    if num_digits.min() < least_digits or num_digits.max() > WORD or num_decimals >= WORD:
        return None
    words = load_words(buffer, ends - WORD)
    if num_decimals:
        dot = np.uint64(8 * (WORD - 1 - num_decimals))
        if (((words >> dot) & np.uint64(255)) != ord(".")).any():
            return None
        _close_gap(words, buffer[ends - WORD - 1], num_decimals)
    bits_before = (np.int64(WORD) - num_digits).view(np.uint64) << np.uint64(3)
    _fill_with_zeros(words, ~np.uint64(0) << bits_before)
    if not all_digits(words).all():
        return None
    values = eight_digits(words).astype(np.float64)
    if num_decimals:
        values /= EXACT_TENS[num_decimals]
    return values


def _close_gap(words: Words, bytes_before: Bytes, num_decimals: int) -> None:
    """Move what is before the dot of each word (n,) up by a byte, over the dot.

    bytes_before  (n,) the byte before each word, which becomes its first
    With one decimal b" d1 12.5" becomes b"0 d1 125".
    """
    decimals = _LAST_BYTES[num_decimals]
    moved = words << np.uint64(8)
    moved |= bytes_before
    words &= decimals
    words |= moved & ~decimals


def _fill_with_zeros(words: Words, digits: Words) -> None:
    """Write the digit 0 over all bytes of words (n,) but those of their digits.

    digits  (n,) masks of the bytes that are digits
    """
    words &= digits
    words |= _ZEROS & ~digits


def read_digits(buffer: Bytes, ends: IntArray, counts: IntArray | int) -> tuple[Words, BoolArray]:
    """Return (n,) the whole numbers that the `counts` (n,) bytes before each end are, and (n,) whether they
    are.

    Numbers of more than MOST_DIGITS digits, or of more than 64 bits, are none.  Of b"12345678901" the last
    word is b"45678901", the one before it b"00000123": 123 times 10^8 and 45,678,901.
    """
    totals = np.zeros(len(ends), np.uint64)
    has_good_length = np.asarray((counts >= np.int64(0)) & (counts <= np.int64(MOST_DIGITS)))
    has_digits_alone = np.broadcast_to(has_good_length, totals.shape).copy()
    num_words = -(-int(np.max(counts)) // WORD)
    for number in range(min(num_words, MOST_DIGITS // WORD)):
        words = load_words(buffer, ends - WORD * (number + 1))
        digits_of_word = np.clip(counts - WORD * np.int64(number), 0, WORD)
        _fill_with_zeros(words, _LAST_BYTES[digits_of_word])
        has_digits_alone &= all_digits(words)
        values = eight_digits(words)
        if number == MOST_DIGITS // WORD - 1:
            has_digits_alone &= values < np.uint64(LARGEST_TOP_WORD)
        totals += values * TENS[WORD * number]
    return totals, has_digits_alone


def eight_digits(words: Words) -> Words:
    """Return the numbers (n,) of words of eight digits (n,).

    Two digits become a number of a pair, two pairs one of four digits, and two of these all; all parts of a
    word are multiplied at once.  Of b"12345678" the pairs are 12, 34, 56, 78: 2561 is 10 * 2^8 + 1, so that
    a product has 10 times each digit beside the next digit.  The fours are 1234 and 5678, by 100 * 2^16 + 1;
    then 10,000 * 2^32 + 1.
    """
    digits = words & np.uint64(0x0F0F0F0F0F0F0F0F)
    pairs = (digits * np.uint64(2561) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(6553601) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return fours * np.uint64(42949672960001) >> np.uint64(32)

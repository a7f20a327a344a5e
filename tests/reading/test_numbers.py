"""Decimal text to numbers: bit by bit what the text says, whatever it looks like."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.plain_reading import number

from pres_eval.reading.numbers import read_number, read_numbers, read_whole_numbers

PADDING = 64


def placed(tokens: list[bytes], between: bytes = b" ") -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The tokens in a buffer, and where they begin and end."""
    buffer = bytearray(b"9" * PADDING)
    starts = []
    for token in tokens:
        buffer += between
        starts.append(len(buffer))
        buffer += token
    ends = [start + len(token) for start, token in zip(starts, tokens, strict=True)]
    buffer += between + b"8" * PADDING
    return np.frombuffer(bytes(buffer), np.uint8), np.array(starts, np.int64), np.array(ends, np.int64)


def bits(value: float) -> bytes:
    return struct.pack(">d", value)


def check(tokens: list[bytes]) -> None:
    """Compare a column of numbers with Python's float and with exact fractions."""
    values, wrong = read_numbers(*placed(tokens))
    expected = [number(token) for token in tokens]
    if None in expected:
        assert wrong == [row for row, value in enumerate(expected) if value is None]
        return
    assert not wrong
    for token, value, exact in zip(tokens, values.tolist(), expected, strict=True):
        assert exact is not None
        assert bits(value) == bits(exact), token
        if b"x" not in token.lower():
            assert bits(value) == bits(float(token)), token


def halfway(value: float, digits: int) -> bytes:
    """The middle of two doubles, rounded to so many digits: ambiguous to the last place."""
    middle = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
    return f"{Decimal(middle.numerator) / Decimal(middle.denominator):.{digits}e}".encode()


SIGNS = st.sampled_from([b"", b"", b"-", b"+"])
DIGITS = st.integers(0, 26).flatmap(
    lambda count: st.text("0123456789", min_size=count, max_size=count).map(str.encode)
)
SHORT = st.text("0123456789", min_size=1, max_size=4).map(str.encode)
EXPONENTS = st.one_of(
    st.just(b""),
    st.builds(
        lambda letter, sign, digits: letter + sign + digits,
        st.sampled_from([b"e", b"E"]),
        SIGNS,
        st.integers(0, 330).map(lambda power: str(power).encode())
        | st.sampled_from([b"0", b"00", b"05", b"22", b"23", b"007", b"99"]),
    ),
)
DECIMALS = st.builds(
    lambda sign, whole, dot, part, exponent: sign + whole + dot + part + exponent,
    SIGNS,
    DIGITS,
    st.sampled_from([b".", b".", b""]),
    DIGITS,
    EXPONENTS,
).filter(lambda token: number(token) is not None)
REPRESENTED = st.floats(allow_nan=False).map(lambda value: repr(value).encode())
HALF_WAY = st.builds(
    halfway,
    st.floats(1e-30, 1e30, allow_nan=False),
    st.integers(17, 25),
)
FIXED = st.builds(
    lambda value, digits: b"%.*f" % (digits, value),
    st.floats(-1000, 1000),
    st.sampled_from([1, 4, 6, 7, 9, 17]),
)
OTHER = st.sampled_from([b"inf", b"-Infinity", b"+inf", b"0x1.8p3", b"-0XA.", b"0x.8", b"1e999", b"-1e-999"])
NUMBERS = st.one_of(DECIMALS, REPRESENTED, HALF_WAY, FIXED, OTHER)


@settings(deadline=None, max_examples=700)
@given(st.lists(NUMBERS, min_size=1, max_size=6))
@example([b"1e22", b"1e23", b"9007199254740993", b"9007199254740992e22", b"9007199254740993e-22"])
@example([b"4.9e-324", b"2.4703282292062328e-324", b"2.2250738585072011e-308", b"1.7976931348623159e308"])
@example([b"8.5", b"1234567.5", b"12345678"])
@example([b"1.5", b".5", b"-.5"])
@example([b"1.", b"2."])
@example([b"1234567890123456789012345", b"0.1234567890123456789012345"])
@example([b"9223372036854775807", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616"])
@example([b"9007199254740993.0", b"900719925474099.35", b"0.9007199254740993"])
@example([b"72057594037927945e00", b"72057594037927944e-05", b"36028797018963972e10"])
@example([b"1e5", b"100000", b"-0", b"-0.0", b"+0"])
@example([b"100000000000000000000000.5", b"0000000000000000000000001.5"])
def test_numbers(tokens: list[bytes]) -> None:
    check(tokens)


@settings(deadline=None, max_examples=300)
@given(st.lists(HALF_WAY, min_size=5, max_size=20))
def test_middles_of_doubles(tokens: list[bytes]) -> None:
    """The hard case: decimals (nearly) half-way between two doubles."""
    check(tokens)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 9), st.lists(st.tuples(SIGNS, st.integers(0, 10**9)), min_size=1, max_size=30))
def test_columns_with_the_same_decimals(decimals: int, numbers: list[tuple[bytes, int]]) -> None:
    """What nearly all runs have."""
    check([b"%s%.*f" % (sign, decimals, value / 10**decimals) for sign, value in numbers])


@pytest.mark.parametrize("seed", range(3))
def test_many_random_doubles(seed: int) -> None:
    """Random bit patterns and random decimals, thousands in one column."""
    generator = np.random.default_rng(seed)
    patterns = generator.integers(0, 2**64, 8000, np.uint64).view(np.float64)
    tokens = [repr(value).encode() for value in patterns[np.isfinite(patterns)].tolist()]
    digits = generator.integers(10**16, 9 * 10**18, 8000).tolist()
    powers = generator.integers(-60, 60, 8000).tolist()
    tokens += [b"%de%d" % pair for pair in zip(digits, powers, strict=True)]
    values, wrong = read_numbers(*placed(tokens))
    assert not wrong
    assert values.tobytes() == np.array([float(token) for token in tokens]).tobytes()


NO_NUMBERS = [
    *(b"1_000", b"1e", b"1e+", b"nan", b"NaN", b"-nan", b"--1", b"+-1", b"1.2.3", b"0x", b"0xg", b"e5", b"."),
    *(
        b"+",
        b"-",
        b"-.",
        b".e5",
        b"1,5",
        b"abc",
        b"12abc",
        b"1-",
        b"1.5-",
        b"1e5.0",
        b"1e-",
        b"0b1",
        b"infinit",
    ),
    *(
        b"\xd9\xa1",
        b"1\xff",
        b"\xb9",
        b"1e 5",
        b"12345678x",
        b"x2345678",
        b"1234567/",
        b"1234567:",
        b"1.23456:",
    ),
    *(
        b"1..5",
        b"5.-1",
        b"1e--5",
        b"1e0x",
        b"1f",
        b"1.5f",
        b"nan(1)",
        b"1e5_0",
        b"123456789012345678/",
        b"in",
    ),
    *(
        b"1e+5e+05",
        b"1.5e-0a",
        b"1.5e*05",
        b"1:5",
        b"1\x0f5",
        b"\x1c5",
        b"5\x1c",
        b"1.\x80",
        b"0x1p",
        b"0x.p1",
    ),
]


@pytest.mark.parametrize("token", NO_NUMBERS)
@pytest.mark.parametrize(
    "others",
    [[], [b"1.5", b"2.5"], [b"1", b"2"], [b"1.23456", b"7.00000"], [b"1e-05", b"0.12345678901234567"]],
)
def test_what_is_no_number(token: bytes, others: list[bytes]) -> None:
    """It is found wherever it is, and whatever the others look like."""
    assert read_number(token) is None
    assert number(token) is None
    for place in range(len(others) + 1):
        assert read_numbers(*placed([*others[:place], token, *others[place:]]))[1] == [place]


@settings(deadline=None, max_examples=600)
@given(
    st.lists(
        st.lists(
            st.sampled_from([b"1", b"0", b"9", b".", b"-", b"+", b"e", b"E", b"x", b"_", b"/", b":"]),
            min_size=1,
        )
        .map(b"".join)
        .filter(lambda token: len(token) < 30)
        | NUMBERS,
        min_size=1,
        max_size=5,
    )
)
def test_what_looks_like_a_number(tokens: list[bytes]) -> None:
    check(tokens)


@pytest.mark.parametrize("between", [b" ", b"\t", b"\r\n", b"9 ", b". "])
def test_neighbours_do_not_matter(between: bytes) -> None:
    tokens = [b"1.5", b"22.25", b"-3.0", b"123456789.125"]
    buffer, starts, ends = placed(tokens, between)
    values, wrong = read_numbers(buffer, starts, ends)
    assert (values.tolist(), wrong) == ([1.5, 22.25, -3.0, 123456789.125], [])


def test_no_numbers_at_all() -> None:
    values, wrong = read_numbers(*placed([]))
    assert (len(values), wrong) == (0, [])


WHOLE = st.builds(lambda sign, digits: sign + digits, SIGNS, DIGITS.filter(bool))


@settings(deadline=None, max_examples=500)
@given(
    st.lists(WHOLE | st.integers(-(2**65), 2**65).map(lambda value: b"%d" % value), min_size=1, max_size=5)
)
@example([b"9223372036854775807", b"-9223372036854775807"])
@example([b"0", b"9223372036854775808"])
@example([b"-9223372036854775808"])
@example([b"0000000000000000000000000000000000001", b"-0"])
def test_whole_numbers(tokens: list[bytes]) -> None:
    values, wrong = read_whole_numbers(*placed(tokens))
    too_large = [abs(int(token)) >= 2**63 for token in tokens]
    if any(too_large):
        assert wrong == [row for row, large in enumerate(too_large) if large]
    else:
        assert (values.tolist(), wrong) == ([int(token) for token in tokens], [])


@pytest.mark.parametrize(
    "token", [b"1.7", b"abc", b"1e3", b"-", b"+", b"--1", b"1_0", b"1x", b"0x1", b"1.", b"\xb9"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_whole_number(token: bytes, place: int) -> None:
    tokens = [b"1", b"-20"]
    tokens.insert(place, token)
    assert read_whole_numbers(*placed(tokens))[1] == [place]

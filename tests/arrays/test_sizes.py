"""Arrays on the boundaries of tables, types and blocks, and one row before and behind them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pres_eval.arrays import (
    GrowingColumns,
    Ids,
    IdTable,
    accumulate,
    blocks,
    decimal_ids,
    elementwise,
    exact,
    log2,
    match,
    narrow,
    nearest_integer,
    repeated,
    rows_of_stretches,
    stable_order,
)
from pres_eval.arrays.columns import LONG_COLUMN_BYTES, SHORT_COLUMN_ROWS
from pres_eval.arrays.exact import SHORT_STRETCH_VALUES
from pres_eval.arrays.stretches import BLOCK_ROWS


@pytest.mark.parametrize("limit", [1, 255, 256, 257, 65_535, 65_536, 65_537, 70_000])
def test_the_largest_numbers_come_last(limit: int) -> None:
    numbers = np.array([limit - 1, 0, limit - 1, limit // 2, 0])
    assert stable_order(numbers, limit).tolist() == np.argsort(numbers, kind="stable").tolist()


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([], np.int8),
        ([127, -128], np.int8),
        ([128], np.int32),
        ([-129], np.int32),
        ([2**31 - 1, -(2**31)], np.int32),
        ([2**31], np.int64),
        ([-(2**31) - 1], np.int64),
    ],
)
def test_numbers_in_few_bytes(numbers: list[int], dtype: type) -> None:
    found = narrow(np.array(numbers, np.int64))
    assert found.dtype == dtype and found.tolist() == numbers


@pytest.mark.parametrize("length", [SHORT_STRETCH_VALUES - 1, SHORT_STRETCH_VALUES, SHORT_STRETCH_VALUES + 1])
@pytest.mark.parametrize("before", [0, 1, 3])
def test_stretches_of_a_table_and_of_a_loop(length: int, before: int) -> None:
    lengths = [before, length, 2, length + 50, 0, length]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = 1.0 / np.arange(3, offsets[-1] + 3)
    for operation in (np.add, np.multiply):
        expected = [operation.accumulate(part) for part in np.split(values, offsets[1:-1])]
        assert accumulate(operation, values, offsets).tolist() == np.concatenate(expected).tolist()


@pytest.mark.parametrize("largest", [1, 1023, 1024, 1025, 65_535, 65_536, 65_537, 10**12])
@pytest.mark.parametrize("size", [2, 20_000])
def test_logarithms_beside_the_ends_of_tables(
    largest: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "_LOG2_TABLE", np.array([math.nan]))
    numbers = np.full(size, largest)
    numbers[0] = 1
    for _ in range(2):  # the second time some are in the table
        assert log2(numbers).tolist() == [0.0] + [math.log2(largest)] * (size - 1)
    assert log2(np.array([largest + 1])).tolist() == [math.log2(largest + 1)]


def test_results_have_the_shape_of_the_values() -> None:
    values = np.array([[3.0, 1.0], [3.0, 2.0]])
    assert elementwise(math.sqrt, values).tolist() == [[math.sqrt(3), 1.0], [math.sqrt(3), math.sqrt(2)]]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([5, 5], [(0, 2)]),
        ([5, 6], [(0, 1), (1, 2)]),
        ([11, 1], [(0, 1), (1, 2)]),
        ([0, 10, 0, 10, 0], [(0, 3), (3, 5)]),
        ([3, 25, 3, 7], [(0, 1), (1, 2), (2, 4)]),
        ([], []),
    ],
)
def test_blocks_are_full(lengths: list[int], expected: list[tuple[int, int]]) -> None:
    assert list(blocks(np.concatenate(([0], np.cumsum(lengths))).astype(np.int64), 10)) == expected


@pytest.mark.parametrize("length", [BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1])
def test_rows_on_both_sides_of_a_block(length: int) -> None:
    rows, offsets = rows_of_stretches(np.array([7, 3]), np.array([length, 2]))
    assert offsets.tolist() == [0, length, length + 2]
    assert (rows[:length] == np.arange(7, 7 + length)).all() and rows[length:].tolist() == [3, 4]


def test_digits_at_powers_of_ten() -> None:
    """Each number of digits: one word, then two and three."""
    numbers = [0, 9, 10**18, 2**63 - 1]
    for exponent in range(1, 19):
        numbers += [10**exponent - 1, 10**exponent, 10**exponent + 1, 10**exponent // 7]
    for most in (10**8 - 1, 10**8, 10**16 - 1, 10**16, 2**63 - 1):
        chosen = [number for number in numbers if number <= most]
        assert list(decimal_ids(np.array(chosen))) == [str(number).encode() for number in chosen]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" +007 ", 7),
        ("-0", 0),
        ("+", 0),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", -(2**63)),
        (b"1" * 99, 2**63 - 1),
        ("-" + "1" * 5000, -(2**63)),
        ("0" * 5000 + "12", 12),
    ],
)
def test_integers_as_c_reads_them(text: str | bytes, number: int) -> None:
    assert nearest_integer(text) == number


@pytest.mark.parametrize("largest", [9, 2**31 - 1])
def test_integers_of_other_limits(largest: int) -> None:
    for number in (largest, largest + 1, -largest - 1, -largest - 2):
        assert nearest_integer(str(number), largest) == min(max(number, -largest - 1), largest)


@pytest.mark.parametrize("num_topics", [1, 2, 3, 4, 5, 8, 9, 255, 256, 257])
def test_documents_of_one_topic_alone_match(num_topics: int) -> None:
    """The same three ids in each topic, one of them twice; the others have two, and one that is not there."""
    ids = Ids.from_texts([b"a", b"b", b"a", b"a-long-id-of-three-words"] * num_topics)
    others = Ids.from_texts([b"a-long-id-of-three-words", b"c", b"a"] * num_topics)
    found = match(np.full(num_topics, 4), ids, np.full(num_topics, 3), others)
    topics = np.arange(num_topics)[:, np.newaxis]
    assert found.repeats.tolist() == (4 * topics + 2).ravel().tolist()
    assert found.first.tolist() == (4 * topics).ravel().tolist()
    assert found.rows.tolist() == (4 * topics + [0, 2, 3]).ravel().tolist()
    assert found.partners.tolist() == (3 * topics + [2, 2, 0]).ravel().tolist()
    rows, first = repeated(np.arange(num_topics + 1) * 4, ids)
    assert (rows.tolist(), first.tolist()) == (found.repeats.tolist(), found.first.tolist())


@pytest.mark.parametrize("size", [1, 255, 256, 32_767, 32_768, 40_000, 65_536, 65_537])
def test_ids_are_found_in_tables_of_all_sizes(size: int) -> None:
    ids = decimal_ids(np.arange(size) + 99_999_990)
    table = IdTable(Ids.concatenate([ids, ids.take(np.array([0, size // 2]))]))
    assert table.repeats.tolist() == [size, size + 1] and table.first.tolist() == [0, size // 2]
    assert (table.find(ids) == np.arange(size)).all()
    assert table.find(Ids.from_texts([b"99999989", b"", b"999999900", b"99999990"])).tolist() == [
        -1,
        -1,
        -1,
        0,
    ]
    assert table.first_rows()[-2:].tolist() == [0, size // 2]


def test_columns_that_grow() -> None:
    """Over the rows that they have room for, to a wider type, and to wider ids; of different lengths."""
    growing = GrowingColumns()
    parts = [
        (np.arange(3, dtype=np.int8), Ids.from_texts([b"a", b"b", b"c"])),
        (np.zeros(0, np.int8), Ids.from_texts([b""] * SHORT_COLUMN_ROWS)),
        (np.arange(300, dtype=np.int64) + 2**40, Ids.from_texts([b"a-long-id-of-three-words", b"d"])),
        (np.arange(LONG_COLUMN_BYTES // 8 + 1), Ids.from_texts([b"x" * 2000])),
    ]
    for numbers, ids in parts:
        growing.append(numbers, ids)
    assert len(growing) == SHORT_COLUMN_ROWS + 6
    numbers, ids = growing.release()
    assert numbers.tolist() == np.concatenate([part.astype(np.int64) for part, _ in parts]).tolist()
    assert list(ids) == [text for _, part in parts for text in part]
    assert len(growing) == 0
    growing.append(np.array([5]))
    assert len(growing) == 1 and growing.release()[0].tolist() == [5]

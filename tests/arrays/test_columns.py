"""Columns that grow: nothing is lost, numbers take as few bytes as they need."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS

from pres_eval.arrays.columns import GrowingColumns, narrow
from pres_eval.arrays.ids import Ids

NUMBERS = st.integers(-5, 5) | st.integers(-(2**31), 2**31) | st.integers(-(2**63), 2**63 - 1)


@settings(deadline=None, max_examples=100)
@given(parts=st.lists(st.lists(NUMBERS, max_size=9), min_size=1))
def test_numbers(parts: list[list[int]]) -> None:
    columns = GrowingColumns()
    for part in parts:
        columns.append(narrow(np.array(part, np.int64)))
    numbers = [number for part in parts for number in part]
    assert len(columns) == len(numbers)
    (found,) = columns.release()
    assert found.tolist() == numbers
    assert found.dtype.itemsize == max((least_bytes(number) for number in numbers), default=1)


def least_bytes(number: int) -> int:
    """Of one, four and eight bytes."""
    return next(size for size in (1, 4, 8) if -(2 ** (8 * size - 1)) <= number < 2 ** (8 * size - 1))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(IDS | st.sampled_from([b"a", b"y" * 17, b"x" * 300]), min_size=1), min_size=1))
def test_ids(parts: list[list[bytes]]) -> None:
    """Of any lengths, in parts of any widths."""
    columns = GrowingColumns()
    for part in parts:
        columns.append(Ids.from_texts(part))
    texts = [text for part in parts for text in part]
    assert len(columns) == len(texts)
    (ids,) = columns.release()
    assert list(ids) == texts
    assert ids.hashes(3).tolist() == [int(Ids.from_texts([text]).hashes(3)[0]) for text in texts]


def test_a_few_long_ids_take_little_room() -> None:
    """Among many short ids the columns stay narrow."""
    texts = [b"d%d" % number for number in range(1000)]
    texts[500] = b"http://example.org/" + b"x" * 5000
    ids = Ids.from_texts(texts)
    assert len(ids.columns) <= 4
    assert list(ids) == texts
    assert ids.long_rows.tolist() == [500]

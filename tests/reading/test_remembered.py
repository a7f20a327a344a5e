"""What was made once is given again, as long as it is small."""

from __future__ import annotations

import copy
import pickle

import pytest

from pres_eval.reading.judgements.pool import Remembered


def made(remembered: Remembered, key: str, size: int, value: object) -> object:
    return remembered.get(key, size, lambda: value)


def test_a_value_is_made_once() -> None:
    remembered = Remembered(10)
    assert made(remembered, "a", 1, None) is None
    assert made(remembered, "a", 1, "again") is None
    assert made(remembered, "b", 1, "other") == "other"


def test_all_is_made_anew_when_there_is_no_room() -> None:
    remembered = Remembered(10)
    assert [made(remembered, key, 5, 1) for key in "ab"] == [1, 1]
    assert [made(remembered, key, 5, 2) for key in "ab"] == [1, 1]
    assert made(remembered, "c", 1, 3) == 3
    assert [made(remembered, key, 5, 4) for key in "ca"] == [3, 4]


def test_what_is_too_large_is_not_kept() -> None:
    remembered = Remembered(10)
    made(remembered, "small", 10, 1)
    assert [made(remembered, "large", 11, value) for value in (1, 2)] == [1, 2]
    assert made(remembered, "small", 10, 2) == 1


@pytest.mark.parametrize("copied", [copy.copy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_begins_empty(copied: object) -> None:
    remembered = Remembered(10)
    made(remembered, "a", 1, lambda: "not to be pickled")
    assert callable(copied)
    other = copied(remembered)
    assert made(other, "a", 10, 2) == 2
    assert made(other, "b", 1, 3) == 3, "as much room as in the other"
    assert made(other, "a", 10, 4) == 4

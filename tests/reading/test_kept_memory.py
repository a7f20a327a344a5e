"""What glibc is told of freed memory, and when it is told otherwise again."""

from __future__ import annotations

import pytest

from pres_eval.engines import memory

Told = list[tuple[str, tuple[int, ...]]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    calls: Told = []
    monkeypatch.setattr(memory, "_c_library", lambda function, *values: calls.append((function, values)))
    return calls


def test_memory_is_given_back_when_the_last_block_ends(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    with memory.freed_memory_kept():
        with memory.freed_memory_kept():
            assert told.count(("mallopt", (-1, 1 << 30))) == 2
        assert ("malloc_trim", (0,)) not in told
        told.clear()
    default = memory.GLIBC_DEFAULT
    assert told == [
        ("mallopt", (-3, default)),
        ("mallopt", (-2, default)),
        ("mallopt", (-1, 65536)),
        ("malloc_trim", (0,)),
    ]


@pytest.mark.parametrize(
    ("size", "told_again"),
    [*((size, memory.GLIBC_DEFAULT) for size in ("", "64k", "-1", "٣", "9" * 30)), ("3000000000", 2**31 - 1)],
)
def test_sizes_that_glibc_cannot_be_told(
    told: Told, monkeypatch: pytest.MonkeyPatch, size: str, told_again: int
) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", size)
    with memory.freed_memory_kept():
        pass
    assert told[-2:] == [("mallopt", (-1, told_again)), ("malloc_trim", (0,))]


def test_memory_is_given_back_after_an_error(told: Told) -> None:
    with pytest.raises(ZeroDivisionError), memory.freed_memory_kept():
        raise ZeroDivisionError
    assert told[-1] == ("malloc_trim", (0,))


def test_other_libraries_are_left_alone() -> None:
    memory._c_library("no_such_function", 1)

"""Small cache for results that may be needed again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


def read_only(value: Value) -> Value:
    """Return an array, or several (a tuple), that nobody can change any more."""
    arrays: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    for array in arrays:
        array.flags.writeable = False
    return value


class Remembered:
    """Values that are made when they are first used; a copy, or another process, begins without any.

    `most` is how much is kept: when that is reached, all is made anew.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, Any] = {}
        self._size = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._most,)

    def get(self, key: Hashable, size: int, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not there; one that is larger than `most` is not kept."""
        # Threads may make a value twice, which are the same.
        kept = self._kept.get(key)
        if kept is not None:
            value: Value = kept[0]
            return value
        value = make()
        if size <= self._most:
            if self._size + size > self._most:
                self._kept, self._size = {}, 0
            self._kept[key] = (value,)
            self._size += size
        return value

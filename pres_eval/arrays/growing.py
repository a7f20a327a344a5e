"""Columns that grow while a file is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from pres_eval.arrays.types import AnyArray, IntArray
from pres_eval.arrays.word_ids import WordIds


class GrowingColumns:
    """Columns of numbers and ids that grow at their ends; none before anything was added."""

    def __init__(self) -> None:
        self._columns: list[list[Any]] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, *columns: Any) -> None:
        """Add arrays or WordIds, the last of them (n,), at the ends of the columns."""
        self._columns = self._columns or [[] for _ in columns]
        for parts, column in zip(self._columns, columns, strict=True):
            parts.append(column)
        self._length += len(columns[-1])

    def values(self) -> list[Any]:
        """Return all columns, which are no longer kept here."""
        columns = []
        while self._columns:
            parts = self._columns.pop(0)
            columns.append(
                WordIds.concatenate(parts) if isinstance(parts[0], WordIds) else np.concatenate(parts)
            )
        return columns


def narrow(values: IntArray) -> AnyArray:
    """Return whole numbers (n,) in as few bytes as the largest of them needs."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for dtype in (np.int8, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return values.astype(dtype)
    return values

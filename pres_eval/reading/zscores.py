"""Z-score files: topic, measure, mean and standard deviation of that measure over other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.arrays.types import FloatArray
from pres_eval.errors import InputError, quoted
from pres_eval.reading.lines import Layout
from pres_eval.reading.numbers import read_number
from pres_eval.reading.source import Source
from pres_eval.reading.tables import read_table

LAYOUT = "topic measure mean deviation"
MISSING = -1000000.0
"""What is printed where the file has nothing for a topic and measure."""


@dataclass(frozen=True, eq=False)
class ZScores:
    """Means and standard deviations by topic and label."""

    by_topic: dict[bytes, dict[str, tuple[float, float]]]

    def convert(self, topics: Sequence[bytes], label: str, values: FloatArray) -> FloatArray:
        """How many standard deviations above the mean each topic's value of a column is."""
        nothing = (np.nan, np.nan)
        pairs = np.array([self.by_topic.get(topic, {}).get(label, nothing) for topic in topics])
        mean, deviation = pairs[:, 0], pairs[:, 1]
        scores = np.full(len(values), MISSING)
        np.divide(values - mean, deviation, out=scores, where=~np.isnan(mean) & (deviation != 0))
        scores[(deviation == 0) & (values == mean)] = 0.0
        return scores


def read_zscores(source: Source) -> ZScores:
    """Read a Z-score file.

    Raises InputError for a line that has not four columns, the last two of them numbers.
    """
    table = read_table(source, Layout(LAYOUT))
    by_topic: dict[bytes, dict[str, tuple[float, float]]] = {}
    for row in range(len(table)):
        numbers = [read_number(table.text(row, column)) for column in (2, 3)]
        for number, column in zip(numbers, (2, 3), strict=True):
            if number is None:
                raise InputError(
                    source.name,
                    int(table.lines[row]),
                    quoted(table.text(row, column)),
                    f"a number ({LAYOUT})",
                )
        label = table.text(row, 1).decode("utf-8", "surrogateescape")
        by_topic.setdefault(table.text(row, 0), {})[label] = (numbers[0] or 0.0, numbers[1] or 0.0)
    return ZScores(by_topic)

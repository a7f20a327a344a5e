"""Z-score files: topic, measure, mean and standard deviation of that measure over other runs.

trec_eval finds an entry by a binary search that looks one entry too far; this finds the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.errors import InputError, quoted
from pres_eval.reading.file import File
from pres_eval.reading.lines import NAN, Layout, read_table
from pres_eval.reading.numbers import read_number

ZSCORE_LAYOUT = "topic measure mean deviation"
NO_ZSCORE = -1000000.0
"""The Z-score where the file has nothing for a topic and measure."""


class Entry(NamedTuple):
    """A line of the file: the mean and the deviation of a measure, by its label, for a topic, as texts."""

    topic: bytes
    label: bytes
    mean: bytes
    deviation: bytes
    line: int


@dataclass(frozen=True, eq=False)
class ZScores:
    """The entries of a file, sorted by topic and label; and what `convert` has not found in it so far.

    name            the file, as messages call it
    topics          ids of the topics, in byte order
    first           index of each topic's first entry
    entries         all entries
    missing         topics and labels whose Z-score is NO_ZSCORE, as `convert` found no usable entry
    past_the_table  those of them that trec_eval looks for behind its last entry
    """

    name: str
    topics: list[bytes]
    first: list[int]
    entries: list[Entry]
    missing: list[tuple[bytes, bytes]] = field(default_factory=list)
    past_the_table: list[tuple[bytes, bytes]] = field(default_factory=list)

    def convert(
        self, topics: Sequence[bytes], label: str, values: FloatArray, *, not_in_trec_eval: bool = False
    ) -> FloatArray:
        """Return (T,) how many standard deviations above the mean each topic's value (T,) is.

        topics            ids of the T topics
        label             of the measure, as the file has it
        not_in_trec_eval  whether trec_eval lacks the measure, so that it would look for no entry
        If the deviation is 0, the Z-score is 0 for the mean itself.  For other values, and where the file has
        no entry, it is NO_ZSCORE, and this adds the entry to `missing`; to `past_the_table` as well if
        trec_eval would look for it past its table.
        Raises InputError for an entry that is not two numbers.
        """
        label_bytes = label.encode("utf-8", "surrogateescape")
        scores = np.full(len(values), NO_ZSCORE)
        for row, (topic, value) in enumerate(zip(topics, values.tolist(), strict=True)):
            entry = self._find(topic, label_bytes, not_in_trec_eval)
            if entry is not None:
                mean = self._number(entry.mean, entry.line)
                deviation = self._number(entry.deviation, entry.line)
                if deviation != 0:
                    scores[row] = np.divide(np.subtract(value, mean), deviation)
                elif value == mean:
                    scores[row] = 0.0
            if scores[row] == NO_ZSCORE:
                self.missing.append((topic, label_bytes))
        return scores

    def _find(self, topic: bytes, label: bytes, not_in_trec_eval: bool) -> Entry | None:
        """Return the entry that trec_eval finds, None if there is none; keep its searches past the table."""
        topic_number = _search(topic, self.topics, len(self.topics))
        is_past = topic_number == len(self.topics)
        if topic_number is not None and not is_past:
            begin, end = self.first[topic_number], len(self.entries)
            if topic_number + 1 < len(self.first):
                end = self.first[topic_number + 1]
            # trec_eval: the search looks one entry too far, at the first of the next topic.
            labels = [entry.label for entry in self.entries[begin : end + 1]]
            label_number = _search(label, labels, end - begin)
            if label_number is not None and label_number < len(labels):
                return self.entries[begin + label_number]
            is_past = label_number is not None
        if is_past and not not_in_trec_eval:
            # trec_eval: reads past its table there, and crashes unless what lies there is no match.
            self.past_the_table.append((topic, label))
        return None

    @property
    def warning(self) -> str | None:
        """Return the warning about Z-scores that could not be computed; None if all could."""
        if not self.missing:
            return None
        topic, label = min(self.past_the_table or self.missing)
        text = f"{self.name}: no usable entry for {quoted(label)} of topic {quoted(topic)}"
        if len(self.missing) > 1:
            text += f" and {len(self.missing) - 1} more"
        text += f": the Z-score printed, and in means, is {NO_ZSCORE:.0f}"
        if self.past_the_table:
            text += "; trec_eval looks behind the last entry for it, where it may crash"
        return text

    def _number(self, token: bytes, line: int) -> float:
        """Return the number of a token of this line, nan too; raise InputError if it is none."""
        number = read_number(token)
        if number is not None:
            return number
        if re.fullmatch(NAN, token):
            if token.startswith(b"-"):
                return -np.nan
            return np.nan
        raise InputError(self.name, line, quoted(token), f"a number ({ZSCORE_LAYOUT})")


def _search(text: bytes, items: Sequence[bytes], end: int) -> int | None:
    """Return the index at which trec_eval's binary search finds a text among sorted items; None if at none.

    end  the last index that it looks at: trec_eval gives the number of items, which is one too far
    Returns len(items) if the search looks there.  Of the items a and b, with end 2, it looks for c at 1 (b),
    then at 2, which is past the last one.
    """
    start = 0
    while start <= end:
        middle = (start + end) // 2
        if middle >= len(items):
            return len(items)
        if text == items[middle]:
            return middle
        if text < items[middle]:
            end = middle - 1
        else:
            start = middle + 1
    return None


def read_zscores(source: File) -> ZScores:
    """Return the entries of a Z-score file; `convert` reads their numbers.

    Raises InputError for a line that has not four columns.
    """
    table = read_table(source, Layout(ZSCORE_LAYOUT))
    columns = [list(table.column(number)) for number in range(4)]
    lines = (table.line_of(np.arange(len(table))) + 1).tolist()
    entries = list(map(Entry, *columns, lines))
    entries.sort(key=lambda entry: (entry.topic, entry.label))  # stable, as C's sort is here
    topics: list[bytes] = []
    first: list[int] = []
    for row, entry in enumerate(entries):
        if not topics or entry.topic != topics[-1]:
            topics.append(entry.topic)
            first.append(row)
    return ZScores(name=source.name, topics=topics, first=first, entries=entries)

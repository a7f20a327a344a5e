"""Judgements of a sample: formats strata and prels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.errors import InputError, quoted
from pres_eval.options import RelevanceInfo
from pres_eval.reading.lines import Layout, Lines, read_table
from pres_eval.reading.preferences import GroupQrels, check_once, group_rows
from pres_eval.reading.source import Source

STRATA = Layout("topic iteration docno stratum relevance", number=4, whole=True)
PRELS = Layout("topic docno relevance method inclusion-probability", number=4)

NOT_BY_CHANCE = (b"0", b"2")
"""The methods, in prels, of documents that an algorithm chose also: they represent themselves alone."""


@dataclass(frozen=True, eq=False)
class Sample(GroupQrels):
    """Documents of which some were drawn and judged; the groups are strata, or the methods of prels.

    probability  (N,) with which each document was to be drawn; None: as many of its stratum as were
    """

    info: ClassVar = RelevanceInfo.STRATA
    noun: ClassVar = "stratum"

    probability: FloatArray | None = None

    def judged_twice(self, first: int, second: int) -> InputError:
        """Return the error that a document is in the file twice for a topic."""
        return InputError(
            self.name,
            int(self.line[second]),
            f"{self.where(second)}: document {self._docno(second)} again (first in line {self.line[first]})",
            "each document once, in one stratum of its topic",
        )


@dataclass(frozen=True, eq=False)
class UnequalSample(Sample):
    """A sample with a probability for each document."""

    info: ClassVar = RelevanceInfo.PRELS


def read_strata(source: Source) -> Sample:
    """Read a file of format strata: each line a topic, iteration, docno, stratum and relevance.

    A negative relevance means that the document is in the stratum, but was not drawn.
    Raises InputError for a line that has not five columns, a relevance that is no integer, a document that a
    topic has twice, and a stratum of which no document was judged.
    """
    table = read_table(source, STRATA)
    common, _, order = group_rows(source.name, table, 2, column=3)
    sample = Sample(*common, table.numbers[order])
    check_once(sample, np.zeros(len(sample.document), np.int64))
    negative = [number for number, name in enumerate(sample.group_names) if re.fullmatch(rb"-[0-9]+", name)]
    if negative:
        first = int(sample.line[sample.row_offsets[negative]].min())
        raise InputError(
            sample.name, first, "a stratum named by a negative number", f"columns {STRATA.names}",
            "are stratum and relevance exchanged?",
        )  # fmt: skip
    drawn = np.add.reduceat(sample.grade >= 0, sample.row_offsets[:-1])
    if not drawn.all():
        first = min(sample.row_offsets[:-1][drawn == 0].tolist(), key=lambda row: int(sample.line[row]))
        raise InputError(
            sample.name,
            int(sample.line[first]),
            f"{sample.where(first)}: no document is judged (has a relevance of 0 or more)",
            "at least one, which represents the whole stratum",
        )
    return sample


def read_prels(source: Source) -> UnequalSample:
    """Read a file of format prels: each line a topic, docno, relevance, method and inclusion probability.

    Documents of method 0 were chosen by an algorithm, those of method 2 by chance too.  As in the script of
    the Million Query track, both were sure to be judged, whatever probability the file gives.
    Raises InputError for a line that has not five columns, a relevance that is no integer, a probability that
    is not above 0 and at most 1, and a document that a topic has twice.
    """
    table = read_table(source, PRELS)
    wrong = np.flatnonzero(~((table.numbers > 0) & (table.numbers <= 1)))
    if len(wrong):
        found = f"inclusion probability {quoted(table.text(int(wrong[0]), 4))}"
        raise InputError(source.name, _line(table, wrong[0]), found, "a number above 0 and at most 1")
    common, _, order = group_rows(source.name, table, 1, column=3)
    chosen = [table.text(row, 3) in NOT_BY_CHANCE for row in range(len(table))]
    probability = np.where(chosen, 1.0, table.numbers)
    texts = [table.text(row, 2) for row in range(len(table))]
    for row, text in enumerate(texts):
        if not re.fullmatch(rb"[+-]?[0-9]{1,18}", text):
            raise InputError(source.name, _line(table, row), f"relevance {quoted(text)}", "an integer")
    grade = np.array(list(map(int, texts)))
    sample = UnequalSample(*common, grade[order], probability[order])
    check_once(sample, np.zeros(len(sample.document), np.int64))
    return sample


def _line(table: Lines, row: int) -> int:
    """Return the line of a row in its file, from 1."""
    return int(table.line_of(np.array([row]))[0]) + 1

"""Rows of a run or of judgements in any format, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.reading.source import Source


@dataclass(frozen=True, eq=False)
class Part:
    """N rows in G groups that follow each other and have the same topic.

    topics, lengths  (G,) the topic of each group, and its rows
    documents        (N,) ids
    numbers          (N,) scores of a run, or grades
    lines            (N,) the line of each row, from 1; None if the format has no lines
    """

    topics: WordIds
    lengths: IntArray
    documents: WordIds
    numbers: NDArray[Any]
    lines: IntArray | None = None


Read = Callable[[Source, bool], Iterator[Part]]
"""Reads a file part by part; whether it has grades and not scores."""


@dataclass(frozen=True)
class Format:
    """A format: its name for -T and -R, what it is in words, and how it is read.

    numbered  whether its rows stand in lines
    by_rank   whether its runs have ranks and no scores
    """

    name: str
    meaning: str
    read: Read
    numbered: bool = True
    by_rank: bool = False


def joined(source: Source, parts: Iterator[Part]) -> Part:
    """All parts as one.  Raises InputError if there are no rows."""
    every = [part for part in parts if len(part.documents)]
    if not every:
        raise InputError(source.name, None, "no rows", "at least one")
    lines = [part.lines for part in every if part.lines is not None]
    return Part(
        topics=WordIds.concatenate([part.topics for part in every]),
        lengths=np.concatenate([part.lengths for part in every]),
        documents=WordIds.concatenate([part.documents for part in every]),
        numbers=np.concatenate([part.numbers for part in every]),
        lines=np.concatenate(lines) if lines else None,
    )


def part_of(topics: Ids, documents: Ids, numbers: NDArray[Any], lines: IntArray | None = None) -> Part:
    """The part with these columns, of n rows: numbers (n,), lines (n,)."""
    from pres_eval.arrays.ordering import changes

    first = changes(topics)
    return Part(
        topics=WordIds.of(topics.take(first)),
        lengths=np.diff(first, append=len(topics)),
        documents=WordIds.of(documents),
        numbers=numbers,
        lines=lines,
    )

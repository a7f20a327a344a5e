"""How a run opens and ends: enough to notice, at no cost, what makes all numbers other than meant."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pres_eval.arrays.ordering import changes
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import EmptyFileError
from pres_eval.reading.blocks import Block
from pres_eval.reading.lines import RUN, Lines, parse_lines
from pres_eval.reading.numbers import read_whole_numbers
from pres_eval.reading.source import Source
from pres_eval.records import dataclass

ROWS, BYTES = 4096, 1 << 18
"""Rows that are looked at, and of how many bytes: no chunk of a larger file is smaller."""
ROWS_OF_IDS = ROWS
"""Rows of which the ids are kept."""
NEARLY_ALL = 0.9

TOPIC, DOCNO, RANK, TAG = 0, 2, 3, 5


@dataclass(frozen=True)
class Opening:
    """The first documents of a run, and whether its scores run against its ranks.

    topics, documents
             (n,) ids of the first rows
    against  a topic, a rank with its score, and a larger rank with a larger score, if so it is in nearly all
             topics; None otherwise
    """

    topics: WordIds
    documents: WordIds
    against: tuple[bytes, int, float, int, float] | None = None


def opening_of(lines: Lines) -> Opening | None:
    """The opening of a run from the lines of its first chunk."""
    if not len(lines):
        return None
    last = lines.fields.column(TAG)[1][:ROWS]
    rows = max(int(np.searchsorted(last, lines.chunk.start + BYTES)), 1)
    lines = replace(lines, fields=lines.fields.head(rows), numbers=lines.numbers[:rows])
    ids = slice(ROWS_OF_IDS)
    topics, documents = (WordIds.of(lines.column(number)[ids]) for number in (TOPIC, DOCNO))
    return Opening(topics, documents, _against(lines))


def opening_of_block(block: Block) -> Opening:
    """The opening of a run that is no lines, from its first rows."""
    ids = slice(ROWS_OF_IDS)
    topics = block.topics.take(np.repeat(np.arange(len(block.lengths)), block.lengths)[ids])
    return Opening(WordIds.of(topics), block.documents.pick(ids))


def opening_of_files(sources: Sequence[Source]) -> Opening | None:
    """The opening of a run in files, which are read for it."""
    for source in sources:
        with contextlib.suppress(EmptyFileError), source.unwatched():
            for chunk in source.chunks():
                return opening_of(parse_lines(chunk, RUN))
    return None


def _against(lines: Lines) -> tuple[bytes, int, float, int, float] | None:
    """Return the first pair of rows whose ranks contradict their scores, if nearly all do; else None."""
    rank, wrong = read_whole_numbers(lines.chunk.array(), *lines.fields.column(RANK))
    if wrong is not None or len(rank) < 2:
        return None
    score, ids = lines.numbers, lines.column(TOPIC)
    topic = np.zeros(len(rank), np.int64)
    heads = changes(ids)
    topic[heads[1:]] = 1
    topic = np.cumsum(topic)
    told = (topic[1:] == topic[:-1]) & (rank[1:] != rank[:-1]) & (score[1:] != score[:-1])
    both_rise = told & ((rank[1:] > rank[:-1]) == (score[1:] > score[:-1]))
    pairs = np.bincount(topic[1:][told], minlength=len(heads))
    wrong_pairs = np.bincount(topic[1:][both_rise], minlength=len(heads))
    has_pairs = pairs > 0
    turned = has_pairs & (wrong_pairs >= NEARLY_ALL * pairs)
    if not has_pairs.any() or np.count_nonzero(turned) < NEARLY_ALL * np.count_nonzero(has_pairs):
        return None
    row = int(np.flatnonzero(both_rise & turned[topic[1:]])[0])
    one, other = sorted((row, row + 1), key=lambda place: int(rank[place]))
    return ids[row], int(rank[one]), float(score[one]), int(rank[other]), float(score[other])

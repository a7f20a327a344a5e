"""Beginning and end of a run: enough to notice, at no cost, faults that change all numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pres_eval.arrays import NO_IDS, IntArray, WordIds, changes, ragged
from pres_eval.errors import EmptyFileError
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.blocks import Block
from pres_eval.reading.lines import RUN, Lines, parse_lines
from pres_eval.reading.numbers import read_number, read_whole_numbers
from pres_eval.reading.source import Source
from pres_eval.records import dataclass

ROWS, BYTES = 4096, 1 << 18
"""Rows that are looked at, and of how many bytes: no chunk of a larger file is smaller."""
NEARLY_ALL = 0.9
FEWEST_RANKS = 3

ALL_LOOKED_AT, FIRST_LOOKED_AT, LOOKED_AT = 1 << 14, 1 << 12, 512
"""Rows of a run whose ids are compared, if none is judged: all of the first chunk, or this number of a
larger one, and of each other one."""
EVERY_LOOKED_AT, EACH_LOOKED_AT = 8, 4
"""Chunks from the beginning of a run that are looked at, each of them, and each fourth one behind them."""

TOPIC, DOCNO, RANK, TAG = 0, 2, 3, 5


@dataclass(frozen=True)
class Opening:
    """The first document of a run, and whether its scores run against its ranks.

    against    a topic, a rank with its score, and a larger rank with a larger score, if so it is in nearly
               all topics; None otherwise
    exchanged  a number of the rank column, if scores rise by 1 from row to row; None otherwise
    """

    document: bytes
    against: tuple[bytes, int, float, int, float] | None = None
    exchanged: bytes | None = None


@dataclass(frozen=True, eq=False)
class LookedAt:
    """Rows of a run whose ids are looked at: topics (n,) as indices of the pool's, and documents (n,)."""

    topic: IntArray
    documents: WordIds


NOTHING_LOOKED_AT = LookedAt(np.zeros(0, np.int64), NO_IDS)


def look_at(block: Block, topic: IntArray, ranked: Ranked | None, is_first: bool) -> LookedAt:
    """Return the rows of a block that are looked at: those of the topics with the fewest judged documents.

    topic   (G,) the topic of each group of rows as an index of the pool's, -1 for one that is left out
    ranked  the block ranked, None if it is not
    """
    groups, most = np.flatnonzero(topic >= 0), LOOKED_AT
    if is_first:
        most = ALL_LOOKED_AT if len(block.documents) <= ALL_LOOKED_AT else FIRST_LOOKED_AT
    if ranked is not None and len(groups):
        found = np.diff(ranked.offsets)[np.searchsorted(ranked.topic, topic[groups])]
        groups = groups[np.argsort(found, kind="stable") if is_first else [np.argmin(found)]]
    lengths = np.minimum(block.lengths[groups], most)
    groups = groups[: np.searchsorted(np.cumsum(lengths), most) + 1]
    lengths = lengths[: len(groups)]
    starts = np.cumsum(block.lengths) - block.lengths
    rows = ragged(starts[groups], lengths)[0][:most]
    return LookedAt(np.repeat(topic[groups], lengths)[: len(rows)], block.documents.pick(rows))


def opening_of(lines: Lines) -> Opening | None:
    """Return the opening of a run from the lines of its first chunk."""
    if not len(lines):
        return None
    last = lines.fields.column(TAG)[1][:ROWS]
    rows = max(int(np.searchsorted(last, lines.chunk.start + BYTES)), 1)
    lines = replace(lines, fields=lines.fields.head(rows), numbers=lines.numbers[:rows])
    rank, wrong = read_whole_numbers(lines.chunk.array(), *lines.fields.column(RANK))
    if wrong:
        return Opening(lines.text(0, DOCNO), exchanged=exchanged(lines, wrong[0]))
    return Opening(lines.text(0, DOCNO), _against(lines, rank))


def opening_of_files(sources: Sequence[Source]) -> Opening | None:
    """Return the opening of a run in files, which are read for it."""
    for source in sources:
        with contextlib.suppress(EmptyFileError), source.unwatched():
            for chunk in source.chunks():
                return opening_of(parse_lines(chunk, RUN))
    return None


def exchanged(lines: Lines, wrong: int) -> bytes | None:
    """Return the rank of row `wrong`, which is not whole, if scores rise by 1 as ranks do; else None."""
    heads = changes(lines.column(TOPIC))
    lengths = np.diff(heads, append=len(lines))
    places = np.arange(len(lines)) - np.repeat(heads, lengths)
    counted = (lines.numbers == places + lines.numbers[0]).all() and lengths.max() >= FEWEST_RANKS
    rank = lines.text(wrong, RANK)
    return rank if counted and read_number(rank) is not None else None


def _against(lines: Lines, rank: IntArray) -> tuple[bytes, int, float, int, float] | None:
    """Return the first pair of rows whose ranks (R,) contradict their scores, if nearly all do; else None."""
    score, ids = lines.numbers, lines.column(TOPIC)
    heads = changes(ids)
    topic = np.repeat(np.arange(len(heads)), np.diff(heads, append=len(rank)))
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

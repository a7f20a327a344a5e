"""Lines in any order, two passes: the judged documents with their scores, then the rows before each of them.

Nothing is moved from worker to worker, and no rows are kept: what splits send back adds up in any order.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from pres_eval.arrays.growing import narrow
from pres_eval.arrays.ordering import byte_order
from pres_eval.arrays.ragged import ragged
from pres_eval.arrays.types import AnyInts, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.cluster.scanning import Scan, Tally, Wanted, cut_loose
from pres_eval.cluster.splits import Split
from pres_eval.ranking.keys import place_keys
from pres_eval.ranking.ranked import Ranked, Scores, Ties
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class FoundSplit:
    """The judged documents that a split has, in the order of the file, and the rows of judged topics.

    document, scores  (D,) indices of the pool's documents; the scores of these rows
    topic, num_ret    topics of which there are rows, and how many
    """

    tally: Tally
    document: AnyInts
    scores: Scores
    topic: AnyInts
    num_ret: AnyInts


def map_found(split: Split, wanted: Wanted) -> FoundSplit:
    """Find the judged documents of a split: the first pass."""
    scan = Scan(split, wanted, between_topics=False)
    counts = np.zeros(len(wanted.pool.topics), np.int64)
    document: list[IntArray] = [np.zeros(0, np.int64)]
    scores: list[Any] = [wanted.cast(np.zeros(0))]
    for block in scan.blocks():
        np.add.at(counts, block.topic, block.lengths)
        rows, found = wanted.finder.find(block.topic_of(), block.ids)
        document.append(found)
        scores.append(block.scores[rows])
    topic = np.flatnonzero(counts)
    return FoundSplit(
        tally=scan.tally,
        document=narrow(np.concatenate(document)),
        scores=np.concatenate(scores),
        topic=narrow(topic),
        num_ret=narrow(counts[topic]),
    )


@dataclass(frozen=True, eq=False)
class Entries:
    """E documents whose places are wanted, by topic and descending score; equal ones in any order.

    topic, scores, ids  (E,)
    num_topics          of the pool
    """

    topic: IntArray
    scores: Scores
    ids: WordIds
    num_topics: int

    @classmethod
    def of(cls, topic: IntArray, scores: Scores, ids: WordIds, num_topics: int) -> tuple[Entries, IntArray]:
        """The entries in their order, and which of those given each is."""
        order = np.argsort(place_keys(topic, scores, num_topics), kind="stable")
        return cls(topic[order], scores[order], ids.pick(order), num_topics), order

    def __reduce__(self) -> tuple[Any, ...]:
        # What is computed of it is not worth the way.
        return Entries, (self.topic, self.scores, self.ids, self.num_topics)

    @cached_property
    def keys(self) -> Words:
        """(G,) the distinct place keys, ascending."""
        return self._every_key[self._heads]

    @cached_property
    def offsets(self) -> IntArray:
        """(G+1,) where the entries of each key begin."""
        return np.append(self._heads, len(self.topic))

    @cached_property
    def _every_key(self) -> Words:
        """(E,) the place key of each entry."""
        return place_keys(self.topic, self.scores, self.num_topics)

    @cached_property
    def _heads(self) -> IntArray:
        """The entries whose key differs from that of the one before."""
        keys = self._every_key
        new = np.ones(len(keys), np.bool_)
        new[1:] = keys[1:] != keys[:-1]
        return np.flatnonzero(new)


@dataclass(frozen=True, eq=False)
class CountedSplit:
    """How many rows of a split are before the entries; what is not named is 0.

    gap, rows    gap i is behind key i-1 and before or at key i: rows of the gap that have none of the keys,
                 and those that have key i-1
    entry        entries that have rows with their key
    tied         (of these) rows with the key that are before the entry
    above, same  (of these) rows with the key that have a higher score, and the same score
    """

    tally: Tally
    gap: AnyInts
    rows: AnyInts
    entry: AnyInts
    tied: AnyInts
    above: AnyInts
    same: AnyInts


def map_counted(split: Split, wanted: Wanted, entries: Entries) -> CountedSplit:
    """Count the rows of a split before each entry: the second pass."""
    scan = Scan(split, wanted, between_topics=False)
    gaps = np.zeros(len(entries.keys) + 1, np.int64)
    tied = np.zeros((3, len(entries.topic)), np.int64)
    for block in scan.blocks():
        topic = block.topic_of()
        keys = place_keys(topic, block.scores, entries.num_topics)
        gap = np.searchsorted(entries.keys, keys)
        at = np.flatnonzero(entries.keys[np.minimum(gap, len(entries.keys) - 1)] == keys)
        if len(at):
            _add_tied(
                tied, entries, gap[at], block.scores[at], cut_loose(block.ids.take(at)), wanted.ascending
            )
            gap[at] += 1
        gaps += np.bincount(gap, minlength=len(gaps))
    filled, entry = np.flatnonzero(gaps), np.flatnonzero(tied.any(axis=0))
    of_entries = [narrow(counts[entry]) for counts in tied]
    return CountedSplit(scan.tally, narrow(filled), narrow(gaps[filled]), narrow(entry), *of_entries)


def _add_tied(
    tied: IntArray, entries: Entries, key: IntArray, scores: Scores, ids: WordIds, ascending: bool
) -> None:
    """Add to tied (3, E) how many of these rows, which have keys of entries, are before each entry,
    have a higher score, and have the same score.
    """
    keys = np.flatnonzero(np.bincount(key, minlength=len(entries.keys)))
    which = ragged(entries.offsets[keys], np.diff(entries.offsets)[keys])[0]
    entry_key = np.repeat(np.arange(len(entries.keys)), np.diff(entries.offsets))[which]
    entry_ids = entries.ids.pick(which)
    parts = [(key, scores, ids), (entry_key, entries.scores[which], entry_ids)]
    if ascending:
        parts.reverse()
    every_key, every_score = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    every_id = WordIds.concatenate([part[2] for part in parts])
    is_row = np.repeat([not ascending, ascending], [len(part[0]) for part in parts])
    number = np.empty(len(is_row), np.int64)
    number[~is_row] = which
    # Keys lose the last bits of 64-bit scores: equal keys may be of different scores.
    by_score = np.lexsort((-every_score, every_key))
    new = np.ones(len(by_score), np.bool_)
    new[1:] = every_key[by_score[1:]] != every_key[by_score[:-1]]
    new[1:] |= every_score[by_score[1:]] != every_score[by_score[:-1]]
    group = np.empty(len(by_score), np.int64)
    group[by_score] = np.cumsum(new)
    # The same document as an entry is not before it: entries come first among equal ones, either way.
    texts = every_id.take(slice(None))
    order = byte_order(texts, group) if ascending else byte_order(texts, -group)[::-1]
    rows_before = np.cumsum(is_row[order])
    in_order_key = every_key[order]
    first_of_key = np.searchsorted(in_order_key, in_order_key)
    before_key = np.concatenate(([0], rows_before))[first_of_key]
    entry_places = np.flatnonzero(~is_row[order])
    chosen = number[order[entry_places]]
    tied[0, chosen] += rows_before[entry_places] - before_key[entry_places]
    in_order_group = group[order]
    ends = np.append(0, rows_before)
    above = ends[np.searchsorted(in_order_group, in_order_group)]
    below = ends[np.searchsorted(in_order_group, in_order_group, side="right")]
    tied[1, chosen] += above[entry_places] - before_key[entry_places]
    tied[2, chosen] += below[entry_places] - above[entry_places]


@dataclass(frozen=True, eq=False)
class Places:
    """Where E entries are in the rankings of their topics.

    rank         (E,) from 1
    first, size  (E,) the first rank of the documents with the same score, and how many these are
    """

    rank: IntArray
    first: IntArray
    size: IntArray


class Counts:
    """Adds up what the splits counted, and tells the places of the entries."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._gaps = np.zeros(len(entries.keys) + 1, np.int64)
        self._tied = np.zeros((3, len(entries.topic)), np.int64)

    def add(self, part: CountedSplit) -> None:
        """Take another split."""
        np.add.at(self._gaps, part.gap, part.rows)
        for counts, more in zip(self._tied, (part.tied, part.above, part.same), strict=True):
            counts[part.entry] += more

    def num_rows(self) -> int:
        """All rows."""
        return int(self._gaps.sum())

    def places(self, num_ret: IntArray) -> Places:
        """The places of the entries; topics have num_ret (T,) rows.

        Entries that are the same document with the same score get ranks one after the other.
        """
        entries = self._entries
        before = np.cumsum(self._gaps)[:-1]
        key = np.repeat(np.arange(len(entries.keys)), np.diff(entries.offsets))
        base = np.concatenate(([0], np.cumsum(num_ret)))[entries.topic]
        tied, above, size = self._tied
        first = before[key] - base + 1
        rank = first + tied
        order = np.lexsort((rank, entries.topic))
        again = np.zeros(len(order), np.int64)
        same = entries.topic[order][1:] == entries.topic[order][:-1]
        same &= rank[order][1:] == rank[order][:-1]
        for place in (np.flatnonzero(same) + 1).tolist():
            again[place] = again[place - 1] + 1
        rank[order] += again
        return Places(rank=rank, first=first + above, size=size)


def ranked_of(documents: AnyInts, topic: IntArray, places: Places, num_ret: IntArray) -> Ranked:
    """The ranked topics that some judged documents and their places make; topics have num_ret (T,) rows."""
    topics = np.flatnonzero(num_ret)
    rank = places.rank
    order = np.lexsort((rank, topic))
    tied = np.flatnonzero(places.size[order] > 1)
    offsets = np.searchsorted(topic[order], np.append(topics, len(num_ret)))
    return Ranked(
        topic=topics,
        num_ret=num_ret[topics],
        offsets=offsets,
        rank=narrow(rank[order]),
        document=narrow(documents[order].astype(np.int64)),
        ties=Ties(tied, places.first[order][tied], places.size[order][tied]),
    )

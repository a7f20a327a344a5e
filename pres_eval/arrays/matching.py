"""Matching of ids: equal ones inside one list, and in two; the one way to find equal ids.

A key is a hash.  Each key chooses a slot of a table, and every row writes its number there; of rows with the
same slot one stays.  The others compare their keys with its key: equal ones are found, and the rest choose
again, in a smaller table.  Nearly all keys need one look, and nothing is sorted.

Keys may be equal where ids differ.  That is noticed, and another hash is taken.  Hashes depend on a number
that each process draws anew, so that nobody can prepare ids that collide again and again.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from pres_eval.arrays.ids import NO_IDS, Ids
from pres_eval.arrays.stretches import blocks
from pres_eval.arrays.types import AnyArray, AnyInts, IntArray, Words
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.records import dataclass

MANY_KEYS = 1 << 20
"""Keys above which they are divided into shares first, so that their slots stay in the cache."""

FEW_KEYS = 1 << 16
"""Keys that get at least eight slots each, as these fit into the cache: one in twenty has to look twice."""

_HASHED_AT_ONCE = 1 << 16
_SHARE_BITS = 3
_DIVIDE = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xD1B54A32D192ED03)
NO_ROWS: IntArray = np.zeros(0, np.int64)


class KeyTable:
    """Table in which keys (N,) are found; see above.

    For each level: a multiplier and a shift, which make a slot of a key; and the row that has each slot,
    -1 where there is none.
    """

    def __init__(self, keys: Words) -> None:
        self.keys = keys
        self._levels: list[tuple[np.uint64, np.uint64, AnyInts]] = []
        self._first: IntArray | None = None
        # In few bytes the tables stay in the cache.
        rows = np.arange(len(keys), dtype=np.result_type(np.int16, np.min_scalar_type(-len(keys))))
        multiplier = _SPREAD
        while len(rows):
            bits = max(len(rows).bit_length() + (3 if len(rows) <= FEW_KEYS else 1), 8)
            shift, owner = np.uint64(64 - bits), np.full(1 << bits, -1, rows.dtype)
            self._levels.append((multiplier, shift, owner))
            slot = ((keys * multiplier) >> shift).view(np.int64)
            owner[slot] = rows
            winner = owner[slot]
            lost = np.flatnonzero(winner != rows)
            rows, winner, keys = rows[lost], winner[lost], keys[lost]
            is_equal = keys == self.keys[winner]
            if is_equal.any():
                self._add_equal(rows[is_equal], winner[is_equal])
                rows, keys = rows[~is_equal], keys[~is_equal]
            multiplier = np.uint64(int(multiplier) * int(_SPREAD) % 2**64)

    def _add_equal(self, rows: AnyInts, winners: AnyInts) -> None:
        """Take rows (n,) whose keys other rows (n,) have, which stay in the table."""
        if self._first is None:
            self._first = np.arange(len(self.keys))
        # Which row of several stays is for numpy to say.
        np.minimum.at(self._first, winners, rows)
        self._first[rows] = self._first[winners]

    def find(self, keys: Words) -> IntArray:
        """Return (W,) the first row with each of these keys (W,), -1 if there is none."""
        if not self._levels:
            return np.full(len(keys), -1)
        multiplier, shift, owner = self._levels[0]
        found_rows = owner[((keys * multiplier) >> shift).view(np.int64)].astype(np.int64)
        missed = np.flatnonzero(self.keys[found_rows] != keys)
        for multiplier, shift, owner in self._levels[1:]:
            losers = missed[found_rows[missed] >= 0]  # in an empty slot there is no row to lose to
            found_rows[missed] = -1
            if not len(losers):
                break
            lost_keys = keys[losers]
            rows = owner[((lost_keys * multiplier) >> shift).view(np.int64)]
            found_rows[losers] = rows
            missed = losers[self.keys[rows] != lost_keys]
        found_rows[missed] = -1
        if self._first is not None:
            found_rows = np.where(found_rows < 0, -1, self._first[found_rows])
        return found_rows

    def repeats(self) -> tuple[IntArray, IntArray]:
        """Return (n,) the rows whose key a row before has, ascending, and (n,) the first row that has it."""
        if self._first is None:
            return NO_ROWS, NO_ROWS
        rows = np.flatnonzero(self._first != np.arange(len(self._first)))
        return rows, self._first[rows]


class IdTable:
    """Table in which ids (N,) are found: with a seed with which no two different ids have the same hash.

    repeats, first  (n,) the rows whose id a row before has, ascending, and the first row that has it
    """

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        for self._seed in count():
            self._table = KeyTable(ids.hashes(self._seed))
            self.repeats, self.first = self._table.repeats()
            if ids.equal(self.repeats, ids, self.first).all():
                break

    def find(self, ids: Ids) -> IntArray:
        """Return (W,) the first row with each of these ids (W,), -1 if there is none."""
        found_rows = self._table.find(ids.hashes(self._seed))
        num_long = len(ids.long_rows) + len(self.ids.long_rows)
        if len(ids.columns) == len(self.ids.columns) == 1 and not num_long:
            return found_rows  # a word times an odd number: no two words have the same hash
        rows = np.flatnonzero(found_rows >= 0)
        wrong = rows[~ids.equal(rows, self.ids, found_rows[rows])]
        found_rows[wrong] = -1
        return found_rows

    def first_rows(self) -> IntArray:
        """Return (N,) the first row with the id of each row."""
        first_rows = np.arange(len(self.ids))
        first_rows[self.repeats] = self.first
        return first_rows


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of equal documents.

    repeats, first  rows whose document comes before in the same topic, and the row where it comes first
    rows, partners  pairs of rows of two lists that are the same document of the same topic, by rows of the
                    first; of a document that comes several times there all rows
    """

    repeats: IntArray
    first: IntArray
    rows: IntArray
    partners: IntArray


def match(lengths: IntArray, ids: Ids, other_lengths: IntArray, others: Ids) -> Matches:
    """Find other documents, which are all different, and repeated ones, among those of S topics (S,).

    The first lengths[0] ids and the first other_lengths[0] other ones are of the same topic, and so on.
    """
    for seed in count():
        keys = _keys(lengths, ids.hashes(seed))
        repeats, first, matched_rows = match_keys(keys, _keys(other_lengths, others.hashes(seed)))
        if ids.equal(repeats, ids, first).all():
            break
    hits = np.flatnonzero(matched_rows >= 0)
    rows = matched_rows[hits]
    is_same = ids.equal(rows, others, hits)
    rows, hits = rows[is_same], hits[is_same]
    if 8 * len(rows) < len(ids) and not len(repeats):
        order = np.argsort(rows)
        return Matches(repeats, first, rows[order], hits[order])
    # A row that repeats another's document has its partner.
    partner_of = np.full(len(ids), -1)
    partner_of[rows] = hits
    partner_of[repeats] = partner_of[first]
    rows = np.flatnonzero(partner_of >= 0)
    return Matches(repeats, first, rows, partner_of[rows])


def repeated(offsets: IntArray, ids: Ids, jobs: int | None = 1) -> tuple[IntArray, IntArray]:
    """Return the rows (n,) whose document the topic has in an earlier row, ascending, and that row (n,).

    The documents offsets[i] ... offsets[i+1]-1 are of topic i.  `jobs` threads look for them.
    """

    def repeated_in_block(block: tuple[int, int]) -> tuple[IntArray, IntArray]:
        begin, end = offsets[list(block)].tolist()
        lengths = np.diff(offsets[block[0] : block[1] + 1])
        matches = match(lengths, ids.take(slice(begin, end)), np.zeros_like(lengths), NO_IDS)
        return matches.repeats + begin, matches.first + begin

    repeats = in_order(repeated_in_block, blocks(offsets), jobs, UNTHREADED)
    rows, first = zip((NO_ROWS, NO_ROWS), *repeats, strict=True)
    return np.concatenate(rows), np.concatenate(first)


def _keys(lengths: IntArray, hashes: Words) -> Words:
    """Return the keys (N,) of topics with these numbers of documents (S,); overwrite the hashes (N,)."""
    bits = (len(lengths) - 1).bit_length()
    if len(lengths) > 1:
        hashes >>= np.uint64(bits)
        hashes |= np.repeat(np.arange(len(lengths), dtype=np.uint64) << np.uint64(64 - bits), lengths)
    return hashes


def match_keys(keys: Words, others: Words) -> tuple[IntArray, IntArray, IntArray]:
    """Find equal keys among (N,), and other keys (W,).

    Gives the rows whose key another row before has, ascending; the first row that has it; and for each other
    key the first row that has it, -1 if there is none.
    """
    if len(keys) <= MANY_KEYS:
        table = KeyTable(keys)
        return *table.repeats(), table.find(others)
    matched_rows = np.empty(len(others), np.int64)
    repeats: list[IntArray] = [NO_ROWS]
    first: list[IntArray] = [NO_ROWS]
    share_of, share_of_others = _shares(keys), _shares(others)
    for share in range(1 << _SHARE_BITS):
        rows = np.flatnonzero(share_of == share)
        table = KeyTable(keys[rows])
        repeats_in_share, first_in_share = table.repeats()
        repeats.append(rows[repeats_in_share])
        first.append(rows[first_in_share])
        other_rows = np.flatnonzero(share_of_others == share)
        matches = table.find(others[other_rows])
        is_match = matches >= 0
        matched_rows[other_rows] = matches
        matched_rows[other_rows[is_match]] = rows[matches[is_match]]
    order = np.argsort(np.concatenate(repeats))
    return np.concatenate(repeats)[order], np.concatenate(first)[order], matched_rows


def _shares(keys: Words) -> AnyArray:
    """Return (N,) the share of each key (N,); equal ones have the same."""
    share = np.empty(len(keys), np.uint8)
    shift = np.uint64(64 - _SHARE_BITS)
    for start in range(0, len(keys), _HASHED_AT_ONCE):
        share[start : start + _HASHED_AT_ONCE] = (keys[start : start + _HASHED_AT_ONCE] * _DIVIDE) >> shift
    return share

"""Which documents are the same: inside of one list of topics' documents, and in two of them.

A key is the number of a document's topic in its upper bits, and a hash of its id below.  Sorted together with
the number of its row in the last bits, all keys of a block tell at once what is the same: numpy sorts numbers
in the processor's cache many times faster than it finds permutations.

Where documents are repeated, or rows are too many, a table is made.  Each key chooses a slot of it, and every
row writes its number there; of rows with the same slot the last one stays.  The others compare their keys
with its key, and are then sorted among themselves.

Keys may be equal where ids differ.  That is noticed, and another hash is taken.  Hashes depend on a number
that each process draws anew, so that nobody can prepare ids that collide again and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import AT_ONCE
from pres_eval.arrays.ragged import blocks
from pres_eval.arrays.types import IntArray, Words
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.records import dataclass
from pres_eval.workers import UNTHREADED, in_order

MANY = 1 << 20
"""Keys above which they are divided into shares first, so that their slots stay in the cache."""

_SHARE_BITS = 3
_DIVIDE = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xD1B54A32D192ED03)
_NONE: IntArray = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Matches:
    """What is the same.

    repeats, first  rows whose document comes before in the same topic, and the row where it comes first
    rows, wanted    pairs of rows of the list and of what was wanted that are the same document of the same
                    topic, by rows; of a document that comes several times all rows
    """

    repeats: IntArray
    first: IntArray
    rows: IntArray
    wanted: IntArray


def match(lengths: IntArray, ids: WordIds, wanted_lengths: IntArray, wanted: WordIds) -> Matches:
    """Find wanted documents, which are all different, and repeated ones, among those of S topics (S,).

    The first lengths[0] ids and the first wanted_lengths[0] wanted ones are of the same topic, and so on.
    """
    if len(ids) + len(wanted) <= MANY:
        matches = _match_by_sorting(lengths, ids, wanted_lengths, wanted)
        if matches is not None:
            return matches
    seed = -1
    while True:
        seed += 1
        keys = _keys(lengths, ids.hashes(seed))
        repeats, first, found = match_keys(keys, _keys(wanted_lengths, wanted.hashes(seed)))
        if ids.equal(repeats, ids, first).all():
            break
    hits = np.flatnonzero(found >= 0)
    hits = hits[ids.equal(found[hits], wanted, hits)]
    rows, which = _by_row(len(ids), found[hits], hits, repeats, first)
    return Matches(repeats, first, rows, which)


def _match_by_sorting(
    lengths: IntArray, ids: WordIds, wanted_lengths: IntArray, wanted: WordIds
) -> Matches | None:
    """What `match` gives of lengths (S,) if no document is repeated; None if one is, or may be."""
    pairs = equal_pairs(_keys(lengths, ids.hashes()), _keys(wanted_lengths, wanted.hashes()))
    if pairs is None:
        return None
    first, second = pairs
    among_rows = np.flatnonzero(second < len(ids))
    if ids.equal(first[among_rows], ids, second[among_rows]).any():
        return None
    found = np.flatnonzero((first < len(ids)) & (second >= len(ids)))
    rows, which = first[found], second[found] - len(ids)
    same = ids.equal(rows, wanted, which)
    if not same.all():
        rows, which = rows[same], which[same]
    return Matches(_NONE, _NONE, *_by_row(len(ids), rows, which, _NONE, _NONE))


def equal_pairs(keys: Words, wanted: Words) -> tuple[IntArray, IntArray] | None:
    """Pairs of keys that agree in all but their last bits; None if more than two of them do.

    Wanted ones (W,) are numbered from N, behind the keys (N,); of a pair the lower number comes first.
    """
    number = np.arange(len(keys) + len(wanted), dtype=np.uint64)
    last_bits = np.uint64((1 << len(number).bit_length()) - 1)
    every = np.concatenate((keys, wanted))
    every &= ~last_bits
    every |= number
    every.sort()
    pairs = np.flatnonzero(every[1:] ^ every[:-1] <= last_bits)
    if (pairs[1:] - pairs[:-1] == 1).any():
        return None
    return (every[pairs] & last_bits).view(np.int64), (every[pairs + 1] & last_bits).view(np.int64)


def repeated(offsets: IntArray, ids: WordIds, jobs: int = 1) -> tuple[IntArray, IntArray]:
    """(n,) rows whose document comes before in the same topic, ascending, and (n,) where it comes first.

    The documents offsets[i] ... offsets[i+1]-1 are of topic i.  `jobs` threads look for them.
    """

    def of_block(block: tuple[int, int]) -> tuple[IntArray, IntArray]:
        begin, end = offsets[list(block)].tolist()
        lengths = np.diff(offsets[block[0] : block[1] + 1])
        found = match(lengths, ids.pick(slice(begin, end)), np.zeros_like(lengths), NO_IDS)
        return found.repeats + begin, found.first + begin

    rows: list[IntArray] = [_NONE]
    first: list[IntArray] = [_NONE]
    for repeats, before in in_order(of_block, blocks(offsets), jobs, UNTHREADED):
        rows.append(repeats)
        first.append(before)
    return np.concatenate(rows), np.concatenate(first)


def _keys(lengths: IntArray, hashes: Words) -> Words:
    """The keys (N,) of topics with so many documents (S,); the hashes (N,) are overwritten."""
    bits = (len(lengths) - 1).bit_length()
    if len(lengths) > 1:
        hashes >>= np.uint64(bits)
        hashes |= np.repeat(np.arange(len(lengths), dtype=np.uint64) << np.uint64(64 - bits), lengths)
    return hashes


def match_keys(keys: Words, wanted: Words) -> tuple[IntArray, IntArray, IntArray]:
    """Find equal keys among (N,), and those wanted (W,).

    Gives the rows whose key another row before has, ascending; the first row that has it; and for each wanted
    key the first row that has it, -1 if there is none.
    """
    if len(keys) <= MANY:
        return _match_keys(keys, wanted)
    found = np.empty(len(wanted), np.int64)
    repeats: list[IntArray] = [_NONE]
    first: list[IntArray] = [_NONE]
    share_of, share_of_wanted = _shares(keys), _shares(wanted)
    for share in range(1 << _SHARE_BITS):
        rows, asked = np.flatnonzero(share_of == share), np.flatnonzero(share_of_wanted == share)
        again, before, where = _match_keys(keys[rows], wanted[asked])
        repeats.append(rows[again])
        first.append(rows[before])
        found[asked] = where
        found[asked[where >= 0]] = rows[where[where >= 0]]
    order = np.argsort(np.concatenate(repeats))
    return np.concatenate(repeats)[order], np.concatenate(first)[order], found


def _shares(keys: Words) -> NDArray[Any]:
    """(N,) the share of each key (N,); equal ones have the same."""
    share = np.empty(len(keys), np.uint8)
    shift = np.uint64(64 - _SHARE_BITS)
    for start in range(0, len(keys), AT_ONCE):
        share[start : start + AT_ONCE] = (keys[start : start + AT_ONCE] * _DIVIDE) >> shift
    return share


def _match_keys(keys: Words, wanted: Words) -> tuple[IntArray, IntArray, IntArray]:
    """Keys (N,), wanted (W,) -> repeats and first (R,), found (W,), as match_keys says."""
    table = KeyTable(keys)
    repeats, first = table.repeats()
    return repeats, first, table.find(wanted)


class KeyTable:
    """Keys, to be found fast; see above.  `room`: how many bits more than the number of keys slots have."""

    def __init__(self, keys: Words, room: int | None = None) -> None:
        self.keys = keys
        room = (2 if len(keys) <= MANY else 1) if room is None else room
        size = max(len(keys).bit_length() + room, 8)
        self._shift = np.uint64(64 - size)
        self._owner = np.zeros(1 << size, np.int32 if len(keys) < 2**31 else np.int64)
        number = np.arange(len(keys), dtype=self._owner.dtype)
        slot = self._slots(keys)
        self._owner[slot] = number
        winner = self._owner[slot]
        lost = np.flatnonzero(winner != number)
        self._lost = lost[np.argsort(keys[lost], kind="stable")]
        self._lost_keys = keys[self._lost]
        self._crowded = np.zeros(1 << size, np.bool_)
        self._crowded[slot[lost]] = True
        self._several = np.concatenate(
            (
                self._lost_keys[keys[winner[self._lost]] == self._lost_keys],
                self._lost_keys[1:][self._lost_keys[1:] == self._lost_keys[:-1]],
            )
        )

    def _slots(self, keys: Words) -> IntArray:
        """(N,) where each key is looked for first."""
        return ((keys * _SPREAD) >> self._shift).view(np.int64)

    def find(self, wanted: Words) -> IntArray:
        """(W,) the first row with each wanted key (W,), -1 if there is none."""
        if not len(self.keys):
            return np.full(len(wanted), -1)
        slot = self._slots(wanted)
        found = self._owner[slot].astype(np.int64)
        missed = np.flatnonzero(self.keys[found] != wanted)
        found[missed] = -1
        missed = missed[self._crowded[slot[missed]]]
        if len(missed):
            place = np.minimum(np.searchsorted(self._lost_keys, wanted[missed]), len(self._lost) - 1)
            here = self._lost_keys[place] == wanted[missed]
            found[missed[here]] = self._lost[place[here]]
        if len(self._several):
            found = np.where(found < 0, -1, self._first()[found])
        return found

    def repeats(self) -> tuple[IntArray, IntArray]:
        """(n,) the rows whose key a row before has, ascending, and (n,) the first row that has it."""
        if not len(self._several):
            return _NONE, _NONE
        first = self._first()
        rows = np.flatnonzero(first != np.arange(len(first)))
        return rows, first[rows]

    def _first(self) -> IntArray:
        """(N,) for each row the first with its key."""
        first = np.arange(len(self.keys))
        rows = np.flatnonzero(np.isin(self.keys, self._several))
        rows = rows[np.argsort(self.keys[rows], kind="stable")]
        new = np.concatenate(([True], self.keys[rows[1:]] != self.keys[rows[:-1]]))
        first[rows] = rows[new][np.cumsum(new) - 1]
        return first


def _by_row(
    size: int, rows: IntArray, which: IntArray, repeats: IntArray, first: IntArray
) -> tuple[IntArray, IntArray]:
    """(n,) and (n,): pairs sorted by row; a row that repeats another's document has the same partner."""
    if 8 * len(rows) < size and not len(repeats):
        order = np.argsort(rows)
        return rows[order], which[order]
    partner = np.full(size, -1)
    partner[rows] = which
    partner[repeats] = partner[first]
    rows = np.flatnonzero(partner >= 0)
    return rows, partner[rows]

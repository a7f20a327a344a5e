"""Matching of ids: equal ones inside one list, and in two; the one way to find equal ids.

A key is a hash.  Each key has a slot in a table, and every row writes its number there; of rows with the same
slot one stays.  The others compare their keys with its key: equal ones are found, and the rest get slots in
another, smaller table, the next level.  Nearly all keys need one look, and nothing is sorted.

Keys may be equal where ids differ.  That is noticed, and another hash is taken.  Hashes depend on a number
that each process draws anew, so that nobody can prepare ids that collide again and again.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from pres_eval.arrays.ids import NO_IDS, Ids
from pres_eval.arrays.stretches import blocks
from pres_eval.arrays.types import AnyInts, IntArray, Words
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.records import dataclass

FEW_KEYS = 1 << 16
"""Keys that get at least eight slots each, as these fit into the cache: one in twenty has to look twice."""

_BITS_OF_FEW, _BITS_OF_MANY = 3, 1
"""Bits that the number of a slot has beyond those of the number of keys: 2^3 slots a key at least, or 2^1."""

_LEAST_SLOT_BITS = 8
"""Bits of a slot's number at least: in 256 slots 8 to 15 keys need another level about half as often."""

_SLOT_MULTIPLIER = np.uint64(0xD1B54A32D192ED03)
"""Odd number whose bits look random: times this, keys have upper bits that depend on all of their bits.

Each level takes another power of it, so that keys with the same slot do not meet again.
"""

NO_ROWS: IntArray = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class _Level:
    """A table of 2^b slots.

    multiplier, shift  the slot of a key is the upper b bits of its product with the multiplier
    owner              (2^b,) the row that has each slot, -1 where there is none
    """

    multiplier: np.uint64
    shift: np.uint64
    owner: AnyInts

    def slots(self, keys: Words) -> IntArray:
        """Return (n,) the slot of each key (n,)."""
        return ((keys * self.multiplier) >> self.shift).view(np.int64)


class KeyTable:
    """Table in which keys (N,) are found by one level of slots or several, as the module's docstring says."""

    def __init__(self, keys: Words) -> None:
        self.keys = keys
        self._levels: list[_Level] = []
        self._first: IntArray | None = None
        """(N,) the first row with the key of each row; None while all keys are different."""
        # In few bytes the tables stay in the cache: two if they hold all rows and -1, else four or eight.
        smallest_type = np.min_scalar_type(-len(keys))
        rows = np.arange(len(keys), dtype=np.result_type(np.int16, smallest_type))
        while len(rows):
            rows, keys = self._add_level(rows, keys)

    def _add_level(self, rows: AnyInts, keys: Words) -> tuple[AnyInts, Words]:
        """Give slots to rows (n,) with these keys (n,); return the rows that got none, and their keys."""
        extra_bits = _BITS_OF_FEW if len(rows) <= FEW_KEYS else _BITS_OF_MANY
        bits = max(len(rows).bit_length() + extra_bits, _LEAST_SLOT_BITS)
        multiplier = np.uint64(pow(int(_SLOT_MULTIPLIER), len(self._levels) + 1, 2**64))
        level = _Level(multiplier, np.uint64(64 - bits), np.full(1 << bits, -1, rows.dtype))
        self._levels.append(level)
        slots = level.slots(keys)
        level.owner[slots] = rows
        winner = level.owner[slots]
        lost = np.flatnonzero(winner != rows)
        rows, winner, keys = rows[lost], winner[lost], keys[lost]
        is_equal = keys == self.keys[winner]
        if is_equal.any():
            self._add_equal(rows[is_equal], winner[is_equal])
            rows, keys = rows[~is_equal], keys[~is_equal]
        return rows, keys

    def _add_equal(self, rows: AnyInts, winners: AnyInts) -> None:
        """Note that rows (n,) have the same keys as other rows (n,), which have the slots.

        Of rows 2, 5 and 7 with the same key, numpy may give the slot to 5.  Then 2 and 7 have the winner 5:
        the least of them, 2, becomes the first row of 5, and then that of 2 and 7.
        """
        if self._first is None:
            self._first = np.arange(len(self.keys))
        np.minimum.at(self._first, winners, rows)
        self._first[rows] = self._first[winners]

    def find(self, keys: Words) -> IntArray:
        """Return (W,) the first row with each of these keys (W,), -1 if there is none."""
        if not self._levels:
            return np.full(len(keys), -1)
        first_level, *further_levels = self._levels
        found_rows = first_level.owner[first_level.slots(keys)].astype(np.int64)
        # The -1 of an empty slot reads the last key, which differs: an equal one has a slot with an owner.
        missed = np.flatnonzero(self.keys[found_rows] != keys)
        for level in further_levels:
            # Keys that met another key look in the next level; one that met an empty slot is in none.
            sought = missed[found_rows[missed] >= 0]
            found_rows[missed] = -1
            if not len(sought):
                break
            sought_keys = keys[sought]
            rows = level.owner[level.slots(sought_keys)]
            found_rows[sought] = rows
            missed = sought[self.keys[rows] != sought_keys]
        found_rows[missed] = -1
        if self._first is not None:
            found_rows = np.where(found_rows < 0, -1, self._first[found_rows])
        return found_rows

    def repeats(self) -> tuple[IntArray, IntArray]:
        """Return (n,) the rows whose key an earlier row has, ascending, and (n,) the first row with it."""
        if self._first is None:
            return NO_ROWS, NO_ROWS
        rows = np.flatnonzero(self._first != np.arange(len(self._first)))
        return rows, self._first[rows]


class IdTable:
    """Table in which ids (N,) are found, by hashes that no two different ones of them share.

    repeats, first  (n,) the rows whose id an earlier row has, ascending, and (n,) the first row that has it
    """

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        self._seed = 0
        self._add_ids()
        while not ids.equal(self.repeats, ids, self.first).all():  # two different ids have the same hash
            self._seed += 1
            self._add_ids()

    def _add_ids(self) -> None:
        """Make the table of the hashes that the seed gives."""
        self._table = KeyTable(self.ids.hashes(self._seed))
        self.repeats, self.first = self._table.repeats()

    def find(self, ids: Ids) -> IntArray:
        """Return (W,) the first row with each of these ids (W,), -1 if there is none."""
        found_rows = self._table.find(ids.hashes(self._seed))
        num_long = len(ids.long_rows) + len(self.ids.long_rows)
        are_single_words = len(ids.columns) == len(self.ids.columns) == 1 and not num_long
        if are_single_words:
            # Their hash is the word times an odd number, modulo 2^64: no two words have the same one.
            return found_rows
        rows = np.flatnonzero(found_rows >= 0)
        is_same = ids.equal(rows, self.ids, found_rows[rows])
        found_rows[rows[~is_same]] = -1
        return found_rows

    def first_rows(self) -> IntArray:
        """Return (N,) the first row with the id of each row."""
        first_rows = np.arange(len(self.ids))
        first_rows[self.repeats] = self.first
        return first_rows


@dataclass(frozen=True, eq=False)
class Matches:
    """Result of `match`: which documents of a topic are repeated, and which are among its other documents.

    repeats, first  (n,) the rows whose document is in an earlier row of its topic, ascending, and (n,) the
                    first row that has it
    rows, partners  (m,) rows, ascending, and (m,) where each one's document is among the others; a document
                    that is in several rows is in several pairs
    """

    repeats: IntArray
    first: IntArray
    rows: IntArray
    partners: IntArray


def match(lengths: IntArray, ids: Ids, other_lengths: IntArray, others: Ids) -> Matches:
    """Return the equal documents among ids (N,) of S topics, and their pairs with others (W,).

    The first lengths[0] ids and the first other_lengths[0] others are of the same topic, and so on.  No two
    others of a topic are the same.
    """
    for seed in count():
        table = KeyTable(_keys(lengths, ids.hashes(seed)))
        repeats, first = table.repeats()
        # Different ids must not share a key: an other document would then find only one of them.
        if ids.equal(repeats, ids, first).all():
            break
    matched_rows = table.find(_keys(other_lengths, others.hashes(seed)))
    hits = np.flatnonzero(matched_rows >= 0)
    rows = matched_rows[hits]
    is_same = ids.equal(rows, others, hits)
    rows, hits = rows[is_same], hits[is_same]
    if 8 * len(rows) < len(ids) and not len(repeats):  # sorting few is faster than a table of all
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

    offsets  (T+1,) the documents offsets[i] ... offsets[i+1]-1 are of topic i
    jobs     how many threads look for them; None: one for each processor
    """

    def repeated_in_block(block: tuple[int, int]) -> tuple[IntArray, IntArray]:
        """Return the same for the topics of a block."""
        first_topic, last_topic = block
        begin, end = int(offsets[first_topic]), int(offsets[last_topic])
        lengths = np.diff(offsets[first_topic : last_topic + 1])
        matches = match(lengths, ids.take(slice(begin, end)), np.zeros_like(lengths), NO_IDS)
        return matches.repeats + begin, matches.first + begin

    rows, first_rows = [NO_ROWS], [NO_ROWS]
    for rows_in_block, first_in_block in in_order(repeated_in_block, blocks(offsets), jobs, UNTHREADED):
        rows.append(rows_in_block)
        first_rows.append(first_in_block)
    return np.concatenate(rows), np.concatenate(first_rows)


def _keys(lengths: IntArray, hashes: Words) -> Words:
    """Make keys (N,) of the hashes (N,) of the documents of S topics, in place, and return them.

    A key has the number of its topic in as many upper bits as S topics need, and below them the upper bits of
    the document's hash.

    lengths  (S,) how many documents each topic has
    """
    bits = (len(lengths) - 1).bit_length()
    if len(lengths) > 1:
        topic_bits = np.arange(len(lengths), dtype=np.uint64) << np.uint64(64 - bits)
        hashes >>= np.uint64(bits)
        hashes |= np.repeat(topic_bits, lengths)
    return hashes

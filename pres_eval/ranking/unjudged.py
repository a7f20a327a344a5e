"""The topics of a run that nobody judged, as many as there is room for."""

from __future__ import annotations

import numpy as np

from pres_eval.arrays.matching import KeyTable
from pres_eval.arrays.word_ids import NO_IDS, WordIds

MOST = 100_000
"""Topics without judgements that are kept; of further ones it is known that there are some."""

MOST_BYTES = 64 << 20
"""Room for their ids."""


class UnjudgedTopics:
    """Collects topics without judgements, in the order of the file; memory does not grow with the run.

    Keeps at most `most` of them, MOST if that is None.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = MOST if most is None else most
        self._parts = [NO_IDS]
        self._num_ids = 0
        self._num_bytes = 0
        self.more = False
        """Whether there are more than are kept."""

    def add(self, topics: WordIds) -> None:
        """Add topics, also such as came before."""
        if self.more:
            return
        self._parts.append(topics)
        self._num_ids += len(topics)
        self._num_bytes += _room(topics)
        if self._num_ids > 2 * self._most or self._num_bytes > 2 * MOST_BYTES:
            self.ids()

    def ids(self) -> WordIds:
        """Those that are kept, each once."""
        found = _each_once(WordIds.concatenate(self._parts))
        self.more |= len(found) > self._most or _room(found) > MOST_BYTES
        if len(found) > self._most:
            found = found.pick(slice(0, self._most))
        self._parts, self._num_ids, self._num_bytes = [found], len(found), _room(found)
        return found


def _each_once(ids: WordIds) -> WordIds:
    """Return the distinct ids in the order in which they first came."""
    again, first = KeyTable(ids.hashes()).repeats()
    again = again[ids.equal(again, ids, first)]
    if not len(again):
        return ids
    new = np.ones(len(ids), np.bool_)
    new[again] = False
    return ids.pick(np.flatnonzero(new))


def _room(ids: WordIds) -> int:
    return sum(column.nbytes for column in ids.columns) + int(ids.long_ids.lengths.sum())

"""The order of a ranking: score descending, ties by docno descending; the only place with the tie rule.

For preferences alone, ties go by docno ascending: trec_eval's form_prefs_counts.c compares the other way
round than its form_res_rels.c.
Only the ranks of judged documents are wanted.  When the scores of a topic descend in the file,
as they nearly always do, a document's rank is its place.  Otherwise the topic's scores are sorted, and docnos
are compared only in ties (groups of equal scores) that hold a judged document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.growing import Growing, narrow
from pres_eval.arrays.ids import WordIds, byte_order
from pres_eval.arrays.matching import Matches, match
from pres_eval.arrays.ragged import blocks, ragged
from pres_eval.arrays.types import AnyInts, IntArray, Words
from pres_eval.reading.pool import Pool
from pres_eval.records import dataclass

Scores = NDArray[np.float64] | NDArray[np.float32]


FEW = 8
"""Times that a block's rows may be compared, so that ties need not be sorted."""


class DuplicateRowError(Exception):
    """A document that a topic has twice."""

    def __init__(self, topic: bytes, document: bytes) -> None:
        super().__init__(topic, document)
        self.topic = topic
        self.document = document


@dataclass(frozen=True, eq=False)
class Ranked:
    """S topics of a run, of which only the D judged documents are kept.

    topic           (S,) indices of the pool's topics
    num_ret         (S,) documents retrieved
    offsets         (S+1,) where each topic's documents begin
    rank, document  (D,) ranks from 1, in rank order; indices of the pool's documents; both in as few bytes
                    as the largest needs
    """

    topic: IntArray
    num_ret: IntArray
    offsets: IntArray
    rank: AnyInts
    document: AnyInts


def rank_topics(
    pool: Pool,
    topic: IntArray,
    offsets: IntArray,
    scores: Scores,
    ids: WordIds,
    most: int | None = None,
    *,
    ascending: bool = False,
) -> Ranked:
    """Rank S whole topics: rows offsets[i] ... offsets[i+1]-1 are those of pool topic topic[i].

    `ascending`: equal scores go by docno ascending, not descending.
    Raises DuplicateRowError if a topic has a document twice; trec_eval: not when -M cuts all but one off.
    """
    lengths = np.diff(offsets)
    topic_of = np.broadcast_to(np.int32(0), len(scores))  # takes no memory
    if len(topic) > 1:
        topic_of = np.repeat(np.arange(len(topic), dtype=np.int32), lengths)
    rows_to_rank = Sortable(topic_of=topic_of, offsets=offsets, scores=scores, ids=ids, ascending=ascending)
    num_judged, judged = pool.documents_of(topic)
    found = match(lengths, ids, num_judged, pool.documents.pick(judged))
    row = _duplicate(rows_to_rank, found, most)
    if row is not None:
        raise DuplicateRowError(pool.topics[int(topic[topic_of[row]])], ids[row])
    rows = found.rows
    document = found.wanted + judged.start if isinstance(judged, slice) else judged[found.wanted]
    places = _places(rows_to_rank, rows)
    if places is not rows:
        order = np.argsort(places, kind="stable")  # topics keep their places; fast where most are in order
        places, document = places[order], document[order]
    topic_of_judged = topic_of[rows]
    rank = places - offsets[topic_of_judged] + 1
    counts = np.bincount(topic_of_judged, minlength=len(topic))
    return Ranked(topic, lengths, np.concatenate(([0], np.cumsum(counts))), narrow(rank), narrow(document))


@dataclass(frozen=True, eq=False)
class Sortable:
    """N rows of S topics, topic after topic.

    topic_of   (N,) the number of each row's topic, from 0
    offsets    (S+1,) where each topic's rows begin
    scores     (N,)
    ids        (N,) docnos
    ascending  whether equal scores go by docno ascending
    """

    topic_of: NDArray[np.int32]
    offsets: IntArray
    scores: Scores
    ids: WordIds
    ascending: bool


def score_keys(scores: Scores) -> Words:
    """Whole numbers (N,) that ascend as the scores descend, in as many bits as a score has."""
    bits = (scores + scores.dtype.type(0)).view(f"<i{scores.itemsize}")  # -0.0 + 0.0 is 0.0
    # Below 0 the bits descend already as whole numbers without sign; above, all but the sign turn round.
    bits ^= ~(bits >> (8 * scores.itemsize - 1)) & np.iinfo(bits.dtype).max
    return bits.view(f"<u{scores.itemsize}").astype(np.uint64)


def place_keys(topic: AnyInts, scores: Scores, num_topics: int) -> Words:
    """Whole numbers (N,) that ascend from topic to topic, and with descending scores in a topic.

    Scores of 64 bits lose as many of their last bits as the topics need: close ones may seem to be tied.
    """
    # Topic and score are one number because numpy sorts numbers many times faster than permutations.
    keys = score_keys(scores)
    kept, lost = _bits_of_score(num_topics, 8 * scores.itemsize)
    keys >>= np.uint64(lost)
    keys |= topic.astype(np.uint64) << np.uint64(kept)
    return keys


def topic_keys(num_topics: int, single: bool) -> Words:
    """The least key (T,) that a place in each topic can have."""
    kept, _ = _bits_of_score(num_topics, 32 if single else 64)
    return np.arange(num_topics, dtype=np.uint64) << np.uint64(kept)


def _bits_of_score(num_topics: int, bits: int) -> tuple[int, int]:
    """How many bits of a score have room beside the number of a topic, and how many are lost."""
    lost = max((num_topics - 1).bit_length() + bits - 64, 0)
    return bits - lost, lost


def _duplicate(rows: Sortable, found: Matches, most: int | None) -> int | None:
    """A row of a document that comes twice among the first `most` of its topic, None if there is none."""
    if not len(found.repeats):
        return None
    if most is None:
        return int(found.first[0])
    has_copies = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_copies[rows.topic_of[found.repeats]] = True
    members = np.flatnonzero(has_copies[rows.topic_of])
    places = _places(rows, members)
    document = np.arange(len(rows.scores))
    document[found.repeats] = found.first
    kept = np.sort(document[members[places - rows.offsets[rows.topic_of[members]] < most]])
    twice = np.zeros(len(rows.scores), np.bool_)
    twice[kept[1:][kept[1:] == kept[:-1]]] = True
    copies = found.first[twice[found.first]]
    return int(copies[0]) if len(copies) else None


def _places(rows: Sortable, judged: IntArray) -> IntArray:
    """(J,) the places of judged rows (J,) when all are sorted; the same array if they are there already."""
    scores, topic_of = rows.scores, rows.topic_of
    rising = np.flatnonzero(scores[1:] > scores[:-1])
    rising = rising[topic_of[rising] == topic_of[rising + 1]]
    if not len(rising):
        return _untied(rows, None, judged)
    unsorted = np.zeros(len(rows.offsets) - 1, np.bool_)
    unsorted[topic_of[rising]] = True
    moved = unsorted[topic_of[judged]]
    places = judged.copy()
    places[~moved] = _untied(rows, None, judged[~moved])
    places[moved] = _sorted_places(rows, judged[moved])
    return places


def _sorted_places(rows: Sortable, judged: IntArray) -> IntArray:
    """(J,) the places of judged rows (J,) of topics whose scores don't descend."""
    keys = place_keys(rows.topic_of, rows.scores, len(rows.offsets) - 1)
    members = _rows_beside(rows, judged)
    wanted, in_order = keys[judged], np.sort(keys[members])
    first = np.searchsorted(in_order, wanted)
    places = members[first]
    tied = np.flatnonzero(np.append(in_order[1:], ~in_order[-1:])[first] == wanted)
    if len(tied):
        places[tied] = _lexsorted_places(rows, judged[tied])
    return places


def _lexsorted_places(rows: Sortable, judged: IntArray) -> IntArray:
    """(J,) the same where some scores are, or may be, equal."""
    members = _rows_beside(rows, judged)
    order = np.lexsort((-rows.scores[members], rows.topic_of[members]))
    place = np.empty(len(members), np.int64)
    place[order] = np.arange(len(members))
    return members[_untied(rows, members[order], place[np.searchsorted(members, judged)])]


def _rows_beside(rows: Sortable, judged: IntArray) -> IntArray:
    """All rows of the topics of some rows."""
    has_judged = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_judged[rows.topic_of[judged]] = True
    return np.flatnonzero(has_judged[rows.topic_of])


def _untied(rows: Sortable, in_order: IntArray | None, wanted: IntArray) -> IntArray:
    """(W,) where the wanted ones (W,) of sorted places move to when equal scores go by docno.

    `in_order` (M,): the row at each place, None if row i is at place i.
    """
    scores, topic_of = rows.scores, rows.topic_of
    if in_order is not None:
        scores, topic_of = scores[in_order], topic_of[in_order]
    equal = np.flatnonzero(scores[1:] == scores[:-1])
    equal = equal[topic_of[equal] == topic_of[equal + 1]]
    if not len(equal):
        return wanted
    has_equal = np.zeros(len(scores), np.bool_)
    has_equal[equal] = has_equal[equal + 1] = True
    tied = np.flatnonzero(has_equal[wanted])
    if not len(tied):
        return wanted
    breaks = np.flatnonzero(np.diff(equal) != 1)
    starts = equal[np.concatenate(([0], breaks + 1))]
    sizes = equal[np.concatenate((breaks, [len(equal) - 1]))] + 2 - starts
    tie = np.searchsorted(starts, wanted[tied], side="right") - 1
    moved = wanted.copy()
    if sizes[tie].sum() <= FEW * len(scores) and not len(rows.ids.long_rows):
        moved[tied] = _counted(rows, in_order, starts[tie], sizes[tie], wanted[tied])
    else:
        moved[tied] = _sorted(rows, in_order, starts, sizes, tie, wanted[tied])
    return moved


def _counted(
    rows: Sortable, in_order: IntArray | None, starts: IntArray, sizes: IntArray, tied: IntArray
) -> IntArray:
    """(W,) new places in ties (W,): as many others of a tie come before as have such a docno."""
    before = np.empty(len(tied), np.int64)
    for first, last in blocks(np.concatenate(([0], np.cumsum(sizes)))):
        places, begins = ragged(starts[first:last], sizes[first:last])
        own = np.repeat(tied[first:last], sizes[first:last])
        pairs = (places, own) if in_order is None else (in_order[places], in_order[own])
        after, same = rows.ids.compare(*pairs)
        # A document that comes twice (see -M) has two places.
        comes_before = (~(after | same) if rows.ascending else after) | (same & (places < own))
        before[first:last] = np.add.reduceat(comes_before, begins[:-1], dtype=np.int64)
    return starts + before


def _sorted(
    rows: Sortable,
    in_order: IntArray | None,
    starts: IntArray,
    sizes: IntArray,
    tie: IntArray,
    tied: IntArray,
) -> IntArray:
    """(W,) new places in the ties tie (W,) of E ties that begin at starts (E,); their docnos are sorted."""
    has_tied = np.zeros(len(starts), np.bool_)
    has_tied[tie] = True
    ties = np.flatnonzero(has_tied)
    places, begins = ragged(starts[ties], sizes[ties])
    number = np.repeat(np.arange(len(ties)), sizes[ties])
    texts = rows.ids.take(places if in_order is None else in_order[places])
    # Turned round, the numbers of the ties rise again while docnos descend.
    by_docno = byte_order(texts, number) if rows.ascending else byte_order(texts, len(ties) - number)[::-1]
    new: IntArray = np.empty_like(places)
    new[by_docno] = places
    own = np.cumsum(has_tied)[tie] - 1
    found: IntArray = new[begins[own] + tied - starts[tie]]
    return found


class Topics:
    """Collects what was ranked."""

    def __init__(self) -> None:
        self._topic, self._num_ret, self._counts = Growing(np.int64), Growing(np.int64), Growing(np.int64)
        self._rank, self._document = Growing(np.int8), Growing(np.int8)

    def add(self, part: Ranked) -> None:
        """Keep some more topics; none may be in two parts."""
        self._topic.append(part.topic)
        self._num_ret.append(part.num_ret)
        self._counts.append(np.diff(part.offsets))
        self._rank.append(part.rank)
        self._document.append(part.document)

    def ranked(self) -> Ranked:
        """All topics, in the pool's order."""
        topic, num_ret, lengths = self._topic.values(), self._num_ret.values(), self._counts.values()
        rank, document = self._rank.values(), self._document.values()
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        if (topic[1:] < topic[:-1]).any():
            order = np.argsort(topic, kind="stable")
            rows, offsets = ragged(offsets[:-1][order], lengths[order])
            topic, num_ret, rank, document = topic[order], num_ret[order], rank[rows], document[rows]
        return Ranked(topic, num_ret, offsets, rank, document)

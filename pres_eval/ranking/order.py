"""The order of a ranking: score descending, ties by docno descending; the only place with the tie rule.

For preferences alone, ties go by docno ascending: trec_eval's form_prefs_counts.c compares the other way
round than its form_res_rels.c.
Only the ranks of judged documents are wanted.  When the scores of a topic descend in the file,
as they nearly always do, a document's rank is that of its row.  Otherwise the topic's scores are sorted, and
docnos are compared only in ties (groups of equal scores) that hold a judged document.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from operator import gt
from typing import Any, TypeVar, cast

import numpy as np

from pres_eval.arrays import AnyInts, Ids, IntArray, TopicNumbers, Words, blocks, narrow, ragged
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties, inverse
from pres_eval.reading.blocks import Documents
from pres_eval.records import dataclass

SHORT_TOPIC_ROWS = 32
"""Rows of a topic up to which it takes longer to call a sort than to sort."""

MOST_COMPARISONS = 8
"""Times that a block's rows may be compared, so that ties need not be sorted."""


@dataclass(frozen=True, eq=False)
class Sortable:
    """N rows of S topics, topic after topic.

    offsets    (S+1,) where each topic's rows begin
    scores     (N,)
    documents  (N,) docnos
    ascending  whether equal scores go by docno ascending
    """

    offsets: IntArray
    scores: Scores
    documents: Documents
    ascending: bool

    @cached_property
    def topic_of(self) -> TopicNumbers:
        """(N,) the number of each row's topic, from 0."""
        if len(self.offsets) == 2:
            return np.broadcast_to(np.int32(0), len(self.scores))  # takes no memory
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))


def rank_judged(rows: Sortable, topic: IntArray, judged: IntArray, document: IntArray) -> Ranked:
    """Rank S whole topics (S,) whose judged documents (J,) of the pool are known to be in rows `judged` (J,).

    These ascend, and no topic has a document twice.
    """
    positions, moved, ties = positions_of(rows, judged)
    counts = np.diff(rows.offsets)
    if len(judged) < len(rows.scores):
        counts = np.bincount(rows.topic_of[judged], minlength=len(topic))
    topic_begins = np.repeat(rows.offsets[:-1], counts)
    if len(moved):
        order = np.argsort(positions[moved], kind="stable")  # fast where most are in order
        positions[moved], document[moved] = positions[moved[order]], document[moved[order]]
        if len(ties.document):
            tied = moved[inverse(order)[np.searchsorted(moved, ties.document)]]
            ties = Ties.at(tied, ties.first - topic_begins[ties.document] + 1, ties.size)
    return Ranked(
        topic=topic,
        num_ret=np.diff(rows.offsets),
        offsets=np.concatenate(([0], np.cumsum(counts))),
        rank=narrow(positions - topic_begins + 1),
        document=narrow(document),
        ties=ties,
    )


def positions_of(rows: Sortable, judged: IntArray) -> tuple[IntArray, IntArray, Ties]:
    """Return the positions (J,) of judged rows (J,) once all are sorted, and which (n,) may change places.

    A position counts all rows from 0; a topic's sorted rows have the positions of its rows.  The ties are
    those of the judged rows, all of which may change places, with first positions instead of ranks.
    """
    scores, topic_of = rows.scores, rows.topic_of
    rising = np.flatnonzero(scores[1:] > scores[:-1])
    rising = rising[topic_of[rising] == topic_of[rising + 1]]
    if not len(rising):
        positions, ties = _untied(rows, None, judged)
        return positions, ties.document, ties
    is_unsorted = np.zeros(len(rows.offsets) - 1, np.bool_)
    is_unsorted[topic_of[rising]] = True
    is_moved = is_unsorted[topic_of[judged]]
    staying, moving = np.flatnonzero(~is_moved), np.flatnonzero(is_moved)
    positions = judged.copy()
    positions[staying], ties = _untied(rows, None, judged[staying])
    positions[moving], more_ties = _sorted_positions(rows, judged[moving])
    is_moved[staying[ties.document]] = True
    document = np.concatenate((staying[ties.document], moving[more_ties.document]))
    if len(document):
        first = np.concatenate((ties.first, more_ties.first))
        ties = Ties.at(document, first, np.concatenate((ties.size, more_ties.size)))
    return positions, np.flatnonzero(is_moved), ties


def _sorted_positions(rows: Sortable, judged: IntArray) -> tuple[IntArray, Ties]:
    """Return (J,) the positions of judged rows (J,) of topics whose scores don't descend."""
    keys = position_keys(rows.topic_of, rows.scores, len(rows.offsets) - 1)
    members = _rows_beside(rows, judged)
    judged_keys, in_order = keys[judged], keys[members]
    # Many short sorts take half the time of a long one, if topics are not too short for that.
    begins = np.flatnonzero(np.diff(rows.topic_of[members], prepend=-1, append=-1))
    spans = (
        pairwise(begins.tolist()) if len(members) >= SHORT_TOPIC_ROWS * len(begins) else [(0, len(members))]
    )
    for begin, end in spans:
        in_order[begin:end].sort()
    first = np.searchsorted(in_order, judged_keys)
    positions = members[first]
    next_keys = np.append(in_order[1:], ~in_order[-1:])
    tied = np.flatnonzero(next_keys[first] == judged_keys)
    if not len(tied):
        return positions, NO_TIES
    # Equal keys may be of scores that differ in their last bits.
    judged = judged[tied]
    members = _rows_beside(rows, judged)
    order = np.lexsort((-rows.scores[members], rows.topic_of[members]))
    moved, ties = _untied(rows, members[order], inverse(order)[np.searchsorted(members, judged)])
    positions[tied] = members[moved]
    return positions, Ties(ties.document, members[ties.first], ties.size).moved(tied)


def _rows_beside(rows: Sortable, judged: IntArray) -> IntArray:
    """Return (n,) all rows of the topics of some judged rows (J,)."""
    has_judged = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_judged[rows.topic_of[judged]] = True
    return np.flatnonzero(has_judged[rows.topic_of])


def _untied(rows: Sortable, in_order: IntArray | None, judged: IntArray) -> tuple[IntArray, Ties]:
    """Return (J,) where judged documents at positions (J,) of sorted rows move to when ties go by docno.

    in_order  (M,) the row at each position, None if row i is at position i

    Of five rows of a topic with scores 9 7 7 7 4 the documents are e b d c a.  Positions 1 to 3 are a tie:
    the highest docno comes first, so that d, c, b have the positions 1, 2, 3.  If b and a are judged, at 1
    and 4, b moves to 3, a stays, and the ties have one document: b, in a tie from 1 on, of three.
    """
    scores, topic_of = rows.scores, rows.topic_of
    if in_order is not None:
        scores, topic_of = scores[in_order], topic_of[in_order]
    # Those whose next one is equal: 1 and 2 in the example.
    equal = np.flatnonzero(scores[1:] == scores[:-1])
    equal = equal[topic_of[equal] == topic_of[equal + 1]]
    if not len(equal):
        return judged, NO_TIES
    is_tied = np.zeros(len(scores), np.bool_)
    is_tied[equal] = is_tied[equal + 1] = True
    tied = np.flatnonzero(is_tied[judged])
    if not len(tied):
        return judged, NO_TIES
    breaks = np.flatnonzero(np.diff(equal) != 1)
    starts = equal[np.concatenate(([0], breaks + 1))]
    sizes = equal[np.concatenate((breaks, [len(equal) - 1]))] + 2 - starts
    tie = np.searchsorted(starts, judged[tied], side="right") - 1
    has_judged = np.zeros(len(starts), np.bool_)
    has_judged[tie] = True
    chosen, tie_of_judged = np.flatnonzero(has_judged), (np.cumsum(has_judged) - 1)[tie]
    members, begins = ragged(starts[chosen], sizes[chosen])
    ids = rows.documents.take(members if in_order is None else in_order[members])
    member_of_judged = begins[tie_of_judged] + judged[tied] - starts[tie]
    moved = judged.copy()
    moved[tied] = starts[tie] + documents_before(ids, begins, tie_of_judged, member_of_judged, rows.ascending)
    return moved, Ties(tied, starts[tie], sizes[tie])


def documents_before(
    ids: Ids, begins: IntArray, tie: IntArray, member: IntArray, ascending: bool
) -> IntArray:
    """Return (W,) how many documents come before some documents of ties, by the tie rule.

    ids     of all documents of E ties, which begin at begins (E+1,)
    tie     (W,) the tie of each document
    member  (W,) which of the ids it has
    Of the ids b, d, c of one tie none is lower than b: the two others come before it.
    """
    sizes = np.diff(begins)[tie]
    num_lower = np.empty(len(tie), np.int64)
    if sizes.sum() > MOST_COMPARISONS * len(ids) or len(ids.long_rows):
        number = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        num_lower = inverse(ids.byte_order(number))[member] - begins[tie]
        return in_docno_order(num_lower, sizes, ascending)
    for first, last in blocks(np.concatenate(([0], np.cumsum(sizes)))):
        others, starts = ragged(begins[tie[first:last]], sizes[first:last])
        members = np.repeat(member[first:last], sizes[first:last])
        is_after, is_same = ids.compare(members, others)
        # A document that comes twice (see -M) has two positions.
        is_above = is_after | (is_same & (others < members))
        num_lower[first:last] = np.add.reduceat(is_above, starts[:-1], dtype=np.int64)
    return in_docno_order(num_lower, sizes, ascending)


Count = TypeVar("Count", IntArray, int)


def in_docno_order(num_lower: Count, sizes: IntArray | int, ascending: bool = False) -> Count:
    """Return how many documents of equal scores (n,) come before each of some of them.

    num_lower  (n,) how many of them have lower docnos, in byte order
    sizes      (n,) how many documents have the score
    This is the tie rule; it is nowhere else.  One count, and its size, will do instead of arrays.
    """
    # trec_eval: equal scores go by docno, the highest first; in preferences the lowest first.
    return num_lower if ascending else cast(Count, sizes - 1 - num_lower)


def falling_order(documents: Mapping[str, Any]) -> Iterable[str] | None:
    """Return the documents of a ranking in order, as 9.0.8 has them; None where two have equal scores.

    None for scores that are no numbers, too.  Meant for few documents.
    """
    try:
        if _are_falling(array("f", documents.values())):  # trec_eval: 9.0.8 keeps scores in 32 bits
            return documents
        order = sorted(documents, key=documents.__getitem__, reverse=True)
        if _are_falling(array("f", map(documents.__getitem__, order))):
            return order
    except (TypeError, OverflowError):
        pass
    return None


def few_in_order(documents: Mapping[str, Any]) -> Iterable[str] | None:
    """Return the documents of a ranking with their scores in order, as 9.0.8 has them, for few documents.

    None where only `rank_judged` is sure: for scores that are no numbers, and ties of ids that are not ASCII.
    """
    order = falling_order(documents)
    if order is not None:
        return order
    try:
        scores = array("f", documents.values())
    except (TypeError, OverflowError):
        return None
    has_ties = len(set(scores)) < len(scores)
    if math.isnan(sum(scores)) or (has_ties and not _are_ascii(documents)):
        return None
    tied: dict[float, list[str]] = {}
    for document, score in zip(documents, scores, strict=True):
        tied.setdefault(score, []).append(document)
    return [document for score in sorted(tied, reverse=True) for document in _few_tied(tied[score])]


def _few_tied(documents: list[str]) -> list[str]:
    """Return documents of equal scores in order; texts of ASCII compare as their bytes do."""
    size = len(documents)
    in_order = [""] * size
    for num_lower, document in enumerate(sorted(documents)):
        in_order[in_docno_order(num_lower, size)] = document
    return in_order


def _are_falling(scores: array[float]) -> bool:
    """Return whether each score is below the one before it: there are no ties and no nan."""
    if len(scores) == 1:
        return scores[0] == scores[0]
    return all(map(gt, scores, scores[1:]))


def _are_ascii(documents: Iterable[Any]) -> bool:
    """Return whether ids are texts of ASCII without NUL."""
    return all(
        isinstance(document, str) and document.isascii() and "\0" not in document for document in documents
    )


def score_keys(scores: Scores) -> Words:
    """Return whole numbers (N,) that ascend as the scores descend, in as many bits as a score has."""
    bits = (scores + scores.dtype.type(0)).view(f"<i{scores.itemsize}")  # -0.0 + 0.0 is 0.0
    # Below 0 the bits descend already as whole numbers without sign; above, all but the sign turn round.
    bits ^= ~(bits >> (8 * scores.itemsize - 1)) & np.iinfo(bits.dtype).max
    return bits.view(f"<u{scores.itemsize}").astype(np.uint64)


def position_keys(topic: AnyInts, scores: Scores, num_topics: int) -> Words:
    """Return whole numbers (N,) that ascend from topic to topic, and with descending scores in a topic.

    Scores of 64 bits lose as many of their last bits as the topics need: close ones may seem to be tied.
    """
    # Topic and score are one number because numpy sorts numbers many times faster than permutations.
    keys = score_keys(scores)
    score_bits = 8 * scores.itemsize
    lost_bits = max((num_topics - 1).bit_length() + score_bits - 64, 0)
    keys >>= np.uint64(lost_bits)
    keys |= topic.astype(np.uint64) << np.uint64(score_bits - lost_bits)
    return keys

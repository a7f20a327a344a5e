"""The order of a ranking: score descending, ties by docno descending; the only place with the tie rule.

For preferences alone, ties go by docno ascending: trec_eval's form_prefs_counts.c compares the other way
round than its form_res_rels.c.
Only the ranks of judged documents are wanted.  When the scores of a topic descend in the file,
as they nearly always do, a document's rank is that of its row.  Otherwise the topic's scores are sorted, and
docnos are compared only in ties (groups of equal scores) that hold a judged document.

All rows of some topics have one numbering, from 0; their positions are the same numbers once each topic is
sorted: a topic with rows 10 to 14 has the positions 10 to 14, and rank 1 is position 10.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import gt
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from pres_eval.arrays import (
    AnyInts,
    FloatArray,
    Ids,
    IntArray,
    TopicNumbers,
    Words,
    blocks,
    narrow,
    rows_of_stretches,
)
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties, inverse
from pres_eval.reading.blocks import Documents
from pres_eval.records import dataclass

SHORT_TOPIC_ROWS = 32
"""Rows of a topic up to which it takes longer to call a sort than to sort."""

MOST_FEW_ROWS = 1_000
"""Documents of a dict up to which plain Python ranks them in less time than arrays."""

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
    """Return the ranks of the judged documents of S whole topics, none of which has a document twice.

    topic     (S,) indices of the pool's topics
    judged    (J,) the rows that have judged documents, ascending
    document  (J,) which documents of the pool these are; overwritten
    """
    positions, moved, ties = positions_of(rows, judged)
    num_judged = np.diff(rows.offsets)
    if len(judged) < len(rows.scores):
        num_judged = np.bincount(rows.topic_of[judged], minlength=len(topic))
    topic_begins = np.repeat(rows.offsets[:-1], num_judged)
    if len(moved):
        order = np.argsort(positions[moved], kind="stable")  # fast where most are in order
        positions[moved], document[moved] = positions[moved[order]], document[moved[order]]
        if len(ties.document):
            tied = moved[inverse(order)[np.searchsorted(moved, ties.document)]]
            ties = Ties.sorted_by_document(tied, ties.first - topic_begins[ties.document] + 1, ties.size)
    return Ranked(
        topic=topic,
        num_ret=np.diff(rows.offsets),
        offsets=np.concatenate(([0], np.cumsum(num_judged))),
        rank=narrow(positions - topic_begins + 1),
        document=narrow(document),
        ties=ties,
    )


def positions_of(rows: Sortable, judged: IntArray) -> tuple[IntArray, IntArray, Ties]:
    """Return the positions (J,) of judged rows (J,), and the indices (n,) of those that may change places.

    Then come the ties of the judged rows, all of which may change places; they have first positions instead
    of first ranks.
    """
    scores, topic_of = rows.scores, rows.topic_of
    rising = np.flatnonzero(scores[1:] > scores[:-1])  # a row, whose next row has a higher score
    rising = rising[topic_of[rising] == topic_of[rising + 1]]
    if not len(rising):
        positions, ties = _untied(rows, None, judged)
        return positions, ties.document, ties
    is_unsorted = np.zeros(len(rows.offsets) - 1, np.bool_)
    is_unsorted[topic_of[rising]] = True
    may_move = is_unsorted[topic_of[judged]]
    sorted_already, unsorted = np.flatnonzero(~may_move), np.flatnonzero(may_move)
    positions = judged.copy()
    positions[sorted_already], ties = _untied(rows, None, judged[sorted_already])
    positions[unsorted], more_ties = _sorted_positions(rows, judged[unsorted])
    may_move[sorted_already[ties.document]] = True
    document = np.concatenate((sorted_already[ties.document], unsorted[more_ties.document]))
    if len(document):
        first = np.concatenate((ties.first, more_ties.first))
        size = np.concatenate((ties.size, more_ties.size))
        ties = Ties.sorted_by_document(document, first, size)
    return positions, np.flatnonzero(may_move), ties


def _sorted_positions(rows: Sortable, judged: IntArray) -> tuple[IntArray, Ties]:
    """Return (J,) the positions of judged rows (J,) of topics whose scores don't descend, and their ties.

    All rows of these topics, the members, are sorted by keys; a judged row's position is where its key is.
    """
    keys = position_keys(rows.topic_of, rows.scores, len(rows.offsets) - 1)
    members = _rows_of_topics_with(rows, judged)
    judged_keys, sorted_keys = keys[judged], keys[members]
    topic_begins = np.flatnonzero(np.diff(rows.topic_of[members], prepend=-1, append=-1))
    spans: Iterable[tuple[int, int]] = [(0, len(members))]
    if len(members) >= SHORT_TOPIC_ROWS * len(topic_begins):
        spans = pairwise(topic_begins.tolist())  # many short sorts take half the time of a long one
    for begin, end in spans:
        sorted_keys[begin:end].sort()
    first = np.searchsorted(sorted_keys, judged_keys)
    positions = members[first]
    next_keys = np.append(sorted_keys[1:], ~sorted_keys[-1:])
    tied = np.flatnonzero(next_keys[first] == judged_keys)
    if not len(tied):
        return positions, NO_TIES
    # Equal keys may be of scores that differ in their last bits, so that these topics are sorted by scores.
    judged = judged[tied]
    members = _rows_of_topics_with(rows, judged)
    order = np.lexsort((-rows.scores[members], rows.topic_of[members]))
    place_of_judged = inverse(order)[np.searchsorted(members, judged)]
    moved, ties = _untied(rows, members[order], place_of_judged)
    positions[tied] = members[moved]
    return positions, Ties(ties.document, members[ties.first], ties.size).moved(tied)


def _rows_of_topics_with(rows: Sortable, judged: IntArray) -> IntArray:
    """Return (n,) all rows of the topics that some judged rows (J,) are of."""
    has_judged = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_judged[rows.topic_of[judged]] = True
    return np.flatnonzero(has_judged[rows.topic_of])


def _untied(rows: Sortable, row_at: IntArray | None, judged: IntArray) -> tuple[IntArray, Ties]:
    """Return (J,) where judged documents at positions (J,) of sorted rows move to when ties go by docno.

    row_at  (M,) the row at each position, None if row i is at position i

    Of five rows of a topic with scores 9 7 7 7 4 the documents are e b d c a.  Positions 1 to 3 are a tie:
    the highest docno comes first, so that d, c, b have the positions 1, 2, 3.  If b and a are judged, at 1
    and 4, b moves to 3, a stays, and the ties have one document: b, in a tie from 1 on, of three.
    """
    scores, topic_of = rows.scores, rows.topic_of
    if row_at is not None:
        scores, topic_of = scores[row_at], topic_of[row_at]
    # Positions whose next one has an equal score: 1 and 2 in the example.
    equal = np.flatnonzero(scores[1:] == scores[:-1])
    equal = equal[topic_of[equal] == topic_of[equal + 1]]
    if not len(equal):
        return judged, NO_TIES
    is_tied = np.zeros(len(scores), np.bool_)
    is_tied[equal] = is_tied[equal + 1] = True
    tied = np.flatnonzero(is_tied[judged])
    if not len(tied):
        return judged, NO_TIES
    starts, sizes = _ties_between(equal)
    tie = np.searchsorted(starts, judged[tied], side="right") - 1
    has_judged = np.zeros(len(starts), np.bool_)
    has_judged[tie] = True
    chosen_ties = np.flatnonzero(has_judged)
    chosen_tie = (np.cumsum(has_judged) - 1)[tie]  # the same of each judged document, among the chosen ones
    members, begins = rows_of_stretches(starts[chosen_ties], sizes[chosen_ties])
    ids = rows.documents.take(members if row_at is None else row_at[members])
    member_of_judged = begins[chosen_tie] + judged[tied] - starts[tie]
    num_before = documents_before(ids, begins, chosen_tie, member_of_judged, rows.ascending)
    moved = judged.copy()
    moved[tied] = starts[tie] + num_before
    return moved, Ties(tied, starts[tie], sizes[tie])


def _ties_between(equal: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each tie starts (E,), and how many positions it has (E,).

    equal  (n,) the positions, ascending, whose next one is in the same tie
    Of 1, 2 and 7 the ties have the positions 1 to 3, and 7 and 8: they start at 1 and 7, with 3 and 2.
    """
    breaks = np.flatnonzero(np.diff(equal) != 1)
    starts = equal[np.concatenate(([0], breaks + 1))]
    last = equal[np.concatenate((breaks, [len(equal) - 1]))] + 1
    return starts, last + 1 - starts


def documents_before(
    ids: Ids, begins: IntArray, tie: IntArray, member: IntArray, ascending: bool
) -> IntArray:
    """Return (W,) how many documents come before some documents of ties, by the tie rule.

    ids     of all documents of E ties, which begin at begins (E+1,)
    tie     (W,) the tie of each document
    member  (W,) which of the ids it has
    Of the ids b, d, c of one tie none is lower than b: the two others come before it.
    """
    all_sizes = np.diff(begins)
    sizes = all_sizes[tie]
    if sizes.sum() > MOST_COMPARISONS * len(ids) or len(ids.long_rows):
        tie_of_member = np.repeat(np.arange(len(all_sizes)), all_sizes)
        num_lower = inverse(ids.byte_order(tie_of_member))[member] - begins[tie]
        return in_docno_order(num_lower, sizes, ascending)
    num_lower = np.empty(len(tie), np.int64)
    for first, last in blocks(np.concatenate(([0], np.cumsum(sizes)))):
        # Each document is compared with all of its tie, itself too.
        others, starts = rows_of_stretches(begins[tie[first:last]], sizes[first:last])
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
    if ascending:
        return num_lower
    return cast(Count, sizes - 1 - num_lower)


def rows_in_order(scores: FloatArray, documents: Ids) -> IntArray:
    """Return all rows (N,) of a topic in order, as 9.0.8 has them; scores (N,) are no nan."""
    with np.errstate(over="ignore"):
        kept_scores = scores.astype(np.float32)  # trec_eval: 9.0.8 keeps scores in 32 bits
    num_lower = inverse(documents.byte_order())
    place_if_all_were_tied = in_docno_order(num_lower, len(documents))
    return np.lexsort((place_if_all_were_tied, -kept_scores))


class FewInOrder(NamedTuple):
    """The documents of a ranking in order.

    documents  their ids
    ties       of each group of documents with equal scores its first rank, and how many it has
    """

    documents: Iterable[str]
    ties: Sequence[tuple[int, int]] = ()


def few_in_order(documents: Mapping[str, Any]) -> FewInOrder | None:
    """Return the documents of a ranking (docno -> score) in order, as 9.0.8 has them, for few documents.

    None where only `rank_judged` is sure: for scores that are no numbers, and ties of ids that are not ASCII.
    """
    try:
        scores = array("f", documents.values())  # trec_eval: 9.0.8 keeps scores in 32 bits
        if _are_falling(scores):
            return FewInOrder(documents)
        order = sorted(documents, key=documents.__getitem__, reverse=True)
        if _are_falling(array("f", map(documents.__getitem__, order))):
            return FewInOrder(order)
    except (TypeError, OverflowError):
        return None
    if math.isnan(sum(scores)) or not _are_ascii(documents):
        return None
    documents_of_score: dict[float, list[str]] = {}
    for document, score in zip(documents, scores, strict=True):
        documents_of_score.setdefault(score, []).append(document)
    in_order: list[str] = []
    ties: list[tuple[int, int]] = []
    for score in sorted(documents_of_score, reverse=True):
        tied = documents_of_score[score]
        if len(tied) > 1:
            ties.append((len(in_order) + 1, len(tied)))
        in_order += _few_tied(tied)
    return FewInOrder(in_order, ties)


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
    for document in documents:
        if not isinstance(document, str) or not document.isascii() or "\0" in document:
            return False
    return True


def score_keys(scores: Scores) -> Words:
    """Return whole numbers (N,) that ascend as the scores (N,) descend, in as many bits as a score has."""
    without_minus_zero = scores + scores.dtype.type(0)  # -0.0 + 0.0 is 0.0
    bits = without_minus_zero.view(f"<i{scores.itemsize}")
    # Read as whole numbers without sign, the bits of scores below 0 descend already, and are above those of
    # the others, all of whose bits but the sign are turned round.
    is_negative = bits >> (8 * scores.itemsize - 1)  # -1, all bits set, or 0
    bits ^= ~is_negative & np.iinfo(bits.dtype).max
    return bits.view(f"<u{scores.itemsize}").astype(np.uint64)


def position_keys(topic: AnyInts, scores: Scores, num_topics: int) -> Words:
    """Return whole numbers (N,) that ascend from topic to topic, and with descending scores in a topic.

    Scores of 64 bits lose as many of their last bits as the topics need: close ones may seem to be tied.
    """
    # Topic and score are one number, the topic in the upper bits, because numpy sorts numbers many times
    # faster than permutations.
    keys = score_keys(scores)
    score_bits = 8 * scores.itemsize
    lost_bits = max((num_topics - 1).bit_length() + score_bits - 64, 0)
    keys >>= np.uint64(lost_bits)
    keys |= topic.astype(np.uint64) << np.uint64(score_bits - lost_bits)
    return keys

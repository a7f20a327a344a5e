"""Topics of a run that is a dict: judged documents are found by Python's own hashing."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np

from pres_eval.arrays import (
    BoolArray,
    FloatArray,
    Ids,
    IntArray,
    Words,
    lengths_at,
    narrow,
    rows_of_stretches,
)
from pres_eval.errors import InputError, quoted
from pres_eval.library.ids import Lookup, encode, ids_of
from pres_eval.ranking.order import Sortable, position_keys, rank_judged
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, Ties, inverse
from pres_eval.ranking.ranker import Ranker

TOO_LARGE = "too large for 64 bits"
"""A whole number that no double can hold, in messages."""

NOT_TOO_LARGE = "a number below 1.8e308"
"""The number that messages expect in its place."""

FEW_JUDGED_RATIO = 4
"""Retrieved documents per judged one from which on each judged document is looked up in the rankings; with
fewer, it takes less time to look up each retrieved document among the judged ones."""

Documents = Mapping[Any, Any]
"""The documents of a topic, with their scores."""


def scores_of(rankings: Sequence[Documents], name: str) -> FloatArray:
    """Return all scores, one ranking after the other; raise InputError for one that is not a number."""
    values = [documents.values() for documents in rankings]
    count = sum(map(len, rankings))
    with suppress(TypeError, ValueError, OverflowError):
        try:
            # `struct` takes three quarters of the time of `fromiter`, but refuses the text of a number.
            scores = np.frombuffer(struct.pack(f"{count}d", *chain.from_iterable(values)), np.float64)
        except (struct.error, OverflowError):
            scores = np.fromiter(chain.from_iterable(values), np.float64, count)
        if not np.isnan(scores).any():
            return scores
    for documents in rankings:
        for document, score in documents.items():
            fault = _fault_of(score)
            if fault is not None:
                shown_score, expected = fault
                where = quoted(encode(document, name))
                raise InputError(name, None, f"score {shown_score} of document {where}", expected)
    raise AssertionError("scores that are numbers one by one are numbers together")


def _fault_of(score: Any) -> tuple[str, str] | None:
    """Return the text of a score that is no number, and the expected value; None if it is a number."""
    try:
        if not math.isnan(float(score)):
            return None
    except OverflowError:  # its digits may be more than Python writes
        return TOO_LARGE, NOT_TOO_LARGE
    except (TypeError, ValueError):
        pass
    return quoted(str(score)), "a number"


@dataclass(frozen=True, eq=False)
class DictTopics:
    """S topics of a run, and a column of the ids of their N documents.

    topic     (S,) indices of the topics in the pool
    rankings  the documents of each topic, with their scores
    offsets   (S+1,) where each topic's documents begin
    name      the name of the run, for messages
    """

    topic: IntArray
    rankings: Sequence[Documents]
    offsets: IntArray
    name: str

    def __len__(self) -> int:
        """Return N, the number of documents of all topics."""
        return int(self.offsets[-1])

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        chosen = np.arange(len(self))[rows]
        topic_of_chosen = np.searchsorted(self.offsets, chosen, side="right") - 1
        rows_in_topic = (chosen - self.offsets[topic_of_chosen]).tolist()
        texts: list[Any] = []
        documents: list[Any] = []  # of the topic of the row before
        last_topic = -1
        for topic, row in zip(topic_of_chosen.tolist(), rows_in_topic, strict=True):
            if topic != last_topic:
                documents = list(self.rankings[topic])
                last_topic = topic
            texts.append(documents[row])
        return ids_of(texts, self.name)

    def ranked(self, ranker: Ranker, lookup: Lookup) -> Ranked:
        """Return the ranks of the judged documents, by the faster of two ways."""
        judged_of_topics = [lookup.documents[topic] for topic in self.topic.tolist()]
        scores = ranker.cast(scores_of(self.rankings, self.name))  # 32 bits for trec_eval 9.0.8
        num_judged = sum(map(len, judged_of_topics))
        if FEW_JUDGED_RATIO * num_judged <= len(scores):
            return self._ranked_by_scores(judged_of_topics, scores, ranker)
        return self._ranked_by_rows(judged_of_topics, scores, ranker)

    def _ranked_by_rows(
        self, judged_of_topics: Sequence[dict[str, int]], scores: Scores, ranker: Ranker
    ) -> Ranked:
        """Rank the topics by looking up all their documents among the judged ones.

        judged_of_topics  for each topic its judged documents with their indices in the pool
        scores            (N,) of all documents
        """
        rows, documents = self._judged_rows(judged_of_topics)
        if not self._never_rise(scores):
            keys = self._keys(scores)
            order = np.argsort(keys)  # with many judged documents faster than to search each key
            sorted_rows = inverse(order)[rows]
            if not _are_tied(keys[order], sorted_rows):
                return self._ranked_at(sorted_rows, documents)
        sortable = Sortable(self.offsets, scores, self, ranker.ascending)
        return rank_judged(sortable, self.topic, rows, documents)

    def _judged_rows(self, judged_of_topics: Sequence[dict[str, int]]) -> tuple[IntArray, IntArray]:
        """Return the rows (D,) of judged documents, ascending, and which documents of the pool these are.

        judged_of_topics  for each topic its judged documents with their indices in the pool
        """
        # The retrieved documents are looked up among the judged ones, -1 for unjudged ones.
        lookups = [
            map(judged.get, documents, repeat(-1))
            for judged, documents in zip(judged_of_topics, self.rankings, strict=True)
        ]
        # `struct` is faster than `fromiter`, as in scores_of.
        numbers = np.frombuffer(struct.pack(f"{len(self)}q", *chain.from_iterable(lookups)), np.int64)
        rows = np.flatnonzero(numbers >= 0)
        return rows, numbers[rows]

    def _ranked_by_scores(
        self, judged_of_topics: Sequence[dict[str, int]], scores: Scores, ranker: Ranker
    ) -> Ranked:
        """Rank the topics by looking up the few judged documents in the rankings.

        A judged document has the rank that its score has among the scores of its topic.  Topics where others
        have this score too are ranked by rows.  The arguments are those of `_ranked_by_rows`.
        """
        scores_of_judged = self._scores_of_judged(judged_of_topics)
        retrieved = np.flatnonzero(~np.isnan(scores_of_judged))
        judged_scores = ranker.cast(scores_of_judged[retrieved])
        counts, judged = ranker.pool.documents_of(self.topic)
        segment = np.repeat(np.arange(len(counts)), counts)[retrieved]
        # Indices in the pool, in which the documents of neighbouring topics are a slice.
        documents = retrieved + judged.start if isinstance(judged, slice) else judged[retrieved]
        if self._never_rise(scores):
            sorted_rows = self._search(scores, segment, judged_scores)
            is_tied = self._next_is_equal(scores, sorted_rows, segment)
        else:
            keys = self._keys(scores)
            keys.sort()
            sorted_rows = np.searchsorted(keys, position_keys(segment, judged_scores, len(self.topic)))
            # Keys of doubles lack their last bits, so that further documents may seem to be tied.
            is_tied = self._next_is_equal(keys, sorted_rows, segment)
        ranked = self._ranked_at(sorted_rows, documents)
        if not is_tied.any():
            return ranked
        tied_topics = np.unique(segment[is_tied])
        return self._with_ranked_by_rows(ranked, tied_topics, judged_of_topics, scores, ranker)

    def _with_ranked_by_rows(
        self,
        ranked: Ranked,
        topics: IntArray,
        judged_of_topics: Sequence[dict[str, int]],
        scores: Scores,
        ranker: Ranker,
    ) -> Ranked:
        """Return the ranked topics with some (n,) of them, in ascending order, ranked anew by rows.

        The other arguments are those of `_ranked_by_rows`.
        """
        rows, offsets = rows_of_stretches(self.offsets[topics], lengths_at(self.offsets, topics))
        some_topics = DictTopics(
            topic=self.topic[topics],
            rankings=[self.rankings[topic] for topic in topics.tolist()],
            offsets=offsets,
            name=self.name,
        )
        judged_of_some = [judged_of_topics[topic] for topic in topics.tolist()]
        by_rows = some_topics._ranked_by_rows(judged_of_some, scores[rows], ranker)
        # Their judged documents are the same as before, in another order.
        judged_rows, _ = rows_of_stretches(ranked.offsets[topics], np.diff(by_rows.offsets))
        rank, document = ranked.rank.astype(np.int64), ranked.document.copy()
        rank[judged_rows] = by_rows.rank
        document[judged_rows] = by_rows.document
        ties = Ties(judged_rows[by_rows.ties.document], by_rows.ties.first, by_rows.ties.size)
        return replace(ranked, rank=narrow(rank), document=document, ties=ties)

    def _never_rise(self, scores: Scores) -> bool:
        """Return whether no score (N,) is above the one before it in its topic."""
        rises = scores[1:] > scores[:-1]
        begins = self.offsets[(self.offsets > 0) & (self.offsets < len(scores))]
        rises[begins - 1] = False  # from the last row of a topic to the first of the next
        return not rises.any()

    def _next_is_equal(self, values: Scores | Words, rows: IntArray, segment: IntArray) -> BoolArray:
        """Return whether the next row of the topic has the same value, for some rows (D,).

        values   (N,) of all rows
        segment  (D,) index of each row's topic, 0 to S - 1
        """
        next_rows = np.minimum(rows + 1, self.offsets[segment + 1] - 1)
        is_equal: BoolArray = (next_rows > rows) & (values[next_rows] == values[rows])
        return is_equal

    def _scores_of_judged(self, judged_of_topics: Sequence[dict[str, int]]) -> FloatArray:
        """Return the scores of all judged documents (J,), nan for those that were not retrieved."""
        scores: list[Any] = []
        for documents, judged in zip(self.rankings, judged_of_topics, strict=True):
            scores.extend(map(documents.get, judged, repeat(math.nan)))  # a loop in C
        return np.array(scores, np.float64)

    def _keys(self, scores: Scores) -> Words:
        """Return whole numbers (N,) that sort rows by topic, and in each by falling scores."""
        topic_of = np.repeat(np.arange(len(self.topic)), np.diff(self.offsets))
        return position_keys(topic_of, scores, len(self.topic))

    def _ranked_at(self, sorted_rows: IntArray, documents: IntArray) -> Ranked:
        """Return the ranked topics.

        sorted_rows  (D,) place of each judged document in the order of topics and falling scores
        documents    (D,) index in the pool of each judged document
        """
        order = np.argsort(sorted_rows)
        in_order = sorted_rows[order]
        offsets = np.searchsorted(in_order, self.offsets)
        begins = np.repeat(self.offsets[:-1], np.diff(offsets))
        return Ranked(
            topic=self.topic,
            num_ret=np.diff(self.offsets),
            offsets=offsets,
            rank=narrow(in_order - begins + 1),
            document=narrow(documents[order]),
            ties=NO_TIES,
        )

    def _search(self, scores: Scores, segment: IntArray, judged_scores: Scores) -> IntArray:
        """Return (D,) the row of each judged document, found by its score, by one bisection for all.

        scores         (N,) of all documents, none of which is above the one before it in its topic
        segment        (D,) index of each judged document's topic, 0 to S - 1
        judged_scores  (D,) score of each judged document
        """
        first, last = self.offsets[segment], self.offsets[segment + 1] - 1
        for _ in range(int((last - first).max(initial=0)).bit_length()):
            middle = (first + last) >> 1
            higher = scores[middle] > judged_scores
            first = np.where(higher, middle + 1, first)
            last = np.where(higher, last, middle)
        return first


def _are_tied(keys: Words, rows: IntArray) -> bool:
    """Return whether the key of one of the rows (D,) equals the one before or after; keys (N,) ascend."""
    before = np.maximum(rows - 1, 0)
    after = np.minimum(rows + 1, len(keys) - 1)
    is_like_before = (keys[before] == keys[rows]) & (before < rows)
    is_like_after = (keys[after] == keys[rows]) & (after > rows)
    return bool((is_like_before | is_like_after).any())

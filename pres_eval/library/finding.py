"""Runs as dicts and as columns of Python objects: judged documents are found by Python's own hashing."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

from pres_eval.arrays import NO_IDS, FloatArray, Ids, IntArray, Words, blocks, has_equal, narrow
from pres_eval.checking.second_look import Sampler, SecondLook
from pres_eval.errors import InputError, quoted
from pres_eval.library.ids import Lookup, decode, encode, ids_of
from pres_eval.options import Options
from pres_eval.ranking.order import Sortable, falling_order, position_keys, rank_judged
from pres_eval.ranking.parts import Facts, RankedPart, joined_topics
from pres_eval.ranking.ranked import NO_TIES, Ranked, Scores, inverse
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking, ranking_of
from pres_eval.reading.blocks import Block
from pres_eval.reading.relevance import Relevance

TOO_LARGE, NOT_TOO_LARGE = "too large for 64 bits", "a number below 1.8e308"

FEW = 4
"""Judged documents are looked for in the rankings where they are fewer than one in FEW, else conversely."""

CHECKED_IDS = 512
"""Documents of a dict that are checked to be texts, like the first: all would cost small calls too much."""

FEWEST_COMPARED_ROWS = 1_000
"""Documents of a dict from which on some are compared with judged ones, if any is judged as it is."""

COMPARED_SHARE, LEAST_COMPARED_ROWS = 128, 32
"""One in so many documents of a dict is compared then, so that it takes less than 5 % of the time."""

MOST_FEW_ROWS = 1_000
"""Documents up to which plain Python ranks a dict in less time than arrays."""

Documents = Mapping[Any, Any]


def _by_place(
    run: Mapping[Any, Documents], lookup: Lookup, name: str, empty: bool
) -> tuple[list[int], list[Documents], list[bytes]]:
    """Return the places of judged topics in the pool with their documents, and the topics without judgements.

    Raises InputError for scores that are not numbers, and a topic that is there as a number and as a text.
    """
    places: list[int] = []
    rankings: list[Documents] = []
    unjudged: list[bytes] = []
    only_texts = True
    for topic, documents in run.items():
        if not (documents or empty):
            continue
        if type(topic) is str:  # as nearly always, so that less has to be asked
            place = lookup.topics.get(topic)
        else:
            only_texts = False
            place = lookup.place(topic, name)
        if place is None:
            _scores([documents], name)
            unjudged.append(encode(topic, name))
        else:
            places.append(place)
            # Looking at all takes too long: who mixes texts and numbers joins two dicts.
            first = next(iter(documents), "")
            last = next(reversed(documents), "") if type(documents) is dict else first
            texts = isinstance(first, str) and isinstance(last, str)
            rankings.append(documents if texts else _with_texts(documents, name))
    if not only_texts and has_equal(np.array(places, np.int64)):
        raise InputError(name, None, "a topic given both as a number and as a text", "each topic once")
    return places, rankings, unjudged


def rank_dict(
    run: Mapping[Any, Documents],
    relevance: Relevance,
    lookup: Lookup,
    options: Options,
    *,
    name: str,
    tag: str,
    empty: bool = False,
) -> Ranking:
    """Rank a dict of dicts: topic, document, score.

    `empty`: topics with no documents are kept, as topics for which nothing was retrieved; else they are left
    out, as they would be in a file.  Raises InputError for scores that are not numbers, or if there are none.
    """
    num_rows = sum(map(len, run.values()))
    places, rankings, unjudged = _by_place(run, lookup, name, empty)
    if not num_rows and not empty:
        raise InputError(name, None, "no retrieved documents", "at least one")
    _check_texts(rankings, name)
    ranker = Ranker.of(relevance, options)
    ranked = None
    if num_rows <= MOST_FEW_ROWS and ranker.single and not ranker.ascending:
        ranked = _rank_few(places, rankings, lookup)
    if ranked is None:
        ranked = _rank_many(places, rankings, ranker, lookup, name)
    part = RankedPart(
        facts=Facts(num_rows=num_rows),
        unjudged=Ids.from_texts(unjudged) if unjudged else NO_IDS,
        ranked=ranked,
    )
    return ranking_of(part, ranker, name, tag)


def _rank_few(places: Sequence[int], rankings: Sequence[Documents], lookup: Lookup) -> Ranked | None:
    """Rank few documents in plain Python; None for scores that are equal in a topic, or no numbers."""
    judged_ranks: list[int] = []
    judged_documents: list[int] = []
    offsets = [0]
    by_place = sorted(range(len(places)), key=places.__getitem__)
    for row in by_place:
        documents = falling_order(rankings[row])
        if documents is None:
            return None
        numbers = map(lookup.documents[places[row]].get, documents)
        for rank, number in enumerate(numbers, 1):
            if number is not None:
                judged_ranks.append(rank)
                judged_documents.append(number)
        offsets.append(len(judged_ranks))
    return Ranked(
        topic=np.array([places[row] for row in by_place], np.int64),
        num_ret=np.array([len(rankings[row]) for row in by_place], np.int64),
        offsets=np.array(offsets, np.int64),
        rank=np.array(judged_ranks, np.int64),
        document=np.array(judged_documents, np.int64),
        ties=NO_TIES,
    )


def _rank_many(
    places: Sequence[int], rankings: Sequence[Documents], ranker: Ranker, lookup: Lookup, name: str
) -> Ranked:
    """Rank topics at these places of the pool, by arrays."""
    topic = np.array(places, np.int64)
    offsets = np.cumsum([0, *map(len, rankings)])
    parts = [
        _Topics(topic[start:stop], rankings[start:stop], offsets[start : stop + 1] - offsets[start], name)
        for start, stop in blocks(offsets)
    ]
    return joined_topics([part.ranked(ranker, lookup) for part in parts])


def _check_texts(rankings: Sequence[Documents], name: str) -> None:
    """Raise InputError for an id among the first CHECKED_IDS that is no text."""
    ids = list(islice(chain.from_iterable(rankings), CHECKED_IDS))
    try:
        "".join(ids)
    except TypeError:
        odd = next(text for text in ids if not isinstance(text, str))
        found = f"id {odd!r} of type {type(odd).__name__} among texts"
        raise InputError(name, None, found, "texts alone") from None


def is_worth_a_look(ranking: Ranking) -> bool:
    """Return whether the documents of a dict that was ranked are compared with judged ones."""
    return not len(ranking.rank) or ranking.facts.num_rows >= FEWEST_COMPARED_ROWS


def _documents_of_topic(run: Mapping[Any, Documents], topic: int, lookup: Lookup, name: str) -> Documents:
    """Return the documents of a topic of the pool, whose id the run may have as a number."""
    text = decode(lookup.pool.topics[topic])
    if text in run:
        return run[text]
    return next(documents for key, documents in run.items() if lookup.place(key, name) == topic)


def look_at_dict(
    run: Mapping[Any, Documents], ranking: Ranking, relevance: Relevance, lookup: Lookup
) -> SecondLook:
    """Return a second look at a dict of dicts that was ranked."""
    most_rows = ranking.facts.num_rows
    if len(ranking.rank):
        most_rows = max(most_rows // COMPARED_SHARE, LEAST_COMPARED_ROWS)
    sampler = Sampler(relevance.pool, ranking.topic, ranking.num_ret, ranking.document)
    first_document: bytes | None = None
    for topic in ranking.topic[sampler.topics(ranking.topic)].tolist():
        ranked_documents = _documents_of_topic(run, topic, lookup, ranking.name)
        documents = islice(ranked_documents, min(sampler.num_left, most_rows - sampler.num_rows))
        texts = [text for text in documents if not (isinstance(text, str) and "\0" in text)]
        ids = [encode(text, ranking.name) for text in texts]
        first_document = first_document or next(iter(ids), None)
        sampler.add(topic, ids)
        if sampler.is_full or sampler.num_rows >= most_rows:
            break
    return SecondLook(
        first_document=first_document, num_rows=sampler.num_rows, respelling=sampler.respelling()
    )


def block_of_dict(run: Mapping[Any, Documents], name: str) -> Block:
    """Return a dict of dicts as a block, whose documents are then ids as those of a file.

    Raises InputError for scores that are not numbers.
    """
    there = {topic: documents for topic, documents in run.items() if documents}
    rankings = list(there.values())
    return Block(
        topics=ids_of(list(there), name),
        lengths=np.array([len(documents) for documents in rankings], np.int64),
        documents=ids_of(list(chain.from_iterable(rankings)), name),
        numbers=_scores(rankings, name),
    )


def _with_texts(documents: Documents, name: str) -> Documents:
    """Return the same documents with texts as ids."""
    texts = {decode(encode(document, name)): score for document, score in documents.items()}
    if len(texts) < len(documents):
        raise InputError(name, None, "a document given both as a number and as a text", "each document once")
    return texts


def _scores(rankings: Sequence[Documents], name: str) -> FloatArray:
    """Return all scores, one ranking after the other; raise InputError for one that is not a number."""
    values = [documents.values() for documents in rankings]
    count = sum(map(len, rankings))
    with suppress(TypeError, ValueError, OverflowError):
        try:
            # `struct` takes three quarters of the time of `fromiter`, but no number that is a text.
            scores = np.frombuffer(struct.pack(f"{count}d", *chain.from_iterable(values)), np.float64)
        except (struct.error, OverflowError):
            scores = np.fromiter(chain.from_iterable(values), np.float64, count)
        if not np.isnan(scores).any():
            return scores
    for documents in rankings:
        for document, score in documents.items():
            if (wrong := _wrong(score)) is not None:
                found, expected = wrong
                where = quoted(encode(document, name))
                raise InputError(name, None, f"score {found} of document {where}", expected)
    raise AssertionError("scores that are numbers one by one are numbers together")


def _wrong(score: Any) -> tuple[str, str] | None:
    """Describe a score that is no number, and the expected value; None if it is a number."""
    try:
        if float(score) == float(score):
            return None
    except OverflowError:  # its digits may be more than Python writes
        return TOO_LARGE, NOT_TOO_LARGE
    except (TypeError, ValueError):
        pass
    return quoted(str(score)), "a number"


@dataclass(frozen=True, eq=False)
class _Topics:
    """Some topics of a run (S,), each with its documents and their scores; a column of the documents' ids."""

    topic: IntArray
    rankings: Sequence[Documents]
    offsets: IntArray
    name: str

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""
        chosen = np.arange(len(self))[rows]
        segments = np.searchsorted(self.offsets, chosen, side="right") - 1
        texts: list[Any] = []
        documents: list[Any] = []
        last = -1
        places = (chosen - self.offsets[segments]).tolist()
        for segment, place in zip(segments.tolist(), places, strict=True):
            if segment != last:
                documents, last = list(self.rankings[segment]), segment
            texts.append(documents[place])
        return ids_of(texts, self.name)

    def ranked(self, ranker: Ranker, lookup: Lookup) -> Ranked:
        """Rank the topics."""
        indices = [lookup.documents[place] for place in self.topic.tolist()]
        scores = ranker.cast(_scores(self.rankings, self.name))
        if FEW * sum(map(len, indices)) <= len(scores):
            ranked = self._ranked_few(indices, scores, ranker)
            if ranked is not None:
                return ranked
        rows, documents = self._judged_rows(indices)
        places = None if self._fall(scores) else self._untied_places(scores, rows, ranker)
        if places is not None:
            return self._ranked_at(places, documents)
        return rank_judged(
            Sortable(self.offsets, scores, self, ranker.ascending), self.topic, rows, documents
        )

    def _fall(self, scores: Scores) -> bool:
        """Return whether scores (N,) fall from row to row in each topic, so that there are no ties."""
        falls = scores[1:] < scores[:-1]
        falls[self.offsets[1:-1] - 1] = True
        return bool(falls.all())

    def _judged_rows(self, indices: Sequence[dict[str, int]]) -> tuple[IntArray, IntArray]:
        """Return the rows (D,) of judged documents, ascending, and which documents of the pool these are."""
        # The retrieved documents are looked up among those judged, with -1 for others.
        lookups = [
            map(index.get, documents, repeat(-1))
            for index, documents in zip(indices, self.rankings, strict=True)
        ]
        # `struct` for the reason that _scores has.
        numbers = np.frombuffer(struct.pack(f"{len(self)}q", *chain.from_iterable(lookups)), np.int64)
        rows = np.flatnonzero(numbers >= 0)
        return rows, numbers[rows]

    def _ranked_few(self, indices: Sequence[dict[str, int]], scores: Scores, ranker: Ranker) -> Ranked | None:
        """Rank the topics by looking up the few judged documents in the rankings; None where scores tie.

        Their scores show where they are.
        """
        counts, judged = ranker.pool.documents_of(self.topic)
        wanted = self._scores_of(indices, int(counts.sum()))
        retrieved = np.flatnonzero(~np.isnan(wanted))
        wanted_scores = ranker.cast(wanted[retrieved])
        segment = np.repeat(np.arange(len(counts)), counts)[retrieved]
        documents = retrieved + judged.start if isinstance(judged, slice) else judged[retrieved]
        if self._fall(scores):
            return self._ranked_at(self._search(scores, segment, wanted_scores), documents)
        if not ranker.single:
            return None
        keys = self._keys(scores)
        keys.sort()
        wanted_keys = position_keys(segment, wanted_scores, len(self.topic))
        places = np.searchsorted(keys, wanted_keys)
        if _are_tied(keys, places):
            return None
        return self._ranked_at(places, documents)

    def _scores_of(self, indices: Sequence[dict[str, int]], num_judged: int) -> FloatArray:
        """Return the scores of all judged documents (J,), nan for those that were not retrieved."""
        scores: list[Any] = []
        for documents, index in zip(self.rankings, indices, strict=True):
            scores.extend(map(documents.get, index, repeat(math.nan)))  # a loop in C
        return np.array(scores, np.float64)

    def _keys(self, scores: Scores) -> Words:
        """Return whole numbers (N,) in the order of topics, and of falling scores of 32 bits in each."""
        topic_of = np.repeat(np.arange(len(self.topic)), np.diff(self.offsets))
        return position_keys(topic_of, scores, len(self.topic))

    def _untied_places(self, scores: Scores, rows: IntArray, ranker: Ranker) -> IntArray | None:
        """Return the places (D,) of judged rows (D,) once scores are sorted; None where scores tie."""
        if not ranker.single:
            return None
        keys = self._keys(scores)
        order = np.argsort(keys)
        places = inverse(order)[rows]
        return None if _are_tied(keys[order], places) else places

    def _ranked_at(self, places: IntArray, documents: IntArray) -> Ranked:
        """Return the topics whose judged documents (D,) are at these places (D,) of the sorted rows."""
        order = np.argsort(places)
        in_order = places[order]
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

    def _search(self, scores: Scores, segment: IntArray, wanted: Scores) -> IntArray:
        """Return (D,) the row of each wanted score (D,) in its topic; all are looked for at once."""
        first, last = self.offsets[segment], self.offsets[segment + 1] - 1
        for _ in range(int((last - first).max(initial=0)).bit_length()):
            middle = (first + last) >> 1
            higher = scores[middle] > wanted
            first = np.where(higher, middle + 1, first)
            last = np.where(higher, last, middle)
        return first


def _are_tied(keys: Words, places: IntArray) -> bool:
    """Return whether one of the keys at some places (D,) is equal to its neighbour; keys (N,) ascend."""
    before, after = np.maximum(places - 1, 0), np.minimum(places + 1, len(keys) - 1)
    is_like_before = (keys[before] == keys[places]) & (before < places)
    is_like_after = (keys[after] == keys[places]) & (after > places)
    return bool((is_like_before | is_like_after).any())

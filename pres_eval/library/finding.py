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

from pres_eval.arrays import NO_IDS, FloatArray, Ids, IntArray, blocks, has_equal
from pres_eval.checking.second_look import Sampler, SecondLook
from pres_eval.errors import InputError, quoted
from pres_eval.library.ids import Lookup, decode, encode, ids_of
from pres_eval.options import Options
from pres_eval.ranking.order import Sortable, rank_judged
from pres_eval.ranking.parts import Facts, RankedPart, joined_topics
from pres_eval.ranking.ranked import Ranked, Scores
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
    topic, offsets = np.array(places, np.int64), np.cumsum([0, *map(len, rankings)])
    parts = [
        _Topics(topic[start:stop], rankings[start:stop], offsets[start : stop + 1] - offsets[start], name)
        for start, stop in blocks(offsets)
    ]
    ranked = joined_topics([part.ranked(ranker, lookup) for part in parts])
    part = RankedPart(
        facts=Facts(num_rows=num_rows),
        unjudged=Ids.from_texts(unjudged) if unjudged else NO_IDS,
        ranked=ranked,
    )
    return ranking_of(part, ranker, name, tag)


def _check_texts(rankings: Sequence[Documents], name: str) -> None:
    """Raise InputError for an id among the first CHECKED_IDS that is no text."""
    ids = list(islice(chain.from_iterable(rankings), CHECKED_IDS))
    try:
        "".join(ids)
    except TypeError:
        odd = next(text for text in ids if not isinstance(text, str))
        found = f"id {odd!r} of type {type(odd).__name__} among texts"
        raise InputError(name, None, found, "texts alone") from None


def look_at_dict(
    run: Mapping[Any, Documents], ranking: Ranking, relevance: Relevance, lookup: Lookup
) -> SecondLook:
    """Return a second look at a dict of dicts that was ranked."""
    if len(ranking.rank) and ranking.facts.num_rows < FEWEST_COMPARED_ROWS:
        return SecondLook()
    by_place = {lookup.place(topic, ranking.name): documents for topic, documents in run.items() if documents}
    places = np.array([-1 if place is None else place for place in by_place], np.int64)
    rankings = list(by_place.values())
    sampler = Sampler(relevance.pool, ranking.topic, ranking.num_ret, ranking.document)
    first_document: bytes | None = None
    for row in sampler.topics(places).tolist():
        documents = islice(rankings[row], sampler.num_left)
        texts = [text for text in documents if not (isinstance(text, str) and "\0" in text)]
        ids = [encode(text, ranking.name) for text in texts]
        first_document = first_document or next(iter(ids), None)
        sampler.add(int(places[row]), ids)
        if sampler.is_full:
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
        found = None
        if FEW * sum(map(len, indices)) <= len(scores):
            found = self._few(indices, scores, ranker)
        if found is None:  # the retrieved documents are looked up among those judged, with -1 for others
            lookups = [
                map(index.get, documents, repeat(-1))
                for index, documents in zip(indices, self.rankings, strict=True)
            ]
            # `struct` for the reason that _scores has.
            number = np.frombuffer(struct.pack(f"{len(scores)}q", *chain.from_iterable(lookups)), np.int64)
            rows = np.flatnonzero(number >= 0)
            found = rows, number[rows]
        return rank_judged(Sortable(self.offsets, scores, self, ranker.ascending), self.topic, *found)

    def _few(
        self, indices: Sequence[dict[str, int]], scores: Scores, ranker: Ranker
    ) -> tuple[IntArray, IntArray] | None:
        """Find judged documents in the rankings: (D,) their rows, ascending, and (D,) which these are.

        None if scores don't descend in each topic, as rows are found by them.
        """
        falls = scores[1:] < scores[:-1]
        falls[self.offsets[1:-1] - 1] = True
        if not falls.all():
            return None
        counts, judged = ranker.pool.documents_of(self.topic)
        # Loops in C: each judged document is looked up with nan for those that are not there.
        lookups = map(map, [documents.get for documents in self.rankings], indices, repeat(repeat(math.nan)))
        own = np.fromiter(chain.from_iterable(lookups), np.float64, int(counts.sum()))
        found = np.flatnonzero(~np.isnan(own))
        segment = np.repeat(np.arange(len(counts)), counts)[found]
        rows = self._search(scores, segment, ranker.cast(own[found]))
        order = np.argsort(rows)
        found = found[order]
        return rows[order], found + judged.start if isinstance(judged, slice) else judged[found]

    def _search(self, scores: Scores, segment: IntArray, wanted: Scores) -> IntArray:
        """Return (D,) the row of each wanted score (D,) in its topic; all are looked for at once."""
        first, last = self.offsets[segment], self.offsets[segment + 1] - 1
        for _ in range(int((last - first).max(initial=0)).bit_length()):
            middle = (first + last) >> 1
            higher = scores[middle] > wanted
            first = np.where(higher, middle + 1, first)
            last = np.where(higher, last, middle)
        return first

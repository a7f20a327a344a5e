"""Runs that are dicts of dicts: they are ranked, compared with judged ids for warnings, or made a block."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from pres_eval.arrays import NO_IDS, Ids, blocks, has_equal
from pres_eval.checking.second_look import SecondLook, sampler_of
from pres_eval.errors import InputError
from pres_eval.library.dict_topics import DictTopics, Documents, scores_of
from pres_eval.library.ids import Lookup, decode, encode, ids_of
from pres_eval.options import Options
from pres_eval.ranking.order import MOST_FEW_ROWS, few_in_order
from pres_eval.ranking.parts import Facts, joined_topics
from pres_eval.ranking.ranked import NO_TIES, Ranked, Ties
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.blocks import Block
from pres_eval.reading.judgements.relevance import Relevance

CHECKED_IDS = 512
"""First documents of a dict that are checked to be texts; to check all would cost small calls too much."""


class _Topics(NamedTuple):
    """The topics of a run, with judgements and without.

    judged    indices in the pool of the topics with judgements
    rankings  the documents of each of these, with their scores
    unjudged  ids of the other topics
    """

    judged: list[int]
    rankings: list[Documents]
    unjudged: list[bytes]


def _topics_of(run: Mapping[Any, Documents], lookup: Lookup, name: str, empty: bool) -> _Topics:
    """Return the topics of a run, those without documents only if `empty`.

    Raises InputError for scores of topics without judgements that are not numbers, for ids that are no texts,
    and for a topic that is there as a number and as a text.
    """
    topics = _Topics([], [], [])
    only_texts = True
    for topic, documents in run.items():
        if not documents and not empty:
            continue
        if type(topic) is str:  # as nearly always, so that less has to be asked
            index = lookup.topics.get(topic)
        else:
            only_texts = False
            index = lookup.index_of_topic(topic, name)
        if index is None:
            scores_of([documents], name)
            topics.unjudged.append(encode(topic, name))
        else:
            topics.judged.append(index)
            topics.rankings.append(_with_texts(documents, name))
    if not only_texts and has_equal(np.array(topics.judged, np.int64)):
        raise InputError(name, None, "a topic given both as a number and as a text", "each topic once")
    return topics


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

    empty  whether topics without documents count, as topics for which nothing was retrieved; otherwise they
           are left out, as they would be in a file
    Raises InputError for scores that are not numbers, or if there are none.
    """
    num_rows = sum(map(len, run.values()))
    topics = _topics_of(run, lookup, name, empty)
    if not num_rows and not empty:
        raise InputError(name, None, "no retrieved documents", "at least one")
    _check_texts(topics.rankings, name)
    ranker = Ranker.for_judgements(relevance, options)
    ranked = None
    if num_rows <= MOST_FEW_ROWS and ranker.single_precision and not ranker.ascending:
        ranked = _rank_few(topics, lookup)
    if ranked is None:
        ranked = _rank_many(topics, ranker, lookup, name)
    return Ranking(
        **vars(ranked),
        name=name,
        tag=tag,
        facts=Facts(num_rows=num_rows),
        unjudged_ids=Ids.from_texts(topics.unjudged) if topics.unjudged else NO_IDS,
        single_precision=ranker.single_precision,
        ascending=ranker.ascending,
    )


def _rank_few(topics: _Topics, lookup: Lookup) -> Ranked | None:
    """Rank few documents in plain Python; return None where `few_in_order` does."""
    judged_ranks: list[int] = []
    judged_documents: list[int] = []
    rows_of_ties: list[tuple[int, int, int]] = []  # judged document, first rank and size of its tie
    offsets = [0]
    in_order = sorted(range(len(topics.judged)), key=topics.judged.__getitem__)
    for number in in_order:
        ranking = few_in_order(topics.rankings[number])
        if ranking is None:
            return None
        index_of_document = lookup.documents[topics.judged[number]]
        for rank, index in enumerate(map(index_of_document.get, ranking.documents), 1):
            if index is not None:
                judged_ranks.append(rank)
                judged_documents.append(index)
        for first, size in ranking.ties:
            begin = bisect_left(judged_ranks, first, offsets[-1])
            end = bisect_left(judged_ranks, first + size, offsets[-1])
            rows_of_ties += [(row, first, size) for row in range(begin, end)]
        offsets.append(len(judged_ranks))
    ties = NO_TIES
    if rows_of_ties:
        document, first_rank, tie_size = np.array(rows_of_ties, np.int64).T
        ties = Ties(document, first_rank, tie_size)
    return Ranked(
        topic=np.array([topics.judged[number] for number in in_order], np.int64),
        num_ret=np.array([len(topics.rankings[number]) for number in in_order], np.int64),
        offsets=np.array(offsets, np.int64),
        rank=np.array(judged_ranks, np.int64),
        document=np.array(judged_documents, np.int64),
        ties=ties,
    )


def _rank_many(topics: _Topics, ranker: Ranker, lookup: Lookup, name: str) -> Ranked:
    """Rank the judged topics by arrays, some at a time.

    Their documents are found by Python's own hashing: to make ids of the texts of a dict, as of a file, takes
    three times as long as all of this.
    """
    topic = np.array(topics.judged, np.int64)
    offsets = np.cumsum([0, *map(len, topics.rankings)])
    parts: list[Ranked] = []
    for start, stop in blocks(offsets):
        offsets_of_part = offsets[start : stop + 1] - offsets[start]
        part = DictTopics(topic[start:stop], topics.rankings[start:stop], offsets_of_part, name)
        parts.append(part.ranked(ranker, lookup))
    return joined_topics(parts)


def _check_texts(rankings: Sequence[Documents], name: str) -> None:
    """Raise InputError for an id among the first CHECKED_IDS that is no text."""
    ids = list(islice(chain.from_iterable(rankings), CHECKED_IDS))
    try:
        "".join(ids)
    except TypeError:
        odd = next(text for text in ids if not isinstance(text, str))
        id_shown = f"id {odd!r} of type {type(odd).__name__} among texts"
        raise InputError(name, None, id_shown, "texts alone") from None


def _documents_of_topic(run: Mapping[Any, Documents], topic: int, lookup: Lookup, name: str) -> Documents:
    """Return the documents of a topic of the pool, whose id may be a number in the run."""
    text = lookup.topic_texts[topic]
    if text in run:
        return run[text]
    return next(documents for key, documents in run.items() if lookup.index_of_topic(key, name) == topic)


def look_at_dict(
    run: Mapping[Any, Documents], ranking: Ranking, relevance: Relevance, lookup: Lookup
) -> SecondLook:
    """Return the first document of a ranked dict, and changes with which documents would match judged ones.

    If some matched, few documents are compared.
    """
    sampler = sampler_of(ranking, relevance.pool, is_brief=True)
    first_document: bytes | None = None
    for topic in ranking.topic[sampler.compared(ranking.topic)].tolist():
        ranked_documents = _documents_of_topic(run, topic, lookup, ranking.name)
        documents = islice(ranked_documents, sampler.num_left)
        ids = _ids_without_nul(list(documents), ranking.name)
        first_document = first_document or next(iter(ids), None)
        sampler.add(topic, ids)
        if sampler.is_full:
            break
    return SecondLook(
        first_document=first_document, num_rows=sampler.num_rows, respelling=sampler.respelling()
    )


def _ids_without_nul(documents: Sequence[Any], name: str) -> list[bytes]:
    """Return documents as ids; leave out texts with a NUL, which no judged document has."""
    with suppress(TypeError, UnicodeEncodeError):
        ids = "\0".join(documents).encode("utf-8", "surrogateescape").split(b"\0")
        if len(ids) == len(documents):  # as nearly always: to encode all at once is faster
            return ids
    texts = [text for text in documents if not (isinstance(text, str) and "\0" in text)]
    return [encode(text, name) for text in texts]


def block_of_dict(run: Mapping[Any, Documents], name: str) -> Block:
    """Return a dict of dicts as the block that a file with these documents would be.

    Raises InputError for scores that are not numbers.
    """
    with_documents = {topic: documents for topic, documents in run.items() if documents}
    rankings = list(with_documents.values())
    return Block(
        topics=ids_of(list(with_documents), name),
        lengths=np.array([len(documents) for documents in rankings], np.int64),
        documents=ids_of(list(chain.from_iterable(rankings)), name),
        numbers=scores_of(rankings, name),
    )


def _with_texts(documents: Documents, name: str) -> Documents:
    """Return the documents, with texts as ids if the first or the last id is no text.

    Raises InputError for a document that is there as a number and as a text.
    """
    # To look at all takes too long, and a dict that mixes texts and numbers was most often joined of two.
    first = last = next(iter(documents), "")
    if type(documents) is dict:
        last = next(reversed(documents), "")
    if isinstance(first, str) and isinstance(last, str):
        return documents
    texts = {decode(encode(document, name)): score for document, score in documents.items()}
    if len(texts) < len(documents):
        raise InputError(name, None, "a document given both as a number and as a text", "each document once")
    return texts

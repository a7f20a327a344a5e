"""The pool of judged documents: exact, whatever the hashes say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_reading import IDS, TOPICS

from pres_eval.reading.keys import Ids
from pres_eval.reading.pool import Pool, build_pool

Pairs = list[tuple[bytes, bytes]]
PAIRS = st.lists(st.tuples(TOPICS, IDS), min_size=1, max_size=30)


def pool_of(pairs: Pairs) -> tuple[Pool, Any]:
    return build_pool(Ids.of([topic for topic, _ in pairs]), Ids.of([document for _, document in pairs]))


def look_up(pool: Pool, topic: bytes, documents: list[bytes]) -> dict[bytes, bytes]:
    """What the pool finds of these documents of a topic: text asked for -> text found."""
    where = pool.find_topics(Ids.of([topic]))
    assert where[0] >= 0
    ids = Ids.of(documents)
    keys = pool.make_keys(where, np.array([len(documents)]), ids.hashes(pool.seed))
    rows, found = pool.find_documents(keys, ids)
    assert (np.diff(rows) > 0).all()
    assert (pool.topic_of[found] == where[0]).all()
    return {
        documents[row]: pool.documents[int(document)]
        for row, document in zip(rows.tolist(), found, strict=True)
    }


def check(pairs: Pairs, asked: list[bytes]) -> None:
    """Compare with a dictionary of sets."""
    pool, document_of_row = pool_of(pairs)
    topics = sorted({topic for topic, _ in pairs})
    assert list(pool.topics) == topics
    assert len(pool.documents) == len(set(pairs))
    stored = {
        (topics[topic], document)
        for topic, document in zip(pool.topic_of.tolist(), pool.documents, strict=True)
    }
    assert stored == set(pairs)
    for (topic, document), row in zip(pairs, document_of_row.tolist(), strict=True):
        assert pool.documents[row] == document
        assert topics[int(pool.topic_of[row])] == topic
    ordered = [(topics[int(pool.topic_of[row])], pool.documents[row]) for row in pool.byte_order().tolist()]
    assert ordered == sorted(set(pairs))
    for topic in topics:
        wanted = [*asked, *(document for _, document in pairs)]
        wanted = list(dict.fromkeys(wanted))
        assert look_up(pool, topic, wanted) == {d: d for d in wanted if (topic, d) in set(pairs)}
    unknown = [topic + b"x" for topic in topics] + [b"?", b"a-topic-with-a-name-3"]
    known = Ids.of([*unknown, *topics])
    assert pool.find_topics(known).tolist() == [-1] * len(unknown) + list(range(len(topics)))


@settings(deadline=None, max_examples=200)
@given(PAIRS, st.lists(IDS, max_size=10))
def test_pool(pairs: Pairs, asked: list[bytes]) -> None:
    check(pairs, asked)


@pytest.mark.parametrize("bits", [0, 1, 3, 8])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_colliding_hashes(bits: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With hashes of a few bits strangers collide with the pool all the time: the bytes decide."""
    true_hashes = Ids.hashes
    shift = np.uint64(64 - bits - 6)

    def few_bits(ids: Ids, seed: int = 0) -> Any:
        # The pool looks for a seed that tells its own ids apart: seeds bring more bits in the end.
        return (true_hashes(ids, seed) >> max(shift, np.uint64(seed)) - np.uint64(seed)) << np.uint64(50)

    monkeypatch.setattr(Ids, "hashes", few_bits)
    pairs = [(b"%d" % (number % 3), b"document-%d" % number) for number in range(count)]
    strangers = [b"document-%d" % number for number in range(count, 500)]
    pool, _ = pool_of(pairs)
    ids = Ids.of(strangers)
    keys = pool.make_keys(np.array([0]), np.array([len(strangers)]), ids.hashes(pool.seed))
    if bits <= 1:
        assert np.isin(keys, pool.keys).any(), "the test makes strangers collide"
    check(pairs, strangers)


def test_many_topics() -> None:
    """A topic's index and a document's hash share a key's bits; neither disturbs the other."""
    pairs = [(b"topic-%d" % topic, b"d%d" % (topic + step)) for topic in range(3000) for step in (0, 1)]
    pool, _ = pool_of(pairs)
    topics = sorted({topic for topic, _ in pairs})
    ids = Ids.of([b"d%d" % number for topic in topics for number in (int(topic[6:]), int(topic[6:]) + 2)])
    keys = pool.make_keys(np.arange(len(topics)), np.full(len(topics), 2), ids.hashes(pool.seed))
    rows, found = pool.find_documents(keys, ids)
    assert rows.tolist() == list(range(0, 6000, 2))
    assert [pool.documents[int(row)] for row in found] == [ids[row] for row in rows.tolist()]
    assert pool.topic_of[found].tolist() == list(range(3000))

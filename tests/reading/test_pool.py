"""The pool of judged documents: exact, in whatever order judgements come."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS, TOPICS
from support.pools import pooled

from pres_eval.arrays.ids import Ids

Pairs = list[tuple[bytes, bytes]]
PAIRS = st.lists(st.tuples(TOPICS, IDS), min_size=1, max_size=30)
TWICE = [(b"2", b"a"), (b"1", b"a"), (b"2", b"a"), (b"2", b"b"), (b"1", b"a"), (b"2", b"a")]


@settings(deadline=None, max_examples=300)
@given(PAIRS | st.lists(st.sampled_from(TWICE), min_size=1, max_size=20))
@example(TWICE)
def test_pool(pairs: Pairs) -> None:
    """Compare with a dictionary: documents by topic, each once, and the rows they come from."""
    made = pooled(pairs)
    pool = made.pool
    topics = sorted({topic for topic, _ in pairs})
    first: dict[tuple[bytes, bytes], int] = {}
    for row, pair in enumerate(pairs):
        first.setdefault(pair, row)
    assert list(pool.topics) == topics
    stored = [
        (topics[topic], document)
        for topic, document in zip(pool.topic_of.tolist(), pool.documents, strict=True)
    ]
    assert stored == sorted(first, key=lambda pair: (pair[0], first[pair]))
    assert made.of_documents(np.arange(len(pairs))).tolist() == [first[pair] for pair in stored]
    assert made.again.tolist() == [row for row, pair in enumerate(pairs) if first[pair] != row]
    assert [stored[document] for document in made.document] == [pairs[row] for row in made.again.tolist()]
    assert [stored[document] for document in made.document_of_row().tolist()] == pairs
    ordered = [(topics[int(pool.topic_of[row])], pool.documents[row]) for row in pool.byte_order().tolist()]
    assert ordered == sorted(first)


@settings(deadline=None, max_examples=100)
@given(PAIRS)
def test_topics_are_found(pairs: Pairs) -> None:
    pool = pooled(pairs).pool
    topics = sorted({topic for topic, _ in pairs})
    unknown = [topic + b"x" for topic in topics] + [b"?", b"a-topic-with-a-name-3"]
    asked = Ids.from_texts([*unknown, *topics])
    assert pool.find_topics(asked).tolist() == [-1] * len(unknown) + list(range(len(topics)))


@settings(deadline=None, max_examples=100)
@given(PAIRS, st.data())
def test_documents_of_topics(pairs: Pairs, data: st.DataObject) -> None:
    """Those of any topics, in the order asked for."""
    pool = pooled(pairs).pool
    topics = data.draw(st.lists(st.integers(0, len(pool.topics) - 1), unique=True))
    counts, rows = pool.documents_of(np.array(topics, np.int64))
    expected = [row for topic in topics for row in np.flatnonzero(pool.topic_of == topic).tolist()]
    assert np.arange(len(pool.documents))[rows].tolist() == expected
    assert counts.tolist() == [int(np.count_nonzero(pool.topic_of == topic)) for topic in topics]

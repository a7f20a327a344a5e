"""The order of a ranking: one tie rule, exact ranks of the judged documents, exact duplicates."""

from __future__ import annotations

import time
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS, ranked, single
from support.pools import made_pool

from pres_eval.arrays import stretches
from pres_eval.arrays.ids import Ids
from pres_eval.ranking import order as ranking
from pres_eval.ranking.order import score_keys
from pres_eval.ranking.parts import joined_topics
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.whole_topics import DuplicateRowError, rank_topics
from pres_eval.reading.judgements.pool import Pool

Document = tuple[float, bytes]
Lists = list[list[Document]]


def pool_of(topics: Lists, judged: list[set[bytes]]) -> Pool:
    """Topics t0000, t0001 ...; each has a judged document that nobody retrieves."""
    pairs = [
        (b"t%04d" % number, document)
        for number in range(len(topics))
        for document in sorted({b"nobody-retrieved-this", *judged[number]})
    ]
    return made_pool(pairs)


def rank(
    topics: Lists,
    pool: Pool,
    most: int | None = None,
    *,
    kind: type = np.float64,
    ascending: bool = False,
    numbers: Any = None,
) -> Ranked:
    numbers = np.arange(len(topics)) if numbers is None else numbers
    ids = Ids.from_texts([document for documents in topics for _, document in documents])
    scores: Any = np.array([score for documents in topics for score, _ in documents], kind)
    offsets = np.cumsum([0, *map(len, topics)])
    return rank_topics(pool, numbers, offsets, scores, ids, most, ascending=ascending)


def judged_ranks(found: Ranked, pool: Pool) -> list[list[tuple[int, bytes]]]:
    return [
        [
            (int(found.rank[row]), pool.documents[int(found.document[row])])
            for row in range(found.offsets[topic], found.offsets[topic + 1])
        ]
        for topic in range(len(found.topic))
    ]


SCORES = st.sampled_from(
    [1.0, 1.0, 2.0, 0.5, -1.0, 0.0, -0.0, float("inf"), float("-inf"), 16777216.0, 16777217.0]
)


@st.composite
def some_topics(draw: st.DrawFn) -> tuple[Lists, list[set[bytes]]]:
    """Topics without duplicates, sorted by score or not, and what was judged of each."""
    topics: Lists = []
    judged = []
    for _ in range(draw(st.integers(1, 5))):
        ids = draw(st.lists(IDS, max_size=12, unique=True))
        documents = [(draw(SCORES), docno) for docno in ids]
        if draw(st.booleans()):
            documents.sort(key=lambda pair: -pair[0])
        topics.append(documents)
        judged.append({docno for docno in ids if draw(st.booleans())})
    return topics, judged


@settings(deadline=None, max_examples=200)
@given(some_topics(), st.booleans(), st.booleans(), st.sampled_from([0, 1, 100]))
def test_ranks_of_judged_documents(
    case: tuple[Lists, list[set[bytes]]], ascending: bool, narrow: bool, few: int
) -> None:
    """Whether ties are broken by counting or by sorting makes no difference."""
    topics, judged = case
    pool = pool_of(topics, judged)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MOST_COMPARISONS", few)
        patch.setattr(stretches, "BLOCK_ROWS", 5)
        found = rank(topics, pool, kind=np.float32 if narrow else np.float64, ascending=ascending)
    expected = []
    for documents, known in zip(topics, judged, strict=True):
        seen = [(single(score) if narrow else score, docno) for score, docno in documents]
        order = enumerate(ranked(seen, ascending), 1)
        expected.append([(place, docno) for place, docno in order if docno in known])
    assert judged_ranks(found, pool) == expected
    assert found.num_ret.tolist() == [len(documents) for documents in topics]
    assert found.topic.tolist() == list(range(len(topics)))


@pytest.mark.parametrize("order", list(permutations([(2.0, b"b"), (1.0, b"a"), (1.0, b"c"), (1.0, b"ab")])))
def test_tie_rule(order: tuple[Document, ...]) -> None:
    """Scores descending; equal ones by docno descending, in byte order; whatever the order of lines."""
    known = {b"a", b"b", b"c", b"ab"}
    pool = pool_of([list(order)], [known])
    assert judged_ranks(rank([list(order)], pool), pool) == [[(1, b"b"), (2, b"c"), (3, b"ab"), (4, b"a")]]
    up = rank([list(order)], pool, ascending=True)
    assert judged_ranks(up, pool) == [[(1, b"b"), (2, b"a"), (3, b"ab"), (4, b"c")]]


@pytest.mark.parametrize("known", [b"a", b"b", b"c"])
def test_ties_with_documents_that_nobody_judged(known: bytes) -> None:
    """An unjudged document before, behind or beside a judged one moves it, too."""
    for order in permutations([(1.0, b"a"), (1.0, b"b"), (1.0, b"c")]):
        pool = pool_of([list(order)], [{known}])
        assert judged_ranks(rank([list(order)], pool), pool) == [[(b"cba".index(known) + 1, known)]]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scores_as_whole_numbers(kind: type) -> None:
    """Ascending as the scores descend; the zeros of both signs are the same."""
    largest, least = np.finfo(kind).max, np.finfo(kind).smallest_subnormal
    above: list[Any] = [0.0, least, 1.0, np.nextafter(kind(1), kind(2)), 2.5, largest, np.inf]
    scores: Any = np.array([-score for score in above[:0:-1]] + above, kind)
    keys = score_keys(scores)
    assert (keys[1:] < keys[:-1]).all()
    assert (keys < 2 ** (8 * scores.itemsize)).all()
    assert score_keys(np.array([-0.0], kind)) == score_keys(np.array([0.0], kind))


def test_scores_that_differ_in_their_last_bits() -> None:
    """Beside the number of a topic a score has no room for them."""
    close = [1.0]
    for _ in range(40):
        close.append(float(np.nextafter(close[-1], 2)))
    topics: Lists = [[(score, b"%d" % place) for place, score in enumerate(close)]] * 9
    pool = pool_of(topics, [{b"7", b"22"}] * 9)
    assert judged_ranks(rank(topics, pool), pool) == [[(19, b"22"), (34, b"7")]] * 9


def test_zeros_of_both_signs_tie() -> None:
    pool = pool_of([[]], [{b"a", b"b"}])
    found = rank([[(-0.0, b"b"), (0.0, b"a")]], pool)
    assert judged_ranks(found, pool) == [[(1, b"b"), (2, b"a")]]


COPIES = st.lists(
    st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([b"a", b"b", b"c", b"d", b"e"])), max_size=10
)


def is_duplicate(documents: list[Document], most: int | None, ascending: bool) -> bool:
    """Whether a document is twice among the first `most`."""
    order = ranked(documents, ascending)[:most]
    return len(set(order)) < len(order)


@settings(deadline=None, max_examples=200)
@given(
    topics=st.lists(COPIES, min_size=1, max_size=4),
    most=st.none() | st.integers(0, 10),
    ascending=st.booleans(),
)
def test_duplicates(topics: Lists, most: int | None, ascending: bool) -> None:
    """Found exactly."""
    pool = pool_of(topics, [{b"a", b"b"}] * len(topics))
    if not any(is_duplicate(documents, most, ascending) for documents in topics):
        rank(topics, pool, most, ascending=ascending)
        return
    with pytest.raises(DuplicateRowError) as caught:
        rank(topics, pool, most, ascending=ascending)
    topic, document = caught.value.args
    documents = topics[int(topic[1:])]
    assert [docno for _, docno in documents].count(document) > 1
    of_it = [pair for pair in documents if pair[1] == document]
    others = [pair for pair in documents if pair[1] != document]
    distinct = [(score, b"%s-%d" % (docno, n)) for n, (score, docno) in enumerate(others)]
    assert is_duplicate(of_it + distinct, None, ascending)


@pytest.mark.parametrize("ascending", [False, True])
def test_many_documents_twice(ascending: bool) -> None:
    """Below -M they are no error, and take time that grows with their number, not with its square."""
    documents = [(1.0, b"d%d" % number) for number in range(3000)] * 2
    pool = pool_of([documents], [{b"d2999"}])
    begun = time.process_time()
    assert rank([documents], pool, 1, ascending=ascending).num_ret.tolist() == [6000]
    assert time.process_time() - begun < 5


def test_parts_are_put_in_order() -> None:
    """Topics may be ranked in any order; together they are in that of the pool."""
    topics: Lists = [[(float(-row), b"d%d" % row) for row in range(number + 1)] for number in range(6)]
    judged = [{b"d%d" % row for row in range(0, 6, 2)}] * 6
    pool = pool_of(topics, judged)
    whole = rank(topics, pool)
    parts = [
        rank([topics[number] for number in numbers], pool, numbers=np.array(numbers))
        for numbers in ([4], [2, 3], [0, 5], [1])
    ]
    together = joined_topics(parts)
    assert judged_ranks(together, pool) == judged_ranks(whole, pool)
    assert together.topic.tolist() == list(range(6))
    assert together.num_ret.tolist() == [1, 2, 3, 4, 5, 6]

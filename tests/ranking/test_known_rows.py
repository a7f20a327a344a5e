"""Ranks of documents whose rows are known: the same as by the text of every id."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS, TOPICS
from support.qrels import made_qrels

from pres_eval.arrays import stretches
from pres_eval.arrays.ids import Ids
from pres_eval.options import Options
from pres_eval.ranking.order import Sortable, rank_judged
from pres_eval.ranking.parts import joined_topics
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import rank_block
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.reading.blocks import Block

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, 16777216.0, 16777217.0, np.inf, -np.inf, 1e-300, 1e300]),
    st.floats(allow_nan=False),
    st.integers(-3, 3).map(float),
)
RUNS = st.dictionaries(TOPICS, st.dictionaries(IDS, SCORES, min_size=0, max_size=12), min_size=1)


@settings(deadline=None, max_examples=100)
@given(
    RUNS,
    st.data(),
    st.sampled_from(["9.0.8", "10.0"]),
    st.sampled_from([1, 8, 1 << 17]),
    st.booleans(),
)
def test_like_ranking_by_ids(
    run: dict[bytes, dict[bytes, float]],
    draws: st.DataObject,
    compat: str,
    size: int,
    descending: bool,
) -> None:
    if descending:
        run = {
            topic: dict(sorted(documents.items(), key=lambda pair: -pair[1]))
            for topic, documents in run.items()
        }
    judged = {
        topic: {document: 1 for document in documents if draws.draw(st.booleans())} | {b"other": 0}
        for topic, documents in run.items()
    }
    qrels = made_qrels(judged)
    ids = Ids.from_texts([document for documents in run.values() for document in documents])
    scores = np.array([score for documents in run.values() for score in documents.values()], np.float64)
    lengths = np.array([len(documents) for documents in run.values()], np.int64)
    block = Block(topics=Ids.from_texts(list(run)), lengths=lengths, documents=ids, numbers=scores)
    ranker = Ranker.for_judgements(qrels, Options(compat=compat))
    pool = qrels.pool
    index = {
        (pool.topics[topic], document): number
        for number, (topic, document) in enumerate(zip(pool.topic_of.tolist(), pool.documents, strict=True))
    }
    rows = [(topic, document) for topic in run for document in run[topic]]
    hits = np.array([row for row, pair in enumerate(rows) if pair in index], np.int64)
    with mock.patch.object(stretches, "BLOCK_ROWS", size):
        expected = rank_block("run", block, RunRanker(ranker=ranker))
        found = joined_topics(
            [
                rank_judged(
                    Sortable(np.concatenate(([0], np.cumsum(lengths))), ranker.cast(scores), ids, False),
                    pool.find_topics(block.topics),
                    hits,
                    np.array([index[rows[row]] for row in hits.tolist()], np.int64),
                )
            ]
        )
    for name in ("document", "first", "size"):
        assert getattr(found.ties, name).tolist() == getattr(expected.ties, name).tolist(), name
    for name in ("topic", "num_ret", "offsets", "rank", "document"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name

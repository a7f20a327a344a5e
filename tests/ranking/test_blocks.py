"""A run as a block, ranked: the same arrays as from the file that has it as lines; and blocks themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import judgements_for, number, rows_of, run_files
from support.qrels import made_qrels

from pres_eval.arrays import stretches
from pres_eval.arrays.ids import Ids
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking, rank_block
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import read_run
from pres_eval.reading.blocks import Block, Documents, whole_topics
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import Relevance


def block_of(data: bytes, words: bool) -> Block:
    rows = rows_of(data, 6, more=True)
    ids = Ids.from_texts([row.fields[2] for row in rows])
    documents: Documents = ids if words else Ids.from_texts(list(ids))
    scores = np.array([number(row.fields[4]) for row in rows], np.float64)
    return replace(
        Block.of_rows(Ids.from_texts([row.fields[0] for row in rows]), ids, scores), documents=documents
    )


def ranked(block: Block, judged: Relevance, options: Options | None = None, jobs: int = 1) -> Ranking:
    return rank_block("my run", block, RunRanker.for_judgements(judged, options or Options()), "tag", jobs)


def as_lists(ranking: Ranking) -> list[object]:
    arrays = (ranking.topic, ranking.num_ret, ranking.offsets, ranking.rank, ranking.document)
    return [*(array.tolist() for array in arrays), ranking.facts.num_rows, list(ranking.unjudged)]


@settings(deadline=None, max_examples=120)
@given(run_files(), st.data(), st.sampled_from(["9.0.8", "10.0"]), st.booleans(), st.sampled_from([1, 2]))
def test_like_the_file(
    tmp_path_factory: pytest.TempPathFactory,
    data: bytes,
    draws: st.DataObject,
    compat: str,
    words: bool,
    jobs: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "run-of-columns"
    path.write_bytes(data)
    judged = judgements_for(data, draws.draw)
    qrels = made_qrels({topic: dict.fromkeys(documents, 1) for topic, documents in judged.items()})
    with mock.patch.object(stretches, "BLOCK_ROWS", draws.draw(st.sampled_from([1, 5, 1 << 17]))):
        found = ranked(block_of(data, words), qrels, Options(compat=compat), jobs)
        expected = read_run(File(str(path)), qrels, Options(compat))
    assert as_lists(found) == as_lists(expected)


def small(scores: list[float], documents: list[bytes], lengths: list[int]) -> Block:
    topics = Ids.from_texts([b"1", b"2", b"3"][: len(lengths)])
    ids = Ids.from_texts(documents)
    return Block(topics=topics, lengths=np.array(lengths, np.int64), documents=ids, numbers=np.array(scores))


QRELS = made_qrels({b"1": {b"a": 1}, b"2": {b"b": 0}})


def test_a_topic_may_have_nothing() -> None:
    ranking = ranked(small([1.0], [b"a"], [1, 0]), QRELS)
    assert ranking.topic.tolist() == [0, 1]
    assert ranking.num_ret.tolist() == [1, 0]


def test_none_of_the_topics_may_be_judged() -> None:
    block = Block(
        topics=Ids.from_texts([b"9"]),
        lengths=np.array([1]),
        documents=Ids.from_texts([b"a"]),
        numbers=np.array([1.0]),
    )
    ranking = ranked(block, QRELS)
    assert len(ranking.topic) == 0
    assert list(ranking.unjudged) == [b"9"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (small([1.0, np.nan], [b"a", b"b"], [1, 1]), "my run: score nan of document 'b' for topic '2'"),
        (
            small([1.0, 3.0, 2.0], [b"x", b"a", b"a"], [1, 2]),
            "my run: document 'a' of topic '2' again (rows 2 and 3), expected each document once per topic",
        ),
        (small([], [], []), "my run: no retrieved documents"),
    ],
)
def test_faults_are_named(block: Block, message: str) -> None:
    with pytest.raises(InputError) as error:
        ranked(block, QRELS)
    assert message in str(error.value)


def test_a_repeated_document_below_the_cut_is_no_fault() -> None:
    """trec_eval: -M cuts all but one off."""
    block = small([3.0, 2.0, 1.0], [b"x", b"a", b"a"], [3])
    assert ranked(block, QRELS, Options(max_retrieved=2)).num_ret.tolist() == [3]
    with pytest.raises(InputError, match="rows 2 and 3"):
        ranked(block, QRELS, Options(max_retrieved=3))


def test_texts_are_picked_by_rows_and_slices(tmp_path: Path) -> None:
    texts = Ids.from_texts([b"a", b"bb", b"", b"a-rather-long-id-of-more-than-a-word"])
    assert len(texts) == 4
    assert list(texts.take(slice(1, 3))) == [b"bb", b""]
    assert list(texts.take(np.array([3, 0]))) == [b"a-rather-long-id-of-more-than-a-word", b"a"]


@pytest.mark.parametrize("lengths", [[1], [3, 2], [1, 1, 1], [2, 5, 1, 4]])
@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_blocks_of_whole_topics(lengths: list[int], rows: int) -> None:
    """However the rows are cut, no topic is in two blocks, and no row is lost."""
    topics = [b"%d" % topic for topic, length in enumerate(lengths) for _ in range(length)]
    documents = [b"d%d" % row for row in range(len(topics))]
    cut = [
        Block.of_rows(
            Ids.from_texts(topics[start : start + rows]),
            Ids.from_texts(documents[start : start + rows]),
            np.arange(start, min(start + rows, len(topics))),
            np.arange(start, min(start + rows, len(topics))) + 1,
        )
        for start in range(0, len(topics), rows)
    ]
    found = list(whole_topics(cut))
    assert [topic for block in found for topic in block.topics] == [b"%d" % n for n in range(len(lengths))]
    assert [length for block in found for length in block.lengths.tolist()] == lengths
    assert [id for block in found for id in block.documents.take(slice(None))] == documents
    assert [line for block in found for line in block.lines.tolist()] == list(range(1, len(topics) + 1))  # type: ignore[union-attr]

"""A run's columns, ranked: the same arrays as from the file that has them as lines."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import judgements_for, number, rows_of, run_files
from support.qrels import made_qrels

from pres_eval.arrays import ragged
from pres_eval.arrays.ids import Ids
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.columns import Documents, RunColumns, Texts, rank_columns
from pres_eval.ranking.runs import read_run
from pres_eval.reading.columns import group_topics
from pres_eval.reading.source import Source


def columns_of(data: bytes, words: bool) -> RunColumns:
    rows = rows_of(data, 6, more=True)
    topics, lengths = group_topics(Ids.of([row.fields[0] for row in rows]))
    ids = Ids.of([row.fields[2] for row in rows])
    documents: Documents = WordIds.of(ids) if words else Texts(ids)
    scores = np.array([number(row.fields[4]) for row in rows], np.float64)
    return RunColumns("run", topics, lengths, documents, scores, "tag")


def as_lists(ranking: Ranking) -> list[object]:
    arrays = (ranking.topic, ranking.num_ret, ranking.offsets, ranking.rank, ranking.document)
    return [*(array.tolist() for array in arrays), ranking.num_lines, list(ranking.unjudged)]


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
    with mock.patch.object(ragged, "BLOCK", draws.draw(st.sampled_from([1, 5, 1 << 17]))):
        found = rank_columns(columns_of(data, words), qrels, Options(compat=compat), jobs)
        expected = read_run(Source(str(path)), qrels, Options(compat))
    assert as_lists(found) == as_lists(expected)


def small(scores: list[float], documents: list[bytes], lengths: list[int]) -> RunColumns:
    topics = Ids.of([b"1", b"2", b"3"][: len(lengths)])
    ids = Texts(Ids.of(documents))
    return RunColumns("my run", topics, np.array(lengths, np.int64), ids, np.array(scores))


QRELS = made_qrels({b"1": {b"a": 1}, b"2": {b"b": 0}})


def test_a_topic_may_have_nothing() -> None:
    ranking = rank_columns(small([1.0], [b"a"], [1, 0]), QRELS, Options())
    assert ranking.topic.tolist() == [0, 1]
    assert ranking.num_ret.tolist() == [1, 0]


def test_none_of_the_topics_may_be_judged() -> None:
    columns = RunColumns("run", Ids.of([b"9"]), np.array([1]), Texts(Ids.of([b"a"])), np.array([1.0]))
    ranking = rank_columns(columns, QRELS, Options())
    assert len(ranking.topic) == 0
    assert list(ranking.unjudged) == [b"9"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (small([1.0, np.nan], [b"a", b"b"], [1, 1]), "my run: score nan of document 'b' for topic '2'"),
        (
            small([1.0, 3.0, 2.0], [b"x", b"a", b"a"], [1, 2]),
            "my run: document 'a' of topic '2' again (rows 2 and 3), expected each document once per topic",
        ),
        (small([], [], []), "my run: no retrieved documents"),
    ],
)
def test_faults_are_named(columns: RunColumns, message: str) -> None:
    with pytest.raises(InputError) as error:
        rank_columns(columns, QRELS, Options())
    assert message in str(error.value)


def test_a_repeated_document_below_the_cut_is_no_fault() -> None:
    """trec_eval: -M cuts all but one off."""
    columns = small([3.0, 2.0, 1.0], [b"x", b"a", b"a"], [3])
    assert rank_columns(columns, QRELS, Options(max_retrieved=2)).num_ret.tolist() == [3]
    with pytest.raises(InputError, match="rows 2 and 3"):
        rank_columns(columns, QRELS, Options(max_retrieved=3))


def test_texts_are_picked_by_rows_and_slices(tmp_path: Path) -> None:
    texts = Texts(Ids.of([b"a", b"bb", b"", b"a-rather-long-id-of-more-than-a-word"]))
    assert len(texts) == 4
    assert list(texts.pick(slice(1, 3))) == [b"bb", b""]
    assert list(texts.pick(np.array([3, 0]))) == [b"a-rather-long-id-of-more-than-a-word", b"a"]

"""Ranked runs and judgements become batches: -M, -J, -l, -c and -D, against a plain twin."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.arrays import stretches
from pres_eval.batches.batch import Batch
from pres_eval.batches.forming import in_blocks
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_qrels

Grades = dict[str, dict[str, int]]
Retrieved = dict[str, list[str]]


@dataclass
class PlainTopic:
    """What a batch has of a topic."""

    topic: bytes
    num_ret: int
    documents: list[tuple[int, int]]
    levels: list[tuple[int, int]]
    missing: bool


def join_plainly(qrels: Grades, run: Retrieved, options: Options) -> list[PlainTopic]:
    """The topics to score, one document at a time."""
    everything = options.complete and options.compat == "10.0"
    found = []
    for topic in sorted(qrels):
        if topic not in run and not everything:
            continue
        if options.only_topic not in (None, topic.encode()):
            continue
        grades = qrels[topic]
        levels = sorted(Counter(grade for grade in grades.values() if grade >= 0).items())
        if topic not in run:
            # trec_eval: a topic that the run lacks is scored as one document that nobody judged.
            num_ret = 1 if options.max_retrieved is None else min(options.max_retrieved, 1)
            num_ret = 0 if options.judged_only else num_ret
            found.append(PlainTopic(topic.encode(), num_ret, [], levels, True))
            continue
        ranking = run[topic]
        if options.max_retrieved is not None:
            ranking = ranking[: options.max_retrieved]
        if options.judged_only:
            ranking = [document for document in ranking if grades.get(document, -1) >= 0]
        documents = [
            (rank, grades[document] if grades[document] >= 0 else -2)
            for rank, document in enumerate(ranking, 1)
            if document in grades
        ]
        found.append(PlainTopic(topic.encode(), len(ranking), documents, levels, False))
    return found


def as_plain(batch: Batch) -> list[PlainTopic]:
    """A batch as its twin has it."""
    found = []
    for number, topic in enumerate(batch.topics):
        documents = slice(batch.offsets[number], batch.offsets[number + 1])
        levels = slice(batch.level_offsets[number], batch.level_offsets[number + 1])
        found.append(
            PlainTopic(
                topic,
                int(batch.num_ret[number]),
                list(zip(batch.rank[documents].tolist(), batch.grade[documents].tolist(), strict=True)),
                list(zip(batch.levels[levels].tolist(), batch.level_counts[levels].tolist(), strict=True)),
                bool(batch.missing[number]),
            )
        )
    return found


def join(folder: Path, qrels: Grades, run: Retrieved, options: Options, size: int = 100) -> list[Batch]:
    """Write the files, read them, join them."""
    lines = [f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()]
    (folder / "qrels").write_text("".join(lines))
    lines = [
        f"{topic} Q0 {document} 1 {-rank} t\n"
        for topic, documents in run.items()
        for rank, document in enumerate(documents)
    ]
    (folder / "run").write_text("".join(lines))
    judgements = read_qrels(File(str(folder / "qrels")))
    ranking = read_run(File(str(folder / "run")), judgements, options)
    return [cast(Batch, formed()) for formed in in_blocks(judgements, ranking, options, size)]


DOCUMENTS = st.sampled_from([f"d{number}" for number in range(12)])
TOPICS = st.sampled_from(["1", "2", "10", "x"])
GRADES = st.sampled_from([0, 1, 1, 2, 3, -1, -2, -7, 100_000])
QRELS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, GRADES, min_size=1), min_size=1)
RUNS = st.dictionaries(TOPICS, st.lists(DOCUMENTS, min_size=1, max_size=10, unique=True), min_size=1)
OPTIONS = st.builds(
    Options,
    compat=st.sampled_from(["9.0.8", "10.0"]),
    relevance_level=st.integers(0, 3),
    max_retrieved=st.none() | st.integers(0, 12),
    judged_only=st.booleans(),
    complete=st.booleans(),
    only_topic=st.sampled_from([None, None, None, b"1", b"10", b"nothing"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("joining")


@settings(deadline=None, max_examples=120)
@given(QRELS, RUNS, OPTIONS)
def test_like_the_plain_way(folder: Path, qrels: Grades, run: Retrieved, options: Options) -> None:
    expected = join_plainly(qrels, run, options)
    for size, documents in ((100, 1000), (2, 1000), (100, 4)):
        with mock.patch.object(stretches, "BLOCK_ROWS", documents):
            batches = join(folder, qrels, run, options, size)
        assert [topic for batch in batches for topic in as_plain(batch)] == expected
        assert all(0 < len(batch) <= size for batch in batches)
        assert all(len(batch) == 1 or len(batch.rank) <= documents for batch in batches)
        for batch in batches:
            assert (batch.relevance_level, batch.version) == (options.relevance_level, options.version)


def test_arrays_are_frozen(folder: Path) -> None:
    """No measure can change what the next one sees."""
    (batch,) = join(folder, {"1": {"a": 1}}, {"1": ["a"]}, Options())
    with pytest.raises(ValueError, match="read-only"):
        batch.rank[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        batch.level_counts[0] = 7


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_judged_twice(compat: str, tmp_path: Path) -> None:
    """An error that names both lines, if the topic is scored; trec_eval: other topics are not looked at."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n\n2 0 c 0\n2 0 b 0\n3 0 x 1\n")
    judgements = read_qrels(File(str(tmp_path / "qrels")))
    assert judgements.grade[[document == b"b" for document in judgements.pool.documents]].tolist() == [1]
    for topics, stops in (("1", False), ("13", False), ("12", True)):
        (tmp_path / "run").write_text("".join(f"{topic} Q0 a 1 1 t\n" for topic in topics))
        ranking = read_run(File(str(tmp_path / "run")), judgements, Options(compat))
        if not stops:
            (formed,) = in_blocks(judgements, ranking, Options(compat), 10)
            assert len(formed()) == len(topics)
            continue
        with pytest.raises(InputError) as caught:
            in_blocks(judgements, ranking, Options(compat), 10)
        assert str(caught.value) == (
            f"{tmp_path}/qrels:5: a second judgement of document 'b' for topic '2' (first in line 2),"
            " expected one judgement per document and topic;"
            " pres-eval merge FILE > NEW makes one judgement of several"
        )


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_blocks(size: int, folder: Path) -> None:
    """A batch in parts is the same topics, each as it was."""
    qrels: Grades = {str(topic): {f"d{n}": n % 3 for n in range(topic % 4 + 1)} for topic in range(8)}
    run: Retrieved = {str(topic): [f"d{n}" for n in range(topic % 3 + 1)] for topic in range(8)}
    (batch,) = join(folder, qrels, run, Options())
    blocks = list(batch.blocks(size))
    assert max(map(len, blocks)) == min(size, 8)
    assert [topic for block in blocks for topic in as_plain(block)] == as_plain(batch)

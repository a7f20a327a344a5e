"""Judgement groups: the reader of qrels_jg, the grouped batch, and each measure against its slow twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.oracle_preferences import jg_scores
from support.preference_files import Rankings, ranked, write

from pres_eval.batches.forming import in_blocks
from pres_eval.batches.from_groups import GroupedBatch, form_grouped_batch
from pres_eval.batches.topics import scored_topics
from pres_eval.errors import InputError
from pres_eval.measures.base import Trait
from pres_eval.measures.judgement_groups import MEASURES as JUDGEMENT_GROUP_MEASURES
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.file import File
from pres_eval.reading.judgements.judged_groups import GroupQrels, read_group_qrels

Grades = dict[str, dict[str, dict[str, int]]]

CUTOFFS = (1, 3, 5, 20)
MULTIPLES = (0.05, 0.2, 0.5, 1.0, 1.7)
ARGUMENTS = {
    "map_avgjg": [],
    "P_avgjg": [",".join(map(str, CUTOFFS))],
    "Rprec_mult_avgjg": [",".join(map(str, MULTIPLES))],
}


def read(path: Path, grades: Grades, rankings: Rankings) -> tuple[GroupQrels, Ranked]:
    rows = [
        (topic, group, docno, grade)
        for topic, groups in grades.items()
        for group, judged in groups.items()
        for docno, grade in judged.items()
    ]
    qrels = read_group_qrels(write(path, rows[::2] + rows[1::2]), GroupQrels)
    return qrels, ranked(qrels.pool, rankings)


def form(path: Path, grades: Grades, rankings: Rankings, options: Options | None = None) -> GroupedBatch:
    options = options or Options()
    qrels, run = read(path, grades, rankings)
    return form_grouped_batch(qrels, run, options, *scored_topics(qrels.pool, run, options))


def scores(batch: GroupedBatch) -> dict[bytes, dict[str, float]]:
    columns: dict[str, NDArray[Any]] = {}
    for measure in JUDGEMENT_GROUP_MEASURES:
        for label, arguments in measure.parameters.columns(measure.name, ARGUMENTS[measure.name]):
            columns[label] = np.asarray(measure.score(batch, *arguments))
    return {
        topic: {label: float(values[index]) for label, values in columns.items()}
        for index, topic in enumerate(batch.topics)
    }


DOCNOS = [f"d{number}" for number in range(9)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Grades, Rankings, Options]:
    grade = st.sampled_from([0, 0, 1, 1, 2, 3, -1, -7])
    judged = st.dictionaries(st.sampled_from(DOCNOS), grade, min_size=1)
    groups = st.dictionaries(st.sampled_from(["a", "B", "10"]), judged, min_size=1)
    grades = draw(st.dictionaries(st.sampled_from(["1", "10", "2", "é"]), groups, min_size=1, max_size=3))
    rankings: Rankings = {"only in the run": ["d1"]}
    for topic in grades:
        if draw(st.integers(0, 4)):
            rankings[topic] = draw(st.lists(st.sampled_from([*DOCNOS, "x", "y", "z"]), unique=True))
    options = Options(
        compat=draw(st.sampled_from(["9.0.8", "10.0"])),
        relevance_level=draw(st.integers(0, 3)),
        max_retrieved=draw(st.sampled_from([None, None, 1, 4])),
        judged_only=draw(st.booleans()),
        complete=draw(st.booleans()),
    )
    return grades, rankings, options


@settings(deadline=None, max_examples=120)
@given(case=cases(), size=st.integers(1, 3))
def test_scores_are_those_of_the_slow_twin(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Grades, Rankings, Options], size: int
) -> None:
    grades, rankings, options = case
    qrels, run = read(tmp_path_factory.getbasetemp() / "twin.qrels", grades, rankings)
    found: dict[bytes, dict[str, float]] = {}
    for formed in in_blocks(qrels, run, options, size):
        block = cast(GroupedBatch, formed())
        assert len(block) <= size
        found |= scores(block)
    expected = {}
    for topic in sorted(grades, key=str.encode):
        if topic in rankings or (options.complete and options.compat == "10.0"):
            expected[topic.encode()] = jg_scores(
                grades[topic],
                rankings.get(topic, ["nothing that was judged"])[: options.max_retrieved],
                level=options.relevance_level,
                judged_only=options.judged_only,
                cutoffs=CUTOFFS,
                multiples=MULTIPLES,
            )
    assert list(found) == list(expected)
    for topic_id, values in expected.items():
        assert found[topic_id] == values  # == on doubles: the same bits


def test_every_measure_has_a_twin_and_a_text() -> None:
    twins = jg_scores({"g": {"a": 1}}, ["a"], cutoffs=CUTOFFS, multiples=MULTIPLES)
    labels = [
        label
        for measure in JUDGEMENT_GROUP_MEASURES
        for label, _ in measure.parameters.columns(measure.name, ARGUMENTS[measure.name])
    ]
    assert [measure.name for measure in JUDGEMENT_GROUP_MEASURES] == [
        "map_avgjg",
        "P_avgjg",
        "Rprec_mult_avgjg",
    ]
    assert set(labels) == set(twins)
    for measure in JUDGEMENT_GROUP_MEASURES:
        assert measure.relevance is RelevanceInfo.QRELS_JG
        assert Trait.BOUNDED in measure.traits
        assert measure.description.endswith(".")
        for part in (f"Formula:  {measure.name}", "Range:", "Source:"):
            assert part in measure.text


def test_columns_without_parameters() -> None:
    labels = [
        label
        for measure in JUDGEMENT_GROUP_MEASURES
        for label, _ in measure.parameters.columns(measure.name, [])
    ]
    cutoffs = ["5", "10", "15", "20", "30", "100", "200", "500", "1000"]
    multiples = ["0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00"]
    assert labels == [
        "map_avgjg",
        *(f"P_avgjg_{cutoff}" for cutoff in cutoffs),
        *(f"Rprec_mult_avgjg_{multiple}" for multiple in multiples),
    ]


def test_one_topic_by_hand(tmp_path: Path) -> None:
    # u: relevant at ranks 1 and 3 and one not found; v: relevant at rank 2; w: nothing relevant.
    grades = {"1": {"u": {"a": 1, "c": 1, "e": 1}, "v": {"b": 2}, "w": {"a": 0}}}
    found = scores(form(tmp_path / "qrels", grades, {"1": ["a", "b", "c"]}))[b"1"]
    assert found["map_avgjg"] == ((1 + 2 / 3) / 3 + 1 / 2) / 3
    assert found["P_avgjg_1"] == 1 / 3
    assert found["P_avgjg_5"] == (2 / 5 + 1 / 5) / 3
    assert found["Rprec_mult_avgjg_1.00"] == (2 / 3 + 0 / 1) / 3


def test_unjudged_documents_are_taken_out_group_by_group(tmp_path: Path) -> None:
    grades = {"1": {"u": {"b": 1}, "v": {"a": 0, "b": 1}}}
    batch = form(tmp_path / "qrels", grades, {"1": ["x", "a", "b"]}, Options(judged_only=True))
    assert batch.groups.rank.tolist() == [1, 1, 2]
    assert batch.groups.num_ret.tolist() == [1, 2]
    assert scores(batch)[b"1"]["map_avgjg"] == (1 + 1 / 2) / 2


def test_topics_that_the_run_lacks(tmp_path: Path) -> None:
    grades = {"1": {"u": {"a": 1}}, "2": {"u": {"a": 1}, "v": {"a": 0}}}
    for compat, complete, topics in (
        ("9.0.8", True, (b"1",)),
        ("10.0", False, (b"1",)),
        ("10.0", True, (b"1", b"2")),
    ):
        options = Options(compat=compat, complete=complete)
        batch = form(tmp_path / "qrels", grades, {"1": ["a"]}, options)
        assert batch.topics == topics
        assert batch.missing.tolist() == [False, True][: len(topics)]
        assert batch.groups.num_ret.tolist() == [1, 1, 1][: len(batch.groups)]


def test_no_topic_to_score(tmp_path: Path) -> None:
    assert scores(form(tmp_path / "qrels", {"1": {"u": {"a": 1}}}, {})) == {}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            "1 u a 1\n1 v a 1\n1 u b 0\n2 u a 1\n1 u a 0\n",
            5,
            "topic '1', judgement group 'u': a second judgement of document 'a' (first in line 1), "
            "expected one judgement per document and group",
            id="duplicate",
        ),
        pytest.param("1 u a 1\n1 u b 1.5\n", 2, "relevance '1.5', expected an integer", id="no integer"),
    ],
)
def test_malformed_judgements(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_group_qrels(File(str(path)), GroupQrels)
    assert str(error.value) == f"{path}:{line}: {message}"


def test_wrong_number_of_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=":1: 3 columns"):
        read_group_qrels(write(tmp_path / "qrels", [("1", "a", "1")]), GroupQrels)

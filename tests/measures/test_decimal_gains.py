"""Gains that are not whole numbers (-R qrels_float): read as they are, used by all measures that can."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import ALL_TWINS, EXAMPLE_PARAMETERS, batch_of, columns_of, same_bits
from support.commands import Command
from support.oracle import POOLED, UNKNOWN, Topic, ratio

from pres_eval.batches.batch import Batch
from pres_eval.errors import InputError, MeasureError
from pres_eval.measures import MEASURES
from pres_eval.measures.base import Measure
from pres_eval.measures.gain import _grades_by_default
from pres_eval.measures.selection import select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QRELS_FLOAT, QrelsJudgements, read_qrels, read_relevance
from pres_eval.scoring import evaluate

USABLE = [
    measure
    for measure in MEASURES
    if measure.relevance in (RelevanceInfo.QRELS, RelevanceInfo.ANY) and not measure.whole_grades
]


def gain(grade: float) -> float:
    return max(float(grade), 0.0)


def discounted(gains: list[float], cutoff: float = math.inf) -> float:
    total = 0.0
    for rank, value in enumerate(gains, 1):
        if rank <= cutoff:
            total += value / math.log2(rank + 1)
    return total


def best(topic: Topic) -> list[float]:
    return sorted((gain(grade) for grade in topic.qrels if grade > 0), reverse=True)


def dcg(topic: Topic, pairs: object = (), cutoff: float = math.inf) -> float:
    return discounted([gain(grade) for grade in topic.ranking], cutoff)


def ideal_dcg(topic: Topic, pairs: object = (), cutoff: float = math.inf) -> float:
    return discounted(best(topic), cutoff)


def ndcg(topic: Topic, pairs: object = (), cutoff: float = math.inf) -> float:
    return ratio(dcg(topic, cutoff=cutoff), ideal_dcg(topic, cutoff=cutoff))


def rbp(topic: Topic, pairs: tuple[tuple[str, float], ...]) -> float:
    p = dict(pairs).get("p", 0.9)
    highest = max([1.0, *best(topic)])
    total, power = 0.0, 1.0
    for grade in topic.ranking:
        total += gain(grade) / highest * power
        power *= p
    return (1.0 - p) * total


TWINS: dict[str, Any] = ALL_TWINS | {
    "dcg": dcg,
    "ideal_dcg": ideal_dcg,
    "ndcg": ndcg,
    "ndcg_cut": lambda topic, cutoff: ndcg(topic, cutoff=cutoff),
    "rbp": rbp,
}
"""The twins that read grades as numbers work on any; these are those that don't."""

DECIMALS = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.73, 1.0, 1.5]),
    st.floats(0, 4, allow_subnormal=False),
    st.just(float(POOLED)),
)


@st.composite
def decimal_topics(draw: st.DrawFn) -> list[Topic]:
    level: Any = draw(st.sampled_from([0.5, 0.73, 1.0, 0.1, 2.5]))
    topics = []
    for _ in range(draw(st.integers(0, 3))):
        gaps = st.integers(0, 2)
        ranking: list[Any] = []
        for gap, grade in draw(st.lists(st.tuples(gaps, DECIMALS), max_size=10)):
            ranking += [UNKNOWN] * gap + [grade]
        ranking += [UNKNOWN] * draw(gaps)
        judged = [grade for grade in ranking if grade != UNKNOWN]
        missed: list[Any] = draw(st.lists(DECIMALS, max_size=6))
        topics.append(Topic(tuple(ranking), (*judged, *missed), level, collection=900))
    return topics


def decimal_batch(topics: list[Topic]) -> Batch:
    """The batch as it is made of decimal judgements."""
    documents = [grade for topic in topics for grade in topic.ranking if grade != UNKNOWN]
    levels = [level for topic in topics for level in sorted({grade for grade in topic.qrels if grade >= 0})]
    return replace(
        batch_of(topics), grade=np.array(documents, np.float64), levels=np.array(levels, np.float64)
    )


@pytest.mark.parametrize("measure", [pytest.param(measure, id=measure.name) for measure in USABLE])
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_measures_of_decimal_gains_equal_their_twins(measure: Measure, data: st.DataObject) -> None:
    topics = data.draw(decimal_topics())
    batch = decimal_batch(topics)
    texts = EXAMPLE_PARAMETERS.get(measure.name, ())
    text = data.draw(st.sampled_from([None, *(text for text in texts if measure.name not in GAIN_KEYS)]))
    for label, arguments in columns_of(measure, text):
        wanted = [TWINS[measure.name](topic, *arguments) for topic in topics]
        found = list(measure.score(batch, *arguments))
        assert all(map(same_bits, found, wanted)), (label, found, wanted)


GAIN_KEYS = {"ndcg", "dcg", "ideal_dcg", "rbp"}
"""Their parameters name grades, which only whole ones can be."""


@pytest.mark.parametrize("name", sorted(GAIN_KEYS))
def test_gains_cannot_be_given_for_decimal_grades(name: str) -> None:
    batch = decimal_batch([Topic((1,), (1,))])
    (column,) = select([f"{name}.1=2"], relevance=RelevanceInfo.QRELS_FLOAT)
    with pytest.raises(MeasureError, match=r"found gains for grades \(1=2\), expected none"):
        column.measure.score(batch, *column.arguments)


@pytest.mark.parametrize("measure", [pytest.param(m, id=m.name) for m in MEASURES if m.whole_grades])
def test_measures_of_whole_grades_say_so(measure: Measure) -> None:
    with pytest.raises(
        MeasureError, match=f"{measure.name}: needs whole grades, but these may have decimals"
    ):
        select([measure.name], relevance=RelevanceInfo.QRELS_FLOAT)


def read(path: Path, text: str, form: str = "qrels_float") -> QrelsJudgements:
    path.write_text(text, encoding="utf-8")
    qrels = read_relevance(str(path), form)
    assert isinstance(qrels, QrelsJudgements)
    return qrels


def test_relevance_is_read_exactly(tmp_path: Path) -> None:
    texts = ["0.1", "1e-3", "-0.5", "3", "+.5", "0.30000000000000004", "1" * 30]
    qrels = read(tmp_path / "qrels", "".join(f"1 0 d{i} {text}\n" for i, text in enumerate(texts)))
    assert qrels.grade.tolist() == [float(text) for text in texts]
    assert qrels.num_positive() == 6


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 0 a 1\n1 0 b inf\n", "2: relevance 'inf', expected a finite number"),
        ("1 0 a 1\n\n1 0 b nan\n", "3: relevance 'nan', expected a number"),
        ("1 0 a 1,5\n", "1: relevance '1,5', expected a number"),
        ("1 0 a\n", "1: 3 columns, expected 4 (topic iteration docno relevance)"),
    ],
)
def test_bad_relevance(lines: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path / "qrels", lines)
    assert message in str(raised.value)


def test_whole_numbers_give_the_same_either_way(tmp_path: Path) -> None:
    """On all of a small collection, measure for measure, to the last bit."""
    lines = [f"{topic} 0 d{doc} {(doc * topic) % 5 - 1}\n" for topic in range(1, 9) for doc in range(40)]
    run = [f"{topic} Q0 d{doc * 7 % 53} 0 {100 - doc} t\n" for topic in range(1, 9) for doc in range(50)]
    (tmp_path / "run").write_text("".join(run))
    names = [
        measure.name
        for measure in USABLE
        if measure.name not in ("Rnorm", "PRES_budget") and not measure.needs_document_scores
    ]
    values = []
    for form in ("qrels", "qrels_float"):
        qrels = read(tmp_path / "qrels", "".join(lines), form)
        assert (qrels.grade.dtype == np.float64) is (form == "qrels_float")
        ranking = read_run(File(str(tmp_path / "run")), qrels)
        for options in (Options(), Options(relevance_level=2, max_retrieved=20, judged_only=True)):
            values.append(evaluate(qrels, ranking, select(names), options))
    for one, other in ((values[0], values[2]), (values[1], values[3])):
        for ours, theirs in zip(one.values, other.values, strict=True):
            assert all(map(same_bits, ours, theirs))


def test_threads_and_files_of_many_blocks(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    lines = [f"{topic} 0 d{doc} {doc / 7 + topic!r}\n" for topic in range(300) for doc in range(200)]
    path.write_text("".join(lines))
    qrels = [read_qrels(File(str(path)), jobs, layout=QRELS_FLOAT) for jobs in (1, 3)]
    assert qrels[0].grade.tolist() == qrels[1].grade.tolist()
    assert qrels[0].grade[:3].tolist() == [0.0, 1 / 7, 2 / 7]


@pytest.mark.parametrize(
    ("options", "code", "found"),
    [
        (
            ("-R", "qrels_float", "-l", "0.5", "-m", "map", "-m", "num_rel"),
            0,
            "num_rel               \tall\t2\n",
        ),
        (("-R", "qrels_float", "-m", "ndcg"), 0, "ndcg                  \tall\t0.8246\n"),
        (("-l", "0.5"), 1, "pres-eval: -l 0.5: expected a whole number"),
        (("-R", "qrels_float", "-l", "-1.0"), 1, "-l: found '-1.0', expected a number of at least 0"),
        ((), 2, "qrels:1: relevance '0.73', expected an integer"),
    ],
)
def test_command(options: tuple[str, ...], code: int, found: str, call: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 0.73\n1 0 b 0.2\n1 0 c 1\n1 0 d -0.5\n")
    run.write_text("1 Q0 a 1 5 t\n1 Q0 b 2 4 t\n1 Q0 x 3 3 t\n1 Q0 c 4 2 t\n")
    result = call(*options, str(qrels), str(run))
    assert result.code == code
    assert found in (result.out if code == 0 else result.err)


@pytest.mark.parametrize(
    ("named", "kept"),
    [((), [1, 2, 4]), (((4, 10.0),), [1, 2, 3]), (((4, 10.0), (3, 5.0)), [1, 2]), (((9, 1.0),), [1, 2, 4])],
)
def test_highest_grade_that_keeps_its_gain_is_one_below_those_that_are_named(
    named: tuple[tuple[int, float], ...], kept: list[int]
) -> None:
    """Also where no document has it: how trec_eval sorts gains depends on all of them."""
    assert _grades_by_default(named, 4, np.array([1, 2, 4])) == kept

"""Each measure against its slow twin, bit by bit; labels and parameters; what every record has to have."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import (
    ALL_TWINS,
    EXAMPLE_PARAMETERS,
    GDEVAL_GRADES,
    GRADES,
    batch_of,
    columns_of,
    same_bits,
    topic_lists,
)
from support.commands import Command
from support.oracle import POOLED, UNKNOWN, Topic

import pres_eval as pe
from pres_eval.arrays.exact import accumulate, elementwise, log2
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError, PresEvalWarning
from pres_eval.measures import MEASURES, NICKNAMES, gain, measure_of, rbp
from pres_eval.measures.base import Format, Measure
from pres_eval.measures.parameters import NoParameters
from pres_eval.options import RelevanceInfo

QRELS_MEASURES = [m for m in MEASURES if m.relevance in (RelevanceInfo.QRELS, RelevanceInfo.ANY)]
BY_NAME = [pytest.param(measure, id=measure.name) for measure in QRELS_MEASURES]


def scores(measure: Measure, batch: Batch, arguments: tuple[Any, ...]) -> list[Any]:
    values = measure.score(batch, *arguments)
    assert len(values) == len(batch)
    return list(values)


def assert_same_as_twin(measure: Measure, topics: list[Topic], text: str | None) -> None:
    batch = batch_of(topics)
    for label, arguments in columns_of(measure, text):
        wanted = [ALL_TWINS[measure.name](topic, *arguments) for topic in topics]
        found = scores(measure, batch, arguments)
        assert all(map(same_bits, found, wanted)), (label, topics, found, wanted)


def test_every_measure_has_a_twin() -> None:
    assert {measure.name for measure in QRELS_MEASURES} == set(ALL_TWINS)


def test_every_measure_with_parameters_is_compared_with_some() -> None:
    with_parameters = {m.name for m in QRELS_MEASURES if not isinstance(m.parameters, NoParameters)}
    assert with_parameters == set(EXAMPLE_PARAMETERS)


@pytest.mark.parametrize("measure", BY_NAME)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_measure_equals_its_twin(measure: Measure, data: st.DataObject) -> None:
    grades = GDEVAL_GRADES if measure.name == "err" else GRADES
    topics = data.draw(topic_lists(grades))
    text = data.draw(st.sampled_from([None, *EXAMPLE_PARAMETERS.get(measure.name, ())]))
    assert_same_as_twin(measure, topics, text)


@pytest.mark.parametrize("name", ["ndcg", "G", "rbp", "rbp_resid"])
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_measures_that_see_every_rank_do_it_block_by_block(name: str, data: st.DataObject) -> None:
    topics = data.draw(topic_lists())
    text = data.draw(st.sampled_from(EXAMPLE_PARAMETERS[name]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gain, "MOST_RANKS", 10)
        patch.setattr(rbp, "BLOCK_ROWS", 10)
        assert_same_as_twin(measure_of(name), topics, text)


HAND_MADE = {
    "nothing retrieved": Topic((), (0, 1, 2)),
    "nothing judged is relevant": Topic((0, UNKNOWN, 0), (0, 0, 0)),
    "nothing judged at all": Topic((POOLED, UNKNOWN), (POOLED, POOLED)),
    "nothing judged retrieved": Topic((UNKNOWN, UNKNOWN), (1, 2, 0)),
    "all relevant": Topic((3, 1, 2), (3, 1, 2)),
    "level 0, all grades 0": Topic((0, UNKNOWN, 0), (0, 0, 0), level=0),
    "level above every grade": Topic((2, 0, 1), (2, 0, 1), level=5),
    "more judgements than ranks": Topic((1,), (1,) * 40 + (0,) * 3),
    "grades above 9": Topic((12, 9, 10), (12, 9, 10, 4)),
}


@pytest.mark.slow
@pytest.mark.parametrize("measure", BY_NAME)
def test_measure_equals_its_twin_on_odd_topics(measure: Measure) -> None:
    """Those of one level are topics of one run."""
    highest = 4 if measure.name == "err" else 100
    for level, compat in itertools.product({made.level for made in HAND_MADE.values()}, ("9.0.8", "10.0")):
        topics = [
            Topic(
                tuple(min(grade, highest) for grade in made.ranking),
                tuple(min(grade, highest) for grade in made.qrels),
                level,
                compat,
                1000,
            )
            for made in HAND_MADE.values()
            if made.level == level
        ]
        for text in (None, *EXAMPLE_PARAMETERS.get(measure.name, ())):
            assert_same_as_twin(measure, topics, text)


@pytest.mark.parametrize("text", ["3000=0.5,2999=1.5", "7=0.5", "1=2000.5,0=0.3"])
@pytest.mark.parametrize("name", ["ndcg", "G", "Rndcg", "rbp"])
def test_gains_with_fractions_are_sorted_as_with_every_grade_below_the_highest(name: str, text: str) -> None:
    topic = Topic((7, UNKNOWN, 1, 700, 0), (7, 1, 700, 0, 5, 699, 1))
    assert_same_as_twin(measure_of(name), [topic], text)


@pytest.mark.parametrize("name", ["ndcg", "G", "ndcg_rel", "ideal_dcg"])
def test_nothing_can_be_gained_where_a_grade_without_gain_sorts_first(name: str) -> None:
    # trec_eval: gains of 0 and 0.5 are equal to its sort, and grade 0 comes first whether it occurs or not.
    topic = Topic((1, UNKNOWN), (1, 1))
    assert_same_as_twin(measure_of(name), [topic], "1=0.5")
    ((_, arguments),) = columns_of(measure_of(name), "1=0.5")
    assert scores(measure_of(name), batch_of([topic]), arguments) == [0.0]


def test_gains_whose_differences_fit_into_32_bits() -> None:
    # trec_eval: its sort takes the difference of two gains for an int.
    assert gain.adds_exactly(((1, 2.0**30 - 1), (2, 1 - 2.0**30)))
    assert not gain.adds_exactly(((1, 2.0**30),))
    assert not gain.adds_exactly(((1, -(2.0**30)),))
    assert not gain.adds_exactly(((1, 0.5),))


@pytest.mark.parametrize(("compat", "as_grade_0"), [("9.0.8", True), ("10.0", False)])
def test_a_gain_for_what_is_no_grade(compat: str, as_grade_0: bool) -> None:
    """9.0.8 takes it for grade 0, 10.0 leaves it out."""
    batch = batch_of([Topic((0, 1, UNKNOWN), (1, 0, 2), compat=compat)])
    found, grade_0, default = (
        scores(measure_of("ndcg"), batch, arguments)
        for text in ("x=3", "0=3", None)
        for _, arguments in columns_of(measure_of("ndcg"), text)
    )
    assert found == (grade_0 if as_grade_0 else default)
    assert grade_0 != default


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_recall_levels_of_an_empty_ranking(compat: str) -> None:
    """Only where no document is needed it is 0/0; where one is, it is not found."""
    topic = Topic((), (1,) * 10, compat=compat)
    measure = measure_of("iprec_at_recall")
    assert_same_as_twin(measure, [topic], "0,0.1,0.2")
    first, second = (
        scores(measure, batch_of([topic]), arguments)[0] for _, arguments in columns_of(measure, "0,0.1")
    )
    assert math.isnan(first) and second == 0.0


# These look at every rank, so a far rank costs what it must.
SEES_EVERY_RANK = {"rbp", "rbp_resid", "relstring", "compat"}


@pytest.mark.parametrize("measure", [p for p in BY_NAME if p.id not in {*SEES_EVERY_RANK, "err"}])
def test_huge_grades_and_ranks_take_no_room(measure: Measure) -> None:
    far, high = 10**12, 10**11
    near = batch_of([Topic((high, UNKNOWN, 3), (high, 3, 1), collection=4 * far)])
    batch = replace(near, num_ret=np.array([far]), rank=np.array([far // 2, far]))
    for text in (None, *(t for t in EXAMPLE_PARAMETERS.get(measure.name, ()) if "." not in t)):
        if "-1=" in (text or "") or "e" in (text or ""):
            continue
        for _, arguments in columns_of(measure, text):
            assert len(scores(measure, batch, arguments)) == 1


@pytest.mark.parametrize("name", sorted(SEES_EVERY_RANK))
def test_huge_grades_take_no_room_where_every_rank_is_seen(name: str) -> None:
    batch = batch_of([Topic((10**11, UNKNOWN, 3), (10**11, 3, 1))])
    for text in (None, *EXAMPLE_PARAMETERS[name]):
        for _, arguments in columns_of(measure_of(name), text):
            assert len(scores(measure_of(name), batch, arguments)) == 1


def test_exponential_gain_has_no_highest_grade() -> None:
    for grades in [(2000, 1999, 5), (10**6, 10**6 - 1, 0)]:
        topic = Topic((*grades[1:], UNKNOWN), grades)
        assert_same_as_twin(measure_of("ndcg_exp_cut"), [topic], None)
    score = scores(measure_of("ndcg_exp_cut"), batch_of([Topic((1999, 2000), (2000, 1999))]), (5,))[0]
    first, second = 1.0, 1 / math.log2(3)
    assert score == pytest.approx((first / 2 + second) / (first + second / 2))


def test_err_and_exponential_gain_as_gdeval_prints_them() -> None:
    # gdeval.pl 1.2 on this topic: ndcg@20 0.69942, err@20 0.61383; ndcg@2 0.36052, err@2 0.43750.
    batch = batch_of([Topic((3, 0, 4, 1), (3, 0, 4, 1, 2))])
    for name, cutoff, printed in [
        ("err", 20, "0.61383"),
        ("err", 2, "0.43750"),
        ("ndcg_exp_cut", 20, "0.69942"),
        ("ndcg_exp_cut", 2, "0.36052"),
    ]:
        assert f"{scores(measure_of(name), batch, (cutoff,))[0]:.5f}" == printed


def test_rbp_binary_of_the_issue() -> None:
    """Relevance 2, 1, 0, 3 of a, b, c, d; the run a c b x d; p = 0.8: relevant at ranks 1, 3 and 5."""
    batch = batch_of([Topic((2, 0, 1, UNKNOWN, 3), (2, 1, 0, 3))])
    (score,) = scores(measure_of("rbp_binary"), batch, ((("p", 0.8),),))
    assert f"{score:.4f}" == "0.4099"
    (graded,) = scores(measure_of("rbp"), batch, ((("p", 0.8),),))
    assert f"{graded:.4f}" == "0.2579"


@pytest.mark.parametrize("measure", BY_NAME)
def test_whether_the_level_makes_a_difference(measure: Measure) -> None:
    """`uses_level` says so: a level of its own, as in name(rel=2), is an error for the others."""
    topics = [
        Topic((3, 0, 1, UNKNOWN, 2, 1, 0), (3, 2, 2, 1, 1, 0, 0, 3), collection=100),
        Topic((0, 0, 2, 1), (2, 1, 0, 0)),
        Topic((1, 2), (1, 2)),
    ]
    batch = batch_of(topics)
    differs = any(
        scores(measure, batch.with_grade(1), arguments) != scores(measure, batch.with_grade(level), arguments)
        for _, arguments in columns_of(measure)
        for level in (2, 3)
    )
    assert differs == measure.uses_level


def test_err_refuses_grades_that_gdeval_refuses() -> None:
    batch = batch_of([Topic((1,), (1,)), Topic((5,), (5,))])
    with pytest.raises(
        MeasureError, match=r"found grade 5 in the qrels of topic '1', expected grades up to 4"
    ):
        measure_of("err").score(batch, 10)


def test_err_with_another_highest_grade(command: Command, tmp_path: Path) -> None:
    """Grades 5, 0 and 3 at ranks 1, 2 and 3: on a scale up to 5 the first satisfies with 31/32."""
    (tmp_path / "qrels").write_text("1 0 a 5\n1 0 b 0\n1 0 c 3\n")
    (tmp_path / "run").write_text("1 Q0 a 0 3 t\n1 Q0 b 0 2 t\n1 Q0 c 0 1 t\n")
    files = tmp_path / "qrels", tmp_path / "run"
    refused = command("-m", "err", *files)
    assert refused.code == 1 and "gdeval's highest; -m err.max_rel=5 takes more" in refused.err
    first, third = 31 / 32, 7 / 32
    expected = first + (1 - first) * third / 3
    for text in ("err.5,max_rel=5", "ERR(max_rel=5)@5"):
        assert command.ok("-m", text, *files).out.split() == ["err_5_max_rel=5", "all", f"{expected:.4f}"]
    first, third = 31 / 512, 7 / 512
    expected = first + (1 - first) * third / 3
    assert command.ok("-m", "err.all,max_rel=9", *files).out.split()[2] == f"{expected:.4f}"
    too_low = command("-m", "err.max_rel=3", *files)
    assert (
        too_low.code == 1
        and "found grade 5 in the qrels of topic '1', expected grades up to 3" in too_low.err
    )


def test_infinite_gains_are_named_with_topic_and_measure(command: Command, tmp_path: Path) -> None:
    """2^1024 is no double: the value is inf, which was printed without a word."""
    (tmp_path / "qrels").write_text("1 0 a 2\n2 0 a 1023\n7 0 b 1024\n")
    (tmp_path / "run").write_text("1 Q0 a 0 1 t\n2 Q0 a 0 1 t\n7 Q0 b 0 1 t\n")
    files = tmp_path / "qrels", tmp_path / "run"
    called = command("-q", "-m", "dcg_exp_cut.5", *files)
    assert called.code == 0 and called.out.split()[-4:] == ["inf", "dcg_exp_cut_5", "all", "inf"]
    assert called.err == (
        f"pres-eval: warning: {files[0]}: found grade 1024 of topic '7': dcg_exp_cut, whose gains are"
        " 2^grade - 1, is inf where it is retrieved; ndcg_exp_cut is defined for all grades\n"
    )
    command.ok("-m", "ndcg_exp_cut.5", "-m", "dcg_cut.5", *files)
    with pytest.warns(PresEvalWarning, match="found grade 2000 of topic 'q': dcg_exp_cut"):
        pe.evaluate({"q": {"a": 2000}}, {"q": {"a": 1.0}}, "dcg_exp_cut@10")


LABELS = {
    ("P", "5,10"): ["P_5", "P_10"],
    ("P", "10,5,10"): ["P_5", "P_10"],
    ("ndcg_cut", "10,20,23.4"): ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"],
    ("iprec_at_recall", ".10,.20,.25,.75,.50"): [
        f"iprec_at_recall_{level}" for level in ("0.10", "0.20", "0.25", "0.50", "0.75")
    ],
    ("iprec_at_recall", "123456.789"): ["iprec_at_recall_123456.7"],
    ("Rprec_mult", "5.0,0.2,0.35"): ["Rprec_mult_0.20", "Rprec_mult_0.35", "Rprec_mult_5.00"],
    ("11pt_avg", ".25,.5,.75"): ["11pt_avg_.25,.5,.75"],
    ("utility", "2,-1,0,0"): ["utility_2,-1,0,0"],
    ("ndcg", "1=3,2=9,4=4.5"): ["ndcg_1=3,2=9,4=4.5"],
    ("rbp", "p=0.8"): ["rbp_p=0.8"],
    ("relstring", "20"): ["relstring_20"],
    ("map", "5"): ["map"],
    ("Rnorm", "1000,100"): ["Rnorm_100", "Rnorm_1000"],
    ("Fprime", "4,100,50"): ["Fprime_4_50", "Fprime_4_100"],
    ("Fprime", "0.5"): ["Fprime_0.5_100", "Fprime_0.5_1000"],
    ("F_cut", "2,10"): ["F_cut_2_10"],
}


@pytest.mark.parametrize(("name", "text"), LABELS)
def test_labels_are_those_of_trec_eval(name: str, text: str) -> None:
    assert [label for label, _ in columns_of(measure_of(name), text)] == LABELS[name, text]


DEFAULT_LABELS = {
    "P": [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)],
    "iprec_at_recall": [f"iprec_at_recall_{k / 10:.2f}" for k in range(11)],
    "Rprec_mult": [f"Rprec_mult_{k / 5:.2f}" for k in range(1, 11)],
    "success": ["success_1", "success_5", "success_10"],
    "unj": ["unj_5", "unj_10", "unj_20"],
    "PRES": ["PRES_100", "PRES_1000"],
    "Rnorm": ["Rnorm"],
    "Fprime": ["Fprime_1_100", "Fprime_1_1000", "Fprime_4_100", "Fprime_4_1000"],
    **{name: [name] for name in ("ndcg", "11pt_avg", "set_F", "utility", "relstring", "rbp", "map")},
}


@pytest.mark.parametrize("name", DEFAULT_LABELS)
def test_labels_without_parameters(name: str) -> None:
    assert [label for label, _ in columns_of(measure_of(name))] == DEFAULT_LABELS[name]


def test_parameters_of_several_options_are_united() -> None:
    labels = [label for label, _ in measure_of("P").parameters.columns("P", ["5", "10,5"])]
    assert labels == ["P_5", "P_10"]
    pairs = [label for label, _ in measure_of("ndcg").parameters.columns("ndcg", ["1=2", "1=3"])]
    assert pairs == ["ndcg_1=2", "ndcg_1=3"]
    mixed = [label for label, _ in measure_of("F_cut").parameters.columns("F_cut", ["2,5", "1,5,7"])]
    assert mixed == ["F_cut_1_5", "F_cut_1_7", "F_cut_2_5"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("P", "x", "found 'x', expected a whole number of at least 1"),
        ("P", "5,,10", "found '', expected a whole number of at least 1"),
        ("P", "0", "found '0', expected a whole number of at least 1"),
        ("PRES", "-5", "found '-5', expected a whole number of at least 1"),
        ("Rnorm", "all", "found 'all', expected a whole number of at least 1"),
        ("iprec_at_recall", "half", "found 'half', expected a number"),
        ("iprec_at_recall", "1e999", "found '1e999', expected a number"),
        ("utility", "1,2,3", "3 numbers, expected 4"),
        ("set_F", "nan", "found 'nan', expected a number"),
        ("ndcg", "1", "found '1', expected key=number"),
        ("ndcg", "1=2=3", "found '1=2=3', expected key=number"),
        ("ndcg", "=2", "found '=2', expected key=number"),
        ("rbp", "p=often", "found 'often', expected a number"),
        ("Fprime", "-1,100", "found '-1', expected β, a number of at least 0"),
        ("F_cut", "1,2,y", "found 'y', expected a whole number of at least 1"),
    ],
)
def test_bad_parameters_say_what_was_found_and_expected(name: str, text: str, message: str) -> None:
    with pytest.raises(MeasureError) as raised:
        columns_of(measure_of(name), text)
    assert message in str(raised.value)
    assert f"-m {name}." in str(raised.value)


@pytest.mark.parametrize("measure", BY_NAME)
def test_text_has_formula_range_and_source(measure: Measure) -> None:
    assert measure.description.endswith((".", ")."))
    assert len(measure.description) <= 130
    assert "Source: " in measure.text
    if measure.format is Format.FLOAT:
        assert "Formula:  " in measure.text
        assert "Range: " in measure.text
    if not isinstance(measure.parameters, NoParameters):
        columns_of(measure, measure.parameters.example)


def test_names_are_unique_and_known_to_the_nicknames() -> None:
    names = [measure.name for measure in MEASURES]
    assert len(set(names)) == len(names)
    for nicknames in NICKNAMES.values():
        for name in ("official", "set", "all_trec", "extended", "pres"):
            assert len(set(nicknames[name])) == len(nicknames[name])
            assert set(nicknames[name]) <= set(names)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.floats(-3, 3), max_size=40), max_size=8))
def test_accumulate_is_a_loop_over_each_segment(segments: list[list[float]]) -> None:
    offsets = np.cumsum([0, *map(len, segments)])
    for operation, start in ((np.add, 0.0), (np.multiply, 1.0)):
        wanted = []
        for segment in segments:
            running = start
            for value in segment:
                running = running + value if operation is np.add else running * value
                wanted.append(running)
        values = np.array([value for segment in segments for value in segment])
        assert accumulate(operation, values, offsets).tolist() == wanted
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pres_eval.arrays.exact.SHORT_STRETCH_VALUES", 3)
            assert accumulate(operation, values, offsets).tolist() == wanted


def test_logarithms_are_those_of_the_c_library() -> None:
    near = np.arange(1, 5000)
    assert log2(near).tolist() == [math.log2(i) for i in near.tolist()]
    far = np.array([7, 10**12, 3, 10**12, 2**40 + 1])
    assert log2(far).tolist() == [math.log2(i) for i in far.tolist()]
    assert elementwise(math.exp, np.array([0.5, 0.1, 0.5])).tolist() == [
        math.exp(0.5),
        math.exp(0.1),
        math.exp(0.5),
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("rbp_resid", "0.0000 0.0000 0.0000"),
        ("rbp_resid.p=0.8", "0.0000 1.0000 0.5000"),
        ("utility", "1.0000 0.0000 0.5000"),
        ("utility.1,-1,0,0", "1.0000 -1.0000 0.0000"),
        ("relstring", "'1' ''"),
        ("relstring.5", "'1' '-'"),
        ("unj.5", "0.0000 0.0000 0.0000"),
    ],
)
def test_topics_that_the_run_lacks_under_10_0(
    command: Command, tmp_path: Path, text: str, values: str
) -> None:
    """As `trec_eval -c -q -m TEXT` of 10.0 prints them: parameters, if they are the defaults, change them."""
    (tmp_path / "qrels").write_text("1 0 a 1\n5 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 0 1 t\n")
    options = ("--quiet", "--compat", "10.0", "-c", "-q", "-m", text)
    lines = command.ok(*options, tmp_path / "qrels", tmp_path / "run").out.splitlines()
    assert [line.split()[2] for line in lines] == values.split()

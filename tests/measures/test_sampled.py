"""Measures of sampled judgements: against slow twins, against sample_eval.pl, and how sure they are."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import Command
from support.oracle_sampled import SAMPLED_TWINS, Judged, Sampled
from support.preference_files import ranked, write
from support.trials import ALL

import pres_eval as pe
from pres_eval.analysis.sample_intervals import with_sample_intervals
from pres_eval.batches.forming import in_blocks
from pres_eval.errors import InputError, MeasureError, PresEvalWarning, UsageError
from pres_eval.measures.sampled import MEASURES as SAMPLED_MEASURES
from pres_eval.measures.selection import select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.judged_groups import Sample
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.scoring import Scoring, evaluate

TEXTS = ("xinfAP", "infNDCG", "infNDCG.1=3.5,2=0", "iP.1,5,20", "irecall.3,100", "inum_rel_ret", "inum_rel",
         "statAP", "stat_num_rel")  # fmt: skip


def lines_of(judged: dict[str, Judged]) -> list[tuple[object, ...]]:
    return [
        (topic, 0, docno, stratum, grade)
        for topic, documents in judged.items()
        for docno, (stratum, grade) in documents.items()
    ]


@st.composite
def topics(draw: st.DrawFn) -> tuple[Judged, list[str]]:
    strata = draw(st.lists(st.sampled_from(["1", "2", "10", "b"]), min_size=1, max_size=3, unique=True))
    judged: Judged = {}
    for number in range(draw(st.integers(1, 14))):
        stratum = draw(st.sampled_from(strata))
        first = all(its != stratum for its, _ in judged.values())
        judged[f"d{number}"] = stratum, draw(st.integers(0 if first else -1, 3))
    others = [f"x{number}" for number in range(draw(st.integers(0, 4)))]
    ranking = draw(st.permutations([*judged, *others]))
    return judged, ranking[: draw(st.integers(0, len(ranking)))]


@settings(max_examples=150)
@given(
    collection=st.lists(topics(), min_size=1, max_size=4),
    level=st.integers(1, 3),
    most=st.sampled_from([None, 1, 3, 8]),
    size=st.integers(1, 4),
)
def test_measures_equal_their_twins(
    tmp_path_factory: pytest.TempPathFactory,
    collection: list[tuple[Judged, list[str]]],
    level: int,
    most: int | None,
    size: int,
) -> None:
    path = tmp_path_factory.mktemp("sampled") / "qrels"
    rows = lines_of({str(number): judged for number, (judged, _) in enumerate(collection)})
    write(path, rows[::2] + rows[1::2])
    sample = read_relevance(str(path), "strata")
    assert isinstance(sample, Sample)
    options = Options(relevance_level=level, max_retrieved=most)
    rankings = {str(number): ranking for number, (_, ranking) in enumerate(collection)}
    batches = [form() for form in in_blocks(sample, ranked(sample.pool, rankings), options, size)]
    for column in select(TEXTS, relevance=RelevanceInfo.STRATA):
        found = np.concatenate([column.measure.score(block, *column.arguments) for block in batches])
        wanted = [
            SAMPLED_TWINS[column.measure.name](Sampled(judged, ranking, level, most), *column.arguments)
            for judged, ranking in collection
        ]
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), column.label


def test_inferred_documents_that_add_up_to_a_whole_number(tmp_path: Path) -> None:
    """2 + 8/3 + 4/3 are 6 documents of the ideal ranking; added up as doubles they are less."""
    grades = {"1": [1, 1, 0, 0, 0, 0], "2": [1, 1, 0, -1], "b": [1, 0, 0, -1]}
    rows = [
        ("1", 0, f"{stratum}{place}", stratum, grade)
        for stratum, own in grades.items()
        for place, grade in enumerate(own)
    ]
    write(tmp_path / "qrels", rows)
    (tmp_path / "run").write_text("1 Q0 10 1 1 t\n")
    evaluation = pe.evaluate(str(tmp_path / "qrels"), str(tmp_path / "run"), ["infNDCG"], form="strata")
    ideal = sum(1 / math.log2(1 + rank) for rank in range(1, 7))
    assert evaluation["infNDCG"] == pytest.approx(1 / ideal)


def test_every_measure_has_a_twin() -> None:
    assert {measure.name for measure in SAMPLED_MEASURES} == SAMPLED_TWINS.keys()


RNG = random.Random(31)
THINNED = {
    topic: {
        f"d{number}": (str(stratum), RNG.randint(0, 2) * RNG.randint(0, 1) if RNG.random() < share else -1)
        for number, (stratum, share) in enumerate([(1, 1.0)] * 10 + [(2, 0.5)] * 20 + [(3, 0.2)] * 40)
    }
    for topic in ("301", "302", "303")
}
RUN = [
    (topic, "Q0", docno, 0, RNG.randint(0, 60), "bm25")
    for topic in THINNED
    for docno in RNG.sample([f"d{number}" for number in range(90)], 50)
]
PRINTED = """\
infAP 301 0.1583
infNDCG 301 0.4552
iP5 301 0.4000
iP10 301 0.4333
iP15 301 0.3556
iP20 301 0.3167
iP30 301 0.3500
iP100 301 0.1050
iP200 301 0.0525
iP500 301 0.0210
inum_rel_ret 301 10.4999
inum_rel 301 33.0000
infAP 302 0.2104
infNDCG 302 0.3845
iP5 302 0.3333
iP10 302 0.9333
iP15 302 0.7111
iP20 302 0.5833
iP30 302 0.6000
iP100 302 0.1800
iP200 302 0.0900
iP500 302 0.0360
inum_rel_ret 302 17.9997
inum_rel 302 36.0909
infAP 303 0.1118
infNDCG 303 0.2596
iP5 303 0.2667
iP10 303 0.2500
iP15 303 0.2667
iP20 303 0.2750
iP30 303 0.2867
iP100 303 0.0860
iP200 303 0.0430
iP500 303 0.0172
inum_rel_ret 303 8.6000
inum_rel 303 29.0000
infAP all 0.1602
infNDCG all 0.3664
iP5 all 0.3333
iP10 all 0.5389
iP15 all 0.4444
iP20 all 0.3917
iP30 all 0.4122
iP100 all 0.1237
iP200 all 0.0618
iP500 all 0.0247
inum_rel_ret all 37.0996
inum_rel all 98.0909
"""
"""By `sample_eval.pl` (geo-awad/testLB, with a greatest result size of 30) of THINNED and RUN."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "qrels", lines_of(THINNED))
    write(tmp_path / "run", RUN)
    return tmp_path


def test_the_command_prints_what_sample_eval_prints(files: Path, command: Command) -> None:
    printed = command.ok("-R", "strata", "-M", "30", "-q", "--quiet", files / "qrels", files / "run")
    ours = {tuple(line.split()[:2]): line.split()[2] for line in printed.out.splitlines()}
    theirs = {}
    for line in PRINTED.splitlines():
        name, topic, value = line.split()
        theirs[name.replace("iP", "iP_").replace("infAP", "xinfAP"), topic] = value
    assert {key: ours[key] for key in theirs} == theirs
    assert len(theirs) == 48


def evaluated(path: Path, texts: list[str]) -> pe.Evaluation:
    judged = pe.Qrels(str(path / "qrels"), form="strata")
    return judged.rank(str(path / "run"), max_retrieved=30).evaluate(texts, intervals=True)


def test_intervals_are_the_same_again(files: Path) -> None:
    first, again = (evaluated(files, ["xinfAP", "iP.10", "inum_rel"]) for _ in range(2))
    assert first.summary == again.summary
    for label in ("xinfAP", "iP_10", "inum_rel"):
        assert first[f"{label}(lower)"] < first[f"{label}(upper)"]
        lower, upper = first.per_topic(f"{label}(lower)"), first.per_topic(f"{label}(upper)")
        assert (lower <= upper).all()
        assert (lower < upper).any()


def test_measures_without_intervals_alone(files: Path) -> None:
    """2.20.0: an AxisError of numpy, where no column had an interval."""
    found = evaluated(files, ["infNDCG", "num_q"])
    assert found.measures == ["num_q", "infNDCG"]


def test_a_sample_of_everything_leaves_nothing_unsure(tmp_path: Path) -> None:
    rng = random.Random(4)
    write(tmp_path / "qrels", [(1, 0, f"d{number}", 1, rng.randint(0, 1)) for number in range(20)])
    write(tmp_path / "run", [(1, 0, f"d{number}", 0, rng.random(), "r") for number in range(20)])
    found = evaluated(tmp_path, ["xinfAP", "inum_rel"])
    for label in ("xinfAP", "inum_rel"):
        assert found[f"{label}(lower)"] == pytest.approx(found[label], rel=1e-12)
        assert found[f"{label}(upper)"] == pytest.approx(found[label], rel=1e-12)


def test_intervals_without_width_are_no_certainty(tmp_path: Path, command: Command) -> None:
    """Of each stratum one document was drawn: 1.0000, 1.0000, 1.0000 and no word."""
    write(tmp_path / "qrels", [(1, 0, "a", 1, 1), (1, 0, "b", 2, 0), (1, 0, "c", 2, -1)])
    write(tmp_path / "run", [(1, "Q0", "a", 0, 2, "r"), (1, "Q0", "b", 0, 1, "r")])
    files = (tmp_path / "qrels", tmp_path / "run")
    called = command("-R", "strata", "--intervals", "-m", "xinfAP", "-m", "infNDCG", "-m", "iP.5", *files)
    # The document that nobody drew is not retrieved: iP_5 is certain.
    assert "run: intervals (nearly) without width, which do not mean certainty: xinfAP; in" in called.err
    with pytest.warns(PresEvalWarning, match=r"intervals \(nearly\) without width"):
        pe.evaluate(pe.Qrels(str(files[0]), form="strata"), str(files[1]), "xinfAP", intervals=True)


def test_nearly_no_width_is_none_either(tmp_path: Path, command: Command) -> None:
    """iP_30 from 0.9166 to 0.9168: one small stratum varies, and nobody knows of the large one."""
    rows = [(1, 0, f"a{n}", 1, (1, 0, -1)[min(n, 2)]) for n in range(3)]
    rows += [(1, 0, f"b{n}", 2, 1 if n < 2 else -1) for n in range(9000)]
    write(tmp_path / "qrels", rows)
    write(tmp_path / "run", [(1, "Q0", row[2], 0, 9999 - n, "r") for n, row in enumerate(rows)])
    called = command(
        "-R", "strata", "--intervals", "-m", "irecall.8000", tmp_path / "qrels", tmp_path / "run"
    )
    lower, upper = (float(line.split()[2]) for line in called.out.splitlines()[-2:])
    assert 0 <= upper - lower < 0.001
    assert "(nearly) without width, which do not mean certainty: irecall_8000;" in called.err


def test_ends_of_shares_are_at_most_1(tmp_path: Path) -> None:
    rng = random.Random(7)
    write(
        tmp_path / "qrels",
        [(t, 0, f"d{n}", 1 + n // 20, rng.choice((1, 1, 1, 0, -1))) for t in (1, 2) for n in range(40)],
    )
    write(tmp_path / "run", [(t, 0, f"d{n}", 0, 99 - n, "r") for t in (1, 2) for n in range(40)])
    found = pe.evaluate(
        pe.Qrels(str(tmp_path / "qrels"), form="strata"),
        str(tmp_path / "run"), ["iP.5,10", "irecall.50", "xinfAP"], intervals=True,
    )  # fmt: skip
    uppers = [label for label in found.measures if label.endswith("(upper)")]
    assert len(uppers) == 4 and max(found[label] for label in uppers) == 1.0
    for label in uppers:
        assert (found.per_topic(label) <= np.maximum(found.per_topic(label[: -len("(upper)")]), 1.0)).all()


def test_the_nickname_gives_what_prels_have(tmp_path: Path, command: Command) -> None:
    """2.11.0: `-m sampled`, which the guide names for all samples, asked for measures of strata."""
    write(tmp_path / "prels", [(1, "a", 1, 1, 0.5), (1, "b", 0, 1, 0.5)])
    write(tmp_path / "run", [(1, "Q0", "a", 0, 2, "r")])
    called = command("-R", "prels", "-m", "sampled", tmp_path / "prels", tmp_path / "run")
    assert [line.split()[0] for line in called.out.splitlines()] == [
        "runid",
        "num_q",
        "statAP",
        "stat_num_rel",
    ]
    called = command("-R", "prels", "-m", "xinfAP", tmp_path / "prels", tmp_path / "run")
    assert called.code != 0 and "xinfAP: needs -R strata" in called.err


def test_stratum_and_relevance_exchanged(tmp_path: Path, command: Command) -> None:
    """The stratum -1 was one of two relevant ones."""
    rows = [(1, 0, "a", 1, 1), (1, 0, "b", 0, 2), (1, 0, "c", -2, 2), (1, 0, "d", -1, 2), (1, 0, "e", -2, 1)]
    write(tmp_path / "qrels", rows)
    write(tmp_path / "run", [(1, "Q0", "a", 0, 2, "r")])
    called = command("-R", "strata", tmp_path / "qrels", tmp_path / "run")
    assert (called.code, called.err) == (
        2,
        f"pres-eval: {tmp_path}/qrels:3: a stratum named by a negative number, expected columns topic"
        " iteration docno stratum relevance; are stratum and relevance exchanged?\n",
    )


def test_intervals_hold_the_truth_of_thinned_judgements(tmp_path: Path) -> None:
    """Of samples of one collection nine of ten intervals of 95 % hold what all judgements give."""
    rng = random.Random(7)
    grades = {
        str(topic): [int(rng.random() < (0.5 if number < 20 else 0.15)) for number in range(120)]
        for topic in range(6)
    }
    write(tmp_path / "run", [(t, 0, f"d{n}", 0, 200 - n, "r") for t in grades for n in range(100)])
    truth = {"inum_rel": float(sum(map(sum, grades.values())))}
    held = 0
    samples = 120 if ALL else 60
    for _ in range(samples):
        rows = []
        for topic, its in grades.items():
            shallow, deep = set(range(20)), set(rng.sample(range(20, 120), 30))
            rows += [
                (topic, 0, f"d{n}", int(n >= 20), grade if n in shallow | deep else -1)
                for n, grade in enumerate(its)
            ]
        write(tmp_path / "qrels", rows)
        judged = read_relevance(str(tmp_path / "qrels"), "strata")
        options = Options()
        ranking = read_run(File(str(tmp_path / "run")), judged, options)
        selection = select(["inum_rel"], relevance=RelevanceInfo.STRATA)
        scoring = Scoring(relevance=judged, selection=selection, options=options)
        found = evaluate(judged, ranking, selection, options)
        with_ends = with_sample_intervals(found, ranking, scoring, print, times=300)
        _, lower, upper = (float(value or 0) for value in with_ends.summary)
        held += lower <= truth["inum_rel"] <= upper
    assert held >= 0.9 * samples


def test_each_topic_is_drawn_again_on_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics with the same samples get other intervals, also in blocks of one topic."""
    monkeypatch.setattr("pres_eval.analysis.sample_intervals.TOPICS_AT_ONCE", 1)
    rng = random.Random(4)
    grades = [rng.randint(-1, 1) for _ in range(40)]
    rows = [(topic, 0, f"d{n}", 1, grade) for topic in "12" for n, grade in enumerate(grades)]
    write(tmp_path / "qrels", rows)
    write(tmp_path / "run", [(topic, 0, f"d{n}", 0, -n, "r") for topic in "12" for n in range(0, 40, 2)])
    judged = pe.Qrels(str(tmp_path / "qrels"), form="strata")
    found = judged.rank(str(tmp_path / "run")).evaluate(["inum_rel", "xinfAP"], intervals=True)
    first, second = found.per_topic("xinfAP(upper)").tolist()
    assert found.per_topic("inum_rel").tolist()[0] == found.per_topic("inum_rel").tolist()[1]
    assert first != second


PRELS = [
    ("1", "a", 1, 1, 0.5), ("1", "b", 0, 1, 0.25), ("1", "c", 1, 2, 0.25), ("1", "e", 1, 0, 0.1),
    ("2", "a", 1, 1, 1.0),
]  # fmt: skip


def test_statap_is_computed_from_probabilities(tmp_path: Path) -> None:
    write(tmp_path / "prels", PRELS)
    write(
        tmp_path / "run",
        [("1", 0, d, 0, -n, "r") for n, d in enumerate("xabec")] + [("2", 0, "a", 0, 1, "r")],
    )
    found = pe.evaluate(str(tmp_path / "prels"), str(tmp_path / "run"), form="prels")
    # a stands for 2 documents at rank 2; an algorithm chose e at rank 4 and c at rank 5, so that π is 1
    assert found.per_topic("statAP").tolist() == pytest.approx([(2 / 2 + 3 / 4 + 4 / 5) / 4, 1.0])
    assert found.per_topic("stat_num_rel").tolist() == [4.0, 1.0]
    assert found["stat_num_rel"] == 5.0


def test_statap_is_right_on_average(tmp_path: Path) -> None:
    """The mean over many samples is near the average precision of all judgements (2.9.0 gave far more)."""
    rng = random.Random(3)
    grades = [int(rng.random() < 0.4) for _ in range(40)]
    shares = [1.0 if number < 5 else 0.3 for number in range(40)]
    write(tmp_path / "run", [("1", 0, f"d{number}", 0, -number, "r") for number in range(40)])
    places = [number for number, grade in enumerate(grades, 1) if grade]
    truth = sum(found / place for found, place in enumerate(places, 1)) / len(places)
    values = []
    for _ in range(300 if ALL else 150):
        rows = [
            ("1", f"d{number}", grade, 1, share)
            for number, (grade, share) in enumerate(zip(grades, shares, strict=True))
            if rng.random() < share
        ]
        write(tmp_path / "prels", rows)
        values.append(
            pe.evaluate(str(tmp_path / "prels"), str(tmp_path / "run"), "statAP", form="prels")["statAP"]
        )
    assert sum(values) / len(values) == pytest.approx(truth, rel=0.06)


def error(tmp_path: Path, rows: list[tuple[object, ...]], form: str) -> str:
    write(tmp_path / "judged", rows)
    with pytest.raises(InputError) as raised:
        read_relevance(str(tmp_path / "judged"), form)
    return str(raised.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("1", 0, "a", 1, 1), ("2", 0, "a", 1, 1), ("1", 0, "a", 2, 0)],
         "judged:3: topic '1', stratum '2': document 'a' again (first in line 1), expected each document"
         " once, in one stratum of its topic"),
        ([("1", 0, "a", 1)], "judged:1: 4 columns, expected 5 (topic iteration docno stratum relevance)"),
        ([("1", 0, "a", 1, 0.5)], "judged:1: relevance '0.5', expected an integer"),
    ],
)  # fmt: skip
def test_faults_of_strata(tmp_path: Path, rows: list[tuple[object, ...]], said: str) -> None:
    assert error(tmp_path, rows, "strata").startswith(said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([*PRELS, ("3", "a", 1, 1, 0)],
         "judged:6: inclusion probability '0', expected a number above 0 and at most 1"),
        ([*PRELS, ("3", "a", 1, 1, 1.5)],
         "judged:6: inclusion probability '1.5', expected a number above 0 and at most 1"),
        ([("1", "a", "x", 1, 0.5)], "judged:1: relevance 'x', expected an integer"),
        ([*PRELS, ("1", "a", 1, 1, 0.5)], "judged:6: topic '1', method '1': document 'a' again"),
    ],
)  # fmt: skip
def test_faults_of_prels(tmp_path: Path, rows: list[tuple[object, ...]], said: str) -> None:
    assert error(tmp_path, rows, "prels").startswith(said)


def test_what_samples_cannot_give(files: Path) -> None:
    judged = pe.Qrels(str(files / "qrels"), form="strata")
    run = judged.rank(str(files / "run"))
    with pytest.raises(
        MeasureError, match="map: needs form='qrels', but the judgements are read with form='strata'"
    ):
        run.evaluate("map")
    with pytest.raises(UsageError, match="expected no sample"):
        run.evaluate("xinfAP", judged_only=True)
    with pytest.raises(UsageError, match="drawn within strata"):
        pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "map", intervals=True)


def test_only_documents_that_count_are_missing_in_a_sample(tmp_path: Path, command: Command) -> None:
    """Nothing of the stratum s2 was drawn, and -M cuts its document off."""
    write(tmp_path / "qrels", [(1, 0, "a", "s1", 1), (1, 0, "b", "s1", 0), (1, 0, "c", "s2", -1)])
    write(tmp_path / "run", [(1, "Q0", docno, 0, -rank, "r") for rank, docno in enumerate("abc")])
    options = ("-R", "strata", "-m", "xinfAP", tmp_path / "qrels", tmp_path / "run")
    assert "the run retrieved documents, but none that was drawn" in command(*options).err
    assert "none that was drawn" not in command("-M", "2", *options).err

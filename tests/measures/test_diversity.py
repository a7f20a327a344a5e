"""Measures of diversity: each against its slow twin, and against ndeval's numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle_diversity import DIVERSITY_TWINS, Covering, Judged
from support.preference_files import Rankings, ranked, write

from pres_eval.batches.forming import in_blocks
from pres_eval.batches.from_subtopics import SubtopicBatch
from pres_eval.errors import InputError, MeasureError
from pres_eval.measures.base import Trait
from pres_eval.measures.diversity import MEASURES as DIVERSITY_MEASURES
from pres_eval.measures.intents import MEASURES as INTENT_MEASURES
from pres_eval.measures.novelty import HIGHEST_CUTOFF
from pres_eval.measures.selection import select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.judged_groups import SubtopicQrels
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.scoring import ScoredRun, evaluate

Judgements = dict[str, Judged]

TEXTS = {
    **dict.fromkeys(
        ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA"), ("1,3,alpha=0.3", "20", "7,alpha=0", "5,alpha=1")
    ),
    **dict.fromkeys(("NRBP", "nNRBP"), ("alpha=0.3", "beta=0.8", "alpha=0,beta=0", "alpha=1,beta=0.99")),
    **dict.fromkeys(("P_IA", "StRecall"), ("1,3", "50")),
    "facet_recall": ("1R+0,2R", "0R+1,0R+3"),
}
TEXTS |= {
    "D_nDCG": ("1,3", "50"),
    "D_Q": ("1,3,beta=0.3", "50", "5,beta=0"),
    "Dsharp_nDCG": ("1,3,gamma=0.3", "50", "5,gamma=0", "5,gamma=1"),
    "Dsharp_Q": ("1,3,gamma=0.3,beta=0.5", "50"),
}
SUBTOPIC_MEASURES = (*DIVERSITY_MEASURES, *INTENT_MEASURES)
BY_NAME = [pytest.param(measure, id=measure.name) for measure in DIVERSITY_MEASURES]


def rows(judgements: Judgements) -> list[tuple[str, str, str, int]]:
    return [
        (topic, subtopic, docno, grade)
        for topic, judged in judgements.items()
        for subtopic, grades in judged.items()
        for docno, grade in grades.items()
    ]


def form(
    path: Path, judgements: Judgements, rankings: Rankings, options: Options, size: int = 100
) -> list[SubtopicBatch]:
    lines = rows(judgements)
    write(path, lines[::2] + lines[1::2])
    qrels = read_relevance(str(path), "subtopics")
    assert isinstance(qrels, SubtopicQrels)
    blocks = in_blocks(qrels, ranked(qrels.pool, rankings), options, size)
    return [cast(SubtopicBatch, formed()) for formed in blocks]


DOCNOS = [f"d{number}" for number in range(9)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Judgements, Rankings, Options]:
    grade = st.sampled_from([0, 1, 1, 2, 3, -1, -7])
    judged = st.dictionaries(st.sampled_from(DOCNOS), grade, min_size=1)
    subtopics = st.dictionaries(st.sampled_from(["1", "2", "10", "b"]), judged, min_size=1)
    judgements = draw(st.dictionaries(st.sampled_from(["1", "10", "é"]), subtopics, min_size=1))
    rankings = {
        topic: draw(st.lists(st.sampled_from([*DOCNOS, "x", "y", "z"]), unique=True)) for topic in judgements
    }
    options = Options(
        relevance_level=draw(st.integers(0, 3)),
        max_retrieved=draw(st.sampled_from([None, None, 4])),
        judged_only=draw(st.booleans()),
    )
    return judgements, rankings, options


@settings(deadline=None, max_examples=50)
@given(case=cases(), size=st.integers(1, 3))
def test_scores_are_those_of_the_slow_twins(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Judgements, Rankings, Options], size: int
) -> None:
    judgements, rankings, options = case
    blocks = form(tmp_path_factory.getbasetemp() / "twin.subtopics", judgements, rankings, options, size)
    topics = [
        Covering(
            judgements[topic.decode()],
            rankings[topic.decode()][: options.max_retrieved],
            options.relevance_level,
            options.judged_only,
        )
        for block in blocks
        for topic in block.topics
    ]
    for measure in SUBTOPIC_MEASURES:
        twin = DIVERSITY_TWINS[measure.name]
        for text in (None, *TEXTS.get(measure.name, ())):
            column_name = measure.name if text is None else f"{measure.name}.{text}"
            for column in select([column_name], relevance=RelevanceInfo.SUBTOPICS):
                found = [value for block in blocks for value in measure.score(block, *column.arguments)]
                assert found == [twin(topic, *column.arguments) for topic in topics], column.label
                if Trait.BOUNDED in measure.traits:
                    assert all(0 <= value <= 1 + 1e-12 for value in found)


def test_ranks_among_judged_documents_begin_anew_in_each_topic(tmp_path: Path) -> None:
    """-J: unjudged x and y don't count."""
    judgements: Judgements = {"1": {"s": {"a": 1, "b": 0}}, "2": {"s": {"a": 1, "b": 0, "c": 1}}}
    rankings = {"1": ["x", "b", "a"], "2": ["b", "x", "a", "y", "c"]}
    (batch,) = form(tmp_path / "qrels", judgements, rankings, Options(judged_only=True))
    assert batch.all_hits.position.tolist() == [1, 2, 1, 2, 3]
    (column,) = select(["P_IA.2"], relevance=RelevanceInfo.SUBTOPICS)
    assert list(column.measure.score(batch, *column.arguments)) == [0.5, 0.5]


def test_every_measure_has_a_twin_and_a_text() -> None:
    assert {measure.name for measure in SUBTOPIC_MEASURES} == set(DIVERSITY_TWINS)
    for measure in SUBTOPIC_MEASURES:
        assert measure.traits
        assert measure.relevance is RelevanceInfo.SUBTOPICS
        assert all(word in measure.text for word in ("Formula:  ", "Range: ", "Source: ")), measure.name
        assert len(measure.description) <= 130


def made(seed: int) -> tuple[Judgements, dict[str, dict[str, float]]]:
    """Judgements and a run without ties."""
    generator = random.Random(seed)
    judgements: Judgements = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(1, 9):
        documents = [f"doc{number:02}" for number in range(60)]
        judgements[f"{topic}"] = {
            f"{subtopic}": {
                docno: generator.choice([0, 0, 1, 1, 2])
                for docno in generator.sample(documents, generator.randint(1, 25))
            }
            for subtopic in range(1, generator.randint(2, 9))
        }
        judgements[f"{topic}"]["1"][documents[topic]] = 2
        retrieved = generator.sample(documents, generator.randint(1, 50))
        scores = generator.sample(range(1000), len(retrieved))
        run[f"{topic}"] = {docno: float(score) for docno, score in zip(retrieved, scores, strict=True)}
    return judgements, run


def evaluated(judgements: Judgements, run: dict[str, dict[str, float]], text: str, folder: Path) -> ScoredRun:
    write(folder / "subtopics", rows(judgements))
    write(
        folder / "run",
        [
            (topic, "Q0", docno, 0, score, "t")
            for topic, scored in run.items()
            for docno, score in scored.items()
        ],
    )
    qrels = read_relevance(str(folder / "subtopics"), "subtopics")
    ranking = read_run(File(str(folder / "run")), qrels)
    return evaluate(qrels, ranking, select([text], relevance=RelevanceInfo.SUBTOPICS), Options())


def theirs_of(text: str, judgements: Judgements, run: dict[str, dict[str, float]]) -> dict[str, float]:
    qrels = [
        ir_measures.Qrel(topic, docno, grade, subtopic) for topic, subtopic, docno, grade in rows(judgements)
    ]
    scored = [
        ir_measures.ScoredDoc(topic, docno, score)
        for topic, documents in run.items()
        for docno, score in documents.items()
    ]
    measure = ir_measures.parse_measure(text)
    return {
        metric.query_id: metric.value for metric in ir_measures.pyndeval.iter_calc([measure], qrels, scored)
    }


OF_NDEVAL = {
    **{
        f"{name}(rel=2)@{k}": f"{name}(rel=2)@{k}"
        for name in ("alpha_nDCG", "ERR_IA", "P_IA", "StRecall")
        for k in (5, 20)
    },
    "AP_IA(rel=2)": "AP_IA(rel=2)",
    "NRBP(rel=2)": "NRBP(rel=2)",
    **{f"{name}@{k}": f"{name}.{k}" for name in ("P_IA", "StRecall") for k in (1, 5, 10, 20)},
    **{
        f"{name}@{k}": f"{name}.{k}"
        for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA")
        for k in (2, 5, 10, 20)
    },
    **{
        f"{name}(alpha=0.3)@{k}": f"{name}.{k},alpha=0.3"
        for name in ("alpha_DCG", "alpha_nDCG")
        for k in (5, 20)
    },
    **dict.fromkeys(("AP_IA",), "AP_IA"),
    **{name: name for name in ("NRBP", "nNRBP")},
    **{f"{name}(alpha=0.25,beta=0.8)": f"{name}.alpha=0.25,beta=0.8" for name in ("NRBP", "nNRBP")},
}


@pytest.mark.slow
@pytest.mark.parametrize("text", OF_NDEVAL)
def test_numbers_are_those_of_ndeval(text: str, tmp_path: Path) -> None:
    pytest.importorskip("pyndeval")
    for seed in range(5):
        judgements, run = made(seed)
        ours = evaluated(judgements, run, OF_NDEVAL[text], tmp_path)
        found = dict(zip((topic.decode() for topic in ours.topics), ours.values[0], strict=True))
        assert found == pytest.approx(theirs_of(text, judgements, run), rel=1e-12, abs=1e-15)


def test_values_that_ir_measures_tests_with(tmp_path: Path) -> None:
    judgements: Judgements = {
        "0": {"0": {"D0": 0, "D1": 1, "D2": 1, "D4": 0}, "1": {"D2": 1, "D3": 2}},
        "1": {"0": {"D0": 1, "D3": 2}, "1": {"D5": 2}},
    }
    run = {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
    }
    ours = evaluated(judgements, run, "ERR_IA.20", tmp_path)
    assert [round(float(value), 4) for value in ours.values[0]] == [0.4659, 0.1803]
    (summary,) = ours.summary
    assert isinstance(summary, float) and round(summary, 4) == 0.3231


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["alpha_DCG.10,alpha=2"],
            "-m alpha_DCG.…: found alpha=2, expected the penalty for a repeated subtopic",
        ),
        (["NRBP.10"], "-m NRBP.10: takes no cutoff, expected alpha=number, beta=number"),
        (["NRBP.gamma=1"], "-m NRBP.gamma=1: found setting 'gamma', expected alpha or beta"),
        (["map"], "map: needs -R qrels, but the judgements are read with -R subtopics"),
    ],
)
def test_bad_parameters(texts: Sequence[str], message: str) -> None:
    with pytest.raises(MeasureError) as raised:
        select(texts, relevance=RelevanceInfo.SUBTOPICS)
    assert message in str(raised.value)


def test_cutoffs_are_limited(tmp_path: Path) -> None:
    judgements, run = made(1)
    with pytest.raises(
        MeasureError, match=f"found cutoff {HIGHEST_CUTOFF + 1}, expected at most {HIGHEST_CUTOFF}"
    ):
        evaluated(judgements, run, f"ERR_IA.{HIGHEST_CUTOFF + 1}", tmp_path)
    assert len(evaluated(judgements, run, f"alpha_nDCG.{2**63 - 1}", tmp_path).topics) == 8


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 1 d\n", "1: 3 columns, expected 4 (topic subtopic docno relevance)"),
        ("1 1 d x\n", "1: relevance 'x', expected an integer"),
        ("1 1 d 1\n1 1 d 0\n", "2: topic '1', judgement group '1': a second judgement of document 'd'"),
    ],
)
def test_bad_files(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "subtopics").write_text(lines)
    with pytest.raises(InputError) as raised:
        read_relevance(str(tmp_path / "subtopics"), "subtopics")
    assert message in str(raised.value)

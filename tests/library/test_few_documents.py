"""The short way for few documents gives the bits of the long one, and leaves to it what it does not know."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest
from fuzz import few_documents
from support.trials import ALL

import pres_eval as pe
from pres_eval import pytrec_eval
from pres_eval.batches import plain
from pres_eval.library import few, finding
from pres_eval.measures import measure_of
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import select
from pres_eval.ranking import order

QRELS = {"q1": {"a": 1, "b": 2, "c": 0, "d": -1}, "q2": {"a": 1}}
RUN = {"q1": {"x": 4.0, "a": 3.0, "d": 2.5, "c": 2.0, "b": 1.0}, "q2": {"b": 1.0, "a": 1.0}}


def both_ways(qrels: Any, run: Any, names: Any, level: int = 1) -> tuple[Any, Any, bool]:
    """The outcome of the short and of the long way, and whether the short one took the run."""
    short = pytrec_eval.RelevanceEvaluator(qrels, names, level)
    long = pytrec_eval.RelevanceEvaluator(qrels, names, level)
    vars(long)["_few"] = None
    taken = short._few is not None and short._few.values(run) is not None
    return few_documents.outcome(short, run), few_documents.outcome(long, run), taken


@pytest.mark.parametrize("seed", range(0, 400, 8))
def test_random_cases(seed: int) -> None:
    for number in range(seed, seed + 8):
        assert few_documents.compare(number)[1] == ""


def test_most_random_cases_are_short() -> None:
    assert sum(few_documents.compare(seed)[0] for seed in range(200)) > 60


@pytest.mark.parametrize("name", few_documents.NAMES)
@pytest.mark.parametrize("level", [1, 2])
def test_every_measure_that_has_a_plain_function(name: str, level: int) -> None:
    rng = random.Random(name)
    cutoffs = isinstance(measure_of(name).parameters, Cutoffs)
    names = [name, f"{name}.1,2,3,7"] if cutoffs else [name]
    for _ in range(50 if ALL else 20):
        judged, run = few_documents.judgements(rng), few_documents.run(rng)
        short, long, _ = both_ways(judged, run, names, level)
        assert short == long
    short, long, taken = both_ways(QRELS, RUN, names, level)
    assert taken and short == long


def test_the_tie_rule() -> None:
    """Equal scores go by docno, the highest first; so do scores that are equal in 32 bits."""
    for scores in ((1.0, 1.0), (16777217.0, 16777216.0), (16777216.0, 16777217.0)):
        run = {"q2": dict(zip("ba", scores, strict=True))}
        short, long, taken = both_ways({"q2": {"a": 1, "b": 0}}, run, {"recip_rank"})
        assert taken and short == long == [("q2", [("recip_rank", struct.pack("d", 0.5))])]


@pytest.mark.parametrize(
    ("qrels", "run", "names"),
    [
        (QRELS, {"q1": {"a": "1.0"}}, {"map"}),
        (QRELS, {"q1": {"a": float("nan")}}, {"map"}),
        (QRELS, {"q1": {"a": None}}, {"map"}),
        (QRELS, {"q1": {"é": 1.0, "a": 1.0}}, {"map"}),
        (QRELS, {"q1": {1: 1.0, "a": 1.0}}, {"map"}),
        (QRELS, {b"q1": {"a": 1.0}}, {"map"}),
        (QRELS, {"q1": [("a", 1.0)]}, {"map"}),
        ({"q1": {"a": True}}, {"q1": {"a": 1.0}}, {"map"}),
        ({"q1": {"a": 1 << 40}}, {"q1": {"a": 1.0}}, {"ndcg"}),
        (QRELS, {"q1": {f"d{number}": -number for number in range(order.MOST_FEW_ROWS + 1)}}, {"map"}),
    ],
)
def test_left_to_the_long_way(qrels: Any, run: Any, names: Any) -> None:
    short, long, taken = both_ways(qrels, run, names)
    assert not taken or type(qrels["q1"]["a"]) is not int or qrels["q1"]["a"] > 1 << 31
    assert short == long


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("names", [{"set_F", "map"}, {"ndcg.1=3", "map"}, {"PRES.2,5", "P@2"}, None])
def test_columns_without_a_plain_function_stand_beside_others(names: Any, level: int) -> None:
    """They are computed from a batch of the same topics; keys stay in order."""
    names = names or pytrec_eval.supported_measures
    rng = random.Random(level)
    for _ in range(12):
        judged, run = few_documents.judgements(rng), few_documents.run(rng)
        short, long, _ = both_ways(judged, run, names, level)
        assert short == long
    short, long, taken = both_ways(QRELS, RUN, names, level)
    assert taken and short == long


@pytest.mark.parametrize("name", ["map(rel=2)", "map(judged_only=True)", "map(bound=least)", "ndcg.1=3"])
def test_views_have_no_plain_function(name: str) -> None:
    assert [column.plain for column in select([name])] == [None]
    assert [column.plain for column in select(["map"])] == [measure_of("map").plain]


def test_judged_documents_only() -> None:
    found = pytrec_eval.RelevanceEvaluator(QRELS, {"recip_rank"}, judged_docs_only_flag=True).evaluate(RUN)
    assert found["q1"]["recip_rank"] == 1.0


def test_judgements_are_copied_and_many_are_kept_as_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens to the caller's dict afterwards changes nothing, on either way."""
    for most in (few.MOST_JUDGED, 1):
        monkeypatch.setattr(few, "MOST_JUDGED", most)
        own = {topic: dict(documents) for topic, documents in QRELS.items()}
        evaluator = pytrec_eval.RelevanceEvaluator(own, {"map", "ndcg", "bpref"})
        assert evaluator._few is not None and evaluator._few.values(RUN) is not None
        before = evaluator.evaluate(RUN)
        own["q1"]["x"] = 2
        own.pop("q2")
        assert evaluator.evaluate(RUN) == before
        assert evaluator.evaluate({"q3": {"a": 1.0}}) == {}


def test_fifty_topics_of_a_hundred_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few, "MOST_FEW_ROWS", 5000)
    rng = random.Random(50)
    judged = {f"q{topic}": {f"d{number}": rng.randint(0, 2) for number in range(100)} for topic in range(50)}
    for rank in (sorted, lambda ids: rng.sample(ids, len(ids))):
        scores = {document: -number / 7 for number, document in enumerate(judged["q0"])}
        run = {topic: {one: scores[one] for one in rank(list(scores))} for topic in judged}
        short, long, taken = both_ways(judged, run, {"map", "ndcg_cut.10", "recip_rank"})
        assert taken and short == long
    monkeypatch.setattr(few, "MOST_FEW_ROWS", 4999)
    assert not both_ways(judged, run, {"map", "ndcg_cut.10", "recip_rank"})[2]


@pytest.mark.parametrize("many", [0, 3000])
def test_ids_of_two_types(many: int) -> None:
    """The short way took the id 7 for an unjudged document where "7" is judged; so did the long one."""
    evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1, "7": 1}}, {"map"})
    texts: dict[Any, float] = {f"d{number}": -float(number) for number in range(1, many + 2)}
    joined: dict[Any, float] = {**texts, 7: 2.0}
    assert evaluator.evaluate({"q1": joined}) == {"q1": {"map": 1.0}}
    for odd in (7, b"a"):
        mixed: dict[Any, float] = {"x": 1.0, odd: 2.0, **texts}
        with pytest.raises(TypeError, match=r"among texts, expected texts alone"):
            evaluator.evaluate({"q1": mixed})


def random_dict(rng: random.Random, most_documents: int, scores: str) -> dict[str, dict[str, float]]:
    """Return a run of up to seven topics: scores that fall, in any order, or with ties in 32 bits."""
    run = {}
    for topic in rng.sample(range(9), rng.randint(1, 7)):
        documents = rng.sample(range(300), rng.randint(1, most_documents))
        values = [rng.random() for _ in documents]
        if scores == "ties":
            values = [rng.choice((16777216.0, 16777217.0, 2.0, rng.random())) for _ in documents]
        if scores == "falling":
            values.sort(reverse=True)
        run[f"t{topic}"] = {f"d{document}": value for document, value in zip(documents, values, strict=True)}
    return run


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
@pytest.mark.parametrize("scores", ["falling", "any order", "ties"])
@pytest.mark.parametrize("share", [0.02, 0.9], ids=["few judged", "most judged"])
@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_each_way_to_rank_a_dict(
    scores: str, share: float, compat: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By plain Python, by the judged documents, by the retrieved ones: the bits are those of rows."""
    rng = random.Random(f"{scores}{share}")
    names = ["all_trec", "PRES"]
    for _ in range(8 if ALL else 3):
        documents = rng.sample(range(300), int(300 * share))
        qrels = pe.Qrels(
            {f"t{topic}": {f"d{one}": rng.randint(0, 2) for one in documents} for topic in range(8)}
        )
        run = random_dict(rng, 60, scores)
        rows = [(topic, one, score) for topic, ranking in run.items() for one, score in ranking.items()]
        if not run.keys() & set(qrels.topics):
            continue
        most_retrieved = rng.choice((None, 0, 7))
        ranked_rows = qrels.rank(rows, compat=compat, max_retrieved=most_retrieved)
        expected = _in_all_orders_of_ties(ranked_rows, names)
        for most_rows in (order.MOST_FEW_ROWS, 0):
            monkeypatch.setattr(finding, "MOST_FEW_ROWS", most_rows)
            for most_topics in (plain.MOST_PLAIN_TOPICS, 0):
                monkeypatch.setattr(plain, "MOST_PLAIN_TOPICS", most_topics)
                ranked_dict = qrels.rank(run, compat=compat, max_retrieved=most_retrieved)
                assert _in_all_orders_of_ties(ranked_dict, names) == expected
        monkeypatch.undo()


def _in_all_orders_of_ties(ranked: pe.Run, names: list[str]) -> list[bytes]:
    """Return trec_eval's lines of a run for each value of --ties."""
    all_ties: tuple[Any, ...] = ("docno", "expected", "best", "worst")
    return [ranked.evaluate(names, ties=ties).to_trec(True) for ties in all_ties]


@pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
def test_a_tie_beyond_rank_127_in_one_of_many_topics() -> None:
    """Ranks are kept in one byte as long as they fit; the topics without ties are ranked without this one."""
    run = {f"t{topic}": {f"d{rank}": -float(rank) for rank in range(400)} for topic in range(5)}
    run["t3"].update({f"d{rank}": -120.0 for rank in range(120, 140)})
    judged = {topic: {"d121": 1, "d5": 1} for topic in run} | {"t3": {"d121": 1, "d139": 1, "d5": 1}}
    qrels = pe.Qrels({"a topic that the run lacks": {"d1": 1, "d7": 0}} | judged)
    rows = [(topic, one, score) for topic, ranking in run.items() for one, score in ranking.items()]
    names = ["recip_rank", "num_rel_ret", "map", "P.125,130,140"]
    ranked = qrels.rank(run)
    assert ranked.ranking.rank.tolist()[6:9] == [6, 121, 139]
    assert _in_all_orders_of_ties(ranked, names) == _in_all_orders_of_ties(qrels.rank(rows), names)


def test_what_happens_to_a_dict_after_it_was_ranked_changes_nothing() -> None:
    run = {"q1": {"a": 2.0, "b": 1.0}}
    ranked = pe.Qrels({"q1": {"b": 1}}).rank(run)
    run["q1"]["b"] = 3.0
    assert ranked.evaluate("recip_rank")["recip_rank"] == 0.5

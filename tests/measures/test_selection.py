"""From -m texts to columns: names, parameters, nicknames, print order, and what is wrong with them."""

from __future__ import annotations

from itertools import permutations

import pytest

from pres_eval.errors import MeasureError
from pres_eval.measures import MEASURE_BY_NAME, MEASURES, NICKNAMES
from pres_eval.measures.selection import read_measure_texts, select
from pres_eval.options import RelevanceInfo

EXPECTED_OFFICIAL = [
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    *(f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
]


def labels(*texts: str, **options: object) -> list[str]:
    return [column.label for column in select(texts, **options)]  # type: ignore[arg-type]


def test_nothing_chosen_is_the_official_measures_and_pres() -> None:
    assert labels() == [*EXPECTED_OFFICIAL, "PRES_100", "PRES_1000"]
    assert labels("official") == EXPECTED_OFFICIAL


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_nmax_fills_in_for_pres_alone(compat: str) -> None:
    assert labels(compat=compat, nmax=(5, 7))[-2:] == ["PRES_5", "PRES_7"]
    chosen = labels("PRES", "PRES_est", "P.3", "Rnorm", compat=compat, nmax=(5,))
    assert chosen == ["P_3", "PRES_5", "PRES_est_5", "Rnorm"]
    assert labels("PRES.9", compat=compat, nmax=(5,)) == ["PRES_9"]


@pytest.mark.parametrize("order", list(permutations(["map", "P.5", "PRES.10", "num_q"])))
def test_print_order_is_that_of_the_registry(order: tuple[str, ...]) -> None:
    assert labels(*order) == ["num_q", "map", "P_5", "PRES_10"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["P.5", "P.10"], ["P_5", "P_10"]),
        (["P.5,5", "P.5"], ["P_5"]),
        (["P", "P.7"], ["P_7"]),
        (["map", "map"], ["map"]),
        (["iprec_at_recall..5,.25"], ["iprec_at_recall_0.25", "iprec_at_recall_0.50"]),
        (["set_F.0.5", "set_F.2"], ["set_F_0.5", "set_F_2"]),
        (["ndcg.1=2,2=3"], ["ndcg_1=2,2=3"]),
        (["Rnorm", "Rnorm.10"], ["Rnorm_10"]),
        (["official", "P.3"], [name for name in EXPECTED_OFFICIAL if not name.startswith("P_")] + ["P_3"]),
        (["ndcg_cut.23.4"], ["ndcg_cut_23"]),
    ],
)
def test_parameters_are_united(texts: list[str], expected: list[str]) -> None:
    assert labels(*texts) == expected


@pytest.mark.parametrize("compat", NICKNAMES)
def test_nicknames_name_measures_that_are_there(compat: str) -> None:
    for nickname, members in NICKNAMES[compat].items():
        assert len(set(members)) == len(members)
        assert set(members) <= set(MEASURE_BY_NAME), nickname
        assert set(read_measure_texts([nickname], compat)) == set(members)
        assert nickname not in MEASURE_BY_NAME


def test_what_10_0_has_more() -> None:
    more = set(labels("all_trec", compat="10.0")) - set(labels("all_trec", compat="9.0.8"))
    assert {name for name in more if not name.startswith("unj_")} == {"rbp", "rbp_resid"}
    assert labels("rbp", "unj.5", "dcg") == ["dcg", "rbp", "unj_5"], "under 9.0.8 -m has them too"


def test_every_measure_has_a_name_of_its_own_and_can_be_chosen() -> None:
    assert len(MEASURE_BY_NAME) == len(MEASURES)
    for measure in MEASURES:
        relevance = RelevanceInfo.QRELS if measure.relevance is RelevanceInfo.ANY else measure.relevance
        columns = select([measure.name], relevance=relevance)
        assert {column.measure for column in columns} == {measure}
        assert len({column.label for column in columns}) == len(columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mapp", "-m mapp: no such measure; did you mean map or gm_map or set_map?"),
        ("Pres", "-m Pres: no such measure; did you mean pres or PRES or prefs?"),
        ("pres@10", "-m pres@10: no such measure; did you mean"),
        ("ndgc_cut", "-m ndgc_cut: no such measure; did you mean ndcg_cut"),
        ("xyz", "-m xyz: no such measure; `pres-eval measures` lists them all"),
        ("", "-m : no such measure; `pres-eval measures` lists them all"),
        ("P.", "-m P.: nothing after the dot, expected parameters of P"),
        ("P.abc", "found 'abc', expected a whole number of at least 1"),
        ("P.0", "found '0', expected a whole number of at least 1"),
        ("P.-5", "found '-5', expected a whole number of at least 1"),
        ("P.5,,7", "found '', expected a whole number of at least 1"),
        ("iprec_at_recall.x", "found 'x', expected a number"),
        ("utility.1,2", "-m utility.1,2: 2 numbers, expected 4"),
        ("ndcg.1", "-m ndcg.1: found '1', expected key=number"),
        ("ndcg.1=2=3", "-m ndcg.1=2=3: found '1=2=3', expected key=number"),
        ("Fprime.-1,5", "found '-1', expected β, a number of at least 0"),
        ("map_avgjg", "map_avgjg: needs -R qrels_jg, but the judgements are read with -R qrels"),
        ("prefs_simp", "prefs_simp: needs -R prefs or -R qrels_prefs, but the judgements are read with"),
        (
            "all_prefs",
            "prefs_num_prefs_poss, prefs_num_prefs_ful, prefs_num_prefs_ful_ret, prefs_simp and 10 more:",
        ),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        select([text])
    assert message in str(caught.value)
    assert caught.value.exit_code == 1


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(MeasureError) as caught:
        select(["mapp", "P.x", "map", "prefs_simp", "Rprec@5", "recall."])
    problems = str(caught.value).split("; ")
    assert [problem.split(":")[0] for problem in problems if "did you mean" not in problem] == [
        *("-m mapp", "-m Rprec@5", "-m recall.", "-m P.…", "prefs_simp")
    ]


@pytest.mark.parametrize("relevance", [RelevanceInfo.QRELS_JG, RelevanceInfo.PREFS])
def test_measures_of_any_format(relevance: RelevanceInfo) -> None:
    assert labels("runid", "num_q", relevance=relevance) == ["runid", "num_q"]
    with pytest.raises(
        MeasureError, match=f"map: needs -R qrels, but the judgements are read with {relevance.value}"
    ):
        labels("map", relevance=relevance)

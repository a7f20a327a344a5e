"""From -m texts to columns: names, parameters, nicknames, print order, and what is wrong with them."""

from __future__ import annotations

import importlib
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import pres_eval as pe
from pres_eval import measures
from pres_eval.errors import MeasureError
from pres_eval.measures import HOME, MEASURES, NICKNAMES, measure_of
from pres_eval.measures.base import Measure, Totals, geometric_mean, mean
from pres_eval.measures.selection import labels_of, named_measures, select
from pres_eval.options import VERSIONS, Options, RelevanceInfo

EXPECTED_OFFICIAL = [
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    *(f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
]


def labels(*texts: str, compat: str = "9.0.8", **options: Any) -> list[str]:
    return [column.label for column in select(texts, Options(compat), **options)]


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
        (["ndcg_cut.10,23.4"], ["ndcg_cut_10", "ndcg_cut_23"]),
    ],
)
def test_parameters_are_united(texts: list[str], expected: list[str]) -> None:
    assert labels(*texts) == expected


def test_every_record_is_at_home() -> None:
    """HOME names each measure's module, and no module has a record that HOME lacks."""
    records = {}
    for path in Path(measures.__file__).parent.glob("*.py"):
        module = (
            importlib.import_module(f"pres_eval.measures.{path.stem}")
            if path.stem != "__init__"
            else measures
        )
        for value in vars(module).values():
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Measure):
                    records[one.name] = one
    assert set(records) == set(HOME)
    for name, home in HOME.items():
        assert measure_of(name) is records[name]
        assert records[name].score.__module__.startswith("pres_eval.measures.")
        assert name in {one.name for one in MEASURES}, home


@pytest.mark.parametrize("compat", NICKNAMES)
def test_nicknames_name_measures_that_are_there(compat: str) -> None:
    for nickname, members in NICKNAMES[compat].items():
        assert len(set(members)) == len(members)
        assert set(members) <= set(HOME), nickname
        found = named_measures([nickname], VERSIONS[compat])
        assert {measure.name for measure in found} == set(members)
        assert nickname not in HOME


def test_what_10_0_has_more() -> None:
    more = set(labels("all_trec", compat="10.0")) - set(labels("all_trec", compat="9.0.8"))
    assert {name for name in more if not name.startswith("unj_")} == {"rbp", "rbp_resid"}
    assert labels("rbp", "unj.5", "dcg") == ["dcg", "rbp", "unj_5"], "under 9.0.8 -m has them too"


def test_every_measure_has_a_name_of_its_own_and_can_be_chosen() -> None:
    assert len(HOME) == len(MEASURES)
    for measure in MEASURES:
        relevance = RelevanceInfo.QRELS if measure.relevance is RelevanceInfo.ANY else measure.relevance
        columns = select([measure.name], relevance=relevance)
        assert {column.measure for column in columns} == {measure}
        assert len({column.label for column in columns}) == len(columns)


def test_a_module_that_cannot_be_imported_says_why() -> None:
    message = r"^-m no_such_module:X: cannot be imported \(ModuleNotFoundError: "
    with pytest.raises(MeasureError, match=message):
        select(["no_such_module:X"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mapp", "-m mapp: no such measure; did you mean map or gmap"),
        ("Pres", "-m Pres: expected PRES (the measure) or pres (a nickname)"),
        (
            "pres.100",
            "-m pres.100: pres is a nickname for PRES, PRES_est, Rnorm, Fprime and takes no parameters;",
        ),
        ("pres.100", "did you mean PRES.100?"),
        ("extended.5", "-m extended.5: extended is a nickname for"),
        ("map_foo", "-m map_foo: no such measure; did you mean"),
        ("P_x", "-m P_x: no such measure; did you mean"),
        ("P_5,x", "-m P_5,x: no such measure"),
        ("map_5", "-m map_5: no such measure; did you mean"),
        (
            "ndcg_cut(rel=2)",
            "-m ndcg_cut(rel=2): ndcg_cut does not depend on the relevance level, found rel=2",
        ),
        ("num_q(rel=2)", "num_q does not depend on the relevance level"),
        ("meanap", "did you mean"),
        ("hitrate@10", "did you mean hit_rate"),
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
        ("recall_at_percent.0", "found '0', expected a percentage above 0 and up to 100"),
        ("sdcg.10,min_rel=3,max_rel=1", "-m sdcg.10,min_rel=3,max_rel=1: expected min_rel below max_rel"),
        ("sdcg.10,min_rel=1,max_rel=1", "-m sdcg.10,min_rel=1,max_rel=1: expected min_rel below max_rel"),
        ("err.max_rel=0", "found max_rel=0, expected the highest grade of the scale"),
        ("err.max_rel=4.5", "found max_rel=4.5, expected the highest grade of the scale"),
        ("err.max_rel=5,10", "found a rank behind a setting, expected ranks first"),
        ("err.rel=5", "found setting 'rel', expected max_rel"),
        ("err.0", "found '0', expected a whole number of at least 1"),
        ("err_5,10", "no such measure"),
        ("ndcg_gain_cut.10,1=2,1=3", "a grade with two gains, expected each grade once"),
        ("ndcg_gain_cut.10,x=2", "found 'x=2', expected grade=gain"),
        ("set_F.0x1p99999", "-m set_F.…: found '0x1p99999', expected a number"),
        ("last_rel.5", "last_rel takes no parameters, found '5'"),
        ("gm_map@5", "-m gm_map@5: gm_map takes no cutoff, found @5"),
        ("nosuch(rel=2)@5", "-m nosuch(rel=2)@5: no such measure; `pres-eval measures` lists them all"),
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


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Pres.100", "PRES_100"),
        ("PRES_100", "PRES_100"),
        ("pres@100", "PRES_100"),
        ("pres_100", "PRES_100"),
        ("ndcg@10", "ndcg_cut_10"),
        ("NDCG_CUT.10", "ndcg_cut_10"),
        ("Ndcg_Cut_10", "ndcg_cut_10"),
        ("mrr", "recip_rank"),
        ("mrr@10", "recip_rank_cut_10"),
        ("MRR.10", "recip_rank_cut_10"),
        ("precision@10", "P_10"),
        ("precision", "set_P"),
        ("p@10", "P_10"),
        ("hit_rate@10", "success_10"),
        ("r-precision", "Rprec"),
        ("R-Precision", "Rprec"),
        ("f1@10", "F_cut_1_10"),
        ("recall@100", "recall_100"),
        ("ap", "map"),
        ("MAP@100", "map_cut_100"),
        ("map@100", "map_cut_100"),
        ("hole@10", "unj_10"),
        ("Judged", "judged_all"),
        ("nDCG(dcg='exp-log2')", "ndcg_exp_cut_all"),
        ("ERR", "err_all"),
    ],
)
def test_other_cases_and_other_tools_names(text: str, label: str) -> None:
    assert labels(text) == [label]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map,P.10", ["map", "P_10"]),
        ("AP nDCG@10", ["map", "ndcg_cut_10"]),
        ("P.5,10,map", ["map", "P_5", "P_10"]),
        ("P.5, 10, map", ["map", "P_5", "P_10"]),
        ("P_5,P_10, recall.10 ,PRES@7", ["P_5", "P_10", "recall_10", "PRES_7"]),
        ("11pt_avg,map", ["map", "11pt_avg"]),
        ("ndcg.1=2,2=3,map", ["map", "ndcg_1=2,2=3"]),
        ("P(rel=2)@5,nDCG(dcg='exp-log2')@5", ["P_5(rel=2)", "ndcg_exp_cut_5"]),
        ("F_cut.2,10,100,err.5", ["err_5", "F_cut_2_10", "F_cut_2_100"]),
        ("map.5,P.10", ["map"]),  # trec_eval: whatever follows the dot of map has no effect
    ],
)
def test_several_in_one_text(text: str, expected: list[str]) -> None:
    assert labels(text) == expected


@pytest.mark.parametrize("compat", VERSIONS)
def test_every_label_is_a_name(compat: str) -> None:
    options = Options(compat)
    texts = [
        "all_trec",
        "extended",
        "pres",
        "rbp.p=0.8",
        "rbp_binary.p=0.5,rel",
        "ndcg.1=2,2=3",
        "utility.1,2,3,4",
    ]
    texts = [text for text in texts if not text.endswith(",rel")] + [
        "rbp_binary.p=0.5",
        "judged.all",
        "set_F.0.5",
    ]
    texts += ["P(rel=2)@5", "map(rel=3)", "set_F_2.0(rel=2)", "RBP(p=0.5,rel=2)"]
    chosen = select(texts, options)
    assert len({column.label for column in chosen}) == len(chosen) > 100
    for column in chosen:
        again = {found.label: found for found in select([column.label], options)}
        assert again[column.label].arguments == column.arguments
        assert again[column.label].measure is column.measure
        assert again[column.label].view == column.view
        assert column.label in labels_of(column.label, options.version)


@pytest.mark.slow
@pytest.mark.parametrize("compat", VERSIONS)
def test_every_label_gives_its_value(compat: str) -> None:
    """Whatever is printed can be asked for by that name, alone, with the same value to the last bit."""
    qrels = pe.Qrels({str(topic): {"a": 1, "b": 2, "c": 0, "d": -1, "e": 1} for topic in range(1, 4)})
    documents = ("x", "b", "c", "y", "a", "d")
    run = {
        str(topic): {name: (7 * place * topic) % 5 for place, name in enumerate(documents)}
        for topic in (1, 2, 3)
    }
    ranked = qrels.rank(run, compat=compat)  # type: ignore[arg-type]
    every = ranked.evaluate(["all_trec", "extended", "pres", "readers", "screening"], num_docs=5000)
    assert len(every.summary) > 150
    for label, value in every.summary.items():
        again = ranked.evaluate(label, num_docs=5000).summary
        assert repr(again[label]) == repr(value), label


def test_a_level_of_its_own_is_in_the_label() -> None:
    assert labels("P(rel=2)@10") == ["P_10(rel=2)"]
    assert labels("AP(rel=2)", "map") == ["map(rel=2)", "map"]
    assert labels("AP(rel=1)") == ["map(rel=1)"]


def test_hexadecimal_parameters_are_numbers() -> None:
    """As C's atof reads them; atol reads the 0 before the x."""
    assert select(["set_F.0x2"])[0].arguments == ((2.0,),)
    assert select(["iprec_at_recall.0x1p-1"])[0].label == "iprec_at_recall_0.50"
    with pytest.raises(MeasureError, match="at least 1"):
        select(["P.0x10"])


@pytest.mark.parametrize("total", [0.0, -2.5])
def test_no_topics_leave_the_sum(total: float) -> None:
    """As trec_eval does, which divides only if there is something to divide by."""
    nothing = Totals(num_topics=0, num_scored=0, num_rel_in_qrels=0, complete=False)
    assert mean(total, nothing) == geometric_mean(total, nothing) == total


def test_cutoffs_of_several_texts_are_united_for_each_highest_grade() -> None:
    texts = ["err.20,all", "err.10,5,max_rel=5", "err.5", "err.max_rel=9", "err.20,max_rel=5"]
    assert [column.label for column in select(texts)] == [
        *("err_5", "err_20", "err_all"),
        *("err_5_max_rel=5", "err_10_max_rel=5", "err_20_max_rel=5"),
        *("err_5_max_rel=9", "err_10_max_rel=9", "err_20_max_rel=9"),
    ]
    assert labels_of("err_all_max_rel=5") == ("err_all_max_rel=5",)
    assert labels_of("err_20_max_rel=5") == ("err_20_max_rel=5",)

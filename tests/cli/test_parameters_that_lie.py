"""Parameters and inputs that were taken for something else without a word: what they get now."""

from __future__ import annotations

import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import MeasureError, PresEvalWarning
from pres_eval.measures.selection import select

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 bm25\nq1 Q0 d2 2 2.0 bm25\nq2 Q0 d3 1 2.0 bm25\nq2 Q0 d1 2 1.0 bm25\n"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    write(qrels=QRELS, run=RUN)
    return call


def write(**texts: str) -> None:
    """Write files into the current folder."""
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


WHOLE = "expected a whole number of at least 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PRES.1k", f"-m PRES.…: found '1k', {WHOLE}; did you mean PRES.1000?"),
        ("PRES.1e3", f"-m PRES.…: found '1e3', {WHOLE}; did you mean PRES.1000?"),
        ("PRES.1_000", f"-m PRES.…: found '1_000', {WHOLE}; did you mean PRES.1000?"),
        ("PRES.10.5", f"-m PRES.…: found '10.5', {WHOLE}; did you mean PRES.10?"),
        ("PRES@10.5", f"-m PRES.…: found '10.5', {WHOLE}; did you mean PRES.10?"),
        ("recall.50%", f"-m recall.…: found '50%', {WHOLE}; shares are for recall_at_percent and wss"),
        ("P.10-20", f"-m P.…: found '10-20', {WHOLE}; did you mean P.10,20?"),
        ("P.5e2", f"-m P.…: found '5e2', {WHOLE}; did you mean P.500?"),
        ("ndcg_cut.10.5", f"-m ndcg_cut.…: found '10.5', {WHOLE}; did you mean ndcg_cut.10?"),
        ("ndcg_cut.1.9,2.5", f"-m ndcg_cut.…: found '1.9', {WHOLE}; did you mean ndcg_cut.1?"),
        ("nDCG@10.5", f"-m ndcg_cut.…: found '10.5', {WHOLE}; did you mean ndcg_cut.10?"),
        ("P.10x", f"-m P.…: found '10x', {WHOLE}"),
        ("sdcg.1k,max_rel=3", f"-m sdcg.…: found '1k', {WHOLE}; did you mean sdcg.1000?"),
        ("Fprime.4,1k", f"-m Fprime.…: found '1k', {WHOLE}; did you mean Fprime.4,1000?"),
        ("Rnorm.1e3", f"-m Rnorm.…: found '1e3', {WHOLE}; did you mean Rnorm.1000?"),
        ("set_F.1%", "-m set_F.…: found '1%', expected a number"),
        ("set_F.2x", "-m set_F.…: found '2x', expected a number"),
        ("iprec_at_recall.0.5f", "-m iprec_at_recall.…: found '0.5f', expected a number"),
        ("rbp.p=0.8.1", "-m rbp.…: found '0.8.1', expected a number"),
        ("insq.T=2x", "-m insq.…: found '2x', expected a number"),
    ],
)
def test_a_parameter_that_is_no_number_is_an_error(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as raised:
        select([text])
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wss", "wss.0.95"),
        ("wss", "WSS@0.95"),
        ("wss", "wss.95,0.95"),
        ("recall_at_percent", "recall_at_percent.0.95"),
    ],
)
def test_a_share_below_1_percent_needs_its_sign(name: str, text: str) -> None:
    with pytest.raises(MeasureError) as raised:
        select([text])
    readings = f"did you mean {name}.95 or {name}.0.95%?"
    assert str(raised.value) == f"-m {name}.…: found '0.95', expected a percentage; {readings}"


@pytest.mark.parametrize(
    ("text", "found", "written"),
    [
        ("set_F.0,5", "2 numbers, expected 1", "0.5"),
        ("set_F.1,5", "2 numbers, expected 1", "1.5"),
        ("iprec_at_recall.0,5", "found 0 before 5, expected a number, or 0.0,5", "0.5"),
        ("iprec_at_recall.0.1,0,25", "found 0 before 25, expected a number, or 0.0,25", ""),
        ("iprec_at_recall.0,05", "found 0 before 05, expected a number, or 0.0,05", "0.05"),
        ("11pt_avg.0,5", "found 0 before 5, expected a number, or 0.0,5", "0.5"),
        ("Rprec_mult.0,5", "found 0 before 5, expected a number, or 0.0,5", "0.5"),
        ("wss.95,5", "found 5 behind 95, expected a percentage, or wss.5,95 for both", "95.5"),
        ("wss.95,5%", "found 5% behind 95, expected a percentage, or wss.5%,95 for both", "95.5%"),
        ("recall_at_percent.99,5", "found 5 behind 99, expected a percentage", "99.5"),
        ("F_cut.0,5,10", "found a β of 0", "F_cut.0.5,10, or F_cut.0.0,5,10 for a β of 0"),
        ("Fprime.0,5", "found a β of 0", "Fprime.0.5, or Fprime.0.0,5 for a β of 0"),
        ("utility.0,5,-1,0,0", "5 numbers, expected 4", "0.5"),
        ("bpm.10,T=1,5", "found a rank behind a setting, expected ranks first", "1.5"),
        ("sdcg.max_rel=1,5", "found a rank behind a setting, expected ranks first", "1.5"),
        ("compat.0,95", "found '0', expected a whole number", "0.95"),
    ],
)
def test_decimal_commas_of_parameters(text: str, found: str, written: str) -> None:
    with pytest.raises(MeasureError) as raised:
        select([text])
    message = str(raised.value)
    assert found in message
    assert not written or message.endswith(f"; is this a decimal comma? write {written}")
    assert message.count("decimal comma") == bool(written)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("P.5,10", ["P_5", "P_10"]),
        ("relative_P.1,5", ["relative_P_1", "relative_P_5"]),
        ("iprec_at_recall.0.1,0.5", ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]),
        ("iprec_at_recall.0,1", ["iprec_at_recall_0.00", "iprec_at_recall_1.00"]),
        ("iprec_at_recall.0.0,5", ["iprec_at_recall_0.00", "iprec_at_recall_5.00"]),
        ("Rprec_mult.0.5,1,2", ["Rprec_mult_0.50", "Rprec_mult_1.00", "Rprec_mult_2.00"]),
        ("wss.95,100", ["wss_95", "wss_100"]),
        ("wss.5,95", ["wss_5", "wss_95"]),
        ("recall_at_percent.50,20", ["recall_at_percent_20", "recall_at_percent_50"]),
        ("F_cut.0.0,5", ["F_cut_0_5"]),
        ("F_cut_0_5", ["F_cut_0_5"]),
        ("F_cut.2,10", ["F_cut_2_10"]),
        ("utility.1,0,0,0", ["utility_1,0,0,0"]),
    ],
)
def test_lists_are_still_lists(text: str, labels: list[str]) -> None:
    assert [column.label for column in select([text])] == labels


@pytest.mark.parametrize(
    ("text", "label", "share"),
    [
        ("wss.95", "wss_95", 95.0),
        ("wss.95%", "wss_95", 95.0),
        ("WSS@95%", "wss_95", 95.0),
        ("wss.0.95%", "wss_0.95%", 0.95),
        ("wss_0.95%", "wss_0.95%", 0.95),
        ("wss@0.95%", "wss_0.95%", 0.95),
        ("recall_at_percent.0.2%", "recall_at_percent_0.2%", 0.2),
        ("wss.1", "wss_1", 1.0),
    ],
)
def test_a_share_with_its_sign_is_taken_as_written(text: str, label: str, share: float) -> None:
    (column,) = select([text])
    assert (column.label, column.arguments) == (label, (share,))


def test_trec_evals_own_test_still_works() -> None:
    """Its Makefile asks for ndcg_cut.10,20,23.4, which prints ndcg_cut_23."""
    assert [column.label for column in select(["ndcg_cut.10,20,23.4"])][-1] == "ndcg_cut_23"


def test_a_point_in_a_single_cutoff_is_a_mistake() -> None:
    """Only at the end of a list is it taken as trec_eval takes it."""
    with pytest.raises(MeasureError, match=r"found '23\.4', expected a whole number of at least 1"):
        select(["ndcg_cut.23.4"])


NOTATIONS = {
    "punctuation": ("EP-1234567-A1", "EP1234567A1", "punctuation"),
    "other punctuation": ("EP-1234567-A1", "EP.1234567.A1", "punctuation"),
    "case": ("WSJ-1", "wsj-1", "case"),
    "leading zeros": ("WSJ-001", "WSJ-1", "leading zeros"),
    "numbers": ("001", "1.0", "'.0' at the end and leading zeros"),
    "chunks": ("d1", "d1#0", "the number of a chunk at the end"),
    "named chunks": ("d1", "d1_chunk_12", "the number of a chunk at the end"),
    "chunks by two numbers": ("d1", "d1_0_512", "the number of a chunk at the end"),
    "named chunks by two numbers": ("d1", "d1_passage_2:7", "the number of a chunk at the end"),
    "judged chunks": ("d1#3", "d1", "the number of a chunk at the end"),
    "judged chunks by two numbers": ("d1:0-512", "d1", "the number of a chunk at the end"),
    "chunks and case": ("d1", "D1#0", "case and the number of a chunk at the end"),
}
"""An id of the judgements, how the run has it, and what the message says has to be left out."""

PATTERNS = {
    "d1#0": r" '^(.*)#\d+$'",
    "d1_chunk_12": r" '^(.*)_chunk_\d+$'",
    "d1_0_512": r" '^(.*)_\d+_\d+$'",
    "d1_passage_2:7": r" '^(.*)_passage_\d+:\d+$'",
}
"""The patterns of --map-docs that the messages name."""


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("form", ["trec", "json"])
def test_ids_written_in_another_way_are_named(notation: str, form: str, call: Command) -> None:
    """Other ids match, so that map was lower without a word."""
    judged, ours, names = NOTATIONS[notation]
    write(qrels=f"q1 0 same 1\nq1 0 {judged} 1\n", run=f"q1 Q0 same 1 2 t\nq1 Q0 {ours} 2 1 t\n")
    if form == "json":
        write(run=f'{{"q1": {{"same": 2, "{ours}": 1}}}}')
    called = call("-m", "map", "qrels", "run")
    assert called.code == 0
    advice = f"; see --map-docs{PATTERNS.get(ours, '')}" if "chunk" in names else ""
    assert called.err.splitlines()[-1] == (
        "pres-eval: warning: run: of 2 rows looked at, 1 unjudged document would match judged ones without"
        f" {names} (the run has '{ours}', the qrels have '{judged}'{advice}) (pres-eval check shows more)"
    )
    checked = call("check", "qrels", "run").out
    assert f"they match without {names}" in checked
    assert f"'{ours}' of the run, '{judged}' of the qrels" in checked


def test_each_of_several_notations_is_named(call: Command) -> None:
    """2.8.0: the first that matched anything was named alone."""
    write(
        qrels="q1 0 same 1\nq1 0 EP-1-A 1\nq1 0 EP-2-A 1\nq1 0 d7 1\n",
        run="q1 Q0 same 1 4 t\nq1 Q0 EP1A 2 3 t\nq1 Q0 EP2A 2 2 t\nq1 Q0 d7#0 2 1 t\n",
    )
    assert (
        "of 4 rows looked at, 2 unjudged documents would match judged ones without punctuation (the run has"
        " 'EP1A', the qrels have 'EP-1-A'), 1 more without the number of a chunk at the end (the run has"
        " 'd7#0', the qrels have 'd7'; see --map-docs '^(.*)#\\d+$')"
    ) in call("-m", "map", "qrels", "run").err


def test_a_chunk_is_no_other_document_without_punctuation(call: Command) -> None:
    """2.11.0 named d13_2 beside the judged d132 first, though all others are chunks."""
    write(
        qrels="q1 0 d13 1\nq1 0 d132 1\nq1 0 d7 1\n",
        run="q1 Q0 d13_2 1 4 t\nq1 Q0 d7_0 2 3 t\nq1 Q0 d7_1 2 2 t\n",
    )
    assert (
        "of 3 rows looked at, 3 unjudged documents would match judged ones without the number of a chunk at"
        " the end (the run has 'd13_2', the qrels have 'd13'; see --map-docs '^(.*)_\\d+$')"
    ) in call("-m", "map", "qrels", "run").err


def test_more_than_a_thousand_rows_are_looked_at(call: Command) -> None:
    rows = [f"q1 Q0 x{place} {place} {9999 - place} t\n" for place in range(1, 2001)]
    write(qrels="q1 0 x1 1\nq1 0 EP-1-A 1\n", run="".join([*rows, "q1 Q0 EP1A 2001 1 t\n"]))
    err = call("-m", "map", "qrels", "run").err
    assert "of 2,001 rows looked at, 1 unjudged document would match judged ones without punctuation" in err


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("turned", [False, True], ids=["last", "first"])
def test_topics_without_a_judged_document_are_looked_at_wherever_they_are(
    turned: bool, jobs: str, call: Command
) -> None:
    """2.9.0: half of the topics were written otherwise, and only the first 4,096 rows were looked at."""
    topics = [*range(21, 41), *range(1, 21)] if turned else [*range(1, 41)]
    rows = [
        (topic, docno, 999 - place)
        for topic in topics
        for place, docno in enumerate([f"EP{topic}A1", *(f"x{topic}_{place}" for place in range(250))])
    ]
    write(
        qrels="".join(f"{topic} 0 {'EP%dA1' if topic <= 20 else 'EP-%d-A1'} 1\n" % topic for topic in topics),
        run="".join(f"{topic} Q0 {docno} 1 {score} t\n" for topic, docno, score in rows),
    )
    err = call("-m", "map", "--jobs", jobs, "qrels", "run").err
    looked = r"5,020 rows looked at, 20"
    assert re.search(rf"of {looked} unjudged documents would match judged ones without punctuation", err)
    checked = call("check", "qrels", "run").out
    assert "other-notation-of-docno (20)" in checked and "they match without punctuation" in checked


def anywhere(topics: int, native: int, written: int, place: int) -> tuple[str, str]:
    """Judgements and a run: from topic `native` on one of two judged ids is another one, at a rank."""
    qrels, run = "", ""
    for topic in range(topics):
        judged, other = f"EP-1{topic}-007A", (f"Ep1{topic}.7a", f"ep1{topic}7A")[written]
        qrels += f"{topic} 0 same{topic} 1\n{topic} 0 {judged} 1\n"
        ids = [f"same{topic}", *(f"x{topic}_{number}" for number in range(249))]
        ids.insert(place, judged if topic < native else other)
        run += "".join(f"{topic} Q0 {docno} 1 {999 - rank} t\n" for rank, docno in enumerate(ids))
    return qrels, run


@pytest.mark.parametrize("written", [0, 1])
@pytest.mark.parametrize(
    ("topics", "native", "place"), [(60, 30, 1), (60, 59, 100), (3, 0, 249), (100, 99, 22)]
)
def test_all_rows_are_looked_at(topics: int, native: int, place: int, written: int, call: Command) -> None:
    """Other topics, and other documents of the same topics, match as they are."""
    qrels, run = anywhere(topics, native, written, place)
    write(qrels=qrels, run=run)
    checked = call("check", "qrels", "run").out
    assert f"other-notation-of-docno ({topics - native})" in checked
    assert f"of the run, 'EP-1{native}-007A' of the qrels" in checked
    rows = 251 * (topics - native)
    told = f"of {rows:,} rows looked at, {topics - native} unjudged document"
    assert told in call("-m", "map", "qrels", "run").err
    write(qrels=qrels, run=run.replace("ep", "other").replace("Ep", "other"))
    assert "other-notation" not in call("check", "qrels", "run").out
    assert "would match" not in call("-m", "map", "qrels", "run").err


@pytest.mark.parametrize("cluster", [[], ["--cluster", "local:2"]])
def test_topics_all_over_a_large_run_are_looked_at(cluster: list[str], call: Command) -> None:
    """2.10.1: of a larger run the first rows alone, and topics of which no document matched at all."""
    qrels, run = anywhere(800, 790, 1, 5)
    write(qrels=qrels, run=run)
    assert len(run) > 3 << 20
    err = call("-m", "map", *cluster, "qrels", "run").err
    assert re.search(r"of [\d,]+ rows looked at, \d+ unjudged documents? would match .*'ep1790", err)


@pytest.mark.parametrize("judged", ["d1", "d1_chunk_7"])
def test_chunks_are_found_in_all_rows(judged: str, call: Command) -> None:
    """2.10.1: among the first 4,096 rows."""
    ours = "d1#0" if judged == "d1" else "d1"
    rows = [f"q1 Q0 x{place} 1 {9999 - place} t\n" for place in range(6000)]
    write(qrels=f"q1 0 x1 1\nq1 0 {judged} 1\n", run="".join([*rows, f"q1 Q0 {ours} 1 1 t\n"]))
    told = "without the number of a chunk at the end"
    assert f"of 6,001 rows looked at, 1 unjudged document would match judged ones {told}" in (
        call("-m", "map", "qrels", "run").err
    )
    assert f"they match {told}" in call("check", "qrels", "run").out


@pytest.mark.parametrize(("judged", "ours"), [("q-7", "q7"), ("007", "7"), ("Q7", "q7")])
def test_topics_written_in_another_way_are_named(judged: str, ours: str, call: Command) -> None:
    write(qrels=QRELS + f"{judged} 0 d1 1\n", run=RUN + f"{ours} Q0 d1 1 1 bm25\n")
    called = call("-m", "map", "qrels", "run")
    assert "run: 1 of the topics without judgements would match without" in called.err
    assert f"(the run has '{ours}', the qrels have '{judged}')" in called.err
    assert "they match without" in call("check", "qrels", "run").out


@pytest.mark.parametrize(
    ("judged", "ours"),
    [("31_1", "3_11"), ("FT911-3", "FT911-5"), ("d1", "d2"), ("d10", "d1"), ("--", "__"), ("a.5", "a.50")],
)
def test_other_documents_are_not_taken_for_the_same(judged: str, ours: str, call: Command) -> None:
    write(qrels=f"q1 0 same 1\nq1 0 {judged} 1\n", run=f"q1 Q0 same 1 2 t\nq1 Q0 {ours} 2 1 t\n")
    call.ok("-m", "map", "qrels", "run")


def test_what_is_retrieved_as_it_is_judged_is_no_other_notation(call: Command) -> None:
    """A run may have both, and a document may be judged for another topic."""
    write(qrels="q1 0 d1 1\nq1 0 d2 1\nq2 0 D2 1\n", run="q1 Q0 d1 1 2 t\nq1 Q0 D1 2 1 t\nq2 Q0 D2 1 1 t\n")
    assert "would match" not in call("-m", "map", "qrels", "run").err


RANKED = {"1": {"a": 0.9, "b": 0.5, "c": 0.1}}
GRADES = {"1": {"a": 1, "b": 0, "c": 2}}


@pytest.mark.parametrize("scores", [RANKED, {"1": {"a": 3.0, "b": 2.0}}])
@pytest.mark.filterwarnings("ignore:qrels. nothing is relevant")
def test_swapped_arguments_are_a_warning(scores: dict[str, dict[str, float]]) -> None:
    with pytest.warns(PresEvalWarning, match=r"were the two swapped\? the judgements come first"):
        pe.evaluate(scores, GRADES, "map")


@pytest.mark.parametrize(("qrels", "run"), [(GRADES, RANKED), (GRADES, GRADES), ({"1": {"a": 2.0}}, RANKED)])
def test_arguments_in_their_order_are_none(qrels: Any, run: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pe.evaluate(qrels, run, "map")
        pickle.loads(pickle.dumps(pe.Qrels(qrels))).rank(run).evaluate("map")


@pytest.mark.filterwarnings("ignore:run. ")
@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"1": {"zz": 1.0}}, r"no retrieved document is judged \(the run has 'zz', the qrels have 'a'\)"),
        ([("1", "zz", 1.0)], r"no retrieved document is judged \(the run has 'zz', the qrels have 'a'\)"),
        (
            {"1": {"A": 1.0}},
            r"of 1 row looked at, 1 unjudged document would match judged ones without case",
        ),
    ],
)
def test_nothing_judged_is_a_warning(run: Any, message: str) -> None:
    with pytest.warns(PresEvalWarning, match=message):
        pe.evaluate({"1": {"a": 1}}, run, "map")


def test_nothing_judged_among_numbers_is_a_warning() -> None:
    qrels = pe.Qrels([("1", "1700", 1)])
    ranked = qrels.rank_top_k(["1"], np.array([[4]]), np.array([[0.5]]))
    with pytest.warns(PresEvalWarning, match=r"no retrieved document is judged \(the qrels have '1700'\)"):
        ranked.evaluate("map")


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore\n", '"query-id"\t"corpus-id"\t"score"\n'])
def test_beir_without_a_header_loses_no_line(header: str, call: Command) -> None:
    write(qrels=header + "q1\td1\t1\nq1\td2\t1\n", run=header + "q1\td1\t0.5\nq1\td2\t0.4\n")
    out = call.ok("-R", "beir", "-T", "beir", "-m", "num_ret", "-m", "num_rel", "qrels", "run").out
    assert [line.split("\t")[2] for line in out.splitlines()] == ["2", "2"]


@pytest.mark.parametrize("name", ["qrels", "run"])
def test_a_first_line_that_is_no_header_is_an_error(name: str, call: Command) -> None:
    write(qrels="q1\td1\t1\n", run="q1\td1\t0.5\n")
    write(**{name: "the first line\n" + Path(name).read_text()})
    called = call("-R", "beir", "-T", "beir", "qrels", "run")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(f"pres-eval: {name}:1: ")
    assert called.err.endswith(", or the header query-id corpus-id score\n")


SAMPLED = "q1 0 d1 1 2\nq1 0 d2 0 1\nq1 0 d3 1 -1\n"


def test_sampled_judgements_are_not_sent_to_prefs(call: Command) -> None:
    write(qrels=SAMPLED)
    called = call("qrels", "run")
    assert called.code == 2 and "prefs" not in called.err
    assert "this looks like sampled judgements" in called.err
    assert called.err.endswith("(topic iteration docno stratum relevance): read them with -R strata\n")


def test_zeros_of_preferences_are_not_silent(call: Command) -> None:
    write(qrels=SAMPLED)
    called = call("-R", "prefs", "-m", "prefs_simp", "qrels", "run")
    assert "run: no retrieved document is judged (the run has 'd1', the qrels have '1')" in called.err


@pytest.mark.parametrize("option", ["--groups", "--weights", "--map-docs", "--exclude", "--expect"])
@pytest.mark.parametrize("ends", ["\n", ""])
def test_lines_of_other_files_have_the_same_limit(option: str, ends: str, call: Command) -> None:
    """2.8.0: a line of 1.2 MB was a group's name, and as CSV a traceback."""
    write(long=f"q1\tmap\t{'x' * (1 << 20)}{ends}")
    called = call("-m", "map", option, "long", "qrels", "run")
    assert called.code == 2
    assert called.err == "pres-eval: long:1: a line of more than 1,048,576 bytes, expected lines of text\n"


def test_a_long_field_of_groups_is_no_traceback(call: Command) -> None:
    write(groups=f"topic,group\nq1,{'x' * 200_000}\nq2,b\n")
    called = call("-m", "map", "--groups", "groups", "qrels", "run")
    assert called.code == 2
    assert called.err.startswith(
        "pres-eval: groups:2: field larger than field limit (131072), expected lines of topic group"
    )


def test_tables_as_csv_have_no_nan(call: Command) -> None:
    """2.8.0: nan, where JSON has null; a field without a number is empty."""
    write(equal="q1 Q0 d1 1 3.0 e\nq2 Q0 d1 1 3.0 e\n", other=RUN.replace("bm25", "other"))
    for command in (["agreement", "-m", "map", "-m", "P.1"], ["compare", "-m", "recip_rank"]):
        out = call(*command, "qrels", "run", "equal", "other", "--format", "csv").out
        assert ",," in out and "nan" not in out


def test_sampled_judgements_are_no_preferences(call: Command) -> None:
    """2.8.0: -R prefs took strata for docnos, and printed zeros without a word where these are numbers."""
    write(
        sampled="q1 0 1 1 1\nq1 0 2 2 0\nq2 0 1 2 1\n",
        numbers="q1 Q0 1 1 2 t\nq1 Q0 2 2 1 t\nq2 Q0 1 1 1 t\n",
        preferred="q1 0 s 1 1\nq1 0 s 2 0\nq2 0 s 1 1\n",
    )
    assert "this looks like sampled judgements" in call("sampled", "numbers").err
    assert "read them with -R strata" in call("sampled", "numbers").err
    called = call("-R", "prefs", "-m", "prefs_simp", "sampled", "numbers")
    assert called.code == 0
    assert "sampled: no document is preferred to another, as none shares its subgroup" in called.err
    assert "-R strata" in called.err
    assert call.ok("-R", "prefs", "-m", "prefs_simp", "preferred", "numbers").out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("map.10", "map takes no parameters and ignores these; did you mean map_cut.10?"),
        ("map.foo", "map takes no parameters and ignores these\n"),
        ("recip_rank.10", "did you mean recip_rank_cut.10?"),
        ("gm_map.0,1", "gm_map takes no parameters"),
        ("infAP.3", "infAP takes no parameters"),
    ],
)
def test_parameters_without_effect_are_named(text: str, words: str, call: Command) -> None:
    """2.12.0: they were ignored without a word; trec_eval ignores them, so the bytes stay."""
    called = call("-m", text, "qrels", "run")
    assert called.code == 0 and words in called.err
    assert called.out == call.ok("-m", text.partition(".")[0], "qrels", "run").out
    assert call("--quiet", "-m", text, "qrels", "run").err == ""


@pytest.mark.parametrize(
    "options",
    [
        *(["-M", "1_0"], ["-N", "1_0"], ["-M", "٣"], ["-l", "１"], ["--nmax", "١٠"]),
        *(["--jobs", "1_0"], ["--digits", "٣"]),
    ],
)
def test_numbers_are_written_in_plain_digits(options: list[str], call: Command) -> None:
    """2.12.0 read them as Python does: 10 and 3."""
    called = call("-m", "map", *options, "qrels", "run")
    assert called.code == 1 and f"{options[0]}: found" in called.err


@pytest.mark.parametrize("end", ["", "\n"])
def test_one_record_of_json_lines_needs_no_newline(end: str, call: Command) -> None:
    write(one='{"query_id": "q1", "doc_id": "d1", "score": 3}' + end)
    called = call("-m", "num_ret", "qrels", "one")
    assert (called.code, called.out.split()) == (0, ["num_ret", "all", "1"])
    assert "one: read as JSON Lines" in called.err


@pytest.mark.parametrize("kind", ["relevant", "precision-recall", "roc"])
def test_figures_of_no_common_topic_are_an_error(kind: str, call: Command) -> None:
    """2.12.0 printed an area of 0.5 for it."""
    write(far="q77 Q0 d1 1 3.0 far\n")
    called = call("figures", kind, "-N", "100", "qrels", "far")
    assert called.code == 7 and "no topic" in called.err and not called.out

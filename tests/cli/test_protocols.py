"""--protocol NAME sets what the papers of a track do, and lets what the user gives win."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.measures.protocols import PROTOCOLS

BY_HAND = {
    "trec-dl": "-c -l 2 -m ndcg_cut.10 -m recip_rank -m map -m map_cut.100 -m recall.100,1000",
    "msmarco": "-c -m recip_rank_cut.10 -m recall.100,1000",
    "beir": "-c -m ndcg_cut.10 -m recall.100",
    "robust04": "-c -M 1000 -m map -m gm_map -m P.10,20,30 -m ndcg_cut.20",
    "clef-ip": "-c -M 1000 -m PRES.100,1000 -m recall.100,1000 -m map",
    "trec-covid": "-c -M 1000 -m ndcg_cut.10,20 -m P.5,20 -m bpref -m map",
    "total-recall": "-c -m recall_at.1R+0,1R+100,1R+1000,2R+0,2R+100,2R+1000,4R+0,4R+100,4R+1000",
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_its_options_typed_by_hand(name: str, call: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"  # which lacks topics, so that -c shows
    run.write_text("".join(Path(RUNS[1]).read_text().splitlines(keepends=True)[:700]))
    by_hand = call("-q", *BY_HAND[name].split(), QRELS, run)
    called = call("--protocol", name, "-q", QRELS, run)
    assert called.out == by_hand.out != ""
    assert called.err == f"pres-eval: note: --protocol {name}: {BY_HAND[name]}\n" + by_hand.err
    without = call("-q", *BY_HAND[name].split()[1:], QRELS, run)
    assert without.out != by_hand.out


@pytest.mark.parametrize(
    ("command", "measures"),
    [
        ("-l 2 -m recip_rank", "recip_rank"),  # as pyserini's pages evaluate DL 2019 passages
        ("-l 2 -m map", "map"),
        ("-m ndcg_cut.10", "ndcg_cut_10"),
        ("-l 2 -m recall.1000", "recall_1000"),
    ],
)
def test_one_call_gives_the_numbers_of_several_commands_for_trec_dl(
    command: str, measures: str, call: Command
) -> None:
    once = call("--protocol", "trec-dl", "--quiet", QRELS, RUNS[0]).out
    alone = call("-c", "--quiet", *command.split(), QRELS, RUNS[0]).out
    assert alone in once and alone.startswith(measures)


def test_json_names_the_protocol(call: Command, tmp_path: Path) -> None:
    """And a gate compares with numbers of the same settings, however they were typed."""
    asked = ("--quiet", "--format", "json", QRELS, RUNS[0])
    called = call("--protocol", "beir", *asked)
    assert called.json["signature"]["rules"] == {"protocol": "beir"}
    by_hand = call(*BY_HAND["beir"].split(), *asked)
    assert "rules" not in by_hand.json["signature"]
    assert called.json["runs"] == by_hand.json["runs"]
    baseline = tmp_path / "baseline.json"
    baseline.write_text(called.out)
    other = ("--protocol", "msmarco", "-m", "ndcg_cut.10", "-m", "recall.100", "--against", baseline)
    assert call(*other, QRELS, RUNS[0]).code == 0


def test_average_precision_of_documents_for_trec_dl(call: Command) -> None:
    """As pyserini's pages evaluate DL's documents: -M 100 -m map."""
    value = call.ok("-c", "-M", "100", "-m", "map", QRELS, RUNS[0]).out.split("\t")[2]
    assert f"map_cut_100           \tall\t{value}" in call(
        "--protocol", "trec-dl", "-l", "1", QRELS, RUNS[0]
    ).out.splitlines(keepends=True)


def test_msmarco_is_recip_rank_of_the_first_ten(call: Command) -> None:
    value = call.ok("-c", "-M", "10", "-m", "recip_rank", QRELS, RUNS[0]).out.split("\t")[2]
    line = call("--protocol", "msmarco", QRELS, RUNS[0]).out.splitlines()[-1]
    assert line == f"recip_rank_cut_10     \tall\t{value.strip()}"


@pytest.mark.parametrize(
    ("given", "rest", "said"),
    [
        ("-m map", "-c -M 1000", "-c -M 1000; as you set it: -m"),
        ("-M 20", "-c -m P.5,20 -m bpref -m map -m ndcg_cut.10,20", "; as you set it: -M"),
        ("--topics own -m map", "-M 1000", "-M 1000; as you set it: --topics, -m"),
        ("-c -m map", "-c -M 1000", "-c -M 1000; as you set it: -m"),
    ],
)
def test_what_the_user_gives_wins_and_is_said(given: str, rest: str, said: str, call: Command) -> None:
    called = call("--protocol", "trec-covid", *given.split(), QRELS, RUNS[0])
    assert called.out == call.ok(*given.split(), *rest.split(), QRELS, RUNS[0]).out
    assert called.err.startswith("pres-eval: note: --protocol trec-covid: -")
    assert called.err.endswith(f"{said}\n")


@pytest.mark.parametrize(("name", "has"), [("compare", True), ("sweep", False), ("holes", False)])
def test_analyses_take_protocols(name: str, has: bool, call: Command) -> None:
    """Commands whose measures have cutoffs of their own take level, -M and -c alone."""
    called = call(name, "--protocol", "trec-dl", QRELS, *RUNS)
    options = BY_HAND["trec-dl"] if has else "-c -l 2"
    assert called.code == 0
    assert called.err.startswith(f"pres-eval: note: --protocol trec-dl: {options}\n")
    assert called.out == call(name, *options.split(), QRELS, *RUNS).out


def test_quiet_and_the_list(call: Command) -> None:
    assert call.ok("--protocol", "beir", "--quiet", QRELS, RUNS[0]).out.count("\n") == 2
    listed = call.ok("protocols").out
    assert [block.split("\n")[0] for block in listed.split("\n\n")] == list(PROTOCOLS)
    assert listed.count("  Source: ") == len(PROTOCOLS) == len(BY_HAND)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--protocol", "clef", QRELS, RUNS[0]),
            "--protocol 'clef': expected one of trec-dl, msmarco, beir, robust04, clef-ip, trec-covid,"
            " total-recall; did you mean clef-ip?",
        ),
        (
            ("--protocol", "beir", "--protocol", "clef-ip", QRELS, RUNS[0]),
            "--protocol: given twice, expected once",
        ),
        (
            ("compare", "--table", "means", "--table", "comparisons", QRELS, *RUNS),
            "--table: given twice, expected once",
        ),
        (
            ("compare", "--scores", "scores.csv", "--protocol", "beir"),
            "--protocol has no effect on --scores, whose runs are evaluated: leave it out",
        ),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str, call: Command) -> None:
    called = call("--quiet", *arguments) if arguments[0] != "compare" else call(*arguments, "--quiet")
    assert (called.code, called.out, called.err) == (1, "", f"pres-eval: {message}\n")

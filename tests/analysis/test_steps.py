"""`explain -m`: measures step by step have the evaluator's values, and every document that counts."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.steps import STEP_MAKERS

MEASURES = [
    "map",
    "map_cut.7",
    "P.7",
    "recall.7",
    "Rprec",
    "recip_rank",
    "recip_rank_cut.3",
    "ndcg",
    "ndcg_cut.7",
    "dcg",
    "dcg_cut.7",
    "rbp.p=0.8",
    "rbp_binary.p=0.8",
    "rbp_cut.7,p=0.7",
    "err.7",
    "bpref",
    "PRES.7",
]
GIVEN = [word for measure in MEASURES for word in ("-m", measure)]


def write_random_files(folder: Path, seed: int) -> tuple[Path, Path]:
    """Write judgements and a run of six topics with ties, unjudged documents and grades of -1 to 4."""
    chance = random.Random(seed)
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    judgements, lines = [], []
    for topic in "abcdef":
        documents = [f"d{number}" for number in range(20)]
        judgements += [
            f"{topic} 0 {docno} {chance.randint(-1, 4)}\n" for docno in chance.sample(documents, 9)
        ]
        judgements.append(f"{topic} 0 x 1\n")
        for docno in chance.sample(documents, chance.randint(1, 15)):
            lines.append(f"{topic} Q0 {docno} 0 {chance.randint(1, 9)} tag\n")
    qrels.write_text("".join(judgements))
    run.write_text("".join(lines))
    return qrels, run


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [(), ("-l", "2"), ("-M", "5"), ("-J",), ("-c", "--compat", "10.0")])
def test_values_are_the_evaluators(
    command: Command, tmp_path: Path, seed: int, options: tuple[str, ...]
) -> None:
    files = write_random_files(tmp_path, seed)
    explained = command.ok(
        "explain", *GIVEN, *options, "--table", "values", "--format", "csv", "--max", "0", *files
    )
    evaluated = command("--quiet", *GIVEN, *options, "-q", "-n", "--format", "csv", *files)
    columns = {row["topic"]: row for row in evaluated.rows}
    compared = 0
    for row in explained.rows:
        value = float(columns[row["topic"]][row["measure"]])
        assert math.isclose(float(row["value"]), value, rel_tol=1e-12, abs_tol=1e-15), row
        compared += 1
    assert compared == len(columns) * len(MEASURES)


def test_every_measure_is_tried() -> None:
    assert {measure.partition(".")[0] for measure in MEASURES} == set(STEP_MAKERS)


def test_steps_add_up_and_name_every_relevant_document(command: Command, tmp_path: Path) -> None:
    files = write_random_files(tmp_path, 1)
    rows = command.ok(
        "explain", "-m", "map", "--table", "steps", "--format", "csv", "--max", "0", *files
    ).rows
    for topic in {row["topic"] for row in rows}:
        steps = [row for row in rows if row["topic"] == topic]
        total = 0.0
        for step in steps:
            total += float(step["adds"])
            assert float(step["sum"]) == total
            if step["rank"]:
                number, _, rank = step["step"].partition(" / ")
                assert rank == step["rank"] and float(step["adds"]) == int(number) / int(rank)
            else:
                assert step["step"] == "not retrieved"
        judged = [line.split() for line in files[0].read_text().splitlines()]
        relevant = {docno for name, _, docno, grade in judged if name == topic and int(grade) > 0}
        assert {step["docno"] for step in steps} == relevant


def test_the_board_of_one_topic(command: Command) -> None:
    text = command.ok("explain", "-m", "map", "-m", "PRES.100", QRELS, RUNS[1], "PAC-1002").out
    assert "10      EP1975827A1  1        1 / 10         0.1000  0.1000" in text
    assert "map = 0.4945 / 7 = 0.0706" in text
    assert "PRES_100 = 1 - (375 / 7 - 8 / 2) / 100 = 0.5043" in text


def test_the_worst_topics_come_first(command: Command) -> None:
    text = command.ok("explain", "-m", "map", "--max", "2", QRELS, RUNS[1]).out
    titles = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("Topic ")]
    values = [
        float(row["map"])
        for row in command.ok("-m", "map", "-q", "-n", "--format", "csv", QRELS, RUNS[1]).rows
    ]
    assert titles == [round(value, 4) for value in sorted(values)[:2]]
    assert "10 more topics: name those to show, or --max 0 for all" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "infAP"), "-m infAP: not explained step by step, expected one of map, map_cut"),
        (("-m", "ndcg.1=2"), "explained with grades as gains alone"),
        (("-m", "rbp.p=0.8,1=2"), "explained with grades as gains alone"),
        (("-m", "map(judged_only=True)"), "explained without judged_only and bound"),
        (("-m", "map", "--plot", "x.svg"), "--plot draws PRES: leave out -m, or --plot"),
    ],
)
def test_what_cannot_be_explained(command: Command, arguments: tuple[str, ...], message: str) -> None:
    called = command("explain", *arguments, QRELS, RUNS[1])
    assert called.code == 1 and message in called.err and called.out == ""


def test_two_runs_are_one_too_many(command: Command) -> None:
    called = command("explain", "-m", "map", QRELS, RUNS[1], RUNS[0])
    assert called.code == 1 and "-m explains one run: leave out the second" in called.err


def test_latex_has_no_sign_that_pdflatex_lacks(command: Command) -> None:
    latex = command.ok("explain", "-m", "err.10", QRELS, RUNS[1], "PAC-1002", "--format", "latex").out
    assert r"$\Pi$" in latex and latex.isascii()


def test_measures_come_in_the_order_in_which_they_were_asked_for(command: Command) -> None:
    asked = ("-m", "err.5", "-m", "P.10,5", "-m", "map", "-m", "err.5", "-m", "PRES.7", "-m", "bpref")
    files = (QRELS, RUNS[1], "PAC-1002")
    rows = command.ok("explain", *asked, "--table", "values", "--format", "csv", *files).rows
    assert [row["measure"] for row in rows] == ["err_5", "P_5", "P_10", "map", "PRES_7", "bpref"]


def test_err_has_its_numbers_in_the_formula(command: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("t 0 a 1\nt 0 b 2\nt 0 c 4\n")
    run.write_text("".join(f"t Q0 {docno} 0 {9 - rank} r\n" for rank, docno in enumerate("abxc")))
    text = command.ok("explain", "-m", "err.3", qrels, run).out
    assert "R = (2^grade - 1) / 2^4,   4: the highest grade that there could be (max_rel)" in text
    assert "err_3 = 1/1 × 0.0625 × 1.0000 + 1/2 × 0.1875 × 0.9375 = 0.1504" in text


def test_the_level_of_relevance_is_said(command: Command) -> None:
    files = (QRELS, RUNS[1], "PAC-1002")
    words = "relevant: grade 2 or above"
    text = command.ok("explain", "-m", "map", "-m", "ndcg", "-l", "2", "--quiet", *files).out
    board_of_map, board_of_ndcg = text.split("ndcg ", 1)
    assert words in board_of_map and words not in board_of_ndcg, "ndcg has gains of all grades"
    assert words in command.ok("explain", "-l", "2", "--quiet", *files).out
    assert words in command.ok("explain", "-l", "2", "--quiet", QRELS, *RUNS[:2], "PAC-1002").out
    assert "or above" not in command.ok("explain", "-m", "map", *files).out

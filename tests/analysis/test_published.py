"""The numbers that the PRES papers print, through the public functions.

fixtures/published/table4.csv holds MAP, recall and PRES (Nmax = 1000) of the 48 runs of CLEF-IP 2009 over 400
topics, as printed in table 4 of Magdy & Jones, SIGIR 2010.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.commands import Command

from pres_eval.analysis.agreement import correlations, positions_by_measure
from pres_eval.analysis.correlation import kendall_tau_a
from pres_eval.analysis.explain import explain_topic
from pres_eval.analysis.score_tables import read_score_table

TABLE4 = Path(__file__).parents[2] / "fixtures" / "published" / "table4.csv"


def table4() -> dict[str, NDArray[Any]]:
    table = read_score_table(TABLE4.name, TABLE4.read_text())
    measures, scores = table.measures, table.means
    return dict(zip(measures, scores, strict=True))


def test_table4_is_whole() -> None:
    table = read_score_table(TABLE4.name, TABLE4.read_text())
    runs, measures, scores = table.runs, table.measures, table.means
    assert (runs[0], runs[-1], len(runs)) == ("R01", "R48", 48)
    assert measures == ("MAP", "recall", "PRES")
    assert scores[:, 20].tolist() == [0.266, 0.760, 0.691]
    assert np.all(scores[2] <= scores[1]), "PRES is recall at most"


@pytest.mark.parametrize(
    ("first", "second", "tau_a", "tau_b", "rho"),
    [
        ("MAP", "recall", "0.555", "0.561", "0.709"),
        ("recall", "PRES", "0.874", "0.878", "0.970"),
        ("MAP", "PRES", "0.659", "0.665", "0.812"),
    ],
)
def test_correlations_of_table4(first: str, second: str, tau_a: str, tau_b: str, rho: str) -> None:
    table = read_score_table(TABLE4.name, TABLE4.read_text())
    measures, scores = table.measures, table.means
    found = {(row["first"], row["second"]): row for row in correlations(measures, scores)}[first, second]
    assert [f"{found[name]:.3f}" for name in ("tau_a", "tau_b", "spearman")] == [tau_a, tau_b, rho]


@pytest.mark.parametrize(
    ("first", "second", "printed"), [("MAP", "recall", 0.56), ("PRES", "recall", 0.87), ("PRES", "MAP", 0.66)]
)
def test_printed_kendall_values_are_tau_a(first: str, second: str, printed: float) -> None:
    """What the paper prints is τ-a, as far as the ties that the table's three digits make leave it open."""
    x, y = table4()[first], table4()[second]
    tied = sum((x[a] == x[b] or y[a] == y[b]) for a in range(48) for b in range(a))
    open_to_ties = tied / (48 * 47 / 2)
    assert abs(kendall_tau_a(x, y) - printed) <= open_to_ties + 0.005
    assert abs(kendall_tau_a(x, y) - printed) < 0.0051, "to two digits, but for 0.0001"


@pytest.mark.parametrize(
    ("first", "second", "printed"), [("MAP", "recall", 0.71), ("PRES", "recall", 0.97), ("PRES", "MAP", 0.82)]
)
def test_printed_workshop_values_are_spearmans(first: str, second: str, printed: float) -> None:
    table = read_score_table(TABLE4.name, TABLE4.read_text())
    measures, scores = table.measures, table.means
    found = {frozenset((row["first"], row["second"])): row for row in correlations(measures, scores)}
    assert found[frozenset((first, second))]["spearman"] == pytest.approx(printed, abs=0.008)


def test_pres_stands_between_map_and_recall() -> None:
    found = {
        frozenset((r["first"], r["second"])): r["tau_a"]
        for r in correlations(("MAP", "recall", "PRES"), np.array(list(table4().values())))
    }
    assert (
        found[frozenset(("PRES", "recall"))]
        > found[frozenset(("PRES", "MAP"))]
        > found[frozenset(("MAP", "recall"))]
    )


def test_rank_changes_of_table4() -> None:
    table = read_score_table(TABLE4.name, TABLE4.read_text())
    runs, scores = table.runs, table.means
    positions = dict(zip(runs, positions_by_measure(scores).T.tolist(), strict=True))
    assert positions["R21"] == [1, 1, 1], "the best run is the best under each measure"
    assert positions["R18"] == [40, 3, 11], (
        "recall-strong, precision-weak: far up under recall, less so under PRES"
    )


@pytest.mark.parametrize(
    ("ranks", "n", "nmax", "printed"),
    [
        ([1], 4, 100, "0.25"),
        ([50, 51, 53, 54], 4, 100, "0.505"),
        ([1, 2, 3, 4], 4, 100, "1"),
        ([1, 98, 99, 100], 4, 100, "0.28"),
        ([98, 296], 41, 1000, "0.039"),
        ([23, 272, 345], 6, 1000, "0.394"),
        ([2, 517, 761], 6, 1000, "0.288"),
        ([660, 741], 3, 1000, "0.201"),
        ([41, 54], 3, 1000, "0.636"),
        ([1, 781], 3, 1000, "0.407"),
        ([1, 33, 354, 548, 733, 840, 841], 7, 1000, "0.525"),
        ([32, 35, 46], 3, 1000, "0.964"),
        ([32, 35, 46], 3, 100, "0.6433"),
    ],
)
def test_areas_give_the_pres_of_tables_1_to_3(ranks: list[int], n: int, nmax: int, printed: str) -> None:
    explanation = explain_topic(
        b"1",
        nmax,
        1000,
        docnos=[b"%03d" % i for i in range(n)],
        grades=np.ones(n, np.int64),
        ranks=np.array(ranks + [0] * (n - len(ranks))),
    )
    assert explanation.area_lost + explanation.area_kept == n * nmax
    # The papers print cut, not rounded, now and then (0.0395 as 0.039).
    assert explanation.score == pytest.approx(float(printed), abs=0.0006)


def test_missing_documents_of_the_papers_example() -> None:
    """n = 10, Nmax = 100, 7 found: the missing ones count at ranks 108, 109, 110."""
    explanation = explain_topic(
        b"1",
        100,
        100,
        docnos=[b"%02d" % i for i in range(10)],
        grades=np.ones(10, np.int64),
        ranks=np.array([3, 5, 8, 13, 21, 34, 55, 0, 400, 0]),
    )
    assert [document.counted for document in explanation.documents[7:]] == [108, 109, 110]
    assert [document.rank for document in explanation.documents[7:]] == [400, None, None]


PUBLISHED = Path(__file__).parents[2] / "fixtures" / "published"
TOPICS = [str(PUBLISHED / "topics_qrels.txt"), str(PUBLISHED / "topics_run.txt")]


@pytest.mark.parametrize(
    ("label", "printed"),
    [
        (
            "PRES_100",
            {"table1-1": 0.25, "table1-2": 0.505, "table1-3": 1, "table1-4": 0.28, "table3-8": 0.6433},
        ),
        (
            "PRES_1000",
            {
                **{"table3-1": 0.039, "table3-2": 0.394, "table3-3": 0.288, "table3-4": 0.201},
                **{"table3-5": 0.636, "table3-6": 0.407, "table3-7": 0.525, "table3-8": 0.964},
            },
        ),
        ("map", {"table1-1": 0.25, "table1-4": 0.2727, "TREC-2": 0.83, "IIR-1": 0.6, "IIR-2": 0.4929}),
        ("recall_1000", {"table3-1": 0.05, "table3-2": 0.5, "table3-4": 0.667, "table3-7": 1, "IIR-3": 0.75}),
        ("P_20", {"IIR-3": 0.3}),
    ],
)
def test_published_topics_from_the_command_line(
    label: str, printed: dict[str, float], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The topics of the papers and the textbook, as files that everyone can evaluate."""
    command = Command(capsysbinary)
    rows = command.ok("-q", "--format", "csv", "-m", label, *TOPICS).rows
    found = {row["topic"]: float(row[label]) for row in rows}
    for topic, value in printed.items():
        digits = max(2, len(str(value).partition(".")[2]))
        assert found[topic] == pytest.approx(value, abs=1.01 * 10**-digits), topic


def test_published_curves_from_the_command_line(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Interpolated precision of the TREC appendix; that at recall 1/3 of exercise 8.9 of the textbook."""
    command = Command(capsysbinary)
    arguments = ("figures", "precision-recall", *TOPICS, "--format", "csv", "--topic")
    trec = [float(row["interpolated"]) for row in command.ok(*arguments, "TREC-1").rows]
    assert trec == pytest.approx([1, 1, 0.75, 4 / 15])
    textbook = command.ok(*arguments, "IIR-3").rows
    beyond = [float(row["interpolated"]) for row in textbook if float(row["recall"]) >= 1 / 3]
    assert f"{beyond[0]:.3f}" == "0.364"

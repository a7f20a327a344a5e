"""Single topics laid open: documents, areas, the plot of text; and the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command, summaries

from pres_eval.analysis.explain import Explanation, cumulated, explain_topic, text_plot


def explain(ranks: list[int], nmax: int) -> Explanation:
    """A topic whose documents a, b, ... have these ranks, 0 for not retrieved."""
    docnos = [bytes([97 + i]) for i in range(len(ranks))]
    return explain_topic(
        b"t", nmax, 50, docnos=docnos, grades=np.ones(len(ranks), np.int64), ranks=np.array(ranks, np.int64)
    )


def test_documents_stand_in_the_order_in_which_they_count() -> None:
    explanation = explain([0, 12, 3, 0, 1], 10)
    rows = [(d.position, d.docno, d.rank, d.counted, d.is_found, d.lost) for d in explanation.documents]
    assert rows == [
        (1, b"e", 1, 1, True, 0),
        (2, b"c", 3, 3, True, 1),
        (3, b"b", 12, 13, False, 10),
        (4, b"a", None, 14, False, 10),
        (5, b"d", None, 15, False, 10),
    ]
    assert (explanation.num_found, explanation.sum_of_ranks) == (2, 46)
    assert (explanation.area_lost, explanation.area_kept) == (31, 19)
    assert explanation.score == 19 / 50


ranks_of_topics = st.lists(st.integers(0, 40), min_size=1, max_size=15).map(
    lambda ranks: [rank if ranks.index(rank) == i else 0 for i, rank in enumerate(ranks)]
)


@given(ranks_of_topics, st.integers(1, 50))
@settings(deadline=None)
def test_areas_are_those_between_the_curves(ranks: list[int], nmax: int) -> None:
    explanation = explain(ranks, nmax)
    count = len(ranks)
    counted = [document.counted for document in explanation.documents]
    steps = range(1, nmax + count + 1)
    best = [min(rank, count) for rank in steps]
    worst = [max(0, rank - nmax) for rank in steps]
    run = [sum(r <= rank for r in counted) for rank in steps]
    assert explanation.area_lost == sum(b - r for b, r in zip(best, run, strict=True))
    assert explanation.area_kept == sum(r - w for r, w in zip(run, worst, strict=True))
    found = sum(0 < rank <= nmax for rank in ranks)
    assert explanation.score <= found / count
    assert explanation.score * nmax * count >= found**2 - 1e-9


def test_no_relevant_documents() -> None:
    explanation = explain([], 10)
    assert (explanation.score, explanation.area_lost, text_plot(explanation)) == (0.0, 0, [])


def test_curve_of_steps() -> None:
    assert cumulated([2, 5], 7) == ([0, 2, 2, 5, 5, 7], [0, 0, 1, 1, 2, 2])


def test_text_plot_draws_a_column_a_rank_where_it_fits() -> None:
    lines = text_plot(explain([2, 3, 0], 9), width=12)
    assert lines == [
        "3 |  .........",
        "2 | .########",
        "1 |.########",
        "  +------------",
        "   1  rank   12",
    ]


@given(ranks_of_topics, st.integers(1, 50), st.integers(20, 70))
@settings(deadline=None)
def test_text_plot_fits_its_width(ranks: list[int], nmax: int, width: int) -> None:
    lines = text_plot(explain(ranks, nmax), width)
    margin = len(str(len(ranks))) + 2
    assert max(map(len, lines)) <= margin + width
    for line, document in zip(reversed(lines[:-2]), explain(ranks, nmax).documents, strict=False):
        if len(ranks) <= 12:
            assert ("#" in line) == document.is_found
            assert ("." in line) == (document.lost > 0)


@pytest.mark.parametrize(("count", "nmax"), [(13, 100), (100, 100), (1000, 100), (1000, 2)])
def test_text_plot_of_many_documents_shows_the_last_and_some_others(count: int, nmax: int) -> None:
    lines = text_plot(
        explain_topic(
            b"t",
            nmax,
            9,
            docnos=[b"%04d" % i for i in range(count)],
            grades=np.ones(count, np.int64),
            ranks=np.zeros(count, np.int64),
        )
    )
    assert len(lines) == 12 + 2
    assert lines[0].split()[0] == str(count)
    assert "." in lines[0]
    assert {len(line) for line in lines[:-2]} <= set(range(len(lines[-2]) + 1))


@pytest.mark.parametrize(
    "options",
    [(), ("-l", "2", "--quiet"), ("-M", "25"), ("-J",), ("-J", "-M", "30"), ("--compat", "10.0", "-c")],
)
@pytest.mark.parametrize("nmax", ["7", "60"])
def test_areas_are_the_evaluators_pres(call: Command, options: tuple[str, ...], nmax: str) -> None:
    for run in RUNS:
        rows = call.ok("explain", QRELS, run, "--nmax", nmax, "--format", "csv", *options).rows
        measures = ("-m", f"map_cut.{nmax}", "-m", f"recall.{nmax}", "-m", f"PRES.{nmax}", "-m", "num_ret")
        lines = call.ok(*measures, "-q", *options, QRELS, run).out.splitlines()
        values = {(line.split("\t")[1], line.split("\t")[0].strip()): line.split("\t")[2] for line in lines}
        assert {row["topic"] for row in rows} == {topic for topic, _ in values} - {"all"}
        for row in rows:
            area = int(row["A2"]) / (int(row["A1"]) + int(row["A2"])) if int(row["num_rel"]) else 0.0
            assert area == pytest.approx(float(row[f"PRES_{nmax}"]), abs=1e-12)
            for label in (f"map_cut_{nmax}", f"recall_{nmax}", f"PRES_{nmax}"):
                assert f"{float(row[label]):.4f}" == values[row["topic"], label]
            assert row["num_ret"] == values[row["topic"], "num_ret"]


def test_documents_are_those_of_the_files(call: Command) -> None:
    rows = call.ok("explain", QRELS, RUNS[0], "--nmax", "20", "--format", "csv", "--table", "documents").rows
    judged = [line.split() for line in Path(QRELS).read_text().splitlines()]
    expected = {(topic, docno): grade for topic, _, docno, grade in judged if int(grade) > 0}
    assert {(row["topic"], row["docno"]): row["grade"] for row in rows} == expected
    ranked: dict[str, list[tuple[float, str]]] = {}
    for line in Path(RUNS[0]).read_text().splitlines():
        topic, _, docno, _, score, _ = line.split()
        ranked.setdefault(topic, []).append((float(score), docno))
    ranks = {
        (topic, docno): str(rank)
        for topic, documents in ranked.items()
        for rank, (_, docno) in enumerate(sorted(documents, reverse=True), 1)
    }
    for row in rows:
        assert row["rank"] == ranks.get((row["topic"], row["docno"]), "")
        assert row["found"] == ("true" if row["rank"] and int(row["rank"]) <= 20 else "false")
        assert int(row["lost"]) == int(row["r_i"]) - int(row["i"])


def test_averages_over_the_runs_topics_and_over_all(call: Command, tmp_path: Path) -> None:
    lines = Path(RUNS[1]).read_text().splitlines(keepends=True)
    short = tmp_path / "short"
    short.write_text("".join(line for line in lines if line.split()[0] != lines[0].split()[0]))
    rows = call.ok("explain", "--quiet", QRELS, short, "--format", "csv", "--table", "averages").rows
    measures = ("-m", "map_cut.100", "-m", "recall.100", "-m", "PRES.100", "-m", "num_q")
    for row, options in zip(rows, ((), ("-c",)), strict=True):
        expected = summaries(call, str(short), "--quiet", *measures, *options)
        found = {label: f"{float(row[label]):.4f}" for label in ("map_cut_100", "recall_100", "PRES_100")}
        assert found == {label: expected[label] for label in found}
        assert row["topics"] == expected["num_q"]


def test_named_topics_also_those_the_run_lacks(call: Command, tmp_path: Path) -> None:
    lines = Path(RUNS[1]).read_text().splitlines(keepends=True)
    gone = lines[0].split()[0]
    short = tmp_path / "short"
    short.write_text("".join(line for line in lines if line.split()[0] != gone))
    rows = call.ok("explain", "--quiet", QRELS, short, gone, "--format", "csv").rows
    assert [(row["topic"], row["found"], row["A2"], row["PRES_100"]) for row in rows] == [
        (gone, "0", "0", "0.0")
    ]
    called = call("explain", "--quiet", QRELS, short, gone + "x")
    assert (called.code, called.out) == (1, "")
    assert f"topic {gone}x is not in the qrels; did you mean {gone}" in called.err


def test_text_of_a_topic(call: Command, tmp_path: Path) -> None:
    """Table 1 of the paper: n = 4, ranks 1, 98, 99, 100."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    ranks = {1: "a", 98: "b", 99: "c", 100: "d"}
    qrels.write_text("".join(f"t 0 {docno} 1\n" for docno in ranks.values()))
    run.write_text(
        "".join(f"t Q0 {ranks.get(rank, f'x{rank}')} 0 {200 - rank} r\n" for rank in range(1, 121))
    )
    text = call.ok("explain", qrels, run).out
    assert text.startswith("Topic t   map_cut_100 0.2727   recall_100 1.0000   PRES_100 0.2800\n")
    assert "4 of 4 relevant documents by rank 100; 120 retrieved" in text
    assert "Σ r_i = 298   A1 = 288   A2 = 112   PRES = A2 / (A1 + A2) = 112 / 400 = 0.2800" in text
    assert "\n1 |####" in text
    assert "worst case" not in text
    nearer = call.ok("explain", qrels, run, "--nmax", "99").out
    assert "* 103" in nearer
    assert "* rank of the worst case: not found by rank 99" in nearer


@pytest.mark.slow
def test_plot(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    topics = sorted({line.split()[0] for line in Path(QRELS).read_text().splitlines()})[:2]
    call.ok("explain", QRELS, RUNS[0], *topics, "--plot", picture)
    text = picture.read_text()
    for words in (
        *(f"{topic}: PRES_100 = " for topic in topics),
        "A1: lost",
        "A2: kept",
        "best case",
        "worst case",
    ):
        assert f">{words}" in text


def test_too_many_pictures(call: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"t{number} 0 d 1\n" for number in range(13)))
    run.write_text("".join(f"t{number} Q0 d 1 1 r\n" for number in range(13)))
    called = call("explain", qrels, run, "--plot", tmp_path / "p.png")
    assert (called.code, called.out) == (1, "")
    assert "13 topics, expected 12 at most: name those to draw" in called.err


def titles(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines() if line.startswith("Topic ")]


def test_the_worst_topics_come_first_and_fit_a_screen(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "60")
    rows = call.ok("explain", QRELS, RUNS[0], "--format", "csv").rows
    worst = [row["topic"] for row in sorted(rows, key=lambda row: float(row["PRES_100"]))]
    text = call.ok("explain", QRELS, RUNS[0]).out
    shown = titles(text)
    assert 0 < len(shown) < 12 and shown == worst[: len(shown)]
    assert f"{12 - len(shown)} more topics: name those to show, or --max 0 for all" in text
    assert titles(call.ok("explain", QRELS, RUNS[0], "--max", "2").out) == worst[:2]
    everything = call.ok("explain", QRELS, RUNS[0], "--max", "0").out
    assert titles(everything) == worst
    assert len(titles(everything)) == 12 and "more topic" not in everything
    named = [worst[3], worst[0]]
    assert titles(call.ok("explain", QRELS, RUNS[0], *named).out) == named
    assert len(rows) == 12, "programs get all topics"


def test_two_runs_side_by_side(call: Command) -> None:
    """Each document with its rank in both runs; the topics with the largest difference come first."""
    arguments = ("explain", QRELS, RUNS[0], RUNS[1])
    one = {row["topic"]: row for row in call.ok(*arguments[:3], "--format", "csv").rows}
    found = call.ok(*arguments, "--format", "json").json
    for row in found["topics"]:
        assert row["PRES_1"] == pytest.approx(float(one[row["topic"]]["PRES_100"]), abs=1e-12)
    alone = call.ok(*arguments[:2], RUNS[1], "--format", "json").json["documents"]
    assert [row["rank_2"] for row in sorted(found["documents"], key=key)] == [
        row["rank"] for row in sorted(alone, key=key)
    ]
    differences = {row["topic"]: -abs(row["PRES_1"] - row["PRES_2"]) for row in found["topics"]}
    text = call.ok(*arguments, "--max", "3").out
    assert titles(text) == sorted(differences, key=lambda topic: differences[topic])[:3]
    assert "keyword" in text and "broad" in text and "9 more topics" in text
    topic = found["topics"][0]["topic"]
    assert titles(call.ok(*arguments, topic).out) == [topic]


def key(row: dict[str, object]) -> tuple[str, str]:
    return str(row["topic"]), str(row["docno"])


def test_the_drawing_keeps_its_places_in_every_form(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    command = Command(capfdbinary)
    markdown = command.ok("explain", "--format", "markdown", "--max", "1", QRELS, RUNS[1]).out
    plot = markdown.partition("```text\n")[2].partition("```")[0]
    plain = command.ok("explain", "--max", "1", QRELS, RUNS[1]).out
    assert plot.startswith("7 |   ....") and plot in plain
    latex = command.ok("explain", "--format", "latex", "--max", "1", QRELS, RUNS[1]).out
    assert f"\\begin{{verbatim}}\n{plot}\\end{{verbatim}}\n" in latex

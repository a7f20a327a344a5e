"""The headline of the page, what -m and --one-page make of the page, and -o of the commands."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from support.commands import NAMES, QRELS, RUNS, Command, summaries

SOLID = "\u00a0%"


def page_of(command: Command, folder: Path, *options: str) -> str:
    """The page of the patent runs."""
    command.ok("report", QRELS, *RUNS, "-o", folder / "page.html", "--samples", "200", *options)
    return (folder / "page.html").read_text()


def text_of(page: str, pattern: str) -> str:
    """The text of the first part of a page that the pattern finds."""
    part = re.search(pattern, page, re.DOTALL)
    assert part is not None
    return html.unescape(re.sub("<[^>]*>", "", part[0]))


def headline(page: str) -> str:
    return text_of(page, '<p class="headline">.*?</p>')


def test_the_first_sentence_says_what_each_run_finds(command: Command, tmp_path: Path) -> None:
    recalls = {}
    for name, run in zip(NAMES, RUNS, strict=True):
        recalls[name] = float(summaries(command, run, "-m", "recall.100")["recall_100"])
    first, second, third = sorted(recalls, key=lambda name: -recalls[name])
    percent = {name: f"{100 * recall:.0f}{SOLID}" for name, recall in recalls.items()}
    page = page_of(command, tmp_path)
    assert headline(page) == (
        f"Within 100 documents {first} finds {percent[first]} of the relevant ones,"
        f" {second} {percent[second]}, {third} {percent[third]}. (recall_100: mean over 12 topics)"
    )
    chart = text_of(page, '<svg class="chart rows"[^>]*headline.*?</svg>')
    assert all(f"{name}: {recall:.4f} (" in chart for name, recall in recalls.items())


@pytest.mark.parametrize(
    ("measures", "sentence", "depth", "labels"),
    [
        (["PRES.50"], "Within 50 documents", 50, ["PRES_50", "recall_50"]),
        (["P.10", "map"], "Of the first 10 documents of keyword 39", 10, ["P_10", "map"]),
        (["map", "PRES.50"], "By map keyword reaches 0.2560", 1000, ["map", "PRES_50"]),
        (["success.5"], "Within 5 documents", 5, ["success_5"]),
    ],
)
def test_the_page_shows_what_was_asked(
    command: Command, tmp_path: Path, measures: list[str], sentence: str, depth: int, labels: list[str]
) -> None:
    """The first measure asked for gives headline, depth and Nmax; all are on the board, in order."""
    options = [option for measure in measures for option in ("-m", measure)]
    page = page_of(command, tmp_path, *options)
    assert headline(page).startswith(sentence)
    assert f"relevant documents by rank {depth}" in text_of(page, '<section id="summary".*?</section>')
    board = re.findall(r'<table id="board">.*?</table>', page, re.DOTALL)[0]
    heads = [
        html.unescape(re.sub("<[^>]*>", "", head)) for head in re.findall("<th scope=.col.*?</th>", board)
    ]
    assert heads == ["run", "topics", *labels, "num_rel_ret", "num_rel"]
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)[0])
    assert data["nmax"][0] == (100 if depth == 1000 else depth)


def test_recall_beside_pres_takes_part_in_no_test(command: Command) -> None:
    """`report` and `compare` correct for the same comparisons."""
    options = ["-m", "PRES.50", "--correct-over", "measures", "--format", "json"]
    report = command.ok("report", QRELS, *RUNS, *options).json
    assert {row["measure"] for row in report["comparisons"]} == {"PRES_50"}
    assert "recall_50" in report["leaderboard"][0]


def test_one_page_has_nothing_to_choose_or_follow(command: Command, tmp_path: Path) -> None:
    page = page_of(command, tmp_path, "--one-page")
    assert headline(page).startswith("Within 100 documents broad finds 97")
    assert not {"<script", "<a ", "<button", "<select", "<nav"} & set(re.findall(r"<[a-z]+ ?", page))
    assert re.findall(r'<section id="(\w+)"', page) == ["summary", "leaderboard"]
    words = text_of(page, "<main>.*</main>")
    assert "topic by topic" not in words and "Can I trust" not in words and ";." not in words
    assert "broad is significantly better than semantic, the next (+0.1811, p < 0.0001, 12 topics)." in words
    assert "script-src 'none'" in html.unescape(page) and 'data-print="one"' in page


@pytest.mark.parametrize("outputs", [[], ["-o", "page.pdf"]])
def test_one_page_is_a_page(command: Command, outputs: list[str]) -> None:
    called = command("report", QRELS, *RUNS, "--one-page", *outputs)
    assert called.code == 1 and "-o FILE.html" in called.err and called.out == ""


def test_no_headline_where_no_run_is_called_best(command: Command, tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    lines = [line for line in Path(RUNS[1]).read_text().splitlines(True) if "PAC-1001" in line]
    short.write_text("".join(lines).replace("broad", "short"))
    command("report", QRELS, RUNS[0], short, "-o", tmp_path / "page.html", "--samples", "200")
    page = (tmp_path / "page.html").read_text()
    assert "No run is called best" in page and 'class="headline"' not in page


@pytest.mark.parametrize("name", ["compare", "report"])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_o_writes_a_file_of_its_ending(command: Command, tmp_path: Path, name: str, ending: str) -> None:
    path = tmp_path / f"results.{ending}"
    assert command.ok(name, QRELS, *RUNS, "-o", path).out == ""
    assert path.read_text() == command.ok(name, QRELS, *RUNS, "--format", ending).out


def test_o_of_the_evaluator_takes_no_value(command: Command) -> None:
    """As in trec_eval; who gives one is told what to write."""
    called = command("-o", "results.csv", QRELS, RUNS[0])
    assert called.code == 1 and called.out == ""
    assert "-o takes no value" in called.err and "--output results.csv" in called.err
    assert command.ok("-o", QRELS, RUNS[0]).out == command.ok(QRELS, RUNS[0]).out


def test_bounds_of_two_runs_prove_no_order(command: Command, tmp_path: Path) -> None:
    page = page_of(command, tmp_path)
    caption = text_of(page, r'<table id="trust-table"><caption>.*?</caption>')
    assert "of each run alone (other judgements may lower or raise both)" in caption
    assert "no other run could be best: every" not in page


@pytest.mark.parametrize(("count", "named"), [(4, "abcd"), (5, "abc")])
def test_one_more_run_than_three_is_named_as_well(
    count: int, named: str, command: Command, tmp_path: Path
) -> None:
    """In place of "1 other run"."""
    qrels, runs = tmp_path / "qrels", [tmp_path / name for name in "abcde"[:count]]
    qrels.write_text("".join(f"{topic} 0 r 1\n" for topic in range(4)))
    for place, run in enumerate(runs):
        documents = [*(f"x{number}" for number in range(place)), "r"]
        lines = (f"{t} Q0 {d} 0 {-rank} {run.name}\n" for t in range(4) for rank, d in enumerate(documents))
        run.write_text("".join(lines))
    command.ok("report", qrels, *runs, "-m", "map", "-o", tmp_path / "page.html", "--samples", "200")
    sentence = headline((tmp_path / "page.html").read_text()).partition(" (map")[0]
    assert re.findall(r"\b[a-e]\b", sentence) == list(named)

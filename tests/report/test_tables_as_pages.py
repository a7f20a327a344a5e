"""Tables in HTML: a whole page in a file, a fragment on stdout; titles and notes on lines of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

TOPIC = "PAC-1012"


@pytest.mark.parametrize(
    ("arguments", "name", "title"),
    [
        (("explain", "-m", "map", QRELS, RUNS[0], TOPIC), "x.html", "pres-eval explain"),
        (("explain", "--style", "html", QRELS, RUNS[0], TOPIC), "x.txt", "pres-eval explain"),
        (("compare", "-m", "map", QRELS, *RUNS), "x.htm", "pres-eval compare"),
        (("sweep", "--nmax", "5", "--nmax", "9", QRELS, *RUNS), "x.html", "pres-eval sweep"),
        (("-m", "map", "--format", "table", QRELS, *RUNS), "x.html", "pres-eval"),
    ],
)
def test_a_file_is_a_whole_page(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], name: str, title: str
) -> None:
    command.ok(*arguments, "--output", tmp_path / name)
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in page and f"<title>{title}</title>" in page
    assert "<style>" in page and page.endswith("</html>\n")
    # On stdout the same is a fragment.
    fragment = command.ok(*arguments, "--style", "html").out
    assert fragment in page and "<html" not in fragment and "<!DOCTYPE" not in fragment


def test_titles_and_formulas_have_lines_of_their_own(command: Command) -> None:
    text = command.ok("explain", "-m", "map", "-m", "err.5", "--style", "html", QRELS, RUNS[0], TOPIC).out
    assert text.startswith(f"<h2>Topic {TOPIC}   map ") and text.count("<h2>") == 2
    assert "<p>map = 1/n Σ i / r_i,   n = " in text
    for line in text.splitlines():
        assert line == "" or line.startswith("<"), line


def test_the_drawing_keeps_its_places(command: Command) -> None:
    plain = command.ok("explain", QRELS, RUNS[0], TOPIC).out
    text = command.ok("explain", "--style", "html", QRELS, RUNS[0], TOPIC).out
    drawing = text.partition("<pre>")[2].partition("</pre>")[0]
    assert drawing.count("\n") > 3 and drawing in plain


def test_names_in_titles_and_notes_are_escaped(command: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "<b>run"
    qrels.write_text("<i>1 0 a 1\n")
    run.write_text("<i>1 Q0 a 1 1 r\n")
    for options in ((), ("-m", "map")):
        text = command.ok("explain", *options, "--style", "html", qrels, run).out
        assert "<i>" not in text and "<b>" not in text and "&lt;i&gt;1" in text


def test_titles_of_explained_measures_are_printed_in_latex(command: Command) -> None:
    asked = ("explain", "-m", "map", "-m", "ndcg_cut.10", QRELS, RUNS[0], TOPIC)
    lines = command.ok(*asked, "--format", "latex").out.splitlines()
    headings = [line for line in lines if line.startswith(r"\paragraph{")]
    assert [heading.split()[2] for heading in headings] == ["map", r"ndcg\_cut\_10"]
    # Tables of a comparison have a caption of the paper's own.
    compared = command.ok("compare", "-m", "map", QRELS, *RUNS, "--format", "latex").out
    assert r"\paragraph" not in compared and compared.startswith("% Means")

"""Tables: what they say, and that nothing in an id is run or lost."""

from __future__ import annotations

import csv
import io
import math
import sys
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.made_evaluations import evaluation

from pres_eval.errors import RunFailure, UsageError
from pres_eval.report.grid import BARE, Grid, guarded, styles, written
from pres_eval.report.table import RunLayout, as_csv, as_table
from pres_eval.report.text import printable

PER_TOPIC = RunLayout(per_topic=True)
LATEX = RunLayout(form="latex")
DANGEROUS = ("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "＝1", "＋1", "－1", "＠1")


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_one_run_stands_upright() -> None:
    rows = cells(as_table([evaluation()]))
    assert rows[0] == ["measure", "keyword"]
    assert ["map", "0.3944"] in rows and ["num_q", "3"] in rows and ["relstring_10"] not in rows


def test_several_runs_have_measures_as_columns() -> None:
    rows = cells(as_table([evaluation(), evaluation("broad", pres=(0.125, 0.0, 0.0))]))
    assert rows[0] == ["run", "num_q", "num_rel_ret", "map", "PRES_100", "unj_5"]
    assert rows[3] == ["broad", "3", "3", "0.3944", "0.0417", "0.1250"]


def test_topics_are_rows() -> None:
    text = as_table([evaluation(topics=(b"0.5000", b"1e5", b"007"))], PER_TOPIC)
    rows = cells(text)
    assert [row[0] for row in rows[2:]] == ["0.5000", "1e5", "007", "all"]
    assert rows[2] == ["0.5000", "0", "0.1000", "0.5000", "0.1250", "01-"]


def test_topics_of_several_runs_are_side_by_side() -> None:
    """A table for each measure: topics down, runs across, nothing where a run lacks the topic."""
    broad = evaluation("broad", topics=(b"1", b"3"), average_precision=(0.5, 0.25), pres=(1.0, 0.0))
    text = as_table([evaluation(), broad], RunLayout(per_topic=True, order=("PRES_100", "map")))
    titles = [block.splitlines()[0] for block in text.split("\n\n")[::2]]
    assert titles[:2] == ["PRES_100", "map"]
    assert cells(text.split("\n\n")[3]) == [
        ["topic", "keyword", "broad"],
        ["-------", "---------", "-------"],
        ["1", "0.1000", "0.5000"],
        ["10", "0.3333"],
        ["2", "0.7500"],
        ["3", "0.2500"],
        ["all", "0.3944", "0.3750"],
    ]


def test_columns_in_the_order_asked_for() -> None:
    runs = [evaluation(), evaluation("broad")]
    assert cells(as_table(runs, RunLayout(order=("unj_5", "map"))))[0][:4] == ["run", "unj_5", "map", "num_q"]
    assert as_csv(runs, RunLayout(order=("unj_5", "map"))).startswith("file,run,topic,unj_5,map,num_q,")


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("map", ["b", "c", "a"]),
        ("unj_5", ["c", "a", "b"]),
        ("unj.5", ["c", "a", "b"]),
        (None, ["a", "b", "c"]),
    ],
)
def test_runs_are_sorted_the_best_first(sort: str | None, names: list[str]) -> None:
    """Fewer unjudged documents are better; nan comes last; equal runs stay as they were."""
    runs = [
        evaluation("a", average_precision=(math.nan, 0, 0), unjudged=0.5),
        evaluation("b", average_precision=(0.5, 0.5, 0.5), unjudged=0.5),
        evaluation("c", average_precision=(0.25, 0.25, 0.25), unjudged=0.25),
    ]
    assert [row[0] for row in cells(as_table(runs, RunLayout(sort=sort)))[2:]] == names


def test_sort_by_what_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"--sort mapp: not among the measures \(-m\), did you mean map"):
        as_table([evaluation(), evaluation("b")], RunLayout(sort="mapp"))


def test_measures_as_rows() -> None:
    runs = [evaluation(), evaluation("broad")]
    down = cells(as_table(runs, RunLayout(transpose=True)))
    assert down[0] == ["measure", "keyword", "broad"] and down[2] == ["num_q", "3", "3"]
    assert cells(as_table([evaluation()], RunLayout(transpose=False)))[0][:2] == ["run", "num_q"]
    assert as_table(runs, RunLayout(width=40)) == as_table(runs, RunLayout(transpose=True))
    assert as_table(runs, RunLayout(width=40, transpose=False)).count("run ") == 2


@pytest.mark.parametrize("style", ["simple", "grid", "github"])
@pytest.mark.parametrize("width", [25, 40, 80])
def test_no_line_is_longer_than_the_terminal(style: str, width: int) -> None:
    """Fifty runs fit neither way: the columns are folded, and every number is there once."""
    runs = [evaluation(f"run{number}", pres=(number / 50,) * 3) for number in range(50)]
    note = "the runs have different topics, 40 in all (run3 lacks 3); each is averaged over its own"
    text = as_table(runs, RunLayout(width=width, style=style, notes=(note,)))
    assert max(map(len, text.splitlines())) <= width
    assert note in " ".join(text.split())
    assert all(f"{number / 50:.4f}" in text for number in range(50))
    assert text.count("run49") == text.count("run0 ")


def test_failed_runs_are_rows_and_notes_below() -> None:
    failed = (RunFailure("x/broken.gz", "x/broken.gz:3: 5 columns"),)
    layout = RunLayout(notes=("the runs have different topics",), failures=failed)
    for form, last in (
        ("table", "broken   x/broken.gz:3: 5 columns"),
        ("markdown", "| broken | x/broken.gz:3: 5 columns |"),
        ("latex", r"}{l}{x/broken.gz:3: 5 columns} \\"),
    ):
        lines = as_table([evaluation(), evaluation("b")], replace(layout, form=form)).splitlines()
        assert sum(last in line for line in lines) == 1
        assert "different topics" in lines[-1] and lines[-2] == ""


@pytest.mark.parametrize("width", [None, 60, 30])
@pytest.mark.parametrize("style", ["simple", "plain", "grid", "github", "html"])
@pytest.mark.parametrize("per_topic", [False, True])
def test_failed_runs_say_why(per_topic: bool, style: str, width: int | None) -> None:
    """Once in the table of runs, once in each grid of topics and runs; broken at the terminal's width."""
    failed = (RunFailure("x/broken.gz", "x/broken.gz:3: 5 columns, expected 6 (topic Q0 docno rank score)"),)
    layout = RunLayout(per_topic=per_topic, style=style, width=width)
    runs = [evaluation(), evaluation("b")]
    text = as_table(runs, replace(layout, failures=failed))
    grids = len(evaluation().columns) - 1  # not of the tag
    assert text.count("x/broken.gz:3:") == (grids if per_topic else 1)
    if style in ("simple", "plain"):
        assert all(len(line) <= (width or 1000) for line in text.splitlines())
        assert {"broken", "x/broken.gz:3:"} <= set(text.split())
        assert per_topic or text.startswith(as_table(runs, layout))


def test_failed_runs_are_rows_of_spreadsheets() -> None:
    failed = (RunFailure("x/broken.gz", "=1 column"),)
    rows = list(csv.reader(as_csv([evaluation()], RunLayout(failures=failed)).splitlines()))
    assert rows[0][-1] == "error" and rows[1][-1] == ""
    assert rows[-1][0] == "x/broken.gz" and rows[-1][-1] == "'=1 column"
    assert {len(row) for row in rows} == {len(rows[0])}


def test_digits_and_styles() -> None:
    assert "0.394444" in as_table([evaluation()], RunLayout(digits=6))
    assert as_table([evaluation()], RunLayout(style="grid")).startswith("+--")
    with pytest.raises(UsageError, match="github"):
        as_table([evaluation()], RunLayout(style="gihub"))
    assert "unsafehtml" not in styles()


@pytest.mark.parametrize("style", styles())
def test_every_style_keeps_the_digits(style: str) -> None:
    text = as_table([evaluation(topics=(b"1e5", b"0010", b"3.0"))], RunLayout(per_topic=True, style=style))
    assert all(found in text for found in ("1e5", "0010", "3.0", "0.7500", "0.1000"))


def test_html_style_escapes() -> None:
    text = as_table([evaluation(topics=(b"<script>", b"2", b"3"))], RunLayout(per_topic=True, style="html"))
    assert "<script>" not in text and "&lt;script&gt;" in text


def test_markdown_escapes() -> None:
    topics = (b"a|b", b"<b>", b"__init__")
    lines = as_table([evaluation(topics=topics)], RunLayout(form="markdown", per_topic=True)).splitlines()
    assert lines[0].startswith("| topic") and " PRES_100 " in lines[0]
    assert lines[1].startswith("|:--") and lines[1].endswith("-:|")
    assert [line.split()[1] for line in lines[2:5]] == [r"a\|b", "&lt;b>", r"\_\_init\_\_"]
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1


def test_latex_escapes() -> None:
    text = as_table([evaluation(tag="a_b&c")], LATEX)
    assert r"a\_b\&c" in text and r"PRES\_100" in text and r"\toprule" in text


def test_latex_names_its_packages_and_fits_a_column() -> None:
    plain, fitted = (as_table([evaluation()], replace(LATEX, fit=fit)) for fit in (False, True))
    assert plain.splitlines()[0] == r"% \usepackage{booktabs}"
    first, opening, *lines, closing = fitted.splitlines()
    assert (first, closing) == (r"% \usepackage{booktabs, adjustbox}", r"\end{adjustbox}")
    assert opening == r"\begin{adjustbox}{max width=\columnwidth}" and lines == plain.splitlines()[1:]


def test_numbers_in_latex_have_a_minus_sign_and_names_a_hyphen() -> None:
    cells = ("-2", "-0.5", "-0.1 .. -0.05", r"\textbf{-1.5}$^{-}$", "-", "a-1", "1e-05", "-inf")
    text = written(Grid(tuple("abcdefgh"), (cells,)), "latex")
    row = r"-2 & $-$0.5 & $-$0.1 .. $-$0.05 & \textbf{$-$1.5}$^{-}$ & - & a-1 & 1e-05 & $-$inf \\"
    assert row in text.splitlines()


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_csv_reads_back_in_full(form: str, delimiter: str) -> None:
    runs = [
        evaluation(),
        evaluation('tag,"with', path="a\tb", average_precision=(-0.5, float("nan"), 5e-324)),
    ]
    rows = list(csv.reader(io.StringIO(as_csv(runs, replace(PER_TOPIC, form=form))), delimiter=delimiter))
    assert rows[0] == [
        "file",
        "run",
        "topic",
        "num_q",
        "num_rel_ret",
        "map",
        "PRES_100",
        "unj_5",
        "relstring_10",
    ]
    assert rows[2] == ["run.txt", "keyword", "10", "", "1", repr(1 / 3), "0.25", "0.125", "01-"]
    assert rows[4][2:5] == ["all", "3", "3"]
    assert [row[5] for row in rows[5:8]] == ["-0.5", "nan", "5e-324"]
    assert rows[5][:2] == [r"a\x09b", 'tag,"with']


def test_csv_opens_in_pandas() -> None:
    import pandas

    frame = pandas.read_csv(
        io.StringIO(as_csv([evaluation(average_precision=(0.1, float("nan"), 1 / 3))], PER_TOPIC)),
        dtype={"topic": str},
    )
    assert frame["map"].dtype == float and frame["map"].isna().tolist()[:3] == [False, True, False]
    assert frame["map"][2] == pytest.approx(1 / 3, rel=1e-15) and frame["topic"].tolist() == [
        "1",
        "10",
        "2",
        "all",
    ]


@pytest.mark.parametrize("text", DANGEROUS)
def test_no_cell_of_text_starts_a_formula(text: str) -> None:
    runs = [evaluation(text, (text.encode(), b"2", b"3"), path=text)]
    rows = list(csv.reader(io.StringIO(as_csv(runs, PER_TOPIC))))
    assert rows[1][:3] == ["'" + text] * 3
    for cell in [cell for row in rows for cell in row]:
        assert not cell or cell[0] not in "=+@-＝＋－＠" or float(cell) is not None


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(max_size=10) | st.text("=+-@＝＋－＠'\t\r1", max_size=4))
def test_guarded_text_comes_back(text: str) -> None:
    assume(printable(text) == text)  # other characters are escaped
    shown = guarded(text)
    assert not shown or shown[0] not in "=+-@\t\r＝＋－＠"
    assert (shown[1:] if shown.startswith("'") else shown) == text


CELLS = st.text(st.sampled_from("ab1.- "), max_size=12)


@settings(max_examples=50)
@given(st.integers(1, 5), st.sampled_from(BARE), st.data())
def test_many_rows_are_written_as_tabulate_writes_them(columns: int, style: str, data: st.DataObject) -> None:
    header = data.draw(st.tuples(*[st.text("abc", min_size=1, max_size=9)] * columns))
    row = st.tuples(st.text("ab", min_size=1), *[CELLS] * (columns - 1))
    rows = data.draw(st.lists(row, min_size=1, max_size=20))
    grid = Grid(header=header, rows=tuple(rows), left=data.draw(st.integers(1, columns)))
    by_tabulate = written(grid, style)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pres_eval.report.grid.ROWS_WITHOUT_TABULATE", 1)
        patch.setitem(sys.modules, "tabulate", None)
        assert written(grid, style) == by_tabulate


@pytest.mark.parametrize(
    ("columns", "width"), [(4, ""), (7, r"\columnwidth"), (12, r"\textwidth")], ids=["fits", "shrunk", "wide"]
)
def test_latex_makes_a_table_fit_a_paper(columns: int, width: str) -> None:
    """A column of a paper in two columns has 84 mm, 48 digits; letters below 7 points are too small."""
    lines = written(
        Grid(("run", *["map"] * columns), (("broad", *["0.1234"] * columns),)), "latex"
    ).splitlines()
    boxes = [line for line in lines if "adjustbox" in line and "usepackage" not in line]
    assert boxes == ([rf"\begin{{adjustbox}}{{max width={width}}}", r"\end{adjustbox}"] if width else [])
    assert any("table*" in line for line in lines) == (width == r"\textwidth")

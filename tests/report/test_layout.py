"""Tables of analyses as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from pres_eval.errors import UsageError
from pres_eval.report.layout import Look, Readers, Table, render

ROWS = [
    ("1e5", 0.5, True, None),
    ("=1+1", -0.25, False, 7),
    ("-x", math.inf, False, -3),
    ("+y", math.nan, True, 0),
]
TABLE = Table("scores", "Scores", ("run", "map", "best", "rank"), ROWS, ("a note",))
OTHER = Table("others", "Others", ("a",), [(1,)], shown=Table(headings=("A",), rows=[("one",)]))


def test_text_leaves_names_and_digits_as_they_are() -> None:
    lines = render([TABLE], Look("table")).splitlines()
    assert (lines[0], lines[-1]) == ("Scores", "a note")
    assert [line.split() for line in lines[4:8]] == [
        ["1e5", "0.5000", "yes"],
        ["=1+1", "-0.2500", "7"],
        ["-x", "inf", "-3"],
        ["+y", "-", "yes", "0"],
    ]
    assert (
        len({line.rfind(digits) + len(digits) for line, digits in ((lines[5], "7"), (lines[6], "-3"))}) == 1
    )


def test_csv_is_safe_in_a_spreadsheet_and_keeps_numbers() -> None:
    rows = list(csv.reader(io.StringIO(render([TABLE, OTHER], Look("csv")))))
    assert rows == [
        ["run", "map", "best", "rank"],
        ["1e5", "0.5", "true", ""],
        ["'=1+1", "-0.25", "false", "7"],
        ["'-x", "inf", "false", "-3"],
        ["'+y", "", "true", "0"],
    ]


def test_json_has_all_tables_and_how_they_were_made() -> None:
    found = json.loads(
        render([TABLE, OTHER], Look("json"), "compare", {"seed": 3, "fractions": (0.2, math.nan)})
    )
    assert found["command"] == "compare"
    assert found["settings"] == {"seed": 3, "fractions": [0.2, None]}
    assert found["scores"][1] == {"run": "=1+1", "map": -0.25, "best": False, "rank": 7}
    assert [row["map"] for row in found["scores"]] == [0.5, -0.25, None, None]
    assert found["others"] == [{"a": 1}]


def test_one_table_alone() -> None:
    assert render([TABLE, OTHER], Look("csv", "others")) == "a\n1\n"
    assert render([TABLE, OTHER], Look("table", "others")) == "Others\n\nA\n---\none\n"
    assert "scores" not in json.loads(render([TABLE, OTHER], Look("json", "others")))
    with pytest.raises(UsageError, match="--table no: no such table, expected one of scores, others"):
        render([TABLE, OTHER], Look("csv", "no"))


def test_some_tables_are_for_people_some_for_programs() -> None:
    people = Table("p", "For people", ("a",), [(1,)], readers=Readers.PEOPLE)
    programs = Table("q", "For programs", ("a",), [(2,)], readers=Readers.PROGRAMS)
    assert "For programs" not in render([people, programs], Look("table"))
    assert render([people, programs], Look("csv")) == "a\n2\n"
    assert "p" not in json.loads(render([people, programs], Look("json")))
    assert "For programs" in render([people, programs], Look("table", "q"))

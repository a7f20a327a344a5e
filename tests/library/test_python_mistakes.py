"""Mistakes of people who write Python, and the words that each gets: found, expected, what to do."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pres_eval as pe
from pres_eval.errors import PresEvalWarning
from pres_eval.library.arguments import in_python

MISTAKES = list(
    csv.DictReader(Path(__file__).with_name("mistakes.tsv").read_text().splitlines(), delimiter="\t")
)

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 bm25\nq1 Q0 d2 2 2.0 bm25\nq2 Q0 d3 1 2.0 bm25\nq2 Q0 d1 2 1.0 bm25\n"
Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 2}}
R = {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d3": 2.0, "d1": 1.0}}


def names() -> dict[str, Any]:
    """What the mistakes are made with; some of it is slow to import."""
    import dask.dataframe
    import pandas
    import polars

    frame = pandas.DataFrame([("q1", "d1", 3.0)], columns=["query_id", "doc_id", "score"])
    e = pe.evaluate(Q, R, ["map", "P@5"])
    return {"pe": pe, "Q": Q, "R": R, "e": e, "df": frame, "pl": polars, "dd": dask.dataframe, "np": np}


def said(call: str) -> str:
    """The kind of error and its words, or the words of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(call, names())
        except (pe.PresEvalError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
    return " ## ".join(f"warning: {each.message}" for each in caught if each.category is PresEvalWarning)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["mistake"])
def test_mistakes(mistake: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("folder").mkdir()
    Path("folder/a.txt").write_text("x")
    assert said(mistake["call"]) == mistake["words"]


def test_there_are_sixty() -> None:
    assert len(MISTAKES) >= 60
    assert not [one["words"] for one in MISTAKES if re.search(r"(?<![\w-])-[a-zA-Z] |--[a-z]", one["words"])]


@pytest.mark.parametrize(
    ("command", "python"),
    [
        ("run: -c counts them as 0", "run: complete=True counts them as 0"),
        ("nothing is relevant at -l 2.5: the", "nothing is relevant at level=2.5: the"),
        ("(--duplicates first)", "(duplicates='first')"),
        ("-m mapp: no such", "mapp: no such"),
        ("give it with -N", "give it with num_docs"),
        ("another --compat than", "another compat than"),
        ("printed by --compat 10.0", "printed by compat='10.0'"),
        ("expected with -R qrels_float", "expected with form='qrels_float'"),
        ("a file 'x -c y' of -J", "a file 'x -c y' of judged_only=True"),
        ("covid-c and a-m b", "covid-c and a-m b"),
    ],
)
def test_words(command: str, python: str) -> None:
    assert in_python(command) == python


def test_an_evaluation_as_a_mapping() -> None:
    e = pe.evaluate(Q, R, ["map", "P@5", "relstring"])
    assert list(e) == ["map", "P_5"]
    assert dict(e) == e.summary
    assert len(e) == 2
    assert [measure in e for measure in e] == [True, True]


def test_rows_as_records() -> None:
    import pandas

    rows = pandas.DataFrame(
        [(t, d, s) for t in R for d, s in R[t].items()], columns=["qid", "docno", "score"]
    )
    found = pe.evaluate(Q, rows.to_dict("records"), "map")
    assert found.summary == pe.evaluate(Q, R, "map").summary


@pytest.mark.parametrize("make", [lambda: pe.evaluate(Q, R, "mapp"), lambda: pe.Qrels("nofile")])
def test_worded_errors_are_pickled(make: Callable[[], Any]) -> None:
    import pickle

    with pytest.raises(pe.PresEvalError) as caught:
        make()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)

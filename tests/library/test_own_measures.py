"""Measures that users bring: wherever measures are named they are known, and what they return is checked."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from support.commands import Command

import pres_eval as pe
import pres_eval.ir_measures
from pres_eval import measures, pytrec_eval
from pres_eval.errors import MeasureError

QRELS = {f"q{number}": {"a": 1, "b": 2, "c": 0} for number in range(3)}
RUN = {f"q{number}": {"a": 3.0, "x": 2.0, "b": 1.0} for number in range(3)}

MODULE = """
import pres_eval as pe

def relto(batch, cutoff):
    "Relevant documents down to a rank, over the cutoff."
    return batch.relevant_places.within(cutoff) / cutoff

RELTO = pe.register("relto", relto, cutoffs=(1, 5))

def ones(batch):
    return [1.0] * 3

ONES = pe.register("ones_of_3", ones)
"""


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Leave the measures as they were."""
    before = dict(measures._OWN)
    yield
    measures._OWN.clear()
    measures._OWN.update(before)


def relto(batch: pe.Batch, cutoff: int) -> Any:
    """Relevant documents down to a rank, over the cutoff."""
    return batch.relevant_places.within(cutoff) / cutoff


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda batch: np.ones(2),
            r"found an array of float64 of shape \(2,\), expected finite numbers of shape \(3,\)",
        ),
        (
            lambda batch: [0.5],
            r"found a list of float64 of shape \(1,\), expected finite numbers of shape \(3,\)",
        ),
        (
            lambda batch: 0.5,
            r"found a float of float64 of shape \(\), expected finite numbers of shape \(3,\)",
        ),
        (lambda batch: None, r"found a NoneType of object of shape \(\), expected"),
        (lambda batch: [[1], [1, 2], [3]], r"found a list, expected finite numbers of shape \(3,\)"),
        (lambda batch: np.ones((3, 1)), r"found an array of float64 of shape \(3, 1\), expected"),
        (lambda batch: ["a", "b", "c"], r"found a list of <U1 of shape \(3,\), expected finite numbers"),
        (lambda batch: np.ones(3, complex), r"found an array of complex128 of shape \(3,\), expected"),
        (lambda batch: np.array([1, np.nan, 1]), r"found nan for topic 'q1', expected finite numbers"),
        (lambda batch: np.array([1, 2, -np.inf]), r"found -inf for topic 'q2', expected finite numbers"),
        (
            lambda batch: np.ma.array([1.0, 0.5, 1.0], mask=[False, True, False]),
            r"found nothing \(masked\) for topic 'q1', expected finite numbers",
        ),
        (lambda batch: batch.no_such, r"its function raised AttributeError: 'Batch' object has no"),
        (lambda batch: batch.rank.sort(), r"its function raised ValueError: .*read-only"),
    ],
)
@pytest.mark.parametrize("names", ["wrong", ["map", "wrong"]])
def test_what_a_function_must_return(function: Any, message: str, names: Any) -> None:
    pe.register("wrong", function)
    with pytest.raises(pe.PresEvalError, match=f"^measure wrong: {message}"):
        pe.evaluate(QRELS, RUN, names)
    with pytest.raises(pe.PresEvalError, match=f"^measure wrong: {message}"):
        pytrec_eval.RelevanceEvaluator(QRELS, {"wrong"}).evaluate(RUN)


@pytest.mark.parametrize("values", [[1, 0, 1], (1.0, 0.0, 1.0), [True, False, True], np.array([1, 0, 1])])
def test_lists_are_numbers(values: Any) -> None:
    pe.register("own_listed", lambda batch: values)
    assert pe.evaluate(QRELS, RUN, "own_listed")["own_listed"] == 2 / 3


def test_many_at_once() -> None:
    measures.add_measure(
        pe.Measure(
            "own_table",
            lambda batch, cutoff: np.ones((1, len(batch))),
            pe.register("relto", relto, cutoffs=(1, 5)).parameters,
            takes_many=True,
        )
    )
    with pytest.raises(
        pe.PresEvalError, match=r"found an array of float64 of shape \(1, 3\), expected .* \(2, 3\)"
    ):
        pe.evaluate(QRELS, RUN, "own_table")


@pytest.mark.parametrize("name", ["relto@2", "relto.2", "relto_2", "RELTO@2", "relto(judged_only=False)@2"])
def test_cutoffs_in_every_notation(name: str) -> None:
    pe.register("relto", relto, cutoffs=(1, 5))
    assert pe.evaluate(QRELS, RUN, name).summary == {"relto_2": 0.5}
    assert pe.evaluate(QRELS, RUN, "relto")["relto_5"] == pytest.approx(0.4)
    assert pe.evaluate(QRELS, RUN, "relto(rel=2)@3").summary == {"relto_3(rel=2)": 1 / 3}


@pytest.mark.parametrize(
    ("text", "message"), [("relto10", "did you mean relto.10"), ("half_10", "no such measure")]
)
def test_cutoffs_without_a_dot(text: str, message: str) -> None:
    pe.register("relto", relto, cutoffs=(1, 5))
    pe.register("half", lambda batch: np.full(len(batch), 0.5))
    with pytest.raises(MeasureError, match=message):
        pe.evaluate(QRELS, RUN, [text])


def test_drop_in_pytrec_eval() -> None:
    pe.register("relto", relto, cutoffs=(1, 5))
    for name in ("relto_2", "relto.2"):
        found = pytrec_eval.RelevanceEvaluator(QRELS, {name, "map"}).evaluate(RUN)
        assert found["q1"]["relto_2"] == 0.5
    assert set(pytrec_eval.RelevanceEvaluator(QRELS, {"relto"}).evaluate(RUN)["q0"]) == {"relto_1", "relto_5"}


def test_drop_in_ir_measures() -> None:
    pe.register("relto", relto, cutoffs=(1, 5))
    with pytest.raises(AssertionError, match="invalid param cutoff"):  # which ir_measures asks for
        ir_measures.calc_aggregate([ir_measures.parse_measure("relto")], QRELS, RUN)
    pe.register("own_half", lambda batch: batch.num_ret / 2)
    for name, value in (("relto@2", 0.5), ("relto(rel=2)@3", 1 / 3), ("own_half", 1.5)):
        measure = ir_measures.parse_measure(name)
        assert ir_measures.calc_aggregate([measure], QRELS, RUN) == {measure: value}
        assert pres_eval.ir_measures.PROVIDER.supports(measure)
        assert pickle.loads(pickle.dumps(measure)) == measure
    pe.register("own_half", lambda batch: batch.num_ret / 3)
    measure = ir_measures.parse_measure("own_half")
    assert ir_measures.calc_aggregate([measure], QRELS, RUN) == {measure: 1.0}
    pe.register("own_half", relto, cutoffs=(1, 5))  # which takes a cutoff now
    measure = ir_measures.parse_measure("own_half@2")
    assert ir_measures.calc_aggregate([measure], QRELS, RUN) == {measure: 0.5}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mymeasures.py").write_text(MODULE)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t in QRELS for d, g in QRELS[t].items()))
    rows = [f"{t} Q0 {d} 0 {s} t\n" for t in RUN for d, s in RUN[t].items()]
    (tmp_path / "run").write_text("".join(rows))
    (tmp_path / "other").write_text("".join(rows).replace(" a ", " y "))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mymeasures", raising=False)


@pytest.mark.parametrize(
    "names",
    [
        ["mymeasures:RELTO@2"],
        ["mymeasures:RELTO.2"],
        ["mymeasures:RELTO.2(rel=1)"],
        ["mymeasures:RELTO.1", "relto@2"],
    ],
)
def test_cutoffs_at_the_command_line(files: None, command: Command, names: list[str]) -> None:
    options = [part for name in names for part in ("-m", name)]
    assert "0.5000" in command.ok(*options, "qrels", "run").out.splitlines()[-1]


def test_other_commands(files: None, command: Command) -> None:
    """compare, gates and the report take them."""
    name = "mymeasures:RELTO@2"
    assert "relto_2" in command.ok("compare", "-m", name, "qrels", "run", "other").out
    command.ok("-m", name, "--fail-under", "relto_2=0.4", "qrels", "run")
    assert command("-m", name, "--against", "run", "qrels", "other").code == 3
    command.ok("report", "-m", name, "-o", "out.html", "qrels", "run", "other")
    assert "relto_2" in Path("out.html").read_text()


def test_help_with_the_text_of_ones_own(files: None, command: Command) -> None:
    text = command.ok("-h", "-m", "mymeasures:RELTO").out
    assert text.endswith("\nrelto\n    Relevant documents down to a rank, over the cutoff.\n")


@pytest.mark.parametrize("more", [[], ["-q"], ["-m", "map"]])
def test_a_wrong_shape_at_the_command_line(files: None, command: Command, more: list[str]) -> None:
    Path("run").write_text(Path("run").read_text().split("q1", 1)[0])
    done = command("-m", "mymeasures:ONES", *more, "qrels", "run")
    assert done.code == 1
    assert (
        "measure ones_of_3: found a list of float64 of shape (3,), expected finite numbers of shape (1,)"
        in done.err
    )


def test_a_measure_is_asked_for_as_what_register_returned() -> None:
    mine = pe.register("relto", relto, cutoffs=(1, 5))
    assert pe.evaluate(QRELS, RUN, mine).summary == pe.evaluate(QRELS, RUN, "relto").summary
    both = pe.evaluate(QRELS, RUN, [mine, "map", pe.list_measures()[0]])
    assert both.measures == pe.evaluate(QRELS, RUN, ["relto", "map", pe.list_measures()[0].name]).measures

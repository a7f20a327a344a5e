"""One tie rule: with it turned round, every source and every engine gives the other order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from support.dask_cluster import dask_cluster
from support.in_splits import InSplits, printed
from support.rankings import ranked_by

import pres_eval as pe
from pres_eval.checking import blocks
from pres_eval.engines import worker
from pres_eval.engines.copies import Copies, can_copy
from pres_eval.engines.processes import Processes
from pres_eval.pytrec_eval import RelevanceEvaluator
from pres_eval.ranking import order
from pres_eval.reading.judgements.relevance import read_relevance

pytestmark = pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")
LINES = ["1 Q0 a 1 2.0 t\n", "1 Q0 b 2 2.0 t\n", "1 Q0 c 3 1.0 t\n"]
QRELS = {"1": {"a": 1, "c": 0}}
TURNED = (
    "from pres_eval.ranking import order; rule = order.in_docno_order;"
    " order.in_docno_order = lambda places, sizes, up=False: rule(places, sizes, not up)"
)
"""The rule turned round in another process."""


@pytest.fixture
def run(tmp_path: Path) -> str:
    (tmp_path / "run").write_text("".join(LINES))
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 c 0\n")
    return str(tmp_path / "run")


@pytest.fixture
def turned(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Turns the rule round, here and in processes that are started anew."""
    rule = order.in_docno_order

    def in_docno_order(places: Any, sizes: Any, ascending: bool = False) -> Any:
        return rule(places, sizes, not ascending)

    def turn() -> None:
        for module in (blocks, order):
            monkeypatch.setattr(module, "in_docno_order", in_docno_order)
        begin = worker.WORKER_PROGRAM.replace("; main()", f"; exec({TURNED!r}); main()")
        monkeypatch.setattr(worker, "WORKER_PROGRAM", begin)

    return turn


def of_a_folder(run: str) -> Any:
    folder = Path(run).parent / "parts"
    folder.mkdir(exist_ok=True)
    for number, line in enumerate(LINES):
        (folder / f"part-{number}").write_text(line)
    return pe.evaluate(QRELS, str(folder), "recip_rank")["recip_rank"]


def by(engine: Any) -> Callable[[str], Any]:
    def recip_rank(run: str) -> Any:
        judged = read_relevance(str(Path(run).parent / "qrels"))
        with engine() as made:
            ranking = ranked_by(made, run, judged)
        return 1 / int(ranking.rank[ranking.document.tolist().index(0)])

    return recip_rank


def of_shuffled_lines(run: str) -> Any:
    """Topics are not together: the rows are collected and ranked."""
    lines = [
        f"{topic} Q0 {document} 1 {score} t\n" for document, score in (("a", 2), ("b", 2)) for topic in "12"
    ]
    Path(run).write_text("".join([*lines, *(f"3 Q0 d{n} 1 {n} t\n" for n in range(9))]))
    return pe.evaluate({"1": {"a": 1}, "2": {"a": 1}}, run, "recip_rank")["recip_rank"]


def of_a_frame(run: str) -> Any:
    pandas: Any = pytest.importorskip("pandas", reason="the extra `pandas` is not installed")
    frame = pandas.DataFrame({"query_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "score": [2.0, 2.0, 1.0]})
    return pe.evaluate(QRELS, frame, "recip_rank")["recip_rank"]


def of_a_long_dict(num_judged: int) -> Any:
    """More documents than plain Python ranks: 1,200 in no order, of which the first two are tied."""
    judged = {"a": 1} | {f"d{number}": 0 for number in range(num_judged)}
    run = {"a": 2.0, "b": 2.0} | {f"d{number}": -float(number * 7 % 1201) for number in range(1200)}
    return pe.evaluate({"1": judged}, {"1": run}, "recip_rank")["recip_rank"]


def of_an_accumulator(run: str) -> Any:
    accumulator = pe.Qrels(QRELS).accumulator("recip_rank")
    accumulator.update({"1": {"a": 2.0, "b": 2.0, "c": 1.0}})
    return accumulator.compute()["recip_rank"]


def of_converted_lines(run: str) -> Any:
    converted = Path(run).with_name("converted")
    assert printed(["convert", "--to", "msmarco", "-o", str(converted), run])[0] == 0
    return pe.evaluate(QRELS, str(converted), "recip_rank")["recip_rank"]


WAYS: dict[str, Callable[[str], Any]] = {
    "file": lambda run: pe.evaluate(QRELS, run, "recip_rank")["recip_rank"],
    "folder of parts": of_a_folder,
    "converted to ranks": of_converted_lines,
    "splits": by(lambda: nullcontext(InSplits(20))),
    "copies": by(lambda: nullcontext(Copies(2))),
    "local:2": by(lambda: Processes(2)),
    "dict": lambda run: pe.evaluate(QRELS, {"1": {"a": 2.0, "b": 2.0, "c": 1.0}}, "recip_rank")["recip_rank"],
    "rows": lambda run: pe.evaluate(QRELS, [("1", "a", 2.0), ("1", "b", 2.0), ("1", "c", 1.0)], "recip_rank")[
        "recip_rank"
    ],
    "arrays": lambda run: (
        pe.Qrels([("1", "17", 1)])
        .rank_top_k(["1"], np.array([[17, 4]]), np.array([[2.0, 2.0]]))
        .evaluate("recip_rank")["recip_rank"]
    ),
    "lines in any order": of_shuffled_lines,
    "few judged of a dict": lambda run: of_a_long_dict(3),
    "most judged of a dict": lambda run: of_a_long_dict(1200),
    "accumulator": of_an_accumulator,
    "frame": of_a_frame,
    "few documents": lambda run: RelevanceEvaluator(QRELS, {"recip_rank"}).evaluate(
        {"1": {"a": 2.0, "b": 2.0, "c": 1.0}}
    )["1"]["recip_rank"],
}


@pytest.mark.parametrize("way", WAYS)
def test_the_rule_turned_round(way: str, run: str, turned: Callable[[], None]) -> None:
    if way == "copies" and not can_copy():
        pytest.skip("processes are not copied here")
    before = WAYS[way](run)
    turned()
    after = WAYS[way](run)
    # By docno, descending, a is behind b; as numbers are written, 17 is behind 4.
    assert (before, after) == (0.5, 1.0)


def test_check_asks_the_same_rule(run: str, turned: Callable[[], None]) -> None:
    """The two trec_evals order scores that are equal in 32 bits alone differently, or not, by docno."""
    Path(run).write_text("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n")
    command = ["check", str(Path(run).parent / "qrels"), run]
    before = printed(command)[1]
    turned()
    assert (b"float32-ties" in before, b"float32-ties" in printed(command)[1]) == (True, False)


@pytest.fixture
def dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    distributed: Any = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    with (
        dask_cluster(tmp_path, 1) as made,
        distributed.Client(scheduler_file=str(made.file), set_as_default=False) as client,
    ):
        client.wait_for_workers(1, timeout=60)
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dask_asks_the_same_rule(run: str, dask: Any) -> None:
    def recip_rank() -> Any:
        return pe.evaluate(QRELS, run, "recip_rank", cluster=dask)["recip_rank"]

    before = recip_rank()
    dask.run(exec, TURNED, {})
    assert (before, recip_rank()) == (0.5, 1.0)

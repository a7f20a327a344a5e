"""Times calls from Python beside pytrec_eval, ir_measures and ranx; run by hand, on a quiet machine.

    python tests/bench/python_bench.py [--topics 6980] [--depth 1000] [--rounds 5] [--json FILE]

Every row times one call from the user's object to numbers (map, nDCG@10, PRES@100; those who lack PRES
compute the other two).  The programs take turns, so that what else the machine does hits them alike; the
medians are printed, and each program's share of the row's yardstick.  Packages that are not installed are
left out.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[], Any]
MEASURES = ["map", "ndcg_cut.10", "PRES.100"]
COLUMNS_24 = [
    *("map_cut.1,3,5,10,100,1000", "ndcg_cut.1,3,5,10,100,1000", "recall.1,3,5,10,100,1000"),
    "P.1,3,5,10,100,1000",
]


class Data:
    """A made collection: sorted scores, a few judged documents for each topic."""

    def __init__(self, topics: int, depth: int, judged: float, seed: int = 7) -> None:
        rng = np.random.default_rng(seed)
        self.ids = self._without_repeats(rng, rng.integers(0, 8_841_823, (topics, depth)))
        self.scores = np.round(-np.sort(-rng.random((topics, depth)) * 30, axis=1), 6)
        self.topics = [str(1_000_000 + number) for number in range(topics)]
        self.qrels: dict[str, dict[str, int]] = {}
        for row, topic in enumerate(self.topics):
            count = max(int(depth * judged), 2)
            chosen = rng.choice(depth, count, replace=False)
            documents = [str(document) for document in self.ids[row, chosen].tolist()]
            documents += [str(number) for number in rng.integers(9_000_000, 9_900_000, 2).tolist()]
            grades = rng.integers(0, 3, len(documents)).tolist()
            self.qrels[topic] = dict(zip(documents, grades, strict=True))

    @staticmethod
    def _without_repeats(rng: np.random.Generator, ids: Any) -> Any:
        while True:
            in_order = np.sort(ids, axis=1)
            wrong = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
            if not len(wrong):
                return ids
            ids[wrong] = rng.integers(0, 8_841_823, (len(wrong), ids.shape[1]))

    def run(self) -> dict[str, dict[str, float]]:
        """The run as pytrec_eval takes it."""
        return {
            topic: dict(zip(map(str, ids), scores, strict=True))
            for topic, ids, scores in zip(self.topics, self.ids.tolist(), self.scores.tolist(), strict=True)
        }

    def columns(self) -> dict[str, Any]:
        """The run as columns."""
        depth = self.ids.shape[1]
        return {
            "query_id": [topic for topic in self.topics for _ in range(depth)],
            "doc_id": list(map(str, self.ids.ravel().tolist())),
            "score": self.scores.ravel(),
        }


def has(*names: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in names)


def medians(calls: dict[str, Call], rounds: int, times: int, clock: Callable[[], float]) -> dict[str, float]:
    """Seconds for each call, the programs taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            gc.collect()
            start = clock()
            for _ in range(times):
                call()
            if number:  # the first round warms up
                taken[name].append((clock() - start) / times)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def peak(call: Call) -> float:
    """Megabytes that Python and numpy asked for at most."""
    gc.collect()
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def pytrec_eval_call(qrels: Any, run: Any, measures: list[str]) -> Call:
    import pytrec_eval

    names = {measure for measure in measures if not measure.startswith("PRES")}
    return lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)


def ir_measures_call(qrels: Any, run: Any, default: bool) -> Call:
    import ir_measures

    wanted = [ir_measures.AP, ir_measures.nDCG @ 10]
    provider = ir_measures.DefaultPipeline
    if default:
        provider = ir_measures.providers.FallbackProvider(
            [one for one in provider.providers if one.NAME != "pres_eval"]
        )
    else:
        import pres_eval.ir_measures as ours

        provider, wanted = ours.PROVIDER, [*wanted, ours.PRES @ 100]
    return lambda: provider.calc_aggregate(wanted, qrels, run)


def ranx_call(data: Data) -> Call:
    import ranx

    qrels = ranx.Qrels(data.qrels)
    run = data.run()
    return lambda: ranx.evaluate(qrels, ranx.Run(run), ["map", "ndcg@10"])


def table_calls(data: Data) -> dict[str, Call]:
    """Tables of pandas, Arrow and polars, and the first as ir_measures takes it."""
    import pres_eval as pe

    qrels, columns = data.qrels, data.columns()
    calls: dict[str, Call] = {}
    if has("pandas"):
        pandas = __import__("pandas").DataFrame(columns)
        objects = pandas.astype({"query_id": object, "doc_id": object})
        if has("ir_measures"):
            calls["ir_measures, pandas"] = ir_measures_call(qrels, pandas, default=True)
            calls["pres_eval.ir_measures, pandas"] = ir_measures_call(qrels, pandas, default=False)
        calls["pres-eval, pandas"] = lambda: pe.evaluate(qrels, pandas, MEASURES)
        calls["pres-eval, pandas of objects"] = lambda: pe.evaluate(qrels, objects, MEASURES)
    if has("pyarrow"):
        arrow = __import__("pyarrow").table(columns)
        calls["pres-eval, Arrow"] = lambda: pe.evaluate(qrels, arrow, MEASURES)
    if has("polars"):
        polars = __import__("polars").DataFrame(columns)
        calls["pres-eval, polars"] = lambda: pe.evaluate(qrels, polars, MEASURES)
    return calls


def large_rows(data: Data) -> list[tuple[str, dict[str, Call]]]:
    """The rows of the table over the large collection, the yardstick first in each."""
    import pres_eval as pe

    qrels, run = data.qrels, data.run()
    rows: list[tuple[str, dict[str, Call]]] = []
    calls: dict[str, Call] = {}
    if has("pytrec_eval"):
        calls["pytrec_eval"] = pytrec_eval_call(qrels, run, MEASURES)
    calls["pres-eval"] = lambda: pe.evaluate(qrels, run, MEASURES)
    if has("pytrec_eval"):
        from pres_eval import pytrec_eval as drop_in

        calls["pres_eval.pytrec_eval"] = lambda: drop_in.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    if has("ir_measures"):
        calls["pres_eval.ir_measures"] = ir_measures_call(qrels, run, default=False)
        calls["ir_measures"] = ir_measures_call(qrels, run, default=True)
    if has("ranx"):
        calls["ranx"] = ranx_call(data)
    rows.append(("dict of dicts", calls))
    rows.append(("tables", table_calls(data)))
    calls = {}
    if has("pytrec_eval"):
        import pytrec_eval

        names = {measure for measure in MEASURES if not measure.startswith("PRES")}
        calls["pytrec_eval, dicts made"] = lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(
            data.run()
        )
    ids, scores = data.ids, data.scores.astype(np.float32)
    calls["pres-eval"] = lambda: pe.Qrels(qrels).rank_top_k(data.topics, ids, scores).evaluate(MEASURES)
    rows.append(("arrays of whole numbers", calls))
    return rows


def small_rows() -> list[tuple[str, dict[str, Call]]]:
    """50 topics of 100 documents, the same judgements for many runs."""
    import pres_eval as pe
    from pres_eval import pytrec_eval as drop_in

    rows = []
    for judged in (0.04, 1.0):
        data = Data(50, 100, judged)
        qrels, run = data.qrels, data.run()
        ours = pe.Qrels(qrels)
        for title, names in (("3", MEASURES), ("24", COLUMNS_24)):
            calls: dict[str, Call] = {}
            if has("pytrec_eval"):
                import pytrec_eval

                theirs = pytrec_eval.RelevanceEvaluator(
                    qrels, {name for name in names if not name.startswith("PRES")}
                )
                calls["pytrec_eval"] = lambda theirs=theirs, run=run: theirs.evaluate(run)  # type: ignore[misc]
            same = drop_in.RelevanceEvaluator(qrels, names)
            calls["pres_eval.pytrec_eval"] = lambda same=same, run=run: same.evaluate(run)  # type: ignore[misc]
            calls["pres-eval"] = (
                lambda ours=ours, run=run, names=names: ours.rank(run).evaluate(names)  # type: ignore[misc]
            )
            rows.append((f"50 x 100, {title} columns, {judged:.0%} judged", calls))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--topics", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time, where others work too")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    print("| work | program | median | share |\n|---|---|---|---|")
    clock = time.process_time if arguments.cpu else time.perf_counter
    for times, make in (
        (100, small_rows),
        (1, lambda: large_rows(Data(arguments.topics, arguments.depth, 0.003))),
    ):
        for work, calls in make():
            taken = medians(calls, arguments.rounds, times, clock)
            yardstick = next(iter(taken.values()))
            for name, seconds in taken.items():
                print(
                    f"| {work} | {name} | {seconds * 1000:.2f} ms | {seconds / yardstick:.3f} |", flush=True
                )
                found.append(
                    {"work": work, "program": name, "seconds": seconds, "share": seconds / yardstick}
                )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"python": sys.version, "rows": found}, indent=1))


if __name__ == "__main__":
    main()

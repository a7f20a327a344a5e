"""Time calls from Python beside pytrec_eval, ir_measures and ranx, and print one Markdown table.

    python tests/bench/python_bench.py [--only GROUP ...] [--topics 6980] [--rounds 5] [--page PAGE]

Every number is of one call from the user's object to numbers (map, nDCG@10, PRES@100; those who lack PRES
compute the other two).  The programs of a group take turns, so that what else the machine does hits them
alike, and each ran once before it counts; medians are printed, wall time and that of the processors.  Memory
is what a call needs besides what is there before it, as the kernel sees it in a process of its own (Linux).
Packages that are not installed are left out.  --page writes the table into a page's
section, docs/maintainers/performance.md.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib.util
import os
import re
import signal
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from run_bench import machine

Call = Callable[[], Any]
MEASURES = ["map", "ndcg_cut.10", "PRES.100"]
COLUMNS_24 = [
    *("map_cut.1,3,5,10,100,1000", "ndcg_cut.1,3,5,10,100,1000", "recall.1,3,5,10,100,1000"),
    "P.1,3,5,10,100,1000",
]
MOST_SECONDS = 300
"""After so many the measuring of memory is given up."""


@dataclass(frozen=True)
class Group:
    """Calls of ours that are timed beside one of somebody else's.

    theirs, yardstick  its name, and the call; None if that package is not installed
    ours     for each of our calls what it is of, the call, and the share of the yardstick that is the target
    times    calls that are timed together
    given    megabytes of what the calls are given, None if that is nothing to speak of
    """

    theirs: str
    yardstick: Call | None
    ours: tuple[tuple[str, Call, str], ...]
    times: int = 1
    given: float | None = None


@dataclass(frozen=True)
class Found:
    """Medians of one call: seconds, those of the processors, and megabytes if they were measured."""

    wall: float
    cpu: float
    memory: float | None


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


def resident(what: str) -> float:
    """Megabytes of this process, as the kernel says them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1000
    raise AssertionError(f"no {what}")


def give_back() -> None:
    """Give free memory back, so that what is used next is seen."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def peak(call: Call) -> float | None:
    """Megabytes that a call needs at most besides what is there; None where the kernel does not tell."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    give_back()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(MOST_SECONDS)
            Path("/proc/self/clear_refs").write_text("5")  # the largest so far begins anew
            before = resident("VmRSS")
            call()
            os.write(write, str(resident("VmHWM") - before).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return float(text) if text else None


def made(make: Callable[[], Any]) -> tuple[Any, float | None]:
    """What a function makes, and how many megabytes it takes."""
    if not Path("/proc/self/status").exists():
        return make(), None
    give_back()
    before = resident("VmRSS")
    value = make()
    give_back()
    return value, resident("VmRSS") - before


def measure(group: Group, rounds: int) -> list[Found]:
    """The yardstick (if it is there) and our calls, which take turns."""
    calls = [*([group.yardstick] if group.yardstick else []), *(call for _, call, _ in group.ours)]
    taken: list[list[tuple[float, float]]] = [[] for _ in calls]
    for number in range(rounds + 1):
        for own, call in zip(taken, calls, strict=True):
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(group.times):
                call()
            if number:  # the first round warms up
                own.append((time.perf_counter() - wall, time.process_time() - cpu))
    return [
        Found(
            wall=statistics.median(wall for wall, _ in own) / group.times,
            cpu=statistics.median(cpu for _, cpu in own) / group.times,
            memory=None if group.given is None else peak(call),  # when all that it imports is there
        )
        for own, call in zip(taken, calls, strict=True)
    ]


def lines_of(group: Group, found: list[Found]) -> Iterator[str]:
    """The lines of the table."""
    theirs = found.pop(0) if group.yardstick else None
    for (work, _, target), ours in zip(group.ours, found, strict=True):
        ratio = f"{ours.wall / theirs.wall:.2f} ({ours.cpu / theirs.cpu:.2f})" if theirs else ""
        cells = [work, shown(ours), f"{group.theirs}: {shown(theirs)}" if theirs else "", ratio, target]
        cells += [
            megabytes(ours.memory),
            megabytes(theirs.memory if theirs else None),
            megabytes(group.given),
        ]
        yield f"| {' | '.join(cells)} |"


def shown(found: Found) -> str:
    if found.wall < 0.0001:
        return f"{found.wall * 1e6:.1f} ({found.cpu * 1e6:.1f}) µs"
    return " ".join(
        text.format(seconds * 1000 if found.wall < 0.01 else seconds)
        for text, seconds in (
            ("{:.2f}" if found.wall < 0.01 else "{:.3f}", found.wall),
            ("({:.2f}) ms" if found.wall < 0.01 else "({:.3f}) s", found.cpu),
        )
    )


def megabytes(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


HEADS = [
    "work",
    *("ours: wall (CPU)", "theirs: wall (CPU)", "ours / theirs", "target"),
    *("ours, MB", "theirs, MB", "given, MB"),
]


def pytrec_eval_call(qrels: Any, run: Callable[[], Any]) -> Call | None:
    if not has("pytrec_eval"):
        return None
    import pytrec_eval

    names = {measure for measure in MEASURES if not measure.startswith("PRES")}
    return lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run())


def ir_measures_call(qrels: Any, run: Any, default: bool) -> Call:
    import ir_measures

    wanted = [ir_measures.AP, ir_measures.nDCG @ 10]
    provider = ir_measures.DefaultPipeline
    if default:
        provider = ir_measures.providers.FallbackProvider(
            [one for one in provider.providers if not one.NAME.startswith("pres_eval")]
        )
    else:
        import pres_eval.ir_measures as ours

        provider, wanted = ours.PROVIDER, [*wanted, ours.PRES @ 100]
    return lambda: provider.calc_aggregate(wanted, qrels, run)


def dict_groups(data: Data) -> Iterator[Group]:
    """A dict of dicts, beside whoever takes one."""
    import pres_eval as pe
    from pres_eval import pytrec_eval as drop_in

    qrels = data.qrels
    run, given = made(data.run)
    yield Group(
        theirs="pytrec_eval",
        yardstick=pytrec_eval_call(qrels, lambda: run),
        ours=(
            ("dict of dicts", lambda: pe.evaluate(qrels, run, MEASURES), "≤ 0.2"),
            (
                "dict of dicts, `pres_eval.pytrec_eval`",
                lambda: drop_in.RelevanceEvaluator(qrels, MEASURES).evaluate(run),
                "≤ 0.2",
            ),
        ),
        given=given,
    )
    if has("ir_measures"):
        provider = ir_measures_call(qrels, run, default=False)
        yield Group(
            theirs="ir_measures",
            yardstick=ir_measures_call(qrels, run, default=True),
            ours=(("dict of dicts, `pres_eval.ir_measures`", provider, "≤ 0.5"),),
            given=given,
        )


def ranx_groups(data: Data) -> Iterator[Group]:
    """The same beside ranx, which may have an environment of its own."""
    if not has("ranx"):
        return
    import ranx

    import pres_eval as pe

    run, given = made(data.run)
    theirs = ranx.Qrels(data.qrels)
    yield Group(
        theirs="ranx",
        yardstick=lambda: ranx.evaluate(theirs, ranx.Run(run), ["map", "ndcg@10"], make_comparable=True),
        ours=(("dict of dicts", lambda: pe.evaluate(data.qrels, run, MEASURES), ""),),
        given=given,
    )


def table_groups(data: Data) -> Iterator[Group]:
    """Tables of pandas, Arrow and polars; ir_measures takes the first."""
    import pres_eval as pe

    if not has("pandas"):
        return
    import pandas

    qrels, columns = data.qrels, data.columns()
    frame, given = made(partial(pandas.DataFrame, columns))
    tables = {"pandas": (frame, "≤ 0.1")}
    tables["pandas, columns of objects"] = frame.astype({"query_id": object, "doc_id": object}), "≤ 0.1"
    if has("pyarrow"):
        tables["Arrow"] = __import__("pyarrow").table(columns), "≤ 0.05"
    if has("polars"):
        tables["Polars"] = __import__("polars").DataFrame(columns), "≤ 0.05"
    del columns
    ours: list[tuple[str, Call, str]] = [
        (f"table: {name}", lambda table=table: pe.evaluate(qrels, table, MEASURES), target)  # type: ignore[misc]
        for name, (table, target) in tables.items()
    ]
    yardstick = None
    if has("ir_measures"):
        yardstick = ir_measures_call(qrels, frame, default=True)
        provider = ir_measures_call(qrels, frame, default=False)
        ours.append(("table: pandas, `pres_eval.ir_measures`", provider, "≤ 0.1"))
    yield Group(theirs="ir_measures", yardstick=yardstick, ours=tuple(ours), given=given)


def array_groups(data: Data) -> Iterator[Group]:
    """Arrays of whole numbers, as a vector search gives them; the others have to be given dicts."""
    import pres_eval as pe

    ids, scores = data.ids, data.scores.astype(np.float32)
    qrels = data.qrels
    yield Group(
        theirs="pytrec_eval, dicts made",
        yardstick=pytrec_eval_call(qrels, data.run),
        ours=(
            (
                "arrays of whole numbers",
                lambda: pe.Qrels(qrels).rank_top_k(data.topics, ids, scores).evaluate(MEASURES),
                "≤ 0.1",
            ),
        ),
        given=(ids.nbytes + scores.nbytes) / 1e6,
    )


def small_groups(data: Data) -> Iterator[Group]:
    """50 topics of 100 documents, the same judgements for many runs."""
    import pres_eval as pe
    from pres_eval import pytrec_eval as drop_in

    for judged in (0.04, 1.0):
        small = Data(50, 100, judged)
        qrels, run = small.qrels, small.run()
        own = pe.Qrels(qrels)
        for count, names in ((3, MEASURES), (24, COLUMNS_24)):
            work = f"50 × 100 with the same judgements, {count} columns, {judged:.0%} judged"
            same = drop_in.RelevanceEvaluator(qrels, names)
            yardstick = None
            if has("pytrec_eval"):
                import pytrec_eval

                theirs = pytrec_eval.RelevanceEvaluator(
                    qrels, {name for name in names if not name.startswith("PRES")}
                )
                yardstick = partial(theirs.evaluate, run)
            yield Group(
                theirs="pytrec_eval",
                yardstick=yardstick,
                ours=(
                    (f"{work}, `pres_eval.pytrec_eval`", partial(same.evaluate, run), "≤ 1.0"),
                    (f"{work}, `Qrels.rank`", partial(_rank_and_evaluate, own, run, names), ""),
                ),
                times=100,
            )


SIZES = (
    (1, 10, "≤ 3.2"),
    (1, 100, "≤ 1.1"),
    (10, 10, "≤ 3.3"),
    (50, 10, "≤ 3.3"),
    (50, 100, "≤ 0.9"),
)
"""Topics and documents of small calls, and the share of pytrec_eval's time that is the target."""


def few_groups(data: Data) -> Iterator[Group]:
    """Calls with few documents, as rewards and training steps make them: map, nDCG@10, reciprocal rank."""
    from pres_eval import pytrec_eval as drop_in

    names = ["map", "ndcg_cut.10", "recip_rank"]
    for topics, depth, target in SIZES:
        small = Data(topics, depth, 0.3 if depth == 10 else 0.04)
        qrels, run = small.qrels, small.run()
        kinds: list[Any] = [drop_in.RelevanceEvaluator]
        if has("pytrec_eval"):
            import pytrec_eval

            kinds.append(pytrec_eval.RelevanceEvaluator)
        for how, most in (("the evaluator kept", target), ("a new evaluator each time", "≤ 3.0")):
            calls: list[Call] = [
                partial(kind(qrels, set(names)).evaluate, run)
                if how == "the evaluator kept"
                else partial(_made_anew, kind, qrels, names, run)
                for kind in kinds
            ]
            yield Group(
                theirs="pytrec_eval",
                yardstick=calls[1] if len(calls) > 1 else None,
                ours=((f"{topics} × {depth}, {how}, `pres_eval.pytrec_eval`", calls[0], most),),
                times=2000 if topics * depth <= 100 else 100,
            )


def accumulator_groups(data: Data) -> Iterator[Group]:
    """4,000 topics of ten documents, one after the other: an accumulator beside a call for each."""
    import pres_eval as pe

    small = Data(4000, 10, 0.3)
    judged, run = pe.Qrels(small.qrels), small.run()
    names = ["map", "ndcg_cut.10", "recip_rank"]

    def accumulate() -> Any:
        """Add the topics to one accumulator."""
        accumulator = judged.accumulator(names)
        for topic, documents in run.items():
            accumulator.update({topic: documents})
        return accumulator.compute()

    def call() -> Any:
        """Evaluate each topic by itself."""
        return [judged.rank({topic: documents}).evaluate(names) for topic, documents in run.items()]

    yield Group(
        theirs="`Qrels.rank(…).evaluate(…)` of each",
        yardstick=call,
        ours=(("4,000 × 10, one topic at a time into an accumulator", accumulate, "≤ 2.0"),),
    )


def rank_groups(data: Data) -> Iterator[Group]:
    """One topic of ten documents, ranked and evaluated."""
    import pres_eval as pe

    small = Data(1, 10, 0.3)
    names = ["map", "ndcg_cut.10", "recip_rank"]
    run = small.run()
    yardstick = None
    if has("pytrec_eval"):
        import pytrec_eval

        yardstick = partial(pytrec_eval.RelevanceEvaluator(small.qrels, set(names)).evaluate, run)
    judged = pe.Qrels(small.qrels)
    yield Group(
        theirs="pytrec_eval",
        yardstick=yardstick,
        ours=(("1 × 10, `Qrels.rank`", partial(_rank_and_evaluate, judged, run, names), "≤ 40"),),
        times=500,
    )


def _made_anew(kind: Any, qrels: Any, names: list[str], run: Any) -> Any:
    return kind(qrels, set(names)).evaluate(run)


def _rank_and_evaluate(qrels: Any, run: Any, names: list[str]) -> Any:
    return qrels.rank(run).evaluate(names)


GROUPS: dict[str, Callable[[Data], Iterator[Group]]] = {
    "few": few_groups,
    "small": small_groups,
    "dicts": dict_groups,
    "ranx": ranx_groups,
    "tables": table_groups,
    "arrays": array_groups,
    "rank": rank_groups,
    "accumulators": accumulator_groups,
}


def table(data: Data, chosen: list[str], rounds: int) -> Iterator[str]:
    """The Markdown, line by line."""
    yield f"Measured on {machine()}; medians of {rounds}."
    yield f"{len(data.topics):,} topics of {data.ids.shape[1]:,} documents, unless a row has other numbers."
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"| --- |{' ---: |' * (len(HEADS) - 1)}"
    for name in chosen:
        for group in GROUPS[name](data):
            yield from lines_of(group, measure(group, rounds))


def write_into(page: Path, text: str) -> None:
    """Put the table in the place of the one that the page's section has."""
    pattern = re.compile(r"(^## From Python\n.*?)^Measured on.*?(?=\n## )", re.DOTALL | re.MULTILINE)
    old = page.read_text()
    new, count = pattern.subn(lambda match: f"{match[1]}{text}\n", old)
    if count != 1:
        sys.exit(f'{page}: no section "From Python" with a line that begins with "Measured on"')
    page.write_text(new)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--topics", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of ties in the made scores, and of forks
    lines = []
    data = Data(arguments.topics, arguments.depth, 0.003)
    for line in table(data, arguments.only, arguments.rounds):
        print(line, flush=True)
        lines.append(line)
    if arguments.page is not None:
        write_into(arguments.page, "\n".join(lines))


if __name__ == "__main__":
    main()

"""What workers cost: `python tests/bench/cluster.py FOLDER LINES [WORKERS ...]`; FOLDER takes the files.

One table: wall and CPU seconds, peak memory of the process that merges and of a worker, bytes sent to workers
and back.  `--shuffled` puts the lines in no order, `--parquet` writes row groups, `--dask` uses Dask's local
cluster, `--runs N` cuts the lines into so many runs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import resource
import time
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pres_eval.cluster.engines import Engine, Here, Result, Shared, Work
from pres_eval.cluster.on_dask import OnDask
from pres_eval.cluster.processes import Processes
from pres_eval.cluster.ranking import Plan
from pres_eval.cluster.runs import rank_runs
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.any_format import read_any_run
from pres_eval.reading.relevance import read_relevance
from pres_eval.reading.source import Source
from pres_eval.scoring import evaluate

PER_TOPIC = 1000
LINE = b"0000000 Q0 D00000000 0000 0000.0000 t\n"
AT_ONCE = 1_000_000


def digits(target: Any, start: int, width: int, numbers: Any) -> None:
    """Write numbers into a column of fixed width."""
    for place in range(width):
        target[:, start + width - 1 - place] = numbers // 10**place % 10 + ord("0")


def document_of(topic: Any, rank: Any) -> Any:
    """The number of a document; blocks of lines differ in their topics alone, so that they are made fast."""
    return (topic % (AT_ONCE // PER_TOPIC) * 7919 + rank * 10_007) % 100_000_000


@cache
def block() -> tuple[Any, Any]:
    """Lines (N, bytes) of a run, and the scores in ten-thousandths."""
    row = np.arange(AT_ONCE)
    topic, rank = row // PER_TOPIC, row % PER_TOPIC
    document = document_of(topic, rank)
    score = (PER_TOPIC - rank) * 9_000 + (topic * 31 + rank) % 8_999
    text = np.tile(np.frombuffer(LINE, np.uint8), (AT_ONCE, 1))
    for start, width, numbers in ((12, 8, document), (21, 4, rank + 1), (26, 4, score // 10_000)):
        digits(text, start, width, numbers)
    digits(text, 31, 4, score % 10_000)
    return text, score


def lines_from(first: int, count: int) -> tuple[Any, Any]:
    """The same from a line on, which begins a block."""
    text, score = block()
    digits(text, 0, 7, np.arange(first, first + AT_ONCE) // PER_TOPIC)
    return text[:count], score[:count]


def make(folder: Path, lines: int, shuffled: bool, parquet: bool, runs: int) -> tuple[Path, list[Path]]:
    """The judgements and the runs; those that are there already are not made again."""
    qrels = folder / f"qrels-{lines}"
    with qrels.open("wb") as stream:
        for topic in range(lines // PER_TOPIC):
            for rank in (3, 40, 200, 777):
                stream.write(b"%07d 0 D%08d 1\n" % (topic, document_of(topic, rank)))
    kind = f"{'shuffled' if shuffled else 'run'}-{lines}"
    if runs > 1:
        text = lines_from(0, lines // runs)[0].tobytes()
        paths = [folder / f"{kind}-{number:04d}.txt" for number in range(runs)]
        for path in paths:
            path.write_bytes(text)
        return qrels, paths
    path = folder / f"{kind}.{'parquet' if parquet else 'txt'}"
    if not path.exists():
        write_parquet(path, lines) if parquet else write_text(path, lines, shuffled)
    return qrels, [path]


def write_text(path: Path, lines: int, shuffled: bool) -> None:
    order = np.random.default_rng(1).permutation(lines) if shuffled else None
    whole = np.empty((lines, len(LINE)), np.uint8) if shuffled else None
    with path.open("wb") as stream:
        for first in range(0, lines, AT_ONCE):
            count = min(AT_ONCE, lines - first)
            text = lines_from(first, count)[0]
            if whole is None or order is None:
                stream.write(text.tobytes())
            else:
                whole[order[first : first + count]] = text
        if whole is not None:
            whole.tofile(stream)


def write_parquet(path: Path, lines: int) -> None:
    import pyarrow
    import pyarrow.parquet

    kinds = pyarrow.schema(
        [("qid", pyarrow.string()), ("docno", pyarrow.string()), ("score", pyarrow.float64())]
    )

    def texts(characters: Any) -> Any:
        width = characters.shape[1]
        offsets = pyarrow.py_buffer(np.arange(0, characters.size + 1, width, dtype=np.int32))
        data = pyarrow.py_buffer(np.ascontiguousarray(characters))
        return pyarrow.StringArray.from_buffers(len(characters), offsets, data)

    with pyarrow.parquet.ParquetWriter(path, kinds) as writer:
        for first in range(0, lines, AT_ONCE):
            text, score = lines_from(first, min(AT_ONCE, lines - first))
            columns = [texts(text[:, :7]), texts(text[:, 11:20]), pyarrow.array(score / 10_000)]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=kinds))


class Weighed:
    """An engine, and the bytes that go to its workers and come back."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.sent = self.back = self.tasks = 0

    @property
    def workers(self) -> int:
        return self._engine.workers

    def share(self, value: Any, what: str) -> Shared:
        self.sent += self._engine.workers * len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        return self._engine.share(value, what)

    def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Generator[Result, None, None]:
        with contextlib.closing(self._engine.map(work, items, *shared)) as results:
            for result in results:
                self.tasks += 1
                self.back += len(pickle.dumps(result, pickle.HIGHEST_PROTOCOL))
                yield result


def cpu_of(numbers: Iterable[int]) -> float:
    """CPU seconds of some processes so far."""
    ticks = 0
    for number in numbers:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_of(number: int | str) -> float:
    """The most memory that a process has had, in megabytes."""
    for line in Path(f"/proc/{number}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return 0.0


@contextlib.contextmanager
def workers_of(kind: str, count: int) -> Iterator[tuple[Engine, Any]]:
    """An engine, and what gives the numbers of its processes."""
    if kind == "dask":
        import distributed

        with (
            distributed.LocalCluster(  # type: ignore[no-untyped-call]
                count, threads_per_worker=1, dashboard_address=None, memory_limit="4GB"
            ) as made,
            distributed.Client(made) as client,  # type: ignore[no-untyped-call]
        ):
            yield OnDask(client), lambda: list(client.run(os.getpid).values())
    elif count:
        processes = Processes(count)
        try:
            yield processes, lambda: processes.numbers
        finally:
            processes.close()
    else:
        yield Here(), list


def measure(kind: str, count: int, qrels: Path, runs: list[Path]) -> str:
    judged = read_relevance(str(qrels))
    options = Options()
    selection = select(["official", "PRES"], options)
    with workers_of(kind, count) as (engine, numbers):
        weighed = Weighed(engine)
        before = cpu_of(numbers()) if kind == "dask" else 0.0
        mine = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        started = time.monotonic()
        if kind == "one":
            rankings = [read_any_run(Source(str(run)), judged, options, 2) for run in runs]
        else:
            found = rank_runs([str(run) for run in runs], judged, options, weighed, Plan())
            rankings = [each.checked() for each in found]
        sums = {evaluate(judged, ranking, selection, options).summary for ranking in rankings}
        wall = time.monotonic() - started
        every = numbers()
        cpu = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - mine + cpu_of(every) - before
        peaks = max([peak_of(number) for number in every], default=0.0)
        digest = hash(tuple(sums)) % 10**6
        figures = (f"{wall:.1f}", f"{cpu:.1f}", f"{peak_of('self'):.0f}", f"{peaks:.0f}")
        weights = (f"{weighed.sent / 1e6:.1f}", f"{weighed.back / 1e6:.1f}", weighed.tasks, digest)
        return f"| {' | '.join(map(str, (kind, count, *figures, *weights)))} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("lines", type=int)
    parser.add_argument("workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--parquet", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    said = parser.parse_args()
    qrels, runs = make(said.folder, said.lines, said.shuffled, said.parquet, said.runs)
    kinds = [("dask" if said.dask else "local", count) for count in said.workers if count]
    for kind, count in [*([("one", 0)] if 0 in said.workers else []), *kinds]:
        child = os.fork()  # so that peaks are those of one measurement
        if not child:
            print(measure(kind, count, qrels, runs), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()

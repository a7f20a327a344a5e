"""What workers cost: `python tests/bench/cluster.py FOLDER LINES [WORKERS ...]`; FOLDER takes the files.

Tables: wall and CPU seconds, peak memory of the process that merges, of a worker and of Dask's scheduler,
bytes sent to workers and back.  0 workers are one process with two threads.  The lines are read as a text
whose topics are together; `--parquet` also reads them as row groups, `--shuffled` in no order, `--runs N` cut
into so many runs.  `--dask` also lets Dask's workers read them.  Each measurement is made in a process of its
own, and begins when the workers are there; the last table is of tasks in which nothing is done.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pres_eval.engines.engine import Engine, Result, Shared, ThisProcess, Work
from pres_eval.engines.memory import allow_keeping_memory
from pres_eval.engines.on_dask import OnDask
from pres_eval.engines.processes import Processes
from pres_eval.errors import RunFailure
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.reading.run_files import run_at
from pres_eval.scoring import evaluate

EMPTY = {"local": 20_000, "dask": 3_000}
"""Tasks in which nothing is done."""

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


def make(folder: Path, lines: int, form: str, runs: int) -> tuple[Path, list[Path]]:
    """The judgements and the runs; those that are there already are not made again."""
    of_a_run = lines // runs
    qrels = folder / f"qrels-{of_a_run}"
    if not qrels.exists():
        with qrels.open("wb") as stream:
            for topic in range(-(-of_a_run // PER_TOPIC)):
                for rank in (3, 40, 200, 777):
                    stream.write(b"%07d 0 D%08d 1\n" % (topic, document_of(topic, rank)))
    if runs > 1:
        paths = [folder / f"run-{of_a_run}-{number:04d}.txt" for number in range(runs)]
        missing = [path for path in paths if not path.exists()]
        text = lines_from(0, of_a_run)[0].tobytes() if missing else b""
        for path in missing:
            path.write_bytes(text)
        return qrels, paths
    path = folder / f"run-{lines}.{form}"
    if not path.exists():
        write_parquet(path, lines) if form == "parquet" else write_text(path, lines, form == "shuffled")
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

    @property
    def threads(self) -> int:
        return self._engine.threads

    def split_size(self, total: int) -> int | None:
        return self._engine.split_size(total)

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


@dataclass(frozen=True)
class Crew:
    """Workers: an engine, what gives the numbers of its processes, and that of a scheduler."""

    engine: Engine
    numbers: Callable[[], list[int]]
    scheduler: list[int]

    def cpu(self) -> float:
        """CPU seconds so far of all processes but this one."""
        return cpu_of([*self.numbers(), *self.scheduler])


@contextlib.contextmanager
def crew_of(kind: str, count: int) -> Iterator[Crew]:
    """Workers that are there."""
    if kind == "dask":
        import distributed

        sys.path.append(str(Path(__file__).parents[1]))
        from support.dask_cluster import dask_cluster

        with (
            tempfile.TemporaryDirectory() as folder,
            dask_cluster(Path(folder), count, "4GB") as made,
            distributed.Client(scheduler_file=str(made.file)) as client,  # type: ignore[no-untyped-call]
        ):
            client.wait_for_workers(count)
            engine = OnDask(client)
            yield Crew(engine, lambda: list(client.run(os.getpid).values()), [made.scheduler.pid])
    elif count:
        processes = Processes(count)
        list(processes.map(time.sleep, [0.5] * count))
        try:
            yield Crew(processes, lambda: processes.numbers, [])
        finally:
            processes.close()
    else:
        yield Crew(ThisProcess(), list, [])


def measure(kind: str, count: int, form: str, qrels: Path, runs: list[Path]) -> str:
    """One line of the table."""
    judged = read_relevance(str(qrels))
    options = Options()
    selection = select(["official", "PRES"], options)
    with crew_of(kind, count) as crew:
        weighed = Weighed(crew.engine)
        before, mine = crew.cpu(), own_cpu()
        started = time.monotonic()
        if kind == "one":
            allow_keeping_memory()  # as the command does
        digest = hashlib.sha1(usedforsecurity=False)
        with Runs(
            RunRanker.for_judgements(judged, options), ThisProcess(2) if kind == "one" else weighed
        ) as ranks:
            for ranking in ranks.rank_each([run_at(str(run)) for run in runs]):
                assert not isinstance(ranking, RunFailure)
                values = evaluate(judged, ranking, selection, options).summary
                digest.update(repr([value for value in values if isinstance(value, float)]).encode())
        wall = time.monotonic() - started
        merging = own_cpu() - mine
        cpu = merging + crew.cpu() - before
        peaks = [max(map(peak_of, some), default=0.0) for some in (crew.numbers(), crew.scheduler)]
    figures = (
        f"{wall:.1f}",
        f"{cpu:.1f}",
        f"{merging:.1f}",
        *(f"{peak:.0f}" for peak in (peak_of("self"), *peaks)),
    )
    weights = (
        f"{weighed.sent / 1e6:.1f}",
        f"{weighed.back / 1e6:.1f}",
        weighed.tasks,
        digest.hexdigest()[:6],
    )
    return row(kind, count, form, *figures, *weights)


def measure_nothing(kind: str, count: int) -> str:
    """What a task costs in which nothing is done, in milliseconds."""
    with crew_of(kind, count) as crew:
        list(crew.engine.map(abs, range(100)))
        before, mine, scheduler = crew.cpu(), own_cpu(), cpu_of(crew.scheduler)
        started = time.monotonic()
        assert len(list(crew.engine.map(abs, range(EMPTY[kind])))) == EMPTY[kind]
        wall = time.monotonic() - started
        merging, scheduling = own_cpu() - mine, cpu_of(crew.scheduler) - scheduler
        working = crew.cpu() - before - scheduling
    each = (f"{seconds / EMPTY[kind] * 1000:.3f}" for seconds in (wall, merging, scheduling, working))
    return row(kind, count, EMPTY[kind], *each)


def own_cpu() -> float:
    """CPU seconds of this process so far."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def row(*cells: object) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Make the files, and begin a process for each measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("lines", type=int)
    parser.add_argument("workers", type=int, nargs="*", default=[0, 1, 2, 4])
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--parquet", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", help=argparse.SUPPRESS)  # what one of the processes measures
    said = parser.parse_args()
    if said.only:
        kind, count, form, runs = said.only.split()
        if form == "nothing":
            print(measure_nothing(kind, int(count)), flush=True)
        else:
            print(
                measure(kind, int(count), form, *make(said.folder, said.lines, form, int(runs))), flush=True
            )
        return
    forms = ["txt", *(["parquet"] if said.parquet else []), *(["shuffled"] if said.shuffled else [])]
    work = [(form, 1) for form in forms] + ([("txt", said.runs)] if said.runs > 1 else [])
    kinds = [(kind, count) for kind in ("local", "dask")[: 1 + said.dask] for count in said.workers if count]

    def child(kind: str, count: int, form: str, runs: int) -> None:
        only = f"{kind} {count} {form} {runs}"
        command = [sys.executable, __file__, str(said.folder), str(said.lines), "--only", only]
        subprocess.run(command, check=False)

    for form, runs in work:
        make(said.folder, said.lines, form, runs)
        print(f"\n{said.lines:,} lines, {form}, {runs} runs")
        print(
            row(
                "kind",
                "workers",
                "form",
                "wall s",
                "CPU s",
                "of merging",
                "peak MB merging",
                "worker",
                "scheduler",
                "MB sent",
                "back",
                "tasks",
                "digest",
            ),
            flush=True,
        )
        for kind, count in [*([("one", 0)] if 0 in said.workers else []), *kinds]:
            child(kind, count, form, runs)
    print(
        "\n" + row("kind", "workers", "empty tasks", "wall ms", "CPU ms merging", "scheduler", "workers"),
        flush=True,
    )
    for kind, count in kinds:
        child(kind, count, "nothing", 1)


if __name__ == "__main__":
    main()

"""Where the time of a large run goes: a table of the steps of one process, and Amdahl's line of several.

    python tests/bench/steps.py FOLDER [--svg docs/processors.svg] [--repeats 5]

FOLDER has large.run and large.qrels of make_inputs.py.  If ten times the topics are to be timed too, it has
ten.run and ten.qrels (`make_inputs.py OTHER --only large --topics 69800` writes them under other names).

A step's time is that of its functions without the steps inside them, in one thread: the sum over all chunks.
"memory" is the time that numpy takes to copy as many bytes: no step can be faster than the memory is.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

MEGABYTE = 1_000_000
NOT_AS_USERS_HAVE_IT = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "OPENBLAS_NUM_THREADS"}
"""Variables that change how long a start takes."""


class Steps:
    """The time of each step, without that of the steps inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = [0.0]

    def watch(self, owner: Any, name: str, step: str) -> None:
        """Add the time of a function to that of a step from now on."""
        function: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            self._inside.append(0.0)
            start = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                took = time.perf_counter() - start
                own = took - self._inside.pop()
                self._inside[-1] += took
                self.seconds[step] = self.seconds.get(step, 0.0) + own

        setattr(owner, name, timed)


def steps_of(qrels: str, run: str) -> dict[str, float]:
    """Read and rank a run in this thread; return the seconds of each step, the rest last."""
    from pres_eval.arrays import Ids
    from pres_eval.options import Options
    from pres_eval.ranking import ranker, whole_topics
    from pres_eval.ranking.runs import read_run
    from pres_eval.reading import file, lines, tokens
    from pres_eval.reading.judgements.pool import Pool
    from pres_eval.reading.judgements.relevance import read_relevance

    steps = Steps()
    judgements = read_relevance(qrels)
    for owner, name, step in (
        (file, "fill", "the file into memory"),
        (lines, "split_fields", "separators: where lines and columns are"),
        (tokens.Fields, "column", "separators: where lines and columns are"),
        (lines, "read_numbers", "scores: digits to numbers"),
        (ranker, "_block_of_lines", "topics: where each begins"),
        (Ids, "from_buffer", "documents: words, hashes, look-up"),
        (Pool, "join", "documents: words, hashes, look-up"),
        (whole_topics, "rank_judged", "ranks of judged documents"),
    ):
        steps.watch(owner, name, step)
    start = time.perf_counter()
    read_run(file.File(run), judgements, Options(), 1)
    total = time.perf_counter() - start
    return {**steps.seconds, "all else": total - sum(steps.seconds.values()), "together": total}


def copying(size: int) -> float:
    """Return the seconds that numpy takes to copy some bytes, in pieces larger than any cache."""
    given = np.ones(64 * MEGABYTE, np.uint8)
    to = np.ones_like(given)
    best = min(_timed(lambda: np.copyto(to, given)) for _ in range(9))
    return best * size / len(given)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def megahertz() -> float | None:
    """Return the frequency of the processor as Linux gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")), None)


def print_steps(folder: Path, repeats: int) -> None:
    """Print the table of the steps of one process."""
    qrels, run = str(folder / "large.qrels"), str(folder / "large.run")
    size = Path(run).stat().st_size
    every = [_in_new_process(qrels, run) for _ in range(repeats)]
    middle = {step: statistics.median(each[step] for each in every) for step in every[0]}
    middle["memory"] = copying(size)
    hertz = (megahertz() or 0) * MEGABYTE
    print(f"{size / MEGABYTE:,.0f} MB, medians of {repeats}\n")
    print("| step | seconds | share | GB/s | bytes per cycle |\n| --- | ---: | ---: | ---: | ---: |")
    for step, seconds in middle.items():
        cycles = f"{size / (seconds * hertz):.2f}" if hertz else ""
        share = "" if step == "memory" else f"{seconds / middle['together']:.0%}"
        print(f"| {step} | {seconds:.3f} | {share} | {size / seconds / 1e9:.2f} | {cycles} |")


def _in_new_process(qrels: str, run: str) -> dict[str, float]:
    """Return steps_of in a process of its own, as the command has it."""
    text = "import json, sys, steps; print(json.dumps(steps.steps_of(*sys.argv[1:])))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", text, qrels, run], env=environment, check=True, capture_output=True, text=True
    )
    import json

    found: dict[str, float] = json.loads(done.stdout)
    return found


def wall(*arguments: str, repeats: int) -> float:
    """Return the median of the wall time of the command."""
    command = [sys.executable, "-m", "pres_eval", "--quiet", *arguments]
    # As users have it: modules that are compiled once and for all.
    environment = {name: value for name, value in os.environ.items() if name not in NOT_AS_USERS_HAVE_IT}
    environment["PYTHONPATH"] = str(ROOT)
    run = functools.partial(subprocess.run, command, env=environment, check=True, stdout=subprocess.DEVNULL)
    run()
    return statistics.median(_timed(run) for _ in range(repeats))


def print_processors(folder: Path, repeats: int, svg: str | None) -> None:
    """Print the time with 1, 2, 4 ... processes, and what Amdahl's law leaves; draw it if wanted."""
    here = len(os.sched_getaffinity(0))
    jobs = [count for count in (1, 2, 4, 8, 16) if count <= here]
    print(
        f"\n{here} processors\n\n| run | start, judgements and results | "
        + " | ".join(f"{count} process{'es' * (count > 1)}" for count in jobs)
        + " | Amdahl: 4 | 8 | 16 |\n|"
        + " --- |" * (len(jobs) + 5)
    )
    curves = {}
    for name in ("large", "ten"):
        qrels, run = folder / f"{name}.qrels", folder / f"{name}.run"
        if not run.exists():
            continue
        one = folder / f"{name}.first.run"
        with run.open("rb") as file:
            one.write_bytes(b"".join(file.readline() for _ in range(1000)))
        serial = wall("--jobs", "1", str(qrels), str(one), repeats=repeats)
        times = [wall("--jobs", str(count), str(qrels), str(run), repeats=repeats) for count in jobs]
        line = {count: serial + (times[0] - serial) / count for count in (1, 2, 4, 8, 16)}
        curves[name] = dict(zip(jobs, times, strict=True)), line
        cells = [f"{run.stat().st_size / MEGABYTE:,.0f} MB", f"{serial:.3f} s"]
        cells += [f"{seconds:.3f} s" for seconds in times] + [f"{line[count]:.3f} s" for count in (4, 8, 16)]
        print(f"| {' | '.join(cells)} |")
    if svg is not None:
        draw(curves, svg)


def draw(curves: dict[str, tuple[dict[int, float], dict[int, float]]], path: str) -> None:
    """Draw how many times as fast several processes are: measured, by Amdahl's law, and linear."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot((1, 16), (1, 16), ":", color="#777777", label="linear")
    for (name, (measured, line)), colour in zip(curves.items(), ("#0072B2", "#D55E00"), strict=False):
        size = {"large": "250 MB", "ten": "2.5 GB"}[name]
        axes.plot(
            [*line], [line[1] / each for each in line.values()], "--", color=colour, label=f"{size}: Amdahl"
        )
        axes.plot(
            [*measured],
            [measured[1] / each for each in measured.values()],
            "o",
            color=colour,
            label=f"{size}: measured",
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    axes.set_xlabel("processes")
    axes.set_ylabel("times as fast as one")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--svg", help="file for the picture of Amdahl's line")
    given = parser.parse_args()
    print_steps(given.folder, given.repeats)
    print_processors(given.folder, given.repeats, given.svg)


if __name__ == "__main__":
    main()

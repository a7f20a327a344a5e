"""Compare measures with the tools that define them, on real files and random cases, and count.

    python tests/fuzz/defining_tools.py TOOL [--cases N] [--qrels FILE --runs FILE ...] [--at PLACE]

TOOL is one of those below; PLACE is a checkout or binary of it where no package is installed:

    ndeval       PLACE is the binary; FILE is a qrels file with subtopics
    cwl          cwl_eval, by ir_measures
    compat       PLACE is compatibility.py
    trectools    PLACE is a checkout of trectools
    asreview     PLACE is a checkout of asreview-insights
    ranx         in an environment that has ranx

It prints for each measure how many values were compared and the largest difference, and ends with status 1 if
one is larger than the tool's digits explain.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from support import defining  # noqa: E402

Values = Mapping[str, float]
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def read(path: str) -> Iterator[list[str]]:
    """The fields of the lines of a file."""
    data = Path(path).read_bytes()
    for line in (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8").splitlines():
        yield line.split()


def real(qrels_path: str, run_path: str) -> tuple[Qrels, Run]:
    """The topics that are in both files, the scores as trec_eval's order has them, without ties."""
    qrels: Qrels = {}
    scored: dict[str, list[tuple[float, str]]] = {}
    for topic, _, docno, grade in read(qrels_path):
        qrels.setdefault(topic, {})[docno] = int(grade)
    for topic, _, docno, _, score, *_ in read(run_path):
        scored.setdefault(topic, []).append((float(score), docno))
    run = {
        topic: {docno: float(-place) for place, (_, docno) in enumerate(sorted(found, reverse=True))}
        for topic, found in scored.items()
        if topic in qrels
    }
    return {topic: qrels[topic] for topic in run}, run


def made(seed: int) -> tuple[Qrels, Run]:
    """A few topics whose judgements and rankings differ in length, depth and how much they share."""
    generator = random.Random(seed)
    qrels: Qrels = {}
    run: Run = {}
    for topic in map(str, range(1, 7)):
        documents = [f"d{number:03}" for number in range(generator.choice([8, 60, 300]))]
        judged = generator.sample(documents, generator.randint(2, len(documents)))
        share = generator.choice([0.1, 0.5, 0.9])
        qrels[topic] = {
            docno: generator.choice([1, 1, 2, 3]) if generator.random() < share else 0 for docno in judged
        }
        qrels[topic][judged[0]], qrels[topic][judged[1]] = 1, 0
        retrieved = generator.sample(documents, generator.randint(1, len(documents)))
        run[topic] = {docno: float(1000 - place) for place, docno in enumerate(retrieved)}
    return qrels, run


def made_subtopics(seed: int) -> tuple[defining.Subtopics, Run]:
    """The same with subtopics."""
    return defining.subtopics(*made(seed), seed)


class Count:
    """How many values of each measure were compared, and by how much they differ."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.compared: dict[str, int] = {}
        self.largest: dict[str, float] = {}
        self.differ: dict[str, int] = {}

    def add(self, measure: str, ours: Values, theirs: Values) -> None:
        """The values of one case; those of topics that only one side has are not compared."""
        for topic in ours.keys() & theirs.keys():
            difference = abs(ours[topic] - theirs[topic])
            self.compared[measure] = self.compared.get(measure, 0) + 1
            self.largest[measure] = max(self.largest.get(measure, 0.0), difference)
            wrong = not difference <= self.tolerance * max(1.0, abs(theirs[topic]))
            self.differ[measure] = self.differ.get(measure, 0) + wrong

    def report(self) -> int:
        """Print all; 1 if a value differs by more than the tolerance."""
        for measure, number in self.compared.items():
            wrong = f"  {self.differ[measure]} DIFFER" if self.differ[measure] else ""
            print(f"{measure:<28}{number:>9}  {self.largest[measure]:.1e}{wrong}")
        print(f"{'all':<28}{sum(self.compared.values()):>9}  {sum(self.differ.values())} differ")
        return 1 if any(self.differ.values()) or not self.compared else 0


def main() -> int:
    tools: dict[str, tuple[Callable[..., defining.Pairs], float]] = {
        "ndeval": (defining.ndeval, 6e-7),
        "cwl": (defining.cwl, 1e-12),
        "compat": (defining.compatibility, 1e-12),
        "trectools": (defining.trectools, 1e-12),
        "asreview": (defining.asreview, 1e-12),
        "ranx": (defining.ranx, 1e-12),
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool", choices=tools)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--qrels")
    parser.add_argument("--runs", nargs="*", default=[])
    parser.add_argument("--at")
    asked = parser.parse_args()
    compare, tolerance = tools[asked.tool]
    count = Count(tolerance)
    seeds = range(asked.seed, asked.seed + asked.cases)
    cases: list[Callable[[], Any]] = [partial(made, seed) for seed in seeds]
    cases += [partial(real, asked.qrels, path) for path in asked.runs]
    if asked.tool == "ndeval":
        cases = [partial(made_subtopics, seed) for seed in seeds]
        cases += [partial(defining.real_subtopics, asked.qrels, path) for path in asked.runs]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for measure, ours, theirs in compare(*case(), Path(folder), asked.at):
                count.add(measure, ours, theirs)
    return count.report()


if __name__ == "__main__":
    sys.exit(main())

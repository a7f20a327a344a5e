"""Make the files that run_bench.py times: one plain large run and every odd shape of it.

    python tests/bench/make_inputs.py FOLDER [--only NAME ...] [--topics 6980] [--depth 1000] [--seed 1]

The plain file is the size of an MS MARCO dev run: 6,980 topics of 1,000 documents, about 245 MB. The
same seed writes the same bytes. A line is laid out as a row of a byte matrix in which 0 stands for
"nothing here"; dropping the zeros writes half a million lines at once.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
ByteMatrix = npt.NDArray[np.uint8]

DOCUMENTS = 1 << 23  # a power of two, so that multiplying by an odd number permutes the ids
BLOCK = 400_000  # lines that are written at once
MICRO = 1_000_000


@dataclass(frozen=True)
class Columns:
    """A run as numbers: scores are in millionths."""

    topic: Integers
    docno: Integers
    rank: Integers
    score: Integers

    def rows(self, chosen: Any) -> Columns:
        return Columns(self.topic[chosen], self.docno[chosen], self.rank[chosen], self.score[chosen])


def text(values: str, rows: int) -> ByteMatrix:
    """The same text on every row."""
    encoded = np.frombuffer(values.encode(), dtype=np.uint8)
    return np.broadcast_to(encoded, (rows, len(encoded)))


def whole(values: Integers, width: int, keep_zeros: bool = False) -> ByteMatrix:
    """Whole numbers as digits, aligned to the right; leading zeros are left out unless wanted."""
    rest = values.copy()
    matrix = np.empty((len(values), width), dtype=np.uint8)
    for column in range(width - 1, -1, -1):
        higher = rest // 10
        digit = (rest - higher * 10 + 48).astype(np.uint8)
        matrix[:, column] = digit if keep_zeros or column == width - 1 else np.where(rest > 0, digit, 0)
        rest = higher
    return matrix


def plain_score(score: Integers) -> ByteMatrix:
    point = text(".", len(score))
    return np.hstack([whole(score // MICRO, 3), point, whole(score % MICRO, 6, keep_zeros=True)])


def tied_score(score: Integers) -> ByteMatrix:
    return text("0.500000", len(score))


def long_score(score: Integers) -> ByteMatrix:
    """Seventeen digits, the length of Python's repr of most doubles."""
    tail = (score * 2654435761 + 12345) % 10**9
    return np.hstack([plain_score(score), whole(tail, 9, keep_zeros=True)])


def scientific_score(score: Integers) -> ByteMatrix:
    """d.dddddde-02 down to e-40: the order of the scores is kept."""
    exponent = 40 - score * 38 // (90 * MICRO)
    within = score * 38 % (90 * MICRO)
    mantissa = MICRO + within // 10
    point = text(".", len(score))
    digits = [whole(mantissa // MICRO, 1), point, whole(mantissa % MICRO, 6, keep_zeros=True)]
    return np.hstack([*digits, text("e-", len(score)), whole(exponent, 2, keep_zeros=True)])


def plain_docno(docno: Integers) -> ByteMatrix:
    return whole(docno, 7)


def long_docno(docno: Integers) -> ByteMatrix:
    """30 to 60 bytes; the first 22 are the same everywhere, documents differ in the middle or at the end."""
    rows = len(docno)
    part = text("/claims-and-description-of-it/", rows).copy()
    length = docno % 31
    part[np.arange(part.shape[1])[None, :] >= length[:, None]] = 0
    head = text("patents.example/EP-A1/", rows)
    number = whole(docno, 8, keep_zeros=True)
    behind = np.where((docno % 2 == 0)[:, None], part, 0).astype(np.uint8)
    before = np.where((docno % 2 == 1)[:, None], part, 0).astype(np.uint8)
    return np.hstack([head, before, number, behind])


def longest_docno(docno: Integers) -> ByteMatrix:
    """76 bytes, of which the first 68 are the same everywhere."""
    head = text("patents.example/".ljust(68, "p"), len(docno))
    return np.hstack([head, whole(docno, 8, keep_zeros=True)])


@dataclass(frozen=True)
class Layout:
    """How the numbers become a line."""

    separator: str = " "
    end: str = "\n"
    score: Callable[[Integers], ByteMatrix] = plain_score
    docno: Callable[[Integers], ByteMatrix] = plain_docno
    tag: str = "dpr"

    def blocks(self, columns: Columns) -> Iterator[bytes]:
        for start in range(0, len(columns.topic), BLOCK):
            yield self.lines(columns.rows(slice(start, start + BLOCK)))

    def lines(self, part: Columns) -> bytes:
        rows = len(part.topic)
        blank = text(self.separator, rows)
        fields = [whole(part.topic, 8), blank, text("Q0", rows), blank, self.docno(part.docno), blank]
        fields += [whole(part.rank, 8), blank, self.score(part.score), blank]
        matrix = np.hstack([*fields, text(self.tag + self.end, rows)])
        return bytes(matrix[matrix != 0].tobytes())


PLAIN = Layout()


def make_run(generator: np.random.Generator, topics: int, depth: int) -> Columns:
    """Topics in ascending order, their documents by falling score; no document twice in a topic."""
    ids = np.sort(generator.choice(10 * max(topics, 110_000), size=topics, replace=False) + 2)
    place = np.arange(depth, dtype=np.int64)[None, :]
    factor = generator.integers(1, DOCUMENTS // 2, size=(topics, 1)) * 2 + 1
    offset = generator.integers(0, DOCUMENTS, size=(topics, 1))
    docno = (place * factor + offset) % DOCUMENTS
    docno = ((docno ^ (docno >> 11)) * 2654435 + 77) % DOCUMENTS
    gap = generator.integers(0, max(1, 2 * 30 * MICRO // depth), size=(topics, depth))
    score = 75 * MICRO + generator.integers(0, 10 * MICRO, size=(topics, 1)) - np.cumsum(gap, axis=1)
    rank = np.broadcast_to(place + 1, (topics, depth))
    topic = np.broadcast_to(ids[:, None], (topics, depth))
    return Columns(
        *(np.ascontiguousarray(part).reshape(-1) for part in (topic, docno, rank, np.maximum(score, 0)))
    )


def qrels_lines(topic: Integers, docno: Integers, grade: Integers, layout: Layout) -> bytes:
    rows = len(topic)
    blank = text(layout.separator, rows)
    fields = [whole(topic, 8), blank, text("0", rows), blank, layout.docno(docno), blank, whole(grade, 1)]
    matrix = np.hstack([*fields, text(layout.end, rows)])
    return bytes(matrix[matrix != 0].tobytes())


def judge(generator: np.random.Generator, run: Columns, judged: int) -> tuple[Integers, Integers, Integers]:
    """About `judged` lines of the run, half of them turned into documents that were not retrieved."""
    chosen = np.unique(generator.choice(len(run.topic), size=min(judged, len(run.topic)), replace=False))
    missed = generator.random(len(chosen)) < 0.5
    docno = np.where(missed, DOCUMENTS + np.arange(len(chosen)), run.docno[chosen])
    grade = generator.choice(np.array([0, 1, 2, 3]), size=len(chosen), p=[0.4, 0.4, 0.15, 0.05])
    return run.topic[chosen], docno, grade


class Maker:
    """Writes each input into the folder; the methods are the names that --only takes."""

    def __init__(self, folder: Path, seed: int, topics: int, depth: int) -> None:
        self.folder = folder
        self.seed = seed
        self.topics = topics
        self.depth = depth

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def write(self, name: str, columns: Columns, layout: Layout = PLAIN) -> None:
        with (self.folder / f"{name}.run").open("wb") as file:
            file.writelines(layout.blocks(columns))

    def write_qrels(self, name: str, columns: Columns, layout: Layout = PLAIN, judged: int = 28_000) -> None:
        lines = qrels_lines(*judge(self.generator(), columns, judged), layout)
        (self.folder / f"{name}.qrels").write_bytes(lines)

    def pair(self, name: str, columns: Columns, layout: Layout = PLAIN) -> None:
        self.write(name, columns, layout)
        self.write_qrels(name, columns, layout)

    def plain(self) -> Columns:
        return make_run(self.generator(), self.topics, self.depth)

    def large(self) -> None:
        self.pair("large", self.plain())

    def double(self) -> None:
        self.pair("double", make_run(self.generator(), 2 * self.topics, self.depth))

    def tied(self) -> None:
        self.pair("tied", self.plain(), Layout(score=tied_score))

    def digits17(self) -> None:
        self.pair("digits17", self.plain(), Layout(score=long_score))

    def scientific(self) -> None:
        self.pair("scientific", self.plain(), Layout(score=scientific_score))

    def tabs(self) -> None:
        self.pair("tabs", self.plain(), Layout(separator="\t"))

    def blanks(self) -> None:
        self.pair("blanks", self.plain(), Layout(separator="  "))

    def crlf(self) -> None:
        self.pair("crlf", self.plain(), Layout(end="\r\n"))

    def longids(self) -> None:
        self.pair("longids", self.plain(), Layout(docno=long_docno))

    def shuffled(self) -> None:
        columns = self.plain()
        self.pair("shuffled", columns.rows(self.generator().permutation(len(columns.topic))))

    def unsorted(self) -> None:
        """Topic after topic, but inside of them the lines are in no order."""
        columns = self.plain()
        order = np.lexsort((self.generator().random(len(columns.topic)), columns.topic))
        self.pair("unsorted", columns.rows(order))

    def longties(self) -> None:
        """600,000 lines in no order, docnos of 76 bytes, nine scores."""
        columns = make_run(self.generator(), 600, 1000)
        tied = Columns(
            columns.topic, columns.docno, columns.rank, columns.score // (10 * MICRO) * (10 * MICRO)
        )
        shuffled = tied.rows(self.generator().permutation(len(tied.topic)))
        self.pair("longties", shuffled, Layout(docno=longest_docno))

    def onetopic(self) -> None:
        self.pair("onetopic", make_run(self.generator(), 1, self.topics * self.depth))

    def onedocument(self) -> None:
        self.pair("onedocument", make_run(self.generator(), self.topics * self.depth, 1))

    def alljudged(self) -> None:
        columns = self.plain()
        self.write("alljudged", columns)
        generator = self.generator()
        with (self.folder / "alljudged.qrels").open("wb") as file:
            for start in range(0, len(columns.topic), BLOCK):
                part = columns.rows(slice(start, start + BLOCK))
                grade = generator.integers(0, 3, size=len(part.topic))
                file.write(qrels_lines(part.topic, part.docno, grade, PLAIN))

    def gzipped(self) -> None:
        columns = self.plain()
        self.write_qrels("gzipped", columns)
        with gzip.open(self.folder / "gzipped.run.gz", "wb", compresslevel=6) as file:
            copy_blocks(PLAIN.blocks(columns), file)

    def many(self) -> None:
        """48 runs of 50 topics × 1,000 over one set of judgements."""
        self.write_many("many", 48)

    def hundred(self) -> None:
        """100 such runs."""
        self.write_many("hundred", 100)

    def track(self) -> None:
        """100 runs of 250 topics × 200."""
        self.write_many("track", 100, topics=250, depth=200)

    def write_many(self, name: str, runs: int, topics: int = 50, depth: int = 1000) -> None:
        base = make_run(self.generator(), topics, depth)
        self.write_qrels(name, base, judged=topics * 100)
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        generator = self.generator()
        for number in range(runs):
            order = np.argsort(base.topic * 10_000 + base.rank + generator.integers(0, 900, len(base.rank)))
            shuffled = Columns(base.topic, base.docno[order], base.rank, base.score)
            layout = Layout(tag=f"run{number:02d}")
            (folder / f"run{number:02d}.run").write_bytes(b"".join(layout.blocks(shuffled)))

    def parts(self) -> None:
        """The large run in as many files as there are processors, cut between topics."""
        columns = self.plain()
        folder = self.folder / "parts"
        folder.mkdir(exist_ok=True)
        bounds = np.linspace(0, self.topics, (os.cpu_count() or 1) + 1).astype(int) * self.depth
        for number, (start, stop) in enumerate(itertools.pairwise(bounds.tolist())):
            part = columns.rows(slice(start, stop))
            (folder / f"part{number:02d}.run").write_bytes(b"".join(PLAIN.blocks(part)))

    def small(self) -> None:
        """One run of 50 topics × 1,000: what starting up costs."""
        columns = make_run(self.generator(), 50, 1000)
        self.write("small", columns)
        self.write_qrels("small", columns, judged=5_000)

    def sizes(self) -> None:
        """10⁵, 10⁶ and 10⁷ lines."""
        for power in (5, 6, 7):
            columns = make_run(self.generator(), 10**power // 1000, 1000)
            self.pair(f"size{power}", columns)


def copy_blocks(blocks: Iterator[bytes], file: BinaryIO | gzip.GzipFile) -> None:
    for block in blocks:
        file.write(block)


NAMES = (
    *("large", "small", "many", "double", "tied", "digits17", "scientific", "tabs", "blanks", "crlf"),
    *("longids", "shuffled", "unsorted", "longties", "onetopic", "onedocument", "alljudged", "gzipped"),
    *("hundred", "track", "parts", "sizes"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES)
    )
    parser.add_argument("--topics", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(options.folder, options.seed, options.topics, options.depth)
    for name in options.only:
        start = time.perf_counter()
        getattr(maker, name)()
        print(f"{name}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()

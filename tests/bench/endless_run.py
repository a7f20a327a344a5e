"""Write a run of a given size to stdout, for pipes: more bytes than a 32-bit integer can count.

    python tests/bench/endless_run.py --bytes 3e9 | python -m pres_eval QRELS -

Topics 1, 2, 3 ... of 1,000 documents each; the qrels that fit are written by --qrels FILE.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from make_inputs import PLAIN, Columns, qrels_lines

DEPTH = 1000
TOGETHER = 200
"""Topics that are written at once."""


def topics_from(first: int) -> Columns:
    """The columns of some topics; documents and scores depend on the number of the topic alone."""
    topic = np.repeat(np.arange(first, first + TOGETHER, dtype=np.int64), DEPTH)
    place = np.tile(np.arange(DEPTH, dtype=np.int64), TOGETHER)
    docno = (topic * 7919 + place * 6151) % 8_000_009
    score = (40_000_000 - place * 31_007) + topic % 1000
    return Columns(topic, docno, place + 1, score)


def write_run(size: int) -> None:
    """Whole lines to stdout until the size is reached."""
    written, first = 0, 1
    while written < size:
        lines = PLAIN.lines(topics_from(first))
        if written + len(lines) > size:
            lines = lines[: lines.index(b"\n", size - written - 1) + 1]
        sys.stdout.buffer.write(lines)
        written += len(lines)
        first += TOGETHER


def write_qrels(path: Path, topics: int) -> None:
    """Four relevant documents for each of the first topics: two retrieved, at ranks 1 and 101."""
    columns = [topics_from(first) for first in range(1, topics + 1, TOGETHER)]
    with path.open("wb") as file:
        for part in columns:
            chosen = part.rows(np.flatnonzero((part.rank % 100 == 1) & (part.rank < 400)))
            docno = np.where(chosen.rank > 200, 9_000_000 + chosen.rank, chosen.docno)
            keep = chosen.topic <= topics
            file.write(
                qrels_lines(chosen.topic[keep], docno[keep], np.ones(int(keep.sum()), dtype=np.int64), PLAIN)
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bytes", type=float, default=2.5e9)
    parser.add_argument("--qrels", type=Path, help="write the qrels of the first topics here, and no run")
    parser.add_argument("--topics", type=int, default=7000, help="topics of the qrels")
    options = parser.parse_args()
    if options.qrels:
        write_qrels(options.qrels, options.topics)
    else:
        write_run(int(options.bytes))


if __name__ == "__main__":
    main()

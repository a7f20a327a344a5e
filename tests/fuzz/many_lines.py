"""More lines than a 32-bit integer can count, made on the fly; run by hand on Linux.

    python tests/fuzz/many_lines.py --lines 2.2e9
    python tests/fuzz/many_lines.py --lines 1e7          (tries it)

A run of topics with 10,000 documents each goes to the command through a pipe, whose copy on disk is cut off
after a megabyte.  Two documents of each topic are relevant, at ranks 1 and 10,000, so every number is known
beforehand: the counts, which are beyond 2^31, the means, and the line that a warning names, which is the last
one.  Exit code 1 if anything else is printed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
DEPTH = 10_000
TOGETHER = 10
"""Topics that are written at once."""

FIRST_TOPIC = 1_000_000
COPY = 1 << 20
MEASURES = ("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "P.10000", "recip_rank")


def write_run(descriptor: int, num_topics: int) -> None:
    """All topics, and behind the last one a line with a column too many."""
    lines = b"".join(b"%07d 0 %04d 0 %04d t\n" % (0, place, DEPTH - 1 - place) for place in range(DEPTH))
    text = np.frombuffer(lines * TOGETHER, np.uint8).reshape(TOGETHER, DEPTH, -1).copy()
    with os.fdopen(descriptor, "wb", buffering=0) as stream:
        for first in range(0, num_topics, TOGETHER):
            count = min(TOGETHER, num_topics - first)
            for place in range(count):
                text[place, :, :7] = np.frombuffer(b"%07d" % (FIRST_TOPIC + first + place), np.uint8)
            rest = memoryview(text[:count].reshape(-1))  # type: ignore[arg-type]
            while rest:
                rest = rest[stream.write(rest) :]
        stream.write(b"%07d 0 last 0 -1 t more\n" % (FIRST_TOPIC + num_topics))


def write_qrels(path: Path, num_topics: int) -> None:
    """Of each topic the first and the last document are relevant."""
    with path.open("wb") as file:
        for topic in range(FIRST_TOPIC, FIRST_TOPIC + num_topics):
            file.write(b"%d 0 0000 1\n%d 0 %04d 1\n" % (topic, topic, DEPTH - 1))


def expected(num_topics: int) -> list[str]:
    """The lines that are to be printed."""
    every = {
        "num_q": str(num_topics),
        "num_ret": str(num_topics * DEPTH),
        "num_rel": str(2 * num_topics),
        "num_rel_ret": str(2 * num_topics),
        "map": f"{(1 + 2 / DEPTH) / 2:.4f}",
        "recip_rank": "1.0000",
        f"P_{DEPTH}": f"{2 / DEPTH:.4f}",
    }
    return [f"{name:<22}\tall\t{value}" for name, value in every.items()]


def main() -> int:
    """Run the command, and compare what it prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=float, default=2.2e9)
    said = parser.parse_args()
    num_topics = -(-int(said.lines) // DEPTH)
    with tempfile.TemporaryDirectory() as folder:
        write_qrels(Path(folder, "qrels"), num_topics)
        reading, writing = os.pipe()
        options = [part for name in MEASURES for part in ("-m", name)]
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "pres_eval", *options, "qrels", "-"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (COPY, COPY)),  # noqa: PLW1509
        )
        os.close(reading)
        writer = threading.Thread(target=write_run, args=(writing, num_topics))
        writer.start()
        out, err = process.communicate()
        writer.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{num_topics * DEPTH + 1:,} lines, {time.perf_counter() - started:.0f} s,", end=" ")
    print(f"{used.ru_utime + used.ru_stime:.0f} s of a processor, {used.ru_maxrss >> 10} MB")
    print(out + err, end="")
    good = out.splitlines() == expected(num_topics) and f"<stdin>:{num_topics * DEPTH + 1}: " in err
    print("as expected" if good and process.returncode == 0 else "NOT as expected")
    return int(not good or process.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())

"""Compare the bytes of this version with those of an older one and of trec_eval, through each engine.

    python tests/fuzz/old_and_new.py --cases 10000 --old FOLDER --trec-eval-9 FILE --trec-eval-10 FILE

--old names a checkout of an older version, which a process of its own runs.  The random cases are those of
`fuzz.generator`.  Each is read by one of the engines in turn: here (small chunks, one thread or three), by
copies of the process, by splits of whole topics, and by splits whose rows are in no order.  The process ends
with 1 after the first case in which stdout or success differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVE = "--serve"
VERSIONS = ("9.0.8", "10.0")
ENGINES = ("here", "copies", "splits", "no order")
SPLIT_BYTES = (60, 200, 900)


class OldVersion:
    """A process that runs the command of a checkout, call after call."""

    def __init__(self, checkout: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, SERVE],
            env={**os.environ, "PYTHONPATH": checkout},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def printed(self, arguments: list[str]) -> tuple[bytes, bool]:
        """What the command prints, and whether it succeeds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
        self._process.stdin.flush()
        status, text = json.loads(self._process.stdout.readline())
        return b64decode(text), status == 0

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def serve() -> int:
    """Run the command of the package that Python finds for each line of stdin: its arguments as JSON."""
    sys.path.remove(str(Path(__file__).parent))
    from pres_eval.cli import main

    replies = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        raw = io.BytesIO()
        stdout = io.TextIOWrapper(raw, encoding="utf-8")
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
            status = main(json.loads(line))
        stdout.flush()
        print(json.dumps((status, b64encode(raw.getvalue()).decode())), file=replies, flush=True)
    return 0


def differences(seed: int, old: OldVersion | None, binaries: dict[str, str], folder: Path) -> Iterator[str]:
    """Yield how the outcomes of a case differ from trec_eval's and from the older version's."""
    from support import in_splits

    from fuzz.case import Case
    from fuzz.compare import COPIES, defined_lines, run_ours, run_reference, small_chunks
    from fuzz.generator import make_case

    version = VERSIONS[seed % len(VERSIONS)]
    engine = ENGINES[seed // len(VERSIONS) % len(ENGINES)]
    case: Case = make_case(seed, version)
    case.write(folder)
    if engine in ("here", "copies"):
        jobs = COPIES if engine == "copies" else (1, 3)[seed // 8 % 2]
        outcome = run_ours(replace(case, small=True, jobs=jobs), folder)
        stdout, success = outcome.stdout, outcome.success
    else:
        plan = in_splits.TOGETHER if engine == "splits" else in_splits.ANY_ORDER
        size = SPLIT_BYTES[seed // 8 % len(SPLIT_BYTES)]
        arguments = replace(case, jobs=1).our_arguments(str(folder))
        with small_chunks():
            status, stdout, _ = in_splits.printed_in_splits(arguments, size, plan)
        success = status == 0
    theirs = run_reference(binaries[version], case, folder) if version in binaries else None
    if theirs is not None:
        if theirs.success != success:
            yield f"seed {seed}, {engine}: trec_eval {version} and we differ in success"
        elif success and defined_lines(theirs.stdout) != defined_lines(stdout):
            yield f"seed {seed}, {engine}: other bytes than those of trec_eval {version}"
    if old is not None:
        before = old.printed(replace(case, jobs=1).our_arguments(str(folder)))
        if before != (stdout, success) and not (before[1] == success and not success):
            yield f"seed {seed}, {engine}: other bytes or success than the older version"


def main() -> int:
    """Compare random cases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--old", help="folder of an older version")
    parser.add_argument("--trec-eval-9", help="trec_eval 9.0.8")
    parser.add_argument("--trec-eval-10", help="trec_eval 10.0")
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    binaries = dict(zip(VERSIONS, (options.trec_eval_9, options.trec_eval_10), strict=True))
    binaries = {version: binary for version, binary in binaries.items() if binary is not None}
    old = None if options.old is None else OldVersion(options.old)
    begin = time.monotonic()
    compared: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.cases):
            different = list(differences(seed, old, binaries, Path(folder)))
            compared[ENGINES[seed // len(VERSIONS) % len(ENGINES)]] += 1
            if different:
                print(*different, sep="\n")
                return 1
            if time.monotonic() - begin > options.seconds:
                break
    if old is not None:
        old.close()
    by_engine = ", ".join(f"{engine} {count:,}" for engine, count in compared.items())
    print(f"{compared.total():,} cases alike ({by_engine}) in {time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(serve() if SERVE in sys.argv else main())

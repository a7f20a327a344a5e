"""Print the golden outputs of fixtures/conformance again, with trec_eval itself.

    TREC_EVAL_9=.../trec_eval TREC_EVAL_10=.../trec_eval python tests/print_expected.py

Where a version does not run a case (a measure or comment lines that it does not know, 10.0's stop at a
missing topic) it has no expected file.  Look at every byte that changed before you keep it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "fixtures" / "conformance"
BINARIES = {"9.0.8": "TREC_EVAL_9", "10.0": "TREC_EVAL_10"}


def main() -> None:
    for path in sorted(FIXTURES.glob("*/*.args")):
        arguments = shlex.split(path.read_text(encoding="utf-8").splitlines()[0])
        for version, variable in BINARIES.items():
            command = [os.environ[variable], *arguments, "qrels", "run"]
            done = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)
            expected = path.with_suffix(f".{version}.expected")
            expected.unlink(missing_ok=True)
            if done.returncode == 0:
                expected.write_bytes(done.stdout)
            else:
                print(path.relative_to(FIXTURES), version, done.returncode, done.stderr, file=sys.stderr)


if __name__ == "__main__":
    main()

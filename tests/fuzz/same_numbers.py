"""One digest of all digits of many evaluations, to compare between versions of numpy, Python and processors.

    python tests/fuzz/same_numbers.py --cases 300
    NPY_DISABLE_CPU_FEATURES="AVX512F AVX2 ..." python tests/fuzz/same_numbers.py --cases 300

Prints the versions, what numpy uses of the processor, and the digest; needs no package but those that
pres-eval itself needs.  With --all-features-off the program starts itself again without any of them.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

OFF = "NPY_DISABLE_CPU_FEATURES"
MEASURES = ("all_trec", "extended", "pres", "readers", "ndcg_exp_cut", "err", "gm_map", "gm_bpref")
COMMANDS = (
    ("-q", "-N", "100000", *(part for name in MEASURES for part in ("-m", name)), "qrels", "run"),
    ("--compat", "10.0", "-c", "-q", "-m", "all_trec", "-m", "dcg", "-m", "rbp.p=.9", "qrels", "run"),
    ("compare", "-c", "-m", "map", "-m", "PRES.10", "--samples", "50", "qrels", "run", "half"),
)


def digest(cases: int) -> str:
    """Of the JSON that the commands print on random files, in this folder."""
    from fuzz.generator import make_case

    found = hashlib.sha256()
    for seed in range(cases):
        case = make_case(seed, "9.0.8")
        if any("-R" in group for group in case.options):
            continue
        Path("qrels").write_bytes(b"".join(case.qrels))
        Path("run").write_bytes(b"".join(case.run))
        Path("half").write_bytes(b"".join(case.run[: 1 + len(case.run) // 2]))
        for arguments in COMMANDS:
            found.update(printed(arguments))
    return found.hexdigest()


def printed(arguments: tuple[str, ...]) -> bytes:
    """The command's standard output, in this process."""
    from pres_eval.cli import main

    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, "utf-8")
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        code = main([*arguments, "--format", "json", "--quiet"])
        stdout.flush()
    return b"%d\n%s" % (code, raw.getvalue())


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--all-features-off", action="store_true")
    said = parser.parse_args()
    import numpy as np

    core = "numpy._core" if int(np.__version__.partition(".")[0]) > 1 else "numpy.core"
    numpys: Any = importlib.import_module(f"{core}._multiarray_umath")
    features = [name for name in numpys.__cpu_dispatch__ if numpys.__cpu_features__[name]]
    if said.all_features_off and features:
        command = [sys.executable, __file__, "--cases", str(said.cases)]
        os.execve(sys.executable, command, {**os.environ, OFF: " ".join(features)})
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = digest(said.cases)
        os.chdir("/")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, click {version('click')}")
    print(f"{' '.join(platform.libc_ver())}, beyond numpy's baseline: {' '.join(features) or 'nothing'}")
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

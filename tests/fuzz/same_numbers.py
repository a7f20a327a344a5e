"""Digests of many evaluations, to compare between versions of numpy and Python, processors, C libraries.

    python tests/fuzz/same_numbers.py --cases 300
    python tests/fuzz/same_numbers.py --cases 300 --all-features-off
    python tests/fuzz/same_numbers.py --cases 300 --libm /usr/lib/x86_64-linux-musl/libc.so

Prints the versions, what numpy uses of the processor, and two digests: of all digits (JSON), and of what is
printed.  Needs no package but those that pres-eval itself needs.  --all-features-off starts the program again
with none of what numpy uses beyond its baseline; --libm takes log, log2 and exp from another C library.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import importlib
import io
import math
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


def digests(cases: int) -> tuple[str, str]:
    """Of the JSON and of the text that the commands print on random files, in this folder."""
    from fuzz.generator import make_case

    digits, text = hashlib.sha256(), hashlib.sha256()
    for seed in range(cases):
        case = make_case(seed, "9.0.8")
        if any("-R" in group for group in case.options):
            continue
        Path("qrels").write_bytes(b"".join(case.qrels))
        Path("run").write_bytes(b"".join(case.run))
        Path("half").write_bytes(b"".join(case.run[: 1 + len(case.run) // 2]))
        for arguments in COMMANDS:
            digits.update(printed((*arguments, "--format", "json")))
            text.update(printed(arguments))
    return digits.hexdigest(), text.hexdigest()


def printed(arguments: tuple[str, ...]) -> bytes:
    """The command's standard output, in this process."""
    from pres_eval.cli import main

    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, "utf-8")
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        code = main([*arguments, "--quiet"])
        stdout.flush()
    return b"%d\n%s" % (code, raw.getvalue())


def use_logarithms_of(path: str) -> None:
    """Let Python's math module compute with another C library."""
    library = ctypes.CDLL(path)
    for name in ("log", "log2", "exp"):
        function = getattr(library, name)
        function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
        setattr(math, name, function)


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--all-features-off", action="store_true")
    parser.add_argument("--libm", help="a C library, such as musl's")
    said = parser.parse_args()
    import numpy as np

    core = "numpy._core" if int(np.__version__.partition(".")[0]) > 1 else "numpy.core"
    numpys: Any = importlib.import_module(f"{core}._multiarray_umath")
    features = [name for name in numpys.__cpu_dispatch__ if numpys.__cpu_features__[name]]
    if said.all_features_off and features:
        command = [sys.executable, __file__, "--cases", str(said.cases)]
        os.execve(sys.executable, command, {**os.environ, OFF: " ".join(features)})
    if said.libm:
        use_logarithms_of(said.libm)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        digits, text = digests(said.cases)
        os.chdir("/")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, click {version('click')}")
    libc = said.libm or " ".join(platform.libc_ver())
    print(f"{libc}, beyond numpy's baseline: {' '.join(features) or 'nothing'}")
    print(f"all digits  {digits}\nprinted     {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

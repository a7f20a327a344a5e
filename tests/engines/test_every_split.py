"""All fixtures, and real runs, through both plans at many sizes of splits: the bytes of the command without.

PRES_EVAL_EVERY_SPLIT=1 tries each of the sizes on each case, which takes an hour; otherwise each file has one
size, small ones that of a byte.
"""

from __future__ import annotations

import gzip
import os
import shlex
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from conftest import ROOT
from support.in_splits import PLANS, printed, printed_in_splits

EVERY = bool(os.environ.get("PRES_EVAL_EVERY_SPLIT"))
SIZES = (1, 2, 7, 30, 100, 1000, 20_000, 1 << 20)
REAL_SIZES = (500, 5000, 50_000, 1 << 20)
SMALL = 400
FOLDER = ROOT / "fixtures" / "conformance"
REAL = ROOT.parent / "shared" / "realdata" / "robust03"
VERSIONS = ("9.0.8", "10.0")


def conformance() -> Iterator[tuple[Path, str, int, str]]:
    """Case, version, size of splits and plan."""
    cases = sorted(FOLDER.glob("*/*.args"))
    if EVERY:
        yield from (
            (case, ver, size, plan) for case in cases for ver in VERSIONS for size in SIZES for plan in PLANS
        )
        return
    others = cycle(SIZES[2:5])
    for number, run in enumerate(sorted(FOLDER.glob("*/run"))):
        num_bytes = run.stat().st_size
        size = 1 if num_bytes < SMALL else max(next(others), num_bytes // 40)
        case = min(case for case in cases if case.parent == run.parent)
        for plan in PLANS:
            if plan != PLANS[number % 3]:  # two of the three plans by turns
                yield case, VERSIONS[(number + (plan == PLANS[0])) % 2], size, plan


def _name(value: object) -> str:
    return f"{value.parent.name}/{value.stem}" if isinstance(value, Path) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "version", "size", "plan"), list(conformance()), ids=_name)
def test_conformance(case: Path, version: str, size: int, plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.parent)
    options = shlex.split(case.read_text(encoding="utf-8").splitlines()[0])
    arguments = ["--compat", version, *options, "qrels", "run"]
    expected = case.with_name(f"{case.stem}.{version}.expected")
    code, out, said = printed_in_splits(arguments, size, plan)
    assert (code, out, said) == printed(arguments)
    assert not expected.is_file() or out == expected.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES if EVERY else (1500,))
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("ties", ["docno", "expected", "best", "worst"])
def test_patents(ties: str, plan: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several runs, and every rule for equal scores."""
    monkeypatch.chdir(ROOT / "fixtures" / "patents")
    measures = ("map", "P", "PRES", "ndcg_cut.10", "recall.20", "recip_rank")
    arguments = ["-q", "--ties", ties, *(word for name in measures for word in ("-m", name)), "qrels.txt"]
    arguments += [f"run_{name}.txt" for name in ("broad", "keyword", "semantic")]
    if size == 1:
        arguments = arguments[:-2]
    assert printed_in_splits(arguments, size, plan) == printed(arguments)


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared beside the checkout")
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("size", REAL_SIZES if EVERY else REAL_SIZES[2:3])
@pytest.mark.parametrize("version", VERSIONS if EVERY else VERSIONS[:1])
@pytest.mark.parametrize(
    "name", sorted(path.name for path in REAL.glob("runs/*")) if EVERY else ["NLPR03vb10"]
)
def test_robust03(name: str, version: str, size: int, plan: str, tmp_path: Path) -> None:
    arguments = ["--compat", version, "-q", "-m", "all_trec", "-m", "PRES", str(REAL / "qrels.gz")]
    whole = (REAL / "runs" / name).read_bytes()
    (tmp_path / "run").write_bytes(gzip.decompress(whole) if name.endswith(".gz") else whole)
    arguments.append(str(tmp_path / "run"))
    found = printed_in_splits(arguments, size, plan)
    assert found == printed(arguments) and found[0] == 0 and found[1].count(b"\n") > 2500


@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared beside the checkout")
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("size", SIZES[:5] if EVERY else SIZES[5:6])
def test_a_part_of_robust03(size: int, plan: str, tmp_path: Path) -> None:
    """So many lines as take a while in splits of a byte; topics begin and end inside."""
    lines = (REAL / "runs" / "NLPR03vb10").read_bytes().splitlines(keepends=True)
    (tmp_path / "run").write_bytes(b"".join(lines[80:280] + lines[5000:5200]))
    arguments = ["-q", "-m", "all_trec", str(REAL / "qrels.gz"), str(tmp_path / "run")]
    found = printed_in_splits(arguments, size, plan)
    assert found == printed(arguments) and found[0] == 0

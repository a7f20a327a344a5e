"""--if-significant with --weights: the gate tests what `compare` tests."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.commands import Command


def write_weighted_runs(folder: Path) -> None:
    """Write judgements, an earlier and a worse run, and weights of which two topics weigh nothing."""
    rng = np.random.default_rng(61)
    topics = range(1, 15)
    qrels: list[str] = []
    weights: list[str] = []
    runs: dict[str, list[str]] = {"before": [], "now": []}
    for topic in topics:
        qrels.append(f"{topic} 0 relevant 1\n")
        for name, shift in (("before", 0), ("now", 2)):
            rank = int(rng.integers(0, 4)) + shift
            for position in range(8):
                docno = "relevant" if position == rank else f"d{position}"
                runs[name].append(f"{topic} Q0 {docno} {position} {8 - position} {name}\n")
        weights.append(f"{topic} {0 if topic < 3 else topic}\n")
    (folder / "qrels").write_text("".join(qrels))
    (folder / "weights").write_text("".join(weights))
    for name, lines in runs.items():
        (folder / name).write_text("".join(lines))


@pytest.mark.parametrize("test", ["t", "bootstrap", "wilcoxon"])
def test_the_gate_and_compare_have_the_same_p(
    test: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spread of the weights was taken for uncertainty: a larger p than that of `compare`."""
    monkeypatch.chdir(tmp_path)
    write_weighted_runs(tmp_path)
    common = ("-m", "map", "--weights", "weights")
    command.ok(*common, "--format", "json", "--output", "before.json", "qrels", "before")
    gate = command(*common, "--against", "before.json", "--if-significant", "--test", test, "qrels", "now")
    compared = command.ok(
        "compare", *common, "--test", test, "--alternative", "less", "--baseline", "before",
        "--format", "json", "qrels", "before", "now",
    )  # fmt: skip
    [comparison] = compared.json["comparisons"]
    [p_value] = re.findall(r"p = ([0-9.]+)", gate.err)
    assert gate.code == 3
    assert float(p_value) == pytest.approx(comparison["p_value"], abs=5e-5)
    assert f"{test} over 12 topics" in gate.err

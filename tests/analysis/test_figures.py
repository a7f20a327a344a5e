"""The papers' figures: curves against the textbook, the measures, and plain counting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.analysis.explain import (
    normalised_recall,
    precision_recall,
    pres_of_average_rank,
    pres_of_one,
    roc,
)


def test_saw_tooth_of_a_textbook_ranking() -> None:
    """Manning, Raghavan & Schütze, exercise 8.8: relevant at 1, 3, 9, 10 of ten, four relevant."""
    curve = precision_recall([1, 3, 9, 10], 4, 10)
    assert curve.precision.tolist() == [1, 1 / 2, 2 / 3, 2 / 8, 3 / 9, 3 / 9, 4 / 10, 4 / 10]
    assert curve.recall.tolist() == [0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1]
    assert curve.interpolated.tolist() == [1, 2 / 3, 0.4, 0.4]
    assert curve.break_even == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_area_under_roc_is_the_share_of_pairs_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    relevant = set((rng.choice(30, 6, replace=False) + 1).tolist())
    pairs = [(r, n) for r in relevant for n in range(1, 31) if n not in relevant]
    expected = sum(r < n for r, n in pairs) / len(pairs)
    assert roc(sorted(relevant), 6, 30, 30).area == pytest.approx(expected, abs=1e-12)
    assert normalised_recall(sorted(relevant), 6, np.array([30.0]))[0] == pytest.approx(expected, abs=1e-12)


def test_normalised_recall_is_rnorm_where_documents_are_missing() -> None:
    """Those that are missing lie at the end of the collection."""
    qrels = {"1": dict.fromkeys("abcd", 1)}
    run = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    for collection in (10, 1000):
        rnorm = pe.evaluate(qrels, run, "Rnorm", num_docs=collection)["Rnorm"]
        assert normalised_recall([2, 3], 4, np.array([float(collection)]))[0] == pytest.approx(rnorm)


def test_roc_goes_to_the_corner_and_what_is_not_found_counts_half() -> None:
    curve = roc([1, 2], 4, 10, 104)
    assert (curve.fallout[-1], curve.recall[-1]) == (1, 1)
    assert curve.area == pytest.approx((2 * 100 + 2 * (92 / 2)) / 400, abs=1e-12)


def test_pres_lines_are_pres() -> None:
    nmax, n = 100, 5
    ranks = [3, 20, 51]
    total = sum(ranks) + sum(nmax + i for i in range(4, 6))
    expected = 1 - (total / n - (n + 1) / 2) / nmax
    found = pres_of_average_rank(np.array([sum(ranks) / 3]), 3 / 5, n, nmax)
    assert found[0] == pytest.approx(expected, abs=1e-12)
    assert pres_of_one(np.array([1, 50, 100, 101]), 100).tolist() == [1, 1 - 49 / 100, 1 - 99 / 100, 0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["relevant", "precision-recall", "roc", "rnorm", "pres-rank", "pres-mrr"])
def test_every_figure_is_drawn(call: Command, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / "f.svg"
    found = call.ok("figures", kind, QRELS, *RUNS, "-N", "5000", "--plot", picture, "--format", "json").json
    assert "figure" in found
    assert picture.read_text().startswith("<?xml")


def test_break_even_is_r_precision(call: Command) -> None:
    rows = call.ok(
        "figures", "precision-recall", QRELS, RUNS[0], "--topic", "PAC-1002", "--format", "csv"
    ).rows
    lines = call.ok("-q", "-m", "Rprec", QRELS, RUNS[0]).out.splitlines()
    expected = next(line.split()[2] for line in lines if "PAC-1002" in line)
    assert {f"{float(row['break_even']):.4f}" for row in rows} == {expected}


def test_roc_needs_the_collection(call: Command) -> None:
    called = call("figures", "roc", QRELS, RUNS[0])
    assert called.code == 1
    assert "-N NUM" in called.err

"""What a reader concludes from tests and tables is true: one test for each wrong conclusion of 2.6.0."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.commands import Command
from support.null_rates import Draws, false_positives

from pres_eval.analysis.significance import PAIRED_TESTS


def score_file(path: Path, **runs: Sequence[float]) -> Path:
    """A file of scores of map, a row for each run and topic."""
    rows = [
        f"{run},{topic + 1},{value}" for run, values in runs.items() for topic, value in enumerate(values)
    ]
    path.write_text("\n".join(["run,topic,map", *rows]) + "\n")
    return path


@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "dunnett"])
def test_item_11_two_topics_say_nothing(command: Command, tmp_path: Path, test: str) -> None:
    """2.6.0: p < 0.0001 for two topics with the same difference."""
    file = score_file(tmp_path / "s.csv", low=(0.2, 0.3), high=(0.4, 0.5))
    called = command("compare", "--scores", file, "--test", test)
    assert "<0.0001" not in called.out
    assert "all 2 topics have the same difference in 1 of 1 comparison, which is no evidence" in called.out
    found = json.loads(command("compare", "--scores", file, "--test", test, "--format", "json").out)
    one = found["comparisons"][0]
    assert (one["p_value"], one["corrected"], one["lower"], one["significant"]) == (None, None, None, False)


def test_item_11_equal_differences_count_as_signs_from_five_topics_on(
    command: Command, tmp_path: Path
) -> None:
    for topics, p_value in ((4, None), (5, 0.0625), (6, 0.03125), (20, 2**-19)):
        file = score_file(tmp_path / "s.csv", low=[0.2] * topics, high=[0.4] * topics)
        found = json.loads(command("compare", "--scores", file, "--format", "json").out)
        assert found["comparisons"][0]["p_value"] == p_value


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_item_11_no_test_errs_oftener_than_it_says_on_a_grid(test: str) -> None:
    """Scores in steps of 0.1, as those of P_10: 2.6.0's t and bootstrap were wrong in 8 % of two topics."""
    grid = np.random.default_rng(1).binomial(10, 0.4, (10, 100)) / 10
    for topics in (2, 3, 5, 10):
        assert false_positives(grid, test, Draws(4000, topics), "swapped", samples=500) < 0.06


def test_item_11_a_bootstrap_that_cannot_reach_alpha_warns(command: Command, tmp_path: Path) -> None:
    file = score_file(tmp_path / "s.csv", low=(0.2, 0.3), high=(0.4, 0.51))
    assert "nothing can be significant" in command("compare", "--scores", file, "--test", "bootstrap").err

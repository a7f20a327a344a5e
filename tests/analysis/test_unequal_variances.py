"""Joint tests of runs that are unequally alike: the warning, and when there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.commands import Command


def score_file(path: Path, spreads: Sequence[float], topics: int = 40, seed: int = 1) -> Path:
    """Write scores of runs that vary so much from topic to topic."""
    rng = np.random.default_rng(seed)
    base = rng.normal(0.4, 0.1, topics)
    rows = [
        f"r{run},{topic},{base[topic] + rng.normal(0, spread)}\n"
        for run, spread in enumerate(spreads)
        for topic in range(topics)
    ]
    path.write_text("run,topic,map\n" + "".join(rows))
    return path


VARIANTS = [0.02] * 14 + [0.15] * 3


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_variants_beside_other_systems_warn(test: str, command: Command, tmp_path: Path) -> None:
    """A third of such tables has a false finding, without a word."""
    scores = score_file(tmp_path / "scores.csv", VARIANTS)
    options = ("--scores", scores, "--all-pairs", "--samples", "500", "--test")
    called = command("compare", *options, test)
    assert called.code == 0
    assert "pres-eval: warning: unequal variances: the difference of r1" in called.err
    assert f"from 2 on, {test} finds differences that are not there in more than 5 % of tables" in called.err
    assert "--test t with --correction holm" in called.err
    assert "unequal variances" not in command("compare", *options, "t").err


def test_dunnetts_warning_is_of_pairs_with_the_baseline(command: Command, tmp_path: Path) -> None:
    """The two runs that vary most differ most from each other, but are not compared."""
    scores = score_file(tmp_path / "scores.csv", [0.05] * 9 + [0.4, 0.4])
    options = ("--scores", scores, "--test")
    called = command("compare", *options, "dunnett", "--baseline", "r1")
    assert re.search("the difference of r1 and r(9|10) in map varies", called.err)
    assert "the difference of r9 and r10 in" in command("compare", *options, "tukey", "--baseline", "r1").err


@pytest.mark.parametrize("topics", [5, 10, 40])
def test_runs_that_are_equally_alike_do_not_warn(topics: int, command: Command, tmp_path: Path) -> None:
    for seed in range(5):
        scores = score_file(tmp_path / "scores.csv", [0.1] * 12, topics, seed)
        called = command("compare", "--scores", scores, "--all-pairs", "--test", "tukey")
        assert "unequal variances" not in called.err


def test_discrimination_warns_too(command: Command, tmp_path: Path) -> None:
    scores = score_file(tmp_path / "scores.csv", VARIANTS)
    options = ("--scores", scores, "--samples", "200", "--trials", "10")
    assert "unequal variances: the difference of r1" in command("power", *options).err
    assert "unequal variances" not in command("power", *options, "--test", "t").err

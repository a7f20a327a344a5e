"""Joint tests of runs that are unequally alike: the warning, and when there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.commands import Command

from pres_eval.analysis.unequal_variances import vary_unequally


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
    assert f"{test} takes the same variance for all pairs" in called.err
    assert "finds differences that are not there in more than 5 % of tables" in called.err
    assert "t with Holm's correction takes each pair's (compare --test t)" in called.err
    assert "unequal variances" not in command("compare", *options, "t").err


def test_dunnetts_warning_is_of_pairs_with_the_baseline(command: Command, tmp_path: Path) -> None:
    """The two runs that vary most differ most from each other, but are not compared."""
    scores = score_file(tmp_path / "scores.csv", [0.05] * 9 + [0.4, 0.4])
    options = ("--scores", scores, "--test")
    called = command("compare", *options, "dunnett", "--baseline", "r1")
    assert re.search("the difference of r1 and r(9|10) in map varies", called.err)
    assert "the difference of r9 and r10 in" in command("compare", *options, "tukey", "--baseline", "r1").err


@pytest.mark.parametrize("seed", range(4))
def test_a_small_inequality_warns(seed: int, command: Command, tmp_path: Path) -> None:
    """The largest variance is 1.5 times the mean, and Tukey's test errs in 7 to 10 % of such tables."""
    scores = score_file(tmp_path / "scores.csv", [0.06] * 6 + [0.1] * 6, topics=50, seed=seed)
    called = command("compare", "--scores", scores, "--all-pairs", "--test", "tukey")
    assert "unequal variances: the difference of r" in called.err


@pytest.mark.parametrize("topics", [5, 10, 40])
def test_runs_that_are_equally_alike_do_not_warn(topics: int, command: Command, tmp_path: Path) -> None:
    for seed in range(5):
        scores = score_file(tmp_path / "scores.csv", [0.1] * 12, topics, seed)
        called = command("compare", "--scores", scores, "--all-pairs", "--test", "tukey")
        assert "unequal variances" not in called.err


@pytest.mark.parametrize("draw", ["normal", "standard_t", "lognormal"])
def test_equal_variances_are_rarely_called_unequal(draw: str) -> None:
    """In 5 % of tables at most, of scores with long tails too (1 to 6 % of 400 by unequal_warnings.py)."""
    rng = np.random.default_rng(17)
    arguments = {"normal": (), "standard_t": (3,), "lognormal": ()}[draw]
    tables = [getattr(rng, draw)(*arguments, size=(8, 25)) for _ in range(60)]
    assert sum(vary_unequally(values, 0.05) for values in tables) <= 7


def test_several_measures_share_the_false_alarms() -> None:
    """A measure that would warn alone, at a level of 0.05, does not among twenty others."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(6, 20)) * np.array([1, 1, 1, 1, 1, 2.4])[:, None]
    assert vary_unequally(values, 0.05)
    assert not vary_unequally(values, 0.05 / 21)


def test_discrimination_warns_too(command: Command, tmp_path: Path) -> None:
    scores = score_file(tmp_path / "scores.csv", VARIANTS)
    options = ("--scores", scores, "--samples", "200", "--trials", "10")
    assert "unequal variances: the difference of r1" in command("power", *options).err
    assert "unequal variances" not in command("power", *options, "--test", "t").err


def test_further_measures_are_counted(command: Command, tmp_path: Path) -> None:
    scores = score_file(tmp_path / "scores.csv", VARIANTS)
    heading, *rows = scores.read_text().splitlines()
    twice = "".join(f"{row},{row.rpartition(',')[2]}\n" for row in rows)
    scores.write_text(f"{heading},P_5\n{twice}")
    called = command("compare", "--scores", scores, "--all-pairs", "--test", "tukey")
    assert "(and under 1 more of the measures)" in called.err

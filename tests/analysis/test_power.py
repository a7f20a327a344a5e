"""Topics needed, discriminative power, stability: against statsmodels and plain loops."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.power import (
    anova_power,
    discriminative_power,
    expected_width,
    stability,
    t_power,
    topic_set_sizes,
)
from pres_eval.analysis.reproducible import RandomStream


@pytest.mark.slow
@pytest.mark.parametrize(
    ("topics", "delta"), [(5, 0.02), (5, 0.3), (20, 0.1), (20, 0.3), (100, 0.02), (100, 0.1), (400, 0.05)]
)
def test_power_is_statsmodels(topics: int, delta: float) -> None:
    from statsmodels.stats.power import FTestAnovaPower, TTestPower

    variance = 0.1
    expected = TTestPower().power(delta / math.sqrt(variance), topics, 0.05)
    assert t_power(topics, delta, variance, 0.05) == pytest.approx(expected, abs=1e-9)
    runs = 6
    effect = math.sqrt(delta**2 / (2 * variance) / runs)
    expected = FTestAnovaPower().power(effect, runs * topics, 0.05, k_groups=runs)
    assert anova_power(topics, delta, variance, runs, 0.05) == pytest.approx(float(expected), abs=1e-7)


def test_expected_width_by_simulation() -> None:
    samples = np.random.default_rng(1).normal(0, 0.5, (20_000, 12))
    widths = 2 * 2.200985160 * samples.std(axis=1, ddof=1) / math.sqrt(12)
    assert expected_width(12, 0.25, 0.05) == pytest.approx(widths.mean(), rel=0.01)


def paired(runs: int = 4, topics: int = 20) -> PairedScores:
    values = np.random.default_rng(3).beta(1, 3, (1, runs, topics)) + np.linspace(0, 0.1, runs)[:, None]
    ids = tuple(b"%02d" % i for i in range(topics))
    return PairedScores(tuple("abcdefgh"[:runs]), ("m",), ids, values, values.mean(axis=2), topics)


def test_sizes_are_the_fewest_that_are_enough() -> None:
    [sizes] = topic_set_sizes(paired(), 0.1, runs=5)
    variance = sizes.deviation**2
    assert sizes.t is not None
    assert sizes.anova is not None
    assert sizes.interval is not None
    assert t_power(sizes.t, 0.1, 2 * variance, 0.05) >= 0.8 > t_power(sizes.t - 1, 0.1, 2 * variance, 0.05)
    assert anova_power(sizes.anova, 0.1, variance, 5, 0.05) >= 0.8
    assert anova_power(sizes.anova - 1, 0.1, variance, 5, 0.05) < 0.8
    assert expected_width(sizes.interval, 2 * variance, 0.05) <= 0.1
    assert expected_width(sizes.interval - 1, 2 * variance, 0.05) > 0.1
    assert t_power(20, sizes.detectable, 2 * variance, 0.05) == pytest.approx(0.8, abs=1e-6)


def test_discriminative_power_counts_pairs() -> None:
    for test in ("t", "bootstrap", "randomised-tukey"):
        [found] = discriminative_power(paired(), test=test, samples=300)
        assert len(found.levels) == 6
        assert found.significant == int((found.levels < 0.05).sum())
        assert found.share == found.significant / 6


def test_stability_is_the_plain_loop() -> None:
    scores, trials, size = paired(3, 12), 40, 5
    [row], swaps = stability(scores, [size], trials=trials, seed=2)
    counts = {pair: [0, 0, 0] for pair in ((0, 1), (0, 2), (1, 2))}
    swapped, bins = 0, Counter[tuple[int, str]]()
    for order in RandomStream(2, size).orders(trials, 12).tolist():
        for (a, b), own in counts.items():
            x, y = (sum(scores.values[0, run, t] for t in order[:size]) / size for run in (a, b))
            u, v = (sum(scores.values[0, run, t] for t in order[size : 2 * size]) / size for run in (a, b))
            same = abs(x - y) <= 0.05 * max(x, y)
            own[2 if same else 0 if x > y else 1] += 1
            swapped += (x - y) * (u - v) < 0
            bins[int(abs(x - y) / 0.01), "pairs"] += 1
            bins[int(abs(x - y) / 0.01), "swaps"] += (x - y) * (u - v) < 0
    total = 3 * trials
    assert row[2] == sum(min(c[0], c[1]) for c in counts.values()) / total
    assert row[3] == sum(c[2] for c in counts.values()) / total
    assert row[4] == swapped / total
    assert sum(one.swaps for one in swaps) == swapped
    assert sum(one.pairs for one in swaps) == total
    found = {
        (round(one.lower / 0.01), name): getattr(one, name) for one in swaps for name in ("pairs", "swaps")
    }
    assert found == bins, "a pair is in the bin of its difference on the first set"


@pytest.fixture
def pres_eval(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capsysbinary)


@pytest.mark.slow
def test_command(pres_eval: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    found = pres_eval.ok(
        "power", QRELS, *RUNS, "-m", "map", "-m", "PRES.100", "--trials", "20", "--samples", "200",
        "--plot", picture, "--format", "json",
    ).json  # fmt: skip
    assert [row["measure"] for row in found["sizes"]] == ["map", "PRES_100"]
    assert {row["pairs"] for row in found["discrimination"]} == {3}
    assert ">map<" in picture.read_text()
    assert "Stability" in pres_eval.ok("power", QRELS, *RUNS, "-m", "map", "--trials", "5").out

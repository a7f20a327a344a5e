"""Topics needed, discriminative power, stability: against statsmodels and plain loops."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from support.commands import FIXTURES, QRELS, RUNS, Command
from support.null_rates import read_tables

from pres_eval.analysis import power
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.power import (
    SizePlan,
    anova_power,
    discriminative_power,
    expected_width,
    pair_variances,
    stability,
    t_power,
    topic_set_sizes,
    variance_interval,
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
    [sizes] = topic_set_sizes(paired(), SizePlan(0.1, runs=5))
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


@pytest.mark.slow
def test_command(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    found = call.ok(
        "power", QRELS, *RUNS, "-m", "map", "-m", "PRES.100", "--trials", "20", "--samples", "200",
        "--plot", picture, "--format", "json",
    ).json  # fmt: skip
    assert [row["measure"] for row in found["sizes"]] == ["map", "PRES_100"]
    assert {row["pairs"] for row in found["discrimination"]} == {3}
    assert ">map<" in picture.read_text()
    assert "Stability" in call.ok("power", QRELS, *RUNS, "-m", "map", "--trials", "5").out


SCORES = str(FIXTURES / "scores" / "robust03.csv")


def sizes_of(call: Command, *options: str) -> dict[str, float]:
    """Return the row of map of `power --scores`."""
    command = ("power", "--scores", SCORES, "-m", "map", "--trials", "2", "--samples", "20")
    called = call(*command, "--format", "json", "--quiet", *options)
    assert called.code == 0, called.err
    (row,) = called.json["sizes"]
    found: dict[str, float] = row
    return found


def difference_variances() -> np.ndarray:
    """Return the variances of the differences of all pairs of runs by map."""
    values = read_tables(FIXTURES / "scores" / "robust03.csv")["map"]
    first, second = np.triu_indices(len(values), 1)
    return np.asarray((values[first] - values[second]).var(axis=1, ddof=1))


def test_power_says_for_which_share_of_pairs_it_plans(call: Command) -> None:
    """2.21.0: for an average pair, without a word; 43 % of pairs have less than the power asked for."""
    variances = difference_variances()
    plain = sizes_of(call)
    assert plain["pairs"] == pytest.approx(float((variances <= 2 * plain["deviation"] ** 2).mean()))
    assert 0.5 < plain["pairs"] < 0.7
    for share in (0.5, 0.9, 1.0):
        planned = sizes_of(call, "--share", str(share))
        assert planned["pairs"] >= share
        variance = np.sort(variances)[math.ceil(share * len(variances)) - 1]
        topics = int(planned["t"])
        assert t_power(topics, 0.05, variance, 0.05) >= 0.8 > t_power(topics - 1, 0.05, variance, 0.05)
        # An analysis of variance looks at all runs, whatever pair the t-test is planned for.
        assert planned["anova"] == plain["anova"]
    out = call("power", "--scores", SCORES, "-m", "map", "--trials", "2", "--samples", "20").out
    assert (
        "pairs: the share of the pairs of these runs that vary no more than the t-test is planned for" in out
    )
    assert "for an average pair; --share 0.9 plans for nine pairs of ten" in out


def test_power_plans_for_a_correction(call: Command) -> None:
    """2.21.0: for one uncorrected test; after Holm's correction over 45 pairs 0.39 of 0.80 are left."""
    plain, corrected = sizes_of(call), sizes_of(call, "--comparisons", "45")
    assert corrected == sizes_of(call, "--comparisons", "45", "--alpha", "0.05")
    single = sizes_of(call, "--alpha", str(0.05 / 45))
    assert (corrected["t"], corrected["interval"]) == (single["t"], single["interval"])
    assert corrected["t"] > 1.5 * plain["t"]
    assert corrected["anova"] == plain["anova"]
    options = ("--comparisons", "45", "--share", "0.9", "--table", "sizes")
    out = call("power", "--scores", SCORES, "-m", "map", "--trials", "2", "--samples", "20", *options).out
    assert "(alpha 0.05 over 45 comparisons, power 0.8)" in out
    assert "Holm's and Bonferroni's corrections" in out


def bonett(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of variances (P,) of Bonett 2006, written from the paper: (P, T) differences."""
    n, z = differences.shape[1], stats.norm.ppf(0.975)
    trimmed = stats.trim_mean(differences, 1 / (2 * math.sqrt(n - 4)), axis=1)
    fourth = ((differences - trimmed[:, None]) ** 4).sum(axis=1)
    variances = differences.var(axis=1, ddof=1)
    kurtosis = n * fourth / ((n - 1) * variances) ** 2
    c = n / (n - z)
    error = c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    return c * variances * np.exp(-z * error), c * variances * np.exp(z * error)


@pytest.mark.parametrize("topics", [5, 10, 25, 50])
def test_the_interval_of_a_variance_holds_it_on_real_scores(topics: int) -> None:
    """The quantiles of χ² hold it in 81 to 89 %, as differences have long tails."""
    chance = np.random.default_rng([7, topics])
    for values in read_tables(FIXTURES / "scores" / "robust03.csv").values():
        held = 0
        for _ in range(600):
            pair = values[chance.choice(len(values), 2, replace=False)]
            drawn = pair[:, chance.integers(pair.shape[1], size=topics)]
            (variance,), kurtosis = pair_variances(drawn)
            low, high = variance_interval(variance, kurtosis, topics)
            held += low <= (pair[0] - pair[1]).var() <= high
        assert held / 600 > 0.87


def test_power_prints_an_interval_of_the_number(call: Command, tmp_path: Path) -> None:
    """Ten topics of a pilot say little of the variance: 20 to 134 topics where 41 are the estimate."""
    chance = np.random.default_rng(5)
    rows = ["run,topic,map"]
    a_scores: list[float] = []
    b_scores: list[float] = []
    for topic in range(10):
        easy = chance.uniform(0.2, 0.6)
        for run, scores in (("a", a_scores), ("b", b_scores)):
            scores.append(round(easy + chance.normal(0, 0.08), 6))
            rows.append(f"{run},{topic},{scores[-1]}")
    (tmp_path / "pilot.csv").write_text("\n".join(rows) + "\n")
    command = ("power", "--scores", tmp_path / "pilot.csv", "--trials", "2", "--samples", "20")
    (row,) = call(*command, "--format", "json", "--quiet").json["sizes"]
    low, high = bonett(np.array([a_scores]) - np.array([b_scores]))
    assert row["t_low"] == next(n for n in range(2, 5000) if t_power(n, 0.05, low[0], 0.05) >= 0.8)
    assert row["t_high"] == next(n for n in range(2, 5000) if t_power(n, 0.05, high[0], 0.05) >= 0.8)
    assert row["t_high"] > 5 * row["t_low"]
    out = call(*command, "--table", "sizes").out
    assert f"{row['t_low']} .. {row['t_high']}" in out
    assert "95 % interval of the number" in out and "10 topics" in out
    assert "of pairs of real runs 90 to 94 % of such intervals held it, of the average pair of three" in out


def test_an_interval_of_the_number_may_have_no_upper_end(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More topics than are planned for, here 60, are no number; the lower end is shown all the same."""
    monkeypatch.setattr(power, "MOST_PLANNED_TOPICS", 60)
    chance = np.random.default_rng(5)
    rows = [f"{run},{topic},{chance.normal(0.5, 0.08)}\n" for run in "ab" for topic in range(10)]
    (tmp_path / "pilot.csv").write_text("run,topic,map\n" + "".join(rows))
    command = ("power", "--scores", tmp_path / "pilot.csv", "--trials", "2", "--samples", "20", "--quiet")
    assert re.search(r"  \d+ \.\. - ", call(*command, "--table", "sizes").out)


def test_numbers_of_topics_end_at_the_limit(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number that would follow the limit is none: it lies below the next power of two, 64."""
    scores = write_scores(tmp_path / "pilot.csv", 10)
    command = ("power", "--scores", scores, "--trials", "2", "--samples", "20", "--quiet", "--table", "sizes")
    row = call(*command, "--format", "csv").out.splitlines()[1].split(",")
    needed = int(row[3])
    monkeypatch.setattr(power, "MOST_PLANNED_TOPICS", needed)
    assert call(*command, "--format", "csv").out.splitlines()[1].split(",")[3] == row[3]
    monkeypatch.setattr(power, "MOST_PLANNED_TOPICS", needed - 1)
    assert call(*command, "--format", "csv").out.splitlines()[1].split(",")[3] == ""


def write_scores(path: Path, topics: int) -> Path:
    chance = np.random.default_rng(5)
    rows = [f"{run},{topic},{chance.normal(0.5, 0.08)}\n" for run in "ab" for topic in range(topics)]
    path.write_text("run,topic,map\n" + "".join(rows))
    return path


def test_four_topics_are_the_fewest(call: Command, tmp_path: Path) -> None:
    for topics, code in ((4, 0), (3, 1)):
        scores = write_scores(tmp_path / "scores.csv", topics)
        called = call("power", "--scores", scores, "--trials", "2", "--samples", "20", "--quiet")
        assert called.code == code
    assert called.err == "pres-eval: 2 runs over 3 topics: expected two runs and four topics at least\n"


def test_sets_have_a_fifth_two_fifths_and_half_of_the_topics(call: Command, tmp_path: Path) -> None:
    scores = write_scores(tmp_path / "scores.csv", 15)
    called = call("power", "--scores", scores, "--trials", "2", "--samples", "20", "--format", "json")
    assert [row["topics"] for row in called.json["stability"]] == [3, 6, 7]
    assert called.json["settings"]["sizes"] == [3, 6, 7]
    assert called.json["settings"]["planned_runs"] == 10


def test_anova_is_named_for_what_it_computes(call: Command) -> None:
    """2.21.0: "between the best and the worst of the runs", which no analysis of variance compares."""
    out = call("power", "--scores", SCORES, "-m", "map", "--trials", "2", "--samples", "20").out
    assert "ANOVA: for a one-way analysis of variance to find that some of 10 runs differ" in out
    assert "between the best and the worst of the runs;" not in out


@pytest.mark.parametrize(
    ("option", "message"), [("--share", "0"), ("--share", "1.1"), ("--comparisons", "0")]
)
def test_shares_and_comparisons_that_mean_nothing(call: Command, option: str, message: str) -> None:
    called = call("power", "--scores", SCORES, option, message)
    assert called.code != 0 and option in called.err


def test_stability_is_drawn_by_the_seed(call: Command) -> None:
    power = ("power", QRELS, *RUNS, "-m", "map", "--trials", "5", "--samples", "20", "--quiet")
    table = (*power, "--table", "stability", "--format", "csv")
    assert call.ok(*table).out == call.ok(*table, "--seed", "0").out != call.ok(*table, "--seed", "5").out

"""compare --groups and --weights: what is said of groups is what is said of their topics alone."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command
from support.trials import ALL, at_most, trials

import pres_eval as pe
from pres_eval.analysis.by_group import compare_by_group
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.distributions import f_above
from pres_eval.analysis.interaction import _means_and_precisions, _Permutations, p_of_interaction
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.weighting import weighted_intervals
from pres_eval.arrays.types import FloatArray
from pres_eval.errors import UsageError

TOPICS = pe.Qrels(QRELS).topics


def only(path: str, topics: set[str], to: Path) -> str:
    """The lines of a file that are of some topics."""
    lines = Path(path).read_text().splitlines(keepends=True)
    to.write_text("".join(line for line in lines if line.split()[0] in topics))
    return str(to)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
def test_p_values_are_those_of_the_topics_alone(command: Command, tmp_path: Path, test: str) -> None:
    file = tmp_path / "groups"
    head = set(TOPICS[:5])
    file.write_text("".join(f"{topic} {'head' if topic in head else 'tail'}\n" for topic in TOPICS))
    options = ("-m", "map", "-m", "P.10", "--test", test, "--format", "json")
    found = command("compare", *options, "--groups", file, QRELS, *RUNS).json["by_group"]
    assert len(found) == 2 * 2 * 2
    for group in ("head", "tail"):
        topics = head if group == "head" else set(TOPICS) - head
        files = [only(path, topics, tmp_path / f"{group}{n}") for n, path in enumerate([QRELS, *RUNS])]
        alone = command("compare", *options, "--correction", "none", *files).json["comparisons"]
        own = [row for row in found if row["group"] == group]
        for row, one in zip(own, alone, strict=True):
            assert (row["measure"], row["run"], row["topics"]) == (one["measure"], one["run"], len(topics))
            assert row["p_value"] == one["p_value"] and row["difference"] == one["difference"]
    for measure in ("map", "P_10"):
        own = [row for row in found if row["measure"] == measure]
        corrected = CORRECTIONS["holm"](np.array([row["p_value"] for row in own]))
        assert [row["corrected"] for row in own] == corrected.tolist()


def welch(groups: list[FloatArray], weights: list[FloatArray]) -> tuple[float, float]:
    """Return Welch's F of groups of values with weights, and its second degrees of freedom."""
    means, precisions = [], []
    for values, own in zip(groups, weights, strict=True):
        mean = float(np.average(values, weights=own))
        topics = int(np.count_nonzero(own))
        squares = sum((weight * (value - mean)) ** 2 for value, weight in zip(values, own, strict=True))
        means.append(mean)
        precisions.append(own.sum() ** 2 * (topics - 1) / (topics * squares))
    count, middle = len(groups), float(np.average(means, weights=precisions))
    shares = [one / sum(precisions) for one in precisions]
    imbalance = sum(
        (1 - share) ** 2 / (np.count_nonzero(own) - 1) for share, own in zip(shares, weights, strict=True)
    )
    between = sum(one * (mean - middle) ** 2 for one, mean in zip(precisions, means, strict=True))
    f = between / (count - 1) / (1 + 2 * (count - 2) / (count**2 - 1) * imbalance)
    return float(f), float((count**2 - 1) / (3 * imbalance))


@pytest.mark.parametrize("weights", [[1.0] * 8, [1.0, 4.0, 0.5, 2.0, 2.0, 0.5, 3.0, 1.0]])
@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_interaction_is_that_of_all_deals(shift: float, weights: list[float]) -> None:
    """Against all ways to deal eight topics to groups of three and five, one after the other."""
    group, every = np.array([0, 0, 0, 1, 1, 1, 1, 1]), set(range(8))
    plain, weight = np.random.default_rng(3).normal(size=8) + shift * group, np.array(weights)

    def test_of(first: tuple[int, ...]) -> tuple[float, float]:
        parts = [list(first), sorted(every - set(first))]
        return welch([plain[own] for own in parts], [weight[own] for own in parts])

    f, within = test_of((0, 1, 2))
    exact = np.mean([test_of(first)[0] >= f * (1 - 1e-9) for first in itertools.combinations(range(8), 3)])
    found = p_of_interaction(plain * weight, group, 20_000, 0, weight)
    assert found == pytest.approx(max(float(exact), f_above(f, 1, within)), abs=0.015)


def test_a_group_of_one_topic_has_the_variance_of_all() -> None:
    values = np.array([[0.1, -0.2, 0.3, 0.15, -0.35]])
    groups = _Permutations(values, np.ones((1, 5)), np.array([1, 4]))
    means, precisions = _means_and_precisions(groups)
    assert means[0].tolist() == pytest.approx([0.1, -0.025])
    assert precisions[0, 0] == pytest.approx(1 / np.mean(values**2))


def test_welchs_f_of_three_groups_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(4)
    group = np.repeat([0, 1, 2], [6, 9, 15])
    values = rng.normal(size=30) * np.array([1.0, 4.0, 0.5])[group] + np.array([0.4, 2.0, 0.0])[group]
    parts = [values[group == number] for number in range(3)]
    f, within = welch(parts, [np.ones(len(own)) for own in parts])
    assert f_above(f, 2, within) == pytest.approx(float(stats.f.sf(f, 2, within)), rel=1e-12)
    # Few deals come as far: the larger p-value is Welch's own.
    far = values + np.array([0.0, 6.0, 0.0])[group]
    f, within = welch([far[group == number] for number in range(3)], [np.ones(len(own)) for own in parts])
    assert p_of_interaction(far, group, 99_999, 0) == pytest.approx(float(stats.f.sf(f, 2, within)), rel=0.05)


@pytest.mark.parametrize(("first", "second"), [(40, 10), (45, 5), (10, 40)])
def test_groups_that_spread_unequally_show_no_interaction(first: int, second: int) -> None:
    """Up to 48 % of tables had p < 0.05: the smaller group spread five times as much."""
    rng = np.random.default_rng(first)
    ids = [b"%03d" % number for number in range(50)]
    groups = {"x": frozenset(ids[:first]), "y": frozenset(ids[first:])}
    spread = np.repeat([0.1, 0.5], [first, second])
    settings = CompareSettings(samples=200)
    significant = [
        compare_by_group(made(spread * rng.normal(size=50)), groups, 0, settings).interactions[0].significant
        for _ in range(trials(200))
    ]
    assert np.mean(significant) <= at_most(0.06, len(significant))


def test_one_topic_apart_is_no_interaction(command: Command, tmp_path: Path) -> None:
    """Each deal has the one topic in one of two equal groups; the last bits of sums must not matter."""
    differences = [0.1] * 4 + [0.7] + [0.1] * 5
    rows = [
        f"{run},{topic},{value}\n"
        for topic, difference in enumerate(differences)
        for run, value in (("a", 0.2), ("b", 0.2 + difference))
    ]
    (tmp_path / "scores.csv").write_text("run,topic,map\n" + "".join(rows))
    (tmp_path / "groups").write_text("".join(f"{topic} {'xy'[topic > 4]}\n" for topic in range(10)))
    options = ("--scores", tmp_path / "scores.csv", "--groups", tmp_path / "groups", "--format", "json")
    [row] = command("compare", *options).json["interaction"]
    assert row["p_value"] == 1.0


def test_a_group_of_one_topic_has_the_spread_of_all() -> None:
    """It has no variance of its own: its share of deals is that of its distance from the mean."""
    differences = np.array([0.9, 0.1, 0.2, 0.3, 0.0])
    group = np.array([0, 1, 1, 1, 1])
    assert p_of_interaction(differences, group, 20_000, 0) == pytest.approx(0.2, abs=0.015)


def test_equal_differences_do_not_depend_on_the_group() -> None:
    assert p_of_interaction(np.full(5, 0.25), np.array([0, 0, 1, 1, 1]), 100, 0) == 1.0


def made(differences: FloatArray) -> PairedScores:
    """Scores of two runs with these differences."""
    values = np.array([[np.zeros(len(differences)), differences]])
    topics = tuple(b"%03d" % number for number in range(len(differences)))
    return PairedScores(("a", "b"), ("m",), topics, values, means_of(values), len(differences))


def test_interactions_of_equal_groups_are_found_as_often_as_alpha_says() -> None:
    rng = np.random.default_rng(11)
    ids = [b"%03d" % number for number in range(30)]
    groups = {"x": frozenset(ids[:12]), "y": frozenset(ids[12:])}
    settings = CompareSettings(samples=500)
    null = [
        compare_by_group(made(rng.normal(size=30)), groups, 0, settings).interactions[0]
        for _ in range(trials(300))
    ]
    assert np.mean([one.significant for one in null]) <= at_most(0.06, len(null))
    apart = np.repeat([0.0, 2.0], [12, 18])
    [one] = compare_by_group(made(apart + rng.normal(size=30)), groups, 0, settings).interactions
    assert one.significant and (one.least, one.greatest) == ("x", "y")


def test_overlap_has_no_interaction_and_joint_tests_no_groups(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text(
        "".join(f"{topic} all\n{topic} {'a' if topic < TOPICS[6] else 'b'}\n" for topic in TOPICS)
    )
    found = command("compare", "-m", "map", "--groups", file, "--format", "json", QRELS, *RUNS).json
    assert "by_group" in found and "interaction" not in found
    called = command("compare", "-m", "map", "--groups", file, "--test", "tukey", QRELS, *RUNS)
    assert called.code == 1 and "--groups goes with tests of two runs, not with --test tukey" in called.err
    with pytest.raises(UsageError):
        compare_by_group(made(np.arange(4.0)), {"x": frozenset([b"000"])}, 0, CompareSettings(test="dunnett"))


def test_weights_make_weighted_means_and_unit_weights_change_nothing(
    command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "weights"
    file.write_text("".join(f"{topic} {1 + place % 4}\n" for place, topic in enumerate(TOPICS)))
    options = ("-m", "map", "--format", "json", QRELS, *RUNS)
    means = {row["run"]: row["mean"] for row in command("compare", "--weights", file, *options).json["means"]}
    for run in RUNS:
        found = pe.evaluate(QRELS, run, "map", weights=str(file))
        assert means[found.tag] == pytest.approx(found["map"], abs=1e-15)
    file.write_text("".join(f"{topic} 1\n" for topic in TOPICS))
    assert (
        command("compare", "--weights", file, *options).json["comparisons"]
        == (command("compare", *options).json["comparisons"])
    )
    assert "with weights" in command("compare", "--weights", file, "-m", "map", QRELS, *RUNS).out


def test_means_of_groups_have_the_weights_of_their_own_topics(command: Command, tmp_path: Path) -> None:
    """As the evaluator prints them; 2.8.0 to 2.12.0 divided by the weights of all topics."""
    rng = np.random.default_rng(5)
    weights, groups = tmp_path / "weights", tmp_path / "groups"
    weights.write_text("".join(f"{topic} {rng.integers(0, 9)}\n" for topic in TOPICS) + "")
    groups.write_text("".join(f"{topic} {'head' if n < 5 else 'tail'}\n" for n, topic in enumerate(TOPICS)))
    options = ("-m", "map", "-m", "P.10", "--weights", weights, "--groups", groups, "--format", "json")
    found = command("compare", *options, QRELS, *RUNS).json
    shown: dict[str, Any] = {"weights": str(weights), "groups": str(groups)}
    each = [pe.evaluate(QRELS, run, ["map", "P.10"], **shown) for run in RUNS]
    own: dict[tuple[str, str, str], Any] = {
        (one.tag, group, measure): value
        for one in each
        for group, values in one.groups.items()
        for measure, value in values.items()
    }
    assert len(found["by_group"]) == 8
    for row in found["by_group"]:
        mean, other = (own[name, row["group"], row["measure"]] for name in (row["run"], row["other"]))
        assert (row["mean"], row["other_mean"]) == pytest.approx((mean, other), abs=1e-12)
        assert row["difference"] == pytest.approx(mean - other, abs=1e-12)
    for row in found["interaction"]:
        apart = {
            group: own[row["run"], group, row["measure"]] - own[row["other"], group, row["measure"]]
            for group in ("head", "tail")
        }
        ends = apart[row["least"]], apart[row["greatest"]]
        assert ends == pytest.approx((min(apart.values()), max(apart.values())), abs=1e-12)


def test_the_group_with_the_least_gain_is_that_by_weighted_means(command: Command, tmp_path: Path) -> None:
    """The light group has the larger gain, but the smaller sum of weights times gains."""
    gains = {"1": 0.10, "2": 0.12, "3": 0.30, "4": 0.32}
    scores, weights, groups = tmp_path / "scores.csv", tmp_path / "weights", tmp_path / "groups"
    rows = [f"a,{topic},0.5\nb,{topic},{0.5 + gain}\n" for topic, gain in gains.items()]
    scores.write_text("run,topic,map\n" + "".join(rows))
    weights.write_text("1 10\n2 10\n3 1\n4 1\n")
    groups.write_text("1 heavy\n2 heavy\n3 light\n4 light\n")
    options = ("--weights", weights, "--groups", groups, "--format", "json")
    (row,) = command("compare", "--scores", scores, *options).json["interaction"]
    assert (row["run"], row["least"], row["greatest"]) == ("b", "heavy", "light")
    shown = command("compare", "--scores", scores, *options[:4], "--table", "interaction").out
    heading, cells = (line.split() for line in shown.splitlines() if line.startswith(("measure", "map")))
    assert heading[3:7] == ["least", "in", "greatest", "in"] and cells[3:5] == ["heavy", "light"]


def test_weights_times_equal_differences_are_no_interaction() -> None:
    weights = np.array([1.0, 4.0, 0.0, 2.0, 2.0, 0.5, 3.0])
    assert (
        p_of_interaction(np.full(7, 0.25) * weights, np.array([0, 0, 0, 1, 1, 1, 1]), 100, 0, weights) == 1.0
    )


def test_a_group_that_weighs_nothing_is_an_error(command: Command, tmp_path: Path) -> None:
    weights, groups = tmp_path / "weights", tmp_path / "groups"
    weights.write_text("".join(f"{topic} {int(n > 0)}\n" for n, topic in enumerate(TOPICS)))
    groups.write_text("".join(f"{topic} {'rest' if n else 'first'}\n" for n, topic in enumerate(TOPICS)))
    called = command("compare", "-m", "map", "--weights", weights, "--groups", groups, QRELS, *RUNS)
    assert called.code == 1 and "group first all weigh 0" in called.err


def test_python_compares_with_weights_and_in_groups_as_the_command_does(
    command: Command, tmp_path: Path
) -> None:
    weights = {topic: 1 + place % 4 for place, topic in enumerate(TOPICS)}
    groups = {topic: "head" if place < 5 else "tail" for place, topic in enumerate(TOPICS)}
    files: dict[str, dict[str, Any]] = {"weights": weights, "groups": groups}
    for name, values in files.items():
        (tmp_path / name).write_text("".join(f"{topic} {value}\n" for topic, value in values.items()))
    evaluations = [pe.evaluate(QRELS, run, "map", weights=weights, groups=groups) for run in RUNS]
    found = pe.compare(evaluations)
    assert found.by_group is not None and "12 topics, with weights" in str(found)
    options = ("-m", "map", "--weights", tmp_path / "weights", "--groups", tmp_path / "groups", "--per-topic")
    printed = command("compare", *options, "--format", "json", QRELS, *RUNS).json
    rows = [*printed["comparisons"], *printed["by_group"]]
    each: list[Any] = [*found, *found.by_group.comparisons]
    for one, row in zip(each, rows, strict=True):
        assert (one.difference, one.p_value) == (row["difference"], row["p_value"])
    assert [one.p_value for one in found.by_group.interactions] == [
        one["p_value"] for one in printed["interaction"]
    ]
    assert [one.value for one in found.per_topic()] == [one["value"] for one in printed["per_topic"]]
    with pytest.raises(pe.PresEvalError, match="other groups or weights of topics"):
        pe.compare([evaluations[0], pe.evaluate(QRELS, RUNS[1], "map")])


def test_topics_of_weight_0_count_in_no_test(command: Command, tmp_path: Path) -> None:
    """2.8.0 to 2.12.0: their differences of 0 were topics of the test, and ties."""
    numbers = {topic: place % 3 for place, topic in enumerate(TOPICS)}
    (tmp_path / "weights").write_text("".join(f"{topic} {n}\n" for topic, n in numbers.items()))
    left = [line for line in Path(QRELS).read_text().splitlines() if numbers[line.split()[0]]]
    (tmp_path / "qrels").write_text("\n".join(left) + "\n")
    options = ("-m", "map", "--weights", tmp_path / "weights", "--format", "json", "--quiet")
    whole = command("compare", *options, QRELS, *RUNS).json
    part = command("compare", *options, tmp_path / "qrels", *RUNS).json
    assert whole["comparisons"] == part["comparisons"] and whole["means"] == part["means"]
    said = command("compare", *options[:4], QRELS, *RUNS).out
    assert f"{list(numbers.values()).count(0)} of which weigh 0 and do not count" in said


def jackknife(values: list[float], weights: list[float]) -> tuple[float, float, float]:
    """Return a weighted mean, its error by leaving out each topic in turn, and Kish's number of topics."""
    topics = len(values)

    def mean(left_out: int | None = None) -> float:
        kept = [topic for topic in range(topics) if topic != left_out]
        return math.fsum(weights[t] * values[t] for t in kept) / math.fsum(weights[t] for t in kept)

    whole = mean()
    changes = math.fsum((mean(topic) - whole) ** 2 for topic in range(topics))
    effective = math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights)
    return whole, math.sqrt((topics - 1) / topics * changes), effective


def test_intervals_of_weighted_means_and_differences_are_those_of_a_ratio(
    command: Command, tmp_path: Path
) -> None:
    """Differences tested weight × difference; with equal values there is nothing uncertain."""
    stats = pytest.importorskip("scipy.stats")
    numbers = {topic: 1 + place % 4 for place, topic in enumerate(TOPICS)}
    (tmp_path / "weights").write_text("".join(f"{topic} {n}\n" for topic, n in numbers.items()))
    options = ("-m", "map", "--weights", tmp_path / "weights", "--correction", "none", "--format", "json")
    found = command("compare", *options, QRELS, *RUNS).json
    evaluations = [pe.evaluate(QRELS, run, "map") for run in RUNS]
    topics = evaluations[0].topics
    weights = [float(numbers[topic]) for topic in topics]
    values = {one.tag: one.per_topic("map").tolist() for one in evaluations}
    for row in found["means"]:
        mean, error, effective = jackknife(values[row["run"]], weights)
        spread = stats.t.ppf(0.975, effective - 1) * error / (mean * (1 - mean))
        assert row["mean"] == pytest.approx(mean)
        logits = math.log(mean / (1 - mean)) + np.array([-spread, spread])
        assert (row["lower"], row["upper"]) == pytest.approx(tuple(1 / (1 + np.exp(-logits))))
    for row in found["comparisons"]:
        apart = [a - b for a, b in zip(values[row["run"]], values[row["other"]], strict=True)]
        mean, error, effective = jackknife(apart, weights)
        spread = stats.t.ppf(0.975, effective - 1) * error
        assert row["difference"] == pytest.approx(mean)
        assert (row["lower"], row["upper"]) == pytest.approx((mean - spread, mean + spread))
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(mean) / error, effective - 1))
        squares = sum(weight * (value - mean) ** 2 for weight, value in zip(weights, apart, strict=True))
        deviation = math.sqrt(squares / sum(weights) * len(apart) / (len(apart) - 1))
        assert row["d_z"] == pytest.approx(mean / deviation), "in standard deviations of the differences"


def test_the_table_says_how_far_the_p_of_a_small_group_can_be_wrong(command: Command, tmp_path: Path) -> None:
    """Skewed differences of a small group that vary more: p < 0.05 in up to 19 % of tables."""
    differences = [0.01 * (topic % 3) for topic in range(20)] + [0.4, 0.5, 0.6, 0.5, 0.4]
    scores, _ = weighted_scores(tmp_path, differences, [1.0] * 25)
    groups = tmp_path / "groups"
    for last, noted in ((25, True), (20, False)):
        groups.write_text("".join(f"{topic} {'xy'[topic % 2 or topic > 19]}\n" for topic in range(last)))
        called = command("compare", "--scores", scores, "--groups", groups)
        assert ("p is too low if differences are skewed" in called.out) is noted, "nothing is significant"


@pytest.mark.parametrize(("size", "is_noted"), [(49, True), (50, False)])
def test_groups_of_50_topics_are_large(size: int, is_noted: bool, command: Command, tmp_path: Path) -> None:
    differences = [0.01 * (topic % 3) + 0.4 * (topic >= size) for topic in range(2 * size)]
    scores, _ = weighted_scores(tmp_path, differences, [1.0] * 2 * size)
    groups = tmp_path / "groups"
    groups.write_text("".join(f"{topic} {'xy'[topic >= size]}\n" for topic in range(2 * size)))
    called = command("compare", "--scores", scores, "--groups", groups)
    assert "Difference by group" in called.out
    assert ("p is too low if differences are skewed" in called.out) is is_noted


def test_the_table_says_that_weighted_means_have_intervals_of_the_logit(
    command: Command, tmp_path: Path
) -> None:
    """Without weights, and with equal ones, intervals are Student's."""
    for number, noted in ((4, True), (1, False)):
        weights = "".join(f"{topic} {1 + n % number}\n" for n, topic in enumerate(TOPICS))
        (tmp_path / "weights").write_text(weights)
        called = command("compare", "-m", "map", "--weights", tmp_path / "weights", QRELS, *RUNS)
        assert ("map: t intervals of the logit" in called.out) is noted


def test_weighted_intervals_of_skewed_scores_hold_the_truth() -> None:
    """Student's hold 0.87 of scores most of which are near 0; those of the logit 0.91 and more."""
    random = np.random.default_rng(6106)
    held, number = 0, trials(300)
    for _ in range(number):
        weights = random.lognormal(0, 1, 25)
        weights *= 25 / weights.sum()
        weighted = (weights * random.beta(0.3, 3, 25))[np.newaxis]
        lower, upper = weighted_intervals(weighted, weights, 0.05, between_0_and_1=True)
        held += bool(lower[0] <= 0.3 / 3.3 <= upper[0])
    assert 1 - held / number <= at_most(0.08, number)


def weighted_scores(path: Path, differences: list[float], weights: list[float]) -> tuple[Path, Path]:
    """Write scores of two runs with these differences, and weights of the topics."""
    rows = [
        f"{run},{topic},{value}\n"
        for topic, difference in enumerate(differences)
        for run, value in (("a", 0.1), ("b", 0.1 + difference))
    ]
    (path / "scores.csv").write_text("run,topic,map\n" + "".join(rows))
    (path / "weights").write_text("".join(f"{topic} {weight}\n" for topic, weight in enumerate(weights)))
    return path / "scores.csv", path / "weights"


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_the_spread_of_weights_is_no_uncertainty(test: str, command: Command, tmp_path: Path) -> None:
    """Nearly equal differences under unequal weights: the interval of the difference went from -1.4 to 0."""
    differences = [0.7 + 0.01 * (place % 3) for place in range(12)]
    scores, weights = weighted_scores(tmp_path, differences, [1.0] * 10 + [8.0, 16.0])
    options = ("--scores", scores, "--weights", weights, "--test", test, "--format", "json")
    called = command("compare", *options)
    [row] = called.json["comparisons"]
    assert 0.69 < row["lower"] < row["difference"] < row["upper"] < 0.74
    assert row["significant"]
    assert "12 topics tell as much as 3.5 of equal weight (Kish)" in called.err
    non_inferior = command("compare", *options, "--alternative", "equivalent", "--margin", "0.75")
    assert non_inferior.json["comparisons"][0]["significant"]


def test_margins_are_not_weighted(command: Command, tmp_path: Path) -> None:
    """The margin is one of the weighted mean, whatever the weights: both runs shifted by it give the same."""
    differences = np.random.default_rng(2).normal(0.0, 0.05, 12)
    weights_of_topics = [1.0 + place for place in range(12)]
    for test in ("t", "bootstrap", "randomisation"):
        how = ("--test", test, "--format", "json", "--alternative")
        scores, weights = weighted_scores(tmp_path, differences.tolist(), weights_of_topics)
        shown = command(
            "compare", "--scores", scores, "--weights", weights, *how, "non-inferior", "--margin", "0.02"
        )
        scores, weights = weighted_scores(tmp_path, (differences + 0.02).tolist(), weights_of_topics)
        greater = command("compare", "--scores", scores, "--weights", weights, *how, "greater")
        p_values = [called.json["comparisons"][0]["p_value"] for called in (shown, greater)]
        assert p_values[0] == pytest.approx(p_values[1], abs=1e-9)


def test_weighted_intervals_hold_the_truth() -> None:
    """Of skewed weights, 95 % intervals of means held 0.76 to 0.89."""
    rng = np.random.default_rng(6)
    held = np.zeros(2)
    number = 1000 if ALL else 300
    for _ in range(number):
        weights = rng.lognormal(0, 1.5, 25)
        weights *= 25 / weights.sum()
        values = rng.normal(size=(2, 25)) * weights
        lower, upper = weighted_intervals(values, weights, 0.05)
        held += (lower <= 0) & (upper >= 0)
    assert (held / number >= 0.93).all() and (held / number <= 0.98).all()


def test_bootstrap_intervals_of_weighted_means_are_drawn_as_asked(command: Command, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text("".join(f"{topic} {1 + place % 3}\n" for place, topic in enumerate(TOPICS)))
    options = ("-m", "map", "--weights", weights, "--interval", "bca", "--format", "csv", "--quiet")

    def lower_by(samples: str, seed: str) -> list[str]:
        drawn = ("--samples", samples, "--seed", seed)
        return [row["lower"] for row in command("compare", QRELS, *RUNS, *options, *drawn).rows]

    assert lower_by("200", "0") == lower_by("200", "0")
    assert lower_by("200", "0") != lower_by("200", "5") and lower_by("200", "0") != lower_by("300", "0")


@pytest.mark.parametrize(
    ("over", "words"), [("runs", "holm within each measure"), ("measures", "holm over all measures")]
)
def test_the_note_on_marks_says_what_is_corrected_for(over: str, words: str, command: Command) -> None:
    out = command("compare", QRELS, *RUNS, "-m", "map", "-m", "P.5", "--correct-over", over).out
    assert f"(t, correction {words}, p < 0.05)" in out

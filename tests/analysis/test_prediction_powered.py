"""judges --correct: means and differences by a machine's judgements, corrected by people's."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command
from support.trials import at_most, trials

from pres_eval.analysis.distributions import t_quantile
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.prediction_powered import (
    TwoJudges,
    corrected_differences,
    corrected_means,
    favoured_groups,
    more_topics,
    powered_means,
    standard_errors,
    turned_round,
)
from pres_eval.arrays.types import FloatArray


def twin(people: list[float], machine: list[float], rest: list[float]) -> tuple[float, float, float]:
    """The estimate, its error and λ, one number after the other."""
    n, others = len(people), len(rest)
    y, f = statistics.fmean(people), statistics.fmean(machine)
    together = sum((a - y) * (b - f) for a, b in zip(people, machine, strict=True)) / n
    spread = statistics.variance(machine + rest)
    weight = min(max(together / ((1 + n / others) * spread), 0.0), 1.0) if spread else 0.0
    left = [a - weight * b for a, b in zip(people, machine, strict=True)]
    error = statistics.variance(left) / n + weight**2 * statistics.variance(rest) / others
    return weight * statistics.fmean(rest) + statistics.fmean(left), math.sqrt(error), weight


values = st.floats(0, 1).map(lambda value: round(value, 4))


@given(
    pairs=st.lists(st.tuples(values, values), min_size=2, max_size=20),
    rest=st.lists(values, min_size=2, max_size=20),
)
def test_estimates_equal_a_plain_loop(pairs: list[tuple[float, float]], rest: list[float]) -> None:
    people, machine = (list(each) for each in zip(*pairs, strict=True))
    found = powered_means(*(np.array([each]) for each in (people, machine, rest)))
    ours = found.mean[0], found.error[0], found.weight[0]
    assert ours == pytest.approx(twin(people, machine, rest), rel=1e-9, abs=1e-12)


def test_estimates_are_those_of_ppi_python() -> None:
    ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, others = rng.integers(2, 60), rng.integers(2, 200)
        people, rest = rng.random(n), rng.random(others) ** 2
        machine = rng.random() * people + rng.random() * rng.random(n)
        found = powered_means(people[None], machine[None], rest[None])
        theirs = ppi.ppi_mean_pointestimate(people, machine, rest)
        assert found.mean[0] == pytest.approx(float(np.squeeze(theirs)), rel=1e-9)
        lower, upper = (float(end[0]) for end in ppi.ppi_mean_ci(people, machine, rest, alpha=0.05))
        # Theirs is a normal interval with population variances, which is narrower.
        spread = t_quantile(0.05, n - 1) * found.error[0]
        assert (lower + upper) / 2 == pytest.approx(found.mean[0], rel=1e-9)
        assert (upper - lower) / 2 < spread


def test_without_other_topics_it_is_the_mean_of_people() -> None:
    people = np.array([[0.1, 0.5, 0.6]])
    found = powered_means(people, people + 0.1, np.zeros((1, 0)))
    assert (found.mean[0], found.weight[0]) == (pytest.approx(0.4), 0.0)
    assert found.error[0] == pytest.approx(statistics.stdev([0.1, 0.5, 0.6]) / math.sqrt(3))


def test_intervals_hold_the_truth_and_are_narrower() -> None:
    """Of 400 samples of 30 of 200 topics, with a machine that is off by 0.1 and noisy."""
    rng = np.random.default_rng(8)
    held = {"corrected": 0, "people": 0}
    widths = {"corrected": 0.0, "people": 0.0}
    t = t_quantile(0.05, 29)
    for _ in range(400):
        quality = rng.beta(2, 5, 200)
        machine = np.clip(quality + 0.1 + rng.normal(0, 0.05, 200), 0, 1)
        found = powered_means(quality[None, :30], machine[None, :30], machine[None, 30:])
        for name, mean, error in (
            ("corrected", found.mean[0], found.error[0]),
            ("people", quality[:30].mean(), quality[:30].std(ddof=1) / math.sqrt(30)),
        ):
            held[name] += abs(mean - 2 / 7) <= t * error
            widths[name] += t * error
    assert all(number >= 372 for number in held.values()), held
    assert widths["corrected"] < 0.6 * widths["people"]


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Path]:
    """People's judgements of five topics, and a machine's of all that takes grade 1 for nothing."""
    people, machine = tmp_path / "people", tmp_path / "machine"
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})
    people.write_text("".join(line for line in lines if line.split()[0] in topics[::2]))
    machine.write_text("".join(line.replace(" 1\n", " 0\n") for line in lines))
    return people, machine


def test_the_command(command: Command, judged: tuple[Path, Path]) -> None:
    options = ("--correct", "-m", "map", "-m", "P.10", "--quiet", "--format", "json")
    found = command.ok("judges", *judged, *RUNS, *options).json
    assert [len(found[name]) for name in ("corrected", "corrected_differences", "to_judge")] == [6, 6, 6]
    assert [row["topics"] for row in found["more_topics"] if row["measure"] == "map"] == [6, 12]
    by_people = command.ok("-m", "map", "--quiet", judged[0], RUNS[0]).out.split()[2]
    row = found["corrected"][0]
    assert f"{row['people']:.4f}" == by_people
    assert row["lower"] < row["corrected"] < row["upper"]
    assert 0 <= row["weight"] <= 1
    for one in found["corrected_differences"]:
        assert one["p_value"] <= one["p_holm"] <= 1
    lexical = command.ok("judges", *judged, *RUNS, *options, "--group", "lexical", "keyword").json
    assert lexical["corrected"] == found["corrected"]
    drawn = [row["topic"] for row in found["to_judge"]]
    again = command.ok("judges", *judged, *RUNS, *options, "--seed", "3").json
    assert sorted(drawn) == sorted(row["topic"] for row in again["to_judge"]) != drawn


def test_digits_of_intervals(command: Command, judged: tuple[Path, Path]) -> None:
    """Those of intervals were four, whatever --digits said."""
    tables = ("corrected", "corrected_differences")
    for table in tables:
        options = ("--correct", "-m", "map", "--quiet", "--digits", "2", "--table", table)
        row = command.ok("judges", *judged, *RUNS, *options).out.splitlines()[4]
        assert re.search(r"[+-]?0\.\d\d \.\. [+-]?0\.\d\d ", row), row


def test_errors_that_favour_a_run_are_told(command: Command, tmp_path: Path) -> None:
    lines = [line.split() for line in Path(RUNS[0]).read_text().splitlines()]
    biased = tmp_path / "biased"
    biased.write_text("".join(f"{line[0]} 0 {line[2]} 1\n" for line in lines if int(line[3]) <= 10))
    called = command("judges", QRELS, biased, *RUNS, "--correct", "-m", "P.10", "--table", "corrected")
    assert called.code == 0
    assert f"P_10: the errors of {biased} favour" in called.err


def judges_of(people: FloatArray, machine: FloatArray) -> TwoJudges:
    """One measure, of (R, T) values by each judge."""
    runs, topics = people.shape
    ids = tuple(b"%03d" % topic for topic in range(topics))
    by_people, by_machine = (
        PairedScores(
            tuple(f"r{run}" for run in range(runs)), ("map",), ids, each[None], means_of(each[None]), 0
        )
        for each in (people, machine)
    )
    return TwoJudges(by_people, by_machine, (), np.zeros((1, runs, 0)))


@pytest.mark.parametrize("runs", [3, 12])
@pytest.mark.parametrize(("share", "more"), [(0.6, 0.0), (1.0, 0.2), (1.0, 0.0)])
def test_a_fair_judge_favours_nobody(runs: int, share: float, more: float) -> None:
    """Strict with all runs alike, it took most from the best, so that the worst was accused in each draw."""
    rng, accused, number = np.random.default_rng(3), 0, trials(200)
    groups = {f"r{run}": [run] for run in range(runs)}
    for _ in range(number):
        people = np.clip(rng.random((1, 40)) * np.linspace(0.2, 1, runs)[:, None], 0, 1)
        people += rng.random((runs, 40)) * 0.1
        machine = share * people + more + rng.random((runs, 40)) * 0.1
        accused += bool(favoured_groups(judges_of(people, machine), groups))
    assert accused <= at_most(0.03, number) * number


@pytest.mark.parametrize("runs", [3, 12])
def test_a_judge_that_favours_its_own_run_is_accused(runs: int) -> None:
    rng = np.random.default_rng(3)
    people = rng.random((runs, 40)) * 0.5
    people[0] *= 0.5
    machine = 0.7 * people + rng.random((runs, 40)) * 0.05
    machine[1] += 0.2
    found = favoured_groups(judges_of(people, machine), {f"r{run}": [run] for run in range(runs)})
    assert [one.group for one in found] == ["r1"]
    assert 0.1 < found[0].difference < 0.3


def test_a_machine_that_puts_the_worst_run_first_is_told_of() -> None:
    """`favoured_groups` compares with worse runs, and the worst has none."""
    rng = np.random.default_rng(5)
    people = np.array([0.2, 0.5, 0.6])[:, None] + 0.1 * rng.random((3, 40))
    machine = people.copy()
    machine[0] += 0.6
    found = list(turned_round(judges_of(people, machine)))
    assert [(run, other) for _, run, other, _, _ in found] == [("r1", "r0"), ("r2", "r0")]
    assert all(by_people > 0.2 and by_machine > 0.1 for *_, by_people, by_machine in found)
    assert not list(turned_round(judges_of(people, people * 0.7 + 0.02 * rng.random((3, 40)))))


def test_judges_that_draw_orders_by_chance_are_not_told_of() -> None:
    rng = np.random.default_rng(6)
    told = sum(
        any(True for _ in turned_round(judges_of(rng.random((5, 30)), rng.random((5, 30)))))
        for _ in range(200)
    )
    assert told <= 2


def test_the_command_names_pairs_that_the_machine_turns_round(command: Command, tmp_path: Path) -> None:
    machine, means = tmp_path / "machine", {}
    for run in RUNS:
        means[run] = float(command("-m", "P.10", QRELS, run).out.split()[-1])
    worst, best = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    lines = [line.split() for line in Path(worst).read_text().splitlines()]
    machine.write_text("".join(f"{line[0]} 0 {line[2]} 1\n" for line in lines if int(line[3]) <= 10))
    called = command("judges", QRELS, machine, best, worst, "--correct", "-m", "P.10", "--table", "corrected")
    assert called.code == 0 and f"P_10: {machine} puts" in called.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, QRELS, "--correct"), "--correct: expected QRELS QRELS RUN ..., without --judge and --plot"),
        (
            (QRELS, QRELS, *RUNS, "--correct", "--test", "sign"),
            "--correct: expected QRELS QRELS RUN ..., without --judge and --plot, and --test t",
        ),
        ((QRELS, QRELS, RUNS[0], "--judge", QRELS, "--correct"), "--correct: expected QRELS QRELS RUN"),
    ],
)
def test_what_cannot_be_corrected(command: Command, arguments: tuple[str, ...], message: str) -> None:
    called = command("judges", *arguments)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith(f"pres-eval: {message}")


@pytest.mark.parametrize(("topics", "p_value"), [(3, math.nan), (6, 2 * 2.0**-6)])
def test_no_variance_is_no_certainty(topics: int, p_value: float) -> None:
    """The same difference on all topics had the p-value 1 (0 by rounding) and an interval without width."""
    names = tuple(b"%d" % number for number in range(topics))
    people = np.array([[[0.3 - 0.1, 0.2, 0.2] * topics, [0.0] * 3 * topics]])[:, :, :topics]
    judged = PairedScores(("a", "b"), ("map",), names, people, means_of(people), topics)
    judges = TwoJudges(judged, judged, (b"x", b"y"), people[:, :, :2])
    (one,) = corrected_differences(judges)
    assert one.corrected == pytest.approx(0.2)
    assert [one.lower, one.upper, one.p_value] == pytest.approx([math.nan, math.nan, p_value], nan_ok=True)
    for mean in corrected_means(judges):
        assert np.isnan([mean.lower, mean.upper, mean.people_lower, mean.people_upper]).all()


def test_people_have_to_judge_some_topics(command: Command, tmp_path: Path) -> None:
    one = tmp_path / "one"
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    one.write_text("".join(line for line in lines if line.split()[0] == lines[0].split()[0]))
    called = command("judges", one, QRELS, *RUNS, "--correct", "--quiet")
    assert called.code == 7
    assert "judgements of both for 1 topic, expected at least 2 (and 20 are few)" in called.err


def test_intervals_of_a_bounded_measure_are_cut_to_its_range() -> None:
    """These ended at 1.02 and 1.06."""
    people = np.array([[0.5, 1.0, 1.0, 1.0, 1.0, 1.0]])
    judges = judges_of(people, people)
    (uncut,) = corrected_means(judges)
    assert uncut.upper > 1
    (cut,) = corrected_means(replace(judges, people=replace(judges.people, bounded=frozenset(["map"]))))
    assert (cut.lower, cut.upper, cut.people_upper) == (uncut.lower, 1.0, 1.0)


def test_no_gain_is_claimed_where_nothing_varies(command: Command, tmp_path: Path) -> None:
    """It was 0: certain already."""
    found = list(more_topics(judges_of(np.full((2, 5), 0.5), np.full((2, 5), 0.4))))
    assert np.isnan([widths for _, _, *widths in found]).all()
    rng = np.random.default_rng(4)
    values = np.vstack([rng.random((2, 8)), np.zeros((1, 8))])
    (now, *_), (two, *_) = (more_topics(judges_of(each, each)) for each in (values, values[:2]))
    assert now[2] == two[2]


def test_notes_explain_only_what_is_there(command: Command, judged: tuple[Path, Path]) -> None:
    printed = command.ok("judges", *judged, *RUNS, "--correct", "-m", "map", "--quiet").out
    assert "-: none" not in printed and "cut to 0 to 1, the range of the measure" in printed


def test_topics_unlike_those_of_people_have_an_expected_error() -> None:
    """The covariance, over people's topics, was more than the variance over all allows: the error was nan."""
    people = np.array([[0.0, 1.0, 0.0, 1.0]])
    rest = np.linspace(0.49, 0.51, 200)[np.newaxis]
    (with_others,) = standard_errors(people, people, rest, 4, 200)
    (without_others,) = standard_errors(people, people, rest, 4, 0)
    assert powered_means(people, people, rest).error[0] == with_others
    assert 0 < with_others < without_others


def test_todays_widths_are_those_of_the_intervals(command: Command, judged: tuple[Path, Path]) -> None:
    """The first line, by variances over different topics, was 0.64 to 1.27 times as wide in a simulation."""
    options = ("--correct", "-m", "map", "-m", "P.10", "--quiet", "--format", "json")
    found = command.ok("judges", *judged, *RUNS, *options).json
    for measure in ("map", "P_10"):
        pairs = [pair for pair in found["corrected_differences"] if pair["measure"] == measure]
        half_widths = [(pair["upper"] - pair["lower"]) / 2 for pair in pairs]
        (today, *_) = (row for row in found["more_topics"] if row["measure"] == measure)
        assert today["topics"] == 6
        assert today["difference"] == pytest.approx(statistics.fmean(half_widths))

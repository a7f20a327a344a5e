"""What a reader concludes from tests and tables is true: one test for each wrong conclusion of 2.6.0."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.commands import FIXTURES, Command
from support.null_rates import Draws, false_positives, read_tables

from pres_eval.analysis.agreement import correlations
from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings, Comparison
from pres_eval.analysis.correlation import kendall_tau_a, rbo, tau_a_ceiling
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.significance import PAIRED_TESTS


def score_file(path: Path, **runs: Sequence[float]) -> Path:
    """A file of scores of map, a row for each run and topic."""
    rows = [
        f"{run},{topic + 1},{value}" for run, values in runs.items() for topic, value in enumerate(values)
    ]
    path.write_text("\n".join(["run,topic,map", *rows]) + "\n")
    return path


@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "dunnett"])
def test_two_topics_say_nothing(command: Command, tmp_path: Path, test: str) -> None:
    """2.6.0: p < 0.0001 for two topics with the same difference."""
    file = score_file(tmp_path / "s.csv", low=(0.2, 0.3), high=(0.4, 0.5))
    called = command("compare", "--scores", file, "--test", test)
    assert "<0.0001" not in called.out
    assert "all 2 topics have the same difference in 1 of 1 comparison, which is no evidence" in called.out
    found = json.loads(command("compare", "--scores", file, "--test", test, "--format", "json").out)
    one = found["comparisons"][0]
    assert (one["p_value"], one["corrected"], one["lower"], one["significant"]) == (None, None, None, False)


def test_equal_differences_count_as_signs_from_five_topics_on(command: Command, tmp_path: Path) -> None:
    for topics, p_value in ((4, None), (5, 0.0625), (6, 0.03125), (20, 2**-19)):
        file = score_file(tmp_path / "s.csv", low=[0.2] * topics, high=[0.4] * topics)
        found = json.loads(command("compare", "--scores", file, "--format", "json").out)
        assert found["comparisons"][0]["p_value"] == p_value


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_no_test_errs_oftener_than_it_says_on_a_grid(test: str) -> None:
    """Scores in steps of 0.1, as those of P_10: 2.6.0's t and bootstrap were wrong in 8 % of two topics."""
    grid = np.random.default_rng(1).binomial(10, 0.4, (10, 100)) / 10
    for topics in (2, 3, 5, 10):
        assert false_positives(grid, test, Draws(4000, topics), "swapped", samples=500) < 0.06


def test_a_bootstrap_that_cannot_reach_alpha_warns(command: Command, tmp_path: Path) -> None:
    file = score_file(tmp_path / "s.csv", low=(0.2, 0.3), high=(0.4, 0.51))
    assert "nothing can be significant" in command("compare", "--scores", file, "--test", "bootstrap").err


def test_agreement_and_judges_warn_too(command: Command, tmp_path: Path) -> None:
    """Runs in reversed order were equal by both measures, and nothing said that no test could tell."""
    scores = "x,1,.1,.9\nx,2,.2,.8\ny,1,.3,.5\ny,2,.3,.6\nz,1,.5,.2\nz,2,.6,.1\n"
    (tmp_path / "scores.csv").write_text("run,topic,a,b\n" + scores)
    told = "over 2 topics can't give a p-value below 0.5, so nothing can be significant at 0.05"
    called = command("agreement", "--scores", tmp_path / "scores.csv")
    assert f"warning: wilcoxon {told}; what would help: more topics, or --test t\n" in called.err
    assert command("agreement", "--scores", tmp_path / "scores.csv", "--quiet").err == ""
    for name, better in (("qrels", "a"), ("other", "b"), ("r1", "a"), ("r2", "b")):
        line = "{0} Q0 {1} 1 1 {2}\n" if name.startswith("r") else "{0} 0 {1} 1\n"
        (tmp_path / name).write_text("".join(line.format(topic, better, name) for topic in (1, 2)))
    files = [tmp_path / name for name in ("qrels", "other", "r1", "r2")]
    third = ("--judge", tmp_path / "other")
    called = command("judges", *files, *third, "-m", "map", "-m", "P.5", "--test", "wilcoxon")
    assert called.err.count(f"warning: wilcoxon {told}") == 1


def robust(measure: str = "map") -> PairedScores:
    """The runs of the Robust track 2003."""
    values = read_tables(FIXTURES / "scores" / "robust03.csv")[measure][None]
    runs, topics = values.shape[1:]
    names, ids = tuple(f"r{run}" for run in range(runs)), tuple(b"%03d" % topic for topic in range(topics))
    return PairedScores(names, (measure,), ids, values, means_of(values), topics)


def falls_outside(one: Comparison) -> bool:
    return one.lower > 0 or one.upper < 0


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
@pytest.mark.parametrize("over", ["runs", "measures"])
@pytest.mark.parametrize("baseline", [0, None])
def test_a_star_stands_beside_intervals_without_0(correction: str, over: str, baseline: int | None) -> None:
    """2.6.0: of 239 starred rows of all pairs, 12 had an interval that holds 0 (Holm)."""
    result = compare(robust(), baseline, CompareSettings(correction=correction, over=over))
    assert 0 < sum(one.significant for one in result.comparisons) < len(result.comparisons)
    for one in result.comparisons:
        assert one.significant == falls_outside(one)
        assert one.agrees


@pytest.mark.parametrize("alternative", ["greater", "less", "equivalent", "non-inferior"])
def test_so_do_intervals_of_other_alternatives(alternative: str) -> None:
    margin = 0.1 if alternative in ("equivalent", "non-inferior") else 0.0
    result = compare(robust(), 0, CompareSettings(alternative=alternative, margin=margin))
    assert any(one.significant for one in result.comparisons) and all(
        one.agrees for one in result.comparisons
    )


def test_the_first_of_holms_intervals_is_bonferronis_and_each_covers_enough() -> None:
    holm, bonferroni = (
        compare(robust(), 0, CompareSettings(correction=name)).comparisons for name in ("holm", "bonferroni")
    )
    surest = min(range(len(holm)), key=lambda place: holm[place].p_value)
    assert (holm[surest].lower, holm[surest].level) == (bonferroni[surest].lower, 1 - 0.05 / 16)
    found = sum(one.significant for one in holm)
    assert {one.level for one in holm if not one.significant} == {1 - 0.05 / (16 - found)}


def test_a_row_says_that_its_interval_and_star_are_of_two_procedures(command: Command) -> None:
    """Signed ranks beside intervals of means: each such row is marked, and the note says why."""
    file = FIXTURES / "scores" / "robust03.csv"
    called = command("compare", "--scores", file, "--test", "wilcoxon")
    assert "\n! the interval and the test disagree on whether there is a difference" in called.out
    rows = command(
        "compare", "--scores", file, "--test", "wilcoxon", "--format", "csv", "--table", "comparisons"
    ).rows
    marked = [row for row in rows if row["agrees"] == "false"]
    holds = [float(row["lower"]) <= 0 <= float(row["upper"]) for row in marked]
    assert marked and holds == [row["significant"] == "true" for row in marked]
    assert sum(" ! " in line for line in called.out.splitlines()) == len(marked)


def test_json_names_what_each_interval_covers(command: Command) -> None:
    file = FIXTURES / "scores" / "robust03.csv"
    found = json.loads(command("compare", "--scores", file, "--format", "json", "--alpha", "0.1").out)
    for one in found["comparisons"]:
        assert one["level"] >= 0.9 and one["g_level"] == 0.9
    assert max(one["level"] for one in found["comparisons"]) > 0.99


@pytest.mark.parametrize(
    ("options", "together"),
    [
        ((), False),
        (("--correction", "bonferroni"), True),
        (("--correction", "bonferroni", "--single-intervals"), False),
        (("--correction", "none"), False),
        (("--test", "tukey"), True),
    ],
)
def test_json_calls_no_intervals_simultaneous_that_cover_each(
    options: tuple[str, ...], together: bool, command: Command
) -> None:
    """2.13.0: true beside Holm's, of which the table says `at least 95 % each`."""
    file = FIXTURES / "scores" / "robust03.csv"
    found = command("compare", "--scores", file, "-m", "map", "--format", "json", *options)
    assert json.loads(found.out)["settings"]["simultaneous"] is together


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_the_best_run_is_compared_in_the_family_of_all_pairs(alternative: str, command: Command) -> None:
    """2.13.0: 11 of 100 tables of 17 equal runs had a star, dunnett's 25, as the best was chosen first."""
    options = ("compare", "--scores", FIXTURES / "scores" / "robust03.csv", "-m", "map")
    one_sided = ("--alternative", alternative)
    called = command(*options, *one_sided, "--baseline", "best")
    assert "corrected for all pairs of runs, as the baseline was chosen by the same topics" in called.out
    rows = json.loads(command(*options, *one_sided, "--baseline", "best", "--format", "json").out)[
        "comparisons"
    ]
    runs = len(rows) + 1
    family = runs * (runs - 1) // (1 if alternative == "less" else 2)
    least = min(rows, key=lambda row: row["p_value"])
    assert least["corrected"] == pytest.approx(family * least["p_value"])
    assert least["level"] == pytest.approx(1 - 0.05 / family)
    named = command(*options, "--baseline", rows[0]["other"], "--format", "json")
    assert all(
        one["corrected"] <= (runs - 1) * one["p_value"] * 1.0001
        for one in json.loads(named.out)["comparisons"]
    )
    assert command(*options, "--baseline", "best", "--test", "dunnett").code == 1


def test_each_sign_has_one_meaning(command: Command, tmp_path: Path) -> None:
    """2.6.0: * is the best in the first table, and significant in the last."""
    rng = np.random.default_rng(2)
    low = rng.beta(2, 5, 20)
    file = score_file(tmp_path / "s.csv", low=low.tolist(), high=(low + rng.uniform(0.1, 0.2, 20)).tolist())
    out = command.ok("compare", "--scores", file).out
    best, _, tests = out.split("\n\n\n") if out.count("\n\n\n") == 2 else out.partition("Comparisons")
    assert "^+" in best and "*" not in best
    assert "\n* significant: p (holm) < 0.05" in tests and "^" not in tests


def test_intervals_of_means_stay_where_the_measure_is(command: Command, tmp_path: Path) -> None:
    """2.6.0: -0.87 .. 1.67 for a measure from 0 to 1, without a word on the correction."""
    file = score_file(tmp_path / "s.csv", low=(0.3, 0.5), high=(0.4, 0.99))
    called = command("compare", "--scores", file)
    assert "0.0000 .. 1.0000" in called.out
    assert "each for one mean, not corrected for their number; cut to 0 to 1" in called.out
    means = json.loads(command("compare", "--scores", file, "--format", "json").out)["means"]
    assert {(one["lower"], one["upper"]) for one in means} == {(0.0, 1.0)}
    efforts = tmp_path / "efforts.csv"
    efforts.write_text(file.read_text().replace("map", "last_rel"))
    assert "-" in command("compare", "--scores", efforts).out.split("intervals of the means")[1]


@pytest.mark.parametrize("kind", ["t", "bca", "percentile"])
def test_a_mean_of_equal_values_has_no_interval(command: Command, tmp_path: Path, kind: str) -> None:
    """2.8.0: 0.5000 .. 0.5000, as if no other topic could be otherwise."""
    file = score_file(tmp_path / "s.csv", same=(0.5, 0.5, 0.5), other=(0.4, 0.6, 0.9))
    out = command("compare", "--scores", file, "--interval", kind).out
    intervals = out.split("intervals of the means")[1].split("Comparisons")[0]
    assert "0.5000 .. 0.5000" not in out
    assert intervals.count(" .. ") == 1 and "-: no interval, as all topics have the same value" in intervals
    means = json.loads(command("compare", "--scores", file, "--format", "json").out)["means"]
    assert [one["lower"] is None for one in means] == [True, False]


def test_one_letter_for_all_says_that_nothing_was_found(command: Command, tmp_path: Path) -> None:
    """2.6.0: "Runs that do not differ share a letter" of any runs over three topics."""
    file = score_file(tmp_path / "s.csv", low=(0.1, 0.2, 0.3), high=(0.2, 0.5, 0.45), top=(0.9, 0.3, 0.7))
    out = command("compare", "--scores", file, "--all-pairs").out
    assert (
        "No significant difference was found between runs that share a letter (t, correction holm, p ≥ 0.05)"
        in out
    )
    assert "map: all runs share a: over 3 topics no difference was found, which does not mean" in out
    assert "do not differ" not in out


def test_no_text_says_that_runs_do_not_differ() -> None:
    root = Path(__file__).parents[2]
    texts = [*root.glob("pres_eval/**/*.py"), *root.glob("pres_eval/**/*.js"), *root.glob("docs/**/*.md")]
    found = [path for path in texts if "do not differ" in path.read_text() and "share" in path.read_text()]
    assert not [path for path in found if path.name != "scale.md"]


@pytest.fixture
def two_measures(tmp_path: Path) -> Path:
    """Scores of two runs under two measures; `b` lacks a topic."""
    lines = ["run,topic,map,PRES_100", *(f"a,{topic},0.{topic},0.5{topic}" for topic in range(1, 8))]
    lines += [f"b,{topic},0.{topic}3,0.2{topic}" for topic in range(1, 7)]
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "s.csv"


@pytest.mark.parametrize("name", ["compare", "power", "agreement"])
def test_scores_of_chosen_measures(command: Command, two_measures: Path, name: str) -> None:
    """2.6.0: -m nosuch prints everything."""
    called = command(name, "--scores", two_measures, "-m", "nosuch")
    assert (
        called.code == 1
        and "-m nosuch: no such column in the file of scores, expected map, PRES_100" in called.err
    )
    if name == "agreement":
        out = command(name, "--scores", two_measures, "-m", "PRES.100", "-m", "map").out
        assert "measures" in out and out.index("PRES_100") < out.index("map")
    else:
        assert "map" not in command(name, "--scores", two_measures, "-m", "PRES").out.replace("bootstrap", "")


def test_only_chosen_measures_are_corrected_for(command: Command, two_measures: Path) -> None:
    options = ["--correct-over", "measures", "--format", "json", "--quiet", "-m", "map"]
    found = json.loads(command("compare", "--scores", two_measures, *options).out)["comparisons"]
    assert [one["corrected"] for one in found] == [found[0]["p_value"]]


@pytest.mark.parametrize(
    "option",
    [
        "-l 2", "-J", "-N 9", "-M 9", "--duplicates first", "--compat 10.0", "-R qrels", "--ties best",
        "--nmax 9", "--names tag", "--keep-going", "--empty zero",
    ],
)  # fmt: skip
def test_options_without_effect_on_scores_are_errors(
    command: Command, two_measures: Path, option: str
) -> None:
    called = command("compare", "--scores", two_measures, *option.split())
    assert called.code == 1 and "has no effect on --scores" in called.err and called.out == ""


def test_the_run_that_lacks_most_topics_is_named_first(command: Command, tmp_path: Path) -> None:
    rows = [
        f"{run},{topic},0.{topic}"
        for run, lacking in (("a", 0), ("b", 1), ("c", 2))
        for topic in range(1, 6 - lacking)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["run,topic,map", *rows]) + "\n")
    called = command("compare", "--scores", tmp_path / "scores.csv")
    assert "the runs have different topics, 5 in all (c lacks 2, b lacks 1); only the 3" in called.err


def test_topics_that_a_run_lacks(command: Command, two_measures: Path) -> None:
    """2.6.0: left out without a word, and -c did nothing."""
    called = command("compare", "--scores", two_measures, "-m", "map")
    assert (
        "the runs have different topics, 7 in all (b lacks 1); only the 6 that all have are used"
        in called.err
    )
    assert "Means over 6 topics" in called.out
    for option in (["--topics", "all"], ["-c"]):
        counted = command.ok("compare", "--scores", two_measures, "-m", "map", *option).out
        assert (
            "Means over 7 topics" in counted
            and f"{(0.13 + 0.23 + 0.33 + 0.43 + 0.53 + 0.63) / 7:.4f}" in counted
        )
    own = command("compare", "--scores", two_measures, "--topics", "own")
    assert own.code == 1 and "expected common or all" in own.err


def test_means_have_no_topics(command: Command, tmp_path: Path) -> None:
    (tmp_path / "means.csv").write_text("run,map,P_5,Rprec\na,0.1,0.2,0.3\nb,0.2,0.1,0.4\n")
    file = tmp_path / "means.csv"
    assert "P_5" not in command.ok("agreement", "--scores", file, "-m", "map", "-m", "Rprec").out
    assert "has no column topic" in command("agreement", "--scores", file, "-c").err


def test_the_floor_of_rbo_stands_beside_it(command: Command, tmp_path: Path) -> None:
    """2.6.0: an rbo of 0.855 for three runs in opposite orders, without a word."""
    (tmp_path / "means.csv").write_text("run,map,P_5\na,1,3\nb,2,2\nc,3,1\n")
    called = command.ok("agreement", "--scores", tmp_path / "means.csv")
    assert "rbo_floor: the rbo of opposite orders of these runs" in called.out
    rows = command.ok("agreement", "--scores", tmp_path / "means.csv", "--format", "csv").rows
    assert rows[0]["rbo"] == rows[0]["rbo_floor"] and float(rows[0]["rbo"]) == pytest.approx(0.855)
    for size in range(1, 7):
        values = [
            rbo(np.arange(size, dtype=np.float64), np.array(order, np.float64))
            for order in itertools.permutations(range(size))
        ]
        (one,) = correlations(("a", "b"), np.arange(2.0 * size).reshape(2, size))
        assert min(values) == pytest.approx(one["rbo_floor"]) and max(values) == pytest.approx(1)


def test_the_ceiling_of_tau_a_is_reached() -> None:
    """2.6.0: up to 0.2 above what any pairing of the values gives."""
    rng = np.random.default_rng(17)
    for _ in range(40):
        x, y = rng.integers(0, 4, (2, 6)).astype(float)
        reached = max(kendall_tau_a(x, np.array(order)) for order in itertools.permutations(y))
        assert tau_a_ceiling(x, y) == reached


def two_judges(folder: Path) -> list[Path]:
    """The judgements of two judges, and three runs, of which the second judge favours one."""
    (folder / "q1").write_text(
        "".join(f"{topic} 0 d{doc} {doc % 2}\n" for topic in range(8) for doc in range(6))
    )
    (folder / "q2").write_text(
        "".join(
            f"{topic} 0 d{doc} {int(doc % 2 or doc == topic % 3)}\n" for topic in range(8) for doc in range(6)
        )
    )
    orders = {"a": (1, 3, 5, 0, 2, 4), "b": (0, 2, 4, 1, 3, 5), "c": (1, 0, 3, 2, 5, 4)}
    for tag, order in orders.items():
        lines = [f"{t} Q0 d{doc} 0 {9 - at} {tag}\n" for t in range(8) for at, doc in enumerate(order)]
        (folder / tag).write_text("".join(lines))
    return [folder / name for name in ("q1", "q2", "a", "b", "c")]


def test_a_run_is_compared_with_the_others(command: Command, tmp_path: Path) -> None:
    """2.6.0: with the mean of all runs, itself among them."""
    options = ["-m", "map", "--format", "json"]
    rows = json.loads(command("judges", *two_judges(tmp_path), *options).out)["runs"]
    for one in rows:
        others = [row["change"] for row in rows if row is not one]
        assert one["beyond_others"] == pytest.approx(one["change"] - sum(others) / len(others))


def test_groups_of_judges_have_corrected_p_values(command: Command, tmp_path: Path) -> None:
    from statsmodels.stats.multitest import multipletests  # slow to import

    options = ["-m", "map", "-m", "P.5", "--group", "A", "a", "--group", "B", "b"]
    called = command("judges", *two_judges(tmp_path), *options)
    assert "p (holm): corrected for all groups and measures" in called.out
    rows = json.loads(command("judges", *two_judges(tmp_path), *options, "--format", "json").out)["groups"]
    expected = multipletests([row["p_value"] for row in rows], method="holm")[1]
    assert [row["corrected"] for row in rows] == pytest.approx(list(expected)) and len(rows) == 4


def test_robustness_of_few_runs_warns(command: Command, tmp_path: Path) -> None:
    judged, _, *runs = two_judges(tmp_path)
    words = "3 runs have 3 pairs: each that swaps changes tau_a by 0.67"
    assert words in command("robustness", judged, *runs, "--cutoffs", "5").out.replace("\n", " ")
    wrong = command("robustness", judged, *runs, "--leave-out", "group", "--format", "json").err
    assert "no groups" in wrong and "that swaps" not in wrong
    wrong = command("robustness", judged, *runs, "--table", "nope", "--format", "json").err
    assert "--table nope: no such table" in wrong and "that swaps" not in wrong
    many = [*runs]
    for tag in ("d", "e"):
        (tmp_path / tag).write_text((tmp_path / "a").read_text().replace(" a\n", f" {tag}\n"))
        many.append(tmp_path / tag)
    assert "that swaps" not in command("robustness", judged, *many, "--cutoffs", "5").out


def test_measures_that_reward_giving_up_warn(command: Command, tmp_path: Path) -> None:
    """2.6.0: a run that retrieved two documents wins by last_rel without a word."""
    judged, _, deep, *_ = two_judges(tmp_path)
    lines = [line for line in deep.read_text().splitlines(keepends=True) if line.split()[4] in ("9", "8")]
    (tmp_path / "short").write_text("".join(lines).replace(" a\n", " short\n"))
    files = [judged, deep, tmp_path / "short"]
    words = "last_rel: better for a run that retrieves less, and the runs retrieved 16 to 48 documents"
    assert words in command("compare", *files, "-m", "last_rel").err
    assert "retrieves less" not in command("compare", *files, "-m", "map").err
    command("report", *files, "-m", "last_rel", "-m", "map", "-o", tmp_path / "page.html")
    assert words in (tmp_path / "page.html").read_text()


def test_bounds_say_what_they_are_over(command: Command, tmp_path: Path) -> None:
    """2.6.0: bounds without a word on the cutoff and the scale; -J gave least = value = greatest."""
    judged, _, run, *_ = two_judges(tmp_path)
    table = command("--bounds", "-m", "P.3", "--format", "table", judged, run)
    assert "down to a measure's cutoff" in table.out and "can move a value out of these" in table.out
    for options in (["--bounds", "-J", "-m", "map"], ["-J", "-m", "map(bound=least)"]):
        called = command(*options, judged, run)
        assert called.code == 1 and "with -J no document is unjudged" in called.err and called.out == ""
    assert "down to the measure's cutoff" in " ".join(command("--help-all").out.split())


def test_bounds_of_all_hold_what_deeper_judgements_give(command: Command, tmp_path: Path) -> None:
    """2.6.0: recall_10 was given bounds that judging documents below rank 10 leaves."""
    run, judged, more = (tmp_path / name for name in ("run", "qrels", "more"))
    run.write_text("".join(f"1 Q0 d{rank} {rank} {20 - rank} t\n" for rank in range(1, 21)))
    judged.write_text("1 0 d1 1\n1 0 d2 0\n")
    more.write_text("1 0 d1 1\n1 0 d2 0\n" + "".join(f"1 0 d{rank} 3\n" for rank in range(11, 21)))
    names = ("-m", "recall.10", "-m", "ndcg_cut.10")

    def values(*arguments: str | Path) -> dict[str, float]:
        lines = command.ok(*arguments).out.splitlines()
        return {line.split("\t")[0].strip(): float(line.split("\t")[2]) for line in lines}

    deep = values(*names, more, run)
    narrow = values("--bounds", *names, judged, run)
    wide = values("--bounds", "all,max_rel=3", *names, judged, run)
    for label, value in deep.items():
        assert value < narrow[f"{label}(bound=least)"]
        assert wide[f"{label}(bound=least,max_rel=3)"] <= value <= wide[f"{label}(bound=greatest,max_rel=3)"]
    assert wide == values("--bounds=all,max_rel=3", *names, judged, run)
    note = command("--bounds", "all,max_rel=3", *names, "--format", "table", judged, run).out
    assert (
        "of each run alone, if all unjudged documents that it retrieved were judged, with grades up to 3"
        in note
    )
    label = "recall_10(bound=least,max_rel=3)"
    assert values("-m", label, judged, run) == {label: wide[label]}
    found = command.ok("--bounds", "all,max_rel=3", *names, "--format", "json", judged, run).json["runs"][0]
    assert [column.get("scale") for column in found["columns"]] == [None, 3, 3, None, 3, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bounds", "all"), "bounds all: expected all,max_rel=GRADE with the scale's highest grade"),
        (("--bounds=most",), "bounds most: expected all,max_rel=GRADE"),
        (("--bounds", "all,max_rel=0"), "bounds all,max_rel=0: expected all,max_rel=GRADE"),
        (("--bounds", "all,max_rel=3", "-m", "rbp"), "rbp: divides by the highest grade of the topic"),
        (("--bounds", "all,max_rel=3", "-m", "sdcg.10"), "expected max_rel=3 among its parameters"),
    ],
)
def test_bounds_of_all_need_a_scale(
    command: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    called = command(*options, tmp_path / "qrels", tmp_path / "run")
    assert called.code == 1 and message in called.err

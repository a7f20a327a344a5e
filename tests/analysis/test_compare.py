"""Runs side by side: pairing of topics, comparisons; and the command."""

from __future__ import annotations

import importlib
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from support.commands import NAMES, QRELS, RUNS, Command, summaries

from pres_eval.analysis.compare import best_run_of_measures, compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.errors import MeasureError, NoCommonTopicError
from pres_eval.measures.base import Totals
from pres_eval.measures.selection import select
from pres_eval.scoring import ScoredRun


def evaluation(topics: list[bytes], texts: list[str], *columns: list[float]) -> ScoredRun:
    selection = select(texts)
    values = tuple(np.array(column, np.float64) for column in columns)
    totals = Totals(len(topics), len(topics), 0, False)
    return ScoredRun(tuple(topics), values, "run", "tag", selection, (0.0,) * len(columns), totals)


def test_topics_are_those_that_all_runs_have() -> None:
    one = evaluation([b"1", b"2", b"3"], ["map", "Rprec"], [0.1, 0.2, 0.3], [1, 1, 1])
    two = evaluation([b"2", b"3", b"4"], ["map", "Rprec"], [0.6, 0.8, 0.9], [0, 1, 0])
    scores = pair_topics([one, two], ["a", "b"])
    assert (scores.topics, scores.num_all_topics) == ((b"2", b"3"), 4)
    assert scores.values.tolist() == [[[0.2, 0.3], [0.6, 0.8]], [[1, 1], [0, 1]]]
    assert scores.means.tolist() == [[0.25, 0.7], [1, 0.5]]


def test_with_c_topics_are_those_of_the_qrels() -> None:
    one = evaluation([b"1", b"2"], ["map"], [0.1, 0.2])
    two = evaluation([b"2"], ["map"], [0.6])
    scores = pair_topics([one, two], ["a", "b"], (b"1", b"2", b"9"))
    assert scores.topics == (b"1", b"2", b"9")
    assert scores.values.tolist() == [[[0.1, 0.2, 0], [0, 0.6, 0]]]
    assert scores.means[0].tolist() == [(0.1 + 0.2 + 0) / 3, 0.6 / 3]


def test_only_means_are_compared() -> None:
    texts = ["num_ret", "map", "gm_map", "num_q"]
    one = evaluation([b"1"], texts, [1], [5], [0.5], [math.log(0.5)])
    scores = pair_topics([one, one], ["a", "b"])
    assert scores.measures == ("map",)
    assert scores.left_out == tuple(column.label for column in one.columns if column.label != "map")
    with pytest.raises(MeasureError, match="none of the measures"):
        pair_topics([evaluation([b"1"], ["num_ret"], [5])] * 2, ["a", "b"])


def test_what_cannot_be_paired_is_said() -> None:
    with pytest.raises(NoCommonTopicError, match="try -c"):
        pair_topics([evaluation([b"1"], ["map"], [1]), evaluation([b"2"], ["map"], [1])], ["a", "b"])
    with pytest.raises(MeasureError, match="map of run b is nan on topic '1'"):
        pair_topics([evaluation([b"1"], ["map"], [x]) for x in (1, math.nan)], ["a", "b"])


def paired(runs: int = 4, topics: int = 30) -> PairedScores:
    values = np.random.default_rng(3).beta(1, 3, (2, runs, topics)) + np.linspace(0, 0.1, runs)[:, None]
    names = tuple(f"r{number}" for number in range(runs))
    return PairedScores(
        names, ("a", "b"), tuple(b"%02d" % i for i in range(topics)), values, values.mean(axis=2), topics
    )


@pytest.mark.parametrize(
    ("test", "alternative", "margin"),
    [
        ("t", "two-sided", 0.0), ("wilcoxon", "greater", 0.0), ("sign", "less", 0.0),
        ("t", "equivalent", 0.1), ("t", "non-inferior", 0.05), ("randomised-tukey", "two-sided", 0.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("baseline", [1, None])
def test_less_is_better(test: str, alternative: str, margin: float, baseline: int | None) -> None:
    """A measure of effort is compared as its negative would be; differences keep their own sign."""
    rising = paired()
    falling = replace(rising, values=-rising.values, means=-rising.means, falling=frozenset({"a", "b"}))
    chosen = CompareSettings(test=test, alternative=alternative, margin=margin, samples=300)
    one, other = (compare(scores, baseline, chosen) for scores in (rising, falling))
    assert (one.best == other.best).all() and one.contradictions() == other.contradictions()
    if baseline is None:
        assert [one.letters(row) for row in (0, 1)] == [other.letters(row) for row in (0, 1)]
    same = ("run", "wins", "ties", "losses", "p_value", "corrected", "significant", "direction")
    for first, second in zip(one.comparisons, other.comparisons, strict=True):
        assert [getattr(first, name) for name in same] == [getattr(second, name) for name in same]
        for name in ("difference", "d_z", "hedges_g", "rank_biserial"):
            assert getattr(second, name) == -getattr(first, name)
        ends = (second.lower, second.upper, second.g_lower, second.g_upper)
        assert ends == (-first.upper, -first.lower, -first.g_upper, -first.g_lower)
    assert best_run_of_measures(rising.gains()) == best_run_of_measures(falling.gains())


def test_measures_of_effort_are_known() -> None:
    one = evaluation([b"1", b"2"], ["map", "last_rel"], [0.1, 0.2], [7, 9])
    scores = pair_topics([one, one], ["a", "b"])
    assert scores.falling == {"last_rel"} and scores.gains().tolist() == [
        [0.15000000000000002] * 2,
        [-8.0] * 2,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["wilcoxon", "t", "randomisation", "sign", "bootstrap"])
@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_comparisons_are_scipys_and_statsmodels(test: str, correction: str, theirs: str) -> None:
    from statsmodels.stats.multitest import multipletests

    scores = paired()
    result = compare(scores, 1, CompareSettings(test=test, correction=correction, samples=500, seed=5))
    for measure, label in enumerate(scores.measures):
        rows = [one for one in result.comparisons if one.measure == label]
        assert [(one.run, one.other) for one in rows] == [("r0", "r1"), ("r2", "r1"), ("r3", "r1")]
        values = dict(zip(scores.runs, scores.values[measure], strict=True))
        for one in rows:
            differences = values[one.run] - values["r1"]
            assert (one.wins, one.ties, one.losses) == (
                int((differences > 0).sum()),
                0,
                int((differences < 0).sum()),
            )
            assert one.difference == pytest.approx(differences.mean(), abs=1e-15)
            assert one.lower < one.difference < one.upper
            if test == "wilcoxon":
                assert f"{one.p_value:.10g}" == f"{stats.wilcoxon(differences).pvalue:.10g}"
            if test == "t":
                assert f"{one.p_value:.10g}" == f"{stats.ttest_1samp(differences, 0).pvalue:.10g}"
        expected = multipletests([one.p_value for one in rows], method=theirs)[1]
        assert [f"{one.corrected:.10g}" for one in rows] == [f"{p:.10g}" for p in expected]
        assert [one.significant for one in rows] == [bool(p < 0.05) for p in expected]


def test_all_pairs_and_best() -> None:
    result = compare(paired(), None, CompareSettings(samples=100))
    pairs = [(one.run, one.other) for one in result.comparisons if one.measure == "a"]
    assert pairs == [("r0", "r1"), ("r0", "r2"), ("r0", "r3"), ("r1", "r2"), ("r1", "r3"), ("r2", "r3")]
    assert result.best.sum(axis=1).tolist() == [1, 1]
    assert result.best.argmax(axis=1).tolist() == result.scores.means.argmax(axis=1).tolist()


def test_one_run_has_means_and_intervals_only() -> None:
    result = compare(paired(runs=1), 0, CompareSettings(samples=50))
    assert result.comparisons == ()
    assert np.all(result.lower < result.scores.means)


MEASURES = ("-m", "map", "-m", "PRES.50,100", "-m", "recall.100")


@pytest.mark.parametrize(
    "options", [(), ("-c",), ("-l", "2", "--quiet"), ("-M", "20"), ("-J",), ("-c", "--compat", "10.0")]
)
def test_means_are_the_evaluators(call: Command, options: tuple[str, ...]) -> None:
    found = call.ok("compare", *options, QRELS, *RUNS, *MEASURES, "--format", "json", "--samples", "50")
    means = {(row["run"], row["measure"]): f"{row['mean']:.4f}" for row in found.json["means"]}
    for name, run in zip(NAMES, RUNS, strict=True):
        for label, value in summaries(call, run, *MEASURES, *options).items():
            assert means[name, label] == value
    assert len(means) == 3 * 4


def test_missing_topics_count_as_zero_with_c(call: Command, tmp_path: Path) -> None:
    lines = Path(RUNS[1]).read_text().splitlines(keepends=True)
    first = lines[0].split()[0]
    short = tmp_path / "short"
    short.write_text("".join(line for line in lines if line.split()[0] != first))
    arguments = (
        "compare",
        "--quiet",
        QRELS,
        RUNS[0],
        str(short),
        "-m",
        "map",
        "--format",
        "json",
        "--samples",
        "9",
    )
    without, with_c = call.ok(*arguments).json, call.ok(*arguments, "-c").json
    assert with_c["settings"]["topics"] == without["settings"]["topics"] + 1
    assert f"{with_c['means'][1]['mean']:.4f}" == summaries(call, str(short), "-c", "-m", "map")["map"]
    text = call.ok("compare", "--quiet", QRELS, RUNS[0], str(short), "-m", "map").out
    topics = without["settings"]["topics"]
    assert f"Means over {topics} topics that every run has, of {topics + 1} that some run has" in text


def test_same_seed_same_bytes(call: Command) -> None:
    arguments = ("compare", QRELS, *RUNS, "-m", "map", "--test", "bootstrap", "--samples", "300")
    assert call.ok(*arguments).out == call.ok(*arguments).out
    assert call.ok(*arguments).out != call.ok(*arguments, "--seed", "1").out


@pytest.mark.parametrize("baseline", ["broad", RUNS[1]])
def test_baseline_by_tag_or_file(call: Command, baseline: str) -> None:
    found = call.ok(
        "compare",
        QRELS,
        *RUNS,
        "-m",
        "map",
        "--baseline",
        baseline,
        "--format",
        "csv",
        "--table",
        "comparisons",
    )
    assert [(row["run"], row["other"]) for row in found.rows] == [("keyword", "broad"), ("semantic", "broad")]


def test_table_marks_the_best_and_what_differs(call: Command) -> None:
    arguments = ("compare", QRELS, *RUNS, "-m", "map", "-m", "recall.100")
    found = call.ok(*arguments, "--format", "json").json
    lines = {line.split()[0]: line for line in call.ok(*arguments).out.split("\n\n")[1].splitlines()[2:]}
    for row in found["means"]:
        marks = "^" if row["best"] else ""
        for one in found["comparisons"]:
            if (one["run"], one["measure"]) == (row["run"], row["measure"]) and one["significant"]:
                marks += "+" if one["difference"] > 0 else "-"
        cells = [cell.split() for cell in lines[row["run"]].split("  ") if cell.strip()]
        column = 1 + ["map", "recall_100"].index(row["measure"])
        assert cells[column] == ([marks] if marks else []) + [f"{row['mean']:.4f}"]
    assert any(one["significant"] for one in found["comparisons"]), "the fixtures show a difference"


def test_runs_with_the_same_tag_go_by_file(call: Command, tmp_path: Path) -> None:
    names = []
    for number in range(2):
        copy = tmp_path / f"copy{number}.txt"
        copy.write_bytes(Path(RUNS[0]).read_bytes())
        names.append(str(copy))
    found = call.ok("compare", QRELS, *names, names[0], "-m", "map", "--format", "csv").rows
    assert [row["run"] for row in found] == ["copy0 (1)", "copy1", "copy0 (2)"]
    assert {row["best"] for row in found} == {"true"}


def test_a_tag_like_a_formula_is_no_formula(call: Command, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    evil.write_text(Path(RUNS[0]).read_text().replace(" keyword\n", " =1+1\n"))
    found = call.ok("compare", QRELS, RUNS[1], evil, "-m", "map", "--format", "csv", "--table", "comparisons")
    assert found.rows[0]["run"] == "'=1+1"
    assert float(found.rows[0]["difference"]) == float(found.rows[0]["mean"]) - float(
        found.rows[0]["other_mean"]
    )


@pytest.mark.parametrize("test", ["tukey", "dunnett"])
def test_missing_extras_are_named(call: Command, monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    called = call("compare", QRELS, *RUNS, "-m", "map", "--test", test)
    assert (called.code, called.out) == (2, "")
    assert (
        called.err
        == "pres-eval: this test needs the package scipy: install it with  pip install scipy  or, with all of"
        " its extra,  pip install '.[stats]'  in a checkout of pres-eval\n"
    )


def test_the_default_needs_no_extra(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    call.ok("compare", QRELS, *RUNS, "-m", "map", "--all-pairs")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("t", "t needs two topics at least: nothing can be significant"),
        ("bootstrap", "bootstrap needs two topics at least: nothing can be significant"),
        ("tukey", "tukey needs two topics at least: nothing can be significant"),
        ("randomised-tukey", "so nothing can be significant at 0.05; what would help: more topics"),
        ("wilcoxon", "so nothing can be significant at 0.05; what would help: more topics"),
    ],
)
def test_one_topic_says_so(call: Command, tmp_path: Path, test: str, said: str) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,map\na,1,0.5\nb,1,0.25\nc,1,0.125\n")
    called = call("compare", "--scores", scores, "--test", test)
    assert called.code == 0
    assert called.err.startswith("pres-eval: warning: ") and called.err.endswith(said + "\n")
    assert " * 0.1250" not in called.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("--baseline", "nope"),
            1,
            "--baseline nope: no such run; there are best, keyword, broad, semantic",
        ),
        (("--baseline", "broad", "--all-pairs"), 1, "--all-pairs and --baseline: expected one of them"),
        (("--table", "nope"), 1, "--table nope: no such table, expected one of means, comparisons"),
        (("-m", "nope"), 1, "-m nope: no such measure"),
        (("-m", "num_ret"), 1, "none of the measures asked for (-m) is an average over topics"),
        (("--plot", "x.bmp"), 1, "--plot x.bmp: expected a name that ends with .pdf, .png, .svg"),
        (("-R", "nope"), 1, "-R nope: no such format"),
    ],
)
def test_wrong_options(call: Command, arguments: tuple[str, ...], code: int, message: str) -> None:
    called = call("compare", QRELS, *RUNS, *arguments)
    assert (called.code, called.out) == (code, "")
    assert message in called.err
    assert called.err.count("\n") == 1


def test_means_with_letters_are_one_table(call: Command) -> None:
    """It is printed where --table names it; no other output has it."""
    arguments = ("compare", QRELS, *RUNS, "-m", "map", "-m", "PRES.100", "--all-pairs")
    heading, *rows = call.ok(*arguments, "--table", "letters", "--format", "csv").out.splitlines()
    assert heading == "run,measure,mean,letters" and len(rows) == 6
    assert rows[0] == "keyword,map,0.2559688664185757,a" and rows[1].endswith(",c")
    latex = call.ok(*arguments, "--table", "letters", "--format", "latex").out
    assert r"\textbf{0.2560}$^{a}$ & 0.4241$^{c}$ \\" in latex and latex.count("share a letter") == 1
    assert '"letters": [' not in call.ok(*arguments, "--format", "json").out


def test_plot(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    call.ok("compare", QRELS, *RUNS, "-m", "map", "--samples", "50", "--plot", picture)
    text = picture.read_text()
    for name in (*NAMES, "map", "baseline keyword"):
        assert f">{name}<" in text


def examples() -> list[str]:
    """The lines of the commands' help that begin with pres-eval."""
    names = ("compare", "agreement", "sweep", "robustness", "explain")
    helps = [importlib.import_module(f"pres_eval.cli.{name}").command.help for name in names]
    return [
        line.strip() for text in helps for line in text.splitlines() if line.strip().startswith("pres-eval ")
    ]


def test_every_command_has_an_example() -> None:
    assert {line.split()[1] for line in examples()} == {
        "compare",
        "agreement",
        "sweep",
        "robustness",
        "explain",
    }

"""Scores from files instead of judgements and runs: the same tables; and what commands say of wrong files."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.correlation import rbo, tau_a_ceiling
from pres_eval.analysis.estimates import standardised
from pres_eval.analysis.explain import normalised_recall, roc
from pres_eval.analysis.pooling import own_pool
from pres_eval.cli import power
from pres_eval.reading.file import File

pytestmark = pytest.mark.slow

MEASURES = ("-m", "map", "-m", "P.5")


@pytest.fixture
def scores(call: Command, tmp_path: Path) -> Path:
    """What the evaluator wrote as CSV with -q."""
    path = tmp_path / "scores.csv"
    path.write_text(call.ok("-q", "--format", "csv", *MEASURES, QRELS, *RUNS).out)
    return path


@pytest.mark.parametrize(
    ("command", "options", "tables"),
    [
        ("compare", ["--samples", "200"], ["means", "comparisons"]),
        ("compare", ["--all-pairs", "--test", "sign"], ["means", "groups", "comparisons"]),
        ("power", ["--trials", "5", "--sizes", "2,6"], ["sizes", "discrimination", "stability", "swaps"]),
        ("agreement", ["--test", "t"], ["correlations", "positions", "verdicts"]),
    ],
)
def test_scores_of_a_file_are_those_of_the_runs(
    command: str, options: list[str], tables: list[str], call: Command, scores: Path
) -> None:
    of_file = call(command, "--scores", scores, *options, "--format", "json").json
    of_runs = call(command, QRELS, *RUNS, *MEASURES, *options, "--format", "json").json
    for table in tables:
        assert of_file[table] == of_runs[table], table


def test_scores_are_read_as_they_are_written(call: Command, tmp_path: Path) -> None:
    """TSV, and names that get an apostrophe in front, for spreadsheets."""
    weights, qrels = tmp_path / "weights", tmp_path / "qrels"
    weights.write_text("+1 1\n=2 3\n'3 2\n")
    qrels.write_text("+1 0 a 1\n=2 0 b 1\n'3 0 a 1\n")
    runs = [tmp_path / "one", tmp_path / "other"]
    for run, first, second in zip(runs, "ab", "ba", strict=True):
        rows = (
            f"{t} Q0 {d} 0 {s} @{first}\n" for t in ("+1", "=2", "'3") for d, s in ((first, 2), (second, 1))
        )
        run.write_text("".join(rows))
    options = ("--weights", weights, "--format", "json")
    expected = call("compare", qrels, *runs, *MEASURES, *options).json
    for form in ("csv", "tsv"):
        file = tmp_path / f"scores.{form}"
        call.ok("-q", "--output", file, *MEASURES, qrels, *runs)
        found = call("compare", "--scores", file, *options).json
        assert [found[name] for name in ("means", "comparisons")] == [
            expected[name] for name in ("means", "comparisons")
        ]


WRONG = {
    "twice": (
        "run,topic,map\na,1,0.5\na,1,0.5\n",
        "scores.csv:3: run 'a' has topic '1' twice, expected each topic once per run",
    ),
    "no run": ("topic,map\n1,0.5\n", "scores.csv:1: columns topic, map, expected run,topic,MEASURE,..."),
    "no measure": ("run,topic\na,1\n", "scores.csv:1: columns run, topic, expected run,topic,MEASURE,..."),
    "no topic": (
        "run,topic,map\na,1,0.5\nb,2,0.5\n",
        "scores.csv: no topic with scores of all runs, expected one at least",
    ),
    "word": ("run,topic,map\na,1,x\n", "scores.csv:2: 'x', expected a number from -1e+15 to 1e+15"),
    **{
        f"score {score}": (
            f"run,topic,map\nb,1,1\na,1,{score}\n",
            f"scores.csv:3: '{score}', expected a number",
        )
        for score in ("0.1e52", "1e300", "-1e300", "1.1e15", "inf", "nan", "1_0", "\u0663")
    },
    "carriage return": (
        "run,topic,map\na,1,1\na\r,2,1\n",
        "scores.csv:3: new-line character seen in unquoted field, expected CSV as --format csv writes it",
    ),
    "carriage returns": ("run,topic,map\ra,1,1\r", "scores.csv:1: new-line character seen in unquoted field"),
    "long field": (
        f"run,topic,map\na,1,1\n{'a' * 131_073},2,1\n",
        "scores.csv:3: field larger than field limit (131072), expected CSV as --format csv writes it",
    ),
    "long heading": (f"run,map\n,topic\n{'a' * 10**6}\n", "scores.csv"),
}


@pytest.mark.parametrize("command", ["compare", "power", "agreement"])
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_scores(command: str, wrong: str, call: Command, tmp_path: Path) -> None:
    text, message = WRONG[wrong]
    (tmp_path / "scores.csv").write_text(text)
    called = call(command, "--scores", tmp_path / "scores.csv")
    assert called.code in (2, 7) and called.out == ""
    assert called.err.startswith("pres-eval: ") and message in called.err
    assert called.err.count("\n") == 1 and len(called.err) < 2100


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("command", ["compare", "power", "agreement"])
@pytest.mark.parametrize("score", ["1e15", "-1e15", "1e-300", "5e-324"])
def test_the_largest_and_smallest_scores(command: str, score: str, call: Command, tmp_path: Path) -> None:
    rows = [f"{run},{topic},{0.1 * topic},0.{topic}{run}\n" for run in range(3) for topic in range(1, 7)]
    rows[3] = f"0,4,{score},0.3\n"
    (tmp_path / "scores.csv").write_text("run,topic,map,P_5\n" + "".join(rows))
    few_draws = {"power": ("--samples", "20", "--trials", "2"), "compare": ("--samples", "20")}
    called = call.ok(command, "--scores", tmp_path / "scores.csv", *few_draws.get(command, ()))
    assert "nan" not in called.out and called.err == ""


def test_power_says_how_long_it_takes(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it begins; what does not fit into memory is an error at once."""
    rows = "".join(f"{run},{topic},0.{topic}{run}\n" for run in range(3) for topic in range(1, 7))
    (tmp_path / "scores.csv").write_text("run,topic,map\n" + rows)
    options = ("power", "--scores", tmp_path / "scores.csv", "--samples", "1000", "--trials", "10")
    assert call.ok(*options).err == ""
    # A tenth of the 10 trials, the fewest draws there are, takes 60 seconds here.
    clock = itertools.count(step=60)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    note = "3 runs over 6 topics take minutes, about 10; fewer --samples and --trials take less"
    called = call(*options)
    assert (called.code, called.err) == (0, f"pres-eval: note: {note}\n")
    assert call.ok(*options, "--quiet").out == called.out
    monkeypatch.setattr(power, "MOST_DIFFERENCES", 17)
    assert call(*options).out == called.out
    called = call(*options, "--test", "t")
    assert (called.code, called.out) == (1, "")
    assert called.err == (
        "pres-eval: 3 runs: 3 pairs over 6 topics (--test t), expected at most 17; leave some runs out\n"
    )
    monkeypatch.setattr(power, "MOST_DIFFERENCES", 2)
    assert "3 runs: 3 pairs, expected at most 2; leave some runs out" in call(*options).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "SCORES", QRELS], "--scores FILE replaces QRELS RUN: leave one of them out"),
        (["power", "SCORES", QRELS], "--scores FILE replaces QRELS RUN RUN: leave one of them out"),
        (["agreement", "SCORES", QRELS], "--scores FILE replaces QRELS RUN RUN: leave one of them out"),
        (["compare", "MEANS"], "no column topic; tests need scores of topics: run,topic,MEASURE,..."),
        (["power", "MEANS"], "no column topic, expected run,topic,MEASURE,..."),
        (["compare", QRELS], "expected QRELS and at least one run, or --scores FILE"),
        (["power", QRELS, RUNS[0]], "expected QRELS and at least two runs, or --scores FILE"),
        (["agreement", QRELS, RUNS[0]], "expected QRELS and at least two runs, or --scores FILE"),
        (["agreement", QRELS, *RUNS, "-m", "map"], "only map: expected at least two measures to compare"),
        (
            ["compare", "SCORES", "--baseline", "nobody"],
            "--baseline nobody: no such run; did you mean broad?",
        ),
        (["power", "SCORES", "--sizes", "7"], "--sizes 7: more than half of the 12 topics"),
        (["power", "FEW"], "1 run over 2 topics: expected two runs and four topics at least"),
        (["judges", QRELS, QRELS, "--group", "a", "*"], "--group: no runs, expected QRELS QRELS RUN ..."),
        (["judges", QRELS, QRELS, "-m", "map"], "-m: no runs, expected QRELS QRELS RUN ..."),
        (["holes", QRELS, *RUNS, "-J"], "-J removes unjudged documents, which this command counts"),
        (["figures", "roc", QRELS, RUNS[0]], "roc needs the number of documents in the collection: -N NUM"),
        (
            ["figures", "rnorm", QRELS, RUNS[0], "--topic", "x"],
            "--topic x: not in the qrels, expected one such as",
        ),
        (["holes", QRELS, "-", "--documents"], "-: a pipe can't be read twice: save it in a file first"),
        (["judges", "--correct", "-", QRELS, *RUNS], "-: a pipe can't be read twice: save it in a file"),
        (["pool", "-"], "standard input can't be read twice: save the run in a file first"),
    ],
)
def test_arguments_that_do_not_go_together(
    arguments: list[str], message: str, call: Command, scores: Path, tmp_path: Path
) -> None:
    (tmp_path / "means.csv").write_text("run,map\na,0.5\nb,0.25\n")
    (tmp_path / "few.csv").write_text("run,topic,map\na,1,0.5\na,2,0.25\n")
    files = {"SCORES": scores, "MEANS": tmp_path / "means.csv", "FEW": tmp_path / "few.csv"}
    said = [part for word in arguments for part in (["--scores", files[word]] if word in files else [word])]
    called = call(*map(str, said))
    assert (called.code, called.out) == (1, "") and message in called.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "sign"], "sign over 2 topics"),
        (["--test", "randomisation", "--samples", "10"], "what would help: "),
        (["--test", "wilcoxon"], "fewer comparisons, or --test t"),
    ],
)
def test_what_cannot_become_significant_is_said(
    options: list[str], message: str, call: Command, tmp_path: Path
) -> None:
    rows = "".join(
        f"{run},{topic},0.{topic}{number}\n" for number, run in enumerate("abc") for topic in (1, 2)
    )
    (tmp_path / "scores.csv").write_text(f"run,topic,map\n{rows}")
    called = call("compare", "--scores", tmp_path / "scores.csv", *options)
    assert called.code == 0 and message in called.err and called.err.count("\n") == 1
    assert call("compare", "--scores", tmp_path / "scores.csv", *options, "--quiet").err == ""


def test_one_topic_tells_nothing(call: Command, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("run,topic,map\na,1,0.5\nb,1,0.25\n")
    called = call("compare", "--scores", tmp_path / "scores.csv")
    assert called.code == 0 and "nothing can be significant" in called.err


@pytest.mark.parametrize("options", [[], ["--all-pairs"], ["--baseline", "best"]])
def test_comparisons_of_a_file_are_drawn(
    options: list[str], call: Command, scores: Path, tmp_path: Path
) -> None:
    call("compare", "--scores", scores, *options, "--plot", tmp_path / "out.svg")
    assert ">map<" in (tmp_path / "out.svg").read_text()


# Two judges


def test_whether_a_judge_favours_a_group_of_runs(call: Command, tmp_path: Path) -> None:
    """Against the plain sums: what the group gains, less what the others gain."""
    lines = Path(QRELS).read_text().splitlines()
    strict = [
        line[:-1] + "0" if line.endswith(" 1") and number % 3 else line for number, line in enumerate(lines)
    ]
    (tmp_path / "strict").write_text("\n".join(strict) + "\n")
    arguments: list[str | Path] = ["judges", QRELS, tmp_path / "strict", *RUNS, "-m", "map", "--quiet"]
    groups = ["--group", "words", "[kb]*", "--group", "everyone", "*"]
    found = call.ok(*arguments, *groups, "--format", "json").json
    changes = {row["run"]: row["change"] for row in found["runs"]}
    words = [changes["keyword"], changes["broad"]]
    rows = {row["group"]: row for row in found["groups"]}
    assert rows["words"]["runs"] == 2 and rows["everyone"]["runs"] == 3
    assert rows["words"]["change"] == pytest.approx(sum(words) / 2)
    assert rows["words"]["others"] == pytest.approx(changes["semantic"])
    assert rows["words"]["difference"] == pytest.approx(sum(words) / 2 - changes["semantic"])
    assert 0 < rows["words"]["p_value"] <= 1 and rows["words"]["expected"] != 0
    assert rows["everyone"]["others"] in (None, "nan") and rows["everyone"]["p_value"] in (None, "nan")
    assert "What groups of runs gain under the second judge" in call.ok(*arguments, *groups).out


def test_judges_who_cannot_be_compared(call: Command, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("99 0 a 1\n")
    called = call("judges", QRELS, tmp_path / "other")
    assert called.code == 7 and "no topic in common among" in called.err
    topic, _, docno, _ = Path(QRELS).read_text().split("\n", 1)[0].split()
    (tmp_path / "twice").write_text(f"{topic} 0 {docno} 1\n{topic} 0 {docno} 0\n")
    called = call("judges", QRELS, tmp_path / "twice")
    assert called.code == 2
    assert (
        f"twice:2: document '{docno}' a second time (first in line 1), expected one judgement" in called.err
    )


def test_one_run_under_two_judges_has_no_order(call: Command) -> None:
    found = call.ok("judges", QRELS, QRELS, RUNS[0], "-m", "map", "--quiet", "--format", "json").json
    assert {"orders", "swaps"}.isdisjoint(found) and [row["change"] for row in found["runs"]] == [0.0]


# Pools and figures


def test_pool_of_each_topic_and_orders(call: Command) -> None:
    every = call.ok("pool", *RUNS, "--depth", "4", "--format", "csv").rows
    assert len({(row["topic"], row["docno"]) for row in every}) == len(every)
    for order in ("rank", "runs", "docno"):
        few = call.ok(
            "pool", *RUNS, "--depth", "4", "--per-topic", "2", "--order", order, "--format", "csv"
        ).rows
        key = {
            "rank": lambda row: (int(row["best_rank"]), row["docno"]),
            "runs": lambda row: (-int(row["runs"]), row["docno"]),
            "docno": lambda row: row["docno"],
        }[order]
        for topic in {row["topic"] for row in every}:
            own = sorted((row for row in every if row["topic"] == topic), key=key)
            assert [row["docno"] for row in few if row["topic"] == topic] == [row["docno"] for row in own[:2]]


def test_pool_of_a_run_that_comes_in_pieces(tmp_path: Path, call: Command) -> None:
    """Topics that do not stand together, blank lines, chunks of a few bytes."""
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 3 t\n\n \n2 Q0 b 1 2 t\n1 Q0 c 2 1 t\n")
    pool = own_pool(File(str(path)))
    assert list(pool.topics) == [b"1", b"2"]
    path.write_text("\n \n")
    called = call("pool", path)
    assert called.code == 2 and "run: " in called.err


@pytest.mark.parametrize("kind", ["relevant", "precision-recall", "roc", "rnorm", "pres-rank", "pres-mrr"])
def test_figures_as_numbers(kind: str, call: Command) -> None:
    rows = call.ok("figures", kind, QRELS, *RUNS, "-N", "50000", "--format", "csv").rows
    assert rows or kind == "pres-mrr"


def test_figures_of_topics_without_numbers(call: Command, tmp_path: Path) -> None:
    """Nothing relevant, and a topic whose only relevant document was not found."""
    (tmp_path / "qrels").write_text("1 0 a 0\n2 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n2 Q0 x 1 1 t\n")
    arguments: list[str | Path] = [
        tmp_path / "qrels",
        tmp_path / "run",
        "-N",
        "10",
        "--format",
        "json",
        "--quiet",
    ]
    assert call.ok("figures", "pres-mrr", *arguments).json["figure"][0]["reciprocal_rank"] == 0.0
    assert call.ok("figures", "pres-rank", *arguments).json["figure"] == []
    assert call.ok("figures", "roc", *arguments).json["figure"][0]["relevant"] == 0


@pytest.mark.parametrize(
    ("kind", "grade"),
    [
        ("relevant", 0),
        ("precision-recall", 0),
        ("precision-recall", 1),
        ("roc", 0),
        ("rnorm", 0),
        ("pres-rank", 1),
        ("pres-mrr", 0),
        ("pres-mrr", 1),
    ],
)
def test_figures_of_topics_without_numbers_are_drawn(
    kind: str, grade: int, call: Command, tmp_path: Path
) -> None:
    """2.9.0: a traceback of precision-recall where nothing relevant was found."""
    (tmp_path / "qrels").write_text(f"1 0 a {grade}\n")
    (tmp_path / "run").write_text("1 Q0 x 1 1 t\n")
    drawn = tmp_path / "figure.svg"
    files = (tmp_path / "qrels", tmp_path / "run", "-N", "10", "--quiet", "--plot", drawn)
    call.ok("figures", kind, *files)
    assert b"<svg" in drawn.read_bytes()


def test_numbers_of_nothing() -> None:
    """Empty cases that the functions state."""
    nothing = roc([], 0, 0, 10)
    assert math.isnan(nothing.area) and (nothing.fallout.tolist(), nothing.recall.tolist()) == ([0.0], [0.0])
    assert normalised_recall([], 0, np.array([10.0, 20.0])).tolist() == [0.0, 0.0]
    assert math.isnan(rbo(np.zeros(0), np.zeros(0)))
    assert math.isnan(tau_a_ceiling(np.zeros(1), np.zeros(1)))
    assert np.isnan(standardised(np.array([[0.5]]))).all()


def test_a_topic_called_all_is_no_summary(call: Command, tmp_path: Path) -> None:
    """It was left out without a word."""
    rows = ["run,topic,map", "a,all,0.9", "a,x,0.1", "a,all,0.5", "b,all,0.3", "b,x,0.5", "b,all,0.4"]
    (tmp_path / "scores.csv").write_text("\n".join(rows))
    options = ("compare", "--scores", tmp_path / "scores.csv", "--quiet")
    assert [row["mean"] for row in call.ok(*options, "--format", "json").json["means"]] == [0.5, 0.4]
    (tmp_path / "scores.csv").write_text("\n".join([*rows, "b,all,0.4"]))
    assert "scores.csv:8: run 'b' has topic 'all' twice" in call(*options).err


def test_a_row_all_that_may_be_a_topic_is_warned_about(call: Command, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("run,topic,map\na,x,0.1\na,y,0.1\na,all,0.5\n")
    called = call("compare", "--scores", tmp_path / "scores.csv")
    assert "the row 'all' of run 'a' is taken for its summary and left out, but it is" in called.err
    more = "".join(f"{run},x,0.1\n{run},all,0.5\n" for run in "bcd")
    (tmp_path / "scores.csv").write_text(f"run,topic,map\na,x,0.1\na,all,0.5\n{more}")
    called = call("compare", "--scores", tmp_path / "scores.csv")
    assert called.err.count("is taken for its summary") == 1
    assert "the row 'all' of run 'a' (and those of 3 more runs) is taken for its summary" in called.err


@pytest.mark.parametrize("more", [(), ("-c",)])
def test_a_run_of_a_summary_alone_has_no_topics(more: tuple[str, ...], call: Command, tmp_path: Path) -> None:
    """A warning took the row for a topic; with -c all topics counted as 0."""
    (tmp_path / "scores.csv").write_text("run,topic,map\na,x,0.1\na,all,0.5\nb,all,0.3\n")
    called = call("compare", "--scores", tmp_path / "scores.csv", "--quiet", *more)
    assert called.code == 7 and "run 'b' has only the row 'all', its summary, expected rows of" in called.err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_scores_as_powershell_writes_them(encoding: str, call: Command, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("run,topic,map\na,x,0.1\nb,x,0.3\n", encoding=encoding)
    found = call.ok("compare", "--scores", tmp_path / "scores.csv", "--quiet", "--format", "json").json
    assert [row["mean"] for row in found["means"]] == [0.1, 0.3]

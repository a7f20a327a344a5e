"""Several runs at once: their names, their topics, runs that cannot be evaluated, tables for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command


@pytest.fixture
def track(tmp_path: Path) -> list[str]:
    """The three runs, in files of another shape of name, all with the same tag."""
    paths = []
    for number, run in enumerate(RUNS):
        path = tmp_path / f"input.STANDARD-{number}.txt"
        lines = Path(run).read_text().splitlines()
        path.write_text("".join(" ".join([*line.split()[:5], "STANDARD"]) + "\n" for line in lines))
        paths.append(str(path))
    return paths


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A run that has two of the topics, neither of them the first."""
    path = tmp_path / "small"
    lines = Path(RUNS[0]).read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})[4:6]
    path.write_text("".join(line for line in lines if line.split()[0] in topics))
    return str(path)


def column(text: str, place: int) -> list[str]:
    return [line.split()[place] for line in text.splitlines()[2:] if line.strip()]


def test_one_run_has_trec_eval_s_lines_alone(call: Command) -> None:
    assert not call.ok("-m", "official", QRELS, RUNS[0]).out.startswith("run ")


@pytest.mark.parametrize(
    ("naming", "names"),
    [("auto", ["0", "1", "2"]), ("file", ["0", "1", "2"]), ("tag", ["STANDARD"] * 3), ("path", None)],
)
def test_lines_name_each_run(naming: str, names: list[str] | None, call: Command, track: list[str]) -> None:
    out = call.ok("--names", naming, "-m", "map", QRELS, *track).out
    named = [line.split("\t")[2] for line in out.splitlines() if line.startswith("run ")]
    assert named == (names or track)


def test_lines_number_a_file_that_is_named_twice(call: Command, track: list[str]) -> None:
    out = call.ok("-m", "map", QRELS, track[0], track[1], track[0]).out
    named = [line.split("\t")[2] for line in out.splitlines() if line.startswith("run ")]
    assert named == ["0 (1)", "1", "0 (2)"]


def test_tables_name_runs_by_one_rule(call: Command, track: list[str]) -> None:
    """By tag where the tags differ, by file where they are the same; in tables of all commands."""
    assert column(call.ok("--format", "table", "-m", "map", QRELS, *track).out, 0) == ["0", "1", "2"]
    assert column(call.ok("--format", "table", "-m", "map", QRELS, *RUNS).out, 0)[0] == "keyword"
    for command in ("compare", "sweep", "agreement", "robustness"):
        found = call.ok(command, QRELS, *track, "--format", "json", "--quiet").json["settings"]["runs"]
        assert found == track
    sweep = call.ok("sweep", QRELS, *track, "--nmax", "5", "--format", "json").json["sweep"]
    assert [row["run"] for row in sweep[:3]] == ["0", "1", "2"]
    named = call.ok("sweep", QRELS, *track, "--nmax", "5", "--format", "json", "--names", "tag").json["sweep"]
    assert named[0]["run"] == "STANDARD (1)"


def test_a_baseline_that_several_runs_are_called(call: Command, track: list[str]) -> None:
    """The first of them was taken without a word."""
    called = call("compare", "-m", "map", "--baseline", "STANDARD", QRELS, *track)
    assert (called.code, called.out) == (1, "")
    assert "--baseline STANDARD: the name of 3 runs, expected one of 0, 1, 2" in called.err


def test_own_common_and_all_topics(call: Command, small: str) -> None:
    """The three rules give three means; the evaluator's own rule is trec_eval's."""
    values = {}
    for rule in ("own", "common", "all"):
        options = ("--quiet", "--topics", rule, "--format", "csv", "-m", "map", "-m", "num_q")
        rows = call.ok(*options, QRELS, RUNS[0], small).rows
        values[rule] = [(row["map"], row["num_q"]) for row in rows]
    assert [count for _, count in values["own"]] == ["12", "2"]
    assert values["common"][0] == values["common"][1] == values["own"][1]
    assert [count for _, count in values["all"]] == ["12", "12"]
    assert values["all"][0] == values["own"][0] and float(values["all"][1][0]) < float(values["own"][1][0])
    complete = call.ok("--quiet", "-c", "--format", "csv", "-m", "map", "-m", "num_q", QRELS, RUNS[0], small)
    assert [(row["map"], row["num_q"]) for row in complete.rows] == values["all"]


@pytest.mark.parametrize(
    "command", [["compare"], ["agreement", "-m", "map", "-m", "P.5"], ["power"], ["sweep", "--nmax", "5"]]
)
def test_all_topics_is_the_option_of_trec_eval(command: list[str], call: Command, small: str) -> None:
    """`--topics all` is `-c` in every command that takes both."""
    arguments = [*command, "--quiet", "--format", "json", QRELS, RUNS[0], RUNS[1], small]
    found = call.ok(*arguments, "--topics", "all")
    assert found.out == call.ok(*arguments, "-c").out
    assert found.out != call(*arguments).out


def test_all_topics_under_two_judges(call: Command, small: str) -> None:
    arguments = ["judges", "--quiet", "--format", "json", QRELS, QRELS, RUNS[0], RUNS[1], small]
    found = call.ok(*arguments, "--topics", "all")
    assert found.out == call.ok(*arguments, "-c").out
    assert found.out != call(*arguments).out


def test_contradicting_rules(call: Command) -> None:
    called = call("-c", "--topics", "common", QRELS, *RUNS)
    assert called.code == 1
    assert called.err == "pres-eval: -c is --topics all, not --topics common: expected one of them\n"
    called = call("compare", "--topics", "own", QRELS, *RUNS)
    assert (called.code, called.out) == (1, "")
    assert "--topics own: runs are compared topic by topic, expected common or all" in called.err


@pytest.mark.parametrize("command", ["compare", "agreement", "sweep", "robustness"])
def test_who_shrinks_the_topics_is_named(command: str, call: Command, small: str) -> None:
    """Each command compares over the topics that all runs have, and says which run lacks some."""
    called = call(command, QRELS, RUNS[0], RUNS[1], small)
    assert called.code == 0
    assert "small lacks 10); only the 2 that all have are used (--topics all" in called.err
    assert "2 topics" in called.out
    quiet = call(command, "--quiet", QRELS, RUNS[0], RUNS[1], small)
    assert (quiet.err, quiet.out) == ("", called.out)


def test_sweep_over_own_topics_says_so(call: Command, small: str) -> None:
    called = call("sweep", "--topics", "own", "--nmax", "5", QRELS, RUNS[0], small)
    assert "map_cut at Nmax, over each run's own topics (2 to 12)" in called.out
    assert "each is averaged over its own" in called.err


def test_a_table_says_where_topics_differ(call: Command, small: str) -> None:
    called = call("--format", "table", "-m", "map", QRELS, RUNS[0], small)
    assert column(called.out.split("\n\n")[0], 1) == ["12", "2"]
    assert "the runs have different topics, 12 in all (small lacks 10)" in called.out


def test_runs_that_lack_topics_are_sorted_last(call: Command, tmp_path: Path) -> None:
    """A mean over two easy topics does not win."""
    small = tmp_path / "small"
    lines = Path(RUNS[0]).read_text().splitlines(keepends=True)
    values = call.ok("-q", "-m", "map", QRELS, RUNS[0]).out.split()
    best = max(zip(values[2:-3:3], values[1:-3:3], strict=True))[1]
    small.write_text("".join(line for line in lines if line.split()[0] == best))
    rows = call("--format", "table", "-m", "map", "--sort", "map", QRELS, small, *RUNS).out.split("\n\n")[0]
    assert column(rows, 1) == ["12"] * len(RUNS) + ["1"]
    values = column(rows, 2)
    assert values[:-1] == sorted(values[:-1], reverse=True) and values[-1] > values[0]


def test_no_common_topic_names_the_run(call: Command, tmp_path: Path) -> None:
    lines = Path(RUNS[0]).read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})
    for name, chosen in (("a", topics[:1]), ("b", topics[1:])):
        (tmp_path / name).write_text("".join(line for line in lines if line.split()[0] in chosen))
    called = call("compare", "--names", "file", QRELS, tmp_path / "a", tmp_path / "b")
    assert called.code == 7
    assert "no topic that all the runs have: a lacks 11 of 12; leave it out" in called.err


@pytest.mark.parametrize("name", ["ndcg_cut_10", "ndcg_cut.10", "nDCG@10"])
def test_names_of_columns_are_those_of_m(name: str, call: Command) -> None:
    """--sort and --fail-under take what -m takes."""
    rows = call.ok("--format", "table", "-m", "nDCG@10", "--sort", name, QRELS, *RUNS).out
    values = [float(value) for value in column(rows, 2)]
    assert values == sorted(values, reverse=True)
    called = call("-m", "nDCG@10", "--fail-under", f"{name}=1", QRELS, RUNS[0])
    assert called.code == 3 and "ndcg_cut_10: wanted at least 1, got" in called.err


@pytest.fixture
def broken(tmp_path: Path) -> list[str]:
    """A malformed run and one without a topic of the judgements."""
    (tmp_path / "broken").write_text("1 Q0 a\n")
    (tmp_path / "strange").write_text("x Q0 a 1 1 t\n")
    return [str(tmp_path / "broken"), str(tmp_path / "strange")]


@pytest.mark.parametrize("form", ["trec", "table", "csv", "json", "jsonl", "latex", "markdown"])
def test_keep_going(form: str, call: Command, broken: list[str]) -> None:
    """What can be evaluated is put out, what cannot is told, and the exit code is 2."""
    bad, strange = broken
    called = call("--keep-going", "--format", form, "-m", "map", QRELS, bad, RUNS[0], strange, RUNS[1])
    assert called.code == 2
    assert [line.split(":")[1].strip() for line in called.err.splitlines()] == [bad, strange]
    assert ("0.255968" if form in ("csv", "json", "jsonl") else "0.2560") in called.out
    if form not in ("trec", "latex"):
        assert f"{bad}:1: 3 columns, expected 6" in called.out
        assert f"{strange}: no topic in common" in called.out
    assert call("--format", form, "-m", "map", QRELS, bad, RUNS[0]).code == 2
    assert call("--keep-going", "--quiet", "-m", "map", QRELS, strange, strange).out == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("compare", ()),
        ("agreement", ()),
        ("sweep", ("--nmax", "10,20")),
        ("robustness", ("--samples", "1")),
        ("holes", ("--documents",)),
        ("power", ("--trials", "2", "--samples", "10")),
        ("judges", ()),
        ("figures", ("relevant",)),
        ("report", ()),
        *((command, ("-c",)) for command in ("compare", "report", "agreement", "robustness")),
    ],
)
def test_analyses_keep_going(
    command: str, given: tuple[str, ...], call: Command, broken: list[str], tmp_path: Path
) -> None:
    """The others are analysed as if those were not there; a row of the first table says why; exit code 2."""
    files = [QRELS, QRELS] if command == "judges" else [QRELS]
    good = call.ok(command, *given, *files, *RUNS).out
    called = call(command, "--keep-going", *given, *files, broken[0], RUNS[0], broken[1], *RUNS[1:])
    assert called.code == 2
    for path, reason in zip(broken, (":1: 3 columns, expected 6", ": no topic in common"), strict=True):
        assert called.out.count(f"{path}{reason}") == 1 and called.err.count(f"{path}{reason}") == 1
    if command != "report":
        told = json.loads(
            call(command, "--keep-going", "--format", "json", *given, *files, *broken, *RUNS).out
        )
        assert [each["file"] for each in told["failures"]] == broken
        assert set(good.splitlines()) <= set(called.out.splitlines())
    assert call(command, *given, *files, *RUNS, broken[0]).code == 2
    none = call(command, "--keep-going", *given, *files, *broken)
    assert none.code == 2 and none.out == "" and none.err.endswith("no run can be evaluated\n")


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_pool_keeps_going(form: str, call: Command, broken: list[str]) -> None:
    """Of the runs that can be read; one without a topic of the qrels is none that cannot be."""
    good = call.ok("pool", "--format", form, *RUNS)
    called = call("pool", "--keep-going", "--format", form, RUNS[0], broken[0], *RUNS[1:])
    assert called.code == 2 and f"{broken[0]}:1: 3 columns, expected 6" in called.err
    assert f"{broken[0]}:1: 3 columns" in called.out
    if form == "table":
        assert set(good.out.splitlines()) <= set(called.out.splitlines())
    stopped = call("pool", RUNS[0], broken[0])
    none = call("pool", "--keep-going", broken[0], broken[0])
    assert (stopped.code, stopped.out) == (none.code, none.out) == (2, "")


def test_keep_going_keeps_names_with_their_runs(call: Command, broken: list[str]) -> None:
    called = call("--keep-going", "-m", "runid", QRELS, broken[0], RUNS[0], broken[1], RUNS[1])
    lines = [line.split("\t")[2] for line in called.out.splitlines()]
    assert lines == ["run_keyword.txt", "keyword", "run_broad.txt", "broad"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--digits", "3"], "--digits goes with --format table, latex, markdown, not --format trec"),
        (["--digits", "3", "--format", "csv"], "--digits goes with --format table"),
        (["--style", "grid"], "--style goes with --format table, not --format trec"),
        (["--style", "grid", "--format", "latex"], "--style goes with --format table, not --format latex"),
        (["--fit"], "--fit goes with --format latex, not --format trec"),
        (["--sort", "map"], "--sort goes with --format table, latex, markdown"),
        (["--transpose", "--format", "json"], "--transpose goes with --format table"),
        (["--sort", "mop", "--format", "table", "-m", "map"], "--sort mop: not among the measures (-m)"),
    ],
)
def test_options_of_tables_elsewhere(options: list[str], message: str, call: Command) -> None:
    called = call(*options, QRELS, *RUNS)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith(f"pres-eval: {message}")
    if options[0] != "--sort" and "--transpose" not in options:
        assert call("compare", *options[:2], "--format", "csv", QRELS, *RUNS).code == 1


def test_a_table_for_a_paper_in_one_command(call: Command, tmp_path: Path) -> None:
    """LaTeX with what the marks mean, to a file, with the digits that the paper wants."""
    arguments = (
        "compare",
        QRELS,
        *RUNS,
        "-m",
        "map",
        "-m",
        "recall.100",
        "--table",
        "means",
        "--digits",
        "3",
    )
    found = call.ok(*arguments, "--format", "latex", "--output", tmp_path / "t.tex")
    text = (tmp_path / "t.tex").read_text()
    assert found.out == ""
    means = json.loads(call.ok(*arguments[:-2], "--format", "json").out)["means"]
    for row in means:
        number = f"{row['mean']:.3f}"
        assert (rf"\textbf{{{number}}}" if row["best"] else number) in text
    assert (
        r"recall\_100" in text and r"\toprule" in text and "$^{-}$" in text and r"\textbf{bold}: best" in text
    )
    markdown = call.ok(*arguments, "--format", "markdown").out
    assert all(f"**{row['mean']:.3f}**" in markdown for row in means if row["best"])
    assert "| keyword" in markdown and "recall_100 |" in markdown
    assert call.ok(*arguments[:-2], "--format", "tsv").out.startswith("run\tmeasure\tmean\t")

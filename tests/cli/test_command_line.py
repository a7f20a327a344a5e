"""The evaluator's command line: options as getopt takes them, files and pipes, streams, exit codes, help."""

from __future__ import annotations

import bz2
import gzip
import itertools
import json
import lzma
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import conftest
import pytest
import zstandard
from support.commands import Called, Command

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of, expand_long_options
from pres_eval.cli.help import DIFFERENCES, EXIT_CODES, FIRST_OPTIONS
from pres_eval.errors import UsageError
from pres_eval.measures import MEASURES

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 0\n10 0 a 3\n"
RUN = (
    "1 Q0 a 1 3.0 one\n1 Q0 x 2 2.0 one\n1 Q0 c 3 1.0 one\n"
    "2 Q0 d 1 2.0 one\n2 Q0 a 2 1.0 one\n10 Q0 a 1 1 one\n"
)
OTHER = "1 Q0 c 1 3.0 two\n2 Q0 a 1 2.0 two\n10 Q0 x 1 1 two\n"
SHORT = "1 Q0 a 1 3.0 short\n"

Evaluate = Callable[..., Called]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder with these files."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("run", RUN), ("other", OTHER), ("short", SHORT)):
        (tmp_path / name).write_text(text)


def rows(called: Called) -> list[tuple[str, str, str]]:
    """The printed lines: label, topic, value."""
    assert (called.code, called.err) == (0, "")
    found = []
    for line in called.out.splitlines():
        label, topic, value = line.split("\t")
        assert len(label) >= 22
        found.append((label.strip(), topic, value))
    return found


MAP_Q = [("map", "1", "0.8333"), ("map", "10", "1.0000"), ("map", "2", "0.5000"), ("map", "all", "0.7778")]
SAME = {
    "-q": [
        "-q -m map qrels run",
        "-qm map qrels run",
        "-qmmap qrels run",
        "-m map --query_eval_wanted qrels run",
        "--query_eval --measure map qrels run",
        "--q --measure=map qrels run",
        "--mea=map --quer qrels run",
        "qrels run -q -m map",
        "qrels -q run -m map",
        "-q -m map -- qrels run",
        "-q -q -m map qrels run",
        "-qo -m map -D 2 qrels run",
        "-qm map -T trec_results -R qrels qrels run",
        "-q -m map --Output_old_results_format --Debug_level=1 qrels run",
        "-qcmmap --compat=9.0.8 qrels run",
        "-q -l1 -M1000 -N 0 -m map qrels run",
        "-q -m AP qrels run",
        "-q --jobs 1 --quiet -m map qrels run",
    ],
    "-M": [
        "-M1 -m num_ret qrels run",
        "-M 1 -mnum_ret qrels run",
        "--Max_retrieved_per_topic=1 -m num_ret qrels run",
    ],
    "-l": [
        "-l2 -m num_rel --quiet qrels run",
        "--level 2 -m num_rel --quiet qrels run",
    ],
    "-J": [
        "-Jm num_ret qrels run",
        "--Judged -m num_ret qrels run",
        "--Judged_docs_only -m num_ret qrels run",
    ],
    "-N": [
        "-N100 -m utility.1,-1,1,1 qrels run",
        "-N 100 -mutility.1,-1,1,1 qrels run",
        "--Number_docs_in_coll 100 -m utility.1,-1,1,1 qrels run",
    ],
    "-n": ["-qn -m map qrels run", "--nosum -q -m map qrels run", "-q --nosummary -m map qrels run"],
    "-c": [
        "-cm map qrels short",
        "--complete_rel_info_wanted -m map qrels short",
        "-m map qrels short --comp -c",
    ],
}


@pytest.mark.parametrize("line", SAME["-q"])
def test_topics_and_summary(line: str, call: Command) -> None:
    """-q prints topics in byte order, then the summary; every way to write options is the same."""
    assert rows(call(*shlex.split(line))) == MAP_Q


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((line, [("num_ret", "all", "3")]) for line in SAME["-M"]),
        *((line, [("num_rel", "all", "2")]) for line in SAME["-l"]),
        *((line, [("num_ret", "all", "5")]) for line in SAME["-J"]),
        *((line, [("utility_1,-1,1,1", "all", "98.6667")]) for line in SAME["-N"]),
        *((line, MAP_Q[:-1]) for line in SAME["-n"]),
        *((line, [("map", "all", "0.1667")]) for line in SAME["-c"]),
    ],
)
def test_options(line: str, expected: list[tuple[str, str, str]], call: Command) -> None:
    assert rows(call(*shlex.split(line))) == expected


def test_ambiguous_prefixes(call: Command) -> None:
    called = call("--Re", "qrels", "run")
    assert (called.code, called.out) == (1, "")
    assert called.err == "pres-eval: option --Re is ambiguous: --Rel_info_format, --Results_format\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--query", "a"], ["--query_eval_wanted", "a"]),
        (["--mea=x.--n", "--nos"], ["--measure=x.--n", "--nosummary"]),
        (["-m", "--n", "--mea", "--n"], ["-m", "--n", "--measure", "--n"]),
        (["-qm", "--n", "a"], ["-qm", "--n", "a"]),
        (["-qmx", "--nos"], ["-qmx", "--nosummary"]),
        (["--", "--n"], ["--", "--n"]),
        (["-m", "--", "--nos"], ["-m", "--", "--nosummary"]),
        (["--unknown", "-"], ["--unknown", "-"]),
        (["--help", "--he"], ["--help", "--help"]),
        (["--quiet", "--qui"], ["--quiet", "--quiet"]),
        (["--q", "--n", "--o"], ["--query_eval_wanted", "--nosummary", "--output"]),
    ],
)
def test_prefixes_of_long_names(arguments: list[str], expected: list[str]) -> None:
    assert expand_long_options(command_of(None), arguments) == expected


def test_prefix_of_several_long_names() -> None:
    with pytest.raises(
        UsageError, match="option --f is ambiguous: --fail-over, --fail-under, --fit, --format"
    ):
        expand_long_options(command_of(None), ["--f"])


def test_several_runs_one_block_after_the_other(call: Command) -> None:
    called = call("-m", "runid", "-m", "map", "-q", "-n", "qrels", "run", "other")
    values = ["run", "0.8333", "1.0000", "0.5000", "other", "0.5000", "0.0000", "1.0000"]
    assert [row[2] for row in rows(called)] == values
    called = call("-m", "runid", "-m", "num_ret", "qrels", "run", "other", "run")
    named = [["run (1)", "one", "6"], ["other", "two", "3"], ["run (2)", "one", "6"]]
    assert [row[2] for row in rows(called)] == [value for block in named for value in block]


def test_first_runs_are_printed_before_a_later_one_fails(call: Command) -> None:
    called = call("-m", "map", "qrels", "run", "nothing")
    assert called.code == 2
    assert called.out == "run                   \tall\trun\nmap                   \tall\t0.7778\n"
    assert called.err == "pres-eval: nothing: no such file, expected a readable file\n"


def test_official_and_pres(call: Command) -> None:
    """No -m: the official measures, then PRES; -m official stops before it."""
    nothing, official = call.ok("qrels", "run").out, call.ok("-m", "official", "qrels", "run").out
    assert nothing == official + "PRES_100              \tall\t0.9950\nPRES_1000             \tall\t0.9995\n"
    assert official.splitlines()[0] == "runid                 \tall\tone"
    assert call.ok("--nmax", "7,5", "-m", "PRES", "qrels", "run").out == (
        "PRES_5                \tall\t0.9000\nPRES_7                \tall\t0.9286\n"
    )
    assert call.ok("--nmax", "7", "-m", "PRES.5", "qrels", "run").out.startswith("PRES_5 ")


def test_notation_of_ir_measures(call: Command) -> None:
    called = call("-m", "P(rel=2)@5", "-m", "P.5", "-m", "AP", "qrels", "run")
    assert sorted(rows(called)) == [
        ("P_5", "all", "0.2667"),
        ("P_5(rel=2)", "all", "0.1333"),
        ("map", "all", "0.7778"),
    ]


@pytest.mark.parametrize("level", ["0", "2", "-3"])
@pytest.mark.parametrize("topic", ["2", "10"])
def test_one_topic_alone(level: str, topic: str, call: Command) -> None:
    expected = [row for row in MAP_Q if row[1] == topic]
    assert rows(call("-D", f"{level}.{topic}", "-q", "-m", "map", "qrels", "run"))[0] == expected[0]
    assert rows(call(f"-D{level}.{topic}", "-m", "num_q", "qrels", "run")) == [("num_q", "all", "1")]


def test_zscores(call: Command, tmp_path: Path) -> None:
    """(value - mean) / deviation; -1000000 where the file has nothing; the label gets a Z."""
    (tmp_path / "zscores").write_text("1 map 0.5 0.25\n2 map 0.25 0.125\n1 P_5 0 1\n10 map 1 0\n")
    called = call("-q", "-Z", "zscores", "-m", "map", "-m", "P.5", "qrels", "run")
    assert called.out.splitlines()[:6] == [
        "Zmap                   \t1\t1.3333",
        "ZP_5                   \t1\t0.4000",
        "Zmap                   \t10\t0.0000",
        "ZP_5                   \t10\t-1000000.0000",
        "Zmap                   \t2\t2.0000",
        "ZP_5                   \t2\t-1000000.0000",
    ]
    assert call("-q", "--Zscore", "zscores", "-mmap", "-m", "P.5", "qrels", "run").out == called.out


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "members": lambda data: gzip.compress(data[:30]) + gzip.compress(data[30:]),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}


@pytest.mark.parametrize("which", ["qrels", "run"])
@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files(kind: str, which: str, call: Command, tmp_path: Path) -> None:
    path = tmp_path / which
    path.write_bytes(COMPRESS[kind](path.read_bytes()))
    assert rows(call("-q", "-m", "map", "qrels", "run")) == MAP_Q


def test_cut_off_gzip(call: Command, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(path.read_bytes())[:-12])
    called = call("qrels", "run")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith("pres-eval: run: cannot be read (gzip: the data is cut off)")
    assert called.err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("place", [0, 1])
def test_standard_input(kind: str, place: int, pres_eval: conftest.Command, tmp_path: Path) -> None:
    """Either file may be `-`, compressed or not."""
    names = ["qrels", "run"]
    data = COMPRESS[kind]((tmp_path / names[place]).read_bytes())
    names[place] = "-"
    done = pres_eval("-q", "-m", "map", *names, stdin=data, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split()[2].decode() for line in done.stdout.splitlines()] == [row[2] for row in MAP_Q]


@pytest.mark.parametrize("seed", range(2))
def test_shuffled_run_through_a_pipe(seed: int, pres_eval: conftest.Command, tmp_path: Path) -> None:
    """A run that has to be read twice may still come through a pipe."""
    lines = RUN.splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    done = pres_eval("-q", "-m", "map", "qrels", "-", stdin="".join(lines).encode(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split()[2].decode() for line in done.stdout.splitlines()] == [row[2] for row in MAP_Q]


def shell(line: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash; $PRES is the command."""
    path = os.pathsep.join([str(conftest.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "PRES": f"{sys.executable} -m pres_eval", **settings}
    return subprocess.run(
        ["bash", "-c", "set -o pipefail; " + line],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "$PRES -q -m map <(cat qrels) <(cat run)",
        "$PRES -q -m map <(gzip -c qrels) <(sort -R run | gzip -c)",
        "$PRES -q -m map qrels - < run",
        "$PRES -q -m map qrels - < <(gzip -c run)",
        "mkfifo pipe; (cat run > pipe &); $PRES -q -m map qrels pipe",
        "(echo a header; cat run) | (read -r first; $PRES -q -m map qrels -)",
        "(echo a header; cat run) > file; { read -r first; $PRES -q -m map qrels -; } < file",
    ],
)
def test_pipes_of_the_shell(line: str, tmp_path: Path) -> None:
    done = shell(line, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split()[2].decode() for line in done.stdout.splitlines()] == [row[2] for row in MAP_Q]


@pytest.fixture
def many_topics(tmp_path: Path) -> None:
    """Enough output to fill a pipe."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in range(3000)))
    (tmp_path / "run").write_text("".join(f"{topic} Q0 a 1 1 t\n" for topic in range(3000)))


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "--format csv", "--output -"])
@pytest.mark.usefixtures("many_topics")
def test_closed_pipe_is_quiet(options: str, tmp_path: Path) -> None:
    done = shell(f"$PRES -q -m all_trec {options} qrels run | head -1", tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["$PRES measures | head -1", "$PRES -h | head -1", "$PRES -m map qrels run | true"]
)
def test_closed_pipe_is_quiet_everywhere(line: str, tmp_path: Path) -> None:
    done = shell(line, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("line", ["$PRES -m map qrels run > /dev/full", "$PRES measures > /dev/full"])
def test_full_disk(line: str, tmp_path: Path) -> None:
    done = shell(line, tmp_path)
    assert done.returncode == 2
    assert done.stderr == b"pres-eval: output cannot be written: no space left on device\n"


def test_closed_standard_output(tmp_path: Path) -> None:
    done = shell("$PRES -m map qrels run >&-", tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        b"pres-eval: output cannot be written: standard output is closed\n",
    )


def test_ids_of_any_bytes(pres_eval: conftest.Command, tmp_path: Path) -> None:
    """What is no UTF-8 comes out as it went in; a per cent sign is no format."""
    (tmp_path / "qrels").write_bytes(b"\xff%s 0 a\xfe 1\n\xe4%d%% 0 a 1\n")
    (tmp_path / "run").write_bytes(b"\xff%s Q0 a\xfe 1 1 t\xff%n\n\xe4%d%% Q0 a 1 1 t\xff%n\n")
    done = pres_eval("-q", "-m", "num_ret", "-m", "runid", "qrels", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = [line.split(b"\t")[1:] for line in done.stdout.splitlines()]
    assert lines == [[b"\xe4%d%%", b"1"], [b"\xff%s", b"1"], [b"all", b"t\xff%n"], [b"all", b"2"]]


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_versions_differ_where_trec_eval_s_do(compat: str, call: Command, tmp_path: Path) -> None:
    """--compat: 32-bit ties, and what -c -q prints for a topic that the run lacks."""
    (tmp_path / "run").write_text("1 Q0 a 1 16777217 t\n1 Q0 c 2 16777216 t\n1 Q0 x 3 16777215 t\n")
    called = call("--quiet", "--compat", compat, "-c", "-q", "-m", "P.1", "-l2", "qrels", "run")
    expected = {
        "9.0.8": [("P_1", "1", "1.0000"), ("P_1", "all", "0.3333")],
        "10.0": [
            ("P_1", "1", "0.0000"),
            ("P_1", "10", "0.0000"),
            ("P_1", "2", "0.0000"),
            ("P_1", "all", "0.0000"),
        ],
    }
    assert rows(called) == expected[compat]


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_number_of_jobs(jobs: str, call: Command) -> None:
    assert rows(call("--jobs", jobs, "-q", "-m", "map", "qrels", "run")) == MAP_Q


WARNINGS: list[tuple[Sequence[str], str, str]] = [
    (
        ["qrels", "short"],
        SHORT,
        "short: 2 of 3 topics of qrels are not in the run and are left out of the averages;"
        " -c counts them as 0",
    ),
    (
        ["-c", "qrels", "short"],
        SHORT + "x Q0 a 1 1 t\nx Q0 b 1 1 t\ny Q0 a 1 1 t\n",
        "short: 2 topics have no judgements and are ignored (such as 'x')",
    ),
    (
        ["-c", "qrels", "short"],
        SHORT + "x Q0 a 1 1 t\n",
        "short: 1 topic has no judgements and is ignored (such as 'x')",
    ),
    (
        ["-c", "qrels", "short"],
        "# comment\n" + SHORT + "2 Q0 a 1 1 t more\n2 Q0 b 1 0 t more\n",
        "short:3: more than 6 columns; the first 6 are used (topic Q0 docno rank score tag),"
        " which is wrong if an id has a blank in it",
    ),
]


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize(("arguments", "text", "warning"), WARNINGS)
def test_warnings(
    arguments: Sequence[str], text: str, warning: str, compat: str, call: Command, tmp_path: Path
) -> None:
    """One line on stderr each; results and exit code are as without, and --quiet has none."""
    (tmp_path / "short").write_text(text)
    called = call("--compat", compat, "-m", "map", *arguments)
    assert called.err == f"pres-eval: warning: {warning}\n"
    assert called.code == 0
    quiet = call("--quiet", "--compat", compat, "-m", "map", *arguments)
    assert (quiet.code, quiet.out, quiet.err) == (0, called.out, "")


def test_no_warnings_about_other_topics_with_d(call: Command) -> None:
    call.ok("-D", "0.1", "-m", "map", "qrels", "short")


def test_no_progress_where_nobody_looks(call: Command) -> None:
    """stderr is no terminal here: nothing may be written to it."""
    assert call("-m", "map", "qrels", "run").err == ""


@pytest.mark.parametrize("option", ["-v", "--version", "--vers"])
def test_version(option: str, call: Command) -> None:
    called = call.ok(option)
    assert called.out.startswith(f"pres-eval {__version__} ")
    assert called.out.count("\n") == 1


@pytest.mark.parametrize("option", ["-h", "--help", "--he"])
def test_first_screen(option: str, call: Command) -> None:
    """A screen of 40 lines names every command, ten options, and where more is."""
    text = call.ok(option, "no-such-file").out
    assert text == call.ok("help").out
    assert len(text.splitlines()) <= 40
    assert text.startswith("Usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]")
    options = [line for line in text.splitlines() if line.startswith("  -")]
    assert len(options) == len(FIRST_OPTIONS) == 10
    for name in COMMANDS:
        assert re.search(rf"[ ,]{name}\b", text)
    assert "--help-all" in text and "pres-eval help COMMAND" in text


def test_help_all(call: Command) -> None:
    """Options, formats, exit codes, differences, commands: all there, before any file is opened."""
    text = call.ok("--help-all", "no-such-file").out
    assert text.startswith("Usage: pres-eval [OPTIONS] QRELS RUN [RUN ...]")
    for parameter in command_of(None).params:
        for name in parameter.opts:
            if name.startswith("-") and not getattr(parameter, "hidden", False):
                assert name in text
    words = " ".join(text.split())
    for difference in DIFFERENCES:
        assert " ".join(difference.split()) in words
    for code, meaning in EXIT_CODES.items():
        assert f"  {code} " in text
        assert meaning in words
    for name, purpose in COMMANDS.items():
        assert name in text
        assert purpose in words


@pytest.mark.parametrize("columns", ["80", "60", "200"])
@pytest.mark.parametrize(
    "arguments",
    [
        *([name, "--help"] for name in COMMANDS),
        ["--help", "-m", "all_trec", "-m", "extended", "-R", "prefs"],
        ["measures"],
        ["measures", "all_trec", "extended", "pres"],
        ["measures", "recall"],
    ],
    ids=" ".join,
)
def test_help_is_as_wide_as_the_terminal(
    arguments: list[str], columns: str, call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One width for all that explains; only what has no blank to break at is longer."""
    monkeypatch.setenv("COLUMNS", columns)
    lines = call.ok(*arguments).out.splitlines()
    width = max(min(int(columns), 80) - 2, 50)
    long = [line for line in lines if len(line) > width]
    if columns == "80":
        assert [line for line in long if not line.startswith("Usage: ")] == []
    assert [line for line in long if len(line) > 80] == []
    assert arguments[-1] == "--help" or max(map(len, lines)) > width - 15


def test_help_with_measures(call: Command) -> None:
    """-h -m X adds X's whole text, as trec_eval does; a nickname those of all its members."""
    plain = call.ok("-h").out
    whole = call.ok("--help-all", "-m", "PRES.5").out
    assert whole.startswith(call.ok("--help-all").out.rstrip("\n")) and "\nPRES\n" in whole
    text = call.ok("-h", "-m", "PRES.5", "-m", "nDCG@10").out
    assert text.startswith(plain.rstrip("\n"))
    assert "\nPRES\n" in text
    assert "10.1145/1835449.1835551" in text
    assert "\nndcg_cut\n" in text
    official = call.ok("-h", "-m", "official").out
    assert all(f"\n{name}\n    " in official for name in ("runid", "map", "P", "iprec_at_recall"))


@pytest.mark.parametrize("form", ["qrels", "qrels_jg", "prefs", "qrels_prefs"])
def test_help_describes_the_format_of_r(form: str, call: Command) -> None:
    assert f"\n{form.upper()}: lines of" in call.ok("-h", "-R", form).out
    assert f"\n{form.upper()}: lines of" in call.ok("--help-all", "-R", form).out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(name: str, call: Command) -> None:
    assert call.ok("help", name).out == call.ok(name, "--help").out


def test_help_of_other_words(call: Command) -> None:
    assert call.ok("help", "PRES").out == call.ok("measures", "PRES").out
    called = call("help", "compair")
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith("pres-eval: help compair: no such command or measure; did you mean compare")
    assert "`pres-eval help` lists the commands" in call("help", "zzzz").err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_breaks_no_word(name: str, call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word of a narrow terminal is one of a wide terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    narrow = call.ok(name, "--help").out.split()
    monkeypatch.setenv("COLUMNS", "80")
    assert set(narrow) <= set(call.ok(name, "--help").out.split())


def test_measures_command(call: Command) -> None:
    text = call.ok("measures").out
    words = " ".join(text.split())
    for measure in MEASURES:
        assert any(line.split(None, 1)[0] == measure.name for line in text.splitlines() if line.strip())
        assert measure.description in words
    one = call.ok("measures", "PRES").out
    assert one.startswith("PRES\n    ")
    assert "10.1145/1835449.1835551" in one
    assert call("measures", "mapp").err.startswith("pres-eval: -m mapp: no such measure; did you mean map")
    assert call("measures", "mapp").code == 1


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", [each.name for each in MEASURES if "Characters:" not in each.text])
def test_texts_of_measures_fill_their_lines(
    name: str, columns: int, call: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In prose a line ends where the next word has no room; sentences are no letters of a formula."""
    monkeypatch.setenv("COLUMNS", str(columns))
    text = call.ok("measures", name).out.partition("\n\n")[2].partition("See also:")[0]
    before, _, after = text.partition("    Formula:")
    lines = before.splitlines() + after[after.find("    Range:") :].splitlines()
    for line, following in itertools.pairwise(lines):
        new = re.match(r" *[\w, ]+:", following) or not following.strip()
        if line.strip() and not new:
            assert len(line) + 2 + len(following.split()[0]) > columns - 2, line


def test_measures_are_found_by_a_word(call: Command) -> None:
    text = call.ok("measures", "reader").out
    assert {"PRES", "rbp", "err"} <= {line.split()[0] for line in text.splitlines() if line.startswith("  ")}
    assert "num_ret" not in text
    assert "See also: " in call.ok("measures", "recall").out
    assert "[RR, MRR]" in call.ok("measures").out


def test_measures_as_json(call: Command) -> None:
    entries = {entry["name"]: entry for entry in json.loads(call.ok("measures", "--format", "json").out)}
    assert set(entries) == {measure.name for measure in MEASURES}
    assert {"name": "precision@10", "tool": "ranx"} in entries["P"]["also"]
    assert entries["PRES"]["in_trec_eval"] is False
    assert entries["map"]["nicknames"] == ["official", "all_trec"]
    (one,) = json.loads(call.ok("measures", "PRES", "--format", "json").out)
    assert one == entries["PRES"]


def test_file_called_like_a_command(call: Command, tmp_path: Path) -> None:
    """./check is the file; check in second place is a file too."""
    (tmp_path / "check").write_text(QRELS)
    (tmp_path / "measures").write_text(RUN)
    assert rows(call("-q", "-m", "map", "./check", "measures")) == MAP_Q
    assert rows(call("-qmmap", "check", "measures")) == MAP_Q


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, call: Command) -> None:
    for option in ("--help", "-h", "--he"):
        assert call.ok(name, option).out.startswith(f"Usage: pres-eval {name} ")


@pytest.mark.parametrize("form", ["trec", "table", "csv", "tsv", "json", "jsonl", "latex", "markdown"])
def test_formats(form: str, call: Command, tmp_path: Path) -> None:
    """To stdout and to a file the same bytes."""
    printed = call.ok("--format", form, "-q", "-m", "map", "qrels", "run", "other").out
    assert "0.8333" in printed
    assert call.ok("--format", form, "--output", "file", "-q", "-m", "map", "qrels", "run", "other").out == ""
    assert (tmp_path / "file").read_text() == printed
    if form == "trec":
        assert printed == call.ok("-q", "-m", "map", "qrels", "run", "other").out


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "md", "tex", "CSV"])
def test_ending_of_the_output_chooses_the_format(ending: str, call: Command, tmp_path: Path) -> None:
    form = {"md": "markdown", "tex": "latex"}.get(ending, ending.lower())
    call.ok("--output", f"file.{ending}", "-m", "map", "qrels", "run", "other")
    printed = call.ok("--format", form, "-m", "map", "qrels", "run", "other").out
    assert (tmp_path / f"file.{ending}").read_text() == printed


def test_a_format_that_is_named_wins(call: Command, tmp_path: Path) -> None:
    """Over the file's ending; an ending that is no format of the command changes nothing."""
    for order in (["--format", "trec", "--output", "file.csv"], ["--output", "file.csv", "--format", "trec"]):
        call.ok(*order, "-m", "map", "qrels", "run")
        assert (tmp_path / "file.csv").read_text() == call.ok("-m", "map", "qrels", "run").out
    call.ok("--output", "file.txt", "-m", "map", "qrels", "run")
    assert (tmp_path / "file.txt").read_text() == call.ok("-m", "map", "qrels", "run").out
    call.ok("check", "--output", "file.csv", "qrels", "run")
    assert (tmp_path / "file.csv").read_text() == call.ok("check", "qrels", "run").out


@pytest.mark.parametrize("order", [0, 1])
def test_ending_beside_a_protocol(order: int, call: Command, tmp_path: Path) -> None:
    """Neither takes the defaults of the other away."""
    pair = [["--protocol", "clef-ip", "--quiet"], ["--output", "file.csv"]]
    call.ok(*pair[order], *pair[1 - order], "-m", "map", "qrels", "run")
    text = (tmp_path / "file.csv").read_text()
    assert (
        text
        == call.ok("--format", "csv", "--protocol", "clef-ip", "--quiet", "-m", "map", "qrels", "run").out
    )
    assert call.ok("compare", "--output", "c.md", "qrels", "run", "other", "-m", "map").out == ""
    assert (tmp_path / "c.md").read_text().count("|") > 8


def test_output_is_whole_or_not_at_all(call: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    assert call("--output", "file", "-m", "map", "qrels", "run", "nothing").code == 2
    assert (tmp_path / "file").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "other", "qrels", "run", "short"]


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (["--fail-under", "map=0.7"], ""),
        (
            ["--fail-under", "map=0.9"],
            "pres-eval: map: wanted at least 0.9, got 0.777778, 0.122222 too low, run one (run)",
        ),
        (["--against", "better.json"], "map"),
        (["--against", "better.json", "--tolerance", "0.5"], ""),
        (["--expect", "expected"], ""),
        (["--expect", "unexpected"], "pres-eval: unexpected"),
    ],
)
def test_gates(gate: list[str], message: str, call: Command, tmp_path: Path) -> None:
    """Exit 3 and a line for each thing that is not as wanted; the results are printed all the same."""
    record = json.loads(call.ok("--format", "json", "-m", "map", "qrels", "run").out)
    record["runs"][0]["summary"]["map"] = 0.9
    (tmp_path / "better.json").write_text(json.dumps(record))
    expected = call.ok("-m", "map", "qrels", "run").out
    (tmp_path / "expected").write_text(expected)
    (tmp_path / "unexpected").write_text(expected.replace("0.7778", "0.7777"))
    called = call(*gate, "-m", "map", "qrels", "run")
    assert called.out == expected
    assert called.code == (3 if message else 0)
    assert called.err.startswith(message) if message.startswith("pres-eval") else message in called.err
    assert bool(called.err) == bool(message)


def test_module_and_exit_code(pres_eval: conftest.Command, tmp_path: Path) -> None:
    """`python -m pres_eval` is the command, and its exit code that of the process."""
    done = pres_eval("-q", "-m", "map", "qrels", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split()[2].decode() for line in done.stdout.splitlines()] == [row[2] for row in MAP_Q]
    (tmp_path / "run").write_text("9 Q0 a 1 1 t\n")
    for arguments, code in ((["qrels", "run"], 7), (["qrels"], 1), (["qrels", "nothing"], 2)):
        done = pres_eval(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (code, b"")
        assert done.stderr.startswith(b"pres-eval: ")
        assert done.stderr.count(b"\n") == 1


def test_interrupted(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C: no traceback, the shell's usual code."""
    from pres_eval.cli import evaluate

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "select", interrupt)
    assert call("qrels", "run") == Called(130, "", "")

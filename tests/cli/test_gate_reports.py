"""--junit and --summary: errors of all kinds replace the report of an earlier call, and no other file."""

from __future__ import annotations

import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.commands import Command
from support.gate_files import FILES
from support.junit import faults

JUNIT, SUMMARY = Path("junit.xml"), Path("summary.md")


@pytest.fixture
def command(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Reports of a call that passed are there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for name in ("qrels", "a", "worse", "short"):
        Path(name).write_text(FILES[name], encoding="utf-8")
    Path("broken").write_text("q01 Q0\n", encoding="utf-8")
    Path("other").write_text("q99 Q0 relevant 1 1 other\n", encoding="utf-8")
    command = Command(capfdbinary)
    passed = command(*shlex.split(f"-m map --fail-under map=0.1 --junit {JUNIT} --summary {SUMMARY} qrels a"))
    assert passed.code == 0 and "gates passed" in SUMMARY.read_text(encoding="utf-8")
    return command


def suite() -> ElementTree.Element:
    """Return the report, valid."""
    suite = ElementTree.parse(JUNIT).getroot()
    assert faults(suite) == []
    return suite


@pytest.mark.parametrize(
    ("options", "code", "file"),
    [
        ("-m map --fail-under map=0.1 qrels nothing", 2, "nothing"),
        ("-m map --fail-under map=0.1 nothing a", 2, "nothing"),
        ("-m map --fail-under map=0.1 qrels broken", 2, "broken"),
        ("-m map --fail-under map=0.1 qrels other", 7, "other"),
        ("-m map --against nothing.json qrels a", 2, "nothing.json"),
        ("-m map --against broken qrels a", 2, "broken"),
        ("-m map --expect qrels qrels a", 2, "qrels"),
        ("-m map --fail-under mop=0.1 qrels a", 1, None),
        ("-m map --fail-under map=x qrels a", 1, None),
        ("-m mop --fail-under map=0.1 qrels a", 1, None),
        ("-m map --fail-under map=0.1 --no-such-option qrels a", 1, None),
        ("-m map --fail-under map=0.1 -l x qrels a", 1, None),
        ("-m map --fail-under map=0.1 --output a qrels a", 1, None),
        ("-m map --fail-under map=0.1 --output no/such/file qrels a", 2, None),
        ("-m map --fail-under map=0.1 --groups '' qrels a", 1, None),
        ("-m map --against a --against a qrels a", 1, None),
        ("-m map --fail-under map=0.1", 1, None),
        ("-m map --tolerance 0.1 qrels a", 1, None),
    ],
)
def test_an_error_is_in_the_reports(options: str, code: int, file: str | None, command: Command) -> None:
    outcome = command("--junit", JUNIT, f"--summary={SUMMARY}", *shlex.split(options))
    assert outcome.code == code, outcome.err
    (test,) = suite().iter("testcase")
    (error,) = test.iter("error")
    assert f"pres-eval: {error.get('message')}\n" in outcome.err
    assert (test.get("file"), test.get("classname")) == (file, "pres-eval error")
    assert (suite().get("errors"), suite().get("failures"), suite().get("tests")) == ("1", "0", "1")
    assert SUMMARY.read_text(encoding="utf-8").startswith("### pres-eval: gates failed: 1 finding\n")


@pytest.mark.parametrize("name", ["a", "qrels", "notes.txt"])
def test_a_wrong_command_leaves_other_files_alone(name: str, command: Command) -> None:
    """--junit itself may be what is wrong."""
    Path("notes.txt").write_text("mine\n", encoding="utf-8")
    before = Path(name).read_bytes()
    for option in ("--junit", "--summary"):
        outcome = command(
            "-m", "map", "--no-such-option", "--fail-under", "map=0.1", option, name, "qrels", "a"
        )
        assert outcome.code == 1
        assert Path(name).read_bytes() == before


def test_a_wrong_command_makes_a_report_that_is_not_there(command: Command) -> None:
    JUNIT.unlink()
    assert command("-m", "map", "--no-such-option", "--junit", JUNIT, "qrels", "a").code == 1
    (error,) = suite().iter("error")
    assert "--no-such-option" in str(error.get("message"))


def test_gates_of_the_runs_that_could_be_read(command: Command) -> None:
    """Errors beside failures, each with its file."""
    outcome = command(
        "-m", "map", "--keep-going", "--fail-under", "map=0.4", "--junit", JUNIT, "--summary", SUMMARY,
        "qrels", "a", "nothing", "worse",
    )  # fmt: skip
    assert outcome.code == 2
    outcomes = {
        test.get("file"): [child.tag for child in test if child.tag != "system-out"]
        for test in suite().iter("testcase")
    }
    assert outcomes == {"nothing": ["error"], "a": [], "worse": ["failure"]}
    assert (suite().get("errors"), suite().get("failures"), suite().get("tests")) == ("1", "1", "3")
    assert "nothing: no such file" in SUMMARY.read_text(encoding="utf-8")


def test_lines_of_the_runs_that_could_be_read_are_expected_by_their_names(command: Command) -> None:
    """The names of files were those of the first runs, also of runs that could not be read."""
    Path("lines").write_text(command.ok("-m", "map", "qrels", "a", "worse").out, encoding="utf-8")
    outcome = command("-m", "map", "--keep-going", "--expect", "lines", "qrels", "nothing", "a", "worse")
    assert outcome.code == 2
    assert "lines:" not in outcome.err and "not in lines" not in outcome.err


@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_warnings_are_in_the_reports(option: str, command: Command) -> None:
    """Those of the evaluation, once."""
    outcome = command(
        "-m", "map", "--topics", "own", "--fail-under", "map=0.1", option, "report", "qrels", "short"
    )
    assert outcome.code == 0
    warning = "warning: short: 1 of 10 topics of qrels is not in the run"
    assert outcome.err.count(warning) == 1
    assert Path("report").read_text(encoding="utf-8").count(warning) == 1
    quiet = command(
        "--quiet",
        "-m",
        "map",
        "--topics",
        "own",
        "--fail-under",
        "map=0.1",
        option,
        "report",
        "qrels",
        "short",
    )
    assert quiet.code == 0 and warning not in Path("report").read_text(encoding="utf-8")


def test_new_topics_are_in_the_reports_with_both_means(command: Command) -> None:
    for name in ("qrels20", "easy"):
        Path(name).write_text(FILES[name], encoding="utf-8")
    assert command("-m", "map", "--quiet", "--output", "ten.json", "qrels20", "a").code == 0
    outcome = command(
        "-m", "map", "--against", "ten.json", "--junit", JUNIT, "--summary", SUMMARY, "qrels20", "easy"
    )
    assert outcome.code == 3
    note = "over 10 topics in both and over all 20: map 0.291667 and 0.645833"
    assert note in outcome.err
    assert note in str(suite().findtext("system-out"))
    assert note in SUMMARY.read_text(encoding="utf-8")

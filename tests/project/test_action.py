"""The action for GitHub: its steps, run with the runner's files, and a gh that keeps comments in a file."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import prepared
from support.commands import QRELS, RUNS
from support.doc_workflow import block
from support.workflows import ROOT, add_program, expanded, read, run_step

pytestmark = pytest.mark.slow

FOLDER = ROOT / ".github" / "actions" / "evaluate"
ACTION = read(FOLDER / "action.yml")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GATE = "--fail-under PRES_100=0.5"
MARK = "<!-- pres-eval: Retrieval__nightly pres-eval -->"

GH = '''#!/usr/bin/env python3
"""GitHub's program, as far as the action calls it: comments are in a file."""
import json, os, pathlib, re, sys

file = pathlib.Path(os.environ["COMMENTS_FILE"])
if not file.exists():
    sys.exit("HTTP 403: Resource not accessible by integration")
assert os.environ["GH_TOKEN"] == "a-token"
comments = json.loads(file.read_text())
arguments = sys.argv[1:]
assert arguments.pop(0) == "api"
if arguments[0] == "graphql":
    assert arguments[1:] == ["-f", "query=query { viewer { login } }", "--jq", ".data.viewer.login"]
    print("github-actions[bot]")
    sys.exit()
if "--jq" in arguments:
    expression = arguments[arguments.index("--jq") + 1]
    selected = (
        r'\\.\\[\\] \\| select\\(\\.user\\.login == "(.*)"\\)'
        r' \\| select\\(\\.body \\| startswith\\("(.*)"\\)\\) \\| \\.id'
    )
    author, start = re.fullmatch(selected, expression).groups()
    assert arguments[:2] == ["--paginate", "repos/a/b/issues/7/comments"]
    for comment in comments:
        if comment["user"]["login"] == author and comment["body"].startswith(start):
            print(comment["id"])
    sys.exit()
method = arguments[arguments.index("--method") + 1]
(body,) = [part.partition("=@")[2] for part in arguments if part.startswith("body=@")]
text = pathlib.Path(body).read_text()
if method == "POST":
    assert "repos/a/b/issues/7/comments" in arguments
    user = {"login": "github-actions[bot]"}
    comments.append({"id": 100 + len(comments), "user": user, "body": text})
else:
    start = "repos/a/b/issues/comments/"
    (number,) = [part.removeprefix(start) for part in arguments if part.startswith(start)]
    (found,) = [each for each in comments if each["id"] == int(number)]
    found["body"] = text
file.write_text(json.dumps(comments))
'''

VALUES = {
    "github.action_path": str(FOLDER),
    "github.server_url": "https://example.org",
    "github.repository": "a/b",
    "github.run_id": "42",
    "github.workflow": "Retrieval, nightly",
    "github.token": "a-token",
    "github.event.pull_request.number": "7",
    "github.event_name": "pull_request",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A runner's folder with a checkout of judgements and runs, and the command where `Install` puts it."""
    folder = tmp_path / "checkout"
    (folder / "my runs").mkdir(parents=True)
    shutil.copy(QRELS, folder / "qrels.txt")
    for run in RUNS:
        shutil.copy(run, folder / "my runs")
    add_program(tmp_path, "gh", GH)
    (tmp_path / "bin").mkdir()
    (tmp_path / "gh").rename(tmp_path / "bin" / "gh")
    installed = tmp_path / "pres-eval" / "bin"
    installed.mkdir(parents=True)
    add_program(installed, "pres-eval", f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{prepared.program()}" "$@"\n')
    theirs = {"id": 1, "user": {"login": "somebody"}, "body": f"{MARK}\nforged"}
    (tmp_path / "comments.json").write_text(json.dumps([theirs]))
    return tmp_path


def holds(condition: str | None, values: Mapping[str, str]) -> bool:
    """What an `if` says, if anything: comparisons that are joined by `and`."""
    parts = condition.split(" && ") if condition else []
    return all(values[name] == value[1:-1] for name, value in (part.split(" == ") for part in parts))


def call(place: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Call the action after `Install`; its exit code, outputs and what it has printed."""
    values = dict(VALUES)
    for name, described in ACTION["inputs"].items():
        assert name in inputs or not described.get("required")
        given = inputs.pop(name, None)
        values[f"inputs.{name}"] = expanded(described["default"], values) if given is None else given
    assert not inputs
    printed, code = "", 0
    for name in ("github_output", "github_step_summary"):
        (place / name).unlink(missing_ok=True)
    for name in ("Evaluate", "Comment", "Gate"):
        if code == 0 and holds(STEPS[name].get("if"), values):
            done = run_step(STEPS[name], place, values, {"COMMENTS_FILE": str(place / "comments.json")})
            printed, code = printed + done.stdout + done.stderr, done.returncode
            text = (place / "github_output").read_text()
            values |= {f"steps.evaluate.outputs.{key}": value for key, value in pairs(text).items()}
    outputs = {
        name: expanded(described["value"], values)
        for name, described in ACTION["outputs"].items()
        if "steps.evaluate.outputs.code" in values
    }
    return code, outputs, printed


def pairs(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def comments(place: Path) -> list[dict[str, Any]]:
    return list(json.loads((place / "comments.json").read_text()))


def summary(place: Path) -> str:
    return (place / "github_step_summary").read_text(encoding="utf-8")


def test_the_guide_calls_it() -> None:
    """With inputs that it has, the action's file at the place that is named, and the permission it needs."""
    guide = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(block(guide, "workflow"))
    assert workflow["permissions"]["pull-requests"] == "write"
    _, step = workflow["jobs"]["evaluate"]["steps"]
    folder = step["uses"].removeprefix("OWNER/pres-eval/").removesuffix("@COMMIT")
    assert ROOT / folder == FOLDER
    assert set(step["with"]) <= set(ACTION["inputs"])


def test_install_takes_its_own_commit() -> None:
    source = Path(expanded(STEPS["Install"]["env"]["SOURCE"], VALUES))
    assert source.resolve() == ROOT and (source / "pyproject.toml").is_file()
    assert '-m pip install -q "$SOURCE"' in STEPS["Install"]["run"]


def test_a_gate_that_passes(place: Path) -> None:
    code, outputs, printed = call(
        place, qrels="qrels.txt", runs="my runs/run_broad.txt", options="-m PRES.100", gates=GATE
    )
    assert (code, outputs["status"]) == (0, "passed"), printed
    names = ["comment.md", "gates.md", "junit.xml", "report.html", "scores.json", "table.md"]
    assert sorted(path.name for path in Path(outputs["folder"]).iterdir()) == names
    assert "### pres-eval: gates passed\n" in summary(place)
    assert summary(place).count("0.6637") == 1
    _, ours = comments(place)
    assert ours["body"].startswith(f"{MARK}\n### pres-eval: gates passed\n")
    assert "[Report and files](https://example.org/a/b/actions/runs/42)" in ours["body"]
    scores = json.loads((Path(outputs["folder"]) / "scores.json").read_text())
    assert "PRES_100" in json.dumps(scores)


def test_a_gate_that_fails_changes_the_same_comment(place: Path) -> None:
    """Its exit code is pres-eval's; the annotation names the value; comments of others stay."""
    runs = "my runs/run_broad.txt\nmy runs/run_key*.txt\n"
    call(place, qrels="qrels.txt", runs="my runs/run_broad.txt", options="-m PRES.100", gates=GATE)
    code, outputs, printed = call(place, qrels="qrels.txt", runs=runs, options="-m PRES.100", gates=GATE)
    assert (code, outputs["status"]) == (3, "failed")
    assert printed.count("::error ") == 1
    theirs, ours = comments(place)
    assert theirs["body"] == f"{MARK}\nforged" and ours["id"] == 101
    assert "### pres-eval: gates failed: 1 finding\n" in ours["body"]
    assert "### pres-eval: gates failed: 1 finding\n" in summary(place)
    table = ours["body"].partition("| run")[2]
    assert "0.4241" in table and "0.6637" in table
    assert (Path(outputs["folder"]) / "report.html").stat().st_size > 10_000


def test_the_report_has_the_options(place: Path) -> None:
    """2.10.0: the comment had map at level 2, and the report at level 1."""
    options = "-m map -l 2 --protocol robust04"
    code, outputs, printed = call(place, qrels="qrels.txt", runs="my runs/*.txt", options=options)
    assert (code, outputs["status"]) == (0, "passed"), printed
    value = re.findall(r"\b0\.\d{4}\b", comments(place)[1]["body"])[0]
    assert value in (Path(outputs["folder"]) / "report.html").read_text(encoding="utf-8")
    code, outputs, printed = call(place, qrels="qrels.txt", runs="my runs/*.txt", options="-m map -T beir")
    assert outputs["status"] == "error" or "no report could be written with these options" in printed


@pytest.mark.parametrize("given", ["options", "gates"])
def test_quotation_marks_that_are_not_closed(given: str, place: Path) -> None:
    code, _, printed = call(place, qrels="qrels.txt", runs="my runs/*.txt", **{given: "-m 'map"})
    assert code == 2
    assert "::error::options, gates: expected quotation marks in pairs\n" in printed
    assert pairs((place / "github_output").read_text()) == {"status": "error"}


def test_a_run_that_is_named_like_an_option(place: Path) -> None:
    """A pattern gives it to pres-eval as a file."""
    shutil.copy(RUNS[0], place / "checkout" / "--allow-unmatched")
    code, outputs, printed = call(place, qrels="qrels.txt", runs="--*", options="-m PRES.100")
    assert (code, outputs["status"]) == (0, "passed"), printed


def test_without_gates_nothing_fails(place: Path) -> None:
    code, outputs, _ = call(place, qrels="qrels.txt", runs="  my runs/*.txt  \n\n", comment="false")
    assert (code, outputs["status"]) == (0, "passed")
    assert not (Path(outputs["folder"]) / "junit.xml").exists()
    assert len(comments(place)) == 1
    assert summary(place).startswith("### pres-eval\n\n| run")
    assert all(name in summary(place) for name in ("broad", "keyword", "semantic"))


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"runs": "none-*.txt"}, "none-*.txt"),
        ({"runs": "my runs/run_broad.txt", "options": "-m mpa"}, "mpa"),
        ({"runs": "my runs/run_broad.txt", "gates": "--fail-under nothing=1"}, "nothing"),
        ({"runs": "qrels.txt"}, "qrels.txt"),
        ({"runs": "my runs/run_broad.txt", "options": "--digits 2"}, "--digits goes with --format table"),
    ],
    ids=["no file", "no measure", "no gate", "no run", "an option of tables"],
)
def test_an_error_is_in_the_comment(inputs: dict[str, str], said: str, place: Path) -> None:
    code, outputs, printed = call(place, qrels="qrels.txt", **inputs)
    assert code in {1, 2} and outputs["status"] == "error"
    body = comments(place)[1]["body"]
    assert body.startswith(f"{MARK}\n### pres-eval: not evaluated\n\n    pres-eval: ")
    assert said in body and said in printed and said in summary(place)


def test_inputs_are_never_a_script(place: Path) -> None:
    """Options are split as a shell splits them, and nothing in them is executed."""
    code, outputs, _ = call(
        place,
        qrels="qrels.txt",
        runs="my runs/run_broad.txt\n$(touch touched)",
        options="-m 'PRES.100' -m \"map\" $(touch touched) `touch touched`",
        gates="; touch touched",
    )
    assert outputs["status"] == "error" and code in {1, 2}
    assert list(place.rglob("touched")) == []


@pytest.mark.parametrize("name", ["", "../up", "a b", '"', "-->"])
def test_a_name_that_could_break_out(name: str, place: Path) -> None:
    code, outputs, printed = call(place, qrels="qrels.txt", runs="my runs/run_broad.txt", name=name)
    assert (code, outputs) == (2, {})
    assert "::error::name: expected letters, digits, dots, hyphens and underscores" in printed


def test_without_the_permission_there_is_a_warning(place: Path) -> None:
    (place / "comments.json").unlink()
    code, outputs, printed = call(place, qrels="qrels.txt", runs="my runs/run_broad.txt")
    assert (code, outputs["status"]) == (0, "passed")
    assert "::warning::pres-eval: no comment could be written" in printed


def test_two_names_have_two_comments(place: Path) -> None:
    for name in ("patents", "laws", "patents"):
        call(place, qrels="qrels.txt", runs="my runs/run_broad.txt", name=name)
    starts = [comment["body"].splitlines()[0] for comment in comments(place)[1:]]
    assert starts == [
        "<!-- pres-eval: Retrieval__nightly patents -->",
        "<!-- pres-eval: Retrieval__nightly laws -->",
    ]


def test_two_workflows_have_two_comments(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their evaluations may have one name."""
    call(place, qrels="qrels.txt", runs="my runs/run_broad.txt")
    monkeypatch.setitem(VALUES, "github.workflow", "other --> $(touch touched)")
    call(place, qrels="qrels.txt", runs="my runs/run_broad.txt")
    starts = [comment["body"].splitlines()[0] for comment in comments(place)[1:]]
    assert starts == [MARK, "<!-- pres-eval: other_--____touch_touched_ pres-eval -->"]
    assert list(place.rglob("touched")) == []


@pytest.mark.parametrize("gates", ["", "--fail-under map=0.01"])
def test_warnings_are_in_the_comment_and_the_summary(gates: str, place: Path) -> None:
    run = (place / "checkout" / "my runs" / "run_broad.txt").read_text(encoding="utf-8")
    first = run.split()[0]
    short = "".join(line for line in run.splitlines(keepends=True) if line.split()[0] != first)
    (place / "checkout" / "short.txt").write_text(short, encoding="utf-8")
    code, _, printed = call(
        place, qrels="qrels.txt", runs="short.txt", options="-m map --topics own", gates=gates
    )
    assert code == 0, printed
    for text in (comments(place)[1]["body"], summary(place)):
        assert (
            len(re.findall(r"warning: short\.txt: 1 of \d+ topics of qrels\.txt is not in the run", text))
            == 1
        )


@pytest.mark.parametrize("gates", ["", "--fail-under map=0.99"])
def test_tags_and_topics_mention_and_link_nothing(gates: str, place: Path) -> None:
    """In the comment, gates.md and table.md: GitHub sees no name, issue, address or commit in them."""
    tag = "@octocat/#1_GH-2_https://example.com_www.example.com_0a1b2c3d_[x](y)"
    run = (place / "checkout" / "my runs" / "run_broad.txt").read_text(encoding="utf-8")
    tagged = re.sub(r"\S+$", lambda match: tag, run, flags=re.MULTILINE)
    (place / "checkout" / "tagged.txt").write_text(tagged, encoding="utf-8")
    code, outputs, printed = call(
        place, qrels="qrels.txt", runs="tagged.txt", options="-m map --names tag", gates=gates
    )
    assert code == (3 if gates else 0), printed
    texts = [comments(place)[1]["body"].replace("https://example.org/a/b/actions/runs/42", "")]
    names = ["table.md", "gates.md"] if gates else ["table.md"]
    texts += [(Path(outputs["folder"]) / name).read_text(encoding="utf-8") for name in names]
    linked = re.compile(r"@\w|#1|GH-2|://|www\.|0a1b2c3d|(?<!\\)\]\(y")
    for text in texts:
        assert "octocat" in text and linked.findall(text) == []


def test_a_long_table_is_left_to_the_files(place: Path) -> None:
    """A comment has at most 65,536 characters."""
    for number in range(320):
        shutil.copy(RUNS[0], place / "checkout" / f"run_{number:0>200}.txt")
    _, outputs, _ = call(
        place, qrels="qrels.txt", runs="run_*.txt", options="-m map", gates="--fail-under map=0"
    )
    assert outputs["status"] == "passed"
    assert "table.md is among the files." in comments(place)[1]["body"]
    assert len(comments(place)[1]["body"]) < 65_536
